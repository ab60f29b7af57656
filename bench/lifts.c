/* lifts.c - what the elevator of Lugris et al. costs by each of its models, statics and recording included.
 *
 * The models take turns, and the best of several runs counts, as others may be using the machine. Rows are recorded every
 * 10 ms, in memory.
 */
#include "capstan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 3, SETTINGS_MOST = 5 };

#define DAMPED "cables.rope.damping.axial=4e4"
#define QUINN  "cables.rope.contact.friction={quinn: {mu: 0.7, epsilon: 0.001}}"
#define CDQ    "cables.rope.contact.friction={cdq: {mu: 0.7, epsilon: 0.001, alpha: 0.9}}"
#define EVEN   "cables.rope.contact.at={even: 2}"
#define SOFT                                                                                                 \
  "cables.rope.contact.normal={hunt-crossley-onset: {stiffness: 1.5e7, exponent: 1, damping: 10, onset: "    \
  "0.001}}"

typedef struct way {
  const char *name;
  const char *setting[SETTINGS_MOST];
  int n;
} way;

static const way ways[] = {
    {"springs", {"cables.rope.model=springs", DAMPED}, 2},
    {"semi-analytical", {"cables.rope.model=semi-analytical", DAMPED}, 2},
    {"semi-analytical, undamped", {"cables.rope.model=semi-analytical"}, 1},
    {"ancf, bristles, as in the paper: newmark", {"run.newmark=true", "run.gamma=0.55"}, 2},
    {"ancf, bristles, alpha", {DAMPED}, 1},
    {"ancf, bristles, alpha, even and soft", {DAMPED, EVEN, SOFT}, 3},
    {"ancf, Quinn, alpha", {DAMPED, QUINN}, 2},
    {"ancf, Quinn, alpha, even and soft", {DAMPED, QUINN, EVEN, SOFT}, 4},
    {"ancf, CDQ, alpha", {DAMPED, CDQ}, 2},
};
enum { WAYS = sizeof ways / sizeof ways[0], FEW = 1 };

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of making and running; negative if it fails. */
static double run_once(const char *file, const way *w, cps_counters *counters) {
  cps_problems *problems = NULL;
  cps_error error = {.text = ""};
  cps_scenario *scenario = cps_scenario_load(file, w->setting, w->n, &problems);
  cps_problems_free(problems);
  if (!scenario) return -1;
  double start = seconds_now();
  cps_system *system = cps_system_new(scenario, &error);
  cps_simulation *sim = system ? cps_simulation_new(system, &error) : NULL;
  int good = sim && cps_simulation_run(sim, NULL, NULL, &error) == CPS_OK;
  double used = seconds_now() - start;
  if (good) cps_result_counters(cps_simulation_result(sim), counters);
  if (!good) fprintf(stderr, "lifts: %s: %s\n", w->name, error.text);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return good ? used : -1;
}

int main(int argc, char **argv) {
  const char *file = argc > 1 ? argv[1] : "scenarios/lugris/elevator.yaml";
  double best[WAYS];
  cps_counters counters[WAYS];
  for (int i = 0; i < WAYS; i++) best[i] = INFINITY;
  for (int k = 0; k < RUNS * WAYS; k++) {
    int i = k % WAYS;
    double used = run_once(file, &ways[i], &counters[i]);
    if (used < 0) return EXIT_FAILURE;
    best[i] = fmin(best[i], used);
  }
  for (int i = 0; i < WAYS; i++)
    printf("lifts %-42s %9.3f ms, %6.1f times faster than real time, %5ld steps, %6ld evaluations, 1/%.0f of "
           "the "
           "time to semi-analytical\n",
           ways[i].name, 1e3 * best[i], 5 / best[i], counters[i].steps, counters[i].evaluations,
           best[i] / best[FEW]);
  return EXIT_SUCCESS;
}
