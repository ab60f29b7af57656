/* sens.c - what derivatives cost: Westin and Irani's motorised pulley with 40 elements, by 50 parameters: what the cable,
 * its contact and its loads are made of, and the values of a table that the motor follows.
 *
 * Only what is differentiated is recorded. The goals: an adjoint gradient costs at most 5 runs, forward derivatives by P parameters at most 1 + 0.6 P. Times are
 * processor time, the best of several; each counts all that a gradient at new values of the parameters takes. */
#include "capstan.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, POINTS = 43, NAMED = 7, PARAMETERS = POINTS + NAMED, TEXT_SIZE = 8000, PATH_SIZE = 96 };

static const char *const named[NAMED] = {"cables.rope.EA",
                                         "cables.rope.EI",
                                         "cables.rope.mass_per_length",
                                         "cables.rope.contact.normal.hunt-crossley.stiffness",
                                         "cables.rope.contact.friction.cdq.mu",
                                         "bodies.left.mass",
                                         "drums.pulley.drive.pd.kp"};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double bytes_now(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 now = mallinfo2();
  return (double)now.uordblks + (double)now.hblkhd;
#else
  return NAN;
#endif
}

/* scenarios/westin/pulley.yaml with a table of the cycloid, and so many steps. */
static void pulley_text(char *text, double step) {
  const double pi = 3.14159265358979323846, amplitude = pi / 4, duration = 10;
  char times[POINTS * 12] = "", values[POINTS * 16] = "";
  size_t n = 0, k = 0;
  for (int i = 0; i < POINTS; i++) {
    double s = (double)i / (POINTS - 1);
    const char *comma = i ? ", " : "";
    n += (size_t)snprintf(times + n, sizeof times - n, "%s%.5g", comma, s * duration);
    k += (size_t)snprintf(values + k, sizeof values - k, "%s%.8g", comma,
                          amplitude * (s - sin(2 * pi * s) / (2 * pi)));
  }
  snprintf(text, TEXT_SIZE,
           "capstan: 1\n"
           "gravity: [0, -9.81]\n"
           "drums:\n"
           "  pulley:\n"
           "    radius: 250 mm\n"
           "    drive:\n"
           "      pd:\n"
           "        kp: 400\n"
           "        kd: 40\n"
           "        setpoint:\n"
           "          table: {interpolation: cubic, times: [%s], values: [%s]}\n"
           "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
           "cables:\n"
           "  rope:\n"
           "    EA: 9.2 MN\n"
           "    EI: 0.7 N m2\n"
           "    mass_per_length: 0.4555 kg/m\n"
           "    damping: {rayleigh: 10 N s}\n"
           "    quadrature: {axial: 5}\n"
           "    elements: 40\n"
           "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
           "    contact:\n"
           "      at: nodes\n"
           "      normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: 1}}\n"
           "      friction: {cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}}\n"
           "run: {until: 10 s, step: %g s, solver: alpha, output: 100 ms, fields: 0}\n"
           "outputs: {columns: [bodies.left.y, cables.rope.pulley.slip_work]}\n",
           times, values, step);
}

/* Time of one run, statics included. */
static double run_once(const cps_scenario *scenario, cps_error *err) {
  double from = seconds_now(), time = NAN;
  cps_system *system = cps_system_new(scenario, err);
  cps_simulation *sim = system ? cps_simulation_new(system, err) : NULL;
  if (sim && cps_simulation_run(sim, NULL, NULL, err) == CPS_OK) time = seconds_now() - from;
  cps_simulation_free(sim);
  cps_system_free(system);
  return time;
}

typedef struct most {
  double bytes;
} most;

static int watch(const cps_progress *progress, void *data) {
  most *m = data;
  (void)progress;
  m->bytes = fmax(m->bytes, bytes_now());
  return 0;
}

/* Time of derivatives at new values of the parameters. */
static double differentiate(const cps_scenario *scenario, const char *const *wrt, int n,
                            cps_sens_method method, double *bytes, cps_error *err) {
  static const char *const of[] = {"bodies.left.y", "cables.rope.pulley.slip_work"};
  double values[PARAMETERS], time = NAN, before = bytes_now();
  cps_sens *sens = cps_sens_new(scenario, wrt, n, of, method == CPS_SENS_ADJOINT ? 1 : 2, err);
  if (!sens) return NAN;
  for (int i = 0; i < n; i++) values[i] = cps_sens_parameter(sens, i)->value;
  most m = {0};
  double from = seconds_now();
  if (cps_sens_set(sens, values, err) == CPS_OK && cps_sens_run(sens, method, watch, &m, err) == CPS_OK)
    time = seconds_now() - from;
  *bytes = m.bytes - before;
  cps_sens_free(sens);
  return time;
}

/* The best of several runs and of as many of each kind of derivatives, in turns. */
static int bench(const cps_scenario *scenario, const char *const *wrt, int n) {
  cps_error err = {0};
  double run = INFINITY, forward = INFINITY, adjoint = INFINITY, bytes[2] = {0};
  for (int i = 0; i < RUNS; i++) {
    run = fmin(run, run_once(scenario, &err));
    adjoint = fmin(adjoint, differentiate(scenario, wrt, n, CPS_SENS_ADJOINT, &bytes[0], &err));
    forward = fmin(forward, differentiate(scenario, wrt, n, CPS_SENS_FORWARD, &bytes[1], &err));
  }
  if (!isfinite(run) || !isfinite(forward) || !isfinite(adjoint)) {
    fprintf(stderr, "sens: %s\n", err.text);
    return 0;
  }
  printf(
      "derivatives by %d parameters: run %.1f ms; adjoint %.2f runs, %.1f MB; forward %.2f runs, %.1f MB\n",
      n, 1e3 * run, adjoint / run, bytes[0] / 1e6, forward / run, bytes[1] / 1e6);
  const double most[2] = {5, 1 + 0.6 * n}, took[2] = {adjoint / run, forward / run};
  for (int k = 0; k < 2; k++)
    printf("goal %s derivatives by %d parameters, %s: %.1f runs, wanted at most %.1f\n",
           took[k] <= most[k] ? "met   " : "MISSED", n, k == 0 ? "adjoint" : "forward", took[k], most[k]);
  return 1;
}

/* Memory of the adjoint of runs with ever more steps. */
static int bench_memory(const char *const *wrt) {
  static const double steps[] = {0.01, 0.0025, 0.000625};
  char text[TEXT_SIZE];
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    cps_error err = {0};
    double bytes = 0;
    pulley_text(text, steps[i]);
    cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "sens", NULL, 0, NULL);
    double time = scenario ? differentiate(scenario, wrt, 4, CPS_SENS_ADJOINT, &bytes, &err) : NAN;
    double run = scenario ? run_once(scenario, &err) : NAN;
    cps_scenario_free(scenario);
    if (!isfinite(time) || !isfinite(run)) {
      fprintf(stderr, "sens: %s\n", err.text);
      return 0;
    }
    printf("sens adjoint of %6.0f steps: %5.2f runs, %5.1f MB\n", 10 / steps[i], time / run, bytes / 1e6);
  }
  return 1;
}

int main(void) {
  char paths[PARAMETERS][PATH_SIZE], text[TEXT_SIZE];
  const char *wrt[PARAMETERS];
  for (int i = 0; i < PARAMETERS; i++) {
    if (i < NAMED)
      snprintf(paths[i], PATH_SIZE, "%s", named[i]);
    else
      snprintf(paths[i], PATH_SIZE, "drums.pulley.drive.pd.setpoint.table.values.%d", i - NAMED);
    wrt[i] = paths[i];
  }
  pulley_text(text, 0.01);
  cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "sens", NULL, 0, NULL);
  if (!scenario) return EXIT_FAILURE;
  int good = bench(scenario, wrt, PARAMETERS) && bench(scenario, wrt, NAMED) && bench_memory(wrt);
  cps_scenario_free(scenario);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
