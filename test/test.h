/* test.h - what the tests share: random numbers, points at which laws are evaluated, tests over the whole
 * table.
 *
 * A test over the table is a function that gets one law as its state; over_laws() runs a list of them for
 * every law that cps_law_at() knows, so that nobody lists laws. Points are random, but the same in every run:
 * the seed comes from the name of the law, so that a new law does not move the points of the others.
 */
#ifndef CPS_TEST_H
#define CPS_TEST_H

#include "capstan.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)) && !defined(SANITIZED)
#define SANITIZED
#endif

/* Parameters of which derivatives are compared with differences of runs; the sanitizers see all there is to see with one. */
#ifdef SANITIZED
enum { COMPARED = 1 };
#else
enum { COMPARED = 1000 };
#endif

#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

#define ROWS(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ------------------------------------------------------------------ random numbers (splitmix64) */

typedef struct rng {
  uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r) {
  uint64_t x = r->state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* A stream of its own for each name and purpose. */
static inline rng rng_for(const char *name, uint64_t purpose) {
  rng r = {0xcbf29ce484222325u ^ purpose};
  for (; *name; name++) r.state = (r.state ^ (unsigned char)*name) * 0x100000001b3u;
  rng_next(&r);
  return r;
}

static inline double rng_uniform(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }
static inline double rng_between(rng *r, double lo, double hi) { return lo + (hi - lo) * rng_uniform(r); }
static inline double rng_log(rng *r, double lo, double hi) { return exp(rng_between(r, log(lo), log(hi))); }
static inline double rng_sign(rng *r) { return rng_next(r) >> 63 ? 1 : -1; }
static inline int rng_below(rng *r, int n) { return (int)(rng_next(r) >> 33) % n; }

/* ------------------------------------------------------------------ points */

/* Everything that a law's output depends on. */
typedef struct point {
  const cps_law *law;
  int mode;
  double v, n, f_eq;
  double z[CPS_MAX_STATES];
  double p[CPS_MAX_PARAMS];
} point;

static inline cps_law_input input_of(const point *x) {
  cps_law_input in = {x->v, x->n, x->f_eq, x->law->n_states ? x->z : NULL, x->mode};
  return in;
}

static inline void eval_at(const point *x, cps_law_output *out, cps_law_jacobian *jac) {
  cps_law_input in = input_of(x);
  cps_law_eval(x->law, x->p, &in, out, jac);
}

static inline int mode_at(const point *x) {
  cps_law_input in = input_of(x);
  return cps_law_mode(x->law, x->p, &in);
}

static inline cps_law_scale scale_at(const point *x) {
  cps_law_scale s;
  cps_law_scales(x->law, x->p, x->n, &s);
  return s;
}

/* The variables of a point, numbered: v, n, f_eq, the states, the parameters. */
enum { VAR_V, VAR_N, VAR_FEQ, VAR_Z };

static inline int count_variables(const cps_law *law) { return VAR_Z + law->n_states + law->n_params; }

static inline double *variable(point *x, int k) {
  if (k == VAR_V) return &x->v;
  if (k == VAR_N) return &x->n;
  if (k == VAR_FEQ) return &x->f_eq;
  k -= VAR_Z;
  return k < x->law->n_states ? &x->z[k] : &x->p[k - x->law->n_states];
}

static inline const char *variable_name(const cps_law *law, int k) {
  static const char *const first[] = {"v", "n", "f_eq"};
  if (k < VAR_Z) return first[k];
  k -= VAR_Z;
  return k < law->n_states ? law->states[k].name : law->params[k - law->n_states].name;
}

/* The entry of a row of derivatives that belongs to variable k. */
static inline double partial(const cps_law *law, const cps_partials *d, int k) {
  if (k == VAR_V) return d->v;
  if (k == VAR_N) return d->n;
  if (k == VAR_FEQ) return d->f_eq;
  k -= VAR_Z;
  return k < law->n_states ? d->z[k] : d->p[k - law->n_states];
}

/* The outputs in a row: f, then the state rates; and the derivatives of output i. */
static inline double output(const cps_law_output *out, int i) { return i == 0 ? out->f : out->z_t[i - 1]; }
static inline const cps_partials *output_row(const cps_law_jacobian *jac, int i) {
  return i == 0 ? &jac->f : &jac->z_t[i - 1];
}

static inline int is_one(const char *unit) { return strcmp(unit, "1") == 0; }

/* Prints a point in full. */
static inline void print_point(const point *x) {
  const cps_law *law = x->law;
  char mode[64];
  cps_law_mode_name(law, x->mode, mode, sizeof mode);
  print_error("law %s, mode %d (%s)\n  v = %.17g, n = %.17g, f_eq = %.17g", law->name, x->mode, mode, x->v,
              x->n, x->f_eq);
  for (int i = 0; i < law->n_states; i++) print_error(", %s = %.17g", law->states[i].name, x->z[i]);
  for (int i = 0; i < law->n_params; i++)
    print_error("%s%s = %.17g", i ? ", " : "\n  ", law->params[i].name, x->p[i]);
  print_error("\n");
}

/* Fails, saying where and what. */
#define FAIL_AT(x, ...)                                                                                      \
  do {                                                                                                       \
    print_point(x);                                                                                          \
    fail_msg(__VA_ARGS__);                                                                                   \
  } while (0)

/* Fails, saying of which law. */
#define FAIL_LAW(law, ...)                                                                                   \
  do {                                                                                                       \
    print_error("law %s: ", (law)->name);                                                                    \
    fail_msg(__VA_ARGS__);                                                                                   \
  } while (0)

/* ------------------------------------------------------------------ random points */

/* One parameter: anywhere in a narrow range; otherwise within a decade of the default; sometimes the default.
 */
static inline double draw_param(const cps_param *q, rng *r) {
  double choice = rng_uniform(r), x;
  if (choice < 0.15) return q->value;
  if (q->max - q->min <= 10)
    x = rng_between(r, q->min, q->max);
  else if (q->value == 0)
    x = rng_log(r, 1e-2, 10);
  else
    x = q->value * rng_log(r, 0.1, 10);
  return fmin(fmax(x, q->min), q->max);
}

/* Parameters that pass cps_law_check. */
static inline void draw_params(const cps_law *law, rng *r, double *p) {
  for (int attempt = 0; attempt < 1000; attempt++) {
    for (int i = 0; i < law->n_params; i++) p[i] = draw_param(&law->params[i], r);
    if (cps_law_check(law, p, NULL) == CPS_OK) return;
  }
  cps_law_defaults(law, p);
}

/* A magnitude to draw from, where the law gives one that is usable. */
static inline double usable(double x) { return x > 0 && x < 1e30 ? x : 1; }

/* A state inside its bound times `reach`, on both sides if it has a sign. */
static inline void draw_states(point *x, rng *r, double reach) {
  cps_law_scale s = scale_at(x);
  for (int i = 0; i < x->law->n_states; i++) {
    double bound = usable(s.z[i]);
    x->z[i] = bound * (rng_uniform(r) < 0.7 ? reach * rng_uniform(r) : rng_log(r, 1e-4, reach));
    if (x->law->states[i].parity < 0) x->z[i] *= rng_sign(r);
  }
}

/* A point where the law does something: parameters as they are in x, mode free. */
static inline void draw_inputs(point *x, rng *r) {
  x->mode = CPS_MODE_FREE;
  x->n = rng_log(r, 1e-3, 1e4);
  cps_law_scale s = scale_at(x);
  x->v = rng_sign(r) * usable(s.v_scale) * rng_log(r, 1e-3, 1e2);
  x->f_eq = usable(s.f_stick) * rng_between(r, -1.5, 1.5);
  draw_states(x, r, 1.2);
}

/* The same with random parameters. */
static inline void draw_point(const cps_law *law, rng *r, point *x) {
  memset(x, 0, sizeof *x);
  x->law = law;
  draw_params(law, r, x->p);
  draw_inputs(x, r);
}

/* ------------------------------------------------------------------ tests over the table */

typedef struct law_test {
  const char *name;
  void (*run)(void **law);
} law_test;

/* Runs every test for every law; the result is that of main. */
static MAYBE_UNUSED int over_laws(const char *group, const law_test *tests, int n_tests) {
  enum { NAME = 80 };
  int n = cps_law_count() * n_tests, k = 0;
  struct CMUnitTest *list = (struct CMUnitTest *)calloc((size_t)n, sizeof *list);
  char(*names)[NAME] = (char(*)[NAME])calloc((size_t)n, sizeof *names);
  if (!list || !names) {
    free(list);
    free(names);
    return 1;
  }
  for (int t = 0; t < n_tests; t++)
    for (int i = 0; i < cps_law_count(); i++, k++) {
      const cps_law *law = cps_law_at(i);
      snprintf(names[k], NAME, "%s: %s", law->name, tests[t].name);
      list[k].name = names[k];
      list[k].test_func = tests[t].run;
      list[k].initial_state = (void *)(uintptr_t)law;
    }
  int failed = _cmocka_run_group_tests(group, list, (size_t)n, NULL, NULL);
  free(list);
  free(names);
  return failed;
}

static inline const cps_law *law_of(void **state) { return (const cps_law *)*state; }

#endif
