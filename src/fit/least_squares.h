/* least_squares.h - small dense linear algebra of least squares, and quantiles. Matrices are stored by rows. */
#ifndef CPS_LEAST_H
#define CPS_LEAST_H

/* Reduces a[m][n] x = b[m], m >= n or not, to r[n][n] upper triangular and c[n] by Householder reflections; a and b are
 * destroyed. Rows that are missing are zero. Returns the sum of squares that no x can remove. */
double cps_least_reduce(double *a, double *b, long m, int n, double *r, double *c);

/* Singular values of a[n][n], largest first: a = u diag(s) v'. a becomes u; v is [n][n]. */
void cps_least_svd(double *a, int n, double *s, double *v);

/* The x that minimises |a x - b|^2 + lambda |x|^2, from the singular values of a. work is [n]. */
void cps_least_damped(const double *u, const double *s, const double *v, const double *b, int n,
                      double lambda, double *x, double *work);

/* The value that a variable with Student's distribution of n degrees of freedom exceeds with probability (1 - p)/2 in
 * magnitude: 1.96 for p = 0.95 and n infinite. */
double cps_student_quantile(double p, double n);

#endif
