/* newton.c - the equations of a machine as Newton's method has them (newton_loop.c): its active set, and what round-off leaves. */
#include "newton.h"
#include "law_guess.h"

#include <math.h>

/* Guesses of who sticks next come after the first iterations of a step and, should these not do, after some later ones, between which it
 * is seen what becomes of them; of smooth laws after each of the first, as friction of what slips is known a little better each time. */
enum { SPREAD_FIRST = 3, SPREAD_AGAIN = 6, SPREAD_MOST = 10 };

static int guesses_after(const cable *c, int it) {
  if (c->contact.kind == LAW_BALANCE) return it <= SPREAD_MOST;
  return it <= SPREAD_FIRST || (it >= SPREAD_AGAIN && it <= SPREAD_MOST && it % 2 == 0);
}

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

newton_goal cps_newton_goal(machine *m, int most, double tolerance) {
  newton_goal goal = {.most = most, .tolerance = tolerance};
  m->equations.balance = tolerance;
  goal.noise = round_off(m, &goal.still);
  return goal;
}

/* Whether what is known of how fast iterations converge may end a solve: what is not smooth in the equations of a machine are contacts
 * that cps_contact_wrong looks at, and bearings and rails that cps_slides_wrong judges. Not so in statics, nor with the all-stick
 * reading, nor with memory that switches between modes or lies at points of elements, where the factor changes too much from step to
 * step: torques of the published elevator in steps of 2 ms were off by 2e-5 of themselves. With laws whose velocities are guessed friction
 * is looked at instead. */
static int is_plain(const machine *m, const step_coeffs *coeffs) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    int looks = cps_contact_looks(c); /* friction is then looked at */
    int unsure = c->contact.kind == LAW_MEMORY && !looks &&
                 (c->contact.law->n_modes || c->of->contact.quadrature > 0);
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
 * breaks these, now and then for bristles whose velocities are not guessed, and for the others where friction is further off than before.
 */
static int break_circles(machine *m, const step_coeffs *coeffs, int it, int worse) {
  int halved = 0;
  if (m->near > 0 || it < 4 || coeffs->bristle > 0) return 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    int circles = c->contact.kind == LAW_MEMORY    ? it > 4 && it % 3 == 0 && !cps_contact_looks(c)
                  : c->contact.kind == LAW_BALANCE ? worse
                                                   : 0;
    if (!circles || c->n_points == 0) continue;
    cps_cable_take_back(m, c, coeffs, 0.5);
    halved = 1;
  }
  return halved;
}

/* As long as nothing else is known: what a thousandth of an element changes all of; and of forces a thousand times what the
 * stiffest cable pulls with when its shortest element turns by that much. */
static void start_pace(convergence *x, const machine *m) {
  double shortest = INFINITY, stiffest = 0;
  for (int i = 0; i < m->n_cables; i++) {
    shortest = fmin(shortest, cps_cable_shortest(&m->cable[i]));
    stiffest = fmax(stiffest, m->cable[i].section.ea);
  }
  x->force = x->friction = x->slides = 1e3 / shortest;
  x->stretch = 1e3 * stiffest / (shortest * shortest);
}

/* A solve of a machine. */
typedef struct machine_solve {
  machine *m;
  const step_coeffs *coeffs;
  const convergence *known;
  int plain;
  int looks; /* laws with memory are linearised at velocities that are guessed */
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

/* Whether contacts of cables and slides are in their places. */
static newton_places update(void *of, int it, const residual_norms *left, const residual_norms *before) {
  const machine_solve *x = of;
  machine *m = x->m;
  double slack = 0.1 * x->known->balance * left->tension;
  int halved = break_circles(m, x->coeffs, it, left->friction > before->friction), wrong = 0, looks = 0;
  for (int i = 0; i < m->n_cables && !(x->coeffs->bristle > 0); i++) cps_contact_limit(&m->cable[i]);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    /* smooth laws have no edge to be off by a little at */
    c->wrong = cps_contact_wrong(m, c, x->coeffs, c->contact.kind == LAW_BALANCE ? 0 : slack);
    wrong |= c->wrong;
    looks |= cps_contact_looks(c) && (x->looks || c->of->contact.quadrature > 0);
  }
  if (cps_slides_wrong(m, x->coeffs, slack) || !x->plain || halved || left->limited) return PLACES_UNKNOWN;
  return wrong || looks ? PLACES_WRONG : PLACES_RIGHT; /* guessed: what friction leaves is to be looked at */
}

/* Evaluates a contact of a cable where the iteration has brought it, with the scales of the iteration. Returns whether it touches. */
static int look_at_point(machine *m, cable *c, contact_point *p, const step_coeffs *coeffs,
                         contact_response *now) {
  double sum[3][3] = {{0}};
  size_t first = (size_t)(p->node * c->b);
  const double *r = c->q + first, *v = c->v + first, *a = c->a + first;
  if (c->of->contact.quadrature > 0) { /* not at nodes */
    for (int j = 0; j < 4; j++)
      for (int d = 0; d < m->dim; d++) {
        int at = j * m->dim + d;
        sum[0][d] += p->shape[j] * r[at];
        sum[1][d] += p->shape[j] * v[at];
        sum[2][d] += p->shape[j] * a[at];
      }
    r = sum[0], v = sum[1], a = sum[2];
  }
  c->frozen = 1;
  int touches = cps_contact_eval(m, c, p, r, v, a, NULL, 0, coeffs, now);
  c->frozen = 0;
  return touches;
}

/* Whether no contact of a cable touches or leaves a drum where the iteration has brought it, or leaves more than `most` of its
 * friction there. The points are as they were after it. */
static int cable_rubs_right(machine *m, cable *c, const step_coeffs *coeffs, double most) {
  int right = 1;
  for (int k = 0; k < c->n_points && right; k++) {
    contact_point *p = &c->point[k], kept = *p;
    contact_response now;
    int touches = look_at_point(m, c, p, coeffs, &now);
    right = touches == (kept.drum >= 0);
    for (int i = 0; touches && i < m->dim - 1; i++) right = right && fabs(now.rest[i]) <= most;
    *p = kept;
  }
  return right;
}

/* The same for all cables, with the scales of the iteration. */
static int rub_right(void *of, double most) {
  const machine_solve *x = of;
  int right = 1;
  for (int i = 0; i < x->m->n_cables && right; i++)
    right = cable_rubs_right(x->m, &x->m->cable[i], x->coeffs, most);
  return right;
}

/* Normal forces where the iteration has brought the cable, which say what friction can hold: those from before the first iteration of
 * a step are far off. Smooth laws answer with more than they hold where they slip: with 10240 elements a tenth more on hundreds
 * of contacts moves the front by dozens. */
static void press_anew(machine *m, cable *c, const step_coeffs *coeffs) {
  for (int k = 0; k < c->n_points; k++) {
    contact_point *p = &c->point[k], kept = *p;
    contact_response now;
    if (p->drum < 0) continue;
    if (look_at_point(m, c, p, coeffs, &now)) {
      kept.n = p->n;
      kept.limit = p->limit;
      kept.box = p->box;
      kept.stiff = p->stiff;
      double answer = 0;
      for (int i = 0; i < m->dim - 1; i++) answer = hypot(answer, kept.f[i] - now.rest[i]);
      if (c->contact.kind == LAW_BALANCE && !p->stuck)
        kept.box = fmin(c->contact.most * p->n, fmax(p->box, answer));
    }
    *p = kept;
  }
}

/* Laws with memory are linearised where they are until friction is off by more than this part of what is held: `lugre-load` hardly ever is,
 * and would be looked at for nothing. After that they are guessed to the end of the solve. */
static const double LOOK_FROM = 0.01;

/* Who sticks next, where someone was wrong. */
static void guess(void *of, int it) {
  machine_solve *x = of;
  machine *m = x->m;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    x->looks |= cps_contact_look(m, c, x->coeffs, x->looks ? 0 : LOOK_FROM);
    if (!c->wrong || !guesses_after(c, it)) continue;
    press_anew(m, c, x->coeffs);
    cps_contact_spread(m, c, x->coeffs);
  }
}

static const newton_equations machine_equations = {.first = LOOK_HERE,
                                                   .waits = waits,
                                                   .evaluate = evaluate,
                                                   .correct = correct,
                                                   .update = update,
                                                   .rub_right = rub_right,
                                                   .guess = guess};

int cps_newton_solve(machine *m, const step_coeffs *coeffs, int most, double tolerance, convergence *known) {
  convergence afresh = {.balance = 0.01 * tolerance, .stretch = INFINITY};
  if (known && !(known->force > 0)) start_pace(known, m);
  newton_goal goal = cps_newton_goal(m, most, tolerance);
  goal.known = known ? known : &afresh;
  machine_solve solve = {m, coeffs, goal.known, is_plain(m, coeffs), 0};
  newton_equations equations = machine_equations;
  if (!known) equations.rub_right = NULL; /* it is to converge as far as it can */
  int it = cps_newton_iterate(&equations, &solve, &goal);
  m->sight = LOOK_HERE;
  return it;
}
