/* fit.h - identification: what fit.c (data and residuals), fit_solve.c (the minimum) and fit_stats.c (how well it is
 * known) share. */
#ifndef CPS_FIT_H
#define CPS_FIT_H

#include "pool.h"
#include "sens.h"
#include "warnings.h"

typedef struct fit_series {
  char column[COLUMN_NAME];
  char unit[64];
  double *time, *value; /* [n] without values that are NaN */
  double *given;        /* [n] standard deviations; NULL: not known */
  long *row;            /* [n] rows of the set's runs */
  long n;
  double sigma; /* of all of them, if none are given */
  double rms_before, rms_after;
} fit_series;

typedef struct fit_set {
  pool pool;              /* arrays of its series */
  cps_scenario *scenario; /* owned: with the settings of the set */
  cps_scenario *run;      /* owned: that ends where its data do */
  cps_sens *sens;         /* owned */
  fit_series *series;     /* owned */
  int n_series;
} fit_set;

struct cps_fit {
  pool pool, results; /* all arrays but sets, and those of residuals */
  const cps_scenario *scenario;
  int n;             /* parameters */
  cps_quantity *q;   /* [n] values are those found */
  double *start;     /* [n] */
  double *min, *max; /* [n] bounds */
  int *at_bound;     /* [n] */
  fit_set *sets;
  int n_sets;
  cps_loss loss;
  int limit;

  /* residuals: model less data */
  long m;
  double *raw;      /* [m] */
  double *raw_j;    /* [m][n] */
  double *sigma;    /* [m] */
  double *raw_from; /* [m] at the start */
  double *trial;    /* [m] */

  double cost_before, cost;
  double *covariance; /* [n][n] */
  double *singular;   /* [n] */
  int steps, converged, differences;
  long runs;
  long runs_done, most_steps; /* evaluations; and steps after which a run is given up, 0: never */
  double longest;             /* steps of the runs at the start */
  const char *reason;
  warning_list warnings;
  int (*progress)(const cps_fit_progress *, void *);
  void *progress_data;
  int stopped;
  double now_cost; /* for the progress of runs */
};

/* Residuals at some values of the parameters, and unless jacobian is NULL their derivatives. */
cps_status cps_fit_evaluate(cps_fit *fit, const double *values, double *raw, double *jacobian,
                            cps_error *err);

/* What a residual of so many standard deviations costs, and its first two derivatives. */
typedef struct loss_value {
  double rho, psi, psi_r;
} loss_value;
loss_value cps_fit_weigh(cps_loss loss, double r);

/* Minimises; then covariances, singular values and warnings. */
cps_status cps_fit_minimise(cps_fit *fit, cps_error *err);
cps_status cps_fit_judge(cps_fit *fit, cps_error *err);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cps_fit_warn(cps_fit *fit, const char *format, ...);

#endif
