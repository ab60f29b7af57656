/* cables.c - what a cable on a drum costs: Westin and Irani's motorised pulley with 40 to 10240 elements.
 *
 * Nanoseconds per element and Newton iteration, iterations per step and step cuts should not depend on the number of
 * elements. With the elements the stiffness of a contact gets smaller, so that what the drum is made of stays the same.
 * Times are the best of several runs, as others may be using the machine; ratios and counters say more than seconds do.
 */
#include "capstan.h"
#include "haul.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 3, N_SIZES = 5, TEXT_SIZE = 2000, SAMPLES = 100 };

static const int sizes[N_SIZES] = {40, 160, 640, 2560, 10240};

/* What a run was like. */
typedef struct cost {
  double statics, run; /* [s] */
  long steps, iterations, cuts;
  double bytes;         /* of the machine */
  double load[SAMPLES]; /* place of the right load at equal times */
} cost;

/* Processor time, which others on the machine disturb least. */
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

/* scenarios/westin/pulley.yaml for n elements and any law. */
static void pulley_text(char *text, int n, const char *law) {
  snprintf(text, TEXT_SIZE,
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
           "run: {until: 10 s, solver: alpha, output: 10 ms}\n",
           n, 5e6 * 40 / n, law);
}

/* Steps of length h, shorter ones where they do not converge. 0 if that does not help. */
static int run_machine(machine *m, double h, double until, cost *c) {
  haul r = {.m = m};
  const cable *rope = &m->cable[0];
  double now = h, start = seconds_now();
  int samples = 0;
  while (r.t < until * (1 - 1e-12)) {
    double step = fmin(now, until * (samples + 1) / SAMPLES - r.t);
    if (!cps_haul_step(&r, step)) {
      c->cuts++;
      now = step / 2;
      if (now < 1e-9) return 0;
      continue;
    }
    c->steps++;
    now = fmin(h, 2 * fmax(step, now));
    if (r.t >= until * (samples + 1) / SAMPLES * (1 - 1e-12))
      c->load[samples++] = rope->q[(size_t)rope->n * (size_t)rope->b + 1];
  }
  c->run = seconds_now() - start;
  c->iterations = r.iterations;
  return 1;
}

static int run_once(int n, const char *law, double h, double until, cost *c) {
  char text[TEXT_SIZE];
  machine m;
  cps_error error = {.text = ""};
  cps_problems *problems = NULL;
  memset(c, 0, sizeof *c);
  pulley_text(text, n, law);
  cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "pulley", NULL, 0, &problems);
  cps_problems_free(problems);
  if (!scenario) return 0;
  double before = bytes_now();
  int good = cps_machine_make(&m, scenario, &error) == CPS_OK;
  if (good) {
    c->bytes = bytes_now() - before;
    double start = seconds_now();
    good = cps_machine_statics(&m, 0, &error) == CPS_OK;
    c->statics = seconds_now() - start;
    good = good && run_machine(&m, h, until, c);
    cps_machine_free(&m);
  }
  cps_scenario_free(scenario);
  if (!good) fprintf(stderr, "cables: %s with %d elements: %s\n", law, n, error.text);
  return good;
}

/* The sizes take turns, so that whatever else the machine does hits all of them. */
static int bench_growth(const char *law, cost best[N_SIZES], int most) {
  for (int i = 0; i < N_SIZES; i++) best[i].run = INFINITY;
  for (int k = 0; k < RUNS * N_SIZES; k++) {
    int i = k % N_SIZES;
    cost now;
    if (sizes[i] > most) continue;
    if (!run_once(sizes[i], law, 0.01, 10, &now)) return 0;
    if (now.run < best[i].run) best[i] = now;
  }
  int last = 0;
  for (int i = 0; i < N_SIZES && sizes[i] <= most; i++) {
    const cost *c = &best[i];
    double each = 1e9 * c->run / ((double)c->iterations * sizes[i]);
    double first = 1e9 * best[0].run / ((double)best[0].iterations * sizes[0]);
    printf("cables %-8s %6d elements %6.2f iterations/step %3ld cuts %7.1f ns/element/iteration x%.2f  %8.1f "
           "ms, "
           "statics %6.1f ms, %5.0f bytes/element\n",
           law, sizes[i], (double)c->iterations / (double)c->steps, c->cuts, each, each / first, 1e3 * c->run,
           1e3 * c->statics, c->bytes / sizes[i]);
    last = i;
  }
  printf("cables %-8s total time grows as n^%.2f\n", law,
         log(best[last].run / best[0].run) / log((double)sizes[last] / sizes[0]));
  return 1;
}

/* How far the load is from where short steps take it, against how fast that is. */
static int bench_real_time(const char *law) {
  static const double steps[] = {0.05, 0.02, 0.01, 0.005};
  cost fine, now;
  if (!run_once(40, law, 0.0005, 10, &fine)) return 0;
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    double best = INFINITY, sum = 0;
    for (int i = 0; i < 5 * RUNS; i++) {
      if (!run_once(40, law, steps[k], 10, &now)) return 0;
      best = fmin(best, now.run + now.statics);
    }
    for (int i = 0; i < SAMPLES; i++) sum += pow(now.load[i] - fine.load[i], 2);
    printf("cables %-8s     40 elements, steps of %4.0f ms: %7.0f times faster than real time, %.1e m RMS "
           "from short "
           "steps\n",
           law, 1e3 * steps[k], 10 / best, sqrt(sum / SAMPLES));
  }
  return 1;
}

int main(void) {
  cost quinn[N_SIZES], cdq[N_SIZES];
  if (!bench_growth("quinn", quinn, sizes[N_SIZES - 1]) || !bench_growth("cdq", cdq, 2560))
    return EXIT_FAILURE;
  for (int i = 0; i < N_SIZES && sizes[i] <= 2560; i++)
    printf("cables %6d elements: quinn takes %.2f of the time of cdq\n", sizes[i], quinn[i].run / cdq[i].run);
  return bench_real_time("quinn") && bench_real_time("cdq") ? EXIT_SUCCESS : EXIT_FAILURE;
}
