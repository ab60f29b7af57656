/* sens_stick.c - Westin's reading of the balance force, differentiated: beside a cable's own equations those of the problem in which all
 * of its contacts stick,
 *
 *   M gap = A' pull,   A gap = r_s
 *
 * (cable_pass.h), at places, with lengths and masses that change. Neither gap nor pull outlive a solve. */
#include "sens_chain.h"

/* Rows and columns of the second problem come after the first's: of coordinates, then of contacts. */
static int half_of(const cable *c) { return c->b + c->slots; }

/* M gap of an element, and by what makes its mass. */
static void add_element(model *o, int cable_of, int i) {
  const cable *c = &o->m.cable[cable_of];
  const cable_at *at = &o->at.cable[cable_of];
  const double *gap = c->gap + (size_t)(i * c->b);
  double mass[4][4], by_length[4][4] = {{0}}, step = 1e-2 * c->length[i];
  int half = half_of(c), dim = c->dim;
  cps_element_mass(&c->section, c->length[i], mass);
  for (int j = 0; j < SENS_SHADOWS && o->theta_varies[at->length + i]; j++) { /* a polynomial */
    double moved[4][4];
    cps_element_mass(&c->section, c->length[i] + step * cps_sens_place[j], moved);
    for (int r = 0; r < 16; r++) by_length[r / 4][r % 4] += cps_sens_share[j] / step * moved[r / 4][r % 4];
  }
  for (int r = 0; r < 4; r++)
    for (int d = 0; d < dim; d++) {
      int node = i + r / 2, j = half + r % 2 * dim + d;
      double sum = 0, longer = 0;
      for (int s = 0; s < 4; s++) {
        *cps_matrix_at(o, cable_of, node, j, i + s / 2, half + s % 2 * dim + d) += mass[r][s];
        sum += mass[r][s] * gap[s * dim + d];
        longer += by_length[r][s] * gap[s * dim + d];
      }
      int row = cps_model_row(o, cable_of, node, j);
      cps_by_theta(o, &o->now, row, at->theta + TH_RHO, -sum / c->section.rho);
      cps_by_theta(o, &o->now, row, at->length + i, -longer);
    }
}

/* -A' pull. */
static void add_pull(model *o, int cable_of, int point, const contact_tangent *s, const step_coeffs *coeffs,
                     int balance) {
  const cable *c = &o->m.cable[cable_of];
  const contact_point *p = &c->point[point];
  const double *pull = c->pull + point * AXES, *const dir[AXES] = {s->t, o->m.drum[s->drum].axis};
  int half = half_of(c), dim = c->dim;
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < dim && p->shape[i] != 0; d++) {
      int node = p->node + i / 2, j = half + i % 2 * dim + d;
      const point_row to = {cps_sink_node(o, coeffs, balance, cable_of, node, j), cable_of, point, s};
      tangent_row turns = {.r = {0}};
      double pulled = 0;
      for (int k = 0; k < dim - 1; k++) {
        *cps_matrix_at(o, cable_of, node, j, p->node, half + c->b + k) -= p->shape[i] * dir[k][d];
        pulled += pull[k] * dir[k][d];
      }
      for (int e = 0; e < dim; e++) turns.r[e] = pull[0] * s->n[d] / s->rho * s->t[e];
      cps_put_point(&to, 0, &turns, p->shape[i]);
      if (p->shape[0] != 1) cps_put_number(&to.to, 0, o->at.cable[cable_of].p_shape + 4 * point + i, -pulled);
    }
}

/* A gap - r_s; at a node that is fixed, pull - m r_s. And what pull does to friction. */
static void add_slip(model *o, int cable_of, int point, const contact_tangent *s, const step_coeffs *coeffs,
                     int balance) {
  const cable *c = &o->m.cable[cable_of];
  const contact_point *p = &c->point[point];
  const double *gap = c->gap + (size_t)(p->node * c->b), *const dir[AXES] = {s->t, o->m.drum[s->drum].axis};
  int half = half_of(c), dim = c->dim, fixed = p->shape[0] == 1 && c->fixed[p->node];
  double out = 0;
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < dim && p->shape[i] != 0; d++) out += p->shape[i] * s->n[d] * gap[i * dim + d];
  for (int k = 0; k < dim - 1; k++) {
    int node = p->node, j = half + c->b + k;
    const point_row to = {cps_sink_node(o, coeffs, balance, cable_of, node, j), cable_of, point, s};
    tangent_row x = {.mass = fixed ? -s->slide_a[k] : 0};
    cps_contact_tangent_accelerates(&o->m, c, p, s, k, fixed ? -p->mass : -1, &x);
    for (int e = 0; e < dim && k == 0 && !fixed; e++) x.r[e] -= out / s->rho * s->t[e];
    cps_put_point(&to, 0, &x, 1);
    if (fixed) *cps_matrix_at(o, cable_of, node, j, node, j) = 1;
    for (int i = 0; i < 4 && !fixed; i++) {
      double along = 0;
      for (int d = 0; d < dim && p->shape[i] != 0; d++) {
        *cps_matrix_at(o, cable_of, node, j, node + i / 2, half + i % 2 * dim + d) += p->shape[i] * dir[k][d];
        along += dir[k][d] * gap[i * dim + d];
      }
      if (p->shape[0] != 1) cps_put_number(&to.to, 0, o->at.cable[cable_of].p_shape + 4 * point + i, along);
    }
    for (int n = 0; n < dim - 1 && !s->open; n++)
      *cps_matrix_at(o, cable_of, node, c->b + k, node, half + c->b + n) = (k == n) - s->rest[k].f[n];
  }
}

void cps_stick_add(model *o, int cable_of, const step_coeffs *coeffs, int balance) {
  const cable *c = &o->m.cable[cable_of];
  int half = half_of(c), held = coeffs->bristle > 0; /* statics has springs instead */
  for (int i = 0; i < c->n && !held; i++) add_element(o, cable_of, i);
  for (int i = 0; i <= c->n; i++) {
    int touches = i < c->n_points && o->contact[cable_of][i].drum >= 0;
    for (int j = half; j < 2 * half; j++) {
      int d = j - half;
      if (held || (d >= c->b && !touches)) *cps_matrix_at(o, cable_of, i, j, i, j) = 1;
      if (held || d >= c->dim) continue;
      *cps_matrix_at(o, cable_of, i, j, i, j) += c->mass[i];
      cps_by_theta(o, &o->now, cps_model_row(o, cable_of, i, j), o->at.cable[cable_of].mass + i,
                   -c->gap[i * c->b + d]);
    }
    if (held || !touches) continue;
    add_pull(o, cable_of, i, &o->contact[cable_of][i], coeffs, balance);
    add_slip(o, cable_of, i, &o->contact[cable_of][i], coeffs, balance);
  }
}
