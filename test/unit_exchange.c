/* unit_exchange.c - rates from outside, other values in the middle of a run, and fields as they are now: what FMUs need. */
#include "test.h"

static void near(double found, double wanted, double tolerance) {
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%.17g, and not %.17g", found, wanted);
}

/* ------------------------------------------------------------------ a method of our own */

#define BLOCK                                                                                                \
  "capstan: 1\nsurfaces: {belt: {velocity: 0.1 m/s}}\nbodies: {block: {mass: 1 kg}}\n"                       \
  "springs: {spring: {between: [block, ground], stiffness: 20 N/m, damping: 0.1 N s/m}}\n"                   \
  "contacts: {dry: {between: [block, belt], normal: 9.81 N, friction: {stribeck: {mu_s: 0.4, mu_d: 0.3, "    \
  "v_s: 0.05 m/s}}}}\nloads: {push: {on: block, force: {pulses: {amplitude: 1 N, start: 3 s, width: 1 "      \
  "s}}}}\n"                                                                                                  \
  "run: {until: 6 s, output: 0.5 s, solver: events, tolerance: 1e-10}\n"
#define STACK                                                                                                \
  "capstan: 1\nbodies: {low: {mass: 2 kg}, high: {mass: 1 kg, v: 1 m/s}}\n"                                  \
  "contacts:\n  table: {between: [low, ground], normal: 29.43 N, friction: {coulomb-static: {mu_s: 0.1, "    \
  "mu_d: 0.05}}}\n  between: {between: [high, low], normal: 9.81 N, friction: {coulomb: {mu: 0.4}}}\n"       \
  "springs: {hold: {between: [high, ground], stiffness: 30 N/m}}\n"                                          \
  "run: {until: 4 s, output: 0.5 s, solver: events, tolerance: 1e-10}\n"
#define HELD                                                                                                 \
  "capstan: 1\nbodies: {block: {mass: 1 kg, v: 2 m/s, held_until: 1 s}}\n"                                   \
  "contacts: {dry: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}\n"            \
  "run: {until: 3 s, output: 0.5 s, solver: events, tolerance: 1e-10}\n"
#define ELEMENTS                                                                                             \
  "capstan: 1\nbodies: {block: {mass: 1 kg, v: 0.1 m/s}}\n"                                                  \
  "springs: {hold: {between: [block, ground], stiffness: 100 N/m}}\n"                                        \
  "contacts: {joint: {between: [block, ground], normal: 10 N, friction: {%s}}}\n"                            \
  "run: {until: 1 s, output: 0.25 s, solver: events, tolerance: 1e-10}\n"

enum { STATES = 40 };

typedef struct outside {
  cps_simulation *sim;
  int n, n_guards;
  double t, y[STATES];
  cps_exchange_outcome last;
} outside;

static cps_scenario *parse(const char *text) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "exchange.yaml", NULL, 0, &problems);
  if (!s) print_error("%s\n", cps_problems_at(problems, 0)->text);
  assert_non_null(s);
  cps_problems_free(problems);
  return s;
}

static void rates(outside *o, double t, const double *y, double *y_t) {
  assert_int_equal(cps_exchange_put(o->sim, t, y, NULL), CPS_OK);
  assert_int_equal(cps_exchange_rates(o->sim, y_t, NULL), CPS_OK);
}

/* One step of the classical method of Runge and Kutta. */
static void rk4(outside *o, double h, double *to) {
  double k[4][STATES], y[STATES];
  static const double c[] = {0, 0.5, 0.5, 1}, b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < o->n; i++) y[i] = o->y[i] + (s ? c[s] * h * k[s - 1][i] : 0);
    rates(o, o->t + c[s] * h, y, k[s]);
  }
  for (int i = 0; i < o->n; i++) {
    to[i] = o->y[i];
    for (int s = 0; s < 4; s++) to[i] += h * b[s] * k[s][i];
  }
}

static int guards_hold(outside *o, double t, const double *y) {
  double g[STATES];
  assert_int_equal(cps_exchange_put(o->sim, t, y, NULL), CPS_OK);
  assert_int_equal(cps_exchange_guards(o->sim, g, NULL), CPS_OK);
  for (int i = 0; i < o->n_guards; i++)
    if (!(g[i] > 0)) return 0;
  return 1;
}

static void event(outside *o) {
  assert_int_equal(cps_exchange_put(o->sim, o->t, o->y, NULL), CPS_OK);
  cps_error err = {0};
  if (cps_exchange_event(o->sim, &o->last, &err) != CPS_OK) fail_msg("%s", err.text);
  assert_int_equal(cps_exchange_get(o->sim, o->y, NULL), CPS_OK);
  /* rates jump with a transition, also where no state does: whoever integrates has to hear of it */
  if (o->last.events > 0) assert_true(o->last.changed);
}

/* Steps of h, or shorter at stops; where a guard is negative the step is bisected, and the event passed. */
static void integrate(outside *o, double until, double h, long *events) {
  while (o->t < until - 1e-12) {
    double end = fmin(fmin(o->t + h, until), o->last.next), low = 0, high = end - o->t, to[STATES];
    rk4(o, high, to);
    int stops = end == o->last.next;
    if (!guards_hold(o, end, to)) {
      for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        rk4(o, middle, to);
        *(guards_hold(o, o->t + middle, to) ? &low : &high) = middle;
      }
      rk4(o, high, to);
      stops = 1;
    }
    o->t = stops && high == end - o->t ? end : o->t + high;
    memcpy(o->y, to, sizeof to);
    if (!stops) continue;
    event(o);
    *events += o->last.events;
  }
}

static void start(outside *o, const cps_system *system) {
  cps_error err = {0};
  memset(o, 0, sizeof *o);
  o->sim = cps_simulation_new(system, &err);
  assert_non_null(o->sim);
  if (cps_exchange_size(o->sim, &o->n, &o->n_guards, &err) != CPS_OK) fail_msg("%s", err.text);
  assert_in_range(o->n, 1, STATES);
  assert_int_equal(cps_exchange_get(o->sim, o->y, NULL), CPS_OK);
  event(o);
}

/* Every row of a run with `events`, against our own steps: states, and columns that follow from them. */
static void test_same_as_a_run(void **state) {
  static const struct {
    const char *text, *law;
    int events; /* at least */
    double tolerance;
  } rows[] = {{BLOCK, NULL, 5, 1e-8},          {STACK, NULL, 3, 1e-8},
              {HELD, NULL, 2, 1e-8},           {ELEMENTS, "gms: {}", 2, 1e-6},
              {ELEMENTS, "iwan: {}", 2, 1e-6}, {ELEMENTS, "adams-stick-slip: {}", 1, 1e-6}};
  (void)state;
  for (int c = 0; c < ROWS(rows); c++) {
    char text[2000];
    snprintf(text, sizeof text, rows[c].text, rows[c].law);
    cps_error err = {0};
    cps_scenario *s = parse(text);
    cps_system *system = cps_system_new(s, &err);
    if (!system) fail_msg("%s", err.text);
    cps_simulation *run = cps_simulation_new(system, &err);
    if (cps_simulation_run(run, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
    const cps_result *r = cps_simulation_result(run);
    outside o;
    start(&o, system);
    long events = 0;
    double worst = 0;
    for (long row = 0; row < cps_result_rows(r); row++) {
      integrate(&o, cps_result_data(r, 0)[row], rows[c].law ? 2e-5 : 1e-3, &events);
      assert_int_equal(cps_exchange_put(o.sim, o.t, o.y, NULL), CPS_OK);
      for (int i = 0; i < o.n; i++) {
        cps_exchange_state what;
        assert_int_equal(cps_exchange_state_at(o.sim, i, &what), CPS_OK);
        assert_int_equal(what.column, cps_result_find(r, what.name));
        assert_true(what.column > 0 && what.nominal > 0);
        assert_string_equal(what.unit, cps_result_unit(r, what.column));
        double wanted = cps_result_data(r, what.column)[row];
        worst = fmax(worst, fabs(o.y[i] - wanted));
        near(cps_simulation_get(o.sim, what.column), o.y[i], 0);
        if (fabs(o.y[i] - wanted) > rows[c].tolerance)
          fail_msg("case %d, t = %g, %s: %.12g, and %.12g in a run", c, o.t, what.name, o.y[i], wanted);
      }
    }
    if (events < rows[c].events) fail_msg("case %d: %ld events", c, events);
    /* elements that hardly reach their limits may or may not */
    long found = cps_result_events(cps_simulation_result(o.sim)), wanted = cps_result_events(r);
    near((double)found, (double)wanted, rows[c].law ? 0.05 * (double)wanted : 0);
    cps_simulation_free(o.sim);
    cps_simulation_free(run);
    cps_system_free(system);
    cps_scenario_free(s);
  }
}

/* A state that is put back goes on to the same bits. */
static void test_state(void **state) {
  (void)state;
  cps_scenario *s = parse(BLOCK);
  cps_system *system = cps_system_new(s, NULL);
  outside o;
  long events = 0;
  start(&o, system);
  integrate(&o, 2.5, 1e-2, &events);
  size_t size = cps_simulation_state_size(o.sim, NULL);
  void *block = malloc(size);
  assert_int_equal(cps_exchange_put(o.sim, o.t, o.y, NULL), CPS_OK);
  assert_int_equal(cps_simulation_state_get(o.sim, block, NULL), CPS_OK);
  outside kept = o;
  double ends[2][STATES];
  for (int i = 0; i < 2; i++) {
    o = kept;
    assert_int_equal(cps_simulation_state_set(o.sim, block, NULL), CPS_OK);
    integrate(&o, 5, 1e-2, &events);
    memcpy(ends[i], o.y, sizeof o.y);
  }
  assert_memory_equal(ends[0], ends[1], (size_t)o.n * sizeof(double));
  free(block);
  cps_simulation_free(o.sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void test_refused(void **state) {
  static const struct {
    const char *text, *word;
  } rows[] = {
      {"capstan: 1\nbodies: {a: {mass: 1 kg}}\nrun: {until: 1 s, solver: alpha}\n", "events"},
      {"capstan: 1\nsurfaces: {belt: {velocity: {input: speed}}}\nbodies: {a: {mass: 1 kg}}\ncontacts: {c: "
       "{between: [a, belt], normal: 1 N, friction: {coulomb: {mu: 0.2}}}}\nrun: {until: 1 s, solver: "
       "events}\n",
       "\"speed\" is a motion"},
      {"capstan: 1\ngravity: [0, -9.81]\ncables: {rope: {EA: 1 kN, EI: 1 N m2, mass_per_length: 1 kg/m, "
       "elements: 4, path: [{pinned: [0, 0]}, {pinned: [1 m, 0]}]}}\nrun: {until: 1 s}\n",
       "cables"}};
  (void)state;
  for (int i = 0; i < ROWS(rows); i++) {
    cps_scenario *s = parse(rows[i].text);
    cps_error err = {0};
    cps_system *system = cps_system_new(s, &err);
    if (!system) fail_msg("%s", err.text);
    cps_simulation *sim = cps_simulation_new(system, &err);
    int n, guards;
    double y[STATES];
    cps_exchange_outcome outcome;
    assert_int_equal(cps_exchange_size(sim, &n, &guards, &err), CPS_BAD_INPUT);
    if (!strstr(err.text, rows[i].word)) fail_msg("%s", err.text);
    assert_int_equal(cps_exchange_get(sim, y, NULL), CPS_BAD_INPUT);
    assert_int_equal(cps_exchange_put(sim, 0, NULL, NULL), CPS_BAD_INPUT);
    assert_int_equal(cps_exchange_rates(sim, y, NULL), CPS_BAD_INPUT);
    assert_int_equal(cps_exchange_guards(sim, y, NULL), CPS_BAD_INPUT);
    assert_int_equal(cps_exchange_event(sim, &outcome, NULL), CPS_BAD_INPUT);
    cps_simulation_free(sim);
    cps_system_free(system);
    cps_scenario_free(s);
  }
  cps_scenario *s = parse(BLOCK);
  cps_system *system = cps_system_new(s, NULL);
  cps_simulation *sim = cps_simulation_new(system, NULL);
  double y[STATES] = {NAN};
  cps_exchange_state what;
  assert_int_equal(cps_exchange_put(sim, 0, y, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_exchange_put(sim, INFINITY, NULL, NULL), CPS_BAD_INPUT);
  assert_int_equal(cps_exchange_state_at(sim, -1, &what), CPS_BAD_INPUT);
  assert_int_equal(cps_exchange_state_at(sim, 1000, &what), CPS_BAD_INPUT);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ other values in the middle of a run */

#define CART                                                                                                 \
  "capstan: 1\nbodies: {cart: {mass: 2 kg}}\ncontacts: {rail: {between: [cart, ground], normal: weight, "    \
  "friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}\nsprings: {hold: {between: [cart, ground], stiffness: 3 " \
  "N/m}}\nloads: {push: {on: cart, force: %s}}\nrun: {until: 2 s, solver: alpha, step: 1 ms}\n"
#define ROPE                                                                                                 \
  "capstan: 1\ngravity: [0, -9.81]\nbodies: {left: {mass: 10 kg}, right: {mass: 12 kg}}\ndrums: {pulley: "   \
  "{radius: 250 mm, center: [0, 0], inertia: 0.5 kg m2, drive: {torque: %s}}}\ncables: {rope: {EA: 0.1 MN, " \
  "EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, elements: 16, path: [left, "       \
  "{hang: 1 m}, {over: pulley}, {hang: 1 m}, right], contact: {at: nodes, normal: "                          \
  "{hunt-crossley: {stiffness: 1e6}}, "                                                                      \
  "friction: {cdq: {mu: 0.4, epsilon: 10 mm/s}}}}}\nrun: {until: 0.4 s, solver: alpha, step: 0.5 ms, "       \
  "output: 0.1 s}\n"

static cps_simulation *make(const char *form, const char *value, cps_scenario **s, cps_system **system) {
  char text[2000];
  cps_error err = {0};
  snprintf(text, sizeof text, form, value);
  *s = parse(text);
  *system = cps_system_new(*s, &err);
  if (!*system) fail_msg("%s", err.text);
  return cps_simulation_new(*system, &err);
}

/* A load that is tuned does what an input does that is set, to the bit; also beside a cable. */
static void test_tune_a_load(void **state) {
  static const struct {
    const char *form, *path, *column;
    double value, at, end;
  } rows[] = {{CART, "loads.push.force", "bodies.cart.x", 7, 0.5, 2},
              {ROPE, "drums.pulley.drive.torque", "bodies.right.y", 8, 0.1, 0.3}};
  (void)state;
  for (int c = 0; c < ROWS(rows); c++) {
    cps_scenario *s[2];
    cps_system *system[2];
    cps_error err = {0};
    cps_simulation *tuned = make(rows[c].form, "5", &s[0], &system[0]),
                   *set = make(rows[c].form, "{input: {name: u, start: 5}}", &s[1], &system[1]);
    double values[2], energy[2];
    for (int i = 0; i < 2; i++) {
      cps_simulation *sim = i ? set : tuned;
      assert_int_equal(cps_simulation_step(sim, rows[c].at, 0, NULL, &err), CPS_OK);
      cps_status status = i ? cps_simulation_set(sim, 0, rows[c].value, CPS_HOLD, &err)
                            : cps_simulation_retune(sim, &rows[c].path, &rows[c].value, 1, &err);
      if (status != CPS_OK) fail_msg("%s", err.text);
      if (cps_simulation_step(sim, rows[c].end, 0, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
      values[i] = cps_simulation_get(sim, cps_simulation_column(sim, rows[c].column));
      energy[i] = cps_simulation_get(sim, cps_simulation_column(sim, "energy.error"));
    }
    if (values[0] != values[1])
      fail_msg("case %d: %.17g by tuning, %.17g by an input", c, values[0], values[1]);
    near(energy[0], energy[1], 1e-9);
    cps_simulation_free(tuned);
    cps_simulation_free(set);
    for (int i = 0; i < 2; i++) cps_system_free(system[i]), cps_scenario_free(s[i]);
  }
}

/* Friction that falls to nothing while the cart slides: then it moves as a free oscillator does. The energy of a spring that changes
 * is no error. */
static void test_tune_laws(void **state) {
  (void)state;
  cps_scenario *s;
  cps_system *system;
  cps_error err = {0};
  cps_simulation *sim = make(CART, "5", &s, &system);
  const char *paths[] = {"contacts.rail.friction.mu", "springs.hold.stiffness"};
  double values[] = {1e-6, 12};
  assert_int_equal(cps_simulation_step(sim, 0.5, 0, NULL, &err), CPS_OK);
  int x = cps_simulation_column(sim, "bodies.cart.x"), v = cps_simulation_column(sim, "bodies.cart.v"),
      e = cps_simulation_column(sim, "energy.error");
  double x0 = cps_simulation_get(sim, x), v0 = cps_simulation_get(sim, v);
  assert_true(v0 > 0.5);
  if (cps_simulation_retune(sim, paths, values, 2, &err) != CPS_OK) fail_msg("%s", err.text);
  near(cps_simulation_get(sim, x), x0, 0);
  if (cps_simulation_step(sim, 1.5, 0, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  double omega = sqrt(values[1] / 2), rest = 5 / values[1],
         wanted = rest + (x0 - rest) * cos(omega) + v0 / omega * sin(omega);
  near(cps_simulation_get(sim, x), wanted, 1e-5);
  near(cps_simulation_get(sim, e), 0, 1e-4);
  /* what is not allowed leaves it as it was */
  double now = cps_simulation_get(sim, x), bad = -1;
  assert_int_equal(cps_simulation_retune(sim, paths + 1, &bad, 1, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "stiffness"));
  near(cps_simulation_get(sim, x), now, 0);
  assert_int_equal(cps_simulation_step(sim, 1.6, 0, NULL, &err), CPS_OK);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  assert_true(cps_path_tunable("contacts.rail.friction.mu") && cps_path_tunable("loads.push.force") &&
              cps_path_tunable("springs.hold.damping") &&
              cps_path_tunable("cables.rope.contact.friction.mu") &&
              cps_path_tunable("drums.pulley.drive.kp"));
  assert_false(cps_path_tunable("bodies.cart.mass") || cps_path_tunable("springs.hold.length") ||
               cps_path_tunable("loads") || cps_path_tunable("") || cps_path_tunable("loads.push") ||
               cps_path_tunable("springs.hold.stiffnesses") || cps_path_tunable("cables.rope.EA"));
}

/* ------------------------------------------------------------------ fields, inputs, ranges */

static void test_fields(void **state) {
  (void)state;
  cps_scenario *s;
  cps_system *system;
  cps_error err = {0};
  cps_simulation *sim = make(ROPE, "{input: {name: motor, start: 5 N m}}", &s, &system);
  if (cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  const cps_result *r = cps_simulation_result(sim);
  assert_int_equal(cps_result_fields(r), 9);
  for (int i = 0; i < cps_result_fields(r); i++) {
    const cps_field *f = cps_result_field(r, i);
    size_t n = (size_t)f->points * (size_t)f->components;
    double *now = calloc(n, sizeof *now);
    const double *last = cps_result_field_data(r, i) +
                         (f->constant ? 0 : (size_t)(cps_result_frames(r) - 1) * n);
    assert_int_equal(cps_simulation_field(sim, i, now, &err), CPS_OK);
    assert_memory_equal(now, last, n * sizeof *now);
    free(now);
  }
  assert_int_equal(cps_simulation_field(sim, 9, NULL, &err), CPS_BAD_INPUT);
  cps_input in;
  assert_int_equal(cps_simulation_input_at(sim, 0, &in), CPS_OK);
  assert_string_equal(in.path, "drums.pulley.drive.torque");
  cps_quantity q;
  assert_int_equal(cps_scenario_quantity(s, "bodies.left.mass", &q, NULL), CPS_OK);
  assert_true(q.min == 0 && q.above && q.max == INFINITY && !q.whole);
  assert_int_equal(cps_scenario_quantity(s, "cables.rope.elements", &q, NULL), CPS_OK);
  assert_true(q.whole && q.min >= 1);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_a_run), cmocka_unit_test(test_state),
                                     cmocka_unit_test(test_refused),       cmocka_unit_test(test_tune_a_load),
                                     cmocka_unit_test(test_tune_laws),     cmocka_unit_test(test_fields)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
