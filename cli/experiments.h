/* experiments.h - the standard experiments on friction laws, each with a check against something known.
 *
 * An experiment drives a law along a motion (drive.h) or simulates a block on a surface with it, and gives curves and a few numbers.
 * Its check does the same with a law whose answer is a closed form. Adding one is a function, its check, and a row of the table. */
#ifndef EXPERIMENTS_H
#define EXPERIMENTS_H

#include "capstan.h"
#include "chart.h"

/* What can be chosen; every experiment reads what it needs. */
typedef struct bench {
  double load; /* normal force [N] */
  double mass; /* of the block [kg] */
  double rate; /* slowest and fastest of the load, over the static force [1/s] */
  double rate_most;
  double amplitude; /* of presliding, over the length of the law's deflection */
  double frequency; /* [Hz] */
  double cycles;
  double dwell, dwell_most; /* shortest and longest rest [s] */
  double stiffness;         /* of the spring [N/m] */
  double damping;           /* ratio of the spring's damping to the critical one */
  double width;             /* of the pulse [s] */
  double push;              /* load over the static force */
  int every_step;           /* record each step of the solver instead of a grid */
} bench;

/* The table of what can be chosen: name, unit, meaning, default, and where it is. */
typedef struct bench_row {
  const char *name, *unit, *meaning;
  double value;
  size_t where;
} bench_row;

extern const bench_row bench_rows[];
extern const int n_bench_rows;

/* A law with its parameters. */
typedef struct subject {
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
} subject;

enum { MEASURES = 3, WHY = 300 };

/* What an experiment found about a law. */
typedef struct finding {
  double value[MEASURES]; /* in the order of the experiment's measures; NaN: none */
  char why[WHY];          /* why there is nothing; "" if there is */
} finding;

typedef struct check {
  char what[160];
  double expected, found, tolerance; /* relative, or absolute where 0 is expected */
  const char *unit;
} check;

int check_holds(const check *c);

typedef struct experiment {
  const char *name, *title, *text;
  struct {
    const char *name, *unit;
  } measure[MEASURES];
  /* Adds one series to each panel of the figure, which `frame` has made. */
  void (*frame)(figure *f);
  void (*run)(const subject *s, const bench *b, figure *f, finding *out);
  void (*check)(const bench *b, check *out);
} experiment;

extern const experiment experiments[];
extern const int n_experiments;

#endif
