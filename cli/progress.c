/* progress.c - see progress.h. */
#include "progress.h"
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_EVERY  0.1  /* [s] */
#define LINE_EVERY 3.0  /* [s] */
#define BAR_DELAY  0.3  /* a run that is over before that needs no bar [s] */
#define PATIENCE   10.0 /* after so long a run must have come somewhere [s]; CAPSTAN_PATIENCE */
#define AGAIN      6.0  /* what has been waited for longer by this factor is named again */
#define TOO_LONG   1e6  /* longer than is worth showing [s] */
#define BAR_MOST   24   /* [columns] */
#define BAR_LEAST  6
#define LINE_USUAL 72  /* columns that the text beside the bar needs */
#define WIDE       100 /* columns from which on there is room for more words */

static volatile sig_atomic_t asked_to_stop;
static progress *present; /* whose bar may stand on the line; NULL: none */

static void note_signal(int number) {
  (void)number;
  asked_to_stop = 1;
}

/* The handler is for one signal only, so that a second Ctrl-C works as always; but a terminal that goes away says so more than
 * once, by the system and by the shell. A signal that is ignored, as by nohup or in the background of a script, stays so. */
static void catch_signals(void (*handler)(int)) {
  static const int polite[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  for (size_t i = 0; i < sizeof polite / sizeof polite[0]; i++) {
    int hangup = polite[i] == SIGHUP;
    action.sa_handler = hangup && asked_to_stop ? note_signal : handler;
    action.sa_flags = hangup ? 0 : (int)SA_RESETHAND;
    if (sigaction(polite[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(polite[i], &action, NULL);
  }
}

int progress_stopped(void) { return asked_to_stop; }

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void span_text(char *text, size_t size, double seconds) {
  if (!isfinite(seconds) || seconds > 3.6e8) {
    snprintf(text, size, "very long");
  } else if (seconds < 60) {
    char rounded[40];
    double unit = seconds < 1e-3 ? 1e-6 : seconds < 1 ? 1e-3 : 1;
    snprintf(rounded, sizeof rounded, seconds / unit < 100 ? "%.2g" : "%.0f", seconds / unit);
    snprintf(text, size, "%s %s", rounded, seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s");
  } else {
    long s = lround(seconds);
    if (s < 3600)
      snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
    else
      snprintf(text, size, "%ld h %ld min", s / 3600, s / 60 % 60);
  }
}

void progress_start(progress *p, FILE *out, int quiet) {
  memset(p, 0, sizeof *p);
  p->out = out;
  p->screen = term_detect(out, 80);
  p->terminal = isatty(fileno(out)) != 0;
  p->quiet = quiet;
  p->started = seconds_now();
  present = p;
  p->from = NAN;
  p->shown = p->started + (p->terminal ? BAR_DELAY - BAR_EVERY : 0);
  asked_to_stop = 0;
  catch_signals(note_signal);
}

static void draw_bar(FILE *out, const term *screen, double fraction, int columns) {
  const char *full = screen->utf8 ? "\xE2\x96\x88" : "#", *empty = screen->utf8 ? "\xE2\x96\x91" : ".";
  int filled = (int)(fraction * columns + 0.5);
  for (int i = 0; i < columns; i++) fputs(i < filled ? full : empty, out);
  fputc(' ', out);
}

/* How fast simulated time passes: "12x real time". */
static void speed_text(char *text, size_t size, double speed, int wide) {
  char number[40] = "-";
  if (speed > 0 && isfinite(speed))
    snprintf(number, sizeof number, speed < 100 ? "%.2gx" : speed < 1e5 ? "%.0fx" : "%.1ex", speed);
  snprintf(text, size, "%s%s", number, wide ? " real time" : "");
}

/* Everything in one line; speed and time left count from when this run was taken up. */
static void progress_line(const progress *p, const cps_progress *now, double spent, char *line, size_t size) {
  double fraction = fmin(1, fmax(0, (now->time - now->from) / (now->until - now->from)));
  double speed = spent > 0 ? (now->time - p->from) / spent : 0;
  char left[40], step[40], fast[40], pace[90] = "";
  span_text(left, sizeof left, speed > 0 ? (now->until - now->time) / speed : INFINITY);
  quantity_text(step, sizeof step, now->step, "s");
  speed_text(fast, sizeof fast, speed, !p->terminal || p->screen.width >= WIDE);
  /* when it is first asked, nothing is known of that */
  if (speed > 0) snprintf(pace, sizeof pace, "%s, %s left, ", fast, left);
  snprintf(line, size, "%3.0f %%  %.5g of %.5g s, step %s, %s%d stick, %d slip", 100 * fraction, now->time,
           now->until, step, pace, now->sticking, now->slipping);
}

int progress_due(progress *p) {
  double clock = seconds_now();
  if (p->quiet || clock - p->shown < (p->terminal ? BAR_EVERY : LINE_EVERY)) return 0;
  p->shown = clock;
  return 1;
}

void progress_draw(progress *p, const char *where, double fraction, char *line) {
  if (!p->terminal) {
    fprintf(p->out, "capstan %s: %s\n", where, line + strspn(line, " "));
    fflush(p->out);
    return;
  }
  fputc('\r', p->out);
  int room = p->screen.width - 1, columns = room - LINE_USUAL;
  if (columns > BAR_MOST) columns = BAR_MOST;
  if (columns >= BAR_LEAST) {
    draw_bar(p->out, &p->screen, fraction, columns);
    room -= columns + 1;
  }
  /* What does not fit would wrap, and then stay on the screen. */
  while (term_columns(line) > room && *line) line[strlen(line) - 1] = 0;
  fprintf(p->out, "%s\033[K", line);
  fflush(p->out);
  p->visible = 1;
}

static double patience(void) {
  const char *told = getenv("CAPSTAN_PATIENCE");
  double seconds;
  return told && read_number(told, &seconds) && seconds > 0 ? seconds : PATIENCE;
}

/* As seconds_now, but where a cheaper clock will do. */
static double seconds_roughly(void) {
#ifdef CLOCK_MONOTONIC_COARSE
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0)
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
  return seconds_now();
}

int progress_wait(const cps_wait *now, void *data) {
  static struct {
    const char *doing;
    double time, since, next;
    long iterations;
  } last;
  (void)data;
  if (asked_to_stop) return 1;
  double clock = seconds_roughly();
  if (!last.doing || strcmp(last.doing, now->doing) != 0 || last.time != now->time) {
    last.doing = now->doing;
    last.time = now->time;
    last.since = clock;
    last.next = clock + patience();
    last.iterations = now->iterations;
  }
  if (clock < last.next) return 0;
  double spent = clock - last.since;
  last.next = last.since + AGAIN * spent;
  char text[40], made[80] = "";
  long iterations = now->iterations - last.iterations;
  span_text(text, sizeof text, spent);
  if (iterations > 0) snprintf(made, sizeof made, ", in %ld iterations of Newton's method", iterations);
  if (present) progress_clear(present);
  complain(
      NULL, "warning: %s at t = %.9g s has taken %s so far%s%s", now->doing, now->time, text, made,
      iterations < 100
          ? ": there are very many elements or bodies"
          : ": see the smallest masses, shortest elements, largest stiffnesses and dampings of the model");
  return 0;
}

/* Says once, of a run that comes nowhere, what holds it up. */
static void watch_pace(progress *p, const cps_progress *now, double spent) {
  double gone = now->time - p->from, left = now->until - now->time;
  if (p->warned || spent < patience() || gone > left * spent / TOO_LONG) return;
  char step[40], all[40];
  quantity_text(step, sizeof step, now->step, "s");
  span_text(all, sizeof all, gone > 0 ? left / gone * spent : INFINITY);
  progress_clear(p);
  complain("run",
           "warning: %.0f s have brought it to %.4g of %.4g s, in %ld steps, the last of %s: the rest would "
           "need about "
           "%.2g steps (%s). Steps are as short as the fastest thing in the model: see its smallest masses, "
           "shortest "
           "elements, largest stiffnesses and dampings, and run.step, run.output and run.tolerance",
           spent, now->time, now->until, now->steps, step, now->step > 0 ? left / now->step : INFINITY, all);
  p->warned = 1;
}

int progress_show(const cps_progress *now, void *data) {
  progress *p = (progress *)data;
  if (asked_to_stop) return 1;
  double clock = seconds_now();
  if (isnan(p->from) || now->time < p->last) { /* the first run, or another one */
    p->began = clock;
    p->from = now->time;
  }
  p->last = now->time;
  watch_pace(p, now, clock - p->began);
  if (!progress_due(p)) return 0;
  char line[200];
  progress_line(p, now, clock - p->began, line, sizeof line);
  progress_draw(p, "run", fmin(1, fmax(0, (now->time - now->from) / (now->until - now->from))), line);
  return 0;
}

void progress_clear(progress *p) {
  if (!p->visible) return;
  fputs("\r\033[K", p->out);
  fflush(p->out);
  p->visible = 0;
}

void progress_end(progress *p) {
  progress_clear(p);
  present = NULL;
  catch_signals(SIG_DFL);
}
