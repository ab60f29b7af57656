/* sens_change.c - what a parameter changes in the numbers of a system of bodies.
 *
 * Its shadows (sens.h) are made into systems and every number is compared with theirs; what does not change is left out,
 * so that the work per parameter is that of the things it concerns. Prescribed quantities are compared at the time in
 * question, each shadow in the piece in which the base is: where pieces meet may move as well, which
 * cps_change_break says.
 */
#include "sens_linear.h"

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

/* The derivative of the number that lies `at` bytes into each. */
static double rate_at(double step, const void *base, const void *const *others, size_t at) {
  double x[SENS_SHADOWS], b;
  memcpy(&b, (const char *)base + at, sizeof b);
  for (int k = 0; k < SENS_SHADOWS; k++) memcpy(&x[k], (const char *)others[k] + at, sizeof x[k]);
  if (b != b) return 0; /* a constant that is none */
  return rate_of(step, b, x);
}

static void *many(int n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

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

#define RATE(field, type) rate_at(c->step, base, others, offsetof(type, field))

/* A spring along a line points from its first end to its second, the other way round in a shadow that has moved
 * one past the other: the same spring with all signs changed. */
static line_spring turn(const line_spring *g, const line_spring *like) {
  line_spring t = *g;
  if (!g->tension_only && g->sa * like->sa + g->sb * like->sb < 0) {
    t.sa = -t.sa;
    t.sb = -t.sb;
    t.rest = -t.rest;
  }
  return t;
}

static void compare_lines(change *c, const cps_system *s, const shadows x) {
  for (int i = 0; i < s->n_line; i++) {
    line_spring turned[SENS_SHADOWS];
    const void *base = &s->line[i], *others[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) {
      turned[k] = turn(&x[k]->line[i], &s->line[i]);
      others[k] = &turned[k];
    }
    line_change g = {i,
                     RATE(sa, line_spring),
                     RATE(sb, line_spring),
                     RATE(rest, line_spring),
                     RATE(k, line_spring),
                     RATE(d, line_spring)};
    if (g.sa != 0 || g.sb != 0 || g.rest != 0 || g.k != 0 || g.d != 0) c->line[c->n_line++] = g;
  }
}

static int compare_end(double step, plane_end *to, const void *base, const void *const *others, size_t at) {
  int any = 0;
  const size_t fields[5] = {offsetof(plane_end, base), offsetof(plane_end, along[0]),
                            offsetof(plane_end, along[1]), offsetof(plane_end, along[2]),
                            offsetof(plane_end, up)};
  double *out[5] = {to->base, to->along[0], to->along[1], to->along[2], to->up};
  for (int f = 0; f < 5; f++) {
    for (int j = 0; j < 3; j++) {
      out[f][j] = rate_at(step, base, others, at + fields[f] + (size_t)j * sizeof(double));
      any |= out[f][j] != 0;
    }
  }
  return any;
}

static void compare_planes(change *c, const cps_system *s, const shadows x) {
  for (int i = 0; i < s->n_plane; i++) {
    const void *base = &s->plane[i], *others[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) others[k] = &x[k]->plane[i];
    plane_change g = {
        .i = i, .k = RATE(k, plane_spring), .d = RATE(d, plane_spring), .length = RATE(length, plane_spring)};
    int any = g.k != 0 || g.d != 0 || g.length != 0;
    for (int side = 0; side < 2; side++)
      any |= compare_end(c->step, &g.end[side], base, others,
                         offsetof(plane_spring, end) + (size_t)side * sizeof(plane_end));
    if (any) c->plane[c->n_plane++] = g;
  }
}

static void compare_contacts(change *c, const cps_system *s, const shadows x) {
  for (int i = 0; i < s->nc; i++) {
    const void *base = &s->contacts[i], *others[SENS_SHADOWS], *p[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) {
      others[k] = &x[k]->contacts[i];
      p[k] = x[k]->contacts[i].p;
    }
    contact_change g = {.i = i, .constant = RATE(constant, contact), .weight = RATE(weight, contact)};
    if (s->contacts[i].constant == s->contacts[i].constant) g.weight = 0; /* it is in the constant */
    int any = g.constant != 0 || g.weight != 0;
    for (int j = 0; j < s->contacts[i].law->n_params; j++) {
      g.p[j] = rate_at(c->step, s->contacts[i].p, p, (size_t)j * sizeof(double));
      any |= g.p[j] != 0;
    }
    if (any) c->contact[c->n_contact++] = g;
  }
}

static void compare_loads(change *c, const cps_system *s, const shadows x) {
  for (int i = 0; i < s->n_loads; i++) {
    const void *base = &s->loads[i], *others[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) others[k] = &x[k]->loads[i];
    load_change g = {
        i, {RATE(u[0], body_load), RATE(u[1], body_load), RATE(u[2], body_load)}, RATE(press, body_load)};
    if (g.u[0] != 0 || g.u[1] != 0 || g.u[2] != 0 || g.press != 0) c->load[c->n_load++] = g;
  }
}

/* Whether two profiles of the same form have the same numbers. */
static int same(const profile *a, const profile *b) {
  if (memcmp(a->a, b->a, sizeof a->a) != 0) return 0;
  int points = a->kind == PROFILE_TABLE ? a->n : a->kind == PROFILE_POLYNOMIAL ? a->n + 1 : 0;
  int values = a->kind == PROFILE_TABLE ? a->n : a->kind == PROFILE_POLYNOMIAL ? 4 * a->n : 0;
  if (points && memcmp(a->x, b->x, (size_t)points * sizeof(double)) != 0) return 0;
  if (values && memcmp(a->y, b->y, (size_t)values * sizeof(double)) != 0) return 0;
  for (int i = 0; a->child && i < a->n; i++)
    if (!same(a->child[i], b->child[i])) return 0;
  return 1;
}

static void add_profile(change *c, profile_change p, const profile *const *others) {
  if (c->step != 0) {
    int any = 0;
    for (int k = 0; k < SENS_SHADOWS; k++) {
      p.shadow[k] = others[k];
      any |= !same(p.base, others[k]);
    }
    if (!any) return;
  } else if (p.base->kind == PROFILE_CONSTANT && p.kind != GIVEN_SURFACE) {
    return; /* time changes nothing */
  }
  c->profile[c->n_profile++] = p;
}

/* All that is prescribed; x NULL: for time. */
static void compare_profiles(change *c, const cps_system *s, cps_scenario *const *x) {
  const cps_scenario *sc = s->scenario;
  const profile *others[SENS_SHADOWS] = {NULL};
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    for (int k = 0; x && k < SENS_SHADOWS; k++) others[k] = x[k]->bodies[i].motion;
    add_profile(c, (profile_change){GIVEN_SURFACE, s->body_q[i], b->motion_is_velocity, b->motion, {NULL}},
                others);
  }
  for (int i = 0; i < sc->n_loads; i++) {
    for (int k = 0; x && k < SENS_SHADOWS; k++) others[k] = x[k]->loads[i].force;
    add_profile(c, (profile_change){GIVEN_LOAD, i, 0, sc->loads[i].force, {NULL}}, others);
  }
  for (int i = 0; i < sc->n_contacts; i++) {
    if (!sc->contacts[i].given || s->contacts[i].constant == s->contacts[i].constant) continue;
    for (int k = 0; x && k < SENS_SHADOWS; k++) others[k] = x[k]->contacts[i].given;
    add_profile(c, (profile_change){GIVEN_NORMAL, i, 0, sc->contacts[i].given, {NULL}}, others);
  }
}

/* Bodies that are held: when and with which velocity they are released. */
static void compare_holds(change *c, const cps_system *s, cps_scenario *const *x) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind == BODY_SURFACE || !(b->held_until > sc->run.from)) continue;
    double v[SENS_SHADOWS];
    for (int k = 0; k < SENS_SHADOWS; k++) v[k] = x[k]->bodies[i].held_until;
    double d = rate_of(c->step, b->held_until, v);
    if (d != 0) c->until[c->n_until++] = (number_change){i, d};
    for (int j = 0; j < cps_body_freedoms(s, i); j++) {
      for (int k = 0; k < SENS_SHADOWS; k++) v[k] = x[k]->bodies[i].v[j];
      d = rate_of(c->step, b->v[j], v);
      if (d != 0) c->release[c->n_release++] = (number_change){s->body_q[i] + j, d};
    }
  }
}

static int make_room(change *c, const cps_system *s) {
  c->mass = many(s->nd, sizeof *c->mass);
  c->weight = many(s->nx, sizeof *c->weight);
  c->initial = many(s->ny, sizeof *c->initial);
  c->release = many(s->nd, sizeof *c->release);
  c->line = many(s->n_line, sizeof *c->line);
  c->plane = many(s->n_plane, sizeof *c->plane);
  c->contact = many(s->nc, sizeof *c->contact);
  c->load = many(s->n_loads, sizeof *c->load);
  c->until = many(s->scenario->n_bodies, sizeof *c->until);
  c->profile = many(s->ns + s->n_loads + s->nc, sizeof *c->profile);
  return c->mass && c->weight && c->initial && c->release && c->line && c->plane && c->contact && c->load &&
         c->until && c->profile;
}

cps_status cps_change_make_time(change *c, const cps_system *s, cps_error *err) {
  memset(c, 0, sizeof *c);
  c->profile = many(s->ns + s->n_loads + s->nc, sizeof *c->profile);
  if (!c->profile) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  compare_profiles(c, s, NULL);
  return CPS_OK;
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

cps_status cps_change_make(change *c, const cps_system *s, const sens_parameter *p, cps_error *err) {
  memset(c, 0, sizeof *c);
  c->step = p->step;
  shadows x = {NULL};
  const double *mass[SENS_SHADOWS], *weight[SENS_SHADOWS], *initial[SENS_SHADOWS];
  cps_status status = CPS_OK;
  for (int k = 0; k < SENS_SHADOWS && status == CPS_OK; k++) {
    x[k] = cps_system_new(p->shadow[k], err);
    if (!x[k]) {
      status = CPS_NO_MEMORY;
    } else if (!alike(s, x[k])) {
      status = cps_error_set(err, CPS_BAD_INPUT, p->q.path,
                             "%s changes what the system consists of, not a number of it", p->q.path);
    } else {
      mass[k] = x[k]->mass;
      weight[k] = x[k]->weight;
      initial[k] = x[k]->initial;
    }
  }
  if (status == CPS_OK && !make_room(c, s))
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for sensitivities");
  if (status == CPS_OK) {
    compare_numbers(c->mass, &c->n_mass, c->step, s->mass, mass, s->nd);
    compare_numbers(c->weight, &c->n_weight, c->step, s->weight, weight, s->nx);
    compare_numbers(c->initial, &c->n_initial, c->step, s->initial, initial, s->ny);
    compare_lines(c, s, x);
    compare_planes(c, s, x);
    compare_contacts(c, s, x);
    compare_loads(c, s, x);
    compare_profiles(c, s, p->shadow);
    compare_holds(c, s, p->shadow);
  }
  for (int k = 0; k < SENS_SHADOWS; k++) cps_system_free(x[k]);
  if (status != CPS_OK) cps_change_free(c);
  return status;
}

void cps_change_free(change *c) {
  void *all[] = {c->mass,  c->weight,  c->initial, c->release, c->line,
                 c->plane, c->contact, c->load,    c->profile, c->until};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  memset(c, 0, sizeof *c);
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

profile_value cps_change_profile(const change *c, const profile_change *p, double t) {
  profile_value base = cps_profile_eval(p->base, t);
  if (c->step == 0) return (profile_value){base.y_t, base.y_tt, third(p->base, t)};
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

/* How the break of a profile at t moves; NaN if there is none. */
static double break_of(const change *c, const profile_change *p, double t) {
  double at = -INFINITY, x[SENS_SHADOWS];
  for (int k = 0; k < SENS_SHADOWS; k++) x[k] = -INFINITY;
  while (at < t) {
    at = cps_profile_next_break(p->base, at);
    if (!(at <= t)) return NAN;
    for (int k = 0; k < SENS_SHADOWS; k++) x[k] = cps_profile_next_break(p->shadow[k], x[k]);
  }
  return rate_of(c->step, at, x);
}

double cps_change_break(const change *c, const cps_system *s, double t, int *several) {
  double rate = 0;
  int moving = 0, resting = 0;
  for (int i = 0; i < c->n_profile; i++) {
    double d = break_of(c, &c->profile[i], t);
    if (d != d) continue;
    moving += d != 0;
    resting += d == 0;
    if (d != 0) rate = d;
  }
  for (int i = 0; i < c->n_until; i++) {
    if (s->scenario->bodies[c->until[i].i].held_until != t) continue;
    moving++;
    rate = c->until[i].d;
  }
  *several = moving > 1 || (moving && resting);
  return rate;
}
