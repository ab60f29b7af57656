/* sens.c - what does the period of stick-slip depend on, and by how much?
 *
 * Rabinowicz's block on a belt. It rides with the belt until the spring is stronger than friction at rest, which is at
 * t = mu_s m g/(k v): so the derivatives of that time are known, and are what comes out; those of the position long after,
 * across slip and stick, are not in any book.
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scenario_text[] = "capstan: 1\n"
                                    "title: Block on a belt\n"
                                    "bodies: {block: {mass: 1 kg, v: 1 m/s}}\n"
                                    "surfaces: {belt: {velocity: 1 m/s}}\n"
                                    "springs: {spring: {between: [ground, block], stiffness: 10 N/m}}\n"
                                    "contacts:\n"
                                    "  rub:\n"
                                    "    between: [block, belt]\n"
                                    "    normal: weight\n"
                                    "    friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}\n"
                                    "run: {until: 5 s, output: 50 ms, solver: events, tolerance: 1e-12}\n";

int main(void) {
  const char *wrt[] = {"bodies.block.mass", "springs.spring.stiffness", "contacts.rub.friction.mu_s"};
  const char *of[] = {"event(rub, 1)", "bodies.block.x@5", "energy.friction"};
  cps_error error = {0};
  cps_scenario *scenario = cps_scenario_parse(scenario_text, strlen(scenario_text), "belt.yaml", NULL, 0,
                                              NULL);
  cps_sens *sens = scenario ? cps_sens_new(scenario, wrt, 3, of, 3, &error) : NULL;
  if (!sens || cps_sens_run(sens, CPS_SENS_AUTO, NULL, NULL, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    cps_sens_free(sens);
    cps_scenario_free(scenario);
    return 1;
  }
  for (int i = 0; i < cps_sens_outputs(sens); i++) {
    printf("%s = %.9g %s\n", cps_sens_output(sens, i), cps_sens_value(sens, i), cps_sens_unit(sens, i));
    for (int k = 0; k < cps_sens_parameters(sens); k++)
      printf("  by %-30s %14.9g\n", cps_sens_parameter(sens, k)->path, cps_sens_gradient(sens, i, k));
  }
  double t = 0.8 * 9.81 / 10, exact[] = {t, -t / 10, t / 0.8};
  double worst = fabs(cps_sens_value(sens, 0) - t);
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(cps_sens_gradient(sens, 0, k) - exact[k]));
  printf("the first slip, and what it depends on, is right to %.1g\n", worst);
  cps_sens_free(sens);
  cps_scenario_free(scenario);
  return worst < 1e-8 ? 0 : 1;
}
