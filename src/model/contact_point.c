/* contact_point.c - a point of a cable on a drum: search, normal force, friction, and their exact derivatives.
 *
 * With rho = r - center without its part along the axis, n = rho/|rho| points outwards and t = axis x n along the
 * rim. Depth is R - |rho|; the drum pushes with N(depth, its rate) n and rubs with f t, in space also along the
 * axis. Sliding velocity v = t.(r_t - center_t) - R w, its rate r_s = t.(r_tt - center_tt) - R w_t. With dr the
 * variation of r,
 *
 *   dn = (t.dr/|rho|) t,   dt = -(t.dr/|rho|) n,   d(depth) = -n.dr.
 *
 * Friction that knows the balance force solves f = F(v, e, N) with e = f - m r_s, consistent with the contacts
 * that slip (Quinn 2004, 3.3). Any scale c may stand for m in the argument that decides between stick and slip as
 * long as what sticks obeys the same r_s + k v = 0, k = (viscous slope)/m. For laws with a kink c comes from the
 * iteration matrix, so that the decision is not lost in the linearisation error of mu N(depth); smooth laws keep
 * m. Laws that jump at rest are set-valued there: the point sticks, v = 0, while f - c v is within what is held.
 *
 * In space friction is a vector in the tangent plane: laws act along the direction of their argument; laws with
 * memory act along both directions separately.
 */
#include "contact_place.h"
#include "law_guess.h"

#include <math.h>
#include <string.h>

INLINE double dot(const double *a, const double *b, int dim) {
  double s = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? s + a[2] * b[2] : s;
}

/* ------------------------------------------------------------------ laws */

static int mode_named(const cps_law *law, const char *name) {
  for (int i = 0; law->modes && i < law->n_modes; i++)
    if (strcmp(law->modes[i], name) == 0) return i;
  return CPS_MODE_FREE;
}

/* Where friction falls with velocity: the steepest df/dv per unit of normal force. */
static double steepest_rise(const cps_law *law, const double *p, double v_scale) {
  double most = 0;
  for (int i = -60; i <= 120; i++) {
    cps_law_input in = {v_scale * pow(10, i / 30.0), 1, 0, NULL, CPS_MODE_FREE};
    cps_law_output out;
    cps_law_jacobian jac;
    cps_law_eval(law, p, &in, &out, &jac);
    most = fmax(most, jac.f.v);
  }
  return most;
}

void cps_contact_law_set(contact_law *l, const cps_normal *normal, const double *normal_p, const cps_law *law,
                         const double *p) {
  memset(l, 0, sizeof *l);
  l->normal = normal;
  l->law = law;
  memcpy(l->normal_p, normal_p, (size_t)normal->n_params * sizeof(double));
  memcpy(l->p, p, (size_t)law->n_params * sizeof(double));
  l->slip[0] = mode_named(law, "slip forward");
  l->slip[1] = mode_named(law, "slip backward");
  l->drags = law->n_states && law->traits & CPS_CREEPS;
  l->walks = law->n_states && law->n_modes && (law->slide || !(law->traits & CPS_SNAPS));
  if (law->n_states)
    l->kind = LAW_MEMORY;
  else if (law->n_modes)
    l->kind = LAW_JUMP;
  else if (!(law->traits & CPS_NEEDS_FEQ))
    l->kind = LAW_VELOCITY;
  else
    l->kind = law->traits & CPS_SMOOTH ? LAW_BALANCE : LAW_KINK;
  cps_law_scale one, two;
  cps_law_scales(law, p, 1, &one);
  cps_law_scales(law, p, 2, &two);
  l->hold = fabs(two.f_stick - 2 * one.f_stick) <= 1e-12 * two.f_stick ? one.f_stick : -1;
  l->most = INFINITY;
  if ((l->kind == LAW_MEMORY || l->kind == LAW_BALANCE) && !(law->traits & CPS_UNBOUNDED) &&
      fabs(two.f_peak - 2 * one.f_peak) <= 1e-12 * two.f_peak)
    l->most = one.f_peak;
  if (l->kind == LAW_VELOCITY) l->rise = steepest_rise(law, p, one.v_scale);
  if (l->kind != LAW_BALANCE && l->kind != LAW_KINK) return;
  cps_law_input in = {0, 1, 0, NULL, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_eval(law, p, &in, &out, &jac);
  l->viscous = -jac.f.v;
}

double cps_friction_holds(const contact_law *l, double n) {
  if (l->hold >= 0) return l->hold * n;
  cps_law_scale scale;
  cps_law_scales(l->law, l->p, n, &scale);
  return scale.f_stick;
}

double cps_friction_holds_per(const contact_law *l, double n) {
  const double step = 1e-5; /* of laws that are not in proportion to it, by differences */
  if (l->hold >= 0 || !(n > 0)) return fmax(l->hold, 0);
  return (cps_friction_holds(l, n * (1 + step)) - cps_friction_holds(l, n * (1 - step))) / (2 * step * n);
}

/* With states: the path of the law through the step. */
static law_response respond_memory(const contact_law *l, double v, double n, double e, int mode, double *z,
                                   const double *z_star, double *z_t, double z_s, int *mode1) {
  memory_path path;
  recall_row f, rows[CPS_MAX_STATES];
  if (l->law->step) {
    cps_law_input in = {v, n, e, z_star, CPS_MODE_FREE};
    cps_law_step x;
    cps_law_implicit_step(l->law, l->p, &in, z_s, &x);
    z[0] = x.z;
    z_t[0] = x.z_t;
    return (law_response){x.f, x.f_v, x.f_n, 0};
  }
  size_t states = (size_t)l->law->n_states;
  cps_memory_advance(l, v, n, e, mode, z, z_star, z_s, &path);
  const memory_piece *last = &path.piece[path.n - 1];
  memcpy(z, last->z, states * sizeof *z);
  if (mode1 && z_s > 0) *mode1 = path.mode; /* an instant changes none */
  if (path.n > 1 || path.slid) {
    for (size_t i = 0; i < states; i++) z_t[i] = (z[i] - z_star[i]) / z_s;
  } else {
    cps_law_input in = {v, n, e, z, last->mode};
    cps_law_output out;
    cps_law_eval(l->law, l->p, &in, &out, NULL);
    memcpy(z_t, out.z_t, states * sizeof *z_t);
  }
  double force = cps_memory_rows_of(l, v, n, e, &path, 0, &f, rows, NULL);
  return (law_response){path.solved ? force : NAN, f.v, f.n, f.e}; /* the step is then rejected */
}

law_response cps_law_respond(const contact_law *l, double v, double n, double e, int mode, double *z,
                             const double *z_star, double *z_t, double z_s, int *mode1) {
  if (l->law->n_states) return respond_memory(l, v, n, e, mode, z, z_star, z_t, z_s, mode1);
  cps_law_input in = {v, n, e, z, mode};
  cps_law_output out;
  cps_law_jacobian jac;
  if (l->law->n_modes) {
    cps_law_eval(l->law, l->p, &in, &out, &jac);
  } else { /* what cps_law_eval checks is known here: the load is not negative, and there is no mode to choose */
    jac.f.v = jac.f.n = jac.f.f_eq = 0;
    l->law->eval(l->law, l->p, &in, &out, &jac);
  }
  return (law_response){out.f, jac.f.v, jac.f.n, jac.f.f_eq};
}

/* ------------------------------------------------------------------ search */

double cps_drum_gap(const machine *m, int k, const double *r) {
  const drum *g = &m->drum[k];
  double rho[3] = {0}, along = 0;
  for (int d = 0; d < m->dim; d++) rho[d] = r[d] - g->center[d];
  if (m->dim == 3) along = dot(rho, g->axis, 3);
  for (int d = 0; d < m->dim; d++) rho[d] -= along * g->axis[d];
  return sqrt(dot(rho, rho, m->dim)) - g->radius;
}

int cps_drums_overlap(const machine *m, int i, int k) {
  const double parallel = 0.999;
  const drum *g = &m->drum[i], *h = &m->drum[k];
  double apart[3] = {0}, along = 0, most = g->radius + h->radius;
  for (int d = 0; d < m->dim; d++) apart[d] = g->center[d] - h->center[d];
  if (m->dim == 3 && fabs(dot(g->axis, h->axis, 3)) < parallel) return 0;
  if (m->dim == 3) along = dot(apart, g->axis, 3);
  for (int d = 0; d < m->dim; d++) apart[d] -= along * g->axis[d];
  return dot(apart, apart, m->dim) < most * most;
}

/* The drum of the i-th point of a cable when the step started; -1: none. */
static int touched(const cable *c, int i) {
  int n = c->n_points;
  if (c->of->closed) i = (i % n + n) % n;
  return i >= 0 && i < n ? c->point[i].drum0 : -1;
}

/* Of the drums that share their room with drum k - sheaves on one axle, as they are drawn - the one that the cable touches
 * nearest along it, or k. */
static int along_cable(const machine *m, const cable *c, const contact_point *p, int k) {
  int at = (int)(p - c->point);
  for (int away = 0; away < c->n_points; away++)
    for (int side = 0; side < 2; side++) {
      int on = touched(c, side ? at - away : at + away);
      if (on >= 0 && (on == k || cps_drums_overlap(m, on, k))) return on;
    }
  return p->near >= 0 && cps_drums_overlap(m, p->near, k) ? p->near : k;
}

/* Whether a point may come to lie on drum k, through which the cable's way runs in other places, too: it lies on it, or next to those that
 * do. */
static int beside(const cable *c, const contact_point *p, int k) {
  int at = (int)(p - c->point), n = c->n_points, found[2] = {-1, -1};
  for (int away = 0; away < n && (found[0] < 0 || found[1] < 0); away++)
    for (int side = 0; side < 2; side++)
      if (found[side] < 0) found[side] = touched(c, side ? at - away : at + away);
  if (found[0] == k || found[1] == k) return 1;
  for (int i = 0; i < n; i++)
    if (c->point[i].drum0 == k) return 0;
  return 1;
}

/* The drum whose rim is nearest, and how far the point may go before another could be touched. Where drums share their room it is the
 * cable's way that tells them apart. */
static void find(const machine *m, const cable *c, contact_point *p, const double *r) {
  const double turn =
      0.25; /* of a radius: about as far a point may go with its drum until it is asked again whether it has left it */
  double best = INFINITY, second = INFINITY;
  int n = c->n_drums < 0 ? m->n_drums : c->n_drums, near = -1, shared = 0;
  double asked = INFINITY; /* how far it may go until it is looked for again which drum it may touch */
  for (int i = 0; i < n; i++) {
    int k = c->n_drums < 0 ? i : c->drums[i];
    double gap = cps_drum_gap(m, k, r);
    if (!(gap < best)) continue;
    if (c->crossed[k] && !beside(c, p, k))
      asked = fmin(asked, fmax(gap / 2, turn * m->drum[k].radius));
    else
      best = gap, near = k;
  }
  for (int i = 0; i < n; i++) {
    int k = c->n_drums < 0 ? i : c->drums[i];
    if (k == near || near < 0) continue;
    if (cps_drums_overlap(m, k, near))
      shared = 1;
    else
      second = fmin(second, cps_drum_gap(m, k, r));
  }
  p->near = near >= 0 && shared ? along_cable(m, c, p, near) : near;
  /* Half way to the second one, and never further than where both would be touched. */
  p->clear = fmax(0, (second - fmax(best, 0)) / 2);
  if (shared) {
    double gap = cps_drum_gap(m, p->near, r);
    asked = fmin(asked, gap > 0 ? gap / 2 : turn * m->drum[p->near].radius);
  }
  p->clear = fmin(p->clear, asked);
  for (int d = 0; d < m->dim; d++) p->seen[d] = r[d];
  p->travel = m->travel;
}

/* ------------------------------------------------------------------ friction */

/* d(x d)/dy for a force x(y.d, ...) along d = u/|u|: helper that adds x/|u| (1 - d d') times du/dy. */
INLINE void turning(double x, const double *d, double size, int axes, double out[AXES][AXES]) {
  if (axes == 1) { /* a direction that cannot turn */
    out[0][0] = 0;
    return;
  }
  for (int i = 0; i < axes; i++)
    for (int j = 0; j < axes; j++) out[i][j] = size > 0 ? x / size * ((i == j) - d[i] * d[j]) : 0;
}

INLINE double direction(const double *u, int axes, double *d) {
  if (axes == 1) {
    d[0] = u[0] < 0 ? -1 : 1;
    return fabs(u[0]);
  }
  double size = sqrt(u[0] * u[0] + u[1] * u[1]);
  d[0] = size > 0 ? u[0] / size : 1;
  d[1] = size > 0 ? u[1] / size : 0;
  return size;
}

/* The law has been asked at velocity v and balance force e, and answers along d. */
INLINE void ask(friction *o, double v, double e, const double *d, int axes) {
  o->asked = 1;
  o->at_v = v;
  o->at_e = e;
  for (int i = 0; i < axes; i++) o->dir[i] = d[i];
}

/* The velocity w at which F(w, n) - c w = u, and F there as a function of n and u: what a body of that velocity that is
 * dragged along with c is rubbed with. With c above the steepest rise of F there is one such w; u and w have opposite
 * signs. It is looked for from *at on, which becomes w. States of laws, if there are any, follow w. */
static law_response rub_dragged(const contact_law *l, double n, double c, double u, double *at, double *z,
                                const double *z_star, double *z_t, double z_s) {
  double w = *at;
  double low = u > 0 ? -u / c : 0, high = u > 0 ? 0 : -u / c; /* |F| only makes it slower */
  law_response r;
  if (!(w >= low && w <= high)) w = 0.5 * (low + high);
  for (int it = 0; it < 200; it++) {
    r = cps_law_respond(l, w, n, 0, CPS_MODE_FREE, z, z_star, z_t, z_s, NULL);
    double rest = r.f - c * w - u, next = w - rest / (r.f_v - c);
    if (rest > 0)
      low = w;
    else
      high = w;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(rest) <= 1e-14 * (fabs(u) + fabs(r.f)) || fabs(next - w) <= 1e-15 * fabs(w)) break;
    w = next;
  }
  *at = w;
  double by = 1 / (r.f_v - c); /* dw/du, and -dw/dn over F_n */
  r.f_n -= r.f_v * by * r.f_n;
  r.f_e = r.f_v * by;
  return r;
}

/* f = F(v, n), against v, said as f = F(w, n) with u = f - c v: the same, but where F is steep the unknown is v, and where
 * it is flat f, so that Newton's method does not leap from one side of rest to the other. */
INLINE void rub_velocity(const contact_law *l, const contact_point *p, const slip_motion *s, friction *o) {
  double d[AXES], u[AXES] = {0}, part[AXES][AXES], c = s->scale, v_d = 0;
  for (int i = 0; i < s->axes; i++) u[i] = p->f[i] - c * s->v[i];
  double size = direction(u, s->axes, d);
  for (int i = 0; i < s->axes; i++) v_d += s->v[i] * d[i];
  law_response r = rub_dragged(l, p->n, c, size, &v_d, NULL, NULL, NULL, 0);
  turning(r.f, d, size, s->axes, part);
  ask(o, v_d, 0, d, s->axes);
  for (int i = 0; i < s->axes; i++) {
    o->rest[i] = p->f[i] - r.f * d[i];
    o->by_n[i] = -r.f_n * d[i];
    for (int j = 0; j < s->axes; j++) {
      double by_u = size > 0 ? r.f_e * d[i] * d[j] + part[i][j] : i == j ? r.f_e : 0;
      o->by_f[i][j] = (i == j) - by_u;
      o->by_v[i][j] = c * by_u;
    }
  }
}

/* A smooth law with another scale: e that solves (1 - c/m) F(v, e, n) + (c/m) e = u, and F there as a function of v, n
 * and u. Whatever c is, f = F(v, e, n) with u = f - c r_s says the same as e = f - m r_s; but where F hardly
 * differs from e, the double root of f = F(v, f - m r_s, n), it does so without cancellation. */
static law_response rub_scaled(const contact_law *l, contact_point *p, double v, double u, double part,
                               double *at) {
  double low = -INFINITY, high = INFINITY, e = u; /* bounds of the root, as they become known */
  double n = p->n, limit = p->limit;
  law_response r;
  /* where it was the last time, in relation to what is held, or just beyond that */
  if (fabs(e) > limit) e = copysign(fmin(fabs(u), limit * (p->root > 1 ? p->root : 1 + 1e-3)), u);
  for (int it = 0; it < 60; it++) {
    r = cps_law_respond(l, v, n, e, CPS_MODE_FREE, NULL, NULL, NULL, 0, NULL);
    double rest = (1 - part) * r.f + part * e - u, slope = (1 - part) * r.f_e + part;
    if (rest > 0)
      high = fmin(high, e);
    else
      low = fmax(low, e);
    double next = e - rest / slope;
    if (!(next > low && next < high) && isfinite(low + high)) next = 0.5 * (low + high);
    double change = next - e;
    e = next;
    if (fabs(change) <=
        1e-12 * (fabs(e) + limit)) { /* what is left is the square of that, times a curvature */
      r.f += r.f_e * change;
      break;
    }
  }
  p->root = limit > 0 ? fabs(e) / limit : 0;
  *at = e;
  double inverse = 1 / ((1 - part) * r.f_e + part);
  r.f_v += r.f_e * (part - 1) * r.f_v * inverse;
  r.f_n += r.f_e * (part - 1) * r.f_n * inverse;
  r.f_e *= inverse;
  return r;
}

/* The direction of friction that a guess asks for: sticking contacts keep their own, slipping ones turn to the side of t that
 * was guessed. *size becomes what friction turns about with: at least the radius of the cone. Returns whether d was right. */
INLINE int guessed_direction(const contact_point *p, int axes, double *d, double *size) {
  double side = p->guess == GUESS_BACKWARD ? -1 : 1;
  if (p->guess == GUESS_STICK) return 1;
  if (*size < p->box) *size = p->box;
  if (side * d[0] > 0 || (axes > 1 && fabs(d[1]) > fabs(d[0]))) return 1; /* across t it knows nothing */
  d[0] = side;
  for (int i = 1; i < axes; i++) d[i] = 0;
  return 0;
}

/* The law extended from where the guess lies: the branch of sticking, or that of slipping. */
INLINE law_response rub_guessed(const contact_law *l, const contact_point *p, double v, double e,
                                double creep) {
  if (p->guess == GUESS_STICK)
    return (law_response){e - creep * v, -creep, p->n > 0 ? -creep * v / p->n : 0, 1};
  double at = p->limit * (l->kind == LAW_KINK ? 2 : 1);
  law_response r = cps_law_respond(l, v, p->n, at, CPS_MODE_FREE, NULL, NULL, NULL, 0, NULL);
  r.f_n += p->n > 0 ? r.f_e * at / p->n : 0;
  r.f_e = 0;
  return r;
}

/* f = F(v, e, n) with e = f - c (r_s + k v) + (viscous slope) v. */
INLINE void rub_balance(const contact_law *l, contact_point *p, const slip_motion *s, friction *o) {
  double e[AXES] = {0}, u[AXES] = {0}, d[AXES], v_d = 0, e_d = 0, part = s->scale / p->mass;
  int smooth = l->kind == LAW_BALANCE && part > 1;
  double creep = smooth ? part * s->viscous : s->viscous;
  for (int i = 0; i < s->axes; i++) {
    u[i] = p->f[i] - s->scale * (s->a[i] + s->rate * s->v[i]);
    e[i] = u[i] + creep * s->v[i];
  }
  double size = direction(u, s->axes, d), reach = size, unused;
  law_response r;
  p->wrong = 0;
  int guessed = p->guess != GUESS_NONE;
  if (smooth && size > p->limit && p->guess == (d[0] > 0 ? GUESS_FORWARD : GUESS_BACKWARD)) guessed = 0;
  if (guessed) {
    int right = guessed_direction(p, s->axes, d, &reach);
    if (p->guess == GUESS_STICK ? size > p->limit : !right || size < p->limit)
      p->wrong = fabs(size - p->limit);
  }
  for (int i = 0; i < s->axes; i++) {
    v_d += s->v[i] * d[i];
    e_d += e[i] * d[i];
  }
  if (!guessed || p->guess != GUESS_STICK)
    ask(o, v_d, guessed ? p->limit * (l->kind == LAW_KINK ? 2 : 1) : e_d, d, s->axes);
  if (guessed) {
    r = rub_guessed(l, p, v_d, e_d, creep);
    if (smooth && p->guess != GUESS_STICK)
      p->wrong = fmax(p->wrong, fabs(p->f[0] - d[0] * rub_scaled(l, p, v_d, e_d, part, &unused).f));
  } else if (smooth) {
    r = rub_scaled(l, p, v_d, e_d, part, &o->at_e);
  } else {
    r = cps_law_respond(l, v_d, p->n, e_d, CPS_MODE_FREE, NULL, NULL, NULL, 0, NULL);
  }
  p->guess = GUESS_NONE;
  p->stuck = r.f_e > 0.5;
  double e_v = creep - s->scale * s->rate, e_a = -s->scale, u_v = -s->scale * s->rate, u_a = -s->scale;
  double turn[AXES][AXES], side[AXES] = {0};
  turning(1, d, reach, s->axes, turn);    /* dd = turn du */
  double per_n = p->n > 0 ? 1 / p->n : 0; /* the viscous slope grows with n */
  for (int j = 0; j < s->axes; j++) side[j] = r.f_v * s->v[j] + r.f_e * e[j];
  for (int i = 0; i < s->axes; i++) {
    o->rest[i] = p->f[i] - r.f * d[i];
    o->by_n[i] = -(r.f_n + r.f_e * e_v * v_d * per_n) * d[i];
    for (int j = 0; j < s->axes; j++) {
      /* dF = d (f_v d.dv + f_e d.de + side.dd) + f dd */
      double dd = r.f * turn[i][j];
      for (int k = 0; k < s->axes && s->axes > 1; k++) dd += d[i] * side[k] * turn[k][j];
      double along = d[i] * d[j];
      o->by_f[i][j] = (i == j) - (along * r.f_e + dd);
      o->by_v[i][j] = -(along * (r.f_v + r.f_e * e_v) + dd * u_v);
      o->by_a[i][j] = -(along * r.f_e * e_a + dd * u_a);
      o->by_n[i] -= dd * u_v * s->v[j] * per_n;
    }
  }
}

/* Westin's reading: f = F(v, e, n), where e = f - pull is what friction would be if all contacts stuck. */
void cps_friction_all_stick(const contact_law *l, contact_point *p, const double *pull, const slip_motion *s,
                            friction *o) {
  double e[AXES] = {0}, u[AXES] = {0}, d[AXES], turn[AXES][AXES], side[AXES] = {0}, v_d = 0, e_d = 0;
  for (int i = 0; i < s->axes; i++) {
    e[i] = p->f[i] - pull[i];
    u[i] = e[i] - s->viscous * s->v[i];
  }
  double size = direction(u, s->axes, d), per_n = p->n > 0 ? 1 / p->n : 0;
  turning(1, d, size, s->axes, turn); /* dd = turn du */
  for (int i = 0; i < s->axes; i++) {
    v_d += s->v[i] * d[i];
    e_d += e[i] * d[i];
  }
  law_response r = cps_law_respond(l, v_d, p->n, e_d, CPS_MODE_FREE, NULL, NULL, NULL, 0, NULL);
  memset(o, 0, sizeof *o);
  ask(o, v_d, e_d, d, s->axes);
  p->wrong = 0;
  p->guess = GUESS_NONE;
  p->stuck = r.f_e > 0.5;
  for (int j = 0; j < s->axes; j++) side[j] = r.f_v * s->v[j] + r.f_e * e[j];
  for (int i = 0; i < s->axes; i++) {
    o->rest[i] = p->f[i] - r.f * d[i];
    o->by_n[i] = -r.f_n * d[i];
    for (int j = 0; j < s->axes; j++) {
      double dd = r.f * turn[i][j], along = d[i] * d[j];
      for (int k = 0; k < s->axes && s->axes > 1; k++) dd += d[i] * side[k] * turn[k][j];
      o->by_f[i][j] = (i == j) - (along * r.f_e + dd);
      o->by_v[i][j] = -along * r.f_v + dd * s->viscous;
      o->by_n[i] += dd * s->viscous * s->v[j] * per_n; /* the viscous slope grows with n */
    }
  }
}

/* v = 0 while f - c v is within what is held; what slid before is held by sliding friction only. */
INLINE void rub_jump(const contact_law *l, contact_point *p, const slip_motion *s, friction *o) {
  double u[AXES] = {0}, d[AXES], speed = 0;
  for (int i = 0; i < s->axes; i++) u[i] = p->f[i] - s->scale * s->v[i];
  double size = direction(u, s->axes, d);
  for (int i = 0; i < s->axes; i++) speed -= s->v[i] * d[i];
  int moves = speed > 0;
  /* Sliding backward is answered by a force forward: along d. */
  law_response r = cps_law_respond(l, moves ? -speed : 0, p->n, size, l->slip[1], NULL, NULL, NULL, 0, NULL);
  p->box = p->slid ? r.f : p->limit;
  int sticks = size <= p->box;
  p->wrong = 0;
  if (p->guess != GUESS_NONE) {
    double off = fabs(size - p->box);
    int right = guessed_direction(p, s->axes, d, &size);
    if (sticks != (p->guess == GUESS_STICK) || (!sticks && !right)) p->wrong = off;
    sticks = p->guess == GUESS_STICK;
  }
  p->guess = GUESS_NONE;
  /* Once loose, friction falls to what slides, and what is held in the same step is held by that: otherwise a point
   * between the two levels would catch and let go for ever. */
  if (!sticks && p->held && p->flips < 2) p->flips++;
  if (p->flips > 1) p->slid = 1;
  p->held = sticks != 0;
  if (sticks) {
    p->stuck = 1;
    for (int i = 0; i < s->axes; i++) {
      o->rest[i] = s->scale * s->v[i];
      o->by_v[i][i] = s->scale;
    }
    return;
  }
  p->stuck = 0;
  double part[AXES][AXES];
  turning(r.f, d, size, s->axes, part);
  ask(o, moves ? -speed : 0, size, d, s->axes);
  for (int i = 0; i < s->axes; i++) {
    o->rest[i] = p->f[i] - r.f * d[i];
    o->by_n[i] = -r.f_n * d[i];
    for (int j = 0; j < s->axes; j++) {
      o->by_f[i][j] = (i == j) - part[i][j];
      o->by_v[i][j] = (moves ? -r.f_v * d[i] * d[j] : 0) + part[i][j] * s->scale;
    }
  }
}

/* Where the law's curve meets the line f - c v = u through the present point. Where F falls with v there is one
 * such place, and the equation f = F there says the same as f = F(v); but its derivatives are those of a curve that is
 * nowhere steep, and a bristle that turns round within a tenth of a millimetre per second does not throw Newton's
 * method from one side of it to the other. Where F rises or jumps the law is taken at v itself, and *c becomes 0. */
static law_response rub_meet(const contact_law *l, const contact_point *p, contact_memory *y, int i, double v,
                             double e, double z_s, double *c) {
  double low = -INFINITY, high = INFINITY, at = v, u = p->f[i] - *c * v;
  law_response r = {0};
  int met = 0;
  for (int it = 0; it < 60; it++) {
    r = cps_law_respond(l, at, p->n, e, p->mode[i], y->z[i], y->z_star[i], y->z_t[i], z_s, &y->mode1[i]);
    if (it == 0 && r.f_v > 0) break;
    double rest = r.f - *c * at - u;
    met = fabs(rest) <= 1e-12 * (p->limit + fabs(u));
    if (met) break;
    *(rest > 0 ? &low : &high) = at;
    double next = at - rest / (fmin(r.f_v, 0) - *c);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(next > low && next < high)) break;
    at = next;
  }
  if (!met || !(r.f_v <= 0)) {
    *c = 0;
    return cps_law_respond(l, v, p->n, e, p->mode[i], y->z[i], y->z_star[i], y->z_t[i], z_s, &y->mode1[i]);
  }
  double by = *c / (*c - r.f_v);
  r.f_v *= by;
  r.f_n *= by;
  return r;
}

/* Along t the tangent of the law at the velocity that is guessed. How far off the guess was is what friction lacks at v itself. */
static void rub_looked(const contact_law *l, contact_point *p, contact_memory *y, const slip_motion *s,
                       double z_s, friction *o) {
  cps_law_step here, there;
  cps_law_input in = {s->v[0], p->n, 0, y->z_star[0], CPS_MODE_FREE};
  cps_law_implicit_step(l->law, l->p, &in, z_s, &here);
  in.v = p->root;
  cps_law_implicit_step(l->law, l->p, &in, z_s, &there);
  y->z[0][0] = here.z;
  y->z_t[0][0] = here.z_t;
  o->rest[0] = p->f[0] - there.f - there.f_v * (s->v[0] - p->root);
  o->by_f[0][0] = 1;
  o->by_v[0][0] = -there.f_v;
  o->by_n[0] = -there.f_n;
  p->wrong = fabs(p->f[0] - here.f);
}

static void rub_memory(const contact_law *l, contact_point *p, contact_memory *y, const slip_motion *s,
                       double z_s, friction *o) {
  for (int i = 0; i < s->axes && l->drags; i++) { /* from rest on: F rises ever more slowly */
    double from = 0;
    law_response r = rub_dragged(l, p->n, s->scale, p->f[i] - s->scale * s->v[i], &from, y->z[i],
                                 y->z_star[i], y->z_t[i], z_s);
    o->rest[i] = p->f[i] - r.f;
    o->by_f[i][i] = 1 - r.f_e;
    o->by_v[i][i] = s->scale * r.f_e;
    o->by_n[i] = -r.f_n;
  }
  int meets = s->steep[0] > 0 && (l->law->n_states == 1 || l->walks) && !(l->law->traits & CPS_NEEDS_FEQ);
  int looks = p->guess == GUESS_LOOK;
  p->guess = GUESS_NONE;
  p->wrong = 0;
  for (int i = 0; i < s->axes && !l->drags; i++) {
    double e = p->f[i] - s->scale * s->a[i], c = s->steep[i];
    if (looks && i == 0) {
      rub_looked(l, p, y, s, z_s, o);
      continue;
    }
    law_response r = meets ? rub_meet(l, p, y, i, s->v[i], e, z_s, &c)
                           : cps_law_respond(l, s->v[i], p->n, e, p->mode[i], y->z[i], y->z_star[i],
                                             y->z_t[i], z_s, &y->mode1[i]);
    o->rest[i] = p->f[i] - r.f;
    o->by_f[i][i] = meets && c > 0 ? 1 + r.f_v / c : 1 - r.f_e;
    o->by_v[i][i] = -r.f_v;
    o->by_a[i][i] = r.f_e * s->scale;
    o->by_n[i] = -r.f_n;
  }
}

INLINE void rub_any(const contact_law *l, contact_point *p, contact_memory *y, const slip_motion *s,
                    double z_s, friction *o) {
  o->asked = 0;
  for (int i = 0; i < s->axes; i++) {
    o->rest[i] = o->by_n[i] = 0;
    for (int j = 0; j < s->axes; j++) o->by_f[i][j] = o->by_v[i][j] = o->by_a[i][j] = 0;
  }
  if (l->kind == LAW_KINK || l->kind == LAW_BALANCE)
    rub_balance(l, p, s, o);
  else if (l->kind == LAW_VELOCITY)
    rub_velocity(l, p, s, o);
  else if (l->kind == LAW_JUMP)
    rub_jump(l, p, s, o);
  else
    rub_memory(l, p, y, s, z_s, o);
  if (l->kind == LAW_VELOCITY || l->kind == LAW_MEMORY)
    p->stuck = fabs(p->f[0]) + fabs(p->f[1]) < p->limit * (1 - 1e-9);
}

void cps_friction_eval(const contact_law *l, contact_point *p, contact_memory *y, const slip_motion *s,
                       double z_s, friction *out) {
  rub_any(l, p, y, s, z_s, out);
}

void cps_friction_found(const contact_law *l, contact_point *p, const slip_motion *s, friction *out) {
  int stuck = p->stuck, jumps = l->kind == LAW_JUMP, clamps = l->kind == LAW_KINK;
  double push = p->f[0] - s->scale * (jumps ? s->v[0] : s->a[0] + s->rate * s->v[0]);
  int side = push > 0 ? GUESS_FORWARD : GUESS_BACKWARD;
  p->limit = p->box = cps_friction_holds(l, p->n);
  p->slid = 1;
  p->guess = stuck && (clamps || jumps) ? GUESS_STICK : jumps ? side : GUESS_NONE;
  rub_any(l, p, NULL, s, 0, out);
  if (clamps && !stuck && p->stuck) { /* by a hair: it slips */
    p->guess = side;
    rub_any(l, p, NULL, s, 0, out);
  }
  p->stuck = stuck;
}

/* By what Newton's forms of the equation are in proportion to: that with c in place of m has part/((1 - part) F_e + part) of the law's
 * own derivatives, that of a dragged body c/(c - F_v). The mass enters e = f - m r_s, or for a clamp, whose scale c does not
 * follow it, k = viscous N/m. */
void cps_friction_numbers(const contact_law *l, const contact_point *p, const slip_motion *s,
                          const friction *y, friction_numbers *out) {
  memset(out, 0, sizeof *out);
  if (y->asked) {
    double of = 1, part = s->scale / p->mass;
    cps_law_input in = {y->at_v, p->n, y->at_e, NULL, l->kind == LAW_JUMP ? l->slip[1] : CPS_MODE_FREE};
    cps_law_output law;
    cps_law_jacobian jac;
    cps_law_eval(l->law, l->p, &in, &law, &jac);
    if (l->kind == LAW_VELOCITY) of = s->scale / (s->scale - jac.f.v);
    if (l->kind == LAW_BALANCE && part > 1) of = part / ((1 - part) * jac.f.f_eq + part);
    for (int i = 0; i < s->axes; i++)
      for (int k = 0; k < l->law->n_params; k++) out->law[i][k] = -of * jac.f.p[k] * y->dir[i];
  }
  if (l->kind != LAW_BALANCE && l->kind != LAW_KINK) return;
  int clamps = l->kind == LAW_KINK;
  double v_d = 0;
  for (int i = 0; i < s->axes && !clamps; i++) v_d += s->v[i] * y->dir[i];
  for (int i = 0; i < s->axes; i++)
    for (int j = 0; j < s->axes; j++) {
      double by_a = y->by_a[i][j] / p->mass, across = clamps ? s->v[j] : s->v[j] - v_d * y->dir[j];
      out->mass[i] += by_a * (clamps ? -s->rate * s->v[j] : s->a[j]);
      out->viscous[i] += by_a * across * p->n;
    }
}

/* Bristles give, and want a steeper line than what jumps: measured on an elevator without any damping, where half of this
 * or twice as much costs ten times as many steps that fail. */
static const double MEMORY_PART = 8;

/* The part of the matrix along a direction. */
INLINE double along(const double *stiff, int stride, const double *t, int dim) {
  double k = 0;
  for (int d = 0; d < dim; d++)
    for (int e = 0; e < dim; e++) k += t[d] * stiff[d * stride + e] * t[e];
  return k;
}

/* The scale of the balance force, see above; `stiff` is the diagonal block of the iteration matrix. */
INLINE void set_scale(const machine *m, const cable *c, contact_point *p, const double *t, const double *axis,
                      const double *stiff, int stride, const step_coeffs *coeffs, slip_motion *s) {
  const contact_law *l = &c->contact;
  s->scale = p->mass;
  s->viscous = l->viscous * p->n;
  s->rate = s->viscous / p->mass;
  int meets = l->kind == LAW_MEMORY && !l->drags;
  if (meets && !(coeffs->v_a > 0)) return;
  if (c->frozen) {
    if (meets)
      memcpy(s->steep, p->scale, sizeof s->steep);
    else
      s->scale = p->scale[0];
    return;
  }
  double part = c->n <= 160 ? 0.01 : 1.6 / c->n;
  if (meets) {
    double by = MEMORY_PART * part * coeffs->q_a / coeffs->v_a;
    p->scale[0] = s->steep[0] = by * along(stiff, stride, t, m->dim);
    if (m->dim == 3) p->scale[1] = s->steep[1] = by * along(stiff, stride, axis, 3);
    return;
  }
  double k = along(stiff, stride, t, m->dim);
  if (l->kind == LAW_JUMP || l->kind == LAW_VELOCITY || l->drags)
    s->scale = part * k * coeffs->q_a / coeffs->v_a;
  else
    s->scale = part * k * coeffs->q_a / (1 + s->rate * coeffs->v_a);
  if ((l->kind == LAW_KINK || l->kind == LAW_BALANCE) && !(s->scale > p->mass)) s->scale = p->mass;
  if (l->kind == LAW_VELOCITY) s->scale = fmax(s->scale, 2 * l->rise * p->n);
  p->scale[0] = s->scale;
}

/* ------------------------------------------------------------------ a point */

/* A point on the drum, and its velocity and acceleration relative to the centre. */
typedef struct frame {
  contact_place at;
  double along, out, out_a;
} frame;

/* Statics: f = -k creep from where the point started on the rim, up to what is held. */
static void hold(const cable *c, const drum *g, contact_point *p, const double *r, const frame *fr,
                 double bristle, double n_n, double n_t, int dim, contact_response *o) {
  const double *start = c->start[p - c->point];
  int axes = dim - 1;
  double pull[AXES] = {0}, d[AXES], gone[3], inwards = 0;
  for (int j = 0; j < dim; j++) {
    gone[j] = r[j] - start[j] - (g->center[j] - g->start_center[j]);
    inwards += fr->at.n[j] * gone[j];
  }
  for (int i = 0; i < axes; i++)
    for (int j = 0; j < dim; j++) pull[i] -= bristle * o->dir[i][j] * gone[j];
  pull[0] += bristle * g->radius * (g->angle - g->start);
  double size = direction(pull, axes, d), per_n = p->n > 0 ? p->limit / p->n : 0, part[AXES][AXES];
  int gives = size > p->limit;
  turning(p->limit, d, size, axes, part);
  for (int i = 0; i < axes; i++) {
    p->spring[i] = gives ? p->limit * d[i] : pull[i];
    o->rest[i] = p->f[i] - p->spring[i];
    o->rest_f[i][i] = 1;
    o->rest_angle[i] = -bristle * g->radius * (gives ? part[i][0] : i == 0);
    for (int j = 0; j < dim; j++) {
      /* creep also changes as t turns: -(t.dr/rho) n.(r - start) */
      double pull_r[AXES] = {0};
      for (int k = 0; k < axes; k++)
        pull_r[k] = -bristle * (o->dir[k][j] - (k == 0 ? inwards / fr->at.rho * fr->at.t[j] : 0));
      double change = gives ? per_n * d[i] * (n_n * fr->at.n[j] + n_t * fr->at.t[j]) : pull_r[i];
      for (int k = 0; k < axes && gives; k++) change += part[i][k] * pull_r[k];
      o->rest_r[i][j] = -change;
    }
  }
}

INLINE int eval(machine *m, cable *c, contact_point *p, const double *r, const double *v, const double *a,
                const double *stiff, int stride, const step_coeffs *coeffs, contact_response *o,
                const int dim) {
  double gone = 0;
  for (int d = 0; d < dim; d++) gone += (r[d] - p->seen[d]) * (r[d] - p->seen[d]);
  double left = p->clear - (m->travel - p->travel);
  if (!(left >= 0) || gone > left * left) find(m, c, p, r);
  p->drum = -1;
  p->n = p->depth = p->v[0] = p->v[1] = p->limit = 0;
  if (c->memory && coeffs->length > 0) memcpy(c->memory[p - c->point].mode1, p->mode, sizeof p->mode);
  p->stuck = 0;
  int guess = p->guess;
  p->guess = GUESS_NONE; /* of what touches nothing */
  if (p->near < 0) return 0;
  const drum *g = &m->drum[p->near];
  double w[3], b[3];
  frame fr;
  if (!cps_place_in(g, r, dim, &fr.at)) return 0;
  double inverse = 1 / fr.at.rho;
  for (int d = 0; d < dim; d++) {
    w[d] = v[d] - g->center_v[d];
    b[d] = a[d] - g->center_a[d];
  }
  fr.along = dot(fr.at.t, w, dim);
  fr.out = dot(fr.at.n, w, dim);
  fr.out_a = dot(fr.at.n, b, dim);
  cps_normal_output no;
  p->depth = fr.at.depth;
  p->depth_t = -fr.out;
  cps_normal_force(c->contact.normal, c->contact.normal_p, p->depth, p->depth_t, &no);
  double v_q = coeffs->v_a / coeffs->q_a, a_q = 1 / coeffs->q_a;
  double n_n = -p->weight * (no.depth + no.rate * v_q);   /* dN per n.dr */
  double n_t = -p->weight * no.rate * fr.along * inverse; /* dN per t.dr */
  p->drum = p->near;
  p->guess = guess;
  p->stiff = -n_n;
  p->n = p->weight * no.n;
  p->limit = p->box = cps_friction_holds(&c->contact, p->n);
  for (int i = 0; i < dim - 1; i++) {
    o->rest_angle[i] = 0;
    for (int j = 0; j < dim - 1; j++) o->rest_f[i][j] = 0;
  }
  slip_motion s = {.axes = dim - 1};
  for (int d = 0; d < dim; d++) {
    o->dir[0][d] = fr.at.t[d];
    o->dir[1][d] = g->axis[d];
    o->force[d] = p->n * fr.at.n[d] + p->f[0] * fr.at.t[d] + (dim == 3 ? p->f[1] * g->axis[d] : 0);
    for (int e = 0; e < dim; e++)
      o->k[d][e] = -(fr.at.n[d] * (n_n * fr.at.n[e] + n_t * fr.at.t[e]) +
                     p->n * inverse * fr.at.t[d] * fr.at.t[e] - p->f[0] * inverse * fr.at.n[d] * fr.at.t[e]);
  }
  s.v[0] = p->v[0] = fr.along - g->radius * g->rate;
  s.a[0] = dot(fr.at.t, b, dim) - g->radius * g->acceleration;
  if (dim == 3) {
    s.v[1] = p->v[1] = dot(g->axis, w, 3);
    s.a[1] = dot(g->axis, b, 3);
  }
  for (int d = 0; d < dim; d++) p->t[d] = fr.at.t[d];
  if (coeffs->bristle > 0) {
    hold(c, g, p, r, &fr, coeffs->bristle, n_n, n_t, dim, o);
    p->stuck = 1;
    return 1;
  }
  set_scale(m, c, p, fr.at.t, g->axis, stiff, stride, coeffs, &s);
  friction y;
  if (c->all_stick) {
    cps_friction_all_stick(&c->contact, p, c->pull + (p - c->point) * AXES, &s, &y);
    o->slide_t = a_q - fr.out_a * inverse;
    for (int i = 0; i < dim - 1; i++) o->slide_a[i] = s.a[i];
    for (int d = 0; d < dim; d++) o->away[d] = fr.at.n[d] * inverse;
  } else {
    rub_any(&c->contact, p, c->memory ? &c->memory[p - c->point] : NULL, &s,
            cps_memory_time(&c->contact, coeffs), &y);
  }
  for (int d = 0; d < dim; d++) p->t[d] = fr.at.t[d];
  int jumps = c->contact.kind == LAW_JUMP;
  p->slip = jumps ? s.v[0] : s.a[0] + s.rate * s.v[0];
  p->slip_r = jumps ? v_q : a_q + s.rate * v_q;
  /* dv = (v_q - out/rho) t.dr, d(r_s) = (a_q - out_a/rho) t.dr; along the axis without the turning */
  double v_t = v_q - fr.out * inverse, a_t = a_q - fr.out_a * inverse;
  for (int i = 0; i < dim - 1; i++) {
    o->rest[i] = y.rest[i];
    double by_t = y.by_v[i][0] * v_t + y.by_a[i][0] * a_t + y.by_n[i] * n_t;
    double by_axis = dim == 3 ? y.by_v[i][1] * v_q + y.by_a[i][1] * a_q : 0;
    for (int d = 0; d < dim; d++) {
      o->rest_r[i][d] = by_t * fr.at.t[d] + y.by_n[i] * n_n * fr.at.n[d];
      if (dim == 3) o->rest_r[i][d] += by_axis * g->axis[d];
    }
    for (int j = 0; j < dim - 1; j++) o->rest_f[i][j] = y.by_f[i][j];
    o->rest_angle[i] = -g->radius * (y.by_v[i][0] * v_q + y.by_a[i][0] * a_q);
  }
  return 1;
}

int cps_contact_eval(machine *m, cable *c, contact_point *p, const double *r, const double *v,
                     const double *a, const double *stiff, int stride, const step_coeffs *coeffs,
                     contact_response *out) {
  return m->dim == 2 ? eval(m, c, p, r, v, a, stiff, stride, coeffs, out, 2)
                     : eval(m, c, p, r, v, a, stiff, stride, coeffs, out, 3);
}

double cps_contact_load(const machine *m, const cable *c, const contact_point *p) {
  size_t first = (size_t)(p->node * c->b);
  const drum *g = &m->drum[p->drum];
  double r[3], v[3], out = 0;
  contact_place at;
  cps_normal_output no;
  cps_point_of(p, c->q + first, m->dim, r);
  cps_point_of(p, c->v + first, m->dim, v);
  if (!cps_place_in(g, r, m->dim, &at)) return 0;
  for (int d = 0; d < m->dim; d++) out += at.n[d] * (v[d] - g->center_v[d]);
  cps_normal_force(c->contact.normal, c->contact.normal_p, at.depth, -out, &no);
  return p->weight * no.n;
}

/* ------------------------------------------------------------------ border */

/* The equation of unknown `at` contains u.force: its derivatives by place, friction, and the body that carries the drum. */
static void border_row(machine *m, const contact_point *p, const contact_response *t, int at, const double *u,
                       double *row, double *row_f) {
  int carrier = m->drum[p->drum].carrier;
  for (int d = 0; d < m->dim; d++) {
    for (int i = 0; i < m->dim - 1; i++) row_f[i] += t->dir[i][d] * u[d];
    for (int e = 0; e < m->dim; e++) row[d] -= u[e] * t->k[e][d];
  }
  for (int j = 0; carrier >= 0 && j < m->body[carrier].n; j++) {
    const machine_body *y = &m->body[carrier];
    for (int d = 0; d < m->dim; d++) m->s[at * m->near + y->at + j] -= row[d] * y->along[j][d];
  }
}

void cps_contact_border(machine *m, const contact_point *p, const contact_response *t, border_touch *o) {
  const drum *g = &m->drum[p->drum];
  memset(o, 0, sizeof *o);
  if (g->angle_at >= 0) {
    int k = o->n++;
    o->at[k] = g->angle_at;
    for (int i = 0; i < m->dim - 1; i++) o->column_f[k][i] = t->rest_angle[i];
    o->row_f[k][0] = g->radius;
    m->rhs[g->angle_at] += g->radius * p->f[0];
  }
  if (g->bearing >= 0) {
    const slide *y = &m->slide[g->bearing];
    int k = o->n++;
    o->at[k] = y->f_at;
    border_row(m, p, t, y->f_at, y->pressed, o->row[k], o->row_f[k]);
  }
  if (g->carrier < 0) return;
  const machine_body *y = &m->body[g->carrier];
  for (int j = 0; j < y->rows; j++) {
    const double *u = y->along[j];
    int k = o->n++, at = o->at[k] = y->row[j], moves = j < y->n; /* or what presses the body onto its line */
    for (int d = 0; d < m->dim; d++) {
      m->rhs[at] += u[d] * t->force[d];
      if (!moves) continue;
      for (int i = 0; i < m->dim - 1; i++) o->column_f[k][i] -= t->rest_r[i][d] * u[d];
      for (int e = 0; e < m->dim; e++) o->column[k][d] -= t->k[d][e] * u[e];
    }
    border_row(m, p, t, at, u, o->row[k], o->row_f[k]);
  }
}
