/* body_error.c - the local error of bodies in a step of generalised-alpha, from the derivatives that the method's error starts
 * with. Each coordinate, velocity and state is judged by the largest value that it has had. Bodies alone, and those beside cables that
 * have nothing to do with them, are judged by it; what moves with a cable has its error in cable_alpha.c.
 */
#include "body_error.h"

#include <math.h>
#include <string.h>

/* Second derivative of a rate from its last three values; from the last two, what it might be. */
static double bend(const body_error *e, double h, double x1, double x0, double before) {
  if (e->length == 0) return (x1 - x0) / (h * h);
  return 2 * ((x1 - x0) / h - (x0 - before) / e->length) / (h + e->length);
}

static inline double larger(double x, double y) { return x > y ? x : y; }

static double over(double error, double size, const scenario_run *set) {
  return fabs(error) / (set->tolerance_abs + set->tolerance * size);
}

void cps_body_error_parts(state_block *b, const cps_system *s, body_error *e, body_rates *old,
                          body_rates *now) {
  size_t nx = (size_t)s->nx, nc = (size_t)s->nc, nz = (size_t)s->nz;
  cps_block_part(b, "alpha.a", &old->a, NULL, nx);
  cps_block_part(b, "alpha.f", &old->f, NULL, nc);
  cps_block_part(b, "alpha.z_t", &old->z_t, NULL, nz);
  cps_block_part(b, "alpha.a_new", &now->a, NULL, nx);
  cps_block_part(b, "alpha.f_new", &now->f, NULL, nc);
  cps_block_part(b, "alpha.z_t_new", &now->z_t, NULL, nz);
  cps_block_part(b, "alpha.a_before", &e->before.a, NULL, nx);
  cps_block_part(b, "alpha.f_before", &e->before.f, NULL, nc);
  cps_block_part(b, "alpha.z_t_before", &e->before.z_t, NULL, nz);
  cps_block_part(b, "alpha.largest", &e->largest, NULL, 2 * nx + nz);
}

double cps_body_error(const body_error *e, const cps_system *s, const double *w_ii, const alpha_weights *u,
                      const double *y, const body_rates *old, const body_rates *now) {
  const scenario_run *set = &s->scenario->run;
  const double *scale = e->largest;
  double worst = 0, h = u->h;
  for (int i = 0; i < s->nd; i++) {
    if (e->counts && !e->counts[i]) continue;
    double q = u->q_error / h * (now->a[i] - old->a[i]);
    double v = u->v.error * bend(e, h, now->a[i], old->a[i], e->before.a[i]);
    worst = larger(over(q, larger(scale[i], fabs(y[i])), set), worst);
    worst = larger(worst, over(v, larger(scale[s->nx + i], fabs(y[s->nx + i])), set));
  }
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (e->counts && !e->counts[c->a]) continue;
    /* While all sticks, nothing moves: what friction does to velocities shows what the loads do. */
    double v = u->v.error * bend(e, h, now->f[i], old->f[i], e->before.f[i]) * w_ii[i];
    worst = larger(worst, over(v, scale[s->nx + c->a], set));
    for (int k = c->z; k < c->z + c->n_states; k++) {
      double z = u->z.error * bend(e, h, now->z_t[k], old->z_t[k], e->before.z_t[k]);
      worst = larger(worst, over(z, larger(scale[2 * s->nx + k], fabs(y[2 * s->nx + k])), set));
    }
  }
  return worst;
}

/* Rates lie one after the other, in the same order in each of the three (cps_body_error_parts). */
static void copy_rates(const body_rates *to, const body_rates *from, size_t n) {
  memcpy(to->a, from->a, n * sizeof *to->a);
}

void cps_body_error_step(body_error *e, const cps_system *s, const double *y, double h, const body_rates *old,
                         const body_rates *now) {
  size_t n = (size_t)(now->a - old->a);
  copy_rates(&e->before, old, n);
  copy_rates(old, now, n);
  e->length = h;
  for (int i = 0; i < 2 * s->nx + s->nz; i++) e->largest[i] = larger(fabs(y[i]), e->largest[i]);
}
