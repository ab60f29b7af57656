/* fit_solve.c - the minimum of a fit, by the method of Levenberg and Marquardt.
 *
 * Residuals r over their standard deviations, J = dr/dp. A step d minimises |J d + r|^2 + lambda |D d|^2, where D holds the
 * largest norms that the columns of J had (More 1978), so that units do not matter; lambda follows the gain ratio (Nielsen
 * 1999). Robust losses are squares with weights psi(r)/r that are found anew in each step. A parameter on a bound that would
 * go beyond stays there for the step, and what passes a bound is put on it.
 *
 * Standard deviations that are not given are those of the residuals: with one series they change nothing; with several, or a
 * robust loss, the minimum is sought again until they no longer change.
 */
#include "fit.h"
#include "least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12 };

/* Relative: cost, step; and how flat the bottom has to be. */
static const double cost_small = 1e-9, step_small = 1e-8;

typedef struct solve {
  cps_fit *fit;
  int n, n_free;
  int *free;     /* [n] which parameters may move in this step */
  double *d;     /* [n] scales */
  double *g;     /* [n] gradient */
  double *step;  /* [n] */
  double *p;     /* [n] trial values */
  double *j;     /* [m][n] weighted copy, destroyed */
  double *b;     /* [m] */
  double *r, *c; /* [n][n], [n] reduced */
  double *s, *v, *x, *work;
  double lambda, grow;
} solve;

/* ------------------------------------------------------------------ losses */

loss_value cps_fit_weigh(cps_loss loss, double r) {
  const double huber = 1.345, cauchy = 2.385; /* 95 % as efficient as squares where there are no outliers */
  double size = fabs(r);
  if (loss == CPS_LOSS_HUBER && size > huber)
    return (loss_value){huber * (size - huber / 2), r < 0 ? -huber : huber, 0};
  if (loss == CPS_LOSS_CAUCHY) {
    double q = r / cauchy, w = 1 / (1 + q * q);
    return (loss_value){cauchy * cauchy / 2 * log1p(q * q), r * w, (1 - q * q) * w * w};
  }
  return (loss_value){r * r / 2, r, 1};
}

static double cost_of(const cps_fit *fit, const double *raw) {
  double sum = 0;
  for (long i = 0; i < fit->m; i++) sum += cps_fit_weigh(fit->loss, raw[i] / fit->sigma[i]).rho;
  return sum;
}

/* ------------------------------------------------------------------ scales */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The size of residuals: by squares, or by their median where some may be outliers. */
static double size_of(const cps_fit *fit, const double *r, long n, double *room) {
  double sum = 0;
  if (fit->loss != CPS_LOSS_NONE) {
    for (long i = 0; i < n; i++) room[i] = fabs(r[i]);
    qsort(room, (size_t)n, sizeof *room, compare);
    return 1.4826 * (n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2);
  }
  for (long i = 0; i < n; i++) sum += r[i] * r[i];
  /* each series pays its share of the freedom that the parameters took */
  return sqrt(sum / ((double)n * (1 - (double)fit->n / (double)fit->m)));
}

static double spread_of(const fit_series *s) {
  double mean = 0, sum = 0;
  for (long i = 0; i < s->n; i++) mean += s->value[i] / (double)s->n;
  for (long i = 0; i < s->n; i++) sum += (s->value[i] - mean) * (s->value[i] - mean);
  double spread = sqrt(sum / (double)s->n);
  return spread > 0 ? spread : fabs(mean) > 0 ? fabs(mean) : 1;
}

/* Standard deviations that are not given, from the residuals; 1 if any has changed by much. */
static int find_scales(cps_fit *fit) {
  int changed = 0;
  long at = 0;
  for (int i = 0; i < fit->n_sets; i++) {
    for (int k = 0; k < fit->sets[i].n_series; at += fit->sets[i].series[k++].n) {
      fit_series *s = &fit->sets[i].series[k];
      double *sigma = fit->sigma + at;
      if (s->given) {
        memcpy(sigma, s->given, (size_t)s->n * sizeof *sigma);
        continue;
      }
      /* data without noise are known to some digits only, too */
      double size = fmax(size_of(fit, fit->raw + at, s->n, fit->trial), 1e-9 * spread_of(s));
      changed |= fabs(size - s->sigma) > 0.01 * size;
      s->sigma = size;
      for (long j = 0; j < s->n; j++) sigma[j] = size;
    }
  }
  return changed;
}

/* ------------------------------------------------------------------ a step */

/* Weighs residuals and derivatives, and reduces them to what the free parameters see. */
static void linearise(solve *s, int first) {
  cps_fit *fit = s->fit;
  int n = s->n;
  for (int k = 0; k < n; k++) s->g[k] = 0;
  for (long i = 0; i < fit->m; i++) {
    double r = fit->raw[i] / fit->sigma[i];
    loss_value l = cps_fit_weigh(fit->loss, r);
    double w = r != 0 ? sqrt(l.psi / r) : 1, by = w / fit->sigma[i];
    s->b[i] = w * r;
    for (int k = 0; k < n; k++) {
      s->j[i * n + k] = by * fit->raw_j[i * n + k];
      s->g[k] += s->j[i * n + k] * s->b[i];
    }
  }
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (long i = 0; i < fit->m; i++) norm = hypot(norm, s->j[i * n + k]);
    s->d[k] = first ? norm : fmax(s->d[k], norm);
    if (s->d[k] == 0) s->d[k] = 1;
  }
  s->n_free = 0;
  for (int k = 0; k < n; k++) {
    double x = fit->q[k].value;
    int out = (x <= fit->min[k] && s->g[k] > 0) || (x >= fit->max[k] && s->g[k] < 0);
    if (!out) s->free[s->n_free++] = k;
  }
  /* pack the columns of those that are free */
  int f = s->n_free;
  for (long i = 0; i < fit->m; i++)
    for (int k = 0; k < f; k++) s->j[i * f + k] = s->j[i * n + s->free[k]] / s->d[s->free[k]];
  cps_least_reduce(s->j, s->b, fit->m, f, s->r, s->c);
  cps_least_svd(s->r, f, s->s, s->v);
}

/* Where a step with this lambda leads, and by how much the linear model says that the cost falls. */
static double try_step(solve *s) {
  cps_fit *fit = s->fit;
  int f = s->n_free;
  cps_least_damped(s->r, s->s, s->v, s->c, f, s->lambda, s->x, s->work);
  for (int k = 0; k < s->n; k++) {
    s->step[k] = 0;
    s->p[k] = fit->q[k].value;
  }
  for (int k = 0; k < f; k++) {
    int i = s->free[k];
    s->p[i] = fmin(fmax(fit->q[i].value - s->x[k] / s->d[i], fit->min[i]), fit->max[i]);
    s->step[i] = s->p[i] - fit->q[i].value;
    s->x[k] = s->step[i] * s->d[i];
  }
  /* |u diag(s) v' x|^2 / 2 + g x */
  double fall = 0;
  for (int k = 0; k < s->n; k++) fall -= s->g[k] * s->step[k];
  for (int j = 0; j < f; j++) {
    double dot = 0;
    for (int k = 0; k < f; k++) dot += s->v[k * f + j] * s->x[k];
    fall -= s->s[j] * s->s[j] * dot * dot / 2;
  }
  return fall;
}

static double step_size(const solve *s) {
  double step = 0, size = 0;
  for (int k = 0; k < s->n; k++) {
    step = hypot(step, s->d[k] * s->step[k]);
    size = hypot(size, s->d[k] * s->p[k]);
  }
  return size > 0 ? step / size : step;
}

static int tell(cps_fit *fit, const double *values) {
  fit->now_cost = fit->cost;
  if (!fit->progress) return 0;
  cps_fit_progress p = {fit->steps, fit->cost, values, NULL};
  if (fit->progress(&p, fit->progress_data)) fit->stopped = 1;
  return fit->stopped;
}

static cps_status stopped(cps_fit *fit, cps_error *err) {
  fit->reason = "it was stopped";
  return cps_error_set(err, CPS_FAILED, NULL, "stopped on request");
}

/* Goes to the trial point if the cost is less there: 1. 0: it is not. -1: the derivatives there cannot be had. */
static int accept(solve *s, double fall, double *gain, cps_error *err) {
  cps_fit *fit = s->fit;
  *gain = -1;
  /* where derivatives cost as much as many runs, look before */
  cps_status status = cps_fit_evaluate(fit, s->p, fit->trial, fit->differences ? NULL : s->j, err);
  if (status != CPS_OK) return 0;
  double cost = cost_of(fit, fit->trial);
  if (!(cost < fit->cost)) return 0;
  if (fit->differences && cps_fit_evaluate(fit, s->p, fit->trial, s->j, err) != CPS_OK)
    return fit->stopped ? 0 : -1;
  *gain = fall > 0 ? (fit->cost - cost) / fall : 0;
  memcpy(fit->raw, fit->trial, (size_t)fit->m * sizeof(double));
  memcpy(fit->raw_j, s->j, (size_t)fit->m * (size_t)s->n * sizeof(double));
  for (int k = 0; k < s->n; k++) fit->q[k].value = s->p[k];
  fit->cost = cost;
  return 1;
}

/* Steps until nothing is gained any more. */
static cps_status descend(solve *s, cps_error *err) {
  enum { TRIALS = 30 };
  cps_fit *fit = s->fit;
  for (int first = 1;; first = 0) {
    linearise(s, first);
    double top = s->n_free > 0 ? s->s[0] * s->s[0] : 0;
    if (first) s->lambda = 1e-3 * top;
    if (s->n_free == 0 || top == 0) {
      fit->converged = 1;
      fit->reason = s->n_free == 0 ? "all parameters are at their bounds"
                                   : "nothing depends on the parameters";
      return CPS_OK;
    }
    int moved = 0;
    for (int trial = 0; trial < TRIALS && !moved; trial++) {
      double before = fit->cost, fall = try_step(s), size = step_size(s), gain;
      if (size < step_small || fall <= 1e-14 * before) {
        fit->converged = 1;
        fit->reason = "steps have become small";
        return CPS_OK;
      }
      moved = accept(s, fall, &gain, err);
      if (fit->stopped) return stopped(fit, err);
      if (moved < 0) return CPS_FAILED;
      if (!moved) {
        s->lambda *= s->grow;
        s->grow *= 2;
        continue;
      }
      double turn = 2 * gain - 1;
      s->lambda *= fmax(1.0 / 3, 1 - turn * turn * turn);
      s->grow = 2;
      fit->steps++;
      if (tell(fit, s->p)) return stopped(fit, err);
      if (before - fit->cost < cost_small * before && fall < cost_small * before) {
        fit->converged = 1;
        fit->reason = "the residuals no longer fall";
        return CPS_OK;
      }
    }
    if (!moved) {
      fit->converged = 0;
      fit->reason = "no step makes the residuals smaller";
      return CPS_OK;
    }
    if (fit->steps >= fit->limit) {
      fit->converged = 0;
      fit->reason = "the number of steps is used up";
      return CPS_OK;
    }
  }
}

/* ------------------------------------------------------------------ the whole */

static int make(solve *s, cps_fit *fit) {
  size_t n = (size_t)fit->n, m = (size_t)fit->m;
  s->fit = fit;
  s->n = fit->n;
  s->grow = 2;
  s->free = calloc(n, sizeof(int));
  double **small[] = {&s->d, &s->g, &s->step, &s->p, &s->c, &s->s, &s->x, &s->work};
  int good = s->free != NULL;
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    *small[i] = calloc(n, sizeof(double));
    good = good && *small[i];
  }
  s->j = calloc(m * n, sizeof(double));
  s->b = calloc(m, sizeof(double));
  s->r = calloc(n * n, sizeof(double));
  s->v = calloc(n * n, sizeof(double));
  return good && s->j && s->b && s->r && s->v;
}

static void unmake(solve *s) {
  double *all[] = {s->d, s->g, s->step, s->p, s->c, s->s, s->x, s->work, s->j, s->b, s->r, s->v};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  free(s->free);
}

cps_status cps_fit_minimise(cps_fit *fit, cps_error *err) {
  solve s = {0};
  if (!make(&s, fit)) {
    unmake(&s);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %ld residuals", fit->m);
  }
  cps_status status = cps_fit_evaluate(fit, fit->start, fit->raw, fit->raw_j, err);
  if (status == CPS_OK) {
    memcpy(fit->raw_from, fit->raw, (size_t)fit->m * sizeof(double));
    find_scales(fit);
    fit->cost = cost_of(fit, fit->raw);
    int series = 0;
    for (int i = 0; i < fit->n_sets; i++) series += fit->sets[i].n_series;
    int again = fit->loss != CPS_LOSS_NONE || series > 1;
    if (tell(fit, fit->start)) status = stopped(fit, err);
    for (int round = 0; round < ROUNDS && status == CPS_OK; round++) {
      status = descend(&s, err);
      if (status != CPS_OK) break;
      int changed = find_scales(fit);
      fit->cost = cost_of(fit, fit->raw);
      if (!changed || !again || fit->steps >= fit->limit) break;
      s.grow = 2;
    }
  }
  if (status != CPS_OK && fit->stopped) find_scales(fit);
  fit->cost = cost_of(fit, fit->raw);
  fit->cost_before = cost_of(fit, fit->raw_from);
  unmake(&s);
  return status;
}
