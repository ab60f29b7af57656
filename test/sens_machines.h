/* sens_machines.h - what tests of derivatives of cables share: parts of machines, reading them, and differentiating. */
#ifndef CPS_TEST_SENS_MACHINES_H
#define CPS_TEST_SENS_MACHINES_H

#include "test.h"

#define CABLE(law, where, damping)                                                                           \
  "cables:\n"                                                                                                \
  "  rope:\n"                                                                                                \
  "    EA: 0.2 MN\n"                                                                                         \
  "    EI: 0.7 N m2\n"                                                                                       \
  "    mass_per_length: 0.45 kg/m\n"                                                                         \
  "    damping: {rayleigh: 5 N s" damping "}\n"                                                              \
  "    elements: 20\n"                                                                                       \
  "    contact: {at: " where ", normal: {hunt-crossley: {stiffness: 2e6, exponent: 1.5, damping: 1}},\n"     \
  "              friction: {" law "}}\n"
#define ROPE(law, where) CABLE(law, where, "")
#define LOADS            "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}}\n"
#define OVER             "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
#define PD               "drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 30 deg, duration: 0.3 s}}}}"
#define PULLEY(drive)    "drums: {pulley: {radius: 250 mm, center: [0.1, 0.2], " drive "}}\n"
#define COMMON                                                                                               \
  "cables.rope.EA", "cables.rope.EI", "cables.rope.mass_per_length", "cables.rope.damping.rayleigh"
#define HUNT "cables.rope.contact.normal.hunt-crossley.stiffness"

static MAYBE_UNUSED cps_scenario *parse(const char *text) {
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), NULL, NULL, 0, &problems);
  if (!s) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  return s;
}

static MAYBE_UNUSED int count(const char *const *list, int most) {
  int n = 0;
  while (n < most && list[n]) n++;
  return n;
}

static MAYBE_UNUSED cps_sens *differentiate(const cps_scenario *s, const char *name, const char *const *wrt,
                                            int n_wrt, const char *const *of, int n_of,
                                            cps_sens_method method) {
  cps_error err = {0};
  cps_sens *y = cps_sens_new(s, wrt, n_wrt, of, n_of, &err);
  if (!y) fail_msg("%s: %s", name, err.text);
  if (cps_sens_run(y, method, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", name, err.text);
  assert_int_equal(cps_sens_used(y), method);
  return y;
}

#endif
