/* cable_segments.h - a Newton iteration of the inner nodes of a cable, one segment in each lane of a vector: included with DIM, POINTS
 * (contact points of an element; 0: contact is at nodes), NAME(x), and ELEMENT(x) of cable_elements.h. See cable_elimination.c.
 *
 * A cable is cut at LANES - 1 of its nodes into segments of equal length, which are eliminated side by side from their first node
 * on. What is left of a segment couples the two nodes between which it lies, its interfaces; cable_pass.h goes on with these. With q
 * of the node at hand, q' of the next, p the unknowns of the interface that the segment starts from, f friction that is eliminated
 * with the node, and y the unknowns of the border,
 *
 *   D q + U q' + V p - T f + B y = -r          of the node
 *   G q + G' q' + b f + b_y y    = -rest       of friction
 *   L q + ...        - T' f      = ...         of the next node
 *   C q + ...                    = ...         of the interface
 *   A q + a f + ...              = ...         of the border
 *
 * The first two give q and f as columns in q', p, 1 and y; each column leaves its part to the other equations as soon as it is
 * known. Friction of a point in an element is eliminated with the element's first node; that of the first element of a
 * segment is one of the unknowns p, as a node can be held by the friction of one element, not of two.
 *
 * There is no pivoting; where a pivot is tiny the lane is solved with it. Lanes may be one node longer than others: those that are
 * not begin one step later.
 */
#define H (2 * DIM)
#define A (DIM - 1)
#if POINTS > 0
#define PLACES POINTS  /* contact points that come with a node */
#define W      (H + S) /* unknowns p */
#else
#define PLACES 1
#define W      H
#endif
#define S (PLACES * A) /* friction forces that are eliminated with it */
#define KEPT                                                                                                 \
  (1 + H * H + W * H + H + S * (H + W + 1)) /* vectors that a step keeps, but for the border's columns */

/* What a contact point does, as a contact_response has it. */
typedef struct NAME(grip) {
  lanes shape[4], dir[A][DIM], by[A][DIM], b[A][A], rest[A], k[DIM][DIM], force[DIM];
} NAME(grip);

/* What it has to do with an unknown of the border. */
typedef struct NAME(edge) {
  lanes column[DIM], column_f[A], row[DIM], row_f[A];
} NAME(edge);

typedef struct NAME(contacts) {
  int any;
  NAME(grip) at[PLACES];
  NAME(edge) edge[BORDER_MET][PLACES];
} NAME(contacts);

/* What earlier steps leave to a node, to the interface and to the border's columns and rows. Matrices by columns, but
 * for c, of which steps use the two copies in turn. */
typedef struct NAME(state) {
  lanes d[H][H], less[H], r[H];
  lanes v[W][H], c[2][W][H], own[W][W], own_less[W], own_r[H], own_elastic[DIM][DIM];
  lanes b[BORDER_MET][H], a[BORDER_MET][H], own_b[BORDER_MET][W], own_a[BORDER_MET][W];
} NAME(state);

/* Factors of a node's block, and of the friction that is eliminated with it. */
typedef struct NAME(factors) {
  lanes a[H][H], inverse[H];
  lanes z[S][H], g[S][H], g_next[S][H], t_next[S][H], f[S][S], f_inverse[S];
  int bad; /* lanes that need pivoting, by bits */
  double careful[LANES][H * H];
  int pivot[LANES][H];
} NAME(factors);

typedef struct NAME(pass) {
  machine *m;
  cable *c;
  const step_coeffs *coeffs;
  residual_norms *left;
  recipe y;
  int active[LANES];       /* lanes that have begun, */
  lane_bits mask;          /* and their bits */
  int turn;                /* which of the copies of c is at hand */
  ELEMENT(motion) at;      /* of the nodes at hand */
  lanes elastic[DIM][DIM]; /* of the nodes at hand, by the elements before */
  lanes force, tension;
  /* Unknowns of the border that a lane has met, in slots of its own: a lane meets few of them, and a slot is one more column of
   * all lanes. n_met: slots that any lane uses; met: -1 where a lane does not. What slots take from the border's equations, from
   * their right-hand sides and from each other's columns, is summed lane by lane. */
  int n_met, met[BORDER_MET][LANES];
  lanes rhs[BORDER_MET], square[BORDER_MET][BORDER_MET];
  NAME(contacts) t[2];   /* of a step and of the next, which is looked at before the first is eliminated: */
  ELEMENT(link) link[2]; /* numbers that are put into single lanes are not at hand as vectors at once */
  NAME(factors) f;
} NAME(pass);

/* ------------------------------------------------------------------ contact */

/* The slot of the unknown `at` of the border in a lane. */
static int NAME(slot_of)(NAME(pass) * o, NAME(state) * s, int at, int lane) {
  int k = 0;
  while (k < o->n_met && o->met[k][lane] >= 0 && o->met[k][lane] != at) k++;
  if (k == o->n_met) {
    o->n_met++;
    for (int i = 0; i < LANES; i++) o->met[k][i] = -1;
    memset(s->b[k], 0, sizeof s->b[k]);
    memset(s->a[k], 0, sizeof s->a[k]);
    memset(s->own_b[k], 0, sizeof s->own_b[k]);
    memset(s->own_a[k], 0, sizeof s->own_a[k]);
    for (int i = 0; i < 2; i++) memset(o->t[i].edge[k], 0, sizeof o->t[i].edge[k]);
    o->rhs[k] = all(0);
    for (int i = 0; i <= k; i++) o->square[i][k] = o->square[k][i] = all(0);
  }
  o->met[k][lane] = at;
  return k;
}

/* Nothing touches yet. */
static void NAME(clear)(NAME(contacts) * t, int n_met) {
  t->any = 1;
  memset(t->at, 0, sizeof t->at);
  memset(t->edge, 0, (size_t)n_met * sizeof t->edge[0]);
  for (int i = 0; i < PLACES; i++)
    for (int j = 0; j < A; j++) t->at[i].b[j][j] = all(1);
}

/* Looks at a point that may touch, and puts what it does into its lane. */
static __attribute__((noinline)) void NAME(touch)(NAME(pass) * o, NAME(state) * s, NAME(contacts) * all_of,
                                                  contact_point *p, int place, int lane, const double *r,
                                                  lanes elastic[DIM][DIM]) {
  machine *m = o->m;
  cable *c = o->c;
  contact_response t;
  double stiff[DIM * DIM], v[DIM], a[DIM];
  const double *q_t = c->v + p->node * H, *q_tt = c->a + p->node * H;
  for (int d = 0; d < DIM; d++) {
    v[d] = q_t[d];
    a[d] = q_tt[d];
    for (int e = 0; e < DIM; e++) stiff[d * DIM + e] = elastic[e][d][lane];
#if POINTS > 0
    v[d] = a[d] = 0;
    for (int i = 0; i < 4; i++) {
      v[d] += p->shape[i] * q_t[i * DIM + d];
      a[d] += p->shape[i] * q_tt[i * DIM + d];
    }
#endif
  }
  if (!cps_contact_eval(m, c, p, r, v, a, stiff, DIM, o->coeffs, &t)) {
    for (int i = 0; i < A; i++) p->f[i] = 0;
    return;
  }
  if (!all_of->any) NAME(clear)(all_of, o->n_met);
  NAME(grip) *g = &all_of->at[place];
  drum *drum = &m->drum[p->drum];
  double worst = p->wrong;
  for (int i = 0; i < A; i++) {
    double size = fabs(t.rest[i]);
    worst = worst > size ? worst : size;
    if (!(size < INFINITY)) worst = size;
    g->rest[i][lane] = t.rest[i];
    for (int j = 0; j < A; j++) g->b[i][j][lane] = t.rest_f[i][j];
    /* see prefer in cable_pass.h */
    if (DIM == 3 && POINTS > 1) g->b[i][i][lane] += 1e-6;
    for (int d = 0; d < DIM; d++) {
      g->dir[i][d][lane] = t.dir[i][d];
      g->by[i][d][lane] = t.rest_r[i][d];
    }
  }
  for (int d = 0; d < DIM; d++) {
    g->force[d][lane] = t.force[d];
    drum->push[d] -= t.force[d];
    for (int e = 0; e < DIM; e++) g->k[d][e][lane] = t.k[d][e];
  }
  for (int i = 0; i < 4 && POINTS > 0; i++) g->shape[i][lane] = p->shape[i];
  drum->torque -= drum->radius * p->f[0];
  if (!(worst <= o->left->friction)) o->left->friction = worst;
  o->left->holds += p->limit;
  o->left->touching += 1;
  if (m->near == 0) return;
  border_touch b;
  cps_contact_border(m, p, &t, &b);
  for (int i = 0; i < b.n; i++) {
    NAME(edge) *e = &all_of->edge[NAME(slot_of)(o, s, b.at[i], lane)][place];
    for (int d = 0; d < DIM; d++) {
      e->column[d][lane] += b.column[i][d];
      e->row[d][lane] += b.row[i][d];
    }
    for (int j = 0; j < A; j++) {
      e->column_f[j][lane] += b.column_f[i][j];
      e->row_f[j][lane] += b.row_f[i][j];
    }
  }
}

/* The contact points of nodes, or of the elements that start there. */
INLINE void NAME(look)(NAME(pass) * o, NAME(state) * s, NAME(contacts) * t, const int *node,
                       lanes elastic[DIM][DIM]) {
  cable *c = o->c;
  t->any = 0;
  if (c->n_points == 0) return;
  for (int k = 0; k < LANES; k++) {
    if (!o->active[k]) continue;
    const double *q = c->q + node[k] * H;
    for (int i = 0; i < PLACES; i++) {
      contact_point *p = &c->point[node[k] * PLACES + i];
#if POINTS > 0
      double r[DIM];
      UNROLL for (int d = 0; d < DIM; d++) r[d] = p->shape[0] * q[d] + p->shape[1] * q[DIM + d] +
                                                  p->shape[2] * q[2 * DIM + d] + p->shape[3] * q[3 * DIM + d];
#else
      const double *r = q;
#endif
      if (p->drum < 0 && p->f[0] == 0 && (DIM == 2 || p->f[1] == 0) && ELEMENT(in_the_open)(o->m, p, r))
        continue;
      NAME(touch)(o, s, t, p, i, k, r, elastic);
    }
  }
}

/* Forces and stiffness of contact, into the link. */
INLINE void NAME(press)(const NAME(contacts) * t, ELEMENT(link) * w) {
#if POINTS > 0
  for (int p = 0; p < PLACES; p++) {
    const NAME(grip) *g = &t->at[p];
    for (int i = 0; i < 4; i++) {
      lanes *r = i < 2 ? w->r : w->next_r;
      UNROLL for (int d = 0; d < DIM; d++) r[i % 2 * DIM + d] -= g->shape[i] * g->force[d];
      for (int j = 0; j < 4; j++) {
        lanes both = g->shape[i] * g->shape[j];
        UNROLL for (int d = 0; d < DIM; d++) {
          UNROLL for (int e = 0; e < DIM; e++) {
            int row = i % 2 * DIM + d, column = j % 2 * DIM + e;
            lanes *into = i < 2   ? j < 2 ? &w->own[column][row] : &w->u[column][row]
                            : j < 2 ? &w->l[row][column]
                                  : &w->next[column][row];
            *into += both * g->k[d][e];
          }
        }
      }
    }
  }
#else
  UNROLL for (int d = 0; d < DIM; d++) {
    w->r[d] -= t->at[0].force[d];
    UNROLL for (int e = 0; e < DIM; e++) w->own[e][d] += t->at[0].k[d][e];
  }
#endif
}

/* A vector at a contact point as coordinates of its near node, or of the far one. */
INLINE void NAME(spread)(const NAME(grip) * g, const lanes x[DIM], int far, lanes out[H]) {
  UNROLL for (int d = 0; d < DIM; d++) {
    out[d] = POINTS > 0 ? g->shape[2 * far] * x[d] : far ? all(0) : x[d];
    out[DIM + d] = POINTS > 0 ? g->shape[2 * far + 1] * x[d] : all(0);
  }
}

/* ------------------------------------------------------------------ elimination */

/* Lanes without a good pivot get factors of their own. */
static __attribute__((noinline)) int NAME(factor_carefully)(NAME(factors) * f, lanes d[H][H], lanes own[H][H],
                                                            lane_bits good) {
  for (int k = 0; k < LANES; k++) {
    if (good[k]) continue;
    for (int r = 0; r < H; r++)
      for (int s = 0; s < H; s++) f->careful[k][r * H + s] = d[s][r][k] + own[s][r][k];
    if (dense_factor(f->careful[k], H, H, f->pivot[k], NULL) == 0) return 0;
    f->bad |= 1 << k;
  }
  return 1;
}

/* D = d + own; 0 if it is singular. */
INLINE int NAME(factor)(NAME(factors) * f, lanes d[H][H], lanes own[H][H]) {
  lane_bits good = ~(lane_bits){0};
  lanes size[H];
  UNROLL for (int s = 0; s < H; s++) {
    UNROLL for (int r = 0; r < H; r++) f->a[s][r] = d[s][r] + own[s][r];
    size[s] = magnitude(f->a[s][s]);
  }
  UNROLL for (int j = 0; j < H; j++) {
    good &= magnitude(f->a[j][j]) > all(1e-13) * size[j];
    lanes inverse = f->inverse[j] = all(1) / f->a[j][j];
    UNROLL for (int i = j + 1; i < H; i++) {
      lanes by = f->a[j][i] *= inverse;
      UNROLL for (int k = j + 1; k < H; k++) f->a[k][i] -= by * f->a[k][j];
    }
  }
  f->bad = 0;
  return every(good) || NAME(factor_carefully)(f, d, own, good);
}

/* x = D^-1 x */
INLINE void NAME(solve_plainly)(const NAME(factors) * f, lanes x[H]) {
  UNROLL for (int j = 0; j < H; j++) UNROLL for (int i = j + 1; i < H; i++) x[i] -= f->a[j][i] * x[j];
  UNROLL for (int j = H - 1; j >= 0; j--) {
    x[j] *= f->inverse[j];
    UNROLL for (int i = 0; i < j; i++) x[i] -= f->a[j][i] * x[j];
  }
}

static __attribute__((noinline)) void NAME(solve_carefully)(const NAME(factors) * f, lanes x[H]) {
  lanes before[H];
  memcpy(before, x, sizeof before);
  NAME(solve_plainly)(f, x);
  for (int k = 0; k < LANES; k++) {
    double column[H];
    if (!(f->bad >> k & 1)) continue;
    for (int r = 0; r < H; r++) column[r] = before[r][k];
    dense_solve(f->careful[k], H, H, f->pivot[k], column, 1, 1);
    for (int r = 0; r < H; r++) x[r][k] = column[r];
  }
}

INLINE void NAME(solve)(const NAME(factors) * f, lanes x[H]) {
  if (__builtin_expect(f->bad, 0)) { /* in another place, so that x stays in registers */
    lanes copy[H];
    UNROLL for (int i = 0; i < H; i++) copy[i] = x[i];
    NAME(solve_carefully)(f, copy);
    UNROLL for (int i = 0; i < H; i++) x[i] = copy[i];
    return;
  }
  NAME(solve_plainly)(f, x);
}

/* Friction: Z = D^-1 T, and the factors of b + G Z. 0 if that is singular. */
INLINE int NAME(factor_friction)(NAME(factors) * f, const NAME(contacts) * t) {
  lane_bits good = ~(lane_bits){0};
  for (int p = 0, n = 0; p < PLACES; p++) {
    const NAME(grip) *g = &t->at[p];
    for (int i = 0; i < A; i++, n++) {
      NAME(spread)(g, g->dir[i], 0, f->z[n]);
      NAME(spread)(g, g->by[i], 0, f->g[n]);
      if (POINTS > 0) NAME(spread)(g, g->dir[i], 1, f->t_next[n]);
      if (POINTS > 0) NAME(spread)(g, g->by[i], 1, f->g_next[n]);
      NAME(solve)(f, f->z[n]);
    }
  }
  for (int i = 0; i < S; i++) {
    for (int j = 0; j < S; j++) {
      lanes sum = i / A == j / A ? t->at[i / A].b[i % A][j % A] : all(0);
      UNROLL for (int k = 0; k < (POINTS > 0 ? H : DIM); k++) sum += f->g[i][k] * f->z[j][k];
      f->f[i][j] = sum;
    }
  }
  UNROLL for (int j = 0; j < S; j++) {
    good &= magnitude(f->f[j][j]) > all(0);
    f->f_inverse[j] = all(1) / f->f[j][j];
    UNROLL for (int i = j + 1; i < S; i++) {
      lanes by = f->f[i][j] *= f->f_inverse[j];
      UNROLL for (int k = j + 1; k < S; k++) f->f[i][k] -= by * f->f[j][k];
    }
  }
  return every(good);
}

/* Friction in columns that D^-1 has been applied to: f from its right-hand side, and x with it. */
INLINE void NAME(add_friction)(const NAME(factors) * q, lanes *x_at, lanes *f_at) {
  lanes f[S], x[H];
  UNROLL for (int i = 0; i < H; i++) x[i] = x_at[i];
  UNROLL for (int i = 0; i < S; i++) {
    f[i] = f_at[i];
    UNROLL for (int k = 0; k < (POINTS > 0 ? H : DIM); k++) f[i] -= q->g[i][k] * x[k];
  }
  UNROLL for (int j = 0; j < S; j++) UNROLL for (int i = j + 1; i < S; i++) f[i] -= q->f[i][j] * f[j];
  UNROLL for (int j = S - 1; j >= 0; j--) {
    f[j] *= q->f_inverse[j];
    UNROLL for (int i = 0; i < j; i++) f[i] -= q->f[i][j] * f[j];
  }
  UNROLL for (int i = 0; i < S; i++) UNROLL for (int k = 0; k < H; k++) x[k] += q->z[i][k] * f[i];
  UNROLL for (int i = 0; i < H; i++) x_at[i] = x[i];
  UNROLL for (int i = 0; i < S; i++) f_at[i] = f[i];
}

/* What n columns take from the equations of the next node and of the interface: together, as these are multiplied with the same. */
INLINE void NAME(pass_on)(const NAME(factors) * q, lanes l[H][H], lanes c[W][H], const int rubs, const int n,
                          const lanes *const x_at[], const lanes *const f_at[], lanes next[][H],
                          lanes own[][W]) {
  lanes x[2][H];
  UNROLL for (int m = 0; m < n; m++) UNROLL for (int k = 0; k < H; k++) x[m][k] = x_at[m][k];
  UNROLL for (int r = 0; r < H; r++) {
    UNROLL for (int k = 0; k < H; k++) {
      lanes by = l[r][k];
      UNROLL for (int m = 0; m < n; m++) next[m][r] -= by * x[m][k];
    }
    if (rubs && POINTS > 0) {
      UNROLL for (int i = 0; i < S; i++) {
        lanes by = q->t_next[i][r];
        UNROLL for (int m = 0; m < n; m++) next[m][r] += by * f_at[m][i];
      }
    }
  }
  UNROLL for (int r = 0; r < W; r++) {
    UNROLL for (int k = 0; k < H; k++) {
      lanes by = c[r][k];
      UNROLL for (int m = 0; m < n; m++) own[m][r] -= by * x[m][k];
    }
  }
}

/* What the column takes from the equation of unknown k of the border. */
INLINE lanes NAME(border_part)(const NAME(contacts) * t, const NAME(state) * s, int k, const int rubs,
                               const lanes x[H], const lanes f[S]) {
  lanes sum = all(0);
  UNROLL for (int i = 0; i < H; i++) sum += s->a[k][i] * x[i];
  if (rubs) UNROLL for (int i = 0; i < S; i++) sum += t->edge[k][i / A].row_f[i % A] * f[i];
  return sum;
}

/* Applies D^-1 to a column. */
INLINE void NAME(solve_to)(const NAME(factors) * q, const lanes *from, lanes *to) {
  lanes x[H];
  UNROLL for (int i = 0; i < H; i++) x[i] = from[i];
  NAME(solve)(q, x);
  UNROLL for (int i = 0; i < H; i++) to[i] = x[i];
}

/* Eliminates nodes with contacts t, their factors at hand; s becomes the state of the next ones. Columns are those of q', p, 1 and y;
 * all of them are solved before friction is added to any, and so on: what is done to one waits for what was done to it before. */
INLINE void NAME(eliminate_nodes)(NAME(pass) * o, NAME(state) * s, ELEMENT(link) * w,
                                  const NAME(contacts) * t, lanes *kept, const int rubs) {
  enum { V = H, ONE = H + W, ALL = H + W + 1 };
  const NAME(factors) *q = &o->f;
  lanes(*l)[H] = POINTS > 0 || o->y.extra ? w->l : w->u;
  int n_met = o->n_met;
  lanes(*c)[H] = s->c[o->turn], (*c_next)[H] = s->c[!o->turn], row[BORDER_MET][H], r[H];
  lanes *x_at = kept + 1, *f_at = x_at + ALL * H, *b_at = kept + KEPT;
  o->turn = !o->turn;
  kept[0][0] = rubs;
  kept[0][1] = n_met;
  UNROLL for (int i = 0; i < H; i++) {
    r[i] = s->r[i] + s->less[i] + w->r[i];
    s->r[i] = w->next_r[i];
  }
  for (int k = 0; k < H; k++) NAME(solve_to)(q, w->u[k], x_at + k * H);
  for (int k = 0; k < W; k++) NAME(solve_to)(q, s->v[k], x_at + (V + k) * H);
  NAME(solve_to)(q, r, x_at + ONE * H);
  for (int k = 0; k < n_met; k++) NAME(solve_to)(q, s->b[k], b_at + k * (H + S));
  if (rubs) {
    UNROLL for (int i = 0; i < S; i++) {
      UNROLL for (int k = 0; k < H; k++) f_at[k * S + i] = POINTS > 0 ? q->g_next[i][k] : all(0);
      UNROLL for (int k = 0; k < W; k++) f_at[(V + k) * S + i] = all(0);
      f_at[ONE * S + i] = t->at[i / A].rest[i % A];
      for (int k = 0; k < n_met; k++) b_at[k * (H + S) + H + i] = t->edge[k][i / A].column_f[i % A];
    }
    for (int k = 0; k < ALL; k++) NAME(add_friction)(q, x_at + k * H, f_at + k * S);
    for (int k = 0; k < n_met; k++) NAME(add_friction)(q, b_at + k * (H + S), b_at + k * (H + S) + H);
  }
  for (int k = 0; k < H; k++) { /* q' and p */
    const lanes *x[2] = {x_at + (V + k) * H, x_at + k * H}, *f[2] = {f_at + (V + k) * S, f_at + k * S};
    lanes next[2][H], own[2][W];
    UNROLL for (int i = 0; i < H; i++) {
      next[0][i] = all(0);
      next[1][i] = w->next[k][i];
    }
    UNROLL for (int i = 0; i < W; i++) {
      own[0][i] = s->own[k][i];
      own[1][i] = all(0);
    }
    NAME(pass_on)(q, l, c, rubs, 2, x, f, next, own);
    UNROLL for (int i = 0; i < H; i++) {
      s->v[k][i] = next[0][i];
      s->d[k][i] = next[1][i];
    }
    UNROLL for (int i = 0; i < W; i++) {
      s->own[k][i] = own[0][i];
      c_next[i][k] = own[1][i];
    }
    for (int n = 0; n < n_met; n++) {
      s->own_a[n][k] -= NAME(border_part)(t, s, n, rubs, x[0], f[0]);
      row[n][k] = -NAME(border_part)(t, s, n, rubs, x[1], f[1]);
    }
  }
  for (int k = H; k <= W + n_met; k++) { /* the rest of p, 1, and y */
    int is_p = k < W, y = k - W - 1;
    const lanes *x[1] = {k <= W ? x_at + (V + k) * H : b_at + y * (H + S)};
    const lanes *f[1] = {k <= W ? f_at + (V + k) * S : x[0] + H};
    lanes *to = s->less, *own_to = s->own_less;
    if (is_p) {
      to = s->v[k];
      own_to = s->own[k];
    } else if (y >= 0) {
      to = s->b[y];
      own_to = s->own_b[y];
    }
    lanes next[1][H], own[1][W];
    UNROLL for (int i = 0; i < H; i++) next[0][i] = all(0);
    UNROLL for (int i = 0; i < W; i++) own[0][i] = own_to[i];
    NAME(pass_on)(q, l, c, rubs, 1, x, f, next, own);
    UNROLL for (int i = 0; i < H; i++) to[i] = next[0][i];
    UNROLL for (int i = 0; i < W; i++) own_to[i] = own[0][i];
    for (int n = 0; n < n_met; n++) {
      lanes part = NAME(border_part)(t, s, n, rubs, x[0], f[0]);
      if (is_p)
        s->own_a[n][k] -= part;
      else
        *(k == W ? &o->rhs[n] : &o->square[n][y]) -= part;
    }
  }
  for (int n = 0; n < n_met; n++) memcpy(s->a[n], row[n], sizeof row[n]);
}

/* What contact has to do with the border: columns and rows of the near nodes, or of the far ones. */
static void NAME(add_edges)(const NAME(contacts) * t, int n_met, int far, lanes (*b)[H], lanes (*a)[H]) {
  for (int k = 0; k < n_met; k++) {
    for (int p = 0; p < PLACES; p++) {
      lanes x[H];
      NAME(spread)(&t->at[p], t->edge[k][p].column, far, x);
      for (int i = 0; i < H; i++) b[k][i] += x[i];
      NAME(spread)(&t->at[p], t->edge[k][p].row, far, x);
      for (int i = 0; i < H; i++) a[k][i] += x[i];
    }
  }
}

/* Point masses at nodes. */
INLINE void NAME(weigh)(NAME(pass) * o, const int *node, lanes elastic[DIM][DIM], ELEMENT(link) * w) {
  const cable *c = o->c;
  lanes mass;
  UNROLL for (int k = 0; k < LANES; k++) mass[k] = c->mass[node[k]]; /* cppcheck-suppress uninitvar */
  if (every(mass == all(0))) return;
  lanes at[H];
  ELEMENT(fetch)(c->a, node, at);
  UNROLL for (int d = 0; d < DIM; d++) {
    w->r[d] += mass * (at[d] - all(c->gravity[d]));
    w->own[d][d] += mass * o->y.da;
    elastic[d][d] += mass * o->y.da;
  }
}

/* Looks at a node in each lane: its elements to the next one, and its contact. */
static void NAME(prepare)(NAME(pass) * o, NAME(state) * s, int j, const int *node) {
  ELEMENT(link) *w = &o->link[j % 2];
  lanes elastic[DIM][DIM];
  int next[LANES];
  UNROLL for (int k = 0; k < LANES; k++) next[k] = node[k] + 1;
  ELEMENT(link_to)(o->c, &o->y, &o->at, next, POINTS > 0, w);
  o->tension = larger(w->tension, o->tension);
  UNROLL for (int e = 0; e < DIM; e++) {
    UNROLL for (int d = 0; d < DIM; d++) {
      elastic[e][d] = o->elastic[e][d] + w->own[e][d];
      o->elastic[e][d] = w->next_elastic[e][d];
    }
  }
  NAME(weigh)(o, node, elastic, w);
  NAME(look)(o, s, &o->t[j % 2], node, elastic);
}

/* Eliminates it; 0 if something is singular. */
static int NAME(eliminate_step)(NAME(pass) * o, NAME(state) * s, int j, lanes *kept) {
  ELEMENT(link) *w = &o->link[j % 2];
  NAME(contacts) *t = &o->t[j % 2];
  if (t->any) {
    NAME(press)(t, w);
    NAME(add_edges)(t, o->n_met, 0, s->b, s->a);
  }
  UNROLL for (int i = 0; i < H; i++) {
    lanes size = magnitude(s->r[i] + w->r[i]);
    o->force = larger((lanes)((lane_bits)size & o->mask), o->force);
  }
  if (!NAME(factor)(&o->f, s->d, w->own)) return 0;
  if (!t->any) {
    NAME(eliminate_nodes)(o, s, w, t, kept, 0);
    return 1;
  }
  if (!NAME(factor_friction)(&o->f, t)) return 0;
  NAME(eliminate_nodes)(o, s, w, t, kept, 1);
  if (POINTS > 0) NAME(add_edges)(t, o->n_met, 1, s->b, s->a);
  return 1;
}

/* Segments that start from the interfaces `node`. */
static void NAME(begin)(NAME(pass) * o, NAME(state) * s, const int *node) {
  ELEMENT(link) *w = &o->link[0];
  int next[LANES];
  size_t met = (size_t)o->n_met;
  for (int k = 0; k < LANES; k++) next[k] = node[k] + 1;
  memset(s->b, 0, met * sizeof s->b[0]);
  memset(s->a, 0, met * sizeof s->a[0]);
  memset(s->own_b, 0, met * sizeof s->own_b[0]);
  memset(s->own_a, 0, met * sizeof s->own_a[0]);
  ELEMENT(fetch)(o->c->q, node, o->at.x[0]);
  ELEMENT(fetch)(o->c->v, node, o->at.x[1]);
  ELEMENT(fetch)(o->c->a, node, o->at.x[2]);
  ELEMENT(link_to)(o->c, &o->y, &o->at, next, POINTS > 0, w);
  o->tension = larger(w->tension, o->tension);
  for (int e = 0; e < DIM; e++) {
    for (int d = 0; d < DIM; d++) {
      s->own_elastic[e][d] = w->own[e][d];
      o->elastic[e][d] = w->next_elastic[e][d];
    }
  }
#if POINTS > 0
  NAME(contacts) *t = &o->t[0];
  lanes twice[DIM][DIM], times = all(1); /* the element before, if there is one, is about as stiff */
  for (int k = 0; k < LANES; k++) times[k] += node[k] > 0;
  for (int e = 0; e < DIM; e++)
    for (int d = 0; d < DIM; d++) twice[e][d] = times * w->own[e][d];
  NAME(look)(o, s, t, node, twice);
  if (!t->any) NAME(clear)(t, o->n_met);
  NAME(press)(t, w);
  NAME(add_edges)(t, o->n_met, 1, s->b, s->a);
  for (int n = 0; n < S; n++) {
    const NAME(grip) *g = &t->at[n / A];
    lanes x[H], y[H];
    NAME(spread)(g, g->dir[n % A], 0, x);
    NAME(spread)(g, g->by[n % A], 0, y);
    for (int i = 0; i < H; i++) {
      s->own[H + n][i] = -x[i];
      s->own[i][H + n] = y[i];
    }
    NAME(spread)(g, g->dir[n % A], 1, x);
    NAME(spread)(g, g->by[n % A], 1, y);
    for (int i = 0; i < H; i++) {
      s->v[H + n][i] = -x[i];
      s->c[o->turn][H + n][i] = y[i];
    }
    for (int i = 0; i < S; i++) s->own[H + i][H + n] = i / A == n / A ? g->b[n % A][i % A] : all(0);
    s->own_less[H + n] = g->rest[n % A];
    for (int k = 0; k < o->n_met; k++) {
      s->own_b[k][H + n] += t->edge[k][n / A].column_f[n % A];
      s->own_a[k][H + n] += t->edge[k][n / A].row_f[n % A];
    }
  }
  for (int k = 0; k < o->n_met; k++) {
    for (int p = 0; p < PLACES; p++) {
      lanes x[H];
      NAME(spread)(&t->at[p], t->edge[k][p].column, 0, x);
      for (int i = 0; i < H; i++) s->own_b[k][i] += x[i];
      NAME(spread)(&t->at[p], t->edge[k][p].row, 0, x);
      for (int i = 0; i < H; i++) s->own_a[k][i] += x[i];
    }
  }
#endif
  lanes(*l)[H] = POINTS > 0 || o->y.extra ? w->l : w->u;
  for (int i = 0; i < H; i++) {
    s->r[i] = w->next_r[i];
    s->own_r[i] = w->r[i];
    s->less[i] = s->own_less[i] = all(0);
    for (int k = 0; k < H; k++) {
      s->d[k][i] = w->next[k][i];
      s->own[k][i] = w->own[k][i];
      s->c[o->turn][i][k] = w->u[k][i];
      s->v[k][i] = l[i][k];
    }
  }
}

/* Takes the lanes that are not active from another state. */
static void NAME(blend)(const NAME(pass) * o, NAME(state) * s, const NAME(state) * other) {
  size_t size = sizeof *s / sizeof(lanes);
  lanes *to = &s->d[0][0];
  const lanes *from = &other->d[0][0];
  for (size_t i = 0; i < size; i++)
    for (int k = 0; k < LANES; k++)
      if (!o->active[k]) to[i][k] = from[i][k];
}

/* Hands what is left of a segment over to its two interfaces. */
static void NAME(hand_over)(const NAME(pass) * o, const NAME(state) * s, int k, segment_ends *e) {
  cable *c = o->c;
  int nb = o->m->near, wide = 1 + nb, width = c->width;
  for (int i = 0; i < W; i++) {
    for (int j = 0; j < W; j++) e->own[i][j] = s->own[j][i][k];
    for (int j = 0; j < H; j++) {
      e->u[i][j] = s->c[o->turn][i][j][k];
      e->l[j][i] = s->v[i][j][k];
    }
    e->less[i] = s->own_less[i][k];
  }
  for (int i = 0; i < H; i++) {
    for (int j = 0; j < H; j++) e->next[i][j] = s->d[j][i][k];
    e->r[i] = s->own_r[i][k];
    e->next_r[i] = s->r[i][k];
    e->next_less[i] = s->less[i][k];
  }
  for (int i = 0; i < DIM; i++) {
    for (int j = 0; j < DIM; j++) {
      e->elastic[i][j] = s->own_elastic[j][i][k];
      e->next_elastic[i][j] = o->elastic[j][i][k];
    }
  }
  for (int n = 0; n < o->n_met; n++) {
    int at = o->met[n][k];
    if (at < 0) continue;
    o->m->rhs[at] += o->rhs[n][k];
    for (int i = 0; i < o->n_met; i++)
      if (o->met[i][k] >= 0) o->m->s[at * nb + o->met[i][k]] += o->square[n][i][k];
    double *right = c->right + (size_t)k * (size_t)(width * wide),
           *across = c->across + (size_t)k * (size_t)(width * nb);
    for (int i = 0; i < W; i++) {
      right[i * wide + 1 + at] += s->own_b[n][i][k];
      across[at * width + i] += s->own_a[n][i][k];
    }
    right += width * wide;
    across += width * nb;
    for (int i = 0; i < H; i++) {
      right[i * wide + 1 + at] += s->b[n][i][k];
      across[at * width + i] += s->a[n][i][k];
    }
  }
}

/* The nodes of all lanes in step j: they reach the interfaces that their segments end at in the same step. */
INLINE int NAME(nodes_of)(const cable *c, int j, int node[LANES]) {
  int steps = c->cut[1] - c->cut[0]; /* the first is the longest */
  UNROLL for (int k = 0; k < LANES; k++) node[k] = c->cut[k + 1] - (steps - j);
  return steps;
}

static void NAME(activate)(NAME(pass) * o, int k, int active) {
  o->active[k] = active;
  o->mask[k] = active ? -1 : 0;
}

static int NAME(eliminate)(machine *m, cable *c, const step_coeffs *coeffs, segment_ends *ends,
                           residual_norms *left) {
  NAME(pass) o;
  NAME(state) s;
  int node[LANES], from = 1, uneven = c->cut[1] - c->cut[0] > c->cut[LANES] - c->cut[LANES - 1];
  size_t stride = (size_t)(KEPT + m->near * (H + S));
  lanes *kept = (lanes *)(void *)c->kept;
  o.m = m;
  o.c = c;
  o.coeffs = coeffs;
  o.left = left;
  o.n_met = 0;
  o.turn = 0;
  o.force = o.tension = all(0);
  prepare(&o.y, &c->section, coeffs);
  prepare_extra(&o.y, &c->section);
  int steps = NAME(nodes_of)(c, 0, node);
  for (int k = 0; k < LANES; k++) NAME(activate)(&o, k, c->cut[k + 1] - c->cut[k] == steps);
  NAME(begin)(&o, &s, node);
  if (uneven) {
    NAME(state) late;
    NAME(nodes_of)(c, from, node);
    NAME(prepare)(&o, &s, from, node);
    if (!NAME(eliminate_step)(&o, &s, from, kept)) return 0;
    for (int k = 0; k < LANES; k++) NAME(activate)(&o, k, !o.active[k]);
    int before = o.n_met;
    NAME(begin)(&o, &late, node);
    for (int k = before; k < o.n_met; k++) { /* that the others have not met yet */
      memset(s.b[k], 0, sizeof s.b[k]);
      memset(s.a[k], 0, sizeof s.a[k]);
      memset(s.own_b[k], 0, sizeof s.own_b[k]);
      memset(s.own_a[k], 0, sizeof s.own_a[k]);
    }
    for (int k = 0; k < LANES; k++) NAME(activate)(&o, k, !o.active[k]);
    NAME(blend)(&o, &s, &late);
    for (int k = 0; k < LANES; k++) NAME(activate)(&o, k, 1);
    from++;
  }
  NAME(nodes_of)(c, from, node);
  NAME(prepare)(&o, &s, from, node);
  for (int j = from; j < steps; j++) {
    NAME(nodes_of)(c, j + 1, node);
    if (j + 1 < steps) NAME(prepare)(&o, &s, j + 1, node);
    if (!NAME(eliminate_step)(&o, &s, j, kept + (size_t)(j - 1) * stride)) return 0;
  }
  for (int i = 0; i < o.n_met; i++) memcpy(c->met[i], o.met[i], sizeof o.met[i]);
  c->n_met = o.n_met;
  for (int k = 0; k < LANES; k++) {
    NAME(hand_over)(&o, &s, k, &ends[k]);
    left->force = o.force[k] > left->force || !(o.force[k] < INFINITY) ? o.force[k] : left->force;
    left->tension = o.tension[k] > left->tension ? o.tension[k] : left->tension;
  }
  return 1;
}

/* ------------------------------------------------------------------ substitution */

/* How far a point moves along the surface of its drum. */
INLINE void NAME(note_move)(const machine *m, contact_point *p, const lanes x[H], const lanes next[H],
                            int k) {
  double moved = 0;
  for (int d = 0; d < DIM; d++) {
#if POINTS > 0
    moved += p->t[d] * (p->shape[0] * x[d][k] + p->shape[1] * x[DIM + d][k] + p->shape[2] * next[d][k] +
                        p->shape[3] * next[DIM + d][k]);
#else
    (void)next;
    moved += p->t[d] * x[d][k];
#endif
  }
  p->moved = m->near > 0 ? moved - cps_surface_move(m, &m->drum[p->drum], p->t) : moved;
}

/* Substitutes towards the interfaces that segments start from, and applies `factor` of it. The largest change of place; NaN if
 * anything is not finite. */
static double NAME(substitute)(const machine *m, cable *c, const step_coeffs *coeffs, double factor) {
  int node[LANES], near = m->near, width = c->width;
  size_t stride = (size_t)(KEPT + near * (H + S));
  double v_q = factor * coeffs->v_a / coeffs->q_a, a_q = factor / coeffs->q_a, moved = 0;
  lanes x[H], next[H], own[W], most = all(0), sum = all(0), first[H], border[BORDER_MET] = {{0}};
  for (int k = 0; k < LANES; k++) {
    for (int i = 0; i < H; i++) x[i][k] = c->x[(k + 1) * width + i];
    for (int i = 0; i < W; i++) own[i][k] = c->x[k * width + i];
  }
  for (int i = 0; i < c->n_met; i++)
    for (int k = 0; k < LANES; k++) border[i][k] = c->met[i][k] >= 0 ? m->rhs[c->met[i][k]] : 0;
  int steps = NAME(nodes_of)(c, 0, node);
  memcpy(first, x, sizeof first);
  for (int j = steps - 1; j > 0; j--) {
    const lanes *kept = (const lanes *)(const void *)c->kept + (size_t)(j - 1) * stride;
    const lanes *x_at = kept + 1, *v_at = x_at + H * H, *y_at = v_at + W * H, *f_at = y_at + H,
                *b_at = kept + KEPT;
    int rubs = kept[0][0] != 0, n_met = near > 0 ? (int)kept[0][1] : 0;
    NAME(nodes_of)(c, j, node);
    UNROLL for (int k = 0; k < LANES; k++) if (node[k] <= c->cut[k]) node[k] = -1;
    UNROLL for (int i = 0; i < H; i++) next[i] = x[i];
    UNROLL for (int i = 0; i < H; i++) {
      lanes value = y_at[i];
      UNROLL for (int k = 0; k < H; k++) value += x_at[k * H + i] * next[k];
      UNROLL for (int k = 0; k < W; k++) value += v_at[k * H + i] * own[k];
      for (int k = 0; k < n_met; k++) value += b_at[k * (H + S) + i] * border[k];
      x[i] = -value;
    }
    for (int k = 0; k < LANES && j == 1; k++) /* segments that are shorter have no node here */
      for (int i = 0; i < H && node[k] < 0; i++) x[i][k] = 0;
    UNROLL for (int i = 0; i < H; i++) {
      sum += x[i];
      if (i < DIM) most = larger(magnitude(x[i]), most);
    }
    four change[LANES], more[LANES];
    to_rows(x, change);
#if DIM == 3
    to_rows(x + 2, more);
#endif
    ELEMENT(apply)(c->q, node, change, more, factor);
    ELEMENT(apply)(c->v, node, change, more, v_q);
    ELEMENT(apply)(c->a, node, change, more, a_q);
    UNROLL for (int k = 0; k < LANES && POINTS > 0; k++) if (node[k] == c->cut[k] + 1)
        UNROLL for (int i = 0; i < H; i++) first[i][k] = x[i][k];
    if (!rubs) continue;
    lanes f[S];
    UNROLL for (int i = 0; i < S; i++) {
      lanes value = f_at[(H + W) * S + i];
      UNROLL for (int k = 0; k < H; k++) value += f_at[k * S + i] * next[k];
      UNROLL for (int k = 0; k < W; k++) value += f_at[(H + k) * S + i] * own[k];
      for (int k = 0; k < n_met; k++) value += b_at[k * (H + S) + H + i] * border[k];
      f[i] = -value;
      sum += f[i];
    }
    for (int k = 0; k < LANES; k++) {
      for (int p = 0; p < PLACES && node[k] >= 0; p++) {
        contact_point *o = &c->point[node[k] * PLACES + p];
        if (o->drum < 0) continue;
        for (int i = 0; i < A; i++) o->f[i] += factor * f[p * A + i][k];
        NAME(note_move)(m, o, x, next, k);
      }
    }
  }
#if POINTS > 0
  for (int k = 0; k < LANES; k++)
    for (int p = 0; p < PLACES && c->n_points > 0; p++)
      if (c->point[c->cut[k] * PLACES + p].drum >= 0)
        NAME(note_move)(m, &c->point[c->cut[k] * PLACES + p], own, first, k);
#else
  (void)first;
#endif
  for (int k = 0; k < LANES; k++) moved = most[k] > moved ? most[k] : moved;
  return isfinite(sum_of(sum)) ? moved : NAN;
}

#undef H
#undef A
#undef PLACES
#undef S
#undef W
#undef KEPT
#undef POINTS
#undef NAME
