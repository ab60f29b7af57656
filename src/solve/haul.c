/* haul.c - time stepping of machines by the generalised-alpha method.
 *
 * (J. Chung, G. M. Hulbert 1993, in the form of M. Arnold, O. Bruls 2007: forces balance at the end of the step.)
 * With A the acceleration that balances forces and a the auxiliary one,
 *
 *   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) A1 + alpha_f A0,
 *   q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),  v1 = v0 + h ((1 - gamma) a0 + gamma a1),
 *
 * and Newton's method on A1 and the friction forces, with the exact matrix in every iteration. States of friction
 * laws follow the same rule for first-order equations (K. E. Jansen et al. 2000).
 */
#include "haul.h"

#include "simd.h"

#include <math.h>
#include <string.h>

/* Iterations of a step; guesses of who sticks next come after the first ones and, should these not do, once more. */
enum { NEWTON_MOST = 15, SPREAD_MOST = 3 };

/* Newton's tolerance: force that is left before the last iteration, relative to the tension. What is left after it
 * is far less. */
static const double BALANCED = 1e-7;

/* A node does not move further than this in one iteration [m]. */
static const double LEAP = 0.02;

static size_t entries(const cable *c) { return (size_t)(c->n + 1) * (size_t)c->b; }

static double shortest_of(const cable *c) {
  double shortest = c->length[0];
  for (int k = 1; k < c->n; k++) shortest = c->length[k] < shortest ? c->length[k] : shortest;
  return shortest;
}

void cps_haul_keep(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = entries(c) * sizeof(double);
    memcpy(c->q0, c->q, bytes);
    memcpy(c->v0, c->v, bytes);
    memcpy(c->a0, c->a, bytes);
    memcpy(c->aux0, c->aux, bytes);
    if (c->all_stick) {
      memcpy(c->gap0, c->gap, bytes);
      memcpy(c->pull0, c->pull, (size_t)(c->n_points * AXES) * sizeof(double));
    }
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      memcpy(c->f0 + k * AXES, p->f, sizeof p->f);
      p->drum0 = p->drum;
      p->stuck0 = p->stuck != 0;
      p->slid0 = p->slid != 0;
      p->flips = 0;
      memcpy(p->mode0, p->mode, sizeof p->mode0);
    }
    for (int k = 0; c->memory && k < c->n_points; k++) {
      contact_memory *y = &c->memory[k];
      memcpy(y->z0, y->z, sizeof y->z);
      memcpy(y->aux0, y->aux, sizeof y->aux);
      memcpy(y->z_t0, y->z_t, sizeof y->z_t);
    }
  }
  for (int k = 0; k < m->nb; k++) {
    freedom *f = &m->free[k];
    f->q0 = f->q;
    f->v0 = f->v;
    f->a0 = f->a;
    f->aux0 = f->aux;
  }
  for (int k = 0; k < m->n_slides; k++) {
    contact_memory *y = &m->slide[k].y;
    memcpy(m->slide[k].p.mode0, m->slide[k].p.mode, sizeof m->slide[k].p.mode0);
    memcpy(y->z0, y->z, sizeof y->z);
    memcpy(y->aux0, y->aux, sizeof y->aux);
    memcpy(y->z_t0, y->z_t, sizeof y->z_t);
  }
  memcpy(m->drum0, m->drum, (size_t)m->n_drums * sizeof *m->drum);
}

void cps_haul_bring_back(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = entries(c) * sizeof(double);
    memcpy(c->q, c->q0, bytes);
    memcpy(c->v, c->v0, bytes);
    memcpy(c->a, c->a0, bytes);
    memcpy(c->aux, c->aux0, bytes);
    if (c->all_stick) {
      memcpy(c->gap, c->gap0, bytes);
      memcpy(c->pull, c->pull0, (size_t)(c->n_points * AXES) * sizeof(double));
    }
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      memcpy(p->f, c->f0 + k * AXES, sizeof p->f);
      p->drum = p->drum0;
      p->stuck = p->stuck0;
      p->slid = p->slid0;
      p->guess = GUESS_NONE;
    }
    for (int k = 0; c->memory && k < c->n_points; k++) {
      contact_memory *y = &c->memory[k];
      memcpy(y->z, y->z0, sizeof y->z);
      memcpy(y->aux, y->aux0, sizeof y->aux);
      memcpy(y->z_t, y->z_t0, sizeof y->z_t);
    }
  }
  for (int k = 0; k < m->nb; k++) {
    freedom *f = &m->free[k];
    f->q = f->q0;
    f->v = f->v0;
    f->a = f->a0;
    f->aux = f->aux0;
  }
  for (int k = 0; k < m->n_slides; k++) {
    contact_memory *y = &m->slide[k].y;
    memcpy(y->z, y->z0, sizeof y->z);
    memcpy(y->aux, y->aux0, sizeof y->aux);
    memcpy(y->z_t, y->z_t0, sizeof y->z_t);
  }
  memcpy(m->drum, m->drum0, (size_t)m->n_drums * sizeof *m->drum);
}

/* Force that round-off of positions causes: coordinates of size r are known to 1e-16 r, strains to that over the
 * length of an element. The estimate is a cautious one: some times that much, too, is nothing else if it moves
 * nothing, less than `still`. */
static double round_off(const machine *m, double *still) {
  double most = 0;
  *still = INFINITY;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double size = 0, shortest = shortest_of(c);
    for (int d = 0; d < m->dim; d++) size = fmax(size, fmax(fabs(c->q[d]), fabs(c->q[c->n * c->b + d])));
    most = fmax(most, 4 * 2.2e-16 * c->section.ea * fmax(size, shortest) / shortest);
    *still = fmin(*still, 1e-12 * size);
  }
  return most;
}

/* Friction that may be left. A contact that hardly bears anything does not count more than the others. */
static double rubs(const leftover *left, double tolerance) {
  return 10 * tolerance * left->holds / fmax(left->touching, 1);
}

/* What is left before an iteration is far less after it. */
static int converged(const leftover *left, double tolerance, double noise, double still) {
  int balanced = left->force <= tolerance * left->tension + noise + 1e-12 ||
                 (left->force <= 16 * noise && left->moved <= still);
  int rubbed = left->friction <= rubs(left, tolerance) + noise + 1e-12 ||
               (left->friction <= 16 * noise && left->moved <= still);
  return balanced && rubbed && left->moved < LEAP;
}

int cps_haul_converged(const machine *m, const leftover *left, double tolerance) {
  double still, noise = round_off(m, &still);
  return converged(left, tolerance, noise, still);
}

/* Whether all that is not smooth in the equations of a machine are contacts that cps_contact_spread looks at. */
static int is_plain(const machine *m, const implicit *how) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    if (c->n_points > 0 && (!cps_contact_guesses(m, c) || c->contact.kind == LAW_JUMP)) return 0;
  }
  return m->n_slides == 0 && !(how->bristle > 0);
}

/* Whether nobody asks for what holds an end of a cable, which is known from before the last iteration. */
static int is_loose(const machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    if (c->fixed[0] || c->fixed[c->n]) return 0;
  }
  return m->nb == 0;
}

/* Bristles that turn round, and smooth laws at the edge of sticking, may send Newton's method in circles: half a step
 * breaks these, now and then for bristles, and for the others where friction is further off than before. */
static int break_circles(machine *m, const implicit *how, int it, int worse) {
  int halved = 0;
  if (m->nb > 0 || it < 4 || how->bristle > 0) return 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    int circles = c->contact.kind == LAW_MEMORY    ? it > 4 && it % 3 == 0
                  : c->contact.kind == LAW_BALANCE ? worse
                                                   : 0;
    if (!circles || c->n_points == 0) continue;
    cps_chain_take_back(c, how, 0.5);
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
static void start_pace(pace *x, const machine *m) {
  double shortest = INFINITY;
  for (int i = 0; i < m->n_cables; i++) shortest = fmin(shortest, shortest_of(&m->cable[i]));
  x->force = x->friction = 1e3 / shortest;
}

/* Whether an iteration has left so little, as the factors have it, that there is no need to go and see; now and then
 * it is seen nevertheless. What is left must be a small part of what there was: far from the solution factors mean
 * nothing. */
static const double PART = 0.1;

static int expected(pace *x, const leftover *left, int it, int loose) {
  if (!(x->force > 0) || (it == 1 && (x->unseen == UNSEEN_MOST || !loose))) return 0;
  double most = x->balance * left->tension;
  if (!(x->force * left->moved <= PART && x->friction * left->moved <= PART)) return 0;
  if (!(x->force * left->force * left->moved <= most && x->friction * left->friction * left->moved <= most))
    return 0;
  if (it == 1) x->unseen++;
  return 1;
}

int cps_haul_solve(machine *m, const implicit *how, int most, double tolerance, pace *known) {
  pace afresh = {.balance = 0.01 * tolerance}, *pace = known ? known : &afresh;
  double still, noise = round_off(m, &still);
  leftover before = {0};
  if (known && !(known->force > 0)) start_pace(known, m);
  int plain = is_plain(m, how), loose = is_loose(m), was_calm = 0;
  for (int it = 1; it <= most; it++) {
    leftover left;
    if (!cps_machine_iterate(m, how, LEAP, &left)) return -1;
    if (converged(&left, tolerance, noise, still)) return it;
    int halved = break_circles(m, how, it, left.friction > before.friction);
    for (int i = 0; i < m->n_cables && !(how->bristle > 0); i++) cps_contact_limit(&m->cable[i]);
    int wrong = 0;
    for (int i = 0; i < m->n_cables; i++) {
      /* smooth laws have no edge to be off by a little at */
      int off = cps_contact_wrong(m, &m->cable[i], how,
                                  (m->cable[i].contact.kind == LAW_BALANCE ? 0 : 0.1) * pace->balance *
                                      left.tension);
      if (off && (it <= SPREAD_MOST || it == 2 * SPREAD_MOST)) cps_contact_spread(m, &m->cable[i], how);
      wrong |= off;
    }
    int calm = plain && !wrong && !halved; /* everybody is in his place */
    if (was_calm && left.touching == before.touching) {
      pace->force = factor(pace->force, before.force, before.moved, left.force);
      pace->friction = factor(pace->friction, before.friction, before.moved, left.friction);
      pace->unseen = 0;
    }
    calm &= it == 1 || left.touching == before.touching;
    if (calm && expected(pace, &left, it, loose)) return it;
    was_calm = calm;
    before = left;
  }
  return -1;
}

/* Coefficients of the method. */
typedef struct rule {
  double am, af, beta, gamma, follow;
} rule;

static rule rule_of(const machine *m) {
  rule r = {0, 0, 0.25 * (m->gamma + 0.5) * (m->gamma + 0.5), m->gamma, 1};
  if (m->newmark) return r;
  double rho = m->rho;
  r.am = (2 * rho - 1) / (rho + 1);
  r.af = rho / (rho + 1);
  r.gamma = 0.5 - r.am + r.af;
  r.beta = (1 - r.am + r.af) * (1 - r.am + r.af) / 4;
  r.follow = (1 - r.af) / (1 - r.am);
  return r;
}

haul_weights cps_haul_weights(const machine *m, double h) {
  rule u = rule_of(m);
  double aux_a = 1 / (1 - u.am), aux_0 = -u.am / (1 - u.am);
  return (haul_weights){.q_aux = h * h * (0.5 - u.beta + u.beta * aux_0),
                        .q_a0 = h * h * u.beta * aux_a,
                        .v_aux = h * (1 - u.gamma + u.gamma * aux_0),
                        .v_a0 = h * u.gamma * aux_a,
                        .by_a = (1 - u.af) * aux_a,
                        .by_a0 = u.af * aux_a,
                        .by_aux = aux_0,
                        .z_rate = h * u.gamma * u.af * aux_a};
}

/* As if the acceleration stayed. */
static void predict(machine *m, const rule *u, double h) {
  double aux_a = 1 / (1 - u->am), aux_0 = -u->am / (1 - u->am);
  double q_0 = h * h * (0.5 - u->beta + u->beta * aux_0), q_a = h * h * u->beta * aux_a;
  double v_0 = h * (1 - u->gamma + u->gamma * aux_0), v_a = h * u->gamma * aux_a;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t n = entries(c);
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
      lanes v = load(c->v + k), aux = load(c->aux + k), a = load(c->a + k);
      save(c->q + k, load(c->q + k) + (all(h) * v + all(q_0) * aux + all(q_a) * a));
      save(c->v + k, v + (all(v_0) * aux + all(v_a) * a));
    }
    for (; k < n; k++) {
      c->q[k] += h * c->v[k] + q_0 * c->aux[k] + q_a * c->a[k];
      c->v[k] += v_0 * c->aux[k] + v_a * c->a[k];
    }
    for (int e = 0; e < 2; e++) { /* except what does not follow the equations */
      int node = e == 0 ? 0 : c->n;
      for (int j = 0; j < c->b; j++) {
        k = (size_t)(node * c->b + j);
        if (!(c->fixed[node] >> j & 1)) continue;
        c->q[k] = c->q0[k];
        c->v[k] = c->a[k] = 0;
      }
    }
  }
  for (int k = 0; k < m->nb; k++) {
    freedom *f = &m->free[k];
    f->q += h * f->v + q_0 * f->aux + q_a * f->a;
    f->v += v_0 * f->aux + v_a * f->a;
  }
}

/* Where states of laws start from, so that z = z_star + z_s z_t. */
static void predict_states(contact_memory *y, const rule *u, double h) {
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < CPS_MAX_STATES; j++)
      y->z_star[i][j] = y->z0[i][j] + h * (1 - u->gamma) * y->aux0[i][j] +
                        h * u->gamma * (u->af * y->z_t0[i][j] - u->am * y->aux0[i][j]) / (1 - u->am);
}

static void finish_states(contact_memory *y, const rule *u) {
  for (int i = 0; i < AXES; i++)
    for (int j = 0; j < CPS_MAX_STATES; j++)
      y->aux[i][j] = ((1 - u->af) * y->z_t[i][j] + u->af * y->z_t0[i][j] - u->am * y->aux0[i][j]) /
                     (1 - u->am);
}

/* The auxiliary accelerations at the end, and what they say about the error: a norm of (beta - 1/6) h^2 da. */
static double finish(machine *m, const rule *u, double h) {
  double sum = 0, count = 0, most = 0;
  double by_a = (1 - u->af) / (1 - u->am), by_a0 = u->af / (1 - u->am), by_aux = u->am / (1 - u->am);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t n = entries(c);
    lanes squares = all(0);
    if (m->dim == 2) { /* a node is a vector, of which the first two numbers are its place */
      for (size_t k = 0; k < n; k += LANES) {
        lanes before = load(c->aux0 + k);
        lanes aux = all(by_a) * load(c->a + k) + all(by_a0) * load(c->a0 + k) - all(by_aux) * before;
        save(c->aux + k, aux);
        squares += (aux - before) * (aux - before);
      }
      sum += squares[0] + squares[1];
    }
    for (size_t k = 0; k < n && m->dim == 3; k++) {
      c->aux[k] = by_a * c->a[k] + by_a0 * c->a0[k] - by_aux * c->aux0[k];
      if (k % 6 < 3) sum += (c->aux[k] - c->aux0[k]) * (c->aux[k] - c->aux0[k]);
    }
    count += c->n + 1;
    for (int j = 0; c->memory && j < c->n_points; j++)
      if (c->point[j].drum >= 0) finish_states(&c->memory[j], u);
  }
  for (int k = 0; k < m->nb; k++) {
    freedom *f = &m->free[k];
    f->aux = by_a * f->a + by_a0 * f->a0 - by_aux * f->aux0;
    most = fmax(most, fabs(f->aux - f->aux0));
  }
  for (int k = 0; k < m->n_slides; k++) finish_states(&m->slide[k].y, u);
  return fabs(u->beta - 1.0 / 6) * h * h * fmax(most, sqrt(sum / fmax(count, 1)));
}

/* Who stuck and who slid at the end of the last step is the guess for this one. */
static void guess(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (!cps_contact_guesses(m, c)) continue;
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      p->guess = p->stuck ? GUESS_STICK : p->f[0] > 0 ? GUESS_FORWARD : GUESS_BACKWARD;
      if (p->stuck && fabs(p->f[0]) > p->limit)
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
    double shortest = shortest_of(c);
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

int cps_haul_step(haul *r, double h) {
  machine *m = r->m;
  rule u = rule_of(m);
  cps_haul_keep(m);
  guess(m);
  predict(m, &u, h);
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; m->cable[i].memory && k < m->cable[i].n_points; k++)
      predict_states(&m->cable[i].memory[k], &u, h);
  for (int k = 0; k < m->n_slides; k++) predict_states(&m->slide[k].y, &u, h);
  cps_machine_move(m, r->t, r->t + h);
  cps_machine_tie(m);
  implicit how = {r->t + h, h * h * u.beta * u.follow, h * u.gamma * u.follow, h * u.gamma * u.follow, 0, 0};
  r->how = how;
  r->from = r->t;
  int it = cps_haul_solve(m, &how, NEWTON_MOST, fmin(BALANCED, m->pace.balance), &m->pace);
  r->iterations += it < 0 ? NEWTON_MOST : it;
  if (it < 0 || !resolved(m, how.q_a)) {
    cps_haul_bring_back(m);
    return 0;
  }
  cps_memory_refresh(m, &how);
  r->error = finish(m, &u, h);
  r->t += h;
  return 1;
}
