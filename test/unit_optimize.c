/* unit_optimize.c - optimisation: minima that are known in closed form, with and without limits, and misuse. */
#include "test.h"

/* A block that is thrown over rough ground comes to rest at x = v^2/(2 mu g). */
#define SLIDE                                                                                                \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 2 kg, v: 1 m/s}}\n"                                                                \
  "contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}\n"          \
  "run: {until: 3, output: 0.05, solver: events}\n"

static const char *const MU = "contacts.floor.friction.mu", *const V0 = "bodies.block.v",
                         *const END = "bodies.block.x";

static cps_scenario *parse(void) {
  cps_scenario *s = cps_scenario_parse(SLIDE, strlen(SLIDE), "test.yaml", NULL, 0, NULL);
  assert_non_null(s);
  return s;
}

static cps_optimize *make(const cps_scenario *s, const char *const *paths, int n, const char *output) {
  cps_error err = {0};
  cps_optimize *o = cps_optimize_new(s, paths, n, output, &err);
  if (!o) fail_msg("%s", err.text);
  return o;
}

static void run_it(cps_optimize *o) {
  cps_error err = {0};
  if (cps_optimize_run(o, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
}

#define G 9.81

/* As much energy as stops within 0.4 m on three kinds of ground, in the mean or on the worst: x = v^2/(2 mu g), E = m v^2/2. */
static void test_robust(void **state) {
  (void)state;
  static const char *const grounds[] = {"contacts.floor.friction.mu=0.2", "contacts.floor.friction.mu=0.3",
                                        "contacts.floor.friction.mu=0.4"};
  cps_scenario *s = parse(), *sample[3];
  for (int i = 0; i < 3; i++) {
    sample[i] = cps_scenario_parse(SLIDE, strlen(SLIDE), "test.yaml", &grounds[i], 1, NULL);
    assert_non_null(sample[i]);
  }
  const double mean_of_inverse = (1 / 0.2 + 1 / 0.3 + 1 / 0.4) / 3;
  const double wanted[] = {
      [CPS_ROBUST_MEAN] = 2 * G * 0.4 / mean_of_inverse, [CPS_ROBUST_WORST] = 2 * G * 0.4 * 0.2};
  for (int how = CPS_ROBUST_MEAN; how <= CPS_ROBUST_WORST; how++) {
    cps_optimize *o = make(s, &V0, 1, "-contacts.floor.work");
    assert_int_equal(cps_optimize_over(o, (const cps_scenario *const *)sample, 3, (cps_robust)how, NULL),
                     CPS_OK);
    assert_int_equal(cps_optimize_bounds(o, 0, 0.1, 3, NULL), CPS_OK);
    assert_int_equal(cps_optimize_limit(o, END, -INFINITY, 0.4, NULL), CPS_OK);
    run_it(o);
    double v = cps_optimize_value(o, 0, 1);
    assert_true(cps_optimize_converged(o));
    if (fabs(v * v - wanted[how]) > 1e-4) fail_msg("v^2 is %g instead of %g", v * v, wanted[how]);
    assert_true(fabs(cps_optimize_result(o, 1, 1) - 0.4) < 1e-5);
    assert_true(fabs(cps_optimize_result(o, 0, 1) - v * v) < 1e-5);
    cps_optimize_free(o);
  }
  for (int i = 0; i < 3; i++) cps_scenario_free(sample[i]);
  cps_scenario_free(s);
}

/* To 0.4 m with the least work. */
static void test_equation(void **state) {
  (void)state;
  cps_scenario *s = parse();
  const char *paths[] = {V0, MU};
  cps_optimize *o = make(s, paths, 2, "contacts.floor.work");
  assert_int_equal(cps_optimize_bounds(o, 0, 0.1, 3, NULL), CPS_OK);
  assert_int_equal(cps_optimize_bounds(o, 1, 0.1, 0.9, NULL), CPS_OK);
  assert_int_equal(cps_optimize_limit(o, END, 0.4, 0.4, NULL), CPS_OK);
  run_it(o);
  /* work = mu m g x is least with the smoothest ground, and v^2 = 2 mu g x */
  assert_true(cps_optimize_converged(o));
  assert_true(fabs(cps_optimize_value(o, 1, 1) - 0.1) < 1e-6);
  assert_true(fabs(cps_optimize_value(o, 0, 1) - sqrt(2 * 0.1 * G * 0.4)) < 1e-4);
  assert_true(fabs(cps_optimize_result(o, 1, 1) - 0.4) < 1e-5);
  assert_true(cps_optimize_violation(o, 1) < 1e-5 && cps_optimize_violation(o, 0) > 0.1);
  assert_string_equal(cps_optimize_unit(o, 0), "J");
  assert_int_equal(cps_optimize_outputs(o), 2);
  cps_scenario *after = cps_optimize_scenario(o, 1, NULL);
  cps_quantity q;
  assert_int_equal(cps_scenario_quantity(after, V0, &q, NULL), CPS_OK);
  assert_true(q.value == cps_optimize_value(o, 0, 1));
  cps_scenario_free(after);
  cps_optimize_free(o);
  cps_scenario_free(s);
}

/* All algorithms: as far as possible with at most 1.2 J of work, which is the energy at the start, m v^2/2. */
static void test_limit(void **state) {
  (void)state;
  cps_scenario *s = parse();
  const char *paths[] = {V0, MU};
  for (int a = 0; a < 3; a++) {
    cps_optimize *o = make(s, paths, 2, "-bodies.block.x");
    assert_int_equal(cps_optimize_algorithm(o, (cps_algorithm)a), CPS_OK);
    cps_optimize_bounds(o, 0, 0.1, 3, NULL);
    cps_optimize_bounds(o, 1, 0.1, 0.9, NULL);
    assert_int_equal(cps_optimize_limit(o, "contacts.floor.work", -INFINITY, 1.2, NULL), CPS_OK);
    run_it(o);
    double v = sqrt(1.2), far = v * v / (2 * 0.1 * G);
    if (!(fabs(cps_optimize_result(o, 0, 1) - far) < 1e-3 * far))
      fail_msg("algorithm %d: %.9g is not %.9g (%s)", a, cps_optimize_result(o, 0, 1), far,
               cps_optimize_reason(o));
    assert_true(cps_optimize_result(o, 1, 1) <= 1.2 * (1 + 2e-6));
    cps_optimize_free(o);
  }
  cps_scenario_free(s);
}

/* At least 0.4 m with the least speed, from a start that comes further and from one that does not. */
static void test_at_least(void **state) {
  (void)state;
  cps_scenario *s = parse();
  for (int far = 0; far < 2; far++) {
    double v = far ? 2 : 0.5;
    cps_scenario *from = cps_scenario_with(s, &V0, &v, 1, NULL);
    cps_optimize *o = make(from, &V0, 1, "bodies.block.v@0");
    cps_optimize_bounds(o, 0, 0.1, 3, NULL);
    assert_int_equal(cps_optimize_limit(o, END, 0.4, INFINITY, NULL), CPS_OK);
    run_it(o);
    assert_true(cps_optimize_converged(o));
    if (!(fabs(cps_optimize_value(o, 0, 1) - sqrt(2 * 0.2 * G * 0.4)) < 1e-4))
      fail_msg("%.9g", cps_optimize_value(o, 0, 1));
    cps_optimize_free(o);
    cps_scenario_free(from);
  }
  cps_scenario_free(s);
}

/* Inside: the square of the distance from 0.3 m is least where the block comes to rest there. */
static void test_inside(void **state) {
  (void)state;
  cps_scenario *s = parse();
  cps_optimize *o = make(s, &MU, 1, "square(bodies.block.x, 0.3, 2.5, 3)");
  cps_optimize_bounds(o, 0, 0.05, 0.9, NULL);
  run_it(o);
  assert_true(fabs(cps_optimize_value(o, 0, 1) - 1 / (2 * G * 0.3)) < 1e-3);
  assert_true(cps_optimize_result(o, 0, 1) < 1e-4 * cps_optimize_result(o, 0, 0));
  cps_optimize_free(o);
  cps_scenario_free(s);
}

static int stop_early(const cps_optimize_progress *now, void *data) {
  (void)data;
  return !now->run && now->runs >= 2;
}

static void test_misuse(void **state) {
  (void)state;
  cps_scenario *s = parse();
  cps_error err = {0};
  const char *wrong = "contacts.floor.friction.nu";
  assert_null(cps_optimize_new(s, &wrong, 1, END, &err));
  assert_null(cps_optimize_new(s, &MU, 1, "bodies.block.y", &err));
  assert_null(cps_optimize_new(s, &MU, 0, END, &err));
  cps_optimize *o = make(s, &MU, 1, END);
  assert_int_equal(cps_optimize_bounds(o, 0, 2, 1, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_optimize_bounds(o, 1, 1, 2, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_optimize_limit(o, "bodies.block.q", 0, 1, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_optimize_limit(o, END, 1, 0, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_optimize_effort(o, 0, 1e-5), CPS_BAD_INPUT);
  cps_optimize_bounds(o, 0, 0.1, 0.9, &err);
  assert_int_equal(cps_optimize_run(o, stop_early, NULL, &err), CPS_FAILED);
  assert_string_equal(cps_optimize_reason(o), "it was stopped");
  /* limits that cannot hold: what comes nearest is given back, and said to be no solution */
  cps_optimize_limit(o, END, 10, INFINITY, &err);
  run_it(o);
  assert_true(!cps_optimize_converged(o) && cps_optimize_violation(o, 1) > 0);
  int warned = 0;
  for (int i = 0; cps_optimize_warning(o, i); i++)
    warned |= !!strstr(cps_optimize_warning(o, i), "limits hold");
  assert_true(warned);
  cps_optimize_free(o);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equation), cmocka_unit_test(test_robust), cmocka_unit_test(test_limit),
      cmocka_unit_test(test_at_least), cmocka_unit_test(test_inside), cmocka_unit_test(test_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
