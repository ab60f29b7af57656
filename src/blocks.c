/* blocks.c - LU of block-tridiagonal matrices, cost linear in the number of blocks.
 *
 * Row by row: the coupling to the row before is eliminated, D_i -= L_i (D_{i-1}^{-1} U_{i-1}); the diagonal
 * block is factored with row pivoting, and D_i^{-1} U_i replaces U_i. (G. H. Golub, C. F. Van Loan, Matrix
 * Computations, 4.5.1.)
 */
#include "blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cps_blocks_make(blocks *m, int n, int b) {
  memset(m, 0, sizeof *m);
  if (b > BLOCK_MAX) return 0;
  size_t entries = (size_t)n * (size_t)b * (size_t)b;
  m->n = n;
  m->b = b;
  m->diagonal = calloc(entries, sizeof(double));
  m->down = calloc(entries, sizeof(double));
  m->up = calloc(entries, sizeof(double));
  m->pivot = calloc((size_t)n * (size_t)b, sizeof(int));
  return m->diagonal && m->down && m->up && m->pivot;
}

void cps_blocks_free(blocks *m) {
  free(m->diagonal);
  free(m->down);
  free(m->up);
  free(m->pivot);
  memset(m, 0, sizeof *m);
}

void cps_blocks_zero(blocks *m) {
  size_t bytes = (size_t)m->n * (size_t)m->b * (size_t)m->b * sizeof(double);
  memset(m->diagonal, 0, bytes);
  memset(m->down, 0, bytes);
  memset(m->up, 0, bytes);
}

/* LU of one block with row pivoting; 0 if singular. */
static inline int block_factor(double *a, int *pivot, int b) {
  for (int j = 0; j < b; j++) {
    int best = j;
    for (int i = j + 1; i < b; i++)
      if (fabs(a[i * b + j]) > fabs(a[best * b + j])) best = i;
    pivot[j] = best;
    if (!(fabs(a[best * b + j]) > 0)) return 0;
    if (best != j) {
      for (int k = 0; k < b; k++) {
        double t = a[j * b + k];
        a[j * b + k] = a[best * b + k];
        a[best * b + k] = t;
      }
    }
    double inverse = 1 / a[j * b + j];
    for (int i = j + 1; i < b; i++) {
      double f = a[i * b + j] *= inverse;
      for (int k = j + 1; k < b; k++) a[i * b + k] -= f * a[j * b + k];
    }
  }
  return 1;
}

/* Solves a factored block for `columns` right-hand sides, x[b][columns]. */
static inline void block_solve(const double *a, const int *pivot, int b, double *x, int columns) {
  for (int j = 0; j < b; j++) {
    if (pivot[j] == j) continue;
    for (int c = 0; c < columns; c++) {
      double t = x[j * columns + c];
      x[j * columns + c] = x[pivot[j] * columns + c];
      x[pivot[j] * columns + c] = t;
    }
  }
  for (int j = 0; j < b; j++)
    for (int i = j + 1; i < b; i++)
      for (int c = 0; c < columns; c++) x[i * columns + c] -= a[i * b + j] * x[j * columns + c];
  for (int j = b - 1; j >= 0; j--) {
    double inverse = 1 / a[j * b + j];
    for (int c = 0; c < columns; c++) x[j * columns + c] *= inverse;
    for (int i = 0; i < j; i++)
      for (int c = 0; c < columns; c++) x[i * columns + c] -= a[i * b + j] * x[j * columns + c];
  }
}

static inline int factor(blocks *m, int b) {
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    double *d = m->diagonal + (size_t)i * size;
    if (i > 0) {
      const double *down = m->down + (size_t)i * size, *up = m->up + (size_t)(i - 1) * size;
      for (int r = 0; r < b; r++)
        for (int k = 0; k < b; k++)
          for (int c = 0; c < b; c++) d[r * b + c] -= down[r * b + k] * up[k * b + c];
    }
    if (!block_factor(d, m->pivot + (size_t)i * (size_t)b, b)) return i;
    if (i + 1 < m->n) block_solve(d, m->pivot + (size_t)i * (size_t)b, b, m->up + (size_t)i * size, b);
  }
  return -1;
}

static inline void solve(const blocks *m, double *x, int b) {
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    double *y = x + (size_t)i * (size_t)b;
    const double *down = m->down + (size_t)i * size;
    if (i > 0)
      for (int r = 0; r < b; r++)
        for (int k = 0; k < b; k++) y[r] -= down[r * b + k] * y[k - b];
    block_solve(m->diagonal + (size_t)i * size, m->pivot + (size_t)i * (size_t)b, b, y, 1);
  }
  for (int i = m->n - 2; i >= 0; i--) {
    double *y = x + (size_t)i * (size_t)b;
    const double *up = m->up + (size_t)i * size;
    for (int r = 0; r < b; r++)
      for (int k = 0; k < b; k++) y[r] -= up[r * b + k] * y[b + k];
  }
}

/* The sizes that occur get loops of fixed length. */
int cps_blocks_factor(blocks *m) {
  switch (m->b) {
  case 4:
    return factor(m, 4);
  case 5:
    return factor(m, 5);
  case 6:
    return factor(m, 6);
  default:
    return factor(m, m->b);
  }
}

void cps_blocks_solve(const blocks *m, double *x) {
  switch (m->b) {
  case 4:
    solve(m, x, 4);
    break;
  case 5:
    solve(m, x, 5);
    break;
  case 6:
    solve(m, x, 6);
    break;
  default:
    solve(m, x, m->b);
  }
}

void cps_blocks_multiply(const blocks *m, const double *x, double *y) {
  int b = m->b;
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    for (int r = 0; r < b; r++) {
      double sum = 0;
      for (int c = 0; c < b; c++) {
        size_t at = (size_t)i * size + (size_t)(r * b + c);
        const double *here = x + (size_t)i * (size_t)b;
        sum += m->diagonal[at] * here[c];
        if (i > 0) sum += m->down[at] * here[c - b];
        if (i + 1 < m->n) sum += m->up[at] * here[c + b];
      }
      y[i * b + r] = sum;
    }
  }
}
