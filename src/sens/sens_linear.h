/* sens_linear.h - the equations of bodies, linearised at a point: see sens_linear.c. */
#ifndef CPS_SENS_LINEAR_H
#define CPS_SENS_LINEAR_H

#include "body_tangent.h"
#include "residual.h"
#include "sens.h"
#include "sens_change.h"
#include "sens_list.h"

/* ------------------------------------------------------------------ a point */

enum {
  ENERGY_KINETIC,
  ENERGY_ELASTIC,
  ENERGY_GRAVITY,
  ENERGY_FRICTION,
  ENERGY_DAMPING,
  ENERGY_LOADS,
  ENERGY_MOTION,
  ENERGY_ERROR,
  ENERGIES
};

/* Changes of everything at a point, or weights of it, are one vector z; where its parts start. */
typedef struct linear_layout {
  int y, a, f, z_t; /* state; accelerations, surfaces included; contact forces; rates of friction states */
  int load, normal, number; /* what is prescribed; numbers that any parameter changes */
  int y0, f0, load0; /* of an implicit step: places and velocities, contact forces and loads at its start */
  int r_a, r_f,
      r_z;  /* what is left of the equations; at surfaces, minus the force on them without friction */
  int work; /* rates of works; works of an implicit step */
  int spring, v, n, f_eq, energy; /* what else is recorded: tensions; of contacts; ENERGY_... */
  int count;
} linear_layout;

/* Lists of what follows from the others. */
typedef enum linear_list {
  LINEAR_RATES,
  LINEAR_WORKS,
  LINEAR_COLUMNS,
  LINEAR_LISTS,
  LINEAR_NOTHING = LINEAR_LISTS
} linear_list;

typedef struct linearised {
  const cps_system *s;
  pool pool; /* all arrays but those of lists and of what it is made of */
  workspace k;
  residual r;
  double t;
  double *y, *y_t;       /* [ny] */
  int *mode;             /* [nc] all chosen */
  double *a, *f, *z_t;   /* of the last evaluation */
  double *drive;         /* [nx] force on each surface at the point */
  spring_slope *spring;  /* [springs] */
  cps_law_jacobian *law; /* [nc] at the point, valid where law_at is the number of the evaluation */
  long *law_at, number;
  unsigned char *varies; /* [numbers] */
  int *slot, *row;       /* [numbers] where each that varies is in z; [nx] rows of coordinates */
  press_causes presses;
  int in_step, carried, *row0;  /* whether there is an implicit step; room: [nx], */
  double *by;                   /* [nx] */
  double t0, *y0, *f0, *force0; /* of the step, at its start: [ny] [nc] [nx]; */
  spring_slope *spring0;        /* [springs] */
  body_matrix tangents0;
  linear_layout l;
  int cause[BODY_CAUSES]; /* where the causes of rows start in z */
  entries rows,
      lists[LINEAR_LISTS]; /* the equations by all else; what follows, valid where at[] is the number */
  int steady;              /* entries of the equations that stay from point to point */
  long rows_at, at[LINEAR_LISTS];
  double *z;              /* [count] */
  double *minus;          /* [nx] -1 */
  double *da, *df, *dz_t; /* room for solutions: [nx] [nc] [nz] */
} linearised;

/* For parameters that change c[n]; to be freed also if it fails. */
cps_status cps_linearised_make(linearised *p, const cps_system *s, const change *c, int n, cps_error *err);
void cps_linearised_free(linearised *p);
/* Goes to a point: rates of y, and their linearisation; `like` says which bodies are held. 0 if forces do not settle. */
int cps_linearised_go(linearised *p, double t, const double *y, const int *mode, const workspace *like);
/* Before it: where the implicit step starts, with the contact forces there; `carried`: what acts there is that of another state, and
 * does not change. */
void cps_linearised_start(linearised *p, double t, const double *y, const double *f, int carried);
/* The same where accelerations, forces and state rates are known, of an implicit step; tangent of the step with b_... */
int cps_linearised_go_known(linearised *p, double t, const double *y, const double *a, const double *f,
                            const double *z_t, const int *mode, const workspace *like, double b_q, double b_v,
                            double b_z);

/* Everything from here on goes along changes, or with `back` the other way: weights of what follows become weights of what it follows
 * from, which are added, and gradients by n parameters. Forward there is one parameter, or NULL. */
double *cps_linearised_clear(linearised *p); /* z, to be filled or for weights */
/* Changes of accelerations, forces and rates, in z, along dy and a parameter; in an implicit step dy are changes known beforehand,
 * without what the new ones add. Puts what is prescribed into dy; with `back` it is taken out of it. 0 if that fails. */
int cps_linearised_equations(linearised *p, int back, const change *c, int n, double *dy, double *grad);
/* With these and the state in z: what follows from it. */
void cps_linearised_follow(linearised *p, int back, linear_list which);
/* Puts the changes of what is prescribed into dy. */
void cps_linearised_prescribe(linearised *p, int back, const change *c, int n, double *dy, double *grad);
/* Impulses at sticking contacts that take their relative velocities out of dy. */
int cps_linearised_capture(linearised *p, int back, double *dy);
/* Whether an entry of its lists is missing for want of memory: nothing that was found with them counts. */
int cps_linearised_lost(const linearised *p);

/* From a z that is clear; and both, for rates. */
int cps_linearised_along(linearised *p, const change *c, double *dy);
int cps_linearised_rates(linearised *p, const change *c, double *dy, double *dy_t);
/* From weights in z of everything that follows. */
int cps_linearised_back(linearised *p, linear_list which, const change *c, int n, double *w, double *grad);

/* Something of the law of contact i with these derivatives, along the changes z; and `by` times its weights, added to z. */
double cps_linearised_law_along(linearised *p, int i, const cps_partials *d, const double *z);
void cps_linearised_law_back(linearised *p, int i, const cps_partials *d, double by);
/* Derivatives of guard k of contact i. */
cps_partials cps_linearised_guard(const linearised *p, int i, int k);

#endif
