/* sens_entries.c - changes of everything that is recorded at a point, guards of laws, and captures; forwards and
 * transposed. The equations are in sens_linear.c. */
#include "sens_linear.h"

#include <string.h>

static void zero(double *x, int n) {
  if (n > 0) memset(x, 0, (size_t)n * sizeof(double));
}

entry_layout cps_spot_layout(const cps_system *s) {
  entry_layout l = {.y = 0, .spring = s->ny};
  l.v = l.spring + s->scenario->n_springs;
  l.f = l.v + s->nc;
  l.n = l.f + s->nc;
  l.f_eq = l.n + s->nc;
  l.energy = l.f_eq + s->nc;
  l.count = l.energy + ENERGIES;
  return l;
}

/* How the mass of what a contact moves changes with the masses of its bodies, times relative acceleration. */
static double mass_part(const spot *p, const change *c, int i) {
  const contact *k = &p->s->contacts[i];
  double sum = 0;
  for (int m = 0; m < c->n_mass; m++) {
    int q = c->mass[m].i;
    if (q != k->a && q != k->b) continue;
    double part = p->k.inverse_mass[q] / p->k.w_ii[i];
    sum += part * part * c->mass[m].d;
  }
  return sum * (p->a[k->a] - k->sb * p->a[k->b]);
}

/* ------------------------------------------------------------------ energies */

static void energies(const spot *p, const change *c, const double *dy, double *e) {
  const cps_system *s = p->s;
  const double *q = p->y, *v = q + s->nx, *dq = dy, *dv = dy + s->nx, *dw = dy + 2 * s->nx + s->nz;
  zero(e, ENERGIES);
  for (int i = 0; i < s->nd; i++) {
    e[ENERGY_KINETIC] += s->mass[i] * v[i] * dv[i];
    e[ENERGY_GRAVITY] -= s->weight[i] * dq[i];
  }
  for (int i = 0; i < s->scenario->n_springs; i++)
    e[ENERGY_ELASTIC] += p->spring[i].elastic * p->extension[i];
  for (int i = 0; i < s->nc; i++) e[ENERGY_FRICTION] += dw[i];
  e[ENERGY_DAMPING] = dw[s->nc];
  e[ENERGY_LOADS] = dw[s->nc + 1];
  e[ENERGY_MOTION] = dw[s->nc + 2];
  if (c) {
    for (int i = 0; i < c->n_mass; i++)
      e[ENERGY_KINETIC] += c->mass[i].d * v[c->mass[i].i] * v[c->mass[i].i] / 2;
    for (int i = 0; i < c->n_weight; i++) e[ENERGY_GRAVITY] -= c->weight[i].d * q[c->weight[i].i];
    for (int i = 0; i < c->n_line; i++) {
      const spring_slope *g = &p->spring[s->line[c->line[i].i].index];
      if (g->stretched) e[ENERGY_ELASTIC] += c->line[i].k * g->e * g->e / 2;
    }
    for (int i = 0; i < c->n_plane; i++) {
      const spring_slope *g = &p->spring[s->plane[c->plane[i].i].index];
      if (g->stretched) e[ENERGY_ELASTIC] += c->plane[i].k * g->e * g->e / 2;
    }
  }
  e[ENERGY_ERROR] = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] + e[ENERGY_GRAVITY] - e[ENERGY_LOADS] -
                    e[ENERGY_MOTION] + e[ENERGY_FRICTION] + e[ENERGY_DAMPING];
}

/* The transpose; that of extensions goes into p->extension. */
static void energies_back(spot *p, const change *c, int n, const double *x, double *w, double *grad) {
  const cps_system *s = p->s;
  const double *q = p->y, *v = q + s->nx;
  double *dq = w, *dv = w + s->nx, *dw = w + 2 * s->nx + s->nz, error = x[ENERGY_ERROR];
  double kinetic = x[ENERGY_KINETIC] + error, elastic = x[ENERGY_ELASTIC] + error,
         gravity = x[ENERGY_GRAVITY] + error;
  for (int i = 0; i < s->nd; i++) {
    dv[i] += kinetic * s->mass[i] * v[i];
    dq[i] -= gravity * s->weight[i];
  }
  for (int i = 0; i < s->scenario->n_springs; i++) p->extension[i] += elastic * p->spring[i].elastic;
  for (int i = 0; i < s->nc; i++) dw[i] += x[ENERGY_FRICTION] + error;
  dw[s->nc] += x[ENERGY_DAMPING] + error;
  dw[s->nc + 1] += x[ENERGY_LOADS] - error;
  dw[s->nc + 2] += x[ENERGY_MOTION] - error;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < c[j].n_mass; i++)
      grad[j] += kinetic * c[j].mass[i].d * v[c[j].mass[i].i] * v[c[j].mass[i].i] / 2;
    for (int i = 0; i < c[j].n_weight; i++) grad[j] -= gravity * c[j].weight[i].d * q[c[j].weight[i].i];
    for (int i = 0; i < c[j].n_line; i++) {
      const spring_slope *g = &p->spring[s->line[c[j].line[i].i].index];
      if (g->stretched) grad[j] += elastic * c[j].line[i].k * g->e * g->e / 2;
    }
    for (int i = 0; i < c[j].n_plane; i++) {
      const spring_slope *g = &p->spring[s->plane[c[j].plane[i].i].index];
      if (g->stretched) grad[j] += elastic * c[j].plane[i].k * g->e * g->e / 2;
    }
  }
}

/* ------------------------------------------------------------------ entries */

int cps_spot_entries(spot *p, const change *c, double *dy, double *x) {
  const cps_system *s = p->s;
  entry_layout l = cps_spot_layout(s);
  if (!cps_spot_step_along(p, c, dy)) return 0;
  cps_spot_springs(p, c, dy);
  const double *dv = dy + s->nx;
  memcpy(x + l.y, dy, (size_t)s->ny * sizeof(double));
  for (int i = 0; i < s->scenario->n_springs; i++) x[l.spring + i] = p->tension[i];
  for (int i = 0; i < s->nc; i++) {
    const contact *k = &s->contacts[i];
    int moves = k->normal == NORMAL_LOAD && p->k.n[i] > 0;
    x[l.v + i] = dv[k->a] - k->sb * dv[k->b];
    x[l.f + i] = p->df[i];
    x[l.n + i] = p->dn[i] + (moves ? p->press[i] : 0);
    x[l.f_eq + i] = 0;
    if (!(p->k.w_ii[i] > 0)) continue;
    double a = p->da[k->a] - k->sb * (p->da[k->b] + p->surface_a[k->b]);
    x[l.f_eq + i] = p->df[i] - a / p->k.w_ii[i] - (c ? mass_part(p, c, i) : 0);
  }
  energies(p, c, dy, x + l.energy);
  return 1;
}

int cps_spot_entries_back(spot *p, const change *c, int n, const double *x, double *w, double *grad) {
  const cps_system *s = p->s;
  entry_layout l = cps_spot_layout(s);
  for (int i = 0; i < s->ny; i++) w[i] += x[l.y + i];
  for (int i = 0; i < s->scenario->n_springs; i++) {
    p->tension[i] = x[l.spring + i];
    p->extension[i] = p->rate[i] = 0;
  }
  energies_back(p, c, n, x + l.energy, w, grad);
  cps_spot_springs_back(p, c, n, w, grad);
  double *dv = w + s->nx;
  zero(p->da, s->nx);
  zero(p->surface_a, s->nx);
  for (int i = 0; i < s->nc; i++) {
    const contact *k = &s->contacts[i];
    dv[k->a] += x[l.v + i];
    dv[k->b] -= k->sb * x[l.v + i];
    p->dn[i] = x[l.n + i];
    p->df[i] = x[l.f + i];
    double balance = p->k.w_ii[i] > 0 ? x[l.f_eq + i] : 0;
    if (balance == 0) continue;
    double pull = -balance / p->k.w_ii[i];
    p->df[i] += balance;
    p->da[k->a] += pull;
    p->da[k->b] -= k->sb * pull;
    p->surface_a[k->b] -= k->sb * pull;
    for (int j = 0; j < n; j++) grad[j] -= balance * mass_part(p, &c[j], i);
  }
  zero(p->dz_t, s->nz);
  return cps_spot_weigh(p, c, n, w, grad);
}

/* ------------------------------------------------------------------ guards */

int cps_spot_guard(spot *p, const change *c, int i, int k, double *dy, double *dg) {
  const cps_system *s = p->s;
  const contact *at = &s->contacts[i];
  entry_layout l = cps_spot_layout(s);
  double g[CPS_MAX_GUARDS];
  cps_partials d[CPS_MAX_GUARDS];
  if (!cps_spot_entries(p, c, dy, p->entry)) return 0;
  cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + at->z, p->mode[i]};
  cps_law_guards(at->law, at->p, &in, g, d);
  const double *x = p->entry;
  *dg = d[k].v * x[l.v + i] + d[k].n * x[l.n + i] + d[k].f_eq * x[l.f_eq + i];
  for (int j = 0; j < at->n_states; j++) *dg += d[k].z[j] * x[l.y + 2 * s->nx + at->z + j];
  for (int m = 0; c && m < c->n_contact; m++)
    if (c->contact[m].i == i)
      for (int j = 0; j < at->law->n_params; j++) *dg += d[k].p[j] * c->contact[m].p[j];
  return 1;
}

int cps_spot_guard_back(spot *p, const change *c, int n, int i, int k, double by, double *w, double *grad) {
  const cps_system *s = p->s;
  const contact *at = &s->contacts[i];
  entry_layout l = cps_spot_layout(s);
  double g[CPS_MAX_GUARDS], *x = p->entry;
  cps_partials d[CPS_MAX_GUARDS];
  cps_law_input in = {p->k.v[i], p->k.n[i], p->k.f_eq[i], p->y + 2 * s->nx + at->z, p->mode[i]};
  cps_law_guards(at->law, at->p, &in, g, d);
  zero(x, l.count);
  x[l.v + i] = by * d[k].v;
  x[l.n + i] = by * d[k].n;
  x[l.f_eq + i] = by * d[k].f_eq;
  for (int j = 0; j < at->n_states; j++) x[l.y + 2 * s->nx + at->z + j] = by * d[k].z[j];
  for (int q = 0; q < n; q++)
    for (int m = 0; m < c[q].n_contact; m++)
      if (c[q].contact[m].i == i)
        for (int j = 0; j < at->law->n_params; j++) grad[q] += by * d[k].p[j] * c[q].contact[m].p[j];
  return cps_spot_entries_back(p, c, n, x, w, grad);
}

/* ------------------------------------------------------------------ captures */

/* Whether contact i is held at rest by a law that balances forces. */
static int holds(const spot *p, int i) {
  const contact *c = &p->s->contacts[i];
  return c->law->n_modes == 3 && (c->law->traits & CPS_NEEDS_FEQ) && p->mode[i] == 0 && p->k.w_ii[i] > 0;
}

int cps_spot_capture(spot *p, double *dy) {
  const cps_system *s = p->s;
  double *dv = dy + s->nx;
  int any = 0;
  zero(p->r_a, s->nx);
  zero(p->r_z, s->nz);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    p->r_f[i] = holds(p, i) ? (dv[c->a] - c->sb * dv[c->b]) / p->k.w_ii[i] : 0;
    any |= p->r_f[i] != 0;
  }
  if (!any) return 1;
  if (!cps_residual_solve(&p->r, p->r_a, p->r_f, p->r_z, p->da, p->df, p->dz_t)) return 0;
  for (int i = 0; i < s->nd; i++) dv[i] += p->da[i];
  return 1;
}

int cps_spot_capture_back(spot *p, double *w) {
  const cps_system *s = p->s;
  double *dv = w + s->nx;
  zero(p->df, s->nc);
  zero(p->dz_t, s->nz);
  if (!cps_residual_solve_back(&p->r, dv, p->df, p->dz_t, p->r_a, p->r_f, p->r_z)) return 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (!holds(p, i)) continue;
    dv[c->a] += p->r_f[i] / p->k.w_ii[i];
    dv[c->b] -= c->sb * p->r_f[i] / p->k.w_ii[i];
  }
  return 1;
}
