/* unit_cables.c - cables on drums: the Newton matrix, what friction holds, and Westin's motorised pulley. */
#include "cables.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

/* A cable that hangs `hang` on each side of a pulley, with masses at its ends: the shape that it would have
 * with the tension of its loads, so that statics has little to do. */
static void shape_over_pulley(mesh *m, double hang, double radius, double m1, double m2, double stiffness) {
  double g = 9.81, rho = m->section.rho, ea = m->section.ea, total = 2 * hang + pi * radius;
  enum { PARTS = 50 };
  double l = total / m->n, t1 = g * (m1 + rho * hang), t2 = g * (m2 + rho * hang);
  double inside = radius - pow((t1 + t2) / 2 * l / radius / stiffness, 2.0 / 3), angle = pi, x = -inside,
         y = 0;
  for (int k = 0; k < m->n * PARTS; k++)
    y -= hang / (m->n * PARTS) * (1 + g * (m1 + rho * hang * (k + 0.5) / (m->n * PARTS)) / ea);
  for (int k = 0; k <= m->n * PARTS; k++) {
    double p = k * l / PARTS;
    double tension = p < hang                 ? g * (m1 + rho * p)
                     : p < hang + pi * radius ? t1 + (t2 - t1) * (p - hang) / (pi * radius)
                                              : g * (m2 + rho * (total - p));
    double stretch = 1 + tension / ea, ds = l / PARTS * stretch;
    int rising = y < -1e-15 && x < 0;
    double tx = rising || angle <= 0 ? 0 : sin(angle), ty = rising ? 1 : angle <= 0 ? -1 : -cos(angle);
    if (k % PARTS == 0) {
      double *q = m->q + k / PARTS * 4;
      q[0] = x, q[1] = y, q[2] = tx * stretch, q[3] = ty * stretch;
    }
    if (rising && y + ds <= 0) {
      y += ds;
    } else if (angle > 0) {
      angle = rising ? pi - (y + ds) / inside : angle - ds / inside;
      x = angle > 0 ? inside * cos(angle) : inside;
      y = angle > 0 ? inside * sin(angle) : angle * inside;
    } else {
      y -= ds;
    }
  }
}

/* Westin and Irani's cable and pulley, with the choices of the reference: 1 m on each side, c = 10 N s, kp
 * 400, kd 40. */
static void make_pulley(cable *c, drum *d, int n, double m1, double m2, const char *law_name, int gauss) {
  cable_section s = {9.2e6, 0.7, 0.4555, 10, 0, 0, STRAIN_GREEN, CURVATURE_APPROXIMATE, 5, 5};
  double start[2] = {0, 0}, along[2] = {1, 0}, normal[3] = {5e6, 1.5, 1}, p[CPS_MAX_PARAMS], hang = 1,
         radius = 0.25;
  double l = (2 * hang + pi * radius) / n;
  const cps_law *law = cps_law_find(law_name);
  memset(c, 0, sizeof *c);
  assert_true(cps_mesh_make(&c->m, 2, n, &s, 2 * hang + pi * radius, start, along));
  c->m.gravity[1] = -9.81;
  c->m.node_mass[0] = m1;
  c->m.node_mass[n] = m2;
  shape_over_pulley(&c->m, hang, radius, m1, m2, 5e6);
  if (gauss) normal[0] /= l; /* per length */
  cps_law_defaults(law, p);
  if (cps_law_param(law, "mu") >= 0) p[cps_law_param(law, "mu")] = 0.25;
  if (cps_law_param(law, "epsilon") >= 0) p[cps_law_param(law, "epsilon")] = 0.01;
  assert_true(cps_cable_contact(c, gauss, cps_normal_find("hunt-crossley"), normal, law, p));
  drum turning = {.radius = radius, .axis = {0, 0, 1}, .kind = DRUM_FIXED};
  *d = turning;
}

/* The matrix is the derivative of the residual, friction rows included: differences in every unknown. */
static void newton_matrix(void **state) {
  (void)state;
  const char *laws[] = {"quinn", "cdq", "tanh", "lugre-load", "lugris", "brown-mcphee"};
  rng r = rng_for("newton matrix", 1);
  for (int trial = 0; trial < 24; trial++) {
    cable c;
    drum d;
    cables all = {1, 1, &c, &d};
    make_pulley(&c, &d, 12, 10, 12, laws[trial % 6], trial / 6 % 2 ? 2 : 0);
    d.rate = 0.3;
    d.acceleration = -0.2;
    int b = c.k.b, mb = c.m.b, nodes = 13, size = nodes * b;
    for (int i = 0; i < nodes * mb; i++) {
      c.m.q[i] += 1e-6 * rng_between(&r, -1, 1);
      c.m.v[i] = 0.01 * rng_between(&r, -1, 1);
      c.a[i] = 0.1 * rng_between(&r, -1, 1);
    }
    for (int k = 0; k < c.n_points; k++) c.points[k].f = rng_between(&r, -2, 2);
    implicit how = {2e-5, 5e-3, 1e-2, trial >= 18 ? 1e4 : 0};
    double friction, scale, *at = malloc((size_t)size * sizeof *at), *x = calloc((size_t)size, sizeof *x);
    double *product = malloc((size_t)size * sizeof *product);
    contact_point *points = malloc((size_t)c.n_points * sizeof *points);
    memcpy(points, c.points, (size_t)c.n_points * sizeof *points);
    cps_cable_assemble(&c, &all, &how, &friction, &scale);
    memcpy(at, c.f, (size_t)size * sizeof *at);
    for (int j = 0; j < size; j++) {
      /* columns of the matrix as it was at the point */
      memcpy(c.points, points, (size_t)c.n_points * sizeof *points);
      cps_cable_assemble(&c, &all, &how, &friction, &scale);
      memset(x, 0, (size_t)size * sizeof *x);
      x[j] = 1;
      cps_blocks_multiply(&c.k, x, product);
      int node = j / b, within = j % b;
      double h = within < mb ? 1e-7 : 1e-5, up[20 * 8], keep_q = 0;
      for (int side = 0; side < 2; side++) {
        double s = side == 0 ? h : -h;
        memcpy(c.points, points, (size_t)c.n_points * sizeof *points);
        if (within < mb) {
          int k = node * mb + within;
          keep_q = c.m.q[k];
          double keep_v = c.m.v[k], keep_a = c.a[k];
          c.m.q[k] += s;
          c.m.v[k] += s * how.v_a / how.q_a;
          c.a[k] += s / how.q_a;
          cps_cable_assemble(&c, &all, &how, &friction, &scale);
          c.m.q[k] = keep_q;
          c.m.v[k] = keep_v;
          c.a[k] = keep_a;
        } else {
          int k = node * c.per_node + within - mb;
          if (k < c.n_points) c.points[k].f += s;
          cps_cable_assemble(&c, &all, &how, &friction, &scale);
          if (k >= c.n_points) memset(product, 0, (size_t)size * sizeof *product);
        }
        if (side == 0) memcpy(up, c.f, (size_t)size * sizeof *up);
      }
      double column = 0;
      for (int i = 0; i < size; i++) column = fmax(column, fabs(product[i]));
      for (int i = 0; i < size; i++) {
        double difference = (up[i] - c.f[i]) / (2 * h), row = i % b < mb ? column : 1 + fabs(product[i]);
        /* a kink between the two is seen as a mismatch in one friction row: allow what a jump in slope can do
         */
        double error = fabs(difference - product[i]) / (row + 1e-3 * column + 1e-300);
        if (!(error <= 2e-4))
          print_error("%s: row %d, column %d: %g, differences %g\n", laws[trial % 6], i, j, product[i],
                      difference);
        assert_true(error <= 2e-4);
      }
    }
    free(at);
    free(x);
    free(product);
    free(points);
    cps_cable_free(&c);
  }
}

/* The capstan law with weight: masses in the ratio 2 are held by mu = 0.25 over half a turn, in the ratio 2.6
 * they are not. */
static void holds_what_it_can(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    cable c;
    drum d;
    cables all = {1, 1, &c, &d};
    cps_error err = {0};
    make_pulley(&c, &d, 40, 10, i == 0 ? 20 : 26, "quinn", 0);
    cps_status status = cps_cables_statics(&all, &err);
    assert_int_equal(status, i == 0 ? CPS_OK : CPS_FAILED);
    if (i == 0) { /* and go on holding: nothing moves in 100 s */
      cable_run r;
      double y = c.m.q[1];
      assert_int_equal(cps_cable_run_make(&r, &all, 0, 0.8, &err), CPS_OK);
      assert_int_equal(cps_cable_run_to(&r, 100, 1, &err), CPS_OK);
      assert_true(fabs(c.m.q[1] - y) < 1e-9);
      cps_cable_run_free(&r);
    }
    cps_cable_free(&c);
  }
}

/* Westin scenario II: the loads after 10 s, against independent runs: +0.196288 and -0.196218 m. Those start
 * from equilibrium without friction; what friction statics leaves in the contacts moves the load by some 0.02
 * mm. */
static void motorised_pulley(void **state) {
  (void)state;
  const char *laws[] = {"quinn", "cdq"};
  for (int i = 0; i < 2; i++) {
    cable c;
    drum d;
    cables all = {1, 1, &c, &d};
    cps_error err = {0};
    make_pulley(&c, &d, 40, 10, 10, laws[i], 0);
    profile setpoint = {.kind = PROFILE_CYCLOID, .a = {pi / 4, 10, 0}};
    assert_int_equal(cps_cables_statics(&all, &err), CPS_OK);
    double left = c.m.q[1], right = c.m.q[161];
    d.kind = DRUM_PD;
    d.kp = 400;
    d.kd = 40;
    d.motion = &setpoint;
    cable_run r;
    assert_int_equal(cps_cable_run_make(&r, &all, 0, 0.8, &err), CPS_OK);
    assert_int_equal(cps_cable_run_to(&r, 10, 0.01, &err), CPS_OK);
    print_message("%s: %+.6f %+.6f m, %.2f iterations a step, %ld cuts\n", laws[i], c.m.q[1] - left,
                  c.m.q[161] - right, (double)r.iterations / (double)r.steps, r.cuts);
    assert_true(fabs(c.m.q[161] - right - 0.196288) < 5e-5);
    assert_true(fabs(c.m.q[1] - left + 0.196218) < 5e-5);
    cps_cable_run_free(&r);
    cps_cable_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(newton_matrix), cmocka_unit_test(holds_what_it_can),
                                     cmocka_unit_test(motorised_pulley)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
