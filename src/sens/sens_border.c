/* sens_border.c - the border of a machine, linearised: drums that the cable turns, bodies, springs, and the seams of belts.
 *
 * With the cables' equations A x + B y = r and the border's C x + S y = r', A is block-tridiagonal and y has few unknowns:
 *
 *   Z = A^-1 B,  (S - C Z) y = r' - C A^-1 r,  x = A^-1 r - Z y
 *
 * Bodies that have nothing to do with cables are unknowns of the border as well: B has columns, and C rows, of the others alone, and
 * S - C Z is sparse where it is large, so that the cost is linear in the number of bodies.
 *
 * What several nodes share is as in cable_pass.h and body_equations.c; ends that follow the border keep rows of their own, that say
 * so, and give their equations to the border.
 */
#include "dense.h"
#include "sens_chain.h"

#include <stdlib.h>

/* Unknowns up to which S - C Z is dense: 32 as in solve/body_system.c. */
enum { SMALL = 32 };

static size_t rows_of(const model *o, int i) { return (size_t)(o->matrix[i].nodes * o->matrix[i].b); }

/* Room for looks at bodies. */
static int make_bodies(model *o) {
  const cps_system *s = o->m.system;
  pool *p = &o->pool;
  POOL_ARRAY(p, o->slope, o->m.of->n_springs);
  POOL_ARRAY(p, o->slope0, o->m.of->n_springs);
  POOL_ARRAY(p, o->y0, 2 * s->nx);
  POOL_ARRAY(p, o->force0, s->nx);
  POOL_ARRAY(p, o->f0, s->nc);
  POOL_ARRAY(p, o->f, s->nc);
  POOL_ARRAY(p, o->a, s->nx);
  POOL_ARRAY(p, o->by, s->nx);
  POOL_ARRAY(p, o->minus, s->nx);
  POOL_ARRAY(p, o->row, s->nx);
  for (int c = 0; c < s->nx && o->minus; c++) o->minus[c] = -1;
  cps_press_causes_make(&o->presses, s, p);
  return cps_body_tangents_make(&o->tangents0, s) && !p->lost;
}

int cps_border_make(model *o) {
  border_matrix *x = &o->border;
  pool *p = &o->pool;
  int n = o->m.n_cables, nb = o->at.nx;
  size_t most = 1;
  if (!make_bodies(o)) return 0;
  if (nb == 0) return 1;
  POOL_ARRAY(p, x->b, n);
  POOL_ARRAY(p, x->c, n);
  POOL_ARRAY(p, x->z, n);
  if (nb <= SMALL) POOL_ARRAY(p, x->s, nb * nb);
  POOL_ARRAY(p, x->large, 1);
  POOL_ARRAY(p, x->one, nb);
  POOL_ARRAY(p, x->pivot, nb);
  POOL_ARRAY(p, x->unit, nb);
  POOL_ARRAY(p, x->braked, nb);
  POOL_ARRAY(p, x->force, nb);
  POOL_ARRAY(p, x->bond, 2 * n);
  for (int i = 0; i < n && !p->lost; i++) {
    size_t rows = rows_of(o, i), size = rows * (size_t)o->at.met;
    POOL_ARRAY(p, x->b[i], size);
    POOL_ARRAY(p, x->c[i], size);
    POOL_ARRAY(p, x->z[i], size);
    if (rows > most) most = rows;
  }
  POOL_ARRAY(p, x->room, most);
  for (int k = 0; k < o->m.nb && !p->lost; k++) x->force[k] = o->m.free[k].kind != DOF_PLACE;
  return !p->lost;
}

void cps_border_free(model *o) {
  if (o->border.large) cps_sparse_free(o->border.large);
  cps_entries_free(&o->border.own);
  cps_body_matrix_free(&o->tangents0);
}

/* ------------------------------------------------------------------ who depends on the border */

/* The bond of an end of a cable; 0 if it has none. */
static int bond_of(const model *o, int cable_of, int e, chain_bond *out) {
  const cable *c = &o->m.cable[cable_of];
  *out = (chain_bond){.cable = cable_of, .node = e ? c->n : 0};
  if (c->seam >= 0) {
    out->n = out->unknowns = out->rows = c->b;
    for (int j = 0; j < c->b; j++) {
      out->at[j] = c->seam + j;
      out->by[j][j] = 1;
    }
    return 1;
  }
  if (cps_end_is(c->end[e].kind, END_ON_DRUM)) return cps_rim_bond(o, cable_of, e, out);
  if (c->end[e].body < 0) return 0;
  out->n = c->dim;
  cps_bond_body(o, c->end[e].body, out);
  return 1;
}

void cps_bond_body(const model *o, int body, chain_bond *out) {
  const machine_body *y = &o->m.body[body];
  out->unknowns += y->n;
  for (int k = 0; k < y->rows; k++, out->rows++) {
    out->at[out->rows] = y->row[k];
    for (int d = 0; d < o->m.dim; d++) out->by[d][out->rows] = y->along[k][d];
  }
}

/* ------------------------------------------------------------------ bodies, as bodies.h has them */

void cps_border_look(model *o, double t) {
  machine *m = &o->m;
  const cps_system *s = m->system;
  const double *q = m->y, *v = q + s->nx;
  cps_bodies_look(m, t);
  cps_spring_slopes(s, q, v, o->slope);
  cps_body_matrix_look(&m->equations.entries, q, v);
  o->looked = t;
  for (int c = 0; c < s->nx; c++)
    o->a[c] = m->unknown[c] >= 0 ? *m->free[m->unknown[c]].a : c >= s->nd ? m->forces.surface_a[c] : 0;
  cps_slides_weigh(m);
}

body_point cps_border_point(const model *o) {
  const machine *m = &o->m;
  return (body_point){.s = m->system,
                      .k = &m->forces,
                      .t = o->looked,
                      .y = m->y,
                      .a = o->a,
                      .tangents = &m->equations.entries,
                      .spring = o->slope,
                      .presses = &o->presses,
                      .varies = o->theta_varies + o->at.numbers,
                      .at = cps_numbers_layout(m->system)};
}

void cps_border_begin(model *o, double t) {
  const machine *m = &o->m;
  const cps_system *s = m->system;
  cps_border_look(o, t);
  o->looked0 = t;
  memcpy(o->slope0, o->slope, (size_t)m->of->n_springs * sizeof *o->slope);
  memcpy(o->y0, m->y, 2 * (size_t)s->nx * sizeof(double));
  memcpy(o->force0, m->forces.force, (size_t)s->nx * sizeof(double));
  cps_body_matrix_look(&o->tangents0, m->y, m->y + s->nx);
}

void cps_border_end(model *o, double t) {
  const machine *m = &o->m;
  cps_border_look(o, t);
  for (int i = 0; i < m->system->nc; i++) {
    o->f0[i] = *m->free[m->force[i]].q0;
    o->f[i] = *m->free[m->force[i]].q;
  }
}

void cps_border_step_rows(model *o, border_step *x) {
  x->at[0] = x->at[1] = cps_border_point(o);
  x->at[0].t = o->looked0;
  x->at[0].y = o->y0;
  x->at[0].spring = o->slope0;
  x->at[0].tangents = &o->tangents0;
  x->sink[0] = cps_sink_list(o, &o->work, 1);
  x->sink[1] = cps_sink_list(o, &o->work, 0);
  x->step = (body_step){.at = {&x->at[0], &x->at[1]},
                        .k = {&x->sink[0].k, &x->sink[1].k},
                        .way = {&x->sink[0].k, &x->sink[1].k},
                        .f = {o->f0, o->f},
                        .force = {o->force0, o->m.forces.force},
                        .row = o->row,
                        .by = o->by};
}

/* ------------------------------------------------------------------ who follows */

void cps_border_clear(model *o, const step_coeffs *coeffs) {
  border_matrix *x = &o->border;
  size_t nb = (size_t)o->at.nx;
  for (int i = 0; i < o->m.n_cables; i++) {
    size_t bytes = rows_of(o, i) * (size_t)o->at.met * sizeof(double);
    memset(x->b[i], 0, bytes);
    memset(x->c[i], 0, bytes);
  }
  x->own.n = 0;
  memset(x->braked, 0, nb);
  for (int i = 0; i < o->m.n_drums; i++) {
    const drum *g = &o->m.drum[i];
    if (g->angle_at >= 0 && coeffs->bristle > 0 && g->braked) x->braked[g->angle_at] = 1;
  }
  for (int i = 0; i < o->m.n_bodies; i++) {
    const machine_body *y = &o->m.body[i];
    for (int k = 0; k < y->n && y->held; k++) x->braked[y->at + k] = 1;
  }
  cps_border_tie(o);
}

void cps_border_tie(model *o) {
  border_matrix *x = &o->border;
  x->bonds = o->tied.n = 0;
  for (int i = 0; i < o->m.n_cables; i++)
    for (int e = 0; e < 2; e++) x->bonds += bond_of(o, i, e, &x->bond[x->bonds]);
  for (int i = 0; i < x->bonds; i++)
    if (x->bond[i].rim) cps_rim_tie(o, &x->bond[i]);
}

/* ------------------------------------------------------------------ its own equations */

void cps_border_add(model *o, int row, int k, double by) { cps_entries_add(&o->border.own, row, k, by); }

/* Bodies, what acts on them but friction, and what presses them onto their lines. */
static void add_bodies(model *o, const step_coeffs *coeffs, int balance) {
  const machine *m = &o->m;
  const body_point at = cps_border_point(o);
  const sink to = cps_sink_equations(o, coeffs, balance);
  for (int c = 0; c < m->system->nx; c++) {
    int row = o->row[c] = m->unknown[c];
    if (row < 0) continue;
    to.k.add(&to.k, row, BY_ACCELERATION, c, m->system->mass[c]);
    to.k.add(&to.k, row, BY_NUMBER, at.at.mass + c, o->a[c]);
  }
  cps_tangent_steady_forces(&at, &to.k, o->row, o->minus);
  cps_tangent_forces(&at, &to.k, o->row, o->minus);
  for (int i = 0; i < m->n_bodies; i++)
    if (m->body[i].press_at >= 0) cps_put_unknown(&to, m->body[i].press_at, m->body[i].press_at, 1, 1, 0, 0);
}

static void add_drum(model *o, int i, const step_coeffs *coeffs, int balance) {
  const drum *g = &o->m.drum[i];
  const sink to = cps_sink_equations(o, coeffs, balance);
  cps_put_unknown(&to, g->angle_at, g->angle_at, g->of->inertia, 0, 0, 1);
  cps_put_number(&to, g->angle_at, o->at.drum_theta + i * TH_DRUM + TH_INERTIA, g->acceleration);
  cps_put_drive(&to, g->angle_at, i, coeffs->t, -1);
}

void cps_border_own(model *o, const step_coeffs *coeffs, int balance) {
  cps_border_look(o, coeffs->t);
  add_bodies(o, coeffs, balance);
  for (int i = 0; i < o->m.n_drums; i++)
    if (o->m.drum[i].angle_at >= 0) add_drum(o, i, coeffs, balance);
  cps_slides_own(o, coeffs, balance);
  for (int i = 0; i < o->border.bonds; i++)
    if (o->border.bond[i].rim) cps_rim_own(o, &o->border.bond[i], coeffs, balance);
  entries *own = &o->border.own;
  for (int i = 0; i < own->n; i++)
    if (o->border.braked[own->e[i].row]) own->e[i].by = 0;
  for (int k = 0; k < o->at.nb; k++) {
    if (!o->border.braked[k]) continue;
    cps_border_add(o, k, k, 1);
    for (int i = 0; i < o->m.n_cables && k < o->at.near; i++)
      memset(o->border.c[i] + (size_t)k * rows_of(o, i), 0, rows_of(o, i) * sizeof(double));
  }
}

/* ------------------------------------------------------------------ ends */

/* Friction that sticks at such a node has no equation left in the node's block that says what it is, though the whole has: a
 * unit is added there and, so that nothing changes, taken off again by an unknown of the border that is the same. */
static void lend(model *o, const chain_bond *x, int first) {
  chain_matrix *a = &o->matrix[x->cable];
  const cable *c = &o->m.cable[x->cable];
  int wide = a->b, rows = a->nodes * wide;
  for (int k = 0; k < c->slots; k++) {
    int row = x->node * wide + c->b + k, u = first + k;
    a->d[row * wide + c->b + k] += 1;
    o->border.b[x->cable][row * o->at.met + u] = -1;
    o->border.c[x->cable][u * rows + row] = -1;
  }
}

/* Equations of coordinates that follow the border go there; their rows say that they follow. */
void cps_border_bind(model *o, int cable_of) {
  chain_matrix *a = &o->matrix[cable_of];
  double *b = o->border.b[cable_of], *c = o->border.c[cable_of];
  int wide = a->b, met = o->at.met, rows = a->nodes * wide, lent = o->at.near;
  for (int i = 0; i < cable_of; i++) lent += 2 * o->m.cable[i].slots;
  for (int k = lent; k < lent + 2 * o->m.cable[cable_of].slots; k++)
    cps_border_add(o, cps_border_met(&o->at, k), cps_border_met(&o->at, k), 1);
  for (int i = 0; i < o->border.bonds; i++) {
    const chain_bond *x = &o->border.bond[i];
    if (x->cable != cable_of) continue;
    for (int j = 0; j < x->n; j++) {
      int row = x->node * wide + j;
      for (int near = -1; near <= 1; near++) {
        int node = x->node + near;
        if (node < 0 || node >= a->nodes) continue;
        double *from = (near < 0 ? a->l : near > 0 ? a->u : a->d) + row * wide;
        for (int n = 0; n < wide; n++) {
          for (int k = 0; k < x->rows; k++) c[x->at[k] * rows + node * wide + n] += x->by[j][k] * from[n];
          from[n] = near == 0 && n == j;
        }
      }
      for (int n = 0; n < met; n++) {
        for (int k = 0; k < x->rows; k++)
          cps_border_add(o, x->at[k], cps_border_met(&o->at, n), x->by[j][k] * b[row * met + n]);
        b[row * met + n] = 0;
      }
      for (int k = 0; k < x->unknowns; k++) b[row * met + x->at[k]] = -x->by[j][k];
    }
    lend(o, x, lent);
    lent += o->m.cable[cable_of].slots;
  }
}

/* ------------------------------------------------------------------ factors */

/* The sparse matrix with a pattern that has all of the border's own entries in it. */
static int widen(model *o) {
  const layout *l = &o->at;
  border_matrix *x = &o->border;
  sparse *m = x->large;
  int known = 1;
  for (int i = 0; i < x->own.n && m->n > 0 && known; i++)
    known = cps_sparse_slot(m, x->own.e[i].row, x->own.e[i].column) < m->nnz;
  if (known && m->n > 0) return 1;
  long count = 0, most = (long)x->own.n + m->nnz + (long)l->met * l->met;
  place *list = calloc((size_t)most, sizeof *list);
  int *order = calloc((size_t)l->nx, sizeof *order);
  for (int i = 0; i < x->own.n && list; i++) list[count++] = (place){x->own.e[i].row, x->own.e[i].column};
  for (int i = 0; i < l->met * l->met && list; i++)
    list[count++] = (place){cps_border_met(l, i / l->met), cps_border_met(l, i % l->met)};
  for (int k = 0; k < m->n && list; k++)
    for (int i = m->first[k]; i < m->first[k + 1]; i++) list[count++] = (place){m->row[i], k};
  cps_sparse_free(m);
  int good = list && order && cps_sparse_make(m, l->nx, list, count) && cps_sparse_order(m, order) &&
             cps_sparse_analyse(m, order);
  if (!good) x->own.lost = 1;
  free(list);
  free(order);
  return good;
}

/* S - C Z of the unknowns that cables meet. */
static double left_of(const model *o, int k, int n) {
  double sum = 0;
  for (int i = 0; i < o->m.n_cables; i++) {
    int rows = (int)rows_of(o, i);
    const double *c = o->border.c[i] + k * rows, *z = o->border.z[i] + n * rows;
    for (int r = 0; r < rows; r++) sum += c[r] * z[r];
  }
  return -sum;
}

static int factor_sparse(model *o) {
  border_matrix *x = &o->border;
  sparse *m = x->large;
  const layout *l = &o->at;
  if (!widen(o)) return 0;
  memset(m->value, 0, (size_t)(m->nnz + 1) * sizeof(double));
  memset(x->unit, 0, (size_t)l->nx * sizeof(double));
  for (int i = 0; i < x->own.n; i++)
    m->value[cps_sparse_slot(m, x->own.e[i].row, x->own.e[i].column)] += x->own.e[i].by;
  for (int k = 0; k < l->met; k++)
    for (int n = 0; n < l->met; n++)
      m->value[cps_sparse_slot(m, cps_border_met(l, k), cps_border_met(l, n))] += left_of(o, k, n);
  for (int i = 0; i < m->nnz; i++) x->unit[m->row[i]] = fmax(x->unit[m->row[i]], fabs(m->value[i]));
  for (int k = 0; k < l->nx; k++)
    if (!(x->unit[k] > 0)) return 0;
  for (int i = 0; i < m->nnz; i++) m->value[i] /= x->unit[m->row[i]];
  return cps_sparse_factor(m);
}

void cps_border_solve(const border_matrix *x, int back, lanes *y) {
  int n = x->large->n;
  for (int k = 0; k < LANES; k++) {
    for (int i = 0; i < n; i++) x->one[i] = back ? y[i][k] : y[i][k] / x->unit[i];
    int good = back ? cps_sparse_solve_transposed(x->large, x->one) : cps_sparse_solve(x->large, x->one);
    for (int i = 0; i < n; i++) y[i][k] = !good ? NAN : back ? x->one[i] / x->unit[i] : x->one[i];
  }
}

int cps_border_factor(model *o) {
  border_matrix *x = &o->border;
  int nx = o->at.nx, met = o->at.met;
  for (int i = 0; i < o->m.n_cables; i++) {
    int rows = (int)rows_of(o, i);
    for (int first = 0; first < met; first += LANES) {
      for (int r = 0; r < rows; r++)
        for (int k = 0; k < LANES; k++) x->room[r][k] = first + k < met ? x->b[i][r * met + first + k] : 0;
      cps_chain_solve(&o->matrix[i], x->room);
      for (int k = 0; k < LANES && first + k < met; k++)
        for (int r = 0; r < rows; r++) x->z[i][(first + k) * rows + r] = x->room[r][k];
    }
  }
  if (!x->s) return factor_sparse(o);
  memset(x->s, 0, (size_t)(nx * nx) * sizeof(double));
  for (int i = 0; i < x->own.n; i++) x->s[x->own.e[i].row * nx + x->own.e[i].column] += x->own.e[i].by;
  for (int k = 0; k < met; k++)
    for (int n = 0; n < met; n++)
      x->s[cps_border_met(&o->at, k) * nx + cps_border_met(&o->at, n)] += left_of(o, k, n);
  return dense_factor(x->s, nx, nx, x->pivot, x->unit) > 0;
}

/* ------------------------------------------------------------------ works and energy */

void cps_put_drive(const sink *x, int row, int i, double t, double by) {
  const model *o = x->o;
  const drum *g = x->d == o->at.d0 ? &o->m.drum0[i] : &o->m.drum[i];
  int theta = o->at.drum_theta + i * TH_DRUM, set = o->at.drum_d + i * DY_DRUM + DY_SET;
  if (!g->of->drive->torque) return;
  drive_torque f = cps_drive_torque(g->of, cps_profile_eval(g->of->motion, t), g->angle, g->rate);
  cps_put_turn(x, row, i, by * f.by_angle, by * f.by_rate, 0);
  cps_put_number(x, row, theta + TH_KP, by * f.by_kp);
  cps_put_number(x, row, theta + TH_KD, by * f.by_kd);
  cps_put_given(x, row, set, by * f.by_set);
  cps_put_given(x, row, set + 1, by * f.by_set_t);
}

/* inertia ((q - q0)(a + a0)/2 - (v^2 - v0^2)/2) of a border unknown, by its states at both ends. */
static double work_of_inertia(model *o, int k, double inertia) {
  const dof *f = &o->m.free[k];
  int row = o->at.after + o->at.works + WK_SOLVER, nb = o->at.nb;
  double dq = *f->q - *f->q0, sum = (*f->a + *f->a0) / 2;
  for (int side = 0; side < 2; side++) {
    int at = (side ? o->at.after : o->at.before) + o->at.border + k;
    cps_entries_add(&o->work, row, at, (side ? 1 : -1) * inertia * sum);
    cps_entries_add(&o->work, row, at + nb, (side ? -1 : 1) * inertia * (side ? *f->v : *f->v0));
    cps_entries_add(&o->work, row, at + 2 * nb, inertia * dq / 2);
  }
  return dq * sum - (*f->v * *f->v - *f->v0 * *f->v0) / 2;
}

void cps_border_works(model *o, double t, double h) {
  int first = o->at.after + o->at.works;
  border_step x;
  cps_border_step_rows(o, &x);
  for (int i = 0; i < o->m.n_bodies; i++) {
    const machine_body *y = &o->m.body[i];
    for (int k = 0; k < y->n; k++) {
      double by = work_of_inertia(o, y->at + k, y->mass);
      x.sink[1].k.add(&x.sink[1].k, first + WK_SOLVER, BY_NUMBER,
                      x.at[1].at.mass + o->m.system->body_q[y->index] + k, by);
    }
  }
  for (int i = 0; i < o->m.n_drums; i++) {
    const drum *g = &o->m.drum[i], *g0 = &o->m.drum0[i];
    if (g->angle_at < 0) continue;
    double unused[2], moved = g->angle - g0->angle;
    double torque = (cps_drum_torque(g, t, &unused[0], &unused[1]) +
                     cps_drum_torque(g0, t - h, &unused[0], &unused[1])) /
                    2;
    for (int side = 0; side < 2; side++) {
      cps_put_turn(&x.sink[side], first + WK_MOTION, i, side ? torque : -torque, 0, 0);
      cps_put_drive(&x.sink[side], first + WK_MOTION, i, side ? t : t - h, moved / 2);
    }
    cps_put_number(&x.sink[1], first + WK_SOLVER, o->at.drum_theta + i * TH_DRUM + TH_INERTIA,
                   work_of_inertia(o, g->angle_at, g->of->inertia));
  }
  cps_tangent_works(&x.step, first + WK_DAMPING, first + WK_LOAD, first + WK_MOTION);
}

void cps_border_energy(model *o, entries *list, const int row[3]) {
  const machine *m = &o->m;
  const sink to = cps_sink_list(o, list, 0);
  cps_border_look(o, m->audited);
  const body_point at = cps_border_point(o);
  cps_tangent_energy(&at, &to.k, row);
  for (int i = 0; i < m->n_drums && row[0] >= 0; i++) {
    const drum *g = &m->drum[i];
    if (g->angle_at < 0) continue;
    cps_put_unknown(&to, row[0], g->angle_at, g->of->inertia, 0, g->rate, 0);
    cps_put_number(&to, row[0], o->at.drum_theta + i * TH_DRUM + TH_INERTIA, g->rate * g->rate / 2);
  }
}

void cps_border_pull(model *o, entries *list, int row, int i) {
  const cps_system *s = o->m.system;
  const sink to = cps_sink_list(o, list, 0);
  const body_point at = cps_border_point(o);
  for (int j = 0; j < s->n_line + s->n_plane; j++)
    if (cps_spring_index(s, j) == i) cps_tangent_tension(&at, &to.k, row, j, 1);
}
