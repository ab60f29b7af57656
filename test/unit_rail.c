/* unit_rail.c - what a body on a line presses its rail with: its weight, and the pull of cables that hang on it and of drums that
 * it carries; against closed forms. And the audit of a rope that only pulls, beside a cable. */
#include "test.h"

typedef struct outcome {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
} outcome;

static outcome run_text(const char *text) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  outcome o = {.scenario = cps_scenario_parse(text, strlen(text), "rail", NULL, 0, &problems)};
  if (!o.scenario) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  o.system = cps_system_new(o.scenario, &err);
  if (o.system) o.sim = cps_simulation_new(o.system, &err);
  if (!o.sim || cps_simulation_run(o.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  o.result = cps_simulation_result(o.sim);
  return o;
}

static void drop(outcome *o) {
  cps_simulation_free(o->sim);
  cps_system_free(o->system);
  cps_scenario_free(o->scenario);
}

static const double *column(const outcome *o, const char *name) {
  int c = cps_result_find(o->result, name);
  if (c < 0) fail_msg("no column %s", name);
  return cps_result_data(o->result, c);
}

static double last_of(const outcome *o, const char *name) {
  return column(o, name)[cps_result_rows(o->result) - 1];
}

static void assert_close(double x, double y, double tolerance) {
  if (!(fabs(x - y) <= tolerance * fabs(y))) fail_msg("%.15g for %.15g", x, y);
}

#define ROPE "EA: 5 MN, EI: 1, mass_per_length: 1 kg/m, damping: {rayleigh: 200 N s}, elements: 8"
#define RUN  "run: {until: 1 s, solver: alpha, output: 50 ms}\n"

/* 200 kg of trolley, 5 kg of rope and 1000 kg of load rest on the rail, not 200 kg: friction is mu times all of it. */
static void trolley_with_a_load(void **state) {
  (void)state;
  static const char *const words[] = {"weight", "load"};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "capstan: 1\ngravity: [0, -9.81]\n"
             "bodies: {trolley: {mass: 200 kg, at: [0, 10]}, load: {mass: 1000 kg}}\n"
             "contacts: {rail: {between: [trolley, ground], normal: %s, friction: {quinn: {mu: 0.01}}}}\n"
             "cables: {rope: {" ROPE ", path: [trolley, hang 5 m, load]}}\n" RUN,
             words[i]);
    outcome o = run_text(text);
    assert_close(column(&o, "contacts.rail.n")[1], 1205 * 9.81, 1e-6);
    drop(&o);
  }
}

/* On a tilted line the rail bears what is across it of everything that hangs there. */
static void tilted_rail(void **state) {
  (void)state;
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 10], direction: [1, -0.5]}, load: {mass: 100 kg}}\n"
      "contacts: {rail: {between: [trolley, ground], normal: weight, friction: {quinn: {mu: 0.6}}}}\n"
      "cables: {rope: {" ROPE ", path: [trolley, hang 5 m, load]}}\n" RUN);
  assert_close(last_of(&o, "contacts.rail.n"), 125 * 9.81 / sqrt(1.25), 1e-6);
  assert_close(last_of(&o, "contacts.rail.f"), -125 * 9.81 * 0.5 / sqrt(1.25), 1e-6); /* it holds */
  drop(&o);
}

/* A bed that stands still half a metre away is as good as the ground: springs that hold the trolley in statics do not know of it. */
static void still_bed(void **state) {
  (void)state;
  static const char *const words[] = {"ground", "bed"};
  double x[2], f[2];
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "capstan: 1\ngravity: [0, -9.81]\nsurfaces: {bed: {position: 0.5 m, direction: [1, -0.5]}}\n"
             "bodies: {trolley: {mass: 20 kg, at: [0, 10], direction: [1, -0.5]}, load: {mass: 100 kg}}\n"
             "contacts: {rail: {between: [trolley, %s], normal: weight, friction: {quinn: {mu: 0.6}}}}\n"
             "cables: {rope: {" ROPE ", path: [trolley, hang 5 m, load]}}\n" RUN,
             words[i]);
    outcome o = run_text(text);
    x[i] = column(&o, "bodies.trolley.x")[0];
    f[i] = column(&o, "contacts.rail.f")[0];
    drop(&o);
  }
  assert_close(x[1], x[0], 1e-9);
  assert_close(f[1], f[0], 1e-9);
}

/* A trolley on a sled that a soft spring holds on a tilted line: in statics friction bears what hangs on the trolley, and the sled goes
 * where all weight along the line bends its spring. */
static void sled_on_a_spring(void **state) {
  (void)state;
  double along = 9.81 * 0.5 / sqrt(1.25);
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 10], direction: [1, -0.5]}, load: {mass: 100 kg}, "
      "sled: {mass: 5 kg, direction: [1, -0.5]}}\n"
      "springs: {hold: {between: [sled, ground], stiffness: 20 kN/m, damping: 3 kN s/m}}\n"
      "contacts: {top: {between: [trolley, sled], normal: weight, friction: {quinn: {mu: 0.9}}}}\n"
      "cables: {rope: {" ROPE ", path: [trolley, hang 5 m, load]}}\n" RUN);
  assert_close(column(&o, "contacts.top.f")[0], -125 * along, 1e-6);
  assert_close(column(&o, "bodies.sled.x")[0], 130 * along / 20e3, 1e-6);
  assert_true(fabs(column(&o, "bodies.trolley.x")[0] - column(&o, "bodies.sled.x")[0]) < 2e-4);
  drop(&o);
}

/* What friction holds starts where it is said to be, whatever hangs on it: a trolley on a tilted rail, and a drum in its bearing. */
static void held_where_it_is(void **state) {
  (void)state;
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 10], direction: [1, -0.5]}, load: {mass: 100 kg}}\n"
      "contacts: {rail: {between: [trolley, ground], normal: load, friction: {quinn: {mu: 0.9}}}}\n"
      "cables: {rope: {" ROPE ", path: [trolley, hang 5 m, load]}}\n" RUN);
  assert_true(fabs(column(&o, "bodies.trolley.x")[0]) < 2e-4);
  assert_close(column(&o, "contacts.rail.f")[0], -125 * 9.81 * 0.5 / sqrt(1.25), 1e-3);
  drop(&o);
  o = run_text("capstan: 1\ngravity: [0, -9.81]\n"
               "drums: {drum: {radius: 200 mm, center: [0, 0], drive: free, inertia: 0.1, bearing: "
               "{friction: {quinn: {mu: 0.5}}, "
               "radius: 50 mm}}}\n"
               "bodies: {a: {mass: 100 kg}, b: {mass: 90 kg}}\n"
               "cables: {rope: {EA: 1 MN, EI: 0.1, mass_per_length: 0.1, damping: {axial: 5 kN s}, mesh: "
               "{size: 40 mm}, "
               "contact: {normal: {hunt-crossley: {stiffness: 2e8}}, friction: {quinn: {mu: 0.3}}}, "
               "path: [a, hang 2 m, over drum, hang 2 m, b]}}\n" RUN);
  assert_true(fabs(column(&o, "drums.drum.angle")[0]) < 1e-3);
  drop(&o);
}

/* Both strands of a rope over a drum that the trolley carries, and a hoist whose rope is fixed to the drum. */
static void carried_drums(void **state) {
  (void)state;
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 3]}, low: {mass: 7 kg, at: [0, 2.5]}, left: {mass: 50 kg}, "
      "right: {mass: 50 kg}}\n"
      "drums: {sheave: {radius: 0.2 m, center: [0, 3], carried_by: trolley}}\n"
      "contacts:\n"
      "  upper: {between: [trolley, low], normal: weight, friction: {quinn: {mu: 0.1}}}\n"
      "  lower: {between: [low, ground], normal: weight, friction: {quinn: {mu: 0.1}}}\n"
      "cables:\n"
      "  rope: {EA: 1 MN, EI: 0.1, mass_per_length: 1 kg/m, damping: {rayleigh: 100 N s}, mesh: {size: 0.1 "
      "m, on_drums: 20 mm},\n"
      "         path: [left, hang 1 m, over sheave, hang 1 m, right],\n"
      "         contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, "
      "damping: 1}},\n"
      "                   friction: {quinn: {mu: 0.3}}}}\n" RUN);
  double rope = 2 + 0.2 * 3.14159265358979;
  assert_close(last_of(&o, "contacts.upper.n"), (120 + rope) * 9.81, 1e-5);
  assert_close(last_of(&o, "contacts.lower.n"), (127 + rope) * 9.81, 1e-5);
  drop(&o);
  o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 10]}, load: {mass: 100 kg}}\n"
      "drums: {winch: {radius: 0.2 m, center: [0, 10], carried_by: trolley}}\n"
      "contacts: {rail: {between: [trolley, ground], normal: weight, friction: {quinn: {mu: 0.5}}}}\n"
      "cables:\n"
      "  rope: {EA: 1 MN, EI: 0.1, mass_per_length: 1 g/m, damping: {rayleigh: 100 N s}, elements: 20,\n"
      "         path: [{rim: winch}, {around: winch, turn: clockwise}, hang 5 m, load],\n"
      "         contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, "
      "damping: 1}},\n"
      "                   friction: {quinn: {mu: 0.3}}}}\n" RUN);
  assert_close(last_of(&o, "contacts.rail.n"), 120.005 * 9.81, 2e-5);
  drop(&o);
}

/* A load that bounces on its rope: what it presses more than at rest is what its mass and the rope's are accelerated with. */
static void bouncing_load(void **state) {
  (void)state;
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {trolley: {mass: 20 kg, at: [0, 10]}, load: {mass: 100 kg, position: [0, 5], velocity: [0, "
      "0.05]}}\n"
      "contacts: {rail: {between: [trolley, ground], normal: weight, friction: {quinn: {mu: 0.5}}}}\n"
      "cables: {rope: {EA: 0.1 MN, EI: 0.1, mass_per_length: 0.01 kg/m, elements: 4,\n"
      "                path: [trolley, hang 5 m, load]}}\n"
      "run: {until: 0.5 s, solver: alpha, step: 0.5 ms, output: 0.5 ms, balance: 1e-12}\n");
  const double *n = column(&o, "contacts.rail.n"), *v = column(&o, "bodies.load.vy"), *t = column(&o, "time");
  long rows = cps_result_rows(o.result);
  double impulse = 0, most = 0;
  for (long i = 2; i < rows; i++) {
    impulse += (n[i] + n[i - 1]) / 2 * (t[i] - t[i - 1]);
    most = fmax(most, fabs(n[i] - 120.05 * 9.81));
  }
  assert_true(most > 50);
  assert_close(impulse, 120.05 * 9.81 * (t[rows - 1] - t[1]) + 100 * (v[rows - 1] - v[1]), 2e-4);
  drop(&o);
}

/* A mass on a damped rope that goes slack again and again: beside any cable the audit closes as it does alone. */
static void damped_rope(void **state) {
  (void)state;
  outcome o = run_text(
      "capstan: 1\ngravity: [0, -9.81]\n"
      "bodies: {ball: {mass: 1 kg, position: [0, -1.2]}}\n"
      "springs: {rope: {between: [{ground: [0, 0]}, ball], stiffness: 500 N/m, damping: 5 N s/m, length: 1 "
      "m,\n"
      "                 tension_only: true}}\n"
      "cables: {idle: {EA: 1 kN, EI: 0.01, mass_per_length: 1 kg/m, elements: 2, start: drawn,\n"
      "                path: [{pinned: [100, 50]}, hang 1 m, free]}}\n"
      "run: {until: 2 s, solver: alpha, step: 0.2 ms, output: 10 ms}\n");
  cps_energy e;
  cps_result_energy(o.result, &e);
  if (!(fabs(e.error) <= 1e-4 * e.damping)) fail_msg("error %.3g of %.3g J", e.error, e.damping);
  assert_true(e.damping > 1);
  drop(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trolley_with_a_load), cmocka_unit_test(tilted_rail),
      cmocka_unit_test(still_bed),           cmocka_unit_test(sled_on_a_spring),
      cmocka_unit_test(held_where_it_is),    cmocka_unit_test(carried_drums),
      cmocka_unit_test(bouncing_load),       cmocka_unit_test(damped_rope)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
