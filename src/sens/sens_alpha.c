/* sens_alpha.c - steps of generalised-alpha (body_alpha.c), differentiated.
 *
 * A change of state is that of everything the method carries from step to step: the state y, accelerations, contact
 * forces and state rates that satisfy the equations, the auxiliary values, and what the trapezoidal rules of work need. The
 * equations at the end of the step, linearised at the solution that Newton's method has found, with the state following the unknowns,
 * give the change of the unknowns; all else is linear. Lengths of steps do not change.
 */
#include "sens_bodies.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return (size_t)n * sizeof(double); }

alpha_layout cps_alpha_layout(const cps_system *s) {
  alpha_layout l = {.a = s->ny};
  l.f = l.a + s->nx;
  l.z_t = l.f + s->nc;
  l.aux_a = l.z_t + s->nz;
  l.aux_z = l.aux_a + s->nx;
  l.count = l.aux_z + s->nz;
  return l;
}

/* ------------------------------------------------------------------ rates found anew */

int cps_rates_apply(bodies *b, const body_op *o) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  linearised *p = &b->at;
  if (!cps_linearised_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    double *x = b->s_y + (size_t)j * (size_t)b->n;
    if (!cps_linearised_along(p, &b->change[j], x)) return 0;
    memcpy(x + l->a, p->da, bytes(s->nx));
    memcpy(x + l->f, p->df, bytes(s->nc));
    memcpy(x + l->z_t, p->dz_t, bytes(s->nz));
    memcpy(x + l->aux_a, p->da, bytes(s->nx));
    memcpy(x + l->aux_z, p->dz_t, bytes(s->nz));
  }
  return 1;
}

int cps_rates_back(bodies *b, const body_op *o) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  linearised *p = &b->at;
  if (!cps_linearised_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int m = 0; m < b->c.run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n, *grad = b->c.gradient + (size_t)m * (size_t)b->n_wrt;
    for (int i = 0; i < s->nd; i++) w[l->a + i] += w[l->aux_a + i];
    for (int i = 0; i < s->nz; i++) w[l->z_t + i] += w[l->aux_z + i];
    double *z = cps_linearised_clear(p);
    memcpy(z + p->l.a, w + l->a, bytes(s->nd));
    memcpy(z + p->l.f, w + l->f, bytes(s->nc));
    memcpy(z + p->l.z_t, w + l->z_t, bytes(s->nz));
    memset(w + s->ny, 0, bytes(b->n - s->ny));
    if (!cps_linearised_back(p, LINEAR_NOTHING, b->change, b->n_wrt, w, grad)) return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ a step */

static int go(bodies *b, const body_op *o) {
  const alpha_weights *u = &o->alpha.weights;
  cps_linearised_start(&b->at, o->t, o->y, o->before, o->carried);
  return cps_linearised_go_known(&b->at, o->t1, o->y1, o->a, o->f, o->z_t, o->mode, &o->free->k, u->q_new,
                                 u->v.x_new, u->z.x_new);
}

/* Surfaces whose velocity is prescribed: how Simpson's rule moves them with parameter c. */
static void roll_along(const body_op *o, const change *c, double *dq) {
  for (int i = 0; i < c->n_profile; i++) {
    const profile_change *x = &c->profile[i];
    if (x->kind == GIVEN_SURFACE && x->is_velocity) dq[x->i] += cps_change_way(c, x, o->t, o->h, o->t1);
  }
}

static double roll_back(const body_op *o, const change *c, const double *dq) {
  double sum = 0;
  for (int i = 0; i < c->n_profile; i++) {
    const profile_change *x = &c->profile[i];
    if (x->kind == GIVEN_SURFACE && x->is_velocity) sum += dq[x->i] * cps_change_way(c, x, o->t, o->h, o->t1);
  }
  return sum;
}

/* Changes of work, from the change x0 at the start to x at the end, the rest of which is there. */
static void work_along(bodies *b, const double *x0, double *x) {
  const cps_system *s = b->s;
  linearised *p = &b->at;
  int w = 2 * s->nx + s->nz;
  memcpy(p->z + p->l.y, x, bytes(2 * s->nx));
  memcpy(p->z + p->l.y0, x0, bytes(2 * s->nx));
  memcpy(p->z + p->l.f0, x0 + b->alpha.f, bytes(s->nc));
  cps_linearised_follow(p, LINEAR_WORKS);
  for (int i = 0; i < s->nw; i++) x[w + i] = x0[w + i] + p->z[p->l.work + i];
}

/* Its transpose: adds to w, weights at the end, and w0, at the start. */
static void work_back(bodies *b, double *w, double *w0, double *grad) {
  const cps_system *s = b->s;
  linearised *p = &b->at;
  int at = 2 * s->nx + s->nz;
  double *z = cps_linearised_clear(p);
  memcpy(z + p->l.work, w + at, bytes(s->nw));
  cps_linearised_works_back(p, b->change, b->n_wrt, grad);
  for (int i = 0; i < 2 * s->nx; i++) {
    w[i] += z[p->l.y + i];
    w0[i] += z[p->l.y0 + i];
  }
  for (int i = 0; i < s->nc; i++) {
    w[b->alpha.f + i] += z[p->l.f + i];
    w0[b->alpha.f + i] += z[p->l.f0 + i];
  }
  for (int i = 0; i < s->nw; i++) {
    w0[at + i] += w[at + i];
    w[at + i] = 0;
  }
}

static void step_along(bodies *b, const body_op *o, const change *c, double *x, double *x0) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  linearised *at = &b->at;
  int nx = s->nx, z = 2 * nx;
  const alpha_weights *u = &o->alpha.weights;
  for (int i = 0; i < s->nd; i++) {
    double a = x[l->a + i], aux = x[l->aux_a + i];
    x[i] += u->h * x[nx + i] + u->q_aux * aux + u->q_old * a;
    x[nx + i] += u->v.x_aux * aux + u->v.x_old * a;
    x[l->aux_a + i] = u->v.aux_aux * aux + u->v.aux_old * a;
  }
  for (int i = 0; i < s->nz; i++) {
    double z_t = x[l->z_t + i], aux = x[l->aux_z + i];
    x[z + i] += u->z.x_aux * aux + u->z.x_old * z_t;
    x[l->aux_z + i] = u->z.aux_aux * aux + u->z.aux_old * z_t;
  }
  roll_along(o, c, x);
  (void)cps_linearised_along(at, c, x);
  for (int i = 0; i < s->nd; i++) {
    x[i] += u->q_new * at->da[i];
    x[nx + i] += u->v.x_new * at->da[i];
    x[l->a + i] = at->da[i];
    x[l->aux_a + i] += u->v.aux_new * at->da[i];
  }
  for (int i = 0; i < s->nz; i++) {
    x[z + i] += u->z.x_new * at->dz_t[i];
    x[l->z_t + i] = at->dz_t[i];
    x[l->aux_z + i] += u->z.aux_new * at->dz_t[i];
  }
  memcpy(x + l->f, at->df, bytes(s->nc));
  work_along(b, x0, x);
}

int cps_alpha_apply(bodies *b, const body_op *o) {
  if (!go(b, o)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    double *x = b->s_y + (size_t)j * (size_t)b->n;
    memcpy(b->dy, x, bytes(b->n));
    step_along(b, o, &b->change[j], x, b->dy);
  }
  return 1;
}

static int step_back(bodies *b, const body_op *o, double *w, double *grad) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  linearised *at = &b->at;
  int nx = s->nx, z = 2 * nx;
  const alpha_weights *u = &o->alpha.weights;
  double *w0 = b->dy;
  memset(w0, 0, bytes(b->n));
  work_back(b, w, w0, grad);
  double *z_w = cps_linearised_clear(at), *w_a = z_w + at->l.a, *w_z = z_w + at->l.z_t;
  for (int i = 0; i < s->nd; i++)
    w_a[i] = w[l->a + i] + u->q_new * w[i] + u->v.x_new * w[nx + i] + u->v.aux_new * w[l->aux_a + i];
  for (int i = 0; i < s->nz; i++)
    w_z[i] = w[l->z_t + i] + u->z.x_new * w[z + i] + u->z.aux_new * w[l->aux_z + i];
  memcpy(z_w + at->l.f, w + l->f, bytes(s->nc));
  if (!cps_linearised_back(at, LINEAR_NOTHING, b->change, b->n_wrt, w, grad)) return 0;
  for (int j = 0; j < b->n_wrt; j++) grad[j] += roll_back(o, &b->change[j], w);
  for (int i = 0; i < s->nd; i++) {
    double q = w[i], v = w[nx + i], next = w[l->aux_a + i];
    w0[l->a + i] += u->q_old * q + u->v.x_old * v + u->v.aux_old * next;
    w0[l->aux_a + i] += u->q_aux * q + u->v.x_aux * v + u->v.aux_aux * next;
    w[nx + i] += u->h * q;
  }
  for (int i = 0; i < s->nz; i++) {
    w0[l->z_t + i] += u->z.x_old * w[z + i] + u->z.aux_old * w[l->aux_z + i];
    w0[l->aux_z + i] += u->z.x_aux * w[z + i] + u->z.aux_aux * w[l->aux_z + i];
  }
  for (int i = 0; i < z + s->nz; i++) w0[i] += w[i];
  memcpy(w, w0, bytes(b->n));
  return 1;
}

int cps_alpha_back(bodies *b, const body_op *o) {
  if (!go(b, o)) return 0;
  for (int m = 0; m < b->c.run->n_of; m++)
    if (!step_back(b, o, b->w + (size_t)m * (size_t)b->n, b->c.gradient + (size_t)m * (size_t)b->n_wrt))
      return 0;
  return 1;
}
