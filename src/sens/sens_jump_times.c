/* sens_jump_times.c - how parameters move the times at which something prescribed jumps: breaks of profiles, releases of bodies. */
#include "sens.h"

#include <math.h>

/* Whether two profiles break at different times within the run. */
static int other_breaks(const profile *a, const profile *b, const scenario_run *run) {
  if (!a || !b) return 0;
  double x = -INFINITY, y = -INFINITY;
  do {
    x = cps_profile_next_break(a, x);
    y = cps_profile_next_break(b, y);
    if (x != y) return 1;
  } while (x < run->until);
  return 0;
}

int cps_sens_breaks_move(const cps_scenario *a, const cps_scenario *b) {
  int moves = 0;
  prescribed x, y;
  for (int n = 0; !moves && cps_prescribed(a, n, &x); n++)
    moves = cps_prescribed(b, n, &y) && other_breaks(x.by, y.by, &a->run);
  for (int i = 0; i < a->n_bodies; i++) moves |= a->bodies[i].held_until != b->bodies[i].held_until;
  return moves;
}

/* How the break of profile n at time t moves with a parameter; 0 if it has none there. */
static int break_of(const sens_parameter *p, const profile *base, int n, double t, double *rate) {
  const profile *shadow[SENS_SHADOWS];
  double at = -INFINITY, x[SENS_SHADOWS];
  prescribed other = {.by = NULL};
  if (!base) return 0;
  for (int k = 0; k < SENS_SHADOWS; k++) {
    cps_prescribed(p->shadow[k], n, &other);
    shadow[k] = other.by;
    x[k] = -INFINITY;
  }
  while (at < t) {
    at = cps_profile_next_break(base, at);
    if (!(at <= t)) return 0;
    for (int k = 0; k < SENS_SHADOWS; k++) x[k] = cps_profile_next_break(shadow[k], x[k]);
  }
  *rate = 0;
  for (int k = 0; k < SENS_SHADOWS; k++) *rate += cps_sens_share[k] / p->step * (x[k] - at);
  return 1;
}

double cps_sens_tau(const sens_run *run, int wrt, double t, int *several) {
  const cps_scenario *s = run->scenario;
  const sens_parameter *p = &run->wrt[wrt];
  double tau = 0, rate;
  int moving = 0, resting = 0;
  prescribed x;
  for (int n = 0; cps_prescribed(s, n, &x); n++) {
    if (!break_of(p, x.by, n, t, &rate)) continue;
    moving += rate != 0;
    resting += rate == 0;
    if (rate != 0) tau = rate;
  }
  for (int i = 0; i < s->n_bodies; i++) {
    if (s->bodies[i].held_until != t) continue;
    rate = 0;
    for (int k = 0; k < SENS_SHADOWS; k++)
      rate += cps_sens_share[k] / p->step * (p->shadow[k]->bodies[i].held_until - t);
    moving += rate != 0;
    resting += rate == 0;
    if (rate != 0) tau = rate;
  }
  *several = moving > 1 || (moving && resting);
  return tau;
}
