/* verify_fit_slow.c - fits find what they should, and know how well: parameters that made noisy data lie in their 95 %
 * confidence intervals in at least 90 of 100 trials, one by one and together, each trial with noise and a start of its own.
 * Rabinowicz's block, a LuGre contact under pulses, friction and stiffness of a cable on a motorised pulley.
 */
#include "test.h"

enum { TRIALS = 100, ENOUGH = 90, PARAMETERS_MOST = 4, SERIES_MOST = 2 };

#define RABINOWICZ                                                                                           \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg}}\n"                                                                          \
  "surfaces: {belt: {velocity: 1 m/s}}\n"                                                                    \
  "springs: {spring: {between: [ground, block], stiffness: 10 N/m}}\n"                                       \
  "contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: "  \
  "0.7}}}}\n"                                                                                                \
  "run: {until: 4 s, output: 40 ms, solver: events, tolerance: 1e-9, absolute_tolerance: 1e-11}\n"

#define LUGRE                                                                                                \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg}}\n"                                                                          \
  "contacts: {floor: {between: [block, ground], normal: 10 N, friction: {lugre: {f_s: 6, f_c: 4, v_s: 50 "   \
  "mm/s, sigma0: 2e4 N/m, sigma1: 100 N s/m}}}}\n"                                                           \
  "loads: {push: {on: block, force: {pulses: {amplitude: 6.5 N, start: 20 ms, width: 100 ms}}}}\n"           \
  "run: {until: 0.2 s, output: 2 ms, solver: alpha, tolerance: 1e-6, absolute_tolerance: 1e-10}\n"

#define PULLEY                                                                                               \
  "capstan: 1\n"                                                                                             \
  "drums: {pulley: {radius: 250 mm, drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 0.6 rad, " \
  "duration: 0.6 s}}}}}}\n"                                                                                  \
  "bodies: {left: {mass: 10 kg}, right: {mass: 14 kg}}\n"                                                    \
  "cables:\n"                                                                                                \
  "  rope:\n"                                                                                                \
  "    EA: 20 kN\n"                                                                                          \
  "    EI: 0.7 N m2\n"                                                                                       \
  "    mass_per_length: 0.4555 kg/m\n"                                                                       \
  "    damping: {rayleigh: 10 N s}\n"                                                                        \
  "    elements: 9\n"                                                                                        \
  "    path: [left, hang 0.5 m, over pulley, hang 0.5 m, right]\n"                                           \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: "               \
  "1}}, "                                                                                                    \
  "friction: "                                                                                               \
  "{cdq: {mu: 0.15, epsilon: 10 mm/s, alpha: 0.9}}}\n"                                                       \
  "run: {until: 0.8 s, output: 10 ms, solver: alpha, fields: 0}\n"

typedef struct trial_case {
  const char *name, *text;
  int n;
  const char *paths[PARAMETERS_MOST];
  double spread; /* starts lie within this share of the truth */
  int n_series;
  struct {
    const char *column;
    double noise; /* standard deviation */
  } series[SERIES_MOST];
} trial_case;

static const trial_case cases[] = {
    {"rabinowicz",
     RABINOWICZ,
     3,
     {"contacts.belt.friction.mu_s", "contacts.belt.friction.mu_d", "springs.spring.stiffness"},
     0.05,
     1,
     {{"bodies.block.x", 5e-3}}},
    {"lugre",
     LUGRE,
     3,
     {"contacts.floor.friction.f_s", "contacts.floor.friction.f_c", "contacts.floor.friction.sigma0"},
     0.03,
     2,
     {{"bodies.block.x", 2e-5}, {"bodies.block.v", 1e-3}}},
    {"pulley",
     PULLEY,
     2,
     {"cables.rope.contact.friction.mu", "cables.rope.EA"},
     0.1,
     2,
     {{"bodies.left.y", 5e-4}, {"bodies.right.y", 5e-4}}},
};

/* What chi-square of 1 .. 4 degrees of freedom exceeds in 5 of 100 cases. */
static const double chi_square[PARAMETERS_MOST] = {3.841, 5.991, 7.815, 9.488};

static double normal(rng *r) {
  double u = rng_uniform(r), v = rng_uniform(r);
  return sqrt(-2 * log(u > 0 ? u : 0x1p-53)) * cos(2 * 3.14159265358979323846 * v);
}

/* The true data, without noise. */
typedef struct truth {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  double value[PARAMETERS_MOST];
} truth;

static truth make_truth(const trial_case *c) {
  truth t = {0};
  cps_problems *problems = NULL;
  cps_error err = {0};
  t.scenario = cps_scenario_parse(c->text, strlen(c->text), c->name, NULL, 0, &problems);
  if (!t.scenario) fail_msg("%s: %s", c->name, cps_problems_at(problems, 0)->text);
  t.system = cps_system_new(t.scenario, &err);
  t.sim = t.system ? cps_simulation_new(t.system, &err) : NULL;
  if (!t.sim || cps_simulation_run(t.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", c->name, err.text);
  for (int i = 0; i < c->n; i++) {
    cps_quantity q;
    assert_int_equal(cps_scenario_quantity(t.scenario, c->paths[i], &q, &err), CPS_OK);
    t.value[i] = q.value;
  }
  return t;
}

/* The distance of the truth from what was found, measured by the covariance: solves C x = d by elimination. */
static double distance(const cps_fit *fit, const double *d, int n) {
  double a[PARAMETERS_MOST][PARAMETERS_MOST + 1], sum = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) a[i][j] = cps_fit_covariance(fit, i, j) / (d[i] * d[j]);
    a[i][n] = 1;
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j <= n; j++) a[i][j] -= f * a[k][j];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) a[k][n] -= a[k][j] * a[j][n];
    a[k][n] /= a[k][k];
    sum += a[k][n];
  }
  return sum;
}

typedef struct score {
  int inside[PARAMETERS_MOST], together, unfinished;
} score;

static void try_once(const trial_case *c, const truth *t, int trial, score *s) {
  rng r = rng_for(c->name, (uint64_t)trial);
  const cps_result *result = cps_simulation_result(t->sim);
  long n = cps_result_rows(result);
  cps_error err = {0};
  double start[PARAMETERS_MOST], off[PARAMETERS_MOST];
  for (int i = 0; i < c->n; i++) start[i] = t->value[i] * (1 + c->spread * (2 * rng_uniform(&r) - 1));
  cps_scenario *from = cps_scenario_with(t->scenario, c->paths, start, c->n, NULL);
  cps_fit *fit = from ? cps_fit_new(from, c->paths, c->n, &err) : NULL;
  assert_non_null(fit);
  int set = cps_fit_add_set(fit, NULL, 0, &err);
  for (int k = 0; k < c->n_series; k++) {
    double *y = malloc((size_t)n * sizeof *y);
    const double *x = cps_result_data(result, cps_result_find(result, c->series[k].column));
    for (long i = 0; i < n; i++) y[i] = x[i] + c->series[k].noise * normal(&r);
    if (cps_fit_add_series(fit, set, c->series[k].column, cps_result_data(result, 0), y, NULL, n, &err) !=
        CPS_OK)
      fail_msg("%s: %s", c->name, err.text);
    free(y);
  }
  if (cps_fit_run(fit, NULL, NULL, &err) != CPS_OK) fail_msg("%s, trial %d: %s", c->name, trial, err.text);
  s->unfinished += !cps_fit_converged(fit);
  for (int i = 0; i < c->n; i++) {
    cps_fit_parameter p;
    cps_fit_get(fit, i, &p);
    s->inside[i] += p.low <= t->value[i] && t->value[i] <= p.high;
    off[i] = p.quantity.value - t->value[i];
  }
  s->together += distance(fit, off, c->n) <= chi_square[c->n - 1];
  cps_fit_free(fit);
  cps_scenario_free(from);
}

static void test_case(void **state) {
  const trial_case *c = *state;
  truth t = make_truth(c);
  score s = {0};
  for (int trial = 0; trial < TRIALS; trial++) try_once(c, &t, trial, &s);
  print_message("%s: in %d trials the truth was inside for", c->name, TRIALS);
  for (int i = 0; i < c->n; i++) print_message(" %s %d,", c->paths[i], s.inside[i]);
  print_message(" together %d; %d did not come to an end\n", s.together, s.unfinished);
  for (int i = 0; i < c->n; i++) assert_true(s.inside[i] >= ENOUGH);
  assert_true(s.together >= ENOUGH);
  /* and the intervals are not simply too wide: of 100 about 5 miss */
  int missed = TRIALS - s.together;
  for (int i = 0; i < c->n; i++) missed += TRIALS - s.inside[i];
  assert_true(missed > 0);
  cps_simulation_free(t.sim);
  cps_system_free(t.system);
  cps_scenario_free(t.scenario);
}

/* With an argument: only the cases whose names fit. */
int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  struct CMUnitTest tests[ROWS(cases)];
  for (int i = 0; i < ROWS(cases); i++)
    tests[i] = (struct CMUnitTest){cases[i].name, test_case, NULL, NULL, (void *)&cases[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
