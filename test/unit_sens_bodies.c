/* unit_sens_bodies.c - exact derivatives of runs without cables: forward against differences of runs and closed forms,
 * adjoint against forward, for every solver and every law; jumps at transitions, several at a time, moving breaks, releases,
 * grazing, and adjoint runs that are repeated in parts. */
#include "sens.h"
#include "sens_result.h"
#include "test.h"

/* ------------------------------------------------------------------ helpers */

/* A scenario from its text, or from a file of scenarios/ if that is what the text names; settings end with NULL. */
static cps_scenario *open_scenario(const char *what, const char *const *settings) {
  cps_problems *problems = NULL;
  cps_scenario *s;
  int n = 0;
  while (settings && settings[n]) n++;
  size_t length = strlen(what);
  if (length > 5 && strcmp(what + length - 5, ".yaml") == 0) {
    char path[4096];
    const char *root = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/scenarios/%s", root ? root : ".", what);
    s = cps_scenario_load(path, settings, n, &problems);
  } else {
    s = cps_scenario_parse(what, length, "test.yaml", settings, n, &problems);
  }
  if (!s) print_error("%s: %s\n", what, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  assert_non_null(s);
  return s;
}

static int count(const char *const *list) {
  int n = 0;
  while (list[n]) n++;
  return n;
}

static cps_sens *differentiate(const cps_scenario *s, const char *const *wrt, const char *const *of,
                               cps_sens_method method) {
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, count(wrt), of, count(of), &err);
  if (!sens) print_error("%s\n", err.text);
  assert_non_null(sens);
  if (cps_sens_run(sens, method, NULL, NULL, &err) != CPS_OK) {
    print_error("%s\n", err.text);
    fail();
  }
  assert_int_equal(cps_sens_used(sens), method);
  return sens;
}

static double apart(double x, double y, double floor_at) {
  return fabs(x - y) / (fmax(fabs(x), fabs(y)) + floor_at);
}

/* Values of all outputs with a parameter moved. */
static void values_at(const cps_scenario *s, const char *path, const char *const *of, double change,
                      double *value) {
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, &path, 1, of, count(of), &err);
  assert_non_null(sens);
  double p = cps_sens_parameter(sens, 0)->value + change;
  if (cps_sens_set(sens, &p, &err) != CPS_OK ||
      cps_sens_run(sens, CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK) {
    print_error("%s\n", err.text);
    fail();
  }
  for (int i = 0; i < cps_sens_outputs(sens); i++) value[i] = cps_sens_value(sens, i);
  cps_sens_free(sens);
}

enum { MOST_OUTPUTS = 12 };

/* Derivatives of all outputs by a parameter, from differences at h and h/2 with Richardson's extrapolation. */
static void richardson(const cps_scenario *s, const char *path, const char *const *of, double h, double *d) {
  double a[4][MOST_OUTPUTS], change[4] = {-h, h, -h / 2, h / 2};
  for (int k = 0; k < 4; k++) values_at(s, path, of, change[k], a[k]);
  for (int i = 0; of[i]; i++) {
    double wide = (a[1][i] - a[0][i]) / (2 * h), narrow = (a[3][i] - a[2][i]) / h;
    d[i] = (4 * narrow - wide) / 3;
  }
}

typedef struct case_of {
  const char *what;
  const char *settings[12], *wrt[12], *of[MOST_OUTPUTS + 1];
  double adjoint,
      differences; /* how well they agree, relative to the largest derivative by the parameter's value */
} case_of;

/* Compares forward with adjoint and with differences. A step of the differences may carry a contact into another mode, or
 * vanish in round-off: the best counts, and another is made only as long as none is good enough. */
static void check(const case_of *c) {
  static const double steps[] = {1e-5, 1e-4, 1e-6, 1e-3, 1e-7};
  cps_scenario *s = open_scenario(c->what, c->settings);
  cps_sens *forward = differentiate(s, c->wrt, c->of, CPS_SENS_FORWARD);
  cps_sens *adjoint = differentiate(s, c->wrt, c->of, CPS_SENS_ADJOINT);
  int n = count(c->wrt), m = count(c->of);
  for (int j = 0; j < n; j++) {
    double at = fabs(cps_sens_parameter(forward, j)->value), d[ROWS(steps)][MOST_OUTPUTS] = {{0}};
    int made = 0;
    for (int i = 0; i < m; i++) {
      double f = cps_sens_gradient(forward, i, j), a = cps_sens_gradient(adjoint, i, j), best = INFINITY;
      /* what counts as nothing: a change that is not seen in the value */
      double floor_at = 1e-5 * (fabs(cps_sens_value(forward, i)) + 1e-3) / (at > 0 ? at : 1);
      for (int k = 0; j < COMPARED && k < ROWS(steps) && !(best <= c->differences); k++) {
        if (k == made) richardson(s, c->wrt[j], c->of, steps[made++] * (at > 0 ? at : 1), d[k]);
        best = fmin(best, apart(f, d[k][i], floor_at));
      }
      if (!(apart(f, a, floor_at) <= c->adjoint) || (j < COMPARED && !(best <= c->differences))) {
        print_error(
            "%s (%s, ...): d %s / d %s: forward %.12g, adjoint %.12g, differences %.12g %.12g %.12g\n",
            c->what, c->settings[0] ? c->settings[0] : "", c->of[i], c->wrt[j], f, a, d[0][i], d[1][i],
            d[2][i]);
        fail();
      }
    }
  }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ Rabinowicz */

#define BLOCK_ON_BELT                                                                                        \
  {                                                                                                          \
    "bodies.block.x@0.5", "bodies.block.v@0.5", "bodies.block.x@1", "bodies.block.v@1", "event(2)",          \
        "event(4)", NULL                                                                                     \
  }

static void test_rabinowicz(void **state) {
  (void)state;
  static const char *const wrt[] = {"bodies.block.mass", "springs.spring.stiffness", NULL}, *const of[] =
                                                                                                BLOCK_ON_BELT;
  static const double by_mass[] = {0.0014779819, 0, 0.1872978855, 1.8532864507};
  cps_scenario *s = open_scenario("verulkar/rabinowicz.yaml", NULL);
  for (int k = 0; k < 2; k++) {
    cps_sens *sens = differentiate(s, wrt, of, k ? CPS_SENS_ADJOINT : CPS_SENS_FORWARD);
    for (int i = 0; i < ROWS(by_mass); i++) {
      double m = cps_sens_gradient(sens, i, 0);
      assert_true(fabs(m - by_mass[i]) <= 1e-10);
      assert_true(fabs(cps_sens_gradient(sens, i, 1) + m / 10) <= 1e-13); /* -(m/k) d/dm */
    }
    assert_true(cps_sens_gradient(sens, 1, 0) == 0 || k == 1); /* sticks: to the last digit */
    double period_m = cps_sens_gradient(sens, 5, 0) - cps_sens_gradient(sens, 4, 0);
    double period_k = cps_sens_gradient(sens, 5, 1) - cps_sens_gradient(sens, 4, 1);
    assert_true(fabs(period_m - 1.00504764) < 1e-8);
    assert_true(fabs(period_k + 0.100504764) < 1e-9);
    assert_null(cps_sens_warning(sens, 0));
    cps_sens_free(sens);
  }
  cps_scenario_free(s);
}

/* Without the jump, the velocity's derivative during stick is a constant that is not zero. */
static void test_without_jumps(void **state) {
  (void)state;
  static const char *const wrt[] = {"bodies.block.mass", NULL}, *const of[] = {"bodies.block.v@0.5",
                                                                               "bodies.block.v@0.8", NULL};
  cps_scenario *s = open_scenario("verulkar/rabinowicz.yaml", NULL);
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, 1, of, 2, &err);
  assert_non_null(sens);
  cps_sens_leave_jumps_out(sens);
  assert_int_equal(cps_sens_run(sens, CPS_SENS_FORWARD, NULL, NULL, &err), CPS_OK);
  double a = cps_sens_gradient(sens, 0, 0), b = cps_sens_gradient(sens, 1, 0);
  assert_true(fabs(a) > 1e-3 && fabs(a - b) < 1e-12);
  cps_sens_free(sens);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ cases */

#define QUINN(EPS)                                                                                           \
  "contacts.above.friction={quinn: {mu: 0.3, epsilon: " EPS "}}",                                            \
      "contacts.below.friction={quinn: {mu: 0.5, epsilon: " EPS "}}"

static const case_of cases[] = {
    /* Contacts that depend on one another; one lets go because the other sticks. */
    {"quinn/two-blocks.yaml",
     {"contacts.above.friction.mu=0.3"},
     {"bodies.lower.mass", "bodies.upper.mass", "springs.k1.stiffness", "contacts.below.friction.mu",
      "contacts.above.friction.mu", "surfaces.belt.position.sine.omega", "bodies.lower.x",
      "contacts.above.normal"},
     {"bodies.lower.x", "bodies.upper.v", "contacts.above.f", "energy.friction", "energy.motion_work",
      "event(5)", "event(8)", "integral(bodies.upper.x)"},
     1e-10,
     1e-7},
    {"quinn/two-blocks.yaml",
     {"run.solver=rk4", "run.step=0.01", "run.until=6", QUINN("0.05")},
     {"bodies.lower.mass", "springs.k2.stiffness", "contacts.below.friction.mu",
      "contacts.above.friction.epsilon", "surfaces.belt.position.sine.omega", "contacts.above.normal"},
     {"bodies.lower.x", "bodies.upper.v", "contacts.above.f", "contacts.above.f_eq", "energy.friction",
      "energy.motion_work", "energy.elastic"},
     1e-10,
     1e-7},
    {"quinn/two-blocks.yaml",
     {"run.solver=alpha", "run.step=0.01", "run.until=6", QUINN("0.05")},
     {"bodies.lower.mass", "springs.k2.stiffness", "contacts.below.friction.mu",
      "contacts.above.friction.epsilon", "surfaces.belt.position.sine.omega", "contacts.above.normal"},
     {"bodies.lower.x", "bodies.upper.v", "contacts.above.f", "energy.friction", "energy.motion_work",
      "energy.kinetic"},
     1e-10,
     1e-7},
    /* In the plane, with normal forces that springs make, slack ropes and dampers. */
    {"schuderer/festoon.yaml",
     {"run.until=4"},
     {"bodies.C3.mass", "springs.rope2b.stiffness", "springs.rope2b.damping", "springs.rope3a.length",
      "contacts.T2.friction.mu_s", "contacts.T2.friction.mu_d"},
     {"bodies.T2.x", "bodies.T2.v@3", "contacts.T2.n", "energy.friction", "energy.damping",
      "springs.rope3a.force", "event(1)"},
     1e-9,
     1e-4},
    {"schuderer/festoon.yaml",
     {"run.solver=rk4", "run.step=5e-4", "run.until=3", "contacts.T1.friction={cdq: {mu: 0.06}}",
      "contacts.T2.friction={cdq: {mu: 0.06}}"},
     {"bodies.C3.mass", "springs.rope2b.damping", "springs.rope3a.length", "contacts.T2.friction.mu",
      "gravity.1"},
     {"bodies.T2.x", "bodies.T2.v", "contacts.T2.n", "energy.friction", "energy.damping", "energy.gravity",
      "springs.rope3a.force"},
     1e-9,
     1e-5},
    {"schuderer/festoon.yaml",
     {"run.solver=alpha", "run.step=5e-3", "run.until=2.9", "contacts.T1.friction={cdq: {mu: 0.06}}",
      "contacts.T2.friction={cdq: {mu: 0.06}}"},
     {"bodies.C3.mass", "springs.rope2b.damping", "springs.rope3a.length", "contacts.T2.friction.mu"},
     {"bodies.T2.x", "bodies.T2.v", "contacts.T2.n", "energy.friction", "energy.damping",
      "springs.rope3a.force"},
     1e-9,
     1e-6},
    /* Guards of a law with memory, which bdf locates. */
    {"schuderer/step.yaml",
     {"run.until=0.1"},
     {"bodies.block.mass", "contacts.floor.friction.mu_s", "contacts.floor.friction.x_s",
      "contacts.floor.friction.v_s"},
     {"bodies.block.x", "bodies.block.v@0.01", "energy.friction", "event(1)", "event(2)"},
     1e-6,
     1e-5},
    /* Breaks that move: the end of a pulse. */
    {"schuderer/pulses.yaml",
     {"run.until=1.5", "contacts.floor.friction={adams-standard: {mu_s: 0.6, mu_d: 0.4, v_s: 1 mm/s}}"},
     {"bodies.block.mass", "contacts.floor.friction.mu_s", "loads.push.force.pulses.amplitude",
      "loads.push.force.pulses.width"},
     {"bodies.block.x", "bodies.block.v@0.7", "energy.friction", "energy.load_work"},
     1e-5,
     1e-5},
    {"schuderer/pulses.yaml",
     {"run.solver=events", "run.until=2.5", "loads.push.force.pulses.amplitude=8 N",
      "contacts.floor.friction={coulomb-static: {mu_s: 0.6, mu_d: 0.4}}"},
     {"bodies.block.mass", "contacts.floor.friction.mu_d", "loads.push.force.pulses.amplitude",
      "loads.push.force.pulses.width", "loads.push.force.pulses.period"},
     {"bodies.block.x", "bodies.block.v@1.2", "energy.friction", "energy.load_work", "bodies.block.v"},
     1e-10,
     1e-7},
    {"verulkar/rabinowicz.yaml",
     {"contacts.belt.friction={brown-mcphee: {mu_s: 0.8, mu_d: 0.7, v_t: 1e-2}}", "run.solver=bdf",
      "run.until=1", "run.tolerance=1e-11", "run.absolute_tolerance=1e-13"},
     {"bodies.block.mass", "springs.spring.stiffness", "surfaces.belt.velocity"},
     {"bodies.block.x@0.5", "bodies.block.v@0.5", "bodies.block.v", "energy.friction", "energy.motion_work"},
     1e-6,
     1e-5},
};

static void test_case(void **state) { check(*state); }

/* ------------------------------------------------------------------ held bodies */

#define HELD                                                                                                 \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 2 kg, x: 0.3, v: 0.4, held_until: 0.25 s}}\n"                                      \
  "springs: {spring: {between: [{ground: [1, 0]}, block], stiffness: 8 N/m, damping: 0.3 N s/m, length: "    \
  "0.5}}\n"                                                                                                  \
  "contacts: {floor: {between: [block, ground], normal: 5 N, friction: {coulomb: {mu: 0.05}}}}\n"

static void test_release(void **state) {
  (void)state;
  static const char *const runs[] = {
      HELD "run: {until: 1, output: 0.1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n",
      HELD "run: {until: 1, output: 0.1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14, step: "
           "0.02}\n"};
  for (int i = 0; i < ROWS(runs); i++) {
    case_of c = {runs[i],
                 {NULL},
                 {"bodies.block.held_until", "bodies.block.v", "bodies.block.mass", "bodies.block.x"},
                 {"bodies.block.x", "bodies.block.v@0.6", "energy.friction", "energy.damping"},
                 1e-10,
                 1e-7};
    check(&c);
  }
}

/* ------------------------------------------------------------------ every law, every solver */

#define SHAKEN                                                                                               \
  "capstan: 1\n"                                                                                             \
  "gravity: [0, -9.81]\n"                                                                                    \
  "bodies: {block: {mass: 1.3 kg, v: 0.011}}\n"                                                              \
  "springs: {spring: {between: [ground, block], stiffness: 400 N/m, damping: 2 N s/m}}\n"                    \
  "loads: {push: {on: block, force: {sine: {amplitude: 9 N, omega: 31, phase: 0.3}}}}\n"

/* The parameters of a law that may be moved both ways from where they are. */
static int list_parameters(const cps_law *law, char (*path)[80], const char **wrt, int most) {
  int n = 0;
  for (int i = 0; i < law->n_params && n < most; i++) {
    const cps_param *p = &law->params[i];
    if (!(p->value > p->min && p->value < p->max) || p->value == 0) continue;
    snprintf(path[n], sizeof path[n], "contacts.floor.friction.%s", p->name);
    wrt[n] = path[n];
    n++;
  }
  return n;
}

/* Whether the solver can run that at all: not every law suits every solver. *smoothly: with the steps that were asked for. */
static int can_run(const char *text, int *smoothly) {
  cps_scenario *s = open_scenario(text, NULL);
  cps_system *system = cps_system_new(s, NULL);
  if (!system) { /* which says why: that is tested elsewhere */
    cps_scenario_free(s);
    return 0;
  }
  cps_simulation *sim = cps_simulation_new(system, NULL);
  assert_non_null(sim);
  int good = cps_simulation_run(sim, NULL, NULL, NULL) == CPS_OK;
  cps_counters counters;
  cps_result_counters(cps_simulation_result(sim), &counters);
  *smoothly = counters.rejected == 0;
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return good;
}

static void test_law(void **state) {
  const cps_law *law = *state;
  static const char *const solvers[] = {"rk4", "alpha"};
  for (int k = 0; k < ROWS(solvers); k++) {
    if (k > 0 && law->n_modes && !law->n_states) continue; /* which alpha refuses */
    char text[2000], path[12][80];
    case_of c = {.what = text,
                 .wrt = {"bodies.block.mass", "bodies.block.v", "loads.push.force.sine.amplitude"},
                 .of = {"bodies.block.x", "bodies.block.v@6e-3", "contacts.floor.f", "energy.friction"},
                 .adjoint = 1e-8,
                 .differences = 2e-4};
    snprintf(text, sizeof text,
             SHAKEN "contacts: {floor: {between: [block, ground], normal: weight, friction: {%s: {}}}}\n"
                    "run: {until: 0.012, output: 3 ms, solver: %s, step: 4e-5}\n",
             law->name, solvers[k]);
    list_parameters(law, path, c.wrt + 3, 5);
    int smoothly;
    if (!can_run(text, &smoothly)) continue;
    /* Where modes are chosen at every stage, or steps move behind located transitions, runs with a moved parameter are no
     * smooth function of it. */
    if (smoothly && (!law->n_modes || (k == 0 && law->n_states))) {
      check(&c);
      continue;
    }
    cps_scenario *s = open_scenario(text, NULL);
    cps_sens *forward = differentiate(s, c.wrt, c.of, CPS_SENS_FORWARD);
    cps_sens *adjoint = differentiate(s, c.wrt, c.of, CPS_SENS_ADJOINT);
    for (int j = 0; c.wrt[j]; j++) {
      for (int i = 0; c.of[i]; i++) {
        double f = cps_sens_gradient(forward, i, j), a = cps_sens_gradient(adjoint, i, j);
        if (apart(f, a, 1e-7) <= c.adjoint) continue;
        print_error("%s: d %s / d %s: forward %.12g, adjoint %.12g\n", law->name, c.of[i], c.wrt[j], f, a);
        fail();
      }
    }
    cps_sens_free(forward);
    cps_sens_free(adjoint);
    cps_scenario_free(s);
  }
}

/* ------------------------------------------------------------------ laws with memory by bdf */

#define PUSHED                                                                                               \
  "capstan: 1\nbodies: {b: {mass: 1.3 kg, v: 0.011}}\n"                                                      \
  "springs: {s: {between: [{ground: [-1, 0]}, b], stiffness: 40 N/m, damping: 0.5 N s/m, length: 1}}\n"      \
  "loads: {push: {on: b, force: {sine: {amplitude: 9 N, omega: 9 rad/s}}}}\n"                                \
  "contacts: {c: {between: [b, ground], normal: weight, friction: %s}}\n"
#define ON_BELT                                                                                              \
  "capstan: 1\nsurfaces: {belt: {velocity: {sine: {amplitude: 0.3, omega: 5, offset: 0.1}}}}\n"              \
  "bodies: {b: {mass: 1.3 kg}, d: {mass: 0.7 kg}}\n"                                                         \
  "springs: {s: {between: [{ground: [-1, 0]}, b], stiffness: 140 N/m, damping: 0.5 N s/m, length: 1}, t: "   \
  "{between: [b, d], stiffness: 90 N/m, damping: 0.3 N s/m}}\n"                                              \
  "contacts:\n  c: {between: [b, belt], normal: weight, friction: &law %s}\n"                                \
  "  e: {between: [d, belt], normal: 4 N, friction: *law}\n"

/* Rates of weights change by orders of magnitude where bristles begin to slide. The law lugris is left out: where it breaks loose its bristle
 * shakes, and the time depends on the last digits of the run (0.3 % to 8 % of the way, whatever solver and tolerance). */
static void test_memory_by_bdf(void **state) {
  (void)state;
  static const char *const laws[] = {"dahl",           "lugre",    "lugre-load", "lugre-adams",
                                     "elasto-plastic", "gonthier", "rill",       "reset-integrator"};
  static const char *const wrt[] = {"bodies.b.mass", "springs.s.stiffness", "springs.s.damping", NULL};
  static const char *const of[] = {"bodies.b.x@0.3", "bodies.b.x", "bodies.b.v", "energy.friction", NULL};
  for (int k = 0; k < 2 * ROWS(laws); k++) {
    char text[2000];
    int n = snprintf(text, sizeof text, k % 2 ? ON_BELT : PUSHED, laws[k / 2]);
    snprintf(text + n, sizeof text - (size_t)n,
             "run: {until: 0.8, output: 50 ms, solver: bdf, tolerance: 1e-10, absolute_tolerance: 1e-13}\n");
    cps_scenario *s = open_scenario(text, NULL);
    cps_sens *forward = differentiate(s, wrt, of, CPS_SENS_FORWARD);
    cps_sens *adjoint = differentiate(s, wrt, of, CPS_SENS_ADJOINT);
    for (int i = 0; of[i]; i++)
      for (int j = 0; wrt[j]; j++) {
        double f = cps_sens_gradient(forward, i, j), a = cps_sens_gradient(adjoint, i, j);
        double size = fabs(cps_sens_value(forward, i) / cps_sens_parameter(forward, j)->value);
        if (apart(f, a, 0.1 * size) <= 5e-5) continue; /* two integrations to 1e-10 each */
        fail_msg("%s, %d: d %s / d %s: forward %.12g, adjoint %.12g", laws[k / 2], k % 2, of[i], wrt[j], f,
                 a);
      }
    cps_sens_free(forward);
    cps_sens_free(adjoint);
    cps_scenario_free(s);
  }
}

/* Elements of gms come to rest and let go two hundred times, and how often depends on the last digit: that is an error, no result. */
static void test_disagreement(void **state) {
  (void)state;
  static const char text[] =
      "capstan: 1\nsurfaces: {belt: {velocity: {sine: {amplitude: 0.121106, omega: 5.9317, offset: "
      "0.00337613}}}}\n"
      "bodies: {b: {mass: 0.197176}}\nsprings: {s: {between: [{ground: 0}, b], stiffness: 56.6975, damping: "
      "0.337804}}\n"
      "contacts: {c: {between: [b, belt], normal: weight, friction: gms}}\n"
      "run: {until: 0.6, output: 50 ms, solver: bdf, tolerance: 1e-10, absolute_tolerance: 1e-13}\n";
  const char *wrt[] = {"springs.s.stiffness", "bodies.b.mass"}, *of[] = {"bodies.b.v", "bodies.b.x"};
  cps_scenario *s = open_scenario(text, NULL);
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, 2, of, 2, &err);
  assert_non_null(sens);
  assert_int_equal(cps_sens_run(sens, CPS_SENS_ADJOINT, NULL, NULL, &err), CPS_FAILED);
  assert_non_null(strstr(err.text, "forwards and"));
  cps_sens_free(sens);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ parts, histories, warnings */

static void test_parts(void **state) {
  (void)state;
  static const char *const wrt[] = {"bodies.lower.mass", "contacts.above.friction.mu", "bodies.upper.x",
                                    NULL};
  static const char *const of[] = {"bodies.lower.x",           "energy.error", "energy.friction",
                                   "integral(bodies.upper.v)", "event(5)",     NULL};
  static const char *const settings[3][8] = {{"contacts.above.friction.mu=0.3"},
                                             {"run.solver=rk4", "run.step=0.01", QUINN("0.05")},
                                             {"run.solver=alpha", "run.step=0.01", QUINN("0.05")}};
  for (int k = 0; k < 3; k++) {
    cps_scenario *s = open_scenario("quinn/two-blocks.yaml", settings[k]);
    cps_error err = {0};
    const char *const *outputs = of;
    const char *fewer[] = {of[0], of[1], of[2], of[3], NULL};
    if (k > 0) outputs = fewer; /* no events */
    cps_sens *whole = differentiate(s, wrt, outputs, CPS_SENS_ADJOINT);
    cps_sens *parts = cps_sens_new(s, wrt, count(wrt), outputs, count(outputs), &err);
    assert_non_null(parts);
    cps_sens_limit_tape(parts, 20000);
    assert_int_equal(cps_sens_run(parts, CPS_SENS_ADJOINT, NULL, NULL, &err), CPS_OK);
    for (int i = 0; outputs[i]; i++)
      for (int j = 0; wrt[j]; j++)
        if (!(apart(cps_sens_gradient(whole, i, j), cps_sens_gradient(parts, i, j), 1e-3) < 1e-9)) {
          print_error("%s by %s: %.15g, in parts %.15g\n", outputs[i], wrt[j], cps_sens_gradient(whole, i, j),
                      cps_sens_gradient(parts, i, j));
          fail();
        }
    cps_sens_free(whole);
    cps_sens_free(parts);
    cps_scenario_free(s);
  }
}

/* All columns have histories; those of columns that depend on nothing are zero. */
static void test_histories(void **state) {
  (void)state;
  static const char *const wrt[] = {"bodies.block.mass", NULL}, *const of[] = {NULL};
  cps_scenario *s = open_scenario("verulkar/rabinowicz.yaml", NULL);
  cps_error err = {0};
  cps_sens *sens = cps_sens_new(s, wrt, 1, of, 0, &err);
  assert_non_null(sens);
  assert_int_equal(cps_sens_run(sens, CPS_SENS_FORWARD, NULL, NULL, &err), CPS_OK);
  const cps_result *r = cps_sens_result(sens);
  long rows = cps_result_rows(r);
  const double *time = cps_sens_history(sens, 0, 0),
               *slips = cps_sens_history(sens, cps_result_find(r, "contacts.belt.slips"), 0);
  const double *force = cps_sens_history(sens, cps_result_find(r, "springs.spring.force"), 0);
  const double *x = cps_sens_history(sens, cps_result_find(r, "bodies.block.x"), 0);
  const double *normal = cps_sens_history(sens, cps_result_find(r, "contacts.belt.n"), 0);
  for (long i = 0; i < rows; i++) {
    assert_true(time[i] == 0 && slips[i] == 0);
    assert_true(fabs(force[i] - 10 * x[i]) <= 1e-12 * (1 + fabs(force[i])));
    assert_true(fabs(normal[i] - 9.81) <= 1e-12);
  }
  cps_sens_free(sens);
  cps_scenario_free(s);
}

static int warns_of(const cps_sens *sens, const char *word) {
  for (int i = 0; cps_sens_warning(sens, i); i++)
    if (strstr(cps_sens_warning(sens, i), word)) return 1;
  return 0;
}

/* The load just reaches what the contact holds. */
#define GRAZING(AMPLITUDE)                                                                                   \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg}}\n"                                                                          \
  "loads: {push: {on: block, force: {sine: {amplitude: " AMPLITUDE " N, omega: 1}}}}\n"                      \
  "contacts: {floor: {between: [block, ground], normal: 10 N, friction: {coulomb: {mu: 0.5}}}}\n"            \
  "run: {until: 3, output: 0.5, solver: events, step: 5e-4, tolerance: 1e-12, absolute_tolerance: 1e-14}\n"

/* Two loads jump, one of them at 0.3 s. */
#define JUMPING(OTHER)                                                                                       \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg}}\n"                                                                          \
  "loads:\n"                                                                                                 \
  "  one: {on: block, force: {pulses: {start: 0.3 s, width: 0.2 s, period: 2 s, amplitude: 5 N}}}\n"         \
  "  other: {on: block, force: {pulses: {start: " OTHER ", width: 0.4 s, period: 2 s, amplitude: 2 N}}}\n"   \
  "run: {until: 1, output: 0.5, solver: events}\n"

static void test_warnings(void **state) {
  (void)state;
  static const char *const of[] = {"bodies.block.x", NULL};
  static const struct {
    const char *text;
    const char *word;
    int warns;
    const char *by; /* NULL: friction */
  } rows[] = {
      {GRAZING("5.0000001"), "grazes", 1, NULL},
      {GRAZING("6"), "grazes", 0, NULL},
      {JUMPING("0.3 s"), "several prescribed things jump", 1, "loads.one.force.pulses.start"},
      {JUMPING("0.25 s"), "several prescribed things jump", 0, "loads.one.force.pulses.start"},
      {SHAKEN
       "contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}\n"
       "run: {until: 0.2, solver: rk4, step: 1e-3}\n",
       "rk4 does not locate", 1, NULL}};
  for (int i = 0; i < ROWS(rows); i++) {
    const char *const wrt[] = {rows[i].by ? rows[i].by : "contacts.floor.friction.mu", NULL};
    cps_scenario *s = open_scenario(rows[i].text, NULL);
    for (int k = 0; k < 2; k++) {
      cps_sens *sens = differentiate(s, wrt, of, k ? CPS_SENS_ADJOINT : CPS_SENS_FORWARD);
      assert_int_equal(warns_of(sens, rows[i].word), rows[i].warns);
      cps_sens_free(sens);
    }
    cps_scenario_free(s);
  }
}

int main(void) {
  enum { FIXED = 8, CASES = ROWS(cases) };
  static struct CMUnitTest tests[FIXED + CASES + 100];
  static char names[100][80];
  const struct CMUnitTest fixed[FIXED] = {
      cmocka_unit_test(test_rabinowicz),    cmocka_unit_test(test_without_jumps),
      cmocka_unit_test(test_release),       cmocka_unit_test(test_parts),
      cmocka_unit_test(test_histories),     cmocka_unit_test(test_warnings),
      cmocka_unit_test(test_memory_by_bdf), cmocka_unit_test(test_disagreement)};
  int n = 0;
  for (int i = 0; i < FIXED; i++) tests[n++] = fixed[i];
  for (int i = 0; i < CASES; i++)
    tests[n++] = (struct CMUnitTest){cases[i].what, test_case, NULL, NULL, (void *)&cases[i]};
  for (int i = 0; i < cps_law_count() && i < 100; i++) {
    snprintf(names[i], sizeof names[i], "law %s", cps_law_at(i)->name);
    tests[n++] = (struct CMUnitTest){names[i], test_law, NULL, NULL, (void *)cps_law_at(i)};
  }
  return _cmocka_run_group_tests("exact derivatives of bodies", tests, (size_t)n, NULL, NULL);
}
