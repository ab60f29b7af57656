/* sens_compare.h - derivatives of runs of cables in examples: forward against differences of runs with the same steps, and
 * the adjoint against the forward method. */
#ifndef CPS_TEST_SENS_COMPARE_H
#define CPS_TEST_SENS_COMPARE_H

#include "sens_machines.h"

#define ENERGY_NOISE 1e-13 /* J */

typedef struct example {
  const char *name, *text, *wrt[12], *of[6];
  double loose; /* how many times more than usual forward and adjoint may differ */
} example;

/* How many times more than usual derivatives may differ from differences. */
static double rough = 1;

static cps_sens *derivatives(const cps_scenario *s, const example *x, cps_sens_method method) {
  return differentiate(s, x->name, x->wrt, count(x->wrt, ROWS(x->wrt)), x->of, count(x->of, ROWS(x->of)),
                       method);
}

/* Values of the outputs with one parameter elsewhere: found by a run whose one derivative does not matter. */
static void values_at(const cps_scenario *s, const example *x, const char *path, double value, double *out) {
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *moved = cps_scenario_with(s, &path, &value, 1, &problems);
  if (!moved) fail_msg("%s: %s", path, cps_problems_at(problems, 0)->text);
  example one = *x;
  memset(one.wrt, 0, sizeof one.wrt);
  one.wrt[0] = "cables.rope.EA";
  cps_sens *y = cps_sens_new(moved, one.wrt, 1, one.of, count(one.of, ROWS(one.of)), &err);
  if (!y) fail_msg("%s: %s", x->name, err.text);
  if (cps_sens_run(y, CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", x->name, err.text);
  for (int i = 0; i < cps_sens_outputs(y); i++) out[i] = cps_sens_value(y, i);
  cps_sens_free(y);
  cps_scenario_free(moved);
}

/* Richardson's extrapolation of central differences with steps of `part` of the parameter; *doubt: what two steps differ by. What is left
 * of energies of some 100 J, as what the solver loses, has their round-off: seven ulps. */
static void difference(const cps_scenario *s, const example *x, const cps_quantity *q, int n, double part,
                       double *out, double *doubt) {
  double step = part * (q->value != 0 ? fabs(q->value) : 1), d[2][6], values[2][6];
  for (int k = 0; k < 2; k++) {
    double h = step * (k + 1);
    values_at(s, x, q->path, q->value + h, values[0]);
    values_at(s, x, q->path, q->value - h, values[1]);
    for (int i = 0; i < n; i++) d[k][i] = (values[0][i] - values[1][i]) / (2 * h);
  }
  for (int i = 0; i < n; i++) {
    out[i] = (4 * d[0][i] - d[1][i]) / 3;
    int left = strstr(x->of[i], "energy.solver") || strstr(x->of[i], "energy.error");
    doubt[i] = fabs(d[0][i] - d[1][i]) + left * ENERGY_NOISE / step;
  }
}

static void check(const example *x) {
  cps_scenario *s = parse(x->text);
  cps_sens *forward = derivatives(s, x, CPS_SENS_FORWARD), *adjoint = derivatives(s, x, CPS_SENS_ADJOINT);
  int n_of = cps_sens_outputs(forward), n_wrt = cps_sens_parameters(forward);
  for (int k = 0; k < n_wrt; k++) {
    const cps_quantity *q = cps_sens_parameter(forward, k);
    double expected[6], doubt[6], nearer[6], doubt_nearer[6];
    int looked = 0;
    if (k < COMPARED) difference(s, x, q, n_of, 2e-5, expected, doubt);
    for (int i = 0; i < n_of; i++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      /* what a change of the parameter by all of itself would do, for derivatives that are next to nothing */
      double scale = fabs(cps_sens_value(forward, i) / (q->value != 0 ? q->value : 1));
      assert_true(cps_sens_value(forward, i) == cps_sens_value(adjoint, i));
      if (!(fabs(f - a) <= 1e-9 * x->loose * (fabs(f) + scale)))
        fail_msg("%s: d(%s)/d(%s): forward %.12g, adjoint %.12g", x->name, cps_sens_output(forward, i),
                 q->path, f, a);
      if (k >= COMPARED) continue;
      /* a last iteration changes friction forces by what is left, and bdf leaves more than alpha is told to */
      double known = strstr(x->text, "solver: bdf") || !strstr(x->text, "balance: ") ? 2e-3 : 5e-5;
      if (!strstr(x->of[i], "drums.") && !strstr(x->of[i], "motion_work") &&
          !strstr(x->of[i], "energy.error"))
        known = 5e-5;
      known *= rough;
      if (fabs(f - expected[i]) <= known * (fabs(f) + 0.1 * scale) + doubt[i]) continue;
      /* a contact may change between stick and slip within the differences: shorter ones do not see it */
      if (!looked) difference(s, x, q, n_of, 2e-6, nearer, doubt_nearer);
      looked = 1;
      if (!(fabs(f - nearer[i]) <= known * (fabs(f) + 0.1 * scale) + doubt_nearer[i]))
        fail_msg("%s: d(%s)/d(%s): %.10g, differences %.10g, in doubt by %.2g", x->name,
                 cps_sens_output(forward, i), q->path, f, nearer[i], doubt_nearer[i]);
    }
  }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

/* All of them, or those that have $ONLY in their names. */
static void check_all(const example *x, int n) {
  const char *only = getenv("ONLY");
  for (int i = 0; i < n; i++) {
    if (only && !strstr(x[i].name, only)) continue;
    if (only) printf("%s\n", x[i].name);
    check(&x[i]);
  }
}

#endif
