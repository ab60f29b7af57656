/* contact_place.h - where a contact point is on the drum beside it, for Newton's method, works and derivatives alike: see
 * contact_point.c. Inlined, so that loops over coordinates have their length. */
#ifndef CPS_CONTACT_PLACE_H
#define CPS_CONTACT_PLACE_H

#include "machine.h"
#include "simd.h"

typedef struct contact_place {
  double r[3];       /* from the drum's centre */
  double n[3], t[3]; /* outwards, and along the rim: axis x n */
  double rho;        /* |r| without its part along the axis */
  double depth;      /* of the point in the drum */
} contact_place;

/* Place, velocity or acceleration of a point, from coordinates, velocities or accelerations x of its element. */
INLINE void cps_point_of(const contact_point *p, const double *x, const int dim, double *r) {
  for (int d = 0; d < dim; d++) r[d] = p->shape[0] * x[d];
  for (int k = 1; k < 4; k++)
    for (int d = 0; d < dim && p->shape[k] != 0; d++) r[d] += p->shape[k] * x[k * dim + d];
}

/* A point at `place`, which may be o->r: whether it is in the drum; if not, r alone is known. */
INLINE int cps_place_in(const drum *g, const double *place, const int dim, contact_place *o) {
  double height = 0, square = 0;
  for (int d = 0; d < dim; d++) {
    o->n[d] = o->r[d] = place[d] - g->center[d];
    height += dim == 3 ? o->r[d] * g->axis[d] : 0;
  }
  for (int d = 0; d < dim && dim == 3; d++) o->n[d] -= height * g->axis[d];
  for (int d = 0; d < dim; d++) square += o->n[d] * o->n[d];
  if (square >= g->radius * g->radius || square == 0) return 0;
  o->rho = sqrt(square);
  o->depth = g->radius - o->rho;
  double inverse = 1 / o->rho;
  for (int d = 0; d < dim; d++) o->n[d] *= inverse;
  if (dim == 2) {
    o->t[0] = -o->n[1] * g->axis[2];
    o->t[1] = o->n[0] * g->axis[2];
    o->n[2] = o->t[2] = 0;
    return 1;
  }
  for (int d = 0; d < 3; d++)
    o->t[d] = g->axis[(d + 1) % 3] * o->n[(d + 2) % 3] - g->axis[(d + 2) % 3] * o->n[(d + 1) % 3];
  return 1;
}

#endif
