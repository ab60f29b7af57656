/* cable_ends.c - what holds the ends of cables, and what they do to the drums on whose rims they are fixed.
 *
 * The reaction of an end is the residual of the equations of its place, as if the end were free:
 *
 *   R = f_elastic + f_damping + M a + m (a - g) - load - contact,
 *
 * the force that has to act on the cable there; behind it those of its slope. With `arm` from the axis of the drum to an end on its rim, the drum bears
 * -R, and its torque is -(axis x arm).R.
 *
 * What holds an end, or hangs on it, pulls with R as well, less the inertia of a mass at the very end and without loads: a body that is the
 * end of one cable is such a mass. The tension at the end is that force along the slope; elements know theirs at
 * their middle only.
 */
#include "machine.h"

#include <math.h>
#include <string.h>

/* Without contact. */
static void free_of_contact(const cable *c, int e, double *reaction) {
  int element = e ? c->n - 1 : 0, node = e ? c->n : 0, dim = c->dim, row = e ? 2 : 0;
  const double *q = c->q + element * c->b, *v = c->v + element * c->b, *a = c->a + element * c->b;
  double force[12] = {0}, mass[4][4];
  cps_element_force(dim, &c->section, c->length[element], q, v, force, 1, 1, NULL, NULL);
  cps_element_mass(&c->section, c->length[element], mass);
  for (int d = 0; d < dim; d++) {
    for (int j = 0; j < 2; j++) { /* place and slope */
      double sum = force[(row + j) * dim + d];
      for (int k = 0; k < 4; k++)
        sum += mass[row + j][k] * (a[k * dim + d] - (k % 2 == 0 ? c->gravity[d] : 0));
      reaction[j * dim + d] = sum;
    }
    reaction[d] += c->mass[node] * (c->a[node * c->b + d] - c->gravity[d]) - c->load[e][d];
  }
}

void cps_end_reaction(const cable *c, int e, double *reaction) {
  int node = e ? c->n : 0, dim = c->dim;
  free_of_contact(c, e, reaction);
  for (int k = 0; k < c->n_points; k++) {
    const contact_point *p = &c->point[k];
    int at = node - p->node;
    if (at < 0 || at > 1 || !(c->trace[k].depth > 0)) continue;
    for (int d = 0; d < dim; d++)
      for (int j = 0; j < 2; j++) reaction[j * dim + d] -= p->shape[2 * at + j] * c->trace[k].push[d];
  }
}

void cps_end_hold(const cable *c, int e, double *hold) {
  int node = e ? c->n : 0;
  cps_end_reaction(c, e, hold);
  for (int d = 0; d < c->dim; d++)
    hold[d] += c->load[e][d] - c->mass[node] * (c->a[node * c->b + d] - c->gravity[d]);
}

double cps_end_tension(const cable *c, int e) {
  const double *slope = c->q + (e ? c->n : 0) * c->b + c->dim;
  double hold[6], along = 0, size = 0;
  if (c->seam >= 0) return c->tension[e ? c->n - 1 : 0];
  cps_end_hold(c, e, hold);
  for (int d = 0; d < c->dim; d++) {
    along += hold[d] * slope[d];
    size += slope[d] * slope[d];
  }
  return (e ? 1 : -1) * along / sqrt(size);
}

void cps_rim_arm(const machine *m, const cable *c, int e, double *arm, double *along) {
  const drum *g = &m->drum[c->end[e].drum];
  const double *r = c->q + (e ? c->n * c->b : 0);
  double height = 0;
  memset(arm, 0, 3 * sizeof *arm);
  for (int d = 0; d < m->dim; d++) {
    arm[d] = r[d] - g->center[d];
    height += m->dim == 3 ? arm[d] * g->axis[d] : 0;
  }
  for (int d = 0; d < 3; d++) arm[d] -= height * g->axis[d];
  for (int d = 0; d < 3; d++)
    along[d] = g->axis[(d + 1) % 3] * arm[(d + 2) % 3] - g->axis[(d + 2) % 3] * arm[(d + 1) % 3];
}

void cps_rims_bear(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int e = 0; e < 2; e++) {
      if (!cps_end_is(c->end[e].kind, END_ON_DRUM)) continue;
      drum *g = &m->drum[c->end[e].drum];
      double arm[3], along[3];
      cps_rim_arm(m, c, e, arm, along);
      for (int d = 0; d < m->dim; d++) {
        g->push[d] -= c->reaction[e][d];
        g->torque -= along[d] * c->reaction[e][d];
      }
    }
  }
}
