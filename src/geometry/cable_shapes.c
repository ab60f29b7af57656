/* cable_shapes.c - one geometry for all cables of a scenario.
 *
 * A body that says nothing about its place is where the cables put it. First without elasticity:
 *
 *   - a cable whose path says where it ends places the body there: hangs, straight pieces, what remains of its length;
 *   - further cables run to it, so a compensation rope needs to say nothing but the pulley that it runs under. One that says itself how far
 *     it hangs must agree; where both can only lean a little, the body is where both lengths meet;
 *   - bodies that no cable places by itself rest where the lengths of all their cables let them (network.c): a load on two winches, a ring
 *     in three ropes, a sheave in a bight, the pulley of a compensation rope. So do bodies that carry drums and say nothing of their place;
 *     without any length they are at the origin.
 *
 * Then the cables are drawn, stretched by what hangs on them, with the lengths that were found.
 */
#include "cable_shapes.h"

#include "network.h"
#include "plain_locale.h"
#include "pool.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hang that two cables share a body with may lean, so that it is longer by this. */
static const double LEANS = 0.01;
/* A cable between bodies that other cables place is not stretched further than this. */
static const double STRETCHES = 0.05;

typedef struct sketch {
  pool pool;          /* all arrays */
  cps_scenario known; /* with bodies, drums and cables of its own */
  const cps_scenario *s;
  double *natural;    /* [cables] lengths that hangs give to cables between placed ends; 0: none */
  char *done, *moves; /* [cables] whose path is known; [bodies] of a network */
  path_item *items;   /* paths of the cables */
  char *jointly;      /* [bodies] placed by a network */
  cps_error *error;
  int no_memory;
} sketch;

static int is_ancf(const cps_scenario *s, int cable) { return s->cables[cable].model == CABLE_ANCF; }

/* ------------------------------------------------------------------ making */

static int sketch_make(sketch *k, const cps_scenario *s, cps_error *error) {
  pool *p = &k->pool;
  int items = 0;
  *k = (sketch){.known = *s, .s = s, .error = error};
  for (int i = 0; i < s->n_cables; i++) items += s->cables[i].n_path;
  POOL_ARRAY(p, k->known.bodies, s->n_bodies);
  POOL_ARRAY(p, k->known.drums, s->n_drums);
  POOL_ARRAY(p, k->known.cables, s->n_cables);
  POOL_ARRAY(p, k->natural, s->n_cables);
  POOL_ARRAY(p, k->items, items);
  POOL_ARRAY(p, k->done, s->n_cables);
  POOL_ARRAY(p, k->moves, s->n_bodies);
  POOL_ARRAY(p, k->jointly, s->n_bodies);
  if (p->lost) return 0;
  if (s->n_bodies > 0) memcpy(k->known.bodies, s->bodies, (size_t)s->n_bodies * sizeof *s->bodies);
  if (s->n_drums > 0) memcpy(k->known.drums, s->drums, (size_t)s->n_drums * sizeof *s->drums);
  if (s->n_cables > 0) memcpy(k->known.cables, s->cables, (size_t)s->n_cables * sizeof *s->cables);
  for (int i = 0, at = 0; i < s->n_cables; i++) {
    if (s->cables[i].n_path > 0)
      memcpy(k->items + at, s->cables[i].path, (size_t)s->cables[i].n_path * sizeof *k->items);
    k->known.cables[i].path = k->items + at;
    at += s->cables[i].n_path;
  }
  for (int i = 0; i < s->n_bodies; i++)
    if (s->bodies[i].adrift) k->known.bodies[i].placed = 0;
  return 1;
}

/* ------------------------------------------------------------------ what cables say by themselves */

/* Whether the path of a cable leads around a drum whose place is not known yet. */
static int waits(const cps_scenario *s, int cable) {
  const scenario_cable *c = &s->cables[cable];
  for (int i = 0; i < c->n_path; i++) {
    if (!cps_item_is(&c->path[i], ITEM_WRAPS)) continue;
    int carrier = s->drums[c->path[i].drum].carrier;
    if (carrier >= 0 && !s->bodies[carrier].placed) return 1;
  }
  return 0;
}

/* The body at an end of a cable, or -1. */
static int body_at(const scenario_cable *c, int e) {
  return !c->closed && cps_end_is(c->end[e].kind, END_ON_BODY) ? c->end[e].body : -1;
}

/* Whether a cable ends on a body or runs around a drum that it carries. */
static int touches(const cps_scenario *s, int cable, int body) {
  const scenario_cable *c = &s->cables[cable];
  for (int e = 0; e < 2; e++)
    if (body_at(c, e) == body) return 1;
  for (int i = 0; i < c->n_path; i++)
    if (cps_item_is(&c->path[i], ITEM_WRAPS) && s->drums[c->path[i].drum].carrier == body) return 1;
  return 0;
}

/* Puts bodies at the ends of a cable where it ends. */
static void place_ends(cps_scenario *known, int cable, const double at[2][3]) {
  for (int e = 0; e < 2; e++) {
    int body = body_at(&known->cables[cable], e);
    if (body < 0 || known->bodies[body].placed || known->bodies[body].kind != BODY_PLANE) continue;
    cps_body_put(known, body, at[e]);
    known->bodies[body].placed = PLACED_BY_CABLE + cable;
  }
}

/* The other cable that has placed a body at an end of this one; -1 if none has. */
static int placed_by(const cps_scenario *s, int cable, int *body) {
  for (int e = 0; e < 2; e++) {
    *body = body_at(&s->cables[cable], e);
    if (*body >= 0 && s->bodies[*body].placed >= PLACED_BY_CABLE &&
        s->bodies[*body].placed - PLACED_BY_CABLE != cable)
      return s->bodies[*body].placed - PLACED_BY_CABLE;
  }
  return -1;
}

/* Refuses what other cables make impossible for this one. *off: by how much its hangs are longer or shorter than it says. */
static cps_status check_against(const sketch *k, int cable, const path *p, double *off, cps_error *err) {
  const scenario_cable *c = &k->known.cables[cable];
  char key[128];
  int body, other = placed_by(&k->known, cable, &body);
  *off = 0;
  if (other < 0) return CPS_OK;
  const char *name = k->s->bodies[body].name;
  int together = other >= k->s->n_cables; /* it is where several cables meet, and this is one of them */
  for (int i = 0; together && i < k->s->n_cables; i++)
    if (i != cable && is_ancf(k->s, i) && touches(k->s, i, body)) other = i;
  if (other >= k->s->n_cables) return CPS_OK; /* the only cable of that body */
  const char *by = k->s->cables[other].name;
  for (int i = 0; i < p->n; i++) {
    const path_item *item = p->piece[i].item >= 0 ? &c->path[p->piece[i].item] : NULL;
    if (!item || !cps_item_is(item, ITEM_RUNS) || !(item->length > 0)) continue;
    double by_m = fabs(item->length - p->piece[i].length);
    *off = fmax(*off, by_m / item->length);
    if (by_m <= LEANS * (item->length + p->piece[i].length)) continue;
    snprintf(key, sizeof key, "cables.%s.path.%d", c->name, p->piece[i].item + !c->closed);
    return cps_error_set(
        err, CPS_BAD_INPUT, key,
        "cable %s hangs %.6g m here, but to body %s, where cable %s puts it, it would have to be %.6g m; "
        "leave one of the "
        "two hangs out, or give both cables a `length` instead, and the body is where they meet",
        c->name, item->length, name, by, p->piece[i].length);
  }
  if (c->length > 0 && p->length > (1 + STRETCHES) * c->length) {
    snprintf(key, sizeof key, "cables.%s.length", c->name);
    if (together)
      return cps_error_set(
          err, CPS_BAD_INPUT, key,
          "cables %s and %s do not meet at body %s: cable %s is %.6g m long, and would have to be %.6g m",
          c->name, by, name, c->name, c->length, p->length);
    return cps_error_set(
        err, CPS_BAD_INPUT, key,
        "cable %s is %.6g m long, but to body %s, where cable %s puts it, its path takes %.6g m", c->name,
        c->length, name, by, p->length);
  }
  return CPS_OK;
}

/* Bodies that two cables place, by hangs that lean: whether both can be drawn to the place where their lengths meet, which needs their other
 * ends to be known. */
static void meet(sketch *k, int cable) {
  cps_scenario *s = &k->known;
  int body, other = placed_by(s, cable, &body), unused;
  double *natural = calloc((size_t)s->n_cables + 1, sizeof *natural);
  k->no_memory |= !natural;
  if (!natural || other < 0) {
    free(natural);
    return;
  }
  int pair[2] = {cable, other}, good = 1;
  int n = other < s->n_cables ? 2 : 1; /* there is no other where several have placed the body together */
  for (int i = 0; i < n; i++) {
    natural[pair[i]] = s->cables[pair[i]].length > 0 ? s->cables[pair[i]].length : NAN;
    for (int e = 0; e < 2; e++) {
      int far = body_at(&s->cables[pair[i]], e);
      good &= far < 0 || far == body || s->bodies[far].placed < PLACED_BY_CABLE;
    }
  }
  memset(k->moves, 0, (size_t)s->n_bodies);
  k->moves[body] = 1;
  network w = {s, k->moves, natural, 0};
  network_verdict verdict = good ? cps_network_settle(&w, &unused) : NETWORK_LOST;
  k->no_memory |= verdict == NETWORK_NO_MEMORY;
  if (verdict == NETWORK_RESTS) k->jointly[body] = 1;
  free(natural);
}

/* One round over the cables whose path is not known yet. Returns whether it found one. */
static int trace(sketch *k) {
  cps_scenario *s = &k->known;
  int found = 0;
  for (int i = 0; i < s->n_cables; i++) {
    if (k->done[i] || !is_ancf(s, i) || waits(s, i)) continue;
    path p;
    k->error[i].status = cps_path_make(&p, s, i, &k->error[i]);
    if (k->error[i].status != CPS_OK) continue;
    double at[2][3] = {{0}}, t[3] = {0}, off = 0;
    cps_path_at(&p, s, 0, at[0], t);
    cps_path_at(&p, s, p.length, at[1], t);
    place_ends(s, i, (const double(*)[3])at);
    k->error[i].status = check_against(k, i, &p, &off, &k->error[i]);
    k->natural[i] = cps_path_natural(&p, &s->cables[i]);
    cps_path_free(&p);
    k->done[i] = 1;
    found = 1;
    if (k->error[i].status == CPS_OK && off > 1e-9) meet(k, i);
  }
  return found;
}

/* ------------------------------------------------------------------ what they say together */

/* Whether the path of a cable says how long it is. */
static int has_length(const scenario_cable *c) {
  if (c->length > 0) return 1;
  for (int i = 0; i < c->n_path; i++)
    if (cps_item_is(&c->path[i], ITEM_RUNS) && c->path[i].length > 0) return 1;
  return 0;
}

/* Adds what a cable leads to and is known: its ends and drums. Returns their number. */
static int add_known(const cps_scenario *s, int cable, const char *unknown, double *sum) {
  const scenario_cable *c = &s->cables[cable];
  double at[3], axis[3];
  int n = 0;
  for (int e = 0; e < 2; e++) {
    int body = body_at(c, e);
    if (body >= 0 && unknown[body]) continue;
    if (cps_end_is(c->end[e].kind, END_ON_DRUM))
      cps_drum_place(s, c->end[e].drum, at, axis);
    else if (c->closed || !cps_end_place(s, cable, e, at))
      continue;
    vec_add(sum, sum, 1, at);
    n++;
  }
  for (int i = 0; i < c->n_path; i++) {
    if (!cps_item_is(&c->path[i], ITEM_WRAPS)) continue;
    int carrier = s->drums[c->path[i].drum].carrier;
    if (carrier >= 0 && unknown[carrier]) continue;
    cps_drum_place(s, c->path[i].drum, at, axis);
    vec_add(sum, sum, 1, at);
    n++;
  }
  return n;
}

/* A first guess: below the middle of what the cables of a body lead to, by some part of the longest of them. */
static int guess(sketch *k, char *unknown, double part) {
  cps_scenario *s = &k->known;
  double down[3];
  int found = 1;
  cps_gravity_direction(s, down);
  while (found) {
    found = 0;
    for (int b = 0; b < s->n_bodies; b++) {
      double sum[3] = {0}, most = 0;
      int n = 0;
      if (!unknown[b]) continue;
      for (int i = 0; i < s->n_cables; i++) {
        if (!is_ancf(s, i) || !touches(s, i, b) || !has_length(&s->cables[i])) continue;
        n += add_known(s, i, unknown, sum);
        double length = s->cables[i].length;
        for (int j = 0; j < s->cables[i].n_path && !(s->cables[i].length > 0); j++)
          length += s->cables[i].path[j].length;
        most = fmax(most, length);
      }
      if (n == 0) continue;
      for (int j = 0; j < 3; j++) sum[j] = sum[j] / n + part * most * down[j];
      cps_body_put(s, b, sum);
      unknown[b] = 0;
      found = 1;
    }
  }
  for (int b = 0; b < s->n_bodies; b++)
    if (unknown[b]) return 0;
  return 1;
}

/* Bodies that no cable places by itself, but lengths of cables do. Returns whether there are any, and they have been placed. */
static int join(sketch *k) {
  static const double parts[] = {0.3, 0.1, 0.6, 1};
  cps_scenario *s = &k->known;
  int any = 0, unused;
  network_verdict verdict = NETWORK_LOST;
  double *natural = calloc((size_t)s->n_cables + 1, sizeof *natural);
  char *unknown = calloc((size_t)s->n_bodies + 1, 1);
  k->no_memory |= !natural || !unknown;
  memset(k->moves, 0, (size_t)s->n_bodies);
  for (int b = 0; b < s->n_bodies && natural && unknown; b++) {
    if (s->bodies[b].placed || s->bodies[b].kind != BODY_PLANE) continue;
    for (int i = 0; i < s->n_cables; i++) {
      if (!is_ancf(s, i) || !touches(s, i, b) || !has_length(&s->cables[i])) continue;
      natural[i] = s->cables[i].length > 0 ? s->cables[i].length : NAN;
      k->moves[b] = 1;
      any = 1;
    }
  }
  for (int b = 0; any && b < s->n_bodies; b++)
    if (k->moves[b]) s->bodies[b].placed = PLACED_BY_CABLE + s->n_cables;
  for (size_t i = 0; any && i < sizeof parts / sizeof parts[0] && verdict != NETWORK_RESTS; i++) {
    network w = {s, k->moves, natural, 0};
    memcpy(unknown, k->moves, (size_t)s->n_bodies);
    if (guess(k, unknown, parts[i])) verdict = cps_network_settle(&w, &unused);
    k->no_memory |= verdict == NETWORK_NO_MEMORY;
  }
  for (int b = 0; any && b < s->n_bodies; b++) {
    if (!k->moves[b]) continue;
    if (verdict == NETWORK_RESTS)
      k->jointly[b] = 1;
    else
      s->bodies[b].placed = 0;
  }
  free(unknown);
  free(natural);
  return verdict == NETWORK_RESTS;
}

/* Bodies that carry drums, where nothing else says where they are: at the origin. */
static int sit_at_origin(sketch *k) {
  cps_scenario *s = &k->known;
  int any = 0;
  for (int b = 0; b < s->n_bodies; b++) {
    if (!s->bodies[b].adrift || s->bodies[b].placed) continue;
    cps_body_put(s, b, (double[3]){0});
    s->bodies[b].placed = any = 1;
  }
  return any;
}

/* ------------------------------------------------------------------ drawing */

/* The cables with elements, from what is known: bodies that a cable has placed by itself are placed anew, where it ends when stretched. */
static void draw(sketch *k, shape *drawn) {
  cps_scenario *s = &k->known;
  int moves = 1;
  for (int b = 0; b < s->n_bodies; b++)
    if (s->bodies[b].placed >= PLACED_BY_CABLE && !k->jointly[b]) s->bodies[b].placed = 0;
  for (int i = 0; i < s->n_cables; i++) k->done[i] = k->error[i].status != CPS_OK || !is_ancf(s, i);
  while (moves) {
    moves = 0;
    for (int i = 0; i < s->n_cables; i++) {
      scenario_cable *c = &s->cables[i];
      double at[2][3] = {{0}};
      int held = 1;
      if (k->done[i] || waits(s, i)) continue;
      for (int e = 0; e < 2; e++) held &= body_at(c, e) < 0 || s->bodies[body_at(c, e)].placed;
      if (held && k->natural[i] > 0 && !(c->length > 0) && !(c->tension > 0)) c->length = k->natural[i];
      k->error[i].status = cps_shape_draw(&drawn[i], s, i, &k->error[i]);
      if (k->error[i].status != CPS_OK) { /* it may wait for another */
        c->length = k->s->cables[i].length;
        continue;
      }
      for (int e = 0; e < 2; e++)
        memcpy(at[e], drawn[i].q + (e ? 2 * (size_t)s->dim * (size_t)drawn[i].n : 0),
               (size_t)s->dim * sizeof(double));
      place_ends(s, i, (const double(*)[3])at);
      k->done[i] = 1;
      moves = 1;
    }
  }
}

/* Everything of a drawing, from a sketch whose bodies are placed. Returns 0 if out of memory. */
static int finish(sketch *k, drawing *y) {
  const cps_scenario *s = k->s;
  y->cable = calloc((size_t)s->n_cables + 1, sizeof *y->cable);
  y->body = calloc((size_t)s->n_bodies + 1, sizeof *y->body);
  y->drum = calloc((size_t)s->n_drums + 1, sizeof *y->drum);
  if (!y->cable || !y->body || !y->drum) return 0;
  draw(k, y->cable);
  for (int i = 0; i < s->n_bodies; i++) vec_copy(y->body[i], k->known.bodies[i].x);
  for (int i = 0; i < s->n_drums; i++) vec_copy(y->drum[i], k->known.drums[i].center);
  return 1;
}

int cps_drawing_make(drawing *y, const cps_scenario *s, cps_error *error) {
  sketch k;
  memset(y, 0, sizeof *y);
  for (int i = 0; i < s->n_cables; i++) error[i].status = CPS_OK;
  int good = sketch_make(&k, s, error);
  while (good && (trace(&k) || join(&k) || sit_at_origin(&k))) continue;
  good = good && !k.no_memory && finish(&k, y);
  cps_pool_free(&k.pool);
  return good;
}

void cps_drawing_free(drawing *y, const cps_scenario *s) {
  for (int i = 0; y->cable && i < s->n_cables; i++) cps_shape_free(&y->cable[i]);
  free(y->cable);
  free(y->body);
  free(y->drum);
  memset(y, 0, sizeof *y);
}

/* ------------------------------------------------------------------ where bodies would rest */

/* Whether nothing but cables, weight and loads acts on a body that may move. */
static int hangs_freely(const cps_scenario *s, int body) {
  const scenario_body *b = &s->bodies[body];
  int on_cable = 0;
  if (b->kind == BODY_SURFACE || s->run.from < b->held_until) return 0;
  for (int i = 0; i < s->n_springs; i++)
    if (s->springs[i].end[0].body == body || s->springs[i].end[1].body == body) return 0;
  for (int i = 0; i < s->n_contacts; i++)
    if (s->contacts[i].body[0] == body || s->contacts[i].body[1] == body) return 0;
  for (int i = 0; i < s->n_cables; i++) {
    if (!touches(s, i, body)) continue;
    if (!is_ancf(s, i)) return 0;
    on_cable = 1;
  }
  return on_cable;
}

/* The lengths of all cables where bodies are now; 0 if one has no path. */
static int measure_lengths(sketch *k) {
  for (int i = 0; i < k->known.n_cables; i++) {
    path p;
    if (!is_ancf(&k->known, i)) continue;
    if (k->error[i].status != CPS_OK || cps_path_make(&p, &k->known, i, NULL) != CPS_OK) return 0;
    double own = cps_path_natural(&p, &k->s->cables[i]);
    k->natural[i] = k->s->cables[i].length > 0 ? k->s->cables[i].length : own > 0 ? own : p.length;
    cps_path_free(&p);
  }
  return 1;
}

/* Moves the bodies of a sketch to where they rest. Returns whether that is elsewhere. */
static int move_to_rest(sketch *k) {
  const double far = 0.02; /* of a cable: searches for an equilibrium find by themselves what is nearer */
  cps_scenario *s = &k->known;
  int unused, moved = 0;
  double(*was)[3] = calloc((size_t)s->n_bodies + 1, sizeof *was);
  for (int b = 0; b < s->n_bodies && was; b++) {
    k->moves[b] = (char)hangs_freely(s, b);
    cps_body_place(&s->bodies[b], was[b]);
    if (k->moves[b]) s->bodies[b].placed = PLACED_BY_CABLE + s->n_cables;
  }
  network w = {s, k->moves, k->natural, 1};
  network_verdict verdict = was ? cps_network_settle(&w, &unused) : NETWORK_NO_MEMORY;
  int rests = verdict == NETWORK_RESTS;
  k->no_memory |= verdict == NETWORK_NO_MEMORY;
  for (int b = 0; rests && b < s->n_bodies; b++) {
    double at[3];
    if (!k->moves[b]) continue;
    k->jointly[b] = 1;
    cps_body_place(&s->bodies[b], at);
    vec_add(at, at, -1, was[b]);
    for (int i = 0; i < s->n_cables; i++) moved |= touches(s, i, b) && vec_norm(at) > far * k->natural[i];
  }
  free(was);
  return moved;
}

int cps_drawing_settle(drawing *y, const cps_scenario *s) {
  sketch k;
  cps_error *error = calloc((size_t)s->n_cables + 1, sizeof *error);
  memset(y, 0, sizeof *y);
  if (!error) return -1;
  int good = sketch_make(&k, s, error);
  k.no_memory |= !good;
  while (good && (trace(&k) || join(&k) || sit_at_origin(&k))) continue;
  good = good && measure_lengths(&k) && move_to_rest(&k);
  if (good && !finish(&k, y)) k.no_memory = 1, good = 0;
  for (int i = 0; i < s->n_cables && good; i++)
    good = error[i].status == CPS_OK && (!is_ancf(s, i) || y->cable[i].q);
  for (int i = 0; i < s->n_cables; i++) k.no_memory |= error[i].status == CPS_NO_MEMORY;
  if (!good) cps_drawing_free(y, s);
  cps_pool_free(&k.pool);
  free(error);
  return good ? 1 : k.no_memory ? -1 : 0;
}
