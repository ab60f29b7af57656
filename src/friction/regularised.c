/* regularised.c - friction as a continuous function of velocity alone, f = -n m(v).
 *
 * At v = 0 all of them give zero, so a body under a static load slides: slowly, but without end (Quinn 2004,
 * section 2; Schuderer et al. 2024, section 3.1). They are in wide use, and here for comparison.
 */
#include "laws.h"

/* Martins and Oden: m = mu v/epsilon for |v| <= epsilon, mu sgn v beyond. Quinn Eq. (3), "velocity-limited".
 */
static void martins_oden(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU, EPSILON };
  (void)law;
  double x = in->v / p[EPSILON];
  int inside = fabs(x) <= 1;
  double h = inside ? x : sgn(x);
  set_coefficient(in, out, jac, p[MU] * h, inside ? p[MU] / p[EPSILON] : 0);
  if (!jac) return;
  jac->f.p[MU] = -in->n * h;
  jac->f.p[EPSILON] = inside ? in->n * p[MU] * x / p[EPSILON] : 0;
}

/* Oden and Martins: m = mu (2 - |x|) x with x = v/epsilon for |x| <= 1, mu sgn v beyond. */
static void oden_martins(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU, EPSILON };
  (void)law;
  double x = in->v / p[EPSILON];
  int inside = fabs(x) <= 1;
  double h = inside ? (2 - fabs(x)) * x : sgn(x);
  double h_x = inside ? 2 - 2 * fabs(x) : 0;
  set_coefficient(in, out, jac, p[MU] * h, p[MU] * h_x / p[EPSILON]);
  if (!jac) return;
  jac->f.p[MU] = -in->n * h;
  jac->f.p[EPSILON] = inside ? in->n * p[MU] * h_x * x / p[EPSILON] : 0;
}

/* Hyperbolic tangent: m = mu tanh(v/v_t). */
static void hyperbolic(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                       cps_law_jacobian *jac) {
  enum { MU, V_T };
  (void)law;
  double x = in->v / p[V_T];
  double h = tanh(x), h_x = (1 - h) * (1 + h);
  set_coefficient(in, out, jac, p[MU] * h, p[MU] * h_x / p[V_T]);
  if (!jac) return;
  jac->f.p[MU] = -in->n * h;
  jac->f.p[V_T] = h_x == 0 ? 0 : in->n * p[MU] * h_x * x / p[V_T];
}

/* Threlfall (1978): m = mu (1 - exp(-3 |v|/v_r)) sgn v for |v| <= v_r, and its value at v_r, mu (1 - e^-3)
 * sgn v, beyond; surveys print that as 0.95 mu, which would make a jump of 0.02 %. */
static void threlfall(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                      cps_law_jacobian *jac) {
  enum { MU, V_R };
  (void)law;
  double x = fabs(in->v) / p[V_R], s = sgn(in->v);
  int inside = x <= 1;
  double e = exp(-3 * (inside ? x : 1));
  double h = (1 - e) * s, h_x = inside ? 3 * e : 0;
  set_coefficient(in, out, jac, p[MU] * h, p[MU] * h_x / p[V_R]);
  if (!jac) return;
  jac->f.p[MU] = -in->n * h;
  jac->f.p[V_R] = inside ? in->n * p[MU] * h_x * x * s / p[V_R] : 0;
}

/* Bengisu and Akay (1994): m = mu_s (1 - (1 - |v|/v_0)^2) sgn v for |v| < v_0, and
 * (mu_d + (mu_s - mu_d) exp(-xi (|v| - v_0))) sgn v beyond. */
static void bengisu_akay(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_0, XI };
  (void)law;
  double a = fabs(in->v), s = sgn(in->v);
  if (a < p[V_0]) {
    double x = a / p[V_0], h = 1 - (1 - x) * (1 - x), h_x = 2 * (1 - x);
    set_coefficient(in, out, jac, p[MU_S] * h * s, p[MU_S] * h_x / p[V_0]);
    if (!jac) return;
    jac->f.p[MU_S] = -in->n * h * s;
    jac->f.p[V_0] = in->n * p[MU_S] * h_x * x / p[V_0] * s;
    return;
  }
  double beyond = a - p[V_0], e = exp(-p[XI] * beyond), drop = p[MU_S] - p[MU_D];
  set_coefficient(in, out, jac, (p[MU_D] + drop * e) * s, -drop * p[XI] * e);
  if (!jac) return;
  jac->f.p[MU_S] = -in->n * e * s;
  jac->f.p[MU_D] = -in->n * (1 - e) * s;
  jac->f.p[V_0] = -in->n * drop * p[XI] * e * s;
  jac->f.p[XI] = in->n * drop * beyond * e * s;
}

/* Ambrosio (2003): m = mu c(|v|) sgn v with c = 0 up to v_0, linear to 1 at v_1, 1 beyond. */
static void ambrosio(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                     cps_law_jacobian *jac) {
  enum { MU, V_0, V_1 };
  (void)law;
  double a = fabs(in->v), s = sgn(in->v), width = p[V_1] - p[V_0];
  int rising = a > p[V_0] && a < p[V_1];
  double c = rising ? (a - p[V_0]) / width : a >= p[V_1] ? 1 : 0;
  set_coefficient(in, out, jac, p[MU] * c * s, rising ? p[MU] / width : 0);
  if (!jac) return;
  jac->f.p[MU] = -in->n * c * s;
  if (!rising) return;
  jac->f.p[V_0] = in->n * p[MU] * (1 - c) / width * s;
  jac->f.p[V_1] = in->n * p[MU] * c / width * s;
}

static const char *ambrosio_check(const cps_law *law, const double *p) {
  (void)law;
  return p[1] < p[2] * (1 - 1e-6) ? NULL : "v_0 must be below v_1";
}

/* Brown and McPhee (2016): m = mu_d tanh(4x) + (mu_s - mu_d) x / (x^2/4 + 3/4)^2 with x = v/v_t, and a
 * viscous part c v. Smooth; m(v_t) is mu_s but for 1 - tanh 4 = 7e-4 of mu_d. Verulkar et al. Eq. (1) has c =
 * 0. */
static void brown_mcphee(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_T, VISCOUS };
  (void)law;
  double x = in->v / p[V_T];
  double t = tanh(4 * x), t_x = 4 * (1 - t) * (1 + t);
  double q = x * x / 4 + 0.75;
  double b = x / q / q, b_x = (1 - x * (x / q)) / q / q; /* the peak: b(1) = 1, b_x(1) = 0 */
  double m_x = p[MU_D] * t_x + (p[MU_S] - p[MU_D]) * b_x;
  set_coefficient(in, out, jac, p[MU_D] * t + (p[MU_S] - p[MU_D]) * b, m_x / p[V_T]);
  out->f -= p[VISCOUS] * in->v;
  if (!jac) return;
  jac->f.v -= p[VISCOUS];
  jac->f.p[MU_S] = -in->n * b;
  jac->f.p[MU_D] = -in->n * (t - b);
  jac->f.p[V_T] = in->n * (p[MU_D] * t_x * x + (p[MU_S] - p[MU_D]) * b_x * x) / p[V_T];
  jac->f.p[VISCOUS] = -in->v;
}

/* Scales: first parameter is the level, second the velocity. */
static void level_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, p[1]);
}

static void threlfall_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  double most = p[0] * (1 - exp(-3.0)) * n;
  set_scale(s, most, most, 0, p[1]);
}

static void bengisu_akay_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, fmax(p[0], p[1]) * n, 0, p[2]);
}

static void ambrosio_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, p[2]);
}

static void brown_mcphee_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[3] > 0 ? INFINITY : (p[0] + p[1]) * n, 0, p[2]);
}

static const cps_param level_params[] = {P_MU, P_EPSILON};
static const cps_param rooney_params[] = {
    P_MU, {"v_s", "m/s", 0.01, 1e-12, 1e6, "creep rate at which friction is fully developed"}};
static const cps_param tanh_params[] = {P_MU, {"v_t", "m/s", 0.01, 1e-12, 1e6, "velocity of tanh 1 = 76 %"}};
static const cps_param threlfall_params[] = {
    P_MU, {"v_r", "m/s", 0.01, 1e-12, 1e6, "velocity at which friction stops growing"}};
static const cps_param bengisu_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_0", "m/s", 0.001, 1e-12, 1e6, "velocity of the static peak"},
    {"xi", "s/m", 500, 0, 1e12, "decay from static to dynamic friction"}};
static const cps_param ambrosio_params[] = {
    P_MU,
    {"v_0", "m/s", 0.001, 0, 1e6, "velocity up to which there is no friction"},
    {"v_1", "m/s", 0.01, 1e-12, 1e6, "velocity of full friction"}};
static const cps_param brown_params[] = {
    P_MU_S, P_MU_D, {"v_t", "m/s", 0.001, 1e-12, 1e6, "transition velocity: of the static peak"}, P_VISCOUS};

static const cps_law laws[] = {
    {.name = "martins-oden",
     .aliases = "velocity-limited",
     .family = "velocity-regularised",
     .title = "Martins-Oden linear, velocity-limited",
     .equation = "f = -mu n clamp(v/epsilon, -1, 1)",
     .citation = "J. A. C. Martins, J. T. Oden, Nonlinear Anal. 11(3), 1987; Quinn 2004, Eq. (3)",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(level_params),
     .params = level_params,
     .eval = martins_oden,
     .scale = level_scale},
    {.name = "oden-martins",
     .aliases = "quadratic",
     .family = "velocity-regularised",
     .title = "Oden-Martins quadratic",
     .equation = "x = v/epsilon, |x| <= 1: f = -mu n (2 - |x|) x;  else f = -mu n sgn(v)",
     .citation = "J. T. Oden, J. A. C. Martins, Comput. Methods Appl. Mech. Eng. 52, 1985",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(level_params),
     .params = level_params,
     .eval = oden_martins,
     .scale = level_scale},
    {.name = "tanh",
     .aliases = "smooth-coulomb",
     .family = "velocity-regularised",
     .title = "Hyperbolic tangent",
     .equation = "f = -mu n tanh(v/v_t)",
     .citation = "S. Andersson, A. Soderberg, S. Bjorklund, Tribol. Int. 40(4), 2007",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES,
     .n_params = COUNT(tanh_params),
     .params = tanh_params,
     .eval = hyperbolic,
     .scale = level_scale},
    {.name = "threlfall",
     .family = "velocity-regularised",
     .title = "Threlfall",
     .equation = "f = -mu n (1 - exp(-3 min(|v|/v_r, 1))) sgn(v)",
     .citation = "D. C. Threlfall, Mech. Mach. Theory 13(4), 1978",
     .note = "Levels off at 1 - exp(-3) = 95 % of mu n, which is the most that it holds or gives.",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(threlfall_params),
     .params = threlfall_params,
     .eval = threlfall,
     .scale = threlfall_scale},
    {.name = "bengisu-akay",
     .family = "velocity-regularised",
     .title = "Bengisu-Akay",
     .equation = "|v| < v_0: f = -mu_s n (1 - (1 - |v|/v_0)^2) sgn(v);  else f = -n (mu_d + (mu_s - mu_d) "
                 "exp(-xi (|v| - v_0))) sgn(v)",
     .citation = "M. T. Bengisu, A. Akay, J. Sound Vib. 171(4), 1994",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(bengisu_params),
     .params = bengisu_params,
     .eval = bengisu_akay,
     .scale = bengisu_akay_scale},
    {.name = "ambrosio",
     .family = "velocity-regularised",
     .title = "Ambrosio dynamic correction",
     .equation = "f = -mu n clamp((|v| - v_0)/(v_1 - v_0), 0, 1) sgn(v)",
     .citation = "J. A. C. Ambrosio, in Virtual Nonlinear Multibody Systems, NATO Sci. Ser. 103, 2003",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(ambrosio_params),
     .params = ambrosio_params,
     .eval = ambrosio,
     .scale = ambrosio_scale,
     .check = ambrosio_check},
    {.name = "rooney-deravi",
     .aliases = "creep-rate",
     .family = "velocity-regularised",
     .title = "Rooney-Deravi, creep-rate dependent",
     .equation = "f = -mu n clamp(v/v_s, -1, 1)",
     .citation =
         "G. T. Rooney, P. Deravi, Mech. Mach. Theory 17(3), 1982; as used for belt drives by Leamy and "
         "Wasfy, J. Appl. Mech. 69(6), 2002",
     .note = "The three straight lines of the belt-drive literature: the same function as martins-oden, with "
             "that "
             "literature's names. Lugris et al. reject it because it cannot hold an elevator at rest.",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_DISSIPATES,
     .n_params = COUNT(rooney_params),
     .params = rooney_params,
     .eval = martins_oden,
     .scale = level_scale},
    {.name = "brown-mcphee",
     .family = "velocity-regularised",
     .title = "Brown-McPhee",
     .equation = "x = v/v_t: f = -n (mu_d tanh(4x) + (mu_s - mu_d) x/(x^2/4 + 3/4)^2) - c v",
     .citation = "P. Brown, J. McPhee, J. Comput. Nonlinear Dyn. 11(5), 2016; Verulkar et al. 2024, Eq. (1)",
     .note = "With a viscous part (default 0) it is unbounded and does not vanish with the load.",
     .traits = CPS_CREEPS | CPS_CONTINUOUS | CPS_SMOOTH | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE,
     .n_params = COUNT(brown_params),
     .params = brown_params,
     .eval = brown_mcphee,
     .scale = brown_mcphee_scale},
};

const family cps_family_regularised = {"velocity-regularised", COUNT(laws), laws};
