/* unit_sens_cable_bdf.c - derivatives of runs of cables by bdf: what the run says about its steps against its states,
 * derivatives against differences of runs with the same steps, and the adjoint against the forward method.
 *
 * Errors that count for nothing leave IDA no reason to choose steps by the state: it doubles them up to run.step, whatever the
 * parameters are. Rows lie where they are asked for, mostly within steps. */
#include "newton.h"
#include "sens.h"
#include "sens_compare.h"

/* ------------------------------------------------------------------ machines */

#define RUN "run: {until: 0.3 s, step: 10 ms, solver: bdf, absolute_tolerance: 1e9, output: 17 ms}\n"

static const example examples[] = {
    {"smooth law at nodes, motor",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.cdq.mu", "cables.rope.contact.friction.cdq.alpha",
      "bodies.left.mass", "drums.pulley.drive.pd.kp", "drums.pulley.drive.pd.kd",
      "drums.pulley.drive.pd.setpoint.cycloid.amplitude"},
     {"bodies.left.y", "bodies.right.vy@0.1234", "mean(drums.pulley.torque)", "cables.rope.pulley.slip_work",
      "cables.rope.tension_max", "energy.error"},
     10},
    {"clamped law at nodes, motor",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "cables.rope.contact.friction.quinn.epsilon",
      "bodies.right.mass", "drums.pulley.drive.pd.kp", "drums.pulley.center.0", "drums.pulley.center.1"},
     {"bodies.left.y@0.2345", "drums.pulley.torque", "cables.rope.pulley.slip_work",
      "rms(cables.rope.pulley.normal)", "cables.rope.pulley.t_in", "energy.damping"},
     1},
    {"law of velocity at quadrature points",
     "capstan: 1\n" PULLEY("drive: {rotation: {ramp: {rate: 2 rad/s}}}")
         LOADS ROPE("tanh: {mu: 0.3, v_t: 20 mm/s}", "{quadrature: 1}") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.tanh.mu", "bodies.left.mass",
      "drums.pulley.drive.rotation.ramp.rate"},
     {"bodies.left.y", "drums.pulley.torque", "cables.rope.pulley.slip_work", "energy.kinetic",
      "energy.elastic@0.1", "energy.gravity"},
     1},
    {"objective damping, exact curvature, centre that moves",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, drive: fixed, moved: {y: {sine: {amplitude: 10 mm, omega: 12 "
     "rad/s}}}}}\n" LOADS CABLE("quinn: {mu: 0.2, epsilon: 10 mm/s}", "{quadrature: 2}",
                                ", axial: 20 N s") "    strain: engineering\n    curvature: exact\n" OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass",
      "drums.pulley.moved.y.sine.amplitude", "cables.rope.damping.axial"},
     {"bodies.left.y", "drums.pulley.fy", "cables.rope.pulley.slip_work", "energy.damping",
      "energy.motion_work", "cables.rope.pulley.normal"},
     100},
    {"ends that are moved and pulled, and a pull that jumps",
     "capstan: 1\n" PULLEY("drive: fixed")
         ROPE("quinn: {mu: 0.2, epsilon: 10 mm/s}",
              "nodes") "    path:\n"
                       "      - {pinned: {at: [-0.15, -1], moved: {y: {sine: {amplitude: 5 mm, omega: 10 "
                       "rad/s}}}}}\n"
                       "      - over pulley\n"
                       "      - hang 1 m\n"
                       "      - {free: {force: {y: {sum: [-100 N, {ramp: {rate: -30 N/s}},\n"
                       "           {pulses: {amplitude: -20 N, start: 0.11 s, width: 0.1 s}}]}}}}\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu",
      "cables.rope.path.3.free.force.y.sum.1.ramp.rate",
      "cables.rope.path.3.free.force.y.sum.2.pulses.amplitude",
      "cables.rope.path.0.pinned.moved.y.sine.amplitude"},
     {"mean(cables.rope.tension_start)", "cables.rope.tension_end", "cables.rope.pulley.slip_work",
      "cables.rope.pulley.friction", "energy.load_work", "drums.pulley.fy"},
     1},
    {"winch",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, drive: {rotation: {cycloid: {amplitude: 60 deg, duration: 0.3 s}}}}}\n"
     "bodies: {left: {mass: 10 kg}}\n" ROPE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}",
         "nodes") "    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 1 m, left]\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass",
      "drums.winch.drive.rotation.cycloid.amplitude", "drums.winch.radius"},
     {"bodies.left.y", "mean(bodies.left.vy)", "cables.rope.tension_end", "cables.rope.winch.slip_work",
      "energy.motion_work", "energy.damping"},
     10},
    {"in space",
     "capstan: 1\ngravity: [0, -9.81, 0]\n"
     "drums: {pulley: {radius: 250 mm, center: [0, 0, 0], drive: {rotation: {ramp: {rate: 1 rad/s}}}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\n" ROPE("quinn: {mu: 0.1, epsilon: 10 mm/s}",
                                                                  "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass"},
     {"bodies.left.y", "bodies.right.z", "drums.pulley.torque", "cables.rope.pulley.slip_work",
      "energy.error"},
     1},
    {"drum that the cable turns, drawn",
     "capstan: 1\n" PULLEY("inertia: 0.3 kg m2, drive: free") LOADS ROPE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}",
         "nodes") "    start: drawn\n" OVER
                  "run: {until: 0.1 s, step: 10 ms, solver: bdf, absolute_tolerance: 1e9, output: 7 ms}\n",
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass", "drums.pulley.inertia"},
     {"bodies.left.y", "drums.pulley.rate", "cables.rope.pulley.slip_work", "energy.kinetic",
      "energy.damping", "drums.pulley.torque"},
     1},
    {"drum on a body on springs, torque",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, inertia: 0.3 kg m2, carried_by: hook,\n"
     "                 drive: {torque: {step5: {from: [0 s, 0], to: [0.2 s, 8 N m]}}}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}, hook: {mass: 5 kg, position: [0, 0]}}\n"
     "springs:\n"
     "  held: {between: [hook, {ground: [0.1 m, 1 m]}], stiffness: 20 kN/m, damping: 50 N s/m, length: 1 m}\n"
     "  aside: {between: [hook, {ground: [-1 m, 0]}], stiffness: 3 kN/m, length: 1 m}\n"
     "loads: {push: {on: hook, direction: [1, 0], force: {sine: {amplitude: 20 N, omega: 10 "
     "rad/s}}}}\n" ROPE("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.cdq.mu", "bodies.hook.mass", "springs.held.stiffness",
      "springs.held.damping", "springs.aside.length", "loads.push.force.sine.amplitude",
      "drums.pulley.drive.torque.step5.to.1"},
     {"bodies.left.y", "mean(bodies.hook.x)", "drums.pulley.rate", "springs.held.force", "energy.damping",
      "energy.load_work"},
     10},
    {"belt",
     "capstan: 1\n"
     "drums:\n"
     "  motor: {radius: 200 mm, center: [0, 0], drive: {rotation: {cycloid: {amplitude: 1 rad, duration: 0.3 "
     "s}}}}\n"
     "  wheel: {radius: 200 mm, center: [1 m, 0], inertia: 0.2 kg m2, drive: free}\n" CABLE(
         "quinn: {mu: 0.4, epsilon: 10 mm/s}", "nodes",
         "") "    closed: true\n    tension: 300 N\n"
             "    path: [{around: motor, turn: clockwise}, {around: wheel, turn: clockwise}]\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "drums.wheel.inertia", "cables.rope.tension"},
     {"drums.wheel.angle", "drums.wheel.rate", "cables.rope.tension_max", "cables.rope.motor.slip_work",
      "energy.kinetic"},
     10},
};

/* ------------------------------------------------------------------ what the run says about its steps */

enum { ENTRIES_MOST = 512 };

/* Places and velocities that were reached, the newest first. */
typedef struct watch {
  double q[BDF_POINTS][ENTRIES_MOST], v[BDF_POINTS][ENTRIES_MOST];
  double q_aside[BDF_POINTS][ENTRIES_MOST], v_aside[BDF_POINTS][ENTRIES_MOST];
  long steps, order_2, between;
  double worst_v, worst_a, worst_between;
} watch;

/* All inner nodes: what is prescribed does not follow the formulas. */
static int inner(const machine *m, double *q, double *v, double *a) {
  int n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = c->b; k < c->n * c->b; k++, n++) {
      q[n] = c->q[k];
      v[n] = c->v[k];
      a[n] = c->a[k];
    }
  }
  assert_true(n <= ENTRIES_MOST);
  return n;
}

static cps_status watch_step(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  const cable_note *note = what;
  watch *w = data;
  double q[ENTRIES_MOST], v[ENTRIES_MOST], a[ENTRIES_MOST], size_v = 0, size_a = 0;
  int n = inner(sim->machine, q, v, a), steps = note->bdf == BDF_STEP || note->bdf == BDF_REACHED;
  (void)err;
  for (int k = 0; k < n; k++) {
    size_v = fmax(size_v, fabs(v[k]));
    size_a = fmax(size_a, fabs(a[k]));
  }
  double c = 1 / note->coeffs.v_a;
  for (int k = 0; k < n && !note->begins; k++) {
    double w1 = 0, w2 = 0;
    for (int i = 0; i < BDF_POINTS; i++) {
      w1 += note->past[i] * w->q[i][k];
      w2 += note->past[i] * w->v[i][k];
    }
    if (steps) {
      /* round-off of places is multiplied by c, and that of velocities again */
      w->worst_v = fmax(w->worst_v, fabs(c * q[k] - w1 - v[k]) / (size_v + c));
      w->worst_a = fmax(w->worst_a, fabs(c * v[k] - w2 - a[k]) / (size_a + c * size_v + c * c));
    } else {
      w->worst_between = fmax(w->worst_between, fabs(w1 - q[k]));
    }
  }
  w->steps += steps;
  w->between += note->bdf == BDF_BETWEEN;
  w->order_2 += steps && note->past[1] != 0;
  if (!steps && !note->begins) return CPS_OK;
  memmove(w->q[1], w->q[0], sizeof w->q - sizeof w->q[0]);
  memmove(w->v[1], w->v[0], sizeof w->v - sizeof w->v[0]);
  memcpy(w->q[0], q, sizeof q);
  memcpy(w->v[0], v, sizeof v);
  return CPS_OK;
}

/* Points of the past are those of the run when it comes back from a row. */
static cps_status watch_aside(cps_simulation *sim, int begins, void *data, cps_error *err) {
  watch *w = data;
  (void)sim, (void)err;
  if (begins) {
    memcpy(w->q_aside, w->q, sizeof w->q);
    memcpy(w->v_aside, w->v, sizeof w->v);
  } else {
    memcpy(w->q, w->q_aside, sizeof w->q);
    memcpy(w->v, w->v_aside, sizeof w->v);
  }
  return CPS_OK;
}

/* IDA's predictions are linear in the points that it knows: the weights that are told give velocities and accelerations from
 * places, and places between, to round-off, with steps and orders as IDA likes. */
static void test_weights(void **state) {
  (void)state;
  cps_error err = {0};
  cps_scenario *s = parse("capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes")
                              OVER "run: {until: 1 s, solver: bdf, tolerance: 1e-7, output: 3 ms}\n");
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim) fail_msg("%s", err.text);
  watch w = {.steps = 0};
  sim->follow = (follower){.data = &w, .step = watch_step, .aside = watch_aside};
  if (cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  assert_true(w.steps > 100 && w.order_2 > 50 && w.order_2 < w.steps && w.between > 100);
  /* solving for accelerations moves places by what they change within 1e-8 s */
  if (!(w.worst_v < 1e-14 && w.worst_a < 1e-16 && w.worst_between < 1e-13))
    fail_msg("of %ld steps, %ld of order 2: velocities %g, accelerations %g; %ld between: %g", w.steps,
             w.order_2, w.worst_v, w.worst_a, w.between, w.worst_between);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

static cps_status watch_lengths(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  const cable_note *note = what;
  double *last = data;
  (void)sim, (void)err;
  if (note->begins || note->bdf == BDF_BETWEEN) return CPS_OK;
  if (!(note->h > 1e-6 * *last))
    fail_msg("at %.9g s: a step of %g s after one of %g s", note->coeffs.t, note->h, *last);
  *last = note->h;
  return CPS_OK;
}

/* Sums of steps are not quite what they are sums of: neither does a run fail over rows that lie just before a step, nor does it end with
 * steps that are nothing but round-off, which nobody could differentiate. */
static void test_slivers(void **state) {
  static const char *const steps[] = {"0.06 ms", "0.05 ms", "0.1 ms"};
  (void)state;
  for (int i = 0; i < ROWS(steps); i++) {
    char text[2000];
    cps_error err = {0};
    snprintf(text, sizeof text,
             "capstan: 1\n" PULLEY("drive: {rotation: {ramp: {rate: 1 rad/s, start: 0.1 s, end: 0.15 s}}}")
                 LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER
             "run: {until: 0.3 s, step: %s, solver: bdf, absolute_tolerance: 1e9, output: 17 ms}\n",
             steps[i]);
    cps_scenario *s = parse(text);
    cps_system *system = cps_system_new(s, &err);
    cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
    if (!sim) fail_msg("%s", err.text);
    double last = 0;
    sim->follow = (follower){.data = &last, .step = watch_lengths};
    if (cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
    cps_simulation_free(sim);
    cps_system_free(system);
    cps_scenario_free(s);
  }
}

/* ------------------------------------------------------------------ comparing */

static void test_examples(void **state) {
  (void)state;
  check_all(examples, ROWS(examples));
}

/* Steps as IDA chooses them by the error; tapes that are too short for the run, which is run again piece by piece. */
static void test_long(void **state) {
  static const example x = {
      .name = "long run",
      .text = "capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER
      "run: {until: 0.3 s, step: 1 ms, solver: bdf, output: 7 ms}\n",
      .wrt = {"cables.rope.EA", "cables.rope.contact.friction.quinn.mu", "drums.pulley.drive.pd.kp"},
      .of = {"bodies.left.y", "mean(drums.pulley.torque)", "bodies.left.y@0.113"}};
  static const size_t tapes[] = {1, 20000, 200000, 300000};
  (void)state;
  cps_scenario *s = parse(x.text);
  cps_sens *forward = derivatives(s, &x, CPS_SENS_FORWARD), *whole = derivatives(s, &x, CPS_SENS_ADJOINT);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(whole, i, k);
      if (!(fabs(f - a) <= 1e-8 * fabs(f))) fail_msg("d(%s)/d(%s): %.12g and %.12g", x.of[i], x.wrt[k], f, a);
    }
  for (int n = 0; n < ROWS(tapes); n++) {
    cps_error err = {0};
    cps_sens *pieces = cps_sens_new(s, x.wrt, 3, x.of, 3, &err);
    assert_non_null(pieces);
    cps_sens_limit_tape(pieces, tapes[n]);
    if (cps_sens_run(pieces, CPS_SENS_ADJOINT, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        assert_true(cps_sens_gradient(pieces, i, k) == cps_sens_gradient(whole, i, k));
    cps_sens_free(pieces);
  }
  cps_sens_free(forward);
  cps_sens_free(whole);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_slivers),
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
