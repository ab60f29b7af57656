/* system.c - from a scenario to its equations, and their evaluation. The equations are in system.h. */
#include "system.h"

#include "cable_path.h"
#include "document.h"
#include "elevator.h"
#include "refusals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ building */

/* Zeroed memory for n things; one byte for none, so that NULL means failure. */
static void *many(int n, size_t size) { return calloc(n > 0 ? (size_t)n : 1, size); }

static int first_coordinate(const cps_system *s, int body) {
  return body == GROUND ? s->nx - 1 : s->body_q[body];
}

/* The direction off a line that gravity presses against; +y without gravity. */
static void off_line(const cps_scenario *sc, const scenario_body *b, double *up) {
  up[0] = -b->direction[1];
  up[1] = b->direction[0];
  double against = -(up[0] * sc->gravity[0] + up[1] * sc->gravity[1]);
  if (against < 0 || (against == 0 && up[1] < 0)) up[0] = -up[0], up[1] = -up[1];
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

static void build_bodies(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  int free_q = 0, surface = s->nd;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    double *q = s->initial, *v = s->initial + s->nx;
    if (b->kind == BODY_SURFACE) {
      s->body_q[i] = surface++;
      continue;
    }
    int n = b->kind == BODY_PLANE ? 2 : 1;
    s->body_q[i] = free_q;
    for (int j = 0; j < n; j++) {
      double axis[2] = {j == 0 ? 1 : 0, j == 1 ? 1 : 0};
      s->mass[free_q + j] = b->mass;
      s->weight[free_q + j] = b->mass * dot(sc->gravity, n == 1 ? b->direction : axis);
      q[free_q + j] = b->x[j];
      v[free_q + j] = b->held_until > sc->run.from ? 0 : b->v[j];
    }
    free_q += n;
  }
}

static plane_end make_end(const cps_system *s, const spring_end *e) {
  const cps_scenario *sc = s->scenario;
  plane_end p = {s->nx - 1, s->nx - 1, {e->offset[0], e->offset[1]}, {0, 0}, {0, 0}, {0, 0}};
  if (e->body == GROUND) return p;
  const scenario_body *b = &sc->bodies[e->body];
  p.i = s->body_q[e->body];
  if (b->kind == BODY_PLANE) {
    p.j = p.i + 1;
    p.u[0] = p.w[1] = 1;
    return p;
  }
  for (int j = 0; j < 2; j++) {
    p.base[j] += b->origin[j];
    p.u[j] = b->direction[j];
  }
  if (b->kind == BODY_LINE) off_line(sc, b, p.up);
  return p;
}

static void build_springs(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_springs; i++) {
    const scenario_spring *g = &sc->springs[i];
    plane_end a = make_end(s, &g->end[0]), b = make_end(s, &g->end[1]);
    if (g->along_line) {
      double base = dot(b.base, g->axis) - dot(a.base, g->axis);
      s->line[s->n_line++] = (line_spring){a.i,
                                           b.i,
                                           dot(a.u, g->axis),
                                           dot(b.u, g->axis),
                                           g->length - base,
                                           g->stiffness,
                                           g->damping,
                                           g->tension_only,
                                           i};
    } else {
      s->plane[s->n_plane++] = (plane_spring){{a, b},    g->stiffness,    g->damping,
                                              g->length, g->tension_only, i};
    }
  }
}

static void build_contacts(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  double g = hypot(sc->gravity[0], sc->gravity[1]);
  for (int i = 0; i < sc->n_contacts; i++) {
    const scenario_contact *from = &sc->contacts[i];
    const scenario_body *a = &sc->bodies[from->body[0]];
    contact *c = &s->contacts[i];
    c->a = first_coordinate(s, from->body[0]);
    c->b = first_coordinate(s, from->body[1]);
    c->sb = from->body[1] == GROUND ? 1 : dot(a->direction, sc->bodies[from->body[1]].direction) < 0 ? -1 : 1;
    c->law = from->law;
    /* Equal contacts share their parameters, which then stay in the cache. */
    int same = i > 0 && from->law == c[-1].law && memcmp(from->p, c[-1].p, sizeof from->p) == 0;
    c->p = same ? c[-1].p : from->p;
    c->z = s->nz;
    c->n_states = from->law->n_states;
    c->normal = from->normal;
    c->given = from->given;
    c->constant = NAN;
    if (from->normal == NORMAL_GIVEN) {
      if (from->given->kind == PROFILE_CONSTANT) c->constant = fmax(0, from->given->a[0]);
    } else {
      double up[2];
      off_line(sc, a, up);
      c->weight = g > 0 ? from->weight * -dot(up, sc->gravity) / g : 0;
      if (from->normal == NORMAL_WEIGHT) c->constant = fmax(0, c->weight);
    }
    if (from->normal == NORMAL_LOAD) s->presses = 1;
    c->group = -1;
    s->nz += c->n_states;
  }
}

static void build_loads(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_loads; i++) {
    const scenario_load *from = &sc->loads[i];
    const scenario_body *b = &sc->bodies[from->body];
    load *l = &s->loads[i];
    l->i = l->j = s->body_q[from->body];
    l->force = from->force;
    if (b->kind == BODY_PLANE) {
      l->j++;
      l->u[0] = from->direction[0];
      l->u[1] = from->direction[1];
    } else {
      double up[2];
      off_line(sc, b, up);
      l->u[0] = dot(from->direction, b->direction);
      l->press = -dot(from->direction, up);
    }
  }
  s->n_loads = sc->n_loads;
}

/* ---- groups of contacts ---- */

/* Contacts at each free coordinate: a list per coordinate. */
typedef struct incidence {
  int *first, *contact;
} incidence;

static int is_free(const cps_system *s, int q) { return q < s->nd; }

static int build_incidence(const cps_system *s, incidence *in) {
  in->first = many(s->nd + 2, sizeof(int));
  in->contact = many(2 * s->nc, sizeof(int));
  if (!in->first || !in->contact) return 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (is_free(s, c->a)) in->first[c->a + 1]++;
    if (is_free(s, c->b)) in->first[c->b + 1]++;
  }
  for (int q = 0; q < s->nd; q++) in->first[q + 1] += in->first[q];
  int *at = many(s->nd + 1, sizeof(int));
  if (!at) return 0;
  memcpy(at, in->first, (size_t)s->nd * sizeof(int));
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (is_free(s, c->a)) in->contact[at[c->a]++] = i;
    if (is_free(s, c->b)) in->contact[at[c->b]++] = i;
  }
  free(at);
  return 1;
}

/* Sign with which coordinate q enters contact c. */
static double contact_sign(const contact *c, int q) { return q == c->a ? 1 : q == c->b ? -c->sb : 0; }

/* Rows of W of a group whose contacts are listed; place[c] is a contact's row. */
static int build_rows(cps_system *s, group *g, const incidence *in, int *place) {
  int entries = 0;
  for (int pass = 0; pass < 2; pass++) {
    entries = 0;
    for (int i = 0; i < g->n; i++) {
      const contact *c = &s->contacts[g->contact[i]];
      int ends[2] = {c->a, c->b};
      if (pass) g->first[i] = entries;
      for (int k = 0; k < 2; k++) {
        if (!is_free(s, ends[k])) continue;
        for (int m = in->first[ends[k]]; m < in->first[ends[k] + 1]; m++, entries++) {
          int other = in->contact[m];
          if (!pass) continue;
          g->column[entries] = place[other];
          g->shared[entries] = ends[k];
          g->sign[entries] = contact_sign(c, ends[k]) * contact_sign(&s->contacts[other], ends[k]);
          if (abs(place[other] - i) > g->band) g->band = abs(place[other] - i);
        }
      }
    }
    if (pass) {
      g->first[g->n] = entries;
    } else {
      g->first = many(g->n + 1, sizeof(int));
      g->column = many(entries, sizeof(int));
      g->shared = many(entries, sizeof(int));
      g->sign = many(entries, sizeof(double));
      if (!g->first || !g->column || !g->shared || !g->sign) return 0;
    }
  }
  return 1;
}

/* Breadth-first from contact `seed`: the members of its group, in an order that keeps neighbours close. */
static int collect(cps_system *s, const incidence *in, int seed, int id, int *list) {
  int n = 0;
  list[n++] = seed;
  s->contacts[seed].group = id;
  for (int at = 0; at < n; at++) {
    int ends[2] = {s->contacts[list[at]].a, s->contacts[list[at]].b};
    for (int k = 0; k < 2; k++) {
      if (!is_free(s, ends[k])) continue;
      for (int m = in->first[ends[k]]; m < in->first[ends[k] + 1]; m++) {
        int other = in->contact[m];
        if (s->contacts[other].group >= 0) continue;
        s->contacts[other].group = id;
        list[n++] = other;
      }
    }
  }
  return n;
}

static int build_groups(cps_system *s) {
  incidence in = {NULL, NULL};
  int *list = many(s->nc, sizeof(int)), *place = many(s->nc, sizeof(int));
  s->groups = many(s->nc, sizeof(group));
  s->alone = many(s->nc, sizeof(int));
  int good = list && place && s->groups && s->alone && build_incidence(s, &in);
  for (int i = 0; good && i < s->nc; i++) {
    if (s->contacts[i].group >= 0) continue;
    int n = collect(s, &in, i, s->n_groups, list);
    if (n == 1) {
      s->contacts[i].group = -1;
      s->alone[s->n_alone++] = i;
      /* keep it from being collected again: nothing is coupled to it */
      continue;
    }
    group *g = &s->groups[s->n_groups++];
    g->n = n;
    g->contact = many(n, sizeof(int));
    good = g->contact != NULL;
    for (int k = 0; good && k < n; k++) {
      g->contact[k] = list[k];
      place[list[k]] = k;
    }
    good = good && build_rows(s, g, &in, place);
    if (g->n > s->most_group) s->most_group = g->n;
    if (g->band > s->most_band) s->most_band = g->band;
  }
  free(in.first);
  free(in.contact);
  free(list);
  free(place);
  return good;
}

static void count(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies; i++) {
    if (sc->bodies[i].kind == BODY_SURFACE)
      s->ns++;
    else
      s->nd += sc->bodies[i].kind == BODY_PLANE ? 2 : 1;
  }
  s->nx = s->nd + s->ns + 1;
  s->nc = sc->n_contacts;
  for (int i = 0; i < s->nc; i++) s->nz += sc->contacts[i].law->n_states;
  s->nw = s->nc + 3;
  s->ny = 2 * s->nx + s->nz + s->nw;
  s->nz = 0; /* counted again while the contacts are built */
}

/* The geometry of the cables, and whether everything that the scenario wants can be done. */
static int build_cables(cps_system *s, refusals *r) {
  const cps_scenario *sc = s->scenario;
  cps_error err = {0};
  s->drawn = many(sc->n_cables, sizeof *s->drawn);
  if (!s->drawn) return 0;
  for (int i = 0; i < sc->n_cables; i++) {
    if (sc->cables[i].model == CABLE_ANCF) {
      cps_status status = cps_shape_draw(&s->drawn[i], sc, i, &err);
      cps_refuse_error(r, status, &err);
    } else if (!s->lift) {
      s->lift = calloc(1, sizeof *s->lift);
      if (!s->lift) return 0;
      cps_status status = cps_lift_make(s->lift, sc, sc->run.from, &err);
      cps_refuse_error(r, status, &err);
    }
  }
  cps_refuse_cables(r, sc);
  cps_refuse_solver(r, sc);
  if (r->n == 0 && !r->no_memory) cps_refuse_outputs(r, s);
  return !r->no_memory;
}

/* A system with everything that is wrong with it in r; NULL if out of memory. */
static cps_system *build(const cps_scenario *scenario, refusals *r) {
  cps_system *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->scenario = scenario;
  count(s);
  s->mass = many(s->nd, sizeof(double));
  s->weight = many(s->nx, sizeof(double));
  s->initial = many(s->ny, sizeof(double));
  s->body_q = many(scenario->n_bodies, sizeof(int));
  s->line = many(scenario->n_springs, sizeof(line_spring));
  s->plane = many(scenario->n_springs, sizeof(plane_spring));
  s->contacts = many(s->nc, sizeof(contact));
  s->loads = many(scenario->n_loads, sizeof(load));
  if (!s->mass || !s->weight || !s->initial || !s->body_q || !s->line || !s->plane || !s->contacts ||
      !s->loads)
    goto fail;
  build_bodies(s);
  build_springs(s);
  build_contacts(s);
  build_loads(s);
  for (int i = 0; i < s->nc; i++)
    memcpy(s->initial + 2 * s->nx + s->contacts[i].z, scenario->contacts[i].z,
           (size_t)s->contacts[i].n_states * sizeof(double));
  if (!build_groups(s) || !build_cables(s, r)) goto fail;
  return s;
fail:
  cps_system_free(s);
  return NULL;
}

cps_system *cps_system_new(const cps_scenario *scenario, cps_error *err) {
  refusals r = {0};
  cps_system *s = build(scenario, &r);
  if (!s) cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory while building the system");
  if (s && r.n > 0) {
    if (err) {
      *err = r.list[0];
      cps_scenario_locate(scenario, err);
    }
    cps_system_free(s);
    s = NULL;
  }
  free(r.list);
  return s;
}

cps_status cps_system_check(const cps_scenario *scenario, cps_problems **problems) {
  refusals r = {0};
  cps_system *s = build(scenario, &r);
  cps_status status = !s ? CPS_NO_MEMORY : r.n > 0 ? CPS_BAD_INPUT : CPS_OK;
  if (problems) {
    *problems = NULL;
    if (status == CPS_NO_MEMORY) *problems = cps_problems_no_memory();
    if (status == CPS_BAD_INPUT) *problems = cps_scenario_place(scenario, r.list, r.n);
  }
  cps_system_free(s);
  free(r.list);
  return status;
}

void cps_system_free(cps_system *s) {
  if (!s) return;
  for (int i = 0; i < s->n_groups; i++) {
    free(s->groups[i].contact);
    free(s->groups[i].first);
    free(s->groups[i].column);
    free(s->groups[i].shared);
    free(s->groups[i].sign);
  }
  for (int i = 0; s->drawn && i < s->scenario->n_cables; i++) cps_shape_free(&s->drawn[i]);
  free(s->drawn);
  free(s->lift);
  free(s->groups);
  free(s->alone);
  free(s->mass);
  free(s->weight);
  free(s->initial);
  free(s->body_q);
  free(s->line);
  free(s->plane);
  free(s->contacts);
  free(s->loads);
  free(s);
}

/* ------------------------------------------------------------------ workspace */

cps_status cps_workspace_make(const cps_system *s, workspace *k, cps_error *err) {
  memset(k, 0, sizeof *k);
  double **arrays[] = {
      &k->inverse_mass, &k->force, &k->press,  &k->surface_a, &k->w_ii, &k->free_a, &k->v, &k->n, &k->f,
      &k->f_eq,         &k->z_t,   &k->spring, &k->spring_e,  &k->band, &k->g,      &k->d, &k->df};
  int springs = s->scenario->n_springs, m = s->most_group;
  int sizes[] = {s->nx, s->nx, s->nx, s->nx, s->nc,   s->nc,   s->nc,
                 s->nc, s->nc, s->nc, s->nz, springs, springs, m * (2 * s->most_band + 1),
                 m,     m,     m};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    *arrays[i] = many(sizes[i], sizeof(double));
    if (!*arrays[i]) {
      cps_workspace_free(k);
      return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the workspace of a run");
    }
  }
  k->failed_contact = -1;
  return CPS_OK;
}

void cps_workspace_free(workspace *k) {
  double *arrays[] = {
      k->inverse_mass, k->force, k->press,  k->surface_a, k->w_ii, k->free_a, k->v, k->n, k->f,
      k->f_eq,         k->z_t,   k->spring, k->spring_e,  k->band, k->g,      k->d, k->df};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  memset(k, 0, sizeof *k);
}

void cps_system_hold(const cps_system *s, workspace *k, double t) {
  const cps_scenario *sc = s->scenario;
  k->held = 0;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind == BODY_SURFACE) continue;
    k->held += t < b->held_until;
    for (int j = 0; j < (b->kind == BODY_PLANE ? 2 : 1); j++)
      k->inverse_mass[s->body_q[i] + j] = t < b->held_until ? 0 : 1 / b->mass;
  }
  for (int i = 0; i < s->nc; i++)
    k->w_ii[i] = k->inverse_mass[s->contacts[i].a] + k->inverse_mass[s->contacts[i].b];
}

double cps_system_next_break(const cps_system *s, double t) {
  const cps_scenario *sc = s->scenario;
  double next = INFINITY;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->held_until > t) next = fmin(next, b->held_until);
    if (b->motion) next = fmin(next, cps_profile_next_break(b->motion, t));
  }
  for (int i = 0; i < sc->n_loads; i++) next = fmin(next, cps_profile_next_break(sc->loads[i].force, t));
  for (int i = 0; i < sc->n_contacts; i++)
    if (sc->contacts[i].given && !(s->contacts[i].constant == s->contacts[i].constant))
      next = fmin(next, cps_profile_next_break(sc->contacts[i].given, t));
  return next;
}

/* ------------------------------------------------------------------ evaluation */

static void place_surfaces(const cps_system *s, workspace *k, double t, double *q, double *v) {
  const cps_scenario *sc = s->scenario;
  if (s->ns == 0) return;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    profile_value m = cps_profile_eval(b->motion, t);
    int c = s->body_q[i];
    if (b->motion_is_velocity) { /* its place is integrated */
      v[c] = m.y;
      k->surface_a[c] = m.y_t;
    } else {
      q[c] = m.y;
      v[c] = m.y_t;
      k->surface_a[c] = m.y_tt;
    }
  }
}

/* Tension of a spring that is e too long and grows at e_t; one that only pulls is slack when short, and never
 * pushes. */
static inline double tension(double kk, double d, int pulls_only, double e, double e_t) {
  double f = kk * e + d * e_t;
  return pulls_only && (e <= 0 || f < 0) ? 0 : f;
}

static void line_springs(const cps_system *s, workspace *k, const double *q, const double *v,
                         double *damping) {
  double *force = k->force;
  double lost = 0;
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    double e = g->sb * q[g->b] - g->sa * q[g->a] - g->rest, e_t = g->sb * v[g->b] - g->sa * v[g->a];
    double f = tension(g->k, g->d, g->tension_only, e, e_t);
    force[g->a] += g->sa * f;
    force[g->b] -= g->sb * f;
    k->spring[g->index] = f;
    k->spring_e[g->index] = e;
    lost += (f - (g->tension_only && e <= 0 ? 0 : g->k * e)) * e_t;
  }
  *damping += lost;
}

static void plane_springs(const cps_system *s, workspace *k, const double *q, const double *v,
                          double *damping) {
  for (int i = 0; i < s->n_plane; i++) {
    const plane_spring *g = &s->plane[i];
    double r[2], w[2];
    for (int j = 0; j < 2; j++) {
      const plane_end *a = &g->end[0], *b = &g->end[1];
      r[j] = b->base[j] + q[b->i] * b->u[j] + q[b->j] * b->w[j] - a->base[j] - q[a->i] * a->u[j] -
             q[a->j] * a->w[j];
      w[j] = v[b->i] * b->u[j] + v[b->j] * b->w[j] - v[a->i] * a->u[j] - v[a->j] * a->w[j];
    }
    double length = hypot(r[0], r[1]);
    double n[2] = {length > 0 ? r[0] / length : 0, length > 0 ? r[1] / length : 0};
    double e = length - g->length, e_t = dot(n, w), f = tension(g->k, g->d, g->tension_only, e, e_t);
    for (int side = 0; side < 2; side++) {
      const plane_end *p = &g->end[side];
      double pull[2] = {side == 0 ? f * n[0] : -f * n[0], side == 0 ? f * n[1] : -f * n[1]};
      k->force[p->i] += dot(pull, p->u);
      k->force[p->j] += dot(pull, p->w);
      k->press[p->i] -= dot(pull, p->up);
    }
    k->spring[g->index] = f;
    k->spring_e[g->index] = e;
    *damping += (f - (g->tension_only && e <= 0 ? 0 : g->k * e)) * e_t;
  }
}

/* Applied forces, and the powers of loads and dampers. */
static void applied(const cps_system *s, workspace *k, double t, const double *q, const double *v,
                    double *load_power, double *damping) {
  memcpy(k->force, s->weight, (size_t)s->nx * sizeof(double));
  if (s->presses || s->n_plane) memset(k->press, 0, (size_t)s->nx * sizeof(double));
  *load_power = *damping = 0;
  for (int i = 0; i < s->n_loads; i++) {
    const load *l = &s->loads[i];
    double f = cps_profile_eval(l->force, t).y;
    k->force[l->i] += f * l->u[0];
    if (l->j != l->i) k->force[l->j] += f * l->u[1];
    k->press[l->i] += f * l->press;
    *load_power += f * (l->u[0] * v[l->i] + (l->j != l->i ? l->u[1] * v[l->j] : 0));
  }
  line_springs(s, k, q, v, damping);
  plane_springs(s, k, q, v, damping);
}

static double normal_force(const workspace *k, const contact *c, double t) {
  if (c->constant == c->constant) return c->constant;
  double n = c->normal == NORMAL_GIVEN ? cps_profile_eval(c->given, t).y : c->weight + k->press[c->a];
  return n > 0 ? n : 0;
}

/* Sliding velocity and normal force of contact i, whose first body is free; returns the acceleration without
 * friction. */
static inline double approach(workspace *k, const contact *c, int i, double t, const double *v) {
  k->v[i] = v[c->a] - c->sb * v[c->b];
  k->n[i] = normal_force(k, c, t);
  return k->force[c->a] * k->inverse_mass[c->a] -
         c->sb * (k->force[c->b] * k->inverse_mass[c->b] + k->surface_a[c->b]);
}

/* The law of contact i at the balance force that is in k. Simple laws are evaluated without the checks of
 * cps_law_eval, which cost as much as they do: n >= 0 is known here. */
static inline double lone_force(const cps_system *s, workspace *k, int i, const double *z, int mode) {
  const contact *c = &s->contacts[i];
  const cps_law *law = c->law;
  double e = k->f_eq[i], v = k->v[i];
  if (c->n_states || !(fabs(e) < CPS_INPUT_MAX && fabs(v) < CPS_INPUT_MAX))
    return cps_contact_force(s, k, i, e, z, mode, NULL);
  cps_law_input in = {v, k->n[i], e, NULL, mode};
  cps_law_output out;
  if (mode < 0 && law->mode) in.mode = law->mode(law, c->p, &in);
  law->eval(law, c->p, &in, &out, NULL);
  return out.f;
}

/* What friction does to the two sides, and its power. The ground need not know. */
static inline void push(const cps_system *s, workspace *k, int i, double *w_t) {
  const contact *c = &s->contacts[i];
  double f = k->f[i];
  w_t[i] = -f * k->v[i];
  k->force[c->a] += f;
  if (c->b != s->nx - 1) k->force[c->b] -= c->sb * f;
}

/* The contacts that are coupled to no other, whose balance force is known at once: a few at a time, so that
 * they are still in the cache when they come round again. */
static void lone_contacts(const cps_system *s, workspace *k, double t, const double *v, const double *z,
                          const int *mode, double *w_t) {
  enum { FEW = 64 };
  for (int from = 0; from < s->n_alone; from += FEW) {
    const int *list = s->alone + from;
    int n = s->n_alone - from < FEW ? s->n_alone - from : FEW;
    for (int j = 0; j < n; j++) {
      int i = list[j];
      double a = approach(k, &s->contacts[i], i, t, v);
      k->f_eq[i] = k->w_ii[i] > 0 ? -a / k->w_ii[i] : 0;
    }
    for (int j = 0; j < n; j++)
      k->f[list[j]] = lone_force(s, k, list[j], z, mode ? mode[list[j]] : CPS_MODE_FREE);
    for (int j = 0; j < n; j++) push(s, k, list[j], w_t);
  }
}

void cps_system_kinematics(const cps_system *s, workspace *k, double t, double *y) {
  double *q = y, *v = y + s->nx, load_power, damping;
  place_surfaces(s, k, t, q, v);
  applied(s, k, t, q, v, &load_power, &damping);
  for (int i = 0; i < s->nc; i++) k->free_a[i] = approach(k, &s->contacts[i], i, t, v);
}

cps_status cps_system_rates(const cps_system *s, workspace *k, double t, double *y, const int *mode,
                            double *y_t) {
  int nx = s->nx;
  double *q = y, *v = y + nx, *z = y + 2 * nx, *q_t = y_t, *v_t = y_t + nx, *w_t = y_t + 2 * nx + s->nz;
  double load_power, damping;
  k->evaluations++;
  place_surfaces(s, k, t, q, v);
  applied(s, k, t, q, v, &load_power, &damping);
  lone_contacts(s, k, t, v, z, mode, w_t);
  for (int g = 0; g < s->n_groups; g++) {
    for (int i = 0; i < s->groups[g].n; i++) {
      int c = s->groups[g].contact[i];
      k->free_a[c] = approach(k, &s->contacts[c], c, t, v);
    }
    if (cps_group_solve(s, k, &s->groups[g], z, mode) != CPS_OK) return CPS_FAILED;
    for (int i = 0; i < s->groups[g].n; i++) push(s, k, s->groups[g].contact[i], w_t);
  }
  /* A body that is held has no velocity, and no inverse mass. */
  memcpy(q_t, v, (size_t)s->nd * sizeof(double));
  for (int i = 0; i < s->nd; i++) v_t[i] = k->force[i] * k->inverse_mass[i];
  /* What the surfaces feel is what their drives must do against it. */
  double motion_power = 0;
  for (int i = s->nd; i < nx; i++) {
    q_t[i] = v[i];
    v_t[i] = 0;
    motion_power -= k->force[i] * v[i];
  }
  memcpy(y_t + 2 * nx, k->z_t, (size_t)s->nz * sizeof(double));
  w_t[s->nc] = damping;
  w_t[s->nc + 1] = load_power;
  w_t[s->nc + 2] = motion_power;
  return CPS_OK;
}

void cps_system_energy(const cps_system *s, workspace *k, double t, double *y, cps_energy *energy) {
  const double *q = y, *v = y + s->nx, *w = y + 2 * s->nx + s->nz;
  cps_system_kinematics(s, k, t, y);
  double kinetic = 0, elastic = 0, gravity = 0;
  for (int i = 0; i < s->nd; i++) {
    kinetic += s->mass[i] * v[i] * v[i] / 2;
    gravity -= s->weight[i] * q[i];
  }
  for (int i = 0; i < s->n_line; i++) {
    double e = k->spring_e[s->line[i].index];
    if (!s->line[i].tension_only || e > 0) elastic += s->line[i].k * e * e / 2;
  }
  for (int i = 0; i < s->n_plane; i++) {
    double e = k->spring_e[s->plane[i].index];
    if (!s->plane[i].tension_only || e > 0) elastic += s->plane[i].k * e * e / 2;
  }
  energy->kinetic = kinetic;
  energy->elastic = elastic;
  energy->gravity = gravity;
  energy->friction = 0;
  for (int i = 0; i < s->nc; i++) energy->friction += w[i];
  energy->damping = w[s->nc];
  energy->load_work = w[s->nc + 1];
  energy->motion_work = w[s->nc + 2];
}
