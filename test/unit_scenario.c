/* unit_scenario.c - what good scenarios mean: every field of the plain data. */
#include "test.h"

#include "scenario.h"

#include <dirent.h>

/* ------------------------------------------------------------------ helpers */

static void fail_problems(cps_problems *problems) {
  char text[2048] = "no problems";
  for (int i = 0; i < cps_problems_count(problems); i++) {
    cps_problem_text(cps_problems_at(problems, i), text, sizeof text);
    print_error("%s\n", text);
  }
  cps_problems_free(problems);
  fail_msg("a good scenario was refused");
}

static cps_scenario *parse_set(const char *text, const char *const *settings, int n) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "made.yaml", settings, n, &problems);
  if (!s) fail_problems(problems);
  assert_null(problems);
  return s;
}

static cps_scenario *parse(const char *text) { return parse_set(text, NULL, 0); }

static cps_scenario *load(const char *name) {
  char path[1200];
  const char *root = getenv("SOURCE_DIR");
  cps_problems *problems = NULL;
  snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
  cps_scenario *s = cps_scenario_load(path, NULL, 0, &problems);
  if (!s) fail_problems(problems);
  return s;
}

static const scenario_body *body(const cps_scenario *s, const char *name) {
  for (int i = 0; i < s->n_bodies; i++)
    if (strcmp(s->bodies[i].name, name) == 0) return &s->bodies[i];
  fail_msg("there is no body %s", name);
  return NULL;
}

#define HEAD "capstan: 1\nrun: {until: 1 s}\n"

static void assert_near(double a, double b) {
  if (!(fabs(a - b) <= 1e-14 * (fabs(a) + fabs(b)))) fail_msg("%.17g, not %.17g", a, b);
}

/* ------------------------------------------------------------------ everything */

static const char whole[] =
    "capstan: 1\n"
    "title: Everything\n"
    "gravity: 1.62 m/s2\n"
    "profiles:\n"
    "  push: {sine: {amplitude: 1 N, omega: 0.5 rad/s}}\n"
    "bodies:\n"
    "  block: {mass: 1500 g, x: 2.75 m, v: 36 km/h, held_until: 1 min, at: [1 cm, 2], direction: [3, 4]}\n"
    "  lump:  {mass: 10 kg, position: [0.75 m, -1.3 m], velocity: [1, 2 m/s]}\n"
    "surfaces:\n"
    "  belt: {velocity: 1 m/s, at: [0, 1], direction: [-3, -4]}\n"
    "  table: {position: push2}\n"
    "springs:\n"
    "  k: {between: [block, ground], stiffness: 10 N/m, damping: 0.5 N s/m, length: 10 mm}\n"
    "  rope: {between: [{lump: [1 mm, 2 mm]}, {ground: [3, 4]}], stiffness: 1, tension_only: true}\n"
    "contacts:\n"
    "  c: {between: [block, belt], normal: 5 N, friction: {coulomb: {mu: 25 %}}}\n"
    "  d: {between: [block, ground], normal: weight, friction: lugre, state: {z: 1 um}}\n"
    "  e: {between: [block, ground], normal: load, friction: {lugre: }}\n"
    "loads:\n"
    "  pull: {on: block, force: push}\n"
    "  drop: {on: lump, force: 3 N, direction: [0, -2]}\n"
    "run: {until: 10 s, from: 1 s, solver: alpha, step: 10 ms, output: 20 ms, tolerance: 1e-6,\n"
    "  absolute_tolerance: 1e-9, rho: 0.5, max_steps: 1e6}\n";

static void check_bodies(const cps_scenario *s) {
  assert_int_equal(s->n_bodies, 4);
  const scenario_body *b = &s->bodies[0];
  assert_string_equal(b->name, "block");
  assert_int_equal(b->kind, BODY_LINE);
  assert_near(b->mass, 1.5);
  assert_near(b->x[0], 2.75);
  assert_near(b->v[0], 10);
  assert_near(b->held_until, 60);
  assert_near(b->origin[0], 0.01);
  assert_near(b->origin[1], 2);
  assert_near(b->direction[0], 0.6);
  assert_near(b->direction[1], 0.8);
  assert_int_equal(b->line, 7);
  b = &s->bodies[1];
  assert_string_equal(b->name, "lump");
  assert_int_equal(b->kind, BODY_PLANE);
  assert_near(b->x[0], 0.75);
  assert_near(b->x[1], -1.3);
  assert_near(b->v[0], 1);
  assert_near(b->v[1], 2);
  assert_true(b->held_until == -INFINITY);
  b = &s->bodies[2];
  assert_string_equal(b->name, "belt");
  assert_int_equal(b->kind, BODY_SURFACE);
  assert_true(b->motion_is_velocity);
  assert_near(b->motion->a[0], 1);
  assert_near(b->direction[0], -0.6);
  b = &s->bodies[3];
  assert_false(b->motion_is_velocity);
  assert_int_equal(b->motion->kind, PROFILE_SINE);
  assert_near(b->motion->a[0], 0.01);
}

static void check_springs(const cps_scenario *s) {
  assert_int_equal(s->n_springs, 2);
  const scenario_spring *g = &s->springs[0];
  assert_string_equal(g->name, "k");
  assert_int_equal(g->end[0].body, 0);
  assert_int_equal(g->end[1].body, GROUND);
  assert_near(g->stiffness, 10);
  assert_near(g->damping, 0.5);
  assert_near(g->length, 0.01);
  assert_false(g->tension_only);
  assert_true(g->along_line);
  /* From the block, which is on the positive side, towards ground. */
  assert_near(g->axis[0], -0.6);
  assert_near(g->axis[1], -0.8);
  g = &s->springs[1];
  assert_int_equal(g->end[0].body, 1);
  assert_near(g->end[0].offset[0], 1e-3);
  assert_near(g->end[0].offset[1], 2e-3);
  assert_int_equal(g->end[1].body, GROUND);
  assert_near(g->end[1].offset[1], 4);
  assert_true(g->tension_only);
  assert_false(g->along_line);
}

static void check_contacts(const cps_scenario *s) {
  assert_int_equal(s->n_contacts, 3);
  const scenario_contact *c = &s->contacts[0];
  assert_int_equal(c->body[0], 0);
  assert_int_equal(c->body[1], 2);
  assert_int_equal(c->normal, NORMAL_GIVEN);
  assert_near(c->given->a[0], 5);
  assert_string_equal(c->law->name, "coulomb");
  assert_near(c->p[0], 0.25);
  c = &s->contacts[1];
  assert_int_equal(c->body[1], GROUND);
  assert_int_equal(c->normal, NORMAL_WEIGHT);
  assert_null(c->given);
  assert_near(c->weight, 1.5 * 1.62);
  assert_string_equal(c->law->name, "lugre");
  assert_near(c->p[0], c->law->params[0].value);
  assert_near(c->z[0], 1e-6);
  assert_int_equal(s->contacts[2].normal, NORMAL_LOAD);
  assert_near(s->contacts[2].weight, 1.5 * 1.62);
}

static void check_loads_and_run(const cps_scenario *s) {
  assert_int_equal(s->n_loads, 2);
  assert_int_equal(s->loads[0].body, 0);
  assert_near(s->loads[0].direction[0], 0.6);
  assert_int_equal(s->loads[0].force->kind, PROFILE_SINE);
  assert_near(s->loads[0].force->a[1], 0.5);
  assert_int_equal(s->loads[1].body, 1);
  assert_near(s->loads[1].direction[1], -1);
  assert_near(s->loads[1].force->a[0], 3);
  const scenario_run *r = &s->run;
  assert_near(r->from, 1);
  assert_near(r->until, 10);
  assert_near(r->step, 0.01);
  assert_near(r->output, 0.02);
  assert_near(r->tolerance, 1e-6);
  assert_near(r->tolerance_abs, 1e-9);
  assert_near(r->rho, 0.5);
  assert_near(r->max_steps, 1e6);
  assert_string_equal(r->solver, "alpha");
}

static void test_everything(void **state) {
  (void)state;
  /* Two uses of one profile in different units need two of them. */
  char text[sizeof whole + 100];
  snprintf(text, sizeof text, "%s", whole);
  char *at = strstr(text, "bodies:");
  const char more[] = "  push2: {sine: {amplitude: 10 mm, omega: 2}}\n";
  memmove(at + sizeof more - 1, at, strlen(at) + 1);
  memcpy(at, more, sizeof more - 1);
  /* One line more before the bodies: the places move, so undo it by dropping the title. */
  char *title = strstr(text, "title:"), *end = strchr(title, '\n') + 1;
  memmove(title, end, strlen(end) + 1);
  cps_scenario *s = parse(text);
  assert_string_equal(cps_scenario_title(s), "");
  assert_near(s->gravity[1], -1.62);
  assert_true(s->gravity[0] == 0);
  check_bodies(s);
  check_springs(s);
  check_contacts(s);
  check_loads_and_run(s);
  assert_string_equal(s->file, "made.yaml");
  assert_int_equal(s->length, strlen(text));
  assert_string_equal(s->text, text);
  cps_scenario_free(s);
}

static void test_defaults(void **state) {
  (void)state;
  cps_scenario *s = parse("capstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 2}\n");
  const scenario_body *b = &s->bodies[0];
  assert_near(s->gravity[1], -9.81);
  assert_true(b->x[0] == 0 && b->v[0] == 0 && b->origin[0] == 0 && b->origin[1] == 0);
  assert_true(b->direction[0] == 1 && b->direction[1] == 0);
  assert_true(s->run.from == 0 && s->run.step == 0 && s->run.output == 0);
  assert_true(s->run.tolerance == 1e-8 && s->run.tolerance_abs == 1e-10 && s->run.rho == 0.8);
  assert_true(s->run.max_steps == 1e8);
  assert_string_equal(s->run.solver, "events");
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ quantities */

static void test_quantities(void **state) {
  (void)state;
  static const struct {
    const char *text, *unit;
    double value;
  } good[] = {
      {"9.2 MN", "N", 9.2e6},
      {"10 mm", "m", 0.01},
      {"45 deg", "rad", 0.785398163397448309616},
      {"0.7 N m2", "N m2", 0.7},
      {"0.5 rad/s", "rad/s", 0.5},
      {"3 N s/m", "N s/m", 3},
      {"0.25", "1", 0.25},
      {"5 %", "1", 0.05},
      {"1e3", "kg", 1000},
      {"-2.5e-3 m", "m", -0.0025},
      {"60 rpm", "rad/s", 6.28318530717958647692},
      {"2 1/s", "rad/s", 2},
      {"10mm", "m", 0.01},
      {"  3  kN ", "N", 3000},
      {"1 lbf", "N", 4.4482216152605},
      {"5 µm", "m", 5e-6},
      {"2 N·s/m", "N s/m", 2},
      {"9.81 m/s^2", "m/s2", 9.81},
      {".5 s", "s", 0.5},
      {"5. s", "s", 5},
      {"+1 s", "s", 1},
      {"31.25 g", "kg", 0.03125},
      {"9 mm", "m", 0.009},
      {"0.1 mm", "m", 0.0001},
      {"1 N", "N/m^exponent", NAN},
      {"5e6", "N/m^exponent", 5e6},
      {"1 rev", "rad", 6.28318530717958647692},
      {"123456789012345678901234567890", "1", 123456789012345678901234567890.0},
      {"1e-320", "1", 1e-320},
      {"0.1234567890123456789", "1", 0.1234567890123456789},
      {"1e400", "1", NAN},
      {"1 s", "Hz", NAN},
      {"1 Hz", "rad/s", NAN},
      {"1 rad/s", "Hz", NAN},
      {"5 degC", "m", NAN},
      {"1 K", "1", NAN},
      {"3 m 2", "m", NAN},
      {"1 2", "1", NAN},
      {"1.2.3", "1", NAN},
      {"0x10", "1", NAN},
      {"", "1", NAN},
      {"m", "m", NAN},
      {".nan", "1", NAN},
      {"inf", "1", NAN},
      {"1 m @ 5", "m", NAN},
      {"1 s since 1990-01-01", "s", NAN},
      {"1 lg(re 1 m)", "m", NAN},
      {"1 m^123", "m", NAN},
      {"1 parsnip", "m", NAN},
  };
  for (int i = 0; i < ROWS(good); i++) {
    double x = NAN;
    cps_error err = {0};
    cps_status status = cps_quantity_parse(good[i].text, good[i].unit, &x, &err);
    if (isnan(good[i].value)) {
      if (status != CPS_BAD_INPUT || !err.text[0])
        fail_msg("\"%s\" was taken for %g %s", good[i].text, x, good[i].unit);
    } else if (status != CPS_OK || !(fabs(x - good[i].value) <= 4e-16 * fabs(good[i].value))) {
      fail_msg("\"%s\" is %.17g, not %.17g: %s", good[i].text, x, good[i].value, err.text);
    }
  }
  /* Decimal fractions of units are the same number as written in SI. */
  double a, b;
  assert_int_equal(cps_quantity_parse("123.4 mm", "m", &a, NULL), CPS_OK);
  assert_int_equal(cps_quantity_parse("0.1234 m", "m", &b, NULL), CPS_OK);
  assert_true(a == b);
}

/* ------------------------------------------------------------------ repetition */

static void test_repeat(void **state) {
  (void)state;
  cps_scenario *s = parse("capstan: 1\n"
                          "repeat:\n"
                          "  - count: 3\n"
                          "    from: 2\n"
                          "    index: k\n"
                          "    profiles: {\"p{k}\": {sine: {amplitude: \"{k} N\", omega: \"{k*2}\"}}}\n"
                          "    bodies:\n"
                          "      b{k}: {mass: \"{1/k} kg\", x: \"{(k-2)*0.5}\", v: \"{-k + 1} m/s\"}\n"
                          "    springs: {\"s{k}\": {between: [\"b{k}\", \"b{k + 1}\"], stiffness: 32}}\n"
                          "    loads: {\"l{k}\": {on: \"b{k}\", force: \"p{k}\"}}\n"
                          "bodies: {b5: {mass: 7}}\n"
                          "springs: {wall: {between: [b5, ground], stiffness: 64}}\n"
                          "run: {until: 1}\n");
  assert_int_equal(s->n_bodies, 4);
  assert_int_equal(s->n_springs, 4);
  /* In file order: the copies come first, since `repeat` does. */
  assert_string_equal(s->bodies[0].name, "b2");
  assert_string_equal(s->bodies[3].name, "b5");
  assert_string_equal(s->springs[3].name, "wall");
  for (int i = 0; i < 3; i++) {
    int k = i + 2;
    assert_near(s->bodies[i].mass, 1.0 / k);
    assert_near(s->bodies[i].x[0], i * 0.5);
    assert_near(s->bodies[i].v[0], 1 - k);
    assert_int_equal(s->springs[i].end[0].body, i);
    assert_int_equal(s->springs[i].end[1].body, i + 1);
    assert_near(s->loads[i].force->a[0], k);
    assert_near(s->loads[i].force->a[1], 2 * k);
    assert_int_equal(s->bodies[i].line, 8);
  }
  cps_scenario_free(s);
  s = parse("capstan: 1\nbodies: {first: {mass: 1}}\nrepeat: [{count: 2, bodies: {\"b{i}\": {mass: "
            "1}}}]\nrun: {until: 1}\n");
  assert_string_equal(s->bodies[0].name, "first");
  assert_string_equal(s->bodies[2].name, "b2");
  cps_scenario_free(s);
}

static void test_anchors(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD
                          "bodies:\n"
                          "  a: &a {mass: 1 kg, x: 1}\n"
                          "  b: &b {<<: *a, x: 2}\n"
                          "  c: {x: 3, <<: [*b, {mass: 9, v: 4}]}\n"
                          "contacts:\n"
                          "  c1: {between: [a, ground], normal: 1, friction: &law {coulomb: {mu: 0.7}}}\n"
                          "  c2: {between: [b, ground], normal: 1, friction: *law}\n");
  assert_near(body(s, "b")->mass, 1);
  assert_near(body(s, "b")->x[0], 2);
  assert_near(body(s, "c")->mass, 1);
  assert_near(body(s, "c")->x[0], 3);
  assert_near(body(s, "c")->v[0], 4);
  assert_near(s->contacts[1].p[0], 0.7);
  cps_scenario_free(s);
}

static void test_includes(void **state) {
  (void)state;
  cps_scenario *s = load("test/scenario_good/include.yaml");
  assert_string_equal(cps_scenario_title(s), "Includes");
  assert_near(s->gravity[1], -1.62);
  assert_near(body(s, "block")->mass, 3);
  assert_near(body(s, "block")->x[0], 1);
  assert_near(body(s, "other")->mass, 2);
  assert_near(body(s, "third")->mass, 4);
  assert_near(body(s, "a2")->mass, 1);
  assert_near(body(s, "c1")->mass, 1);
  assert_near(s->run.until, 2);
  assert_near(s->run.step, 1e-3);
  assert_int_equal(s->n_loads, 2);
  const profile *p = s->loads[0].force;
  assert_int_equal(p->kind, PROFILE_TABLE);
  assert_int_equal(p->n, 3);
  assert_near(p->x[1], 0.5);
  assert_near(p->y[0], 1.5);
  assert_near(p->y[2], -3);
  assert_near(s->loads[1].force->y[1], -10);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ springs, weights, solvers */

static void test_spring_kinds(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD "bodies: {a: {mass: 1, x: 1}, b: {mass: 1, x: 3, at: [0, 0.1]}, up: {mass: 1, "
                               "direction: [0, 1], x: 1}}\n"
                               "springs:\n"
                               "  ab: {between: [a, b], stiffness: 1, length: 1}\n"
                               "  ba: {between: [b, a], stiffness: 1, length: 1}\n"
                               "  point: {between: [a, {ground: 5 m}], stiffness: 1}\n"
                               "  beside: {between: [a, {ground: [5, 1]}], stiffness: 1}\n"
                               "  forced: {between: [a, {ground: [5, 1]}], stiffness: 1, kind: line}\n"
                               "  rope: {between: [a, b], stiffness: 1, tension_only: true}\n"
                               "  strap: {between: [a, b], stiffness: 1, tension_only: true, kind: line}\n"
                               "  across: {between: [a, up], stiffness: 1}\n"
                               "  along: {between: [{up: 20 cm}, ground], damping: 1}\n");
  static const struct {
    int along_line;
    double axis[2];
  } expected[] = {{1, {1, 0}}, {1, {-1, 0}}, {1, {1, 0}}, {0, {0, 0}}, {1, {1, 0}},
                  {0, {0, 0}}, {1, {1, 0}},  {0, {0, 0}}, {1, {0, -1}}};
  for (int i = 0; i < ROWS(expected); i++) {
    const scenario_spring *g = &s->springs[i];
    if (g->along_line != expected[i].along_line || g->axis[0] != expected[i].axis[0] ||
        g->axis[1] != expected[i].axis[1])
      fail_msg("spring %s: %d [%g, %g]", g->name, g->along_line, g->axis[0], g->axis[1]);
  }
  assert_near(s->springs[2].end[1].offset[0], 5);
  assert_near(s->springs[8].end[0].offset[1], 0.2);
  cps_scenario_free(s);
}

/* A tower: each contact carries what is above it; a given normal force carries nothing. */
static void test_weights(void **state) {
  (void)state;
  cps_scenario *s = parse(HEAD
                          "gravity: [0, -10]\n"
                          "bodies: {a: {mass: 1}, b: {mass: 2}, c: {mass: 4}, d: {mass: 8}, e: {mass: 16}}\n"
                          "contacts:\n"
                          "  ab: {between: [a, b], normal: weight, friction: coulomb}\n"
                          "  cg: {between: [c, ground], normal: weight, friction: coulomb}\n"
                          "  bc: {between: [b, c], normal: load, friction: coulomb}\n"
                          "  bc2: {between: [b, c], normal: weight, friction: coulomb}\n"
                          "  dc: {between: [d, c], normal: weight, friction: coulomb}\n"
                          "  ec: {between: [e, c], normal: 1 N, friction: coulomb}\n");
  static const double expected[] = {10, 150, 30, 30, 80, 0};
  for (int i = 0; i < ROWS(expected); i++) assert_near(s->contacts[i].weight, expected[i]);
  cps_scenario_free(s);
}

static void test_default_solver(void **state) {
  (void)state;
  cps_scenario *s = parse(
      HEAD "bodies: {a: {mass: 1}}\ncontacts:\n  c: {between: [a, ground], normal: 1, friction: coulomb}\n");
  assert_string_equal(s->run.solver, "events");
  cps_scenario_free(s);
  s = parse(HEAD
            "bodies: {a: {mass: 1}}\ncontacts:\n  c: {between: [a, ground], normal: 1, friction: coulomb}\n"
            "  d: {between: [a, ground], normal: 1, friction: tanh}\n");
  assert_string_equal(s->run.solver, "events"); /* nothing else follows the first one's jumps */
  cps_scenario_free(s);
  s = parse(HEAD
            "bodies: {a: {mass: 1}}\ncontacts:\n  c: {between: [a, ground], normal: 1, friction: quinn}\n"
            "  d: {between: [a, ground], normal: 1, friction: tanh}\n");
  assert_string_equal(s->run.solver, "bdf");
  cps_scenario_free(s);
}

/* Every law can be written down, by each of its names, with each of its parameters and states. */
static void test_every_law(void **state) {
  (void)state;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    char text[4000], names[300];
    snprintf(names, sizeof names, "%s %s", law->name, law->aliases ? law->aliases : "");
    for (const char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
      int n = snprintf(
          text, sizeof text,
          HEAD "bodies: {a: {mass: 1}}\ncontacts:\n  c: {between: [a, ground], normal: 1, friction: {%s: {",
          name);
      for (int k = 0; k < law->n_params; k++) {
        const cps_param *p = &law->params[k];
        int plain = strcmp(p->unit, "1") == 0 || strstr(p->unit, "^exponent");
        n += snprintf(text + n, sizeof text - (size_t)n, "%s: %.17g %s, ", p->name, p->value,
                      plain ? "" : p->unit);
      }
      n += snprintf(text + n, sizeof text - (size_t)n, "}}, state: {");
      for (int k = 0; k < law->n_states; k++) {
        const cps_state *z = &law->states[k];
        n += snprintf(text + n, sizeof text - (size_t)n, "%s: %d %s, ", z->name, k + 1,
                      strcmp(z->unit, "1") == 0 ? "" : z->unit);
      }
      snprintf(text + n, sizeof text - (size_t)n, "}}\n");
      cps_scenario *s = parse(text);
      assert_ptr_equal(s->contacts[0].law, law);
      for (int k = 0; k < law->n_params; k++) assert_near(s->contacts[0].p[k], law->params[k].value);
      for (int k = 0; k < law->n_states; k++) assert_near(s->contacts[0].z[k], k + 1);
      cps_scenario_free(s);
    }
  }
}

/* ------------------------------------------------------------------ settings and hash */

static void test_settings(void **state) {
  (void)state;
  static const char text[] = HEAD
      "bodies: {a: &a {mass: 1}, b: *a}\n"
      "repeat: [{count: 2, bodies: {\"r{i}\": {mass: 1}}}]\n"
      "contacts:\n  c: {between: [a, ground], normal: 1, friction: coulomb}\n"
      "  d: {between: [b, ground], normal: 1, friction: {coulomb: {mu: 0.1}}}\n"
      "loads: {f: {on: a, force: {sum: [1 N, {sine: {amplitude: 1 N, omega: 2}}]}}}\n";
  static const char *const settings[] = {"bodies.a.mass=2 kg",
                                         "run.until=5 s",
                                         "run.solver=rk4",
                                         "contacts.c.friction.mu=0.3",
                                         "contacts.d.friction.coulomb.mu=0.4",
                                         "gravity=[0, -1]",
                                         "gravity.1=-2",
                                         "bodies.r3.x=4",
                                         "repeat.0.count=3",
                                         "loads.f.force.sum.1.sine.amplitude=7 N",
                                         "loads.f.force.1.omega=8",
                                         "loads.g={on: b, force: 5 N}",
                                         "title=a=b",
                                         "contacts.d.normal=weight"};
  cps_scenario *s = parse_set(text, settings, ROWS(settings));
  assert_near(body(s, "a")->mass, 2);
  /* What an alias shares is not changed elsewhere. */
  assert_near(body(s, "b")->mass, 1);
  assert_near(s->run.until, 5);
  assert_string_equal(s->run.solver, "rk4");
  assert_near(s->contacts[0].p[0], 0.3);
  assert_near(s->contacts[1].p[0], 0.4);
  assert_near(s->gravity[1], -2);
  assert_near(body(s, "r3")->x[0], 4);
  assert_near(s->loads[0].force->child[1]->a[0], 7);
  assert_near(s->loads[0].force->child[1]->a[1], 8);
  assert_near(s->loads[1].force->a[0], 5);
  assert_string_equal(cps_scenario_title(s), "a=b");
  assert_int_equal(s->contacts[1].normal, NORMAL_WEIGHT);
  cps_scenario_free(s);
}

static void test_hash(void **state) {
  (void)state;
  /* sha256sum of the text. */
  static const char text[] = "capstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 1}\n";
  cps_scenario *s = parse(text);
  assert_string_equal(cps_scenario_hash(s),
                      "4455421fa1e9a05d40801e56a52199f3284b42571aa2b38f8a9ea2466d73d47e");
  static const char *const one[] = {"run.until=1"}, *const other[] = {"run.until=2"};
  cps_scenario *a = parse_set(text, one, 1), *b = parse_set(text, other, 1);
  assert_string_not_equal(cps_scenario_hash(a), cps_scenario_hash(s));
  assert_string_not_equal(cps_scenario_hash(a), cps_scenario_hash(b));
  cps_scenario_free(a);
  cps_scenario_free(b);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ forms of text */

static void test_forms(void **state) {
  (void)state;
  static const char *const forms[] = {
      "capstan: 1\r\nbodies: {b: {mass: 1}}\r\nrun: {until: 1}\r\n",
      "\xef\xbb\xbf"
      "capstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 1}",
      "---\ncapstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 1}\n...\n",
      "{\"capstan\": 1, \"bodies\": {\"b\": {\"mass\": \"1 kg\"}}, \"run\": {\"until\": 1}}",
      "capstan: 1 # version\nbodies: {\n  b: {mass: 1}\n}\nrun:\n    until: 1",
      "capstan: 1\ntitle: |\n  two\n  lines\nbodies: {b: {mass: '1 kg'}}\nrun: {until: 1}\n",
      "capstan: 1\ntitle: 'it''s'\nbodies: {b: {mass: 1}}\nsprings:\nloads: ~\nprofiles: {}\nrun: {until: "
      "1}\n",
      "capstan: 1\ntitle: Größe\nbodies: {größe: {mass: 1}}\nrun: {until: 1}\n",
  };
  for (int i = 0; i < ROWS(forms); i++) {
    cps_scenario *s = parse(forms[i]);
    assert_int_equal(s->n_bodies, 1);
    assert_near(s->bodies[0].mass, 1);
    cps_scenario_free(s);
  }
  cps_scenario *s = parse(forms[6]);
  assert_string_equal(cps_scenario_title(s), "it's");
  cps_scenario_free(s);
}

/* 10 MB are no problem. */
static void test_large(void **state) {
  (void)state;
  enum { BODIES = 230000 };
  size_t room = 64 * (size_t)BODIES, n = 0;
  char *text = malloc(room);
  assert_non_null(text);
  n += (size_t)snprintf(text, room, HEAD "bodies:\n");
  for (int i = 0; i < BODIES; i++)
    n += (size_t)snprintf(text + n, room - n, "  b%d: {mass: 1 kg, x: %d mm, v: 0 m/s}\n", i, i);
  assert_true(n > 10000000);
  cps_scenario *s = parse(text);
  assert_int_equal(s->n_bodies, BODIES);
  assert_near(s->bodies[BODIES - 1].x[0], (BODIES - 1) / 1000.0);
  assert_int_equal(s->bodies[BODIES - 1].line, BODIES + 3);
  cps_scenario_free(s);
  free(text);
}

/* ------------------------------------------------------------------ what we show is right */

/* Every ```yaml block of a Markdown text is a good scenario. */
static int check_blocks(const char *text) {
  static const char fence[] = "```yaml\n";
  int n = 0;
  for (const char *s = strstr(text, fence); s; s = strstr(s, fence), n++) {
    s += sizeof fence - 1;
    const char *end = strstr(s, "```");
    assert_non_null(end);
    cps_problems *problems = NULL;
    cps_scenario *scenario = cps_scenario_parse(s, (size_t)(end - s), "block.yaml", NULL, 0, &problems);
    if (!scenario) fail_problems(problems);
    cps_scenario_free(scenario);
    s = end;
  }
  return n;
}

static void test_reference(void **state) {
  (void)state;
  char *text = cps_scenario_reference();
  assert_non_null(text);
  assert_true(check_blocks(text) >= 2);
  free(text);
  text = cps_scenario_schema();
  assert_non_null(text);
  assert_true(text[0] == '{');
  free(text);
}

/* Whether a file is a study: one of its first lines says so. */
static int is_study(const char *name) {
  char line[256];
  int found = 0;
  FILE *f = fopen(name, "r");
  while (f && !found && fgets(line, sizeof line, f)) found = strncmp(line, "study: 1", 8) == 0;
  if (f) fclose(f);
  return found;
}

/* Every file of scenarios/ is good. */
static int check_folder(const char *path) {
  int n = 0;
  DIR *dir = opendir(path);
  if (!dir) return 0;
  for (struct dirent *e; (e = readdir(dir));) {
    char name[2048];
    size_t length = strlen(e->d_name);
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (length > 5 && strcmp(e->d_name + length - 5, ".yaml") == 0) {
      cps_problems *problems = NULL;
      cps_study *study = is_study(name) ? cps_study_load(name, &problems) : NULL;
      cps_scenario *s = is_study(name) ? NULL : cps_scenario_load(name, NULL, 0, &problems);
      if (!s && !study) fail_problems(problems);
      cps_study_free(study);
      cps_scenario_free(s);
      n++;
    } else {
      n += check_folder(name);
    }
  }
  closedir(dir);
  return n;
}

static void test_scenarios(void **state) {
  (void)state;
  char path[1200];
  const char *root = getenv("SOURCE_DIR");
  snprintf(path, sizeof path, "%s/scenarios", root ? root : ".");
  print_message("%d files in scenarios/\n", check_folder(path));
}

/* ------------------------------------------------------------------ other numbers */

static void assert_same_quantities(const cps_scenario *a, const cps_scenario *b) {
  cps_quantity *x, *y;
  int n, m;
  assert_int_equal(cps_scenario_quantities(a, &x, &n, NULL), CPS_OK);
  assert_int_equal(cps_scenario_quantities(b, &y, &m, NULL), CPS_OK);
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) {
    assert_string_equal(x[i].path, y[i].path);
    if (memcmp(&x[i].value, &y[i].value, sizeof x[i].value) != 0)
      fail_msg("%s: %.17g and %.17g", x[i].path, x[i].value, y[i].value);
  }
  free(x);
  free(y);
}

/* Other numbers put into the tree that is there give what reading all files with settings gives, hash included. */
static void test_other_numbers(void **state) {
  (void)state;
  enum { FILES = 5 };
  static const struct {
    const char *file, *path;
  } rows[FILES] = {{"test/scenario_good/include.yaml", "bodies.block.mass"},
                   {"test/scenario_good/include.yaml", "bodies.a2.mass"},
                   {"test/scenario_good/include.yaml", "run.until"},
                   {"scenarios/westin/pulley.yaml", "drums.pulley.drive.pd.setpoint.amplitude"},
                   {"scenarios/westin/pulley.yaml", "cables.rope.contact.friction.mu"}};
  const char *root = getenv("SOURCE_DIR");
  for (int i = 0; i < FILES; i++) {
    char path[1200], text[200], more[200];
    const char *settings[] = {text, more}, *paths[] = {rows[i].path, "run.step"};
    double values[] = {0.75, 0.25};
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", rows[i].file);
    snprintf(text, sizeof text, "%s=0.75", rows[i].path);
    snprintf(more, sizeof more, "run.step=0.25");
    cps_problems *problems = NULL;
    cps_scenario *base = load(rows[i].file), *fresh = cps_scenario_load(path, settings, 2, &problems);
    if (!fresh) fail_problems(problems);
    cps_scenario *first = cps_scenario_with(base, paths, values, 1, NULL);
    cps_scenario_free(base); /* what came from it stays */
    cps_scenario *both = cps_scenario_with(first, paths + 1, values + 1, 1, NULL);
    cps_scenario_free(first);
    assert_non_null(both);
    assert_string_equal(cps_scenario_hash(both), cps_scenario_hash(fresh));
    assert_same_quantities(both, fresh);
    /* the source can still be read with settings that are no numbers, and points to its lines */
    double bad = -1;
    assert_null(cps_scenario_with(both, paths + 1, &bad, 1, &problems));
    assert_string_equal(cps_problems_at(problems, 0)->file, "--set");
    cps_problems_free(problems);
    cps_scenario_free(both);
    cps_scenario_free(fresh);
  }
}

/* A table of a file that a number has replaced is no part of the scenario any more. */
static void test_table_replaced(void **state) {
  (void)state;
  char path[1200];
  const char *root = getenv("SOURCE_DIR"), *paths[] = {"loads.pull.force", "loads.push.force"},
             *settings[] = {"loads.pull.force=2", "loads.push.force=3"};
  double values[] = {2, 3};
  snprintf(path, sizeof path, "%s/test/scenario_good/include.yaml", root ? root : ".");
  cps_problems *problems = NULL;
  cps_scenario *base = load("test/scenario_good/include.yaml");
  cps_scenario *fresh = cps_scenario_load(path, settings, 2, &problems);
  if (!fresh) fail_problems(problems);
  cps_scenario *with = cps_scenario_with(base, paths, values, 2, &problems);
  if (!with) fail_problems(problems);
  assert_string_equal(cps_scenario_hash(with), cps_scenario_hash(fresh));
  assert_string_not_equal(cps_scenario_hash(with), cps_scenario_hash(base));
  cps_scenario_free(base);
  cps_scenario_free(fresh);
  cps_scenario_free(with);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_other_numbers),  cmocka_unit_test(test_table_replaced),
      cmocka_unit_test(test_everything),     cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_quantities),     cmocka_unit_test(test_repeat),
      cmocka_unit_test(test_anchors),        cmocka_unit_test(test_includes),
      cmocka_unit_test(test_spring_kinds),   cmocka_unit_test(test_weights),
      cmocka_unit_test(test_default_solver), cmocka_unit_test(test_every_law),
      cmocka_unit_test(test_settings),       cmocka_unit_test(test_hash),
      cmocka_unit_test(test_forms),          cmocka_unit_test(test_large),
      cmocka_unit_test(test_reference),      cmocka_unit_test(test_scenarios),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
