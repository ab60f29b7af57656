/* equilibrium.c - equilibrium of a machine with friction that holds what it can.
 *
 * Implicit Euler steps that start from rest each time and grow, so that they descend to equilibrium. Friction is a
 * soft spring at every contact, up to what the law holds; what slides takes the far end of its spring along, which
 * is the return mapping of perfect plasticity. The largest load that finds an equilibrium does not depend on the
 * springs (they are part of an elastic-plastic body, and limit loads do not know about elasticity), and laws that
 * truly stick go on with whatever forces are found here.
 *
 * Laws with memory take over the forces as well: their states become what a slow pull from rest makes of them.
 *
 * And the balance of forces at a given motion: accelerations and friction forces.
 */
#include "newton.h"
#include "plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Springs that hold contacts in statics: per load [1/m], so that friction is used up within a millimetre or so whatever
 * hangs there; the least of them, and those that do not hold, in N/m. */
static const double GRIP = 70, LEAST_GRIP = 1, HARDLY = 1e-3;

/* Longest step, and the longest that settles the cable onto its drums [s]. */
static const double LONGEST = 100, SETTLE = 0.02;

/* A node does not move further than this in one iteration [m]. */
static const double LEAP = 0.02;

enum { ROUNDS = 250, PATIENCE = 3 };

/* ------------------------------------------------------------------ steps from rest */

static void note(machine *m, machine_note what, const step_coeffs *coeffs) {
  if (m->note) m->note(m, what, coeffs, m->note_data);
}

static void rest(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = (size_t)(c->n + 1) * (size_t)c->b * sizeof(double);
    memset(c->v, 0, bytes);
    memset(c->a, 0, bytes);
    memset(c->aux, 0, bytes);
  }
  for (int k = 0; k < m->nb; k++) *m->free[k].v = *m->free[k].a = *m->free[k].aux = 0;
  cps_machine_tie(m);
  note(m, NOTE_REST, NULL);
}

static void place_of(const cable *c, const contact_point *p, double *r) {
  for (int d = 0; d < c->dim; d++) {
    r[d] = 0;
    for (int s = 0; s < 4; s++)
      if (p->shape[s] != 0) r[d] += p->shape[s] * c->q[p->node * c->b + s * c->dim + d];
  }
}

static double slide_place(const machine *m, const slide *y) {
  double x = 0;
  for (int i = 0; i < 2; i++)
    if (y->at[i] >= 0) x += (i == 0 ? y->factor[0] : -y->factor[1]) * *m->free[y->at[i]].q;
  return x;
}

/* Springs take hold of the points where they are, with the force that they have now. Returns
 * how far the point that slid furthest did so since they last took hold. */
static double take_hold(machine *m) {
  double most = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      const drum *g = p->drum >= 0 ? &m->drum[p->drum] : NULL;
      double r[3], slid = 0;
      place_of(c, p, r);
      for (int d = 0; d < m->dim; d++) {
        double along = g ? p->f[0] * p->t[d] + (m->dim == 3 ? p->f[1] * g->axis[d] : 0) : 0;
        double start = r[d] + along / m->grip;
        if (g) slid += p->t[d] * (start - c->start[k][d] - (g->center[d] - g->start_center[d]));
        c->start[k][d] = start;
      }
      if (g) most = fmax(most, fabs(slid - g->radius * (g->angle - g->start)));
    }
  }
  for (int k = 0; k < m->n_slides; k++)
    m->slide[k].start = slide_place(m, &m->slide[k]) + *m->free[m->slide[k].f_at].q / cps_rail_grip(m->grip);
  for (int i = 0; i < m->n_drums; i++) {
    drum *g = &m->drum[i];
    g->start = g->angle;
    memcpy(g->start_center, g->center, sizeof g->start_center);
  }
  note(m, NOTE_HOLD, NULL);
  return most;
}

/* Contact points start from here, without friction. */
static void let_go(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) c->point[k].f[0] = c->point[k].f[1] = 0;
  }
  for (int k = 0; k < m->n_slides; k++) *m->free[m->slide[k].f_at].q = 0;
  note(m, NOTE_LET_GO, NULL);
  take_hold(m);
}

void cps_machine_damp(machine *m, int on) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    c->section.rayleigh = on ? c->of->rayleigh : 0;
    c->section.axial_damping = c->extra.axial_damping = on ? c->of->axial_damping : 0;
    c->section.bending_damping = c->extra.bending_damping = on ? c->of->bending_damping : 0;
  }
}

/* ------------------------------------------------------------------ with a line search
 *
 * Where stiff contacts come and go, Newton's steps go too far and the iteration circles. A step from rest makes the sum of
 * kinetic and potential energy least, but for friction: each step of the iteration is shortened until that sum, with the
 * work that friction takes, gets less. */

enum { DAMPED_MOST = 60, HALVINGS = 6 };

/* Places and forces of an iteration; velocities and accelerations of a step from rest follow. */
static size_t exchange(machine *m, const step_coeffs *coeffs, double *x, int put) {
  size_t n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < (c->n + 1) * c->b; k++) {
      cps_exchange(&c->q[k], x, &n, put);
      if (!put) continue;
      c->v[k] = (c->q[k] - c->q0[k]) / coeffs->v_a;
      c->a[k] = (c->q[k] - c->q0[k]) / coeffs->q_a;
    }
    for (int k = 0; k < c->n_points; k++)
      for (int a = 0; a < AXES; a++) cps_exchange(&c->point[k].f[a], x, &n, put);
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    cps_exchange(f->q, x, &n, put);
    if (!put) continue;
    *f->v = (*f->q - *f->q0) / coeffs->v_a;
    *f->a = (*f->q - *f->q0) / coeffs->q_a;
  }
  if (put) cps_machine_tie(m);
  return n;
}

/* Energy of the machine, less what loads have done. */
static double total(const machine *m, double t) {
  cps_energy e;
  cps_audit_energy(m, &e);
  double sum = e.kinetic + e.elastic + e.gravity;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int end = 0; end < 2; end++)
      for (int d = 0; d < m->dim; d++) sum -= c->load[end][d] * c->q[end * c->n * c->b + d];
  }
  for (int i = 0; i < m->of->n_loads; i++) {
    const scenario_load *l = &m->of->loads[i];
    int at = m->body_border[l->body];
    for (int d = 0; d < m->dim && at >= 0; d++)
      sum -= cps_profile_now(l->force, t, m->inputs).y * l->direction[d] * m->body[at].r[d];
  }
  return sum;
}

/* What friction takes over `part` of the last step, of which `was` was the start. */
static double taken(const machine *m, const double *was, double part) {
  double sum = 0;
  size_t n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    n += (size_t)(c->n + 1) * (size_t)c->b;
    for (int k = 0; k < c->n_points; k++, n += AXES) {
      const contact_point *p = &c->point[k];
      if (p->drum >= 0) sum -= part * p->moved * (was[n] + 0.5 * part * (p->f[0] - was[n]));
    }
  }
  return sum;
}

/* Looks at the present places, and lets friction be what its springs pull with there. */
static int pull_springs(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  if (!cps_machine_iterate(m, coeffs, 0, left)) return 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      contact_point *p = &m->cable[i].point[k];
      for (int a = 0; a < m->dim - 1; a++) p->f[a] = p->drum >= 0 ? p->spring[a] : 0;
    }
  return 1;
}

/* Along the tangent of a drum a node may go this far before it is off the rim by as much as it was pressed in. */
static double reach(const machine *m) {
  double sum = 0, count = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      const contact_point *p = &m->cable[i].point[k];
      if (p->drum < 0) continue;
      sum += sqrt(2 * m->drum[p->drum].radius * p->depth);
      count++;
    }
  return count > 0 ? fmin(LEAP, fmax(LEAP / 20, sum / count)) : LEAP;
}

/* A solve with a line search. */
typedef struct damped {
  machine *m;
  const step_coeffs *coeffs;
  size_t n;
  double *was, *is; /* [n] places and forces before the correction, and after it */
  double energy;    /* before it */
} damped;

static int damped_waits(void *of) {
  const damped *x = of;
  return cps_machine_waits(x->m, x->coeffs);
}

static int damped_evaluate(void *of, sight where, residual_norms *left) {
  damped *x = of;
  (void)where; /* springs hold the contacts */
  x->energy = total(x->m, x->coeffs->t);
  exchange(x->m, x->coeffs, x->was, 0);
  return cps_machine_evaluate(x->m, x->coeffs, left);
}

static int damped_correct(void *of, residual_norms *left) {
  const damped *x = of;
  return cps_machine_correct(x->m, x->coeffs, reach(x->m), left);
}

/* Shortens the correction. */
static newton_places search_line(void *of, int it, const residual_norms *left, const residual_norms *before) {
  const damped *x = of;
  (void)it, (void)before;
  residual_norms trial;
  double part = 1;
  exchange(x->m, x->coeffs, x->is, 0);
  for (int cut = 0; cut < HALVINGS; cut++, part /= 2) {
    if (!pull_springs(x->m, x->coeffs, &trial)) break;
    if (trial.force <= 0.5 * left->force ||
        total(x->m, x->coeffs->t) + taken(x->m, x->was, part) <= x->energy)
      break;
    for (size_t k = 0; k < x->n; k++) x->is[k] = x->was[k] + 0.5 * (x->is[k] - x->was[k]);
    exchange(x->m, x->coeffs, x->is, 1);
  }
  return PLACES_UNKNOWN;
}

static const newton_equations damped_equations = {.first = LOOK_HERE,
                                                  .waits = damped_waits,
                                                  .evaluate = damped_evaluate,
                                                  .correct = damped_correct,
                                                  .update = search_line};

static int solve_damped(machine *m, const step_coeffs *coeffs, double tolerance) {
  damped x = {.m = m, .coeffs = coeffs, .n = exchange(m, coeffs, NULL, 0)};
  residual_norms left;
  x.was = malloc((2 * x.n + 1) * sizeof *x.was);
  m->no_memory |= !x.was;
  if (!x.was) return -1;
  x.is = x.was + x.n;
  newton_goal goal = cps_newton_goal(m, DAMPED_MOST, tolerance);
  int it = pull_springs(m, coeffs, &left) ? cps_newton_iterate(&damped_equations, &x, &goal) : -1;
  free(x.was);
  return it;
}

/* One implicit Euler step from rest, if need be and asked for with a line search. Returns how far it moved, or -1 with
 * everything as before. */
static double relax(machine *m, double t, double h, double bristle, int search) {
  rest(m);
  cps_machine_keep(m);
  step_coeffs coeffs = {t, h * h, h, h, bristle, 0, 0, cps_rail_grip(m->grip)};
  cps_machine_damp(m, 0);
  int iterations = cps_newton_solve(m, &coeffs, 40, 3e-9, NULL);
  if (iterations < 0 && search) {
    cps_machine_bring_back(m);
    iterations = solve_damped(m, &coeffs, 3e-9);
  }
  cps_machine_damp(m, 1);
  if (iterations < 0) {
    cps_machine_bring_back(m);
    return -1;
  }
  note(m, NOTE_SOLVED, &coeffs);
  double moved = 0;
  for (int i = 0; i < m->n_cables;
       i++) { /* places: nothing but bending may resist a slope that only stretches */
    const cable *c = &m->cable[i];
    for (int k = 0; k <= c->n; k++)
      for (int d = 0; d < m->dim; d++) moved = fmax(moved, fabs(c->q[k * c->b + d] - c->q0[k * c->b + d]));
  }
  for (int i = 0; i < m->n_drums; i++)
    moved = fmax(moved, m->drum[i].radius * fabs(m->drum[i].angle - m->drum0[i].angle));
  for (int i = 0; i < m->n_bodies; i++)
    for (int k = 0; k < m->body[i].n; k++) {
      const dof *f = &m->free[m->body[i].at + k];
      moved = fmax(moved, fabs(*f->q - *f->q0));
    }
  return moved;
}

step_coeffs cps_machine_instant(double t) {
  const double instant = 1e-8; /* in which nothing moves [s] */
  return (step_coeffs){t, instant * instant, instant, 0, 0, 0, 0, 0};
}

int cps_machine_balance(machine *m, double t) {
  step_coeffs coeffs = cps_machine_instant(t);
  return cps_newton_solve(m, &coeffs, 15, 1e-6, NULL);
}

/* Whether something slides on a rail or in a bearing. */
static int rubs(const machine *m, double t) {
  const cps_system *s = m->system;
  if (s->nc > 0) cps_bodies_look(m, t);
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double v = y->contact ? m->forces.v[y->index] : y->factor[0] * *m->free[y->at[0]].v;
    if (v != 0 && !y->held) return 1;
  }
  return 0;
}

/* The instant that a balance takes has not passed. */
static void stay(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    memcpy(c->q, c->q0, cps_cable_entries(c) * sizeof *c->q);
    memcpy(c->v, c->v0, cps_cable_entries(c) * sizeof *c->v);
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    if (f->kind != DOF_PLACE) continue;
    *f->q = *f->q0;
    *f->v = *f->v0;
  }
  cps_machine_tie(m);
}

int cps_machine_set_out(machine *m, double t) {
  const step_coeffs instant = cps_machine_instant(t);
  residual_norms left;
  if (!rubs(m, t)) return 0;
  cps_machine_keep(m);
  cps_machine_update_contacts(m, t);
  cps_memory_choose(m);
  if (cps_machine_balance(m, t) < 0) {
    cps_machine_bring_back(m);
    return 0;
  }
  stay(
      m); /* forces that depend on velocities balance to the instant's first power now, and to the second after one more iteration */
  cps_machine_iterate(m, &instant, INFINITY, &left);
  stay(m);
  return 1;
}

double cps_machine_span(const machine *m) {
  double span = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n; k++) span += m->cable[i].length[k];
  return span;
}

/* A step from which on it shows whether something holds: h^2 k/m = 2, with all the mass and the softest that may
 * hold it, a spring of one contact or a whole cable. */
static double telling_step(const machine *m) {
  double mass = 0, soft = m->grip;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double length = 0;
    for (int k = 0; k < c->n; k++) length += c->length[k];
    for (int k = 0; k <= c->n; k++) mass += c->mass[k];
    mass += length * c->section.rho;
    soft = fmin(soft, c->section.ea / length);
  }
  for (int i = 0; i < m->n_bodies; i++) mass += m->body[i].mass;
  for (int i = 0; i < m->n_drums; i++)
    mass += m->drum[i].of->inertia / (m->drum[i].radius * m->drum[i].radius);
  return sqrt(2 * mass / soft);
}

/* What is held comes to rest: of an unbalanced force, a step of h leaves 1/(1 + h^2 k/m), less than half. What slides
 * and is as fast in step after step runs. */
enum { STEADY = 6 };

rest_verdict cps_machine_descend(machine *m, double t, double slide_most) {
  double span = cps_machine_span(m), h = SETTLE, drift = 0, slid = 0, convergence = 0, last = INFINITY;
  double telling = telling_step(m);
  int steady = 0, failures = 0;
  for (int round = 0; round < ROUNDS && h > 1e-9 && !m->stopped; round++) {
    double moved = relax(m, t, h, m->grip, failures % PATIENCE == 0); /* it is not cheap */
    if (moved < 0) {
      failures++;
      h /= 4;
      continue;
    }
    double slides = take_hold(m), before = convergence;
    slid += slides;
    drift += moved;
    convergence = slides / (h * h);
    /* at rest: it moves no more, or only with round-off, which does not get less */
    int calm = h >= LONGEST / 10 && moved < 1e-9 * span;
    if (calm && (moved < 1e-12 * span || moved > 0.3 * last)) return REST_FOUND;
    last = moved;
    if (h >= telling) steady = convergence > 0.7 * before && slides > 0.01 * moved ? steady + 1 : 0;
    if (drift >= span || slid >= slide_most || (steady >= STEADY && slid > 1e-3 * span)) return REST_RUNS;
    h = fmin(2 * h, LONGEST);
  }
  return REST_LOST;
}

/* All that pulls on the cables: weights, forces at their ends and on bodies when the run starts, and tension that was asked for. */
static double loads(const machine *m) {
  double g = 0, sum = 0;
  for (int d = 0; d < m->dim; d++) g += m->gravity[d] * m->gravity[d];
  g = sqrt(g);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k <= c->n; k++) sum += g * c->mass[k];
    for (int k = 0; k < c->n; k++) sum += g * c->section.rho * c->length[k];
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < m->dim; d++) sum += fabs(c->load[e][d]);
    sum += c->of->tension;
  }
  for (int i = 0; i < m->n_bodies; i++) sum += g * m->body[i].mass;
  for (int i = 0; i < m->of->n_loads; i++)
    sum += fabs(cps_profile_now(m->of->loads[i].force, m->of->run.from, m->inputs).y);
  return sum;
}

double cps_machine_grip(const machine *m) { return fmax(LEAST_GRIP, GRIP * loads(m)); }

/* How far the point that slid furthest along its drum did so since springs last took hold. */
static double slid_since(const machine *m) {
  double most = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    if (c->of->closed) continue; /* it has no end that could run off */
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      const drum *g = &m->drum[p->drum];
      double r[3], slid = -g->radius * (g->angle - g->start);
      place_of(c, p, r);
      for (int d = 0; d < m->dim; d++)
        slid += p->t[d] * (r[d] - c->start[k][d] - (g->center[d] - g->start_center[d]));
      most = fmax(most, fabs(slid));
    }
  }
  return most;
}

/* What a cable may slide by while it is laid: as much as the one that gives way the most is stretched by all that pulls, which is what
 * evens out its tension, and at least a little of a drum. */
static double slack_of(const machine *m) {
  const double part = 0.02; /* of a radius */
  double most = 0, radius = INFINITY, pull = loads(m);
  for (int i = 0; i < m->n_drums; i++) radius = fmin(radius, m->drum[i].radius);
  for (int i = 0; i < m->n_cables; i++) {
    double length = 0;
    for (int k = 0; k < m->cable[i].n; k++) length += m->cable[i].length[k];
    most = fmax(most, pull / m->cable[i].section.ea * length);
  }
  return fmax(most, part * radius);
}

/* Hardly anything holds cables while they are laid, so it ends where one slides by more than evens out its tension: what pulls at a light
 * rope would take it off its drums, friction or not. */
void cps_machine_lay(machine *m, double t) {
  double h = 1e-3, most = slack_of(m);
  m->grip = cps_machine_grip(m);
  let_go(m);
  for (int round = 0; round < 100 && h < SETTLE && h > 1e-9 && !m->stopped; round++) {
    int failed = relax(m, t, h, HARDLY, 0) < 0;
    double slid = slid_since(m);
    if (slid > most) break;
    h *= failed ? 0.25 : slid > most / 4 ? 1.2 : 2; /* twice as long a step goes four times as far */
  }
  let_go(m);
}

/* ------------------------------------------------------------------ laws with memory */

static void remember_all(machine *m) {
  int any = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    any |= c->memory != NULL;
    for (int k = 0; c->memory && k < c->n_points; k++)
      for (int a = 0; a < m->dim - 1; a++) {
        contact_point *p = &c->point[k];
        cps_memory_take(&c->contact, p->drum >= 0 ? p->n : 0, p->f[a], &p->mode[a], &c->memory[k], a);
      }
  }
  for (int k = 0; k < m->n_slides; k++) {
    slide *y = &m->slide[k];
    any |= y->law.law->n_states;
    if (y->law.law->n_states) cps_memory_take(&y->law, y->p.n, *m->free[y->f_at].q, &y->p.mode[0], &y->y, 0);
  }
  if (any) note(m, NOTE_REMEMBERED, NULL);
}

/* ------------------------------------------------------------------ what runs away */

/* Where the ends of cables, the bodies and the drums are: 3 numbers each. */
static int watch(const machine *m, double *at) {
  int n = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int e = 0; e < 2; e++, n++)
      for (int d = 0; d < m->dim && at; d++)
        at[3 * n + d] = m->cable[i].q[(e == 0 ? 0 : m->cable[i].n * m->cable[i].b) + d];
  for (int i = 0; i < m->n_bodies; i++, n++)
    for (int d = 0; d < m->dim && at; d++) at[3 * n + d] = m->body[i].r[d];
  for (int i = 0; i < m->n_drums; i++, n++)
    if (at) at[3 * n] = m->drum[i].radius * m->drum[i].angle;
  return n;
}

static void name_watched(const machine *m, int which, char *text, size_t size) {
  int ends = 2 * m->n_cables;
  if (which < ends) {
    const cable *c = &m->cable[which / 2];
    const cable_end *e = &c->of->end[which % 2];
    const char *side = which % 2 ? "end" : "start";
    if (c->of->closed)
      snprintf(text, size, "belt %s", c->of->name);
    else if (cps_end_is(e->kind, END_ON_BODY))
      snprintf(text, size, "body %s, at the %s of cable %s,", m->of->bodies[e->body].name, side, c->of->name);
    else
      snprintf(text, size, "the %s of cable %s", side, c->of->name);
  } else if (which < ends + m->n_bodies) {
    snprintf(text, size, "body %s", m->body[which - ends].of->name);
  } else {
    snprintf(text, size, "drum %s", m->drum[which - ends - m->n_bodies].of->name);
  }
}

static void say_direction(const machine *m, int turns, const double *gone, char *text, size_t size) {
  double g = 0, far = 0, down = 0;
  for (int d = 0; d < m->dim; d++) {
    g += m->gravity[d] * m->gravity[d];
    far += gone[d] * gone[d];
    down += gone[d] * m->gravity[d];
  }
  g = sqrt(g);
  far = sqrt(far);
  if (!(far > 0) || !isfinite(far))
    snprintf(text, size, "%s", far > 0 || isnan(far) ? "runs out of all numbers" : "finds no place");
  else if (turns)
    snprintf(text, size, "turns %s", gone[0] > 0 ? "counterclockwise" : "clockwise");
  else if (g > 0 && fabs(down) > 0.8 * g * far)
    snprintf(text, size, "runs %s", down > 0 ? "down" : "up");
  else if (m->dim == 2)
    cps_print(text, size, "runs along [%.2g, %.2g]", gone[0] / far, gone[1] / far);
  else
    cps_print(text, size, "runs along [%.2g, %.2g, %.2g]", gone[0] / far, gone[1] / far, gone[2] / far);
}

/* What to say where drums may have run away because nothing brakes them. */
static const char *brake_hint(const machine *m) {
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0 && !m->drum[i].braked)
      return "; with start: braked drums that turn freely are held until the run starts";
  return "";
}

/* Says of the free drum that turned furthest, if it went about as far as what ran away (`most`, squared), what turns it and what its
 * bearing bears. */
static void say_turning(const machine *m, const double *gone, double most, char *text, size_t size) {
  const drum *free = NULL;
  double far = 0.2 * sqrt(fmax(most, 0));
  text[0] = '\0';
  for (int i = 0; i < m->n_drums; i++) {
    double way = fabs(gone[3 * i]);
    if (m->drum[i].angle_at < 0 || m->drum[i].braked || !(way > far) || !isfinite(way)) continue;
    free = &m->drum[i];
    far = way;
  }
  if (!free) return;
  /* while it turns both are less than at rest, by the same factor */
  double torque = fabs(free->torque), bears = 0;
  for (int k = 0; k < m->n_slides; k++)
    if (!m->slide[k].contact && &m->drum[m->slide[k].drum] == free)
      bears += fabs(m->slide[k].p.limit * m->slide[k].factor[0]);
  if (bears > 0 && bears < torque)
    cps_print(text, size, " Nothing holds drum %s: its bearing bears %.2g %% of the torque of its cables.",
              free->of->name, 100 * bears / torque);
  else if (bears == 0)
    cps_print(text, size, " Nothing holds drum %s, which turns freely.", free->of->name);
}

/* Says in `text` who went furthest from where it was, and in which direction, and in `turning` what turned with it; `is` has room for all
 * that is watched. Returns how far. */
static double say_gone(const machine *m, const double *was, double *is, char *text, size_t size,
                       char *turning, size_t turning_size) {
  int n = watch(m, is), worst = 0, first_drum = n - m->n_drums;
  double most = -1, gone = 0;
  for (int i = 0; i < n; i++) {
    double far = 0, down = 0;
    for (int d = 0; d < 3; d++) {
      is[3 * i + d] -= was[3 * i + d];
      far += is[3 * i + d] * is[3 * i + d];
      down += is[3 * i + d] * m->gravity[d];
      if (i < 2 * m->n_cables) down += is[3 * i + d] * m->cable[i / 2].load[i % 2][d];
    }
    double way = sqrt(far);
    /* rather what falls than what it pulls along, and rather that than the drum between them or an end that goes with a drum */
    int on_drum = i < 2 * m->n_cables && cps_end_is(m->cable[i / 2].of->end[i % 2].kind, END_ON_DRUM);
    far *= on_drum ? 0.4 : i >= first_drum ? 0.5 : down > 0 ? 1.5 : 1;
    if (far > most) {
      most = far;
      gone = way;
      worst = i;
    }
  }
  char what[3 * CPS_NAME_ROOM], whither[80];
  name_watched(m, worst, what, sizeof what);
  say_direction(m, worst >= first_drum, is + 3 * worst, whither, sizeof whither);
  say_turning(m, is + 3 * first_drum, most, turning, turning_size);
  snprintf(text, size, "%s %s", what, whither);
  return gone;
}

/* A cable that is drawn far longer than it is. */
typedef struct stretched_cable {
  const cable *of;
  double length, drawn; /* [m] */
} stretched_cable;

/* The cable whose drawing pulls the most, if that is far more than all loads do: its length and its way contradict each other. */
static stretched_cable find_stretched(const machine *m) {
  const double least = 0.05 /* strain */, far = 3;
  stretched_cable worst = {0};
  double most = far * loads(m);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double length = 0, drawn = 0;
    for (int k = 0; k < c->n; k++) {
      double chord = 0;
      for (int d = 0; d < m->dim; d++) {
        double way = c->q[(k + 1) * c->b + d] - c->q[k * c->b + d];
        chord += way * way;
      }
      length += c->length[k];
      drawn += sqrt(chord);
    }
    double pull = c->section.ea * (drawn / length - 1);
    if (drawn < (1 + least) * length || !(pull > most)) continue;
    most = pull;
    worst = (stretched_cable){c, length, drawn};
  }
  return worst;
}

/* Says what ran away, compared with where it was. */
static cps_status ran(const machine *m, const stretched_cable *tight, const double *was, double *is,
                      cps_error *err) {
  char who[4 * CPS_NAME_ROOM], turning[2 * CPS_NAME_ROOM];
  say_gone(m, was, is, who, sizeof who, turning, sizeof turning);
  if (tight->of)
    return cps_error_set(err, CPS_FAILED, NULL,
                         "no equilibrium was found: cable %s is %.4g m long, and its way as drawn %.4g m, so "
                         "it pulls far more "
                         "than all loads, and %s. Give it the length that its way needs (cables.%s.length, "
                         "or hang rest in its "
                         "path), or move what it leads to",
                         tight->of->of->name, tight->length, tight->drawn, who, tight->of->of->name);
  return cps_error_set(err, CPS_FAILED, NULL,
                       "there is no equilibrium: %s, and friction cannot hold it.%s Change the loads or the "
                       "friction, or say start: drawn for the cable, and it runs from the shape as drawn%s",
                       who, turning, brake_hint(m));
}

/* ------------------------------------------------------------------ equilibrium */

/* Points whose friction is used up count as sliding. */
static void tell_slip(machine *m) {
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++) {
      contact_point *p = &m->cable[i].point[k];
      double f = m->dim == 3 ? hypot(p->f[0], p->f[1]) : fabs(p->f[0]);
      p->stuck = p->drum >= 0 && f < p->limit * (1 - 1e-6);
    }
}

/* Bodies and drums that start with a velocity get it back. */
static void start_moving(machine *m, double t) {
  for (int i = 0; i < m->of->n_bodies; i++) {
    const scenario_body *b = &m->of->bodies[i];
    if (b->kind == BODY_SURFACE) continue;
    if (m->body_cable[i] >= 0) {
      cable *c = &m->cable[m->body_cable[i]];
      double *v = c->v + (m->body_end[i] == 0 ? 0 : c->n * c->b);
      for (int d = 0; d < m->dim && t >= b->held_until; d++) v[d] = b->v[d];
    } else if (m->body_border[i] >= 0) { /* not one of a cable in few variables */
      const machine_body *y = &m->body[m->body_border[i]];
      for (int k = 0; k < y->n && !y->held; k++) *m->free[y->at + k].v = b->v[k];
    }
  }
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) *m->free[m->drum[i].angle_at].v = m->drum[i].of->rate;
  cps_machine_move(m, t, t);
  cps_machine_tie(m);
  note(m, NOTE_STARTED, NULL);
}

/* The longest element on a drum, for its radius: elements that are long jump over the rim instead of sliding. */
typedef struct coarse_place {
  const cable *of;
  const drum *on; /* NULL: none is longer than half of a radius */
  double length;
} coarse_place;

static coarse_place find_coarse(const machine *m) {
  coarse_place worst = {0};
  double most = 0.5;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      if (p->drum < 0) continue;
      const drum *g = &m->drum[p->drum];
      double l = c->length[p->node < c->n ? p->node : c->n - 1];
      if (p->shape[0] == 1 && p->node > 0)
        l = fmin(l, c->length[p->node - 1]); /* a node where the mesh gets coarser */
      if (l <= most * g->radius) continue;
      most = l / g->radius;
      worst = (coarse_place){c, g, l};
    }
  }
  return worst;
}

/* Says why the search may have failed: elements that were too long from the start, what went far, or elements that are long where it
 * ended. */
static cps_status lost(const machine *m, const coarse_place *drawn, const double *was, double *is,
                       cps_error *err) {
  const double far = 0.2; /* of all that the machine measures */
  char who[4 * CPS_NAME_ROOM], turning[2 * CPS_NAME_ROOM];
  double gone = say_gone(m, was, is, who, sizeof who, turning, sizeof turning);
  coarse_place at = drawn->on ? *drawn : find_coarse(m);
  if (!drawn->on && gone > far * cps_machine_span(m))
    return cps_error_set(
        err, CPS_FAILED, NULL,
        "no equilibrium was found: %s, and what it pulls gets entangled %.2g m from where it is drawn. Hold "
        "it, change the loads or the friction, or say start: drawn for the cable, and it runs from the shape "
        "as drawn%s",
        who, gone, brake_hint(m));
  if (at.on)
    return cps_error_set(
        err, CPS_FAILED, NULL,
        "the search for the equilibrium does not converge: elements of cable %s are %.2g m long on drum "
        "%s, whose radius is %.2g m. Make them shorter there with cables.%s.mesh or elements, or say "
        "start: drawn for the cable, and it runs from the shape as drawn%s",
        at.of->of->name, at.length, at.on->of->name, at.on->radius, at.of->of->name, brake_hint(m));
  return cps_error_set(err, CPS_FAILED, NULL,
                       "the search for the equilibrium does not converge: is the cable compressed, very "
                       "slack, or its contact very stiff? With start: drawn it starts from the shape as "
                       "drawn, and may come to rest by itself%s",
                       brake_hint(m));
}

/* How much of each cable lies on the drum that its start, and its end, are fixed to. */
static void look_wound(const machine *m, double *wound) {
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double length = 0;
    for (int k = 0; k < c->n; k++) length += c->length[k];
    for (int e = 0; e < 2; e++) {
      const cable_end *at = &c->of->end[e];
      wound[2 * i + e] = 0;
      for (int k = 0; k < c->n_points && cps_end_is(at->kind, END_ON_DRUM); k++)
        if (c->point[k].drum == at->drum)
          wound[2 * i + e] = fmax(wound[2 * i + e], e ? length - c->point[k].s : c->point[k].s);
    }
  }
}

/* Whether a drum that nothing brakes has turned until `part` of a cable had run off it. */
static int ran_off(const machine *m, const double *wound, const double *was, double part) {
  const double *rim = was + (size_t)(6 * m->n_cables + 3 * m->n_bodies); /* of what is watched */
  for (int i = 0; i < 2 * m->n_cables; i++) {
    if (!(wound[i] > 0)) continue;
    int d = m->cable[i / 2].of->end[i % 2].drum;
    const drum *g = &m->drum[d];
    double turned = fabs(g->radius * g->angle - rim[3 * (size_t)d]);
    if (g->angle_at >= 0 && !g->braked && turned > part * wound[i]) return 1;
  }
  return 0;
}

/* Hanging from the rim of its drum a cable rests, but nobody has drawn that; and a search that is lost while one runs off would have got
 * there. */
static rest_verdict judge_wound(const machine *m, const double *wound, const double *was,
                                rest_verdict verdict) {
  const double all = 0.9, some = 0.1;
  if (verdict == REST_RUNS) return verdict;
  return ran_off(m, wound, was, verdict == REST_FOUND ? all : some) ? REST_RUNS : verdict;
}

/* Elements that are long on a drum hold weights that a rope would not: what turns a free drum until such elements, from far away, have come to lie
 * on it has no equilibrium. */
static rest_verdict judge_hauled(const machine *m, const coarse_place *drawn, const double *was,
                                 rest_verdict verdict) {
  const double *rim = was + (size_t)(6 * m->n_cables + 3 * m->n_bodies); /* of what is watched */
  if (verdict != REST_FOUND || drawn->on) return verdict;
  coarse_place at = find_coarse(m);
  if (!at.on || at.on->angle_at < 0 || at.on->braked) return verdict;
  double turned = fabs(at.on->radius * at.on->angle - rim[3 * (size_t)(at.on - m->drum)]);
  return turned > at.length ? REST_RUNS : verdict;
}

void cps_machine_hold_apart(machine *m, double t, int hold) {
  for (int i = 0; i < m->n_bodies; i++) {
    machine_body *y = &m->body[i];
    if (y->apart) y->held = hold || t < y->of->held_until;
  }
  cps_slides_weigh(m);
}

cps_status cps_machine_statics(machine *m, double t, cps_error *err) {
  int n = watch(m, NULL);
  double *was = calloc((size_t)(6 * n + 2 * m->n_cables) + 1, sizeof *was);
  if (!was) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the equilibrium");
  double *wound = was + (size_t)(6 * n);
  cps_status status = CPS_OK;
  watch(m, was);
  m->doing = "the search for the equilibrium";
  cps_machine_hold_apart(m, t, 1);
  stretched_cable tight = find_stretched(m);
  cps_machine_lay(m, t);
  coarse_place drawn = find_coarse(m);
  look_wound(m, wound);
  rest_verdict verdict = judge_wound(m, wound, was, cps_machine_descend(m, t, INFINITY));
  verdict = judge_hauled(m, &drawn, was, verdict);
  rest(m);
  m->doing = NULL;
  cps_machine_hold_apart(m, t, 0);
  if (m->stopped) {
    status = cps_error_set(err, CPS_FAILED, NULL, "stopped on request");
  } else if (m->no_memory) {
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the equilibrium");
  } else if (verdict == REST_FOUND) {
    cps_memory_refresh(m, &(step_coeffs){t, 1, 1, 1, m->grip, 0, 0, cps_rail_grip(m->grip)});
    tell_slip(m);
    remember_all(m);
    start_moving(m, t);
  } else if (verdict == REST_RUNS) {
    status = ran(m, &tight, was, was + 3 * n, err);
  } else {
    status = lost(m, &drawn, was, was + 3 * n, err);
  }
  free(was);
  return status;
}
