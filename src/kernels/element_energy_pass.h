/* element_energy_pass.h - sums over the elements of a cable, four at a time: what it stores, passes on, and loses in a step.
 *
 * Compiled twice, by element_energy.c and, for processors with AVX2, by element_energy_fused.c, which define SURVEY(x). In the
 * second one products and sums are fused. The elements are those of cable.c, in the modes that cable_elimination.c
 * describes.
 */
#include "element_recipe.h"

/* Four elements from `first` on. Lanes beyond the end repeat the last element and do not count. */
typedef struct quartet {
  int node[LANES], b, full;
  lanes length, counts;
} quartet;

INLINE void take(const cable *c, int first, quartet *e) {
  e->b = c->b;
  e->full = first + LANES <= c->n;
  if (e->full) {
    e->node[0] = first;
    e->length = load(c->length + first);
    e->counts = all(1);
    return;
  }
  UNROLL for (int i = 0; i < LANES; i++) e->node[i] = first + i < c->n ? first + i : c->n - 1;
  e->length = (lanes){c->length[e->node[0]], c->length[e->node[1]], c->length[e->node[2]],
                      c->length[e->node[3]]};
  e->counts = (lanes){1, first + 1 < c->n, first + 2 < c->n, first + 3 < c->n};
}

/* Coordinates of the elements: r0, s0, r1, s1, each of dim numbers. */
INLINE void gather(const double *x, const quartet *e, const int dim, lanes out[4][3]) {
  if (dim == 2) { /* a node is a vector */
    UNROLL for (int end = 0; end < 2; end++) {
      const double *at = x + 4 * end, *from = at + 4 * e->node[0];
      lanes t[4];
      if (e->full)
        turn(load(from), load(from + 4), load(from + 8), load(from + 12), t);
      else
        turn(load(at + e->node[0] * 4), load(at + e->node[1] * 4), load(at + e->node[2] * 4),
             load(at + e->node[3] * 4), t);
      UNROLL for (int i = 0; i < 4; i++) out[2 * end + i / 2][i % 2] = t[i];
    }
    return;
  }
  const double *from = x + e->node[0] * 6;
  UNROLL for (int k = 0; k < 4; k++) {
    UNROLL for (int d = 0; d < 3; d++) {
      int at = k * 3 + d;
      if (e->full) {
        out[k][d] = (lanes){from[at], from[6 + at], from[12 + at], from[18 + at]};
        continue;
      }
      out[k][d] = (lanes){x[e->node[0] * 6 + at], x[e->node[1] * 6 + at], x[e->node[2] * 6 + at],
                          x[e->node[3] * 6 + at]};
    }
  }
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
INLINE void stretch(const recipe *y, const quartet *e, lanes q[4][3], const int dim, lanes *energy,
                    lanes *tension) {
  lanes inverse = all(1) / e->length, mode[3][3], f[3], square = all(0), stored = all(0), along = all(0);
  UNROLL for (int d = 0; d < dim; d++) {
    lanes x0 = (q[2][d] - q[0][d]) * inverse, x1 = q[1][d], x2 = q[3][d];
    const lanes *b = y->bend;
    mode[0][d] = x0;
    mode[1][d] = x1;
    mode[2][d] = x2;
    lanes b0 = b[0] * x0 + b[1] * x1 + b[2] * x2, b1 = b[1] * x0 + b[3] * x1 + b[4] * x2,
          b2 = b[2] * x0 + b[4] * x1 + b[5] * x2;
    f[d] = b0 * inverse;
    stored += (x0 * b0 + x1 * b1 + x2 * b2) * inverse;
    square += x0 * x0;
  }
  lanes ea = y->ea * e->length;
  for (int g = 0; g < y->points; g++) {
    lanes r[3], a = all(0), w = y->weight[g] * ea, strain, pull;
    UNROLL for (int d = 0; d < dim; d++) {
      r[d] = y->at[g][0] * mode[0][d] + y->at[g][1] * mode[1][d] + y->at[g][2] * mode[2][d];
      a += r[d] * r[d];
    }
    if (y->slackens) {
      lanes size = root(a), o[3];
      answer_slack(y, y->green ? all(0.5) * (a - all(1)) : size - all(1), o);
      pull = y->green ? w * o[0] : w * o[0] / larger(size, all(1e-100));
      stored += w * o[2];
    } else if (y->green) {
      strain = all(0.5) * (a - all(1));
      pull = w * strain;
      stored += pull * strain;
    } else {
      lanes size = root(a);
      strain = size - all(1);
      pull = w * strain / size;
      stored += w * strain * strain;
    }
    pull *= y->at[g][0];
    UNROLL for (int d = 0; d < dim; d++) f[d] += pull * r[d];
  }
  UNROLL for (int d = 0; d < dim; d++) along += f[d] * mode[0][d];
  *energy += e->counts * stored;
  *tension = along * inverse / root(square);
}

/* All that is stored; point masses come last. */
INLINE void survey(const cable *c, double *tension, cable_store *o, const int dim) {
  const step_coeffs none = {.q_a = 1};
  recipe y;
  lanes elastic = all(0), moving = all(0), high = all(0), t;
  double moved = 0, lifted = 0;
  int simple = c->section.curvature == CURVATURE_APPROXIMATE;
  prepare(&y, &c->section, &none);
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    lanes q[4][3], v[4][3];
    take(c, i, &e);
    gather(c->q, &e, dim, q);
    gather(c->v, &e, dim, v);
    lanes half = e.counts * e.length, part = half * e.length * all(1.0 / 6);
    UNROLL for (int d = 0; d < dim; d++) {
      lanes rate[4] = {v[0][d], e.length * v[1][d], v[2][d], e.length * v[3][d]};
      moving += half * mass_product(rate, rate);
      high += all(c->gravity[d]) * (half * (q[0][d] + q[2][d]) + part * (q[1][d] - q[3][d]));
    }
    if (!simple) continue;
    stretch(&y, &e, q, dim, &elastic, &t);
    if (i + LANES <= c->n)
      save(tension + i, t);
    else
      for (int j = 0; i + j < c->n; j++) tension[i + j] = t[j];
  }
  for (int i = 0; i <= c->n; i++) {
    if (!(c->mass[i] > 0)) continue;
    for (int d = 0; d < dim; d++) {
      moved += c->mass[i] * c->v[i * c->b + d] * c->v[i * c->b + d];
      lifted += c->mass[i] * c->gravity[d] * c->q[i * c->b + d];
    }
  }
  o->elastic = 0.5 * total(elastic);
  o->kinetic = 0.5 * (c->section.rho / 420 * total(moving) + moved);
  o->gravity = -(0.5 * c->section.rho * total(high) + lifted);
}

void SURVEY(store)(const cable *c, double *tension, cable_store *o) {
  if (c->dim == 2)
    survey(c, tension, o, 2);
  else
    survey(c, tension, o, 3);
}

/* ------------------------------------------------------------------ a step */

/* Inertia's work less the change of kinetic energy, and the work of Westin's damping. */
INLINE void step_work(const cable *c, double *solver, double *damping, const int dim) {
  lanes inertia = all(0), lost = all(0);
  double masses = 0;
  for (int i = 0; i < c->n; i += LANES) {
    quartet e;
    lanes q[4][3], q0[4][3], v[4][3], v0[4][3], a[4][3], a0[4][3];
    take(c, i, &e);
    gather(c->q, &e, dim, q);
    gather(c->q0, &e, dim, q0);
    gather(c->v, &e, dim, v);
    gather(c->v0, &e, dim, v0);
    gather(c->a, &e, dim, a);
    gather(c->a0, &e, dim, a0);
    lanes work = all(0), brake = all(0);
    UNROLL for (int d = 0; d < dim; d++) {
      lanes dq[4], dv[4], sa[4], sv[4]; /* differences over the step and sums of both ends */
      UNROLL for (int k = 0; k < 4; k++) {
        lanes scale = k % 2 ? e.length : all(1);
        dq[k] = scale * (q[k][d] - q0[k][d]);
        dv[k] = scale * (v[k][d] - v0[k][d]);
        sa[k] = scale * (a[k][d] + a0[k][d]);
        sv[k] = scale * (v[k][d] + v0[k][d]);
      }
      work += mass_product(dq, sa) - mass_product(dv, sv);
      /* c int r'_t.dr', Westin Eq. (19) */
      lanes x = dq[2] - dq[0], y = sv[2] - sv[0];
      brake += x * (all(36) * y - all(3) * (sv[1] + sv[3])) + dq[1] * (all(4) * sv[1] - all(3) * y - sv[3]) +
               dq[3] * (all(4) * sv[3] - all(3) * y - sv[1]);
    }
    inertia += e.counts * e.length * work;
    lost += e.counts / e.length * brake;
  }
  for (int i = 0; i <= c->n; i++) {
    if (!(c->mass[i] > 0)) continue;
    for (int k = i * c->b; k < i * c->b + dim; k++)
      masses += c->mass[i] *
                ((c->q[k] - c->q0[k]) * (c->a[k] + c->a0[k]) - (c->v[k] - c->v0[k]) * (c->v[k] + c->v0[k]));
  }
  *solver += 0.5 * (c->section.rho / 420 * total(inertia) + masses);
  *damping += c->section.rayleigh / 60 * total(lost);
}

void SURVEY(step_work)(const cable *c, double *solver, double *damping) {
  if (c->dim == 2)
    step_work(c, solver, damping, 2);
  else
    step_work(c, solver, damping, 3);
}
