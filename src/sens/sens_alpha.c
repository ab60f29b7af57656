/* sens_alpha.c - steps of generalised-alpha (body_alpha.c), differentiated.
 *
 * A change of state is that of everything the method carries from step to step: the state y, accelerations, contact
 * forces and state rates that satisfy the equations, the auxiliary values, and what the trapezoidal rules of work need. The
 * equations at the end of the step, linearised at the solution that Newton's method has found, with the state following the unknowns,
 * give the change of the unknowns; all else is linear. Lengths of steps do not change.
 */
#include "sens_tape.h"

#include <math.h>
#include <string.h>

static size_t bytes(int n) { return (size_t)n * sizeof(double); }

alpha_layout cps_alpha_layout(const cps_system *s) {
  alpha_layout l = {.a = s->ny};
  int springs = s->scenario->n_springs;
  l.f = l.a + s->nx;
  l.z_t = l.f + s->nc;
  l.aux_a = l.z_t + s->nz;
  l.aux_z = l.aux_a + s->nx;
  l.extension = l.aux_z + s->nz;
  l.damper = l.extension + springs;
  l.load = l.damper + springs;
  l.drive = l.load + s->n_loads;
  l.count = l.drive + s->nx;
  return l;
}

void cps_alpha_look(bodies *b, alpha_point *p) {
  const cps_system *s = b->s;
  for (int i = 0; i < s->nc; i++) p->f[i] = b->at.f[i];
  for (int i = 0; i < s->scenario->n_springs; i++) {
    p->extension[i] = b->at.spring[i].e;
    p->damper[i] = b->at.spring[i].tension - b->at.spring[i].elastic;
  }
  for (int i = 0; i < s->n_loads; i++) p->load[i] = cps_profile_eval(s->loads[i].force, b->at.t).y;
  memcpy(p->drive, b->at.drive, bytes(s->nx));
}

/* ------------------------------------------------------------------ what work needs */

/* Its changes at the spot, whose z has the changes of all else, along the change x, whose state and forces are there already. */
static void look_along(bodies *b, double *x) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *p = &b->at;
  memcpy(p->z + p->l.y, x, bytes(s->ny));
  cps_spot_follow(p, SPOT_WORKS);
  memcpy(x + l->extension, p->z + p->l.extension, bytes(s->scenario->n_springs));
  memcpy(x + l->damper, p->z + p->l.damper, bytes(s->scenario->n_springs));
  memcpy(x + l->load, p->z + p->l.load, bytes(s->n_loads));
  memcpy(x + l->drive, p->z + p->l.drive, bytes(s->nx));
}

/* Its transpose: weights of these go into those of state, forces and parameters, and are taken out of w. */
static void look_back(bodies *b, double *w, double *grad) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *p = &b->at;
  double *z = cps_spot_clear(p);
  memcpy(z + p->l.extension, w + l->extension, bytes(s->scenario->n_springs));
  memcpy(z + p->l.damper, w + l->damper, bytes(s->scenario->n_springs));
  memcpy(z + p->l.load, w + l->load, bytes(s->n_loads));
  memcpy(z + p->l.drive, w + l->drive, bytes(s->nx));
  cps_spot_follow_back(p, SPOT_WORKS, b->change, b->n_wrt, w, w + l->f, grad);
  memset(w + l->extension, 0, bytes(l->count - l->extension));
}

/* ------------------------------------------------------------------ rates found anew */

int cps_rates_apply(bodies *b, const op *o) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *p = &b->at;
  if (!cps_spot_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int j = 0; j < b->n_wrt; j++) {
    double *x = b->s_y + (size_t)j * (size_t)b->n;
    if (!cps_spot_along(p, &b->change[j], x)) return 0;
    memcpy(x + l->a, p->da, bytes(s->nx));
    memcpy(x + l->f, p->df, bytes(s->nc));
    memcpy(x + l->z_t, p->dz_t, bytes(s->nz));
    memcpy(x + l->aux_a, p->da, bytes(s->nx));
    memcpy(x + l->aux_z, p->dz_t, bytes(s->nz));
    look_along(b, x);
  }
  return 1;
}

int cps_rates_back(bodies *b, const op *o) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *p = &b->at;
  if (!cps_spot_go(p, o->t, o->y, o->mode, &o->free->k)) return 0;
  for (int m = 0; m < b->run->n_of; m++) {
    double *w = b->w + (size_t)m * (size_t)b->n, *grad = b->grad + (size_t)m * (size_t)b->n_wrt;
    look_back(b, w, grad);
    for (int i = 0; i < s->nd; i++) w[l->a + i] += w[l->aux_a + i];
    for (int i = 0; i < s->nz; i++) w[l->z_t + i] += w[l->aux_z + i];
    double *z = cps_spot_clear(p);
    memcpy(z + p->l.a, w + l->a, bytes(s->nd));
    memcpy(z + p->l.f, w + l->f, bytes(s->nc));
    memcpy(z + p->l.z_t, w + l->z_t, bytes(s->nz));
    memset(w + s->ny, 0, bytes(b->n - s->ny));
    if (!cps_spot_back(p, SPOT_NOTHING, b->change, b->n_wrt, w, grad)) return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ a step */

static int go(bodies *b, const op *o) {
  const alpha_weights *u = &o->alpha.weights;
  return cps_spot_go_known(&b->at, o->t1, o->y1, o->a, o->f, o->z_t, o->mode, &o->free->k, u->q_new,
                           u->v.x_new, u->z.x_new);
}

/* Surfaces whose velocity is prescribed: how Simpson's rule moves them with parameter c. */
static void roll_along(const op *o, const change *c, double *dq) {
  for (int i = 0; i < c->n_profile; i++) {
    const profile_change *x = &c->profile[i];
    if (x->kind != GIVEN_SURFACE || !x->is_velocity) continue;
    dq[x->i] += o->h / 6 *
                (cps_change_profile(c, x, o->t).y + 4 * cps_change_profile(c, x, o->t + o->h / 2).y +
                 cps_change_profile(c, x, o->t1).y);
  }
}

static double roll_back(const op *o, const change *c, const double *dq) {
  double sum = 0;
  for (int i = 0; i < c->n_profile; i++) {
    const profile_change *x = &c->profile[i];
    if (x->kind != GIVEN_SURFACE || !x->is_velocity) continue;
    sum += dq[x->i] * o->h / 6 *
           (cps_change_profile(c, x, o->t).y + 4 * cps_change_profile(c, x, o->t + o->h / 2).y +
            cps_change_profile(c, x, o->t1).y);
  }
  return sum;
}

/* How far a load's point has gone along its direction, or its change. */
static double way_of(const cps_system *s, const body_load *g, const double *u, const double *from,
                     const double *to) {
  double sum = 0;
  for (int d = 0; d < s->dim; d++) sum += u[d] * (to[g->c[d]] - from[g->c[d]]);
  return sum;
}

/* The work of loads by a parameter that turns them. */
static double loads_by(const bodies *b, const op *o, const change *c) {
  const cps_system *s = b->s;
  int first = cps_numbers_layout(s).load;
  double sum = 0;
  for (int k = 0; k < c->n_number; k++) {
    int i = (c->number[k].i - first) / LOAD_NUMBERS, d = (c->number[k].i - first) % LOAD_NUMBERS - LOAD_U;
    if (c->number[k].i < first || d >= s->dim) continue;
    int q = s->loads[i].c[d];
    sum += 0.5 * (b->now.load[i] + o->before.load[i]) * (o->y1[q] - o->y[q]) * c->number[k].d;
  }
  return sum;
}

/* Changes of work, from the change x0 at the start to x at the end, the rest of which is there. b->now is the end. */
static void work_along(const bodies *b, const op *o, const double *x0, const change *c, double *x) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  const double *q0 = o->y, *q = o->y1;
  const alpha_point *p0 = &o->before, *p = &b->now;
  int w = 2 * s->nx + s->nz;
  double damping = 0, loads = 0, motion = 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *k = &s->contacts[i];
    double slide = q[k->a] - q0[k->a] - k->sb * (q[k->b] - q0[k->b]);
    double change = x[k->a] - x0[k->a] - k->sb * (x[k->b] - x0[k->b]);
    x[w + i] = x0[w + i] - 0.5 * (x0[l->f + i] + x[l->f + i]) * slide - 0.5 * (p0->f[i] + p->f[i]) * change;
  }
  for (int i = 0; i < s->scenario->n_springs; i++)
    damping += 0.5 * (x[l->damper + i] + x0[l->damper + i]) * (p->extension[i] - p0->extension[i]) +
               0.5 * (p->damper[i] + p0->damper[i]) * (x[l->extension + i] - x0[l->extension + i]);
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *g = &s->loads[i];
    double way = way_of(s, g, g->u, q0, q), change = way_of(s, g, g->u, x0, x);
    loads += 0.5 * (x[l->load + i] + x0[l->load + i]) * way + 0.5 * (p->load[i] + p0->load[i]) * change;
  }
  loads += loads_by(b, o, c);
  for (int i = s->nd; i < s->nx && s->ns > 0; i++)
    motion -= 0.5 * (x[l->drive + i] + x0[l->drive + i]) * (q[i] - q0[i]) +
              0.5 * (p->drive[i] + p0->drive[i]) * (x[i] - x0[i]);
  x[w + s->nc] = x0[w + s->nc] + damping;
  x[w + s->nc + 1] = x0[w + s->nc + 1] + loads;
  x[w + s->nc + 2] = x0[w + s->nc + 2] + motion;
}

/* Its transpose: adds to w, weights at the end, and w0, at the start. */
static void work_back(const bodies *b, const op *o, double *w, double *w0, double *grad) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  const double *q0 = o->y, *q = o->y1;
  const alpha_point *p0 = &o->before, *p = &b->now;
  int at = 2 * s->nx + s->nz;
  double damping = w[at + s->nc], loads = w[at + s->nc + 1], motion = w[at + s->nc + 2];
  for (int i = 0; i < s->nw; i++) {
    w0[at + i] += w[at + i];
    if (i >= s->nc) continue;
    const contact *k = &s->contacts[i];
    double slide = q[k->a] - q0[k->a] - k->sb * (q[k->b] - q0[k->b]), by = w[at + i];
    double change = -0.5 * (p0->f[i] + p->f[i]) * by;
    w[l->f + i] -= 0.5 * slide * by;
    w0[l->f + i] -= 0.5 * slide * by;
    w[k->a] += change;
    w0[k->a] -= change;
    w[k->b] -= k->sb * change;
    w0[k->b] += k->sb * change;
  }
  for (int i = 0; i < s->nw; i++) w[at + i] = 0;
  for (int i = 0; i < s->scenario->n_springs; i++) {
    double e = 0.5 * damping * (p->extension[i] - p0->extension[i]),
           d = 0.5 * damping * (p->damper[i] + p0->damper[i]);
    w[l->damper + i] += e;
    w0[l->damper + i] += e;
    w[l->extension + i] += d;
    w0[l->extension + i] -= d;
  }
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *g = &s->loads[i];
    double way = way_of(s, g, g->u, q0, q);
    double force = 0.5 * loads * (p->load[i] + p0->load[i]);
    w[l->load + i] += 0.5 * loads * way;
    w0[l->load + i] += 0.5 * loads * way;
    for (int d = 0; d < s->dim; d++) {
      w[g->c[d]] += force * g->u[d];
      w0[g->c[d]] -= force * g->u[d];
    }
  }
  for (int j = 0; j < b->n_wrt; j++) grad[j] += loads * loads_by(b, o, &b->change[j]);
  for (int i = s->nd; i < s->nx && s->ns > 0; i++) {
    double way = -0.5 * motion * (q[i] - q0[i]), force = -0.5 * motion * (p->drive[i] + p0->drive[i]);
    w[l->drive + i] += way;
    w0[l->drive + i] += way;
    w[i] += force;
    w0[i] -= force;
  }
}

static void step_along(bodies *b, const op *o, const change *c, double *x, double *x0) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *at = &b->at;
  int nx = s->nx, z = 2 * nx;
  const alpha_weights *u = &o->alpha.weights;
  double rescaled = o->alpha.rescaled;
  for (int i = 0; i < s->nd; i++) {
    double a = x[l->a + i], aux = a + rescaled * (x[l->aux_a + i] - a);
    x[i] += u->h * x[nx + i] + u->q_aux * aux + u->q_old * a;
    x[nx + i] += u->v.x_aux * aux + u->v.x_old * a;
    x[l->aux_a + i] = u->v.aux_aux * aux + u->v.aux_old * a;
  }
  for (int i = 0; i < s->nz; i++) {
    double z_t = x[l->z_t + i], aux = z_t + rescaled * (x[l->aux_z + i] - z_t);
    x[z + i] += u->z.x_aux * aux + u->z.x_old * z_t;
    x[l->aux_z + i] = u->z.aux_aux * aux + u->z.aux_old * z_t;
  }
  roll_along(o, c, x);
  (void)cps_spot_along(at, c, x);
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
  look_along(b, x);
  work_along(b, o, x0, c, x);
}

int cps_alpha_apply(bodies *b, const op *o) {
  if (!go(b, o)) return 0;
  cps_alpha_look(b, &b->now);
  for (int j = 0; j < b->n_wrt; j++) {
    double *x = b->s_y + (size_t)j * (size_t)b->n;
    memcpy(b->dy, x, bytes(b->n));
    step_along(b, o, &b->change[j], x, b->dy);
  }
  return 1;
}

static int step_back(bodies *b, const op *o, double *w, double *grad) {
  const cps_system *s = b->s;
  const alpha_layout *l = &b->alpha;
  spot *at = &b->at;
  int nx = s->nx, z = 2 * nx;
  const alpha_weights *u = &o->alpha.weights;
  double *w0 = b->dy, rescaled = o->alpha.rescaled;
  memset(w0, 0, bytes(b->n));
  work_back(b, o, w, w0, grad);
  look_back(b, w, grad);
  double *z_w = cps_spot_clear(at), *w_a = z_w + at->l.a, *w_z = z_w + at->l.z_t;
  for (int i = 0; i < s->nd; i++)
    w_a[i] = w[l->a + i] + u->q_new * w[i] + u->v.x_new * w[nx + i] + u->v.aux_new * w[l->aux_a + i];
  for (int i = 0; i < s->nz; i++)
    w_z[i] = w[l->z_t + i] + u->z.x_new * w[z + i] + u->z.aux_new * w[l->aux_z + i];
  memcpy(z_w + at->l.f, w + l->f, bytes(s->nc));
  if (!cps_spot_back(at, SPOT_NOTHING, b->change, b->n_wrt, w, grad)) return 0;
  for (int j = 0; j < b->n_wrt; j++) grad[j] += roll_back(o, &b->change[j], w);
  for (int i = 0; i < s->nd; i++) {
    double q = w[i], v = w[nx + i], next = w[l->aux_a + i];
    double aux = u->q_aux * q + u->v.x_aux * v + u->v.aux_aux * next;
    w0[l->a + i] += u->q_old * q + u->v.x_old * v + u->v.aux_old * next + (1 - rescaled) * aux;
    w0[l->aux_a + i] += rescaled * aux;
    w[nx + i] += u->h * q;
  }
  for (int i = 0; i < s->nz; i++) {
    double aux = u->z.x_aux * w[z + i] + u->z.aux_aux * w[l->aux_z + i];
    w0[l->z_t + i] += u->z.x_old * w[z + i] + u->z.aux_old * w[l->aux_z + i] + (1 - rescaled) * aux;
    w0[l->aux_z + i] += rescaled * aux;
  }
  for (int i = 0; i < z + s->nz; i++) w0[i] += w[i];
  memcpy(w, w0, bytes(b->n));
  return 1;
}

int cps_alpha_back(bodies *b, const op *o) {
  if (!go(b, o)) return 0;
  cps_alpha_look(b, &b->now);
  for (int m = 0; m < b->run->n_of; m++)
    if (!step_back(b, o, b->w + (size_t)m * (size_t)b->n, b->grad + (size_t)m * (size_t)b->n_wrt)) return 0;
  return 1;
}
