/* body_system.c - solves the equations of bodies, drums, seams and their friction, onto which cables have been eliminated.
 *
 * Rows of drums, seams and bodies differ in size: both kinds of solution measure a row by its largest entry. Bodies alone have rows
 * of one size.
 */
#include "body_system.h"

#include "dense.h"

#include <stdlib.h>
#include <string.h>

static void *many(size_t n, size_t size) { return calloc(n + 1, size); }

int cps_body_system_make(body_system *b, int n, const place *entries, long count, const int *order, int even,
                         int dense_most) {
  memset(b, 0, sizeof *b);
  b->n = n;
  b->even = even;
  b->unit = many((size_t)n, sizeof(double));
  b->fixed = many((size_t)n, 1);
  if (!b->unit || !b->fixed) return 0;
  if (n > dense_most)
    return cps_sparse_make(&b->matrix, n, entries, count) && cps_sparse_analyse(&b->matrix, order);
  b->pivot = many((size_t)n, sizeof(int));
  b->dense = many((size_t)n * (size_t)n + 1, sizeof(double));
  return b->pivot && b->dense;
}

void cps_body_system_free(body_system *b) {
  if (b->matrix.n > 0) cps_sparse_free(&b->matrix);
  free(b->dense);
  free(b->pivot);
  free(b->unit);
  free(b->fixed);
  memset(b, 0, sizeof *b);
}

void cps_body_system_clear(body_system *b) {
  size_t n = (size_t)b->n;
  memset(b->fixed, 0, n);
  if (b->dense)
    memset(b->dense, 0, n * n * sizeof(double));
  else
    memset(b->matrix.value, 0, (size_t)(b->matrix.nnz + 1) * sizeof(double));
}

int cps_body_slot(const void *system, int row, int column) {
  const body_system *b = system;
  if (!b->dense) return cps_sparse_slot(&b->matrix, row, column);
  return row < 0 || column < 0 ? b->n * b->n : row * b->n + column;
}

/* Divides the rows of the sparse matrix by their largest entries; 0 if one has none. */
static int scale_rows(body_system *b) {
  const sparse *m = &b->matrix;
  memset(b->unit, 0, (size_t)b->n * sizeof(double));
  for (int i = 0; i < m->nnz; i++) {
    double size = fabs(m->value[i]), *unit = &b->unit[m->row[i]];
    *unit = size > *unit ? size : *unit;
  }
  for (int i = 0; i < b->n; i++)
    if (!(b->unit[i] > 0)) return 0;
  for (int i = 0; i < m->nnz; i++) m->value[i] /= b->unit[m->row[i]];
  return 1;
}

int cps_body_system_factor(body_system *b) {
  int n = b->n, any = 0;
  for (int i = 0; i < n; i++) {
    if (!b->fixed[i]) continue;
    any = 1;
    for (int k = 0; b->dense && k < n; k++) b->dense[i * n + k] = k == i;
  }
  for (int j = 0; any && !b->dense && j < n; j++)
    for (int i = b->matrix.first[j]; i < b->matrix.first[j + 1]; i++)
      if (b->fixed[b->matrix.row[i]]) b->matrix.value[i] = b->matrix.row[i] == j;
  if (b->dense) return dense_factor(b->dense, n, n, b->pivot, b->unit) != 0;
  return (b->even || scale_rows(b)) && cps_sparse_factor(&b->matrix);
}

int cps_body_system_solve(body_system *b, double *x) {
  if (b->dense) {
    dense_solve(b->dense, b->n, b->n, b->pivot, x, 1, 1);
    return 1;
  }
  for (int i = 0; i < b->n && !b->even; i++) x[i] /= b->unit[i];
  return cps_sparse_solve(&b->matrix, x);
}

int cps_body_system_solve_transposed(body_system *b, double *x) {
  return cps_sparse_solve_transposed(&b->matrix, x);
}

void cps_body_system_forget(body_system *b) {
  if (!b->dense) cps_sparse_forget(&b->matrix);
}
