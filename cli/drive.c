/* drive.c - implicit one-step integration of a law's states under a prescribed velocity.
 *
 *   w = z0 + theta h z_t(v, w),   z1 = z0 + (w - z0)/theta
 *
 * is solved by Newton's method with the law's own Jacobian, so that stiff bristles take large steps. A step
 * that does not converge is halved. Modes change between steps.
 */
#include "drive.h"

#include <math.h>
#include <string.h>

enum { NEWTON = 25, HALVINGS = 6, PATIENCE = 30000 };

static cps_law_input input_of(const driver *d, double v, const double *z) {
  cps_law_input in = {
      .v = v, .n = d->n, .f_eq = 0, .z = z, .mode = d->law->n_modes ? d->mode : CPS_MODE_FREE};
  return in;
}

driver drive_start(const cps_law *law, const double *p, double n) {
  driver d = {.law = law, .p = p, .n = n};
  cps_law_input in = {.n = n, .z = d.z, .mode = CPS_MODE_FREE};
  d.mode = cps_law_mode(law, p, &in);
  return d;
}

static void settle(driver *d, double v) {
  if (!d->law->n_modes) return;
  cps_law_input in = input_of(d, v, d->z);
  double z[CPS_MAX_STATES];
  memcpy(z, d->z, sizeof z);
  d->mode = cps_law_settle(d->law, d->p, &in, z);
  memcpy(d->z, z, sizeof z);
}

/* Solves a x = b by elimination with row exchanges; both are overwritten. 0 if singular. */
static int solve(int n, double a[][CPS_MAX_STATES], double *b) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    if (!(fabs(a[pivot][k]) > 0)) return 0;
    for (int j = 0; j < n; j++) {
      double t = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = t;
    }
    double t = b[k];
    b[k] = b[pivot];
    b[pivot] = t;
    for (int i = k + 1; i < n; i++) {
      double m = a[i][k] / a[k][k];
      for (int j = k; j < n; j++) a[i][j] -= m * a[k][j];
      b[i] -= m * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return 1;
}

/* Newton's method for w; leaves z1 in z. 0 if it does not converge. */
static int implicit_step(driver *d, double v, double h, double theta, double *z) {
  int n = d->law->n_states;
  double w[CPS_MAX_STATES];
  memcpy(w, d->z, sizeof w);
  for (int round = 0; round < NEWTON; round++) {
    cps_law_input in = input_of(d, v, w);
    cps_law_output out;
    cps_law_jacobian jac;
    cps_law_eval(d->law, d->p, &in, &out, &jac);
    d->evaluations++;
    double a[CPS_MAX_STATES][CPS_MAX_STATES] = {{0}}, r[CPS_MAX_STATES] = {0};
    for (int i = 0; i < n; i++) {
      r[i] = d->z[i] + theta * h * out.z_t[i] - w[i];
      for (int j = 0; j < n; j++) a[i][j] = (i == j) - theta * h * jac.z_t[i].z[j];
    }
    if (!solve(n, a, r)) return 0;
    int done = 1;
    for (int i = 0; i < n; i++) {
      if (!isfinite(r[i])) return 0;
      w[i] += r[i];
      if (fabs(r[i]) > 1e-10 * (fabs(w[i]) + fabs(h * v)) + 1e-300) done = 0;
    }
    if (done) {
      for (int i = 0; i < n; i++) z[i] = d->z[i] + (w[i] - d->z[i]) / theta;
      return 1;
    }
  }
  return 0;
}

static void advance(driver *d, double v, double h, double theta, int halvings) {
  double z[CPS_MAX_STATES] = {0};
  if (implicit_step(d, v, h, theta, z)) {
    memcpy(d->z, z, sizeof z);
    settle(d, v);
  } else if (halvings < HALVINGS && d->evaluations < PATIENCE) {
    advance(d, v, h / 2, theta, halvings + 1);
    advance(d, v, h / 2, theta, halvings + 1);
  } else {
    /* At a corner of the rates Newton may cycle; over so short a step an explicit one does. */
    cps_law_input in = input_of(d, v, d->z);
    cps_law_output out;
    cps_law_eval(d->law, d->p, &in, &out, NULL);
    for (int i = 0; i < d->law->n_states; i++) d->z[i] += h * out.z_t[i];
    settle(d, v);
  }
}

void drive_step(driver *d, double v, double h, double theta) {
  settle(d, v);
  advance(d, v, h, theta, 0);
  cps_law_input in = input_of(d, v, d->z);
  cps_law_output out;
  cps_law_eval(d->law, d->p, &in, &out, NULL);
  d->f = out.f;
}

/* Slides on; returns the mean force. */
static double slide(driver *d, double v, double h, int steps) {
  double sum = 0;
  for (int i = 0; i < steps; i++) {
    drive_step(d, v, h, 1);
    sum += d->f;
  }
  return sum / steps;
}

double drive_steady(driver *d, double v, double length) {
  double unit = length / fabs(v), before = NAN;
  /* With modes the states may be reset again and again, which long steps would jump over. */
  if (d->law->n_modes) {
    slide(d, v, 0.03 * unit, 500);
    return slide(d, v, 0.03 * unit, 500);
  }
  /* Without, steps grow from a thousandth of the length, and backward Euler forgets what they jump over. */
  int quiet = 0;
  double h = 1e-3 * unit;
  for (int i = 0; i < 120 && quiet < 3; i++, h *= 1.2) {
    drive_step(d, v, h, 1);
    int still = fabs(d->f - before) <= 1e-7 * fabs(d->f);
    quiet = still && h > unit ? quiet + 1 : 0;
    before = d->f;
  }
  return quiet >= 3 ? d->f : slide(d, v, 0.03 * unit, 500);
}
