/* unit_balance.c - how far Newton's method goes in a step of cables: fewer iterations by `run.balance`, next to the same
 * results; and fine meshes that start from rest without the accelerations of round-off. */
#include "test.h"

#define PULLEY                                                                                               \
  "capstan: 1\n"                                                                                             \
  "drums: {pulley: {radius: 250 mm, drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 20 deg, "  \
  "duration: 2 s}}}}}}\n"                                                                                    \
  "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                                                    \
  "cables:\n  rope:\n    EA: 9.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n"                   \
  "    damping: {rayleigh: 10 N s}\n    elements: %d\n"                                                      \
  "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"                                               \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: %g}}, friction: {quinn: {mu: "               \
  "0.25}}}\n"                                                                                                \
  "run: {until: %g s, step: 10 ms, output: 10 ms, fields: 0, balance: %g}\n"

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_counters count;
} ran;

static ran run(int elements, double until, double balance) {
  char text[2000];
  cps_error err = {0};
  ran r;
  snprintf(text, sizeof text, PULLEY, elements, 5e6 * 40 / elements, until, balance);
  r.scenario = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, NULL);
  assert_non_null(r.scenario);
  r.system = cps_system_new(r.scenario, &err);
  r.sim = r.system ? cps_simulation_new(r.system, &err) : NULL;
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  r.result = cps_simulation_result(r.sim);
  cps_result_counters(r.result, &r.count);
  return r;
}

static void drop(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

/* The largest difference of a column. */
static double apart(const ran *a, const ran *b, const char *name) {
  int column = cps_result_find(a->result, name);
  assert_true(column >= 0 && cps_result_rows(a->result) == cps_result_rows(b->result));
  const double *x = cps_result_data(a->result, column), *y = cps_result_data(b->result, column);
  double most = 0;
  for (long i = 0; i < cps_result_rows(a->result); i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Less is done, and hardly anything is different: places, the torque at the end of each step, and the tension. What is left is an
 * expectation, which a contact that changes now and then makes wrong: of 100 N it is 1e-4 N, and 4e-3 N at worst. */
static void test_balance(void **state) {
  (void)state;
  ran sharp = run(80, 2, 1e-12), usual = run(80, 2, 1e-6);
  assert_true((double)usual.count.newton < 0.8 * (double)sharp.count.newton);
  double place = apart(&sharp, &usual, "bodies.right.y"),
         torque = apart(&sharp, &usual, "drums.pulley.torque"),
         tension = apart(&sharp, &usual, "cables.rope.tension_max");
  print_message("%ld iterations instead of %ld; %.1e m, %.1e N m, %.1e N apart\n", usual.count.newton,
                sharp.count.newton, place, torque, tension);
  assert_true(place < 1e-9 && torque < 1e-3 && tension < 1e-2);
  drop(&sharp);
  drop(&usual);
}

/* The torque that is reported, with rows at every step, does the work that the audit has counted. */
static void test_torque(void **state) {
  (void)state;
  ran r = run(80, 2, 1e-6);
  const char *names[] = {"drums.pulley.torque", "drums.pulley.angle", "energy.motion_work"};
  const double *x[3];
  for (int i = 0; i < 3; i++) x[i] = cps_result_data(r.result, cps_result_find(r.result, names[i]));
  double work = 0;
  long rows = cps_result_rows(r.result);
  for (long i = 0; i + 1 < rows; i++) work -= (x[0][i] + x[0][i + 1]) / 2 * (x[1][i + 1] - x[1][i]);
  if (!(fabs(work) > 0.01 && fabs(work - x[2][rows - 1]) < 1e-9 * fabs(work)))
    fail_msg("%.12g J, not %.12g", work, x[2][rows - 1]);
  drop(&r);
}

/* From equilibrium, with so many elements that forces of round-off would throw their nodes about. */
static void test_rest(void **state) {
  (void)state;
  ran r = run(6000, 0.1, 1e-6);
  print_message("%ld steps, %ld cut, %ld iterations\n", r.count.steps, r.count.rejected, r.count.newton);
  assert_true(r.count.rejected <= 2 && r.count.newton < 10 * r.count.steps);
  drop(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_balance), cmocka_unit_test(test_torque),
                                     cmocka_unit_test(test_rest)};
  return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
