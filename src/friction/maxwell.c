/* maxwell.c - elements in parallel that stick and slip one by one: Iwan, generalised Maxwell slip.
 *
 * Mode k is a set: bit i of k tells that element i slips. Guard i belongs to element i: while it sticks, what
 * is left of its strength; while it slips, the velocity in the direction in which it slips.
 */
#include "laws.h"

/* ---- Iwan ---- */

enum { IWAN = 8 };

/* Yield deflection of element i over the mean one, mu/sigma0. */
static double iwan_spread(const double *p, int i) { return 1 + p[2] * (2.0 * i - (IWAN - 1)) / IWAN; }
static double iwan_yield(const double *p, int i) { return p[0] / p[1] * iwan_spread(p, i); }

/* Iwan (1966), parallel-series: f = -n (sigma0/8) sum z_i; z_i' = v while |z_i| < y_i, 0 while it slips;
 * y_i spread evenly about mu/sigma0. */
static void iwan(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                 cps_law_jacobian *jac) {
  enum { MU, SIGMA0, SPREAD };
  (void)law;
  double sum = 0;
  for (int i = 0; i < IWAN; i++) {
    int slips = (in->mode >> i) & 1;
    sum += in->z[i] / IWAN;
    out->z_t[i] = slips ? 0 : in->v;
    if (!jac) continue;
    jac->f.z[i] = -in->n * p[SIGMA0] / IWAN;
    jac->z_t[i].v = slips ? 0 : 1;
  }
  out->f = -in->n * p[SIGMA0] * sum;
  if (!jac) return;
  jac->f.n = -p[SIGMA0] * sum;
  jac->f.p[SIGMA0] = -in->n * sum;
}

static int iwan_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  (void)law;
  int mode = 0;
  for (int i = 0; i < IWAN; i++)
    if (fabs(in->z[i]) >= iwan_yield(p, i) && in->v * in->z[i] > 0) mode |= 1 << i;
  return mode;
}

static void iwan_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                        cps_partials *g_x) {
  enum { MU, SIGMA0, SPREAD };
  (void)law;
  for (int i = 0; i < IWAN; i++) {
    double d = direction(in->z[i]);
    g[i] = 1;
    if ((in->mode >> i) & 1) {
      g[i] = d * in->v;
      if (g_x) g_x[i].v = d;
    } else if (in->v * d > 0) {
      g[i] = iwan_yield(p, i) - fabs(in->z[i]);
      if (!g_x) continue;
      g_x[i].z[i] = -d;
      g_x[i].p[MU] = iwan_spread(p, i) / p[SIGMA0];
      g_x[i].p[SIGMA0] = -iwan_yield(p, i) / p[SIGMA0];
      g_x[i].p[SPREAD] = p[MU] / p[SIGMA0] * (2.0 * i - (IWAN - 1)) / IWAN;
    }
  }
}

static int iwan_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard, double *z,
                           cps_partials *z_x) {
  enum { MU, SIGMA0, SPREAD };
  (void)law;
  int i = guard;
  if (!((in->mode >> i) & 1)) { /* it starts to slip at its strength */
    double d = direction(in->z[i]);
    z[i] = d * iwan_yield(p, i);
    if (z_x) {
      z_x[i].z[i] = 0;
      z_x[i].p[MU] = d * iwan_spread(p, i) / p[SIGMA0];
      z_x[i].p[SIGMA0] = -z[i] / p[SIGMA0];
      z_x[i].p[SPREAD] = d * p[MU] / p[SIGMA0] * (2.0 * i - (IWAN - 1)) / IWAN;
    }
  }
  return in->mode ^ (1 << i);
}

static void iwan_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, 1);
  for (int i = 0; i < IWAN; i++) s->z[i] = iwan_yield(p, i);
}

/* ---- generalised Maxwell slip ---- */

enum { GMS = 4 };
enum { MU_S, MU_D, V_S, C, K1, A1 = K1 + GMS }; /* parameters; A1 .. A3, the last share is what is left */

static double share(const double *p, int i) {
  return i < GMS - 1 ? p[A1 + i] : 1 - p[A1] - p[A1 + 1] - p[A1 + 2];
}

/* Adds q times the derivative of share i to a row. */
static void add_share(cps_partials *row, int i, double q) {
  if (i < GMS - 1) {
    row->p[A1 + i] += q;
  } else {
    for (int j = 0; j < GMS - 1; j++) row->p[A1 + j] -= q;
  }
}

/* Adds q times the derivative of the Stribeck level to a row. */
static void add_level(cps_partials *row, const stribeck *g, double q) {
  row->v += q * g->g_v;
  row->p[MU_S] += q * g->g_mu_s;
  row->p[MU_D] += q * g->g_mu_d;
  row->p[V_S] += q * g->g_v_s;
}

/* Al-Bender, Lampaert and Swevers (2005): f = -n sum k_i z_i. Element i sticks, z_i' = v, until k_i |z_i| =
 * a_i g(v); then it slips, k_i z_i' = C (a_i sgn v - k_i z_i/g(v)), until v turns. g is the Stribeck curve,
 * sum a_i = 1. */
static void gms(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                cps_law_jacobian *jac) {
  (void)law;
  stribeck g = stribeck_curve(in->v, p[MU_S], p[MU_D], p[V_S], 2);
  double sum = 0;
  for (int i = 0; i < GMS; i++) {
    double k = p[K1 + i], z = in->z[i];
    sum += k * z;
    if (jac) {
      jac->f.z[i] = -in->n * k;
      jac->f.p[K1 + i] = -in->n * z;
    }
    if (!((in->mode >> i) & 1)) {
      out->z_t[i] = in->v;
      if (jac) jac->z_t[i].v = 1;
      continue;
    }
    double d = direction(z), c = p[C] / k, pull = d * share(p, i) - k * z / g.g;
    out->z_t[i] = c * pull;
    if (!jac) continue;
    cps_partials *row = &jac->z_t[i];
    row->z[i] = -p[C] / g.g;
    row->p[C] = pull / k;
    row->p[K1 + i] = -c * d * share(p, i) / k;
    add_share(row, i, c * d);
    add_level(row, &g, p[C] * z / (g.g * g.g));
  }
  out->f = -in->n * sum;
  if (jac) jac->f.n = -sum;
}

static int gms_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  (void)law;
  stribeck g = stribeck_curve(in->v, p[MU_S], p[MU_D], p[V_S], 2);
  int mode = 0;
  for (int i = 0; i < GMS; i++)
    if (p[K1 + i] * fabs(in->z[i]) >= share(p, i) * g.g && in->v * in->z[i] > 0) mode |= 1 << i;
  return mode;
}

static void gms_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                       cps_partials *g_x) {
  (void)law;
  stribeck level = stribeck_curve(in->v, p[MU_S], p[MU_D], p[V_S], 2);
  for (int i = 0; i < GMS; i++) {
    double d = direction(in->z[i]);
    g[i] = 1;
    if ((in->mode >> i) & 1) {
      g[i] = d * in->v;
      if (g_x) g_x[i].v = d;
    } else if (in->v * d > 0) {
      g[i] = share(p, i) * level.g - p[K1 + i] * fabs(in->z[i]);
      if (!g_x) continue;
      g_x[i].z[i] = -p[K1 + i] * d;
      g_x[i].p[K1 + i] = -fabs(in->z[i]);
      add_share(&g_x[i], i, level.g);
      add_level(&g_x[i], &level, share(p, i));
    }
  }
}

static int gms_transition(const cps_law *law, const double *p, const cps_law_input *in, int guard, double *z,
                          cps_partials *z_x) {
  (void)law, (void)p, (void)z, (void)z_x;
  return in->mode ^ (1 << guard);
}

static const char *gms_check(const cps_law *law, const double *p) {
  (void)law;
  return p[A1] + p[A1 + 1] + p[A1 + 2] < 0.9999
             ? NULL
             : "a1 + a2 + a3 must be below 1: the fourth element has the rest";
}

static void gms_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  double most = fmax(p[MU_S], p[MU_D]);
  set_scale(s, p[MU_S] * n, most * n, 0, p[V_S]);
  for (int i = 0; i < GMS; i++) s->z[i] = share(p, i) * most / p[K1 + i];
}

static const cps_param iwan_params[] = {
    {"mu", "1", 0.5, 1e-6, 100, "friction coefficient when all elements slip"},
    P_STIFFNESS,
    {"spread", "1", 0.8, 0, 1, "how far the yield deflections spread about their mean"}};
static const cps_param gms_params[] = {
    P_MU_S,
    P_MU_D,
    {"v_s", "m/s", 0.001, 1e-12, 1e6, "Stribeck velocity"},
    {"c", "1/s", 100, 1e-6, 1e12, "attraction: how fast a slipping element follows the Stribeck curve"},
    {"k1", "1/m", 6e4, 1e-3, 1e15, "stiffness of element 1 per unit normal force"},
    {"k2", "1/m", 2e4, 1e-3, 1e15, "stiffness of element 2"},
    {"k3", "1/m", 1e4, 1e-3, 1e15, "stiffness of element 3"},
    {"k4", "1/m", 5e3, 1e-3, 1e15, "stiffness of element 4"},
    {"a1", "1", 0.25, 1e-4, 0.9997, "share of element 1 in the strength"},
    {"a2", "1", 0.25, 1e-4, 0.9997, "share of element 2"},
    {"a3", "1", 0.25, 1e-4, 0.9997, "share of element 3; element 4 has the rest"}};

#define Z_ELEMENT(name, i)                                                                                   \
  { name, "m", -1, "deflection of element " #i }

static const cps_state iwan_states[] = {Z_ELEMENT("z1", 1), Z_ELEMENT("z2", 2), Z_ELEMENT("z3", 3),
                                        Z_ELEMENT("z4", 4), Z_ELEMENT("z5", 5), Z_ELEMENT("z6", 6),
                                        Z_ELEMENT("z7", 7), Z_ELEMENT("z8", 8)};
static const cps_state gms_states[] = {Z_ELEMENT("z1", 1), Z_ELEMENT("z2", 2), Z_ELEMENT("z3", 3),
                                       Z_ELEMENT("z4", 4)};

static const cps_law laws[] = {
    {.name = "iwan",
     .aliases = "masing",
     .family = "elements in parallel",
     .title = "Iwan",
     .equation =
         "f = -n (sigma0/8) sum z_i,  z_i' = v while |z_i| < y_i, else 0,  y_i spread about mu/sigma0",
     .citation = "W. D. Iwan, J. Appl. Mech. 33(4), 1966",
     .note = "Eight elements of equal stiffness. Hysteresis with nonlocal memory, without dependence on "
             "velocity.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(iwan_params),
     .params = iwan_params,
     .n_states = IWAN,
     .states = iwan_states,
     .n_modes = 1 << IWAN,
     .n_guards = IWAN,
     .eval = iwan,
     .scale = iwan_scale,
     .mode = iwan_mode,
     .guards = iwan_guards,
     .transition = iwan_transition},
    {.name = "gms",
     .aliases = "generalised-maxwell-slip maxwell-slip",
     .family = "elements in parallel",
     .title = "Generalised Maxwell slip",
     .equation = "f = -n sum k_i z_i;  stick: z_i' = v until k_i |z_i| = a_i g(v);  slip: k_i z_i' = C (a_i "
                 "sgn(v) - k_i "
                 "z_i/g(v)) until v turns",
     .citation = "F. Al-Bender, V. Lampaert, J. Swevers, IEEE Trans. Autom. Control 50(11), 2005",
     .note =
         "Four elements. Differs from iwan in that slipping elements follow the Stribeck curve. Not "
         "dissipative in "
         "every cycle: as v falls, a slipping element follows the rising curve and is loaded without motion.",
     .traits = CPS_STICKS | CPS_MEMORY | CPS_MODES,
     .n_params = COUNT(gms_params),
     .params = gms_params,
     .n_states = GMS,
     .states = gms_states,
     .n_modes = 1 << GMS,
     .n_guards = GMS,
     .eval = gms,
     .scale = gms_scale,
     .check = gms_check,
     .mode = gms_mode,
     .guards = gms_guards,
     .transition = gms_transition},
};

const family cps_family_maxwell = {"elements in parallel", COUNT(laws), laws};
