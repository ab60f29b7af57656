/* unit_profile.c - profiles: values, exact derivatives, and breaks.
 *
 * Every profile is read from text as a force, so that the reader is tested, too. Derivatives are compared
 * with finite differences wherever no break is near; breaks with a list; and a time just before and just
 * after each break with the pieces that meet there.
 */
#include "test.h"

#include "scenario.h"

enum { BREAKS_MOST = 16 };

/* A profile, values at some times, and all of its breaks. */
typedef struct sample {
  const char *text;
  double t[8], y[8]; /* the list ends with a NaN time, or with the array */
  int n;
  double breaks[BREAKS_MOST];
  int n_breaks;
} sample;

static const sample samples[] = {
    {"3 N", {-1, 0, 5}, {3, 3, 3}, 3, {0}, 0},
    {"{sine: {amplitude: 2 N, omega: 3 rad/s, phase: 90 deg, offset: 1 N, start: 0.5 s}}",
     {0.5, 0.5 + 3.14159265358979 / 3},
     {3, -1},
     2,
     {0},
     0},
    {"{sine: {amplitude: 1 N, frequency: 0.25 Hz}}", {0, 1, 2, 3}, {0, 1, 0, -1}, 4, {0}, 0},
    {"{pulses: {amplitude: 2 N, start: 1 s, width: 500 ms, period: 1 s, count: 3}}",
     {0.999, 1, 1.499, 1.5, 2.25, 3.25, 3.5, 4.25},
     {0, 2, 2, 0, 2, 2, 0, 0},
     8,
     {1, 1.5, 2, 2.5, 3, 3.5},
     6},
    {"{pulses: {amplitude: -1 N, width: 1 s}}", {-0.1, 0, 0.9, 1, 7}, {0, -1, -1, 0, 0}, 5, {0, 1}, 2},
    {"{pulses: {amplitude: 1 N, width: 1 s, period: 1 s, count: 2}}",
     {0.5, 1, 1.5, 2},
     {1, 1, 1, 0},
     4,
     {0, 1, 2},
     3},
    {"{step: {from: [1 s, 1 N], to: [3 s, 5 N]}}",
     {0, 1, 1.5, 2, 3, 4},
     {1, 1, 1.625, 3, 5, 5},
     6,
     {1, 3},
     2},
    {"{step5: {from: [1 s, 1 N], to: [3 s, 5 N]}}",
     {0, 1, 1.5, 2, 3, 4},
     {1, 1, 1.4140625, 3, 5, 5},
     6,
     {1, 3},
     2},
    {"{cycloid: {amplitude: 4 N, duration: 2 s, start: 1 s}}",
     {0, 1, 2, 3, 9},
     {0, 0, 2, 4, 4},
     5,
     {1, 3},
     2},
    {"{ramp: {rate: 2 N/s, start: 1 s, end: 3 s}}", {0, 1, 2, 3, 4}, {0, 0, 2, 4, 4}, 5, {1, 3}, 2},
    {"{ramp: {rate: 2 kN/min}}", {-1, 0, 60}, {0, 0, 2000}, 3, {0}, 1},
    {"{polynomial: {times: [0, 1, 2 s, 4], coefficients: [[0, 1 N/s], [1, 1, -2 N/s2, 1], [5 N]]}}",
     {-1, 0, 0.5, 1, 1.5, 3, 4, 5},
     {0, 0, 0.5, 1, 1.125, 5, 5, 5},
     8,
     {0, 1, 2, 4},
     4},
    {"{table: {times: [0, 1, 3], values: [0, 2 N, -2 N]}}",
     {-1, 0, 0.5, 1, 2, 3, 4},
     {0, 0, 1, 2, 0, -2, -2},
     7,
     {0, 1, 3},
     3},
    {"{table: {times: [0, 1, 2], values: [0, 1, 0], interpolation: cubic}}",
     {-1, 0, 0.5, 1, 1.5, 2, 3},
     {0, 0, 0.6875, 1, 0.6875, 0, 0},
     7,
     {0, 2},
     2},
    {"{table: {times: [0, 1], values: [0, 1], interpolation: cubic}}",
     {0.25, 0.5},
     {0.25, 0.5},
     2,
     {0, 1},
     2},
    {"{sum: [1 N, {ramp: {rate: 1 N/s, start: 2 s}}, {pulses: {amplitude: 1, start: 1, width: 2}}]}",
     {0, 1, 2.5, 3, 4},
     {1, 2, 2.5, 2, 3},
     5,
     {1, 2, 3},
     3},
    {"{product: [{sine: {amplitude: 2 N, omega: 3}}, {step5: {from: [0, 0], to: [2, 1]}}, {ramp: {rate: 1}}, "
     "0.5]}",
     {-1, 0},
     {0, 0},
     2,
     {0, 2},
     2},
    {"push", {0, 1}, {7, 8}, 2, {0}, 1},
};

/* The scenario around a profile. */
static cps_scenario *scenario_of(const char *profile_text) {
  char text[1000];
  cps_problems *problems = NULL;
  snprintf(
      text, sizeof text,
      "capstan: 1\nbodies: {b: {mass: 1}}\nrun: {until: 1}\n"
      "profiles: {push: {sum: [seven, {ramp: {rate: 1}}]}, seven: 7 N}\nloads: {f: {on: b, force: %s}}\n",
      profile_text);
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "made.yaml", NULL, 0, &problems);
  if (!s) {
    cps_problem_text(cps_problems_at(problems, 0), text, sizeof text);
    cps_problems_free(problems);
    fail_msg("%s", text);
  }
  return s;
}

/* Each test gets one profile with its sample. */
static void over_samples(void (*test)(const profile *, const sample *)) {
  for (int i = 0; i < ROWS(samples); i++) {
    cps_scenario *s = scenario_of(samples[i].text);
    test(s->loads[0].force, &samples[i]);
    cps_scenario_free(s);
  }
}

static void check_values(const profile *p, const sample *s) {
  for (int i = 0; i < s->n; i++) {
    double y = cps_profile_eval(p, s->t[i]).y;
    if (!(fabs(y - s->y[i]) < 1e-12)) fail_msg("%s at %g: %.17g, not %.17g", s->text, s->t[i], y, s->y[i]);
  }
}

static void check_breaks(const profile *p, const sample *s) {
  double t = -INFINITY;
  for (int i = 0; i < s->n_breaks; i++) {
    t = cps_profile_next_break(p, t);
    if (!(fabs(t - s->breaks[i]) < 1e-14))
      fail_msg("%s: break %d at %g, not %g", s->text, i, t, s->breaks[i]);
  }
  assert_true(cps_profile_next_break(p, t) == INFINITY);
  /* Exactly at a break the next one is meant; just before it, this one. */
  for (int i = 0; i < s->n_breaks; i++) {
    double at = s->breaks[i], before = nextafter(at, -INFINITY);
    assert_true(cps_profile_next_break(p, before) == at);
    assert_true(cps_profile_next_break(p, at) > at);
  }
}

/* Central differences of value and first derivative, at times that no break is near. */
static void check_derivatives(const profile *p, const sample *s) {
  const double h = 1e-4;
  for (double t = -2.013; t < 6; t += 0.0371) {
    double next = cps_profile_next_break(p, t - 2 * h);
    if (next <= t + 2 * h) continue;
    profile_value v = cps_profile_eval(p, t), a = cps_profile_eval(p, t - h), b = cps_profile_eval(p, t + h);
    double y_t = (b.y - a.y) / (2 * h), y_tt = (b.y_t - a.y_t) / (2 * h);
    double scale = 1 + fabs(v.y) + fabs(v.y_t) + fabs(v.y_tt);
    if (!(fabs(y_t - v.y_t) < 1e-6 * scale))
      fail_msg("%s: y_t(%g) = %.12g, not %.12g", s->text, t, v.y_t, y_t);
    if (!(fabs(y_tt - v.y_tt) < 1e-6 * scale))
      fail_msg("%s: y_tt(%g) = %.12g, not %.12g", s->text, t, v.y_tt, y_tt);
  }
}

/* Where there is no break, value and both derivatives are continuous: small steps make small changes. */
static void check_smoothness(const profile *p, const sample *s) {
  const double h = 1e-6;
  double t = -1;
  profile_value before = cps_profile_eval(p, t);
  for (int i = 0; i < 6000000; i += 97) {
    double now = -1 + i * h, next = cps_profile_next_break(p, t);
    profile_value v = cps_profile_eval(p, now);
    double change = fabs(v.y - before.y) + fabs(v.y_t - before.y_t) + fabs(v.y_tt - before.y_tt);
    if (next > now && change > 0.05) fail_msg("%s: a jump of %g near %g, and no break", s->text, change, now);
    before = v;
    t = now;
  }
}

/* At a break everything is as after it. */
static void check_sides(const profile *p, const sample *s) {
  for (int i = 0; i < s->n_breaks; i++) {
    profile_value at = cps_profile_eval(p, s->breaks[i]), after = cps_profile_eval(p, s->breaks[i] + 1e-9);
    double change = fabs(after.y - at.y) + fabs(after.y_t - at.y_t) + fabs(after.y_tt - at.y_tt);
    if (!(change < 1e-6)) fail_msg("%s: not as after the break at %g", s->text, s->breaks[i]);
  }
}

static void test_values(void **state) {
  (void)state;
  over_samples(check_values);
}

static void test_breaks(void **state) {
  (void)state;
  over_samples(check_breaks);
}

static void test_derivatives(void **state) {
  (void)state;
  over_samples(check_derivatives);
}

static void test_smoothness(void **state) {
  (void)state;
  over_samples(check_smoothness);
}

static void test_sides(void **state) {
  (void)state;
  over_samples(check_sides);
}

/* A solver that goes from break to break over many pulses meets each edge once, whatever the rounding. */
static void test_many_pulses(void **state) {
  (void)state;
  cps_scenario *s = scenario_of(
      "{pulses: {amplitude: 1 N, start: 0.1 s, width: 30 ms, period: 0.1 s, count: 100000}}");
  const profile *p = s->loads[0].force;
  double t = -INFINITY;
  long edges = 0;
  for (double next; (next = cps_profile_next_break(p, t)) < INFINITY; t = next) {
    edges++;
    double y = cps_profile_eval(p, next).y;
    assert_true(next > t);
    assert_true(y == (edges % 2 ? 1 : 0));
    assert_true(cps_profile_eval(p, nextafter(next, -INFINITY)).y == (edges % 2 ? 0 : 1));
  }
  assert_int_equal(edges, 200000);
  cps_scenario_free(s);
}

/* A natural spline through a cubic's points has no curvature at its ends and is smooth at the knots. */
static void test_spline(void **state) {
  (void)state;
  cps_scenario *s = scenario_of(
      "{table: {times: [0, 0.5, 1.5, 2, 4], values: [1, -1, 2, 0, 3], interpolation: cubic}}");
  const profile *p = s->loads[0].force;
  double knots[] = {0.5, 1.5, 2};
  assert_true(fabs(cps_profile_eval(p, 0).y_tt) < 1e-12);
  assert_true(fabs(cps_profile_eval(p, nextafter(4, 0)).y_tt) < 1e-12);
  for (int i = 0; i < ROWS(knots); i++) {
    profile_value a = cps_profile_eval(p, nextafter(knots[i], 0)), b = cps_profile_eval(p, knots[i]);
    assert_true(fabs(a.y - b.y) < 1e-12 && fabs(a.y_t - b.y_t) < 1e-12 && fabs(a.y_tt - b.y_tt) < 1e-12);
  }
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),     cmocka_unit_test(test_breaks), cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_smoothness), cmocka_unit_test(test_sides),  cmocka_unit_test(test_many_pulses),
      cmocka_unit_test(test_spline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
