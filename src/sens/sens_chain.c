/* sens_chain.c - the block-tridiagonal matrix of a cable with its solutions.
 *
 *   D_i -= L_i X_(i-1),  X_i = D_i^-1 U_i
 *
 * as in cable_elimination.c, but kept: D^-1 (with pivoting inside the block), L and X serve right-hand sides that are not yet
 * known, and the transposed system.
 */
#include "sens_chain.h"

#include <math.h>

/* ------------------------------------------------------------------ elements */

void cps_chain_forces(const cable *c, chain_part part, double *length, double *f) {
  BEST_SWEEP(forces, c, part, length, f);
}

/* Point masses, and parts of the element that the lanes leave out. */
static void add_rest(chain_matrix *a, const cable *c, double v_q, double a_q) {
  int b = a->b, h = c->b, size = b * b;
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < c->dim; d++) a->d[i * size + d * b + d] += c->mass[i] * a_q;
  for (int i = 0; i < c->n && c->has_extra; i++) {
    double k[12 * 12] = {0}, f[12] = {0};
    cps_element_force(c->dim, &c->extra, c->length[i], c->q + i * h, c->v + i * h, f, 1, v_q, k, NULL);
    for (int r = 0; r < h; r++) {
      for (int s = 0; s < h; s++) {
        a->d[i * size + r * b + s] += k[r * 2 * h + s];
        a->u[i * size + r * b + s] += k[r * 2 * h + h + s];
        a->l[(i + 1) * size + r * b + s] += k[(h + r) * 2 * h + s];
        a->d[(i + 1) * size + r * b + s] += k[(h + r) * 2 * h + h + s];
      }
    }
  }
}

void cps_chain_assemble(chain_matrix *a, const cable *c, double v_q, double a_q) {
  size_t size = (size_t)a->nodes * (size_t)(a->b * a->b) * sizeof(double);
  memset(a->d, 0, size);
  memset(a->l, 0, size);
  memset(a->u, 0, size);
  BEST_SWEEP(assemble, a, c, v_q, a_q);
  add_rest(a, c, v_q, a_q);
}

/* ------------------------------------------------------------------ solving */

void cps_chain_matrix_make(chain_matrix *a, pool *p, int nodes, int b, int steady) {
  a->nodes = nodes;
  a->b = b;
  POOL_ARRAY(p, a->d, nodes * b * b);
  POOL_ARRAY(p, a->l, nodes * b * b);
  POOL_ARRAY(p, a->u, nodes * b * b);
  if (steady) POOL_ARRAY(p, a->extra, nodes * b);
  if (steady) POOL_ARRAY(p, a->right, nodes * b);
}

/* The springs of sticking contacts over the stiffness of their nodes. Stiffer ones need fewer iterations, and cost digits: with 1e6
 * derivatives of tensions were 1.5 % off. */
static const double SPRINGS = 100;

void cps_chain_prefer(chain_matrix *a, int h) {
  int b = a->b;
  for (int i = 0; i < a->nodes; i++) {
    double *d = a->d + i * b * b, most = 0;
    for (int k = 0; k < h; k++) most = fmax(most, fabs(d[k * b + k]));
    for (int f = h; f < b; f++) { /* c dq + extra df: a spring of force by c times c over extra */
      double by = 0, slope = 0;
      for (int k = 0; k < h; k++) {
        slope += d[f * b + k] * d[k * b + f];
        by = fmax(by, fabs(d[f * b + k]));
      }
      a->extra[i * b + f] = most > 0 && slope != 0 ? -copysign(by / (SPRINGS * most), slope) : 0;
      d[f * b + f] += a->extra[i * b + f];
    }
  }
}

int cps_chain_factor(chain_matrix *a) { return BEST_SWEEP(factor, a); }

void cps_chain_solve(const chain_matrix *a, lanes *x) { BEST_SWEEP(solve, a, x); }
