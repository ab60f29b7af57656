/* property_signs.c - what friction owes to physics: it is odd, bounded, vanishes with the load, and takes
 * energy.
 *
 * A law that is an exception says so in its traits, and then has to show the violation: no excuse outlives
 * its reason.
 */
#include "motion.h"

static int same(double a, double b, double size) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b) + size); }

/* Mirrored inputs give mirrored outputs. */
static void odd(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 10);
  for (int i = 0; i < 20000; i++) {
    point x;
    draw_point(law, &r, &x);
    if (i % 10 == 0) x.v = 0;
    if (i % 7 == 0) x.v *= 1e6;
    point mirror = x;
    mirror.v = -x.v;
    mirror.f_eq = -x.f_eq;
    for (int k = 0; k < law->n_states; k++) mirror.z[k] = law->states[k].parity * x.z[k];
    cps_law_output a, b;
    eval_at(&x, &a, NULL);
    eval_at(&mirror, &b, NULL);
    if (!same(a.f, -b.f, 1e-3 * scale_at(&x).f_stick))
      FAIL_AT(&x, "f = %.17g here, and %.17g mirrored", a.f, b.f);
    for (int k = 0; k < law->n_states; k++)
      if (!same(a.z_t[k], law->states[k].parity * b.z_t[k], fabs(x.v)))
        FAIL_AT(&x, "rate of %s is %.17g here, and %.17g mirrored", law->states[k].name, a.z_t[k], b.z_t[k]);
  }
}

/* Without a balance force, at rest, undeflected: no direction is preferred, so there is no force. */
static void rests_without_force(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 11);
  for (int i = 0; i < 1000; i++) {
    point x;
    draw_point(law, &r, &x);
    x.v = i % 2 ? 0.0 : -0.0;
    x.f_eq = i % 4 < 2 ? 0.0 : -0.0;
    for (int k = 0; k < law->n_states; k++)
      if (law->states[k].parity < 0) x.z[k] = 0;
    cps_law_output out;
    eval_at(&x, &out, NULL);
    if (out.f != 0) FAIL_AT(&x, "f = %.17g at rest without any load", out.f);
  }
}

/* |f| stays below f_peak while the states are within their bounds, and f_peak is not a mere precaution. */
static void bounded(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 12);
  double most = 0, most_over_stick = 0;
  for (int i = 0; i < 40000; i++) {
    point x;
    draw_point(law, &r, &x);
    cps_law_scale s = scale_at(&x);
    if (i % 4 == 0) x.v *= rng_log(&r, 1, 1e8);
    if (i % 11 == 0) x.v = rng_sign(&r) * CPS_INPUT_MAX;
    if (i % 5 == 0) x.v = rng_sign(&r) * usable(s.v_scale) * rng_between(&r, 0.5, 2);
    if (i % 7 == 0) x.f_eq *= rng_log(&r, 1, 1e4);
    draw_states(&x, &r, 1);
    double side = rng_sign(&r);
    for (int k = 0; k < law->n_states && i % 6 == 0; k++)
      x.z[k] = s.z[k] * (law->states[k].parity < 0 ? side : 1);
    cps_law_output out;
    eval_at(&x, &out, NULL);
    if (fabs(out.f) > s.f_peak * (1 + 1e-12))
      FAIL_AT(&x, "|f| = %.17g exceeds f_peak = %.17g", fabs(out.f), s.f_peak);
    if (s.f_stick > s.f_peak) FAIL_AT(&x, "f_stick = %g exceeds f_peak = %g", s.f_stick, s.f_peak);
    if (!(law->traits & CPS_UNBOUNDED) && !isfinite(s.f_peak))
      FAIL_AT(&x, "f_peak is infinite without CPS_UNBOUNDED");
    if (isfinite(s.f_peak) && s.f_peak > 0) most = fmax(most, fabs(out.f) / s.f_peak);
    if (s.f_stick > 0) most_over_stick = fmax(most_over_stick, fabs(out.f) / s.f_stick);
  }
  if (law->traits & CPS_UNBOUNDED) {
    if (most_over_stick < 10)
      FAIL_LAW(law, "CPS_UNBOUNDED, but |f| <= %g f_stick everywhere", most_over_stick);
  } else if (most < 0.8) {
    FAIL_LAW(law, "|f| reaches only %g of f_peak, which is meant to be its least upper bound", most);
  }
}

/* No load, no force. */
static void vanishes_with_load(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 13);
  int violated = 0;
  for (int i = 0; i < 20000; i++) {
    point x;
    draw_point(law, &r, &x);
    x.n = i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.0 : -x.n;
    if (i % 4 == 0) x.f_eq = 0;
    cps_law_output out;
    eval_at(&x, &out, NULL);
    if (out.f == 0) continue;
    violated = 1;
    if (!(law->traits & CPS_LOAD_FREE)) FAIL_AT(&x, "f = %.17g without load", out.f);
  }
  if ((law->traits & CPS_LOAD_FREE) && !violated)
    FAIL_LAW(law, "CPS_LOAD_FREE, but f vanishes with the load");
}

/* A normal force below zero is no normal force, and moving it changes nothing. */
static void negative_load(void **state) {
  const cps_law *law = law_of(state);
  rng r = rng_for(law->name, 14);
  for (int i = 0; i < 2000; i++) {
    point x;
    draw_point(law, &r, &x);
    if (law->n_modes && i % 2) x.mode = rng_below(&r, law->n_modes);
    point zero = x;
    zero.n = 0;
    x.n = -x.n;
    cps_law_output a, b;
    cps_law_jacobian jac;
    eval_at(&x, &a, &jac);
    eval_at(&zero, &b, NULL);
    for (int k = 0; k <= law->n_states; k++) {
      if (output(&a, k) != output(&b, k)) FAIL_AT(&x, "output %d differs from that without load", k);
      if (output_row(&jac, k)->n != 0) FAIL_AT(&x, "output %d changes with a load below zero", k);
    }
    cps_law_scale s, t;
    cps_law_scales(law, x.p, x.n, &s);
    cps_law_scales(law, x.p, 0, &t);
    assert_memory_equal(&s, &t, sizeof s);
  }
}

/* Laws without memory: f v <= 0 outside the stick band. */
static void dissipates_at_once(const cps_law *law) {
  rng r = rng_for(law->name, 15);
  int violated = 0;
  for (int i = 0; i < 40000; i++) {
    point x;
    draw_point(law, &r, &x);
    if (i % 5 == 0) x.v *= 1e4;
    if (i % 7 == 0) x.f_eq *= 1e4;
    cps_law_scale s = scale_at(&x);
    if (fabs(x.v) <= s.v_band) continue;
    cps_law_output out;
    eval_at(&x, &out, NULL);
    if (out.f * x.v <= 0) continue;
    violated = 1;
    if (law->traits & CPS_DISSIPATES) FAIL_AT(&x, "f v = %.17g > 0: friction drives", out.f * x.v);
  }
  if (!(law->traits & CPS_DISSIPATES) && !violated)
    FAIL_LAW(law, "not CPS_DISSIPATES, but f v <= 0 everywhere");
}

/* A periodic velocity without mean: three harmonics of base frequency omega. */
typedef struct cycle {
  double omega, amplitude[3], phase[3];
} cycle;

static double cycle_velocity(const cycle *c, double t) {
  double v = 0;
  for (int k = 0; k < 3; k++) v += c->amplitude[k] * cos((k + 1) * c->omega * t + c->phase[k]);
  return v;
}

/* One step along the cycle, halved where Newton does not converge; adds the work, 0 if it does not converge
 * at all. */
static int step_cycle(point *x, const cycle *c, double t, double dt, int halvings, double *work) {
  double v1 = cycle_velocity(c, t + FIRST_STAGE * dt), v2 = cycle_velocity(c, t + dt);
  if (step_states(x, v1, v2, dt, work)) {
    settle_motion(x);
    return 1;
  }
  return halvings > 0 && step_cycle(x, c, t, dt / 2, halvings - 1, work) &&
         step_cycle(x, c, t + dt / 2, dt / 2, halvings - 1, work);
}

/* Work that the law takes from an imposed cycle once the states repeat; NaN if they do not. */
static double cycle_work(point x, const cycle *c, int n_steps) {
  double period = 2 * acos(-1.0) / c->omega, dt = period / n_steps;
  cps_law_scale s = scale_at(&x);
  for (int k = 0; k < x.law->n_states; k++) x.z[k] = 0;
  x.v = cycle_velocity(c, 0);
  x.mode = x.law->n_modes ? mode_at(&x) : CPS_MODE_FREE;
  for (int steps = 0; steps < 100000; steps += n_steps) {
    point start = x;
    double work = 0;
    for (int i = 0; i < n_steps; i++)
      if (!step_cycle(&x, c, i * dt, dt, 12, &work)) return NAN;
    int closed = x.mode == start.mode;
    for (int k = 0; k < x.law->n_states; k++)
      closed = closed && fabs(x.z[k] - start.z[k]) <= 1e-6 * (usable(s.z[k]) + fabs(x.z[k]));
    if (closed) return work;
  }
  return NAN;
}

/* Laws with memory: no closed cycle gives work, once the states repeat. What looks like work has to persist
 * when the steps are refined. */
static void dissipates_in_cycles(const cps_law *law) {
  rng r = rng_for(law->name, 16);
  int violated = 0, closed = 0, tried = 0;
  for (int i = 0; i < 40; i++) {
    point x;
    draw_point(law, &r, &x);
    x.f_eq = 0;
    if (i < 12) cps_law_defaults(law, x.p);
    cps_law_scale s = scale_at(&x);
    double travel = deflection_scale(law, x.p, &s);
    double speed = usable(s.v_scale) * rng_log(&r, 0.01, 10), reach = travel * rng_log(&r, 0.1, 20);
    cycle c = {speed / reach, {speed, 0, 0}, {0, 0, 0}};
    for (int k = 1; k < 3 && i % 2; k++) {
      c.amplitude[k] = speed * rng_between(&r, -1, 1);
      c.phase[k] = rng_between(&r, 0, 6.28);
    }
    int n_steps = (int)fmin(fmax(400, 400 * reach / travel), 4000);
    double unit = s.f_stick * reach, work = cycle_work(x, &c, n_steps);
    for (int refine = 0; refine < 2 && work < -1e-5 * unit; refine++) work = cycle_work(x, &c, n_steps *= 4);
    tried++;
    if (isnan(work)) continue;
    closed++;
    if (work >= -1e-5 * unit) continue;
    violated = 1;
    if (law->traits & CPS_DISSIPATES) {
      print_error("speed %g, amplitude %g, harmonics %g %g\n", speed, reach, c.amplitude[1], c.amplitude[2]);
      FAIL_AT(&x, "a closed cycle gives the work %g (f_stick times amplitude is %g)", -work, unit);
    }
  }
  if (2 * closed < tried) FAIL_LAW(law, "only %d of %d cycles closed", closed, tried);
  if (!(law->traits & CPS_DISSIPATES) && !violated)
    FAIL_LAW(law, "not CPS_DISSIPATES, but no cycle gave work");
}

static void dissipates(void **state) {
  const cps_law *law = law_of(state);
  if (law->n_states)
    dissipates_in_cycles(law);
  else
    dissipates_at_once(law);
}

int main(void) {
  static const law_test tests[] = {
      {"odd", odd},
      {"no force at rest without cause", rests_without_force},
      {"bounded", bounded},
      {"vanishes with the load", vanishes_with_load},
      {"negative load counts as none", negative_load},
      {"dissipates", dissipates},
  };
  return over_laws("signs", tests, ROWS(tests));
}
