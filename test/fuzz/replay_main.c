/* replay_main.c - runs a fuzz target over files, and over all files of directories, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Runs the target on one file; 0 if it cannot be read. */
static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  uint8_t *data = NULL;
  size_t size = 0, room = 0;
  int good = 1;
  while (good && !feof(file)) {
    if (size == room) {
      room = room ? 2 * room : 4096;
      uint8_t *more = (uint8_t *)realloc(data, room);
      if (!more)
        good = 0;
      else
        data = more;
    }
    if (good) size += fread(data + size, 1, room - size, file);
    good = good && !ferror(file);
  }
  fclose(file);
  /* A block of just the right size, so that reading past its end is found. */
  uint8_t *exact = good ? (uint8_t *)malloc(size ? size : 1) : NULL;
  if (exact) {
    if (size) memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
  }
  good = exact != NULL;
  free(exact);
  free(data);
  return good;
}

/* Runs the target on a file or on the files of a directory; the number of files, or -1 if something cannot be
 * read. */
static int replay(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return -1;
  if (!S_ISDIR(info.st_mode)) return replay_file(path) ? 1 : -1;
  DIR *dir = opendir(path);
  if (!dir) return -1;
  int n = 0;
  for (struct dirent *entry; n >= 0 && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    char child[4096];
    snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
    int m = replay(child);
    n = m < 0 ? -1 : n + m;
  }
  closedir(dir);
  return n;
}

int main(int argc, char **argv) {
  int total = 0;
  for (int i = 1; i < argc; i++) {
    int n = replay(argv[i]);
    if (n < 0) {
      fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    total += n;
  }
  printf("%d files replayed\n", total);
  return total == 0; /* an empty corpus tests nothing */
}
