/* sens_contact.c - a contact point at a converged state, differentiated by everything: place, velocity, acceleration,
 * friction, the drum's motion, and the parameters of its laws.
 *
 * The same equations as in contact_point.c, without what helps Newton's method: where that has a free scale c, here c is the
 * mass m itself, f = F(v, f - m r_s, N). Who sticks is what the solve said, and stays so; laws are never differenced.
 * With dr, dv, da relative to the drum's centre and turn = t.dr/rho,
 *
 *   dn = turn t,  dt = -turn n,  d(depth) = dR - n.dr,  d(n.v) = n.dv + turn t.v,  d(t.v) = t.dv - turn n.v
 */
#include "sens_chain.h"

static double dot(const double *a, const double *b, int dim) {
  double s = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? s + a[2] * b[2] : s;
}

/* ------------------------------------------------------------------ place and normal force */

static void motion_of(const machine *m, const cable *c, const contact_point *p, const drum *g, double *w,
                      double *b) {
  const double *v = c->v + p->node * c->b, *a = c->a + p->node * c->b;
  for (int d = 0; d < m->dim; d++) {
    w[d] = -g->center_v[d];
    b[d] = -g->center_a[d];
    for (int k = 0; k < 4; k++) {
      if (p->shape[k] == 0) continue;
      w[d] += p->shape[k] * v[k * m->dim + d];
      b[d] += p->shape[k] * a[k * m->dim + d];
    }
  }
}

void cps_contact_tangent_place(const machine *m, const cable *c, const contact_point *p, contact_tangent *s) {
  int dim = m->dim;
  s->near = p->near;
  s->drum = -1;
  s->depth = s->load = s->load_slow = 0;
  s->f[0] = p->f[0];
  s->f[1] = dim == 3 ? p->f[1] : 0;
  memset(s->r, 0, sizeof s->r);
  memset(s->n, 0, sizeof s->n);
  memset(s->t, 0, sizeof s->t);
  if (p->near < 0) return;
  const drum *g = &m->drum[p->near];
  const double *q = c->q + p->node * c->b;
  double height = 0, square = 0, w[3] = {0}, b[3] = {0};
  for (int d = 0; d < dim; d++) {
    for (int k = 0; k < 4; k++)
      if (p->shape[k] != 0) s->r[d] += p->shape[k] * q[k * dim + d];
    s->r[d] -= g->center[d];
    height += dim == 3 ? s->r[d] * g->axis[d] : 0;
  }
  for (int d = 0; d < dim; d++) {
    s->n[d] = s->r[d] - (dim == 3 ? height * g->axis[d] : 0);
    square += s->n[d] * s->n[d];
  }
  s->rho = sqrt(square);
  if (s->rho >= g->radius || s->rho == 0) return;
  for (int d = 0; d < dim; d++) s->n[d] /= s->rho;
  for (int d = 0; d < 3; d++)
    s->t[d] = g->axis[(d + 1) % 3] * s->n[(d + 2) % 3] - g->axis[(d + 2) % 3] * s->n[(d + 1) % 3];
  motion_of(m, c, p, g, w, b);
  s->drum = p->near;
  s->out = dot(s->n, w, dim);
  s->along = dot(s->t, w, dim);
  s->depth = g->radius - s->rho;
  cps_normal_eval(c->contact.normal, c->contact.normal_p, s->depth, -s->out, &s->law);
  s->load = p->weight * s->law.n;
}

void cps_contact_tangent_normal(const cable *c, const contact_point *p, const contact_tangent *s, double by,
                                tangent_row *row) {
  const cps_normal_output *n = &s->law;
  double w = by * p->weight;
  for (int d = 0; d < c->dim; d++) {
    row->r[d] -= w * (n->depth * s->n[d] + n->rate * s->along / s->rho * s->t[d]);
    row->v[d] -= w * n->rate * s->n[d];
  }
  row->radius += w * n->depth;
  row->weight += by * n->n;
  for (int k = 0; k < c->contact.normal->n_params; k++) row->normal[k] += w * n->p[k];
}

/* minus (N n + f t + f' axis) along d. */
void cps_contact_tangent_force(const machine *m, const cable *c, const contact_point *p,
                               const contact_tangent *s, int d, double by, tangent_row *row) {
  cps_contact_tangent_normal(c, p, s, -by * s->n[d], row);
  for (int e = 0; e < c->dim; e++)
    row->r[e] += by * (s->f[0] * s->n[d] - s->load * s->t[d]) / s->rho * s->t[e];
  row->f[0] -= by * s->t[d];
  if (c->dim == 3) row->f[1] -= by * m->drum[s->drum].axis[d];
}

/* ------------------------------------------------------------------ friction */

static double direction(const double *u, int axes, double *d) {
  if (axes == 1) {
    d[0] = u[0] < 0 ? -1 : 1;
    return fabs(u[0]);
  }
  double size = sqrt(u[0] * u[0] + u[1] * u[1]);
  d[0] = size > 0 ? u[0] / size : 1;
  d[1] = size > 0 ? u[1] / size : 0;
  return size;
}

/* 1 - d d', over size; nothing in the plane. */
static double across(const double *d, double size, int axes, int i, int j) {
  return axes == 1 || !(size > 0) ? 0 : ((i == j) - d[i] * d[j]) / size;
}

static void evaluate(const contact_law *l, double v, double n, double e, int mode, cps_law_output *out,
                     cps_law_jacobian *jac) {
  cps_law_input in = {v, n, e, NULL, mode};
  cps_law_eval(l->law, l->p, &in, out, jac);
}

static void rub_velocity(const contact_law *l, const slip *s, rub *o) {
  double d[AXES], speed = direction(s->v, s->axes, d);
  cps_law_output out;
  cps_law_jacobian jac;
  evaluate(l, speed, s->load, 0, CPS_MODE_FREE, &out, &jac);
  for (int i = 0; i < s->axes; i++) {
    o->n[i] = -jac.f.n * d[i];
    for (int k = 0; k < l->law->n_params; k++) o->law[i][k] = -jac.f.p[k] * d[i];
    for (int j = 0; j < s->axes; j++) {
      o->f[i][j] = i == j;
      o->v[i][j] = speed > 0 || s->axes == 1
                       ? -jac.f.v * d[i] * d[j] - out.f * across(d, speed, s->axes, i, j)
                   : i == j ? -jac.f.v
                            : 0;
    }
  }
}

/* A law with a clamp that sticks: F = f - m (r_s + k v), so what is left is m r_s + viscous N v. */
static void rub_stuck(const contact_law *l, const slip *s, rub *o) {
  for (int i = 0; i < s->axes; i++) {
    o->a[i][i] = s->mass;
    o->v[i][i] = l->viscous * s->load;
    o->n[i] = l->viscous * s->v[i];
    o->mass[i] = s->a[i];
    o->viscous[i] = s->load * s->v[i];
  }
}

/* A law along d = u/|u|, what slips of laws that clamp: returns |u|. */
static double evaluate_along(const contact_law *l, const slip *s, const double *u, const double *e, double *d,
                             cps_law_output *out, cps_law_jacobian *jac) {
  double size = direction(u, s->axes, d), v_d = 0, e_d = 0;
  for (int i = 0; i < s->axes; i++) {
    v_d += s->v[i] * d[i];
    e_d += e[i] * d[i];
  }
  evaluate(l, v_d, s->load, e_d, CPS_MODE_FREE, out, jac);
  if (l->kind == LAW_KINK && jac->f.f_eq > 0.5) /* by a hair: it slips */
    evaluate(l, v_d, s->load, copysign(2 * s->limit, e_d), CPS_MODE_FREE, out, jac);
  return size;
}

/* f = F(v, e, N) along u = f - c (r_s + k v), with e = u + viscous N v and k = viscous N/m; c is m, or for a clamp, which
 * is open on one side or the other, the scale that the solve took. */
static void rub_balance(const contact_law *l, const slip *s, const double *f, rub *o) {
  int clamps = l->kind == LAW_KINK;
  double u[AXES] = {0}, e[AXES] = {0}, d[AXES];
  double scale = clamps ? s->scale : s->mass, part = scale / s->mass, slope = part * l->viscous * s->load;
  for (int i = 0; i < s->axes; i++) {
    u[i] = f[i] - scale * s->a[i] - slope * s->v[i];
    e[i] = u[i] + l->viscous * s->load * s->v[i];
  }
  cps_law_output out;
  cps_law_jacobian jac;
  double size = evaluate_along(l, s, u, e, d, &out, &jac);
  if (clamps) jac.f.f_eq = 0;
  for (int i = 0; i < s->axes; i++) {
    o->n[i] = -jac.f.n * d[i];
    for (int k = 0; k < l->law->n_params; k++) o->law[i][k] = -jac.f.p[k] * d[i];
    for (int j = 0; j < s->axes; j++) {
      double dd = out.f * across(d, size, s->axes, i, j); /* by du: F turns, and what it sees along d */
      for (int k = 0; k < s->axes && s->axes > 1; k++)
        dd += d[i] * (jac.f.v * s->v[k] + jac.f.f_eq * e[k]) * across(d, size, s->axes, k, j);
      double along = d[i] * d[j], by_e = along * jac.f.f_eq;
      o->f[i][j] = (i == j) - by_e - dd;
      o->v[i][j] = -along * jac.f.v + dd * slope;
      o->a[i][j] = by_e * s->mass + dd * scale;
      o->mass[i] += by_e * s->a[j] + (clamps ? -dd * slope * s->v[j] / s->mass : dd * s->a[j]);
      o->n[i] += dd * part * l->viscous * s->v[j];
      o->viscous[i] += dd * part * s->load * s->v[j];
    }
  }
}

/* Westin's reading: f = F(v, e, N) along u = e - viscous N v, where e = f - pull is what friction would be if all contacts stuck. */
static void rub_all_stick(const contact_law *l, const slip *s, const double *f, const double *pull, int stuck,
                          rub *o) {
  if (l->kind == LAW_KINK && stuck) { /* F = e - viscous N v */
    for (int i = 0; i < s->axes; i++) {
      o->v[i][i] = l->viscous * s->load;
      o->n[i] = l->viscous * s->v[i];
      o->viscous[i] = s->load * s->v[i];
    }
    return;
  }
  double e[AXES] = {0}, u[AXES] = {0}, d[AXES], slope = l->viscous * s->load;
  for (int i = 0; i < s->axes; i++) {
    e[i] = f[i] - pull[i];
    u[i] = e[i] - slope * s->v[i];
  }
  cps_law_output out;
  cps_law_jacobian jac;
  double size = evaluate_along(l, s, u, e, d, &out, &jac);
  for (int i = 0; i < s->axes; i++) {
    o->n[i] = -jac.f.n * d[i];
    for (int k = 0; k < l->law->n_params; k++) o->law[i][k] = -jac.f.p[k] * d[i];
    for (int j = 0; j < s->axes; j++) {
      double dd = out.f * across(d, size, s->axes, i, j);
      for (int k = 0; k < s->axes && s->axes > 1; k++)
        dd += d[i] * (jac.f.v * s->v[k] + jac.f.f_eq * e[k]) * across(d, size, s->axes, k, j);
      o->f[i][j] = (i == j) - d[i] * d[j] * jac.f.f_eq - dd;
      o->v[i][j] = -d[i] * d[j] * jac.f.v + dd * slope;
      o->n[i] += dd * l->viscous * s->v[j];
      o->viscous[i] += dd * s->load * s->v[j];
    }
  }
}

/* Laws that jump: v = 0, or f = F(v, N) against v. */
static void rub_jump(const contact_law *l, const slip *s, const double *f, int stuck, rub *o) {
  if (stuck) {
    for (int i = 0; i < s->axes; i++) o->v[i][i] = 1;
    return;
  }
  double d[AXES], speed = 0, size = direction(f, s->axes, d);
  for (int i = 0; i < s->axes; i++) speed -= s->v[i] * d[i];
  cps_law_output out;
  cps_law_jacobian jac;
  evaluate(l, speed > 0 ? -speed : 0, s->load, size, l->slip[1], &out, &jac);
  double side = speed > 0 ? out.f / speed
                          : 0; /* f and v stay opposite: of the two parts across, either may turn */
  for (int i = 0; i < s->axes; i++) {
    o->n[i] = -jac.f.n * d[i];
    for (int k = 0; k < l->law->n_params; k++) o->law[i][k] = -jac.f.p[k] * d[i];
    for (int j = 0; j < s->axes; j++) {
      double turn = s->axes == 1 ? 0 : ((i == j) - d[i] * d[j]) / 2;
      o->f[i][j] = (i == j) - turn;
      o->v[i][j] = (speed > 0 ? -jac.f.v * d[i] * d[j] : 0) + turn * side;
    }
  }
}

void cps_rub_by(const contact_law *l, const slip *s, const double *f, int stuck, rub *o) {
  memset(o, 0, sizeof *o);
  if (l->kind == LAW_VELOCITY)
    rub_velocity(l, s, o);
  else if (l->kind == LAW_JUMP)
    rub_jump(l, s, f, stuck, o);
  else if (l->kind == LAW_KINK && stuck)
    rub_stuck(l, s, o);
  else
    rub_balance(l, s, f, o);
}

/* Statics: f = -k creep from where the spring holds the point, up to what is held. */
static void rub_spring(const machine *m, const cable *c, const contact_point *p, const drum *g,
                       const step_coeffs *coeffs, double limit, contact_tangent *s) {
  int dim = m->dim, axes = dim - 1;
  const double *start = c->start[p - c->point];
  const double *dir[AXES] = {s->t, g->axis};
  double gone[3] = {0}, pull[AXES] = {0}, d[AXES], inwards = 0, k = coeffs->bristle;
  for (int j = 0; j < dim; j++) {
    gone[j] = s->r[j] + g->center[j] - start[j] - (g->center[j] - g->start_center[j]);
    inwards += s->n[j] * gone[j];
  }
  for (int i = 0; i < axes; i++) pull[i] = -k * dot(dir[i], gone, dim);
  pull[0] += k * g->radius * (g->angle - g->start);
  double size = direction(pull, axes, d);
  int gives = size > limit;
  for (int i = 0; i < axes; i++) {
    tangent_row *row = &s->rest[i];
    row->f[i] = 1;
    if (gives) {
      double per = s->load > 0 ? limit / s->load : 0;
      if (c->contact.hold < 0) { /* not in proportion */
        double step = 1e-4 * s->load;
        per = (cps_friction_holds(&c->contact, s->load + step) -
               cps_friction_holds(&c->contact, s->load - step)) /
              (2 * step);
      }
      cps_contact_tangent_normal(c, p, s, -per * d[i], row);
      row->hold = c->contact.hold >= 0 ? -s->load * d[i] : 0;
    }
    for (int a = 0; a < axes; a++) {
      double part = gives ? limit * across(d, size, axes, i, a) : i == a; /* of d(pull) */
      if (part == 0) continue;
      for (int j = 0; j < dim; j++) {
        row->r[j] += part * k * (dir[a][j] - (a == 0 ? inwards / s->rho * s->t[j] : 0));
        row->start[j] -= part * k * dir[a][j];
      }
      row->grip -= part * pull[a] / k;
      if (a == 0) row->radius -= part * k * (g->angle - g->start);
      if (a == 0) row->angle -= part * k * g->radius;
    }
  }
}

/* Sliding velocities times v, accelerations times a and the normal force times n, added to a row; b: acceleration of the point. */
static void add_sliding(const machine *m, const cable *c, const contact_point *p, const contact_tangent *s,
                        const double *v, const double *a, double n, const double *b, tangent_row *row) {
  const drum *g = &m->drum[s->drum];
  int dim = m->dim;
  double out_a = dot(s->n, b, dim);
  for (int j = 0; j < dim - 1; j++)
    for (int d = 0; d < dim; d++) {
      const double along = j == 0 ? s->t[d] : g->axis[d];
      row->v[d] += v[j] * along;
      row->a[d] += a[j] * along;
      if (j == 0) row->r[d] -= (v[0] * s->out + a[0] * out_a) / s->rho * s->t[d];
    }
  row->radius -= v[0] * g->rate + a[0] * g->acceleration;
  row->rate -= v[0] * g->radius;
  row->acceleration -= a[0] * g->radius;
  cps_contact_tangent_normal(c, p, s, n, row);
}

/* Puts the friction of a point together with how its arguments depend on everything. */
static void compose(const machine *m, const cable *c, const contact_point *p, const rub *o, const double *b,
                    contact_tangent *s) {
  for (int i = 0; i < m->dim - 1; i++) {
    tangent_row *row = &s->rest[i];
    for (int j = 0; j < m->dim - 1; j++) row->f[j] += o->f[i][j];
    row->mass += o->mass[i];
    row->viscous += o->viscous[i];
    for (int k = 0; k < c->contact.law->n_params; k++) row->law[k] += o->law[i][k];
    add_sliding(m, c, p, s, o->v[i], o->a[i], o->n[i], b, row);
  }
}

void cps_contact_tangent_accelerates(const machine *m, const cable *c, const contact_point *p,
                                     const contact_tangent *s, int axis, double by, tangent_row *row) {
  double w[3] = {0}, b[3] = {0}, v[AXES] = {0}, a[AXES] = {0};
  motion_of(m, c, p, &m->drum[s->drum], w, b);
  a[axis] = by;
  add_sliding(m, c, p, s, v, a, 0, b, row);
}

void cps_contact_tangent_recall(const machine *m, const cable *c, const contact_point *p,
                                const contact_tangent *s, int axis, const recall_row *x, tangent_row *row) {
  double w[3] = {0}, b[3] = {0}, v[AXES] = {0}, a[AXES] = {0};
  memset(row, 0, sizeof *row);
  motion_of(m, c, p, &m->drum[s->drum], w, b);
  v[axis] = x->v;
  a[axis] = -x->e * p->mass; /* e = f - m r_s */
  row->f[axis] = x->e + x->f;
  row->mass = -x->e * s->slide_a[axis];
  for (int k = 0; k < c->contact.law->n_params; k++) row->law[k] = x->p[k];
  add_sliding(m, c, p, s, v, a, x->n, b, row);
}

/* f = F(v, f - m r_s, N, z), where states z follow from the others, each direction by itself. */
static void rub_memory(const cable *c, int point, const contact_tangent *s, const slip *x, double z_s,
                       rub *o) {
  for (int i = 0; i < x->axes; i++) {
    recall y;
    cps_recall(c, point, i, s, z_s, &y);
    o->f[i][i] = 1 - y.f.e;
    o->v[i][i] = -y.f.v;
    o->a[i][i] = y.f.e * x->mass;
    o->n[i] = -y.f.n;
    o->mass[i] = y.f.e * x->a[i];
    for (int k = 0; k < c->contact.law->n_params; k++) o->law[i][k] = -y.f.p[k];
  }
}

void cps_contact_tangent_eval(const machine *m, const cable *c, const contact_point *p,
                              const step_coeffs *coeffs, contact_tangent *s) {
  int dim = m->dim;
  cps_contact_tangent_place(m, c, p, s);
  s->open = 0;
  if (s->drum < 0) return;
  memset(s->force, 0, sizeof s->force);
  memset(s->rest, 0, sizeof s->rest);
  const drum *g = &m->drum[s->drum];
  for (int d = 0; d < dim; d++) cps_contact_tangent_force(m, c, p, s, d, 1, &s->force[d]);
  double limit = cps_friction_holds(&c->contact, s->load);
  if (coeffs->bristle > 0) {
    rub_spring(m, c, p, g, coeffs, limit, s);
    return;
  }
  const contact_law *l = &c->contact;
  double w[3] = {0}, b[3] = {0};
  motion_of(m, c, p, g, w, b);
  slip x = {.axes = dim - 1, .load = s->load, .mass = p->mass, .limit = limit, .scale = p->scale[0]};
  x.v[0] = s->along - g->radius * g->rate;
  x.a[0] = dot(s->t, b, dim) - g->radius * g->acceleration;
  if (dim == 3) {
    x.v[1] = dot(g->axis, w, 3);
    x.a[1] = dot(g->axis, b, 3);
  }
  memcpy(s->slide_v, x.v, sizeof x.v);
  memcpy(s->slide_a, x.a, sizeof x.a);
  rub o = {.mass = {0}};
  if (c->all_stick)
    rub_all_stick(l, &x, s->f, c->pull + (p - c->point) * AXES, p->stuck, &o);
  else if (l->kind == LAW_MEMORY)
    rub_memory(c, (int)(p - c->point), s, &x, cps_memory_time(&c->contact, coeffs), &o);
  else
    cps_rub_by(l, &x, s->f, p->stuck, &o);
  compose(m, c, p, &o, b, s);
  /* What sticks where its place is given bears any friction: it keeps what it had. */
  unsigned place = dim == 2 ? 0x3 : 0x7;
  s->open = p->stuck && p->shape[0] == 1 && (c->fixed[p->node] & place) == place &&
            (l->kind == LAW_KINK || l->kind == LAW_JUMP);
}

/* ------------------------------------------------------------------ entries */

void cps_tangent_row_list(const point_columns *to, int row, const tangent_row *x) {
  const model *o = to->o;
  const cable *c = &o->m.cable[to->cable];
  const cable_at *at = &o->at.cable[to->cable];
  const contact_point *p = &c->point[to->point];
  int start = to->d == o->at.d0, near = to->s->near, dim = c->dim, axes = dim - 1; /* start of a step */
  const double *const by[3] = {x->r, x->v, x->a}, *const now[3] = {start ? o->q0 + at->w : c->q,
                                                                   start ? o->v0 + at->w : c->v,
                                                                   start ? o->a0 + at->w : c->a};
  const int first[3] = {at->q, at->v, at->a};
  const struct {
    int theta, n;
    const double *by;
  } numbers[] = {{o->at.drum_theta + near * TH_DRUM + TH_RADIUS, 1, &x->radius},
                 {at->p_mass + to->point, 1, &x->mass},
                 {at->p_weight + to->point, 1, &x->weight},
                 {at->theta + TH_HOLD, 1, &x->hold},
                 {at->theta + TH_NORMAL, c->contact.normal->n_params, x->normal},
                 {at->theta + TH_LAW, c->contact.law->n_params, x->law}};
  for (int rate = 0; rate < 3; rate++) {
    if (by[rate][0] == 0 && by[rate][1] == 0 && by[rate][2] == 0) continue;
    for (int d = 0; d < dim; d++)
      cps_by_center(o, to->list, row, near, d, rate, to->state, to->d, -by[rate][d]);
    for (int k = 0; k < 4; k++) {
      int node = p->node * c->b + k * dim, shape = at->p_shape + 4 * to->point + k;
      double sum = 0;
      if (p->shape[k] == 0 && p->shape[0] == 1) continue;
      for (int d = 0; d < dim; d++) {
        cps_entries_add(to->list, row, to->state + first[rate] + node + d, p->shape[k] * by[rate][d]);
        sum += by[rate][d] * now[rate][node + d];
      }
      if (p->shape[0] != 1 && o->theta_varies[shape])
        cps_entries_add(to->list, row, o->at.theta + shape, sum);
    }
  }
  cps_by_turn(o, to->list, row, near, 0, to->state, to->d, x->angle);
  cps_by_turn(o, to->list, row, near, 1, to->state, to->d, x->rate);
  cps_by_turn(o, to->list, row, near, 2, to->state, to->d, x->acceleration);
  for (int k = 0; k < axes; k++)
    cps_entries_add(to->list, row, to->state + at->f + to->point * axes + k, x->f[k]);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    for (int k = 0; k < numbers[i].n; k++)
      if (o->theta_varies[numbers[i].theta + k])
        cps_entries_add(to->list, row, o->at.theta + numbers[i].theta + k, numbers[i].by[k]);
}
