/* result_open.c - see result_open.h.
 *
 * HDF5 follows what a file says deep into its own structures, and damaged or crafted files make it crash or loop; that
 * is its nature, and not to be mended here. The child sends what it has read as plain bytes (cps_result_pack). */
#include "result_open.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first byte that the child sends. */
enum { SENDS_RESULT = 'r', SENDS_ERROR = 'e' };

#define MEMORY_LEAST 2e9 /* [bytes] */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED)
#define SANITIZED 0
#endif

static void limit(int what, double most) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0) return;
  if (now.rlim_max == RLIM_INFINITY || (double)now.rlim_max > most)
    now.rlim_cur = now.rlim_max = (rlim_t)most;
  setrlimit(what, &now);
}

/* Of processor time, after which it ends by SIGXCPU, which nobody else sends, or else a second later. */
static void limit_time(double seconds) {
  struct rlimit now;
  limit(RLIMIT_CPU, seconds + 1);
  if (getrlimit(RLIMIT_CPU, &now) != 0 || (double)now.rlim_cur <= seconds) return;
  now.rlim_cur = (rlim_t)seconds;
  setrlimit(RLIMIT_CPU, &now);
}

static double seconds_for(const char *path) {
  char whole[4096];
  struct stat info;
  double seconds;
  const char *told = getenv("CAPSTAN_READ_SECONDS");
  if (told && read_number(told, &seconds) && seconds >= 1) return seconds;
  snprintf(whole, sizeof whole, "%s/result.h5", path);
  if (stat(whole, &info) != 0 && stat(path, &info) != 0) return 10;
  /* what is on the disk counts: a file with holes may have any size */
  return 10 + fmin((double)info.st_size, 512.0 * (double)info.st_blocks) / 4e6;
}

/* How much memory a result may take, in either process [bytes]. */
static double memory_for_result(void) {
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
  return memory > MEMORY_LEAST ? memory : MEMORY_LEAST;
}

/* What the child may use from here on. */
static void confine(double seconds) {
  limit(RLIMIT_CORE, 0);
  limit_time(seconds);
  limit(RLIMIT_FSIZE, 0);
#if defined(RLIMIT_NPROC)
  limit(RLIMIT_NPROC, 0);
#endif
  /* the sanitizers reserve more addresses than any machine has memory */
  if (!SANITIZED) limit(RLIMIT_AS, memory_for_result());
  int next = dup(STDERR_FILENO); /* the file to be read gets this number, and none is left for another */
  if (next < 0) return;
  close(next);
  limit(RLIMIT_NOFILE, next + 1);
}

static int put(void *to, const void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t n = write(*(int *)to, (const char *)bytes + at, size - at);
    if (n > 0)
      at += (size_t)n;
    else if (n == 0 || errno != EINTR)
      return 0;
  }
  return 1;
}

static int get(void *from, void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    ssize_t n = read(*(int *)from, (char *)bytes + at, size - at);
    if (n > 0)
      at += (size_t)n;
    else if (n == 0 || errno != EINTR)
      return 0;
  }
  return 1;
}

/* The child: never returns. */
static void read_and_send(const char *path, int to, double seconds) {
  static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU};
  cps_error error;
  memset(&error, 0, sizeof error);
  for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) signal(ours[i], SIG_DFL);
  confine(seconds);
  cps_result *r = cps_result_load(path, &error);
  char kind = r ? SENDS_RESULT : SENDS_ERROR;
  int good = put(&to, &kind, 1) && (r ? cps_result_pack(r, put, &to) : put(&to, &error, sizeof error));
  _exit(good ? 0 : 1);
}

/* Why the child has not sent all that it should have. */
static void explain(const char *path, int status, double seconds, cps_error *err) {
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  *err = (cps_error){.status = CPS_IO};
  if (number == SIGKILL)
    snprintf(err->text, sizeof err->text,
             "cannot read '%s': the process that read it was killed by somebody, or by a system that has run "
             "out of "
             "memory",
             path);
  else if (number == SIGXCPU)
    snprintf(
        err->text, sizeof err->text,
        "cannot read '%s': that takes more than %.0f s, so it is damaged (CAPSTAN_READ_SECONDS allows more)",
        path, seconds);
  else if (number)
    snprintf(
        err->text, sizeof err->text,
        "cannot read '%s': it is damaged, or made to do harm: the process that read it has died of signal %d",
        path, number);
  else
    snprintf(err->text, sizeof err->text,
             "cannot read '%s': it is damaged, or there is not enough memory for it", path);
}

cps_result *result_open(const char *path, cps_error *err) {
  int ends[2];
  cps_error ignored;
  if (!err) err = &ignored;
  double seconds = seconds_for(path);
  fflush(stdout);
  fflush(stderr);
  pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    *err = (cps_error){.status = CPS_IO};
    snprintf(err->text, sizeof err->text, "cannot start a process to read '%s': %s", path, strerror(errno));
    return NULL;
  }
  if (child == 0) {
    close(ends[0]);
    read_and_send(path, ends[1], seconds);
  }
  close(ends[1]);
  char kind = 0;
  int heard = get(&ends[0], &kind, 1), told = 0, status = 0;
  cps_result *r = heard && kind == SENDS_RESULT ? cps_result_unpack(get, &ends[0], memory_for_result())
                                                : NULL;
  if (heard && kind == SENDS_ERROR && get(&ends[0], err, sizeof *err)) {
    told = 1;
    err->key[sizeof err->key - 1] = err->text[sizeof err->text - 1] = 0;
  }
  close(ends[0]);
  int killed = !r && !told && heard && kill(child, SIGKILL) == 0; /* whatever it still does */
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!r && !told)
    explain(path, killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : status, seconds, err);
  return r;
}
