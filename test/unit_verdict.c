/* unit_verdict.c - runs that cannot be trusted say so, or fail: missing energy, what the integrator dissipates, numbers that run
 * away. */
#include "test.h"

typedef struct verdict {
  cps_status status;
  char error[1000], warning[2000]; /* all of them */
  cps_energy energy;
} verdict;

static verdict judge(const char *text) {
  cps_error err = {0};
  verdict v = {.status = CPS_OK};
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), NULL, NULL, 0, &problems);
  if (!s) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim) fail_msg("%s", err.text);
  v.status = cps_simulation_run(sim, NULL, NULL, &err);
  const cps_result *r = cps_simulation_result(sim);
  snprintf(v.error, sizeof v.error, "%s", v.status == CPS_OK ? "" : err.text);
  for (int i = 0; cps_result_warning(r, i); i++) {
    size_t used = strlen(v.warning);
    snprintf(v.warning + used, sizeof v.warning - used, "%s\n", cps_result_warning(r, i));
  }
  cps_result_energy(r, &v.energy);
  assert_true(cps_result_rows(r) > 2); /* results are kept */
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return v;
}

/* An oscillator of 1000 rad/s by rk4, which is stable up to 2.83 ms and loses (omega h)^6/72 of its energy in a step. */
#define OSCILLATOR(run)                                                                                      \
  "capstan: 1\nbodies: {block: {mass: 1 kg, x: 1 m}}\n"                                                      \
  "springs: {k: {between: [block, ground], stiffness: 1e6}}\n"                                               \
  "run: {until: 1 s, solver: rk4, output: 10 ms, " run "}\n"

static void has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

static void test_energy(void **state) {
  (void)state;
  verdict fine = judge(OSCILLATOR("step: 0.2 ms")); /* 0.4 % in all */
  assert_int_equal(fine.status, CPS_OK);
  has(fine.warning, "% of the largest energy");
  assert_true(fine.energy.open / fine.energy.scale > 3e-3 && fine.energy.open / fine.energy.scale < 6e-3);
  verdict good = judge(OSCILLATOR("step: 0.1 ms")); /* 0.014 % */
  assert_int_equal(good.status, CPS_OK);
  assert_string_equal(good.warning, "");
  verdict bad = judge(OSCILLATOR("step: 0.5 ms")); /* 35 % */
  assert_int_equal(bad.status, CPS_FAILED);
  has(bad.error, "do not trust");
}

/* The limits are the file's to choose. */
static void test_limits(void **state) {
  (void)state;
  verdict loose = judge(OSCILLATOR("step: 0.5 ms, audit: {warn: 1 %, fail: off}"));
  assert_int_equal(loose.status, CPS_OK);
  has(loose.warning, "run.audit.warn is 1 %");
  verdict silent = judge(OSCILLATOR("step: 0.5 ms, audit: {warn: off, fail: off}"));
  assert_int_equal(silent.status, CPS_OK);
  assert_string_equal(silent.warning, "");
  verdict strict = judge(OSCILLATOR("step: 0.1 ms, audit: {fail: 0.01 %}"));
  assert_int_equal(strict.status, CPS_FAILED);
}

static void test_away(void **state) {
  (void)state;
  verdict v = judge(OSCILLATOR("step: 5 ms"));
  assert_int_equal(v.status, CPS_FAILED);
  has(v.error, "bodies.block");
  has(v.error, "has run away");
}

/* The audit of a cable closes whatever the integrator dissipates: that counts as error, too. A load bounces on a rope for ten cycles. */
#define BOUNCES(run)                                                                                         \
  "capstan: 1\nbodies: {load: {mass: 100 kg, position: [0, -1.0001], velocity: [0, -0.5]}}\n"                \
  "cables:\n  rope:\n    EA: 50 kN\n    mass_per_length: 0.05 kg/m\n    length: 1 m\n    elements: 6\n"      \
  "    start: drawn\n    path: [{pinned: [0, 0]}, load]\n"                                                   \
  "run: {until: 3 s, output: 10 ms, fields: 0, " run "}\n"

static void test_integrator(void **state) {
  (void)state;
  verdict coarse = judge(BOUNCES("solver: alpha, rho: 0, step: 10 ms, tolerance: 1")); /* 20 % */
  assert_true(fabs(coarse.energy.error) < 0.01 * fabs(coarse.energy.solver));
  assert_int_equal(coarse.status, CPS_FAILED);
  has(coarse.error, "the integrator itself has dissipated");
  verdict bdf = judge(BOUNCES("solver: bdf")); /* 2 % at its default tolerance */
  assert_int_equal(bdf.status, CPS_OK);
  has(bdf.warning, "the integrator itself has dissipated");
  verdict fine = judge(BOUNCES("solver: alpha, rho: 0.5, step: 2 ms, tolerance: 1")); /* 0.02 % */
  assert_int_equal(fine.status, CPS_OK);
  assert_null(strstr(fine.warning, "largest energy")); /* it bounces, and so is pushed as well */
}

#define SHEAVE(elements, stiffness)                                                                          \
  "capstan: 1\ndrums: {sheave: {radius: 200 mm, drive: fixed}}\nbodies: {a: {mass: 50 kg}, b: {mass: 52 "    \
  "kg}}\n"                                                                                                   \
  "cables:\n  rope: {EA: 1 MN, EI: 1 N m2, mass_per_length: 0.5 kg/m, elements: " elements ",\n"             \
  "    path: [a, hang 1 m, over sheave, hang 1 m, b],\n"                                                     \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: " stiffness                                  \
  "}}, friction: {quinn: {mu: 0.2}}}}\n"                                                                     \
  "run: {until: 20 ms, output: 5 ms}\n"

/* Elements that are long on their drum, contact that gives way, and ropes that are pushed. */
static void test_cables(void **state) {
  (void)state;
  verdict good = judge(SHEAVE("100", "1e8"));
  assert_string_equal(good.warning, "");
  verdict coarse = judge(SHEAVE("30", "1e8")); /* 88 mm */
  has(coarse.warning, "elements of cable rope are 87.6 mm long on drum sheave");
  has(coarse.warning, "At most 38 mm");
  verdict soft = judge(SHEAVE("100", "3e4"));
  has(soft.warning, "cable rope sinks into drum sheave by");
  verdict pushed = judge("capstan: 1\ngravity: [0, 0]\ncables:\n"
                         "  rope: {EA: 100 kN, mass_per_length: 1 kg/m, elements: 10, start: drawn,\n"
                         "         path: [{pinned: [0, 0]}, {to: [1 m, 0]}, {free: {force: {x: -100 N}}}]}\n"
                         "run: {until: 1 ms, output: 0.1 ms}\n");
  has(pushed.warning, "cable rope is pushed by up to");
}

/* A block on a belt. */
#define BELT(law, run)                                                                                       \
  "capstan: 1\nbodies: {m: {mass: 1 kg}}\nsurfaces: {belt: {velocity: 0.1 m/s}}\n"                           \
  "springs: {k: {between: [m, ground], stiffness: 100 N/m}}\n"                                               \
  "contacts: {pad: {between: [m, belt], normal: 10 N, friction: {" law "}}}\n"                               \
  "run: {until: 1 s, output: 10 ms, " run "}\n"

/* Rests that rk4 would step over, where a law holds more than in sliding, are refused; states that go far within a step are said. */
static void test_rest(void **state) {
  (void)state;
  static const char over[] = BELT("coulomb-static: {mu_s: 0.6, mu_d: 0.3}", "solver: rk4, step: 0.1 ms");
  cps_error err = {0};
  cps_scenario *s = cps_scenario_parse(over, strlen(over), "over.yaml", NULL, 0, NULL);
  assert_non_null(s);
  assert_null(cps_system_new(s, &err));
  has(err.text,
      "coulomb-static of contact pad holds 0.6 of its load, and in sliding 0.3: use run.solver events");
  cps_scenario_free(s);
  verdict equal = judge(BELT("coulomb: {mu: 0.3}", "solver: rk4, step: 0.1 ms"));
  assert_string_equal(equal.warning, "");
  verdict found = judge(BELT("coulomb-static: {mu_s: 0.6, mu_d: 0.3}", "solver: events"));
  assert_string_equal(found.warning, "");
  verdict far = judge(BELT("haessig-bristle: {}", "solver: rk4, step: 0.1 ms"));
  has(far.warning, "the law haessig-bristle of contact pad");
  verdict near = judge(BELT("haessig-bristle: {sigma0: 100}", "solver: rk4, step: 0.1 ms"));
  assert_string_equal(near.warning, "");
}

/* A block that bounces on a stiff spring, and a rope that a drum drags to and fro with long steps: more than 30 % of their steps are
 * rejected, which is said with the cause; and no tolerance is to be loosened where too much energy is missing. */
static void test_rejected(void **state) {
  (void)state;
  static const char bouncing[] =
      "capstan: 1\nbodies: {a: {mass: 1, direction: [0, 1], v: 1}}\nloads: {g: {on: a, force: -10}}\n"
      "springs: {s: {between: [a, {ground: [0, 1]}], stiffness: 1e6, length: 1, tension_only: true}}\n"
      "run: {until: 3, output: 0.1, solver: alpha, tolerance: 1e-2, absolute_tolerance: 1e-2,\n"
      "  audit: {warn: off, fail: off}}\n";
  static const char dragged[] =
      "capstan: 1\ndrums: {d: {radius: 0.1, drive: {rotation: {sine: {amplitude: 3, omega: 40}}}}}\n"
      "bodies: {a: {mass: 0.1}, b: {mass: 0.1}}\n"
      "cables: {rope: {EA: 20 MN, mass_per_length: 0.01, elements: 30, path: [a, hang 0.5 m, over d, hang "
      "0.5 m, "
      "b],\n"
      "  contact: {normal: {hunt-crossley: {stiffness: 1e12, damping: 0}},\n"
      "    friction: {coulomb-static: {mu_s: 0.6, mu_d: 0.1}}}}}\n"
      "run: {until: 0.05, output: 0.01, step: 2 ms, audit: {warn: off, fail: off}}\n";
  verdict error = judge(bouncing);
  has(error.warning, "of the steps were rejected, most of them because their error was above the tolerance");
  has(error.warning, "profiles with corners\n");
  verdict newton = judge(dragged);
  has(newton.warning, "of the steps were rejected, most of them because Newton's method did not converge");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy),  cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_away),    cmocka_unit_test(test_integrator),
                                     cmocka_unit_test(test_cables),  cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_rejected)};
  return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
