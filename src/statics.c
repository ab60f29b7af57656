/* statics.c - equilibrium of a machine with friction that holds what it can.
 *
 * Implicit Euler steps that start from rest each time and grow, so that they descend to equilibrium; friction is a
 * soft spring at every contact, from where the point was at the start, up to what the law holds.
 *
 * And the balance of forces at a given motion: accelerations and friction forces.
 */
#include "haul.h"

#include <math.h>
#include <string.h>

/* Springs that hold contacts in statics [N/m]. */
static const double HELD = 2e4, HARDLY = 1e-3;

static void rest(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = (size_t)(c->n + 1) * (size_t)c->b * sizeof(double);
    memset(c->v, 0, bytes);
    memset(c->a, 0, bytes);
    memset(c->aux, 0, bytes);
  }
  for (int k = 0; k < m->nb; k++) m->free[k].v = m->free[k].a = m->free[k].aux = 0;
  cps_machine_tie(m);
}

/* Contact points start from here, without friction. */
static void mark_start(machine *m) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int k = 0; k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      p->f[0] = p->f[1] = 0;
      for (int d = 0; d < m->dim; d++) {
        c->start[k][d] = 0;
        for (int s = 0; s < 4; s++)
          if (p->shape[s] != 0) c->start[k][d] += p->shape[s] * c->q[p->node * c->b + s * m->dim + d];
      }
    }
  }
  for (int k = 0; k < m->n_slides; k++) {
    slide *y = &m->slide[k];
    m->free[y->f_at].q = y->start = 0;
    for (int i = 0; i < 2; i++)
      if (y->at[i] >= 0) y->start += (i == 0 ? y->factor[0] : -y->factor[1]) * m->free[y->at[i]].q;
  }
}

/* One implicit Euler step from rest. Returns how far it moved, or -1 with everything as before. */
static double relax(machine *m, double t, double h, double bristle) {
  rest(m);
  cps_haul_keep(m);
  implicit how = {t, h * h, h, h, bristle, 0};
  if (cps_haul_solve(m, &how, 40, 3e-9) < 0) {
    cps_haul_bring_back(m);
    return -1;
  }
  double moved = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < (m->cable[i].n + 1) * m->cable[i].b; k++)
      moved = fmax(moved, fabs(m->cable[i].q[k] - m->cable[i].q0[k]));
  for (int k = 0; k < m->nb; k++) moved = fmax(moved, fabs(m->free[k].q - m->free[k].q0));
  return moved;
}

int cps_machine_balance(machine *m, double t) {
  const double instant = 1e-8; /* in which nothing moves [s] */
  implicit how = {t, instant * instant, instant, 0, 0, 0};
  return cps_haul_solve(m, &how, 15, 1e-6);
}

cps_status cps_machine_statics(machine *m, double t, cps_error *err) {
  double span = 0, h = 1e-3, drift = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n; k++) span += m->cable[i].length[k];
  /* The cable first settles onto the drums with hardly any friction, for a time too short to slide far. */
  mark_start(m);
  for (int round = 0; round < 100 && h < 0.02 && h > 1e-9; round++)
    h *= relax(m, t, h, HARDLY) < 0 ? 0.25 : 2;
  mark_start(m);
  int settled = 0;
  for (int round = 0; round < 400 && !settled && drift < span && h > 1e-9; round++) {
    double moved = relax(m, t, h, HELD);
    settled = h >= 10 && moved >= 0 && moved < 1e-9 * span;
    drift += fmax(moved, 0);
    h = moved < 0 ? h / 4 : fmin(2 * h, 100);
  }
  rest(m);
  if (settled) return CPS_OK;
  return cps_error_set(err, CPS_FAILED, NULL,
                       "the cables find no equilibrium: friction cannot hold their loads");
}
