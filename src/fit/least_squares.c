/* least_squares.c - see least_squares.h.
 *
 * Householder's reduction and one-sided Jacobi rotations (Hestenes 1958; Golub and Van Loan, Matrix computations, 5.2 and
 * 8.6.3): slow for large matrices and exact to the last digits for small ones, also of those that are badly scaled.
 */
#include "least_squares.h"

#include <float.h>
#include <math.h>
#include <string.h>

double cps_least_reduce(double *a, double *b, long m, int n, double *r, double *c) {
  for (int k = 0; k < n && k < m; k++) {
    double norm = 0;
    for (long i = k; i < m; i++) norm = hypot(norm, a[i * n + k]);
    if (norm == 0) continue;
    double diagonal = a[(long)k * n + k], alpha = diagonal > 0 ? -norm : norm;
    double head = diagonal - alpha, scale = -alpha * head; /* half the square of the reflecting vector */
    a[(long)k * n + k] = head;
    for (int j = k + 1; j <= n; j++) { /* the last column is b */
      double dot = 0;
      for (long i = k; i < m; i++) dot += a[i * n + k] * (j < n ? a[i * n + j] : b[i]);
      dot /= scale;
      for (long i = k; i < m; i++) *(j < n ? &a[i * n + j] : &b[i]) -= dot * a[i * n + k];
    }
    a[(long)k * n + k] = alpha;
    for (long i = k + 1; i < m; i++) a[i * n + k] = 0;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) r[i * n + j] = i < m && j >= i ? a[(long)i * n + j] : 0;
    c[i] = i < m ? b[i] : 0;
  }
  double rest = 0;
  for (long i = n; i < m; i++) rest += b[i] * b[i];
  return rest;
}

/* Turns columns p and q of a and v so that those of a are orthogonal; 0 if they were. */
static int rotate(double *a, double *v, int n, int p, int q) {
  double pp = 0, qq = 0, pq = 0;
  for (int i = 0; i < n; i++) {
    double x = a[i * n + p], y = a[i * n + q];
    pp += x * x;
    qq += y * y;
    pq += x * y;
  }
  if (fabs(pq) <= 4 * DBL_EPSILON * sqrt(pp * qq) || pq == 0) return 0;
  double zeta = (qq - pp) / (2 * pq), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta));
  double cosine = 1 / hypot(1, t), sine = cosine * t;
  double *both[2] = {a, v};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n; i++) {
      double *x = &both[k][i * n + p], *y = &both[k][i * n + q], old = *x;
      *x = cosine * old - sine * *y;
      *y = sine * old + cosine * *y;
    }
  }
  return 1;
}

void cps_least_svd(double *a, int n, double *s, double *v) {
  enum { SWEEPS = 60 };
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) v[i * n + j] = i == j;
  for (int sweep = 0, turned = 1; turned && sweep < SWEEPS; sweep++) {
    turned = 0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) turned |= rotate(a, v, n, p, q);
  }
  for (int j = 0; j < n; j++) {
    s[j] = 0;
    for (int i = 0; i < n; i++) s[j] = hypot(s[j], a[i * n + j]);
    for (int i = 0; i < n; i++) a[i * n + j] = s[j] > 0 ? a[i * n + j] / s[j] : 0;
  }
  /* largest first */
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int k = j + 1; k < n; k++)
      if (s[k] > s[best]) best = k;
    if (best == j) continue;
    double value = s[j];
    s[j] = s[best];
    s[best] = value;
    for (int i = 0; i < n; i++) {
      double x = a[i * n + j], y = v[i * n + j];
      a[i * n + j] = a[i * n + best];
      v[i * n + j] = v[i * n + best];
      a[i * n + best] = x;
      v[i * n + best] = y;
    }
  }
}

void cps_least_damped(const double *u, const double *s, const double *v, const double *b, int n,
                      double lambda, double *x, double *work) {
  for (int j = 0; j < n; j++) {
    double dot = 0, size = s[j] * s[j] + lambda;
    for (int i = 0; i < n; i++) dot += u[i * n + j] * b[i];
    work[j] = size > 0 ? dot * s[j] / size : 0;
  }
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++) x[i] += v[i * n + j] * work[j];
  }
}

/* ------------------------------------------------------------------ Student's distribution */

/* The continued fraction of the incomplete beta function, by Lentz's method (Press et al., Numerical Recipes, 6.4). */
static double fraction(double a, double b, double x) {
  enum { TERMS = 300 };
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m < TERMS; m++) {
    for (int half = 0; half < 2; half++) {
      double term = half ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                         : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + term * d;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (fabs(c) < tiny) c = tiny;
      value *= c * d;
    }
    if (fabs(c * d - 1) < 1e-15) break;
  }
  return value;
}

/* The logarithm of the gamma function for x > 0, by Stirling's series; that of C is not safe with threads. */
static double log_gamma(double x) {
  const double half_log_2_pi = 0.91893853320467274178;
  double shift = 0;
  while (x < 15) {
    shift -= log(x);
    x += 1;
  }
  double q = 1 / (x * x);
  double series = (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q / 1188)))) / x;
  return shift + (x - 0.5) * log(x) - x + half_log_2_pi + series;
}

static double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x > 0;
  double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a : 1 - front * fraction(b, a, 1 - x) / b;
}

double cps_student_quantile(double p, double n) {
  const double normal = 1e7; /* degrees of freedom from which on it is the normal distribution */
  double low = 0, high = 1e6;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    double t = (low + high) / 2;
    double inside = n > normal ? erf(t / sqrt(2)) : 1 - incomplete_beta(n / 2, 0.5, n / (n + t * t));
    *(inside < p ? &low : &high) = t;
  }
  return (low + high) / 2;
}
