/* cable_elements.h - four elements of a cable at a time, one in each lane: included with DIM and NAME(x). See cable_elimination.c. */

#define SYM  (DIM * (DIM + 1) / 2) /* entries of a symmetric tensor: xx xy yy, or xx xy xz yy yz zz */
#define SKEW (DIM * (DIM - 1) / 2) /* and of one that changes its sign when turned: xy, or xy xz yz */

/* Four elements: force and stiffness at their nodes' coordinates, lane by lane. Pairs are those of r0, s0, r1, s1:
 * 00 01 02 03 11 12 13 22 23 33. With recipe.extra the blocks of a pair have skew parts too, above and below the
 * diagonal. */
typedef struct NAME(quad) {
  lanes f[4][DIM], k[10][SYM], tension;
  lanes up[10][SKEW], low[10][SKEW];
} NAME(quad);

/* sum of shapes times modes */
INLINE void NAME(at_point)(const lanes *shape, lanes mode[3][DIM], lanes *r) {
  UNROLL for (int d = 0; d < DIM; d++)
      r[d] = shape[0] * mode[0][d] + shape[1] * mode[1][d] + shape[2] * mode[2][d];
}

INLINE lanes NAME(product)(const lanes *u, const lanes *v) {
  lanes s = u[0] * v[0];
  UNROLL for (int d = 1; d < DIM; d++) s += u[d] * v[d];
  return s;
}

/* Objective damping of bending at point g, as in cable_element.h, with l r'' and its rate: the force p r'', with the tangent h. */
INLINE void NAME(brake_bending)(const recipe *y, int g, lanes inverse, lanes mode[3][DIM], lanes rate[3][DIM],
                                lanes push[DIM], lanes h[SYM], lanes skew[SKEW]) {
  lanes r[DIM], v[DIM];
  NAME(at_point)(y->at[g], mode, r);
  NAME(at_point)(y->at[g], rate, v);
  lanes one = all(1) / (NAME(product)(r, r) + all(1e-6)),
        per = y->eta_bending * (y->weight[g] * inverse) * one;
  lanes p = per * NAME(product)(r, v), half = all(0.5) * per, by = y->dv * per - all(2) * p * one;
  UNROLL for (int d = 0, n = 0, m = 0; d < DIM; d++) {
    push[d] = p * r[d];
    UNROLL for (int e = d; e < DIM; e++, n++) {
      h[n] = half * (r[d] * v[e] + v[d] * r[e]) + by * r[d] * r[e];
      if (d == e) h[n] += p;
      if (d < e) skew[m++] = half * (r[d] * v[e] - v[d] * r[e]);
    }
  }
}

/* What the points of a quadrature add in all: forces `pull` and symmetric and skew tensors `h` and `skew`, times the shapes of the
 * modes. One entry after the other, which stays in a register meanwhile; `known` is the number of points if the compiler knows it. */
INLINE void NAME(sum_up)(const recipe *y, int points, const int known, const int brakes, lanes pull[][DIM],
                         lanes h[][SYM], lanes skew[][SKEW], lanes f[3][DIM], lanes k[6][SYM],
                         lanes both[6][SKEW]) {
#define OVER_POINTS(sum, w, x)                                                                               \
  do {                                                                                                       \
    if (known) {                                                                                             \
      UNROLL for (int g = 0; g < known; g++) sum += (w) * (x);                                               \
    } else {                                                                                                 \
      for (int g = 0; g < points; g++) sum += (w) * (x);                                                     \
    }                                                                                                        \
  } while (0)
  UNROLL for (int d = 0; d < DIM; d++) UNROLL for (int i = 0; i < 3; i++)
      OVER_POINTS(f[i][d], y->at[g][i], pull[g][d]);
  UNROLL for (int n = 0; n < SYM; n++) UNROLL for (int i = 0; i < 6; i++)
      OVER_POINTS(k[i][n], y->pair[g][i], h[g][n]);
  UNROLL for (int n = 0; n < SKEW && brakes; n++) UNROLL for (int i = 0; i < 6; i++)
      OVER_POINTS(both[i][n], y->pair[g][i], skew[g][n]);
#undef OVER_POINTS
}

/* Axial force, bending and Rayleigh damping in the three modes d, s0, s1. With `brakes` also objective damping, as in
 * cable_element.h: `both` gets the skew part of its tangent, which is the same for both orders of a pair. */
INLINE void NAME(resist)(const recipe *y, lanes l, lanes q[4][DIM], lanes v[4][DIM], lanes f[3][DIM],
                         lanes k[6][SYM], lanes both[6][SKEW], const int brakes, lanes *most) {
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
  if (brakes) UNROLL for (int i = 0; i < 6; i++) UNROLL for (int n = 0; n < SKEW; n++) both[i][n] = all(0);
  lanes pull[2 * GAUSS_MAX][DIM], h[2 * GAUSS_MAX][SYM], skew[2 * GAUSS_MAX][SKEW];
  int points = y->points + (brakes && y->brakes_bending ? y->bending_points : 0);
  *most = all(0);
  for (int g = 0; g < y->points; g++) {
    const lanes *at = y->at[g];
    lanes r[DIM], square = all(0), t, t_a, w = y->weight[g] * ea;
    UNROLL for (int d = 0; d < DIM; d++) {
      r[d] = at[0] * mode[0][d] + at[1] * mode[1][d] + at[2] * mode[2][d];
      square += r[d] * r[d];
    }
    lanes u[DIM] = {all(0)}, half = all(0), s = all(0); /* s = r'.r'_t */
    if (brakes && y->brakes_axial) UNROLL for (int d = 0; d < DIM; d++) {
        u[d] = at[0] * rate[0][d] + at[1] * rate[1][d] + at[2] * rate[2][d];
        s += r[d] * u[d];
      }
    if (y->slackens) { /* force EA s(x) e_r, x = e + lag e_t, tangent EA (s e_rr + s_x e_r x_r'), with e_t = s/|r'| */
      lanes stretch = root(square), o[3], over = all(1) / larger(stretch, all(1e-100));
      lanes e = y->green ? all(0.5) * (square - all(1)) : stretch - all(1), one = y->green ? all(1) : over;
      answer_slack(y, brakes && y->brakes_axial ? e + y->lag * s * one : e, o);
      t = w * o[0] * one;
      t_a = y->green ? w * o[1] : w * (o[1] - o[0] * over) * over * over;
      if (brakes && y->brakes_axial) {
        lanes per = w * y->lag * o[1] * one * one;
        t_a += y->dv * per;
        if (!y->green) t_a -= per * s * over * over;
        half = all(0.5) * per;
      }
    } else if (y->green) { /* U = EA e^2/2, e = (r'.r' - 1)/2: force EA e r', stiffness EA (e 1 + r' r'') */
      t = w * all(0.5) * (square - all(1));
      t_a = w;
    } else { /* e = |r'| - 1: force EA e r'/|r'|, stiffness EA (e/|r'| 1 + r' r''/|r'|^3) */
      lanes stretch = root(square), over = all(1) / stretch;
      t = w * (stretch - all(1)) * over;
      t_a = w * over * (over * over);
    }
    if (g == y->mid) *most = t * inverse * y->per_weight;
    if (brakes && y->brakes_axial &&
        !y->slackens) { /* force p r', p = eta s/square, tangent p 1 + eta/square r' r'_t' + p_r r' r'' */
      lanes per = y->eta_axial * (y->weight[g] * l), less = all(0);
      if (!y->green) {
        lanes one = all(1) / larger(square, all(1e-200));
        per *= one;
        less = all(-2) * per * s * one;
      }
      t += per * s;
      t_a += less + y->dv * per;
      half = all(0.5) * per;
    }
    UNROLL for (int d = 0, n = 0, m = 0; d < DIM; d++) {
      pull[g][d] = t * r[d];
      UNROLL for (int e = d; e < DIM; e++, n++) {
        h[g][n] = d == e ? t + t_a * r[d] * r[e] : t_a * r[d] * r[e];
        if (brakes) h[g][n] += half * (r[d] * u[e] + u[d] * r[e]);
        if (brakes && d < e) skew[g][m++] = half * (r[d] * u[e] - u[d] * r[e]);
      }
    }
  }
  for (int g = y->points; g < points && brakes; g++) /* points of bending come behind these */
    NAME(brake_bending)(y, g, inverse, mode, rate, pull[g], h[g], skew[g]);
  /* numbers of points that the compiler knows: the usual ones of r', also with those of bending, and those of Westin and Irani */
  if (points == 3)
    NAME(sum_up)(y, 3, 3, brakes, pull, h, skew, f, k, both);
  else if (!brakes && points == 5)
    NAME(sum_up)(y, 5, 5, 0, pull, h, skew, f, k, both);
  else if (brakes && points == 6)
    NAME(sum_up)(y, 6, 6, 1, pull, h, skew, f, k, both);
  else
    NAME(sum_up)(y, points, 0, brakes, pull, h, skew, f, k, both);
}

/* ------------------------------------------------------------------ what few cables have */

/* Exact curvature at a point: the energy density EI (a c - b^2)/(2 a^3) of cable.c. `turned` is skew and changes its sign
 * with the order of the pair: 01 02 12. */
INLINE void NAME(add_exact)(const recipe *y, int g, lanes w, lanes inverse, const lanes *r1, const lanes *r2,
                            lanes f[3][DIM], lanes k[6][SYM], lanes turned[3][SKEW]) {
  const lanes *s1 = y->slope[g];
  lanes s2[3], a = NAME(product)(r1, r1), b = NAME(product)(r1, r2), c = NAME(product)(r2, r2);
  lanes half = all(0.5) * y->ei * w, one = all(1) / a, a2 = one * one, a3 = a2 * one, a4 = a2 * a2;
  lanes w_a = half * (all(3) * b * b * a4 - all(2) * c * a3), w_b = all(-2) * half * b * a3, w_c = half * a2;
  lanes w_aa = half * (all(6) * c * a4 - all(12) * b * b * a4 * one), w_ab = all(6) * half * b * a4,
        w_ac = all(-2) * half * a3, w_bb = w_ac;
  lanes mixed = all(0.5) * (w_bb + all(4) * w_ac), across = all(0.5) * (all(4) * w_ac - w_bb);
  lanes h11[SYM], h12[SYM], h22[SYM], skew[SKEW];
  UNROLL for (int i = 0; i < 3; i++) s2[i] = y->turn[g][i] * inverse;
  UNROLL for (int d = 0, n = 0, m = 0; d < DIM; d++) {
    UNROLL for (int i = 0; i < 3; i++) f[i][d] += s1[i] * (all(2) * w_a * r1[d] + w_b * r2[d]) +
                                                  s2[i] * (w_b * r1[d] + all(2) * w_c * r2[d]);
    UNROLL for (int e = d; e < DIM; e++, n++) {
      lanes r11 = r1[d] * r1[e], r12 = r1[d] * r2[e] + r2[d] * r1[e], r22 = r2[d] * r2[e];
      h11[n] = all(4) * w_aa * r11 + all(2) * w_ab * r12 + w_bb * r22;
      h12[n] = all(2) * w_ab * r11 + mixed * r12;
      h22[n] = w_bb * r11;
      if (d == e) {
        h11[n] += all(2) * w_a;
        h12[n] += w_b;
        h22[n] += all(2) * w_c;
      }
      if (d < e) skew[m++] = across * (r1[d] * r2[e] - r2[d] * r1[e]);
    }
  }
  UNROLL for (int i = 0, n = 0, m = 0; i < 3; i++) {
    UNROLL for (int j = i; j < 3; j++, n++) {
      lanes p11 = s1[i] * s1[j], p12 = s1[i] * s2[j] + s2[i] * s1[j], p22 = s2[i] * s2[j];
      /* cppcheck-suppress uninitvar */
      UNROLL for (int e = 0; e < SYM; e++) k[n][e] += p11 * h11[e] + p12 * h12[e] + p22 * h22[e];
      if (i == j) continue;
      UNROLL for (int e = 0; e < SKEW; e++) turned[m][e] += (s1[i] * s2[j] - s2[i] * s1[j]) * skew[e];
      m++;
    }
  }
}

/* All that resists, with objective damping and exact curvature. Sums are made in arrays of its own, which nothing else can point
 * at. */
static __attribute__((noinline)) void NAME(resist_all)(const recipe *y, lanes l, lanes q[4][DIM],
                                                       lanes v[4][DIM], lanes f_out[3][DIM],
                                                       lanes k_out[6][SYM], lanes both_out[6][SKEW],
                                                       lanes turned[3][SKEW], lanes *most) {
  lanes inverse = all(1) / l, mode[3][DIM], f[3][DIM], k[6][SYM], both[6][SKEW];
  UNROLL for (int i = 0; i < 3; i++) UNROLL for (int n = 0; n < SKEW; n++) turned[i][n] = all(0);
  NAME(resist)(y, l, q, v, f, k, both, 1, most);
  UNROLL for (int d = 0; d < DIM; d++) {
    mode[0][d] = (q[2][d] - q[0][d]) * inverse;
    mode[1][d] = q[1][d];
    mode[2][d] = q[3][d];
  }
  for (int g = 0; g < y->bending_points && y->exact; g++) {
    lanes turn2[3], r1[DIM], r2[DIM];
    UNROLL for (int i = 0; i < 3; i++) turn2[i] = y->turn[g][i] * inverse;
    NAME(at_point)(y->slope[g], mode, r1);
    NAME(at_point)(turn2, mode, r2);
    NAME(add_exact)(y, g, y->bend_weight[g] * l, inverse, r1, r2, f, k, turned);
  }
  memcpy(f_out, f, sizeof f);
  memcpy(k_out, k, sizeof k);
  memcpy(both_out, both, sizeof both);
}

/* Takes the skew parts of the modes d, s0, s1 to the nodes, with r1 - r0 = l d. */
INLINE void NAME(skew_to_nodes)(lanes l, lanes both[6][SKEW], lanes turned[3][SKEW], NAME(quad) * o) {
  lanes inverse = all(1) / l, square = inverse * inverse;
  UNROLL for (int e = 0; e < SKEW; e++) {
    lanes dd = both[0][e] * square, d0 = (both[1][e] + turned[0][e]) * inverse,
          d1 = (both[2][e] + turned[1][e]) * inverse;
    lanes c0 = (both[1][e] - turned[0][e]) * inverse, c1 = (both[2][e] - turned[1][e]) * inverse; /* 0d, 1d */
    lanes up[10] = {dd, -d0, -dd, -d1, both[3][e], c0, both[4][e] + turned[2][e], dd, d1, both[5][e]};
    lanes low[10] = {dd, -c0, -dd, -c1, both[3][e], d0, both[4][e] - turned[2][e], dd, c1, both[5][e]};
    UNROLL for (int i = 0; i < 10; i++) {
      o->up[i][e] = up[i];
      o->low[i][e] = low[i];
    }
  }
}

/* ------------------------------------------------------------------ all of it */

/* The mass of pairs. */
INLINE void NAME(node_masses)(const recipe *y, lanes l, lanes mass[10]) {
  lanes m = y->mass * l, ml = m * l, mll = ml * l;
  mass[0] = mass[7] = all(156) * m;
  mass[1] = all(22) * ml;
  mass[2] = all(54) * m;
  mass[3] = all(-13) * ml;
  mass[4] = mass[9] = all(4) * mll;
  mass[5] = all(13) * ml;
  mass[6] = all(-3) * mll;
  mass[8] = all(-22) * ml;
}

/* Takes forces of the modes to the nodes, and adds inertia and weight. */
INLINE void NAME(node_forces)(const recipe *y, const double *gravity, lanes l, const lanes mass[10],
                              lanes f[3][DIM], lanes a[4][DIM], lanes out[4][DIM]) {
  lanes inverse = all(1) / l, w0 = y->w0 * l, w1 = y->w1 * l * l;
  UNROLL for (int d = 0; d < DIM; d++) {
    lanes end = f[0][d] * inverse, g = all(gravity[d]);
    out[0][d] = mass[0] * a[0][d] + mass[1] * a[1][d] + mass[2] * a[2][d] + mass[3] * a[3][d] - end - w0 * g;
    out[1][d] = mass[1] * a[0][d] + mass[4] * a[1][d] + mass[5] * a[2][d] + mass[6] * a[3][d] + f[1][d] -
                w1 * g;
    out[2][d] = mass[2] * a[0][d] + mass[5] * a[1][d] + mass[7] * a[2][d] + mass[8] * a[3][d] + end - w0 * g;
    out[3][d] = mass[3] * a[0][d] + mass[6] * a[1][d] + mass[8] * a[2][d] + mass[9] * a[3][d] + f[2][d] +
                w1 * g;
  }
}

/* Entry n of the tensors of all pairs, with inertia if it is on the diagonal. */
INLINE void NAME(node_pairs)(const recipe *y, lanes l, const lanes mass[10], lanes k[6][SYM], int n,
                             int diagonal, lanes out[10]) {
  lanes inverse = all(1) / l, dd = k[0][n] * (inverse * inverse), d0 = k[1][n] * inverse,
        d1 = k[2][n] * inverse;
  lanes pair[10] = {dd, -d0, -dd, -d1, k[3][n], d0, k[4][n], dd, d1, k[5][n]};
  UNROLL for (int i = 0; i < 10; i++) out[i] = diagonal ? pair[i] + mass[i] * y->da : pair[i];
}

#if LANES == 4
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

/* Four elements from `first` on, or, with step -1, backwards. Lanes beyond the ends repeat the last one. */
INLINE void NAME(elements)(const cable *c, const recipe *y, int first, int step, NAME(quad) * o) {
  int near[LANES], far[LANES];
  lanes l, q[4][DIM], v[4][DIM], a[4][DIM];
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
  lanes f[3][DIM], k[6][SYM], mass[10], pair[10];
  if (y->extra) {
    lanes both[6][SKEW], turned[3][SKEW];
    NAME(resist_all)(y, l, q, v, f, k, both, turned, &o->tension);
    NAME(skew_to_nodes)(l, both, turned, o);
  } else {
    NAME(resist)(y, l, q, v, f, k, NULL, 0, &o->tension);
  }
  NAME(node_masses)(y, l, mass);
  NAME(node_forces)(y, c->gravity, l, mass, f, a, o->f);
  UNROLL for (int d = 0, n = 0; d < DIM; d++) {
    UNROLL for (int e = d; e < DIM; e++, n++) {
      NAME(node_pairs)(y, l, mass, k, n, d == e, pair);
      UNROLL for (int i = 0; i < 10; i++) o->k[i][n] = pair[i];
    }
  }
}
#endif
