/* fuzz_file.h - a file of a fuzz target that readers of files are given: made once, filled anew for each input. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fuzz_file {
  char path[200];
  int descriptor;
} fuzz_file;

static fuzz_file *opened_file;
static inline void remove_opened_file(void) { unlink(opened_file->path); }

/* Fills it with these bytes; ends the process if that is impossible. */
static inline void fuzz_file_fill(fuzz_file *f, const void *bytes, size_t size) {
  if (!f->path[0]) {
    const char *folder = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%.150s/capstan-fuzz-XXXXXX", folder ? folder : "/tmp");
    f->descriptor = mkstemp(f->path);
    opened_file = f;
    atexit(remove_opened_file);
  }
  if (f->descriptor < 0 || ftruncate(f->descriptor, 0) != 0 ||
      pwrite(f->descriptor, bytes, size, 0) != (ssize_t)size) {
    perror(f->path);
    _exit(3);
  }
}

#endif
