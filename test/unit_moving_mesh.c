/* unit_moving_mesh.c - short elements that follow the drums: what moving a node keeps, closed forms, a uniform mesh, states. */
#include "machine.h"
#include "mesh_grading.h"
#include "system.h"
#include "world.h"

#define ELEVATOR                                                                                             \
  "capstan: 1\ngravity: 9.81\n"                                                                              \
  "drums:\n  traction: {radius: 300 mm, center: [0, 0], drive: {rotation: {step5: {from: [0 s, 0], to: [1 "  \
  "s, "                                                                                                      \
  "6 rad]}}}}\n"                                                                                             \
  "bodies: {car: {mass: 900 kg}, counterweight: {mass: 1100 kg}}\n"                                          \
  "cables:\n  rope:\n    EA: 10 MN\n    EI: 5 N m2\n    mass_per_length: 1 kg/m\n    damping: {axial: 20 "   \
  "kN s}\n"                                                                                                  \
  "    strain: engineering\n    mesh: %s\n"                                                                  \
  "    path: [car, hang 6 m, over traction, hang 6 m, counterweight]\n    contact: %s\n"                     \
  "run: {until: 1.2 s, output: 100 ms%s}\n"
#define NODES                                                                                                \
  "{at: nodes, normal: {hunt-crossley: {stiffness: 5e7}}, friction: {quinn: {mu: 0.25, epsilon: 5 mm/s}}}"
#define POINTS                                                                                               \
  "{at: {quadrature: 2}, normal: {hunt-crossley: {stiffness: 1.7e9}}, friction: {lugre-load: {}}}"
#define FOLLOW "{size: 1 m, on_drums: 30 mm, follow: true}"

typedef struct play {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
} play;

static play open_play(const char *mesh, const char *contact, const char *run) {
  char text[2000];
  cps_problems *problems = NULL;
  cps_error err = {0};
  snprintf(text, sizeof text, ELEVATOR, mesh, contact, run);
  play p = {cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems), NULL, NULL};
  if (!p.scenario) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  p.system = cps_system_new(p.scenario, &err);
  p.sim = p.system ? cps_simulation_new(p.system, &err) : NULL;
  if (!p.sim) fail_msg("%s", err.text);
  return p;
}

static void close_play(play *p) {
  cps_simulation_free(p->sim);
  cps_system_free(p->system);
  cps_scenario_free(p->scenario);
}

static void go(cps_simulation *sim, double until) {
  cps_error err = {0};
  if (cps_simulation_step(sim, until, 0, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
}

/* ------------------------------------------------------------------ grading */

static void grading(void **state) {
  (void)state;
  rng g = rng_for("halving", 1);
  for (int i = 0; i < 300; i++) {
    zone zones[4];
    grid on;
    double length = rng_between(&g, 1, 50), size = rng_log(&g, 0.05, 3), fine = size * rng_log(&g, 0.01, 1);
    double growth = rng_between(&g, 1.05, 1.5), *l, p = 0;
    int n_zones = rng_below(&g, 4), spare = rng_below(&g, 30);
    for (int k = 0; k < n_zones; k++) {
      zones[k].from = rng_between(&g, 0, length);
      zones[k].to = fmin(length, zones[k].from + rng_between(&g, 0.01, 1));
    }
    int n = cps_grade_halving(length, size, fine, growth, zones, n_zones, spare, &on, &l);
    assert_true(n > 0);
    double unit = length / on.units;
    assert_true(unit <= fine * (1 + 1e-9));
    assert_true((on.cell & (on.cell - 1)) == 0 && on.units % on.cell == 0);
    for (int k = 0; k < n; p += l[k++]) {
      int width = (int)lround(l[k] / unit), from = (int)lround(p / unit);
      assert_true((width & (width - 1)) == 0 && width <= on.cell && from % width == 0);
      assert_true(l[k] <= size * (1 + 1e-9));
      for (int z = 0; z < n_zones; z++) {
        double d = fmax(0, fmax(zones[z].from - (p + l[k]), p - zones[z].to) - fine);
        if (l[k] > cps_grade_wanted(size, fine, growth, d) * (1 + 1e-9)) fail_msg("an element is too long");
      }
    }
    near_to(p, length, 1e-12 * length, "sum");
    double *none;
    int least = cps_grade_halving(length, size, fine, growth, zones, n_zones, 0, &on, &none);
    assert_true(n <= least + spare && (n == least + spare || n == on.units));
    free(none);
    free(l);
  }
}

/* ------------------------------------------------------------------ what moving a node keeps */

/* Place or velocity (from q) at the length s of a cable, and which element it is on. */
static int at_length(const cable *c, const double *q, double s, double *r) {
  double n[4], n1[4], n2[4];
  int k = 0;
  for (; k + 1 < c->n && s > c->length[k]; k++) s -= c->length[k];
  cps_element_shape(c->length[k], s / c->length[k], n, n1, n2);
  for (int d = 0; d < c->dim; d++) {
    r[d] = 0;
    for (int j = 0; j < 4; j++) r[d] += n[j] * q[k * c->b + j * c->dim + d];
  }
  return k;
}

static void momentum(const cable *c, double *p) {
  p[0] = p[1] = 0;
  for (int k = 0; k < c->n; k++) {
    double m[4][4];
    cps_element_mass(&c->section, c->length[k], m);
    for (int d = 0; d < 2; d++) /* of a motion with velocity 1: shape functions of places sum up to it */
      for (int i = 0; i < 4; i++) p[d] += (m[0][i] + m[2][i]) * c->v[k * c->b + i * c->dim + d];
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < 2; d++) p[d] += c->mass[i] * c->v[i * c->b + d];
}

static void kept(void **state) {
  (void)state;
  enum { SAMPLES = 2000 };
  static double r0[SAMPLES][2], v0[SAMPLES][2], width0[SAMPLES];
  for (int kind = 0; kind < 2; kind++) {
    play p = open_play(FOLLOW, kind ? POINTS : NODES, "");
    cps_error err = {0};
    assert_int_equal(cps_simulation_start(p.sim, &err), CPS_OK);
    machine *m = p.sim->machine;
    cable *c = &m->cable[0];
    double s = 0, before[2], after[2];
    for (int i = 0; i <= c->n; s += i < c->n ? c->length[i] : 0, i++) { /* waves along it */
      c->v[i * c->b] += 0.3 * sin(2 * s);
      c->v[i * c->b + 2] += 0.6 * cos(2 * s);
      c->v[i * c->b + 1] += cos(s);
      c->v[i * c->b + 3] -= sin(s);
    }
    int old_units = c->on.units, elements = c->n, touching = 0;
    double friction = 0, total = s, energy = 0, solver = m->work.solver;
    for (int i = 0; i < c->n_points; i++) {
      touching += c->point[i].drum >= 0;
      friction += c->point[i].s * c->point[i].f[0];
    }
    for (int i = 0; i < SAMPLES; i++) {
      int k = at_length(c, c->q, total * (i + 0.5) / SAMPLES, r0[i]);
      at_length(c, c->v, total * (i + 0.5) / SAMPLES, v0[i]);
      width0[i] = c->length[k];
    }
    momentum(c, before);
    cable_store store;
    cps_cable_survey(c, &store);
    energy = store.elastic + store.kinetic + store.gravity;
    /* another drum comes near to a span, as it were */
    m->drum[0].center[1] -= 3.5;
    int moved = cps_mesh_follow(m, 0, 1e3);
    assert_true(moved > 5 && c->n == elements && c->on.units == old_units);
    s = 0;
    for (int k = 0; k < c->n; s += c->length[k++])
      near_to(c->length[k], total * (c->place[k + 1] - c->place[k]) / old_units, 1e-12, "on the grid");
    near_to(s, total, 1e-12, "length of all");
    momentum(c, after);
    near_to(after[0], before[0], 1e-12 * total, "momentum along x");
    near_to(after[1], before[1], 1e-12 * total, "momentum along y");
    cps_cable_survey(c, &store);
    near_to(m->work.solver - solver, energy - (store.elastic + store.kinetic + store.gravity), 1e-9,
            "energy");
    int halved = 0, now = 0;
    double rubs = 0, lost = 0;
    for (int i = 0; i < SAMPLES; i++) {
      double r[2], v[2];
      int k = at_length(c, c->q, total * (i + 0.5) / SAMPLES, r);
      at_length(c, c->v, total * (i + 0.5) / SAMPLES, v);
      if (c->length[k] < 0.9 * width0[i]) {
        halved++;
        near_to(hypot(r[0] - r0[i][0], r[1] - r0[i][1]), 0, 1e-12, "place");
      }
      lost = fmax(lost, hypot(v[0] - v0[i][0], v[1] - v0[i][1]));
    }
    assert_true(halved > 0);
    if (!(lost < 0.05)) fail_msg("velocities changed by %g m/s", lost);
    for (int i = 0; i < c->n_points; i++) {
      now += c->point[i].drum >= 0;
      rubs += c->point[i].s * c->point[i].f[0];
      assert_int_equal(c->point[i].node, i / c->per_node);
    }
    assert_int_equal(now, touching);
    near_to(rubs, friction, 1e-9 * (1 + fabs(friction)), "friction stays where it was");
    close_play(&p);
  }
}

/* ------------------------------------------------------------------ runs */

static double value(play *p, const char *name) {
  const cps_result *r = cps_simulation_result(p->sim);
  for (int c = 0; c < cps_result_columns(r); c++)
    if (strcmp(cps_result_name(r, c), name) == 0) return cps_simulation_get(p->sim, c);
  fail_msg("no column %s", name);
  return 0;
}

/* Far fewer elements give what a fine mesh everywhere gives, and the energy closes. */
static void as_fine(void **state) {
  (void)state;
  play fine = open_play("{size: 30 mm}", NODES, ""), follow = open_play(FOLLOW, NODES, "");
  const char *const names[] = {"drums.traction.torque", "cables.rope.tension_start",
                               "cables.rope.tension_end", "bodies.car.y", "cables.rope.traction.wrap"};
  go(fine.sim, 1.2);
  go(follow.sim, 1.2);
  assert_true(3 * follow.sim->machine->cable[0].n < fine.sim->machine->cable[0].n);
  for (int i = 0; i < ROWS(names); i++)
    near_to(value(&follow, names[i]), value(&fine, names[i]), 2e-3 * fabs(value(&fine, names[i])), names[i]);
  cps_energy e;
  cps_result_energy(cps_simulation_result(follow.sim), &e);
  assert_true(fabs(e.error) < 5e-4 * e.scale);
  /* what is on the drum is as fine as it was asked to be */
  const cable *c = &follow.sim->machine->cable[0];
  for (int i = 0; i < c->n; i++)
    if (c->point[i].drum >= 0 && c->point[i + 1].drum >= 0 && c->length[i] > 0.0301)
      fail_msg("an element of %g m is on the drum", c->length[i]);
  close_play(&fine);
  close_play(&follow);
}

/* A state is all there is to a mesh that has moved, and pieces of a run with a fixed step are the run. */
static void states(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    play p = open_play(FOLLOW, kind ? POINTS : NODES, ", step: 2 ms"),
         other = open_play(FOLLOW, kind ? POINTS : NODES, ", step: 2 ms");
    cps_error err = {0};
    char name[40];
    int first = p.sim->machine->cable[0].place[40];
    go(p.sim, 0.6);
    assert_true(p.sim->machine->cable[0].place[40] != first);
    void *block = malloc(cps_simulation_state_size(p.sim, &err));
    assert_int_equal(cps_simulation_state_get(p.sim, block, &err), CPS_OK);
    go(p.sim, 0.9);
    if (cps_simulation_state_set(other.sim, block, &err) != CPS_OK) fail_msg("%s", err.text);
    for (int k = 1; k <= 3; k++) go(other.sim, 0.6 + 0.1 * k);
    if (!cps_simulation_same(p.sim, other.sim, name, sizeof name)) fail_msg("%s differs", name);
    assert_int_equal(cps_simulation_reset(other.sim, &err), CPS_OK);
    go(other.sim, 0.9);
    if (!cps_simulation_same(p.sim, other.sim, name, sizeof name))
      fail_msg("after a reset, %s differs", name);
    free(block);
    close_play(&p);
    close_play(&other);
  }
}

/* ------------------------------------------------------------------ refusals */

static void refusals_of(void **state) {
  (void)state;
  static const struct {
    const char *mesh, *contact, *run, *says;
  } rows[] = {
      {FOLLOW, NODES, ", solver: bdf", "bdf's memory"},
      {FOLLOW,
       "{at: nodes, normal: {hunt-crossley: {stiffness: 5e7}}, friction: {quinn: {mu: 0.25, epsilon: 5 "
       "mm/s}}, reading: "
       "all-stick}",
       "", "all-stick"},
  };
  for (int i = 0; i < ROWS(rows); i++) {
    char text[2000];
    cps_problems *problems = NULL;
    cps_error err = {0};
    snprintf(text, sizeof text, ELEVATOR, rows[i].mesh, rows[i].contact, rows[i].run);
    cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
    assert_non_null(s);
    assert_null(cps_system_new(s, &err));
    if (!strstr(err.text, rows[i].says)) fail_msg("%s", err.text);
    assert_string_equal(err.key, "cables.rope.mesh.follow");
    assert_true(err.line > 0);
    cps_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grading), cmocka_unit_test(kept),        cmocka_unit_test(as_fine),
      cmocka_unit_test(states),  cmocka_unit_test(refusals_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
