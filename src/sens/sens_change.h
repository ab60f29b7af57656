/* sens_change.h - what a parameter changes in the numbers of bodies, and in what is prescribed for them: see sens_change.c. */
#ifndef CPS_SENS_CHANGE_H
#define CPS_SENS_CHANGE_H

#include "pool.h"
#include "sens.h"

/* A number at index i changes at this rate. */
typedef struct number_change {
  int i;
  double d;
} number_change;

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
  int n_number, n_profile, n_initial, n_release;
  number_change *number;  /* of the tables (body_tangent.h) */
  number_change *initial; /* of the state at the start */
  number_change *release; /* velocity at which held coordinates start */
  profile_change *profile;
} change;

/* Lists are in the pool. */
cps_status cps_change_make(change *c, const cps_system *s, const sens_parameter *p, pool *room,
                           cps_error *err);
/* What is prescribed alone, by a parameter or, if that is NULL, by time. 0 if out of memory. */
int cps_change_prescribe(change *c, const cps_system *s, const sens_parameter *p, pool *room);

/* How a prescribed quantity changes at t; of a velocity, how the place does in a step from t0 to t by Simpson's rule. */
profile_value cps_change_profile(const change *c, const profile_change *p, double t);
double cps_change_way(const change *c, const profile_change *p, double t0, double h, double t);

#endif
