/* optimize.c - minimises an output within limits on others, with gradients from sensitivities.
 *
 * NLopt (S. G. Johnson) does the searching. It sees parameters less their start over their sizes, outputs over theirs, so that
 * no unit makes anything large or small. All outputs of a point come from one run, which is kept until another point is asked
 * for. A point at which the run fails is a very bad one. What is given back is the best point that was seen.
 *
 * Over samples a point takes a run at each of them. Mean and worst of an output have the mean of the gradients and the gradient at the
 * worst sample; where two samples are equally bad the latter has a kink, which sequential quadratic programming usually gets past.
 */
#include "parameter_paths.h"
#include "pool.h"
#include "sens.h"
#include "sens_result.h"
#include "warnings.h"

#include <math.h>
#include <nlopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run outside of the limits that brings nothing counts less than one inside: it may be on its way to a better place. */
enum { OUTSIDE = 5 };

/* How far beyond a limit, relative to its size, still counts as on it. */
static const double limit_slack = 1e-6;

typedef struct output {
  char *text; /* owned */
  double least, most;
  double scale; /* its size, by which it is judged whether a limit holds */
  double
      weight; /* what NLopt sees it over: its size, or how much it changes over the range of the parameters */
  double before, after;
  struct cps_optimize *owner;
  int index;
} output;

struct cps_optimize {
  pool pool, results; /* arrays of numbers of parameters; what a search needs */
  const cps_scenario *scenario;
  int n;
  cps_quantity *q;
  double *start, *min, *max, *scale;
  int n_of;
  output *of;
  int maximise;
  cps_algorithm algorithm;
  int most_runs;
  double tolerance;

  const cps_scenario **samples; /* owned list of borrowed scenarios; NULL: the scenario alone */
  int n_samples;
  cps_robust robust;

  cps_sens **sens; /* owned: [max(1, n_samples)] */
  double *at;      /* [n] the point of the last run */
  int known;       /* it has been run; 2: and failed */
  double *y;       /* [n_of] */
  double *y_p;     /* [n_of][n] */
  double *best;
  double best_y, best_violation, first_violation;
  double *best_of; /* [n_of] */
  int runs, failures, converged, stopped;
  long most_steps; /* after which a run is given up, 0: never */
  int improved;    /* the best point is not the start */
  int stalled; /* runs since the best point within the limits became clearly better, those inside weighing more */
  const char *reason;
  warning_list warnings;
  cps_error error; /* of the first run */
  nlopt_opt search;
  int (*progress)(const cps_optimize_progress *, void *);
  void *progress_data;
};

static void warn(cps_optimize *o, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(&o->warnings, format, args);
  va_end(args);
}

/* ------------------------------------------------------------------ life */

static int add_output(cps_optimize *o, const char *text, double least, double most) {
  output *more = realloc(o->of, ((size_t)o->n_of + 1) * sizeof *more);
  if (!more) return 0;
  o->of = more;
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  if (!copy) return 0;
  memcpy(copy, text, n);
  o->of[o->n_of] = (output){.text = copy, .least = least, .most = most, .before = NAN, .after = NAN};
  o->n_of++;
  return 1;
}

cps_optimize *cps_optimize_new(const cps_scenario *scenario, const char *const *paths, int n,
                               const char *text, cps_error *err) {
  cps_error e = {0};
  if (n < 1 || !text) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "there must be an output, and a parameter that may change");
    return NULL;
  }
  cps_optimize *o = calloc(1, sizeof *o);
  if (!o) goto no_memory;
  o->scenario = scenario;
  o->n = n;
  o->most_runs = 200;
  o->tolerance = 1e-5;
  o->maximise = text[0] == '-';
  o->reason = "it has not begun";
  double **arrays[] = {&o->start, &o->min, &o->max, &o->scale, &o->at, &o->best};
  POOL_ARRAY(&o->pool, o->q, n);
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) POOL_ARRAY(&o->pool, *arrays[i], n);
  if (o->pool.lost || !add_output(o, text + o->maximise, -INFINITY, INFINITY)) goto no_memory;
  const char *of = o->of[0].text;
  cps_sens *check = cps_sens_new(scenario, paths, n, &of, 1, &e);
  for (int i = 0; i < n && check; i++) {
    const sens_parameter *p = cps_sens_range(check, i);
    o->q[i] = p->q;
    o->start[i] = o->best[i] = p->q.value;
    double size = fmax(fabs(p->q.value), isfinite(p->min) ? fabs(p->min) : 0);
    o->min[i] = p->above ? p->min + (size > 0 ? 1e-9 * size : 1e-300) : p->min;
    o->max[i] = p->max;
  }
  cps_sens_free(check);
  if (check) return o;
  if (err) *err = e;
  cps_optimize_free(o);
  return NULL;
no_memory:
  cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the optimisation");
  cps_optimize_free(o);
  return NULL;
}

/* Of scenarios that a point is run at. */
static int sample_count(const cps_optimize *o) { return o->n_samples > 0 ? o->n_samples : 1; }

static void drop_results(cps_optimize *o) {
  for (int s = 0; o->sens && s < sample_count(o); s++) cps_sens_free(o->sens[s]);
  cps_pool_free(&o->results);
  o->sens = NULL;
  o->y = o->y_p = o->best_of = NULL;
  cps_warnings_clear(&o->warnings);
}

void cps_optimize_free(cps_optimize *o) {
  if (!o) return;
  drop_results(o);
  for (int i = 0; i < o->n_of; i++) free(o->of[i].text);
  cps_pool_free(&o->pool);
  free(o->of);
  free((void *)o->samples);
  free(o);
}

/* ------------------------------------------------------------------ what to do */

cps_status cps_optimize_bounds(cps_optimize *o, int i, double min, double max, cps_error *err) {
  if (i < 0 || i >= o->n) return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no parameter %d", i);
  const char *path = o->q[i].path;
  if (!(min < max) || max < o->min[i] || min > o->max[i])
    return cps_error_set(err, CPS_BAD_INPUT, path, "%s cannot lie between %g and %g", path, min, max);
  o->min[i] = fmax(o->min[i], min);
  o->max[i] = fmin(o->max[i], max);
  o->start[i] = fmin(fmax(o->start[i], o->min[i]), o->max[i]);
  return CPS_OK;
}

cps_status cps_optimize_limit(cps_optimize *o, const char *text, double least, double most, cps_error *err) {
  if (!(least <= most) || (isinf(least) && isinf(most)))
    return cps_error_set(err, CPS_BAD_INPUT, text, "nothing lies between %g and %g", least, most);
  cps_error e = {0};
  const char *path = o->q[0].path;
  cps_sens *check = cps_sens_new(o->scenario, &path, 1, &text, 1, &e);
  cps_sens_free(check);
  if (!check) {
    if (err) *err = e;
    return e.status;
  }
  if (add_output(o, text, least, most)) return CPS_OK;
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a limit");
}

cps_status cps_optimize_algorithm(cps_optimize *o, cps_algorithm algorithm) {
  if (algorithm != CPS_ALGORITHM_SLSQP && algorithm != CPS_ALGORITHM_MMA && algorithm != CPS_ALGORITHM_CCSA)
    return CPS_BAD_INPUT;
  o->algorithm = algorithm;
  return CPS_OK;
}

cps_status cps_optimize_effort(cps_optimize *o, int runs, double tolerance) {
  if (runs < 1 || !(tolerance > 0 && tolerance < 1)) return CPS_BAD_INPUT;
  o->most_runs = runs;
  o->tolerance = tolerance;
  return CPS_OK;
}

cps_status cps_optimize_over(cps_optimize *o, const cps_scenario *const *samples, int n, cps_robust how,
                             cps_error *err) {
  if (n < 0 || (how != CPS_ROBUST_MEAN && how != CPS_ROBUST_WORST))
    return cps_error_set(err, CPS_BAD_INPUT, NULL,
                         "a robust optimum needs samples, and their mean or the worst of them");
  const cps_scenario **list = n > 0 ? malloc((size_t)n * sizeof *list) : NULL;
  if (n > 0 && !list) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the samples");
  for (int s = 0; s < n; s++) list[s] = samples[s];
  drop_results(o);
  free((void *)o->samples);
  o->samples = list;
  o->n_samples = n;
  o->robust = how;
  return CPS_OK;
}

/* ------------------------------------------------------------------ points */

static int show_run(const cps_progress *now, void *data) {
  cps_optimize *o = data;
  /* Values far off may make a motion that takes forever: such a run counts as one that failed. */
  if (o->most_steps > 0 && now->steps > o->most_steps) return 1;
  cps_optimize_progress p = {o->runs, NAN, NAN, NULL, now};
  if (o->progress && o->progress(&p, o->progress_data)) o->stopped = 1;
  return o->stopped;
}

/* How far the outputs of the last run lie beyond their limits, relative to their sizes. */
static double violation_of(const cps_optimize *o, const double *y) {
  double worst = 0;
  for (int i = 1; i < o->n_of; i++) {
    const output *f = &o->of[i];
    double beyond = fmax(f->least - y[i], y[i] - f->most) / f->scale;
    worst = fmax(worst, isnan(beyond) ? INFINITY : beyond);
  }
  return worst;
}

/* Keeps the point if it is better than the best: among those within the limits the lowest, else the nearest to them. */
static void remember(cps_optimize *o) {
  double y = o->maximise ? -o->y[0] : o->y[0], violation = violation_of(o, o->y);
  if (isnan(y)) return;
  int good = violation <= limit_slack, was_good = o->best_violation <= limit_slack;
  /* an output that vanishes never stops to fall relative to itself: what counts is where it came from */
  int falls = !was_good || o->best_y - y > o->tolerance * o->of[0].scale;
  o->stalled = good && falls ? 0 : o->stalled + (good ? OUTSIDE : 1);
  int better = good && was_good ? y < o->best_y : good || (!was_good && violation < o->best_violation);
  if (o->runs > 1 && !better) return;
  o->improved = o->runs > 1;
  o->best_y = y;
  o->best_violation = violation;
  memcpy(o->best, o->at, (size_t)o->n * sizeof(double));
  memcpy(o->best_of, o->y, (size_t)o->n_of * sizeof(double));
}

static void tell(cps_optimize *o) {
  if (!o->progress) return;
  cps_optimize_progress p = {o->runs, o->y[0], violation_of(o, o->y), o->at, NULL};
  if (o->progress(&p, o->progress_data)) o->stopped = 1;
}

/* How bad a value of an output is: larger is worse. */
static double badness(const cps_optimize *o, int i, double y) {
  const output *f = &o->of[i];
  if (i == 0) return o->maximise ? -y : y;
  return fmax(f->least - y, y - f->most);
}

/* Adds the outputs of a run to those of the point. */
static void take_sample(cps_optimize *o, int s) {
  const cps_sens *sens = o->sens[s];
  double share = 1.0 / sample_count(o);
  for (int i = 0; i < o->n_of; i++) {
    double y = cps_sens_value(sens, i), *g = o->y_p + (size_t)i * (size_t)o->n;
    if (isnan(y)) o->known = 2;
    int mean = o->robust == CPS_ROBUST_MEAN && sample_count(o) > 1;
    if (!mean && s > 0 && !(badness(o, i, y) > badness(o, i, o->y[i]))) continue;
    double keep = mean && s > 0 ? 1 : 0, by = mean ? share : 1;
    o->y[i] = (keep > 0 ? o->y[i] : 0) + by * y;
    for (int k = 0; k < o->n; k++) g[k] = (keep > 0 ? g[k] : 0) + by * cps_sens_gradient(sens, i, k);
  }
}

/* Runs at the values in o->at. */
static void run_here(cps_optimize *o) {
  cps_error e = {0};
  cps_status status = CPS_OK;
  o->runs++;
  o->known = 1;
  for (int s = 0; s < sample_count(o) && status == CPS_OK; s++) {
    status = cps_sens_set(o->sens[s], o->at, &e);
    if (status == CPS_OK) status = cps_sens_run(o->sens[s], CPS_SENS_AUTO, show_run, o, &e);
    if (status != CPS_OK) break;
    for (int i = 0; cps_sens_warning(o->sens[s], i); i++) warn(o, "%s", cps_sens_warning(o->sens[s], i));
    take_sample(o, s);
  }
  if (status != CPS_OK) {
    o->known = 2;
    if (o->runs == 1) o->error = e;
    o->failures++;
    return;
  }
  remember(o);
  tell(o);
}

/* Whether nothing is gained any more. */
static int is_over(const cps_optimize *o) {
  enum { PATIENCE = 8 };
  return o->best_violation <= limit_slack && o->stalled >= PATIENCE * OUTSIDE && o->improved;
}

/* Goes to a point that NLopt wants to know about. */
static void go_to(cps_optimize *o, const double *u) {
  int same = o->known;
  for (int k = 0; k < o->n; k++) {
    double p = fmin(fmax(o->start[k] + u[k] * o->scale[k], o->min[k]), o->max[k]);
    same = same && p == o->at[k];
    o->at[k] = p;
  }
  if (!same) run_here(o);
  if (o->stopped || is_over(o)) nlopt_force_stop(o->search);
}

/* (factor y + offset)/scale of an output, and its gradient; very bad where the run failed. */
static double measure(cps_optimize *o, const double *u, int i, double factor, double offset,
                      double *gradient) {
  const double very_bad = 1e6;
  go_to(o, u);
  double by = factor / o->of[i].weight;
  for (int k = 0; k < o->n && gradient; k++) {
    double g = by * o->y_p[i * o->n + k] * o->scale[k];
    gradient[k] = isnan(g) ? 0 : g;
  }
  return o->known == 1 ? by * o->y[i] + offset / o->of[i].weight : very_bad;
}

static double objective(unsigned n, const double *u, double *gradient, void *data) {
  (void)n;
  cps_optimize *o = data;
  return measure(o, u, 0, o->maximise ? -1 : 1, 0, gradient);
}

static double below(unsigned n, const double *u, double *gradient, void *data) {
  (void)n;
  const output *f = data;
  return measure(f->owner, u, f->index, 1, -f->most, gradient);
}

static double above(unsigned n, const double *u, double *gradient, void *data) {
  (void)n;
  const output *f = data;
  return measure(f->owner, u, f->index, -1, f->least, gradient);
}

/* ------------------------------------------------------------------ searching */

static cps_status prepare(cps_optimize *o, cps_error *err) {
  drop_results(o);
  pool *p = &o->results;
  const char **paths = cps_pool_new(p, (size_t)o->n, sizeof *paths),
             **of = cps_pool_new(p, (size_t)o->n_of, sizeof *of);
  POOL_ARRAY(p, o->y, o->n_of);
  POOL_ARRAY(p, o->y_p, o->n_of * o->n);
  POOL_ARRAY(p, o->best_of, o->n_of);
  POOL_ARRAY(p, o->sens, sample_count(o));
  cps_status status = CPS_NO_MEMORY;
  if (!p->lost) {
    for (int k = 0; k < o->n; k++) paths[k] = o->q[k].path;
    for (int i = 0; i < o->n_of; i++) of[i] = o->of[i].text;
    status = CPS_OK;
    for (int s = 0; s < sample_count(o) && status == CPS_OK; s++) {
      o->sens[s] = cps_sens_new(o->samples ? o->samples[s] : o->scenario, paths, o->n, of, o->n_of, err);
      status = o->sens[s] ? CPS_OK : err->status;
      if (status == CPS_OK) cps_sens_without_frames(o->sens[s]);
    }
  } else {
    cps_error_set(err, status, NULL, "out of memory for the optimisation");
  }
  if (status != CPS_OK) return status;
  for (int k = 0; k < o->n; k++) {
    double range = o->max[k] - o->min[k];
    o->scale[k] = isfinite(range) ? range : o->start[k] != 0 ? fabs(o->start[k]) : 1;
    o->at[k] = o->start[k];
  }
  for (int i = 0; i < o->n_of; i++) o->of[i].scale = o->of[i].weight = 1;
  return CPS_OK;
}

/* The run at the start, from which the sizes of outputs are known. */
static cps_status first_run(cps_optimize *o, cps_error *err) {
  o->runs = o->failures = o->stopped = o->converged = o->stalled = o->improved = 0;
  o->best_violation = INFINITY;
  o->most_steps = 0;
  run_here(o);
  if (o->known != 1) {
    if (o->error.status != CPS_OK)
      *err = o->error;
    else
      cps_error_set(err, CPS_FAILED, NULL, "an output has no value at the start: %s",
                    cps_optimize_warning(o, 0) ? cps_optimize_warning(o, 0) : "");
    return err->status;
  }
  for (int s = 0; s < sample_count(o); s++) {
    long most = 1000 + 10 * cps_sens_result(o->sens[s])->counters.steps;
    if (most > o->most_steps) o->most_steps = most;
  }
  for (int i = 0; i < o->n_of; i++) {
    output *f = &o->of[i];
    double size = isfinite(f->most) ? fabs(f->most) : 0;
    size = fmax(size, isfinite(f->least) ? fabs(f->least) : 0);
    f->scale = size > 0 ? size : fabs(o->y[i]) > 0 ? fabs(o->y[i]) : 1;
    double change = 0;
    for (int k = 0; k < o->n; k++) {
      double g = o->y_p[i * o->n + k] * o->scale[k];
      if (isfinite(g)) change = hypot(change, g);
    }
    f->weight = fmax(f->scale, change);
    f->before = f->after = o->y[i];
    f->owner = o;
    f->index = i;
  }
  o->first_violation = o->best_violation = violation_of(o, o->y);
  return CPS_OK;
}

static cps_status set_up(cps_optimize *o, cps_error *err) {
  static const nlopt_algorithm algorithms[] = {[CPS_ALGORITHM_SLSQP] = NLOPT_LD_SLSQP,
                                               [CPS_ALGORITHM_MMA] = NLOPT_LD_MMA,
                                               [CPS_ALGORITHM_CCSA] = NLOPT_LD_CCSAQ};
  o->search = nlopt_create(algorithms[o->algorithm], (unsigned)o->n);
  double *low = malloc((size_t)o->n * sizeof *low), *high = malloc((size_t)o->n * sizeof *high);
  int good = o->search && low && high;
  for (int k = 0; k < o->n && good; k++) {
    low[k] = (o->min[k] - o->start[k]) / o->scale[k];
    high[k] = (o->max[k] - o->start[k]) / o->scale[k];
  }
  good = good && nlopt_set_lower_bounds(o->search, low) > 0 && nlopt_set_upper_bounds(o->search, high) > 0 &&
         nlopt_set_min_objective(o->search, objective, o) > 0 &&
         nlopt_set_xtol_rel(o->search, o->tolerance) > 0 &&
         nlopt_set_ftol_rel(o->search, o->tolerance / 10) > 0 &&
         nlopt_set_maxeval(o->search, o->most_runs) > 0;
  /* around the start, where parameters are 0, nothing is small relative to them */
  good = good && nlopt_set_xtol_abs1(o->search, o->tolerance / 10) > 0;
  free(low);
  free(high);
  if (!good) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the search");
  for (int i = 1; i < o->n_of; i++) {
    output *f = &o->of[i];
    double slack = limit_slack / 2 * f->scale / f->weight;
    if (f->least == f->most) {
      if (nlopt_add_equality_constraint(o->search, below, f, slack) < 0)
        return cps_error_set(
            err, CPS_BAD_INPUT, f->text,
            "%s has to be one value, which this algorithm does not know how to do: use slsqp", f->text);
      continue;
    }
    int added = (isinf(f->most) || nlopt_add_inequality_constraint(o->search, below, f, slack) > 0) &&
                (isinf(f->least) || nlopt_add_inequality_constraint(o->search, above, f, slack) > 0);
    if (!added) return cps_error_set(err, CPS_NO_MEMORY, f->text, "out of memory for a limit");
  }
  return CPS_OK;
}

static void search(cps_optimize *o) {
  enum { ATTEMPTS = 5 };
  double *u = calloc((size_t)o->n, sizeof *u), y;
  nlopt_result ended = NLOPT_OUT_OF_MEMORY;
  /* It may believe that it is there while it still stands beyond a limit: then it starts anew from where it is, which is not the
   * point within the limits that NLopt gives back. */
  for (int attempt = 0; u && attempt < ATTEMPTS; attempt++) {
    ended = nlopt_optimize(o->search, u, &y);
    int there = violation_of(o, o->y) <= limit_slack;
    if (o->stopped || is_over(o) || there || o->runs >= o->most_runs || ended < 0) break;
    for (int k = 0; k < o->n; k++) u[k] = (o->at[k] - o->start[k]) / o->scale[k];
  }
  free(u);
  int feasible = o->best_violation <= limit_slack;
  o->converged = ended > 0 && ended != NLOPT_MAXEVAL_REACHED;
  if (is_over(o)) {
    o->converged = 1;
    ended = NLOPT_FTOL_REACHED;
  }
  if (o->stopped)
    o->reason = "it was stopped";
  else if (ended == NLOPT_MAXEVAL_REACHED)
    o->reason = "the number of runs is used up";
  else if (ended == NLOPT_XTOL_REACHED)
    o->reason = "the parameters no longer change";
  else if (ended == NLOPT_FTOL_REACHED || ended == NLOPT_SUCCESS)
    o->reason = "the output no longer falls";
  else if (ended == NLOPT_ROUNDOFF_LIMITED) {
    o->reason = "no better point is found in the direction of descent";
    o->converged = 1;
  } else
    o->reason = "the search cannot go on";
  if (!feasible) {
    o->converged = 0;
    warn(o, "no point was found at which all limits hold");
  }
  if (o->failures > 0) warn(o, "%d of %d runs failed, and were passed over", o->failures, o->runs);
}

cps_status cps_optimize_run(cps_optimize *o, int (*progress)(const cps_optimize_progress *, void *),
                            void *data, cps_error *err) {
  cps_error e = {0};
  o->progress = progress;
  o->progress_data = data;
  o->error = (cps_error){0};
  cps_status status = prepare(o, &e);
  if (status == CPS_OK) status = first_run(o, &e);
  if (status == CPS_OK) status = set_up(o, &e);
  if (status == CPS_OK) {
    search(o);
    for (int k = 0; k < o->n; k++) o->q[k].value = o->best[k];
    for (int i = 0; i < o->n_of; i++) o->of[i].after = o->best_of[i];
    if (o->stopped) status = cps_error_set(&e, CPS_FAILED, NULL, "stopped on request");
  }
  if (o->search) nlopt_destroy(o->search);
  o->search = NULL;
  if (status != CPS_OK && err) *err = e;
  return status;
}

/* ------------------------------------------------------------------ reading */

int cps_optimize_parameters(const cps_optimize *o) { return o->n; }
const cps_quantity *cps_optimize_parameter(const cps_optimize *o, int i) {
  return i >= 0 && i < o->n ? &o->q[i] : NULL;
}
double cps_optimize_value(const cps_optimize *o, int i, int found) {
  return i >= 0 && i < o->n ? (found ? o->best[i] : o->start[i]) : NAN;
}
void cps_optimize_range(const cps_optimize *o, int i, double *min, double *max) {
  *min = i >= 0 && i < o->n ? o->min[i] : NAN;
  *max = i >= 0 && i < o->n ? o->max[i] : NAN;
}
int cps_optimize_outputs(const cps_optimize *o) { return o->n_of; }
const char *cps_optimize_output(const cps_optimize *o, int i) {
  return i >= 0 && i < o->n_of ? o->of[i].text : NULL;
}
const char *cps_optimize_unit(const cps_optimize *o, int i) {
  return o->sens && i >= 0 && i < o->n_of ? cps_sens_unit(o->sens[0], i) : NULL;
}
void cps_optimize_limits(const cps_optimize *o, int i, double *least, double *most) {
  *least = i >= 0 && i < o->n_of ? o->of[i].least : NAN;
  *most = i >= 0 && i < o->n_of ? o->of[i].most : NAN;
}
double cps_optimize_result(const cps_optimize *o, int i, int found) {
  return i >= 0 && i < o->n_of ? (found ? o->of[i].after : o->of[i].before) : NAN;
}
double cps_optimize_violation(const cps_optimize *o, int found) {
  return found ? o->best_violation : o->first_violation;
}
const char *cps_optimize_reason(const cps_optimize *o) { return o->reason; }
int cps_optimize_converged(const cps_optimize *o) { return o->converged; }
int cps_optimize_runs(const cps_optimize *o) { return o->runs; }
const char *cps_optimize_warning(const cps_optimize *o, int i) { return cps_warnings_at(&o->warnings, i); }

cps_scenario *cps_optimize_scenario(const cps_optimize *o, int found, cps_error *err) {
  const char **paths = calloc((size_t)o->n, sizeof *paths);
  cps_problems *problems = NULL;
  cps_scenario *s = NULL;
  for (int k = 0; k < o->n && paths; k++) paths[k] = o->q[k].path;
  if (paths) s = cps_scenario_with(o->scenario, paths, found ? o->best : o->start, o->n, &problems);
  free((void *)paths);
  if (!s && err) {
    const cps_error *first = problems && cps_problems_count(problems) ? cps_problems_at(problems, 0) : NULL;
    if (first)
      *err = *first;
    else
      cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a scenario");
  }
  cps_problems_free(problems);
  return s;
}
