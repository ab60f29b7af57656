/* unit_lift.c - a cable over one pulley in few variables: closed forms, energy, order, and every change of mode. */
#include "test.h"

#include "elevator.h"
#include "system.h"

/* ------------------------------------------------------------------ runs */

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_status status;
  cps_error err;
  cps_energy energy;
} ran;

static const char basic[] = "capstan: 1\n"
                            "gravity: 10\n"
                            "drums: {pulley: {radius: 0.5, inertia: 2, drive: fixed}}\n"
                            "bodies: {left: {mass: 100}, right: {mass: 120}}\n"
                            "cables:\n"
                            "  rope:\n"
                            "    model: semi-analytical\n"
                            "    EA: 1e6\n"
                            "    mass_per_length: 0\n"
                            "    path: [left, hang 4, over pulley, hang 3, right]\n"
                            "    contact: {at: nodes, normal: linear, friction: {coulomb: {mu: 0.3}}}\n"
                            "run: {until: 1, output: 0.01, tolerance: 1e-11}\n";

static ran begin(const char *settings) {
  enum { MOST = 16 };
  char copy[1200];
  const char *list[MOST];
  int n = 0;
  ran r = {0};
  cps_problems *problems = NULL;
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *word = strtok(copy, ";"); word && n < MOST; word = strtok(NULL, ";")) list[n++] = word;
  r.scenario = cps_scenario_parse(basic, strlen(basic), "test.yaml", list, n, &problems);
  if (!r.scenario) {
    char message[2000];
    cps_problem_text(cps_problems_at(problems, 0), message, sizeof message);
    print_error("%s\n%s\n", message, settings);
  }
  cps_problems_free(problems);
  assert_non_null(r.scenario);
  r.system = cps_system_new(r.scenario, &r.err);
  r.sim = r.system ? cps_simulation_new(r.system, &r.err) : NULL;
  return r;
}

static ran run(const char *settings) {
  ran r = begin(settings);
  if (!r.sim) print_error("%s: %s\n", settings, r.err.text);
  assert_non_null(r.sim);
  r.status = cps_simulation_run(r.sim, NULL, NULL, &r.err);
  r.result = cps_simulation_result(r.sim);
  cps_result_energy(r.result, &r.energy);
  return r;
}

/* The same, and it must end well. */
static ran run_well(const char *settings) {
  ran r = run(settings);
  if (r.status != CPS_OK) print_error("%s: %s\n", settings, r.err.text);
  assert_int_equal(r.status, CPS_OK);
  return r;
}

static void end(ran *r) {
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

static long last(const ran *r) { return cps_result_rows(r->result) - 1; }
static double final(const ran *r, const char *name) { return column(r, name)[last(r)]; }

/* The largest closing error of the run, over its largest energy. */
static double closing(const ran *r) {
  const double *error = column(r, "energy.error");
  double most = 0;
  for (long i = 0; i <= last(r); i++) most = fmax(most, fabs(error[i]));
  return most / r->energy.scale;
}

static void assert_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) print_error("%.17g is not %.17g within %g\n", a, b, tolerance);
  assert_true(fabs(a - b) <= tolerance);
}

#define TURN(to)                                                                                             \
  "drums.pulley.drive={rotation: {step5: {from: [0, 0], to: [100, " to "]}}};run.until=100;run.output=1"
#define HEAVY "cables.rope.mass_per_length=2"

/* ------------------------------------------------------------------ equilibrium */

static void rests_in_equilibrium(void **state) {
  (void)state;
  ran r = run_well("");
  assert_near(column(&r, "cables.rope.tension_start")[0], 1000, 1e-9);
  assert_near(column(&r, "cables.rope.tension_end")[0], 1200, 1e-9);
  assert_near(column(&r, "cables.rope.elongation_start")[0], 4e-3, 1e-14);
  assert_near(column(&r, "cables.rope.elongation_end")[0], 3.6e-3, 1e-14);
  /* The torque of the cable on the drum: the right side pulls it clockwise. */
  assert_near(column(&r, "drums.pulley.torque")[0], -0.5 * 200, 1e-9);
  assert_near(column(&r, "drums.pulley.drive")[0], 0.5 * 200, 1e-9);
  assert_near(column(&r, "cables.rope.pulley.slip_arc")[0], log(1.2) / 0.3, 1e-12);
  assert_near(final(&r, "bodies.right.y"), column(&r, "bodies.right.y")[0], 1e-12);
  assert_near(final(&r, "bodies.left.vy"), 0, 1e-12);
  end(&r);
  /* The weight of a cable: its moment about the axis is that of the spans. */
  r = run_well(HEAVY);
  assert_near(column(&r, "drums.pulley.drive")[0], 0.5 * (200 + 20 * (3 - 4)), 0.05);
  assert_near(final(&r, "bodies.left.vy"), 0, 1e-10);
  end(&r);
}

/* As many turns as one likes: beyond the wrap angle that holds, it slides. */
static void other_wraps(void **state) {
  (void)state;
  ran r = run_well(
      "bodies.right.mass=250;cables.rope.path=[left, hang 4, {over: pulley, turns: 1}, hang 3, right]");
  assert_near(column(&r, "cables.rope.pulley.wrap")[0], 3 * 3.14159265358979323846, 1e-9);
  assert_near(column(&r, "cables.rope.pulley.slip_arc")[0], log(2.5) / 0.3, 1e-9);
  assert_near(final(&r, "bodies.right.vy"), 0, 1e-10);
  end(&r);
  /* Bodies on lines along their spans: a quarter of a turn. */
  r = run_well("bodies.left={mass: 100, at: [-3, 0.5], direction: [1, 0]};gravity=[-6, -8];"
               ""
               "bodies.right={mass: 120, at: [0.5, -3], direction: [0, -1]};cables.rope.path=[left, over "
               "pulley, right]");
  assert_near(column(&r, "cables.rope.pulley.wrap")[0], 3.14159265358979323846 / 2, 1e-9);
  assert_near(column(&r, "cables.rope.tension_start")[0], 600, 1e-8);
  assert_near(column(&r, "cables.rope.tension_end")[0], 960, 1e-8);
  assert_near(column(&r, "bodies.right.x")[0], 0.96e-3 * 3, 2e-3);
  end(&r);
}

/* ------------------------------------------------------------------ slipping where it runs off */

static void slip_work_is_known(void **state) {
  (void)state;
  double jump = 200.0 * 200 / 2 / 1e6, wrap = 3.14159265358979323846, slip = log(1.2) / 0.3;
  /* Forward lifts the right body: it runs on there, and its slack side slips from the start. */
  ran r = run_well(TURN("4"));
  assert_near(final(&r, "energy.friction"), jump * 0.5 * 4 / (1 + 1200 / 1e6), 1e-7);
  assert_near(final(&r, "bodies.right.y") - column(&r, "bodies.right.y")[0], 2, 1e-7);
  assert_true(closing(&r) < 1e-11);
  assert_int_equal(cps_result_events(r.result), 0);
  end(&r);
  /* Backward the transition is carried to the other side first, and nothing slips. */
  r = run_well(TURN("-4"));
  assert_near(final(&r, "energy.friction"), jump * 0.5 * (4 / (1 + 1000 / 1e6) - (wrap - slip)),
              3e-5); /* while it brakes */
  assert_int_equal(cps_result_events(r.result), 2);
  assert_string_equal(cps_result_event(r.result, 0)->what, "slips at start -> sticks");
  assert_string_equal(cps_result_event(r.result, 1)->what, "sticks -> slips at end");
  assert_true(closing(&r) < 1e-11);
  /* Where it runs on it has the left side's strain, and keeps it: there the body follows the rim. */
  assert_near(final(&r, "bodies.left.y") - column(&r, "bodies.left.y")[0], 2, 1e-6);
  end(&r);
}

/* To and fro: back where it was, less what the cable has crept. */
static void reversals_close(void **state) {
  (void)state;
  ran r = run_well("drums.pulley.drive={rotation: {sine: {amplitude: 3, omega: 0.5 rad/s, phase: 90 "
                   "deg}}};run.until=60;" HEAVY ";run.tolerance=1e-12");
  assert_true(cps_result_events(r.result) >= 8);
  assert_true(closing(&r) < 1e-9);
  assert_true(final(&r, "energy.friction") > 0);
  end(&r);
}

/* The mirror image of a machine does the mirror image of its motion. */
static void mirror_image(void **state) {
  (void)state;
  static const char *const motions[] = {"{sine: {amplitude: 3, omega: 1 rad/s}}",
                                        "{sine: {amplitude: -3, omega: 1 rad/s}}"};
  char text[2][600];
  for (int i = 0; i < 2; i++)
    snprintf(text[i], sizeof text[i],
             "bodies.left.mass=%d;bodies.right.mass=%d;cables.rope.path=[left, hang %d, over pulley, hang "
             "%d, right];"
             "drums.pulley.drive={rotation: %s};run.until=8;" HEAVY,
             i ? 120 : 100, i ? 100 : 120, i ? 3 : 4, i ? 4 : 3, motions[i]);
  ran a = run_well(text[0]), b = run_well(text[1]);
  assert_int_equal(last(&a), last(&b));
  const double *y = column(&a, "bodies.left.y"), *z = column(&b, "bodies.right.y");
  const double *p = column(&a, "drums.pulley.torque"), *q = column(&b, "drums.pulley.torque");
  for (long i = 0; i <= last(&a); i++) {
    assert_near(y[i], z[i], 1e-9);
    assert_near(p[i], -q[i], 1e-4);
  }
  end(&a);
  end(&b);
}

/* ------------------------------------------------------------------ the tight side changes */

static void sides_swap(void **state) {
  (void)state;
  static const char swing[] = "bodies.right.mass=102;drums.pulley.drive={rotation: {sine: {amplitude: 0.3, "
                              "omega: 3 rad/s, phase: 90 deg}}};"
                              "run.until=6;run.output=0.001;" HEAVY;
  ran r = run_well(swing);
  const double *one = column(&r, "cables.rope.tension_start"), *two = column(&r, "cables.rope.tension_end");
  const double *y = column(&r, "bodies.right.y"), *v = column(&r, "bodies.right.vy");
  int swaps = 0;
  for (long i = 1; i <= last(&r); i++) {
    swaps += (one[i] > two[i]) != (one[i - 1] > two[i - 1]);
    /* Nothing jumps: places follow velocities. */
    assert_near(y[i] - y[i - 1], 0.0005 * (v[i] + v[i - 1]), 2e-6);
  }
  assert_true(swaps > 10);
  assert_true(closing(&r) < 1e-9);
  end(&r);
}

/* ------------------------------------------------------------------ sliding through */

/* With T2 = e^(mu phi) T1 Atwood's machine falls at g (m2 - k m1)/(m2 + k m1). */
static void slides_through(void **state) {
  (void)state;
  double k = exp(0.3 * 3.14159265358979323846), a = 10 * (400 - k * 100) / (400 + k * 100);
  ran r = run_well("bodies.right.mass=400;cables.rope.EA=1e12;run.until=0.7");
  assert_near(final(&r, "bodies.right.vy"), -a * 0.7, 1e-6);
  assert_near(column(&r, "bodies.right.y")[last(&r)] - column(&r, "bodies.right.y")[0], -a * 0.49 / 2, 1e-6);
  assert_near(final(&r, "cables.rope.tension_end") / final(&r, "cables.rope.tension_start"), k, 1e-12);
  assert_near(final(&r, "energy.friction"), (k - 1) * 100 * (10 + a) * a * 0.49 / 2, 1e-4);
  assert_true(closing(&r) < 1e-10);
  end(&r);
  r = run_well("bodies.right.mass=400;run.until=0.7;" HEAVY);
  assert_true(closing(&r) < 1e-10);
  end(&r);
  /* A free pulley is dragged along until it sticks: with inertia I, then Atwood with I/R^2. */
  r = run_well("bodies.right.mass=400;cables.rope.EA=1e9;drums.pulley.drive=free;drums.pulley.inertia=0.02;"
               "run.until=0.5");
  double tied = 10.0 * 300 / (500 + 0.02 / 0.25);
  assert_near(final(&r, "bodies.right.vy"), -tied * 0.5, 1e-2);
  assert_near(final(&r, "drums.pulley.rate") * 0.5, -tied * 0.5, 1e-2);
  assert_true(closing(&r) < 1e-10);
  end(&r);
}

/* A jerk makes it slide, and it takes hold again. */
static void slides_and_holds(void **state) {
  (void)state;
  ran r = run_well("bodies.right.mass=200;run.until=4;run.output=0.002;cables.rope.damping.axial=2e4;" HEAVY
                   ";drums.pulley.drive={rotation: {step5: {from: [0.5, 0], to: [1.5, 4]}}}");
  int slid = 0, held = 0;
  for (long i = 0; i < cps_result_events(r.result); i++) {
    const cps_event *e = cps_result_event(r.result, i);
    slid += e->to == LIFT_SLIDES;
    held += e->from == LIFT_SLIDES;
    assert_string_equal(e->contact_name, "rope");
  }
  assert_true(slid > 0);
  assert_int_equal(slid, held);
  double gone = final(&r, "bodies.right.y") - column(&r, "bodies.right.y")[0];
  assert_true(gone < 2 - 0.01); /* it slid, */
  assert_true(gone > 0.5);      /* and was lifted all the same */
  assert_near(final(&r, "bodies.right.vy"), 0, 1e-3);
  assert_true(closing(&r) < 1e-9);
  end(&r);
}

/* ------------------------------------------------------------------ slack */

#define SHAKEN                                                                                               \
  "drums.pulley.drive={rotation: {sine: {amplitude: 1, omega: 60 rad/s}}};run.until=2;run.output=0.001;"

/* A cable that slides can only lose both of its tensions at once: the bodies fall, and pull it taut again. */
static void slack_and_taut(void **state) {
  (void)state;
  ran r = run_well(SHAKEN "cables.rope.contact.friction.coulomb.mu=0.8");
  double from = NAN, fell = 0;
  int times = 0;
  const double *time = column(&r, "time"),
               *v[2] = {column(&r, "bodies.left.vy"), column(&r, "bodies.right.vy")},
               *t[2] = {column(&r, "cables.rope.tension_start"), column(&r, "cables.rope.tension_end")};
  for (long i = 0; i < cps_result_events(r.result); i++) {
    const cps_event *e = cps_result_event(r.result, i);
    if (e->to == LIFT_SLACK) {
      assert_int_equal(e->from, LIFT_SLIDES);
      from = e->time;
    }
    if (e->from != LIFT_SLACK) continue;
    assert_int_equal(e->to, LIFT_SLIDES);
    times++;
    for (long k = 1; k <= last(&r); k++) {
      if (!(time[k - 1] > from && time[k] < e->time)) continue;
      fell += time[k] - time[k - 1];
      for (int side = 0; side < 2; side++) {
        assert_near(t[side][k], 0, 0);
        assert_near(v[side][k] - v[side][k - 1], -10 * (time[k] - time[k - 1]), 1e-9);
      }
    }
  }
  assert_true(times >= 2);
  assert_true(fell > 0.02);
  for (long k = 0; k <= last(&r); k++) assert_true(t[0][k] >= 0 && t[1][k] >= 0);
  assert_true(closing(&r) < 1e-9);
  end(&r);
}

/* Springs go slack one by one, and only pull. */
static void slack_springs(void **state) {
  (void)state;
  ran r = run_well("cables.rope.model=springs;drums.pulley.drive={rotation: {sine: {amplitude: 1, omega: 20 "
                   "rad/s}}};run.until=2;run.output=0.001");
  const double *t[2] = {column(&r, "cables.rope.tension_start"), column(&r, "cables.rope.tension_end")};
  long slack[2] = {0, 0}, both = 0;
  for (long k = 0; k <= last(&r); k++) {
    assert_true(t[0][k] >= 0 && t[1][k] >= 0);
    for (int side = 0; side < 2; side++) slack[side] += t[side][k] == 0;
    both += t[0][k] == 0 && t[1][k] == 0;
  }
  assert_true(slack[0] > 20 && slack[1] > 20 && both < slack[0]);
  assert_true(closing(&r) < 1e-9);
  end(&r);
}

/* ------------------------------------------------------------------ along the cable */

/* Places, tensions and what rubs, as a picture shows them. */
static void fields_along(void **state) {
  (void)state;
  ran r = run_well(
      "drums.pulley.drive={rotation: {cycloid: {amplitude: 2, duration: 1}}};run.fields=0.1;" HEAVY);
  const double *place = NULL, *tension = NULL, *rubs = NULL, *contact = NULL;
  int n = 0;
  for (int i = 0; i < cps_result_fields(r.result); i++) {
    const cps_field *f = cps_result_field(r.result, i);
    const double *data = cps_result_field_data(r.result, i);
    if (strcmp(f->name, "cables.rope.position") == 0) place = data;
    if (strcmp(f->name, "cables.rope.tension") == 0) tension = data, n = f->points;
    if (strcmp(f->name, "cables.rope.contact.friction") == 0) rubs = data;
    if (strcmp(f->name, "cables.rope.contact.state") == 0) contact = data;
  }
  assert_true(place && tension && rubs && contact);
  long frames = cps_result_frames(r.result);
  assert_int_equal(frames, 11);
  const double *left = column(&r, "bodies.left.y"), *right = column(&r, "bodies.right.y"),
               *t1 = column(&r, "cables.rope.tension_start"), *t2 = column(&r, "cables.rope.tension_end");
  int slipped = 0;
  for (long k = 0; k < frames; k++) {
    const double *p = place + (size_t)k * (size_t)n * 2, *t = tension + (size_t)k * (size_t)n,
                 *f = rubs + (size_t)k * (size_t)n, *c = contact + (size_t)k * (size_t)n;
    long row = 10 * k;
    double pull = 0;
    assert_near(p[1], left[row], 1e-9);
    assert_near(p[2 * n - 1], right[row], 1e-9);
    assert_near(t[0], t1[row], 1e-9);
    assert_near(t[n - 1], t2[row], 1e-9);
    for (int i = 0; i < n; i++) {
      if (c[i] != 0) assert_near(hypot(p[2 * i], p[2 * i + 1]), 0.5, 2e-3);
      if (c[i] == 0) assert_near(fabs(p[2 * i]), 0.5, 1e-12);
      pull += f[i];
      slipped += c[i] == 2;
    }
    /* clockwise over the pulley: friction along the rim is against the path */
    assert_near(fabs(pull), fabs(t2[row] - t1[row]), 0.1 * fabs(t2[row] - t1[row]) + 30);
  }
  assert_true(slipped > 10);
  end(&r);
}

/* ------------------------------------------------------------------ drives */

static void drives(void **state) {
  (void)state;
  static const char *const settings[] = {
      "drums.pulley.drive={torque: {sine: {amplitude: 80, omega: 3 rad/s, offset: 100}}};run.until=2;" HEAVY,
      "drums.pulley.drive={pd: {kp: 4000, kd: 400, setpoint: {cycloid: {amplitude: 1, duration: "
      "1}}}};run.until=2;" HEAVY,
      "drums.pulley={radius: 0.5, drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 1, duration: "
      "1}}}}};run.until=2",
      "drums.pulley.drive=free;drums.pulley.rate=1;run.until=0.5;" HEAVY,
      "cables.rope.damping.axial=3e3;drums.pulley.drive={rotation: {ramp: {rate: 0.05, end: "
      "1}}};run.until=2;" HEAVY,
      "cables.rope.model=semi-analytical-flow;drums.pulley.drive={rotation: {ramp: {rate: 0.05, end: "
      "1}}};run.until=2;" HEAVY,
      "cables.rope.model=semi-analytical-printed;drums.pulley.drive={rotation: {ramp: {rate: 0.05, end: "
      "1}}};run.until=2;" HEAVY,
      "cables.rope.model=springs;drums.pulley.drive={rotation: {ramp: {rate: 0.05, end: "
      "1}}};run.until=2;" HEAVY,
      "cables.rope.model=springs;drums.pulley.drive={torque: 101};run.until=2",
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
    ran r = run_well(settings[i]);
    if (!(closing(&r) < 1e-9)) print_error("%s: %g\n", settings[i], closing(&r));
    assert_true(closing(&r) < 1e-9);
    end(&r);
  }
}

/* ------------------------------------------------------------------ the paper's other models */

static void springs_create_energy(void **state) {
  (void)state;
  ran r = run_well("cables.rope.model=springs;" TURN("4"));
  assert_near(final(&r, "cables.rope.created_end"), -1200.0 * 1200 / 2e6 * -2, 1e-6);
  assert_near(final(&r, "cables.rope.created_start"), -1000.0 * 1000 / 2e6 * 2, 1e-6);
  assert_near(final(&r, "energy.created"), (1.44 - 1) / 2 * 2, 1e-6);
  assert_near(final(&r, "energy.motion_work"), 200 * 2, 1e-3);
  end(&r);
}

static void printed_friction(void **state) {
  (void)state;
  /* (T2^2 - T1^2)/2EA per length, which the consistent model turns into (T2 - T1)^2/2EA. */
  ran r = run_well("cables.rope.model=semi-analytical-printed;" TURN("4"));
  assert_near(final(&r, "energy.friction"), -(1.44 - 1) / 2 * 2, 1e-6);
  end(&r);
  r = run_well("cables.rope.model=semi-analytical-flow;" TURN("4"));
  assert_near(final(&r, "energy.friction"), 0.04 / 2 * 2, 1e-6);
  /* Undeformed cable flows as the drive says, so the elongation shrinks with the span. */
  assert_near(final(&r, "bodies.right.y") - column(&r, "bodies.right.y")[0], 2 * (1 + 1200 / 1e6), 1e-6);
  end(&r);
}

/* ------------------------------------------------------------------ order */

static void order_five(void **state) {
  (void)state;
  double at[3];
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "drums.pulley.drive={rotation: {sine: {amplitude: 0.01, omega: 9 "
             "rad/s}}};run.until=0.1;run.output=0.1;" HEAVY ";run.tolerance=1;run.step=%.17g",
             0.1 / (64 << i));
    ran r = run_well(text);
    at[i] = final(&r, "bodies.right.y");
    end(&r);
  }
  double order = log2(fabs((at[1] - at[0]) / (at[2] - at[1])));
  if (!(order > 4.5 && order < 7)) print_error("order %g\n", order);
  assert_true(order > 4.5 && order < 7);
}

/* ------------------------------------------------------------------ refusals */

static void says_what_it_cannot(void **state) {
  (void)state;
  static const struct {
    const char *settings, *text;
  } bad[] = {
      {"cables.rope.start=drawn", "starts from equilibrium"},
      {"cables.rope.damping.rayleigh=1", "axial"},
      {"cables.rope.path=[left, hang 4, over pulley, hang 3, {pinned: [0.5, -3]}]",
       "ends of the path must be bodies"},
      {"loads={l: {on: left, force: 1, direction: [1, 1]}}", "only moves along its span"},
      {"springs={k: {between: [left, ground], stiffness: 1}}", "only moves along its span"},
      {"bodies.left={mass: 100, at: [-0.5, -4], direction: [0, 1]};drums.other={radius: 0.1, center: [3, 0], "
       "carried_by: left};cables.rope.path=[left, over pulley, hang 3, right]",
       "cannot carry a drum"},
      {"bodies.third={mass: 100};cables.more={model: springs, EA: 1e6, mass_per_length: 0, path: [left, hang "
       "4, over pulley, hang 3, third], contact: {at: nodes, normal: linear, friction: {coulomb: "
       "{mu: 0.3}}}}",
       "another cable too"},
      {"bodies.third={mass: 100};bodies.fourth={mass: 100};cables.more={model: springs, EA: 1e6, "
       "mass_per_length: 0, path: [third, hang 4, over pulley, hang 3, fourth], contact: {at: nodes, per: "
       "node, normal: linear, "
       "friction: {coulomb: {mu: 0.3}}}}",
       "no other cable runs over that pulley"},
      {"bodies.right={mass: 1, position: [2, -3]};cables.rope.path=[left, hang 4, over pulley, right]",
       "hangs straight down"},
      {"cables.rope.masses=[{at: 1, mass: 1}]", "point masses"},
      {"drums.pulley.moved={y: 1}", "stays in place"},
      {"cables.rope.model=semi-analytical-printed;bodies.right.mass=400", "cannot slide through"},
      {"cables.rope.model=semi-analytical-flow;drums.pulley.drive={torque: 1}", "with rotation"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ran r = begin(bad[i].settings);
    if (r.sim || !strstr(r.err.text, bad[i].text)) print_error("%s: %s\n", bad[i].settings, r.err.text);
    assert_null(r.sim);
    assert_non_null(strstr(r.err.text, bad[i].text));
    end(&r);
  }
  /* While it runs: a body that is pulled up to the pulley, and cable with mass that falls. */
  ran r = run("drums.pulley.drive={torque: {step: {from: [0, 100], to: [0.1, -40000]}}};run.until=3");
  assert_int_equal(r.status, CPS_FAILED);
  assert_non_null(strstr(r.err.text, "body left has come up to pulley pulley"));
  end(&r);
  r = run(SHAKEN "cables.rope.contact.friction.coulomb.mu=0.8;cables.rope.mass_per_length=0.01");
  assert_int_equal(r.status, CPS_FAILED);
  assert_non_null(strstr(r.err.text, "goes slack"));
  end(&r);
  r = run("cables.rope.model=semi-analytical-printed;drums.pulley.drive={rotation: {step5: {from: [0, 0], "
          "to: [1, 9]}}}");
  assert_int_equal(r.status, CPS_FAILED);
  assert_non_null(strstr(r.err.text, "slides through"));
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rests_in_equilibrium),
      cmocka_unit_test(other_wraps),
      cmocka_unit_test(slip_work_is_known),
      cmocka_unit_test(reversals_close),
      cmocka_unit_test(mirror_image),
      cmocka_unit_test(sides_swap),
      cmocka_unit_test(slides_through),
      cmocka_unit_test(slides_and_holds),
      cmocka_unit_test(slack_and_taut),
      cmocka_unit_test(slack_springs),
      cmocka_unit_test(fields_along),
      cmocka_unit_test(drives),
      cmocka_unit_test(springs_create_energy),
      cmocka_unit_test(printed_friction),
      cmocka_unit_test(order_five),
      cmocka_unit_test(says_what_it_cannot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
