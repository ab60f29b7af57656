/* sens_linear.c - the equations of bodies linearised at a point, forwards and transposed.
 *
 * With the residual of residual.c, r(y, x, p) = 0 for the unknowns x = (a, f, z_t), a change of state and parameter gives
 *
 *   dx = -K^-1 (r_y dy + r_p dp)
 *
 * where K is the sparse matrix with b_q = b_v = b_z = 0 for rates, or with those of an implicit step. Contacts
 * that stick have the row m (A a - b) = 0, so that changes of dimension need no care. Modes are those in which the laws
 * were evaluated; nothing here can change who sticks. Transposed, weights of an output by x become weights by y and p.
 *
 * What is prescribed (surfaces) is overwritten in every evaluation: so it is in the changes.
 */
#include "sens_linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *many(long n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

static void zero(double *x, int n) {
  if (n > 0) memset(x, 0, (size_t)n * sizeof(double));
}

static void copy(double *to, const double *from, int n) {
  if (n > 0) memcpy(to, from, (size_t)n * sizeof(double));
}

cps_status cps_spot_make(spot *p, const cps_system *s, cps_error *err) {
  memset(p, 0, sizeof *p);
  p->s = s;
  int springs = s->scenario->n_springs;
  struct {
    double **at;
    int n;
  } arrays[] = {{&p->y, s->ny},          {&p->y_t, s->ny},
                {&p->a, s->nx},          {&p->f, s->nc},
                {&p->z_t, s->nz},        {&p->r_a, s->nx},
                {&p->r_f, s->nc},        {&p->r_z, s->nz},
                {&p->da, s->nx},         {&p->df, s->nc},
                {&p->dz_t, s->nz},       {&p->surface_a, s->nx},
                {&p->dn, s->nc},         {&p->press, s->nc},
                {&p->drive, s->nx},      {&p->entry, cps_spot_layout(s).count},
                {&p->tension, springs},  {&p->rate, springs},
                {&p->extension, springs}};
  int good = 1;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    good = (*arrays[i].at = many(arrays[i].n, sizeof(double))) && good;
  p->mode = many(s->nc, sizeof(int));
  p->spring = many(springs, sizeof *p->spring);
  p->law = many(s->nc, sizeof *p->law);
  p->law_at = many(s->nc, sizeof(long));
  if (!good || !p->mode || !p->spring || !p->law || !p->law_at) {
    cps_spot_free(p);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  }
  cps_status status = cps_workspace_make(s, &p->k, err);
  if (status == CPS_OK) status = cps_residual_make(&p->r, s, &p->k, err);
  if (status != CPS_OK) cps_spot_free(p);
  return status;
}

void cps_spot_free(spot *p) {
  void *all[] = {p->y,    p->y_t,    p->a,    p->f,         p->z_t,   p->r_a,     p->r_f,  p->r_z,
                 p->da,   p->df,     p->dz_t, p->surface_a, p->dn,    p->tension, p->rate, p->extension,
                 p->mode, p->spring, p->law,  p->law_at,    p->press, p->drive,   p->entry};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  if (p->r.s) cps_residual_free(&p->r);
  cps_workspace_free(&p->k);
  memset(p, 0, sizeof *p);
}

/* ------------------------------------------------------------------ going there */

/* The force on surfaces, friction included. */
static void find_drives(spot *p) {
  const cps_system *s = p->s;
  copy(p->drive, p->k.force, s->nx);
  for (int i = 0; i < s->nc; i++) p->drive[s->contacts[i].b] -= s->contacts[i].sb * p->f[i];
}

static void find_slopes(spot *p) {
  cps_spring_slopes(p->s, p->y, p->y + p->s->nx, p->spring);
  find_drives(p);
}

/* The state and what is free now. */
static void settle_in(spot *p, double t, const double *y, const workspace *like) {
  const cps_system *s = p->s;
  p->t = t;
  p->number++;
  copy(p->y, y, s->ny);
  copy(p->k.inverse_mass, like->inverse_mass, s->nx);
  copy(p->k.w_ii, like->w_ii, s->nc);
  p->k.held = like->held;
}

/* The mode of every law that has some, as the last evaluation chose it. */
static void choose_modes(spot *p, const int *mode) {
  const cps_system *s = p->s;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    p->mode[i] = mode ? mode[i] : CPS_MODE_FREE;
    if (p->mode[i] >= 0 || !c->law->n_modes) continue;
    cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + c->z, CPS_MODE_FREE};
    p->mode[i] = cps_law_mode(c->law, c->p, &in);
  }
}

int cps_spot_go(spot *p, double t, const double *y, const int *mode, const workspace *like) {
  const cps_system *s = p->s;
  settle_in(p, t, y, like);
  copy(p->k.f, like->f, s->nc); /* where groups of contacts start to look for their forces */
  if (cps_system_rates(s, &p->k, t, p->y, mode, p->y_t) != CPS_OK) return 0;
  choose_modes(p, mode);
  copy(p->a, p->y_t + s->nx, s->nx);
  copy(p->f, p->k.f, s->nc);
  copy(p->z_t, p->y_t + 2 * s->nx, s->nz);
  p->r.sight = LOOK_HERE;
  cps_residual_eval(&p->r, t, p->y, p->a, p->f, p->z_t, p->mode);
  find_slopes(p);
  return cps_residual_factor(&p->r, 0, 0, 0);
}

int cps_spot_go_known(spot *p, double t, const double *y, const double *a, const double *f, const double *z_t,
                      const int *mode, const workspace *like, double b_q, double b_v, double b_z) {
  const cps_system *s = p->s;
  settle_in(p, t, y, like);
  copy(p->a, a, s->nx);
  copy(p->f, f, s->nc);
  copy(p->z_t, z_t, s->nz);
  p->r.sight = LOOK_HERE;
  for (int i = 0; i < s->nc; i++) p->mode[i] = mode[i];
  cps_residual_eval(&p->r, t, p->y, p->a, p->f, p->z_t, p->mode);
  find_slopes(p);
  return cps_residual_factor(&p->r, b_q, b_v, b_z);
}

const cps_law_jacobian *cps_spot_law(spot *p, int i) {
  const cps_system *s = p->s;
  const contact *c = &s->contacts[i];
  if (p->law_at[i] != p->number) {
    cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + c->z, p->mode[i]};
    cps_law_output out;
    cps_law_eval(c->law, c->p, &in, &out, &p->law[i]);
    p->law_at[i] = p->number;
  }
  return &p->law[i];
}

/* ------------------------------------------------------------------ what a parameter changes at once
 *
 * One description serves both ways: in a forward pass a change is added to `to`, in a transposed one its weight times
 * the change to the sum. */

typedef struct sink {
  double *to[5];         /* r_a, r_f, r_z, dn, surface_a */
  const double *from[5]; /* weights of the same */
  double sum;
} sink;

enum { TO_A, TO_F, TO_Z, TO_N, TO_SURFACE };

static inline void give(sink *k, int which, int i, double x) {
  if (k->to[which])
    k->to[which][i] += x;
  else
    k->sum += k->from[which][i] * x;
}

/* The normal force of contact i changes by dn. */
static void give_normal(spot *p, sink *k, int i, double dn) {
  const contact *c = &p->s->contacts[i];
  if (!(p->k.n[i] > 0) || dn == 0) return;
  const cps_law_jacobian *law = cps_spot_law(p, i);
  give(k, TO_N, i, dn);
  give(k, TO_F, i, -law->f.n * dn);
  for (int j = 0; j < c->n_states; j++) give(k, TO_Z, c->z + j, -law->z_t[j].n * dn);
}

/* The balance force of contact i changes by de with everything else given. */
static void give_balance(const spot *p, sink *k, int i, double de) {
  const contact *c = &p->s->contacts[i];
  int n = c->n_states;
  const double *d = p->r.state + p->r.state_at[i];
  give(k, TO_F, i, -p->r.law[i].e * de);
  for (int j = 0; j < n; j++) give(k, TO_Z, c->z + j, -d[2 * n + j] * de);
}

/* More force on coordinate q, which does not count where a body is held. */
static void give_force(const spot *p, sink *k, int q, double df) {
  if (q < p->s->nd && p->k.inverse_mass[q] == 0) return;
  give(k, TO_A, q, -df);
}

/* Coordinate q of a line body is pressed harder onto its line, and with it those of the bodies that it rests on. */
static void give_press(spot *p, sink *k, int q, double press) {
  const cps_system *s = p->s;
  if (q >= s->nd || press == 0) return;
  for (; q >= 0; q = s->under[q])
    for (int j = p->r.at_first[q]; j < p->r.at_first[q + 1]; j++) {
      const contact *c = &s->contacts[p->r.at_contact[j]];
      if (c->a == q && c->normal == NORMAL_LOAD) give_normal(p, k, p->r.at_contact[j], press);
    }
}

static void give_mass(const spot *p, sink *k, const number_change *m) {
  const cps_system *s = p->s;
  int q = m->i;
  if (p->k.inverse_mass[q] == 0) return;
  give(k, TO_A, q, m->d * p->a[q]);
  for (int j = p->r.at_first[q]; j < p->r.at_first[q + 1]; j++) {
    int i = p->r.at_contact[j];
    const contact *c = &s->contacts[i];
    double unit = 1 / p->k.w_ii[i], part = unit * p->k.inverse_mass[q];
    give_balance(p, k, i, -part * part * m->d * (p->a[c->a] - c->sb * p->a[c->b]));
  }
}

static void line_parts(const spot *p, const line_change *x, double *de, double *de_t, double *df) {
  const line_spring *g = &p->s->line[x->i];
  const double *q = p->y, *v = q + p->s->nx;
  const spring_slope *at = &p->spring[g->index];
  *de = x->sb * q[g->b] - x->sa * q[g->a] - x->rest;
  *de_t = x->sb * v[g->b] - x->sa * v[g->a];
  *df = at->pulls ? x->k * at->e + g->k * *de + x->d * at->e_t + g->d * *de_t : 0;
}

static void give_line(const spot *p, sink *k, const line_change *x) {
  const line_spring *g = &p->s->line[x->i];
  double de, de_t, df, f = p->spring[g->index].tension;
  line_parts(p, x, &de, &de_t, &df);
  give_force(p, k, g->a, x->sa * f + g->sa * df);
  give_force(p, k, g->b, -x->sb * f - g->sb * df);
}

/* The line between the points of a spring, its rate, and how a parameter changes them. */
typedef struct span {
  double n[3], length, w[3];  /* unit vector, length, rate */
  double dr[3], dw[3], dn[3]; /* changes: of the line, of its rate, of the unit vector */
  double de, de_t, df;
} span;

static span plane_parts(const spot *p, const plane_change *x) {
  const plane_spring *g = &p->s->plane[x->i];
  const double *q = p->y, *v = q + p->s->nx;
  const spring_slope *at = &p->spring[g->index];
  int dim = p->s->dim;
  span o;
  memset(&o, 0, sizeof o);
  for (int side = 0; side < 2; side++) {
    const plane_end *e = &g->end[side], *d = &x->end[side];
    double sign = side == 0 ? -1 : 1;
    for (int j = 0; j < dim; j++) {
      o.n[j] += sign * e->base[j];
      o.dr[j] += sign * d->base[j];
      for (int k = 0; k < dim; k++) {
        o.n[j] += sign * q[e->c[k]] * e->along[k][j];
        o.w[j] += sign * v[e->c[k]] * e->along[k][j];
        o.dr[j] += sign * q[e->c[k]] * d->along[k][j];
        o.dw[j] += sign * v[e->c[k]] * d->along[k][j];
      }
    }
  }
  for (int j = 0; j < dim; j++) o.length = hypot(o.length, o.n[j]);
  if (!(o.length > 0)) return o;
  o.de = -x->length;
  double along = 0;
  for (int j = 0; j < dim; j++) {
    o.n[j] /= o.length;
    along += o.n[j] * o.dr[j];
  }
  o.de += along;
  for (int j = 0; j < dim; j++) {
    o.dn[j] = (o.dr[j] - along * o.n[j]) / o.length;
    o.de_t += o.dn[j] * o.w[j] + o.n[j] * o.dw[j];
  }
  if (at->pulls) o.df = x->k * at->e + g->k * o.de + x->d * at->e_t + g->d * o.de_t;
  return o;
}

static void give_plane(spot *p, sink *k, const plane_change *x) {
  const plane_spring *g = &p->s->plane[x->i];
  span o = plane_parts(p, x);
  double f = p->spring[g->index].tension;
  int dim = p->s->dim;
  for (int side = 0; side < 2; side++) {
    const plane_end *e = &g->end[side], *d = &x->end[side];
    double sign = side == 0 ? 1 : -1, u[3] = {0}, up = 0;
    for (int j = 0; j < dim; j++) {
      double pull = sign * f * o.n[j], change = sign * (o.df * o.n[j] + f * o.dn[j]);
      for (int n = 0; n < dim; n++) u[n] += change * e->along[n][j] + pull * d->along[n][j];
      up += change * e->up[j] + pull * d->up[j];
    }
    for (int n = 0; n < dim; n++) give_force(p, k, e->c[n], u[n]);
    give_press(p, k, e->c[0], -up);
  }
}

static void give_load(spot *p, sink *k, const body_load *l, double f, const double *du, double dpress,
                      double df) {
  for (int d = 0; d < p->s->dim; d++) give_force(p, k, l->c[d], df * l->u[d] + f * du[d]);
  give_press(p, k, l->c[0], df * l->press + f * dpress);
}

/* A load's direction, or its change, along rates or displacements x. */
static double along_load(const cps_system *s, const body_load *l, const double *u, const double *x) {
  double sum = 0;
  for (int d = 0; d < s->dim; d++) sum += u[d] * x[l->c[d]];
  return sum;
}

static void give_contact(spot *p, sink *k, const contact_change *x) {
  const contact *c = &p->s->contacts[x->i];
  const cps_law_jacobian *law = cps_spot_law(p, x->i);
  give_normal(p, k, x->i, x->constant + (c->normal == NORMAL_LOAD ? x->weight : 0));
  for (int m = 0; m < c->law->n_params; m++) {
    if (x->p[m] == 0) continue;
    give(k, TO_F, x->i, -law->f.p[m] * x->p[m]);
    for (int j = 0; j < c->n_states; j++) give(k, TO_Z, c->z + j, -law->z_t[j].p[m] * x->p[m]);
  }
}

/* The acceleration of a surface changes. */
static void give_surface(const spot *p, sink *k, int q, double da) {
  const cps_system *s = p->s;
  if (da == 0) return;
  give(k, TO_SURFACE, q, da);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (c->b == q && p->k.w_ii[i] > 0) give_balance(p, k, i, c->sb * da / p->k.w_ii[i]);
  }
}

static void give_profile(spot *p, sink *k, const change *c, const profile_change *x) {
  static const double none[3] = {0, 0, 0};
  profile_value d = cps_change_profile(c, x, p->t);
  if (x->kind == GIVEN_SURFACE)
    give_surface(p, k, x->i, x->is_velocity ? d.y_t : d.y_tt);
  else if (x->kind == GIVEN_LOAD)
    give_load(p, k, &p->s->loads[x->i], 0, none, 0, d.y);
  else
    give_normal(p, k, x->i, d.y);
}

/* What the parameter changes of r_a, r_f and r_z, with state and unknowns given. */
static void give_all(spot *p, const change *c, sink *k) {
  const cps_system *s = p->s;
  for (int i = 0; i < c->n_mass; i++) give_mass(p, k, &c->mass[i]);
  for (int i = 0; i < c->n_weight; i++) give_force(p, k, c->weight[i].i, c->weight[i].d);
  for (int i = 0; i < c->n_line; i++) give_line(p, k, &c->line[i]);
  for (int i = 0; i < c->n_plane; i++) give_plane(p, k, &c->plane[i]);
  for (int i = 0; i < c->n_load; i++) {
    const body_load *l = &s->loads[c->load[i].i];
    give_load(p, k, l, cps_profile_eval(l->force, p->t).y, c->load[i].u, c->load[i].press, 0);
  }
  for (int i = 0; i < c->n_contact; i++) give_contact(p, k, &c->contact[i]);
  for (int i = 0; i < c->n_profile; i++) give_profile(p, k, c, &c->profile[i]);
}

/* ------------------------------------------------------------------ what is prescribed */

void cps_spot_prescribe(spot *p, const change *c, double *dy) {
  const cps_system *s = p->s;
  const cps_scenario *sc = s->scenario;
  double *dq = dy, *dv = dy + s->nx;
  dq[s->nx - 1] = dv[s->nx - 1] = 0;
  for (int i = 0; i < sc->n_bodies && s->ns > 0; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    dv[s->body_q[i]] = 0;
    if (!b->motion_is_velocity) dq[s->body_q[i]] = 0;
  }
  for (int i = 0; c && i < c->n_profile; i++) {
    const profile_change *x = &c->profile[i];
    if (x->kind != GIVEN_SURFACE) continue;
    profile_value d = cps_change_profile(c, x, p->t);
    dv[x->i] = x->is_velocity ? d.y : d.y_t;
    if (!x->is_velocity) dq[x->i] = d.y;
  }
}

void cps_spot_prescribe_back(spot *p, const change *c, int n, double *w, double *grad) {
  const cps_system *s = p->s;
  const cps_scenario *sc = s->scenario;
  double *q = w, *v = w + s->nx;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < c[j].n_profile; i++) {
      const profile_change *x = &c[j].profile[i];
      if (x->kind != GIVEN_SURFACE) continue;
      profile_value d = cps_change_profile(&c[j], x, p->t);
      grad[j] += v[x->i] * (x->is_velocity ? d.y : d.y_t);
      if (!x->is_velocity) grad[j] += q[x->i] * d.y;
    }
  }
  q[s->nx - 1] = v[s->nx - 1] = 0;
  for (int i = 0; i < sc->n_bodies && s->ns > 0; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    v[s->body_q[i]] = 0;
    if (!b->motion_is_velocity) q[s->body_q[i]] = 0;
  }
}

/* ------------------------------------------------------------------ springs */

void cps_spot_springs(spot *p, const change *c, const double *dy) {
  const cps_system *s = p->s;
  const double *dq = dy, *dv = dy + s->nx;
  for (int i = 0; i < s->scenario->n_springs; i++) {
    const spring_slope *g = &p->spring[i];
    double e = 0, e_t = 0;
    for (int m = 0; m < g->n; m++) {
      e += g->e_q[m] * dq[g->c[m]];
      e_t += g->e_q[m] * dv[g->c[m]] + g->et_q[m] * dq[g->c[m]];
    }
    p->extension[i] = e;
    p->rate[i] = e_t;
    p->tension[i] = g->pulls ? g->k * e + g->d * e_t : 0;
  }
  for (int i = 0; c && i < c->n_line; i++) {
    double e, e_t, f;
    int at = s->line[c->line[i].i].index;
    line_parts(p, &c->line[i], &e, &e_t, &f);
    p->extension[at] += e;
    p->rate[at] += e_t;
    p->tension[at] += f;
  }
  for (int i = 0; c && i < c->n_plane; i++) {
    span o = plane_parts(p, &c->plane[i]);
    int at = s->plane[c->plane[i].i].index;
    p->extension[at] += o.de;
    p->rate[at] += o.de_t;
    p->tension[at] += o.df;
  }
}

void cps_spot_springs_back(spot *p, const change *c, int n, double *w, double *grad) {
  const cps_system *s = p->s;
  double *dq = w, *dv = w + s->nx;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < c[j].n_line; i++) {
      double e, e_t, f;
      int at = s->line[c[j].line[i].i].index;
      line_parts(p, &c[j].line[i], &e, &e_t, &f);
      grad[j] += p->extension[at] * e + p->rate[at] * e_t + p->tension[at] * f;
    }
    for (int i = 0; i < c[j].n_plane; i++) {
      span o = plane_parts(p, &c[j].plane[i]);
      int at = s->plane[c[j].plane[i].i].index;
      grad[j] += p->extension[at] * o.de + p->rate[at] * o.de_t + p->tension[at] * o.df;
    }
  }
  for (int i = 0; i < s->scenario->n_springs; i++) {
    const spring_slope *g = &p->spring[i];
    double e = p->extension[i] + (g->pulls ? g->k * p->tension[i] : 0);
    double e_t = p->rate[i] + (g->pulls ? g->d * p->tension[i] : 0);
    for (int m = 0; m < g->n; m++) {
      dq[g->c[m]] += g->e_q[m] * e + g->et_q[m] * e_t;
      dv[g->c[m]] += g->e_q[m] * e_t;
    }
  }
}

/* ------------------------------------------------------------------ the equations */

int cps_spot_step_along(spot *p, const change *c, double *dy) {
  const cps_system *s = p->s;
  cps_spot_prescribe(p, c, dy);
  cps_residual_along(&p->r, dy, dy + s->nx, dy + 2 * s->nx, p->r_a, p->r_f, p->r_z);
  copy(p->press, p->r.dn, s->nc);
  zero(p->dn, s->nc);
  zero(p->surface_a, s->nx);
  if (c) {
    sink k = {.to = {p->r_a, p->r_f, p->r_z, p->dn, p->surface_a}};
    give_all(p, c, &k);
  }
  return cps_residual_solve(&p->r, p->r_a, p->r_f, p->r_z, p->da, p->df, p->dz_t);
}

/* The transpose up to the weights r_a, r_f, r_z; those of surfaces' r_a are added by the caller beforehand in `surface`. */
static int weigh(spot *p, const double *w_a, const double *w_f, const double *w_z, const double *surface) {
  const cps_system *s = p->s;
  if (!cps_residual_solve_back(&p->r, w_a, w_f, w_z, p->r_a, p->r_f, p->r_z)) return 0;
  if (surface)
    for (int i = s->nd; i < s->nx; i++) p->r_a[i] = surface[i];
  return 1;
}

/* From weights r_a, r_f, r_z, dn and surface_a to those of state and parameters. */
static void weigh_causes(spot *p, const change *c, int n, double *w, double *grad) {
  const cps_system *s = p->s;
  cps_residual_along_back(&p->r, p->r_a, p->r_f, p->r_z, p->dn, w, w + s->nx, w + 2 * s->nx);
  for (int j = 0; j < n; j++) {
    sink k = {.from = {p->r_a, p->r_f, p->r_z, p->dn, p->surface_a}};
    give_all(p, &c[j], &k);
    grad[j] += k.sum;
  }
}

int cps_spot_weigh(spot *p, const change *c, int n, double *w, double *grad) {
  if (!weigh(p, p->da, p->df, p->dz_t, NULL)) return 0;
  weigh_causes(p, c, n, w, grad);
  cps_spot_prescribe_back(p, c, n, w, grad);
  return 1;
}

int cps_spot_step_back(spot *p, const change *c, int n, const double *w_a, const double *w_f,
                       const double *w_z, double *w, double *grad) {
  const cps_system *s = p->s;
  zero(p->dn, s->nc);
  zero(p->surface_a, s->nx);
  if (!weigh(p, w_a, w_f, w_z, NULL)) return 0;
  weigh_causes(p, c, n, w, grad);
  cps_spot_prescribe_back(p, c, n, w, grad);
  return 1;
}

/* ------------------------------------------------------------------ powers */

/* Change of what the load does per time. */
static double load_power(const spot *p, const change *c, const double *dv) {
  const cps_system *s = p->s;
  const double *v = p->y + s->nx;
  double sum = 0;
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *l = &s->loads[i];
    double f = cps_profile_eval(l->force, p->t).y;
    sum += f * along_load(s, l, l->u, dv);
  }
  for (int i = 0; c && i < c->n_load; i++) {
    const body_load *l = &s->loads[c->load[i].i];
    double f = cps_profile_eval(l->force, p->t).y;
    sum += f * along_load(s, l, c->load[i].u, v);
  }
  for (int i = 0; c && i < c->n_profile; i++) {
    if (c->profile[i].kind != GIVEN_LOAD) continue;
    const body_load *l = &s->loads[c->profile[i].i];
    sum += cps_change_profile(c, &c->profile[i], p->t).y * along_load(s, l, l->u, v);
  }
  return sum;
}

/* Of dampers: (tension - elastic part) times rate of extension. */
static double damper_power(const spot *p, const change *c) {
  const cps_system *s = p->s;
  double sum = 0;
  for (int i = 0; i < s->scenario->n_springs; i++) {
    const spring_slope *g = &p->spring[i];
    double elastic = g->stretched ? g->k * p->extension[i] : 0;
    sum += (p->tension[i] - elastic) * g->e_t + (g->tension - g->elastic) * p->rate[i];
  }
  for (int i = 0; c && i < c->n_line; i++) {
    const spring_slope *g = &p->spring[s->line[c->line[i].i].index];
    if (g->stretched) sum -= c->line[i].k * g->e * g->e_t;
  }
  for (int i = 0; c && i < c->n_plane; i++) {
    const spring_slope *g = &p->spring[s->plane[c->plane[i].i].index];
    if (g->stretched) sum -= c->plane[i].k * g->e * g->e_t;
  }
  return sum;
}

int cps_spot_along(spot *p, const change *c, double *dy, double *dy_t) {
  const cps_system *s = p->s;
  int nx = s->nx;
  const double *v = p->y + nx;
  if (!cps_spot_step_along(p, c, dy)) return 0;
  const double *dv = dy + nx;
  copy(dy_t, dv, nx);
  copy(dy_t + nx, p->da, s->nd);
  zero(dy_t + nx + s->nd, nx - s->nd);
  copy(dy_t + 2 * nx, p->dz_t, s->nz);
  double *w = dy_t + 2 * nx + s->nz, motion = 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *k = &s->contacts[i];
    w[i] = -p->df[i] * p->k.v[i] - p->f[i] * (dv[k->a] - k->sb * dv[k->b]);
    if (k->b >= s->nd) motion += k->sb * p->df[i] * v[k->b];
  }
  for (int i = s->nd; i < nx; i++) motion += p->r_a[i] * v[i] - p->drive[i] * dv[i];
  cps_spot_springs(p, c, dy);
  w[s->nc] = damper_power(p, c);
  w[s->nc + 1] = load_power(p, c, dv);
  w[s->nc + 2] = motion;
  return 1;
}

/* Weights of the powers of dampers and loads. */
static void powers_back(spot *p, const change *c, int n, double damping, double loads, double *w,
                        double *grad) {
  const cps_system *s = p->s;
  const double *v = p->y + s->nx;
  double *dv = w + s->nx;
  if (damping != 0) {
    for (int i = 0; i < s->scenario->n_springs; i++) {
      const spring_slope *g = &p->spring[i];
      p->tension[i] = damping * g->e_t;
      p->extension[i] = g->stretched ? -damping * g->k * g->e_t : 0;
      p->rate[i] = damping * (g->tension - g->elastic);
    }
    cps_spot_springs_back(p, c, n, w, grad);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < c[j].n_line; i++) {
        const spring_slope *g = &p->spring[s->line[c[j].line[i].i].index];
        if (g->stretched) grad[j] -= damping * c[j].line[i].k * g->e * g->e_t;
      }
      for (int i = 0; i < c[j].n_plane; i++) {
        const spring_slope *g = &p->spring[s->plane[c[j].plane[i].i].index];
        if (g->stretched) grad[j] -= damping * c[j].plane[i].k * g->e * g->e_t;
      }
    }
  }
  if (loads == 0) return;
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *l = &s->loads[i];
    double f = cps_profile_eval(l->force, p->t).y;
    for (int d = 0; d < s->dim; d++) dv[l->c[d]] += loads * f * l->u[d];
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < c[j].n_load; i++) {
      const body_load *l = &s->loads[c[j].load[i].i];
      double f = cps_profile_eval(l->force, p->t).y;
      grad[j] += loads * f * along_load(s, l, c[j].load[i].u, v);
    }
    for (int i = 0; i < c[j].n_profile; i++) {
      if (c[j].profile[i].kind != GIVEN_LOAD) continue;
      const body_load *l = &s->loads[c[j].profile[i].i];
      grad[j] += loads * cps_change_profile(&c[j], &c[j].profile[i], p->t).y * along_load(s, l, l->u, v);
    }
  }
}

int cps_spot_back(spot *p, const change *c, int n, const double *w_t, double *w, double *grad) {
  const cps_system *s = p->s;
  int nx = s->nx;
  const double *v = p->y + nx, *work = w_t + 2 * nx + s->nz;
  double *dv = w + nx, motion = work[s->nc + 2];
  for (int i = 0; i < nx; i++) dv[i] += w_t[i];
  powers_back(p, c, n, work[s->nc], work[s->nc + 1], w, grad);
  zero(p->surface_a, nx); /* here: weights of r_a at surfaces */
  for (int i = s->nd; i < nx; i++) {
    dv[i] -= motion * p->drive[i];
    p->surface_a[i] = motion * v[i];
  }
  for (int i = 0; i < s->nc; i++) {
    const contact *k = &s->contacts[i];
    p->df[i] = -work[i] * p->k.v[i] + (k->b >= s->nd ? motion * k->sb * v[k->b] : 0);
    dv[k->a] -= work[i] * p->f[i];
    dv[k->b] += work[i] * p->f[i] * k->sb;
  }
  if (!weigh(p, w_t + nx, p->df, w_t + 2 * nx, p->surface_a)) return 0;
  zero(p->surface_a, nx);
  zero(p->dn, s->nc);
  weigh_causes(p, c, n, w, grad);
  cps_spot_prescribe_back(p, c, n, w, grad);
  return 1;
}

/* ------------------------------------------------------------------ drives */

void cps_spot_drives(spot *p, const change *c, const double *dy, const double *df, double *drive) {
  const cps_system *s = p->s;
  cps_residual_along(&p->r, dy, dy + s->nx, dy + 2 * s->nx, p->r_a, p->r_f, p->r_z);
  if (c) {
    sink k = {.to = {p->r_a, p->r_f, p->r_z, p->dn, p->surface_a}};
    give_all(p, c, &k);
  }
  zero(drive, s->nd);
  for (int i = s->nd; i < s->nx; i++) drive[i] = -p->r_a[i];
  for (int i = 0; i < s->nc; i++)
    if (s->contacts[i].b >= s->nd) drive[s->contacts[i].b] -= s->contacts[i].sb * df[i];
}

void cps_spot_drives_back(spot *p, const change *c, int n, const double *w_drive, double *w, double *w_f,
                          double *grad) {
  const cps_system *s = p->s;
  zero(p->r_a, s->nd);
  zero(p->r_f, s->nc);
  zero(p->r_z, s->nz);
  zero(p->dn, s->nc);
  zero(p->surface_a, s->nx);
  for (int i = s->nd; i < s->nx; i++) p->r_a[i] = -w_drive[i];
  for (int i = 0; i < s->nc; i++)
    if (s->contacts[i].b >= s->nd) w_f[i] -= s->contacts[i].sb * w_drive[s->contacts[i].b];
  weigh_causes(p, c, n, w, grad);
}
