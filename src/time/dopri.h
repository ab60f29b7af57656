/* dopri.h - see dopri.c. */
#ifndef CPS_DOPRI_H
#define CPS_DOPRI_H

#include "steppers.h"

typedef struct dopri {
  int n;
  double *k[7];
  double *new_y, *stage, *sample;
  double length;   /* of the last step tried */
  int first_known; /* k[0] holds the rates at the start of the step */
  double latest; /* nothing is evaluated at a later time: just before the next jump of something prescribed */
} dopri;

int cps_dopri_make(dopri *d, int n); /* 0 if out of memory */
void cps_dopri_free(dopri *d);

/* Tries a step of length h from the simulation's time and state: the new state is in d->new_y. */
cps_status cps_dopri_step(dopri *d, cps_simulation *sim, double h);
/* Its error over tolerance: at most 1 is good. Of cables in few variables, rtol is relative to scales of their own. */
double cps_dopri_error(const dopri *d, const cps_simulation *sim, double h, double rtol, double atol);
/* The state at a fraction x of the last step, of order 4. */
const double *cps_dopri_sample(dopri *d, const cps_simulation *sim, double h, double x);
/* Takes the new state; its rates become the first of the next step. */
void cps_dopri_accept(dopri *d, cps_simulation *sim);

#endif
