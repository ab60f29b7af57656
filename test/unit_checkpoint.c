/* Runs that are saved, taken up in a new simulation, and end in the same bits: every law with every solver. */
#include "test.h"

/* Coupled contacts, a rope, a body that is released, a load that jumps, a surface that moves: whatever keeps
 * something from one step to the next. */
static const char scene[] =
    "capstan: 1\n"
    "bodies:\n"
    "  a: {mass: 1 kg}\n"
    "  b: {mass: 2 kg, x: 0.5}\n"
    "  c: {mass: 0.5 kg, x: 1.5, held_until: 0.61 s}\n"
    "surfaces:\n"
    "  belt: {velocity: {sine: {amplitude: 0.6, omega: 3.1, offset: 0.2}}}\n"
    "springs:\n"
    "  s: {between: [{ground: 0}, a], stiffness: 40, damping: 0.1}\n"
    "  t: {between: [a, b], stiffness: 30, length: 0.5}\n"
    "  rope: {between: [b, c], stiffness: 200, damping: 1, length: 0.9, tension_only: true}\n"
    "contacts:\n"
    "  one: {between: [a, belt], normal: weight, friction: %s}\n"
    "  two: {between: [b, a], normal: 3 N, friction: %s}\n"
    "  three: {between: [c, ground], normal: weight, friction: %s}\n"
    "loads:\n"
    "  push: {on: b, force: {pulses: {amplitude: 8, start: 0.3, width: 0.4, period: 0.9, count: 1000}}}\n"
    "run: {until: %g s, solver: %s, output: %g, audit: {warn: off, fail: off}%s}\n";

typedef struct keeper {
  int at;   /* instants to let pass; -1: none is wanted */
  int seen; /* so far */
  void *bytes;
  size_t size;
} keeper;

static int keep(cps_simulation *sim, void *data) {
  keeper *k = data;
  if (k->seen++ == k->at) assert_int_equal(cps_simulation_save(sim, &k->bytes, &k->size, NULL), CPS_OK);
  return 0;
}

static cps_scenario *parse(const char *law, const char *solver, double until, double output,
                           const char *more) {
  char text[4096];
  snprintf(text, sizeof text, scene, law, law, law, until, solver, output, more);
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test", NULL, 0, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  return s;
}

static int same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* What came after the checkpoint, and the final counts. */
static void compare(const char *what, const cps_result *whole, const cps_result *rest, cps_extent before) {
  assert_int_equal(cps_result_rows(rest) + before.rows, cps_result_rows(whole));
  assert_int_equal(cps_result_events(rest) + before.events, cps_result_events(whole));
  for (int c = 0; c < cps_result_columns(whole); c++) {
    const double *a = cps_result_data(whole, c) + before.rows, *b = cps_result_data(rest, c);
    for (long i = 0; i < cps_result_rows(rest); i++)
      if (!same(a[i], b[i]))
        fail_msg("%s: %s differs in row %ld: %.17g and %.17g", what, cps_result_name(whole, c),
                 i + before.rows, a[i], b[i]);
  }
  for (long i = 0; i < cps_result_events(rest); i++) {
    const cps_event *a = cps_result_event(whole, i + before.events), *b = cps_result_event(rest, i);
    assert_true(same(a->time, b->time));
    assert_int_equal(a->contact, b->contact);
    assert_string_equal(a->what, b->what);
  }
  cps_energy e[2];
  cps_counters n[2];
  cps_result_energy(whole, &e[0]);
  cps_result_energy(rest, &e[1]);
  cps_result_counters(whole, &n[0]);
  cps_result_counters(rest, &n[1]);
  if (memcmp(&e[0], &e[1], sizeof e[0]) != 0) fail_msg("%s: the energies differ", what);
  if (memcmp(&n[0], &n[1], sizeof n[0]) != 0)
    fail_msg("%s: the counters differ: %ld %ld %ld %ld %ld, %ld %ld %ld %ld %ld", what, n[0].steps,
             n[0].rejected, n[0].evaluations, n[0].newton, n[0].factorisations, n[1].steps, n[1].rejected,
             n[1].evaluations, n[1].newton, n[1].factorisations);
}

/* One run in one go, saved at a random instant, and the rest of it from there. Returns the instants; -1 if the
 * solver does not take the law, or the run fails for reasons of its own. Takes the scenario. */
static int interrupt_run(const char *what, cps_scenario *s, rng *random) {
  cps_error err = {0};
  cps_system *system = cps_system_new(s, &err);
  if (!system) {
    cps_scenario_free(s);
    return -1;
  }
  keeper k = {.at = -1};
  cps_simulation *sim = cps_simulation_new(system, &err);
  cps_simulation_on_checkpoint(sim, keep, &k);
  cps_status status = cps_simulation_run(sim, NULL, NULL, &err);
  int instants = k.seen;
  for (int round = 0; status == CPS_OK && instants > 0 && round < 1; round++) {
    /* once more, saved somewhere */
    k = (keeper){.at = rng_below(random, instants)};
    cps_simulation *saved = cps_simulation_new(system, &err), *rest = cps_simulation_new(system, &err);
    cps_simulation_on_checkpoint(saved, keep, &k);
    assert_int_equal(cps_simulation_run(saved, NULL, NULL, &err), CPS_OK);
    assert_non_null(k.bytes);
    cps_extent before;
    if (cps_simulation_restore(rest, k.bytes, k.size, &before, &err) != CPS_OK) fail_msg("%s", err.text);
    assert_int_equal(cps_simulation_run(rest, NULL, NULL, &err), CPS_OK);
    compare(what, cps_simulation_result(sim), cps_simulation_result(rest), before);
    cps_simulation_free(saved);
    cps_simulation_free(rest);
    free(k.bytes);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return status == CPS_OK ? instants : -1;
}

static int interrupt(const char *law, const char *solver, double until, double output, const char *more,
                     rng *random) {
  char what[120];
  snprintf(what, sizeof what, "%s with %s", law, solver);
  return interrupt_run(what, parse(law, solver, until, output, more), random);
}

/* Cables in few variables, through every change of mode: slipping, carried, sliding through, slack. */
static void lifts(void **state) {
  (void)state;
  static const char text[] = "capstan: 1\n"
                             "gravity: 10\n"
                             "drums: {pulley: {radius: 0.5, inertia: 2, drive: {rotation: {sine: {amplitude: "
                             "1, omega: 60 rad/s}}}}}\n"
                             "bodies: {left: {mass: 100}, right: {mass: 120}}\n"
                             "cables:\n"
                             "  rope:\n"
                             "    EA: 1e6\n"
                             "    mass_per_length: 0\n"
                             "    path: [left, hang 4, over pulley, hang 3, right]\n"
                             "    contact: {at: nodes, normal: linear, friction: {coulomb: {mu: 0.8}}}\n"
                             "run: {until: 2, output: 0.01}\n";
  static const char *const settings[][3] = {
      {"cables.rope.model=semi-analytical", "run.until=2", "run.fields=0.1"},
      {"cables.rope.model=semi-analytical", "cables.rope.mass_per_length=2",
       "drums.pulley.drive={rotation: {sine: {amplitude: 1, omega: 5 rad/s}}}"},
      {"cables.rope.model=semi-analytical", "run.output=0", "drums.pulley.drive={torque: 90}"},
      {"cables.rope.model=springs", "run.output=0.002", "cables.rope.damping.axial=100"}};
  rng random = rng_for("lifts", 3);
  for (int i = 0; i < 5 * ROWS(settings); i++) {
    cps_problems *problems = NULL;
    cps_scenario *s = cps_scenario_parse(text, strlen(text), "test", settings[i % ROWS(settings)], 3,
                                         &problems);
    if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
    assert_true(interrupt_run("a lift", s, &random) > 3);
  }
}

/* The sanitizers see each law with one solver, and each solver with a fifth of the laws. */
#ifdef SANITIZED
enum { ONE_SOLVER = 1 };
#else
enum { ONE_SOLVER = 0 };
#endif

static void every_law_with_every_solver(void **state) {
  (void)state;
  static const struct {
    const char *name, *more;
    double until;
  } solvers[] = {{"rk4", ", step: 1 ms", 2},
                 {"events", "", 2},
                 {"alpha", "", 2},
                 {"alpha", ", step: 2 ms", 1.5},
                 {"bdf", "", 5}};
  int done[ROWS(solvers)] = {0};
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    rng random = rng_for(law->name, 7);
    for (int j = 0; j < ROWS(solvers); j++) {
      if (ONE_SOLVER && j != i % ROWS(solvers)) continue;
      char more[80];
      snprintf(more, sizeof more, "%s, tolerance: 1e-6, max_steps: 20000", solvers[j].more);
      done[j] += interrupt(law->name, solvers[j].name, solvers[j].until, 0.01, more, &random) > 0;
    }
  }
  /* that nearly all runs succeed and can be interrupted is part of the test */
  for (int j = 0; j < ROWS(solvers); j++) print_message("%s: %d laws\n", solvers[j].name, done[j]);
  if (ONE_SOLVER) return;
  assert_true(done[0] > 27 && done[1] > 20 && done[2] > 25 && done[3] > 25 && done[4] > 15);
}

/* Every step recorded, and each of many instants. */
static void every_instant(void **state) {
  (void)state;
  rng random = rng_for("every instant", 1);
  for (int i = 0; i < 10; i++) assert_true(interrupt("coulomb", "events", 2, 0, "", &random) > 3);
  for (int i = 0; i < 8; i++) assert_true(interrupt("cdq", "alpha", 2, 0, "", &random) > 3);
  for (int i = 0; i < 8; i++) assert_true(interrupt("lugre", "rk4", 0.2, 0, ", step: 0.2 ms", &random) > 3);
  for (int i = 0; i < 3; i++) assert_true(interrupt("cdq", "bdf", 20, 0, "", &random) > 3);
}

static int stop_there(cps_simulation *sim, void *data) {
  keeper *k = data;
  if (k->seen++ < k->at) return 0;
  assert_int_equal(cps_simulation_save(sim, &k->bytes, &k->size, NULL), CPS_OK);
  return 1;
}

/* A chain of interruptions: saved, stopped, taken up, saved again. */
static void again_and_again(void **state) {
  (void)state;
  static const char *const solvers[] = {"rk4", "events", "alpha", "bdf"};
  for (int j = 0; j < ROWS(solvers); j++) {
    int moded = strcmp(solvers[j], "events") == 0;
    cps_scenario *s = parse(moded ? "coulomb-static" : "quinn", solvers[j], 10, 0.01, ", step: 4 ms");
    cps_error err = {0};
    cps_system *system = cps_system_new(s, &err);
    cps_simulation *whole = cps_simulation_new(system, &err);
    assert_int_equal(cps_simulation_run(whole, NULL, NULL, &err), CPS_OK);
    keeper k = {.at = 1};
    cps_extent total = {0, 0, 0};
    for (int round = 0;; round++) {
      cps_simulation *part = cps_simulation_new(system, &err);
      if (k.bytes) assert_int_equal(cps_simulation_restore(part, k.bytes, k.size, NULL, &err), CPS_OK);
      free(k.bytes);
      k = (keeper){.at = 1};
      cps_simulation_on_checkpoint(part, stop_there, &k);
      cps_status status = cps_simulation_run(part, NULL, NULL, &err);
      if (status == CPS_OK) {
        compare(solvers[j], cps_simulation_result(whole), cps_simulation_result(part), total);
        cps_simulation_free(part);
        assert_true(round > 0);
        break;
      }
      total.rows += cps_result_rows(cps_simulation_result(part));
      total.events += cps_result_events(cps_simulation_result(part));
      assert_true(round < 1000);
      cps_simulation_free(part);
    }
    cps_simulation_free(whole);
    cps_system_free(system);
    cps_scenario_free(s);
  }
}

/* Bytes that are not what they should be are refused with a reason. */
static void wrong_bytes(void **state) {
  (void)state;
  cps_error err = {0};
  cps_scenario *s = parse("quinn", "alpha", 1, 0.01, ""), *other = parse("quinn", "alpha", 2, 0.01, "");
  cps_system *system = cps_system_new(s, &err), *another = cps_system_new(other, &err);
  cps_simulation *sim = cps_simulation_new(system, &err), *fresh = cps_simulation_new(system, &err);
  cps_simulation *strange = cps_simulation_new(another, &err);
  keeper k = {.at = 3};
  cps_simulation_on_checkpoint(sim, keep, &k);
  assert_int_equal(cps_simulation_run(sim, NULL, NULL, &err), CPS_OK);
  assert_non_null(k.bytes);
  assert_int_equal(cps_simulation_restore(strange, k.bytes, k.size, NULL, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "another scenario"));
  rng random = rng_for("wrong bytes", 1);
  for (int i = 0; i < 300; i++) {
    unsigned char *copy = malloc(k.size);
    memcpy(copy, k.bytes, k.size);
    size_t size = i % 3 ? k.size : (size_t)rng_below(&random, (int)k.size);
    if (i % 3) copy[rng_below(&random, (int)size)] ^= (unsigned char)(1 << rng_below(&random, 8));
    assert_int_equal(cps_simulation_restore(fresh, copy, size, NULL, &err), CPS_BAD_INPUT);
    free(copy);
  }
  /* A simulation that has been used before goes on from there, too. */
  cps_simulation *whole = cps_simulation_new(system, &err);
  assert_int_equal(cps_simulation_run(whole, NULL, NULL, &err), CPS_OK);
  cps_extent before = {1, 1, 1};
  assert_int_equal(cps_simulation_restore(sim, k.bytes, k.size, &before, &err), CPS_OK);
  assert_int_equal(cps_simulation_run(sim, NULL, NULL, &err), CPS_OK);
  compare("on a used one", cps_simulation_result(whole), cps_simulation_result(sim), before);
  void *bytes;
  size_t size;
  /* Before a run, it is the beginning that is saved. */
  assert_int_equal(cps_simulation_save(fresh, &bytes, &size, &err), CPS_OK);
  cps_simulation *first = cps_simulation_new(system, &err);
  assert_int_equal(cps_simulation_restore(first, bytes, size, &before, &err), CPS_OK);
  assert_int_equal(before.rows, 0);
  assert_int_equal(cps_simulation_run(first, NULL, NULL, &err), CPS_OK);
  compare("from the beginning", cps_simulation_result(whole), cps_simulation_result(first), before);
  cps_free(bytes);
  cps_free(k.bytes);
  cps_simulation_free(whole);
  cps_simulation_free(first);
  cps_simulation_free(sim);
  cps_simulation_free(fresh);
  cps_simulation_free(strange);
  cps_system_free(system);
  cps_system_free(another);
  cps_scenario_free(s);
  cps_scenario_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_law_with_every_solver),
                                     cmocka_unit_test(every_instant), cmocka_unit_test(again_and_again),
                                     cmocka_unit_test(lifts), cmocka_unit_test(wrong_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
