/* sag.h - the curve of a slack span. See sag.c. */
#ifndef CPS_SAG_H
#define CPS_SAG_H

/* A span between two points that is longer than their distance, and hangs. */
typedef struct sag_span {
  double from[3], along[3], chord; /* where it starts, unit vector to its end, distance */
  double down[3], side[3];         /* unit vectors: in which it sags, and across that towards its end */
  double drop, across;             /* parts of the chord along them */
  double sag;                      /* of a parabola; 0: it is straight, or a bight */
  double radius,
      depth; /* of a bight: of the circle at its bottom, whose centre is this far below the start */
} sag_span;

/* The span from `from` along a unit vector, for the distance `chord`; `down` is the direction of gravity. */
sag_span cps_sag_span(const double *from, const double *along, double chord, const double *down);
/* Lets it hang with a length; a bight's bottom has at least the radius `least`. */
void cps_sag_hang(sag_span *s, double length, double least);
double cps_sag_length(const sag_span *s);
/* Place and unit tangent at the length l along it. */
void cps_sag_at(const sag_span *s, double l, double *r, double *t);
/* How far a point is inside of a bight, from the nearer of its two legs; negative: it is outside of it, or below its circle's centre. */
double cps_sag_inside(const sag_span *s, const double *at);

#endif
