/* models_at.c - evaluates a model at one point: value, rates, and every derivative by name. */
#include "cli.h"
#include "models.h"
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

int models_set(const entry *e, const text_list *settings, double *p) {
  slot slots[CPS_MAX_PARAMS] = {0};
  for (int i = 0; i < e->n_params; i++) {
    snprintf(slots[i].name, sizeof slots[i].name, "%s", e->params[i].name);
    slots[i].value = &p[i];
  }
  return read_pairs("models", "set", e->name, settings, slots, e->n_params);
}

/* ---------------------------------------------------------------- results */

/* A named number. */
typedef struct row {
  char name[80];
  char unit[24]; /* "" for derivatives */
  double value;
} row;

/* Rows that grow. */
typedef struct rows {
  int n, room;
  row *row;
} rows;

static void add_row(rows *r, const char *name, const char *unit, double value) {
  if (r->n == r->room) {
    r->room = r->room ? 2 * r->room : 32;
    r->row = (row *)grow(r->row, (size_t)r->room, sizeof *r->row);
  }
  row *x = &r->row[r->n++];
  snprintf(x->name, sizeof x->name, "%s", name);
  snprintf(x->unit, sizeof x->unit, "%s", strcmp(unit, "1") == 0 ? "" : unit);
  x->value = value == 0 ? 0 : value; /* no negative zeros */
}

/* A guard of the current mode: its value, and the mode that it leads to ("" if it is not in use). */
typedef struct guard_row {
  double value;
  char to[64];
} guard_row;

/* Everything known of one point. */
typedef struct report {
  const entry *e;
  const double *p; /* NULL to read the point only */
  rows point, values, derivatives;
  rows defaults; /* what was not given */
  char mode[64]; /* "" without modes */
  int n_guards;
  guard_row guards[CPS_MAX_GUARDS];
  rows guard_derivatives;
} report;

static void free_report(report *r) {
  free(r->point.row);
  free(r->defaults.row);
  free(r->values.row);
  free(r->derivatives.row);
  free(r->guard_derivatives.row);
}

static void note_default(report *r, const char *name) { add_row(&r->defaults, name, "", 0); }

/* ---------------------------------------------------------------- friction laws */

/* All derivatives of the output called `of`. */
static void add_partials(rows *to, const cps_law *law, const char *of, const cps_partials *d) {
  char name[80];
  snprintf(name, sizeof name, "d%s/dv", of);
  add_row(to, name, "", d->v);
  snprintf(name, sizeof name, "d%s/dn", of);
  add_row(to, name, "", d->n);
  snprintf(name, sizeof name, "d%s/df_eq", of);
  add_row(to, name, "", d->f_eq);
  for (int i = 0; i < law->n_states; i++) {
    snprintf(name, sizeof name, "d%s/dz.%s", of, law->states[i].name);
    add_row(to, name, "", d->z[i]);
  }
  for (int i = 0; i < law->n_params; i++) {
    snprintf(name, sizeof name, "d%s/dp.%s", of, law->params[i].name);
    add_row(to, name, "", d->p[i]);
  }
}

/* The name of a mode as it is written on the command line, where blanks and commas are in the way. */
static void dashed_mode_name(const cps_law *law, int mode, char *text, size_t size) {
  char name[64];
  cps_law_mode_name(law, mode, name, sizeof name);
  size_t n = 0;
  for (const char *c = name; *c && n + 1 < size; c++) {
    int gap = *c == ' ' || *c == ',';
    if (!gap)
      text[n++] = *c;
    else if (n > 0 && text[n - 1] != '-')
      text[n++] = '-';
  }
  text[n] = 0;
}

/* The mode of that name, dashed or not; -2 if there is none. */
static int find_mode(const cps_law *law, const char *text) {
  if (strcmp(text, "free") == 0) return CPS_MODE_FREE;
  for (int i = 0; i < law->n_modes; i++) {
    char name[64], dashed[64];
    cps_law_mode_name(law, i, name, sizeof name);
    dashed_mode_name(law, i, dashed, sizeof dashed);
    if (strcmp(text, name) == 0 || strcmp(text, dashed) == 0) return i;
  }
  return -2;
}

static int unknown_mode(const cps_law *law, const char *text) {
  if (!law->n_modes) {
    complain("models", "%s has no modes, but mode = '%s' was given", law->name, text);
    return 1;
  }
  nearest n = {.word = text};
  char names[CPS_MAX_GUARDS * 8][64], known[400] = "";
  int count = law->n_modes < CPS_MAX_GUARDS * 8 ? law->n_modes : CPS_MAX_GUARDS * 8;
  for (int i = 0; i < count; i++) {
    dashed_mode_name(law, i, names[i], sizeof names[i]);
    nearest_offer(&n, names[i]);
    if (i < 8) append(known, sizeof known, "%s, ", names[i]);
  }
  complain("models", "%s has no mode '%s'; did you mean '%s'? It takes %s%sor free, to let it choose",
           law->name, text, n.best, known, count > 8 ? "..., " : "");
  return 1;
}

/* Whether a guard says nothing in this mode: constantly 1. */
static int is_unused(const cps_law *law, double g, const cps_partials *d) {
  int moves = d->v != 0 || d->n != 0 || d->f_eq != 0;
  for (int i = 0; i < law->n_states; i++) moves |= d->z[i] != 0;
  return g == 1 && !moves;
}

static void add_guards(report *r, const cps_law *law, const cps_law_input *in) {
  double g[CPS_MAX_GUARDS];
  cps_partials g_x[CPS_MAX_GUARDS];
  cps_law_guards(law, r->p, in, g, g_x);
  r->n_guards = law->n_guards;
  for (int i = 0; i < law->n_guards; i++) {
    r->guards[i].value = g[i];
    r->guards[i].to[0] = 0;
    if (is_unused(law, g[i], &g_x[i])) continue;
    double z[CPS_MAX_STATES] = {0};
    int to = cps_law_transition(law, r->p, in, i, z, NULL);
    cps_law_mode_name(law, to, r->guards[i].to, sizeof r->guards[i].to);
    char of[24];
    snprintf(of, sizeof of, "g%d", i);
    add_partials(&r->guard_derivatives, law, of, &g_x[i]);
  }
}

static void evaluate_law(report *r, const cps_law_input *in) {
  const cps_law *law = r->e->law;
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(law, r->p, in, &out, &jac);
  add_row(&r->values, "f", "N", out.f);
  add_partials(&r->derivatives, law, "f", &jac.f);
  for (int i = 0; i < law->n_states; i++) {
    char name[80], unit[24];
    snprintf(name, sizeof name, "z_t.%s", law->states[i].name);
    const char *of = law->states[i].unit;
    if (strcmp(of, "s") == 0)
      snprintf(unit, sizeof unit, "1");
    else
      snprintf(unit, sizeof unit, "%.20s/s", of);
    add_row(&r->values, name, unit, out.z_t[i]);
    add_partials(&r->derivatives, law, name, &jac.z_t[i]);
  }
  if (!law->n_modes) return;
  cps_law_mode_name(law, in->mode, r->mode, sizeof r->mode);
  add_guards(r, law, in);
}

/* Reads the point and evaluates; returns how many complaints were made. */
static int report_law(report *r, const text_list *points) {
  const cps_law *law = r->e->law;
  double v = 0, n = 1, f_eq = 0, z[CPS_MAX_STATES] = {0};
  char mode[64] = "free";
  slot slots[CPS_MAX_STATES + 5] = {
      {"v", &v, NULL, 0, 0}, {"n", &n, NULL, 0, 0}, {"f_eq", &f_eq, NULL, 0, 0}};
  int count = 3;
  for (int i = 0; i < law->n_states; i++, count++) {
    snprintf(slots[count].name, sizeof slots[count].name, "z.%s", law->states[i].name);
    slots[count].value = &z[i];
  }
  if (law->n_states == 1) {
    snprintf(slots[count].name, sizeof slots[count].name, "z");
    slots[count++].value = &z[0];
  }
  slot mode_slot = {"mode", NULL, mode, sizeof mode, 0};
  slots[count++] = mode_slot;
  int problems = read_pairs("models", "at", law->name, points, slots, count);
  cps_law_input in = {.v = v, .n = n, .f_eq = f_eq, .z = z, .mode = find_mode(law, mode)};
  if (in.mode < CPS_MODE_FREE) problems += unknown_mode(law, mode);
  if (problems || !r->p) return problems;

  if (law->n_modes && in.mode == CPS_MODE_FREE) in.mode = cps_law_mode(law, r->p, &in);
  add_row(&r->point, "v", "m/s", v);
  add_row(&r->point, "n", "N", n);
  add_row(&r->point, "f_eq", "N", f_eq);
  for (int i = 0; i < law->n_states; i++) {
    char name[80];
    snprintf(name, sizeof name, "z.%s", law->states[i].name);
    add_row(&r->point, name, law->states[i].unit, z[i]);
  }
  int plain_z = law->n_states == 1 && slots[count - 2].given;
  for (int i = 0; i < 3 + law->n_states; i++)
    if (!slots[i].given && !(i == 3 && plain_z)) note_default(r, slots[i].name);
  if (law->n_modes && !slots[count - 1].given) note_default(r, "mode");
  evaluate_law(r, &in);
  return 0;
}

/* ---------------------------------------------------------------- the others */

static int report_normal(report *r, const text_list *points) {
  const cps_normal *law = r->e->normal;
  double depth = 0, rate = 0;
  slot slots[] = {{"depth", &depth, NULL, 0, 0}, {"rate", &rate, NULL, 0, 0}};
  int problems = read_pairs("models", "at", law->name, points, slots, 2);
  if (problems || !r->p) return problems;
  add_row(&r->point, "depth", "m", depth);
  add_row(&r->point, "rate", "m/s", rate);
  for (int i = 0; i < 2; i++)
    if (!slots[i].given) note_default(r, slots[i].name);
  cps_normal_output out;
  cps_normal_eval(law, r->p, depth, rate, &out);
  add_row(&r->values, "n", "N", out.n);
  add_row(&r->derivatives, "dn/ddepth", "", out.depth);
  add_row(&r->derivatives, "dn/drate", "", out.rate);
  for (int i = 0; i < law->n_params; i++) {
    char name[80];
    snprintf(name, sizeof name, "dn/dp.%s", law->params[i].name);
    add_row(&r->derivatives, name, "", out.p[i]);
  }
  return 0;
}

static int report_wrap(report *r, const text_list *points) {
  double t_in = 1, t_out = 1;
  slot slots[] = {{"t_in", &t_in, NULL, 0, 0}, {"t_out", &t_out, NULL, 0, 0}};
  int problems = read_pairs("models", "at", r->e->name, points, slots, 2);
  if (!problems && !(t_in > 0 && t_out > 0)) {
    complain("models", "t_in = %g and t_out = %g: tensions of a cable must be positive", t_in, t_out);
    problems++;
  }
  cps_wrap w;
  if (problems || !r->p || cps_wrap_eval(t_in, t_out, r->p[WRAP_MU], r->p[WRAP_ANGLE], &w) != CPS_OK)
    return problems;
  add_row(&r->point, "t_in", "N", t_in);
  add_row(&r->point, "t_out", "N", t_out);
  for (int i = 0; i < 2; i++)
    if (!slots[i].given) note_default(r, slots[i].name);
  add_row(&r->values, "ratio", "1", w.ratio);
  add_row(&r->values, "limit", "1", w.limit);
  add_row(&r->values, "slip_arc", "rad", w.slip_arc);
  add_row(&r->values, "stick_arc", "rad", w.stick_arc);
  add_row(&r->values, "margin", "1", w.margin);
  add_row(&r->values, "torque", "N", w.torque);
  add_row(&r->values, "slips", "1", w.slips);
  add_row(&r->derivatives, "dslip_arc/dt_in", "", w.slip_arc_t_in);
  add_row(&r->derivatives, "dslip_arc/dt_out", "", w.slip_arc_t_out);
  add_row(&r->derivatives, "dslip_arc/dp.mu", "", w.slip_arc_mu);
  return 0;
}

/* ---------------------------------------------------------------- output */

/* With `some`, only what is not zero. */
static void print_rows(FILE *out, const rows *r, int column, int some) {
  for (int i = 0; i < r->n; i++) {
    if (some && r->row[i].value == 0) continue;
    char text[40];
    number_text(text, sizeof text, r->row[i].value);
    fprintf(out, "  ");
    term_pad(out, r->row[i].name, column);
    fprintf(out, "%s%s%s\n", text, r->row[i].unit[0] ? " " : "", r->row[i].unit);
  }
}

static int longest_name(const rows *r, int least) {
  for (int i = 0; i < r->n; i++) {
    int n = term_columns(r->row[i].name) + 2;
    if (n > least) least = n;
  }
  return least;
}

static void print_text(FILE *out, const report *r) {
  term t = term_detect(out, 80);
  char line[640] = "", text[40];
  for (int i = 0; i < r->point.n; i++) {
    const row *x = &r->point.row[i];
    number_text(text, sizeof text, x->value);
    append(line, sizeof line, "%s%s = %s%s%s", i ? ", " : "at ", x->name, text, x->unit[0] ? " " : "",
           x->unit);
  }
  if (r->mode[0]) append(line, sizeof line, ", mode = %s", r->mode);
  for (int i = 0; i < r->defaults.n; i++)
    append(line, sizeof line, "%s%s", i ? ", " : " (not given: ", r->defaults.row[i].name);
  if (r->defaults.n) append(line, sizeof line, ")");
  fprintf(out, "%s%s%s ", term_bold(&t), r->e->name, term_plain(&t));
  term_wrap(out, &t, term_columns(r->e->name) + 1, 4, line);
  line[0] = 0;
  for (int i = 0; i < r->e->n_params; i++) {
    const char *unit = r->e->params[i].unit;
    int bare = strcmp(unit, "1") == 0;
    number_text(text, sizeof text, r->p[i]);
    append(line, sizeof line, "%s%s = %s%s%s", i ? ", " : "with ", r->e->params[i].name, text,
           bare ? "" : " ", bare ? "" : unit);
  }
  term_wrap(out, &t, 0, 4, line);
  int column = longest_name(&r->derivatives, longest_name(&r->values, 12));
  column = longest_name(&r->guard_derivatives, column);
  fputc('\n', out);
  print_rows(out, &r->values, column, 0);
  fputc('\n', out);
  print_rows(out, &r->derivatives, column, 0);
  if (r->n_guards) fprintf(out, "\n  guards of this mode, of which none is negative while it holds\n");
  for (int i = 0; i < r->n_guards; i++) {
    if (!r->guards[i].to[0]) continue;
    number_text(text, sizeof text, r->guards[i].value);
    char name[24];
    snprintf(name, sizeof name, "g%d", i);
    fprintf(out, "  ");
    term_pad(out, name, column);
    fprintf(out, "%s, then %s\n", text, r->guards[i].to);
  }
  print_rows(out, &r->guard_derivatives, column, 1);
}

static void rows_json(json *w, const char *key, const rows *r) {
  json_open(w, key, '{');
  for (int i = 0; i < r->n; i++) json_number(w, r->row[i].name, r->row[i].value);
  json_close(w);
}

static void print_json(FILE *out, const report *r) {
  json w = json_start(out);
  json_open(&w, NULL, '{');
  json_text(&w, "model", r->e->name);
  rows_json(&w, "at", &r->point);
  json_open_flat(&w, "not_given", '[');
  for (int i = 0; i < r->defaults.n; i++) json_text(&w, NULL, r->defaults.row[i].name);
  json_close(&w);
  json_open(&w, "params", '{');
  for (int i = 0; i < r->e->n_params; i++) json_number(&w, r->e->params[i].name, r->p[i]);
  json_close(&w);
  json_text(&w, "mode", r->mode[0] ? r->mode : NULL);
  rows_json(&w, "values", &r->values);
  rows_json(&w, "derivatives", &r->derivatives);
  json_open(&w, "guards", '[');
  for (int i = 0; i < r->n_guards; i++) {
    json_open_flat(&w, NULL, '{');
    char name[24];
    snprintf(name, sizeof name, "g%d", i);
    json_text(&w, "name", name);
    json_number(&w, "value", r->guards[i].value);
    json_text(&w, "to", r->guards[i].to[0] ? r->guards[i].to : NULL);
    json_close(&w);
  }
  json_close(&w);
  rows_json(&w, "guard_derivatives", &r->guard_derivatives);
  json_close(&w);
  json_end(&w);
}

static int fill_report(report *r, const text_list *points) {
  return r->e->law ? report_law(r, points) : r->e->normal ? report_normal(r, points) : report_wrap(r, points);
}

int models_at_check(const entry *e, const text_list *points) {
  report r = {.e = e};
  return points->n > 0 ? fill_report(&r, points) : 0;
}

void models_at(FILE *out, const entry *e, const double *p, const text_list *points, int as_json) {
  report r = {.e = e, .p = p};
  fill_report(&r, points);
  if (as_json)
    print_json(out, &r);
  else
    print_text(out, &r);
  free_report(&r);
}
