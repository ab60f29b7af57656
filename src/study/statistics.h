/* statistics.h - numbers about the points of a study: plain arrays in, plain arrays out.
 *
 * A value that is not finite belongs to a point without a result; it is left out, and the count says how many were used. What cannot be
 * computed (a deviation of one point, an index of a constant) is NaN. Doers that need memory return CPS_OK or CPS_NO_MEMORY.
 */
#ifndef CPS_STATISTICS_H
#define CPS_STATISTICS_H

#include "capstan.h"

#include <stdint.h>

/* Mean, standard deviation (of a sample: n - 1), extremes and where they are. */
typedef struct sample_summary {
  long n; /* values that are finite */
  double mean, deviation, least, most;
  long at_least, at_most; /* indices of the extremes; -1 if there are none */
} sample_summary;

void cps_sample_summary(const double *x, long n, sample_summary *s);

/* Quantiles q[m] at the probabilities p[m], with linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, the
 * default of R and NumPy). */
cps_status cps_sample_quantiles(const double *x, long n, const double *p, int m, double *q);

/* Correlation of pairs: Pearson's of the values; Spearman's of their ranks, ties sharing the mean of their ranks. */
double cps_sample_correlation(const double *x, const double *y, long n);
cps_status cps_sample_rank_correlation(const double *x, const double *y, long n, double *correlation);

/* The mean of the first at[k] points, its standard error and the deviation, for counts at[m] that ascend. What converges shows here. */
void cps_sample_convergence(const double *x, long n, const long *at, int m, double *mean, double *error,
                            double *deviation);

/* A number and the interval that holds 95 % of its bootstrap resamples. */
typedef struct interval {
  double value, low, high;
} interval;

/* Sobol' indices of a Saltelli sample: y[n][d + 2], rows of a base point in the order A, B, AB_1 .. AB_d, where AB_i is A with parameter i
 * of B. First order after Saltelli et al. 2010, table 2 (b); total after Jansen 1999, table 2 (f). A base point with a value that is not
 * finite is left out. first[d], total[d]; *used: base points that took part. With resamples = 0 the intervals are NaN. The draws of the
 * bootstrap are a function of (seed, resample, position) alone. */
cps_status cps_sobol_indices(const double *y, long n, int d, int resamples, uint64_t seed, interval *first,
                             interval *total, long *used);

/* Elementary effects of one parameter (Morris 1991; Campolongo et al. 2007 for mu*). */
typedef struct morris_effects {
  double mu, sigma;
  interval mu_star; /* mean of the sizes */
  long n;           /* effects that took part */
} morris_effects;

/* Of trajectories x[r][d + 1][d], y[r][d + 1], in which neighbours differ in one parameter. Effects are changes of y for the whole range
 * scale[d] of a parameter, so that they compare across parameters; effects[r][d] may be NULL, and holds NaN where there is none. */
cps_status cps_morris(const double *x, const double *y, long r, int d, const double *scale, int resamples,
                      uint64_t seed, morris_effects *out, double *effects);

/* How far an output moves, to first order, when a parameter goes through its range: gradients g[n] at the points times the range. */
typedef struct gradient_swing {
  double mean, mean_size;   /* of g * range, and of its size */
  double low, median, high; /* quantiles 5 %, 50 %, 95 % over the points */
  long n;
} gradient_swing;

cps_status cps_gradient_swing(const double *g, long n, double range, gradient_swing *out);

#endif
