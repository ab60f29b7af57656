/* coulomb.c - discontinuous laws, and laws that balance forces at rest.
 *
 * All of them slide with f = -n m(|v|) sgn v and stick with f = f_eq, as long as |f_eq| <= mu_s n. They
 * differ in m, in what counts as rest, and in what is said between rest and sliding. Modes: 0 stick, 1 slip
 * forward (v > 0), 2 slip backward. In a given mode every law is smooth, so that an event-driven solver can
 * integrate up to the guard that ends the mode and a little beyond.
 */
#include "laws.h"

enum { STICK, FORWARD, BACKWARD };

static const char *const mode_names[] = {"stick", "slip forward", "slip backward"};

/* The sliding direction that belongs to a mode. */
static double mode_sign(int mode) { return mode == FORWARD ? 1 : mode == BACKWARD ? -1 : 0; }

/* What these laws have in common, read from a law's parameters. */
typedef struct traction {
  double mu_s;        /* static limit */
  double band;        /* |v| that counts as rest */
  int i_mu_s, i_band; /* their parameter indices, -1 for none */
  int pushed;
} traction;

/* Which parameters hold the static limit and the band, and whether inside the band an unbalanced force alone
 * says which way the body slides; in cps_law.data. */
typedef struct layout {
  int mu_s, band, pushed;
} layout;

static traction get_traction(const cps_law *law, const double *p) {
  const layout *l = (const layout *)law->data;
  traction t = {p[l->mu_s], l->band < 0 ? 0 : p[l->band], l->mu_s, l->band, l->pushed};
  return t;
}

/* Rest holds inside the band while the balance force is within the limit; otherwise the body slides the way
 * it moves or, from rest, the way the unbalanced force pushes it: against the friction that is missing. */
static int choose_mode(const cps_law *law, const double *p, const cps_law_input *in) {
  traction t = get_traction(law, p);
  if (in->v > t.band) return FORWARD;
  if (in->v < -t.band) return BACKWARD;
  if (fabs(in->f_eq) <= t.mu_s * in->n) return STICK;
  if (in->v != 0 && !t.pushed) return in->v > 0 ? FORWARD : BACKWARD;
  return in->f_eq < 0 ? FORWARD : BACKWARD;
}

/* Guards. Stick: mu_s n + f_eq (then forward), mu_s n - f_eq (then backward). Slip: s v (then stick). Where
 * the push decides, slip lasts while s v > band or -s f_eq > mu_s n (else stick), and while s v > -band (else
 * the other way). */
static void find_guards(const cps_law *law, const double *p, const cps_law_input *in, double *g,
                        cps_partials *g_x) {
  traction t = get_traction(law, p);
  double s = mode_sign(in->mode), limit = t.mu_s * in->n;
  if (in->mode == STICK) {
    g[0] = limit + in->f_eq;
    g[1] = limit - in->f_eq;
    for (int i = 0; i < 2 && g_x; i++) {
      g_x[i].n = t.mu_s;
      g_x[i].f_eq = i == 0 ? 1 : -1;
      g_x[i].p[t.i_mu_s] = in->n;
    }
  } else if (!t.pushed) {
    g[0] = s * in->v;
    g[1] = 1;
    if (g_x) g_x[0].v = s;
  } else {
    double outside = s * in->v - t.band, push = -s * in->f_eq - limit;
    g[0] = fmax(outside, push);
    g[1] = s * in->v + t.band;
    if (!g_x) return;
    if (outside >= push) {
      g_x[0].v = s;
      g_x[0].p[t.i_band] = -1;
    } else {
      g_x[0].n = -t.mu_s;
      g_x[0].f_eq = -s;
      g_x[0].p[t.i_mu_s] = -in->n;
    }
    g_x[1].v = s;
    g_x[1].p[t.i_band] = 1;
  }
}

/* Slip ends in stick, or the other way if a long step has jumped over the band. Stick ends in the direction
 * of the push, unless the body still moves against it. */
static int change_mode(const cps_law *law, const double *p, const cps_law_input *in, int guard, double *z,
                       cps_partials *z_x) {
  (void)z, (void)z_x;
  traction t = get_traction(law, p);
  if (in->mode != STICK) {
    int crossed = t.i_band >= 0 && mode_sign(in->mode) * in->v < -t.band;
    return !crossed ? STICK : in->mode == FORWARD ? BACKWARD : FORWARD;
  }
  if (!t.pushed && in->v != 0) return in->v > 0 ? FORWARD : BACKWARD;
  return guard == 0 ? FORWARD : BACKWARD;
}

/* Rest: the balance force. */
static void stick_force(const cps_law_input *in, cps_law_output *out, cps_law_jacobian *jac) {
  out->f = in->f_eq;
  if (jac) jac->f.f_eq = 1;
}

/* Coulomb (1785): f = -mu n sgn v; at rest f = f_eq up to mu n. */
static void coulomb(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                    cps_law_jacobian *jac) {
  enum { MU };
  (void)law;
  if (in->mode == STICK) {
    stick_force(in, out, jac);
    return;
  }
  double s = mode_sign(in->mode);
  set_coefficient(in, out, jac, p[MU] * s, 0);
  if (jac) jac->f.p[MU] = -in->n * s;
}

static void coulomb_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, p[0] * n, 0, 1);
}

/* Coulomb with a static level (Morin 1833): slides with mu_d, holds up to mu_s n. Event-driven Coulomb
 * (Verulkar et al. 2024) and Karnopp (1985) are the same within a mode, and differ in the band |v| <= epsilon
 * that counts as rest. */
static void coulomb_static(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                           cps_law_jacobian *jac) {
  enum { MU_S, MU_D };
  (void)law;
  if (in->mode == STICK) {
    stick_force(in, out, jac);
    return;
  }
  double s = mode_sign(in->mode);
  set_coefficient(in, out, jac, p[MU_D] * s, 0);
  if (jac) jac->f.p[MU_D] = -in->n * s;
}

static void coulomb_static_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, MU_D };
  const layout *l = (const layout *)law->data;
  double band = l->band < 0 ? 0 : p[l->band];
  set_scale(s, p[MU_S] * n, fmax(p[MU_S], p[MU_D]) * n, band, band > 0 ? band : 1);
}

/* Coulomb with viscous friction: f = -(mu n + c |v|) sgn v; at rest f = f_eq up to mu n. */
static void coulomb_viscous(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                            cps_law_jacobian *jac) {
  enum { MU, VISCOUS };
  coulomb(law, p, in, out, jac);
  if (in->mode == STICK) return;
  out->f -= p[VISCOUS] * in->v;
  if (jac) {
    jac->f.v = -p[VISCOUS];
    jac->f.p[VISCOUS] = -in->v;
  }
}

static void coulomb_viscous_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, INFINITY, 0, 1);
}

/* Stribeck (1902), in the exponential form of Bo and Pavelescu (1982):
 * f = -n (mu_d + (mu_s - mu_d) exp(-|v/v_s|^exponent)) sgn v - c v; at rest f = f_eq up to mu_s n. */
static void stribeck_law(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU_S, MU_D, V_S, EXPONENT, VISCOUS };
  (void)law;
  if (in->mode == STICK) {
    stick_force(in, out, jac);
    return;
  }
  double s = mode_sign(in->mode);
  stribeck c = stribeck_curve(in->v, p[MU_S], p[MU_D], p[V_S], p[EXPONENT]);
  set_coefficient(in, out, jac, c.g * s, c.g_v * s);
  out->f -= p[VISCOUS] * in->v;
  if (!jac) return;
  jac->f.v -= p[VISCOUS];
  jac->f.p[MU_S] = -in->n * c.g_mu_s * s;
  jac->f.p[MU_D] = -in->n * c.g_mu_d * s;
  jac->f.p[V_S] = -in->n * c.g_v_s * s;
  jac->f.p[EXPONENT] = -in->n * c.g_exponent * s;
  jac->f.p[VISCOUS] = -in->v;
}

static void stribeck_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law;
  set_scale(s, p[0] * n, INFINITY, 0, p[2]);
}

/* Switch model (Leine et al. 1998). |v| > eta: f = -mu_s n sgn v / (1 + delta |v|). |v| <= eta: with
 * |f_eq| <= mu_s n, f = f_eq - kappa v, which draws the velocity to zero without a jump in the state;
 * otherwise f = mu_s n sgn f_eq, the transition from stick to slip. Leine has kappa = m sqrt(k/m) for his
 * oscillator. */
static void switch_model(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                         cps_law_jacobian *jac) {
  enum { MU_S, DELTA, ETA, KAPPA };
  (void)law;
  double v = in->v;
  if (in->mode == STICK) {
    stick_force(in, out, jac);
    out->f -= p[KAPPA] * v;
    if (jac) {
      jac->f.v = -p[KAPPA];
      jac->f.p[KAPPA] = -v;
    }
    return;
  }
  /* Inside the band the slip modes are the transition, whose force is that of the limit. */
  double s = mode_sign(in->mode);
  int transition = fabs(v) <= p[ETA];
  double d = transition ? 1 : 1 + p[DELTA] * fabs(v);
  set_coefficient(in, out, jac, p[MU_S] * s / d,
                  transition ? 0 : -p[MU_S] * s * p[DELTA] * direction(v) / (d * d));
  if (!jac) return;
  jac->f.p[MU_S] = -in->n * s / d;
  if (!transition) jac->f.p[DELTA] = in->n * p[MU_S] * s * fabs(v) / (d * d);
}

static void switch_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  enum { MU_S, DELTA, ETA, KAPPA };
  (void)law;
  set_scale(s, p[MU_S] * n, p[MU_S] * n + p[KAPPA] * p[ETA], p[ETA], p[ETA]);
}

static const cps_param coulomb_params[] = {P_MU};
static const cps_param coulomb_static_params[] = {P_MU_S, P_MU_D};
static const cps_param coulomb_viscous_params[] = {
    P_MU, {"viscous", "N s/m", 0.1, 0, 1e12, "viscous damping, independent of the load"}};
static const cps_param stribeck_params[] = {P_MU_S, P_MU_D, P_V_S, P_EXPONENT, P_VISCOUS};
static const cps_param event_params[] = {
    P_MU_S, P_MU_D, {"epsilon", "m/s", 1e-6, 1e-12, 1e6, "velocity below which the body counts as at rest"}};
static const cps_param karnopp_params[] = {
    P_MU_S, P_MU_D, {"epsilon", "m/s", 0.001, 1e-12, 1e6, "half-width of the zero-velocity band"}};
static const cps_param switch_params[] = {
    P_MU_S,
    {"delta", "s/m", 3, 0, 1e12, "decay of friction with velocity"},
    {"eta", "m/s", 1e-4, 1e-12, 1e6, "half-width of the stick band"},
    {"kappa", "N s/m", 1, 0, 1e12, "attraction to rest inside the stick band"}};

static const layout first_is_limit = {0, -1, 0};
static const layout third_is_band = {0, 2, 0};
static const layout push_decides = {0, 2, 1};

#define MODED .n_modes = 3, .modes = mode_names, .n_guards = 2

static const cps_law laws[] = {
    {.name = "coulomb",
     .aliases = "classical",
     .family = "force balance",
     .title = "Coulomb",
     .equation = "f = -mu n sgn(v);  v = 0: f = clamp(f_eq, -mu n, mu n)",
     .citation =
         "C. A. Coulomb, Theorie des machines simples, 1785; as a function of f_eq: Quinn 2004, Eqs. (1-2)",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(coulomb_params),
     .params = coulomb_params,
     MODED,
     .eval = coulomb,
     .scale = coulomb_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &first_is_limit},
    {.name = "coulomb-static",
     .aliases = "stiction",
     .family = "force balance",
     .title = "Coulomb with static level",
     .equation = "f = -mu_d n sgn(v);  v = 0: f = f_eq while |f_eq| <= mu_s n",
     .citation = "A. Morin 1833; Olsson et al., Eur. J. Control 4(3), 1998",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(coulomb_static_params),
     .params = coulomb_static_params,
     MODED,
     .eval = coulomb_static,
     .scale = coulomb_static_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &first_is_limit},
    {.name = "coulomb-viscous",
     .family = "force balance",
     .title = "Coulomb with viscous friction",
     .equation = "f = -mu n sgn(v) - c v;  v = 0: f = clamp(f_eq, -mu n, mu n)",
     .citation = "Olsson et al., Eur. J. Control 4(3), 1998",
     .note = "Unbounded and not zero without load: the viscous part depends on the velocity alone.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE,
     .n_params = COUNT(coulomb_viscous_params),
     .params = coulomb_viscous_params,
     MODED,
     .eval = coulomb_viscous,
     .scale = coulomb_viscous_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &first_is_limit},
    {.name = "stribeck",
     .family = "force balance",
     .title = "Stribeck curve with stiction",
     .equation = "f = -n (mu_d + (mu_s - mu_d) exp(-|v/v_s|^exponent)) sgn(v) - c v;  v = 0: f = f_eq while "
                 "|f_eq| <= mu_s n",
     .citation = "R. Stribeck 1902; L. C. Bo, D. Pavelescu, Wear 82(3), 1982",
     .note = "With a viscous part (default 0) it is unbounded and does not vanish with the load.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES | CPS_UNBOUNDED | CPS_LOAD_FREE,
     .n_params = COUNT(stribeck_params),
     .params = stribeck_params,
     MODED,
     .eval = stribeck_law,
     .scale = stribeck_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &first_is_limit},
    {.name = "event-coulomb",
     .aliases = "verulkar",
     .family = "force balance",
     .title = "Event-driven Coulomb",
     .equation = "|v| <= epsilon and |f_eq| <= mu_s n: f = f_eq;  otherwise f = -mu_d n sgn(v)",
     .citation =
         "Verulkar, Sandu, Sandu, Dopico 2024, Eq. (1), with the absolute value and the sign that it omits",
     .note =
         "Differs from karnopp in meaning: epsilon only has to absorb round-off, since events are located.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(event_params),
     .params = event_params,
     MODED,
     .eval = coulomb_static,
     .scale = coulomb_static_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &third_is_band},
    {.name = "karnopp",
     .family = "force balance",
     .title = "Karnopp",
     .equation = "|v| <= epsilon and |f_eq| <= mu_s n: f = f_eq;  otherwise f = -mu_d n sgn(v)",
     .citation = "D. Karnopp, J. Dyn. Syst. Meas. Control 107(1), 1985",
     .note =
         "Westin Eq. (3) prints it without the limit mu_s n inside the band; Karnopp has the limit, and so "
         "has this one.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES,
     .n_params = COUNT(karnopp_params),
     .params = karnopp_params,
     MODED,
     .eval = coulomb_static,
     .scale = coulomb_static_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &third_is_band},
    {.name = "switch",
     .aliases = "leine",
     .family = "force balance",
     .title = "Switch model",
     .equation =
         "|v| > eta: f = -mu_s n sgn(v)/(1 + delta |v|);  else |f_eq| <= mu_s n: f = f_eq - kappa v;  else "
         "f = mu_s n sgn(f_eq)",
     .citation = "R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Nonlinear Dyn. 16(1), 1998",
     .note =
         "Not zero without load: the attraction kappa v inside the band does not depend on the normal force.",
     .traits = CPS_STICKS | CPS_NEEDS_FEQ | CPS_MODES | CPS_DISSIPATES | CPS_LOAD_FREE,
     .n_params = COUNT(switch_params),
     .params = switch_params,
     MODED,
     .eval = switch_model,
     .scale = switch_scale,
     .mode = choose_mode,
     .guards = find_guards,
     .transition = change_mode,
     .data = &push_decides},
};

const family cps_family_coulomb = {"force balance", COUNT(laws), laws};
