/* verify_space_contact.c - a machine in one plane, computed in space: with contact at nodes and at one and two points per element, and
 * laws that stick exactly, it does what it does in the plane, and nothing moves along the axis. Two points per element that stick
 * bind all coordinates of a node along the rim and along the axis. */
#include "sens_compare.h"

static const char machine[] =
    "capstan: 1\n"
    "gravity: %s\n"
    "drums: {pulley: {radius: 250 mm, center: %s}}\n"
    "bodies: {left: {mass: 10 kg}, right: {mass: %g kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 0.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.45 kg/m\n    damping: {rayleigh: 5 N s}\n"
    "    elements: 40\n"
    "    contact: {at: %s, normal: {hunt-crossley: {stiffness: 2e6, exponent: 1.5, damping: 1}}, friction: "
    "%s}\n"
    "    start: %s\n"
    "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
    "run: {until: 0.2 s, output: 10 ms}\n";

typedef struct outcome {
  double y, z;
  long steps, rejected;
} outcome;

static outcome run(int space, const char *law, const char *at, double mass, const char *start) {
  char text[2000];
  cps_problems *problems = NULL;
  cps_error err = {0};
  snprintf(text, sizeof text, machine, space ? "[0, -9.81, 0]" : "9.81 m/s2", space ? "[0, 0, 0]" : "[0, 0]",
           mass, at, law, start);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s\n%s", text, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK)
    fail_msg("%s at %s, %g kg, %s: %s", law, at, mass, start, err.text);
  const cps_result *r = cps_simulation_result(sim);
  cps_counters count;
  cps_result_counters(r, &count);
  int row = cps_result_rows(r) - 1, z = cps_result_find(r, "bodies.right.z");
  outcome o = {.y = cps_result_data(r, cps_result_find(r, "bodies.right.y"))[row],
               .z = z < 0 ? 0 : cps_result_data(r, z)[row],
               .steps = count.steps,
               .rejected = count.rejected};
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return o;
}

static void test_space(void **state) {
  static const char *const laws[] = {"quinn", "coulomb", "cdq", "lugre-load"}, *const at[] = {
                                                                                   "nodes", "{quadrature: 1}",
                                                                                   "{quadrature: 2}"};
  static const struct {
    double mass;
    const char *start;
    double within; /* [m] */
  } cases[] = {{11, "equilibrium", 1e-9}, {30, "equilibrium", 1e-9}, {80, "drawn", 1e-4}};
  (void)state;
  for (int l = 0; l < ROWS(laws); l++)
    for (int a = 0; a < ROWS(at); a++)
      for (int k = 0; k < ROWS(cases); k++) {
        outcome plane = run(0, laws[l], at[a], cases[k].mass, cases[k].start),
                space = run(1, laws[l], at[a], cases[k].mass, cases[k].start);
        if (!(fabs(plane.y - space.y) <= cases[k].within) || !(fabs(space.z) <= 1e-9))
          fail_msg("%s at %s, %g kg: y %.9g m in the plane, %.9g m in space, z %g m", laws[l], at[a],
                   cases[k].mass, plane.y, space.y, space.z);
        if (space.rejected > 10 + plane.rejected + space.steps / 5)
          fail_msg("%s at %s, %g kg: %ld steps and %ld rejected in space, %ld and %ld in the plane", laws[l],
                   at[a], cases[k].mass, space.steps, space.rejected, plane.steps, plane.rejected);
      }
}

/* Derivatives go through the same elimination, with the friction forces of sticking contacts open. */
static void test_derivatives(void **state) {
  static const char *const laws[] = {"coulomb", "quinn"};
  (void)state;
  for (int i = 0; i < ROWS(laws); i++) {
    char text[2000];
    snprintf(text, sizeof text,
             "capstan: 1\n"
             "gravity: [0, -9.81, 0]\n"
             "drums: {pulley: {radius: 250 mm, center: [0, 0, 0], drive: {rotation: {cycloid: {amplitude: 30 "
             "deg,\n"
             "  duration: 0.3 s}}}, moved: {z: {sine: {amplitude: 5 mm, omega: 20 rad/s}}}}}\n"
             "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}}\n"
             "cables:\n"
             "  rope:\n"
             "    EA: 0.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.45 kg/m\n    damping: {rayleigh: 5 N "
             "s}\n"
             "    elements: 40\n"
             "    contact: {at: {quadrature: 2}, friction: %s,\n"
             "              normal: {hunt-crossley: {stiffness: 2e6, exponent: 1.5, damping: 1}}}\n"
             "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
             "run: {until: 0.04 s, step: 2 ms, solver: alpha, output: 20 ms, balance: 1e-12}\n",
             laws[i]);
    example x = {.name = laws[i],
                 .text = text,
                 .wrt = {"cables.rope.EA", "bodies.left.mass", "drums.pulley.moved.z.sine.amplitude"},
                 .of = {"bodies.left.y", "bodies.right.z", "cables.rope.tension_end", "energy.kinetic"},
                 .loose = 10};
    check_all(&x, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_space), cmocka_unit_test(test_derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
