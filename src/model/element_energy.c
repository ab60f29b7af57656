/* element_energy.c - what a cable stores, passes on, and loses in a step: sums over its elements.
 *
 * Results and the audit ask for these at every output and every step; one by one, elements would cost more there
 * than in the equations of motion. See element_energy_pass.h; what that leaves out is evaluated by cable.c.
 */
#define SURVEY(x) cps_narrow_##x
#include "element_energy_pass.h"
#include "processor.h"

/* One element with all that cable.c knows; its tension balances loads and contact forces exactly, while EA times
 * the mean strain does not where an element is curved more than it can be. */
static double element(const cable *c, int i, double *tension) {
  cable_section elastic = c->section;
  const double *q = c->q + i * c->b;
  double f[12] = {0}, along = 0, square = 0;
  elastic.rayleigh = elastic.axial_damping = elastic.bending_damping = 0;
  double energy = cps_element_force(c->dim, &elastic, c->length[i], q, c->v + i * c->b, f, 1, 0, NULL, NULL);
  for (int d = 0; d < c->dim; d++) {
    double chord = q[c->b + d] - q[d];
    along += f[c->b + d] * chord;
    square += chord * chord;
  }
  *tension = square > 0 ? along / sqrt(square) : 0;
  return energy;
}

void cps_cable_survey(const cable *c, cable_store *o) {
#if CPS_FUSED
  if (cps_has_fused())
    cps_fused_store(c, c->tension, o);
  else
#endif
    cps_narrow_store(c, c->tension, o);
  if (c->section.curvature == CURVATURE_APPROXIMATE) return;
  for (int i = 0; i < c->n; i++) o->elastic += element(c, i, &c->tension[i]);
}

void cps_cable_step_work(const cable *c, double *solver, double *damping) {
#if CPS_FUSED
  if (cps_has_fused()) {
    cps_fused_step_work(c, solver, damping);
    return;
  }
#endif
  cps_narrow_step_work(c, solver, damping);
}
