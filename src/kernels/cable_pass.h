/* cable_pass.h - the pass of cable_elimination.c for one dimension: included with DIM, SLOTS (friction forces per node) and
 * NAME(x). It goes from node to node, or from interface to interface of the segments that a kernel has eliminated. */

/* Unknowns of a node: q, f and, with ALL_STICK, beside them by how much accelerations and friction forces would differ
 * if all contacts stuck (Westin's reading): gap and pull, with
 *
 *   M gap = A' pull,   A gap = r_s,
 *
 * so that pull = (A M^-1 A')^-1 r_s, and f - pull are the multipliers of the problem in which all contacts stick. */
/* Unknowns of a node that its neighbours' equations contain: not its friction, but for its multipliers. */
#define SEEN (ALL_STICK ? B : 2 * DIM)
#define HALF (2 * DIM + SLOTS)
#define B    (HALF * (1 + ALL_STICK))

#include "cable_elements.h"

/* The rows of a node while they are being made: own, of the next, coupling to the next and of the next to this. */
typedef struct NAME(rows) {
  double d[B][B], u[B][B], l[B][B], next_d[B][B], next_l[B][B];
  double r[B], next_r[B];
  double less[B], next_less[B]; /* what segments have taken from the right-hand side */
  double elastic[DIM][DIM], next_elastic[DIM][DIM];
} NAME(rows);

INLINE int NAME(tensor)(int d, int e) { /* where the symmetric tensor has (d, e), d <= e */
  return DIM == 2 ? d + e : d == 0 ? e : d + e + 1;
}

/* Puts lane j of four elements into the rows of its nodes. */
INLINE void NAME(put)(const NAME(quad) * o, int j, NAME(rows) * w) {
  for (int d = 0; d < DIM; d++) {
    w->r[d] += o->f[0][d][j];
    w->r[DIM + d] += o->f[1][d][j];
    w->next_r[d] = o->f[2][d][j];
    w->next_r[DIM + d] = o->f[3][d][j];
    for (int e = 0; e < DIM; e++) {
      int n = d <= e ? NAME(tensor)(d, e) : NAME(tensor)(e, d);
      w->elastic[d][e] += o->k[0][n][j];
      w->next_elastic[d][e] = o->k[7][n][j];
      w->d[d][e] += o->k[0][n][j];
      w->d[d][DIM + e] += o->k[1][n][j];
      w->d[DIM + d][e] += o->k[1][n][j];
      w->d[DIM + d][DIM + e] += o->k[4][n][j];
      w->u[d][e] = w->next_l[e][d] = o->k[2][n][j];
      w->u[d][DIM + e] = w->next_l[DIM + e][d] = o->k[3][n][j];
      w->u[DIM + d][e] = w->next_l[e][DIM + d] = o->k[5][n][j];
      w->u[DIM + d][DIM + e] = w->next_l[DIM + e][DIM + d] = o->k[6][n][j];
      w->next_d[d][e] = o->k[7][n][j];
      w->next_d[d][DIM + e] = w->next_d[DIM + d][e] = o->k[8][n][j];
      w->next_d[DIM + d][DIM + e] = o->k[9][n][j];
    }
  }
  /* w->next_d[r][s] was written twice for slopes: both are the same */
}

/* The same for the skew parts of its blocks: rows d, columns e of a pair have +-x there. */
static void NAME(put_skew)(const NAME(quad) * o, int j, NAME(rows) * w) {
  for (int d = 0, n = 0; d < DIM; d++) {
    for (int e = d + 1; e < DIM; e++, n++) {
      for (int side = 0; side < 2; side++) {
        int row = side ? e : d, column = side ? d : e;
        double sign = side ? -1 : 1;
        w->d[row][column] += sign * o->up[0][n][j];
        w->d[row][DIM + column] += sign * o->up[1][n][j];
        w->d[DIM + row][column] += sign * o->low[1][n][j];
        w->d[DIM + row][DIM + column] += sign * o->up[4][n][j];
        w->u[row][column] += sign * o->up[2][n][j];
        w->u[row][DIM + column] += sign * o->up[3][n][j];
        w->u[DIM + row][column] += sign * o->up[5][n][j];
        w->u[DIM + row][DIM + column] += sign * o->up[6][n][j];
        w->next_l[row][column] += sign * o->low[2][n][j];
        w->next_l[DIM + row][column] += sign * o->low[3][n][j];
        w->next_l[row][DIM + column] += sign * o->low[5][n][j];
        w->next_l[DIM + row][DIM + column] += sign * o->low[6][n][j];
        w->next_d[row][column] += sign * o->up[7][n][j];
        w->next_d[row][DIM + column] += sign * o->up[8][n][j];
        w->next_d[DIM + row][column] += sign * o->low[8][n][j];
        w->next_d[DIM + row][DIM + column] += sign * o->up[9][n][j];
      }
    }
  }
}

#if !ALL_STICK
/* Puts a segment into the rows of its interfaces. */
static void NAME(put_segment)(const segment_ends *o, int wide, NAME(rows) * w) {
  for (int i = 0; i < wide; i++) {
    for (int j = 0; j < wide; j++) w->d[i][j] += o->own[i][j];
    for (int j = 0; j < 2 * DIM; j++) {
      w->u[i][j] = o->u[i][j];
      w->next_l[j][i] = o->l[j][i];
    }
    w->less[i] += o->less[i];
  }
  for (int i = 0; i < 2 * DIM; i++) {
    for (int j = 0; j < 2 * DIM; j++) w->next_d[i][j] = o->next[i][j];
    w->r[i] += o->r[i];
    w->next_r[i] = o->next_r[i];
    w->next_less[i] = o->next_less[i];
  }
  for (int d = 0; d < DIM; d++) {
    for (int e = 0; e < DIM; e++) {
      w->elastic[d][e] += o->elastic[d][e];
      w->next_elastic[d][e] = o->next_elastic[d][e];
    }
  }
}
#endif

/* Adds what a touched drum does to the border; the point belongs to the end k of a link. */
static void NAME(touch_border)(machine *m, cable *c, const contact_point *p, const contact_response *t,
                               int slot, int link) {
  int nb = m->near, wide = 1 + nb;
  double *right = c->right + (size_t)link * (size_t)(B * wide);
  double *across = c->across + (size_t)link * (size_t)(B * nb);
  border_touch o;
  cps_contact_border(m, p, t, &o);
  for (int k = 0; k < o.n; k++) {
    int at = o.at[k];
    for (int i = 0; i < DIM - 1; i++) {
      right[(slot + i) * wide + 1 + at] += o.column_f[k][i];
      across[at * B + slot + i] += o.row_f[k][i];
    }
    for (int i = 0; i < 4; i++) {
      if (p->shape[i] == 0) continue;
      for (int d = 0; d < DIM; d++) {
        int q = i % 2 * DIM + d;
        right[i / 2 * (B * wide) + q * wide + 1 + at] += p->shape[i] * o.column[k][d];
        across[i / 2 * (B * nb) + at * B + q] += p->shape[i] * o.row[k][d];
      }
    }
  }
}

#if ALL_STICK
/* M gap of element i. */
static void NAME(add_gap)(const cable *c, int i, NAME(rows) * w) {
  double mass[4][4];
  const double *gap = c->gap + (size_t)i * 2 * DIM;
  cps_element_mass(&c->section, c->length[i], mass);
  for (int r = 0; r < 4; r++) {
    double *rest = r < 2 ? w->r : w->next_r;
    for (int s = 0; s < 4; s++) {
      double(*into)[B] = r < 2 ? s < 2 ? w->d : w->u : s < 2 ? w->next_l : w->next_d;
      for (int d = 0; d < DIM; d++) {
        into[HALF + r % 2 * DIM + d][HALF + s % 2 * DIM + d] += mass[r][s];
        rest[HALF + r % 2 * DIM + d] += mass[r][s] * gap[s * DIM + d];
      }
    }
  }
}

/* What a contact point adds to the problem in which all contacts stick: -A' pull, and A gap - r_s times a mass. At a node
 * that is fixed nothing could stick by accelerating: its pull is what it would be for that mass alone. */
static void NAME(add_pull)(const cable *c, const contact_point *p, const contact_response *t, double a_q,
                           int slot, NAME(rows) * w, residual_norms *left) {
  enum { H = 2 * DIM };
  const double *gap = c->gap + (size_t)p->node * H, *pull = c->pull + (p - c->point) * AXES;
  int fixed = p->shape[0] == 1 && c->fixed[p->node];
  double at[DIM], out = 0;
  for (int d = 0; d < DIM; d++) {
    at[d] = 0;
    for (int i = 0; i < 4; i++)
      if (p->shape[i] != 0) at[d] += p->shape[i] * gap[i * DIM + d];
    out += t->away[d] * at[d];
  }
  for (int k = 0; k < DIM - 1; k++) {
    int row = HALF + slot + k;
    double along = 0;
    for (int j = 0; j < DIM - 1; j++) w->d[slot + k][HALF + slot + j] = (k == j) - t->rest_f[k][j];
    for (int d = 0; d < DIM; d++) along += t->dir[k][d] * at[d];
    w->r[row] = fixed ? pull[k] - p->mass * t->slide_a[k] : p->mass * (along - t->slide_a[k]);
    if (fixed) w->d[row][row] = 1;
    left->friction = fmax(left->friction, fabs(w->r[row]));
    for (int i = 0; i < 4; i++) {
      double s = p->shape[i];
      if (s == 0) continue;
      double(*of)[B] = i < 2 ? w->d : w->u, (*column)[B] = i < 2 ? w->d : w->next_l;
      double *rest = i < 2 ? w->r : w->next_r, by = k == 0 ? t->slide_t + out : a_q;
      for (int d = 0; d < DIM; d++) {
        int q = i % 2 * DIM + d;
        of[row][q] -= p->mass * s * (fixed ? by - (k == 0 ? out : 0) : by) * t->dir[k][d];
        if (!fixed) of[row][HALF + q] += p->mass * s * t->dir[k][d];
        column[HALF + q][row] -= s * t->dir[k][d];
        rest[HALF + q] -= s * t->dir[k][d] * pull[k];
      }
    }
  }
  for (int i = 0; i < 4; i++) { /* t turns with the point */
    for (int j = 0; j < 4; j++) {
      double both = p->shape[i] * p->shape[j] * pull[0];
      if (both == 0) continue;
      double(*into)[B] = i < 2 ? j < 2 ? w->d : w->u : j < 2 ? w->next_l : w->next_d;
      for (int d = 0; d < DIM; d++)
        for (int e = 0; e < DIM; e++)
          into[HALF + i % 2 * DIM + d][j % 2 * DIM + e] += both * t->away[d] * t->dir[0][e];
    }
  }
}
#endif

/* A contact point into the rows of its nodes; its friction forces are the unknowns from `slot` on. */
static void NAME(add_contact)(machine *m, cable *c, contact_point *p, const step_coeffs *coeffs, int slot,
                              int link, NAME(rows) * w, residual_norms *left) {
  enum { H = 2 * DIM };
  contact_response t;
  double r[DIM], v[DIM], a[DIM];
  const double *q = c->q + p->node * H, *q_t = c->v + p->node * H, *q_tt = c->a + p->node * H;
  int nodal = c->per_node == 1 && p->shape[0] == 1;
  for (int d = 0; d < DIM; d++) {
    r[d] = p->shape[0] * q[d];
    v[d] = p->shape[0] * q_t[d];
    a[d] = p->shape[0] * q_tt[d];
    for (int i = 1; i < 4 && !nodal; i++) {
      r[d] += p->shape[i] * q[i * DIM + d];
      v[d] += p->shape[i] * q_t[i * DIM + d];
      a[d] += p->shape[i] * q_tt[i * DIM + d];
    }
  }
  if (!cps_contact_eval(m, c, p, r, v, a, &w->elastic[0][0], DIM, coeffs, &t)) {
    for (int i = 0; i < DIM - 1; i++) {
      w->d[slot + i][slot + i] = 1;
      w->r[slot + i] = p->f[i];
#if ALL_STICK
      w->d[HALF + slot + i][HALF + slot + i] = 1;
      w->r[HALF + slot + i] = c->pull[(p - c->point) * AXES + i];
#endif
    }
    return;
  }
  double worst = p->wrong;
  for (int i = 0; i < DIM - 1; i++) {
    w->r[slot + i] = t.rest[i];
    worst = fmax(worst, fabs(t.rest[i]));
    for (int j = 0; j < DIM - 1; j++) w->d[slot + i][slot + j] = t.rest_f[i][j];
  }
  left->friction = fmax(left->friction, worst);
  left->holds += p->limit;
  left->touching += 1;
  drum *g = &m->drum[p->drum];
  g->torque -= g->radius * p->f[0];
  for (int d = 0; d < DIM; d++) g->push[d] -= t.force[d];
  for (int i = 0; i < (nodal ? 1 : 4); i++) {
    double s = p->shape[i];
    double(*row)[B] = i < 2 ? w->d : w->next_d;
    double *rest = i < 2 ? w->r : w->next_r;
    int at = i % 2 * DIM;
    for (int d = 0; d < DIM; d++) {
      rest[at + d] -= s * t.force[d];
      for (int k = 0; k < DIM - 1; k++) {
        double(*column)[B] = i < 2 ? w->d : w->next_l;
        double(*of)[B] = i < 2 ? w->d : w->u;
        column[at + d][slot + k] -= s * t.dir[k][d];
        of[slot + k][at + d] += s * t.rest_r[k][d];
      }
      for (int j = 0; j < (nodal ? 1 : 4); j++) {
        double both = s * p->shape[j];
        double(*into)[B] = i / 2 == j / 2 ? row : i < 2 ? w->u : w->next_l;
        for (int e = 0; e < DIM; e++) into[at + d][j % 2 * DIM + e] += both * t.k[d][e];
      }
    }
  }
#if ALL_STICK
  NAME(add_pull)(c, p, &t, 1 / coeffs->q_a, slot, w, left);
#endif
  if (m->near > 0) NAME(touch_border)(m, c, p, &t, slot, link);
}

/* How the coordinates of an end depend on the border: unknowns at[k], dq_j = by[j][k] dx_k for the first `n`. The equations of
 * `rows` >= `unknowns` of them contain the end's: forces that press a body onto its line do not move it. */
typedef struct NAME(bond) {
  int n, unknowns, rows, at[2 * DIM];
  double by[2 * DIM][2 * DIM];
  double bend[DIM]; /* second derivative by the first unknown: a rim turns */
} NAME(bond);

static void NAME(bond_of)(const machine *m, const cable *c, int side, NAME(bond) * o) {
  const tie *e = &c->end[side];
  memset(o, 0, sizeof *o);
  if (c->seam >= 0) {
    o->n = o->unknowns = o->rows = 2 * DIM;
    for (int j = 0; j < 2 * DIM; j++) {
      o->at[j] = c->seam + j;
      o->by[j][j] = 1;
    }
    return;
  }
  int carrier = e->body;
  if (cps_end_is(e->kind, END_ON_DRUM)) {
    const drum *g = &m->drum[e->drum];
    carrier = g->carrier;
    if (g->angle_at >= 0) {
      o->n = DIM;
      o->at[o->unknowns] = g->angle_at;
      const double *r = side == 0 ? c->q : c->q + (size_t)c->n * 2 * DIM;
      double arm[3] = {0};
      for (int d = 0; d < DIM; d++) arm[d] = r[d] - g->center[d];
      if (DIM == 2) {
        o->by[0][0] = -arm[1] * g->axis[2];
        o->by[1][0] = arm[0] * g->axis[2];
      } else {
        for (int d = 0; d < DIM; d++)
          o->by[d][0] = g->axis[(d + 1) % 3] * arm[(d + 2) % 3] - g->axis[(d + 2) % 3] * arm[(d + 1) % 3];
      }
      double height = DIM == 3 ? arm[0] * g->axis[0] + arm[1] * g->axis[1] + arm[2] * g->axis[2] : 0;
      for (int d = 0; d < DIM; d++) o->bend[d] = -(arm[d] - height * g->axis[d]);
      o->unknowns++;
    }
  }
  o->rows = o->unknowns;
  if (carrier < 0) return;
  const machine_body *y = &m->body[carrier];
  o->n = DIM;
  for (int k = 0; k < y->rows; k++) {
    o->at[o->rows] = y->row[k];
    for (int d = 0; d < DIM; d++) o->by[d][o->rows] = y->along[k][d];
    o->rows++;
    if (k < y->n) o->unknowns++;
  }
}

/* The next node is bound: its columns here, and its rows' part that concerns this node, go to the border. */
static void NAME(bind_next)(machine *m, cable *c, int i, const NAME(bond) * o, NAME(rows) * w) {
  int nb = m->near, wide = 1 + nb;
  double *right = c->right + (size_t)i * (size_t)(B * wide),
         *across = c->across + (size_t)i * (size_t)(B * nb);
  for (int j = 0; j < o->n; j++) {
    for (int r = 0; r < B; r++) {
      for (int k = 0; k < o->rows; k++) {
        if (k < o->unknowns) right[r * wide + 1 + o->at[k]] += w->u[r][j] * o->by[j][k];
        across[o->at[k] * B + r] += o->by[j][k] * w->next_l[j][r];
      }
      w->u[r][j] = w->next_l[j][r] = 0;
    }
  }
}

/* This node is bound: its equations go to the border, its coordinates follow it. */
static void NAME(bind)(machine *m, cable *c, int i, const NAME(bond) * o, NAME(rows) * w) {
  int nb = m->near, wide = 1 + nb;
  double *right = c->right + (size_t)i * (size_t)(B * wide),
         *across = c->across + (size_t)i * (size_t)(B * nb);
  for (int j = 0; j < o->n; j++) {
    for (int k = 0; k < o->rows; k++) {
      double by = o->by[j][k];
      int at = o->at[k], moves = k < o->unknowns;
      if (by == 0) continue;
      m->rhs[at] += by * (w->r[j] + w->less[j]);
      for (int s = 0; s < B; s++) {
        if (s < o->n) { /* with another bound coordinate */
          for (int n = 0; n < o->unknowns; n++) m->s[at * nb + o->at[n]] += by * w->d[j][s] * o->by[s][n];
        } else {
          across[at * B + s] += by * w->d[j][s];
          if (moves) right[s * wide + 1 + at] += w->d[s][j] * by;
        }
        if (i == c->links) continue;
        (across + B * nb)[at * B + s] += by * w->u[j][s];
        if (moves) (right + B * wide)[s * wide + 1 + at] += w->next_l[s][j] * by;
      }
      for (int n = 0; n < nb; n++) { /* what the neighbour, or a contact, has put there */
        m->s[at * nb + n] += by * right[j * wide + 1 + n];
        if (moves) m->s[n * nb + at] += across[n * B + j] * by;
      }
    }
  }
  for (int d = 0; d < DIM; d++) m->s[o->at[0] * nb + o->at[0]] += w->r[d] * o->bend[d];
  for (int j = 0; j < o->n; j++) {
    for (int s = 0; s < B; s++) w->d[j][s] = w->d[s][j] = w->u[j][s] = w->next_l[s][j] = w->l[j][s] = 0;
    for (int n = 0; n < nb; n++) right[j * wide + 1 + n] = across[n * B + j] = 0;
    for (int k = 0; k < o->unknowns && c->by; k++) /* inner nodes of a segment need to know where it goes */
      right[j * wide + 1 + o->at[k]] -= o->by[j][k];
    w->d[j][j] = 1;
    w->r[j] = w->less[j] = 0;
  }
}

/* A contact that sticks at a node whose place is not its own leaves its friction force open inside the block; this
 * much of a preference for the present one decides, and Newton's method makes up for it. In space two points per element that stick
 * bind both coordinates of a node along the axis to those of the next: eliminated exactly from one end to the other, as a recurrence
 * whose solutions grow by 10 and more from element to element, that leaves nothing but round-off behind a dozen of them. With
 * the preference they are springs, far stiffer than the cable, whose elimination is stable. */
static void NAME(prefer)(NAME(rows) * w) {
  for (int j = 2 * DIM; j < HALF; j++)
    for (int k = j; k < B; k += HALF) w->d[k][k] += 1e-6;
}

/* Coordinates of node i that do not follow the equations: no change, whatever the border does. */
static void NAME(fix)(const machine *m, cable *c, int i, unsigned bits, NAME(rows) * w) {
  int nb = m->near, wide = 1 + nb;
  double *right = c->right + (size_t)i * (size_t)(B * wide),
         *across = c->across + (size_t)i * (size_t)(B * nb);
  for (int k = 0; k < (1 + ALL_STICK) * HALF; k++) {
    int j = k % HALF;
    if (j >= 2 * DIM || !(bits >> j & 1)) continue;
    for (int s = 0; s < B; s++) w->d[k][s] = w->d[s][k] = w->u[k][s] = w->next_l[s][k] = w->l[k][s] = 0;
    for (int n = 0; n < nb; n++) right[k * wide + 1 + n] = across[n * B + k] = 0;
    w->d[k][k] = 1;
    w->r[k] = w->less[k] = 0;
  }
}

/* X = D^-1 U, Y = D^-1 R; 0 if singular. U has columns for what is seen of the next node. */
static int NAME(solve)(double d[B][B], double u[B][B], double *r, int wide) {
  int pivot[B];
  if (dense_factor(d[0], B, B, pivot, NULL) == 0) return 0;
  dense_solve(d[0], B, B, pivot, u[0], SEEN, B);
  dense_solve(d[0], B, B, pivot, r, wide, wide);
  return 1;
}

/* Eliminates node i from its complete rows. */
static int NAME(eliminate_node)(machine *m, cable *c, int i, NAME(rows) * w) {
  int nb = m->near, wide = 1 + nb;
  double *y = c->right + (size_t)i * (size_t)(B * wide), *before = y - B * wide;
  double *x = c->up + (size_t)i * (size_t)(B * B), *x_before = x - B * B;
  for (int r = 0; r < B; r++) y[r * wide] = w->r[r] + w->less[r];
  if (i > 0) {
    for (int r = 0; r < SEEN; r++) {
      for (int k = 0; k < B; k++) {
        double l = w->l[r][k];
        if (l == 0) continue; /* friction of what touches nothing */
        for (int s = 0; s < SEEN; s++) w->d[r][s] -= l * x_before[k * B + s];
        for (int s = 0; s < wide; s++) y[r * wide + s] -= l * before[k * wide + s];
      }
    }
  }
  if (!NAME(solve)(w->d, w->u, y, wide)) return 0;
  memcpy(x, w->u, sizeof w->u);
  if (nb == 0) return 1;
  double *across = c->across + (size_t)i * (size_t)(B * nb);
  for (int k = 0; k < nb; k++) {
    for (int r = 0; r < B; r++) {
      double by = across[k * B + r];
      if (by == 0) continue;
      m->rhs[k] -= by * y[r * wide];
      for (int n = 0; n < nb; n++) m->s[k * nb + n] -= by * y[r * wide + 1 + n];
      if (i == c->links) continue;
      for (int s = 0; s < B; s++) (across + B * nb)[k * B + s] -= by * x[r * B + s];
    }
  }
  return 1;
}

static int NAME(eliminate)(machine *m, cable *c, const step_coeffs *coeffs, residual_norms *left) {
  enum { H = 2 * DIM };
  recipe y;
  NAME(quad) four;
  NAME(rows) w;
  NAME(bond) bond[2];
  int links = c->links, whole = c->by == NULL; /* node by node */
#if !ALL_STICK
  segment_ends ends[SEGMENTS_MAX];
  int nodal = c->of->contact.quadrature == 0;
#else
  int nodal = 1;
#endif
  memset(&w, 0, sizeof w);
  prepare(&y, &c->section, coeffs);
  prepare_extra(&y, &c->section);
  if (m->near > 0) {
    memset(c->right, 0, (size_t)(links + 1) * (size_t)(B * (1 + m->near)) * sizeof(double));
    memset(c->across, 0, (size_t)(links + 1) * (size_t)(B * m->near) * sizeof(double));
  }
#if !ALL_STICK
  if (c->by && !c->by->eliminate(m, c, coeffs, ends, left)) return 0;
#endif
  for (int k = 0; k < 2; k++) NAME(bond_of)(m, c, k, &bond[k]);
  for (int n = 0; n <= links; n++) {
    int i = whole ? n : c->cut[n], last = n == links;
    memset(w.next_d, 0, sizeof w.next_d);
    memset(w.next_l, 0, sizeof w.next_l);
    memset(w.next_r, 0, sizeof w.next_r);
    memset(w.next_less, 0, sizeof w.next_less);
    memset(w.next_elastic, 0, sizeof w.next_elastic);
    memset(w.u, 0, sizeof w.u);
    for (int k = H; k < HALF; k++) w.d[k][k] = c->n_points == 0;
    if (!last && whole) {
      if (i % LANES == 0) NAME(elements)(c, &y, i, 1, &four);
      NAME(put)(&four, i % LANES, &w);
      left->tension = fmax(left->tension, four.tension[i % LANES]);
      if (y.extra) NAME(put_skew)(&four, i % LANES, &w);
    }
#if ALL_STICK
    if (!last) NAME(add_gap)(c, i, &w);
#else
    if (!last && !whole) NAME(put_segment)(&ends[n], nodal ? H : B, &w);
#endif
    double mass = c->mass[i];
    if (mass > 0) {
      for (int d = 0; d < DIM; d++) {
        w.r[d] += mass * (c->a[i * H + d] - c->gravity[d]);
        w.d[d][d] += mass * y.a_q;
        w.elastic[d][d] += mass * y.a_q;
#if ALL_STICK
        w.r[HALF + d] += mass * c->gap[i * H + d];
        w.d[HALF + d][HALF + d] += mass;
#endif
      }
    }
    if (n == 0 || last)
      for (int d = 0; d < DIM; d++) w.r[d] -= c->load[n != 0][d];
    for (int k = 0; k < c->per_node; k++) {
      int at = i * c->per_node + k, slot = H + k * (DIM - 1);
      if (at >= c->n_points) { /* the last node has none of its own */
        for (int d = slot; d < slot + DIM - 1; d++)
          for (int j = d; j < B; j += HALF) w.d[j][j] = 1;
      } else if (whole || nodal) { /* others are in their segments */
        NAME(add_contact)(m, c, &c->point[at], coeffs, slot, n, &w, left);
      }
    }
    if (n == 0 || last) memcpy(c->reaction[n != 0], w.r, H * sizeof(double));
    if (n + 1 == links && bond[1].n) NAME(bind_next)(m, c, n, &bond[1], &w);
    int bound = (n == 0 && bond[0].n) || (last && bond[1].n);
    if (bound || c->fixed[i] || (DIM == 3 && c->per_node > 1 && whole)) NAME(prefer)(&w);
    if (bound) NAME(bind)(m, c, n, &bond[n != 0], &w);
    if (c->fixed[i]) NAME(fix)(m, c, n, c->fixed[i], &w);
    int fixed = last ? 0 : c->fixed[whole ? i + 1 : c->cut[n + 1]];
    for (int j = 0; j < B && fixed; j++)
      for (int s = 0; s < B && j % HALF < H && fixed >> j % HALF & 1; s++) w.u[s][j] = w.next_l[j][s] = 0;
    for (int r = 0; r < H; r++) left->force = fmax(left->force, fabs(w.r[r]));
#if ALL_STICK
    for (int r = HALF; r < HALF + H; r++) left->friction = fmax(left->friction, fabs(w.r[r]));
#endif
    if (!NAME(eliminate_node)(m, c, n, &w)) return 0;
    memcpy(w.d, w.next_d, sizeof w.d);
    memcpy(w.l, w.next_l, sizeof w.l);
    memcpy(w.r, w.next_r, sizeof w.r);
    memcpy(w.less, w.next_less, sizeof w.less);
    memcpy(w.elastic, w.next_elastic, sizeof w.elastic);
  }
  return 1;
}

#undef B
#undef HALF
#undef DIM
#undef SEEN
#undef SLOTS
#undef NAME
