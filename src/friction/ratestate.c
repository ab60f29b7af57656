/* ratestate.c - rate-and-state friction of rocks: Dieterich's aging law and Ruina's slip law.
 *
 * mu = mu_0 + a ln(|v|/v_0) + b psi with the state psi = ln(v_0 theta/d_c), regularised at v = 0 as
 * mu = a asinh(v/(2 v_0) exp((mu_0 + b psi)/a)) (Rice and Ben-Zion 1996; Lapusta et al. 2000). The two laws
 * differ in how the contact age theta evolves.
 *
 * So regularised, friction rises from nothing to its full size within v_0 exp(-mu_0/a), 1e-32 m/s with the defaults, and a
 * velocity that is the difference of two others is known to 1e-17 m/s only: on a belt the last bit of a velocity is worth a third of
 * the normal force, and no step can follow it. Therefore v/u asinh(u ...) stands for asinh(v ...), u = sqrt(v^2 + v_rest^2):
 * relative to the law as printed that changes (v_rest/v)^2/2 of the force, and below v_rest, where it creeps with at most
 * v_rest, friction is proportional to velocity.
 */
#include "laws.h"

enum { MU_0, A, B, D_C, V_0, V_REST };

/* exp(x) that neither overflows nor has an infinite derivative; *on is 0 where it is limited. */
static double limited_exp(double x, double *on) {
  *on = x < 300 ? 1 : 0;
  return exp(x < 300 ? x : 300);
}

/* The force, f = -n (v/u) a asinh(q), q = u/(2 v_0) exp(y), y = (mu_0 + b psi)/a, u = sqrt(v^2 + v_rest^2). The
 * exponential may overflow where asinh does not: beyond `far`, asinh q is ln(2 q) to the last digit. */
static void force(const double *p, const cps_law_input *in, cps_law_output *out, cps_law_jacobian *jac) {
  const double far = 50;
  double psi = in->z[0], y = (p[MU_0] + p[B] * psi) / p[A], u = hypot(in->v, p[V_REST]), s = in->v / u;
  double log_2q = log(u / p[V_0]) + y, q = exp(log_2q < far ? log_2q : far) / 2;
  double arc = log_2q < far ? asinh(q) : log_2q;
  set_coefficient(in, out, jac, s * p[A] * arc, 0);
  if (!jac) return;
  /* part = q/sqrt(1 + q^2) is d arc/d ln q; s_v and s_rest are the derivatives of v/u, c = v_rest/u */
  double part = log_2q < far ? q / sqrt(1 + q * q) : 1, c = p[V_REST] / u, s_v = c * c / u,
         s_rest = -s * c / u;
  jac->f.v = -in->n * p[A] * (s_v * arc + s * s * part / u);
  jac->f.z[0] = -in->n * s * p[B] * part;
  jac->f.p[MU_0] = -in->n * s * part;
  jac->f.p[A] = -in->n * s * (arc - part * y);
  jac->f.p[B] = -in->n * s * part * psi;
  jac->f.p[V_0] = in->n * s * p[A] * part / p[V_0];
  jac->f.p[V_REST] = -in->n * p[A] * (s_rest * arc + s * part * c / u);
}

/* Dieterich (1979): theta' = 1 - |v| theta/d_c, so psi' = (v_0 exp(-psi) - |v|)/d_c: contacts age at rest. */
static void dieterich(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                      cps_law_jacobian *jac) {
  (void)law;
  force(p, in, out, jac);
  double on, e = limited_exp(-in->z[0], &on), a = fabs(in->v), d = p[D_C];
  out->z_t[0] = (p[V_0] * e - a) / d;
  if (!jac) return;
  jac->z_t[0].v = -direction(in->v) / d;
  jac->z_t[0].z[0] = -p[V_0] * e * on / d;
  jac->z_t[0].p[D_C] = -(p[V_0] * e - a) / (d * d);
  jac->z_t[0].p[V_0] = e / d;
}

/* Ruina (1983): theta' = -(|v| theta/d_c) ln(|v| theta/d_c), so psi' = -(|v|/d_c)(ln(|v|/v_0) + psi):
 * contacts change only with slip. */
static void ruina(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                  cps_law_jacobian *jac) {
  (void)law;
  force(p, in, out, jac);
  double a = fabs(in->v), d = p[D_C];
  double lag = log((a > 1e-250 ? a : 1e-250) / p[V_0]) + in->z[0];
  out->z_t[0] = -a / d * lag;
  if (!jac) return;
  jac->z_t[0].v = -(lag + 1) / d * direction(in->v);
  jac->z_t[0].z[0] = -a / d;
  jac->z_t[0].p[D_C] = a / (d * d) * lag;
  jac->z_t[0].p[V_0] = a / (d * p[V_0]);
}

/* psi is -ln(v/v_0) in steady sliding: 40 spans 17 decades. The force grows with ln v; its bound is that at
 * the largest input. */
static void scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  s->z[0] = 40;
  double y = (p[MU_0] + p[B] * s->z[0]) / p[A];
  set_scale(s, p[MU_0] * n, n * (p[A] * (log(CPS_INPUT_MAX / p[V_0]) + y + 1)), 0, p[V_0]);
}

/* From rest the force rises over v_0 exp(-(mu_0 + b psi)/a), which has to remain a number: 400 is e^400. */
static const char *check(const cps_law *law, const double *p) {
  (void)law;
  return p[MU_0] + 40 * p[B] <= 400 * p[A] ? NULL : "a must be at least (mu_0 + 40 b)/400";
}

static const cps_param params[] = {
    {"mu_0", "1", 0.6, 1e-6, 100, "friction coefficient in steady sliding at v_0"},
    {"a", "1", 0.01, 1e-4, 1, "direct effect of velocity"},
    {"b", "1", 0.015, 0, 1, "effect of the state"},
    {"d_c", "m", 1e-5, 1e-12, 1e3, "slip over which contacts are renewed"},
    {"v_0", "m/s", 1e-6, 1e-15, 1e3, "reference velocity"},
    {"v_rest", "m/s", 1e-9, 1e-30, 1,
     "velocity below which the force is proportional to velocity: it has to be resolved by the digits of "
     "velocities"},
};
static const cps_state age[] = {{"psi", "1", 1, "logarithm of contact age, ln(v_0 theta/d_c)"}};

static const cps_law laws[] = {
    {.name = "dieterich",
     .aliases = "aging rate-and-state",
     .family = "rate and state",
     .title = "Dieterich rate-and-state, aging law",
     .equation = "f = -n a v/u asinh(u/(2 v_0) exp((mu_0 + b psi)/a)),  u = sqrt(v^2 + v_rest^2),  psi' = "
                 "(v_0 exp(-psi) - |v|)/d_c",
     .citation = "J. H. Dieterich, J. Geophys. Res. 84(B5), 1979; regularised as in N. Lapusta et al., J. "
                 "Geophys. Res. "
                 "105(B10), 2000",
     .note = "The force grows with the logarithm of velocity. With v_rest towards 0 it is the law as "
             "printed, which rises within "
             "v_0 exp(-mu_0/a), 1e-32 m/s with the defaults: raise v_rest where velocities are large, lower "
             "it where they are small.",
     .traits = CPS_CREEPS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(params),
     .params = params,
     .n_states = 1,
     .states = age,
     .eval = dieterich,
     .scale = scale,
     .check = check},
    {.name = "ruina",
     .aliases = "slip-law",
     .family = "rate and state",
     .title = "Ruina rate-and-state, slip law",
     .equation = "f = -n a v/u asinh(u/(2 v_0) exp((mu_0 + b psi)/a)),  u = sqrt(v^2 + v_rest^2),  psi' = "
                 "-(|v|/d_c)(ln(|v|/v_0) + psi)",
     .citation =
         "A. Ruina, J. Geophys. Res. 88(B12), 1983; regularised as in N. Lapusta et al., J. Geophys. Res. "
         "105(B10), 2000",
     .note = "Differs from dieterich in that nothing changes at rest. v_rest as there. The derivative of "
             "psi' grows like "
             "ln|v| at v = 0.",
     .traits = CPS_CREEPS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES | CPS_LOG_SINGULAR,
     .n_params = COUNT(params),
     .params = params,
     .n_states = 1,
     .states = age,
     .eval = ruina,
     .scale = scale,
     .check = check},
};

const family cps_family_ratestate = {"rate and state", COUNT(laws), laws};
