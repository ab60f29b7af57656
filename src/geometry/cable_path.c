/* path.c - the way of a cable around drums, from what a scenario says about it.
 *
 * The items of a path are read from its start. A point ends a row of drums, and so does a straight piece of
 * given direction; each row is solved by itself (tangent_lines.c). What lies before the first place that is known,
 * hanging or along a direction, is put in front of the row once that is solved.
 */
#include "cable_path.h"

#include "cable_shapes.h"
#include "plain_locale.h"
#include "tangent_lines.h"
#include "vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALL 1e-9

static const double plane_axis[3] = {0, 0, 1};

/* ------------------------------------------------------------------ drums, ends, directions */

void cps_drum_frame(const double *axis, double *u, double *w) {
  int k = fabs(axis[0]) > 0.9;
  double e[3] = {!k, k, 0};
  vec_add(u, e, -axis[k], axis);
  vec_unit(u);
  vec_cross(w, axis, u);
}

static void add_shift(double *at, profile *const shift[3], double t) {
  for (int k = 0; k < 3; k++)
    if (shift[k]) at[k] += cps_profile_drawn(shift[k], t).y;
}

void cps_drum_place(const cps_scenario *s, int drum, double *center, double *axis) {
  const scenario_drum *d = &s->drums[drum];
  vec_copy(center, d->center);
  add_shift(center, d->shift, s->run.from);
  vec_copy(axis, s->dim == 2 ? plane_axis : d->axis);
  if (s->dim == 2) center[2] = 0;
}

int cps_end_place(const cps_scenario *s, int cable, int end, double *at) {
  const cable_end *e = &s->cables[cable].end[end];
  if (cps_end_is(e->kind, END_ON_DRUM)) return 0;
  if (!cps_end_is(e->kind, END_ON_BODY)) {
    if (!e->placed) return 0;
    vec_copy(at, e->at);
    add_shift(at, e->shift, s->run.from);
  } else {
    const scenario_body *b = &s->bodies[e->body];
    if (!b->placed) return 0;
    if (b->kind == BODY_PLANE)
      vec_add(at, b->origin, 1, b->x);
    else
      vec_add(at, b->origin, b->x[0], b->direction);
  }
  if (s->dim == 2) at[2] = 0;
  return 1;
}

void cps_gravity_direction(const cps_scenario *s, double *down) {
  vec_copy(down, s->gravity);
  if (s->dim == 2) down[2] = 0;
  double most = fmax(fabs(down[0]), fmax(fabs(down[1]), fabs(down[2])));
  if (most > 1e150 || (most > 0 && most < 1e-150)) /* its square is no number */
    for (int i = 0; i < 3; i++) down[i] /= most;
  if (vec_unit(down) > 0) return;
  down[1] = -1;
}

/* ------------------------------------------------------------------ making */

typedef enum cursor_kind { CURSOR_OPEN, CURSOR_POINT, CURSOR_RIM } cursor_kind;

/* A path in the making. */
typedef struct maker {
  const cps_scenario *s;
  const scenario_cable *c;
  int cable, n; /* items */
  path *p;
  int room;
  cps_error *err;
  double down[3];
  int placed[2]; /* whether the place of an end is known, */
  int by_cable;  /* and whether one of them is where another cable has put it */
  double place[2][3];
  int *turn;        /* [n] of wraps, once decided */
  taut_wrap *wrap;  /* [n] the row of drums that is being read */
  int *wrap_item;   /* [n] */
  int row;          /* its length */
  cursor_kind kind; /* where the row starts */
  double at[3];     /* if at a point */
  int lead[2];      /* items [lead[0], lead[1]) that come before what is known */
  int line_item;    /* that the next drawn line belongs to, or -1 */
  int row_item;     /* that the line to the first drum of the row belongs to */
  double rest;      /* length of the one piece that takes what remains; negative: not known yet */
} maker;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static cps_status
bad(const maker *m, int item, const char *format, ...) {
  char key[128], text[512];
  va_list args;
  va_start(args, format);
  cps_format(text, sizeof text, format, args);
  va_end(args);
  if (item >= 0) /* the first entry of an open path is the cable's start */
    snprintf(key, sizeof key, "cables.%s.path.%d", m->c->name, item + !m->c->closed);
  else
    snprintf(key, sizeof key, "cables.%s.path", m->c->name);
  return cps_error_set(m->err, CPS_BAD_INPUT, key, "%s", text);
}

static cps_status no_memory(const maker *m) {
  return cps_error_set(m->err, CPS_NO_MEMORY, NULL, "there is not enough memory for the path of cable %s",
                       m->c->name);
}

static cps_status add_piece(maker *m, const path_piece *piece) {
  path *p = m->p;
  if (p->n == m->room) {
    int room = 2 * m->room + 8;
    path_piece *more = realloc(p->piece, (size_t)room * sizeof *more);
    if (!more) return no_memory(m);
    p->piece = more;
    m->room = room;
  }
  p->piece[p->n++] = *piece;
  return CPS_OK;
}

/* A line between two points; one of no length is left out. */
static cps_status add_line(maker *m, const double *a, const double *b, int item) {
  path_piece piece = {.drum = -1, .item = item};
  vec_copy(piece.from, a);
  vec_add(piece.along, b, -1, a);
  piece.length = vec_unit(piece.along);
  double scale = fmax(vec_norm(a), vec_norm(b));
  return piece.length <= 1e-15 * scale ? CPS_OK : add_piece(m, &piece);
}

/* ------------------------------------------------------------------ which way around */

static int sign_of(double x, double scale) { return x > SMALL * scale ? 1 : x < -SMALL * scale ? -1 : 0; }

static int has_direction(const path_item *i) { return cps_item_is(i, ITEM_DIRECTED); }
static int is_straight(const path_item *i) { return cps_item_is(i, ITEM_RUNS); }
static int hangs(const path_item *i) { return is_straight(i) && !has_direction(i); }
static int is_wrap(const path_item *i) { return cps_item_is(i, ITEM_WRAPS); }
static int is_point(const path_item *i) { return !is_wrap(i) && !is_straight(i); }

/* Whether the cable runs to the right (+1) or left (-1) where it comes to item i (step -1) or goes on from
 * it (+1), as far as the neighbour on that side tells; *other is the wrap there, or -1. */
static int heading(const maker *m, int i, int step, const double *center, const double *right, int *other) {
  double at[3], axis[3], d[3];
  int j = i;
  *other = -1;
  do {
    j += step;
    if (m->c->closed) j = (j + m->n) % m->n;
  } while (j != i && j >= 0 && j < m->n && hangs(&m->c->path[j]));
  if (j < 0 || j >= m->n) {
    int e = j >= 0;
    if (!m->placed[e]) return 0;
    vec_copy(at, m->place[e]);
  } else if (has_direction(&m->c->path[j])) {
    return sign_of(vec_dot(m->c->path[j].direction, right), 1);
  } else if (is_wrap(&m->c->path[j])) {
    cps_drum_place(m->s, m->c->path[j].drum, at, axis);
    *other = j;
  } else {
    vec_copy(at, m->c->path[j].point);
  }
  vec_add(d, at, -1, center);
  return step * sign_of(vec_dot(d, right), vec_norm(d));
}

/* The rule of path.h. */
static cps_status decide_turn(maker *m, int i) {
  const path_item *item = &m->c->path[i];
  double center[3], axis[3], up[3], right[3];
  if (item->turn) {
    m->turn[i] = item->turn > 0 ? 1 : -1;
    return CPS_OK;
  }
  const char *name = m->s->drums[item->drum].name;
  if (!item->side)
    return bad(m, i, "say whether the cable goes over or under drum %s, or give its `turn`", name);
  cps_drum_place(m->s, item->drum, center, axis);
  for (int k = 0; k < 3; k++) up[k] = -m->down[k];
  vec_add(up, up, -vec_dot(up, axis), axis);
  if (vec_unit(up) < 1e-6)
    return bad(m, i, "over and under mean nothing for drum %s, whose axis is along gravity; give its `turn`",
               name);
  vec_cross(right, up, axis);
  int before, after;
  int come = heading(m, i, -1, center, right, &before), go = heading(m, i, 1, center, right, &after);
  int way = come ? come : go;
  if (come && go && come != go && m->c->closed && i == 0) way = go;
  if (!way && before >= 0 && m->c->path[before].side == -item->side && m->turn[before]) {
    m->turn[i] = m->turn[before]; /* straight up or down from a drum: without crossing over */
    return CPS_OK;
  }
  if (!way) way = 1;
  m->turn[i] = item->side > 0 ? -way : way;
  return CPS_OK;
}

/* ------------------------------------------------------------------ rows of drums */

static cps_status push_wrap(maker *m, int i) {
  const path_item *item = &m->c->path[i];
  taut_wrap *w = &m->wrap[m->row];
  memset(w, 0, sizeof *w);
  cps_drum_place(m->s, item->drum, w->center, w->axis);
  w->name = m->s->drums[item->drum].name;
  w->radius = m->s->drums[item->drum].radius;
  w->turn = m->turn[i];
  w->turns = item->turns;
  w->more = item->more;
  w->shortest = item->turn == 0;
  w->pitch = m->s->dim == 2 ? 0 : item->pitch;
  if (m->row == 0) m->row_item = m->line_item;
  m->line_item = -1;
  m->wrap_item[m->row++] = i;
  if (item->turns < 0) return bad(m, i, "the number of turns around drum %s is negative", w->name);
  if (!(w->radius > 0)) return bad(m, i, "drum %s has no radius", w->name);
  return CPS_OK;
}

/* Travel direction of a hanging or directed item; hanging pieces in front go up. */
static void direction_of(const maker *m, int i, int leading, double *d) {
  if (hangs(&m->c->path[i])) {
    for (int k = 0; k < 3; k++) d[k] = leading ? -m->down[k] : m->down[k];
    return;
  }
  vec_copy(d, m->c->path[i].direction);
  if (m->s->dim == 2) d[2] = 0;
  vec_unit(d);
}

/* The length of such an item; what remains is not known in the first pass. */
static double length_of(const maker *m, int i) {
  return m->c->path[i].length > 0 ? m->c->path[i].length : fmax(m->rest, 0);
}

/* The pieces before the first known place, which ends at `to`. */
static cps_status add_lead(maker *m, const double *to) {
  double at[3], d[3], next[3];
  cps_status status = CPS_OK;
  vec_copy(at, to);
  for (int i = m->lead[1] - 1; i >= m->lead[0]; i--) {
    direction_of(m, i, 1, d);
    vec_add(at, at, -length_of(m, i), d);
  }
  for (int i = m->lead[0]; i < m->lead[1] && status == CPS_OK; i++) {
    direction_of(m, i, 1, d);
    vec_add(next, at, length_of(m, i), d);
    status = add_line(m, at, next, i);
    vec_copy(at, next);
  }
  m->lead[1] = m->lead[0];
  return status;
}

static path_piece arc_of(const taut_wrap *w, int item, int drum) {
  path_piece arc = {.drum = drum, .item = item, .angle = w->angle, .sweep = w->sweep};
  arc.height = w->height;
  arc.rise = w->rise;
  arc.length = hypot(w->radius * w->sweep, w->rise);
  return arc;
}

/* Over a drum or under it is where the middle of the wrap is. Where a cable comes from and goes to may leave it only the other side. */
static cps_status check_side(const maker *m, const taut_wrap *w, int item) {
  const path_item *i = &m->c->path[item];
  double u[3], v[3], middle = w->angle + w->sweep / 2, below = 0;
  if (!i->side || i->turn || i->turns || m->c->closed)
    return CPS_OK; /* a crossed belt runs under one of its drums by name alone */
  cps_drum_frame(w->axis, u, v);
  for (int k = 0; k < 3; k++) below += m->down[k] * (cos(middle) * u[k] + sin(middle) * v[k]);
  if (!(i->side * below > 0.5)) return CPS_OK;
  const char *said = i->side > 0 ? "over" : "under", *lies = i->side > 0 ? "under" : "over";
  return bad(m, item,
             "from where it comes and goes to the cable cannot run %s drum %s: it would lie %s it. Move the "
             "drum or what is beside it, say "
             "%s, or give its `turn`",
             said, w->name, lies, lies);
}

/* Ends the row at a point, along a direction, on a rim or in a ring: solves it and adds its pieces. */
static cps_status end_row(maker *m, const taut_end *last, int last_item) {
  taut_end end[2] = {{TAUT_POINT, {0}}, *last};
  cps_status status = CPS_OK;
  int n = m->row;
  if (m->kind == CURSOR_POINT)
    vec_copy(end[0].v, m->at);
  else if (m->kind == CURSOR_RIM)
    end[0].kind = TAUT_RIM;
  else
    end[0].kind = TAUT_ALONG;
  if (last->kind == TAUT_RING) end[0] = *last;
  if (end[0].kind == TAUT_ALONG) direction_of(m, m->lead[1] - 1, 1, end[0].v);
  taut_fault fault;
  status = cps_taut_solve(m->wrap, n, end, &fault);
  if (status == CPS_NO_MEMORY) return no_memory(m);
  if (status != CPS_OK) return bad(m, m->wrap_item[fault.wrap], "%s", fault.text);
  for (int i = 0; i < n && status == CPS_OK; i++) status = check_side(m, &m->wrap[i], m->wrap_item[i]);
  if (status != CPS_OK) return status;

  if (end[0].kind == TAUT_ALONG) status = add_lead(m, m->wrap[0].in);
  if (end[0].kind == TAUT_POINT) status = add_line(m, m->at, m->wrap[0].in, m->row_item);
  for (int i = 0; i < n && status == CPS_OK; i++) {
    path_piece arc = arc_of(&m->wrap[i], m->wrap_item[i], m->c->path[m->wrap_item[i]].drum);
    status = add_piece(m, &arc);
    if (status == CPS_OK && i + 1 < n) status = add_line(m, m->wrap[i].out, m->wrap[i + 1].in, -1);
  }
  if (status == CPS_OK && last->kind == TAUT_POINT)
    status = add_line(m, m->wrap[n - 1].out, last->v, last_item);
  if (status == CPS_OK && last->kind == TAUT_RING)
    status = add_line(m, m->wrap[n - 1].out, m->wrap[0].in, -1);
  vec_copy(m->at, last->kind == TAUT_POINT ? last->v : m->wrap[n - 1].out);
  m->kind = CURSOR_POINT;
  m->row = 0;
  m->line_item = -1;
  return status;
}

/* On to a known point. */
static cps_status to_point(maker *m, const double *at, int item) {
  taut_end end = {TAUT_POINT, {0}};
  cps_status status = CPS_OK;
  if (item < 0) item = m->line_item;
  vec_copy(end.v, at);
  if (m->s->dim == 2) end.v[2] = 0;
  if (m->row) return end_row(m, &end, item);
  if (m->kind == CURSOR_OPEN) status = add_lead(m, end.v);
  if (m->kind == CURSOR_POINT) status = add_line(m, m->at, end.v, item);
  vec_copy(m->at, end.v);
  m->kind = CURSOR_POINT;
  m->line_item = -1;
  return status;
}

/* A straight piece whose direction is known, which leads away from what is known. */
static cps_status go_along(maker *m, int i) {
  taut_end end = {TAUT_ALONG, {0}};
  double to[3];
  cps_status status = CPS_OK;
  direction_of(m, i, 0, end.v);
  if (m->row) status = end_row(m, &end, i);
  if (status != CPS_OK) return status;
  vec_add(to, m->at, length_of(m, i), end.v);
  status = add_line(m, m->at, to, i);
  vec_copy(m->at, to);
  return status;
}

/* ------------------------------------------------------------------ items */

/* Whether only straight pieces lie between item i and an end whose place is not known. */
static int dangles(const maker *m, int i, int e) {
  if (m->c->closed || m->placed[e] || cps_end_is(m->c->end[e].kind, END_ON_DRUM)) return 0;
  for (; i >= 0 && i < m->n; i += e ? 1 : -1)
    if (!is_straight(&m->c->path[i])) return 0;
  return 1;
}

static cps_status take_straight(maker *m, int i) {
  const path_item *item = &m->c->path[i];
  int first = dangles(m, i, 0), last = dangles(m, i, 1);
  if (m->c->closed && (has_direction(item) || item->length > 0))
    return bad(m, i, "a closed cable has no piece of its own length; leave it out, or name a point");
  if (first && last)
    return bad(m, i, "nothing says where the cable is: place one of its ends, or lead it over a drum");
  if (first) {
    m->lead[1] = i + 1;
    return CPS_OK;
  }
  if (last) return go_along(m, i);
  if (item->length <= 0) { /* what its neighbours leave */
    m->line_item = i;
    return hangs(item) ? CPS_OK
                       : bad(m, i, "give the length of this straight piece, or the point that it leads to");
  }
  if (hangs(item)) {
    if (i > 0 && i < m->n - 1)
      return bad(
          m, i,
          "the cable hangs between things whose places are known, so they say how far; leave the length out");
    m->line_item = i;
    return CPS_OK;
  }
  if (m->kind == CURSOR_RIM && !m->row)
    return bad(m, i, "the cable starts on a rim; the wrap around that drum comes first");
  return go_along(m, i);
}

static cps_status take_item(maker *m, int i) {
  const path_item *item = &m->c->path[i];
  if (is_straight(item)) return take_straight(m, i);
  if (is_point(item)) return to_point(m, item->point, i);
  if (m->kind == CURSOR_OPEN && !m->row && m->lead[1] == m->lead[0] && !m->c->closed)
    return bad(m, i,
               "nothing says where the cable starts: place that end, or give a length to a hang or straight "
               "piece before drum %s",
               m->s->drums[item->drum].name);
  return push_wrap(m, i);
}

static cps_status finish_open(maker *m) {
  taut_end end = {TAUT_RIM, {0}};
  if (cps_end_is(m->c->end[1].kind, END_ON_DRUM)) return end_row(m, &end, -1);
  if (m->placed[1]) return to_point(m, m->place[1], -1);
  if (m->row)
    return bad(m, m->n - 1,
               "nothing says where the cable ends: place that end, or give a length to a hang or straight "
               "piece after drum %s",
               m->wrap[m->row - 1].name);
  if (m->kind != CURSOR_POINT)
    return bad(m, -1, "nothing says where the cable is: place one of its ends, or lead it over a drum");
  return CPS_OK;
}

static cps_status check_rim(const maker *m, int e) {
  const cable_end *end = &m->c->end[e];
  int i = e ? m->n - 1 : 0;
  if (!cps_end_is(end->kind, END_ON_DRUM)) return CPS_OK;
  if (m->n == 0 || !is_wrap(&m->c->path[i]) || m->c->path[i].drum != end->drum)
    return bad(m, m->n ? i : -1,
               "the cable %s on the rim of drum %s, so the wrap around that drum must be %s",
               e ? "ends" : "starts", m->s->drums[end->drum].name, e ? "last" : "first");
  if (m->n == 1 && cps_end_is(m->c->end[!e].kind, END_ON_DRUM))
    return bad(m, i,
               "both ends of the cable are on the rim of drum %s; lead it to something else between them",
               m->s->drums[end->drum].name);
  return CPS_OK;
}

static cps_status walk_open(maker *m) {
  cps_status status = check_rim(m, 0);
  if (status == CPS_OK) status = check_rim(m, 1);
  m->kind = m->placed[0]                                 ? CURSOR_POINT
            : cps_end_is(m->c->end[0].kind, END_ON_DRUM) ? CURSOR_RIM
                                                         : CURSOR_OPEN;
  if (m->placed[0]) vec_copy(m->at, m->place[0]);
  for (int i = 0; i < m->n && status == CPS_OK; i++) status = take_item(m, i);
  return status == CPS_OK ? finish_open(m) : status;
}

/* A belt starts where it runs on its first drum, or at its first point if that comes first. */
static cps_status walk_closed(maker *m) {
  int start = 0;
  cps_status status = CPS_OK;
  while (start < m->n && !is_point(&m->c->path[start])) start++;
  int ring = start == m->n;
  if (ring) start = -1;
  if (!ring) {
    vec_copy(m->at, m->c->path[start].point);
    if (m->s->dim == 2) m->at[2] = 0;
    m->kind = CURSOR_POINT;
  }
  for (int k = 1; k <= m->n && status == CPS_OK; k++) status = take_item(m, (start + k) % m->n);
  if (status != CPS_OK) return status;
  taut_end end = {TAUT_RING, {0}};
  if (ring)
    return m->row ? end_row(m, &end, -1) : bad(m, -1, "a closed cable needs drums or points to run around");
  /* Pieces from item 0 on come first. */
  int first = 0;
  while (first < m->p->n && m->p->piece[first].item != 0) first++;
  if (start == 0 || first == m->p->n) return CPS_OK;
  for (; first > 0; first--) {
    path_piece keep = m->p->piece[0];
    memmove(m->p->piece, m->p->piece + 1, (size_t)(m->p->n - 1) * sizeof keep);
    m->p->piece[m->p->n - 1] = keep;
  }
  return CPS_OK;
}

/* A hang whose length is given although both of its ends are known must agree with them, to the digits that people write. Where another
 * cable has put an end, cable_shapes.c sees to it. */
static cps_status check_hangs(const maker *m) {
  const double agreed = 1e-6;
  if (m->by_cable) return CPS_OK;
  for (int k = 0; k < m->p->n; k++) {
    const path_piece *piece = &m->p->piece[k];
    if (piece->item < 0 || !hangs(&m->c->path[piece->item])) continue;
    double given = m->c->path[piece->item].length;
    if (given > 0 && fabs(given - piece->length) > agreed * (given + piece->length))
      return bad(m, piece->item,
                 "the hang is %.6g m long, but from the place of the cable's end it would be %.6g m; leave "
                 "one of them out",
                 given, piece->length);
  }
  return CPS_OK;
}

/* ------------------------------------------------------------------ all of it */

/* The item whose length is what remains of the cable's; -1 if none. */
static cps_status find_rest(const maker *m, int *item) {
  *item = -1;
  for (int i = 0; i < m->n; i++) {
    const path_item *p = &m->c->path[i];
    if (!is_straight(p) || p->length > 0 || !(dangles(m, i, 0) || dangles(m, i, 1))) continue;
    if (!(m->c->length > 0))
      return bad(m, i, "give the length of this piece, or that of the whole cable, or place the cable's end");
    if (*item >= 0) return bad(m, i, "only one piece can take what remains of the cable's length");
    *item = i;
  }
  return CPS_OK;
}

static cps_status walk(maker *m) {
  m->p->n = 0;
  m->row = 0;
  m->kind = CURSOR_OPEN;
  m->lead[0] = m->lead[1] = 0;
  m->line_item = -1;
  cps_status status = m->c->closed ? walk_closed(m) : walk_open(m);
  if (status == CPS_OK) status = check_hangs(m);
  m->p->length = 0;
  for (int i = 0; i < m->p->n; i++) m->p->length += m->p->piece[i].length;
  return status;
}

static cps_status make(maker *m) {
  cps_status status = CPS_OK;
  int item = -1;
  for (int i = 0; i < m->n && status == CPS_OK; i++)
    if (is_wrap(&m->c->path[i])) status = decide_turn(m, i);
  if (status == CPS_OK) status = find_rest(m, &item);
  m->rest = -1;
  if (status == CPS_OK) status = walk(m);
  if (status == CPS_OK && item >= 0) {
    m->rest = m->c->length - m->p->length;
    if (!(m->rest > 0))
      return bad(m, item, "the cable is %.6g m long, but the rest of its path takes %.6g m already",
                 m->c->length, m->p->length);
    status = walk(m);
  }
  if (status == CPS_OK && !(m->p->length > 0 && m->p->length < INFINITY))
    status = bad(m, -1, "the path of the cable has no length");
  return status;
}

cps_status cps_path_make(path *p, const cps_scenario *s, int cable, cps_error *err) {
  maker m = {.s = s, .c = &s->cables[cable], .cable = cable, .p = p, .err = err};
  memset(p, 0, sizeof *p);
  p->dim = s->dim;
  p->closed = m.c->closed;
  m.n = m.c->n_path;
  cps_gravity_direction(s, m.down);
  for (int e = 0; e < 2 && !p->closed; e++) {
    m.placed[e] = cps_end_place(s, cable, e, m.place[e]);
    m.by_cable |= cps_end_is(m.c->end[e].kind, END_ON_BODY) &&
                  s->bodies[m.c->end[e].body].placed >= PLACED_BY_CABLE;
  }
  size_t room = (size_t)m.n + 1;
  m.turn = calloc(room, sizeof *m.turn);
  m.wrap = calloc(room, sizeof *m.wrap);
  m.wrap_item = calloc(room, sizeof *m.wrap_item);
  cps_status status = m.turn && m.wrap && m.wrap_item ? make(&m) : no_memory(&m);
  free(m.turn);
  free(m.wrap);
  free(m.wrap_item);
  if (status != CPS_OK) cps_path_free(p);
  return status;
}

void cps_path_free(path *p) {
  free(p->piece);
  memset(p, 0, sizeof *p);
}

/* ------------------------------------------------------------------ places on it */

int cps_path_find(const path *p, double *l) {
  int i = 0;
  if (p->closed) {
    *l = fmod(*l, p->length);
    if (*l < 0) *l += p->length;
  }
  for (; i < p->n - 1 && *l >= p->piece[i].length; i++) *l -= p->piece[i].length;
  return i;
}

void cps_piece_at(const cps_scenario *s, const path_piece *piece, double l, double *r, double *t,
                  double *inward) {
  memset(inward, 0, 3 * sizeof *inward);
  if (piece->drum < 0) {
    vec_add(r, piece->from, l, piece->along);
    vec_copy(t, piece->along);
    return;
  }
  double inside = fmin(fmax(l, 0), piece->length), part = inside / piece->length;
  double center[3], axis[3], u[3], w[3], radius = s->drums[piece->drum].radius;
  cps_drum_place(s, piece->drum, center, axis);
  cps_drum_frame(axis, u, w);
  double angle = piece->angle + part * piece->sweep, around = radius * piece->sweep / piece->length;
  for (int k = 0; k < 3; k++) {
    double out = cos(angle) * u[k] + sin(angle) * w[k], on = cos(angle) * w[k] - sin(angle) * u[k];
    inward[k] = -out;
    t[k] = around * on + piece->rise / piece->length * axis[k];
    r[k] = center[k] + radius * out + (piece->height + part * piece->rise) * axis[k] + (l - inside) * t[k];
  }
}

void cps_path_at(const path *p, const cps_scenario *s, double l, double *r, double *t) {
  double at[3], along[3], inward[3];
  const path_piece *piece = &p->piece[cps_path_find(p, &l)];
  cps_piece_at(s, piece, l, at, along, inward);
  memcpy(r, at, (size_t)p->dim * sizeof *r);
  memcpy(t, along, (size_t)p->dim * sizeof *t);
}
