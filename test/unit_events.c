/* unit_events.c - the event-driven solver where it is hard: contacts that depend on one another, transitions
 * at the same time, redundant contacts, grazing, long rest, random systems. Every run is held to Coulomb's
 * law row by row. */
#include "test.h"

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_status status;
  cps_error err;
} ran;

static ran run_text(const char *text) {
  ran r = {0};
  cps_problems *problems = NULL;
  r.scenario = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!r.scenario) {
    char message[2000];
    cps_problem_text(cps_problems_at(problems, 0), message, sizeof message);
    print_error("%s\n%s\n", message, text);
  }
  cps_problems_free(problems);
  assert_non_null(r.scenario);
  r.system = cps_system_new(r.scenario, &r.err);
  assert_non_null(r.system);
  r.sim = cps_simulation_new(r.system, &r.err);
  assert_non_null(r.sim);
  r.status = cps_simulation_run(r.sim, NULL, NULL, &r.err);
  r.result = cps_simulation_result(r.sim);
  return r;
}

static void done(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

static const double *column(const ran *r, const char *name) {
  int c = cps_result_find(r->result, name);
  if (c < 0) print_error("no column %s\n", name);
  assert_true(c >= 0);
  return cps_result_data(r->result, c);
}

static double last(const ran *r, const char *name) { return column(r, name)[cps_result_rows(r->result) - 1]; }

/* Coulomb's law in every row: within the limit, at the limit against the motion when it slides, and at rest
 * exactly. */
static void hold_to_coulomb(const ran *r, const char *contact, double mu_s, double mu_d) {
  char name[64];
  const double *v, *f, *n, *slips;
  snprintf(name, sizeof name, "contacts.%s.v", contact);
  v = column(r, name);
  snprintf(name, sizeof name, "contacts.%s.f", contact);
  f = column(r, name);
  snprintf(name, sizeof name, "contacts.%s.n", contact);
  n = column(r, name);
  snprintf(name, sizeof name, "contacts.%s.slips", contact);
  slips = column(r, name);
  for (long i = 1; i < cps_result_rows(r->result); i++) {
    assert_true(fabs(f[i]) <= mu_s * n[i] * (1 + 1e-9));
    if (slips[i] != 0) {
      assert_true(fabs(fabs(f[i]) - mu_d * n[i]) <= 1e-9 * n[i]);
      assert_true(f[i] * v[i] <= 1e-12);
    } else {
      assert_true(fabs(v[i]) <= 1e-15);
    }
  }
}

static void audit_closes(const ran *r, double tolerance) {
  cps_energy e;
  cps_result_energy(r->result, &e);
  if (!(fabs(e.error) <= tolerance * e.scale)) print_error("closing error %g of %g\n", e.error, e.scale);
  assert_true(fabs(e.error) <= tolerance * e.scale);
}

/* Five blocks on one another on a shaking table: every contact depends on every other. */
static void stack(void **state) {
  (void)state;
  ran r = run_text(
      "capstan: 1\n"
      "surfaces: {table: {position: {sine: {amplitude: 0.3, omega: 5}}}}\n"
      "bodies: {b1: {mass: 5}, b2: {mass: 4}, b3: {mass: 3}, b4: {mass: 2}, b5: {mass: 1, v: 0.5}}\n"
      "springs: {k: {between: [b3, ground], stiffness: 50}}\n"
      "contacts:\n"
      "  c1: {between: [b1, table], normal: weight, friction: {coulomb: {mu: 0.5}}}\n"
      "  c2: {between: [b2, b1], normal: weight, friction: {coulomb: {mu: 0.4}}}\n"
      "  c3: {between: [b3, b2], normal: weight, friction: {coulomb: {mu: 0.3}}}\n"
      "  c4: {between: [b4, b3], normal: weight, friction: {coulomb: {mu: 0.3}}}\n"
      "  c5: {between: [b5, b4], normal: weight, friction: {coulomb: {mu: 0.2}}}\n"
      "run: {until: 20, output: 0.01, solver: events, tolerance: 1e-11, absolute_tolerance: 1e-13}\n");
  assert_int_equal(r.status, CPS_OK);
  double mu[] = {0.5, 0.4, 0.3, 0.3, 0.2};
  for (int i = 0; i < 5; i++) {
    char name[4];
    snprintf(name, sizeof name, "c%d", i + 1);
    hold_to_coulomb(&r, name, mu[i], mu[i]);
  }
  assert_true(cps_result_events(r.result) > 40);
  audit_closes(&r, 1e-8);
  done(&r);
}

/* The same stack with static above dynamic friction. */
static void stack_with_stiction(void **state) {
  (void)state;
  ran r = run_text(
      "capstan: 1\n"
      "surfaces: {table: {position: {sine: {amplitude: 0.3, omega: 4}}}}\n"
      "bodies: {b1: {mass: 5}, b2: {mass: 4}, b3: {mass: 3}}\n"
      "contacts:\n"
      "  c1: {between: [b1, table], normal: weight, friction: {coulomb-static: {mu_s: 0.6, mu_d: 0.4}}}\n"
      "  c2: {between: [b2, b1], normal: weight, friction: {coulomb-static: {mu_s: 0.5, mu_d: 0.3}}}\n"
      "  c3: {between: [b3, b2], normal: weight, friction: {coulomb-static: {mu_s: 0.3, mu_d: 0.2}}}\n"
      "run: {until: 20, output: 0.01, solver: events, tolerance: 1e-11, absolute_tolerance: 1e-13}\n");
  assert_int_equal(r.status, CPS_OK);
  hold_to_coulomb(&r, "c1", 0.6, 0.4);
  hold_to_coulomb(&r, "c2", 0.5, 0.3);
  hold_to_coulomb(&r, "c3", 0.3, 0.2);
  audit_closes(&r, 1e-8);
  done(&r);
}

#define OSCILLATOR(contacts)                                                                                 \
  "capstan: 1\n"                                                                                             \
  "bodies: {b: {mass: 1, x: 3}}\n"                                                                           \
  "springs: {k: {between: [ground, b], stiffness: 1}}\n"                                                     \
  "loads: {f: {on: b, force: {sine: {amplitude: 1.5, omega: 0.5}}}}\n" contacts                              \
  "run: {until: 60, output: 0.1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n"

/* Two contacts that do the work of one: the forces are shared, the motion is the same. */
static void redundant(void **state) {
  (void)state;
  ran one = run_text(
      OSCILLATOR("contacts: {a: {between: [b, ground], normal: 1, friction: {coulomb: {mu: 1}}}}\n"));
  ran two = run_text(
      OSCILLATOR("contacts: {a: {between: [b, ground], normal: 0.5, friction: {coulomb: {mu: 1}}},"
                 " c: {between: [b, ground], normal: 0.5, friction: {coulomb: {mu: 1}}}}\n"));
  assert_int_equal(one.status, CPS_OK);
  assert_int_equal(two.status, CPS_OK);
  for (long i = 0; i < cps_result_rows(one.result); i++)
    assert_true(fabs(column(&one, "bodies.b.x")[i] - column(&two, "bodies.b.x")[i]) < 1e-9);
  assert_true(fabs(last(&two, "contacts.a.work") + last(&two, "contacts.c.work") -
                   last(&one, "contacts.a.work")) < 1e-8);
  done(&one);
  done(&two);
}

/* Two equal systems side by side: every transition of the one is one of the other, at the same time. */
static void simultaneous(void **state) {
  (void)state;
  ran r = run_text(
      "capstan: 1\n"
      "surfaces: {belt: {velocity: 1}}\n"
      "bodies: {a: {mass: 1}, b: {mass: 1}}\n"
      "springs: {ka: {between: [ground, a], stiffness: 10}, kb: {between: [ground, b], stiffness: 10}}\n"
      "contacts: {ca: {between: [a, belt], normal: weight, friction: &f {coulomb-static: {mu_s: 0.8, mu_d: "
      "0.7}}},"
      " cb: {between: [b, belt], normal: weight, friction: *f}}\n"
      "run: {until: 10, output: 0.5, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n");
  assert_int_equal(r.status, CPS_OK);
  long n = cps_result_events(r.result);
  assert_true(n == 20);
  for (long i = 0; i < n; i += 2) {
    const cps_event *a = cps_result_event(r.result, i), *b = cps_result_event(r.result, i + 1);
    assert_true(a->contact != b->contact && fabs(a->time - b->time) < 1e-11);
  }
  assert_true(fabs(last(&r, "bodies.a.x") - last(&r, "bodies.b.x")) < 1e-11);
  done(&r);
}

/* A sliding velocity that touches zero and leaves it: v = 0.5 (1 + cos t) against the belt, by a drive
 * through a stiff spring's equivalent: the load that makes it so. It must go on, without chatter. */
static void grazing(void **state) {
  (void)state;
  ran r = run_text(
      "capstan: 1\n"
      "bodies: {b: {mass: 1, v: 1}}\n"
      "contacts: {c: {between: [b, ground], normal: 1, friction: {coulomb: {mu: 0.3}}}}\n"
      "loads: {f: {on: b, force: {sum: [0.3, {sine: {amplitude: -0.5, omega: 1}}]}}}\n"
      "run: {until: 30, output: 0.1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n");
  assert_int_equal(r.status, CPS_OK);
  assert_true(cps_result_events(r.result) < 40);
  hold_to_coulomb(&r, "c", 0.3, 0.3);
  audit_closes(&r, 1e-8);
  done(&r);
}

/* A held load is held: ten thousand seconds, not one bit of drift; on a belt it rides along exactly. */
static void no_drift(void **state) {
  (void)state;
  ran r = run_text(
      "capstan: 1\n"
      "surfaces: {belt: {position: {sine: {amplitude: 0.1, omega: 0.7}}}}\n"
      "bodies: {held: {mass: 1, x: 0.123}, rider: {mass: 1, x: 0.456, v: 0.07}}\n"
      "contacts: {c: {between: [held, ground], normal: weight, friction: {coulomb: {mu: 0.5}}},"
      " d: {between: [rider, belt], normal: weight, friction: {coulomb: {mu: 0.5}}}}\n"
      "loads: {f: {on: held, force: {sine: {amplitude: 4.9, omega: 0.1}}}}\n"
      "run: {until: 1e4, output: 100, solver: events, tolerance: 1e-8, absolute_tolerance: 1e-10}\n");
  assert_int_equal(r.status, CPS_OK);
  assert_true(last(&r, "bodies.held.x") == 0.123 && last(&r, "bodies.held.v") == 0);
  double riding = last(&r, "bodies.rider.x") - last(&r, "surfaces.belt.x");
  assert_true(fabs(riding - 0.456) < 1e-15);
  assert_true(cps_result_events(r.result) == 0);
  done(&r);
}

/* Same file, same bits. */
static void repeatable(void **state) {
  (void)state;
  const char *text = OSCILLATOR(
      "contacts: {a: {between: [b, ground], normal: 1, friction: {coulomb: {mu: 1}}}}\n");
  ran a = run_text(text), b = run_text(text);
  long rows = cps_result_rows(a.result);
  for (int c = 0; c < cps_result_columns(a.result); c++)
    assert_memory_equal(cps_result_data(a.result, c), cps_result_data(b.result, c),
                        (size_t)rows * sizeof(double));
  done(&a);
  done(&b);
}

/* Random blocks, springs and contacts, also on one another: they run to the end and obey Coulomb, or say why
 * not. */
static void random_systems(void **state) {
  (void)state;
  int failed = 0;
  for (int trial = 0; trial < 150; trial++) {
    rng g = rng_for("random systems", (uint64_t)trial);
    char text[4096], *at = text, *end = text + sizeof text;
    int n = 1 + rng_below(&g, 5);
    double mu_s[5], mu_d[5];
    at += snprintf(
        at, (size_t)(end - at),
        "capstan: 1\nsurfaces: {belt: {position: {sine: {amplitude: %.3g, omega: %.3g}}}}\nbodies:\n",
        rng_between(&g, 0.05, 0.5), rng_between(&g, 0.5, 6));
    for (int i = 0; i < n; i++)
      at += snprintf(at, (size_t)(end - at), "  b%d: {mass: %.3g, v: %.3g}\n", i, rng_log(&g, 0.2, 5),
                     rng_below(&g, 2) * rng_between(&g, -1, 1));
    at += snprintf(at, (size_t)(end - at), "springs:\n");
    for (int i = 0; i < n; i++) {
      char other[16] = "ground";
      if (i > 0 && rng_below(&g, 2)) snprintf(other, sizeof other, "b%d", rng_below(&g, i));
      at += snprintf(at, (size_t)(end - at), "  k%d: {between: [%s, b%d], stiffness: %.3g, damping: %.3g}\n",
                     i, other, i, rng_log(&g, 1, 200), rng_below(&g, 2) * rng_between(&g, 0, 1));
    }
    at += snprintf(at, (size_t)(end - at), "contacts:\n");
    for (int i = 0; i < n; i++) {
      char other[16] = "ground";
      if (i > 0 && rng_below(&g, 3) == 0)
        snprintf(other, sizeof other, "b%d", i - 1);
      else if (rng_below(&g, 2))
        snprintf(other, sizeof other, "belt");
      mu_d[i] = rng_between(&g, 0.05, 0.6);
      mu_s[i] = rng_below(&g, 2) ? mu_d[i] : mu_d[i] * rng_between(&g, 1, 1.5);
      at += snprintf(at, (size_t)(end - at),
                     "  c%d: {between: [b%d, %s], normal: %.3g, friction: {coulomb-static: {mu_s: %.17g, "
                     "mu_d: %.17g}}}\n",
                     i, i, other, rng_log(&g, 0.5, 50), mu_s[i], mu_d[i]);
    }
    snprintf(at, (size_t)(end - at),
             "run: {until: 10, output: 0.02, solver: events, tolerance: 1e-9, absolute_tolerance: 1e-11}\n");
    ran r = run_text(text);
    if (r.status != CPS_OK) {
      failed++;
      print_message("trial %d: %s\n", trial, r.err.text);
      assert_true(strlen(r.err.text) > 20 && r.err.time >= 0);
    }
    for (int i = 0; i < n; i++) {
      char name[16];
      snprintf(name, sizeof name, "c%d", i);
      hold_to_coulomb(&r, name, mu_s[i], mu_d[i]);
    }
    audit_closes(&r, 1e-6);
    done(&r);
  }
  assert_true(failed <= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stack),      cmocka_unit_test(stack_with_stiction),
                                     cmocka_unit_test(redundant),  cmocka_unit_test(simultaneous),
                                     cmocka_unit_test(grazing),    cmocka_unit_test(no_drift),
                                     cmocka_unit_test(repeatable), cmocka_unit_test(random_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
