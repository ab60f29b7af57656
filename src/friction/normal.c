/* normal.c - normal contact: force against penetration and its rate. */
#include "internal.h"
#include "laws.h"

#include <string.h>

enum { STIFFNESS, EXPONENT, DAMPING, ONSET };

/* Hunt and Crossley (1975), as in Westin Eq. (22) and Lugris Eq. (30): n = k depth^e (1 + D rate), never
 * below zero. Force and derivatives by depth and rate; returns depth^e. */
static double hunt_crossley_force(const double *p, double depth, double rate, cps_normal_output *out) {
  double factor = 1 + p[DAMPING] * rate;
  out->n = out->depth = out->rate = 0;
  if (depth <= 0 || factor <= 0) return 0;
  double e = p[EXPONENT]; /* roots are far cheaper than powers */
  double below = e == 1.5 ? sqrt(depth) : e == 1 ? 1 : pow(depth, e - 1), power = depth * below;
  out->n = p[STIFFNESS] * power * factor;
  out->depth = p[STIFFNESS] * e * below * factor;
  out->rate = p[STIFFNESS] * power * p[DAMPING];
  return power;
}

static void hunt_crossley(const cps_normal *law, const double *p, double depth, double rate,
                          cps_normal_output *out) {
  (void)law;
  double power = hunt_crossley_force(p, depth, rate, out), factor = 1 + p[DAMPING] * rate;
  if (power <= 0) return;
  out->p[STIFFNESS] = power * factor;
  out->p[EXPONENT] = p[STIFFNESS] * power * log(depth) * factor;
  out->p[DAMPING] = p[STIFFNESS] * power * rate;
}

/* The same of a depth that sets in softly, x = depth^2/(4 onset) up to depth 2 onset and depth - onset from there: as if a
 * lining had to be pressed first. Elements of a cable that run onto a drum then shake it less: what they feel
 * does not begin within a moment. Returns x, and its derivatives by depth and onset. */
static double soft_depth(double depth, double onset, double *by_depth, double *by_onset) {
  int soft = depth < 2 * onset;
  *by_depth = soft ? depth / (2 * onset) : 1;
  *by_onset = soft ? -*by_depth * *by_depth : -1;
  return soft ? depth * *by_depth / 2 : depth - onset;
}

static void hunt_crossley_onset(const cps_normal *law, const double *p, double depth, double rate,
                                cps_normal_output *out) {
  double by_depth, by_onset;
  if (depth <= 0) return;
  hunt_crossley(law, p, soft_depth(depth, p[ONSET], &by_depth, &by_onset), rate, out);
  out->p[ONSET] = out->depth * by_onset;
  out->depth *= by_depth;
}

/* Linear penalty (Kelvin-Voigt): n = k depth + d rate, never below zero; with damping it jumps at touch-down.
 */
static void linear(const cps_normal *law, const double *p, double depth, double rate,
                   cps_normal_output *out) {
  enum { K, D };
  (void)law;
  double n = p[K] * depth + p[D] * rate;
  if (depth <= 0 || n <= 0) return;
  out->n = n;
  out->depth = p[K];
  out->rate = p[D];
  out->p[K] = depth;
  out->p[D] = rate;
}

static const cps_param hunt_params[] = {
    {"stiffness", "N/m^exponent", 5e6, 1e-3, 1e15, "contact stiffness"},
    {"exponent", "1", 1.5, 1, 4, "exponent: 1 for cylinders, 1.5 for spheres"},
    {"damping", "s/m", 1, 0, 1e6, "damping factor"}};
static const cps_param onset_params[] = {
    {"stiffness", "N/m^exponent", 5e6, 1e-3, 1e15, "contact stiffness"},
    {"exponent", "1", 1.5, 1, 4, "exponent: 1 for cylinders, 1.5 for spheres"},
    {"damping", "s/m", 1, 0, 1e6, "damping factor"},
    {"onset", "m", 1e-4, 1e-9, 1, "half of the depth over which the stiffness sets in"}};
static const cps_param linear_params[] = {{"stiffness", "N/m", 1e6, 1e-3, 1e15, "contact stiffness"},
                                          {"damping", "N s/m", 0, 0, 1e12, "contact damping"}};

static const cps_normal laws[] = {
    {.name = "hunt-crossley",
     .aliases = NULL,
     .title = "Hunt-Crossley",
     .equation = "n = max(0, k depth^exponent (1 + D rate))",
     .citation = "K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42(2), 1975",
     .note = "Continuous at touch-down. Never pulls, whatever the rate.",
     .n_params = COUNT(hunt_params),
     .params = hunt_params,
     .eval = hunt_crossley},
    {.name = "hunt-crossley-onset",
     .aliases = NULL,
     .title = "Hunt-Crossley that sets in softly",
     .equation =
         "n = max(0, k x^exponent (1 + D rate)), x = depth^2/(4 onset) up to 2 onset, depth - onset beyond",
     .citation = "Hunt and Crossley; the onset is a quadratic spline, as of a soft lining",
     .note = "Calms cables whose elements run onto a drum. A load is borne `onset` deeper than without it.",
     .n_params = COUNT(onset_params),
     .params = onset_params,
     .eval = hunt_crossley_onset},
    {.name = "linear",
     .aliases = "penalty kelvin-voigt",
     .title = "Linear penalty",
     .equation = "n = max(0, k depth + d rate)",
     .citation = "Kelvin-Voigt element",
     .note = "With damping the force jumps at touch-down.",
     .n_params = COUNT(linear_params),
     .params = linear_params,
     .eval = linear},
};

int cps_normal_count(void) { return COUNT(laws); }

const cps_normal *cps_normal_at(int i) { return i >= 0 && i < COUNT(laws) ? &laws[i] : NULL; }

const cps_normal *cps_normal_find(const char *name) {
  for (int i = 0; name && i < COUNT(laws); i++)
    if (strcmp(laws[i].name, name) == 0 || cps_in_words(laws[i].aliases, name)) return &laws[i];
  return NULL;
}

void cps_normal_eval(const cps_normal *law, const double *p, double depth, double rate,
                     cps_normal_output *out) {
  double most = CPS_INPUT_MAX;
  memset(out, 0, sizeof *out);
  law->eval(law, p, clamp(depth, -most, most), clamp(rate, -most, most), out);
}

void cps_normal_force(const cps_normal *law, const double *p, double depth, double rate,
                      cps_normal_output *out) {
  if (law->eval == hunt_crossley)
    hunt_crossley_force(p, depth, rate, out);
  else
    cps_normal_eval(law, p, depth, rate, out);
}

/* The integral of k x^e by depth. Beyond the onset it is that of the power itself, and what the onset has taken. */
static double hunt_crossley_energy(const double *p, double depth, double onset) {
  double e = p[EXPONENT], soft = 0, from = 0, to = depth;
  if (onset > 0) {
    double end = fmin(depth, 2 * onset);
    soft = pow(end / (4 * onset), e) * pow(end, e + 1) / (2 * e + 1);
    if (depth <= 2 * onset) return p[STIFFNESS] * soft;
    from = onset;
    to = depth - onset;
  }
  double power = e == 1.5 ? to * to * sqrt(to) : e == 1 ? to * to : pow(to, e + 1);
  return p[STIFFNESS] * (soft + (power - (from > 0 ? pow(from, e + 1) : 0)) / (e + 1));
}

double cps_normal_energy(const cps_normal *law, const double *p, double depth) {
  if (depth <= 0) return 0;
  if (law->eval == linear) return p[STIFFNESS] * depth * depth / 2;
  return hunt_crossley_energy(p, depth, law->eval == hunt_crossley_onset ? p[ONSET] : 0);
}
