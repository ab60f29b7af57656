/* unit_limits.c - laws at points worked out by hand, and laws as limits of one another. */
#include "motion.h"

static point point_of(const char *name) {
  point x;
  memset(&x, 0, sizeof x);
  x.law = cps_law_find(name);
  if (!x.law) fail_msg("no law %s", name);
  cps_law_defaults(x.law, x.p);
  x.n = 10;
  x.mode = CPS_MODE_FREE;
  return x;
}

static double *param(point *x, const char *name) {
  int i = cps_law_param(x->law, name);
  if (i < 0) fail_msg("%s has no parameter %s", x->law->name, name);
  return &x->p[i];
}

static double force_at(const point *x) {
  cps_law_output out;
  eval_at(x, &out, NULL);
  return out.f;
}

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g is not %.15g (to %g)", value, expected, tolerance);
}

/* ------------------------------------------------------------------ points by hand */

/* One value of a law with its default parameters and n = 10. */
typedef struct by_hand {
  const char *law;
  double v, f_eq, z, f;
} by_hand;

static void values_by_hand(void **state) {
  (void)state;
  const double e1 = exp(-1.0), e3 = exp(-3.0), root = sqrt(0.5);
  const by_hand rows[] = {
      {"coulomb", 0.3, 1, 0, -5},
      {"coulomb", -0.3, 1, 0, 5},
      {"coulomb", 0, 4.9, 0, 4.9}, /* holds */
      {"coulomb", 0, 7, 0, 5},     /* pushed backward: friction forward, at its limit */
      {"coulomb", 0, -7, 0, -5},
      {"coulomb-static", 0, 5.9, 0, 5.9},
      {"coulomb-static", 0, 6.1, 0, 4}, /* loose */
      {"coulomb-static", 0.1, 0, 0, -4},
      {"coulomb-viscous", 2, 0, 0, -5.2},
      {"stribeck", 0.01, 0, 0, -10 * (0.4 + 0.2 * e1)},
      {"stribeck", 0, -5.9, 0, -5.9},
      {"karnopp", 0.0009, 3, 0, 3},
      {"karnopp", 0.0011, 3, 0, -4},
      {"event-coulomb", 5e-7, 3, 0, 3},
      {"event-coulomb", 1.1e-6, 3, 0, -4},
      {"switch", 5e-5, 3, 0, 3 - 5e-5},
      {"switch", 1, 3, 0, -6.0 / 4},
      {"switch", 5e-5, -7, 0, -6},
      {"martins-oden", 0.005, 0, 0, -2.5},
      {"rooney-deravi", -0.005, 0, 0, 2.5},
      {"oden-martins", 0.005, 0, 0, -5 * 0.75},
      {"tanh", 0.01 * atanh(0.5), 0, 0, -2.5},
      {"threlfall", 0.01 * log(2.0) / 3, 0, 0, -2.5},
      {"threlfall", 7, 0, 0, -5 * (1 - e3)},
      {"bengisu-akay", 0.0005, 0, 0, -6 * 0.75},
      {"bengisu-akay", 0.001 + log(2.0) / 500, 0, 0, -5},
      {"ambrosio", 0.0005, 0, 0, 0},
      {"ambrosio", 0.0055, 0, 0, -2.5},
      {"ambrosio", 1, 0, 0, -5},
      {"brown-mcphee", 0.001, 0, 0, -10 * (0.4 * tanh(4.0) + 0.2)},
      {"quinn", 0, 3, 0, 3},
      {"quinn", 0.005, 3, 0, 3 - 2.5},
      {"quinn", 0.005, 50, 0, 5 - 2.5},
      {"quinn", 0.03, 50, 0, -5},
      {"quinn-half", 0.005, 3, 0, 3 - 2.5}, /* its default epsilon is twice as large */
      {"cdq", 0.01, 0, 0, -5 * 0.975},
      {"cdq", 0, 4.4, 0, 4.4},
      {"cdq", 0, 5, 0, 5 * 0.9609375}, /* h(h(1)), h(1) = 0.975 */
      {"cdq-general", 0.01, 0, 0, -5 * 0.975},
      {"awrejcewicz", 0.0005, 2, 0, 0.5 * 2 - 0.5 * 6},
      {"awrejcewicz", 0.011, 2, 0, -10 * (0.4 + 0.2 * e1)},
      {"adams-standard", 5e-5, 0, 0, -6 * 0.79296875}, /* 2 STEP5(3/4) - 1 */
      {"adams-standard", 1.25e-4, 0, 0, -5},
      {"adams-standard", 1, 0, 0, -4},
      {"recurdyn-mu-d", 5e-5, 0, 0, -4 * 0.79296875},
      {"recurdyn-mu-s", 5e-5, 0, 0, -6 * 0.79296875},
      {"recurdyn-mu-d", 1, 0, 0, -4},
      {"recurdyn-mu-s", 1, 0, 0, -6},
      {"simpack-standard", 5e-5, 0, 0, -6 * root},
      {"simpack-standard", 1.25e-4, 0, 0, -5},
      {"adams-stick-slip", 0, 0, 5e-6, -6 * 0.79296875},
      {"adams-stick-slip", 5e-5, 0, 0, -6 * 0.79296875},
      {"adams-stick-slip", 5e-5, 0, 5e-6, -6 * (0.20703125 * 0.79296875 + 0.79296875)},
      {"recurdyn-stick-slip", -5e-5, 0, 0, 6 * 0.79296875},
      {"recurdyn-stick-slip", 1, 0, 0, -4},
      {"simpack-stick-slip", 1e-5, 0, 2e-8, -(1e8 * 2e-8 + 2e4 * 1e-5)},
      {"simpack-stick-slip", 1, 0, 1e-7, -4},
      {"dahl", 3, 0, 2e-6, -10 * 1e5 * 2e-6},
      {"lugre", 0.001, 0, 0, -(316.22776601683796 * 0.001 + 0.4 * 0.001)},
      {"lugre-load", 0, 0, 2e-6, -10 * 0.2},
      {"elasto-plastic", 1e-4, 0, 1e-6, -10 * (0.1 + 100 * 1e-4 + 0.1 * 1e-4)},
      {"lugris", 0, 0, 1e-7, -0.5},
      {"reset-integrator", 0, 0, 2e-6, -10 * 1e5 * 1.5 * 2e-6},
      {"dieterich", 1e-9, 0, 0, -10 * 0.01 / sqrt(2) * asinh(5e-4 * sqrt(2) * exp(60.0))}, /* v = v_rest */
      {"dieterich", 1e-3, 0, 0, -10 * 0.01 * asinh(500 * exp(60.0))},
      {"ruina", 1e-3, 0, -2, -10 * 0.01 * asinh(500 * exp(57.0))},
  };
  for (int i = 0; i < ROWS(rows); i++) {
    point x = point_of(rows[i].law);
    x.v = rows[i].v;
    x.f_eq = rows[i].f_eq;
    x.z[0] = rows[i].z;
    double f = force_at(&x);
    if (fabs(f - rows[i].f) > 1e-12 * fmax(1, fabs(rows[i].f)))
      FAIL_AT(&x, "f = %.15g, by hand %.15g", f, rows[i].f);
  }
}

/* One state rate of a law with its default parameters and n = 10, mode free. */
typedef struct rate_by_hand {
  const char *law;
  double v, z[2];
  int i;
  double rate;
} rate_by_hand;

static void rates_by_hand(void **state) {
  (void)state;
  const rate_by_hand rows[] = {
      {"dahl", 2, {2e-6}, 0, 2 - 1e5 * 2 * 2e-6 / 0.5},
      {"dahl", -2, {2e-6}, 0, -2 - 1e5 * 2 * 2e-6 / 0.5},
      {"lugre", 0.001, {5e-6}, 0, 0.001 - 1e5 * 0.001 * 5e-6 / (1 + 0.5 * exp(-1.0))},
      {"lugre-load", -0.001, {2e-6}, 0, -0.001 - 1e5 * 0.001 * 2e-6 / (0.4 + 0.2 * exp(-1.0))},
      {"lugre-adams", 0.001, {2e-5}, 0, 0.001 - 1e5 * 0.001 * 2e-5 / (10 * (0.4 + 0.2 * exp(-1.0)))},
      {"elasto-plastic", 1e-9, {1.9e-6}, 0, 1e-9},               /* elastic */
      {"elasto-plastic", 1e-9, {4e-6}, 0, 1e-9 * (1 - 1.0 / 3)}, /* half way to z_ss = 6e-6: a = 1/2 */
      {"elasto-plastic", 1e-9, {6e-6}, 0, 0},                    /* plastic */
      {"elasto-plastic", -1e-9, {6e-6}, 0, -1e-9},               /* on the way back */
      {"haessig-bristle", 3, {1e-6, 2e-6}, 1, 3},
      {"reset-integrator", 3, {1e-6}, 0, 3},
      {"reset-integrator", 3, {4e-6}, 0, 0},
      {"reset-integrator", -3, {4e-6}, 0, -3},
      {"adams-stick-slip", 5e-5, {2e-6}, 0, 5e-5},
      {"adams-stick-slip", 5e-4, {2e-6}, 0, 0},
      {"simpack-stick-slip", 1e-3, {2e-8}, 0, 1e-3},
      {"simpack-stick-slip", 1e-3, {7e-8}, 0, 0},
      {"lugris", 1e-5, {1e-7}, 0, 1e-5},
      {"lugris", 1e-2, {1e-7}, 0, (6 - 5e6 * 1e-7) / 1e3}, /* the tip gives way */
      {"gonthier", 0, {1e-6, 0.25}, 0, 0},
      {"gonthier", 0, {1e-6, 0.25}, 1, 0.75 / 2},
      {"gonthier", 1, {1e-6, 0.25}, 0, (0.4 - 1e5 * 1e-6) / 100},
      {"gonthier", 1, {1e-6, 0.25}, 1, -0.25 * 1e5 / 100},
      {"rill", 1e-5, {1e-6, 2e-5}, 0, 2e-5},
      {"rill", 1, {1e-6, 0}, 1, (0.4 - 1e5 * 1e-6) / 1e-3},
      {"iwan", 2, {1e-6, 0}, 0, 2},
      {"iwan", 2, {1.6e-6, 0}, 0, 0},
      {"iwan", -2, {1.6e-6, 0}, 0, -2},
      {"gms", 1, {1e-6, 0}, 0, 1},
      {"gms", 1, {2e-6, 0}, 0, 100 * (0.25 - 6e4 * 2e-6 / 0.4) / 6e4},
      {"dieterich", 1e-6, {log(2.0)}, 0, (0.5e-6 - 1e-6) / 1e-5},
      {"ruina", 1e-5, {-1}, 0, -(log(10.0) - 1)},
  };
  for (int i = 0; i < ROWS(rows); i++) {
    point x = point_of(rows[i].law);
    x.v = rows[i].v;
    memcpy(x.z, rows[i].z, sizeof rows[i].z);
    cps_law_output out;
    eval_at(&x, &out, NULL);
    double rate = out.z_t[rows[i].i], size = fmax(fabs(rows[i].rate), fabs(x.v));
    if (fabs(rate - rows[i].rate) > 1e-9 * size)
      FAIL_AT(&x, "rate of %s is %.15g, by hand %.15g", x.law->states[rows[i].i].name, rate, rows[i].rate);
  }
}

/* Where a law goes from a mode, a point and n = 10, with its default parameters. */
typedef struct step_by_hand {
  const char *law;
  int mode;
  double v, f_eq, z;
  int next;
  double next_z;
} step_by_hand;

static void modes_by_hand(void **state) {
  (void)state;
  enum { STICK, FORWARD, BACKWARD };                               /* most laws */
  enum { HELD_AHEAD = 1, HELD_BACK, SLIP_FORWARD, SLIP_BACKWARD }; /* Adams and RecurDyn */
  const step_by_hand rows[] = {
      {"coulomb", STICK, 0, 4.9, 0, STICK, 0},
      {"coulomb", STICK, 0, 5.1, 0, BACKWARD, 0}, /* friction cannot hold it: it is pushed backward */
      {"coulomb", STICK, 0, -5.1, 0, FORWARD, 0},
      {"coulomb", FORWARD, 1, 9, 0, FORWARD, 0},
      {"coulomb", FORWARD, -1e-15, 3, 0, STICK, 0},
      {"coulomb", BACKWARD, 1e-15, 3, 0, STICK, 0},
      {"coulomb", FORWARD, -1e-15, 7, 0, BACKWARD, 0}, /* reverses without rest */
      {"coulomb-static", STICK, 0, 5.9, 0, STICK, 0},
      {"coulomb-static", STICK, 0, -6.1, 0, FORWARD, 0},
      {"stribeck", STICK, 0, 6.1, 0, BACKWARD, 0},
      {"karnopp", STICK, 0, 6.1, 0, BACKWARD, 0},
      {"karnopp", STICK, 0.0005, 6.1, 0, FORWARD, 0}, /* still moves forward */
      {"karnopp", FORWARD, -0.0005, 0, 0, STICK, 0},
      {"karnopp", FORWARD, -0.5, 0, 0, BACKWARD, 0}, /* a step over the whole band */
      {"event-coulomb", STICK, 0, -6.1, 0, FORWARD, 0},
      {"switch", STICK, 0, -6.1, 0, FORWARD, 0},
      {"switch", FORWARD, 5e-5, -6.1, 0, FORWARD, 0}, /* in the band, but pushed */
      {"switch", FORWARD, 5e-5, -5.9, 0, STICK, 0},
      {"switch", FORWARD, 2e-4, 0, 0, FORWARD, 0},
      {"switch", FORWARD, -2e-4, 0, 0, BACKWARD, 0},
      {"adams-stick-slip", STICK, 9e-5, 0, 5e-6, STICK, 5e-6},
      {"adams-stick-slip", STICK, 2e-4, 0, 5e-6, SLIP_FORWARD, 5e-6},
      {"adams-stick-slip", STICK, -2e-4, 0, 5e-6, SLIP_BACKWARD, 5e-6},
      {"adams-stick-slip", STICK, 5e-5, 0, 1.1e-5, HELD_AHEAD, 1e-5},
      {"adams-stick-slip", STICK, -5e-5, 0, -1.1e-5, HELD_BACK, -1e-5},
      {"adams-stick-slip", HELD_AHEAD, -5e-5, 0, 1e-5, STICK, 1e-5},
      {"adams-stick-slip", SLIP_FORWARD, 9e-5, 0, 5e-6, STICK, 0},
      {"recurdyn-stick-slip", STICK, 5e-5, 0, 1.1e-5, STICK, 1.1e-5},
      {"recurdyn-stick-slip", SLIP_BACKWARD, -9e-5, 0, 5e-6, STICK, 0},
      {"simpack-stick-slip", STICK, 1, 0, 5.9e-8, STICK, 5.9e-8},
      {"simpack-stick-slip", STICK, 1, 0, 6.1e-8, FORWARD, 6.1e-8},
      {"simpack-stick-slip", STICK, -1, 0, -6.1e-8, BACKWARD, -6.1e-8},
      {"simpack-stick-slip", FORWARD, -1e-9, 0, 6.1e-8, STICK, 0},
      {"simpack-stick-slip-preloaded", FORWARD, -1e-9, 0, 6.1e-8, STICK, 4e-8},
      {"simpack-stick-slip-preloaded", BACKWARD, 1e-9, 0, -6.1e-8, STICK, -4e-8},
      {"reset-integrator", STICK, 1, 0, 3.9e-6, STICK, 3.9e-6},
      {"reset-integrator", STICK, 1, 0, 4.1e-6, FORWARD, 4e-6},
      {"reset-integrator", FORWARD, -1, 0, 4e-6, STICK, 4e-6},
      {"iwan", 0, 1, 0, 1.6e-6, 1, 1.5e-6}, /* y_1 = (1 - 0.8 7/8) mu/sigma0 */
      {"iwan", 0, 1, 0, 1.4e-6, 0, 1.4e-6},
      {"iwan", 1, -1, 0, 1.5e-6, 0, 1.5e-6},
      {"gms", 0, 1e-9, 0, 0.151 / 6e4, 1, 0.151 / 6e4},
      {"gms", 0, 1e-9, 0, 0.149 / 6e4, 0, 0.149 / 6e4},
      {"gms", 1, -1e-9, 0, 0.149 / 6e4, 0, 0.149 / 6e4},
      {"haessig-bristle", 0, 1, 0, 1.1e-5, 0, -7.0 / 16 * 1e-5},
      {"haessig-bristle", 0, -1, 0, -1.1e-5, 0, 7.0 / 16 * 1e-5},
      {"haessig-bristle", 0, 1, 0, 0.9e-5, 0, 0.9e-5},
  };
  for (int i = 0; i < ROWS(rows); i++) {
    point x = point_of(rows[i].law);
    x.mode = rows[i].mode;
    x.v = rows[i].v;
    x.f_eq = rows[i].f_eq;
    x.z[0] = rows[i].z;
    cps_law_input in = input_of(&x);
    double z[CPS_MAX_STATES] = {0};
    int next = cps_law_settle(x.law, x.p, &in, z);
    if (next != rows[i].next || fabs(z[0] - rows[i].next_z) > 1e-12 * fabs(rows[i].next_z))
      FAIL_AT(&x, "settles in mode %d with %.15g, by hand %d and %.15g", next, z[0], rows[i].next,
              rows[i].next_z);
  }
}

/* cdq-general: the cubic between alpha and beta, with its ends and slopes. */
static void cubic_of_cdq(void **state) {
  (void)state;
  point x = point_of("cdq-general");
  *param(&x, "alpha") = 0.8;
  *param(&x, "beta") = 1.3;
  x.v = 1.05 * 0.01;
  assert_near(force_at(&x), -5 * 0.9625, 1e-13);
  const double slopes[][2] = {{0.8, 1}, {1.3, 0}};
  for (int i = 0; i < 2; i++)
    for (int side = -1; side <= 1; side += 2) {
      cps_law_output out;
      cps_law_jacobian jac;
      x.v = slopes[i][0] * 0.01 * (1 + side * 1e-9);
      eval_at(&x, &out, &jac);
      assert_near(out.f, -5 * (i ? 1 : 0.8), 1e-7);
      assert_near(jac.f.v, -5 / 0.01 * slopes[i][1], 1e-4);
    }
}

/* The peak of Brown and McPhee is mu_s at v_t, up to 1 - tanh 4. */
static void brown_mcphee_peak(void **state) {
  (void)state;
  point x = point_of("brown-mcphee");
  double most = 0, at = 0;
  for (int i = 0; i < 20000; i++) {
    x.v = 1e-7 * i;
    if (-force_at(&x) > most) {
      most = -force_at(&x);
      at = x.v;
    }
  }
  assert_near(most, 6, 10 * 0.4 * (1 - tanh(4.0)));
  assert_near(at, *param(&x, "v_t"), 0.02 * *param(&x, "v_t"));
}

/* In steady state rate-and-state friction as printed is mu_0 + (a - b) ln(v/v_0). */
static void rate_and_state_steady(void **state) {
  (void)state;
  static const char *const names[] = {"dieterich", "ruina"};
  for (int i = 0; i < 2; i++)
    for (double v = 1e-9; v < 1; v *= 10) {
      point x = point_of(names[i]);
      cps_law_output out;
      *param(&x, "v_rest") = 1e-20;
      x.v = v;
      x.z[0] = -log(v / 1e-6);
      eval_at(&x, &out, NULL);
      assert_near(out.z_t[0], 0, 1e-10 * v / 1e-5);
      assert_near(out.f, -10 * (0.6 + (0.01 - 0.015) * log(v / 1e-6)), 1e-10);
    }
}

/* ------------------------------------------------------------------ limits */

/* CDQ goes to Quinn as alpha goes to 1: each of its two sigmoids is off by at most (1 - alpha)/4. */
static void cdq_to_quinn(void **state) {
  (void)state;
  point a = point_of("cdq"), b = point_of("quinn");
  double before = 0;
  for (int k = 1; k <= 5; k++) {
    rng r = rng_for("cdq to quinn", 0);
    double gap = pow(10, -k), worst = 0;
    *param(&a, "alpha") = 1 - gap;
    for (int i = 0; i < 100000; i++) {
      /* At random, and around the corners of Quinn, where it is off most: there everything shrinks with gap.
       */
      int corner = i % 2;
      a.v = b.v = 0.01 * (corner ? rng_below(&r, 3) + gap * rng_between(&r, -2, 2) : rng_between(&r, -3, 3));
      a.f_eq = b.f_eq = 5 * (corner ? 1 + gap * rng_between(&r, -2, 2) : rng_between(&r, -2, 2));
      worst = fmax(worst, fabs(force_at(&a) - force_at(&b)) / 5);
    }
    assert_true(worst <= gap / 2 * (1 + 1e-9));
    assert_true(worst >= gap / 8);
    if (k > 1) assert_near(before / worst, 10, 0.5); /* first order in 1 - alpha */
    before = worst;
  }
}

/* Quinn goes to Coulomb pointwise as epsilon goes to 0: at rest it is Coulomb for every epsilon, and beyond 2
 * epsilon too. */
static void quinn_to_coulomb(void **state) {
  (void)state;
  point a = point_of("quinn"), b = point_of("coulomb");
  rng r = rng_for("quinn to coulomb", 0);
  for (int i = 0; i < 20000; i++) {
    a.v = b.v = i % 10 == 0 ? 0 : rng_sign(&r) * rng_log(&r, 1e-6, 10);
    a.f_eq = b.f_eq = rng_between(&r, -10, 10);
    double exact = force_at(&b), before = INFINITY;
    for (int k = 0; k <= 8; k++) {
      *param(&a, "epsilon") = pow(10, -k);
      double error = fabs(force_at(&a) - exact);
      if (a.v == 0) assert_near(error, 0, 1e-14);
      if (fabs(a.v) >= 2 * *param(&a, "epsilon")) assert_near(error, 0, 0);
      if (error > before * (1 + 1e-12) + 1e-14) FAIL_AT(&a, "the error grows from %g to %g", before, error);
      before = error;
    }
    assert_near(before, 0, 1e-14);
  }
}

/* The two conventions of epsilon differ by a factor of two. */
static void quinn_conventions(void **state) {
  (void)state;
  point a = point_of("quinn"), b = point_of("quinn-half");
  rng r = rng_for("quinn conventions", 0);
  for (int i = 0; i < 20000; i++) {
    double epsilon = rng_log(&r, 1e-5, 1);
    *param(&a, "epsilon") = epsilon;
    *param(&b, "epsilon") = 2 * epsilon;
    a.v = b.v = epsilon * rng_between(&r, -3, 3);
    a.f_eq = b.f_eq = rng_between(&r, -10, 10);
    assert_true(force_at(&a) == force_at(&b));
  }
}

/* Quinn's oscillator x'' + x = f, mu n = 1, from rest at 2.75, by RK4 with dt = 0.01, comes to rest near
 * -0.75. His epsilon = 2 dt gives the published -0.750090 in the full-width convention. The digits
 * were computed independently. */
static void quinn_oscillator(void **state) {
  (void)state;
  static const char *const names[] = {"quinn", "quinn-half"};
  static const double ends[] = {-0.7503523916, -0.7500899237};
  for (int i = 0; i < 2; i++) {
    point law = point_of(names[i]);
    const double dt = 0.01;
    *param(&law, "mu") = 0.1;
    *param(&law, "epsilon") = 2 * dt;
    double y[2] = {2.75, 0}; /* position, velocity */
    for (int n = 0; n < 10000; n++) {
      double k[4][2], at[2];
      for (int s = 0; s < 4; s++) {
        double part = s == 0 ? 0 : s == 3 ? dt : dt / 2;
        for (int c = 0; c < 2; c++) at[c] = y[c] + (s ? part * k[s - 1][c] : 0);
        law.v = at[1];
        law.f_eq = at[0];
        k[s][0] = at[1];
        k[s][1] = force_at(&law) - at[0];
      }
      for (int c = 0; c < 2; c++) y[c] += dt / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    assert_near(y[0], ends[i], 1e-10);
    assert_near(y[1], 0, 1e-10);
  }
}

/* Slides at v until the states are steady, over many deflections, from undeflected. */
static void slide_steadily(point *x, double v, double travel) {
  double work = 0;
  memset(x->z, 0, sizeof x->z);
  x->v = v;
  for (int i = 0; i < 2000; i++)
    if (!step_states(x, v, v, travel / fabs(v) / 2000, &work))
      FAIL_AT(x, "steady sliding cannot be integrated");
}

/* Bristles that yield end on the Stribeck curve, whatever the way. */
static void steady_state_is_stribeck(void **state) {
  (void)state;
  static const char *const names[] = {"lugre", "lugre-load", "lugre-adams", "elasto-plastic"};
  for (int i = 0; i < ROWS(names); i++)
    for (int k = 0; k < 40; k++) {
      point x = point_of(names[i]), curve = point_of("stribeck");
      rng r = rng_for(names[i], (uint64_t)k);
      if (k) {
        draw_params(x.law, &r, x.p);
        x.n = curve.n = rng_log(&r, 0.1, 100);
      }
      int absolute = i == 0; /* forces in newtons: no load */
      curve.p[cps_law_param(curve.law, "mu_s")] = x.p[0] / (absolute ? x.n : 1);
      curve.p[cps_law_param(curve.law, "mu_d")] = x.p[1] / (absolute ? x.n : 1);
      *param(&curve, "v_s") = *param(&x, "v_s");
      *param(&curve, "exponent") = *param(&x, "exponent");
      *param(&curve, "viscous") = *param(&x, "sigma2") * (i == 1 || i == 3 ? x.n : 1);
      curve.v = rng_sign(&r) * *param(&x, "v_s") * rng_log(&r, 0.1, 10);
      slide_steadily(&x, curve.v, 60 * scale_at(&x).z[0]);
      cps_law_output out;
      eval_at(&x, &out, NULL);
      double f = force_at(&curve);
      if (fabs(out.f - f) > 1e-9 * fabs(f))
        FAIL_AT(&x, "f = %.15g in steady sliding, Stribeck has %.15g", out.f, f);
      assert_near(out.z_t[0], 0, 1e-9 * fabs(x.v));
    }
}

/* Dahl from undeflected: f = -mu n (1 - exp(-sigma0 x/mu)); a loop takes 4 mu n A, less a part that halves as
 * sigma0 doubles: Coulomb in the limit. */
static void dahl_to_coulomb(void **state) {
  (void)state;
  point x = point_of("dahl");
  double before = 0;
  for (int k = 0; k < 5; k++) {
    double sigma0 = 1e5 * pow(2, k), reach = 5e-5, work = 0, v = 0.01;
    const int n = 40000;
    *param(&x, "sigma0") = sigma0;
    memset(x.z, 0, sizeof x.z);
    for (int i = 0; i < n; i++) assert_true(step_states(&x, v, v, reach / v / n, &work));
    x.v = v;
    assert_near(force_at(&x), -5 * (1 - exp(-sigma0 * reach / 0.5)), 1e-6);
    for (int loop = 0; loop < 2; loop++) {
      work = 0;
      for (int i = 0; i < 2 * n; i++) {
        double way = i < n ? -v : v;
        assert_true(step_states(&x, way, way, 2 * reach / v / n, &work));
      }
    }
    double loss = 1 - work / (4 * 5 * reach);
    assert_true(loss > 0);
    if (k) assert_near(before / loss, 2, 0.02);
    before = loss;
  }
  assert_true(before < 0.01);
}

/* Schuderer Eqs. (17-18): slopes at the origin, and the deflections that hold 0.8 and 0.95 of the limit. */
static void adams_at_the_origin(void **state) {
  (void)state;
  static const char *const names[] = {"adams-stick-slip", "recurdyn-stick-slip"};
  for (int i = 0; i < 2; i++) {
    point x = point_of(names[i]);
    cps_law_output out;
    cps_law_jacobian jac;
    eval_at(&x, &out, &jac);
    assert_near(jac.f.z[0] / -x.n, 15.0 / 8 * 0.6 / *param(&x, "x_s"), 1e-6);
    assert_near(jac.f.v / -x.n, 15.0 / 8 * 0.6 / *param(&x, "v_s"), 1e-6);
    static const double part[][2] = {{0.8, 0.50672709}, {0.95, 0.7067344}};
    for (int k = 0; k < 2; k++) {
      double low = 0, high = *param(&x, "x_s");
      while (high - low > 1e-20) {
        x.z[0] = (low + high) / 2;
        if (x.z[0] <= low || x.z[0] >= high) break;
        if (-force_at(&x) < part[k][0] * 6)
          low = x.z[0];
        else
          high = x.z[0];
      }
      assert_near(x.z[0] / *param(&x, "x_s"), part[k][1], 5e-8);
      x.z[0] = 0;
    }
  }
}

/* What Adams and RecurDyn do differently: Adams stops the deflection at x_s. */
static void adams_limits_deflection(void **state) {
  (void)state;
  point a = point_of("adams-stick-slip"), b = point_of("recurdyn-stick-slip");
  a.v = b.v = 5e-5;
  a.z[0] = b.z[0] = 1.5e-5;
  cps_law_output out;
  eval_at(&a, &out, NULL);
  assert_true(out.z_t[0] == 0);
  eval_at(&b, &out, NULL);
  assert_true(out.z_t[0] == b.v);
  a.mode = b.mode = mode_at(&b); /* stick */
  for (int i = 0; i < 2; i++) {
    point *x = i ? &b : &a;
    cps_law_input in = input_of(x);
    cps_law_settle(x->law, x->p, &in, x->z);
  }
  assert_near(a.z[0], 1e-5, 0);
  assert_near(b.z[0], 1.5e-5, 0);
  /* Both start a new stick undeflected. */
  for (int i = 0; i < 2; i++) {
    point *x = i ? &b : &a;
    x->v = 1;
    x->mode = mode_at(x);
    x->v = 5e-5;
    cps_law_input in = input_of(x);
    double z[CPS_MAX_STATES] = {1};
    cps_law_settle(x->law, x->p, &in, z);
    assert_true(z[0] == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_by_hand),
      cmocka_unit_test(rates_by_hand),
      cmocka_unit_test(modes_by_hand),
      cmocka_unit_test(cubic_of_cdq),
      cmocka_unit_test(brown_mcphee_peak),
      cmocka_unit_test(rate_and_state_steady),
      cmocka_unit_test(cdq_to_quinn),
      cmocka_unit_test(quinn_to_coulomb),
      cmocka_unit_test(quinn_conventions),
      cmocka_unit_test(quinn_oscillator),
      cmocka_unit_test(steady_state_is_stribeck),
      cmocka_unit_test(dahl_to_coulomb),
      cmocka_unit_test(adams_at_the_origin),
      cmocka_unit_test(adams_limits_deflection),
  };
  return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
