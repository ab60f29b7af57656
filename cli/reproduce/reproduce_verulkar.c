/* reproduce_verulkar.c - A. Verulkar, A. Sandu, C. Sandu, D. Dopico, On effects of continuous event
 * approximations on sensitivities and optimization of multibody systems with friction, EasyChair preprint,
 * 2024. */
#include "reproduce.h"

#include <stdio.h>

#define PAPER      "Verulkar, A. Sandu, C. Sandu and Dopico (2024)"
#define COUNT(a)   ((int)(sizeof(a) / sizeof((a)[0])))
#define RABINOWICZ "verulkar/rabinowicz.yaml"
#define X          "bodies.block.x"
#define V          "bodies.block.v"
#define SMOOTH(VT) "contacts.belt.friction={brown-mcphee: {mu_s: 0.8, mu_d: 0.7, v_t: " VT "}}; run.until=1"

static const item rabinowicz_items[] = {
    {"event Coulomb: sticks for the first time", RABINOWICZ, "", event_time, "belt", 1, NAN, 0.151334705612,
     "s", RELATIVE, 1e-11, source_events, NULL},
    {"event Coulomb: slips for the first time", RABINOWICZ, "", event_time, "belt", 2, NAN, 0.858989370921,
     "s", RELATIVE, 1e-11, source_events, NULL},
    {"event Coulomb: sticks for the second time", RABINOWICZ, "", event_time, "belt", 3, NAN, 2.655660695801,
     "s", RELATIVE, 1e-11, source_events, NULL},
    {"event Coulomb: x at 0.5 s (sticks)", RABINOWICZ, "", value_at, X, 0.5, NAN, 0.425810629079, "m",
     RELATIVE, 1e-11, source_events, NULL},
    {"event Coulomb: x' at 0.5 s (sticks)", RABINOWICZ, "", value_at, V, 0.5, NAN, 1, "m/s", RELATIVE, 1e-14,
     source_closed, NULL},
    {"event Coulomb: x at 1 s", RABINOWICZ, "", value_at, X, 1, NAN, 0.911591218670, "m", RELATIVE, 1e-11,
     source_events, NULL},
    {"event Coulomb: x' at 1 s", RABINOWICZ, "", value_at, V, 1, NAN, 0.768424035056, "m/s", RELATIVE, 1e-11,
     source_events, NULL},
    {"Brown-McPhee, v_t = 1e-2: x at 1 s", RABINOWICZ, SMOOTH("1e-2"), value_end, X, 0, NAN, 0.914761538909,
     "m", RELATIVE, 1e-9, source_run, NULL},
    {"Brown-McPhee, v_t = 1e-3: x at 1 s", RABINOWICZ, SMOOTH("1e-3"), value_end, X, 0, NAN, 0.912832378281,
     "m", RELATIVE, 1e-9, source_run, NULL},
    {"Brown-McPhee, v_t = 1e-4: x at 1 s", RABINOWICZ, SMOOTH("1e-4"), value_end, X, 0, NAN, 0.911857691497,
     "m", RELATIVE, 1e-9, source_run, NULL},
};

/* ---------------------------------------------------------------- dynamics */

static double period(const trial *t) { return event_time(t, "belt", 4) - event_time(t, "belt", 2); }

static void draw_dynamics(reproduction *r) {
  figure *f = add_drawing(
      r, "verulkar-2", "Verulkar et al., Fig. 2: Rabinowicz's experiment",
      "m = 1 kg, k = 10 N/m, belt 1 m/s, mu_s = 0.8, mu_d = 0.7. The two laws can hardly be told "
      "apart.");
  if (!f) return;
  const trial *exact = trial_run(r, RABINOWICZ, "run.output=0.01"),
              *smooth = trial_run(r, RABINOWICZ,
                                  "run.output=0.01; run.tolerance=1e-9; "
                                  "contacts.belt.friction={brown-mcphee: {mu_s: 0.8, mu_d: 0.7, v_t: 1e-3}}");
  const struct {
    const char *title, *name, *unit, *column;
  } parts[] = {{"a) position", "x", "m", X}, {"b) velocity", "x'", "m/s", V}};
  for (int i = 0; i < COUNT(parts); i++) {
    panel *p = figure_panel(f, parts[i].title);
    axis_set(&p->x, "time t", "s");
    axis_set(&p->y, parts[i].name, parts[i].unit);
    series *s = panel_series(p, "event Coulomb");
    s->width = 1.3;
    draw_columns(s, exact, "time", parts[i].column, 0, 10);
    s = panel_series(p, "Brown-McPhee, v_{t} = 1 mm/s");
    s->line = LINE_DASHED;
    draw_columns(s, smooth, "time", parts[i].column, 0, 10);
  }
}

static void rabinowicz_more(reproduction *r) {
  const trial *t = trial_run(r, RABINOWICZ, "%s", "");
  row x = {.item = "event Coulomb: period",
           .published = NAN,
           .reference = 1.992871324879,
           .computed = period(t),
           .unit = "s",
           .by = RELATIVE,
           .tolerance = 1e-11,
           .source = source_events};
  add_row(r, &x, t);
  draw_dynamics(r);
}

/* ---------------------------------------------------------------- sensitivities */

enum { BY_MASS, BY_STIFFNESS };

/* What is differentiated: outputs at these places of the list, of which a run to 1 s has the first four. */
enum { X_STICKS, V_STICKS, X_SLIPS, V_SLIPS, SECOND_EVENT, FOURTH_EVENT, OUTPUTS };
static const char *const outputs[OUTPUTS] = {X "@0.5", V "@0.5",         X "@1",
                                             V "@1",   "event(belt, 2)", "event(belt, 4)"};

static const double MASS = 1, STIFFNESS = 10, MU_D = 0.7, GRAVITY = 9.81;

/* A differentiated run of the trial's scenario; NULL if it fails. */
static cps_sens *differentiate(const trial *t, cps_sens_method method, int n_of, int jumps) {
  static const char *const wrt[] = {"bodies.block.mass", "springs.spring.stiffness"};
  cps_error err;
  cps_sens *s = t->scenario ? cps_sens_new(t->scenario, wrt, COUNT(wrt), outputs, n_of, &err) : NULL;
  if (s && !jumps) cps_sens_leave_jumps_out(s);
  if (s && cps_sens_run(s, method, NULL, NULL, &err) == CPS_OK) return s;
  cps_sens_free(s);
  return NULL;
}

static double gradient(const cps_sens *s, int of, int wrt) { return s ? cps_sens_gradient(s, of, wrt) : NAN; }

/* d/dk = -(m/k) d/dm, since time and forces depend on k/m and m alone: what is left of it over all rows of a column. */
static double identity(const cps_sens *s, const char *column) {
  if (!s) return NAN;
  const cps_result *r = cps_sens_result(s);
  int c = cps_result_find(r, column);
  const double *m = cps_sens_history(s, c, BY_MASS), *k = cps_sens_history(s, c, BY_STIFFNESS);
  double worst = m && k ? 0 : NAN;
  for (long i = 0; m && k && i < cps_result_rows(r); i++)
    worst = fmax(worst, fabs(k[i] + MASS / STIFFNESS * m[i]));
  return worst;
}

/* dx'/dm just before the first capture, while the block has slid from rest: x' = mu g sin(w t)/w, w^2 = k/m. */
static double before_capture(double t) {
  double w = sqrt(STIFFNESS / MASS);
  return MU_D * GRAVITY / (2 * MASS) * (sin(w * t) / w - t * cos(w * t));
}

static const char saltation[] =
    "The paper reports a non-zero constant during stiction. With the jump of the sensitivities at capture "
    "applied it is exactly zero on a belt of given speed, as here, and as the regularised law says in its "
    "limit.";
static const char no_jump[] = "What the paper reports: the derivative keeps the value that it had just "
                              "before the block is captured, if the jump "
                              "there is left out. That is the derivative of no solution.";

/* A row of the study. */
typedef struct sensitivity {
  const char *text;
  double reference, tolerance;
  const char *unit;
  comparison by;
  const char *source, *note;
} sensitivity;

static void add(reproduction *r, const trial *t, const sensitivity *like, double computed) {
  row x = {.published = NAN,
           .reference = like->reference,
           .computed = computed,
           .unit = like->unit,
           .by = like->by,
           .tolerance = like->tolerance,
           .source = like->source,
           .note = like->note};
  snprintf(x.item, sizeof x.item, "%s", like->text);
  add_row(r, &x, t);
}

static void event_driven(reproduction *r, const trial *t, const cps_sens *s, const cps_sens *adjoint,
                         const cps_sens *without) {
  const sensitivity rows[] = {
      {"event Coulomb: dT/dm of the period", 1.00504764, 1e-8, "s/kg", RELATIVE, source_events, NULL},
      {"event Coulomb: dT/dk of the period", -0.100504764, 1e-8, "s m/N", RELATIVE, source_events, NULL},
      {"event Coulomb: dx/dm at 0.5 s", 0.0014779819, 1e-10, "m/kg", ABSOLUTE, source_events, NULL},
      {"event Coulomb: dx'/dm at 0.5 s (sticks)", 0, 0, "m/s/kg", ABSOLUTE, source_closed, saltation},
      {"event Coulomb: dx/dm at 1 s", 0.1872978855, 1e-9, "m/kg", RELATIVE, source_events, NULL},
      {"event Coulomb: dx'/dm at 1 s", 1.8532864507, 1e-10, "m/s/kg", RELATIVE, source_events, NULL},
      {"event Coulomb: dx/dk at 1 s", -0.01872978855, 1e-9, "m2/N", RELATIVE, source_closed, NULL},
      {"event Coulomb: adjoint dx'/dm at 1 s", 1.8532864507, 1e-10, "m/s/kg", RELATIVE, source_events, NULL},
      {"event Coulomb: largest |dx/dk + (m/k) dx/dm|", 0, 1e-12, "m2/N", ABSOLUTE, source_closed, NULL},
      {"event Coulomb: largest |dx'/dk + (m/k) dx'/dm|", 0, 1e-12, "m2/N/s", ABSOLUTE, source_closed, NULL},
      {"without the jump: dx'/dm at 0.5 s (sticks)", before_capture(event_time(t, "belt", 1)), 1e-9, "m/s/kg",
       RELATIVE, source_closed, no_jump}};
  const double computed[COUNT(rows)] = {
      gradient(s, FOURTH_EVENT, BY_MASS) - gradient(s, SECOND_EVENT, BY_MASS),
      gradient(s, FOURTH_EVENT, BY_STIFFNESS) - gradient(s, SECOND_EVENT, BY_STIFFNESS),
      gradient(s, X_STICKS, BY_MASS),
      gradient(s, V_STICKS, BY_MASS),
      gradient(s, X_SLIPS, BY_MASS),
      gradient(s, V_SLIPS, BY_MASS),
      gradient(s, X_SLIPS, BY_STIFFNESS),
      gradient(adjoint, V_SLIPS, BY_MASS),
      identity(s, X),
      identity(s, V),
      gradient(without, V_STICKS, BY_MASS)};
  for (int i = 0; i < COUNT(rows); i++) add(r, t, &rows[i], computed[i]);
}

static void regularised(reproduction *r) {
  static const struct {
    double v_t;
    const char *settings;
    sensitivity row;
  } runs[] = {
      {1e-2,
       SMOOTH("1e-2"),
       {"Brown-McPhee, v_t = 1e-2: dx'/dm at 0.5 s", 2.1190e-3, 5e-8, "m/s/kg", ABSOLUTE, source_run, NULL}},
      {1e-3,
       SMOOTH("1e-3"),
       {"Brown-McPhee, v_t = 1e-3: dx'/dm at 0.5 s", 2.130e-4, 5e-8, "m/s/kg", ABSOLUTE, source_run, NULL}},
      {1e-4,
       SMOOTH("1e-4"),
       {"Brown-McPhee, v_t = 1e-4: dx'/dm at 0.5 s", 2.13e-5, 5e-8, "m/s/kg", ABSOLUTE, source_run, NULL}}};
  static const sensitivity order = {
      "Brown-McPhee: order of dx'/dm at 0.5 s in v_t",
      1,
      0.01,
      "1",
      ABSOLUTE,
      source_closed,
      "During stiction the derivative vanishes with the width of the regularisation, as the "
      "exact one does: it has no jump to miss."};
  static const sensitivity equal = {"Brown-McPhee, v_t = 1e-3: largest |dx'/dk + (m/k) dx'/dm|",
                                    0,
                                    1e-9,
                                    "m2/N/s",
                                    ABSOLUTE,
                                    source_closed,
                                    NULL};
  double v_t[COUNT(runs)], found[COUNT(runs)], left = NAN;
  const trial *t = NULL;
  for (int i = 0; i < COUNT(runs); i++) {
    t = trial_run(r, RABINOWICZ, "%s", runs[i].settings);
    cps_sens *s = differentiate(t, CPS_SENS_FORWARD, V_SLIPS + 1, 1);
    v_t[i] = runs[i].v_t;
    found[i] = gradient(s, V_STICKS, BY_MASS);
    if (v_t[i] == 1e-3) left = identity(s, V);
    add(r, t, &runs[i].row, found[i]);
    cps_sens_free(s);
  }
  add(r, t, &order, slope(COUNT(runs), v_t, found));
  add(r, t, &equal, left);
}

/* A derivative's history over time. */
static void draw_history(panel *p, const char *label, const cps_sens *s, const char *column,
                         chart_line line) {
  series *to = panel_series(p, label);
  to->line = line;
  if (line == LINE_SOLID) to->width = 1.3;
  if (!s) return;
  const cps_result *r = cps_sens_result(s);
  const double *time = cps_result_data(r, 0), *d = cps_sens_history(s, cps_result_find(r, column), BY_MASS);
  for (long i = 0; d && i < cps_result_rows(r); i++) series_add(to, time[i], d[i]);
}

static void draw_sensitivities(reproduction *r) {
  figure *f = add_drawing(
      r, "verulkar-sensitivities", "Sensitivities across stick and slip",
      "Rabinowicz's block, derivatives by its mass. It is captured at 0.151 s and lets go at 0.859 s; dashed "
      "without the jump of the derivative at these times.");
  if (!f) return;
  const trial *exact = trial_run(r, RABINOWICZ, "run.until=1.2; run.output=2 ms");
  const trial *smooth = trial_run(r, RABINOWICZ,
                                  "run.until=1.2; run.output=2 ms; run.tolerance=1e-10; "
                                  "contacts.belt.friction={brown-mcphee: {mu_s: 0.8, mu_d: 0.7, v_t: 1e-2}}");
  cps_sens *with = differentiate(exact, CPS_SENS_FORWARD, 0, 1),
           *without = differentiate(exact, CPS_SENS_FORWARD, 0, 0);
  cps_sens *wide = differentiate(smooth, CPS_SENS_FORWARD, 0, 1);
  const struct {
    const char *title, *name, *unit, *column;
    double until, most; /* 0: all */
  } parts[] = {{"a) position", "dx/dm", "m/kg", X, 0, 0},
               {"b) velocity", "dx'/dm", "m/s/kg", V, 0, 0},
               {"c) velocity up to the first slip", "dx'/dm", "m/s/kg", V, 0.85, 0.045}};
  for (int i = 0; i < COUNT(parts); i++) {
    panel *p = figure_panel(f, parts[i].title);
    axis_set(&p->x, "time t", "s");
    axis_set(&p->y, parts[i].name, parts[i].unit);
    p->x.hi = parts[i].until;
    p->y.hi = parts[i].most;
    draw_history(p, "event Coulomb", with, parts[i].column, LINE_SOLID);
    draw_history(p, "event Coulomb, jumps left out", without, parts[i].column, LINE_DASHED);
    draw_history(p, "Brown-McPhee, v_{t} = 10 mm/s", wide, parts[i].column, LINE_DOTTED);
  }
  cps_sens_free(with);
  cps_sens_free(without);
  cps_sens_free(wide);
}

static void sensitivities_more(reproduction *r) {
  const trial *t = trial_run(r, RABINOWICZ, "%s", "");
  cps_sens *forward = differentiate(t, CPS_SENS_FORWARD, OUTPUTS, 1),
           *adjoint = differentiate(t, CPS_SENS_ADJOINT, OUTPUTS, 1);
  cps_sens *without = differentiate(t, CPS_SENS_FORWARD, OUTPUTS, 0);
  event_driven(r, t, forward, adjoint, without);
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_sens_free(without);
  regularised(r);
  draw_sensitivities(r);
}

const study verulkar_studies[] = {
    {"verulkar.rabinowicz", PAPER, "Rabinowicz's experiment, Fig. 2",
     "A block on a belt, held by a spring, that sticks and slips in turn: event-driven with static and "
     "dynamic friction, and with the smooth law of Brown and McPhee.",
     COUNT(rabinowicz_items), rabinowicz_items, rabinowicz_more},
    {"verulkar.sensitivities", PAPER, "Sensitivities of Rabinowicz's experiment",
     "Exact derivatives of the same runs by mass and stiffness, with the jump of derivatives at every "
     "transition "
     "([theory](theory.md#sensitivities-across-stick-and-slip)); and without it, as a comparison.",
     0, NULL, sensitivities_more},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL}};
