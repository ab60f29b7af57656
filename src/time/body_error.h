/* body_error.h - the local error of bodies in a step of generalised-alpha: see body_error.c. */
#ifndef CPS_BODY_ERROR_H
#define CPS_BODY_ERROR_H

#include "alpha_rule.h"
#include "bodies.h"
#include "state_block.h"

/* Accelerations [nx], forces of contacts [nc] and rates of their states [nz]. */
typedef struct body_rates {
  double *a, *f, *z_t;
} body_rates;

/* What is known from earlier steps. */
typedef struct body_error {
  const unsigned char *counts; /* [nx] the coordinates whose error counts; NULL: all */
  double *largest;             /* [2 nx + nz] of |y| so far */
  body_rates before;           /* at the start of the last step, */
  double length;               /* which was that long; 0: there was none since a jump */
} body_error;

/* Adds what is known from earlier steps, and rates at the start and at the end of one, to a block of state: all arrays of these. */
void cps_body_error_parts(state_block *b, const cps_system *s, body_error *e, body_rates *old,
                          body_rates *now);

/* The error of a step to the state y, over what is allowed, given rates at its start and at its end. */
double cps_body_error(const body_error *e, const cps_system *s, const double *w_ii, const alpha_weights *u,
                      const double *y, const body_rates *old, const body_rates *now);
/* A step of length h to y is taken: rates at its start become those before, and those at its end, now, the old ones. */
void cps_body_error_step(body_error *e, const cps_system *s, const double *y, double h, const body_rates *old,
                         const body_rates *now);

#endif
