/* stepping.c - simulations that are advanced from outside: inputs, columns, and states that are kept and put back.
 *
 * A state is what the lists of checkpoint.c name, one after the other, in one block of memory. Whatever a step reads has to be in
 * a list; what cannot be (histories of SUNDIALS, pivots) is forgotten whenever a state is taken, and in the simulation that it is
 * put into.
 */
#include "checkpoint.h"
#include "refusals.h"
#include "steppers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ inputs */

int cps_simulation_inputs(const cps_simulation *sim) { return sim->system->scenario->n_inputs; }

int cps_simulation_input(const cps_simulation *sim, const char *name) {
  const cps_scenario *s = sim->system->scenario;
  for (int i = 0; i < s->n_inputs; i++)
    if (strcmp(s->inputs[i].name, name) == 0) return i;
  return -1;
}

cps_status cps_simulation_input_at(const cps_simulation *sim, int i, cps_input *input) {
  const cps_scenario *s = sim->system->scenario;
  if (i < 0 || i >= s->n_inputs) return CPS_BAD_INPUT;
  *input = (cps_input){s->inputs[i].name, s->inputs[i].unit, s->inputs[i].path, s->inputs[i].start};
  return CPS_OK;
}

double cps_simulation_input_value(const cps_simulation *sim, int i) {
  return i < 0 || i >= cps_simulation_inputs(sim) ? NAN : cps_input_eval(&sim->inputs[i], sim->t).y;
}

/* A ramp that waits for the next stretch is one that never ends. */
cps_status cps_simulation_set(cps_simulation *sim, int i, double value, cps_hold_kind kind, cps_error *err) {
  const cps_scenario *s = sim->system->scenario;
  if (i < 0 || i >= s->n_inputs)
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "there is no input %d: this scenario has %d", i,
                         s->n_inputs);
  if (!isfinite(value))
    return cps_error_set(err, CPS_BAD_INPUT, NULL, "input \"%s\" cannot be %g %s", s->inputs[i].name, value,
                         s->inputs[i].unit);
  double now = cps_input_eval(&sim->inputs[i], sim->t).y;
  sim->values_known = 0;
  if (kind == CPS_RAMP) {
    sim->inputs[i] = (input_value){now, value, sim->t, INFINITY, sim->inputs[i].rate};
    return CPS_OK;
  }
  sim->inputs[i] = (input_value){value, value, -INFINITY, -INFINITY, sim->inputs[i].rate};
  if (value != now) sim->restart_due = 1;
  return CPS_OK;
}

/* Rates that differ by this part are the same. */
static const double SAME_RATE = 1e-9;

/* Of a motion, also the rate counts: that of a ramp starts and ends with a jump. */
int cps_input_is_motion(const scenario_input *input) {
  return strcmp(input->unit, "N") != 0 && strcmp(input->unit, "N m") != 0;
}

/* Ramps that wait go from here to `until`. */
static void start_ramps(cps_simulation *sim, double until, double same) {
  const cps_scenario *s = sim->system->scenario;
  for (int i = 0; i < s->n_inputs; i++) {
    input_value *in = &sim->inputs[i];
    double before = in->rate;
    if (in->until == INFINITY) {
      in->since = sim->t;
      in->until = until;
    } else if (in->until <= sim->t + same) { /* it has ended, or there was none */
      *in = (input_value){in->to, in->to, -INFINITY, -INFINITY, 0};
    }
    in->rate = in->until > in->since ? (in->to - in->from) / (in->until - in->since) : 0;
    if (cps_input_is_motion(&s->inputs[i]) &&
        fabs(in->rate - before) > SAME_RATE * fmax(fabs(in->rate), fabs(before)))
      sim->restart_due = 1;
  }
}

/* ------------------------------------------------------------------ columns */

double cps_simulation_time(const cps_simulation *sim) { return sim->t; }

int cps_simulation_column(const cps_simulation *sim, const char *name) {
  return cps_result_find(&sim->result, name);
}

const double *cps_simulation_values(cps_simulation *sim) {
  if (!sim->values) sim->values = calloc((size_t)sim->result.n_columns + 1, sizeof *sim->values);
  if (sim->values && !sim->values_known) cps_simulation_read_columns(sim);
  return sim->values;
}

double cps_simulation_get(cps_simulation *sim, int column) {
  if (column < 0 || column >= sim->result.n_columns) return NAN;
  if (column == 0 && sim->result.slot[0] == 0) return sim->t;
  const double *values = cps_simulation_values(sim);
  return values ? values[column] : NAN;
}

/* ------------------------------------------------------------------ steps */

/* No step of a method is longer than run.step, or than the whole run. */
static cps_status judge_length(const cps_simulation *sim, double until, cps_error *err) {
  const scenario_run *run = &sim->system->scenario->run;
  double longest = run->step > 0 ? run->step : run->until - run->from, n = (until - sim->t) / longest;
  if (!(longest > 0) || !(n > STEPS_MOST * (1 + 1e-6))) return CPS_OK;
  return cps_error_set(
      err, CPS_BAD_INPUT, NULL,
      "to go from t = %.9g s to %.9g s takes %.2g time steps or more, as none is longer than "
      "%.4g s (run.step, or the whole run), which nobody can wait for: at most %.0e",
      sim->t, until, n, longest, STEPS_MOST);
}

cps_status cps_simulation_step(cps_simulation *sim, double until, int flags, cps_outcome *outcome,
                               cps_error *err) {
  if (!isfinite(until)) return cps_error_set(err, CPS_BAD_INPUT, NULL, "a step cannot go to t = %g s", until);
  cps_status status = cps_simulation_ready(sim, err);
  double same = cps_driver_same(sim);
  if (status == CPS_OK && until < sim->t - same)
    status = cps_error_set(err, CPS_BAD_INPUT, NULL,
                           "a step cannot go back from t = %.9g s to %.9g s: restore a state, or reset",
                           sim->t, until);
  if (status == CPS_OK) status = judge_length(sim, until, err);
  cps_result *res = &sim->result;
  long steps = res->counters.steps, events = res->counters.events;
  if (status == CPS_OK) {
    if (sim->keep == 0) res->n_events = 0;
    sim->events_from = res->n_events;
    sim->steps_from = steps;
    if (until > sim->t + same) start_ramps(sim, until, same);
    sim->stop_at_event = flags & CPS_STEP_TO_EVENT;
    status = cps_driver_run(sim, until, 0, err);
    sim->stop_at_event = 0;
  }
  if (outcome)
    *outcome = (cps_outcome){sim->t, until - sim->t <= cps_driver_same(sim), sim->events_from,
                             res->counters.events - events, res->counters.steps - steps};
  return status;
}

/* ------------------------------------------------------------------ states */

static cps_status take_state(cps_simulation *sim, void *block, cps_error *err) {
  cps_status status = sim->stepper->forget ? sim->stepper->forget(sim->solver, err) : CPS_OK;
  if (status == CPS_OK) cps_state_write(sim, block);
  return status;
}

size_t cps_simulation_state_size(cps_simulation *sim, cps_error *err) {
  return cps_driver_make(sim, err) == CPS_OK ? cps_state_size(sim) : 0;
}

cps_status cps_simulation_state_get(cps_simulation *sim, void *block, cps_error *err) {
  cps_status status = cps_simulation_ready(sim, err);
  return status == CPS_OK ? take_state(sim, block, err) : status;
}

/* What has just been read is where it goes on from. */
static cps_status go_on(cps_simulation *sim, cps_error *err) {
  sim->values_known = 0;
  cps_status status = sim->stepper->begin(sim->solver, 1, err);
  if (status != CPS_OK) return status;
  free(sim->pending);
  sim->pending = NULL;
  sim->started = sim->begun = 1;
  return CPS_OK;
}

cps_status cps_simulation_state_set(cps_simulation *sim, const void *block, cps_error *err) {
  cps_status status = cps_driver_make(sim, err);
  if (status == CPS_OK) status = cps_state_read(sim, block, 0, err);
  return status == CPS_OK ? go_on(sim, err) : status;
}

cps_status cps_simulation_state_take(cps_simulation *sim, const void *block, size_t size, cps_error *err) {
  cps_status status = cps_driver_make(sim, err);
  if (status != CPS_OK) return status;
  size_t own = cps_state_size(sim);
  if (size != own)
    return cps_error_set(err, CPS_BAD_INPUT, NULL,
                         "this is no state of this simulation: it has %zu bytes, and not %zu", size, own);
  void *before = malloc(own);
  if (!before) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a state");
  cps_state_write(sim, before);
  status = cps_state_read(sim, block, 1, err);
  if (status == CPS_OK) status = go_on(sim, err);
  if (status != CPS_OK) {
    cps_state_read(sim, before, 0, NULL);
    sim->values_known = 0;
    if (sim->begun) sim->stepper->begin(sim->solver, 1, NULL);
  }
  free(before);
  return status;
}

cps_status cps_simulation_copy(cps_simulation *to, cps_simulation *from, cps_error *err) {
  size_t size = cps_simulation_state_size(from, err);
  if (size == 0) return err ? err->status : CPS_FAILED;
  void *block = malloc(size);
  if (!block) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a state");
  cps_status status = cps_simulation_state_get(from, block, err);
  if (status == CPS_OK) status = cps_simulation_state_set(to, block, err);
  free(block);
  return status;
}

int cps_simulation_same(cps_simulation *a, cps_simulation *b, char *name, size_t size) {
  const char *differs = "state";
  void *block = NULL;
  if (name && size > 0) name[0] = 0;
  if (cps_simulation_ready(a, NULL) == CPS_OK && cps_simulation_ready(b, NULL) == CPS_OK &&
      cps_state_size(a) == cps_state_size(b) && (block = malloc(cps_state_size(a)))) {
    cps_state_write(a, block);
    differs = cps_state_compare(b, block);
  }
  free(block);
  if (differs && name) snprintf(name, size, "%s", differs);
  return differs == NULL;
}

/* ------------------------------------------------------------------ starting over */

static void forget_result(cps_simulation *sim) {
  cps_result *res = &sim->result;
  res->rows = res->frames = res->n_events = 0;
  sim->values_known = 0;
}

/* A fresh simulation with what the user of another one has set; NULL after an error. */
static cps_simulation *make_fresh(const cps_simulation *sim, const cps_system *system, cps_error *err) {
  cps_simulation *fresh = cps_simulation_new(system, err);
  if (!fresh) return NULL;
  if (sim->row_times) cps_simulation_rows_at(fresh, sim->row_times, sim->n_row_times, sim->rows_only);
  if (cps_simulation_keep(fresh, sim->keep, err) != CPS_OK) {
    cps_simulation_free(fresh);
    return NULL;
  }
  fresh->shared = sim->shared;
  fresh->progress_every = sim->progress_every;
  fresh->checkpoint = sim->checkpoint;
  fresh->checkpoint_data = sim->checkpoint_data;
  fresh->event_rows = sim->event_rows;
  return fresh;
}

/* Puts it in place of the used one, which is freed. */
static void swap_in(cps_simulation *sim, cps_simulation *fresh) {
  cps_driver_free(sim); /* its workspace knows where the simulation is */
  cps_driver_free(fresh);
  cps_simulation old = *sim;
  *sim = *fresh;
  *fresh = old;
  cps_simulation_free(fresh);
}

static cps_status begin_afresh(cps_simulation *sim, const cps_system *system, cps_error *err) {
  cps_simulation *fresh = make_fresh(sim, system, err);
  if (!fresh) return err ? err->status : CPS_FAILED;
  swap_in(sim, fresh);
  return CPS_OK;
}

/* The scenario that a simulation was made for with n quantities changed, and its system; NULL after an error. */
static cps_system *vary(const cps_simulation *sim, const char *const *paths, const double *values, int n,
                        cps_scenario **scenario, cps_error *err) {
  cps_problems *problems = NULL;
  *scenario = cps_scenario_with(sim->shared->scenario, paths, values, n, &problems);
  if (!*scenario && err && cps_problems_count(problems) > 0) *err = *cps_problems_at(problems, 0);
  cps_problems_free(problems);
  cps_system *system = *scenario ? cps_system_new(*scenario, err) : NULL;
  if (!system) cps_scenario_free(*scenario);
  return system;
}

cps_status cps_simulation_reset(cps_simulation *sim, cps_error *err) {
  if (!sim->start_state) {
    cps_system *system = sim->own_system;
    cps_scenario *scenario = sim->own_scenario;
    sim->own_system = NULL;
    sim->own_scenario = NULL;
    cps_status status = begin_afresh(sim, system ? system : sim->shared, err);
    sim->own_system = system;
    sim->own_scenario = scenario;
    if (status == CPS_OK) status = cps_simulation_start(sim, err);
    if (status == CPS_OK) status = cps_driver_begin(sim, err);
    if (status != CPS_OK) return status;
    sim->start_state = malloc(cps_state_size(sim));
    if (!sim->start_state) return CPS_OK; /* the next time as this time */
    return take_state(sim, sim->start_state, err);
  }
  cps_status status = cps_simulation_state_set(sim, sim->start_state, err);
  if (status == CPS_OK) forget_result(sim);
  return status;
}

cps_status cps_simulation_reset_with(cps_simulation *sim, const char *const *paths, const double *values,
                                     int n, cps_error *err) {
  cps_scenario *scenario;
  cps_system *system = vary(sim, paths, values, n, &scenario, err);
  if (!system) return CPS_BAD_INPUT;
  cps_status status = begin_afresh(sim, system, err);
  if (status != CPS_OK) {
    cps_system_free(system);
    cps_scenario_free(scenario);
    return status;
  }
  sim->own_system = system;
  sim->own_scenario = scenario;
  return cps_simulation_start(sim, err);
}

/* ------------------------------------------------------------------ other values in the middle of a run */

int cps_path_tunable(const char *path) {
  /* of things of this kind what is at these keys, or below them */
  static const struct {
    const char *kind, *key;
  } may[] = {{"springs", "stiffness"},      {"springs", "damping"},    {"contacts", "normal"},
             {"contacts", "friction"},      {"loads", "force"},        {"drums", "drive.kp"},
             {"drums", "drive.kd"},         {"drums", "drive.torque"}, {"drums", "drive.setpoint"},
             {"drums", "bearing.friction"}, {"cables", "damping"},     {"cables", "contact.friction"}};
  size_t kind = strcspn(path, "."), name = path[kind] ? strcspn(path + kind + 1, ".") : 0;
  const char *key = path + kind + 1 + name;
  if (!path[kind] || *key++ != '.') return 0;
  for (size_t i = 0; i < sizeof may / sizeof may[0]; i++) {
    size_t n = strlen(may[i].key);
    if (strlen(may[i].kind) == kind && memcmp(path, may[i].kind, kind) == 0 &&
        strncmp(key, may[i].key, n) == 0 && (key[n] == 0 || key[n] == '.'))
      return 1;
  }
  return 0;
}

/* The state of one simulation into another, whose list of items must be the same. */
static cps_status take_over(cps_simulation *fresh, void *block, size_t size, cps_error *err) {
  if (cps_simulation_state_size(fresh, err) != size)
    return cps_error_set(err, CPS_BAD_INPUT, NULL,
                         "these values change what the state consists of: reset with them instead");
  cps_state_label(fresh, block);
  return cps_simulation_state_set(fresh, block, err);
}

/* One that has not started has no state but its inputs. */
static cps_status retune_unstarted(cps_simulation *sim, const char *const *paths, const double *values, int n,
                                   cps_error *err) {
  cps_scenario *scenario;
  cps_system *system = vary(sim, paths, values, n, &scenario, err);
  cps_simulation *fresh = system ? make_fresh(sim, system, err) : NULL;
  if (!fresh) {
    if (system) cps_scenario_free(scenario);
    cps_system_free(system);
    return err && err->status != CPS_OK ? err->status : CPS_BAD_INPUT;
  }
  memcpy(fresh->inputs, sim->inputs, (size_t)scenario->n_inputs * sizeof *sim->inputs);
  swap_in(sim, fresh);
  sim->own_system = system;
  sim->own_scenario = scenario;
  return CPS_OK;
}

cps_status cps_simulation_retune(cps_simulation *sim, const char *const *paths, const double *values, int n,
                                 cps_error *err) {
  if (!sim->started) return retune_unstarted(sim, paths, values, n, err);
  size_t size = cps_simulation_state_size(sim, err);
  void *block = size > 0 ? malloc(size) : NULL;
  cps_status status = !size    ? CPS_FAILED
                      : !block ? cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for a state")
                               : cps_simulation_state_get(sim, block, err);
  cps_scenario *scenario = NULL;
  cps_system *system = status == CPS_OK ? vary(sim, paths, values, n, &scenario, err) : NULL;
  cps_simulation *fresh = system ? make_fresh(sim, system, err) : NULL;
  if (status == CPS_OK) status = fresh ? take_over(fresh, block, size, err) : CPS_BAD_INPUT;
  if (status != CPS_OK) {
    cps_simulation_free(fresh);
    if (system) cps_scenario_free(scenario);
    cps_system_free(system);
    free(block);
    return status;
  }
  double before = cps_simulation_imbalance(sim);
  swap_in(sim, fresh);
  sim->own_system = system;
  sim->own_scenario = scenario;
  status = cps_simulation_state_set(sim, block, err);
  free(block);
  if (status != CPS_OK) return status;
  sim->initial_energy += cps_simulation_imbalance(sim) - before;
  sim->restart_due = 1;
  return CPS_OK;
}
