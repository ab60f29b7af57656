/* sens_linear.h - the equations of bodies, linearised at a point: see sens_linear.c and sens_change.c. */
#ifndef CPS_SENS_LINEAR_H
#define CPS_SENS_LINEAR_H

#include "residual.h"
#include "sens.h"

/* ------------------------------------------------------------------ what a parameter changes */

/* A number at index i changes at this rate. */
typedef struct number_change {
  int i;
  double d;
} number_change;

typedef struct line_change {
  int i; /* of system.line */
  double sa, sb, rest, k, d;
} line_change;

typedef struct plane_change {
  int i; /* of system.plane */
  plane_end end[2];
  double k, d, length;
} plane_change;

typedef struct contact_change {
  int i;
  double p[CPS_MAX_PARAMS];
  double constant, weight;
} contact_change;

typedef struct load_change {
  int i;
  double u[3], press;
} load_change;

/* Something prescribed: a surface's motion, the force of a load, a normal force. */
typedef enum prescribed_kind { GIVEN_SURFACE, GIVEN_LOAD, GIVEN_NORMAL } prescribed_kind;

typedef struct profile_change {
  prescribed_kind kind;
  int i; /* coordinate of the surface, load, contact */
  int is_velocity;
  const profile *base, *shadow[SENS_SHADOWS];
} profile_change;

/* Lists of everything that a parameter changes; with step 0 the parameter is time itself, which changes what is
 * prescribed alone. */
typedef struct change {
  double step;
  int n_mass, n_weight, n_line, n_plane, n_contact, n_load, n_profile, n_initial, n_release;
  number_change *mass, *weight, *initial;
  number_change *release; /* velocity at which held coordinates start */
  line_change *line;
  plane_change *plane;
  contact_change *contact;
  load_change *load;
  profile_change *profile;
  number_change *until; /* [n_until] time at which held bodies are released */
  int n_until;
} change;

cps_status cps_change_make(change *c, const cps_system *s, const sens_parameter *p, cps_error *err);
/* Time as a parameter. */
cps_status cps_change_make_time(change *c, const cps_system *s, cps_error *err);
void cps_change_free(change *c);

/* How a prescribed quantity changes at t. */
profile_value cps_change_profile(const change *c, const profile_change *p, double t);

/* How the time of a jump of something prescribed changes; *several if things that jump there do not move together. */
double cps_change_break(const change *c, const cps_system *s, double t, int *several);

/* ------------------------------------------------------------------ a point */

/* Everything that is known at a point of the state, in one vector; "entries" are what columns are made of. */
typedef struct entry_layout {
  int y, spring, v, f, n, f_eq, energy, count;
} entry_layout;

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

typedef struct spot {
  const cps_system *s;
  workspace k;
  residual r;
  double t;
  double *y, *y_t;       /* [ny] */
  int *mode;             /* [nc] all chosen */
  double *a, *f, *z_t;   /* of the last evaluation */
  spring_slope *spring;  /* [springs] */
  cps_law_jacobian *law; /* [nc] at the point, valid where law_at is the number of the evaluation */
  long *law_at, number;
  double *r_a, *r_f, *r_z, *da, *df, *dz_t; /* changes, or weights, of one direction */
  double *surface_a, *dn;                   /* [nx] [nc] what the parameter itself changes */
  double *press;                            /* [nc] change of normal forces along the state */
  double *drive;                            /* [nx] force on each surface at the point */
  double *entry;                            /* [entries] */
  double *tension, *extension, *rate;       /* [springs] */
} spot;

cps_status cps_spot_make(spot *p, const cps_system *s, cps_error *err);
void cps_spot_free(spot *p);
/* Goes to a point: rates of y, and their linearisation; `like` says which bodies are held. 0 if forces do not settle. */
int cps_spot_go(spot *p, double t, const double *y, const int *mode, const workspace *like);
/* The same where accelerations, forces and state rates are known, of an implicit step; tangent of the step with b_... */
int cps_spot_go_known(spot *p, double t, const double *y, const double *a, const double *f, const double *z_t,
                      const int *mode, const workspace *like, double b_q, double b_v, double b_z);

/* How rates y_t change along dy and a parameter (NULL: none). Puts what is prescribed into dy. 0 if that fails. */
int cps_spot_along(spot *p, const change *c, double *dy, double *dy_t);
/* Its transpose: adds to w, weights of y, and to grad[n] for parameters, given the weights of y_t. Whatever is prescribed in y
 * is taken out of w. */
int cps_spot_back(spot *p, const change *c, int n, const double *w_t, double *w, double *grad);

/* Changes of accelerations, forces and rates in an implicit step: dy are changes known beforehand, without what
 * the new ones add. In p->da, df, dz_t. */
int cps_spot_step_along(spot *p, const change *c, double *dy);
int cps_spot_step_back(spot *p, const change *c, int n, const double *w_a, const double *w_f,
                       const double *w_z, double *w, double *grad);

/* The same with the weights in p->da, df and dz_t, those of normal forces in p->dn and of surfaces' accelerations in
 * p->surface_a. */
int cps_spot_weigh(spot *p, const change *c, int n, double *w, double *grad);

/* Puts the changes of what is prescribed into dy. */
void cps_spot_prescribe(spot *p, const change *c, double *dy);
void cps_spot_prescribe_back(spot *p, const change *c, int n, double *w, double *grad);

/* Changes of the springs: p->tension, extension, rate; and its transpose from weights there. */
void cps_spot_springs(spot *p, const change *c, const double *dy);
void cps_spot_springs_back(spot *p, const change *c, int n, double *w, double *grad);

/* Changes of the forces on surfaces, along dy and changes of contact forces df; its transpose, from weights w_drive. */
void cps_spot_drives(spot *p, const change *c, const double *dy, const double *df, double *drive);
void cps_spot_drives_back(spot *p, const change *c, int n, const double *w_drive, double *w, double *w_f,
                          double *grad);

entry_layout cps_spot_layout(const cps_system *s);
/* Changes x[count] of all entries along dy and a parameter. */
int cps_spot_entries(spot *p, const change *c, double *dy, double *x);
int cps_spot_entries_back(spot *p, const change *c, int n, const double *x, double *w, double *grad);

/* Impulses at sticking contacts that take their relative velocities out of dy. */
int cps_spot_capture(spot *p, double *dy);
int cps_spot_capture_back(spot *p, double *w);

/* The change of guard k of contact i along dy and a parameter; its transpose, times `by`. */
int cps_spot_guard(spot *p, const change *c, int i, int k, double *dy, double *dg);
int cps_spot_guard_back(spot *p, const change *c, int n, int i, int k, double by, double *w, double *grad);

/* The law of contact i with all derivatives. */
const cps_law_jacobian *cps_spot_law(spot *p, int i);

#endif
