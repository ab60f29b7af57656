/* unit_quantities.c - the list of all numbers of a scenario: each is what its path gives, and those of the file are in it. */
#include "test.h"

#include "capstan.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "capstan: 1\n"
    "bodies: {block: {mass: 2500 g, v: 1 m/s}, load: {mass: 3 kg}}\n"
    "surfaces: {belt: {velocity: {sine: {amplitude: 20 mm/s, omega: 2 rad/s}}}}\n"
    "contacts: {c: {between: [block, belt], normal: 5 N, friction: {stribeck: {mu_s: 0.6}}}}\n"
    "drums: {d: {radius: 200 mm, center: [0, 1 m]}}\n"
    "cables: {rope: {EA: 1 MN, mass_per_length: 1 kg/m, elements: 8, path: [{pinned: [-0.2, 0]}, "
    "over d, hang 1500 mm, load],\n"
    "  contact: {at: nodes, normal: hunt-crossley, friction: {coulomb: {mu: 0.1}}}}}\n"
    "run: {until: 1 s}\n";

static const cps_quantity *find(const cps_quantity *list, int n, const char *path) {
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].path, path) == 0) return &list[i];
  return NULL;
}

static cps_scenario *read_with(const char *const *settings, int n) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "quantities.yaml", settings, n, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  return s;
}

static void test_all(void **state) {
  (void)state;
  static const struct {
    const char *path, *unit;
    double value;
  } wanted[] = {{"bodies.block.mass", "kg", 2.5},
                {"bodies.load.v", "m/s", 0}, /* a default */
                {"surfaces.belt.velocity.amplitude", "m/s", 0.02},
                {"contacts.c.friction.mu_s", "1", 0.6},
                {"drums.d.center.1", "m", 1},
                {"cables.rope.path.2.hang", "m", 1.5},
                {"run.until", "s", 1}};
  cps_scenario *s = read_with(NULL, 0);
  cps_quantity *list;
  int n;
  cps_error error;
  assert_int_equal(cps_scenario_quantities(s, &list, &n, &error), CPS_OK);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    const cps_quantity *q = find(list, n, wanted[i].path);
    if (!q) fail_msg("%s is not in the list", wanted[i].path);
    assert_string_equal(q->unit, wanted[i].unit);
    assert_true(q->value == wanted[i].value);
  }
  /* Each path leads to its number, and stands there once. */
  for (int i = 0; i < n; i++) {
    cps_quantity q;
    if (cps_scenario_quantity(s, list[i].path, &q, &error) != CPS_OK)
      fail_msg("%s: %s", list[i].path, error.text);
    assert_true(q.value == list[i].value);
    assert_string_equal(q.unit, list[i].unit);
    assert_ptr_equal(find(list, n, list[i].path), &list[i]);
  }
  free(list);
  cps_scenario_free(s);
}

static void test_settings(void **state) {
  (void)state;
  const char *settings[] = {"contacts.c.friction.mu_s=0.7"};
  cps_scenario *s = read_with(settings, 1);
  cps_quantity *list;
  int n;
  assert_int_equal(cps_scenario_quantities(s, &list, &n, NULL), CPS_OK);
  assert_true(find(list, n, "contacts.c.friction.mu_s")->value == 0.7);
  free(list);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_settings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
