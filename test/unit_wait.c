/* Those who wait: they hear what is done from within it, and can have it given up at once. */
#include "internal.h"
#include "scenario.h"
#include "test.h"

static const char rope[] =
    "capstan: 1\n"
    "drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {sine: {amplitude: "
    "0.3, omega: 8 rad/s}}}}}\n"
    "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 1 MN\n"
    "    EI: 0.7 N m2\n"
    "    mass_per_length: 0.4555 kg/m\n"
    "    damping: {rayleigh: 10 N s}\n"
    "    elements: 12\n"
    "    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]\n"
    "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: "
    "0.25}}}\n"
    "run: {until: 0.3 s, solver: %s, output: 10 ms}\n";

static const char block[] =
    "capstan: 1\n"
    "bodies: {a: {mass: 1 kg}}\n"
    "surfaces: {belt: {velocity: {sine: {amplitude: 0.6, omega: 3.1, offset: 0.2}}}}\n"
    "springs: {s: {between: [{ground: 0}, a], stiffness: 40}}\n"
    "contacts: {one: {between: [a, belt], normal: weight, friction: quinn}}\n"
    "run: {until: 3 s, solver: %s, output: 20 ms}\n";

typedef struct waiter {
  int calls, most, equilibria, steps;
  double last; /* time of the last call */
} waiter;

static int listen(const cps_wait *now, void *data) {
  waiter *w = data;
  w->calls++;
  w->equilibria += strcmp(now->doing, "the search for the equilibrium") == 0;
  w->steps += strcmp(now->doing, "a time step") == 0;
  w->last = now->time;
  assert_true(now->time >= 0 && now->time <= 3);
  return w->calls >= w->most;
}

/* Runs until the waiter has had enough, or to the end; how often it was called after it said so must be nearly nothing. */
static void run(const char *text, const char *solver, int most, waiter *w, cps_status wanted) {
  char all[2048];
  cps_error err = {0};
  snprintf(all, sizeof all, text, solver);
  cps_scenario *s = cps_scenario_parse(all, strlen(all), "test", NULL, 0, NULL);
  assert_non_null(s);
  *w = (waiter){.most = most};
  cps_scenario_on_wait(s, listen, w);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  assert_non_null(sim);
  cps_status status = cps_simulation_run(sim, NULL, NULL, &err);
  assert_int_equal(status, wanted);
  if (wanted == CPS_OK) {
    assert_true(w->calls < most);
  } else {
    if (!strstr(err.text, "stopped on request")) fail_msg("%s", err.text);
    assert_true(w->calls >= most && w->calls <= most + 2);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void cables(void **state) {
  (void)state;
  static const char *const solvers[] = {"alpha", "bdf"};
  for (int i = 0; i < ROWS(solvers); i++) {
    waiter all, part;
    run(rope, solvers[i], 1000000000, &all, CPS_OK);
    assert_true(all.equilibria > 5 && all.steps > 50);
    assert_true(all.equilibria + all.steps == all.calls);
    /* in the search, at its end, in the first step, in the middle, in the last step */
    const int at[] = {3, all.equilibria, all.equilibria + 1, all.calls / 2 + all.equilibria / 2, all.calls};
    for (int k = 0; k < ROWS(at); k++) {
      run(rope, solvers[i], at[k], &part, CPS_FAILED);
      assert_true(part.steps == 0 || part.equilibria == all.equilibria);
    }
  }
}

static void bodies(void **state) {
  (void)state;
  waiter all, part;
  run(block, "alpha", 1000000000, &all, CPS_OK);
  assert_true(all.steps > 100 && all.steps == all.calls);
  run(block, "alpha", all.calls / 2, &part, CPS_FAILED);
  assert_true(part.last > 0.1 && part.last < 2.9);
}

static void loads(void **state) {
  (void)state;
  char all[2048];
  cps_error err = {0};
  cps_hold hold;
  snprintf(all, sizeof all, rope, "alpha");
  cps_scenario *s = cps_scenario_parse(all, strlen(all), "test", NULL, 0, NULL);
  waiter w = {.most = 20};
  cps_scenario_on_wait(s, listen, &w);
  cps_system *system = cps_system_new(s, &err);
  assert_int_equal(cps_hold_range(system, 0, &hold, &err), CPS_FAILED);
  assert_non_null(strstr(err.text, "stopped on request"));
  assert_int_equal(w.equilibria, 0);
  cps_system_free(system);
  cps_scenario_free(s);
}

static int count(const cps_progress *now, void *data) {
  (void)now;
  ++*(int *)data;
  return 0;
}

/* A step of many elements takes long, and who waits for it hears of every few. */
static void progress(void **state) {
  (void)state;
  char all[2048];
  int calls = 0;
  cps_counters n;
  snprintf(all, sizeof all, rope, "alpha");
  const char *more = "cables.rope.elements=200";
  cps_scenario *s = cps_scenario_parse(all, strlen(all), "test", &more, 1, NULL);
  cps_system *system = cps_system_new(s, NULL);
  cps_simulation *sim = cps_simulation_new(system, NULL);
  assert_int_equal(cps_simulation_run(sim, count, &calls, NULL), CPS_OK);
  cps_result_counters(cps_simulation_result(sim), &n);
  assert_true(calls >= n.steps / 4);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cables), cmocka_unit_test(bodies),
                                     cmocka_unit_test(loads), cmocka_unit_test(progress)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
