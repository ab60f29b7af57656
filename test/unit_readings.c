/* unit_readings.c - the two readings of the balance force on cables: consistent with the contacts that slip (Quinn 2004,
 * 3.3), and the multipliers of the problem in which all contacts stick (Westin and Irani). Where nothing slips they are the
 * same; where a node touches down under way, the multipliers of its neighbours jump. */
#include "test.h"

#include "newton.h"

#define PULLEY                                                                                               \
  "capstan: 1\n"                                                                                             \
  "drums: {pulley: {radius: 250 mm, drive: {rotation: {cycloid: {amplitude: 20 deg, duration: 1 s}}}}}\n"    \
  "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                                                    \
  "cables:\n  rope:\n    EA: 9.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n"                   \
  "    damping: {rayleigh: 10 N s}\n    elements: 30\n"                                                      \
  "    path: [left, hang 0.6 m, over pulley, hang 0.6 m, right]\n"                                           \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: "              \
  "0.25}}}\n"                                                                                                \
  "run: {until: 1 s, output: 10 ms, tolerance: 1e-7, balance: 1e-12}\n"

/* ------------------------------------------------------------------ runs */

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_error err;
} ran;

static cps_scenario *read(const char *text, const char *reading, const char *setting, const char *more) {
  char first[100];
  const char *settings[] = {first, setting, more};
  cps_problems *problems = NULL;
  snprintf(first, sizeof first, "cables.rope.contact.reading=%s", reading);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", settings, setting ? more ? 3 : 2 : 1,
                                       &problems);
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char message[2000];
    cps_problem_text(cps_problems_at(problems, i), message, sizeof message);
    print_error("%s\n", message);
  }
  cps_problems_free(problems);
  assert_non_null(s);
  return s;
}

static ran run(const char *reading, const char *setting, const char *more) {
  ran r = {.scenario = read(PULLEY, reading, setting, more)};
  r.system = cps_system_new(r.scenario, &r.err);
  assert_non_null(r.system);
  r.sim = cps_simulation_new(r.system, &r.err);
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &r.err) != CPS_OK) fail_msg("%s", r.err.text);
  r.result = cps_simulation_result(r.sim);
  return r;
}

static void done(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

/* The largest difference of the load's place. */
static double apart(const ran *a, const ran *b) {
  const double *x = cps_result_data(a->result, cps_result_find(a->result, "bodies.right.y")),
               *y = cps_result_data(b->result, cps_result_find(b->result, "bodies.right.y"));
  double most = 0;
  assert_true(x && y && cps_result_rows(a->result) == cps_result_rows(b->result));
  for (long i = 0; i < cps_result_rows(a->result); i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

static double friction_work(const ran *r) {
  cps_energy e;
  cps_result_energy(r->result, &e);
  assert_true(fabs(e.error) < 1e-4 * e.scale);
  return e.friction;
}

/* Loads that friction holds easily: no contact slips, and both readings are the same equations. Near the tangent points
 * a node always creeps a little as it is laid down, so that it is a small part of what they do in the next test. */
static void test_equal_where_nothing_slips(void **state) {
  (void)state;
  ran a = run("consistent", "cables.rope.contact.friction.mu=3", "run.step=2 ms"),
      b = run("all-stick", "cables.rope.contact.friction.mu=3", "run.step=2 ms");
  if (!(apart(&a, &b) < 5e-9)) fail_msg("%g m apart", apart(&a, &b));
  done(&a);
  done(&b);
}

/* Where some slip they differ, but hardly in where the load ends up; and bdf says the same as alpha. */
static void test_pulley(void **state) {
  (void)state;
  static const struct {
    const char *law;
    double near; /* the last one holds more at rest than it slides with: who lets go first matters */
  } laws[] = {{"cables.rope.contact.friction={quinn: {mu: 0.25}}", 2e-7},
              {"cables.rope.contact.friction={cdq: {mu: 0.25, alpha: 0.9}}", 2e-7},
              {"cables.rope.contact.friction={awrejcewicz: {mu_s: 0.3, mu_d: 0.25}}", 5e-6}};
  for (int i = 0; i < ROWS(laws); i++) {
    ran a = run("consistent", laws[i].law, NULL), b = run("all-stick", laws[i].law, NULL),
        c = run("all-stick", laws[i].law, "run.solver=bdf");
    assert_true(friction_work(&b) > 1e-4);
    if (!(fabs(friction_work(&a) - friction_work(&b)) < 0.02 * friction_work(&a)))
      fail_msg("%s: friction takes %g or %g J", laws[i].law, friction_work(&a), friction_work(&b));
    if (!(apart(&a, &b) < laws[i].near)) fail_msg("%s: %g m apart", laws[i].law, apart(&a, &b));
    if (!(apart(&b, &c) < 5e-6)) fail_msg("%s: alpha and bdf are %g m apart", laws[i].law, apart(&b, &c));
    done(&a);
    done(&b);
    done(&c);
  }
}

/* ------------------------------------------------------------------ touchdown */

/* The largest change of friction, over what is held, of those that touch, while a node goes from just outside to just
 * inside the rim. */
static double change_at_touchdown(const char *reading) {
  cps_scenario *s = read(PULLEY, reading, NULL, NULL);
  machine m;
  cps_error err = {.text = ""};
  if (cps_machine_make(&m, s, &err) != CPS_OK || cps_machine_statics(&m, 0, &err) != CPS_OK)
    fail_msg("%s", err.text);
  cable *c = &m.cable[0];
  alpha_stepper r = {.m = &m};
  int node = -1;
  while (node < 0) { /* until one touches down, and back by that step */
    assert_true(cps_alpha_step(&r, 1e-4, r.t + 1e-4) && r.t < 1);
    for (int i = 0; i < c->n_points; i++)
      if (r.t > 0.1 && c->point[i].drum >= 0 && c->point[i].drum0 < 0) node = i;
  }
  cps_machine_bring_back(&m);
  double *q = c->q + node * c->b, far = hypot(q[0], q[1]), f[2][100], most = 0;
  assert_true(far > m.drum[0].radius && c->n_points < 100);
  for (int side = 0; side < 2; side++) {
    for (int d = 0; d < 2; d++) q[d] *= (m.drum[0].radius + (side == 0 ? 1e-8 : -1e-8)) / hypot(q[0], q[1]);
    assert_true(cps_machine_balance(&m, r.t) > 0);
    assert_int_equal(c->point[node].drum, side - 1);
    for (int i = 0; i < c->n_points; i++) f[side][i] = c->point[i].f[0];
  }
  for (int i = 0; i < c->n_points; i++)
    if (i != node && c->point[i].drum >= 0) most = fmax(most, fabs(f[1][i] - f[0][i]) / c->point[i].limit);
  cps_machine_free(&m);
  cps_scenario_free(s);
  return most;
}

static void test_touchdown(void **state) {
  (void)state;
  double fades = change_at_touchdown("consistent"), jumps = change_at_touchdown("all-stick");
  print_message(
      "a node touches down: friction beside it changes by %.2g of what is held, all-stick by %.2g\n", fades,
      jumps);
  assert_true(fades < 0.05);
  assert_true(jumps > 0.3);
}

/* ------------------------------------------------------------------ refusals */

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *setting, *words;
  } cases[] = {
      {"cables.rope.contact.friction=coulomb", "the law coulomb"},
      {"cables.rope.contact.friction=tanh", "the law tanh"},
      {"cables.rope.contact.friction=dahl", "the law dahl"},
      {"cables.rope.contact.at={quadrature: 2}", "quadrature: 1"},
      {"drums.pulley={radius: 250 mm, inertia: 1 kg m2, drive: free}", "drum pulley is turned by the cable"}};
  for (int i = 0; i < ROWS(cases); i++) {
    cps_scenario *s = read(PULLEY, "all-stick", cases[i].setting, NULL);
    cps_error err = {.text = ""};
    assert_null(cps_system_new(s, &err));
    assert_string_equal(err.key, "cables.rope.contact.reading");
    if (!strstr(err.text, cases[i].words)) fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].words);
    cps_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_where_nothing_slips),
                                     cmocka_unit_test(test_pulley), cmocka_unit_test(test_touchdown),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
