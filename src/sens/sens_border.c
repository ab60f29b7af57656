/* sens_border.c - the border of a machine, linearised: drums that the cable turns, bodies, springs, and the seams of belts.
 *
 * With the cables' equations A x + B y = r and the border's C x + S y = r', A is block-tridiagonal and y has few unknowns:
 *
 *   Z = A^-1 B,  (S - C Z) y = r' - C A^-1 r,  x = A^-1 r - Z y
 *
 * What several nodes share is as in cable_pass.h and body_equations.c; ends that follow the border keep rows of their own, that say
 * so, and give their equations to the border.
 */
#include "aligned.h"
#include "dense.h"
#include "sens_chain.h"

#include <stdlib.h>

static size_t rows_of(const model *o, int i) { return (size_t)(o->matrix[i].nodes * o->matrix[i].b); }

int cps_border_make(model *o) {
  border_matrix *x = &o->border;
  size_t n = (size_t)o->m.n_cables, nb = (size_t)o->at.nx, most = 1;
  size_t springs = (size_t)o->m.of->n_springs + 1;
  o->slope = calloc(springs, sizeof *o->slope);
  o->slope0 = calloc(springs, sizeof *o->slope0);
  if (!o->slope || !o->slope0) return 0;
  if (nb == 0) return 1;
  x->b = calloc(n, sizeof *x->b);
  x->c = calloc(n, sizeof *x->c);
  x->z = calloc(n, sizeof *x->z);
  x->s = calloc(nb * nb, sizeof *x->s);
  x->pivot = calloc(nb, sizeof *x->pivot);
  x->unit = calloc(nb, sizeof *x->unit);
  x->braked = calloc(nb, 1);
  x->force = calloc(nb, 1);
  x->bond = calloc(2 * n, sizeof *x->bond);
  if (!x->b || !x->c || !x->z || !x->s || !x->pivot || !x->unit || !x->braked || !x->force || !x->bond)
    return 0;
  for (int i = 0; i < o->m.n_cables; i++) {
    size_t rows = rows_of(o, i);
    x->b[i] = calloc(rows * nb, sizeof(double));
    x->c[i] = calloc(rows * nb, sizeof(double));
    x->z[i] = calloc(rows * nb, sizeof(double));
    if (!x->b[i] || !x->c[i] || !x->z[i]) return 0;
    if (rows > most) most = rows;
  }
  for (int k = 0; k < o->m.nb; k++) x->force[k] = o->m.free[k].kind != DOF_PLACE;
  x->room = cps_lines_new(most, sizeof(lanes));
  return x->room != NULL;
}

void cps_border_free(model *o) {
  border_matrix *x = &o->border;
  for (int i = 0; i < o->m.n_cables; i++) {
    if (x->b) free(x->b[i]);
    if (x->c) free(x->c[i]);
    if (x->z) free(x->z[i]);
  }
  free(x->b);
  free(x->c);
  free(x->z);
  free(x->s);
  free(x->pivot);
  free(x->unit);
  free(x->braked);
  free(x->force);
  free(x->bond);
  cps_lines_free(x->room);
  free(o->slope);
  free(o->slope0);
  memset(x, 0, sizeof *x);
}

/* ------------------------------------------------------------------ who depends on the border */

void cps_by_center(const model *o, entries *list, int row, int drum_of, int axis, int rate, int state, int d,
                   double by) {
  const drum *g = &o->m.drum[drum_of];
  int column = o->at.drum_d + drum_of * DY_DRUM + DY_CENTER + 3 * rate + axis;
  if (g->carrier < 0) {
    if (o->d_varies[column]) cps_entries_add(list, row, d + column, by);
    return;
  }
  const machine_body *y = &o->m.body[g->carrier];
  for (int k = 0; k < y->n; k++)
    cps_entries_add(list, row, state + o->at.border + rate * o->at.nb + y->at + k, by * y->along[k][axis]);
  int offset = o->at.drum_theta + drum_of * TH_DRUM + TH_OFFSET + axis;
  if (rate == 0 && o->theta_varies[offset]) cps_entries_add(list, row, o->at.theta + offset, by);
}

void cps_by_turn(const model *o, entries *list, int row, int drum_of, int rate, int state, int d, double by) {
  const drum *g = &o->m.drum[drum_of];
  int column = o->at.drum_d + drum_of * DY_DRUM + DY_ANGLE + rate;
  if (g->angle_at >= 0)
    cps_entries_add(list, row, state + o->at.border + rate * o->at.nb + g->angle_at, by);
  else if (o->d_varies[column])
    cps_entries_add(list, row, d + column, by);
}

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
  if (c->end[e].kind == END_RIM) return cps_rim_bond(o, cable_of, e, out);
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
  const machine *m = &o->m;
  const cps_system *s = m->system;
  const double *q = m->y, *v = q + s->nx;
  cps_bodies_look(m, t);
  cps_spring_slopes(s, q, v, o->slope);
  cps_body_matrix_look(&m->entries, q, v);
}

/* The first number in d of the surface that is a coordinate; -1: it is none. */
static int surface_of(const model *o, int coordinate) {
  const cps_system *s = o->m.system;
  for (int i = 0; i < s->scenario->n_bodies && coordinate >= s->nd; i++)
    if (s->body_q[i] == coordinate) return o->at.surface_d + 3 * i;
  return -1;
}

void cps_by_coordinate(const model *o, entries *list, int row, int coordinate, int rate, int after,
                       double by) {
  int k = o->m.unknown[coordinate], d = surface_of(o, coordinate);
  if (k >= 0)
    cps_entries_add(list, row, (after ? o->at.after : o->at.before) + o->at.border + rate * o->at.nb + k, by);
  else if (d >= 0 && o->d_varies[d + rate])
    cps_entries_add(list, row, (after ? o->at.d : o->at.d0) + d + rate, by);
}

void cps_border_by_coordinate(model *o, int row, int coordinate, double q, double v,
                              const step_coeffs *coeffs, int balance) {
  int k = o->m.unknown[coordinate], d = surface_of(o, coordinate);
  if (k >= 0) {
    cps_border_by_unknown(o, row, k, q, v, 0, coeffs, balance);
  } else if (d >= 0) {
    cps_border_by_d(o, row, d, -q);
    cps_border_by_d(o, row, d + 1, -v);
  }
}

void cps_border_clear(model *o, const step_coeffs *coeffs) {
  border_matrix *x = &o->border;
  size_t nb = (size_t)o->at.nx;
  for (int i = 0; i < o->m.n_cables; i++) {
    size_t bytes = rows_of(o, i) * nb * sizeof(double);
    memset(x->b[i], 0, bytes);
    memset(x->c[i], 0, bytes);
  }
  memset(x->s, 0, nb * nb * sizeof(double));
  memset(x->braked, 0, nb);
  for (int i = 0; i < o->m.n_drums; i++) {
    const drum *g = &o->m.drum[i];
    if (g->angle_at >= 0 && coeffs->bristle > 0 && g->of->drive != DRUM_FREE) x->braked[g->angle_at] = 1;
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

static void add(model *o, int row, int column, double by) {
  cps_entries_add(&o->now, o->at.right + o->at.border_rhs + row, column, by);
}

void cps_border_by_theta(model *o, int row, int theta, double by) {
  if (o->theta_varies[theta]) add(o, row, o->at.theta + theta, by);
}

void cps_border_by_d(model *o, int row, int d, double by) {
  if (o->d_varies[d]) add(o, row, o->at.d + d, by);
}

/* An equation of the border by one of its unknowns. */
void cps_border_by_unknown(model *o, int row, int k, double q, double v, double a, const step_coeffs *coeffs,
                           int balance) {
  o->border.s[row * o->at.nx + k] += q + v * coeffs->v_a / coeffs->q_a + a / coeffs->q_a;
  add(o, row, o->at.w1 + o->at.border_w + k, v);
  add(o, row, o->at.w2 + o->at.border_w + k, a);
  if (balance) add(o, row, o->at.before + o->at.border + k, -q);
}

static void add_body(model *o, int i, const step_coeffs *coeffs, int balance) {
  const machine_body *y = &o->m.body[i];
  for (int k = 0; k < y->n; k++) {
    double left = 0;
    cps_border_by_unknown(o, y->at + k, y->at + k, 0, 0, y->mass, coeffs, balance);
    for (int d = 0; d < o->m.dim; d++) {
      left += (y->a[d] - o->m.gravity[d]) * y->along[k][d];
      cps_border_by_theta(o, y->at + k, o->at.gravity + d, y->mass * y->along[k][d]);
      cps_border_by_d(o, y->at + k, o->at.body_d + 3 * i + d, y->along[k][d]);
    }
    cps_border_by_theta(o, y->at + k, o->at.body_theta + i, -left);
  }
  if (y->press_at >= 0) cps_border_by_unknown(o, y->press_at, y->press_at, 1, 0, 0, coeffs, balance);
}

/* The force f along the extension of a spring is in the equation of each of its coordinates, f e_q, by its numbers. */
static void add_numbers(model *o, int i) {
  const spring_slope *g = &o->slope[i];
  int theta = o->at.spring_theta + 3 * i;
  for (int j = 0; j < g->n && g->pulls; j++) {
    int row = o->m.unknown[g->c[j]];
    if (row < 0) continue;
    cps_border_by_theta(o, row, theta, -g->e_q[j] * g->e);
    cps_border_by_theta(o, row, theta + 1, -g->e_q[j] * g->e_t);
    cps_border_by_theta(o, row, theta + 2, g->e_q[j] * g->k);
  }
}

static void add_springs(model *o, const step_coeffs *coeffs, int balance) {
  const machine *m = &o->m;
  const cps_system *s = m->system;
  for (int i = 0; i < m->of->n_springs; i++) add_numbers(o, i);
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    const int c[2] = {g->a, g->b};
    const double e_q[2] = {-g->sa, g->sb};
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2 && m->unknown[c[j]] >= 0; k++)
        cps_border_by_coordinate(o, m->unknown[c[j]], c[k], e_q[j] * e_q[k] * m->entries.line_k[i],
                                 e_q[j] * e_q[k] * m->entries.line_d[i], coeffs, balance);
  }
  for (int i = 0; i < s->n_plane; i++) {
    int c[6], n = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n && m->unknown[c[j]] >= 0; k++)
        cps_border_by_coordinate(o, m->unknown[c[j]], c[k], m->entries.plane[i].q[j][k],
                                 m->entries.plane[i].v[j][k], coeffs, balance);
  }
}

static void add_drum(model *o, int i, const step_coeffs *coeffs, int balance) {
  const drum *g = &o->m.drum[i];
  double by_angle, by_rate;
  int at = g->angle_at, theta = o->at.drum_theta + i * TH_DRUM, d0 = o->at.drum_d + i * DY_DRUM;
  cps_drum_torque(g, coeffs->t, &by_angle, &by_rate);
  cps_border_by_unknown(o, at, at, -by_angle, -by_rate, g->of->inertia, coeffs, balance);
  cps_border_by_theta(o, at, theta + TH_INERTIA, -g->acceleration);
  if (g->of->drive == DRUM_PD) {
    profile_value s = cps_profile_eval(g->of->motion, coeffs->t);
    cps_border_by_theta(o, at, theta + TH_KP, s.y - g->angle);
    cps_border_by_theta(o, at, theta + TH_KD, s.y_t - g->rate);
    cps_border_by_d(o, at, d0 + DY_SET, g->of->kp);
    cps_border_by_d(o, at, d0 + DY_SET_T, g->of->kd);
  } else if (g->of->drive == DRUM_TORQUE) {
    cps_border_by_d(o, at, d0 + DY_SET, 1);
  }
}

void cps_border_own(model *o, const step_coeffs *coeffs, int balance) {
  cps_border_look(o, coeffs->t);
  for (int i = 0; i < o->m.n_bodies; i++) add_body(o, i, coeffs, balance);
  add_springs(o, coeffs, balance);
  for (int i = 0; i < o->m.n_drums; i++)
    if (o->m.drum[i].angle_at >= 0) add_drum(o, i, coeffs, balance);
  cps_slides_own(o, coeffs, balance);
  for (int i = 0; i < o->border.bonds; i++)
    if (o->border.bond[i].rim) cps_rim_own(o, &o->border.bond[i], coeffs, balance);
  for (int k = 0; k < o->at.nb; k++) {
    if (!o->border.braked[k]) continue;
    for (int n = 0; n < o->at.nx; n++) o->border.s[k * o->at.nx + n] = n == k;
    for (int i = 0; i < o->m.n_cables; i++)
      memset(o->border.c[i] + (size_t)k * rows_of(o, i), 0, rows_of(o, i) * sizeof(double));
  }
}

/* ------------------------------------------------------------------ ends */

/* Friction that sticks at such a node has no equation left in the node's block that says what it is, though the whole has: a
 * unit is added there and, so that nothing changes, taken off again by an unknown of the border that is the same. */
static void lend(model *o, const chain_bond *x, int first) {
  chain_matrix *a = &o->matrix[x->cable];
  const cable *c = &o->m.cable[x->cable];
  int wide = a->b, nx = o->at.nx, rows = a->nodes * wide;
  for (int k = 0; k < c->slots; k++) {
    int row = x->node * wide + c->b + k, u = first + k;
    a->d[row * wide + c->b + k] += 1;
    o->border.b[x->cable][row * nx + u] = -1;
    o->border.c[x->cable][u * rows + row] = -1;
  }
}

/* Equations of coordinates that follow the border go there; their rows say that they follow. */
void cps_border_bind(model *o, int cable_of) {
  chain_matrix *a = &o->matrix[cable_of];
  double *b = o->border.b[cable_of], *c = o->border.c[cable_of], *s = o->border.s;
  int wide = a->b, nx = o->at.nx, rows = a->nodes * wide, lent = o->at.nb;
  for (int i = 0; i < cable_of; i++) lent += 2 * o->m.cable[i].slots;
  for (int k = 0; k < 2 * o->m.cable[cable_of].slots; k++) s[(lent + k) * nx + lent + k] = 1;
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
      for (int n = 0; n < nx; n++) {
        for (int k = 0; k < x->rows; k++) s[x->at[k] * nx + n] += x->by[j][k] * b[row * nx + n];
        b[row * nx + n] = 0;
      }
      for (int k = 0; k < x->unknowns; k++) b[row * nx + x->at[k]] = -x->by[j][k];
    }
    lend(o, x, lent);
    lent += o->m.cable[cable_of].slots;
  }
}

/* ------------------------------------------------------------------ factors */

int cps_border_factor(model *o) {
  border_matrix *x = &o->border;
  int nb = o->at.nx;
  double *s = x->s;
  for (int i = 0; i < o->m.n_cables; i++) {
    int rows = (int)rows_of(o, i);
    for (int first = 0; first < nb; first += LANES) {
      for (int r = 0; r < rows; r++)
        for (int k = 0; k < LANES; k++) x->room[r][k] = first + k < nb ? x->b[i][r * nb + first + k] : 0;
      cps_chain_solve(&o->matrix[i], x->room);
      for (int k = 0; k < LANES && first + k < nb; k++)
        for (int r = 0; r < rows; r++) x->z[i][(first + k) * rows + r] = x->room[r][k];
    }
    for (int k = 0; k < nb; k++)
      for (int n = 0; n < nb; n++) {
        double sum = 0;
        for (int r = 0; r < rows; r++) sum += x->c[i][k * rows + r] * x->z[i][n * rows + r];
        s[k * nb + n] -= sum;
      }
  }
  return dense_factor(s, nb, nb, x->pivot, x->unit) > 0;
}

/* ------------------------------------------------------------------ works and energy */

/* Torque of a drive at one end of a step, times `by`. */
static void add_torque(model *o, entries *list, int i, int row, int after, double t, double by) {
  const drum *g = after ? &o->m.drum[i] : &o->m.drum0[i];
  int state = after ? o->at.after : o->at.before,
      d = (after ? o->at.d : o->at.d0) + o->at.drum_d + i * DY_DRUM;
  int theta = o->at.drum_theta + i * TH_DRUM, set = o->at.drum_d + i * DY_DRUM + DY_SET;
  if (g->of->drive == DRUM_PD) {
    profile_value s = cps_profile_eval(g->of->motion, t);
    cps_by_turn(o, list, row, i, 0, state, 0, -by * g->of->kp);
    cps_by_turn(o, list, row, i, 1, state, 0, -by * g->of->kd);
    if (o->theta_varies[theta + TH_KP])
      cps_entries_add(list, row, o->at.theta + theta + TH_KP, by * (s.y - g->angle));
    if (o->theta_varies[theta + TH_KD])
      cps_entries_add(list, row, o->at.theta + theta + TH_KD, by * (s.y_t - g->rate));
    if (o->d_varies[set]) {
      cps_entries_add(list, row, d + DY_SET, by * g->of->kp);
      cps_entries_add(list, row, d + DY_SET_T, by * g->of->kd);
    }
  } else if (g->of->drive == DRUM_TORQUE && o->d_varies[set]) {
    cps_entries_add(list, row, d + DY_SET, by);
  }
}

/* inertia ((q - q0)(a + a0)/2 - (v^2 - v0^2)/2) of a border unknown, by its states at both ends. */
static double work_of_inertia(model *o, int k, double inertia) {
  const dof *f = &o->m.free[k];
  int row = o->at.after + o->at.works + WK_SOLVER, nb = o->at.nb;
  double dq = f->q - f->q0, sum = (f->a + f->a0) / 2;
  for (int side = 0; side < 2; side++) {
    int at = (side ? o->at.after : o->at.before) + o->at.border + k;
    cps_entries_add(&o->work, row, at, (side ? 1 : -1) * inertia * sum);
    cps_entries_add(&o->work, row, at + nb, (side ? -1 : 1) * inertia * (side ? f->v : f->v0));
    cps_entries_add(&o->work, row, at + 2 * nb, inertia * dq / 2);
  }
  return dq * sum - (f->v * f->v - f->v0 * f->v0) / 2;
}

/* Extension of a spring and its rate at one end of the step, times by_e and by_rate. */
static void by_extension(const model *o, entries *list, int row, int i, const spring_slope *g, int after,
                         double by_e, double by_rate) {
  for (int j = 0; j < g->n; j++) {
    cps_by_coordinate(o, list, row, g->c[j], 0, after, by_e * g->e_q[j] + by_rate * g->et_q[j]);
    cps_by_coordinate(o, list, row, g->c[j], 1, after, by_rate * g->e_q[j]);
  }
  int theta = o->at.spring_theta + 3 * i + 2;
  if (o->theta_varies[theta]) cps_entries_add(list, row, o->at.theta + theta, -by_e);
}

/* Its tension, times `by`. */
static void by_tension(const model *o, entries *list, int row, int i, const spring_slope *g, int after,
                       double by) {
  int theta = o->at.spring_theta + 3 * i;
  if (!g->pulls) return;
  by_extension(o, list, row, i, g, after, by * g->k, by * g->d);
  if (o->theta_varies[theta]) cps_entries_add(list, row, o->at.theta + theta, by * g->e);
  if (o->theta_varies[theta + 1]) cps_entries_add(list, row, o->at.theta + theta + 1, by * g->e_t);
}

/* The elastic part of it. */
static void by_elastic(const model *o, entries *list, int row, int i, const spring_slope *g, int after,
                       double by) {
  int theta = o->at.spring_theta + 3 * i;
  if (!g->stretched) return;
  by_extension(o, list, row, i, g, after, by * g->k, 0);
  if (o->theta_varies[theta]) cps_entries_add(list, row, o->at.theta + theta, by * g->e);
}

/* Work of a damper. */
static void work_of_damper(model *o, int i) {
  const spring_slope *g[2] = {&o->slope0[i], &o->slope[i]};
  int row = o->at.after + o->at.works + WK_DAMPING;
  double grown = g[1]->e - g[0]->e, lost = 0;
  for (int after = 0; after < 2; after++) lost += 0.5 * (g[after]->tension - g[after]->elastic);
  for (int after = 0; after < 2; after++) {
    by_tension(o, &o->work, row, i, g[after], after, 0.5 * grown);
    by_elastic(o, &o->work, row, i, g[after], after, -0.5 * grown);
    by_extension(o, &o->work, row, i, g[after], after, after ? lost : -lost, 0);
  }
}

static int is_surface(const cps_system *s, int c) { return c >= s->nd && c < s->nx - 1; }

/* The motion of surfaces works against springs that pull there, with tension e_q: by the force at the end of the step that was
 * looked at last. */
static void work_on_springs(model *o, int after) {
  const machine *m = &o->m;
  const cps_system *s = m->system;
  int row = o->at.after + o->at.works + WK_MOTION;
  for (int i = 0; i < s->n_line + s->n_plane && s->ns > 0; i++) {
    int plane = i - s->n_line, index = plane < 0 ? s->line[i].index : s->plane[plane].index;
    const spring_slope *g = &o->slope[index];
    for (int j = 0; j < g->n; j++) {
      if (!is_surface(s, g->c[j])) continue;
      double by = 0.5 * (after ? 1 : -1) * (m->y[g->c[j]] - m->q0[g->c[j]]);
      int theta = o->at.spring_theta + 3 * index;
      const double numbers[3] = {g->e, g->e_t, -g->k};
      for (int k = 0; k < g->n; k++) {
        double q = plane < 0 ? g->e_q[j] * g->e_q[k] * m->entries.line_k[i] : m->entries.plane[plane].q[j][k];
        double v = plane < 0 ? g->e_q[j] * g->e_q[k] * m->entries.line_d[i] : m->entries.plane[plane].v[j][k];
        cps_by_coordinate(o, &o->work, row, g->c[k], 0, after, by * q);
        cps_by_coordinate(o, &o->work, row, g->c[k], 1, after, by * v);
      }
      for (int k = 0; k < 3 && g->pulls; k++)
        if (o->theta_varies[theta + k])
          cps_entries_add(&o->work, row, o->at.theta + theta + k, by * g->e_q[j] * numbers[k]);
    }
  }
}

/* And by how far they move, with the mean of both forces. */
static void work_of_surfaces(model *o) {
  const cps_system *s = o->m.system;
  int row = o->at.after + o->at.works + WK_MOTION;
  for (int i = 0; i < o->m.of->n_springs; i++) {
    const spring_slope *g0 = &o->slope0[i], *g = &o->slope[i];
    for (int j = 0; j < g->n; j++) {
      double pull = 0.5 * (g0->tension * g0->e_q[j] + g->tension * g->e_q[j]);
      if (!is_surface(s, g->c[j])) continue;
      cps_by_coordinate(o, &o->work, row, g->c[j], 0, 1, pull);
      cps_by_coordinate(o, &o->work, row, g->c[j], 0, 0, -pull);
    }
  }
}

static void exchange_bodies(model *o) { /* the state before, and back */
  machine *m = &o->m;
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    double q = f->q, v = f->v;
    f->q = f->q0;
    f->v = f->v0;
    f->q0 = q;
    f->v0 = v;
  }
  for (int i = m->system->nd; i < m->system->nx; i++) {
    double q = m->y[i];
    m->y[i] = m->q0[i];
    m->q0[i] = q;
  }
}

void cps_border_works(model *o, double t, double h) {
  int first = o->at.after + o->at.works;
  for (int i = 0; i < o->m.n_bodies; i++) {
    const machine_body *y = &o->m.body[i];
    for (int k = 0; k < y->n; k++) {
      double by = work_of_inertia(o, y->at + k, y->mass);
      if (o->theta_varies[o->at.body_theta + i])
        cps_entries_add(&o->work, first + WK_SOLVER, o->at.theta + o->at.body_theta + i, by);
    }
  }
  for (int i = 0; i < o->m.n_drums; i++) {
    const drum *g = &o->m.drum[i], *g0 = &o->m.drum0[i];
    if (g->angle_at < 0) continue;
    double unused[2], moved = g->angle - g0->angle;
    double torque = (cps_drum_torque(g, t, &unused[0], &unused[1]) +
                     cps_drum_torque(g0, t - h, &unused[0], &unused[1])) /
                    2;
    cps_by_turn(o, &o->work, first + WK_MOTION, i, 0, o->at.after, 0, torque);
    cps_by_turn(o, &o->work, first + WK_MOTION, i, 0, o->at.before, 0, -torque);
    add_torque(o, &o->work, i, first + WK_MOTION, 1, t, moved / 2);
    add_torque(o, &o->work, i, first + WK_MOTION, 0, t - h, moved / 2);
    double by = work_of_inertia(o, g->angle_at, g->of->inertia);
    int theta = o->at.drum_theta + i * TH_DRUM + TH_INERTIA;
    if (o->theta_varies[theta]) cps_entries_add(&o->work, first + WK_SOLVER, o->at.theta + theta, by);
  }
  for (int i = 0; i < o->m.of->n_loads; i++) {
    const scenario_load *l = &o->m.of->loads[i];
    int body = o->m.body_border[l->body];
    if (body < 0) continue;
    const machine_body *y = &o->m.body[body];
    double f = (cps_profile_eval(l->force, t).y + cps_profile_eval(l->force, t - h).y) / 2;
    for (int k = 0; k < y->n; k++)
      for (int d = 0; d < o->m.dim; d++) {
        const dof *at = &o->m.free[y->at + k];
        double along = l->direction[d] * y->along[k][d];
        cps_entries_add(&o->work, first + WK_LOAD, o->at.after + o->at.border + y->at + k, f * along);
        cps_entries_add(&o->work, first + WK_LOAD, o->at.before + o->at.border + y->at + k, -f * along);
        int column = o->at.body_d + 3 * body + d; /* all loads on the body together: once */
        int last = 1;
        for (int n = i + 1; n < o->m.of->n_loads; n++) last &= o->m.of->loads[n].body != l->body;
        if (!last || !o->d_varies[column]) continue;
        cps_entries_add(&o->work, first + WK_LOAD, o->at.d + column, (at->q - at->q0) * y->along[k][d] / 2);
        cps_entries_add(&o->work, first + WK_LOAD, o->at.d0 + column, (at->q - at->q0) * y->along[k][d] / 2);
      }
  }
  exchange_bodies(o);
  cps_border_look(o, t - h);
  memcpy(o->slope0, o->slope, (size_t)o->m.of->n_springs * sizeof *o->slope);
  work_on_springs(o, 0);
  exchange_bodies(o);
  cps_border_look(o, t);
  work_on_springs(o, 1);
  work_of_surfaces(o);
  for (int i = 0; i < o->m.of->n_springs; i++) work_of_damper(o, i);
}

void cps_border_energy(model *o, entries *list, const int row[3]) {
  const machine *m = &o->m;
  int q = o->at.after + o->at.border, v = q + o->at.nb;
  for (int i = 0; i < m->n_bodies; i++) {
    const machine_body *y = &m->body[i];
    int theta = o->at.body_theta + i;
    double fast = 0, high = 0;
    for (int d = 0; d < m->dim; d++) {
      fast += y->v[d] * y->v[d] / 2;
      high -= m->gravity[d] * y->r[d];
      for (int k = 0; k < y->n; k++) {
        if (row[0] >= 0) cps_entries_add(list, row[0], v + y->at + k, y->mass * y->v[d] * y->along[k][d]);
        if (row[2] >= 0)
          cps_entries_add(list, row[2], q + y->at + k, -y->mass * m->gravity[d] * y->along[k][d]);
      }
      if (row[2] >= 0 && o->theta_varies[o->at.gravity + d])
        cps_entries_add(list, row[2], o->at.theta + o->at.gravity + d, -y->mass * y->r[d]);
    }
    if (row[0] >= 0 && o->theta_varies[theta]) cps_entries_add(list, row[0], o->at.theta + theta, fast);
    if (row[2] >= 0 && o->theta_varies[theta]) cps_entries_add(list, row[2], o->at.theta + theta, high);
  }
  for (int i = 0; i < m->n_drums && row[0] >= 0; i++) {
    const drum *g = &m->drum[i];
    int theta = o->at.drum_theta + i * TH_DRUM + TH_INERTIA;
    if (g->angle_at < 0) continue;
    cps_entries_add(list, row[0], v + g->angle_at, g->of->inertia * g->rate);
    if (o->theta_varies[theta]) cps_entries_add(list, row[0], o->at.theta + theta, g->rate * g->rate / 2);
  }
  if (m->of->n_springs > 0 && row[1] >= 0) cps_border_look(o, m->audited);
  for (int i = 0; i < m->of->n_springs && row[1] >= 0; i++) { /* e times the elastic part, half of it */
    const spring_slope *g = &o->slope[i];
    by_elastic(o, list, row[1], i, g, 1, 0.5 * g->e);
    by_extension(o, list, row[1], i, g, 1, 0.5 * g->elastic, 0);
  }
}

void cps_border_drive(model *o, entries *list, int row, int drum_of, double t) {
  add_torque(o, list, drum_of, row, 1, t, 1);
}

void cps_border_pull(model *o, entries *list, int row, int i) {
  cps_border_look(o, o->m.audited);
  by_tension(o, list, row, i, &o->slope[i], 1, 1);
}
