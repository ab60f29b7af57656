/* law_look.h - where Newton's method linearises a friction law between bodies: see law_look.c. */
#ifndef CPS_LAW_LOOK_H
#define CPS_LAW_LOOK_H

#include "capstan.h"

/* Where laws without memory are linearised. */
typedef enum sight {
  LOOK_HERE,
  LOOK_CAREFULLY, /* at v = 0 if v has changed sign since the last time */
  LOOK_LAST       /* where they were last */
} sight;

typedef struct outlook {
  double v, e;
} outlook;

/* The force of a law without states under the normal force n at the point `now`, extrapolated from where it is linearised, with the
 * derivatives there. *last is where it was linearised the last time, and is brought up to date; *limited is increased if that is
 * not `now`, as it is again before Newton's method has converged. */
double cps_law_look(const cps_law *law, const double *p, double n, int mode, sight sight, outlook now,
                    outlook *last, cps_law_jacobian *jac, int *limited);

#endif
