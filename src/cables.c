/* cables.c - contact and friction of cables on drums, assembled with the cable's own forces.
 *
 * At a contact point r = sum s_i q_i: rho = r - center without its part along the axis, n = rho/|rho|
 * outwards, t = axis x n along the rim. Depth d = R - |rho|; the drum pushes with N(d, d_t) n and rubs with f
 * t. Sliding velocity v = t.(r_t) - R w, its acceleration r_s = t.r_tt - R w_t. With dr the variation of r,
 *   d(n) = (t.dr/|rho|) t,  d(t) = -(t.dr/|rho|) n,  d(depth) = -n.dr.
 *
 * Friction that knows the balance force solves f = F(v, e, N) with e = f - m r_s, consistent with the
 * contacts that slip. Any scale may stand for m in the argument that decides between stick and slip as long
 * as what sticks obeys the same r_s + k v = 0, k = (viscous slope)/m: for laws with a kink the scale is taken
 * from the iteration matrix, so that the decision is not lost in the linearisation error of mu N(depth);
 * smooth laws keep m.
 */
#include "cables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double *a, const double *b, int dim) {
  double s = 0;
  for (int d = 0; d < dim; d++) s += a[d] * b[d];
  return s;
}

int cps_cable_contact(cable *c, int gauss, const cps_normal *normal, const double *normal_p,
                      const cps_law *law, const double *law_p) {
  mesh *m = &c->m;
  c->normal = normal;
  c->law = law;
  memcpy(c->normal_p, normal_p, (size_t)normal->n_params * sizeof(double));
  memcpy(c->law_p, law_p, (size_t)law->n_params * sizeof(double));
  c->per_node = gauss > 0 ? gauss : 1;
  c->n_points = gauss > 0 ? gauss * m->n : m->n + 1;
  size_t nodes = (size_t)m->n + 1, size = (size_t)(m->b + c->per_node);
  c->points = calloc((size_t)c->n_points, sizeof *c->points);
  c->f = calloc(nodes * size, sizeof(double));
  c->x = calloc(nodes * size, sizeof(double));
  c->a = calloc(nodes * (size_t)m->b, sizeof(double));
  c->aux = calloc(nodes * (size_t)m->b, sizeof(double));
  if (!c->points || !c->f || !c->x || !c->a || !c->aux || !cps_blocks_make(&c->k, m->n + 1, (int)size))
    return 0;
  double material = 0;
  for (int i = 0; i <= m->n; i++) {
    const double *x, *w;
    double length = i < m->n ? m->length[i] : m->length[m->n - 1];
    if (gauss > 0) cps_gauss(gauss, &x, &w);
    for (int j = 0; j < c->per_node; j++) {
      if (gauss > 0 && i == m->n) continue;
      contact_point *p = &c->points[i * c->per_node + j];
      double n1[4], n2[4];
      p->node = i;
      p->drum = -1;
      p->mode = CPS_MODE_FREE;
      p->weight = 1;
      p->shape[0] = 1;
      p->material = material;
      /* what a node has to move: its share of the cable's mass */
      p->mass = m->section.rho * length + m->node_mass[i];
      if (gauss > 0) {
        cps_element_shape(length, x[j], p->shape, n1, n2);
        p->weight = w[j] * length;
        p->material += x[j] * length;
        p->mass = m->section.rho * p->weight;
      }
    }
    material += length;
  }
  return 1;
}

void cps_cable_free(cable *c) {
  cps_mesh_free(&c->m);
  cps_blocks_free(&c->k);
  free(c->points);
  free(c->f);
  free(c->x);
  free(c->a);
  free(c->aux);
  memset(c, 0, sizeof *c);
}

/* Where a contact point is, moves and accelerates, and the frame of the drum that it touches. */
typedef struct frame {
  double r[3], v[3], a[3], n[3], t[3], distance;
} frame;

static void blend(const mesh *m, const contact_point *p, const double *q, double *r) {
  const double *at = q + p->node * m->b;
  int dim = m->dim, both = p->shape[2] != 0 || p->shape[3] != 0 || p->shape[1] != 0;
  for (int d = 0; d < dim; d++) {
    r[d] = p->shape[0] * at[d];
    if (both)
      r[d] += p->shape[1] * at[dim + d] + p->shape[2] * at[2 * dim + d] + p->shape[3] * at[3 * dim + d];
  }
}

/* Frame on drum g; 0 if the point is outside. */
static int touch(const mesh *m, const contact_point *p, const drum *g, frame *s) {
  int dim = m->dim;
  double rho[3] = {0}, square = 0, along = 0;
  for (int d = 0; d < dim; d++) rho[d] = s->r[d] - g->center[d];
  if (dim == 3) {
    along = dot(rho, g->axis, 3);
    for (int d = 0; d < 3; d++) rho[d] -= along * g->axis[d];
  }
  (void)p;
  square = dot(rho, rho, dim);
  if (square >= g->radius * g->radius || square == 0) return 0;
  s->distance = sqrt(square);
  for (int d = 0; d < dim; d++) s->n[d] = rho[d] / s->distance;
  if (dim == 2) {
    s->t[0] = -s->n[1];
    s->t[1] = s->n[0];
  } else {
    for (int d = 0; d < 3; d++)
      s->t[d] = g->axis[(d + 1) % 3] * s->n[(d + 2) % 3] - g->axis[(d + 2) % 3] * s->n[(d + 1) % 3];
  }
  return 1;
}

/* The friction law at a point for given v, N, e: force and total derivatives, with the states eliminated by
 * an implicit Euler step. */
typedef struct rubbing {
  double f, f_v, f_n, f_e, limit;
} rubbing;

/* Solves z = z_old + h z_t(v, n, e, z) for the law's states by Newton, from the current z; dz/d(v, n, e) in
 * s[][3]. */
static void solve_states(const cable *c, contact_point *p, double h, cps_law_input *in,
                         double s[CPS_MAX_STATES][3]) {
  int n = c->law->n_states;
  cps_law_output out;
  cps_law_jacobian jac;
  double a[CPS_MAX_STATES][CPS_MAX_STATES + 4];
  for (int it = 0; it < 30; it++) {
    in->z = p->z;
    cps_law_eval(c->law, c->law_p, in, &out, &jac);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) a[i][j] = (i == j) - h * jac.z_t[i].z[j];
      a[i][n] = p->z_old[i] + h * out.z_t[i] - p->z[i];
      a[i][n + 1] = h * jac.z_t[i].v;
      a[i][n + 2] = h * jac.z_t[i].n;
      a[i][n + 3] = h * jac.z_t[i].f_eq;
    }
    for (int j = 0; j < n; j++) { /* Gauss-Jordan with pivoting */
      int best = j;
      for (int i = j + 1; i < n; i++)
        if (fabs(a[i][j]) > fabs(a[best][j])) best = i;
      for (int k = 0; k < n + 4; k++) {
        double t = a[j][k];
        a[j][k] = a[best][k];
        a[best][k] = t;
      }
      double inverse = 1 / a[j][j];
      for (int k = j; k < n + 4; k++) a[j][k] *= inverse;
      for (int i = 0; i < n; i++) {
        if (i == j) continue;
        double factor = a[i][j];
        for (int k = j; k < n + 4; k++) a[i][k] -= factor * a[j][k];
      }
    }
    double change = 0;
    for (int i = 0; i < n; i++) {
      p->z[i] += a[i][n];
      change = fmax(change, fabs(a[i][n]) / (fabs(p->z[i]) + 1e-12));
      for (int k = 0; k < 3; k++) s[i][k] = a[i][n + 1 + k];
    }
    if (change < 1e-12) break;
  }
}

static rubbing rub(const cable *c, contact_point *p, double v, double n, double e, double h) {
  cps_law_input in = {v, n, e, p->z, p->mode};
  cps_law_output out;
  cps_law_jacobian jac;
  double s[CPS_MAX_STATES][3];
  if (c->law->n_states) solve_states(c, p, h, &in, s);
  in.z = p->z;
  cps_law_eval(c->law, c->law_p, &in, &out, &jac);
  rubbing r = {out.f, jac.f.v, jac.f.n, jac.f.f_eq, 0};
  for (int i = 0; i < c->law->n_states; i++) {
    r.f_v += jac.f.z[i] * s[i][0];
    r.f_n += jac.f.z[i] * s[i][1];
    r.f_e += jac.f.z[i] * s[i][2];
  }
  cps_law_scale scale;
  cps_law_scales(c->law, c->law_p, n, &scale);
  r.limit = scale.f_stick;
  return r;
}

/* Adds value * (s_i u) for the two nodes of a point to a row that holds [node, next node] coordinates. */
static void spread(const mesh *m, const contact_point *p, const double *u, double value, double *here,
                   double *next) {
  int dim = m->dim;
  for (int i = 0; i < 4; i++) {
    if (p->shape[i] == 0) continue;
    double *to = i < 2 ? here + i * dim : next + (i - 2) * dim;
    for (int d = 0; d < dim; d++) to[d] += value * p->shape[i] * u[d];
  }
}

/* Adds the outer product (s u)(s w') * value to the blocks of the point's nodes. */
static void add_outer(cable *c, const contact_point *p, const double *u, const double *w, double value) {
  const mesh *m = &c->m;
  int dim = m->dim, b = c->k.b;
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < 4; i++) {
    if (p->shape[i] == 0) continue;
    for (int j = 0; j < 4; j++) {
      double s = value * p->shape[i] * p->shape[j];
      if (s == 0) continue;
      int row_node = p->node + i / 2, col_node = p->node + j / 2;
      double *block = (row_node == col_node  ? c->k.diagonal
                       : row_node < col_node ? c->k.up
                                             : c->k.down) +
                      (size_t)row_node * size;
      for (int d = 0; d < dim; d++)
        for (int e = 0; e < dim; e++) block[(i % 2 * dim + d) * b + j % 2 * dim + e] += s * u[d] * w[e];
    }
  }
}

/* Contact point k of a cable: normal force and friction into residual and matrix. Returns its friction
 * residual over what friction can give. */
static double assemble_point(cable *c, const cables *all, const implicit *how, int k) {
  contact_point *p = &c->points[k];
  mesh *m = &c->m;
  int dim = m->dim, b = c->k.b, slot = m->b + k % c->per_node;
  size_t size = (size_t)b * (size_t)b;
  double *f_row = c->k.diagonal + (size_t)p->node * size + (size_t)(slot * b);
  double *f_up = c->k.up + (size_t)p->node * size + (size_t)(slot * b);
  double *residual = c->f + (size_t)p->node * (size_t)b;
  frame s;
  blend(m, p, m->q, s.r);
  p->drum = -1;
  for (int g = 0; g < all->n_drums && p->drum < 0; g++)
    if (touch(m, p, &all->drum[g], &s)) p->drum = g;
  if (p->drum < 0) { /* free: no force */
    f_row[slot] = 1;
    residual[slot] = p->f;
    p->n = p->v = p->depth = 0;
    return 0;
  }
  const drum *g = &all->drum[p->drum];
  blend(m, p, m->v, s.v);
  blend(m, p, c->a, s.a);
  p->depth = g->radius - s.distance;
  p->depth_t = -dot(s.n, s.v, dim);
  p->v = dot(s.t, s.v, dim) - g->radius * g->rate;
  p->slip_a = dot(s.t, s.a, dim) - g->radius * g->acceleration;
  cps_normal_output no;
  cps_normal_eval(c->normal, c->normal_p, p->depth, p->depth_t, &no);
  double w = p->weight, v_q = how->v_a / how->q_a, a_q = 1 / how->q_a;
  p->n = w * no.n;
  /* normal force: -N n on the residual; d(N n) = N_d (-n.dr) n + N_t (-n.dr_t - (t.dr)(t.r_t)/rho) n + N
   * (t.dr/rho) t */
  double along = dot(s.t, s.v, dim), out = dot(s.n, s.v, dim), out_a = dot(s.n, s.a, dim), rho = s.distance;
  double next_row[2 * 3] = {0};
  double *next = p->node < m->n ? c->f + (size_t)(p->node + 1) * (size_t)b : next_row;
  double n_n = -w * (no.depth + no.rate * v_q); /* dN along n per dr.n, by position and velocity */
  double n_t = -w * no.rate * along / rho;      /* dN per dr.t */
  spread(m, p, s.n, -p->n, residual, next);
  add_outer(c, p, s.n, s.n, -n_n);
  add_outer(c, p, s.n, s.t, -n_t);
  add_outer(c, p, s.t, s.t, -p->n / rho);
  /* friction: -f t on the residual, its own equation below; d(f t) = df t - f (t.dr/rho) n */
  spread(m, p, s.t, -p->f, residual, next);
  add_outer(c, p, s.n, s.t, p->f / rho);
  for (int i = 0; i < 4; i++) {
    if (p->shape[i] == 0) continue;
    int row_node = p->node + i / 2;
    double *block = (i < 2 ? c->k.diagonal : c->k.down) + (size_t)row_node * size;
    for (int d = 0; d < dim; d++) block[(i % 2 * dim + d) * b + slot] -= p->shape[i] * s.t[d];
  }
  if (how->bristle > 0) { /* f = clamp(-k creep) */
    cps_law_scale held;
    cps_law_scales(c->law, c->law_p, p->n, &held);
    double creep = 0;
    for (int d = 0; d < dim; d++) creep += s.t[d] * (s.r[d] - p->start[d]);
    double pull = -how->bristle * creep, side = pull > held.f_stick ? 1 : pull < -held.f_stick ? -1 : 0;
    double per_n = p->n > 0 ? held.f_stick / p->n : 0, inwards = 0;
    /* creep also changes as t turns: -(t.dr/rho) n.(r - start) */
    for (int d = 0; d < dim; d++) inwards += s.n[d] * (s.r[d] - p->start[d]);
    f_row[slot] = 1;
    spread(m, p, s.t, side == 0 ? how->bristle * (1 - inwards / rho) : -side * per_n * n_t, f_row, f_up);
    if (side != 0) spread(m, p, s.n, -side * per_n * n_n, f_row, f_up);
    residual[slot] = p->f - (side == 0 ? pull : side * held.f_stick);
    p->stuck = side == 0;
    return fabs(residual[slot]) / (held.f_stick + 1e-9);
  }
  /* f - F(v, e, N) = 0 */
  double mass = p->mass, scale = mass, viscous = 0;
  int balances = (c->law->traits & CPS_NEEDS_FEQ) != 0;
  if (balances) {
    rubbing rest = rub(c, p, 0, p->n, 0, how->h);
    viscous = -rest.f_v;
    if (!(c->law->traits & CPS_SMOOTH)) {
      double stiff = 0; /* t' D t of the node's own block: before friction rows were added */
      const double *diagonal = c->k.diagonal + (size_t)p->node * size;
      for (int d = 0; d < dim; d++)
        for (int e = 0; e < dim; e++) stiff += s.t[d] * diagonal[d * b + e] * s.t[e];
      double rate = mass > 0 ? viscous / mass : 0;
      scale = fmax(mass, 0.01 * stiff * how->q_a / (1 + rate * how->v_a));
    }
  }
  double rate = viscous / mass, e = balances ? p->f - scale * (p->slip_a + rate * p->v) + viscous * p->v : 0;
  rubbing r = rub(c, p, p->v, p->n, e, how->h);
  p->f_eq = e;
  p->stuck = fabs(p->f) < r.limit * (1 - 1e-9);
  /* variations: v and slip acceleration through dr, dr_t, dr_tt; N as above */
  double v_t = v_q, v_tt = -out / rho; /* dv = v_t t.dr - (out/rho) t.dr */
  double a_t = a_q, a_tt = -out_a / rho;
  double e_f = balances ? 1 : 0, e_v = balances ? -scale * rate + viscous : 0, e_a = balances ? -scale : 0;
  double by_v = r.f_v + r.f_e * e_v, by_a = r.f_e * e_a;
  double row_t = by_v * (v_t + v_tt) + by_a * (a_t + a_tt) + r.f_n * n_t, row_n = r.f_n * n_n;
  f_row[slot] = 1 - r.f_e * e_f;
  spread(m, p, s.t, -row_t, f_row, f_up);
  spread(m, p, s.n, -row_n, f_row, f_up);
  residual[slot] = p->f - r.f;
  return fabs(p->f - r.f) / (r.limit + 1e-9);
}

double cps_cable_assemble(cable *c, const cables *all, const implicit *how, double *friction,
                          double *force_scale) {
  mesh *m = &c->m;
  int nodes = m->n + 1, b = c->k.b, mb = m->b;
  size_t size = (size_t)b * (size_t)b;
  cps_blocks_zero(&c->k);
  memset(c->f, 0, (size_t)nodes * (size_t)b * sizeof(double));
  *force_scale = 0;
  for (int i = 0; i < m->n; i++) {
    double k[12 * 12] = {0}, f[12] = {0};
    int n = 2 * mb;
    cps_element_force(m->dim, &m->section, m->length[i], m->q + i * mb, m->v + i * mb, f, 1,
                      how->v_a / how->q_a, k, NULL);
    for (int r = 0; r < n; r++) *force_scale = fmax(*force_scale, fabs(f[r]));
    double l = m->length[i], g[4] = {l / 2, l * l / 12, l / 2, -l * l / 12}, mass[4][4];
    for (int r = 0; r < 4; r++)
      for (int d = 0; d < m->dim; d++) f[r * m->dim + d] -= m->section.rho * g[r] * m->gravity[d];
    cps_element_mass(&m->section, l, mass);
    const double *a = c->a + i * mb;
    for (int r = 0; r < 4; r++) {
      for (int j = 0; j < 4; j++) {
        for (int d = 0; d < m->dim; d++) {
          f[r * m->dim + d] += mass[r][j] * a[j * m->dim + d];
          k[(r * m->dim + d) * n + j * m->dim + d] += mass[r][j] / how->q_a;
        }
      }
    }
    for (int r = 0; r < mb; r++) {
      c->f[i * b + r] += f[r];
      c->f[(i + 1) * b + r] += f[mb + r];
      for (int j = 0; j < mb; j++) {
        c->k.diagonal[(size_t)i * size + (size_t)(r * b + j)] += k[r * n + j];
        c->k.up[(size_t)i * size + (size_t)(r * b + j)] += k[r * n + mb + j];
        c->k.down[(size_t)(i + 1) * size + (size_t)(r * b + j)] += k[(mb + r) * n + j];
        c->k.diagonal[(size_t)(i + 1) * size + (size_t)(r * b + j)] += k[(mb + r) * n + mb + j];
      }
    }
  }
  for (int i = 0; i < nodes; i++) {
    for (int d = 0; d < m->dim; d++) {
      double inertia = m->node_mass[i];
      c->f[i * b + d] += inertia * c->a[i * mb + d] - m->node_mass[i] * m->gravity[d] - m->load[i * mb + d];
      c->k.diagonal[(size_t)i * size + (size_t)(d * b + d)] += inertia / how->q_a;
    }
    for (int r = mb; r < b; r++)
      c->k.diagonal[(size_t)i * size + (size_t)(r * b + r)] = 1; /* slots without a point */
  }
  *friction = 0;
  for (int k = 0; k < c->n_points; k++) {
    int slot = mb + k % c->per_node;
    c->k.diagonal[(size_t)c->points[k].node * size + (size_t)(slot * b + slot)] = 0;
    *friction = fmax(*friction, assemble_point(c, all, how, k));
  }
  double worst = 0;
  for (int i = 0; i < nodes; i++) {
    for (int r = 0; r < mb; r++) {
      if (m->fixed[i * mb + r]) {
        c->f[i * b + r] = 0;
        for (int j = 0; j < b; j++) {
          c->k.diagonal[(size_t)i * size + (size_t)(r * b + j)] = r == j;
          c->k.up[(size_t)i * size + (size_t)(r * b + j)] = 0;
          c->k.down[(size_t)i * size + (size_t)(r * b + j)] = 0;
        }
      }
      worst = fmax(worst, fabs(c->f[i * b + r]));
    }
  }
  return worst;
}

double cps_cable_update(cable *c, const implicit *how, double most) {
  mesh *m = &c->m;
  int nodes = m->n + 1, b = c->k.b, mb = m->b;
  for (int i = 0; i < nodes * b; i++) c->x[i] = -c->f[i];
  if (cps_blocks_factor(&c->k) >= 0) return -1;
  cps_blocks_solve(&c->k, c->x);
  double moved = 0;
  for (int i = 0; i < nodes; i++)
    for (int d = 0; d < m->dim; d++) moved = fmax(moved, fabs(c->x[i * b + d]));
  if (!isfinite(moved)) return -1;
  double scale = moved > most ? most / moved : 1;
  for (int i = 0; i < nodes; i++) {
    for (int r = 0; r < mb; r++) {
      double dq = scale * c->x[i * b + r];
      m->q[i * mb + r] += dq;
      m->v[i * mb + r] += dq * how->v_a / how->q_a;
      c->a[i * mb + r] += dq / how->q_a;
    }
  }
  for (int k = 0; k < c->n_points; k++)
    c->points[k].f += scale * c->x[c->points[k].node * b + mb + k % c->per_node];
  return moved;
}
