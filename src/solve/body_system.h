/* body_system.h - the linear system of all that is no cable: dense where it is small, sparse where it is large. */
#ifndef CPS_BODY_SYSTEM_H
#define CPS_BODY_SYSTEM_H

#include "sparse.h"

typedef struct body_system {
  int n;
  double *dense; /* [n n + 1]; NULL: it is sparse */
  int *pivot;    /* [n] of the dense one */
  sparse matrix;
  int even;             /* rows are of one size as they are */
  double *unit;         /* [n] sizes of rows */
  unsigned char *fixed; /* [n] rows that only say that their unknown does not change */
} body_system;

/* A system of n equations, dense if these are at most `dense_most`; `entries` are its pattern without the diagonal, `order` one of
 * elimination; `even`: its rows are of about one size. 0 if out of memory. */
int cps_body_system_make(body_system *b, int n, const place *entries, long count, const int *order, int even,
                         int dense_most);
void cps_body_system_free(body_system *b);

void cps_body_system_clear(body_system *b);
/* The entries, and where one of the pattern lies among them; the last one takes what belongs nowhere. */
static inline double *cps_body_values(const body_system *b) { return b->dense ? b->dense : b->matrix.value; }
int cps_body_slot(const void *system, int row, int column);
/* Factors the entries, with rows that are fixed made so. 0 if they are singular. */
int cps_body_system_factor(body_system *b);
/* Solves A x = x in place with the last factors; then with A transposed, where A is sparse and even. 0 if that fails. */
int cps_body_system_solve(body_system *b, double *x);
int cps_body_system_solve_transposed(body_system *b, double *x);
/* Forgets pivots of the past, on which the last digits of solutions depend. */
void cps_body_system_forget(body_system *b);

#endif
