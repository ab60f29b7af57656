/* body_equations.c - what several nodes of cables share: drums that are free to turn, bodies, and the friction of both.
 *
 * Unknowns of the border are angles of drums with inertia, coordinates of bodies that are more than a mass at one
 * cable's end, the seams of belts, friction forces of bearings and rails, and the force with which cables and carried
 * drums press a body onto its line. Their equations are summed here; what the cables do to them was added by
 * cable_elimination.c. All in changes dq, like the rest: dv = v_q dq, da = a_q dq; forces are unknowns themselves.
 *
 * Equations of bodies and of contacts between them are those of residual.c, which are scattered here; drums, their bearings and what
 * presses bodies are added to them.
 */
#include "machine.h"
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what acts on bodies */

/* Puts into the state of bodies what others hold of it: bodies that are ends of cables, states of laws, and what cables and drums press
 * bodies onto their lines with. */
static void gather(const machine *m) {
  const cps_system *s = m->system;
  const workspace *k = &m->forces;
  double *q = m->y, *v = q + s->nx, *z = v + s->nx;
  for (int i = 0; i < m->of->n_bodies && m->n_cables > 0; i++) {
    if (m->body_cable[i] < 0) continue;
    const cable *c = &m->cable[m->body_cable[i]];
    size_t at = m->body_end[i] == 0 ? 0 : (size_t)(c->n * c->b);
    memcpy(q + s->body_q[i], c->q + at, (size_t)m->dim * sizeof(double));
    memcpy(v + s->body_q[i], c->v + at, (size_t)m->dim * sizeof(double));
  }
  for (int i = 0; i < s->nc && s->nz > 0; i++) {
    const contact *c = &s->contacts[i];
    memcpy(z + c->z, cps_contact_slide(m, i)->y.z[0], (size_t)c->n_states * sizeof(double));
  }
  if (!k->hangs) return;
  memset(k->hung, 0, (size_t)s->nx * sizeof(double));
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    if (y->press_at < 0) continue;
    for (int c = s->body_q[y->index]; c >= 0; c = s->under[c]) k->hung[c] += *m->free[y->press_at].q;
  }
}

/* Adds to an entry of the diagonal. */
static void add(machine *m, int row, double x) {
  cps_body_values(&m->equations.system)[m->equations.diagonal[row]] += x;
}

/* What residual.c leaves of the equation of a body: the mass that statics gives it, and what presses it. */
static void add_body(machine *m, const machine_body *y, double a_q) {
  double more = y->mass - y->of->mass; /* of statics with another load */
  for (int k = 0; k < y->n && more != 0; k++) {
    int at = y->at + k;
    m->rhs[at] += more * *m->free[at].a;
    for (int d = 0; d < m->dim; d++) m->rhs[at] -= more * m->gravity[d] * y->along[k][d];
    add(m, at, more * a_q);
  }
  if (y->press_at < 0) return;
  m->rhs[y->press_at] += *m->free[y->press_at].q;
  add(m, y->press_at, 1);
}

/* ------------------------------------------------------------------ drums and friction */

double cps_drum_torque(const drum *g, double t, double *by_angle, double *by_rate) {
  const scenario_drum *of = g->of;
  *by_angle = *by_rate = 0;
  if (!of->drive->torque) return 0;
  drive_torque f = cps_drive_torque(of, cps_profile_now(of->motion, t, g->inputs), g->angle, g->rate);
  *by_angle = f.by_angle;
  *by_rate = f.by_rate;
  return f.value;
}

static void add_drum(machine *m, const drum *g, const step_coeffs *coeffs) {
  double by_angle, by_rate, torque = cps_drum_torque(g, coeffs->t, &by_angle, &by_rate);
  int at = g->angle_at;
  if (coeffs->bristle > 0 && g->braked) { /* statics */
    m->equations.system.fixed[at] = 1;
    m->rhs[at] = 0;
    return;
  }
  m->rhs[at] += g->of->inertia * g->acceleration - torque;
  add(m, at, g->of->inertia / coeffs->q_a - by_angle - by_rate * coeffs->v_a / coeffs->q_a);
}

void cps_slides_weigh(machine *m) {
  const cps_system *s = m->system;
  workspace *k = &m->forces;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    for (int j = 0; j < y->n; j++) k->inverse_mass[s->body_q[y->index] + j] = y->held ? 0 : 1 / y->mass;
  }
  for (int i = 0; i < s->nc; i++) {
    slide *y = &m->slide[m->n_slides - s->nc + i];
    k->w_ii[i] = k->inverse_mass[s->contacts[i].a] + k->inverse_mass[s->contacts[i].b];
    y->held = !(k->w_ii[i] > 0);
    y->p.mass = y->held ? m->body[m->body_border[y->contact->body[0]]].mass : 1 / k->w_ii[i];
  }
}

/* Normal force of a bearing. What cables press on it is the sum of their contact forces, which the pass along the cables has just found;
 * its derivatives take the direction of that sum from the iteration before. */
static double bearing_load(const machine *m, const slide *y) {
  const drum *g = &m->drum[y->drum];
  if (g->of->bearing_load >= 0) return g->of->bearing_load;
  return sqrt(g->push[0] * g->push[0] + g->push[1] * g->push[1] + g->push[2] * g->push[2]);
}

void cps_bodies_look(const machine *m, double t) {
  const cps_system *s = m->system;
  const workspace *k = &m->forces;
  gather(m);
  cps_system_kinematics(s, k, t, m->y);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    double a = m->a[c->a] - c->sb * (c->b < s->nd ? m->a[c->b] : k->surface_a[c->b]);
    k->f[i] = m->f[i];
    k->f_eq[i] = k->w_ii[i] > 0 ? m->f[i] - a / k->w_ii[i] : 0;
  }
}

slip_motion cps_slide_motion(const slide *y, const step_coeffs *coeffs, double n, double v, double a) {
  slip_motion s = {.axes = 1, .v = {v}, .a = {a}, .scale = y->p.mass, .viscous = y->law.viscous * n};
  s.rate = s.viscous / s.scale;
  if (y->law.kind == LAW_JUMP || y->law.kind == LAW_VELOCITY || y->law.drags)
    s.scale = y->p.mass / coeffs->v_a;
  if (y->law.kind == LAW_VELOCITY) s.scale = fmax(s.scale, 2 * y->law.rise * n);
  return s;
}

/* What is said to be at a place leaves it by a tenth of a millimetre at most; a cable has to give way by more, to find how it shares its
 * load. */
double cps_rail_grip(double grip) { return 100 * grip; }

int cps_rails_give(const step_coeffs *coeffs) { return coeffs->rail == cps_rail_grip(coeffs->bristle); }

double cps_slide_rub(slide *y, const step_coeffs *coeffs, double n, double force, double x, double v,
                     double a, friction *f) {
  contact_point *p = &y->p;
  double by_x = 0;
  p->n = n;
  p->limit = cps_friction_holds(&y->law, n);
  p->f[0] = force;
  if (coeffs->length > 0) memcpy(y->y.mode1, p->mode, sizeof p->mode);
  memset(f, 0, sizeof *f);
  if (coeffs->bristle > 0) {
    double pull = -coeffs->rail * (x - y->start);
    int gives = cps_rails_give(coeffs) && fabs(pull) > p->limit;
    f->rest[0] = force - (gives ? copysign(p->limit, pull) : pull);
    f->by_f[0][0] = 1;
    by_x = gives ? 0 : coeffs->rail;
    if (gives) f->by_n[0] = -copysign(cps_friction_holds_per(&y->law, n), pull);
  } else if (y->held) { /* nothing that rubs is free: there is nothing to balance */
    law_response r = cps_law_respond(&y->law, v, n, 0, p->mode[0], y->y.z[0], y->y.z_star[0], y->y.z_t[0],
                                     cps_memory_time(&y->law, coeffs), &y->y.mode1[0]);
    f->rest[0] = force - r.f;
    f->by_f[0][0] = 1;
    f->by_n[0] = -r.f_n;
    p->stuck = 0;
  } else {
    const slip_motion s = cps_slide_motion(y, coeffs, n, v, a);
    cps_friction_eval(&y->law, p, &y->y, &s, cps_memory_time(&y->law, coeffs), f);
  }
  p->v[0] = v;
  y->by_n = f->by_n[0];
  return by_x;
}

/* A bearing: friction between a drum and what stands still. */
static double rub_bearing(const machine *m, slide *y, const step_coeffs *coeffs, friction *f) {
  const dof *angle = &m->free[y->at[0]];
  double r = y->factor[0];
  return cps_slide_rub(y, coeffs, bearing_load(m, y), *m->free[y->f_at].q, r * *angle->q, r * *angle->v,
                       r * *angle->a, f);
}

/* Whether a clamp has put a slide that sticks, or slips, where it should not: it bears more than it can, or is pushed along. */
static int is_misplaced(const slide *y, const step_coeffs *coeffs, double v, double a, double f,
                        double slack) {
  int jumps = y->law.kind == LAW_JUMP;
  if (y->p.stuck) return fabs(f) > y->p.limit * (1 + 1e-6) + slack;
  double push = jumps ? y->p.mass / coeffs->v_a * v : y->p.mass * a + y->law.viscous * y->p.n * v;
  return push * f > 0 && fabs(push) > slack;
}

int cps_slides_wrong(machine *m, const step_coeffs *coeffs, double slack) {
  const cps_system *s = m->system;
  workspace *k = &m->forces;
  if (coeffs->bristle > 0) return 0;
  for (int i = 0; i < m->n_slides - s->nc; i++) {
    const slide *y = &m->slide[i];
    const dof *angle = &m->free[y->at[0]];
    int clamped = y->law.kind == LAW_JUMP || y->law.kind == LAW_KINK || y->law.kind == LAW_BALANCE;
    if (clamped && is_misplaced(y, coeffs, y->factor[0] * *angle->v, y->factor[0] * *angle->a,
                                *m->free[y->f_at].q, slack))
      return 1;
  }
  if (s->nc > 0) cps_bodies_look(m, coeffs->t);
  for (int i = 0; i < s->nc; i++) {
    const slide *y = cps_contact_slide(m, i);
    if (y->held || y->law.kind == LAW_MEMORY) continue;
    int wrong = y->law.kind == LAW_JUMP
                    ? is_misplaced(y, coeffs, k->v[i], 0, k->f[i], slack)
                    : !(fabs(k->f[i] - cps_contact_force(s, k, i, k->f_eq[i], m->y, CPS_MODE_FREE, NULL)) <=
                        slack);
    if (wrong) return 1;
  }
  return 0;
}

void cps_slides_press(machine *m) {
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    if (y->contact) continue;
    const double *push = m->drum[y->drum].push;
    double size = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
    for (int d = 0; d < 3; d++) y->pressed[d] = size > 0 ? -y->by_n * push[d] / size : 0;
  }
}

void cps_slides_refresh(machine *m, const step_coeffs *coeffs) {
  const cps_system *s = m->system;
  const workspace *k = &m->forces;
  int bearings = m->n_slides - s->nc;
  friction unused;
  if (s->nz > 0) cps_bodies_look(m, coeffs->t);
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    if (!y->law.law->n_states) continue;
    if (i < bearings) {
      rub_bearing(m, y, coeffs, &unused);
      continue;
    }
    const contact *c = &s->contacts[i - bearings];
    double a = m->a[c->a] - c->sb * (c->b < s->nd ? m->a[c->b] : k->surface_a[c->b]);
    cps_slide_rub(y, coeffs, k->n[i - bearings], m->f[i - bearings], 0, k->v[i - bearings], a, &unused);
  }
}

/* Derivatives of friction equations by what cables press bodies with. */
static void add_presses(machine *m) {
  double *value = cps_body_values(&m->equations.system);
  for (int i = 0; i < m->n_presses; i++) {
    const slide *y = &m->slide[m->press[i].slide];
    if (y->p.n > 0) value[m->press[i].slot] += y->by_n;
  }
}

/* ------------------------------------------------------------------ all of them */

/* Counts what a friction force leaves. */
static void count_slide(const slide *y, double rest, residual_norms *left) {
  left->friction = fmax(left->friction, fabs(rest));
  left->slides = fmax(left->slides, fabs(rest));
  left->holds += y->p.limit;
  left->touching += 1;
}

static void add_bearing(machine *m, slide *y, const step_coeffs *coeffs, residual_norms *left) {
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a, r = y->factor[0];
  double *value = cps_body_values(&m->equations.system);
  friction f;
  double by_x = rub_bearing(m, y, coeffs, &f);
  count_slide(y, f.rest[0], left);
  m->rhs[y->f_at] += f.rest[0];
  m->rhs[y->at[0]] -= r * y->p.f[0];
  add(m, y->f_at, f.by_f[0][0]);
  value[cps_body_slot(&m->equations.system, y->at[0], y->f_at)] -= r;
  value[cps_body_slot(&m->equations.system, y->f_at, y->at[0])] += r * (f.by_v[0][0] * v_q +
                                                                        f.by_a[0][0] * a_q + by_x);
}

/* What others know of contacts between bodies, of the last evaluation. */
static void note_contact(machine *m, int i, const step_coeffs *coeffs, residual_norms *left) {
  const residual *r = &m->equations;
  slide *y = &r->rails[i];
  if (!cps_slide_is_rubbed(y, coeffs)) {
    contact_point *p = &y->p;
    p->n = m->forces.n[i];
    p->limit = cps_friction_holds(&y->law, p->n);
    p->f[0] = m->f[i];
    p->v[0] = m->forces.v[i];
    p->stuck = r->law[i].e > 0.5;
    y->by_n = r->row[i].n;
  }
  count_slide(y, r->r_f[i], left);
}

/* Bodies and contacts between them, as bodies alone have them, among all that is no cable. */
static void add_bodies(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  const cps_system *s = m->system;
  residual *r = &m->equations;
  r->coeffs = coeffs;
  r->sight = m->sight;
  gather(m);
  cps_residual_eval(r, coeffs->t, m->y, m->a, m->f, m->y + 2 * s->nx, NULL);
  cps_residual_assemble(r, 1, coeffs->v_a / coeffs->q_a, 1 / coeffs->q_a, coeffs->z_s, 0);
  for (int i = 0; i < s->nd; i++)
    if (r->unknown[i] >= 0) m->rhs[r->unknown[i]] += r->r_a[i];
  for (int i = 0; i < s->nc; i++) {
    m->rhs[r->force[i]] += r->r_f[i];
    note_contact(m, i, coeffs, left);
  }
  left->limited = r->limited;
  if (!(coeffs->bristle > 0)) left->apart = r->worst;
}

void cps_border_assemble(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  body_system *system = &m->equations.system;
  double *value = cps_body_values(system);
  add_bodies(m, coeffs, left);
  for (int i = 0; i < m->near; i++)
    for (int k = 0; k < m->near; k++) value[cps_body_slot(system, i, k)] += m->s[i * m->near + k];
  for (int i = 0; i < m->n_bodies; i++) add_body(m, &m->body[i], 1 / coeffs->q_a);
  for (int i = 0; i < m->n_slides - m->system->nc; i++) add_bearing(m, &m->slide[i], coeffs, left);
  add_presses(m);
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) add_drum(m, &m->drum[i], coeffs);
  for (int i = 0; i < m->system->nc; i++) { /* what sticks there bears any friction: it keeps what it has */
    int at = m->equations.force[i];
    if (m->equations.rails[i].held && fabs(value[m->equations.diagonal[at]]) <= CPS_CONTACT_SHARE)
      system->fixed[at] = 1;
  }
  for (int i = 0; i < m->nb; i++) /* what is fixed does not follow its equations */
    if (system->fixed[i]) m->rhs[i] = 0;
}

/* ------------------------------------------------------------------ making */

/* Forces that are nothing [N]. */
static const double NOTHING = 1e-12;

/* What cables press bodies with that bear on normal forces, into `list` unless that is NULL; their number. */
static int list_presses(const machine *m, press *list) {
  const cps_system *s = m->system;
  int n = 0;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (!y->contact || y->contact->normal == NORMAL_GIVEN) continue;
    for (int k = 0; k < m->n_bodies; k++) {
      const machine_body *b = &m->body[k];
      if (b->press_at < 0 || !cps_rests_on(s, s->body_q[b->index], s->contacts[y->index].a)) continue;
      if (list) list[n] = (press){i, b->press_at, 0};
      n++;
    }
  }
  return n;
}

int cps_border_prepare(machine *m) {
  const cps_system *s = m->system;
  residual *r = &m->equations;
  int bearings = m->n_slides - s->nc;
  m->n_presses = list_presses(m, NULL);
  POOL_ARRAY(&m->pool, m->press, m->n_presses);
  POOL_ARRAY(&m->pool, m->force, s->nc);
  POOL_ARRAY(&r->pool, r->counts, s->nx);
  place *list = calloc((size_t)m->near * (size_t)m->near + (size_t)m->n_presses + 1, sizeof *list);
  int good = m->press && m->force && r->counts && list;
  if (good) {
    long n = 0;
    list_presses(m, m->press);
    for (int i = 0; i < s->nc; i++) m->force[i] = m->slide[bearings + i].f_at;
    for (int i = 0; i < m->n_bodies; i++)
      for (int k = 0; k < m->body[i].n; k++) {
        r->counts[s->body_q[m->body[i].index] + k] = m->body[i].apart != 0;
        r->n_counts += m->body[i].apart != 0;
      }
    /* cables have to do with all that is near, and press bodies */
    for (int i = 0; i < m->near * m->near; i++) list[n++] = (place){i / m->near, i % m->near};
    for (int i = 0; i < m->n_presses; i++)
      list[n++] = (place){m->slide[m->press[i].slide].f_at, m->press[i].unknown};
    r->rails = m->slide + bearings;
    r->nothing = NOTHING;
    good = cps_residual_make_among(r, s, &m->forces, m->nb, m->unknown, m->force, list, n, m->near == 0);
  }
  free(list);
  for (int i = 0; good && i < m->n_presses; i++)
    m->press[i].slot = cps_body_slot(&r->system, m->slide[m->press[i].slide].f_at, m->press[i].unknown);
  return good;
}
