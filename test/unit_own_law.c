/* unit_own_law.c - laws of a user's own in scenarios: by name, with the same bits, checks and derivatives as built-in ones. */
#include "test.h"

#include <math.h>

/* A descriptor of one's own that does what a built-in law does. */
static cps_law copy_of(const char *built_in, const char *name) {
  cps_law law = *cps_law_find(built_in);
  law.name = name;
  law.aliases = NULL;
  return law;
}

#define BLOCK                                                                                                \
  "capstan: 1\nbodies: {block: {mass: 1}}\nsurfaces: {belt: {velocity: 0.1}}\n"                              \
  "springs: {k: {between: [block, ground], stiffness: 40 N/m}}\n"                                            \
  "contacts: {c: {between: [block, belt], normal: weight, friction: {%s: {%s}}}}\n"                          \
  "run: {until: 2 s, solver: %s, step: 1 ms, output: 50 ms}\n"
#define ROPE                                                                                                 \
  "capstan: 1\ndrums: {pulley: {radius: 0.25, drive: {rotation: {ramp: {rate: 1}}}}}\n"                      \
  "bodies: {left: {mass: 10}, right: {mass: 11}}\n"                                                          \
  "cables:\n  rope:\n    EA: 1 MN\n    mass_per_length: 0.5\n    elements: 16\n    damping: {rayleigh: 1 N " \
  "s}\n"                                                                                                     \
  "    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]\n"                                      \
  "    contact: {at: nodes, normal: {linear: {stiffness: 1e6}}, friction: {%s: {%s}}}\n"                     \
  "run: {until: 50 ms, solver: %s, output: 5 ms}\n"

static cps_scenario *read_with(const cps_laws *laws, const char *text, cps_problems **problems) {
  cps_load_options o = {.laws = laws};
  return cps_scenario_parse_with(text, strlen(text), "test.yaml", &o, problems);
}

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
} ran;

static ran run(const cps_laws *laws, const char *format, const char *law, const char *solver) {
  char text[2000];
  cps_error err = {0};
  cps_problems *problems = NULL;
  snprintf(text, sizeof text, format, law, "", solver);
  ran r = {.scenario = read_with(laws, text, &problems)};
  if (!r.scenario) fail_msg("%s", cps_problems_at(problems, 0)->text);
  r.system = cps_system_new(r.scenario, &err);
  r.sim = r.system ? cps_simulation_new(r.system, &err) : NULL;
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  return r;
}

static void done(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

/* Laws with modes, with a balance force, with states, smooth: each solver gives the same bits by either name. */
static void same_bits(void **state) {
  (void)state;
  static const struct {
    const char *format, *law, *solver;
  } cases[] = {{BLOCK, "coulomb", "events"},   {BLOCK, "quinn", "alpha"}, {BLOCK, "tanh", "bdf"},
               {BLOCK, "martins-oden", "rk4"}, {BLOCK, "lugre", "bdf"},   {ROPE, "quinn", "alpha"},
               {ROPE, "coulomb", "alpha"},     {ROPE, "tanh", "bdf"},     {ROPE, "dahl", "alpha"}};
  for (int i = 0; i < ROWS(cases); i++) {
    cps_law own = copy_of(cases[i].law, "my-law_2");
    cps_laws *laws = cps_laws_new();
    assert_int_equal(cps_laws_add(laws, &own, NULL), CPS_OK);
    ran a = run(NULL, cases[i].format, cases[i].law, cases[i].solver),
        b = run(laws, cases[i].format, "my-law_2", cases[i].solver);
    const cps_result *x = cps_simulation_result(a.sim), *y = cps_simulation_result(b.sim);
    assert_int_equal(cps_result_columns(x), cps_result_columns(y));
    assert_int_equal(cps_result_rows(x), cps_result_rows(y));
    for (int c = 0; c < cps_result_columns(x); c++)
      assert_memory_equal(cps_result_data(x, c), cps_result_data(y, c),
                          (size_t)cps_result_rows(x) * sizeof(double));
    done(&a);
    done(&b);
    cps_laws_free(laws);
  }
}

/* Derivatives, other values by path, and a fit, all of which read the scenario again. */
static void studies(void **state) {
  (void)state;
  char text[2000];
  cps_law own = copy_of("tanh", "mine");
  own.aliases = "my-own also";
  cps_laws *laws = cps_laws_new();
  assert_int_equal(cps_laws_add(laws, &own, NULL), CPS_OK);
  snprintf(text, sizeof text, BLOCK, "also", "mu: 0.3, v_t: 10 mm/s", "bdf, tolerance: 1e-8");
  cps_scenario *s = read_with(laws, text, NULL);
  assert_non_null(s);
  cps_error err = {0};
  cps_quantity q;
  if (cps_scenario_quantity(s, "contacts.c.friction.v_t", &q, &err) != CPS_OK) fail_msg("%s", err.text);
  assert_true(q.value == 0.01 && strcmp(q.unit, "m/s") == 0);
  const char *wrt[] = {"contacts.c.friction.mu"}, *of[] = {"bodies.block.x@0.4"};
  double gradient[2];
  for (int k = 0; k < 2; k++) {
    cps_sens *sens = cps_sens_new(s, wrt, 1, of, 1, &err);
    if (!sens || cps_sens_run(sens, k ? CPS_SENS_DIFFERENCES : CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK)
      fail_msg("%s", err.text);
    gradient[k] = cps_sens_gradient(sens, 0, 0);
    cps_sens_free(sens);
  }
  assert_true(fabs(gradient[0]) > 1e-3);
  assert_true(fabs(gradient[0] - gradient[1]) < 1e-4 * fabs(gradient[0]));
  /* found again from its own motion */
  double value = 0.35, times[5], x[5];
  cps_scenario *other = cps_scenario_with(s, wrt, &value, 1, NULL);
  assert_non_null(other);
  cps_system *system = cps_system_new(other, &err);
  cps_simulation *sim = cps_simulation_new(system, &err);
  assert_int_equal(cps_simulation_run(sim, NULL, NULL, &err), CPS_OK);
  const cps_result *r = cps_simulation_result(sim);
  int column = cps_result_find(r, "bodies.block.x");
  for (int i = 0; i < 5; i++) {
    times[i] = cps_result_data(r, 0)[2 + i];
    x[i] = cps_result_data(r, column)[2 + i];
  }
  cps_fit *fit = cps_fit_new(s, wrt, 1, &err);
  assert_int_equal(cps_fit_add_set(fit, NULL, 0, &err), 0);
  assert_int_equal(cps_fit_add_series(fit, 0, "bodies.block.x", times, x, NULL, 5, &err), CPS_OK);
  if (cps_fit_run(fit, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  cps_fit_parameter found;
  assert_int_equal(cps_fit_get(fit, 0, &found), CPS_OK);
  assert_true(fabs(found.quantity.value - value) < 1e-4);
  cps_fit_free(fit);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(other);
  cps_scenario_free(s);
  cps_laws_free(laws);
}

/* Parameters are checked as those of built-in laws are; misspelt names find their way. */
static void complaints(void **state) {
  (void)state;
  static const struct {
    const char *law, *parameters, *text;
  } bad[] = {{"arctangnt", "", "did you mean \"arctangent\"?"},
             {"arctangent", "mu: -1", "mu must be at least 0"},
             {"arctangent", "v_t: 3 kg", "m/s"},
             {"arctangent", "vt: 3", "did you mean \"v_t\"?"}};
  cps_law own = copy_of("tanh", "arctangent");
  cps_laws *laws = cps_laws_new();
  assert_int_equal(cps_laws_add(laws, &own, NULL), CPS_OK);
  for (int i = 0; i < ROWS(bad); i++) {
    char text[2000];
    cps_problems *problems = NULL;
    snprintf(text, sizeof text, BLOCK, bad[i].law, bad[i].parameters, "bdf");
    assert_null(read_with(laws, text, &problems));
    const cps_error *e = cps_problems_at(problems, 0);
    assert_int_equal(e->line, 5);
    if (!strstr(e->text, bad[i].text)) fail_msg("\"%s\" does not say \"%s\"", e->text, bad[i].text);
    cps_problems_free(problems);
    /* and without the list nobody knows it */
    assert_null(read_with(NULL, text, &problems));
    cps_problems_free(problems);
  }
  cps_laws_free(laws);
}

/* What cannot be added. */
static void refusals(void **state) {
  (void)state;
  static const cps_param odd_unit = {"mu", "apples", 0.5, 0, 1, "?"}, outside = {"mu", "1", 2, 0, 1, "?"},
                         odd_name = {"m.u", "1", 0.5, 0, 1, "?"};
  cps_error err;
  cps_laws *laws = cps_laws_new();
  cps_law own = copy_of("tanh", "mine"), bad;
  assert_int_equal(cps_laws_add(laws, &own, &err), CPS_OK);
  assert_ptr_equal(cps_laws_find(laws, "mine"), &own);
  assert_ptr_equal(cps_laws_at(laws, cps_laws_count(laws) - 1), &own);
  assert_null(cps_laws_at(laws, cps_laws_count(laws)));
  assert_ptr_equal(cps_laws_find(NULL, "tanh"), cps_law_find("tanh"));
  struct {
    const char *name, *aliases;
    const cps_param *param;
    const char *text;
  } cases[] = {{"mine", NULL, NULL, "there is a law mine already"},
               {"tanh", NULL, NULL, "there is a law tanh already"},
               {"new", "fine mine", NULL, "there is a law mine already"},
               {"my law", NULL, NULL, "letters, digits"},
               {"a.b", NULL, NULL, "letters, digits"},
               {"", NULL, NULL, "law"},
               {"new", NULL, &odd_unit, "parameter mu"},
               {"new", NULL, &outside, "out of range"},
               {"new", NULL, &odd_name, "no key"}};
  for (int i = 0; i < ROWS(cases); i++) {
    bad = copy_of("tanh", cases[i].name);
    bad.aliases = cases[i].aliases;
    if (cases[i].param) bad.params = cases[i].param, bad.n_params = 1;
    assert_int_equal(cps_laws_add(laws, &bad, &err), CPS_BAD_INPUT);
    if (!strstr(err.text, cases[i].text)) fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].text);
  }
  bad = copy_of("tanh", "new");
  bad.eval = NULL;
  assert_int_equal(cps_laws_add(laws, &bad, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_laws_count(laws), cps_law_count() + 1);
  cps_laws_free(laws);
  cps_laws_free(NULL);
}

/* ------------------------------------------------------------------ normal contact */

#define PRESSED                                                                                              \
  "capstan: 1\ndrums: {pulley: {radius: 0.25, drive: {rotation: {ramp: {rate: 1}}}}}\n"                      \
  "bodies: {left: {mass: 10}, right: {mass: 11}}\n"                                                          \
  "cables:\n  rope:\n    EA: 1 MN\n    mass_per_length: 0.5\n    elements: 16\n    damping: {rayleigh: 1 N " \
  "s}\n"                                                                                                     \
  "    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]\n"                                      \
  "    contact: {at: %s, normal: {%s}, friction: {quinn: {mu: 0.3}}}\n"                                      \
  "run: {until: 50 ms, solver: %s, output: 5 ms}\n"

/* k depth^1.5 (1 + D rate), as hunt-crossley with its default exponent; its energy is left to quadrature. */
static void press(const cps_normal *law, const double *p, double depth, double rate, cps_normal_output *out) {
  (void)law;
  double power = depth > 0 ? depth * sqrt(depth) : 0, factor = 1 + p[1] * rate;
  if (power <= 0 || factor <= 0) return;
  out->n = p[0] * power * factor;
  out->depth = p[0] * 1.5 * sqrt(depth) * factor;
  out->rate = p[0] * power * p[1];
  out->p[0] = power * factor;
  out->p[1] = p[0] * power * rate;
}

static const cps_param press_params[] = {{"hardness", "N/m^exponent", 5e6, 1e-3, 1e15, "stiffness"},
                                         {"loss", "s/m", 1, 0, 1e6, "damping factor"}};

static cps_normal own_normal(const char *name) {
  return (cps_normal){.name = name,
                      .title = "Mine",
                      .equation = "n = max(0, k depth^1.5 (1 + D rate))",
                      .citation = "nobody",
                      .n_params = 2,
                      .params = press_params,
                      .eval = press};
}

static ran run_pressed(const cps_laws *laws, const char *at, const char *law, const char *solver) {
  char whole[2000];
  cps_error err = {0};
  cps_problems *problems = NULL;
  snprintf(whole, sizeof whole, PRESSED, at, law, solver);
  ran r = {.scenario = read_with(laws, whole, &problems)};
  if (!r.scenario) fail_msg("%s", cps_problems_at(problems, 0)->text);
  r.system = cps_system_new(r.scenario, &err);
  r.sim = r.system ? cps_simulation_new(r.system, &err) : NULL;
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  return r;
}

/* A descriptor of one's own runs as the built-in law that it copies: all columns, energies included. */
static void presses_alike(void **state) {
  (void)state;
  static const struct {
    const char *at, *solver;
  } cases[] = {{"nodes", "alpha"}, {"{quadrature: 2}", "alpha"}, {"nodes", "bdf"}};
  cps_normal own = own_normal("mine");
  cps_laws *laws = cps_laws_new();
  assert_int_equal(cps_laws_add_normal(laws, &own, NULL), CPS_OK);
  for (int i = 0; i < ROWS(cases); i++) {
    ran a = run_pressed(NULL, cases[i].at, "hunt-crossley: {stiffness: 2e7, damping: 3}", cases[i].solver),
        b = run_pressed(laws, cases[i].at, "mine: {hardness: 2e7, loss: 3}", cases[i].solver);
    const cps_result *x = cps_simulation_result(a.sim), *y = cps_simulation_result(b.sim);
    assert_int_equal(cps_result_columns(x), cps_result_columns(y));
    assert_int_equal(cps_result_rows(x), cps_result_rows(y));
    for (int c = 0; c < cps_result_columns(x); c++) {
      double most = 0, apart = 0;
      for (long k = 0; k < cps_result_rows(x); k++) {
        double u = cps_result_data(x, c)[k], v = cps_result_data(y, c)[k];
        most = fmax(most, fabs(u));
        apart = fmax(apart, isnan(u) && isnan(v) ? 0 : fabs(u - v));
      }
      if (!(apart <= 1e-7 * most + 1e-9)) fail_msg("%s: %g of %g", cps_result_name(x, c), apart, most);
    }
    done(&a);
    done(&b);
  }
  cps_laws_free(laws);
}

/* Derivatives by its parameters, which are found by path, against differences. */
static void presses_in_studies(void **state) {
  (void)state;
  char text[2000];
  cps_error err = {0};
  cps_normal own = own_normal("mine");
  cps_laws *laws = cps_laws_new();
  assert_int_equal(cps_laws_add_normal(laws, &own, NULL), CPS_OK);
  snprintf(text, sizeof text, PRESSED, "nodes", "mine: {hardness: 2e7}", "alpha, step: 1 ms, balance: 1e-12");
  cps_scenario *s = read_with(laws, text, NULL);
  assert_non_null(s);
  const char *wrt[] = {"cables.rope.contact.normal.hardness"}, *of[] = {"cables.rope.tension_max"};
  double gradient[2];
  for (int k = 0; k < 2; k++) {
    cps_sens *sens = cps_sens_new(s, wrt, 1, of, 1, &err);
    if (!sens || cps_sens_run(sens, k ? CPS_SENS_DIFFERENCES : CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK)
      fail_msg("%s", err.text);
    gradient[k] = cps_sens_gradient(sens, 0, 0);
    cps_sens_free(sens);
  }
  assert_true(fabs(gradient[0]) > 0);
  if (!(fabs(gradient[0] - gradient[1]) < 1e-4 * fabs(gradient[0])))
    fail_msg("%.9g by derivatives, %.9g by differences", gradient[0], gradient[1]);
  cps_scenario_free(s);
  cps_laws_free(laws);
}

static void pull(const cps_normal *law, const double *p, double depth, double rate, cps_normal_output *out) {
  (void)law;
  out->n = depth > 0 ? p[0] * depth + 1e9 * rate : 0;
}

static void reach(const cps_normal *law, const double *p, double depth, double rate, cps_normal_output *out) {
  (void)law, (void)rate;
  out->n = p[0] * (depth + 2);
}

static void normal_refusals(void **state) {
  (void)state;
  static const cps_param odd_unit[] = {{"hardness", "apples", 1, 0, 2, "?"}, {"loss", "1", 1, 0, 2, "?"}};
  cps_normal own = own_normal("mine"), bad;
  cps_error err;
  cps_laws *laws = cps_laws_new();
  assert_int_equal(cps_laws_add_normal(laws, &own, &err), CPS_OK);
  assert_ptr_equal(cps_laws_find_normal(laws, "mine"), &own);
  assert_ptr_equal(cps_laws_normal_at(laws, cps_laws_normals(laws) - 1), &own);
  assert_null(cps_laws_normal_at(laws, cps_laws_normals(laws)));
  assert_null(cps_laws_find(laws, "mine"));
  struct {
    const char *name;
    void (*eval)(const cps_normal *, const double *, double, double, cps_normal_output *);
    const cps_param *params;
    const char *text;
  } cases[] = {{"mine", press, press_params, "there is a law mine already"},
               {"penalty", press, press_params, "there is a law penalty already"},
               {"my law", press, press_params, "letters, digits"},
               {"new", press, odd_unit, "parameter hardness"},
               {"new", pull, press_params, "it pulls"},
               {"new", reach, press_params, "has not entered"},
               {"new", NULL, press_params, "eval is needed"}};
  for (int i = 0; i < ROWS(cases); i++) {
    bad = own_normal(cases[i].name);
    bad.eval = cases[i].eval;
    bad.params = cases[i].params;
    assert_int_equal(cps_laws_add_normal(laws, &bad, &err), CPS_BAD_INPUT);
    if (!strstr(err.text, cases[i].text)) fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].text);
  }
  /* what a file may say of it */
  struct {
    const char *law, *text;
  } files[] = {{"mien", "did you mean \"mine\"? There are: hunt-crossley, hunt-crossley-onset, linear, mine"},
               {"mine: {hardness: -1}", "hardness"},
               {"mine: {loss: 3 kg}", "s/m"}};
  for (int i = 0; i < ROWS(files); i++) {
    char text[2000];
    cps_problems *problems = NULL;
    snprintf(text, sizeof text, PRESSED, "nodes", files[i].law, "alpha");
    assert_null(read_with(laws, text, &problems));
    const cps_error *e = cps_problems_at(problems, 0);
    assert_int_equal(e->line, 11);
    if (!strstr(e->text, files[i].text)) fail_msg("\"%s\" does not say \"%s\"", e->text, files[i].text);
    cps_problems_free(problems);
  }
  cps_laws_free(laws);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),      cmocka_unit_test(studies),
                                     cmocka_unit_test(complaints),     cmocka_unit_test(refusals),
                                     cmocka_unit_test(presses_alike),  cmocka_unit_test(presses_in_studies),
                                     cmocka_unit_test(normal_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
