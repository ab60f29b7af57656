/* verify_joint_places.c - bodies that several cables place, and bodies that rest far from where they are drawn: where they come to rest, against
 * closed forms of strings. */
#include "test.h"

typedef struct rest {
  cps_status status;
  char error[1000];
  double x, y;     /* of the body */
  double x0, y0;   /* and in the first row */
  double first[2]; /* least and largest tension of the first row, of all cables */
} rest;

static const double *column(const cps_result *r, const char *name) {
  for (int i = 0; i < cps_result_columns(r); i++)
    if (strcmp(cps_result_name(r, i), name) == 0) return cps_result_data(r, i);
  return NULL;
}

#define ROPE                                                                                                 \
  "EA: 50 MN, EI: 0.5 N m2, mass_per_length: 10 g/m, damping: {axial: 10 kN s}, mesh: {size: 50 mm}"
#define TOUCH                                                                                                \
  "contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e9}}, friction: {quinn: {mu: 0.1, "             \
  "epsilon: 5 mm/s}}}"

/* Runs a machine for an instant: from rest, it stays there. */
static rest find(const char *machine, const char *body) {
  rest out = {.status = CPS_OK, .first = {INFINITY, -INFINITY}};
  cps_error err = {0};
  cps_problems *problems = NULL;
  char text[3000], name[100];
  snprintf(text, sizeof text, "capstan: 1\n%srun: {until: 20 ms, output: 10 ms}\n", machine);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), NULL, NULL, 0, &problems);
  if (!s) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  out.status = sim ? cps_simulation_run(sim, NULL, NULL, &err) : CPS_FAILED;
  if (out.status != CPS_OK) {
    snprintf(out.error, sizeof out.error, "%s: %s", err.key, err.text);
  } else {
    const cps_result *r = cps_simulation_result(sim);
    long last = cps_result_rows(r) - 1;
    snprintf(name, sizeof name, "bodies.%s.x", body);
    out.x = column(r, name)[last], out.x0 = column(r, name)[0];
    snprintf(name, sizeof name, "bodies.%s.y", body);
    out.y = column(r, name)[last], out.y0 = column(r, name)[0];
    for (int i = 0; i < cps_result_columns(r); i++) {
      if (strstr(cps_result_name(r, i), "tension_min"))
        out.first[0] = fmin(out.first[0], cps_result_data(r, i)[0]);
      if (strstr(cps_result_name(r, i), "tension_max"))
        out.first[1] = fmax(out.first[1], cps_result_data(r, i)[0]);
    }
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return out;
}

static void rests_at(const char *machine, const char *body, double x, double y, double within) {
  rest r = find(machine, body);
  if (r.status != CPS_OK) fail_msg("%s\n%s", r.error, machine);
  if (!(fabs(r.x - x) < within && fabs(r.y - y) < within))
    fail_msg("at (%g, %g), not (%g, %g)\n%s", r.x, r.y, x, y, machine);
  if (!(r.first[0] > -50 && r.first[1] < 1e5))
    fail_msg("%g to %g N at first\n%s", r.first[0], r.first[1], machine);
}

#define WINCHES(as)                                                                                          \
  "drums:\n  left: {radius: 200 mm, center: [-2 m, 0], drive: {rotation: 0}}\n"                              \
  "  right: {radius: 200 mm, center: [2 m, 0], drive: {rotation: 0}}\n"                                      \
  "bodies: {load: {mass: 500 kg}}\ncables:\n"                                                                \
  "  a: {" ROPE ", " as ", path: [{rim: left}, {around: left, turn: clockwise, turns: 1}, load], " TOUCH     \
  "}\n"                                                                                                      \
  "  b: {" ROPE ", " as                                                                                      \
  ", path: [{rim: right}, {around: right, turn: counterclockwise, turns: 1}, load], " TOUCH "}\n"

/* Bodies that say nothing about their place, between cables whose lengths do. */
static void test_lengths(void **state) {
  (void)state;
  rests_at("bodies: {load: {mass: 500 kg}}\ncables:\n"
           "  a: {" ROPE ", length: 5 m, path: [{pinned: [0, 0]}, load]}\n"
           "  b: {" ROPE ", length: 4 m, path: [{pinned: [6 m, 0]}, load]}\n",
           "load", 3.75, -sqrt(25 - 3.75 * 3.75), 2e-3);
  /* a ring in two ropes, and the load below it in a third */
  rests_at("bodies: {ring: {mass: 1 kg}, load: {mass: 500 kg}}\ncables:\n"
           "  a: {" ROPE ", length: 5 m, path: [{pinned: [0, 0]}, ring]}\n"
           "  b: {" ROPE ", length: 4 m, path: [{pinned: [6 m, 0]}, ring]}\n"
           "  c: {" ROPE ", path: [ring, hang 2 m, load]}\n",
           "load", 3.75, -sqrt(25 - 3.75 * 3.75) - 2, 2e-3);
  /* a load on two winches with a turn on each: from their centres it is as far as the hypotenuse of free length and radius */
  double free_length = 7 - 0.4 * 3.14159265;
  rests_at(WINCHES("length: 7 m"), "load", 0, -sqrt(free_length * free_length + 0.04 - 4), 6e-3);
}

/* Drawn cables run from there as they are, with no search for an equilibrium behind it that would mend wrong lengths. */
static void drawn_at(const char *machine, double x, double y, double within) {
  rest r = find(machine, "load");
  if (r.status != CPS_OK) fail_msg("%s\n%s", r.error, machine);
  if (getenv("SHOW"))
    print_message("(%g, %g) for (%g, %g), %g to %g N, then (%g, %g)\n", r.x0, r.y0, x, y, r.first[0],
                  r.first[1], r.x, r.y);
  if (!(fabs(r.x0 - x) < within && fabs(r.y0 - y) < within))
    fail_msg("drawn at (%g, %g), not (%g, %g)\n%s", r.x0, r.y0, x, y, machine);
  if (!(fabs(r.x - x) < 3e-3 && fabs(r.y - y) < 3e-3))
    fail_msg("runs to (%g, %g) from (%g, %g)\n%s", r.x, r.y, x, y, machine);
  if (!(r.first[0] > -50 && r.first[1] < 1.5 * 500 * 9.81))
    fail_msg("drawn with %g to %g N\n%s", r.first[0], r.first[1], machine);
}

static void test_drawn(void **state) {
  (void)state;
  drawn_at("bodies: {load: {mass: 500 kg}}\ncables:\n"
           "  a: {" ROPE ", start: drawn, length: 5 m, path: [{pinned: [0, 0]}, load]}\n"
           "  b: {" ROPE ", start: drawn, length: 4 m, path: [{pinned: [6 m, 0]}, load]}\n",
           3.75, -sqrt(25 - 3.75 * 3.75), 1e-3);
  double free_length = 7 - 0.4 * 3.14159265;
  drawn_at(WINCHES("length: 7 m, start: drawn"), 0, -sqrt(free_length * free_length + 0.04 - 4), 1e-2);
}

#define LIFT(tensioner, rope, path)                                                                          \
  "drums:\n  traction: {radius: 300 mm, drive: {rotation: 0}}\n"                                             \
  "  pit: {radius: 300 mm, drive: free, inertia: 2 kg m2, carried_by: tensioner}\n"                          \
  "bodies: {car: {mass: 1000 kg}, counterweight: {mass: 1000 kg}, tensioner: {mass: 200 kg" tensioner "}}\n" \
  "cables:\n  suspension: {" ROPE ", path: [car, hang 5 m, over traction, hang 5 m, counterweight], " TOUCH  \
  "}\n  compensation: {" ROPE rope ", path: " path ", " TOUCH "}\n"

/* The pulley of a compensation rope: by the rope's length, by its hangs, and from where it is said to be. */
static void test_compensation(void **state) {
  (void)state;
  double deep = -5 - (8 - 0.3 * 3.14159265) / 2;
  rests_at(LIFT("", ", length: 8 m", "[car, under pit, counterweight]"), "tensioner", 0, deep, 4e-3);
  rests_at(LIFT("", "", "[car, hang 3 m, under pit, hang 3 m, counterweight]"), "tensioner", 0, -8, 4e-3);
  rests_at(LIFT(", position: [0, -6 m]", ", length: 8 m", "[car, under pit, counterweight]"), "tensioner", 0,
           deep, 4e-3);
  /* with elements of another size: what the suspension stretches is slack in the compensation, which hangs almost straight */
  static const char *const meshes[] = {"elements: 150", "elements: 90",
                                       "mesh: {size: 100 mm, on_drums: 30 mm}"};
  for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
    char text[2500];
    snprintf(text, sizeof text,
             "drums:\n  traction: {radius: 300 mm, drive: {rotation: 0}}\n"
             "  pit: {radius: 300 mm, drive: free, inertia: 2 kg m2, carried_by: tensioner}\n"
             "bodies: {car: {mass: 1000 kg}, counterweight: {mass: 1000 kg}, tensioner: {mass: 200 kg}}\n"
             "cables:\n  suspension: {EA: 5 MN, EI: 1 N m2, mass_per_length: 1 kg/m, %s, path: [car, hang 5 "
             "m, over "
             "traction, hang 5 m, counterweight], " TOUCH "}\n"
             "  compensation: {EA: 5 MN, EI: 1 N m2, mass_per_length: 1 kg/m, %s, length: 8 m, path: [car, "
             "under pit, "
             "counterweight], " TOUCH "}\n",
             meshes[i], meshes[i]);
    /* the suspension stretches by 11 kN/EA in 5 m, and half of its arc */
    rests_at(text, "tensioner", 0, deep - 11e3 / 5e6 * 5.5, 1e-2);
  }
  rest r = find(LIFT("", "", "[car, hang 3 m, under pit, hang 2.5 m, counterweight]"), "tensioner");
  assert_int_not_equal(r.status, CPS_OK);
}

#define BIGHT(hook, length)                                                                                  \
  "drums: {low: {radius: 150 mm, drive: free, inertia: 0.1 kg m2, carried_by: hook}}\n"                      \
  "bodies: {hook: {mass: 500 kg" hook "}}\n"                                                                 \
  "cables: {rope: {" ROPE ", " length                                                                        \
  ", path: [{pinned: [-0.15 m, 5 m]}, under low, {pinned: [0.15 m, 5 m]}], " TOUCH "}}\n"

/* A hook in a bight: with no place of its own, and from metres away. */
static void test_bight(void **state) {
  (void)state;
  static const struct {
    const char *machine;
    double length;
  } hooks[] = {{BIGHT("", "length: 8 m"), 8},
               {BIGHT(", position: [0, 4 m]", "length: 8 m"), 8},
               {BIGHT(", position: [1 m, 3 m]", "length: 8 m"), 8},
               {BIGHT(", position: [3 m, 3 m]", "length: 12 m"), 12},
               {BIGHT(", position: [0, 4 m]", "length: 20 m"), 20},
               {BIGHT(", position: [-2 m, 0]", "length: 30 m"), 30}};
  for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
    rests_at(hooks[i].machine, "hook", 0, 5 - (hooks[i].length - 0.15 * 3.14159265) / 2, 4e-3);
}

/* Pendulums and a ring that are drawn far from where they hang. */
static void test_far(void **state) {
  (void)state;
  rests_at("bodies: {load: {mass: 500 kg, position: [5 m, 0.1 m]}}\n"
           "cables: {rope: {" ROPE ", path: [{pinned: [0, 0]}, load]}}\n",
           "load", 0, -hypot(5, 0.1), 2e-3);
  rests_at("bodies: {load: {mass: 500 kg, position: [1 m, -1 m]}}\ncables:\n"
           "  a: {" ROPE ", length: 5 m, path: [{pinned: [0, 0]}, load]}\n"
           "  b: {" ROPE ", length: 4 m, path: [{pinned: [6 m, 0]}, load]}\n",
           "load", 3.75, -sqrt(25 - 3.75 * 3.75), 2e-3);
}

/* Two equal ropes that both say how far they hang share the load, whichever comes first in the file. (The first took three quarters.) */
static void test_share(void **state) {
  (void)state;
  static const char *const apart[] = {"0", "0.2 m"};
  for (int i = 0; i < 2; i++) {
    char text[1500];
    snprintf(text, sizeof text,
             "capstan: 1\nbodies: {load: {mass: 500 kg}}\ncables:\n"
             "  a: {" ROPE ", path: [{pinned: [0, 0]}, hang 5 m, load]}\n"
             "  b: {" ROPE
             ", path: [{pinned: [%s, 0]}, hang 5 m, load]}\nrun: {until: 20 ms, output: 10 ms}\n",
             apart[i]);
    cps_error err = {0};
    cps_scenario *s = cps_scenario_parse(text, strlen(text), NULL, NULL, 0, NULL);
    cps_system *system = s ? cps_system_new(s, &err) : NULL;
    cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
    if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
    const cps_result *r = cps_simulation_result(sim);
    const char *const names[] = {"cables.a.tension_end", "cables.b.tension_end"};
    for (int k = 0; k < 2; k++) {
      double t = column(r, names[k])[0];
      if (!(fabs(t - 250 * 9.81) < 20)) fail_msg("%s is %g N, not %g N", names[k], t, 250 * 9.81);
    }
    cps_simulation_free(sim);
    cps_system_free(system);
    cps_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths),      cmocka_unit_test(test_drawn),
                                     cmocka_unit_test(test_compensation), cmocka_unit_test(test_bight),
                                     cmocka_unit_test(test_far),          cmocka_unit_test(test_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
