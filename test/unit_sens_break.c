/* unit_sens_break.c - derivatives of runs of cables by the times at which something prescribed jumps: forward against
 * adjoint, and against differences of whole runs, with both solvers. */
#include "sens.h"
#include "sens_machines.h"

#include <stdlib.h>

#define BODIES "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
#define SOFT_ROPE(elements, friction)                                                                        \
  "cables:\n"                                                                                                \
  "  rope:\n"                                                                                                \
  "    EA: 0.2 MN\n"                                                                                         \
  "    EI: 0.7 N m2\n"                                                                                       \
  "    mass_per_length: 0.45 kg/m\n"                                                                         \
  "    damping: {rayleigh: 50 N s}\n"                                                                        \
  "    elements: " elements "\n"                                                                             \
  "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 2e6, exponent: 1.5, damping: 1}},\n"         \
  "              friction: {" friction "}}\n"
#define DAMPED      SOFT_ROPE("20", "cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}")
#define DAMPED_ROPE DAMPED OVER
#define RUN         "run: {until: 0.3 s, step: 0.2 ms, absolute_tolerance: 1e9, output: 17 ms, solver: "

/* A rope on the rim of a winch. Differences of runs need steps that resolve the blow: 0.02 ms; derivatives do not. */
#define WOUND(friction)                                                                                      \
  SOFT_ROPE("40", friction)                                                                                  \
  "    path: [{rim: winch}, {around: winch, turn: clockwise, turns: 1}, hang 1 m, load]\n"
#define WOUND_RUN "run: {until: 60 ms, step: 0.02 ms, absolute_tolerance: 1e9, output: 5 ms, solver: "

typedef struct example {
  const char *name, *text, *wrt[3], *of[6];
} example;

static const example examples[] = {
    {"a load, and a torque of a drum that turns",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, inertia: 0.3 kg m2,\n"
     "                 drive: {torque: {pulses: {amplitude: 8 N m, start: 0.11 s, width: 0.1 s}}}}}\n"
     "loads: {push: {on: left, direction: [0, 1],\n"
     "               force: {pulses: {amplitude: 20 N, start: 0.06 s, width: 0.1 s}}}}\n" BODIES DAMPED_ROPE
         RUN,
     {"loads.push.force.pulses.start", "loads.push.force.pulses.width",
      "drums.pulley.drive.torque.pulses.start"},
     {"bodies.left.y", "drums.pulley.rate", "energy.motion_work", "energy.load_work", "energy.damping"}},
    {"a setpoint",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, drive: {pd: {kp: 400, kd: 40,\n"
     "                 setpoint: {pulses: {amplitude: 5 deg, start: 0.11 s, width: 0.1 s}}}}}}\n" BODIES
         DAMPED_ROPE RUN,
     {"drums.pulley.drive.pd.setpoint.pulses.start", "drums.pulley.drive.pd.setpoint.pulses.width"},
     {"bodies.left.y", "drums.pulley.angle@0.25", "energy.motion_work", "energy.kinetic", "energy.damping"}},
    {"the release of a block on a rail, and of a load",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [1, 0], drive: {rotation: {ramp: {rate: -1 rad/s}}}}}\n"
     "bodies: {left: {mass: 20 kg, at: [0, 0.2], direction: [1, 0], held_until: 0.1 s, v: 0.1 m/s},\n"
     "         right: {mass: 8 kg, position: [1.2, -1], held_until: 0.15 s, velocity: [0, -0.1]}}\n"
     "contacts: {rail: {between: [left, ground], normal: weight, friction: {quinn: {mu: 0.3, epsilon: 10 "
     "mm/s}}}}\n" DAMPED "    path: [left, over pulley, right]\n" RUN,
     {"bodies.left.held_until", "bodies.right.held_until", "bodies.right.velocity.1"},
     {"bodies.left.x", "bodies.right.vy@0.25", "bodies.left.v@0.25", "energy.kinetic", "energy.motion_work",
      "energy.friction"}},
    {"a winch that starts with a blow",
     "capstan: 1\n"
     "drums: {winch: {radius: 250 mm, drive: {rotation: {ramp: {rate: 1 rad/s, start: 20 ms}}}}}\n"
     "bodies: {load: {mass: 10 kg}}\n" WOUND("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}") WOUND_RUN,
     {"drums.winch.drive.rotation.ramp.start", "drums.winch.drive.rotation.ramp.rate"},
     {"bodies.load.y", "bodies.load.vy", "energy.kinetic", "energy.motion_work", "bodies.load.vy@0.03"}},
    {"such a winch, and bristles",
     "capstan: 1\n"
     "drums: {winch: {radius: 250 mm, drive: {rotation: {ramp: {rate: 1 rad/s, start: 20 ms}}}}}\n"
     "bodies: {load: {mass: 10 kg}}\n" WOUND("dahl: {mu: 0.25, sigma0: 3e5}") WOUND_RUN,
     {"drums.winch.drive.rotation.ramp.start"},
     {"bodies.load.y", "bodies.load.vy", "energy.kinetic", "energy.motion_work"}},
    {"a motion whose ends are smooth",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, drive: {rotation: {cycloid: {amplitude: 20 deg, duration: 0.15 "
     "s, start: 0.05 s}}}}}\n" BODIES DAMPED_ROPE RUN,
     {"drums.pulley.drive.rotation.cycloid.start", "drums.pulley.drive.rotation.cycloid.duration"},
     {"bodies.left.y@0.15", "bodies.left.vy@0.15", "energy.motion_work", "energy.kinetic@0.15"}},
};

static cps_sens *derivatives(const cps_scenario *s, const example *x, cps_sens_method method) {
  return differentiate(s, x->name, x->wrt, count(x->wrt, ROWS(x->wrt)), x->of, count(x->of, ROWS(x->of)),
                       method);
}

/* Whether anything was said about jumps. */
static int warned(const cps_sens *y) {
  int found = 0;
  for (int i = 0; cps_sens_warning(y, i); i++) found |= strstr(cps_sens_warning(y, i), "jump") != NULL;
  return found;
}

/* Differences are whole runs, which the sanitizers see in the other two. */
#ifdef SANITIZED
enum { DIFFERENCES = 0 };
#else
enum { DIFFERENCES = 1 };
#endif

static void check(const example *x, const char *solver) {
  char text[4000];
  snprintf(text, sizeof text, "%s%s}\n", x->text, solver);
  cps_scenario *s = parse(text);
  cps_sens *forward = derivatives(s, x, CPS_SENS_FORWARD), *adjoint = derivatives(s, x, CPS_SENS_ADJOINT),
           *runs = DIFFERENCES ? derivatives(s, x, CPS_SENS_DIFFERENCES) : NULL;
  assert_false(warned(forward));
  assert_false(warned(adjoint));
  for (int k = 0; k < cps_sens_parameters(forward); k++)
    for (int i = 0; i < cps_sens_outputs(forward); i++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      double scale = fabs(cps_sens_value(forward, i) / cps_sens_parameter(forward, k)->value);
      if (!(fabs(f - a) <= 1e-8 * (fabs(f) + scale)))
        fail_msg("%s by %s: d(%s)/d(%s): forward %.12g, adjoint %.12g", x->name, solver, x->of[i], x->wrt[k],
                 f, a);
      if (!runs) continue;
      double d = cps_sens_gradient(runs, i, k);
      /* works of a blow are the last to be resolved, by either */
      double known = strstr(x->of[i], "work") || strstr(x->of[i], "friction") || strstr(x->of[i], "damping")
                         ? 0.05
                         : 0.01;
      if (getenv("SHOW"))
        printf("%-45.45s %-5s %-28s %-45s %12.7g off %.1e of %.1e\n", x->name, solver, x->of[i], x->wrt[k], f,
               fabs(f - d) / (fabs(f) + 0.1 * scale), known);
      if (!(fabs(f - d) <= known * (fabs(f) + 0.1 * scale)))
        fail_msg("%s by %s: d(%s)/d(%s): %.7g, differences %.7g", x->name, solver, x->of[i], x->wrt[k], f, d);
    }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_sens_free(runs);
  cps_scenario_free(s);
}

static void test_alpha(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(examples); i++) check(&examples[i], "alpha");
}

static void test_bdf(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(examples); i++) check(&examples[i], "bdf");
}

/* Derivatives of a blow that steps do not resolve are those of one that they do: behind the jump steps move with it. With the
 * difference of rates at the jump itself instead, d(y)/d(start) was off by a third at 0.1 ms. */
static void test_long_steps(void **state) {
  (void)state;
  const example *x = &examples[3];
  const char *const coarse[] = {"0.1", "0.2"};
  char text[2][4000], *at;
  snprintf(text[0], sizeof text[0], "%salpha}\n", x->text);
  cps_scenario *fine = parse(text[0]);
  cps_sens *exact = derivatives(fine, x, CPS_SENS_FORWARD);
  for (int n = 0; n < 2; n++) {
    memcpy(text[1], text[0], sizeof text[1]);
    at = strstr(text[1], "0.02 ms");
    assert_non_null(at);
    snprintf(at, sizeof text[1] - (size_t)(at - text[1]), "%s%s", coarse[n],
             strstr(text[0], "0.02 ms") + strlen("0.02"));
    cps_scenario *s = parse(text[1]);
    cps_sens *y = derivatives(s, x, CPS_SENS_FORWARD);
    for (int i = 0; i < cps_sens_outputs(y); i++) {
      double of = cps_sens_gradient(exact, i, 0), is = cps_sens_gradient(y, i, 0);
      if (!(fabs(is - of) <= 0.01 * fabs(of)))
        fail_msg("d(%s)/d(%s) is %.7g with steps of %s ms, %.7g with short ones", x->of[i], x->wrt[0], is,
                 coarse[n], of);
    }
    cps_sens_free(y);
    cps_scenario_free(s);
  }
  cps_sens_free(exact);
  cps_scenario_free(fine);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alpha), cmocka_unit_test(test_bdf),
                                     cmocka_unit_test(test_long_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
