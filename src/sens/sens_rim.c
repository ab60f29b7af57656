/* sens_rim.c - ends on the rim of a drum that turns freely or is carried, linearised.
 *
 * With `out` from the centre to the end, without its part along the axis, and `along` = axis x out, as rim() of machine.c has it,
 *
 *   r = center + out + height,  v = center_t + w along,  a = center_tt + w_t along - w^2 out,
 *   d(out) = out dR/R + along d(angle),  d(along) = along dR/R - out d(angle).
 *
 * So v and a depend on the angle itself, not only on its rates: in a solve, whose w1 and w2 do not know its unknowns, that is
 * a column of the border more. And what is left of the end's equations, which turns the drum with along.(what is left), does so
 * with another arm when the drum has turned.
 */
#include "sens_chain.h"

typedef struct arm {
  const drum *g;
  double out[3], along[3];
} arm;

static void look(const model *o, int cable_of, int e, arm *x) {
  const cable *c = &o->m.cable[cable_of];
  x->g = &o->m.drum[c->end[e].drum];
  cps_rim_arm(&o->m, c, e, x->out, x->along);
}

int cps_rim_bond(const model *o, int cable_of, int e, chain_bond *out) {
  const cable *c = &o->m.cable[cable_of];
  arm x;
  look(o, cable_of, e, &x);
  if (x.g->angle_at < 0 && x.g->carrier < 0) return 0;
  double rate = x.g->rate;
  out->n = c->dim;
  out->rim = o->at.d + o->at.cable[cable_of].end + e * DY_END;
  out->turn = x.g->angle_at;
  if (x.g->angle_at >= 0) {
    out->at[out->unknowns] = x.g->angle_at;
    for (int d = 0; d < c->dim; d++) {
      out->by[d][out->unknowns] = x.along[d];
      out->v_turn[d] = -rate * x.out[d];
      out->a_turn[d] = -x.g->acceleration * x.out[d] - rate * rate * x.along[d];
      out->a_rate[d] = -2 * rate * x.out[d];
    }
    out->unknowns++;
  }
  out->rows = out->unknowns;
  if (x.g->carrier >= 0) cps_bond_body(o, x.g->carrier, out);
  return 1;
}

/* ------------------------------------------------------------------ what does not follow the border */

/* out and along, times the two factors, by the radius and the angles that are not unknowns. */
static void by_arm(model *o, int row, const chain_bond *b, const arm *x, int d, double out, double along) {
  int drum_of = (int)(x->g - o->m.drum), e = b->node > 0;
  double grown = (out * x->out[d] + along * x->along[d]) / x->g->radius,
         turned = out * x->along[d] - along * x->out[d];
  cps_by_theta(o, &o->tied, row, o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, grown);
  cps_by_theta(o, &o->tied, row, o->at.cable[b->cable].tie + 2 * e, turned);
  if (x->g->angle_at < 0) cps_by_d(o, &o->tied, row, o->at.drum_d + drum_of * DY_DRUM + DY_ANGLE, turned);
}

void cps_rim_tie(model *o, const chain_bond *b) {
  int e = b->node > 0, drum_of = o->m.cable[b->cable].end[e].drum, d0 = o->at.drum_d + drum_of * DY_DRUM;
  arm x;
  look(o, b->cable, e, &x);
  double rate = x.g->rate, faster = x.g->acceleration;
  for (int d = 0; d < b->n; d++) {
    int row = b->rim + d;
    by_arm(o, row + DY_Q, b, &x, d, 1, 0);
    by_arm(o, row + DY_V, b, &x, d, 0, rate);
    by_arm(o, row + DY_A, b, &x, d, -rate * rate, faster);
    cps_by_theta(o, &o->tied, row + DY_Q, o->at.cable[b->cable].tie + 2 * e + 1,
                 o->m.dim == 3 ? x.g->axis[d] : 0);
    if (x.g->carrier >= 0) {
      cps_by_theta(o, &o->tied, row + DY_Q, o->at.drum_theta + drum_of * TH_DRUM + TH_OFFSET + d, 1);
    } else {
      cps_by_d(o, &o->tied, row + DY_Q, d0 + DY_CENTER + d, 1);
      cps_by_d(o, &o->tied, row + DY_V, d0 + DY_CENTER_V + d, 1);
      cps_by_d(o, &o->tied, row + DY_A, d0 + DY_CENTER_A + d, 1);
    }
    if (x.g->angle_at >= 0) continue;
    cps_by_d(o, &o->tied, row + DY_V, d0 + DY_RATE, x.along[d]);
    cps_by_d(o, &o->tied, row + DY_A, d0 + DY_RATE, -2 * rate * x.out[d]);
    cps_by_d(o, &o->tied, row + DY_A, d0 + DY_ACCELERATION, x.along[d]);
  }
}

/* ------------------------------------------------------------------ solves */

/* A number of the column of border unknown k, in a row of the right-hand side: rows that follow the border have given
 * their equations to it. */
static void add_to_column(model *o, int row, int k, double by) {
  int cable_of = 0, local = row - o->at.right;
  if (local >= o->at.border_rhs) {
    cps_border_add(o, local - o->at.border_rhs, k, by);
    return;
  }
  while (cable_of + 1 < o->m.n_cables && local >= o->at.cable[cable_of + 1].rhs) cable_of++;
  const cable *c = &o->m.cable[cable_of];
  local -= o->at.cable[cable_of].rhs;
  int wide = o->matrix[cable_of].b, node = local / wide, j = local % wide;
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    if (x->cable != cable_of || x->node != node || j >= x->n) continue;
    for (int n = 0; n < x->rows; n++) cps_border_add(o, x->at[n], k, x->by[j][n] * by);
    return;
  }
  if (j < c->b && (node == 0 || node == c->n) && c->fixed[node] >> j & 1) return;
  o->border.b[cable_of][local * o->at.met + k] += by;
}

/* Velocities and accelerations of the end by the angle, wherever w1 and w2 are. */
static void add_columns(model *o, const chain_bond *x, const step_coeffs *coeffs) {
  double v_q = coeffs->v_a / coeffs->q_a;
  int first = o->at.cable[x->cable].w + x->node * o->m.cable[x->cable].b, w1 = o->at.w1 + first,
      w2 = o->at.w2 + first;
  for (int i = 0; i < o->now.n; i++) {
    const entry *e = &o->now.e[i];
    if (e->column >= w1 && e->column < w1 + x->n)
      add_to_column(o, e->row, x->turn, e->by * x->v_turn[e->column - w1]);
    if (e->column >= w2 && e->column < w2 + x->n)
      add_to_column(o, e->row, x->turn,
                    e->by * (x->a_turn[e->column - w2] + v_q * x->a_rate[e->column - w2]));
  }
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    int d = p->column - first;
    if (d < 0 || d >= x->n) continue;
    double by = p->mass * (x->a_turn[d] + v_q * x->a_rate[d]);
    if (!(coeffs->bristle > 0)) by += p->damping * x->v_turn[d];
    add_to_column(o, p->row, x->turn, by);
  }
}

void cps_rim_own(model *o, const chain_bond *x, const step_coeffs *coeffs, int balance) {
  if (x->turn < 0) return;
  int e = x->node > 0, drum_of = o->m.cable[x->cable].end[e].drum;
  double left[6] = {0}, outwards = 0, around = 0;
  arm at;
  add_columns(o, x, coeffs);
  look(o, x->cable, e, &at);
  cps_end_reaction(&o->m.cable[x->cable], e, left);
  for (int d = 0; d < x->n; d++) {
    outwards += left[d] * at.out[d];
    around += left[d] * at.along[d];
  }
  const sink to = cps_sink_equations(o, coeffs, balance);
  cps_put_unknown(&to, x->turn, x->turn, -outwards, 1, 0, 0);
  cps_put_number(&to, x->turn, o->at.drum_theta + drum_of * TH_DRUM + TH_RADIUS, around / at.g->radius);
  cps_put_number(&to, x->turn, o->at.cable[x->cable].tie + 2 * e, -outwards);
}
