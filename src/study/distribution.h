/* distribution.h - probability distributions, by their quantile functions, as a table. */
#ifndef CPS_DISTRIBUTION_H
#define CPS_DISTRIBUTION_H

#include "keys.h"

enum { DISTRIBUTION_PARAMS = 4 };

typedef struct distribution {
  const key_table *keys; /* its name, and the keys of its parameters, which fill p in order */
  /* What keeps it from having any probability, a clause; NULL if nothing does. */
  const char *(*fault)(const double *p);
  double (*quantile)(const double *p, double u); /* 0 < u < 1 */
  const char *equation;
} distribution;

int cps_distributions(void);
const distribution *cps_distribution(int i);

/* Where its values lie: the bounds, or where there is none the quantile at 0.001 or 0.999. */
void cps_distribution_span(const distribution *d, const double *p, double *low, double *high);

/* The standard normal distribution. */
double cps_normal_probability(double z);
double cps_normal_quantile(double u);

#endif
