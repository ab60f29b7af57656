/* mesh.h - a cable as a chain of elements: assembled forces, tangents, mass and equilibrium. See mesh.c. */
#ifndef CPS_MESH_H
#define CPS_MESH_H

#include "blocks.h"
#include "cable.h"
#include "internal.h"

/* A chain of n elements and n + 1 nodes; node i has b = 2 dim coordinates: position and slope. */
typedef struct mesh {
  int dim, n, b;
  cable_section section;
  double *length;    /* [n] unstretched */
  double *node_mass; /* [n + 1] point masses */
  double gravity[3];
  double *q, *v;        /* [n + 1][b] */
  unsigned char *fixed; /* [n + 1][b] coordinates that do not move */
  double *load;         /* [n + 1][b] constant nodal forces, without gravity */
} mesh;

/* A straight unstretched cable of the given length from `start` along the unit vector `along`; 0 if out of
 * memory. */
int cps_mesh_make(mesh *m, int dim, int n, const cable_section *section, double length, const double *start,
                  const double *along);
void cps_mesh_free(mesh *m);

/* Force f[n + 1][b] that the cable resists with, less gravity and loads, so that equilibrium is f = 0; and,
 * unless NULL, s_m mass + s_q df/dq + s_v df/dv. Returns the elastic energy. *lost as in cps_element_force.
 */
double cps_mesh_force(const mesh *m, const double *q, const double *v, double *f, double s_m, double s_q,
                      double s_v, blocks *k, double *lost);

/* f[n + 1][b] = M a, consistent mass and point masses. */
void cps_mesh_inertia(const mesh *m, const double *a, double *f);

/* Potential energy of gravity and kinetic energy. */
double cps_mesh_gravity_energy(const mesh *m, const double *q);
double cps_mesh_kinetic_energy(const mesh *m, const double *v);

/* Moves q to equilibrium by damped Newton; *iterations (unless NULL) counts. */
cps_status cps_mesh_equilibrium(mesh *m, double tolerance, int most, int *iterations, cps_error *err);

#endif
