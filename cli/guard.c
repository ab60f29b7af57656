/* guard.c - see guard.h. What runs after a crash calls nothing but write, unlink and _exit: the heap may be in pieces. */
#include "guard.h"
#include "capstan.h"
#include "cli.h"
#include "result_files.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
enum { N_CRASHES = sizeof crashes / sizeof crashes[0] };

static struct {
  volatile sig_atomic_t inside, leaving;
  int used, status;     /* once; and, if leaving, with which the process ends */
  int taken[N_CRASHES]; /* signals that are ours meanwhile */
  char words[3 * FOLDER_ROOM], part[FOLDER_ROOM + 8];
} guard;

static _Noreturn void give_up(void) {
  if (guard.leaving) _exit(guard.status);
  guard.inside = 0;
  if (write(STDERR_FILENO, guard.words, strlen(guard.words)) < 0) guard.inside = 0; /* nobody listens */
  unlink(guard.part);
  _exit(STATUS_IO);
}

static void on_crash(int number) {
  if (guard.inside || guard.leaving) give_up();
  signal(number, SIG_DFL);
  raise(number);
}

static void on_exit_inside(void) {
  if (guard.inside) give_up();
}

/* HDF5 may also have called itself until the stack was full: handlers have their own. */
static void take_signals(void) {
  static _Alignas(16) char room[65536];
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&stack, NULL);
  for (int i = 0; i < N_CRASHES; i++) {
    struct sigaction before, ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = on_crash;
    ours.sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
    guard.taken[i] = sigaction(crashes[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
                     before.sa_handler == SIG_DFL && sigaction(crashes[i], &ours, NULL) == 0;
  }
}

void guard_begin(const char *where, const char *file, const char *folder) {
  static int registered;
  if (!registered) registered = atexit(on_exit_inside) == 0;
  snprintf(guard.part, sizeof guard.part, "%s.part", file);
  int n = snprintf(
      guard.words, sizeof guard.words,
      "capstan %s: HDF5 has crashed while it wrote '%s', as it does when it is refused memory: out "
      "of memory%s%s%s",
      where, file, folder ? "\ncapstan run: to go on: capstan run --resume " : "", folder ? folder : "",
      "\n");
  cps_plain_text(guard.words, 1);
  if (n < 0 || n >= (int)sizeof guard.words) snprintf(guard.words, sizeof guard.words, "out of memory\n");
  take_signals();
  guard.used = 1;
  guard.inside = 1;
}

void guard_end(void) {
  guard.inside = 0;
  for (int i = 0; i < N_CRASHES; i++)
    if (guard.taken[i]) signal(crashes[i], SIG_DFL);
}

int guard_leave(int status) {
  if (!guard.used) return status;
  fflush(NULL);
  guard.status = status;
  guard.leaving = 1;
  take_signals();
  return status;
}
