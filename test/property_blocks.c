/* property_blocks.c - random systems of blocks, springs and contacts with quinn and cdq, on the ground, on a belt and on one another:
 * by their default solver each is where a hundred times smaller tolerance puts it; bdf puts it there, too, or says why it cannot. Counts are
 * printed. Nothing may be wrong in silence. */
#include "test.h"

#include <stdarg.h>

enum { SYSTEMS = 60, BODIES = 4 };

static void add(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

static void name_of(int i, char *name) {
  snprintf(name, 8, "%s", i == -1 ? "ground" : i == -2 ? "belt" : (const char *[]){"a", "b", "c", "d"}[i]);
}

/* All but `run`; returns the number of bodies. */
static int make(int which, char *text, size_t size) {
  rng r = rng_for("blocks", (uint64_t)which);
  const char *law = which % 2 ? "cdq" : "quinn";
  int n = 1 + rng_below(&r, BODIES), contacts = 1 + rng_below(&r, 2 * n + 1);
  int seen[BODIES][BODIES + 2] = {{0}};
  char a[8], b[8];
  text[0] = 0;
  add(text, size, "capstan: 1\nsurfaces: {belt: {velocity: %.6g}}\nbodies:\n", rng_log(&r, 0.01, 1));
  for (int i = 0; i < n; i++) {
    name_of(i, a);
    add(text, size, "  %s: {mass: %.6g, x: %.6g, v: %.6g}\n", a, rng_log(&r, 0.1, 30),
        rng_between(&r, -0.1, 0.1), rng_below(&r, 2) ? rng_between(&r, -1, 1) : 0.0);
  }
  add(text, size, "springs:\n");
  for (int i = 0; i < n; i++) {
    int to = rng_below(&r, n);
    name_of(i, a);
    name_of(to == i ? -1 : to, b);
    add(text, size, "  s%d: {between: [%s, %s], stiffness: %.6g, damping: %.6g}\n", i, a, b,
        rng_log(&r, 10, 1e4), rng_below(&r, 2) ? rng_log(&r, 0.1, 100) : 0.0);
  }
  add(text, size, "contacts:\n");
  for (int i = 0; i < contacts; i++) {
    int from = rng_below(&r, n), to = rng_below(&r, n + 2) - 2;
    if (to == from) to = -1;
    if (seen[from][to + 2] || (to >= 0 && seen[to][from + 2])) continue;
    seen[from][to + 2] = 1;
    name_of(from, a);
    name_of(to, b);
    add(text, size, "  c%d: {between: [%s, %s], normal: %.6g, friction: {%s: {mu: %.6g, epsilon: %.6g}}}\n",
        i, a, b, rng_log(&r, 1, 300), law, rng_between(&r, 0.05, 0.9), rng_log(&r, 2e-4, 2e-2));
  }
  name_of(rng_below(&r, n), a);
  if (rng_below(&r, 2))
    add(text, size, "loads: {f: {on: %s, force: {sine: {amplitude: %.6g, frequency: %.6g}}}}\n", a,
        rng_log(&r, 1, 200), rng_log(&r, 0.2, 5));
  return n;
}

/* Places at the end; 0: it failed, and says why. */
static int places(const char *text, const char *how, int n, double *x, char *why, size_t size) {
  char all[6000];
  cps_error err = {0};
  snprintf(all, sizeof all, "%srun: {until: 1 s, output: 0.1 s, max_steps: 3e5%s}\n", text, how);
  cps_scenario *s = cps_scenario_parse(all, strlen(all), NULL, NULL, 0, NULL);
  if (!s) fail_msg("%s", all);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim) fail_msg("%s", err.text);
  int good = cps_simulation_run(sim, NULL, NULL, &err) == CPS_OK;
  const cps_result *r = cps_simulation_result(sim);
  snprintf(why, size, "%s", good ? "" : err.text);
  for (int i = 0; good && i < n; i++) {
    char name[20], of[8];
    name_of(i, of);
    snprintf(name, sizeof name, "bodies.%s.x", of);
    for (int k = 0; k < cps_result_columns(r); k++)
      if (strcmp(cps_result_name(r, k), name) == 0) x[i] = cps_result_data(r, k)[cps_result_rows(r) - 1];
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return good;
}

/* Whether places are equal within 1e-5 m, and of those that are far away 1e-5 of them. */
static int equal(int n, const double *x, const double *y) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= 1e-5 * fmax(1, fabs(y[i])))) return 0;
  return 1;
}

/* What became of a run: right, wrong, of no known truth, or failed with a sentence, for its reason or for the number of its steps. */
enum { RIGHT, WRONG, UNKNOWN, SAID, SLOW, OUTCOMES };

/* `true_x` is NULL where the reference has failed. */
static int outcome_of(int good, int n, const double *x, const double *true_x, const char *why) {
  if (good && !true_x) return UNKNOWN;
  if (good) return equal(n, x, true_x) ? RIGHT : WRONG;
  return strstr(why, "run.max_steps") ? SLOW : SAID;
}

static void test_blocks(void **state) {
  (void)state;
  int count[2][OUTCOMES] = {{0}};
  for (int i = 0; i < SYSTEMS; i++) {
    char text[5000], why[600];
    double true_x[BODIES] = {0}, x[BODIES] = {0};
    int n = make(i, text, sizeof text),
        known = places(text, ", solver: alpha, tolerance: 1e-10", n, true_x, why, sizeof why);
    for (int k = 0; k < 2; k++) {
      int good = places(text, k ? ", solver: bdf" : "", n, x, why, sizeof why);
      int what = outcome_of(good, n, x, known ? true_x : NULL, why);
      if (what == WRONG) fail_msg("system %d: a at %.9g, not %.9g\n%s", i, x[0], true_x[0], text);
      if (what == SAID && !strstr(why, "close a circle")) fail_msg("system %d: %s\n%s", i, why, text);
      count[k][what]++;
    }
  }
  for (int k = 0; k < 2; k++)
    print_message("%s: %d right, %d say why not, %d too slow, %d without a reference\n",
                  k ? "bdf" : "by default", count[k][RIGHT], count[k][SAID], count[k][SLOW],
                  count[k][UNKNOWN]);
  assert_true(count[0][RIGHT] >= SYSTEMS - 1);
  assert_true(count[1][RIGHT] >= SYSTEMS * 8 / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
