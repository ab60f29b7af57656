/* body_forces.c - what acts on bodies: surfaces, weights, loads, springs and normal forces; their tangents, energy and work.
 *
 * One place for all of it, whether bodies are alone or beside cables. Coordinates are those of system.h. Springs along a line
 * are linear; springs between points pull along the line between them: with r from one point to the other, n = r/|r|,
 * P = (1 - n n')/|r| and w the rate of r, the pull f n changes by T dr + D dw,
 *
 *   T = n (k n + d P w)' + f P (the last term is the geometric stiffness),   D = d n n'.
 *
 * Work of forces in steps is summed by the trapezoidal rule over displacements, not over time: what linear springs do is
 * then exact, and a contact that does not move does none.
 */
#include "bodies.h"
#include "simd.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ surfaces */

void cps_surfaces_place(const cps_system *s, const workspace *k, double t, double *q, double *v) {
  const cps_scenario *sc = s->scenario;
  if (s->ns == 0) return;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE) continue;
    profile_value m = cps_profile_now(b->motion, t, k->inputs);
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

void cps_surfaces_move(const cps_system *s, const workspace *k, double t, double h, double t1,
                       const double *q0, double *q) {
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies && s->ns > 0; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind != BODY_SURFACE || !b->motion_is_velocity) continue;
    double v0 = cps_profile_now(b->motion, t, k->inputs).y, v1 = cps_profile_now(b->motion, t1, k->inputs).y;
    double half = cps_profile_now(b->motion, t + h / 2, k->inputs).y;
    q[s->body_q[i]] = q0[s->body_q[i]] + h / 6 * (v0 + 4 * half + v1);
  }
}

/* ------------------------------------------------------------------ springs and loads */

/* Tension of a spring that is e too long and grows at e_t; one that only pulls is slack when short, and never
 * pushes. */
static inline double tension(double kk, double d, int pulls_only, double e, double e_t) {
  double f = kk * e + d * e_t;
  return pulls_only && (e <= 0 || f < 0) ? 0 : f;
}

static inline double elastic_part(double kk, int pulls_only, double e) {
  return pulls_only && e <= 0 ? 0 : kk * e;
}

static void line_springs(const cps_system *s, const workspace *k, const double *q, const double *v,
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
    lost += (f - elastic_part(g->k, g->tension_only, e)) * e_t;
  }
  *damping += lost;
}

/* Where the point at the end of a spring is, from coordinates, or how fast it goes, from their rates. */
INLINE void end_point(const plane_end *p, int dim, const double *q, double *r) {
  for (int d = 0; d < dim && p->n == 1; d++) r[d] += q[p->c[0]] * p->along[0][d];
  for (int d = 0; d < dim && p->n > 1; d++) r[d] += q[p->c[d]];
}

/* The line between the points of a spring: its unit vector n, its rate w, and its length. */
INLINE double span_of(const plane_spring *g, int dim, const double *q, const double *v, double *n,
                      double *w) {
  double from[3], to[3], from_t[3] = {0}, to_t[3] = {0}, square = 0;
  memcpy(from, g->end[0].base, sizeof from);
  memcpy(to, g->end[1].base, sizeof to);
  end_point(&g->end[0], dim, q, from);
  end_point(&g->end[1], dim, q, to);
  end_point(&g->end[0], dim, v, from_t);
  end_point(&g->end[1], dim, v, to_t);
  for (int d = 0; d < dim; d++) {
    n[d] = to[d] - from[d];
    w[d] = to_t[d] - from_t[d];
    square += n[d] * n[d];
  }
  double length = sqrt(square);
  for (int d = 0; d < dim; d++) n[d] = length > 0 ? n[d] / length : 0;
  return length;
}

INLINE double dot(const double *a, const double *b, int dim) {
  return a[0] * b[0] + a[1] * b[1] + (dim == 3 ? a[2] * b[2] : 0);
}

/* Presses the body of coordinate q onto its line, and with it those that it rests on. */
static inline void press_on(const cps_system *s, double *press, int q, double force) {
  for (int c = q; c >= 0; c = s->under[c]) press[c] += force;
}

/* With the dimension as a constant, so that the loops over it are none. */
INLINE void plane_springs(const cps_system *s, int dim, const workspace *k, const double *q, const double *v,
                          double *damping) {
  for (int i = 0; i < s->n_plane; i++) {
    const plane_spring *g = &s->plane[i];
    double n[3] = {0}, w[3] = {0}, length = span_of(g, dim, q, v, n, w);
    double e = length - g->length, e_t = dot(n, w, dim), f = tension(g->k, g->d, g->tension_only, e, e_t);
    for (int side = 0; side < 2; side++) {
      const plane_end *p = &g->end[side];
      double pull = side == 0 ? f : -f;
      for (int j = 0; j < dim && p->n > 1; j++) k->force[p->c[j]] += pull * n[j];
      if (p->n != 1) continue;
      k->force[p->c[0]] += pull * dot(n, p->along[0], dim);
      press_on(s, k->press, p->c[0], -pull * dot(n, p->up, dim));
    }
    k->spring[g->index] = f;
    k->spring_e[g->index] = e;
    *damping += (f - elastic_part(g->k, g->tension_only, e)) * e_t;
  }
}

void cps_forces_apply(const cps_system *s, const workspace *k, double t, const double *q, const double *v,
                      double *load_power, double *damping) {
  memcpy(k->force, s->weight, (size_t)s->nx * sizeof(double));
  if (s->presses || s->n_plane) memset(k->press, 0, (size_t)s->nx * sizeof(double));
  *load_power = *damping = 0;
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *l = &s->loads[i];
    double f = cps_profile_now(l->force, t, k->inputs).y;
    for (int d = 0; d < s->dim; d++) {
      k->force[l->c[d]] += f * l->u[d];
      *load_power += f * l->u[d] * v[l->c[d]];
    }
    if (l->press != 0) press_on(s, k->press, l->c[0], f * l->press);
  }
  line_springs(s, k, q, v, damping);
  if (s->dim == 2) plane_springs(s, 2, k, q, v, damping);
  if (s->dim == 3) plane_springs(s, 3, k, q, v, damping);
}

/* ------------------------------------------------------------------ tangents */

void cps_line_tangents(const cps_system *s, const double *q, const double *v, double *stiffness,
                       double *damping) {
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    int pulls = 1;
    if (g->tension_only) {
      double e = g->sb * q[g->b] - g->sa * q[g->a] - g->rest, e_t = g->sb * v[g->b] - g->sa * v[g->a];
      pulls = e > 0 && g->k * e + g->d * e_t >= 0;
    }
    stiffness[i] = pulls ? g->k : 0;
    damping[i] = pulls ? g->d : 0;
  }
}

double cps_spring_span(const cps_system *s, const plane_spring *g, const double *q, const double *v,
                       double *n, double *w) {
  return span_of(g, s->dim, q, v, n, w);
}

int cps_plane_coordinates(const cps_system *s, const plane_spring *g, int *c) {
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < s->dim; k++) c[s->dim * side + k] = g->end[side].c[k];
  return 2 * s->dim;
}

void cps_plane_tangents(const cps_system *s, const double *q, const double *v, plane_tangent *all) {
  const int dim = s->dim;
  for (int i = 0; i < s->n_plane; i++) {
    const plane_spring *g = &s->plane[i];
    plane_tangent *out = &all[i];
    double n[3] = {0}, w[3] = {0}, across[3] = {0}, T[3][3] = {{0}}, D[3][3] = {{0}};
    memset(out, 0, sizeof *out);
    double length = span_of(g, dim, q, v, n, w);
    if (!(length > 0)) continue;
    double e = length - g->length, e_t = dot(n, w, dim), f = g->k * e + g->d * e_t;
    if (g->tension_only && (e <= 0 || f < 0)) continue;
    for (int d = 0; d < dim; d++) across[d] = (w[d] - e_t * n[d]) / length; /* P w */
    for (int j = 0; j < dim; j++) {
      for (int m = 0; m < dim; m++) {
        T[j][m] = n[j] * (g->k * n[m] + g->d * across[m]) + f / length * ((j == m) - n[j] * n[m]);
        D[j][m] = g->d * n[j] * n[m];
      }
    }
    for (int m = 0; m < 2 * dim; m++) { /* dr = sum of along dq, with the sign of the end */
      const double *by = g->end[m / dim].along[m % dim];
      double sign = m < dim ? -1 : 1, t[3] = {0}, d[3] = {0};
      for (int j = 0; j < dim; j++) {
        t[j] = sign * dot(T[j], by, dim);
        d[j] = sign * dot(D[j], by, dim);
      }
      for (int j = 0; j < 2 * dim; j++) {
        const double *of = g->end[j / dim].along[j % dim];
        out->q[j][m] = (j < dim ? -1 : 1) * dot(of, t, dim);
        out->v[j][m] = (j < dim ? -1 : 1) * dot(of, d, dim);
      }
      for (int side = 0; side < 2; side++) {
        out->press_q[side][m] = (side == 0 ? -1 : 1) * dot(g->end[side].up, t, dim);
        out->press_v[side][m] = (side == 0 ? -1 : 1) * dot(g->end[side].up, d, dim);
      }
    }
  }
}

static void line_slope(const line_spring *g, const double *q, const double *v, spring_slope *out) {
  *out = (spring_slope){.n = 2, .c = {g->a, g->b}, .e_q = {-g->sa, g->sb}, .k = g->k, .d = g->d};
  out->e = g->sb * q[g->b] - g->sa * q[g->a] - g->rest;
  out->e_t = g->sb * v[g->b] - g->sa * v[g->a];
}

static void plane_slope(const cps_system *s, const plane_spring *g, const double *q, const double *v,
                        spring_slope *out) {
  *out = (spring_slope){.k = g->k, .d = g->d};
  out->n = cps_plane_coordinates(s, g, out->c);
  int dim = s->dim;
  double n[3] = {0}, w[3] = {0}, length = 0;
  for (int j = 0; j < dim; j++) {
    n[j] = g->end[1].base[j] - g->end[0].base[j];
    for (int m = 0; m < out->n; m++) {
      double by = (m < dim ? -1 : 1) * g->end[m / dim].along[m % dim][j];
      n[j] += q[out->c[m]] * by;
      w[j] += v[out->c[m]] * by;
    }
    length = hypot(length, n[j]);
  }
  if (!(length > 0)) return;
  for (int j = 0; j < dim; j++) {
    n[j] /= length;
    out->e_t += n[j] * w[j];
  }
  out->e = length - g->length;
  for (int m = 0; m < out->n; m++) {
    for (int j = 0; j < dim; j++) {
      double by = (m < dim ? -1 : 1) * g->end[m / dim].along[m % dim][j];
      out->e_q[m] += n[j] * by;
      out->et_q[m] += (w[j] - out->e_t * n[j]) / length * by;
    }
  }
}

void cps_spring_slopes(const cps_system *s, const double *q, const double *v, spring_slope *all) {
  for (int i = 0; i < s->n_line + s->n_plane; i++) {
    const plane_spring *g = i < s->n_line ? NULL : &s->plane[i - s->n_line];
    int only = g ? g->tension_only : s->line[i].tension_only;
    spring_slope *out = &all[g ? g->index : s->line[i].index];
    if (g)
      plane_slope(s, g, q, v, out);
    else
      line_slope(&s->line[i], q, v, out);
    double f = out->k * out->e + out->d * out->e_t;
    out->pulls = !only || (out->e > 0 && f >= 0);
    out->stretched = !only || out->e > 0;
    out->tension = out->pulls ? f : 0;
    out->elastic = out->stretched ? out->k * out->e : 0;
  }
}

/* ------------------------------------------------------------------ normal forces */

double cps_contact_normal(const workspace *k, const contact *c, double t) {
  if (c->constant == c->constant && !k->hangs) return c->constant;
  double n = c->normal == NORMAL_GIVEN
                 ? cps_profile_now(c->given, t, k->inputs).y
                 : c->weight + k->hung[c->a] + (c->normal == NORMAL_LOAD ? k->press[c->a] : 0);
  return n > 0 ? n : 0;
}

int cps_rests_on(const cps_system *s, int q, int lower) {
  while (q >= 0 && q != lower) q = s->under[q];
  return q == lower;
}

/* ------------------------------------------------------------------ energy and work */

void cps_bodies_store(const cps_system *s, const workspace *k, const double *q, const double *v,
                      cps_energy *energy) {
  double kinetic = 0, elastic = 0, gravity = 0;
  for (int i = 0; i < s->nd; i++) {
    kinetic += s->mass[i] * v[i] * v[i] / 2;
    gravity -= s->weight[i] * q[i];
  }
  for (int i = 0; i < s->scenario->n_springs; i++) {
    const scenario_spring *g = &s->scenario->springs[i];
    elastic += elastic_part(g->stiffness, g->tension_only, k->spring_e[i]) * k->spring_e[i] / 2;
  }
  energy->kinetic = kinetic;
  energy->elastic = elastic;
  energy->gravity = gravity;
}

/* Force of damping in spring i at the last evaluation. */
static double damper(const cps_system *s, const workspace *k, int i) {
  const scenario_spring *g = &s->scenario->springs[i];
  return k->spring[i] - elastic_part(g->stiffness, g->tension_only, k->spring_e[i]);
}

/* Force on coordinate i of a surface, contacts included, is in drive[i] afterwards. */
static void find_drives(const cps_system *s, const workspace *k, const double *f, double *drive) {
  memcpy(drive, k->force, (size_t)s->nx * sizeof(double));
  for (int i = 0; i < s->nc; i++) drive[s->contacts[i].b] -= s->contacts[i].sb * f[i];
}

void cps_work_begin(const cps_system *s, const workspace *k, double t, work_start *start) {
  for (int i = 0; i < s->scenario->n_springs; i++) {
    start->extension[i] = k->spring_e[i];
    start->damper[i] = damper(s, k, i);
  }
  for (int i = 0; i < s->n_loads; i++) start->load[i] = cps_profile_now(s->loads[i].force, t, k->inputs).y;
  if (s->ns > 0) find_drives(s, k, start->f, start->drive);
}

void cps_work_add(const cps_system *s, const workspace *k, double t, const double *q, const double *f,
                  const work_start *start, double *drive, double *w) {
  const double *q0 = start->q;
  double damping = 0, loads = 0, motion = 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    double slide = q[c->a] - q0[c->a] - c->sb * (q[c->b] - q0[c->b]);
    w[i] -= 0.5 * (start->f[i] + f[i]) * slide;
  }
  for (int i = 0; i < s->scenario->n_springs; i++)
    damping += 0.5 * (damper(s, k, i) + start->damper[i]) * (k->spring_e[i] - start->extension[i]);
  for (int i = 0; i < s->n_loads; i++) {
    const body_load *l = &s->loads[i];
    double way = 0;
    for (int d = 0; d < s->dim; d++) way += l->u[d] * (q[l->c[d]] - q0[l->c[d]]);
    loads += 0.5 * (cps_profile_now(l->force, t, k->inputs).y + start->load[i]) * way;
  }
  if (s->ns > 0) {
    find_drives(s, k, f, drive);
    for (int i = s->nd; i < s->nx; i++) motion -= 0.5 * (drive[i] + start->drive[i]) * (q[i] - q0[i]);
  }
  w[s->nc] += damping;
  w[s->nc + 1] += loads;
  w[s->nc + 2] += motion;
}
