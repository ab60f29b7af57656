/* fail_alloc.c - to be preloaded: the allocation number FAIL_AT fails, and with FAIL_ON all after it. FAIL_REPORT names a file that
 * gets the name of who asked for the last that failed, or, with FAIL_AT=0, how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *of, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;
static long fail_at = -1;
static int fail_on;

static void report(const char *text) {
  const char *path = getenv("FAIL_REPORT");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) (void)text;
  close(file);
}

static void __attribute__((constructor)) begin(void) {
  const char *at = getenv("FAIL_AT");
  fail_on = getenv("FAIL_ON") != NULL;
  fail_at = at ? strtol(at, NULL, 10) : 0;
}

static void __attribute__((destructor)) end(void) {
  char text[32];
  if (fail_at != 0) return;
  snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  report(text);
}

/* Whether the allocation that `caller` asks for fails. */
static int fails(void *caller) {
  if (fail_at < 0) return 0;
  long n = atomic_fetch_add(&count, 1) + 1;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_on)) return 0;
  Dl_info who;
  report(dladdr(caller, &who) && who.dli_fname ? who.dli_fname : "?");
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *of, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(of, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **at, size_t alignment, size_t size) {
  void *made = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
  if (made) *at = made;
  return made ? 0 : ENOMEM;
}
