/* cable_links.h - what cable_segments.h needs for one dimension, wherever contact is: elements as matrices between two nodes, and coordinates
 * from memory and back. Included after cable_elements.h with the same DIM and NAME(x). */
#define H (2 * DIM)

/* Elements between the nodes at hand and the next, matrices by columns, but for l, by rows. */
typedef struct NAME(link) {
  lanes own[H][H], u[H][H], l[H][H], next[H][H], r[H], next_r[H];
  lanes tension, next_elastic[DIM][DIM]; /* elastic: without contact */
  lanes same[6][SKEW], turned[3][SKEW];  /* skew parts of the modes, if there are any */
} NAME(link);

/* Places, velocities and accelerations of a node in each lane. */
typedef struct NAME(motion) {
  lanes x[3][H];
} NAME(motion);

/* Coordinates of a node in each lane. */
INLINE void NAME(fetch)(const double *x, const int *node, lanes out[H]) {
  const double *row[LANES];
  UNROLL for (int k = 0; k < LANES; k++) row[k] = x + node[k] * H;
  to_columns(row, out);
#if DIM == 3
  lanes more[4];
  UNROLL for (int k = 0; k < LANES; k++) row[k] += 2;
  to_columns(row, more);
  out[4] = more[2];
  out[5] = more[3];
#endif
}

/* Adds `by` times changes of a node in each lane. */
INLINE void NAME(apply)(double *x, const int *node, const four change[LANES], const four more[LANES],
                        double by) {
  UNROLL for (int k = 0; k < LANES; k++) {
    if (node[k] < 0) continue;
    double *at = x + node[k] * H;
    save(at, load(at) + four_of(by) * change[k]);
#if DIM == 3
    at[4] += by * more[k][2];
    at[5] += by * more[k][3];
#else
    (void)more;
#endif
  }
}

/* Adds the skew parts of a quad. */
INLINE void NAME(add_skew)(const NAME(quad) * o, NAME(link) * w) {
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int j = 0; j < 2; j++) { /* pairs 00 01 11, 02 03 12 13, 22 23 33 */
      int own = i + j == 2 ? 4 : i + j, across = 2 + j + 3 * i, back = 2 + i + 3 * j, next = 7 + i + j;
      UNROLL for (int d = 0, n = 0; d < DIM; d++) {
        UNROLL for (int e = d + 1; e < DIM; e++, n++) {
          lanes x[4] = {i <= j ? o->up[own][n] : o->low[own][n], o->up[across][n], o->low[back][n],
                        i <= j ? o->up[next][n] : o->low[next][n]};
          int r = i * DIM, s = j * DIM;
          w->own[s + e][r + d] += x[0];
          w->own[s + d][r + e] -= x[0];
          w->u[s + e][r + d] += x[1];
          w->u[s + d][r + e] -= x[1];
          w->l[r + d][s + e] += x[2];
          w->l[r + e][s + d] -= x[2];
          w->next[s + e][r + d] += x[3];
          w->next[s + d][r + e] -= x[3];
        }
      }
    }
  }
}

/* The elements from the nodes at hand to `next`, which come to hand; l only if it is asked for, or not the transpose of u. */
static __attribute__((noinline)) void NAME(link_to)(const cable *c, const recipe *y, NAME(motion) * at,
                                                    const int *next, int both, NAME(link) * w) {
  lanes l, far[3][H], x[3][4][DIM];
  UNROLL for (int k = 0; k < LANES; k++) l[k] = c->length[next[k] - 1]; /* cppcheck-suppress uninitvar */
  NAME(fetch)(c->q, next, far[0]);
  NAME(fetch)(c->v, next, far[1]);
  NAME(fetch)(c->a, next, far[2]);
  UNROLL for (int i = 0; i < 3; i++) {
    UNROLL for (int d = 0; d < DIM; d++) {
      x[i][0][d] = at->x[i][d];
      x[i][1][d] = at->x[i][DIM + d];
      x[i][2][d] = at->x[i][d] = far[i][d];
      x[i][3][d] = at->x[i][DIM + d] = far[i][DIM + d];
    }
  }
  lanes f[3][DIM], k[6][SYM], mass[10], force[4][DIM], pair[10];
  if (y->extra)
    NAME(resist_all)(y, l, x[0], x[1], f, k, w->same, w->turned, &w->tension);
  else
    NAME(resist)(y, l, x[0], x[1], f, k, NULL, 0, &w->tension);
  NAME(node_masses)(y, l, mass);
  NAME(node_forces)(y, c->gravity, l, mass, f, x[2], force);
  UNROLL for (int d = 0, n = 0; d < DIM; d++) {
    w->r[d] = force[0][d];
    w->r[DIM + d] = force[1][d];
    w->next_r[d] = force[2][d];
    w->next_r[DIM + d] = force[3][d];
    UNROLL for (int e = d; e < DIM; e++, n++) {
      int both_ways[2][2] = {{d, e}, {e, d}}; /* tensors are symmetric */
      NAME(node_pairs)(y, l, mass, k, n, d == e, pair);
      UNROLL for (int side = 0; side < 2; side++) {
        int i = both_ways[side][0], j = both_ways[side][1];
        w->next_elastic[j][i] = pair[7];
        w->own[j][i] = pair[0];
        w->own[DIM + j][i] = w->own[j][DIM + i] = pair[1];
        w->own[DIM + j][DIM + i] = pair[4];
        w->u[j][i] = pair[2];
        w->u[DIM + j][i] = pair[3];
        w->u[j][DIM + i] = pair[5];
        w->u[DIM + j][DIM + i] = pair[6];
        w->next[j][i] = pair[7];
        w->next[DIM + j][i] = w->next[j][DIM + i] = pair[8];
        w->next[DIM + j][DIM + i] = pair[9];
      }
    }
  }
  if (both || y->extra) memcpy(w->l, w->u, sizeof w->l); /* symmetric so far: row r of l is column r of u */
  if (y->extra) {
    NAME(quad) skew;
    NAME(skew_to_nodes)(l, w->same, w->turned, &skew);
    NAME(add_skew)(&skew, w);
  }
}

/* Whether a contact point surely touches nothing. */
INLINE int NAME(in_the_open)(const machine *m, const contact_point *p, const double *r) {
  double gone = 0, left = p->clear - (m->travel - p->travel), square = 0, along = 0;
  UNROLL for (int d = 0; d < DIM; d++) gone += (r[d] - p->seen[d]) * (r[d] - p->seen[d]);
  if (!(left >= 0) || gone > left * left) return 0;
  if (p->near < 0) return 1;
  const drum *g = &m->drum[p->near];
  UNROLL for (int d = 0; d < DIM; d++) {
    square += (r[d] - g->center[d]) * (r[d] - g->center[d]);
    if (DIM == 3) along += (r[d] - g->center[d]) * g->axis[d];
  }
  return square - along * along >= g->radius * g->radius;
}

#undef H
