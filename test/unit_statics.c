/* unit_statics.c - equilibrium of cables with friction, what it does to laws with memory, and loads that would hold. */
#include "test.h"

#include "newton.h"
#include "system.h"

static const char two_weights[] =
    "capstan: 1\n"
    "drums: {drum: {radius: 250 mm}}\n"
    "bodies: {left: {mass: 10 kg}, right: {mass: 20 kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 9.2 MN\n"
    "    EI: 0.7 N m2\n"
    "    mass_per_length: 0.4555 kg/m\n"
    "    damping: {rayleigh: 10 N s}\n"
    "    elements: 40\n"
    "    path: [left, hang 1 m, over drum, hang 1 m, right]\n"
    "    contact:\n      at: nodes\n"
    "      normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: 1}}\n"
    "      friction: {quinn: {mu: 0.25, epsilon: 10 mm/s}}\n"
    "run: {until: 1 s}\n";

static const char catenary[] = "capstan: 1\n"
                               "cables:\n"
                               "  rope:\n"
                               "    EA: 1 GN\n"
                               "    mass_per_length: 1 kg/m\n"
                               "    elements: 64\n"
                               "    length: 11 m\n"
                               "    path: [{pinned: [0, 0]}, {pinned: [10 m, 0]}]\n"
                               "run: {until: 1 s}\n";

static const char three_drums[] = "capstan: 1\n"
                                  "drums:\n"
                                  "  a: {radius: 200 mm}\n"
                                  "  b: {radius: 150 mm, center: [1 m, -0.5 m]}\n"
                                  "  c: {radius: 200 mm, center: [2 m, 0]}\n"
                                  "bodies: {left: {mass: 10 kg}, right: {mass: 15 kg}}\n"
                                  "cables:\n"
                                  "  rope:\n"
                                  "    EA: 9.2 MN\n"
                                  "    EI: 0.7 N m2\n"
                                  "    mass_per_length: 0.4555 kg/m\n"
                                  "    elements: 80\n"
                                  "    path: [left, hang 1 m, over a, under b, over c, hang 1 m, right]\n"
                                  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: "
                                  "5e6}}, friction: {quinn: {mu: 0.25}}}\n"
                                  "run: {until: 1 s}\n";

static const char belt[] = "capstan: 1\n"
                           "drums:\n"
                           "  a: {radius: 200 mm}\n"
                           "  b: {radius: 150 mm, center: [1 m, 0], drive: free, inertia: 0.1 kg m2}\n"
                           "cables:\n"
                           "  rope:\n"
                           "    EA: 1 MN\n"
                           "    EI: 0.2 N m2\n"
                           "    mass_per_length: 0.4555 kg/m\n"
                           "    elements: 80\n"
                           "    closed: true\n"
                           "    tension: 500 N\n"
                           "    path: [{around: a, turn: clockwise}, {around: b, turn: clockwise}]\n"
                           "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, "
                           "friction: {quinn: {mu: 0.25}}}\n"
                           "run: {until: 1 s}\n";

static const char winch[] =
    "capstan: 1\n"
    "drums:\n"
    "  winch: {radius: 200 mm, drive: {rotation: {ramp: {rate: 1 rad/s, start: 1 s}}}}\n"
    "  pulley:\n"
    "    radius: 150 mm\n"
    "    center: [4 m, 6 m]\n"
    "    drive: free\n"
    "    inertia: 0.2 kg m2\n"
    "    bearing: {friction: {coulomb: {mu: 0.15}}, radius: 20 mm}\n"
    "bodies: {load: {mass: 200 kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 11 MN\n"
    "    EI: 10 N m2\n"
    "    mass_per_length: 0.68 kg/m\n"
    "    mesh: {size: 200 mm, on_drums: 20 mm}\n"
    "    path: [{rim: winch}, {around: winch, turn: clockwise, turns: 3}, over pulley, hang 4 m, load]\n"
    "    contact:\n"
    "      at: {quadrature: 2}\n"
    "      normal: {linear: {stiffness: 200 MN/m2, damping: 50 kN s/m2}}\n"
    "      friction: {quinn: {mu: 0.2, epsilon: 10 mm/s}}\n"
    "run: {until: 1 s}\n";

/* Elements as long as the drums are wide: between two nodes that slip there is always one that jumps. */
static const char coarse[] =
    "capstan: 1\n"
    "gravity: 0\n"
    "drums:\n"
    "  d0: {radius: 0.1125, center: [0.02157, -0.1386], inertia: 0.5 kg m2, drive: free}\n"
    "  d1: {radius: 0.1412, center: [1.227, -1.213], drive: fixed}\n"
    "  d2: {radius: 0.2252, center: [2.564, 0.2414], inertia: 0.5 kg m2, drive: free}\n"
    "bodies:\n"
    "  left: {mass: 3.26 kg}\n"
    "  right: {mass: 3.03 kg}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 7.997e+04\n"
    "    EI: 0.4004\n"
    "    mass_per_length: 1.222\n"
    "    damping: {rayleigh: 0, axial: 733, bending: 0}\n"
    "    strain: engineering\n"
    "    curvature: exact\n"
    "    quadrature: {axial: 3, bending: 3}\n"
    "    elements: 26\n"
    "    start: equilibrium\n"
    "    path:\n"
    "      - left\n"
    "      - {hang: 1.24}\n"
    "      - {over: d0}\n"
    "      - {under: d1}\n"
    "      - {over: d2}\n"
    "      - {free: {at: [4.6, 0.996], force: {x: 71.7}}}\n"
    "    contact:\n"
    "      at: nodes\n"
    "      normal: {linear: {stiffness: 1.4e+05}}\n"
    "      friction: coulomb-static\n"
    "run: {until: 0.15 s, output: 10 ms, max_steps: 1500}\n";

/* ------------------------------------------------------------------ a scenario at rest */

typedef struct still {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  cps_error error;
} still;

/* Reads a scenario with settings that are separated by "; ", and brings it to rest. */
static void still_begin(still *s, const char *text, const char *settings) {
  char copy[600];
  const char *list[8];
  int n = 0;
  cps_problems *problems = NULL;
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *next = copy; *next;) {
    char *end = strstr(next, "; ");
    list[n++] = next;
    if (!end) break;
    *end = 0;
    next = end + 2;
  }
  memset(s, 0, sizeof *s);
  s->scenario = cps_scenario_parse(text, strlen(text), "test.yaml", list, n, &problems);
  if (!s->scenario) fail_msg("%s", cps_problems_at(problems, 0)->text);
  s->system = cps_system_new(s->scenario, &s->error);
  s->sim = s->system ? cps_simulation_new(s->system, &s->error) : NULL;
  if (s->sim && cps_statics(s->sim, &s->error) != CPS_OK) {
    cps_simulation_free(s->sim);
    s->sim = NULL;
  }
}

static void still_end(still *s) {
  cps_simulation_free(s->sim);
  cps_system_free(s->system);
  cps_scenario_free(s->scenario);
}

static double value(const still *s, const char *column) {
  const cps_result *r = cps_simulation_result(s->sim);
  int c = cps_result_find(r, column);
  if (c < 0) fail_msg("there is no column %s", column);
  return cps_result_data(r, c)[cps_result_rows(r) - 1];
}

static void assert_near(const char *what, double found, double wanted, double tolerance) {
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%s is %.12g, not %.12g", what, found, wanted);
}

/* ------------------------------------------------------------------ equilibria */

/* Forces balance for every mesh, and for contact at nodes and at Gauss points. */
static void meshes(void **state) {
  (void)state;
  static const int sizes[] = {10, 40, 160, 640, 2560};
  for (int i = 0; i < 5; i++) {
    for (int gauss = 0; gauss < 2; gauss++) {
      char settings[200];
      still s;
      snprintf(settings, sizeof settings, "cables.rope.elements=%d%s", sizes[i],
               gauss ? "; cables.rope.contact.at=quadrature; cables.rope.contact.normal.stiffness=1e9" : "");
      still_begin(&s, two_weights, settings);
      if (!s.sim) fail_msg("%s: %s", settings, s.error.text);
      double length = 2 + 0.25 * acos(-1.0), weight = 9.81 * (30 + 0.4555 * length);
      assert_near(settings, -value(&s, "drums.drum.fy"), weight, 1e-5 * weight);
      assert_near(settings, value(&s, "drums.drum.fx"), 0, 1e-5 * weight);
      /* what the cable passes on beside the drum is what hangs there */
      if (sizes[i] >= 40) {
        assert_near("t_in", value(&s, "cables.rope.drum.t_in"), 9.81 * (10 + 0.4555), 5);
        assert_near("t_out", value(&s, "cables.rope.drum.t_out"), 9.81 * (20 + 0.4555), 5);
      }
      double wrap = value(&s, "cables.rope.drum.wrap"), sticks = value(&s, "cables.rope.drum.stick_arc"),
             slips = value(&s, "cables.rope.drum.slip_arc");
      assert_near("arcs", sticks + slips, wrap, 1e-9);
      /* of bending, whose length sqrt(EI/T) is 84 mm, exp(-4) is left on either side */
      assert_near("wrap", wrap, acos(-1.0), sizes[i] >= 40 ? 2 * 0.084 / 0.25 * exp(-4) : 0.3);
      assert_true(sticks > 0 || sizes[i] < 40);
      still_end(&s);
    }
  }
}

/* A slack cable between two pins: the tension at its ends, in closed form. */
static void slack(void **state) {
  (void)state;
  still s;
  still_begin(&s, catenary, "");
  assert_non_null(s.sim);
  double a = 1, b = 100; /* 2 a sinh(5/a) = 11 */
  for (int i = 0; i < 200; i++) {
    double middle = (a + b) / 2;
    *(2 * middle * sinh(5 / middle) > 11 ? &a : &b) = middle;
  }
  double half = 5.5, tension = 9.81 * sqrt(a * a + half * half);
  assert_near("tension", value(&s, "cables.rope.tension_start"), tension, 1e-3 * tension);
  assert_near("least tension", value(&s, "cables.rope.tension_min"), 9.81 * a, 1e-3 * 9.81 * a);
  still_end(&s);
}

static void several_drums(void **state) {
  (void)state;
  still s;
  still_begin(&s, three_drums, "");
  assert_non_null(s.sim);
  double length = 0;
  for (int i = 0; i < s.sim->machine->cable[0].n; i++) length += s.sim->machine->cable[0].length[i];
  double fy = value(&s, "drums.a.fy") + value(&s, "drums.b.fy") + value(&s, "drums.c.fy");
  double fx = value(&s, "drums.a.fx") + value(&s, "drums.b.fx") + value(&s, "drums.c.fx");
  assert_near("weight", -fy, 9.81 * (25 + 0.4555 * length), 1e-2);
  assert_near("sideways", fx, 0, 1e-2);
  still_end(&s);
}

/* Drums that are free to turn come to rest where nothing turns them. */
static void free_drums(void **state) {
  (void)state;
  still s;
  still_begin(&s, belt, "");
  if (!s.sim) fail_msg("belt: %s", s.error.text);
  assert_near("torque of the free drum", value(&s, "drums.b.torque"), 0, 1e-6);
  assert_near("tension", value(&s, "cables.rope.tension_min"), 500, 15);
  still_end(&s);
  still_begin(&s, winch, "");
  if (!s.sim) fail_msg("winch: %s", s.error.text);
  double held = 0.15 * 0.02 * hypot(value(&s, "drums.pulley.fx"), value(&s, "drums.pulley.fy"));
  assert_true(fabs(value(&s, "drums.pulley.torque")) <= held);
  still_end(&s);
  /* and one that nothing holds runs */
  still_begin(&s, two_weights, "drums.drum.drive=free; drums.drum.inertia=1");
  assert_null(s.sim);
  still_end(&s);
}

/* Without gravity, pulled at free ends. */
static void weightless(void **state) {
  (void)state;
  still s;
  still_begin(&s, two_weights,
              "gravity=0; cables.rope.path.0={free: {force: {y: -98.1 N}}}; cables.rope.path.4={free: "
              "{force: {y: -150 "
              "N}}}; bodies=null");
  if (!s.sim) fail_msg("%s", s.error.text);
  assert_near("push", -value(&s, "drums.drum.fy"), 248.1, 1e-4);
  assert_near("start", value(&s, "cables.rope.tension_start"), 98.1, 1e-2);
  assert_near("end", value(&s, "cables.rope.tension_end"), 150, 1e-2);
  still_end(&s);
}

/* A body that no cable bears falls, and has nothing to do with what friction holds: it is no load of theirs, and does not unmake them. */
static void beside(void **state) {
  (void)state;
  static const char *const texts[] = {"", ", stone: {mass: 1 kg, position: [1, 2], velocity: [0, 1]}"};
  cps_hold h[2][2];
  for (int k = 0; k < 2; k++) {
    char text[700];
    still s;
    snprintf(text, sizeof text,
             "capstan: 1\ndrums: {d: {radius: 0.2, center: [0, 3]}}\n"
             "bodies: {a: {mass: 10}, b: {mass: 12}%s}\n"
             "cables: {rope: {EA: 1 MN, mass_per_length: 0.1, mesh: {size: 0.1, on_drums: 0.03},\n"
             "  path: [a, hang 1 m, over d, hang 1 m, b],\n"
             "  contact: {normal: {hunt-crossley: {stiffness: 1e9}}, friction: {quinn: {mu: 0.3}}}}}\n"
             "run: {until: 0.1, output: 0.01}\n",
             texts[k]);
    still_begin(&s, text, "");
    if (!s.sim) fail_msg("%s", s.error.text);
    assert_int_equal(cps_hold_count(s.system), 2);
    for (int i = 0; i < 2; i++)
      if (cps_hold_range(s.system, i, &h[k][i], &s.error) != CPS_OK) fail_msg("%s", s.error.text);
    still_end(&s);
  }
  for (int i = 0; i < 2; i++) {
    assert_near("least", h[1][i].least, h[0][i].least, 1e-3);
    assert_near("most", h[1][i].most, h[0][i].most, 1e-3);
    assert_near("formula", h[1][i].most, h[1][i].formula_most, 0.01 * h[1][i].most);
  }
}

/* With two points of axial quadrature and no bending nothing resists slopes that stretch; the places come to rest. */
static void reduced(void **state) {
  (void)state;
  still s;
  still_begin(&s, two_weights, "cables.rope.quadrature.axial=2; cables.rope.EI=0; bodies.right.mass=15");
  if (!s.sim) fail_msg("%s", s.error.text);
  still_end(&s);
}

/* ------------------------------------------------------------------ no equilibrium */

/* Stiff contacts, from which Newton's steps lift the whole cable off: that it runs is found all the same. */
static void runs_on_stiff_drum(void **state) {
  (void)state;
  still s;
  still_begin(&s, two_weights,
              "bodies.left.mass=32.7; bodies.right.mass=4.85; cables.rope.EA=69450; cables.rope.EI=0.1462; "
              "cables.rope.contact.normal.stiffness=1.63e7; drums.drum.radius=0.3854; "
              "cables.rope.mass_per_length=0.09532");
  assert_null(s.sim);
  if (!strstr(s.error.text, "body left, at the start of cable rope, runs down")) fail_msg("%s", s.error.text);
  still_end(&s);
}

/* What is not found is said so, with a reason, and is not taken for something that does not hold. */
static void unknown(void **state) {
  (void)state;
  still s;
  cps_hold h;
  still_begin(&s, coarse, "");
  assert_null(s.sim);
  if (!strstr(s.error.text, "elements of cable rope are") || !strstr(s.error.text, "long on drum"))
    fail_msg("%s", s.error.text);
  int i = 0;
  cps_status status;
  while ((status = cps_hold_range(s.system, i, &h, &s.error)) == CPS_OK && !strstr(h.name, "force")) i++;
  int said = status == CPS_OK ? h.least_unknown || h.most_unknown
                              : strstr(s.error.text, "did not converge") != NULL;
  if (!said) fail_msg("%s: %g ... %g; %s", h.name, h.least, h.most, s.error.text);
  still_end(&s);
}

static void runs_away(void **state) {
  (void)state;
  static const struct {
    const char *settings, *what;
  } cases[] = {
      {"bodies.right.mass=30", "body right, at the end of cable rope, runs down"},
      {"bodies.left.mass=60", "body left, at the start of cable rope, runs down"},
      {"cables.rope.contact.friction.mu=0.1", "body right, at the end of cable rope, runs down"},
  };
  for (int i = 0; i < 3; i++) {
    still s;
    still_begin(&s, two_weights, cases[i].settings);
    assert_null(s.sim);
    assert_int_equal(s.error.status, CPS_FAILED);
    if (!strstr(s.error.text, cases[i].what) || !strstr(s.error.text, "start: drawn"))
      fail_msg("%s: %s", cases[i].settings, s.error.text);
    still_end(&s);
  }
}

/* ------------------------------------------------------------------ afterwards */

/* Ten hours on a drum change nothing. */
static void held_for_hours(void **state) {
  (void)state;
  still s;
  still_begin(&s, two_weights, "run.until=36000; run.output=3600");
  assert_non_null(s.sim);
  double before = value(&s, "bodies.right.y");
  assert_int_equal(cps_simulation_run(s.sim, NULL, NULL, &s.error), CPS_OK);
  assert_near("height after ten hours", value(&s, "bodies.right.y"), before, 1e-9);
  cps_counters n;
  cps_result_counters(cps_simulation_result(s.sim), &n);
  assert_true(n.steps < 1000);
  still_end(&s);
}

/* Laws with memory hold at rest what statics found. */
static void memory(void **state) {
  (void)state;
  static const char *const laws[] = {"dahl",   "lugre-load", "elasto-plastic",  "gms",
                                     "lugris", "gonthier",   "adams-stick-slip"};
  for (int i = 0; i < 7; i++) {
    char settings[120];
    still s;
    snprintf(settings, sizeof settings, "bodies.right.mass=15; cables.rope.contact.friction={%s: {}}",
             laws[i]);
    still_begin(&s, two_weights, settings);
    if (!s.sim) fail_msg("%s: %s", laws[i], s.error.text);
    const cable *c = &s.sim->machine->cable[0];
    double sum = 0;
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      cps_law_input in = {0, p->n, p->f[0], c->memory[k].z[0], p->mode[0]};
      cps_law_output out;
      cps_law_eval(c->contact.law, c->contact.p, &in, &out, NULL);
      if (fabs(out.f - p->f[0]) > 1e-6 * p->limit)
        fail_msg("%s at point %d: %g N at rest, not %g N", laws[i], k, out.f, p->f[0]);
      sum += fabs(p->f[0]);
    }
    assert_true(sum > 40);
    still_end(&s);
  }
}

/* What starts with a velocity still does. */
static void velocities(void **state) {
  (void)state;
  still s;
  still_begin(&s, belt, "drums.b.rate=2");
  assert_non_null(s.sim);
  assert_near("rate", value(&s, "drums.b.rate"), 2, 0);
  still_end(&s);
}

/* Scenarios that start as drawn are brought to rest when asked. */
static void drawn(void **state) {
  (void)state;
  still s, t;
  still_begin(&s, two_weights, "cables.rope.start=drawn");
  still_begin(&t, two_weights, "");
  assert_non_null(s.sim);
  assert_near("height", value(&s, "bodies.right.y"), value(&t, "bodies.right.y"), 1e-9);
  still_end(&s);
  still_end(&t);
}

/* ------------------------------------------------------------------ loads that would hold */

static void ranges(void **state) {
  (void)state;
  still s;
  still_begin(&s, two_weights, "");
  assert_int_equal(cps_hold_count(s.system), 2);
  cps_hold h;
  assert_int_equal(cps_hold_range(s.system, 1, &h, &s.error), CPS_OK);
  assert_string_equal(h.name, "bodies.right.mass");
  assert_string_equal(h.unit, "kg");
  assert_near("value", h.value, 20, 0);
  assert_near("least", h.least, h.formula_least, 0.03 * h.formula_least);
  assert_near("most", h.most, h.formula_most, 0.03 * h.formula_most);
  /* by hand: (m g + W - b) = (10 g + W - b) e^(mu pi), with the W of what hangs beside the points that touch */
  assert_near("formula", h.formula_most, 21.83, 0.1);
  assert_int_equal(cps_hold_range(s.system, 2, &h, &s.error), CPS_BAD_INPUT);
  still_end(&s);
}

static void range_is_sharp(void **state) {
  (void)state;
  still s;
  cps_hold h;
  still_begin(&s, two_weights, "bodies.right.mass=30"); /* not held, but its range is known */
  assert_null(s.sim);
  assert_int_equal(cps_hold_range(s.system, 1, &h, &s.error), CPS_OK);
  assert_true(h.value > h.most);
  still_end(&s);
  for (int i = 0; i < 4; i++) {
    char settings[80];
    double mass = i == 0 ? h.least * 0.99 : i == 1 ? h.least * 1.01 : i == 2 ? h.most * 0.99 : h.most * 1.01;
    snprintf(settings, sizeof settings, "bodies.right.mass=%.6g", mass);
    still_begin(&s, two_weights, settings);
    if ((s.sim != NULL) != (i == 1 || i == 2)) fail_msg("%g kg of %g ... %g", mass, h.least, h.most);
    still_end(&s);
  }
}

/* Two and a half turns hold more than a thousand times what pulls on the other side. */
static void many_turns(void **state) {
  (void)state;
  still s;
  cps_hold h;
  still_begin(
      &s, two_weights,
      "cables.rope.path=[left, hang 1 m, {over: drum, turns: 2}, hang 1 m, right]; cables.rope.elements=120; "
      "cables.rope.EI=1e-3; bodies.left.mass=1; bodies.right.mass=30");
  if (!s.sim) fail_msg("%s", s.error.text);
  assert_int_equal(cps_hold_range(s.system, 0, &h, &s.error), CPS_OK);
  assert_true(h.formula_most > 1000 && !h.most_unknown);
  assert_near("most", h.most, h.formula_most, 0.06 * h.formula_most);
  still_end(&s);
}

/* Tons and grams: the range scales with everything else. */
static void large_and_small(void **state) {
  (void)state;
  static const char *const settings[] = {
      "bodies.left.mass=10000; bodies.right.mass=20000; cables.rope.EA=9.2e9; cables.rope.EI=700; "
      "cables.rope.mass_per_length=455.5; cables.rope.contact.normal.stiffness=5e9",
      "bodies.left.mass=0.01; bodies.right.mass=0.02; cables.rope.EA=9200; cables.rope.EI=7e-4; "
      "cables.rope.mass_per_length=4.555e-4; cables.rope.contact.normal.stiffness=5e3"};
  for (int i = 0; i < 2; i++) {
    still s, t;
    cps_hold h, k;
    still_begin(&s, two_weights, settings[i]);
    still_begin(&t, two_weights, "");
    if (!s.sim) fail_msg("%s: %s", settings[i], s.error.text);
    assert_int_equal(cps_hold_range(s.system, 1, &h, &s.error), CPS_OK);
    assert_int_equal(cps_hold_range(t.system, 1, &k, &t.error), CPS_OK);
    double scale = h.value / k.value;
    assert_near("least", h.least, scale * k.least, 2e-3 * scale * k.least);
    assert_near("most", h.most, scale * k.most, 2e-3 * scale * k.most);
    still_end(&s);
    still_end(&t);
  }
}

/* A cable fixed to a drum's rim holds whatever hangs on it. */
static void rim_holds(void **state) {
  (void)state;
  still s;
  cps_hold h;
  still_begin(&s, winch,
              "cables.rope.path=[{rim: winch}, {around: winch, turn: clockwise, turns: 2}, hang 3 m, load]; "
              "cables.rope.mesh.on_drums=50 mm; cables.rope.EI=0.1");
  if (!s.sim) fail_msg("%s", s.error.text);
  assert_int_equal(cps_hold_range(s.system, 0, &h, &s.error), CPS_OK);
  assert_true(isinf(h.most) && isnan(h.formula_most));
  still_end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes),         cmocka_unit_test(slack),
      cmocka_unit_test(several_drums),  cmocka_unit_test(free_drums),
      cmocka_unit_test(weightless),     cmocka_unit_test(runs_away),
      cmocka_unit_test(held_for_hours), cmocka_unit_test(memory),
      cmocka_unit_test(velocities),     cmocka_unit_test(drawn),
      cmocka_unit_test(ranges),         cmocka_unit_test(range_is_sharp),
      cmocka_unit_test(rim_holds),      cmocka_unit_test(large_and_small),
      cmocka_unit_test(reduced),        cmocka_unit_test(beside),
      cmocka_unit_test(many_turns),     cmocka_unit_test(runs_on_stiff_drum),
      cmocka_unit_test(unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
