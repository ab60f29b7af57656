/* report_data.c - the data of a report: results thinned out to what a screen can show, and packed (report_pack.h). */
#include "cli.h"
#include "report.h"
#include "report_pack.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  POSITION_BITS = 22, /* of positions along cables */
  FIELD_BITS = 16,    /* of all else along cables */
  VALUES_MOST = 400000,
  ROWS_LEAST = 300,
  ROWS_MOST = 4000,
  FRAMES_LEAST = 60,
  FRAMES_MOST = 600,
  EVENTS_MOST = 5000,
  POINTS_MOST = 4000, /* of what was measured */
  EVENTS_NEAR = 500   /* events whose neighbouring rows are kept in any case */
};

/* ---------------------------------------------------------------- which rows */

static long limit_of(long values_most, long per_row, long least, long most) {
  long limit = values_most / (per_row > 0 ? per_row : 1);
  return limit < least ? least : limit > most ? most : limit;
}

/* Rows to be shown, in any order and some of them twice. */
typedef struct row_list {
  long *row, n;
} row_list;

static void add_row(row_list *l, long row) { l->row[l->n++] = row; }

/* Rows at equal distances, first and last among them. */
static void add_even(row_list *l, long rows, long limit) {
  for (long i = 0; i < limit; i++)
    add_row(l, (long)((double)i * (double)(rows - 1) / (double)(limit - 1) + 0.5));
}

/* Peaks must not be lost: the smallest and the largest value of every column stay. */
static void add_extremes(row_list *l, const cps_result *r) {
  for (int c = 1; c < cps_result_columns(r); c++) {
    long least, most;
    column_extremes(r, c, &least, &most);
    add_row(l, least);
    add_row(l, most);
  }
}

static void add_events(row_list *l, const cps_result *r, long rows) {
  const double *t = cps_result_data(r, 0);
  long row = 0;
  for (long i = 0; i < cps_result_events(r) && i < EVENTS_NEAR; i++) {
    double time = cps_result_event(r, i)->time;
    for (; row < rows - 1 && t[row] < time; row++)
      if (row % ROWS_AT_ONCE == 0) cps_rows_release(r);
    add_row(l, row);
    if (row > 0) add_row(l, row - 1);
  }
}

static int earlier(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

/* The rows to be shown, *n of them; the caller's to free. */
static long *rows_shown(const cps_result *r, long *n) {
  long rows = cps_result_rows(r), columns = cps_result_columns(r);
  long limit = limit_of(VALUES_MOST, columns, ROWS_LEAST, ROWS_MOST);
  row_list l = {(long *)grow(NULL, (size_t)(limit + 2 * columns + 2 * EVENTS_NEAR), sizeof *l.row), 0};
  if (rows > limit) {
    add_even(&l, rows, limit);
    add_extremes(&l, r);
    add_events(&l, r, rows);
    qsort(l.row, (size_t)l.n, sizeof *l.row, earlier);
  } else {
    for (long i = 0; i < rows; i++) add_row(&l, i);
  }
  *n = 0;
  for (long i = 0; i < l.n; i++)
    if (*n == 0 || l.row[i] > l.row[*n - 1]) l.row[(*n)++] = l.row[i];
  return l.row;
}

/* ---------------------------------------------------------------- series, events, fields */

/* The values of some rows. Those that are in a file bring their neighbours along, and are released now and then. */
static void pick_rows(const cps_result *r, const double *data, const long *row, long n, double *x) {
  enum { AT_ONCE = 64 };
  for (long i = 0; i < n; i++) {
    x[i] = data[row[i]];
    if (i % AT_ONCE == AT_ONCE - 1) cps_rows_release(r);
  }
  cps_rows_release(r);
}

static void put_columns(packer *p, const cps_result *r, const long *row, long rows) {
  double *x = (double *)grow(NULL, (size_t)(rows > 0 ? rows : 1), sizeof *x);
  json_open_flat(&p->w, "columns", '[');
  for (int c = 0; c < cps_result_columns(r); c++) {
    const double *data = cps_result_data(r, c);
    pick_rows(r, data, row, rows, x);
    json_open_flat(&p->w, NULL, '{');
    json_text(&p->w, "name", cps_result_name(r, c));
    json_text(&p->w, "unit", cps_result_unit(r, c));
    if (c == 0)
      pack_exact(p, "data", x, (size_t)rows);
    else
      pack_array(p, "data", x, (size_t)rows, 1, SERIES_BITS);
    json_close(&p->w);
  }
  json_close(&p->w);
  json_number(&p->w, "rows_total", (double)cps_result_rows(r));
  free(x);
}

/* What is to be seen first, and what was measured. */
static void put_extras(packer *p, const report_source *source) {
  json_open_flat(&p->w, "focus", '[');
  for (int i = 0; i < source->n_focus; i++) json_text(&p->w, NULL, source->focus[i]);
  json_close(&p->w);
  json_open_flat(&p->w, "measured", '[');
  for (int i = 0; i < source->n_data; i++) {
    const report_data *d = &source->data[i];
    long n = d->n < POINTS_MOST ? d->n : POINTS_MOST;
    double *x = (double *)grow(NULL, 2 * (size_t)n + 1, sizeof *x), *y = x + n;
    for (long k = 0; k < n; k++) {
      long at = n < d->n ? k * (d->n - 1) / (n - 1) : k;
      x[k] = d->x[at];
      y[k] = d->y[at];
    }
    json_open_flat(&p->w, NULL, '{');
    json_text(&p->w, "name", d->name);
    json_text(&p->w, "unit", d->unit);
    pack_exact(p, "x", x, (size_t)n);
    pack_array(p, "data", y, (size_t)n, 1, SERIES_BITS);
    json_close(&p->w);
    free(x);
  }
  json_close(&p->w);
}

/* The place of a text in the list; it is added if it is new. */
static int place_of(const char ***list, int *n, const char *text) {
  for (int i = 0; i < *n; i++)
    if (strcmp((*list)[i], text) == 0) return i;
  *list = (const char **)grow((void *)*list, (size_t)*n + 1, sizeof **list);
  (*list)[*n] = text;
  return (*n)++;
}

static void put_events(packer *p, const cps_result *r) {
  long total = cps_result_events(r), n = total < EVENTS_MOST ? total : EVENTS_MOST;
  double *x = (double *)grow(NULL, 3 * (size_t)n + 1, sizeof *x), *contact = x + n, *kind = contact + n;
  const char **what = NULL;
  int n_what = 0;
  for (long i = 0; i < n; i++) {
    const cps_event *e = cps_result_event(r, i);
    x[i] = e->time;
    contact[i] = e->contact;
    kind[i] = place_of(&what, &n_what, e->what);
  }
  json_open_flat(&p->w, "events", '{');
  json_number(&p->w, "total", (double)total);
  pack_exact(p, "time", x, (size_t)n);
  pack_array(p, "contact", contact, (size_t)n, 1, SERIES_BITS);
  pack_array(p, "kind", kind, (size_t)n, 1, SERIES_BITS);
  json_open_flat(&p->w, "what", '[');
  for (int i = 0; what && i < n_what; i++) json_text(&p->w, NULL, what[i]);
  json_close(&p->w);
  json_close(&p->w);
  free((void *)what);
  free(x);
}

static void put_field(packer *p, const cps_result *r, int index, const long *frame, long frames) {
  const cps_field *f = cps_result_field(r, index);
  const double *data = cps_result_field_data(r, index);
  size_t per = (size_t)f->points * (size_t)f->components, n = f->constant ? per : per * (size_t)frames;
  if (!data) return;
  double *x = (double *)grow(NULL, n + 1, sizeof *x);
  if (f->constant)
    memcpy(x, data, per * sizeof *x);
  else
    for (long i = 0; i < frames; i++)
      memcpy(x + (size_t)i * per, data + (size_t)frame[i] * per, per * sizeof *x);
  size_t length = strlen(f->name);
  int is_place = length >= 8 && strcmp(f->name + length - 8, "position") == 0;
  json_open_flat(&p->w, NULL, '{');
  json_text(&p->w, "name", f->name);
  json_text(&p->w, "unit", f->unit);
  json_int(&p->w, "points", f->points);
  json_int(&p->w, "components", f->components);
  json_bool(&p->w, "constant", f->constant);
  pack_array(p, "data", x, n, f->constant ? 1 : per,
             f->constant ? SERIES_BITS
             : is_place  ? POSITION_BITS
                         : FIELD_BITS);
  json_close(&p->w);
  free(x);
}

static void put_fields(packer *p, const cps_result *r) {
  long total = cps_result_frames(r), per_frame = 0;
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    if (!f->constant) per_frame += (long)f->points * f->components;
  }
  long limit = limit_of(VALUES_MOST, per_frame, FRAMES_LEAST, FRAMES_MOST), n = total < limit ? total : limit;
  long *frame = (long *)grow(NULL, (size_t)n + 1, sizeof *frame);
  double *times = (double *)grow(NULL, (size_t)n + 1, sizeof *times);
  for (long i = 0; i < n; i++) {
    frame[i] = n > 1 ? (long)((double)i * (double)(total - 1) / (double)(n - 1) + 0.5) : 0;
    times[i] = cps_result_frame_times(r)[frame[i]];
  }
  json_open_flat(&p->w, "fields", '{');
  json_number(&p->w, "total", (double)total);
  pack_exact(p, "times", times, (size_t)n);
  json_open_flat(&p->w, "list", '[');
  for (int i = 0; i < cps_result_fields(r); i++) put_field(p, r, i, frame, n);
  json_close(&p->w);
  json_close(&p->w);
  free(times);
  free(frame);
}

/* ---------------------------------------------------------------- the machine */

static void put_vector(json *w, const char *key, const double *v) {
  json_open_flat(w, key, '[');
  for (int i = 0; i < 3; i++) json_number(w, NULL, v[i]);
  json_close(w);
}

static void put_bodies(json *w, const cps_scenario *s) {
  cps_body b;
  json_open_flat(w, "bodies", '[');
  for (int i = 0; s && cps_scenario_body_at(s, i, &b) == CPS_OK; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", b.name);
    json_text(w, "kind", b.kind);
    json_number(w, "mass", b.mass);
    put_vector(w, "origin", b.origin);
    put_vector(w, "direction", b.direction);
    put_vector(w, "x0", b.x);
    json_close(w);
  }
  json_close(w);
}

static void put_springs(json *w, const cps_scenario *s) {
  cps_spring k;
  json_open_flat(w, "springs", '[');
  for (int i = 0; s && cps_scenario_spring_at(s, i, &k) == CPS_OK; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", k.name);
    json_number(w, "length", k.length);
    json_bool(w, "tension_only", k.tension_only);
    json_bool(w, "along_line", k.along_line);
    json_open_flat(w, "ends", '[');
    for (int e = 0; e < 2; e++) {
      json_open_flat(w, NULL, '{');
      json_int(w, "body", k.body[e]);
      put_vector(w, "offset", k.offset[e]);
      json_close(w);
    }
    json_close(w);
    json_close(w);
  }
  json_close(w);
}

static void put_contacts(json *w, const cps_scenario *s) {
  cps_contact c;
  json_open_flat(w, "contacts", '[');
  for (int i = 0; s && cps_scenario_contact_at(s, i, &c) == CPS_OK; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", c.name);
    json_text(w, "law", c.law->name);
    json_open_flat(w, "bodies", '[');
    for (int e = 0; e < 2; e++) json_int(w, NULL, c.body[e]);
    json_close(w);
    json_close(w);
  }
  json_close(w);
}

static void put_loads(packer *p, const cps_scenario *s, const double *t, long n) {
  cps_load l;
  double *x = (double *)grow(NULL, (size_t)n + 1, sizeof *x);
  json_open_flat(&p->w, "loads", '[');
  for (int i = 0; s && cps_scenario_load_at(s, i, &l) == CPS_OK; i++) {
    json_open_flat(&p->w, NULL, '{');
    json_text(&p->w, "name", l.name);
    json_int(&p->w, "body", l.body);
    put_vector(&p->w, "direction", l.direction);
    for (long k = 0; k < n; k++) x[k] = cps_scenario_force(s, i, t[k]);
    pack_array(p, "force", x, (size_t)n, 1, SERIES_BITS);
    json_close(&p->w);
  }
  json_close(&p->w);
  free(x);
}

static void put_drums(packer *p, const cps_scenario *s, const double *t, long n) {
  json *w = &p->w;
  cps_drum d;
  double *x = (double *)grow(NULL, (size_t)n + 1, sizeof *x);
  json_open_flat(w, "drums", '[');
  for (int i = 0; s && cps_scenario_drum_at(s, i, &d) == CPS_OK; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", d.name);
    json_number(w, "radius", d.radius);
    put_vector(w, "center", d.center);
    put_vector(w, "axis", d.axis);
    json_int(w, "carrier", d.carrier);
    json_open_flat(w, "shift", '[');
    for (int k = 0; k < 3; k++) {
      for (long j = 0; j < n && d.moves[k]; j++) x[j] = cps_scenario_shift(s, i, k, t[j]);
      if (d.moves[k])
        pack_array(p, NULL, x, (size_t)n, 1, SERIES_BITS);
      else
        json_text(w, NULL, NULL);
    }
    json_close(w);
    json_close(w);
  }
  json_close(w);
  free(x);
}

static void put_cables(json *w, const cps_scenario *s) {
  cps_cable c;
  json_open_flat(w, "cables", '[');
  for (int i = 0; s && cps_scenario_cable_at(s, i, &c) == CPS_OK; i++) {
    json_open_flat(w, NULL, '{');
    json_text(w, "name", c.name);
    json_bool(w, "closed", c.closed);
    json_text(w, "law", c.law ? c.law->name : NULL);
    json_number(w, "diameter", c.diameter);
    json_number(w, "mass_per_length", c.mass_per_length);
    json_open_flat(w, "ends", '[');
    for (int e = 0; e < 2; e++) {
      json_open_flat(w, NULL, '{');
      json_text(w, "kind", c.end[e].kind);
      json_int(w, "body", c.end[e].body);
      json_close(w);
    }
    json_close(w);
    json_close(w);
  }
  json_close(w);
}

static void put_model(packer *p, const cps_scenario *s, const double *t, long n) {
  cps_contents has = {.dim = 2};
  if (s) cps_scenario_contents(s, &has);
  json_open_flat(&p->w, "model", '{');
  json_int(&p->w, "dim", has.dim);
  put_vector(&p->w, "gravity", has.gravity);
  put_bodies(&p->w, s);
  put_springs(&p->w, s);
  put_contacts(&p->w, s);
  put_loads(p, s, t, n);
  put_drums(p, s, t, n);
  put_cables(&p->w, s);
  json_close(&p->w);
}

/* ---------------------------------------------------------------- the run */

static void put_numbers(json *w, const report_source *source) {
  cps_energy e = source->energy;
  cps_counters n = source->counters;
  const struct {
    const char *key;
    double value;
  } energy[] = {{"initial", e.initial},   {"kinetic", e.kinetic},     {"elastic", e.elastic},
                {"gravity", e.gravity},   {"load_work", e.load_work}, {"motion_work", e.motion_work},
                {"friction", e.friction}, {"damping", e.damping},     {"solver", e.solver},
                {"error", e.error},       {"scale", e.scale}},
    counters[] = {{"steps", (double)n.steps},
                  {"rejected", (double)n.rejected},
                  {"evaluations", (double)n.evaluations},
                  {"newton", (double)n.newton},
                  {"factorisations", (double)n.factorisations},
                  {"events", (double)n.events}};
  json_open_flat(w, "energy", '{');
  for (size_t i = 0; i < sizeof energy / sizeof energy[0]; i++)
    json_number(w, energy[i].key, energy[i].value);
  json_close(w);
  json_open_flat(w, "counters", '{');
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
    json_number(w, counters[i].key, counters[i].value);
  json_close(w);
}

/* The warnings of the summary, whatever they are made of: its array of that name, which is JSON. */
static void put_warnings(json *w, const char *summary) {
  static const char key[] = "\n  \"warnings\": [";
  const char *start = summary ? strstr(summary, key) : NULL;
  if (!start) {
    json_raw(w, "warnings", "[]", 2);
    return;
  }
  start += sizeof key - 2;
  const char *end = start;
  int depth = 0, quoted = 0;
  do {
    if (quoted && *end == '\\' && end[1])
      end++;
    else if (*end == '"')
      quoted = !quoted;
    else if (!quoted)
      depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
    end++;
  } while (*end && depth > 0);
  json_raw(w, "warnings", start, (size_t)(end - start));
}

static void put_about(json *w, const report_source *source) {
  const outcome *o = source->run;
  cps_contents run = {.tolerance = NAN, .tolerance_abs = NAN};
  long rows = cps_result_rows(o->result);
  const double *t = cps_result_data(o->result, 0);
  if (rows) {
    run.from = t[0];
    run.until = t[rows - 1];
  }
  if (o->scenario) cps_scenario_contents(o->scenario, &run);
  json_text(w, "label", source->label);
  json_text(w, "title", source->title);
  json_text(w, "status", o->status);
  json_text(w, "error", o->error ? o->error->text : NULL);
  json_text(w, "version", source->version);
  json_text(w, "file", source->file);
  json_text(w, "hash", source->hash);
  json_text(w, "scenario", source->text ? source->text : "");
  json_number(w, "wall", o->wall);
  put_warnings(w, source->summary);
  json_open_flat(w, "settings", '[');
  for (int i = 0; i < o->n_settings; i++) json_text(w, NULL, o->settings[i]);
  json_close(w);
  json_open_flat(w, "run", '{');
  json_text(w, "solver", source->solver ? source->solver : "");
  json_number(w, "from", run.from);
  json_number(w, "until", run.until);
  json_number(w, "reached", rows ? t[rows - 1] : NAN);
  json_number(w, "tolerance", run.tolerance);
  json_number(w, "absolute_tolerance", run.tolerance_abs);
  json_close(w);
}

static void put_run(packer *p, const report_source *source) {
  const cps_result *r = source->run->result;
  long rows, *row = rows_shown(r, &rows);
  double *t = (double *)grow(NULL, (size_t)rows + 1, sizeof *t);
  pick_rows(r, cps_result_data(r, 0), row, rows, t);
  json_open_flat(&p->w, NULL, '{');
  put_about(&p->w, source);
  put_numbers(&p->w, source);
  put_columns(p, r, row, rows);
  put_extras(p, source);
  put_events(p, r);
  put_fields(p, r);
  put_model(p, source->run->scenario, t, rows);
  json_close(&p->w);
  free(t);
  free(row);
}

void report_encode(const report_source *sources, int n, bytes *out) {
  packer p;
  pack_start(&p);
  json_open_flat(&p.w, "runs", '[');
  for (int i = 0; i < n; i++) put_run(&p, &sources[i]);
  json_close(&p.w);
  pack_end(&p, out);
}
