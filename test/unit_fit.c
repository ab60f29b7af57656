/* unit_fit.c - identification: linear algebra, quantiles, tables of measurements, and fits whose result is known: exact data,
 * noise of known size, bounds, outliers, several sets, what cannot be told apart, and misuse. */
#include "test.h"

#include "least_squares.h"

#include <unistd.h>

/* ------------------------------------------------------------------ arithmetic */

static void test_least(void **state) {
  (void)state;
  enum { M = 9, N = 4 };
  rng r = rng_for("least", 1);
  double a[M * N], b[M], keep[M * N], keep_b[M], up[N * N], c[N], s[N], v[N * N], x[N], work[N];
  for (int i = 0; i < M * N; i++) keep[i] = a[i] = rng_between(&r, -1, 1) * (i % N == 2 ? 1e6 : 1);
  for (int i = 0; i < M; i++) keep_b[i] = b[i] = rng_between(&r, -1, 1);
  double rest = cps_least_reduce(a, b, M, N, up, c);
  cps_least_svd(up, N, s, v);
  for (int i = 1; i < N; i++) assert_true(s[i] <= s[i - 1] && s[i] > 0);
  cps_least_damped(up, s, v, c, N, 0, x, work);
  /* the residual is orthogonal to every column, and as large as was said */
  double sum = 0, dot[N] = {0};
  for (int i = 0; i < M; i++) {
    double left = keep_b[i];
    for (int k = 0; k < N; k++) left -= keep[i * N + k] * x[k];
    sum += left * left;
    for (int k = 0; k < N; k++) dot[k] += left * keep[i * N + k] / (k == 2 ? 1e6 : 1);
  }
  assert_true(fabs(sum - rest) < 1e-13);
  for (int k = 0; k < N; k++) assert_true(fabs(dot[k]) < 1e-13);
  /* damping makes the step shorter */
  double damped[N];
  cps_least_damped(up, s, v, c, N, s[0] * s[0], damped, work);
  assert_true(fabs(damped[2]) < fabs(x[2]));
}

static void test_student(void **state) {
  (void)state;
  /* tables: 12.706, 2.228, 2.042, 1.960; for 1 degree of freedom tan(0.95 pi/2) */
  assert_true(fabs(cps_student_quantile(0.95, 1) - tan(0.475 * 3.14159265358979323846)) < 1e-8);
  assert_true(fabs(cps_student_quantile(0.95, 2) - 0.95 * sqrt(2 / (1 - 0.95 * 0.95))) < 1e-10);
  assert_true(fabs(cps_student_quantile(0.95, 10) - 2.228138852) < 1e-8);
  assert_true(fabs(cps_student_quantile(0.95, 30) - 2.042272456) < 1e-8);
  assert_true(fabs(cps_student_quantile(0.95, INFINITY) - 1.959963985) < 1e-8);
}

/* ------------------------------------------------------------------ tables */

static cps_table *table_of(const char *text, cps_problems **problems) {
  char path[] = "/tmp/unit_fit_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  cps_table *t = cps_table_load(path, problems);
  remove(path);
  return t;
}

static void test_tables(void **state) {
  (void)state;
  cps_problems *problems = NULL;
  cps_table *t = table_of("# bench\ntime [ms]; x [mm];sigma(x);\"v\"\n\n0;1;0.5;\n1.5;nan;0.5;7\n",
                          &problems);
  assert_non_null(t);
  assert_int_equal(cps_table_columns(t), 4);
  assert_int_equal(cps_table_rows(t), 2);
  assert_string_equal(cps_table_name(t, 0), "time");
  assert_string_equal(cps_table_unit(t, 0), "ms");
  assert_string_equal(cps_table_name(t, 2), "sigma(x)");
  assert_string_equal(cps_table_unit(t, 3), "");
  assert_true(cps_table_data(t, 0)[1] == 1.5 && cps_table_data(t, 1)[0] == 1);
  assert_true(isnan(cps_table_data(t, 1)[1]) && isnan(cps_table_data(t, 3)[0]));
  cps_table_free(t);
  static const struct {
    const char *text, *says;
  } bad[] = {
      {"", "no data"},
      {"0,1\n1,2\n", "names the columns"},
      {"time\n0\n1\n", "only one column"},
      {"time,x\n0,1\n0,2\n", "not later"},
      {"time,x\n0,1\n1,two\n", "expected a number"},
      {"time,x\n0,1\n", "at least two lines"},
  };
  for (int i = 0; i < ROWS(bad); i++) {
    assert_null(table_of(bad[i].text, &problems));
    if (!strstr(cps_problems_at(problems, 0)->text, bad[i].says))
      fail_msg("%s: %s", bad[i].text, cps_problems_at(problems, 0)->text);
    cps_problems_free(problems);
  }
  assert_null(cps_table_load("/nowhere/at/all.csv", &problems));
  assert_int_equal(cps_problems_at(problems, 0)->status, CPS_IO);
  cps_problems_free(problems);
}

/* ------------------------------------------------------------------ fits */

/* A damped oscillator: m = 2, k = 8, d = 0.4, x0 = 0.1. */
#define OSCILLATOR                                                                                           \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 2 kg, x: 10 cm}}\n"                                                                \
  "springs: {spring: {between: [ground, block], stiffness: 8 N/m, damping: 0.4 N s/m}}\n"                    \
  "loads: {push: {on: block, force: 0}}\n"                                                                   \
  "run: {until: 6, output: 0.1, solver: rk4, step: 0.01}\n"

enum { ROWS_MOST = 100 };

static const char *const K = "springs.spring.stiffness", *const D = "springs.spring.damping",
                         *const M_ = "bodies.block.mass", *const X = "bodies.block.x",
                         *const V = "bodies.block.v";

static cps_scenario *parse(const char *setting) {
  cps_scenario *s = cps_scenario_parse(OSCILLATOR, strlen(OSCILLATOR), "test.yaml", &setting, setting ? 1 : 0,
                                       NULL);
  assert_non_null(s);
  return s;
}

/* A column of a run, into y; its times into t. */
static long measure(const char *setting, const char *column, double *t, double *y) {
  cps_scenario *s = parse(setting);
  cps_system *system = cps_system_new(s, NULL);
  cps_simulation *sim = cps_simulation_new(system, NULL);
  assert_int_equal(cps_simulation_run(sim, NULL, NULL, NULL), CPS_OK);
  const cps_result *r = cps_simulation_result(sim);
  long n = cps_result_rows(r);
  assert_true(n <= ROWS_MOST);
  memcpy(t, cps_result_data(r, 0), (size_t)n * sizeof *t);
  memcpy(y, cps_result_data(r, cps_result_find(r, column)), (size_t)n * sizeof *y);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return n;
}

/* A scenario that starts from wrong values, and its fit. */
typedef struct wrong {
  cps_scenario *scenario;
  cps_fit *fit;
} wrong;

static wrong start(const char *const *paths, const double *values, int n) {
  cps_scenario *s = parse(NULL);
  wrong w = {cps_scenario_with(s, paths, values, n, NULL), NULL};
  cps_error err = {0};
  w.fit = cps_fit_new(w.scenario, paths, n, &err);
  if (!w.fit) fail_msg("%s", err.text);
  cps_scenario_free(s);
  return w;
}

static void done(wrong *w) {
  cps_fit_free(w->fit);
  cps_scenario_free(w->scenario);
}

static void run_fit(cps_fit *fit) {
  cps_error err = {0};
  if (cps_fit_run(fit, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
}

static double found(const cps_fit *fit, int i) {
  cps_fit_parameter p;
  assert_int_equal(cps_fit_get(fit, i, &p), CPS_OK);
  return p.quantity.value;
}

static int warned(const cps_fit *fit, const char *text) {
  for (int i = 0; cps_fit_warning(fit, i); i++)
    if (strstr(cps_fit_warning(fit, i), text)) return 1;
  return 0;
}

/* Without noise the parameters come back, from two series of different units. */
static void test_exact(void **state) {
  (void)state;
  double t[ROWS_MOST], x[ROWS_MOST], v[ROWS_MOST];
  const char *paths[] = {K, D};
  long n = measure(NULL, X, t, x);
  measure(NULL, V, t, v);
  wrong w = start(paths, (double[]){9.5, 0.1}, 2);
  int set = cps_fit_add_set(w.fit, NULL, 0, NULL);
  x[7] = NAN; /* a gap */
  assert_int_equal(cps_fit_add_series(w.fit, set, X, t, x, NULL, n, NULL), CPS_OK);
  assert_int_equal(cps_fit_add_series(w.fit, set, V, t + 1, v + 1, NULL, n - 1, NULL), CPS_OK);
  run_fit(w.fit);
  assert_true(cps_fit_converged(w.fit));
  assert_true(fabs(found(w.fit, 0) - 8) < 1e-7 && fabs(found(w.fit, 1) - 0.4) < 1e-7);
  assert_true(cps_fit_cost(w.fit, 1) < 1e-6 * cps_fit_cost(w.fit, 0));
  cps_fit_series s;
  assert_int_equal(cps_fit_series_get(w.fit, set, 0, &s), CPS_OK);
  assert_int_equal(s.n, n - 1);
  assert_string_equal(s.unit, "m");
  assert_true(s.rms_after < 1e-6 * s.rms_before);
  cps_scenario *after = cps_fit_scenario(w.fit, set, 1, NULL);
  cps_quantity q;
  assert_int_equal(cps_scenario_quantity(after, K, &q, NULL), CPS_OK);
  assert_true(q.value == found(w.fit, 0));
  cps_scenario_free(after);
  done(&w);
}

/* Standard errors scale with the noise, and are those of the linear problem: x depends on x0 alone as x = x0 c(t). */
static void test_errors(void **state) {
  (void)state;
  double t[ROWS_MOST], x[ROWS_MOST], y[ROWS_MOST], sigma[ROWS_MOST], sum = 0;
  long n = measure(NULL, X, t, x);
  rng r = rng_for("errors", 1);
  for (long i = 0; i < n; i++) {
    y[i] = x[i] +
           1e-3 * (rng_uniform(&r) + rng_uniform(&r) + rng_uniform(&r) - 1.5) * 2; /* of deviation 1e-3 */
    sigma[i] = 1e-3;
    sum += x[i] * x[i] / 0.01;
  }
  const char *path = "bodies.block.x";
  for (int known = 0; known < 2; known++) {
    wrong w = start(&path, (double[]){0.12}, 1);
    int set = cps_fit_add_set(w.fit, NULL, 0, NULL);
    cps_fit_add_series(w.fit, set, X, t, y, known ? sigma : NULL, n, NULL);
    run_fit(w.fit);
    cps_fit_parameter p;
    cps_fit_series s;
    cps_fit_get(w.fit, 0, &p);
    cps_fit_series_get(w.fit, set, 0, &s);
    double expected = (known ? 1e-3 : s.sigma) / sqrt(sum);
    if (!(fabs(p.error - expected) < 1e-6 * expected)) fail_msg("error %g is not %g", p.error, expected);
    assert_true(fabs(s.sigma - 1e-3) < (known ? 1e-12 : 3e-4));
    double reach = cps_student_quantile(0.95, known ? INFINITY : (double)(n - 1)) * p.error;
    assert_true(fabs(p.high - p.low - 2 * reach) < 1e-9 * reach);
    assert_true(p.low < 0.1 && 0.1 < p.high);
    done(&w);
  }
}

static void test_bounds(void **state) {
  (void)state;
  double t[ROWS_MOST], x[ROWS_MOST];
  long n = measure(NULL, X, t, x);
  const char *paths[] = {K, D};
  wrong w = start(paths, (double[]){9.5, 0.1}, 2);
  assert_int_equal(cps_fit_bounds(w.fit, 0, 8.5, 12, NULL), CPS_OK);
  assert_int_equal(cps_fit_bounds(w.fit, 1, 3, 2, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_fit_bounds(w.fit, 1, -3, -2, NULL), CPS_BAD_INPUT); /* damping is not negative */
  cps_fit_add_series(w.fit, cps_fit_add_set(w.fit, NULL, 0, NULL), X, t, x, NULL, n, NULL);
  run_fit(w.fit);
  cps_fit_parameter p;
  cps_fit_get(w.fit, 0, &p);
  assert_true(p.quantity.value == 8.5 && p.at_bound == -1 && isnan(p.error));
  assert_true(warned(w.fit, "lower bound"));
  cps_fit_get(w.fit, 1, &p);
  assert_true(p.at_bound == 0 && p.error > 0);
  done(&w);
}

/* Outliers pull squares away, and hardly move robust losses. */
static void test_robust(void **state) {
  (void)state;
  double t[ROWS_MOST], x[ROWS_MOST], off[3];
  long n = measure(NULL, X, t, x);
  rng r = rng_for("robust", 2);
  for (long i = 0; i < n; i++) x[i] += 5e-4 * rng_between(&r, -1, 1) + (i % 9 == 4 ? 0.05 : 0);
  for (int loss = 0; loss < 3; loss++) {
    wrong w = start(&K, (double[]){9}, 1);
    assert_int_equal(cps_fit_loss(w.fit, (cps_loss)loss), CPS_OK);
    cps_fit_add_series(w.fit, cps_fit_add_set(w.fit, NULL, 0, NULL), X, t, x, NULL, n, NULL);
    run_fit(w.fit);
    off[loss] = fabs(found(w.fit, 0) - 8);
    done(&w);
  }
  if (!(off[1] < 0.25 * off[0] && off[2] < 0.1 * off[0])) fail_msg("%g %g %g", off[0], off[1], off[2]);
}

/* Mass and stiffness alone only show their ratio; a second run with a known force tells them apart. */
static void test_identifiability(void **state) {
  (void)state;
  double t[ROWS_MOST], x[ROWS_MOST], y[ROWS_MOST];
  const char *paths[] = {M_, K}, *push = "loads.push.force=0.5", *undamped = "springs.spring.damping=0";
  long n = measure(undamped, X, t, x);
  wrong w = start(paths, (double[]){2.2, 9}, 2);
  int set = cps_fit_add_set(w.fit, &undamped, 1, NULL);
  cps_fit_add_series(w.fit, set, X, t, x, NULL, n, NULL);
  run_fit(w.fit);
  assert_true(warned(w.fit, "tell their effects apart"));
  cps_fit_parameter p;
  cps_fit_get(w.fit, 0, &p);
  assert_true(isnan(p.error));
  assert_true(fabs(found(w.fit, 1) / found(w.fit, 0) - 4) < 1e-6);
  done(&w);
  w = start(paths, (double[]){2.2, 9}, 2);
  measure(NULL, X, t, x);
  measure(push, X, t, y);
  cps_fit_add_series(w.fit, cps_fit_add_set(w.fit, NULL, 0, NULL), X, t, x, NULL, n, NULL);
  cps_fit_add_series(w.fit, cps_fit_add_set(w.fit, &push, 1, NULL), X, t, y, NULL, n, NULL);
  run_fit(w.fit);
  assert_true(!warned(w.fit, "apart"));
  assert_true(fabs(found(w.fit, 0) - 2) < 1e-6 && fabs(found(w.fit, 1) - 8) < 1e-6);
  assert_true(cps_fit_singular(w.fit, 0) >= cps_fit_singular(w.fit, 1));
  done(&w);
}

static int stop_at_once(const cps_fit_progress *now, void *data) {
  (void)data;
  return now->step >= 1;
}

static void test_misuse(void **state) {
  (void)state;
  double t[] = {0, 1, 2, 3}, x[] = {0, 1, 2, 3}, sigma[] = {1, 1, 0, 1}, late[] = {5, 6, 7, 8};
  cps_error err = {0};
  cps_scenario *s = parse(NULL);
  const char *twice[] = {K, K}, *nothing = "bodies.block.moss", *setting = "bodies.blok.mass=1";
  assert_null(cps_fit_new(s, NULL, 0, &err));
  assert_null(cps_fit_new(s, twice, 2, &err));
  assert_non_null(strstr(err.text, "twice"));
  assert_null(cps_fit_new(s, &nothing, 1, &err));
  assert_non_null(strstr(err.text, "bodies.block.mass"));
  cps_fit *fit = cps_fit_new(s, &K, 1, &err);
  assert_int_equal(cps_fit_run(fit, NULL, NULL, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_fit_add_set(fit, &setting, 1, &err), -1);
  assert_int_equal(cps_fit_add_series(fit, 0, X, t, x, NULL, 4, &err), CPS_BAD_INPUT);
  int set = cps_fit_add_set(fit, NULL, 0, &err);
  assert_int_equal(cps_fit_add_series(fit, set, X, late, x, NULL, 4, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "the run is from"));
  assert_int_equal(cps_fit_add_series(fit, set, X, t, x, sigma, 4, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_fit_add_series(fit, set, X, x, t, NULL, 1, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_fit_add_series(fit, set, "bodies.block.xx", t, x, NULL, 4, &err), CPS_OK);
  assert_int_equal(cps_fit_run(fit, NULL, NULL, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "bodies.block.x"));
  cps_fit_free(fit);
  fit = cps_fit_new(s, &K, 1, &err);
  double y[] = {0.1, -0.05, -0.05, 0.08};
  cps_fit_add_series(fit, cps_fit_add_set(fit, NULL, 0, &err), X, t, y, NULL, 4, &err);
  assert_int_equal(cps_fit_run(fit, stop_at_once, NULL, &err), CPS_FAILED);
  assert_string_equal(cps_fit_reason(fit), "it was stopped");
  cps_fit_free(fit);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_least),  cmocka_unit_test(test_student),         cmocka_unit_test(test_tables),
      cmocka_unit_test(test_exact),  cmocka_unit_test(test_errors),          cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_robust), cmocka_unit_test(test_identifiability), cmocka_unit_test(test_misuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
