/* unit_dense.c - the elimination with row exchanges: against the equations themselves, with rows of very different sizes, and where
 * there is no solution. */
#include "dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12, WIDE = MOST + 3, COLUMNS = 3 };

static double any(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* What A x - b leaves, relative to the size of its row, at most. */
static double left_over(double a[][WIDE], double b[][COLUMNS], double x[][COLUMNS], int n) {
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < COLUMNS; c++) {
      double sum = -b[i][c], size = fabs(b[i][c]);
      for (int k = 0; k < n; k++) {
        sum += a[i][k] * x[k][c];
        size += fabs(a[i][k] * x[k][c]);
      }
      worst = fmax(worst, fabs(sum) / size);
    }
  return worst;
}

static void test_random(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int turn = 0; turn < 400; turn++) {
    int n = 1 + turn % MOST, pivot[MOST], scaled = turn % 2;
    double a[MOST][WIDE] = {{0}}, lu[MOST][WIDE], b[MOST][COLUMNS] = {{0}}, x[MOST][COLUMNS], unit[MOST];
    for (int i = 0; i < n; i++) {
      double size = scaled ? pow(10, 24 * any(&seed)) : 1;
      for (int k = 0; k < n; k++) a[i][k] = any(&seed) > 0.2 ? 0 : size * any(&seed);
      a[i][(i + 1) % n] += size; /* the diagonal alone would not do */
      for (int c = 0; c < COLUMNS; c++) b[i][c] = size * any(&seed);
    }
    memcpy(lu, a, sizeof a);
    memcpy(x, b, sizeof b);
    assert_true(dense_factor(lu[0], n, WIDE, pivot, scaled ? unit : NULL) > 0);
    dense_solve(lu[0], n, WIDE, pivot, x[0], COLUMNS, COLUMNS);
    assert_true(left_over(a, b, x, n) < 1e-10);
  }
}

/* Unscaled, the large first row would be the pivot, and its round-off all that is left of the small one. */
static void test_rows_of_different_sizes(void **state) {
  (void)state;
  double a[2][2] = {{1e20, 1e40}, {1, 1}}, x[2] = {1e40, 2}, unit[2];
  int pivot[2];
  assert_true(dense_factor(a[0], 2, 2, pivot, unit) > 0);
  assert_int_equal(pivot[0], 1);
  dense_solve(a[0], 2, 2, pivot, x, 1, 1);
  assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
}

static void test_singular(void **state) {
  (void)state;
  double twice[2][2] = {{1, 2}, {2, 4}}, zero[2][2] = {{0, 0}, {1, 1}}, nan[2][2] = {{NAN, 1}, {NAN, 1}};
  double x[2] = {1, 1}, unit[2], small[1] = {3e-14};
  int pivot[2];
  assert_true(dense_factor(zero[0], 2, 2, pivot, unit) == 0);
  assert_true(dense_factor(nan[0], 2, 2, pivot, NULL) == 0);
  assert_true(dense_factor(small, 1, 1, pivot, NULL) == 3e-14);
  assert_true(dense_factor(twice[0], 2, 2, pivot, NULL) == 0);
  dense_solve(twice[0], 2, 2, pivot, x, 1, 1);
  assert_false(isfinite(x[0]) && isfinite(x[1]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_rows_of_different_sizes),
                                     cmocka_unit_test(test_singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
