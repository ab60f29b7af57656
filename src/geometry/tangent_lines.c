/* tangent_lines.c - a taut cable around drums in a row.
 *
 * In the plane a line that runs along the unit vector u, with n = u turned to the left by 90 degrees,
 * touches a circle that it goes around with turn s = +-1 at c - s R n. From one circle to the next, D
 * apart,
 *
 *   D.n = s2 R2 - s1 R1,  so that the angle of u is that of D less asin((s2 R2 - s1 R1)/|D|);
 *
 * a point is a circle of radius zero. The wrap is what the direction turns by between the lines on both
 * sides.
 *
 * In space, where all axes are parallel, the surface that the plane's path sweeps along the axis can be
 * unrolled, and a taut cable is a straight line on it: the coordinate along the axis is linear in the
 * length of the plane's path. Where axes differ that holds for each drum by itself, between the points at
 * which the cable leaves the drum before and reaches the one after. Going from drum to drum and back a few
 * times comes near (each step shortens the cable); Newton's method on all drums at once does the rest. Its
 * unknowns are the angle, sweep, height and rise of each wrap, its equations that lines are tangent to the
 * cylinder and go on at the slope of the helix. (Minimising the length over angles would not do: it has no
 * minimum there but an inflection, because a line may pass through a drum.)
 */
#include "tangent_lines.h"

#include "cable_path.h"
#include "dense.h"
#include "plain_locale.h"
#include "vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PI    3.14159265358979323846
#define SMALL 1e-9 /* radians, or relative: what rounding makes of zero */

enum { SWEEPS = 200, PATIENCE = 4, NEWTON = 60, UNKNOWNS = 4 };

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static cps_status
wrong(taut_fault *fault, int wrap, const char *format, ...) {
  va_list args;
  fault->wrap = wrap;
  va_start(args, format);
  cps_format(fault->text, sizeof fault->text, format, args);
  va_end(args);
  return CPS_BAD_INPUT;
}

/* ------------------------------------------------------------------ wraps */

/* x modulo a full turn, in [from, from + 2 pi). */
static double into_turn(double x, double from) {
  x = fmod(x - from, 2 * PI);
  return from + (x < 0 ? x + 2 * PI : x);
}

/* The angle of a wrap whose direction turns by x, counted in the sense of the wrap and known up to full
 * turns. What goes beyond three quarters of a turn is read as a cable that misses the drum by the rest,
 * with full turns or where only a side is asked for; a drum that is missed has an angle <= 0. */
static double wrap_angle(const taut_wrap *w, double x) {
  int literal = w->turns == 0 && !w->shortest;
  double angle = into_turn(x, literal ? 0 : -PI / 2);
  if (literal && angle > 2 * PI - SMALL) angle -= 2 * PI;
  return angle + 2 * PI * w->turns;
}

static double rim_angle(const taut_wrap *w) { return (w->turns > 0 ? 2 * PI * w->turns : PI) + w->more; }

static cps_status check_wrap(const taut_wrap *w, int i, taut_fault *fault) {
  double angle = w->turn * w->sweep;
  if (angle > SMALL) return CPS_OK;
  if (angle > -SMALL)
    return wrong(fault, i, "the cable only grazes drum %s, it does not wrap around it", w->name);
  return wrong(
      fault, i,
      "the cable does not touch drum %s: what comes before and after lets it pass by %.3g degrees off; give "
      "`turn` if it is to go around nearly a full turn",
      w->name, -angle * 180 / PI);
}

/* ------------------------------------------------------------------ axes that are parallel */

/* A circle in the plane across the axis, with its signed radius, and the coordinate along the axis. */
typedef struct circle {
  double x, y, z, s;
} circle;

/* A straight piece: angle and length in the plane. */
typedef struct straight {
  double angle, length;
} straight;

typedef struct frame {
  double axis[3], u[3], w[3];
} frame;

static circle circle_at(const frame *f, const double *at, double s) {
  circle c = {vec_dot(at, f->u), vec_dot(at, f->w), vec_dot(at, f->axis), s};
  return c;
}

static circle circle_of(const frame *f, const taut_wrap *w) {
  return circle_at(f, w->center, w->turn * w->radius * (vec_dot(w->axis, f->axis) < 0 ? -1 : 1));
}

/* The tangent from a to b; 0 if there is none. */
static int tangent(const circle *a, const circle *b, straight *out) {
  double x = b->x - a->x, y = b->y - a->y, d = hypot(x, y), s = b->s - a->s;
  if (d == 0 || fabs(s) > d * (1 + SMALL * SMALL)) return 0;
  double sine = fmin(fmax(s / d, -1), 1);
  out->angle = atan2(y, x) - asin(sine);
  out->length = d * sqrt((1 - sine) * (1 + sine));
  return 1;
}

static cps_status no_tangent(const taut_wrap *w, int i, int j, taut_fault *fault) {
  if (i == j)
    return wrong(fault, i, "the path comes to drum %s from a point inside it, or goes to one", w[i].name);
  if (strcmp(w[i].name, w[j].name) == 0)
    return wrong(fault, j, "drum %s follows itself; more turns around it are said by `turns`", w[j].name);
  if (w[i].turn == w[j].turn)
    return wrong(fault, j, "drum %s and drum %s lie one inside the other, so no line touches both", w[i].name,
                 w[j].name);
  return wrong(
      fault, j,
      "drum %s and drum %s overlap, so that no cable can cross from one side of %s to the other side of %s",
      w[i].name, w[j].name, w[i].name, w[j].name);
}

/* The straight piece at one end of the row; `at` is the drum there. */
static cps_status end_line(const frame *f, const taut_end *e, const taut_wrap *w, int i, int last,
                           straight *out, taut_fault *fault) {
  circle c = circle_of(f, &w[i]);
  if (e->kind == TAUT_ALONG) {
    double x = vec_dot(e->v, f->u), y = vec_dot(e->v, f->w);
    out->angle = atan2(y, x);
    out->length = 0;
    if (hypot(x, y) < SMALL)
      return wrong(fault, i, "the cable runs along the axis of drum %s and cannot go around it", w[i].name);
    return CPS_OK;
  }
  circle p = circle_at(f, e->v, 0);
  return tangent(last ? &c : &p, last ? &p : &c, out) ? CPS_OK : no_tangent(w, i, i, fault);
}

/* The lines between n drums whose axes are parallel, line[0] before the first to line[n] after the last. */
static cps_status find_lines(const frame *f, const taut_wrap *w, int n, const taut_end end[2], straight *line,
                             taut_fault *fault) {
  for (int k = 1; k < n; k++) {
    circle a = circle_of(f, &w[k - 1]), b = circle_of(f, &w[k]);
    if (!tangent(&a, &b, &line[k])) return no_tangent(w, k - 1, k, fault);
  }
  if (end[0].kind == TAUT_RING) {
    circle a = circle_of(f, &w[n - 1]), b = circle_of(f, &w[0]);
    if (!tangent(&a, &b, &line[n])) return no_tangent(w, n - 1, 0, fault);
    line[0] = line[n];
    return CPS_OK;
  }
  line[0].length = line[n].length = 0;
  cps_status status = CPS_OK;
  if (end[0].kind != TAUT_RIM) status = end_line(f, &end[0], w, 0, 0, &line[0], fault);
  if (status == CPS_OK && end[1].kind != TAUT_RIM)
    status = end_line(f, &end[1], w, n - 1, 1, &line[n], fault);
  return status;
}

/* Sweeps from the lines, in the common sense; a rim's line is then where its wrap begins or ends. */
static void find_sweeps(taut_wrap *w, int n, const frame *f, const taut_end end[2], straight *line) {
  for (int i = 0; i < n; i++) {
    int sense = circle_of(f, &w[i]).s < 0 ? -1 : 1;
    double angle;
    if (i == 0 && end[0].kind == TAUT_RIM) {
      angle = rim_angle(&w[i]);
      if (n == 1 && end[1].kind == TAUT_RIM) line[1].angle = sense * angle;
      line[0].angle = line[1].angle - sense * angle;
    } else if (i == n - 1 && end[1].kind == TAUT_RIM) {
      angle = rim_angle(&w[i]);
      line[n].angle = line[n - 1].angle + sense * angle;
    } else {
      angle = wrap_angle(&w[i], sense * (line[i + 1].angle - line[i].angle));
    }
    w[i].sweep = w[i].turn * angle;
  }
}

static double pitch_rise(const taut_wrap *w) { return w->pitch * fabs(w->sweep) / (2 * PI); }

static double slope_of(const frame *f, const taut_end *e) {
  double across = hypot(vec_dot(e->v, f->u), vec_dot(e->v, f->w));
  return vec_dot(e->v, f->axis) / across;
}

/* Heights along the common axis: z[2 i] where wrap i begins, z[2 i + 1] where it ends. Between ends whose
 * height is known the slope follows; from an end that has a slope, the height follows from the other one;
 * and where nothing says it, the wraps lie in the middle of their drums. */
static cps_status find_heights(const taut_wrap *w, int n, const frame *f, const taut_end end[2],
                               const straight *line, double *z, taut_fault *fault) {
  double known[2] = {0, 0}, slope = 0, given = 0, free_length = 0;
  int fixed[2], sloped = 0;
  for (int e = 0; e < 2; e++) {
    const double *at = end[e].kind == TAUT_RIM ? w[e ? n - 1 : 0].center : end[e].v;
    fixed[e] = end[e].kind == TAUT_POINT || end[e].kind == TAUT_RIM;
    if (fixed[e]) known[e] = vec_dot(at, f->axis);
    if (end[e].kind != TAUT_ALONG) continue;
    double own = slope_of(f, &end[e]);
    if (sloped && fabs(own - slope) > SMALL)
      return wrong(fault, 0, "the cable would slide along drum %s: its ends pull to different sides of it",
                   w[0].name);
    slope = own;
    sloped = 1;
  }
  /* Heights from zero at the start with slope zero, and how fast they grow with the slope. */
  double at = 0, path = line[0].length;
  for (int i = 0; i < n; i++) {
    double up = vec_dot(w[i].axis, f->axis) < 0 ? -1 : 1;
    z[4 * i] = at, z[4 * i + 1] = path;
    if (w[i].pitch != 0)
      at += up * pitch_rise(&w[i]);
    else
      path += w[i].radius * fabs(w[i].sweep);
    z[4 * i + 2] = at, z[4 * i + 3] = path;
    path += line[i + 1].length;
  }
  given = at, free_length = path;
  if (fixed[0] && fixed[1] && free_length > 0) slope = (known[1] - known[0] - given) / free_length;
  double start = known[0];
  if (!fixed[0] && fixed[1]) start = known[1] - given - slope * free_length;
  if (!fixed[0] && !fixed[1]) {
    start = 0;
    for (int i = 0; i < n; i++) {
      double middle = (z[4 * i] + z[4 * i + 2]) / 2 + slope * (z[4 * i + 1] + z[4 * i + 3]) / 2;
      start += (vec_dot(w[i].center, f->axis) - middle) / n;
    }
  }
  for (int i = 0; i < 2 * n; i++) z[i] = start + z[2 * i] + slope * z[2 * i + 1];
  return CPS_OK;
}

/* From the common frame to the drum's own. */
static void place_wrap(taut_wrap *w, const frame *f, double theta_in, double theta_out, double z_in,
                       double z_out) {
  circle c = circle_of(f, w);
  double u[3], v[3], from[3], z[2] = {z_in, z_out}, theta[2] = {theta_in, theta_out}, height[2];
  for (int e = 0; e < 2; e++) {
    double *at = e ? w->out : w->in;
    double x = c.s * sin(theta[e]), y = -c.s * cos(theta[e]);
    for (int k = 0; k < 3; k++) at[k] = w->center[k] + x * f->u[k] + y * f->w[k] + (z[e] - c.z) * f->axis[k];
    vec_add(from, at, -1, w->center);
    height[e] = vec_dot(from, w->axis);
  }
  cps_drum_frame(w->axis, u, v);
  vec_add(from, w->in, -1, w->center);
  w->angle = atan2(vec_dot(from, v), vec_dot(from, u));
  w->height = height[0];
  w->rise = height[1] - height[0];
}

static frame frame_of(const taut_wrap *w) {
  frame f = {{0}, {0}, {0}};
  vec_copy(f.axis, w->axis);
  cps_drum_frame(f.axis, f.u, f.w);
  return f;
}

/* A belt around a single drum, which has no straight piece. */
static void single_ring(taut_wrap *w) {
  w->angle = w->height = 0;
  w->rise = 0;
  w->sweep = w->turn * 2 * PI * (w->turns > 1 ? w->turns : 1);
  frame f = frame_of(w);
  vec_add(w->in, w->center, w->radius, f.u);
  vec_copy(w->out, w->in);
}

/* All of a row whose axes are parallel; work has room for 2 (n + 1) + 4 n numbers. Angles are not checked. */
static cps_status solve_parallel(taut_wrap *w, int n, const taut_end end[2], double *work,
                                 taut_fault *fault) {
  straight *line = (straight *)work;
  double *z = work + 2 * (n + 1);
  frame f = frame_of(w);
  cps_status status = find_lines(&f, w, n, end, line, fault);
  if (status != CPS_OK) return status;
  find_sweeps(w, n, &f, end, line);
  status = find_heights(w, n, &f, end, line, z, fault);
  for (int i = 0; i < n && status == CPS_OK; i++)
    place_wrap(&w[i], &f, line[i].angle, line[i + 1].angle, z[2 * i], z[2 * i + 1]);
  return status;
}

static int all_parallel(const taut_wrap *w, int n) {
  double cross[3];
  for (int i = 1; i < n; i++) {
    vec_cross(cross, w[0].axis, w[i].axis);
    if (vec_norm(cross) > 1e-12) return 0;
  }
  return 1;
}

/* ------------------------------------------------------------------ axes of any direction */

typedef struct row {
  taut_wrap *w;
  int n;
  const taut_end *end;
} row;

/* What wrap i sees on side e: an end, or where the cable meets the next drum. */
static taut_end neighbour(const row *r, int i, int e) {
  int j = e ? i + 1 : i - 1;
  if (j < 0 || j >= r->n) {
    if (r->end[e].kind != TAUT_RING) return r->end[e];
    j = (j + r->n) % r->n;
  }
  taut_end p = {TAUT_POINT, {0}};
  vec_copy(p.v, e ? r->w[j].in : r->w[j].out);
  return p;
}

/* Each drum in turn, its neighbours held, until little changes. */
static cps_status relax(const row *r, taut_fault *fault) {
  double work[8];
  for (int i = 0; i < r->n; i++) {
    vec_copy(r->w[i].in, r->w[i].center);
    vec_copy(r->w[i].out, r->w[i].center);
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0;
    for (int k = 0; k < r->n; k++) {
      int i = sweep % 2 ? r->n - 1 - k : k;
      taut_wrap *w = &r->w[i], before = *w;
      taut_end end[2] = {neighbour(r, i, 0), neighbour(r, i, 1)};
      cps_status status = solve_parallel(w, 1, end, work, fault);
      if (status != CPS_OK && sweep < PATIENCE) continue; /* neighbours are not on their rims yet */
      if (status != CPS_OK) {
        fault->wrap = i;
        return status;
      }
      double d[3];
      vec_add(d, w->in, -1, before.in);
      moved = fmax(moved, vec_norm(d) / w->radius);
      vec_add(d, w->out, -1, before.out);
      moved = fmax(moved, vec_norm(d) / w->radius);
    }
    if (moved < 1e-4 && sweep >= PATIENCE) break;
  }
  return CPS_OK;
}

/* Positions from the unknowns. */
static void place_rim(taut_wrap *w) {
  double u[3], v[3];
  cps_drum_frame(w->axis, u, v);
  for (int e = 0; e < 2; e++) {
    double *at = e ? w->out : w->in, angle = w->angle + (e ? w->sweep : 0),
           height = w->height + (e ? w->rise : 0);
    for (int k = 0; k < 3; k++)
      at[k] = w->center[k] + w->radius * (cos(angle) * u[k] + sin(angle) * v[k]) + height * w->axis[k];
  }
}

/* Of the line on side e of wrap i: *across the drum's surface and *along its axis, as parts of a unit
 * vector. */
static int line_parts(const row *r, int i, int e, double *across, double *along) {
  taut_end to = neighbour(r, i, e);
  taut_wrap *w = &r->w[i];
  double *at = e ? w->out : w->in, u[3], normal[3];
  vec_copy(u, to.v);
  if (to.kind == TAUT_POINT) {
    vec_add(u, u, -1, at);
    if (vec_unit(u) == 0) return 0;
    for (int k = 0; k < 3 && !e; k++) u[k] = -u[k];
  }
  vec_add(normal, at, -1, w->center);
  vec_add(normal, normal, -vec_dot(normal, w->axis), w->axis);
  *across = vec_dot(u, normal) / w->radius;
  *along = vec_dot(u, w->axis);
  return 1;
}

/* Four equations of wrap i; 0 if a line has no length. */
static int residual(const row *r, int i, double *f) {
  taut_wrap *w = &r->w[i];
  double length = hypot(w->radius * w->sweep, w->rise), along[2], slope = length > 0 ? w->rise / length : 0;
  int rim = -1;
  for (int e = 0; e < 2; e++)
    if (i == (e ? r->n - 1 : 0) && r->end[e].kind == TAUT_RIM) rim = e;
  for (int e = 0; e < 2; e++) {
    if (rim == e) {
      f[2 * e] = fabs(w->sweep) - rim_angle(w);
      f[2 * e + 1] = (w->height + e * w->rise) / w->radius;
      continue;
    }
    if (!line_parts(r, i, e, &f[2 * e], &along[e])) return 0;
    f[2 * e + 1] = along[e] - slope;
  }
  if (w->pitch == 0) return 1;
  /* A given pitch takes the place of the slope; where both sides are free they pull equally along the axis */
  double pitch = (w->rise - pitch_rise(w)) / w->radius;
  if (rim < 0) f[1] = along[0] - along[1];
  f[rim == 1 ? 1 : 3] = pitch;
  return 1;
}

static double residuals(const row *r, double *f) {
  double most = 0;
  for (int i = 0; i < r->n; i++) place_rim(&r->w[i]);
  for (int i = 0; i < r->n; i++) {
    if (!residual(r, i, f + UNKNOWNS * i)) return INFINITY;
    for (int k = 0; k < UNKNOWNS; k++) most = fmax(most, fabs(f[UNKNOWNS * i + k]));
  }
  return most;
}

/* Unknown k, and its unit. */
static double *unknown(const row *r, int k, double *unit) {
  taut_wrap *w = &r->w[k / UNKNOWNS];
  double *const x[UNKNOWNS] = {&w->angle, &w->sweep, &w->height, &w->rise};
  *unit = k % UNKNOWNS < 2 ? 1 : w->radius;
  return x[k % UNKNOWNS];
}

static void move(const row *r, double s, const double *dx) {
  double unit;
  for (int k = 0; k < UNKNOWNS * r->n; k++) {
    double *x = unknown(r, k, &unit);
    *x += s * dx[k] * unit;
  }
}

/* Damped Newton with central differences; whether it came down to rounding. */
static int newton(const row *r, double *a, double *f, double *dx, double *g, int *pivot) {
  enum { HALVINGS = 12 };
  int m = UNKNOWNS * r->n;
  const double h = 1e-5, good = 2e-14, enough = 1e-11, singular = 1e-13;
  double size = residuals(r, f), unit;
  for (int it = 0; it < NEWTON && size > good; it++) {
    for (int k = 0; k < m; k++) {
      double *x = unknown(r, k, &unit), keep = *x;
      *x = keep + h * unit;
      double plus = residuals(r, dx);
      *x = keep - h * unit;
      if (!(fmax(residuals(r, g), plus) < INFINITY)) return 0;
      *x = keep;
      for (int i = 0; i < m; i++) a[i * m + k] = (dx[i] - g[i]) / (2 * h);
    }
    residuals(r, f);
    for (int i = 0; i < m; i++) dx[i] = -f[i];
    if (dense_factor(a, m, m, pivot, NULL) <= singular) return 0;
    dense_solve(a, m, m, pivot, dx, 1, 1);
    double s = 1, most = 0, now = INFINITY;
    for (int k = 0; k < m; k++) most = fmax(most, fabs(dx[k]));
    if (most > 0.5) s = 0.5 / most;
    for (int half = 0; half < HALVINGS; half++, s /= 2) {
      move(r, s, dx);
      now = residuals(r, f);
      if (now < size) break;
      move(r, -s, dx);
    }
    if (!(now < size)) { /* rounding, or no way on */
      residuals(r, f);
      return size < enough;
    }
    size = now;
  }
  return size < enough;
}

/* Tangent lines must go on the way they came: n.u = 0 has a second solution, backwards. */
static int runs_forward(const row *r) {
  for (int i = 0; i < r->n; i++)
    for (int e = 0; e < 2; e++) {
      taut_end to = neighbour(r, i, e);
      const taut_wrap *w = &r->w[i];
      const double *at = e ? w->out : w->in;
      double u[3], from[3], forward[3];
      if (to.kind == TAUT_RIM) continue;
      vec_copy(u, to.v);
      if (to.kind == TAUT_POINT) vec_add(u, u, -1, at);
      vec_add(from, at, -1, w->center);
      vec_cross(forward, w->axis, from);
      double way = w->turn * vec_dot(u, forward);
      if ((to.kind == TAUT_POINT && !e ? -way : way) < 0) return 0;
    }
  return 1;
}

static cps_status solve_skew(const row *r, taut_fault *fault) {
  cps_status status = relax(r, fault);
  if (status != CPS_OK) return status;
  size_t m = (size_t)UNKNOWNS * (size_t)r->n;
  double *work = calloc(m * (m + 3), sizeof *work);
  int *pivot = calloc(m, sizeof *pivot);
  if (!work || !pivot)
    status = CPS_NO_MEMORY;
  else if (!newton(r, work + 3 * m, work, work + m, work + 2 * m, pivot) || !runs_forward(r))
    status = wrong(fault, 0,
                   "no taut cable runs around drum %s and those after it: it would slide along an axis",
                   r->w[0].name);
  free(work);
  free(pivot);
  return status;
}

cps_status cps_taut_solve(taut_wrap *w, int n, const taut_end end[2], taut_fault *fault) {
  if (n == 1 && end[0].kind == TAUT_RING) {
    single_ring(w);
    return CPS_OK;
  }
  cps_status status;
  if (all_parallel(w, n)) {
    double *work = calloc(6 * (size_t)n + 2, sizeof *work);
    if (!work) return CPS_NO_MEMORY;
    status = solve_parallel(w, n, end, work, fault);
    free(work);
  } else {
    row r = {w, n, end};
    status = solve_skew(&r, fault);
  }
  for (int i = 0; i < n && status == CPS_OK; i++) status = check_wrap(&w[i], i, fault);
  return status;
}
