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

/* The integral of k x^e by depth. Beyond the onset it is that of the power itself, and what the onset has taken. */
static double power_energy(const double *p, double depth, double onset) {
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

static double hunt_crossley_energy(const cps_normal *law, const double *p, double depth) {
  (void)law;
  return power_energy(p, depth, 0);
}

static double hunt_crossley_onset_energy(const cps_normal *law, const double *p, double depth) {
  (void)law;
  return power_energy(p, depth, p[ONSET]);
}

static double linear_energy(const cps_normal *law, const double *p, double depth) {
  (void)law;
  return p[STIFFNESS] * depth * depth / 2;
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
     .eval = hunt_crossley,
     .energy = hunt_crossley_energy},
    {.name = "hunt-crossley-onset",
     .aliases = NULL,
     .title = "Hunt-Crossley that sets in softly",
     .equation =
         "n = max(0, k x^exponent (1 + D rate)), x = depth^2/(4 onset) up to 2 onset, depth - onset beyond",
     .citation = "Hunt and Crossley; the onset is a quadratic spline, as of a soft lining",
     .note = "Calms cables whose elements run onto a drum. A load is borne `onset` deeper than without it.",
     .n_params = COUNT(onset_params),
     .params = onset_params,
     .eval = hunt_crossley_onset,
     .energy = hunt_crossley_onset_energy},
    {.name = "linear",
     .aliases = "penalty kelvin-voigt",
     .title = "Linear penalty",
     .equation = "n = max(0, k depth + d rate)",
     .citation = "Kelvin-Voigt element",
     .note = "With damping the force jumps at touch-down.",
     .n_params = COUNT(linear_params),
     .params = linear_params,
     .eval = linear,
     .energy = linear_energy},
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

/* The integral of the force at rest by Gauss's rule in s, depth = d s^2, where roots of the depth are smooth. */
static double integral(const cps_normal *law, const double *p, double depth) {
  static const double x[] = {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863,
                             0.6178762444026437484, 0.7554044083550030339, 0.8656312023878317439,
                             0.9445750230732325761, 0.9894009349916499326};
  static const double w[] = {0.1894506104550684963, 0.1826034150449235888, 0.1691565193950025382,
                             0.1495959888165767321, 0.1246289712555338720, 0.0951585116824927848,
                             0.0622535239386478929, 0.0271524594117540949};
  double sum = 0;
  for (int i = 0; i < 2 * COUNT(x); i++) {
    double s = (1 + (i % 2 ? x[i / 2] : -x[i / 2])) / 2;
    cps_normal_output out;
    cps_normal_eval(law, p, depth * s * s, 0, &out);
    sum += w[i / 2] * out.n * s;
  }
  return depth * sum;
}

double cps_normal_energy(const cps_normal *law, const double *p, double depth) {
  if (depth <= 0) return 0;
  return law->energy ? law->energy(law, p, depth) : integral(law, p, depth);
}

cps_status cps_normal_validate(const cps_normal *law, cps_error *err) {
  const char *what = NULL;
  double p[CPS_MAX_PARAMS] = {0};
  cps_normal_output out;
  if (!law->name || !law->title || !law->equation || !law->citation)
    what = "name, title, equation or citation is missing";
  else if (law->n_params < 0 || law->n_params > CPS_MAX_PARAMS)
    what = "n_params is out of range";
  else if (law->n_params && !law->params)
    what = "params is NULL";
  else if (!law->eval)
    what = "eval is needed";
  for (int i = 0; !what && i < law->n_params; i++) p[i] = law->params[i].value;
  for (int i = -1; !what && i < 60; i++) { /* depths from 1e-12 m to 1 m, and at rates in and out */
    double depth = i < 0 ? -1 : pow(10, -12 + 0.2 * i), rate = i % 3 - 1;
    cps_normal_eval(law, p, depth, rate, &out);
    if (!isfinite(out.n) || !isfinite(out.depth) || !isfinite(out.rate))
      what = "its force, or a derivative of it, is not finite";
    else if (out.n < 0)
      what = "it pulls: the force is negative";
    else if (depth < 0 && (out.n != 0 || out.depth != 0 || out.rate != 0))
      what = "it presses what has not entered";
  }
  if (!what) return CPS_OK;
  return cps_error_set(err, CPS_BAD_INPUT, law->name, "law %s: %s", law->name ? law->name : "?", what);
}
