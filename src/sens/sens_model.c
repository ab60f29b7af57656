/* sens_model.c - the equations of a machine at a converged state, linearised: matrices and lists of sens_chain.h. */
#include "sens_chain.h"

#include <stdlib.h>

int cps_model_row(const model *o, int cable_of, int node, int j) {
  const cable_at *at = &o->at.cable[cable_of];
  return o->at.right + at->rhs + node * at->width + j;
}

int cps_model_friction_row(const model *o, int cable_of, int point, int axis) {
  const cable *c = &o->m.cable[cable_of];
  return cps_model_row(o, cable_of, c->point[point].node, c->b + point % c->per_node * (c->dim - 1) + axis);
}

/* ------------------------------------------------------------------ making */

cps_status cps_model_make(model *o, const cps_scenario *s, cps_error *err) {
  memset(o, 0, sizeof *o);
  cps_status status = cps_machine_make(&o->m, s, err);
  if (status != CPS_OK) return status;
  status = cps_layout_make(&o->at, &o->m, err);
  if (status != CPS_OK) return status;
  size_t n = (size_t)o->m.n_cables;
  int most = 1, ws = o->at.ws, good = 1;
  o->matrix = calloc(n, sizeof *o->matrix);
  o->contact = calloc(n, sizeof *o->contact);
  o->contact0 = calloc(n, sizeof *o->contact0);
  for (size_t i = 0; i < n && o->matrix && o->contact && o->contact0; i++) {
    const cable *c = &o->m.cable[i];
    good = cps_chain_matrix_make(&o->matrix[i], c->n + 1, o->at.cable[i].width,
                                 c->dim == 3 && c->per_node > 1) &&
           good;
    o->contact[i] = calloc((size_t)c->n_points + 1, sizeof(contact_tangent));
    o->contact0[i] = calloc((size_t)c->n_points + 1, sizeof(contact_tangent));
    good = good && o->contact[i] && o->contact0[i];
    if (c->n > most) most = c->n;
  }
  o->force = calloc((size_t)most * 12 * 7, sizeof(double));
  o->raw = calloc(n, sizeof *o->raw);
  o->released = calloc((size_t)s->n_bodies + 1, 1);
  double *dense = calloc((size_t)ws * 6, sizeof(double));
  o->dense = (chain_work){dense, dense + ws, dense + 2 * ws, dense + 3 * ws, dense + 4 * ws, dense + 5 * ws};
  good = good && dense;
  for (int k = 0; k < 4; k++) good = (o->room[k] = calloc((size_t)ws, sizeof(double))) != NULL && good;
  good = cps_border_make(o) && good;
  if (good && o->matrix && o->contact && o->contact0 && o->force && o->raw && o->released) return CPS_OK;
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
}

void cps_model_free(model *o) {
  cps_border_free(o);
  for (int i = 0; i < o->m.n_cables; i++) {
    if (o->matrix) cps_chain_matrix_free(&o->matrix[i]);
    if (o->contact) free(o->contact[i]);
    if (o->contact0) free(o->contact0[i]);
  }
  free(o->matrix);
  free(o->contact);
  free(o->contact0);
  free(o->force);
  free(o->raw);
  free(o->released);
  for (int k = 0; k < 4; k++) free(o->room[k]);
  free(o->inertia);
  free(o->dense.solver_q);
  cps_entries_free(&o->now);
  cps_entries_free(&o->work);
  cps_entries_free(&o->recall);
  cps_entries_free(&o->list);
  cps_entries_free(&o->tied);
  cps_entries_free(&o->reacts);
  cps_layout_free(&o->at);
  cps_machine_free(&o->m);
  memset(o, 0, sizeof *o);
}

int cps_model_lost(const model *o) {
  return o->now.lost || o->border.own.lost || o->work.lost || o->recall.lost || o->list.lost ||
         o->tied.lost || o->reacts.lost;
}

/* A matrix as entries: rows of the right-hand side by columns from `first` on, times `by`. */
static void add_matrix(model *o, entries *list, int cable_of, int first, double by) {
  const cable *c = &o->m.cable[cable_of];
  const chain_matrix *a = &o->matrix[cable_of];
  int b = a->b, size = b * b;
  for (int i = 0; i <= c->n; i++)
    for (int r = 0; r < c->b; r++)
      for (int near = -1; near <= 1; near++) {
        if (i + near < 0 || i + near > c->n) continue;
        const double *block = (near < 0 ? a->l : near > 0 ? a->u : a->d) + i * size;
        for (int s = 0; s < c->b; s++)
          cps_entries_add(list, cps_model_row(o, cable_of, i, r), first + (i + near) * c->b + s,
                          by * block[r * b + s]);
      }
}

/* M, or with `damping` C, of a cable, from its matrix: entries that are there, from *n on. */
static int add_products(model *o, int cable_of, int damping, int n) {
  const cable *c = &o->m.cable[cable_of];
  const chain_matrix *a = &o->matrix[cable_of];
  int b = a->b, w = o->at.cable[cable_of].w;
  for (int i = 0; i <= c->n; i++)
    for (int r = 0; r < c->b; r++)
      for (int near = i > 0 ? -1 : 0; near <= (i < c->n ? 1 : 0); near++)
        for (int s = 0; s < c->b; s++) {
          if (r % c->dim != s % c->dim)
            continue; /* both are the same in every direction, and do not mix them */
          double by = ((near < 0 ? a->l : near > 0 ? a->u : a->d) + i * b * b)[r * b + s];
          chain_product *x = &o->inertia[n++];
          *x = (chain_product){cps_model_row(o, cable_of, i, r), w + i * c->b + r, w + (i + near) * c->b + s,
                               damping ? x->mass : by, damping ? by : 0};
        }
  return n;
}

int cps_model_prepare(model *o) {
  const step_coeffs any = {.q_a = 1, .v_a = 1};
  if (o->at.nb > 0) cps_border_clear(o, &any);
  size_t most = 0;
  for (int i = 0; i < o->m.n_cables; i++) most += (size_t)(o->at.cable[i].e * 6);
  free(o->inertia);
  o->inertia = calloc(most + 1, sizeof *o->inertia);
  if (!o->inertia) return 0;
  o->n_inertia = 0;
  for (int i = 0; i < o->m.n_cables; i++) {
    cable part = o->m.cable[i];
    part.section.ea = part.section.ei = part.section.rayleigh = 0;
    part.has_extra = 0;
    cps_chain_assemble(&o->matrix[i], &part, 0, 1);
    add_products(o, i, 0, o->n_inertia);
    part.section.rho = 0;
    part.section.rayleigh = o->m.cable[i].section.rayleigh;
    cps_chain_assemble(&o->matrix[i], &part, 1, 0);
    o->n_inertia = add_products(o, i, 1, o->n_inertia);
  }
  return 1;
}

/* ------------------------------------------------------------------ elements */

/* Minus the forces of elements, [n][4 dim], as entries by theta. */
static void add_forces(model *o, int cable_of, int theta, int per_element, const double *f) {
  const cable *c = &o->m.cable[cable_of];
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < 2 * c->b; k++)
      cps_by_theta(o, &o->now, cps_model_row(o, cable_of, i + k / c->b, k % c->b),
                   theta + (per_element ? i : 0), -f[i * 2 * c->b + k]);
}

/* Forces of the part of the section that is left to cable.c. */
static void extra_forces(const cable *c, const cable_section *s, const double *length, double *f, int add) {
  if (!add) memset(f, 0, (size_t)c->n * (size_t)(2 * c->b) * sizeof(double));
  for (int i = 0; i < c->n; i++)
    cps_element_force(c->dim, s, (length ? length : c->length)[i], c->q + i * c->b, c->v + i * c->b,
                      f + i * 2 * c->b, 1, 0, NULL, NULL);
}

/* By the lengths of the elements: their forces are smooth in them, and differenced with order six. */
static void add_lengths(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  const double part = 2e-3; /* of the length: error and round-off are alike */
  int any = 0, entries_of = c->n * 2 * c->b;
  for (int i = 0; i < c->n; i++) any |= o->theta_varies[o->at.cable[cable_of].length + i];
  if (!any) return;
  double *sum = o->force, *one = sum + entries_of, *length = one + entries_of;
  memset(sum, 0, (size_t)entries_of * sizeof(double));
  for (int j = 0; j < SENS_SHADOWS; j++) {
    for (int i = 0; i < c->n; i++) length[i] = c->length[i] * (1 + part * cps_sens_place[j]);
    cps_chain_forces(c, CHAIN_ALL, length, one);
    if (c->has_extra) extra_forces(c, &c->extra, length, one, 1);
    for (int k = 0; k < entries_of; k++)
      sum[k] += cps_sens_share[j] * one[k] / (part * c->length[k / (2 * c->b)]);
  }
  add_forces(o, cable_of, o->at.cable[cable_of].length, 1, sum);
}

static void add_section(model *o, int cable_of, int damped) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  cable_section none = c->section, s;
  none.ea = none.ei = none.rayleigh = none.axial_damping = none.bending_damping = 0;
  none.by_numbers = c->section.slack > 0;
  int approximate = c->section.curvature == CURVATURE_APPROXIMATE;
  const int theta[] = {TH_EA, TH_EI, TH_RHO, TH_RAYLEIGH};
  for (int k = CHAIN_EA; k <= CHAIN_RAYLEIGH; k++) {
    if (!o->theta_varies[at->theta + theta[k]] || (k == CHAIN_EI && !approximate) ||
        (k == CHAIN_RAYLEIGH && !damped))
      continue;
    if (k == CHAIN_EA && c->section.slack > 0) { /* damping depends on it, too */
      s = none;
      s.ea = 1;
      extra_forces(c, &s, NULL, o->force, 0);
    } else {
      cps_chain_forces(c, (chain_part)k, NULL, o->force);
    }
    add_forces(o, cable_of, at->theta + theta[k], 0, o->force);
  }
  if (o->theta_varies[at->theta + TH_EI] && !approximate) {
    s = none;
    s.ei = 1;
    extra_forces(c, &s, NULL, o->force, 0);
    add_forces(o, cable_of, at->theta + TH_EI, 0, o->force);
  }
  if (o->theta_varies[at->theta + TH_AXIAL] && damped) {
    s = none;
    s.axial_damping = 1;
    extra_forces(c, &s, NULL, o->force, 0);
    add_forces(o, cable_of, at->theta + TH_AXIAL, 0, o->force);
  }
  if (o->theta_varies[at->theta + TH_BENDING] && damped) {
    s = none;
    s.bending_damping = 1;
    extra_forces(c, &s, NULL, o->force, 0);
    add_forces(o, cable_of, at->theta + TH_BENDING, 0, o->force);
  }
  add_lengths(o, cable_of);
}

/* Objective damping: its matrix by velocities changes with the state. */
static void add_objective(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  if (!(c->extra.axial_damping > 0 || c->extra.bending_damping > 0)) return;
  int h = c->b, w = o->at.w1 + o->at.cable[cable_of].w;
  for (int i = 0; i < c->n; i++) {
    double k[12 * 12] = {0}, f[12] = {0};
    cps_element_force(c->dim, &c->extra, c->length[i], c->q + i * h, c->v + i * h, f, 0, 1, k, NULL);
    for (int r = 0; r < 2 * h; r++)
      for (int s = 0; s < 2 * h; s++)
        cps_entries_add(&o->now, cps_model_row(o, cable_of, i + r / h, r % h), w + i * h + s,
                        k[r * 2 * h + s]);
  }
}

/* Weights, point masses and loads. */
static void add_loads(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  for (int d = 0; d < c->dim; d++) {
    for (int i = 0; i < c->n && o->theta_varies[o->at.gravity + d]; i++) {
      double l = c->length[i], w[4] = {l / 2, l * l / 12, l / 2, -l * l / 12};
      for (int k = 0; k < 4; k++)
        cps_by_theta(o, &o->now, cps_model_row(o, cable_of, i + k / 2, k % 2 * c->dim + d), o->at.gravity + d,
                     c->section.rho * w[k]);
    }
    for (int i = 0; i <= c->n; i++) {
      cps_by_theta(o, &o->now, cps_model_row(o, cable_of, i, d), at->mass + i,
                   c->gravity[d] - c->a[i * c->b + d]);
      cps_by_theta(o, &o->now, cps_model_row(o, cable_of, i, d), o->at.gravity + d, c->mass[i]);
    }
    for (int e = 0; e < 2; e++)
      cps_by_d(o, &o->now, cps_model_row(o, cable_of, e ? c->n : 0, d), at->end + e * DY_END + DY_LOAD + d,
               1);
  }
}

/* ------------------------------------------------------------------ contact */

double *cps_matrix_at(model *o, const into *to, int node, int column) {
  chain_matrix *a = &o->matrix[to->cable];
  int b = a->b, near = node - to->node;
  if (to->node < 0) return &o->border.c[to->cable][(to->j * a->nodes + node) * b + column];
  return (near < 0 ? a->l : near > 0 ? a->u : a->d) + (to->node * b + to->j) * b + column;
}

/* The row by a border unknown: place, velocity and acceleration of it. */
static void by_border(model *o, const into *to, int row, int k, const double by[3], const step_coeffs *coeffs,
                      int balance) {
  double sum = to->by * (by[0] + by[1] * coeffs->v_a / coeffs->q_a + by[2] / coeffs->q_a);
  if (to->node < 0)
    cps_border_add(o, to->j, k, sum);
  else
    o->border.b[to->cable][(to->node * o->matrix[to->cable].b + to->j) * o->at.met + k] += sum;
  cps_entries_add(&o->now, row, o->at.w1 + o->at.border_w + k, to->by * by[1]);
  cps_entries_add(&o->now, row, o->at.w2 + o->at.border_w + k, to->by * by[2]);
  if (balance) cps_entries_add(&o->now, row, o->at.before + o->at.border + k, -to->by * by[0]);
}

/* The row by the motion of the drum. */
static void by_drum(model *o, const into *to, int row, int drum_of, const tangent_row *x,
                    const step_coeffs *coeffs, int balance) {
  const drum *g = &o->m.drum[drum_of];
  int d0 = o->at.drum_d + drum_of * DY_DRUM, start = o->at.before + o->at.drum_start + 4 * drum_of,
      dim = o->m.dim;
  if (g->angle_at >= 0) {
    const double by[3] = {x->angle, x->rate, x->acceleration};
    by_border(o, to, row, g->angle_at, by, coeffs, balance);
    cps_entries_add(&o->now, row, start, to->by * x->angle);
  } else {
    cps_by_d(o, &o->now, row, d0 + DY_RATE, -to->by * x->rate);
    cps_by_d(o, &o->now, row, d0 + DY_ACCELERATION, -to->by * x->acceleration);
  }
  if (g->carrier >= 0) {
    const machine_body *y = &o->m.body[g->carrier];
    for (int k = 0; k < y->n; k++) {
      double by[3] = {0};
      for (int d = 0; d < dim; d++) {
        by[0] -= x->r[d] * y->along[k][d];
        by[1] -= x->v[d] * y->along[k][d];
        by[2] -= x->a[d] * y->along[k][d];
      }
      by_border(o, to, row, y->at + k, by, coeffs, balance);
    }
    for (int d = 0; d < dim; d++) {
      cps_by_theta(o, &o->now, row, o->at.drum_theta + drum_of * TH_DRUM + TH_OFFSET + d, to->by * x->r[d]);
      if (coeffs->bristle > 0) cps_entries_add(&o->now, row, start + 1 + d, to->by * x->start[d]);
    }
    return;
  }
  for (int d = 0; d < dim; d++) {
    cps_by_d(o, &o->now, row, d0 + DY_CENTER + d,
             to->by * (x->r[d] + (coeffs->bristle > 0 ? x->start[d] : 0)));
    cps_by_d(o, &o->now, row, d0 + DY_CENTER_V + d, to->by * x->v[d]);
    cps_by_d(o, &o->now, row, d0 + DY_CENTER_A + d, to->by * x->a[d]);
  }
}

void cps_tangent_row_add(model *o, const contact_point *p, const contact_tangent *s, const tangent_row *x,
                         const into *to, const step_coeffs *coeffs, int balance) {
  const cable *c = &o->m.cable[to->cable];
  const cable_at *at = &o->at.cable[to->cable];
  int dim = c->dim, point = (int)(p - c->point);
  int row = to->node < 0 ? o->at.right + o->at.border_rhs + to->j
                         : cps_model_row(o, to->cable, to->node, to->j);
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  for (int k = 0; k < 4; k++) {
    if (p->shape[k] == 0) continue;
    int node = p->node + k / 2;
    double *block = cps_matrix_at(o, to, node, 0);
    for (int d = 0; d < dim; d++) {
      int j = k % 2 * dim + d, w = at->w + node * c->b + j;
      double by = to->by * p->shape[k];
      block[j] += by * (x->r[d] + v_q * x->v[d] + a_q * x->a[d]);
      cps_entries_add(&o->now, row, o->at.w1 + w, by * x->v[d]);
      cps_entries_add(&o->now, row, o->at.w2 + w, by * x->a[d]);
      if (balance) cps_entries_add(&o->now, row, o->at.before + at->q + node * c->b + j, -by * x->r[d]);
    }
  }
  double *block = cps_matrix_at(o, to, p->node, c->b + point % c->per_node * (dim - 1));
  for (int k = 0; k < dim - 1; k++) block[k] += to->by * x->f[k];
  by_drum(o, to, row, s->drum, x, coeffs, balance);
  for (int d = 0; d < dim && coeffs->bristle > 0; d++) /* springs hold the point where it was */
    cps_entries_add(&o->now, row, o->at.before + at->start + point * dim + d, -to->by * x->start[d]);
  /* numbers */
  cps_by_theta(o, &o->now, row, o->at.drum_theta + s->drum * TH_DRUM + TH_RADIUS, -to->by * x->radius);
  cps_by_theta(o, &o->now, row, at->p_mass + point, -to->by * x->mass);
  cps_by_theta(o, &o->now, row, at->p_weight + point, -to->by * x->weight);
  cps_by_theta(o, &o->now, row, at->theta + TH_VISCOUS, -to->by * x->viscous);
  cps_by_theta(o, &o->now, row, at->theta + TH_HOLD, -to->by * x->hold);
  for (int k = 0; k < c->contact.normal->n_params; k++)
    cps_by_theta(o, &o->now, row, at->theta + TH_NORMAL + k, -to->by * x->normal[k]);
  for (int k = 0; k < c->contact.law->n_params; k++)
    cps_by_theta(o, &o->now, row, at->theta + TH_LAW + k, -to->by * x->law[k]);
  if (coeffs->bristle > 0 && coeffs->bristle == o->m.grip)
    cps_by_theta(o, &o->now, row, o->at.grip, -to->by * x->grip);
  for (int k = 0; k < 4 && p->shape[0] != 1;
       k++) { /* points between nodes lie elsewhere in longer elements */
    const double *q = c->q + p->node * c->b + k * dim, *v = c->v + p->node * c->b + k * dim,
                 *acc = c->a + p->node * c->b + k * dim;
    double sum = 0;
    for (int d = 0; d < dim; d++) sum += x->r[d] * q[d] + x->v[d] * v[d] + x->a[d] * acc[d];
    cps_by_theta(o, &o->now, row, at->p_shape + 4 * point + k, -to->by * sum);
  }
}

/* What a point does to the border: it turns the drum, or pushes the body that carries it. */
static void add_to_border(model *o, int cable_of, const contact_point *p, const contact_tangent *s,
                          const step_coeffs *coeffs, int balance) {
  const drum *g = &o->m.drum[s->drum];
  if (g->angle_at >= 0) {
    tangent_row turns = {.f = {g->radius, 0}, .radius = s->f[0]};
    into to = {cable_of, -1, g->angle_at, 1};
    cps_tangent_row_add(o, p, s, &turns, &to, coeffs, balance);
  }
  if (g->carrier < 0) return;
  const machine_body *y = &o->m.body[g->carrier];
  for (int k = 0; k < y->rows; k++)
    for (int d = 0; d < o->m.dim; d++) {
      into to = {cable_of, -1, y->row[k], -y->along[k][d]};
      if (to.by != 0) cps_tangent_row_add(o, p, s, &s->force[d], &to, coeffs, balance);
    }
}

void cps_border_by_push(model *o, int row, int drum_of, const double *by, const step_coeffs *coeffs,
                        int balance) {
  for (int i = 0; i < o->m.n_cables; i++)
    for (int k = 0; k < o->m.cable[i].n_points; k++) {
      const contact_tangent *s = &o->contact[i][k];
      for (int d = 0; d < o->m.dim && s->drum == drum_of; d++) {
        into to = {i, -1, row, by[d]};
        cps_tangent_row_add(o, &o->m.cable[i].point[k], s, &s->force[d], &to, coeffs, balance);
      }
    }
  const double minus[3] = {-by[0], -by[1], -by[2]};
  for (int i = 0; i < o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      if (o->m.cable[i].end[e].drum == drum_of) cps_reaction_press(o, row, i, e, minus, coeffs, balance);
}

static void add_point(model *o, int cable_of, int point, const step_coeffs *coeffs, int balance) {
  const cable *c = &o->m.cable[cable_of];
  const contact_point *p = &c->point[point];
  chain_matrix *a = &o->matrix[cable_of];
  contact_tangent *s = &o->contact[cable_of][point];
  int dim = c->dim, b = a->b, slot = c->b + point % c->per_node * (dim - 1);
  cps_contact_tangent_eval(&o->m, c, p, coeffs, s);
  for (int i = 0; i < dim - 1 && (s->drum < 0 || s->open); i++)
    a->d[(p->node * b + slot + i) * b + slot + i] = 1;
  if (s->drum < 0) return;
  add_to_border(o, cable_of, p, s, coeffs, balance);
  for (int i = 0; i < dim - 1 && !s->open; i++) {
    into to = {cable_of, p->node, slot + i, 1};
    cps_tangent_row_add(o, p, s, &s->rest[i], &to, coeffs, balance);
  }
  if (c->memory) cps_memory_rows(o, cable_of, point, coeffs);
  for (int k = 0; k < 4; k++) {
    for (int d = 0; d < dim; d++) {
      into to = {cable_of, p->node + k / 2, k % 2 * dim + d, p->shape[k]};
      double pushed = s->load * s->n[d] + s->f[0] * s->t[d] +
                      (dim == 3 ? s->f[1] * o->m.drum[s->drum].axis[d] : 0);
      if (p->shape[k] != 0) cps_tangent_row_add(o, p, s, &s->force[d], &to, coeffs, balance);
      if (p->shape[0] != 1 && p->node + k / 2 <= c->n)
        cps_by_theta(o, &o->now, cps_model_row(o, cable_of, to.node, to.j),
                     o->at.cable[cable_of].p_shape + 4 * point + k, pushed);
    }
  }
}

/* Coordinates that do not follow the equations: their rows say what they are. */
static void fix(model *o, int cable_of) {
  const cable *c = &o->m.cable[cable_of];
  chain_matrix *a = &o->matrix[cable_of];
  int b = a->b;
  for (int e = 0; e < 2; e++) {
    int node = e ? c->n : 0;
    for (int j = 0; j < c->b; j++) {
      if (!(c->fixed[node] >> j & 1)) continue;
      size_t at = (size_t)((node * b + j) * b), bytes = (size_t)b * sizeof(double);
      if (j < c->dim) {
        memcpy(o->raw[cable_of][e][j], a->d + at, bytes);
        memcpy(o->raw[cable_of][e][j] + b, (e ? a->l : a->u) + at, bytes);
      }
      memset(a->l + at, 0, bytes);
      memset(a->d + at, 0, bytes);
      memset(a->u + at, 0, bytes);
      a->d[at + (size_t)j] = 1;
      if (o->at.nb > 0)
        memset(o->border.b[cable_of] + (size_t)((node * b + j) * o->at.met), 0,
               (size_t)o->at.met * sizeof(double));
      if (!c->all_stick) continue;
      int twin = c->b + c->slots + j; /* nor would it accelerate otherwise if all contacts stuck */
      at = (size_t)((node * b + twin) * b);
      memset(a->l + at, 0, bytes);
      memset(a->d + at, 0, bytes);
      memset(a->u + at, 0, bytes);
      a->d[at + (size_t)twin] = 1;
    }
  }
}

/* Reactions of ends that follow the border, whose work counts: by the state after the solve. */
static void add_reactions(model *o) {
  o->reacts.n = 0;
  for (int i = 0; i < o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < o->m.dim && cps_reaction_prescribed(&o->m, &o->m.cable[i], e); d++) {
        const double by[3] = {d == 0, d == 1, d == 2};
        cps_column_reaction(o, &o->reacts, o->at.after + o->at.cable[i].reaction + e * o->m.dim + d, i, e,
                            by);
      }
}

int cps_model_linearise(model *o, const step_coeffs *coeffs, int balance) {
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  int damped = !(coeffs->bristle > 0), good = 1;
  o->now.n = 0;
  if (o->at.nb > 0) cps_border_clear(o, coeffs);
  for (int i = 0; i < o->m.n_cables; i++) {
    cable *c = &o->m.cable[i];
    chain_matrix *a = &o->matrix[i];
    if (balance) {
      cps_chain_assemble(a, c, 0, 0);
      add_matrix(o, &o->now, i, o->at.before + o->at.cable[i].q, -1);
    }
    cps_chain_assemble(a, c, v_q, a_q);
    if (damped) add_objective(o, i);
    add_section(o, i, damped);
    add_loads(o, i);
    int b = a->b;
    for (int node = 0; node <= c->n;
         node++) /* the last node has no points of its own, or there are none at all */
      for (int k = 0; k < c->per_node; k++)
        for (int d = 0; d < c->dim - 1 && node * c->per_node + k >= c->n_points; d++) {
          int at = node * b + c->b + k * (c->dim - 1) + d;
          a->d[at * b + c->b + k * (c->dim - 1) + d] = 1;
        }
    for (int k = 0; k < c->n_points; k++) add_point(o, i, k, coeffs, balance);
    if (c->all_stick) cps_stick_add(o, i, coeffs, balance);
    if (o->at.nb > 0) cps_border_bind(o, i);
    fix(o, i);
    if (a->extra) cps_chain_prefer(a, c->b);
    good = cps_chain_factor(a) && good;
  }
  cps_memory_states(o, coeffs, balance);
  add_reactions(o);
  if (o->at.nb == 0 || !good) return good;
  cps_border_own(o, coeffs, balance);
  return cps_border_factor(o);
}
