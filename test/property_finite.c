/* property_finite.c - no finite input gives NaN or infinity: huge, tiny, denormal and zero of either sign, in
 * every combination, with parameters anywhere in their ranges.
 */
#include "test.h"

static const double nasty[] = {0.0,    4.9406564584124654e-324,
                               1e-310, DBL_MIN,
                               1e-300, 1e-200,
                               1e-100, 1e-30,
                               1e-15,  1e-6,
                               1e-3,   1,
                               1e3,    1e6,
                               1e12,   1e29,
                               1e30,   1.0000001e30,
                               1e100,  1e200,
                               1e300,  DBL_MAX};

/* Something nasty, of either sign; or something of the law's own size. */
static double draw_nasty(rng *r, double size) {
  double x = rng_below(r, 5) == 0 ? size * rng_between(r, 0, 2) : nasty[rng_below(r, ROWS(nasty))];
  return rng_sign(r) * x;
}

/* Parameters at the ends of their ranges, all or some of them, or anywhere; as far as the law accepts them.
 */
static void draw_extreme_params(const cps_law *law, rng *r, double *p) {
  for (int attempt = 0; attempt < 100; attempt++) {
    int kind = rng_below(r, 4);
    for (int i = 0; i < law->n_params; i++) {
      const cps_param *q = &law->params[i];
      int choice = rng_below(r, 3);
      if (kind == 0 || (kind == 1 && choice == 0))
        p[i] = q->value;
      else if (kind == 3)
        p[i] = q->min > 0 ? rng_log(r, q->min, q->max) : rng_between(r, q->min, q->max);
      else
        p[i] = choice == 1 ? q->min : q->max;
      p[i] = fmin(fmax(p[i], q->min), q->max);
    }
    if (cps_law_check(law, p, NULL) == CPS_OK) return;
  }
  cps_law_defaults(law, p);
}

static void draw_nasty_point(const cps_law *law, rng *r, point *x) {
  memset(x, 0, sizeof *x);
  x->law = law;
  if (rng_below(r, 3) == 0)
    draw_params(law, r, x->p);
  else
    draw_extreme_params(law, r, x->p);
  x->n = draw_nasty(r, 10);
  cps_law_scale s = scale_at(x);
  x->v = draw_nasty(r, s.v_scale);
  x->f_eq = draw_nasty(r, s.f_stick);
  for (int k = 0; k < law->n_states; k++) x->z[k] = draw_nasty(r, s.z[k]);
  x->mode = law->n_modes && rng_below(r, 2) ? rng_below(r, law->n_modes) : CPS_MODE_FREE;
}

static void check_row(const point *x, const cps_partials *row, const char *what, int i) {
  for (int k = 0; k < count_variables(x->law); k++)
    if (!isfinite(partial(x->law, row, k)))
      FAIL_AT(x, "derivative of %s %d by %s is %g", what, i, variable_name(x->law, k),
              partial(x->law, row, k));
}

static void outputs(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 20);
  for (int i = 0; i < 50000; i++) {
    point x;
    draw_nasty_point(law, &r, &x);
    cps_law_output out, value;
    cps_law_jacobian jac;
    eval_at(&x, &out, &jac);
    eval_at(&x, &value, NULL);
    for (int k = 0; k <= law->n_states; k++) {
      double y = output(&out, k), same = output(&value, k);
      if (!isfinite(y)) FAIL_AT(&x, "output %d is %g", k, y);
      if (memcmp(&y, &same, sizeof y) != 0)
        FAIL_AT(&x, "output %d is %.17g without derivatives, %.17g with", k, same, y);
      check_row(&x, output_row(&jac, k), "output", k);
    }
  }
}

static void scales(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 21);
  for (int i = 0; i < 10000; i++) {
    point x;
    draw_nasty_point(law, &r, &x);
    cps_law_scale s = scale_at(&x);
    if (!(isfinite(s.f_stick) && s.f_stick >= 0)) FAIL_AT(&x, "f_stick is %g", s.f_stick);
    if (!(s.f_peak >= 0)) FAIL_AT(&x, "f_peak is %g", s.f_peak);
    if (!(isfinite(s.v_band) && s.v_band >= 0)) FAIL_AT(&x, "v_band is %g", s.v_band);
    if (!(isfinite(s.v_scale) && s.v_scale > 0)) FAIL_AT(&x, "v_scale is %g", s.v_scale);
    for (int k = 0; k < law->n_states; k++)
      if (!(isfinite(s.z[k]) && s.z[k] >= 0)) FAIL_AT(&x, "scale of %s is %g", law->states[k].name, s.z[k]);
  }
}

static void modes(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 22);
  for (int i = 0; law->n_modes && i < 20000; i++) {
    point x;
    draw_nasty_point(law, &r, &x);
    x.mode = mode_at(&x);
    if (x.mode < 0 || x.mode >= law->n_modes) FAIL_AT(&x, "cps_law_mode gives %d", x.mode);
    if (i % 2) x.mode = rng_below(&r, law->n_modes);
    cps_law_input in = input_of(&x);
    double g[CPS_MAX_GUARDS], z[CPS_MAX_STATES];
    cps_partials g_x[CPS_MAX_GUARDS], z_x[CPS_MAX_STATES];
    cps_law_guards(law, x.p, &in, g, g_x);
    for (int k = 0; k < law->n_guards; k++) {
      if (!isfinite(g[k])) FAIL_AT(&x, "guard %d is %g", k, g[k]);
      check_row(&x, &g_x[k], "guard", k);
      int mode = cps_law_transition(law, x.p, &in, k, z, z_x);
      if (mode < 0 || mode >= law->n_modes) FAIL_AT(&x, "guard %d leads to mode %d", k, mode);
      for (int q = 0; q < law->n_states; q++) {
        if (!isfinite(z[q])) FAIL_AT(&x, "guard %d makes %s %g", k, law->states[q].name, z[q]);
        check_row(&x, &z_x[q], "state after transition", q);
      }
    }
    int mode = cps_law_settle(law, x.p, &in, z);
    if (mode < 0 || mode >= law->n_modes) FAIL_AT(&x, "settles in mode %d", mode);
    for (int q = 0; q < law->n_states; q++)
      if (!isfinite(z[q])) FAIL_AT(&x, "settles with %s = %g", law->states[q].name, z[q]);
  }
}

int main(void) {
  static const law_test tests[] = {
      {"outputs and derivatives are finite", outputs},
      {"scales are finite", scales},
      {"modes, guards and transitions are finite", modes},
  };
  return over_laws("finite", tests, ROWS(tests));
}
