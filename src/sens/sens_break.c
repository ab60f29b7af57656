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

/* The present state, at which powers of all works are found. */
typedef struct instant {
  const model *o;
  double t, *power; /* [works] */
} instant;

static void power_of_point(const instant *x, int cable_of, int point) {
  const cable *c = &x->o->m.cable[cable_of];
  const contact_point *p = &c->point[point];
  const contact_tangent *s = &x->o->contact[cable_of][point];
  if (s->drum < 0) return;
  const drum *g = &x->o->m.drum[s->drum];
  const double *v = c->v + p->node * c->b;
  double aside = 0, carried = 0;
  for (int d = 0; d < c->dim; d++) {
    double w = -g->center_v[d];
    for (int k = 0; k < 4; k++)
      if (p->shape[k] != 0) w += p->shape[k] * v[k * c->dim + d];
    aside += c->dim == 3 ? g->axis[d] * w : 0;
    carried += (s->load * s->n[d] + s->f[0] * s->t[d] + (c->dim == 3 ? s->f[1] * g->axis[d] : 0)) *
               g->center_v[d];
  }
  double lost = -(s->f[0] * (s->along - g->radius * g->rate) + s->f[1] * aside);
  x->power[WK_FRICTION] += lost;
  x->power[WK_SLIP + cable_of * x->o->m.n_drums + s->drum] += lost;
  if (g->angle_at < 0) x->power[WK_MOTION] += s->f[0] * g->radius * g->rate;
  if (g->carrier < 0) x->power[WK_MOTION] += carried;
  cps_normal_output slow;
  cps_normal_eval(c->contact.normal, c->contact.normal_p, s->depth, 0, &slow);
  x->power[WK_CONTACT] -= p->weight * (s->law.n - slow.n) * s->out;
}

/* Damping of elements. */
static void power_of_damping(const instant *x) {
  const model *o = x->o;
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    double lost = 0;
    for (int k = 0; k < c->n && (c->section.axial_damping > 0 || c->section.bending_damping > 0); k++) {
      double f[12] = {0};
      cps_element_force(c->dim, &c->extra, c->length[k], c->q + k * c->b, c->v + k * c->b, f, 1, 0, NULL,
                        &lost);
    }
    memcpy(o->room[0] + o->at.cable[i].w, c->v, (size_t)o->at.cable[i].e * sizeof(double));
    x->power[WK_DAMPING] += lost;
  }
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    x->power[WK_DAMPING] += p->damping * o->room[0][p->at] * o->room[0][p->column];
  }
}

static void power_of_ends(const instant *x, int cable_of) {
  const cable *c = &x->o->m.cable[cable_of];
  for (int e = 0; e < 2 && c->seam < 0; e++)
    for (int d = 0; d < c->dim; d++) {
      int node = e ? c->n : 0, fixed = c->fixed[node] >> d & 1;
      double v = c->v[node * c->b + d], reaction = c->reaction[e][d];
      x->power[WK_LOAD] += c->load[e][d] * v;
      if (cps_reaction_prescribed(&x->o->m, c, e)) {
        const drum *g = &x->o->m.drum[c->end[e].drum];
        double centre = g->center_v[d];
        x->power[WK_MOTION] += reaction *
                               ((g->carrier < 0 ? centre : 0) + (g->angle_at < 0 ? v - centre : 0));
      }
      if (fixed && cps_drive_places(c, e, d)) x->power[WK_MOTION] += reaction * v;
    }
}

/* Friction of bearings and between bodies, springs, loads and surfaces. */
static void power_of_bodies(const instant *x) {
  const machine *m = &x->o->m;
  const cps_system *s = m->system;
  double *v = m->room;
  cps_bodies_look(m, x->t);
  for (int i = 0; i < s->nx; i++) v[i] = m->unknown[i] >= 0 ? *m->free[m->unknown[i]].v : m->y[s->nx + i];
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double f = *m->free[y->f_at].q;
    if (!y->contact) {
      x->power[WK_FRICTION] -= f * y->factor[0] * *m->free[y->at[0]].v;
      continue;
    }
    const contact *c = &s->contacts[y->index];
    double slides = v[c->a] - c->sb * v[c->b];
    x->power[WK_FRICTION] -= f * slides;
    x->power[x->o->at.rubs + y->index] -= f * slides;
    if (y->surface) x->power[WK_MOTION] += f * c->sb * v[c->b];
  }
  double loads, damping;
  cps_forces_apply(s, &m->forces, x->t, m->y, v, &loads, &damping);
  x->power[WK_DAMPING] += damping;
  x->power[WK_LOAD] += loads;
  for (int i = s->nd; i < s->nx - 1; i++) x->power[WK_MOTION] -= m->forces.force[i] * v[i];
}

static void power_of_drives(const instant *x) {
  const machine *m = &x->o->m;
  double unused[2];
  for (int i = 0; i < m->n_drums; i++) {
    const drum *g = &m->drum[i];
    if (g->angle_at >= 0) x->power[WK_MOTION] += cps_drum_torque(g, x->t, &unused[0], &unused[1]) * g->rate;
  }
}

/* ------------------------------------------------------------------ the map */

/* A row of the state before, by what tau changes by. */
static void add(model *o, int row, double by) {
  cps_entries_add(&o->list, o->at.before + row, o->at.d + o->at.tau_d, by);
  cps_entries_add(&o->list, o->at.before + row, o->at.d0 + o->at.tau_d, -by);
}

/* States of a law with memory, of all axes of a point: from `row` on. */
static void add_states(model *o, const cps_law *law, const contact_memory *y, int axes, int row) {
  for (int a = 0; a < axes; a++)
    for (int k = 0; k < law->n_states; k++) add(o, row++, y->z_t[a][k]);
}

void cps_model_shift(model *o, double t) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  int z = l->cable[m->n_cables].z;
  o->list.n = 0;
  cps_model_touch(o);
  cps_reactions_refresh(o);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    int states = (c->dim - 1) * c->contact.law->n_states;
    for (int k = 0; k < l->cable[i].e; k++) {
      int node = k / c->b;
      if ((node == 0 || node == c->n) && c->fixed[node] >> k % c->b & 1) continue; /* it is where it is put */
      add(o, l->cable[i].q + k, c->v[k]);
      add(o, l->cable[i].v + k, c->a[k]);
    }
    for (int k = 0; c->memory && k < c->n_points; k++)
      if (o->contact[i][k].drum >= 0)
        add_states(o, c->contact.law, &c->memory[k], c->dim - 1, l->cable[i].z + k * states);
  }
  for (int k = 0; k < m->nb; k++) {
    add(o, l->border + k, *m->free[k].v);
    add(o, l->border + m->nb + k, *m->free[k].a);
  }
  for (int i = 0; i < m->n_slides; z += m->slide[i++].law.law->n_states)
    add_states(o, m->slide[i].law.law, &m->slide[i].y, 1, z);
  instant x = {.o = o, .t = t, .power = calloc((size_t)l->n_works, sizeof(double))};
  if (!x.power) {
    o->list.lost = 1;
    return;
  }
  power_of_damping(&x);
  for (int i = 0; i < m->n_cables; i++) {
    for (int k = 0; k < m->cable[i].n_points; k++) power_of_point(&x, i, k);
    power_of_ends(&x, i);
  }
  power_of_bodies(&x);
  power_of_drives(&x);
  for (int k = 0; k < l->n_works; k++) add(o, l->works + k, x.power[k]);
  free(x.power);
}
