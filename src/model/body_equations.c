/* body_equations.c - what several nodes of cables share: drums that are free to turn, bodies, and the friction of both.
 *
 * Unknowns of the border are angles of drums with inertia, coordinates of bodies that are more than a mass at one
 * cable's end, the seams of belts, friction forces of bearings and rails, and the force with which cables and carried
 * drums press a body onto its line. Their equations are summed here; what the cables do to them was added by
 * cable_elimination.c. All in changes dq, like the rest: dv = v_q dq, da = a_q dq; forces are unknowns themselves.
 *
 * What acts on bodies is that of body_forces.c, whose coordinates are gathered from the unknowns.
 */
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what acts on bodies */

/* Puts into the state of bodies what others hold of it: bodies that are ends of cables, surfaces, states of laws. */
static void gather(const machine *m, double t) {
  const cps_system *s = m->system;
  double *q = m->y, *v = q + s->nx, *z = v + s->nx;
  for (int i = 0; i < m->of->n_bodies && m->n_cables > 0; i++) {
    if (m->body_cable[i] < 0) continue;
    const cable *c = &m->cable[m->body_cable[i]];
    size_t at = m->body_end[i] == 0 ? 0 : (size_t)(c->n * c->b);
    memcpy(q + s->body_q[i], c->q + at, (size_t)m->dim * sizeof(double));
    memcpy(v + s->body_q[i], c->v + at, (size_t)m->dim * sizeof(double));
  }
  for (int i = 0; i < m->n_slides && s->nz > 0; i++) {
    const slide *y = &m->slide[i];
    if (!y->contact) continue;
    const contact *c = &s->contacts[y->index];
    memcpy(z + c->z, y->y.z[0], (size_t)c->n_states * sizeof(double));
  }
  cps_surfaces_place(s, &m->forces, t, q, v);
}

/* Sums what acts on bodies, and what cables and drums press them onto their lines with. */
static void find_forces(const machine *m, double t) {
  const cps_system *s = m->system;
  const workspace *k = &m->forces;
  double load_power, damping;
  gather(m, t);
  cps_forces_apply(s, k, t, m->y, m->y + s->nx, &load_power, &damping);
  if (!k->hangs) return;
  memset(k->hung, 0, (size_t)s->nx * sizeof(double));
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    if (y->press_at < 0) continue;
    for (int c = s->body_q[y->index]; c >= 0; c = s->under[c]) k->hung[c] += *m->free[y->press_at].q;
  }
}

/* Adds to an entry of the diagonal. */
static void add(machine *m, int row, double x) { cps_body_values(&m->bodies)[m->diagonal[row]] += x; }

static void add_body(machine *m, const machine_body *y, double a_q) {
  int q = m->system->body_q[y->index];
  double more = y->mass - y->of->mass; /* of statics with another load */
  for (int k = 0; k < y->n; k++) {
    int at = y->at + k;
    m->rhs[at] += y->mass * *m->free[at].a - m->forces.force[q + k];
    for (int d = 0; d < m->dim && more != 0; d++) m->rhs[at] -= more * m->gravity[d] * y->along[k][d];
    add(m, at, y->mass * a_q);
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
    m->bodies.fixed[at] = 1;
    m->rhs[at] = 0;
    return;
  }
  m->rhs[at] += g->of->inertia * g->acceleration - torque;
  add(m, at, g->of->inertia / coeffs->q_a - by_angle - by_rate * coeffs->v_a / coeffs->q_a);
}

void cps_slides_weigh(machine *m) {
  for (int i = 0; i < m->n_slides; i++) {
    slide *y = &m->slide[i];
    double inverse = 0;
    y->held = 1;
    for (int n = 0; n < 2; n++) {
      int body = y->at[n] >= 0 ? m->owner[y->at[n]] : -1;
      if (y->at[n] < 0 || (body >= 0 && m->body[body].held)) continue;
      y->held = 0;
      if (y->contact && body >= 0) inverse += 1 / m->body[body].mass;
    }
    if (y->contact) y->p.mass = inverse > 0 ? 1 / inverse : m->body[m->body_border[y->contact->body[0]]].mass;
  }
}

/* Sliding place, velocity and acceleration between two freedoms, or of one on a surface. */
static inline void slide_motion(const machine *m, const slide *y, double *x, double *v, double *a) {
  const cps_system *s = m->system;
  *x = *v = *a = 0;
  for (int i = 0; i < 2; i++) {
    double k = i == 0 ? y->factor[0] : -y->factor[1];
    if (y->at[i] >= 0) {
      *x += k * *m->free[y->at[i]].q;
      *v += k * *m->free[y->at[i]].v;
      *a += k * *m->free[y->at[i]].a;
    } else if (i == 1 && y->surface) {
      int q = s->contacts[y->index].b;
      *x += k * m->y[q];
      *v += k * m->y[s->nx + q];
      *a += k * m->forces.surface_a[q];
    }
  }
}

/* Normal force of a slide. What cables press on a bearing is the sum of their contact forces, which the pass along the cables
 * has just found; its derivatives take the direction of that sum from the iteration before. */
static double slide_normal(const machine *m, const slide *y, double t) {
  if (y->contact) return cps_contact_normal(&m->forces, &m->system->contacts[y->index], t);
  const drum *g = &m->drum[y->drum];
  if (g->of->bearing_load >= 0) return g->of->bearing_load;
  return sqrt(g->push[0] * g->push[0] + g->push[1] * g->push[1] + g->push[2] * g->push[2]);
}

void cps_bodies_look(const machine *m, double t) {
  find_forces(m, t);
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double x, v, a;
    if (!y->contact) continue;
    slide_motion(m, y, &x, &v, &a);
    m->forces.v[y->index] = v;
    m->forces.n[y->index] = slide_normal(m, y, t);
    m->forces.f[y->index] = *m->free[y->f_at].q;
    m->forces.f_eq[y->index] = y->held ? 0 : *m->free[y->f_at].q - y->p.mass * a;
  }
}

/* What is held differentiated by the normal force. */
static double holds_per_load(const contact_law *l, double n) {
  const double step = 1e-5; /* of laws that are not in proportion to it, by differences */
  if (l->hold >= 0 || !(n > 0)) return fmax(l->hold, 0);
  return (cps_friction_holds(l, n * (1 + step)) - cps_friction_holds(l, n * (1 - step))) / (2 * step * n);
}

/* f - F(v, e, n) with e = f - m a of a law without memory, as bodies alone have it. */
static void look_at_law(slide *y, double v, double a, int held, sight sight, friction *f, int *limited) {
  contact_point *p = &y->p;
  cps_law_jacobian jac;
  outlook now = {v, held ? 0 : p->f[0] - p->mass * a};
  f->rest[0] = p->f[0] -
               cps_law_look(y->law.law, y->law.p, p->n, CPS_MODE_FREE, sight, now, &y->look, &jac, limited);
  double f_e = held ? 0 : jac.f.f_eq;
  f->by_f[0][0] = 1 - f_e;
  f->by_a[0][0] = f_e * p->mass;
  f->by_v[0][0] = -jac.f.v;
  f->by_n[0] = -jac.f.n;
  p->stuck = f_e > 0.5;
}

/* The friction equation of a slide, and its derivative by place. */
static double rub_slide(const machine *m, slide *y, const step_coeffs *coeffs, friction *f, int *limited) {
  double x, v, a, by_x = 0;
  slide_motion(m, y, &x, &v, &a);
  contact_point *p = &y->p;
  p->n = slide_normal(m, y, coeffs->t);
  p->limit = cps_friction_holds(&y->law, p->n);
  p->f[0] = *m->free[y->f_at].q;
  if (coeffs->length > 0) memcpy(y->y.mode1, p->mode, sizeof p->mode);
  memset(f, 0, sizeof *f);
  if (coeffs->bristle > 0) {
    double pull = -coeffs->bristle * (x - y->start);
    int gives = fabs(pull) > p->limit;
    f->rest[0] = p->f[0] - (gives ? copysign(p->limit, pull) : pull);
    f->by_f[0][0] = 1;
    by_x = gives ? 0 : coeffs->bristle;
    if (gives) f->by_n[0] = -copysign(holds_per_load(&y->law, p->n), pull);
  } else if (y->contact && y->law.kind != LAW_JUMP && y->law.kind != LAW_MEMORY) {
    look_at_law(y, v, a, y->held, m->sight, f, limited);
  } else if (y->contact && y->held) { /* nothing that rubs is free: there is nothing to balance */
    law_response r = cps_law_respond(&y->law, v, p->n, 0, p->mode[0], y->y.z[0], y->y.z_star[0], y->y.z_t[0],
                                     cps_memory_time(&y->law, coeffs), &y->y.mode1[0]);
    f->rest[0] = p->f[0] - r.f;
    f->by_f[0][0] = 1;
    f->by_n[0] = -r.f_n;
    p->stuck = 0;
  } else {
    slip_motion s = {.axes = 1, .v = {v}, .a = {a}};
    s.scale = p->mass;
    s.viscous = y->law.viscous * p->n;
    s.rate = s.viscous / s.scale;
    if (y->law.kind == LAW_JUMP || y->law.kind == LAW_VELOCITY || y->law.drags)
      s.scale = p->mass / coeffs->v_a;
    if (y->law.kind == LAW_VELOCITY) s.scale = fmax(s.scale, 2 * y->law.rise * p->n);
    cps_friction_eval(&y->law, p, &y->y, &s, cps_memory_time(&y->law, coeffs), f);
  }
  p->v[0] = v;
  y->by_n = f->by_n[0];
  return by_x;
}

/* Whether the force of a rail is not what its law says at the velocity and the balance force that it has now. */
static int is_off(const machine *m, const slide *y, double t, double v, double a, double f, double slack) {
  cps_law_input in = {v, slide_normal(m, y, t), f - y->p.mass * a, NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(y->law.law, y->law.p, &in, &out, NULL);
  return !(fabs(f - out.f) <= slack);
}

int cps_slides_wrong(const machine *m, const step_coeffs *coeffs, double slack) {
  if (m->system->nc > 0 && !(coeffs->bristle > 0)) find_forces(m, coeffs->t);
  for (int i = 0; i < m->n_slides && !(coeffs->bristle > 0); i++) {
    const slide *y = &m->slide[i];
    double x, v, a, f = *m->free[y->f_at].q;
    int jumps = y->law.kind == LAW_JUMP;
    if (y->contact && y->held) continue;
    slide_motion(m, y, &x, &v, &a);
    if (y->contact && !jumps && y->law.kind != LAW_MEMORY) {
      if (is_off(m, y, coeffs->t, v, a, f, slack)) return 1;
      continue;
    }
    if (!jumps && y->law.kind != LAW_KINK && y->law.kind != LAW_BALANCE) continue; /* it is smooth */
    if (y->p.stuck && fabs(f) > y->p.limit * (1 + 1e-6) + slack) return 1;
    /* friction pulls back */
    double push = jumps ? y->p.mass / coeffs->v_a * v : y->p.mass * a + y->law.viscous * y->p.n * v;
    if (!y->p.stuck && push * f > 0 && fabs(push) > slack) return 1;
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
  friction unused;
  int limited = 0;
  if (m->n_slides > 0) find_forces(m, coeffs->t);
  for (int i = 0; i < m->n_slides; i++)
    if (m->slide[i].law.law->n_states) rub_slide(m, &m->slide[i], coeffs, &unused, &limited);
}

/* Derivatives of friction equations by what normal forces follow from: springs and what hangs there. */
static void add_presses(machine *m, double v_q) {
  double *value = cps_body_values(&m->bodies);
  for (int i = 0; i < m->n_presses; i++) {
    const slide *y = &m->slide[m->press[i].slide];
    if (y->p.n > 0) value[m->press[i].slot] += y->by_n;
  }
  for (int i = 0; i < m->entries.n_links; i++) {
    const press_link *l = &m->entries.links[i];
    const slide *y = cps_contact_slide(m, l->contact);
    if (y->p.n > 0) cps_body_matrix_press(&m->entries, l, y->by_n, 1, v_q, value);
  }
}

/* ------------------------------------------------------------------ bodies apart from cables */

/* Forces that are nothing [N]. */
static const double NOTHING = 1e-12;

/* A remainder of theirs: it is judged by what balances there, as that of bodies alone. */
static void judge_apart(double rest, double size, double blur, residual_norms *left) {
  double more = fabs(rest) - CPS_ROUND_OFF * blur - NOTHING;
  if (more > left->apart * size) left->apart = more / size;
}

static void judge_bodies(const machine *m, residual_norms *left) {
  const cps_system *s = m->system;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    int c = s->body_q[y->index];
    for (int k = 0; k < y->n && y->apart && !y->held; k++)
      judge_apart(m->rhs[y->at + k], m->judged.size[c + k], m->judged.blur[c + k], left);
  }
}

/* Laws that jump are solved for the velocity, and what is left is none of their forces. */
static void judge_slide(const machine *m, const slide *y, const friction *f, residual_norms *left) {
  int body = y->contact && y->at[0] >= 0 ? m->owner[y->at[0]] : -1;
  if (body < 0 || !m->body[body].apart || y->law.kind == LAW_JUMP) return;
  const contact *c = &m->system->contacts[y->index];
  double pull = y->p.mass * (m->a[c->a] - c->sb * m->a[c->b]);
  judge_apart(f->rest[0], fabs(y->p.f[0]) + fabs(y->p.f[0] - f->rest[0]),
              cps_balance_blur(&m->judged, m->system, m->y, y->index, pull, f->by_v[0][0], f->by_n[0]), left);
}

static void add_slide(machine *m, slide *y, const step_coeffs *coeffs, residual_norms *left) {
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  friction f;
  double by_x = rub_slide(m, y, coeffs, &f, &left->limited);
  const contact_point *p = &y->p;
  if (m->n_apart > 0 && !(coeffs->bristle > 0)) judge_slide(m, y, &f, left);
  left->friction = fmax(left->friction, fabs(f.rest[0]));
  left->slides = fmax(left->slides, fabs(f.rest[0]));
  left->holds += p->limit;
  left->touching += 1;
  m->rhs[y->f_at] += f.rest[0];
  double by_side = f.by_v[0][0] * v_q + f.by_a[0][0] * a_q + by_x, *value = cps_body_values(&m->bodies);
  for (int i = 0; i < 2; i++)
    if (y->at[i] >= 0) m->rhs[y->at[i]] -= (i == 0 ? y->factor[0] : -y->factor[1]) * p->f[0];
  if (y->contact) {
    cps_body_matrix_contact(&m->entries, y->index, 1, by_side, f.by_f[0][0], value);
  } else {
    value[m->diagonal[y->f_at]] += f.by_f[0][0];
    value[cps_body_slot(&m->bodies, y->at[0], y->f_at)] -= y->factor[0];
    value[cps_body_slot(&m->bodies, y->f_at, y->at[0])] += y->factor[0] * by_side;
  }
}

void cps_border_assemble(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  double v_q = coeffs->v_a / coeffs->q_a;
  double *value = cps_body_values(&m->bodies);
  cps_body_system_clear(&m->bodies);
  for (int i = 0; i < m->near; i++)
    for (int k = 0; k < m->near; k++) value[cps_body_slot(&m->bodies, i, k)] += m->s[i * m->near + k];
  find_forces(m, coeffs->t);
  if (m->n_apart > 0) cps_balance_look(&m->judged, m->system, &m->forces, m->y, m->a, m->f);
  for (int i = 0; i < m->n_bodies; i++) add_body(m, &m->body[i], 1 / coeffs->q_a);
  cps_body_matrix_look(&m->entries, m->y, m->y + m->system->nx);
  cps_body_matrix_springs(&m->entries, 1, v_q, value);
  for (int i = 0; i < m->n_slides; i++) add_slide(m, &m->slide[i], coeffs, left);
  add_presses(m, v_q);
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) add_drum(m, &m->drum[i], coeffs);
  if (m->n_apart > 0 && !(coeffs->bristle > 0)) judge_bodies(m, left);
  for (int i = 0; i < m->n_bodies; i++) { /* what is held does not follow its equations */
    const machine_body *y = &m->body[i];
    for (int at = y->at; y->held && at < y->at + y->n; at++) {
      m->bodies.fixed[at] = 1;
      m->rhs[at] = 0;
    }
  }
  for (int i = 0; i < m->n_slides; i++) { /* what sticks there bears any friction: it keeps what it has */
    int at = m->slide[i].f_at;
    if (fabs(value[m->diagonal[at]]) > CPS_CONTACT_SHARE || !m->slide[i].held) continue;
    m->bodies.fixed[at] = 1;
    m->rhs[at] = 0;
  }
}

/* ------------------------------------------------------------------ making */

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

/* The pattern of the matrix: of bodies and contacts, of all that cables have to do with, and of what they press. */
static int make_system(machine *m) {
  long most = cps_body_matrix_most(&m->entries) + (long)m->near * m->near + m->n_presses;
  place *list = calloc((size_t)most + 1, sizeof *list);
  int *order = calloc((size_t)m->nb + 1, sizeof *order);
  long n = list ? cps_body_matrix_list(&m->entries, 1, list) : 0, own = n;
  if (!list || !order) {
    free(list);
    free(order);
    return 0;
  }
  for (int i = 0; i < m->near * m->near; i++) list[n++] = (place){i / m->near, i % m->near};
  for (int i = 0; i < m->n_presses; i++)
    list[n++] = (place){m->slide[m->press[i].slide].f_at, m->press[i].unknown};
  int good = cps_body_matrix_order(&m->entries, m->nb, list + own, n - own, order) &&
             cps_body_system_make(&m->bodies, m->nb, list, n, order, m->near == 0);
  free(list);
  free(order);
  return good;
}

int cps_border_prepare(machine *m) {
  m->n_presses = list_presses(m, NULL);
  m->press = calloc((size_t)m->n_presses + 1, sizeof *m->press);
  m->force = calloc((size_t)m->system->nc + 1, sizeof *m->force);
  m->diagonal = calloc((size_t)m->nb + 1, sizeof *m->diagonal);
  if (!m->press || !m->force || !m->diagonal) return 0;
  list_presses(m, m->press);
  for (int i = 0; i < m->n_slides; i++)
    if (m->slide[i].contact) m->force[m->slide[i].index] = m->slide[i].f_at;
  if (!cps_body_matrix_make(&m->entries, m->system, m->unknown, m->force) || !make_system(m)) return 0;
  cps_body_matrix_settle(&m->entries, cps_body_slot, &m->bodies);
  for (int i = 0; i < m->nb; i++) m->diagonal[i] = cps_body_slot(&m->bodies, i, i);
  for (int i = 0; i < m->n_presses; i++)
    m->press[i].slot = cps_body_slot(&m->bodies, m->slide[m->press[i].slide].f_at, m->press[i].unknown);
  return 1;
}
