/* cables.h - cables on drums: contact, friction, and one Newton matrix for all of it. See cables.c.
 *
 * A cable is a mesh with contact points, at its nodes or at Gauss points of its elements. Each contact point
 * that touches a drum has a normal force from its depth and a friction force f that is an unknown of its own,
 * eliminated inside its node's block: the matrix stays block-tridiagonal by node, and a Newton iteration
 * costs O(n).
 *
 * Unknowns of node i: its 2 dim coordinates and the friction forces of its contact points (one at the node,
 * or those of the element that starts there).
 */
#ifndef CPS_CABLES_H
#define CPS_CABLES_H

#include "mesh.h"
#include "scenario.h"

typedef struct drum {
  double radius, center[3];
  double axis[3]; /* unit vector; (0, 0, 1) in the plane: positive turns are counter-clockwise */
  drum_drive kind;
  const profile *motion; /* angle, or setpoint */
  double kp, kd;
  double angle, rate, acceleration; /* state */
  double torque;                    /* that the cables exert, output */
} drum;

enum { POINTS_MAX = 2 };

/* One place where a cable may touch. */
typedef struct contact_point {
  int node;        /* it lies on the element that starts there, or at that node */
  double shape[4]; /* of the element's coordinates */
  double weight;   /* length that it stands for; 1 at nodes */
  double material; /* arc length along the unstretched cable */
  int drum;        /* that it touches, -1 for none */
  double depth, depth_t, n, v, f, f_eq, slip_a;
  double mass; /* that the balance force is scaled by */
  double z[CPS_MAX_STATES], z_old[CPS_MAX_STATES];
  int mode;
  double start[3]; /* where statics began */
  int stuck;       /* whether friction is below what it can give */
} contact_point;

typedef struct cable {
  mesh m;
  int per_node; /* contact points per node: 0, 1 (at nodes) or 2 (Gauss) */
  int n_points;
  contact_point *points;
  const cps_normal *normal;
  double normal_p[CPS_MAX_PARAMS];
  const cps_law *law;
  double law_p[CPS_MAX_PARAMS];
  blocks k;        /* of size b + per_node */
  double *f, *x;   /* residual and step [nodes][b + per_node] */
  double *a, *aux; /* accelerations, and the auxiliary ones of generalised-alpha [nodes][b] */
} cable;

typedef struct cables {
  int n_cables, n_drums;
  cable *cable;
  drum *drum;
} cables;

/* Gives a cable contact points (at nodes if gauss = 0, else that many Gauss points per element) and its
 * workspace. */
int cps_cable_contact(cable *c, int gauss, const cps_normal *normal, const double *normal_p,
                      const cps_law *law, const double *law_p);
void cps_cable_free(cable *c);

/* What a Newton iteration needs to know of the time step: how coordinates and velocities follow
 * accelerations, dq = q_a da, dv = v_a da, and the length of the step for states. */
typedef struct implicit {
  double q_a, v_a, h;
  double bristle; /* > 0: friction is a spring of that stiffness from where statics began, up to what the law
                     holds */
} implicit;

/* Residual and matrix of a cable at q, v, a (all in the mesh and the cable), drums placed. Returns the
 * largest force residual; *friction gets the largest friction residual relative to what friction can give. */
double cps_cable_assemble(cable *c, const cables *all, const implicit *how, double *friction,
                          double *force_scale);

/* Solves, and applies the step, which is limited to `most` in position. Returns the largest change of
 * position, or a negative number if the matrix is singular. */
double cps_cable_update(cable *c, const implicit *how, double most);

/* ---- statics and time (cable_run.c) ---- */

/* Generalised-alpha (Chung and Hulbert 1993, in the form of Arnold and Bruls 2007: forces balance at the end
 * of the step) for a set of cables and drums. */
typedef struct cable_run {
  cables *all;
  double t, h, rho;
  double **q, **v, **a, **aux, **f; /* the state before the step, per cable */
  drum *drums;
  long steps, iterations, cuts;
} cable_run;

cps_status cps_cable_run_make(cable_run *r, cables *all, double t, double rho, cps_error *err);
void cps_cable_run_free(cable_run *r);

/* Equilibrium with friction that holds what it can, from the present shape. Velocities and accelerations are
 * zero after it. Fails if the cable slides through. */
cps_status cps_cables_statics(cables *all, cps_error *err);

/* Steps of at most h until time `until`; a step that does not converge is halved. */
cps_status cps_cable_run_to(cable_run *r, double until, double h, cps_error *err);

#endif
