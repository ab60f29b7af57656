/* blocks.h - block-tridiagonal systems, the matrix of anything that is a chain of nodes. See blocks.c. */
#ifndef CPS_BLOCKS_H
#define CPS_BLOCKS_H

/* n block rows of b x b blocks, row-major; down[i] couples row i to i - 1, up[i] to i + 1. */
typedef struct blocks {
  int n, b;
  double *diagonal, *down, *up; /* [n][b][b] */
  int *pivot;                   /* [n][b] */
} blocks;

/* Room for n rows of blocks of size b (at most BLOCK_MAX); 0 if out of memory. Allocates once; factoring does
 * not. */
enum { BLOCK_MAX = 8 };
int cps_blocks_make(blocks *m, int n, int b);
void cps_blocks_free(blocks *m);
void cps_blocks_zero(blocks *m);

/* LU in place, with pivoting inside the diagonal blocks. Returns -1 if good, else the row whose block is
 * singular. */
int cps_blocks_factor(blocks *m);
/* Solves for x[n][b] in place, after factoring. */
void cps_blocks_solve(const blocks *m, double *x);
/* y = m x, before factoring. */
void cps_blocks_multiply(const blocks *m, const double *x, double *y);

#endif
