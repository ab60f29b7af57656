/* residual.h - the equations of the implicit solvers: see residual.c, and pattern.c for their making. */
#ifndef CPS_RESIDUAL_H
#define CPS_RESIDUAL_H

#include "balance_size.h"
#include "body_matrix.h"
#include "law_look.h"
#include "steppers.h"

/* A law linearised at a contact; with states, once they are eliminated, v, e and n include them. */
typedef struct law_tangent {
  double v, e, n;
} law_tangent;

/* The equations and their linearisation at the point of the last evaluation. */
typedef struct residual {
  const cps_system *s;
  workspace *k;
  double *r_a, *r_f, *r_z; /* [nx] [nc] [nz] what is left of the equations */
  double worst;            /* largest of them over what round-off of its terms allows */
  int worst_contact;       /* the contact it belongs to; -1 if it is a body */
  sight sight;
  int limited;                /* how many laws were not evaluated where they should be */
  outlook *look;              /* [nc] where each was evaluated last */
  balance_size judged;        /* what they are judged by */
  double *dn;                 /* [nc] change of normal forces */
  body_matrix entries;        /* of springs and contacts in the matrix */
  law_tangent *law;           /* [nc] */
  law_tangent *whole;         /* [nc] with the states eliminated */
  double *state;              /* per contact with n states: f_z, g_v, g_e, g_n [n], g_z [n n] */
  double *inverse;            /* per contact: (1 - b_z g_z)^-1 [n n], b_z f_z times that [n] */
  int *state_at, *inverse_at; /* [nc] */
  double b_q, b_v, b_z;       /* of the last factorisation */
  sparse matrix;              /* [nd + nc] */
  int *unknown, *force;       /* [nx] [nc] rows and columns of the matrix */
  int *diagonal;              /* [nd] */
  int *at_first, *at_contact; /* [nd + 2] the contacts at each coordinate, one list after the other */
  int *queue;                 /* [nc] */
  double *limit;              /* [nc] what each can hold */
  double *x;                  /* [nd + nc] */
} residual;

cps_status cps_residual_make(residual *r, const cps_system *s, workspace *k, cps_error *err);
void cps_residual_free(residual *r);

/* What is left of the equations at state y with accelerations a[nx], contact forces f[nc] and rates z_t[nz]
 * of the friction states, and the derivatives. Puts surfaces into y and a. */
void cps_residual_eval(residual *r, double t, double *y, double *a, const double *f, const double *z_t,
                       const int *mode);

/* Makes a known solution the point where laws were last. */
void cps_residual_look(residual *r, const double *y, const double *a, const double *f);

/* The derivative of what is left along a change of state alone: dq[nx], dv[nx], dz[nz]. */
void cps_residual_along(const residual *r, const double *dq, const double *dv, const double *dz, double *r_a,
                        double *r_f, double *r_z);

/* Factors the matrix for unknowns a, f, z_t if the state follows them as q += b_q a, v += b_v a, z += b_z
 * z_t. 0 if it is singular. */
int cps_residual_factor(residual *r, double b_q, double b_v, double b_z);

/* The changes da[nx], df[nc], dz_t[nz] that take r_a, r_f, r_z away. 0 if that fails. */
int cps_residual_solve(residual *r, const double *r_a, const double *r_f, const double *r_z, double *da,
                       double *df, double *dz_t);

/* The transposes of the two, for sensitivities: what depends on changes of the unknowns by the weights g depends on what
 * is left by the weights that this gives; b_.. are those of the last factorisation. 0 if that fails. */
int cps_residual_solve_back(residual *r, const double *g_a, const double *g_f, const double *g_z, double *r_a,
                            double *r_f, double *r_z);

/* Newton's method lets go one contact after the other where many have to slide: the first that sticks bears the
 * whole excess of those that cannot. Passes the excess of contact forces on along the springs, so that all of
 * them let go at once; only a guess for the next iteration. */
void cps_residual_spread(residual *r, double *f);

/* Whether contacts whose laws need balance forces close a circle, as those of two blocks that rest on the ground and on each other: their
 * forces are then not unique, and may jump where velocities do not. `seen` is room for nx numbers. */
int cps_close_circle(const cps_system *s, double *seen);

#endif
