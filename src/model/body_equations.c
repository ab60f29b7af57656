/* body_equations.c - what several nodes of cables share: drums that are free to turn, bodies, and the friction of both.
 *
 * Unknowns of the border are angles of drums with inertia, coordinates of bodies that are more than a mass at one
 * cable's end, the seams of belts, and friction forces of bearings and rails. Their equations are summed here; what
 * the cables do to them was added by cable_elimination.c. All in changes dq, like the rest: dv = v_q dq, da = a_q dq; friction
 * forces are unknowns themselves.
 */
#include "machine.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ bodies and springs */

/* Adds a force on a body, and its derivatives: out[k] along unknown k. */
static void push_body(machine *m, const machine_body *y, const double *force) {
  for (int k = 0; k < y->n; k++)
    for (int d = 0; d < m->dim; d++) m->rhs[y->at + k] -= force[d] * y->along[k][d];
}

/* Adds -T to the matrix between two bodies, force on `of` changing by T times the shift of `by`. */
static void stiffen(machine *m, const machine_body *of, const machine_body *by, double t[3][3]) {
  for (int i = 0; i < of->n; i++) {
    for (int j = 0; j < by->n; j++) {
      double sum = 0;
      for (int d = 0; d < m->dim; d++)
        for (int e = 0; e < m->dim; e++) sum += of->along[i][d] * t[d][e] * by->along[j][e];
      m->s[(of->at + i) * m->nb + by->at + j] -= sum;
    }
  }
}

static void add_body(machine *m, const machine_body *y, double a_q) {
  double force[3] = {0};
  for (int d = 0; d < m->dim; d++) force[d] = y->mass * (m->gravity[d] - y->a[d]);
  push_body(m, y, force);
  for (int k = 0; k < y->n; k++) m->s[(y->at + k) * m->nb + y->at + k] += y->mass * a_q;
}

/* The place of an end of a spring, and its body (NULL: none that moves). */
static const machine_body *spring_end_at(const machine *m, const spring_end *e, double *r, double *v) {
  const machine_body *y = e->body >= 0 && m->body_border[e->body] >= 0 ? &m->body[m->body_border[e->body]]
                                                                       : NULL;
  for (int d = 0; d < 3; d++) {
    r[d] = e->offset[d] + (y ? y->r[d] : 0);
    v[d] = y ? y->v[d] : 0;
  }
  return y;
}

/* Tension of a spring, its direction, and the change of the pull on its second end per shift of that end. */
static double spring_pull(const machine *m, const scenario_spring *g, const double *ra, const double *rb,
                          const double *va, const double *vb, double v_q, double *along, double t[3][3]) {
  double span[3], rate[3], length = 0, rate_along = 0, e, e_t;
  for (int d = 0; d < 3; d++) {
    span[d] = rb[d] - ra[d];
    rate[d] = vb[d] - va[d];
    length += span[d] * span[d];
  }
  length = sqrt(length);
  for (int d = 0; d < 3; d++) {
    along[d] = g->along_line ? g->axis[d] : length > 0 ? span[d] / length : 0;
    rate_along += along[d] * rate[d];
  }
  e = -g->length;
  for (int d = 0; d < 3; d++) e += along[d] * span[d];
  e_t = rate_along;
  double f = g->stiffness * e + g->damping * e_t;
  if (g->tension_only && (e <= 0 || f < 0)) f = 0;
  int pulls = !g->tension_only || f > 0;
  for (int d = 0; d < m->dim; d++) {
    for (int k = 0; k < m->dim; k++) {
      double across = g->along_line || !(length > 0) ? 0 : ((d == k) - along[d] * along[k]) / length;
      /* -d(f along): along turns with span, and the rate of extension with along */
      double turned = 0;
      for (int j = 0; j < m->dim && !g->along_line && length > 0; j++)
        turned += rate[j] * ((j == k) - along[j] * along[k]) / length;
      t[d][k] = pulls ? -((g->stiffness + g->damping * v_q) * along[d] * along[k] +
                          g->damping * along[d] * turned + f * across)
                      : 0;
    }
  }
  return f;
}

double cps_border_spring(const machine *m, int i, double v_q, double *along, double t[3][3], double *ra,
                         double *rb) {
  const scenario_spring *g = &m->of->springs[i];
  double va[3], vb[3];
  spring_end_at(m, &g->end[0], ra, va);
  spring_end_at(m, &g->end[1], rb, vb);
  return spring_pull(m, g, ra, rb, va, vb, v_q, along, t);
}

static void add_springs(machine *m, double v_q) {
  for (int i = 0; i < m->of->n_springs; i++) {
    const scenario_spring *g = &m->of->springs[i];
    double ra[3], rb[3], va[3], vb[3], along[3], t[3][3] = {{0}}, minus[3][3], force[3] = {0}, back[3] = {0};
    const machine_body *a = spring_end_at(m, &g->end[0], ra, va), *b = spring_end_at(m, &g->end[1], rb, vb);
    double f = spring_pull(m, g, ra, rb, va, vb, v_q, along, t);
    for (int d = 0; d < m->dim; d++) {
      force[d] = -f * along[d];
      back[d] = f * along[d];
      for (int e = 0; e < m->dim; e++) minus[d][e] = -t[d][e];
    }
    if (b) {
      push_body(m, b, force);
      stiffen(m, b, b, t);
    }
    if (a) {
      push_body(m, a, back);
      stiffen(m, a, a, t);
    }
    if (a && b) {
      stiffen(m, a, b, minus);
      stiffen(m, b, a, minus);
    }
  }
}

static void add_loads(machine *m, double t) {
  for (int i = 0; i < m->of->n_loads; i++) {
    const scenario_load *l = &m->of->loads[i];
    int at = m->body_border[l->body];
    if (at < 0) continue;
    double f = cps_profile_eval(l->force, t).y, force[3];
    for (int d = 0; d < 3; d++) force[d] = f * l->direction[d];
    push_body(m, &m->body[at], force);
  }
}

/* ------------------------------------------------------------------ drums and friction */

double cps_drum_torque(const drum *g, double t, double *by_angle, double *by_rate) {
  const scenario_drum *of = g->of;
  *by_angle = *by_rate = 0;
  if (of->drive == DRUM_TORQUE) return cps_profile_eval(of->motion, t).y;
  if (of->drive != DRUM_PD) return 0;
  profile_value s = cps_profile_eval(of->motion, t);
  *by_angle = -of->kp;
  *by_rate = -of->kd;
  return of->kp * (s.y - g->angle) + of->kd * (s.y_t - g->rate);
}

static void add_drum(machine *m, const drum *g, const step_coeffs *coeffs) {
  double by_angle, by_rate, torque = cps_drum_torque(g, coeffs->t, &by_angle, &by_rate);
  int at = g->angle_at;
  if (coeffs->bristle > 0 && g->of->drive != DRUM_FREE) { /* statics: the brake is on */
    for (int k = 0; k < m->nb; k++) m->s[at * m->nb + k] = k == at;
    m->rhs[at] = 0;
    return;
  }
  m->rhs[at] += g->of->inertia * g->acceleration - torque;
  m->s[at * m->nb + at] += g->of->inertia / coeffs->q_a - by_angle - by_rate * coeffs->v_a / coeffs->q_a;
}

/* Sliding velocity and acceleration between two freedoms. */
static void slide_motion(const machine *m, const slide *y, double t, double *x, double *v, double *a) {
  *x = *v = *a = 0;
  for (int i = 0; i < 2; i++) {
    if (y->at[i] < 0) continue;
    double k = i == 0 ? y->factor[0] : -y->factor[1];
    *x += k * m->free[y->at[i]].q;
    *v += k * m->free[y->at[i]].v;
    *a += k * m->free[y->at[i]].a;
  }
  if (!y->surface) return;
  profile_value s = cps_profile_eval(y->surface->motion, t);
  *v -= y->surface->motion_is_velocity ? s.y : s.y_t;
  *a -= y->surface->motion_is_velocity ? s.y_t : s.y_tt;
}

/* Normal force of a slide. What cables press on a bearing is the sum of their contact forces, which the pass along the cables
 * has just found; its derivatives take the direction of that sum from the iteration before. */
static double slide_normal(const machine *m, const slide *y, double t) {
  if (!y->contact) {
    const drum *g = &m->drum[y->drum];
    if (g->of->bearing_load >= 0) return g->of->bearing_load;
    return sqrt(g->push[0] * g->push[0] + g->push[1] * g->push[1] + g->push[2] * g->push[2]);
  }
  return y->contact->normal == NORMAL_GIVEN ? cps_profile_eval(y->contact->given, t).y : y->contact->weight;
}

/* The friction equation of a slide, and its derivative by place. */
static double rub_slide(const machine *m, slide *y, const step_coeffs *coeffs, friction *f) {
  double x, v, a, by_x = 0;
  slide_motion(m, y, coeffs->t, &x, &v, &a);
  contact_point *p = &y->p;
  p->n = slide_normal(m, y, coeffs->t);
  p->limit = cps_friction_holds(&y->law, p->n);
  p->f[0] = m->free[y->f_at].q;
  memset(f, 0, sizeof *f);
  if (coeffs->bristle > 0) {
    double pull = -coeffs->bristle * (x - y->start);
    int gives = fabs(pull) > p->limit;
    f->rest[0] = p->f[0] - (gives ? copysign(p->limit, pull) : pull);
    f->by_f[0][0] = 1;
    by_x = gives ? 0 : coeffs->bristle;
  } else {
    slip_motion s = {.axes = 1, .v = {v}, .a = {a}};
    s.scale = p->mass;
    s.viscous = y->law.viscous * p->n;
    s.rate = s.viscous / s.scale;
    if (y->law.kind == LAW_JUMP || y->law.kind == LAW_VELOCITY || y->law.drags)
      s.scale = p->mass / coeffs->v_a;
    if (y->law.kind == LAW_VELOCITY) s.scale = fmax(s.scale, 2 * y->law.rise * p->n);
    cps_friction_eval(&y->law, p, &y->y, &s, coeffs->z_s, f);
  }
  p->v[0] = v;
  y->by_n = f->by_n[0];
  return by_x;
}

int cps_slides_wrong(const machine *m, const step_coeffs *coeffs, double slack) {
  for (int i = 0; i < m->n_slides && !(coeffs->bristle > 0); i++) {
    const slide *y = &m->slide[i];
    double x, v, a, f = m->free[y->f_at].q;
    slide_motion(m, y, coeffs->t, &x, &v, &a);
    if (y->p.stuck && fabs(f) > y->p.limit * (1 + 1e-6) + slack) return 1;
    double push = y->p.mass * a + y->law.viscous * y->p.n * v; /* friction pulls back */
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
  for (int i = 0; i < m->n_slides; i++)
    if (m->slide[i].law.law->n_states) rub_slide(m, &m->slide[i], coeffs, &unused);
}

static void add_slide(machine *m, slide *y, const step_coeffs *coeffs, residual_norms *left) {
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  friction f;
  double by_x = rub_slide(m, y, coeffs, &f);
  const contact_point *p = &y->p;
  left->friction = fmax(left->friction, fabs(f.rest[0]));
  left->holds += p->limit;
  left->touching += 1;
  m->rhs[y->f_at] += f.rest[0];
  m->s[y->f_at * m->nb + y->f_at] += f.by_f[0][0];
  for (int i = 0; i < 2; i++) {
    if (y->at[i] < 0) continue;
    double k = i == 0 ? y->factor[0] : -y->factor[1];
    m->rhs[y->at[i]] -= k * p->f[0];
    m->s[y->at[i] * m->nb + y->f_at] -= k;
    m->s[y->f_at * m->nb + y->at[i]] += k * (f.by_v[0][0] * v_q + f.by_a[0][0] * a_q + by_x);
  }
}

int cps_slide_is_held(const machine *m, const slide *y) {
  for (int i = 0; i < 2; i++) {
    int held = y->at[i] < 0;
    for (int k = 0; k < m->n_bodies; k++) held |= m->body[k].held && m->body[k].at == y->at[i];
    if (!held) return 0;
  }
  return 1;
}

void cps_border_assemble(machine *m, const step_coeffs *coeffs, residual_norms *left) {
  double v_q = coeffs->v_a / coeffs->q_a;
  for (int i = 0; i < m->n_bodies; i++) add_body(m, &m->body[i], 1 / coeffs->q_a);
  add_springs(m, v_q);
  add_loads(m, coeffs->t);
  for (int i = 0; i < m->n_slides; i++) add_slide(m, &m->slide[i], coeffs, left);
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) add_drum(m, &m->drum[i], coeffs);
  for (int i = 0; i < m->n_bodies; i++) { /* what is held does not follow its equations */
    const machine_body *y = &m->body[i];
    for (int at = y->at; y->held && at < y->at + y->n; at++) {
      for (int k = 0; k < m->nb; k++) m->s[at * m->nb + k] = k == at;
      m->rhs[at] = 0;
    }
  }
  for (int i = 0; i < m->n_slides; i++) { /* what sticks there bears any friction: it keeps what it has */
    int at = m->slide[i].f_at;
    if (m->s[at * m->nb + at] != 0 || !cps_slide_is_held(m, &m->slide[i])) continue;
    for (int k = 0; k < m->nb; k++) m->s[at * m->nb + k] = k == at;
    m->rhs[at] = 0;
  }
}

/* ------------------------------------------------------------------ solving */

/* Gaussian elimination with scaling and row pivoting; the solution replaces rhs. 0 if singular. */
int cps_border_solve(machine *m) {
  int n = m->nb;
  double *s = m->s, *x = m->rhs;
  for (int i = 0; i < n; i++) { /* rows of forces and of friction differ in size */
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(s[i * n + k]));
    if (!(most > 0) || !isfinite(most)) return 0;
    for (int k = 0; k < n; k++) s[i * n + k] /= most;
    x[i] /= most;
  }
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(s[i * n + j]) > fabs(s[best * n + j])) best = i;
    if (!(fabs(s[best * n + j]) > 1e-300)) return 0;
    for (int k = 0; k < n && best != j; k++) {
      double t = s[j * n + k];
      s[j * n + k] = s[best * n + k];
      s[best * n + k] = t;
    }
    double t = x[j];
    x[j] = x[best];
    x[best] = t;
    for (int i = j + 1; i < n; i++) {
      double f = s[i * n + j] / s[j * n + j];
      if (f == 0) continue;
      for (int k = j; k < n; k++) s[i * n + k] -= f * s[j * n + k];
      x[i] -= f * x[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++) x[j] -= s[j * n + k] * x[k];
    x[j] /= s[j * n + j];
  }
  for (int j = 0; j < n; j++) x[j] = -x[j];
  return 1;
}
