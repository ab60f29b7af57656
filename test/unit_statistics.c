/* unit_statistics.c - numbers about samples, against closed forms.
 *
 * Base points of Sobol' indices are a Kronecker lattice, whose error falls almost as 1/n; tolerances are a few times what it leaves.
 */
#include "test.h"

#include "capstan.h"

enum { D_MOST = 6 };

#define assert_near(found, expected, close)                                                                  \
  do {                                                                                                       \
    double f_ = (found), e_ = (expected);                                                                    \
    if (!(fabs(f_ - e_) <= (close))) fail_msg("%s is %.17g instead of %.17g", #found, f_, e_);               \
  } while (0)

static const double pi = 3.14159265358979323846;

/* ---------------------------------------------------------------- samples */

static void summary_of_known_numbers(void **state) {
  (void)state;
  const double x[] = {2, NAN, 4, 4, 4, 5, 5, 7, INFINITY, 9};
  cps_sample s;
  cps_sample_summary(x, ROWS(x), &s);
  assert_int_equal(s.n, 8);
  assert_near(s.mean, 5, 1e-15);
  assert_near(s.deviation, sqrt(32.0 / 7), 1e-15);
  assert_near(s.least, 2, 0);
  assert_near(s.most, 9, 0);
  assert_int_equal(s.at_least, 0);
  assert_int_equal(s.at_most, 9);
  cps_sample_summary(x + 1, 1, &s);
  assert_int_equal(s.n, 0);
  assert_true(isnan(s.mean) && isnan(s.deviation));
}

static void deviation_far_from_zero(void **state) {
  (void)state;
  const double x[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  cps_sample s;
  cps_sample_summary(x, ROWS(x), &s);
  assert_near(s.deviation, sqrt(30), 1e-12); /* a sum of squares would give nothing like it */
}

static void quantiles_interpolate(void **state) {
  (void)state;
  const double x[] = {4, NAN, 1, 3, 2}, p[] = {0, 0.25, 0.5, 0.9, 1};
  double q[5];
  assert_int_equal(cps_sample_quantiles(x, ROWS(x), p, 5, q), CPS_OK);
  const double expected[] = {1, 1.75, 2.5, 3.7, 4};
  for (int i = 0; i < 5; i++) assert_near(q[i], expected[i], 1e-14);
  assert_int_equal(cps_sample_quantiles(x + 1, 1, p, 1, q), CPS_OK);
  assert_true(isnan(q[0]));
}

static void correlations(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, NAN}, y[] = {2, 4, 6, 8, 10, 3}, curved[] = {1, 8, 27, 64, 125, 0};
  double rank;
  assert_near(cps_sample_correlation(x, y, 6), 1, 1e-14);
  double down[6];
  for (int i = 0; i < 6; i++) down[i] = -y[i];
  assert_near(cps_sample_correlation(x, down, 6), -1, 1e-14);
  assert_true(cps_sample_correlation(x, curved, 6) < 0.95);
  assert_int_equal(cps_sample_rank_correlation(x, curved, 6, &rank), CPS_OK);
  assert_near(rank, 1, 1e-14);
  /* Ties: ranks of b are 1.5 1.5 3 4, so that r = 4.5 / sqrt(5 * 4.5). */
  const double a[] = {10, 20, 30, 40}, b[] = {7, 7, 8, 9}, same[] = {3, 3, 3, 3};
  assert_int_equal(cps_sample_rank_correlation(a, b, 4, &rank), CPS_OK);
  assert_near(rank, 4.5 / sqrt(5 * 4.5), 1e-14);
  assert_true(isnan(cps_sample_correlation(a, same, 4)));
}

static void convergence_ends_in_the_summary(void **state) {
  (void)state;
  double x[1000], mean[3], error[3], deviation[3];
  const long at[] = {2, 100, 1000};
  rng r = rng_for("convergence", 1);
  for (int i = 0; i < 1000; i++) x[i] = i == 50 ? NAN : rng_uniform(&r);
  cps_sample_convergence(x, 1000, at, 3, mean, error, deviation);
  for (int k = 0; k < 3; k++) {
    cps_sample s;
    cps_sample_summary(x, at[k], &s);
    assert_near(mean[k], s.mean, 1e-15);
    assert_near(deviation[k], s.deviation, 1e-15);
    assert_near(error[k], s.deviation / sqrt((double)s.n), 1e-15);
  }
  assert_true(fabs(mean[2] - 0.5) < 4 * error[2]);
}

/* ---------------------------------------------------------------- Sobol' indices */

typedef double (*function)(const double *x, int d);

static double ishigami(const double *u, int d) {
  (void)d;
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = pi * (2 * u[i] - 1);
  return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static double g_function(const double *x, int d) {
  double y = 1;
  for (int i = 0; i < d; i++) y *= (fabs(4 * x[i] - 2) + i) / (1 + i);
  return y;
}

static double linear(const double *x, int d) {
  double y = 1e6; /* far from zero: indices do not see it */
  for (int i = 0; i < d; i++) y += (i + 1) * x[i];
  return y;
}

/* Values at a Saltelli sample of n base points: a lattice with the irrational numbers of Roberts' sequence, or random points. */
static double *saltelli(function f, int d, long n, rng *r) {
  double *y = (double *)malloc((size_t)n * (size_t)(d + 2) * sizeof *y), ratio = 2;
  for (int k = 0; k < 60; k++) ratio = pow(1 + ratio, 1.0 / (2 * d + 1));
  for (long j = 0; y && j < n; j++) {
    double x[2 * D_MOST], *row = y + j * (d + 2);
    for (int i = 0; i < 2 * d; i++)
      x[i] = r ? rng_uniform(r) : fmod(0.5 + (double)j * pow(ratio, -(i + 1)), 1);
    row[0] = f(x, d);
    row[1] = f(x + d, d);
    for (int i = 0; i < d; i++) {
      double mixed[D_MOST];
      memcpy(mixed, x, (size_t)d * sizeof *mixed);
      mixed[i] = x[d + i];
      row[2 + i] = f(mixed, d);
    }
  }
  return y;
}

static void compare_indices(function f, int d, const double *first, const double *total, double close) {
  enum { N = 131072 };
  double *y = saltelli(f, d, N, NULL);
  cps_interval s[D_MOST], t[D_MOST];
  long used;
  assert_non_null(y);
  assert_int_equal(cps_sobol_indices(y, N, d, 0, 1, s, t, &used), CPS_OK);
  assert_int_equal(used, N);
  for (int i = 0; i < d; i++) {
    if (fabs(s[i].value - first[i]) > close || fabs(t[i].value - total[i]) > close)
      fail_msg("parameter %d: first order %.6f instead of %.6f, total %.6f instead of %.6f", i, s[i].value,
               first[i], t[i].value, total[i]);
    assert_true(isnan(s[i].low) && isnan(t[i].high));
  }
  free(y);
}

static void indices_of_ishigami(void **state) {
  (void)state;
  double a = 7, b = 0.1, p4 = pow(pi, 4), p8 = p4 * p4, v1 = 0.5 * pow(1 + b * p4 / 5, 2), v2 = a * a / 8,
         v13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  compare_indices(ishigami, 3, first, total, 1e-3);
}

static void indices_of_the_g_function(void **state) {
  (void)state;
  enum { D = 4 };
  double part[D], product = 1, first[D], total[D];
  for (int i = 0; i < D; i++) product *= 1 + (part[i] = 1.0 / (3.0 * (1 + i) * (1 + i)));
  for (int i = 0; i < D; i++) {
    first[i] = part[i] / (product - 1);
    total[i] = part[i] * product / (1 + part[i]) / (product - 1);
  }
  compare_indices(g_function, D, first, total, 1e-3);
}

static void indices_of_a_linear_function(void **state) {
  (void)state;
  enum { D = 5 };
  double index[D];
  for (int i = 0; i < D; i++) index[i] = (i + 1) * (i + 1) / 55.0;
  compare_indices(linear, D, index, index, 1e-3);
}

/* Of 200 samples, the intervals of about 95 % hold the true index; of a small sample somewhat fewer. */
static void intervals_hold_the_truth(void **state) {
  (void)state;
  enum { N = 300, D = 3, SAMPLES = 200 };
  int held[2] = {0, 0};
  rng r = rng_for("bootstrap", 1);
  for (int k = 0; k < SAMPLES; k++) {
    double *y = saltelli(linear, D, N, &r);
    cps_interval s[D], t[D];
    long used;
    assert_non_null(y);
    assert_int_equal(cps_sobol_indices(y, N, D, 200, (uint64_t)k, s, t, &used), CPS_OK);
    for (int i = 0; i < D; i++) {
      double truth = (i + 1) * (i + 1) / 14.0;
      held[0] += s[i].low <= truth && truth <= s[i].high;
      held[1] += t[i].low <= truth && truth <= t[i].high;
      assert_true(s[i].low <= s[i].value && s[i].value <= s[i].high);
    }
    free(y);
  }
  for (int i = 0; i < 2; i++) {
    double share = held[i] / (double)(SAMPLES * D);
    if (share < 0.9 || share > 0.98)
      fail_msg("intervals hold the truth in %.1f %% of the samples", 100 * share);
  }
}

static void intervals_are_a_function_of_the_seed(void **state) {
  (void)state;
  double *y = saltelli(ishigami, 3, 500, NULL);
  cps_interval a[3], b[3], c[3], t[3];
  long used;
  assert_non_null(y);
  cps_sobol_indices(y, 500, 3, 100, 7, a, t, &used);
  cps_sobol_indices(y, 500, 3, 100, 7, b, t, &used);
  cps_sobol_indices(y, 500, 3, 100, 8, c, t, &used);
  assert_memory_equal(a, b, sizeof a);
  assert_true(a[0].low != c[0].low);
  free(y);
}

static void failed_points_are_left_out(void **state) {
  (void)state;
  enum { N = 2000, D = 3 };
  double *y = saltelli(ishigami, D, N, NULL), *whole = saltelli(ishigami, D, N - 1, NULL);
  cps_interval s[2][D], t[2][D];
  long used;
  assert_true(y && whole);
  y[(N - 1) * (D + 2) + 4] = NAN; /* one point of the last base point */
  cps_sobol_indices(y, N, D, 0, 1, s[0], t[0], &used);
  assert_int_equal(used, N - 1);
  cps_sobol_indices(whole, N - 1, D, 0, 1, s[1], t[1], &used);
  assert_memory_equal(&s[0][0].value, &s[1][0].value, sizeof(double));
  for (long i = 0; i < N * (D + 2); i++) y[i] = 3;
  cps_sobol_indices(y, N, D, 10, 1, s[0], t[0], &used);
  assert_true(isnan(s[0][0].value) && isnan(t[0][2].value) && isnan(t[0][1].low));
  y[0] = NAN;
  cps_sobol_indices(y, 1, D, 10, 1, s[0], t[0], &used);
  assert_int_equal(used, 0);
  assert_true(isnan(s[0][0].value));
  free(y);
  free(whole);
}

/* ---------------------------------------------------------------- Morris */

static void effects_of_known_functions(void **state) {
  (void)state;
  enum { R = 50, D = 3 };
  double x[R][D + 1][D], y[R][D + 1], effects[R][D];
  const double scale[D] = {2, 10, 1}; /* ranges */
  cps_effects out[D];
  rng r = rng_for("morris", 1);
  /* y = 3 x0 + x1 (x2 - 1/2); steps of half a range, up or down, in any order */
  for (int k = 0; k < R; k++) {
    int at = rng_below(&r, D);
    for (int i = 0; i < D; i++) x[k][0][i] = scale[i] * rng_below(&r, 2) / 2;
    for (int j = 0; j <= D; j++) {
      if (j > 0) {
        int i = (at + j) % D;
        memcpy(x[k][j], x[k][j - 1], sizeof x[k][j]);
        x[k][j][i] += (x[k][j][i] == 0 ? 1 : -1) * scale[i] / 2;
      }
      y[k][j] = 3 * x[k][j][0] + x[k][j][1] * (x[k][j][2] - 0.5);
    }
  }
  assert_int_equal(cps_morris(&x[0][0][0], &y[0][0], R, D, scale, 200, 1, out, &effects[0][0]), CPS_OK);
  assert_int_equal(out[0].n, R);
  assert_near(out[0].mu, 6, 1e-13);
  assert_near(out[0].mu_star.value, 6, 1e-13);
  assert_near(out[0].sigma, 0, 1e-13);
  assert_near(out[0].mu_star.low, 6, 1e-13);
  /* x2 - 1/2 is -1/2 or 0: effects of x1 are -5 or 0; x1 is 0 or 5: those of x2 are 0 or 5 */
  long low = 0, high = 0;
  for (int k = 0; k < R; k++) {
    assert_true(fabs(effects[k][1] + 5) < 1e-12 || fabs(effects[k][1]) < 1e-12);
    assert_true(fabs(effects[k][2] - 5) < 1e-12 || fabs(effects[k][2]) < 1e-12);
    low += effects[k][1] < -1;
    high += effects[k][2] > 1;
  }
  assert_near(out[1].mu, -5.0 * (double)low / R, 1e-12);
  assert_near(out[1].mu_star.value, 5.0 * (double)low / R, 1e-12);
  assert_near(out[2].mu_star.value, 5.0 * (double)high / R, 1e-12);
  assert_true(out[1].mu_star.low < out[1].mu_star.value && out[1].mu_star.value < out[1].mu_star.high);
  /* A point that failed takes the two effects that need it. */
  y[0][1] = NAN;
  assert_int_equal(cps_morris(&x[0][0][0], &y[0][0], R, D, scale, 0, 1, out, NULL), CPS_OK);
  assert_int_equal(out[0].n + out[1].n + out[2].n, R * D - 2);
}

/* ---------------------------------------------------------------- gradients */

static void swings(void **state) {
  (void)state;
  double g[101];
  cps_swing s;
  for (int i = 0; i <= 100; i++) g[i] = i - 20;
  g[0] = NAN; /* -20 is gone */
  assert_int_equal(cps_gradient_swing(g, 101, 0.1, &s), CPS_OK);
  assert_int_equal(s.n, 100);
  assert_near(s.mean, 3.05, 1e-12);
  assert_near(s.mean_size, (190 + 3240) / 1000.0, 1e-12);
  assert_near(s.median, 3.05, 1e-12);
  assert_near(s.low, -1.9 + 0.05 * 9.9, 1e-12);
  assert_near(s.high, -1.9 + 0.95 * 9.9, 1e-12);
}

/* Two base points of one parameter. With the mean 7/3 of all six values: S = ((2/3) 2 + (4/3) 4)/2 over the variance 11/4 of A and B,
 * T = (4 + 16)/4 over it. A sample of thousands would not see a wrong count. */
static void indices_by_hand(void **state) {
  static const double y[] = {1, 3, 3, 5, 1, 1};
  cps_interval s, t;
  long used;
  (void)state;
  assert_int_equal(cps_sobol_indices(y, 2, 1, 0, 1, &s, &t, &used), CPS_OK);
  assert_int_equal(used, 2);
  assert_near(s.value, 40.0 / 33, 1e-12);
  assert_near(t.value, 20.0 / 11, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(summary_of_known_numbers),
      cmocka_unit_test(deviation_far_from_zero),
      cmocka_unit_test(quantiles_interpolate),
      cmocka_unit_test(correlations),
      cmocka_unit_test(convergence_ends_in_the_summary),
      cmocka_unit_test(indices_by_hand),
      cmocka_unit_test(indices_of_ishigami),
      cmocka_unit_test(indices_of_the_g_function),
      cmocka_unit_test(indices_of_a_linear_function),
      cmocka_unit_test(intervals_hold_the_truth),
      cmocka_unit_test(intervals_are_a_function_of_the_seed),
      cmocka_unit_test(failed_points_are_left_out),
      cmocka_unit_test(effects_of_known_functions),
      cmocka_unit_test(swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
