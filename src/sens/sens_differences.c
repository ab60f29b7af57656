/* sens_differences.c - derivatives as differences of whole runs: for comparison, and where there is nothing better.
 *
 * Each parameter is moved to six places around its value and the scenario is run there anew; seven points give a formula
 * of order six (B. Fornberg, Math. Comp. 51, 1988, 699-706: weights for any places). The step has to be small against what
 * changes the solution by much, which after many oscillations is little, and large against the noise of the runs, which is
 * their tolerance. How far a formula of order four disagrees is what is known about the error.
 *
 * The moved runs record at the times at which the first one did, so that rows can be compared.
 */
#include "plain_locale.h"
#include "sens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = SENS_SHADOWS + 1, FEWER = 5 };

/* Force that Newton's method may leave in moved runs, relative to the tension: its noise is not to be seen. */
static const double SHARP = 1e-12;

/* Weights of the first derivative at 0 from values at x[n]. */
static void fornberg(const double *x, int n, double *weight) {
  double c[POINTS][2] = {{1, 0}}, c1 = 1, c4 = x[0];
  for (int i = 1; i < n; i++) {
    double c2 = 1, c5 = c4;
    c4 = x[i];
    for (int j = 0; j < i; j++) {
      double c3 = x[i] - x[j];
      c2 *= c3;
      if (j == i - 1) {
        c[i][1] = c1 * (c[i - 1][0] - c5 * c[i - 1][1]) / c2;
        c[i][0] = -c1 * c5 * c[i - 1][0] / c2;
      }
      c[j][1] = (c4 * c[j][1] - c[j][0]) / c3;
      c[j][0] = c4 * c[j][0] / c3;
    }
    c1 = c2;
  }
  for (int i = 0; i < n; i++) weight[i] = c[i][1];
}

/* Where a parameter is moved to, and what the runs there count. The first point is where it stands. */
typedef struct formula {
  double place[POINTS];
  double weight[POINTS]; /* order six */
  double check[POINTS];  /* order four, of the points that are nearest */
} formula;

static int allowed(const sens_parameter *p, double x) {
  return x <= p->max && (p->above ? x > p->min : x >= p->min);
}

static void make_formula(const sens_run *run, const sens_parameter *p, formula *f) {
  static const double middle[POINTS] = {0, -1, 1, -2, 2, -3, 3}, side[POINTS] = {0, 1, 2, 3, 4, 5, 6};
  const scenario_run *set = &run->scenario->run;
  int fixed = set->step > 0 && strcmp(set->solver, "events") != 0 && strcmp(set->solver, "bdf") != 0;
  double relative = fixed ? 1e-4 : fmin(fmax(cbrt(set->tolerance), 1e-4), 1e-2);
  double x = p->q.value, step = relative * (x != 0 ? fabs(x) : 1);
  /* Closer steps are fine, as long as round-off allows; otherwise all of them go to one side. */
  double room = fmin(x - p->min, p->max - x) / 3.5;
  const double *at = middle;
  if (room >= step / 10)
    step = fmin(step, room);
  else
    at = side;
  double sign = at == side && !allowed(p, x + 6 * step) ? -1 : 1;
  for (int i = 0; i < POINTS; i++) f->place[i] = (x + sign * at[i] * step) - x;
  fornberg(f->place, POINTS, f->weight);
  memset(f->check, 0, sizeof f->check);
  fornberg(f->place, FEWER, f->check);
}

typedef struct work {
  sens_run *run;
  const cps_result *base;
  double *times; /* [n_times] of its rows, each once: at an event there may be one before and one after */
  long n_times;
  double *d;     /* [rows][columns][n_wrt] */
  double *check; /* the same of order four */
  double *event; /* [events][n_wrt] */
} work;

static void add(work *w, const cps_result *r, int wrt, double weight, double check) {
  long rows = w->base->rows;
  size_t n = (size_t)w->run->n_wrt, columns = (size_t)w->base->n_columns;
  for (size_t c = 0; c < columns; c++) {
    const double *x = cps_result_data(r, (int)c), *x0 = cps_result_data(w->base, (int)c);
    const double *t0 = cps_result_data(w->base, 0);
    for (long i = 0, at = 0; i < rows; i++) {
      size_t k = ((size_t)i * columns + c) * n + (size_t)wrt;
      while (w->times[at] < t0[i]) at++;
      w->d[k] += weight * (x[at] - x0[i]);
      w->check[k] += check * (x[at] - x0[i]);
    }
  }
  int same = r->n_events == w->base->n_events;
  for (long i = 0; i < w->base->n_events; i++) {
    const cps_event *a = &w->base->events[i], *b = same ? &r->events[i] : a;
    int alike = same && a->contact == b->contact && a->from == b->from && a->to == b->to;
    w->event[(size_t)i * n + (size_t)wrt] += alike ? weight * (b->time - a->time) : NAN;
  }
  if (!same)
    cps_sens_warn(
        w->run, "%s: with %s moved a little there are %ld events instead of %ld, so differences mean little",
        w->run->scenario->file, w->run->wrt[wrt].q.path, r->n_events, w->base->n_events);
}

/* Runs with a parameter moved, and adds what is different. */
static cps_status run_moved(work *w, int wrt, const formula *f, int point, cps_error *err) {
  sens_run *run = w->run;
  const sens_parameter *p = &run->wrt[wrt];
  cps_error why = {0};
  cps_scenario *moved = cps_sens_moved(run, wrt, p->q.value + f->place[point], 0, &why);
  if (moved) moved->run.balance = fmin(moved->run.balance, SHARP);
  cps_system *system = moved ? cps_system_new(moved, &why) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &why) : NULL;
  cps_status status = sim ? CPS_OK : why.status;
  if (sim) {
    cps_simulation_rows_at(sim, w->times, w->n_times, 1);
    status = cps_simulation_run(sim, run->progress, run->progress_data, &why);
  }
  if (status == CPS_OK && sim->result.rows != w->n_times)
    status = cps_error_set(&why, CPS_FAILED, NULL, "it has %ld rows instead of %ld", sim->result.rows,
                           w->n_times);
  if (status == CPS_OK) add(w, &sim->result, wrt, f->weight[point], f->check[point]);
  if (status != CPS_OK && err) {
    *err = why;
    cps_print(err->text, sizeof err->text, "with %s moved by %.3g: %.400s", p->q.path, f->place[point],
              why.text);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(moved);
  return status;
}

/* Columns that are flags do not move with anything. */
static void clear_flags(work *w) {
  const cps_result *r = w->base;
  size_t n = (size_t)w->run->n_wrt, columns = (size_t)r->n_columns;
  for (size_t c = 0; c < columns; c++) {
    const char *dot = strrchr(r->names[c], '.');
    if (!dot || strcmp(dot, ".slips") != 0) continue;
    for (size_t i = 0; i < (size_t)r->rows; i++) memset(w->d + (i * columns + c) * n, 0, n * sizeof *w->d);
  }
}

/* Warns where the two formulas give an output different derivatives. */
static cps_status compare(work *w, cps_error *err) {
  const double good_enough = 0.01;
  sens_run *run = w->run;
  size_t n_wrt = (size_t)run->n_wrt, columns = (size_t)w->base->n_columns;
  for (int i = 0; i < run->n_of; i++) {
    long n, event;
    const sens_weight *list = cps_sens_weights(run, i, &n, &event, err);
    if (!list) return CPS_NO_MEMORY;
    for (size_t p = 0; p < n_wrt && event < 0; p++) {
      double best = 0, other = 0, size = 0;
      for (long k = 0; k < n; k++) {
        size_t at = ((size_t)list[k].row * columns + (size_t)list[k].column) * n_wrt + p;
        best += list[k].weight * w->d[at];
        other += list[k].weight * w->check[at];
        size += fabs(list[k].weight * w->d[at]);
      }
      if (fabs(best - other) > good_enough * size)
        cps_sens_warn(run,
                      "the derivative of %s by %s is uncertain: formulas of order 4 and 6 give %.4g and %.4g",
                      cps_sens_output(run->owner, i), run->wrt[p].q.path, other, best);
    }
  }
  return CPS_OK;
}

static cps_status forward(sens_run *run, cps_error *err) {
  cps_status status = cps_simulation_run(run->sim, run->progress, run->progress_data, err);
  if (status != CPS_OK) return status;
  work w = {.run = run, .base = &run->sim->result};
  size_t n = (size_t)run->n_wrt, row = (size_t)w.base->n_columns * n, rows = (size_t)w.base->rows;
  w.d = calloc(rows * row + 1, sizeof *w.d);
  w.check = calloc(rows * row + 1, sizeof *w.check);
  w.event = calloc((size_t)w.base->n_events * n + 1, sizeof *w.event);
  w.times = malloc((rows + 1) * sizeof *w.times);
  const double *t = cps_result_data(w.base, 0);
  for (size_t i = 0; i < rows && w.times; i++)
    if (w.n_times == 0 || t[i] > w.times[w.n_times - 1]) w.times[w.n_times++] = t[i];
  if (!w.d || !w.check || !w.event || !w.times)
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for derivatives of %zu rows", rows);
  for (int i = 0; i < run->n_wrt && status == CPS_OK; i++) {
    formula f;
    make_formula(run, &run->wrt[i], &f);
    for (int k = 1; k < POINTS && status == CPS_OK; k++) status = run_moved(&w, i, &f, k, err);
  }
  if (status == CPS_OK) {
    clear_flags(&w);
    status = compare(&w, err);
  }
  for (size_t i = 0; i < rows && status == CPS_OK; i++) status = cps_sens_add_row(run, w.d + i * row, err);
  for (long i = 0; i < w.base->n_events && status == CPS_OK; i++)
    status = cps_sens_add_event(run, w.event + (size_t)i * n, err);
  free(w.d);
  free(w.check);
  free(w.event);
  free(w.times);
  return status;
}

static const char *refuses(const cps_scenario *s, cps_sens_method method) {
  (void)s;
  return method == CPS_SENS_ADJOINT ? "differences have no adjoint" : NULL;
}

const sens_engine cps_sens_differences = {"differences", refuses, forward, NULL, 1, NULL};
