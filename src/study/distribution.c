/* distribution.c - see distribution.h.
 *
 * Quantiles of the normal distribution: M. J. Wichura, Algorithm AS 241, Appl. Statist. 37 (1988) 477-484, PPND16, with a relative
 * error of about 1e-16. Those of the beta distribution: the incomplete beta function by its continued fraction (Lentz), inverted by
 * bisection and Newton's method. A truncated distribution takes the part of (0, 1) that lies between its bounds.
 */
#include "distribution.h"

#include "keys_rows.h"

#include <math.h>

double cps_normal_probability(double z) { return 0.5 * erfc(-z * 0.70710678118654752440); }

static double ratio(const double *a, const double *b, double r) {
  double top = 0, bottom = 0;
  for (int i = 7; i >= 0; i--) {
    top = top * r + a[i];
    bottom = bottom * r + b[i];
  }
  return top / bottom;
}

double cps_normal_quantile(double u) {
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                              1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1.0,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                              2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  double q = u - 0.5;
  if (fabs(q) <= 0.425) return q * ratio(a, b, 0.180625 - q * q);
  double tail = q < 0 ? u : 1 - u;
  if (!(tail > 0)) return q < 0 ? -INFINITY : INFINITY;
  double r = sqrt(-log(tail)), z = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -z : z;
}

/* ------------------------------------------------------------------ parameters */

#define LOW      0
#define HIGH     1
#define PLACE(i) ((i) * sizeof(double))
#define UPPER_LOWER(first)                                                                                   \
  {"low",                                                                                                    \
   KEY_QUANTITY,                                                                                             \
   UNIT_OF_PLACE,                                                                                            \
   ANY,                                                                                                      \
   .value = -INFINITY,                                                                                       \
   .otherwise = "no lower bound",                                                                            \
   .where = PLACE(first),                                                                                    \
   .meaning = "truncated below this"},                                                                       \
  {                                                                                                          \
    "high", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .value = INFINITY, .otherwise = "no upper bound",              \
                                              .where = PLACE((first) + 1), .meaning = "truncated above this" \
  }

static const key uniform_rows[] = {
    {"low", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(0), .meaning = "least value"},
    {"high", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(1), .meaning = "largest value"},
};
static const key normal_rows[] = {
    {"mean", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(0), .meaning = "mean value"},
    {"sd", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(1),
     .meaning = "standard deviation"},
    UPPER_LOWER(2),
};
static const key lognormal_rows[] = {
    {"median", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(0), .meaning = "median"},
    {"sigma", KEY_QUANTITY, "1", ANY, .required = 1, .where = PLACE(1),
     .meaning = "standard deviation of the logarithm"},
    UPPER_LOWER(2),
};
static const key triangular_rows[] = {
    {"low", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(0), .meaning = "least value"},
    {"mode", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(1),
     .meaning = "most probable value"},
    {"high", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(2), .meaning = "largest value"},
};
static const key beta_rows[] = {
    {"a", KEY_QUANTITY, "1", POSITIVE, .required = 1, .where = PLACE(0), .meaning = "first shape parameter"},
    {"b", KEY_QUANTITY, "1", POSITIVE, .required = 1, .where = PLACE(1), .meaning = "second shape parameter"},
    {"low", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(2), .meaning = "least value"},
    {"high", KEY_QUANTITY, UNIT_OF_PLACE, ANY, .required = 1, .where = PLACE(3), .meaning = "largest value"},
};

/* ------------------------------------------------------------------ quantiles */

static const char *bounds_fault(double low, double high) {
  return low < high ? NULL : "low is not less than high";
}

static const char *uniform_fault(const double *p) { return bounds_fault(p[0], p[1]); }
static double uniform_quantile(const double *p, double u) { return p[0] + (p[1] - p[0]) * u; }

static const char *log_fault(const double *p) {
  return p[0] > 0 ? bounds_fault(p[0], p[1]) : "low is not greater than 0";
}
static double log_quantile(const double *p, double u) {
  return fmin(fmax(p[0] * exp(log(p[1] / p[0]) * u), p[0]), p[1]);
}

/* A normal distribution between two values of z, by whichever tail has the digits. */
static double truncated(double low, double high, double u) {
  if (low == -INFINITY && high == INFINITY) return cps_normal_quantile(u);
  if (low > 0) return -truncated(-high, -low, 1 - u);
  double from = cps_normal_probability(low), to = cps_normal_probability(high);
  return fmin(fmax(cps_normal_quantile(from + (to - from) * u), low), high);
}

static const char *truncated_fault(double low, double high) {
  if (!(low < high)) return "low is not less than high";
  int upper = low > 0; /* the same on the other side, where probabilities have their digits */
  double from = cps_normal_probability(upper ? -high : low), to = cps_normal_probability(upper ? -low : high);
  return to - from > 1e-300 ? NULL : "there is no probability between low and high";
}

static double z_of(const double *p, double x) { return isinf(x) ? x : (x - p[0]) / p[1]; }
static const char *normal_fault(const double *p) {
  if (!(p[1] > 0)) return "its standard deviation is not greater than 0";
  return truncated_fault(z_of(p, p[2]), z_of(p, p[3]));
}
static double normal_quantile(const double *p, double u) {
  double x = p[0] + p[1] * truncated(z_of(p, p[2]), z_of(p, p[3]), u);
  return fmin(fmax(x, p[2]), p[3]);
}

static double z_of_log(const double *p, double x) {
  return x <= 0 ? -INFINITY : isinf(x) ? x : log(x / p[0]) / p[1];
}
static const char *lognormal_fault(const double *p) {
  if (!(p[0] > 0)) return "its median is not greater than 0";
  if (!(p[1] > 0)) return "sigma is not greater than 0";
  return truncated_fault(z_of_log(p, p[2]), z_of_log(p, p[3]));
}
static double lognormal_quantile(const double *p, double u) {
  double x = p[0] * exp(p[1] * truncated(z_of_log(p, p[2]), z_of_log(p, p[3]), u));
  return fmin(fmax(x, p[2]), p[3]);
}

static const char *triangular_fault(const double *p) {
  if (!(p[0] < p[2])) return "low is not less than high";
  return p[1] >= p[0] && p[1] <= p[2] ? NULL : "its mode is not between low and high";
}
static double triangular_quantile(const double *p, double u) {
  double width = p[2] - p[0], left = (p[1] - p[0]) / width;
  return u < left ? p[0] + width * sqrt(u * left) : p[2] - width * sqrt((1 - u) * (1 - left));
}

/* The continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 1000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), before = h;
    for (int k = 0; k < 2; k++) {
      double by = k ? odd : even;
      d = 1 + by * d;
      c = 1 + by / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      h *= d * c;
    }
    if (fabs(h - before) <= 1e-16 * fabs(h)) break;
  }
  return h;
}

static double beta_density(double a, double b, double x) {
  int sign; /* of the gamma function: all are positive */
  double scale = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign);
  return exp(scale + (a - 1) * log(x) + (b - 1) * log1p(-x));
}

static double beta_probability(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x >= 1;
  double front = beta_density(a, b, x) * x * (1 - x);
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static const char *beta_fault(const double *p) { return bounds_fault(p[2], p[3]); }
static double beta_quantile(const double *p, double u) {
  double low = 0, high = 1, x = p[0] / (p[0] + p[1]);
  for (int i = 0; i < 200 && high - low > 1e-16 * x; i++) {
    double off = beta_probability(p[0], p[1], x) - u;
    if (off > 0)
      high = x;
    else
      low = x;
    double next = x - off / beta_density(p[0], p[1], x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == x) break;
    x = next;
  }
  return p[2] + (p[3] - p[2]) * x;
}

/* ------------------------------------------------------------------ the table */

static const key_table uniform_keys = TABLE("uniform", "a uniform distribution", uniform_rows, ""),
                       log_keys = TABLE("loguniform", "a log-uniform distribution", uniform_rows, ""),
                       normal_keys = TABLE("normal", "a normal distribution", normal_rows, ""),
                       lognormal_keys = TABLE("lognormal", "a lognormal distribution", lognormal_rows, ""),
                       triangular_keys = TABLE("triangular", "a triangular distribution", triangular_rows,
                                               ""),
                       beta_keys = TABLE("beta", "a beta distribution", beta_rows, "");

static const distribution table[] = {
    {&uniform_keys, uniform_fault, uniform_quantile, "the same density from low to high"},
    {&log_keys, log_fault, log_quantile, "the same density of the logarithm from low to high"},
    {&normal_keys, normal_fault, normal_quantile, "normal, between low and high if they are given"},
    {&lognormal_keys, lognormal_fault, lognormal_quantile, "the logarithm is normal, with mean ln(median)"},
    {&triangular_keys, triangular_fault, triangular_quantile,
     "density rises from low to mode, and falls to high"},
    {&beta_keys, beta_fault, beta_quantile, "x^(a-1) (1-x)^(b-1), x from 0 at low to 1 at high"},
};

int cps_distributions(void) { return COUNT(table); }
const distribution *cps_distribution(int i) { return &table[i]; }

void cps_distribution_span(const distribution *d, const double *p, double *low, double *high) {
  *low = d->quantile(p, 1e-3);
  *high = d->quantile(p, 0.999);
  for (int i = 0; i < d->keys->n; i++) {
    const key *k = &d->keys->keys[i];
    if (isinf(p[i])) continue;
    if (k->name[0] == 'l' && k->name[1] == 'o') *low = p[i];
    if (k->name[0] == 'h') *high = p[i];
  }
}
