/* body_cvode.h - CVODES on the equations of bodies: what runs (body_bdf.c) and their adjoints (sens_bdf.c) share. */
#ifndef CPS_BODY_CVODE_H
#define CPS_BODY_CVODE_H

#include "residual.h"
#include "system.h"

#include <cvodes/cvodes.h>
#include <cvodes/cvodes_ls.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

/* A linear solver of our own, and the empty matrix that CVODES asks for beside it. */
typedef int (*linear_solve)(SUNLinearSolver linear, SUNMatrix matrix, N_Vector x, N_Vector b,
                            realtype tolerance);
typedef struct own_linear {
  SUNMatrix matrix;
  SUNLinearSolver solver;
} own_linear;
int cps_linear_make(own_linear *l, SUNContext context, linear_solve solve, void *content);
void cps_linear_free(own_linear *l);

/* The method, with the vector [q (nx) | v (nd) | z (nz)]. */
typedef struct body_cvode {
  SUNContext context;
  void *cvode;
  N_Vector y;
  own_linear linear;
} body_cvode;

/* How a user of CVODES evaluates, linearises and solves. */
typedef struct cvode_calls {
  CVRhsFn rates;
  CVLsLinSysFn linearise;
  linear_solve solve;
  realtype (*norm)(N_Vector x, N_Vector weight); /* NULL: the root mean square */
} cvode_calls;

/* Makes all but tolerances, at time t with state y; `owner` is what the calls get. 0 if that fails. */
int cps_cvode_make(body_cvode *c, const cps_system *s, const cvode_calls *calls, double t, const double *y,
                   void *owner);
void cps_cvode_free(body_cvode *c);
double cps_cvode_longest(const scenario_run *set); /* step */

/* States between the vector and the system's order; works are left alone. */
void cps_cvode_pack(const cps_system *s, const double *y, N_Vector x);
void cps_cvode_unpack(const cps_system *s, N_Vector x, double *y);
/* Takes out of rates, or of weights y[ny] of rates, what is prescribed: places of surfaces that are not integrated. */
void cps_cvode_still(const cps_system *s, double *q);

/* Room for what is left of the equations and for changes of their unknowns, as cps_residual_solve has them. */
typedef struct residual_room {
  double *r_a, *r_f, *r_z, *da, *df, *dz_t;
} residual_room;

/* Solves (1 - gamma J) x = b with the last factors of r, which are those for gamma; dy is room for [ny]. 0 if that fails. */
int cps_cvode_solve(const cps_system *s, residual *r, double gamma, N_Vector b, N_Vector x, double *dy,
                    const residual_room *o);

#endif
