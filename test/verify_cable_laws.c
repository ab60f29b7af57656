/* verify_cable_laws.c - every law of the library on the motorised pulley: it runs through, with not many more steps than
 * Quinn's law, loses no energy, and takes the load to the same place, as far as a law that creeps can. */
#include "test.h"

static const char pulley[] =
    "capstan: 1\n"
    "drums: {pulley: {radius: 250 mm, drive: {rotation: {cycloid: {amplitude: 30 deg, duration: 2 s}}}}}\n"
    "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
    "cables:\n  rope:\n    EA: 9.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n"
    "    damping: {rayleigh: 10 N s}\n    elements: 40\n"
    "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
    "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: %s}\n"
    "run: {until: 2 s, output: 20 ms}\n";

typedef struct outcome {
  double place;
  long steps;
} outcome;

static outcome run(const char *friction) {
  char text[1500];
  cps_problems *problems = NULL;
  cps_error err = {0};
  snprintf(text, sizeof text, pulley, friction);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s: %s", friction, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", friction, err.text);
  const cps_result *r = cps_simulation_result(sim);
  cps_counters count;
  cps_energy e;
  cps_result_counters(r, &count);
  cps_result_energy(r, &e);
  if (!(fabs(e.error) < 1e-3 * e.scale)) fail_msg("%s: %g of %g J are missing", friction, e.error, e.scale);
  outcome o = {cps_result_data(r, cps_result_find(r, "bodies.right.y"))[cps_result_rows(r) - 1],
               count.steps + count.rejected};
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return o;
}

/* The defaults of these are for a block on a plane: they let go within 0.1 mm/s, which a load that bounces on its cable exceeds
 * all the time, and then steps of microseconds are needed. */
static const char *friction_of(const cps_law *law) {
  static const struct {
    const char *name, *friction;
  } wider[] = {{"lugre", "{lugre: {f_s: 30 N, f_c: 25 N}}"}, /* its friction does not depend on the load */
               {"lugris", "{lugris: {v_st: 1 mm/s}}"},
               {"rill", "{rill: {v_n: 1 mm/s, v_s: 10 mm/s}}"},
               {"adams-standard", "{adams-standard: {v_s: 1 mm/s}}"},
               {"adams-stick-slip", "{adams-stick-slip: {v_s: 1 mm/s}}"},
               {"simpack-standard", "{simpack-standard: {v_s: 1 mm/s}}"},
               {"recurdyn-stick-slip", "{recurdyn-stick-slip: {v_s: 1 mm/s}}"}};
  for (int i = 0; i < ROWS(wider); i++)
    if (strcmp(law->name, wider[i].name) == 0) return wider[i].friction;
  return law->name;
}

static void test_laws(void **state) {
  (void)state;
  outcome right = run("quinn");
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    outcome o = run(friction_of(law));
    double near = law->traits & CPS_CREEPS ? 3e-3 : 1e-4;
    if (getenv("SHOW"))
      print_message("%-30s %10.2e m %6ld steps\n", law->name, o.place - right.place, o.steps);
    if (!(fabs(o.place - right.place) < near)) fail_msg("%s: off by %g m", law->name, o.place - right.place);
    if (o.steps > 6 * right.steps)
      fail_msg("%s: %ld steps, where Quinn's law takes %ld", law->name, o.steps, right.steps);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws)};
  return cmocka_run_group_tests_name("cable laws", tests, NULL, NULL);
}
