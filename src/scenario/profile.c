/* profile.c - quantities over time: value, first and second derivative, and where they jump.
 *
 * Pieces are closed on the left and open on the right, so that at a break everything is what it is after it.
 * The times that cps_profile_next_break returns are the very numbers that cps_profile_eval compares with, so
 * a solver that steps onto a break is on the far side of it.
 */
#include "scenario.h"

#include <math.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586476925287;

static profile_value constant(double y) { return (profile_value){y, 0, 0}; }

static profile_value sine(const double *a, double t) {
  double angle = a[1] * (t - a[4]) + a[2], s = a[0] * sin(angle), c = a[0] * cos(angle);
  return (profile_value){a[3] + s, a[1] * c, -a[1] * a[1] * s};
}

/* ------------------------------------------------------------------ pulses */

/* The start of pulse k. */
static double pulse_start(const double *a, double k) { return k > 0 ? a[1] + k * a[3] : a[1]; }

/* The last pulse, of 0 .. count - 1, that has started at t; -1 if none has. */
static double last_pulse(const double *a, double t) {
  if (!(t >= a[1])) return -1;
  double last = a[4] - 1;
  if (last < 1) return 0;
  double k = floor((t - a[1]) / a[3]);
  if (!(k < last)) k = last;
  /* Division and multiplication may disagree by one. */
  while (k > 0 && pulse_start(a, k) > t) k--;
  while (k < last && pulse_start(a, k + 1) <= t) k++;
  return k;
}

static int in_pulse(const double *a, double t) {
  double k = last_pulse(a, t);
  return k >= 0 && t < pulse_start(a, k) + a[2];
}

static double pulses_break(const double *a, double t) {
  double k = last_pulse(a, t);
  if (k < 0) return a[1];
  double end = pulse_start(a, k) + a[2];
  if (end > t) return end;
  return k + 1 < a[4] ? pulse_start(a, k + 1) : INFINITY;
}

/* ------------------------------------------------------------------ smooth rises */

/* STEP and STEP5: a polynomial in s = (t - t0)/(t1 - t0). */
static profile_value step(const double *a, int piece, double t, int fifth) {
  if (piece != 0) return constant(piece < 0 ? a[1] : a[3]);
  double w = a[2] - a[0], s = (t - a[0]) / w, h = a[3] - a[1];
  if (fifth)
    return (profile_value){a[1] + h * (s * s * s * (10 - 15 * s + 6 * s * s)),
                           h / w * (30 * s * s * (1 - s) * (1 - s)),
                           h / (w * w) * (60 * s * (1 - s) * (1 - 2 * s))};
  return (profile_value){a[1] + h * (s * s * (3 - 2 * s)), h / w * (6 * s * (1 - s)),
                         h / (w * w) * (6 - 12 * s)};
}

static profile_value cycloid(const double *a, int piece, double t) {
  if (piece != 0) return constant(piece < 0 ? 0 : a[0]);
  double s = (t - a[2]) / a[1];
  return (profile_value){a[0] * (s - sin(two_pi * s) / two_pi), a[0] / a[1] * (1 - cos(two_pi * s)),
                         a[0] / (a[1] * a[1]) * two_pi * sin(two_pi * s)};
}

static profile_value ramp(const double *a, int piece, double t) {
  if (piece != 0) return constant(piece < 0 ? 0 : a[0] * (a[2] - a[1]));
  return (profile_value){a[0] * (t - a[1]), a[0], 0};
}

/* Before, between or after two times: -1, 0, 1. */
static int piece_of(double t, double t0, double t1) { return t < t0 ? -1 : t >= t1 ? 1 : 0; }

/* The first of two times that is after t. */
static double after(double t, double t0, double t1) { return t < t0 ? t0 : t < t1 ? t1 : INFINITY; }

/* ------------------------------------------------------------------ pieces */

/* The number of points x[0 .. n) that are at or before t. */
static int points_until(const double *x, int n, double t) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (x[mid] <= t)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static profile_value cubic(const double *c, double s) {
  return (profile_value){c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2 * c[2] + s * 3 * c[3]),
                         2 * c[2] + 6 * c[3] * s};
}

static profile_value polynomial(const profile *p, int i, double t) {
  if (i < 0) return constant(p->y[0]);
  if (i >= p->n) return constant(cubic(p->y + 4 * (size_t)(p->n - 1), p->x[p->n] - p->x[p->n - 1]).y);
  return cubic(p->y + 4 * (size_t)i, t - p->x[i]);
}

/* Linear or, with second derivatives y2 at the points, the cubic between two points. */
static profile_value table(const profile *p, int i, double t) {
  if (i < 0) return constant(p->y[0]);
  if (i >= p->n - 1) return constant(p->y[p->n - 1]);
  double w = p->x[i + 1] - p->x[i], s = (t - p->x[i]) / w, rise = p->y[i + 1] - p->y[i];
  profile_value v = {p->y[i] + s * rise, rise / w, 0};
  if (!p->y2) return v;
  double m0 = p->y2[i], m1 = p->y2[i + 1], r = 1 - s;
  v.y += w * w / 6 * ((r * r * r - r) * m0 + (s * s * s - s) * m1);
  v.y_t += w / 6 * ((1 - 3 * r * r) * m0 + (3 * s * s - 1) * m1);
  v.y_tt = r * m0 + s * m1;
  return v;
}

static double next_point(const double *x, int n, double t) {
  int i = points_until(x, n, t);
  return i < n ? x[i] : INFINITY;
}

/* ------------------------------------------------------------------ any */

/* The piece of a profile that holds at t. */
static int find_piece(const profile *p, double t) {
  switch (p->kind) {
  case PROFILE_PULSES:
    return in_pulse(p->a, t);
  case PROFILE_STEP:
  case PROFILE_STEP5:
    return piece_of(t, p->a[0], p->a[2]);
  case PROFILE_CYCLOID:
    return piece_of(t, p->a[2], p->a[2] + p->a[1]);
  case PROFILE_RAMP:
    return piece_of(t, p->a[1], p->a[2]);
  case PROFILE_POLYNOMIAL:
    return points_until(p->x, p->n + 1, t) - 1;
  case PROFILE_TABLE:
    return points_until(p->x, p->n, t) - 1;
  default:
    return 0;
  }
}

/* The end of a ramp belongs to it, also where a step has come to it but for round-off (driver.c). */
profile_value cps_input_eval(const input_value *in, double t) {
  double width = in->until - in->since;
  if (!(width > 0) || !(t <= in->until + 2e-9 * width)) return constant(in->to);
  double rate = (in->to - in->from) / width;
  return (profile_value){t >= in->until ? in->to : in->from + rate * (t - in->since), rate, 0};
}

/* Stands for inputs that have not been set. */
static const input_value as_drawn;

static profile_value input(const profile *p, double t, const input_value *in) {
  if (in && in != &as_drawn) return cps_input_eval(&in[(int)p->a[1]], t);
  if (in || p->a[2] == 0) return constant(p->a[0]);
  return cps_input_eval(&(input_value){p->a[3], p->a[4], p->x[0], p->x[1], 0}, t);
}

static profile_value evaluate(const profile *p, const profile *like, double at, double t,
                              const input_value *in);

static profile_value combine(const profile *p, const profile *like, double at, double t,
                             const input_value *in) {
  profile_value v = evaluate(p->child[0], like->child[0], at, t, in);
  for (int i = 1; i < p->n; i++) {
    profile_value w = evaluate(p->child[i], like->child[i], at, t, in);
    if (p->kind == PROFILE_SUM)
      v = (profile_value){v.y + w.y, v.y_t + w.y_t, v.y_tt + w.y_tt};
    else
      v = (profile_value){v.y * w.y, v.y_t * w.y + v.y * w.y_t,
                          v.y_tt * w.y + 2 * v.y_t * w.y_t + v.y * w.y_tt};
  }
  return v;
}

static profile_value evaluate(const profile *p, const profile *like, double at, double t,
                              const input_value *in) {
  int piece = find_piece(like, at);
  switch (p->kind) {
  case PROFILE_CONSTANT:
    return constant(p->a[0]);
  case PROFILE_SINE:
    return sine(p->a, t);
  case PROFILE_PULSES:
    return constant(piece ? p->a[0] : 0);
  case PROFILE_STEP:
    return step(p->a, piece, t, 0);
  case PROFILE_STEP5:
    return step(p->a, piece, t, 1);
  case PROFILE_CYCLOID:
    return cycloid(p->a, piece, t);
  case PROFILE_RAMP:
    return ramp(p->a, piece, t);
  case PROFILE_POLYNOMIAL:
    return polynomial(p, piece, t);
  case PROFILE_TABLE:
    return table(p, piece, t);
  case PROFILE_SUM:
  case PROFILE_PRODUCT:
    return combine(p, like, at, t, in);
  case PROFILE_INPUT:
    return input(p, t, in);
  }
  return constant(0);
}

profile_value cps_profile_beside(const profile *p, const profile *like, double at, double t) {
  return evaluate(p, like, at, t, NULL);
}

profile_value cps_profile_eval(const profile *p, double t) { return evaluate(p, p, t, t, NULL); }

profile_value cps_profile_drawn(const profile *p, double t) { return evaluate(p, p, t, t, &as_drawn); }

profile_value cps_profile_now(const profile *p, double t, const input_value *in) {
  return evaluate(p, p, t, t, in);
}

/* Also where only the third derivative jumps, if that happens at no more than two times: integrators of high
 * order care. Of a spline, whose third derivative jumps everywhere, only the ends. */
double cps_profile_next_break(const profile *p, double t) {
  double next = INFINITY;
  switch (p->kind) {
  case PROFILE_CONSTANT:
  case PROFILE_SINE:
  case PROFILE_INPUT: /* the caller says whether it jumps */
    break;
  case PROFILE_PULSES:
    return pulses_break(p->a, t);
  case PROFILE_STEP:
  case PROFILE_STEP5:
    return after(t, p->a[0], p->a[2]);
  case PROFILE_CYCLOID:
    return after(t, p->a[2], p->a[2] + p->a[1]);
  case PROFILE_RAMP:
    return after(t, p->a[1], p->a[2]);
  case PROFILE_POLYNOMIAL:
    return next_point(p->x, p->n + 1, t);
  case PROFILE_TABLE:
    return p->y2 ? after(t, p->x[0], p->x[p->n - 1]) : next_point(p->x, p->n, t);
  case PROFILE_SUM:
  case PROFILE_PRODUCT:
    for (int i = 0; i < p->n; i++) next = fmin(next, cps_profile_next_break(p->child[i], t));
    break;
  }
  return next;
}

double cps_profile_breaks(const profile *p, double from, double until) {
  double n = 0;
  if (p->kind == PROFILE_PULSES)
    return until < from ? 0 : 2 * (last_pulse(p->a, until) - fmax(last_pulse(p->a, from), 0) + 1);
  if (p->kind == PROFILE_SUM || p->kind == PROFILE_PRODUCT)
    for (int i = 0; i < p->n; i++) n += cps_profile_breaks(p->child[i], from, until);
  else
    for (double t = from; (t = cps_profile_next_break(p, t)) <= until;) n++;
  return n;
}

/* 0 if out of memory. */
static int tell(profile *p, const input_value *in) {
  int good = 1;
  if (!p) return 1;
  for (int i = 0; p->child && i < p->n; i++) good = tell(p->child[i], in) && good;
  if (p->kind != PROFILE_INPUT) return good;
  const input_value *v = &in[(int)p->a[1]];
  if (!p->x) p->x = malloc(2 * sizeof *p->x);
  if (!p->x) return 0;
  p->a[2] = 1;
  p->a[3] = v->from;
  p->a[4] = v->to;
  p->x[0] = v->since;
  p->x[1] = v->until;
  return good;
}

cps_status cps_scenario_tell(cps_scenario *s, const input_value *in) {
  int good = 1;
  for (int i = 0; i < s->n_bodies; i++) good &= tell(s->bodies[i].motion, in);
  for (int i = 0; i < s->n_contacts; i++) good &= tell(s->contacts[i].given, in);
  for (int i = 0; i < s->n_loads; i++) good &= tell(s->loads[i].force, in);
  for (int i = 0; i < s->n_drums; i++) {
    good &= tell(s->drums[i].motion, in);
    for (int d = 0; d < 3; d++) good &= tell(s->drums[i].shift[d], in);
  }
  for (int i = 0; i < s->n_cables; i++) {
    for (int e = 0; e < 2; e++) {
      for (int d = 0; d < 3; d++)
        good &= tell(s->cables[i].end[e].shift[d], in) & tell(s->cables[i].end[e].force[d], in);
    }
  }
  return good ? CPS_OK : CPS_NO_MEMORY;
}

void cps_profile_free(profile *p) {
  if (!p) return;
  for (int i = 0; p->child && i < p->n; i++) cps_profile_free(p->child[i]);
  free(p->child);
  free(p->x);
  free(p->y);
  free(p->y2);
  free(p);
}
