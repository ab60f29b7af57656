/* sens_slide_drive.c - what is prescribed for bodies: loads, the motion of surfaces, and normal forces that are given; by the
 * parameters that change them. */
#include "sens_drive.h"

/* Whether any parameter changes a profile, which `of` finds in a scenario. */
typedef const profile *finder(const cps_scenario *s, int i);

static const profile *surface_in(const cps_scenario *s, int i) { return s->bodies[i].motion; }

static const profile *given_in(const cps_scenario *s, int i) { return s->contacts[i].given; }

static const profile *load_in(const cps_scenario *s, int i) { return s->loads[i].force; }

static int varies(const drive *o, finder *of, int i) {
  if (o->time >= 0 && cps_sens_timed(of(o->run->scenario, i))) return 1;
  for (int k = 0; k < o->run->n_wrt; k++) {
    const cps_scenario *other = o->run->wrt[k].shadow[SENS_SHADOWS - 1];
    if (other && !cps_sens_same(of(o->run->scenario, i), of(other, i))) return 1;
  }
  return 0;
}

void cps_drive_find_bodies(drive *o) {
  const machine *m = o->m;
  const layout *l = o->at;
  for (int i = 0; i < m->of->n_loads; i++) o->d_varies[l->load_d + i] = varies(o, load_in, i) != 0;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    if (y->contact && y->contact->normal == NORMAL_GIVEN)
      o->d_varies[l->slide_d + i] = varies(o, given_in, (int)(y->contact - m->of->contacts)) != 0;
  }
  for (int i = 0; i < m->of->n_bodies && m->system->ns > 0; i++)
    for (int k = 0; k < 3 && m->of->bodies[i].kind == BODY_SURFACE; k++)
      o->d_varies[l->surface_d + 3 * i + k] = o->time >= 0 || varies(o, surface_in, i);
}

/* Derivatives of a profile at time t by all parameters that change it, into d from `first` on: `from` is the first of its
 * value, rate and second rate to be taken, n of them. */
static void move(drive *o, finder *of, int i, double t, int first, int from, int n) {
  const profile *base = of(o->run->scenario, i);
  if (o->time >= 0) {
    profile_value rate = cps_sens_profile_rate(base, t);
    double by[3] = {rate.y, rate.y_t, rate.y_tt};
    for (int k = 0; k < n; k++) o->d[o->time / LANES * o->at->ds + first + k][o->time % LANES] = by[from + k];
  }
  for (int wrt = 0; wrt < o->run->n_wrt; wrt++) {
    const sens_parameter *p = &o->run->wrt[wrt];
    double sum[3] = {0};
    if (!p->shadow[SENS_SHADOWS - 1] || cps_sens_same(base, of(p->shadow[SENS_SHADOWS - 1], i))) continue;
    for (int j = 0; j < SENS_SHADOWS; j++) {
      profile_value x = cps_profile_beside(of(p->shadow[j], i), base, t, t);
      sum[0] += cps_sens_share[j] / p->step * x.y;
      sum[1] += cps_sens_share[j] / p->step * x.y_t;
      sum[2] += cps_sens_share[j] / p->step * x.y_tt;
    }
    for (int k = 0; k < n; k++) o->d[wrt / LANES * o->at->ds + first + k][wrt % LANES] = sum[from + k];
  }
}

/* Adds `by` times the derivatives of a profile at time t to one number of d. */
static void add(drive *o, finder *of, int i, double t, int at, double by) {
  const profile *base = of(o->run->scenario, i);
  for (int wrt = 0; wrt < o->run->n_wrt; wrt++) {
    const sens_parameter *p = &o->run->wrt[wrt];
    if (!p->shadow[SENS_SHADOWS - 1] || cps_sens_same(base, of(p->shadow[SENS_SHADOWS - 1], i))) continue;
    for (int j = 0; j < SENS_SHADOWS; j++)
      o->d[wrt / LANES * o->at->ds + at][wrt % LANES] +=
          by * cps_sens_share[j] / p->step * cps_profile_beside(of(p->shadow[j], i), base, t, t).y;
  }
}

void cps_drive_move_bodies(drive *o, double t0, double t) {
  const machine *m = o->m;
  for (int i = 0; i < m->of->n_loads; i++)
    if (o->d_varies[o->at->load_d + i]) move(o, load_in, i, t, o->at->load_d + i, 0, 1);
  for (int i = 0; i < m->n_slides; i++)
    if (o->d_varies[o->at->slide_d + i])
      move(o, given_in, (int)(m->slide[i].contact - m->of->contacts), t, o->at->slide_d + i, 0, 1);
  for (int i = 0; i < m->of->n_bodies && m->system->ns > 0; i++) {
    int first = o->at->surface_d + 3 * i, fast = m->of->bodies[i].motion_is_velocity;
    double h = t - t0;
    if (m->of->bodies[i].kind != BODY_SURFACE || !o->d_varies[first]) continue;
    move(o, surface_in, i, t, first + fast, 0, 3 - fast);
    if (fast && o->time >= 0)
      o->d[o->time / LANES * o->at->ds + first][o->time % LANES] =
          cps_profile_eval(m->of->bodies[i].motion, t).y;
    if (!fast || h == 0) continue; /* its place, as cps_surfaces_move has it */
    add(o, surface_in, i, t0, first, h / 6);
    add(o, surface_in, i, t0 + h / 2, first, 4 * h / 6);
    add(o, surface_in, i, t, first, h / 6);
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
