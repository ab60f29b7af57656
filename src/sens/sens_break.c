/* sens_break.c - runs of cables where something prescribed jumps, at a time T that parameters move.
 *
 * Two runs that differ by dp jump at times that differ by tau dp, tau = dT/dp. Behind the jump their steps have the same lengths: each
 * ends later by tau dp. Tangents behind the jump are those of states at the ends of such steps, of which all that is
 * prescribed is looked at later by tau, too. So a blow is compared with itself, however well the steps resolve it. With the rates F0
 * before the jump and what the steps were moved by until then,
 *
 *   s+ = s- + F0 (tau+ - tau-).
 *
 * A row is about a time that does not move: there, and at the next jump that moves otherwise, the same map takes the tangents to other
 * times. Of places the rates are velocities, of velocities accelerations, of works powers; accelerations and forces follow from
 * their balance (OP_BALANCE). tau is a prescribed number like others (DY_TAU of sens_chain.h): the adjoint finds it on its tape.
 */
#include "sens_drive.h"
#include "sens_ops.h"

#include <stdlib.h>

/* Accelerations that change by this part of themselves, or of gravity, jump. */
static const double SHAKES = 0.01;

int cps_drive_break(drive *o, double t, int *which, int *several) {
  int changes = 0;
  *which = -1;
  *several = 0;
  for (int k = 0; k < o->run->n_wrt; k++) {
    int unlike = 0;
    if (!o->moves[k]) continue;
    double tau = t > o->run->scenario->run.from ? cps_sens_tau(o->run, k, t, &unlike) : 0;
    lanes *now = &o->d[k / LANES * o->at->ds + o->at->tau_d];
    if (tau != 0 && !*several) *which = k;
    *several |= unlike;
    changes |= (*now)[k % LANES] != tau;
    (*now)[k % LANES] = tau;
  }
  return changes;
}

int cps_drive_late(const drive *o) {
  int late = 0;
  for (int k = 0; k < o->run->n_wrt; k++) late |= o->d[k / LANES * o->at->ds + o->at->tau_d][k % LANES] != 0;
  return late;
}

int cps_drive_in_time(drive *o) {
  int late = cps_drive_late(o);
  for (int k = 0; k < o->run->n_wrt; k++) o->d[k / LANES * o->at->ds + o->at->tau_d][k % LANES] = 0;
  return late;
}

void cps_drive_jump(drive *o, double t) {
  if (o->time < 0) return;
  for (int i = 0; i < o->m->n_drums; i++) {
    const scenario_drum *of = o->m->drum[i].of;
    if (!cps_drum_is_led(of)) continue;
    profile_value then = cps_profile_beside(of->motion, of->motion, nextafter(t, -INFINITY), t),
                  now = cps_profile_eval(of->motion, t);
    drive_torque f = cps_drive_torque(of, now, o->m->drum[i].angle, o->m->drum[i].rate);
    double jump = f.by_set * (then.y - now.y) + f.by_set_t * (then.y_t - now.y_t);
    for (int chunk = 0; chunk < o->chunks; chunk++) {
      lanes *d = o->d + chunk * o->at->ds;
      d[o->at->drum_d + i * DY_DRUM + DY_RATE] += all(jump) * d[o->at->tau_d];
    }
  }
}

int cps_break_shakes(const machine *m) {
  double most = sqrt(m->gravity[0] * m->gravity[0] + m->gravity[1] * m->gravity[1] +
                     m->gravity[2] * m->gravity[2]),
         change = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < (c->n + 1) * c->b; k++) {
      if (k % c->b >= c->dim) continue; /* slopes */
      most = fmax(most, fmax(fabs(c->a[k]), fabs(c->a0[k])));
      change = fmax(change, fabs(c->a[k] - c->a0[k]));
    }
  }
  return change > SHAKES * most;
}

/* ------------------------------------------------------------------ powers */

/* What numbers of the state, and those that are prescribed, change by per time where works know them. */
static void find_rates(const model *o, double *state, double *d) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  const cps_system *s = m->system;
  for (int i = 0; i < m->n_cables; i++) {
    memcpy(state + l->cable[i].q, m->cable[i].v, (size_t)l->cable[i].e * sizeof(double));
    memcpy(state + l->cable[i].v, m->cable[i].a, (size_t)l->cable[i].e * sizeof(double));
  }
  for (int k = 0; k < m->nb; k++) {
    state[l->border + k] = *m->free[k].v;
    state[l->border + m->nb + k] = *m->free[k].a;
  }
  for (int i = 0; i < m->n_drums; i++) {
    double *x = d + l->drum_d + i * DY_DRUM;
    x[DY_ANGLE] = m->drum[i].rate;
    memcpy(x + DY_CENTER, m->drum[i].center_v, sizeof m->drum[i].center_v);
  }
  for (int i = 0; i < m->of->n_bodies && s->ns > 0; i++)
    if (s->body_q[i] >= s->nd) d[l->surface_d + 3 * i] = m->y[s->nx + s->body_q[i]];
}

/* Powers of all works: those of a step of no length at the present state, by what changes there. Objective damping is in proportion to the
 * length of steps. */
static void find_powers(model *o, double t, const double *state, const double *d, double *power) {
  const layout *l = &o->at;
  const int works = l->after + l->works;
  cps_model_look(o, t);
  cps_model_touch(o);
  cps_model_works(o, t, 0, 1);
  for (int i = 0; i < o->work.n; i++) {
    const entry *e = &o->work.e[i];
    if (e->column >= l->after && e->column < l->after + l->states)
      power[e->row - works] += e->by * state[e->column - l->after];
    else if (e->column >= l->d && e->column < l->d + l->ds)
      power[e->row - works] += e->by * d[e->column - l->d];
  }
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable_at *at = &l->cable[i];
    power[WK_DAMPING] += cps_damping_power(&o->m.cable[i]);
    for (int k = 0; k < at->e; k++) power[WK_DAMPING] += o->dense.damping_q[at->w + k] * state[at->q + k];
  }
}

void cps_model_rates(model *o, double t, int works, double *rates) {
  double *d = rates + o->at.states;
  find_rates(o, rates, d);
  if (works) find_powers(o, t, rates, d, d + o->at.ds);
}

/* ------------------------------------------------------------------ the map */

/* A row of the state before, by what tau changes by. */
static void add(model *o, int row, double by) {
  cps_entries_add(&o->list, o->at.before + row, o->at.d + o->at.tau_d, by);
  cps_entries_add(&o->list, o->at.before + row, o->at.d0 + o->at.tau_d, -by);
}

void cps_model_shift(model *o, double t) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  o->list.n = 0;
  cps_model_touch(o);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < l->cable[i].e; k++) {
      int node = k / c->b;
      if ((node == 0 || node == c->n) && c->fixed[node] >> k % c->b & 1) continue; /* it is where it is put */
      add(o, l->cable[i].q + k, c->v[k]);
      add(o, l->cable[i].v + k, c->a[k]);
    }
  }
  for (int k = 0; k < m->nb; k++) {
    add(o, l->border + k, *m->free[k].v);
    add(o, l->border + m->nb + k, *m->free[k].a);
  }
  for (int i = 0, k = 0; i < m->n_sites; i++)
    for (int a = 0; a < m->site[i].axes; a++)
      for (int j = 0; j < m->site[i].law->law->n_states; j++, k++)
        if (cps_model_touches(o, k)) add(o, l->z + k, m->site[i].y->z_t[a][j]);
  double *rates = calloc((size_t)(l->states + l->ds + l->n_works), sizeof *rates);
  if (!rates) {
    o->list.lost = 1;
    return;
  }
  const double *power = rates + l->states + l->ds;
  cps_model_rates(o, t, 1, rates);
  for (int k = 0; k < l->n_works; k++) add(o, l->works + k, power[k]);
  free(rates);
}
