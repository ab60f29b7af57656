/* law_memory.c - states of friction laws with memory on cables: how a step changes them, where they come from, and what they do where
 * nothing touches.
 *
 * A step of the cable sees friction as a function of velocity v, load n and balance force e at its end. Within the step the law takes
 * its own way from the states z_star on, at these v, n and e, in pieces of implicit Euler,
 *
 *   z = from + tau z_t(v, n, e, z),
 *
 * each in one mode and up to the instant at which a guard fires; then come the transition and the next piece. So a bristle never
 * overshoots what it can bear, however long the step is, and the force follows v continuously. The instant at which a guard fires has
 * a derivative, -dg/g_tau, and so have states and force. Laws whose force jumps where a guard fires (CPS_SNAPS) would not know within a
 * step which of two forces it is: they give the force of the step as a whole by themselves (cps_law.slide), or their guards fire at
 * its end.
 *
 * A law takes over the friction force f of an equilibrium with the states that a slow pull from rest gives it. The pull is made of
 * implicit Euler steps, each half as long again as the one before; the last is as long as it takes to answer with f. So states are
 * a smooth function of f, of the load and of the law's parameters, and can be differentiated (sens_memory.c).
 */
#include "dense.h"
#include "machine.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ one piece */

/* Iterations of an implicit step, how often one is halved, in how many parts its solution is followed at most, the relative change of
 * states that counts as none, and the one that is good enough if round-off allows no less. */
enum { STEP_MOST = 60, HALVINGS = 12, PARTS = 100 };
static const double STEP_SAME = 1e-12, STEP_GOOD = 1e-8;

/* Solves a x = b in place, b being the last column; the solution is in the last column. */
static void solve_states(int n, double a[CPS_MAX_STATES][CPS_MAX_STATES + 1]) {
  int pivot[CPS_MAX_STATES];
  dense_factor(a[0], n, CPS_MAX_STATES + 1, pivot, NULL);
  dense_solve(a[0], n, CPS_MAX_STATES + 1, pivot, a[0] + n, 1, CPS_MAX_STATES + 1);
}

/* Whether a rate depends on the states: those of most laws with modes do not, and need no elimination. */
static int rates_know_states(const cps_law *law, const cps_law_jacobian *jac) {
  for (int i = 0; i < law->n_states; i++)
    for (int j = 0; j < law->n_states; j++)
      if (jac->z_t[i].z[j] != 0) return 1;
  return 0;
}

/* Solves z = from + tau z_t(v, n, e, z) by Newton, from z on; whether it is solved. An iteration that does not make the residual
 * less, relative to the scales of the states, is halved: where a rate has kinks, full ones may go round in circles. */
static int newton_states(const contact_law *l, cps_law_input *in, const double *from, double tau, double *z) {
  int n = l->law->n_states, halved = 0;
  cps_law_output out;
  cps_law_jacobian jac;
  cps_law_scale scale;
  double a[CPS_MAX_STATES][CPS_MAX_STATES + 1], step[CPS_MAX_STATES] = {0}, before = INFINITY,
                                                last = INFINITY;
  if (n > 1) cps_law_scales(l->law, l->p, in->n, &scale);
  in->z = z;
  for (int it = 0; it < STEP_MOST; it++) {
    double change = 0, size = 0;
    cps_law_eval(l->law, l->p, in, &out, &jac);
    for (int i = 0; i < n; i++) {
      a[i][n] = from[i] + tau * out.z_t[i] - z[i];
      size = fmax(size, fabs(a[i][n]) / (n > 1 && scale.z[i] > 0 ? scale.z[i] : 1));
    }
    if (!(size <= before * (1 - 0.25 * ldexp(1, -halved))) && size > 0 && halved < HALVINGS) {
      for (int i = 0; i < n; i++) {
        step[i] /= 2;
        z[i] -= step[i];
      }
      halved++;
      continue;
    }
    before = size;
    halved = 0;
    if (rates_know_states(l->law, &jac)) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = (i == j) - tau * jac.z_t[i].z[j];
      solve_states(n, a);
    }
    for (int i = 0; i < n; i++) {
      step[i] = a[i][n];
      z[i] += step[i];
      change = fmax(change, fabs(step[i]) / (fabs(z[i]) + 1e-12));
    }
    last = change;
    if (!(change >= STEP_SAME)) break;
  }
  return last < STEP_GOOD;
}

/* Where solutions of shorter steps cannot be followed in parts as short as this part of a step, they end: there is none beyond. With
 * `rill`, whose friction falls with velocity, 183 000 of 1.3 million steps of a rope that slides come there, and all but 450 are given
 * up; shorter parts find no more, but took 20 times as long. */
static const double PART_LEAST = 0.01;

/* The same, also where Newton's method fails from z on: from states at rest, and then along the solutions of shorter steps, of which
 * that of a step of no length is `from`, in parts as long as it can follow them. */
static int implicit_step(const contact_law *l, cps_law_input *in, const double *from, double tau, double *z) {
  size_t bytes = (size_t)l->law->n_states * sizeof *z;
  double done = 0, part = tau / 8, trial[CPS_MAX_STATES];
  if (newton_states(l, in, from, tau, z)) return 1;
  memset(z, 0, bytes);
  if (newton_states(l, in, from, tau, z)) return 1;
  memcpy(z, from, bytes);
  for (int it = 0; it < PARTS && done < tau && part > PART_LEAST * tau; it++) {
    double next = fmin(done + part, tau);
    memcpy(trial, z, bytes);
    int solved = newton_states(l, in, from, next, trial);
    part *= solved ? 2 : 0.25;
    if (!solved) continue;
    memcpy(z, trial, bytes);
    done = next;
  }
  in->z = z;
  return done == tau;
}

/* ------------------------------------------------------------------ pieces */

/* The first guard that is negative at states z; -1: none. All of them in g. */
static int first_fired(const contact_law *l, cps_law_input *in, const double *z, double *g) {
  in->z = z;
  cps_law_guards(l->law, l->p, in, g, NULL);
  for (int i = 0; i < l->law->n_guards; i++)
    if (g[i] < 0) return i;
  return -1;
}

/* A guard that is as good as zero, relative to how far it goes in the piece. */
static const double GUARD_ZERO = 1e-13;

/* The first instant within `left` at which a guard fires; z has the states at the end, and gets those at that instant. */
static double locate(const contact_law *l, cps_law_input *in, const double *from, double left, int *guard,
                     double *z) {
  double low = 0, high = left, g_low[CPS_MAX_GUARDS], g_high[CPS_MAX_GUARDS], zero[CPS_MAX_GUARDS];
  size_t bytes = (size_t)l->law->n_states * sizeof *z;
  first_fired(l, in, from, g_low);
  first_fired(l, in, z, g_high);
  for (int i = 0; i < l->law->n_guards; i++) zero[i] = GUARD_ZERO * (fabs(g_low[i]) + fabs(g_high[i]));
  for (int it = 0; it < 200; it++) {
    double at[CPS_MAX_STATES], g[CPS_MAX_GUARDS], part = 2;
    for (int i = 0; i < l->law->n_guards; i++) { /* which is first, as straight lines see it? */
      double x = fmax(g_low[i], 0) / (fmax(g_low[i], 0) - g_high[i]);
      if (!(g_high[i] < 0) || x >= part) continue;
      part = x;
      *guard = i;
    }
    if (part == 0 && low == 0) { /* it stands at zero from the start */
      memcpy(z, from, bytes);
      return 0;
    }
    if (it > 10 && it % 2) part = 0.5;
    double tau = low + part * (high - low);
    if (!(tau > low && tau < high)) break;
    memcpy(at, from, bytes);
    if (!implicit_step(l, in, from, tau, at)) break;
    int earlier = 0;
    first_fired(l, in, at, g);
    for (int i = 0; i < l->law->n_guards; i++) earlier |= g[i] < -zero[i];
    if (!earlier && fabs(g[*guard]) <= zero[*guard]) {
      memcpy(z, at, bytes);
      return tau;
    }
    memcpy(earlier ? g_high : g_low, g, sizeof g);
    *(earlier ? &high : &low) = tau;
    if (earlier) memcpy(z, at, bytes);
  }
  return high;
}

void cps_memory_advance(const contact_law *l, double v, double n, double e, int mode, const double *guess,
                        const double *z_star, double z_s, memory_path *path) {
  const cps_law *law = l->law;
  cps_law_input in = {v, n, e, z_star, mode};
  size_t bytes = (size_t)law->n_states * sizeof(double);
  double from[CPS_MAX_STATES], z[CPS_MAX_STATES], g[CPS_MAX_GUARDS], left = z_s;
  int guarded = l->walks && z_s > 0;
  if (mode < 0 && law->n_modes) in.mode = cps_law_mode(law, l->p, &in);
  memcpy(from, z_star, bytes);
  path->n = 0;
  path->solved = 1;
  path->slid = guarded && law->slide;
  if (path->slid) {
    memory_piece *x = &path->piece[path->n++];
    double f;
    x->mode = in.mode;
    x->guard = -1;
    x->time = z_s;
    memcpy(x->from, from, bytes);
    memcpy(x->z, from, bytes);
    path->mode = law->slide(law, l->p, &in, z_s, x->z, &f, NULL, NULL);
    return;
  }
  for (;;) {
    memory_piece *x = &path->piece[path->n];
    int last = ++path->n == PIECES; /* what it does not come to is left to the end of the step */
    x->mode = in.mode;
    x->time = left;
    x->guard = guarded && !last ? first_fired(l, &in, from, g) : -1;
    memcpy(x->from, from, bytes);
    memcpy(z, x->guard >= 0 ? from : guess, bytes);
    if (x->guard >= 0) {
      x->time = 0;
    } else if (left > 0) {
      path->solved &= implicit_step(l, &in, from, x->time, z);
      if (guarded && !last) x->guard = first_fired(l, &in, z, g);
      if (x->guard >= 0) x->time = locate(l, &in, from, x->time, &x->guard, z);
    } else {
      memcpy(z, from, bytes);
    }
    memcpy(x->z, z, bytes);
    if (x->guard < 0) break;
    left -= x->time;
    in.z = x->z;
    memcpy(from, x->z, bytes);
    in.mode = cps_law_transition(law, l->p, &in, x->guard, from, NULL);
    guess = from;
  }
  path->mode = in.mode;
}

/* ------------------------------------------------------------------ rows */

/* row += by x */
static void add_scaled(recall_row *row, const recall_row *x, double by, int states, int params) {
  row->v += by * x->v;
  row->n += by * x->n;
  row->e += by * x->e;
  row->f += by * x->f;
  for (int k = 0; k < states; k++) row->star[k] += by * x->star[k];
  for (int k = 0; k < params; k++) row->p[k] += by * x->p[k];
}

void cps_memory_chain(const cps_law *law, const cps_partials *x, const recall_row *z, int wide,
                      recall_row *row) {
  int states = wide ? law->n_states : 0, params = wide ? law->n_params : 0;
  row->v = x->v;
  row->n = x->n;
  row->e = x->f_eq;
  row->f = 0;
  for (int k = 0; k < states; k++) row->star[k] = 0;
  for (int k = 0; k < params; k++) row->p[k] = x->p[k];
  for (int k = 0; k < law->n_states; k++)
    if (x->z[k] != 0) add_scaled(row, &z[k], x->z[k], states, params);
}

/* Solves (1 - tau Z_z) z = right, rows at once. */
static void eliminate(const cps_law *law, const cps_law_jacobian *jac, double tau, int states, int params,
                      recall_row *z) {
  int n = law->n_states, pivot[CPS_MAX_STATES];
  double a[CPS_MAX_STATES][CPS_MAX_STATES];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = (i == j) - tau * jac->z_t[i].z[j];
  dense_factor(a[0], n, CPS_MAX_STATES, pivot, NULL);
  for (int j = 0; j < n; j++) {
    if (pivot[j] == j) continue;
    recall_row row = z[j];
    z[j] = z[pivot[j]];
    z[pivot[j]] = row;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) add_scaled(&z[i], &z[j], -a[i][j], states, params);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) add_scaled(&z[i], &z[j], -a[i][j], states, params);
    add_scaled(&z[i], &z[i], 1 / a[i][i] - 1, states, params);
  }
}

void cps_memory_follow(const cps_law *law, const cps_law_jacobian *jac, double z_s, int wide, recall_row *z) {
  for (int i = 0; i < law->n_states; i++) {
    z[i].v += z_s * jac->z_t[i].v;
    z[i].n += z_s * jac->z_t[i].n;
    z[i].e += z_s * jac->z_t[i].f_eq;
    for (int k = 0; wide && k < law->n_params; k++) z[i].p[k] += z_s * jac->z_t[i].p[k];
  }
  if (z_s != 0 && rates_know_states(law, jac))
    eliminate(law, jac, z_s, wide ? law->n_states : 0, wide ? law->n_params : 0, z);
}

/* The end of a piece: states there, how long it lasts, and what is left of the step. In rows of states `f` has what they change by
 * per time, as friction forces are not known within a step. */
static void row_of_end(const contact_law *l, cps_law_input *in, const memory_piece *x,
                       const cps_law_output *out, const cps_law_jacobian *jac, int wide, recall_row *z,
                       recall_row *left, double *z_time) {
  const cps_law *law = l->law;
  int states = wide ? law->n_states : 0, params = wide ? law->n_params : 0;
  recall_row time = {.v = 0};
  for (int i = 0; z_time && i < law->n_states; i++) z_time[i] = out->z_t[i];
  if (!(x->time > 0)) return;
  for (int i = 0; i < law->n_states; i++) z[i].f = out->z_t[i];
  cps_memory_follow(law, jac, x->time, wide, z);
  if (x->guard >= 0) {
    double g[CPS_MAX_GUARDS];
    cps_partials by[CPS_MAX_GUARDS];
    recall_row row = {.v = 0};
    cps_law_guards(law, l->p, in, g, by);
    cps_memory_chain(law, &by[x->guard], z, wide, &row);
    if (row.f != 0) add_scaled(&time, &row, -1 / row.f, states, params);
  } else {
    add_scaled(&time, left, 1, states, params);
  }
  time.f = 0;
  add_scaled(left, &time, -1, states, params);
  for (int i = 0; i < law->n_states; i++) {
    double per = z[i].f;
    z[i].f = 0;
    if (z_time) z_time[i] = per;
    add_scaled(&z[i], &time, per, states, params);
  }
}

/* A slide of the law's own: z has the rows before it, and gets those after it. */
static double rows_of_slide(const contact_law *l, double v, double n, double e, const memory_piece *x,
                            int wide, recall_row *f, recall_row *z) {
  const cps_law *law = l->law;
  cps_law_input in = {v, n, e, x->from, x->mode};
  double force, end[CPS_MAX_STATES];
  cps_partials f_x = {0}, z_x[CPS_MAX_STATES] = {{0}};
  recall_row after[CPS_MAX_STATES];
  law->slide(law, l->p, &in, x->time, end, &force, &f_x, z_x);
  cps_memory_chain(law, &f_x, z, wide, f);
  for (int i = 0; i < law->n_states; i++) cps_memory_chain(law, &z_x[i], z, wide, &after[i]);
  for (int i = 0; i < law->n_states; i++) z[i] = after[i];
  return force;
}

double cps_memory_rows_of(const contact_law *l, double v, double n, double e, const memory_path *path,
                          int wide, recall_row *f, recall_row *z, double *z_time) {
  const cps_law *law = l->law;
  cps_law_output out = {0};
  cps_law_jacobian jac;
  recall_row left = {.v = 0};
  for (int i = 0; i < law->n_states; i++) {
    z[i] = (recall_row){.v = 0};
    if (wide) z[i].star[i] = 1;
  }
  if (path->slid) return rows_of_slide(l, v, n, e, &path->piece[0], wide, f, z);
  for (int k = 0; k < path->n; k++) {
    const memory_piece *x = &path->piece[k];
    cps_law_input in = {v, n, e, x->z, x->mode};
    cps_law_eval(law, l->p, &in, &out, &jac);
    row_of_end(l, &in, x, &out, &jac, wide, z, &left, z_time);
    if (x->guard >= 0) {
      double next[CPS_MAX_STATES];
      cps_partials by[CPS_MAX_STATES];
      recall_row moved[CPS_MAX_STATES];
      cps_law_transition(law, l->p, &in, x->guard, next, by);
      for (int i = 0; i < law->n_states; i++) cps_memory_chain(law, &by[i], z, wide, &moved[i]);
      for (int i = 0; i < law->n_states; i++) z[i] = moved[i];
    }
  }
  cps_memory_chain(law, &jac.f, z, wide, f);
  return out.f;
}

/* ------------------------------------------------------------------ from an equilibrium */

/* First step of a pull, and how far it goes at most [m]; how fast [m/s]. */
static const double FIRST = 1e-10, FURTHEST = 0.1, CRAWL = 1e-6;

double cps_memory_crawl(double f) { return f > 0 ? -CRAWL : CRAWL; }

int cps_memory_pull_path(const contact_law *l, double n, double f, const double *z, double length, int mode,
                         memory_path *path) {
  contact_law by_guards = *l;
  by_guards.walks = l->law->n_modes && !(l->law->traits & CPS_SNAPS);
  cps_memory_advance(&by_guards, cps_memory_crawl(f), n, f, mode, z, z, length / CRAWL, path);
  return path->n;
}

/* A step of a pull from states z: whether the law then answers with f at least. */
static int answers(const contact_law *l, double n, double f, const double *z, pull *x) {
  memory_path path;
  cps_law_input in = {cps_memory_crawl(f), n, f, z, CPS_MODE_FREE};
  x->mode = l->law->n_modes ? cps_law_mode(l->law, l->p, &in) : CPS_MODE_FREE;
  int last = cps_memory_pull_path(l, n, f, z, x->length, x->mode, &path) - 1;
  memcpy(x->z, z, sizeof x->z);
  memcpy(x->z, path.piece[last].z, (size_t)l->law->n_states * sizeof *z);
  in = (cps_law_input){0, n, f, x->z, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(l->law, l->p, &in, &out, NULL);
  return fabs(out.f) >= fabs(f) && out.f * f > 0;
}

int cps_memory_pull(const contact_law *l, double n, double f, double *z, pull *path, int *holds) {
  double gone = 0;
  pull x = {.length = FIRST};
  int count = 0;
  *holds = 0;
  memset(z, 0, CPS_MAX_STATES * sizeof *z);
  if (f == 0 || !(n > 0)) return 0;
  for (; count < PULLS && gone < FURTHEST && !*holds; x.length *= 1.5) {
    if (answers(l, n, f, z, &x)) {
      double low = 0, high = x.length;
      *holds = 1;
      while (high - low > 1e-15 * (gone + high)) {
        x.length = 0.5 * (low + high);
        *(answers(l, n, f, z, &x) ? &high : &low) = x.length;
      }
      x.length = low; /* held by a hair less, as by all that came before */
      answers(l, n, f, z, &x);
    }
    memcpy(z, x.z, sizeof x.z);
    gone += x.length;
    if (path) path[count] = x;
    count++;
  }
  return count;
}

void cps_memory_take(const contact_law *l, double n, double f, int *mode, contact_memory *y, int axis) {
  int holds;
  double *z = y->z[axis];
  memset(y->z_t[axis], 0, sizeof y->z_t[axis]);
  memset(y->aux[axis], 0, sizeof y->aux[axis]);
  cps_memory_pull(l, n, f, z, NULL, &holds);
  if (!l->law->n_modes || f == 0 || !(n > 0)) return;
  cps_law_input in = {0, n, f, z, CPS_MODE_FREE};
  *mode = cps_law_mode(l->law, l->p, &in);
}

/* The mode of a law that has none yet. */
static void choose(const contact_law *l, contact_point *p, const contact_memory *y, int axis) {
  cps_law_input in = {p->v[axis], p->n, p->f[axis], y->z[axis], CPS_MODE_FREE};
  if (l->law->n_modes && p->mode[axis] < 0) p->mode[axis] = p->mode0[axis] = cps_law_mode(l->law, l->p, &in);
}

void cps_memory_choose(machine *m) {
  for (int i = 0; i < m->n_sites; i++) {
    const law_site *x = &m->site[i];
    for (int a = 0; a < x->axes; a++) choose(x->law, x->p, x->y, a);
  }
}

/* What touches nothing keeps its states, whatever an iteration in between made of them. */
static void rest(contact_memory *y) {
  memcpy(y->z, y->z0, sizeof y->z);
  memcpy(y->z_star, y->z0, sizeof y->z_star);
  memset(y->z_t, 0, sizeof y->z_t);
  memset(y->aux, 0, sizeof y->aux);
}

void cps_memory_refresh(machine *m, const step_coeffs *coeffs) {
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    int frozen = c->frozen;
    c->frozen = 1;
    for (int k = 0; c->memory && k < c->n_points; k++) {
      contact_point *p = &c->point[k];
      double r[3] = {0}, v[3] = {0}, a[3] = {0};
      contact_response unused;
      for (int j = 0; j < 4; j++)
        for (int d = 0; d < m->dim && p->shape[j] != 0; d++) {
          int at = p->node * c->b + j * m->dim + d;
          r[d] += p->shape[j] * c->q[at];
          v[d] += p->shape[j] * c->v[at];
          a[d] += p->shape[j] * c->a[at];
        }
      cps_contact_eval(m, c, p, r, v, a, NULL, 0, coeffs, &unused);
      if (p->drum < 0 && !(coeffs->bristle > 0)) rest(&c->memory[k]);
    }
    c->frozen = frozen;
  }
  cps_slides_refresh(m, coeffs);
}
