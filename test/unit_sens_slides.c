/* unit_sens_slides.c - derivatives of runs of cables with friction in bearings, with bodies that slide on rails and surfaces, and
 * with ends on rims of drums that turn freely or are carried. */
#include "sens.h"
#include "sens_compare.h"

#include <stdio.h>

/* ------------------------------------------------------------------ machines */

#define QUINN(where) ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", where)
#define WINDS        "    path: [{rim: winch}, {around: winch, turn: clockwise}, hang 1 m, left]\n"
#define RUN          "run: {until: 0.3 s, step: 10 ms, solver: alpha, output: 50 ms, balance: 1e-12}\n"
#define RUN_SHORT    "run: {until: 0.1 s, step: 2 ms, solver: alpha, output: 0.1 s, balance: 1e-12}\n"
#define RUN_FINE     "run: {until: 0.1 s, step: 0.2 ms, solver: alpha, output: 0.1 s, balance: 1e-12}\n"
#define WHEEL(of)    PULLEY("inertia: 0.3 kg m2, " of)
#define STIFF_PD     "drive: {pd: {kp: 1000, kd: 100, setpoint: {cycloid: {amplitude: 20 deg, duration: 0.3 s}}}}"
#define USUAL        "cables.rope.EA", "cables.rope.mass_per_length", "cables.rope.contact.friction.quinn.mu"
#define BEARING(x)   "drums.pulley.bearing." x

static const example examples[] = {
    {"bearing under a given load, law that jumps, drawn",
     "capstan: 1\n" WHEEL(
         "drive: free, bearing: {friction: {coulomb: {mu: 0.1}}, radius: 20 mm, load: 400 N}")
         LOADS QUINN(
             "nodes") "    start: drawn\n" OVER
                      "run: {until: 0.1 s, step: 10 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n",
     {USUAL, BEARING("friction.coulomb.mu"), BEARING("radius"), BEARING("load"), "drums.pulley.inertia",
      "drums.pulley.radius", "bodies.left.mass"},
     {"bodies.left.y", "drums.pulley.rate", "energy.friction", "bearings.pulley.v", "bearings.pulley.f",
      "bearings.pulley.n"},
     10},
    {"bearing that cables press, law that clamps, under control",
     "capstan: 1\n" WHEEL(STIFF_PD
                          ", bearing: {friction: {quinn: {mu: 0.2, epsilon: 1 mm/s}}, radius: 20 mm}")
         LOADS QUINN("nodes") OVER RUN,
     {USUAL, HUNT, BEARING("friction.quinn.mu"), BEARING("friction.quinn.epsilon"), BEARING("radius"),
      "drums.pulley.inertia", "drums.pulley.drive.pd.kp", "drums.pulley.drive.pd.kd", "bodies.right.mass"},
     {"bodies.left.y", "drums.pulley.angle", "energy.friction", "bearings.pulley.f",
      "mean(bearings.pulley.n)", "energy.error"},
     10},
    {"bearing that cables press, law of velocity, torque",
     "capstan: 1\n" WHEEL("drive: {torque: {step5: {from: [0 s, 0], to: [0.2 s, 30 N m]}}}, bearing: "
                          "{friction: {tanh: {mu: 0.3, v_t: 5 mm/s}}, radius: 30 mm}")
         LOADS QUINN("{quadrature: 1}") OVER RUN,
     {USUAL, HUNT, BEARING("friction.tanh.mu"), BEARING("friction.tanh.v_t"), BEARING("radius"),
      "drums.pulley.drive.torque.step5.to.1", "gravity"},
     {"bodies.left.y", "drums.pulley.rate", "energy.friction", "bearings.pulley.f", "energy.solver",
      "cables.rope.pulley.slip_work"},
     10},
    {"bearing of a drum on a body on springs, smooth law",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, inertia: 0.3 kg m2, carried_by: hook, drive: free,\n"
     "                 bearing: {friction: {cdq: {mu: 0.2, epsilon: 1 mm/s, alpha: 0.9}}, radius: 30 mm}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 10.2 kg}, hook: {mass: 5 kg, position: [0, 0]}}\n"
     "springs:\n"
     "  held: {between: [hook, {ground: [0.1 m, 1 m]}], stiffness: 20 kN/m, damping: 50 N s/m, length: 1 m}\n"
     "  aside: {between: [hook, {ground: [-1 m, 0]}], stiffness: 3 kN/m, length: 1 m}\n"
     "loads: {push: {on: left, direction: [0, 1], force: {sine: {amplitude: 60 N, omega: 10 "
     "rad/s}}}}\n" QUINN("nodes") OVER RUN,
     {USUAL, HUNT, BEARING("friction.cdq.mu"), BEARING("friction.cdq.alpha"), BEARING("radius"),
      "springs.held.stiffness", "bodies.hook.mass", "loads.push.force.sine.amplitude"},
     {"bodies.left.y", "bodies.hook.y", "drums.pulley.rate", "energy.friction", "bearings.pulley.f",
      "energy.elastic"},
     10},
    {"block on a rail",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: {rotation: {ramp: {rate: -1 rad/s}}}}}\n"
     "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0]}, right: {mass: 8 kg}}\n"
     "contacts: {rail: {between: [block, ground], normal: weight, friction: {quinn: {mu: 0.3, epsilon: 10 "
     "mm/s}}}}\n" QUINN("nodes") "    path: [block, over pulley, hang 1 m, right]\n" RUN,
     {USUAL, "contacts.rail.friction.quinn.mu", "contacts.rail.friction.quinn.epsilon", "bodies.block.mass",
      "bodies.right.mass", "gravity", "drums.pulley.drive.rotation.ramp.rate"},
     {"bodies.block.x", "bodies.block.v", "contacts.rail.f", "contacts.rail.n", "energy.friction",
      "energy.motion_work"},
     10},
    {"two blocks on a belt",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: fixed}}\n"
     "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0]}, right: {mass: 8 kg},\n"
     "         top: {mass: 3 kg, at: [0, 0.3], direction: [1, 0]}}\n"
     "surfaces: {belt: {velocity: {sine: {amplitude: -0.1 m/s, omega: 4 rad/s}}}}\n"
     "springs: {tether: {between: [top, ground], stiffness: 300 N/m}}\n"
     "contacts:\n"
     "  under: {between: [block, belt], normal: {sum: [270 N, {sine: {amplitude: 30 N, omega: 9 rad/s}}]},\n"
     "          friction: {quinn: {mu: 0.4, epsilon: 1 mm/s}}}\n"
     "  upon: {between: [top, block], normal: weight, friction: {tanh: {mu: 0.3, v_t: 20 mm/s}}}\n" QUINN(
         "nodes") "    path: [block, over pulley, hang 1 m, right]\n" RUN,
     {USUAL, "contacts.under.friction.quinn.mu", "contacts.under.normal.sum.1.sine.amplitude",
      "contacts.upon.friction.tanh.mu", "contacts.upon.friction.tanh.v_t", "bodies.top.mass",
      "surfaces.belt.velocity.sine.amplitude", "surfaces.belt.velocity.sine.omega"},
     {"bodies.block.x", "bodies.top.v", "mean(contacts.under.f)", "contacts.upon.v", "energy.friction",
      "energy.motion_work"},
     10},
    {"block on a surface that is moved to places",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: fixed}}\n"
     "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0]}, right: {mass: 8 kg}}\n"
     "surfaces: {belt: {position: {sine: {amplitude: 30 mm, omega: 12 rad/s}}}}\n"
     "contacts: {under: {between: [block, belt], normal: weight, friction: {tanh: {mu: 0.5, v_t: 0.2 "
     "m/s}}}}\n" QUINN("nodes") "    path: [block, over pulley, hang 1 m, right]\n" RUN,
     {USUAL, "contacts.under.friction.tanh.mu", "bodies.block.mass", "surfaces.belt.position.sine.amplitude",
      "surfaces.belt.position.sine.omega"},
     {"bodies.block.x", "contacts.under.v", "contacts.under.f", "surfaces.belt.v", "energy.friction",
      "energy.motion_work"},
     10},
    {"block that is held, and let go with a velocity",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: {rotation: {ramp: {rate: -1 rad/s}}}}}\n"
     "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0], held_until: 0.1 s, v: 0.1 m/s},\n"
     "         right: {mass: 8 kg}}\n"
     "contacts: {rail: {between: [block, ground], normal: weight, friction: {quinn: {mu: 0.3, epsilon: 10 "
     "mm/s}}}}\n" QUINN("nodes") "    path: [block, over pulley, hang 1 m, right]\n" RUN,
     {USUAL, "contacts.rail.friction.quinn.mu", "bodies.block.mass", "bodies.block.v", "bodies.right.mass"},
     {"bodies.block.x", "bodies.block.v", "contacts.rail.f", "energy.friction", "energy.motion_work",
      "energy.error"},
     10},
    {"load that is held, and thrown",
     "capstan: 1\n" WHEEL(
         STIFF_PD) "bodies: {left: {mass: 10 kg, position: [-0.15, -0.8], velocity: [0.1, 0.2], "
                   "held_until: 0.1 s},\n"
                   "         right: {mass: 11 kg}}\n" QUINN(
                       "nodes") "    path: [left, over pulley, hang 1 m, right]\n" RUN,
     {USUAL, "bodies.left.mass", "bodies.left.velocity.0", "bodies.left.velocity.1", "bodies.left.position.1",
      "bodies.right.mass"},
     {"bodies.left.x", "bodies.left.y", "bodies.right.y", "cables.rope.tension_max", "energy.motion_work",
      "energy.error"},
     10},
    {"block on a rail, with memory of its own at first, drawn",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: fixed}}\n"
     "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0]}, right: {mass: 8 kg}}\n"
     "contacts: {rail: {between: [block, ground], normal: {sum: [150 N, {sine: {amplitude: 30 N, omega: 9 "
     "rad/s}}]},\n"
     "                  friction: {dahl: {mu: 0.4, sigma0: 2e4}}, state: {z: 0.01 mm}}}\n" QUINN(
         "nodes") "    start: drawn\n    path: [block, over pulley, hang 1 m, right]\n" RUN_SHORT,
     {USUAL, "contacts.rail.friction.dahl.mu", "contacts.rail.friction.dahl.sigma0", "contacts.rail.state.z",
      "contacts.rail.normal.sum.1.sine.amplitude", "bodies.right.mass"},
     {"bodies.block.x", "bodies.block.v", "contacts.rail.f", "energy.friction"},
     10},
    {"winch with inertia, torque",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, inertia: 0.4 kg m2, drive: {torque: {sum: [20 N m, {sine: {amplitude: "
     "15 "
     "N m, omega: 8 rad/s}}]}}}}\n"
     "bodies: {left: {mass: 10 kg}}\n" QUINN("nodes") WINDS RUN,
     {USUAL, HUNT, "bodies.left.mass", "drums.winch.radius", "drums.winch.inertia",
      "drums.winch.drive.torque.sum.1.sine.amplitude"},
     {"bodies.left.y", "bodies.left.vy", "drums.winch.rate", "cables.rope.tension_end", "energy.motion_work",
      "energy.error"},
     10},
    {"winch under control with a bearing, at quadrature points",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, inertia: 0.4 kg m2, rate: -0.5 rad/s, drive: {pd: {kp: 2000, kd: 200,\n"
     "         setpoint: {cycloid: {amplitude: 90 deg, duration: 0.3 s}}}},\n"
     "         bearing: {friction: {tanh: {mu: 0.2, v_t: 5 mm/s}}, radius: 30 mm}}}\n"
     "bodies: {left: {mass: 10 kg}}\n" QUINN("{quadrature: 1}") WINDS RUN,
     {USUAL, HUNT, "cables.rope.EI", "bodies.left.mass", "drums.winch.radius", "drums.winch.drive.pd.kp",
      "drums.winch.rate", "drums.winch.bearing.friction.tanh.mu",
      "drums.winch.drive.pd.setpoint.cycloid.amplitude"},
     {"bodies.left.y", "bodies.left.vy", "drums.winch.angle", "bearings.winch.f",
      "cables.rope.winch.slip_work", "energy.solver"},
     10},
    {"winch that turns as prescribed on a body on springs",
     "capstan: 1\n"
     "drums: {winch: {radius: 200 mm, carried_by: hook, drive: {rotation: {cycloid: {amplitude: 60 deg, "
     "duration: "
     "0.3 s}}}}}\n"
     "bodies: {left: {mass: 10 kg}, hook: {mass: 5 kg, position: [0, 0]}}\n"
     "springs:\n"
     "  held: {between: [hook, {ground: [0.1 m, 1 m]}], stiffness: 20 kN/m, damping: 50 N s/m, length: 1 m}\n"
     "  aside: {between: [hook, {ground: [-1 m, 0]}], stiffness: 3 kN/m, length: 1 m}\n" QUINN("nodes")
         WINDS RUN,
     {USUAL, HUNT, "bodies.left.mass", "bodies.hook.mass", "drums.winch.radius", "springs.held.stiffness",
      "springs.aside.length", "drums.winch.drive.rotation.cycloid.amplitude", "bodies.hook.position.1"},
     {"bodies.left.y", "bodies.hook.x", "bodies.hook.vy", "cables.rope.tension_end",
      "cables.rope.winch.slip_work", "energy.kinetic"},
     10},
    {"spool in space that falls from its cable, carried and free, moved",
     "capstan: 1\ngravity: [0, -9.81, 0]\n"
     "drums: {winch: {radius: 200 mm, inertia: 0.1 kg m2, axis: [0, 0, 1], rate: 2 rad/s, carried_by: yoyo, "
     "drive: free}}\n"
     "bodies: {yoyo: {mass: 5 kg, position: [0, 0, 0]}}\n" QUINN(
         "nodes") "    start: drawn\n"
                  "    path: [{rim: winch}, {around: winch, turn: counterclockwise, turns: 1, pitch: 20 "
                  "mm},\n"
                  "           {pinned: {at: [0.24, 1.5, 0.03], moved: {y: {sine: {amplitude: 5 mm, omega: 10 "
                  "rad/s}}}}}]\n"
                  "run: {until: 0.1 s, step: 5 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n",
     {USUAL, HUNT, "bodies.yoyo.mass", "drums.winch.rate", "drums.winch.inertia", "cables.rope.EI"},
     {"bodies.yoyo.y", "bodies.yoyo.vx", "drums.winch.rate", "cables.rope.tension_end", "energy.kinetic",
      "energy.motion_work"},
     10},
};

static void test_examples(void **state) {
  (void)state;
  check_all(examples, ROWS(examples));
}

/* Numbers with which laws run with few steps that fail; NULL: their own. */
static const struct {
  const char *law, *numbers;
} softer[] = {{"lugre", "sigma0: 1e5, sigma1: 100, f_c: 40, f_s: 60"},
              {"lugre-load", "sigma0: 1e4, sigma1: 10"},
              {"lugre-adams", "sigma0: 1e4, sigma1: 10"},
              {"elasto-plastic", "sigma0: 1e4, sigma1: 10, z_ba: 1e-5"},
              {"gonthier", "sigma0: 1e4, sigma1: 10, v_s: 0.05, v_dir: 0.01"},
              {"rill", "c: 1e4, d: 10, m: 1e-3, v_n: 0.02, v_s: 0.05"},
              {"gms", "v_s: 0.1, k1: 200, k2: 200, k3: 200, k4: 200"},
              {"iwan", "sigma0: 300"},
              {"haessig-bristle", "sigma0: 300"},
              {"reset-integrator", "sigma0: 300, sigma1: 1"},
              {"adams-stick-slip", "v_s: 0.05, x_s: 1e-3"},
              {"recurdyn-stick-slip", "v_s: 0.05, x_s: 1e-3"},
              {"simpack-stick-slip", "c_f: 1e5, d_f: 1e3"},
              {"simpack-stick-slip-preloaded", "c_f: 1e5, d_f: 1e3"}};

/* A block on a belt and the bearing of the pulley that it pulls its cable over, with the same law. */
static void check_memory(const cps_law *law, const char *run) {
  char text[3000], friction[200], path[2][120];
  const char *numbers = "";
  for (int i = 0; i < ROWS(softer); i++)
    if (strcmp(softer[i].law, law->name) == 0) numbers = softer[i].numbers;
  snprintf(friction, sizeof friction, "%s: {%s}", law->name, numbers);
  snprintf(text, sizeof text,
           "capstan: 1\n"
           "drums: {pulley: {radius: 200 mm, center: [1, 0], inertia: 0.2 kg m2, drive: free,\n"
           "                 bearing: {friction: {%s}, radius: 30 mm}}}\n"
           "bodies: {block: {mass: 20 kg, at: [0, 0.2], direction: [1, 0]}, right: {mass: 8 kg}}\n"
           "surfaces: {belt: {velocity: {sine: {amplitude: 0.2 m/s, omega: 30 rad/s}}}}\n"
           "contacts: {rail: {between: [block, belt], normal: %s, friction: {%s}}}\n" QUINN(
               "nodes") "    path: [block, over pulley, hang 1 m, right]\n%s",
           friction, law->n_modes ? "{sine: {amplitude: 9 N, omega: 60 rad/s, offset: 196 N}}" : "weight",
           friction, run);
  snprintf(path[0], sizeof path[0], "contacts.rail.friction.%s.%s", law->name, law->params[0].name);
  snprintf(path[1], sizeof path[1], "drums.pulley.bearing.friction.%s.%s", law->name, law->params[1].name);
  example x = {.name = law->name,
               .text = text,
               .wrt = {"bodies.block.mass", "drums.pulley.bearing.radius",
                       "surfaces.belt.velocity.sine.amplitude", path[0], path[1]},
               .of = {"bodies.block.x", "drums.pulley.angle", "contacts.rail.f", "bearings.pulley.f",
                      "energy.friction", "energy.kinetic"},
               .loose = 100};
  if (law->n_modes) { /* vibrations of the rope that steps do not resolve see the instants of guards */
    static const char *const of[] = {"bodies.block.x", "bodies.block.v", "contacts.rail.f",
                                     "energy.friction"};
    memset(x.of, 0, sizeof x.of);
    memcpy(x.of, of, sizeof of);
    rough = 20;
  }
  check(&x);
  rough = 1;
}

static void test_memory(void **state) {
  int laws = 0;
  const char *only = getenv("ONLY");
  (void)state;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    if (law->n_states == 0 || (only && strcmp(only, law->name) != 0)) continue;
    /* guards of contacts between bodies are located: derivatives are then exact up to the error of the method, as for bodies alone */
    check_memory(law, law->n_modes ? RUN_FINE : RUN_SHORT);
    laws++;
  }
  assert_true(only || laws >= 15);
  if (only) return;
  static const char *const by_bdf[] = {"lugre-load", "rill", "dieterich"};
  for (int i = 0; i < ROWS(by_bdf); i++)
    check_memory(cps_law_find(by_bdf[i]),
                 "run: {until: 0.1 s, balance: 1e-12, step: 1 ms, solver: bdf, tolerance: 1, "
                 "absolute_tolerance: 1e9, output: 7 ms}\n");
}

/* The same by bdf, with errors that count for nothing: steps are then up to run.step, whatever the parameters are. */
static void test_bdf(void **state) {
  static const char alpha[] = "solver: alpha", bdf[] = "solver: bdf, tolerance: 1, absolute_tolerance: 1e9";
  (void)state;
  const char *only = getenv("ONLY");
  for (int i = 0; i < ROWS(examples); i++) {
    example x = examples[i];
    char text[4000];
    const char *at = strstr(x.text, alpha);
    if (strstr(x.name, "jumps") || (only && !strstr(x.name, only))) continue; /* which bdf does not take */
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - x.text), x.text, bdf, at + strlen(alpha));
    x.text = text;
    check(&x);
  }
}

static const example *named(const char *name) {
  for (int i = 0; i < ROWS(examples); i++)
    if (strstr(examples[i].name, name)) return &examples[i];
  fail_msg("no example %s", name);
  return NULL;
}

/* What is kept of slides, rims and bodies that are held is enough to go on from in the middle of a run: a short tape says the
 * same as a long one. */
static void test_pieces(void **state) {
  static const char *const names[] = {"with a bearing, at quadrature", "held, and let go", "two blocks",
                                      "with memory of its own"};
  (void)state;
  for (int i = 0; i < ROWS(names); i++) {
    const example *x = named(names[i]);
    char text[4000];
    snprintf(text, sizeof text,
             "%.*srun: {until: 0.2 s, step: 1 ms, solver: alpha, output: 10 ms, balance: 1e-12}\n",
             (int)(strstr(x->text, "run: {") - x->text), x->text);
    cps_scenario *s = parse(text);
    cps_sens *whole = derivatives(s, x, CPS_SENS_ADJOINT);
    cps_error err = {0};
    int n_wrt = cps_sens_parameters(whole), n_of = cps_sens_outputs(whole);
    cps_sens *parts = cps_sens_new(s, x->wrt, n_wrt, x->of, n_of, &err);
    assert_non_null(parts);
    cps_sens_limit_tape(parts, 20000);
    if (cps_sens_run(parts, CPS_SENS_ADJOINT, NULL, NULL, &err) != CPS_OK)
      fail_msg("%s: %s", x->name, err.text);
    for (int of = 0; of < n_of; of++)
      for (int k = 0; k < n_wrt; k++) {
        double a = cps_sens_gradient(whole, of, k), b = cps_sens_gradient(parts, of, k);
        if (!(fabs(a - b) <= 1e-12 * fabs(a)))
          fail_msg("%s: d(%s)/d(%s): %.15g, in pieces %.15g", x->name, x->of[of], x->wrt[k], a, b);
      }
    cps_sens_free(whole);
    cps_sens_free(parts);
    cps_scenario_free(s);
  }
}

/* Guards that end steps by the hundred, some of next to no length, leave nothing of derivatives beside a cable: that is said, by either
 * method. */
static void test_apart(void **state) {
  static const char text[] =
      "capstan: 1\n"
      "gravity: [0, -9.81]\n"
      "bodies: {block: {mass: 1 kg, direction: [1, 0]}}\n"
      "surfaces: {belt: {direction: [1, 0], velocity: 0.2 m/s}}\n"
      "springs: {k: {between: [block, ground], stiffness: 40 N/m}}\n"
      "contacts: {sole: {between: [block, belt], normal: weight, friction: {haessig-bristle: {}}}}\n"
      "cables: {idle: {EA: 1 MN, EI: 0.01, mass_per_length: 1 kg/m, elements: 2, start: drawn,\n"
      "         path: [{pinned: [100, 50]}, hang 1 m, free]}}\n"
      "run: {until: 0.1 s, solver: alpha, step: 2 ms, output: 50 ms}\n";
  static const cps_sens_method methods[] = {CPS_SENS_FORWARD, CPS_SENS_ADJOINT};
  const char *const wrt[] = {"springs.k.stiffness"}, *const of[] = {"bodies.block.x"};
  (void)state;
  cps_scenario *s = parse(text);
  for (int i = 0; i < ROWS(methods); i++) {
    cps_error err = {0};
    cps_sens *y = cps_sens_new(s, wrt, 1, of, 1, &err);
    assert_non_null(y);
    assert_int_equal(cps_sens_run(y, methods[i], NULL, NULL, &err), CPS_FAILED);
    if (!strstr(err.text, "so neither is one")) fail_msg("%s", err.text);
    cps_sens_free(y);
  }
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_apart), cmocka_unit_test(test_examples),
                                     cmocka_unit_test(test_memory), cmocka_unit_test(test_bdf),
                                     cmocka_unit_test(test_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
