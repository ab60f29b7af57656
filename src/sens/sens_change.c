/* sens_change.c - what a parameter changes in the numbers of a system of bodies.
 *
 * Its shadows (sens.h) are made into systems and every number is compared with theirs; what does not change is left out,
 * so that the work per parameter is that of the things it concerns. Prescribed quantities are compared at the time in
 * question, each shadow in the piece in which the base is: where pieces meet may move as well, which
 * sens_jump_times.c knows.
 */
#include "sens_change.h"
#include "body_tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef cps_system *shadows[SENS_SHADOWS];

/* The derivative of a number with the value `base`: exactly 0 if it does not change. */
static double rate_of(double step, double base, const double *x) {
  double sum = 0;
  for (int k = 0; k < SENS_SHADOWS; k++) sum += cps_sens_share[k] * (x[k] - base);
  return sum / step;
}

static void compare_numbers(number_change *list, int *n, double step, const double *base,
                            const double *const *x, int count) {
  for (int i = 0; i < count; i++) {
    double v[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) v[k] = x[k][i];
    double d = rate_of(step, base[i], v);
    if (d != 0) list[(*n)++] = (number_change){i, d};
  }
}

/* ------------------------------------------------------------------ things */

int cps_sens_same(const profile *a, const profile *b) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || a->n != b->n || memcmp(a->a, b->a, sizeof a->a) != 0) return 0;
  size_t n = (size_t)a->n;
  if (a->kind == PROFILE_TABLE &&
      (memcmp(a->x, b->x, n * sizeof(double)) != 0 || memcmp(a->y, b->y, n * sizeof(double)) != 0))
    return 0;
  if (a->kind == PROFILE_POLYNOMIAL &&
      (memcmp(a->x, b->x, (n + 1) * sizeof(double)) != 0 || memcmp(a->y, b->y, 4 * n * sizeof(double)) != 0))
    return 0;
  for (int i = 0; i < a->n && (a->kind == PROFILE_SUM || a->kind == PROFILE_PRODUCT); i++)
    if (!cps_sens_same(a->child[i], b->child[i])) return 0;
  return 1;
}

static void add_profile(change *c, profile_change p, const profile *const *others) {
  if (c->step != 0) {
    int any = 0;
    for (int k = 0; k < SENS_SHADOWS; k++) {
      p.shadow[k] = others[k];
      any |= !cps_sens_same(p.base, others[k]);
    }
    if (!any) return;
  } else if (p.base->kind == PROFILE_CONSTANT && p.kind != GIVEN_SURFACE) {
    return; /* time changes nothing */
  }
  c->profile[c->n_profile++] = p;
}

int cps_prescribed(const cps_scenario *s, int n, prescribed *x) {
  const cable_end *end = NULL;
  for (int kind = 0; kind < GIVEN_KINDS; kind++) {
    const int of[GIVEN_KINDS] = {s->n_bodies, s->n_loads,  s->n_contacts, s->n_drums,
                                 s->n_drums,  s->n_cables, s->n_cables};
    int parts = cps_given_parts((prescribed_kind)kind), i = n / parts, part = n % parts;
    if (i >= of[kind]) {
      n -= of[kind] * parts;
      continue;
    }
    if (kind >= GIVEN_END) end = &s->cables[i].end[part / 3];
    *x = (prescribed){(prescribed_kind)kind, i, part,
                      kind == GIVEN_SURFACE  ? s->bodies[i].motion
                      : kind == GIVEN_LOAD   ? s->loads[i].force
                      : kind == GIVEN_NORMAL ? s->contacts[i].given
                      : kind == GIVEN_DRIVE  ? s->drums[i].motion
                      : kind == GIVEN_CENTER ? s->drums[i].shift[part]
                      : kind == GIVEN_END    ? end->shift[part % 3]
                                             : end->force[part % 3]};
    return 1;
  }
  return 0;
}

/* All that is prescribed for bodies; x NULL: for time. */
static void compare_profiles(change *c, const cps_system *s, cps_scenario *const *x) {
  const profile *others[SENS_SHADOWS] = {NULL};
  prescribed it, other;
  for (int n = 0; cps_prescribed(s->scenario, n, &it); n++) {
    int surface = it.kind == GIVEN_SURFACE;
    if (!it.by || it.kind > GIVEN_NORMAL) continue;
    if (it.kind == GIVEN_NORMAL && s->contacts[it.of].constant == s->contacts[it.of].constant) continue;
    for (int k = 0; x && k < SENS_SHADOWS; k++) others[k] = cps_prescribed(x[k], n, &other) ? other.by : NULL;
    add_profile(c,
                (profile_change){it.kind,
                                 surface ? s->body_q[it.of] : it.of,
                                 surface && s->scenario->bodies[it.of].motion_is_velocity,
                                 it.by,
                                 {NULL}},
                others);
  }
}

/* Bodies that are held: with which velocity they are released. */
static void compare_holds(change *c, const cps_system *s, cps_scenario *const *x) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind == BODY_SURFACE || !(b->held_until > sc->run.from)) continue;
    for (int j = 0; j < cps_body_freedoms(s, i); j++) {
      double v[SENS_SHADOWS];
      for (int k = 0; k < SENS_SHADOWS; k++) v[k] = x[k]->bodies[i].v[j];
      double d = rate_of(c->step, b->v[j], v);
      if (d != 0) c->release[c->n_release++] = (number_change){s->body_q[i] + j, d};
    }
  }
}

int cps_change_prescribe(change *c, const cps_system *s, const sens_parameter *p, pool *room) {
  memset(c, 0, sizeof *c);
  if (p) c->step = p->step;
  POOL_ARRAY(room, c->profile, s->ns + s->n_loads + s->nc);
  if (c->profile) compare_profiles(c, s, p ? p->shadow : NULL);
  return c->profile != NULL;
}

/* Whether the shadow is the base with other numbers, and no other form. */
static int alike(const cps_system *s, const cps_system *x) {
  if (x->nd != s->nd || x->ns != s->ns || x->nc != s->nc || x->nz != s->nz || x->n_line != s->n_line ||
      x->n_plane != s->n_plane || x->n_loads != s->n_loads)
    return 0;
  for (int i = 0; i < s->nc; i++)
    if (x->contacts[i].law != s->contacts[i].law) return 0;
  return 1;
}

/* The numbers of the tables of bodies. */
static int compare_tables(change *c, const cps_system *s, const shadows x) {
  int n = cps_numbers_layout(s).count;
  double *all = calloc((SENS_SHADOWS + 1) * (size_t)n + 1, sizeof *all);
  const double *other[SENS_SHADOWS];
  if (!all) return 0;
  cps_numbers_read(s, s, all);
  for (int k = 0; k < SENS_SHADOWS; k++) {
    other[k] = all + (size_t)(k + 1) * (size_t)n;
    cps_numbers_read(x[k], s, all + (size_t)(k + 1) * (size_t)n);
  }
  compare_numbers(c->number, &c->n_number, c->step, all, other, n);
  free(all);
  return 1;
}

cps_status cps_change_make(change *c, const cps_system *s, const sens_parameter *p, pool *room,
                           cps_error *err) {
  shadows x = {NULL};
  const double *initial[SENS_SHADOWS];
  cps_status status = CPS_OK;
  cps_change_prescribe(c, s, p, room);
  POOL_ARRAY(room, c->number, cps_numbers_layout(s).count);
  POOL_ARRAY(room, c->initial, s->ny);
  POOL_ARRAY(room, c->release, s->nd);
  for (int k = 0; k < SENS_SHADOWS && status == CPS_OK; k++) {
    x[k] = cps_system_new(p->shadow[k], err);
    if (!x[k])
      status = CPS_NO_MEMORY;
    else if (!alike(s, x[k]))
      status = cps_error_set(err, CPS_BAD_INPUT, p->q.path,
                             "%s changes what the system consists of, not a number of it", p->q.path);
    else
      initial[k] = x[k]->initial;
  }
  if (status == CPS_OK && (room->lost || !compare_tables(c, s, x)))
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  if (status == CPS_OK) {
    compare_numbers(c->initial, &c->n_initial, c->step, s->initial, initial, s->ny);
    compare_holds(c, s, p->shadow);
  }
  for (int k = 0; k < SENS_SHADOWS; k++) cps_system_free(x[k]);
  return status;
}

/* ------------------------------------------------------------------ over time */

/* The rate of the second derivative, by differences of the piece that holds at t. */
static double third(const profile *p, double t) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60};
  double h = 1e-3 * fmax(fabs(t), 1e-2), sum = 0;
  for (int i = 1; i <= 3; i++)
    sum += weight[i - 1] *
           (cps_profile_beside(p, p, t, t + i * h).y_tt - cps_profile_beside(p, p, t, t - i * h).y_tt);
  return sum / h;
}

profile_value cps_sens_profile_rate(const profile *p, double t) {
  profile_value y = cps_profile_eval(p, t);
  return (profile_value){y.y_t, y.y_tt, third(p, t)};
}

int cps_sens_timed(const profile *p) { return p && p->kind != PROFILE_CONSTANT; }

profile_value cps_change_profile(const change *c, const profile_change *p, double t) {
  if (c->step == 0) return cps_sens_profile_rate(p->base, t);
  profile_value base = cps_profile_eval(p->base, t);
  double y[SENS_SHADOWS], y_t[SENS_SHADOWS], y_tt[SENS_SHADOWS];
  for (int k = 0; k < SENS_SHADOWS; k++) {
    profile_value v = cps_profile_beside(p->shadow[k], p->base, t, t);
    y[k] = v.y;
    y_t[k] = v.y_t;
    y_tt[k] = v.y_tt;
  }
  return (profile_value){rate_of(c->step, base.y, y), rate_of(c->step, base.y_t, y_t),
                         rate_of(c->step, base.y_tt, y_tt)};
}

double cps_change_way(const change *c, const profile_change *p, double t0, double h, double t) {
  return h / 6 *
         (cps_change_profile(c, p, t0).y + 4 * cps_change_profile(c, p, t0 + h / 2).y +
          cps_change_profile(c, p, t).y);
}
