/* sens_jumps.c - what happens to changes of state where modes switch.
 *
 * A parameter moves the time of a transition. Between the two times one run is already in the new mode and the other still in
 * the old: that is what makes changes of state jump. The guard g vanishes at the transition, so that its time changes by
 *
 *   tau = -(g_y s + g_p) / (g_y F0 + g_t)
 *
 * with the change of state s at fixed time and the rates F0 before; with F1 after,
 *
 *   s1 = s + (F0 - F1) tau,
 *
 * and if the transition maps the state, y1 = R(y), s1 = R_y (s + F0 tau) + R_p - F1 tau. When a contact sticks this takes
 * out exactly the relative velocity that it has lost. Several contacts at one time are taken one after the other, each
 * with the modes that it finds; who switches because another one has done so shares its time. Contacts that are found
 * at rest, with no guard to say when they came there, are captured: impulses at all contacts that stick, which the masses
 * answer, take their relative velocities away; that is the same jump written without tau.
 */
#include "sens_bodies.h"
#include "simd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER double
#define OF(x)  (x)
#include "sens_elementary.h"

/* The guard's rate below which it only touches zero: of what its terms would allow. */
static const double GRAZES = 1e-4, GRAZES_SLOWLY = 1e-3;

/* ------------------------------------------------------------------ transitions of states */

/* New states of the contact and their derivatives by everything before, at the linearised point; how many these are. z_t: how they change
 * with the time of a guard. */
static int map_states(bodies *b, const body_op *o, cps_partials *d, double *z_t) {
  linearised *p = &b->at;
  if (!o->mapped) return 0;
  const cps_system *s = p->s;
  const contact *c = &s->contacts[o->contact];
  int n = c->n_states, mode = p->mode[o->contact];
  double z[CPS_MAX_STATES], next[CPS_MAX_STATES];
  memset(d, 0, (size_t)n * sizeof *d);
  for (int j = 0; j < n; j++) {
    z[j] = p->y[2 * s->nx + c->z + j];
    d[j].z[j] = 1;
  }
  for (int m = 0; m < o->n_chain; m++) {
    cps_partials last[CPS_MAX_STATES], step[CPS_MAX_STATES];
    cps_law_input in = {p->k.v[o->contact], p->k.n[o->contact], p->k.f_eq[o->contact], z, mode};
    mode = cps_law_transition(c->law, c->p, &in, o->chain[m], next, step);
    memcpy(last, d, (size_t)n * sizeof *d);
    memcpy(z, next, bytes(n));
    for (int j = 0; j < n; j++) {
      d[j] = step[j];
      memset(d[j].z, 0, sizeof d[j].z);
      for (int q = 0; q < n; q++) {
        double by = step[j].z[q];
        if (by == 0) continue;
        d[j].v += by * last[q].v;
        d[j].n += by * last[q].n;
        d[j].f_eq += by * last[q].f_eq;
        for (int r = 0; r < n; r++) d[j].z[r] += by * last[q].z[r];
        for (int r = 0; r < c->law->n_params; r++) d[j].p[r] += by * last[q].p[r];
      }
    }
  }
  for (int j = 0; j < n; j++)
    z_t[j] = o->when == AT_GUARD ? cps_linearised_law_along(p, o->contact, &d[j], b->x_t) : 0;
  return n;
}

/* ------------------------------------------------------------------ times */

static void warn_of_grazing(bodies *b, const body_op *o) {
  const char *name = b->s->scenario->contacts[o->contact].name;
  int room = (int)(sizeof b->graze / sizeof b->graze[0]);
  for (int i = 0; i < b->grazes; i++)
    if (strcmp(b->graze[i], name) == 0) return;
  if (b->grazes == room) return;
  snprintf(b->graze[b->grazes++], sizeof b->graze[0], "%s", name);
  cps_sens_warn(
      b->c.run,
      "contact %s only grazes its transition at t = %.9g s: a little change of a parameter makes it happen "
      "much earlier or later, or not at all, and derivatives behind it may not exist",
      name, o->t);
}

/* The rate of the guard, at the point before, which is linearised; the changes of everything with time are in b->x_t. 0 if that fails. */
static int guard_rate(bodies *b, const body_op *o, double *rate) {
  linearised *p = &b->at;
  int i = o->contact;
  cps_partials guard = cps_linearised_guard(p, i, o->guard), *k = &guard;
  memcpy(b->dy, p->y_t, bytes(b->s->ny));
  if (!cps_linearised_along(p, &b->time, b->dy)) return 0;
  memcpy(b->x_t, p->z, bytes(p->l.count));
  *rate = cps_linearised_law_along(p, i, k, p->z);
  const scenario_run *run = &b->s->scenario->run;
  double fast = fabs(k->v) * (fabs(p->f[i]) + fabs(p->k.f_eq[i])) * p->k.w_ii[i];
  double slow = (fabs(k->f_eq * p->k.f_eq[i]) + fabs(k->n) * p->k.n[i]) / (run->until - run->from);
  if (fabs(*rate) <= GRAZES * fast + GRAZES_SLOWLY * slow) warn_of_grazing(b, o);
  return 1;
}

static double break_rate(bodies *b, const body_op *o, int j) {
  int several = 0;
  double rate = b->moves[j] ? cps_sens_tau(b->c.run, j, o->t1, &several) : 0;
  if (several && !b->warned_break++)
    cps_sens_warn(b->c.run,
                  "several prescribed things jump at t = %.9g s and %s does not move them alike: its "
                  "derivative is that of all of them moving together",
                  o->t1, b->c.run->wrt[j].q.path);
  return rate;
}

/* ------------------------------------------------------------------ what a switch does to a state */

/* Bodies that it sets free. */
static int lets_go(const body_op *o, int i) {
  return o->released && o->free->k.inverse_mass[i] == 0 && o->free1->k.inverse_mass[i] != 0;
}

/* What has moved with the flow has its difference of rates times tau; what is mapped is new, and so are velocities of what is set free.
 * Changes along one parameter of n; or weights, gradients by all of them, and weights of tau and of new states of the law, whose
 * rates are z_t at the transition. */
static void shift(const bodies *b, const body_op *o, int back, const change *c, int n, double *tau, double *z,
                  const double *z_t, double *s, double *grad) {
  const cps_system *sys = b->s;
  const double on = o->shifts && !b->without_jumps;
  const contact *k = o->mapped ? &sys->contacts[o->contact] : NULL;
  const int first = k ? 2 * sys->nx + k->z : 0, end = k ? first + k->n_states : 0;
  for (int i = 0; i < sys->ny; i++) {
    int freed = i >= sys->nx && i < sys->nx + sys->nd && lets_go(o, i - sys->nx);
    if (i >= first && i < end) {
      double sum = opened(back, &s[i]);
      add(back, &sum, -on * b->f1[i], tau);
      add(back, &sum, on * z_t[i - first], tau);
      add(back, &sum, 1, &z[i - first]);
      closed(back, &s[i], sum);
    } else if (freed) {
      double sum = opened(back, &s[i]);
      add(back, &sum, -on * b->f1[i], tau);
      for (int j = 0; j < n; j++)
        for (int m = 0; m < c[j].n_release; m++)
          if (c[j].release[m].i == i - sys->nx)
            *(back ? &grad[j] : &sum) += c[j].release[m].d * (back ? sum : 1);
      closed(back, &s[i], sum);
    } else {
      add(back, &s[i], on * (b->f0[i] - b->f1[i]), tau);
    }
  }
}

int cps_switch_apply(bodies *b, const body_op *o) {
  const cps_system *s = b->s;
  linearised *p = &b->at;
  double rate = 1;
  cps_partials map[CPS_MAX_STATES];
  if (!cps_linearised_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  memcpy(b->f0, p->y_t, bytes(s->ny));
  if (o->when == AT_GUARD && !guard_rate(b, o, &rate)) return 0;
  cps_partials guard = {0};
  if (o->when == AT_GUARD) guard = cps_linearised_guard(p, o->contact, o->guard);
  double z_t[CPS_MAX_STATES];
  int n_states = map_states(b, o, map, z_t);
  for (int j = 0; j < b->n_wrt; j++) {
    double *dy = b->s_y + (size_t)j * (size_t)b->n, tau = 0, dg = 0;
    if (o->contact >= 0) {
      memcpy(b->dy, dy, bytes(s->ny));
      if (!cps_linearised_along(p, &b->change[j], b->dy)) return 0;
      if (o->when == AT_GUARD) dg = cps_linearised_law_along(p, o->contact, &guard, p->z);
    }
    if (o->when == AT_GUARD) tau = fabs(rate) > 0 ? -dg / rate : 0;
    if (o->when == AT_BREAK) tau = break_rate(b, o, j);
    b->x[j] = tau;
    double *z = b->dk + (size_t)j * CPS_MAX_STATES;
    for (int m = 0; m < n_states; m++) z[m] = cps_linearised_law_along(p, o->contact, &map[m], p->z);
  }
  if (!cps_linearised_go(p, o->t1, o->y1, o->mode1, &o->free1->k)) return 0;
  memcpy(b->f1, p->y_t, bytes(s->ny));
  for (int j = 0; j < b->n_wrt; j++) {
    shift(b, o, 0, &b->change[j], 1, &b->x[j], b->dk + (size_t)j * CPS_MAX_STATES, z_t,
          b->s_y + (size_t)j * (size_t)b->n, NULL);
    for (int m = 0; m < o->n_events; m++)
      b->tau[(size_t)o->event_contact[m] * (size_t)b->n_wrt + (size_t)j] = b->x[j];
  }
  return 1;
}

/* ------------------------------------------------------------------ back */

/* Weights of new states, and of the guard, become those of everything before. */
static int map_back(bodies *b, const body_op *o, const cps_partials *map, int n_states, const double *w_z,
                    double w_guard, double *w, double *grad) {
  linearised *p = &b->at;
  cps_linearised_clear(p);
  for (int m = 0; m < n_states; m++) cps_linearised_law_back(p, o->contact, &map[m], w_z[m]);
  if (w_guard != 0) {
    cps_partials guard = cps_linearised_guard(p, o->contact, o->guard);
    cps_linearised_law_back(p, o->contact, &guard, w_guard);
  }
  return cps_linearised_back(p, LINEAR_NOTHING, b->change, b->n_wrt, w, grad);
}

int cps_switch_back(bodies *b, const body_op *o) {
  const cps_system *s = b->s;
  linearised *p = &b->at;
  double rate = 1;
  cps_partials map[CPS_MAX_STATES];
  if (!cps_linearised_go(p, o->t1, o->y1, o->mode1, &o->free1->k)) return 0;
  memcpy(b->f1, p->y_t, bytes(s->ny));
  if (!cps_linearised_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  memcpy(b->f0, p->y_t, bytes(s->ny));
  if (o->when == AT_GUARD && !guard_rate(b, o, &rate)) return 0;
  double z_t[CPS_MAX_STATES];
  int n_states = map_states(b, o, map, z_t);
  for (int m = 0; m < b->c.run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n, *grad = b->c.gradient + (size_t)m * (size_t)b->n_wrt;
    double w_z[CPS_MAX_STATES] = {0}, tau = 0;
    shift(b, o, 1, b->change, b->n_wrt, &tau, w_z, z_t, w, grad);
    for (int e = 0; e < o->n_events; e++)
      tau += b->w_event[(size_t)m * (size_t)b->n_events + (size_t)o->event_index[e]];
    double w_guard = o->when == AT_GUARD && fabs(rate) > 0 ? -tau / rate : 0;
    if ((o->mapped || w_guard != 0) && !map_back(b, o, map, n_states, w_z, w_guard, w, grad)) return 0;
    if (tau == 0) continue;
    for (int j = 0; j < b->n_wrt && o->when == AT_BREAK; j++) grad[j] += tau * break_rate(b, o, j);
  }
  return 1;
}

/* ------------------------------------------------------------------ captures */

int cps_capture_apply(bodies *b, const body_op *o) {
  if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    double *dy = b->s_y + (size_t)j * (size_t)b->n;
    cps_linearised_prescribe(&b->at, 0, &b->change[j], 1, dy, NULL);
    if (!cps_linearised_capture(&b->at, 0, dy)) return 0;
  }
  return 1;
}

int cps_capture_back(bodies *b, const body_op *o) {
  if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int m = 0; m < b->c.run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n;
    if (!cps_linearised_capture(&b->at, 1, w)) return 0;
    cps_linearised_prescribe(&b->at, 1, b->change, b->n_wrt, w, b->c.gradient + (size_t)m * (size_t)b->n_wrt);
  }
  return 1;
}
