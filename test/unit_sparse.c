/* unit_sparse.c - the sparse matrix and its factors: against dense elimination, with new values and the old pivots, with pivots that no
 * longer suit, transposed; the elimination order by its fill-in; no memory is asked for while solving. */
#include "memory.h"

#include "dense.h"
#include "sparse.h"
#include "sparse_factors.h"

enum { MOST = 60 };

static double any(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

static int below(unsigned *seed, int n) { return (int)((any(seed) + 0.5) * n) % n; }

/* A matrix with random places; the order is that of minimum degree. */
static void make(sparse *m, int n, int count, unsigned *seed) {
  place *list = calloc((size_t)count + 1, sizeof *list);
  int *order = calloc((size_t)n, sizeof *order), *seen = calloc((size_t)n, sizeof *seen);
  assert_true(list && order && seen);
  for (int i = 0; i < count; i++) list[i] = (place){below(seed, n), below(seed, n)};
  assert_true(cps_sparse_make(m, n, list, count));
  assert_true(cps_sparse_order(m, order));
  for (int k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    seen[order[k]]++;
  }
  for (int k = 0; k < n; k++) assert_int_equal(seen[k], 1);
  assert_true(cps_sparse_analyse(m, order));
  free(list);
  free(order);
  free(seen);
}

/* Random values; `diagonal` is what is added to those on the diagonal, `spread` the powers of ten that rows are apart. */
static void fill(sparse *m, double diagonal, double spread, unsigned *seed) {
  for (int j = 0; j < m->n; j++)
    for (int k = m->first[j]; k < m->first[j + 1]; k++) {
      double unit = pow(10, spread * sin(7.0 * m->row[k]));
      m->value[k] = unit * (any(seed) + (m->row[k] == j ? diagonal : 0));
    }
}

/* The same by dense elimination; 0 if it is singular, or nearly so. */
static int solve_dense(const sparse *m, const double *b, int transposed, double *x) {
  static double a[MOST][MOST], unit[MOST];
  static int pivot[MOST];
  memset(a, 0, sizeof a);
  for (int j = 0; j < m->n; j++)
    for (int k = m->first[j]; k < m->first[j + 1]; k++)
      *(transposed ? &a[j][m->row[k]] : &a[m->row[k]][j]) = m->value[k];
  double least = dense_factor(&a[0][0], m->n, MOST, pivot, unit);
  if (!(least > 1e-5)) return 0;
  memcpy(x, b, (size_t)m->n * sizeof(double));
  dense_solve(&a[0][0], m->n, MOST, pivot, x, 1, 1);
  return 1;
}

static void compare(sparse *m, unsigned *seed, int *compared) {
  double b[MOST], x[MOST], y[MOST];
  for (int transposed = 0; transposed < 2; transposed++) {
    for (int i = 0; i < m->n; i++) b[i] = x[i] = any(seed);
    if (!solve_dense(m, b, transposed, y)) continue;
    assert_true(transposed ? cps_sparse_solve_transposed(m, x) : cps_sparse_solve(m, x));
    double most = 0, worst = 0;
    for (int i = 0; i < m->n; i++) {
      most = fmax(most, fabs(y[i]));
      worst = fmax(worst, fabs(x[i] - y[i]));
    }
    if (!(worst <= 1e-8 * most)) fail_msg("n = %d, %d: %g of %g", m->n, transposed, worst, most);
    (*compared)++;
  }
}

static void test_random(void **state) {
  (void)state;
  unsigned seed = 3;
  int compared = 0, pivoted = 0;
  for (int turn = 0; turn < 600; turn++) {
    int n = 1 + turn % MOST;
    double diagonal = turn % 3 == 0 ? 3 : turn % 3 == 1 ? 0.3 : 0, spread = turn % 4 == 3 ? 4 : 0;
    sparse m;
    make(&m, n, (1 + turn % 5) * n, &seed);
    for (int values = 0; values < 4; values++) {
      fill(&m, values == 2 ? -diagonal : diagonal, spread, &seed);
      /* a diagonal that vanishes leaves the pivots of before without use */
      if (values == 3)
        for (int j = 0; j < n; j += 2) m.value[cps_sparse_slot(&m, j, j)] = 0;
      if (!cps_sparse_factor(&m)) continue;
      compare(&m, &seed, &compared);
    }
    pivoted += (int)m.pivoted;
    assert_true(m.factored >= 4);
    cps_sparse_free(&m);
  }
  assert_true(compared > 3000);
  assert_true(pivoted > 700);
}

static void test_singular(void **state) {
  (void)state;
  unsigned seed = 5;
  sparse m;
  make(&m, 20, 60, &seed);
  fill(&m, 3, 0, &seed);
  for (int k = m.first[7]; k < m.first[8]; k++) m.value[k] = 0;
  assert_false(cps_sparse_factor(&m));
  fill(&m, 3, 0, &seed);
  assert_true(cps_sparse_factor(&m));
  int compared = 0;
  compare(&m, &seed, &compared);
  m.value[3] = NAN;
  double x[20] = {1};
  assert_false(cps_sparse_factor(&m) && cps_sparse_solve(&m, x));
  fill(&m, 3, 0, &seed);
  assert_true(cps_sparse_factor(&m));
  compare(&m, &seed, &compared);
  assert_true(compared > 0);
  cps_sparse_free(&m);
}

/* Entries of L after factoring the matrix of a grid, each node coupled with its neighbours. */
static int fill_in(int wide, int high, int ordered) {
  int n = wide * high;
  place *list = calloc(4 * (size_t)n, sizeof *list);
  int *order = calloc((size_t)n, sizeof *order);
  assert_true(list && order);
  long count = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    if (i % wide + 1 < wide) list[count++] = (place){i, i + 1};
    if (i + wide < n) list[count++] = (place){i + wide, i};
  }
  for (long i = count; i < 2 * count; i++) list[i] = (place){list[i - count].column, list[i - count].row};
  sparse m;
  assert_true(cps_sparse_make(&m, n, list, 2 * count));
  if (ordered) assert_true(cps_sparse_order(&m, order));
  assert_true(cps_sparse_analyse(&m, order));
  for (int j = 0; j < n; j++)
    for (int k = m.first[j]; k < m.first[j + 1]; k++) m.value[k] = m.row[k] == j ? 4.1 : -1;
  assert_true(cps_sparse_factor(&m));
  int entries = m.factors->l_first[n];
  free(list);
  free(order);
  cps_sparse_free(&m);
  return entries;
}

/* A chain has no fill-in; a grid of 40 x 40 about 31 log2(n) n / 4 / 4 by the best orders known, 40 n in the natural one. */
static void test_order(void **state) {
  (void)state;
  assert_int_equal(fill_in(500, 1, 1), 499);
  assert_int_equal(fill_in(1, 1, 1), 0);
  int natural = fill_in(40, 40, 0), ordered = fill_in(40, 40, 1);
  assert_true(natural > 39 * 1500);
  assert_in_range(ordered, 2 * 1600, 13 * 1600);
  assert_true(fill_in(100, 3, 1) < 4 * 300);
}

#ifndef SANITIZED
static void test_memory(void **state) {
  (void)state;
  unsigned seed = 9;
  long before = live;
  sparse m;
  make(&m, 50, 200, &seed);
  fill(&m, 3, 0, &seed);
  assert_true(cps_sparse_factor(&m));
  calls = 0;
  fail_at = 1;
  double x[50] = {0};
  for (int turn = 0; turn < 20; turn++) {
    fill(&m, 3, 0, &seed);
    x[turn] = 1;
    assert_true(cps_sparse_factor(&m) && cps_sparse_solve(&m, x) && cps_sparse_solve_transposed(&m, x));
  }
  long asked = calls;
  fail_at = 0;
  assert_int_equal(asked, 0);
  assert_int_equal(m.pivoted, 1);
  cps_sparse_free(&m);
  assert_int_equal(live, before);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_order),
#ifndef SANITIZED
      cmocka_unit_test(test_memory),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
