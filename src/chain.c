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
 * chain_pass.h is the pass for one dimension and number of friction forces per node; chain_plane.h does the same,
 * faster, for the plane without a border, once with the instructions that every processor has and once with
 * AVX2. As lanes do not mix and nothing is fused, both give the same bits.
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

/* Short loops over coordinates are written out, so that what they make stays in registers. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { LANES = 4 };

INLINE lanes all(double x) { return (lanes){x, x, x, x}; }

/* Square root, lane by lane: an exact operation, so the compiler may do as it likes. */
INLINE lanes root(lanes x) { return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

typedef long long lane_bits __attribute__((vector_size(4 * sizeof(long long))));

/* The larger one, lane by lane; b if they cannot be compared. */
INLINE lanes larger(lanes a, lanes b) {
  lane_bits first = a > b;
  return (lanes)((first & (lane_bits)a) | (~first & (lane_bits)b));
}

INLINE lanes magnitude(lanes a) {
  const long long rest = 0x7fffffffffffffff; /* all but the sign */
  return (lanes)((lane_bits)a & (lane_bits){rest, rest, rest, rest});
}

INLINE lanes load(const double *x) {
  lanes r;
  memcpy(&r, x, sizeof r);
  return r;
}

INLINE void save(double *x, lanes r) { memcpy(x, &r, sizeof r); }

/* Lane i in all lanes. */
#define LANE(x, i) __builtin_shufflevector(x, x, i, i, i, i)
INLINE lanes lane(lanes x, int i) {
  return i == 0 ? LANE(x, 0) : i == 1 ? LANE(x, 1) : i == 2 ? LANE(x, 2) : LANE(x, 3);
}

/* The diagonal of four rows. */
INLINE lanes diagonal(lanes a, lanes b, lanes c, lanes d) {
  lanes ab = __builtin_shufflevector(a, b, 0, 5, 2, 7), cd = __builtin_shufflevector(c, d, 0, 5, 2, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 6, 7);
}

/* Transposes four vectors of four. */
INLINE void turn(lanes a, lanes b, lanes c, lanes d, lanes out[4]) {
  lanes ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  lanes cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

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

/* ------------------------------------------------------------------ in the plane, without a border */

/* Doubles that a node keeps in `up`: X and Y. */
enum { PLANE_STRIDE = 20 };

/* Whether a contact point in the plane surely touches nothing. */
INLINE int in_the_open(const machine *m, const contact_point *p, const double *r) {
  double x = r[0] - p->seen[0], y = r[1] - p->seen[1], left = p->clear - (m->travel - p->travel);
  if (!(left >= 0) || x * x + y * y > left * left) return 0;
  if (p->near < 0) return 1;
  const drum *g = &m->drum[p->near];
  x = r[0] - g->center[0];
  y = r[1] - g->center[1];
  return x * x + y * y >= g->radius * g->radius;
}

/* x = D^-1 u and z = D^-1 w with row pivoting; 0 if singular. */
static int plane_solve_careful(const lanes *d, const lanes *u, const lanes *w, lanes *x, lanes *z) {
  double a[4][12];
  for (int i = 0; i < 4; i++) {
    memcpy(a[i], &d[i], 4 * sizeof(double));
    memcpy(a[i] + 4, &u[i], 4 * sizeof(double));
    memcpy(a[i] + 8, &w[i], 4 * sizeof(double));
  }
  for (int j = 0; j < 4; j++) {
    int best = j;
    for (int i = j + 1; i < 4; i++)
      if (fabs(a[i][j]) > fabs(a[best][j])) best = i;
    if (!(fabs(a[best][j]) > 0)) return 0;
    for (int k = 0; k < 12; k++) {
      double swap = a[j][k];
      a[j][k] = a[best][k];
      a[best][k] = swap;
    }
    for (int i = 0; i < 4; i++) {
      double f = i == j ? 0 : a[i][j] / a[j][j];
      for (int k = j; k < 12 && f != 0; k++) a[i][k] -= f * a[j][k];
    }
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 4; k < 12; k++) a[i][k] /= a[i][i];
    memcpy(&x[i], a[i] + 4, 4 * sizeof(double));
    memcpy(&z[i], a[i] + 8, 4 * sizeof(double));
  }
  return 1;
}

#define TARGET
#define PLANE(x) plane_##x
#include "chain_plane.h"
#if defined(__x86_64__)
#define TARGET   __attribute__((target("avx2")))
#define PLANE(x) wide_##x
#include "chain_plane.h"
#endif

/* Whether the processor has the instructions of the second copy. */
static int has_wide(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return 0;
#endif
}

/* ------------------------------------------------------------------ any cable */

int cps_chain_eliminate(machine *m, cable *c, const implicit *how, leftover *left) {
  c->plain = c->dim == 2 && c->slots == 1 && m->nb == 0 && !c->has_extra && !how->careful && c->n >= 4;
  if (c->plain) {
#if defined(__x86_64__)
    if (has_wide()) return wide_eliminate(m, c, how, left);
#endif
    return plane_eliminate(m, c, how, left);
  }
  if (c->dim == 2) return c->slots == 1 ? eliminate_21(m, c, how, left) : eliminate_22(m, c, how, left);
  return c->slots == 2 ? eliminate_32(m, c, how, left) : eliminate_34(m, c, how, left);
}

/* The same for any number of unknowns. */
static double substitute(const machine *m, cable *c, const implicit *how) {
  int h = c->b, b = c->b + c->slots, w = 1 + m->nb, axes = c->dim - 1;
  double v_q = how->v_a / how->q_a, a_q = 1 / how->q_a, moved = 0, sum = 0;
  for (int i = c->n; i >= 0; i--) {
    double *x = c->x + i * b;
    const double *y = c->right + (size_t)i * (size_t)(b * w), *up = c->up + (size_t)i * (size_t)(b * b);
    const double *next = x + b;
    for (int r = 0; r < b; r++) {
      double change = -y[r * w];
      for (int k = 0; k < m->nb; k++) change -= y[r * w + 1 + k] * m->rhs[k];
      for (int k = 0; i < c->n && k < b; k++) change -= up[r * b + k] * next[k];
      x[r] = change;
      sum += change;
      if (r < c->dim && fabs(change) > moved) moved = fabs(change);
      if (r >= h) continue;
      c->q[i * h + r] += change;
      c->v[i * h + r] += v_q * change;
      c->a[i * h + r] += a_q * change;
    }
    for (int k = 0; k < c->per_node && i * c->per_node + k < c->n_points; k++)
      for (int j = 0; j < axes; j++) c->point[i * c->per_node + k].f[j] += x[h + k * axes + j];
  }
  return isfinite(sum) ? moved : NAN;
}

double cps_chain_substitute(const machine *m, cable *c, const implicit *how) {
  if (!c->plain) return substitute(m, c, how);
#if defined(__x86_64__)
  if (has_wide()) return wide_substitute(c, how);
#endif
  return plane_substitute(c, how);
}
