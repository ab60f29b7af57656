/* sens_slide_drive.c - what is prescribed for bodies: loads, the motion of surfaces, and normal forces that are given; by the
 * parameters that change them, and by time. Which these are, and how, sens_change.c knows for bodies with and without cables. */
#include "sens_drive.h"

/* Parameters, and time in the lane behind them. */
static int changes_of(const drive *o) { return o->time >= 0 ? o->time + 1 : o->run->n_wrt; }

/* The first number in d of something prescribed: of surfaces place, velocity and acceleration. */
static int number_of(const drive *o, const profile_change *x) {
  const layout *l = o->at;
  if (x->kind == GIVEN_SURFACE) return l->surface_d + 3 * x->of;
  return x->kind == GIVEN_LOAD ? l->load_d + x->of : l->slide_d + o->m->n_slides - o->m->system->nc + x->of;
}

int cps_drive_find_bodies(drive *o) {
  if (!POOL_ARRAY(&o->pool, o->bodies, changes_of(o))) return 0;
  for (int k = 0; k < changes_of(o); k++) {
    change *c = &o->bodies[k];
    if (k < o->run->n_wrt || k == o->time)
      if (!cps_change_prescribe(c, o->m->system, k < o->run->n_wrt ? &o->run->wrt[k] : NULL, &o->pool))
        return 0;
    for (int i = 0; i < c->n_profile; i++)
      for (int n = 0; n < (c->profile[i].kind == GIVEN_SURFACE ? 3 : 1); n++)
        o->d_varies[number_of(o, &c->profile[i]) + n] = 1;
  }
  return 1;
}

void cps_drive_move_bodies(drive *o, double t0, double t) {
  for (int k = 0; k < changes_of(o); k++) {
    const change *c = &o->bodies[k];
    lanes *d = o->d + k / LANES * o->at->ds;
    for (int i = 0; i < c->n_profile; i++) {
      const profile_change *x = &c->profile[i];
      profile_value by = cps_change_profile(c, x, t);
      lanes *to = d + number_of(o, x);
      int lane_of = k % LANES, first = x->is_velocity;
      to[first][lane_of] = by.y;
      if (x->kind != GIVEN_SURFACE) continue;
      to[first + 1][lane_of] = by.y_t;
      if (!first)
        to[2][lane_of] = by.y_tt;
      else if (k == o->time)
        to[0][lane_of] = cps_profile_eval(x->base, t).y;
      else if (t != t0) /* its place, as cps_surfaces_move has it */
        to[0][lane_of] += cps_change_way(c, x, t0, t - t0, t);
    }
  }
}

/* Whether contacts are the same but for profiles, and these too. */
int cps_drive_same_contacts(const cps_scenario *a, const cps_scenario *b) {
  for (int i = 0; i < a->n_contacts; i++) {
    scenario_contact x = a->contacts[i], y = b->contacts[i];
    if (!cps_sens_same(x.given, y.given)) return 0;
    x.given = y.given = NULL;
    if (memcmp(&x, &y, sizeof x) != 0) return 0;
  }
  for (int i = 0; i < a->n_bodies; i++)
    if (!cps_sens_same(a->bodies[i].motion, b->bodies[i].motion)) return 0;
  return 1;
}
