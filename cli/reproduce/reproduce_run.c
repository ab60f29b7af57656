/* reproduce_run.c - runs of scenario files, what is measured in them, and the rows made of that. */
#include "cli.h"
#include "input.h"
#include "reproduce.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char source_events[] = "independent event-driven solution";
const char source_closed[] = "closed form";
const char source_run[] = "independent integration";

/* ---------------------------------------------------------------- scenario files */

enum { PATH_SIZE = 4096, SETTINGS_MOST = 16 };

int scenarios_found(const reproduction *r) {
  char path[PATH_SIZE];
  return input_find_scenario(r->scenarios, "quinn/oscillator.yaml", path, sizeof path);
}

/* ---------------------------------------------------------------- runs */

static void trial_free(trial *t) {
  cps_simulation_free(t->sim);
  cps_system_free(t->system);
  cps_scenario_free(t->scenario);
  free(t->file);
  free(t->settings);
  free(t);
}

void trials_free(reproduction *r) {
  for (int i = 0; i < r->n_trials; i++) trial_free(r->trials[i]);
  r->n_trials = 0;
}

static char *copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = (char *)grow(NULL, size, 1);
  memcpy(copy, text, size);
  return copy;
}

/* Cuts "a=1; b=2" into its settings, in place. */
static int cut_settings(char *text, const char **list) {
  int n = 0;
  while (*text && n < SETTINGS_MOST) {
    list[n++] = text;
    char *end = strstr(text, "; ");
    if (!end) break;
    *end = 0;
    text = end + 2;
  }
  return n;
}

static void trial_start(const reproduction *r, trial *t) {
  char path[PATH_SIZE];
  const char *list[SETTINGS_MOST + 1];
  input_find_scenario(r->scenarios, t->file, path, sizeof path);
  char *settings = copy_text(t->settings);
  cps_problems *problems = NULL;
  int n = cut_settings(settings, list);
  list[n++] =
      "run.audit.fail=off"; /* papers have runs that lose energy, and rows say what they should give */
  t->scenario = cps_scenario_load(path, list, n, &problems);
  free(settings);
  if (!t->scenario && cps_problems_count(problems) > 0)
    cps_problem_text(cps_problems_at(problems, 0), t->error, sizeof t->error);
  cps_problems_free(problems);
  if (!t->scenario) return;
  cps_error error = {.text = ""};
  t->system = cps_system_new(t->scenario, &error);
  t->sim = t->system ? cps_simulation_new(t->system, &error) : NULL;
  t->complete = t->sim && cps_simulation_run(t->sim, NULL, NULL, &error) == CPS_OK;
  t->result = t->sim ? cps_simulation_result(t->sim) : NULL;
  snprintf(t->error, sizeof t->error, "%s", error.text);
}

const trial *trial_run(reproduction *r, const char *file, const char *settings, ...) {
  char text[600];
  va_list args;
  va_start(args, settings);
  vsnprintf(text, sizeof text, settings, args);
  va_end(args);
  for (int i = 0; i < r->n_trials; i++)
    if (strcmp(r->trials[i]->file, file) == 0 && strcmp(r->trials[i]->settings, text) == 0)
      return r->trials[i];
  if (r->n_trials == r->room_trials) {
    r->room_trials = r->room_trials ? 2 * r->room_trials : 32;
    r->trials = (trial **)grow((void *)r->trials, (size_t)r->room_trials, sizeof *r->trials);
  }
  trial *t = (trial *)grow(NULL, 1, sizeof *t);
  memset(t, 0, sizeof *t);
  t->file = copy_text(file);
  t->settings = copy_text(text);
  r->trials[r->n_trials++] = t;
  trial_start(r, t);
  return t;
}

/* ---------------------------------------------------------------- measures */

const double *column_of(const trial *t, const char *column, long *rows) {
  int c = t->complete ? cps_result_find(t->result, column) : -1;
  *rows = c >= 0 ? cps_result_rows(t->result) : 0;
  return *rows > 0 ? cps_result_data(t->result, c) : NULL;
}

double value_end(const trial *t, const char *column, double at) {
  (void)at;
  long rows;
  const double *x = column_of(t, column, &rows);
  return x ? x[rows - 1] : NAN;
}

double value_at(const trial *t, const char *column, double at) {
  long rows;
  const double *x = column_of(t, column, &rows), *time = column_of(t, "time", &rows);
  for (long i = 0; x && i < rows; i++)
    if (fabs(time[i] - at) <= 1e-9 * fmax(1, fabs(at))) return x[i];
  return NAN;
}

/* The largest of a f(x) + b |f(x)| over the rows. */
static double extreme(const trial *t, const char *column, double a, double b) {
  long rows;
  const double *x = column_of(t, column, &rows);
  double most = x ? -INFINITY : NAN;
  for (long i = 0; x && i < rows; i++) most = fmax(most, a * x[i] + b * fabs(x[i]));
  return most;
}

double value_most(const trial *t, const char *column, double at) {
  (void)at;
  return extreme(t, column, 1, 0);
}

double value_least(const trial *t, const char *column, double at) {
  (void)at;
  return -extreme(t, column, -1, 0);
}

double value_largest(const trial *t, const char *column, double at) {
  (void)at;
  return extreme(t, column, 0, 1);
}

double cycle_change(const trial *t, const char *column, double at) {
  long rows, k = (long)at;
  const double *x = column_of(t, column, &rows);
  return x && k > 0 && k < rows ? x[k] - x[k - 1] : NAN;
}

static int is_of(const cps_event *e, const char *contact) {
  return !contact || strcmp(e->contact_name, contact) == 0;
}

static double nth_event(const trial *t, const char *contact, double at, int moments) {
  double last = NAN;
  for (long i = 0, n = 0; t->complete && i < cps_result_events(t->result); i++) {
    const cps_event *e = cps_result_event(t->result, i);
    if (!is_of(e, contact) || (moments && e->time == last)) continue;
    last = e->time;
    if (++n == (long)at) return last;
  }
  return NAN;
}

double event_time(const trial *t, const char *contact, double at) { return nth_event(t, contact, at, 0); }
double event_moment(const trial *t, const char *contact, double at) { return nth_event(t, contact, at, 1); }

double event_count(const trial *t, const char *contact, double at) {
  (void)at;
  if (!t->complete) return NAN;
  double n = 0;
  for (long i = 0; i < cps_result_events(t->result); i++) n += is_of(cps_result_event(t->result, i), contact);
  return n;
}

double slope(int n, const double *x, const double *y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double a = log(x[i]), b = log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* ---------------------------------------------------------------- rows and figures */

static int judge(const row *x) {
  double expected = isnan(x->reference) ? x->published : x->reference, off = x->computed - expected;
  switch (x->by) {
  case RELATIVE:
    return fabs(off) <= x->tolerance * fabs(expected);
  case ABSOLUTE:
    return fabs(off) <= x->tolerance;
  case AT_LEAST:
    return off >= 0;
  case AT_MOST:
    return off <= 0;
  }
  return 0;
}

row *add_row(reproduction *r, const row *like, const trial *t) {
  if (r->n_rows == r->room_rows) {
    r->room_rows = r->room_rows ? 2 * r->room_rows : 64;
    r->rows = (row *)grow(r->rows, (size_t)r->room_rows, sizeof *r->rows);
  }
  row *x = &r->rows[r->n_rows++];
  *x = *like;
  x->id = r->now->id;
  x->paper = r->now->paper;
  if (t && !t->complete) {
    x->computed = NAN;
    snprintf(x->error, sizeof x->error, "%s", t->error);
  }
  x->ok = judge(x);
  return x;
}

figure *add_drawing(reproduction *r, const char *name, const char *title, const char *caption) {
  if (!r->draws) return NULL;
  if (r->n_drawings == r->room_drawings) {
    r->room_drawings = r->room_drawings ? 2 * r->room_drawings : 32;
    r->drawings = (drawing *)grow(r->drawings, (size_t)r->room_drawings, sizeof *r->drawings);
  }
  drawing *d = &r->drawings[r->n_drawings++];
  memset(d, 0, sizeof *d);
  d->id = r->now->id;
  d->caption = caption;
  snprintf(d->name, sizeof d->name, "%s", name);
  snprintf(d->figure.title, sizeof d->figure.title, "%s", title);
  return &d->figure;
}

/* More points than that are put into bins of time, of which the outermost points and the last stay. */
enum { POINTS_MOST = 3000, BINS = 600 };

void draw_columns(series *s, const trial *t, const char *x, const char *y, double from, double to) {
  long rows, first = 0;
  const double *time = column_of(t, "time", &rows), *a = column_of(t, x, &rows), *b = column_of(t, y, &rows);
  if (!time || !a || !b) return;
  /* One point on either side as well: what lies outside is clipped. */
  while (first + 1 < rows && time[first + 1] <= from) first++;
  while (rows > first + 1 && time[rows - 2] >= to) rows--;
  double width = rows - first > POINTS_MOST && a == time ? (to - from) / BINS : 0;
  for (long i = first; i < rows;) {
    long least = i, most = i, end = i + 1;
    while (end < rows && time[end] < time[i] + width) end++;
    for (long k = i; k < end; k++) {
      if (b[k] < b[least]) least = k;
      if (b[k] > b[most]) most = k;
    }
    long order[] = {i, least < most ? least : most, least < most ? most : least, end - 1};
    for (int k = 0; k < 4; k++)
      if (k == 0 || order[k] != order[k - 1]) series_add(s, a[order[k]], b[order[k]]);
    i = end;
  }
}
