/* unit_columns.c - every column and field that is recorded has its row in the
 * table of meanings, with its unit; and the signs that the table states are
 * those of the numbers. */
#include "test.h"

#include "capstan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
} ran;

static ran run(const char *text) {
  cps_problems *problems = NULL;
  cps_error err = {.time = NAN};
  ran r = {.scenario = cps_scenario_parse(text, strlen(text), "columns.yaml", NULL, 0, &problems)};
  if (!r.scenario) fail_msg("%s", cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  r.system = cps_system_new(r.scenario, &err);
  r.sim = r.system ? cps_simulation_new(r.system, &err) : NULL;
  if (!r.sim || cps_simulation_run(r.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  r.result = cps_simulation_result(r.sim);
  return r;
}

static void end(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

#define BLOCKS                                                                                               \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1 kg, v: 1 m/s}, ball: {mass: 1 kg, position: [0, "                                \
  "1]}}\n"                                                                                                   \
  "surfaces: {belt: {velocity: 0.1 m/s}, table: {position: {sine: "                                          \
  "{amplitude: 1 mm, omega: 1 rad/s}}}}\n"                                                                   \
  "springs: {rope: {between: [{ground: [0, 2]}, ball], stiffness: 100 N/m, "                                 \
  "length: 0.9 m}}\n"                                                                                        \
  "contacts: {sole: {between: [block, belt], normal: 5 N, friction: {%s: "                                   \
  "{}}}}\n"                                                                                                  \
  "run: {until: 0.05 s, output: 10 ms}\n"

/* A pulley that a motor turns, one on a bearing that its load carries, and a
 * cable over both. */
#define TACKLE                                                                                               \
  "capstan: 1\n"                                                                                             \
  "drums:\n"                                                                                                 \
  "  winch: {radius: 150 mm, center: [0.3, 0], inertia: 0.1 kg m2, drive: "                                  \
  "{rotation: {step5: {from: [0 s, 0], to: [2 s, 0.1 rad]}}}}\n"                                             \
  "  block: {radius: 150 mm, center: [0, -2], inertia: 0.05 kg m2, drive: "                                  \
  "free, carried_by: hook,\n"                                                                                \
  "          bearing: {friction: {tanh: {mu: 0.1}}, radius: 20 mm}}\n"                                       \
  "bodies: {hook: {mass: 200 kg, position: [0, -2.5]}, counterweight: {mass: "                               \
  "80 kg}}\n"                                                                                                \
  "cables:\n  rope: {EA: 1 MN, EI: 1 N m2, mass_per_length: 0.5 kg/m, "                                      \
  "damping: {axial: 4 kN s}, elements: 40,\n"                                                                \
  "    path: [{pinned: [-0.15, 0]}, under block, over winch, hang 1 m, "                                     \
  "counterweight],\n"                                                                                        \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: "                           \
  "{quinn: {mu: 0.2}}}}\n"                                                                                   \
  "run: {until: 0.1 s, output: 10 ms, fields: 50 ms}\n"

#define ELEVATOR(model)                                                                                      \
  "capstan: 1\n"                                                                                             \
  "drums: {pulley: {radius: 300 mm, inertia: 0.5 kg m2, drive: {rotation: "                                  \
  "{ramp: {rate: 0.1 rad/s}}}}}\n"                                                                           \
  "bodies: {counterweight: {mass: 600 kg}, cabin: {mass: 1000 kg}}\n"                                        \
  "cables:\n  rope: {EA: 39 MN, mass_per_length: 2 kg/m, " model "\n"                                        \
  "    path: [counterweight, hang 1 m, over pulley, hang 3 m, cabin],\n"                                     \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e8}}, friction: "                           \
  "{coulomb: {mu: 0.7}}}}\n"                                                                                 \
  "run: {until: 0.1 s, output: 10 ms}\n"

/* Columns of a contact that are internal states have their meaning in the table
 * of laws. */
static int is_state(const char *name) {
  const char *what = strrchr(name, '.');
  if (strncmp(name, "contacts.", 9) != 0) return 0;
  for (int i = 0; i < cps_law_count(); i++)
    for (int k = 0; k < cps_law_at(i)->n_states; k++)
      if (strcmp(cps_law_at(i)->states[k].name, what + 1) == 0) return 1;
  return 0;
}

static void check_meanings(const char *text) {
  ran r = run(text);
  char thing[100];
  for (int c = 0; c < cps_result_columns(r.result); c++) {
    const char *name = cps_result_name(r.result, c);
    const cps_column_meaning *m = cps_column_meaning_find(name, thing, sizeof thing);
    if (!m && is_state(name)) continue;
    if (!m) fail_msg("the column %s has no meaning", name);
    assert_string_equal(m->unit, cps_result_unit(r.result, c));
    assert_false(m->field);
  }
  for (int i = 0; i < cps_result_fields(r.result); i++) {
    const cps_field *f = cps_result_field(r.result, i);
    const cps_column_meaning *m = cps_column_meaning_find(f->name, thing, sizeof thing);
    if (!m) fail_msg("the field %s has no meaning", f->name);
    assert_string_equal(m->unit, f->unit);
    assert_true(m->field);
  }
  end(&r);
}

static void test_meanings(void **state) {
  (void)state;
  char text[2000];
  static const char *const laws[] = {"coulomb-static", "lugre", "tanh"};
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, BLOCKS, laws[i]);
    check_meanings(text);
  }
  check_meanings(TACKLE);
  check_meanings(ELEVATOR("model: semi-analytical,"));
  check_meanings(ELEVATOR("model: springs,"));
}

static double last(const ran *r, const char *name) {
  int c = cps_result_find(r->result, name);
  if (c < 0) fail_msg("there is no column %s", name);
  return cps_result_data(r->result, c)[cps_result_rows(r->result) - 1];
}

/* The signs: a heavy cabin on the right of a pulley with a clockwise path. */
static void check_signs(const char *text) {
  ran r = run(text);
  double t_in = last(&r, "cables.rope.pulley.t_in"), t_out = last(&r, "cables.rope.pulley.t_out");
  double friction = last(&r, "cables.rope.pulley.friction"), torque = last(&r, "drums.pulley.torque");
  assert_true(t_out > 1.3 * t_in);
  /* The cabin would pull the cable clockwise: friction holds it
   * counterclockwise, and turns the drum clockwise. */
  assert_true(friction > 0 && torque < 0);
  assert_true(fabs(friction - (t_out - t_in)) < 0.1 * friction);
  assert_true(fabs(torque + 0.3 * friction) < 0.02 * fabs(torque));
  /* The motor holds against it, and the cables press the drum down. */
  assert_true(fabs(last(&r, "drums.pulley.drive") + torque) < 0.05 * fabs(torque));
  assert_true(last(&r, "drums.pulley.fy") < 0);
  double margin = last(&r, "cables.rope.pulley.margin");
  assert_true(margin > 0 && margin < 1);
  end(&r);
}

static void test_signs(void **state) {
  (void)state;
  check_signs(ELEVATOR("elements: 60,"));
  check_signs(ELEVATOR("model: semi-analytical,"));
  ran r = run(TACKLE);
  /* The rope under the block holds it up with twice its tension. */
  assert_true(fabs(last(&r, "drums.block.fy") - 200 * 9.81) < 0.05 * 200 * 9.81);
  end(&r);
  char text[2000];
  snprintf(text, sizeof text, BLOCKS, "coulomb-static");
  r = run(text);
  /* The block slides forward on the belt, and friction acts backward. The
   * spring is stretched, and pulls. */
  assert_true(last(&r, "contacts.sole.v") > 0 && last(&r, "contacts.sole.f") < 0 &&
              last(&r, "springs.rope.force") > 0);
  end(&r);
}

static double first(const ran *r, const char *name) {
  int c = cps_result_find(r->result, name);
  if (c < 0) fail_msg("there is no column %s", name);
  return cps_result_data(r->result, c)[0];
}

static void near(const ran *r, const char *name, double want, double within) {
  double got = first(r, name);
  if (!(fabs(got - want) <= within)) fail_msg("%s is %.10g, not %.10g", name, got, want);
}

/* What ends pull with: a heavy rope of four elements with a load, and a clamped strip that a force bends down. */
static void test_ends(void **state) {
  (void)state;
  ran r = run("capstan: 1\nbodies: {load: {mass: 10 kg}}\n"
              "cables:\n  rope: {EA: 1 MN, mass_per_length: 2 kg/m, elements: 4,\n"
              "         path: [{pinned: [0, 0]}, hang 5 m, load]}\n"
              "run: {until: 10 ms}\n");
  double all = (10 + 2 * 5) * 9.81;
  near(&r, "cables.rope.tension_start", all, 1e-6 * all);
  near(&r, "cables.rope.tension_max", all, 1e-6 * all);
  near(&r, "cables.rope.tension_end", 98.1, 1e-4);
  near(&r, "cables.rope.fy_start", -all, 1e-6 * all);
  near(&r, "cables.rope.fy_end", 98.1, 1e-4);
  near(&r, "cables.rope.fx_start", 0, 1e-6 * all);
  end(&r);
  r = run(
      "capstan: 1\ngravity: [0, 0]\n"
      "cables:\n  strip: {EA: 1 MN, EI: 100 N m2, mass_per_length: 1 kg/m, elements: 4,\n"
      "    path: [{clamped: {at: [0, 0], direction: [1, 0]}}, {to: [1 m, 0]}, {free: {force: {y: -1 N}}}]}\n"
      "run: {until: 10 ms}\n");
  near(&r, "cables.strip.fy_start", -1, 1e-6);
  near(&r, "cables.strip.mz_start", -1, 1e-4);
  near(&r, "cables.strip.tension_start", 0, 1e-6);
  assert_true(cps_result_find(r.result, "cables.strip.fy_end") < 0);
  end(&r);
}

#define WRAPPED                                                                                              \
  "capstan: 1\n"                                                                                             \
  "drums: {left: {radius: 300 mm, center: [0, 0], drive: fixed}, right: {radius: 200 mm, center: [0.9, "     \
  "-0.6], drive: fixed}}\n"                                                                                  \
  "bodies: {car: {mass: 900 kg}, weight: {mass: 1100 kg}}\n"                                                 \
  "cables:\n  rope: {EA: 10 MN, EI: 1 N m2, mass_per_length: 1 kg/m, %s,\n"                                  \
  "    path: [car, hang 5 m, over left, over right, hang 5 m, weight],\n"                                    \
  "    contact: {%s normal: {hunt-crossley: {stiffness: %s}}, friction: {quinn: {mu: 0.25}}}}\n"             \
  "run: {until: 1 ms}\n"

/* The wrap is that of the tangents whatever the mesh, and the points stick or slip on all of it. */
static void test_wraps(void **state) {
  (void)state;
  static const struct {
    const char *mesh, *at, *stiffness;
  } rows[] = {{"mesh: {size: 30 mm}", "at: nodes,", "5e7"},
              {"mesh: {size: 47 mm}", "at: nodes, per: node,", "5e7"},
              {"mesh: {size: 100 mm}", "at: nodes, per: length,", "1e9"},
              {"mesh: {size: 60 mm}", "at: {quadrature: 2},", "1e9"},
              {"mesh: {size: 45 mm}", "", "1e9"}};
  /* both ends hang: from the vertical to the common tangent of the two circles and back */
  double apart = hypot(0.9, 0.6), down = atan2(0.6, 0.9), tangent = down + asin(0.1 / apart);
  double left = acos(-1.0) / 2 + tangent, right = acos(-1.0) / 2 - tangent;
  for (int i = 0; i < ROWS(rows); i++) {
    char text[2000];
    snprintf(text, sizeof text, WRAPPED, rows[i].mesh, rows[i].at, rows[i].stiffness);
    ran r = run(text);
    near(&r, "cables.rope.left.wrap", left, 0.004 * left);
    near(&r, "cables.rope.right.wrap", right, 0.008 * right);
    near(&r, "cables.rope.left.slip_arc", left - first(&r, "cables.rope.left.stick_arc"), 0.004 * left);
    double depth = first(&r, "cables.rope.left.penetration");
    assert_true(depth > 0 && depth < 2e-3);
    end(&r);
  }
}

/* A belt starts with the tension that it is told, however soft its contact, coarse its mesh or long its elements; and a cable that is
 * longer than its path hangs loose over its drum. */
static void test_starts(void **state) {
  (void)state;
  static const struct {
    int elements;
    const char *stiffness;
  } rows[] = {{40, "1e8"}, {16, "1e8"}, {40, "1e6"}};
  static const char *const sides[] = {"motor.t_in", "motor.t_out", "tail.t_in", "tail.t_out"};
  char text[2000], name[100];
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text,
             "capstan: 1\n"
             "drums: {motor: {radius: 100 mm, drive: {rotation: {ramp: {rate: 4 rad/s}}}},\n"
             "        tail: {radius: 200 mm, center: [1, 0.1], inertia: 0.3 kg m2, drive: free}}\n"
             "cables:\n  belt: {EA: 1 MN, EI: 5 N m2, mass_per_length: 0.8 kg/m, elements: %d, closed: true, "
             "tension: 6123 N,\n"
             "    path: [over motor, over tail],\n"
             "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: %s}}, friction: "
             "{quinn: {mu: 0.4}}}}\n"
             "run: {until: 0.1 ms, step: 0.1 ms}\n",
             rows[i].elements, rows[i].stiffness);
    ran r = run(text);
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "cables.belt.%s", sides[k]);
      near(&r, name, 6123, 0.005 * 6123);
    }
    end(&r);
  }
  ran r = run(
      "capstan: 1\ndrums: {sheave: {radius: 200 mm, drive: fixed}}\n"
      "bodies: {load: {mass: 100 kg, position: [0.2, -3]}}\n"
      "cables:\n  rope: {EA: 1 MN, mass_per_length: 0.5 kg/m, elements: 60, length: 6.8 m, start: drawn,\n"
      "    path: [{pinned: [-0.2, -3]}, over sheave, load],\n"
      "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: {quinn: {mu: "
      "0.2}}}}\n"
      "run: {until: 0.1 ms, step: 0.1 ms}\n");
  near(&r, "cables.rope.tension_min", 0, 1);
  near(&r, "cables.rope.tension_max", 0, 1);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_meanings), cmocka_unit_test(test_signs),
                                     cmocka_unit_test(test_ends), cmocka_unit_test(test_wraps),
                                     cmocka_unit_test(test_starts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
