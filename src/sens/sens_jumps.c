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

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The guard's rate below which it only touches zero: of what its terms would allow. */
static const double GRAZES = 1e-4, GRAZES_SLOWLY = 1e-3;

static size_t bytes(int n) { return (size_t)n * sizeof(double); }

/* ------------------------------------------------------------------ transitions of states */

/* New states of the contact and their derivatives by everything before, at the linearised point. */
static void map_states(const linearised *p, const body_op *o, cps_partials *d) {
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

/* ------------------------------------------------------------------ forward */

/* Puts the new changes of state in place: what has moved with the flow has its difference of rates times tau. */
static void shift(bodies *b, const body_op *o, const change *c, double tau, const double *z_new, double *s) {
  const cps_system *sys = b->s;
  double by = o->shifts && !b->without_jumps ? tau : 0;
  if (by != 0)
    for (int i = 0; i < sys->ny; i++) s[i] += (b->f0[i] - b->f1[i]) * by;
  if (o->mapped) {
    const contact *k = &sys->contacts[o->contact];
    for (int j = 0; j < k->n_states; j++)
      s[2 * sys->nx + k->z + j] = z_new[j] - b->f1[2 * sys->nx + k->z + j] * by;
  }
  if (!o->released) return;
  for (int i = 0; i < sys->nd; i++)
    if (o->free->k.inverse_mass[i] == 0 && o->free1->k.inverse_mass[i] != 0)
      s[sys->nx + i] = -b->f1[sys->nx + i] * by;
  for (int i = 0; i < c->n_release; i++) {
    int q = c->release[i].i;
    if (o->free->k.inverse_mass[q] == 0 && o->free1->k.inverse_mass[q] != 0)
      s[sys->nx + q] += c->release[i].d;
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
  if (o->mapped) map_states(p, o, map);
  int n_states = o->mapped ? s->contacts[o->contact].n_states : 0;
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
    for (int m = 0; m < n_states; m++) {
      double by = o->shifts && !b->without_jumps && o->when == AT_GUARD ? tau : 0;
      z[m] = cps_linearised_law_along(p, o->contact, &map[m], p->z);
      if (by != 0) z[m] += by * cps_linearised_law_along(p, o->contact, &map[m], b->x_t);
    }
  }
  if (!cps_linearised_go(p, o->t1, o->y1, o->mode1, &o->free1->k)) return 0;
  memcpy(b->f1, p->y_t, bytes(s->ny));
  for (int j = 0; j < b->n_wrt; j++) {
    shift(b, o, &b->change[j], b->x[j], b->dk + (size_t)j * CPS_MAX_STATES,
          b->s_y + (size_t)j * (size_t)b->n);
    for (int m = 0; m < o->n_events; m++)
      b->tau[(size_t)o->event_contact[m] * (size_t)b->n_wrt + (size_t)j] = b->x[j];
  }
  return 1;
}

/* ------------------------------------------------------------------ back */

/* Takes the weights of what was mapped or released out of w, and gives the weight of tau. */
static double shift_back(bodies *b, const body_op *o, const cps_partials *map, double *w, double *w_z,
                         double *grad) {
  const cps_system *sys = b->s;
  int on = o->shifts && !b->without_jumps;
  double tau = 0;
  if (o->released) {
    for (int j = 0; j < b->n_wrt; j++) {
      for (int i = 0; i < b->change[j].n_release; i++) {
        int q = b->change[j].release[i].i;
        if (o->free->k.inverse_mass[q] == 0 && o->free1->k.inverse_mass[q] != 0)
          grad[j] += w[sys->nx + q] * b->change[j].release[i].d;
      }
    }
    for (int i = 0; i < sys->nd; i++) {
      if (o->free->k.inverse_mass[i] != 0 || o->free1->k.inverse_mass[i] == 0) continue;
      if (on) tau -= w[sys->nx + i] * b->f1[sys->nx + i];
      w[sys->nx + i] = 0;
    }
  }
  if (o->mapped) {
    const contact *c = &sys->contacts[o->contact];
    for (int j = 0; j < c->n_states; j++) {
      double *at = &w[2 * sys->nx + c->z + j];
      if (on) tau -= *at * b->f1[2 * sys->nx + c->z + j];
      if (on && o->when == AT_GUARD)
        tau += *at * cps_linearised_law_along(&b->at, o->contact, &map[j], b->x_t);
      w_z[j] = *at;
      *at = 0;
    }
  }
  for (int i = 0; i < sys->ny && on; i++) tau += w[i] * (b->f0[i] - b->f1[i]);
  return tau;
}

/* Weights of new states, and of the guard, become those of everything before. */
static int map_back(bodies *b, const body_op *o, const cps_partials *map, const double *w_z, double w_guard,
                    double *w, double *grad) {
  linearised *p = &b->at;
  int n_states = o->mapped ? b->s->contacts[o->contact].n_states : 0;
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
  if (o->mapped) map_states(p, o, map);
  for (int m = 0; m < b->c.run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n, *grad = b->c.gradient + (size_t)m * (size_t)b->n_wrt;
    double w_z[CPS_MAX_STATES], tau = shift_back(b, o, map, w, w_z, grad);
    for (int e = 0; e < o->n_events; e++)
      tau += b->w_event[(size_t)m * (size_t)b->n_events + (size_t)o->event_index[e]];
    double w_guard = o->when == AT_GUARD && fabs(rate) > 0 ? -tau / rate : 0;
    if ((o->mapped || w_guard != 0) && !map_back(b, o, map, w_z, w_guard, w, grad)) return 0;
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
    cps_linearised_prescribe(&b->at, &b->change[j], dy);
    if (!cps_linearised_capture(&b->at, dy)) return 0;
  }
  return 1;
}

int cps_capture_back(bodies *b, const body_op *o) {
  if (!cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int m = 0; m < b->c.run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n;
    if (!cps_linearised_capture_back(&b->at, w)) return 0;
    cps_linearised_prescribe_back(&b->at, b->change, b->n_wrt, w,
                                  b->c.gradient + (size_t)m * (size_t)b->n_wrt);
  }
  return 1;
}
