/* reproduce_schuderer.c - M. Schuderer, G. Rill, T. Schaeffer, C. Schulz, Friction modeling from a practical
 * point of view, Multibody Syst. Dyn., 2024: what Adams, RecurDyn and Simpack make of a block under pulses
 * and of the festoon cable of a crane. */
#include "reproduce.h"

#include <stdio.h>

#define PAPER    "Schuderer, Rill, Schaeffer and Schulz (2024)"
#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define PULSES   "schuderer/pulses.yaml"
#define STEP     "schuderer/step.yaml"
#define SWEEP    "schuderer/sweep.yaml"
#define FESTOON  "schuderer/festoon.yaml"
#define FLOOR    "contacts.floor.friction="
#define X        "bodies.block.x"

static const double static_limit = 5.886; /* F_s = mu_s m g [N] */

/* The laws of Fig. 5, on the floor. */
#define ADAMS_STANDARD   FLOOR "{adams-standard: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-4, lambda: 1.5}}"
#define RECURDYN_MU_S    FLOOR "{recurdyn-mu-s: {mu_s: 0.6, v_s: 1e-4}}"
#define RECURDYN_MU_D    FLOOR "{recurdyn-mu-d: {mu_d: 0.4, v_s: 1e-4}}"
#define SIMPACK_STANDARD FLOOR "{simpack-standard: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-4, lambda: 1.5}}"
#define LUGRE                                                                                                \
  FLOOR "{lugre-adams: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-3, sigma0: 1e5, sigma1: 316.22776601683796, sigma2: "  \
        "0}}"
#define ADAMS    FLOOR "{adams-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-4, x_s: 1e-5, lambda: 1.5}}"
#define RECURDYN FLOOR "{recurdyn-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-4, x_s: 1e-5}}"
#define SIMPACK  FLOOR "{simpack-stick-slip: {mu_s: 0.6, mu_d: 0.4, c_f: 1e8, d_f: 2e4}}"

/* The adjusted set of section 4.3, with 0.95 F_s. */
#define HARDER            "; loads.push.force.pulses.amplitude=5.5917"
#define ADAMS_ADJUSTED    FLOOR "{adams-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-3, x_s: 1e-6, lambda: 1.5}}"
#define RECURDYN_ADJUSTED FLOOR "{recurdyn-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 1e-3, x_s: 1e-6}}"
#define SIMPACK_ADJUSTED  FLOOR "{simpack-stick-slip: {mu_s: 0.6, mu_d: 0.4, c_f: 5.886e6, d_f: 2426}}"

/* A panel over time, with one curve per run. */
typedef struct curve_of {
  const char *label, *column;
  const trial *t;
} curve_of;

static panel *time_panel(figure *f, const char *title, const char *name, const char *unit,
                         const curve_of *curves, int n, double from, double to) {
  panel *p = figure_panel(f, title);
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, name, unit);
  p->x.lo = from;
  p->x.hi = to;
  for (int i = 0; i < n; i++) {
    series *s = panel_series(p, curves[i].label);
    s->line = i == 0 ? LINE_SOLID : i == 1 ? LINE_DASHED : i == 2 ? LINE_DOTTED : LINE_SOLID;
    s->width = i == 0 ? 1.3 : 1;
    draw_columns(s, curves[i].t, "time", curves[i].column, from, to);
  }
  return p;
}

/* ---------------------------------------------------------------- regularised laws */

static const item regularised_items[] = {
    {"Adams standard (STEP5): x after three pulses", PULSES, ADAMS_STANDARD, value_end, X, 0, NAN,
     1.520176e-4, "m", ABSOLUTE, 5e-11, source_run, NULL},
    {"RecurDyn standard to mu_s (STEP5): x after three pulses", PULSES, RECURDYN_MU_S, value_end, X, 0, NAN,
     1.520176e-4, "m", ABSOLUTE, 5e-11, source_run, NULL},
    {"Simpack standard (sine): x after three pulses", PULSES, SIMPACK_STANDARD, value_end, X, 0, NAN,
     1.770998e-4, "m", ABSOLUTE, 5e-11, source_run, NULL},
    {"RecurDyn standard to mu_d: slides, x after three pulses", PULSES, RECURDYN_MU_D, value_end, X, 0, NAN,
     1.41280109963, "m", RELATIVE, 1e-8, source_run, NULL},
    {"LuGre: breaks away, x after three pulses", PULSES, LUGRE "; run.output=0", value_end, X, 0, NAN,
     1.4372263133, "m", RELATIVE, 1e-8, source_run,
     "The paper does not give the LuGre parameters; these are Adams' sigma_0 = 1e5 N/m and sigma_1 = "
     "sqrt(sigma_0), "
     "without viscous friction."},
};

static void regularised_more(reproduction *r) {
  const trial *sine = trial_run(r, PULSES, SIMPACK_STANDARD), *step5 = trial_run(r, PULSES, ADAMS_STANDARD);
  row x = {.item = "Simpack drifts further than Adams by",
           .published = 0.25e-4,
           .reference = 2.508e-5,
           .computed = value_end(sine, X, 0) - value_end(step5, X, 0),
           .unit = "m",
           .by = ABSOLUTE,
           .tolerance = 5e-9,
           .source = source_run};
  add_row(r, &x, sine);
  const trial *lugre = trial_run(r, PULSES, LUGRE "; run.output=0");
  row y = {.item = "LuGre: largest friction force over F_s (it should be able to hold 1)",
           .published = NAN,
           .reference = 0.68,
           .computed = value_largest(lugre, "contacts.floor.f", 0) / static_limit,
           .unit = "1",
           .by = ABSOLUTE,
           .tolerance = 0.005,
           .source = source_run};
  add_row(r, &y, lugre);

  figure *f = add_drawing(
      r, "schuderer-6", "Schuderer et al., Fig. 6: standard regularisations and LuGre",
      "Three pulses of 0.8 F_s. LuGre and the regularisation to mu_d break away; those to mu_s creep "
      "as long as the force acts.");
  if (!f) return;
  const trial *mu_d = trial_run(r, PULSES, RECURDYN_MU_D), *mu_s = trial_run(r, PULSES, RECURDYN_MU_S),
              *smooth = trial_run(r, PULSES, LUGRE);
  const curve_of a[] = {{"LuGre", X, smooth}, {"RecurDyn to μ_{d}", X, mu_d}};
  time_panel(f, "a) displacement", "x", "m", a, COUNT(a), 0, 6);
  const curve_of b[] = {{"Adams", X, step5}, {"RecurDyn to μ_{s}", X, mu_s}, {"Simpack", X, sine}};
  time_panel(f, "b) displacement", "x", "m", b, COUNT(b), 0, 6);
  const char *force = "contacts.floor.f";
  const curve_of c[] = {{"LuGre", force, lugre},
                        {"RecurDyn to μ_{d}", force, mu_d},
                        {"Adams", force, step5},
                        {"Simpack", force, sine}};
  time_panel(f, "c) friction force", "F_{R}", "N", c, COUNT(c), 0, 6);
}

/* ---------------------------------------------------------------- pulses */

static const char no_overshoot[] = "Needs d_f of about 2e4 N s/m or more, so that the spring does not "
                                   "overshoot; the paper does not give d_f.";

static const item pulse_items[] = {
    {"Adams stick-slip: largest x", PULSES, ADAMS, value_most, X, 0, 5.1e-6, 5.06727e-6, "m", ABSOLUTE, 5e-12,
     source_closed, NULL},
    {"RecurDyn stick-slip: largest x", PULSES, RECURDYN, value_most, X, 0, 5.1e-6, 5.06727e-6, "m", ABSOLUTE,
     5e-12, source_closed, NULL},
    {"Simpack stick-slip: largest x", PULSES, SIMPACK, value_most, X, 0, 4.7e-8, 4.7088e-8, "m", RELATIVE,
     1e-8, source_closed, no_overshoot},
    {"Adams stick-slip: no drift, x 1 s after the last pulse", PULSES, ADAMS, value_end, X, 0, 0, 0, "m",
     ABSOLUTE, 1e-9, source_closed, "Still returning, with the rate v_s/x_s = 10 1/s."},
    {"RecurDyn stick-slip: no drift, x 1 s after the last pulse", PULSES, RECURDYN, value_end, X, 0, 0, 0,
     "m", ABSOLUTE, 1e-9, source_closed, NULL},
    {"Simpack stick-slip: no drift, x 1 s after the last pulse", PULSES, SIMPACK, value_end, X, 0, 0, 0, "m",
     ABSOLUTE, 1e-15, source_closed, NULL},
};

static void pulse_more(reproduction *r) {
  figure *f = add_drawing(
      r, "schuderer-7", "Schuderer et al., Fig. 7: stick-slip laws under the pulses",
      "None of the three drifts. Adams and RecurDyn take about 0.25 s to deflect and 0.5 s to return, "
      "which only v_s and x_s together decide.");
  if (!f) return;
  const trial *adams = trial_run(r, PULSES, ADAMS), *recurdyn = trial_run(r, PULSES, RECURDYN),
              *simpack = trial_run(r, PULSES, SIMPACK);
  const curve_of a[] = {{"Adams", X, adams}, {"RecurDyn", X, recurdyn}};
  time_panel(f, "a) displacement", "x", "m", a, COUNT(a), 0, 6);
  const curve_of b[] = {{"Simpack", X, simpack}};
  time_panel(f, "b) displacement", "x", "m", b, COUNT(b), 0, 6);
  const char *force = "contacts.floor.f";
  const curve_of c[] = {{"Adams", force, adams}, {"RecurDyn", force, recurdyn}, {"Simpack", force, simpack}};
  time_panel(f, "c) friction force", "F_{R}", "N", c, COUNT(c), 0, 6);
}

/* ---------------------------------------------------------------- drift */

static const item drift_items[] = {
    {"Adams: x left after three pulses of 0.95 F_s", PULSES, ADAMS_ADJUSTED HARDER, value_end, X, 0, 5.0e-7,
     4.983469e-7, "m", ABSOLUTE, 1e-13, source_run, NULL},
    {"RecurDyn: x left after three pulses of 0.95 F_s", PULSES, RECURDYN_ADJUSTED HARDER, value_end, X, 0, 0,
     0, "m", ABSOLUTE, 1e-15, source_run, NULL},
    {"Adams: largest internal displacement z, limited to x_s", PULSES, ADAMS_ADJUSTED HARDER "; run.output=0",
     value_most, "contacts.floor.z", 0, 1e-6, 1e-6, "m", RELATIVE, 1e-12, source_closed, NULL},
};

/* When the friction force has fallen to half after the first pulse. */
static double half_fall(const trial *t) {
  long rows;
  const double *f = column_of(t, "contacts.floor.f", &rows), *time = column_of(t, "time", &rows);
  for (long i = 0; f && i + 1 < rows; i++) {
    if (time[i] < 1 || fabs(f[i + 1]) > 0.475 * static_limit) continue;
    return time[i + 1];
  }
  return NAN;
}

static void drift_more(reproduction *r) {
  const trial *adams = trial_run(r, PULSES, ADAMS_ADJUSTED HARDER "; run.output=0"),
              *recurdyn = trial_run(r, PULSES, RECURDYN_ADJUSTED HARDER "; run.output=0");
  row x = {
      .item = "RecurDyn's force falls later than Adams' after a pulse, by",
      .published = 0.01,
      .reference = 0,
      .computed = half_fall(recurdyn) - half_fall(adams),
      .unit = "s",
      .by = ABSOLUTE,
      .tolerance = 1e-3,
      .source = "the laws themselves",
      .note =
          "Could not be reproduced: the two laws differ only in the limit of z, which moves the fall by less "
          "than a millisecond. The solvers of the two programs may be the reason."};
  add_row(r, &x, adams);

  figure *f = add_drawing(
      r, "schuderer-8", "Schuderer et al., Fig. 8: adjusted parameters, three pulses of 0.95 F_{s}",
      "Adams limits its internal displacement z to x_s, and keeps an offset after every pulse. "
      "RecurDyn does not.");
  if (!f) return;
  const char *force = "contacts.floor.f";
  const curve_of a[] = {
      {"Adams x", X, adams}, {"RecurDyn x", X, recurdyn}, {"Adams z", "contacts.floor.z", adams}};
  time_panel(f, "a) displacements", "x, z", "m", a, COUNT(a), 0, 6);
  const curve_of b[] = {{"Adams", force, adams}, {"RecurDyn", force, recurdyn}};
  time_panel(f, "b) friction force", "F_{R}", "N", b, COUNT(b), 0, 6);
  time_panel(f, "c) friction force as a pulse ends", "F_{R}", "N", b, COUNT(b), 0.999, 1.006);
}

/* ---------------------------------------------------------------- step */

#define RECURDYN_STEP RECURDYN_ADJUSTED

static const item step_items[] = {
    {"RecurDyn: x at rest under 0.95 F_s", STEP, RECURDYN_STEP, value_end, X, 0, 0.71e-6, 0.7067344e-6, "m",
     ABSOLUTE, 5e-14, source_closed, NULL},
    {"Adams: internal z at rest under 0.95 F_s", STEP, "", value_end, "contacts.floor.z", 0, 0.71e-6,
     0.7067344e-6, "m", ABSOLUTE, 5e-14, source_closed, NULL},
    {"Adams: x at rest under 0.95 F_s", STEP, "", value_end, X, 0, 0.83e-6, 0.8329031e-6, "m", ABSOLUTE,
     5e-14, source_run, NULL},
};

static void step_more(reproduction *r) {
  const trial *adams = trial_run(r, STEP, "%s", "");
  row x = {.item = "Adams: offset u = x - z that remains",
           .published = 0.12e-6,
           .reference = 0.8329031e-6 - 0.7067344e-6,
           .computed = value_end(adams, X, 0) - value_end(adams, "contacts.floor.z", 0),
           .unit = "m",
           .by = ABSOLUTE,
           .tolerance = 1e-13,
           .source = source_run,
           .note = "The difference of the two rows above; 0.13e-6 would be the rounded number."};
  add_row(r, &x, adams);
  figure *f = add_drawing(
      r, "schuderer-9", "Schuderer et al., Fig. 9: a step of 0.95 F_{s} within 1 ms",
      "Until z reaches x_s all three are the same. From then on z of Adams stands still, until the "
      "velocity changes sign.");
  if (!f) return;
  const trial *fine = trial_run(r, STEP, "run.output=2e-5; run.until=0.08"),
              *recurdyn = trial_run(r, STEP, RECURDYN_STEP "; run.output=2e-5; run.until=0.08");
  const curve_of a[] = {
      {"Adams x", X, fine}, {"RecurDyn x", X, recurdyn}, {"Adams z", "contacts.floor.z", fine}};
  time_panel(f, "a) displacements", "x, z", "m", a, COUNT(a), 0, 0.08);
  const curve_of b[] = {{"Adams z", "contacts.floor.z", fine}};
  time_panel(f, "b) internal displacement", "z", "m", b, COUNT(b), 0, 0.004);
  const curve_of c[] = {{"Adams v", "bodies.block.v", fine}, {"RecurDyn v", "bodies.block.v", recurdyn}};
  time_panel(f, "c) velocity", "v", "m/s", c, COUNT(c), 0, 0.004);
}

/* ---------------------------------------------------------------- x_s sweep */

/* Slow root of m s^2 + (15/8) F_s (s/v_s + 1/x_s) = 0: how fast the block returns. */
static double return_rate(double v_s, double x_s) {
  double k = 15.0 / 8 * static_limit, d = k / v_s, c = k / x_s;
  return 2 * c / (d + sqrt(d * d - 4 * c));
}

static void sweep_more(reproduction *r) {
  static const double x_s[] = {1e-2, 1e-3, 1e-4, 1e-5};
  static const char *const names[] = {"10 mm", "1 mm", "0.1 mm", "0.01 mm"};
  const trial *runs[COUNT(x_s)];
  for (int i = 0; i < COUNT(x_s); i++) {
    /* While it returns, |v|/v_s = y/(1 + 15/8 y) with y = z/x_s, up to terms of third order. */
    double rate = return_rate(1e-4, x_s[i]), t0 = i == 3 ? 0.5 : 5, t1 = i == 3 ? 1 : 6;
    const trial *t = runs[i] = trial_run(r, SWEEP, "contacts.floor.friction.x_s=%.17g", x_s[i]);
    double z0 = value_at(t, X, t0), z1 = value_at(t, X, t1);
    row x = {.published = 1e-4 / x_s[i],
             .reference = rate,
             .computed = (log(z0 / z1) + 15.0 / 8 * (z0 - z1) / x_s[i]) / (t1 - t0),
             .unit = "1/s",
             .by = RELATIVE,
             .tolerance = 1e-6,
             .source = source_closed};
    snprintf(x.item, sizeof x.item, "x_s = %s: rate of return, kappa = v_s/x_s of Eq. (20)", names[i]);
    add_row(r, &x, t);
  }
  const trial *standard = trial_run(r, SWEEP, ADAMS_STANDARD);
  row y = {.item = "standard regularisation: x 6 s after the pulses over x right after them",
           .published = 1,
           .reference = 1,
           .computed = value_end(standard, X, 0) / value_at(standard, X, 0.01),
           .unit = "1",
           .by = RELATIVE,
           .tolerance = 1e-8,
           .source = source_closed};
  add_row(r, &y, standard);
  row z = {.item = "x_s = 0.1 mm: x after 6 s over its largest value (\"about 6 s\" to return)",
           .published = NAN,
           .reference = 0.01,
           .computed = value_end(runs[2], X, 0) / value_most(runs[2], X, 0),
           .unit = "1",
           .by = AT_MOST,
           .source = "the paper's text"};
  add_row(r, &z, runs[2]);

  figure *f = add_drawing(
      r, "schuderer-10", "Schuderer et al., Fig. 10: stick-slip law of Adams with varying x_{s}",
      "Three pulses of 1 ms. The larger x_s, the more the law behaves as the standard regularisation, "
      "which does not return at all.");
  if (f) {
    const char *fine = "run.output=1e-5; run.until=0.012";
    const trial *short_runs[COUNT(x_s)], *reg = trial_run(r, SWEEP, ADAMS_STANDARD "; %s", fine);
    for (int i = 0; i < COUNT(x_s); i++)
      short_runs[i] = trial_run(r, SWEEP, "contacts.floor.friction.x_s=%.17g; %s", x_s[i], fine);
    const curve_of a[] = {{"standard", X, reg},
                          {"x_{s} = 10 mm", X, short_runs[0]},
                          {"1 mm", X, short_runs[1]},
                          {"0.1 mm", X, short_runs[2]},
                          {"0.01 mm", X, short_runs[3]}};
    time_panel(f, "a) displacements", "x", "m", a, COUNT(a), 0, 0.012);
    const char *force = "contacts.floor.f";
    const curve_of b[] = {{"standard", force, reg}, {"x_{s} = 0.01 mm", force, short_runs[3]}};
    time_panel(f, "b) friction force", "F_{R}", "N", b, COUNT(b), 0, 0.006);
  }
  f = add_drawing(r, "schuderer-11", "Schuderer et al., Fig. 11: the same over a long time",
                  "The block returns with the rate v_s/x_s: with x_s = 0.1 mm it takes about 6 s, 6000 times "
                  "as long as a "
                  "pulse.");
  if (!f) return;
  const curve_of c[] = {{"standard", X, standard},
                        {"x_{s} = 10 mm", X, runs[0]},
                        {"1 mm", X, runs[1]},
                        {"0.1 mm", X, runs[2]},
                        {"0.01 mm", X, runs[3]}};
  time_panel(f, "", "x", "m", c, COUNT(c), 0, 6);
}

/* ---------------------------------------------------------------- festoon */

#define BOTH(LAW)        "contacts.T1.friction=" LAW "; contacts.T2.friction=" LAW
#define FESTOON_ADAMS    BOTH("{adams-stick-slip: {mu_s: 0.08, mu_d: 0.06, v_s: 1e-4, x_s: 1e-5, lambda: 1.5}}")
#define FESTOON_RECURDYN BOTH("{recurdyn-stick-slip: {mu_s: 0.08, mu_d: 0.06, v_s: 1e-4, x_s: 1e-5}}")
#define FESTOON_SIMPACK  BOTH("{simpack-stick-slip: {mu_s: 0.08, mu_d: 0.06, c_f: 1e8, d_f: 2e4}}")

#define BY_BDF "; run.solver=bdf; run.tolerance=1e-10" /* ten times as fast for these, which are stiff */

#define T2_EVENT(N, TEXT, TIME)                                                                              \
  {                                                                                                          \
    "events: T2 " TEXT, FESTOON, "", event_time, "T2", N, NAN, TIME, "s", RELATIVE, 1e-8, source_events,     \
        NULL                                                                                                 \
  }

static const item festoon_items[] = {
    T2_EVENT(1, "slips, first time", 2.349709424),
    T2_EVENT(2, "sticks", 4.381050067),
    T2_EVENT(3, "slips back", 7.363467972),
    T2_EVENT(4, "sticks", 9.932739325),
    T2_EVENT(5, "slips forward", 14.601151171),
    T2_EVENT(6, "sticks", 15.164758413),
    T2_EVENT(7, "slips in the fast expansion", 15.556928345),
    T2_EVENT(8, "sticks", 17.565834397),
    {"events: T1 does not move before", FESTOON, "", event_time, "T1", 1, 15, 15, "s", AT_LEAST, 0,
     "the paper's text", NULL},
    {"events: x of T1 at 25 s", FESTOON, "", value_end, "bodies.T1.x", 0, NAN, 1.594030672, "m", RELATIVE,
     1e-8, source_events, NULL},
    {"events: x of T2 at 25 s", FESTOON, "", value_end, "bodies.T2.x", 0, NAN, 3.222937993, "m", RELATIVE,
     1e-8, source_events, NULL},
};

static const char lost[] =
    "The published number belongs to the lost parameters of Fig. 12 and cannot be met by this stand-in.";

/* Largest friction coefficient |f|/n of both trolleys. */
static double largest_coefficient(const trial *t) {
  static const char *const names[] = {"contacts.T1.f", "contacts.T1.n", "contacts.T2.f", "contacts.T2.n"};
  double most = 0;
  for (int k = 0; k < 4; k += 2) {
    long rows;
    const double *f = column_of(t, names[k], &rows), *n = column_of(t, names[k + 1], &rows);
    if (!f || !n) return NAN;
    for (long i = 0; i < rows; i++)
      if (n[i] > 0) most = fmax(most, fabs(f[i]) / n[i]);
  }
  return most;
}

/* The stick-slip laws of the three programs beside an independent integration with 2.5 us steps. */
static const struct rival {
  const char *name, *settings;
  double t1, t2, tolerance; /* positions at 25 s [m] */
} rivals[] = {{"Adams by bdf", FESTOON_ADAMS BY_BDF, 1.5938069109, 3.2224648936, 1e-8},
              {"RecurDyn by events", FESTOON_RECURDYN, 1.5938069109, 3.2224648936, 1e-8},
              {"Simpack by bdf", FESTOON_SIMPACK BY_BDF, 1.594006, 3.2228897, 1e-6}};

static void rival_rows(reproduction *r) {
  for (int i = 0; i < COUNT(rivals); i++) {
    const trial *t = trial_run(r, FESTOON, "%s", rivals[i].settings);
    for (int k = 0; k < 2; k++) {
      row x = {.published = NAN,
               .reference = k == 0 ? rivals[i].t1 : rivals[i].t2,
               .computed = value_end(t, k == 0 ? "bodies.T1.x" : "bodies.T2.x", 0),
               .unit = "m",
               .by = ABSOLUTE,
               .tolerance = rivals[i].tolerance,
               .source = source_run};
      snprintf(x.item, sizeof x.item, "%s: x of T%d at 25 s", rivals[i].name, k + 1);
      add_row(r, &x, t);
    }
  }
}

static void detail_rows(reproduction *r) {
  const trial *adams = trial_run(r, FESTOON, "%s", FESTOON_ADAMS BY_BDF),
              *recurdyn = trial_run(r, FESTOON, "%s", FESTOON_RECURDYN BY_BDF),
              *simpack = trial_run(r, FESTOON, "%s; run.output=0", FESTOON_SIMPACK),
              *slow = trial_run(r, FESTOON, "%s; run.output=0; run.until=12.5", FESTOON_SIMPACK);
  row rows[] = {
      {.item = "Simpack: friction coefficient exceeds mu_s by",
       .published = 2.3e-3,
       .reference = 1.04e-3,
       .computed = largest_coefficient(simpack) - 0.08,
       .unit = "1",
       .by = ABSOLUTE,
       .tolerance = 2e-5,
       .source = source_run,
       .note = lost},
      {.item = "Simpack, first 12.5 s (slow motion): largest friction coefficient",
       .published = 0.08,
       .reference = 0.08,
       .computed = largest_coefficient(slow),
       .unit = "1",
       .by = ABSOLUTE,
       .tolerance = 1e-4,
       .source = "the paper's text"},
      {.item = "Adams: largest friction coefficient",
       .published = 0.08,
       .reference = 0.08,
       .computed = largest_coefficient(adams),
       .unit = "1",
       .by = AT_MOST,
       .source = "the law itself"},
      {.item = "T2 sticks at 17.6 s: Adams to RecurDyn",
       .published = 0.4e-3,
       .reference = 0,
       .computed = event_time(recurdyn, "T2", 8) - event_time(adams, "T2", 8),
       .unit = "s",
       .by = ABSOLUTE,
       .tolerance = 1e-9,
       .source = "the laws themselves",
       .note = "z never reaches x_s here, and below it the two laws are the same; the paper suspects the "
               "solvers."},
      {.item = "T2 sticks at 17.6 s: RecurDyn to Simpack",
       .published = 7.3e-3,
       .reference = 3.143e-4,
       .computed = event_time(simpack, "T2", 8) - event_time(recurdyn, "T2", 8),
       .unit = "s",
       .by = ABSOLUTE,
       .tolerance = 2e-6,
       .source = source_run,
       .note = lost},
  };
  const trial *of[] = {simpack, slow, adams, adams, simpack};
  for (int i = 0; i < COUNT(rows); i++) add_row(r, &rows[i], of[i]);
}

/* The friction coefficient f/n of a trolley, times a sign, over another column, for times from..to. Points
 * beyond the limit come to lie on it, outside the picture. */
static void draw_coefficient(series *s, const trial *t, const char *trolley, const char *over, double from,
                             double to, double sign, double limit) {
  char name[2][40];
  snprintf(name[0], sizeof name[0], "contacts.%s.f", trolley);
  snprintf(name[1], sizeof name[1], "contacts.%s.n", trolley);
  long rows;
  const double *time = column_of(t, "time", &rows), *x = column_of(t, over, &rows),
               *f = column_of(t, name[0], &rows), *n = column_of(t, name[1], &rows);
  for (long i = 0; time && x && f && n && i < rows; i++)
    if (time[i] >= from && time[i] <= to) series_add(s, fmin(fmax(x[i], -limit), limit), sign * f[i] / n[i]);
}

static void draw_motion(reproduction *r) {
  figure *f = add_drawing(
      r, "schuderer-13", "Schuderer et al., Fig. 13: trolley 2 of the festoon",
      "The three programs and the exact solution can hardly be told apart. Simpack lacks the static "
      "peak where sliding ends.");
  if (!f) return;
  const trial *runs[] = {
      trial_run(r, FESTOON, "%s", FESTOON_ADAMS BY_BDF), trial_run(r, FESTOON, "%s", FESTOON_RECURDYN BY_BDF),
      trial_run(r, FESTOON, "%s", FESTOON_SIMPACK BY_BDF), trial_run(r, FESTOON, "%s", "")};
  static const char *const names[] = {"Adams", "RecurDyn", "Simpack", "exact"};
  static const char *const columns[] = {"bodies.T2.x", "bodies.T2.v", "contacts.T2.f"},
                           *const labels[] = {"x_{T2}", "v_{T2}", "F_{R}"},
                           *const units[] = {"m", "m/s", "N"},
                           *const titles[] = {"a) displacement", "b) velocity", "c) friction force"};
  for (int k = 0; k < 3; k++) {
    curve_of c[COUNT(runs)];
    for (int i = 0; i < COUNT(runs); i++) c[i] = (curve_of){names[i], columns[k], runs[i]};
    panel *p = time_panel(f, titles[k], labels[k], units[k], c, COUNT(runs), 0, 25);
    p->series[3].width = 0.5;
    p->series[3].colour = 6;
  }
}

static void draw_details(reproduction *r) {
  figure *f = add_drawing(
      r, "schuderer-14", "Schuderer et al., Fig. 14: trolleys of the festoon in detail",
      "a) Simpack exceeds mu_s = 0.08 before it lets go, by what its damper adds. b) and c) trolley 2 "
      "comes to rest: Adams and RecurDyn raise the force to mu_s from v = v_s on, Simpack starts its "
      "spring unloaded, which bends the velocity.");
  if (!f) return;
  const trial *runs[] = {
      trial_run(r, FESTOON, "%s; run.output=1e-4; run.until=18.3", FESTOON_ADAMS BY_BDF),
      trial_run(r, FESTOON, "%s; run.output=1e-4; run.until=18.3", FESTOON_RECURDYN BY_BDF),
      trial_run(r, FESTOON, "%s; run.output=0; run.until=18.3", FESTOON_SIMPACK)};
  static const char *const names[] = {"Adams", "RecurDyn", "Simpack"};
  panel *p = figure_panel(f, "a) trolley 1, stick to slip");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "μ = F_{R}/F_{N}", "1");
  for (int i = 0; i < 3; i++) {
    series *s = panel_series(p, names[i]);
    s->line = i == 0 ? LINE_SOLID : i == 1 ? LINE_DASHED : LINE_DOTTED;
    draw_coefficient(s, runs[i], "T1", "time", 18.276, 18.284, 1, INFINITY);
  }
  series *limit = panel_series(p, "μ_{s}");
  limit->colour = 6;
  limit->width = 0.5;
  series_add(limit, 18.276, 0.08);
  series_add(limit, 18.284, 0.08);
  curve_of force[3], velocity[3];
  for (int i = 0; i < 3; i++) {
    force[i] = (curve_of){names[i], "contacts.T2.f", runs[i]};
    velocity[i] = (curve_of){names[i], "bodies.T2.v", runs[i]};
  }
  time_panel(f, "b) trolley 2, slip to stick", "F_{R}", "N", force, 3, 17.560, 17.570);
  time_panel(f, "c) trolley 2, slip to stick", "v_{T2}", "m/s", velocity, 3, 17.560, 17.570);
}

static void draw_characteristics(reproduction *r) {
  figure *f = add_drawing(
      r, "schuderer-15", "Schuderer et al., Fig. 15: friction coefficient over velocity, trolley 2",
      "As simulated. Simpack has no value between stick and slip; Adams and RecurDyn are ambiguous for "
      "|v| below v_s = 0.1 mm/s, where the displacement decides as well.");
  if (!f) return;
  const trial *simpack = trial_run(r, FESTOON, "%s; run.output=0; run.until=12.5", FESTOON_SIMPACK),
              *recurdyn = trial_run(r, FESTOON, "%s; run.output=0; run.until=10.5", FESTOON_RECURDYN BY_BDF);
  const trial *runs[] = {simpack, recurdyn};
  static const char *const titles[] = {"a) Simpack, first 12.5 s", "b) Adams and RecurDyn, first 10.5 s"};
  for (int i = 0; i < 2; i++) {
    panel *p = figure_panel(f, titles[i]);
    axis_set(&p->x, "v_{T2}", "m/s");
    axis_set(&p->y, "-F_{R}/F_{N}", "1");
    p->x.lo = i == 0 ? -1e-3 : -3e-4;
    p->x.hi = -p->x.lo;
    draw_coefficient(panel_series(p, ""), runs[i], "T2", "bodies.T2.v", 0, 25, -1, 1.1 * p->x.hi);
  }
  f = add_drawing(r, "schuderer-16", "Schuderer et al., Fig. 16: stiction region of Adams and RecurDyn",
                  "The coefficient as simulated, over the internal displacement z and over the velocity; "
                  "thin lines are the "
                  "law itself, mu_stick(z, v), at constant v.");
  if (!f) return;
  panel *p = figure_panel(f, "over displacement");
  axis_set(&p->x, "z", "m");
  axis_set(&p->y, "-F_{R}/F_{N}", "1");
  static const double v[] = {-1e-4, -0.5e-4, 0, 0.5e-4, 1e-4};
  for (int i = 0; i < COUNT(v); i++) {
    char label[40];
    snprintf(label, sizeof label, "v = %g mm/s", 1e3 * v[i]);
    series *s = panel_series(p, label);
    s->colour = i + 1;
    s->width = 0.5;
    const cps_law *law = cps_law_find("recurdyn-stick-slip");
    double q[CPS_MAX_PARAMS];
    cps_law_defaults(law, q);
    q[cps_law_param(law, "mu_s")] = 0.08;
    q[cps_law_param(law, "mu_d")] = 0.06;
    for (int k = -100; k <= 100; k++) {
      double z = 1.2e-7 * k;
      cps_law_input in = {.v = v[i], .n = 1, .z = &z, .mode = 0};
      cps_law_output out;
      cps_law_eval(law, q, &in, &out, NULL);
      series_add(s, z, -out.f);
    }
  }
  series *s = panel_series(p, "simulated");
  s->colour = 0;
  draw_coefficient(s, recurdyn, "T2", "contacts.T2.z", 0, 25, -1, INFINITY);
  p->x.lo = -1.2e-5;
  p->x.hi = 1.2e-5;
  p = figure_panel(f, "over velocity");
  axis_set(&p->x, "v_{T2}", "m/s");
  axis_set(&p->y, "-F_{R}/F_{N}", "1");
  p->x.lo = -1.2e-4;
  p->x.hi = 1.2e-4;
  draw_coefficient(panel_series(p, "simulated"), recurdyn, "T2", "bodies.T2.v", 0, 25, -1, 1.3e-4);
}

static void festoon_more(reproduction *r) {
  rival_rows(r);
  detail_rows(r);
  draw_motion(r);
  draw_details(r);
  draw_characteristics(r);
}

/* ---------------------------------------------------------------- studies */

const study schuderer_studies[] = {
    {"schuderer.regularised", PAPER, "Standard regularisations and LuGre under three pulses, section 4.1",
     "A block of 1 kg on the ground is pushed by three pulses of 0.8 F_s. It should not move.",
     COUNT(regularised_items), regularised_items, regularised_more},
    {"schuderer.pulse", PAPER, "Stick-slip laws under three pulses, section 4.2",
     "The same pulses, with the stick-slip laws of the three programs and their default parameters.",
     COUNT(pulse_items), pulse_items, pulse_more},
    {"schuderer.drift", PAPER, "Drift of Adams with adjusted parameters, section 4.3.1",
     "v_s = 1 mm/s, x_s = 1 um, three pulses of 0.95 F_s.", COUNT(drift_items), drift_items, drift_more},
    {"schuderer.step", PAPER, "A force that rises and stays, section 4.3.1",
     "The force rises within 1 ms to 0.95 F_s, which exact friction would hold.", COUNT(step_items),
     step_items, step_more},
    {"schuderer.xs-sweep", PAPER, "Displacement parameter x_s, section 4.3.2",
     "Three pulses of 1 ms, v_s = 0.1 mm/s, and x_s from 0.01 mm to 10 mm.", 0, NULL, sweep_more},
    {"schuderer.festoon", PAPER, "Festoon cable system of a crane, section 5",
     "The paper's parameters are lost with its Fig. 12. This stand-in, described in the scenario file, shows "
     "all the "
     "behaviour that the text tells; the paper's own numbers can therefore not be met.",
     COUNT(festoon_items), festoon_items, festoon_more},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL}};
