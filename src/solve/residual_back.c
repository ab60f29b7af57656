/* residual_back.c - the linearised equations of residual.c, transposed: for adjoint sensitivities.
 *
 * If an output changes by g . x with the unknowns x = -K^-1 r, it changes by -(K'^-1 g) . r with what is left: each
 * function here does the steps of the one it transposes in reverse order.
 */
#include "residual.h"

#include <string.h>

/* Weights of normal forces in r->dn become weights of coordinates and velocities, added. */
static void press_back(const residual *r, double b_q, double *dq, double b_v, double *dv) {
  const cps_system *s = r->s;
  for (int i = 0; i < r->entries.n_links; i++) {
    const press_link *l = &r->entries.links[i];
    const plane_tangent *t = &r->entries.plane[l->spring];
    int c[6], count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    for (int m = 0; m < count; m++) {
      if (b_q != 0) dq[c[m]] += b_q * t->press_q[l->side][m] * r->dn[l->contact];
      if (b_v != 0) dv[c[m]] += b_v * t->press_v[l->side][m] * r->dn[l->contact];
    }
  }
}

/* Changes of normal forces are zero where no spring presses: so they are left. */
static void forget(residual *r) {
  if (r->s->nc > 0) memset(r->dn, 0, (size_t)r->s->nc * sizeof(double));
}

int cps_residual_solve_back(residual *r, const double *g_a, const double *g_f, const double *g_z, double *r_a,
                            double *r_f, double *r_z) {
  const cps_system *s = r->s;
  const workspace *k = r->k;
  double *x = r->x;
  /* r_a collects the weights of accelerations, surfaces included, whose part is dropped. */
  memcpy(r_a, g_a, (size_t)s->nd * sizeof(double));
  memset(r_a + s->nd, 0, (size_t)(s->nx - s->nd) * sizeof(double));
  forget(r);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int n = c->n_states;
    double m = k->w_ii[i] > 0 ? 1 / k->w_ii[i] : 0, force = g_f[i], pull = 0;
    const double *d = r->state + r->state_at[i], *inverse = r->inverse + r->inverse_at[i];
    for (int j = 0; j < n; j++) {
      double y = 0;
      for (int p = 0; p < n; p++) y += inverse[n * p + j] * g_z[c->z + p];
      r_z[c->z + j] = -y;
      pull += (d[n + j] * r->b_v - m * d[2 * n + j]) * y;
      force += d[2 * n + j] * y;
      r->dn[i] += d[3 * n + j] * y;
    }
    r_a[c->a] += pull;
    r_a[c->b] -= c->sb * pull;
    x[s->nd + i] = force * (k->w_ii[i] > 0 ? 1 / k->w_ii[i] : 1);
  }
  press_back(r, r->b_q, r_a, r->b_v, r_a);
  forget(r);
  memcpy(x, r_a, (size_t)s->nd * sizeof(double));
  if (!cps_body_system_solve_transposed(&r->system, x)) return 0;
  for (int i = 0; i < s->nd; i++) r_a[i] = -x[i];
  memset(r_a + s->nd, 0, (size_t)(s->nx - s->nd) * sizeof(double));
  for (int i = 0; i < s->nc; i++) {
    int n = s->contacts[i].n_states;
    const double *follow = r->inverse + r->inverse_at[i] + n * n;
    r_f[i] = -x[s->nd + i];
    for (int j = 0; j < n; j++) r_z[s->contacts[i].z + j] -= follow[j] * x[s->nd + i];
  }
  return 1;
}
