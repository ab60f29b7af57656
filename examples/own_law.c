/* own_law.c - hand in a friction law of your own, and use it as if it were built in.
 *
 * The law is the arctangent f = -mu n (2/pi) atan(v/v_t), which Capstan does not have. A descriptor names it,
 * lists its parameters and holds its functions; from then on every function of the library takes it, and scenarios
 * that are read with it can name it.
 */
#include <capstan.h>
#include <math.h>
#include <stdio.h>

enum { MU, V_T, N_PARAMS };

static const double two_over_pi = 0.63661977236758134308;

/* Force and the derivatives that are not zero; the library has zeroed the rest and made n >= 0. */
static void arctangent(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                       cps_law_jacobian *jac) {
  (void)law;
  double x = in->v / p[V_T];
  double m = two_over_pi * atan(x), m_x = two_over_pi / (1 + x * x);
  out->f = -p[MU] * in->n * m;
  if (!jac) return;
  jac->f.v = -p[MU] * in->n * m_x / p[V_T];
  jac->f.n = -p[MU] * m;
  jac->f.p[MU] = -in->n * m;
  jac->f.p[V_T] = p[MU] * in->n * m_x * x / p[V_T];
}

/* How large the force gets, and over which velocities it varies. */
static void arctangent_scale(const cps_law *law, const double *p, double n, cps_law_scale *scale) {
  (void)law;
  scale->f_stick = scale->f_peak = p[MU] * n;
  scale->v_scale = p[V_T];
}

static const cps_param params[N_PARAMS] = {
    {"mu", "1", 0.5, 0, 100, "friction coefficient"},
    {"v_t", "m/s", 0.01, 1e-12, 1e6, "velocity of half the friction"},
};

static const cps_law own = {
    .name = "arctangent",
    .family = "mine",
    .title = "Arctangent",
    .equation = "f = -mu n (2/pi) atan(v/v_t)",
    .citation = "folklore",
    .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
    .n_params = N_PARAMS,
    .params = params,
    .eval = arctangent,
    .scale = arctangent_scale,
};

/* The velocity with which a law lets a load of `share` of its limit creep: Newton's method, with the law's
 * own derivative. Works with any law that depends on the velocity alone, built in or not. */
static double creep(const cps_law *law, double share, double n) {
  double p[CPS_MAX_PARAMS];
  cps_law_scale scale;
  cps_law_defaults(law, p);
  cps_law_scales(law, p, n, &scale);
  cps_law_input in = {.v = 0, .n = n, .mode = CPS_MODE_FREE};
  for (int i = 0; i < 30; i++) {
    cps_law_output out;
    cps_law_jacobian jac;
    cps_law_eval(law, p, &in, &out, &jac);
    in.v -= (out.f + share * scale.f_stick) / jac.f.v;
  }
  return in.v;
}

/* A block that half the load of its limit pulls over the ground: its velocity after a second, and how that changes with v_t. */
static int run(const cps_laws *laws, double *v, double *by_v_t) {
  static const char text[] =
      "capstan: 1\n"
      "bodies: {block: {mass: 1 g}}\n"
      "contacts: {floor: {between: [block, ground], normal: 10 N, friction: {arctangent: {v_t: 10 "
      "mm/s}}}}\n"
      "loads: {pull: {on: block, force: 2.5 N}}\n"
      "run: {until: 1 s, tolerance: 1e-9}\n";
  const char *wrt[] = {"contacts.floor.friction.v_t"}, *of[] = {"bodies.block.v"};
  cps_load_options options = {.laws = laws};
  cps_problems *problems = NULL;
  cps_error err = {0};
  cps_scenario *scenario = cps_scenario_parse_with(text, sizeof text - 1, "block", &options, &problems);
  if (!scenario) fprintf(stderr, "%s\n", cps_problems_at(problems, 0)->text);
  cps_sens *sens = scenario ? cps_sens_new(scenario, wrt, 1, of, 1, &err) : NULL;
  int good = sens && cps_sens_run(sens, CPS_SENS_FORWARD, NULL, NULL, &err) == CPS_OK;
  if (scenario && !good) fprintf(stderr, "%s\n", err.text);
  if (good) {
    *v = cps_sens_value(sens, 0);
    *by_v_t = cps_sens_gradient(sens, 0, 0);
  }
  cps_sens_free(sens);
  cps_scenario_free(scenario);
  cps_problems_free(problems);
  return good;
}

int main(void) {
  cps_error err;
  if (cps_law_validate(&own, &err) != CPS_OK) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  double mine = creep(&own, 0.5, 10);
  double theirs = creep(cps_law_find("tanh"), 0.5, 10);
  printf("under half the load that it can bear, %s creeps at %.3f mm/s\n", own.title, 1000 * mine);
  printf("and %s at %.3f mm/s\n", cps_law_find("tanh")->title, 1000 * theirs);

  /* By its name in a scenario. */
  double v = 0, by_v_t = 0;
  cps_laws *laws = cps_laws_new();
  int good = laws && cps_laws_add(laws, &own, &err) == CPS_OK && run(laws, &v, &by_v_t);
  cps_laws_free(laws);
  printf("a block that is pulled so comes to %.3f mm/s, and to %.3f times as much as v_t\n", 1000 * v,
         by_v_t);

  /* All are known: v_t tan(pi/4) and v_t atanh(1/2); the first is linear in v_t. */
  good = good && fabs(v - 0.01) < 1e-8 && fabs(by_v_t - 1) < 1e-6;
  return good && fabs(mine - 0.01) < 1e-12 && fabs(theirs - 0.01 * atanh(0.5)) < 1e-12 ? 0 : 1;
}
