/* tangent_lines.h - a taut cable around drums in a row: where it touches them. See tangent_lines.c. */
#ifndef CPS_TAUT_H
#define CPS_TAUT_H

#include "capstan.h"

/* A drum that the cable goes around, and how. */
typedef struct taut_wrap {
  const char *name;
  double center[3], axis[3], radius;
  int turn;     /* +1 or -1 about the axis */
  int turns;    /* full turns on top */
  double more;  /* angle on top, next to a rim */
  int shortest; /* 1: more than three quarters of a turn are taken for a cable that passes by; 0: the turn is
                   meant as it is */
  double pitch; /* shift along the axis per turn; 0: as a taut cable runs */

  double angle, sweep, height, rise; /* result, as in path_piece */
  double in[3], out[3];              /* where it runs on and off */
} taut_wrap;

typedef enum taut_end_kind {
  TAUT_POINT, /* at the point v */
  TAUT_ALONG, /* arrives or leaves along the unit vector v */
  TAUT_RIM,   /* on the rim of the first or last drum, in its middle plane: that wrap has `turns` turns in
                 all, or half a turn if there are none */
  TAUT_RING   /* both: the last drum is followed by the first */
} taut_end_kind;

typedef struct taut_end {
  taut_end_kind kind;
  double v[3];
} taut_end;

/* What is wrong, and with which wrap. */
typedef struct taut_fault {
  int wrap;
  char text[320];
} taut_fault;

/* Fills the results of all n >= 1 wraps. CPS_BAD_INPUT with *fault filled, or CPS_NO_MEMORY. */
cps_status cps_taut_solve(taut_wrap *w, int n, const taut_end end[2], taut_fault *fault);

#endif
