/* coupling.c - contact forces where contacts depend on one another.
 *
 * Unknown f of a group: f_i = F_i(v_i, e_i, n_i), e_i = f_i - m_i r_i, r = W f + c, m_i = 1/W_ii. Semi-smooth
 * Newton on g_i = F_i - f_i: the matrix D (I - m W) - I, D = dF/de in 0..1, is minus one that becomes
 * symmetric positive definite when its rows are scaled, so banded elimination needs no pivoting. At v = 0
 * with the clamp for F these are the optimality conditions of min f'Wf/2 + c'f, |f_i| <= mu n_i: the solution
 * exists and is unique. Where Newton circles, some sweeps of Gauss-Seidel, which descends on that function,
 * break the circle.
 */
#include "system.h"

#include <math.h>
#include <string.h>

enum { NEWTON_MOST = 40, SWEEPS = 30, ROUNDS = 8 };

double cps_contact_force(const cps_system *s, workspace *k, int i, double e, const double *z, int mode,
                         cps_law_jacobian *jac) {
  const contact *c = &s->contacts[i];
  cps_law_input in = {k->v[i], k->n[i], e, z + c->z, mode};
  cps_law_output out;
  cps_law_eval(c->law, c->p, &in, &out, jac);
  for (int j = 0; j < c->n_states; j++) k->z_t[c->z + j] = out.z_t[j];
  k->f_eq[i] = e;
  return out.f;
}

/* Entry of W: the sum over shared coordinates is spread over several entries of the same column. */
static double w_entry(const workspace *k, const group *g, int e) {
  return g->sign[e] * k->inverse_mass[g->shared[e]];
}

/* Relative acceleration of the group's i-th contact. */
static double relative(const workspace *k, const group *g, int i) {
  double r = k->free_a[g->contact[i]];
  for (int e = g->first[i]; e < g->first[i + 1]; e++) r += w_entry(k, g, e) * k->f[g->contact[g->column[e]]];
  return r;
}

/* Solves the banded system in place, no pivoting: rows of 2 band + 1 entries, diagonal in the middle. */
static int band_solve(double *a, int n, int band, double *x) {
  int width = 2 * band + 1;
  for (int j = 0; j < n; j++) {
    double pivot = a[j * width + band];
    if (!(fabs(pivot) > 1e-300)) return 0;
    for (int i = j + 1; i < n && i <= j + band; i++) {
      double factor = a[i * width + band + j - i] / pivot;
      if (factor == 0) continue;
      for (int m = 1; m <= band && j + m < n; m++)
        a[i * width + band + j + m - i] -= factor * a[j * width + band + m];
      x[i] -= factor * x[j];
    }
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int m = 1; m <= band && j + m < n; m++) x[j] -= a[j * width + band + m] * x[j + m];
    x[j] /= a[j * width + band];
  }
  return 1;
}

/* One Newton step; returns the largest residual over its scale before the step. */
static double newton(const cps_system *s, workspace *k, const group *g, const double *z, const int *mode,
                     int *solved) {
  int width = 2 * g->band + 1;
  double worst = 0;
  memset(k->band, 0, (size_t)g->n * (size_t)width * sizeof(double));
  for (int i = 0; i < g->n; i++) {
    int c = g->contact[i];
    double w = k->w_ii[c], m = w > 0 ? 1 / w : 0, r = relative(k, g, i);
    double e = m > 0 ? k->f[c] - m * r : 0; /* there is nothing to balance between bodies that are held */
    cps_law_jacobian jac;
    double force = cps_contact_force(s, k, c, e, z, mode ? mode[c] : CPS_MODE_FREE, &jac);
    double d = m > 0 ? jac.f.f_eq : 0, *row = k->band + (size_t)i * (size_t)width + g->band;
    for (int q = g->first[i]; q < g->first[i + 1]; q++) row[g->column[q] - i] -= d * m * w_entry(k, g, q);
    row[0] += d - 1;
    /* Contacts that bear the same load twice leave their sum determined and their shares not: take equal
     * ones. */
    row[0] -= 1e-13;
    k->g[i] = force - k->f[c];
    k->df[i] = -k->g[i];
    double scale = fabs(force) + fabs(e) + fabs(m * k->free_a[c]) + 1e-300;
    worst = fmax(worst, fabs(k->g[i]) / scale);
  }
  *solved = band_solve(k->band, g->n, g->band, k->df);
  return worst;
}

/* One sweep of Gauss-Seidel: every contact in turn balances what the others do. */
static void sweep(const cps_system *s, workspace *k, const group *g, const double *z, const int *mode) {
  for (int i = 0; i < g->n; i++) {
    int c = g->contact[i];
    if (!(k->w_ii[c] > 0)) continue;
    double others = relative(k, g, i) - k->w_ii[c] * k->f[c];
    k->f[c] = cps_contact_force(s, k, c, -others / k->w_ii[c], z, mode ? mode[c] : CPS_MODE_FREE, NULL);
  }
}

cps_status cps_group_solve(const cps_system *s, workspace *k, const group *g, const double *z,
                           const int *mode) {
  for (int round = 0; round < ROUNDS; round++) {
    for (int it = 0; it < NEWTON_MOST; it++) {
      int solved;
      double worst = newton(s, k, g, z, mode, &solved);
      k->newton++;
      if (worst < 1e-14) return CPS_OK;
      if (!solved) break;
      double step = 0, size = 0;
      for (int i = 0; i < g->n; i++) {
        int c = g->contact[i];
        k->f[c] += k->df[i];
        step = fmax(step, fabs(k->df[i]));
        size = fmax(size, fabs(k->f[c]));
      }
      /* Round-off is the end of it too: the rates of states have then been evaluated as well as they can be.
       */
      if (worst < 1e-11 && step <= 4e-16 * size * (1 + it)) return CPS_OK;
    }
    for (int i = 0; i < SWEEPS; i++) sweep(s, k, g, z, mode);
  }
  int solved;
  if (newton(s, k, g, z, mode, &solved) < 1e-9) return CPS_OK;
  int worst = 0;
  for (int i = 1; i < g->n; i++)
    if (fabs(k->g[i]) > fabs(k->g[worst])) worst = i;
  k->failed_contact = g->contact[worst];
  return CPS_FAILED;
}
