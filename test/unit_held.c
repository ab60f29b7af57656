/* unit_held.c - bodies that are held rest where they are, whatever pulls on them, and go with their initial velocity when they
 * are let go; energy closes, as whoever gives them that velocity does work. Drums that turn freely are held by a brake while
 * the equilibrium is found, if the file says so. */
#include "test.h"

#define ROPE "EA: 1 MN, EI: 0.1, mass_per_length: 0.3 kg/m, damping: {rayleigh: 1}"

static const struct {
  const char *text, *place, *solvers[5];
  double v; /* at release */
} cases[] = {
    {"capstan: 1\nbodies: {load: {mass: 10 kg, v: 0.5 m/s, held_until: 0.25 s}}\n"
     "loads: {push: {on: load, force: 3 N}}\n"
     "run: {until: 0.5 s, output: 10 ms, step: %s}\n",
     "bodies.load.x",
     {"events", "rk4", "alpha", "bdf"},
     0.5},
    {"capstan: 1\nbodies: {load: {mass: 10 kg, position: [0, -2 m], velocity: [0.5 m/s, 0], held_until: 0.25 "
     "s}}\n"
     "cables: {rope: {" ROPE ", elements: 10, path: [{pinned: [0, 0]}, load]}}\n"
     "run: {until: 0.5 s, output: 10 ms}\n",
     "bodies.load.x",
     {"alpha", "bdf"},
     0.5},
    {"capstan: 1\n" /* a body that carries a drum */
     "drums: {drum: {radius: 200 mm, center: [0, 0], carried_by: load, inertia: 0.1 kg m2, drive: free}}\n"
     "bodies: {load: {mass: 5 kg, position: [0, 0], velocity: [0, 0.4 m/s], held_until: 0.25 s}}\n"
     "cables: {rope: {" ROPE
     ", elements: 30, path: [{pinned: [-0.2 m, 1 m]}, under drum, {pinned: [0.2 m, 1 m]}],\n"
     "  contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: "
     "0.25}}}}}\n"
     "run: {until: 0.5 s, output: 10 ms}\n",
     "bodies.load.y",
     {"alpha", "bdf"},
     0.4},
};

static void check(int i, const char *solver) {
  char text[2000], set[100];
  const char *settings[] = {set};
  cps_problems *problems = NULL;
  cps_error err = {0};
  snprintf(text, sizeof text, cases[i].text, strcmp(solver, "rk4") == 0 ? "1 ms" : "0 s");
  char *none = strstr(text, ", step: 0 s");
  if (none) memmove(none, none + 11, strlen(none + 11) + 1);
  snprintf(set, sizeof set, "run.solver=%s", solver);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", settings, 1, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK)
    fail_msg("%d, %s: %s", i, solver, err.text);
  const cps_result *r = cps_simulation_result(sim);
  assert_int_equal(cps_result_rows(r), 51);
  const double *x = cps_result_data(r, cps_result_find(r, cases[i].place));
  if (x[24] != x[0]) fail_msg("%d, %s: moved by %g while it was held", i, solver, x[24] - x[0]);
  /* 10 ms later the rest has hardly changed its velocity */
  double v = (x[26] - x[25]) / 0.01;
  if (!(fabs(v - cases[i].v) < 0.15 * cases[i].v)) fail_msg("%d, %s: let go with %g m/s", i, solver, v);
  cps_energy e;
  cps_result_energy(r, &e);
  if (!(fabs(e.error) < 1e-2 * e.scale))
    fail_msg("%d, %s: %g of %g J are missing", i, solver, e.error, e.scale);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void test_held(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(cases); i++)
    for (int k = 0; cases[i].solvers[k]; k++) check(i, cases[i].solvers[k]);
}

/* Two weights on a pulley that turns freely: without a brake there is no equilibrium, and it says what to do; with one they start
 * from rest, and go as an inextensible rope on a wheel does: M x'' = g (dm + rho (dl + 2 x)). */
static void test_braked(void **state) {
  (void)state;
  enum { MASS_1 = 20, MASS_2 = 24 };
  const double radius = 0.15, inertia = 0.02, rho = 0.2, g = 9.81, dl = 0.5, until = 0.5, pi = acos(-1);
  const char *text =
      "capstan: 1\ndrums: {wheel: {radius: 150 mm, center: [0, 0], drive: free, inertia: 0.02 kg m2}}\n"
      "bodies: {left: {mass: 20 kg}, right: {mass: 24 kg}}\n"
      "cables: {rope: {EA: 10 MN, mass_per_length: 0.2 kg/m, damping: {axial: 3 kN s}, start: %s,\n"
      "  mesh: {size: 25 mm}, path: [left, hang 1 m, over wheel, hang 1.5 m, right],\n"
      "  contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e8}}, friction: {quinn: {mu: "
      "0.4}}}}}\n"
      "run: {until: 0.5 s, output: 10 ms}\n";
  for (int braked = 0; braked < 2; braked++) {
    char file[1000];
    cps_problems *problems = NULL;
    cps_error err = {0};
    snprintf(file, sizeof file, text, braked ? "braked" : "equilibrium");
    cps_scenario *s = cps_scenario_parse(file, strlen(file), "test.yaml", NULL, 0, &problems);
    if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
    cps_problems_free(problems);
    cps_system *system = cps_system_new(s, &err);
    cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
    assert_non_null(sim);
    cps_status status = cps_simulation_run(sim, NULL, NULL, &err);
    assert_int_equal(status, braked ? CPS_OK : CPS_FAILED);
    if (!braked) assert_non_null(strstr(err.text, "start: braked"));
    const cps_result *r = cps_simulation_result(sim);
    const double *y = braked ? cps_result_data(r, cps_result_find(r, "bodies.right.y")) : NULL;
    const double *turned = braked ? cps_result_data(r, cps_result_find(r, "drums.wheel.angle")) : NULL;
    for (int i = 0; braked && i <= 50; i += 10) {
      double t = until * i / 50,
             mass = MASS_1 + MASS_2 + rho * (2.5 + pi * radius) + inertia / (radius * radius);
      double grows = sqrt(2 * rho * g / mass);
      double x = (MASS_2 - MASS_1 + rho * dl) / (2 * rho) * (cosh(grows * t) - 1);
      if (!(fabs(y[0] - y[i] - x) <= 1e-4 + 0.005 * x))
        fail_msg("at %g s the weight has gone %g m, not %g", t, y[0] - y[i], x);
      if (!(fabs(-turned[i] * radius - x) <= 2e-4 + 0.01 * x))
        fail_msg("at %g s the wheel is at %g", t, turned[i]);
    }
    cps_simulation_free(sim);
    cps_system_free(system);
    cps_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_held), cmocka_unit_test(test_braked)};
  return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}
