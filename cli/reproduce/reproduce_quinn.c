/* reproduce_quinn.c - D. D. Quinn, A new regularization of Coulomb friction, J. Vib. Acoust. 126(3), 2004. */
#include "reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAPER      "Quinn (2004)"
#define PI         3.14159265358979323846
#define OSCILLATOR "quinn/oscillator.yaml"
#define FORCED     "quinn/forced.yaml"
#define CHAIN      "quinn/chain.yaml"
#define TWO_BLOCKS "quinn/two-blocks.yaml"
#define COUNT(a)   ((int)(sizeof(a) / sizeof((a)[0])))

/* ---------------------------------------------------------------- unforced oscillator */

#define LAW_COULOMB "contacts.floor.friction={coulomb: {mu: 1}}"
#define LAW_LIMITED "contacts.floor.friction={martins-oden: {mu: 1, epsilon: 0.02}}"
#define LAW_HALF    "contacts.floor.friction={quinn-half: {mu: 1, epsilon: 0.02}}"
#define LONG_RUN    "; run.until=200; run.output=0.1"

static const item oscillator_items[] = {
    {"Quinn, Eqs. (4) with epsilon = 2 dt: x at rest", OSCILLATOR, "", value_end, "bodies.block.x", 0,
     -0.750090, -0.7503523916, "m", ABSOLUTE, 1e-10, source_run,
     "Eqs. (4) as printed, with epsilon = 2 dt, do not give the published number: section 3.1.1 uses the "
     "other "
     "normalisation, in which epsilon is the full width of the ramp. See the next row."},
    {"Quinn, section 3.1.1, epsilon = 2 dt is the full width: x at rest", OSCILLATOR, LAW_HALF, value_end,
     "bodies.block.x", 0, -0.750090, -0.7500899237, "m", ABSOLUTE, 1e-10, source_run, NULL},
    {"exact Coulomb friction (events): x at rest", OSCILLATOR, LAW_COULOMB "; run.solver=events", value_end,
     "bodies.block.x", 0, -0.75, -0.75, "m", RELATIVE, 1e-10, source_closed, NULL},
    {"exact Coulomb friction (events): time of rest", OSCILLATOR, LAW_COULOMB "; run.solver=events",
     event_time, "floor", 2, NAN, PI, "s", RELATIVE, 1e-10, source_closed, NULL},
    {"Coulomb by rk4: x(20) has drifted from -0.75", OSCILLATOR, LAW_COULOMB LONG_RUN, value_at,
     "bodies.block.x", 20, NAN, -0.7017054394881, "m", ABSOLUTE, 1e-10, source_run, NULL},
    {"Coulomb by rk4: x(200), still on the way to the origin", OSCILLATOR, LAW_COULOMB LONG_RUN, value_at,
     "bodies.block.x", 200, NAN, -0.3050363674989, "m", ABSOLUTE, 1e-10, source_run, NULL},
    {"velocity-limited by rk4: x(20) has drifted from -0.75", OSCILLATOR, LAW_LIMITED LONG_RUN, value_at,
     "bodies.block.x", 20, NAN, -0.5355536472123, "m", ABSOLUTE, 1e-10, source_run, NULL},
};

/* Regularisation error, Eq. (6) as it should read, and the drift of the velocity-limited law. */
static void oscillator_more(reproduction *r) {
  const trial *limited = trial_run(r, OSCILLATOR, LAW_LIMITED LONG_RUN);
  double rate = log(value_at(limited, "bodies.block.x", 50) / value_at(limited, "bodies.block.x", 150)) / 100;
  row x = {.item = "velocity-limited by rk4: rate at which x decays to the origin",
           .published = NAN,
           .reference = (50 - sqrt(2500 - 4)) / 2, /* slow root of s^2 + s/epsilon + 1 */
           .computed = rate,
           .unit = "1/s",
           .by = RELATIVE,
           .tolerance = 1e-9,
           .source = source_closed};
  add_row(r, &x, limited);

  figure *f = add_drawing(
      r, "quinn-5", "Quinn, Fig. 5: unforced oscillator, rk4 with dt = 0.01",
      "Coulomb friction chatters and, like the velocity-limited law, drifts to the origin. The "
      "proposed law stays where exact friction stops. Note the other time scale of the third panel.");
  if (f) {
    const trial *coulomb = trial_run(r, OSCILLATOR, LAW_COULOMB LONG_RUN),
                *quinn = trial_run(r, OSCILLATOR, LAW_HALF);
    const struct {
      const char *title;
      const trial *t;
      double until;
    } parts[] = {
        {"a) Coulomb", coulomb, 200}, {"b) velocity-limited", limited, 200}, {"c) proposed", quinn, 10}};
    for (int i = 0; i < COUNT(parts); i++) {
      panel *p = figure_panel(f, parts[i].title);
      axis_set(&p->x, "time t", "s");
      axis_set(&p->y, "x", "1");
      series *s = panel_series(p, "");
      draw_columns(s, parts[i].t, "time", "bodies.block.x", 0, parts[i].until);
      s = panel_series(p, "-0.75");
      s->line = LINE_DOTTED;
      s->colour = 6;
      series_add(s, 0, -0.75);
      series_add(s, parts[i].until, -0.75);
    }
  }
  f = add_drawing(r, "quinn-6", "Quinn, Fig. 6: force of the proposed law as the block comes to rest",
                  "The force is continuous and does not chatter.");
  if (f) {
    const trial *quinn = trial_run(r, OSCILLATOR, LAW_HALF);
    panel *p = figure_panel(f, "");
    axis_set(&p->x, "time t", "s");
    axis_set(&p->y, "f, x", "1");
    p->x.lo = 2.5;
    p->x.hi = 3.5;
    draw_columns(panel_series(p, "friction force f"), quinn, "time", "contacts.floor.f", 2.5, 3.5);
    series *s = panel_series(p, "position x");
    s->line = LINE_DASHED;
    draw_columns(s, quinn, "time", "bodies.block.x", 2.5, 3.5);
  }
}

/* ---------------------------------------------------------------- forced oscillator */

#define WORK  "contacts.floor.work"
#define CYCLE "; run.until=448.7989505128276; run.output=8.975979010256552" /* 50 cycles of 2 pi/0.7 */
#define SHAKE "loads.shaker.force.sine.amplitude=2; loads.shaker.force.sine.omega=0.7" CYCLE

static const item forced_items[] = {
    {"alpha 1.5, omega 0.5 (sticks), events: dissipation of cycle 50", FORCED, "", cycle_change, WORK, 50,
     NAN, 7.18924625072248, "J", RELATIVE, 1e-8, source_events, NULL},
    {"alpha 2, omega 0.7 (never sticks), events: dissipation of cycle 50", FORCED, SHAKE, cycle_change, WORK,
     50, NAN, 13.9540314899910, "J", RELATIVE, 1e-8, source_events, NULL},
};

/* Part of cycle 50 that is spent at rest, from the events. */
static double stick_fraction(const trial *t, double period) {
  double from = 49 * period, to = 50 * period, rest = 0, since = -1;
  if (!t->complete) return NAN;
  for (long i = 0; i < cps_result_events(t->result); i++) {
    const cps_event *e = cps_result_event(t->result, i);
    if (e->to == 0) since = e->time;
    if (e->from != 0 || since < 0) continue;
    rest += fmax(0, fmin(e->time, to) - fmax(since, from));
    since = -1;
  }
  if (since >= 0) rest += fmax(0, to - fmax(since, from));
  return rest / period;
}

enum { LAWS = 3, SIZES = 26 };

static const char *const sweep_laws[LAWS] = {"coulomb", "martins-oden", "quinn"};
static const char *const sweep_names[LAWS] = {"Coulomb", "velocity-limited", "proposed"};

/* Relative errors of the dissipation of cycle 50, for steps from a 256th to an 8192nd of a cycle. */
typedef struct sweep {
  double dt[SIZES], error[LAWS][SIZES];
  const trial *bad;
} sweep;

static void friction_setting(char *text, size_t size, const char *key, int law, double epsilon) {
  if (law == 0)
    snprintf(text, size, "%s={coulomb: {mu: 1}}", key);
  else
    snprintf(text, size, "%s={%s: {mu: 1, epsilon: %.17g}}", key, sweep_laws[law], epsilon);
}

static void forced_sweep(reproduction *r, sweep *s, const char *shake, double omega, double exact) {
  s->bad = NULL;
  for (int k = 0; k < SIZES; k++) {
    s->dt[k] = 2 * PI / omega / round(256 * pow(2, k / 5.0));
    for (int law = 0; law < LAWS; law++) {
      char friction[120];
      friction_setting(friction, sizeof friction, "contacts.floor.friction", law, 2 * s->dt[k]);
      const trial *t = trial_run(r, FORCED, "%s; %srun.solver=rk4; run.step=%.17g", friction, shake,
                                 s->dt[k]);
      s->error[law][k] = fabs(cycle_change(t, WORK, 50) / exact - 1);
      if (!t->complete) s->bad = t;
    }
  }
}

static const char ragged[] = "The error of the discontinuous law depends on where within a step the velocity "
                             "changes sign: the curve is ragged, as "
                             "the paper says, and its slope only roughly defined.";
static const char one_sided[] = "The paper says second order for all laws. A reversal without rest changes "
                                "the acceleration, so that the time spent in "
                                "the band differs on its two sides, and what the regularisation takes away "
                                "on one side it does not give back on the "
                                "other: first order.";
static const char within_step[] = "The paper says second order for all laws. A step in which the friction "
                                  "jumps has a velocity error of first order, "
                                  "whatever the integrator. The curve is ragged.";

/* The order with which each law converges; published, and as it follows from what happens at a reversal. */
static const struct order {
  int sticks, law;
  double published, expected, tolerance;
  const char *note;
} orders[] = {
    {1, 2, 2, 2, 0.1, NULL},      {1, 1, 1, 1, 0.1, NULL},      {1, 0, 1, 1, 0.3, ragged},
    {0, 2, 2, 1, 0.1, one_sided}, {0, 1, 2, 1, 0.1, one_sided}, {0, 0, 2, 1, 0.3, within_step},
};

static void order_row(reproduction *r, const sweep *s, const struct order *o) {
  row x = {.published = o->published,
           .reference = o->expected,
           .computed = slope(SIZES, s->dt, s->error[o->law]),
           .unit = "1",
           .by = ABSOLUTE,
           .tolerance = o->tolerance,
           .source = "analysis of a reversal",
           .note = o->note};
  snprintf(x.item, sizeof x.item, "%s, %s sticking, rk4: order of the dissipation error", sweep_names[o->law],
           o->sticks ? "with" : "without");
  add_row(r, &x, s->bad);
}

static void forced_panel(figure *f, const char *title, const sweep *s) {
  static const chart_mark marks[LAWS] = {MARK_SQUARE, MARK_RING, MARK_DOT};
  panel *p = figure_panel(f, title);
  axis_set(&p->x, "step dt", "s");
  axis_set(&p->y, "error of the dissipation", "%");
  p->x.log = p->y.log = 1;
  for (int law = 0; law < LAWS; law++) {
    series *line = panel_series(p, sweep_names[law]);
    line->mark = marks[law];
    line->line = law == 2 ? LINE_SOLID : law == 0 ? LINE_DASHED : LINE_DOTTED;
    for (int k = 0; k < SIZES; k++) series_add(line, s->dt[k], 100 * s->error[law][k]);
  }
}

static void forced_more(reproduction *r) {
  const trial *events = trial_run(r, FORCED, "%s", "");
  row x = {.item = "alpha 1.5, omega 0.5, events: part of cycle 50 spent at rest",
           .published = NAN,
           .reference = 0.244921,
           .computed = stick_fraction(events, 4 * PI),
           .unit = "1",
           .by = ABSOLUTE,
           .tolerance = 5e-7,
           .source = source_events};
  add_row(r, &x, events);
  const trial *slides = trial_run(r, FORCED, SHAKE);
  row y = {.item = "alpha 2, omega 0.7, events: part of cycle 50 spent at rest",
           .published = NAN,
           .reference = 0,
           .computed = stick_fraction(slides, 2 * PI / 0.7),
           .unit = "1",
           .by = ABSOLUTE,
           .tolerance = 0,
           .source = source_events};
  add_row(r, &y, slides);

  sweep sticks, never;
  forced_sweep(r, &sticks, "", 0.5, 7.18924625072248);
  forced_sweep(r, &never, SHAKE "; ", 0.7, 13.9540314899910);
  for (int i = 0; i < COUNT(orders); i++) order_row(r, orders[i].sticks ? &sticks : &never, &orders[i]);
  double mean = 0;
  for (int k = 0; k < SIZES; k++) mean += sticks.error[2][k] / (sticks.dt[k] * sticks.dt[k]) / SIZES;
  row z = {.item = "proposed, with sticking, rk4: relative error over dt^2, mean",
           .published = NAN,
           .reference = 0.43,
           .computed = mean,
           .unit = "1/s2",
           .by = RELATIVE,
           .tolerance = 0.05,
           .source = source_run,
           .note = "The quotient varies by 5 % from step to step, as the reversals fall differently between "
                   "the steps; the "
                   "reference says \"about 0.43\"."};
  add_row(r, &z, sticks.bad);

  figure *f = add_drawing(
      r, "quinn-7", "Quinn, Fig. 7: error of the dissipation per cycle over the step, rk4",
      "With sticking the proposed law is of second order, the velocity-limited one of first. "
      "The discontinuous law varies irregularly.");
  if (!f) return;
  forced_panel(f, "a) alpha = 1.5, omega = 0.5: sticks", &sticks);
  forced_panel(f, "b) alpha = 2, omega = 0.7: never sticks", &never);
}

/* ---------------------------------------------------------------- chain */

static double highest_block(const trial *t, const char *name, double at) {
  (void)name;
  (void)at;
  if (!t->complete) return NAN;
  double most = 0;
  for (long i = 0; i < cps_result_events(t->result); i++)
    most = fmax(most, strtod(cps_result_event(t->result, i)->contact_name + 1, NULL)); /* "c8" */
  return most;
}

/* A run by rk4 with a law for all contacts. */
#define CHAIN_AT(LAW)                                                                                        \
  "run.solver=rk4; run.step=0.007853981633974483; repeat.0.contacts.c{i}.friction=" LAW                      \
  "; contacts.c32.friction=" LAW

#define FRICTION "energy.friction"

static const item chain_items[] = {
    {"events: dissipation of cycle 1", CHAIN, "", cycle_change, FRICTION, 1, NAN, 0.008448783737738, "J",
     RELATIVE, 1e-8, source_events, NULL},
    {"events: dissipation of cycle 2", CHAIN, "", cycle_change, FRICTION, 2, NAN, 0.010496224973632, "J",
     RELATIVE, 1e-8, source_events, NULL},
    {"events: dissipation of cycle 3", CHAIN, "", cycle_change, FRICTION, 3, NAN, 0.010494610895653, "J",
     RELATIVE, 1e-8, source_events, NULL},
    {"events: dissipation of cycle 4", CHAIN, "", cycle_change, FRICTION, 4, 0.0105, 0.010494960002518, "J",
     RELATIVE, 1e-8, source_events, NULL},
    {"events: first slip, 2 asin(1/8)", CHAIN, "", event_time, "c1", 1, NAN, 0.25065566233613046, "s",
     RELATIVE, 1e-8, source_closed, NULL},
    {"events: last block that ever slips", CHAIN, "", highest_block, NULL, 0, NAN, 8, "1", ABSOLUTE, 0,
     source_events, NULL},
    {"Coulomb by rk4, dt = 0.007854: dissipation of cycle 4", CHAIN, CHAIN_AT("{coulomb: {mu: 1}}"),
     cycle_change, FRICTION, 4, NAN, 0.025648, "J", ABSOLUTE, 5e-7, source_run, NULL},
    {"velocity-limited by rk4, dt = 0.007854, epsilon = 10 omega dt: the same", CHAIN,
     CHAIN_AT("{martins-oden: {mu: 1, epsilon: 0.039269908169872414}}"), cycle_change, FRICTION, 4, NAN,
     0.039442, "J", ABSOLUTE, 5e-7, source_run, NULL},
    {"proposed by rk4, dt = 0.007854, epsilon = 10 omega dt: the same", CHAIN,
     CHAIN_AT("{quinn: {mu: 1, epsilon: 0.039269908169872414}}"), cycle_change, FRICTION, 4, NAN, 0.010542,
     "J", ABSOLUTE, 5e-7, source_run, NULL},
};

enum { CHAIN_SIZES = 7 };

static void chain_more(reproduction *r) {
  /* From 1000 to 64000 steps per cycle: dt = 0.0126 to 0.0002. */
  double dt[CHAIN_SIZES], d[LAWS][CHAIN_SIZES];
  const trial *bad = NULL;
  for (int k = 0; k < CHAIN_SIZES; k++) {
    dt[k] = 4 * PI / (1000 << k);
    for (int law = 0; law < LAWS; law++) {
      char all[160], last[160];
      friction_setting(all, sizeof all, "repeat.0.contacts.c{i}.friction", law, 5 * dt[k]);
      friction_setting(last, sizeof last, "contacts.c32.friction", law, 5 * dt[k]);
      const trial *t = trial_run(r, CHAIN, "run.solver=rk4; run.step=%.17g; %s; %s", dt[k], all, last);
      d[law][k] = cycle_change(t, FRICTION, 4);
      if (!t->complete) bad = t;
    }
  }
  row largest = {.item = "proposed by rk4, dt = 0.0126, \"up to dt = 0.01\": dissipation of cycle 4",
                 .published = 0.0105,
                 .reference = 0.010494960002518,
                 .computed = d[2][0],
                 .unit = "J",
                 .by = RELATIVE,
                 .tolerance = 0.02,
                 .source = source_events};
  add_row(r, &largest, bad);
  double exact = 0.010494960002518, fine = d[2][CHAIN_SIZES - 1], coarse = d[2][CHAIN_SIZES - 2];
  row limit = {.item = "proposed by rk4, extrapolated to dt = 0: dissipation of cycle 4",
               .published = 0.0105,
               .reference = exact,
               .computed = fine + (fine - coarse) / 3,
               .unit = "J",
               .by = RELATIVE,
               .tolerance = 1e-6,
               .source = source_events};
  add_row(r, &limit, bad);
  for (int law = 0; law < 2; law++) {
    row x = {.published = NAN,
             .reference = 0.1,
             .computed = fabs(d[law][CHAIN_SIZES - 1] - exact) / fabs(d[law][0] - exact),
             .unit = "1",
             .by = AT_MOST,
             .source = "the paper's text"};
    snprintf(x.item, sizeof x.item, "%s by rk4: error at dt = 0.0002 over error at dt = 0.0126",
             sweep_names[law]);
    add_row(r, &x, bad);
  }
  figure *f = add_drawing(
      r, "quinn-9", "Quinn, Fig. 9: dissipation of the chain per cycle over the step",
      "n = 32, alpha = 0.25, omega = 0.5, epsilon = 10 omega dt, cycle 4 by rk4; the dotted line is "
      "the event-driven solution.");
  if (!f) return;
  static const chart_mark marks[LAWS] = {MARK_SQUARE, MARK_RING, MARK_DOT};
  panel *p = figure_panel(f, "");
  axis_set(&p->x, "step dt", "s");
  axis_set(&p->y, "dissipation D", "1");
  p->x.log = 1;
  for (int law = 0; law < LAWS; law++) {
    series *s = panel_series(p, sweep_names[law]);
    s->mark = marks[law];
    s->line = law == 2 ? LINE_SOLID : LINE_DASHED;
    for (int k = 0; k < CHAIN_SIZES; k++) series_add(s, dt[k], d[law][k]);
  }
  series *s = panel_series(p, "events");
  s->line = LINE_DOTTED;
  s->colour = 6;
  series_add(s, dt[CHAIN_SIZES - 1], 0.010494960002518);
  series_add(s, dt[0], 0.010494960002518);
}

/* ---------------------------------------------------------------- two blocks */

static const char triple_root[] = "The load on the upper contact passes its limit in a triple root, which "
                                  "round-off of 1e-16 blurs to about "
                                  "1e-5 in time. What comes after is not affected, as the next rows show.";

static const item two_blocks_items[] = {
    {"x1 at t = 20", TWO_BLOCKS, "", value_end, "bodies.lower.x", 0, NAN, -0.7198990054, "m", ABSOLUTE, 7e-9,
     source_events, NULL},
    {"x2 at t = 20", TWO_BLOCKS, "", value_end, "bodies.upper.x", 0, NAN, -0.1012129077, "m", ABSOLUTE, 1e-9,
     source_events, NULL},
    {"dissipated below at t = 20", TWO_BLOCKS, "", value_end, "contacts.below.work", 0, NAN, 1.4579898954,
     "J", RELATIVE, 1e-8, source_events, NULL},
    {"dissipated between the blocks at t = 20", TWO_BLOCKS, "", value_end, "contacts.above.work", 0, NAN,
     1.0207654612, "J", RELATIVE, 1e-8, source_events, NULL},
    {"event at pi (triple root)", TWO_BLOCKS, "", event_moment, NULL, 2, NAN, PI, "s", ABSOLUTE, 2e-5,
     source_closed, triple_root},
    {"event 2", TWO_BLOCKS, "", event_moment, NULL, 3, NAN, 3.7421294211, "s", RELATIVE, 1e-8, source_events,
     NULL},
    {"event 3", TWO_BLOCKS, "", event_moment, NULL, 4, NAN, 4.1133235075, "s", RELATIVE, 1e-8, source_events,
     NULL},
    {"event 4", TWO_BLOCKS, "", event_moment, NULL, 5, NAN, 5.6035114883, "s", RELATIVE, 1e-8, source_events,
     NULL},
    {"event 5", TWO_BLOCKS, "", event_moment, NULL, 6, NAN, 7.5798514423, "s", RELATIVE, 1e-8, source_events,
     NULL},
};

static void two_blocks_more(reproduction *r) {
  figure *f = add_drawing(
      r, "quinn-11", "Quinn, Fig. 11: two blocks on a belt",
      "kappa = 2, mu_1 = 0.5, mu_2 = 0.25, u = sin 0.5 t, event-driven. Both contacts rest for "
      "substantial times.");
  if (!f) return;
  const trial *t = trial_run(r, TWO_BLOCKS, "run.output=0.02");
  panel *p = figure_panel(f, "a) positions");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "x_{1}, x_{2}", "1");
  draw_columns(panel_series(p, "lower block x_{1}"), t, "time", "bodies.lower.x", 0, 20);
  series *s = panel_series(p, "upper block x_{2}");
  s->line = LINE_DASHED;
  draw_columns(s, t, "time", "bodies.upper.x", 0, 20);
  p = figure_panel(f, "b) sliding velocities");
  axis_set(&p->x, "time t", "s");
  axis_set(&p->y, "z_{1}', z_{2}'", "1");
  draw_columns(panel_series(p, "lower block on belt"), t, "time", "contacts.below.v", 0, 20);
  s = panel_series(p, "upper block on lower");
  s->line = LINE_DASHED;
  draw_columns(s, t, "time", "contacts.above.v", 0, 20);
}

/* ---------------------------------------------------------------- studies */

const study quinn_studies[] = {
    {"quinn.oscillator", PAPER, "Unforced oscillator, section 3.1.1",
     "A block on a spring is let go at x = 2.75 and comes to rest at x = -0.75. The paper integrates it by "
     "rk4 with "
     "dt = 0.01 for three laws.",
     COUNT(oscillator_items), oscillator_items, oscillator_more},
    {"quinn.forced", PAPER, "Forced oscillator, section 3.1.2",
     "Dissipation of forcing cycle 50, exact by `events`, and how the error of three laws under rk4 depends "
     "on the "
     "step. Orders are slopes over steps from a 256th to an 8192nd of a cycle.",
     COUNT(forced_items), forced_items, forced_more},
    {"quinn.chain", PAPER, "Chain of 32 blocks, section 3.2",
     "A chain on a rough floor, shaken at one end so that only a part of it slips.", COUNT(chain_items),
     chain_items, chain_more},
    {"quinn.two-blocks", PAPER, "A block on a block on a belt, section 3.3",
     "Two contacts that depend on one another.", COUNT(two_blocks_items), two_blocks_items, two_blocks_more},
    {NULL, NULL, NULL, NULL, 0, NULL, NULL}};
