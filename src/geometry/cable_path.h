/* path.h - the way of a cable around drums: tangents, wraps, and the mesh that starts on it. See path.c. */
#ifndef CPS_PATH_H
#define CPS_PATH_H

#include "internal.h"
#include "mesh_grading.h"
#include "path_kinds.h"

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

/* Where a drum is when the run starts: its centre and unit axis. */
void cps_drum_place(const cps_scenario *s, int drum, double *center, double *axis);

/* Where an end of a cable is when the run starts, if the scenario says it; 0 if the path must. */
int cps_end_place(const cps_scenario *s, int cable, int end, double *at);

/* The unit vector that things hang along: that of gravity, -y if there is none. */
void cps_gravity_direction(const cps_scenario *s, double *down);

/* The path of a cable of a scenario, as a taut cable would run.
 *
 * Which way around a drum: `turn` says it; otherwise `side`. Seen with the drum's axis towards the eye and
 * up on top, a cable that runs to the right goes over a drum clockwise and under it counter-clockwise.
 * Where it comes from tells whether it runs to the right (the place or centre before, left or right of the
 * drum's centre); if that tells nothing (a hang, a rim, straight above or below), where it goes to. On the
 * first drum of a belt the latter comes first, so that [over a, over b] is an open belt and [over a, under
 * b] a crossed one. If neither tells, it takes the turn of the drum before if it changes between over and
 * under, and otherwise runs to the right: of two hangs the first is on the left. An axis along gravity
 * needs `turn`.
 *
 * How far around: as the neighbours say, up to a full turn, plus `turns`. Where only `side` is given, a
 * wrap of more than three quarters of a turn is an error, because then the cable in fact passes by the
 * drum. A wrap next to an end on the rim of its drum has `turns` full turns in all, or half a turn if there
 * are none.
 *
 * Ends: one that is placed is there. One that is not hangs, or lies along a direction, for the length of
 * the first or last items (of which one may be what remains of the cable's length), or is at the point that
 * the path starts or ends with. A hang at a placed end only has to agree with it. A belt starts where it
 * runs onto its first drum.
 *
 * CPS_BAD_INPUT with the reason (a drum inside another, a point inside a drum,
 * nothing that says where an end is, ...) and the key of the item, "cables.rope.path.2". */
cps_status cps_path_make(path *p, const cps_scenario *s, int cable, cps_error *err);
void cps_path_free(path *p);

/* Position r[dim] and unit tangent t[dim] at the length l along the path; beyond its ends it goes on
 * straight; a closed one is periodic. */
void cps_path_at(const path *p, const cps_scenario *s, double l, double *r, double *t);

/* The piece at the length *l, which becomes the length along that piece. */
int cps_path_find(const path *p, double *l);

/* The same for one piece, with three components each; inward[3] is the unit vector to the drum's axis, zero
 * on a line. */
void cps_piece_at(const cps_scenario *s, const path_piece *piece, double l, double *r, double *t,
                  double *inward);

/* The mesh a cable starts with: elements of unstretched lengths and node coordinates q[n + 1][2 dim]
 * (position, then r' = stretch times tangent). Near equilibrium, so that statics has little to do:
 * stretched by the tension that its loads cause, pressed into the drums so far that they carry it, and
 * sagging where it is slack. A belt's last node is its first. */
/* A drum on the way, from where to where, as fractions of the way. */
typedef struct path_wrap {
  int drum;
  double from, to;
} path_wrap;

typedef struct shape shape;
struct shape {
  int n;
  double *length;   /* owned [n] */
  double *q;        /* owned */
  grid on;          /* of a mesh that moves; no units: it does not */
  path_wrap *wraps; /* owned [n_wraps] */
  int n_wraps;
  double slack; /* by which it is longer than its path */
  double blow;  /* mean strain of the element that slack strains most, as it is drawn; 0 without slack */
  int blow_at;  /* that element */
};

cps_status cps_shape_make(shape *out, const cps_scenario *s, int cable, const path *p, cps_error *err);
void cps_shape_free(shape *out);
/* Both in one go: the path, and what starts on it. */
cps_status cps_shape_draw(shape *out, const cps_scenario *s, int cable, cps_error *err);

#endif
