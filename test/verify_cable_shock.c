/* verify_cable_shock.c - cables that start with a shock, with hardly any damping and a fixed step that is much too long for
 * it: steps are cut where they must be, no energy comes from nothing, and there is no storm of cuts. */
#include "test.h"

#define PULLEY                                                                                               \
  "capstan: 1\n"                                                                                             \
  "drums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                   \
  "cables:\n  rope:\n    EA: 9.2 MN\n    EI: %s\n    mass_per_length: 0.4555 kg/m\n    damping: {bending: "  \
  "%s}\n"                                                                                                    \
  "    quadrature: {axial: 5}\n    elements: %s\n    start: drawn\n"                                         \
  "    path: [left, hang 1 m, over drum, hang 1 m, right]\n"                                                 \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {%s}}\n"                    \
  "run: {until: 0.4 s, output: 10 ms, step: %s, audit: {warn: off, fail: off}}\n"

static const struct {
  const char *ei, *bending, *elements, *friction, *step;
  double right; /* mass */
} cases[] = {
    {"0.7 N m2", "0", "40", "cdq: {mu: 0.25}", "5 ms", 10},
    {"0", "0", "40", "cdq: {mu: 0.25}", "5 ms", 10}, /* nothing resists compression but inertia */
    {"0", "0", "40", "cdq: {mu: 0.25}", "1 ms", 10},
    {"0.7 N m2", "0", "40", "lugre-load: {}", "5 ms", 10},
    {"0.7 N m2", "0", "40", "tanh: {}", "5 ms", 10},
    {"0.01 N m2", "1e-3", "80", "quinn: {mu: 0.25}", "1 ms", 30}, /* runs through */
    {"0.01 N m2", "1e-3", "80", "quinn: {mu: 0.25}", "0.5 ms", 30},
};

static void check(int i) {
  char text[2000], mass[60];
  const char *settings[] = {mass};
  cps_problems *problems = NULL;
  cps_error err = {0};
  snprintf(text, sizeof text, PULLEY, cases[i].ei, cases[i].bending, cases[i].elements, cases[i].friction,
           cases[i].step);
  snprintf(mass, sizeof mass, "bodies.right.mass=%g", cases[i].right);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", settings, 1, &problems);
  if (!s) fail_msg("%d: %s", i, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%d: %s", i, err.text);
  const cps_result *r = cps_simulation_result(sim);
  cps_counters count;
  cps_energy e;
  cps_result_counters(r, &count);
  cps_result_energy(r, &e);
  if (getenv("SHOW"))
    print_message("%d: %ld steps, %ld rejected, %.2g of %.2g J\n", i, count.steps, count.rejected, e.error,
                  e.scale);
  /* Without bending stiffness the motion is chaotic: round-off decides which steps are cut, and the audit, which sums over
   * steps, closes to a few per cent or to a quarter. A step that settles in a wrong solution creates as much as the scale, or times that. */
  int chaotic = strcmp(cases[i].ei, "0") == 0;
  if (!(fabs(e.error) < (chaotic ? 0.3 : 0.02) * e.scale))
    fail_msg("%d: %g of %g J are missing", i, e.error, e.scale);
  /* the shock itself: the falling bodies give no more than some joules */
  if (!(e.scale < (cases[i].right > 10 ? 60 : 10))) fail_msg("%d: %g J", i, e.scale);
  if (count.rejected > count.steps) fail_msg("%d: %ld steps and %ld cuts", i, count.steps, count.rejected);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void test_shocks(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(cases); i++) check(i);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shocks)};
  return cmocka_run_group_tests_name("cable shock", tests, NULL, NULL);
}
