/* unit_sens_cables.c - derivatives of runs of cables: against differences of runs with the same steps, and the adjoint
 * against the forward method. */
#include "sens.h"
#include "sens_compare.h"

/* ------------------------------------------------------------------ machines */

#define RUN "run: {until: 0.3 s, step: 10 ms, solver: alpha, output: 50 ms, balance: 1e-12}\n"

static const example examples[] = {
    {"smooth law at nodes",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.cdq.mu", "cables.rope.contact.friction.cdq.alpha",
      "bodies.left.mass", "drums.pulley.drive.pd.kp", "drums.pulley.drive.pd.kd",
      "drums.pulley.drive.pd.setpoint.cycloid.amplitude"},
     {"bodies.left.y", "bodies.right.vy", "drums.pulley.torque", "cables.rope.pulley.slip_work",
      "cables.rope.tension_max", "energy.error"},
     10},
    {"rows within steps",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER
     "run: {until: 0.1 s, step: 10 ms, solver: alpha, output: 3 ms, balance: 1e-12}\n",
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.right.mass", "drums.pulley.drive.pd.kp",
      "drums.pulley.drive.pd.setpoint.cycloid.amplitude"},
     {"mean(bodies.left.y)", "integral(bodies.right.vy)", "mean(drums.pulley.torque)",
      "mean(cables.rope.pulley.slip_work)", "cables.rope.tension_max", "mean(energy.damping)"},
     10},
    {"rows within steps, memory",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("lugre-load: {sigma0: 1e4, sigma1: 10}", "nodes") OVER
     "run: {until: 0.03 s, step: 2 ms, solver: alpha, output: 0.7 ms, balance: 1e-12}\n",
     {"cables.rope.EA", "bodies.left.mass", "drums.pulley.drive.pd.setpoint.cycloid.amplitude"},
     {"mean(bodies.left.y)", "mean(bodies.right.vy)", "mean(cables.rope.pulley.slip_work)",
      "integral(cables.rope.tension_max)"},
     10},
    {"clamped law at nodes",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "cables.rope.contact.friction.quinn.epsilon",
      "bodies.right.mass", "drums.pulley.drive.pd.kp", "drums.pulley.center.0", "drums.pulley.center.1"},
     {"bodies.left.y", "drums.pulley.torque", "cables.rope.pulley.slip_work", "cables.rope.pulley.normal",
      "cables.rope.pulley.t_in", "energy.damping"},
     1},
    {"only pulls, goes slack and taut again",
     "capstan: 1\nbodies: {load: {mass: 10 kg, position: [0.3 m, -1.9 m], velocity: [0.5 m/s, 1 m/s]}}\n"
     "cables:\n  rope: {EA: 20 kN, EI: 0.01 N m2, mass_per_length: 0.05 kg/m, damping: {rayleigh: 0.1 N s, "
     "axial: 50 N s},"
     " tension_only: true,\n    elements: 8, length: 1.923 m, start: drawn, path: [{pinned: [0, 0]}, load]}\n"
     "run: {until: 0.25 s, step: 1 ms, solver: alpha, output: 50 ms, balance: 1e-12}\n",
     {"cables.rope.EA", "cables.rope.damping.axial", "bodies.load.mass", "cables.rope.EI",
      "cables.rope.mass_per_length"},
     {"bodies.load.x", "bodies.load.y", "cables.rope.tension_start", "energy.elastic", "energy.damping",
      "integral(cables.rope.fy_end)"},
     10},
    {"law that jumps, rotation",
     "capstan: 1\n" PULLEY("drive: {rotation: {sine: {amplitude: 0.3 rad, omega: 9 rad/s}}}")
         LOADS ROPE("coulomb: {mu: 0.25}", "nodes") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.coulomb.mu", "bodies.left.mass",
      "drums.pulley.drive.rotation.sine.amplitude", "drums.pulley.drive.rotation.sine.omega"},
     {"bodies.left.y", "drums.pulley.torque", "cables.rope.pulley.slip_work",
      "mean(cables.rope.pulley.normal)", "integral(drums.pulley.fy)", "energy.motion_work"},
     1},
    {"a load that turns its drum, which the search holds until the run starts",
     "capstan: 1\nbodies: {load: {mass: 10 kg}}\n"
     "drums: {pulley: {radius: 250 mm, drive: free, inertia: 0.5}}\n" CABLE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}", "nodes",
         "") "    path: [{rim: pulley}, {around: pulley, turn: clockwise}, hang 1 m, load]\n" RUN,
     {COMMON, HUNT, "bodies.load.mass", "drums.pulley.inertia"},
     {"bodies.load.y", "drums.pulley.angle", "drums.pulley.torque", "drums.pulley.rate@0.1"},
     1},
    {"law of velocity at quadrature points",
     "capstan: 1\n" PULLEY("drive: {rotation: {ramp: {rate: 2 rad/s}}}")
         LOADS ROPE("tanh: {mu: 0.3, v_t: 20 mm/s}", "{quadrature: 1}") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.tanh.mu", "bodies.left.mass",
      "drums.pulley.drive.rotation.ramp.rate"},
     {"bodies.left.y", "drums.pulley.torque", "cables.rope.pulley.slip_work", "energy.kinetic",
      "energy.elastic", "energy.gravity"},
     1},
    {"two points per element, objective damping, exact curvature, centre that moves",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, drive: fixed, moved: {y: {sine: {amplitude: 10 mm, omega: 12 "
     "rad/s}}}}}\n" LOADS CABLE("quinn: {mu: 0.2, epsilon: 10 mm/s}", "{quadrature: 2}",
                                ", axial: 20 N s") "    strain: engineering\n    curvature: exact\n" OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass",
      "drums.pulley.moved.y.sine.amplitude", "cables.rope.damping.axial"},
     {"cables.rope.fy_end", "cables.rope.pulley.penetration", "cables.rope.pulley.slip_work",
      "energy.motion_work", "cables.rope.pulley.normal", "cables.rope.pulley.wrap"},
     100},
    {"motor that follows a table",
     "capstan: 1\n" PULLEY(
         "drive: {pd: {kp: 400, kd: 40, setpoint: {table: {interpolation: cubic, times: [0, 0.1, 0.2, 0.3],\n"
         "        values: [0 deg, 3 deg, 10 deg, 12 deg]}}}}") LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 "
                                                                          "mm/s}",
                                                                          "nodes") OVER RUN,
     {"drums.pulley.drive.pd.setpoint.table.values.1", "drums.pulley.drive.pd.setpoint.table.values.2",
      "drums.pulley.drive.pd.setpoint.table.values.3", "drums.pulley.drive.pd.kd"},
     {"bodies.left.y", "bodies.right.vy", "drums.pulley.angle", "cables.rope.pulley.slip_work"},
     1},
    {"ends that are moved and pulled",
     "capstan: 1\n" PULLEY("drive: fixed")
         ROPE("quinn: {mu: 0.2, epsilon: 10 mm/s}",
              "nodes") "    path:\n"
                       "      - {pinned: {at: [-0.15, -1], moved: {y: {sine: {amplitude: 5 mm, omega: 10 "
                       "rad/s}}}}}\n"
                       "      - over pulley\n"
                       "      - hang 1 m\n"
                       "      - {free: {force: {y: {sum: [-100 N, {ramp: {rate: -30 N/s}}]}}}}\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu"},
     {"cables.rope.tension_start", "cables.rope.tension_end", "cables.rope.pulley.slip_work",
      "cables.rope.fy_start", "energy.load_work", "drums.pulley.fx"},
     1},
    {"winch",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, drive: {rotation: {cycloid: {amplitude: 60 deg, duration: 0.3 s}}}}}\n"
     "bodies: {left: {mass: 10 kg}}\n" ROPE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}",
         "nodes") "    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 1 m, left]\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass",
      "drums.winch.drive.rotation.cycloid.amplitude", "drums.winch.radius"},
     {"bodies.left.y", "cables.rope.winch.wrap", "cables.rope.tension_end", "cables.rope.winch.slip_work",
      "energy.motion_work", "cables.rope.fx_start"},
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
    {"clamped law, all contacts taken to stick",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes, reading: all-stick")
         OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "cables.rope.contact.friction.quinn.epsilon",
      "bodies.left.mass", "drums.pulley.drive.pd.kp", "drums.pulley.radius"},
     {"bodies.left.y", "bodies.right.vy", "drums.pulley.torque", "cables.rope.pulley.slip_work",
      "cables.rope.tension_max", "energy.error"},
     10},
    {"smooth law between nodes, all contacts taken to stick, centre that moves",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, drive: fixed, moved: {y: {sine: {amplitude: 10 mm, omega: 12 "
     "rad/s}}}}}\n" LOADS ROPE("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}",
                               "{quadrature: 1}, reading: all-stick") OVER
     "run: {until: 0.1 s, step: 2 ms, solver: alpha, output: 50 ms}\n",
     {COMMON, HUNT, "cables.rope.contact.friction.cdq.mu", "cables.rope.contact.friction.cdq.alpha",
      "bodies.left.mass", "drums.pulley.moved.y.sine.amplitude", "drums.pulley.radius"},
     {"bodies.left.y", "bodies.right.vy", "cables.rope.pulley.slip_work", "cables.rope.tension_max",
      "energy.damping"},
     10},
    {"in space, all contacts taken to stick",
     "capstan: 1\ngravity: [0, -9.81, 0]\n"
     "drums: {pulley: {radius: 250 mm, center: [0, 0, 0], drive: {rotation: {ramp: {rate: 1 rad/s}}},\n"
     "                 moved: {z: {sine: {amplitude: 10 mm, omega: 20 rad/s}}}}}\n" LOADS ROPE(
         "cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}", "nodes, reading: all-stick") OVER
     "run: {until: 0.1 s, step: 1 ms, solver: alpha, output: 50 ms}\n",
     {COMMON, HUNT, "cables.rope.contact.friction.cdq.mu", "bodies.left.mass",
      "drums.pulley.moved.z.sine.amplitude", "drums.pulley.radius"},
     {"bodies.left.y", "bodies.right.z", "cables.rope.pulley.slip_work", "cables.rope.tension_max",
      "energy.friction"},
     10},
    {"winch, all contacts taken to stick",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, drive: {rotation: {cycloid: {amplitude: 60 deg, duration: 0.3 s}}}}}\n"
     "bodies: {left: {mass: 10 kg}}\n" ROPE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}",
         "nodes, reading: all-stick") "    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 50 "
                                      "mm, "
                                      "left]\n" RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass",
      "drums.winch.drive.rotation.cycloid.amplitude"},
     {"bodies.left.y", "bodies.left.vy", "cables.rope.tension_end", "cables.rope.winch.slip_work",
      "energy.damping"},
     10},
    {"clamped, with a force that lifts its end",
     "capstan: 1\ncables:\n"
     "  rope:\n    EA: 100 kN\n    EI: 2 N m2\n    mass_per_length: 0.5 kg/m\n    elements: 6\n    length: 1 "
     "m\n"
     "    damping: {rayleigh: 1 N s}\n"
     "    path: [{clamped: {at: [0, 0], direction: [1, 0]}}, {to: [1 m, 0]},\n"
     "           {free: {force: {y: {ramp: {rate: 4 N/s}}}}}]\n" RUN,
     {"cables.rope.EI", "cables.rope.mass_per_length", "cables.rope.EA",
      "cables.rope.path.2.free.force.y.ramp.rate"},
     {"cables.rope.mz_start", "cables.rope.fy_start", "cables.rope.fx_start", "cables.rope.tension_start"},
     1},
    {"what a law holds that does not know the load",
     "capstan: 1\n"
     "gravity: [0, -9.81]\n"
     "drums: {post: {radius: 0.1 m}}\n"
     "bodies: {load: {mass: 10 kg}}\n"
     "cables:\n"
     "  rope:\n"
     "    EA: 100 kN\n"
     "    EI: 0.1\n"
     "    mass_per_length: 0.1 kg/m\n"
     "    damping: {rayleigh: 10 N s}\n"
     "    elements: 16\n"
     "    path: [{pinned: [-0.1 m, -1 m]}, over post, hang 1 m, load]\n"
     "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {lugre: {}}}\n"
     "run: {until: 0.1 s, step: 1 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n",
     {"cables.rope.contact.friction.lugre.f_s"},
     {"cables.rope.tension_start@0", "cables.rope.post.margin@0", "cables.rope.tension_start"},
     10},
    {"drum that the cable turns, drawn",
     "capstan: 1\n" PULLEY("inertia: 0.3 kg m2, drive: free") LOADS ROPE(
         "quinn: {mu: 0.2, epsilon: 10 mm/s}",
         "nodes") "    start: drawn\n" OVER
                  "run: {until: 0.1 s, step: 10 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n",
     {COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass", "drums.pulley.inertia"},
     {"bodies.left.y", "drums.pulley.rate", "cables.rope.pulley.slip_work", "energy.kinetic",
      "energy.damping", "drums.pulley.torque"},
     1},
    {"drum with inertia under control",
     "capstan: 1\n" PULLEY(
         "inertia: 0.3 kg m2, drive: {pd: {kp: 1000, kd: 100, setpoint: {cycloid: {amplitude: 20 deg, "
         "duration: 0.3 s}}}}") LOADS ROPE("coulomb: {mu: 0.25}", "{quadrature: 1}") OVER RUN,
     {COMMON, HUNT, "cables.rope.contact.friction.coulomb.mu", "bodies.left.mass", "drums.pulley.inertia",
      "drums.pulley.drive.pd.kp", "drums.pulley.drive.pd.kd",
      "drums.pulley.drive.pd.setpoint.cycloid.amplitude"},
     {"bodies.left.y", "drums.pulley.angle", "cables.rope.pulley.slip_work", "energy.motion_work",
      "energy.solver", "drums.pulley.drive"},
     10},
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
     {"bodies.left.y", "bodies.hook.x", "drums.pulley.rate", "springs.held.force", "energy.damping",
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

static void test_examples(void **state) {
  (void)state;
  check_all(examples, ROWS(examples));
}

/* The reading all-stick by bdf, with errors that count for nothing: steps are then up to run.step, whatever the parameters are. */
static void test_all_stick_bdf(void **state) {
  static const char alpha[] = "solver: alpha", bdf[] = "solver: bdf, absolute_tolerance: 1e9";
  (void)state;
  int checked = 0;
  for (int i = 0; i < ROWS(examples); i++) {
    example x = examples[i];
    char text[4000];
    const char *at = strstr(x.text, alpha);
    if (!strstr(x.text, "all-stick")) continue;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - x.text), x.text, bdf, at + strlen(alpha));
    x.text = text;
    check(&x);
    checked++;
  }
  assert_true(checked >= 4);
}

/* A run that is too long for one tape is run again piece by piece. */
static void test_long(void **state) {
  static const example x = {
      .name = "long run",
      .text = "capstan: 1\n" PULLEY("drive: {rotation: {sine: {amplitude: 0.3 rad, omega: 9 rad/s}}}")
          LOADS ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER
      "run: {until: 1.5 s, step: 0.25 ms, solver: alpha, output: 20 ms}\n",
      .wrt = {"cables.rope.EA", "cables.rope.contact.friction.quinn.mu",
              "drums.pulley.drive.rotation.sine.omega"},
      .of = {"bodies.left.y", "mean(drums.pulley.torque)", "bodies.left.y@0.113"}};
  (void)state;
  cps_scenario *s = parse(x.text);
  cps_sens *forward = derivatives(s, &x, CPS_SENS_FORWARD), *adjoint = derivatives(s, &x, CPS_SENS_ADJOINT);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      if (!isfinite(f)) fail_msg("d(%s)/d(%s): %g", x.of[i], x.wrt[k], f);
      if (!(fabs(f - a) <= 1e-8 * fabs(f))) fail_msg("d(%s)/d(%s): %.12g and %.12g", x.of[i], x.wrt[k], f, a);
    }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_all_stick_bdf),
      cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
