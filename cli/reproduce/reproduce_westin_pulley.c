/* reproduce_westin_pulley.c - Westin and Irani, scenario II: a motorised pulley. */
#include "reproduce_westin.h"

#include <stdio.h>
#include <string.h>

static double displacement(const trial *t, const char *body) {
  char column[60];
  long n = 0;
  snprintf(column, sizeof column, "bodies.%s.y", body);
  const double *y = column_of(t, column, &n);
  return y && n > 1 && t->complete ? y[n - 1] - y[0] : NAN;
}

/* Root mean square of what two runs differ in the displacements of both loads. */
static double rms(const trial *a, const trial *b) {
  static const char *const columns[] = {"bodies.left.y", "bodies.right.y"};
  double sum = 0, count = 0;
  for (int c = 0; c < COUNT(columns); c++) {
    long n = 0, m = 0;
    const double *x = column_of(a, columns[c], &n), *y = column_of(b, columns[c], &m);
    if (!x || !y || n != m) return NAN;
    for (long i = 0; i < n; i++) {
      double off = (x[i] - x[0]) - (y[i] - y[0]);
      sum += off * off;
    }
    count += (double)n;
  }
  return sqrt(sum / count);
}

/* A run of the pulley with a law and a solver; NULL if that solver does not run cables. The references are known to 1e-6 m, which
 * `alpha` reaches with fixed steps. */
static const trial *pulley(reproduction *r, double alpha, const char *solver) {
  char law[120];
  westin_law(law, sizeof law, alpha);
  const char *step = strcmp(solver, "alpha") == 0 ? "; run.step=10 ms" : "";
  const trial *t = trial_run(r, PULLEY, "%s; run.solver=%s%s", law, solver, step);
  return t->complete || !strstr(t->error, "cables are stiff") ? t : NULL;
}

static void displacement_rows(reproduction *r) {
  static const struct {
    const char *body, *text;
    double reference;
  } loads[] = {{"right", "Quinn: displacement of the load that rises, at 10 s", 0.196288},
               {"left", "Quinn: displacement of the load that sinks, at 10 s", -0.196218}};
  const trial *t = pulley(r, 1, "alpha");
  for (int i = 0; i < COUNT(loads); i++) {
    row x = {
        .published = NAN,
        .reference = loads[i].reference,
        .computed = displacement(t, loads[i].body),
        .unit = "m",
        .by = ABSOLUTE,
        .tolerance = 2.6e-6,
        .source = source_run,
        .note =
            i == 0 ? "The reference used five points of axial quadrature, as the paper does; with three, the "
                     "default, the load that rises comes 0.1 mm less far. What is allowed is what two laws "
                     "differ "
                     "by in the reference itself, 2.6e-6 m: the answer knows how friction started."
                   : NULL};
    snprintf(x.item, sizeof x.item, "%s", loads[i].text);
    add_row(r, &x, t);
  }
}

static void rms_rows(reproduction *r) {
  static const double published[WESTIN_ALPHAS] = {NAN, 2.30e-5, 3.82e-5, 5.74e-5, 7.94e-5, 1.64e-4};
  static const double reference[WESTIN_ALPHAS] = {NAN, 6e-8, NAN, NAN, NAN, 2.6e-6};
  const trial *quinn = pulley(r, 1, "alpha");
  double before = 0;
  for (int i = 1; i < WESTIN_ALPHAS; i++) {
    const trial *t = pulley(r, westin_alphas[i], "alpha");
    int known = !isnan(reference[i]);
    row x = {
        .published = published[i],
        .reference = known ? reference[i] : before,
        .computed = rms(t, quinn),
        .unit = "m",
        .by = known ? RELATIVE : AT_LEAST,
        .tolerance = 0.5,
        .source = source_run,
        .note =
            i == 1
                ? "Over both loads and 10 s. The paper's masses are not known, nor its tolerances: ode15s at "
                  "its default of 1e-3 would explain the published numbers. The reference gives the ends of "
                  "the range and not which load; the two differ by a factor of 1.5, which is what is allowed."
            : i == 2
                ? "The reference gives the ends of the range; in between, more than with the larger alpha."
                : NULL};
    snprintf(x.item, sizeof x.item, "CDQ alpha %.2f: RMS difference from Quinn", westin_alphas[i]);
    add_row(r, &x, t);
    before = x.computed;
  }
}

static double newton_of(const trial *t) {
  cps_counters n = {0};
  if (t->result) cps_result_counters(t->result, &n);
  return (double)n.newton;
}

static double steps_of(const trial *t) {
  cps_counters n = {0};
  if (t->result) cps_result_counters(t->result, &n);
  return (double)n.steps;
}

static const char cost_note[] =
    "Counted in Newton iterations, not in seconds; the paper's quotients are of times, with ode15s. CDQ does "
    "not pay "
    "here: generalised-alpha solves for the friction forces together with the motion, and a clamp is then no "
    "harder "
    "than a parabola. CDQ even needs more iterations, the more the closer alpha is to 1, because it has a "
    "double root "
    "at alpha, to which Newton's method comes linearly. It pays where a solver wants a smooth right-hand "
    "side and does "
    "not see the friction forces. Allowed is that Quinn costs 1.3 times as much as CDQ.";
static const char bdf_note[] = "With backward differentiation the kinks of Quinn's law cost steps, as in the "
                               "paper; more than the largest "
                               "quotient of the paper is not expected.";

static void cost_rows(reproduction *r) {
  static const double published[WESTIN_ALPHAS] = {
      NAN, 22804.0 / 5029, 22804.0 / 1938, 22804.0 / 1741, 22804.0 / 1428, 22804.0 / 1216};
  static const char *const solvers[] = {"alpha", "bdf"};
  for (int k = 0; k < COUNT(solvers); k++) {
    const trial *quinn = pulley(r, 1, solvers[k]);
    if (!quinn) continue; /* not for cables */
    row s = {.published = NAN,
             .reference = k == 0 ? 2000 : 8.9e4,
             .computed = steps_of(quinn),
             .unit = "1",
             .by = AT_MOST,
             .source = source_run,
             .note = k == 0 ? "The reference needed 500 to 2000 steps by generalised-alpha (h = 20 to 5 ms)."
                            : "The reference needed 7.6e3 steps by backward differentiation of order 2, and "
                              "up to 8.9e4 with higher orders."};
    snprintf(s.item, sizeof s.item, "%s, Quinn: steps for 10 s", solvers[k]);
    add_row(r, &s, quinn);
    for (int i = 1; i < WESTIN_ALPHAS; i++) {
      const trial *t = pulley(r, westin_alphas[i], solvers[k]);
      row x = {.published = published[i],
               .reference = k == 0 ? 1.3 : published[WESTIN_ALPHAS - 1],
               .computed = newton_of(quinn) / newton_of(t),
               .unit = "1",
               .by = AT_MOST,
               .source = k == 0 ? "aim of the solver" : westin_text,
               .note = k == 0 ? cost_note : bdf_note};
      snprintf(x.item, sizeof x.item, "%s: cost of Quinn over CDQ alpha %.2f", solvers[k], westin_alphas[i]);
      add_row(r, &x, t);
    }
  }
}

/* What the paper leaves open, varied one at a time. */
static void open_rows(reproduction *r) {
  static const struct {
    const char *text, *settings;
  } open[] = {
      {"as chosen: 10 kg, c = 10 N s, kp 400, kd 40, 1 m", ""},
      {"5 kg", "; bodies.left.mass=5; bodies.right.mass=5"},
      {"50 kg", "; bodies.left.mass=50; bodies.right.mass=50"},
      {"c = 0", "; cables.rope.damping.rayleigh=0"},
      {"c = 100 N s", "; cables.rope.damping.rayleigh=100"},
      {"kp 100, kd 20", "; drums.pulley.drive.pd.kp=100; drums.pulley.drive.pd.kd=20"},
      {"0.5 m on each side, 26 elements",
       "; cables.rope.elements=26; cables.rope.path.1=hang 0.5 m; cables.rope.path.3=hang 0.5 m"},
      {"2 m on each side, 69 elements",
       "; cables.rope.elements=69; cables.rope.path.1=hang 2 m; cables.rope.path.3=hang 2 m"},
      {"three points of axial quadrature", "; cables.rope.quadrature.axial=3"},
  };
  for (int i = 0; i < COUNT(open); i++) {
    const trial *t = trial_run(
        r, PULLEY, "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}%s", open[i].settings);
    row x = {.published = NAN,
             .reference = PI / 4 * RADIUS,
             .computed = displacement(t, "right"),
             .unit = "m",
             .by = ABSOLUTE,
             .tolerance = 4e-4,
             .source = source_closed,
             .note = i == 0 ? "What the open parameters change, one at a time, against R pi/4 of a cable "
                              "that neither slips nor "
                              "stretches. Allowed are the 0.4 mm by which, according to the reference, "
                              "contact at nodes moves "
                              "the load. Elements are kept as long as they were; see the last row for what "
                              "happens otherwise."
                            : NULL};
    snprintf(x.item, sizeof x.item, "Quinn, %s: displacement of the load that rises", open[i].text);
    add_row(r, &x, t);
  }
  const trial *t = trial_run(r, PULLEY, QUINN "; " HANGS, 2.0, 2.0);
  row x = {
      .item = "Quinn, 2 m on each side, but 40 elements: distance from R pi/4",
      .published = NAN,
      .reference = 4e-4,
      .computed = fabs(displacement(t, "right") - PI / 4 * RADIUS),
      .unit = "m",
      .by = AT_LEAST,
      .source = "0.4 mm by contact at nodes, as the reference has it",
      .note = "A warning, not a success: with elements 1.7 times as long the load is further off than that."};
  add_row(r, &x, t);
}

static void pulley_figure(reproduction *r) {
  figure *f = add_drawing(
      r, "westin-6", "Westin and Irani, Fig. 6: a motorised pulley lifts a load",
      "Left: displacement of the load that rises, for Quinn and CDQ with alpha = 0.90, which "
      "cannot be told apart. Right: by how much CDQ differs from Quinn.");
  if (!f) return;
  const trial *quinn = pulley(r, 1, "alpha");
  long n = 0;
  const double *t = column_of(quinn, "time", &n), *q = column_of(quinn, "bodies.right.y", &n);
  panel *p = figure_panel(f, "a) displacement");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "displacement", "m");
  for (int i = 0; i < 2; i++) {
    const double *y = column_of(pulley(r, i ? 0.90 : 1, "alpha"), "bodies.right.y", &n);
    series *s = panel_series(p, i ? "CDQ alpha 0.90" : "Quinn");
    s->line = i ? LINE_DASHED : LINE_SOLID;
    for (long k = 0; t && y && k < n; k += 5) series_add(s, t[k], y[k] - y[0]);
  }
  p = figure_panel(f, "b) CDQ less Quinn");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "difference", "m");
  for (int i = 1; i < WESTIN_ALPHAS; i++) {
    char name[40];
    westin_law_name(name, sizeof name, westin_alphas[i]);
    const double *y = column_of(pulley(r, westin_alphas[i], "alpha"), "bodies.right.y", &n);
    series *s = panel_series(p, name);
    for (long k = 0; t && y && q && k < n; k += 5) series_add(s, t[k], (y[k] - y[0]) - (q[k] - q[0]));
  }
}

void westin_pulley(reproduction *r) {
  displacement_rows(r);
  rms_rows(r);
  cost_rows(r);
  open_rows(r);
  pulley_figure(r);
}
