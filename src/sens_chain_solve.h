/* sens_chain_solve.h - elimination and substitution for B unknowns per node: included with B and NAME(x). */

/* a = a^-1 by Gauss and Jordan with row pivoting; 0 if singular. */
static int NAME(invert)(double *a) {
  double w[B][2 * B];
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++) {
      w[i][j] = a[i * B + j];
      w[i][B + j] = i == j;
    }
  for (int j = 0; j < B; j++) {
    int best = j;
    for (int i = j + 1; i < B; i++)
      if (fabs(w[i][j]) > fabs(w[best][j])) best = i;
    if (!(fabs(w[best][j]) > 0) || !isfinite(w[best][j])) return 0;
    for (int k = 0; k < 2 * B && best != j; k++) {
      double t = w[j][k];
      w[j][k] = w[best][k];
      w[best][k] = t;
    }
    double inverse = 1 / w[j][j];
    for (int k = 0; k < 2 * B; k++) w[j][k] *= inverse;
    for (int i = 0; i < B; i++) {
      double f = w[i][j];
      if (i == j || f == 0) continue;
      for (int k = 0; k < 2 * B; k++) w[i][k] -= f * w[j][k];
    }
  }
  for (int i = 0; i < B; i++)
    for (int j = 0; j < B; j++) a[i * B + j] = w[i][B + j];
  return 1;
}

static int NAME(factor)(chain_matrix *a) {
  for (int i = 0; i < a->nodes; i++) {
    double *d = a->d + i * B * B, *u = a->u + i * B * B, x[B * B];
    const double *l = a->l + i * B * B, *before = u - B * B;
    for (int r = 0; r < B && i > 0; r++)
      for (int k = 0; k < B; k++) {
        double by = l[r * B + k];
        if (by == 0) continue;
        for (int s = 0; s < B; s++) d[r * B + s] -= by * before[k * B + s];
      }
    if (!NAME(invert)(d)) return 0;
    for (int r = 0; r < B; r++) {
      double sum[B] = {0};
      for (int k = 0; k < B; k++)
        for (int s = 0; s < B; s++) sum[s] += d[r * B + k] * u[k * B + s];
      for (int s = 0; s < B; s++) x[r * B + s] = sum[s];
    }
    memcpy(u, x, sizeof x);
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
      for (int k = 0; k < B; k++) sum += all(d[r * B + k]) * y[k];
      now[r] = sum;
    }
  }
  for (int i = a->nodes - 2; i >= 0; i--) {
    const double *u = a->u + i * B * B;
    lanes *now = x + i * B, *next = now + B;
    for (int r = 0; r < B; r++)
      for (int k = 0; k < B; k++) now[r] -= all(u[r * B + k]) * next[k];
  }
}

static void NAME(transposed)(const chain_matrix *a, lanes *x) {
  for (int i = 1; i < a->nodes; i++) {
    const double *u = a->u + (i - 1) * B * B;
    lanes *now = x + i * B, *before = now - B;
    for (int k = 0; k < B; k++)
      for (int r = 0; r < B; r++) now[r] -= all(u[k * B + r]) * before[k];
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
      for (int k = 0; k < B; k++) sum += all(d[k * B + r]) * y[k];
      now[r] = sum;
    }
  }
}
