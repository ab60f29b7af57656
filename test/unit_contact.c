/* unit_contact.c - normal contact, the capstan, and the helper functions of multibody codes. */
#include "test.h"

#include "internal.h"

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g is not %.15g (to %g)", value, expected, tolerance);
}

/* ------------------------------------------------------------------ normal contact */

static void normal_defaults(const cps_normal *law, double *p) {
  for (int i = 0; i < law->n_params; i++) p[i] = law->params[i].value;
}

/* The table: names, aliases, parameters. */
static void normal_table(void **state) {
  (void)state;
  assert_true(cps_normal_count() >= 2);
  assert_null(cps_normal_at(-1));
  assert_null(cps_normal_at(cps_normal_count()));
  assert_null(cps_normal_find("no-such-law"));
  assert_null(cps_normal_find(NULL));
  for (int i = 0; i < cps_normal_count(); i++) {
    const cps_normal *law = cps_normal_at(i);
    assert_ptr_equal(cps_normal_find(law->name), law);
    assert_true(law->title && law->equation && law->citation && law->eval);
    for (int k = 0; k < law->n_params; k++) {
      const cps_param *q = &law->params[k];
      assert_true(q->name && q->unit && q->meaning && q->min <= q->value && q->value <= q->max);
    }
  }
  assert_ptr_equal(cps_normal_find("penalty"), cps_normal_find("linear"));
}

static void normal_by_hand(void **state) {
  (void)state;
  cps_normal_output out;
  cps_normal_eval(cps_normal_find("hunt-crossley"), (double[]){5e6, 1.5, 1}, 1e-4, 0.2, &out);
  assert_near(out.n, 5e6 * 1e-6 * 1.2, 1e-12);
  assert_near(out.depth, 5e6 * 1.5 * 1e-2 * 1.2, 1e-7);
  assert_near(out.rate, 5, 1e-12);
  cps_normal_eval(cps_normal_find("linear"), (double[]){1e6, 100}, 1e-4, 0.2, &out);
  assert_near(out.n, 120, 1e-12);
}

/* Central differences of every normal law; it never pulls, and gives zero outside. */
static void normal_derivatives(void **state) {
  (void)state;
  for (int i = 0; i < cps_normal_count(); i++) {
    const cps_normal *law = cps_normal_at(i);
    rng r = rng_for(law->name, 50);
    int touched = 0, parted = 0;
    for (int k = 0; k < 20000; k++) {
      double p[CPS_MAX_PARAMS], x[2 + CPS_MAX_PARAMS];
      for (int q = 0; q < law->n_params; q++) p[q] = draw_param(&law->params[q], &r);
      x[0] = rng_log(&r, 1e-6, 1e-1) * (k % 8 ? 1 : -1);
      x[1] = rng_sign(&r) * rng_log(&r, 1e-3, 10);
      memcpy(x + 2, p, sizeof p);
      cps_normal_output out;
      cps_normal_eval(law, p, x[0], x[1], &out);
      if (!(out.n >= 0)) fail_msg("%s pulls with %g at depth %g, rate %g", law->name, out.n, x[0], x[1]);
      if (x[0] <= 0) assert_true(out.n == 0 && out.depth == 0 && out.rate == 0);
      if (out.n == 0) {
        parted++;
        continue;
      }
      touched++;
      for (int q = 0; q < 2 + law->n_params; q++) {
        double h = 1e-5 * fmax(fabs(x[q]), 1e-12), y[2], at = x[q];
        for (int side = 0; side < 2; side++) {
          cps_normal_output there;
          x[q] = side ? at + h : at - h;
          cps_normal_eval(law, x + 2, x[0], x[1], &there);
          y[side] = there.n;
        }
        x[q] = at;
        double d = q == 0   ? out.depth
                   : q == 1 ? out.rate
                            : out.p[q - 2],
               unit = out.n / fmax(fabs(at), 1e-12);
        double slope = (y[1] - y[0]) / (2 * h);
        if (y[0] > 0 && y[1] > 0 && fabs(d - slope) > 1e-6 * (fabs(slope) + unit))
          fail_msg("%s at depth %g, rate %g: derivative %d is %.12g, difference %.12g", law->name, x[0], x[1],
                   q, d, slope);
      }
    }
    assert_true(touched > 5000 && parted > 1000);
  }
}

/* The stored energy is the integral of the force. */
static void normal_energy(void **state) {
  (void)state;
  for (int i = 0; i < cps_normal_count(); i++) {
    const cps_normal *law = cps_normal_at(i);
    rng r = rng_for(law->name, 51);
    for (int k = 0; k < 2000; k++) {
      double p[CPS_MAX_PARAMS], depth = rng_log(&r, 1e-6, 1e-1), h = 1e-4 * depth;
      for (int q = 0; q < law->n_params; q++) p[q] = draw_param(&law->params[q], &r);
      if (k % 2 && law->n_params > 3) p[3] = depth * rng_log(&r, 0.1, 10); /* near the end of the onset */
      cps_normal_output out;
      cps_normal_eval(law, p, depth, 0, &out);
      double slope = (cps_normal_energy(law, p, depth + h) - cps_normal_energy(law, p, depth - h)) / (2 * h);
      if (!(fabs(slope - out.n) <= 1e-6 * out.n))
        fail_msg("%s at depth %g: the force is %.12g, the slope of the energy %.12g", law->name, depth, out.n,
                 slope);
      assert_true(cps_normal_energy(law, p, -depth) == 0);
      if (law->n_params > 3) continue; /* its force has a kink */
      cps_normal left = *law;
      left.energy = NULL; /* by quadrature */
      double closed = cps_normal_energy(law, p, depth), sum = cps_normal_energy(&left, p, depth);
      if (!(fabs(sum - closed) <= 1e-9 * closed))
        fail_msg("%s: %.12g J, by quadrature %.12g", law->name, closed, sum);
    }
  }
}

/* With an onset a load is borne that much deeper, from twice that depth on. */
static void normal_onset(void **state) {
  (void)state;
  cps_normal_output hard, soft;
  const cps_normal *law = cps_normal_find("hunt-crossley-onset");
  cps_normal_eval(cps_normal_find("hunt-crossley"), (double[]){1e7, 1, 10}, 2e-3, 0.05, &hard);
  cps_normal_eval(law, (double[]){1e7, 1, 10, 1e-3}, 3e-3, 0.05, &soft);
  assert_near(soft.n, hard.n, 1e-8);
  cps_normal_eval(law, (double[]){1e7, 1, 10, 1e-3}, 1e-3, 0, &soft);
  assert_near(soft.n, 1e7 * 0.25e-3, 1e-8);
  assert_near(soft.depth, 1e7 * 0.5, 1e-5);
}

/* No finite input gives NaN or infinity. */
static void normal_finite(void **state) {
  (void)state;
  static const double nasty[] = {0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-300, 1e-3,    -1e-3,
                                 1,   -1,   1e30,   -1e30,   1e300,  -1e300,  DBL_MAX, -DBL_MAX};
  for (int i = 0; i < cps_normal_count(); i++) {
    const cps_normal *law = cps_normal_at(i);
    for (int set = 0; set < 3; set++)
      for (int a = 0; a < ROWS(nasty); a++)
        for (int b = 0; b < ROWS(nasty); b++) {
          double p[CPS_MAX_PARAMS];
          normal_defaults(law, p);
          for (int k = 0; set && k < law->n_params; k++)
            p[k] = set == 1 ? law->params[k].min : law->params[k].max;
          cps_normal_output out;
          cps_normal_eval(law, p, nasty[a], nasty[b], &out);
          int good = isfinite(out.n) && isfinite(out.depth) && isfinite(out.rate) && out.n >= 0;
          for (int k = 0; k < law->n_params; k++) good = good && isfinite(out.p[k]);
          if (!good) fail_msg("%s is not finite at depth %g, rate %g", law->name, nasty[a], nasty[b]);
        }
  }
}

/* Hunt and Crossley is continuous at touch-down, whatever the rate. */
static void normal_touch_down(void **state) {
  (void)state;
  const cps_normal *law = cps_normal_find("hunt-crossley");
  double p[CPS_MAX_PARAMS];
  normal_defaults(law, p);
  for (double rate = -5; rate <= 5; rate += 0.5) {
    cps_normal_output out;
    cps_normal_eval(law, p, 1e-12, rate, &out);
    assert_near(out.n, 0, 1e-9);
  }
}

/* ------------------------------------------------------------------ capstan */

static void wrap_by_hand(void **state) {
  (void)state;
  const double pi = acos(-1.0), mu = 0.25;
  cps_wrap w;
  assert_int_equal(cps_wrap_eval(100, 150, mu, pi, &w), CPS_OK);
  assert_near(w.limit, exp(mu * pi), 1e-12); /* 2.193 */
  assert_near(w.limit, 2.193, 1e-3);
  assert_near(w.ratio, 1.5, 1e-12);
  assert_near(w.slip_arc, log(1.5) / mu, 1e-12);
  assert_near(w.slip_arc + w.stick_arc, pi, 1e-12);
  assert_near(w.margin, mu * pi - log(1.5), 1e-12);
  assert_near(w.torque, 50, 0);
  assert_int_equal(w.slips, 0);
  /* The other way round, the same arcs. */
  cps_wrap u;
  assert_int_equal(cps_wrap_eval(150, 100, mu, pi, &u), CPS_OK);
  assert_near(u.slip_arc, w.slip_arc, 1e-12);
  assert_near(u.torque, -50, 0);
  /* Just below and just above the limit. */
  assert_int_equal(cps_wrap_eval(100, 100 * exp(mu * pi) * (1 - 1e-9), mu, pi, &w), CPS_OK);
  assert_int_equal(w.slips, 0);
  assert_near(w.stick_arc, 0, 1e-8);
  assert_int_equal(cps_wrap_eval(100, 100 * exp(mu * pi) * (1 + 1e-9), mu, pi, &w), CPS_OK);
  assert_int_equal(w.slips, 1);
  assert_near(w.slip_arc, pi, 0);
  assert_true(w.margin < 0);
  /* Equal tensions: all sticks. */
  assert_int_equal(cps_wrap_eval(100, 100, mu, pi, &w), CPS_OK);
  assert_near(w.slip_arc, 0, 0);
}

/* Tension: t_in on the stick arc, exponential on the slip arc, t_out at the end, without a jump. */
static void wrap_tension(void **state) {
  (void)state;
  rng r = rng_for("wrap", 0);
  for (int i = 0; i < 2000; i++) {
    double mu = rng_log(&r, 0.05, 1), angle = rng_between(&r, 0.5, 20), t_in = rng_log(&r, 1, 1e4);
    double t_out = t_in * exp(mu * angle * rng_between(&r, -1, 1));
    cps_wrap w;
    assert_int_equal(cps_wrap_eval(t_in, t_out, mu, angle, &w), CPS_OK);
    assert_near(cps_wrap_tension(t_in, t_out, mu, angle, 0), t_in, 1e-9 * t_in);
    assert_near(cps_wrap_tension(t_in, t_out, mu, angle, w.stick_arc * 0.999), t_in, 1e-9 * t_in);
    assert_near(cps_wrap_tension(t_in, t_out, mu, angle, angle), t_out, 1e-9 * t_out);
    double before = t_in;
    for (int k = 1; k <= 200; k++) {
      double t = cps_wrap_tension(t_in, t_out, mu, angle, angle * k / 200), ratio = t / before;
      assert_true(ratio <= exp(mu * angle / 200) * (1 + 1e-9) &&
                  ratio >= exp(-mu * angle / 200) * (1 - 1e-9));
      before = t;
    }
    /* On the slip arc dT/dtheta = +-mu T. */
    if (w.slip_arc > 1e-3 * angle) {
      double theta = angle - w.slip_arc / 2, h = 1e-5 * w.slip_arc;
      double slope = (cps_wrap_tension(t_in, t_out, mu, angle, theta + h) -
                      cps_wrap_tension(t_in, t_out, mu, angle, theta - h)) /
                     (2 * h);
      double t = cps_wrap_tension(t_in, t_out, mu, angle, theta);
      assert_near(slope, (t_out > t_in ? 1 : -1) * mu * t, 1e-5 * mu * t);
    }
  }
  assert_true(isnan(cps_wrap_tension(-1, 1, 0.1, 1, 0.5)));
}

static void wrap_derivatives(void **state) {
  (void)state;
  rng r = rng_for("wrap", 1);
  for (int i = 0; i < 2000; i++) {
    double x[3] = {rng_log(&r, 1, 1e4), 0, rng_log(&r, 0.05, 1)}, angle = rng_between(&r, 0.5, 20);
    x[1] = x[0] * exp(x[2] * angle * 0.99 * rng_between(&r, -1, 1));
    cps_wrap w, a, b;
    assert_int_equal(cps_wrap_eval(x[0], x[1], x[2], angle, &w), CPS_OK);
    const double d[3] = {w.slip_arc_t_in, w.slip_arc_t_out, w.slip_arc_mu};
    for (int k = 0; k < 3; k++) {
      double h = 1e-6 * x[k], at = x[k];
      x[k] = at + h;
      cps_wrap_eval(x[0], x[1], x[2], angle, &b);
      x[k] = at - h;
      cps_wrap_eval(x[0], x[1], x[2], angle, &a);
      x[k] = at;
      if (w.slip_arc < 1e-4 || a.slips || b.slips) continue;
      double slope = (b.slip_arc - a.slip_arc) / (2 * h);
      assert_near(d[k], slope, 1e-5 * fabs(slope) + 1e-8 / at);
    }
  }
  cps_wrap w;
  assert_int_equal(cps_wrap_eval(1, 100, 0.1, 1, &w), CPS_OK); /* all slips: the arc does not move */
  assert_true(w.slip_arc_t_in == 0 && w.slip_arc_t_out == 0 && w.slip_arc_mu == 0);
}

static void wrap_refuses(void **state) {
  (void)state;
  static const double bad[][4] = {{0, 1, 0.1, 1},      {1, 0, 0.1, 1},        {-1, 1, 0.1, 1},
                                  {1, -1, 0.1, 1},     {1, 1, -0.1, 1},       {1, 1, 0.1, -1},
                                  {NAN, 1, 0.1, 1},    {1, NAN, 0.1, 1},      {1, 1, NAN, 1},
                                  {1, 1, 0.1, NAN},    {INFINITY, 1, 0.1, 1}, {1, INFINITY, 0.1, 1},
                                  {1, 1, INFINITY, 1}, {1, 1, 0.1, INFINITY}};
  for (int i = 0; i < ROWS(bad); i++) {
    cps_wrap w;
    assert_int_equal(cps_wrap_eval(bad[i][0], bad[i][1], bad[i][2], bad[i][3], &w), CPS_BAD_INPUT);
  }
}

/* Slip power of Lugris, 1/2 EA (eps2 - eps1)^2 q, never negative. */
static void wrap_power(void **state) {
  (void)state;
  double ea = 9.2e6;
  assert_near(cps_wrap_power(9810, 5886, ea, 1), 0.5 * ea * pow((9810 - 5886) / ea, 2), 1e-12);
  assert_true(cps_wrap_power(9810, 5886, ea, -1) >= 0);
  assert_near(cps_wrap_power(5, 5, ea, 3), 0, 0);
}

/* ------------------------------------------------------------------ helpers */

static void step5_by_hand(void **state) {
  (void)state;
  double slope;
  static const double rows[][3] = {{-1, 0, 0},
                                   {0, 0, 0},
                                   {0.25, 0.103515625, 1.0546875},
                                   {0.5, 0.5, 1.875},
                                   {0.75, 0.896484375, 1.0546875},
                                   {1, 1, 0},
                                   {2, 1, 0}};
  for (int i = 0; i < ROWS(rows); i++) {
    assert_near(cps_step5(rows[i][0], 0, 0, 1, 1, &slope), rows[i][1], 1e-15);
    assert_near(slope, rows[i][2], 1e-14);
    assert_near(cps_step5(2 + 4 * rows[i][0], 2, 3, 6, -5, &slope), 3 - 8 * rows[i][1], 1e-14);
    assert_near(slope, -2 * rows[i][2], 1e-13);
  }
  assert_near(cps_step5(0.3, 0, 0, 1, 1, NULL), 0.16308, 1e-15);
  /* Slope and curvature vanish at both ends: s = 10 h^3 there. */
  for (double h = 1e-2; h > 1e-6; h /= 10) {
    assert_near(cps_step5(h, 0, 0, 1, 1, NULL) / (h * h), 10 * h, 16 * h * h);
    assert_near((1 - cps_step5(1 - h, 0, 0, 1, 1, NULL)) / (h * h), 10 * h, 16 * h * h + 1e-15 / (h * h));
    cps_step5(h, 0, 0, 1, 1, &slope);
    assert_near(slope / h, 30 * h, 61 * h * h);
  }
  /* A step without width. */
  assert_near(cps_step5(0.9, 1, 2, 1, 3, &slope), 2, 0);
  assert_near(cps_step5(1.1, 1, 2, 1, 3, &slope), 3, 0);
  assert_true(slope == 0);
}

static void step3_by_hand(void **state) {
  (void)state;
  double slope;
  assert_near(cps_step3(0.25, 0, 0, 1, 1, &slope), 0.15625, 1e-15);
  assert_near(slope, 1.125, 1e-15);
  assert_near(cps_step3(0.5, 0, 0, 1, 1, &slope), 0.5, 1e-15);
  assert_near(slope, 1.5, 1e-15);
  assert_near(cps_step3(-3, 0, 4, 1, 7, &slope), 4, 0);
  assert_near(cps_step3(3, 0, 4, 1, 7, NULL), 7, 0);
}

/* Schuderer Eqs. (11-14). */
static void simpack_estimates(void **state) {
  (void)state;
  const double g = 9.81, n = 9.81, pi = acos(-1.0);
  assert_near(cps_simpack_stiffness(0.6, n, 1e-5), 5.886e5, 1e-9);
  assert_near(cps_simpack_damping(0.5, 1e8, n, g), 1e4, 1e-8);
  assert_near(cps_simpack_rise_time(0.5, 1e8, n, g), (2 * pi / 3) / (1e4 * sqrt(0.75)), 1e-16);
  /* (14) undoes (13). */
  for (double d = 0.05; d < 1; d += 0.05)
    for (double c = 1e3; c < 1e10; c *= 10) {
      double t = cps_simpack_rise_time(d, c, 3 * n, g);
      assert_near(cps_simpack_stiffness_for_rise(d, t, 3 * n, g) / c, 1, 1e-12);
    }
  /* The rise time is when the step response first reaches its end value. */
  double d = 0.3, c = 1e6, m = n / g, w = sqrt(c / m), t = cps_simpack_rise_time(d, c, n, g);
  double wd = w * sqrt(1 - d * d);
  double response = 1 - exp(-d * w * t) * (cos(wd * t) + d * w / wd * sin(wd * t));
  assert_near(response, 1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_table),       cmocka_unit_test(normal_by_hand),
      cmocka_unit_test(normal_derivatives), cmocka_unit_test(normal_finite),
      cmocka_unit_test(normal_energy),      cmocka_unit_test(normal_onset),
      cmocka_unit_test(normal_touch_down),  cmocka_unit_test(wrap_by_hand),
      cmocka_unit_test(wrap_tension),       cmocka_unit_test(wrap_derivatives),
      cmocka_unit_test(wrap_refuses),       cmocka_unit_test(wrap_power),
      cmocka_unit_test(step5_by_hand),      cmocka_unit_test(step3_by_hand),
      cmocka_unit_test(simpack_estimates),
  };
  return cmocka_run_group_tests_name("contact", tests, NULL, NULL);
}
