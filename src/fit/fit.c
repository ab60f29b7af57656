/* fit.c - identification: sets of data, and the residuals of a model that has some values of its parameters. */
#include "fit.h"

#include "document.h"
#include "parameter_paths.h"
#include "sens_result.h"

#include "units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ life */

cps_fit *cps_fit_new(const cps_scenario *scenario, const char *const *paths, int n, cps_error *err) {
  if (n < 1) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "there must be at least one parameter to find");
    return NULL;
  }
  cps_fit *fit = calloc(1, sizeof *fit);
  cps_error e = {0};
  if (!fit) goto no_memory;
  fit->scenario = scenario;
  fit->n = n;
  fit->limit = 50;
  pool *p = &fit->pool;
  POOL_ARRAY(p, fit->q, n);
  POOL_ARRAY(p, fit->start, n);
  POOL_ARRAY(p, fit->min, n);
  POOL_ARRAY(p, fit->max, n);
  POOL_ARRAY(p, fit->at_bound, n);
  POOL_ARRAY(p, fit->covariance, (size_t)n * (size_t)n);
  POOL_ARRAY(p, fit->singular, n);
  if (p->lost) goto no_memory;
  /* What cannot be differentiated by cannot be found either. */
  cps_sens *check = cps_sens_new(scenario, paths, n, NULL, 0, &e);
  if (!check) {
    if (err) *err = e;
    cps_fit_free(fit);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    const sens_parameter *of = cps_sens_range(check, i);
    fit->q[i] = of->q;
    fit->start[i] = of->q.value;
    double edge = 1e-9 * fmax(fabs(of->q.value), fabs(of->min) < 1e300 ? fabs(of->min) : 0);
    fit->min[i] = of->above ? of->min + (edge > 0 ? edge : 1e-300) : of->min;
    fit->max[i] = of->max;
    for (int j = 0; j < i; j++)
      if (strcmp(paths[i], paths[j]) == 0)
        cps_error_set(&e, CPS_BAD_INPUT, paths[i], "%s is there twice", paths[i]);
  }
  cps_sens_free(check);
  if (e.status == CPS_OK) return fit;
  if (err) *err = e;
  cps_fit_free(fit);
  return NULL;
no_memory:
  cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the fit");
  cps_fit_free(fit);
  return NULL;
}

static void free_set(fit_set *s) {
  cps_pool_free(&s->pool);
  free(s->series);
  cps_sens_free(s->sens);
  cps_scenario_free(s->run);
  cps_scenario_free(s->scenario);
}

static void drop_results(cps_fit *fit) {
  cps_pool_free(&fit->results);
  fit->raw = fit->raw_j = fit->sigma = fit->raw_from = fit->trial = NULL;
  cps_warnings_clear(&fit->warnings);
}

void cps_fit_free(cps_fit *fit) {
  if (!fit) return;
  drop_results(fit);
  for (int i = 0; i < fit->n_sets; i++) free_set(&fit->sets[i]);
  free(fit->sets);
  cps_pool_free(&fit->pool);
  free(fit);
}

void cps_fit_warn(cps_fit *fit, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(&fit->warnings, format, args);
  va_end(args);
}

/* ------------------------------------------------------------------ what to do */

cps_status cps_fit_bounds(cps_fit *fit, int i, double min, double max, cps_error *err) {
  if (i < 0 || i >= fit->n) return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no parameter %d", i);
  const char *path = fit->q[i].path;
  if (!(min < max))
    return cps_error_set(err, CPS_BAD_INPUT, path, "the bounds of %s are empty: %g is not less than %g", path,
                         min, max);
  if (max < fit->min[i] || min > fit->max[i])
    return cps_error_set(err, CPS_BAD_INPUT, path, "%s cannot lie between %g and %g", path, min, max);
  fit->min[i] = fmax(fit->min[i], min);
  fit->max[i] = fmin(fit->max[i], max);
  fit->start[i] = fmin(fmax(fit->start[i], fit->min[i]), fit->max[i]);
  return CPS_OK;
}

cps_status cps_fit_loss(cps_fit *fit, cps_loss loss) {
  if (loss != CPS_LOSS_NONE && loss != CPS_LOSS_HUBER && loss != CPS_LOSS_CAUCHY) return CPS_BAD_INPUT;
  fit->loss = loss;
  return CPS_OK;
}

cps_status cps_fit_limit(cps_fit *fit, int steps) {
  if (steps < 1) return CPS_BAD_INPUT;
  fit->limit = steps;
  return CPS_OK;
}

/* The first problem as an error. */
static cps_status first_problem(cps_problems *problems, cps_error *err) {
  const cps_error *first = problems && cps_problems_count(problems) ? cps_problems_at(problems, 0) : NULL;
  cps_status status = first ? first->status : CPS_NO_MEMORY;
  if (err && first) *err = *first;
  if (err && !first) cps_error_set(err, status, NULL, "out of memory for a scenario");
  cps_problems_free(problems);
  return status;
}

/* The scenario with more settings on top. */
static cps_scenario *on_top(const cps_scenario *s, const char *const *settings, int n, cps_error *err) {
  const char **all = calloc((size_t)(s->n_settings + n) + 1, sizeof *all);
  cps_problems *problems = NULL;
  cps_scenario *made = NULL;
  if (all) {
    for (int i = 0; i < s->n_settings; i++) all[i] = s->settings[i];
    for (int i = 0; i < n; i++) all[s->n_settings + i] = settings[i];
    made = cps_scenario_again(s, all, s->n_settings + n, NULL, 0, 0, &problems);
  }
  free((void *)all);
  if (!made) first_problem(problems, err);
  return made;
}

int cps_fit_add_set(cps_fit *fit, const char *const *settings, int n, cps_error *err) {
  cps_scenario *scenario = on_top(fit->scenario, settings, n, err);
  if (!scenario) return -1;
  fit_set *more = realloc(fit->sets, ((size_t)fit->n_sets + 1) * sizeof *more);
  if (!more) {
    cps_scenario_free(scenario);
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a set of data");
    return -1;
  }
  fit->sets = more;
  fit->sets[fit->n_sets] = (fit_set){.scenario = scenario};
  return fit->n_sets++;
}

/* Squares of larger values, and sums of them, are no numbers any more. */
#define VALUE_MOST 1e150

/* Copies what counts. */
static cps_status copy_series(fit_series *s, pool *p, const double *times, const double *values,
                              const double *sigma, long n, cps_error *err) {
  POOL_ARRAY(p, s->time, n);
  POOL_ARRAY(p, s->value, n);
  POOL_ARRAY(p, s->row, n);
  if (sigma) POOL_ARRAY(p, s->given, n);
  if (!s->time || !s->value || !s->row || (sigma && !s->given))
    return cps_error_set(err, CPS_NO_MEMORY, s->column, "out of memory for %ld values", n);
  for (long i = 0; i < n; i++) {
    if (i > 0 && !(times[i] > times[i - 1]))
      return cps_error_set(err, CPS_BAD_INPUT, s->column, "%s: the time %.9g s does not follow %.9g s",
                           s->column, times[i], times[i - 1]);
    if (isnan(values[i])) continue;
    if (fabs(values[i]) > VALUE_MOST)
      return cps_error_set(err, CPS_BAD_INPUT, s->column,
                           "%s: the value at %.9g s is %.3g; sums of squares hold at most %.0e each",
                           s->column, times[i], values[i], VALUE_MOST);
    if (sigma && !(sigma[i] > 0 && isfinite(sigma[i])))
      return cps_error_set(err, CPS_BAD_INPUT, s->column,
                           "%s: a standard deviation is greater than 0; that at %.9g s is %g", s->column,
                           times[i], sigma[i]);
    s->time[s->n] = times[i];
    s->value[s->n] = values[i];
    if (sigma) s->given[s->n] = sigma[i];
    s->n++;
  }
  if (s->n < 2)
    return cps_error_set(err, CPS_BAD_INPUT, s->column, "%s has fewer than two values", s->column);
  return CPS_OK;
}

cps_status cps_fit_add_series(cps_fit *fit, int set, const char *column, const double *times,
                              const double *values, const double *sigma, long n, cps_error *err) {
  if (set < 0 || set >= fit->n_sets)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no set of data %d", set);
  fit_set *d = &fit->sets[set];
  fit_series *more = realloc(d->series, ((size_t)d->n_series + 1) * sizeof *more);
  if (!more) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a series");
  d->series = more;
  fit_series *s = &d->series[d->n_series++];
  *s = (fit_series){.sigma = 1};
  if (!column || strlen(column) >= sizeof s->column)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "a series has the name of a column");
  snprintf(s->column, sizeof s->column, "%s", column);
  cps_status status = copy_series(s, &d->pool, times, values, sigma, n, err);
  const scenario_run *run = &d->scenario->run;
  if (status == CPS_OK && (s->time[0] < run->from || s->time[s->n - 1] > run->until * (1 + 1e-12)))
    status = cps_error_set(err, CPS_BAD_INPUT, column,
                           "%s was measured from %g s to %g s, but the run is from %g s to %g s", column,
                           s->time[0], s->time[s->n - 1], run->from, run->until);
  if (status == CPS_OK) return status;
  d->n_series--;
  return status;
}

/* ------------------------------------------------------------------ getting ready */

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The times of all series of a set, each once; and which row each value belongs to. */
static double *join_times(fit_set *d, long *n) {
  long all = 0, kept = 0;
  for (int i = 0; i < d->n_series; i++) all += d->series[i].n;
  double *t = malloc(((size_t)all + 1) * sizeof *t);
  if (!t) return NULL;
  for (int i = 0, at = 0; i < d->n_series; at += (int)d->series[i++].n)
    memcpy(t + at, d->series[i].time, (size_t)d->series[i].n * sizeof *t);
  qsort(t, (size_t)all, sizeof *t, compare_times);
  double until = d->scenario->run.until;
  for (long i = 0; i < all; i++) {
    double x = fmin(t[i], until);
    if (kept == 0 || x > t[kept - 1]) t[kept++] = x;
  }
  for (int i = 0; i < d->n_series; i++) {
    fit_series *s = &d->series[i];
    for (long k = 0, row = 0; k < s->n; k++) {
      while (row + 1 < kept && t[row] < s->time[k]) row++;
      s->row[k] = row;
    }
  }
  *n = kept;
  return t;
}

/* A run of a set that ends with its data and records what is needed. */
static cps_status prepare_set(cps_fit *fit, fit_set *d, cps_error *err) {
  long n;
  if (d->n_series == 0) return cps_error_set(err, CPS_BAD_INPUT, NULL, "a set of data has no series");
  double *times = join_times(d, &n);
  const char **paths = calloc((size_t)fit->n, sizeof *paths);
  cps_status status = CPS_NO_MEMORY;
  if (!times || !paths) {
    cps_error_set(err, status, NULL, "out of memory for the data");
    goto out;
  }
  cps_sens_free(d->sens);
  cps_scenario_free(d->run);
  d->sens = NULL;
  char until[60], last[40];
  const char *settings[] = {until};
  snprintf(until, sizeof until, "run.until=%s", cps_number_text(last, sizeof last, times[n - 1]));
  int shorter = times[n - 1] < d->scenario->run.until && times[n - 1] > d->scenario->run.from;
  cps_error e = {0};
  d->run = on_top(d->scenario, settings, shorter, &e);
  for (int i = 0; i < fit->n; i++) paths[i] = fit->q[i].path;
  if (d->run) d->sens = cps_sens_new(d->run, paths, fit->n, NULL, 0, &e);
  status = d->sens ? cps_sens_at(d->sens, times, n, &e) : e.status;
  for (int i = 0; i < d->n_series && status == CPS_OK; i++) {
    const cps_result *r = cps_sens_result(d->sens);
    int c = cps_sens_find_column(d->sens, d->series[i].column, &e);
    if (c < 0)
      status = CPS_BAD_INPUT;
    else
      snprintf(d->series[i].unit, sizeof d->series[i].unit, "%s", r->units[c]);
  }
  if (status == CPS_OK) cps_sens_without_frames(d->sens);
  if (status != CPS_OK && err) *err = e;
out:
  free(times);
  free(paths);
  return status;
}

static cps_status prepare(cps_fit *fit, cps_error *err) {
  drop_results(fit);
  fit->m = 0;
  if (fit->n_sets == 0) return cps_error_set(err, CPS_BAD_INPUT, NULL, "there are no data to fit to");
  for (int i = 0; i < fit->n_sets; i++) {
    cps_status status = prepare_set(fit, &fit->sets[i], err);
    if (status != CPS_OK) return status;
    for (int k = 0; k < fit->sets[i].n_series; k++) fit->m += fit->sets[i].series[k].n;
  }
  if (fit->m <= fit->n)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there are %ld values, too few for %d parameters", fit->m,
                         fit->n);
  size_t m = (size_t)fit->m, n = (size_t)fit->n;
  pool *p = &fit->results;
  POOL_ARRAY(p, fit->raw, m);
  POOL_ARRAY(p, fit->raw_j, m * n);
  POOL_ARRAY(p, fit->sigma, m);
  POOL_ARRAY(p, fit->raw_from, m);
  POOL_ARRAY(p, fit->trial, m);
  if (p->lost) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %ld residuals", fit->m);
  return CPS_OK;
}

/* ------------------------------------------------------------------ residuals */

static int show_run(const cps_progress *now, void *data) {
  cps_fit *fit = data;
  /* Values far off may make a motion that takes forever: such a run counts as one that failed. */
  if (fit->most_steps > 0 && now->steps > fit->most_steps) return 1;
  if (!fit->progress) return 0;
  cps_fit_progress p = {fit->steps, fit->now_cost, NULL, now};
  if (fit->progress(&p, fit->progress_data)) fit->stopped = 1;
  return fit->stopped;
}

/* Residuals of a set, from row `at` on. */
static void take_set(const fit_set *d, int n, double *raw, double *jacobian) {
  const cps_result *r = cps_sens_result(d->sens);
  for (int i = 0; i < d->n_series; i++) {
    const fit_series *s = &d->series[i];
    int c = cps_result_find(r, s->column);
    const double *x = cps_result_data(r, c);
    for (long k = 0; k < s->n; k++) *raw++ = x[s->row[k]] - s->value[k];
    for (int p = 0; p < n && jacobian; p++) {
      const double *x_p = cps_sens_history(d->sens, c, p);
      for (long k = 0; k < s->n; k++) jacobian[k * n + p] = x_p[s->row[k]];
    }
    if (jacobian) jacobian += s->n * n;
  }
}

cps_status cps_fit_evaluate(cps_fit *fit, const double *values, double *raw, double *jacobian,
                            cps_error *err) {
  for (int i = 0; i < fit->n_sets; i++) {
    fit_set *d = &fit->sets[i];
    cps_status status = cps_sens_set(d->sens, values, err);
    if (status == CPS_OK)
      status = jacobian ? cps_sens_run(d->sens, CPS_SENS_AUTO, show_run, fit, err)
                        : cps_sens_simulate(d->sens, show_run, fit, err);
    if (status != CPS_OK) return status;
    int each = jacobian && cps_sens_used(d->sens) == CPS_SENS_DIFFERENCES;
    fit->differences |= each;
    fit->runs += 1 + (each ? (long)SENS_SHADOWS * fit->n : 0);
    for (int k = 0; jacobian && cps_sens_warning(d->sens, k); k++)
      cps_fit_warn(fit, "%s", cps_sens_warning(d->sens, k));
    if (fit->runs_done == 0)
      fit->longest = fmax(fit->longest, (double)cps_sens_result(d->sens)->counters.steps);
    take_set(d, fit->n, raw, jacobian);
    for (int k = 0; k < d->n_series; k++) {
      raw += d->series[k].n;
      if (jacobian) jacobian += d->series[k].n * fit->n;
    }
  }
  if (fit->runs_done++ == 0) fit->most_steps = 1000 + 10 * (long)fit->longest;
  return CPS_OK;
}

cps_status cps_fit_run(cps_fit *fit, int (*progress)(const cps_fit_progress *, void *), void *data,
                       cps_error *err) {
  cps_error e = {0};
  fit->progress = progress;
  fit->progress_data = data;
  fit->stopped = fit->steps = fit->converged = fit->differences = 0;
  fit->runs = fit->runs_done = fit->most_steps = 0;
  fit->longest = 0;
  fit->now_cost = NAN;
  fit->reason = "it has not begun";
  for (int i = 0; i < fit->n; i++) fit->q[i].value = fit->start[i];
  cps_status status = prepare(fit, &e);
  if (status == CPS_OK) status = cps_fit_minimise(fit, &e);
  if (status == CPS_OK || fit->stopped) {
    cps_status judged = cps_fit_judge(fit, &e);
    if (status == CPS_OK) status = judged;
  }
  if (status != CPS_OK && err) *err = e;
  return status;
}

/* ------------------------------------------------------------------ reading */

int cps_fit_parameters(const cps_fit *fit) { return fit->n; }
int cps_fit_sets(const cps_fit *fit) { return fit->n_sets; }
int cps_fit_series_count(const cps_fit *fit, int set) {
  return set >= 0 && set < fit->n_sets ? fit->sets[set].n_series : 0;
}

cps_status cps_fit_series_get(const cps_fit *fit, int set, int series, cps_fit_series *found) {
  if (series < 0 || series >= cps_fit_series_count(fit, set)) return CPS_BAD_INPUT;
  const fit_series *s = &fit->sets[set].series[series];
  double sigma = s->sigma, sum = 0;
  for (long i = 0; i < s->n && s->given; i++) sum += s->given[i] * s->given[i];
  if (s->given) sigma = sqrt(sum / (double)s->n);
  *found = (cps_fit_series){s->column, s->unit, s->n, s->rms_before, s->rms_after, sigma};
  return CPS_OK;
}

cps_scenario *cps_fit_scenario(const cps_fit *fit, int set, int found, cps_error *err) {
  if (set < 0 || set >= fit->n_sets) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no set of data %d", set);
    return NULL;
  }
  const char **paths = calloc((size_t)fit->n, sizeof *paths);
  double *values = calloc((size_t)fit->n, sizeof *values);
  cps_problems *problems = NULL;
  cps_scenario *s = NULL;
  if (paths && values) {
    for (int i = 0; i < fit->n; i++) {
      paths[i] = fit->q[i].path;
      values[i] = found ? fit->q[i].value : fit->start[i];
    }
    s = cps_scenario_with(fit->sets[set].scenario, paths, values, fit->n, &problems);
  }
  free((void *)paths);
  free(values);
  if (!s) first_problem(problems, err);
  return s;
}

const char *cps_fit_reason(const cps_fit *fit) { return fit->reason; }
int cps_fit_converged(const cps_fit *fit) { return fit->converged; }
int cps_fit_steps(const cps_fit *fit) { return fit->steps; }
long cps_fit_runs(const cps_fit *fit) { return fit->runs; }
double cps_fit_cost(const cps_fit *fit, int found) { return found ? fit->cost : fit->cost_before; }
double cps_fit_singular(const cps_fit *fit, int i) { return i >= 0 && i < fit->n ? fit->singular[i] : NAN; }
const char *cps_fit_warning(const cps_fit *fit, int i) { return cps_warnings_at(&fit->warnings, i); }
