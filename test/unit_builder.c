/* unit_builder.c - scenarios built by calls: the same as from a file, with the same complaints. */
#include "scenario.h"
#include "test.h"

#include <math.h>

static const char file[] = "capstan: 1\n"
                           "title: \"A \\\"belt\\\": #1\"\n"
                           "bodies:\n"
                           "  block:\n"
                           "    mass: 0.1\n"
                           "  \"no\":\n"
                           "    mass: 2\n"
                           "    at: [0, 0.30000000000000004]\n"
                           "surfaces:\n"
                           "  belt:\n"
                           "    velocity: \"100 mm/s\"\n"
                           "springs:\n"
                           "  k:\n"
                           "    between: [block, ground]\n"
                           "    stiffness: 40\n"
                           "contacts:\n"
                           "  c:\n"
                           "    between: [block, belt]\n"
                           "    normal: {table: {times: [0, 1], values: [1, 2.5]}}\n"
                           "    friction: {coulomb: {mu: 0.3}}\n"
                           "run:\n"
                           "  until: 1e-3\n";

static cps_scenario *parse(const char *text) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  return s;
}

static cps_builder *fill(void) {
  const double at[] = {0, 0.30000000000000004};
  cps_builder *m = cps_builder_new(NULL);
  cps_error err = {0};
  int good = m && cps_builder_set_text(m, "title", "A \"belt\": #1", &err) == CPS_OK &&
             cps_builder_set(m, "bodies.block.mass", 7, &err) == CPS_OK &&
             cps_builder_set(m, "bodies.no.mass", 2, &err) == CPS_OK &&
             cps_builder_set_numbers(m, "bodies.no.at", at, 2, &err) == CPS_OK &&
             cps_builder_set(m, "bodies.block.mass", 0.1, &err) == CPS_OK &&
             cps_builder_set_text(m, "surfaces.belt.velocity", "100 mm/s", &err) == CPS_OK &&
             cps_builder_set_yaml(m, "springs.k.between", "[block, ground]", &err) == CPS_OK &&
             cps_builder_set(m, "springs.k.stiffness", 40, &err) == CPS_OK &&
             cps_builder_set_yaml(m, "contacts.c.between", "[block, belt]", &err) == CPS_OK &&
             cps_builder_set_yaml(m, "contacts.c.normal", "{table: {times: [0, 1], values: [1, 2.5]}}",
                                  &err) == CPS_OK &&
             cps_builder_set_yaml(m, "contacts.c.friction", "{coulomb: {mu: 0.3}}", &err) == CPS_OK &&
             cps_builder_set(m, "run.until", 1e-3, &err) == CPS_OK;
  if (!good) fail_msg("%s", err.text);
  return m;
}

static void same_scenario(const cps_scenario *a, const cps_scenario *b) {
  assert_string_equal(a->title, b->title);
  assert_int_equal(a->n_bodies, b->n_bodies);
  for (int i = 0; i < a->n_bodies; i++) {
    assert_string_equal(a->bodies[i].name, b->bodies[i].name);
    assert_memory_equal(a->bodies[i].origin, b->bodies[i].origin, sizeof a->bodies[i].origin);
    assert_true(a->bodies[i].mass == b->bodies[i].mass || a->bodies[i].kind == BODY_SURFACE);
  }
  assert_true(a->springs[0].stiffness == b->springs[0].stiffness);
  assert_true(a->run.until == b->run.until && strcmp(a->run.solver, b->run.solver) == 0);
  assert_true(a->contacts[0].given->y[1] == b->contacts[0].given->y[1]);
}

static void equals_a_file(void **state) {
  (void)state;
  cps_problems *problems = NULL;
  cps_builder *m = fill();
  cps_scenario *a = cps_builder_scenario(m, NULL, &problems), *b = parse(file);
  if (!a) fail_msg("%s", cps_problems_at(problems, 0)->text);
  same_scenario(a, b);
  cps_scenario_free(b);
  /* The model written as a file is the same again, and other values of it work by path. */
  char *yaml = cps_builder_yaml(m);
  cps_builder_free(m);
  b = parse(yaml);
  same_scenario(a, b);
  assert_string_equal(cps_scenario_hash(a), cps_scenario_hash(b));
  const char *path = "bodies.block.mass";
  double value = 3;
  cps_scenario *c = cps_scenario_with(a, &path, &value, 1, NULL);
  assert_non_null(c);
  assert_true(c->bodies[0].mass == 3);
  cps_free(yaml);
  cps_scenario_free(a);
  cps_scenario_free(b);
  cps_scenario_free(c);
}

static void complaints(void **state) {
  (void)state;
  static const struct {
    const char *path, *yaml, *key, *text;
  } bad[] = {{"bodies.block.mass", "-1", "bodies.block.mass", "mass must be greater than 0"},
             {"springs.k.stifness", "1", "springs.k.stifness", "did you mean \"stiffness\"?"},
             {"bodies.block.mass", "3 m", "bodies.block.mass", "kg"},
             {"contacts.c.between", "[block, blt]", "contacts.c.between.1", "did you mean \"belt\"?"},
             {"run.until", "[1", "", ""},
             {"run.solver", "bdf", "run.solver", "cannot follow"}};
  for (int i = 0; i < ROWS(bad); i++) {
    cps_problems *problems = NULL;
    cps_builder *m = fill();
    assert_int_equal(cps_builder_set_yaml(m, bad[i].path, bad[i].yaml, NULL), CPS_OK);
    cps_scenario *s = cps_builder_scenario(m, NULL, &problems);
    if (s) assert_int_equal(cps_system_check(s, &problems), CPS_BAD_INPUT);
    assert_true(cps_problems_count(problems) >= 1);
    const cps_error *e = cps_problems_at(problems, 0);
    assert_string_equal(e->file, "model");
    if (*bad[i].key) assert_string_equal(e->key, bad[i].key);
    if (!strstr(e->text, bad[i].text)) fail_msg("\"%s\" does not say \"%s\"", e->text, bad[i].text);
    cps_problems_free(problems);
    cps_scenario_free(s);
    cps_builder_free(m);
  }
}

static void odd_paths(void **state) {
  (void)state;
  static const char *const odd[] = {"", ".", "bodies..mass", "a\nb", NULL};
  cps_error err;
  cps_builder *m = cps_builder_new("m");
  for (int i = 0; i < ROWS(odd); i++) {
    assert_int_equal(cps_builder_set(m, odd[i], 1, &err), CPS_BAD_INPUT);
    assert_non_null(strstr(err.text, "a path is keys"));
  }
  assert_int_equal(cps_builder_set_yaml(m, "a", "x\ny: 1", &err), CPS_BAD_INPUT);
  assert_int_equal(cps_builder_set_yaml(m, "a", NULL, NULL), CPS_BAD_INPUT);
  /* A value that becomes a map, and a map that becomes a value. */
  assert_int_equal(cps_builder_set(m, "a", 1, &err), CPS_OK);
  assert_int_equal(cps_builder_set(m, "a.b.c", NAN, &err), CPS_OK);
  assert_int_equal(cps_builder_set(m, "a.b", -INFINITY, &err), CPS_OK);
  char *yaml = cps_builder_yaml(m);
  assert_string_equal(yaml, "capstan: 1\na:\n  b: -.inf\n");
  cps_free(yaml);
  cps_builder_free(m);
  cps_builder_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equals_a_file), cmocka_unit_test(complaints),
                                     cmocka_unit_test(odd_paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
