/* reproduce.h - published numbers beside our own: studies, the rows they give and the figures they redraw.
 *
 * A study belongs to one id, such as "quinn.chain". Most of its rows stand in a table of items: which
 * scenario file, with which settings, what is measured, and what it is compared with. Rows that need several
 * runs are added by the study's own function. Every number comes from running a file in scenarios/; a run
 * that two rows need is made once.
 */
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include "capstan.h"
#include "chart.h"

#include <math.h>

/* ---------------------------------------------------------------- runs */

/* A run of a scenario file with settings. If it failed, `result` may be NULL and `error` says why. */
typedef struct trial {
  char *file, *settings;
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  int complete;
  char error[600];
} trial;

/* ---------------------------------------------------------------- rows */

/* How a computed value is compared with what is expected. */
typedef enum comparison {
  RELATIVE, /* |computed - expected| <= tolerance |expected| */
  ABSOLUTE, /* |computed - expected| <= tolerance */
  AT_LEAST, /* computed >= expected */
  AT_MOST   /* computed <= expected */
} comparison;

typedef struct row {
  const char *id, *paper;
  char item[160];
  double published, reference, computed; /* NaN if not known */
  const char *unit;
  comparison by;
  double tolerance;
  const char *source; /* of the reference; NULL if there is none */
  const char *note;   /* NULL if there is nothing to say */
  char error[200];    /* of the run, "" if it was good */
  int ok;
} row;

/* A picture for the documentation. */
typedef struct drawing {
  const char *id;
  char name[64]; /* of the file, without its ending */
  const char *caption;
  figure figure;
} drawing;

typedef struct study study;

typedef struct reproduction {
  const char *scenarios; /* folder given by the user, NULL to look for it */
  int draws;             /* whether figures are wanted */
  const study *now;
  int n_rows, room_rows;
  row *rows;
  int n_drawings, room_drawings;
  drawing *drawings;
  int n_trials, room_trials;
  trial **trials; /* of the study at hand */
} reproduction;

/* A measured value of a run: of a column or contact, at a time or number. NaN if it is not there. */
typedef double (*measure)(const trial *t, const char *name, double at);

/* A row that one run gives. */
typedef struct item {
  const char *text;
  const char *file, *settings; /* settings are separated by "; " */
  measure how;
  const char *name;
  double at;
  double published, reference;
  const char *unit;
  comparison by;
  double tolerance;
  const char *source, *note;
} item;

struct study {
  const char *id, *paper, *title;
  const char *about; /* a paragraph of Markdown */
  int n_items;
  const item *items;
  void (*more)(reproduction *r); /* further rows and figures; NULL if there are none */
};

/* The studies of each paper, as tables that end with an id of NULL. */
extern const study quinn_studies[], schuderer_studies[], verulkar_studies[], westin_studies[],
    lugris_studies[];

/* Where references come from. */
extern const char source_events[], source_closed[], source_run[];

/* ---------------------------------------------------------------- for the studies */

/* Runs a scenario file, or finds the run in the store; settings are formatted as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
const trial *
trial_run(reproduction *r, const char *file, const char *settings, ...);

/* Whether the scenario files are where they are looked for. */
int scenarios_found(const reproduction *r);

/* Forgets all runs. */
void trials_free(reproduction *r);

/* Adds a row, and decides whether it is ok; the trial (or NULL) says why a value is not there. Returns the
 * row, good until the next is added. */
row *add_row(reproduction *r, const row *like, const trial *t);

/* A figure for the documentation; NULL if none are wanted. Good until the next is added. */
figure *add_drawing(reproduction *r, const char *name, const char *title, const char *caption);

/* Measures. `at` is a time for value_at, a number from 1 for the others. */
double value_end(const trial *t, const char *column, double at);
double value_at(const trial *t, const char *column, double at);
double value_least(const trial *t, const char *column, double at);
double value_most(const trial *t, const char *column, double at);
double value_largest(const trial *t, const char *column, double at); /* of the magnitude */
double cycle_change(const trial *t, const char *column, double at);  /* from row at - 1 to row at */
double event_time(const trial *t, const char *contact, double at);   /* contact NULL: of any */
double event_moment(const trial *t, const char *contact, double at); /* simultaneous ones count once */
double event_count(const trial *t, const char *contact, double at);

/* A column as data, with the number of rows; NULL if it is not there. */
const double *column_of(const trial *t, const char *column, long *rows);

/* Adds column y over column x to a series, for times from..to, thinned where there are more points than can
 * be seen. */
void draw_columns(series *s, const trial *t, const char *x, const char *y, double from, double to);

/* Slope of log y over log x by least squares. */
double slope(int n, const double *x, const double *y);

#endif
