/* mesh.c - a cable as a chain of elements.
 *
 * The matrix of a chain is block-tridiagonal by node (blocks.c). Fixed coordinates keep their rows with a
 * unit diagonal.
 */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cps_mesh_make(mesh *m, int dim, int n, const cable_section *section, double length, const double *start,
                  const double *along) {
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

void cps_mesh_free(mesh *m) {
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

double cps_mesh_force(const mesh *m, const double *q, const double *v, double *f, double s_m, double s_q,
                      double s_v, blocks *t, double *lost) {
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

void cps_mesh_inertia(const mesh *m, const double *a, double *f) {
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

double cps_mesh_gravity_energy(const mesh *m, const double *q) {
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

double cps_mesh_kinetic_energy(const mesh *m, const double *v) {
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
cps_status cps_mesh_equilibrium(mesh *m, double tolerance, int most, int *iterations, cps_error *err) {
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
