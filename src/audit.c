/* audit.c - energy of a machine, and where it goes.
 *
 * Over a step the work of a force is (F0 + F1)/2 times the displacement it works on. The equations balance at both
 * ends of a step, so the sum of all such works, inertia included, is zero: what does not close is the difference
 * between the trapezoidal work and the change of potential of elastic forces, which vanishes as h^2. The integrator
 * itself loses (or gives)
 *
 *   solver = dq.M (A0 + A1)/2 - dT
 *
 * because its velocities are not quite the integrals of its accelerations, nor its positions those of its
 * velocities: a line of its own.
 */
#include "machine.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ elements */

/* The force that the element passes on from node to node, along its chord. It balances loads and contact forces
 * exactly; EA times the mean strain does not, where an element is curved more than it can be. */
double cps_cable_tension(const cable *c, int i) {
  cable_section elastic_only = c->section;
  const double *q = c->q + i * c->b;
  double f[12] = {0}, along = 0, square = 0;
  elastic_only.rayleigh = elastic_only.axial_damping = elastic_only.bending_damping = 0;
  cps_element_force(c->dim, &elastic_only, c->length[i], q, c->v + i * c->b, f, 1, 0, NULL, NULL);
  for (int d = 0; d < c->dim; d++) {
    double chord = q[c->b + d] - q[d];
    along += f[c->b + d] * chord;
    square += chord * chord;
  }
  return square > 0 ? along / sqrt(square) : 0;
}

/* Elastic energy of element i. */
static double elastic(const cable *c, int i) {
  double f[12] = {0};
  return cps_element_force(c->dim, &c->section, c->length[i], c->q + i * c->b, c->v + i * c->b, f, 1, 0, NULL,
                           NULL);
}

/* x' M y of element i for one direction d. */
static inline double mass_product(double l, double rho, const double *x, const double *y, int dim, int d) {
  double x0 = x[d], x1 = l * x[dim + d], x2 = x[2 * dim + d], x3 = l * x[3 * dim + d];
  double y0 = y[d], y1 = l * y[dim + d], y2 = y[2 * dim + d], y3 = l * y[3 * dim + d];
  return rho * l / 420 *
         (x0 * (156 * y0 + 22 * y1 + 54 * y2 - 13 * y3) + x1 * (22 * y0 + 4 * y1 + 13 * y2 - 3 * y3) +
          x2 * (54 * y0 + 13 * y1 + 156 * y2 - 22 * y3) + x3 * (-13 * y0 - 3 * y1 - 22 * y2 + 4 * y3));
}

static double kinetic(const cable *c) {
  double sum = 0;
  for (int i = 0; i < c->n; i++)
    for (int d = 0; d < c->dim; d++)
      sum += mass_product(c->length[i], c->section.rho, c->v + i * c->b, c->v + i * c->b, c->dim, d);
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < c->dim; d++) sum += c->mass[i] * c->v[i * c->b + d] * c->v[i * c->b + d];
  return sum / 2;
}

static double potential(const cable *c) {
  double sum = 0;
  for (int i = 0; i < c->n; i++) {
    double l = c->length[i];
    const double *q = c->q + i * c->b;
    for (int d = 0; d < c->dim; d++)
      sum -= c->section.rho * c->gravity[d] *
             (l / 2 * (q[d] + q[2 * c->dim + d]) + l * l / 12 * (q[c->dim + d] - q[3 * c->dim + d]));
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < c->dim; d++) sum -= c->mass[i] * c->gravity[d] * c->q[i * c->b + d];
  return sum;
}

/* Inertia's work less the change of kinetic energy, and the work of Westin's damping, of a whole cable. */
static void step_elements(const cable *c, double *solver, double *damping) {
  int dim = c->dim, b = c->b;
  for (int i = 0; i <= c->n; i++) {
    double dq[12], ma[12], dv[12], mv[12];
    const double *q1 = c->q + i * b, *q0 = c->q0 + i * b, *v1 = c->v + i * b, *v0 = c->v0 + i * b;
    const double *a1 = c->a + i * b, *a0 = c->a0 + i * b;
    int whole = i < c->n;
    for (int k = 0; k < (whole ? 2 * b : b); k++) {
      dq[k] = q1[k] - q0[k];
      ma[k] = (a1[k] + a0[k]) / 2;
      dv[k] = v1[k] - v0[k];
      mv[k] = (v1[k] + v0[k]) / 2;
    }
    for (int d = 0; d < dim; d++) {
      if (c->mass[i] > 0) *solver += c->mass[i] * (dq[d] * ma[d] - dv[d] * mv[d]);
      if (!whole) continue;
      double l = c->length[i], rho = c->section.rho;
      *solver += mass_product(l, rho, dq, ma, dim, d) - mass_product(l, rho, dv, mv, dim, d);
      if (c->section.rayleigh <= 0) continue;
      double x0 = (dq[2 * dim + d] - dq[d]) / l, x1 = dq[dim + d], x2 = dq[3 * dim + d];
      double y0 = (mv[2 * dim + d] - mv[d]) / l, y1 = mv[dim + d], y2 = mv[3 * dim + d];
      *damping += c->section.rayleigh * l / 30 *
                  (x0 * (36 * y0 - 3 * y1 - 3 * y2) + x1 * (-3 * y0 + 4 * y1 - y2) +
                   x2 * (-3 * y0 - y1 + 4 * y2));
    }
  }
}

/* Power of objective damping, now. */
static double damping_power(const cable *c) {
  double lost = 0, f[12];
  if (!(c->section.axial_damping > 0 || c->section.bending_damping > 0)) return 0;
  for (int i = 0; i < c->n; i++) {
    memset(f, 0, sizeof f);
    cps_element_force(c->dim, &c->extra, c->length[i], c->q + i * c->b, c->v + i * c->b, f, 1, 0, NULL,
                      &lost);
  }
  return lost;
}

/* ------------------------------------------------------------------ contact */

/* What a point does now. */
static void look(const machine *m, const cable *c, const contact_point *p, contact_trace *o) {
  memset(o, 0, sizeof *o);
  o->drum = -1;
  if (p->near < 0) return;
  const drum *g = &m->drum[p->near];
  const double *q = c->q + p->node * c->b, *v = c->v + p->node * c->b;
  double n[3] = {0}, t[3], height = 0, square = 0, out = 0;
  for (int d = 0; d < m->dim; d++) {
    for (int k = 0; k < 4; k++)
      if (p->shape[k] != 0) o->r[d] += p->shape[k] * q[k * m->dim + d];
    o->r[d] -= g->center[d];
    height += m->dim == 3 ? o->r[d] * g->axis[d] : 0;
  }
  for (int d = 0; d < m->dim; d++) {
    n[d] = o->r[d] - height * g->axis[d] * (m->dim == 3);
    square += n[d] * n[d];
  }
  double rho = sqrt(square);
  o->drum = p->near;
  if (rho >= g->radius || rho == 0) return;
  o->depth = g->radius - rho;
  for (int d = 0; d < m->dim; d++) {
    n[d] /= rho;
    double rate = -g->center_v[d];
    for (int k = 0; k < 4; k++)
      if (p->shape[k] != 0) rate += p->shape[k] * v[k * m->dim + d];
    out += n[d] * rate;
  }
  for (int d = 0; d < 3; d++)
    t[d] = g->axis[(d + 1) % 3] * n[(d + 2) % 3] - g->axis[(d + 2) % 3] * n[(d + 1) % 3];
  cps_normal_output slow, fast;
  cps_normal_eval(c->contact.normal, c->contact.normal_p, o->depth, 0, &slow);
  cps_normal_eval(c->contact.normal, c->contact.normal_p, o->depth, -out, &fast);
  o->n_damping = p->weight * (fast.n - slow.n);
  o->f = p->f[0];
  for (int d = 0; d < m->dim; d++) {
    o->pull[d] = p->f[0] * t[d] + (m->dim == 3 ? p->f[1] * g->axis[d] : 0);
    o->push[d] = o->pull[d] + p->weight * fast.n * n[d];
  }
}

/* The work of a point over a step. */
static void step_point(machine *m, cable *c, const contact_trace *a, const contact_trace *b) {
  if (a->drum < 0 || a->drum != b->drum) return;
  const drum *g = &m->drum[b->drum], *g0 = &m->drum0[b->drum];
  double slipped = 0, carried = 0, turned = g->angle - g0->angle;
  for (int d = 0; d < m->dim; d++) {
    slipped += (a->pull[d] + b->pull[d]) / 2 * (b->r[d] - a->r[d]);
    carried += (a->push[d] + b->push[d]) / 2 * (g->center[d] - g0->center[d]);
  }
  double twist = (a->f + b->f) / 2 * g->radius * turned;
  m->work.friction -= slipped - twist;
  c->slip_work[b->drum] -= slipped - twist;
  m->work.contact_damping += (a->n_damping + b->n_damping) / 2 * (b->depth - a->depth);
  if (g->angle_at < 0) m->work.motion_work += twist;
  if (g->carrier < 0) m->work.motion_work += carried;
}

/* ------------------------------------------------------------------ ends and border */

static void step_ends(machine *m, cable *c) {
  for (int e = 0; e < 2 && c->seam < 0; e++) {
    int node = e == 0 ? 0 : c->n;
    for (int d = 0; d < m->dim; d++) {
      int k = node * c->b + d;
      double moved = c->q[k] - c->q0[k];
      m->work.load_work += (c->load[e][d] + c->loads0[e][d]) / 2 * moved;
      if (c->fixed[node] >> d & 1)
        m->work.motion_work += (c->reaction[e][d] + c->reaction0[e][d]) / 2 * moved;
    }
  }
  memcpy(c->loads0, c->load, sizeof c->load);
  memcpy(c->reaction0, c->reaction, sizeof c->reaction);
}

static void step_border(machine *m, double t, double h) {
  for (int i = 0; i < m->n_bodies; i++) {
    const border_body *y = &m->body[i];
    for (int k = 0; k < y->n; k++) {
      const freedom *f = &m->free[y->at + k];
      m->work.solver += y->mass * ((f->q - f->q0) * (f->a + f->a0) / 2 - (f->v * f->v - f->v0 * f->v0) / 2);
    }
  }
  for (int i = 0; i < m->n_drums; i++) {
    const drum *g = &m->drum[i], *g0 = &m->drum0[i];
    if (g->angle_at < 0) continue;
    double unused[2], moved = g->angle - g0->angle;
    double torque = (cps_drum_torque(g, t, &unused[0], &unused[1]) +
                     cps_drum_torque(g0, t - h, &unused[0], &unused[1])) /
                    2;
    m->work.motion_work += torque * moved;
    m->work.solver += g->of->inertia * (moved * (g->acceleration + g0->acceleration) / 2 -
                                        (g->rate * g->rate - g0->rate * g0->rate) / 2);
  }
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double moved = 0;
    for (int k = 0; k < 2; k++)
      if (y->at[k] >= 0)
        moved += (k == 0 ? y->factor[0] : -y->factor[1]) * (m->free[y->at[k]].q - m->free[y->at[k]].q0);
    double f = (m->free[y->f_at].q + m->free[y->f_at].q0) / 2, belt = 0;
    if (y->surface) {
      profile_value now = cps_profile_eval(y->surface->motion, t),
                    then = cps_profile_eval(y->surface->motion, t - h);
      belt = y->surface->motion_is_velocity ? h * (now.y + then.y) / 2 : now.y - then.y;
    }
    m->work.friction -= f * (moved - belt);
    m->work.motion_work += f * belt;
  }
  for (int i = 0; i < m->of->n_loads; i++) {
    const scenario_load *l = &m->of->loads[i];
    int at = m->body_border[l->body];
    if (at < 0) continue;
    const border_body *y = &m->body[at];
    double f = (cps_profile_eval(l->force, t).y + cps_profile_eval(l->force, t - h).y) / 2;
    for (int k = 0; k < y->n; k++)
      for (int d = 0; d < m->dim; d++)
        m->work.load_work += f * l->direction[d] * y->along[k][d] *
                             (m->free[y->at + k].q - m->free[y->at + k].q0);
  }
}

/* Power of dampers between bodies, now. */
static double spring_loss(const machine *m) {
  double lost = 0;
  for (int i = 0; i < m->of->n_springs; i++) {
    const scenario_spring *g = &m->of->springs[i];
    double along[3], t[3][3], ra[3], rb[3], rate = 0;
    if (!(g->damping > 0)) continue;
    double f = cps_border_spring(m, i, 0, along, t, ra, rb);
    if (g->tension_only && f <= 0) continue;
    for (int e = 0; e < 2; e++) {
      int at = g->end[e].body >= 0 ? m->body_border[g->end[e].body] : -1;
      for (int d = 0; d < m->dim && at >= 0; d++) rate += (e ? 1 : -1) * along[d] * m->body[at].v[d];
    }
    lost += g->damping * rate * rate;
  }
  return lost;
}

static double spring_energy(const machine *m) {
  double sum = 0;
  for (int i = 0; i < m->of->n_springs; i++) {
    const scenario_spring *g = &m->of->springs[i];
    double along[3], t[3][3], ra[3], rb[3], e = -g->length;
    cps_border_spring(m, i, 0, along, t, ra, rb);
    for (int d = 0; d < 3; d++) e += along[d] * (rb[d] - ra[d]);
    if (!g->tension_only || e > 0) sum += g->stiffness * e * e / 2;
  }
  return sum;
}

/* ------------------------------------------------------------------ all of it */

static double loss(const machine *m) {
  double power = m->nb > 0 ? spring_loss(m) : 0;
  for (int i = 0; i < m->n_cables; i++) power += damping_power(&m->cable[i]);
  return power;
}

void cps_audit_start(machine *m, double t) {
  (void)t;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) look(m, c, &c->point[k], &c->trace[k]);
    memcpy(c->loads0, c->load, sizeof c->load);
    memcpy(c->reaction0, c->reaction, sizeof c->reaction);
  }
  m->loss0 = loss(m);
}

void cps_audit_step(machine *m, double t, double h) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    step_elements(c, &m->work.solver, &m->work.damping);
    for (int k = 0; k < c->n_points; k++) {
      contact_trace now;
      contact_trace *before = &c->trace[k];
      if (c->point[k].near < 0 && before->drum < 0) continue;
      look(m, c, &c->point[k], &now);
      step_point(m, c, before, &now);
      *before = now;
    }
    step_ends(m, c);
  }
  if (m->nb > 0) step_border(m, t, h);
  double now = loss(m);
  m->work.damping += h * (now + m->loss0) / 2;
  m->loss0 = now;
}

void cps_audit_energy(const machine *m, cps_energy *e) {
  memset(e, 0, sizeof *e);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    e->kinetic += kinetic(c);
    e->gravity += potential(c);
    for (int k = 0; k < c->n; k++) e->elastic += elastic(c, k);
    for (int k = 0; k < c->n_points; k++) {
      contact_trace now;
      look(m, c, &c->point[k], &now);
      if (now.drum >= 0)
        e->elastic += c->point[k].weight *
                      cps_normal_energy(c->contact.normal, c->contact.normal_p, now.depth);
    }
  }
  for (int i = 0; i < m->n_bodies; i++) {
    const border_body *y = &m->body[i];
    for (int d = 0; d < m->dim; d++) {
      e->kinetic += y->mass * y->v[d] * y->v[d] / 2;
      e->gravity -= y->mass * m->gravity[d] * y->r[d];
    }
  }
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0)
      e->kinetic += m->drum[i].of->inertia * m->drum[i].rate * m->drum[i].rate / 2;
  if (m->nb > 0) e->elastic += spring_energy(m);
  e->friction = m->work.friction;
  e->damping = m->work.damping + m->work.contact_damping;
  e->load_work = m->work.load_work;
  e->motion_work = m->work.motion_work;
  e->solver = m->work.solver;
}
