/* sens_sink.c - where derivatives of rows go: into what is left of the equations of the present solve, or into lists of entries.
 *
 * A row of the machine is written once, as what it depends on: places, velocities and accelerations of coordinates and of unknowns of
 * the border, friction forces, what is prescribed, plain numbers. In a solve, where v = v_q q - w1 and a = a_q q - w2, the first
 * go to the matrix and to w1 and w2, and the last to the right-hand side; in a list each has a column. */
#include "sens_chain.h"

/* ------------------------------------------------------------------ making */

/* The first number in d of the surface that is a coordinate; -1: it is none. */
static int surface_of(const model *o, int coordinate) {
  const cps_system *s = o->m.system;
  for (int i = 0; i < s->scenario->n_bodies && coordinate >= s->nd; i++)
    if (s->body_q[i] == coordinate) return o->at.surface_d + 3 * i;
  return -1;
}

/* What a cause is in the machine's terms: BY_UNKNOWN and its rates, BY_THETA or BY_D, and which; -1: it does not change. */
static int find_cause(const model *o, int cause, int *i) {
  const machine *m = &o->m;
  int rate = cause - BY_PLACE, k, d;
  switch (cause) {
  case BY_PLACE:
  case BY_VELOCITY:
  case BY_ACCELERATION:
    k = m->unknown[*i];
    d = k < 0 ? surface_of(o, *i) : -1;
    *i = k >= 0 ? k : d + rate;
    return k >= 0 ? BY_UNKNOWN + rate : d >= 0 ? BY_D : -1;
  case BY_FRICTION:
    *i = m->force[*i];
    return BY_UNKNOWN;
  case BY_LOAD:
    *i += o->at.load_d;
    return BY_D;
  case BY_NORMAL:
    *i += o->at.slide_d + m->n_slides - m->system->nc;
    return BY_D;
  case BY_NUMBER:
    *i += o->at.numbers;
    return BY_THETA;
  case BY_STATE:
    return -1; /* sens_memory.c knows what becomes of states */
  default:
    return cause;
  }
}

static void add_cause(const tangent_sink *k, int row, int cause, int i, double by) {
  const sink *x = (const sink *)(const void *)k;
  const machine *m = &x->o->m;
  if (cause == BY_HUNG) { /* on the bodies that rest on that of a coordinate */
    for (int n = 0; n < m->n_bodies; n++)
      if (m->body[n].press_at >= 0 && cps_rests_on(m->system, m->system->body_q[m->body[n].index], i))
        cps_put_unknown(x, row, m->body[n].press_at, by, 1, 0, 0);
    return;
  }
  int what = find_cause(x->o, cause, &i);
  if (what == BY_THETA)
    cps_put_number(x, row, i, by);
  else if (what == BY_D)
    cps_put_given(x, row, i, by);
  else if (what >= 0)
    cps_put_unknown(x, row, i, by, what == BY_UNKNOWN, what == BY_UNKNOWN_V, what == BY_UNKNOWN_A);
}

sink cps_sink_equations(model *o, const step_coeffs *coeffs, int balance) {
  return (sink){.k = {.add = add_cause},
                .o = o,
                .coeffs = coeffs,
                .v_q = coeffs->v_a / coeffs->q_a,
                .a_q = 1 / coeffs->q_a,
                .balance = balance,
                .node = -1,
                .rhs = o->at.right + o->at.border_rhs,
                .d = o->at.d};
}

sink cps_sink_node(model *o, const step_coeffs *coeffs, int balance, int cable_of, int node, int j) {
  sink x = cps_sink_equations(o, coeffs, balance);
  if (node < 0) return x;
  x.rhs = cps_model_row(o, cable_of, node, j);
  x.cable = cable_of;
  x.node = node;
  x.j = j;
  return x;
}

sink cps_sink_list(model *o, entries *list, int before) {
  return (sink){.k = {.add = add_cause},
                .o = o,
                .list = list,
                .state = before ? o->at.before : o->at.after,
                .d = before ? o->at.d0 : o->at.d};
}

/* ------------------------------------------------------------------ what rows depend on */

double *cps_matrix_at(model *o, int cable_of, int node, int j, int other, int column) {
  chain_matrix *a = &o->matrix[cable_of];
  int b = a->b, near = other - node;
  if (node < 0) return &o->border.c[cable_of][(j * a->nodes + other) * b + column];
  return (near < 0 ? a->l : near > 0 ? a->u : a->d) + (node * b + j) * b + column;
}

/* The row of the right-hand side. */
INLINE int rhs_of(const sink *x, int row) { return x->node < 0 ? x->rhs + row : x->rhs; }

/* What the solve does not find. */
INLINE void put(const sink *x, int row, int column, double by) {
  if (x->coeffs)
    cps_entries_add(&x->o->now, rhs_of(x, row), column, -by);
  else
    cps_entries_add(x->list, row, column, by);
}

void cps_put_number(const sink *x, int row, int theta, double by) {
  if (by != 0 && x->o->theta_varies[theta]) put(x, row, x->o->at.theta + theta, by);
}

void cps_put_given(const sink *x, int row, int d, double by) {
  if (by != 0 && x->o->d_varies[d]) put(x, row, x->d + d, by);
}

/* What the solve finds, times `by`: its number in w1 and w2, where its place, velocity and acceleration are in a state, and the matrix. */
INLINE void put_found(const sink *x, int row, double *in_matrix, int w, const int at[3], double by, double q,
                      double v, double a) {
  model *o = x->o;
  if (!x->coeffs) {
    cps_entries_add(x->list, row, x->state + at[0], by * q);
    cps_entries_add(x->list, row, x->state + at[1], by * v);
    cps_entries_add(x->list, row, x->state + at[2], by * a);
    return;
  }
  int rhs = rhs_of(x, row);
  *in_matrix += by * (q + x->v_q * v + x->a_q * a);
  cps_entries_add(&o->now, rhs, o->at.w1 + w, by * v);
  cps_entries_add(&o->now, rhs, o->at.w2 + w, by * a);
  if (x->balance) cps_entries_add(&o->now, rhs, o->at.before + at[0], -by * q);
}

void cps_put_unknown(const sink *x, int row, int k, double by, double q, double v, double a) {
  model *o = x->o;
  const int at[3] = {o->at.border + k, o->at.border + o->at.nb + k, o->at.border + 2 * o->at.nb + k};
  double sum = 0;
  put_found(x, row, &sum, o->at.border_w + k, at, by, q, v, a);
  if (sum == 0) return;
  if (x->node < 0)
    cps_border_add(o, row, k, sum);
  else
    o->border.b[x->cable][(x->node * o->matrix[x->cable].b + x->j) * o->at.met + k] += sum;
}

void cps_put_coordinate(const sink *x, int row, int cable_of, int k, double q, double v, double a) {
  const cable_at *c = &x->o->at.cable[cable_of];
  const int at[3] = {c->q + k, c->v + k, c->a + k}, b = x->o->m.cable[cable_of].b;
  double *in = x->coeffs ? cps_matrix_at(x->o, cable_of, x->node, x->node < 0 ? row : x->j, k / b, k % b)
                         : NULL;
  put_found(x, row, in, c->w + k, at, 1, q, v, a);
}

void cps_put_center(const sink *x, int row, int drum_of, int axis, double r, double v, double a) {
  const model *o = x->o;
  const drum *g = &o->m.drum[drum_of];
  int theta = o->at.drum_theta + drum_of * TH_DRUM, d = o->at.drum_d + drum_of * DY_DRUM + axis;
  if (g->carrier < 0) {
    cps_put_given(x, row, d + DY_CENTER, r);
    cps_put_given(x, row, d + DY_CENTER_V, v);
    cps_put_given(x, row, d + DY_CENTER_A, a);
    return;
  }
  const machine_body *y = &o->m.body[g->carrier];
  for (int k = 0; k < y->n; k++) {
    if (y->along[k][axis] != 0) cps_put_unknown(x, row, y->at + k, y->along[k][axis], r, v, a);
  }
  cps_put_number(x, row, theta + TH_OFFSET + axis, r);
}

void cps_put_turn(const sink *x, int row, int drum_of, double angle, double rate, double acceleration) {
  const model *o = x->o;
  int d = o->at.drum_d + drum_of * DY_DRUM;
  if (o->m.drum[drum_of].angle_at >= 0) {
    cps_put_unknown(x, row, o->m.drum[drum_of].angle_at, 1, angle, rate, acceleration);
    return;
  }
  cps_put_given(x, row, d + DY_ANGLE, angle);
  cps_put_given(x, row, d + DY_RATE, rate);
  cps_put_given(x, row, d + DY_ACCELERATION, acceleration);
}

/* ------------------------------------------------------------------ contact points */

/* Springs of statics hold the point, and its drum, where they took hold; what is prescribed is there now. */
static void put_start(const sink *x, int row, const point_row *at, const tangent_row *y, double by) {
  const layout *l = &x->o->at;
  const drum *g = &x->o->m.drum[at->s->near];
  int dim = x->o->m.dim, drum_start = l->drum_start + 4 * at->s->near;
  for (int d = 0; d < dim; d++) {
    put(x, row, l->before + l->cable[at->cable].start + at->point * dim + d, by * y->start[d]);
    if (g->carrier >= 0) put(x, row, l->before + drum_start + 1 + d, -by * y->start[d]);
  }
  if (g->angle_at >= 0) put(x, row, l->before + drum_start, -by * y->angle);
  if (x->coeffs->bristle == x->o->m.grip) cps_put_number(x, row, l->grip, by * y->grip);
}

void cps_put_point(const point_row *at, int row, const tangent_row *y, double by) {
  const sink *x = &at->to;
  model *o = x->o;
  const cable *c = &o->m.cable[at->cable];
  const cable_at *l = &o->at.cable[at->cable];
  const contact_point *p = &c->point[at->point];
  int near = at->s->near, dim = c->dim, axes = dim - 1, between = p->shape[0] != 1;
  int start = x->d == o->at.d0; /* of a step */
  const double *q = start ? c->q0 : c->q, *v = start ? c->v0 : c->v, *a = start ? c->a0 : c->a;
  const struct {
    int theta, n;
    const double *by;
  } numbers[] = {{o->at.drum_theta + near * TH_DRUM + TH_RADIUS, 1, &y->radius},
                 {l->p_mass + at->point, 1, &y->mass},
                 {l->p_weight + at->point, 1, &y->weight},
                 {l->theta + TH_VISCOUS, 1, &y->viscous},
                 {l->theta + TH_HOLD, 1, &y->hold},
                 {l->theta + TH_NORMAL, c->contact.normal->n_params, y->normal},
                 {l->theta + TH_LAW, c->contact.law->n_params, y->law}};
  const double *const of[3] = {y->r, y->v, y->a};
  const int first[3] = {l->q, l->v, l->a}, nodes = between ? 4 : 1, from = p->node * c->b;
  double *in = NULL; /* the matrix */
  for (int rate = 0; rate < 3 && !x->coeffs;
       rate++) /* what is alike and nearly cancels, one after the other */
    for (int n = 0; n < nodes * dim; n++)
      cps_entries_add(x->list, row, x->state + first[rate] + from + n,
                      by * p->shape[n / dim] * of[rate][n % dim]);
  for (int n = 0; n < nodes * dim && x->coeffs; n++) {
    const int in_state[3] = {l->q + from + n, l->v + from + n, l->a + from + n};
    int d = n % dim, other = p->node + n / c->b;
    if (n % c->b == 0) in = cps_matrix_at(o, at->cable, x->node, x->node < 0 ? row : x->j, other, 0);
    put_found(x, row, in + n % c->b, l->w + from + n, in_state, by * p->shape[n / dim], y->r[d], y->v[d],
              y->a[d]);
  }
  int held = x->coeffs && x->coeffs->bristle > 0;
  const drum *g = &o->m.drum[near];
  cps_put_turn(x, row, near, held && g->angle_at < 0 ? 0 : by * y->angle, by * y->rate, by * y->acceleration);
  for (int d = 0; d < dim; d++)
    cps_put_center(x, row, near, d, -by * (held && g->carrier < 0 ? y->r[d] + y->start[d] : y->r[d]),
                   -by * y->v[d], -by * y->a[d]);
  for (int k = 0; k < axes && !x->coeffs; k++)
    cps_entries_add(x->list, row, x->state + l->f + at->point * axes + k, by * y->f[k]);
  if (x->coeffs)
    in = cps_matrix_at(o, at->cable, x->node, x->node < 0 ? row : x->j, p->node,
                       c->b + at->point % c->per_node * axes);
  for (int k = 0; k < axes && x->coeffs; k++) in[k] += by * y->f[k];
  if (held) put_start(x, row, at, y, by);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    for (int k = 0; k < numbers[i].n; k++)
      cps_put_number(x, row, numbers[i].theta + k, by * numbers[i].by[k]);
  for (int k = 0; k < 4 && between; k++) { /* it lies elsewhere in a longer element */
    double sum = 0;
    for (int d = 0, n = p->node * c->b + k * dim; d < dim; d++, n++)
      sum += y->r[d] * q[n] + y->v[d] * v[n] + y->a[d] * a[n];
    cps_put_number(x, row, l->p_shape + 4 * at->point + k, by * sum);
  }
}
