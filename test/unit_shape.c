/* unit_shape.c - the mesh that a cable starts with: lengths, stretch, depth, sag and grading. */
#include "world.h"

#include "mesh.h"
#include "mesh_grading.h"

static const double *node(const world *w, const shape *m, int i) { return m->q + 2 * w->s.dim * i; }

static double slope_size(const world *w, const shape *m, int i) {
  const double *q = node(w, m, i) + w->s.dim;
  return w->s.dim == 2 ? hypot(q[0], q[1]) : vec_norm(q);
}

static double distance(const world *w, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < w->s.dim; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

static double sum_lengths(const shape *m) {
  double sum = 0;
  for (int i = 0; i < m->n; i++) sum += m->length[i];
  return sum;
}

static double tension_of(const world *w, double stretch) {
  return w->cable.ea * (w->cable.engineering ? stretch - 1 : stretch * (stretch * stretch - 1) / 2);
}

/* Normal force at a depth. */
static double normal_at(const world *w, double depth) {
  cps_normal_output out;
  cps_normal_eval(w->cable.contact.normal, w->cable.contact.normal_p, depth, 0, &out);
  return out.n;
}

/* The distance of neighbours is the stretched length less what an arc's chord is shorter, l^3/(24 R^2) at
 * most. */
static void check_distances(const world *w, const shape *m, double radius) {
  for (int i = 0; i < m->n; i++) {
    double stretched = m->length[i] * (slope_size(w, m, i) + slope_size(w, m, i + 1)) / 2;
    double lost = stretched - distance(w, node(w, m, i), node(w, m, i + 1));
    double chord = stretched * stretched * stretched / (24 * radius * radius);
    if (lost < -1e-7 * stretched || lost > 1.02 * chord + 1e-7 * stretched)
      fail_msg("element %d of %g m is %g m short", i, m->length[i], lost);
  }
}

static void two_loads(world *w, double left, double right) {
  world_begin(w, 2);
  carry(w, 0, add_body(w, left));
  carry(w, 1, add_body(w, right));
  hang(w, 1);
  wrap(w, add_drum(w, 0, 0, 0.25), 1);
  hang(w, 1);
  w->cable.rho = 0.5;
  w->cable.elements = 40;
  press_law(w, 5e6, 1.5);
}

/* Loads on both sides: each side carries its own, the drum carries both. */
static void test_two_loads(void **state) {
  (void)state;
  for (int quadrature = 0; quadrature < 3; quadrature += 2)
    for (int engineering = 0; engineering < 2; engineering++) {
      world w;
      two_loads(&w, 10, 20);
      w.cable.contact.quadrature = quadrature;
      w.cable.contact.of_node = quadrature == 0;
      w.cable.engineering = engineering;
      path p = path_of(&w);
      shape m = shape_of(&w, &p);
      assert_int_equal(m.n, 40);
      near_to(sum_lengths(&m), p.length, 1e-13, "length");
      near_to(tension_of(&w, slope_size(&w, &m, 0)), 100, 1e-6, "tension left");
      near_to(tension_of(&w, slope_size(&w, &m, 40)), 200, 1e-6, "tension right");
      check_distances(&w, &m, 0.24);
      int touching = 0;
      for (int i = 0; i <= m.n; i++) {
        const double *r = node(&w, &m, i);
        double depth = 0.25 - hypot(r[0], r[1]), t = tension_of(&w, slope_size(&w, &m, i));
        if (r[1] <= 0) { /* hanging, straight above where it hangs */
          const double *end = node(&w, &m, r[0] < 0 ? 0 : m.n);
          near_to(r[0], end[0], 1e-14, "hang");
          near_to(t, (r[0] < 0 ? 100 : 200) + 5 * fabs(r[1] - end[1]), 2e-2, "own weight");
          continue;
        }
        touching++; /* up to what the tension changes over the way that the pressed cable is ahead */
        near_to(normal_at(&w, depth) / (t / 0.25 * (quadrature ? 1 : p.length / 40)), 1, depth / 0.25,
                "carried");
      }
      assert_in_range(touching, 11, 12);
      /* it stretches from the top of the drum outwards, and is pressed in there: both ends are lower */
      assert_true(node(&w, &m, 0)[1] < -1 && node(&w, &m, 40)[1] < -1);
      near_to(node(&w, &m, 20)[0], 0, 1e-5, "the middle stays");
      cps_shape_free(&m);
      cps_path_free(&p);
    }
}

/* A pendulum's length in closed form, and that the pinned end stays. */
static void test_pendulum(void **state) {
  (void)state;
  for (int end = 0; end < 2; end++) {
    world w;
    world_begin(&w, 2);
    pin(&w, end, 1, 2);
    carry(&w, !end, add_body(&w, 30));
    hang(&w, 3);
    w.cable.rho = 2;
    w.cable.engineering = 1;
    path p = path_of(&w);
    shape m = shape_of(&w, &p);
    const double *top = node(&w, &m, end ? m.n : 0), *bottom = node(&w, &m, end ? 0 : m.n);
    near_to(top[0], 1, 1e-14, "x");
    near_to(top[1], 2, 1e-14, "y");
    near_to(bottom[1], 2 - 3 - (300. * 3 + 20 * 9 / 2.) / 1e6, 1e-14, "stretched");
    near_to(slope_size(&w, &m, end ? 0 : m.n), 1 + 300 / 1e6, 1e-14, "stretch below");
    near_to(slope_size(&w, &m, end ? m.n : 0), 1 + 360 / 1e6, 1e-14, "stretch above");
    cps_shape_free(&m);
    cps_path_free(&p);
  }
}

/* A force instead of a weight; and a body that two cable ends share. */
static void test_loads(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  pin(&w, 0, 0, 0);
  along(&w, 1, 0, 2);
  profile pull = {.kind = PROFILE_CONSTANT, .a = {500}};
  w.cable.end[1].force[0] = &pull;
  path p = path_of(&w);
  shape m = shape_of(&w, &p);
  near_to(tension_of(&w, slope_size(&w, &m, m.n)), 500, 1e-6, "pulled");
  near_to(node(&w, &m, m.n)[0], 2 * slope_size(&w, &m, 0), 1e-12, "end");
  cps_shape_free(&m);
  cps_path_free(&p);

  two_loads(&w, 10, 20);
  w.cable.end[1].body = 0; /* both ends on the first */
  w.cable.rho = 0;
  p = path_of(&w);
  m = shape_of(&w, &p);
  near_to(tension_of(&w, slope_size(&w, &m, 7)), 50, 1e-6, "half each");
  near_to(tension_of(&w, slope_size(&w, &m, 33)), 50, 1e-6, "half each");
  cps_shape_free(&m);
  cps_path_free(&p);
}

/* What a mesh on a tight path must have: one stretch, depths that carry its tension. */
static void check_tight(const world *w, const shape *m, double tension) {
  double stretch = slope_size(w, m, 0);
  near_to(tension_of(w, stretch) / tension, 1, 1e-8, "tension");
  int touching = 0;
  for (int i = 0; i < m->n; i++) {
    const double *r = node(w, m, i);
    near_to(slope_size(w, m, i), stretch, 1e-13, "one stretch");
    for (int k = 0; k < w->s.n_drums; k++) {
      double depth = w->drums[k].radius - distance(w, r, w->drums[k].center);
      if (depth < 1e-9) continue;
      double l = (m->length[i] + m->length[(i + m->n - 1) % m->n]) / 2, n = normal_at(w, depth);
      if (fabs(n / (tension * l / w->drums[k].radius) - 1) < 1e-6) touching++;
    }
  }
  assert_true(touching > m->n / 5);
}

static void belt(world *w) {
  world_begin(w, 2);
  w->cable.closed = 1;
  wrap(w, add_drum(w, 0, 0, 0.25), 1);
  wrap(w, add_drum(w, 1, 0, 0.25), 1);
  w->cable.elements = 200;
  press_law(w, 1e6, 1);
}

static void test_tight(void **state) {
  (void)state;
  world w;
  belt(&w);
  w.cable.tension = 1000;
  path p = path_of(&w);
  shape m = shape_of(&w, &p);
  check_tight(&w, &m, 1000);
  check_distances(&w, &m, 0.24);
  assert_memory_equal(node(&w, &m, 0), node(&w, &m, m.n), 4 * sizeof(double));
  /* depth = T l/(R k); the belt is 2 + 2 pi (R - depth) long and stretched */
  double l0 = sum_lengths(&m), depth = 1000 * l0 / 200 / 0.25 / 1e6;
  near_to(l0 * slope_size(&w, &m, 0), 2 + 2 * PI * (0.25 - depth), 2e-6, "belt");

  w.cable.tension = 0; /* the same belt by its length has the same tension */
  w.cable.length = l0;
  shape again = shape_of(&w, &p);
  check_tight(&w, &again, tension_of(&w, slope_size(&w, &again, 0)));
  near_to(tension_of(&w, slope_size(&w, &again, 0)), 1000, 1e-3, "tension of a belt of that length");
  cps_shape_free(&again);
  cps_shape_free(&m);
  cps_path_free(&p);

  world_begin(&w, 2); /* a string between two pins */
  pin(&w, 0, 0, 0);
  pin(&w, 1, 3, 4);
  w.cable.tension = 2000;
  p = path_of(&w);
  m = shape_of(&w, &p);
  near_to(sum_lengths(&m) * slope_size(&w, &m, 3), 5, 1e-12, "string");
  near_to(tension_of(&w, slope_size(&w, &m, 3)), 2000, 1e-6, "string");
  near_to(node(&w, &m, m.n)[0], 3, 1e-12, "x");
  near_to(node(&w, &m, m.n)[1], 4, 1e-12, "y");
  cps_shape_free(&m);
  w.cable.tension = 0;
  w.cable.length = 4.9;
  m = shape_of(&w, &p);
  near_to(slope_size(&w, &m, 3), 5 / 4.9, 1e-12, "stretched to fit");
  cps_shape_free(&m);
  cps_path_free(&p);
}

/* The curve through the nodes has the cable's length, whatever the slack; and it hangs downwards. */
static void check_slack(const world *w, const shape *m, double length) {
  double sum = 0, stretch = 0;
  near_to(sum_lengths(m), length, 1e-12 * length, "length");
  for (int i = 0; i < m->n; i++) {
    sum += distance(w, node(w, m, i), node(w, m, i + 1));
    stretch = fmax(stretch, fabs(slope_size(w, m, i) - 1));
  }
  /* an element over a corner of the path is without tension, and so a little shorter than the corner is long */
  near_to(sum, length, 2e-5 * length + 0.02 * length / m->n, "length of the curve");
  near_to(stretch, 0, 1e-12, "no stretch");
}

static void test_slack(void **state) {
  (void)state;
  static const double lengths[] = {5.0001, 5.1, 6, 12};
  for (int i = 0; i < ROWS(lengths); i++)
    for (int steep = 0; steep < 2; steep++) {
      world w;
      world_begin(&w, 2);
      pin(&w, 0, 0, 0);
      pin(&w, 1, steep ? 0 : 4, steep ? 5 : 3);
      w.cable.length = lengths[i];
      w.cable.elements = 2000;
      path p = path_of(&w);
      shape m = shape_of(&w, &p);
      check_slack(&w, &m, lengths[i]);
      near_to(node(&w, &m, m.n)[0], steep ? 0 : 4, 1e-11, "x");
      near_to(node(&w, &m, m.n)[1], steep ? 5 : 3, 1e-11, "y");
      const double *middle = node(&w, &m, m.n / 2);
      if (!steep) assert_true(middle[1] < 0.75 * middle[0]);
      cps_shape_free(&m);
      cps_path_free(&p);
    }

  world w; /* the longest span between drums takes it all */
  world_begin(&w, 2);
  pin(&w, 0, -1, 0.4);
  wrap(&w, add_drum(&w, 0, 0, 0.5), 1);
  wrap(&w, add_drum(&w, 5, 0, 0.5), 1);
  pin(&w, 1, 6, 0.4);
  path p = path_of(&w);
  w.cable.length = p.length + 0.3;
  w.cable.elements = 2000;
  shape m = shape_of(&w, &p);
  check_slack(&w, &m, w.cable.length);
  double low = 1;
  for (int i = 0; i <= m.n; i++)
    if (node(&w, &m, i)[0] > 0.6 && node(&w, &m, i)[0] < 4.4) low = fmin(low, node(&w, &m, i)[1]);
  near_to(low, 0.5 - sqrt(3 * 5 * 0.3 / 8), 0.03, "sag");
  cps_shape_free(&m);
  cps_path_free(&p);

  belt(&w);
  p = path_of(&w);
  w.cable.length = p.length + 0.1;
  w.cable.elements = 2000;
  m = shape_of(&w, &p);
  check_slack(&w, &m, w.cable.length);
  cps_shape_free(&m);
  cps_path_free(&p);

  w.cable.n_path = 1; /* around one drum there is nowhere to go */
  w.cable.length = 2;
  p = path_of(&w);
  cps_error err;
  assert_int_equal(cps_shape_make(&m, &w.s, 0, &p, &err), CPS_BAD_INPUT);
  assert_string_equal(err.key, "cables.rope.length");
  assert_null(m.q);
  cps_path_free(&p);
}

static void test_grading(void **state) {
  (void)state;
  rng g = rng_for("grading", 1);
  for (int i = 0; i < 300; i++) {
    zone zones[4];
    double length = rng_between(&g, 1, 20), size = rng_log(&g, 0.05, 3), fine = size * rng_log(&g, 0.01, 1.5);
    double growth = rng_between(&g, 1.05, 2), *l;
    int n_zones = rng_below(&g, 4), ring = rng_below(&g, 2);
    for (int k = 0; k < n_zones; k++) {
      zones[k].from = rng_between(&g, 0, length);
      zones[k].to = fmin(length, zones[k].from + rng_between(&g, 0.01, 1));
    }
    int n = cps_grade(length, size, fine, growth, zones, n_zones, ring, &l);
    assert_true(n > 0);
    double p = 0;
    for (int k = 0; k < n; k++) {
      double next = p + l[k];
      assert_true(l[k] > 0 && l[k] <= size * (1 + 1e-9));
      for (int z = 0; z < n_zones; z++)
        if (next > zones[z].from + 1e-9 && p < zones[z].to - 1e-9 && l[k] > fmin(fine, size) * (1 + 1e-9))
          fail_msg("an element of %g m in a zone of %g m", l[k], fine);
      if (k + 1 == n && !ring) break;
      double ratio = l[(k + 1) % n] / l[k];
      if (n > 1 && (ratio > growth * (1 + 1e-9) || ratio < (1 - 1e-9) / growth))
        fail_msg("neighbours by the factor %g apart", ratio);
      p = next;
    }
    double sum = 0;
    for (int k = 0; k < n; k++) sum += l[k];
    near_to(sum, length, 1e-12 * length, "sum");
    /* not many more than needed: no coarser mesh would do by half */
    if (n_zones == 0) assert_true(n <= (int)ceil(length / fmin(size, length) + 1e-9));
    free(l);
  }
}

static void test_graded_cable(void **state) {
  (void)state;
  world w;
  two_loads(&w, 10, 10);
  w.cable.elements = 0;
  w.cable.size = 0.2, w.cable.drum_size = 0.01, w.cable.growth = 1.3;
  path p = path_of(&w);
  shape m = shape_of(&w, &p);
  near_to(sum_lengths(&m), p.length, 1e-12, "length");
  assert_true(m.n > 80 && m.n < 130);
  double longest = 0;
  for (int i = 0; i < m.n; i++) {
    near_to(m.length[i], m.length[m.n - 1 - i], 1e-12, "symmetric");
    if (node(&w, &m, i)[1] > 0 || node(&w, &m, i + 1)[1] > 0) assert_true(m.length[i] <= 0.01 * (1 + 1e-9));
    longest = fmax(longest, m.length[i]);
  }
  assert_true(longest > 0.1 && longest <= 0.2);
  check_distances(&w, &m, 0.24);
  cps_shape_free(&m);

  cps_error err;
  w.cable.size = w.cable.drum_size = 0;
  assert_int_equal(cps_shape_make(&m, &w.s, 0, &p, &err), CPS_BAD_INPUT);
  assert_non_null(strstr(err.text, "`elements`"));
  w.cable.size = 1e-9;
  assert_int_equal(cps_shape_make(&m, &w.s, 0, &p, &err), CPS_BAD_INPUT);
  cps_path_free(&p);
}

/* The same mesh in a tilted plane. */
static void test_tilted(void **state) {
  (void)state;
  world w, v;
  two_loads(&w, 10, 17);
  two_loads(&v, 10, 17);
  double about[3] = {0.6, 0.48, 0.64}, shift[3] = {1, 2, 3};
  tilt(&v, about, 1.1, shift);
  path p = path_of(&w), q = path_of(&v);
  shape a = shape_of(&w, &p), b = shape_of(&v, &q);
  for (int i = 0; i <= a.n; i++) {
    double r[3] = {node(&w, &a, i)[0], node(&w, &a, i)[1], 0},
           t[3] = {node(&w, &a, i)[2], node(&w, &a, i)[3], 0};
    rotate(r, about, 1.1);
    rotate(t, about, 1.1);
    vec_add(r, r, 1, shift);
    for (int k = 0; k < 3; k++) {
      near_to(node(&v, &b, i)[k], r[k], 1e-12, "place");
      near_to(node(&v, &b, i)[3 + k], t[k], 1e-12, "slope");
    }
  }
  cps_shape_free(&a);
  cps_shape_free(&b);
  cps_path_free(&p);
  cps_path_free(&q);
}

/* Lines lead from pressed arc to pressed arc: the mesh has no jump at tangent points, however soft the
 * drum. */
static void test_smooth_joints(void **state) {
  (void)state;
  world w;
  two_loads(&w, 10, 30);
  w.cable.n_path = 1;
  wrap(&w, 0, 1);
  wrap(&w, add_drum(&w, 2, -0.5, 0.3), -1);
  wrap(&w, add_drum(&w, 4, 0, 0.3), 1);
  hang(&w, 1);
  w.cable.elements = 4000;
  press_law(&w, 1e4, 1);
  w.cable.contact.quadrature = 2;
  w.cable.contact.of_node = 0;
  path p = path_of(&w);
  shape m = shape_of(&w, &p);
  for (int i = 0; i < m.n; i++) {
    double stretched = m.length[i] * slope_size(&w, &m, i);
    near_to(distance(&w, node(&w, &m, i), node(&w, &m, i + 1)) / stretched, 1, 2e-4, "no jump");
  }
  cps_shape_free(&m);
  cps_path_free(&p);
}

/* Near equilibrium: elements, weight and the drums' pressure balance at every node but those next to a
 * tangent point, where the curvature jumps within an element. Loads hang at the ends. */
static void check_balance(const world *w, const shape *m) {
  cable_section section = {.ea = w->cable.ea, .rho = w->cable.rho, .axial_points = 3, .bending_points = 3};
  section.strain = w->cable.engineering ? STRAIN_ENGINEERING : STRAIN_GREEN;
  mesh k;
  double along[2] = {1, 0}, start[2] = {0, 0}, *f = calloc(4 * ((size_t)m->n + 1), sizeof *f);
  int *drum = calloc((size_t)m->n + 1, sizeof *drum), checked = 0;
  assert_true(f && drum && cps_mesh_make(&k, 2, m->n, &section, sum_lengths(m), start, along));
  k.gravity[1] = w->s.gravity[1];
  for (int e = 0; e < 2 && !w->cable.closed; e++) k.node_mass[e ? m->n : 0] = w->bodies[e].mass;
  cps_mesh_force(&k, m->q, k.v, f, 0, 0, 0, NULL, NULL);
  for (int i = 0; i <= m->n; i++) {
    drum[i] = -1;
    for (int d = 0; d < w->s.n_drums; d++)
      if (distance(w, node(w, m, i), w->drums[d].center) < w->drums[d].radius) drum[i] = d;
  }
  for (int i = w->cable.closed; i <= m->n - w->cable.closed; i++) {
    const double *r = node(w, m, i), *c = drum[i] < 0 ? start : w->drums[drum[i]].center;
    if ((i > 0 && drum[i - 1] != drum[i]) || (i < m->n && drum[i + 1] != drum[i])) continue;
    double radius = distance(w, r, c), n = drum[i] < 0 ? 0 : normal_at(w, w->drums[drum[i]].radius - radius);
    near_to(f[4 * i], n * (r[0] - c[0]) / radius, 0.02 * n + 1e-6, "balance across");
    near_to(f[4 * i + 1], n * (r[1] - c[1]) / radius, 0.02 * n + 1e-6, "balance along gravity");
    checked++;
  }
  assert_true(checked > m->n / 2);
  free(f);
  free(drum);
  cps_mesh_free(&k);
}

static void test_balance(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    world w;
    if (kind < 2)
      two_loads(&w, 10, 10);
    else
      belt(&w);
    w.cable.ea = 9.2e6;
    w.cable.engineering = kind % 2;
    w.cable.axial_points = 3;
    w.cable.elements = 40;
    if (kind >= 2) w.cable.tension = 300; /* a weightless belt */
    path p = path_of(&w);
    shape m = shape_of(&w, &p);
    check_balance(&w, &m);
    if (kind >= 2) { /* and by its length */
      w.cable.length = sum_lengths(&m);
      w.cable.tension = 0;
      shape again = shape_of(&w, &p);
      check_balance(&w, &again);
      near_to(tension_of(&w, slope_size(&w, &again, 0)), 300, 1e-3, "tension of a belt of that length");
      cps_shape_free(&again);
    }
    cps_shape_free(&m);
    cps_path_free(&p);
  }
}

static void test_clamped(void **state) {
  (void)state;
  world w;
  world_begin(&w, 2);
  pin(&w, 0, 0, 0);
  w.cable.end[0].kind = cps_end_find("clamped");
  w.cable.end[0].direction[1] = 1;
  along(&w, 1, 0, 2);
  path p = path_of(&w);
  shape m = shape_of(&w, &p);
  near_to(node(&w, &m, 0)[3], 1, 1e-14, "clamped direction");
  near_to(node(&w, &m, 1)[2], 1, 1e-14, "then along the path");
  cps_shape_free(&m);
  cps_path_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_loads),     cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_loads),         cmocka_unit_test(test_tight),
      cmocka_unit_test(test_slack),         cmocka_unit_test(test_grading),
      cmocka_unit_test(test_graded_cable),  cmocka_unit_test(test_tilted),
      cmocka_unit_test(test_smooth_joints), cmocka_unit_test(test_balance),
      cmocka_unit_test(test_clamped),
  };
  return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
