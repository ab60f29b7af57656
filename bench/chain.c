/* chain.c - what a step of Quinn's chain costs: rk4 for chains of 32 to 16384 blocks and three laws, and
 * events.
 *
 * Nanoseconds per block and step should not depend on the length of the chain. Times are the best of several
 * runs, as others may be using the machine; ratios and counters say more than seconds do.
 */
#include "capstan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, N_SIZES = 4, TEXT_SIZE = 2000 };

#define BLOCK_STEPS 4e6 /* of a run: steps times blocks */

static const int sizes[N_SIZES] = {32, 256, 2048, 16384};

/* Processor time, which others on the machine disturb least. */
static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* scenarios/quinn/chain.yaml for n blocks. */
static void chain_text(char *text, int n, const char *friction, const char *run) {
  snprintf(text, TEXT_SIZE,
           "capstan: 1\n"
           "repeat:\n"
           "  - count: %d\n    from: 1\n    index: i\n"
           "    bodies: {\"b{i}\": {mass: %.17g}}\n"
           "    springs: {\"s{i}\": {between: [\"b{i}\", \"b{i+1}\"], stiffness: %d}}\n"
           "    contacts: {\"c{i}\": {between: [\"b{i}\", ground], normal: %.17g, friction: %s}}\n"
           "bodies: {b%d: {mass: %.17g}}\n"
           "springs: {wall: {between: [b%d, ground], stiffness: %d}}\n"
           "contacts: {c%d: {between: [b%d, ground], normal: %.17g, friction: %s}}\n"
           "loads: {shaker: {on: b1, force: {sine: {amplitude: -0.25, omega: 0.5}}}}\n"
           "run: %s\n",
           n - 1, 1.0 / n, n, 1.0 / n, friction, n, 0.75 / n, n, 2 * n, n, n, 0.75 / n, friction, run);
}

/* A run: its time, and what it counted. Negative if it failed. */
static double run_once(const char *text, cps_counters *count) {
  double spent = -1;
  cps_error error = {.text = ""};
  cps_problems *problems = NULL;
  cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "chain", NULL, 0, &problems);
  cps_system *system = scenario ? cps_system_new(scenario, &error) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &error) : NULL;
  if (sim) {
    double start = seconds_now();
    cps_status status = cps_simulation_run(sim, NULL, NULL, &error);
    if (status == CPS_OK) spent = seconds_now() - start;
    cps_result_counters(cps_simulation_result(sim), count);
  }
  if (spent < 0 && problems) {
    char why[1000];
    cps_problem_text(cps_problems_at(problems, 0), why, sizeof why);
    fprintf(stderr, "chain: %s\n", why);
  } else if (spent < 0) {
    fprintf(stderr, "chain: %s\n", error.text);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  cps_problems_free(problems);
  return spent;
}

/* The step keeps its relation to the fastest vibration of the chain, 2n, and to the regularisation. What rk4 loses where plain Coulomb
 * friction jumps is not what is measured, and is not judged. */
static void rk4_text(char *text, int n, const char *law) {
  double step = 0.25 / n, epsilon = 5 * step, until = BLOCK_STEPS / n * step;
  char friction[120], run[160];
  if (strcmp(law, "coulomb") == 0)
    snprintf(friction, sizeof friction, "{coulomb: {mu: 1}}");
  else
    snprintf(friction, sizeof friction, "{%s: {mu: 1, epsilon: %.17g}}", law, epsilon);
  snprintf(run, sizeof run,
           "{until: %.17g, output: %.17g, solver: rk4, step: %.17g, audit: {warn: off, fail: off}}", until,
           until, step);
  chain_text(text, n, friction, run);
}

/* The sizes take turns, so that whatever else the machine does hits all of them. */
static int bench_rk4(const char *law) {
  double best[N_SIZES] = {INFINITY, INFINITY, INFINITY, INFINITY};
  cps_counters count[N_SIZES];
  for (int k = 0; k < RUNS * N_SIZES; k++) {
    int i = k % N_SIZES;
    char text[TEXT_SIZE];
    rk4_text(text, sizes[i], law);
    double spent = run_once(text, &count[i]);
    if (spent < 0) return 0;
    best[i] = fmin(best[i], spent / ((double)count[i].steps * sizes[i]));
  }
  for (int i = 0; i < N_SIZES; i++)
    printf("chain rk4 %-13s %6d blocks %8ld steps %6.2f evaluations/step %7.2f ns/block/step  x%.2f\n", law,
           sizes[i], count[i].steps, (double)count[i].evaluations / (double)count[i].steps, 1e9 * best[i],
           best[i] / best[0]);
  return 1;
}

static int bench_events(void) {
  char text[TEXT_SIZE];
  chain_text(text, 32, "{coulomb: {mu: 1}}",
             "{until: 50.26548245743669, output: 12.566370614359172, solver: events, tolerance: 1e-10, "
             "absolute_tolerance: 1e-13}");
  cps_counters count;
  double best = INFINITY;
  for (int i = 0; i < RUNS; i++) {
    double spent = run_once(text, &count);
    if (spent < 0) return 0;
    best = fmin(best, spent);
  }
  printf(
      "chain events coulomb     32 blocks %8ld steps %6.2f evaluations/step %7.2f ns/block/evaluation  %ld "
      "transitions, %ld rejected, %.1f evaluations/transition\n",
      count.steps, (double)count.evaluations / (double)count.steps,
      1e9 * best / ((double)count.evaluations * 32), count.events, count.rejected,
      (double)count.evaluations / (double)count.events);
  return 1;
}

int main(void) {
  int good = bench_rk4("quinn") && bench_rk4("martins-oden") && bench_rk4("coulomb") && bench_events();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
