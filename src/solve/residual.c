/* residual.c - the equations of bodies and of contacts between them: one system for accelerations, contact forces and state rates. Bodies
 * alone solve it as it is; beside cables it is a part of the system of all that is no cable (body_equations.c).
 *
 *   r_a = M a - Q(t, q, v) - A' f
 *   r_f = f - F(v, e, n, z),   e = f - m (A a - b),   m = 1/W_ii
 *   r_z = z_t - g(v, e, n, z)
 *
 * of index 1: no matrix is inverted to write them down, and each contact knows only its own bodies, so that
 * the Jacobian is as sparse as the system is. An implicit method makes the state follow the unknowns, q +=
 * b_q a, v += b_v a, z += b_z z_t: (h^2 beta, h gamma, ...) of generalised-alpha, (gamma^2, gamma, gamma) of
 * BDF. The matrix is then
 *
 *   [ M - b_q Q_q - b_v Q_v                        -A'        ]   r_a
 *   [ (m F_e - b_v F_v) A - F_n (b_q n_q + b_v n_v)  1 - F_e  ]   r_f
 *
 * with the states of each contact eliminated beforehand: every derivative of F has F_z (1/b_z - g_z)^-1 times
 * that of g added. Forces are measured in units of m, so that both kinds of rows are of one size. Where a
 * contact sticks, 1 - F_e is zero; the force is therefore eliminated after the coordinates it acts on, and no
 * pivoting is needed: with friction that does not grow when v does, the matrix is quasi-definite after its
 * rows are scaled (R. J. Vanderbei, SIAM J. Optim. 5(1), 1995).
 *
 * A body that is held has the equation a = 0.
 *
 * Beside cables the equation of a contact has further forms (cps_slide_rub): a spring that holds it in statics, a law that jumps, which
 * is solved for the velocity, and laws whose states go their own way through a step (law_memory.c).
 */
#include "residual.h"

#include "dense.h"
#include "machine.h"
#include "system.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ evaluating */

/* Notes a remainder of what has to do with coordinate q: it is judged by the size of what balances, and by numbers whose round-off it
 * contains. */
static inline void judge(residual *r, int q, double rest, double size, double blur, int contact) {
  if (r->counts && !r->counts[q]) return;
  double ratio = fabs(rest) / (r->balance * size + CPS_ROUND_OFF * blur + r->nothing);
  if (ratio <= r->worst) return;
  r->worst = ratio == ratio ? ratio : INFINITY;
  r->worst_contact = contact;
}

/* Evaluates the law of contact i at the point `now`. */
static double look(residual *r, int i, outlook now, const double *z, int mode, cps_law_jacobian *jac) {
  const contact *c = &r->s->contacts[i];
  workspace *k = r->k;
  if (c->n_states > 0) return cps_contact_force(r->s, k, i, now.e, z, mode, jac);
  k->f_eq[i] = now.e;
  return cps_law_look(c->law, c->p, k->n[i], mode, r->sight, now, &r->look[i], jac, &r->limited);
}

void cps_residual_look(residual *r, const double *y, const double *a, const double *f) {
  const cps_system *s = r->s;
  const double *v = y + s->nx;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    double m = r->k->w_ii[i] > 0 ? 1 / r->k->w_ii[i] : 0;
    double e = m > 0 ? f[i] - m * (a[c->a] - c->sb * a[c->b]) : 0;
    r->look[i] = (outlook){v[c->a] - c->sb * v[c->b], e};
  }
}

/* Whether the normal force of contact i depends on unknowns now. */
static int is_pressed(const residual *r, int i) {
  normal_kind normal = r->s->contacts[i].normal;
  return r->k->n[i] > 0 && (normal == NORMAL_LOAD || (normal == NORMAL_WEIGHT && r->k->hangs));
}

static inline void judge_force(residual *r, int i, const double *y, double f, double pull, double by_v,
                               double by_n) {
  double rest = r->r_f[i], blur = cps_balance_blur(&r->judged, r->s, y, i, pull, by_v, by_n);
  judge(r, r->s->contacts[i].a, rest, fabs(f) + fabs(f - rest), blur, i);
}

/* The equation of a contact that a slide of the machine knows how to evaluate. Laws that jump are solved for the velocity, and what is
 * left is none of their forces. */
static __attribute__((noinline)) void eval_rubbed(residual *r, int i, const double *y, double acceleration,
                                                  double f) {
  const contact *c = &r->s->contacts[i];
  slide *rail = &r->rails[i];
  friction by;
  double x = y[c->a] - (c->b < r->s->nd ? c->sb * y[c->b] : 0), v = r->k->v[i];
  double by_x = cps_slide_rub(rail, r->coeffs, r->k->n[i], f, x, v, acceleration, &by);
  r->r_f[i] = by.rest[0];
  r->row[i] = (contact_row){by_x, by.by_v[0][0], by.by_a[0][0], by.by_f[0][0],
                            is_pressed(r, i) ? by.by_n[0] : 0};
  if (rail->law.kind != LAW_JUMP)
    judge_force(r, i, y, f, rail->p.mass * acceleration, by.by_v[0][0], by.by_n[0]);
}

/* The law of contact i, its derivatives, and what is left of its equations. */
static void eval_contact(residual *r, int i, const double *y, const double *a, const double *f,
                         const double *z_t, const int *mode) {
  const cps_system *s = r->s;
  const contact *c = &s->contacts[i];
  workspace *k = r->k;
  const double *v = y + s->nx, *z = v + s->nx;
  double m = k->w_ii[i] > 0 ? 1 / k->w_ii[i] : 0;
  double acceleration = a[c->a] - c->sb * a[c->b], pull = m * acceleration, e = m > 0 ? f[i] - pull : 0;
  cps_law_jacobian jac;
  k->f[i] = f[i];
  if (r->rails && cps_slide_is_rubbed(&r->rails[i], r->coeffs)) {
    k->f_eq[i] = e;
    eval_rubbed(r, i, y, acceleration, f[i]);
    return;
  }
  double force = look(r, i, (outlook){k->v[i], e}, z, mode ? mode[i] : CPS_MODE_FREE, &jac);
  int n = c->n_states, moves = is_pressed(r, i);
  law_tangent *t = &r->law[i];
  *t = (law_tangent){jac.f.v, m > 0 ? jac.f.f_eq : 0, moves ? jac.f.n : 0};
  if (n == 0) r->row[i] = (contact_row){0, -t->v, m * t->e, 1 - t->e, -t->n};
  r->r_f[i] = f[i] - force;
  judge_force(r, i, y, f[i], pull, t->v, t->n);
  if (n == 0) return;
  double speed = fabs(v[c->a]) + fabs(v[c->b]) + r->gain * (fabs(a[c->a]) + fabs(a[c->b]));
  double blur = r->judged.blur[c->a] + r->judged.blur[c->b];
  double *d = r->state + r->state_at[i];
  for (int j = 0; j < n; j++) {
    const cps_partials *g = &jac.z_t[j];
    double rate = k->z_t[c->z + j];
    d[j] = jac.f.z[j];
    d[n + j] = g->v;
    d[2 * n + j] = m > 0 ? g->f_eq : 0;
    d[3 * n + j] = moves ? g->n : 0;
    double terms = fabs(g->v) * speed + fabs(g->n) * (k->n[i] + blur) + fabs(g->f_eq * e);
    for (int p = 0; p < n; p++) {
      d[4 * n + n * j + p] = g->z[p];
      terms += fabs(g->z[p] * z[c->z + p]);
    }
    double rest = z_t[c->z + j] - rate;
    r->r_z[c->z + j] = rest;
    judge(r, c->a, rest, fabs(rate) + fabs(z_t[c->z + j]), 4 * terms, i);
  }
}

void cps_residual_eval(residual *r, double t, double *y, double *a, const double *f, const double *z_t,
                       const int *mode) {
  const cps_system *s = r->s;
  workspace *k = r->k;
  int nd = s->nd;
  k->evaluations++;
  cps_system_kinematics(s, k, t, y);
  cps_body_matrix_look(&r->entries, y, y + s->nx);
  for (int i = nd; i < s->nx; i++) {
    a[i] = k->surface_a[i];
    r->r_a[i] = 0;
  }
  for (int i = 0; i < nd; i++) r->r_a[i] = s->mass[i] * a[i] - k->force[i];
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    r->r_a[c->a] -= f[i];
    r->r_a[c->b] += c->sb * f[i];
  }
  if (!r->counts || r->n_counts > 0) cps_balance_look(&r->judged, s, k, y, a, f);
  r->worst = 0;
  r->worst_contact = -1;
  r->limited = 0;
  for (int i = 0; i < nd; i++) {
    if (k->inverse_mass[i] == 0) r->r_a[i] = a[i];
    judge(r, i, r->r_a[i], r->judged.size[i], r->judged.blur[i], -1);
  }
  for (int i = 0; i < s->nc; i++) eval_contact(r, i, y, a, f, z_t, mode);
}

/* ------------------------------------------------------------------ linearised */

/* Changes of the normal forces along b_q x and b_v x', into r->dn. */
static void press_along(const residual *r, double b_q, const double *dq, double b_v, const double *dv) {
  const cps_system *s = r->s;
  if (r->entries.n_links == 0) return;
  memset(r->dn, 0, (size_t)s->nc * sizeof(double));
  for (int i = 0; i < r->entries.n_links; i++) {
    const press_link *l = &r->entries.links[i];
    const plane_tangent *t = &r->entries.plane[l->spring];
    int c[6], count = cps_plane_coordinates(s, &s->plane[l->spring], c);
    for (int m = 0; m < count; m++) {
      if (b_q != 0) r->dn[l->contact] += b_q * t->press_q[l->side][m] * dq[c[m]];
      if (b_v != 0) r->dn[l->contact] += b_v * t->press_v[l->side][m] * dv[c[m]];
    }
  }
}

void cps_residual_along(const residual *r, const double *dq, const double *dv, const double *dz, double *r_a,
                        double *r_f, double *r_z) {
  const cps_system *s = r->s;
  memset(r_a, 0, (size_t)s->nx * sizeof(double));
  for (int i = 0; i < s->n_line; i++) {
    const line_spring *g = &s->line[i];
    double f = r->entries.line_k[i] * (g->sb * dq[g->b] - g->sa * dq[g->a]) +
               r->entries.line_d[i] * (g->sb * dv[g->b] - g->sa * dv[g->a]);
    r_a[g->a] -= g->sa * f;
    r_a[g->b] += g->sb * f;
  }
  for (int i = 0; i < s->n_plane; i++) {
    const plane_tangent *t = &r->entries.plane[i];
    int c[6], count = cps_plane_coordinates(s, &s->plane[i], c);
    for (int j = 0; j < count; j++)
      for (int m = 0; m < count; m++) r_a[c[j]] += t->q[j][m] * dq[c[m]] + t->v[j][m] * dv[c[m]];
  }
  for (int i = 0; i < s->nd; i++)
    if (r->k->inverse_mass[i] == 0) r_a[i] = 0;
  press_along(r, 1, dq, 1, dv);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int n = c->n_states;
    const double *d = r->state + r->state_at[i], *x = dz + c->z;
    double v = dv[c->a] - c->sb * dv[c->b];
    r_f[i] = -(r->law[i].v * v + r->law[i].n * r->dn[i]);
    for (int j = 0; j < n; j++) {
      r_f[i] -= d[j] * x[j];
      double rate = d[n + j] * v + d[3 * n + j] * r->dn[i];
      for (int p = 0; p < n; p++) rate += d[4 * n + n * j + p] * x[p];
      r_z[c->z + j] = -rate;
    }
  }
}

/* The unit in which the force of contact i is measured. */
static double unit(const workspace *k, int i) { return k->w_ii[i] > 0 ? 1 / k->w_ii[i] : 1; }

/* The equation of contact i, whose law has states, once they are eliminated: they follow the others. */
static int eliminate_states(residual *r, int i, double b_z) {
  int n = r->s->contacts[i].n_states;
  const double *d = r->state + r->state_at[i];
  law_tangent whole = r->law[i];
  double *inverse = r->inverse + r->inverse_at[i], *follow = inverse + n * n;
  double a[CPS_MAX_STATES * CPS_MAX_STATES];
  int pivot[CPS_MAX_STATES];
  for (int j = 0; j < n * n; j++) {
    inverse[j] = j % (n + 1) == 0;
    a[j] = inverse[j] - b_z * d[4 * n + j];
  }
  if (dense_factor(a, n, n, pivot, NULL) == 0) return 0;
  dense_solve(a, n, n, pivot, inverse, n, n);
  for (int j = 0; j < n; j++) {
    follow[j] = 0;
    for (int p = 0; p < n; p++) follow[j] += b_z * d[p] * inverse[p * n + j];
    whole.v += follow[j] * d[n + j];
    whole.e += follow[j] * d[2 * n + j];
    whole.n += follow[j] * d[3 * n + j];
  }
  r->row[i] = (contact_row){0, -whole.v, unit(r->k, i) * whole.e, 1 - whole.e, -whole.n};
  return 1;
}

int cps_residual_assemble(residual *r, double b_q, double b_v, double b_a, double b_z, int in_masses) {
  const cps_system *s = r->s;
  double *value = cps_body_values(&r->system);
  r->b_q = b_q;
  r->b_v = b_v;
  r->b_z = b_z;
  cps_body_system_clear(&r->system);
  for (int i = 0; i < s->nd; i++) {
    int at = r->unknown[i];
    if (at < 0) continue;
    value[r->diagonal[at]] = s->mass[i] * b_a;
    r->system.fixed[at] = r->k->inverse_mass[i] == 0;
  }
  cps_body_matrix_springs(&r->entries, b_q, b_v, value);
  for (int i = 0; i < s->nc; i++) {
    if (s->contacts[i].n_states > 0 && !r->rails && !eliminate_states(r, i, b_z)) return 0;
    const contact_row *t = &r->row[i];
    double m = in_masses ? unit(r->k, i) : 1, slope = b_a * t->a + b_v * t->v + b_q * t->x;
    cps_body_matrix_contact(&r->entries, i, m, slope, m * t->f, value);
  }
  for (int i = 0; i < r->entries.n_links; i++) {
    const press_link *l = &r->entries.links[i];
    cps_body_matrix_press(&r->entries, l, r->row[l->contact].n, b_q, b_v, value);
  }
  return 1;
}

int cps_residual_factor(residual *r, double b_q, double b_v, double b_z) {
  return cps_residual_assemble(r, b_q, b_v, 1, b_z, 1) && cps_body_system_factor(&r->system);
}

int cps_residual_solve(residual *r, const double *r_a, const double *r_f, const double *r_z, double *da,
                       double *df, double *dz_t) {
  const cps_system *s = r->s;
  const workspace *k = r->k;
  double *x = r->x;
  for (int i = 0; i < s->nd; i++) x[i] = -r_a[i];
  for (int i = 0; i < s->nc; i++) {
    int n = s->contacts[i].n_states;
    const double *follow = r->inverse + r->inverse_at[i] + n * n, *rest = r_z + s->contacts[i].z;
    double sum = r_f[i];
    for (int j = 0; j < n; j++) sum += follow[j] * rest[j];
    x[s->nd + i] = -sum;
  }
  if (!cps_body_system_solve(&r->system, x)) return 0;
  memcpy(da, x, (size_t)s->nd * sizeof(double));
  memset(da + s->nd, 0, (size_t)(s->nx - s->nd) * sizeof(double));
  for (int i = 0; i < s->nc; i++) df[i] = x[s->nd + i] * unit(k, i);
  if (s->nz == 0) return 1;
  press_along(r, r->b_q, da, r->b_v, da);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int n = c->n_states;
    if (n == 0) continue;
    const double *d = r->state + r->state_at[i], *inverse = r->inverse + r->inverse_at[i];
    double a = da[c->a] - c->sb * da[c->b], right[CPS_MAX_STATES];
    double m = k->w_ii[i] > 0 ? 1 / k->w_ii[i] : 0;
    for (int j = 0; j < n; j++)
      right[j] = -r_z[c->z + j] + d[n + j] * r->b_v * a + d[2 * n + j] * (df[i] - m * a) +
                 d[3 * n + j] * r->dn[i];
    for (int j = 0; j < n; j++) {
      dz_t[c->z + j] = 0;
      for (int p = 0; p < n; p++) dz_t[c->z + j] += inverse[n * j + p] * right[p];
    }
  }
  return 1;
}

/* ------------------------------------------------------------------ slip fronts */

/* What becomes of the contacts that were linearised as sticking; kept in place of f_e, which is 1 or near it.
 */
#define STICKS  0.5
#define LETS_GO 0.4
#define LET_GO  0.0

/* Whether contact i sticks as far as is known, or bears what is passed to it. */
static int bears(const residual *r, int i) { return r->law[i].e >= LETS_GO; }

static int any_bears(const residual *r, int q) {
  for (int k = r->at_first[q]; k < r->at_first[q + 1]; k++)
    if (bears(r, r->at_contact[k])) return 1;
  return 0;
}

/* Puts contact i into the queue of those that let go, if it is not there yet and bears too much. */
static void queue_up(residual *r, int i, double f, int *n) {
  if (r->law[i].e < STICKS || !(fabs(f) > r->limit[i])) return;
  r->law[i].e = LETS_GO;
  r->queue[(*n)++] = i;
}

/* Passes a force that coordinate q can no longer bear on to what sticks beside it. */
static void pass_on(residual *r, int q, double excess, double *f, int *n) {
  const cps_system *s = r->s;
  const sparse *m = &r->system.matrix;
  double inertia = m->value[r->diagonal[q]];
  for (int k = m->first[q]; k < m->first[q + 1]; k++)
    if (m->row[k] < s->nd && m->row[k] != q && !any_bears(r, m->row[k]))
      inertia -= fabs(m->value[k]); /* slides along */
  inertia = fmax(inertia, s->mass[q]);
  for (int k = m->first[q]; k < m->first[q + 1]; k++) {
    int y = m->row[k];
    if (y >= s->nd || y == q) continue;
    for (int j = r->at_first[y]; j < r->at_first[y + 1]; j++) {
      int i = r->at_contact[j];
      if (!bears(r, i)) continue;
      double sign = y == s->contacts[i].a ? 1 : -s->contacts[i].sb;
      f[i] -= sign * m->value[k] / inertia * excess;
      queue_up(r, i, f[i], n);
      break;
    }
  }
}

void cps_residual_spread(residual *r, double *f) {
  const cps_system *s = r->s;
  int n = 0;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (r->law[i].e < STICKS) continue;
    cps_law_scale scale;
    cps_law_scales(c->law, c->p, r->k->n[i], &scale);
    /* what it bears while it begins to slide, if it does not grow with velocity */
    r->limit[i] = c->n_states > 0 ? INFINITY : isfinite(scale.f_peak) ? scale.f_peak : scale.f_stick;
    queue_up(r, i, f[i], &n);
  }
  for (int at = 0; at < n; at++) {
    int i = r->queue[at];
    const contact *c = &s->contacts[i];
    double excess = f[i] - copysign(r->limit[i], f[i]);
    r->law[i].e = LET_GO;
    if (!(fabs(f[i]) > r->limit[i])) continue;
    pass_on(r, c->a, excess, f, &n);
    if (c->b < s->nd) pass_on(r, c->b, -c->sb * excess, f, &n);
  }
}

/* ------------------------------------------------------------------ circles */

/* In a group that contacts tie together, a circle is closed if there are more of them than coordinates that they act on, or as many if none
 * acts on the ground or a surface. */
int cps_close_circle(const cps_system *s, double *seen) {
  for (int g = 0; g < s->n_groups; g++) {
    int contacts = 0, coordinates = 0, grounded = 0;
    memset(seen, 0, (size_t)s->nx * sizeof(double));
    for (int k = 0; k < s->groups[g].n; k++) {
      const contact *c = &s->contacts[s->groups[g].contact[k]];
      if (!(c->law->traits & CPS_NEEDS_FEQ)) continue;
      const int ends[] = {c->a, c->b};
      contacts++;
      for (int e = 0; e < 2; e++) {
        grounded |= ends[e] >= s->nd;
        coordinates += ends[e] < s->nd && seen[ends[e]] == 0;
        seen[ends[e]] = 1;
      }
    }
    if (contacts > 0 && contacts >= coordinates + grounded) return 1;
  }
  return 0;
}
