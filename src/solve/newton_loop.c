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

/* A remainder of bodies that Newton's method no longer improves is good if it is within this many times what may be left. */
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
  return balanced && rubbed && left->apart <= 1 && left->moved < LEAP && !left->limited;
}

/* Whether bodies are as close to balance as round-off lets them come. */
static int stuck(const residual_norms *left, const residual_norms *before) {
  return !left->limited && left->apart <= STUCK_GOOD && left->apart > 0.1 * before->apart;
}

/* What is left after an iteration is some factor times what was left before it times how far it moved: that is how
 * Newton's method converges with an active set that no longer changes. The factor changes little from step to step. Forces are also
 * bounded by a factor times the square of how far it moved: a cable that turns gets longer by that. */
static const double FADES = 0.5;
enum { UNSEEN_MOST = 20 };

static double factor(double known, double most, double after) {
  return most > 0 ? fmax(FADES * known, after / most) : known;
}

static void learn(convergence *x, const residual_norms *before, const residual_norms *left) {
  x->force = factor(x->force, before->force * before->moved, left->force);
  x->stretch = factor(x->stretch, before->moved * before->moved, left->force);
  x->friction = factor(x->friction, before->friction * before->moved, left->friction);
  x->slides = factor(x->slides, before->slides * before->moved, left->slides);
  x->unseen = 0;
}

/* Whether an iteration has left so little, as the factors have it, that there is no need to go and see; now and then
 * it is seen nevertheless. What is left must be a small part of what there was: far from the solution factors mean
 * nothing. */
static const double PART = 0.1;

static int forces_fade(const convergence *x, const residual_norms *left, double tolerance, int blind) {
  double most = x->balance * left->tension, moved = left->moved;
  double force = x->force * left->force * moved;
  if (!blind) force = fmin(force, x->stretch * moved * moved);
  double apart = fmax(x->force, x->friction) * left->apart * tolerance * moved;
  int slides = x->slides * moved <= PART && x->slides * left->slides * moved <= most;
  return force <= PART * left->force && force <= most && apart <= x->balance &&
         (slides || !(left->slides > 0));
}

static int friction_fades(const convergence *x, const residual_norms *left) {
  double moved = left->moved;
  return x->friction * moved <= PART && x->friction * left->friction * moved <= x->balance * left->tension;
}

/* Friction is looked at where its factor does not say enough: contacts that change make it jump. Steps within others start so near that
 * it says too much: on a ship that heaves, tensions at rows were off by 4e-4 of themselves. Where no more may be left than what
 * round-off causes there is nothing to be seen. */
static int expected(const newton_equations *e, void *of, const newton_goal *goal, const residual_norms *left,
                    int it, newton_places places, int changed) {
  convergence *x = goal->known;
  if (places == PLACES_UNKNOWN || !(x->force > 0) || (it == 1 && x->unseen == UNSEEN_MOST)) return 0;
  int blind = x->balance * left->tension < goal->noise;
  if (!forces_fade(x, left, goal->tolerance, blind)) return 0;
  if (places == PLACES_WRONG || (x->wary && changed) || !friction_fades(x, left))
    if (blind || !e->rub_right || !e->rub_right(of, x->balance * left->tension)) return 0;
  if (it == 1) x->unseen++;
  return 1;
}

/* Whether bodies have come no nearer to balance since the mark. */
static int circles(int it, double apart, double *mark) {
  if ((it - 1) % PATIENCE != 0) return 0;
  int none = it > PATIENCE + 1 && apart > 1 && apart > HELPS * *mark;
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
    if (e->judged_first && it > 1 && (cps_newton_settled(&left, goal) || stuck(&left, &before)))
      return it - 1;
    if (it > goal->most || circles(it, left.apart, &mark) || !e->correct(of, &left)) break;
    if (!e->judged_first && cps_newton_settled(&left, goal)) return it;
    newton_places places = e->update(of, it, &left, &before);
    int touches = left.touching == before.touching, same = it == 1 || touches;
    if (was_calm && touches) learn(known, &before, &left);
    if (same && expected(e, of, goal, &left, it, places, it > 1 && !was_calm)) return it;
    if (e->guess) e->guess(of, it);
    was_calm = places == PLACES_RIGHT && same;
    before = left;
  }
  return NEWTON_FAILED;
}
