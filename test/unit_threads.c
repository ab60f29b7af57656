/* unit_threads.c - what several threads may do at the same time with one system: simulations of their own, other numbers, derivatives
 * of stretches; and batches. Each thread gets the numbers that one thread alone gets, to the bit; under the thread
 * sanitizer (scripts/tsan.sh) nothing races. */
#include "test.h"

#include "capstan.h"

#include <pthread.h>

static const char hoist[] =
    "capstan: 1\ngravity: [0, -9.81]\nbodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
    "drums: {pulley: {radius: 250 mm, center: [0, 0], inertia: 0.5 kg m2, drive: {torque: {input: u}}}}\n"
    "cables: {rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, "
    "elements: 8, path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right], contact: {at: nodes, "
    "normal: "
    "{hunt-crossley: {stiffness: 1e6, exponent: 1.5, damping: 1}}, friction: {cdq: {mu: 0.25, epsilon: 10 "
    "mm/s}}}}}\n"
    "run: {until: 1, solver: alpha, step: 1 ms}\n";
static const char cart[] =
    "capstan: 1\nbodies: {left: {mass: 2 kg}, right: {mass: 1 kg}}\n"
    "springs: {k: {between: [left, right], stiffness: 40 N/m, length: 0}}\n"
    "contacts: {floor: {between: [left, ground], normal: 20 N, friction: {coulomb: {mu: 0.3}}}}\n"
    "loads: {push: {on: right, force: {input: u}}}\nrun: {until: 1, solver: events}\n";

typedef struct job {
  const cps_system *system;
  int index;
  double out[3];
  cps_error err;
  int failed;
} job;

enum { JOBS = 6, TICKS = 12 };

static void *work(void *data) {
  job *j = data;
  const char *path = "bodies.left.mass";
  double mass = 10 + 0.1 * (j->index / 2), by = 0;
  cps_simulation *sim = cps_simulation_new(j->system, &j->err);
  j->failed = !sim || cps_simulation_keep(sim, 0, &j->err) != CPS_OK;
  if (!j->failed && j->index % 2)
    j->failed = cps_simulation_reset_with(sim, &path, &mass, 1, &j->err) != CPS_OK;
  cps_stretch *stretch = j->failed ? NULL : cps_stretch_new(sim, &path, 1, &j->err);
  j->failed |= !stretch;
  for (int k = 1; k <= TICKS && !j->failed; k++) {
    double u = j->index - 2 + 0.1 * k;
    j->failed = cps_simulation_set(sim, 0, u, CPS_HOLD, &j->err) != CPS_OK ||
                cps_stretch_step(stretch, 0.002 * k, NULL, &j->err) != CPS_OK;
  }
  if (!j->failed) {
    int n = cps_result_columns(cps_simulation_result(sim));
    double *weights = calloc((size_t)n, sizeof *weights), by_input = 0;
    for (int c = 0; c < n; c++) weights[c] = 1.0 / (c + 1);
    j->failed = cps_stretch_vjp(stretch, NULL, weights, NULL, &by_input, &by, &j->err) != CPS_OK;
    j->out[0] = cps_simulation_get(sim, 1);
    j->out[1] = by_input;
    j->out[2] = by;
    free(weights);
  }
  cps_stretch_free(stretch);
  cps_simulation_free(sim);
  return NULL;
}

static void threads_alone(void **state) {
  (void)state;
  const char *texts[] = {hoist, cart};
  for (int i = 0; i < 2; i++) {
    cps_error err = {0};
    cps_scenario *scenario = cps_scenario_parse(texts[i], strlen(texts[i]), "test", NULL, 0, NULL);
    assert_non_null(scenario);
    cps_system *system = cps_system_new(scenario, &err);
    if (!system) fail_msg("%s", err.text);
    job alone[JOBS] = {{0}}, together[JOBS] = {{0}};
    pthread_t thread[JOBS];
    for (int k = 0; k < JOBS; k++) {
      alone[k].system = together[k].system = system;
      alone[k].index = together[k].index = k;
      work(&alone[k]);
      if (alone[k].failed) fail_msg("%s", alone[k].err.text);
    }
    for (int k = 0; k < JOBS; k++) assert_int_equal(pthread_create(&thread[k], NULL, work, &together[k]), 0);
    for (int k = 0; k < JOBS; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < JOBS; k++) {
      if (together[k].failed) fail_msg("%s", together[k].err.text);
      assert_memory_equal(alone[k].out, together[k].out, sizeof alone[k].out);
    }
    cps_system_free(system);
    cps_scenario_free(scenario);
  }
}

/* Each simulation of a batch with a mass of its own, given by its thread. */
static void batch(void **state) {
  (void)state;
  enum { N = 5 };
  cps_error err = {0};
  const char *columns[] = {"bodies.right.y"}, *path = "bodies.left.mass";
  cps_scenario *scenario = cps_scenario_parse(hoist, strlen(hoist), "test", NULL, 0, NULL);
  cps_system *system = cps_system_new(scenario, &err);
  double in[N] = {0}, one[N], many[N];
  for (int threads = 1; threads <= 3; threads += 2) {
    cps_batch *b = cps_batch_new(system, N, threads, columns, 1, &err);
    if (!b) fail_msg("%s", err.text);
    for (int i = 0; i < N; i++) {
      double mass = 10 + 0.1 * i;
      assert_int_equal(cps_simulation_reset_with(cps_batch_at(b, i), &path, &mass, 1, &err), CPS_OK);
    }
    for (int k = 0; k < 5; k++)
      assert_int_equal(cps_batch_step(b, 0.004, in, CPS_RAMP, threads == 1 ? one : many, NULL, &err), CPS_OK);
    cps_batch_free(b);
  }
  assert_memory_equal(one, many, sizeof one);
  assert_true(one[0] != one[N - 1]);
  cps_system_free(system);
  cps_scenario_free(scenario);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_alone), cmocka_unit_test(batch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
