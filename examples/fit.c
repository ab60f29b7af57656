/* fit.c - friction and stiffness from a measured motion.
 *
 * The measurement is made here: a block on a belt, with noise of 3 mm on its position. The fit starts 15 % off, finds both
 * coefficients of friction and the stiffness, and says how well they are known.
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scenario_text[] = "capstan: 1\n"
                                    "title: Block on a belt\n"
                                    "bodies: {block: {mass: 1 kg}}\n"
                                    "surfaces: {belt: {velocity: 1 m/s}}\n"
                                    "springs: {spring: {between: [ground, block], stiffness: 10 N/m}}\n"
                                    "contacts:\n"
                                    "  rub:\n"
                                    "    between: [block, belt]\n"
                                    "    normal: weight\n"
                                    "    friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}\n"
                                    "run: {until: 4 s, output: 40 ms, solver: events, tolerance: 1e-9}\n";

enum { PARAMETERS = 3, ROWS_MOST = 200 };

static const char *const paths[PARAMETERS] = {"contacts.rub.friction.mu_s", "contacts.rub.friction.mu_d",
                                              "springs.spring.stiffness"};
static const double truth[PARAMETERS] = {0.8, 0.7, 10};

/* Noise with the same numbers everywhere: twelve of a simple generator make one that is nearly normal. */
static double noise(void) {
  static unsigned long state = 1;
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
    sum += (double)state / 2147483648.0;
  }
  return sum;
}

/* Runs the scenario, and "measures" its block. */
static long measure(const cps_scenario *scenario, double *t, double *x) {
  cps_system *system = cps_system_new(scenario, NULL);
  cps_simulation *sim = system ? cps_simulation_new(system, NULL) : NULL;
  long n = 0;
  if (sim && cps_simulation_run(sim, NULL, NULL, NULL) == CPS_OK) {
    const cps_result *r = cps_simulation_result(sim);
    const double *column = cps_result_data(r, cps_result_find(r, "bodies.block.x"));
    for (; n < cps_result_rows(r) && n < ROWS_MOST; n++) {
      t[n] = cps_result_data(r, 0)[n];
      x[n] = column[n] + 0.003 * noise();
    }
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  return n;
}

int main(void) {
  double t[ROWS_MOST], x[ROWS_MOST], guess[PARAMETERS];
  cps_error error = {0};
  cps_scenario *real = cps_scenario_parse(scenario_text, strlen(scenario_text), "belt.yaml", NULL, 0, NULL);
  if (!real) return 1;
  long n = measure(real, t, x);
  for (int i = 0; i < PARAMETERS; i++) guess[i] = truth[i] * (i == 1 ? 0.85 : 1.15);
  cps_scenario *start = cps_scenario_with(real, paths, guess, PARAMETERS, NULL);
  cps_fit *fit = start ? cps_fit_new(start, paths, PARAMETERS, &error) : NULL;
  int set = fit ? cps_fit_add_set(fit, NULL, 0, &error) : -1, inside = 0;
  if (set >= 0 && cps_fit_add_series(fit, set, "bodies.block.x", t, x, NULL, n, &error) == CPS_OK &&
      cps_fit_run(fit, NULL, NULL, &error) == CPS_OK) {
    printf("%ld values, %d steps, %ld runs: %s\n", n, cps_fit_steps(fit), cps_fit_runs(fit),
           cps_fit_reason(fit));
    for (int i = 0; i < PARAMETERS; i++) {
      cps_fit_parameter p;
      cps_fit_get(fit, i, &p);
      printf("  %-28s %.5f from %.5f, 95 %% within %.5f .. %.5f (true: %g)\n", p.quantity.path,
             p.quantity.value, p.start, p.low, p.high, truth[i]);
      inside += fabs(p.quantity.value - truth[i]) < 4 * p.error && p.error < 0.01 * truth[i];
    }
    cps_fit_series s;
    cps_fit_series_get(fit, set, 0, &s);
    printf("  noise found: %.2f mm\n", 1000 * s.sigma);
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  cps_fit_free(fit);
  cps_scenario_free(start);
  cps_scenario_free(real);
  return inside == PARAMETERS ? 0 : 1;
}
