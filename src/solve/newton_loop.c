/* newton_loop.c - Newton's method with the exact matrix in every iteration: how it iterates, and when it has converged. What the equations
 * are is a row of functions: bodies alone (body_alpha.c), machines with cables (newton.c), and their statics with a line search
 * (equilibrium.c).
 */
#include "newton_loop.h"

#include <math.h>

/* Iterations in which laws between bodies are linearised carefully. */
enum { CAREFUL_MOST = 8 };

/* What is furthest off must fall below this part of itself within so many iterations: where a law is very curved it takes many, but each
 * helps; going round in circles does not. */
enum { PATIENCE = 8 };
static const double HELPS = 0.7;

/* A remainder of bodies that Newton's method no longer improves is good if it is within this many times its tolerance. */
static const double STUCK_GOOD = 1e3;

/* No unknown moves further than this in the last iteration [m]. */
static const double LEAP = 0.02;

/* Friction that may be left. A contact that hardly bears anything does not count more than the others. */
static double rubs(const residual_norms *left, double tolerance) {
  return 10 * tolerance * left->holds / fmax(left->touching, 1);
}

int cps_newton_settled(const residual_norms *left, const newton_goal *goal) {
  double noise = goal->noise;
  int balanced = left->force <= goal->tolerance * left->tension + noise + 1e-12 ||
                 (left->force <= 16 * noise && left->moved <= goal->still);
  int rubbed = left->friction <= rubs(left, goal->tolerance) + noise + 1e-12 ||
               (left->friction <= 16 * noise && left->moved <= goal->still);
  return balanced && rubbed && left->apart <= goal->tolerance && left->moved < LEAP && !left->limited;
}

/* Whether bodies are as close to balance as round-off lets them come. */
static int stuck(const residual_norms *left, const residual_norms *before, const newton_goal *goal) {
  return !left->limited && left->apart <= STUCK_GOOD * goal->tolerance && left->apart > 0.1 * before->apart;
}

/* What is left after an iteration is some factor times what was left before it times how far it moved: that is how
 * Newton's method converges where everybody is in his place. The factor changes little from step to step. */
static const double FADES = 0.5;
enum { UNSEEN_MOST = 20 };

static double factor(double known, double before, double moved, double after) {
  double most = before * moved;
  return most > 0 ? fmax(FADES * known, after / most) : known;
}

/* Whether an iteration has left so little, as the factors have it, that there is no need to go and see; now and then
 * it is seen nevertheless. What is left must be a small part of what there was: far from the solution factors mean
 * nothing. */
static const double PART = 0.1;

static int expected(convergence *x, const residual_norms *left, int it) {
  if (!(x->force > 0) || (it == 1 && x->unseen == UNSEEN_MOST)) return 0;
  double most = x->balance * left->tension;
  if (!(x->force * left->moved <= PART && x->friction * left->moved <= PART)) return 0;
  if (!(x->force * left->force * left->moved <= most && x->friction * left->friction * left->moved <= most))
    return 0;
  if (!(fmax(x->force, x->friction) * left->apart * left->moved <= x->balance)) return 0;
  if (it == 1) x->unseen++;
  return 1;
}

/* Whether bodies have come no nearer to balance since the mark. */
static int circles(int it, double apart, double *mark) {
  if ((it - 1) % PATIENCE != 0) return 0;
  int none = it > PATIENCE + 1 && apart > HELPS * *mark;
  *mark = apart;
  return none;
}

int cps_newton_iterate(const newton_equations *e, void *of, const newton_goal *goal) {
  convergence *known = goal->known;
  residual_norms left, before = {0};
  double mark = INFINITY;
  int was_calm = 0;
  for (int it = 1; it <= goal->most + e->judged_first; it++) {
    if (e->waits(of)) return NEWTON_STOPPED;
    left = (residual_norms){0};
    if (!e->evaluate(of, it == 1 ? e->first : it <= CAREFUL_MOST ? LOOK_CAREFULLY : LOOK_HERE, &left)) break;
    if (e->judged_first && it > 1 && (cps_newton_settled(&left, goal) || stuck(&left, &before, goal)))
      return it - 1;
    if (it > goal->most || circles(it, left.apart, &mark) || !e->correct(of, &left)) break;
    if (!e->judged_first && cps_newton_settled(&left, goal)) return it;
    int calm = e->update(of, it, &left, &before), touches = left.touching == before.touching;
    if (was_calm && touches) {
      known->force = factor(known->force, before.force, before.moved, left.force);
      known->friction = factor(known->friction, before.friction, before.moved, left.friction);
      known->unseen = 0;
    }
    calm &= it == 1 || touches;
    if (calm && expected(known, &left, it)) return it;
    was_calm = calm;
    before = left;
  }
  return NEWTON_FAILED;
}
