/* unit_locale.c - in a program whose numbers have a comma everything reads and writes as elsewhere.
 *
 * The locale de_DE is made here, into a folder of its own, where the system has its source; skipped otherwise.
 */
#define _XOPEN_SOURCE 700
#include "number_text.h"
#include "test.h"

#include <locale.h>
#include <math.h>
#include <unistd.h>

static const char text[] =
    "capstan: 1\n"
    "bodies: {block: {mass: 1.25 kg, v: 3.5 m/s}}\n"
    "springs: {k: {between: [block, ground], stiffness: 2.5 kN/m}}\n"
    "contacts: {c: {between: [block, ground], normal: 0.5 N, friction: {tanh: {v_t: 1.5 mm/s}}}}\n"
    "run: {until: 0.25 s, output: 12.5 ms}\n";

static int comma(void) {
  char number[20];
  snprintf(number, sizeof number, "%.1f", 1.5);
  return strcmp(number, "1,5") == 0;
}

static void remove_folder(const char *folder) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

/* Whether there is such a locale now. */
static int speak_german(void) {
  char folder[] = "/tmp/unit_locale_XXXXXX", command[300];
  if (setlocale(LC_ALL, "de_DE.UTF-8") && comma()) return 1;
  if (!mkdtemp(folder)) return 0;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
  int made = system(command);
  (void)made; /* warnings count as failures there */
  setenv("LOCPATH", folder, 1);
  int good = setlocale(LC_ALL, "de_DE.UTF-8") && comma();
  remove_folder(folder);
  return good;
}

typedef struct numbers {
  double x, gradient, found, mass;
  char yaml[200], complaint[600], hash[80], shortest[40], error[200];
} numbers;

static numbers compute(void) {
  numbers o = {0};
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, sizeof text - 1, "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  const char *path[] = {"bodies.block.mass"}, *of[] = {"bodies.block.x"};
  double value = 1.0 / 3;
  cps_scenario *other = cps_scenario_with(s, path, &value, 1, &problems);
  if (!other) fail_msg("%s", cps_problems_at(problems, 0)->text);
  cps_quantity q;
  assert_int_equal(cps_scenario_quantity(other, path[0], &q, &err), CPS_OK);
  o.mass = q.value;
  snprintf(o.hash, sizeof o.hash, "%s", cps_scenario_hash(other));
  cps_sens *sens = cps_sens_new(other, path, 1, of, 1, &err);
  if (!sens || cps_sens_run(sens, CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  o.x = cps_sens_value(sens, 0);
  o.gradient = cps_sens_gradient(sens, 0, 0);
  /* a shorter run, whose end is written into a setting */
  const cps_result *r = cps_sens_result(sens);
  int column = cps_result_find(r, "bodies.block.x");
  cps_fit *fit = cps_fit_new(s, path, 1, &err);
  assert_int_equal(cps_fit_add_set(fit, NULL, 0, &err), 0);
  if (cps_fit_add_series(fit, 0, "bodies.block.x", cps_result_data(r, 0), cps_result_data(r, column), NULL,
                         12, &err) != CPS_OK ||
      cps_fit_run(fit, NULL, NULL, &err) != CPS_OK)
    fail_msg("%s", err.text);
  cps_fit_parameter found;
  assert_int_equal(cps_fit_get(fit, 0, &found), CPS_OK);
  o.found = found.quantity.value;
  /* written, and complained about */
  cps_builder *b = cps_builder_new(NULL);
  cps_builder_set(b, "bodies.block.mass", 0.1, NULL);
  cps_builder_set(b, "run.until", 2.5e-7, NULL);
  cps_builder_set(b, "run.from", 1.5, NULL);
  char *yaml = cps_builder_yaml(b);
  snprintf(o.yaml, sizeof o.yaml, "%s", yaml);
  cps_free(yaml);
  assert_null(cps_builder_scenario(b, NULL, &problems));
  snprintf(o.complaint, sizeof o.complaint, "%s", cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_number_shortest(o.shortest, sizeof o.shortest, 1.25e-300); /* one that takes the long way */
  cps_error late = {.time = 0.25, .text = "late"};
  cps_problem_text(&late, o.error, sizeof o.error);
  cps_builder_free(b);
  cps_fit_free(fit);
  cps_sens_free(sens);
  cps_scenario_free(other);
  cps_scenario_free(s);
  return o;
}

static void comma_and_point(void **state) {
  (void)state;
  if (!speak_german()) {
    print_message("there is no locale de_DE, and it cannot be made\n");
    skip();
  }
  numbers german = compute();
  assert_true(comma()); /* it is the program's again */
  setlocale(LC_ALL, "C");
  numbers plain = compute();
  assert_true(plain.mass == 1.0 / 3 && fabs(plain.found - 1.0 / 3) < 1e-3);
  assert_non_null(strstr(plain.complaint, "starts at 1.5 s"));
  assert_string_equal(german.complaint, plain.complaint);
  assert_string_equal(german.yaml, plain.yaml);
  assert_string_equal(german.hash, plain.hash);
  assert_string_equal(german.shortest, "1.25e-300");
  assert_string_equal(german.error, "t = 0.25 s: late");
  assert_memory_equal(&german, &plain, 4 * sizeof(double));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(comma_and_point)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
