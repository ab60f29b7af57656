/* residual.h - the equations of bodies and of contacts between them, alone and beside cables: see residual.c, and pattern.c for their
 * making. */
#ifndef CPS_RESIDUAL_H
#define CPS_RESIDUAL_H

#include "balance_size.h"
#include "body_matrix.h"
#include "body_system.h"
#include "law_look.h"

/* A law linearised at a contact; with states, once they are eliminated, v, e and n include them. */
typedef struct law_tangent {
  double v, e, n;
} law_tangent;

/* The equation of a contact's force, differentiated by place, velocity and acceleration of sliding, by that force, and by the normal
 * force; with states, once they are eliminated. */
typedef struct contact_row {
  double x, v, a, f, n;
} contact_row;

struct slide;
struct step_coeffs;

/* The equations and their linearisation at the point of the last evaluation. */
typedef struct residual {
  pool pool; /* all arrays */
  const cps_system *s;
  workspace *k;
  /* Beside cables: what contacts are there, [nc], and the step that is solved for. NULL: bodies are alone. */
  struct slide *rails;
  const struct step_coeffs *coeffs;
  double *r_a, *r_f, *r_z; /* [nx] [nc] [nz] what is left of the equations */
  unsigned char *counts;   /* [nx] whose equations are judged, which are */
  int n_counts;            /* so many; NULL: all */
  double balance;          /* what may be left, relative to the forces that balance, */
  double nothing;          /* and a force that is none [N] */
  double
      gain; /* velocities that a step adds per acceleration, known to the round-off of that; 0: they are no sums */
  double worst;      /* largest of what is left over that, and over what round-off of its terms allows */
  int worst_contact; /* the contact it belongs to; -1 if it is a body */
  sight sight;
  int limited;                /* how many laws were not evaluated where they should be */
  outlook *look;              /* [nc] where each was evaluated last */
  balance_size judged;        /* what they are judged by */
  double *dn;                 /* [nc] change of normal forces */
  body_matrix entries;        /* of springs and contacts in the matrix */
  law_tangent *law;           /* [nc] */
  contact_row *row;           /* [nc] */
  double *state;              /* per contact with n states: f_z, g_v, g_e, g_n [n], g_z [n n] */
  double *inverse;            /* per contact: (1 - b_z g_z)^-1 [n n], b_z f_z times that [n] */
  int *state_at, *inverse_at; /* [nc] */
  double b_q, b_v, b_z;       /* of the last factorisation */
  body_system system;         /* of these and all other unknowns that are no cable's */
  int *numbers;               /* of bodies alone: room for */
  const int *unknown, *force; /* [nx] [nc] rows and columns of the system; -1: it is no unknown */
  int *diagonal;              /* [n] of the system */
  int *at_first, *at_contact; /* [nd + 2] the contacts at each coordinate, one list after the other */
  int *queue;                 /* [nc] */
  double *limit;              /* [nc] what each can hold */
  double *x;                  /* [nd + nc] */
} residual;

/* Bodies alone. */
cps_status cps_residual_make(residual *r, const cps_system *s, workspace *k, cps_error *err);
/* Bodies among n unknowns, of which these are theirs, and which must outlive it. The others have the entries `more` of the matrix; its rows
 * are of one size if it is `even`. 0 if out of memory. */
int cps_residual_make_among(residual *r, const cps_system *s, workspace *k, int n, const int *unknown,
                            const int *force, const place *more, long count, int even);
void cps_residual_free(residual *r);

/* What is left of the equations at state y with accelerations a[nx], contact forces f[nc] and rates z_t[nz]
 * of the friction states, and the derivatives. Puts surfaces into y and a. */
void cps_residual_eval(residual *r, double t, double *y, double *a, const double *f, const double *z_t,
                       const int *mode);

/* Clears the system and puts the equations into it: changes x of the unknowns
 * of coordinates change places, velocities and accelerations by b_q, b_v and b_a times x, and states by b_z times their rates; unknowns
 * of forces are measured in units of m, or in newtons. 0 if states cannot be eliminated. */
int cps_residual_assemble(residual *r, double b_q, double b_v, double b_a, double b_z, int in_masses);

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
