/* unit_scenario_cable.c - what good scenarios with drums and cables mean: every field of the plain data. */
#include "test.h"

#include "drives.h"
#include "path_kinds.h"

static cps_scenario *parse_set(const char *text, const char *const *settings, int n) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "made.yaml", settings, n, &problems);
  for (int i = 0; i < cps_problems_count(problems); i++) {
    char shown[2048];
    cps_problem_text(cps_problems_at(problems, i), shown, sizeof shown);
    print_error("%s\n", shown);
  }
  cps_problems_free(problems);
  if (!s) fail_msg("a good scenario was refused");
  return s;
}

static cps_scenario *parse(const char *text) { return parse_set(text, NULL, 0); }

static void assert_near(double a, double b) {
  if (!(fabs(a - b) <= 1e-14 * (fabs(a) + fabs(b)))) fail_msg("%.17g, not %.17g", a, b);
}

static void assert_vector(const double *v, double x, double y, double z) {
  assert_near(v[0], x);
  assert_near(v[1], y);
  assert_near(v[2], z);
}

#define HEAD    "capstan: 1\nrun: {until: 1 s}\n"
#define CABLE   "EA: 1 MN, mass_per_length: 1 kg/m, elements: 4"
#define CONTACT "contact: {at: nodes, normal: linear, friction: coulomb}"
#define PI      3.14159265358979323846

/* ------------------------------------------------------------------ drums */

/* A body that carries a drum is free, and where the drum is, unless it says otherwise. */
static void test_carriers(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "bodies: {hook: {mass: 5 kg}, cart: {mass: 1 kg, direction: [1, 0]}}\n"
                               "drums: {low: {radius: 1, center: [3, -2], carried_by: hook},\n"
                               "        high: {radius: 1, center: [0, 4], carried_by: cart}}\n");
  assert_int_equal(s->bodies[0].kind, BODY_PLANE);
  assert_vector(s->bodies[0].x, 3, -2, 0);
  assert_int_equal(s->bodies[1].kind, BODY_LINE);
  assert_vector(s->drums[1].center, 0, 4, 0);
  cps_scenario_free(s);
}

static void test_drums(void **state) {
  (void)state;
  cps_scenario *s = parse(
      HEAD "profiles: {swing: {sine: {amplitude: 10 deg, omega: 1 rad/s}}}\n"
           "bodies: {hook: {mass: 5 kg, position: [1, 2]}, b: {mass: 1}}\n"
           "drums:\n"
           "  plain: {radius: 250 mm}\n"
           "  turned: {radius: 1 m, center: [1 cm, -2 m], axis: [0, 0, 2], drive: {rotation: swing}}\n"
           "  free: {radius: 1, drive: free, inertia: 0.1 kg m2, rate: 60 rpm, carried_by: hook,\n"
           "    bearing: {friction: {coulomb: {mu: 0.1}}, radius: 20 mm}}\n"
           "  pulled: {radius: 1, drive: {torque: 5 kN m}, inertia: 2, moved: {y: 3 mm, x: {ramp: {rate: 2 "
           "m/s}}},\n"
           "    bearing: {friction: lugre, radius: 0.02, load: 500 N}}\n"
           "  pd: {radius: 1, drive: {pd: {kp: 400 1/s2, kd: 40 1/s, setpoint: {cycloid: {amplitude: 45 deg, "
           "duration: "
           "10}}}}}\n"
           "  motor: {radius: 1, drive: {pd: {kp: 4 kN m/rad, setpoint: 1 rad}}, inertia: 3}\n"
           "  fixed: {radius: 1, drive: fixed}\n");
  assert_int_equal(s->n_drums, 7);
  assert_int_equal(s->dim, 2);
  const scenario_drum *d = s->drums;
  assert_string_equal(d->name, "plain");
  assert_near(d->radius, 0.25);
  assert_vector(d->center, 0, 0, 0);
  assert_vector(d->axis, 0, 0, 1);
  assert_string_equal(d->drive->name, "fixed");
  assert_null(d->motion);
  assert_null(d->bearing);
  assert_true(d->inertia == 0 && d->rate == 0 && d->carrier == -1);
  assert_true(!d->shift[0] && !d->shift[1] && !d->shift[2]);
  d++;
  assert_vector(d->center, 0.01, -2, 0);
  assert_vector(d->axis, 0, 0, 1);
  assert_string_equal(d->drive->name, "rotation");
  assert_near(d->motion->a[0], PI / 18);
  d++;
  assert_string_equal(d->drive->name, "free");
  assert_near(d->inertia, 0.1);
  assert_near(d->rate, 2 * PI);
  assert_int_equal(d->carrier, 0);
  assert_vector(d->center, 1, 2, 0); /* it sits on its body */
  assert_string_equal(d->bearing->name, "coulomb");
  assert_near(d->bearing_p[0], 0.1);
  assert_near(d->bearing_radius, 0.02);
  assert_true(d->bearing_load < 0);
  d++;
  assert_string_equal(d->drive->name, "torque");
  assert_near(d->motion->a[0], 5000);
  assert_near(d->bearing_load, 500);
  assert_string_equal(d->bearing->name, "lugre");
  assert_int_equal(d->shift[0]->kind, PROFILE_RAMP);
  assert_near(d->shift[1]->a[0], 0.003);
  assert_null(d->shift[2]);
  d++;
  assert_string_equal(d->drive->name, "pd");
  assert_near(d->kp, 400);
  assert_near(d->kd, 40);
  assert_int_equal(d->motion->kind, PROFILE_CYCLOID);
  assert_near(d->motion->a[0], PI / 4);
  d++;
  assert_near(d->kp, 4000);
  assert_true(d->kd == 0);
  assert_near(d->motion->a[0], 1);
  assert_string_equal(d[1].drive->name, "fixed");
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ cables */

static const char everything[] =
    "capstan: 1\n"
    "run: {until: 1 s, fields: 50 ms, newmark: true}\n"
    "drums: {p: {radius: 0.25}, q: {radius: 0.1, center: [1, 0]}, far: {radius: 0.1, center: [9, 9]}}\n"
    "bodies: {left: {mass: 10 kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 9.2 MN\n"
    "    EI: 0.7 N m2\n"
    "    mass_per_length: 0.4555 kg/m\n"
    "    damping: {rayleigh: 10 N s, axial: 2 kN s, bending: 3 N m2 s}\n"
    "    strain: green\n"
    "    curvature: exact\n"
    "    quadrature: {axial: 2, bending: 5}\n"
    "    mesh: {size: 50 mm, on_drums: 10 mm, growth: 1.5}\n"
    "    length: 12 m\n"
    "    path: [left, hang 1 m, over p, {under: q, turns: 2, turn: counterclockwise}, {hang: rest}, free]\n"
    "    masses: [{at: 1 m, mass: 2 kg}, {at: 0, mass: 5 g}]\n"
    "    start: drawn\n"
    "    contact:\n"
    "      at: {quadrature: 4}\n"
    "      drums: [q, far]\n"
    "      normal: {linear: {stiffness: 3 MN/m2, damping: 4 N s/m2}}\n"
    "      friction: {quinn: {mu: 0.3, epsilon: 10 mm/s}}\n"
    "      reading: all-stick\n";

static void test_everything(void **state) {
  (void)state;
  cps_scenario *s = parse(everything);
  assert_int_equal(s->n_cables, 1);
  assert_int_equal(s->dim, 2);
  const scenario_cable *c = s->cables;
  assert_string_equal(c->name, "rope");
  assert_near(c->ea, 9.2e6);
  assert_near(c->ei, 0.7);
  assert_near(c->rho, 0.4555);
  assert_near(c->rayleigh, 10);
  assert_near(c->axial_damping, 2000);
  assert_near(c->bending_damping, 3);
  assert_true(!c->engineering && c->exact_curvature && !c->start_statics && !c->closed);
  assert_int_equal(c->axial_points, 2);
  assert_int_equal(c->bending_points, 5);
  assert_int_equal(c->elements, 0);
  assert_near(c->size, 0.05);
  assert_near(c->drum_size, 0.01);
  assert_near(c->growth, 1.5);
  assert_near(c->length, 12);
  assert_true(c->tension == 0);
  assert_int_equal(c->n_masses, 2);
  assert_near(c->masses[0].at, 1);
  assert_near(c->masses[0].mass, 2);
  assert_near(c->masses[1].mass, 0.005);
  assert_ptr_equal(c->end[0].kind, cps_end_find("body"));
  assert_int_equal(c->end[0].body, 0);
  assert_ptr_equal(c->end[1].kind, cps_end_find("free"));
  assert_false(c->end[1].placed);
  const path_item *p = c->path;
  assert_int_equal(c->n_path, 4);
  assert_ptr_equal(p[0].kind, cps_item_find("hang"));
  assert_near(p[0].length, 1);
  assert_ptr_equal(p[1].kind, cps_item_find("over"));
  assert_int_equal(p[1].drum, 0);
  assert_int_equal(p[1].side, 1);
  assert_int_equal(p[1].turn, 0);
  assert_int_equal(p[1].turns, 0);
  assert_int_equal(p[2].drum, 1);
  assert_int_equal(p[2].side, -1);
  assert_int_equal(p[2].turn, 1);
  assert_int_equal(p[2].turns, 2);
  assert_ptr_equal(p[3].kind, cps_item_find("hang"));
  assert_true(p[3].length == 0);
  const cable_contact *t = &c->contact;
  assert_int_equal(t->quadrature, 4);
  assert_int_equal(t->n_drums, 2);
  assert_int_equal(t->drums[0], 1);
  assert_int_equal(t->drums[1], 2);
  assert_string_equal(t->normal->name, "linear");
  assert_near(t->normal_p[0], 3e6);
  assert_near(t->normal_p[1], 4);
  assert_string_equal(t->law->name, "quinn");
  assert_near(t->p[0], 0.3);
  assert_near(t->p[1], 0.01);
  assert_int_equal(t->reading, STICK_ALL);
  assert_near(s->run.fields, 0.05);
  assert_true(s->run.newmark);
  assert_string_equal(s->run.solver, "alpha");
  cps_scenario_free(s);
}

static void test_defaults(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "drums: {p: {radius: 1}, q: {radius: 1, center: [5, 0]}}\n"
                               "cables: {c: {EA: 1, mass_per_length: 2, mesh: {size: 3},\n"
                               "  path: [free, over p, under q, over p, free],\n"
                               "  contact: {at: nodes, normal: hunt-crossley, friction: coulomb}}}\n");
  const scenario_cable *c = s->cables;
  assert_true(c->ei == 0 && c->rayleigh == 0 && c->axial_damping == 0 && c->bending_damping == 0);
  assert_true(c->engineering && !c->exact_curvature && c->start_statics && !c->closed);
  assert_true(c->axial_points == 3 && c->bending_points == 3 && c->elements == 0);
  assert_true(c->drum_size == 3 && c->growth == 1.3 && c->length == 0 && c->tension == 0);
  assert_int_equal(c->n_masses, 0);
  /* The drums of the path, each once. */
  assert_int_equal(c->contact.n_drums, 2);
  assert_int_equal(c->contact.drums[1], 1);
  assert_int_equal(c->contact.quadrature, 0);
  assert_int_equal(c->contact.reading, STICK_CONSISTENT);
  assert_near(c->contact.normal_p[0], 5e6);
  assert_near(c->contact.normal_p[1], 1.5);
  assert_near(c->contact.p[0], c->contact.law->params[0].value);
  assert_true(s->run.fields < 0 && !s->run.newmark);
  cps_scenario_free(s);
  s = parse("capstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 1, fields: 0}\n");
  assert_true(s->run.fields == 0 && s->dim == 2 && s->n_cables == 0);
  cps_scenario_free(s);
}

/* A round cable, by diameter: Westin's. */
static void test_round(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD
                          "cables:\n"
                          "  solid: {diameter: 10 mm, modulus: 100 GPa, density: 5800, elements: 1,\n"
                          "    path: [{pinned: [0, 0]}, free]}\n"
                          "  rope: {diameter: 10 mm, modulus: 100 GPa, density: 5800, bending_factor: 0.25,\n"
                          "    elements: 1, path: [{pinned: [0, 0]}, free]}\n");
  assert_near(s->cables[0].ea, 1e11 * PI * 1e-4 / 4);
  assert_near(s->cables[0].ei, 1e11 * PI * 1e-8 / 64);
  assert_near(s->cables[0].rho, 5800 * PI * 1e-4 / 4);
  assert_near(s->cables[1].ei, s->cables[0].ei / 4);
  assert_near(s->cables[1].ea, s->cables[0].ea);
  assert_null(s->cables[0].contact.law);
  assert_int_equal(s->cables[0].contact.n_drums, 0);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ paths */

/* The two ends of a cable with a path. */
static cps_scenario *ends(const char *path) {
  char text[2000];
  snprintf(text, sizeof text,
           HEAD "drums: {w: {radius: 1}, over: {radius: 1}}\nbodies: {left: {mass: 1}, free: {mass: 1}}\n"
                "cables: {c: {" CABLE ", " CONTACT ", length: 99, path: [%s]}}\n",
           path);
  return parse(text);
}

static void test_ends(void **state) {
  (void)state;
  cps_scenario *s = ends("{body: left}, over w, {body: free}");
  assert_ptr_equal(s->cables[0].end[0].kind, cps_end_find("body"));
  assert_int_equal(s->cables[0].end[0].body, 0);
  assert_int_equal(s->cables[0].end[1].body, 1);
  cps_scenario_free(s);
  s = ends("body left, over w, {free: [1, 2 m]}");
  assert_int_equal(s->cables[0].end[0].body, 0);
  const cable_end *e = &s->cables[0].end[1];
  assert_ptr_equal(e->kind, cps_end_find("free"));
  assert_true(e->placed);
  assert_vector(e->at, 1, 2, 0);
  cps_scenario_free(s);
  s = ends("{free: {at: [1, 2], force: {x: 5 N, y: {sine: {amplitude: 1 N, omega: 1}}}}}, over w, free");
  e = s->cables[0].end;
  assert_true(e->placed);
  assert_vector(e->at, 1, 2, 0);
  assert_near(e->force[0]->a[0], 5);
  assert_int_equal(e->force[1]->kind, PROFILE_SINE);
  assert_null(e->force[2]);
  assert_null(e->shift[0]);
  assert_false(e[1].placed);
  cps_scenario_free(s);
  s = ends("{pinned: [1, 2]}, over w, {pinned: {at: [3, 4], moved: {y: 1 mm}}}");
  e = s->cables[0].end;
  assert_ptr_equal(e->kind, cps_end_find("pinned"));
  assert_vector(e->at, 1, 2, 0);
  assert_vector(e[1].at, 3, 4, 0);
  assert_true(e[0].placed && e[1].placed);
  assert_near(e[1].shift[1]->a[0], 1e-3);
  cps_scenario_free(s);
  s = ends("{clamped: {at: [1, 2], direction: [3, 4], moved: {x: 1 mm}}}, over w, clamped");
  e = s->cables[0].end;
  assert_ptr_equal(e->kind, cps_end_find("clamped"));
  assert_vector(e->direction, 0.6, 0.8, 0);
  assert_near(e->shift[0]->a[0], 1e-3);
  assert_ptr_equal(e[1].kind, cps_end_find("clamped"));
  assert_false(e[1].placed);
  assert_vector(e[1].direction, 0, 0, 0);
  cps_scenario_free(s);
  s = ends("{clamped: [1, 2]}, over w, pinned");
  assert_true(s->cables[0].end[0].placed && s->cables[0].end[1].kind == cps_end_find("pinned"));
  cps_scenario_free(s);
  s = ends(
      "rim w, {around: w, turn: clockwise}, hang 1, {around: over, turn: counterclockwise}, {rim: over}");
  e = s->cables[0].end;
  assert_ptr_equal(e[0].kind, cps_end_find("rim"));
  assert_int_equal(e[0].drum, 0);
  assert_int_equal(e[1].drum, 1);
  assert_int_equal(s->cables[0].path[0].turn, -1);
  assert_int_equal(s->cables[0].path[0].side, 0);
  assert_int_equal(s->cables[0].path[2].turn, 1);
  assert_int_equal(s->cables[0].contact.n_drums, 2);
  cps_scenario_free(s);
}

static void test_items(void **state) {
  (void)state;
  cps_scenario *s = ends(
      "free, {to: [1 m, 20 cm]}, {along: [0, -2], length: 3 m}, {along: [1, 0]}, hang   2 m, "
      "\"over over\", under  w, free");
  const path_item *p = s->cables[0].path;
  assert_int_equal(s->cables[0].n_path, 6);
  assert_ptr_equal(p[0].kind, cps_item_find("to"));
  assert_vector(p[0].point, 1, 0.2, 0);
  assert_vector(p[0].direction, 0, 0, 0);
  assert_int_equal(p[0].drum, -1);
  assert_ptr_equal(p[1].kind, cps_item_find("along"));
  assert_vector(p[1].direction, 0, -1, 0);
  assert_near(p[1].length, 3);
  assert_vector(p[2].direction, 1, 0, 0);
  assert_true(p[2].length == 0);
  assert_ptr_equal(p[3].kind, cps_item_find("hang"));
  assert_near(p[3].length, 2);
  assert_int_equal(p[4].drum, 1);
  assert_int_equal(p[4].side, 1);
  assert_int_equal(p[5].drum, 0);
  assert_int_equal(p[5].side, -1);
  cps_scenario_free(s);
}

static void test_belt(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD
                          "drums: {a: {radius: 1}, b: {radius: 1, center: [5, 0]}}\n"
                          "cables: {belt: {" CABLE ", closed: true, tension: 500 N,\n"
                          "  path: [{around: a, turn: clockwise}, {around: b, turn: clockwise}],\n"
                          "  contact: {at: quadrature, drums: all, normal: linear, friction: coulomb}}}\n");
  const scenario_cable *c = s->cables;
  assert_true(c->closed);
  assert_near(c->tension, 500);
  assert_int_equal(c->n_path, 2);
  assert_int_equal(c->path[0].drum, 0);
  assert_int_equal(c->path[1].drum, 1);
  assert_int_equal(c->contact.quadrature, 2);
  assert_int_equal(c->contact.even, 0);
  assert_int_equal(c->contact.n_drums, -1);
  cps_scenario_free(s);
}

static void test_even_points(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "drums: {a: {radius: 1}, b: {radius: 1, center: [5, 0]}}\n"
                               "cables: {belt: {" CABLE ", closed: true,\n"
                               "  path: [{around: a, turn: clockwise}, {around: b, turn: clockwise}],\n"
                               "  contact: {at: {even: 2}, normal: linear, friction: coulomb}}}\n");
  assert_int_equal(s->cables->contact.quadrature, 2);
  assert_int_equal(s->cables->contact.even, 1);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ bodies at the ends */

static void test_bodies(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "bodies:\n"
                               "  hung: {mass: 1, held_until: 1 s}\n"
                               "  guided: {mass: 1, direction: [0, 1]}\n"
                               "  moving: {mass: 1, v: 1}\n"
                               "  lump: {mass: 1, position: [1, 2]}\n"
                               "  other: {mass: 1}\n"
                               "surfaces: {belt: {velocity: 1}}\n"
                               "cables:\n"
                               "  a: {" CABLE ", path: [guided, hang 1 m, hung]}\n"
                               "  b: {" CABLE ", path: [lump, hang 1 m, moving]}\n"
                               "springs: {k: {between: [hung, {ground: [0, 0]}], stiffness: 1, length: 1}}\n"
                               "loads: {push: {on: hung, force: 1, direction: [0, 1]}}\n"
                               "contacts: {c: {between: [other, belt], normal: 1, friction: coulomb}}\n");
  static const struct {
    body_kind kind;
    int placed;
  } expected[] = {{BODY_PLANE, 0}, {BODY_LINE, 1}, {BODY_LINE, 1},
                  {BODY_PLANE, 1}, {BODY_LINE, 1}, {BODY_SURFACE, 1}};
  for (int i = 0; i < ROWS(expected); i++) {
    assert_int_equal(s->bodies[i].kind, expected[i].kind);
    assert_int_equal(s->bodies[i].placed, expected[i].placed);
  }
  assert_false(s->springs[0].along_line);
  assert_near(s->bodies[0].held_until, 1);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ space */

static void test_space(void **state) {
  (void)state;
  static const char *const spatial[] = {
      "gravity: [0, 0, -9.81]\n",
      "bodies: {b: {mass: 1, position: [1, 2, 3]}}\n",
      "bodies: {b: {mass: 1, at: [1, 2, 0]}}\n",
      "drums: {d: {radius: 1, axis: [0, 1, 0]}}\n",
      "drums: {d: {radius: 1, axis: [0, 0, -1]}}\n",
      "drums: {d: {radius: 1, center: [0, 1, 2]}}\n",
      "drums: {d: {radius: 1, moved: {z: 1}}}\n",
  };
  char text[1000];
  for (int i = 0; i < ROWS(spatial); i++) {
    snprintf(text, sizeof text, HEAD "cables: {c: {" CABLE ", path: [{pinned: [0, 0]}, free]}}\n%s",
             spatial[i]);
    cps_scenario *s = parse(text);
    assert_int_equal(s->dim, 3);
    cps_scenario_free(s);
  }
  cps_scenario *s = parse(HEAD
                          "gravity: [1, 2, 3]\n"
                          "drums: {d: {radius: 1, center: [1, 2, 3], axis: [0, 3, 4]}}\n"
                          "bodies:\n"
                          "  a: {mass: 1, position: [1, 2, 3], velocity: [4, 5, 6]}\n"
                          "  b: {mass: 1, at: [7, 8, 9], direction: [0, 0, 2], x: 1}\n"
                          "  c: {mass: 1, position: [1, 2]}\n"
                          "springs:\n"
                          "  ab: {between: [{a: [1, 2, 3]}, {ground: [4, 5, 6]}], stiffness: 1, length: 1}\n"
                          "  line: {between: [b, {ground: [7, 8, 20]}], stiffness: 1}\n"
                          "  along: {between: [{b: 2 m}, a], stiffness: 1}\n"
                          "loads: {l: {on: a, force: 1, direction: [0, 3, 4]}}\n"
                          "cables:\n"
                          "  c: {" CABLE ", " CONTACT
                          ", path: [{clamped: {at: [1, 2, 3], direction: [0, 0, -2], moved: {z: 5}}},\n"
                          "    {over: d, pitch: 10 mm}, {to: [4, 5, 6]}, {along: [0, 0, 1], length: 1},\n"
                          "    {free: {at: [7, 8, 9], force: {z: 6}}}]}\n");
  assert_int_equal(s->dim, 3);
  assert_vector(s->gravity, 1, 2, 3);
  assert_vector(s->drums[0].center, 1, 2, 3);
  assert_vector(s->drums[0].axis, 0, 0.6, 0.8);
  assert_vector(s->bodies[0].x, 1, 2, 3);
  assert_vector(s->bodies[0].v, 4, 5, 6);
  assert_vector(s->bodies[1].origin, 7, 8, 9);
  assert_vector(s->bodies[1].direction, 0, 0, 1);
  assert_vector(s->bodies[2].x, 1, 2, 0);
  assert_vector(s->springs[0].end[0].offset, 1, 2, 3);
  assert_vector(s->springs[0].end[1].offset, 4, 5, 6);
  assert_false(s->springs[0].along_line);
  assert_true(s->springs[1].along_line);
  assert_vector(s->springs[1].axis, 0, 0, 1);
  assert_vector(s->springs[2].end[0].offset, 0, 0, 2);
  assert_vector(s->loads[0].direction, 0, 0.6, 0.8);
  const scenario_cable *c = s->cables;
  assert_vector(c->end[0].at, 1, 2, 3);
  assert_vector(c->end[0].direction, 0, 0, -1);
  assert_near(c->end[0].shift[2]->a[0], 5);
  assert_near(c->end[1].force[2]->a[0], 6);
  assert_vector(c->end[1].at, 7, 8, 9);
  assert_near(c->path[0].pitch, 0.01);
  assert_vector(c->path[1].point, 4, 5, 6);
  assert_vector(c->path[2].direction, 0, 0, 1);
  cps_scenario_free(s);
  /* A pitch alone makes a helix of it. */
  s = parse(HEAD "drums: {d: {radius: 1}}\n"
                 "cables: {c: {" CABLE ", " CONTACT
                 ", path: [free, {over: d, turns: 2, pitch: 1 cm}, free]}}\n");
  assert_int_equal(s->dim, 3);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ settings and repetition */

static void test_settings(void **state) {
  (void)state;
  static const char *const settings[] = {
      "cables.rope.contact.friction.mu=0.4",
      "cables.rope.contact.normal.stiffness=7 MN/m2",
      "cables.rope.path.1.hang=2 m",
      "cables.rope.path.2.under=q",
      "cables.rope.path.2={over: far, turns: 3}",
      "cables.rope.path.3.turns=5",
      "cables.rope.masses.1.mass=9",
      "cables.rope.mesh.size=1 m",
      "drums.p.bearing.friction=tanh",
      "drums.p.bearing.radius=1 cm",
      "drums.p.inertia=1",
      "drums.p.drive={pd: {kp: 1, setpoint: {sine: {amplitude: 1, omega: 1}}}}",
      "drums.p.drive.kp=5",
      "drums.p.drive.setpoint.omega=3",
      "cables.rope.damping.axial=8 N s",
      "run.fields=1 s",
      "cables.rope.contact.drums.0=p"};
  cps_scenario *s = parse_set(everything, settings, ROWS(settings));
  const scenario_cable *c = s->cables;
  assert_near(c->contact.p[0], 0.4);
  assert_near(c->contact.normal_p[0], 7e6);
  assert_near(c->path[0].length, 2);
  assert_int_equal(c->path[1].drum, 2);
  assert_int_equal(c->path[1].turns, 3);
  assert_int_equal(c->path[2].turns, 5);
  assert_near(c->masses[1].mass, 9);
  assert_near(c->size, 1);
  assert_string_equal(s->drums[0].bearing->name, "tanh");
  assert_near(s->drums[0].kp, 5);
  assert_near(s->drums[0].motion->a[1], 3);
  assert_near(c->axial_damping, 8);
  assert_near(s->run.fields, 1);
  assert_int_equal(c->contact.drums[0], 0);
  cps_scenario_free(s);
  /* Text becomes a map, to which more can be added; a part that is not there yet is made. */
  static const char *const more[] = {"cables.c.path.1.turns=2", "cables.c.damping.rayleigh=3",
                                     "cables.c.contact.normal.damping=4"};
  s = parse_set(HEAD "drums: {d: {radius: 1}}\ncables: {c: {" CABLE ", " CONTACT
                     ", path: [free, over d, free]}}\n",
                more, ROWS(more));
  assert_int_equal(s->cables[0].path[0].turns, 2);
  assert_near(s->cables[0].rayleigh, 3);
  assert_near(s->cables[0].contact.normal_p[1], 4);
  cps_scenario_free(s);
}

static void test_repeat(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "repeat:\n"
                               "  - count: 3\n"
                               "    bodies: {\"load{i}\": {mass: \"{i} kg\"}}\n"
                               "    drums: {\"d{i}\": {radius: \"{i*0.1} m\", center: [\"{i}\", 0]}}\n"
                               "    cables: {\"c{i}\": {" CABLE ", " CONTACT
                               ", path: [{pinned: [\"{i-0.5}\", 0]}, \"over d{i}\",\n"
                               "      \"hang {i} m\", \"load{i}\"]}}\n"
                               "drums: {last: {radius: 9}}\n");
  assert_int_equal(s->n_drums, 4);
  assert_int_equal(s->n_cables, 3);
  for (int i = 0; i < 3; i++) {
    const scenario_cable *c = &s->cables[i];
    assert_near(s->drums[i].radius, (i + 1) * 0.1);
    assert_int_equal(c->path[0].drum, i);
    assert_near(c->path[1].length, i + 1);
    assert_int_equal(c->end[1].body, i);
    assert_near(c->end[0].at[0], i + 0.5);
    assert_int_equal(s->bodies[i].placed, 0);
  }
  cps_scenario_free(s);
}

/* A cable scenario that starts from another file. */
static void test_include(void **state) {
  (void)state;
  char path[1200];
  const char *root = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "%s/test/scenario_good/cable.yaml", root ? root : ".");
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_load(path, NULL, 0, &problems);
  assert_null(problems);
  assert_non_null(s);
  assert_int_equal(s->n_drums, 1);
  assert_int_equal(s->n_cables, 1);
  /* Key by key: the including file wins. */
  assert_near(s->cables[0].ea, 2e6);
  assert_near(s->cables[0].rho, 1);
  assert_int_equal(s->cables[0].elements, 20);
  assert_near(s->drums[0].radius, 0.5);
  assert_near(s->drums[0].center[1], 3);
  cps_scenario_free(s);
}

/* Every friction law and every law of normal contact can be used, at nodes and at Gauss points. */
static void test_laws(void **state) {
  (void)state;
  char text[1000];
  for (int i = 0; i < cps_law_count(); i++) {
    for (int k = 0; k < cps_normal_count(); k++) {
      snprintf(text, sizeof text,
               HEAD "drums: {d: {radius: 1}}\ncables: {c: {" CABLE ", path: [free, over d, free],\n"
                    "  contact: {at: %s, normal: {%s: }, friction: {%s: {}}}}}\n",
               k ? "nodes" : "{quadrature: 1}", cps_normal_at(k)->name, cps_law_at(i)->name);
      cps_scenario *s = parse(text);
      const cable_contact *t = &s->cables[0].contact;
      assert_ptr_equal(t->law, cps_law_at(i));
      assert_ptr_equal(t->normal, cps_normal_at(k));
      assert_int_equal(t->quadrature, !k);
      for (int j = k ? 0 : 1; j < t->normal->n_params; j++)
        assert_near(t->normal_p[j], t->normal->params[j].value);
      if (!k) assert_near(t->normal_p[0], 1e-3 * s->cables[0].ea / pow(1e-3, 1.5)); /* per length */
      cps_scenario_free(s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drums),    cmocka_unit_test(test_carriers),    cmocka_unit_test(test_everything),
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_round),       cmocka_unit_test(test_ends),
      cmocka_unit_test(test_items),    cmocka_unit_test(test_even_points), cmocka_unit_test(test_belt),
      cmocka_unit_test(test_bodies),   cmocka_unit_test(test_space),       cmocka_unit_test(test_settings),
      cmocka_unit_test(test_repeat),   cmocka_unit_test(test_include),     cmocka_unit_test(test_laws),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
