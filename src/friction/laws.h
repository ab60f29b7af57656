/* laws.h - what the families of friction laws share: parameter rows, curves with their derivatives, families.
 *
 * Every curve returns its value together with the partial derivatives that the chain rule needs, named by a
 * subscript: g_v is dg/dv. Private to src/friction.
 */
#ifndef CPS_LAWS_H
#define CPS_LAWS_H

#include "capstan.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* A family: the laws of one file. */
typedef struct family {
  const char *name;
  int n_laws;
  const cps_law *laws;
} family;

extern const family cps_family_coulomb, cps_family_regularised, cps_family_quinn, cps_family_commercial,
    cps_family_lugre, cps_family_bristle, cps_family_maxwell, cps_family_ratestate;

/* Parameter rows that many laws use, so that the same thing has one name, unit, default and range. */
#define P_MU                                                                                                 \
  { "mu", "1", 0.5, 0, 100, "friction coefficient" }
#define P_MU_S                                                                                               \
  { "mu_s", "1", 0.6, 1e-6, 100, "static friction coefficient" }
#define P_MU_D                                                                                               \
  { "mu_d", "1", 0.4, 1e-6, 100, "dynamic friction coefficient" }
#define P_V_S                                                                                                \
  { "v_s", "m/s", 0.01, 1e-12, 1e6, "Stribeck velocity: decay from static to dynamic friction" }
#define P_EXPONENT                                                                                           \
  { "exponent", "1", 2, 1, 4, "exponent of the Stribeck decay" }
#define P_EPSILON                                                                                            \
  { "epsilon", "m/s", 0.01, 1e-12, 1e6, "regularisation velocity" }
#define P_VISCOUS                                                                                            \
  { "viscous", "N s/m", 0, 0, 1e12, "viscous damping, independent of the load" }
#define P_STIFFNESS                                                                                          \
  { "sigma0", "1/m", 1e5, 1e-3, 1e15, "bristle stiffness per unit normal force" }

/* A deflection state. */
#define Z_DEFLECTION                                                                                         \
  { "z", "m", -1, "bristle deflection" }

static inline double sgn(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* The sign that a sliding direction has at rest is taken positive. */
static inline double direction(double x) { return x < 0 ? -1 : 1; }

static inline double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Fifth-order step of the unit interval: s(0) = 0, s(1) = 1, zero slope and curvature at both ends. */
static inline double step5(double x, double *s_x) {
  if (x <= 0 || x >= 1) {
    *s_x = 0;
    return x <= 0 ? 0 : 1;
  }
  *s_x = 30 * x * x * (1 - x) * (1 - x);
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

/* The odd step from -1 at x = -1 to 1 at x = 1: STEP5(x, -1, -1, 1, 1), slope 15/8 at the origin. */
static inline double odd_step5(double x, double *s_x) {
  double s = 2 * step5((x + 1) / 2, s_x) - 1;
  return s;
}

/* Stribeck curve g(v) = mu_d + (mu_s - mu_d) exp(-|v/v_s|^exponent). */
typedef struct stribeck {
  double g, g_v, g_mu_s, g_mu_d, g_v_s, g_exponent;
} stribeck;

/* Its part that decays: exp(-x^exponent), x = |v/v_s|, with x^exponent and x^(exponent - 1). */
typedef struct stribeck_decay {
  double x, power, below, e;
} stribeck_decay;

static inline stribeck_decay stribeck_decay_at(double v, double v_s, double exponent) {
  stribeck_decay d;
  d.x = fabs(v) / v_s;
  d.power = exponent == 2 ? d.x * d.x : pow(d.x, exponent);
  d.below = exponent == 2 ? d.x : exponent == 1 ? 1 : pow(d.x, exponent - 1);
  d.e = exp(-d.power);
  return d;
}

/* The curve and its slope. */
static inline double stribeck_level(const stribeck_decay *d, double v, double mu_s, double mu_d, double v_s,
                                    double exponent, double *g_v) {
  *g_v = -(mu_s - mu_d) * d->e * exponent * d->below / v_s * direction(v);
  return mu_s * d->e + mu_d * (1 - d->e); /* never zero, as mu_d + (mu_s - mu_d) e can be by cancellation */
}

static inline stribeck stribeck_curve(double v, double mu_s, double mu_d, double v_s, double exponent) {
  stribeck_decay d = stribeck_decay_at(v, v_s, exponent);
  double x = d.x, power = d.power, e = d.e;
  stribeck s;
  s.g = stribeck_level(&d, v, mu_s, mu_d, v_s, exponent, &s.g_v);
  s.g_mu_s = e;
  s.g_mu_d = 1 - e;
  s.g_v_s = (mu_s - mu_d) * e * exponent * power / v_s;
  s.g_exponent = x > 0 ? -(mu_s - mu_d) * e * power * log(x) : 0;
  return s;
}

/* Sets f = -n m(v) and its derivatives in v and n, given the coefficient m and m_v. */
static inline void set_coefficient(const cps_law_input *in, cps_law_output *out, cps_law_jacobian *jac,
                                   double m, double m_v) {
  out->f = -in->n * m;
  if (jac) {
    jac->f.v = -in->n * m_v;
    jac->f.n = -m;
  }
}

/* What every law without states says of its scales. */
static inline void set_scale(cps_law_scale *s, double f_stick, double f_peak, double v_band, double v_scale) {
  s->f_stick = f_stick;
  s->f_peak = f_peak;
  s->v_band = v_band;
  s->v_scale = v_scale;
}

#endif
