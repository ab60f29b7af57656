/* sens_reaction.c - reactions of ends of cables (cable_ends.c, which has their values), linearised.
 *
 * The reaction R of an end is known explicitly once the state is: it depends on places, velocities and accelerations of the two nodes
 * of the end's element, on the contact points of that element, and on plain numbers. In a solve, R is a row of the border where
 * it presses a bearing; afterwards it is a list of entries by the state.
 */
#include "sens_chain.h"

#include <stddef.h>

int cps_reaction_prescribed(const machine *m, const cable *c, int e) {
  if (!cps_end_is(c->end[e].kind, END_ON_DRUM) || c->fixed[e ? c->n : 0]) return 0;
  const drum *g = &m->drum[c->end[e].drum];
  return g->carrier < 0 || g->angle_at < 0;
}

/* by[0].R + by[1].R of the slope for section s: elements and inertia. */
static double along_of(const cable *c, const cable_section *s, int e, double length, double by[2][3]) {
  int i = e ? c->n - 1 : 0, row = e ? 2 : 0, dim = c->dim;
  const double *a = c->a + i * c->b;
  double f[12] = {0}, mass[4][4], sum = 0;
  cps_element_force(dim, s, length, c->q + i * c->b, c->v + i * c->b, f, 1, 0, NULL, NULL);
  cps_element_mass(s, length, mass);
  for (int j = 0; j < 2; j++)
    for (int d = 0; d < dim; d++) {
      double force = f[(row + j) * dim + d];
      for (int k = 0; k < 4; k++)
        force += mass[row + j][k] * (a[k * dim + d] - (k % 2 == 0 ? c->gravity[d] : 0));
      sum += by[j][d] * force;
    }
  return sum;
}

/* By coordinates of the end's element, loads and masses, and by what its section and its length make of it. */
static void put_element(const sink *x, int row, int cable_of, int e, double by[2][3]) {
  const model *o = x->o;
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  int i = e ? c->n - 1 : 0, node = e ? c->n : 0, first = e ? 2 : 0, dim = c->dim, size = 4 * dim;
  double f[12] = {0}, k[144] = {0}, damping[144] = {0}, mass[4][4], by_a[12] = {0}, here = 0;
  const double *q = c->q + i * c->b, *v = c->v + i * c->b;
  cps_element_force(dim, &c->section, c->length[i], q, v, f, 1, 0, k, NULL);
  cps_element_force(dim, &c->section, c->length[i], q, v, f, 0, 1, damping, NULL);
  cps_element_mass(&c->section, c->length[i], mass);
  for (int d = 0; d < dim; d++) {
    double weight = by[0][d] * c->mass[node];
    for (int n = 0; n < 4; n++) {
      double inert = by[0][d] * mass[first][n] + by[1][d] * mass[first + 1][n];
      by_a[n * dim + d] += inert;
      weight += n % 2 == 0 ? inert : 0;
    }
    by_a[first * dim + d] += by[0][d] * c->mass[node];
    here += by[0][d] * (c->a[node * c->b + d] - c->gravity[d]);
    cps_put_given(x, row, at->end + e * DY_END + DY_LOAD + d, -by[0][d]);
    cps_put_number(x, row, o->at.gravity + d, -weight);
  }
  cps_put_number(x, row, at->mass + node, here);
  for (int j = 0; j < size; j++) {
    double by_q = 0, by_v = 0;
    for (int n = 0; n < 2 * dim; n++) {
      by_q += by[n / dim][n % dim] * k[(first * dim + n) * size + j];
      by_v += by[n / dim][n % dim] * damping[(first * dim + n) * size + j];
    }
    cps_put_coordinate(x, row, cable_of, i * c->b + j, by_q, by_v, by_a[j]);
  }
  cable_section one = c->section;
  one.by_numbers = c->section.slack > 0;
  double *const parts[] = {[TH_EA] = &one.ea,
                           [TH_EI] = &one.ei,
                           [TH_RHO] = &one.rho,
                           [TH_RAYLEIGH] = &one.rayleigh,
                           [TH_AXIAL] = &one.axial_damping,
                           [TH_BENDING] = &one.bending_damping};
  enum { PARTS = sizeof parts / sizeof parts[0] };
  for (int n = 0; n < PARTS; n++) { /* R is linear in each of them, or as by_numbers has it */
    if (!o->theta_varies[at->theta + n]) continue;
    for (int other = 0; other < PARTS; other++) *parts[other] = other == n;
    cps_put_number(x, row, at->theta + n, along_of(c, &one, e, c->length[i], by));
  }
  if (!o->theta_varies[at->length + i]) return;
  double sum = 0, step = 2e-3 * c->length[i];
  for (int j = 0; j < SENS_SHADOWS; j++)
    sum += cps_sens_share[j] / step *
           along_of(c, &c->section, e, c->length[i] + step * cps_sens_place[j], by);
  cps_put_number(x, row, at->length + i, sum);
}

void cps_put_reaction(const sink *x, int row, int cable_of, int e, const double *place, const double *slope) {
  model *o = x->o;
  const cable *c = &o->m.cable[cable_of];
  int node = e ? c->n : 0, dim = c->dim;
  double by[2][3] = {{0}};
  memcpy(by[0], place, (size_t)dim * sizeof *place);
  if (slope) memcpy(by[1], slope, (size_t)dim * sizeof *slope);
  put_element(x, row, cable_of, e, by);
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
