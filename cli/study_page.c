/* study_page.c - see study_page.h. web/src/study.js shows what is packed here.
 *
 * Numbers about all points are computed here; the page gets the points as well, so that it can draw and brush them. Of a
 * table with more points than a screen can show it gets every k-th, and all that stand in a list of failures or of worst cases. */
#include "study_page.h"
#include "cli.h"
#include "report.h"
#include "watch.h"

#include "capstan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  POINTS_SHOWN = 200000,
  FAILURES_SHOWN = 200,
  WORST_SHOWN = 5, /* of each end of each output */
  CONVERGENCE_STEPS = 40,
  RESAMPLES_MOST = 1000,
  RESAMPLES_LEAST = 100,
  N_QUANTILES = 5
};

#define RESAMPLING_WORK 2e8 /* values that bootstraps may look at */

static const double quantiles[N_QUANTILES] = {0.01, 0.05, 0.5, 0.95, 0.99};

/* A table with the indices of its columns by kind. */
typedef struct view {
  const study_table *t;
  int *parameter, *output, *gradient; /* owned, together */
  int n_parameters, n_outputs, n_gradients;
  int *
      dimension; /* owned [n_dimensions]: the first parameter of each coordinate of the sample, an index into `parameter` */
  int n_dimensions;
  const char *method;
  uint64_t seed;
} view;

/* Which parameter has a name that ends at `end`; -1 if none. */
static int parameter_named(const view *v, const char *name, size_t length) {
  for (int i = 0; i < v->n_parameters; i++) {
    const char *own = v->t->column[v->parameter[i]].name;
    if (strlen(own) == length && strncmp(own, name, length) == 0) return i;
  }
  return -1;
}

/* A line of "dimensions" names the parameters that a coordinate of the sample gives values to; without it each parameter has its own. */
static void find_dimensions(view *v) {
  const char *text = study_table_text(v->t, "dimensions");
  v->dimension = (int *)grow(NULL, (size_t)v->n_parameters + 1, sizeof *v->dimension);
  for (; text && *text && v->n_dimensions < v->n_parameters;
       text += strcspn(text, "\n"), text += *text == '\n') {
    int first = parameter_named(v, text, strcspn(text, "\n"));
    if (first < 0) first = parameter_named(v, text, strcspn(text, ",\n"));
    if (first < 0) break;
    v->dimension[v->n_dimensions++] = first;
  }
  if (text && !*text) return;
  v->n_dimensions = v->n_parameters;
  for (int i = 0; i < v->n_parameters; i++) v->dimension[i] = i;
}

static void view_make(view *v, const study_table *t) {
  size_t n = (size_t)t->n_columns + 1;
  memset(v, 0, sizeof *v);
  v->t = t;
  v->parameter = (int *)grow(NULL, 3 * n, sizeof *v->parameter);
  v->output = v->parameter + n;
  v->gradient = v->output + n;
  v->n_parameters = study_table_kind(t, "parameter", v->parameter);
  v->n_outputs = study_table_kind(t, "output", v->output);
  v->n_gradients = study_table_kind(t, "gradient", v->gradient);
  v->method = study_table_text(t, "method");
  if (!v->method) v->method = "";
  const char *seed = study_table_text(t, "seed");
  v->seed = seed ? (uint64_t)strtoull(seed, NULL, 10) : 0;
  find_dimensions(v);
}

static void view_free(view *v) {
  free(v->parameter);
  free(v->dimension);
}

static const study_table_column *parameter_at(const view *v, int i) { return &v->t->column[v->parameter[i]]; }
static const study_table_column *dimension_at(const view *v, int i) {
  return parameter_at(v, v->dimension[i]);
}
static const study_table_column *output_at(const view *v, int i) { return &v->t->column[v->output[i]]; }

static void *need(size_t count, size_t size) { return grow(NULL, count > 0 ? count : 1, size); }

static void need_memory(cps_status status) {
  if (status != CPS_NO_MEMORY) return;
  out_of_memory();
}

/* How far a parameter goes: as the study says, or as the points do. */
static double range_of_parameter(const study_table_column *c, long n) {
  if (isfinite(c->low) && isfinite(c->high) && c->high > c->low && !c->word) return c->high - c->low;
  cps_sample s;
  cps_sample_summary(c->x, n, &s);
  return s.n > 0 && s.most > s.least ? s.most - s.least : NAN;
}

static void put_numbers(json *w, const char *key, const double *x, int n) {
  json_open_flat(w, key, '[');
  for (int i = 0; i < n; i++) json_number(w, NULL, x[i]);
  json_close(w);
}

static void put_interval(json *w, const char *key, const cps_interval *i) {
  const double x[] = {i->value, i->low, i->high};
  put_numbers(w, key, x, 3);
}

static int resamples_for(double values) {
  double n = RESAMPLING_WORK / fmax(1, values);
  return n < RESAMPLES_LEAST ? RESAMPLES_LEAST : n > RESAMPLES_MOST ? RESAMPLES_MOST : (int)n;
}

/* ---------------------------------------------------------------- one output */

static void put_summary(json *w, const study_table_column *c, long n) {
  cps_sample s;
  double q[N_QUANTILES];
  cps_sample_summary(c->x, n, &s);
  need_memory(cps_sample_quantiles(c->x, n, quantiles, N_QUANTILES, q));
  json_number(w, "n", (double)s.n);
  json_number(w, "mean", s.mean);
  json_number(w, "deviation", s.deviation);
  json_number(w, "least", s.least);
  json_number(w, "most", s.most);
  put_numbers(w, "quantiles", q, N_QUANTILES);
}

/* With each parameter: of values, and of ranks. Variants have no order. */
static void put_correlations(json *w, const view *v, const study_table_column *c) {
  int d = v->n_parameters;
  double *value = (double *)need((size_t)d, 2 * sizeof *value), *rank = value + d;
  for (int i = 0; i < d; i++) {
    const study_table_column *p = parameter_at(v, i);
    value[i] = rank[i] = NAN;
    if (p->word) continue;
    value[i] = cps_sample_correlation(p->x, c->x, v->t->n);
    need_memory(cps_sample_rank_correlation(p->x, c->x, v->t->n, &rank[i]));
  }
  put_numbers(w, "correlation", value, d);
  put_numbers(w, "rank_correlation", rank, d);
  free(value);
}

/* Mean and deviation over the first points, of methods whose points come in no order. */
static void put_convergence(json *w, const view *v, const study_table_column *c) {
  static const char *const methods[] = {"random", "latin-hypercube", "sobol", "saltelli"};
  int random = 0, m = 0;
  for (int k = 0; k < 4; k++) random |= strcmp(v->method, methods[k]) == 0;
  long n = v->t->n, at[CONVERGENCE_STEPS] = {0};
  double mean[CONVERGENCE_STEPS], error[CONVERGENCE_STEPS], deviation[CONVERGENCE_STEPS],
      count[CONVERGENCE_STEPS];
  if (!random || n < 4) return;
  for (int k = 0; k < CONVERGENCE_STEPS; k++) {
    long next = (long)(pow((double)n / 2, (double)k / (CONVERGENCE_STEPS - 1)) * 2 + 0.5);
    if (m == 0 || next > at[m - 1]) at[m++] = next > n ? n : next;
  }
  cps_sample_convergence(c->x, n, at, m, mean, error, deviation);
  for (int k = 0; k < m; k++) count[k] = (double)at[k];
  json_open_flat(w, "convergence", '{');
  put_numbers(w, "points", count, m);
  put_numbers(w, "mean", mean, m);
  put_numbers(w, "error", error, m);
  put_numbers(w, "deviation", deviation, m);
  json_close(w);
}

/* ---------------------------------------------------------------- structured samples */

/* Rows of a design in groups of `width` consecutive points: row[n][width] are indices into the table, -1 where a point is missing. */
typedef struct design {
  long n;
  int width;
  long *row; /* owned */
} design;

static design design_of(const study_table *t, int width) {
  long long last = t->n > 0 ? t->point[t->n - 1] : -1;
  design d = {.n = (long)((last + 1) / width), .width = width};
  if (t->n > 0 && t->point[0] < 0) d.n = 0;
  if (d.n > t->n)
    d.n = t->n; /* a table with few points of a large study: what is whole lies at its start, or nowhere */
  d.row = (long *)need((size_t)d.n * (size_t)width, sizeof *d.row);
  for (long i = 0; i < d.n * width; i++) d.row[i] = -1;
  for (long i = 0; i < t->n; i++)
    if (t->point[i] < (long long)d.n * width) d.row[t->point[i]] = i;
  return d;
}

/* The values of a column in the order of a design. */
static double *arranged(const design *d, const double *x) {
  size_t n = (size_t)d->n * (size_t)d->width;
  double *y = (double *)need(n, sizeof *y);
  for (size_t i = 0; i < n; i++) y[i] = d->row[i] >= 0 ? x[d->row[i]] : NAN;
  return y;
}

/* Whether rows are A, B, AB_1 .. AB_d as cps_sobol_indices wants them, judged by the first base points that are whole. */
static int is_saltelli(const view *v, const design *s) {
  int dim = v->n_dimensions, seen = 0;
  for (long j = 0; j < s->n && seen < 4; j++) {
    const long *row = s->row + j * s->width;
    int whole = 1;
    for (int k = 0; k < s->width; k++) whole &= row[k] >= 0;
    if (!whole) continue;
    seen++;
    for (int i = 0; i < dim; i++)
      for (int k = 0; k < dim; k++) {
        const double *x = dimension_at(v, k)->x;
        if (x[row[2 + i]] != x[row[i == k ? 1 : 0]]) return 0;
      }
  }
  return seen > 0;
}

static void put_sobol(json *w, const view *v, const study_table_column *c) {
  int d = v->n_dimensions;
  if (strcmp(v->method, "saltelli") != 0 || d == 0) return;
  design s = design_of(v->t, d + 2);
  if (is_saltelli(v, &s)) {
    double *y = arranged(&s, c->x);
    cps_interval *first = (cps_interval *)need((size_t)d, 2 * sizeof *first), *total = first + d;
    long used;
    int resamples = resamples_for((double)s.n * (d + 2) * v->n_outputs);
    need_memory(cps_sobol_indices(y, s.n, d, resamples, v->seed, first, total, &used));
    json_open_flat(w, "sobol", '{');
    json_number(w, "base", (double)s.n);
    json_number(w, "used", (double)used);
    json_int(w, "resamples", resamples);
    json_open_flat(w, "first", '[');
    for (int i = 0; i < d; i++) put_interval(w, NULL, &first[i]);
    json_close(w);
    json_open_flat(w, "total", '[');
    for (int i = 0; i < d; i++) put_interval(w, NULL, &total[i]);
    json_close(w);
    /* the same over the first base points, to see whether they have settled */
    json_open_flat(w, "convergence", '[');
    for (long n = 16; n < 2 * s.n; n *= 2) {
      long m = n < s.n ? n : s.n;
      need_memory(cps_sobol_indices(y, m, d, 0, v->seed, first, total, &used));
      json_open_flat(w, NULL, '{');
      json_number(w, "base", (double)m);
      json_open_flat(w, "first", '[');
      for (int i = 0; i < d; i++) json_number(w, NULL, first[i].value);
      json_close(w);
      json_open_flat(w, "total", '[');
      for (int i = 0; i < d; i++) json_number(w, NULL, total[i].value);
      json_close(w);
      json_close(w);
    }
    json_close(w);
    json_close(w);
    free(first);
    free(y);
  }
  free(s.row);
}

static void put_morris(json *w, const view *v, const study_table_column *c) {
  int d = v->n_dimensions;
  if (strcmp(v->method, "morris") != 0 || d == 0) return;
  design s = design_of(v->t, d + 1);
  size_t rows = (size_t)s.n * (size_t)s.width;
  double *y = arranged(&s, c->x), *x = (double *)need(rows * (size_t)d, sizeof *x);
  double *scale = (double *)need((size_t)d, sizeof *scale),
         *effects = (double *)need((size_t)s.n * (size_t)d, sizeof *effects);
  cps_effects *m = (cps_effects *)need((size_t)d, sizeof *m);
  for (int k = 0; k < d; k++) {
    const study_table_column *p = dimension_at(v, k);
    scale[k] = range_of_parameter(p, v->t->n);
    for (size_t i = 0; i < rows; i++) x[i * (size_t)d + (size_t)k] = s.row[i] >= 0 ? p->x[s.row[i]] : NAN;
  }
  need_memory(
      cps_morris(x, y, s.n, d, scale, resamples_for((double)s.n * d * v->n_outputs), v->seed, m, effects));
  json_open_flat(w, "morris", '[');
  for (int k = 0; k < d; k++) {
    json_open_flat(w, NULL, '{');
    json_number(w, "mu", m[k].mu);
    put_interval(w, "mu_star", &m[k].mu_star);
    json_number(w, "sigma", m[k].sigma);
    json_number(w, "n", (double)m[k].n);
    json_close(w);
  }
  json_close(w);
  free(y);
  free(x);
  free(scale);
  free(effects);
  free(m);
  free(s.row);
}

/* The gradient of an output with respect to a parameter: the column d(OUTPUT)/d(PARAMETER), or NULL. */
static const study_table_column *gradient_of(const view *v, const char *output, const char *parameter) {
  char name[1200];
  snprintf(name, sizeof name, "d(%s)/d(%s)", output, parameter);
  for (int i = 0; i < v->n_gradients; i++)
    if (strcmp(v->t->column[v->gradient[i]].name, name) == 0) return &v->t->column[v->gradient[i]];
  return NULL;
}

static void put_swings(json *w, const view *v, const study_table_column *c) {
  if (v->n_gradients == 0) return;
  json_open_flat(w, "swings", '[');
  for (int i = 0; i < v->n_parameters; i++) {
    const study_table_column *p = parameter_at(v, i), *g = gradient_of(v, c->name, p->name);
    cps_swing s = {NAN, NAN, NAN, NAN, NAN, 0};
    double range = range_of_parameter(p, v->t->n);
    if (g && isfinite(range)) need_memory(cps_gradient_swing(g->x, v->t->n, range, &s));
    json_open_flat(w, NULL, '{');
    json_number(w, "mean", s.mean);
    json_number(w, "mean_size", s.mean_size);
    json_number(w, "low", s.low);
    json_number(w, "median", s.median);
    json_number(w, "high", s.high);
    json_number(w, "n", (double)s.n);
    json_close(w);
  }
  json_close(w);
}

static void put_statistics(json *w, const view *v) {
  json_open_flat(w, "dimensions", '[');
  for (int i = 0; i < v->n_dimensions; i++) json_text(w, NULL, dimension_at(v, i)->name);
  json_close(w);
  json_open_flat(w, "statistics", '[');
  for (int i = 0; i < v->n_outputs; i++) {
    const study_table_column *c = output_at(v, i);
    json_open_flat(w, NULL, '{');
    json_text(w, "output", c->name);
    json_text(w, "unit", c->unit);
    put_summary(w, c, v->t->n);
    put_correlations(w, v, c);
    put_convergence(w, v, c);
    put_sobol(w, v, c);
    put_morris(w, v, c);
    put_swings(w, v, c);
    json_close(w);
  }
  json_close(w);
}

/* ---------------------------------------------------------------- points */

/* Rows of the table that the page gets, marked in keep[n]. */
static void keep_even(const study_table *t, char *keep) {
  long every = (t->n + POINTS_SHOWN - 1) / POINTS_SHOWN;
  for (long i = 0; i < t->n; i++) keep[i] = every > 0 && i % every == 0;
}

/* The rows with the largest values of x (sign 1) or the smallest (-1): best[WORST_SHOWN], returns how many. */
static int extreme_rows(const double *x, long n, int sign, long *best) {
  int count = 0;
  for (long i = 0; i < n; i++) {
    if (!isfinite(x[i])) continue;
    int at = count;
    while (at > 0 && sign * x[i] > sign * x[best[at - 1]]) at--;
    if (at == WORST_SHOWN) continue;
    if (count < WORST_SHOWN) count++;
    for (int k = count - 1; k > at; k--) best[k] = best[k - 1];
    best[at] = i;
  }
  return count;
}

static void put_case(json *w, const study_table *t, long row) {
  char *command = study_table_command(t, row);
  if (!command) out_of_memory();
  json_open_flat(w, NULL, '{');
  json_number(w, "point", (double)t->point[row]);
  if (t->status[row] != POINT_OK) json_text(w, "message", t->message[row]);
  json_int(w, "status", t->status[row]);
  json_text(w, "command", command);
  json_close(w);
  free(command);
}

/* Failed points, and those beyond limits; failed ones first. */
static void put_failures(json *w, const study_table *t, char *keep) {
  long count[3] = {0, 0, 0};
  for (long i = 0; i < t->n; i++) count[t->status[i]]++;
  json_open_flat(w, "counts", '[');
  for (int k = 0; k < 3; k++) json_number(w, NULL, (double)count[k]);
  json_close(w);
  json_open_flat(w, "failures", '[');
  for (int status = POINT_FAILED; status >= POINT_LIMIT; status--) {
    long shown = 0;
    for (long i = 0; i < t->n && shown < FAILURES_SHOWN; i++) {
      if (t->status[i] != status) continue;
      put_case(w, t, i);
      keep[i] = 1;
      shown++;
    }
  }
  json_close(w);
}

static void put_worst(json *w, const view *v, char *keep) {
  json_open_flat(w, "worst", '[');
  for (int i = 0; i < v->n_outputs; i++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      long best[WORST_SHOWN];
      int n = extreme_rows(output_at(v, i)->x, v->t->n, sign, best);
      json_open_flat(w, NULL, '{');
      json_int(w, "output", i);
      json_text(w, "end", sign > 0 ? "largest" : "smallest");
      json_open_flat(w, "cases", '[');
      for (int k = 0; k < n; k++) {
        put_case(w, v->t, best[k]);
        keep[best[k]] = 1;
      }
      json_close(w);
      json_close(w);
    }
  json_close(w);
}

/* The kept values of a column. */
static void pack_kept(packer *p, const char *key, const double *x, const char *keep, long n, double *room) {
  size_t count = 0;
  for (long i = 0; i < n; i++)
    if (keep[i]) room[count++] = x[i];
  pack_array(p, key, room, count, 1, SERIES_BITS);
}

static void put_columns(packer *p, const view *v, const char *keep) {
  const study_table *t = v->t;
  double *room = (double *)need((size_t)t->n, 2 * sizeof *room), *x = room + t->n;
  json_open_flat(&p->w, "columns", '[');
  for (int i = 0; i < t->n_columns; i++) {
    const study_table_column *c = &t->column[i];
    json_open_flat(&p->w, NULL, '{');
    json_text(&p->w, "name", c->name);
    json_text(&p->w, "kind", c->kind);
    json_text(&p->w, "unit", c->unit);
    json_text(&p->w, "path", c->path);
    json_number(&p->w, "low", c->low);
    json_number(&p->w, "high", c->high);
    if (c->word) {
      json_open_flat(&p->w, "words", '[');
      for (int k = 0; k < c->n_words; k++) json_text(&p->w, NULL, c->word[k]);
      json_close(&p->w);
    }
    /* gradients are in the statistics */
    if (strcmp(c->kind, "gradient") != 0) pack_kept(p, "data", c->x, keep, t->n, room);
    json_close(&p->w);
  }
  json_close(&p->w);
  for (long i = 0; i < t->n; i++) x[i] = (double)t->point[i];
  pack_kept(p, "point", x, keep, t->n, room);
  for (long i = 0; i < t->n; i++) x[i] = t->status[i];
  pack_kept(p, "status", x, keep, t->n, room);
  pack_kept(p, "seconds", t->seconds, keep, t->n, room);
  free(room);
}

/* ---------------------------------------------------------------- the whole */

static void put_about(json *w, const study_table *t) {
  double sum[4] = {0};
  const double *const counters[] = {t->seconds, t->steps, t->iterations, t->rejected};
  static const char *const names[] = {"seconds", "steps", "iterations", "rejected"};
  char label[256];
  report_label(label, sizeof label, t->file);
  json_text(w, "label", label);
  json_number(w, "points_total", (double)t->n);
  json_open_flat(w, "about", '{');
  for (int i = 0; i < t->n_keys; i++) json_text(w, t->key[i], t->value[i]);
  json_close(w);
  json_open_flat(w, "sums", '{');
  for (int k = 0; k < 4; k++) {
    for (long i = 0; i < t->n; i++)
      if (isfinite(counters[k][i])) sum[k] += counters[k][i];
    json_number(w, names[k], sum[k]);
  }
  json_close(w);
}

static void encode(const study_table *t, const study_page_state *state, bytes *out) {
  packer p;
  view v;
  char *keep = (char *)need((size_t)t->n, 1);
  view_make(&v, t);
  keep_even(t, keep);
  pack_start(&p);
  put_about(&p.w, t);
  if (state) {
    json_open_flat(&p.w, "live", '{');
    json_text(&p.w, "status", state->status);
    json_bool(&p.w, "search", state->memory != NULL);
    json_number(&p.w, "done", state->done);
    json_number(&p.w, "wanted", state->wanted);
    json_number(&p.w, "wall", state->wall);
    json_close(&p.w);
  }
  put_failures(&p.w, t, keep);
  put_worst(&p.w, &v, keep);
  put_statistics(&p.w, &v);
  put_columns(&p, &v, keep);
  pack_end(&p, out);
  view_free(&v);
  free(keep);
}

static study_table *read_table(const char *where, const char *file, int *status) {
  cps_error error = {.status = CPS_OK};
  study_table *t = study_table_read(file, 0, &error);
  *status = t ? STATUS_GOOD : error.status == CPS_BAD_INPUT ? STATUS_USAGE : STATUS_IO;
  if (!t) complain(where, "%s", error.text);
  return t;
}

int study_page_write(const char *where, const char *table, const char *page, int named) {
  int status;
  study_table *t = read_table(where, table, &status);
  if (!t) return status;
  FILE *file = named ? open_output(where, page) : open_output_inside(where, page);
  if (file) {
    const char *title = study_table_text(t, "title");
    const web_asset script = web_study_script();
    char label[256];
    bytes data = {0};
    report_label(label, sizeof label, table);
    encode(t, NULL, &data);
    page_open(file, title && *title ? title : label, web_study_style(), &script, 1, 0);
    page_data(file, "data", data.data, data.length);
    page_close(file, script);
    free(data.data);
    status = close_output(where, page, file);
  } else {
    status = STATUS_IO;
  }
  study_table_free(t);
  return status;
}

int study_page_json(const char *where, const char *table, FILE *out) {
  int status;
  study_table *t = read_table(where, table, &status);
  if (!t) return status;
  view v;
  char *keep = (char *)need((size_t)t->n, 1);
  view_make(&v, t);
  json w = json_start(out);
  json_open(&w, NULL, '{');
  put_about(&w, t);
  put_failures(&w, t, keep);
  put_worst(&w, &v, keep);
  put_statistics(&w, &v);
  json_close(&w);
  json_end(&w);
  view_free(&v);
  free(keep);
  study_table_free(t);
  return status;
}

/* ---------------------------------------------------------------- a study that goes on */

bytes study_page_live(void) {
  bytes page = {0};
  char *text = NULL;
  FILE *memory = text_open(&text, &page.length);
  if (memory) {
    const web_asset script = web_study_script();
    page_open(memory, "A study that goes on", web_study_style(), &script, 1, 1);
    page_close(memory, script);
    if (!text_close(memory, &text)) page.length = 0;
  }
  page.data = (unsigned char *)text;
  return page;
}

void study_page_encode(const void *state, bytes *out) {
  const study_page_state *s = (const study_page_state *)state;
  cps_error error = {.status = CPS_OK};
  study_table *t = s->memory ? NULL : study_table_read(s->table, 1, &error);
  study_table empty = {.file = (char *)(uintptr_t)s->table}; /* not there yet: nothing to show */
  encode(s->memory ? s->memory : t ? t : &empty, s, out);
  study_table_free(t);
}
