/* sparse_factors.h - see sparse_factors.c. */
#ifndef CPS_SPARSE_FACTORS_H
#define CPS_SPARSE_FACTORS_H

#include "sparse.h"

/* P R A Q = L U. L has ones on its diagonal, which is not stored; that of U is `pivot`. */
struct factors {
  int *order;             /* [n] column order[k] of A is eliminated k-th */
  int *pivot_row, *place; /* [n] the row of A that is the k-th, and back: -1 while it is none yet */
  int *l_first, *u_first; /* [n + 1] */
  int *l_row,
      *u_row; /* rows in the order of elimination; those of a column of U such that each comes after all it depends on */
  double *l, *u, *pivot;   /* [n] of pivots */
  long l_room, u_room;     /* of what has been allocated */
  int *target;             /* [nnz] `place` of the row of each entry of A */
  double *scale;           /* [n] R, used if is_scaled */
  double *work;            /* [n] zero between calls */
  int *diagonal, *step_of; /* [n] the row that is preferred as the k-th pivot, and back */
  int *stack, *at, *seen;  /* [n] of the search for the pattern of a column */
  int is_scaled, is_known; /* there are pivots */
};

/* Room for the factors of m; 0 if out of memory. The order is copied. */
int cps_factors_make(sparse *m, const int *order);
void cps_factors_free(struct factors *f);

/* Factors m with new pivots: that on the diagonal if it is at least `tolerance` times the largest of its column. With `scaled`, rows
 * are divided by their largest entries first. 0 if the matrix is singular, or out of memory. */
int cps_factors_choose(sparse *m, double tolerance, int scaled);

/* Factors m with the pivots there are. 0 if one of them is zero. */
int cps_factors_renew(sparse *m);

/* Solves in place with the factors; the second with the transposed matrix. */
void cps_factors_solve(const sparse *m, double *x);
void cps_factors_solve_transposed(const sparse *m, double *x);

#endif
