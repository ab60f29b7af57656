/* sample.h - samples a function into a series, with points where they are needed. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "chart.h"

typedef double (*curve)(const void *context, double x);

/* Samples f from nodes[0] to nodes[n - 1], which rise; every node is a point. Bends get more points; where
 * the function jumps the series is broken. */
void sample_curve(series *s, curve f, const void *context, const double *nodes, int n);

/* Whether two functions agree on [lo, hi], apart from single points. */
int curves_agree(curve f, const void *a, const void *b, double lo, double hi);

#endif
