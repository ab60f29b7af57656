/* chain.c - a Newton iteration of one cable: its elements, its contact points, and the elimination of its nodes.
 *
 * One pass goes along the cable. Elements are evaluated four at a time, one in each lane of a vector; as soon as a
 * node's rows are complete they are eliminated, so that the matrix as a whole is never written down:
 *
 *   D_i -= L_i X_(i-1),  R_i -= L_i Y_(i-1),  X_i = D_i^-1 U_i,  Y_i = D_i^-1 R_i
 *
 * (G. H. Golub, C. F. Van Loan, Matrix Computations, 4.5.1), where the right-hand side has a column for the
 * remainder and one for each unknown of the border. Friction forces are unknowns of the node's block.
 *
 * In an element with d = (r1 - r0)/l and the slopes s0, s1 at its ends, r' = A d + B s0 + C s1 with three
 * polynomials of x that are the same for every element: force and stiffness are summed in these three, six
 * products instead of ten, and taken to the nodes at the end.
 *
 * chain_pass.h is the pass for one dimension and number of friction forces per node.
 */
#include "machine.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inlined functions only */
#define INLINE static inline __attribute__((always_inline))
typedef double lanes __attribute__((vector_size(4 * sizeof(double))));
#else
#error "chain.c needs a compiler with vector extensions (gcc or clang)"
#endif

enum { LANES = 4 };

INLINE lanes all(double x) { return (lanes){x, x, x, x}; }

/* Square root, lane by lane: an exact operation, so the compiler may do as it likes. */
INLINE lanes root(lanes x) { return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

/* What an iteration asks of all elements alike. */
typedef struct recipe {
  double ea, ei, rho, rayleigh; /* the section */
  double v_q, a_q;              /* dv/dq, da/dq */
  double bend[6];               /* EI int r''.r'' in the pairs dd, d0, d1, 00, 01, 11, times l */
  int green, points;
  double weight[GAUSS_MAX], at[GAUSS_MAX][3], pair[GAUSS_MAX][6];
} recipe;

static void prepare(recipe *y, const cable_section *s, const implicit *how) {
  static const double bend_full[6] = {12, -6, -6, 4, 2, 4}, bend_mid[6] = {0, 0, 0, 1, -1, 1};
  const double *x, *w;
  memset(y, 0, sizeof *y);
  y->ea = s->ea;
  y->ei = s->curvature == CURVATURE_APPROXIMATE ? s->ei : 0;
  y->rho = s->rho;
  y->rayleigh = s->rayleigh;
  y->v_q = how->v_a / how->q_a;
  y->a_q = 1 / how->q_a;
  y->green = s->strain == STRAIN_GREEN;
  y->points = s->axial_points;
  for (int i = 0; i < 6; i++) y->bend[i] = y->ei * (s->bending_points > 1 ? bend_full[i] : bend_mid[i]);
  cps_gauss(s->axial_points, &x, &w);
  for (int g = 0; g < s->axial_points; g++) {
    double a[3] = {6 * x[g] - 6 * x[g] * x[g], 1 - 4 * x[g] + 3 * x[g] * x[g], 3 * x[g] * x[g] - 2 * x[g]};
    y->weight[g] = w[g];
    for (int i = 0, k = 0; i < 3; i++) {
      y->at[g][i] = a[i];
      for (int j = i; j < 3; j++) y->pair[g][k++] = a[i] * a[j];
    }
  }
}

/* Rayleigh damping c int r'_t.r'_t in the six pairs, times c l/30 (Westin Eq. 19). */
static const double brake[6] = {36, -3, -3, 4, -1, 4};

#define BORDER(c, i) ((size_t)(i) * (size_t)(c))

#define TARGET
#define DIM     2
#define SLOTS   1
#define NAME(x) x##_21
#include "chain_pass.h"
#define DIM     2
#define SLOTS   2
#define NAME(x) x##_22
#include "chain_pass.h"
#define DIM     3
#define SLOTS   2
#define NAME(x) x##_32
#include "chain_pass.h"
#define DIM     3
#define SLOTS   4
#define NAME(x) x##_34
#include "chain_pass.h"

int cps_chain_eliminate(machine *m, cable *c, const implicit *how, leftover *left) {
  if (c->dim == 2) return c->slots == 1 ? eliminate_21(m, c, how, left) : eliminate_22(m, c, how, left);
  return c->slots == 2 ? eliminate_32(m, c, how, left) : eliminate_34(m, c, how, left);
}

void cps_chain_substitute(const machine *m, cable *c) {
  int b = c->b + c->slots, w = 1 + m->nb;
  for (int i = c->n; i >= 0; i--) {
    double *x = c->x + i * b;
    const double *y = c->right + (size_t)i * (size_t)(b * w), *up = c->up + (size_t)i * (size_t)(b * b);
    const double *next = x + b;
    for (int r = 0; r < b; r++) {
      double sum = -y[r * w];
      for (int k = 0; k < m->nb; k++) sum -= y[r * w + 1 + k] * m->rhs[k];
      for (int k = 0; i < c->n && k < b; k++) sum -= up[r * b + k] * next[k];
      x[r] = sum;
    }
  }
}
