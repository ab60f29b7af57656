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

/* ---------------------------------------------------------------- sensitivities */

/* What is differentiated. */
static double period(const trial *t, const char *name, double at) {
  (void)at;
  return event_time(t, name, 4) - event_time(t, name, 2);
}

/* Derivative with respect to a parameter by central differences of order 4 with steps of 1e-3 of its value,
 * between runs of their own. */
static double derivative(reproduction *r, const char *settings, const char *path, double value, measure how,
                         const char *name, double at, const trial **bad) {
  static const double weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2};
  double h = 1e-3 * value, sum = 0;
  for (int i = 0; i < 4; i++) {
    const trial *t = trial_run(r, RABINOWICZ, "%s%s%s=%.17g", settings, *settings ? "; " : "", path,
                               value + place[i] * h);
    sum += weight[i] * how(t, name, at);
    if (!t->complete) *bad = t;
  }
  return sum / (12 * h);
}

typedef struct sensitivity {
  const char *text, *settings, *path;
  double value;
  measure how;
  const char *name;
  double at;
  double published, reference;
  const char *unit;
  comparison by;
  double tolerance;
  const char *source, *note;
} sensitivity;

#define MASS      "bodies.block.mass", 1
#define STIFFNESS "springs.spring.stiffness", 10

static const char saltation[] =
    "The paper reports a non-zero constant during stiction. With the jump of the sensitivities at capture "
    "applied it is "
    "exactly zero on a belt of given speed, as here, and as the regularised law says in its limit.";

static const sensitivity sensitivities[] = {
    {"event Coulomb: dT/dm of the period", "", MASS, period, "belt", 0, NAN, 1.00504764, "s/kg", RELATIVE,
     1e-8, source_events, NULL},
    {"event Coulomb: dT/dk of the period", "", STIFFNESS, period, "belt", 0, NAN, -0.100504764, "s m/N",
     RELATIVE, 1e-8, source_events, NULL},
    {"event Coulomb: dx/dm at 0.5 s", "", MASS, value_at, X, 0.5, NAN, 0.0014779819, "m/kg", ABSOLUTE, 1e-10,
     source_events, NULL},
    {"event Coulomb: dx'/dm at 0.5 s (sticks)", "", MASS, value_at, V, 0.5, NAN, 0, "m/s/kg", ABSOLUTE, 1e-10,
     source_closed, saltation},
    {"event Coulomb: dx/dm at 1 s", "", MASS, value_at, X, 1, NAN, 0.1872978855, "m/kg", RELATIVE, 1e-8,
     source_events, NULL},
    {"event Coulomb: dx'/dm at 1 s", "", MASS, value_at, V, 1, NAN, 1.8532864507, "m/s/kg", RELATIVE, 1e-8,
     source_events, NULL},
    {"event Coulomb: dx/dk at 1 s, which is -(m/k) dx/dm", "", STIFFNESS, value_at, X, 1, NAN, -0.01872978855,
     "m2/N", RELATIVE, 1e-8, source_closed, NULL},
    {"Brown-McPhee, v_t = 1e-2: dx'/dm at 0.5 s", SMOOTH("1e-2"), MASS, value_at, V, 0.5, NAN, 2.1190e-3,
     "m/s/kg", ABSOLUTE, 5e-8, source_run, NULL},
    {"Brown-McPhee, v_t = 1e-3: dx'/dm at 0.5 s", SMOOTH("1e-3"), MASS, value_at, V, 0.5, NAN, 2.130e-4,
     "m/s/kg", ABSOLUTE, 5e-8, source_run, NULL},
    {"Brown-McPhee, v_t = 1e-4: dx'/dm at 0.5 s", SMOOTH("1e-4"), MASS, value_at, V, 0.5, NAN, 2.13e-5,
     "m/s/kg", ABSOLUTE, 5e-8, source_run, NULL},
};

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
           .computed = period(t, "belt", 0),
           .unit = "s",
           .by = RELATIVE,
           .tolerance = 1e-11,
           .source = source_events};
  add_row(r, &x, t);
  for (int i = 0; i < COUNT(sensitivities); i++) {
    const sensitivity *s = &sensitivities[i];
    const trial *bad = NULL;
    row y = {.published = s->published,
             .reference = s->reference,
             .computed = derivative(r, s->settings, s->path, s->value, s->how, s->name, s->at, &bad),
             .unit = s->unit,
             .by = s->by,
             .tolerance = s->tolerance,
             .source = s->source,
             .note = s->note};
    snprintf(y.item, sizeof y.item, "%s", s->text);
    add_row(r, &y, bad);
  }
  draw_dynamics(r);
}

const study verulkar_studies[] = {
    {"verulkar.rabinowicz", PAPER, "Rabinowicz's experiment, Fig. 2",
     "A block on a belt, held by a spring, that sticks and slips in turn: event-driven with static and "
     "dynamic friction, "
     "and with the smooth law of Brown and McPhee. Sensitivities are differences between runs.",
     COUNT(rabinowicz_items), rabinowicz_items, rabinowicz_more},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL}};
