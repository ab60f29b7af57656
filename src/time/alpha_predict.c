/* alpha_predict.c - where Newton's method starts in a step of a machine with cables.
 *
 * Accelerations are taken to change as in the last step, by a part of that: d_n = k (h_n/h_(n-1)) d_(n-1). Smooth motion has k near 1;
 * vibrations that steps do not resolve change their sign from step to step, k near -1/2, and what is neither has 0. The part is the one
 * that fitted the last steps best by least squares, separately for the place and the slope of every node and for every unknown
 * of the border: sums of products over sums of squares, which fade.
 */
#include "newton.h"
#include "simd.h"

#include <float.h>
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

/* The same for the place and the slope of a node in the plane, which are a vector. */
static void add_plane(four now, double *before, double lengths, double *sums) {
  four last = load(before), products = now * last, squares = last * last;
  products += __builtin_shufflevector(products, products, 1, 0, 3, 2);
  squares += __builtin_shufflevector(squares, squares, 1, 0, 3, 2);
  four weights = {lengths, lengths * lengths, lengths, lengths * lengths};
  save(sums, four_of(FADES) * load(sums) + weights * __builtin_shufflevector(products, squares, 0, 4, 2, 6));
  save(before, now);
}

void cps_alpha_learn(machine *m, double h) {
  double lengths = over_last(m, h);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k <= c->n && c->dim == 2; k++)
      add_plane(load(c->a + k * 4) - load(c->a0 + k * 4), c->rise + k * 4, lengths, c->trend[k]);
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

/* Accelerations at the end of the step. */
static void extrapolate(const cable *c, double lengths) {
  if (lengths == 0) return;
  for (int k = 0; k <= c->n && c->dim == 2; k++) {
    four sums = load(c->trend[k]);
    four products = __builtin_shufflevector(sums, sums, 0, 0, 2, 2),
         squares = __builtin_shufflevector(sums, sums, 1, 1, 3, 3);
    four by = products / larger(squares, four_of(DBL_MIN)); /* both are zero where nothing has changed */
    by = larger(four_of(-1), -larger(four_of(-1), -by));
    save(c->a + k * 4, load(c->a + k * 4) + four_of(lengths) * by * load(c->rise + k * 4));
  }
  for (int k = 0; k <= c->n && c->dim == 3; k++) {
    double by[2] = {part(c->trend[k], lengths), part(c->trend[k] + 2, lengths)};
    double *a = c->a + k * c->b;
    const double *rise = c->rise + k * c->b;
    for (int d = 0; d < c->b; d++) a[d] += by[d / c->dim] * rise[d];
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
    size_t n = cps_cable_entries(c);
    size_t k = 0;
    extrapolate(c, lengths);
    for (; k + LANES <= n; k += LANES) {
      lanes v = load(c->v + k), aux = load(c->aux + k), a0 = load(c->a0 + k), a = load(c->a + k);
      save(c->q + k, load(c->q + k) + (all(h) * v + all(q_0) * aux + all(q_1) * a0 + all(q_2) * a));
      save(c->v + k, v + (all(v_0) * aux + all(v_1) * a0 + all(v_2) * a));
    }
    for (; k < n; k++) {
      c->q[k] += h * c->v[k] + q_0 * c->aux[k] + q_1 * c->a0[k] + q_2 * c->a[k];
      c->v[k] += v_0 * c->aux[k] + v_1 * c->a0[k] + v_2 * c->a[k];
    }
    for (int e = 0; e < 2; e++) { /* except what does not follow the equations */
      int node = e == 0 ? 0 : c->n;
      for (int j = 0; j < c->b; j++) {
        k = (size_t)(node * c->b + j);
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
