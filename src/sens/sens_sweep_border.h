/* sens_sweep_border.h - solutions with the border, and with the transposed matrix: part of sens_sweep.h. See sens_border.c. */

/* P S y = L U y = r, in place, and the transposed. */
static void solve_border(const model *o, lanes *y) {
  int nb = o->at.nx;
  dense_solve(o->border.s, nb, nb, o->border.pivot, (double *)y, LANES, LANES);
}

static void solve_border_transposed(const model *o, lanes *y) {
  int nb = o->at.nx;
  const double *s = o->border.s;
  for (int i = 0; i < nb; i++) {
    for (int k = 0; k < i; k++) y[i] -= all(s[k * nb + i]) * y[k];
    y[i] /= all(s[i * nb + i]);
  }
  for (int i = nb - 1; i >= 0; i--)
    for (int k = i + 1; k < nb; k++) y[i] -= all(s[k * nb + i]) * y[k];
  for (int j = nb - 1; j >= 0; j--) {
    lanes t = y[o->border.pivot[j]];
    y[o->border.pivot[j]] = y[j];
    y[j] = t;
  }
}

/* All unknowns, of cables and of the border. */
static void solve_all(const model *o, lanes *x) {
  int nb = o->at.nx;
  lanes *y = x + o->at.border_rhs;
  for (int i = 0; i < o->m.n_cables; i++) {
    lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    solve(&o->matrix[i], part);
    for (int k = 0; k < nb; k++)
      for (int r = 0; r < rows; r++) y[k] -= all(o->border.c[i][k * rows + r]) * part[r];
  }
  if (nb == 0) return;
  solve_border(o, y);
  for (int i = 0; i < o->m.n_cables; i++) {
    lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    for (int k = 0; k < nb; k++)
      for (int r = 0; r < rows; r++) part[r] -= all(o->border.z[i][k * rows + r]) * y[k];
  }
}

static void solve_all_transposed(const model *o, lanes *x) {
  int nb = o->at.nx;
  lanes *y = x + o->at.border_rhs;
  for (int i = 0; i < o->m.n_cables; i++) {
    const lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    for (int k = 0; k < nb; k++)
      for (int r = 0; r < rows; r++) y[k] -= all(o->border.z[i][k * rows + r]) * part[r];
  }
  if (nb > 0) solve_border_transposed(o, y);
  for (int i = 0; i < o->m.n_cables; i++) {
    lanes *part = x + o->at.cable[i].rhs;
    int rows = o->matrix[i].nodes * o->matrix[i].b;
    for (int k = 0; k < nb; k++)
      for (int r = 0; r < rows; r++) part[r] -= all(o->border.c[i][k * rows + r]) * y[k];
    solve_transposed(&o->matrix[i], part);
  }
}
