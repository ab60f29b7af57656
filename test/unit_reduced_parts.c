/* unit_reduced_parts.c - cables in few variables as parts of one model: springs, loads and friction on their bodies, several of
 * them in one file, and bodies of their own beside them. Closed forms, runs of the parts alone, energy, and refusals. */
#include "test.h"

#include "system.h"

#define ROPE                                                                                                 \
  "    EA: 1e6\n    mass_per_length: %s\n    model: %s\n"                                                    \
  "    contact: {normal: linear, friction: {coulomb: {mu: 0.3}}}\n"

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
} ran;

static ran run_text(const char *text) {
  ran r = {0};
  cps_problems *problems = NULL;
  cps_error err = {0};
  r.scenario = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!r.scenario) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  r.system = cps_system_new(r.scenario, &err);
  if (!r.system) fail_msg("%s: %s", err.key, err.text);
  r.sim = cps_simulation_new(r.system, &err);
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  r.result = cps_simulation_result(r.sim);
  return r;
}

static void end(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

static const double *column(const ran *r, const char *name) {
  int c = cps_result_find(r->result, name);
  if (c < 0) fail_msg("no column %s", name);
  return cps_result_data(r->result, c);
}

static long rows(const ran *r) { return cps_result_rows(r->result); }

static double size_of(const double *x, long n) {
  double most = 0;
  for (long i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* The largest closing error over the largest energy. */
static void assert_closes(const ran *r, double tolerance) {
  cps_energy e;
  cps_result_energy(r->result, &e);
  double open = size_of(column(r, "energy.error"), rows(r)) / e.scale;
  if (!(open <= tolerance)) fail_msg("energy does not close: %g of the largest", open);
}

static double difference(const double *a, const double *b, long n) {
  double most = 0;
  for (long i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* Every column of `part` that is not of the whole file is one of `whole`, with the same values. */
static int same_columns(const ran *whole, const ran *part, double tolerance) {
  int compared = 0;
  assert_int_equal(rows(whole), rows(part));
  for (int c = 0; c < cps_result_columns(part->result); c++) {
    const char *name = cps_result_name(part->result, c);
    if (strncmp(name, "energy.", 7) == 0) continue;
    const double *a = cps_result_data(part->result, c), *b = column(whole, name);
    double off = difference(a, b, rows(part)) / fmax(size_of(a, rows(part)), 1e-3);
    if (!(off <= tolerance)) fail_msg("%s differs by %g", name, off);
    compared++;
  }
  return compared;
}

/* ------------------------------------------------------------------ parts that have nothing to do with one another */

#define HEAD                  "capstan: 1\ngravity: 10\n"
#define RUN_TO(tolerance)     "run: {until: 2, output: 0.05, tolerance: " tolerance ", solver: %s}\n"
#define RUN                   RUN_TO("1e-12")
#define DRUM(name, at, drive) "  " name ": {radius: 0.5, center: [" at ", 0], inertia: 2, drive: " drive "}\n"
#define TURNS                 "{rotation: {step5: {from: [0, 0], to: [2, 4]}}}"
#define CAR_BODIES            "  left: {mass: 100}\n  right: {mass: 120}\n"
#define CAR_CABLE             "  rope:\n    path: [left, hang 4, over pulley, hang 3, right]\n" ROPE
#define BELT                                                                                                 \
  "surfaces: {belt: {velocity: 0.3}}\n"                                                                      \
  "springs: {s: {between: [block, ground], stiffness: 50, length: 0}}\n"                                     \
  "contacts: {b: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.4, mu_d: "     \
  "0.3}}}}\n"

static void beside_a_block_on_a_belt(void **state) {
  (void)state;
  static const char *const models[] = {"springs", "semi-analytical"}, *const mass[] = {"0", "2"},
                           *const solvers[] = {"events", "alpha"};
  for (int i = 0; i < 4; i++) {
    char text[2000];
    const char *model = models[i % 2], *rho = mass[i / 2], *solver = solvers[i / 2];
    snprintf(text, sizeof text,
             HEAD "drums:\n" DRUM("pulley", "0", TURNS) "bodies:\n" CAR_BODIES "  block: {mass: 2}\n" BELT
                                                        "cables:\n" CAR_CABLE RUN,
             rho, model, solver);
    ran both = run_text(text);
    snprintf(text, sizeof text,
             HEAD "drums:\n" DRUM("pulley", "0", TURNS) "bodies:\n" CAR_BODIES "cables:\n" CAR_CABLE RUN, rho,
             model, solver);
    ran car = run_text(text);
    snprintf(text, sizeof text, HEAD "bodies:\n  block: {mass: 2}\n" BELT RUN, "events");
    ran block = run_text(text);
    assert_true(same_columns(&both, &car, 1e-9) > 20);
    assert_true(same_columns(&both, &block, 1e-9) > 10);
    assert_true(cps_result_events(block.result) > 1);
    assert_closes(&both, 1e-9);
    end(&both);
    end(&car);
    end(&block);
  }
}

static void two_elevators(void **state) {
  (void)state;
  static const char *const model[2] = {"semi-analytical", "springs"};
  static const char second[] = "  second:\n    path: [one, hang 5, over wheel, hang 2, other]\n" ROPE;
  static const char others[] = "  one: {mass: 80}\n  other: {mass: 70}\n";
  char text[3000];
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0", TURNS) DRUM("wheel", "5", "free") "bodies:\n" CAR_BODIES
                                                                                 "%scables:\n" CAR_CABLE,
           others, "2", model[0]);
  size_t n = strlen(text);
  n += (size_t)snprintf(text + n, sizeof text - n, second, "0", model[1]);
  snprintf(text + n, sizeof text - n, RUN_TO("1e-13"), "events");
  ran both = run_text(text);
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0", TURNS) "bodies:\n" CAR_BODIES
                                                      "cables:\n" CAR_CABLE RUN_TO("1e-13"),
           "2", model[0], "events");
  ran a = run_text(text);
  n = (size_t)snprintf(text, sizeof text, HEAD "drums:\n" DRUM("wheel", "5", "free") "bodies:\n%scables:\n",
                       others);
  n += (size_t)snprintf(text + n, sizeof text - n, second, "0", model[1]);
  snprintf(text + n, sizeof text - n, RUN_TO("1e-13"), "events");
  ran b = run_text(text);
  assert_true(same_columns(&both, &a, 1e-9) > 20);
  assert_true(same_columns(&both, &b, 1e-8) >
              20); /* it swings without damping: errors of 40 periods add up */
  assert_closes(&both, 1e-9);
  end(&both);
  end(&a);
  end(&b);
}

/* ------------------------------------------------------------------ springs and loads on its bodies */

#define GUIDED                                                                                               \
  "  left: {mass: 100, at: [-0.5, -4], direction: [0, 1]}\n"                                                 \
  "  right: {mass: 120, at: [0.5, -3], direction: [0, %s]}\n"
#define GUIDED_CABLE "  rope:\n    path: [left, over pulley, right]\n" ROPE

/* A span of 3 m is a spring of EA/3, beside one of 20 kN/m below the car: it hangs 1200 N / (k + EA/3) low, and a load that
 * sets in at 0.1 s makes it swing with the frequency of both. */
static void spring_below_the_car(void **state) {
  (void)state;
  for (int down = 0; down < 2; down++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        HEAD "drums:\n" DRUM(
            "pulley", "0",
            "fixed") "bodies:\n" GUIDED
                     "springs: {k: {between: [{ground: [0.5, -5]}, right], stiffness: 2e4, length: 2}}\n"
                     "loads: {f: {on: right, direction: [0, -1], force: {polynomial: {times: [0, 0.1, 2], "
                     "coefficients: [[0], [300]]}}}}\n"
                     "cables:\n" GUIDED_CABLE RUN,
        down ? "-1" : "1", "0", "springs", "events");
    ran r = run_text(text);
    double stiffness = 1e6 / 3 + 2e4, omega = sqrt(stiffness / 120), sign = down ? -1 : 1;
    const double *t = column(&r, "time"), *x = column(&r, "bodies.right.x"),
                 *v = column(&r, "bodies.right.v"), *k = column(&r, "springs.k.force"),
                 *pull = column(&r, "cables.rope.tension_end");
    for (long i = 0; i < rows(&r); i++) {
      double since = fmax(0, t[i] - 0.1), low = (1200 + 300 * (1 - cos(omega * since))) / stiffness;
      if (since == 0) low = 1200 / stiffness;
      assert_true(fabs(sign * x[i] + low) < 1e-9);
      assert_true(fabs(sign * v[i] + 300 / stiffness * omega * sin(omega * since)) < 1e-7);
      assert_true(fabs(k[i] + 2e4 * low) < 1e-5);
      assert_true(fabs(pull[i] - 1e6 / 3 * low) < 1e-3);
    }
    assert_closes(&r, 1e-9);
    end(&r);
  }
}

/* A load on a body that hangs freely, along its span, is weight: the other car is heavier by as much. */
static void load_along_the_span(void **state) {
  (void)state;
  char text[2000];
  double tension[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text, sizeof text,
             HEAD
             "drums:\n" DRUM("pulley", "0", "fixed") "bodies:\n  left: {mass: %d}\n  right: {mass: 120}\n"
                                                     "%scables:\n" CAR_CABLE RUN,
             i ? 100 : 130, i ? "loads: {f: {on: left, direction: [0, -1], force: 300}}\n" : "", "0",
             "semi-analytical", "events");
    ran r = run_text(text);
    tension[i] = column(&r, "cables.rope.tension_start")[0];
    assert_true(fabs(column(&r, "bodies.left.vy")[rows(&r) - 1]) < 1e-10);
    end(&r);
  }
  assert_true(fabs(tension[0] - 1300) < 1e-9 && fabs(tension[1] - 1300) < 1e-9);
}

/* ------------------------------------------------------------------ friction of guides */

#define RAILS                                                                                                \
  "contacts:\n"                                                                                              \
  "  a: {between: [left, ground], normal: %s, friction: {coulomb-static: {mu_s: 0.4, mu_d: 0.3}}}\n"         \
  "  b: {between: [right, ground], normal: %s, friction: {coulomb-static: {mu_s: 0.4, mu_d: 0.3}}}\n"

/* Rails that hold both bodies, on a pulley that turns freely: friction takes exactly what acts, and nothing moves or drifts. */
static void rails_hold(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0", "free") "bodies:\n" GUIDED RAILS
                                                       "loads: {f: {on: right, direction: [0, -1], force: "
                                                       "{sine: {amplitude: 300, omega: 9 rad/s}}}}\n"
                                                       "cables:\n" GUIDED_CABLE RUN,
           "1", "10 kN", "10 kN", "2", "semi-analytical", "events");
  ran r = run_text(text);
  const double *load = column(&r, "time"), *f[2] = {column(&r, "contacts.a.f"), column(&r, "contacts.b.f")},
               *pull[2] = {column(&r, "cables.rope.tension_start"), column(&r, "cables.rope.tension_end")};
  for (long i = 1; i < rows(&r); i++) {
    /* The upper end of a span pulls its own weight less; the pulley swings on both spans. */
    double weight[2] = {1000, 1200 + 300 * sin(9 * load[i])};
    for (int side = 0; side < 2; side++)
      assert_true(fabs(f[side][i] + pull[side][i] - weight[side]) <
                  12 * 10); /* cable on its span, and as it moves */
  }
  assert_true(size_of(column(&r, "bodies.left.v"), rows(&r)) < 1e-12);
  assert_true(size_of(column(&r, "bodies.right.v"), rows(&r)) < 1e-12);
  const double *x = column(&r, "bodies.right.x");
  for (long i = 0; i < rows(&r); i++) assert_true(fabs(x[i] - x[0]) < 1e-12);
  assert_closes(&r, 1e-9);
  end(&r);
}

/* Without mass of the cable friction of the held bodies is known exactly, and with both rails the pulley is all that moves:
 * it swings with the stiffness of both spans, EA/4 and EA/3, less what slips. Springs do not slip. */
static void pulley_swings_alone(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0", "free") "bodies:\n" GUIDED RAILS "cables:\n" GUIDED_CABLE RUN,
           "1", "10 kN", "10 kN", "0", "springs", "events");
  ran r = run_text(text);
  const double *t = column(&r, "time"), *angle = column(&r, "drums.pulley.angle");
  /* The spans start as if the bodies fell with the pulley, at a: what its inertia took is what turns it now. A spring that a
   * pulley winds up gets shorter as well as longer: by 1 + strain more. */
  double a = 200.0 / 228, strain[2] = {100 * (10 + a) / 1e6, 120 * (10 - a) / 1e6};
  double stiffness = 0.25 * (1e6 / 4 * (1 + strain[0]) + 1e6 / 3 * (1 + strain[1]));
  double omega = sqrt(stiffness / 2), by = 2 * (a / 0.5) / stiffness;
  for (long i = 0; i < rows(&r) && t[i] < 0.3; i++)
    assert_true(fabs(fabs(angle[i]) - by * (1 - cos(omega * t[i]))) < 0.02 * by);
  assert_true(size_of(angle, rows(&r)) > 1.5 * by);
  assert_true(size_of(column(&r, "bodies.left.v"), rows(&r)) < 1e-12);
  assert_closes(&r, 1e-9);
  end(&r);
}

/* Both bodies slide in their rails while the pulley turns by itself: stiff cable, so that Atwood's acceleration with friction
 * is the mean. */
static void atwood_with_rails(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0",
                                "free") "bodies:\n" GUIDED RAILS "cables:\n" GUIDED_CABLE
                                        "    damping: {axial: 2e4}\n"
                                        "run: {until: 1, output: 0.01, tolerance: 1e-10, solver: events}\n",
           "1", "100 N", "50 N", "0", "semi-analytical");
  ran r = run_text(text);
  const double *v = column(&r, "bodies.right.v"), *t = column(&r, "time"), *n = column(&r, "contacts.a.work");
  long last = rows(&r) - 1, from = 30;
  double a = (v[last] - v[from]) / (t[last] - t[from]);
  double expected = -(200 - 0.3 * 150) / (100 + 120 + 2 / 0.25);
  if (!(fabs(a / expected - 1) < 2e-3)) fail_msg("acceleration %g, not %g", a, expected);
  assert_true(n[last] > 0);
  assert_closes(&r, 1e-8);
  end(&r);
}

/* A parcel that stands on the floor of the car, presses with its weight, and slips on a jerk. Nothing of it is in the cable's
 * equations but what friction passes on. */
static void shelf_in_the_car(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM(
               "pulley", "0",
               "{rotation: {sine: {amplitude: 0.5, omega: 6 rad/s}}}") "bodies:\n" GUIDED
                                                                       "  parcel: {mass: 5, at: [0.6, -3], "
                                                                       "direction: [0, 1]}\n"
                                                                       "contacts: {c: {between: [parcel, "
                                                                       "right], normal: 130, friction: "
                                                                       "{coulomb: {mu: 0.5}}}}\n"
                                                                       "cables:\n" GUIDED_CABLE RUN,
           "1", "2", "semi-analytical", "events");
  ran r = run_text(text);
  assert_true(cps_result_events(r.result) > 3); /* it slips, and sticks again */
  assert_closes(&r, 1e-9);
  end(&r);
}

/* ------------------------------------------------------------------ save and go on */

static void goes_on_to_the_bit(void **state) {
  (void)state;
  char text[2000];
  cps_error err = {0};
  cps_problems *problems = NULL;
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM(
               "pulley", "0",
               "{rotation: {sine: {amplitude: 0.5, omega: 6 rad/s}}}") "bodies:\n" GUIDED
                                                                       "  parcel: {mass: 5, at: [0.6, -3], "
                                                                       "direction: [0, 1]}\n"
                                                                       "contacts: {c: {between: [parcel, "
                                                                       "right], normal: 130, friction: "
                                                                       "{coulomb: {mu: 0.5}}}}\n"
                                                                       "cables:\n" GUIDED_CABLE RUN,
           "1", "0", "semi-analytical", "events");
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  assert_non_null(s);
  cps_system *system = cps_system_new(s, &err);
  rng random = rng_for("reduced parts", 1);
  for (int round = 0; round < 5; round++) {
    cps_simulation *a = cps_simulation_new(system, &err), *b = cps_simulation_new(system, &err);
    double at = 0.1 + 1.8 * rng_uniform(&random);
    assert_int_equal(cps_simulation_step(a, at, 0, NULL, &err), CPS_OK);
    size_t size = cps_simulation_state_size(a, &err);
    void *block = malloc(size);
    assert_int_equal(cps_simulation_state_get(a, block, &err), CPS_OK);
    assert_int_equal(cps_simulation_state_set(b, block, &err), CPS_OK);
    assert_int_equal(cps_simulation_step(a, 2, 0, NULL, &err), CPS_OK);
    assert_int_equal(cps_simulation_step(b, 2, 0, NULL, &err), CPS_OK);
    const double *of_a = cps_simulation_values(a), *of_b = cps_simulation_values(b);
    for (int c = 0; c < cps_result_columns(cps_simulation_result(a)); c++) assert_true(of_a[c] == of_b[c]);
    free(block);
    cps_simulation_free(a);
    cps_simulation_free(b);
  }
  cps_system_free(system);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beside_a_block_on_a_belt),
      cmocka_unit_test(two_elevators),
      cmocka_unit_test(spring_below_the_car),
      cmocka_unit_test(load_along_the_span),
      cmocka_unit_test(rails_hold),
      cmocka_unit_test(pulley_swings_alone),
      cmocka_unit_test(atwood_with_rails),
      cmocka_unit_test(shelf_in_the_car),
      cmocka_unit_test(goes_on_to_the_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
