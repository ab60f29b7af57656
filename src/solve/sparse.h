/* sparse.h - see sparse.c. */
#ifndef CPS_SPARSE_H
#define CPS_SPARSE_H

/* A square matrix by columns whose pattern does not change. */
typedef struct sparse {
  int n, nnz;
  int *first;    /* [n + 1] where each column starts */
  int *row;      /* [nnz] rising within a column */
  double *value; /* [nnz + 1] the last one takes what belongs nowhere */
  double *right; /* [n] the right-hand side, kept to check the solution */
  double *check; /* [2 n] */
  struct factors *factors;
  long factored, pivoted; /* factorisations, and those of them that had to choose new pivots */
} sparse;

/* An entry of the pattern. */
typedef struct place {
  int row, column;
} place;

/* A matrix with these entries (repeated ones are one) and the whole diagonal. 0 if out of memory. */
int cps_sparse_make(sparse *m, int n, const place *entries, long count);
void cps_sparse_free(sparse *m);

/* Where an entry of the pattern lies in `value`; nnz if row or column is not in 0 .. n - 1. */
int cps_sparse_slot(const sparse *m, int row, int column);

/* An elimination order with little fill-in: order[k] is eliminated k-th. 0 if out of memory. */
int cps_sparse_order(const sparse *m, int *order);

/* Settles the elimination order. 0 if out of memory. */
int cps_sparse_analyse(sparse *m, const int *order);

/* Factors the values. 0 if the matrix is singular. */
int cps_sparse_factor(sparse *m);

/* Forgets the pivots of earlier factorisations: the next one chooses them from its own values. */
void cps_sparse_forget(sparse *m);

/* Solves in place with the last factors, and checks the result: if the pivots have become bad, factors anew.
 * 0 if that does not help. */
int cps_sparse_solve(sparse *m, double *x);

/* The same with the transposed matrix. */
int cps_sparse_solve_transposed(sparse *m, double *x);

#endif
