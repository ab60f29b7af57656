/* sparse.c - a sparse matrix with a fixed pattern, and solving with it.
 *
 * Symbolic work is done once (sparse_order.c); numbers are factored again and again with the pivots of the first time
 * (sparse_factors.c). Every solution is put back into the equations: if it does not satisfy them, the pivots no longer suit the values,
 * and are chosen anew. Only that may allocate memory after the first factorisation.
 */
#include "sparse_factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pivots on the diagonal are kept if they are not smaller than this part of their column: the order given is
 * meant to need no others. When they have failed, a cautious choice. */
static const double TRUSTING = 1e-6, CAUTIOUS = 0.1;

/* Residual over the size of what it is made of that a good solution leaves. */
static const double GOOD = 1e-9;

/* What is smaller does not count: numbers without full precision. */
static const double TINY = 1e-290;

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Sorts every column and drops repeated entries. */
static void tidy(sparse *m) {
  int at = 0;
  for (int j = 0; j < m->n; j++) {
    int start = m->first[j], n = m->first[j + 1] - start, begin = at;
    qsort(m->row + start, (size_t)n, sizeof(int), by_number);
    for (int i = 0; i < n; i++)
      if (at == begin || m->row[start + i] != m->row[at - 1]) m->row[at++] = m->row[start + i];
    m->first[j] = begin;
  }
  m->first[m->n] = at;
  m->nnz = at;
}

static int inside(int n, place p) { return p.row >= 0 && p.row < n && p.column >= 0 && p.column < n; }

int cps_sparse_make(sparse *m, int n, const place *entries, long count) {
  memset(m, 0, sizeof *m);
  m->n = n;
  long most = count + n;
  if (most > 1 << 30) return 0;
  m->first = calloc((size_t)n + 2, sizeof(int));
  m->row = calloc((size_t)most + 1, sizeof(int));
  m->right = calloc((size_t)n + 1, sizeof(double));
  m->check = calloc(2 * (size_t)n + 1, sizeof(double));
  int *at = calloc((size_t)n + 1, sizeof(int));
  if (!m->first || !m->row || !m->right || !m->check || !at) {
    free(at);
    return 0;
  }
  for (int j = 0; j < n; j++) m->first[j + 1] = 1;
  for (long i = 0; i < count; i++)
    if (inside(n, entries[i])) m->first[entries[i].column + 1]++;
  for (int j = 0; j < n; j++) m->first[j + 1] += m->first[j];
  for (int j = 0; j < n; j++) {
    at[j] = m->first[j];
    m->row[at[j]++] = j;
  }
  for (long i = 0; i < count; i++)
    if (inside(n, entries[i])) m->row[at[entries[i].column]++] = entries[i].row;
  free(at);
  tidy(m);
  m->value = calloc((size_t)m->nnz + 1, sizeof(double));
  return m->value != NULL;
}

void cps_sparse_free(sparse *m) {
  cps_factors_free(m->factors);
  free(m->first);
  free(m->row);
  free(m->value);
  free(m->right);
  free(m->check);
  memset(m, 0, sizeof *m);
}

int cps_sparse_slot(const sparse *m, int row, int column) {
  if (!inside(m->n, (place){row, column})) return m->nnz;
  const int *found = bsearch(&row, m->row + m->first[column],
                             (size_t)(m->first[column + 1] - m->first[column]), sizeof(int), by_number);
  return found ? (int)(found - m->row) : m->nnz;
}

int cps_sparse_analyse(sparse *m, const int *order) { return cps_factors_make(m, order); }

static int choose_pivots(sparse *m, double tolerance) {
  m->factored++;
  m->pivoted++;
  return cps_factors_choose(m, tolerance, tolerance != TRUSTING);
}

int cps_sparse_factor(sparse *m) {
  if (m->n == 0) return 1;
  if (!m->factors->is_known) return choose_pivots(m, TRUSTING) || choose_pivots(m, CAUTIOUS);
  m->factored++;
  return cps_factors_renew(m) || choose_pivots(m, CAUTIOUS);
}

void cps_sparse_forget(sparse *m) {
  if (m->factors) m->factors->is_known = 0;
}

int cps_sparse_solve_transposed(sparse *m, double *x) {
  if (m->n == 0) return 1;
  size_t bytes = (size_t)m->n * sizeof(double);
  memcpy(m->right, x, bytes);
  for (int attempt = 0; attempt < 2; attempt++) {
    if (attempt > 0) {
      memcpy(x, m->right, bytes);
      if (!choose_pivots(m, CAUTIOUS)) return 0;
    }
    cps_factors_solve_transposed(m, x);
    double worst = 0, most = 0, sum = 0;
    for (int j = 0; j < m->n; j++) most = fabs(x[j]) > most ? fabs(x[j]) : most;
    for (int j = 0; j < m->n; j++) {
      double rest = m->right[j], size = 0;
      for (int k = m->first[j]; k < m->first[j + 1]; k++) {
        rest -= m->value[k] * x[m->row[k]];
        size += fabs(m->value[k]);
      }
      worst = fmax(worst, fabs(rest) / (fabs(m->right[j]) + size * most + TINY));
      sum += rest;
    }
    if (isfinite(sum) && (attempt > 0 || worst <= GOOD)) return 1;
  }
  return 0;
}

/* Whether x solves the equations as well as round-off of the largest unknown lets it. */
static int is_good(const sparse *m, const double *x) {
  double *rest = m->check, *size = rest + m->n, most = 0;
  for (int i = 0; i < m->n; i++) {
    rest[i] = m->right[i];
    size[i] = 0;
    most = fabs(x[i]) > most ? fabs(x[i]) : most;
  }
  for (int j = 0; j < m->n; j++) {
    for (int k = m->first[j]; k < m->first[j + 1]; k++) {
      rest[m->row[k]] -= m->value[k] * x[j];
      size[m->row[k]] += fabs(m->value[k]);
    }
  }
  for (int i = 0; i < m->n; i++)
    if (!(fabs(rest[i]) <= GOOD * (fabs(m->right[i]) + size[i] * most) + TINY)) return 0; /* or NaN */
  return 1;
}

int cps_sparse_solve(sparse *m, double *x) {
  if (m->n == 0) return 1;
  size_t bytes = (size_t)m->n * sizeof(double);
  memcpy(m->right, x, bytes);
  cps_factors_solve(m, x);
  if (is_good(m, x)) return 1;
  memcpy(x, m->right, bytes);
  if (!choose_pivots(m, CAUTIOUS)) return 0;
  cps_factors_solve(m, x);
  double sum = 0;
  for (int i = 0; i < m->n; i++) sum += x[i];
  return isfinite(sum);
}
