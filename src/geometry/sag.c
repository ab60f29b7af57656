/* sag.c - the curve of a slack span: a parabola, or a bight.
 *
 * PARABOLA: r = chord + 4 sag x (1 - x) g, x in 0..1. With H the part of the chord across g and v = c.g + 4 sag (1 - 2 x),
 * |dr/dx|^2 = H^2 + v^2, whose integral over v is F.
 *
 * BIGHT: much more length than distance. A parabola would fold at its bottom, where no element can follow; so two straight legs lead to
 * a circle below both points and around it. The circle is as wide as the points are apart, and then the legs hang straight down.
 */
#include "sag.h"

#include "vec.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

sag_span cps_sag_span(const double *from, const double *along, double chord, const double *down) {
  sag_span s = {.chord = chord};
  vec_copy(s.from, from);
  vec_copy(s.along, along);
  vec_copy(s.down, down);
  s.drop = chord * vec_dot(along, down);
  s.across = sqrt(fmax(chord * chord - s.drop * s.drop, 0));
  vec_add(s.side, along, -vec_dot(along, down), down);
  if (s.across > 1e-3 * chord) {
    vec_unit(s.side);
    return s;
  }
  double e[3] = {fabs(along[0]) < 0.7, fabs(along[0]) >= 0.7, 0};
  vec_add(s.side, e, -vec_dot(e, along), along);
  vec_unit(s.side);
  s.across = 0;
  return s;
}

/* ------------------------------------------------------------------ parabola */

static double parabola(double h, double v) { return (v * hypot(h, v) + h * h * asinh(v / h)) / 2; }

static double parabola_length(const sag_span *s, double sag) {
  double a = s->drop + 4 * sag, b = s->drop - 4 * sag;
  return (parabola(s->across, a) - parabola(s->across, b)) / (8 * sag);
}

static void hang_parabola(sag_span *s, double length) {
  double low = 0, high = length;
  for (int i = 0; i < 200; i++) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    *(parabola_length(s, middle) < length ? &low : &high) = middle;
  }
  s->sag = high;
}

static void parabola_at(const sag_span *s, double l, double *r, double *t) {
  double h = s->across, low = s->drop - 4 * s->sag, high = s->drop + 4 * s->sag;
  double want = parabola(h, high) - 8 * s->sag * l, v = high;
  for (int i = 0; i < 100; i++) {
    double f = parabola(h, v) - want, next = v - f / hypot(h, v);
    *(f > 0 ? &high : &low) = v;
    if (!(next >= low && next <= high)) next = (low + high) / 2;
    if (fabs(next - v) <= 1e-16 * (fabs(v) + h)) break;
    v = next;
  }
  double x = (s->drop + 4 * s->sag - v) / (8 * s->sag);
  for (int i = 0; i < 3; i++) {
    r[i] = s->from[i] + x * s->chord * s->along[i] + 4 * s->sag * x * (1 - x) * s->down[i];
    t[i] = s->chord * s->along[i] + (v - s->drop) * s->down[i];
  }
  vec_unit(t);
}

/* ------------------------------------------------------------------ bight */

/* A leg from one of the points to the circle: its length, and its angle from straight down, outwards negative. */
typedef struct leg {
  double length, angle;
} leg;

static leg leg_of(const sag_span *s, int end, double depth) {
  double below = depth - (end ? s->drop : 0), half = s->across / 2, far = hypot(half, below);
  return (leg){sqrt(fmax(far * far - s->radius * s->radius, 0)),
               atan2(half, below) - asin(fmin(s->radius / far, 1))};
}

static double bight_length(const sag_span *s, double depth) {
  leg a = leg_of(s, 0, depth), b = leg_of(s, 1, depth);
  return a.length + b.length + s->radius * (PI - a.angle - b.angle);
}

/* Returns 0 if it is too short for that: then the circle would not lie below both points. */
static int hang_bight(sag_span *s, double length, double least) {
  const double roomy = 1. / 16; /* of the slack, where one point is straight above the other */
  s->radius = fmax(s->across > 0 ? s->across / 2 : roomy * (length - s->chord), least);
  double low = fmax(s->drop, 0) + s->radius, high = low + length;
  if (!(s->radius > 0) || !(bight_length(s, low) < length)) {
    s->radius = 0;
    return 0;
  }
  for (int i = 0; i < 200; i++) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    *(bight_length(s, middle) < length ? &low : &high) = middle;
  }
  s->depth = high;
  return 1;
}

/* A point and a direction, given across and along `down`. */
static void put(const sag_span *s, double x, double y, double x_l, double y_l, double *r, double *t) {
  for (int i = 0; i < 3; i++) {
    r[i] = s->from[i] + x * s->side[i] + y * s->down[i];
    t[i] = x_l * s->side[i] + y_l * s->down[i];
  }
}

static void bight_at(const sag_span *s, double l, double *r, double *t) {
  leg a = leg_of(s, 0, s->depth), b = leg_of(s, 1, s->depth);
  double bottom = s->radius * (PI - a.angle - b.angle);
  if (l < a.length) {
    put(s, l * sin(a.angle), l * cos(a.angle), sin(a.angle), cos(a.angle), r, t);
  } else if (l < a.length + bottom) {
    double way = a.angle + (l - a.length) / s->radius;
    put(s, s->across / 2 - s->radius * cos(way), s->depth + s->radius * sin(way), sin(way), cos(way), r, t);
  } else {
    double left = a.length + bottom + b.length - l;
    put(s, s->across - left * sin(b.angle), s->drop + left * cos(b.angle), sin(b.angle), -cos(b.angle), r, t);
  }
}

double cps_sag_inside(const sag_span *s, const double *at) {
  double d[3];
  vec_add(d, at, -1, s->from);
  double x = vec_dot(d, s->side), y = vec_dot(d, s->down);
  if (!(s->radius > 0)) return -1;
  leg a = leg_of(s, 0, s->depth), b = leg_of(s, 1, s->depth);
  double from_a = x * cos(a.angle) - y * sin(a.angle),
         from_b = (s->across - x) * cos(b.angle) - (y - s->drop) * sin(b.angle);
  return fmin(fmin(from_a, from_b), s->depth - y >= 0 ? INFINITY : -1);
}

/* ------------------------------------------------------------------ either */

void cps_sag_hang(sag_span *s, double length, double least) {
  s->sag = s->radius = 0;
  if (!(length > s->chord)) return;
  const double deep =
      2; /* times as far as it spans: the parabola's bottom then has a radius of a sixteenth of that */
  if (length > deep * s->across && hang_bight(s, length, least)) return;
  if (s->across > 0) {
    hang_parabola(s, length);
    if (s->across * s->across > 8 * s->sag * least) return; /* the radius at its bottom, straight below */
    s->sag = 0;
    if (hang_bight(s, length, least)) return;
  }
  /* It hangs almost straight, and is too short for a bight: to the side. */
  double aside[3];
  vec_add(aside, s->side, -vec_dot(s->side, s->along), s->along);
  vec_unit(aside);
  vec_copy(s->down, aside);
  s->drop = 0;
  s->across = s->chord;
  hang_parabola(s, length);
}

double cps_sag_length(const sag_span *s) {
  return s->radius > 0 ? bight_length(s, s->depth) : s->sag > 0 ? parabola_length(s, s->sag) : s->chord;
}

void cps_sag_at(const sag_span *s, double l, double *r, double *t) {
  if (s->radius > 0) {
    bight_at(s, l, r, t);
  } else if (s->sag > 0) {
    parabola_at(s, l, r, t);
  } else {
    vec_add(r, s->from, l, s->along);
    vec_copy(t, s->along);
  }
}
