/* optimize.c - a crane that stops without swing.
 *
 * A load hangs on a rope whose upper end is carried along by 1 m. Moved evenly, the load swings for long. Two steps of
 * travel, with heights and lengths that are free, leave it nearly at rest, in the same time.
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scenario_text[] =
    "capstan: 1\n"
    "title: Crane\n"
    "bodies: {load: {mass: 50 kg, position: [0, -1 m]}}\n"
    "surfaces:\n"
    "  trolley:\n"
    "    position: {sum: [{step5: {from: [0, 0], to: [1 s, 0.5 m]}}, {step5: {from: [1 s, 0], to: [2 s, 0.5 "
    "m]}}]}\n"
    "springs: {rope: {between: [trolley, load], stiffness: 100 kN/m, damping: 500 N s/m, length: 1 m}}\n"
    "run: {until: 5 s, output: 20 ms, solver: alpha, step: 5 ms, rho: 0.9}\n";

int main(void) {
  const char *paths[] = {
      "surfaces.trolley.position.sum.0.step5.to.0", "surfaces.trolley.position.sum.0.step5.to.1",
      "surfaces.trolley.position.sum.1.step5.from.0", "surfaces.trolley.position.sum.1.step5.to.1"};
  const double least[] = {0.3, 0, 0.2, 0}, most[] = {1.9, 1, 1.6, 1};
  cps_error error = {0};
  int good = 0;
  cps_scenario *scenario = cps_scenario_parse(scenario_text, strlen(scenario_text), "crane.yaml", NULL, 0,
                                              NULL);
  cps_optimize *o = scenario ? cps_optimize_new(scenario, paths, 4, "rms(bodies.load.vx, 2, 5)", &error)
                             : NULL;
  for (int i = 0; o && i < 4; i++) cps_optimize_bounds(o, i, least[i], most[i], &error);
  if (o && cps_optimize_limit(o, "surfaces.trolley.x", 1, 1, &error) == CPS_OK &&
      cps_optimize_run(o, NULL, NULL, &error) == CPS_OK) {
    double before = cps_optimize_result(o, 0, 0), after = cps_optimize_result(o, 0, 1);
    printf("swing after 2 s: %.4g m/s, then %.4g m/s after %d runs: %s\n", before, after,
           cps_optimize_runs(o), cps_optimize_reason(o));
    for (int i = 0; i < 4; i++)
      printf("  %-46s %.4f -> %.4f %s\n", paths[i], cps_optimize_value(o, i, 0), cps_optimize_value(o, i, 1),
             cps_optimize_parameter(o, i)->unit);
    good = after < 0.05 * before && fabs(cps_optimize_result(o, 1, 1) - 1) < 1e-5;
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  cps_optimize_free(o);
  cps_scenario_free(scenario);
  return good ? 0 : 1;
}
