/* energy.c - energy of a machine, and where it goes.
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
#include "contact_place.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ damping */

double cps_damping_power(const cable *c) {
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

/* How deep a point is in the drum beside it; 0 if it touches nothing. */
INLINE double depth_in(const machine *m, const cable *c, const contact_point *p, const int dim) {
  contact_place at;
  if (p->near < 0) return 0;
  cps_point_of(p, c->q + p->node * c->b, dim, at.r);
  return cps_place_in(&m->drum[p->near], at.r, dim, &at) ? at.depth : 0;
}

/* What a point does now: its place, and 1 with all the rest if it touches something. */
INLINE int look_in(const machine *m, const cable *c, const contact_point *p, contact_trace *o,
                   const int dim) {
  o->drum = p->near;
  o->depth = 0;
  if (p->near < 0) return 0;
  const drum *g = &m->drum[p->near];
  double rate[3], out = 0;
  contact_place at;
  cps_point_of(p, c->q + p->node * c->b, dim, at.r);
  int touches = cps_place_in(g, at.r, dim, &at);
  for (int d = 0; d < dim; d++) o->r[d] = at.r[d];
  if (!touches) return 0;
  o->depth = at.depth;
  cps_point_of(p, c->v + p->node * c->b, dim, rate);
  for (int d = 0; d < dim; d++) out += at.n[d] * (rate[d] - g->center_v[d]);
  cps_normal_output slow, fast;
  cps_normal_force(c->contact.normal, c->contact.normal_p, o->depth, 0, &slow);
  cps_normal_force(c->contact.normal, c->contact.normal_p, o->depth, -out, &fast);
  o->n_damping = p->weight * (fast.n - slow.n);
  o->f = p->f[0];
  for (int d = 0; d < dim; d++) {
    o->pull[d] = p->f[0] * at.t[d] + (dim == 3 ? p->f[1] * g->axis[d] : 0);
    o->push[d] = o->pull[d] + p->weight * fast.n * at.n[d];
  }
  return 1;
}

static int look(const machine *m, const cable *c, const contact_point *p, contact_trace *o) {
  return m->dim == 2 ? look_in(m, c, p, o, 2) : look_in(m, c, p, o, 3);
}

/* The same, with nothing left of before where it touches nothing. */
static void look_afresh(const machine *m, const cable *c, const contact_point *p, contact_trace *o) {
  memset(o, 0, sizeof *o);
  look(m, c, p, o);
}

/* Drums bear what their contact points do at the end of a step; Newton's method had it of its last iteration's start. */
static void relieve(machine *m) {
  for (int i = 0; i < m->n_drums; i++) {
    m->drum[i].torque = 0;
    memset(m->drum[i].push, 0, sizeof m->drum[i].push);
  }
}

static void bear(machine *m, const contact_trace *o) {
  if (!(o->depth > 0)) return;
  drum *g = &m->drum[o->drum];
  g->torque -= g->radius * o->f;
  for (int d = 0; d < m->dim; d++) g->push[d] -= o->push[d];
}

/* Where a point that touches now, but did not before the step, was then. */
static void come_near(const machine *m, const cable *c, const contact_point *p, contact_trace *o) {
  memset(o, 0, sizeof *o);
  o->drum = p->near;
  if (p->near < 0) return;
  cps_point_of(p, c->q0 + p->node * c->b, m->dim, o->r);
  for (int d = 0; d < m->dim; d++) o->r[d] -= m->drum0[p->near].center[d];
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

/* ------------------------------------------------------------------ what the mesh slips */

/* What elements that run onto a drum slip while they become arcs, with two points in each: of friction that an element holds, times (l/R)^2,
 * per way. Measured on hoists with l/R from 0.05 to 0.5, EA from 0.2 to 5 MN and mu from 0.25 to 1, within a factor of two (theory.md);
 * it is a bound on other machines. Contact at nodes, which is only there where the file says so, has twenty times that. */
static const double MESH_SLIP_POINTS = 1.0 / 500;

typedef struct touching {
  int drum, points, element;
  double limit;
} touching;

static void add_mesh_slip(const machine *m, cable *c, const touching *y) {
  if (y->points == 0 || c->per_node == 1) return;
  const drum *g = &m->drum[y->drum];
  double moved = g->radius * fabs(g->angle - m->drum0[y->drum].angle);
  double part = c->length[y->element] / g->radius, held = c->per_node * y->limit / y->points;
  c->mesh_slip += moved * MESH_SLIP_POINTS * held * part * part;
}

/* ------------------------------------------------------------------ ends and border */

/* Newton's method had reactions of its last iteration's start. */
static void react(cable *c) {
  for (int e = 0; e < 2 && c->seam < 0; e++)
    if (cps_end_is(c->end[e].kind, END_ON_DRUM) || c->fixed[e == 0 ? 0 : c->n])
      cps_end_reaction(c, e, c->reaction[e]);
}

/* The part of an end's displacement that is prescribed. On a rim that is what the drum's centre and angle do, unless a body
 * carries it or the cables turn it. */
static double prescribed(const machine *m, const cable *c, int e, int d, double moved) {
  if (!cps_end_is(c->end[e].kind, END_ON_DRUM)) return c->fixed[e == 0 ? 0 : c->n] >> d & 1 ? moved : 0;
  const drum *g = &m->drum[c->end[e].drum], *g0 = &m->drum0[c->end[e].drum];
  double carried = g->center[d] - g0->center[d];
  return (g->carrier < 0 ? carried : 0) + (g->angle_at < 0 ? moved - carried : 0);
}

/* Loads and reactions as they are start a step. */
static void begin_ends(cable *c) {
  memcpy(c->loads0, c->load, sizeof c->load);
  memcpy(c->reaction0, c->reaction, sizeof c->reaction);
}

static void step_ends(machine *m, cable *c) {
  react(c);
  for (int e = 0; e < 2 && c->seam < 0; e++) {
    int node = e == 0 ? 0 : c->n;
    for (int d = 0; d < m->dim; d++) {
      int k = node * c->b + d;
      double moved = c->q[k] - c->q0[k];
      m->work.load_work += (c->load[e][d] + c->loads0[e][d]) / 2 * moved;
      m->work.motion_work += (c->reaction[e][d] + c->reaction0[e][d]) / 2 * prescribed(m, c, e, d, moved);
    }
  }
  begin_ends(c);
}

static void step_border(machine *m, double t) {
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    for (int k = 0; k < y->n; k++) {
      const dof *f = &m->free[y->at + k];
      m->work.solver += y->mass *
                        ((*f->q - *f->q0) * (*f->a + *f->a0) / 2 - (*f->v * *f->v - *f->v0 * *f->v0) / 2);
    }
  }
  for (int i = 0; i < m->n_drums; i++) {
    const drum *g = &m->drum[i], *g0 = &m->drum0[i];
    if (g->angle_at < 0) continue;
    double unused[2], moved = g->angle - g0->angle;
    double torque = (cps_drum_torque(g, t, &unused[0], &unused[1]) +
                     cps_drum_torque(g0, m->audited, &unused[0], &unused[1])) /
                    2;
    m->work.motion_work += torque * moved;
    m->work.solver += g->of->inertia * (moved * (g->acceleration + g0->acceleration) / 2 -
                                        (g->rate * g->rate - g0->rate * g0->rate) / 2);
  }
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    const dof *force = &m->free[y->f_at], *angle = &m->free[y->at[0]];
    if (!y->contact)
      m->work.friction -= (*force->q + *force->q0) / 2 * y->factor[0] * (*angle->q - *angle->q0);
  }
}

/* Bodies as they are now start a step, for the work that it does. */
static void begin_bodies(machine *m, double t) {
  const cps_system *s = m->system;
  memcpy(m->start_q, m->y, (size_t)s->nx * sizeof(double));
  if (s->nc > 0) memcpy(m->start_f, m->forces.f, (size_t)s->nc * sizeof(double));
  cps_work_begin(s, &m->forces, t, &m->start);
}

/* Work of friction between bodies, of springs, loads and surfaces in the step that ends at t. */
static void step_bodies(machine *m, double t) {
  const cps_system *s = m->system;
  cps_bodies_look(m, t);
  cps_work_add(s, &m->forces, t, m->y, m->forces.f, &m->start, m->room, m->y + 2 * s->nx + s->nz);
  begin_bodies(m, t);
}

/* ------------------------------------------------------------------ all of it */

static double loss(const machine *m) {
  double power = 0;
  for (int i = 0; i < m->n_cables; i++) power += cps_damping_power(&m->cable[i]);
  return power;
}

void cps_audit_look(machine *m) {
  relieve(m);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      look_afresh(m, c, &c->point[k], &c->trace[k]);
      bear(m, &c->trace[k]);
    }
    react(c);
  }
  cps_rims_bear(m);
}

void cps_audit_start(machine *m, double t) {
  cps_audit_look(m);
  for (int i = 0; i < m->n_cables; i++) begin_ends(&m->cable[i]);
  m->loss0 = loss(m);
  m->audited = t;
  cps_bodies_look(m, t);
  begin_bodies(m, t);
}

/* Shocks are over in a few steps, which rows may not show. */
static void note_peak(cable *c, double t) {
  for (int e = 0; e < 2 && c->seam < 0; e++) {
    double pull = cps_end_tension(c, e);
    if (!(pull > c->peak)) continue;
    c->peak = pull;
    c->peak_at = t;
  }
}

void cps_audit_step(machine *m, double t, double h) {
  relieve(m);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    cps_cable_step_work(c, &m->work.solver, &m->work.damping);
    touching on = {.drum = -1};
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      contact_trace *before = &c->trace[k], now = {0};   /* all of it is kept in checkpoints */
      if (p->drum < 0 && !(before->depth > 0)) continue; /* in the open, then and now */
      if (!look(m, c, p, &now)) look_afresh(m, c, p, &now);
      now.rise = now.depth > 0 && before->depth > 0 ? now.f - before->f : 0;
      if (!(before->depth > 0)) come_near(m, c, p, before);
      step_point(m, c, before, &now);
      bear(m, &now);
      *before = now;
      if (p->drum < 0) continue;
      if (p->drum != on.drum) {
        add_mesh_slip(m, c, &on);
        on = (touching){.drum = p->drum, .element = p->node < c->n ? p->node : c->n - 1};
      }
      on.points++;
      on.limit += p->limit;
    }
    add_mesh_slip(m, c, &on);
    step_ends(m, c);
  }
  cps_rims_bear(m);
  if (m->nb > 0) step_border(m, t);
  step_bodies(m, t);
  double now = loss(m);
  m->work.damping += h * (now + m->loss0) / 2;
  m->loss0 = now;
  m->audited = t;
  for (int i = 0; i < m->n_cables; i++) note_peak(&m->cable[i], t);
}

void cps_audit_energy(const machine *m, cps_energy *e) {
  memset(e, 0, sizeof *e);
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    cable_store store;
    cps_cable_survey(c, &store);
    e->kinetic += store.kinetic;
    e->gravity += store.gravity;
    e->elastic += store.elastic;
    for (int k = 0; k < c->n_points; k++) {
      const contact_point *p = &c->point[k];
      if (p->drum < 0 && !(c->trace[k].depth > 0)) continue; /* in the open */
      double depth = m->dim == 2 ? depth_in(m, c, p, 2) : depth_in(m, c, p, 3);
      if (depth > 0)
        e->elastic += p->weight * cps_normal_energy(c->contact.normal, c->contact.normal_p, depth);
    }
  }
  const cps_system *s = m->system;
  const double *work = m->y + 2 * s->nx + s->nz; /* of contacts between bodies, dampers, loads, surfaces */
  cps_energy bodies;
  cps_bodies_look(m, m->audited);
  cps_bodies_store(s, &m->forces, m->y, m->y + s->nx, &bodies);
  e->kinetic += bodies.kinetic;
  e->elastic += bodies.elastic;
  e->gravity += bodies.gravity;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    double more = y->mass - y->of->mass; /* of statics with another load */
    for (int d = 0; d < m->dim && more != 0; d++) {
      e->kinetic += more * y->v[d] * y->v[d] / 2;
      e->gravity -= more * m->gravity[d] * y->r[d];
    }
  }
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0)
      e->kinetic += m->drum[i].of->inertia * m->drum[i].rate * m->drum[i].rate / 2;
  e->friction = m->work.friction;
  for (int i = 0; i < s->nc; i++) e->friction += work[i];
  e->damping = m->work.damping + m->work.contact_damping + work[s->nc];
  e->load_work = m->work.load_work + work[s->nc + 1];
  e->motion_work = m->work.motion_work + work[s->nc + 2];
  e->solver = m->work.solver;
}
