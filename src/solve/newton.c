/* newton.c - the equations of a machine as Newton's method has them (newton_loop.c): its active set, and what round-off leaves. */
#include "newton.h"

#include <math.h>

/* Guesses of who sticks next come after the first iterations of a step and, should these not do, once more. */
enum { SPREAD_MOST = 3 };

/* A node does not move further than this in one iteration [m]. */
static const double LEAP = 0.02;

/* Force that round-off of positions causes: coordinates of size r are known to 1e-16 r, strains to that over the
 * length of an element. The estimate is a cautious one: some times that much, too, is nothing else if it moves
 * nothing, less than `still`. */
static double round_off(const machine *m, double *still) {
  double most = 0;
  *still = INFINITY;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double size = 0, shortest = cps_cable_shortest(c);
    for (int d = 0; d < m->dim; d++) size = fmax(size, fmax(fabs(c->q[d]), fabs(c->q[c->n * c->b + d])));
    most = fmax(most, 4 * 2.2e-16 * c->section.ea * fmax(size, shortest) / shortest);
    *still = fmin(*still, 1e-12 * size);
  }
  return most;
}

newton_goal cps_newton_goal(const machine *m, int most, double tolerance) {
  newton_goal goal = {.most = most, .tolerance = tolerance};
  goal.noise = round_off(m, &goal.still);
  return goal;
}

/* Whether what is known of how fast iterations converge may end a solve: what is not smooth in the equations of a machine are contacts
 * that cps_contact_wrong looks at, and bearings and rails that cps_slides_wrong judges. Not so in statics, nor with the all-stick
 * reading, nor with memory that switches between modes or lies at points of elements, where the factor changes too much from step to
 * step: torques of the published elevator in steps of 2 ms were off by 2e-5 of themselves. */
static int is_plain(const machine *m, const step_coeffs *coeffs) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    int unsure = c->contact.kind == LAW_MEMORY && (c->contact.law->n_modes || c->of->contact.quadrature > 0);
    if (c->n_points > 0 && (c->all_stick || unsure)) return 0;
  }
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (y->contact && m->n_apart > 0)
      return 0; /* bodies apart from cables are judged by what balances there */
    if (y->law.kind == LAW_MEMORY && y->law.law->n_modes) return 0;
  }
  return !(coeffs->bristle > 0);
}

/* Bristles that turn round, and smooth laws at the edge of sticking, may send Newton's method in circles: half a step
 * breaks these, now and then for bristles, and for the others where friction is further off than before. */
static int break_circles(machine *m, const step_coeffs *coeffs, int it, int worse) {
  int halved = 0;
  if (m->near > 0 || it < 4 || coeffs->bristle > 0) return 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    int circles = c->contact.kind == LAW_MEMORY    ? it > 4 && it % 3 == 0
                  : c->contact.kind == LAW_BALANCE ? worse
                                                   : 0;
    if (!circles || c->n_points == 0) continue;
    cps_cable_take_back(m, c, coeffs, 0.5);
    halved = 1;
  }
  return halved;
}

/* As long as nothing else is known: what a thousandth of an element changes all of. */
static void start_pace(convergence *x, const machine *m) {
  double shortest = INFINITY;
  for (int i = 0; i < m->n_cables; i++) shortest = fmin(shortest, cps_cable_shortest(&m->cable[i]));
  x->force = x->friction = 1e3 / shortest;
}

/* A solve of a machine. */
typedef struct machine_solve {
  machine *m;
  const step_coeffs *coeffs;
  const convergence *known;
  int plain;
} machine_solve;

static int waits(void *of) {
  const machine_solve *x = of;
  return cps_machine_waits(x->m, x->coeffs);
}

static int evaluate(void *of, sight where, residual_norms *left) {
  const machine_solve *x = of;
  x->m->sight = where;
  return cps_machine_evaluate(x->m, x->coeffs, left);
}

static int correct(void *of, residual_norms *left) {
  const machine_solve *x = of;
  return cps_machine_correct(x->m, x->coeffs, LEAP, left);
}

/* Who sticks next, as contacts of cables and slides have it. */
static int update(void *of, int it, const residual_norms *left, const residual_norms *before) {
  const machine_solve *x = of;
  machine *m = x->m;
  double slack = x->known->balance * left->tension;
  int halved = break_circles(m, x->coeffs, it, left->friction > before->friction), wrong = 0;
  for (int i = 0; i < m->n_cables && !(x->coeffs->bristle > 0); i++) cps_contact_limit(&m->cable[i]);
  for (int i = 0; i < m->n_cables; i++) {
    /* smooth laws have no edge to be off by a little at */
    int off = cps_contact_wrong(m, &m->cable[i], x->coeffs,
                                (m->cable[i].contact.kind == LAW_BALANCE ? 0 : 0.1) * slack);
    if (off && (it <= SPREAD_MOST || it == 2 * SPREAD_MOST)) cps_contact_spread(m, &m->cable[i], x->coeffs);
    wrong |= off;
  }
  wrong |= cps_slides_wrong(m, x->coeffs, 0.1 * slack);
  return x->plain && !wrong && !halved && !left->limited; /* everybody is in his place */
}

static const newton_equations machine_equations = {
    .first = LOOK_HERE, .waits = waits, .evaluate = evaluate, .correct = correct, .update = update};

int cps_newton_solve(machine *m, const step_coeffs *coeffs, int most, double tolerance, convergence *known) {
  convergence afresh = {.balance = 0.01 * tolerance};
  if (known && !(known->force > 0)) start_pace(known, m);
  newton_goal goal = cps_newton_goal(m, most, tolerance);
  goal.known = known ? known : &afresh;
  machine_solve solve = {m, coeffs, goal.known, is_plain(m, coeffs)};
  int it = cps_newton_iterate(&machine_equations, &solve, &goal);
  m->sight = LOOK_HERE;
  return it;
}
