/* contact_runs.h - where a cable runs onto and off a drum. See contact_runs.c. */
#ifndef CPS_CONTACT_RUNS_H
#define CPS_CONTACT_RUNS_H

#include "machine.h"

/* The direction of a cable on one side of a drum. */
typedef enum side_kind {
  SIDE_CHORD, /* that of the straight line through the ends of element `straight` */
  SIDE_SLOPE, /* of the slope at the end `end` of the cable */
  SIDE_RIM    /* that of the rim at the end `end`, which is fixed to it */
} side_kind;

typedef struct run_side {
  side_kind kind;
  int element;  /* whose tension is that of this side */
  int straight; /* SIDE_CHORD: the element beyond which bending has died away */
  int end;
} run_side;

/* Contact points of a cable on a drum that follow each other without one on another drum between them. Over the seam of a
 * belt, `last` is less than `first`. */
typedef struct contact_run {
  int first, last;  /* points */
  run_side side[2]; /* before it, behind it */
  double angle;     /* that the cable turns by between the two, about the axis of the drum, signed [rad] */
} contact_run;

/* The drum that a point touches; -1: none. */
typedef int contact_touch(const machine *m, const cable *c, const contact_point *p);

/* The run that starts at or after point number `from`, 0 at first; returns the number to go on with, 0 if there is none. */
int cps_contact_run_next(const machine *m, const cable *c, int drum, contact_touch *touch, int from,
                         contact_run *run);

/* The direction of a side, off the axis; not of unit length. */
void cps_run_direction(const machine *m, const cable *c, int drum, const run_side *side, double *along);

#endif
