/* unit_cable.c - the cable element and chains of it, against closed forms and independent solutions. */
#include "mesh.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

static cable_section section(double ea, double ei, double rho) {
  cable_section c = {
      .ea = ea, .ei = ei, .rho = rho, .strain = STRAIN_GREEN, .axial_points = 5, .bending_points = 5};
  return c;
}

/* All variants, by number. */
static cable_section variant(int i) {
  cable_section c = section(1e3, 2, 0.5);
  c.rayleigh = i % 2 * 3.0;
  c.axial_damping = i % 3 * 5.0;
  c.bending_damping = i % 5 * 0.7;
  c.strain = i % 2 ? STRAIN_GREEN : STRAIN_ENGINEERING;
  c.curvature = i / 2 % 2 ? CURVATURE_EXACT : CURVATURE_APPROXIMATE;
  c.axial_points = 1 + i % 5;
  c.bending_points = 1 + i / 3 % 5;
  c.slack = i / 7 % 2 * 0.05; /* wide, so that differences can see it */
  c.lag = c.axial_damping / c.ea;
  return c;
}

/* A bent, stretched, moving element. */
static void random_element(rng *r, int dim, double length, double *q, double *v) {
  for (int i = 0; i < 4 * dim; i++) {
    q[i] = 0.1 * rng_between(r, -1, 1);
    v[i] = rng_between(r, -1, 1);
  }
  q[dim] += 1;
  q[2 * dim] += length;
  q[3 * dim] += 1;
}

/* The force is the gradient of the energy, the tangents are the gradients of the force, the power is that of
 * damping. */
static void derivatives(void **state) {
  (void)state;
  rng r = rng_for("cable", 1);
  for (int trial = 0; trial < 240; trial++) {
    int dim = 2 + trial % 2, n = 4 * dim;
    cable_section c = variant(trial);
    double l = 0.3, q[12], v[12], rest[12] = {0}, f[12] = {0}, elastic[12] = {0}, kq[144] = {0},
           kv[144] = {0}, spare[12];
    random_element(&r, dim, l, q, v);
    double lost = 0;
    cps_element_force(dim, &c, l, q, v, f, 1, 0, kq, &lost);
    memset(spare, 0, sizeof spare);
    cps_element_force(dim, &c, l, q, v, spare, 0, 1, kv, NULL);
    cps_element_force(dim, &c, l, q, rest, elastic, 0, 0, NULL, NULL);
    double power = 0;
    for (int i = 0; i < n; i++) power += (f[i] - elastic[i]) * v[i];
    assert_true(fabs(power - lost) <= 1e-9 * (1 + fabs(power)));
    assert_true(lost >= -1e-12);
    for (int j = 0; j < n; j++) {
      double h = 1e-6, up[12] = {0}, down[12] = {0}, keep = q[j];
      q[j] = keep + h;
      double e1 = cps_element_force(dim, &c, l, q, v, up, 0, 0, NULL, NULL);
      q[j] = keep - h;
      double e2 = cps_element_force(dim, &c, l, q, v, down, 0, 0, NULL, NULL);
      q[j] = keep;
      assert_true(fabs((e1 - e2) / (2 * h) - elastic[j]) < 1e-6 * (1 + fabs(elastic[j])));
      for (int i = 0; i < n; i++)
        assert_true(fabs((up[i] - down[i]) / (2 * h) - kq[i * n + j]) < 1e-6 * (1e3 + fabs(kq[i * n + j])));
      memset(up, 0, sizeof up);
      memset(down, 0, sizeof down);
      keep = v[j];
      v[j] = keep + h;
      cps_element_force(dim, &c, l, q, v, up, 0, 0, NULL, NULL);
      v[j] = keep - h;
      cps_element_force(dim, &c, l, q, v, down, 0, 0, NULL, NULL);
      v[j] = keep;
      for (int i = 0; i < n; i++)
        assert_true(fabs((up[i] - down[i]) / (2 * h) - kv[i * n + j]) < 1e-6 * (1 + fabs(kv[i * n + j])));
    }
  }
}

/* A turned and moved element has no force, also when it spins - but for Westin's damping, which is not
 * objective. */
static void rigid_motion(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    for (int trial = 0; trial < 40; trial++) {
      cable_section c = variant(trial);
      c.rayleigh = 0;
      c.slack = 0; /* as its potential counts from -slack */
      double angle = 0.7 + trial, l = 0.4, spin = 3, q[12] = {0}, v[12] = {0}, f[12] = {0}, lost = 0;
      double along[3] = {cos(angle), sin(angle), 0}, across[3] = {-sin(angle), cos(angle), 0};
      for (int d = 0; d < dim; d++) {
        q[d] = 5 - d;
        q[2 * dim + d] = q[d] + l * along[d];
        q[dim + d] = q[3 * dim + d] = along[d];
        v[2 * dim + d] = l * spin * across[d];
        v[dim + d] = v[3 * dim + d] = spin * across[d];
      }
      double energy = cps_element_force(dim, &c, l, q, v, f, 0, 0, NULL, &lost);
      assert_true(fabs(energy) < 1e-24 && fabs(lost) < 1e-20);
      for (int i = 0; i < 4 * dim; i++) assert_true(fabs(f[i]) < 1e-10);
      c = section(1e3, 2, 1);
      c.rayleigh = 10;
      lost = 0;
      memset(f, 0, sizeof f);
      cps_element_force(dim, &c, l, q, v, f, 0, 0, NULL, &lost);
      assert_true(fabs(lost - 10 * spin * spin * l) < 1e-9); /* it brakes */
    }
  }
}

/* Turning everything turns the force: frame invariance, in space about a skew axis. */
static void frame_invariance(void **state) {
  (void)state;
  rng r = rng_for("cable", 2);
  double t = 0.8, u[3] = {1 / sqrt(3.0), 1 / sqrt(3.0), -1 / sqrt(3.0)}, turn[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int k = 3 - i - j;
      double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -u[k] : u[k]);
      turn[i][j] = (i == j ? cos(t) : 0) + sin(t) * cross + (1 - cos(t)) * u[i] * u[j];
    }
  }
  for (int trial = 0; trial < 60; trial++) {
    cable_section c = variant(trial);
    double q[12], v[12], tq[12], tv[12], f[12] = {0}, tf[12] = {0};
    random_element(&r, 3, 0.3, q, v);
    for (int i = 0; i < 4; i++) {
      for (int d = 0; d < 3; d++) {
        tq[3 * i + d] = tv[3 * i + d] = 0;
        for (int e = 0; e < 3; e++) {
          tq[3 * i + d] += turn[d][e] * q[3 * i + e];
          tv[3 * i + d] += turn[d][e] * v[3 * i + e];
        }
      }
    }
    double e1 = cps_element_force(3, &c, 0.3, q, v, f, 0, 0, NULL, NULL);
    double e2 = cps_element_force(3, &c, 0.3, tq, tv, tf, 0, 0, NULL, NULL);
    assert_true(fabs(e1 - e2) < 1e-10 * (1 + fabs(e1)));
    for (int i = 0; i < 4; i++) {
      for (int d = 0; d < 3; d++) {
        double turned = 0;
        for (int e = 0; e < 3; e++) turned += turn[d][e] * f[3 * i + e];
        assert_true(fabs(turned - tf[3 * i + d]) < 1e-9 * (1 + fabs(turned)));
      }
    }
  }
}

/* Elastica: clamped beam under a dead tip load P across it. Shooting on EI theta'' = -P cos theta. */
static void elastica(double load, double *x, double *y) {
  double low = 0, high = pi / 2; /* tip angle; theta'(L) = 0, integrate back to theta(0) = 0 */
  enum { STEPS = 4000 };
  for (int it = 0; it < 80; it++) {
    double tip = (low + high) / 2, h = 1.0 / STEPS,
           s[4] = {tip, 0, 0, 0}; /* theta, theta' against arc, x, y */
    for (int i = 0; i < STEPS; i++) {
      double k[4][4], p[4];
      for (int stage = 0; stage < 4; stage++) {
        double a = stage == 0 ? 0 : stage == 3 ? h : h / 2;
        for (int j = 0; j < 4; j++) p[j] = s[j] + (stage ? a * k[stage - 1][j] : 0);
        k[stage][0] = p[1]; /* arc measured from the tip inwards */
        k[stage][1] = -load * cos(p[0]);
        k[stage][2] = cos(p[0]);
        k[stage][3] = sin(p[0]);
      }
      for (int j = 0; j < 4; j++) s[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    if (s[0] > 0)
      high = tip;
    else
      low = tip;
    *x = s[2];
    *y = s[3];
  }
}

static void cantilever(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    double load = i == 0 ? 1 : 4, x, y, start[3] = {0}, along[3] = {1, 0, 0}, before = 0;
    elastica(load, &x, &y);
    for (int n = 8; n <= 32; n *= 2) {
      cable_section c = section(1e6, 1, 1);
      c.curvature = CURVATURE_EXACT;
      mesh m;
      assert_true(cps_mesh_make(&m, 2, n, &c, 1, start, along));
      memset(m.fixed, 1, 4);
      m.load[n * 4 + 1] = load;
      cps_error err;
      assert_int_equal(cps_mesh_equilibrium(&m, 1e-8, 500, NULL, &err), CPS_OK);
      double error = hypot(m.q[n * 4] - x, m.q[n * 4 + 1] - y);
      if (n > 8)
        assert_true(error < 0.35 * before || error < 2e-6); /* axial strain 4e-6 is not in the elastica */
      before = error;
      cps_mesh_free(&m);
    }
    assert_true(before < 5e-6);
  }
}

/* Extensible catenary between points at equal height: Irvine, Cable Structures, 1981. */
static void catenary(void **state) {
  (void)state;
  double w = 10, length = 2, ea = 5e3, span = 1.6, low = 1e-3, high = 1e3; /* weight per length */
  for (int it = 0; it < 200; it++) {
    double h = (low + high) / 2, v = w * length / 2;
    double x = h * length / ea + 2 * h / w * asinh(v / h);
    if (x < span)
      low = h;
    else
      high = h;
  }
  double h = low, v = w * length / 2, sag = v * v / (2 * ea * w) + (hypot(h, v) - h) / w;
  double start[2] = {0, 0}, along[2] = {1, 0}, errors[2];
  for (int i = 0; i < 2; i++) {
    int n = i == 0 ? 20 : 40;
    cable_section c = section(ea, 1e-7, 1);
    c.strain = STRAIN_ENGINEERING;
    mesh m;
    assert_true(cps_mesh_make(&m, 2, n, &c, length, start, along));
    m.gravity[1] = -w;
    /* a parabola to start from, ends pinned */
    for (int k = 0; k <= n; k++) {
      double s = (double)k / n;
      m.q[4 * k] = span * s;
      m.q[4 * k + 1] = -4 * 0.55 * s * (1 - s);
      double slope = -4 * 0.55 * (1 - 2 * s) / span, norm = hypot(1, slope);
      m.q[4 * k + 2] = 1 / norm;
      m.q[4 * k + 3] = slope / norm;
    }
    m.fixed[0] = m.fixed[1] = m.fixed[4 * n] = m.fixed[4 * n + 1] = 1;
    cps_error err = {0};
    assert_int_equal(cps_mesh_equilibrium(&m, 1e-7, 2000, NULL, &err), CPS_OK);
    double *f = calloc((size_t)(4 * (n + 1)), sizeof *f); /* what the pin holds */
    memset(m.fixed, 0, (size_t)(4 * (n + 1)));
    cps_mesh_force(&m, m.q, m.v, f, 0, 0, 0, NULL, NULL);
    double tension = hypot(f[0], f[1]);
    free(f);
    errors[i] = fabs(-m.q[4 * (n / 2) + 1] - sag) / sag;
    assert_true(fabs(tension - hypot(h, v)) < 2e-5 * hypot(h, v));
    cps_mesh_free(&m);
  }
  assert_true(errors[1] < 1e-4);
}

/* Lowest frequency of a straight cable whose fixed coordinates are set, by inverse iteration from shape x. */
static double lowest_frequency(mesh *m, double *x) {
  int size = (m->n + 1) * m->b;
  blocks k;
  double *f = calloc((size_t)size, sizeof *f), *mx = calloc((size_t)size, sizeof *mx), square = 0;
  assert_true(cps_blocks_make(&k, m->n + 1, m->b));
  cps_mesh_force(m, m->q, m->v, f, 0, 1, 0, &k, NULL);
  assert_int_equal(cps_blocks_factor(&k), -1);
  for (int it = 0; it < 60; it++) {
    cps_mesh_inertia(m, x, mx);
    for (int i = 0; i < size; i++)
      if (m->fixed[i]) mx[i] = 0;
    double top = 0, bottom = 0;
    memcpy(f, mx, (size_t)size * sizeof *f);
    cps_blocks_solve(&k, f); /* K y = M x: omega^2 = x'Mx / x'My */
    for (int i = 0; i < size; i++) {
      top += x[i] * mx[i];
      bottom += f[i] * mx[i];
    }
    square = top / bottom;
    double norm = 0;
    for (int i = 0; i < size; i++) norm = fmax(norm, fabs(f[i]));
    for (int i = 0; i < size; i++) x[i] = f[i] / norm;
  }
  cps_blocks_free(&k);
  free(f);
  free(mx);
  return sqrt(square);
}

static void frequencies(void **state) {
  (void)state;
  double length = 2, ea = 4e4, ei = 3, rho = 0.5, start[3] = {0}, along[3] = {1, 0, 0};
  double axial = pi / 2 * sqrt(ea / rho) / length, bending = pi * pi * sqrt(ei / rho) / (length * length),
         e[2][2];
  for (int i = 0; i < 2; i++) {
    int n = i == 0 ? 6 : 12;
    cable_section c = section(ea, ei, rho);
    c.curvature = CURVATURE_EXACT; /* |r''| would resist gradients of axial strain too */
    mesh m;
    double x[4 * 13] = {0};
    /* held at one end, along the axis: fix everything across it */
    assert_true(cps_mesh_make(&m, 2, n, &c, length, start, along));
    for (int k = 0; k <= n; k++) {
      m.fixed[4 * k + 1] = m.fixed[4 * k + 3] = 1;
      x[4 * k] = (double)k / n;
    }
    m.fixed[0] = 1;
    e[0][i] = fabs(lowest_frequency(&m, x) / axial - 1);
    /* pinned at both ends, across the axis */
    memset(x, 0, sizeof x);
    memset(m.fixed, 0, (size_t)(4 * (n + 1)));
    for (int k = 0; k <= n; k++) {
      m.fixed[4 * k] = m.fixed[4 * k + 2] = 1;
      x[4 * k + 1] = sin(pi * k / n);
    }
    m.fixed[1] = m.fixed[4 * n + 1] = 1;
    e[1][i] = fabs(lowest_frequency(&m, x) / bending - 1);
    cps_mesh_free(&m);
  }
  for (int i = 0; i < 2; i++) {
    assert_true(e[i][1] < 1e-5);
    assert_true(e[i][1] < e[i][0] / 12); /* order 4 at least */
  }
}

/* A cable that falls from level about a pin, by the implicit midpoint rule: energy is kept. */
static void pendulum(void **state) {
  (void)state;
  enum { N = 6, SIZE = 4 * (N + 1) };
  double start[2] = {0, 0}, along[2] = {1, 0}, h = 2e-4;
  cable_section c = section(1e4, 50, 1);
  mesh m;
  blocks k;
  assert_true(cps_mesh_make(&m, 2, N, &c, 1, start, along));
  assert_true(cps_blocks_make(&k, N + 1, 4));
  m.gravity[1] = -9.81;
  m.fixed[0] = m.fixed[1] = 1;
  double f[SIZE], q[SIZE], v[SIZE], a[SIZE], inertia[SIZE], worst = 0;
  for (int step = 0; step < 50000; step++) {
    memset(a, 0, sizeof a); /* the change of velocity over h */
    for (int it = 0; it < 12; it++) {
      for (int i = 0; i < SIZE; i++) {
        v[i] = m.v[i] + h / 2 * a[i];
        q[i] = m.q[i] + h / 2 * v[i];
      }
      cps_mesh_inertia(&m, a, inertia);
      cps_mesh_force(&m, q, v, f, 1, h * h / 4, h / 2, &k, NULL);
      double most = 0;
      for (int i = 0; i < SIZE; i++) {
        f[i] = m.fixed[i] ? 0 : -(f[i] + inertia[i]);
        most = fmax(most, fabs(f[i]));
      }
      if (most < 1e-11) break;
      assert_int_equal(cps_blocks_factor(&k), -1);
      cps_blocks_solve(&k, f);
      for (int i = 0; i < SIZE; i++) a[i] += f[i];
    }
    for (int i = 0; i < SIZE; i++) {
      m.q[i] += h * (m.v[i] + h / 2 * a[i]);
      m.v[i] += h * a[i];
    }
    double kinetic = cps_mesh_kinetic_energy(&m, m.v);
    double energy = kinetic + cps_mesh_gravity_energy(&m, m.q) +
                    cps_mesh_force(&m, m.q, m.v, f, 0, 0, 0, NULL, NULL);
    worst = fmax(worst, fabs(energy));
  }
  assert_true(worst < 1e-6 * 9.81 / 2); /* of the fall's m g L/2 */
  cps_blocks_free(&k);
  cps_mesh_free(&m);
}

/* LU of random block-tridiagonal systems, all block sizes. */
static void block_systems(void **state) {
  (void)state;
  rng r = rng_for("cable", 3);
  for (int b = 1; b <= BLOCK_MAX; b++) {
    for (int n = 1; n <= 9; n += 2) {
      blocks m;
      double x[9 * BLOCK_MAX], y[9 * BLOCK_MAX];
      assert_true(cps_blocks_make(&m, n, b));
      for (int i = 0; i < n * b * b; i++) {
        m.diagonal[i] = rng_between(&r, -1, 1);
        m.up[i] = rng_between(&r, -0.3, 0.3);
        m.down[i] = rng_between(&r, -0.3, 0.3);
      }
      for (int i = 0; i < n; i++)
        for (int d = 0; d < b; d++) m.diagonal[(i * b + d) * b + (d + 1) % b] += 4; /* needs pivots */
      for (int i = 0; i < n * b; i++) x[i] = rng_between(&r, -1, 1);
      cps_blocks_multiply(&m, x, y);
      assert_int_equal(cps_blocks_factor(&m), -1);
      cps_blocks_solve(&m, y);
      for (int i = 0; i < n * b; i++) assert_true(fabs(x[i] - y[i]) < 1e-12);
      cps_blocks_free(&m);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),      cmocka_unit_test(rigid_motion),
                                     cmocka_unit_test(frame_invariance), cmocka_unit_test(cantilever),
                                     cmocka_unit_test(catenary),         cmocka_unit_test(frequencies),
                                     cmocka_unit_test(pendulum),         cmocka_unit_test(block_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
