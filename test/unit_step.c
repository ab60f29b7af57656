/* unit_step.c - simulations that are advanced from outside: pieces of a run, inputs, states, and what they cost. */
#include "memory.h"
#include "system.h"

#include "newton.h"
#include "step_notes.h"

/* ------------------------------------------------------------------ machines */

#define CART                                                                                                 \
  "capstan: 1\nbodies:\n  cart: {mass: 2 kg}\n  bob: {mass: 0.5 kg}\n"                                       \
  "surfaces: {belt: {velocity: %s}}\n"                                                                       \
  "springs: {rope: {between: [cart, bob], stiffness: 40 N/m, damping: 0.3 N s/m, length: 0}}\n"              \
  "contacts: {track: {between: [cart, belt], normal: %s, friction: %s}}\n"                                   \
  "loads: {push: {on: cart, force: %s}}\n"
#define SLIDING "{quinn: {mu: 0.1, epsilon: 0.05 m/s}}"
#define WINCH                                                                                                \
  "capstan: 1\ngravity: [0, -9.81]\nbodies:\n  left: {mass: 10 kg}\n  right: {mass: 10 kg}\n"                \
  "drums: {pulley: {radius: 250 mm, center: [0, 0], inertia: 0.5 kg m2, moved: {y: %s}, drive: %s}}\n"       \
  "cables: {rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, "      \
  "elements: 16, "                                                                                           \
  "path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right], contact: {at: nodes, normal: "             \
  "{hunt-crossley: "                                                                                         \
  "{stiffness: 1e6, exponent: 1.5, damping: 1}}, friction: {cdq: {mu: 0.25, epsilon: 10 mm/s, alpha: "       \
  "0.9}}}}}\n"                                                                                               \
  "loads: {push: {on: right, direction: [0, -1], force: %s}}\n"
#define PD       "{pd: {kp: 400 N m/rad, kd: 40 N m s/rad, setpoint: %s}}"
#define SETPOINT "{sine: {amplitude: 0.2 rad, omega: 3 rad/s}}"
#define MOVING                                                                                               \
  "capstan: 1\ngravity: [0, -9.81]\nbodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                   \
  "drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {ramp: {rate: 4 rad/s}}}}}\n"          \
  "cables: {rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, "      \
  "mesh: {size: 0.5 m, on_drums: 40 mm, follow: true}, path: [left, {hang: 2 m}, {over: pulley}, {hang: 2 "  \
  "m}, right], contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e6}}, friction: "                   \
  "{quinn: {mu: 0.5, epsilon: "                                                                              \
  "10 mm/s}}}}}\n"
#define LIFT                                                                                                 \
  "capstan: 1\ngravity: [0, -9.81]\nbodies: {left: {mass: 600 kg}, right: {mass: 1000 kg}}\n"                \
  "drums: {pulley: {radius: 0.3 m, center: [0, 10 m], drive: {rotation: {cycloid: {amplitude: 1 rad, "       \
  "duration: 1 s}}}}}\n"                                                                                     \
  "cables: {rope: {model: semi-analytical, EA: 4e7 N, EI: 10 N m2, mass_per_length: 2 kg/m, elements: 20, "  \
  "path: [left, {hang: 5 m}, {over: pulley}, {hang: 5 m}, right], contact: {at: nodes, normal: "             \
  "{hunt-crossley: {stiffness: 1e7, exponent: 1, damping: 1}}, friction: {coulomb: {mu: 0.5}}}}}\n"

typedef struct machine_text {
  const char *name;
  char text[2500];
  int fixed; /* steps of 0.1 ms */
} machine_text;

enum { CASES = 14 };

/* A machine for every stepper. */
static void all_cases(machine_text *m) {
  static const struct {
    const char *name, *kind, *run;
    int fixed;
  } rows[CASES] = {
      {"rk4", "cart", "solver: rk4, step: 0.1 ms", 1},
      {"body alpha, fixed", "cart", "solver: alpha, step: 0.1 ms", 1},
      {"body alpha", "cart", "solver: alpha", 0},
      {"body bdf", "cart", "solver: bdf", 0},
      {"events", "coulomb", "solver: events", 0},
      {"memory, alpha", "lugre", "solver: alpha, step: 0.1 ms", 1},
      {"memory, bdf", "gms", "solver: bdf", 0},
      {"cable alpha, fixed", "winch", "solver: alpha, step: 0.5 ms", 1},
      {"cable alpha", "winch", "solver: alpha, tolerance: 1e-8", 0},
      {"cable bdf", "winch", "solver: bdf, tolerance: 1e-9", 0},
      {"lift", "lift", "tolerance: 1e-8", 0},
      {"moving mesh", "moving", "solver: alpha, step: 0.5 ms", 1},
      {"guards, alpha", "gms", "solver: alpha, step: 0.1 ms", 1},
      {"guards beside a cable, alpha", "gms beside", "solver: alpha, step: 0.1 ms", 1},
  };
  for (int i = 0; i < CASES; i++) {
    const char *kind = rows[i].kind;
    size_t n = 0;
    m[i].name = rows[i].name;
    m[i].fixed = rows[i].fixed;
    if (strcmp(kind, "winch") == 0)
      n = (size_t)snprintf(m[i].text, sizeof m[i].text, WINCH, "0 m",
                           "{pd: {kp: 400 N m/rad, kd: 40 N m s/rad, setpoint: " SETPOINT "}}", "0 N");
    else if (strcmp(kind, "moving") == 0)
      n = (size_t)snprintf(m[i].text, sizeof m[i].text, MOVING);
    else if (strcmp(kind, "lift") == 0)
      n = (size_t)snprintf(m[i].text, sizeof m[i].text, LIFT);
    else
      n = (size_t)snprintf(m[i].text, sizeof m[i].text, CART, "0.1 m/s", "20 N",
                           strcmp(kind, "cart") == 0      ? SLIDING
                           : strcmp(kind, "coulomb") == 0 ? "{coulomb-static: {mu_s: 0.3, mu_d: 0.2}}"
                           : strncmp(kind, "gms", 3) == 0 ? "gms"
                                                          : "lugre",
                           "{sine: {amplitude: 8 N, omega: 9 rad/s}}");
    if (strcmp(kind, "gms beside") == 0)
      n += (size_t)snprintf(m[i].text + n, sizeof m[i].text - n,
                            "cables: {idle: {EA: 1 MN, EI: 0.01, mass_per_length: 1 kg/m, elements: 2,\n"
                            "                path: [{pinned: [100, 50]}, hang 1 m, free]}}\n");
    snprintf(m[i].text + n, sizeof m[i].text - n, "run: {until: 0.3, output: 10 ms, %s}\n", rows[i].run);
  }
}

typedef struct play {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
} play;

static play open_play(const char *text) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  play p = {cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems), NULL, NULL};
  if (!p.scenario) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  p.system = cps_system_new(p.scenario, &err);
  p.sim = p.system ? cps_simulation_new(p.system, &err) : NULL;
  if (!p.sim) fail_msg("%s", err.text);
  return p;
}

static void close_play(play *p) {
  cps_simulation_free(p->sim);
  cps_system_free(p->system);
  cps_scenario_free(p->scenario);
}

static void go(cps_simulation *sim, double until) {
  cps_error err = {0};
  if (cps_simulation_step(sim, until, 0, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
}

/* The largest difference of columns of two simulations, relative to 1; the first that differs to the bit in *first. */
static double differ(cps_simulation *a, cps_simulation *b, const char **first) {
  const cps_result *r = cps_simulation_result(a);
  const double *x = cps_simulation_values(a), *y = cps_simulation_values(b);
  double most = 0;
  *first = NULL;
  for (int c = 0; c < cps_result_columns(r); c++) {
    if (memcmp(&x[c], &y[c], sizeof x[c]) != 0 && !*first) *first = cps_result_name(r, c);
    const char *name = cps_result_name(r, c);
    if (strncmp(name, "bodies.", 7) == 0) most = fmax(most, fabs(x[c] - y[c]) / (1 + fabs(x[c])));
  }
  return most;
}

/* ------------------------------------------------------------------ rows */

/* The machine with rows at another interval. */
static void with_rows(const machine_text *m, const char *every, machine_text *out) {
  const char *at = strstr(m->text, "output: 10 ms");
  *out = *m;
  snprintf(out->text + (at - m->text), sizeof out->text - (size_t)(at - m->text), "output: %s%s", every,
           at + strlen("output: 10 ms"));
}

/* The row of a result that is nearest to a time; rk4 has rows on its grid. */
static long row_at(const cps_result *r, double t) {
  const double *time = cps_result_data(r, 0);
  long best = 0;
  for (long i = 1; i < cps_result_rows(r); i++)
    if (fabs(time[i] - t) < fabs(time[best] - t)) best = i;
  return best;
}

/* How often a run is looked at does not change it: it ends in the same bits, and rows at the same times are the same. */
static void rows_do_not_count(void **state) {
  (void)state;
  machine_text m[CASES];
  const char *const every[] = {"1 ms", "7 ms", "0.21 s", "1.7 ms"};
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play often = open_play(m[i].text);
    cps_error err = {0};
    if (cps_simulation_run(often.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", m[i].name, err.text);
    for (size_t k = 0; k < sizeof every / sizeof every[0]; k++) {
      machine_text other;
      with_rows(&m[i], every[k], &other);
      play seldom = open_play(other.text);
      if (cps_simulation_run(seldom.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", m[i].name, err.text);
      const char *first;
      double d = differ(often.sim, seldom.sim, &first);
      if (first)
        fail_msg("%s, rows every %s: %s does not end in the same bits (%g)", m[i].name, every[k], first, d);
      const cps_result *a = cps_simulation_result(often.sim), *b = cps_simulation_result(seldom.sim);
      long x = row_at(a, 0.21), y = row_at(b, 0.21);
      int place = cps_result_find(a, "time") + 1;
      int same = fabs(cps_result_data(a, 0)[x] - cps_result_data(b, 0)[y]) <= 1e-12; /* not so every 1.7 ms */
      for (int c = place; same && c < cps_result_columns(a); c++) {
        double u = cps_result_data(a, c)[x], v = cps_result_data(b, c)[y];
        if (strncmp(cps_result_name(a, c), "bodies.", 7) == 0 && !(fabs(u - v) <= 1e-9 * (1 + fabs(u))))
          fail_msg("%s, rows every %s: %s at 0.21 s is %.12g and %.12g", m[i].name, every[k],
                   cps_result_name(a, c), u, v);
      }
      close_play(&seldom);
    }
    close_play(&often);
  }
}

/* How far rows half-way between the ends of fixed steps stand out from those at the ends: the root mean square of fourth
 * differences, as laws have corners. */
static double stand_out(const machine_text *m, double h) {
  machine_text fine, out = *m;
  char rows[40], step[40];
  cps_error err = {0};
  double sum = 0;
  snprintf(rows, sizeof rows, "%.9g", h / 2);
  snprintf(step, sizeof step, "step: %.9g}\n", h);
  with_rows(m, rows, &fine);
  char *at = strstr(fine.text, "step: ");
  assert_non_null(at);
  *at = 0;
  snprintf(out.text, sizeof out.text, "%s%s", fine.text, step);
  play p = open_play(out.text);
  if (cps_simulation_run(p.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", m->name, err.text);
  const cps_result *r = cps_simulation_result(p.sim);
  long rows_of = cps_result_rows(r);
  assert_int_equal(rows_of, lround(0.3 / (h / 2)) + 1);
  for (int c = 1; c < cps_result_columns(r); c++) {
    const double *x = cps_result_data(r, c);
    if (strncmp(cps_result_name(r, c), "bodies.", 7) != 0) continue;
    for (long k = 2; k + 2 < cps_result_rows(r); k++)
      sum += pow(-x[k - 2] + 4 * x[k - 1] - 6 * x[k] + 4 * x[k + 1] - x[k + 2], 2);
  }
  close_play(&p);
  return sqrt(sum / (double)rows_of);
}

/* Rows within steps are as good as the steps: of the order of the method, which is two. */
static void rows_within_steps(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    if (strcmp(m[i].name, "body alpha, fixed") != 0 && strcmp(m[i].name, "cable alpha, fixed") != 0) continue;
    double h = strstr(m[i].name, "cable") ? 1e-3 : 5e-3, coarse = stand_out(&m[i], h),
           fine = stand_out(&m[i], h / 2);
    print_message("%s: rows within steps stand out by %.2g, with half the step by %.2g\n", m[i].name, coarse,
                  fine);
    if (!(coarse > 3 * fine)) fail_msg("%s: not of order two", m[i].name);
  }
}

/* ------------------------------------------------------------------ pieces of a run */

static void pieces(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play whole = open_play(m[i].text), cut = open_play(m[i].text);
    cps_error err = {0};
    if (cps_simulation_run(whole.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", m[i].name, err.text);
    for (int k = 1; k <= 300; k++) go(cut.sim, k * 0.001);
    const char *first;
    double d = differ(whole.sim, cut.sim, &first);
    if (m[i].fixed && first) fail_msg("%s: %s is not the same to the bit (%g)", m[i].name, first, d);
    if (!(d < 2e-5)) fail_msg("%s: pieces differ by %g", m[i].name, d);
    assert_int_equal(cps_result_rows(cps_simulation_result(cut.sim)), 31);
    /* past the end of the run */
    go(cut.sim, 0.35);
    assert_true(fabs(cps_simulation_time(cut.sim) - 0.35) < 1e-12);
    close_play(&whole);
    close_play(&cut);
  }
}

/* ------------------------------------------------------------------ states */

static void states(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play p = open_play(m[i].text);
    cps_error err = {0};
    cps_simulation *other = cps_simulation_new(p.system, &err);
    size_t size = cps_simulation_state_size(p.sim, &err);
    void *block = malloc(size);
    rng random = rng_for(m[i].name, 7);
    double t = 0;
    for (int k = 0; k < 4; k++) {
      t += rng_between(&random, 0, 0.04);
      double later = t + rng_between(&random, 0, 0.05);
      go(p.sim, t);
      char name[40];
      assert_int_equal(cps_simulation_state_get(p.sim, block, &err), CPS_OK);
      go(p.sim, later);
      double *once = malloc((size_t)cps_result_columns(cps_simulation_result(p.sim)) * sizeof(double));
      memcpy(once, cps_simulation_values(p.sim),
             (size_t)cps_result_columns(cps_simulation_result(p.sim)) * sizeof(double));
      /* onto another one, used since the second time, and onto itself */
      if (cps_simulation_state_set(other, block, &err) != CPS_OK) fail_msg("%s", err.text);
      assert_int_equal(cps_simulation_state_set(p.sim, block, &err), CPS_OK);
      assert_true(fabs(cps_simulation_time(other) - t) < 1e-12);
      go(other, later);
      go(p.sim, later);
      for (int c = 0; c < cps_result_columns(cps_simulation_result(p.sim)); c++) {
        double now = cps_simulation_get(p.sim, c), there = cps_simulation_get(other, c);
        if (memcmp(&now, &once[c], sizeof now) != 0 || memcmp(&there, &once[c], sizeof now) != 0)
          fail_msg("%s, t = %g to %g: %s is %.17g, %.17g, %.17g", m[i].name, t, later,
                   cps_result_name(cps_simulation_result(p.sim), c), once[c], now, there);
      }
      if (!cps_simulation_same(p.sim, other, name, sizeof name)) fail_msg("%s: %s differs", m[i].name, name);
      free(once);
      t = later;
    }
    assert_int_equal(cps_simulation_copy(other, p.sim, &err), CPS_OK);
    assert_true(cps_simulation_same(p.sim, other, NULL, 0));
    go(other, t + 0.01);
    assert_false(cps_simulation_same(p.sim, other, NULL, 0));
    /* back to the start */
    double x = cps_simulation_values(p.sim)[1];
    (void)x;
    assert_int_equal(cps_simulation_reset(other, &err), CPS_OK);
    assert_int_equal(cps_simulation_reset(p.sim, &err), CPS_OK);
    assert_true(cps_simulation_time(p.sim) == 0);
    go(p.sim, 0.02);
    go(other, 0.01);
    assert_int_equal(cps_simulation_reset(other, &err), CPS_OK);
    go(other, 0.02);
    const char *first;
    differ(p.sim, other, &first);
    if (first) fail_msg("%s: after a reset, %s is another", m[i].name, first);
    free(block);
    cps_simulation_free(other);
    close_play(&p);
  }
}

/* ------------------------------------------------------------------ forgotten members */

#ifndef SANITIZED
#include "aligned.h"

#include <malloc.h>

/* A new simulation that is ready to step, and the blocks of memory that it consists of. */
static cps_simulation *new_recorded(const cps_system *system, void **blocks, int *n) {
  cps_error err = {0};
  n_recorded = 0;
  recording = 1;
  cps_simulation *sim = cps_simulation_new(system, &err);
  if (!sim || cps_simulation_keep(sim, 0, &err) != CPS_OK || cps_simulation_state_size(sim, &err) == 0)
    fail_msg("%s", err.text);
  cps_simulation_values(sim);
  recording = 2;
  *n = n_recorded;
  memcpy(blocks, recorded, sizeof recorded);
  return sim;
}

/* Whether eight bytes are a number, and no pointer, counter or mode; they may be zero in a new simulation. */
static int is_number(const void *word, int may_be_zero) {
  double x;
  memcpy(&x, word, sizeof x);
  return isfinite(x) && (fabs(x) > 1e-250 || (may_be_zero && x == 0));
}

/* Where the numbers of a block begin: aligned ones (src/base/aligned.c) lie at another offset in every block. */
static char *start_of(void *block) {
  char *aligned = (char *)block + sizeof(void *);
  aligned += (CACHE_LINE - (uintptr_t)aligned % CACHE_LINE) % CACHE_LINE;
  int inside = aligned < (char *)block + malloc_usable_size(block);
  return inside && ((void **)(void *)aligned)[-1] == block ? aligned : block;
}

static size_t size_of(void *block) {
  return malloc_usable_size(block) - (size_t)(start_of(block) - (char *)block);
}

/* Spoils every number of a new simulation that steps have changed in another one like it; returns how many. */
static long spoil(void **fresh, void *const *used, int n) {
  const double poison = NAN;
  long spoilt = 0;
  for (int i = 0; i < n; i++) {
    if (!fresh[i] || !used[i]) continue;
    if (malloc_usable_size(fresh[i]) != malloc_usable_size(used[i])) continue;
    size_t size = size_of(fresh[i]) < size_of(used[i]) ? size_of(fresh[i]) : size_of(used[i]);
    for (size_t at = 0; at + 8 <= size; at += 8) {
      char *mine = start_of(fresh[i]) + at;
      const char *its = start_of(used[i]) + at;
      if (memcmp(mine, its, 8) == 0 || !is_number(its, 0) || !is_number(mine, 1)) continue;
      memcpy(mine, &poison, sizeof poison);
      spoilt++;
    }
  }
  return spoilt;
}

/* Whatever a step writes and a later one reads is in the state: a simulation in which all that steps write is spoilt goes on
 * from a state to the same bits as the one that it is the state of. */
static void nothing_forgotten(void **state) {
  (void)state;
  static void *fresh[RECORDED_MOST], *used[RECORDED_MOST];
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play p = open_play(m[i].text);
    cps_error err = {0};
    rng random = rng_for(m[i].name, 11);
    void *block = malloc(cps_simulation_state_size(p.sim, &err));
    double t = 0;
    assert_int_equal(cps_simulation_keep(p.sim, 0, &err), CPS_OK);
    for (int k = 0; k < 3; k++) {
      int n_fresh, n_used;
      cps_simulation *other = new_recorded(p.system, fresh, &n_fresh);
      cps_simulation *third = new_recorded(p.system, used, &n_used);
      assert_int_equal(n_fresh, n_used);
      go(third, rng_between(&random, 0.01, 0.1));
      memcpy(used, recorded, sizeof recorded); /* without blocks that are gone */
      recording = 0;
      t += rng_between(&random, 0, 0.05);
      double later = t + rng_between(&random, 0, 0.04);
      go(p.sim, t);
      assert_int_equal(cps_simulation_state_get(p.sim, block, &err), CPS_OK);
      long spoilt = spoil(fresh, used, n_fresh);
      if (spoilt < 10) fail_msg("%s: only %ld numbers were spoilt", m[i].name, spoilt);
      if (cps_simulation_state_set(other, block, &err) != CPS_OK) fail_msg("%s: %s", m[i].name, err.text);
      go(p.sim, later);
      go(other, later);
      const char *first;
      char name[40];
      differ(p.sim, other, &first);
      if (first) fail_msg("%s, t = %g to %g: %s is another", m[i].name, t, later, first);
      if (!cps_simulation_same(p.sim, other, name, sizeof name))
        fail_msg("%s, t = %g to %g: %s is another", m[i].name, t, later, name);
      cps_simulation_free(other);
      cps_simulation_free(third);
      t = later;
    }
    free(block);
    close_play(&p);
  }
}
#else
static void nothing_forgotten(void **state) { (void)state; }
#endif

/* ------------------------------------------------------------------ inputs */

/* The same motion by a profile of the file and by an input. */
typedef struct input_case {
  const char *name;
  const char *before, *after; /* around the quantity */
  const char *step,
      *ramp; /* the quantity as profiles: 1 from 0.05 to 0.1; to 1 until 0.05 and back until 0.1 */
} input_case;

static void make_case(char *text, size_t size, int i, const char *q, const char *run) {
  size_t n = 0;
  char drive[300];
  if (i == 0)
    n = (size_t)snprintf(text, size, CART, "0.1 m/s", "20 N", SLIDING, q);
  else if (i == 1)
    n = (size_t)snprintf(text, size, CART, q, "20 N", SLIDING, "5 N");
  else if (i == 2)
    n = (size_t)snprintf(text, size, CART, "0.1 m/s", q, SLIDING, "5 N");
  else if (i == 3)
    n = (size_t)snprintf(text, size, WINCH, "0 m", "fixed", q);
  else if (i == 4) {
    snprintf(drive, sizeof drive, "{torque: %s}", q);
    n = (size_t)snprintf(text, size, WINCH, "0 m", drive, "0 N");
  } else if (i == 5) {
    snprintf(drive, sizeof drive, PD, q);
    n = (size_t)snprintf(text, size, WINCH, "0 m", drive, "0 N");
  } else
    n = (size_t)snprintf(text, size, WINCH, q, "fixed", "0 N");
  snprintf(text + n, size - n, "run: {until: 0.15, output: 10 ms, %s}\n", run);
}

enum { QUANTITIES = 7 };
static const struct {
  const char *name, *unit;
  double size;
  int place; /* it may not jump */
} quantities[QUANTITIES] = {{"force on a body", "N", 6, 0},     {"velocity of a surface", "m/s", 0.5, 0},
                            {"normal force", "N", 10, 0},       {"force on a cable's end", "N", 20, 0},
                            {"torque of a drum", "N m", 10, 0}, {"set point", "rad", 0.05, 0},
                            {"centre of a drum", "m", 0.002, 1}};

static void compare_inputs(int i, const char *run, const char *solver) {
  const char *unit = quantities[i].unit;
  double size = quantities[i].size;
  for (int ramp = quantities[i].place; ramp < 2; ramp++) {
    char text[2500], q[300];
    if (ramp)
      snprintf(q, sizeof q, "{table: {times: [0, 0.02, 0.06, 0.1], values: [0, 0, %g, 0]}}", size);
    else
      snprintf(q, sizeof q, "{pulses: {amplitude: %g %s, start: 0.05 s, width: 0.05 s}}", size, unit);
    make_case(text, sizeof text, i, q, run);
    play file = open_play(text);
    make_case(text, sizeof text, i, "{input: {name: u, start: 0}}", run);
    play told = open_play(text);
    int u = cps_simulation_input(told.sim, "u");
    cps_input what;
    cps_error err = {0};
    assert_int_equal(u, 0);
    assert_int_equal(cps_simulation_input_at(told.sim, u, &what), CPS_OK);
    assert_string_equal(what.unit, unit);
    go(file.sim, 0.15);
    double moved = 0;
    for (int k = 1; k <= 150; k++) {
      double t = k * 0.001,
             value = !ramp ? (k > 50 && k <= 100 ? size : 0) : size * fmax(0, 1 - fabs(t - 0.06) / 0.04);
      cps_simulation_set(told.sim, u, value, ramp ? CPS_RAMP : CPS_HOLD, &err);
      go(told.sim, t);
    }
    const char *first;
    double d = differ(file.sim, told.sim, &first);
    if (!(d < 2e-5)) fail_msg("%s, %s, %s: %g off", quantities[i].name, solver, ramp ? "ramp" : "step", d);
    /* and it does something */
    play alone = open_play(text);
    go(alone.sim, 0.15);
    moved = differ(alone.sim, told.sim, &first);
    if (!(moved > 100 * d && moved > 1e-6)) fail_msg("%s, %s: only %g", quantities[i].name, solver, moved);
    close_play(&alone);
    close_play(&file);
    close_play(&told);
  }
}

static void inputs(void **state) {
  (void)state;
  static const char *const body[] = {"rk4, step: 0.1 ms", "alpha, step: 0.1 ms", "bdf, tolerance: 1e-9"};
  static const char *const cable[] = {"alpha, step: 0.25 ms", "bdf, tolerance: 1e-9"};
  for (int i = 0; i < QUANTITIES; i++) {
    for (int k = 0; k < (i < 3 ? ROWS(body) : ROWS(cable)); k++) {
      char run[80];
      snprintf(run, sizeof run, "solver: %s", i < 3 ? body[k] : cable[k]);
      compare_inputs(i, run, i < 3 ? body[k] : cable[k]);
    }
  }
}

/* By path; and what is wrong with inputs is said. */
static void input_paths(void **state) {
  (void)state;
  char text[2500];
  size_t n = (size_t)snprintf(text, sizeof text, CART, "0.1 m/s", "20 N", SLIDING, "5 N");
  snprintf(text + n, sizeof text - n, "run: {until: 1}\n");
  play p = open_play(text);
  cps_error err = {0};
  const char *paths[] = {"loads.push.force", "contacts.track.normal"}, *wrong = "bodies.cart.mass";
  cps_scenario *s = cps_scenario_with_inputs(p.scenario, paths, 2, &err);
  if (!s) fail_msg("%s", err.text);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = cps_simulation_new(system, &err);
  assert_int_equal(cps_simulation_inputs(sim), 2);
  int u = cps_simulation_input(sim, "loads_push_force");
  assert_true(cps_simulation_input_value(sim, u) == 5);
  go(sim, 0.1);
  go(p.sim, 0.1);
  const char *first;
  assert_true(differ(sim, p.sim, &first) < 1e-7);
  assert_null(cps_scenario_with_inputs(p.scenario, &wrong, 1, &err));
  assert_int_equal(cps_simulation_set(sim, 7, 1, CPS_HOLD, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_simulation_set(sim, u, NAN, CPS_HOLD, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_simulation_step(sim, NAN, 0, NULL, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_simulation_step(sim, 0.05, 0, NULL, &err), CPS_BAD_INPUT);
  assert_int_equal(cps_simulation_step(sim, 0.1 + 1e-17, 0, NULL, &err), CPS_OK);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  close_play(&p);
  /* one name with two units */
  snprintf(text, sizeof text, CART "run: {until: 1}\n", "{input: u}", "20 N", SLIDING, "{input: u}");
  cps_problems *problems = NULL;
  assert_null(cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems));
  assert_non_null(strstr(cps_problems_at(problems, 0)->text, "another name"));
  cps_problems_free(problems);
}

/* Two simulations of one system do not see each other's inputs, and episodes repeat to the bit. */
static void own_inputs(void **state) {
  (void)state;
  char text[2500];
  make_case(text, sizeof text, 4, "{input: u}", "solver: alpha");
  play p = open_play(text);
  cps_error err = {0};
  cps_simulation *other = cps_simulation_new(p.system, &err);
  /* a reset simulation has started with the inputs at their start values; this one does the same */
  assert_int_equal(cps_simulation_start(p.sim, &err), CPS_OK);
  for (int k = 1; k <= 20; k++) {
    cps_simulation_set(p.sim, 0, k % 3, CPS_HOLD, &err);
    cps_simulation_set(other, 0, -k % 5, CPS_RAMP, &err);
    go(p.sim, 0.002 * k);
    go(other, 0.002 * k);
  }
  const char *first;
  assert_true(differ(p.sim, other, &first) > 1e-6);
  assert_int_equal(cps_simulation_reset(other, &err), CPS_OK);
  for (int k = 1; k <= 20; k++) {
    cps_simulation_set(other, 0, k % 3, CPS_HOLD, &err);
    go(other, 0.002 * k);
  }
  differ(p.sim, other, &first);
  if (first) fail_msg("%s is another in the second episode", first);
  cps_simulation_free(other);
  close_play(&p);
}

/* ------------------------------------------------------------------ results, memory, events */

static void kept_rows(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  play p = open_play(m[8].text);
  cps_error err = {0};
  const cps_result *r = cps_simulation_result(p.sim);
  assert_int_equal(cps_simulation_keep(p.sim, 4, &err), CPS_OK);
  go(p.sim, 0.2);
  assert_in_range(cps_result_rows(r), 4, 8);
  assert_true(fabs(cps_result_data(r, 0)[cps_result_rows(r) - 1] - 0.2) < 1e-12);
  assert_true(fabs(cps_result_data(r, 0)[cps_result_rows(r) - 4] - 0.17) < 1e-12);
  assert_int_equal(cps_simulation_keep(p.sim, 0, &err), CPS_OK);
  go(p.sim, 0.25);
  assert_int_equal(cps_result_rows(r), 0);
  assert_int_equal(cps_simulation_keep(p.sim, -1, &err), CPS_OK);
  go(p.sim, 0.3);
  assert_int_equal(cps_result_rows(r), 5);
  close_play(&p);
}

static void no_memory(void **state) {
  (void)state;
#ifndef SANITIZED
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play p = open_play(m[i].text);
    cps_error err = {0};
    for (int keep = 0; keep < 2; keep++) {
      assert_int_equal(cps_simulation_keep(p.sim, 3 * keep, &err), CPS_OK);
      go(p.sim, 0.01 + 0.1 * keep);
      cps_simulation_values(p.sim);
      long before = calls;
      for (int k = 0; k < 50; k++) {
        go(p.sim, 0.01 + 0.1 * keep + k * 0.001);
        cps_simulation_values(p.sim);
      }
      if (calls != before) fail_msg("%s: %ld allocations", m[i].name, calls - before);
    }
    close_play(&p);
  }
#endif
}

static void stops_at_events(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 4; i < 7; i++) {
    play p = open_play(m[i].text), q = open_play(m[i].text);
    cps_error err = {0};
    cps_outcome out = {0};
    long events = 0;
    double t = -1;
    assert_int_equal(cps_simulation_keep(q.sim, 0, &err), CPS_OK);
    while (cps_simulation_step(q.sim, 0.3, CPS_STEP_TO_EVENT, &out, &err) == CPS_OK && !out.reached) {
      assert_true(out.events > 0 && out.time >= t && out.time < 0.3);
      const cps_event *e = cps_result_event(cps_simulation_result(q.sim), out.first_event);
      assert_non_null(e);
      assert_true(e->time <= out.time && e->time > t - 1e-12);
      events += out.events;
      t = out.time;
    }
    assert_true(out.reached);
    events += out.events;
    assert_int_equal(cps_simulation_step(p.sim, 0.3, 0, &out, &err), CPS_OK);
    if (i != 5 && !(events > 1)) fail_msg("%s: %ld events", m[i].name, events);
    assert_int_equal(out.events, events);
    close_play(&p);
    close_play(&q);
  }
}

/* A cable that begins to slip on its drum as a whole, and one that goes slack, end a step. */
static void stops_at_cable_events(void **state) {
  (void)state;
  static const struct {
    double push;
    const char *what;
  } rows[] = {{400, "pulley: sticks -> slips"}, {-250, "taut -> slack"}};
  for (int i = 0; i < 2; i++) {
    char text[2500];
    cps_error err = {0};
    cps_outcome out = {0};
    make_case(text, sizeof text, 3, "{input: push}", "solver: alpha, step: 0.5 ms");
    play p = open_play(text);
    assert_int_equal(cps_simulation_keep(p.sim, 0, &err), CPS_OK);
    assert_int_equal(cps_simulation_step(p.sim, 0.02, CPS_STEP_TO_EVENT, &out, &err), CPS_OK);
    assert_true(out.reached && out.events == 0);
    assert_int_equal(cps_simulation_set(p.sim, 0, rows[i].push, CPS_HOLD, &err), CPS_OK);
    const cps_event *e = NULL;
    for (int k = 0; k < 20 && !(e && strcmp(e->what, rows[i].what) == 0); k++) {
      assert_int_equal(cps_simulation_step(p.sim, 0.5, CPS_STEP_TO_EVENT, &out, &err), CPS_OK);
      if (out.reached) fail_msg("nothing happens: %s", rows[i].what);
      assert_true(out.events > 0);
      e = cps_result_event(cps_simulation_result(p.sim), out.first_event);
    }
    assert_string_equal(e->what, rows[i].what);
    assert_string_equal(e->contact_name, "rope");
    assert_true(e->time == out.time && e->contact == -1);
    /* it slips indeed: friction is used up along the whole arc; or nothing pulls */
    int margin = cps_simulation_column(p.sim, "cables.rope.pulley.margin"),
        tension = cps_simulation_column(p.sim, "cables.rope.tension_end");
    assert_true(margin > 0 && tension > 0);
    if (i == 0) assert_true(cps_simulation_get(p.sim, margin) < 0.05);
    if (i == 1) assert_true(cps_simulation_get(p.sim, tension) < 10);
    close_play(&p);
  }
}

/* ------------------------------------------------------------------ stops */

static double shortest;
static cps_status watch(cps_simulation *sim, const void *what, void *data, cps_error *err) {
  (void)data, (void)err;
  if (sim->machine) {
    const cable_note *note = what;
    if (!note->begins && !note->released) shortest = fmin(shortest, note->h);
  } else {
    const step_note *note = what;
    if (note->kind == NOTE_RK || note->kind == NOTE_ALPHA) shortest = fmin(shortest, note->h);
  }
  return CPS_OK;
}

/* A kink and a row one unit in the last place apart: 35 * 0.01 is not 0.35. */
static void near_stops(void **state) {
  (void)state;
  static const char *const runs[] = {"solver: alpha", "solver: alpha, step: 1 ms", "solver: bdf"};
  assert_true(35 * 0.01 != 0.35);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < ROWS(runs); k++) {
      char text[2500], run[200];
      snprintf(run, sizeof run, "%s", runs[k]);
      make_case(text, sizeof text, i ? 4 : 0, "{table: {times: [0, 0.35, 1], values: [0, 1, 0]}}", run);
      char *until = strstr(text, "until: 0.15");
      memcpy(until, "until: 0.40", 11);
      play p = open_play(text);
      cps_error err = {0};
      shortest = 1;
      p.sim->follow = (follower){.step = watch};
      if (cps_simulation_run(p.sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s", err.text);
      if (!(shortest > 1e-9)) fail_msg("%s: a step of %g s", runs[k], shortest);
      assert_int_equal(cps_result_rows(cps_simulation_result(p.sim)), 41);
      close_play(&p);
    }
}

/* Stops at the third report. */
static int third_report(const cps_progress *p, void *data) {
  (void)p;
  return ++*(int *)data == 3;
}

/* A step that is stopped ends where it has come to, and the next one goes on to the same bits. */
static void stopped_steps(void **state) {
  (void)state;
  static const char text[] =
      "capstan: 1\n"
      "bodies: {block: {mass: 1 kg, v: 2 m/s}}\n"
      "springs: {k: {between: [block, ground], stiffness: 50 N/m}}\n"
      "contacts: {c: {between: [block, ground], normal: 3 N, friction: {tanh: {v_t: 1 mm/s}}}}\n"
      "run: {until: 20 s, output: 1 s, solver: alpha, step: 1 ms}\n";
  play a = open_play(text), b = open_play(text);
  cps_error err = {0};
  cps_outcome o;
  int reports = 0;
  cps_simulation_on_progress(a.sim, third_report, &reports);
  assert_int_equal(cps_simulation_step(a.sim, 15, 0, &o, &err), CPS_FAILED);
  assert_non_null(strstr(err.text, "stopped on request"));
  assert_int_equal(reports, 3);
  assert_true(o.time > 0 && o.time < 15 && !o.reached && o.time == cps_simulation_time(a.sim));
  cps_simulation_on_progress(a.sim, NULL, NULL);
  go(a.sim, 15);
  go(b.sim, 15);
  assert_int_equal(reports, 3);
  const char *first;
  differ(a.sim, b.sim, &first);
  if (first) fail_msg("%s is another", first);
  close_play(&a);
  close_play(&b);
}

/* ------------------------------------------------------------------ other parameters, batches */

static void other_values(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 1; i <= 7; i += 6) {
    play p = open_play(m[i].text);
    cps_error err = {0};
    const char *path = i == 1 ? "bodies.cart.mass" : "bodies.left.mass", *bad = "bodies.nobody.mass";
    double value = i == 1 ? 3 : 10.2;
    go(p.sim, 0.05);
    assert_int_equal(cps_simulation_reset_with(p.sim, &path, &value, 1, &err), CPS_OK);
    go(p.sim, 0.1);
    cps_scenario *s = cps_scenario_with(p.scenario, &path, &value, 1, NULL);
    cps_system *system = cps_system_new(s, &err);
    cps_simulation *sim = cps_simulation_new(system, &err);
    go(sim, 0.1);
    const char *first;
    differ(p.sim, sim, &first);
    if (first) fail_msg("%s differs", first);
    assert_int_equal(cps_simulation_reset(p.sim, &err), CPS_OK); /* keeps the value */
    go(p.sim, 0.1);
    differ(p.sim, sim, &first);
    if (first) fail_msg("%s differs", first);
    assert_int_equal(cps_simulation_reset_with(p.sim, &bad, &value, 1, &err), CPS_BAD_INPUT);
    go(p.sim, 0.12); /* as if nothing had been said */
    cps_simulation_free(sim);
    cps_system_free(system);
    cps_scenario_free(s);
    close_play(&p);
  }
}

static void batches(void **state) {
  (void)state;
  char text[2500];
  make_case(text, sizeof text, 4, "{input: u}", "solver: alpha");
  play p = open_play(text);
  enum { N = 7 };
  const char *columns[] = {"time", "bodies.right.y"};
  cps_error err = {0};
  double in[N], one[N][2], many[N][2];
  cps_status status[N];
  for (int threads = 1; threads <= 3; threads += 2) {
    cps_batch *b = cps_batch_new(p.system, N, threads, columns, 2, &err);
    if (!b) fail_msg("%s", err.text);
    double(*out)[2] = threads == 1 ? one : many;
    for (int k = 0; k < 10; k++) {
      for (int i = 0; i < N; i++) in[i] = i - 3;
      assert_int_equal(cps_batch_step(b, 0.002, in, CPS_HOLD, out[0], status, &err), CPS_OK);
    }
    cps_batch_free(b);
  }
  assert_memory_equal(one, many, sizeof one);
  for (int i = 0; i < N; i++) assert_true(fabs(one[i][0] - 0.02) < 1e-12);
  assert_true(one[0][1] != one[6][1]);
  const char *nothing = "no.such.column";
  assert_null(cps_batch_new(p.system, 2, 1, &nothing, 1, &err));
  close_play(&p);
}

/* What no method gets to in time is refused at once, and changes nothing. */
static void endless_steps(void **state) {
  (void)state;
  machine_text m[CASES];
  all_cases(m);
  for (int i = 0; i < CASES; i++) {
    play p = open_play(m[i].text);
    cps_error err = {0};
    const double far[] = {1e308, 1e15, INFINITY, NAN};
    go(p.sim, 0.01);
    for (int k = 0; k < 4; k++) {
      assert_int_equal(cps_simulation_step(p.sim, far[k], 0, NULL, &err), CPS_BAD_INPUT);
      assert_true(fabs(cps_simulation_time(p.sim) - 0.01) < 1e-9);
    }
    assert_non_null(strstr(err.text, "nan"));
    go(p.sim, 0.02);
    close_play(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_not_count),
                                     cmocka_unit_test(endless_steps),
                                     cmocka_unit_test(rows_within_steps),
                                     cmocka_unit_test(pieces),
                                     cmocka_unit_test(states),
                                     cmocka_unit_test(inputs),
                                     cmocka_unit_test(input_paths),
                                     cmocka_unit_test(own_inputs),
                                     cmocka_unit_test(kept_rows),
                                     cmocka_unit_test(no_memory),
                                     cmocka_unit_test(stops_at_events),
                                     cmocka_unit_test(near_stops),
                                     cmocka_unit_test(stopped_steps),
                                     cmocka_unit_test(other_values),
                                     cmocka_unit_test(batches),
                                     cmocka_unit_test(nothing_forgotten),
                                     cmocka_unit_test(stops_at_cable_events)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
