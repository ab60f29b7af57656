/* cable_elimination.c - a Newton iteration of one cable: its elements, its contact points, and the elimination of its nodes.
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
 * cable_pass.h is the pass for one dimension and number of friction forces per node; cable_plane.h does the same,
 * faster, for the plane with contact at nodes and ends that are no part of the border, once with the instructions that every processor has and once with
 * AVX2, where products and sums are fused: the two differ in their last digits.
 */
#include "dense.h"
#include "element_recipe.h"

#define ALL_STICK 0
#define DIM       2
#define SLOTS     1
#define NAME(x)   x##_21
#include "cable_pass.h"
#define DIM     2
#define SLOTS   2
#define NAME(x) x##_22
#include "cable_pass.h"
#define DIM     3
#define SLOTS   2
#define NAME(x) x##_32
#include "cable_pass.h"
#define DIM     3
#define SLOTS   4
#define NAME(x) x##_34
#include "cable_pass.h"
#undef ALL_STICK

#define ALL_STICK 1
#define DIM       2
#define SLOTS     1
#define NAME(x)   x##_21_stick
#include "cable_pass.h"
#define DIM     3
#define SLOTS   2
#define NAME(x) x##_32_stick
#include "cable_pass.h"
#undef ALL_STICK

/* ------------------------------------------------------------------ any cable */

int cps_cable_is_bound(const machine *m, const cable *c) {
  int bound = c->seam >= 0;
  for (int e = 0; e < 2; e++) {
    const tie *end = &c->end[e];
    const drum *g = end->kind == END_RIM ? &m->drum[end->drum] : NULL;
    bound |= end->body >= 0 || (g && (g->angle_at >= 0 || g->carrier >= 0));
  }
  return bound;
}

int cps_cable_eliminate(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left) {
  c->plain = c->dim == 2 && c->slots == 1 && m->near <= PLANE_BORDER && c->of->contact.quadrature == 0 &&
             !coeffs->careful && c->n >= 4 && !cps_cable_is_bound(m, c);
  int all_stick = c->all_stick && !(coeffs->bristle > 0); /* statics has springs instead */
  c->plain = c->plain && !all_stick;
  c->width = (c->b + c->slots) * (all_stick ? 2 : 1);
  if (all_stick)
    return c->dim == 2 ? eliminate_21_stick(m, c, coeffs, left) : eliminate_32_stick(m, c, coeffs, left);
  if (c->plain) {
#if defined(__x86_64__)
    if (cps_has_avx2()) return cps_avx2_eliminate(m, c, coeffs, left);
#endif
    return cps_plane_eliminate(m, c, coeffs, left);
  }
  if (c->dim == 2) return c->slots == 1 ? eliminate_21(m, c, coeffs, left) : eliminate_22(m, c, coeffs, left);
  return c->slots == 2 ? eliminate_32(m, c, coeffs, left) : eliminate_34(m, c, coeffs, left);
}

double cps_surface_move(const machine *m, const drum *g, const double *t) {
  double move = g->angle_at >= 0 ? g->radius * m->rhs[g->angle_at] : 0;
  if (g->carrier < 0) return move;
  const machine_body *y = &m->body[g->carrier];
  for (int k = 0; k < y->n; k++)
    for (int d = 0; d < m->dim; d++) move += m->rhs[y->at + k] * y->along[k][d] * t[d];
  return move;
}

/* How far the contact points of node i move along the surfaces of their drums: a guess needs to know. */
static void note_moves(const machine *m, cable *c, int i) {
  int width = c->width;
  for (int k = 0; k < c->per_node && i * c->per_node + k < c->n_points; k++) {
    contact_point *p = &c->point[i * c->per_node + k];
    p->moved = 0;
    for (int j = 0; j < 4 && p->drum >= 0; j++)
      for (int d = 0; d < c->dim && p->shape[j] != 0; d++)
        p->moved += p->t[d] * p->shape[j] * c->x[(p->node + j / 2) * width + j % 2 * c->dim + d];
    if (p->drum >= 0 && m->near > 0) p->moved -= cps_surface_move(m, &m->drum[p->drum], p->t);
  }
}

/* Applies `part` of the changes of node i to the problem in which all contacts stick. */
static void add_sticking(cable *c, int i, double part) {
  int h = c->b, half = h + c->slots, axes = c->dim - 1;
  if (c->width == half) return;
  const double *x = c->x + (size_t)i * (size_t)c->width + half;
  for (int r = 0; r < h; r++) c->gap[i * h + r] += part * x[r];
  for (int k = 0; k < c->per_node && i * c->per_node + k < c->n_points; k++)
    for (int j = 0; j < axes; j++) c->pull[(i * c->per_node + k) * AXES + j] += part * x[h + k * axes + j];
}

/* Back substitution for any number of unknowns. */
static double substitute(const machine *m, cable *c, const step_coeffs *coeffs) {
  int h = c->b, b = c->width, w = 1 + m->near, axes = c->dim - 1;
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a, moved = 0, sum = 0;
  for (int i = c->n; i >= 0; i--) {
    double *x = c->x + i * b;
    const double *y = c->right + (size_t)i * (size_t)(b * w), *up = c->up + (size_t)i * (size_t)(b * b);
    const double *next = x + b;
    for (int r = 0; r < b; r++) {
      double change = -y[r * w];
      for (int k = 0; k < m->near; k++) change -= y[r * w + 1 + k] * m->rhs[k];
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
    note_moves(m, c, i);
    add_sticking(c, i, 1);
  }
  return isfinite(sum) ? moved : NAN;
}

/* Substitution by the short cut for the plane; see cable_plane.h. */
static double plain_substitute(const machine *m, cable *c, const step_coeffs *coeffs, double factor) {
#if defined(__x86_64__)
  if (cps_has_avx2()) return cps_avx2_substitute(m, c, coeffs, factor);
#endif
  return cps_plane_substitute(m, c, coeffs, factor);
}

double cps_cable_substitute(const machine *m, cable *c, const step_coeffs *coeffs) {
  return c->plain ? plain_substitute(m, c, coeffs, 1) : substitute(m, c, coeffs);
}

void cps_cable_take_back(const machine *m, cable *c, const step_coeffs *coeffs, double part) {
  if (c->plain) {
    plain_substitute(m, c, coeffs, -part);
    return;
  }
  double v_q = part * coeffs->v_a / coeffs->q_a, a_q = part / coeffs->q_a;
  int b = c->b, width = c->width, axes = c->dim - 1;
  for (int k = 0; k <= c->n; k++) {
    const double *x = c->x + k * width;
    double *q = c->q + k * b, *v = c->v + k * b, *a = c->a + k * b;
    for (int j = 0; j < b; j++) {
      q[j] -= part * x[j];
      v[j] -= v_q * x[j];
      a[j] -= a_q * x[j];
    }
    add_sticking(c, k, -part);
  }
  for (int k = 0; k < c->n_points; k++) {
    contact_point *p = &c->point[k];
    const double *x = c->x + p->node * width + b + k % c->per_node * axes;
    for (int j = 0; j < axes; j++) p->f[j] -= part * x[j];
  }
}
