/* statistics.c - numbers about samples: see capstan.h.
 *
 * Sobol' indices. With f(A) at a base point, f(B) at an independent one and f(AB_i) where only parameter i is that of B,
 *   V = variance of f over A and B,
 *   first order   S_i = mean( f(B) (f(AB_i) - f(A)) ) / V      Saltelli et al. 2010, Comput. Phys. Commun. 181, 259, table 2 (b)
 *   total         T_i = mean( (f(A) - f(AB_i))^2 ) / (2 V)     Jansen 1999, Comput. Phys. Commun. 117, 35; there table 2 (f)
 * Outputs are taken from their mean over all rows first: the expectation of S_i does not change, its scatter becomes smaller.
 *
 * Bootstrap. A resample draws as many base points as there are, with replacement; the cps_interval is between the quantiles 2.5 % and
 * 97.5 % of the resampled indices (Archer, Saltelli and Sobol' 1997). What position j of resample k draws is a
 * function of (seed, k, j).
 */
#include "capstan.h"
#include "counter_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- samples */

void cps_sample_summary(const double *x, long n, cps_sample *s) {
  *s = (cps_sample){.mean = NAN, .deviation = NAN, .least = NAN, .most = NAN, .at_least = -1, .at_most = -1};
  double mean = 0, squares = 0;
  for (long i = 0; i < n; i++) {
    if (!isfinite(x[i])) continue;
    double change = x[i] - mean;
    mean += change / (double)++s->n;
    squares += change * (x[i] - mean);
    if (s->at_least < 0 || x[i] < s->least) s->least = x[i], s->at_least = i;
    if (s->at_most < 0 || x[i] > s->most) s->most = x[i], s->at_most = i;
  }
  if (s->n > 0) s->mean = mean;
  if (s->n > 1) s->deviation = sqrt(squares / (double)(s->n - 1));
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The quantile of n > 0 sorted values. */
static double quantile_of(const double *sorted, long n, double p) {
  double at = p * (double)(n - 1);
  long i = (long)floor(at);
  if (i >= n - 1) return sorted[n - 1];
  return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* A copy of the finite values, sorted, with their number; NULL without memory. */
static double *sorted_copy(const double *x, long n, long *count) {
  double *copy = (double *)malloc((size_t)(n > 0 ? n : 1) * sizeof *copy);
  *count = 0;
  if (!copy) return NULL;
  for (long i = 0; i < n; i++)
    if (isfinite(x[i])) copy[(*count)++] = x[i];
  qsort(copy, (size_t)*count, sizeof *copy, by_value);
  return copy;
}

cps_status cps_sample_quantiles(const double *x, long n, const double *p, int m, double *q) {
  long count;
  double *sorted = sorted_copy(x, n, &count);
  if (!sorted) return CPS_NO_MEMORY;
  for (int k = 0; k < m; k++) q[k] = count > 0 ? quantile_of(sorted, count, p[k]) : NAN;
  free(sorted);
  return CPS_OK;
}

double cps_sample_correlation(const double *x, const double *y, long n) {
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  long count = 0;
  for (long i = 0; i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    double dx = x[i] - mx, dy = y[i] - my;
    count++;
    mx += dx / (double)count;
    my += dy / (double)count;
    xx += dx * (x[i] - mx);
    yy += dy * (y[i] - my);
    xy += dx * (y[i] - my);
  }
  double size = sqrt(xx) * sqrt(yy);
  return count > 1 && size > 0 ? fmax(-1, fmin(1, xy / size)) : NAN;
}

typedef struct ranked {
  double value;
  long at;
} ranked;

static int by_rank(const void *a, const void *b) {
  return by_value(&((const ranked *)a)->value, &((const ranked *)b)->value);
}

/* Ranks of n values in place; those that are equal share the mean of their ranks. */
static void rank_values(double *x, ranked *order, long n) {
  for (long i = 0; i < n; i++) order[i] = (ranked){x[i], i};
  qsort(order, (size_t)n, sizeof *order, by_rank);
  for (long i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && order[end].value == order[i].value;) end++;
    for (long k = i; k < end; k++) x[order[k].at] = 0.5 * (double)(i + end - 1);
  }
}

cps_status cps_sample_rank_correlation(const double *x, const double *y, long n, double *correlation) {
  size_t room = (size_t)(n > 0 ? n : 1);
  double *rx = (double *)malloc(room * sizeof *rx), *ry = (double *)malloc(room * sizeof *ry);
  ranked *order = (ranked *)malloc(room * sizeof *order);
  int good = rx && ry && order;
  long count = 0;
  for (long i = 0; good && i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    rx[count] = x[i];
    ry[count++] = y[i];
  }
  if (good) {
    rank_values(rx, order, count);
    rank_values(ry, order, count);
    *correlation = cps_sample_correlation(rx, ry, count);
  }
  free(rx);
  free(ry);
  free(order);
  return good ? CPS_OK : CPS_NO_MEMORY;
}

void cps_sample_convergence(const double *x, long n, const long *at, int m, double *mean, double *error,
                            double *deviation) {
  double now = 0, squares = 0;
  long count = 0, i = 0;
  for (int k = 0; k < m; k++) {
    for (; i < at[k] && i < n; i++) {
      if (!isfinite(x[i])) continue;
      double change = x[i] - now;
      now += change / (double)++count;
      squares += change * (x[i] - now);
    }
    mean[k] = count > 0 ? now : NAN;
    deviation[k] = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    error[k] = count > 1 ? deviation[k] / sqrt((double)count) : NAN;
  }
}

/* ---------------------------------------------------------------- bootstrap */

/* What position j of resample k draws of n things. */
static long draw(uint64_t seed, int k, long j, long n) {
  return (long)(cps_random_unit(seed, (uint64_t)j, (uint32_t)k, RANDOM_RESAMPLE) * (double)n);
}

/* Sorts the resampled values and sets the interval. */
static void set_interval(cps_interval *to, double *resampled, int n) {
  int count = 0;
  for (int k = 0; k < n; k++)
    if (isfinite(resampled[k])) resampled[count++] = resampled[k];
  to->low = to->high = NAN;
  if (count == 0) return;
  qsort(resampled, (size_t)count, sizeof *resampled, by_value);
  to->low = quantile_of(resampled, count, 0.025);
  to->high = quantile_of(resampled, count, 0.975);
}

/* ---------------------------------------------------------------- Sobol' indices */

/* Sums over the base points that resample k draws; 0: each once. value[2 d]: S_i, then T_i. */
static void indices_of(const double *const *rows, long n, int d, uint64_t seed, int resample, double *value) {
  double mean = 0, squares = 0;
  for (int i = 0; i < 2 * d; i++) value[i] = 0;
  for (long j = 0; j < n; j++) {
    const double *y = rows[resample > 0 ? draw(seed, resample, j, n) : j];
    double a = y[0], b = y[1];
    mean += a + b;
    squares += a * a + b * b;
    for (int i = 0; i < d; i++) {
      double change = y[2 + i] - a;
      value[i] += b * change;
      value[d + i] += change * change;
    }
  }
  mean /= 2 * (double)n;
  double variance = squares / (2 * (double)n) - mean * mean;
  /* Rows are taken from their mean and divided by their deviation, so that round-off is about 1e-16. */
  int constant = !(variance > 1e-13);
  for (int i = 0; i < d; i++) {
    value[i] = constant ? NAN : value[i] / (double)n / variance;
    value[d + i] = constant ? NAN : value[d + i] / (2 * (double)n) / variance;
  }
}

/* Whether all of a base point's values are finite. */
static int is_complete(const double *y, int d) {
  for (int i = 0; i < d + 2; i++)
    if (!isfinite(y[i])) return 0;
  return 1;
}

cps_status cps_sobol_indices(const double *y, long n, int d, int resamples, uint64_t seed,
                             cps_interval *first, cps_interval *total, long *used) {
  size_t width = (size_t)d + 2;
  double *scaled = (double *)calloc((size_t)n * width + 1, sizeof *scaled);
  const double **rows = (const double **)malloc(((size_t)n + 1) * sizeof *rows);
  double *value = (double *)malloc(2 * (size_t)d * ((size_t)resamples + 1) * sizeof *value);
  double *one = (double *)malloc(((size_t)resamples + 1) * sizeof *one);
  int good = scaled && rows && value && one;
  long count = 0;
  for (long j = 0; good && j < n; j++) {
    if (!is_complete(y + (size_t)j * width, d)) continue;
    memcpy(scaled + (size_t)count * width, y + (size_t)j * width, width * sizeof *scaled);
    rows[count] = scaled + (size_t)count * width;
    count++;
  }
  *used = count;
  if (good) {
    cps_sample s;
    cps_sample_summary(scaled, count * (long)width, &s);
    for (size_t i = 0; i < (size_t)count * width; i++) scaled[i] = (scaled[i] - s.mean) / s.deviation;
    if (!(s.deviation > 0)) count = 0;
    for (int k = 0; k <= resamples; k++) {
      if (count > 0)
        indices_of(rows, count, d, seed, k, value + 2 * (size_t)d * (size_t)k);
      else
        for (int i = 0; i < 2 * d; i++) value[2 * d * k + i] = NAN;
    }
    for (int i = 0; i < 2 * d; i++) {
      cps_interval *to = i < d ? &first[i] : &total[i - d];
      for (int k = 0; k < resamples; k++) one[k] = value[2 * (size_t)d * (size_t)(k + 1) + (size_t)i];
      to->value = value[i];
      set_interval(to, one, resamples);
    }
  }
  free(scaled);
  free((void *)rows);
  free(value);
  free(one);
  return good ? CPS_OK : CPS_NO_MEMORY;
}

/* ---------------------------------------------------------------- Morris */

/* The parameter in which two neighbours of a trajectory differ, or -1 if it is not exactly one. */
static int moved_parameter(const double *from, const double *to, int d) {
  int moved = -1;
  for (int i = 0; i < d; i++) {
    if (from[i] == to[i]) continue;
    if (moved >= 0) return -1;
    moved = i;
  }
  return moved;
}

static void fill_effects(const double *x, const double *y, long r, int d, const double *scale,
                         double *effects) {
  for (long k = 0; k < r * d; k++) effects[k] = NAN;
  for (long k = 0; k < r; k++)
    for (int j = 0; j < d; j++) {
      const double *from = x + ((size_t)k * (size_t)(d + 1) + (size_t)j) * (size_t)d, *to = from + d;
      const double *value = y + k * (d + 1) + j;
      int i = moved_parameter(from, to, d);
      if (i >= 0) effects[k * d + i] = (value[1] - value[0]) / (to[i] - from[i]) * scale[i];
    }
}

cps_status cps_morris(const double *x, const double *y, long r, int d, const double *scale, int resamples,
                      uint64_t seed, cps_effects *out, double *effects) {
  double *all = effects ? effects : (double *)malloc(((size_t)r * (size_t)d + 1) * sizeof *all);
  double *own = (double *)malloc(((size_t)r + 1) * sizeof *own);
  double *resampled = (double *)malloc(((size_t)resamples + 1) * sizeof *resampled);
  int good = all && own && resampled;
  if (good) fill_effects(x, y, r, d, scale, all);
  for (int i = 0; good && i < d; i++) {
    cps_sample s;
    long count = 0;
    double sum = 0;
    for (long k = 0; k < r; k++)
      if (isfinite(all[k * d + i])) own[count++] = all[k * d + i];
    cps_sample_summary(own, count, &s);
    for (long k = 0; k < count; k++) sum += fabs(own[k]);
    out[i] = (cps_effects){s.mean, s.deviation, {count > 0 ? sum / (double)count : NAN, NAN, NAN}, count};
    for (int k = 0; k < resamples; k++) {
      resampled[k] = 0;
      for (long j = 0; j < count; j++) resampled[k] += fabs(own[draw(seed, k + 1, j, count)]) / (double)count;
    }
    if (count > 0) set_interval(&out[i].mu_star, resampled, resamples);
  }
  if (!effects) free(all);
  free(own);
  free(resampled);
  return good ? CPS_OK : CPS_NO_MEMORY;
}

/* ---------------------------------------------------------------- gradients */

cps_status cps_gradient_swing(const double *g, long n, double range, cps_swing *out) {
  long count;
  double *sorted = sorted_copy(g, n, &count), sum = 0, size = 0;
  if (!sorted) return CPS_NO_MEMORY;
  for (long i = 0; i < count; i++) {
    sorted[i] *= range; /* range > 0 keeps the order */
    sum += sorted[i];
    size += fabs(sorted[i]);
  }
  *out = (cps_swing){NAN, NAN, NAN, NAN, NAN, count};
  if (count > 0)
    *out = (cps_swing){sum / (double)count,
                       size / (double)count,
                       quantile_of(sorted, count, 0.05),
                       quantile_of(sorted, count, 0.5),
                       quantile_of(sorted, count, 0.95),
                       count};
  free(sorted);
  return CPS_OK;
}
