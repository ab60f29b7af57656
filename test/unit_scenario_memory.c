/* unit_scenario_memory.c - memory that runs out anywhere while a scenario is read: no crash, no leak, one
 * problem.
 */
#include "memory.h"
#include "warnings.h"

#include <stdarg.h>

#ifndef SANITIZED

/* ------------------------------------------------------------------ tests */

static const char good[] =
    "include: [common.yaml, more/data.yaml]\n"
    "capstan: 1\n"
    "profiles: {p: {sum: [1 N, {product: [q, 2]}]}, q: {sine: {amplitude: 1 N, omega: 1}}}\n"
    "bodies: {a: &a {mass: 1}, b: {<<: *a, x: 1}}\n"
    "surfaces: {belt: {position: {table: {times: [0, 1, 2], values: [0, 1, 3], interpolation: cubic}}}}\n"
    "springs: {k: {between: [a, b], stiffness: 1}}\n"
    "contacts: {c: {between: [a, ground], normal: weight, friction: lugre, state: {z: 0}}}\n"
    "loads: {f: {on: a, force: p},\n"
    "  g: {on: a, force: {polynomial: {times: [0, 1], coefficients: [[1]]}}}}\n"
    "repeat: [{count: 40, bodies: {\"r{i}\": {mass: \"{i}\"}}}]\n";

static const char good_cables[] =
    "include: [more/cable_base.yaml]\n"
    "capstan: 1\n"
    "bodies: {a: {mass: 1}, hook: {mass: 1, position: [0, 1, 0]}}\n"
    "drums:\n"
    "  p: {radius: 1, center: [9, 0], drive: {pd: {kp: 1, setpoint: {sine: {amplitude: 1, omega: 1}}}}, "
    "inertia: 1,\n"
    "    bearing: {friction: coulomb, radius: 1 cm}, moved: {x: 1, z: {sum: [1 m, 2 m]}}}\n"
    "  q: {radius: 1, carried_by: hook, drive: {torque: 1 N m}, inertia: 2}\n"
    "cables:\n"
    "  c: {EA: 1, mass_per_length: 1, mesh: {size: 1}, masses: [{at: 1, mass: 1}],\n"
    "    path: [{free: {at: [0, 0], force: {x: 1, y: 2}}}, over p, {under: q, turns: 1}, hang 1 m, a],\n"
    "    contact: {at: nodes, drums: [p, q, pulley], normal: {linear: {stiffness: 1}}, friction: {quinn: "
    "{mu: 1}}}}\n"
    "  belt: {EA: 1, mass_per_length: 1, elements: 9, closed: true, path: [over p, under q],\n"
    "    contact: {at: nodes, normal: linear, friction: coulomb}}\n"
    "  d: {EA: 1, mass_per_length: 1, elements: 1, path: [{clamped: {at: [0, 0], moved: {y: 1}}}, \"hang 2 "
    "m\",\n"
    "    {pinned: [0, 0]}]}\n";

static const char bad_cables[] =
    "capstan: 1\nbodies: {a: {mass: 1}}\n"
    "drums: {p: {radius: -1, drive: {pd: {kp: x}}, moved: {y: nobody}}, q: {radius: 1, bearing: {friction: "
    "x}}}\n"
    "cables: {c: {EA: 1, path: [b, over r, over p, under p, hang rest, {pinned: {at: [0, 0], moved: {x: 1, "
    "y: z}}}],\n"
    "  masses: [{at: 1}], contact: {at: nodes, normal: x, drums: [p, s], friction: {coulomb: {mu: "
    "-1}}}}}\n"
    "run: {until: x}\n";

static const char bad[] =
    "capstan: 1\nbodies: {a: {mass: -1, x: y, z: 1}, a: 5}\nloads: {f: {on: b, force: c}}\n"
    "repeat: [{count: 2, bodies: {b: {mass: 1}}}]\nrun: {until: x}\n";

/* Reads with the n-th call failing; returns whether that call was reached. */
static int read_once(const char *text, long n, int is_good) {
  static const char *const settings[] = {"bodies.a.mass=2", "run.until=3"};
  char file[1200];
  const char *root = getenv("SOURCE_DIR");
  snprintf(file, sizeof file, "%s/test/scenario_good/made.yaml", root ? root : ".");
  cps_problems *problems = NULL;
  calls = live = 0;
  fail_at = n;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), file, settings, 2, &problems);
  fail_at = 0;
  int reached = calls >= n;
  if (reached) {
    assert_null(s);
    assert_int_equal(cps_problems_count(problems), 1);
    assert_int_equal(cps_problems_at(problems, 0)->status, CPS_NO_MEMORY);
    assert_true(strstr(cps_problems_at(problems, 0)->text, "memory") != NULL);
  } else if (is_good) {
    assert_non_null(s);
  } else {
    assert_true(cps_problems_count(problems) > 3);
  }
  cps_scenario_free(s);
  cps_problems_free(problems);
  assert_int_equal(live, 0);
  return reached;
}

static void test_good(void **state) {
  (void)state;
  long n = 1;
  read_once(good, 1000000, 1);
  while (read_once(good, n, 1)) n++;
  assert_true(n > 50);
  print_message("%ld calls\n", n - 1);
  read_once(good_cables, 1000000, 1);
  for (n = 1; read_once(good_cables, n, 1);) n++;
  print_message("%ld calls\n", n - 1);
  assert_true(n > 40);
}

static void test_bad(void **state) {
  (void)state;
  long n = 1;
  while (read_once(bad, n, 0)) n++;
  assert_true(n > 10);
  for (n = 1; read_once(bad_cables, n, 0);) n++;
  assert_true(n > 20);
}

static void test_documents(void **state) {
  (void)state;
  for (long n = 1;; n++) {
    calls = live = 0;
    fail_at = n;
    char *schema = cps_scenario_schema();
    if (schema) {
      free(schema);
      schema = cps_scenario_reference();
    }
    fail_at = 0;
    int reached = calls >= n;
    assert_true((schema == NULL) == reached);
    free(schema);
    assert_int_equal(live, 0);
    if (!reached) break;
  }
}

static void warn(warning_list *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cps_warnings_add(w, format, args);
  va_end(args);
}

/* Of warnings for which there is no memory it is said that they are missing. */
static void test_warnings(void **state) {
  (void)state;
  for (long n = 0; n < 5; n++) {
    warning_list all = {0}, copy = {0};
    calls = 0;
    fail_at = n;
    warn(&all, "one of %d", 2);
    warn(&all, "the other");
    fail_at = 0;
    cps_warnings_copy(&copy, &all);
    int there = n == 0 ? 2 : 1;
    assert_int_equal(copy.n, there);
    for (int i = 0; i < there; i++) assert_string_equal(cps_warnings_at(&copy, i), all.text[i]);
    if (n > 0) assert_non_null(strstr(cps_warnings_at(&copy, there++), "missing"));
    assert_null(cps_warnings_at(&copy, there));
    cps_warnings_clear(&all);
    cps_warnings_clear(&copy);
    assert_null(cps_warnings_at(&copy, 0));
  }
  assert_int_equal(live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good),
      cmocka_unit_test(test_bad),
      cmocka_unit_test(test_documents),
      cmocka_unit_test(test_warnings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) { return 0; }

#endif
