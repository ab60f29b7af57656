/* body_tangent.c - what acts on bodies, differentiated by all that it depends on: rows of entries.
 *
 * The forces themselves, and their tangents by places and velocities, are in body_forces.c. A number of the tables changes a spring
 * through its extension e, the rate of that, its stiffness and damper, and the directions in which it pulls: with e_q the
 * derivative of the extension by a coordinate, the force there is -e_q times the tension.
 */
#include "body_tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ numbers */

body_numbers cps_numbers_layout(const cps_system *s) {
  body_numbers n = {.weight = s->nd};
  n.line = n.weight + s->nd;
  n.plane = n.line + LINE_NUMBERS * s->n_line;
  n.contact = n.plane + PLANE_NUMBERS * s->n_plane;
  n.load = n.contact + CONTACT_NUMBERS * s->nc;
  n.count = n.load + LOAD_NUMBERS * s->n_loads;
  return n;
}

/* A spring along a line points from its first end to its second, the other way round in a system in which one has been moved past
 * the other: the same spring with all signs changed. */
static void read_line(const line_spring *g, const line_spring *like, double *x) {
  double sign = !g->tension_only && g->sa * like->sa + g->sb * like->sb < 0 ? -1 : 1;
  x[LINE_SA] = sign * g->sa;
  x[LINE_SB] = sign * g->sb;
  x[LINE_REST] = sign * g->rest;
  x[LINE_K] = g->k;
  x[LINE_D] = g->d;
}

static void read_plane(const plane_spring *g, double *x) {
  for (int side = 0; side < 2; side++) {
    double *e = x + side * END_NUMBERS;
    memcpy(e + END_BASE, g->end[side].base, sizeof g->end[side].base);
    memcpy(e + END_ALONG, g->end[side].along, sizeof g->end[side].along);
    memcpy(e + END_UP, g->end[side].up, sizeof g->end[side].up);
  }
  x[PLANE_K] = g->k;
  x[PLANE_D] = g->d;
  x[PLANE_LENGTH] = g->length;
}

static int is_constant(const contact *c) { return c->constant == c->constant; }

void cps_numbers_read(const cps_system *s, const cps_system *like, double *x) {
  body_numbers at = cps_numbers_layout(s);
  memset(x, 0, (size_t)at.count * sizeof(double));
  memcpy(x + at.mass, s->mass, (size_t)s->nd * sizeof(double));
  memcpy(x + at.weight, s->weight, (size_t)s->nd * sizeof(double));
  for (int i = 0; i < s->n_line; i++) read_line(&s->line[i], &like->line[i], x + at.line + LINE_NUMBERS * i);
  for (int i = 0; i < s->n_plane; i++) read_plane(&s->plane[i], x + at.plane + PLANE_NUMBERS * i);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    double *to = x + at.contact + CONTACT_NUMBERS * i;
    to[CONTACT_LOAD] = c->normal != NORMAL_GIVEN ? c->weight : is_constant(c) ? c->constant : 0;
    memcpy(to + CONTACT_LAW, c->p, (size_t)c->law->n_params * sizeof(double));
  }
  for (int i = 0; i < s->n_loads; i++) {
    double *to = x + at.load + LOAD_NUMBERS * i;
    memcpy(to + LOAD_U, s->loads[i].u, sizeof s->loads[i].u);
    to[LOAD_PRESS] = s->loads[i].press;
  }
}

/* ------------------------------------------------------------------ what presses */

void cps_press_causes_make(press_causes *c, const cps_system *s, pool *p) {
  POOL_ARRAY(p, c->first, s->nc + 1);
  for (int pass = 0, n; c->first && pass < 2 && !p->lost; pass++) {
    n = 0;
    for (int i = 0; i < s->nc; i++) {
      c->first[i] = n;
      if (s->contacts[i].normal != NORMAL_LOAD) continue;
      for (int j = 0; j < 2 * s->n_plane; j++) {
        const plane_end *e = &s->plane[j / 2].end[j % 2];
        if (e->c[0] >= s->nd || !cps_rests_on(s, e->c[0], s->contacts[i].a)) continue;
        if (pass) c->list[n] = (press_cause){j / 2, j % 2, -1};
        n++;
      }
      for (int j = 0; j < s->n_loads; j++) {
        if (!cps_rests_on(s, s->loads[j].c[0], s->contacts[i].a)) continue;
        if (pass) c->list[n] = (press_cause){-1, 0, j};
        n++;
      }
    }
    c->first[s->nc] = n;
    if (!pass) POOL_ARRAY(p, c->list, n);
  }
}

/* ------------------------------------------------------------------ entries */

static void by_number(const body_point *p, const tangent_sink *k, int row, int number, double by) {
  if (p->varies[number] && by != 0) k->add(k, row, BY_NUMBER, number, by);
}

static int any_varies(const body_point *p, int first, int n) {
  return memchr(p->varies + first, 1, (size_t)n) != NULL;
}

/* The ground does not move. */
static void by_coordinate(const body_point *p, const tangent_sink *k, int row, body_cause cause, int c,
                          double by) {
  if (c < p->s->nx - 1 && by != 0) k->add(k, row, (int)cause, c, by);
}

/* ------------------------------------------------------------------ springs */

/* What a number changes of a spring: extension and its rate, stiffness, damper, derivatives of the extension by the spring's
 * coordinates, and how much of its direction presses the bodies at its ends. */
typedef struct number_slope {
  int number;
  double e, e_t, k, d, e_q[6], up[2];
} number_slope;

static int line_numbers(const body_point *p, int j, number_slope *list) {
  const line_spring *g = &p->s->line[j];
  const double *q = p->y, *v = q + p->s->nx;
  int first = p->at.line + LINE_NUMBERS * j, n = 0;
  if (!any_varies(p, first, LINE_NUMBERS)) return 0;
  const number_slope all[LINE_NUMBERS] = {[LINE_SA] = {.e = -q[g->a], .e_t = -v[g->a], .e_q = {-1, 0}},
                                          [LINE_SB] = {.e = q[g->b], .e_t = v[g->b], .e_q = {0, 1}},
                                          [LINE_REST] = {.e = -1},
                                          [LINE_K] = {.k = 1},
                                          [LINE_D] = {.d = 1}};
  for (int x = 0; x < LINE_NUMBERS; x++) {
    if (!p->varies[first + x]) continue;
    list[n] = all[x];
    list[n++].number = first + x;
  }
  return n;
}

/* The line between the points of a spring: unit vector, rate, length. */
typedef struct span {
  double n[3], w[3], length, e_t;
} span;

/* Axis d of that line changes by r, and its rate by w. */
static void move_span(const cps_system *s, const plane_spring *g, const span *o, int d, double r, double w,
                      number_slope *x) {
  double along = o->n[d] * r;
  x->e += along;
  x->e_t += o->n[d] * w;
  for (int j = 0; j < s->dim; j++) {
    double turn = ((j == d) * r - along * o->n[j]) / o->length; /* of the unit vector */
    x->e_t += turn * o->w[j];
    for (int m = 0; m < 2 * s->dim; m++)
      x->e_q[m] += (m < s->dim ? -1 : 1) * turn * g->end[m / s->dim].along[m % s->dim][j];
    for (int side = 0; side < 2; side++) x->up[side] += turn * g->end[side].up[j];
  }
}

/* A number of the end `side`. */
static void end_number(const body_point *p, const plane_spring *g, const span *o, int side, int which,
                       number_slope *x) {
  const cps_system *s = p->s;
  double sign = side == 0 ? -1 : 1;
  if (which >= END_UP) {
    x->up[side] += o->n[which - END_UP];
  } else if (which < END_ALONG) {
    move_span(s, g, o, which - END_BASE, sign, 0, x);
  } else {
    int m = (which - END_ALONG) / 3, d = (which - END_ALONG) % 3;
    if (m >= s->dim || d >= s->dim) return;
    int c = g->end[side].c[m];
    move_span(s, g, o, d, sign * p->y[c], sign * p->y[s->nx + c], x);
    x->e_q[side * s->dim + m] += sign * o->n[d];
  }
}

static int plane_numbers(const body_point *p, int j, number_slope *list) {
  const plane_spring *g = &p->s->plane[j];
  int first = p->at.plane + PLANE_NUMBERS * j, n = 0;
  if (!any_varies(p, first, PLANE_NUMBERS)) return 0;
  span o = {0};
  o.length = cps_spring_span(p->s, g, p->y, p->y + p->s->nx, o.n, o.w);
  if (!(o.length > 0)) return 0;
  for (int x = 0; x < PLANE_NUMBERS; x++) {
    if (!p->varies[first + x]) continue;
    number_slope *to = &list[n++];
    *to = (number_slope){
        .number = first + x, .e = x == PLANE_LENGTH ? -1 : 0, .k = x == PLANE_K, .d = x == PLANE_D};
    if (x < PLANE_K) end_number(p, g, &o, x / END_NUMBERS, x % END_NUMBERS, to);
  }
  return n;
}

/* Those of spring j that are asked for. */
static int numbers_of(const body_point *p, int j, number_slope *list) {
  int n = p->s->n_line;
  return j < n ? line_numbers(p, j, list) : plane_numbers(p, j - n, list);
}

static double tension_by(const spring_slope *g, const number_slope *x) {
  return g->pulls ? x->k * g->e + g->k * x->e + x->d * g->e_t + g->d * x->e_t : 0;
}

void cps_tangent_extension(const body_point *p, const tangent_sink *k, int row, int j, double by_e,
                           double by_rate) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  number_slope list[PLANE_NUMBERS];
  if (by_e == 0 && by_rate == 0) return;
  for (int m = 0; m < g->n; m++) {
    by_coordinate(p, k, row, BY_PLACE, g->c[m], by_e * g->e_q[m] + by_rate * g->et_q[m]);
    by_coordinate(p, k, row, BY_VELOCITY, g->c[m], by_rate * g->e_q[m]);
  }
  int n = numbers_of(p, j, list);
  for (int x = 0; x < n; x++) by_number(p, k, row, list[x].number, by_e * list[x].e + by_rate * list[x].e_t);
}

void cps_tangent_tension(const body_point *p, const tangent_sink *k, int row, int j, double by) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  number_slope list[PLANE_NUMBERS];
  if (!g->pulls || by == 0) return;
  cps_tangent_extension(p, k, row, j, by * g->k, by * g->d);
  int n = numbers_of(p, j, list);
  for (int x = 0; x < n; x++)
    by_number(p, k, row, list[x].number, by * (list[x].k * g->e + list[x].d * g->e_t));
}

void cps_tangent_elastic(const body_point *p, const tangent_sink *k, int row, int j, double by) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  number_slope list[PLANE_NUMBERS];
  if (!g->stretched || by == 0) return;
  cps_tangent_extension(p, k, row, j, by * g->k, 0);
  int n = numbers_of(p, j, list);
  for (int x = 0; x < n; x++) by_number(p, k, row, list[x].number, by * list[x].k * g->e);
}

void cps_tangent_damper(const body_point *p, const tangent_sink *k, int row, int j, double by) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  number_slope list[PLANE_NUMBERS];
  if (!g->pulls)
    cps_tangent_elastic(p, k, row, j, -by); /* a rope that gets shorter faster than its damper lets it */
  if (!g->pulls || by == 0) return;
  if (g->d != 0) cps_tangent_extension(p, k, row, j, 0, by * g->d);
  int n = numbers_of(p, j, list);
  for (int x = 0; x < n; x++) by_number(p, k, row, list[x].number, by * list[x].d * g->e_t);
}

/* ------------------------------------------------------------------ forces */

static int is_steady(const cps_system *s, int j) { return j < s->n_line && !s->line[j].tension_only; }

/* By places and velocities of its coordinates. */
static void spring_stiffness(const body_point *p, const tangent_sink *k, int j, const int *row,
                             const double *by) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  const body_matrix *b = p->tangents;
  const plane_tangent *plane = j < p->s->n_line ? NULL : &b->plane[j - p->s->n_line];
  for (int m = 0; m < g->n; m++) {
    int to = row[g->c[m]];
    double factor = -by[g->c[m]];
    for (int c = 0; c < g->n && to >= 0; c++) {
      double both = plane ? 0 : g->e_q[m] * g->e_q[c];
      by_coordinate(p, k, to, BY_PLACE, g->c[c], factor * (plane ? plane->q[m][c] : both * b->line_k[j]));
      if (g->d != 0)
        by_coordinate(p, k, to, BY_VELOCITY, g->c[c],
                      factor * (plane ? plane->v[m][c] : both * b->line_d[j]));
    }
  }
}

static void spring_numbers(const body_point *p, const tangent_sink *k, int j, const int *row,
                           const double *by) {
  const spring_slope *g = &p->spring[cps_spring_index(p->s, j)];
  number_slope list[PLANE_NUMBERS];
  int n = numbers_of(p, j, list);
  for (int x = 0; x < n; x++)
    for (int m = 0; m < g->n; m++)
      if (row[g->c[m]] >= 0)
        by_number(p, k, row[g->c[m]], list[x].number,
                  -by[g->c[m]] * (list[x].e_q[m] * g->tension + g->e_q[m] * tension_by(g, &list[x])));
}

static double load_now(const body_point *p, int i) {
  return cps_profile_now(p->s->loads[i].force, p->t, p->k->inputs).y;
}

void cps_tangent_forces(const body_point *p, const tangent_sink *k, const int *row, const double *by) {
  const cps_system *s = p->s;
  for (int c = 0; c < s->nd; c++)
    if (row[c] >= 0) by_number(p, k, row[c], p->at.weight + c, by[c]);
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *l = &s->loads[i];
    for (int d = 0; d < s->dim; d++) {
      int c = l->c[d], number = p->at.load + LOAD_NUMBERS * i + LOAD_U + d;
      if (row[c] < 0) continue;
      if (l->u[d] != 0) k->add(k, row[c], BY_LOAD, i, by[c] * l->u[d]);
      if (p->varies[number]) by_number(p, k, row[c], number, by[c] * load_now(p, i));
    }
  }
  for (int j = 0; j < s->n_line + s->n_plane; j++) {
    if (!is_steady(s, j)) spring_stiffness(p, k, j, row, by);
    spring_numbers(p, k, j, row, by);
  }
}

void cps_tangent_steady_forces(const body_point *p, const tangent_sink *k, const int *row, const double *by) {
  for (int j = 0; j < p->s->n_line; j++)
    if (is_steady(p->s, j)) spring_stiffness(p, k, j, row, by);
}

/* ------------------------------------------------------------------ contacts */

void cps_tangent_sliding(const body_point *p, const tangent_sink *k, int row, int i, int rate, double by) {
  const contact *c = &p->s->contacts[i];
  body_cause cause = rate == 1 ? BY_VELOCITY : BY_ACCELERATION;
  by_coordinate(p, k, row, cause, c->a, by);
  by_coordinate(p, k, row, cause, c->b, -c->sb * by);
}

void cps_tangent_mass(const body_point *p, const tangent_sink *k, int row, int i, double by) {
  const int ends[2] = {p->s->contacts[i].a, p->s->contacts[i].b};
  for (int n = 0; n < 2; n++) {
    if (ends[n] >= p->s->nd || !p->varies[p->at.mass + ends[n]] || !(p->k->w_ii[i] > 0)) continue;
    double part = p->k->inverse_mass[ends[n]] / p->k->w_ii[i];
    by_number(p, k, row, p->at.mass + ends[n], by * part * part);
  }
}

void cps_tangent_balance(const body_point *p, const tangent_sink *k, int row, int i, double by) {
  const contact *c = &p->s->contacts[i];
  if (!(p->k->w_ii[i] > 0) || by == 0) return;
  k->add(k, row, BY_FRICTION, i, by);
  cps_tangent_sliding(p, k, row, i, 2, -by / p->k->w_ii[i]);
  cps_tangent_mass(p, k, row, i, -by * (p->a[c->a] - c->sb * p->a[c->b]));
}

/* What end `side` of a spring presses the body there with: as much of its direction as is off the body's line. */
static void spring_press(const body_point *p, const tangent_sink *k, int row, int spring, int side,
                         double by) {
  const cps_system *s = p->s;
  const plane_spring *g = &s->plane[spring];
  const spring_slope *now = &p->spring[g->index];
  const plane_tangent *t = &p->tangents->plane[spring];
  number_slope list[PLANE_NUMBERS];
  int c[6], count = cps_plane_coordinates(s, g, c), n = plane_numbers(p, spring, list);
  for (int m = 0; m < count; m++) {
    by_coordinate(p, k, row, BY_PLACE, c[m], by * t->press_q[side][m]);
    by_coordinate(p, k, row, BY_VELOCITY, c[m], by * t->press_v[side][m]);
  }
  if (n == 0) return;
  double direction[3] = {0}, rate[3] = {0}, up = 0, sign = side == 0 ? -by : by;
  cps_spring_span(s, g, p->y, p->y, direction, rate);
  for (int d = 0; d < s->dim; d++) up += direction[d] * g->end[side].up[d];
  for (int x = 0; x < n; x++)
    by_number(p, k, row, list[x].number,
              sign * (tension_by(now, &list[x]) * up + now->tension * list[x].up[side]));
}

void cps_tangent_normal(const body_point *p, const tangent_sink *k, int row, int i, double by) {
  const contact *c = &p->s->contacts[i];
  int number = p->at.contact + CONTACT_NUMBERS * i + CONTACT_LOAD;
  if (!(p->k->n[i] > 0) || by == 0) return;
  if (c->normal == NORMAL_GIVEN && !is_constant(c)) {
    k->add(k, row, BY_NORMAL, i, by);
    return;
  }
  by_number(p, k, row, number, by);
  if (c->normal == NORMAL_GIVEN) return;
  if (p->k->hangs) k->add(k, row, BY_HUNG, c->a, by);
  for (int m = p->presses->first[i]; m < p->presses->first[i + 1]; m++) {
    const press_cause *x = &p->presses->list[m];
    if (x->spring >= 0) {
      spring_press(p, k, row, x->spring, x->side, by);
      continue;
    }
    int press = p->at.load + LOAD_NUMBERS * x->load + LOAD_PRESS;
    if (p->s->loads[x->load].press != 0) k->add(k, row, BY_LOAD, x->load, by * p->s->loads[x->load].press);
    if (p->varies[press]) by_number(p, k, row, press, by * load_now(p, x->load));
  }
}

void cps_tangent_law(const body_point *p, const tangent_sink *k, int row, int i, const cps_partials *d,
                     double by) {
  const contact *c = &p->s->contacts[i];
  int law = p->at.contact + CONTACT_NUMBERS * i + CONTACT_LAW;
  if (d->v != 0) cps_tangent_sliding(p, k, row, i, 1, by * d->v);
  if (d->f_eq != 0) cps_tangent_balance(p, k, row, i, by * d->f_eq);
  if (d->n != 0) cps_tangent_normal(p, k, row, i, by * d->n);
  for (int j = 0; j < c->n_states; j++)
    if (d->z[j] != 0) k->add(k, row, BY_STATE, c->z + j, by * d->z[j]);
  if (!any_varies(p, law, CPS_MAX_PARAMS)) return;
  for (int j = 0; j < c->law->n_params; j++) by_number(p, k, row, law + j, by * d->p[j]);
}

/* ------------------------------------------------------------------ energy */

void cps_tangent_energy(const body_point *p, const tangent_sink *k, const int row[3]) {
  const cps_system *s = p->s;
  const double *q = p->y, *v = q + s->nx;
  for (int c = 0; c < s->nd && row[0] >= 0; c++) {
    by_coordinate(p, k, row[0], BY_VELOCITY, c, s->mass[c] * v[c]);
    by_number(p, k, row[0], p->at.mass + c, v[c] * v[c] / 2);
  }
  for (int c = 0; c < s->nd && row[2] >= 0; c++) {
    by_coordinate(p, k, row[2], BY_PLACE, c, -s->weight[c]);
    by_number(p, k, row[2], p->at.weight + c, -q[c]);
  }
  for (int j = 0; j < s->n_line + s->n_plane && row[1] >= 0; j++) { /* half of e times the elastic part */
    const spring_slope *g = &p->spring[cps_spring_index(s, j)];
    cps_tangent_elastic(p, k, row[1], j, 0.5 * g->e);
    cps_tangent_extension(p, k, row[1], j, 0.5 * g->elastic, 0);
  }
}

/* ------------------------------------------------------------------ works of a step */

/* Coordinate c goes `by` further in the step. */
static void by_way(const body_step *x, int row, int c, double by) {
  by_coordinate(x->at[1], x->way[1], row, BY_PLACE, c, by);
  by_coordinate(x->at[0], x->way[0], row, BY_PLACE, c, -by);
}

static double way_of(const body_step *x, int c) { return x->at[1]->y[c] - x->at[0]->y[c]; }

void cps_tangent_friction_work(const body_step *x, int row, int i) {
  const contact *c = &x->at[0]->s->contacts[i];
  double mean = 0.5 * (x->f[0][i] + x->f[1][i]), slide = way_of(x, c->a) - c->sb * way_of(x, c->b);
  by_way(x, row, c->a, -mean);
  by_way(x, row, c->b, c->sb * mean);
  for (int n = 0; n < 2; n++) x->k[n]->add(x->k[n], row, BY_FRICTION, i, -0.5 * slide);
}

static void damper_work(const body_step *x, int row, int j) {
  int i = cps_spring_index(x->at[0]->s, j);
  const spring_slope *g[2] = {&x->at[0]->spring[i], &x->at[1]->spring[i]};
  double grown = g[1]->e - g[0]->e, lost = 0;
  for (int n = 0; n < 2; n++) lost += 0.5 * (g[n]->tension - g[n]->elastic);
  for (int n = 0; n < 2; n++) {
    cps_tangent_damper(x->at[n], x->k[n], row, j, 0.5 * grown);
    cps_tangent_extension(x->at[n], x->k[n], row, j, n ? lost : -lost, 0);
  }
}

static void load_work(const body_step *x, int row, int i) {
  const body_point *p = x->at[1];
  const body_load *l = &p->s->loads[i];
  double mean = 0.5 * (load_now(x->at[0], i) + load_now(p, i)), way = 0;
  for (int d = 0; d < p->s->dim; d++) {
    by_way(x, row, l->c[d], mean * l->u[d]);
    by_number(p, x->k[1], row, p->at.load + LOAD_NUMBERS * i + LOAD_U + d, mean * way_of(x, l->c[d]));
    way += l->u[d] * way_of(x, l->c[d]);
  }
  for (int n = 0; n < 2; n++) x->k[n]->add(x->k[n], row, BY_LOAD, i, 0.5 * way);
}

void cps_tangent_works(const body_step *x, int damping, int loads, int motion) {
  const cps_system *s = x->at[0]->s;
  for (int j = 0; j < s->n_line + s->n_plane; j++) damper_work(x, damping, j);
  for (int i = 0; i < s->n_loads; i++) load_work(x, loads, i);
  if (s->ns == 0) return;
  for (int c = 0; c < s->nx; c++) { /* surfaces push back what acts on them */
    x->row[c] = c >= s->nd && c < s->nx - 1 ? motion : -1;
    x->by[c] = -0.5 * way_of(x, c);
    if (x->row[c] >= 0) by_way(x, motion, c, -0.5 * (x->force[0][c] + x->force[1][c]));
  }
  for (int n = 0; n < 2; n++) {
    cps_tangent_steady_forces(x->at[n], x->k[n], x->row, x->by);
    cps_tangent_forces(x->at[n], x->k[n], x->row, x->by);
  }
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (c->b < s->nd) continue;
    by_way(x, motion, c->b, 0.5 * c->sb * (x->f[0][i] + x->f[1][i]));
    for (int n = 0; n < 2; n++) x->k[n]->add(x->k[n], motion, BY_FRICTION, i, 0.5 * c->sb * way_of(x, c->b));
  }
}
