/* motion.h - a law in motion: the implicit steps with which tests move a body that a law acts upon.
 *
 * Newton's method uses the law's own Jacobian. Laws with modes keep an explicit mode within a step and settle
 * after it, as a solver without event location does.
 */
#ifndef CPS_MOTION_H
#define CPS_MOTION_H

#include "test.h"

enum { MOST_UNKNOWNS = 1 + CPS_MAX_STATES };

/* Solves a x = b in place by elimination with pivoting; 0 if a is singular. */
static inline int solve_linear(int n, double a[][MOST_UNKNOWNS], double *b) {
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
      double factor = a[i][k] / a[k][k];
      for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return 1;
}

/* A body of the given mass under a load; x holds velocity, states and mode. */
typedef struct motion {
  point x;
  double mass, load;
  double ramp;   /* growth of the load [N/s] */
  double travel; /* displacement since it was last set to zero */
} motion;

/* Fires the guards that have turned negative; 1 if the mode has changed. */
static inline int settle_motion(point *x) {
  if (!x->law->n_modes) return 0;
  cps_law_input in = input_of(x);
  int before = x->mode;
  x->mode = cps_law_settle(x->law, x->p, &in, x->z);
  return x->mode != before;
}

/* One step of implicit Euler for velocity and states; 0, and nothing changed, if Newton does not converge. */
static inline int step_body(motion *m, double dt) {
  const cps_law *law = m->x.law;
  int n = 1 + law->n_states;
  double load = m->load + m->ramp * dt;
  point x = m->x;
  cps_law_scale s = scale_at(&x);
  x.f_eq = -load;
  for (int iteration = 0; iteration < 40; iteration++) {
    cps_law_output out;
    cps_law_jacobian jac;
    double a[MOST_UNKNOWNS][MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    eval_at(&x, &out, &jac);
    b[0] = -(m->mass * (x.v - m->x.v) - dt * (load + out.f));
    a[0][0] = m->mass - dt * jac.f.v;
    for (int i = 1; i < n; i++) {
      const cps_partials *row = &jac.z_t[i - 1];
      a[0][i] = -dt * jac.f.z[i - 1];
      b[i] = -(x.z[i - 1] - m->x.z[i - 1] - dt * out.z_t[i - 1]);
      a[i][0] = -dt * row->v;
      for (int j = 1; j < n; j++) a[i][j] = (i == j) - dt * row->z[j - 1];
    }
    if (!solve_linear(n, a, b)) return 0;
    /* Converged when no unknown moves by more than round-off of its own size or of its scale; round-off of
     * the force can be larger than that, so be content with less in the end. */
    double content = iteration < 20 ? 1e-14 : 1e-11;
    int done = fabs(b[0]) <= content * usable(s.v_scale) + 1e-10 * fabs(x.v);
    for (int i = 1; i < n; i++)
      done = done && fabs(b[i]) <= content * usable(s.z[i - 1]) + 1e-10 * fabs(x.z[i - 1]);
    x.v += b[0];
    for (int i = 1; i < n; i++) x.z[i - 1] += b[i];
    if (!isfinite(x.v)) return 0;
    if (!done) continue;
    m->x = x;
    m->load = load;
    m->travel += dt * x.v;
    return 1;
  }
  return 0;
}

/* Moves the body from time t to t_end with steps that grow from `first` to `last`; 0 if it gets stuck. */
static inline int move_body(motion *m, double t, double t_end, double first, double last) {
  double dt = first;
  int steps = 0;
  while (t < t_end) {
    if (++steps > 200000) return 0;
    double h = fmin(dt, t_end - t);
    if (!step_body(m, h)) {
      dt /= 4;
      if (dt < 1e-15) return 0;
      continue;
    }
    t += h;
    dt = fmin(1.25 * dt, last);
    if (settle_motion(&m->x)) dt = fmin(dt, first);
  }
  return 1;
}

/* One implicit stage for the states at velocity v: z = base + h z_t(v, z). Leaves z and the force f there; 0
 * if Newton does not converge. */
static inline int stage_states(point *x, const double *base, double h, double *f) {
  const cps_law *law = x->law;
  int n = law->n_states;
  cps_law_scale s = scale_at(x);
  for (int iteration = 0; iteration < 40; iteration++) {
    cps_law_output out;
    cps_law_jacobian jac;
    double a[MOST_UNKNOWNS][MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    eval_at(x, &out, &jac);
    for (int i = 0; i < n; i++) {
      b[i] = -(x->z[i] - base[i] - h * out.z_t[i]);
      for (int j = 0; j < n; j++) a[i][j] = (i == j) - h * jac.z_t[i].z[j];
    }
    if (!solve_linear(n, a, b)) return 0;
    int done = 1;
    for (int i = 0; i < n; i++) {
      done = done && fabs(b[i]) <= 1e-13 * usable(s.z[i]) + 1e-12 * fabs(x->z[i]);
      x->z[i] += b[i];
    }
    if (!done) continue;
    eval_at(x, &out, NULL);
    *f = out.f;
    return 1;
  }
  return 0;
}

/* Where in a step its first stage lies, as a fraction of the step. */
#define FIRST_STAGE (1 - 0.70710678118654752440)

/* One step of the states alone under imposed velocities, v1 at the first stage and v2 at the end, with the
 * L-stable SDIRK method of order 2 (Alexander 1977). Adds the work that the law takes; 0 if it does not
 * converge. */
static inline int step_states(point *x, double v1, double v2, double dt, double *work) {
  int n = x->law->n_states;
  point stage = *x;
  double base[CPS_MAX_STATES], f1, f2;
  stage.v = v1;
  if (!stage_states(&stage, x->z, FIRST_STAGE * dt, &f1)) return 0;
  for (int i = 0; i < n; i++) base[i] = x->z[i] + (1 - FIRST_STAGE) / FIRST_STAGE * (stage.z[i] - x->z[i]);
  stage.v = v2;
  if (!stage_states(&stage, base, FIRST_STAGE * dt, &f2)) return 0;
  *work -= dt * ((1 - FIRST_STAGE) * f1 * v1 + FIRST_STAGE * f2 * v2);
  *x = stage;
  return 1;
}

/* The smallest deflection that a law resolves, or a length among its parameters, or one that goes with its
 * velocity. */
static inline double deflection_scale(const cps_law *law, const double *p, const cps_law_scale *s) {
  double least = INFINITY;
  for (int k = 0; k < law->n_states; k++)
    if (strcmp(law->states[k].unit, "m") == 0 && s->z[k] > 0) least = fmin(least, s->z[k]);
  for (int i = 0; i < law->n_params && !isfinite(least); i++)
    if (strcmp(law->params[i].unit, "m") == 0) least = p[i];
  return isfinite(least) ? least : usable(s->v_scale);
}

/* The force of steady sliding at ten times v_scale, from undeflected states; NaN if it cannot be found. */
static inline double sliding_force(const point *start) {
  point x = *start;
  cps_law_scale s = scale_at(&x);
  double v = 10 * usable(s.v_scale), dt = 0.2 * deflection_scale(x.law, x.p, &s) / v, work = 0;
  memset(x.z, 0, sizeof x.z);
  x.v = v;
  x.f_eq = 0;
  x.mode = CPS_MODE_FREE;
  if (x.law->n_modes) x.mode = mode_at(&x);
  for (int i = 0; x.law->n_states && i < 500; i++) {
    if (!step_states(&x, v, v, dt, &work)) return NAN;
    settle_motion(&x);
  }
  cps_law_output out;
  eval_at(&x, &out, NULL);
  return out.f;
}

#endif
