/* sens_chain_pass.h - elements of a cable into its matrix, and their forces part by part: included with DIM and NAME(x),
 * after cable_elements.h. */

/* Where the symmetric tensor has (d, e). */
INLINE int NAME(place)(int d, int e) {
  int low = d < e ? d : e, high = d < e ? e : d;
  return DIM == 2 ? low + high : low == 0 ? high : low + high + 1;
}

/* A pair of the element's coordinates into the block at `into`, `b` to a row. */
INLINE void NAME(block)(const NAME(quad) * o, int pair, int lane_of, int row, int column, int b,
                        double *into) {
  for (int d = 0; d < DIM; d++)
    for (int e = 0; e < DIM; e++)
      into[(row * DIM + d) * b + column * DIM + e] += o->k[pair][NAME(place)(d, e)][lane_of];
}

static void NAME(assemble)(chain_matrix *a, const cable *c, double v_q, double a_q) {
  static const int pair[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
  recipe y;
  step_coeffs coeffs = {.q_a = 1, .v_a = 1};
  prepare(&y, &c->section, &coeffs);
  y.v_q = v_q;
  y.a_q = a_q;
  y.dv = all(v_q);
  y.da = all(a_q);
  int b = a->b, size = b * b;
  for (int first = 0; first < c->n; first += LANES) {
    NAME(quad) four;
    NAME(elements)(c, &y, first, 1, &four);
    for (int k = 0; k < LANES && first + k < c->n; k++) {
      int i = first + k;
      double *into[2][2] = {{a->d + i * size, a->u + i * size},
                            {a->l + (i + 1) * size, a->d + (i + 1) * size}};
      for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++) NAME(block)(&four, pair[r][s], k, r % 2, s % 2, b, into[r / 2][s / 2]);
    }
  }
}

static void NAME(forces)(const cable *c, chain_part part, double *length, double *f) {
  recipe y;
  cable_section s = c->section;
  cable as = *c; /* the same with other lengths */
  step_coeffs coeffs = {.q_a = 1, .v_a = 1};
  if (length) as.length = length;
  if (part != CHAIN_ALL) {
    s.ea = part == CHAIN_EA;
    s.ei = part == CHAIN_EI;
    s.rho = part == CHAIN_RHO;
    s.rayleigh = part == CHAIN_RAYLEIGH;
  }
  prepare(&y, &s, &coeffs);
  for (int first = 0; first < c->n; first += LANES) {
    NAME(quad) four;
    NAME(elements)(&as, &y, first, 1, &four);
    for (int k = 0; k < LANES && first + k < c->n; k++)
      for (int r = 0; r < 4; r++)
        for (int d = 0; d < DIM; d++) f[(first + k) * 4 * DIM + r * DIM + d] = four.f[r][d][k];
  }
}
