/* input.c - see input.h. */
#include "input.h"
#include "cli.h"
#include "progress.h"
#include "result_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, PATH_SIZE = 4096 };

static int is_standard_input(const char *path) { return strcmp(path, "-") == 0; }

const char *input_name(const char *path) { return is_standard_input(path) ? "stdin" : path; }

int input_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* ---------------------------------------------------------------- scenarios */

/* All of a stream, with a zero behind it; NULL with errno if it cannot be read. */
static char *read_all(FILE *in, size_t *length) {
  char *text = NULL;
  size_t n = 0, room = 0, got;
  do {
    if (n + BLOCK >= room) text = (char *)grow(text, room = 2 * room + BLOCK + 1, 1);
    got = fread(text + n, 1, BLOCK, in);
    n += got;
  } while (got > 0);
  text[n] = 0;
  *length = n;
  if (!ferror(in)) return text;
  free(text);
  errno = EIO;
  return NULL;
}

char *input_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = read_all(file, length);
  int reason = errno;
  fclose(file);
  errno = reason;
  return text;
}

void input_folder(const char *file, const char *ending, char *folder, size_t size) {
  file = input_name(file);
  const char *name = strrchr(file, '/');
  name = name ? name + 1 : file;
  const char *dot = strrchr(name, '.');
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(folder, size, "%.*s%s", length, name, ending);
}

cps_scenario *input_scenario(const char *path, const text_list *set, cps_problems **problems) {
  size_t length;
  char *text = is_standard_input(path) ? read_all(stdin, &length) : NULL;
  cps_scenario *s = text ? cps_scenario_parse(text, length, input_name(path), set->item, set->n, problems)
                         : cps_scenario_load(path, set->item, set->n, problems);
  free(text);
  if (s) cps_scenario_on_wait(s, progress_wait, NULL);
  return s;
}

static int is_there(char *path, size_t size, const char *folder, const char *between, const char *name) {
  int n = snprintf(path, size, "%s%s/%s", folder, between, name);
  return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

/* The folder of this program: "" if the system does not tell. */
void input_own_folder(char *folder, size_t size) {
  ssize_t n = readlink("/proc/self/exe", folder, size - 1);
  folder[n > 0 ? n : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
}

int input_find_scenario(const char *named, const char *name, char *path, size_t size) {
  if (!named || !*named) named = getenv("CAPSTAN_SCENARIOS");
  if (named && *named) return is_there(path, size, named, "", name);
  char own[PATH_SIZE];
  input_own_folder(own, sizeof own);
  return is_there(path, size, "scenarios", "", name) ||
         (*own && is_there(path, size, own, "/../share/capstan/scenarios", name)) ||
         (*own && is_there(path, size, own, "/../scenarios", name)) ||
         is_there(path, size, "scenarios", "", name);
}

/* ---------------------------------------------------------------- results */

static int has_ending(const char *path, const char *ending) {
  size_t n = strlen(path), k = strlen(ending);
  return n > k && strcmp(path + n - k, ending) == 0;
}

/* At its start, or behind the seal of a finished result. */
static int is_hdf(const char *path) {
  static const char signature[] = "\211HDF\r\n\032\n";
  char head[CPS_RESULT_SEAL + 8] = "";
  FILE *file = input_is_file(path) ? fopen(path, "rb") : NULL;
  size_t n = file ? fread(head, 1, sizeof head, file) : 0;
  if (file) fclose(file);
  return n >= 8 && (memcmp(head, signature, 8) == 0 || memcmp(head + CPS_RESULT_SEAL, signature, 8) == 0);
}

int input_is_result(const char *path) {
  char inside[PATH_SIZE];
  struct stat info;
  if (stat(path, &info) != 0) return 0;
  if (!S_ISDIR(info.st_mode)) return is_hdf(path);
  int n = snprintf(inside, sizeof inside, "%s/result.h5", path);
  return n < (int)sizeof inside && access(inside, R_OK) == 0;
}

/* What else was named: says what would be right. 0 if nothing is known of it. */
static int explain(const char *where, const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) return 0;
  if (S_ISDIR(info.st_mode)) {
    if (input_is_result(path)) return 0;
    complain(where, "'%s' is no result: there is no result.h5 in it. capstan run FILE makes one", path);
    return 1;
  }
  if (is_hdf(path)) return 0;
  if (has_ending(path, ".yaml") || has_ending(path, ".yml"))
    complain(where,
             "'%s' is a scenario, not a result; capstan run %s simulates it, and says where its result is",
             path, path);
  else
    complain(where, "'%s' is no result: a result is a folder of capstan run, or the result.h5 in it", path);
  return 1;
}

cps_result *input_result(const char *where, const char *path, int *status) {
  cps_error error = {.status = CPS_OK};
  *status = STATUS_USAGE;
  if (explain(where, path)) return NULL;
  cps_result *r = result_open(path, &error);
  *status = r ? STATUS_GOOD : error.status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_IO;
  if (!r) complain(where, "%s", error.text);
  return r;
}
