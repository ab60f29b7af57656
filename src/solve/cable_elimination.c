/* cable_elimination.c - a Newton iteration of one cable: its elements, its contact points, and the elimination of its nodes.
 *
 * One pass goes along the cable. Elements are evaluated several at a time, one in each lane of a vector; as soon as a
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
 * The cable is cut into as many segments as a vector has lanes, whose inner nodes are eliminated side by side, a segment in each lane
 * (cable_segments.h); cable_pass.h goes from interface to interface, where ends that belong to the border are, too. Short
 * cables, Westin's reading and those who ask for pivoting have no segments: cable_pass.h goes from node to node. Kernels
 * for processors with AVX2, AVX-512 or NEON fuse products and sums: results differ in their last digits. cable_plane.h is
 * a short cut for the plane with contact at nodes and ends that are no part of the border.
 */
#include "dense.h"
#include "element_recipe.h"
#include "processor.h"

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

/* Whether an end of a cable belongs to the border: the seam of a belt, a body, or the rim of a drum that moves by itself. */
static int is_bound(const machine *m, const cable *c) {
  int bound = c->seam >= 0;
  for (int e = 0; e < 2; e++) {
    const tie *end = &c->end[e];
    const drum *g = cps_end_is(end->kind, END_ON_DRUM) ? &m->drum[end->drum] : NULL;
    bound |= end->body >= 0 || (g && (g->angle_at >= 0 || g->carrier >= 0));
  }
  return bound;
}

/* Elements of a cable from which on eight segments are faster than four: measured, bench/README.md. */
enum { WIDE_LEAST = 120 };

/* The kernel that eliminates a cable in segments; NULL: there is none, or something does not suit it. */
static const segment_kernel *kernel_of(const machine *m, const cable *c, const step_coeffs *coeffs,
                                       int all_stick) {
  int points = c->of->contact.quadrature == 0 || c->n_points == 0 ? 0 : c->per_node;
  if (coeffs->careful || all_stick || m->near > BORDER_MET) return NULL;
  kernel_set set = m->kernels;
  if (set ==
      KERNELS_BEST) { /* eight segments have twice as many interfaces as four: short cables are better off with these */
    set = cps_kernels_most();
    if (set == KERNELS_AVX512 && c->n < WIDE_LEAST) set = KERNELS_FUSED;
  }
  const segment_kernel *best = &cps_kernels_plain[c->dim - 2][points];
#if CPS_FUSED
  if (set == KERNELS_FUSED) best = &cps_kernels_fused[c->dim - 2][points];
#endif
#if defined(__x86_64__)
  if (set == KERNELS_AVX512) best = &cps_kernels_avx512[c->dim - 2][points];
#endif
  return c->n >= 2 * best->lanes ? best : NULL; /* segments have inner nodes */
}

kernel_set cps_kernels_most(void) {
  return cps_has_avx512() ? KERNELS_AVX512 : cps_has_fused() ? KERNELS_FUSED : KERNELS_PLAIN;
}

/* Numbers that the ends of links need. */
static size_t room_of_links(const machine *m, int links, int width) {
  return (size_t)(links + 1) * (size_t)(width * (width + 2 + 2 * m->near));
}

/* Numbers that a step of a kernel keeps in each lane. */
static size_t room_of_step(const machine *m, const cable *c) {
  size_t h = (size_t)c->b, s = (size_t)c->slots, w = h + s, near = (size_t)m->near;
  return 1 + h * h + w * h + h + s * (h + w + 1) + near * (h + s);
}

size_t cps_cable_room(const machine *m, const cable *c) {
  size_t node_by_node = room_of_links(m, c->n, (c->b + c->slots) * (c->all_stick ? 2 : 1));
  size_t kept = room_of_links(m, SEGMENTS_MAX, c->b + c->slots) +
                (size_t)(c->n + 2 * SEGMENTS_MAX) * room_of_step(m, c) + SEGMENTS_MAX;
  size_t most = node_by_node > kept ? node_by_node : kept;
  return (most + 7) / 8 * 8;
}

/* Cuts the cable into links, and lays out the room for its iteration. */
static void cut(const machine *m, cable *c) {
  size_t width = (size_t)c->width, near = (size_t)m->near;
  c->links = c->by ? c->by->lanes : c->n;
  for (int k = 0; c->by && k <= c->links; k++) /* the longer ones come first */
    c->cut[k] = k * (c->n / c->links) + (k < c->n % c->links ? k : c->n % c->links);
  size_t nodes = (size_t)c->links + 1, before = (room_of_links(m, c->links, c->width) + 7) / 8 * 8;
  c->x = c->room;
  c->up = c->x + nodes * width;
  c->right = c->up + nodes * width * width;
  c->across = c->right + nodes * width * (1 + near);
  c->kept = c->room + before;
}

int cps_cable_eliminate(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left) {
  int all_stick = c->all_stick && !(coeffs->bristle > 0); /* statics has springs instead */
  c->width = (c->b + c->slots) * (all_stick ? 2 : 1);
  int plain = c->dim == 2 && c->of->contact.quadrature == 0 && m->near <= PLANE_BORDER && !coeffs->careful &&
              c->n >= 4 && !all_stick && m->kernels == KERNELS_BEST && !is_bound(m, c);
  c->by = plain ? NULL : kernel_of(m, c, coeffs, all_stick);
  cut(m, c);
  if (plain) {
    c->links = 0;
#if CPS_FUSED
    if (cps_has_fused()) return cps_fused_eliminate(m, c, coeffs, left);
#endif
    return cps_plane_eliminate(m, c, coeffs, left);
  }
  if (all_stick)
    return c->dim == 2 ? eliminate_21_stick(m, c, coeffs, left) : eliminate_32_stick(m, c, coeffs, left);
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

/* How far the contact points of node i, the end k of a link, move along the surfaces of their drums: a guess needs to know. Kernels
 * do it for points in elements. */
static void note_moves(const machine *m, cable *c, int i, int k) {
  for (int j = 0; j < c->per_node && i * c->per_node + j < c->n_points; j++) {
    contact_point *p = &c->point[i * c->per_node + j];
    if (c->by && p->shape[0] != 1) continue;
    p->moved = 0;
    for (int s = 0; s < 4 && p->drum >= 0; s++)
      for (int d = 0; d < c->dim && p->shape[s] != 0; d++)
        p->moved += p->t[d] * p->shape[s] * c->x[(k + s / 2) * c->width + s % 2 * c->dim + d];
    if (p->drum >= 0 && m->near > 0) p->moved -= cps_surface_move(m, &m->drum[p->drum], p->t);
  }
}

/* Applies `part` of the changes of node i, the end k of a link. */
static void apply(cable *c, const step_coeffs *coeffs, int i, int k, double part) {
  double v_q = part * coeffs->v_a / coeffs->q_a, a_q = part / coeffs->q_a;
  int h = c->b, half = h + c->slots, axes = c->dim - 1;
  const double *x = c->x + (size_t)k * (size_t)c->width, *stick = x + half;
  for (int r = 0; r < h; r++) {
    c->q[i * h + r] += part * x[r];
    c->v[i * h + r] += v_q * x[r];
    c->a[i * h + r] += a_q * x[r];
    if (c->width > half) c->gap[i * h + r] += part * stick[r]; /* the problem in which all contacts stick */
  }
  for (int n = 0; n < c->per_node && i * c->per_node + n < c->n_points; n++) {
    int at = i * c->per_node + n;
    for (int j = 0; j < axes; j++) {
      c->point[at].f[j] += part * x[h + n * axes + j];
      if (c->width > half) c->pull[at * AXES + j] += part * stick[h + n * axes + j];
    }
  }
}

/* Substitution by the short cut for the plane, which knows no links; see cable_plane.h. */
static double plain_substitute(const machine *m, cable *c, const step_coeffs *coeffs, double factor) {
#if CPS_FUSED
  if (cps_has_fused()) return cps_fused_substitute(m, c, coeffs, factor);
#endif
  return cps_plane_substitute(m, c, coeffs, factor);
}

double cps_cable_substitute(const machine *m, cable *c, const step_coeffs *coeffs) {
  if (c->links == 0) return plain_substitute(m, c, coeffs, 1);
  int b = c->width, w = 1 + m->near;
  double moved = 0, sum = 0;
  for (int k = c->links; k >= 0; k--) {
    int i = c->by ? c->cut[k] : k;
    double *x = c->x + k * b;
    const double *y = c->right + (size_t)k * (size_t)(b * w), *up = c->up + (size_t)k * (size_t)(b * b);
    const double *next = x + b;
    for (int r = 0; r < b; r++) {
      double change = -y[r * w];
      for (int n = 0; n < m->near; n++) change -= y[r * w + 1 + n] * m->rhs[n];
      for (int n = 0; k < c->links && n < b; n++) change -= up[r * b + n] * next[n];
      x[r] = change;
      sum += change;
      if (r < c->dim && fabs(change) > moved) moved = fabs(change);
    }
    apply(c, coeffs, i, k, 1);
    note_moves(m, c, i, k);
  }
  if (!isfinite(sum)) return NAN;
  double inside = c->by ? c->by->substitute(m, c, coeffs, 1) : 0;
  return inside <= moved ? moved : inside;
}

void cps_cable_take_back(const machine *m, cable *c, const step_coeffs *coeffs, double part) {
  if (c->links == 0) {
    plain_substitute(m, c, coeffs, -part);
    return;
  }
  for (int k = 0; k <= c->links; k++) apply(c, coeffs, c->by ? c->cut[k] : k, k, -part);
  if (c->by) c->by->substitute(m, c, coeffs, -part);
}
