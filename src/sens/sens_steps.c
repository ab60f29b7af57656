/* sens_steps.c - explicit Runge-Kutta steps, differentiated.
 *
 * With the stages Y_i = y + h sum a_ij k_j, k_i = f(t + c_i h, Y_i), a change of y changes k_i by J_i dY_i + f_p dp: the
 * same sums with the linearised rates, at the very points of the run, so that the derivative is that of the program. Length and
 * time of the step do not change. Transposed, the stages are gone through from the last to the first:
 *
 *   w_k_i = h b_i w + h sum_j a_ji w_Y_j,   w_Y_i = J_i' w_k_i,   w_before = w + sum w_Y_i
 */
#include "sens_bodies.h"

#include <math.h>
#include <string.h>

/* y + h sum of a[j] k_j, j < i. */
static void combine(double *to, const double *y, double h, const double *a, int i, const double *k,
                    size_t stride, int n) {
  memcpy(to, y, bytes(n));
  for (int j = 0; j < i; j++) {
    double by = h * a[j];
    if (by == 0) continue;
    const double *x = k + (size_t)j * stride;
    for (int m = 0; m < n; m++) to[m] += by * x[m];
  }
}

static double stage_time(const body_op *o, int i) { return fmin(o->t + o->table->c[i] * o->h, o->latest); }

/* Contacts that are held at rest keep no relative velocity: to the last digit, as in the run. */
static int is_held(const bodies *b, const body_op *o, int i) {
  const contact *c = &b->s->contacts[i];
  return !b->without_jumps && o->mode[i] == 0 && c->law->n_modes == 3 && (c->law->traits & CPS_NEEDS_FEQ);
}

/* The end of a step that locates events: surfaces are where they are then. */
static void finish(bodies *b, const body_op *o, const change *c, double *dy) {
  b->at.t = fmin(o->t + o->h, o->latest);
  cps_linearised_prescribe(&b->at, 0, c, 1, dy, NULL);
  double *dv = dy + b->s->nx;
  for (int i = 0; i < b->s->nc; i++)
    if (is_held(b, o, i)) dv[b->s->contacts[i].a] = b->s->contacts[i].sb * dv[b->s->contacts[i].b];
}

static void finish_back(bodies *b, const body_op *o, double *w, double *grad) {
  b->at.t = fmin(o->t + o->h, o->latest);
  double *dv = w + b->s->nx;
  for (int i = b->s->nc - 1; i >= 0; i--) {
    const contact *c = &b->s->contacts[i];
    if (!is_held(b, o, i)) continue;
    dv[c->b] += c->sb * dv[c->a];
    dv[c->a] = 0;
  }
  cps_linearised_prescribe(&b->at, 1, b->change, b->n_wrt, w, grad);
}

/* A method that does not locate transitions has no jumps to differentiate: a jump there is an error. */
static void watch_modes(bodies *b, const body_op *o) {
  if (o->table != &cps_rk4_table) return;
  for (int i = 0; i < b->s->nc; i++) {
    if (o->mode[i] >= 0 || !b->s->contacts[i].law->n_modes) continue;
    int mode = b->at.mode[i], changed = b->seen[i] >= 0 && b->seen[i] != mode;
    b->seen[i] = mode;
    if (!changed || b->warned_rk4) continue;
    b->warned_rk4 = 1;
    cps_sens_warn(b->c.run,
                  "rk4 does not locate transitions: derivatives are those of its steps with every contact in "
                  "the mode that it "
                  "chose, without the jumps at transitions of contact %s; run.solver events has them",
                  b->s->scenario->contacts[i].name);
  }
}

int cps_rates_weigh(bodies *b, const double *w_t, double *w, double *grad) {
  const cps_system *s = b->s;
  const linear_layout *l = &b->at.l;
  double *z = cps_linearised_clear(&b->at);
  for (int i = 0; i < s->nx; i++) w[s->nx + i] += w_t[i];
  memcpy(z + l->a, w_t + s->nx, bytes(s->nd));
  memcpy(z + l->z_t, w_t + 2 * s->nx, bytes(s->nz));
  memcpy(z + l->work, w_t + 2 * s->nx + s->nz, bytes(s->nw));
  return cps_linearised_back(&b->at, LINEAR_RATES, b->change, b->n_wrt, w, grad);
}

int cps_rk_apply(bodies *b, const body_op *o) {
  const rk_table *t = o->table;
  int ny = b->s->ny;
  size_t stride = (size_t)b->n_wrt * (size_t)ny;
  memcpy(b->stage, o->y, bytes(ny));
  for (int i = 0; i < t->stages; i++) {
    double *point = b->stage + (size_t)i * (size_t)ny;
    if (i > 0) combine(point, b->stage, o->h, t->a[i], i, b->k, (size_t)ny, ny);
    if (!cps_linearised_go(&b->at, stage_time(o, i), point, o->mode, &o->free->k)) return 0;
    memcpy(b->k + (size_t)i * (size_t)ny, b->at.y_t, bytes(ny));
    if (i == 0) memcpy(point, b->at.y, bytes(ny)); /* with the surfaces in place */
    if (i == 0) watch_modes(b, o);
    for (int j = 0; j < b->n_wrt; j++) {
      double *s = b->s_y + (size_t)j * (size_t)b->n, *dk = b->dk + (size_t)j * (size_t)ny,
             *dy = i == 0 ? s : b->dy;
      if (i > 0) combine(dy, s, o->h, t->a[i], i, dk, stride, ny);
      if (!cps_linearised_rates(&b->at, &b->change[j], dy, dk + (size_t)i * stride)) return 0;
    }
  }
  for (int j = 0; j < b->n_wrt; j++) {
    double *s = b->s_y + (size_t)j * (size_t)b->n;
    for (int i = 0; i < t->stages; i++) {
      const double *dk = b->dk + (size_t)i * stride + (size_t)j * (size_t)ny;
      double by = o->h * t->b[i];
      for (int m = 0; m < ny; m++) s[m] += by * dk[m];
    }
    if (t == &cps_dopri_table) finish(b, o, &b->change[j], s);
  }
  return 1;
}

int cps_rk_back(bodies *b, const body_op *o) {
  const rk_table *t = o->table;
  int ny = b->s->ny, n_of = b->c.run->n_of;
  size_t stride = (size_t)n_of * (size_t)ny;
  for (int m = 0; m < n_of && t == &cps_dopri_table; m++)
    finish_back(b, o, b->w + (size_t)m * (size_t)b->n, b->c.gradient + (size_t)m * (size_t)b->n_wrt);
  memcpy(b->stage, o->y, bytes(ny));
  for (int i = 0; i < t->stages; i++) {
    double *point = b->stage + (size_t)i * (size_t)ny;
    if (i > 0) combine(point, b->stage, o->h, t->a[i], i, b->k, (size_t)ny, ny);
    memcpy(b->at.k.inverse_mass, o->free->k.inverse_mass, bytes(b->s->nx));
    memcpy(b->at.k.w_ii, o->free->k.w_ii, bytes(b->s->nc));
    if (cps_system_rates(b->s, &b->at.k, stage_time(o, i), point, o->mode, b->k + (size_t)i * (size_t)ny) !=
        CPS_OK)
      return 0;
  }
  for (int i = t->stages - 1; i >= 0; i--) {
    double *point = b->stage + (size_t)i * (size_t)ny;
    if (!cps_linearised_go(&b->at, stage_time(o, i), point, o->mode, &o->free->k)) return 0;
    if (i == 0) watch_modes(b, o);
    for (int m = 0; m < n_of; m++) {
      double *w = b->w + (size_t)m * (size_t)b->n, *w_k = b->dy_t;
      double *w_y = b->dk + (size_t)i * stride + (size_t)m * (size_t)ny;
      for (int q = 0; q < ny; q++) w_k[q] = o->h * t->b[i] * w[q];
      for (int j = i + 1; j < t->stages; j++) {
        double by = o->h * t->a[j][i];
        const double *later = b->dk + (size_t)j * stride + (size_t)m * (size_t)ny;
        for (int q = 0; q < ny && by != 0; q++) w_k[q] += by * later[q];
      }
      double *grad = b->c.gradient + (size_t)m * (size_t)b->n_wrt;
      if (i == 0) { /* the first stage is the state itself, in which surfaces have been put */
        for (int j = 1; j < t->stages; j++) {
          const double *later = b->dk + (size_t)j * stride + (size_t)m * (size_t)ny;
          for (int q = 0; q < ny; q++) w[q] += later[q];
        }
        w_y = w;
      } else {
        memset(w_y, 0, bytes(ny));
      }
      if (!cps_rates_weigh(b, w_k, w_y, grad)) return 0;
    }
  }
  return 1;
}
