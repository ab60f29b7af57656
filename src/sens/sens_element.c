/* sens_element.c - w.F of an element of a cable, where F is what it resists with, F(q, v) + M a, differentiated by its coordinates, by the
 * numbers of its section and by its length; and the power that it loses, or the energy that it stores. */
#include "sens_chain.h"

enum { SECTION = TH_BENDING + 1 };

static void numbers_of(cable_section *s, double *number[SECTION]) {
  double *const all[SECTION] = {[TH_EA] = &s->ea,
                                [TH_EI] = &s->ei,
                                [TH_RHO] = &s->rho,
                                [TH_RAYLEIGH] = &s->rayleigh,
                                [TH_AXIAL] = &s->axial_damping,
                                [TH_BENDING] = &s->bending_damping};
  memcpy(number, all, sizeof all);
}

cable_section cps_section_of(const cable *c, unsigned numbers) {
  cable_section s = c->section;
  double *number[SECTION];
  numbers_of(&s, number);
  for (int n = 0; n < SECTION; n++)
    if (!(numbers >> n & 1)) *number[n] = 0;
  return s;
}

/* What it multiplies is linear in each of its numbers, or as by_numbers has it. */
cable_section cps_section_by(const cable *c, int which) {
  cable_section s = c->section;
  double *number[SECTION];
  numbers_of(&s, number);
  for (int n = 0; n < SECTION; n++) *number[n] = n == which;
  s.by_numbers = c->section.slack > 0;
  return s;
}

static double value_of(const cable *c, const cable_section *s, double length, const element_row *y) {
  int dim = c->dim;
  double sum = 0;
  if (y->q) {
    double f[12] = {0}, lost = 0;
    double stored = cps_element_force(dim, s, length, y->q, y->v, f, 1, 0, NULL, y->w ? NULL : &lost);
    if (!y->w) return y->stores ? stored : lost;
    for (int k = 0; k < 4 * dim; k++) sum += y->w[k] * f[k];
  }
  if (!y->a) return sum;
  double m[4][4];
  cps_element_mass(s, length, m);
  for (int d = 0; d < dim; d++) {
    const double *w = y->w + d, *a = y->a + d;
    for (int j = 0; j < 4; j++)
      sum += w[j * dim] * (m[j][0] * a[0] + m[j][1] * a[dim] + m[j][2] * a[2 * dim] + m[j][3] * a[3 * dim]);
  }
  return sum;
}

void cps_put_section(const sink *x, int row, const element_row *y, unsigned numbers, double by) {
  const model *o = x->o;
  const cable *c = &o->m.cable[y->cable];
  const cable_at *at = &o->at.cable[y->cable];
  double sum = 0, step = 2e-3 * c->length[y->i];
  for (int n = 0; n < SECTION; n++) {
    if (!(numbers >> n & 1) || !o->theta_varies[at->theta + n]) continue;
    const cable_section one = cps_section_by(c, n);
    cps_put_number(x, row, at->theta + n, by * value_of(c, &one, c->length[y->i], y));
  }
  if (!o->theta_varies[at->length + y->i]) return;
  const cable_section s = cps_section_of(c, numbers);
  for (int j = 0; j < SENS_SHADOWS; j++)
    sum += cps_sens_share[j] / step * value_of(c, &s, c->length[y->i] + step * cps_sens_place[j], y);
  cps_put_number(x, row, at->length + y->i, by * sum);
}

void cps_put_element(const sink *x, int row, const element_row *y, unsigned numbers, double by) {
  const cable *c = &x->o->m.cable[y->cable];
  /* what is lost at a state does not depend on what is stored there */
  const cable_section s = cps_section_of(c, y->w ? numbers : numbers & ~(1u << TH_EA));
  double f[12] = {0}, k[144] = {0}, damping[144] = {0}, mass[4][4] = {{0}}, unused[12] = {0};
  const double *w = y->w ? y->w : y->v;
  int dim = c->dim, size = 4 * dim;
  cps_element_force(dim, &s, c->length[y->i], y->q, y->v, f, 1, 0, k, NULL);
  cps_element_force(dim, &s, c->length[y->i], y->q, y->v, unused, 0, 1, damping, NULL);
  if (y->a) cps_element_mass(&s, c->length[y->i], mass);
  for (int j = 0; j < size; j++) {
    double by_q = 0, by_v = y->w ? 0 : f[j], by_a = 0;
    for (int n = 0; n < size; n++) {
      by_q += w[n] * k[n * size + j];
      by_v += w[n] * damping[n * size + j];
    }
    for (int n = 0; n < 4; n++) by_a += w[n * dim + j % dim] * mass[n][j / dim];
    cps_put_coordinate(x, row, y->cable, y->i * c->b + j, by * by_q, by * by_v, by * by_a);
  }
  cps_put_section(x, row, y, numbers, by);
}
