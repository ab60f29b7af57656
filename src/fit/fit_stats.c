/* fit_stats.c - how well the parameters of a fit are known.
 *
 * Covariance (J'J)^-1 of the parameters that are not on a bound, with residuals over their standard deviations; robust losses
 * change it by mean(psi^2)/mean(psi')^2 (Huber, Ann. Statist. 1, 1973, 799-821). Intervals are those of Student's distribution
 * if standard deviations were found from the same residuals. The singular values of J scaled by the sizes of the parameters
 * say what cannot be told apart: a singular value s means that the combination of relative changes that belongs to it
 * is known to 1/s.
 */
#include "fit.h"
#include "least_squares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stats {
  int n_free;
  int *free;     /* [n] */
  double *j, *b; /* [m][n], [m] */
  double *r, *c; /* [n][n], [n] */
  double *s, *v; /* [n], [n][n] */
  double *scale; /* [n] size of each parameter */
} stats;

static double size_of(const cps_fit *fit, int k) {
  double x = fmax(fabs(fit->q[k].value), fabs(fit->start[k]));
  if (x > 0) return x;
  double range = fit->max[k] - fit->min[k];
  return isfinite(range) ? range : 1;
}

/* Which parameters are on a bound and would go beyond. */
static void find_free(cps_fit *fit, stats *s) {
  s->n_free = 0;
  for (int k = 0; k < fit->n; k++) {
    double g = 0, x = fit->q[k].value;
    for (long i = 0; i < fit->m; i++)
      g += cps_fit_weigh(fit->loss, fit->raw[i] / fit->sigma[i]).psi * fit->raw_j[i * fit->n + k] /
           fit->sigma[i];
    fit->at_bound[k] = x <= fit->min[k] && g > 0 ? -1 : x >= fit->max[k] && g < 0 ? 1 : 0;
    if (!fit->at_bound[k]) s->free[s->n_free++] = k;
  }
}

/* Whether the standard deviation of any series is that of its residuals. */
static int guesses(const cps_fit *fit) {
  for (int i = 0; i < fit->n_sets; i++)
    for (int j = 0; j < fit->sets[i].n_series; j++)
      if (!fit->sets[i].series[j].given) return 1;
  return 0;
}

/* What robust losses do to the covariance. */
static double loss_factor(const cps_fit *fit) {
  const double efficiency = 0.95; /* of both losses, with noise of the size that was given */
  if (fit->loss == CPS_LOSS_NONE) return 1;
  if (!guesses(fit)) return 1 / efficiency;
  double psi = 0, psi_r = 0, m = (double)fit->m;
  for (long i = 0; i < fit->m; i++) {
    loss_value l = cps_fit_weigh(fit->loss, fit->raw[i] / fit->sigma[i]);
    psi += l.psi * l.psi;
    psi_r += l.psi_r;
  }
  return psi_r > 0 ? psi / (m - fit->n) * (m * m) / (psi_r * psi_r) : NAN;
}

static void decompose(cps_fit *fit, stats *s) {
  int n = fit->n, f = s->n_free;
  for (int k = 0; k < n; k++) s->scale[k] = size_of(fit, k);
  for (long i = 0; i < fit->m; i++) {
    s->b[i] = 0;
    for (int k = 0; k < f; k++)
      s->j[i * f + k] = fit->raw_j[i * n + s->free[k]] / fit->sigma[i] * s->scale[s->free[k]];
  }
  cps_least_reduce(s->j, s->b, fit->m, f, s->r, s->c);
  cps_least_svd(s->r, f, s->s, s->v);
  for (int k = 0; k < n; k++) fit->singular[k] = k < f ? s->s[k] : 0;
}

static void find_covariance(cps_fit *fit, const stats *s) {
  int n = fit->n, f = s->n_free;
  double factor = loss_factor(fit), least = f > 0 ? 1e-12 * s->s[0] : 0;
  for (int i = 0; i < n * n; i++) fit->covariance[i] = NAN;
  for (int a = 0; a < f; a++) {
    for (int b = 0; b < f; b++) {
      double sum = 0;
      for (int k = 0; k < f; k++)
        sum += s->s[k] > least ? s->v[a * f + k] * s->v[b * f + k] / (s->s[k] * s->s[k])
               : fabs(s->v[a * f + k]) > 1e-6 && fabs(s->v[b * f + k]) > 1e-6 ? NAN
                                                                              : 0;
      fit->covariance[s->free[a] * n + s->free[b]] = factor * sum * s->scale[s->free[a]] *
                                                     s->scale[s->free[b]];
    }
  }
}

/* ------------------------------------------------------------------ doubts */

/* The parameters that make up a combination, largest first. */
static void describe(const cps_fit *fit, const stats *s, int which, char *text, size_t size) {
  int f = s->n_free, n = 0;
  size_t used = 0;
  char *done = calloc((size_t)f, 1);
  text[0] = 0;
  for (; done && n < 4 && n < f; n++) {
    int best = -1;
    for (int k = 0; k < f; k++)
      if (!done[k] && (best < 0 || fabs(s->v[k * f + which]) > fabs(s->v[best * f + which]))) best = k;
    if (n > 0 && fabs(s->v[best * f + which]) < 0.2) break;
    done[best] = 1;
    if (used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", n ? ", " : "", fit->q[s->free[best]].path);
  }
  free(done);
}

static void find_doubts(cps_fit *fit, const stats *s) {
  const double poor = 2; /* a combination that is known to half its size */
  char text[300];
  int f = s->n_free;
  for (int k = 0; k < f; k++) {
    if (s->s[k] >= poor) continue;
    describe(fit, s, k, text, sizeof text);
    if (s->s[k] <= 1e-9 * s->s[0])
      cps_fit_warn(fit, "these data do not depend on %s, or cannot tell their effects apart", text);
    else
      cps_fit_warn(fit,
                   "these data say little about %s: a combination of them is known to %.2g of its size only",
                   text, 1 / s->s[k]);
  }
  for (int a = 0; a < fit->n; a++) {
    for (int b = 0; b < a; b++) {
      double c = cps_fit_correlation(fit, a, b);
      if (fabs(c) > 0.99)
        cps_fit_warn(fit, "%s and %s can hardly be told apart: their correlation is %.4f", fit->q[b].path,
                     fit->q[a].path, c);
    }
    if (fit->at_bound[a])
      cps_fit_warn(fit, "%s is at its %s bound, %g: its uncertainty is not known", fit->q[a].path,
                   fit->at_bound[a] < 0 ? "lower" : "upper", fit->q[a].value);
  }
  if (!fit->converged) cps_fit_warn(fit, "this may be no minimum: %s", fit->reason);
}

static void find_sizes(cps_fit *fit) {
  long at = 0;
  for (int i = 0; i < fit->n_sets; i++) {
    for (int k = 0; k < fit->sets[i].n_series; k++) {
      fit_series *s = &fit->sets[i].series[k];
      double before = 0, after = 0;
      for (long j = 0; j < s->n; j++, at++) {
        before += fit->raw_from[at] * fit->raw_from[at];
        after += fit->raw[at] * fit->raw[at];
      }
      s->rms_before = sqrt(before / (double)s->n);
      s->rms_after = sqrt(after / (double)s->n);
    }
  }
}

cps_status cps_fit_judge(cps_fit *fit, cps_error *err) {
  size_t n = (size_t)fit->n, m = (size_t)fit->m;
  stats s = {.free = calloc(n, sizeof(int)),
             .j = calloc(m * n, sizeof(double)),
             .b = calloc(m, sizeof(double)),
             .r = calloc(n * n, sizeof(double)),
             .c = calloc(n, sizeof(double)),
             .s = calloc(n, sizeof(double)),
             .v = calloc(n * n, sizeof(double)),
             .scale = calloc(n, sizeof(double))};
  int good = s.free && s.j && s.b && s.r && s.c && s.s && s.v && s.scale;
  if (good) {
    find_free(fit, &s);
    decompose(fit, &s);
    find_covariance(fit, &s);
    find_sizes(fit);
    find_doubts(fit, &s);
  }
  double *all[] = {s.j, s.b, s.r, s.c, s.s, s.v, s.scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  free(s.free);
  return good ? CPS_OK : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for %ld residuals", fit->m);
}

/* ------------------------------------------------------------------ reading */

double cps_fit_covariance(const cps_fit *fit, int i, int j) {
  return i >= 0 && i < fit->n && j >= 0 && j < fit->n ? fit->covariance[i * fit->n + j] : NAN;
}

double cps_fit_correlation(const cps_fit *fit, int i, int j) {
  return i == j ? 1
                : cps_fit_covariance(fit, i, j) /
                      sqrt(cps_fit_covariance(fit, i, i) * cps_fit_covariance(fit, j, j));
}

cps_status cps_fit_get(const cps_fit *fit, int k, cps_fit_parameter *p) {
  if (k < 0 || k >= fit->n) return CPS_BAD_INPUT;
  double dof = guesses(fit) ? (double)(fit->m - fit->n) : INFINITY;
  double error = sqrt(cps_fit_covariance(fit, k, k)), x = fit->q[k].value;
  double reach = cps_student_quantile(0.95, dof) * error;
  *p = (cps_fit_parameter){.quantity = fit->q[k],
                           .start = fit->start[k],
                           .min = fit->min[k],
                           .max = fit->max[k],
                           .error = error,
                           .low = fmax(x - reach, fit->min[k]),
                           .high = fmin(x + reach, fit->max[k]),
                           .at_bound = fit->at_bound[k]};
  if (isnan(error)) p->low = p->high = NAN;
  return CPS_OK;
}
