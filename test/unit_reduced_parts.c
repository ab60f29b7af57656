/* unit_reduced_parts.c - cables in few variables as parts of one model: springs, loads and friction on their bodies, several of
 * them in one file, and bodies of their own beside them. Closed forms, runs of the parts alone, energy, and refusals. */
#include "test.h"

#include "system.h"

#define ROPE                                                                                                 \
  "    EA: 1e6\n    mass_per_length: %s\n    model: %s\n"                                                    \
  "    contact: {at: nodes, normal: linear, friction: {coulomb: {mu: 0.3}}}\n"

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

/* ------------------------------------------------------------------ cables of elements */

#define LINE_DRUM   "  wheel: {radius: 0.2, center: [5, 0], inertia: 0.1, drive: {torque: 0.5}}\n"
#define LINE_BODIES "  a: {mass: 10}\n  b: {mass: 10.5}\n"
#define LINE_CABLE                                                                                           \
  "  line:\n    EA: 1e5\n    EI: 0.01\n    mass_per_length: 0.1\n    elements: 20\n"                         \
  "    path: [a, hang 1, over wheel, hang 1.2, b]\n"                                                         \
  "    contact: {at: nodes, normal: {linear: {stiffness: 1e6, damping: 100}}, friction: {quinn: "            \
  "{mu: 0.3}}}\n"
#define SLIDES "{rotation: {step5: {from: [0, 0], to: [1, 3]}}}"

/* Cables of elements and of few variables in one file, each as it is alone. The elements come after the others there. */
static void beside_elements(void **state) {
  (void)state;
  static const char *const solvers[] = {"alpha, step: 2 ms, tolerance: 1e-12", "bdf, tolerance: 1e-9"};
  static const double tolerance[] = {
      1e-9, 1e-5}; /* bdf: that of its steps, which drums and rows of the others end */
  for (int i = 0; i < 2; i++) {
    char text[3000], run[200];
    snprintf(run, sizeof run, "run: {until: 1, output: 0.05, solver: %s}\n", solvers[i]);
    snprintf(text, sizeof text,
             HEAD "drums:\n" DRUM("pulley", "0", SLIDES) LINE_DRUM "bodies:\n" CAR_BODIES LINE_BODIES
                                                                   "cables:\n" CAR_CABLE LINE_CABLE "%s",
             "0", "semi-analytical", run);
    ran both = run_text(text);
    snprintf(text, sizeof text,
             HEAD "drums:\n" DRUM("pulley", "0", SLIDES) "bodies:\n" CAR_BODIES "cables:\n" CAR_CABLE "%s",
             "0", "semi-analytical", run);
    ran car = run_text(text);
    snprintf(text, sizeof text, HEAD "drums:\n" LINE_DRUM "bodies:\n" LINE_BODIES "cables:\n" LINE_CABLE "%s",
             run);
    ran line = run_text(text);
    assert_true(same_columns(&both, &car, i ? 1e-6 : 1e-9) > 20);
    assert_true(same_columns(&both, &line, tolerance[i]) > 20);
    /* Its events are there, at their own times. */
    assert_true(cps_result_events(car.result) > 1);
    long found = 0;
    for (long k = 0; k < cps_result_events(both.result); k++) {
      const cps_event *e = cps_result_event(both.result, k);
      assert_true(k == 0 || e->time >= cps_result_event(both.result, k - 1)->time);
      if (strcmp(e->contact_name, "rope") != 0 || found >= cps_result_events(car.result)) continue;
      const cps_event *alone = cps_result_event(car.result, found++);
      assert_string_equal(e->what, alone->what);
      assert_true(fabs(e->time - alone->time) < 1e-6);
    }
    assert_int_equal(found, cps_result_events(car.result));
    /* One audit: what each of them counts, together. */
    static const char *const sums[] = {"energy.kinetic", "energy.elastic", "energy.friction",
                                       "energy.motion_work"};
    for (int k = 0; k < ROWS(sums); k++) {
      const double *x = column(&both, sums[k]), *a = column(&car, sums[k]), *b = column(&line, sums[k]);
      for (long j = 0; j < rows(&both); j++)
        assert_true(fabs(x[j] - a[j] - b[j]) <= 1e-5 * (1 + size_of(x, rows(&both))));
    }
    end(&both);
    end(&car);
    end(&line);
  }
}

static void says_where(void **state) {
  (void)state;
  static const struct {
    const char *more, *key, *text;
    int line;
  } bad[] = {
      {"loads: {f: {on: left, direction: [0, 1], force: 3}}\n", "loads.f", "nothing else acts on it", 13},
      {"springs:\n  k: {between: [left, a], stiffness: 3}\n", "springs.k", "nothing else acts on it", 14},
  };
  for (int i = 0; i < ROWS(bad); i++) {
    char text[3000];
    cps_problems *problems = NULL;
    snprintf(text, sizeof text,
             HEAD "drums:\n" DRUM("pulley", "0", SLIDES) LINE_DRUM
             "bodies:\n" CAR_BODIES LINE_BODIES "#\n#\n%scables:\n" CAR_CABLE LINE_CABLE "run: {until: 1}\n",
             bad[i].more, "0", "semi-analytical");
    cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
    assert_non_null(s);
    assert_int_equal(cps_system_check(s, &problems), CPS_BAD_INPUT);
    const cps_error *e = cps_problems_at(problems, 0);
    if (e->line != bad[i].line || !strstr(e->text, bad[i].text) || strcmp(e->key, bad[i].key) != 0)
      fail_msg("%s:%d:%d %s: %s", e->file, e->line, e->column, e->key, e->text);
    assert_true(e->column > 0);
    cps_problems_free(problems);
    cps_scenario_free(s);
  }
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

/* Saved at random instants and taken up by another simulation. */
static void assert_goes_on(const char *text, double until) {
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  assert_non_null(s);
  cps_system *system = cps_system_new(s, &err);
  if (!system) fail_msg("%s", err.text);
  rng random = rng_for("reduced parts", 1);
  for (int round = 0; round < 5; round++) {
    cps_simulation *a = cps_simulation_new(system, &err), *b = cps_simulation_new(system, &err);
    double at = (0.05 + 0.9 * rng_uniform(&random)) * until;
    assert_int_equal(cps_simulation_step(a, at, 0, NULL, &err), CPS_OK);
    void *block = malloc(cps_simulation_state_size(a, &err)), *bytes = NULL;
    size_t size = 0;
    assert_int_equal(cps_simulation_state_get(a, block, &err), CPS_OK);
    if (round % 2) { /* as a file would have it */
      assert_int_equal(cps_simulation_save(a, &bytes, &size, &err), CPS_OK);
      assert_int_equal(cps_simulation_restore(b, bytes, size, NULL, &err), CPS_OK);
    } else {
      assert_int_equal(cps_simulation_state_set(b, block, &err), CPS_OK);
    }
    assert_int_equal(cps_simulation_step(a, until, 0, NULL, &err), CPS_OK);
    assert_int_equal(cps_simulation_step(b, until, 0, NULL, &err), CPS_OK);
    const double *of_a = cps_simulation_values(a), *of_b = cps_simulation_values(b);
    for (int c = 0; c < cps_result_columns(cps_simulation_result(a)); c++)
      if (of_a[c] != of_b[c])
        fail_msg("%s: %.17g, %.17g", cps_result_name(cps_simulation_result(a), c), of_a[c], of_b[c]);
    assert_true(cps_simulation_same(a, b, NULL, 0));
    free(block);
    free(bytes);
    cps_simulation_free(a);
    cps_simulation_free(b);
  }
  cps_system_free(system);
  cps_scenario_free(s);
}

static void goes_on_to_the_bit(void **state) {
  (void)state;
  char text[3000];
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
  assert_goes_on(text, 2);
  snprintf(text, sizeof text,
           HEAD "drums:\n" DRUM("pulley", "0", SLIDES) LINE_DRUM
           "bodies:\n" CAR_BODIES LINE_BODIES "cables:\n" CAR_CABLE LINE_CABLE
           "run: {until: 1, output: 0.05, step: 2 ms}\n",
           "0", "semi-analytical");
  assert_goes_on(text, 0.5);
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
      cmocka_unit_test(beside_elements),
      cmocka_unit_test(says_where),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
