/* sens_contact.c - a contact point at a converged state, differentiated by everything: place, velocity, acceleration,
 * friction, the drum's motion, and the parameters of its laws.
 *
 * Friction is that of contact_point.c, as Newton's method has it; who sticks is what the solve said, and stays so. Laws are never
 * differenced.
 * With dr, dv, da relative to the drum's centre and turn = t.dr/rho,
 *
 *   dn = turn t,  dt = -turn n,  d(depth) = dR - n.dr,  d(n.v) = n.dv + turn t.v,  d(t.v) = t.dv - turn n.v
 */
#include "contact_place.h"
#include "sens_chain.h"

static double dot(const double *a, const double *b, int dim) {
  double s = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? s + a[2] * b[2] : s;
}

/* ------------------------------------------------------------------ place and normal force */

static void motion_of(const machine *m, const cable *c, const contact_point *p, const drum *g, double *w,
                      double *b) {
  cps_point_of(p, c->v + p->node * c->b, m->dim, w);
  cps_point_of(p, c->a + p->node * c->b, m->dim, b);
  for (int d = 0; d < m->dim; d++) {
    w[d] -= g->center_v[d];
    b[d] -= g->center_a[d];
  }
}

INLINE void place_of(const machine *m, const cable *c, const contact_point *p, contact_tangent *s,
                     const int dim) {
  s->near = p->near;
  s->drum = -1;
  s->depth = s->load = 0;
  s->f[0] = p->f[0];
  s->f[1] = dim == 3 ? p->f[1] : 0;
  memset(s->r, 0, sizeof s->r);
  memset(s->n, 0, sizeof s->n);
  memset(s->t, 0, sizeof s->t);
  if (p->near < 0) return;
  const drum *g = &m->drum[p->near];
  double w[3];
  contact_place at;
  cps_point_of(p, c->q + p->node * c->b, dim, at.r);
  int touches = cps_place_in(g, at.r, dim, &at);
  for (int d = 0; d < dim; d++) s->r[d] = at.r[d];
  if (!touches) return;
  cps_point_of(p, c->v + p->node * c->b, dim, w);
  s->out = s->along = 0;
  for (int d = 0; d < dim; d++) {
    s->n[d] = at.n[d];
    s->t[d] = at.t[d];
    s->out += at.n[d] * (w[d] - g->center_v[d]);
    s->along += at.t[d] * (w[d] - g->center_v[d]);
  }
  s->drum = p->near;
  s->rho = at.rho;
  s->depth = at.depth;
  cps_normal_eval(c->contact.normal, c->contact.normal_p, s->depth, -s->out, &s->law);
  s->load = p->weight * s->law.n;
}

void cps_contact_tangent_place(const machine *m, const cable *c, const contact_point *p, contact_tangent *s) {
  if (m->dim == 2)
    place_of(m, c, p, s, 2);
  else
    place_of(m, c, p, s, 3);
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

void cps_holds_by(const contact_law *l, double n, double *by) {
  contact_law moved = *l;
  for (int k = 0; k < l->law->n_params; k++) {
    double step = 1e-3 * fmax(fabs(l->p[k]), 1e-6), sum = 0;
    for (int j = 0; j < SENS_SHADOWS; j++) {
      moved.p[k] = l->p[k] + step * cps_sens_place[j];
      sum += cps_sens_share[j] / step * cps_friction_holds(&moved, n);
    }
    moved.p[k] = l->p[k];
    by[k] = sum;
  }
}

/* The scale that c has without iterations: of a smooth law the mass, of others as it was, or anything. */
static double scale_of(const contact_law *l, const contact_point *p, double n) {
  double scale = p->scale[0] > 0 ? p->scale[0] : p->mass;
  if (l->kind == LAW_BALANCE) return p->mass;
  return l->kind == LAW_VELOCITY ? fmax(scale, 2 * l->rise * n) : scale;
}

/* Friction of a point as Newton's method has it, on the branch that the solve found, and by plain numbers. */
static void rub_as(const contact_law *l, const contact_point *as, double load, const double *pull,
                   slip_motion *s, friction *o, friction_numbers *of) {
  contact_point p = *as;
  p.n = load;
  s->viscous = l->viscous * load;
  s->rate = s->viscous / p.mass;
  s->scale = scale_of(l, &p, load);
  if (pull)
    cps_friction_all_stick(l, &p, pull, s, o);
  else
    cps_friction_found(l, &p, s, o);
  cps_friction_numbers(l, &p, s, o, of);
  if (!pull) return;
  double v_d = 0; /* the mass is in what would stick; viscous friction turns the direction of what slips */
  for (int i = 0; i < s->axes; i++) v_d += s->v[i] * o->dir[i];
  for (int i = 0; i < s->axes; i++) {
    of->mass[i] = of->viscous[i] = 0;
    for (int j = 0; j < s->axes && s->viscous > 0; j++)
      of->viscous[i] += o->by_v[i][j] * (s->v[j] - v_d * o->dir[j]) * load / s->viscous;
  }
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
  double size = sqrt(pull[0] * pull[0] + pull[1] * pull[1]);
  int gives = size > limit;
  for (int i = 0; i < axes; i++) d[i] = size > 0 ? pull[i] / size : 0;
  for (int i = 0; i < axes; i++) {
    tangent_row *row = &s->rest[i];
    row->f[i] = 1;
    if (gives) {
      double by[CPS_MAX_PARAMS] = {0};
      cps_contact_tangent_normal(c, p, s, -cps_friction_holds_per(&c->contact, s->load) * d[i], row);
      if (c->contact.hold >= 0)
        row->hold = -s->load * d[i];
      else
        cps_holds_by(&c->contact, s->load, by);
      for (int j = 0; j < c->contact.law->n_params; j++) row->law[j] = -by[j] * d[i];
    }
    for (int a = 0; a < axes; a++) {
      double part = gives ? axes == 1 ? 0 : limit / size * ((i == a) - d[i] * d[a]) : i == a; /* of d(pull) */
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
static void compose(const machine *m, const cable *c, const contact_point *p, const friction *o,
                    const friction_numbers *of, const double *b, contact_tangent *s) {
  for (int i = 0; i < m->dim - 1; i++) {
    tangent_row *row = &s->rest[i];
    for (int j = 0; j < m->dim - 1; j++) row->f[j] += o->by_f[i][j];
    row->mass += of->mass[i];
    row->viscous += of->viscous[i];
    for (int k = 0; k < c->contact.law->n_params; k++) row->law[k] += of->law[i][k];
    add_sliding(m, c, p, s, o->by_v[i], o->by_a[i], o->by_n[i], b, row);
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
static void rub_memory(const cable *c, int point, const contact_tangent *s, double z_s, friction *o,
                       friction_numbers *of) {
  memset(o, 0, sizeof *o);
  memset(of, 0, sizeof *of);
  for (int i = 0; i < c->dim - 1; i++) {
    recall y;
    cps_recall(c, point, i, s, z_s, &y);
    cps_recall_rub(&c->contact, &y.f, c->point[point].mass, s->slide_a[i], i, o, of);
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
  slip_motion x = {.axes = dim - 1};
  x.v[0] = s->along - g->radius * g->rate;
  x.a[0] = dot(s->t, b, dim) - g->radius * g->acceleration;
  if (dim == 3) {
    x.v[1] = dot(g->axis, w, 3);
    x.a[1] = dot(g->axis, b, 3);
  }
  memcpy(s->slide_v, x.v, sizeof x.v);
  memcpy(s->slide_a, x.a, sizeof x.a);
  friction o;
  friction_numbers of;
  if (l->kind == LAW_MEMORY)
    rub_memory(c, (int)(p - c->point), s, cps_memory_time(&c->contact, coeffs), &o, &of);
  else
    rub_as(l, p, s->load, c->all_stick ? c->pull + (p - c->point) * AXES : NULL, &x, &o, &of);
  compose(m, c, p, &o, &of, b, s);
  /* What sticks where its place is given bears any friction: it keeps what it had. */
  unsigned place = dim == 2 ? 0x3 : 0x7;
  s->open = p->stuck && p->shape[0] == 1 && (c->fixed[p->node] & place) == place &&
            (l->kind == LAW_KINK || l->kind == LAW_JUMP);
}
