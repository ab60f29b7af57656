/* unit_sens.c - parameters by path, outputs and their grammar, rows at given times, and differences of whole runs: all
 * that the engines of exact derivatives stand on. */
#include "test.h"

#include <unistd.h>

/* x = 0.1 cos(2 t) */
#define OSCILLATOR                                                                                           \
  "capstan: 1\n"                                                                                             \
  "gravity: [0, -9.81]\n"                                                                                    \
  "bodies: {block: {mass: 2 kg, x: 10 cm, at: [1, 2]}}\n"                                                    \
  "springs: {spring: {between: [block, {ground: [1 m, 2 m]}], stiffness: 8 N/m}}\n"                          \
  "profiles: {pull: {sine: {amplitude: 0, omega: 3}}}\n"                                                     \
  "loads: {pull: {on: block, force: pull}}\n"

/* Rabinowicz's block: sticks until t = mu_s m g/(k v). */
#define BELT                                                                                                 \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg, v: 1 m/s}}\n"                                                                \
  "surfaces: {belt: {velocity: 1 m/s}}\n"                                                                    \
  "springs: {spring: {between: [ground, block], stiffness: 10 N/m}}\n"                                       \
  "contacts: {rub: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: "   \
  "0.7}}}}\n"                                                                                                \
  "run: {until: 1.5 s, output: 0.05 s, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n"

static cps_scenario *parse(const char *text) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) print_error("%s\n%s\n", cps_problems_at(problems, 0)->text, text);
  cps_problems_free(problems);
  assert_non_null(s);
  return s;
}

/* ------------------------------------------------------------------ paths */

#define RICH                                                                                                 \
  "capstan: 1\n"                                                                                             \
  "gravity: [0.5, -9.81]\n"                                                                                  \
  "bodies:\n  a: {mass: 2 t, position: [1 cm, 3], velocity: [1, 2]}\n  b: {mass: 1 kg}\n"                    \
  "springs: {s: {between: [a, {ground: [1 mm, 2]}], stiffness: 3 kN/m}}\n"                                   \
  "profiles: {p: {sum: [{sine: {amplitude: 2 N, omega: 3 rad/s}}, 5 N]}}\n"                                  \
  "loads:\n  l: {on: b, force: p}\n  m: {on: b, force: {table: {times: [0, 1], values: [1 kN, 2]}}}\n"       \
  "contacts:\n  c: {between: [b, ground], normal: 4 N, friction: {lugre: {sigma0: 1 kN/m}}}\n"               \
  "  d: {between: [b, ground], normal: 4 N, friction: coulomb}\n"                                            \
  "run: {until: 1}\n"

#define CABLE                                                                                                \
  "capstan: 1\n"                                                                                             \
  "drums: {d: {radius: 0.1 m, center: [0, 0], drive: {pd: {kp: 4, kd: 2, setpoint: {cycloid: {amplitude: "   \
  "3 rad, duration: 1}}}}}}\n"                                                                               \
  "cables: {c: {EA: 1 kN, mass_per_length: 1, elements: 9, path: [free, hang 1 m, over d, hang 1 m, "        \
  "free], masses: [{at: 0, mass: 3}], contact: {at: nodes, normal: {linear: {stiffness: 1e5}}, "             \
  "friction: {coulomb: "                                                                                     \
  "{mu: "                                                                                                    \
  "0.3}}}}}\n"                                                                                               \
  "run: {until: 1}\n"

static void test_quantities(void **state) {
  (void)state;
  static const struct {
    const char *text, *path;
    double value;
    const char *unit;
  } cases[] = {
      {RICH, "bodies.a.mass", 2000, "kg"},
      {RICH, "bodies.a.position.0", 0.01, "m"},
      {RICH, "bodies.a.position.1", 3, "m"},
      {RICH, "bodies.b.x", 0, "m"}, /* a default */
      {RICH, "gravity.1", -9.81, "m/s2"},
      {RICH, "springs.s.stiffness", 3000, "N/m"},
      {RICH, "springs.s.damping", 0, "N s/m"},
      {RICH, "springs.s.between.1.ground.0", 1e-3, "m"},
      {RICH, "profiles.p.sum.0.sine.amplitude", 2, "N"},
      {RICH, "profiles.p.sum.1", 5, "N"},
      {RICH, "loads.m.force.table.values.0", 1000, "N"},
      {RICH, "loads.m.force.values.1", 2, "N"}, /* the kind is left out */
      {RICH, "contacts.c.normal", 4, "N"},
      {RICH, "contacts.c.friction.lugre.sigma0", 1000, "N/m"},
      {RICH, "contacts.c.friction.sigma0", 1000, "N/m"},
      {BELT, "gravity", 9.81, "m/s2"},
      {BELT, "contacts.rub.friction.mu_d", 0.7, "1"},
      {BELT, "surfaces.belt.velocity", 1, "m/s"},
      {CABLE, "cables.c.EA", 1000, "N"},
      {CABLE, "cables.c.EI", 0, "N m2"},
      {CABLE, "cables.c.damping.axial", 0, "N s"},
      {CABLE, "cables.c.path.1.hang", 1, "m"},
      {CABLE, "cables.c.masses.0.mass", 3, "kg"},
      {CABLE, "cables.c.contact.normal.stiffness", 1e5, "N/m"},
      {CABLE, "cables.c.contact.friction.mu", 0.3, "1"},
      {CABLE, "cables.c.contact.friction.coulomb.mu", 0.3, "1"},
      {CABLE, "drums.d.center.1", 0, "m"},
      {CABLE, "drums.d.drive.pd.kp", 4, NULL},
      {CABLE, "drums.d.drive.kd", 2, NULL},
      {CABLE, "drums.d.drive.pd.setpoint.cycloid.amplitude", 3, "rad"},
  };
  for (int i = 0; i < ROWS(cases); i++) {
    cps_scenario *s = parse(cases[i].text);
    cps_quantity q;
    cps_error err = {0};
    if (cps_scenario_quantity(s, cases[i].path, &q, &err) != CPS_OK)
      fail_msg("%s: %s", cases[i].path, err.text);
    if (fabs(q.value - cases[i].value) > 1e-12 * fabs(cases[i].value))
      fail_msg("%s is %g, not %g", q.path, q.value, cases[i].value);
    if (cases[i].unit && strcmp(q.unit, cases[i].unit) != 0) fail_msg("%s is in \"%s\"", q.path, q.unit);
    assert_string_equal(q.path, cases[i].path);
    /* What can be read can be changed, and is then what it was changed to. */
    const char *path = cases[i].path;
    double other = q.value != 0 ? 1.25 * q.value : 0.25;
    cps_problems *problems = NULL;
    cps_scenario *with = cps_scenario_with(s, &path, &other, 1, &problems);
    if (!with) fail_msg("%s: %s", path, cps_problems_at(problems, 0)->text);
    assert_int_equal(cps_scenario_quantity(with, path, &q, &err), CPS_OK);
    assert_true(q.value == other);
    cps_scenario_free(with);
    cps_scenario_free(s);
  }
}

static void test_bad_paths(void **state) {
  (void)state;
  static const struct {
    const char *path, *says;
  } cases[] = {
      {"bodies.a.mas", "did you mean \"bodies.a.mass\""},
      {"bodys.a.mass", "did you mean \"bodies.a.mass\""},
      {"contacts.c.friction.sigma_0", "sigma0"},
      {"bodies.a", "is more than one number; such as bodies.a.mass"},
      {"bodies.a.position", "is more than one number"},
      {"bodies.b.direction.0", "is not a number in this scenario"},
      {"loads.l.on", "is not a number in this scenario"},
      {"run.solver", "is not a number"},
      {"", "there is no number"},
      {"nonsense", "there is no number \"nonsense\""},
  };
  cps_scenario *s = parse(RICH);
  for (int i = 0; i < ROWS(cases); i++) {
    cps_quantity q;
    cps_error err = {0};
    assert_int_equal(cps_scenario_quantity(s, cases[i].path, &q, &err), CPS_BAD_INPUT);
    if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].path, err.text);
  }
  cps_scenario_free(s);
}

static void test_with(void **state) {
  (void)state;
  const char *settings[] = {"run.until=7", "bodies.block.mass=3 t"};
  cps_scenario *s = cps_scenario_parse(BELT, strlen(BELT), "test.yaml", settings, 2, NULL);
  const char *paths[] = {"bodies.block.mass", "contacts.rub.friction.mu_s"};
  double good[] = {4.5, 0.9}, bad[] = {-1, 0.9};
  cps_problems *problems = NULL;
  cps_scenario *with = cps_scenario_with(s, paths, good, 2, &problems);
  assert_non_null(with);
  cps_quantity q;
  /* settings stay, and what is changed goes on top of them */
  assert_int_equal(cps_scenario_quantity(with, "run.until", &q, NULL), CPS_OK);
  assert_true(q.value == 7);
  assert_int_equal(cps_scenario_quantity(with, "bodies.block.mass", &q, NULL), CPS_OK);
  assert_true(q.value == 4.5);
  assert_string_not_equal(cps_scenario_hash(with), cps_scenario_hash(s));
  cps_scenario_free(with);
  assert_null(cps_scenario_with(s, paths, bad, 2, &problems));
  assert_non_null(strstr(cps_problems_at(problems, 0)->text, "mass must be greater than 0"));
  cps_problems_free(problems);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ outputs */

static cps_sens *sens_of(const cps_scenario *s, const char *wrt, const char *of) {
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, &wrt, 1, &of, 1, &err);
  if (!sens) print_error("%s\n", err.text);
  assert_non_null(sens);
  return sens;
}

static void run_sens(cps_sens *sens, cps_sens_method method) {
  cps_error err = {0};
  if (cps_sens_run(sens, method, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
}

/* Values against closed forms; derivatives by the stiffness against differences of the values themselves. */
static void test_outputs(void **state) {
  (void)state;
  const double w = 2, a = 0.1;
  const struct {
    const char *of, *unit;
    double value, error;
  } cases[] = {
      {"bodies.block.x", "m", a * cos(3 * w), 1e-9},
      {"bodies.block.x@0.7071", "m", a * cos(0.7071 * w), 1e-9},
      {" bodies.block.v @ 1500 ms ", "m/s", -a * w * sin(1.5 * w), 1e-9},
      {"max(bodies.block.x)", "m", a, 1e-9},
      {"min(bodies.block.x)", "m", -a, 1e-6},
      {"max(bodies.block.x, 0.5, 1.5)", "m", a * cos(1), 1e-9},
      {"max(bodies.block.v, 0.5, 3)", "m/s", a * w, 1e-5},
      {"integral(bodies.block.x)", "m s", a / w * sin(3 * w), 1e-5},
      {"integral(bodies.block.x, 0.123456, 2)", "m s", a / w * (sin(2 * w) - sin(0.123456 * w)), 1e-5},
      {"mean(bodies.block.x, 0, 1)", "m", a / w * sin(w), 1e-5},
      {"rms(bodies.block.x)", "m", a * sqrt(0.5 + sin(6 * w) / (12 * w)), 1e-5},
      {"square(bodies.block.x, 10 cm)", "m2 s", a * a * (1.5 + sin(6 * w) / (4 * w) + 3 - 2 * sin(3 * w) / w),
       1e-5},
      {"square(bodies.block.v, 0)", "(m/s)2 s", a * a * w * w * (1.5 - sin(6 * w) / (4 * w)), 1e-5},
  };
  for (int solver = 0; solver < 2; solver++) {
    char text[1000];
    snprintf(text, sizeof text, OSCILLATOR "run: {until: 3, output: 0.01, solver: %s}\n",
             solver ? "rk4, step: 0.001" : "bdf, tolerance: 1e-11, absolute_tolerance: 1e-13");
    cps_scenario *s = parse(text);
    for (int i = 0; i < ROWS(cases); i++) {
      cps_sens *sens = sens_of(s, "springs.spring.stiffness", cases[i].of);
      run_sens(sens, CPS_SENS_DIFFERENCES);
      double y = cps_sens_value(sens, 0), y_k = cps_sens_gradient(sens, 0, 0);
      if (!(fabs(y - cases[i].value) < cases[i].error))
        fail_msg("%s: %.9g is not %.9g", cases[i].of, y, cases[i].value);
      if (strcmp(cps_sens_unit(sens, 0), cases[i].unit) != 0)
        fail_msg("%s is in %s", cases[i].of, cps_sens_unit(sens, 0));
      double moved[2], step = 2e-3;
      for (int k = 0; k < 2; k++) {
        double value = 8 + (k ? step : -step);
        assert_int_equal(cps_sens_set(sens, &value, NULL), CPS_OK);
        assert_true(cps_sens_parameter(sens, 0)->value == value);
        run_sens(sens, CPS_SENS_DIFFERENCES);
        moved[k] = cps_sens_value(sens, 0);
      }
      double expected = (moved[1] - moved[0]) / (2 * step);
      if (!(fabs(y_k - expected) < 2e-7))
        fail_msg("%s: derivative %.9g is not %.9g", cases[i].of, y_k, expected);
      cps_sens_free(sens);
    }
    cps_scenario_free(s);
  }
}

static void test_bad_outputs(void **state) {
  (void)state;
  static const struct {
    const char *of, *says;
  } cases[] = {
      {"bodies.block.y", "did you mean \"bodies.block.x\""},
      {"maxi(bodies.block.x)", "did you mean \"max\"?"},
      {"blur(bodies.block.x)", "There are max, min"},
      {"max(bodies.block.x", "an output is a column"},
      {"max(bodies.block.x) + 1", "an output is a column"},
      {"max()", "an output is a column"},
      {"", "an output is a column"},
      {"max(bodies.block.x, 1)", "max(COLUMN, FROM, TO)"},
      {"max(bodies.block.x, 1, 0.5)", "is empty"},
      {"square(bodies.block.x)", "square(COLUMN, X)"},
      {"square(bodies.block.x, 1 kg)", "cannot be converted"},
      {"bodies.block.x@2", "not in the run"},
      {"bodies.block.x@soon", "expected a number in s"},
      {"event(0)", "events are counted"},
      {"event(1.5)", "events are counted"},
      {"event(rab, 1)", "did you mean \"rub\""},
      {"event(rub, 1, 2)", "event(belt, 1)"},
  };
  cps_scenario *s = parse(BELT);
  for (int i = 0; i < ROWS(cases); i++) {
    cps_error err = {0};
    const char *wrt = "bodies.block.mass", *of = cases[i].of;
    assert_null(cps_sens_new(s, &wrt, 1, &of, 1, &err));
    assert_int_equal(err.status, CPS_BAD_INPUT);
    if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", of, err.text);
  }
  static const struct {
    const char *wrt, *says;
  } wrongs[] = {
      {"bodies.block.mess", "bodies.block.mass"},
      {"run.tolerance", "how to compute"},
  };
  for (int i = 0; i < ROWS(wrongs); i++) {
    cps_error err = {0};
    assert_null(cps_sens_new(s, &wrongs[i].wrt, 1, NULL, 0, &err));
    if (!strstr(err.text, wrongs[i].says)) fail_msg("%s: %s", wrongs[i].wrt, err.text);
  }
  assert_null(cps_sens_new(s, NULL, 0, NULL, 0, NULL));
  cps_scenario_free(s);
  s = parse(CABLE);
  cps_error err = {0};
  const char *wrt = "cables.c.elements";
  assert_null(cps_sens_new(s, &wrt, 1, NULL, 0, &err));
  assert_non_null(strstr(err.text, "whole number"));
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ events */

static void test_event_times(void **state) {
  (void)state;
  cps_scenario *s = parse(BELT);
  const char *wrt[] = {"bodies.block.mass", "springs.spring.stiffness"};
  const char *of[] = {"event(1)", "event(rub, 1)", "event(99)"};
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, 2, of, 3, &err);
  assert_non_null(sens);
  run_sens(sens, CPS_SENS_DIFFERENCES);
  double t = 0.8 * 9.81 / 10;
  for (int i = 0; i < 2; i++) {
    assert_true(fabs(cps_sens_value(sens, i) - t) < 1e-10);
    assert_true(fabs(cps_sens_gradient(sens, i, 0) - t) < 1e-7);
    assert_true(fabs(cps_sens_gradient(sens, i, 1) + t / 10) < 1e-7);
  }
  assert_string_equal(cps_sens_unit(sens, 0), "s");
  assert_true(isnan(cps_sens_value(sens, 2)) && isnan(cps_sens_gradient(sens, 2, 0)));
  int warned = 0;
  for (int i = 0; cps_sens_warning(sens, i); i++) warned |= !!strstr(cps_sens_warning(sens, i), "event(99)");
  assert_true(warned);
  cps_sens_free(sens);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ rows */

/* Rows stand exactly where they are asked for, and hold what the solver would have recorded there. */
/* Friction rises to mu_s m g until the block lets go, and is mu_d m g from then on: integrals of it have a jump, whose time
 * moves with the parameters. */
static void test_integrals_of_jumps(void **state) {
  (void)state;
  static const char of[] = "integral(contacts.rub.f, 0, 1)", squares[] = "square(contacts.rub.f, 2, 0, 1)",
                    average[] = "mean(contacts.rub.f, 0.5, 1)", root[] = "rms(contacts.rub.f, 0, 1)";
  const double g = 9.81, mu_s = 0.8, mu_d = 0.7, k = 10, at = mu_s * g / k,
               late = mu_s * g / k; /* of 1 kg, and by mass */
  const double held = k * at, slides = mu_d * g;
  const double all = k * at * at / 2 + slides * (1 - at),
               power = k * k * at * at * at / 3 + slides * slides * (1 - at);
  const double by_mass = (held - slides) * late + slides * (1 - at);
  const double of_power = (held * held - slides * slides) * late + 2 * slides * slides * (1 - at);
  const double expected[4] = {by_mass, of_power - 4 * by_mass, by_mass / 0.5, of_power / (2 * sqrt(power))};
  const char *const outputs[4] = {of, squares, average, root};
  cps_scenario *s = parse(BELT);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 2; j++) {
      cps_sens *sens = sens_of(s, "bodies.block.mass", outputs[i]);
      run_sens(sens, j ? CPS_SENS_ADJOINT : CPS_SENS_FORWARD);
      if (i == 0 && !(fabs(cps_sens_value(sens, 0) - all) < 1e-9))
        fail_msg("%.12g, not %.12g", cps_sens_value(sens, 0), all);
      /* squares of what rises are parabolas, which the trapezoidal rule does not quite integrate */
      double d = cps_sens_gradient(sens, 0, 0), near = i % 2 ? 2e-3 : 1e-9;
      if (!(fabs(d - expected[i]) < near * fabs(expected[i])))
        fail_msg("%s: %.12g, not %.12g", outputs[i], d, expected[i]);
      cps_sens_free(sens);
    }
  }
  cps_scenario_free(s);
}

static void test_rows(void **state) {
  (void)state;
  static const char *const solvers[] = {"rk4, step: 0.001, output: 0.1",
                                        "rk4, step: 0.001",
                                        "alpha, step: 0.0005, rho: 1, output: 0.1",
                                        "alpha, tolerance: 1e-10",
                                        "bdf, tolerance: 1e-10, output: 0.1",
                                        "bdf, tolerance: 1e-10"};
  static const double times[] = {0.1234567, 0.5, 0.50000000001, 1.0 / 3 + 0.5, 1.9999};
  for (int k = 0; k < ROWS(solvers); k++) {
    char text[1000];
    snprintf(text, sizeof text, OSCILLATOR "run: {until: 2, solver: %s}\n", solvers[k]);
    cps_scenario *s = parse(text);
    const char *wrt = "bodies.block.mass", *of[] = {"bodies.block.x@0.77", "bodies.block.x"};
    cps_error err = {0};
    cps_sens *sens = cps_sens_new(s, &wrt, 1, NULL, 0, &err);
    assert_int_equal(cps_sens_at(sens, times, ROWS(times), &err), CPS_OK);
    run_sens(sens, CPS_SENS_DIFFERENCES);
    const cps_result *r = cps_sens_result(sens);
    assert_int_equal(cps_result_rows(r), ROWS(times));
    int column = cps_result_find(r, "bodies.block.x");
    for (int i = 0; i < ROWS(times); i++) {
      double t = cps_result_data(r, 0)[i], x = cps_result_data(r, column)[i];
      assert_true(t == times[i]);
      if (!(fabs(x - 0.1 * cos(2 * t)) < 2e-6)) fail_msg("%s: x(%g) is %.9g", solvers[k], t, x);
      /* d cos(w t)/dm = w t sin(w t)/(2 m) */
      double x_m = cps_sens_history(sens, column, 0)[i], expected = 0.1 * sin(2 * t) * t / 2;
      if (!(fabs(x_m - expected) < 1e-5))
        fail_msg("%s: dx(%g)/dm is %.9g, not %.9g", solvers[k], t, x_m, expected);
    }
    cps_sens_free(sens);
    /* outputs add rows to those that are there anyway */
    sens = cps_sens_new(s, &wrt, 1, of, 2, &err);
    run_sens(sens, CPS_SENS_DIFFERENCES);
    r = cps_sens_result(sens);
    if (strstr(solvers[k], "output")) assert_int_equal(cps_result_rows(r), 22);
    assert_true(cps_result_data(r, 0)[0] == 0 && cps_result_data(r, 0)[cps_result_rows(r) - 1] == 2);
    assert_true(fabs(cps_sens_value(sens, 0) - 0.1 * cos(1.54)) < 2e-6);
    cps_sens_free(sens);
    cps_scenario_free(s);
  }
}

static void test_bad_rows(void **state) {
  (void)state;
  cps_scenario *s = parse(BELT);
  cps_sens *sens = sens_of(s, "bodies.block.mass", "event(1)");
  static const double falling[] = {0.5, 0.4}, outside[] = {0.5, 1.6}, same[] = {0.5, 0.5};
  assert_int_equal(cps_sens_at(sens, falling, 2, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_sens_at(sens, outside, 2, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_sens_at(sens, same, 2, NULL), CPS_BAD_INPUT);
  double nothing = NAN, negative = -1;
  assert_int_equal(cps_sens_set(sens, &nothing, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_sens_set(sens, &negative, NULL), CPS_BAD_INPUT);
  cps_sens_free(sens);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ bounds */

/* A damping of zero can only be moved to one side: x = 0.1 exp(-d t/(2 m)) cos(...), dx/dd = -0.1 t/(2 m) cos(2 t) + 0.1
 * sin(2 t)/(4 m) at d = 0. */
static void test_bound(void **state) {
  (void)state;
  cps_scenario *s = parse(OSCILLATOR "run: {until: 3, output: 0.1, solver: rk4, step: 0.001}\n");
  cps_sens *sens = sens_of(s, "springs.spring.damping", "bodies.block.x");
  run_sens(sens, CPS_SENS_DIFFERENCES);
  double expected = -0.1 * 3 / 4 * cos(6) + 0.1 * sin(6) / 8;
  if (!(fabs(cps_sens_gradient(sens, 0, 0) - expected) < 1e-8))
    fail_msg("%.9g is not %.9g", cps_sens_gradient(sens, 0, 0), expected);
  cps_sens_free(sens);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ files */

/* Histories come back from the file as columns, to the bit, behind those of the run. */
static void test_file(void **state) {
  (void)state;
  cps_scenario *s = parse(BELT);
  const char *wrt[] = {"bodies.block.mass", "contacts.rub.friction.mu_s"};
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, 2, NULL, 0, &err);
  run_sens(sens, CPS_SENS_DIFFERENCES);
  char path[] = "/tmp/unit_sens_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  assert_int_equal(cps_sens_write(sens, path, &err), CPS_OK);
  cps_result *r = cps_result_load(path, &err);
  assert_non_null(r);
  const cps_result *of = cps_sens_result(sens);
  int columns = cps_result_columns(of);
  assert_int_equal(cps_result_columns(r), columns + 2 * (columns - 1));
  assert_int_equal(cps_result_rows(r), cps_result_rows(of));
  assert_int_equal(cps_result_events(r), cps_result_events(of));
  size_t size = (size_t)cps_result_rows(of) * sizeof(double);
  for (int c = 1; c < columns; c++) {
    for (int p = 0; p < 2; p++) {
      char name[300], text[400];
      snprintf(name, sizeof name, "d(%s)/d(%s)", cps_result_name(of, c), wrt[p]);
      int found = cps_result_find(r, name);
      if (found < 0) fail_msg("there is no %s", name);
      assert_memory_equal(cps_result_data(r, found), cps_sens_history(sens, c, p), size);
      cps_result_long_name(name, text, sizeof text);
      assert_non_null(strstr(text, "derivative of "));
    }
  }
  int x = cps_result_find(r, "d(bodies.block.x)/d(bodies.block.mass)");
  assert_string_equal(cps_result_unit(r, x), "m/kg");
  assert_string_equal(cps_result_text(r, "status"), "complete");
  cps_result_free(r);
  remove(path);
  cps_sens_free(sens);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantities),
      cmocka_unit_test(test_bad_paths),
      cmocka_unit_test(test_with),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_bad_outputs),
      cmocka_unit_test(test_event_times),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_bad_rows),
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_integrals_of_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
