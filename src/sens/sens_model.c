/* sens_model.c - the equations of a machine at a converged state, linearised: matrices and lists of sens_chain.h. */
#include "sens_chain.h"

int cps_model_row(const model *o, int cable_of, int node, int j) {
  const cable_at *at = &o->at.cable[cable_of];
  return o->at.right + at->rhs + node * at->width + j;
}

int cps_model_friction_row(const model *o, int cable_of, int point, int axis) {
  const cable *c = &o->m.cable[cable_of];
  return cps_model_row(o, cable_of, c->point[point].node, c->b + point % c->per_node * (c->dim - 1) + axis);
}

/* ------------------------------------------------------------------ making */

/* What is known of the states of laws with memory, in their order. */
static void find_states(model *o) {
  int k = 0;
  for (int i = 0; i < o->m.n_cables; i++) {
    const cable *c = &o->m.cable[i];
    int each = c->memory ? (c->dim - 1) * c->contact.law->n_states : 0;
    for (int n = 0; n < c->n_points * each; n++, k++) {
      o->walks[k] = c->contact.walks != 0;
      o->touch[k] = &o->contact[i][n / each];
    }
  }
  for (int i = 0; i < o->m.n_slides; i++)
    for (int n = 0; n < o->m.slide[i].law.law->n_states; n++) o->walks[k++] = o->m.slide[i].law.walks != 0;
}

static int make_arrays(model *o) {
  pool *p = &o->pool;
  int n = o->m.n_cables, most = 1, products = 0;
  double **const dense[] = {&o->dense.solver_q,  &o->dense.solver_v,  &o->dense.solver_a, &o->dense.solver_u,
                            &o->dense.damping_q, &o->dense.damping_u, &o->room[0],        &o->room[1],
                            &o->room[2],         &o->room[3]};
  if (!cps_layout_make(&o->at, &o->m, p)) return 0;
  POOL_ARRAY(p, o->matrix, n);
  POOL_ARRAY(p, o->contact, n);
  POOL_ARRAY(p, o->contact0, n);
  for (int i = 0; i < n && !p->lost; i++) {
    const cable *c = &o->m.cable[i];
    int steady = c->dim == 3 && c->per_node > 1;
    cps_chain_matrix_make(&o->matrix[i], p, c->n + 1, o->at.cable[i].width, steady);
    POOL_ARRAY(p, o->contact[i], c->n_points);
    POOL_ARRAY(p, o->contact0[i], c->n_points);
    if (c->n > most) most = c->n;
    products += o->at.cable[i].e * 6;
  }
  POOL_ARRAY(p, o->walks, o->at.zs);
  POOL_ARRAY(p, o->touch, o->at.zs);
  POOL_ARRAY(p, o->force, most * 12 * 7);
  POOL_ARRAY(p, o->raw, n);
  POOL_ARRAY(p, o->released, o->m.of->n_bodies);
  POOL_ARRAY(p, o->rates, 2 * (o->at.states + o->at.ds + o->at.n_works));
  POOL_ARRAY(p, o->fired, o->m.n_slides);
  POOL_ARRAY(p, o->next_mode, o->m.n_slides);
  POOL_ARRAY(p, o->inertia, products);
  for (size_t i = 0; i < sizeof dense / sizeof dense[0]; i++) POOL_ARRAY(p, *dense[i], o->at.ws);
  if (p->lost) return 0;
  find_states(o);
  return cps_border_make(o);
}

cps_status cps_model_make(model *o, const cps_scenario *s, cps_error *err) {
  memset(o, 0, sizeof *o);
  cps_status status = cps_machine_make(&o->m, s, err);
  if (status != CPS_OK) return status;
  if (make_arrays(o)) return CPS_OK;
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
}

void cps_model_free(model *o) {
  cps_border_free(o);
  cps_entries_free(&o->now);
  cps_entries_free(&o->work);
  cps_entries_free(&o->recall);
  cps_entries_free(&o->list);
  cps_entries_free(&o->tied);
  cps_entries_free(&o->reacts);
  cps_pool_free(&o->pool);
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

void cps_model_prepare(model *o) {
  const step_coeffs any = {.q_a = 1, .v_a = 1};
  if (o->at.nb > 0) cps_border_clear(o, &any);
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
  int approximate = c->section.curvature == CURVATURE_APPROXIMATE;
  for (int k = TH_EA; k <= TH_BENDING; k++) {
    if (!o->theta_varies[at->theta + k] || (k >= TH_RAYLEIGH && !damped)) continue;
    int in_lanes = k == TH_EA   ? !(c->section.slack > 0) /* damping depends on it, too */
                   : k == TH_EI ? approximate
                                : k <= TH_RAYLEIGH;
    const cable_section one = cps_section_by(c, k);
    if (in_lanes)
      cps_chain_forces(c, (chain_part)k, NULL, o->force);
    else
      extra_forces(c, &one, NULL, o->force, 0);
    add_forces(o, cable_of, at->theta + k, 0, o->force);
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

/* A row of a point, `by` times, into the equation of coordinate j of a node, or with node -1 into row j of the border. */
static void add_row(model *o, int cable_of, int point, int node, int j, const tangent_row *y, double by,
                    const step_coeffs *coeffs, int balance) {
  const point_row at = {cps_sink_node(o, coeffs, balance, cable_of, node, j), cable_of, point,
                        &o->contact[cable_of][point]};
  if (by != 0) cps_put_point(&at, j, y, by);
}

/* What a point does to the border: it turns the drum, or pushes the body that carries it. */
static void add_to_border(model *o, int cable_of, int point, const step_coeffs *coeffs, int balance) {
  const contact_tangent *s = &o->contact[cable_of][point];
  const drum *g = &o->m.drum[s->drum];
  const tangent_row turns = {.f = {g->radius, 0}, .radius = s->f[0]};
  if (g->angle_at >= 0) add_row(o, cable_of, point, -1, g->angle_at, &turns, 1, coeffs, balance);
  if (g->carrier < 0) return;
  const machine_body *y = &o->m.body[g->carrier];
  for (int k = 0; k < y->rows; k++)
    for (int d = 0; d < o->m.dim; d++)
      add_row(o, cable_of, point, -1, y->row[k], &s->force[d], -y->along[k][d], coeffs, balance);
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
  add_to_border(o, cable_of, point, coeffs, balance);
  for (int i = 0; i < dim - 1 && !s->open; i++)
    add_row(o, cable_of, point, p->node, slot + i, &s->rest[i], 1, coeffs, balance);
  if (c->memory) cps_memory_rows(o, cable_of, point, coeffs);
  for (int k = 0; k < 4; k++) {
    for (int d = 0; d < dim; d++) {
      int node = p->node + k / 2, j = k % 2 * dim + d;
      double pushed = s->load * s->n[d] + s->f[0] * s->t[d] +
                      (dim == 3 ? s->f[1] * o->m.drum[s->drum].axis[d] : 0);
      add_row(o, cable_of, point, node, j, &s->force[d], p->shape[k], coeffs, balance);
      if (p->shape[0] != 1 && node <= c->n)
        cps_by_theta(o, &o->now, cps_model_row(o, cable_of, node, j),
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
  const sink to = cps_sink_list(o, &o->reacts, 0);
  o->reacts.n = 0;
  for (int i = 0; i < o->m.n_cables; i++)
    for (int e = 0; e < 2; e++)
      for (int d = 0; d < o->m.dim && cps_reaction_prescribed(&o->m, &o->m.cable[i], e); d++) {
        const double by[3] = {d == 0, d == 1, d == 2};
        cps_put_reaction(&to, o->at.after + o->at.cable[i].reaction + e * o->m.dim + d, i, e, by, NULL);
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
