/* dense.h - small dense systems of equations: the one elimination with row exchanges of the library.
 *
 * P A = L U with the largest entry of each column as its pivot, in place of A. Functions are inlined, so that the compiler
 * knows the size where the caller does.
 */
#ifndef CPS_DENSE_H
#define CPS_DENSE_H

#include <math.h>

#define DENSE static inline __attribute__((always_inline))

/* Factors a[n][n], whose rows are `stride` apart; row j was exchanged with row pivot[j] >= j. `unit` is room for [n] numbers if rows
 * are of different sizes, which are then judged by their own largest entries; NULL: they are of one size. Returns the
 * smallest pivot, in these units; 0 if the matrix is singular or not finite, and no solution is then finite. */
DENSE double dense_factor(double *a, int n, int stride, int *pivot, double *unit) {
  double least = INFINITY;
  for (int j = 0; j < n; j++) pivot[j] = j;
  for (int i = 0; unit && i < n; i++) {
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[i * stride + k]));
    if (!(most > 0)) return 0;
    unit[i] = most;
  }
  for (int j = 0; j < n; j++) {
    int best = j;
    double most = -1;
    for (int i = j; i < n; i++) {
      double size = fabs(a[i * stride + j]);
      if (unit) size /= unit[i];
      if (size > most) {
        most = size;
        best = i;
      }
    }
    if (!(most > 0) || !isfinite(most)) return 0;
    least = most < least ? most : least;
    pivot[j] = best;
    if (best != j) {
      for (int k = 0; k < n; k++) {
        double t = a[j * stride + k];
        a[j * stride + k] = a[best * stride + k];
        a[best * stride + k] = t;
      }
      if (unit) unit[best] = unit[j];
    }
    double inverse = 1 / a[j * stride + j];
    for (int i = j + 1; i < n; i++) {
      double f = a[i * stride + j] *= inverse;
      if (f == 0) continue;
      for (int k = j + 1; k < n; k++) a[i * stride + k] -= f * a[j * stride + k];
    }
  }
  return least;
}

/* x = A^-1 x for x[n][columns] with rows `wide` apart, from the factors of A. */
DENSE void dense_solve(const double *a, int n, int stride, const int *pivot, double *x, int columns,
                       int wide) {
  for (int j = 0; j < n; j++) {
    int other = pivot[j];
    for (int k = 0; k < columns && other != j; k++) {
      double t = x[j * wide + k];
      x[j * wide + k] = x[other * wide + k];
      x[other * wide + k] = t;
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) {
      double f = a[i * stride + j];
      if (f == 0) continue;
      for (int k = 0; k < columns; k++) x[i * wide + k] -= f * x[j * wide + k];
    }
  for (int j = n - 1; j >= 0; j--) {
    double inverse = 1 / a[j * stride + j];
    for (int k = 0; k < columns; k++) x[j * wide + k] *= inverse;
    for (int i = 0; i < j; i++) {
      double f = a[i * stride + j];
      if (f == 0) continue;
      for (int k = 0; k < columns; k++) x[i * wide + k] -= f * x[j * wide + k];
    }
  }
}

#endif
