/* sens_reaction.c - reactions of ends of cables (cable_ends.c, which has their values), linearised.
 *
 * The reaction R of an end is known explicitly once the state is: it depends on places, velocities and accelerations of the two nodes
 * of the end's element, on the contact points of that element, and on plain numbers. In a solve, R is a row of the border where
 * it presses a bearing; afterwards it is a list of entries by the state.
 */
#include "sens_chain.h"

int cps_reaction_prescribed(const machine *m, const cable *c, int e) {
  if (!cps_end_is(c->end[e].kind, END_ON_DRUM) || c->fixed[e ? c->n : 0]) return 0;
  const drum *g = &m->drum[c->end[e].drum];
  return g->carrier < 0 || g->angle_at < 0;
}

/* By coordinates, section and length of the end's element, loads and masses. */
static void put_end(const sink *x, int row, int cable_of, int e, double by[2][3]) {
  const model *o = x->o;
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  int i = e ? c->n - 1 : 0, node = e ? c->n : 0, first = e ? 2 : 0, dim = c->dim;
  double mass[4][4], w[12] = {0}, a[12], inert[3] = {0}, here = 0;
  cps_element_mass(&c->section, c->length[i], mass);
  for (int k = 0; k < 4 * dim; k++) {
    int d = k % dim, falls = k / dim % 2 == 0;
    w[k] = k / dim == first ? by[0][d] : k / dim == first + 1 ? by[1][d] : 0;
    a[k] = c->a[i * c->b + k] - (falls ? c->gravity[d] : 0);
    if (falls) inert[d] += by[0][d] * mass[first][k / dim] + by[1][d] * mass[first + 1][k / dim];
  }
  for (int d = 0; d < dim; d++) {
    here += by[0][d] * (c->a[node * c->b + d] - c->gravity[d]);
    cps_put_given(x, row, at->end + e * DY_END + DY_LOAD + d, -by[0][d]);
    cps_put_number(x, row, o->at.gravity + d, -by[0][d] * c->mass[node] - inert[d]);
    cps_put_coordinate(x, row, cable_of, node * c->b + d, 0, 0, by[0][d] * c->mass[node]);
  }
  cps_put_number(x, row, at->mass + node, here);
  const element_row y = {cable_of, i, 0, c->q + i * c->b, c->v + i * c->b, a, w};
  cps_put_element(x, row, &y, OF_ALL, 1);
}

void cps_put_reaction(const sink *x, int row, int cable_of, int e, const double *place, const double *slope) {
  model *o = x->o;
  const cable *c = &o->m.cable[cable_of];
  int node = e ? c->n : 0, dim = c->dim;
  double by[2][3] = {{0}};
  memcpy(by[0], place, (size_t)dim * sizeof *place);
  if (slope) memcpy(by[1], slope, (size_t)dim * sizeof *slope);
  put_end(x, row, cable_of, e, by);
  for (int k = 0; k < c->n_points; k++) { /* R has minus the force on the cable */
    const contact_point *p = &c->point[k];
    if (node < p->node || node > p->node + 1) continue;
    int shape = 2 * (node - p->node);
    contact_tangent s;
    const point_row at = {*x, cable_of, k, &s};
    cps_contact_tangent_place(&o->m, c, p, &s);
    for (int d = 0; d < dim && s.drum >= 0; d++) {
      double pushed = s.load * s.n[d] + s.f[0] * s.t[d] + (dim == 3 ? s.f[1] * o->m.drum[s.drum].axis[d] : 0);
      double shared = by[0][d] * p->shape[shape] + by[1][d] * p->shape[shape + 1];
      tangent_row force = {.r = {0}};
      cps_contact_tangent_force(&o->m, c, p, &s, d, shared, &force);
      if (shared != 0) cps_put_point(&at, row, &force, 1);
      for (int j = 0; j < 2 && p->shape[0] != 1; j++)
        cps_put_number(x, row, o->at.cable[cable_of].p_shape + 4 * k + shape + j, -by[j][d] * pushed);
    }
  }
}

void cps_put_push(const sink *x, int row, int drum_of, const double *by) {
  const machine *m = &x->o->m;
  const double minus[3] = {-by[0], -by[1], -by[2]};
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      contact_tangent s;
      const point_row at = {*x, i, k, &s};
      tangent_row force = {.r = {0}};
      cps_contact_tangent_place(m, c, &c->point[k], &s);
      for (int d = 0; d < m->dim && s.drum == drum_of; d++)
        cps_contact_tangent_force(m, c, &c->point[k], &s, d, by[d], &force);
      if (s.drum == drum_of) cps_put_point(&at, row, &force, 1);
    }
    for (int e = 0; e < 2; e++)
      if (c->end[e].drum == drum_of) cps_put_reaction(x, row, i, e, minus, NULL);
  }
}
