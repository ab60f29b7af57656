/* fuzz_expression.c - any text as an output (`max(bodies.a.x, 0, 0.1)`), as a quantity (`3 mm/s`) and as a unit: it is
 * understood, or refused with a sentence. An output that is understood has a value of a small run, or a sentence why not. */
#include "fuzz_problems.h"
#include "sens_output.h"
#include "system.h"
#include "units.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char machine[] =
    "capstan: 1\nbodies: {a: {mass: 1}}\nsprings: {s: {between: [ground, a], stiffness: 100}}\n"
    "surfaces: {belt: {velocity: 0.5}}\n"
    "contacts: {c: {between: [a, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.3, mu_d: "
    "0.1}}}}\n"
    "run: {until: 1, output: 0.05, solver: events}\n";

static const cps_simulation *run_machine(cps_scenario **scenario) {
  cps_error err;
  *scenario = cps_scenario_parse(machine, sizeof machine - 1, "fuzz.yaml", NULL, 0, NULL);
  cps_system *system = *scenario ? cps_system_new(*scenario, &err) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  demand(sim && cps_simulation_run(sim, NULL, NULL, &err) == CPS_OK, "the machine does not run");
  return sim;
}

static void as_output(const char *text) {
  static cps_scenario *scenario;
  static const cps_simulation *sim;
  if (!sim) sim = run_machine(&scenario);
  const cps_result *r = cps_simulation_result(sim);
  sens_output o;
  cps_error err = {0};
  memset(&o, 0, sizeof o);
  if (cps_sens_output_read(&o, text, scenario, r, &err) != CPS_OK) {
    demand(err.text[0], "no output, and no word why");
    return;
  }
  double times[2], value = 0;
  int n_times = cps_sens_output_times(&o, &scenario->run, times);
  demand(n_times >= 0 && n_times <= 2, "too many times");
  sens_weight *weights = NULL;
  long n = 0, event = -1;
  char why[200] = "";
  demand(cps_sens_output_weigh(&o, r, &value, &weights, &n, &event, why, sizeof why), "out of memory");
  demand(!isnan(value) || why[0], "no value, and no word why");
  demand(event < cps_result_events(r), "an event that was not");
  for (long i = 0; i < n; i++)
    demand(weights[i].row >= 0 && weights[i].row < cps_result_rows(r), "a row that was not");
  free(weights);
}

static void as_quantity(const char *text) {
  static const char *const wanted[] = {"m", "kg", "m/s", "N/m", "1", "rad", "N s/m", NULL};
  static unit_cache cache;
  for (int i = 0; i < 8; i++) {
    char why[200] = "";
    double value, again;
    int good = cps_quantity_read(&cache, text, wanted[i], &value, why, sizeof why);
    demand(good ? isfinite(value) : why[0], "an infinite quantity, or none and no word why");
    demand(cps_quantity_read(NULL, text, wanted[i], &again, why, sizeof why) == good,
           "the cache has another opinion");
    demand(!good || memcmp(&value, &again, sizeof value) == 0, "the cache has another value");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;
  as_output(text);
  as_quantity(text);
  free(text);
  return 0;
}
