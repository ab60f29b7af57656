/* sens_break.c - runs of cables where something prescribed jumps, at a time T that parameters move.
 *
 * Tangents are those of the state at a fixed time. Two runs that differ by dp jump at times that differ by tau dp, and in
 * between have the rates of either side of the jump: behind it, with F0 the rates before and F1 those after it,
 *
 *   s+ = s- + (F0 - F1) tau,   tau = dT/dp.
 *
 * Of places the rates are velocities, of velocities the accelerations that balance on both sides, of works powers. The lengths of
 * steps stay what they are, so this is exact up to the error of the method, as for bodies (theory.md); where a blow sets a light
 * node in motion, that may be much, and is warned of. tau is a prescribed number
 * like others (DY_TAU of sens_chain.h): the adjoint finds it on its tape.
 */
#include "sens_drive.h"
#include "sens_ops.h"

#include <stdlib.h>

/* Accelerations that change by this part of themselves, or of gravity, jump. */
static const double SHAKES = 0.01;

int cps_drive_break(drive *o, double t, int *several) {
  int which = -1;
  *several = 0;
  for (int k = 0; k < o->run->n_wrt; k++) {
    int unlike = 0;
    if (!o->moves[k]) continue;
    double tau = t > o->run->scenario->run.from ? cps_sens_tau(o->run, k, t, &unlike) : 0;
    if (tau != 0 && !*several) which = k;
    *several |= unlike;
    o->d[k / LANES * o->at->ds + o->at->tau_d][k % LANES] = tau;
  }
  if (!o->d_varies[o->at->tau_d]) return which;
  for (int i = 0; i < o->m->n_drums; i++) { /* under control without inertia: the torque jumps */
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
  return which;
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

/* ------------------------------------------------------------------ the jump */

/* One side of a jump. */
typedef struct side {
  const model *o;
  spot *const *spot;
  int after;
  double t;
  const double *v; /* velocities of all cables, as in w1 */
  double *power;   /* [works] */
} side;

static const drum *drum_of(const side *x, int i) { return x->after ? &x->o->m.drum[i] : &x->o->m.drum0[i]; }

static void power_of_point(const side *x, int cable_of, int point) {
  const cable *c = &x->o->m.cable[cable_of];
  const contact_point *p = &c->point[point];
  const spot *s = &x->spot[cable_of][point];
  if (s->drum < 0) return;
  const drum *g = drum_of(x, s->drum);
  const double *v = x->v + x->o->at.cable[cable_of].w + p->node * c->b;
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
static void power_of_damping(const side *x) {
  const model *o = x->o;
  for (int i = 0; i < o->n_inertia; i++) {
    const chain_product *p = &o->inertia[i];
    x->power[WK_DAMPING] += p->damping * x->v[p->at] * x->v[p->column];
  }
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    const double *v = x->v + o->at.cable[i].w;
    double lost = 0;
    for (int k = 0; k < c->n && (c->section.axial_damping > 0 || c->section.bending_damping > 0); k++) {
      double f[12] = {0};
      cps_element_force(c->dim, &c->extra, c->length[k], c->q + k * c->b, v + k * c->b, f, 1, 0, NULL, &lost);
    }
    x->power[WK_DAMPING] += lost;
  }
}

static void power_of_ends(const side *x, int cable_of) {
  const cable *c = &x->o->m.cable[cable_of];
  const double *v = x->v + x->o->at.cable[cable_of].w;
  for (int e = 0; e < 2 && c->seam < 0; e++)
    for (int d = 0; d < c->dim; d++) {
      int node = e ? c->n : 0, fixed = c->fixed[node] >> d & 1;
      double load = x->after ? c->load[e][d] : x->o->loads0[cable_of][e][d],
             reaction = x->after ? c->reaction[e][d] : x->o->reaction0[cable_of][e][d];
      x->power[WK_LOAD] += load * v[node * c->b + d];
      if (cps_reaction_prescribed(&x->o->m, c, e)) {
        const drum *g = drum_of(x, c->end[e].drum);
        double centre = g->center_v[d];
        x->power[WK_MOTION] += reaction * ((g->carrier < 0 ? centre : 0) +
                                           (g->angle_at < 0 ? v[node * c->b + d] - centre : 0));
      }
      if (fixed && cps_drive_places(c, e, d)) x->power[WK_MOTION] += reaction * v[node * c->b + d];
    }
}

static double rate_of(const side *x, int k) {
  const dof *f = &x->o->m.free[k];
  return x->after ? *f->v : *f->v0;
}

/* Friction of bearings. */
static void power_of_bearing(const side *x, const slide *y) {
  const dof *force = &x->o->m.free[y->f_at];
  x->power[WK_FRICTION] -= (x->after ? *force->q : *force->q0) * y->factor[0] * rate_of(x, y->at[0]);
}

/* Friction between bodies, springs, loads and surfaces, whose places do not jump. */
static void power_of_bodies(const side *x) {
  const machine *m = &x->o->m;
  const cps_system *s = m->system;
  double *v = m->room;
  cps_bodies_look(m, x->t);
  for (int i = 0; i < s->nx; i++) v[i] = m->unknown[i] >= 0 ? rate_of(x, m->unknown[i]) : m->y[s->nx + i];
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (!y->contact) continue;
    const contact *c = &s->contacts[y->index];
    const dof *force = &m->free[y->f_at];
    double f = x->after ? *force->q : *force->q0, slides = v[c->a] - c->sb * v[c->b];
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

static void power_of_border(const side *x) {
  const machine *m = &x->o->m;
  double unused[2];
  for (int i = 0; i < m->n_slides; i++)
    if (!m->slide[i].contact) power_of_bearing(x, &m->slide[i]);
  power_of_bodies(x);
  for (int i = 0; i < m->n_drums; i++) {
    const drum *g = drum_of(x, i);
    if (g->angle_at >= 0) x->power[WK_MOTION] += cps_drum_torque(g, x->t, &unused[0], &unused[1]) * g->rate;
  }
}

/* What the kinetic energy jumps by where a body is released, by time: v1 and a0 of cables meet in their mass matrix. */
static double throw(const model *o, const double *v1) {
  double sum = 0;
  for (int i = 0; i < o->m.of->n_bodies; i++) {
    int of = o->m.body_cable[i];
    if (of < 0) continue;
    const cable *c = &o->m.cable[of]; /* where it is not released, velocities stay */
    int first = o->at.cable[of].w + (o->m.body_end[i] ? c->n * c->b : 0);
    for (int k = 0; k < o->n_inertia; k++) {
      const chain_product *p = &o->inertia[k];
      if (p->at >= first && p->at < first + c->dim)
        sum += p->mass * (v1[p->at] - o->v0[p->at]) * o->a0[p->column];
    }
  }
  return sum;
}

/* Rows of the state before by tau. */
static void add(model *o, int row, double by) {
  if (by != 0) cps_entries_add(&o->list, o->at.before + row, o->at.d + o->at.tau_d, by);
}

void cps_model_break(model *o, double t) {
  const layout *l = &o->at;
  const machine *m = &o->m;
  int works = l->n_works;
  o->list.n = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; k < l->cable[i].e; k++) {
      int w = l->cable[i].w + k, node = k / c->b;
      if ((node == 0 || node == c->n) && c->fixed[node] >> k % c->b & 1) continue; /* it is where it is put */
      add(o, l->cable[i].q + k, o->v0[w] - c->v[k]);
      add(o, l->cable[i].v + k, o->a0[w] - c->a[k]);
    }
  }
  for (int k = 0; k < m->nb; k++) {
    add(o, l->border + k, *m->free[k].v0 - *m->free[k].v);
    add(o, l->border + m->nb + k, *m->free[k].a0 - *m->free[k].a);
  }
  double *power = calloc(2 * (size_t)works, sizeof *power);
  if (!power) {
    o->list.lost = 1;
    return;
  }
  for (int i = 0; i < m->n_cables; i++)
    memcpy(o->room[0] + l->cable[i].w, m->cable[i].v, (size_t)l->cable[i].e * sizeof(double));
  for (int after = 0; after < 2; after++) {
    side x = {.o = o,
              .spot = after ? o->spot : o->spot0,
              .after = after,
              .t = after ? t : nextafter(t, -INFINITY),
              .v = after ? o->room[0] : o->v0,
              .power = power + after * works};
    power_of_damping(&x);
    for (int i = 0; i < m->n_cables; i++) {
      for (int k = 0; k < m->cable[i].n_points; k++) power_of_point(&x, i, k);
      power_of_ends(&x, i);
    }
    power_of_border(&x);
  }
  power[WK_MOTION] += throw(o, o->room[0]);
  for (int k = 0; k < works; k++) add(o, l->works + k, power[k] - power[works + k]);
  free(power);
}
