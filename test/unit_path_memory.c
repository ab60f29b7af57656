/* unit_path_memory.c - memory that runs out anywhere while a cable is laid: no crash, no leak, a sentence. */
#include "memory.h"

#ifndef SANITIZED

#include "world.h"

/* Drums, skew in space, with a graded mesh. */
static void scene(world *w, int dim) {
  world_begin(w, dim);
  hang(w, 1);
  for (int i = 0; i < 6; i++) {
    int d = add_drum(w, 2 * i, 0, 0.3);
    if (dim == 3 && i % 2) w->drums[d].axis[0] = 0.6, w->drums[d].axis[2] = 0.8;
    wrap(w, d, i % 2 ? -1 : 1);
  }
  pin(w, 1, 13, 0);
  w->cable.elements = 0;
  w->cable.size = 0.3, w->cable.drum_size = 0.05, w->cable.growth = 1.5;
  press_law(w, 1e6, 1.5);
}

/* Lays with the n-th call failing; returns whether that call was reached. */
static int lay_once(int dim, long n) {
  world w;
  path p;
  shape m = {0};
  cps_error err = {0};
  scene(&w, dim);
  calls = live = 0;
  fail_at = n;
  cps_status status = cps_path_make(&p, &w.s, 0, &err);
  if (status == CPS_OK) status = cps_shape_make(&m, &w.s, 0, &p, &err);
  fail_at = 0;
  int reached = calls >= n;
  assert_int_equal(status, reached ? CPS_NO_MEMORY : CPS_OK);
  if (reached) assert_non_null(strstr(err.text, "memory"));
  if (reached) assert_null(m.q);
  cps_shape_free(&m);
  cps_path_free(&p);
  assert_int_equal(live, 0);
  return reached;
}

static void test_lay(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    long n = 1;
    while (lay_once(dim, n)) n++;
    assert_true(n > 12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lay)};
  return cmocka_run_group_tests_name("path memory", tests, NULL, NULL);
}

#else

int main(void) { return 0; }

#endif
