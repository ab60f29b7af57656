/* sens.c - sensitivities: parameters, rows, what is kept of a differentiated run. The engines do the differentiating. */
#include "sens.h"

#include "document.h"
#include "parameter_paths.h"
#include "result_file.h"
#include "sens_output.h"
#include "sens_result.h"
#include "warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int cps_sens_place[SENS_SHADOWS] = {-3, -2, -1, 1, 2, 3};
const double cps_sens_share[SENS_SHADOWS] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 45.0 / 60, -9.0 / 60, 1.0 / 60};

/* Those that are exact, in the order in which they are asked; differences come last. */
static const sens_engine *const engines[] = {&cps_sens_bodies, &cps_sens_cables, NULL};

typedef struct depends {
  sens_weight *weights;
  long n, event;
} depends;

struct cps_sens {
  const cps_scenario *base;
  cps_scenario *moved; /* owned: with other values of the parameters; NULL if they are those of base */
  int n_wrt, n_of, n_columns;
  sens_parameter *wrt;
  sens_output *of;
  cps_system *system;
  cps_simulation *sim;
  int no_frames; /* nothing is recorded along cables */
  int plain;     /* nothing is differentiated: parameters may be any numbers, also none */
  int used_up;   /* sim has run */
  double *at;    /* owned: where the caller wants rows; NULL: as run.output says */
  double *rows;  /* owned: where there have to be rows */
  long n_at, n_rows;
  double *value;    /* [n_of] */
  double *gradient; /* [n_of][n_wrt] */
  depends *depends; /* [n_of] of the last run */
  double *history;  /* [columns][n_wrt][capacity] */
  long n_history, capacity;
  double *event; /* [events][n_wrt] */
  long n_event, event_capacity;
  warning_list warnings;
  cps_sens_method used;
  int again; /* with one of the parameters of another one, to compare with it */
  int without_jumps;
  size_t tape_most;
  double most_tries; /* steps after which a run is given up; 0: no limit */
};

/* ------------------------------------------------------------------ life */

static const cps_scenario *scenario_of(const cps_sens *s) { return s->moved ? s->moved : s->base; }

static void drop_simulation(cps_sens *s) {
  cps_simulation_free(s->sim);
  cps_system_free(s->system);
  s->sim = NULL;
  s->system = NULL;
  s->used_up = 0;
}

/* Where a parameter is the length of the run, outputs are about other times than at first. */
static cps_status read_outputs_again(cps_sens *s, cps_error *err) {
  cps_status status = CPS_OK;
  for (int i = 0; i < s->n_of && status == CPS_OK; i++) {
    char text[sizeof s->of[i].text];
    memcpy(text, s->of[i].text, sizeof text);
    status = cps_sens_output_read(&s->of[i], text, scenario_of(s), &s->sim->result, err);
  }
  return status;
}

/* Of many runs only the outputs matter: other columns are not computed. */
static cps_status want_outputs(cps_sens *s, cps_error *err) {
  unsigned char *wanted = calloc((size_t)s->sim->result.n_columns + 1, 1);
  if (!wanted) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a list of columns");
  for (int i = 0; i < s->n_of; i++) wanted[s->of[i].column] = 1;
  cps_simulation_want(s->sim, wanted);
  free(wanted);
  return CPS_OK;
}

static cps_status make_simulation(cps_sens *s, cps_error *err) {
  drop_simulation(s);
  s->system = cps_system_new(scenario_of(s), err);
  if (s->system) s->sim = cps_simulation_new(s->system, err);
  if (s->sim && cps_simulation_start(s->sim, err) != CPS_OK) {
    cps_simulation_free(s->sim);
    s->sim = NULL;
  }
  if (s->sim && s->no_frames) s->sim->next_frame = INFINITY;
  if (s->sim && s->most_tries > 0) s->sim->most_tries = s->most_tries;
  if (s->sim && (!s->plain || !s->moved)) return CPS_OK;
  cps_status status = s->sim ? read_outputs_again(s, err) : err ? err->status : CPS_FAILED;
  if (status == CPS_OK && s->no_frames) status = want_outputs(s, err);
  if (status != CPS_OK) drop_simulation(s);
  return status;
}

static void drop_shadows(cps_sens *s) {
  for (int i = 0; i < s->n_wrt; i++) {
    for (int k = 0; k < SENS_SHADOWS; k++) {
      cps_scenario_free(s->wrt[i].shadow[k]);
      s->wrt[i].shadow[k] = NULL;
    }
  }
}

/* What the last run left. */
static void drop_results(cps_sens *s) {
  for (int i = 0; i < s->n_of && s->depends; i++) {
    free(s->depends[i].weights);
    s->depends[i] = (depends){NULL, 0, -1};
  }
  cps_warnings_clear(&s->warnings);
  s->n_history = s->n_event = 0;
  for (int i = 0; i < s->n_of; i++) s->value[i] = NAN;
  for (int i = 0; i < s->n_of * s->n_wrt; i++) s->gradient[i] = NAN;
}

void cps_sens_without_frames(cps_sens *s) {
  s->no_frames = 1;
  if (s->sim) s->sim->next_frame = INFINITY;
}

void cps_sens_give_up_after(cps_sens *s, double steps) {
  s->most_tries = steps;
  if (s->sim) s->sim->most_tries = steps;
}

void cps_sens_free(cps_sens *s) {
  if (!s) return;
  if (s->wrt) drop_shadows(s);
  if (s->value && s->gradient) drop_results(s);
  drop_simulation(s);
  cps_scenario_free(s->moved);
  for (int i = 0; s->of && i < s->n_of; i++) free(s->of[i].given);
  free(s->wrt);
  free(s->of);
  free(s->at);
  free(s->rows);
  free(s->value);
  free(s->gradient);
  free(s->depends);
  free(s->history);
  free(s->event);
  free(s);
}

cps_status cps_sens_find(const cps_scenario *s, const char *const *wrt, int n, int plain,
                         sens_parameter *found, cps_error *err) {
  probe *p = calloc((size_t)n + 1, sizeof *p);
  if (!p) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the parameters");
  for (int i = 0; i < n; i++) p[i].path = wrt[i];
  cps_status status = cps_scenario_probe(s, p, n, err);
  for (int i = 0; i < n && status == CPS_OK; i++) {
    found[i] = (sens_parameter){.q = p[i].q, .min = p[i].q.min, .max = p[i].q.max, .above = p[i].q.above};
    if (plain) continue;
    if (p[i].q.whole)
      status = cps_error_set(err, CPS_BAD_INPUT, wrt[i],
                             "%s is a whole number: nothing can be differentiated by it", wrt[i]);
    else if (strncmp(wrt[i], "run.", 4) == 0 || strncmp(wrt[i], "outputs.", 8) == 0)
      status = cps_error_set(err, CPS_BAD_INPUT, wrt[i],
                             "%s says how to compute, and is no parameter of what is computed", wrt[i]);
  }
  free(p);
  return status;
}

static cps_sens *make(const cps_scenario *scenario, const char *const *wrt, int n_wrt, const char *const *of,
                      int n_of, int plain, cps_error *err) {
  cps_sens *s = calloc(1, sizeof *s);
  cps_error e = {0};
  if (!s) goto no_memory;
  size_t w = (size_t)n_wrt, o = (size_t)n_of;
  s->base = scenario;
  s->plain = plain;
  s->wrt = calloc(w + 1, sizeof *s->wrt);
  s->of = calloc(o + 1, sizeof *s->of);
  s->value = calloc(o + 1, sizeof *s->value);
  s->gradient = calloc(o * w + 1, sizeof *s->gradient);
  s->depends = calloc(o + 1, sizeof *s->depends);
  if (!s->wrt || !s->of || !s->value || !s->gradient || !s->depends) goto no_memory;
  s->n_wrt = n_wrt;
  cps_status status = cps_sens_find(s->base, wrt, n_wrt, s->plain, s->wrt, &e);
  if (status == CPS_OK) status = make_simulation(s, &e);
  s->n_columns = status == CPS_OK ? s->sim->result.n_columns : 0;
  for (int i = 0; i < n_of && status == CPS_OK; i++) {
    status = cps_sens_output_read(&s->of[i], of[i], scenario, &s->sim->result, &e);
    s->n_of += status == CPS_OK;
  }
  if (status == CPS_OK) {
    drop_results(s);
    return s;
  }
  if (err) *err = e;
  cps_sens_free(s);
  return NULL;
no_memory:
  cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  cps_sens_free(s);
  return NULL;
}

cps_sens *cps_sens_new(const cps_scenario *scenario, const char *const *wrt, int n_wrt, const char *const *of,
                       int n_of, cps_error *err) {
  if (n_wrt < 1 || n_of < 0) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "there must be at least one parameter to differentiate by");
    return NULL;
  }
  return make(scenario, wrt, n_wrt, of, n_of, 0, err);
}

cps_sens *cps_sens_new_plain(const cps_scenario *scenario, const char *const *paths, int n,
                             const char *const *of, int n_of, cps_error *err) {
  return make(scenario, paths, n, of, n_of, 1, err);
}

/* Room for one more output. */
static int add_output(cps_sens *s) {
  size_t n = (size_t)s->n_of + 2, w = (size_t)s->n_wrt;
  sens_output *of = realloc(s->of, n * sizeof *of);
  if (of) s->of = of;
  double *value = realloc(s->value, n * sizeof *value);
  if (value) s->value = value;
  double *gradient = realloc(s->gradient, n * w * sizeof *gradient);
  if (gradient) s->gradient = gradient;
  depends *on = realloc(s->depends, n * sizeof *on);
  if (on) s->depends = on;
  if (!of || !value || !gradient || !on) return 0;
  memset(&of[s->n_of], 0, sizeof *of);
  on[s->n_of] = (depends){NULL, 0, -1};
  value[s->n_of] = NAN;
  for (size_t i = 0; i < w; i++) gradient[(size_t)s->n_of * w + i] = NAN;
  s->n_of++;
  return 1;
}

int cps_sens_weigh(cps_sens *s, int of, const double *weights, long rows, cps_error *err) {
  long entries = rows * s->n_columns, n = 0;
  if (of >= s->n_of || rows < 1 || (of >= 0 && s->of[of].kind)) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "%ld rows of weights for output %d: %s", rows, of,
                  rows < 1 ? "there has to be one at least" : "it is none that was made with weights");
    return -1;
  }
  for (long i = 0; i < entries; i++) {
    if (isfinite(weights[i])) {
      n += weights[i] != 0;
      continue;
    }
    cps_error_set(err, CPS_BAD_INPUT, NULL, "the weight of %s in row %ld is %g",
                  s->sim ? s->sim->result.names[i % s->n_columns] : "a column", i / s->n_columns, weights[i]);
    return -1;
  }
  sens_weight *list = malloc((size_t)(n + 1) * sizeof *list);
  if (!list || (of < 0 && !add_output(s))) {
    free(list);
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for weights of %ld rows", rows);
    return -1;
  }
  if (of < 0) of = s->n_of - 1;
  sens_output *o = &s->of[of];
  free(o->given);
  *o = (sens_output){.text = "weights", .unit = "1", .given = list, .rows = rows};
  for (long i = 0; i < entries; i++)
    if (weights[i] != 0)
      list[o->n_given++] = (sens_weight){i / s->n_columns, (int)(i % s->n_columns), weights[i]};
  return of;
}

cps_sens *cps_sens_again(const cps_sens *s, int wrt, cps_error *err) {
  const char *path = s->wrt[wrt].q.path, **of = calloc((size_t)s->n_of + 1, sizeof *of);
  int named = 0;
  for (; of && named < s->n_of && s->of[named].kind; named++) of[named] = s->of[named].text;
  cps_sens *again = of ? cps_sens_new(s->moved ? s->moved : s->base, &path, 1, of, named, err) : NULL;
  int good = again && (!s->at || cps_sens_at(again, s->at, s->n_at, err) == CPS_OK);
  free(of);
  for (int i = named; good && i < s->n_of; i++) { /* those with weights come after the others */
    size_t size = (size_t)(s->of[i].n_given + 1) * sizeof *s->of[i].given;
    sens_weight *list = malloc(size);
    good = list && add_output(again);
    if (!good) {
      free(list);
      cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
      break;
    }
    memcpy(list, s->of[i].given, size - sizeof *list);
    again->of[i] = s->of[i];
    again->of[i].given = list;
  }
  if (good) again->again = 1;
  if (good) return again;
  cps_sens_free(again);
  return NULL;
}

/* ------------------------------------------------------------------ other values */

/* The first problem of a list as an error. */
static cps_status problem_error(cps_problems *problems, const char *path, double value, cps_error *err) {
  const cps_error *first = problems && cps_problems_count(problems) ? cps_problems_at(problems, 0) : NULL;
  cps_status status = first && first->status == CPS_NO_MEMORY ? CPS_NO_MEMORY : CPS_BAD_INPUT;
  if (path)
    cps_error_set(err, status, path, "%s cannot be %.9g: %s", path, value, first ? first->text : "");
  else
    cps_error_set(err, status, first ? first->key : NULL, "%s: %s", first ? first->key : "",
                  first ? first->text : "");
  cps_problems_free(problems);
  return status;
}

cps_status cps_sens_set(cps_sens *s, const double *values, cps_error *err) {
  const char **paths = calloc((size_t)s->n_wrt + 1, sizeof *paths);
  if (!paths) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the parameters");
  for (int i = 0; i < s->n_wrt; i++) {
    paths[i] = s->wrt[i].q.path;
    if (isfinite(values[i])) continue;
    free(paths);
    return cps_error_set(err, CPS_BAD_INPUT, s->wrt[i].q.path, "%s cannot be %g", s->wrt[i].q.path,
                         values[i]);
  }
  cps_problems *problems;
  cps_scenario *moved = cps_scenario_with(s->base, paths, values, s->n_wrt, &problems);
  free(paths);
  if (!moved) return problem_error(problems, NULL, 0, err);
  drop_simulation(s);
  drop_shadows(s);
  cps_scenario_free(s->moved);
  s->moved = moved;
  for (int i = 0; i < s->n_wrt; i++) s->wrt[i].q.value = values[i];
  return CPS_OK;
}

cps_status cps_sens_tell(const sens_run *run, int wrt, double value, cps_scenario *moved) {
  int n = moved->n_inputs;
  const sens_parameter *p = &run->wrt[wrt];
  input_value *in = malloc(((size_t)n + 1) * sizeof *in);
  if (!in) return CPS_NO_MEMORY;
  memcpy(in, run->stretch->inputs, (size_t)n * sizeof *in);
  if (p->kind == SENS_INPUT) in[p->index].to = value;
  cps_status status = cps_scenario_tell(moved, in);
  free(in);
  return status;
}

cps_scenario *cps_sens_moved(const sens_run *run, int wrt, double value, int lenient, cps_error *err) {
  const sens_parameter *p = &run->wrt[wrt];
  const char *path = p->q.path;
  cps_problems *problems;
  cps_scenario *moved = cps_scenario_vary(run->scenario, &path, &value, p->kind == SENS_NUMBER, lenient,
                                          &problems);
  if (!moved) problem_error(problems, path, value, err);
  if (moved && run->stretch && cps_sens_tell(run, wrt, value, moved) != CPS_OK) {
    cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the parameters");
    cps_scenario_free(moved);
    return NULL;
  }
  return moved;
}

/* Far enough apart that round-off hardly counts, and inside of the range where there is room. */
static double shadow_step(const sens_parameter *p) {
  enum { SIZES_PER_STEP = 100 };
  double x = p->q.value, step = x != 0 ? fabs(x) / SIZES_PER_STEP : 1e-3;
  double room = fmin(x - p->min, p->max - x) / 3.5 /* three of them on each side */;
  if (room > 1e-6 * step) step = fmin(step, room);
  /* so that the places are the numbers that they are meant to be */
  double power = exp2(floor(log2(step)));
  return power;
}

/* Makes the shadows of a parameter from number `first` on, as far as they are not there. */
static cps_status make_shadows(const sens_run *run, int wrt, int first, cps_error *err) {
  sens_parameter *p = &run->wrt[wrt];
  p->step = shadow_step(p);
  for (int k = first; k < SENS_SHADOWS; k++) {
    if (p->shadow[k]) continue;
    p->shadow[k] = cps_sens_moved(run, wrt, p->q.value + cps_sens_place[k] * p->step, 1, err);
    if (!p->shadow[k]) return err ? err->status : CPS_BAD_INPUT;
  }
  return CPS_OK;
}

cps_status cps_sens_shadow(const sens_run *run, int wrt, cps_error *err) {
  return make_shadows(run, wrt, SENS_SHADOWS - 1, err);
}

cps_status cps_sens_shadows(const sens_run *run, int wrt, cps_error *err) {
  return make_shadows(run, wrt, 0, err);
}

/* ------------------------------------------------------------------ rows */

cps_status cps_sens_at(cps_sens *s, const double *times, long n, cps_error *err) {
  const scenario_run *run = &s->base->run;
  for (long i = 0; i < n; i++)
    if (!(times[i] >= run->from && times[i] <= run->until) || (i > 0 && times[i] <= times[i - 1]))
      return cps_error_set(err, CPS_BAD_INPUT, NULL,
                           "rows are wanted at rising times in the run, from %g s to %g s: %g s is none",
                           run->from, run->until, times[i]);
  double *at = malloc(((size_t)n + 1) * sizeof *at);
  if (!at) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %ld times", n);
  if (n > 0) memcpy(at, times, (size_t)n * sizeof *at);
  free(s->at);
  s->at = at;
  s->n_at = n;
  return CPS_OK;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Whether a time is one at which run.output makes a row anyway. */
static int on_grid(const scenario_run *run, double t) {
  if (t == run->from || t == run->until) return 1;
  if (run->output <= 0) return 0;
  double k = (t - run->from) / run->output;
  return fabs(k - floor(k + 0.5)) < 1e-9;
}

/* Makes s->rows: where the caller wants rows, or those of run.output, and where outputs need them. */
static cps_status find_rows(cps_sens *s, cps_error *err) {
  const scenario_run *run = &scenario_of(s)->run;
  double needed[2];
  long extra = 0, n = 0;
  for (int i = 0; i < s->n_of; i++) {
    int k = cps_sens_output_times(&s->of[i], run, needed);
    while (k-- > 0) extra += s->at || !on_grid(run, needed[k]) || strcmp(run->solver, "rk4") == 0;
  }
  free(s->rows);
  s->rows = NULL;
  s->n_rows = 0;
  if (!s->at && extra == 0) return CPS_OK;
  double intervals = run->output > 0 ? floor((run->until - run->from) / run->output * (1 + 1e-12)) : 0;
  long grid = !s->at && run->output > 0 ? (long)intervals + 1 : 0;
  s->rows = malloc(((size_t)(s->n_at + extra) + (size_t)grid) * sizeof(double));
  if (!s->rows) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for rows at given times");
  for (long i = 0; i < s->n_at; i++) s->rows[n++] = s->at[i];
  for (long i = 0; i < grid; i++) s->rows[n++] = fmin(run->from + (double)i * run->output, run->until);
  for (int i = 0; i < s->n_of; i++) {
    int k = cps_sens_output_times(&s->of[i], run, needed);
    while (k-- > 0)
      if (s->at || !on_grid(run, needed[k])) s->rows[n++] = needed[k];
  }
  qsort(s->rows, (size_t)n, sizeof(double), compare_times);
  for (long i = 0; i < n; i++)
    if (s->n_rows == 0 || s->rows[i] > s->rows[s->n_rows - 1]) s->rows[s->n_rows++] = s->rows[i];
  return CPS_OK;
}

/* ------------------------------------------------------------------ for the engines */

static cps_status no_memory(cps_error *err) {
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the histories of derivatives");
}

cps_status cps_sens_add_row(sens_run *run, const double *d, cps_error *err) {
  cps_sens *s = run->owner;
  if (run->stretch) {
    memcpy(run->stretch->columns, d,
           (size_t)run->sim->result.n_columns * (size_t)run->n_wrt * sizeof(double));
    return CPS_OK;
  }
  size_t series = (size_t)s->n_columns * (size_t)s->n_wrt;
  if (s->n_history == s->capacity) {
    size_t capacity = s->capacity > 0 ? 2 * (size_t)s->capacity : 64;
    double *more = malloc(series * capacity * sizeof *more);
    if (!more) return no_memory(err);
    for (size_t i = 0; i < series && s->n_history > 0; i++)
      memcpy(more + i * capacity, s->history + i * (size_t)s->capacity, (size_t)s->n_history * sizeof *more);
    free(s->history);
    s->history = more;
    s->capacity = (long)capacity;
  }
  for (size_t i = 0; i < series; i++) s->history[i * (size_t)s->capacity + (size_t)s->n_history] = d[i];
  s->n_history++;
  return CPS_OK;
}

cps_status cps_sens_add_event(sens_run *run, const double *d, cps_error *err) {
  cps_sens *s = run->owner;
  if (run->stretch) return CPS_OK;
  size_t size = (size_t)s->n_wrt * sizeof *d;
  if (s->n_event == s->event_capacity) {
    long capacity = s->event_capacity > 0 ? 2 * s->event_capacity : 64;
    double *more = realloc(s->event, (size_t)capacity * size);
    if (!more) return no_memory(err);
    s->event = more;
    s->event_capacity = capacity;
  }
  memcpy(s->event + s->n_event++ * s->n_wrt, d, size);
  return CPS_OK;
}

const sens_weight *cps_sens_weights(sens_run *run, int of, long *n, long *event, cps_error *err) {
  static const sens_weight none = {0, 0, 0};
  cps_sens *s = run->owner;
  if (run->stretch) {
    *n = run->stretch->n_weights;
    *event = -1;
    return *n > 0 ? run->stretch->weights : &none;
  }
  depends *d = &s->depends[of];
  char why[300];
  if (isnan(s->value[of]) && !d->weights) {
    if (!cps_sens_output_weigh(&s->of[of], &run->sim->result, &s->value[of], &d->weights, &d->n, &d->event,
                               why, sizeof why)) {
      no_memory(err);
      return NULL;
    }
    if (why[0]) cps_sens_warn(run, "%s", why);
  }
  *n = d->n;
  *event = d->event;
  return d->weights ? d->weights : &none;
}

void cps_sens_add(sens_run *run, int of, int wrt, double part) {
  if (run->stretch) {
    run->stretch->gradient[wrt] += part;
    return;
  }
  double *g = &run->owner->gradient[of * run->n_wrt + wrt];
  *g = isnan(*g) ? part : *g + part;
}

void cps_sens_warn(sens_run *run, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(run->stretch ? run->stretch->warnings : &run->owner->warnings, format, args);
  va_end(args);
}

void cps_sens_leave_jumps_out(cps_sens *s) { s->without_jumps = 1; }
void cps_sens_limit_tape(cps_sens *s, size_t bytes) { s->tape_most = bytes; }

/* ------------------------------------------------------------------ running */

/* An exact engine for a method; NULL if there is none, and then *why (unless it is set) says so. */
static const sens_engine *find_engine(const cps_scenario *s, cps_sens_method method, const char **why) {
  for (int i = 0; engines[i]; i++) {
    const char *refused = engines[i]->refuses(s, method);
    if (!refused) return engines[i];
    if (!*why && refused[0]) *why = refused;
  }
  return NULL;
}

const sens_engine *cps_sens_stretches(const cps_scenario *scenario, cps_error *err) {
  const char *why = NULL;
  const sens_engine *found = find_engine(scenario, CPS_SENS_ADJOINT, &why);
  if (!found)
    cps_error_set(err, CPS_BAD_INPUT, "run.solver", "there are no exact derivatives of stretches of this: %s",
                  why ? why : "the solver has none");
  return found;
}

/* Adjoint gradients cost a few runs, whatever the number of parameters; forward ones part of a run for each. */
static int adjoint_pays(const cps_sens *s) { return s->n_of > 0 && s->n_wrt > 8 && s->n_wrt > 4 * s->n_of; }

static cps_status choose(cps_sens *s, cps_sens_method method, sens_run *run, const sens_engine **engine,
                         cps_error *err) {
  const char *why = NULL;
  *engine = NULL;
  s->used = method;
  if (method == CPS_SENS_ADJOINT && s->n_of == 0)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "the adjoint method needs an output to differentiate");
  if (method == CPS_SENS_FORWARD || method == CPS_SENS_ADJOINT) {
    *engine = find_engine(scenario_of(s), method, &why);
    if (*engine) return CPS_OK;
    return cps_error_set(err, CPS_BAD_INPUT, "run.solver", "there are no exact %s derivatives of this: %s",
                         method == CPS_SENS_FORWARD ? "forward" : "adjoint",
                         why ? why : "the solver has none; use differences");
  }
  for (int k = 0; k < 2 && method == CPS_SENS_AUTO && !*engine; k++) {
    s->used = (k == 0) == adjoint_pays(s) ? CPS_SENS_ADJOINT : CPS_SENS_FORWARD;
    if (s->used == CPS_SENS_FORWARD || s->n_of > 0) *engine = find_engine(scenario_of(s), s->used, &why);
  }
  if (*engine) return CPS_OK;
  *engine = &cps_sens_differences;
  s->used = CPS_SENS_DIFFERENCES;
  if (method == CPS_SENS_AUTO)
    cps_sens_warn(run, "derivatives are differences of whole runs, not exact: %s",
                  why ? why : "the solver has no others");
  return CPS_OK;
}

double cps_sens_jump(const sens_run *run, int of, long event) {
  if (run->stretch) return 0;
  const cps_sens *s = run->owner;
  return cps_sens_output_jump(&s->of[of], &run->sim->result, s->value[of], event);
}

/* Changes of the state move also where it rests, and no method sees errors: steps are not longer than rows are apart. */
static void bound_steps(cps_sens *s) {
  const scenario_run *run = &scenario_of(s)->run;
  double apart = s->at && s->n_at > 1 ? (s->at[s->n_at - 1] - s->at[0]) / (double)(s->n_at - 1) : run->output;
  if (!s->plain && apart > 0) s->sim->longest_step = apart;
}

/* Integrals of contact forces have rows on both sides of events, where these jump. */
static void set_rows(cps_sens *s) {
  if (s->rows) cps_simulation_rows_at(s->sim, s->rows, s->n_rows, s->at != NULL);
  bound_steps(s);
  for (int i = 0; i < s->n_of && !s->at; i++) {
    if (!cps_sens_output_sums(&s->of[i])) continue;
    s->sim->event_rows |= strncmp(s->sim->result.names[s->of[i].column], "contacts.", 9) == 0;
  }
}

/* Values of the outputs, and their gradients from the histories. */
static cps_status gather(sens_run *run, cps_error *err) {
  cps_sens *s = run->owner;
  for (int i = 0; i < s->n_of; i++) {
    long n, event;
    const sens_weight *w = cps_sens_weights(run, i, &n, &event, err);
    if (!w) return CPS_NO_MEMORY;
    if (s->used == CPS_SENS_ADJOINT || isnan(s->value[i])) continue;
    for (int p = 0; p < s->n_wrt; p++) {
      double sum = 0;
      if (event >= 0) sum = event < s->n_event ? s->event[event * s->n_wrt + p] : NAN;
      for (long k = 0; k < n; k++)
        sum += w[k].row < s->n_history ? w[k].weight * cps_sens_history(s, w[k].column, p)[w[k].row] : NAN;
      for (long k = 0; event < 0 && k < s->n_event; k++) {
        double jump = cps_sens_jump(run, i, k); /* where there is none, an event may move as it likes */
        if (jump != 0) sum += jump * s->event[k * s->n_wrt + p];
      }
      s->gradient[i * s->n_wrt + p] = sum;
    }
  }
  return CPS_OK;
}

cps_status cps_sens_simulate(cps_sens *s, int (*progress)(const cps_progress *, void *), void *data,
                             cps_error *err) {
  cps_error e = {0};
  drop_results(s);
  cps_status status = !s->sim || s->used_up ? make_simulation(s, &e) : CPS_OK;
  sens_run run = {scenario_of(s), s->sim, s->n_wrt, s->n_of, s->wrt, progress, data, s, 0, 0, NULL, 0};
  if (status == CPS_OK) status = find_rows(s, &e);
  if (status == CPS_OK) set_rows(s);
  s->used_up = 1;
  if (status == CPS_OK) status = cps_simulation_run(s->sim, progress, data, &e);
  s->used = CPS_SENS_ADJOINT; /* which has no histories */
  if (status == CPS_OK) status = gather(&run, &e);
  if (status != CPS_OK && err) *err = e;
  return status;
}

cps_status cps_sens_run(cps_sens *s, cps_sens_method method, int (*progress)(const cps_progress *, void *),
                        void *data, cps_error *err) {
  cps_error e = {0};
  const sens_engine *engine = NULL;
  drop_results(s);
  cps_status status = !s->sim || s->used_up ? make_simulation(s, &e) : CPS_OK;
  sens_run run = {scenario_of(s), s->sim, s->n_wrt,         s->n_of,      s->wrt, progress,
                  data,           s,      s->without_jumps, s->tape_most, NULL,   0};
  if (status == CPS_OK) status = find_rows(s, &e);
  if (status == CPS_OK) set_rows(s);
  if (status == CPS_OK) status = choose(s, method, &run, &engine, &e);
  if (status == CPS_OK && engine == &cps_sens_differences)
    s->sim->event_rows = 0; /* moved runs have their events elsewhere */
  for (int i = 0; i < s->n_wrt && status == CPS_OK && engine->no_shadows != SENS_NO_SHADOWS; i++)
    status = make_shadows(&run, i, 0, &e);
  s->used_up = 1;
  if (status == CPS_OK) {
    cps_status (*go)(sens_run *, cps_error *) = s->used == CPS_SENS_ADJOINT ? engine->adjoint
                                                                            : engine->forward;
    status = go(&run, &e);
  }
  if (status == CPS_OK) status = gather(&run, &e);
  int by_bdf = engine == &cps_sens_bodies && strcmp(run.scenario->run.solver, "bdf") == 0;
  int doubtful = run.guarded || (by_bdf && s->used == CPS_SENS_ADJOINT);
  if (status == CPS_OK && doubtful && !s->again && !s->without_jumps) status = cps_sens_agree(&run, &e);
  if (status != CPS_OK && err) *err = e;
  return status;
}

/* ------------------------------------------------------------------ reading */

int cps_sens_parameters(const cps_sens *s) { return s->n_wrt; }
const cps_quantity *cps_sens_parameter(const cps_sens *s, int wrt) {
  return wrt >= 0 && wrt < s->n_wrt ? &s->wrt[wrt].q : NULL;
}
int cps_sens_outputs(const cps_sens *s) { return s->n_of; }
const char *cps_sens_output(const cps_sens *s, int of) {
  return of >= 0 && of < s->n_of ? s->of[of].text : NULL;
}
const char *cps_sens_unit(const cps_sens *s, int of) {
  return of >= 0 && of < s->n_of ? s->of[of].unit : NULL;
}
double cps_sens_value(const cps_sens *s, int of) { return of >= 0 && of < s->n_of ? s->value[of] : NAN; }
double cps_sens_gradient(const cps_sens *s, int of, int wrt) {
  return of >= 0 && of < s->n_of && wrt >= 0 && wrt < s->n_wrt ? s->gradient[of * s->n_wrt + wrt] : NAN;
}
cps_sens_method cps_sens_used(const cps_sens *s) { return s->used; }
const cps_result *cps_sens_result(const cps_sens *s) { return s->sim ? &s->sim->result : NULL; }
const double *cps_sens_history(const cps_sens *s, int column, int wrt) {
  if (s->used == CPS_SENS_ADJOINT || s->n_history == 0) return NULL;
  if (column < 0 || column >= s->n_columns || wrt < 0 || wrt >= s->n_wrt) return NULL;
  return s->history + ((size_t)column * (size_t)s->n_wrt + (size_t)wrt) * (size_t)s->capacity;
}
const char *cps_sens_warning(const cps_sens *s, int i) { return cps_warnings_at(&s->warnings, i); }

/* ------------------------------------------------------------------ writing */

void cps_sens_ratio(char *text, size_t size, const char *above, const char *below) {
  int plain = below[strcspn(below, " /")] == 0;
  if (strcmp(below, "1") == 0)
    snprintf(text, size, "%s", above);
  else
    snprintf(text, size, plain ? "%s/%s" : "%s/(%s)", above, below);
}

const cps_scenario *cps_sens_scenario(const cps_sens *s) { return scenario_of(s); }

const sens_parameter *cps_sens_range(const cps_sens *s, int wrt) { return &s->wrt[wrt]; }

int cps_sens_find_column(const cps_sens *s, const char *name, cps_error *err) {
  return cps_sens_column_named(name, name, &s->sim->result, err);
}

const char *cps_sens_output_column(const cps_sens *s, int of) {
  int c = of >= 0 && of < s->n_of ? s->of[of].column : 0;
  return c > 0 && s->sim ? cps_result_name(&s->sim->result, c) : NULL;
}

cps_result *cps_sens_with_histories(const cps_sens *s, cps_error *err) {
  const cps_result *of = cps_sens_result(s);
  if (!of) {
    cps_error_set(err, CPS_BAD_INPUT, NULL, "there was no run yet");
    return NULL;
  }
  /* a parameter that is named again has the same columns: in a result they stand once */
  name_index seen = {0};
  int known = cps_sens_history(s, 0, 0) != NULL, n_once = 0;
  int *once = malloc((size_t)s->n_wrt * sizeof *once), good = once != NULL;
  for (int p = 0; p < s->n_wrt && good && known; p++) {
    if (cps_index_get(&seen, s->wrt[p].q.path) >= 0) continue;
    good = cps_index_put(&seen, s->wrt[p].q.path, p);
    once[n_once++] = p;
  }
  cps_index_free(&seen);
  cps_result *r = good ? cps_result_copy(of, (of->n_columns - 1) * n_once, err) : NULL;
  if (!good) cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  for (int c = 1; c < of->n_columns && r; c++) {
    for (int i = 0; i < n_once; i++) {
      int p = once[i];
      char name[COLUMN_NAME], unit[128];
      if (snprintf(name, sizeof name, "d(%s)/d(%s)", of->names[c], s->wrt[p].q.path) >= (int)sizeof name)
        name[sizeof name - 1] = 0;
      cps_sens_ratio(unit, sizeof unit, of->units[c], s->wrt[p].q.unit);
      cps_result_set_column(r, of->n_columns + (c - 1) * n_once + i, name, unit, cps_sens_history(s, c, p));
    }
  }
  free(once);
  return r;
}

int cps_sens_is_complete(const cps_sens *s) { return s->sim->t >= scenario_of(s)->run.until; }
