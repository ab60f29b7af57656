/* initial_shape.c - the mesh that a cable starts with: laid along its path, stretched, pressed into the drums,
 * sagging.
 *
 * Three ways to lie. MOVABLE: an end can move, and carries a known load. The tension is that of the loads
 * and of the cable's own weight, T = C - rho g.r, where C is constant along lines and linear in the wrapped
 * length between its values at the two ends; what the cable stretches moves its ends. TIGHT: both ends are
 * held, or the path is closed; one tension everywhere, wanted or such that the cable fits. SLACK: the same,
 * but the cable is longer than its path; the longest spans sag (sag.c).
 *
 * A drum carries the tension by being pressed in: T/R per length. So arcs lie at R - depth, and lines lead
 * from one such arc to the next: they are moved at each end by what the arc there is. That path is shorter
 * by the factor m = |dr/dl| than the drawn one, which matters: depth/R is as large as the strain. The
 * stretched length of the cable and the length of the pressed path agree from the anchor on, the integral
 * of the stretch over p with that of m over l, up to what the cubics of the elements are shorter than arcs.
 */
#include "cable_path.h"

#include "cable.h"
#include "drives.h"
#include "mesh_grading.h"
#include "sag.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 32, GAUSS = 4 };

typedef enum lie { LIE_MOVABLE, LIE_TIGHT, LIE_SLACK } lie;

/* A piece of the path as the cable lies on it. */
typedef struct laid {
  double start;              /* along the drawn path */
  double material;           /* material coordinate where it starts, before stretching */
  double wrapped;            /* wrapped length before it */
  double depth[SAMPLES + 1]; /* of an arc, at equal distances */
  double speed[SAMPLES + 1]; /* m there; of a line [0] */
  double pressed;            /* length of the pressed piece before it */
  int sags;                  /* whether it is a slack span, */
  sag_span span;             /* and how that hangs */
} laid;

typedef struct draft {
  const cps_scenario *s;
  const scenario_cable *c;
  const path *p;
  path *
      way; /* a slack cable's own path, on which drums are wrapped as far as its sagging spans leave them; else NULL */
  int cable;
  lie coeffs;
  int n;              /* elements */
  double *length;     /* [n] */
  grid on;            /* of a mesh that moves */
  double *node;       /* [n + 1] material coordinates */
  double *stretch;    /* [n + 1] stretched length from the start */
  double *place;      /* [n + 1] along the pressed path */
  laid *piece;        /* [p->n + 1], the last one only marks the end */
  double (*shift)[3]; /* [p->n + 1] of the joints between pieces */
  int takers;         /* spans of a slack cable that sag */
  double total;       /* unstretched length */
  double load[2];     /* C at the ends */
  double tension;     /* of a tight cable */
  double excess;      /* by which its elements reach further than they are stretched */
  double anchor_l, anchor_p;
  double first[3];   /* where the path starts */
  double gravity[3]; /* two components in the plane */
  double down[3];
} draft;

/* ------------------------------------------------------------------ stretch and depth */

/* The stretch under tension t: EA (l^2 - 1)/2 l = t with Green's strain, EA (l - 1) = t with the
 * engineering one. */
static double stretch_of(const scenario_cable *c, double t) {
  if (!(c->ea > 0) || t <= 0) return 1;
  double e = t / c->ea, l = c->engineering ? 1 + e : 1 + e / (1 + 1.5 * e);
  for (int i = 0; i < 50 && !c->engineering; i++) {
    double d = (l * (l * l - 1) - 2 * e) / (3 * l * l - 1);
    l -= d;
    if (fabs(d) < 1e-16 * l) break;
  }
  return l;
}

static double tension_for(const scenario_cable *c, double stretch) {
  return c->ea * (c->engineering ? stretch - 1 : stretch * (stretch * stretch - 1) / 2);
}

/* The depth at which the normal law gives the force n without damping; not more than `most`. Newton from
 * above, since laws rise ever steeper, between bounds. */
static double depth_of(const cable_contact *c, double n, double most) {
  cps_normal_output out;
  double low = 0, high = most;
  if (!c->normal || !(n > 0)) return 0;
  cps_normal_eval(c->normal, c->normal_p, most, 0, &out);
  if (out.n <= n) return most;
  double x = most;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    cps_normal_eval(c->normal, c->normal_p, x, 0, &out);
    if (out.n == n) return x;
    if (out.n > n)
      high = x;
    else
      low = x;
    double next = out.depth > 0 ? x - (out.n - n) / out.depth : low;
    if (fabs(next - x) <= 1e-15 * x) return next;
    x = next > low && next < high ? next : (low + high) / 2;
  }
  return x;
}

/* Mean length of the elements around a node, between nodes interpolated. */
static double node_length(const draft *d, int i) {
  int ring = d->p->closed,
      before = i > 0  ? i - 1
               : ring ? d->n - 1
                      : 0,
      after = i < d->n ? i
              : ring   ? 0
                       : d->n - 1;
  return (d->length[before] + d->length[after]) / 2;
}

static double size_at(const draft *d, double p) {
  int low = 0, high = d->n;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(d->node[middle] <= p ? &low : &high) = middle;
  }
  double x = fmin(fmax((p - d->node[low]) / d->length[low], 0), 1);
  return (1 - x) * node_length(d, low) + x * node_length(d, low + 1);
}

/* ------------------------------------------------------------------ tension */

static double wrapped_at(const draft *d, int k, double l) {
  return d->piece[k].wrapped + (d->p->piece[k].drum >= 0 ? l : 0);
}

/* Tension at the length l of the drawn path. */
static double tension_at(const draft *d, double l) {
  if (d->coeffs != LIE_MOVABLE) return d->tension;
  double r[3], t[3], inward[3], wrapped = d->piece[d->p->n].wrapped, part;
  l = fmin(fmax(l, 0), d->p->length);
  part = l / d->p->length;
  int k = cps_path_find(d->p, &l);
  cps_piece_at(d->s, &d->p->piece[k], l, r, t, inward);
  if (wrapped > 0) part = wrapped_at(d, k, l) / wrapped;
  vec_add(r, r, -1, d->first);
  return fmax((1 - part) * d->load[0] + part * d->load[1] - d->c->rho * vec_dot(d->gravity, r), 0);
}

static int is_held(const draft *d, int e) {
  const cable_end *end = &d->c->end[e];
  if (cps_end_is(end->kind, END_ON_BODY))
    return d->s->bodies[end->body].placed || d->s->bodies[end->body].kind == BODY_SURFACE;
  return cps_end_is(end->kind, END_HELD);
}

/* Ends of cables that carry the same body share its weight. */
static int count_carriers(const cps_scenario *s, int body) {
  int n = 0;
  for (int i = 0; i < s->n_cables; i++)
    for (int e = 0; e < 2 && !s->cables[i].closed; e++)
      n += cps_end_is(s->cables[i].end[e].kind, END_ON_BODY) && s->cables[i].end[e].body == body;
  return n;
}

/* Tension that the load of an end causes there: the part of it that pulls outwards. */
static double end_tension(const draft *d, int e) {
  const cable_end *end = &d->c->end[e];
  double force[3] = {0}, r[3] = {0}, t[3] = {0};
  if (cps_end_is(end->kind, END_ON_BODY)) {
    double mass = d->s->bodies[end->body].mass / count_carriers(d->s, end->body);
    vec_add(force, force, mass, d->gravity);
  }
  for (int k = 0; k < d->p->dim; k++)
    if (end->force[k]) force[k] += cps_profile_drawn(end->force[k], d->s->run.from).y;
  cps_path_at(d->p, d->s, e ? d->p->length : 0, r, t);
  return fmax((e ? 1 : -1) * vec_dot(force, t), 0);
}

/* C at both ends; a held end takes that of the other. */
static void find_loads(draft *d) {
  double r[3] = {0}, t[3] = {0};
  for (int e = 0; e < 2; e++) {
    cps_path_at(d->p, d->s, e ? d->p->length : 0, r, t);
    vec_add(r, r, -1, d->first);
    d->load[e] = end_tension(d, e) + d->c->rho * vec_dot(d->gravity, r);
  }
  for (int e = 0; e < 2; e++)
    if (is_held(d, e)) d->load[e] = d->load[!e];
}

/* ------------------------------------------------------------------ the pressed path */

static int is_arc(const draft *d, int k) { return k >= 0 && k < d->p->n && d->p->piece[k].drum >= 0; }

/* What joint k (before piece k) is moved by: as the arc that ends or starts there. */
static void shift_joint(draft *d, int k) {
  int arc = is_arc(d, k) ? k : k - 1, last = arc == k - 1;
  double r[3], t[3];
  memset(d->shift[k], 0, sizeof d->shift[k]);
  if (d->p->closed && (k == 0 || k == d->p->n)) {
    arc = is_arc(d, 0) ? 0 : d->p->n - 1;
    last = arc != 0 || (d->p->n == 1 && k);
  }
  if (!is_arc(d, arc)) return;
  const path_piece *piece = &d->p->piece[arc];
  cps_piece_at(d->s, piece, last ? piece->length : 0, r, t, d->shift[k]);
  double depth = d->piece[arc].depth[last ? SAMPLES : 0];
  for (int i = 0; i < 3; i++) d->shift[k][i] *= depth;
}

/* Straight pieces that dangle from a drum move with it. */
static void shift_dangling(draft *d) {
  double at[3];
  int n = d->p->n;
  for (int e = 0; e < 2 && !d->p->closed; e++) {
    if (cps_end_place(d->s, d->cable, e, at) || cps_end_is(d->c->end[e].kind, END_ON_DRUM)) continue;
    int k = e ? n : 0, step = e ? -1 : 1;
    while (k >= 0 && k <= n && !is_arc(d, e ? k - 1 : k)) {
      int piece = e ? k - 1 : k; /* a point of the path stays where it is */
      if (piece < 0 || piece >= n) break;
      const path_item *item = d->p->piece[piece].item >= 0 ? &d->c->path[d->p->piece[piece].item] : NULL;
      if (!item || (!cps_item_is(item, ITEM_WRAPS | ITEM_RUNS))) break;
      k += step;
    }
    if (k < 0 || k > n || !is_arc(d, e ? k - 1 : k)) continue;
    for (int j = k; j >= 0 && j <= n; j -= step) vec_copy(d->shift[j], d->shift[k]);
  }
}

/* Per sample, by central differences: steady from sample to sample, as the tangent should be. */
static double depth_slope(const laid *at, int j) {
  int before = j > 0 ? j - 1 : 0, after = j < SAMPLES ? j + 1 : SAMPLES;
  return (at->depth[after] - at->depth[before]) / (after - before);
}

/* Place and dr/dl of the pressed path on piece k. */
static void direction_at(const draft *d, int k, double l, double *r, double *r_l) {
  const path_piece *piece = &d->p->piece[k];
  const laid *at = &d->piece[k];
  double inward[3];
  cps_piece_at(d->s, piece, l, r, r_l, inward);
  if (piece->drum < 0) {
    double part = l / piece->length;
    for (int i = 0; i < 3; i++) {
      r[i] += (1 - part) * d->shift[k][i] + part * d->shift[k + 1][i];
      r_l[i] += (d->shift[k + 1][i] - d->shift[k][i]) / piece->length;
    }
    return;
  }
  double center[3], axis[3], x = fmin(fmax(l / piece->length, 0), 1) * SAMPLES;
  int j = (int)fmin(x, SAMPLES - 1);
  cps_drum_place(d->s, piece->drum, center, axis);
  double slope = ((1 - x + j) * depth_slope(at, j) + (x - j) * depth_slope(at, j + 1)) * SAMPLES /
                 piece->length;
  double depth = at->depth[j] + (x - j) * (at->depth[j + 1] - at->depth[j]), along = vec_dot(r_l, axis);
  double radius = d->s->drums[piece->drum].radius;
  for (int i = 0; i < 3; i++) {
    r[i] += depth * inward[i];
    r_l[i] += slope * inward[i] - depth / radius * (r_l[i] - along * axis[i]);
  }
}

/* Depths from the tension, then the lengths of the pressed pieces. Returns the whole. */
static double press(draft *d) {
  double r[3], r_l[3], pressed = 0;
  int n = d->p->n;
  for (int k = 0; k < n; k++) {
    const path_piece *piece = &d->p->piece[k];
    if (piece->drum < 0) continue;
    double radius = d->s->drums[piece->drum].radius, step = piece->length / SAMPLES;
    double turning = radius * piece->sweep / piece->length;
    for (int j = 0; j <= SAMPLES; j++) {
      double normal = tension_at(d, d->piece[k].start + j * step) * turning * turning / radius;
      double part = (double)j / SAMPLES;
      double p = (1 - part) * d->piece[k].material + part * d->piece[k + 1].material;
      if (d->c->contact.of_node) normal *= size_at(d, p);
      d->piece[k].depth[j] = depth_of(&d->c->contact, normal, radius / 10);
    }
  }
  for (int k = 0; k <= n; k++) shift_joint(d, k);
  shift_dangling(d);
  for (int k = 0; k < n; k++) {
    laid *at = &d->piece[k];
    double length = d->p->piece[k].length;
    int samples = d->p->piece[k].drum < 0 ? 0 : SAMPLES;
    at->pressed = pressed;
    for (int j = 0; j <= samples; j++) {
      direction_at(d, k, samples ? length * j / samples : 0, r, r_l);
      at->speed[j] = vec_norm(r_l);
    }
    for (int j = 0; j < samples; j++) pressed += (at->speed[j] + at->speed[j + 1]) / 2 * length / samples;
    if (!samples) pressed += at->speed[0] * length;
  }
  return d->piece[n].pressed = pressed;
}

/* Length along the pressed path at the length l of the drawn one. */
static double pressed_at(const draft *d, double l) {
  int k = cps_path_find(d->p, &l);
  const laid *at = &d->piece[k];
  double step = d->p->piece[k].length / SAMPLES, sum = at->pressed;
  if (d->p->piece[k].drum < 0) return sum + at->speed[0] * l;
  for (int j = 0; j < SAMPLES && l > 0; j++, l -= step) {
    double x = fmin(l, step);
    sum += x * (at->speed[j] + (at->speed[j + 1] - at->speed[j]) / 2 * x / step);
  }
  return sum;
}

/* The place and direction at the length s along the pressed path; beyond the ends it goes on straight. */
static void pressed_place(const draft *d, double s, double *r, double *r_l) {
  int k = 0, j = 0;
  while (k < d->p->n - 1 && s >= d->piece[k + 1].pressed) k++;
  const laid *at = &d->piece[k];
  const path_piece *piece = &d->p->piece[k];
  double step = piece->length / SAMPLES, l;
  s -= at->pressed;
  if (piece->drum < 0 || s <= 0) {
    l = s / at->speed[0];
  } else {
    double part = 0;
    for (; j < SAMPLES; j++, s -= part) {
      part = (at->speed[j] + at->speed[j + 1]) / 2 * step;
      if (s < part || j == SAMPLES - 1) break;
    }
    double a = at->speed[j], more = (at->speed[j + 1] - a) / step;
    l = j * step + 2 * s / (a + sqrt(fmax(a * a + 2 * more * s, 0)));
  }
  direction_at(d, k, l, r, r_l);
  vec_unit(r_l);
}

/* ------------------------------------------------------------------ slack */

static void measure(draft *d);
static cps_status no_memory(const draft *d, cps_error *err);

static sag_span span_of(const draft *d, const path_piece *piece) {
  return cps_sag_span(piece->from, piece->along, piece->length, d->down);
}

/* How readily a span takes the slack: the distance that it spans across gravity; hanging ones only if there
 * is no other. */
static double sag_rank(const draft *d, int k) {
  if (d->p->piece[k].drum >= 0) return 0;
  double across = span_of(d, &d->p->piece[k]).across;
  return across > 0 ? across : d->p->piece[k].length * 1e-6;
}

/* The least radius that the bottom of a bight has: elements cannot bend around less. */
static double least_radius(const draft *d) {
  const double elements = 1.5;
  double size = d->c->elements > 0 ? d->total / d->c->elements
                : d->c->size > 0   ? d->c->size
                                   : d->c->drum_size;
  return elements * size;
}

/* Lets span k hang with the length that it has and `more`. */
static void hang_span(draft *d, int k, double more) {
  const path_piece *piece = &d->p->piece[k];
  d->piece[k].span = span_of(d, piece);
  cps_sag_hang(&d->piece[k].span, piece->length + more, least_radius(d));
}

/* Turns one end of an arc until the cable leaves it (or comes to it) along t. Returns by how much. */
static double turn_arc(const draft *d, path_piece *arc, int last, const double *t) {
  double r[3], now[3], inward[3], center[3], axis[3], cross[3];
  cps_piece_at(d->s, arc, last ? arc->length : 0, r, now, inward);
  cps_drum_place(d->s, arc->drum, center, axis);
  vec_cross(cross, now, t);
  double by = atan2(vec_dot(cross, axis), vec_dot(now, t)), sweep = arc->sweep + (last ? by : -by);
  if (!(sweep * arc->sweep > 0) || fabs(by) > 1.6)
    return 0; /* it would not lie on the drum at all, or comes from the wrong side of it */
  if (!last) arc->angle += by;
  arc->sweep = sweep;
  arc->length = hypot(d->s->drums[arc->drum].radius * sweep, arc->rise);
  return fabs(by);
}

/* A sagging span leaves a drum tangentially, later or earlier than a straight one. Turns the ends of the arcs beside span k and moves the
 * span between them; returns by how much. */
static double turn_beside(draft *d, int k) {
  path *p = d->way;
  int n = p->n, before = p->closed ? (k + n - 1) % n : k - 1, after = p->closed ? (k + 1) % n : k + 1;
  path_piece *piece = &p->piece[k];
  double a[3], b[3], t[3], inward[3], turned = 0;
  if (vec_dot(d->piece[k].span.down, d->down) < 0.5)
    return 0; /* it hangs straight, and its slack is beside it */
  cps_piece_at(d->s, piece, 0, a, t, inward);
  cps_piece_at(d->s, piece, piece->length, b, t, inward);
  if (before >= 0 && p->piece[before].drum >= 0) {
    cps_sag_at(&d->piece[k].span, 0, a, t);
    turned += turn_arc(d, &p->piece[before], 1, t);
    cps_piece_at(d->s, &p->piece[before], p->piece[before].length, a, t, inward);
  }
  if (after < n && p->piece[after].drum >= 0) {
    cps_sag_at(&d->piece[k].span, cps_sag_length(&d->piece[k].span), b, t);
    turned += turn_arc(d, &p->piece[after], 0, t);
    cps_piece_at(d->s, &p->piece[after], 0, b, t, inward);
  }
  vec_copy(piece->from, a);
  vec_add(piece->along, b, -1, a);
  piece->length = vec_unit(piece->along);
  return turned;
}

static cps_status find_slack(draft *d, cps_error *err) {
  enum { ROUNDS = 60 };
  double most = 0, material = 0, turned = 1;
  int takers = 0;
  for (int k = 0; k < d->p->n; k++) most = fmax(most, sag_rank(d, k));
  if (most == 0) {
    char key[128];
    snprintf(key, sizeof key, "cables.%s.length", d->c->name);
    return cps_error_set(
        err, CPS_BAD_INPUT, key,
        "the cable is %.6g m long and its path %.6g m, all of it on a drum, so that it would lie loose",
        d->total, d->p->length);
  }
  for (int k = 0; k < d->p->n; k++)
    takers += d->piece[k].sags = d->takers ? d->piece[k].sags : sag_rank(d, k) >= most * (1 - 1e-9);
  d->takers = takers;
  for (int round = 0; round < ROUNDS && turned > 1e-14; round++) {
    double extra = (d->total * d->excess - d->p->length) / takers;
    turned = 0;
    for (int k = 0; k < d->p->n; k++)
      if (d->piece[k].sags) {
        hang_span(d, k, extra);
        turned += turn_beside(d, k);
      }
    d->way->length = 0;
    for (int k = 0; k < d->p->n; k++) d->way->length += d->p->piece[k].length;
  }
  double extra = fmax(d->total * d->excess - d->p->length, 0) / takers;
  for (int k = 0; k < d->p->n; k++) {
    d->piece[k].material = material;
    material += d->p->piece[k].length + (d->piece[k].sags ? extra : 0);
    if (d->piece[k].sags) hang_span(d, k, extra);
  }
  d->piece[d->p->n].material = material;
  measure(d);
  return CPS_OK;
}

/* Place and unit tangent at the length p of a slack path. */
static void slack_place(const draft *d, double p, double *r, double *t) {
  int k = 0;
  double inward[3];
  while (k < d->p->n - 1 && p >= d->piece[k + 1].material) k++;
  double l = p - d->piece[k].material;
  if (d->piece[k].sags)
    cps_sag_at(&d->piece[k].span, l, r, t);
  else
    cps_piece_at(d->s, &d->p->piece[k], l, r, t, inward);
}

/* ------------------------------------------------------------------ bights below drums
 *
 * A cable that runs under a drum with much more length than its path does not lie on that drum: it hangs below it, from what holds it
 * before to what holds it after. */

/* Whether the pieces before and after arc k and the arc itself can hang like that with the length that they then have: clear of the drum. */
static int hangs_clear(const draft *d, int k, path_piece *whole) {
  const path_piece *arc = &d->p->piece[k];
  if (k < 1 || k + 1 >= d->p->n || arc->drum < 0 || arc[-1].drum >= 0 || arc[1].drum >= 0) return 0;
  double center[3], axis[3], r[3], t[3], inward[3], radius = d->s->drums[arc->drum].radius;
  cps_piece_at(d->s, arc, arc->length / 2, r, t, inward);
  if (!(vec_dot(inward, d->down) < -0.5)) return 0; /* the drum is not above */
  *whole = arc[-1];
  whole->item = -1;
  cps_piece_at(d->s, &arc[1], arc[1].length, r, t, inward);
  vec_add(whole->along, r, -1, whole->from);
  whole->length = vec_unit(whole->along);
  if (!(whole->length > 0)) return 0;
  sag_span span = span_of(d, whole);
  double length = d->total - d->p->length + arc[-1].length + arc->length + arc[1].length;
  if (length < 2 * span.across) return 0; /* a span that bends gently: the drum lies in it */
  cps_sag_hang(&span, length, fmax(radius, least_radius(d)));
  cps_drum_place(d->s, arc->drum, center, axis);
  return cps_sag_inside(&span, center) > radius * (1 - 1e-6);
}

/* Leads a slack cable past the first drum that it can hang below, if any. A span elsewhere that takes the slack and bends gently comes
 * first. */
static void hang_below(draft *d) {
  double extra = d->total - d->p->length, most = 0;
  path_piece whole;
  path *p = d->way;
  int k = 0;
  for (int i = 0; i < p->n; i++) most = fmax(most, sag_rank(d, i));
  if (extra < most) return;
  while (k < p->n && !hangs_clear(d, k, &whole)) k++;
  if (k == p->n) return;
  p->n -= 2;
  p->piece[k - 1] = whole;
  d->piece[k - 1].sags = d->takers = 1;
  memmove(p->piece + k, p->piece + k + 2, (size_t)(p->n - k) * sizeof *p->piece);
  p->length = 0;
  for (int i = 0; i < p->n; i++) p->length += p->piece[i].length;
}

static path *path_copy(const path *p) {
  path *out = malloc(sizeof *out);
  if (!out) return NULL;
  *out = *p;
  out->piece = malloc(((size_t)p->n + 1) * sizeof *out->piece);
  if (out->piece) {
    memcpy(out->piece, p->piece, (size_t)p->n * sizeof *out->piece);
    return out;
  }
  free(out);
  return NULL;
}

/* ------------------------------------------------------------------ elements */

static cps_status bad_mesh(const draft *d, cps_error *err, const char *text) {
  char key[128];
  snprintf(key, sizeof key, "cables.%s", d->c->name);
  return cps_error_set(err, CPS_BAD_INPUT, key, "%s", text);
}

static cps_status no_memory(const draft *d, cps_error *err) {
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "there is not enough memory for the elements of cable %s",
                       d->c->name);
}

enum { LOOKS = 400 }; /* at a prescribed motion */

/* The same of a pinned or clamped end that is moved: as far as it goes along the path there. Of a tackle the cable runs over each drum by
 * some of that. */
static void find_pull(const draft *d, int e, double *least, double *most) {
  const cable_end *end = &d->c->end[e];
  double from = d->s->run.from, until = d->s->run.until, r[3], t[3], inward[3];
  const path_piece *piece = &d->p->piece[e == 0 ? 0 : d->p->n - 1];
  if (!isfinite(until)) return;
  cps_piece_at(d->s, piece, e == 0 ? 0 : piece->length, r, t, inward);
  for (int i = 0; i <= LOOKS; i++) {
    double run = 0, now = from + (until - from) * i / LOOKS;
    for (int k = 0; k < d->s->dim; k++)
      if (end->shift[k])
        run += t[k] * (cps_profile_eval(end->shift[k], now).y - cps_profile_eval(end->shift[k], from).y);
    *least = fmin(*least, run);
    *most = fmax(*most, run);
  }
}

/* How far the cable runs along its path, at least and at most, as it is hauled by drums that are turned as prescribed or told where to
 * turn, and by ends that are moved. What only loads and friction move is not known before the run. */
static void find_travel(const draft *d, double *least, double *most) {
  double from = d->s->run.from, until = d->s->run.until;
  *least = *most = 0;
  for (int e = 0; e < 2 && !d->p->closed; e++) find_pull(d, e, least, most);
  for (int k = 0; k < d->p->n; k++) {
    const path_piece *piece = &d->p->piece[k];
    if (piece->drum < 0) continue;
    const scenario_drum *g = &d->s->drums[piece->drum];
    if (!cps_drive_is(g, DRIVE_PRESCRIBES | DRIVE_LEADS) || !g->motion || !isfinite(until)) continue;
    double start = cps_drive_is(g, DRIVE_LEADS) ? 0 : cps_profile_eval(g->motion, from).y;
    for (int i = 0; i <= LOOKS; i++) {
      double turned = cps_profile_eval(g->motion, from + (until - from) * i / LOOKS).y - start;
      double run = (piece->sweep > 0 ? 1 : -1) * g->radius * turned;
      *least = fmin(*least, run);
      *most = fmax(*most, run);
    }
  }
  /* In steps, so that the mesh stays when what turns the drums changes a little. */
  const double between = 0.37;
  double step = d->c->size > 0 ? fmin(d->c->size, d->total) : d->total / 16;
  if (*most > 0) *most = step * ceil(*most / step + between);
  if (*least < 0) *least = -step * ceil(-*least / step + between);
}

/* Elements of a mesh that moves which are kept for later: some, for what comes near to a drum before anything leaves another, and all that
 * is wound onto a drum that an end is fixed to. */
static int find_spare(const draft *d, int n, double hauled) {
  double spare = 8 + 0.3 * n;
  if (d->c->spare >= 0) return (int)d->c->spare;
  for (int e = 0; e < 2; e++)
    if (cps_end_is(d->c->end[e].kind, END_ON_DRUM)) spare += hauled / d->c->drum_size;
  return (int)fmin(spare, GRADING_MOST);
}

/* Elements of a mesh that moves: fine where the cable is on drums now, and at point masses, which stay at their nodes. */
static int find_moving(draft *d, zone *list, int zones, double growth, double hauled) {
  const scenario_cable *c = d->c;
  for (int i = 0; i < c->n_masses; i++) list[zones++] = (zone){c->masses[i].at, c->masses[i].at};
  int n = cps_grade_halving(d->total, c->size, c->drum_size, growth, list, zones, 0, &d->on, &d->length);
  if (n <= 0) return n;
  free(d->length);
  return cps_grade_halving(d->total, c->size, c->drum_size, growth, list, zones, find_spare(d, n, hauled),
                           &d->on, &d->length);
}

static cps_status find_lengths(draft *d, cps_error *err) {
  const scenario_cable *c = d->c;
  int zones = 0;
  if (c->elements > GRADING_MOST) return bad_mesh(d, err, "the cable has more than ten million elements");
  if (c->elements > 0) {
    d->length = calloc((size_t)c->elements, sizeof *d->length);
    d->n = c->elements;
    for (int i = 0; i < d->n && d->length; i++) d->length[i] = d->total / d->n;
    return d->length ? CPS_OK : no_memory(d, err);
  }
  if (!(c->size > 0 || c->drum_size > 0))
    return bad_mesh(d, err, "say how many `elements` the cable has, or their `size`");
  zone *list = calloc((size_t)(d->p->n + c->n_masses), sizeof *list);
  if (!list) return no_memory(d, err);
  const double usual_growth = 1.25, growth = c->growth > 1 ? c->growth : usual_growth;
  double least, most;
  find_travel(d, &least, &most);
  for (int k = 0; k < d->p->n; k++)
    if (d->p->piece[k].drum >= 0)
      list[zones++] = (zone){d->piece[k].material - (c->follows ? 0 : most),
                             d->piece[k + 1].material - (c->follows ? 0 : least)};
  if (c->follows)
    d->n = find_moving(d, list, zones, growth, most - least);
  else
    d->n = cps_grade(d->total, c->size > 0 ? c->size : d->total, c->drum_size, growth, list, zones,
                     d->p->closed, &d->length);
  free(list);
  if (d->n < 0) return bad_mesh(d, err, "elements of this size would be more than ten million");
  return d->n ? CPS_OK : no_memory(d, err);
}

static cps_status find_nodes(draft *d, cps_error *err) {
  cps_status status = find_lengths(d, err);
  if (status != CPS_OK) return status;
  d->node = calloc((size_t)d->n + 1, sizeof *d->node);
  d->stretch = calloc((size_t)d->n + 1, sizeof *d->stretch);
  d->place = calloc((size_t)d->n + 1, sizeof *d->place);
  if (!d->node || !d->stretch || !d->place) return no_memory(d, err);
  for (int i = 0; i < d->n; i++) d->node[i + 1] = d->node[i] + d->length[i];
  d->node[d->n] = d->total;
  return CPS_OK;
}

static void scale_mesh(draft *d, double factor) {
  d->total *= factor;
  for (int i = 0; i < d->n; i++) d->length[i] *= factor;
  for (int i = 0; i <= d->n; i++) d->node[i] *= factor;
  for (int k = 0; k <= d->p->n; k++) d->piece[k].material *= factor;
}

/* ------------------------------------------------------------------ laying */

static void measure(draft *d) {
  double start = 0, wrapped = 0, r[3] = {0}, t[3] = {0};
  for (int k = 0; k <= d->p->n; k++) {
    d->piece[k].start = start;
    d->piece[k].wrapped = wrapped;
    if (k == d->p->n) break;
    start += d->p->piece[k].length;
    if (d->p->piece[k].drum >= 0) wrapped += d->p->piece[k].length;
  }
  cps_path_at(d->p, d->s, 0, r, t);
  vec_copy(d->first, r);
  vec_copy(d->gravity, d->s->gravity);
  if (d->p->dim == 2) d->gravity[2] = 0;
  cps_gravity_direction(d->s, d->down);
}

/* Stretching moves ends that can move: away from the end that is held, else from the middle of the wraps. */
static void find_anchor(draft *d) {
  double from = d->p->length, to = 0;
  for (int k = 0; k < d->p->n; k++)
    if (is_arc(d, k)) {
      from = fmin(from, d->piece[k].start);
      to = d->piece[k + 1].start;
    }
  d->anchor_l = to > 0 ? (from + to) / 2 : d->p->length / 2;
  d->anchor_p = d->anchor_l + (d->total - d->p->length) / 2;
  if (is_held(d, 0)) d->anchor_l = d->anchor_p = 0;
  if (is_held(d, 1)) d->anchor_l = d->p->length, d->anchor_p = d->total;
}

static cps_status find_materials(draft *d, cps_error *err) {
  int both = d->p->closed || (is_held(d, 0) && is_held(d, 1));
  d->total = d->c->length > 0 ? d->c->length : d->p->length;
  d->coeffs = !both ? LIE_MOVABLE : d->total > d->p->length * (1 + 1e-12) ? LIE_SLACK : LIE_TIGHT;
  if (d->coeffs == LIE_SLACK) {
    d->p = d->way = path_copy(d->p);
    if (!d->way) return no_memory(d, err);
    hang_below(d);
    return find_slack(d, err);
  }
  find_anchor(d);
  for (int k = 0; k <= d->p->n; k++) {
    double l = d->piece[k].start;
    d->piece[k].material = d->coeffs == LIE_TIGHT ? l * d->total / d->p->length
                                                  : d->anchor_p + l - d->anchor_l;
  }
  if (d->coeffs == LIE_MOVABLE) find_loads(d);
  return CPS_OK;
}

/* The tension at which a tight cable fits its path, or the length that a wanted tension asks for. */
static void fit_tight(draft *d) {
  if (!(d->c->length > 0) && d->c->tension > 0) {
    d->tension = d->c->tension;
    for (int i = 0; i < 2; i++) /* at nodes the depth depends on the length of elements */
      scale_mesh(d, press(d) / (stretch_of(d->c, d->tension) * d->excess * d->total));
    press(d);
    return;
  }
  double total = d->total * d->excess, low = 0, high = d->c->ea * (d->p->length / total - 1);
  for (int i = 0; i < 100 && high > 0; i++, high *= 2) {
    d->tension = high;
    if (stretch_of(d->c, high) * total >= press(d)) break;
  }
  for (int i = 0; i < 100 && high > 0; i++) {
    d->tension = (low + high) / 2;
    if (d->tension <= low || d->tension >= high) break;
    *(stretch_of(d->c, d->tension) * total < press(d) ? &low : &high) = d->tension;
  }
  d->tension = high > 0 ? high : 0;
  press(d);
}

/* Stretched length from the start to each node. */
static void find_stretch(draft *d) {
  const double *x, *w;
  cps_gauss(GAUSS, &x, &w);
  for (int i = 0; i < d->n; i++) {
    double sum = 0;
    for (int g = 0; g < GAUSS; g++) {
      double p = d->node[i] + x[g] * d->length[i];
      sum += w[g] * stretch_of(d->c, tension_at(d, p - d->anchor_p + d->anchor_l));
    }
    d->stretch[i + 1] = d->stretch[i] + sum * d->length[i];
  }
}

static double stretched_at(const draft *d, double p) {
  int i = 0;
  while (i < d->n - 1 && p > d->node[i + 1]) i++;
  double x = (p - d->node[i]) / d->length[i];
  return d->stretch[i] + x * (d->stretch[i + 1] - d->stretch[i]);
}

static double node_stretch(const draft *d, int i) {
  return stretch_of(d->c, tension_at(d, d->node[i] - d->anchor_p + d->anchor_l));
}

/* Place and unit tangent at the length s of the path as the cable lies on it. */
static void place_at(const draft *d, double s, double *r, double *t) {
  (d->coeffs == LIE_SLACK ? slack_place : pressed_place)(d, s, r, t);
}

/* An element that is being laid: its places and slopes, and what does not change while one of its ends moves. */
typedef struct laid_element {
  double q[4][3];
  double stretch[2];        /* at its nodes */
  double n_p[GAUSS_MAX][4]; /* derivatives of the shape functions */
  const double *weight;
  int points;
} laid_element;

static laid_element element_at(const draft *d, int i) {
  laid_element a = {.stretch = {node_stretch(d, i), node_stretch(d, i + 1)}};
  double n[4], n_pp[4];
  const double *x;
  a.points = d->c->axial_points >= 1 && d->c->axial_points <= GAUSS_MAX ? d->c->axial_points : GAUSS;
  cps_gauss(a.points, &x, &a.weight);
  for (int g = 0; g < a.points; g++) cps_element_shape(d->length[i], x[g], n, a.n_p[g], n_pp);
  return a;
}

/* Puts end e of the element at the length s of the path. */
static void lay_end(const draft *d, laid_element *a, int e, double s) {
  double *slope = a->q[2 * e + 1];
  place_at(d, s, a->q[2 * e], slope);
  for (int k = 0; k < 3; k++) slope[k] *= a->stretch[e];
}

/* The tension, in units of EA, with which an element of that length pulls at the position of its nodes: the integral of strain
 * times slope times the derivative of a position's shape function, along the chord. */
static double element_tension(const draft *d, const laid_element *a, double length) {
  double chord[3], sum = 0;
  vec_add(chord, a->q[2], -1, a->q[0]);
  vec_unit(chord);
  for (int g = 0; g < a->points; g++) {
    double r_p[3] = {0};
    for (int k = 0; k < 4; k++) vec_add(r_p, r_p, a->n_p[g][k], a->q[k]);
    double size = vec_norm(r_p), strain = d->c->engineering ? (size - 1) / size : (size - 1) * (size + 1) / 2;
    sum += a->weight[g] * strain * vec_dot(r_p, chord) * a->n_p[g][2] * length;
  }
  return sum;
}

/* From one end of element i, at s, to the other: as far as gives it the wanted tension. A cubic that bends
 * is a little shorter than the arc that it stands for; left alone, that would change the tension by more
 * than all of it. At corners of the path, where the cubic is much shorter, it is left alone. */
static double reach(const draft *d, int i, double s, int from) {
  enum { ROUNDS = 12 };
  double stretch = (d->stretch[i + 1] - d->stretch[i]) / d->length[i], most = 0.05 * d->length[i];
  double want = d->c->ea > 0 ? tension_for(d->c, stretch) / d->c->ea : 0, way = from ? -1 : 1;
  double step = stretch * d->length[i], plain = step, before = 0, missing_before = 0,
         rate = 1.2 / d->length[i];
  laid_element a = element_at(d, i);
  lay_end(d, &a, from, s);
  for (int k = 0; k < ROUNDS; k++) {
    lay_end(d, &a, !from, s + way * step);
    double missing = want - element_tension(d, &a, d->length[i]);
    if (k && fabs(step - before) > 1e-9 * plain) rate = (missing_before - missing) / (step - before);
    if (!(rate * d->length[i] > 0.1)) return s + way * plain;
    before = step, missing_before = missing;
    step += missing / rate;
    if (!(fabs(step - plain) < most)) return s + way * plain;
    if (fabs(step - before) < 1e-15 * plain) break;
  }
  return s + way * step;
}

/* With very many elements this takes long, so it reports progress. */
static void draw_on(const draft *d, int i) {
  enum { OFTEN = 4096 };
  if (i % OFTEN == OFTEN - 1) cps_waits(d->s, "the drawing of a cable", d->s->run.from, 0);
}

/* All nodes from the one nearest to the anchor. */
static void find_places(draft *d) {
  int first = 0;
  find_stretch(d);
  if (d->coeffs == LIE_MOVABLE) {
    while (first < d->n && fabs(d->node[first + 1] - d->anchor_p) <= fabs(d->node[first] - d->anchor_p))
      first++;
    d->place[first] = pressed_at(d, d->anchor_l) + stretched_at(d, d->node[first]) -
                      stretched_at(d, d->anchor_p);
  }
  for (int i = first; i < d->n; i++) {
    d->place[i + 1] = reach(d, i, d->place[i], 0);
    draw_on(d, i);
  }
  for (int i = first - 1; i >= 0; i--) {
    d->place[i] = reach(d, i, d->place[i + 1], 1);
    draw_on(d, i);
  }
}

/* The same for a tight cable, whose nodes must come out at the end: elements reach a little further than
 * they are stretched, which its tension or its length makes up for. What is left then is shared by all. */
static void fit_places(draft *d) {
  enum { ROUNDS = 5 };
  d->excess = 1;
  for (int k = 0; k < ROUNDS; k++) {
    fit_tight(d);
    find_places(d);
    double excess = d->place[d->n] / d->stretch[d->n];
    if (fabs(excess - d->excess) < 1e-14) break;
    d->excess = excess;
  }
  double factor = d->piece[d->p->n].pressed / d->place[d->n];
  for (int i = 0; i <= d->n; i++) d->place[i] *= factor;
}

/* The same for a slack cable: what its elements reach further, its spans sag more. Without it, elements that are half on a drum would
 * start compressed. */
static void fit_slack(draft *d) {
  enum { ROUNDS = 5 };
  for (int k = 0; k < ROUNDS; k++) {
    find_places(d);
    double excess = d->place[d->n] / d->total;
    if (fabs(excess - d->excess) < 1e-14) break;
    d->excess = excess;
    find_slack(d, NULL);
  }
  double factor = d->piece[d->p->n].material / d->place[d->n];
  for (int i = 0; i <= d->n; i++) d->place[i] *= factor;
}

static void lay_nodes(draft *d, double *q) {
  int dim = d->p->dim;
  double r[3], t[3];
  if (d->coeffs == LIE_MOVABLE) find_places(d);
  if (d->coeffs == LIE_TIGHT) fit_places(d);
  if (d->coeffs == LIE_SLACK) fit_slack(d);
  for (int i = 0; i <= d->n; i++, q += 2 * dim) {
    double stretch = node_stretch(d, i);
    place_at(d, d->place[i], r, t);
    for (int e = 0; e < 2 && !d->p->closed; e++) {
      const cable_end *end = &d->c->end[e];
      if (i == (e ? d->n : 0) && cps_end_is(end->kind, END_KEEPS_DIRECTION) &&
          vec_dot(end->direction, end->direction) > 0)
        vec_copy(t, end->direction);
    }
    for (int k = 0; k < dim; k++) q[k] = r[k], q[dim + k] = stretch * t[k];
  }
  if (d->p->closed)
    memcpy(q - 2 * dim, q - (size_t)(2 * dim) * (size_t)(d->n + 1), 2 * (size_t)dim * sizeof *q);
}

/* Mean strain of an element between two nodes as they are laid. */
static double strain_of(const double *q, int dim, double length) {
  const double *x, *w;
  double sum = 0;
  cps_gauss(GAUSS_MAX, &x, &w);
  for (int g = 0; g < GAUSS_MAX; g++) {
    double n[4], n_p[4], n_pp[4], square = 0;
    cps_element_shape(length, x[g], n, n_p, n_pp);
    for (int d = 0; d < dim; d++) {
      double r = n_p[0] * q[d] + n_p[1] * q[dim + d] + n_p[2] * q[2 * dim + d] + n_p[3] * q[3 * dim + d];
      square += r * r;
    }
    sum += w[g] * (sqrt(square) - 1);
  }
  return sum;
}

/* Slack hangs without force, but not where it bends within an element or leaves a drum at an angle: there the element is strained. */
static void find_blow(const draft *d, shape *out) {
  int slack = 0, dim = d->p->dim;
  for (int k = 0; k < d->p->n; k++) slack |= d->piece[k].sags;
  for (int i = 0; i < d->n && slack; i++) {
    double e = strain_of(out->q + (size_t)i * 2 * (size_t)dim, dim, out->length[i]);
    if (fabs(e) <= fabs(out->blow)) continue;
    out->blow = e;
    out->blow_at = i;
  }
}

/* The drums on the way. */
static int list_wraps(const path *p, shape *out) {
  double at = 0;
  out->wraps = calloc((size_t)p->n + 1, sizeof *out->wraps);
  for (int i = 0; i < p->n && out->wraps; i++) {
    double to = at + p->piece[i].length;
    if (p->piece[i].drum >= 0)
      out->wraps[out->n_wraps++] = (path_wrap){p->piece[i].drum, at / p->length, to / p->length};
    at = to;
  }
  return out->wraps != NULL;
}

cps_status cps_shape_make(shape *out, const cps_scenario *s, int cable, const path *p, cps_error *err) {
  draft d = {.s = s, .c = &s->cables[cable], .p = p, .cable = cable, .excess = 1};
  cps_status status;
  memset(out, 0, sizeof *out);
  d.piece = calloc((size_t)p->n + 1, sizeof *d.piece);
  d.shift = calloc((size_t)p->n + 1, sizeof *d.shift);
  if (!d.piece || !d.shift) {
    status = no_memory(&d, err);
    goto out;
  }
  measure(&d);
  status = find_materials(&d, err);
  if (status == CPS_OK) status = find_nodes(&d, err);
  if (status != CPS_OK) goto out;
  if (d.coeffs == LIE_MOVABLE) press(&d);
  out->q = calloc(2 * (size_t)p->dim * ((size_t)d.n + 1), sizeof *out->q);
  if (!out->q || !list_wraps(p, out)) {
    cps_shape_free(out);
    status = no_memory(&d, err);
    goto out;
  }
  lay_nodes(&d, out->q);
  out->slack = d.coeffs == LIE_SLACK ? d.total - p->length : 0;
  out->n = d.n;
  out->length = d.length;
  out->on = d.on;
  d.length = NULL;
  find_blow(&d, out);
out:
  if (d.way) cps_path_free(d.way);
  free(d.way);
  free(d.piece);
  free(d.shift);
  free(d.length);
  free(d.node);
  free(d.stretch);
  free(d.place);
  return status;
}

void cps_shape_free(shape *out) {
  free(out->length);
  free(out->q);
  free(out->wraps);
  memset(out, 0, sizeof *out);
}

cps_status cps_shape_draw(shape *out, const cps_scenario *s, int cable, cps_error *err) {
  path way = {0};
  cps_status status = cps_path_make(&way, s, cable, err);
  if (status == CPS_OK) status = cps_shape_make(out, s, cable, &way, err);
  cps_path_free(&way);
  return status;
}
