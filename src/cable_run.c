/* cable_run.c - statics and time stepping of cables on drums.
 *
 * Time: with A the acceleration that balances forces at the end of the step and a the auxiliary one,
 *   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) A1 + alpha_f A0,
 *   q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1),  v1 = v0 + h ((1 - gamma) a0 + gamma a1),
 * and Newton's method on A1 and the friction forces, with the exact matrix in every iteration. Drums whose
 * motion does not depend on the cables are moved first.
 *
 * Statics: implicit Euler steps that start from rest each time and grow, so that they descend to equilibrium;
 * friction is a soft spring at every contact, from where the point was at the start, up to what the law
 * holds.
 */
#include "cables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_MOST = 15 };

/* Newton on all cables; the number of iterations, or -1. */
static int solve(cables *all, const implicit *how, int most, double tolerance) {
  for (int it = 0; it < most; it++) {
    int good = 1;
    for (int i = 0; i < all->n_cables; i++) {
      double friction, scale, force = cps_cable_assemble(&all->cable[i], all, how, &friction, &scale);
      if (force <= tolerance * scale && friction <= 1e-8) continue;
      good = 0;
      if (cps_cable_update(&all->cable[i], how, 0.02) < 0) return -1;
    }
    if (good) return it;
  }
  return -1;
}

/* Setpoint and its rate. */
static double pd(const drum *d, double t, double angle, double rate) {
  profile_value s = cps_profile_eval(d->motion, t);
  return d->kp * (s.y - angle) + d->kd * (s.y_t - rate);
}

/* Moves a drum by h: prescribed, or its controller by the classical Runge-Kutta method in short steps. */
static void turn(drum *d, double t, double h) {
  if (d->kind == DRUM_ROTATION) {
    profile_value s = cps_profile_eval(d->motion, t + h);
    d->angle = s.y;
    d->rate = s.y_t;
    d->acceleration = s.y_tt;
  } else if (d->kind == DRUM_PD) {
    int parts = 1 + (int)(h * (sqrt(d->kp) + d->kd));
    for (int i = 0; i < 2 * parts; i++) {
      double s = h / (2 * parts), at = t + i * s, k[4][2];
      for (int j = 0; j < 4; j++) {
        double c = j == 0 ? 0 : j == 3 ? s : s / 2;
        double x = d->angle + (j ? c * k[j - 1][0] : 0), y = d->rate + (j ? c * k[j - 1][1] : 0);
        k[j][0] = y;
        k[j][1] = pd(d, at + c, x, y);
      }
      d->angle += s / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
      d->rate += s / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
    d->acceleration = pd(d, t + h, d->angle, d->rate);
  }
}

static size_t coordinates(const cable *c) { return (size_t)(c->m.n + 1) * (size_t)c->m.b; }

cps_status cps_cable_run_make(cable_run *r, cables *all, double t, double rho, cps_error *err) {
  memset(r, 0, sizeof *r);
  r->all = all;
  r->t = t;
  r->rho = rho;
  size_t n = (size_t)all->n_cables;
  double ***arrays[] = {&r->q, &r->v, &r->a, &r->aux, &r->f};
  int good = (r->drums = calloc((size_t)all->n_drums + 1, sizeof *r->drums)) != NULL;
  for (int k = 0; k < 5; k++) {
    good = (*arrays[k] = calloc(n + 1, sizeof(double *))) && good;
    for (size_t i = 0; good && i < n; i++) {
      size_t size = k == 4 ? (size_t)all->cable[i].n_points : coordinates(&all->cable[i]);
      good = ((*arrays[k])[i] = calloc(size + 1, sizeof(double))) != NULL;
    }
  }
  if (good) return CPS_OK;
  cps_cable_run_free(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run of %d cables", all->n_cables);
}

void cps_cable_run_free(cable_run *r) {
  double **arrays[] = {r->q, r->v, r->a, r->aux, r->f};
  for (int k = 0; k < 5; k++) {
    for (int i = 0; arrays[k] && i < r->all->n_cables; i++) free(arrays[k][i]);
    free(arrays[k]);
  }
  free(r->drums);
  memset(r, 0, sizeof *r);
}

/* Keeps the state before a step, or brings it back. */
static void keep(cable_run *r) {
  for (int i = 0; i < r->all->n_cables; i++) {
    cable *c = &r->all->cable[i];
    size_t bytes = coordinates(c) * sizeof(double);
    memcpy(r->q[i], c->m.q, bytes);
    memcpy(r->v[i], c->m.v, bytes);
    memcpy(r->a[i], c->a, bytes);
    memcpy(r->aux[i], c->aux, bytes);
    for (int k = 0; k < c->n_points; k++) {
      r->f[i][k] = c->points[k].f;
      memcpy(c->points[k].z_old, c->points[k].z, sizeof c->points[k].z);
    }
  }
  memcpy(r->drums, r->all->drum, (size_t)r->all->n_drums * sizeof *r->drums);
}

static void bring_back(cable_run *r) {
  for (int i = 0; i < r->all->n_cables; i++) {
    cable *c = &r->all->cable[i];
    size_t bytes = coordinates(c) * sizeof(double);
    memcpy(c->m.q, r->q[i], bytes);
    memcpy(c->m.v, r->v[i], bytes);
    memcpy(c->a, r->a[i], bytes);
    memcpy(c->aux, r->aux[i], bytes);
    for (int k = 0; k < c->n_points; k++) {
      c->points[k].f = r->f[i][k];
      memcpy(c->points[k].z, c->points[k].z_old, sizeof c->points[k].z);
    }
  }
  memcpy(r->all->drum, r->drums, (size_t)r->all->n_drums * sizeof *r->drums);
}

/* One step of length h; the number of iterations, or -1 with the state as before. */
static int step(cable_run *r, double h) {
  double am = (2 * r->rho - 1) / (r->rho + 1), af = r->rho / (r->rho + 1), gamma = 0.5 - am + af;
  double beta = (1 - am + af) * (1 - am + af) / 4, follow = (1 - af) / (1 - am);
  keep(r);
  for (int i = 0; i < r->all->n_drums; i++) turn(&r->all->drum[i], r->t, h);
  for (int i = 0; i < r->all->n_cables; i++) { /* as if the acceleration stayed */
    cable *c = &r->all->cable[i];
    for (size_t k = 0; k < coordinates(c); k++) {
      if (c->m.fixed[k]) continue;
      double a0 = c->aux[k], a1 = (c->a[k] - am * a0) / (1 - am);
      c->m.q[k] += h * c->m.v[k] + h * h * ((0.5 - beta) * a0 + beta * a1);
      c->m.v[k] += h * ((1 - gamma) * a0 + gamma * a1);
    }
  }
  implicit how = {h * h * beta * follow, h * gamma * follow, h, 0};
  int it = solve(r->all, &how, NEWTON_MOST, 1e-8);
  if (it < 0) {
    bring_back(r);
    return -1;
  }
  for (int i = 0; i < r->all->n_cables; i++) {
    cable *c = &r->all->cable[i];
    for (size_t k = 0; k < coordinates(c); k++)
      c->aux[k] = ((1 - af) * c->a[k] + af * r->a[i][k] - am * c->aux[k]) / (1 - am);
  }
  r->t += h;
  return it;
}

cps_status cps_cable_run_to(cable_run *r, double until, double h, cps_error *err) {
  if (!(r->h > 0)) r->h = h;
  while (r->t < until * (1 - 1e-14)) {
    double length = fmin(fmin(r->h, h), until - r->t);
    int it = step(r, length);
    if (it < 0) {
      r->cuts++;
      r->h = length / 2;
      if (r->h < 1e-9 * h)
        return cps_error_set(err, CPS_FAILED, NULL,
                             "at t = %.9g s: the cable's equations do not converge, however short the step",
                             r->t);
      continue;
    }
    r->steps++;
    r->iterations += it + 1;
    r->h = fmin(h, 2 * length);
  }
  return CPS_OK;
}

static void rest(cable *c) {
  size_t bytes = coordinates(c) * sizeof(double);
  memset(c->m.v, 0, bytes);
  memset(c->a, 0, bytes);
  memset(c->aux, 0, bytes);
}

/* Contact points start from here, without friction. */
static void mark_start(cables *all) {
  for (int i = 0; i < all->n_cables; i++) {
    cable *c = &all->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->points[k];
      p->f = 0;
      for (int d = 0; d < c->m.dim; d++) {
        p->start[d] = 0;
        for (int s = 0; s < 4; s++)
          if (p->shape[s] != 0) p->start[d] += p->shape[s] * c->m.q[p->node * c->m.b + s * c->m.dim + d];
      }
    }
  }
}

/* One implicit Euler step from rest. Returns how far it moved, or -1 with everything as before. */
static double relax(cable_run *r, double h, double bristle) {
  cables *all = r->all;
  for (int i = 0; i < all->n_cables; i++) rest(&all->cable[i]);
  keep(r);
  implicit how = {h * h, h, h, bristle};
  if (solve(all, &how, 40, 3e-9) < 0) {
    bring_back(r);
    return -1;
  }
  double moved = 0;
  for (int i = 0; i < all->n_cables; i++)
    for (size_t k = 0; k < coordinates(&all->cable[i]); k++)
      moved = fmax(moved, fabs(all->cable[i].m.q[k] - r->q[i][k]));
  return moved;
}

cps_status cps_cables_statics(cables *all, cps_error *err) {
  cable_run r;
  cps_status status = cps_cable_run_make(&r, all, 0, 1, err);
  if (status != CPS_OK) return status;
  double span = 0, h = 1e-3, drift = 0;
  for (int i = 0; i < all->n_cables; i++)
    for (int k = 0; k < all->cable[i].m.n; k++) span += all->cable[i].m.length[k];
  /* The cable first settles onto the drums with hardly any friction, for a time too short to slide far. */
  mark_start(all);
  for (int round = 0; round < 100 && h < 0.02 && h > 1e-9; round++) h *= relax(&r, h, 1e-3) < 0 ? 0.25 : 2;
  mark_start(all);
  int settled = 0;
  for (int round = 0; round < 400 && !settled && drift < span && h > 1e-9; round++) {
    double moved = relax(&r, h, 2e4);
    settled = h >= 10 && moved >= 0 && moved < 1e-12 * span;
    drift += fmax(moved, 0);
    h = moved < 0 ? h / 4 : fmin(2 * h, 100);
  }
  for (int i = 0; i < all->n_cables; i++) rest(&all->cable[i]);
  cps_cable_run_free(&r);
  if (settled) return CPS_OK;
  return cps_error_set(err, CPS_FAILED, NULL,
                       "the cable finds no equilibrium: friction cannot hold its loads");
}
