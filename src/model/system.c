/* system.c - from a scenario to its equations, and their evaluation. The equations are in system.h. */
#include "system.h"

#include "cable_shapes.h"
#include "document.h"
#include "elevator.h"
#include "refusals.h"
#include "start_rest.h"
#include "start_tension.h"
#include "time_scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ building */

static int first_coordinate(const cps_system *s, int body) {
  return body == GROUND ? s->nx - 1 : s->body_q[body];
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The direction off a line that gravity presses against. Where gravity does not, as on a line along it: in the plane to the
 * side of +y, or to the left of the direction; in space to the side of +y, or of +z. */
static void off_line(const cps_scenario *sc, const scenario_body *b, double *up) {
  const double *along = b->direction;
  if (sc->dim != 3) {
    up[0] = -along[1];
    up[1] = along[0];
    up[2] = 0;
    double against = -dot(up, sc->gravity);
    if (against < 0 || (against == 0 && up[1] < 0)) up[0] = -up[0], up[1] = -up[1];
    return;
  }
  const double sides[3][3] = {{-sc->gravity[0], -sc->gravity[1], -sc->gravity[2]}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    double part = dot(sides[i], along), size = sqrt(dot(sides[i], sides[i]));
    for (int d = 0; d < 3; d++) up[d] = sides[i][d] - part * along[d];
    double rest = sqrt(dot(up, up));
    if (!(rest > 1e-12 * size)) continue;
    for (int d = 0; d < 3; d++) up[d] /= rest;
    return;
  }
}

/* Ends of cables on a body: their number, and the last of them. */
static int count_ends(const cps_scenario *s, int body, int *cable_of, int *end_of) {
  int n = 0;
  for (int k = 0; k < s->n_cables; k++) {
    for (int e = 0; e < 2; e++) {
      if (s->cables[k].closed || !cps_end_is(s->cables[k].end[e].kind, END_ON_BODY) ||
          s->cables[k].end[e].body != body || s->cables[k].model != CABLE_ANCF)
        continue;
      *cable_of = k;
      *end_of = e;
      n++;
    }
  }
  return n;
}

int cps_body_is_reduced(const cps_scenario *s, int i) {
  for (int k = 0; k < s->n_cables; k++)
    for (int e = 0; e < 2; e++)
      if (s->cables[k].model != CABLE_ANCF && !s->cables[k].closed &&
          cps_end_is(s->cables[k].end[e].kind, END_ON_BODY) && s->cables[k].end[e].body == i)
        return 1;
  return 0;
}

int cps_body_is_end(const cps_scenario *s, int i) {
  int cable_of, end_of;
  if (s->bodies[i].kind != BODY_PLANE || count_ends(s, i, &cable_of, &end_of) != 1) return 0;
  for (int k = 0; k < s->n_springs; k++)
    if (s->springs[k].end[0].body == i || s->springs[k].end[1].body == i) return 0;
  for (int k = 0; k < s->n_drums; k++)
    if (s->drums[k].carrier == i) return 0;
  return 1;
}

static void build_bodies(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  int free_q = 0, surface = s->nd, moved = s->nd + s->ns;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    s->end_cable[i] = -1;
    if (cps_body_is_end(sc, i)) count_ends(sc, i, &s->end_cable[i], &s->end_side[i]);
    double *q = s->initial, *v = s->initial + s->nx;
    if (b->kind == BODY_SURFACE) {
      s->body_q[i] = surface++;
      continue;
    }
    int n = cps_body_freedoms(s, i), reduced = cps_body_is_reduced(sc, i), c = reduced ? moved : free_q;
    double mass = s->end_cable[i] < 0 ? b->mass : 0;
    s->body_q[i] = c;
    if (b->kind == BODY_LINE) off_line(sc, b, s->up[c]);
    for (int j = 0; j < n; j++) {
      if (!reduced) {
        s->mass[c + j] = mass;
        s->weight[c + j] = mass * (b->kind == BODY_LINE ? dot(sc->gravity, b->direction) : sc->gravity[j]);
      }
      q[c + j] = b->x[j];
      v[c + j] = b->held_until > sc->run.from ? 0 : b->v[j];
    }
    *(reduced ? &moved : &free_q) += n;
  }
}

/* Bodies on lines at the two ends of a cable in few variables move with one another. */
static void build_partners(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  int at = 0;
  for (int i = 0; i < s->nx; i++) s->partner[i] = -1;
  for (int k = 0; k < sc->n_cables; k++) {
    const cable_end *e = sc->cables[k].end;
    if (sc->cables[k].model == CABLE_ANCF) continue;
    int cross = s->nx + at++;
    if (sc->cables[k].closed || !cps_end_is(e[0].kind, END_ON_BODY) || !cps_end_is(e[1].kind, END_ON_BODY) ||
        sc->bodies[e[0].body].kind != BODY_LINE || sc->bodies[e[1].body].kind != BODY_LINE)
      continue;
    for (int i = 0; i < 2; i++) {
      s->partner[s->body_q[e[i].body]] = s->body_q[e[1 - i].body];
      s->cross[s->body_q[e[i].body]] = cross;
    }
  }
}

/* Whether forces move a coordinate: those of surfaces and of the ground do not give way. */
static int is_free(const cps_system *s, int q) { return q < s->nd || (q >= s->nd + s->ns && q < s->nx - 1); }

static plane_end make_end(const cps_system *s, const spring_end *e) {
  const cps_scenario *sc = s->scenario;
  int ground = s->nx - 1;
  plane_end p = {.c = {ground, ground, ground}, .base = {e->offset[0], e->offset[1], e->offset[2]}};
  if (e->body == GROUND) return p;
  const scenario_body *b = &sc->bodies[e->body];
  p.c[0] = s->body_q[e->body];
  p.n = b->kind == BODY_PLANE ? s->dim : 1;
  if (b->kind == BODY_PLANE) {
    for (int k = 0; k < s->dim; k++) {
      p.c[k] = p.c[0] + k;
      p.along[k][k] = 1;
    }
    return p;
  }
  for (int d = 0; d < 3; d++) {
    p.base[d] += b->origin[d];
    p.along[0][d] = b->direction[d];
  }
  memcpy(p.up, s->up[p.c[0]], sizeof p.up);
  return p;
}

static void build_springs(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_springs; i++) {
    const scenario_spring *g = &sc->springs[i];
    plane_end a = make_end(s, &g->end[0]), b = make_end(s, &g->end[1]);
    if (g->along_line) {
      double base = dot(b.base, g->axis) - dot(a.base, g->axis);
      s->line[s->n_line++] = (line_spring){a.c[0],
                                           b.c[0],
                                           dot(a.along[0], g->axis),
                                           dot(b.along[0], g->axis),
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
  double g = sqrt(dot(sc->gravity, sc->gravity));
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
      c->weight = g > 0 ? from->weight * -dot(s->up[c->a], sc->gravity) / g : 0;
      if (from->normal == NORMAL_WEIGHT) c->constant = fmax(0, c->weight);
    }
    if (from->normal == NORMAL_LOAD) s->presses = 1;
    if (from->normal != NORMAL_GIVEN && is_free(s, c->b)) s->under[c->a] = c->b;
    s->lift_contacts += (is_free(s, c->a) && c->a >= s->nd) || (is_free(s, c->b) && c->b >= s->nd);
    c->group = -1;
    s->nz += c->n_states;
  }
}

static void build_loads(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_loads; i++) {
    const scenario_load *from = &sc->loads[i];
    const scenario_body *b = &sc->bodies[from->body];
    body_load *l = &s->loads[i];
    l->c[0] = s->body_q[from->body];
    l->c[1] = l->c[2] = s->nx - 1;
    l->force = from->force;
    if (b->kind == BODY_PLANE) {
      for (int d = 0; d < s->dim; d++) {
        l->c[d] = l->c[0] + d;
        l->u[d] = s->end_cable[from->body] < 0 ? from->direction[d] : 0;
      }
    } else {
      l->u[0] = dot(from->direction, b->direction);
      l->press = -dot(from->direction, s->up[l->c[0]]);
    }
  }
  s->n_loads = sc->n_loads;
}

/* ---- groups of contacts ---- */

/* Contacts at each free coordinate: a list per coordinate. */
typedef struct incidence {
  int *first, *contact;
} incidence;

static int build_incidence(const cps_system *s, incidence *in, pool *p) {
  int *at = cps_pool_new(p, (size_t)s->nx + 1, sizeof *at);
  POOL_ARRAY(p, in->first, s->nx + 2);
  POOL_ARRAY(p, in->contact, 2 * s->nc);
  if (p->lost) return 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (is_free(s, c->a)) in->first[c->a + 1]++;
    if (is_free(s, c->b)) in->first[c->b + 1]++;
  }
  for (int q = 0; q < s->nx; q++) in->first[q + 1] += in->first[q];
  memcpy(at, in->first, (size_t)s->nx * sizeof(int));
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (is_free(s, c->a)) in->contact[at[c->a]++] = i;
    if (is_free(s, c->b)) in->contact[at[c->b]++] = i;
  }
  return 1;
}

/* Sign with which coordinate q enters contact c. */
static double contact_sign(const contact *c, int q) { return q == c->a ? 1 : q == c->b ? -c->sb : 0; }

/* The ways in which forces on a contact move others: through the coordinates of its two sides, and through those of the
 * bodies that move with them. */
typedef struct way {
  int own, other; /* coordinates; the same, or partners */
  int inertia;    /* where in inverse_mass */
} way;
enum { WAYS_MOST = 4 };

static int ways_of(const cps_system *s, const contact *c, way *ways) {
  int ends[2] = {c->a, c->b}, n = 0;
  for (int k = 0; k < 2; k++) {
    if (!is_free(s, ends[k])) continue;
    ways[n++] = (way){ends[k], ends[k], ends[k]};
    int partner = s->partner[ends[k]];
    if (partner >= 0) ways[n++] = (way){ends[k], partner, s->cross[ends[k]]};
  }
  return n;
}

/* Rows of W of a group whose contacts are listed; place[c] is a contact's row. */
static int build_rows(cps_system *s, group *g, const incidence *in, int *place) {
  int entries = 0;
  for (int pass = 0; pass < 2; pass++) {
    entries = 0;
    for (int i = 0; i < g->n; i++) {
      const contact *c = &s->contacts[g->contact[i]];
      way ways[WAYS_MOST];
      int n = ways_of(s, c, ways);
      if (pass) g->first[i] = entries;
      for (int k = 0; k < n; k++) {
        const way *w = &ways[k];
        for (int m = in->first[w->other]; m < in->first[w->other + 1]; m++, entries++) {
          int other = in->contact[m];
          if (!pass) continue;
          g->column[entries] = place[other];
          g->shared[entries] = w->inertia;
          g->sign[entries] = contact_sign(c, w->own) * contact_sign(&s->contacts[other], w->other);
          if (abs(place[other] - i) > g->band) g->band = abs(place[other] - i);
        }
      }
    }
    if (pass) {
      g->first[g->n] = entries;
    } else {
      POOL_ARRAY(&s->pool, g->first, g->n + 1);
      POOL_ARRAY(&s->pool, g->column, entries);
      POOL_ARRAY(&s->pool, g->shared, entries);
      POOL_ARRAY(&s->pool, g->sign, entries);
      if (s->pool.lost) return 0;
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
    way ways[WAYS_MOST];
    int ways_n = ways_of(s, &s->contacts[list[at]], ways);
    for (int k = 0; k < ways_n; k++) {
      for (int m = in->first[ways[k].other]; m < in->first[ways[k].other + 1]; m++) {
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
  pool room = {0};
  int *list = cps_pool_new(&room, (size_t)s->nc, sizeof *list),
      *place = cps_pool_new(&room, (size_t)s->nc, sizeof *place);
  POOL_ARRAY(&s->pool, s->groups, s->nc);
  POOL_ARRAY(&s->pool, s->alone, s->nc);
  int good = !s->pool.lost && build_incidence(s, &in, &room);
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
    good = POOL_ARRAY(&s->pool, g->contact, n) != NULL;
    for (int k = 0; good && k < n; k++) {
      g->contact[k] = list[k];
      place[list[k]] = k;
    }
    good = good && build_rows(s, g, &in, place);
    if (g->n > s->most_group) s->most_group = g->n;
    if (g->band > s->most_band) s->most_band = g->band;
  }
  cps_pool_free(&room);
  return good;
}

static void count(cps_system *s) {
  const cps_scenario *sc = s->scenario;
  int moved = 0;
  for (int i = 0; i < sc->n_bodies; i++) {
    if (sc->bodies[i].kind == BODY_SURFACE)
      s->ns++;
    else
      *(cps_body_is_reduced(sc, i) ? &moved : &s->nd) += cps_body_freedoms(s, i);
  }
  s->n_elements = sc->n_elements;
  s->n_lifts = sc->n_cables - sc->n_elements;
  s->nx = s->nd + s->ns + moved + 1;
  s->nc = sc->n_contacts;
  for (int i = 0; i < s->nc; i++) s->nz += sc->contacts[i].law->n_states;
  s->nw = s->nc + 3;
  s->lift_y = 2 * s->nx + s->nz + s->nw;
  s->ny = s->lift_y + s->n_lifts * LIFT_STATES;
  s->nz = 0; /* counted again while the contacts are built */
}

/* Beside cables of elements, those in few variables are a system of their own: the same tables, without all the rest. */
static int separate(cps_system *s) {
  if (s->n_elements == 0 || s->n_lifts == 0) return 1;
  if (!POOL_ARRAY(&s->pool, s->reduced, 1)) return 0;
  *s->reduced = *s;
  s->reduced->reduced = NULL;
  s->reduced->nd = s->reduced->ns = s->reduced->nc = s->reduced->nz = 0;
  s->reduced->n_line = s->reduced->n_plane = s->reduced->n_loads = s->reduced->n_groups = 0;
  s->reduced->n_alone = s->reduced->lift_contacts = s->reduced->n_elements = 0;
  return 1;
}

/* The geometry of the cables, and whether everything that the scenario wants can be done. */
static int build_cables(cps_system *s, refusals *r, int to_run) {
  const cps_scenario *sc = s->scenario;
  cps_error err = {0};
  cps_error *wrong = calloc((size_t)sc->n_cables + 1, sizeof *wrong);
  if (!POOL_ARRAY(&s->pool, s->drawn, 1) || !wrong) {
    free(wrong);
    return 0;
  }
  r->no_memory |= !cps_drawing_make(s->drawn, sc, wrong);
  r->numbers_of = sc;
  for (int i = 0; i < sc->n_cables; i++) cps_refuse_error(r, wrong[i].status, &wrong[i]);
  r->numbers_of = NULL;
  free(wrong);
  if (!cps_lifts_make(s, r) || !separate(s)) return 0;
  cps_refuse_cables(r, sc);
  cps_refuse_solver(r, sc);
  if (r->n == 0 && !r->no_memory && s->n_elements > 0) {
    r->numbers_of = sc;
    if (to_run) cps_refuse_error(r, cps_drawing_rest(s->drawn, sc, &err), &err);
    cps_refuse_error(r, cps_drawing_tighten(s->drawn, sc, &err), &err);
    r->numbers_of = NULL;
  }
  if (r->n == 0 && !r->no_memory) cps_refuse_outputs(r, s);
  return !r->no_memory;
}

cps_system *cps_bodies_new(const cps_scenario *scenario) {
  cps_system *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->scenario = scenario;
  s->dim = scenario->dim == 3 ? 3 : 2;
  count(s);
  pool *p = &s->pool;
  POOL_ARRAY(p, s->mass, s->nd);
  POOL_ARRAY(p, s->weight, s->nx);
  POOL_ARRAY(p, s->initial, s->ny);
  POOL_ARRAY(p, s->body_q, scenario->n_bodies);
  POOL_ARRAY(p, s->under, s->nx);
  POOL_ARRAY(p, s->up, s->nx);
  POOL_ARRAY(p, s->partner, s->nx);
  POOL_ARRAY(p, s->cross, s->nx);
  POOL_ARRAY(p, s->end_cable, scenario->n_bodies);
  POOL_ARRAY(p, s->end_side, scenario->n_bodies);
  POOL_ARRAY(p, s->line, scenario->n_springs);
  POOL_ARRAY(p, s->plane, scenario->n_springs);
  POOL_ARRAY(p, s->contacts, s->nc);
  POOL_ARRAY(p, s->loads, scenario->n_loads);
  if (p->lost) goto fail;
  for (int i = 0; i < s->nx; i++) s->under[i] = -1;
  build_bodies(s);
  build_partners(s);
  build_springs(s);
  build_contacts(s);
  build_loads(s);
  for (int i = 0; i < s->nc; i++)
    memcpy(s->initial + 2 * s->nx + s->contacts[i].z, scenario->contacts[i].z,
           (size_t)s->contacts[i].n_states * sizeof(double));
  if (!build_groups(s)) goto fail;
  return s;
fail:
  cps_system_free(s);
  return NULL;
}

/* A system with everything that is wrong with it in r; NULL if out of memory. One that is not to be run need not know where it rests. */
static cps_system *build(const cps_scenario *scenario, refusals *r, int to_run) {
  cps_system *s = cps_bodies_new(scenario);
  if (!s) return NULL;
  if (build_cables(s, r, to_run)) {
    r->numbers_of = scenario;
    if (r->n == 0) cps_judge_time_scales(s, r, &s->warnings);
    r->numbers_of = NULL;
    return s;
  }
  cps_system_free(s);
  return NULL;
}

cps_system *cps_system_new(const cps_scenario *scenario, cps_error *err) {
  refusals r = {0};
  cps_system *s = build(scenario, &r, 1);
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
  cps_system *s = build(scenario, &r, 0);
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
  if (s->drawn) cps_drawing_free(s->drawn, s->scenario);
  cps_warnings_clear(&s->warnings);
  cps_pool_free(&s->pool);
  free(s);
}

const char *cps_system_warning(const cps_system *s, int i) { return cps_warnings_at(&s->warnings, i); }

/* ------------------------------------------------------------------ workspace */

cps_status cps_workspace_make(const cps_system *s, workspace *k, cps_error *err) {
  memset(k, 0, sizeof *k);
  double **arrays[] = {
      &k->inverse_mass, &k->force, &k->press,  &k->surface_a, &k->w_ii, &k->free_a, &k->v, &k->n,  &k->f,
      &k->f_eq,         &k->z_t,   &k->spring, &k->spring_e,  &k->band, &k->g,      &k->d, &k->df, &k->hung};
  int springs = s->scenario->n_springs, m = s->most_group;
  int sizes[] = {s->nx + s->n_lifts,
                 s->nx,
                 s->nx,
                 s->nx,
                 s->nc,
                 s->nc,
                 s->nc,
                 s->nc,
                 s->nc,
                 s->nc,
                 s->nz,
                 springs,
                 springs,
                 m * (2 * s->most_band + 1),
                 m,
                 m,
                 m,
                 s->nx};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) POOL_ARRAY(&k->pool, *arrays[i], sizes[i]);
  k->failed_contact = -1;
  if (!k->pool.lost) return CPS_OK;
  cps_workspace_free(k);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the workspace of a run");
}

void cps_workspace_free(workspace *k) {
  cps_pool_free(&k->pool);
  memset(k, 0, sizeof *k);
}

void cps_system_hold(const cps_system *s, workspace *k, double t) {
  const cps_scenario *sc = s->scenario;
  k->held = 0;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind == BODY_SURFACE) continue;
    k->held += t < b->held_until;
    for (int j = 0; j < cps_body_freedoms(s, i); j++)
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

/* Sliding velocity and normal force of contact i, whose first body is free; returns the acceleration without
 * friction. */
static inline double approach(const workspace *k, const contact *c, int i, double t, const double *v) {
  k->v[i] = v[c->a] - c->sb * v[c->b];
  k->n[i] = cps_contact_normal(k, c, t);
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

void cps_system_kinematics(const cps_system *s, const workspace *k, double t, double *y) {
  double *q = y, *v = y + s->nx, load_power, damping;
  cps_surfaces_place(s, k, t, q, v);
  if (s->n_lifts > 0 && s->n_elements == 0) cps_lifts_place(s, k, t, y);
  cps_forces_apply(s, k, t, q, v, &load_power, &damping);
  for (int i = 0; i < s->nc; i++) k->free_a[i] = approach(k, &s->contacts[i], i, t, v);
}

cps_status cps_system_rates(const cps_system *s, workspace *k, double t, double *y, const int *mode,
                            double *y_t) {
  int nx = s->nx;
  double *q = y, *v = y + nx, *z = y + 2 * nx, *q_t = y_t, *v_t = y_t + nx, *w_t = y_t + 2 * nx + s->nz;
  double load_power, damping;
  k->evaluations++;
  cps_surfaces_place(s, k, t, q, v);
  if (s->n_lifts > 0) cps_lifts_place(s, k, t, y);
  cps_forces_apply(s, k, t, q, v, &load_power, &damping);
  if (s->n_lifts > 0) cps_lifts_offer(s, k, y);
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
  for (int i = s->nd; i < s->nd + s->ns; i++) {
    q_t[i] = v[i];
    v_t[i] = 0;
    motion_power -= k->force[i] * v[i];
  }
  q_t[nx - 1] = v_t[nx - 1] = 0;
  memcpy(y_t + 2 * nx, k->z_t, (size_t)s->nz * sizeof(double));
  w_t[s->nc] = damping;
  w_t[s->nc + 1] = load_power;
  w_t[s->nc + 2] = motion_power;
  return s->n_lifts == 0 || cps_lifts_rates(s, k, y, y_t) ? CPS_OK : CPS_FAILED;
}

void cps_system_energy(const cps_system *s, workspace *k, double t, double *y, cps_energy *energy) {
  const double *q = y, *v = y + s->nx, *w = y + 2 * s->nx + s->nz;
  cps_system_kinematics(s, k, t, y);
  cps_bodies_store(s, k, q, v, energy);
  energy->friction = 0;
  for (int i = 0; i < s->nc; i++) energy->friction += w[i];
  energy->damping = w[s->nc];
  energy->load_work = w[s->nc + 1];
  energy->motion_work = w[s->nc + 2];
  cps_lifts_energy(s, k, y, energy);
}
