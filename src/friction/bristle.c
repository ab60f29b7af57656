/* bristle.c - bristles that snap, slide, age or have mass: Haessig-Friedland, Lugris, Gonthier, Rill. */
#include "laws.h"

/* ---- slides ---- */

/* The share in the mean force of a piece that takes the part w of a slide, and in which the force goes from a to b. */
static double mean_share(double w, double a, double b) { return w * (a + b) / 2; }

/* ---- Haessig and Friedland's bristle model ---- */

enum { BRISTLES = 8 };

/* Where bristle i takes hold again after it has snapped, as a fraction of the snapping deflection. Haessig
 * and Friedland draw a random place; these differ from bristle to bristle for the same purpose, that the
 * bristles do not stay in step, and average to zero. */
static double new_place(int i) { return (2.0 * i - (BRISTLES - 1)) / (2.0 * BRISTLES); }

static double snap_at(const double *p) { return 2 * p[0] / p[1]; }

/* f = -n (sigma0/N) sum z_i, z_i' = v; bristle i snaps at |z_i| = 2 mu/sigma0, so that the mean level is mu
 * n. */
static void bristles(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                     cps_law_jacobian *jac) {
  enum { MU, SIGMA0 };
  (void)law;
  double sum = 0;
  for (int i = 0; i < BRISTLES; i++) {
    sum += in->z[i] / BRISTLES;
    out->z_t[i] = in->v;
  }
  out->f = -in->n * p[SIGMA0] * sum;
  if (!jac) return;
  jac->f.n = -p[SIGMA0] * sum;
  jac->f.p[SIGMA0] = -in->n * sum;
  for (int i = 0; i < BRISTLES; i++) {
    jac->f.z[i] = -in->n * p[SIGMA0] / BRISTLES;
    jac->z_t[i].v = 1;
  }
}

static int bristles_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  (void)law, (void)p, (void)in;
  return 0;
}

static void bristles_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                            cps_partials *g_x) {
  enum { MU, SIGMA0 };
  (void)law;
  for (int i = 0; i < BRISTLES; i++) {
    g[i] = snap_at(p) - fabs(in->z[i]);
    if (!g_x) continue;
    g_x[i].z[i] = -direction(in->z[i]);
    g_x[i].p[MU] = 2 / p[SIGMA0];
    g_x[i].p[SIGMA0] = -2 * p[MU] / (p[SIGMA0] * p[SIGMA0]);
  }
}

static int bristles_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard,
                               double *z, cps_partials *z_x) {
  enum { MU, SIGMA0 };
  (void)law;
  double place = new_place(guard) * direction(in->z[guard]);
  z[guard] = place * snap_at(p);
  if (z_x) {
    z_x[guard].z[guard] = 0;
    z_x[guard].p[MU] = place * 2 / p[SIGMA0];
    z_x[guard].p[SIGMA0] = -z[guard] / p[SIGMA0];
  }
  return 0;
}

/* One bristle that slides by x > 0 from z on: it snaps at `limit`, and then again and again from `again` on. Its mean deflection
 * m, and where it ends; both are homogeneous in x, z and the limit, of which `again` is a part. */
typedef struct sawtooth {
  double m, m_x, m_z, m_limit, end, end_z, end_limit;
} sawtooth;

static sawtooth slide_bristle(double x, double z, double limit, double again) {
  sawtooth s = {.m = z + x / 2, .m_x = 0.5, .m_z = 1, .end = z + x, .end_z = 1};
  double first = limit - z, on = first > 0 ? 1 : 0;
  if (x <= first) return s;
  if (on == 0) first = 0;
  double period = limit - again, count = floor((x - first) / period), rest = x - first - count * period;
  s.m = mean_share(first / x, z, limit) + count * mean_share(period / x, again, limit) +
        mean_share(rest / x, again, again + rest);
  s.end = again + rest;
  s.m_x = (s.end - s.m) / x; /* m x is the integral of the deflection */
  s.m_z = on * (s.end - z) / x;
  s.m_limit = (s.m - x * s.m_x - z * s.m_z) / limit;
  s.end_z = on;
  s.end_limit = (s.end - x - on * z) / limit;
  return s;
}

static int bristles_slide(const cps_law *law, const double *p, const cps_law_input *in, double time,
                          double *z, double *f, cps_partials *f_x, cps_partials *z_x) {
  enum { MU, SIGMA0 };
  (void)law;
  double limit = snap_at(p), side = direction(in->v), k = p[SIGMA0] / BRISTLES, sum = 0;
  for (int i = 0; i < BRISTLES; i++) {
    sawtooth s = slide_bristle(fabs(in->v) * time, side * in->z[i], limit, new_place(i) * limit);
    double limit_mu = 2 / p[SIGMA0], limit_sigma = -limit / p[SIGMA0];
    z[i] = side * s.end;
    sum += side * s.m;
    if (!f_x) continue;
    f_x->v -= in->n * k * s.m_x * time;
    f_x->z[i] = -in->n * k * s.m_z;
    f_x->p[MU] -= in->n * k * side * s.m_limit * limit_mu;
    f_x->p[SIGMA0] -= in->n * side * (k * s.m_limit * limit_sigma + s.m / BRISTLES);
    z_x[i].v = time;
    z_x[i].z[i] = s.end_z;
    z_x[i].p[MU] = side * s.end_limit * limit_mu;
    z_x[i].p[SIGMA0] = side * s.end_limit * limit_sigma;
  }
  *f = -in->n * k * sum;
  if (f_x) f_x->n = -k * sum;
  return 0;
}

static void bristles_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, 2 * p[0] * n, 2 * p[0] * n, 0, 1);
  for (int i = 0; i < BRISTLES; i++) s->z[i] = snap_at(p);
}

/* ---- reset integrator ---- */

enum { STICK, FORWARD, BACKWARD };

static const char *const reset_modes[] = {"stick", "slip forward", "slip backward"};

/* Haessig and Friedland (1991): z' = v until |z| = z_0 = mu_d/sigma0, then 0 as long as v goes on.
 * Stick f = -n (sigma0 (mu_s/mu_d) z + sigma1 v), slip f = -n sigma0 z. */
static void reset_integrator(const cps_law *law, const double *p, const cps_law_input *in,
                             cps_law_output *out, cps_law_jacobian *jac) {
  enum { MU_S, MU_D, SIGMA0, SIGMA1 };
  (void)law;
  double z = in->z[0], ratio = in->mode == STICK ? p[MU_S] / p[MU_D] : 1;
  double damping = in->mode == STICK ? p[SIGMA1] : 0;
  double m = p[SIGMA0] * ratio * z + damping * in->v;
  out->f = -in->n * m;
  out->z_t[0] = in->mode == STICK ? in->v : 0;
  if (!jac) return;
  jac->f.v = -in->n * damping;
  jac->f.n = -m;
  jac->f.z[0] = -in->n * p[SIGMA0] * ratio;
  jac->f.p[SIGMA0] = -in->n * ratio * z;
  if (in->mode != STICK) return;
  jac->f.p[MU_S] = -in->n * p[SIGMA0] * z / p[MU_D];
  jac->f.p[MU_D] = in->n * p[SIGMA0] * z * ratio / p[MU_D];
  jac->f.p[SIGMA1] = -in->n * in->v;
  jac->z_t[0].v = 1;
}

static int reset_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  enum { MU_S, MU_D, SIGMA0 };
  (void)law;
  double most = p[MU_D] / p[SIGMA0];
  if (in->v > 0 && in->z[0] >= most) return FORWARD;
  if (in->v < 0 && in->z[0] <= -most) return BACKWARD;
  return STICK;
}

/* Stick: z_0 - z while v >= 0 (then forward), z_0 + z while v <= 0 (then backward). Slip: s v (then stick).
 */
static void reset_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                         cps_partials *g_x) {
  enum { MU_S, MU_D, SIGMA0 };
  (void)law;
  double most = p[MU_D] / p[SIGMA0];
  g[0] = g[1] = 1;
  if (in->mode != STICK) {
    double s = in->mode == FORWARD ? 1 : -1;
    g[0] = s * in->v;
    if (g_x) g_x[0].v = s;
    return;
  }
  for (int i = 0; i < 2; i++) {
    double side = i == 0 ? 1 : -1;
    if (side * in->v <= 0) continue;
    g[i] = most - side * in->z[0];
    if (!g_x) continue;
    g_x[i].z[0] = -side;
    g_x[i].p[MU_D] = 1 / p[SIGMA0];
    g_x[i].p[SIGMA0] = -most / p[SIGMA0];
  }
}

static int reset_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard,
                            double *z, cps_partials *z_x) {
  enum { MU_S, MU_D, SIGMA0 };
  (void)law;
  if (in->mode != STICK) return STICK;
  double side = guard == 0 ? 1 : -1;
  z[0] = side * p[MU_D] / p[SIGMA0];
  if (z_x) {
    z_x[0].z[0] = 0;
    z_x[0].p[MU_D] = side / p[SIGMA0];
    z_x[0].p[SIGMA0] = -z[0] / p[SIGMA0];
  }
  return guard == 0 ? FORWARD : BACKWARD;
}

/* Stick until z reaches its limit, then slip. */
static int reset_slide(const cps_law *law, const double *p, const cps_law_input *in, double time, double *z,
                       double *f, cps_partials *f_x, cps_partials *z_x) {
  enum { MU_S, MU_D, SIGMA0, SIGMA1 };
  double most = p[MU_D] / p[SIGMA0], side = direction(in->v), x = fabs(in->v) * time;
  double first = most - side * in->z[0], ratio = p[MU_S] / p[MU_D];
  int turns = (in->mode == FORWARD && in->v < 0) || (in->mode == BACKWARD && in->v > 0);
  if ((in->mode != STICK && !turns) || x <= first || x == 0) { /* one mode from the start to the end */
    cps_law_output out = {0};
    static const cps_partials none = {0, 0, 0, {0}, {0}};
    cps_law_jacobian jac;
    jac.f = none;
    jac.z_t[0] = none;
    double gone = in->mode == STICK || turns ? in->v * time : 0, middle = in->z[0] + gone / 2;
    cps_law_input at = {in->v, in->n, in->f_eq, &middle, turns ? STICK : in->mode};
    reset_integrator(law, p, &at, &out, f_x ? &jac : NULL);
    z[0] = in->z[0] + gone;
    *f = out.f;
    if (!f_x) return at.mode;
    *f_x = jac.f;
    z_x[0].z[0] = 1;
    z_x[0].v = at.mode == STICK ? time : 0;
    f_x->v += jac.f.z[0] * z_x[0].v / 2;
    return at.mode;
  }
  double on = first > 0 ? 1 : 0, w = fmax(first, 0) / x;
  double a = p[SIGMA0] * ratio * in->z[0] + p[SIGMA1] * in->v, b = side * p[MU_S] + p[SIGMA1] * in->v;
  double m = mean_share(w, a, b) + (1 - w) * side * p[MU_D], by_w = on * ((a + b) / 2 - side * p[MU_D]);
  z[0] = side * most;
  *f = -in->n * m;
  if (f_x) {
    double a_z = p[SIGMA0] * w / 2;
    f_x->n = -m;
    f_x->v = -in->n * (p[SIGMA1] * w - by_w * w / in->v);
    f_x->z[0] = -in->n * (a_z * ratio - by_w * side / x);
    f_x->p[MU_S] = -in->n * (a_z * in->z[0] / p[MU_D] + w / 2 * side);
    f_x->p[MU_D] = -in->n * (-a_z * ratio * in->z[0] / p[MU_D] + by_w / (x * p[SIGMA0]) + (1 - w) * side);
    f_x->p[SIGMA0] = -in->n * (w / 2 * ratio * in->z[0] - by_w * most / (p[SIGMA0] * x));
    f_x->p[SIGMA1] = -in->n * w * in->v;
    z_x[0].p[MU_D] = side / p[SIGMA0];
    z_x[0].p[SIGMA0] = -z[0] / p[SIGMA0];
  }
  return side > 0 ? FORWARD : BACKWARD;
}

static void reset_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, MU_D, SIGMA0 };
  (void)law;
  set_scale(s, p[MU_S] * n, INFINITY, 0, 1);
  s->z[0] = p[MU_D] / p[SIGMA0];
}

/* ---- a bristle with spring k and damper c that cannot pull more than a limit ---- */

/* The rate r = clamp(v, (-limit - k z)/c, (limit - k z)/c): the tip gives way so that k z + c r stays within
 * the limit. `side` is 0 when it holds, +1 or -1 when it gives way. */
static double yielding_rate(double v, double z, double k, double c, double limit, int *side) {
  double pull = k * z + c * v;
  *side = pull > limit ? 1 : pull < -limit ? -1 : 0;
  return *side == 0 ? v : (*side * limit - k * z) / c;
}

/* Lugris et al. (2009), Eqs. (31-38), after Dopico et al.: a bristle from the moving stiction point for slow
 * creep, Coulomb for fast: f = k f_st - (1 - k) mu_d n sgn v, k = exp(-(v/v_st)^2). The bristle pulls at most
 * mu_s n; beyond, the stiction point follows. The paper moves it at once to the deflection mu_s n/k_b; here
 * it gets there with the bristle's own time constant c_b/k_b, which makes the law a plain differential
 * equation. */
static void lugris(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                   cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_ST, K_B, C_B };
  (void)law;
  double v = in->v, z = in->z[0], k = p[K_B], c = p[C_B], limit = p[MU_S] * in->n;
  int side;
  double r = yielding_rate(v, z, k, c, limit, &side);
  double pull = side == 0 ? k * z + c * v : side * limit;
  double x = v / p[V_ST], blend = exp(-x * x), slide = p[MU_D] * in->n * sgn(v);
  out->z_t[0] = r;
  out->f = -blend * pull - (1 - blend) * slide;
  if (!jac) return;
  double blend_v = blend == 0 ? 0 : -2 * x * blend / p[V_ST];
  jac->f.v = -blend_v * (pull - slide);
  jac->f.n = -(1 - blend) * p[MU_D] * sgn(v);
  jac->f.p[V_ST] = blend == 0 ? 0 : -2 * x * x * blend / p[V_ST] * (pull - slide);
  jac->f.p[MU_D] = -(1 - blend) * in->n * sgn(v);
  if (side == 0) {
    jac->f.v -= blend * c;
    jac->f.z[0] = -blend * k;
    jac->f.p[K_B] = -blend * z;
    jac->f.p[C_B] = -blend * v;
    jac->z_t[0].v = 1;
  } else {
    jac->f.n -= blend * side * p[MU_S];
    jac->f.p[MU_S] = -blend * side * in->n;
    jac->z_t[0].n = side * p[MU_S] / c;
    jac->z_t[0].z[0] = -k / c;
    jac->z_t[0].p[MU_S] = side * in->n / c;
    jac->z_t[0].p[K_B] = -z / c;
    jac->z_t[0].p[C_B] = -r / c;
  }
}

/* Implicit Euler: the bristle follows v, unless it then exceeds the limit in the direction in which it does. */
static void lugris_step(const cps_law *law, const double *p, const cps_law_input *in, double time,
                        cps_law_step *out) {
  enum { MU_S, MU_D, V_ST, K_B, C_B };
  (void)law;
  double v = in->v, n = in->n, k = p[K_B], c = p[C_B], limit = p[MU_S] * n;
  double x = v / p[V_ST], blend = exp(-x * x), slide = p[MU_D] * sgn(v);
  double z = in->z[0] + time * v, pull = k * z + c * v, pull_v = k * time + c, pull_n = 0, rate = v;
  if (fabs(pull) > limit) {
    double side = sgn(pull);
    z = (in->z[0] + time / c * side * limit) / (1 + time * k / c);
    rate = (side * limit - k * z) / c;
    pull = side * limit;
    pull_v = 0;
    pull_n = side * p[MU_S];
  }
  out->z = z;
  out->z_t = rate;
  out->f = -blend * pull - (1 - blend) * slide * n;
  out->f_v = -blend * pull_v + (blend == 0 ? 0 : 2 * x * blend / p[V_ST] * (pull - slide * n));
  out->f_n = -blend * pull_n - (1 - blend) * slide;
}

static void lugris_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, MU_D, V_ST, K_B };
  (void)law;
  set_scale(s, p[MU_S] * n, fmax(p[MU_S], p[MU_D]) * n, 0, p[V_ST]);
  s->z[0] = p[MU_S] * n / p[K_B];
}

/* A smooth direction: v/eps (3 - (v/eps)^2)/2 up to eps, sgn v beyond. */
static double soft_direction(double v, double eps, double *d_v, double *d_eps) {
  double x = v / eps;
  if (fabs(x) >= 1) {
    *d_v = *d_eps = 0;
    return sgn(x);
  }
  double d_x = 1.5 * (1 - x * x);
  *d_v = d_x / eps;
  *d_eps = -d_x * x / eps;
  return x * (3 - x * x) / 2;
}

/* Gonthier, McPhee, Lange and Piedboeuf (2004). With s = exp(-(v/v_s)^2), 1 at rest and 0 in sliding:
 *   z' = s v + (1 - s)(mu_d dir(v) - sigma0 z)/sigma1, limited so that |sigma0 z + sigma1 z'| <= m,
 *   m = mu_d + (mu_s - mu_d) a: the limit grows with the dwell state a,
 *   a' = (s - a)/tau, tau = tau_dw when s > a and sigma1/sigma0 when it breaks loose,
 *   f = -n (sigma0 z + sigma1 z'). Stiffness and damping are per unit of normal force. */
static void gonthier(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                     cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S, V_DIR, SIGMA0, SIGMA1, TAU };
  (void)law;
  double v = in->v, z = in->z[0], a = in->z[1], n = in->n, k = p[SIGMA0], c = p[SIGMA1];
  double x = v / p[V_S], s = exp(-x * x), s_v = s == 0 ? 0 : -2 * x * s / p[V_S];
  double s_vs = s == 0 ? 0 : 2 * x * x * s / p[V_S];
  double d_v, d_eps, d = soft_direction(v, p[V_DIR], &d_v, &d_eps);
  double slide = (p[MU_D] * d - k * z) / c; /* the rate that goes to sliding friction */
  double wish = s * v + (1 - s) * slide;
  double level = p[MU_D] + (p[MU_S] - p[MU_D]) * a;
  int strong = level > 0; /* as it is for any a from 0 to 1 */
  if (!strong) level = 0;
  int side;
  double r = yielding_rate(wish, z, k, c, level, &side);
  double tau = s > a ? p[TAU] : c / k;
  double pull = side == 0 ? k * z + c * wish : side * level;
  out->z_t[0] = r;
  out->z_t[1] = (s - a) / tau;
  out->f = -n * pull;
  if (!jac) return;
  cps_partials *r_x = &jac->z_t[0], *f_x = &jac->f, *a_x = &jac->z_t[1];
  f_x->n = -pull;
  if (side == 0) {
    r_x->v = s_v * (v - slide) + s + (1 - s) * p[MU_D] * d_v / c;
    r_x->z[0] = -(1 - s) * k / c;
    r_x->p[MU_D] = (1 - s) * d / c;
    r_x->p[V_S] = s_vs * (v - slide);
    r_x->p[V_DIR] = (1 - s) * p[MU_D] * d_eps / c;
    r_x->p[SIGMA0] = -(1 - s) * z / c;
    r_x->p[SIGMA1] = -(1 - s) * slide / c;
    f_x->v = -n * c * r_x->v;
    f_x->z[0] = -n * (k + c * r_x->z[0]);
    f_x->p[MU_D] = -n * c * r_x->p[MU_D];
    f_x->p[V_S] = -n * c * r_x->p[V_S];
    f_x->p[V_DIR] = -n * c * r_x->p[V_DIR];
    f_x->p[SIGMA0] = -n * (z + c * r_x->p[SIGMA0]);
    f_x->p[SIGMA1] = -n * (wish + c * r_x->p[SIGMA1]);
  } else {
    r_x->z[0] = -k / c;
    r_x->z[1] = strong ? side * (p[MU_S] - p[MU_D]) / c : 0;
    r_x->p[MU_S] = strong ? side * a / c : 0;
    r_x->p[MU_D] = strong ? side * (1 - a) / c : 0;
    r_x->p[SIGMA0] = -z / c;
    r_x->p[SIGMA1] = -r / c;
    f_x->z[1] = strong ? -n * side * (p[MU_S] - p[MU_D]) : 0;
    f_x->p[MU_S] = strong ? -n * side * a : 0;
    f_x->p[MU_D] = strong ? -n * side * (1 - a) : 0;
  }
  a_x->v = s_v / tau;
  a_x->z[1] = -1 / tau;
  a_x->p[V_S] = s_vs / tau;
  if (s > a) {
    a_x->p[TAU] = -(s - a) / (tau * tau);
  } else { /* 1/tau = sigma0/sigma1 */
    a_x->p[SIGMA0] = (s - a) / c;
    a_x->p[SIGMA1] = -(s - a) / (tau * c);
  }
}

/* Where dir(v) is soft, sliding may balance a load below mu_d n at a steady creep: s v sigma1 = (1 - s)(f/n -
 * mu_d dir v). For v <= v_dir <= v_s the left side wins for every such load if sigma1 v_s^2 > 0.3 mu_d v_dir.
 */
static const char *gonthier_check(const cps_law *law, const double *p) {
  enum { MU_S, MU_D, V_S, V_DIR, SIGMA0, SIGMA1 };
  (void)law;
  if (p[V_DIR] > p[V_S]) return "v_dir must not exceed v_s";
  return 3 * p[SIGMA1] * p[V_S] * p[V_S] >= p[MU_D] * p[V_DIR]
             ? NULL
             : "v_dir must not exceed 3 sigma1 v_s^2/mu_d, or it creeps";
}

static void gonthier_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, MU_D, V_S, V_DIR, SIGMA0 };
  (void)law;
  double most = fmax(p[MU_S], p[MU_D]);
  set_scale(s, fmin(p[MU_S], p[MU_D]) * n, most * n, 0, p[V_S]);
  s->z[0] = most / p[SIGMA0];
  s->z[1] = 1;
}

/* Rill, Schaeffer and Schuderer (2023), second order: the bristle has mass, and its tip slides with u = v - w
 * where w = z' is the rate of its deflection. The tip feels the shifted regularised friction t = g(u) h(u/v_n
 * + h(c z/g(u))), h(x) = clamp(x, -1, 1), g = mu_d + (mu_s - mu_d) exp(-(u/v_s)^2), which at u = 0 is what
 * the spring needs, c z, so that it holds for ever; z' = w, m w' = t - c z - d w, and f = -n (c z + d w).
 * Mass, damping and stiffness are per unit of normal force. */
static void rill(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                 cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S, V_N, C, D, M };
  (void)law;
  double z = in->z[0], w = in->z[1], u = in->v - w;
  stribeck g = stribeck_curve(u, p[MU_S], p[MU_D], p[V_S], 2);
  double y = p[C] * z / g.g, shift = clamp(y, -1, 1), x = u / p[V_N] + shift, h = clamp(x, -1, 1);
  double t = g.g * h, pull = p[C] * z + p[D] * w;
  out->f = -in->n * pull;
  out->z_t[0] = w;
  out->z_t[1] = (t - pull) / p[M];
  if (!jac) return;
  double h_x = fabs(x) <= 1 ? 1 : 0, y_on = fabs(y) <= 1 ? 1 : 0;
  double t_g = h - h_x * y_on * y; /* g also scales the shift */
  double t_u = g.g * h_x / p[V_N] + t_g * g.g_v;
  jac->f.n = -pull;
  jac->f.z[0] = -in->n * p[C];
  jac->f.z[1] = -in->n * p[D];
  jac->f.p[C] = -in->n * z;
  jac->f.p[D] = -in->n * w;
  jac->z_t[0].z[1] = 1;
  cps_partials *a = &jac->z_t[1];
  a->v = t_u / p[M];
  a->z[0] = (h_x * y_on * p[C] - p[C]) / p[M];
  a->z[1] = (-t_u - p[D]) / p[M];
  a->p[MU_S] = t_g * g.g_mu_s / p[M];
  a->p[MU_D] = t_g * g.g_mu_d / p[M];
  a->p[V_S] = t_g * g.g_v_s / p[M];
  a->p[V_N] = h_x == 0 ? 0 : -g.g * u / (p[V_N] * p[V_N]) / p[M];
  a->p[C] = (h_x * y_on * z - z) / p[M];
  a->p[D] = -w / p[M];
  a->p[M] = -(t - pull) / (p[M] * p[M]);
}

static void rill_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, MU_D, V_S, V_N, C, D, M };
  (void)law;
  double most = fmax(p[MU_S], p[MU_D]);
  s->z[0] = 2 * most / p[C];
  s->z[1] = 10 * p[V_S];
  set_scale(s, p[MU_S] * n, (2 * most + p[D] * s->z[1]) * n, 0, p[V_S]);
}

static const cps_param bristle_params[] = {
    {"mu", "1", 0.5, 1e-6, 100, "mean friction coefficient in sliding"}, P_STIFFNESS};
static const cps_param reset_params[] = {
    P_MU_S,
    P_MU_D,
    P_STIFFNESS,
    {"sigma1", "s/m", 100, 0, 1e12, "damping while sticking, per unit normal force"}};
static const cps_param lugris_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_st", "m/s", 1e-4, 1e-12, 1e6, "transition velocity from stick to slip"},
    {"k_b", "N/m", 5e6, 1e-3, 1e15, "bristle stiffness"},
    {"c_b", "N s/m", 1e3, 1e-6, 1e12, "bristle damping"}};
static const cps_param gonthier_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity: weight of sticking"},
    {"v_dir", "m/s", 1e-4, 1e-12, 1e6, "velocity over which the direction is smoothed"},
    P_STIFFNESS,
    {"sigma1", "s/m", 100, 1e-6, 1e12, "bristle damping per unit normal force"},
    {"tau_dw", "s", 2, 1e-9, 1e9, "time constant of the growth of stiction with dwell time"}};
static const cps_param rill_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    {"v_n", "m/s", 1e-4, 1e-12, 1e6, "regularisation velocity at the tip"},
    {"c", "1/m", 1e5, 1e-3, 1e15, "bristle stiffness per unit normal force"},
    {"d", "s/m", 20, 0, 1e12, "bristle damping per unit normal force"},
    {"m", "s2/m", 1e-3, 1e-12, 1e6, "bristle mass per unit normal force"}};

static const cps_state bristle_states[] = {
    {"z1", "m", -1, "deflection of bristle 1"}, {"z2", "m", -1, "deflection of bristle 2"},
    {"z3", "m", -1, "deflection of bristle 3"}, {"z4", "m", -1, "deflection of bristle 4"},
    {"z5", "m", -1, "deflection of bristle 5"}, {"z6", "m", -1, "deflection of bristle 6"},
    {"z7", "m", -1, "deflection of bristle 7"}, {"z8", "m", -1, "deflection of bristle 8"}};
static const cps_state deflection[] = {Z_DEFLECTION};
static const cps_state gonthier_states[] = {Z_DEFLECTION,
                                            {"a", "1", 1, "dwell state: 0 just loose, 1 long at rest"}};
static const cps_state rill_states[] = {Z_DEFLECTION, {"w", "m/s", -1, "rate of the bristle deflection"}};

static const char *const bristle_modes[] = {"bristles"};

static const cps_law laws[] = {
    {.name = "haessig-bristle",
     .family = "bristle",
     .title = "Haessig-Friedland bristles",
     .equation =
         "f = -n (sigma0/8) sum z_i,  z_i' = v;  a bristle snaps at |z_i| = 2 mu/sigma0 and takes hold anew",
     .citation = "D. A. Haessig, B. Friedland, J. Dyn. Syst. Meas. Control 113(3), 1991",
     .note =
         "Eight bristles; the places where they take hold anew are fixed and all different, where the "
         "authors draw "
         "them at random: runs can be repeated. Between snaps it is smooth; each snap is a jump by a guard.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES | CPS_SNAPS,
     .n_params = COUNT(bristle_params),
     .params = bristle_params,
     .n_states = BRISTLES,
     .states = bristle_states,
     .n_modes = 1,
     .modes = bristle_modes,
     .n_guards = BRISTLES,
     .eval = bristles,
     .scale = bristles_scale,
     .mode = bristles_mode,
     .guards = bristles_guards,
     .transition = bristles_transition,
     .slide = bristles_slide},
    {.name = "reset-integrator",
     .family = "bristle",
     .title = "Reset integrator",
     .equation =
         "stick: f = -n (sigma0 (mu_s/mu_d) z + sigma1 v), z' = v, until |z| = mu_d/sigma0;  slip: f = -n "
         "sigma0 z, z' = 0",
     .citation = "D. A. Haessig, B. Friedland, J. Dyn. Syst. Meas. Control 113(3), 1991",
     .note = "Unbounded: damping while it sticks grows with the velocity.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_SNAPS,
     .n_params = COUNT(reset_params),
     .params = reset_params,
     .n_states = 1,
     .states = deflection,
     .n_modes = 3,
     .modes = reset_modes,
     .n_guards = 2,
     .eval = reset_integrator,
     .scale = reset_scale,
     .mode = reset_mode,
     .guards = reset_guards,
     .transition = reset_transition,
     .slide = reset_slide},
    {.name = "lugris",
     .aliases = "dopico bristle-blend",
     .family = "bristle",
     .title = "Lugris-Dopico bristle blend",
     .equation = "f = -k sat(k_b z + c_b z', mu_s n) - (1 - k) mu_d n sgn(v),  k = exp(-(v/v_st)^2),  z' = "
                 "v, less where "
                 "the stiction point gives way",
     .citation = "U. Lugris, J. L. Escalona, D. Dopico, J. Cuadrado, Eqs. (31-38); D. Dopico et al., ECCOMAS "
                 "Multibody "
                 "Dynamics 2009",
     .note = "The stiction point follows with the time constant c_b/k_b where the paper moves it at once.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(lugris_params),
     .params = lugris_params,
     .n_states = 1,
     .states = deflection,
     .eval = lugris,
     .scale = lugris_scale,
     .step = lugris_step},
    {.name = "gonthier",
     .aliases = "dwell-time",
     .family = "bristle",
     .title = "Gonthier, dwell-time dependent",
     .equation = "f = -n sat(sigma0 z + sigma1 z', mu_d + (mu_s - mu_d) a),  z' = s v + (1 - s)(mu_d dir(v) "
                 "- sigma0 z)/sigma1,  a' = (s - a)/tau,  s = exp(-(v/v_s)^2)",
     .citation = "Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, Multibody Syst. Dyn. 11(3), 2004",
     .note = "Stiffness and damping are per unit of normal force. What it holds grows from mu_d n to mu_s n "
             "with the time at rest; the limit stated is the one "
             "without any.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(gonthier_params),
     .params = gonthier_params,
     .n_states = 2,
     .states = gonthier_states,
     .eval = gonthier,
     .scale = gonthier_scale,
     .check = gonthier_check},
    {.name = "rill",
     .aliases = "second-order frdyn2",
     .family = "bristle",
     .title = "Rill second order",
     .equation =
         "f = -n (c z + d z'),  m z'' = t - c z - d z',  t = g(u) h(u/v_n + h(c z/g(u))),  u = v - z'",
     .citation =
         "G. Rill, T. Schaeffer, M. Schuderer, LuGre or not LuGre, Multibody Syst. Dyn., 2023; G. Rill, M. "
         "Schuderer, Modelling 4(3), 2023",
     .note = "Our reading of the shift that lets the regularised friction at the tip hold a load: Quinn's, "
             "with the "
             "spring force in the place of the balance force.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(rill_params),
     .params = rill_params,
     .n_states = 2,
     .states = rill_states,
     .eval = rill,
     .scale = rill_scale},
};

const family cps_family_bristle = {"bristle", COUNT(laws), laws};
