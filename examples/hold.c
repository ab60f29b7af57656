/* hold.c - does a bollard hold? A turn of mooring rope, a sailor on one side, a ship on the other.
 *
 * A scenario as text, its equilibrium, and the range of forces on the ship's side that friction holds while the sailor
 * pulls with 100 N; beside it what the capstan formula says.
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scenario_text[] = "capstan: 1\n"
                                    "title: Mooring\n"
                                    "gravity: 0\n"
                                    "drums: {bollard: {radius: 150 mm}}\n"
                                    "cables:\n"
                                    "  rope:\n"
                                    "    EA: 200 kN\n"
                                    "    EI: 0.05 N m2\n"
                                    "    mass_per_length: 0.4 kg/m\n"
                                    "    elements: 100\n"
                                    "    path:\n"
                                    "      - {free: {at: [-2 m, -150 mm], force: {x: -100 N}}}\n"
                                    "      - {to: [0, -150 mm]}\n"
                                    "      - {around: bollard, turn: counterclockwise, turns: 1}\n"
                                    "      - {along: [1, 0], length: 2 m}\n"
                                    "      - {free: {force: {x: 400 N}}}\n"
                                    "    contact:\n      at: nodes\n"
                                    "      normal: {linear: {stiffness: 1 MN/m, damping: 100 N s/m}}\n"
                                    "      friction: {quinn: {mu: 0.3, epsilon: 10 mm/s}}\n"
                                    "run: {until: 1 s}\n";

int main(void) {
  cps_problems *problems = NULL;
  cps_error error = {0};
  cps_scenario *scenario = cps_scenario_parse(scenario_text, strlen(scenario_text), "mooring.yaml", NULL, 0,
                                              &problems);
  if (!scenario) {
    char text[1000];
    cps_problem_text(cps_problems_at(problems, 0), text, sizeof text);
    fprintf(stderr, "%s\n", text);
    cps_problems_free(problems);
    return 2;
  }
  cps_system *system = cps_system_new(scenario, &error);
  cps_simulation *sim = system ? cps_simulation_new(system, &error) : NULL;
  int good = 0;
  if (sim && cps_statics(sim, &error) == CPS_OK) {
    const cps_result *r = cps_simulation_result(sim);
    double wrap = cps_result_data(r, cps_result_find(r, "cables.rope.bollard.wrap"))[0];
    double margin = cps_result_data(r, cps_result_find(r, "cables.rope.bollard.margin"))[0];
    printf("the rope goes %.2f times around the bollard and uses %.0f %% of the friction\n",
           wrap / (2 * acos(-1)), 100 * (1 - margin));
    good = 1;
  }
  for (int i = 0; good && i < cps_hold_count(system); i++) {
    cps_hold h;
    good = cps_hold_range(system, i, &h, &error) == CPS_OK;
    if (good)
      printf("  %-24s %6.0f %s, held from %.2f to %.1f (capstan formula: %.2f to %.1f)\n", h.name, h.value,
             h.unit, h.least, h.most, h.formula_least, h.formula_most);
    good = good && h.least < h.value && h.value < h.most && fabs(h.most / h.formula_most - 1) < 0.1;
  }
  if (error.status != CPS_OK) fprintf(stderr, "%s\n", error.text);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return good ? 0 : 1;
}
