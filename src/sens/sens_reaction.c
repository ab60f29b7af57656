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

static void number(reaction_row *x, int theta, double by) {
  x->theta[x->n] = theta;
  x->by_theta[x->n++] = by;
}

void cps_reaction_row(const model *o, int cable_of, int e, const double *place, const double *slope,
                      reaction_row *x) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  int i = e ? c->n - 1 : 0, node = e ? c->n : 0, first = e ? 2 : 0, dim = c->dim, size = 4 * dim;
  double f[12] = {0}, k[144] = {0}, damping[144] = {0}, mass[4][4], by[2][3] = {{0}};
  memset(x, 0, sizeof *x);
  x->first = i * c->b;
  cps_element_force(dim, &c->section, c->length[i], c->q + x->first, c->v + x->first, f, 1, 0, k, NULL);
  cps_element_force(dim, &c->section, c->length[i], c->q + x->first, c->v + x->first, f, 0, 1, damping, NULL);
  cps_element_mass(&c->section, c->length[i], mass);
  double here = 0;
  for (int d = 0; d < dim; d++) {
    double weight = 0;
    by[0][d] = place[d];
    by[1][d] = slope ? slope[d] : 0;
    for (int row = first; row < first + 2; row++) {
      for (int j = 0; j < size; j++) {
        x->q[j] += by[row - first][d] * k[(row * dim + d) * size + j];
        x->v[j] += by[row - first][d] * damping[(row * dim + d) * size + j];
      }
      for (int n = 0; n < 4; n++) {
        x->a[n * dim + d] += by[row - first][d] * mass[row][n];
        weight += n % 2 == 0 ? by[row - first][d] * mass[row][n] : 0;
      }
    }
    x->a[first * dim + d] += place[d] * c->mass[node];
    x->load[d] = -place[d];
    here += place[d] * (c->a[node * c->b + d] - c->gravity[d]);
    number(x, o->at.gravity + d, -weight - place[d] * c->mass[node]);
  }
  number(x, at->mass + node, here);
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
    number(x, at->theta + n, along_of(c, &one, e, c->length[i], by));
  }
  if (!o->theta_varies[at->length + i]) return;
  double sum = 0, step = 2e-3 * c->length[i];
  for (int j = 0; j < SENS_SHADOWS; j++)
    sum += cps_sens_share[j] / step *
           along_of(c, &c->section, e, c->length[i] + step * cps_sens_place[j], by);
  number(x, at->length + i, sum);
}

void cps_reaction_press(model *o, int row, int cable_of, int e, const double *by, const step_coeffs *coeffs,
                        int balance) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  int node = e ? c->n : 0, right = o->at.right + o->at.border_rhs + row;
  into to = {cable_of, -1, row, 1};
  reaction_row x;
  cps_reaction_row(o, cable_of, e, by, NULL, &x);
  for (int j = 0; j < 2 * c->b; j++) {
    *cps_matrix_at(o, &to, x.first / c->b + j / c->b, j % c->b) += x.q[j] + v_q * x.v[j] + a_q * x.a[j];
    cps_entries_add(&o->now, right, o->at.w1 + at->w + x.first + j, x.v[j]);
    cps_entries_add(&o->now, right, o->at.w2 + at->w + x.first + j, x.a[j]);
    if (balance) cps_entries_add(&o->now, right, o->at.before + at->q + x.first + j, -x.q[j]);
  }
  for (int n = 0; n < x.n; n++) cps_border_by_theta(o, row, x.theta[n], -x.by_theta[n]);
  for (int d = 0; d < c->dim; d++) cps_border_by_d(o, row, at->end + e * DY_END + DY_LOAD + d, -x.load[d]);
  for (int k = 0; k < c->n_points; k++) { /* R has minus the force on the cable */
    const contact_point *p = &c->point[k];
    const contact_tangent *s = &o->contact[cable_of][k];
    if (s->drum < 0 || node < p->node || node > p->node + 1) continue;
    int shape = 2 * (node - p->node);
    for (int d = 0; d < c->dim; d++) {
      into part = {cable_of, -1, row, by[d] * p->shape[shape]};
      if (part.by != 0) cps_tangent_row_add(o, p, s, &s->force[d], &part, coeffs, balance);
      double pushed = s->load * s->n[d] + s->f[0] * s->t[d] +
                      (c->dim == 3 ? s->f[1] * o->m.drum[s->drum].axis[d] : 0);
      if (p->shape[0] != 1) cps_border_by_theta(o, row, at->p_shape + 4 * k + shape, by[d] * pushed);
    }
  }
}
