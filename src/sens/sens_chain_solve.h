/* sens_chain_solve.h - elimination and substitution for B unknowns per node: included with B and NAME(x). */

enum { NAME(WIDTH) = 3 * B };

/* Rows [D | 1 | U] become [. | D^-1 | D^-1 U]; 0 if singular. */
static int NAME(reduce)(double w[B][NAME(WIDTH)]) {
  int pivot[B];
  if (dense_factor(w[0], B, NAME(WIDTH), pivot, NULL) == 0) return 0;
  dense_solve(w[0], B, NAME(WIDTH), pivot, w[0] + B, 2 * B, NAME(WIDTH));
  return 1;
}

static int NAME(factor)(chain_matrix *a) {
  double w[B][NAME(WIDTH)], before[B][(B + 3) / 4 * 4];
  memset(w, 0, sizeof w);
  memset(before, 0, sizeof before);
  for (int i = 0; i < a->nodes; i++) {
    double *d = a->d + i * B * B, *u = a->u + i * B * B;
    const double *l = a->l + i * B * B;
    for (int r = 0; r < B; r++) {
      memcpy(w[r], d + r * B, B * sizeof(double));
      memset(w[r] + B, 0, B * sizeof(double));
      w[r][B + r] = 1;
      memcpy(w[r] + 2 * B, u + r * B, B * sizeof(double));
      lanes sum[(B + 3) / 4];
      UNROLL for (int k = 0; k < (B + 3) / 4; k++) sum[k] = all(0);
      UNROLL for (int n = 0; n < B && i > 0; n++) UNROLL for (int k = 0; k < (B + 3) / 4; k++)
          sum[k] += all(l[r * B + n]) * load(before[n] + 4 * k);
      double less[(B + 3) / 4 * 4];
      UNROLL for (int k = 0; k < (B + 3) / 4; k++) save(less + 4 * k, sum[k]);
      UNROLL for (int k = 0; k < B; k++) w[r][k] -= less[k];
    }
    if (!NAME(reduce)(w)) return 0;
    for (int r = 0; r < B; r++) {
      memcpy(d + r * B, w[r] + B, B * sizeof(double));
      memcpy(u + r * B, w[r] + 2 * B, B * sizeof(double));
      memcpy(before[r], w[r] + 2 * B, B * sizeof(double));
    }
  }
  return 1;
}

static void NAME(solve)(const chain_matrix *a, lanes *x) {
  for (int i = 0; i < a->nodes; i++) {
    const double *d = a->d + i * B * B, *l = a->l + i * B * B;
    lanes *now = x + i * B, *before = now - B, y[B];
    for (int r = 0; r < B; r++) {
      y[r] = now[r];
      for (int k = 0; k < B && i > 0; k++) y[r] -= all(l[r * B + k]) * before[k];
    }
    for (int r = 0; r < B; r++) {
      lanes sum = all(0);
      UNROLL for (int k = 0; k < B; k++) sum += all(d[r * B + k]) * y[k];
      now[r] = sum;
    }
  }
  for (int i = a->nodes - 2; i >= 0; i--) {
    const double *u = a->u + i * B * B;
    lanes *now = x + i * B, *next = now + B;
    UNROLL for (int r = 0; r < B; r++) UNROLL for (int k = 0; k < B; k++)
        now[r] -= all(u[r * B + k]) * next[k];
  }
}

static void NAME(transposed)(const chain_matrix *a, lanes *x) {
  for (int i = 1; i < a->nodes; i++) {
    const double *u = a->u + (i - 1) * B * B;
    lanes *now = x + i * B, *before = now - B;
    UNROLL for (int k = 0; k < B; k++) UNROLL for (int r = 0; r < B; r++)
        now[r] -= all(u[k * B + r]) * before[k];
  }
  for (int i = a->nodes - 1; i >= 0; i--) {
    const double *d = a->d + i * B * B, *l = a->l + (i + 1) * B * B;
    lanes *now = x + i * B, *next = now + B, y[B];
    for (int r = 0; r < B; r++) {
      y[r] = now[r];
      for (int k = 0; k < B && i + 1 < a->nodes; k++) y[r] -= all(l[k * B + r]) * next[k];
    }
    for (int r = 0; r < B; r++) {
      lanes sum = all(0);
      UNROLL for (int k = 0; k < B; k++) sum += all(d[k * B + r]) * y[k];
      now[r] = sum;
    }
  }
}
