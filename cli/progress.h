/* progress.h - how a run is getting on: a bar on a terminal, a line now and then elsewhere; and Ctrl-C. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "capstan.h"
#include "term.h"

typedef struct progress {
  FILE *out;
  term screen;
  int terminal;   /* a bar that is drawn over and over; else lines */
  int quiet;      /* nothing at all */
  double started; /* seconds, see seconds_now */
  double shown;   /* when something was last shown */
  int visible;    /* a bar stands on the line now */
  double from;    /* simulated time when it was first asked; NaN before */
  double began;   /* when that was; of several runs, in the present one */
  double last;    /* simulated time when it was last asked */
  int warned;     /* it was said that this run would take too long */
} progress;

/* Starts the clock, and lets Ctrl-C stop the run in good order; a second Ctrl-C ends the program. */
void progress_start(progress *p, FILE *out, int quiet);

/* For cps_simulation_run: `data` is the progress. Nonzero once the user has asked to stop. */
int progress_show(const cps_progress *now, void *data);

/* For cps_scenario_on_wait: nonzero once the user has asked to stop; says what holds things up where one step, or the search for an
 * equilibrium, takes more than 10 s (CAPSTAN_PATIENCE), and again where it takes much longer. */
int progress_wait(const cps_wait *now, void *data);

/* For other things than a run: whether it is time to show something again; and a line with a bar before it on a terminal. The line
 * is cut where it does not fit. */
int progress_due(progress *p);
void progress_draw(progress *p, const char *where, double fraction, char *line);

/* Removes the bar, so that something else can be printed. */
void progress_clear(progress *p);

/* Removes the bar, and gives Ctrl-C back its meaning. */
void progress_end(progress *p);

/* Whether the user has asked to stop. */
int progress_stopped(void);

/* Seconds since some fixed moment. */
double seconds_now(void);

/* A time span for people: "1.2 ms", "3.4 s", "5 min 12 s", "2 h 3 min". */
void span_text(char *text, size_t size, double seconds);

#endif
