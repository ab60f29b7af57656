/* network.c - where bodies rest that hang in several cables, or carry drums that hang in them.
 *
 * Cables are elastic strings without weight that slide freely around drums, with the path that cable_path.c gives them. The bodies rest
 * where the energy
 *
 *   E(x) = - sum of (m g + loads) . r  +  sum over cables of EA/(2 N) max(0, P(x) - N)^2
 *
 * is least, with P the length of the path and N the cable's own. Its gradient is exact: moving a drum lengthens a path by the difference
 * of the directions in which the cable comes and goes, moving an end by the direction there. Newton's method with differences of the
 * gradient for the Hessian, shifted until steps go down (Levenberg), since cables that are slack have none.
 */
#include "network.h"

#include "dense.h"
#include "vec.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

/* Freedoms: the Hessian is dense, and its differences cost a path of each cable for each freedom. More than that nobody hangs up in cables. */
enum { FREEDOMS_MOST = 60, ROUNDS = 400 };

typedef struct freedom {
  int body;
  double along[3];
} freedom;

typedef struct search {
  const network *w;
  cps_scenario *s;
  freedom free[FREEDOMS_MOST];
  int n;
  double *natural;    /* [cables] */
  double (*pull)[3];  /* [bodies] weight and loads */
  double (*slope)[3]; /* [bodies] dE/dr */
  double (*home)[3];  /* [bodies] where they were, */
  double span;        /* and a length of all of this */
  double (*rim)[2];   /* [cables] angles at which lines leave the drums that their ends are on, there */
} search;

void cps_body_place(const scenario_body *b, double *at) {
  if (b->kind == BODY_PLANE)
    vec_add(at, b->origin, 1, b->x);
  else
    vec_add(at, b->origin, b->x[0], b->direction);
}

void cps_body_put(cps_scenario *s, int body, const double *at) {
  scenario_body *b = &s->bodies[body];
  double was[3], by[3];
  cps_body_place(b, was);
  if (b->kind == BODY_PLANE) {
    vec_add(b->x, at, -1, b->origin);
  } else {
    double from[3];
    vec_add(from, at, -1, b->origin);
    b->x[0] = vec_dot(from, b->direction);
  }
  cps_body_place(b, by);
  vec_add(by, by, -1, was);
  for (int i = 0; i < s->n_drums; i++)
    if (s->drums[i].carrier == body) vec_add(s->drums[i].center, s->drums[i].center, 1, by);
}

double cps_path_natural(const path *p, const scenario_cable *c) {
  double sum = 0;
  int said = 0;
  for (int k = 0; k < p->n; k++) {
    const path_item *item = p->piece[k].item >= 0 ? &c->path[p->piece[k].item] : NULL;
    int own = item && cps_item_is(item, ITEM_RUNS) && item->length > 0;
    sum += own ? item->length : p->piece[k].length;
    said |= own;
  }
  return said ? sum : 0;
}

/* ------------------------------------------------------------------ energy */

/* What is wound next to an end on a rim is as many turns as the path says wherever the cable leads, so its length does not change as the
 * line turns about the drum: what leads that line there does not see the tangent alone. With n outwards at the rim and l the length of
 * the line, dP/dr = t + (R/l) n. */
static void add_rim(search *y, const scenario_cable *c, const path *p, int e, double tension) {
  const cps_scenario *s = y->s;
  int at = e ? p->n - 1 : 0, next = e ? p->n - 2 : 1, far = e ? p->n - 3 : 2, body = -1;
  double r[3], t[3], inward[3];
  if (p->n < 2 || p->piece[at].drum < 0 || p->piece[next].drum >= 0) return;
  cps_piece_at(s, &p->piece[at], e ? 0 : p->piece[at].length, r, t, inward);
  double by = -tension * s->drums[p->piece[at].drum].radius / p->piece[next].length;
  if (far >= 0 && far < p->n)
    body = p->piece[far].drum >= 0 ? s->drums[p->piece[far].drum].carrier : -1;
  else if (cps_end_is(c->end[!e].kind, END_ON_BODY))
    body = c->end[!e].body;
  if (body >= 0) vec_add(y->slope[body], y->slope[body], by, inward);
  int carrier = s->drums[p->piece[at].drum].carrier;
  if (carrier >= 0) vec_add(y->slope[carrier], y->slope[carrier], -by, inward);
}

/* dP/dr of what a cable is led by, times its tension. */
static void add_slopes(search *y, const scenario_cable *c, const path *p, double tension) {
  double r[3], t[3], inward[3];
  for (int e = 0; e < 2 && !p->closed; e++) {
    if (!cps_end_is(c->end[e].kind, END_ON_BODY)) continue;
    const path_piece *piece = &p->piece[e ? p->n - 1 : 0];
    cps_piece_at(y->s, piece, e ? piece->length : 0, r, t, inward);
    double *slope = y->slope[c->end[e].body];
    vec_add(slope, slope, e ? tension : -tension, t);
  }
  for (int e = 0; e < 2 && !p->closed; e++)
    if (!y->w->rims_stay && cps_end_is(c->end[e].kind, END_ON_DRUM)) add_rim(y, c, p, e, tension);
  for (int k = 0; k < p->n; k++) {
    const path_piece *arc = &p->piece[k];
    if (arc->drum < 0 || y->s->drums[arc->drum].carrier < 0) continue;
    double *slope = y->slope[y->s->drums[arc->drum].carrier];
    for (int last = 0; last < 2; last++) {
      if (!p->closed && k == (last ? p->n - 1 : 0)) continue; /* it ends here, on the rim */
      cps_piece_at(y->s, arc, last ? arc->length : 0, r, t, inward);
      vec_add(slope, slope, last ? -tension : tension, t);
    }
  }
}

/* The angle at which the line next to an end on a rim leaves that drum, and the sense of the wrap. */
static double rim_exit(const path *p, int e, int *sense) {
  const path_piece *arc = &p->piece[e ? p->n - 1 : 0];
  *sense = arc->sweep > 0 ? 1 : -1;
  return arc->angle + (e ? 0 : arc->sweep);
}

/* By how much more is wound at end e than when the search began [rad]. */
static double wound(const search *y, int cable, const path *p, int e) {
  int sense;
  double now = rim_exit(p, e, &sense);
  return (e ? -sense : sense) * remainder(now - y->rim[cable][e], 2 * PI);
}

static int ends_on_rim(const scenario_cable *c, int e) {
  return !c->closed && cps_end_is(c->end[e].kind, END_ON_DRUM);
}

/* Energy, and its slopes by the freedoms; 0 if a path does not exist. With `measure`, natural lengths that follow from hangs are set. */
static int evaluate(search *y, const double *x, double *energy, double *gradient, int measure) {
  cps_scenario *s = y->s;
  double at[3];
  for (int i = 0; i < y->n; i++) {
    const freedom *f = &y->free[i];
    if (i == 0 || f->body != f[-1].body) vec_copy(at, y->home[f->body]);
    vec_add(at, at, x[i], f->along);
    if (i + 1 == y->n || f->body != f[1].body) cps_body_put(s, f->body, at);
  }
  *energy = 0;
  for (int b = 0; b < s->n_bodies; b++) {
    double by[3];
    for (int k = 0; k < 3; k++) y->slope[b][k] = -y->pull[b][k];
    if (!y->w->moves[b]) continue;
    cps_body_place(&s->bodies[b], at);
    vec_add(by, at, -1, y->home[b]);
    *energy -= vec_dot(y->pull[b], by);
  }
  for (int i = 0; i < s->n_cables; i++) {
    const scenario_cable *c = &s->cables[i];
    path p;
    if (c->model != CABLE_ANCF || y->w->natural[i] <= 0) continue;
    if (cps_path_make(&p, s, i, NULL) != CPS_OK) return 0;
    if (measure) y->natural[i] = isnan(y->w->natural[i]) ? cps_path_natural(&p, c) : y->w->natural[i];
    double long_by = p.length - y->natural[i], stiffness = c->ea / y->natural[i];
    for (int e = 0; e < 2 && y->w->rims_stay; e++)
      if (ends_on_rim(c, e)) long_by += s->drums[c->end[e].drum].radius * wound(y, i, &p, e);
    if (long_by > 0 && y->natural[i] > 0) {
      *energy += stiffness * long_by * long_by / 2;
      add_slopes(y, c, &p, stiffness * long_by);
    }
    cps_path_free(&p);
  }
  for (int i = 0; i < y->n; i++) gradient[i] = vec_dot(y->slope[y->free[i].body], y->free[i].along);
  return isfinite(*energy);
}

/* ------------------------------------------------------------------ Newton's method */

typedef struct room {
  double x[FREEDOMS_MOST], trial[FREEDOMS_MOST], g[FREEDOMS_MOST], g_trial[FREEDOMS_MOST],
      step[FREEDOMS_MOST];
  double h[FREEDOMS_MOST * FREEDOMS_MOST], shifted[FREEDOMS_MOST * FREEDOMS_MOST];
  int pivot[FREEDOMS_MOST];
} room;

static double norm(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

static int differentiate(search *y, room *r) {
  int n = y->n;
  double by = 1e-7 * y->span, e;
  for (int j = 0; j < n; j++) {
    double keep = r->x[j];
    for (int side = 0; side < 2; side++) {
      r->x[j] = keep + (side ? by : -by);
      if (!evaluate(y, r->x, &e, side ? r->g_trial : r->step, 0)) {
        r->x[j] = keep;
        return 0;
      }
    }
    r->x[j] = keep;
    for (int i = 0; i < n; i++) r->h[i * n + j] = (r->g_trial[i] - r->step[i]) / (2 * by);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) r->h[i * n + j] = r->h[j * n + i] = (r->h[i * n + j] + r->h[j * n + i]) / 2;
  return 1;
}

/* Solves (H + shift) step = -g; 0 if the step does not go down. */
static int solve_shifted(const search *y, room *r, double shift) {
  int n = y->n;
  double down = 0;
  for (int i = 0; i < n * n; i++) r->shifted[i] = r->h[i];
  for (int i = 0; i < n; i++) r->shifted[i * n + i] += shift, r->step[i] = -r->g[i];
  if (!(dense_factor(r->shifted, n, n, r->pivot, NULL) > 0)) return 0;
  dense_solve(r->shifted, n, n, r->pivot, r->step, 1, 1);
  for (int i = 0; i < n; i++) down -= r->g[i] * r->step[i];
  return down > 0 && isfinite(down);
}

/* A body that has gone further than all cables are long is not held by any. */
static int find_runaway(const search *y, const double *x) {
  for (int i = 0; i < y->n; i++)
    if (fabs(x[i]) > 4 * y->span) return y->free[i].body;
  return -1;
}

static network_verdict descend(search *y, room *r, int *runaway) {
  int n = y->n;
  double e, e_trial, weight = 0, shift;
  if (!evaluate(y, r->x, &e, r->g, 1)) return NETWORK_LOST;
  for (int i = 0; i < n; i++) weight = fmax(weight, vec_norm(y->pull[y->free[i].body]));
  const double least_shift = 1e-3 * weight / y->span;
  shift = least_shift;
  for (int round = 0, calm = 0; round < ROUNDS; round++) {
    double left = norm(r->g, n);
    if (left <= 1e-13 * weight || calm > 2) return NETWORK_RESTS;
    if (!differentiate(y, r)) return NETWORK_LOST;
    int better = 0;
    for (int tries = 0; tries < 60 && !better; tries++) {
      if (solve_shifted(y, r, shift)) {
        double far = norm(r->step, n), part = fmin(1, 0.2 * y->span / far);
        for (int i = 0; i < n; i++) r->trial[i] = r->x[i] + part * r->step[i];
        if (evaluate(y, r->trial, &e_trial, r->g_trial, 0) &&
            (e_trial < e || (norm(r->g_trial, n) < left && e_trial <= e + 1e-12 * fabs(e)))) {
          better = 1;
          break;
        }
      }
      shift = fmax(4 * shift, least_shift);
    }
    if (!better) return left < 1e-6 * weight ? NETWORK_RESTS : NETWORK_LOST;
    memcpy(r->x, r->trial, (size_t)n * sizeof *r->x);
    shift = shift / 8 < least_shift ? 0 : shift / 8;
    if (!evaluate(y, r->x, &e, r->g, 1))
      return NETWORK_LOST; /* lengths that follow from hangs may have moved */
    calm = norm(r->g, n) < 1e-9 * weight && norm(r->g, n) > 0.5 * left ? calm + 1 : 0;
    *runaway = find_runaway(y, r->x);
    if (*runaway >= 0) return NETWORK_RUNS;
  }
  return NETWORK_LOST;
}

/* ------------------------------------------------------------------ all of it */

static int find_freedoms(search *y) {
  const cps_scenario *s = y->s;
  for (int b = 0; b < s->n_bodies; b++) {
    if (!y->w->moves[b]) continue;
    int n = s->bodies[b].kind == BODY_PLANE ? s->dim : 1;
    if (y->n + n > FREEDOMS_MOST) return 0;
    for (int k = 0; k < n; k++) {
      freedom *f = &y->free[y->n++];
      *f = (freedom){.body = b};
      if (s->bodies[b].kind == BODY_PLANE)
        f->along[k] = 1;
      else
        vec_copy(f->along, s->bodies[b].direction);
    }
  }
  return y->n > 0;
}

static void find_pulls(search *y) {
  const cps_scenario *s = y->s;
  for (int b = 0; b < s->n_bodies; b++) {
    for (int k = 0; k < s->dim; k++) y->pull[b][k] = s->bodies[b].mass * s->gravity[k];
    cps_body_place(&s->bodies[b], y->home[b]);
  }
  for (int i = 0; i < s->n_loads; i++) {
    const scenario_load *l = &s->loads[i];
    vec_add(y->pull[l->body], y->pull[l->body], cps_profile_drawn(l->force, s->run.from).y, l->direction);
  }
}

/* What is wound onto rims: before the search, or by how much more after it. */
static void look_at_rims(search *y, int after) {
  for (int i = 0; i < y->s->n_cables; i++) {
    scenario_cable *c = &y->s->cables[i];
    path p;
    int sense;
    if (c->model != CABLE_ANCF || !(ends_on_rim(c, 0) || ends_on_rim(c, 1))) continue;
    if (cps_path_make(&p, y->s, i, NULL) != CPS_OK) continue;
    for (int e = 0; e < 2; e++) {
      if (!ends_on_rim(c, e)) continue;
      if (after)
        c->path[e ? c->n_path - 1 : 0].more = wound(y, i, &p, e);
      else
        y->rim[i][e] = rim_exit(&p, e, &sense);
    }
    cps_path_free(&p);
  }
}

static double find_span(const search *y) {
  double span = 0;
  for (int i = 0; i < y->s->n_cables; i++) {
    path p;
    if (y->s->cables[i].model != CABLE_ANCF || y->w->natural[i] <= 0) continue;
    if (y->w->natural[i] > 0) {
      span += y->w->natural[i];
    } else if (cps_path_make(&p, y->s, i, NULL) == CPS_OK) {
      span += p.length;
      cps_path_free(&p);
    }
  }
  return span;
}

network_verdict cps_network_settle(const network *w, int *body) {
  search *y = calloc(1, sizeof *y);
  room *r = calloc(1, sizeof *r);
  size_t bodies = (size_t)w->s->n_bodies + 1;
  network_verdict verdict = NETWORK_NO_MEMORY;
  double(*vectors)[3] = calloc(3 * bodies, sizeof *vectors),
  *natural = calloc((size_t)w->s->n_cables + 1, sizeof *natural);
  double(*rim)[2] = calloc((size_t)w->s->n_cables + 1, sizeof *rim);
  *body = -1;
  if (y && r && vectors && natural && rim) {
    y->rim = rim;
    y->w = w;
    y->s = w->s;
    y->natural = natural;
    y->pull = vectors;
    y->slope = vectors + bodies;
    y->home = vectors + 2 * bodies;
    verdict = NETWORK_LOST;
    if (find_freedoms(y)) {
      find_pulls(y);
      y->span = find_span(y);
      if (w->rims_stay) look_at_rims(y, 0);
      if (y->span > 0) verdict = descend(y, r, body);
    }
    for (int b = 0; b < w->s->n_bodies && verdict != NETWORK_RESTS; b++)
      if (w->moves[b]) cps_body_put(w->s, b, y->home[b]);
    if (verdict == NETWORK_RESTS) {
      double e;
      evaluate(y, r->x, &e, r->g, 0);
      if (w->rims_stay) look_at_rims(y, 1);
    }
  }
  free(rim);
  free(natural);
  free(vectors);
  free(r);
  free(y);
  return verdict;
}
