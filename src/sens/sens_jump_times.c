/* sens_jump_times.c - how parameters move the times at which something prescribed jumps: breaks of profiles, releases of bodies. */
#include "sens.h"

#include <math.h>

/* All profiles of a scenario, one by one; *end after the last. NULL where none is given. */
static const profile *profile_at(const cps_scenario *s, int n, int *end) {
  *end = 0;
  if (n < 4 * s->n_drums) return n % 4 == 3 ? s->drums[n / 4].motion : s->drums[n / 4].shift[n % 4];
  n -= 4 * s->n_drums;
  if (n < 12 * s->n_cables) {
    const cable_end *e = &s->cables[n / 12].end[n / 6 % 2];
    return n % 6 < 3 ? e->shift[n % 3] : e->force[n % 3];
  }
  n -= 12 * s->n_cables;
  if (n < s->n_loads) return s->loads[n].force;
  n -= s->n_loads;
  if (n < s->n_contacts) return s->contacts[n].given;
  n -= s->n_contacts;
  if (n < s->n_bodies) return s->bodies[n].motion;
  *end = 1;
  return NULL;
}

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
  int end = 0, moves = 0;
  for (int n = 0; !end && !moves; n++) {
    const profile *p = profile_at(a, n, &end);
    if (!end) moves = other_breaks(p, profile_at(b, n, &end), &a->run);
  }
  for (int i = 0; i < a->n_bodies; i++) moves |= a->bodies[i].held_until != b->bodies[i].held_until;
  return moves;
}

/* How the break of profile n at time t moves with a parameter; 0 if it has none there. */
static int break_of(const sens_run *run, int wrt, int n, double t, double *rate) {
  const sens_parameter *p = &run->wrt[wrt];
  int end;
  const profile *base = profile_at(run->scenario, n, &end), *shadow[SENS_SHADOWS];
  double at = -INFINITY, x[SENS_SHADOWS];
  if (!base) return 0;
  for (int k = 0; k < SENS_SHADOWS; k++) {
    shadow[k] = profile_at(p->shadow[k], n, &end);
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
  int moving = 0, resting = 0, end;
  for (int n = 0; profile_at(s, n, &end) || !end; n++) {
    if (!break_of(run, wrt, n, t, &rate)) continue;
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
