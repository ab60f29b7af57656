/* chain_plane.h - the pass of chain.c for what is most common: in the plane, contact at nodes, no border.
 * Included with TARGET, attributes of its functions, and PLANE(x).
 *
 * The same equations as in chain_pass.h, arranged for speed: rows of four doubles, elimination from both ends of
 * the cable at once so that one chain of operations fills the gaps of the other, no pivoting (a pivot that
 * is tiny has its node solved with it), and of the friction unknown f of a node, D q + U q_next - t f = -r,
 * g q + b f = -rest, only its Schur complement b + g D^-1 t. As elements are symmetric, what couples a node to
 * the one before is the transpose of what couples that to this.
 */

/* An element as seen from the end that is eliminated first: own block, coupling, block and forces of the other. */
typedef struct PLANE(link) {
  lanes own[4], u[4], next[4], r, next_r;
} PLANE(link);

/* One end of the cable being eliminated: what the last element and the last elimination leave to the next node. */
typedef struct PLANE(side) {
  lanes next[4], next_r, less[4], less_r;
  PLANE(link) link[LANES];
} PLANE(side);

/* Rows of the tensors a b, c d of four elements: lane by lane into four rows of each element. */
#define PLANE_ROWS(field, a, b, c, d)                                            \
  do {                                                                           \
    lanes row[4];                                                                \
    turn((a)[0], (a)[1], (b)[0], (b)[1], row);                                   \
    UNROLL for (int e = 0; e < LANES; e++) s->link[e].field[0] = row[e];         \
    turn((a)[1], (a)[2], (b)[1], (b)[2], row);                                   \
    UNROLL for (int e = 0; e < LANES; e++) s->link[e].field[1] = row[e];         \
    turn((c)[0], (c)[1], (d)[0], (d)[1], row);                                   \
    UNROLL for (int e = 0; e < LANES; e++) s->link[e].field[2] = row[e];         \
    turn((c)[1], (c)[2], (d)[1], (d)[2], row);                                   \
    UNROLL for (int e = 0; e < LANES; e++) s->link[e].field[3] = row[e];         \
  } while (0)

/* The next four elements of a side, from element `first` on towards the middle. */
INLINE void PLANE(load)(const cable *c, const recipe *y, int first, int from_end, PLANE(side) * s, lanes *tension) {
  quad_21 o;
  lanes r[4];
  elements_21(c, y, first, from_end ? -1 : 1, &o);
  if (from_end) {
    PLANE_ROWS(own, o.k[7], o.k[8], o.k[8], o.k[9]);
    PLANE_ROWS(u, o.k[2], o.k[5], o.k[3], o.k[6]);
    PLANE_ROWS(next, o.k[0], o.k[1], o.k[1], o.k[4]);
  } else {
    PLANE_ROWS(own, o.k[0], o.k[1], o.k[1], o.k[4]);
    PLANE_ROWS(u, o.k[2], o.k[3], o.k[5], o.k[6]);
    PLANE_ROWS(next, o.k[7], o.k[8], o.k[8], o.k[9]);
  }
  lanes(*near)[2] = from_end ? o.f + 2 : o.f, (*far)[2] = from_end ? o.f : o.f + 2;
  turn(near[0][0], near[0][1], near[1][0], near[1][1], r);
  UNROLL for (int e = 0; e < LANES; e++) s->link[e].r = r[e];
  turn(far[0][0], far[0][1], far[1][0], far[1][1], r);
  UNROLL for (int e = 0; e < LANES; e++) s->link[e].next_r = r[e];
  *tension = larger(*tension, o.tension);
}
#undef PLANE_ROWS

/* A node's friction: direction t, row g, diagonal b, what is left of it. */
typedef struct PLANE(grip) {
  int touches;
  double t[2], g[2], b, rest;
} PLANE(grip);

/* What acts on node i besides its elements: point mass, load, contact. Completes its rows. */
INLINE void PLANE(node)(machine *m, cable *c, int i, const implicit *how, double a_q, lanes d[4], lanes *r,
                        PLANE(grip) * o, leftover *left) {
  double mass = c->mass[i];
  o->touches = 0;
  if (mass > 0) {
    *r += (lanes){mass * (c->a[i * 4] - c->gravity[0]), mass * (c->a[i * 4 + 1] - c->gravity[1]), 0, 0};
    d[0] += (lanes){mass * a_q, 0, 0, 0};
    d[1] += (lanes){0, mass * a_q, 0, 0};
  }
  int end = i == 0 ? 0 : i == c->n ? 1 : -1;
  if (end >= 0) *r -= (lanes){c->load[end][0], c->load[end][1], 0, 0};
  if (c->n_points > 0) {
    contact_point *p = &c->point[i];
    const double *q = c->q + i * 4;
    if (p->drum >= 0 || p->f[0] != 0 || !in_the_open(m, p, q)) {
      touch t;
      o->touches = cps_contact_eval(m, c, p, q, c->v + i * 4, c->a + i * 4, (const double *)d, 4, how, &t);
      if (o->touches) {
        *r -= (lanes){t.force[0], t.force[1], 0, 0};
        d[0] += (lanes){t.k[0][0], t.k[0][1], 0, 0};
        d[1] += (lanes){t.k[1][0], t.k[1][1], 0, 0};
        for (int k = 0; k < 2; k++) {
          o->t[k] = t.dir[0][k];
          o->g[k] = t.rest_r[0][k];
          m->drum[p->drum].push[k] -= t.force[k];
        }
        o->b = t.rest_f[0][0];
        o->rest = t.rest[0];
        m->drum[p->drum].torque -= m->drum[p->drum].radius * p->f[0];
        double worst = fabs(o->rest) > p->wrong ? fabs(o->rest) : p->wrong;
        if (!(worst <= left->friction)) left->friction = worst;
        left->holds += p->limit;
        left->touching += 1;
      } else {
        p->f[0] = 0;
      }
    }
  }
  if (end >= 0) memcpy(c->reaction[end], r, 4 * sizeof(double));
}

/* Coordinates that do not follow the equations: no change. */
INLINE void PLANE(fix)(unsigned bits, lanes d[4], lanes u[4], lanes *r, PLANE(grip) * o) {
  for (int j = 0; j < 4; j++) {
    if (!(bits >> j & 1)) continue;
    for (int s = 0; s < 4; s++) d[s][j] = d[j][s] = u[j][s] = 0;
    d[j][j] = 1;
    (*r)[j] = 0;
    if (j < 2) o->t[j] = o->g[j] = 0;
  }
}

/* x = D^-1 u and z = D^-1 w in both sides at once, without pivoting; `good`: no pivot has lost what it was made of. */
INLINE void PLANE(solve)(lanes matrix[2][4], lanes u[2][4], lanes w[2][4], lanes x[2][4],
                         lanes z[2][4], int good[2]) {
  lanes d[2][4], inverse[2][4];
  UNROLL for (int i = 0; i < 4; i++) {
    UNROLL for (int k = 0; k < 2; k++) {
      d[k][i] = matrix[k][i];
      x[k][i] = u[k][i];
      z[k][i] = w[k][i];
    }
  }
  UNROLL for (int j = 0; j < 4; j++) {
    UNROLL for (int k = 0; k < 2; k++) {
      inverse[k][j] = all(1) / lane(d[k][j], j);
      UNROLL for (int i = j + 1; i < 4; i++) {
        lanes f = lane(d[k][i], j) * inverse[k][j];
        if (j < 3) d[k][i] -= f * d[k][j];
        x[k][i] -= f * x[k][j];
        z[k][i] -= f * z[k][j];
      }
    }
  }
  UNROLL for (int j = 3; j >= 0; j--) {
    UNROLL for (int k = 0; k < 2; k++) {
      x[k][j] *= inverse[k][j];
      z[k][j] *= inverse[k][j];
      UNROLL for (int i = 0; i < j; i++) {
        lanes f = lane(d[k][i], j);
        x[k][i] -= f * x[k][j];
        z[k][i] -= f * z[k][j];
      }
    }
  }
  UNROLL for (int k = 0; k < 2; k++) { /* what the pivots were made of, over what is left */
    lanes before = diagonal(matrix[k][0], matrix[k][1], matrix[k][2], matrix[k][3]);
    lanes inverted = diagonal(inverse[k][0], inverse[k][1], inverse[k][2], inverse[k][3]);
    lane_bits fine = magnitude(before * inverted) < all(1e13);
    good[k] = (fine[0] & fine[1] & fine[2] & fine[3]) != 0;
  }
}

/* With X = D^-1 U, and D^-1 r, D^-1 t in lanes 0 and 1 of w: takes friction into them, and stores the node. */
INLINE int PLANE(store)(cable *c, int i, const PLANE(grip) * o, lanes x[4], const lanes w[4], lanes *y) {
  double *out = c->up + (size_t)i * PLANE_STRIDE, *grip = c->right + (size_t)i * 5;
  lanes column[4];
  turn(w[0], w[1], w[2], w[3], column);
  *y = column[0];
  if (o->touches) {
    lanes z = column[1];
    double schur = o->b + o->g[0] * z[0] + o->g[1] * z[1];
    if (!(fabs(schur) > 0)) return 0;
    double inverse = 1 / schur;
    lanes row = all(inverse) * (all(o->g[0]) * x[0] + all(o->g[1]) * x[1]);
    double rest = inverse * (o->g[0] * (*y)[0] + o->g[1] * (*y)[1] - o->rest);
    UNROLL for (int k = 0; k < 4; k++) x[k] -= lane(z, k) * row;
    *y -= z * all(rest);
    save(grip, row);
    grip[4] = rest;
  }
  UNROLL for (int k = 0; k < 4; k++) save(out + 4 * k, x[k]);
  save(out + 16, *y);
  return 1;
}

/* Completes the rows of node i. */
INLINE void PLANE(complete)(machine *m, cable *c, int i, const implicit *how, double a_q, const lanes less[4],
                            lanes less_r, lanes d[4], lanes u[4], lanes r, PLANE(grip) * o, lanes w[4], lanes *force,
                            leftover *left) {
  /* what is eliminated comes last: contact takes its scale from what is elastic */
  PLANE(node)(m, c, i, how, a_q, d, &r, o, left);
  if (c->fixed[i]) PLANE(fix)(c->fixed[i], d, u, &r, o);
  *force = larger(*force, magnitude(r));
  lanes t = {0, 0, 0, 0};
  if (o->touches) t = (lanes){o->t[0], o->t[1], 0, 0};
  turn(r - less_r, t, all(0), all(0), w);
  UNROLL for (int j = 0; j < 4; j++) d[j] -= less[j];
}

/* Solves both sides, with pivoting if one needs it. */
INLINE int PLANE(solve_checked)(lanes d[2][4], lanes u[2][4], lanes w[2][4], lanes x[2][4],
                                lanes z[2][4]) {
  int good[2];
  PLANE(solve)(d, u, w, x, z, good);
  for (int k = 0; k < 2; k++)
    if (!good[k] && !plane_solve_careful(d[k], u[k], w[k], x[k], z[k])) return 0;
  return 1;
}

TARGET static int PLANE(eliminate)(machine *m, cable *c, const implicit *how, leftover *left) {
  static const lanes unit[4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  recipe y;
  PLANE(side) side[2];
  PLANE(grip) grip[2] = {{0}};
  int middle = c->n / 2, count[2] = {middle, c->n - middle};
  lanes tension = all(0), force = all(0), d[2][4], u[2][4], w[2][4], x[2][4], z[2][4];
  prepare(&y, &c->section, how);
  memset(side, 0, sizeof side);
  for (int step = 0; step < count[1]; step++) {
    UNROLL for (int k = 0; k < 2; k++) {
      PLANE(side) *s = &side[k];
      int i = k == 0 ? step : c->n - step;
      if (step >= count[k]) { /* an odd number of elements */
        memcpy(d[k], unit, sizeof unit);
        memset(u[k], 0, sizeof u[k]);
        memset(w[k], 0, sizeof w[k]);
        continue;
      }
      if (step % LANES == 0) PLANE(load)(c, &y, k == 0 ? step : c->n - 1 - step, k, s, &tension);
      const PLANE(link) *e = &s->link[step % LANES];
      UNROLL for (int j = 0; j < 4; j++) {
        d[k][j] = s->next[j] + e->own[j];
        u[k][j] = e->u[j];
      }
      PLANE(complete)(m, c, i, how, y.a_q, s->less, s->less_r, d[k], u[k], s->next_r + e->r, &grip[k], w[k], &force,
                      left);
    }
    if (!PLANE(solve_checked)(d, u, w, x, z)) return 0;
    UNROLL for (int k = 0; k < 2; k++) {
      PLANE(side) *s = &side[k];
      if (step >= count[k]) continue;
      lanes rest;
      if (!PLANE(store)(c, k == 0 ? step : c->n - step, &grip[k], x[k], z[k], &rest)) return 0;
      UNROLL for (int j = 0; j < 4; j++) {
        s->less[j] = lane(u[k][0], j) * x[k][0] + lane(u[k][1], j) * x[k][1] + lane(u[k][2], j) * x[k][2] +
                     lane(u[k][3], j) * x[k][3];
        s->next[j] = s->link[step % LANES].next[j];
      }
      s->less_r = u[k][0] * lane(rest, 0) + u[k][1] * lane(rest, 1) + u[k][2] * lane(rest, 2) + u[k][3] * lane(rest, 3);
      s->next_r = s->link[step % LANES].next_r;
    }
  }
  UNROLL for (int j = 0; j < 4; j++) {
    d[0][j] = side[0].next[j] + side[1].next[j];
    side[0].less[j] += side[1].less[j];
  }
  memcpy(d[1], unit, sizeof unit);
  memset(u, 0, sizeof u);
  memset(w, 0, sizeof w);
  PLANE(complete)(m, c, middle, how, y.a_q, side[0].less, side[0].less_r + side[1].less_r, d[0], u[0],
                  side[0].next_r + side[1].next_r, &grip[0], w[0], &force, left);
  lanes rest;
  if (!PLANE(solve_checked)(d, u, w, x, z) || !PLANE(store)(c, middle, &grip[0], x[0], z[0], &rest)) return 0;
  UNROLL for (int j = 0; j < 4; j++) {
    left->force = force[j] > left->force ? force[j] : left->force;
    left->tension = tension[j] > left->tension ? tension[j] : left->tension;
  }
  return 1;
}

/* One node of the substitution: its change from that of the node before in this order. */
INLINE lanes PLANE(change)(cable *c, int i, lanes next, lanes v_q, lanes a_q) {
  const double *in = c->up + (size_t)i * PLANE_STRIDE, *grip = c->right + (size_t)i * 5;
  double *x = c->x + (size_t)i * 5;
  lanes column[4];
  turn(load(in), load(in + 4), load(in + 8), load(in + 12), column);
  lanes change = -(load(in + 16) + column[0] * lane(next, 0) + column[1] * lane(next, 1) + column[2] * lane(next, 2) +
                   column[3] * lane(next, 3));
  save(c->q + i * 4, load(c->q + i * 4) + change);
  save(c->v + i * 4, load(c->v + i * 4) + v_q * change);
  save(c->a + i * 4, load(c->a + i * 4) + a_q * change);
  save(x, change);
  x[4] = 0;
  if (c->n_points > 0 && c->point[i].drum >= 0) {
    lanes f = load(grip) * next;
    x[4] = grip[4] + (f[0] + f[1] + (f[2] + f[3]));
    c->point[i].f[0] += x[4];
  }
  return change;
}

/* Substitutes from the middle outwards, and applies. The largest change of place; NaN if anything is not finite. */
TARGET static double PLANE(substitute)(cable *c, const implicit *how) {
  int middle = c->n / 2;
  lanes v_q = all(how->v_a / how->q_a), a_q = all(1 / how->q_a), most = all(0), sum = all(0);
  lanes x[2] = {PLANE(change)(c, middle, all(0), v_q, a_q)};
  x[1] = x[0];
  most = magnitude(x[0]);
  for (int step = 1; step <= c->n - middle; step++) {
    if (step <= middle) x[0] = PLANE(change)(c, middle - step, x[0], v_q, a_q);
    x[1] = PLANE(change)(c, middle + step, x[1], v_q, a_q);
    most = larger(most, larger(magnitude(x[0]), magnitude(x[1])));
    sum += x[0] + x[1];
  }
  double moved = most[0] > most[1] ? most[0] : most[1];
  return isfinite(sum[0] + sum[1] + (sum[2] + sum[3])) ? moved : NAN;
}

#undef PLANE
#undef TARGET
