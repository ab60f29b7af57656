/* alpha_step.c - one step of machines with cables by the generalised-alpha method (alpha_rule.c).
 *
 * Newton's method solves for accelerations and friction forces at the end of the step, with the exact matrix in every
 * iteration.
 */
#include "newton.h"
#include "simd.h"

#include <math.h>
#include <string.h>

/* Iterations of a step. */
enum { NEWTON_MOST = 15 };

/* Newton's tolerance: force that is left before the last iteration, relative to the tension. What is left after it
 * is far less. */
static const double BALANCED = 1e-7;

alpha_weights cps_machine_weights(const machine *m, double h) {
  return m->newmark ? cps_newmark_weights(m->gamma, h) : cps_alpha_weights(m->rho, h);
}

/* Where states of laws start from, so that z = z_star + z_s z_t. */
static void predict_states(const contact_law *l, contact_memory *y, const alpha_rule *u) {
  if (l->walks) memcpy(y->z_star, y->z0, sizeof y->z_star);
  if (l->walks) return;
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < l->law->n_states; j++)
      y->z_star[i][j] = y->z0[i][j] + u->x_aux * y->aux0[i][j] + u->x_old * y->z_t0[i][j];
}

static void finish_states(const contact_law *l, contact_memory *y, const alpha_rule *u) {
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < l->law->n_states; j++)
      y->aux[i][j] = u->aux_new * y->z_t[i][j] + u->aux_old * y->z_t0[i][j] + u->aux_aux * y->aux0[i][j];
}

/* How much the acceleration of an unknown of the border has changed. */
static double changed(const machine *m, int k) { return fabs(*m->free[k].aux - *m->free[k].aux0); }

/* The most that bodies and rims of drums have. Seams of belts are nodes of their cables, and among these; bodies that have nothing to do
 * with cables are judged as bodies alone are (body_error.c). */
static double border_changed(const machine *m) {
  double most = 0;
  for (int i = 0; i < m->n_bodies; i++)
    for (int k = 0; k < m->body[i].n && !m->body[i].apart; k++)
      most = fmax(most, changed(m, m->body[i].at + k));
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) most = fmax(most, m->drum[i].radius * changed(m, m->drum[i].angle_at));
  return most;
}

/* The auxiliary accelerations at the end, and what they say about the error: a norm of (beta - 1/6) h^2 da. */
static double finish(machine *m, const alpha_weights *u) {
  double sum = 0, count = 0;
  double by_a = u->v.aux_new, by_a0 = u->v.aux_old, by_aux = u->v.aux_aux;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t n = cps_cable_entries(c);
    lanes squares = all(0);
    if (m->dim == 2) { /* a node is a vector, of which the first two numbers are its place */
      for (size_t k = 0; k < n; k += LANES) {
        lanes before = load(c->aux0 + k);
        lanes aux = all(by_a) * load(c->a + k) + all(by_a0) * load(c->a0 + k) + all(by_aux) * before;
        save(c->aux + k, aux);
        squares += (aux - before) * (aux - before);
      }
      sum += squares[0] + squares[1];
    }
    for (size_t k = 0; k < n && m->dim == 3; k++) {
      c->aux[k] = by_a * c->a[k] + by_a0 * c->a0[k] + by_aux * c->aux0[k];
      if (k % 6 < 3) sum += (c->aux[k] - c->aux0[k]) * (c->aux[k] - c->aux0[k]);
    }
    count += c->n + 1;
    for (int j = 0; c->memory && j < c->n_points; j++)
      if (c->point[j].drum >= 0) finish_states(&c->contact, &c->memory[j], &u->z);
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    *f->aux = by_a * *f->a + by_a0 * *f->a0 + by_aux * *f->aux0;
  }
  for (int k = 0; k < m->n_slides; k++) finish_states(&m->slide[k].law, &m->slide[k].y, &u->z);
  return fabs(u->beta - 1.0 / 6) * u->h * u->h * fmax(border_changed(m), sqrt(sum / fmax(count, 1)));
}

/* Who stuck and who slid at the end of the last step is the guess for this one; but who would be pulled beyond what it holds if
 * friction changed as in that step lets go. */
static void guess(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (!cps_contact_guesses(m, c)) continue;
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      double next = p->f[0] + c->trace[k].rise;
      int sticks = p->stuck && fabs(next) <= p->limit;
      p->guess = sticks ? GUESS_STICK : next > 0 ? GUESS_FORWARD : GUESS_BACKWARD;
      if (p->stuck && hypot(p->f[0], p->f[1]) > p->limit)
        p->guess = GUESS_NONE; /* smooth laws between sticking and slipping */
    }
  }
}

/* Whether nodes are about where they were expected, their accelerations having changed by what q_a makes of it: within a part of
 * an element, and of a radian. Otherwise the step is too long to know it, and the equations may have been solved elsewhere: an
 * element turned inside out, or pressed deep into a drum, is in balance too. */
static const double ASTRAY = 0.25, TURNED = 0.05;

static int resolved(const machine *m, double q_a) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double shortest = cps_cable_shortest(c);
    lanes most = all(0);
    if (m->dim == 2)
      for (int k = 0; k <= c->n; k++)
        most = larger(most, magnitude(load(c->a + k * 4) - load(c->a0 + k * 4)));
    if (m->dim == 2 && q_a * fmax(most[0], most[1]) <= ASTRAY * shortest &&
        q_a * fmax(most[2], most[3]) <= TURNED)
      continue; /* all are well within */
    for (int k = 0; k <= c->n; k++) {
      const double *a = c->a + k * c->b, *a0 = c->a0 + k * c->b;
      double moved = 0, turned = 0;
      for (int d = 0; d < m->dim; d++) {
        moved = fmax(moved, fabs(a[d] - a0[d]));
        turned = fmax(turned, fabs(a[m->dim + d] - a0[m->dim + d]));
      }
      if (q_a * moved > ASTRAY * c->length[k < c->n ? k : c->n - 1] || q_a * turned > TURNED) return 0;
    }
  }
  return 1;
}

/* Solves a step from where accelerations are expected, from the step around it or from those before; or as if they stayed. 0, with the state as before, if it did not converge. */
static int solve_from(alpha_stepper *r, const alpha_weights *u, double t1, int changing) {
  machine *m = r->m;
  cps_machine_keep(m);
  guess(m);
  int within = changing && cps_between_start(&r->between, m, r->t, u->h);
  cps_alpha_predict(m, u, changing && !within);
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; m->cable[i].memory && k < m->cable[i].n_points; k++)
      predict_states(&m->cable[i].contact, &m->cable[i].memory[k], &u->z);
  for (int k = 0; k < m->n_slides; k++) predict_states(&m->slide[k].law, &m->slide[k].y, &u->z);
  cps_machine_move(m, r->t, t1);
  cps_machine_tie(m);
  r->coeffs = (step_coeffs){t1, u->q_new, u->v.x_new, u->z.x_new, 0, 0, u->h};
  convergence known = m->convergence;
  known.wary = within;
  int it = cps_newton_solve(m, &r->coeffs, NEWTON_MOST, fmin(BALANCED, known.balance), &known);
  if (!within) m->convergence = known; /* a row starts nearer, and would spoil what steps know */
  r->iterations += it < 0 ? NEWTON_MOST : it;
  if (it > 0 && resolved(m, r->coeffs.q_a)) return 1;
  cps_machine_bring_back(m);
  return 0;
}

/* A step whose first start fails is started once more. Where that has not helped for so many failures, as beside laws that are hard to
 * solve (with `rill` on a rope that slides it helped 6 times of 695), it is tried at every eighth failure only. */
enum { FRUITLESS = 16, RETRY_EVERY = 8 };

static int retry(alpha_stepper *r, const alpha_weights *u, double t1) {
  if (r->m->stopped || !(r->m->rise_length > 0)) return 0;
  int tried = r->fruitless < FRUITLESS || r->fruitless % RETRY_EVERY == 0;
  int good = tried && solve_from(r, u, t1, 0);
  r->fruitless = good ? 0 : r->fruitless + 1;
  return good;
}

int cps_alpha_step(alpha_stepper *r, double h, double t1) {
  machine *m = r->m;
  alpha_weights u = cps_machine_weights(m, h);
  if (!solve_from(r, &u, t1, 1) && !retry(r, &u, t1)) return 0;
  cps_memory_refresh(m, &r->coeffs);
  r->error = finish(m, &u);
  r->t += h;
  return 1;
}
