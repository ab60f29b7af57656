/* quinn.c - continuous laws that know the balance force and therefore truly stick.
 *
 * All have the form f = n mu F(v/epsilon, f_eq/(mu n)) with F = f_eq/(mu n) at v = 0: at rest they are
 * exactly Coulomb's law (Quinn 2004). Quinn's is piecewise linear, f = -mu n h(v/epsilon - h(f_eq/(mu n)))
 * with the clamp h; CDQ (Westin and Irani) replaces h by a smooth sigmoid. Here f_eq is the friction force
 * that would balance the others, as in Quinn; Westin's F_eq is the sum of the others, of opposite sign.
 */
#include "laws.h"

/* f_eq/(mu n), in a form that stays finite without load. */
static double relative(double f_eq, double limit) {
  if (limit > 0 && fabs(f_eq) < 1e3 * limit) return f_eq / limit;
  return f_eq == 0 ? 0 : 1e3 * sgn(f_eq);
}

/* A sigmoid and its derivatives with respect to its argument and its two shape parameters. */
typedef struct sigmoid {
  double h, h_x, h_alpha, h_beta;
} sigmoid;

/* Westin Eq. (9): x up to alpha, sgn x from beta, and between them the cubic with h(alpha) = alpha, h(beta) =
 * 1, h'(alpha) = 1, h'(beta) = 0. With s = (|x| - alpha)/(beta - alpha) and w = beta - alpha that is h =
 * alpha + w s + (3(1 - alpha) - 2w) s^2 + (w - 2(1 - alpha)) s^3. */
static sigmoid smooth_sigmoid(double x, double alpha, double beta) {
  sigmoid r = {x, 1, 0, 0};
  double a = fabs(x), d = sgn(x);
  if (a <= alpha) return r;
  if (a >= beta) {
    r.h = d;
    r.h_x = 0;
    return r;
  }
  double w = beta - alpha, by = 1 / w, s = (a - alpha) * by;
  double c2 = 3 * (1 - alpha) - 2 * w, c3 = w - 2 * (1 - alpha);
  double h_s = w + 2 * c2 * s + 3 * c3 * s * s;
  double h_w = s - 2 * s * s + s * s * s;
  double h_1a = 3 * s * s - 2 * s * s * s; /* with respect to 1 - alpha */
  r.h = d * (alpha + w * s + c2 * s * s + c3 * s * s * s);
  r.h_x = h_s * by;
  /* s depends on alpha through its numerator and through w. */
  r.h_alpha = d * (1 - h_1a - h_w + h_s * (s - 1) * by);
  r.h_beta = d * (h_w - h_s * s * by);
  return r;
}

/* Quinn's sigmoid: the clamp. */
static sigmoid linear_sigmoid(double x) {
  sigmoid r = {x, 1, 0, 0};
  if (fabs(x) > 1) {
    r.h = sgn(x);
    r.h_x = 0;
  }
  return r;
}

/* f = -mu n h(v/epsilon - h(f_eq/(mu n))), given the inner and the outer sigmoid at their arguments.
 * Derivatives in v, n, f_eq, mu and epsilon; y = f_eq/(mu n) moves with n and mu. */
static void compose(const cps_law_input *in, double mu, double epsilon, double y, sigmoid inner,
                    sigmoid outer, int i_mu, int i_epsilon, cps_law_output *out, cps_law_jacobian *jac) {
  double limit = mu * in->n;
  out->f = -limit * outer.h;
  if (!jac) return;
  double f_y = limit * outer.h_x * inner.h_x;
  int moves = inner.h_x != 0; /* otherwise y is saturated, and n and mu act only through the limit */
  jac->f.v = -limit * outer.h_x / epsilon;
  jac->f.f_eq = moves ? outer.h_x * inner.h_x : 0;
  jac->f.n = -mu * outer.h - (moves && in->n > 0 ? f_y * y / in->n : 0);
  jac->f.p[i_mu] = -in->n * outer.h - (moves && mu > 0 ? f_y * y / mu : 0);
  jac->f.p[i_epsilon] = outer.h_x == 0 ? 0 : limit * outer.h_x * in->v / (epsilon * epsilon);
}

static void quinn_with(const double *p, const cps_law_input *in, double epsilon, double epsilon_p,
                       cps_law_output *out, cps_law_jacobian *jac) {
  enum { MU, EPSILON };
  double y = relative(in->f_eq, p[MU] * in->n);
  sigmoid inner = linear_sigmoid(y);
  sigmoid outer = linear_sigmoid(in->v / epsilon - inner.h);
  compose(in, p[MU], epsilon, y, inner, outer, MU, EPSILON, out, jac);
  if (jac) jac->f.p[EPSILON] *= epsilon_p;
}

/* Quinn (2004), Eqs. (4): half-width epsilon, f = f_eq - mu n v/epsilon near rest. */
static void quinn(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                  cps_law_jacobian *jac) {
  (void)law;
  quinn_with(p, in, p[1], 1, out, jac);
}

/* Quinn (2004), section 3.1.1: full width epsilon, f = f_eq - 2 mu n v/epsilon near rest. */
static void quinn_half(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                       cps_law_jacobian *jac) {
  (void)law;
  quinn_with(p, in, p[1] / 2, 0.5, out, jac);
}

/* Westin and Irani, Eqs. (6-9), with any alpha and beta. */
static void cdq_with(const double *p, const cps_law_input *in, double alpha, double beta, cps_law_output *out,
                     cps_law_jacobian *jac, double *f_alpha, double *f_beta) {
  enum { MU, EPSILON };
  double y = relative(in->f_eq, p[MU] * in->n);
  sigmoid inner = smooth_sigmoid(y, alpha, beta);
  sigmoid outer = smooth_sigmoid(in->v / p[EPSILON] - inner.h, alpha, beta);
  compose(in, p[MU], p[EPSILON], y, inner, outer, MU, EPSILON, out, jac);
  double limit = p[MU] * in->n;
  *f_alpha = -limit * (outer.h_alpha - outer.h_x * inner.h_alpha);
  *f_beta = -limit * (outer.h_beta - outer.h_x * inner.h_beta);
}

/* CDQ as its authors use it: beta = 2 - alpha, for which the cubic is a parabola. */
static void cdq(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                cps_law_jacobian *jac) {
  enum { MU, EPSILON, ALPHA };
  (void)law;
  double f_alpha, f_beta;
  cdq_with(p, in, p[ALPHA], 2 - p[ALPHA], out, jac, &f_alpha, &f_beta);
  if (jac) jac->f.p[ALPHA] = f_alpha - f_beta;
}

static void cdq_general(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                        cps_law_jacobian *jac) {
  enum { MU, EPSILON, ALPHA, BETA };
  (void)law;
  double f_alpha, f_beta;
  cdq_with(p, in, p[ALPHA], p[BETA], out, jac, &f_alpha, &f_beta);
  if (!jac) return;
  jac->f.p[ALPHA] = f_alpha;
  jac->f.p[BETA] = f_beta;
}

static const char *cdq_check(const cps_law *law, const double *p) {
  enum { MU, EPSILON, ALPHA, BETA };
  (void)law;
  return p[BETA] <= 3 - 2 * p[ALPHA] ? NULL : "beta must not exceed 3 - 2 alpha, or the sigmoid overshoots";
}

/* Awrejcewicz, Grzelczyk and Pyryev (2008): for |v| <= epsilon, f = (1 - A) e - A mu_s n sgn v with e the
 * balance force limited to mu_s n and A = (v/epsilon)^2 (3 - 2 |v|/epsilon); beyond, the Stribeck curve that
 * starts there: f = -n (mu_d + (mu_s - mu_d) exp(-(|v| - epsilon)/v_s)) sgn v. The authors' regions V2, V3,
 * V4 are this one expression with the limit put in. */
static void awrejcewicz(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                        cps_law_jacobian *jac) {
  enum { MU_S, MU_D, EPSILON, V_S };
  (void)law;
  double a = fabs(in->v), s = sgn(in->v), limit = p[MU_S] * in->n;
  if (a > p[EPSILON]) {
    double beyond = a - p[EPSILON], e = exp(-beyond / p[V_S]), drop = p[MU_S] - p[MU_D];
    set_coefficient(in, out, jac, (p[MU_D] + drop * e) * s, -drop * e / p[V_S]);
    if (!jac) return;
    jac->f.p[MU_S] = -in->n * e * s;
    jac->f.p[MU_D] = -in->n * (1 - e) * s;
    jac->f.p[EPSILON] = -in->n * drop * e / p[V_S] * s;
    jac->f.p[V_S] = e == 0 ? 0 : -in->n * drop * e * beyond / (p[V_S] * p[V_S]) * s;
    return;
  }
  double x = a / p[EPSILON], A = x * x * (3 - 2 * x), A_x = 6 * x * (1 - x);
  int balanced = fabs(in->f_eq) <= limit;
  double side = sgn(in->f_eq), e = balanced ? in->f_eq : limit * side;
  out->f = (1 - A) * e - A * limit * s;
  if (!jac) return;
  double f_x = -A_x * (e + limit * s);
  double per_limit = (balanced ? 0 : (1 - A) * side) - A * s;
  jac->f.v = f_x * direction(in->v) / p[EPSILON];
  jac->f.f_eq = balanced ? 1 - A : 0;
  jac->f.n = per_limit * p[MU_S];
  jac->f.p[MU_S] = per_limit * in->n;
  jac->f.p[EPSILON] = -f_x * x / p[EPSILON];
}

static void quinn_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, p[1], p[1]);
}

static void quinn_half_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, p[1] / 2, p[1] / 2);
}

/* CDQ holds exactly up to alpha mu n only. */
static void cdq_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[2] * p[0] * n, p[0] * n, p[1], p[1]);
}

static void awrejcewicz_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, fmax(p[0], p[1]) * n, p[2], p[2]);
}

static const cps_param quinn_params[] = {
    P_MU, {"epsilon", "m/s", 0.01, 1e-12, 1e6, "regularisation velocity: half-width of the ramp"}};
static const cps_param quinn_half_params[] = {
    P_MU, {"epsilon", "m/s", 0.02, 1e-12, 1e6, "regularisation velocity: full width of the ramp"}};
static const cps_param cdq_params[] = {
    P_MU, P_EPSILON, {"alpha", "1", 0.9, 0.01, 0.999999, "fraction of mu n up to which sticking is exact"}};
static const cps_param cdq_general_params[] = {
    P_MU,
    P_EPSILON,
    {"alpha", "1", 0.9, 0.01, 0.999999, "fraction of mu n up to which sticking is exact"},
    {"beta", "1", 1.1, 1.000001, 3, "relative force from which friction is fully developed"}};
static const cps_param awrejcewicz_params[] = {
    P_MU_S,
    P_MU_D,
    {"epsilon", "m/s", 0.001, 1e-12, 1e6, "half-width of the stick band"},
    {"v_s", "m/s", 0.01, 1e-12, 1e6, "decay from static to dynamic friction beyond the band"}};

static const cps_law laws[] = {
    {.name = "quinn",
     .family = "force-aware continuous",
     .title = "Quinn",
     .equation = "f = -mu n h(v/epsilon - h(f_eq/(mu n))),  h(x) = clamp(x, -1, 1)",
     .citation = "D. D. Quinn, J. Vib. Acoust. 126(3), 2004, Eqs. (4)",
     .note = "epsilon as in Quinn's Eqs. (4): near rest f = f_eq - mu n v/epsilon. See quinn-half.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(quinn_params),
     .params = quinn_params,
     .eval = quinn,
     .scale = quinn_scale},
    {.name = "quinn-half",
     .family = "force-aware continuous",
     .title = "Quinn, epsilon as the full width",
     .equation = "f = -mu n h(2v/epsilon - h(f_eq/(mu n))),  h(x) = clamp(x, -1, 1)",
     .citation = "D. D. Quinn, J. Vib. Acoust. 126(3), 2004, section 3.1.1",
     .note = "The convention behind Quinn's error analysis and his published equilibrium -0.750090: the ramp "
             "is half "
             "as wide as quinn's for the same epsilon, f = f_eq - 2 mu n v/epsilon near rest.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(quinn_half_params),
     .params = quinn_half_params,
     .eval = quinn_half,
     .scale = quinn_half_scale},
    {.name = "cdq",
     .aliases = "westin-irani",
     .family = "force-aware continuous",
     .title = "Continuously differentiable Quinn",
     .equation =
         "f = -mu n h(v/epsilon - h(f_eq/(mu n))),  h(x) = x to alpha, parabola to 2 - alpha, then sgn(x)",
     .citation = "C. Westin, R. A. Irani, continuously differentiable stick-slip friction, Eqs. (6-9)",
     .note = "Sticks exactly up to alpha mu n; between that and mu n it creeps. beta = 2 - alpha, as its "
             "authors use "
             "it; cdq-general leaves beta free.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(cdq_params),
     .params = cdq_params,
     .eval = cdq,
     .scale = cdq_scale},
    {.name = "cdq-general",
     .family = "force-aware continuous",
     .title = "Continuously differentiable Quinn, free beta",
     .equation = "f = -mu n h(v/epsilon - h(f_eq/(mu n))),  h(x) = x to alpha, cubic to beta, then sgn(x)",
     .citation = "C. Westin, R. A. Irani, continuously differentiable stick-slip friction, Eqs. (6-9)",
     .note = "As cdq, with beta of its own.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(cdq_general_params),
     .params = cdq_general_params,
     .eval = cdq_general,
     .scale = cdq_scale,
     .check = cdq_check},
    {.name = "awrejcewicz",
     .family = "force-aware continuous",
     .title = "Awrejcewicz",
     .equation =
         "|v| <= epsilon: f = (1 - A) clamp(f_eq, -mu_s n, mu_s n) - A mu_s n sgn(v), A = x^2 (3 - 2x), x = "
         "|v|/epsilon;  else decay to mu_d",
     .citation = "J. Awrejcewicz, D. Grzelczyk, Y. Pyryev, J. Vibroeng. 10(4), 2008",
     .note = "At rest its slope in v is zero, so velocities die out as 1/t, not exponentially: stiff solvers "
             "like it "
             "less than quinn.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(awrejcewicz_params),
     .params = awrejcewicz_params,
     .eval = awrejcewicz,
     .scale = awrejcewicz_scale},
};

const family cps_family_quinn = {"force-aware continuous", COUNT(laws), laws};
