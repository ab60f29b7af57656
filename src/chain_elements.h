/* chain_elements.h - four elements of a cable at a time, one in each lane: included with DIM and NAME(x). See chain.c. */

#define SYM (DIM * (DIM + 1) / 2) /* entries of a symmetric tensor: xx xy yy, or xx xy xz yy yz zz */

/* Four elements: force and stiffness at their nodes' coordinates, lane by lane. Pairs are those of r0, s0, r1, s1:
 * 00 01 02 03 11 12 13 22 23 33. */
typedef struct NAME(quad) {
  lanes f[4][DIM], k[10][SYM], tension;
} NAME(quad);

#if DIM == 2
INLINE void NAME(gather)(const double *x, const int *near, const int *far, lanes out[4][2]) {
  lanes a[4], b[4];
  turn(load(x + near[0] * 4), load(x + near[1] * 4), load(x + near[2] * 4), load(x + near[3] * 4), a);
  turn(load(x + far[0] * 4), load(x + far[1] * 4), load(x + far[2] * 4), load(x + far[3] * 4), b);
  UNROLL for (int i = 0; i < 4; i++) {
    out[i / 2][i % 2] = a[i];
    out[2 + i / 2][i % 2] = b[i];
  }
}
#else
INLINE lanes NAME(gather)(const double *x, const int *node, int coordinate) {
  return (lanes){x[node[0] * 2 * DIM + coordinate], x[node[1] * 2 * DIM + coordinate],
                 x[node[2] * 2 * DIM + coordinate], x[node[3] * 2 * DIM + coordinate]};
}
#endif

/* Axial force, bending and Rayleigh damping in the three modes d, s0, s1. */
INLINE void NAME(resist)(const recipe *y, lanes l, lanes q[4][DIM], lanes v[4][DIM], lanes f[3][DIM],
                         lanes k[6][SYM], lanes *most) {
  lanes inverse = all(1) / l, mode[3][DIM], rate[3][DIM], ea = y->ea * l;
  UNROLL for (int d = 0; d < DIM; d++) {
    mode[0][d] = (q[2][d] - q[0][d]) * inverse;
    mode[1][d] = q[1][d];
    mode[2][d] = q[3][d];
    rate[0][d] = (v[2][d] - v[0][d]) * inverse;
    rate[1][d] = v[1][d];
    rate[2][d] = v[3][d];
  }
  /* what is the same in every direction: bending and damping */
  lanes same[6], slow[6];
  UNROLL for (int i = 0; i < 6; i++) {
    slow[i] = y->slow[i] * l;
    same[i] = y->bend[i] * inverse;
  }
  UNROLL for (int d = 0; d < DIM; d++) {
    f[0][d] = same[0] * mode[0][d] + same[1] * mode[1][d] + same[2] * mode[2][d] + slow[0] * rate[0][d] +
              slow[1] * rate[1][d] + slow[2] * rate[2][d];
    f[1][d] = same[1] * mode[0][d] + same[3] * mode[1][d] + same[4] * mode[2][d] + slow[1] * rate[0][d] +
              slow[3] * rate[1][d] + slow[4] * rate[2][d];
    f[2][d] = same[2] * mode[0][d] + same[4] * mode[1][d] + same[5] * mode[2][d] + slow[2] * rate[0][d] +
              slow[4] * rate[1][d] + slow[5] * rate[2][d];
  }
  UNROLL for (int i = 0; i < 6; i++) {
    lanes trace = same[i] + slow[i] * y->dv;
    UNROLL for (int d = 0, n = 0; d < DIM; d++) UNROLL for (int e = d; e < DIM; e++, n++)
        k[i][n] = d == e ? trace : all(0);
  }
  *most = all(0);
  for (int g = 0; g < y->points; g++) {
    const lanes *at = y->at[g], *pair = y->pair[g];
    lanes r[DIM], square = all(0), t, t_a, h[SYM], w = y->weight[g] * ea;
    UNROLL for (int d = 0; d < DIM; d++) {
      r[d] = at[0] * mode[0][d] + at[1] * mode[1][d] + at[2] * mode[2][d];
      square += r[d] * r[d];
    }
    if (y->green) { /* U = EA e^2/2, e = (r'.r' - 1)/2: force EA e r', stiffness EA (e 1 + r' r'') */
      t = w * all(0.5) * (square - all(1));
      t_a = w;
    } else { /* e = |r'| - 1: force EA e r'/|r'|, stiffness EA (e/|r'| 1 + r' r''/|r'|^3) */
      lanes stretch = root(square);
      t = w * (stretch - all(1)) / stretch;
      t_a = w / (square * stretch);
    }
    if (g == y->mid) *most = t * inverse * y->per_weight;
    UNROLL for (int d = 0, n = 0; d < DIM; d++) {
      lanes pull = t * r[d];
      UNROLL for (int i = 0; i < 3; i++) f[i][d] += at[i] * pull;
      UNROLL for (int e = d; e < DIM; e++, n++) h[n] = d == e ? t + t_a * r[d] * r[e] : t_a * r[d] * r[e];
    }
    /* cppcheck-suppress uninitvar */
    UNROLL for (int i = 0; i < 6; i++) UNROLL for (int n = 0; n < SYM; n++) k[i][n] += pair[i] * h[n];
  }
}

/* Adds inertia and weight at the nodes, and takes the modes there. */
INLINE void NAME(to_nodes)(const recipe *y, const double *gravity, lanes l, lanes f[3][DIM], lanes k[6][SYM],
                           lanes a[4][DIM], NAME(quad) * o) {
  lanes inverse = all(1) / l, square = inverse * inverse, m = y->mass * l, ml = m * l, mll = ml * l;
  lanes mass[10] = {all(156) * m, all(22) * ml,  all(54) * m,  all(-13) * ml, all(4) * mll,
                    all(13) * ml, all(-3) * mll, all(156) * m, all(-22) * ml, all(4) * mll};
  lanes w0 = y->w0 * l, w1 = y->w1 * l * l;
  UNROLL for (int d = 0; d < DIM; d++) {
    lanes end = f[0][d] * inverse, g = all(gravity[d]);
    o->f[0][d] = mass[0] * a[0][d] + mass[1] * a[1][d] + mass[2] * a[2][d] + mass[3] * a[3][d] - end - w0 * g;
    o->f[1][d] = mass[1] * a[0][d] + mass[4] * a[1][d] + mass[5] * a[2][d] + mass[6] * a[3][d] + f[1][d] -
                 w1 * g;
    o->f[2][d] = mass[2] * a[0][d] + mass[5] * a[1][d] + mass[7] * a[2][d] + mass[8] * a[3][d] + end - w0 * g;
    o->f[3][d] = mass[3] * a[0][d] + mass[6] * a[1][d] + mass[8] * a[2][d] + mass[9] * a[3][d] + f[2][d] +
                 w1 * g;
  }
  UNROLL for (int d = 0, n = 0; d < DIM; d++) {
    UNROLL for (int e = d; e < DIM; e++, n++) {
      lanes dd = k[0][n] * square, d0 = k[1][n] * inverse, d1 = k[2][n] * inverse;
      lanes pair[10] = {dd, -d0, -dd, -d1, k[3][n], d0, k[4][n], dd, d1, k[5][n]};
      UNROLL for (int i = 0; i < 10; i++) o->k[i][n] = d == e ? pair[i] + mass[i] * y->da : pair[i];
    }
  }
}

/* Four elements from `first` on, or, with step -1, backwards. Lanes beyond the ends repeat the last one. */
INLINE void NAME(elements)(const cable *c, const recipe *y, int first, int step, NAME(quad) * o) {
  int near[LANES], far[LANES];
  lanes l, q[4][DIM], v[4][DIM], a[4][DIM], f[3][DIM], k[6][SYM];
  UNROLL for (int i = 0; i < LANES; i++) {
    int at = first + step * i;
    near[i] = at < 0 ? 0 : at < c->n ? at : c->n - 1;
    far[i] = near[i] + 1;
    l[i] = c->length[near[i]]; /* cppcheck-suppress uninitvar */
  }
#if DIM == 2 /* a node is a vector */
  NAME(gather)(c->q, near, far, q);
  NAME(gather)(c->v, near, far, v);
  NAME(gather)(c->a, near, far, a);
#else
  UNROLL for (int i = 0; i < 2; i++) {
    UNROLL for (int d = 0; d < DIM; d++) {
      q[i][d] = NAME(gather)(c->q, near, i * DIM + d);
      v[i][d] = NAME(gather)(c->v, near, i * DIM + d);
      a[i][d] = NAME(gather)(c->a, near, i * DIM + d);
      q[2 + i][d] = NAME(gather)(c->q, far, i * DIM + d);
      v[2 + i][d] = NAME(gather)(c->v, far, i * DIM + d);
      a[2 + i][d] = NAME(gather)(c->a, far, i * DIM + d);
    }
  }
#endif
  NAME(resist)(y, l, q, v, f, k, &o->tension);
  NAME(to_nodes)(y, c->gravity, l, f, k, a, o);
}

#undef SYM
