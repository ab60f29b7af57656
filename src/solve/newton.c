/* newton.c - Newton's method on the equations of a machine, with the exact matrix in every iteration; and when it has converged. */
#include "newton.h"

#include "simd.h"

#include <math.h>
#include <string.h>

/* Guesses of who sticks next come after the first iterations of a step and, should these not do, once more. */
enum { SPREAD_MOST = 3 };

/* Iterations in which laws between bodies are linearised carefully. */
enum { CAREFUL_MOST = 8 };

/* A node does not move further than this in one iteration [m]. */
static const double LEAP = 0.02;

/* Keeps what is now, or brings it back. */
static inline void carry(void *now, void *kept, size_t bytes, int back) {
  memcpy(back ? now : kept, back ? kept : now, bytes);
}

static void carry_memory(contact_memory *y, int back) {
  carry(y->z, y->z0, sizeof y->z, back);
  carry(y->aux, y->aux0, sizeof y->aux, back);
  carry(y->z_t, y->z_t0, sizeof y->z_t, back);
}

/* Modes are those of the step in any case: guards fire within it, or after it. */
static void keep_point(contact_point *p) {
  p->drum0 = p->drum;
  p->stuck0 = p->stuck != 0;
  p->slid0 = p->slid != 0;
  p->flips = 0;
  memcpy(p->mode0, p->mode, sizeof p->mode0);
}

static void bring_point_back(contact_point *p) {
  p->drum = p->drum0;
  p->stuck = p->stuck0;
  p->slid = p->slid0;
  p->guess = GUESS_NONE;
}

static void carry_cable(cable *c, int back) {
  size_t bytes = cps_cable_entries(c) * sizeof(double);
  carry(c->q, c->q0, bytes, back);
  carry(c->v, c->v0, bytes, back);
  carry(c->a, c->a0, bytes, back);
  carry(c->aux, c->aux0, bytes, back);
  if (c->all_stick) {
    carry(c->gap, c->gap0, bytes, back);
    carry(c->pull, c->pull0, (size_t)(c->n_points * AXES) * sizeof(double), back);
  }
  for (int k = 0; k < c->n_points; k++) {
    carry(c->point[k].f, c->f0 + k * AXES, sizeof c->point[k].f, back);
    if (back)
      bring_point_back(&c->point[k]);
    else
      keep_point(&c->point[k]);
  }
  for (int k = 0; c->memory && k < c->n_points; k++) carry_memory(&c->memory[k], back);
}

static void carry_machine(machine *m, int back) {
  for (int i = 0; i < m->n_cables; i++) carry_cable(&m->cable[i], back);
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    carry(&f->q, &f->q0, sizeof f->q, back);
    carry(&f->v, &f->v0, sizeof f->v, back);
    carry(&f->a, &f->a0, sizeof f->a, back);
    carry(&f->aux, &f->aux0, sizeof f->aux, back);
  }
  carry(m->y, m->q0, (size_t)m->system->nx * sizeof(double), back);
  for (int k = 0; k < m->n_slides; k++) {
    contact_point *p = &m->slide[k].p;
    if (!back) memcpy(p->mode0, p->mode, sizeof p->mode0);
    if (m->slide[k].law.law->n_states) carry_memory(&m->slide[k].y, back);
  }
  carry(m->drum, m->drum0, (size_t)m->n_drums * sizeof *m->drum, back);
}

void cps_machine_keep(machine *m) { carry_machine(m, 0); }

void cps_machine_bring_back(machine *m) { carry_machine(m, 1); }

int cps_machine_stay(machine *m) {
  int any = 0;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    for (int k = 0; k < y->n && y->apart; k++) {
      dof *f = &m->free[y->at + k];
      f->q = f->q0;
      f->v = f->v0;
      any = 1;
    }
  }
  if (any) cps_machine_tie(m);
  return any;
}

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

/* Friction that may be left. A contact that hardly bears anything does not count more than the others. */
static double rubs(const residual_norms *left, double tolerance) {
  return 10 * tolerance * left->holds / fmax(left->touching, 1);
}

/* What is left before an iteration is far less after it. */
static int converged(const residual_norms *left, double tolerance, double noise, double still) {
  int balanced = left->force <= tolerance * left->tension + noise + 1e-12 ||
                 (left->force <= 16 * noise && left->moved <= still);
  int rubbed = left->friction <= rubs(left, tolerance) + noise + 1e-12 ||
               (left->friction <= 16 * noise && left->moved <= still);
  return balanced && rubbed && left->apart <= tolerance && left->moved < LEAP && !left->limited;
}

int cps_newton_converged(const machine *m, const residual_norms *left, double tolerance) {
  double still, noise = round_off(m, &still);
  return converged(left, tolerance, noise, still);
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

/* What is left after an iteration is some factor times what was left before it times how far it moved: that is how
 * Newton's method converges where everybody is in his place. The factor changes little from step to step. */
static const double FADES = 0.5;
enum { UNSEEN_MOST = 20 };

static double factor(double known, double before, double moved, double after) {
  double most = before * moved;
  return most > 0 ? fmax(FADES * known, after / most) : known;
}

/* As long as nothing else is known: what a thousandth of an element changes all of. */
static void start_pace(convergence *x, const machine *m) {
  double shortest = INFINITY;
  for (int i = 0; i < m->n_cables; i++) shortest = fmin(shortest, cps_cable_shortest(&m->cable[i]));
  x->force = x->friction = 1e3 / shortest;
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

static int iterate(machine *m, const step_coeffs *coeffs, int most, double tolerance, convergence *known) {
  convergence afresh = {.balance = 0.01 * tolerance}, *convergence = known ? known : &afresh;
  double still, noise = round_off(m, &still);
  residual_norms before = {0};
  if (known && !(known->force > 0)) start_pace(known, m);
  int plain = is_plain(m, coeffs), was_calm = 0;
  for (int it = 1; it <= most; it++) {
    residual_norms left;
    if (cps_machine_waits(m, coeffs)) return -1;
    m->sight = it > 1 && it < CAREFUL_MOST ? LOOK_CAREFULLY : LOOK_HERE;
    if (!cps_machine_iterate(m, coeffs, LEAP, &left)) return -1;
    if (converged(&left, tolerance, noise, still)) return it;
    int halved = break_circles(m, coeffs, it, left.friction > before.friction);
    for (int i = 0; i < m->n_cables && !(coeffs->bristle > 0); i++) cps_contact_limit(&m->cable[i]);
    int wrong = 0;
    for (int i = 0; i < m->n_cables; i++) {
      /* smooth laws have no edge to be off by a little at */
      int off = cps_contact_wrong(m, &m->cable[i], coeffs,
                                  (m->cable[i].contact.kind == LAW_BALANCE ? 0 : 0.1) * convergence->balance *
                                      left.tension);
      if (off && (it <= SPREAD_MOST || it == 2 * SPREAD_MOST)) cps_contact_spread(m, &m->cable[i], coeffs);
      wrong |= off;
    }
    wrong |= cps_slides_wrong(m, coeffs, 0.1 * convergence->balance * left.tension);
    int calm = plain && !wrong && !halved && !left.limited; /* everybody is in his place */
    if (was_calm && left.touching == before.touching) {
      convergence->force = factor(convergence->force, before.force, before.moved, left.force);
      convergence->friction = factor(convergence->friction, before.friction, before.moved, left.friction);
      convergence->unseen = 0;
    }
    calm &= it == 1 || left.touching == before.touching;
    if (calm && expected(convergence, &left, it)) return it;
    was_calm = calm;
    before = left;
  }
  return -1;
}

int cps_newton_solve(machine *m, const step_coeffs *coeffs, int most, double tolerance, convergence *known) {
  int it = iterate(m, coeffs, most, tolerance, known);
  m->sight = LOOK_HERE;
  return it;
}
