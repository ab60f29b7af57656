/* laws.c - what a friction law costs: nanoseconds per evaluation, and as a ratio to tanh of the same run.
 *
 *   laws [--json]
 *
 * Each law is evaluated at points that are drawn before the clock starts, among them sticking and sliding
 * ones, so that nothing can be hoisted and branches are as hard to predict as in use. Laws and tanh take
 * turns in rounds; what is printed is the median over the rounds, and the median over the laws in the end.
 */
#include "capstan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINTS = 512, REPEATS = 24, ROUNDS = 15 };

typedef struct point {
  cps_law_input in;
  double z[CPS_MAX_STATES];
} point;

/* Everything that is timed for one law. */
typedef struct row {
  const cps_law *law;
  double p[CPS_MAX_PARAMS];
  point *points;
  double value[ROUNDS], derivatives[ROUNDS]; /* [ns] */
} row;

/* What is computed goes here, so that it has to be. */
static volatile double sink;

static uint64_t random_state = 0x5eed;

static double uniform(void) {
  uint64_t x = random_state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Points around the law's own scales: a fifth at rest, the others over four decades of velocity. */
static void draw_points(row *r) {
  for (int i = 0; i < POINTS; i++) {
    point *x = &r->points[i];
    cps_law_scale s;
    x->in.n = between(1, 100);
    cps_law_scales(r->law, r->p, x->in.n, &s);
    double speed = s.v_scale * pow(10, between(-2, 2));
    x->in.v = i % 5 == 0 ? 0 : uniform() < 0.5 ? -speed : speed;
    x->in.f_eq = s.f_stick * between(-1.5, 1.5);
    for (int k = 0; k < r->law->n_states; k++)
      x->z[k] = s.z[k] * between(r->law->states[k].parity < 0 ? -1 : 0, 1);
    x->in.z = r->law->n_states ? x->z : NULL;
    x->in.mode = CPS_MODE_FREE;
  }
}

static double time_law(const row *r, int with_derivatives) {
  cps_law_output out;
  cps_law_jacobian jac;
  double sum = 0, start = now();
  for (int k = 0; k < REPEATS; k++)
    for (int i = 0; i < POINTS; i++) {
      cps_law_eval(r->law, r->p, &r->points[i].in, &out, with_derivatives ? &jac : NULL);
      sum += with_derivatives ? out.f + jac.f.v : out.f;
    }
  double elapsed = now() - start;
  sink = sum;
  return elapsed / ((double)REPEATS * POINTS);
}

static double time_tanh(const double *x) {
  double sum = 0, start = now();
  for (int k = 0; k < REPEATS; k++)
    for (int i = 0; i < POINTS; i++) sum += tanh(x[i]);
  double elapsed = now() - start;
  sink = sum;
  return elapsed / ((double)REPEATS * POINTS);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median; sorts the values. */
static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_size);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Times everything in turns. */
static void run(row *rows, int n, double *unit) {
  static double arguments[POINTS];
  for (int i = 0; i < POINTS; i++) arguments[i] = (uniform() < 0.5 ? -1 : 1) * pow(10, between(-2, 2));
  for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
    int k = round < 0 ? 0 : round;
    unit[k] = time_tanh(arguments);
    for (int i = 0; i < n; i++) {
      rows[i].value[k] = time_law(&rows[i], 0);
      rows[i].derivatives[k] = time_law(&rows[i], 1);
    }
  }
}

/* Prints the table; medians sorts, so each is taken once. */
static void report(row *rows, int n, double *unit, double *ratios, double *slopes, int json) {
  double tanh_ns = median(unit, ROUNDS);
  if (json)
    printf("{\n  \"tanh_ns\": %.3f,\n  \"laws\": [\n", tanh_ns);
  else
    printf("%-30s %10s %8s %14s %8s\n", "law", "value/ns", "/tanh", "derivatives/ns", "/tanh");
  for (int i = 0; i < n; i++) {
    double value = median(rows[i].value, ROUNDS), slope = median(rows[i].derivatives, ROUNDS);
    ratios[i] = value / tanh_ns;
    slopes[i] = slope / tanh_ns;
    if (json)
      printf("    {\"law\": \"%s\", \"value_ns\": %.3f, \"value_ratio\": %.3f, \"derivatives_ns\": %.3f, "
             "\"derivatives_ratio\": %.3f}%s\n",
             rows[i].law->name, value, ratios[i], slope, slopes[i], i + 1 < n ? "," : "");
    else
      printf("%-30s %10.1f %8.2f %14.1f %8.2f\n", rows[i].law->name, value, ratios[i], slope, slopes[i]);
  }
  double ratio = median(ratios, n), slope = median(slopes, n);
  if (json) {
    printf("  ],\n  \"median_value_ratio\": %.3f,\n  \"median_derivatives_ratio\": %.3f\n}\n", ratio, slope);
  } else {
    printf("\ntanh                           %10.1f ns\n", tanh_ns);
    printf("median of %d laws, value        %8.2f tanh\n", n, ratio);
    printf("median of %d laws, derivatives  %8.2f tanh\n", n, slope);
  }
}

int main(int argc, char **argv) {
  int json = argc == 2 && strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    fprintf(stderr, "usage: laws [--json]\n");
    return 2;
  }
  int n = cps_law_count();
  row *rows = (row *)calloc((size_t)n, sizeof *rows);
  double *ratios = (double *)calloc(2 * (size_t)n, sizeof *ratios), unit[ROUNDS];
  int good = rows && ratios;
  for (int i = 0; good && i < n; i++) {
    rows[i].law = cps_law_at(i);
    rows[i].points = (point *)calloc(POINTS, sizeof *rows[i].points);
    good = rows[i].points != NULL;
    if (!good) break;
    cps_law_defaults(rows[i].law, rows[i].p);
    draw_points(&rows[i]);
  }
  if (good) {
    run(rows, n, unit);
    report(rows, n, unit, ratios, ratios + n, json);
  } else {
    fprintf(stderr, "out of memory\n");
  }
  for (int i = 0; rows && i < n; i++) free(rows[i].points);
  free(rows);
  free(ratios);
  return good ? 0 : 1;
}
