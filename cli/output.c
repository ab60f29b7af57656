/* output.c - the files that commands write: see cli.h, and cps_output_open in capstan.h.
 *
 * What is being written is in a list, so that a command that ends early, or is told to by a signal, leaves no part of a
 * file behind. */
#include "cli.h"

#include "capstan.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct pending {
  struct pending *next;
  FILE *file;
  cps_output_file target;
} pending;

static pending *volatile first;
static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDS = sizeof ends / sizeof ends[0] };

static void remove_parts(void) {
  for (const pending *p = first; p; p = p->next)
    if (*p->target.part) unlink(p->target.part);
}

/* A signal that ends the program: first the parts go, then it ends as the signal wants. */
static void give_up(int number) {
  remove_parts();
  signal(number, SIG_DFL);
  raise(number);
}

/* Only where nobody else wants to know of the signal, and nobody wants it to be ignored. */
static void watch_signals(void) {
  static int watching;
  if (!watching) {
    atexit(remove_parts);
    before_out_of_memory(remove_parts);
  }
  watching = 1;
  for (int i = 0; i < N_ENDS; i++) {
    struct sigaction now;
    if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) signal(ends[i], give_up);
  }
}

/* While the list changes, and between a part that is made and the list that knows it, signals wait. */
static void hold_signals(sigset_t *before) {
  sigset_t held;
  sigemptyset(&held);
  for (int i = 0; i < N_ENDS; i++) sigaddset(&held, ends[i]);
  sigprocmask(SIG_BLOCK, &held, before);
}

static void link_in(pending *p, int in) {
  sigset_t before;
  hold_signals(&before);
  if (in) {
    p->next = first;
    first = p;
  } else if (first == p) {
    first = p->next;
  } else {
    pending *q = first;
    while (q->next != p) q = q->next;
    q->next = p->next;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static pending *find(FILE *file) {
  pending *p = first;
  while (p && p->file != file) p = p->next;
  return p;
}

/* Makes the part and a stream for it, and takes it into the list; 0 with a reason if that fails. */
static int open_pending(pending *p, const char *path, cps_output_where kind) {
  if (!cps_output_open(&p->target, path, kind)) return 0;
  /* the stream has a descriptor of its own: closing it leaves the other for the disk to be waited for */
  int own = dup(p->target.descriptor);
  p->file = own >= 0 ? fdopen(own, "w") : NULL;
  if (p->file) {
    link_in(p, 1);
    return 1;
  }
  snprintf(p->target.reason, sizeof p->target.reason, "%s", strerror(errno));
  if (own >= 0) close(own);
  cps_output_discard(&p->target);
  return 0;
}

/* Whether opening does not wait for somebody at the other end, so that signals may wait for it. */
static int opens_at_once(const char *path) {
  struct stat found;
  return stat(path, &found) != 0 || S_ISREG(found.st_mode);
}

static FILE *open_at(const char *where, const char *path, cps_output_where kind) {
  pending *p = (pending *)grow(NULL, 1, sizeof *p);
  sigset_t before;
  int holds = opens_at_once(path);
  memset(p, 0, sizeof *p);
  watch_signals();
  if (holds) hold_signals(&before);
  int good = open_pending(p, path, kind);
  if (holds) sigprocmask(SIG_SETMASK, &before, NULL);
  if (good) return p->file;
  complain(where, "cannot write '%s': %s", path, p->target.reason);
  free(p);
  return NULL;
}

FILE *open_output(const char *where, const char *path) {
  return strcmp(path, "-") == 0 ? stdout : open_at(where, path, CPS_OUTPUT_NAMED);
}

FILE *open_output_inside(const char *where, const char *path) {
  return open_at(where, path, CPS_OUTPUT_INSIDE);
}
FILE *open_output_copy(const char *where, const char *path) { return open_at(where, path, CPS_OUTPUT_COPY); }

static int open_folder_at(const char *where, const char *path, cps_output_where kind) {
  cps_output_file made;
  if (cps_folder_make(&made, path, kind)) return 1;
  complain(where, "cannot make the folder '%s': %s", *made.path ? made.path : path, made.reason);
  return 0;
}

int open_folder(const char *where, const char *path) { return open_folder_at(where, path, CPS_OUTPUT_NAMED); }
int open_folder_inside(const char *where, const char *path) {
  return open_folder_at(where, path, CPS_OUTPUT_INSIDE);
}

static int not_all(const char *where, const char *path, const char *reason) {
  complain(where, "could not write all of %s: %s", path, reason);
  return STATUS_IO;
}

int flush_output(const char *where, const char *path, FILE *file) {
  pending *p = find(file);
  errno = 0;
  int bad = fflush(file) != 0 || ferror(file);
  /* An earlier write has failed, and why is forgotten: another one, to what is not kept, says it again. */
  if (bad && !errno && p && write(fileno(file), "", 1) >= 0) errno = 0;
  if (!bad && p && *p->target.part && !p->target.copy)
    bad = fdatasync(fileno(file)) != 0 && errno != EINVAL && errno != ENOTSUP;
  return bad ? not_all(where, file == stdout ? "standard output" : path,
                       errno ? strerror(errno) : "write error")
             : STATUS_GOOD;
}

int close_output(const char *where, const char *path, FILE *file) {
  int status = flush_output(where, path, file);
  pending *p = find(file);
  if (!p) return status;
  if (fclose(file) != 0 && status == STATUS_GOOD) status = not_all(where, path, strerror(errno));
  if (status != STATUS_GOOD)
    cps_output_discard(&p->target);
  else if (!cps_output_commit(&p->target))
    status = not_all(where, path, p->target.reason);
  link_in(p, 0);
  free(p);
  return status;
}

int output_is_file(FILE *file) {
  const pending *p = find(file);
  return p && *p->target.part;
}

void discard_output(FILE *file) {
  pending *p = find(file);
  if (!p) return;
  fclose(file);
  cps_output_discard(&p->target);
  link_in(p, 0);
  free(p);
}
