/* lugre.c - one bristle that yields: Dahl, LuGre and its variants, elasto-plastic.
 *
 * All share z' = v - a |v| z/z_ss(v) with z_ss = g(v)/sigma0, and f = -(sigma0 z + sigma1 z' + sigma2 v)
 * times the normal force, where stiffness and damping are per unit of it. In steady sliding f = -n g(v) sgn v
 * - ... : the Stribeck curve. Laws that keep the force or the stiffness absolute, as their authors do, say
 * so.
 */
#include "laws.h"

/* The bristle at (v, z) for a yield level g: rate and force, with derivatives in v, z, g, s0, s1, s2. */
typedef struct bristle {
  double r, r_v, r_z, r_g, r_s0;
  double f, f_v, f_z, f_g, f_s0, f_s1, f_s2;
} bristle;

static bristle lugre_bristle(double v, double z, double g, double s0, double s1, double s2) {
  bristle b;
  double w = fabs(v) / g;
  b.r = v - s0 * w * z;
  b.r_v = 1 - s0 * direction(v) * z / g;
  b.r_z = -s0 * w;
  b.r_g = s0 * w * z / g;
  b.r_s0 = -w * z;
  b.f = s0 * z + s1 * b.r + s2 * v;
  b.f_v = s1 * b.r_v + s2;
  b.f_z = s0 + s1 * b.r_z;
  b.f_g = s1 * b.r_g;
  b.f_s0 = z + s1 * b.r_s0;
  b.f_s1 = b.r;
  b.f_s2 = v;
  return b;
}

/* A step of implicit Euler: z = z0 + time (v - w z), w = sigma0 |v|/g, is linear in z. `g_v` is dg/dv and g_n dg/dn; the force of the
 * bristle per unit of load, and its derivatives. */
static cps_law_step bristle_step(double v, double z0, double time, double g, double g_v, double g_n,
                                 double s0, double s1, double s2) {
  cps_law_step o;
  double per = s0 / g, w = per * fabs(v), w_g = -w / g, w_v = per * direction(v) + w_g * g_v, w_n = w_g * g_n;
  double less = 1 / (1 + time * w);
  o.z = (z0 + time * v) * less;
  o.z_t = v - w * o.z;
  double z_v = time * less * (1 - w_v * o.z), z_n = -time * less * w_n * o.z;
  o.f = s0 * o.z + s1 * o.z_t + s2 * v;
  o.f_v = s0 * z_v + s1 * (1 - w_v * o.z - w * z_v) + s2;
  o.f_n = s0 * z_n - s1 * (w_n * o.z + w * z_n);
  return o;
}

/* Of a force that is proportional to the load, or does not know it. */
static void load_step(cps_law_step *o, double n) {
  o->f_n = -o->f - n * o->f_n;
  o->f *= -n;
  o->f_v *= -n;
}
static void free_step(cps_law_step *o) {
  o->f_n = -o->f_n;
  o->f = -o->f;
  o->f_v = -o->f_v;
}

/* Dahl (1968), first order: f = -n sigma0 z, z' = v - sigma0 |v| z/mu. */
static void dahl(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                 cps_law_jacobian *jac) {
  enum { MU, SIGMA0 };
  (void)law;
  bristle b = lugre_bristle(in->v, in->z[0], p[MU], p[SIGMA0], 0, 0);
  out->f = -in->n * b.f;
  out->z_t[0] = b.r;
  if (!jac) return;
  jac->f.n = -b.f;
  jac->f.z[0] = -in->n * p[SIGMA0];
  jac->f.p[SIGMA0] = -in->n * in->z[0];
  jac->z_t[0].v = b.r_v;
  jac->z_t[0].z[0] = b.r_z;
  jac->z_t[0].p[MU] = b.r_g;
  jac->z_t[0].p[SIGMA0] = b.r_s0;
}

static void dahl_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                      cps_law_step *out) {
  (void)law;
  *out = bristle_step(in->v, in->z[0], time, p[0], 0, 0, p[1], 0, 0);
  load_step(out, in->n);
}

static void dahl_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, 1);
  s->z[0] = p[0] / p[1];
}

/* The parameters of the three LuGre variants are in the same order. */
enum { G_S, G_D, V_S, EXPONENT, SIGMA0, SIGMA1, SIGMA2 };

/* Writes one row of derivatives for a bristle quantity y = factor * q(v, z, g(v)), given q's partials. */
static void lugre_row(cps_partials *row, double factor, const stribeck *c, double level, double q_v,
                      double q_z, double q_g, double q_s0, double q_s1, double q_s2) {
  row->v = factor * (q_v + q_g * level * c->g_v);
  row->z[0] = factor * q_z;
  row->p[G_S] = factor * q_g * level * c->g_mu_s;
  row->p[G_D] = factor * q_g * level * c->g_mu_d;
  row->p[V_S] = factor * q_g * level * c->g_v_s;
  row->p[EXPONENT] = factor * q_g * level * c->g_exponent;
  row->p[SIGMA0] = factor * q_s0;
  row->p[SIGMA1] = factor * q_s1;
  row->p[SIGMA2] = factor * q_s2;
}

/* LuGre with the yield level g(v) times `level`, and the force times `load`. */
static bristle lugre_with(const double *p, const cps_law_input *in, double level, double load,
                          cps_law_output *out, cps_law_jacobian *jac) {
  stribeck c = stribeck_curve(in->v, p[G_S], p[G_D], p[V_S], p[EXPONENT]);
  bristle b = lugre_bristle(in->v, in->z[0], level * c.g, p[SIGMA0], p[SIGMA1], p[SIGMA2]);
  out->f = -load * b.f;
  out->z_t[0] = b.r;
  if (jac) {
    lugre_row(&jac->f, -load, &c, level, b.f_v, b.f_z, b.f_g, b.f_s0, b.f_s1, b.f_s2);
    lugre_row(&jac->z_t[0], 1, &c, level, b.r_v, b.r_z, b.r_g, b.r_s0, 0, 0);
    /* with respect to the level: g enters as level * c.g */
    b.f_g *= c.g;
    b.r_g *= c.g;
  }
  return b;
}

/* LuGre (Canudas de Wit et al. 1995), forces in newtons: no normal force at all. */
static void lugre(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                  cps_law_jacobian *jac) {
  (void)law;
  lugre_with(p, in, 1, 1, out, jac);
}

/* A step with the yield level g(v) times `level`, which grows with the load by level_n. */
static cps_law_step lugre_step_with(const double *p, const cps_law_input *in, double time, double level,
                                    double level_n) {
  stribeck_decay d = stribeck_decay_at(in->v, p[V_S], p[EXPONENT]);
  double g_v, g = stribeck_level(&d, in->v, p[G_S], p[G_D], p[V_S], p[EXPONENT], &g_v);
  return bristle_step(in->v, in->z[0], time, level * g, level * g_v, level_n * g, p[SIGMA0], p[SIGMA1],
                      p[SIGMA2]);
}

static void lugre_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                       cps_law_step *out) {
  (void)law;
  *out = lugre_step_with(p, in, time, 1, 0);
  free_step(out);
}

static void lugre_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law, (void)n;
  set_scale(s, p[G_S], INFINITY, 0, p[V_S]);
  s->z[0] = fmax(p[G_S], p[G_D]) / p[SIGMA0];
}

/* LuGre with everything proportional to the normal force (Astrom and Canudas de Wit 2008; tyre literature):
 * f = -n (sigma0 z + sigma1 z' + sigma2 v), z' = v - sigma0 |v| z/mu(v). */
static void lugre_load(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                       cps_law_jacobian *jac) {
  (void)law;
  bristle b = lugre_with(p, in, 1, in->n, out, jac);
  if (jac) jac->f.n = -b.f;
}

static void lugre_load_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                            cps_law_step *out) {
  (void)law;
  *out = lugre_step_with(p, in, time, 1, 0);
  load_step(out, in->n);
}

static void lugre_load_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  lugre_scale(law, p, n, s);
  s->f_stick *= n;
}

/* LuGre as in Adams, Schuderer Eqs. (2-4): f = -(sigma0 z + sigma1 z' + sigma2 v),
 * z' = v - sigma0 |v| z/(n mu(v)). Without load z' would be infinite: n counts as at least LOAD_MIN. */
#define LOAD_MIN 1e-6
static void lugre_adams(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                        cps_law_jacobian *jac) {
  (void)law;
  int loaded = in->n > LOAD_MIN;
  bristle b = lugre_with(p, in, loaded ? in->n : LOAD_MIN, 1, out, jac);
  if (!jac || !loaded) return;
  jac->f.n = -b.f_g;
  jac->z_t[0].n = b.r_g;
}

static void lugre_adams_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                             cps_law_step *out) {
  (void)law;
  int loaded = in->n > LOAD_MIN;
  *out = lugre_step_with(p, in, time, loaded ? in->n : LOAD_MIN, loaded);
  free_step(out);
}

static void lugre_adams_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  lugre_scale(law, p, n, s);
  s->f_stick *= n;
  s->z[0] *= n;
}

/* Elasto-plastic (Dupont et al. 2002): z' = v (1 - a z/z_ss) where a(z, v) = 0 up to the break-away
 * deflection z_ba and while z is pushed back, 1 from z_ss, and half a sine between; z_ss = mu(v)/sigma0 in
 * the direction of v. So small loads are purely elastic: no drift. */
static void elasto_plastic(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                           cps_law_jacobian *jac) {
  enum { Z_BA = SIGMA2 + 1 };
  (void)law;
  double v = in->v, z = in->z[0], s0 = p[SIGMA0], s1 = p[SIGMA1], pi = acos(-1.0);
  stribeck c = stribeck_curve(v, p[G_S], p[G_D], p[V_S], p[EXPONENT]);
  double most = c.g / s0, width = most - p[Z_BA];
  double a = 0, a_x = 0, x = 0; /* a(x), x = (|z| - z_ba)/(z_ss - z_ba) */
  if (v * z > 0 && fabs(z) > p[Z_BA]) {
    x = (fabs(z) - p[Z_BA]) / width;
    a = x >= 1 ? 1 : (1 - cos(pi * x)) / 2;
    a_x = x >= 1 ? 0 : pi / 2 * sin(pi * x);
  }
  double ratio = fabs(z) / most; /* z/z_ss when v z > 0 */
  double r = v * (1 - a * ratio);
  out->z_t[0] = r;
  out->f = -in->n * (s0 * z + s1 * r + p[SIGMA2] * v);
  if (!jac) return;
  /* r through |z|, z_ss and z_ba; z_ss through g(v) and sigma0 */
  double d = direction(z);
  double r_a = -v * ratio;
  double r_z = a_x == 0 && a == 0 ? 0 : (r_a * a_x / width - v * a / most) * d;
  double r_most = a_x == 0 && a == 0 ? 0 : -r_a * a_x * x / width + v * a * ratio / most;
  double r_ba = a_x == 0 ? 0 : r_a * a_x * (x - 1) / width;
  double r_g = r_most / s0, r_s0 = -r_most * most / s0;
  lugre_row(&jac->z_t[0], 1, &c, 1, 1 - a * ratio, r_z, r_g, r_s0, 0, 0);
  lugre_row(&jac->f, -in->n, &c, 1, s1 * (1 - a * ratio) + p[SIGMA2], s0 + s1 * r_z, s1 * r_g, z + s1 * r_s0,
            r, v);
  jac->z_t[0].p[Z_BA] = r_ba;
  jac->f.p[Z_BA] = -in->n * s1 * r_ba;
  jac->f.n = -(s0 * z + s1 * r + p[SIGMA2] * v);
}

static const char *elasto_plastic_check(const cps_law *law, const double *p) {
  enum { Z_BA = SIGMA2 + 1 };
  (void)law;
  return p[Z_BA] < 0.999 * fmin(p[G_S], p[G_D]) / p[SIGMA0]
             ? NULL
             : "z_ba must be below mu_s/sigma0 and mu_d/sigma0";
}

static const cps_param dahl_params[] = {{"mu", "1", 0.5, 1e-6, 100, "friction coefficient"}, P_STIFFNESS};
static const cps_param lugre_params[] = {
    {"f_s", "N", 1.5, 1e-6, 1e12, "static friction force"},
    {"f_c", "N", 1, 1e-6, 1e12, "Coulomb friction force"},
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    P_EXPONENT,
    {"sigma0", "N/m", 1e5, 1e-3, 1e15, "bristle stiffness"},
    {"sigma1", "N s/m", 316.22776601683796, 0, 1e12, "bristle damping"},
    {"sigma2", "N s/m", 0.4, 0, 1e12, "viscous damping"},
};
static const cps_param load_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    P_EXPONENT,
    P_STIFFNESS,
    {"sigma1", "s/m", 100, 0, 1e12, "bristle damping per unit normal force"},
    {"sigma2", "s/m", 0.1, 0, 1e12, "viscous damping per unit normal force"},
};
static const cps_param adams_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    P_EXPONENT,
    {"sigma0", "N/m", 1e5, 1e-3, 1e15, "bristle stiffness"},
    {"sigma1", "N s/m", 316.22776601683796, 0, 1e12, "bristle damping"},
    {"sigma2", "N s/m", 0.4, 0, 1e12, "viscous damping"},
};
static const cps_param elasto_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    P_EXPONENT,
    P_STIFFNESS,
    {"sigma1", "s/m", 100, 0, 1e12, "bristle damping per unit normal force"},
    {"sigma2", "s/m", 0.1, 0, 1e12, "viscous damping per unit normal force"},
    {"z_ba", "m", 2e-6, 1e-15, 1e3, "break-away deflection: elastic below it"},
};
static const cps_state deflection[] = {Z_DEFLECTION};

#define MICRO_DAMPING "Unbounded: bristle damping sigma1 z' and viscous damping grow with the velocity. "

static const cps_law laws[] = {
    {.name = "dahl",
     .family = "bristle",
     .title = "Dahl",
     .equation = "f = -n sigma0 z,  z' = v - sigma0 |v| z/mu",
     .citation = "P. R. Dahl, A solid friction model, Aerospace Corp., 1968",
     .note = "Dahl's exponent is 1. There is no static peak. A bristle that shakes about a load drifts with "
             "it, in "
             "every solver: 1 kg pushed by 3 N of the 4.9 N that slide it goes 40 um in 90 s, as nothing but "
             "the law "
             "itself damps it.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(dahl_params),
     .params = dahl_params,
     .n_states = 1,
     .states = deflection,
     .eval = dahl,
     .scale = dahl_scale,
     .step = dahl_step},
    {.name = "lugre",
     .family = "bristle",
     .title = "LuGre",
     .equation =
         "f = -(sigma0 z + sigma1 z' + sigma2 v),  z' = v - sigma0 |v| z/g(v),  g = f_c + (f_s - f_c) "
         "exp(-|v/v_s|^exponent)",
     .citation =
         "C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky, IEEE Trans. Autom. Control 40(3), 1995",
     .note = "The original, with forces in newtons. Not zero without load: it does not know the normal "
             "force. See "
             "lugre-load and lugre-adams. " MICRO_DAMPING
             "It drifts under a load that pulsates below the limit.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE,
     .n_params = COUNT(lugre_params),
     .params = lugre_params,
     .n_states = 1,
     .states = deflection,
     .eval = lugre,
     .scale = lugre_scale,
     .step = lugre_step},
    {.name = "lugre-load",
     .aliases = "lugre-normalised",
     .family = "bristle",
     .title = "LuGre, proportional to the normal force",
     .equation =
         "f = -n (sigma0 z + sigma1 z' + sigma2 v),  z' = v - sigma0 |v| z/mu(v),  mu(v) = mu_d + (mu_s - "
         "mu_d) exp(-|v/v_s|^exponent)",
     .citation = "K. J. Astrom, C. Canudas de Wit, IEEE Control Syst. Mag. 28(6), 2008",
     .note = "Stiffness and damping are per unit of normal force, so that the deflection does not depend on "
             "the load. " MICRO_DAMPING,
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES | CPS_UNBOUNDED,
     .n_params = COUNT(load_params),
     .params = load_params,
     .n_states = 1,
     .states = deflection,
     .eval = lugre_load,
     .scale = lugre_load_scale,
     .step = lugre_load_step},
    {.name = "lugre-adams",
     .family = "bristle",
     .title = "LuGre, as in Adams",
     .equation =
         "f = -(sigma0 z + sigma1 z' + sigma2 v),  z' = v - sigma0 |v| z/(n mu(v)),  mu(v) = mu_d + (mu_s - "
         "mu_d) exp(-|v/v_s|^exponent)",
     .citation = "M. Schuderer, G. Rill, T. Schaeffer, C. Schulz, Multibody Syst. Dyn., 2024, Eqs. (2-4)",
     .note = "Differs from lugre-load in that the stiffness is absolute and the load acts on the yield level "
             "alone; so "
             "it does not vanish with the load until the bristle has relaxed. Loads below 1e-6 N count as "
             "that. " MICRO_DAMPING,
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE,
     .n_params = COUNT(adams_params),
     .params = adams_params,
     .n_states = 1,
     .states = deflection,
     .eval = lugre_adams,
     .scale = lugre_adams_scale,
     .step = lugre_adams_step},
    {.name = "elasto-plastic",
     .aliases = "dupont",
     .family = "bristle",
     .title = "Elasto-plastic",
     .equation = "f = -n (sigma0 z + sigma1 z' + sigma2 v),  z' = v (1 - a(z, v) z/z_ss(v)),  a = 0 below "
                 "z_ba, 1 above "
                 "z_ss",
     .citation = "P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Autom. Control 47(5), 2002",
     .note = "Purely elastic below z_ba: no drift, unlike LuGre. " MICRO_DAMPING,
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES | CPS_UNBOUNDED,
     .n_params = COUNT(elasto_params),
     .params = elasto_params,
     .n_states = 1,
     .states = deflection,
     .eval = elasto_plastic,
     .scale = lugre_load_scale,
     .check = elasto_plastic_check},
};

const family cps_family_lugre = {"bristle", COUNT(laws), laws};
