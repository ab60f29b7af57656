/* drive.h - drives a law with memory along a given motion: for hysteresis loops and steady states. */
#ifndef DRIVE_H
#define DRIVE_H

#include "capstan.h"

typedef struct driver {
  const cps_law *law;
  const double *p;
  double n;                 /* normal force */
  double z[CPS_MAX_STATES]; /* states, zero at first */
  int mode;
  double f;         /* force at the end of the last step */
  long evaluations; /* so far; with many of them steps are no longer halved */
} driver;

driver drive_start(const cps_law *law, const double *p, double n);

/* One step of length h with velocity v: theta = 0.5 is the implicit midpoint rule, theta = 1 backward Euler.
 * Whatever guards are negative afterwards have fired. */
void drive_step(driver *d, double v, double h, double theta);

/* Slides at constant v until the force settles, over `length` many times; returns it. A force that never
 * settles is averaged. */
double drive_steady(driver *d, double v, double length);

#endif
