/* commercial.c - the laws inside Adams, RecurDyn and Simpack, as far as they are known.
 *
 * After Schuderer, Rill, Schaeffer and Schulz, Multibody Syst. Dyn., 2024. The vendors do not publish their
 * code; the paper infers the fifth-order steps, and its Eqs. (5-10) are read here with the signs that make
 * them friction: Adams and RecurDyn: f = -n ((1 - beta(|v|)) mu1(z) + mu_s beta(|v|) sgn v) for |v| <= v_s,
 * z' = v, z = 0 at each new stick; Simpack: f = -(c_f z + d_f v) while it sticks, -mu_d n sgn v while it
 * slides.
 */
#include "laws.h"

/* Decay from mu_s at v_s to mu_d at lambda v_s along a unit step s(xi), with its derivatives. */
typedef struct decay {
  double m, m_v, m_mu_s, m_mu_d, m_v_s, m_lambda;
} decay;

static decay decay_along(double a, double mu_s, double mu_d, double v_s, double lambda, double s,
                         double s_xi) {
  double xi = (a / v_s - 1) / (lambda - 1), drop = mu_d - mu_s;
  decay d;
  d.m = mu_s + drop * s;
  d.m_v = drop * s_xi / (v_s * (lambda - 1));
  d.m_mu_s = 1 - s;
  d.m_mu_d = s;
  d.m_v_s = s_xi == 0 ? 0 : -drop * s_xi * a / (v_s * v_s * (lambda - 1));
  d.m_lambda = s_xi == 0 ? 0 : -drop * s_xi * xi / (lambda - 1);
  return d;
}

static decay step5_decay(double a, double mu_s, double mu_d, double v_s, double lambda) {
  double s_xi, s = step5((a / v_s - 1) / (lambda - 1), &s_xi);
  return decay_along(a, mu_s, mu_d, v_s, lambda, s, s_xi);
}

/* (1 - cos(pi xi))/2, the trigonometric step of Simpack. */
static decay cosine_decay(double a, double mu_s, double mu_d, double v_s, double lambda) {
  double xi = clamp((a / v_s - 1) / (lambda - 1), 0, 1), pi = acos(-1.0);
  double s_xi = xi > 0 && xi < 1 ? pi / 2 * sin(pi * xi) : 0;
  return decay_along(a, mu_s, mu_d, v_s, lambda, (1 - cos(pi * xi)) / 2, s_xi);
}

/* Writes f = -n m sgn v for a decay; i_lambda < 0 if lambda is no parameter. */
static void set_decay(const cps_law_input *in, const decay *d, double sign, int i_lambda, cps_law_output *out,
                      cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S };
  set_coefficient(in, out, jac, d->m * sign, d->m_v);
  if (!jac) return;
  jac->f.p[MU_S] = -in->n * d->m_mu_s * sign;
  jac->f.p[MU_D] = -in->n * d->m_mu_d * sign;
  jac->f.p[V_S] = -in->n * d->m_v_s * sign;
  if (i_lambda >= 0) jac->f.p[i_lambda] = -in->n * d->m_lambda * sign;
}

/* Rise to a level along the odd step: m = level STEP5(v, -v_s, -1, v_s, 1). */
static void set_rise(const cps_law_input *in, double level, double v_s, int i_level, int i_v_s, double h,
                     double h_x, cps_law_output *out, cps_law_jacobian *jac) {
  double x = in->v / v_s;
  set_coefficient(in, out, jac, level * h, level * h_x / v_s);
  if (!jac) return;
  jac->f.p[i_level] = -in->n * h;
  jac->f.p[i_v_s] = h_x == 0 ? 0 : in->n * level * h_x * x / v_s;
}

/* Adams standard regularisation, Schuderer Eq. (1): STEP5 to mu_s at v_s, STEP5 to mu_d at lambda v_s. */
static void adams_standard(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                           cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S, LAMBDA };
  (void)law;
  if (fabs(in->v) <= p[V_S]) {
    double h_x, h = odd_step5(in->v / p[V_S], &h_x);
    set_rise(in, p[MU_S], p[V_S], MU_S, V_S, h, h_x, out, jac);
    return;
  }
  decay d = step5_decay(fabs(in->v), p[MU_S], p[MU_D], p[V_S], p[LAMBDA]);
  set_decay(in, &d, sgn(in->v), LAMBDA, out, jac);
}

/* Simpack standard regularisation: sine to mu_s at v_s, half a cosine to mu_d at lambda v_s. */
static void simpack_standard(const cps_law *law, const double *p, const cps_law_input *in,
                             cps_law_output *out, cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S, LAMBDA };
  (void)law;
  if (fabs(in->v) <= p[V_S]) {
    double half_pi = acos(-1.0) / 2, x = in->v / p[V_S];
    set_rise(in, p[MU_S], p[V_S], MU_S, V_S, sin(half_pi * x), half_pi * cos(half_pi * x), out, jac);
    return;
  }
  decay d = cosine_decay(fabs(in->v), p[MU_S], p[MU_D], p[V_S], p[LAMBDA]);
  set_decay(in, &d, sgn(in->v), LAMBDA, out, jac);
}

/* RecurDyn standard regularisation: STEP5 to one level, and that level beyond v_s. */
static void recurdyn_standard(const cps_law *law, const double *p, const cps_law_input *in,
                              cps_law_output *out, cps_law_jacobian *jac) {
  enum { LEVEL, V_S };
  (void)law;
  double h_x, h = odd_step5(in->v / p[V_S], &h_x);
  set_rise(in, p[LEVEL], p[V_S], LEVEL, V_S, h, h_x, out, jac);
}

static void standard_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, fmax(p[0], p[1]) * n, 0, p[2]);
}

static void recurdyn_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, p[1]);
}

/* ---- Adams and RecurDyn stick-slip ---- */

enum { STICK, HELD_AHEAD, HELD_BACK, FORWARD, BACKWARD };

static const char *const stick_slip_modes[] = {"stick", "stick, z at x_s", "stick, z at -x_s", "slip forward",
                                               "slip backward"};

/* What distinguishes the two: whether |z| is limited to x_s, and which parameter is lambda (else it is 1.5).
 */
typedef struct vendor {
  int limits, lambda;
} vendor;

static const vendor adams = {1, 4}, recurdyn = {0, -1};

enum { MU_S, MU_D, V_S, X_S }; /* the parameters that both have */

static int stick_slip_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  const vendor *who = (const vendor *)law->data;
  if (in->v > p[V_S]) return FORWARD;
  if (in->v < -p[V_S]) return BACKWARD;
  if (who->limits && in->z[0] >= p[X_S] && in->v >= 0) return HELD_AHEAD;
  if (who->limits && in->z[0] <= -p[X_S] && in->v <= 0) return HELD_BACK;
  return STICK;
}

/* Stick: mu = (1 - beta) mu1(z) + mu_s beta sgn v, with beta = STEP5(|v|, -v_s, -1, v_s, 1) and
 * mu1 = STEP5(z, -x_s, -mu_s, x_s, mu_s). Slip: STEP5 from mu_s at v_s to mu_d at lambda v_s. */
static void stick_slip(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                       cps_law_jacobian *jac) {
  const vendor *who = (const vendor *)law->data;
  double v = in->v;
  out->z_t[0] = 0;
  if (in->mode == FORWARD || in->mode == BACKWARD) {
    double s = in->mode == FORWARD ? 1 : -1;
    decay d = step5_decay(s * v, p[MU_S], p[MU_D], p[V_S], who->lambda < 0 ? 1.5 : p[who->lambda]);
    set_decay(in, &d, s, who->lambda, out, jac);
    return;
  }
  double beta_x, beta = odd_step5(fabs(v) / p[V_S], &beta_x);
  double one_y, one = odd_step5(in->z[0] / p[X_S], &one_y); /* mu1/mu_s */
  double s = direction(v), shape = (1 - beta) * one + beta * s;
  double shape_x = beta_x * (s - one); /* with respect to |v|/v_s */
  set_coefficient(in, out, jac, p[MU_S] * shape, p[MU_S] * shape_x * s / p[V_S]);
  if (jac) {
    double shape_y = (1 - beta) * one_y;
    jac->f.z[0] = -in->n * p[MU_S] * shape_y / p[X_S];
    jac->f.p[MU_S] = -in->n * shape;
    jac->f.p[V_S] = beta_x == 0 ? 0 : in->n * p[MU_S] * shape_x * fabs(v) / (p[V_S] * p[V_S]);
    jac->f.p[X_S] = one_y == 0 ? 0 : in->n * p[MU_S] * shape_y * in->z[0] / (p[X_S] * p[X_S]);
  }
  if (in->mode == STICK) {
    out->z_t[0] = v;
    if (jac) jac->z_t[0].v = 1;
  }
}

/* Guards. Stick: v_s - v, v_s + v, and with a limit x_s - z, x_s + z. Held: v does not turn back, and the two
 * of the velocity. Slip: |v| - v_s. */
static void stick_slip_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                              cps_partials *g_x) {
  const vendor *who = (const vendor *)law->data;
  double v = in->v, z = in->z[0];
  g[0] = g[1] = g[2] = g[3] = 1;
  if (in->mode == FORWARD || in->mode == BACKWARD) {
    double s = in->mode == FORWARD ? 1 : -1;
    g[0] = s * v - p[V_S];
    if (g_x) g_x[0].v = s, g_x[0].p[V_S] = -1;
    return;
  }
  g[0] = p[V_S] - v;
  g[1] = p[V_S] + v;
  if (g_x) {
    g_x[0].v = -1, g_x[0].p[V_S] = 1;
    g_x[1].v = 1, g_x[1].p[V_S] = 1;
  }
  if (in->mode != STICK) {
    g[2] = in->mode == HELD_AHEAD ? v : -v;
    if (g_x) g_x[2].v = in->mode == HELD_AHEAD ? 1 : -1;
  } else if (who->limits) {
    /* Beyond the limit and on the way back counts as inside: only leaving fires. */
    if (v > 0) {
      g[2] = p[X_S] - z;
      if (g_x) g_x[2].z[0] = -1, g_x[2].p[X_S] = 1;
    }
    if (v < 0) {
      g[3] = p[X_S] + z;
      if (g_x) g_x[3].z[0] = 1, g_x[3].p[X_S] = 1;
    }
  }
}

static int stick_slip_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard,
                                 double *z, cps_partials *z_x) {
  (void)law;
  if (in->mode == FORWARD || in->mode == BACKWARD) { /* a new stick starts undeflected */
    z[0] = 0;
    if (z_x) z_x[0].z[0] = 0;
    return STICK;
  }
  if (guard == 0) return FORWARD;
  if (guard == 1) return BACKWARD;
  if (in->mode != STICK) return STICK;
  double side = guard == 2 ? 1 : -1;
  z[0] = side * p[X_S];
  if (z_x) z_x[0].z[0] = 0, z_x[0].p[X_S] = side;
  return guard == 2 ? HELD_AHEAD : HELD_BACK;
}

static void stick_slip_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[MU_S] * n, fmax(p[MU_S], p[MU_D]) * n, p[V_S], p[V_S]);
  s->z[0] = p[X_S];
}

/* ---- Simpack stick-slip ---- */

static const char *const simpack_modes[] = {"stick", "slip forward", "slip backward"};

enum { SP_STICK, SP_FORWARD, SP_BACKWARD };
enum { SP_MU_S, SP_MU_D, SP_C_F, SP_D_F };

static const int unloaded = 0, preloaded = 1; /* cps_law.data: how the spring starts a stick */

static int simpack_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  (void)law;
  double spring = p[SP_C_F] * in->z[0], limit = p[SP_MU_S] * in->n;
  if (spring > limit && in->v >= 0) return SP_FORWARD;
  if (spring < -limit && in->v <= 0) return SP_BACKWARD;
  return SP_STICK;
}

/* Schuderer Eqs. (9-10): stick f = -(c_f z + d_f v), z' = v; slip f = -mu_d n sgn v. */
static void simpack(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                    cps_law_jacobian *jac) {
  (void)law;
  if (in->mode != SP_STICK) {
    double s = in->mode == SP_FORWARD ? 1 : -1;
    out->z_t[0] = 0;
    set_coefficient(in, out, jac, p[SP_MU_D] * s, 0);
    if (jac) jac->f.p[SP_MU_D] = -in->n * s;
    return;
  }
  out->f = -(p[SP_C_F] * in->z[0] + p[SP_D_F] * in->v);
  out->z_t[0] = in->v;
  if (!jac) return;
  jac->f.v = -p[SP_D_F];
  jac->f.z[0] = -p[SP_C_F];
  jac->f.p[SP_C_F] = -in->z[0];
  jac->f.p[SP_D_F] = -in->v;
  jac->z_t[0].v = 1;
}

/* Stick ends when the spring force alone passes mu_s n, so that the damper can push the total above it; but
 * not while the body already moves back. Slip ends when the velocity passes zero. */
static void simpack_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                           cps_partials *g_x) {
  (void)law;
  g[0] = g[1] = 1;
  if (in->mode != SP_STICK) {
    double s = in->mode == SP_FORWARD ? 1 : -1;
    g[0] = s * in->v;
    if (g_x) g_x[0].v = s;
    return;
  }
  for (int i = 0; i < 2; i++) {
    double side = i == 0 ? 1 : -1;
    if (side * in->v < 0) continue;
    g[i] = p[SP_MU_S] * in->n - side * p[SP_C_F] * in->z[0];
    if (!g_x) continue;
    g_x[i].n = p[SP_MU_S];
    g_x[i].z[0] = -side * p[SP_C_F];
    g_x[i].p[SP_MU_S] = in->n;
    g_x[i].p[SP_C_F] = -side * in->z[0];
  }
}

static int simpack_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard,
                              double *z, cps_partials *z_x) {
  if (in->mode == SP_STICK) return guard == 0 ? SP_FORWARD : SP_BACKWARD;
  double s = in->mode == SP_FORWARD ? 1 : -1, c = p[SP_C_F];
  int loaded = *(const int *)law->data;
  z[0] = loaded ? s * p[SP_MU_D] * in->n / c : 0;
  if (z_x) {
    z_x[0].z[0] = 0;
    if (loaded) {
      z_x[0].n = s * p[SP_MU_D] / c;
      z_x[0].p[SP_MU_D] = s * in->n / c;
      z_x[0].p[SP_C_F] = -z[0] / c;
    }
  }
  return SP_STICK;
}

static void simpack_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  double limit = p[SP_MU_S] * n;
  set_scale(s, limit, INFINITY, 0, limit / p[SP_D_F] > 0 ? limit / p[SP_D_F] : 1);
  s->z[0] = limit / p[SP_C_F];
}

#define P_V_STICK                                                                                            \
  { "v_s", "m/s", 1e-4, 1e-12, 1e6, "velocity at which stick ends" }
#define P_X_S                                                                                                \
  { "x_s", "m", 1e-5, 1e-15, 1e3, "displacement at which the static limit is reached" }
#define P_LAMBDA                                                                                             \
  { "lambda", "1", 1.5, 1.001, 1e3, "velocity of full slip over v_s" }

static const cps_param standard_params[] = {P_MU_S, P_MU_D, P_V_STICK, P_LAMBDA};
static const cps_param to_mu_d_params[] = {P_MU_D, P_V_STICK};
static const cps_param to_mu_s_params[] = {P_MU_S, P_V_STICK};
static const cps_param adams_params[] = {P_MU_S, P_MU_D, P_V_STICK, P_X_S, P_LAMBDA};
static const cps_param recurdyn_params[] = {P_MU_S, P_MU_D, P_V_STICK, P_X_S};
static const cps_param simpack_params[] = {P_MU_S,
                                           P_MU_D,
                                           {"c_f", "N/m", 1e8, 1e-3, 1e15, "stiffness of the stick spring"},
                                           {"d_f", "N s/m", 2e4, 1e-6, 1e12, "damping of the stick spring"}};
static const cps_state displacement[] = {{"z", "m", -1, "displacement since the stick began"}};

#define SCHUDERER "M. Schuderer, G. Rill, T. Schaeffer, C. Schulz, Multibody Syst. Dyn., 2024, "

static const cps_law laws[] = {
    {.name = "adams-standard",
     .aliases = "adams",
     .family = "commercial codes",
     .title = "Adams standard regularisation",
     .equation =
         "f = -n mu_s STEP5(v, -v_s, -1, v_s, 1) to v_s, STEP5(|v|, v_s, mu_s, lambda v_s, mu_d) beyond",
     .citation = SCHUDERER "Eq. (1)",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(standard_params),
     .params = standard_params,
     .eval = adams_standard,
     .scale = standard_scale},
    {.name = "recurdyn-mu-d",
     .aliases = "recurdyn recurdyn-standard",
     .family = "commercial codes",
     .title = "RecurDyn standard regularisation, to mu_d",
     .equation = "f = -n mu_d STEP5(v, -v_s, -1, v_s, 1)",
     .citation = SCHUDERER "section 3.1",
     .note = "Leaves the static coefficient out. See recurdyn-mu-s for the other reading.",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(to_mu_d_params),
     .params = to_mu_d_params,
     .eval = recurdyn_standard,
     .scale = recurdyn_scale},
    {.name = "recurdyn-mu-s",
     .family = "commercial codes",
     .title = "RecurDyn standard regularisation, to mu_s",
     .equation = "f = -n mu_s STEP5(v, -v_s, -1, v_s, 1)",
     .citation = SCHUDERER "section 4.1",
     .note = "As recurdyn-mu-d with the static coefficient as the level.",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(to_mu_s_params),
     .params = to_mu_s_params,
     .eval = recurdyn_standard,
     .scale = recurdyn_scale},
    {.name = "simpack-standard",
     .aliases = "simpack",
     .family = "commercial codes",
     .title = "Simpack standard regularisation",
     .equation = "f = -n mu_s sin(pi v/(2 v_s)) to v_s, half a cosine from mu_s to mu_d at lambda v_s beyond",
     .citation = SCHUDERER "section 3.1",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(standard_params),
     .params = standard_params,
     .eval = simpack_standard,
     .scale = standard_scale},
    {.name = "adams-stick-slip",
     .family = "commercial codes",
     .title = "Adams stick-slip",
     .equation =
         "|v| <= v_s: f = -n ((1 - beta(|v|)) mu1(z) + mu_s beta(|v|) sgn(v)), z' = v, |z| <= x_s;  else "
         "STEP5 to mu_d",
     .citation = SCHUDERER "Eqs. (5-7)",
     .note = "The state z stops at x_s while the body moves on, which leaves an offset behind: Adams drifts "
             "where "
             "RecurDyn does not. z starts at 0 whenever |v| falls below v_s. f is continuous, the rate of z "
             "is not.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(adams_params),
     .params = adams_params,
     .n_states = 1,
     .states = displacement,
     .n_modes = 5,
     .modes = stick_slip_modes,
     .n_guards = 4,
     .eval = stick_slip,
     .scale = stick_slip_scale,
     .mode = stick_slip_mode,
     .guards = stick_slip_guards,
     .transition = stick_slip_transition,
     .data = &adams},
    {.name = "recurdyn-stick-slip",
     .family = "commercial codes",
     .title = "RecurDyn stick-slip",
     .equation = "|v| <= v_s: f = -n ((1 - beta(|v|)) mu1(z) + mu_s beta(|v|) sgn(v)), z' = v;  else STEP5 "
                 "to mu_d at "
                 "1.5 v_s",
     .citation = SCHUDERER "Eqs. (5-6, 8)",
     .note = "Differs from adams-stick-slip in that z is not limited, and that lambda is fixed at 1.5. f is "
             "continuous, the rate of z is not.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(recurdyn_params),
     .params = recurdyn_params,
     .n_states = 1,
     .states = displacement,
     .n_modes = 5,
     .modes = stick_slip_modes,
     .n_guards = 4,
     .eval = stick_slip,
     .scale = stick_slip_scale,
     .mode = stick_slip_mode,
     .guards = stick_slip_guards,
     .transition = stick_slip_transition,
     .data = &recurdyn},
    {.name = "simpack-stick-slip",
     .family = "commercial codes",
     .title = "Simpack stick-slip, unloaded spring",
     .equation = "stick: f = -(c_f z + d_f v), z' = v, until c_f |z| > mu_s n;  slip: f = -mu_d n sgn(v), "
                 "until v = 0, "
                 "then z = 0",
     .citation = SCHUDERER "Eqs. (9-10)",
     .note = "Unbounded: the damper adds d_f v above mu_s n before the spring gives way. Not zero without "
             "load: the "
             "stick spring does not know the normal force. A new stick starts with an unloaded spring.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE |
               CPS_SNAPS,
     .n_params = COUNT(simpack_params),
     .params = simpack_params,
     .n_states = 1,
     .states = displacement,
     .n_modes = 3,
     .modes = simpack_modes,
     .n_guards = 2,
     .eval = simpack,
     .scale = simpack_scale,
     .mode = simpack_mode,
     .guards = simpack_guards,
     .transition = simpack_transition,
     .data = &unloaded},
    {.name = "simpack-stick-slip-preloaded",
     .family = "commercial codes",
     .title = "Simpack stick-slip, preloaded spring",
     .equation = "as simpack-stick-slip, but a new stick starts with c_f z = mu_d n sgn(v)",
     .citation = SCHUDERER "section 3.4",
     .note = "Differs from simpack-stick-slip in that the force does not jump when sliding ends. Unbounded "
             "and not zero "
             "without load, for the same reasons.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE |
               CPS_SNAPS,
     .n_params = COUNT(simpack_params),
     .params = simpack_params,
     .n_states = 1,
     .states = displacement,
     .n_modes = 3,
     .modes = simpack_modes,
     .n_guards = 2,
     .eval = simpack,
     .scale = simpack_scale,
     .mode = simpack_mode,
     .guards = simpack_guards,
     .transition = simpack_transition,
     .data = &preloaded},
};

const family cps_family_commercial = {"commercial codes", COUNT(laws), laws};
