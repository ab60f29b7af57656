/* sparse_factors.c - L and U of a sparse matrix, column by column.
 *
 * J. R. Gilbert, T. Peierls, Sparse partial pivoting in time proportional to arithmetic operations, SIAM J. Sci. Stat. Comput. 9(5), 1988;
 * the preference for pivots on the diagonal, and factoring again with the pivots of the first time, as in T. A. Davis, E. Palamadai
 * Natarajan, Algorithm 907: KLU, ACM Trans. Math. Softw. 37(3), 2010. A column of L and U solves a triangular system with the columns
 * before it; which of them take part is found by a search in the graph of L. Entries that happen to be zero stay in the pattern, so it
 * holds for all values that the matrix may have.
 */
#include "sparse_factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cps_factors_make(sparse *m, const int *order) {
  size_t n = (size_t)m->n + 1;
  struct factors *f = calloc(1, sizeof *f);
  m->factors = f;
  if (!f) return 0;
  int **numbers[] = {&f->order,    &f->pivot_row, &f->place, &f->l_first, &f->u_first,
                     &f->diagonal, &f->step_of,   &f->stack, &f->at,      &f->seen};
  double **values[] = {&f->pivot, &f->scale, &f->work};
  int good = 1;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    good = (*numbers[i] = calloc(n, sizeof(int))) && good;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    good = (*values[i] = calloc(n, sizeof(double))) && good;
  f->l_room = f->u_room = 2 * (long)m->nnz + m->n;
  size_t room = (size_t)f->l_room + 1;
  f->target = calloc((size_t)m->nnz + 1, sizeof(int));
  f->l_row = calloc(room, sizeof(int));
  f->u_row = calloc(room, sizeof(int));
  f->l = calloc(room, sizeof(double));
  f->u = calloc(room, sizeof(double));
  if (!good || !f->target || !f->l_row || !f->u_row || !f->l || !f->u) return 0;
  if (m->n > 0) memcpy(f->order, order, (size_t)m->n * sizeof(int));
  return 1;
}

void cps_factors_free(struct factors *f) {
  if (!f) return;
  int *numbers[] = {f->order, f->pivot_row, f->place, f->l_first, f->u_first, f->diagonal, f->step_of,
                    f->stack, f->at,        f->seen,  f->target,  f->l_row,   f->u_row};
  double *values[] = {f->pivot, f->scale, f->work, f->l, f->u};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) free(numbers[i]);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) free(values[i]);
  free(f);
}

/* Makes room for a further column of at most `more` entries. */
static int make_room(int **row, double **value, long *room, long more) {
  if (more <= *room) return 1;
  long wanted = 2 * more;
  int *rows = realloc(*row, (size_t)wanted * sizeof(int));
  if (rows) *row = rows;
  double *values = rows ? realloc(*value, (size_t)wanted * sizeof(double)) : NULL;
  if (values) *value = values;
  if (!values) return 0;
  *room = wanted;
  return 1;
}

/* What the rows of A are divided by. */
static int find_scale(const sparse *m) {
  double *scale = m->factors->scale;
  memset(scale, 0, (size_t)m->n * sizeof(double));
  for (int k = 0; k < m->nnz; k++) scale[m->row[k]] = fmax(scale[m->row[k]], fabs(m->value[k]));
  for (int i = 0; i < m->n; i++) {
    if (!(scale[i] > 0)) return 0;
    scale[i] = 1 / scale[i];
  }
  return 1;
}

/* ------------------------------------------------------------------ choosing pivots */

/* Puts what row `from` reaches on top of the stack, so that each comes before all that depends on it. While pivots are chosen, L and U
 * have the rows of A. Returns the new top. */
static int search(struct factors *f, int from, int column, int top) {
  int depth = 0;
  f->stack[0] = from;
  f->seen[from] = column;
  f->at[0] = f->place[from] >= 0 ? f->l_first[f->place[from]] : 0;
  while (depth >= 0) {
    int step = f->place[f->stack[depth]], deeper = 0;
    for (int t = f->at[depth]; step >= 0 && t < f->l_first[step + 1]; t++) {
      int row = f->l_row[t];
      if (f->seen[row] == column) continue;
      f->seen[row] = column;
      f->at[depth] = t + 1;
      f->stack[++depth] = row;
      f->at[depth] = f->place[row] >= 0 ? f->l_first[f->place[row]] : 0;
      deeper = 1;
      break;
    }
    if (!deeper) f->stack[--top] = f->stack[depth--];
  }
  return top;
}

/* The pivot of column k among the rows on the stack that are none yet; -1 if all are zero. */
static int choose(const struct factors *f, int k, int top, int n, double tolerance) {
  double most = 0;
  int best = -1;
  for (int i = top; i < n; i++) {
    int row = f->stack[i];
    if (f->place[row] >= 0 || !(fabs(f->work[row]) > most)) continue;
    most = fabs(f->work[row]);
    best = row;
  }
  int wanted = f->diagonal[k];
  if (best < 0 || !isfinite(most)) return -1;
  return f->seen[wanted] == k && fabs(f->work[wanted]) >= tolerance * most ? wanted : best;
}

/* Makes the k-th column of L and U. */
static int make_column(sparse *m, int k, double tolerance) {
  struct factors *f = m->factors;
  int n = m->n, column = f->order[k], top = n;
  for (int s = m->first[column]; s < m->first[column + 1]; s++)
    if (f->seen[m->row[s]] != k) top = search(f, m->row[s], k, top);
  for (int s = m->first[column]; s < m->first[column + 1]; s++)
    f->work[m->row[s]] = f->is_scaled ? m->value[s] * f->scale[m->row[s]] : m->value[s];
  int l = f->l_first[k], u = f->u_first[k];
  if (!make_room(&f->l_row, &f->l, &f->l_room, (long)l + n - top + 1) ||
      !make_room(&f->u_row, &f->u, &f->u_room, (long)u + n - top + 1))
    return 0;
  for (int i = top; i < n; i++) {
    int step = f->place[f->stack[i]];
    if (step < 0) continue;
    double x = f->work[f->stack[i]];
    f->u_row[u] = step;
    f->u[u++] = x;
    for (int t = f->l_first[step]; t < f->l_first[step + 1]; t++) f->work[f->l_row[t]] -= f->l[t] * x;
  }
  int pivot = choose(f, k, top, n, tolerance);
  for (int i = top; i < n && pivot >= 0; i++) {
    int row = f->stack[i];
    if (f->place[row] >= 0 || row == pivot) continue;
    f->l_row[l] = row;
    f->l[l++] = f->work[row] / f->work[pivot];
  }
  if (pivot >= 0) f->pivot[k] = f->work[pivot];
  for (int i = top; i < n; i++) f->work[f->stack[i]] = 0;
  if (pivot < 0) return 0;
  f->place[pivot] = k;
  f->pivot_row[k] = pivot;
  f->l_first[k + 1] = l;
  f->u_first[k + 1] = u;
  /* The row that was passed over is preferred where the pivot would have been. */
  int later = f->step_of[pivot], passed = f->diagonal[k];
  f->diagonal[later] = passed;
  f->step_of[passed] = later;
  return 1;
}

int cps_factors_choose(sparse *m, double tolerance, int scaled) {
  struct factors *f = m->factors;
  f->is_known = 0;
  f->is_scaled = scaled;
  if (scaled && !find_scale(m)) return 0;
  for (int k = 0; k < m->n; k++) {
    f->place[k] = f->seen[k] = -1;
    f->diagonal[k] = f->order[k];
    f->step_of[f->order[k]] = k;
  }
  f->l_first[0] = f->u_first[0] = 0;
  for (int k = 0; k < m->n; k++)
    if (!make_column(m, k, tolerance)) return 0;
  for (int t = 0; t < f->l_first[m->n]; t++) f->l_row[t] = f->place[f->l_row[t]];
  for (int s = 0; s < m->nnz; s++) f->target[s] = f->place[m->row[s]];
  f->is_known = 1;
  return 1;
}

/* ------------------------------------------------------------------ with known pivots */

int cps_factors_renew(sparse *m) {
  struct factors *f = m->factors;
  double *restrict x = f->work;
  if (f->is_scaled && !find_scale(m)) return 0;
  for (int k = 0; k < m->n; k++) {
    int column = f->order[k];
    for (int s = m->first[column]; s < m->first[column + 1]; s++)
      x[f->target[s]] = f->is_scaled ? m->value[s] * f->scale[m->row[s]] : m->value[s];
    for (int i = f->u_first[k]; i < f->u_first[k + 1]; i++) {
      int step = f->u_row[i];
      double by = x[step];
      x[step] = 0;
      f->u[i] = by;
      for (int t = f->l_first[step]; t < f->l_first[step + 1]; t++) x[f->l_row[t]] -= f->l[t] * by;
    }
    double pivot = x[k];
    x[k] = 0;
    f->pivot[k] = pivot;
    for (int t = f->l_first[k]; t < f->l_first[k + 1]; t++) {
      f->l[t] = x[f->l_row[t]] / pivot;
      x[f->l_row[t]] = 0;
    }
    if (pivot == 0) return 0;
  }
  return 1;
}

void cps_factors_solve(const sparse *m, double *x) {
  const struct factors *f = m->factors;
  double *restrict y = f->work;
  int n = m->n;
  for (int k = 0; k < n; k++)
    y[k] = f->is_scaled ? x[f->pivot_row[k]] * f->scale[f->pivot_row[k]] : x[f->pivot_row[k]];
  for (int k = 0; k < n; k++)
    for (int t = f->l_first[k]; t < f->l_first[k + 1]; t++) y[f->l_row[t]] -= f->l[t] * y[k];
  for (int k = n - 1; k >= 0; k--) {
    double by = y[k] / f->pivot[k];
    for (int t = f->u_first[k]; t < f->u_first[k + 1]; t++) y[f->u_row[t]] -= f->u[t] * by;
    x[f->order[k]] = by;
    y[k] = 0;
  }
}

void cps_factors_solve_transposed(const sparse *m, double *x) {
  const struct factors *f = m->factors;
  double *restrict y = f->work;
  int n = m->n;
  for (int k = 0; k < n; k++) {
    double sum = x[f->order[k]];
    for (int t = f->u_first[k]; t < f->u_first[k + 1]; t++) sum -= f->u[t] * y[f->u_row[t]];
    y[k] = sum / f->pivot[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    double sum = y[k];
    for (int t = f->l_first[k]; t < f->l_first[k + 1]; t++) sum -= f->l[t] * y[f->l_row[t]];
    y[k] = sum;
  }
  for (int k = 0; k < n; k++) {
    int row = f->pivot_row[k];
    x[row] = f->is_scaled ? y[k] * f->scale[row] : y[k];
    y[k] = 0;
  }
}
