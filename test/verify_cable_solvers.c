/* verify_cable_solvers.c - alpha and bdf solve the same equations of cables by methods that have nothing in common but
 * Newton's iteration: they agree to their tolerances, come closer to each other as these shrink, and both account for
 * all energy. */
#include "test.h"

/* ------------------------------------------------------------------ runs */

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_status status;
  cps_error err;
} ran;

/* A scenario's text, or the name of a file of scenarios/ if it ends in .yaml. */
static char *text_of(const char *what) {
  size_t length = strlen(what);
  if (length < 5 || strcmp(what + length - 5, ".yaml") != 0) return strdup(what);
  char path[1000];
  const char *root = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "%s/scenarios/%s", root ? root : ".", what);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 20000);
  assert_non_null(text);
  assert_true(fread(text, 1, 19999, file) > 0);
  fclose(file);
  return text;
}

/* Runs a scenario with settings, separated by bars. */
static ran try_with(const char *what, const char *solver, double tolerance, const char *settings) {
  enum { MOST = 12 };
  char copy[1000];
  const char *list[MOST];
  char *text = text_of(what), *rest = copy;
  int n = 0;
  snprintf(copy, sizeof copy, "run.solver=%s|run.tolerance=%g|run.absolute_tolerance=1e-13|%s", solver,
           tolerance, settings);
  for (char *word = strtok_r(rest, "|", &rest); word && n < MOST; word = strtok_r(NULL, "|", &rest))
    list[n++] = word;
  ran r = {0};
  cps_problems *problems = NULL;
  r.scenario = cps_scenario_parse(text, strlen(text), "test.yaml", list, n, &problems);
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char message[2000];
    cps_problem_text(cps_problems_at(problems, i), message, sizeof message);
    print_error("%s\n", message);
  }
  cps_problems_free(problems);
  free(text);
  assert_non_null(r.scenario);
  r.system = cps_system_new(r.scenario, &r.err);
  if (!r.system) {
    r.status = r.err.status;
    return r;
  }
  r.sim = cps_simulation_new(r.system, &r.err);
  if (!r.sim) print_error("%s\n", r.err.text);
  assert_non_null(r.sim);
  r.status = cps_simulation_run(r.sim, NULL, NULL, &r.err);
  r.result = cps_simulation_result(r.sim);
  return r;
}

static ran run_with(const char *what, const char *solver, double tolerance, const char *settings) {
  ran r = try_with(what, solver, tolerance, settings);
  if (r.status != CPS_OK) print_error("%s, %g, %s: %s\n", solver, tolerance, settings, r.err.text);
  assert_int_equal(r.status, CPS_OK);
  return r;
}

static void done(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

static int ends_with(const char *name, const char *end) {
  size_t a = strlen(name), b = strlen(end);
  return a >= b && strcmp(name + a - b, end) == 0;
}

static int starts_with(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

/* Root mean square over time of the differences of all places of bodies and angles of drums; the worst of them. */
static double difference(const ran *a, const ran *b) {
  long rows = cps_result_rows(a->result);
  int n = 0;
  double worst = 0;
  assert_int_equal(rows, cps_result_rows(b->result));
  for (int c = 0; c < cps_result_columns(a->result); c++) {
    const char *name = cps_result_name(a->result, c);
    int place = starts_with(name, "bodies.") &&
                (ends_with(name, ".x") || ends_with(name, ".y") || ends_with(name, ".z"));
    int angle = starts_with(name, "drums.") && ends_with(name, ".angle");
    if (!place && !angle && strcmp(name, "time") != 0) continue;
    const double *x = cps_result_data(a->result, c), *y = cps_result_data(b->result, c);
    double sum = 0;
    for (long i = 0; i < rows; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    worst = fmax(worst, sqrt(sum / (double)rows));
    n++;
  }
  assert_true(n > 1);
  return worst;
}

/* How far a solver's audit is from closing, over the largest energy, and that it is not idle. */
static double closing(const ran *r) {
  cps_energy e;
  cps_result_energy(r->result, &e);
  assert_true(e.scale > 0);
  return fabs(e.error) / e.scale;
}

/* ------------------------------------------------------------------ scenarios */

#define PULLEY "westin/pulley.yaml"
#define LAW    "run.until=3|cables.rope.contact.friction="
#define ROPE   "EI: 0.2 N m2, mass_per_length: 0.3 kg/m, damping: {rayleigh: 20 N s}, "
#define NODES                                                                                                \
  "contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: 1}}, "              \
  "friction: "

/* A chain that is let go of: it falls, swings and cracks. */
static const char swing[] =
    "capstan: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies: {load: {mass: 0.5 kg}}\n"
    "cables: {chain: {EA: 20 kN, EI: 0.01 N m2, mass_per_length: 0.5 kg/m, damping: {rayleigh: 1 N s},\n"
    "  elements: 10, start: drawn, path: [{pinned: [0, 0]}, {to: [1 m, 0]}, load]}}\n"
    "run: {until: 1.5 s, output: 10 ms}\n";

/* A drum with inertia and a rough bearing, turned by a torque, that the cable is fixed to; and a loose pulley. */
static const char winch[] =
    "capstan: 1\n"
    "gravity: [0, -9.81]\n"
    "drums:\n"
    "  winch: {radius: 150 mm, center: [-1, -0.5], inertia: 0.5 kg m2,\n"
    "    drive: {torque: {sine: {amplitude: 6 N m, omega: 3 rad/s, offset: 30 N m}}},\n"
    "    bearing: {friction: {quinn: {mu: 0.1, epsilon: 5 mm/s}}, radius: 20 mm, load: 300 N}}\n"
    "  pulley: {radius: 150 mm, drive: free, inertia: 0.05 kg m2}\n"
    "bodies: {load: {mass: 20 kg}}\n"
    "cables: {rope: {EA: 500 kN, " ROPE "elements: 40, start: drawn,\n"
    "  path: [{rim: winch}, {around: winch, turn: clockwise, turns: 1}, over pulley, hang 1 m, load],\n"
    "  " NODES "{quinn: {mu: 0.25, epsilon: 10 mm/s}}}}}\n"
    "run: {until: 1 s, output: 20 ms}\n";

/* A pulley that heaves, on which the cable slips. */
static const char heave[] =
    "capstan: 1\n"
    "gravity: [0, -9.81]\n"
    "drums: {pulley: {radius: 200 mm, moved: {y: {sine: {amplitude: 50 mm, omega: 4 rad/s}}}}}\n"
    "bodies: {left: {mass: 5 kg}, right: {mass: 5.5 kg}}\n"
    "cables: {rope: {EA: 1 MN, " ROPE "elements: 24, path: [left, hang 1 m, over pulley, hang 1 m, right],\n"
    "  " NODES "{cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}}}}}\n"
    "run: {until: 2 s, output: 20 ms}\n";

/* A block whose pulley hangs in the bight of a cable. */
static const char block[] =
    "capstan: 1\n"
    "gravity: [0, -9.81]\n"
    "drums:\n"
    "  hook: {radius: 100 mm, center: [0.1, -2], drive: free, inertia: 0.01 kg m2, carried_by: block}\n"
    "  top: {radius: 100 mm, center: [0.3, 0], drive: {rotation: {sine: {amplitude: 0.5, omega: 3}}}}\n"
    "bodies: {left: {mass: 6 kg}, block: {mass: 11 kg, position: [0.1, -2]}}\n"
    "cables: {rope: {EA: 1 MN, " ROPE "elements: 40, start: drawn,\n"
    "  path: [{pinned: [0, 0]}, under hook, over top, hang 1 m, left],\n"
    "  " NODES "{quinn: {mu: 0.25, epsilon: 10 mm/s}}}}}\n"
    "run: {until: 0.5 s, output: 10 ms}\n";

/* The heaving pulley in space, with two contact points per element and a push from the side that jumps. */
static const char space[] =
    "capstan: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "drums: {pulley: {radius: 200 mm, center: [0, 0, 0], axis: [0, 0, 1], moved: {y: {sine: {amplitude: 20 "
    "mm, "
    "omega: 4 rad/s}}}}}\n"
    "bodies: {left: {mass: 5 kg}, right: {mass: 5.5 kg}}\n"
    "loads:\n"
    "  push: {on: left, direction: [0, 0, 1], force: {pulses: {amplitude: 3 N, start: 0.2 s, width: 0.2 "
    "s}}}\n"
    "cables: {rope: {EA: 1 MN, " ROPE "elements: 24, path: [left, hang 1 m, over pulley, hang 1 m, right],\n"
    "  contact: {at: {quadrature: 2}, normal: {hunt-crossley: {stiffness: 5e7, exponent: 1.5, damping: 1}},\n"
    "    friction: {tanh: {mu: 0.25}}}}}\n"
    "run: {until: 0.6 s, output: 10 ms}\n";

/* ------------------------------------------------------------------ agreement */

/* With the default tolerance 1e-8, both agree within `within` [m]; the audit of bdf closes within `closed`. */
static const struct {
  const char *name, *what, *settings;
  double within, closed;
} cases[] = {
    {"pulley, cdq", PULLEY, "run.until=3", 1e-6, 1e-7},
    {"pulley, quinn", PULLEY, LAW "{quinn: {mu: 0.25, epsilon: 10 mm/s}}", 1e-6, 1e-7},
    {"pulley, tanh", PULLEY, LAW "{tanh: {mu: 0.25}}", 1e-6, 1e-7},
    {"pulley, lugre-load", PULLEY, LAW "{lugre-load: {mu_s: 0.25, mu_d: 0.2}}", 1e-6, 1e-7},
    {"pulley, gms", PULLEY, LAW "gms", 1e-6, 1e-7},
    {"pulley, elasto-plastic", PULLEY, LAW "elasto-plastic", 1e-6, 1e-7},
    {"chain let go of", swing, "", 1e-5, 1e-5},
    {"winch", winch, "", 5e-6, 1e-5},
    {"winch, bearing with memory", winch, "drums.winch.bearing.friction=lugre-load", 5e-6, 1e-5},
    {"heaving pulley", heave, "", 5e-6, 1e-5},
    {"hanging block", block, "", 2e-5, 1e-4},
    {"in space, pushed", space, "", 1e-6, 1e-6},
    {"load that is released", PULLEY, "run.until=1.5|bodies.left.held_until=0.5", 1e-6, 1e-6},
};

static void test_agree(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(cases); i++) {
    ran a = run_with(cases[i].what, "alpha", 1e-8, cases[i].settings),
        b = run_with(cases[i].what, "bdf", 1e-8, cases[i].settings);
    double apart = difference(&a, &b), open = closing(&b);
    if (getenv("SHOW")) printf("  %-28s %.2e m, audit %.1e\n", cases[i].name, apart, open);
    if (!(apart <= cases[i].within)) fail_msg("%s: %g m apart", cases[i].name, apart);
    if (!(open <= cases[i].closed)) fail_msg("%s: the audit does not close: %g", cases[i].name, open);
    done(&a);
    done(&b);
  }
}

/* ------------------------------------------------------------------ convergence */

static const struct {
  const char *name, *what, *settings;
} shrinking[] = {
    {"pulley, cdq", PULLEY, "run.until=3"},
    {"pulley, quinn", PULLEY, LAW "{quinn: {mu: 0.25, epsilon: 10 mm/s}}"},
    {"pulley, lugre-load", PULLEY, LAW "{lugre-load: {mu_s: 0.25, mu_d: 0.2}}"},
    {"chain let go of", swing, ""},
    {"winch", winch, ""},
    {"heaving pulley", heave, "run.until=1"},
};

/* Each solver comes closer to the other's best answer with each tenth of the tolerance, by 2 at least (of order 2 it
 * should be 10^(2/3) = 4.6), until they are as good as equal. */
static void test_converge(void **state) {
  (void)state;
  enum { LEVELS = 3 };
  const char *const solvers[] = {"alpha", "bdf"};
  for (int i = 0; i < ROWS(shrinking); i++) {
    ran best[2];
    for (int s = 0; s < 2; s++)
      best[s] = run_with(shrinking[i].what, solvers[s], 1e-11, shrinking[i].settings);
    double least = difference(&best[0], &best[1]);
    if (getenv("SHOW")) printf("  %-28s best %.2e m\n", shrinking[i].name, least);
    if (!(least < 5e-8)) fail_msg("%s: %g m apart at best", shrinking[i].name, least);
    for (int s = 0; s < 2; s++) {
      double first = 0, last = 0;
      for (int k = 0; k < LEVELS; k++) {
        ran r = run_with(shrinking[i].what, solvers[s], pow(10, -8 - k), shrinking[i].settings);
        last = difference(&r, &best[!s]);
        if (k == 0) first = last;
        if (getenv("SHOW")) printf("    %s 1e-%d %.2e m\n", solvers[s], 8 + k, last);
        done(&r);
      }
      if (!(last < first / 4))
        fail_msg("%s by %s: %g m from the other's best, then %g m", shrinking[i].name, solvers[s], first,
                 last);
    }
    done(&best[0]);
    done(&best[1]);
  }
}

/* With a tolerance that allows any step, bdf takes the longest that it may: its error is of order 2. */
static void test_order(void **state) {
  (void)state;
  enum { HALVINGS = 3 };
  ran best = run_with(swing, "bdf", 1e-11, "run.until=1");
  double before = 0;
  for (int k = 0; k <= HALVINGS; k++) {
    char settings[100];
    snprintf(settings, sizeof settings, "run.until=1|run.step=%g", 2e-3 / (1 << k));
    ran r = run_with(swing, "bdf", 1, settings);
    double error = difference(&r, &best), order = log2(before / error);
    if (k > 0 && !(order > 1.7 && order < 2.4)) fail_msg("order %g, with an error of %g m", order, error);
    before = error;
    done(&r);
  }
  done(&best);
}

/* ------------------------------------------------------------------ the rest of bdf */

/* Outputs are looked at on the way, and change nothing. */
static void test_outputs(void **state) {
  (void)state;
  const char *law =
      "run.until=2|cables.rope.contact.friction={lugre-load: {mu_s: 0.25, mu_d: 0.2}}|run.output=%s";
  char settings[2][200];
  snprintf(settings[0], sizeof settings[0], law, "5 ms");
  snprintf(settings[1], sizeof settings[1], law, "0.5 s");
  ran a = run_with(PULLEY, "bdf", 1e-9, settings[0]), b = run_with(PULLEY, "bdf", 1e-9, settings[1]);
  long rows_a = cps_result_rows(a.result), rows_b = cps_result_rows(b.result);
  assert_int_equal(rows_a, 401);
  assert_int_equal(rows_b, 5);
  for (int c = 0; c < cps_result_columns(a.result); c++) {
    const char *name = cps_result_name(a.result, c);
    int place = starts_with(name, "bodies.") && (ends_with(name, ".x") || ends_with(name, ".y"));
    int tension = starts_with(name, "cables.") && ends_with(name, "tension_start");
    if (!place && !tension && strcmp(name, "time") != 0) continue;
    for (long i = 0; i < rows_b; i++) {
      double x = cps_result_data(a.result, c)[100 * i], y = cps_result_data(b.result, c)[i];
      if (!(fabs(x - y) <= (tension ? 1e-2 : 1e-7))) fail_msg("%s at row %ld: %.12g, %.12g", name, i, x, y);
    }
  }
  assert_true(closing(&a) < 1e-7);
  done(&a);
  done(&b);
}

/* Every step is a row without run.output, and time goes on. */
static void test_every_step(void **state) {
  (void)state;
  ran r = run_with(PULLEY, "bdf", 1e-8, "run.until=1|run.output=0");
  cps_counters n;
  cps_result_counters(r.result, &n);
  long rows = cps_result_rows(r.result);
  const double *t = cps_result_data(r.result, cps_result_find(r.result, "time"));
  assert_int_equal(rows, n.steps + 1);
  for (long i = 1; i < rows; i++) assert_true(t[i] > t[i - 1]);
  assert_true(t[0] == 0 && t[rows - 1] == 1);
  assert_true(n.newton >= n.steps);
  done(&r);
}

/* Laws that jump are refused with advice, wherever they are. */
static void test_refuses(void **state) {
  (void)state;
  ran r = try_with(PULLEY, "bdf", 1e-8, "cables.rope.contact.friction=coulomb");
  assert_int_equal(r.status, CPS_BAD_INPUT);
  assert_non_null(strstr(r.err.text, "the law coulomb of cable rope jumps"));
  assert_non_null(strstr(r.err.text, "run.solver alpha"));
  done(&r);
  r = try_with(winch, "bdf", 1e-8, "drums.winch.bearing.friction=coulomb");
  assert_int_equal(r.status, CPS_BAD_INPUT);
  assert_non_null(strstr(r.err.text, "the law coulomb of the bearing of drum winch jumps"));
  done(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agree),   cmocka_unit_test(test_converge),   cmocka_unit_test(test_order),
      cmocka_unit_test(test_outputs), cmocka_unit_test(test_every_step), cmocka_unit_test(test_refuses),
  };
  return cmocka_run_group_tests_name("cable solvers", tests, NULL, NULL);
}
