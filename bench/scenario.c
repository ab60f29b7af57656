/* scenario.c - scenarios times solvers: processor time of the dynamics alone, steps and iterations.
 *
 * usage: scenario                            the table below
 *        scenario FILE [PATH=VALUE]...       one run, as a line of JSON: times, counters, first and last row
 *
 * The dynamics are what cps_simulation_run does: steps, audit, and recording of all columns in memory. Reading the
 * file, statics and writing results are not in the times.
 */
#include "capstan.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct measured {
  double wall, cpu, simulated;
  cps_counters n;
  cps_status status;
} measured;

static void print_row(const cps_result *r, const char *name, long row) {
  printf(", \"%s\": {", name);
  for (int c = 0; c < cps_result_columns(r); c++)
    printf("%s\"%s\": %.17g", c ? ", " : "", cps_result_name(r, c), cps_result_data(r, c)[row]);
  printf("}");
}

/* Runs a scenario; prints its first and last row if asked to. 0 if it cannot even start. */
static int run(const char *file, const char *const *settings, int n, int rounds, int print, measured *out) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  cps_scenario *scenario = cps_scenario_load(file, settings, n, &problems);
  if (!scenario) {
    char text[1000];
    cps_problem_text(cps_problems_at(problems, 0), text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  cps_problems_free(problems);
  cps_system *system = scenario ? cps_system_new(scenario, &err) : NULL;
  int good = system != NULL;
  for (int i = 0; i < rounds && good; i++) {
    cps_simulation *sim = cps_simulation_new(system, &err);
    good = sim != NULL;
    if (!good) break;
    double start = now(CLOCK_MONOTONIC), start_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    out->status = cps_simulation_run(sim, NULL, NULL, &err);
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID) - start_cpu, wall = now(CLOCK_MONOTONIC) - start;
    const cps_result *r = cps_simulation_result(sim);
    long last = cps_result_rows(r) - 1;
    cps_result_counters(r, &out->n);
    out->wall = i == 0 || wall < out->wall ? wall : out->wall;
    out->cpu = i == 0 || cpu < out->cpu ? cpu : out->cpu;
    out->simulated = last >= 0 ? cps_result_data(r, 0)[last] - cps_result_data(r, 0)[0] : 0;
    if (print && i + 1 == rounds && last >= 0) {
      printf("{\"status\": \"%s\", \"wall\": %.9g, \"cpu\": %.9g, \"steps\": %ld, \"newton\": %ld, "
             "\"rejected\": %ld",
             cps_status_name(out->status), out->wall, out->cpu, out->n.steps, out->n.newton, out->n.rejected);
      print_row(r, "start", 0);
      print_row(r, "end", last);
      printf("}\n");
    }
    cps_simulation_free(sim);
  }
  if (!good && err.text[0]) fprintf(stderr, "%s: %s\n", file, err.text);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return good;
}

int main(int argc, char **argv) {
  measured m = {0};
  if (argc > 1) return run(argv[1], (const char *const *)argv + 2, argc - 2, 1, 1, &m) ? 0 : 1;
  static const struct {
    const char *file, *name;
    const char *settings[4];
  } rows[] = {
      {"scenarios/westin/pulley.yaml", "pulley, cdq, alpha, error control", {"run.output=1"}},
      {"scenarios/westin/pulley.yaml", "pulley, cdq, alpha, 10 ms", {"run.step=10ms", "run.output=1"}},
      {"scenarios/westin/pulley.yaml",
       "pulley, quinn, alpha, 10 ms",
       {"run.step=10ms", "run.output=1",
        "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}"}},
      {"scenarios/westin/pulley.yaml", "pulley, cdq, bdf", {"run.solver=bdf", "run.output=1"}},
      {"scenarios/westin/gross-slip.yaml", "gross slip, quinn, alpha", {"run.output=0.1"}},
      {"scenarios/quinn/chain.yaml", "chain of 32 blocks", {NULL}},
      {"scenarios/schuderer/festoon.yaml", "festoon crane, events", {NULL}},
      {"scenarios/verulkar/rabinowicz.yaml", "block on a belt, events", {NULL}},
  };
  printf("\nscenarios, dynamics alone (best of 3)\n  %-36s %10s %9s %9s %9s %12s\n", "", "time [ms]", "steps",
         "newton", "rejected", "x real time");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int n = 0;
    while (n < 4 && rows[i].settings[n]) n++;
    if (!run(rows[i].file, rows[i].settings, n, 3, 0, &m)) continue;
    printf("  %-36s %10.2f %9ld %9ld %9ld %12.0f\n", rows[i].name, 1e3 * m.cpu, m.n.steps, m.n.newton,
           m.n.rejected, m.simulated / m.cpu);
  }
  return 0;
}
