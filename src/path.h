/* path.h - the way of a cable around drums: tangents, wraps, and the mesh that starts on it. See path.c. */
#ifndef CPS_PATH_H
#define CPS_PATH_H

#include "internal.h"
#include "scenario.h"

/* A piece of a path: a straight line, or an arc (in space a helix) on a drum. */
typedef struct path_piece {
  int drum;                 /* -1: a line */
  int item;                 /* of the scenario's path that it comes from; -1: drawn between two of them */
  double length;            /* along it */
  double from[3], along[3]; /* a line: start and unit vector */
  double angle, sweep;      /* an arc: where it starts about the drum's axis and how far it goes, signed; its
                               first direction is cps_drum_frame's u */
  double height, rise;      /* and along the axis, from the drum's centre */
} path_piece;

typedef struct path {
  int dim, n, closed;
  path_piece *piece; /* owned */
  double length;
} path;

/* Two unit vectors u, w that with the axis form a right-handed frame: a point on the rim is
 * center + radius (cos angle u + sin angle w) + height axis. In the plane u = (1, 0), w = (0, 1). */
void cps_drum_frame(const double *axis, double *u, double *w);

/* The path of a cable of a scenario. CPS_BAD_INPUT with the reason (a drum inside another, a point inside a drum,
 * nothing that says where an end is, ...) and the key of the item, "cables.rope.path[2]". */
cps_status cps_path_make(path *p, const cps_scenario *s, int cable, cps_error *err);
void cps_path_free(path *p);

/* Position r[dim] and unit tangent t[dim] at the length l along the path; beyond its ends it goes on straight. */
void cps_path_at(const path *p, const cps_scenario *s, double l, double *r, double *t);

/* The mesh a cable starts with: elements of unstretched lengths and node coordinates q[n + 1][2 dim] (position,
 * then r' = stretch times tangent). Near equilibrium, so that statics has little to do: stretched by the tension that its
 * loads cause, pressed into the drums so far that they carry it, and sagging where it is slack. A belt's last
 * node is its first. */
typedef struct shape {
  int n;
  double *length; /* owned [n] */
  double *q;      /* owned */
} shape;

cps_status cps_shape_make(shape *out, const cps_scenario *s, int cable, const path *p, cps_error *err);
void cps_shape_free(shape *out);

#endif
