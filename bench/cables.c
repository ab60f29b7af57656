/* cables.c - what a cable on a drum costs: Westin and Irani's motorised pulley with 40 to 10240 elements.
 *
 * Nanoseconds per element and Newton iteration, iterations per step and step cuts should not depend on the number of
 * elements. With the elements the stiffness of a contact gets smaller, so that what the drum is made of stays the same.
 * Times are the best of several runs, as others may be using the machine; ratios and counters say more than seconds do.
 */
#include "pulley.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

enum { RUNS = 3, N_SIZES = 5, SAMPLES = 100 };

static const int sizes[N_SIZES] = {40, 160, 640, 2560, 10240};

/* What a run was like. */
typedef struct cost {
  double statics, run; /* [s] */
  double newton;       /* of one iteration by itself [s] */
  long steps, iterations, cuts;
  double bytes;         /* of the machine */
  double load[SAMPLES]; /* place of the right load at equal times */
} cost;

static double bytes_now(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 now = mallinfo2();
  return (double)now.uordblks + (double)now.hblkhd;
#else
  return NAN;
#endif
}

enum { LOOKS = 20, REPEATS = 5 };

/* Time of an iteration by itself: some more of them, now and then, at the end of a step. They change nothing. */
static double time_iterations(alpha_stepper *r) {
  double start = seconds_now();
  for (int k = 0; k < REPEATS; k++) {
    residual_norms left;
    cps_machine_iterate(r->m, &r->coeffs, INFINITY, &left);
    for (int i = 0; i < r->m->n_cables; i++) cps_contact_wrong(r->m, &r->m->cable[i], &r->coeffs, 0);
  }
  return seconds_now() - start;
}

/* Steps of length h, shorter ones where they do not converge. 0 if that does not help. */
static int run_machine(machine *m, double h, double until, cost *c) {
  alpha_stepper r = {.m = m};
  double now = h, start = seconds_now(), aside = 0;
  int samples = 0, looks = 0;
  while (r.t < until * (1 - 1e-12)) {
    double step = fmin(now, until * (samples + 1) / SAMPLES - r.t);
    if (!cps_alpha_step(&r, step, r.t + step)) {
      c->cuts++;
      now = step / 2;
      if (now < 1e-9) return 0;
      continue;
    }
    c->steps++;
    now = fmin(h, 2 * fmax(step, now));
    if (r.t >= until * (samples + 1) / SAMPLES * (1 - 1e-12)) c->load[samples++] = pulley_load(m);
    if (r.t >= until * (looks + 1) / LOOKS * (1 - 1e-12)) {
      aside += time_iterations(&r);
      looks++;
    }
  }
  c->run = seconds_now() - start - aside;
  c->newton = aside / (LOOKS * REPEATS);
  c->iterations = r.iterations;
  return 1;
}

static int run_once(int n, const char *law, double h, double until, cost *c) {
  machine m;
  cps_error error = {.text = ""};
  memset(c, 0, sizeof *c);
  cps_scenario *scenario = pulley_scenario(n, law);
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

/* Nanoseconds per element and iteration: of the iteration alone, and with all that a step needs besides. */
static double each(const cost *c, int n) { return 1e9 * c->newton / n; }
static double in_all(const cost *c, int n) { return 1e9 * c->run / ((double)c->iterations * n); }

/* The first n sizes take turns, so that whatever else the machine does hits all of them; the largest has one of CDQ, which takes a
 * quarter of a minute. */
static int bench_growth(const char *law, int n, cost best[N_SIZES]) {
  for (int i = 0; i < n; i++) best[i].run = INFINITY;
  for (int k = 0; k < RUNS * n; k++) {
    int i = k % n;
    cost now;
    if (k >= n && i == N_SIZES - 1 && strcmp(law, "cdq") == 0) continue;
    if (!run_once(sizes[i], law, 0.01, 10, &now)) return 0;
    double newton = k < n ? now.newton : fmin(now.newton, best[i].newton);
    if (now.run < best[i].run) best[i] = now;
    best[i].newton = newton;
    if (i == n - 1) fprintf(stderr, "cables: %s, round %d of %d\n", law, k / n + 1, RUNS);
  }
  printf("\nmotorised pulley with %s, 10 s in steps of 10 ms\n", law);
  printf("                                  ns per element and iteration\n"
         "  elements  iterations/step  cuts  alone  against 40  with the step   run [ms]  statics [ms]  "
         "bytes/element\n");
  for (int i = 0; i < n; i++) {
    const cost *c = &best[i];
    printf("  %8d %16.2f %5ld %6.1f %11.2f %14.1f %10.1f %13.1f %14.0f\n", sizes[i],
           (double)c->iterations / (double)c->steps, c->cuts, each(c, sizes[i]),
           each(c, sizes[i]) / each(&best[0], sizes[0]), in_all(c, sizes[i]), 1e3 * c->run, 1e3 * c->statics,
           c->bytes / sizes[i]);
  }
  return 1;
}

/* What growth shall be like. */
static void judge_growth(const char *law, int n, const cost *c) {
  double least = INFINITY, most = 0, iterations = 0, cuts = 0;
  char text[200];
  for (int i = 0; i < n; i++) {
    least = fmin(least, each(&c[i], sizes[i]));
    most = fmax(most, each(&c[i], sizes[i]));
    iterations = fmax(iterations, (double)c[i].iterations / (double)c[i].steps);
    cuts = fmax(cuts, (double)c[i].cuts / (double)c[i].steps);
  }
  double power = log(c[n - 1].run / c[0].run) / log((double)sizes[n - 1] / sizes[0]);
  double memory = c[n - 1].bytes / sizes[n - 1] / (c[1].bytes / sizes[1]);
  snprintf(text, sizeof text, "%s: time per element and iteration at most %%.0f ns, wanted %%.0f", law);
  goal(most <= 120, text, most, 120);
  snprintf(text, sizeof text, "%s: the same within %%.0f %%%% from 40 to %d elements, wanted %%.0f", law,
           sizes[n - 1]);
  goal(most <= 1.2 * least, text, 100 * (most / least - 1), 20);
  snprintf(text, sizeof text, "%s: %%.1f iterations per step at most, wanted %%.0f", law);
  goal(iterations <= 6, text, iterations, 6);
  snprintf(text, sizeof text, "%s: %%.1f %%%% of the steps are cut at most, wanted %%.0f", law);
  goal(cuts <= 0.02, text, 100 * cuts, 2);
  snprintf(text, sizeof text, "%s: total time grows as n^%%.2f, wanted %%.2f", law);
  goal(power <= 1.15, text, power, 1.15);
  snprintf(text, sizeof text,
           "%s: memory per element with %d is %%.2f of that with 160, wanted at most %%.2f", law,
           sizes[n - 1]);
  goal(memory <= 1.05, text, memory, 1.05);
}

/* How far the load is from where short steps take it, against how fast that is. The best with at most 1e-6 m. */
static int bench_real_time(const char *law, double *best_pace) {
  static const double steps[] = {0.05, 0.02, 0.01, 0.005};
  cost fine, now;
  *best_pace = 0;
  if (!run_once(40, law, 0.0005, 10, &fine)) return 0;
  printf("\n40 elements with %s, statics included\n", law);
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    double best = INFINITY, sum = 0;
    for (int i = 0; i < 5 * RUNS; i++) {
      if (!run_once(40, law, steps[k], 10, &now)) return 0;
      best = fmin(best, now.run + now.statics);
    }
    for (int i = 0; i < SAMPLES; i++) sum += pow(now.load[i] - fine.load[i], 2);
    printf("  steps of %2.0f ms: %5.0f times faster than real time, load %.1e m RMS from short steps\n",
           1e3 * steps[k], 10 / best, sqrt(sum / SAMPLES));
    if (sqrt(sum / SAMPLES) <= 1e-6) *best_pace = fmax(*best_pace, 10 / best);
  }
  return 1;
}

int main(void) {
  static cost quinn[N_SIZES], cdq[N_SIZES];
  double convergence[2], most = 0;
  setvbuf(stdout, NULL, _IOLBF, 0); /* what is known is said at once */
  if (!bench_growth("quinn", N_SIZES, quinn) || !bench_growth("cdq", N_SIZES, cdq)) return EXIT_FAILURE;
  if (!bench_real_time("quinn", &convergence[0]) || !bench_real_time("cdq", &convergence[1]))
    return EXIT_FAILURE;
  for (int i = 0; i < N_SIZES; i++) most = fmax(most, quinn[i].run / cdq[i].run);
  printf("\n");
  judge_growth("quinn", N_SIZES, quinn);
  judge_growth("cdq", N_SIZES, cdq);
  goal(most <= 1.3, "quinn takes %.2f of the time of cdq, wanted at most %.1f", most, 1.3);
  goal(convergence[0] >= 500, "quinn: %.0f times faster than real time at 1e-6 m RMS, wanted %.0f",
       convergence[0], 500);
  goal(convergence[1] >= 500, "cdq: %.0f times faster than real time at 1e-6 m RMS, wanted %.0f",
       convergence[1], 500);
  return EXIT_SUCCESS;
}
