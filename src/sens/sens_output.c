/* sens_output.c - outputs and what they depend on: see sens_output.h, and capstan.h for their grammar.
 *
 * Whatever an output is, it is a function of single entries of the rows. Its derivative by these is all that it takes to
 * get its gradient from that of the rows, forwards or backwards.
 */
#include "sens_output.h"

#include "document.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ kinds */

/* n rows at times t with values c: gives the value of the output, and its derivative w by each c. */
typedef double weigh(const double *t, const double *c, long n, double target, double *w);

typedef struct output_kind {
  const char *name;
  const char *unit; /* from that of the column, % */
  int target;       /* whether it takes one */
  weigh *weigh;
} output_kind;

static double last(const double *t, const double *c, long n, double target, double *w) {
  (void)t;
  (void)target;
  w[n - 1] = 1;
  return c[n - 1];
}

static double extreme(const double *c, long n, double sign, double *w) {
  long best = 0;
  for (long i = 1; i < n; i++)
    if (sign * c[i] > sign * c[best]) best = i;
  w[best] = 1;
  return c[best];
}

static double largest(const double *t, const double *c, long n, double target, double *w) {
  (void)t;
  (void)target;
  return extreme(c, n, 1, w);
}

static double smallest(const double *t, const double *c, long n, double target, double *w) {
  (void)t;
  (void)target;
  return extreme(c, n, -1, w);
}

/* The weights of the trapezoidal rule. */
static void trapezoids(const double *t, long n, double *w) {
  for (long i = 0; i + 1 < n; i++) {
    w[i] += (t[i + 1] - t[i]) / 2;
    w[i + 1] += (t[i + 1] - t[i]) / 2;
  }
}

static double integral(const double *t, const double *c, long n, double target, double *w) {
  (void)target;
  trapezoids(t, n, w);
  double sum = 0;
  for (long i = 0; i < n; i++) sum += w[i] * c[i];
  return sum;
}

static double mean(const double *t, const double *c, long n, double target, double *w) {
  if (n == 1) return last(t, c, n, target, w);
  double span = t[n - 1] - t[0], sum = integral(t, c, n, target, w);
  for (long i = 0; i < n; i++) w[i] /= span;
  return sum / span;
}

static double square(const double *t, const double *c, long n, double target, double *w) {
  trapezoids(t, n, w);
  double sum = 0;
  for (long i = 0; i < n; i++) {
    double off = c[i] - target;
    sum += w[i] * off * off;
    w[i] *= 2 * off;
  }
  return sum;
}

static double rms(const double *t, const double *c, long n, double target, double *w) {
  if (n == 1) {
    w[0] = c[0] < 0 ? -1 : 1;
    return fabs(c[0]);
  }
  double span = t[n - 1] - t[0], root = sqrt(square(t, c, n, target, w) / span);
  for (long i = 0; i < n; i++) w[i] = root > 0 ? w[i] / (2 * span * root) : 0;
  return root;
}

static const output_kind value_kind = {"value", "%", 0, last}, event_kind = {"event", "s", 0, NULL};

static const output_kind kinds[] = {
    {"max", "%", 0, largest}, {"min", "%", 0, smallest}, {"integral", "% s", 0, integral},
    {"mean", "%", 0, mean},   {"rms", "%", 0, rms},      {"square", "%2 s", 1, square},
};

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* ------------------------------------------------------------------ reading */

/* Text of an output, cut into a function and its arguments. */
typedef struct call {
  char text[200];
  char *name; /* NULL: a column alone */
  char *arg[5];
  int n;
} call;

static char *trim(char *s) {
  s += strspn(s, " \t");
  size_t n = strlen(s);
  while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t')) s[--n] = 0;
  return s;
}

/* 0 if parentheses or commas are not where they should be. */
static int cut(call *c, const char *text) {
  snprintf(c->text, sizeof c->text, "%s", text);
  char *s = trim(c->text), *open = strchr(s, '(');
  c->n = 0;
  c->name = NULL;
  if (!open) {
    c->arg[c->n++] = s;
    return *s && !strchr(s, ')');
  }
  char *close = strchr(open, ')');
  if (!close || close[1]) return 0;
  *open = *close = 0;
  c->name = trim(s);
  for (char *a = open + 1;;) {
    char *comma = strchr(a, ',');
    if (comma) *comma = 0;
    if (c->n == 5) return 0;
    c->arg[c->n] = trim(a);
    if (!*c->arg[c->n++]) return 0;
    if (!comma) return 1;
    a = comma + 1;
  }
}

int cps_sens_column_named(const char *text, const char *name, const cps_result *r, cps_error *err) {
  int c = cps_result_find(r, name);
  if (c >= 0) return c;
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = name};
  for (int i = 0; i < r->n_columns; i++) cps_nearest_offer(&near, r->names[i]);
  cps_error_set(err, CPS_BAD_INPUT, text, "there is no column %s%s", cps_quote(quote, name),
                cps_nearest_hint(&near,
                                 "; columns are called bodies.NAME.x, contacts.NAME.f, energy.friction, and "
                                 "so on",
                                 hint));
  return -1;
}

static int read_number(const sens_output *o, const char *text, const char *unit, double *x, cps_error *err) {
  char why[160], quote[QUOTE_SIZE];
  if (cps_quantity_read(NULL, text, unit, x, why, sizeof why)) return 1;
  cps_error_set(err, CPS_BAD_INPUT, o->text, "found %s: %s; expected a number in %s", cps_quote(quote, text),
                why, unit);
  return 0;
}

/* A time, which has to be in the run. */
static int read_time(const sens_output *o, const char *text, const scenario_run *run, double *t,
                     cps_error *err) {
  if (!read_number(o, text, "s", t, err)) return 0;
  if (*t >= run->from && *t <= run->until) return 1;
  cps_error_set(err, CPS_BAD_INPUT, o->text, "the time %g s is not in the run, which is from %g s to %g s",
                *t, run->from, run->until);
  return 0;
}

static void set_unit(sens_output *o, const char *pattern, const char *unit) {
  int plain = unit[strcspn(unit, " /0123456789")] == 0;
  const char *at = strchr(pattern, '%');
  if (!at)
    snprintf(o->unit, sizeof o->unit, "%s", pattern);
  else if (strcmp(unit, "1") == 0 && at[1])
    snprintf(o->unit, sizeof o->unit, "s");
  else
    snprintf(o->unit, sizeof o->unit, plain || at[1] != '2' ? "%s%s" : "(%s)%s", unit, at + 1);
}

/* COLUMN or COLUMN@T. */
static cps_status read_value(sens_output *o, char *name, const cps_scenario *s, const cps_result *columns,
                             cps_error *err) {
  char *at = strchr(name, '@');
  if (at) *at++ = 0;
  o->kind = &value_kind;
  o->column = cps_sens_column_named(o->text, trim(name), columns, err);
  o->to = s->run.until;
  if (o->column < 0 || (at && !read_time(o, trim(at), &s->run, &o->to, err))) return CPS_BAD_INPUT;
  set_unit(o, "%", columns->units[o->column]);
  return CPS_OK;
}

static int find_contact(sens_output *o, const char *name, const cps_scenario *s, cps_error *err) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = name};
  snprintf(o->contact_name, sizeof o->contact_name, "%s", name);
  for (int i = 0; i < s->n_contacts; i++) {
    if (strcmp(s->contacts[i].name, name) == 0) return 1;
    cps_nearest_offer(&near, s->contacts[i].name);
  }
  for (int i = 0; i < s->n_cables; i++) {
    if (strcmp(s->cables[i].name, name) == 0) return 1;
    cps_nearest_offer(&near, s->cables[i].name);
  }
  cps_error_set(err, CPS_BAD_INPUT, o->text, "there is no contact %s%s", cps_quote(quote, name),
                cps_nearest_hint(&near, " in this scenario", hint));
  return 0;
}

/* event(N) or event(CONTACT, N). */
static cps_status read_event(sens_output *o, const call *c, const cps_scenario *s, cps_error *err) {
  double nth;
  o->kind = &event_kind;
  o->contact = -1;
  if (c->n > 2)
    return cps_error_set(err, CPS_BAD_INPUT, o->text,
                         "an event is the N-th of all or of a contact, such as event(1) or event(belt, 1)");
  if (c->n == 2) {
    if (!find_contact(o, c->arg[0], s, err)) return CPS_BAD_INPUT;
    o->contact = 0;
  }
  if (!read_number(o, c->arg[c->n - 1], "1", &nth, err)) return CPS_BAD_INPUT;
  if (!(nth >= 1 && nth <= 1e9) || nth != floor(nth))
    return cps_error_set(err, CPS_BAD_INPUT, o->text, "events are counted 1, 2, 3 and so on");
  o->nth = (long)nth;
  set_unit(o, "s", "");
  return CPS_OK;
}

/* A function of a column: max(COLUMN), max(COLUMN, FROM, TO), square(COLUMN, X, FROM, TO). */
static cps_status read_function(sens_output *o, const call *c, const cps_scenario *s,
                                const cps_result *columns, cps_error *err) {
  char quote[QUOTE_SIZE], hint[HINT_SIZE];
  nearest_name near = {.word = c->name};
  for (int i = 0; i < N_KINDS; i++) {
    cps_nearest_offer(&near, kinds[i].name);
    if (strcmp(kinds[i].name, c->name) == 0) o->kind = &kinds[i];
  }
  cps_nearest_offer(&near, event_kind.name);
  if (!o->kind)
    return cps_error_set(
        err, CPS_BAD_INPUT, o->text,
        "there is no function %s%s There are max, min, integral, mean, rms, square and event",
        cps_quote(quote, c->name), cps_nearest_hint(&near, ".", hint));
  int before = 1 + o->kind->target;
  if (c->n != before && c->n != before + 2)
    return cps_error_set(err, CPS_BAD_INPUT, o->text, "%s is written %s(COLUMN%s) or %s(COLUMN%s, FROM, TO)",
                         o->kind->name, o->kind->name, o->kind->target ? ", X" : "", o->kind->name,
                         o->kind->target ? ", X" : "");
  o->column = cps_sens_column_named(o->text, c->arg[0], columns, err);
  if (o->column < 0) return CPS_BAD_INPUT;
  const char *unit = columns->units[o->column];
  if (o->kind->target && !read_number(o, c->arg[1], unit, &o->target, err)) return CPS_BAD_INPUT;
  o->from = s->run.from;
  o->to = s->run.until;
  if (c->n > before && (!read_time(o, c->arg[before], &s->run, &o->from, err) ||
                        !read_time(o, c->arg[before + 1], &s->run, &o->to, err)))
    return CPS_BAD_INPUT;
  if (o->from >= o->to)
    return cps_error_set(err, CPS_BAD_INPUT, o->text, "the part of the run from %g s to %g s is empty",
                         o->from, o->to);
  set_unit(o, o->kind->unit, unit);
  return CPS_OK;
}

cps_status cps_sens_output_read(sens_output *o, const char *text, const cps_scenario *s,
                                const cps_result *columns, cps_error *err) {
  memset(o, 0, sizeof *o);
  call c = {0};
  if (!text || strlen(text) >= sizeof o->text)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "an output has at most %zu characters",
                         sizeof o->text - 1);
  snprintf(o->text, sizeof o->text, "%s", text);
  if (!cut(&c, text))
    return cps_error_set(err, CPS_BAD_INPUT, text,
                         "an output is a column, or a function of one, such as bodies.block.x@0.5 or "
                         "max(bodies.block.v, 0, 1)");
  if (!c.name) return read_value(o, c.arg[0], s, columns, err);
  if (strcmp(c.name, event_kind.name) == 0) return read_event(o, &c, s, err);
  return read_function(o, &c, s, columns, err);
}

/* ------------------------------------------------------------------ weighing */

int cps_sens_output_times(const sens_output *o, const scenario_run *run, double *times) {
  int n = 0;
  if (!o->kind || o->kind == &event_kind) return 0;
  if (o->kind == &value_kind || o->to < run->until) times[n++] = o->to;
  if (o->kind != &value_kind && o->from > run->from) times[n++] = o->from;
  return n;
}

/* The event that is meant; -1 if it did not happen. */
static long find_event(const sens_output *o, const cps_result *r, long *seen) {
  *seen = 0;
  for (long i = 0; i < r->n_events; i++)
    if ((o->contact < 0 || strcmp(r->events[i].contact_name, o->contact_name) == 0) && ++*seen == o->nth)
      return i;
  return -1;
}

/* Weights that the caller has given. */
static int weigh_given(const sens_output *o, const cps_result *r, double *value, sens_weight **weights,
                       long *n, char *why, size_t size) {
  if (r->rows != o->rows) {
    snprintf(why, size, "%s are for %ld rows, and the result has %ld", o->text, o->rows, r->rows);
    return 1;
  }
  sens_weight *list = malloc((size_t)(o->n_given + 1) * sizeof *list);
  if (!list) return 0;
  double sum = 0;
  for (long i = 0; i < o->n_given; i++) {
    list[i] = o->given[i];
    sum += list[i].weight * cps_result_data(r, list[i].column)[list[i].row];
  }
  *value = sum;
  *n = o->n_given;
  *weights = list;
  return 1;
}

int cps_sens_output_weigh(const sens_output *o, const cps_result *r, double *value, sens_weight **weights,
                          long *n, long *event, char *why, size_t size) {
  *weights = NULL;
  *n = 0;
  *event = -1;
  *value = NAN;
  why[0] = 0;
  if (!o->kind) return weigh_given(o, r, value, weights, n, why, size);
  if (o->kind == &event_kind) {
    long seen;
    *event = find_event(o, r, &seen);
    if (*event >= 0)
      *value = r->events[*event].time;
    else
      snprintf(why, size, "%s did not happen: there were %ld", o->text, seen);
    return 1;
  }
  /* Rows were made to be there; of values the one at `to`. */
  const double *t = cps_result_data(r, 0), *c = cps_result_data(r, o->column);
  long first = 0, rows = r->rows;
  double slack = rows > 0 ? 1e-9 * fabs(t[rows - 1] - t[0]) / (double)rows : 0;
  while (rows > 0 && t[rows - 1] > o->to + slack) rows--;
  while (o->kind != &value_kind && first < rows && t[first] < o->from - slack) first++;
  if (o->kind == &value_kind) first = rows > 0 ? rows - 1 : 0;
  rows -= first;
  if (rows < 1 || (o->kind == &value_kind && t[first] < o->to - slack)) {
    snprintf(why, size, "%s has no value: the run did not come that far", o->text);
    return 1;
  }
  double *w = calloc((size_t)rows, sizeof *w);
  sens_weight *list = malloc((size_t)rows * sizeof *list);
  if (!w || !list) {
    free(w);
    free(list);
    return 0;
  }
  *value = o->kind->weigh(t + first, c + first, rows, o->target, w);
  for (long i = 0; i < rows; i++)
    if (w[i] != 0) list[(*n)++] = (sens_weight){first + i, o->column, w[i]};
  free(w);
  *weights = list;
  return 1;
}

int cps_sens_output_sums(const sens_output *o) {
  if (!o->kind) return 0;
  weigh *of = o->kind->weigh;
  return of == integral || of == mean || of == square || of == rms;
}

double cps_sens_output_jump(const sens_output *o, const cps_result *r, double value, long k) {
  if (!cps_sens_output_sums(o)) return 0;
  weigh *of = o->kind->weigh;
  double at = r->events[k].time;
  if (!(at > o->from && at < o->to) || (k > 0 && r->events[k - 1].time == at))
    return 0; /* once for each instant */
  const double *t = cps_result_data(r, 0), *c = cps_result_data(r, o->column);
  long low = 0, high = r->rows; /* the first row at that time */
  while (low < high) {
    long middle = low + (high - low) / 2;
    if (t[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  long after = low;
  while (after + 1 < r->rows && t[after + 1] == at) after++;
  if (low == r->rows || t[low] != at || after == low) return 0;
  double a = c[low], b = c[after], span = o->to - o->from;
  if (of == integral) return a - b;
  if (of == mean) return (a - b) / span;
  double squares = (a - o->target) * (a - o->target) - (b - o->target) * (b - o->target);
  return of == square ? squares : value > 0 ? squares / (2 * span * value) : 0;
}
