/* cable_plane.h - the pass of cable_elimination.c for what is most common: in the plane, contact at nodes, ends that are no part of
 * the border. What is more than that has cable_segments.h, which would need a quarter more time for this (bench/README.md).
 *
 * The same equations as in cable_pass.h, arranged for speed: rows of four doubles, elimination from both ends of
 * the cable at once so that one chain of operations fills the gaps of the other, no pivoting (a node whose
 * pivots are tiny is solved with it), and of the friction unknown f of a node, D q + U q_next - t f = -r,
 * g q + b f = -rest, only its Schur complement b + g D^-1 t. As elements are symmetric, what couples a node to
 * the one before is the transpose of what couples that to this; except where damping has its say, for which everything that
 * asks for `skewed` exists twice.
 *
 * Unknowns y of the border are columns beside the residual: D q + U q_next - t f + B y = -r, g q + b f + b_y y = -rest. Their
 * equations are rows c that go along with a front: c q = -c (Y + X q_next + Z y) leaves its parts to the border and to the next node.
 * A front has columns and rows only from its first contact with a drum of the border on; `bordered` is whether there are any.
 *
 * Compiled twice, by cable_plane.c and, for processors with AVX2 or NEON, by cable_plane_fused.c, which define PLANE(x). There
 * products and sums are fused: the two differ in their last digits.
 */
#include "dense.h"
#include "element_recipe.h"

#define DIM     2
#define NAME(x) x##_2
#include "cable_elements.h"
#undef DIM
#undef NAME

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
static int solve_careful(const lanes *d, const lanes *u, const lanes *w, lanes *x, lanes *z) {
  double a[4][12];
  int pivot[4];
  for (int i = 0; i < 4; i++) {
    memcpy(a[i], &d[i], 4 * sizeof(double));
    memcpy(a[i] + 4, &u[i], 4 * sizeof(double));
    memcpy(a[i] + 8, &w[i], 4 * sizeof(double));
  }
  if (dense_factor(a[0], 4, 12, pivot, NULL) == 0) return 0;
  dense_solve(a[0], 4, 12, pivot, a[0] + 4, 8, 12);
  for (int i = 0; i < 4; i++) {
    memcpy(&x[i], a[i] + 4, 4 * sizeof(double));
    memcpy(&z[i], a[i] + 8, 4 * sizeof(double));
  }
  return 1;
}

/* An element as seen from the end that is eliminated first: own block, coupling, block and forces of the other. */
typedef struct link {
  lanes own[4], u[4], next[4], r, next_r;
  lanes low[4]; /* skewed: coupling of the other end to this one, by rows of the other */
} link;

/* Elimination that comes from one end of the cable: what the last node left to the next, and elements. */
typedef struct front {
  lanes less[4], less_r;
  const link *last;
  link four[2 * LANES]; /* the four elements at hand, and the four before */
  /* unknowns of the border that it has met, by bits; what the last node left to the columns and rows of the next */
  unsigned met;
  lanes less_b[PLANE_BORDER], row[PLANE_BORDER];
} front;

/* Columns of a node's equations and friction by the unknowns of the border, and their equations by its place and friction. */
typedef struct edge {
  unsigned met; /* unknowns that the node or the front has to do with */
  lanes b[PLANE_BORDER], a[PLANE_BORDER];
  double b_f[PLANE_BORDER], a_f[PLANE_BORDER];
} edge;

/* Bits of the unknowns of the border, one after the other. */
#define EACH_MET(k, bits, nb)                                                                                \
  for (int k = 0; k < (nb); k++)                                                                             \
    if ((bits) >> k & 1)

/* What the contact of a node adds to what the front brings along. */
INLINE void meet(machine *m, const contact_point *p, const contact_response *t, edge *e) {
  border_touch o;
  cps_contact_border(m, p, t, &o);
  for (int i = 0; i < o.n; i++) {
    int k = o.at[i];
    if (!(e->met >> k & 1)) {
      e->b[k] = e->a[k] = all(0);
      e->b_f[k] = e->a_f[k] = 0;
      e->met |= 1u << k;
    }
    e->b[k] += (lanes){o.column[i][0], o.column[i][1], 0, 0};
    e->a[k] += (lanes){o.row[i][0], o.row[i][1], 0, 0};
    e->b_f[k] += o.column_f[i][0];
    e->a_f[k] += o.row_f[i][0];
  }
}

/* Row i of a field of four elements, lane by lane. */
#define PLANE_ROW(field, i, a, b, c, d)                                                                      \
  do {                                                                                                       \
    lanes row[4];                                                                                            \
    turn(a, b, c, d, row);                                                                                   \
    UNROLL for (int e = 0; e < LANES; e++) link[e].field[i] = row[e];                                        \
  } while (0)

/* Rows of the tensors a b, c d; and the same with their skew parts. */
#define PLANE_ROWS(field, a, b, c, d)                                                                        \
  do {                                                                                                       \
    PLANE_ROW(field, 0, (a)[0], (a)[1], (b)[0], (b)[1]);                                                     \
    PLANE_ROW(field, 1, (a)[1], (a)[2], (b)[1], (b)[2]);                                                     \
    PLANE_ROW(field, 2, (c)[0], (c)[1], (d)[0], (d)[1]);                                                     \
    PLANE_ROW(field, 3, (c)[1], (c)[2], (d)[1], (d)[2]);                                                     \
  } while (0)
#define PLANE_SKEW(field, a, b, c, d, sa, sb, sc, sd)                                                        \
  do {                                                                                                       \
    PLANE_ROW(field, 0, (a)[0], (a)[1] + (sa), (b)[0], (b)[1] + (sb));                                       \
    PLANE_ROW(field, 1, (a)[1] - (sa), (a)[2], (b)[1] - (sb), (b)[2]);                                       \
    PLANE_ROW(field, 2, (c)[0], (c)[1] + (sc), (d)[0], (d)[1] + (sd));                                       \
    PLANE_ROW(field, 3, (c)[1] - (sc), (c)[2], (d)[1] - (sd), (d)[2]);                                       \
  } while (0)

/* The blocks of four elements with their skew parts, as seen from the end that is eliminated first. */
INLINE void take_skewed(const quad_2 *o, int from_end, link *link) {
  lanes up[10], low[10];
  UNROLL for (int i = 0; i < 10; i++) {
    up[i] = o->up[i][0];
    low[i] = o->low[i][0];
  }
  if (from_end) { /* rows of 2, 3; of 2, 3 against 0, 1; of 0, 1; of 0, 1 against 2, 3 */
    PLANE_SKEW(own, o->k[7], o->k[8], o->k[8], o->k[9], up[7], up[8], low[8], up[9]);
    PLANE_SKEW(u, o->k[2], o->k[5], o->k[3], o->k[6], low[2], low[5], low[3], low[6]);
    PLANE_SKEW(next, o->k[0], o->k[1], o->k[1], o->k[4], up[0], up[1], low[1], up[4]);
    PLANE_SKEW(low, o->k[2], o->k[3], o->k[5], o->k[6], up[2], up[3], up[5], up[6]);
  } else {
    PLANE_SKEW(own, o->k[0], o->k[1], o->k[1], o->k[4], up[0], up[1], low[1], up[4]);
    PLANE_SKEW(u, o->k[2], o->k[3], o->k[5], o->k[6], up[2], up[3], up[5], up[6]);
    PLANE_SKEW(next, o->k[7], o->k[8], o->k[8], o->k[9], up[7], up[8], low[8], up[9]);
    PLANE_SKEW(low, o->k[2], o->k[5], o->k[3], o->k[6], low[2], low[5], low[3], low[6]);
  }
}

/* The next four elements of a side, from element `first` on towards the middle. */
INLINE void take_four(const cable *c, const recipe *y, int first, int from_end, const int skewed, link *link,
                      lanes *tension) {
  quad_2 o;
  lanes r[4];
  elements_2(c, y, first, from_end ? -1 : 1, &o);
  if (skewed) {
    take_skewed(&o, from_end, link);
  } else if (from_end) {
    PLANE_ROWS(own, o.k[7], o.k[8], o.k[8], o.k[9]);
    PLANE_ROWS(u, o.k[2], o.k[5], o.k[3], o.k[6]);
    PLANE_ROWS(next, o.k[0], o.k[1], o.k[1], o.k[4]);
  } else {
    PLANE_ROWS(own, o.k[0], o.k[1], o.k[1], o.k[4]);
    PLANE_ROWS(u, o.k[2], o.k[3], o.k[5], o.k[6]);
    PLANE_ROWS(next, o.k[7], o.k[8], o.k[8], o.k[9]);
  }
  lanes(*near)[2] = from_end ? o.f + 2 : o.f, (*far)[2] = from_end ? o.f : o.f + 2;
  turn(near[0][0], near[0][1], near[1][0], near[1][1], r);
  UNROLL for (int e = 0; e < LANES; e++) link[e].r = r[e];
  turn(far[0][0], far[0][1], far[1][0], far[1][1], r);
  UNROLL for (int e = 0; e < LANES; e++) link[e].next_r = r[e];
  *tension = larger(*tension, o.tension);
}
#undef PLANE_SKEW
#undef PLANE_ROWS
#undef PLANE_ROW

/* A node's friction: direction t, row g, diagonal b, what is left of it. */
typedef struct grip {
  int touches;
  double t[2], g[2], b, rest;
} grip;

/* What acts on node i besides its elements: point mass, load, contact. Contact takes its scale from what is elastic,
 * without what elimination has taken away, `less`. */
INLINE void node(machine *m, cable *c, int i, const step_coeffs *coeffs, double a_q, const lanes less[4],
                 lanes d[4], lanes *r, grip *o, edge *e, residual_norms *left) {
  double mass = c->mass[i];
  o->touches = 0;
  if (mass > 0) {
    *r += (lanes){mass * (c->a[i * 4] - c->gravity[0]), mass * (c->a[i * 4 + 1] - c->gravity[1]), 0, 0};
    d[0] += (lanes){mass * a_q, 0, 0, 0};
    d[1] += (lanes){0, mass * a_q, 0, 0};
  }
  int end = i == 0 ? 0 : i == c->n ? 1 : -1;
  if (end >= 0) *r -= (lanes){c->load[end][0], c->load[end][1], 0, 0};
  if (c->n_points > 0) {
    contact_point *p = &c->point[i];
    const double *q = c->q + i * 4;
    if (p->drum >= 0 || p->f[0] != 0 || !in_the_open(m, p, q)) {
      contact_response t;
      double stiff[8];
      save(stiff, d[0] + less[0]);
      save(stiff + 4, d[1] + less[1]);
      o->touches = cps_contact_eval(m, c, p, q, c->v + i * 4, c->a + i * 4, stiff, 4, coeffs, &t);
      if (o->touches) {
        *r -= (lanes){t.force[0], t.force[1], 0, 0};
        d[0] += (lanes){t.k[0][0], t.k[0][1], 0, 0};
        d[1] += (lanes){t.k[1][0], t.k[1][1], 0, 0};
        for (int k = 0; k < 2; k++) {
          o->t[k] = t.dir[0][k];
          o->g[k] = t.rest_r[0][k];
          m->drum[p->drum].push[k] -= t.force[k];
        }
        o->b = t.rest_f[0][0];
        o->rest = t.rest[0];
        m->drum[p->drum].torque -= m->drum[p->drum].radius * p->f[0];
        double worst = fabs(o->rest) > p->wrong ? fabs(o->rest) : p->wrong;
        if (!(worst <= left->friction)) left->friction = worst;
        left->holds += p->limit;
        left->touching += 1;
        if (e) meet(m, p, &t, e);
      } else {
        p->f[0] = 0;
      }
    }
  }
  if (end >= 0) memcpy(c->reaction[end], r, 4 * sizeof(double));
}

/* Coordinates that do not follow the equations: no change. */
INLINE void fix(unsigned bits, lanes d[4], lanes u[4], lanes low[4], lanes *r, grip *o, edge *e) {
  for (int j = 0; j < 4; j++) {
    if (!(bits >> j & 1)) continue;
    for (int s = 0; s < 4; s++) d[s][j] = d[j][s] = u[j][s] = 0;
    for (int s = 0; s < 4 && low; s++) low[s][j] = 0;
    d[j][j] = 1;
    (*r)[j] = 0;
    if (j < 2) o->t[j] = o->g[j] = 0;
    if (e) EACH_MET(k, e->met, PLANE_BORDER) e->b[k][j] = e->a[k][j] = 0;
    if (j == 0) o->b += 1e-6; /* friction of a contact that sticks is open here: see prefer in cable_pass.h */
  }
}

/* x = D^-1 u and z = D^-1 w by blocks of two, A B over C E: with M = C A^-1 and S = E - M B, x2 = S^-1 (u2 - M u1)
 * and x1 = A^-1 (u1 - B x2). Two divisions in a row instead of the four of Gaussian elimination: the time of a
 * node is that of its longest chain of operations. 0 if a determinant has lost what it was made of. */
INLINE int solve(const lanes d[4], const lanes u[4], const lanes w[4], lanes x[4], lanes z[4]) {
  double a00 = d[0][0], a01 = d[0][1], a10 = d[1][0], a11 = d[1][1];
  double plus = a00 * a11, minus = a01 * a10, det = plus - minus, by = 1 / det;
  int good = fabs(det) > 1e-13 * fabs(plus);
  double p[2][2] = {{a11 * by, -a01 * by}, {-a10 * by, a00 * by}}, m[2][2], s[2][2];
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int j = 0; j < 2; j++) m[i][j] = d[2 + i][0] * p[0][j] + d[2 + i][1] * p[1][j];
  }
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int j = 0; j < 2; j++)
        s[i][j] = d[2 + i][2 + j] - (m[i][0] * d[0][2 + j] + m[i][1] * d[1][2 + j]);
  }
  plus = s[0][0] * s[1][1];
  minus = s[0][1] * s[1][0];
  det = plus - minus;
  by = 1 / det;
  good &= fabs(det) > 1e-13 * fabs(plus);
  double t[2][2] = {{s[1][1] * by, -s[0][1] * by}, {-s[1][0] * by, s[0][0] * by}};
  lanes x2[2], z2[2];
  UNROLL for (int i = 0; i < 2; i++) {
    x2[i] = u[2 + i] - (all(m[i][0]) * u[0] + all(m[i][1]) * u[1]);
    z2[i] = w[2 + i] - (all(m[i][0]) * w[0] + all(m[i][1]) * w[1]);
  }
  UNROLL for (int i = 0; i < 2; i++) {
    x[2 + i] = all(t[i][0]) * x2[0] + all(t[i][1]) * x2[1];
    z[2 + i] = all(t[i][0]) * z2[0] + all(t[i][1]) * z2[1];
  }
  lanes x1[2], z1[2];
  UNROLL for (int i = 0; i < 2; i++) {
    x1[i] = u[i] - (lane(d[i], 2) * x[2] + lane(d[i], 3) * x[3]);
    z1[i] = w[i] - (lane(d[i], 2) * z[2] + lane(d[i], 3) * z[3]);
  }
  UNROLL for (int i = 0; i < 2; i++) {
    x[i] = all(p[i][0]) * x1[0] + all(p[i][1]) * x1[1];
    z[i] = all(p[i][0]) * z1[0] + all(p[i][1]) * z1[1];
  }
  return good;
}

/* With X = D^-1 U, and D^-1 r, D^-1 t in column[0] and [1]: takes friction into them, and stores the node. */
INLINE int store(cable *c, int i, const grip *o, lanes x[4], const lanes column[4], int nb, lanes *y,
                 double *schur) {
  double *out = c->up + (size_t)i * PLANE_STRIDE, *row_f = c->right + (size_t)i * 5 * (size_t)(1 + nb);
  *y = column[0];
  *schur = 0;
  if (o->touches) {
    lanes z = column[1];
    *schur = o->b + o->g[0] * z[0] + o->g[1] * z[1];
    if (!(fabs(*schur) > 0)) return 0;
    double inverse = 1 / *schur;
    lanes row = all(inverse) * (all(o->g[0]) * x[0] + all(o->g[1]) * x[1]);
    double rest = inverse * (o->g[0] * (*y)[0] + o->g[1] * (*y)[1] - o->rest);
    UNROLL for (int k = 0; k < 4; k++) x[k] -= lane(z, k) * row;
    *y -= z * all(rest);
    save(row_f, row);
    row_f[4] = rest;
  }
  UNROLL for (int k = 0; k < 4; k++) save(out + 4 * k, x[k]);
  save(out + 16, *y);
  return 1;
}

/* The columns of the border behind the first two, which have their places beside r and t: into z. */
static int more_columns(const lanes d[4], const edge *e, int nb, lanes *z) {
  lanes in[2][4], out[2][4], column[4];
  for (int g = 0; g < 2; g++) {
    UNROLL for (int k = 0; k < 4; k++)
        column[k] = 2 + 4 * g + k < nb && e->met >> (2 + 4 * g + k) & 1 ? e->b[2 + 4 * g + k] : all(0);
    turn(column[0], column[1], column[2], column[3], in[g]);
  }
  if (!solve(d, in[0], in[1], out[0], out[1]) && !solve_careful(d, in[0], in[1], out[0], out[1])) return 0;
  for (int g = 0; g < 2; g++) {
    turn(out[g][0], out[g][1], out[g][2], out[g][3], column);
    UNROLL for (int k = 0; k < 4; k++) z[2 + 4 * g + k] = column[k];
  }
  return 1;
}

/* What a node has to do with the border: stores its columns, adds its part of the border's equations, and finds the rows that it
 * leaves to the next node. column[2] and [3] are D^-1 B of the first two unknowns. */
static int store_border(machine *m, cable *c, int i, const lanes d[4], const grip *o, const edge *e,
                        const lanes x[4], const lanes column[4], lanes y, double schur, lanes *z, front *s) {
  int nb = m->near;
  double *row_f = c->right + (size_t)i * 5 * (size_t)(1 + nb), rest_b[PLANE_BORDER] = {0};
  z[0] = column[2];
  z[1] = column[3];
  c->across[i] = (double)e->met; /* which columns it has */
  if (e->met >> 2 && !more_columns(d, e, nb, z)) return 0;
  EACH_MET(k, e->met, nb) {
    if (o->touches) {
      rest_b[k] = (o->g[0] * z[k][0] + o->g[1] * z[k][1] - e->b_f[k]) / schur;
      z[k] -= column[1] * all(rest_b[k]);
    }
    save(row_f + 5 + 5 * k, z[k]);
    row_f[9 + 5 * k] = rest_b[k];
  }
  EACH_MET(k, e->met, nb) {
    lanes a = e->a[k];
    double a_f = e->a_f[k];
    m->rhs[k] -= sum_of(a * y);
    s->row[k] = -(lane(a, 0) * x[0] + lane(a, 1) * x[1] + lane(a, 2) * x[2] + lane(a, 3) * x[3]);
    if (o->touches) {
      m->rhs[k] += a_f * row_f[4];
      s->row[k] += all(a_f) * load(row_f);
    }
    EACH_MET(n, e->met, nb) m->s[k * nb + n] += a_f * rest_b[n] - sum_of(a * z[n]);
  }
  return 1;
}

/* Completes the rows of node i, of which d and r hold what elements do; w gets its right-hand sides. */
INLINE void complete(machine *m, cable *c, int i, const step_coeffs *coeffs, double a_q, const lanes less[4],
                     lanes less_r, lanes d[4], lanes u[4], lanes low[4], lanes r, grip *o, edge *e,
                     lanes w[4], lanes *force, residual_norms *left) {
  UNROLL for (int j = 0; j < 4; j++) d[j] -= less[j];
  node(m, c, i, coeffs, a_q, less, d, &r, o, e, left);
  if (c->fixed[i]) fix(c->fixed[i], d, u, low, &r, o, e);
  *force = larger(*force, magnitude(r));
  lanes t = {0, 0, 0, 0};
  if (o->touches) t = (lanes){o->t[0], o->t[1], 0, 0};
  turn(r - less_r, t, e && e->met & 1 ? e->b[0] : all(0), e && e->met & 2 ? e->b[1] : all(0), w);
}

/* What the rows of a node with columns y leave to the next node. */
INLINE lanes left_to_next(const lanes u[4], const lanes low[4], lanes y) {
  lanes column[4];
  if (!low) return u[0] * lane(y, 0) + u[1] * lane(y, 1) + u[2] * lane(y, 2) + u[3] * lane(y, 3);
  turn(low[0], low[1], low[2], low[3], column);
  return column[0] * lane(y, 0) + column[1] * lane(y, 1) + column[2] * lane(y, 2) + column[3] * lane(y, 3);
}

/* Solves the rows of node i, and finds what they leave to the next node; low is NULL if it is the transpose of u. */
INLINE int pass_on(machine *m, cable *c, int i, const lanes d[4], const lanes u[4], const lanes low[4],
                   const lanes w[4], const grip *o, const edge *e, front *s) {
  lanes x[4], z[4], rest, column[4];
  double schur;
  int nb = e ? m->near : 0;
  if (!solve(d, u, w, x, z) && !solve_careful(d, u, w, x, z)) return 0;
  turn(z[0], z[1], z[2], z[3], column);
  if (!store(c, i, o, x, column, nb, &rest, &schur)) return 0;
  if (e) {
    lanes by[2 + 2 * LANES];
    c->across[i] = 0;
    if (e->met) {
      if (!store_border(m, c, i, d, o, e, x, column, rest, schur, by, s)) return 0;
      EACH_MET(k, e->met, nb) s->less_b[k] = left_to_next(u, low, by[k]);
      s->met = e->met;
    }
  }
  s->less_r = left_to_next(u, low, rest);
  if (low) {
    UNROLL for (int j = 0; j < 4; j++) s->less[j] = lane(low[j], 0) * x[0] + lane(low[j], 1) * x[1] +
                                                    lane(low[j], 2) * x[2] + lane(low[j], 3) * x[3];
    return 1;
  }
  UNROLL for (int j = 0; j < 4; j++)
      s->less[j] = lane(u[0], j) * x[0] + lane(u[1], j) * x[1] + lane(u[2], j) * x[2] + lane(u[3], j) * x[3];
  return 1;
}

/* What fronts bring along to a node. */
INLINE void bring(const front *s, int nb, edge *e) {
  EACH_MET(k, s->met, nb) {
    int known = e->met >> k & 1;
    e->b[k] = known ? e->b[k] - s->less_b[k] : -s->less_b[k];
    e->a[k] = known ? e->a[k] + s->row[k] : s->row[k];
    e->b_f[k] = e->a_f[k] = 0;
  }
  e->met |= s->met;
}

/* Where the two fronts meet. */
INLINE int join(machine *m, cable *c, const step_coeffs *coeffs, double a_q, front ends[2],
                const int bordered, lanes *force, residual_norms *left) {
  lanes d[4], u[4], w[4], less[4], less_r = ends[0].less_r + ends[1].less_r;
  grip o = {0};
  edge e;
  e.met = 0;
  for (int k = 0; k < 2 && bordered; k++) bring(&ends[k], m->near, &e);
  UNROLL for (int j = 0; j < 4; j++) {
    d[j] = ends[0].last->next[j] + ends[1].last->next[j];
    less[j] = ends[0].less[j] + ends[1].less[j];
    u[j] = all(0);
  }
  complete(m, c, c->n / 2, coeffs, a_q, less, less_r, d, u, NULL, ends[0].last->next_r + ends[1].last->next_r,
           &o, bordered ? &e : NULL, w, force, left);
  return pass_on(m, c, c->n / 2, d, u, NULL, w, &o, bordered ? &e : NULL, &ends[0]);
}

INLINE int eliminate_all(machine *m, cable *c, const recipe *y, const int skewed, const int bordered,
                         const step_coeffs *coeffs, residual_norms *left) {
  front ends[2];
  edge edges[2];
  grip grips[2] = {{0}};
  int middle = c->n / 2, count[2] = {middle, c->n - middle};
  lanes tension = all(0), force = all(0), d[2][4], w[2][4];
  for (int k = 0; k < 2; k++) {                  /* nothing lies before the first node */
    ends[k].last = &ends[k].four[2 * LANES - 1]; /* cppcheck-suppress uninitvar */
    memset(&ends[k].four[2 * LANES - 1], 0, sizeof(link));
    memset(ends[k].less, 0, sizeof ends[k].less);
    ends[k].less_r = all(0);
    ends[k].met = 0;
  }
  for (int step = 0; step < count[1]; step++) {
    UNROLL for (int k = 0; k < 2; k++) {
      front *s = &ends[k];
      link *e = &s->four[step % (2 * LANES)];
      if (step >= count[k]) continue; /* an odd number of elements */
      if (step % LANES == 0) take_four(c, y, k == 0 ? step : c->n - 1 - step, k, skewed, e, &tension);
      UNROLL for (int j = 0; j < 4; j++) d[k][j] = s->last->next[j] + e->own[j];
      edges[k].met = 0;
      if (bordered) bring(s, m->near, &edges[k]);
      complete(m, c, k == 0 ? step : c->n - step, coeffs, y->a_q, s->less, s->less_r, d[k], e->u,
               skewed ? e->low : NULL, s->last->next_r + e->r, &grips[k], bordered ? &edges[k] : NULL, w[k],
               &force, left);
      s->last = e;
    }
    UNROLL for (int k = 0; k < 2; k++) {
      const link *e = ends[k].last;
      if (step < count[k] && !pass_on(m, c, k == 0 ? step : c->n - step, d[k], e->u, skewed ? e->low : NULL,
                                      w[k], &grips[k], bordered ? &edges[k] : NULL, &ends[k]))
        return 0;
    }
  }
  if (!join(m, c, coeffs, y->a_q, ends, bordered, &force, left)) return 0;
  UNROLL for (int j = 0; j < 4; j++) {
    left->force = force[j] > left->force ? force[j] : left->force;
    left->tension = tension[j] > left->tension ? tension[j] : left->tension;
  }
  return 1;
}

int PLANE(eliminate)(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left) {
  recipe y;
  prepare(&y, &c->section, coeffs);
  prepare_extra(&y, &c->section);
  if (m->near > 0)
    return y.extra ? eliminate_all(m, c, &y, 1, 1, coeffs, left)
                   : eliminate_all(m, c, &y, 0, 1, coeffs, left);
  return y.extra ? eliminate_all(m, c, &y, 1, 0, coeffs, left) : eliminate_all(m, c, &y, 0, 0, coeffs, left);
}

/* One node of the substitution: its change from that of the node before in this order; `factor` of it is applied. */
INLINE lanes step_back(const machine *m, cable *c, int i, lanes next, lanes factor, lanes v_q, lanes a_q,
                       const int bordered) {
  int nb = bordered ? m->near : 0;
  const double *in = c->up + (size_t)i * PLANE_STRIDE, *row_f = c->right + (size_t)i * 5 * (size_t)(1 + nb);
  unsigned met = bordered ? (unsigned)c->across[i] : 0;
  lanes column[4];
  turn(load(in), load(in + 4), load(in + 8), load(in + 12), column);
  lanes change = -(load(in + 16) + column[0] * lane(next, 0) + column[1] * lane(next, 1) +
                   column[2] * lane(next, 2) + column[3] * lane(next, 3));
  EACH_MET(k, met, nb) change -= load(row_f + 5 + 5 * k) * all(m->rhs[k]);
  save(c->q + i * 4, load(c->q + i * 4) + factor * change);
  save(c->v + i * 4, load(c->v + i * 4) + v_q * change);
  save(c->a + i * 4, load(c->a + i * 4) + a_q * change);
  if (c->n_points > 0 && c->point[i].drum >= 0) {
    contact_point *o = &c->point[i];
    lanes f = load(row_f) * next;
    double by = row_f[4] + (f[0] + f[1] + (f[2] + f[3]));
    EACH_MET(k, met, nb) by += row_f[9 + 5 * k] * m->rhs[k];
    o->f[0] += factor[0] * by;
    o->moved = o->t[0] * change[0] + o->t[1] * change[1];
    if (bordered) o->moved -= cps_surface_move(m, &m->drum[o->drum], o->t);
  }
  return change;
}

INLINE double substitute_all(const machine *m, cable *c, const step_coeffs *coeffs, double factor,
                             const int bordered) {
  int middle = c->n / 2;
  lanes by = all(factor), v_q = all(factor * coeffs->v_a / coeffs->q_a), a_q = all(factor / coeffs->q_a),
        sum = all(0);
  lanes x[2] = {step_back(m, c, middle, all(0), by, v_q, a_q, bordered)}, most = magnitude(x[0]);
  x[1] = x[0];
  for (int step = 1; step <= c->n - middle; step++) {
    if (step <= middle) x[0] = step_back(m, c, middle - step, x[0], by, v_q, a_q, bordered);
    x[1] = step_back(m, c, middle + step, x[1], by, v_q, a_q, bordered);
    most = larger(most, larger(magnitude(x[0]), magnitude(x[1])));
    sum += x[0] + x[1];
  }
  double moved = most[0] > most[1] ? most[0] : most[1];
  return isfinite(sum[0] + sum[1] + (sum[2] + sum[3])) ? moved : NAN;
}

/* Substitutes from the middle outwards, and applies `factor` of it. The largest change of place; NaN if anything is
 * not finite. */
double PLANE(substitute)(const machine *m, cable *c, const step_coeffs *coeffs, double factor) {
  return m->near > 0 ? substitute_all(m, c, coeffs, factor, 1) : substitute_all(m, c, coeffs, factor, 0);
}
