/* pulley.h - what benchmarks of cables share: Westin and Irani's motorised pulley, a clock, and goals. */
#ifndef CPS_BENCH_PULLEY_H
#define CPS_BENCH_PULLEY_H

#include "capstan.h"
#include "newton.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT_SIZE = 2000 };

/* Processor time, which others on the machine disturb least. */
static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* scenarios/westin/pulley.yaml for n elements and any law. The stiffness of a contact gets smaller with its element. */
static inline cps_scenario *pulley_scenario(int n, const char *law) {
  char text[TEXT_SIZE];
  cps_problems *problems = NULL;
  snprintf(text, sizeof text,
           "capstan: 1\n"
           "gravity: [0, -9.81]\n"
           "drums:\n"
           "  pulley:\n"
           "    radius: 250 mm\n"
           "    drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 45 deg, duration: 10 s}}}}\n"
           "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
           "cables:\n"
           "  rope:\n"
           "    EA: 9.2 MN\n"
           "    EI: 0.7 N m2\n"
           "    mass_per_length: 0.4555 kg/m\n"
           "    damping: {rayleigh: 10 N s}\n"
           "    elements: %d\n"
           "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
           "    contact:\n"
           "      at: nodes\n"
           "      normal: {hunt-crossley: {stiffness: %.17g, exponent: 1.5, damping: 1}}\n"
           "      friction: {%s: {mu: 0.25, epsilon: 10 mm/s}}\n"
           "run: {until: 10 s, solver: alpha, step: 10 ms, output: 10 ms}\n",
           n, 5e6 * 40 / n, law);
  cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "pulley", NULL, 0, &problems);
  cps_problems_free(problems);
  return scenario;
}

/* Place of the load on the right. */
static inline double pulley_load(const machine *m) {
  const cable *rope = &m->cable[0];
  return rope->q[(size_t)rope->n * (size_t)rope->b + 1];
}

/* A goal, and whether it is met: scripts/bench.sh collects these lines. */
static inline int goal(int met, const char *format, double value, double wanted) {
  char text[200];
  snprintf(text, sizeof text, format, value, wanted);
  printf("goal %s %s\n", met ? "met   " : "MISSED", text);
  return met;
}

#endif
