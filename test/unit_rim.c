/* unit_rim.c - ropes fixed to the rim of a drum: what the drum bears, what its motor does, the energy of both, and derivatives. */
#include "sens_compare.h"

#define HOIST(drum)                                                                                          \
  "capstan: 1\ngravity: [0, -9.81]\n"                                                                        \
  "drums: {winch: {radius: 200 mm, inertia: 2 kg m2, " drum "}}\n"
#define LIFTS                                                                                                \
  "cables:\n  rope:\n    EA: 1 MN\n    mass_per_length: 0.05 kg/m\n    damping: {axial: 2 kN s}\n"           \
  "    elements: 24\n    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 1 m, load]\n"           \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e8}}, friction: {quinn: {mu: "              \
  "0.2}}}\n"
#define TURNS(what) what ": {step5: {from: [0.1 s, 0], to: [0.5 s, 1 rad]}}"
#define LENGTH      (1 + 0.2 * 3.14159265358979) /* half around the drum [m] */
#define LOAD        "bodies: {load: {mass: 100 kg}}\n"

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  long rows;
} ran;

static ran run(const char *text) {
  cps_error err = {0};
  ran r = {.scenario = parse(text)};
  r.system = cps_system_new(r.scenario, &err);
  r.sim = r.system ? cps_simulation_new(r.system, &err) : NULL;
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  r.result = cps_simulation_result(r.sim);
  r.rows = cps_result_rows(r.result);
  return r;
}

static void drop(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

static const double *column(const ran *r, const char *name) {
  int at = cps_result_find(r->result, name);
  if (at < 0) fail_msg("there is no column %s", name);
  return cps_result_data(r->result, at);
}

/* How far energy does not close, over the largest of stored energies and works. */
static double open_part(const ran *r) {
  static const char *const parts[] = {"energy.kinetic",  "energy.elastic", "energy.gravity",
                                      "energy.friction", "energy.damping", "energy.motion_work"};
  const double *error = column(r, "energy.error");
  double most = 0, worst = 0;
  for (long i = 0; i < r->rows; i++) {
    worst = fmax(worst, fabs(error[i]));
    for (int k = 0; k < ROWS(parts); k++) {
      const double *x = column(r, parts[k]);
      most = fmax(most, fabs(x[i] - x[0]));
    }
  }
  return worst / most;
}

static void near(const char *what, double value, double expected, double part) {
  if (!(fabs(value - expected) <= part * fabs(expected)))
    fail_msg("%s: %.9g, not %.9g", what, value, expected);
}

/* At rest the drum bears all that hangs on it, and its motor holds weight x radius, but for 54 mm of an
 * element on a radius of 200 mm. */
static void test_holds(void **state) {
  (void)state;
  ran r = run(HOIST("drive: {" TURNS("rotation") "}") LOAD LIFTS "run: {until: 0.05 s, output: 10 ms}\n");
  near("fy", column(&r, "drums.winch.fy")[0], -9.81 * (100 + 0.05 * LENGTH), 1e-5);
  near("drive", column(&r, "drums.winch.drive")[0], 9.81 * (100 + 0.05) * 0.2, 3e-3);
  near("torque", column(&r, "drums.winch.torque")[0], -column(&r, "drums.winch.drive")[0], 1e-12);
  assert_true(fabs(column(&r, "drums.winch.fx")[0]) < 1e-6);
  drop(&r);
}

/* What the motor does is what the audit counts, and the load has been lifted by it. */
static void test_motor(void **state) {
  (void)state;
  ran r = run(HOIST("drive: {" TURNS("rotation") "}") LOAD LIFTS "run: {until: 0.6 s}\n");
  const double *drive = column(&r, "drums.winch.drive"), *angle = column(&r, "drums.winch.angle"),
               *rate = column(&r, "drums.winch.rate"), *work = column(&r, "energy.motion_work");
  double sum = 0, most = 0;
  for (long i = 0; i + 1 < r.rows; i++) {
    sum += (drive[i] + drive[i + 1]) / 2 * (angle[i + 1] - angle[i]);
    /* the drum's own inertia is in `drive`, but its kinetic energy is that of whoever prescribes its motion */
    double spins = rate[i + 1] * rate[i + 1]; /* inertia 2 */
    most = fmax(most, fabs(sum - spins - work[i + 1]));
  }
  if (!(most < 1e-4 * work[r.rows - 1])) fail_msg("%.3g J of %.6g J apart", most, work[r.rows - 1]);
  near("lifted", work[r.rows - 1], 100 * 9.81 * 0.2, 0.02);
  assert_true(open_part(&r) < 1e-4);
  drop(&r);
}

/* A bearing is pressed by what hangs on the rim, and holds it: 9.9 N m of 14.9. */
static void test_bearing(void **state) {
  (void)state;
  ran r = run(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "drums: {winch: {radius: 200 mm, inertia: 0.5 kg m2, drive: free,\n"
      "                bearing: {radius: 0.6 m, friction: {coulomb-static: {mu_s: 0.5, mu_d: 0.4}}}}}\n"
      "bodies: {load: {mass: 5 kg}}\n" LIFTS "run: {until: 0.5 s, output: 10 ms}\n");
  const double *angle = column(&r, "drums.winch.angle"), *n = column(&r, "bearings.winch.n");
  near("n", n[r.rows - 1], 9.81 * (5 + 0.05 * LENGTH), 1e-4);
  near("f", column(&r, "bearings.winch.f")[r.rows - 1], 9.81 * 5.05 / 3, 5e-3);
  assert_true(fabs(angle[r.rows - 1] - angle[0]) < 1e-9);
  drop(&r);
}

/* What carries or moves the drum does work on the end, too; also with a drum that the rope turns. */
static void test_audit(void **state) {
  (void)state;
  static const char *const machines[] = {
      HOIST("carried_by: trolley, drive: {" TURNS(
          "rotation") "}") "bodies: {load: {mass: 100 kg}, trolley: {mass: 50 kg, at: [0, 0], direction: [1, "
                           "0]}}\n" LIFTS "run: {until: 0.6 s}\n",
      HOIST("moved: {y: {step5: {from: [0 s, 0], to: [0.4 s, 0.2 m]}}},\n"
            "  drive: {pd: {kp: 20000, kd: 1000, " TURNS("setpoint") "}}") LOAD LIFTS "run: {until: 0.6 s}\n",
      HOIST("moved: {x: {step5: {from: [0 s, 0], to: [0.4 s, 0.2 m]}}}, drive: {" TURNS("rotation") "}")
          LOAD LIFTS "run: {until: 0.6 s}\n"};
  for (int i = 0; i < ROWS(machines); i++) {
    ran r = run(machines[i]);
    if (!(open_part(&r) < 2e-4)) fail_msg("machine %d: %.3g of the energy", i, open_part(&r));
    drop(&r);
  }
}

/* ------------------------------------------------------------------ derivatives */

#define WINDS        "    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 1 m, left]\n"
#define RUN          "run: {until: 0.1 s, step: 5 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n"
#define QUINN(where) CABLE("quinn: {mu: 0.25, epsilon: 10 mm/s}", where, ", axial: 20 N s")
#define USUAL                                                                                                \
  COMMON, HUNT, "cables.rope.contact.friction.quinn.mu", "bodies.left.mass", "drums.winch.radius", "gravity"
#define LEFT   "bodies: {left: {mass: 10 kg}}\n"
#define FORCES "drums.winch.torque", "drums.winch.fx", "drums.winch.fy", "drums.winch.drive"

static const example examples[] = {
    {"prescribed",
     "capstan: 1\ndrums: {winch: {radius: 200 mm, inertia: 0.4 kg m2, drive: {rotation: {cycloid: "
     "{amplitude: 30 deg, "
     "duration: 0.1 s}}}}}\n" LEFT QUINN("nodes") WINDS RUN,
     {USUAL, "drums.winch.drive.rotation.cycloid.amplitude"},
     {FORCES, "energy.motion_work", "energy.error"},
     10},
    {"prescribed, at quadrature points",
     "capstan: 1\ndrums: {winch: {radius: 200 mm, inertia: 0.4 kg m2, drive: {rotation: {cycloid: "
     "{amplitude: 30 deg, "
     "duration: 0.1 s}}}}}\n" LEFT QUINN("{quadrature: 1}") WINDS RUN,
     {USUAL, "drums.winch.drive.rotation.cycloid.amplitude"},
     {FORCES, "mean(drums.winch.torque)", "energy.motion_work"},
     10},
    {"under control, centre moved",
     "capstan: 1\ndrums: {winch: {radius: 200 mm, inertia: 0.4 kg m2, moved: {y: {cycloid: {amplitude: 20 "
     "mm, duration: "
     "0.1 s}}},\n  drive: {pd: {kp: 2000, kd: 200, setpoint: {cycloid: {amplitude: 30 deg, duration: 0.1 "
     "s}}}}}}\n" LEFT QUINN("nodes") WINDS RUN,
     {USUAL, "drums.winch.moved.y.cycloid.amplitude"},
     {FORCES, "energy.motion_work", "energy.error"},
     10},
    {"carried",
     "capstan: 1\ndrums: {winch: {radius: 200 mm, carried_by: hook, drive: {rotation: {cycloid: {amplitude: "
     "30 deg, "
     "duration: 0.1 s}}}}}\n"
     "bodies: {left: {mass: 10 kg}, hook: {mass: 5 kg, at: [0, 0], direction: [1, 0]}}\n" QUINN("nodes")
         WINDS RUN,
     {USUAL, "bodies.hook.mass", "drums.winch.drive.rotation.cycloid.amplitude"},
     {FORCES, "energy.motion_work", "energy.error"},
     10},
};

static void test_derivatives(void **state) {
  (void)state;
  check_all(examples, ROWS(examples));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_holds), cmocka_unit_test(test_motor),
                                     cmocka_unit_test(test_bearing), cmocka_unit_test(test_audit),
                                     cmocka_unit_test(test_derivatives)};
  return cmocka_run_group_tests_name("rim", tests, NULL, NULL);
}
