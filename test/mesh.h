/* mesh.h - a cable as a chain of elements, assembled the plain way: an independent check of the element and of the
 * library's own assembly, which eliminates as it goes (cable_elimination.c).
 *
 * The matrix is block-tridiagonal by node; LU row by row with pivoting inside the diagonal blocks (G. H. Golub,
 * C. F. Van Loan, Matrix Computations, 4.5.1). Fixed coordinates keep their rows with a unit diagonal.
 */
#ifndef CPS_TEST_MESH_H
#define CPS_TEST_MESH_H

#include "cable.h"
#include "internal.h"
#include "test.h"

enum { BLOCK_MAX = 8 };

/* n block rows of b x b blocks, row-major; down[i] couples row i to i - 1, up[i] to i + 1. */
typedef struct blocks {
  int n, b;
  double *diagonal, *down, *up; /* [n][b][b] */
  int *pivot;                   /* [n][b] */
} blocks;

/* A chain of n elements and n + 1 nodes; node i has b = 2 dim coordinates: position and slope. */
typedef struct mesh {
  int dim, n, b;
  cable_section section;
  double *length;    /* [n] unstretched */
  double *node_mass; /* [n + 1] point masses */
  double gravity[3];
  double *q, *v;        /* [n + 1][b] */
  unsigned char *fixed; /* [n + 1][b] coordinates that do not move */
  double *load;         /* [n + 1][b] constant nodal forces, without gravity */
} mesh;

static MAYBE_UNUSED int cps_blocks_make(blocks *m, int n, int b) {
  memset(m, 0, sizeof *m);
  if (b > BLOCK_MAX) return 0;
  size_t entries = (size_t)n * (size_t)b * (size_t)b;
  m->n = n;
  m->b = b;
  m->diagonal = calloc(entries, sizeof(double));
  m->down = calloc(entries, sizeof(double));
  m->up = calloc(entries, sizeof(double));
  m->pivot = calloc((size_t)n * (size_t)b, sizeof(int));
  return m->diagonal && m->down && m->up && m->pivot;
}

static MAYBE_UNUSED void cps_blocks_free(blocks *m) {
  free(m->diagonal);
  free(m->down);
  free(m->up);
  free(m->pivot);
  memset(m, 0, sizeof *m);
}

static MAYBE_UNUSED void cps_blocks_zero(blocks *m) {
  size_t bytes = (size_t)m->n * (size_t)m->b * (size_t)m->b * sizeof(double);
  memset(m->diagonal, 0, bytes);
  memset(m->down, 0, bytes);
  memset(m->up, 0, bytes);
}

/* LU of one block with row pivoting; 0 if singular. */
static inline int block_factor(double *a, int *pivot, int b) {
  for (int j = 0; j < b; j++) {
    int best = j;
    for (int i = j + 1; i < b; i++)
      if (fabs(a[i * b + j]) > fabs(a[best * b + j])) best = i;
    pivot[j] = best;
    if (!(fabs(a[best * b + j]) > 0)) return 0;
    if (best != j) {
      for (int k = 0; k < b; k++) {
        double t = a[j * b + k];
        a[j * b + k] = a[best * b + k];
        a[best * b + k] = t;
      }
    }
    double inverse = 1 / a[j * b + j];
    for (int i = j + 1; i < b; i++) {
      double f = a[i * b + j] *= inverse;
      for (int k = j + 1; k < b; k++) a[i * b + k] -= f * a[j * b + k];
    }
  }
  return 1;
}

/* Solves a factored block for `columns` right-hand sides, x[b][columns]. */
static inline void block_solve(const double *a, const int *pivot, int b, double *x, int columns) {
  for (int j = 0; j < b; j++) {
    if (pivot[j] == j) continue;
    for (int c = 0; c < columns; c++) {
      double t = x[j * columns + c];
      x[j * columns + c] = x[pivot[j] * columns + c];
      x[pivot[j] * columns + c] = t;
    }
  }
  for (int j = 0; j < b; j++)
    for (int i = j + 1; i < b; i++)
      for (int c = 0; c < columns; c++) x[i * columns + c] -= a[i * b + j] * x[j * columns + c];
  for (int j = b - 1; j >= 0; j--) {
    double inverse = 1 / a[j * b + j];
    for (int c = 0; c < columns; c++) x[j * columns + c] *= inverse;
    for (int i = 0; i < j; i++)
      for (int c = 0; c < columns; c++) x[i * columns + c] -= a[i * b + j] * x[j * columns + c];
  }
}

static inline int blocks_factor(blocks *m, int b) {
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    double *d = m->diagonal + (size_t)i * size;
    if (i > 0) {
      const double *down = m->down + (size_t)i * size, *up = m->up + (size_t)(i - 1) * size;
      for (int r = 0; r < b; r++)
        for (int k = 0; k < b; k++)
          for (int c = 0; c < b; c++) d[r * b + c] -= down[r * b + k] * up[k * b + c];
    }
    if (!block_factor(d, m->pivot + (size_t)i * (size_t)b, b)) return i;
    if (i + 1 < m->n) block_solve(d, m->pivot + (size_t)i * (size_t)b, b, m->up + (size_t)i * size, b);
  }
  return -1;
}

static inline void solve(const blocks *m, double *x, int b) {
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    double *y = x + (size_t)i * (size_t)b;
    const double *down = m->down + (size_t)i * size;
    if (i > 0)
      for (int r = 0; r < b; r++)
        for (int k = 0; k < b; k++) y[r] -= down[r * b + k] * y[k - b];
    block_solve(m->diagonal + (size_t)i * size, m->pivot + (size_t)i * (size_t)b, b, y, 1);
  }
  for (int i = m->n - 2; i >= 0; i--) {
    double *y = x + (size_t)i * (size_t)b;
    const double *up = m->up + (size_t)i * size;
    for (int r = 0; r < b; r++)
      for (int k = 0; k < b; k++) y[r] -= up[r * b + k] * y[b + k];
  }
}

/* The sizes that occur get loops of fixed length. */
static MAYBE_UNUSED int cps_blocks_factor(blocks *m) {
  switch (m->b) {
  case 4:
    return blocks_factor(m, 4);
  case 5:
    return blocks_factor(m, 5);
  case 6:
    return blocks_factor(m, 6);
  default:
    return blocks_factor(m, m->b);
  }
}

static MAYBE_UNUSED void cps_blocks_solve(const blocks *m, double *x) {
  switch (m->b) {
  case 4:
    solve(m, x, 4);
    break;
  case 5:
    solve(m, x, 5);
    break;
  case 6:
    solve(m, x, 6);
    break;
  default:
    solve(m, x, m->b);
  }
}

static MAYBE_UNUSED void cps_blocks_multiply(const blocks *m, const double *x, double *y) {
  int b = m->b;
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i < m->n; i++) {
    for (int r = 0; r < b; r++) {
      double sum = 0;
      for (int c = 0; c < b; c++) {
        size_t at = (size_t)i * size + (size_t)(r * b + c);
        const double *here = x + (size_t)i * (size_t)b;
        sum += m->diagonal[at] * here[c];
        if (i > 0) sum += m->down[at] * here[c - b];
        if (i + 1 < m->n) sum += m->up[at] * here[c + b];
      }
      y[i * b + r] = sum;
    }
  }
}

static MAYBE_UNUSED int cps_mesh_make(mesh *m, int dim, int n, const cable_section *section, double length,
                                      const double *start, const double *along) {
  memset(m, 0, sizeof *m);
  m->dim = dim;
  m->n = n;
  m->b = 2 * dim;
  m->section = *section;
  size_t nodes = (size_t)n + 1, entries = nodes * (size_t)m->b;
  m->length = calloc((size_t)n, sizeof(double));
  m->node_mass = calloc(nodes, sizeof(double));
  m->q = calloc(entries, sizeof(double));
  m->v = calloc(entries, sizeof(double));
  m->load = calloc(entries, sizeof(double));
  m->fixed = calloc(entries, 1);
  if (!m->length || !m->node_mass || !m->q || !m->v || !m->load || !m->fixed) return 0;
  for (int i = 0; i < n; i++) m->length[i] = length / n;
  for (int i = 0; i <= n; i++) {
    for (int d = 0; d < dim; d++) {
      m->q[i * m->b + d] = start[d] + along[d] * length * i / n;
      m->q[i * m->b + dim + d] = along[d];
    }
  }
  return 1;
}

static MAYBE_UNUSED void cps_mesh_free(mesh *m) {
  free(m->length);
  free(m->node_mass);
  free(m->q);
  free(m->v);
  free(m->load);
  free(m->fixed);
  memset(m, 0, sizeof *m);
}

/* Adds an element's matrix k[2b][2b] to the rows of its two nodes. */
static void assemble(blocks *t, int i, int b, const double *k) {
  size_t size = (size_t)b * (size_t)b;
  double *d0 = t->diagonal + (size_t)i * size, *d1 = d0 + size;
  double *up = t->up + (size_t)i * size, *down = t->down + (size_t)(i + 1) * size;
  for (int r = 0; r < b; r++) {
    for (int c = 0; c < b; c++) {
      d0[r * b + c] += k[r * 2 * b + c];
      up[r * b + c] += k[r * 2 * b + b + c];
      down[r * b + c] += k[(b + r) * 2 * b + c];
      d1[r * b + c] += k[(b + r) * 2 * b + b + c];
    }
  }
}

/* Adds s times the consistent mass of an element to k. */
static void add_mass(const mesh *m, int i, double s, double *k) {
  double mass[4][4];
  int dim = m->dim, b = m->b;
  cps_element_mass(&m->section, m->length[i], mass);
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++)
      for (int d = 0; d < dim; d++) k[(r * dim + d) * 2 * b + c * dim + d] += s * mass[r][c];
}

/* Weight of an element on its coordinates: rho int N_i dp g. */
static void add_weight(const mesh *m, int i, double *f) {
  double l = m->length[i], w[4] = {l / 2, l * l / 12, l / 2, -l * l / 12};
  for (int r = 0; r < 4; r++)
    for (int d = 0; d < m->dim; d++) f[r * m->dim + d] -= m->section.rho * w[r] * m->gravity[d];
}

/* Rows and columns of coordinates that do not move become those of the identity, the force zero. */
static void fix(const mesh *m, double *f, blocks *t) {
  int b = m->b;
  size_t size = (size_t)b * (size_t)b;
  for (int i = 0; i <= m->n; i++) {
    for (int r = 0; r < b; r++) {
      if (!m->fixed[i * b + r]) continue;
      f[i * b + r] = 0;
      if (!t) continue;
      double *d = t->diagonal + (size_t)i * size;
      for (int c = 0; c < b; c++) {
        d[r * b + c] = d[c * b + r] = 0;
        t->up[(size_t)i * size + (size_t)(r * b + c)] = 0;
        t->down[(size_t)i * size + (size_t)(r * b + c)] = 0;
        if (i > 0) t->up[(size_t)(i - 1) * size + (size_t)(c * b + r)] = 0;
        if (i < m->n) t->down[(size_t)(i + 1) * size + (size_t)(c * b + r)] = 0;
      }
      d[r * b + r] = 1;
    }
  }
}

static MAYBE_UNUSED double cps_mesh_force(const mesh *m, const double *q, const double *v, double *f,
                                          double s_m, double s_q, double s_v, blocks *t, double *lost) {
  int b = m->b;
  double energy = 0, k[4 * 3 * 4 * 3];
  for (int i = 0; i < (m->n + 1) * b; i++) f[i] = -m->load[i];
  if (t) cps_blocks_zero(t);
  for (int i = 0; i < m->n; i++) {
    if (t) memset(k, 0, (size_t)(4 * b * b) * sizeof(double));
    energy += cps_element_force(m->dim, &m->section, m->length[i], q + i * b, v + i * b, f + i * b, s_q, s_v,
                                t ? k : NULL, lost);
    add_weight(m, i, f + i * b);
    if (!t) continue;
    if (s_m != 0) add_mass(m, i, s_m, k);
    assemble(t, i, b, k);
  }
  for (int i = 0; i <= m->n; i++) {
    for (int d = 0; d < m->dim; d++) {
      f[i * b + d] -= m->node_mass[i] * m->gravity[d];
      if (t) t->diagonal[(size_t)i * (size_t)(b * b) + (size_t)(d * b + d)] += s_m * m->node_mass[i];
    }
  }
  fix(m, f, t);
  return energy;
}

static MAYBE_UNUSED void cps_mesh_inertia(const mesh *m, const double *a, double *f) {
  int b = m->b, dim = m->dim;
  memset(f, 0, (size_t)((m->n + 1) * b) * sizeof(double));
  for (int i = 0; i < m->n; i++) {
    double mass[4][4];
    cps_element_mass(&m->section, m->length[i], mass);
    for (int r = 0; r < 4; r++)
      for (int c = 0; c < 4; c++)
        for (int d = 0; d < dim; d++) f[i * b + r * dim + d] += mass[r][c] * a[i * b + c * dim + d];
  }
  for (int i = 0; i <= m->n; i++)
    for (int d = 0; d < dim; d++) f[i * b + d] += m->node_mass[i] * a[i * b + d];
}

static MAYBE_UNUSED double cps_mesh_gravity_energy(const mesh *m, const double *q) {
  int b = m->b, dim = m->dim;
  double energy = 0;
  for (int i = 0; i < m->n; i++) {
    double f[4 * 3] = {0};
    add_weight(m, i, f);
    for (int j = 0; j < 4 * dim; j++) energy += f[j] * q[i * b + j];
  }
  for (int i = 0; i <= m->n; i++)
    for (int d = 0; d < dim; d++) energy -= m->node_mass[i] * m->gravity[d] * q[i * b + d];
  return energy;
}

static MAYBE_UNUSED double cps_mesh_kinetic_energy(const mesh *m, const double *v) {
  int b = m->b, dim = m->dim;
  double energy = 0;
  for (int i = 0; i < m->n; i++) {
    double mass[4][4];
    cps_element_mass(&m->section, m->length[i], mass);
    for (int r = 0; r < 4; r++)
      for (int c = 0; c < 4; c++)
        for (int d = 0; d < dim; d++)
          energy += mass[r][c] * v[i * b + r * dim + d] * v[i * b + c * dim + d] / 2;
  }
  for (int i = 0; i <= m->n; i++)
    for (int d = 0; d < dim; d++) energy += m->node_mass[i] * v[i * b + d] * v[i * b + d] / 2;
  return energy;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Newton; a step is shortened so that no node moves further than half an element, and halved while the
 * potential energy would grow by more than round-off. Where the tangent is not positive (a slack cable), a
 * shift of it makes descent. */
static MAYBE_UNUSED cps_status cps_mesh_equilibrium(mesh *m, double tolerance, int most, int *iterations,
                                                    cps_error *err) {
  int size = (m->n + 1) * m->b, done = 0;
  double *f = calloc((size_t)size, sizeof(double)), *dx = calloc((size_t)size, sizeof(double));
  double *trial = calloc((size_t)size, sizeof(double)), *rest = calloc((size_t)size, sizeof(double));
  blocks t;
  cps_status status = CPS_OK;
  if (!cps_blocks_make(&t, m->n + 1, m->b) || !f || !dx || !trial || !rest)
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the equilibrium of a cable");
  double shift = 0, reach = m->length[0] / 2;
  int it = 0;
  for (; status == CPS_OK && it < most; it++) {
    double energy = cps_mesh_force(m, m->q, rest, f, shift, 1, 0, &t, NULL);
    for (int i = 0; i < size; i++)
      if (!m->fixed[i]) energy -= m->load[i] * m->q[i];
    energy += cps_mesh_gravity_energy(m, m->q);
    double force = largest(f, size);
    if (force <= tolerance && shift == 0) {
      done = 1;
      break;
    }
    int bad = cps_blocks_factor(&t);
    double descent = 0;
    for (int i = 0; i < size; i++) dx[i] = -f[i];
    if (bad < 0) cps_blocks_solve(&t, dx);
    for (int i = 0; i < size; i++) descent += dx[i] * f[i];
    if (bad >= 0 || !(descent < 0)) { /* make it positive */
      shift = shift > 0 ? 10 * shift : 1;
      if (shift > 1e15) break;
      continue;
    }
    double scale = fmin(1, reach / fmax(largest(dx, size), 1e-300));
    for (int cut = 0; cut < 40; cut++, scale /= 2) {
      for (int i = 0; i < size; i++) trial[i] = m->q[i] + scale * dx[i];
      double *spare = f;
      double now = cps_mesh_force(m, trial, rest, spare, 0, 1, 0, NULL, NULL) +
                   cps_mesh_gravity_energy(m, trial);
      for (int i = 0; i < size; i++)
        if (!m->fixed[i]) now -= m->load[i] * trial[i];
      if (now <= energy + 1e-4 * scale * descent + 1e-13 * fabs(energy) || largest(spare, size) < force)
        break;
    }
    memcpy(m->q, trial, (size_t)size * sizeof(double));
    shift = shift > 1e-3 ? shift / 10 : 0;
  }
  if (iterations) *iterations = it;
  if (status == CPS_OK && !done)
    status = cps_error_set(err, CPS_FAILED, NULL, "no equilibrium of the cable within %d iterations", most);
  cps_blocks_free(&t);
  free(f);
  free(dx);
  free(trial);
  free(rest);
  return status;
}

#endif
