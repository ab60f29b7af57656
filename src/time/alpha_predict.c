/* alpha_predict.c - where Newton's method starts in a step of a machine with cables.
 *
 * Accelerations are taken to change as in the last step, by a part of that: d_n = k (h_n/h_(n-1)) d_(n-1). Smooth motion has k near 1;
 * vibrations that steps do not resolve change their sign from step to step, k near -1/2, and what is neither has 0. The part is the one
 * that fitted the last steps best by least squares, separately for the place and the slope of every node and for every unknown
 * of the border: sums of products over sums of squares, which fade.
 */
#include "newton.h"

#include <math.h>
#include <string.h>

/* What of the sums is left after a step: 0.5, 0.7 and 0.85 give 3.01, 2.93 and 2.90 iterations per step on average over the nine machines
 * of the gallery that need most. */
static const double FADES = 0.85;

/* A step is taken to be at most so many times as long as the last: what changed in a short one says little of a long one. */
static const double LONGER = 2;

static double over_last(const machine *m, double h) {
  return m->rise_length > 0 ? fmin(LONGER, h / m->rise_length) : 0;
}

/* The part, from sums of products and of squares, times the ratio of the lengths of the two steps. */
static double part(const double *sums, double lengths) {
  return sums[1] > 0 ? lengths * fmax(-1, fmin(1, sums[0] / sums[1])) : 0;
}

/* Adds a step to the sums: n changes, and those of the step before. */
static void add(int n, const double *now, const double *before, double lengths, double *sums) {
  double products = 0, squares = 0;
  for (int i = 0; i < n; i++) {
    products += now[i] * before[i];
    squares += before[i] * before[i];
  }
  sums[0] = FADES * sums[0] + lengths * products;
  sums[1] = FADES * sums[1] + lengths * lengths * squares;
}

void cps_alpha_learn(machine *m, double h) {
  double lengths = over_last(m, h);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (c->dim == 2) cps_nodes_learn(c, lengths, FADES);
    for (int k = 0; k <= c->n && c->dim == 3; k++) {
      const double *a = c->a + k * c->b, *a0 = c->a0 + k * c->b;
      double now[6], *before = c->rise + k * c->b;
      for (int d = 0; d < c->b; d++) now[d] = a[d] - a0[d];
      for (int j = 0; j < 2; j++)
        add(c->dim, now + j * c->dim, before + j * c->dim, lengths, c->trend[k] + 2 * j);
      memcpy(before, now, (size_t)c->b * sizeof(double));
    }
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    double now = *f->a - *f->a0;
    add(1, &now, &f->rise, lengths, f->trend);
    f->rise = now;
  }
  m->rise_length = h;
}

void cps_alpha_forget(machine *m) {
  m->rise_length = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    memset(c->rise, 0, (size_t)(c->n + 1) * (size_t)c->b * sizeof(double));
    memset(c->trend, 0, (size_t)(c->n + 1) * sizeof *c->trend);
  }
  for (int k = 0; k < m->nb; k++) m->free[k].rise = m->free[k].trend[0] = m->free[k].trend[1] = 0;
}

/* In space, where the place and the slope of a node are apart (the plane: kernels/alpha_nodes.h). */
static void expect(cable *c, const alpha_weights *u, double lengths) {
  for (int k = 0; k <= c->n && lengths != 0; k++) {
    double by[2] = {part(c->trend[k], lengths), part(c->trend[k] + 2, lengths)};
    for (int d = 0; d < c->b; d++) c->a[k * c->b + d] += by[d / c->dim] * c->rise[k * c->b + d];
  }
  size_t n = cps_cable_entries(c);
  for (size_t k = 0; k < n; k++) {
    c->q[k] += u->h * c->v[k] + u->q_aux * c->aux[k] + u->q_old * c->a0[k] + u->q_new * c->a[k];
    c->v[k] += u->v.x_aux * c->aux[k] + u->v.x_old * c->a0[k] + u->v.x_new * c->a[k];
  }
}

/* Bodies that have nothing to do with cables start as bodies alone do. */
static int stands_apart(const machine *m, int k) { return m->owner[k] >= 0 && m->body[m->owner[k]].apart; }

void cps_alpha_predict(machine *m, const alpha_weights *u, int changing) {
  double h = u->h, q_0 = u->q_aux, q_1 = u->q_old, q_2 = u->q_new;
  double v_0 = u->v.x_aux, v_1 = u->v.x_old, v_2 = u->v.x_new;
  double lengths = changing ? over_last(m, h) : 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    if (c->dim == 2)
      cps_nodes_expect(c, u, lengths);
    else
      expect(c, u, lengths);
    for (int e = 0; e < 2; e++) { /* except what does not follow the equations */
      int node = e == 0 ? 0 : c->n;
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        if (!(c->fixed[node] >> j & 1)) continue;
        c->q[k] = c->q0[k];
        c->v[k] = c->a[k] = 0;
      }
    }
  }
  for (int k = 0; k < m->nb; k++) {
    dof *f = &m->free[k];
    if (f->kind == DOF_PLACE && !stands_apart(m, k)) *f->a += part(f->trend, lengths) * f->rise;
    *f->q += h * *f->v + q_0 * *f->aux + q_1 * *f->a0 + q_2 * *f->a;
    *f->v += v_0 * *f->aux + v_1 * *f->a0 + v_2 * *f->a;
  }
}
