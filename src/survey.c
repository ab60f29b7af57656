/* survey.c - sums over the elements of a cable, four at a time: what it stores, passes on, and loses in a step.
 *
 * Results and the audit ask for these at every output and every step; one by one, elements would cost more there
 * than in the equations of motion. The elements are those of cable.c, in the modes that chain.c describes.
 */
#include "chain_recipe.h"

/* Four elements from `first` on. Lanes beyond the end repeat the last element and do not count. */
typedef struct quartet {
  int node[LANES], b;
  lanes length, counts;
} quartet;

INLINE void take(const cable *c, int first, quartet *e) {
  e->b = c->b;
  UNROLL for (int i = 0; i < LANES; i++) {
    int inside = first + i < c->n;
    e->node[i] = inside ? first + i : c->n - 1;
    e->counts[i] = inside;
    e->length[i] = c->length[e->node[i]];
  }
}

/* Coordinate k of the elements: r0, s0, r1, s1, each of dim numbers. */
INLINE lanes pick(const double *x, const quartet *e, int k) {
  return (lanes){x[e->node[0] * e->b + k], x[e->node[1] * e->b + k], x[e->node[2] * e->b + k],
                 x[e->node[3] * e->b + k]};
}

INLINE double total(lanes x) { return x[0] + x[1] + (x[2] + x[3]); }

/* x' M y of elements for one direction; l times the slopes are given. */
INLINE lanes mass_product(const lanes x[4], const lanes y[4]) {
  return x[0] * (all(156) * y[0] + all(22) * y[1] + all(54) * y[2] - all(13) * y[3]) +
         x[1] * (all(22) * y[0] + all(4) * y[1] + all(13) * y[2] - all(3) * y[3]) +
         x[2] * (all(54) * y[0] + all(13) * y[1] + all(156) * y[2] - all(22) * y[3]) -
         x[3] * (all(13) * y[0] + all(3) * y[1] + all(22) * y[2] - all(4) * y[3]);
}

/* ------------------------------------------------------------------ elasticity */

/* Elastic energy and the force that four elements pass on along their chords, for the curvature |r''|. */
INLINE void stretch(const recipe *y, const quartet *e, const double *q, const int dim, lanes *energy,
                    lanes *tension) {
  lanes inverse = all(1) / e->length, mode[3][3], f[3], square = all(0), stored = all(0), along = all(0);
  UNROLL for (int d = 0; d < dim; d++) {
    mode[0][d] = (pick(q, e, 2 * dim + d) - pick(q, e, d)) * inverse;
    mode[1][d] = pick(q, e, dim + d);
    mode[2][d] = pick(q, e, 3 * dim + d);
    const lanes *b = y->bend, *x0 = &mode[0][d], *x1 = &mode[1][d], *x2 = &mode[2][d];
    f[d] = (b[0] * *x0 + b[1] * *x1 + b[2] * *x2) * inverse;
    stored += (*x0 * (b[0] * *x0 + all(2) * (b[1] * *x1 + b[2] * *x2)) +
               *x1 * (b[3] * *x1 + all(2) * b[4] * *x2) + *x2 * b[5] * *x2) *
              inverse;
    square += *x0 * *x0;
  }
  for (int g = 0; g < y->points; g++) {
    lanes r[3], a = all(0), w = y->weight[g] * y->ea * e->length, strain, pull;
    UNROLL for (int d = 0; d < dim; d++) {
      r[d] = y->at[g][0] * mode[0][d] + y->at[g][1] * mode[1][d] + y->at[g][2] * mode[2][d];
      a += r[d] * r[d];
    }
    if (y->green) {
      strain = all(0.5) * (a - all(1));
      pull = w * strain;
    } else {
      lanes size = root(a);
      strain = size - all(1);
      pull = w * strain / size;
    }
    stored += w * strain * strain;
    UNROLL for (int d = 0; d < dim; d++) f[d] += y->at[g][0] * pull * r[d];
  }
  UNROLL for (int d = 0; d < dim; d++) along += f[d] * mode[0][d];
  *energy += all(0.5) * e->counts * stored;
  *tension = along * inverse / root(square);
}

INLINE double survey(const cable *c, double *tension, const int dim) {
  const implicit none = {.q_a = 1};
  recipe y;
  lanes energy = all(0), t;
  prepare(&y, &c->section, &none);
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    take(c, i, &e);
    stretch(&y, &e, c->q, dim, &energy, &t);
    if (!tension) continue;
    if (i + LANES <= c->n)
      save(tension + i, t);
    else
      for (int j = 0; i + j < c->n; j++) tension[i + j] = t[j];
  }
  return total(energy);
}

/* One element with all that cable.c knows; its tension balances loads and contact forces exactly, while EA times
 * the mean strain does not where an element is curved more than it can be. */
static double element(const cable *c, int i, double *tension) {
  cable_section elastic = c->section;
  const double *q = c->q + i * c->b;
  double f[12] = {0}, along = 0, square = 0;
  elastic.rayleigh = elastic.axial_damping = elastic.bending_damping = 0;
  double energy = cps_element_force(c->dim, &elastic, c->length[i], q, c->v + i * c->b, f, 1, 0, NULL, NULL);
  for (int d = 0; d < c->dim; d++) {
    double chord = q[c->b + d] - q[d];
    along += f[c->b + d] * chord;
    square += chord * chord;
  }
  *tension = square > 0 ? along / sqrt(square) : 0;
  return energy;
}

double cps_cable_tension(const cable *c, int i) {
  double tension;
  element(c, i, &tension);
  return tension;
}

double cps_cable_survey(const cable *c, double *tension) {
  if (c->section.curvature == CURVATURE_APPROXIMATE)
    return c->dim == 2 ? survey(c, tension, 2) : survey(c, tension, 3);
  double energy = 0, t;
  for (int i = 0; i < c->n; i++) {
    energy += element(c, i, &t);
    if (tension) tension[i] = t;
  }
  return energy;
}

/* ------------------------------------------------------------------ inertia and weight */

INLINE double kinetic(const cable *c, const int dim) {
  lanes sum = all(0);
  double masses = 0;
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    take(c, i, &e);
    UNROLL for (int d = 0; d < dim; d++) {
      lanes v[4] = {pick(c->v, &e, d), e.length * pick(c->v, &e, dim + d), pick(c->v, &e, 2 * dim + d),
                    e.length * pick(c->v, &e, 3 * dim + d)};
      sum += e.counts * e.length * mass_product(v, v);
    }
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < dim && c->mass[i] > 0; d++)
      masses += c->mass[i] * c->v[i * c->b + d] * c->v[i * c->b + d];
  return 0.5 * (c->section.rho / 420 * total(sum) + masses);
}

INLINE double potential(const cable *c, const int dim) {
  lanes sum = all(0);
  double masses = 0;
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    take(c, i, &e);
    lanes half = e.counts * e.length * all(0.5), part = half * e.length * all(1.0 / 6);
    UNROLL for (int d = 0; d < dim; d++)
        sum += all(c->gravity[d]) * (half * (pick(c->q, &e, d) + pick(c->q, &e, 2 * dim + d)) +
                                     part * (pick(c->q, &e, dim + d) - pick(c->q, &e, 3 * dim + d)));
  }
  for (int i = 0; i <= c->n; i++)
    for (int d = 0; d < dim && c->mass[i] > 0; d++) masses += c->mass[i] * c->gravity[d] * c->q[i * c->b + d];
  return -(c->section.rho * total(sum) + masses);
}

double cps_cable_kinetic(const cable *c) { return c->dim == 2 ? kinetic(c, 2) : kinetic(c, 3); }
double cps_cable_potential(const cable *c) { return c->dim == 2 ? potential(c, 2) : potential(c, 3); }

/* ------------------------------------------------------------------ a step */

/* Differences over the step and means of rates, for one direction. */
typedef struct path_of {
  lanes dq[4], ma[4], dv[4], mv[4];
} path_of;

INLINE void follow(const cable *c, const quartet *e, int d, const int dim, path_of *o) {
  UNROLL for (int k = 0; k < 4; k++) {
    int at = k * dim + d;
    lanes scale = k % 2 ? e->length : all(1);
    lanes v1 = pick(c->v, e, at), v0 = pick(c->v0, e, at);
    o->dq[k] = scale * (pick(c->q, e, at) - pick(c->q0, e, at));
    o->ma[k] = scale * all(0.5) * (pick(c->a, e, at) + pick(c->a0, e, at));
    o->dv[k] = scale * (v1 - v0);
    o->mv[k] = scale * all(0.5) * (v1 + v0);
  }
}

INLINE void step_elements(const cable *c, double *solver, double *damping, const int dim) {
  lanes inertia = all(0), lost = all(0);
  double masses = 0;
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    take(c, i, &e);
    UNROLL for (int d = 0; d < dim; d++) {
      path_of o;
      follow(c, &e, d, dim, &o);
      inertia += e.counts * e.length * (mass_product(o.dq, o.ma) - mass_product(o.dv, o.mv));
      /* c int r'_t.dr', Westin Eq. (19) */
      lanes x0 = o.dq[2] - o.dq[0], y0 = o.mv[2] - o.mv[0];
      lost += e.counts / e.length *
              (x0 * (all(36) * y0 - all(3) * (o.mv[1] + o.mv[3])) +
               o.dq[1] * (all(4) * o.mv[1] - all(3) * y0 - o.mv[3]) +
               o.dq[3] * (all(4) * o.mv[3] - all(3) * y0 - o.mv[1]));
    }
  }
  for (int i = 0; i <= c->n; i++) {
    if (!(c->mass[i] > 0)) continue;
    for (int k = i * c->b; k < i * c->b + dim; k++)
      masses += c->mass[i] *
                ((c->q[k] - c->q0[k]) * (c->a[k] + c->a0[k]) - (c->v[k] - c->v0[k]) * (c->v[k] + c->v0[k]));
  }
  *solver += c->section.rho / 420 * total(inertia) + 0.5 * masses;
  *damping += c->section.rayleigh / 30 * total(lost);
}

void cps_cable_step_work(const cable *c, double *solver, double *damping) {
  if (c->dim == 2)
    step_elements(c, solver, damping, 2);
  else
    step_elements(c, solver, damping, 3);
}
