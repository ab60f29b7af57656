/* complex_step.cpp - every derivative of every law against the complex step, to round-off.
 *
 * Here the laws are compiled a second time, as C++, with `double` replaced by a class that carries an
 * imaginary part of size h. f(x + ih) = f(x) + ih f'(x) - ..., so the imaginary part is the derivative
 * without any difference being taken (Squire and Trapp, SIAM Rev. 40(1), 1998). Terms in h^2 are far below
 * round-off for any useful h; the class leaves them out, which makes h itself cancel: it is 1. Order looks at
 * the real part, so that the derivative is that of the branch which the law takes; equality looks at both, so
 * that a shortcut for a special value (exponent == 2) does not hide a derivative.
 */
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct cx {
  double re, im;
  cx() = default;
  constexpr cx(double r) : re(r), im(0) {}
  constexpr cx(int r) : re(r), im(0) {}
  constexpr cx(double r, double i) : re(r), im(i) {}
  explicit operator double() const { return re; }
  explicit operator int() const { return (int)re; }
  explicit operator bool() const { return re != 0; }
  cx &operator+=(cx b) { return *this = cx(re + b.re, im + b.im); }
  cx &operator-=(cx b) { return *this = cx(re - b.re, im - b.im); }
  cx &operator*=(cx b) { return *this = cx(re * b.re, re * b.im + im * b.re); }
  cx &operator/=(cx b) { return *this = cx(re / b.re, (im - re / b.re * b.im) / b.re); }
};

inline cx operator+(cx a, cx b) { return a += b; }
inline cx operator-(cx a, cx b) { return a -= b; }
inline cx operator*(cx a, cx b) { return a *= b; }
inline cx operator/(cx a, cx b) { return a /= b; }
inline cx operator+(cx a) { return a; }
inline cx operator-(cx a) { return cx(-a.re, -a.im); }
inline bool operator==(cx a, cx b) { return a.re == b.re && a.im == b.im; }
inline bool operator<(cx a, cx b) { return a.re < b.re; }
inline bool operator>(cx a, cx b) { return a.re > b.re; }
inline bool operator<=(cx a, cx b) { return a.re <= b.re; }
inline bool operator>=(cx a, cx b) { return a.re >= b.re; }
inline bool operator!(cx a) { return a.re == 0; }

/* A function with its derivative. */
#define FUNCTION(name, derivative)                                                                           \
  inline cx name(cx a) {                                                                                     \
    double x = a.re, y = std::name(x);                                                                       \
    (void)x, (void)y;                                                                                        \
    return cx(y, a.im == 0 ? 0 : a.im * (derivative));                                                       \
  }
FUNCTION(exp, y)
FUNCTION(exp2, y *std::log(2.0))
FUNCTION(expm1, y + 1)
FUNCTION(log, 1 / x)
FUNCTION(log10, 1 / (x * std::log(10.0)))
FUNCTION(log1p, 1 / (1 + x))
FUNCTION(sqrt, 0.5 / y)
FUNCTION(cbrt, y / (3 * x))
FUNCTION(sin, std::cos(x))
FUNCTION(cos, -std::sin(x))
FUNCTION(tan, 1 + y * y)
FUNCTION(asin, 1 / std::sqrt(1 - x * x))
FUNCTION(acos, -1 / std::sqrt(1 - x * x))
FUNCTION(atan, 1 / (1 + x * x))
FUNCTION(sinh, std::cosh(x))
FUNCTION(cosh, std::sinh(x))
FUNCTION(tanh, (1 - y) * (1 + y))
FUNCTION(asinh, 1 / std::sqrt(1 + x * x))
FUNCTION(fabs, x < 0 ? -1 : 1)
FUNCTION(floor, 0)
FUNCTION(ceil, 0)

inline cx pow(cx a, cx b) {
  double y = std::pow(a.re, b.re);
  double by_a = a.im == 0 ? 0 : b.re * std::pow(a.re, b.re - 1) * a.im;
  double by_b = b.im == 0 || y == 0 ? 0 : std::log(a.re) * y * b.im;
  return cx(y, by_a + by_b);
}
inline cx hypot(cx a, cx b) {
  double y = std::hypot(a.re, b.re);
  return cx(y, y == 0 ? 0 : (a.re / y) * a.im + (b.re / y) * b.im);
}
inline cx fmin(cx a, cx b) { return b.re < a.re ? b : a; }
inline cx fmax(cx a, cx b) { return b.re > a.re ? b : a; }
inline cx copysign(cx a, cx b) { return std::signbit(a.re) == std::signbit(b.re) ? a : -a; }
inline bool isnan(cx a) { return std::isnan(a.re); }
inline bool isinf(cx a) { return std::isinf(a.re); }
inline bool isfinite(cx a) { return std::isfinite(a.re); }
inline bool signbit(cx a) { return std::signbit(a.re); }

/* Mixed arguments would otherwise meet the templates of <cmath>. */
#define MIXED(name)                                                                                          \
  inline cx name(cx a, double b) { return name(a, cx(b)); }                                                  \
  inline cx name(double a, cx b) { return name(cx(a), b); }                                                  \
  inline cx name(cx a, int b) { return name(a, cx(b)); }                                                     \
  inline cx name(int a, cx b) { return name(cx(a), b); }
MIXED(pow)
MIXED(hypot)
MIXED(fmin)
MIXED(fmax)
MIXED(copysign)

/* ------------------------------------------------------------------ the laws, again
 *
 * Each family in a namespace of its own, since their file-local names clash. */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wreturn-type-c-linkage"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wdeprecated-enum-float-conversion"
#pragma GCC diagnostic ignored "-Wpedantic"

#define double cx

#include "../include/capstan.h"

#include "../src/friction/laws.h"

#include "internal.h"

namespace coulomb_family {
#include "../src/friction/coulomb.c"
}
namespace regularised_family {
#include "../src/friction/regularised.c"
}
namespace quinn_family {
#include "../src/friction/quinn.c"
}
namespace commercial_family {
#include "../src/friction/commercial.c"
}
namespace lugre_family {
#include "../src/friction/lugre.c"
}
namespace bristle_family {
#include "../src/friction/bristle.c"
}
namespace maxwell_family {
#include "../src/friction/maxwell.c"
}
namespace ratestate_family {
#include "../src/friction/ratestate.c"
}

/* The table refers to the families by their global names; its messages are not needed. */
#define cps_family_coulomb                coulomb_family::cps_family_coulomb
#define cps_family_regularised            regularised_family::cps_family_regularised
#define cps_family_quinn                  quinn_family::cps_family_quinn
#define cps_family_commercial             commercial_family::cps_family_commercial
#define cps_family_lugre                  lugre_family::cps_family_lugre
#define cps_family_bristle                bristle_family::cps_family_bristle
#define cps_family_maxwell                maxwell_family::cps_family_maxwell
#define cps_family_ratestate              ratestate_family::cps_family_ratestate
#define cps_error_set(error, status, ...) ((void)(error), (status))
#define cps_in_words(words, name)         ((void)(words), (void)(name), 0)
#define cps_edit_distance(a, b)           ((void)(a), (void)(b), 0)
#include "../src/friction/table.c"
#undef double
#pragma GCC diagnostic pop

/* ------------------------------------------------------------------ random points, as in test.h */

static uint64_t rng_state;

static double uniform() {
  uint64_t x = rng_state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }
static double log_between(double lo, double hi) { return std::exp(between(std::log(lo), std::log(hi))); }
static double random_sign() { return uniform() < 0.5 ? -1 : 1; }
static double usable(cx x) { return x.re > 0 && x.re < 1e30 ? x.re : 1; }

struct point {
  cx v, n, f_eq, z[CPS_MAX_STATES], p[CPS_MAX_PARAMS];
  int mode;
};

static cps_law_input input_of(const cps_law *law, const point &x) {
  cps_law_input in = {x.v, x.n, x.f_eq, law->n_states ? x.z : nullptr, x.mode};
  return in;
}

static void draw_params(const cps_law *law, cx *p) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    for (int i = 0; i < law->n_params; i++) {
      const cps_param &q = law->params[i];
      double lo = q.min.re, hi = q.max.re, value = q.value.re;
      if (uniform() < 0.15)
        p[i] = value;
      else if (hi - lo <= 10 && value >= 0.05 * hi)
        p[i] = between(lo, hi);
      else
        p[i] = std::fmin(std::fmax(value == 0 ? log_between(1e-2, 10) : value * log_between(0.1, 10), lo),
                         hi);
    }
    if (cps_law_check(law, p, nullptr) == CPS_OK) return;
  }
  cps_law_defaults(law, p);
}

static point draw_point(const cps_law *law) {
  point x;
  draw_params(law, x.p);
  x.mode = CPS_MODE_FREE;
  x.n = log_between(1e-3, 1e4);
  cps_law_scale s;
  cps_law_scales(law, x.p, x.n, &s);
  x.v = random_sign() * usable(s.v_scale) * log_between(1e-3, 1e2);
  x.f_eq = usable(s.f_stick) * between(-1.5, 1.5);
  for (int i = 0; i < law->n_states; i++) {
    double z = usable(s.z[i]) * (uniform() < 0.7 ? 1.2 * uniform() : log_between(1e-4, 1.2));
    x.z[i] = law->states[i].parity < 0 ? z * random_sign() : z;
  }
  return x;
}

/* The variables of a point, numbered: v, n, f_eq, the states, the parameters. */
static cx *variable(const cps_law *law, point &x, int k) {
  if (k == 0) return &x.v;
  if (k == 1) return &x.n;
  if (k == 2) return &x.f_eq;
  return k < 3 + law->n_states ? &x.z[k - 3] : &x.p[k - 3 - law->n_states];
}
static const char *variable_name(const cps_law *law, int k) {
  static const char *const first[] = {"v", "n", "f_eq"};
  return k < 3                   ? first[k]
         : k < 3 + law->n_states ? law->states[k - 3].name
                                 : law->params[k - 3 - law->n_states].name;
}
static double partial(const cps_law *law, const cps_partials &d, int k) {
  cx x = k == 0                  ? d.v
         : k == 1                ? d.n
         : k == 2                ? d.f_eq
         : k < 3 + law->n_states ? d.z[k - 3]
                                 : d.p[k - 3 - law->n_states];
  return x.re;
}

/* ------------------------------------------------------------------ the comparison */

/* Relative to the derivative, and to (value)/(variable): what round-off leaves of either. */
static const double tolerance = 1e-10;

static long n_compared;

static void print_point(const cps_law *law, point &x) {
  std::printf("law %s, mode %d:", law->name, x.mode);
  for (int k = 0; k < 3 + law->n_states + law->n_params; k++)
    std::printf(" %s=%.17g", variable_name(law, k), variable(law, x, k)->re);
  std::printf("\n");
}

enum { MOST_ROWS = 1 + CPS_MAX_STATES };

/* What is differentiated: the outputs, the guards, or the states after guard `which` has fired. */
enum probe { OUTPUTS, GUARDS, TRANSITION };
static const char *const probe_names[] = {"output", "guard", "state after transition"};

static int count_rows(const cps_law *law, probe what) {
  return what == OUTPUTS ? 1 + law->n_states : what == GUARDS ? law->n_guards : law->n_states;
}

static void evaluate(const cps_law *law, const point &x, probe what, int which, cx *y, cps_partials *y_x) {
  cps_law_input in = input_of(law, x);
  if (what == OUTPUTS) {
    cps_law_output out;
    cps_law_jacobian jac;
    cps_law_eval(law, x.p, &in, &out, y_x ? &jac : nullptr);
    for (int r = 0; r <= law->n_states; r++) {
      y[r] = r ? out.z_t[r - 1] : out.f;
      if (y_x) y_x[r] = r ? jac.z_t[r - 1] : jac.f;
    }
  } else if (what == GUARDS) {
    cps_law_guards(law, x.p, &in, y, y_x);
  } else {
    cps_law_transition(law, x.p, &in, which, y, y_x);
  }
}

/* All derivatives of one kind at one point; false, with a message, if one is wrong. */
static bool compare(const cps_law *law, point x, probe what, int which) {
  cx y[MOST_ROWS], stepped[MOST_ROWS];
  cps_partials y_x[MOST_ROWS];
  evaluate(law, x, what, which, y, y_x);
  cps_law_scale s;
  cps_law_scales(law, x.p, x.n, &s);
  for (int k = 0; k < 3 + law->n_states + law->n_params; k++) {
    cx *value = variable(law, x, k), before = *value;
    *value = cx(before.re, 1);
    evaluate(law, x, what, which, stepped, nullptr);
    *value = before;
    for (int r = 0; r < count_rows(law, what); r++) {
      double d = partial(law, y_x[r], k), exact = stepped[r].im;
      double size = std::fabs(y[r].re) + (what == OUTPUTS && r == 0 ? s.f_stick.re : 0);
      double allowed = tolerance * (std::fabs(exact) + (before.re != 0 ? size / std::fabs(before.re) : 0));
      n_compared++;
      if (std::fabs(d - exact) <= allowed) continue;
      print_point(law, x);
      std::printf("  derivative of %s %d by %s is %.17g, by complex step %.17g\n", probe_names[what], r,
                  variable_name(law, k), d, exact);
      return false;
    }
  }
  return true;
}

static bool check_law(const cps_law *law) {
  rng_state = 0x5eed;
  for (const char *c = law->name; *c; c++) rng_state = rng_state * 31 + (unsigned char)*c;
  for (int i = 0; i < 4000; i++) {
    point x = draw_point(law);
    /* Free half of the time, otherwise a mode at random. */
    if (law->n_modes && i % 2) x.mode = (int)(uniform() * law->n_modes);
    if (!compare(law, x, OUTPUTS, 0)) return false;
    if (!law->n_modes || x.mode < 0) continue;
    if (!compare(law, x, GUARDS, 0)) return false;
    for (int g = 0; law->n_states && g < law->n_guards; g++)
      if (!compare(law, x, TRANSITION, g)) return false;
  }
  return true;
}

int main() {
  int failed = 0;
  for (int i = 0; i < cps_law_count(); i++)
    if (!check_law(cps_law_at(i))) failed++;
  std::printf("complex step: %d laws, %ld derivatives, %d laws failed\n", cps_law_count(), n_compared,
              failed);
  return failed || n_compared == 0;
}
