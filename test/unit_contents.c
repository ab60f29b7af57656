/* unit_contents.c - what a scenario holds, asked from outside: against what the file says, and past its ends. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char file[] =
    "capstan: 1\n"
    "title: a hoist\n"
    "bodies:\n"
    "  left: {mass: 2 kg}\n"
    "  right: {mass: 3 kg}\n"
    "  cart: {mass: 4 kg, at: [1, 5], direction: [0, 1], x: 0.25}\n"
    "surfaces:\n"
    "  belt: {velocity: 1 m/s, at: [1, 5], direction: [0, 1]}\n"
    "springs:\n"
    "  k: {between: [cart, ground], stiffness: 40, length: 0.5, tension_only: true}\n"
    "contacts:\n"
    "  c: {between: [cart, belt], normal: 1 N, friction: cdq}\n"
    "loads:\n"
    "  push: {on: cart, direction: [0, 1], force: {ramp: {rate: 2, end: 10}}}\n"
    "drums:\n"
    "  pulley: {center: [0, 3], radius: 0.5, moved: {x: {ramp: {rate: 0.1, end: 10}}}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 1e5\n"
    "    mass_per_length: 0.1\n"
    "    elements: 10\n"
    "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
    "    contact: {at: nodes, normal: hunt-crossley, friction: {quinn: {mu: 0.25}}}\n"
    "run: {solver: alpha, until: 2 s, step: 1 ms}\n";

static cps_scenario *load(const cps_load_options *how) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse_with(file, strlen(file), "hoist.yaml", how, &problems);
  if (!s) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  return s;
}

static void lists_things(void **state) {
  (void)state;
  static const char *const settings[] = {"run.until=3 s"};
  cps_scenario *s = load(&(cps_load_options){.settings = settings, .n_settings = 1});
  cps_contents has;
  cps_scenario_contents(s, &has);
  assert_int_equal(has.bodies, 3);
  assert_int_equal(has.surfaces, 1);
  assert_true(has.springs == 1 && has.contacts == 1 && has.loads == 1 && has.drums == 1 && has.cables == 1);
  assert_int_equal(has.dim, 2);
  assert_string_equal(has.solver, "alpha");
  assert_true(has.until == 3 && has.step == 1e-3 && has.gravity[1] < -9.8);
  assert_int_equal(has.n_settings, 1);
  assert_string_equal(has.settings[0], settings[0]);
  size_t length;
  assert_string_equal(cps_scenario_text(s, &length), file);
  assert_int_equal(length, strlen(file));
  assert_string_equal(cps_scenario_file(s), "hoist.yaml");

  cps_body b;
  assert_int_equal(cps_scenario_body_at(s, 2, &b), CPS_OK);
  assert_string_equal(b.name, "cart");
  assert_string_equal(b.kind, "line");
  assert_true(b.mass == 4 && b.origin[0] == 1 && b.direction[1] == 1 && b.x[0] == 0.25);
  assert_int_equal(cps_scenario_body_at(s, 3, &b), CPS_OK);
  assert_string_equal(b.kind, "surface");
  cps_spring k;
  assert_int_equal(cps_scenario_spring_at(s, 0, &k), CPS_OK);
  assert_true(k.length == 0.5 && k.tension_only == 1 && k.body[0] == 2 && k.body[1] == -1);
  cps_contact c;
  assert_int_equal(cps_scenario_contact_at(s, 0, &c), CPS_OK);
  assert_ptr_equal(c.law, cps_law_find("cdq"));
  assert_true(c.body[0] == 2 && c.body[1] == 3);
  cps_load l;
  assert_int_equal(cps_scenario_load_at(s, 0, &l), CPS_OK);
  assert_true(l.body == 2 && l.direction[1] == 1);
  assert_true(cps_scenario_force(s, 0, 1.5) == 3);
  cps_drum d;
  assert_int_equal(cps_scenario_drum_at(s, 0, &d), CPS_OK);
  assert_true(d.radius == 0.5 && d.center[1] == 3 && d.axis[2] == 1 && d.carrier == -1);
  assert_true(d.moves[0] && !d.moves[1]);
  assert_true(fabs(cps_scenario_shift(s, 0, 0, 2) - 0.2) < 1e-15 && isnan(cps_scenario_shift(s, 0, 1, 2)));
  cps_cable r;
  assert_int_equal(cps_scenario_cable_at(s, 0, &r), CPS_OK);
  assert_string_equal(r.end[1].kind, "body");
  assert_true(r.end[0].body == 0 && r.end[1].body == 1 && r.end[1].drum == -1 && !r.closed);
  assert_ptr_equal(r.law, cps_law_find("quinn"));
  assert_int_equal(cps_scenario_wrap(s, 0, 0), 0);
  assert_int_equal(cps_scenario_wrap(s, 0, 1), -1);

  assert_int_equal(cps_scenario_body_at(s, 4, &b), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_body_at(s, -1, &b), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_spring_at(s, 1, &k), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_contact_at(s, 1, &c), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_load_at(s, 1, &l), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_drum_at(s, 1, &d), CPS_BAD_INPUT);
  assert_int_equal(cps_scenario_cable_at(s, 1, &r), CPS_BAD_INPUT);
  assert_true(isnan(cps_scenario_force(s, 1, 0)) && isnan(cps_scenario_shift(s, 0, 3, 0)));
  assert_int_equal(cps_scenario_wrap(s, 1, 0), -1);
  cps_scenario_free(s);
}

static const char *word_at(const cps_word *list, int n, const char *path) {
  for (int i = 0; i < n; i++)
    if (strcmp(list[i].path, path) == 0) return list[i].text;
  return "";
}

static void lists_words(void **state) {
  (void)state;
  static const char *const settings[] = {"contacts.c.friction=coulomb"};
  cps_scenario *s = load(&(cps_load_options){.settings = settings, .n_settings = 1});
  cps_word *words = NULL;
  int n = 0;
  assert_int_equal(cps_scenario_words(s, &words, &n, NULL), CPS_OK);
  assert_string_equal(word_at(words, n, "title"), "a hoist");
  assert_string_equal(word_at(words, n, "contacts.c.between.1"), "belt");
  assert_string_equal(word_at(words, n, "contacts.c.friction"), "coulomb"); /* as it was set */
  assert_string_equal(word_at(words, n, "cables.rope.path.2"), "over pulley");
  assert_string_equal(word_at(words, n, "cables.rope.contact.normal"), "hunt-crossley");
  assert_string_equal(word_at(words, n, "bodies.left.mass"), ""); /* a number */
  cps_free(words);
  cps_scenario_free(s);
}

/* Text that names a file is read as if it stood in the folder, also when it is read again with other words. */
static void finds_files_in_a_folder(void **state) {
  (void)state;
  static const char text[] = "capstan: 1\n"
                             "bodies: {block: {mass: 1}}\n"
                             "loads: {push: {on: block, direction: [1, 0], force: {table: {file: f.csv}}}, "
                             "pull: {on: block, direction: [1, 0], force: 1 N}}\n"
                             "run: {until: 1}\n";
  char folder[] = "/tmp/capstan-unit-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/f.csv", folder);
  FILE *csv = fopen(path, "w");
  assert_non_null(csv);
  fputs("0,1\n1,5\n", csv);
  fclose(csv);
  cps_problems *problems = NULL;
  assert_null(cps_scenario_parse(text, strlen(text), "name.yaml", NULL, 0, &problems));
  cps_problems_free(problems);
  problems = NULL;
  cps_scenario *s = cps_scenario_parse_with(text, strlen(text), "name.yaml",
                                            &(cps_load_options){.folder = folder}, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  assert_true(cps_scenario_force(s, 0, 0.5) == 3);
  assert_string_equal(cps_scenario_file(s), "name.yaml");
  const char *paths[] = {"loads.pull.force"};
  cps_error err = {0};
  cps_scenario *again = cps_scenario_with_inputs(s, paths, 1, &err);
  if (!again) fail_msg("%s", err.text);
  assert_true(cps_scenario_force(again, 0, 0.5) == 3);
  cps_scenario_free(again);
  cps_scenario_free(s);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_things), cmocka_unit_test(lists_words),
                                     cmocka_unit_test(finds_files_in_a_folder)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
