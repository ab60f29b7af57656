/* verify_sens_pulley_slow.c - derivatives through the motorised pulley of Westin and Irani, 40 elements: where its load ends,
 * the torque, the slip work, by what the machine is made of and how it is driven. Against differences of runs with the
 * same steps; the adjoint against the forward method; and at other steps, fixed and adaptive. */
#include "test.h"

#define TEXT                                                                                                 \
  "capstan: 1\n"                                                                                             \
  "gravity: [0, -9.81]\n"                                                                                    \
  "drums:\n"                                                                                                 \
  "  pulley:\n"                                                                                              \
  "    radius: 250 mm\n"                                                                                     \
  "    drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 45 deg, duration: 10 s}}}}\n"           \
  "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                                                    \
  "cables:\n"                                                                                                \
  "  rope:\n"                                                                                                \
  "    EA: 9.2 MN\n"                                                                                         \
  "    EI: 0.7 N m2\n"                                                                                       \
  "    mass_per_length: 0.4555 kg/m\n"                                                                       \
  "    damping: {rayleigh: 10 N s}\n"                                                                        \
  "    quadrature: {axial: 5}\n"                                                                             \
  "    elements: 40\n"                                                                                       \
  "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"                                               \
  "    contact:\n"                                                                                           \
  "      at: nodes\n"                                                                                        \
  "      normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: 1}}\n"                             \
  "      friction: {%s}\n"                                                                                   \
  "run: {until: 10 s, solver: alpha, output: 1 s%s}\n"

enum { N_WRT = 10, N_OF = 4 };

static const char *const of[N_OF] = {"bodies.right.y", "bodies.left.y@4", "mean(drums.pulley.torque)",
                                     "cables.rope.pulley.slip_work"};

/* How well differences know them: torques and slip work are sums that nearly cancel, of forces that round-off moves. */
static const double known[N_OF] = {2e-5, 2e-5, 2e-3, 5e-5};

static void paths(const char *law, char mu[64], const char *wrt[N_WRT]) {
  static const char *const others[N_WRT - 1] = {"cables.rope.EA",
                                                "cables.rope.EI",
                                                "cables.rope.contact.normal.hunt-crossley.stiffness",
                                                "cables.rope.mass_per_length",
                                                "bodies.left.mass",
                                                "bodies.right.mass",
                                                "drums.pulley.drive.pd.kp",
                                                "drums.pulley.drive.pd.kd",
                                                "drums.pulley.drive.pd.setpoint.cycloid.amplitude"};
  snprintf(mu, 64, "cables.rope.contact.friction.%s.mu", law);
  wrt[0] = mu;
  for (int i = 1; i < N_WRT; i++) wrt[i] = others[i - 1];
}

static cps_scenario *pulley(const char *friction, const char *step) {
  char text[2000];
  cps_problems *problems = NULL;
  snprintf(text, sizeof text, TEXT, friction, step);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), NULL, NULL, 0, &problems);
  if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  return s;
}

static cps_sens *differentiate(const cps_scenario *s, const char *const *wrt, int n, cps_sens_method method) {
  cps_error err = {0};
  cps_sens *y = cps_sens_new(s, wrt, n, of, N_OF, &err);
  if (!y || cps_sens_run(y, method, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
  return y;
}

static void values(const cps_scenario *s, const char *path, double value, double *out) {
  static const char *const any[] = {"cables.rope.EA"};
  cps_scenario *moved = cps_scenario_with(s, &path, &value, 1, NULL);
  assert_non_null(moved);
  cps_sens *y = differentiate(moved, any, 1, CPS_SENS_ADJOINT);
  for (int i = 0; i < N_OF; i++) out[i] = cps_sens_value(y, i);
  cps_sens_free(y);
  cps_scenario_free(moved);
}

static void compare(const char *law, const char *friction) {
  char mu[64];
  const char *wrt[N_WRT];
  paths(law, mu, wrt);
  cps_scenario *s = pulley(friction, ", step: 10 ms, balance: 1e-12");
  cps_sens *forward = differentiate(s, wrt, N_WRT, CPS_SENS_FORWARD),
           *adjoint = differentiate(s, wrt, N_WRT, CPS_SENS_ADJOINT);
  for (int k = 0; k < N_WRT; k++) {
    double x = cps_sens_parameter(forward, k)->value, d[2][N_OF], v[2][N_OF];
    for (int j = 0; j < 2; j++) {
      double h = 1e-6 * x * (j + 1); /* in which nobody changes between sticking and slipping */
      values(s, wrt[k], x + h, v[0]);
      values(s, wrt[k], x - h, v[1]);
      for (int i = 0; i < N_OF; i++) d[j][i] = (v[0][i] - v[1][i]) / (2 * h);
    }
    for (int i = 0; i < N_OF; i++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      double expected = (4 * d[0][i] - d[1][i]) / 3, doubt = fabs(d[0][i] - d[1][i]);
      double scale = fabs(cps_sens_value(forward, i) / x);
      if (!(fabs(f - a) <=
            (i == 2 ? 1e-8 : 1e-9) * (fabs(f) + scale))) /* torques are sums that nearly cancel */
        fail_msg("%s: d(%s)/d(%s): forward %.12g, adjoint %.12g", law, of[i], wrt[k], f, a);
      if (!(fabs(f - expected) <= known[i] * (fabs(f) + 0.1 * scale) + doubt))
        fail_msg("%s: d(%s)/d(%s): %.10g, differences %.10g, in doubt by %.2g", law, of[i], wrt[k], f,
                 expected, doubt);
    }
  }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

static void test_clamp(void **state) {
  (void)state;
  compare("quinn", "quinn: {mu: 0.25, epsilon: 10 mm/s}");
}

static void test_smooth(void **state) {
  (void)state;
  compare("cdq", "cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}");
}

static void test_jump(void **state) {
  (void)state;
  compare("coulomb", "coulomb: {mu: 0.25}");
}

/* Steps that are short, long, or chosen by their error: the derivative of where the load ends by what drives it. */
static void test_steps(void **state) {
  static const char *const steps[] = {", step: 2 ms", ", step: 10 ms", ", tolerance: 1e-5"};
  static const char *const wrt[] = {"drums.pulley.drive.pd.setpoint.cycloid.amplitude", "cables.rope.EI"};
  double found[3][2];
  (void)state;
  for (int i = 0; i < 3; i++) {
    cps_scenario *s = pulley("cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: 0.9}", steps[i]);
    cps_sens *forward = differentiate(s, wrt, 2, CPS_SENS_FORWARD),
             *adjoint = differentiate(s, wrt, 2, CPS_SENS_ADJOINT);
    for (int k = 0; k < 2; k++) {
      found[i][k] = cps_sens_gradient(forward, 0, k);
      assert_true(fabs(cps_sens_gradient(adjoint, 0, k) - found[i][k]) <= 1e-8 * fabs(found[i][k]));
    }
    cps_sens_free(forward);
    cps_sens_free(adjoint);
    cps_scenario_free(s);
  }
  for (int i = 1; i < 3; i++)
    for (int k = 0; k < 2; k++)
      if (!(fabs(found[i][k] - found[0][k]) <= 0.05 * fabs(found[0][k])))
        fail_msg("%s by%s: %g, with short steps %g", wrt[k], steps[i], found[i][k], found[0][k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clamp),
      cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_jump),
      cmocka_unit_test(test_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
