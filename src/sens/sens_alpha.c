/* sens_alpha.c - steps of generalised-alpha (body_alpha.c), differentiated.
 *
 * A change of state is that of everything the method carries from step to step: the state y, accelerations, contact
 * forces and state rates that satisfy the equations, the auxiliary values, and what the trapezoidal rules of work need. The
 * equations at the end of the step, linearised at the solution that Newton's method has found, with the state following the unknowns,
 * give the change of the unknowns; all else is linear. Lengths of steps do not change. Changes go through the parts of a step from the
 * first to the last, weights from the last to the first, by the same code.
 */
#include "sens_bodies.h"
#include "simd.h"

#define NUMBER double
#define OF(x)  (x)
#include "sens_elementary.h"

alpha_layout cps_alpha_layout(const cps_system *s) {
  alpha_layout l = {.a = s->ny};
  l.f = l.a + s->nx;
  l.z_t = l.f + s->nc;
  l.aux_a = l.z_t + s->nz;
  l.aux_z = l.aux_a + s->nx;
  l.count = l.aux_z + s->nz;
  return l;
}

/* Changes along one parameter, with the state before the operation and after it; or weights of an output. */
typedef struct passage {
  bodies *b;
  const body_op *o;
  int back, n;     /* parameters: */
  const change *c; /* [n] */
  double *before, *after, *grad;
} passage;

static int equations(const passage *x) {
  return cps_linearised_equations(&x->b->at, x->back, x->c, x->n, x->after, x->grad);
}

/* Numbers of the equations become those of the state, `by` times the first. */
static void settle(const passage *x, const alpha_weights *u) {
  const cps_system *s = x->b->s;
  const alpha_layout *l = &x->b->alpha;
  const linear_layout *at = &x->b->at.l;
  double *z = x->b->at.z, *y = x->after;
  const int back = x->back, nx = s->nx, first = 2 * nx;
  for (int i = 0; i < s->nd; i++) {
    double *a = z + at->a + i;
    add(back, &y[i], u->q_new, a);
    add(back, &y[nx + i], u->v.x_new, a);
    add(back, &y[l->aux_a + i], u->v.aux_new, a);
    put(back, &y[l->a + i], 1, a);
  }
  for (int i = 0; i < s->nz; i++) {
    double *z_t = z + at->z_t + i;
    add(back, &y[first + i], u->z.x_new, z_t);
    add(back, &y[l->aux_z + i], u->z.aux_new, z_t);
    put(back, &y[l->z_t + i], 1, z_t);
  }
  for (int i = 0; i < s->nc; i++) put(back, &y[l->f + i], 1, z + at->f + i);
}

/* ------------------------------------------------------------------ rates found anew */

static int find_rates(const passage *x) {
  static const alpha_weights found = {.v = {.aux_new = 1}, .z = {.aux_new = 1}};
  const bodies *b = x->b;
  double *carried = x->after;
  cps_linearised_clear(&x->b->at);
  if (!x->back) clear(carried, b->s->ny, b->n - b->s->ny);
  if (!x->back && !equations(x)) return 0;
  settle(x, &found);
  if (x->back) clear(carried, b->s->ny, b->n - b->s->ny);
  return !x->back || equations(x);
}

/* ------------------------------------------------------------------ a step */

/* What is known of the end beforehand. */
static void predict(const passage *x) {
  const cps_system *s = x->b->s;
  const alpha_layout *l = &x->b->alpha;
  const alpha_weights *u = &x->o->alpha.weights;
  double *y0 = x->before, *y = x->after;
  const int back = x->back, nx = s->nx, first = 2 * nx;
  for (int i = 0; i < s->nd; i++) {
    double *q0 = &y0[i], *v0 = &y0[nx + i], *a = &y0[l->a + i], *aux = &y0[l->aux_a + i];
    double q = opened(back, &y[i]), v = opened(back, &y[nx + i]), next = opened(back, &y[l->aux_a + i]);
    add(back, &q, 1, q0);
    add(back, &q, u->h, v0);
    add(back, &q, u->q_aux, aux);
    add(back, &q, u->q_old, a);
    add(back, &v, 1, v0);
    add(back, &v, u->v.x_aux, aux);
    add(back, &v, u->v.x_old, a);
    add(back, &next, u->v.aux_aux, aux);
    add(back, &next, u->v.aux_old, a);
    closed(back, &y[i], q);
    closed(back, &y[nx + i], v);
    closed(back, &y[l->aux_a + i], next);
  }
  for (int i = s->nd; i < nx; i++) {
    put(back, &y[i], 1, &y0[i]);
    put(back, &y[nx + i], 1, &y0[nx + i]);
  }
  for (int i = 0; i < s->nz; i++) {
    double *z_t = &y0[l->z_t + i], *aux = &y0[l->aux_z + i];
    double z = opened(back, &y[first + i]), next = opened(back, &y[l->aux_z + i]);
    add(back, &z, 1, &y0[first + i]);
    add(back, &z, u->z.x_aux, aux);
    add(back, &z, u->z.x_old, z_t);
    add(back, &next, u->z.aux_aux, aux);
    add(back, &next, u->z.aux_old, z_t);
    closed(back, &y[first + i], z);
    closed(back, &y[l->aux_z + i], next);
  }
  for (int i = first + s->nz; i < s->ny; i++) put(back, &y[i], 1, &y0[i]);
}

/* Surfaces whose velocity is prescribed: how Simpson's rule moves them with parameters. */
static void roll(const passage *x) {
  const body_op *o = x->o;
  for (int j = 0; j < x->n; j++)
    for (int i = 0; i < x->c[j].n_profile; i++) {
      const profile_change *p = &x->c[j].profile[i];
      if (p->kind != GIVEN_SURFACE || !p->is_velocity) continue;
      double way = cps_change_way(&x->c[j], p, o->t, o->h, o->t1), *q = &x->after[p->i];
      *(x->back ? &x->grad[j] : q) += x->back ? *q * way : way;
    }
}

/* Works, by the state at both ends. */
static void bind_works(const passage *x) {
  const cps_system *s = x->b->s;
  const linear_layout *at = &x->b->at.l;
  double *z = x->b->at.z;
  for (int i = 0; i < 2 * s->nx; i++) {
    put(x->back, z + at->y + i, 1, &x->after[i]);
    put(x->back, z + at->y0 + i, 1, &x->before[i]);
  }
  for (int i = 0; i < s->nc; i++) put(x->back, z + at->f0 + i, 1, &x->before[x->b->alpha.f + i]);
}

static void add_works(const passage *x) {
  const cps_system *s = x->b->s;
  double *works = x->after + 2 * s->nx + s->nz;
  for (int i = 0; i < s->nw; i++) add(x->back, &works[i], 1, x->b->at.z + x->b->at.l.work + i);
}

static int step(const passage *x) {
  const alpha_weights *u = &x->o->alpha.weights;
  linearised *at = &x->b->at;
  cps_linearised_clear(at);
  if (x->back) {
    add_works(x);
    cps_linearised_follow(at, 1, LINEAR_WORKS);
    bind_works(x);
    settle(x, u);
    if (!equations(x)) return 0;
    roll(x);
    predict(x);
  } else {
    predict(x);
    roll(x);
    if (!equations(x)) return 0;
    settle(x, u);
    bind_works(x);
    cps_linearised_follow(at, 0, LINEAR_WORKS);
    add_works(x);
  }
  return 1;
}

/* ------------------------------------------------------------------ all changes, or all weights */

static int go(bodies *b, const body_op *o) {
  const alpha_weights *u = &o->alpha.weights;
  if (o->kind == OP_RATES) return cps_linearised_go(&b->at, o->t, o->y, o->mode, &o->free->k);
  cps_linearised_start(&b->at, o->t, o->y, o->before, o->carried);
  return cps_linearised_go_known(&b->at, o->t1, o->y1, o->a, o->f, o->z_t, o->mode, &o->free->k, u->q_new,
                                 u->v.x_new, u->z.x_new);
}

static int pass(bodies *b, const body_op *o, passage *x) {
  if (o->kind == OP_RATES) return find_rates(x);
  if (x->back)
    memset(x->before, 0, bytes(b->n));
  else
    memcpy(x->before, x->after, bytes(b->n));
  if (!step(x)) return 0;
  if (x->back) memcpy(x->after, x->before, bytes(b->n));
  return 1;
}

int cps_alpha_apply(bodies *b, const body_op *o) {
  int good = go(b, o);
  for (int j = 0; j < b->n_wrt && good; j++) {
    double *y = b->s_y + (size_t)j * (size_t)b->n;
    passage x = {.b = b, .o = o, .n = 1, .c = &b->change[j], .before = b->dy, .after = y};
    good = pass(b, o, &x);
  }
  return good;
}

int cps_alpha_back(bodies *b, const body_op *o) {
  int good = go(b, o);
  for (int m = 0; m < b->c.run->n_of && good; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n, *grad = b->c.gradient + (size_t)m * (size_t)b->n_wrt;
    passage x = {b, o, 1, b->n_wrt, b->change, b->dy, w, grad};
    good = pass(b, o, &x);
  }
  return good;
}
