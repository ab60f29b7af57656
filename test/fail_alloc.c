/* fail_alloc.c - to be preloaded: the allocation number FAIL_AT fails, and with FAIL_ON all after it. FAIL_REPORT names a file that
 * gets the library and the function that asked for the last that failed, or, with FAIL_AT=0, how many there were.
 *
 * With FAIL_EACH="OUT IN" every allocation fails, once, and it and all after it, each in a process that is forked there: the command
 * itself goes on as if nothing had happened. After each of them "NUMBER ON STATUS" is written to the descriptor OUT, STATUS being that of
 * waitpid, and a byte is awaited from IN. What the process has done to open files, and to the names in the folder FAIL_FOLDER, is then
 * undone: FAIL_KEEP names a folder beside it for that. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *of, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count; /* allocations so far */
static long fail_at = -1;
static int fail_on;

static void report(const char *text) {
  const char *path = getenv("FAIL_REPORT");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) (void)text;
  close(file);
}

/* ------------------------------------------------------------------ what a forked process does, undone */

enum { DESCRIPTORS = 64, SAVED = 32 << 20, LONGEST = 120 /* s */ };

static int each_out = -1, each_in = -1, busy;
static pid_t each_of; /* the process whose allocations are counted */

/* An open file that can be written, as it was. */
static struct kept {
  int fd;
  off_t at, size;
  char *content;
} kept[DESCRIPTORS];
static int n_kept;
static char saved[SAVED];

static void give_up(const char *why) {
  dprintf(2, "fail_alloc: %s\n", why);
  _exit(99);
}

static void keep_files(void) {
  size_t used = 0;
  n_kept = 0;
  for (int fd = 0; fd < DESCRIPTORS; fd++) {
    struct stat is;
    int how = fcntl(fd, F_GETFL);
    if (how < 0 || (how & O_PATH) || fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) continue;
    struct kept *k = &kept[n_kept++];
    *k = (struct kept){fd, lseek(fd, 0, SEEK_CUR), -1, saved + used};
    if ((how & O_ACCMODE) == O_RDONLY) continue;
    if (used + (size_t)is.st_size > sizeof saved) give_up("open files are too large");
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_RDONLY); /* it may be open for writing alone */
    if (again < 0 || pread(again, k->content, (size_t)is.st_size, 0) != is.st_size)
      give_up("an open file cannot be read");
    close(again);
    k->size = is.st_size;
    used += (size_t)is.st_size;
  }
}

static void bring_back_files(void) {
  for (int i = 0; i < n_kept; i++) {
    const struct kept *k = &kept[i];
    if (k->size >= 0 &&
        (ftruncate(k->fd, k->size) != 0 || pwrite(k->fd, k->content, (size_t)k->size, 0) != k->size))
      give_up("an open file cannot be brought back");
    if (lseek(k->fd, k->at, SEEK_SET) < 0) give_up("a place in an open file cannot be brought back");
  }
}

/* Does something to each name in a folder; 0 if there is no such folder. */
static int each_name(const char *folder, void (*what)(int folder, const char *name, const char *other),
                     const char *other) {
  DIR *d = opendir(folder);
  if (!d) return 0;
  for (struct dirent *e; (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) what(dirfd(d), e->d_name, other);
  closedir(d);
  return 1;
}

static const char held[] = ".held"; /* keeps a folder from being removed */

static void link_to(int folder, const char *name, const char *other) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", other, name);
  if (linkat(folder, name, AT_FDCWD, path, 0) != 0) give_up("a name cannot be kept");
}

static void move_to(int folder, const char *name, const char *other) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", other, name);
  if (renameat(folder, name, AT_FDCWD, path) != 0) give_up("a name cannot be brought back");
}

static void drop(int folder, const char *name, const char *other) {
  (void)other;
  unlinkat(folder, name, 0);
}

/* ------------------------------------------------------------------ each allocation */

/* Forks a process whose present allocation fails. Returns 1 in that. */
static int fork_at(long n, int on) {
  const char *folder = getenv("FAIL_FOLDER"), *keep = getenv("FAIL_KEEP");
  char path[300], text[80];
  keep_files();
  int there = each_name(folder, link_to, keep);
  if (there) {
    snprintf(path, sizeof path, "%s/%s", folder, held);
    close(open(path, O_CREAT | O_WRONLY, 0666));
  }
  pid_t made = fork();
  if (made < 0) give_up("no process can be made");
  if (made == 0) {
    alarm(LONGEST);
    fail_at = n;
    fail_on = on;
    close(each_out);
    close(each_in);
    return 1;
  }
  int status;
  while (waitpid(made, &status, 0) < 0)
    if (errno != EINTR) give_up("a process is lost");
  if (there) unlink(path);
  int length = snprintf(text, sizeof text, "%ld %d %d\n", n, on, status);
  if (write(each_out, text, (size_t)length) != length || read(each_in, text, 1) != 1)
    give_up("nobody listens");
  bring_back_files();
  if (each_name(folder, drop, NULL) && !there) rmdir(folder);
  each_name(keep, move_to, folder);
  return 0;
}

/* Whether this process is one whose present allocation fails. */
static int fork_here(long n) {
  int error = errno, is = 0;
  busy = 1;
  for (int on = 0; on < 2 && !is; on++) is = fork_at(n, on);
  busy = 0;
  errno = error;
  return is;
}

static void __attribute__((constructor)) begin(void) {
  const char *at = getenv("FAIL_AT"), *each = getenv("FAIL_EACH");
  fail_on = getenv("FAIL_ON") != NULL;
  fail_at = at ? strtol(at, NULL, 10) : 0;
  if (each && sscanf(each, "%d %d", &each_out, &each_in) == 2) each_of = getpid();
}

static void __attribute__((destructor)) end(void) {
  char text[32];
  if (fail_at != 0 || (each_of && each_of != getpid())) return;
  snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  report(text);
}

/* The library that asks, and the innermost function on the way there whose name is known. */
static void name_caller(void *caller) {
  enum { DEPTH = 16 };
  Dl_info who;
  void *from[DEPTH];
  char text[600] = "? ?";
  busy = 1; /* it allocates by itself */
  int n = backtrace(from, DEPTH), i = 0;
  if (dladdr(caller, &who) && who.dli_fname) {
    const char *file = who.dli_fname;
    while (i < n && from[i] != caller) i++;
    while (i < n && (!dladdr(from[i], &who) || !who.dli_sname)) i++;
    snprintf(text, sizeof text, "%.400s %.160s", file, i < n ? who.dli_sname : "?");
  }
  busy = 0;
  report(text);
}

/* Whether the allocation that `caller` asks for fails. */
static int fails(void *caller) {
  if (fail_at < 0 || busy) return 0;
  long n = atomic_fetch_add(&count, 1) + 1;
  if (fail_at == 0 && each_of && each_of == getpid() && !fork_here(n)) return 0;
  if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_on)) return 0;
  name_caller(caller);
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
