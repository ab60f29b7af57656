/* newton_loop.h - Newton's method, for bodies alone, for machines with cables and for their statics: see newton_loop.c. */
#ifndef CPS_NEWTON_LOOP_H
#define CPS_NEWTON_LOOP_H

#include "law_look.h"

/* What is left of the equations at the point of the iteration. */
typedef struct residual_norms {
  double force;    /* largest force residual */
  double tension;  /* largest force in the cable, to judge it by */
  double friction; /* largest friction residual, */
  double slides;   /* and that of bearings and rails beside cables */
  double holds;    /* what friction holds, summed over `touching` contacts */
  double touching;
  double moved; /* largest change of position that the iteration makes */
  double apart; /* largest remainder of bodies alone, or apart from cables, over what may be left */
  int limited;  /* how many laws between bodies were linearised elsewhere than they should be */
} residual_norms;

/* How fast Newton's method converges in steps: what an iteration leaves, over what was left before it times how far it
 * moved [1/m]; 0: not known. */
typedef struct convergence {
  double balance; /* force that may be left, relative to the tension */
  double force, friction;
  double slides;  /* friction of bearings and rails */
  double stretch; /* force that it leaves over the square of how far it moved [N/m^2] */
  int unseen;     /* steps since it was looked at */
  int wary;       /* the factor of friction is not used where contacts have just changed */
} convergence;

/* What is known of the contacts after an iteration. */
typedef enum newton_places {
  PLACES_UNKNOWN, /* or the equations are not smooth there */
  PLACES_RIGHT,   /* all of them stick or slip as they should */
  PLACES_WRONG    /* but for some, which rub_right knows about */
} newton_places;

/* A set of equations. `of` is what they are of. */
typedef struct newton_equations {
  /* 1: an evaluation costs little beside a correction; what is left is judged where it is, after one correction at least. 0: an
   * evaluation has already eliminated most of the unknowns; the correction is made in any case, and judged by what was left before it.
   */
  int judged_first;
  sight first; /* where laws between bodies are linearised in the first iteration */
  /* Tells who waits for an iteration; nonzero if it is not to be made. */
  int (*waits)(void *of);
  /* Residuals and tangents at the present point. 0 if something is not finite, or singular. */
  int (*evaluate)(void *of, sight where, residual_norms *left);
  /* Solves for the changes of the unknowns and applies them. 0 if the matrix is singular or something is not finite. */
  int (*correct)(void *of, residual_norms *left);
  /* Looks at the active set, from what this iteration and the one before have left. */
  newton_places (*update)(void *of, int iteration, const residual_norms *left, const residual_norms *before);
  /* Whether no contact leaves more friction than `most` where the iteration has brought it, which PLACES_... do not tell; NULL: they
   * do. */
  int (*rub_right)(void *of, double most);
  /* Chooses the active set of the next iteration, where it is not done before; or NULL. */
  void (*guess)(void *of, int iteration);
} newton_equations;

/* When it has converged. */
typedef struct newton_goal {
  int most;           /* corrections */
  double tolerance;   /* force that may be left, relative to the tension */
  double noise;       /* force that round-off of places causes, and */
  double still;       /* a change of place that is none but round-off */
  convergence *known; /* how fast it converges */
} newton_goal;

/* The number of corrections that it took, or one of these. */
enum { NEWTON_FAILED = -1, NEWTON_STOPPED = -2 };
int cps_newton_iterate(const newton_equations *equations, void *of, const newton_goal *goal);

/* Whether an iteration has left so little that its correction was the last. */
int cps_newton_settled(const residual_norms *left, const newton_goal *goal);

#endif
