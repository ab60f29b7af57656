/* step.c - what it costs to step a simulation from outside: the call itself, a hoist at 1 kHz with its set point as input, a
 * state that is kept and put back, and a new start with another mass.
 *
 * The call is measured on one body with springs and steps of fixed length: the same steps made by one call and by one call
 * each differ by the calls alone. */
#include "pulley.h"
#include "scenario.h"

#include <math.h>
#include <stdlib.h>

static const char cart[] = "capstan: 1\nbodies: {cart: {mass: 1 kg}}\n"
                           "springs: {k: {between: [cart, ground], stiffness: 10 N/m, length: 0}}\n"
                           "loads: {push: {on: cart, force: {input: force}}}\n"
                           "run: {until: 1000 s, solver: rk4, step: 1 ms, output: 1000 s}\n";

enum { STEPS = 200000, TICKS = 2000, COPIES = 2000, RESETS = 100, BEST = 5 };
static const double TICK = 0.001; /* [s] */

typedef struct play {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
} play;

static void close_play(play *p) {
  cps_simulation_free(p->sim);
  cps_system_free(p->system);
  cps_scenario_free(p->scenario);
}

static play open_play(cps_scenario *scenario) {
  cps_error err = {0};
  play p = {.scenario = scenario};
  p.system = scenario ? cps_system_new(scenario, &err) : NULL;
  p.sim = p.system ? cps_simulation_new(p.system, &err) : NULL;
  if (!p.sim || cps_simulation_keep(p.sim, 0, &err) != CPS_OK) {
    fprintf(stderr, "bench: %s\n", scenario ? err.text : "a scenario is not good");
    exit(1);
  }
  return p;
}

static cps_scenario *hoist_scenario(void) {
  const char *setting[] = {"drums.pulley.drive.pd.setpoint={input: angle}"};
  cps_scenario *file = pulley_scenario(40, "cdq");
  cps_scenario *s = file ? cps_scenario_parse(file->text, file->length, "hoist", setting, 1, NULL) : NULL;
  cps_scenario_free(file);
  return s;
}

typedef enum calls { ONE_CALL, ONE_EACH, ONE_EACH_READ } calls;

/* Seconds per step of the cart, by one call for all, or one for each, with an input set before and a column read after it. */
static double time_cart(calls how) {
  double best = INFINITY;
  for (int run = 0; run < BEST; run++) {
    play p = open_play(cps_scenario_parse(cart, strlen(cart), "cart", NULL, 0, NULL));
    double sum = 0;
    cps_simulation_step(p.sim, TICK, 0, NULL, NULL);
    double start = seconds_now();
    if (how == ONE_CALL) cps_simulation_step(p.sim, TICK + STEPS * TICK, 0, NULL, NULL);
    for (int k = 1; how != ONE_CALL && k <= STEPS; k++) {
      cps_simulation_set(p.sim, 0, k & 1, CPS_HOLD, NULL);
      cps_simulation_step(p.sim, TICK + k * TICK, 0, NULL, NULL);
      if (how == ONE_EACH_READ) sum += cps_simulation_get(p.sim, 1);
    }
    double spent = (seconds_now() - start) / STEPS;
    if (isfinite(sum)) best = fmin(best, spent);
    close_play(&p);
  }
  return best;
}

/* Seconds per millisecond of the hoist, whose set point is told every millisecond, and whose load is read. */
static double time_hoist(cps_hold_kind kind, long *steps) {
  double best = INFINITY;
  for (int run = 0; run < BEST; run++) {
    play p = open_play(hoist_scenario());
    cps_outcome outcome;
    int y = cps_simulation_column(p.sim, "bodies.right.y");
    cps_simulation_step(p.sim, 0.1, 0, NULL, NULL);
    double start = seconds_now(), sum = 0;
    *steps = 0;
    for (int k = 1; k <= TICKS; k++) {
      cps_simulation_set(p.sim, 0, 0.1 * k / TICKS, kind, NULL);
      cps_simulation_step(p.sim, 0.1 + k * TICK, 0, &outcome, NULL);
      *steps += outcome.steps;
      sum += cps_simulation_get(p.sim, y);
    }
    double spent = (seconds_now() - start) / TICKS;
    if (isfinite(sum)) best = fmin(best, spent);
    close_play(&p);
  }
  return best;
}

/* Seconds to keep the state of the hoist and put it back. */
static double time_state(size_t *size) {
  play p = open_play(hoist_scenario());
  cps_simulation_step(p.sim, 0.1, 0, NULL, NULL);
  *size = cps_simulation_state_size(p.sim, NULL);
  void *block = malloc(*size);
  double start = seconds_now();
  for (int k = 0; block && k < COPIES; k++) {
    cps_simulation_state_get(p.sim, block, NULL);
    cps_simulation_state_set(p.sim, block, NULL);
  }
  double spent = (seconds_now() - start) / COPIES;
  free(block);
  close_play(&p);
  return spent;
}

/* Seconds of a new start with another mass, of which: reading the values; the model; the simulation; and statics. */
typedef struct restart {
  double all, values, model, state, statics;
} restart;

static restart time_restart(void) {
  restart best = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  const char *path = "bodies.left.mass";
  play p = open_play(pulley_scenario(40, "cdq"));
  for (int k = 0; k < RESETS; k++) {
    double value = 10 + 0.001 * k, t0 = seconds_now();
    if (cps_simulation_reset_with(p.sim, &path, &value, 1, NULL) != CPS_OK) exit(1);
    double t1 = seconds_now();
    best.all = fmin(best.all, t1 - t0);
    play fresh = {.scenario = cps_scenario_with(p.scenario, &path, &value, 1, NULL)};
    double t2 = seconds_now();
    fresh.system = cps_system_new(fresh.scenario, NULL);
    double t3 = seconds_now();
    fresh.sim = cps_simulation_new(fresh.system, NULL);
    double t4 = seconds_now();
    cps_simulation_start(fresh.sim, NULL);
    best.statics = fmin(best.statics, seconds_now() - t4);
    best.state = fmin(best.state, t4 - t3);
    best.model = fmin(best.model, t3 - t2);
    best.values = fmin(best.values, t2 - t1);
    close_play(&fresh);
  }
  close_play(&p);
  return best;
}

int main(void) {
  double whole = time_cart(ONE_CALL), each = time_cart(ONE_EACH), read = time_cart(ONE_EACH_READ);
  long held, ramped;
  size_t size;
  double hold = time_hoist(CPS_HOLD, &held), ramp = time_hoist(CPS_RAMP, &ramped), state = time_state(&size);
  restart r = time_restart();
  printf("cart, rk4, 1 ms a step: %.0f ns in one call, %.0f ns each by a call that sets an input, %.0f ns "
         "with a column read\n",
         1e9 * whole, 1e9 * each, 1e9 * read);
  printf("hoist of 40 elements at 1 kHz: %.1f us a millisecond with a jump of its input (%.2f steps), %.1f "
         "us with a ramp "
         "(%.2f steps)\n",
         1e6 * hold, (double)held / TICKS, 1e6 * ramp, (double)ramped / TICKS);
  printf("hoist: a state of %.1f kB is taken and put back in %.1f us\n", 1e-3 * (double)size, 1e6 * state);
  printf("hoist: another mass and a new start %.0f us: values %.0f us, model %.0f us, simulation %.0f us, "
         "statics %.0f us\n",
         1e6 * r.all, 1e6 * r.values, 1e6 * r.model, 1e6 * r.state, 1e6 * r.statics);
  int good = goal(each - whole < 1e-6, "a step from outside costs %.2f us beside the dynamics (%.0f us)",
                  1e6 * (each - whole), 1);
  good &= goal(ramp < 100e-6, "the hoist at 1 kHz takes %.1f us a millisecond (%.0f us)", 1e6 * ramp, 100);
  good &= goal(r.all - r.statics < 1e-3, "other values cost %.2f ms beside statics (%.0f ms)",
               1e3 * (r.all - r.statics), 1);
  return good ? 0 : 1;
}
