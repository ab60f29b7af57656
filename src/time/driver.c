/* driver.c - the one loop that drives every stepper: where steps end, what is recorded, when a checkpoint is possible.
 *
 * Steps end where something prescribed jumps, and at the time that is asked for. Times that are closer than a small part of a
 * step are one stop: a step as short as round-off would divide by nothing, and what is integrated over it has no digits. Of such
 * times that of the jump counts, since what is prescribed compares with that very number.
 *
 * Rows do not end steps: how often a run is looked at does not change it. A row within a step is either interpolated by the
 * method, or the end of a shorter step from the same start, which is then taken back.
 */
#include "checkpoint.h"
#include "step_notes.h"
#include "steppers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Times that differ by less than this part of a step are one. */
static const double SAME = 1e-9;

double cps_driver_same(const cps_simulation *sim) {
  const scenario_run *run = &sim->system->scenario->run;
  double step = run->step > 0 ? run->step : sim->h;
  return fmax(SAME * step, 4 * DBL_EPSILON * fabs(sim->t));
}

double cps_driver_longest(const cps_simulation *sim, double most) {
  return sim->longest_step > 0 ? fmin(sim->longest_step, most) : most;
}

cps_status cps_note(cps_simulation *sim, const step_note *note, cps_error *err) {
  return sim->follow.step ? sim->follow.step(sim, note, sim->follow.data, err) : CPS_OK;
}

/* ------------------------------------------------------------------ stops */

static double next_break(const cps_simulation *sim) { return cps_machine_next_break(sim->system, sim->t); }

/* The end of a ramp of an input that ends before it was meant to be set again; no later than `until`. */
static double next_bend(const cps_simulation *sim, double until, double same) {
  for (int i = 0; i < sim->system->scenario->n_inputs; i++) {
    double end = sim->inputs[i].until;
    if (end > sim->t + same && end < until) until = end;
  }
  return until;
}

static stop next_stop(const cps_simulation *sim, double until, int ends) {
  double same = cps_driver_same(sim);
  until = next_bend(sim, until, same);
  stop s = {.jump = next_break(sim), .end = ends ? until : INFINITY};
  double jump = sim->stepper->traits & STEPPER_PASSES_BREAKS ? INFINITY : s.jump;
  double first = fmin(jump, until);
  s.is_break = jump <= first + same;
  s.is_end = ends && until <= first + same;
  s.time = s.is_break && !s.is_end ? jump : until;
  return s;
}

/* ------------------------------------------------------------------ fixed steps */

/* Times that differ by less are the same for steps of h. */
static double same_on_grid(double h, double t) { return fmax(SAME * h, 4 * DBL_EPSILON * fabs(t)); }

/* The point of a grid that is nearest to t. */
static double nearest(double from, double h, double t) { return from + round((t - from) / h) * h; }

void cps_grid_snap(const scenario_run *run, double h, stop *stop) {
  double point = nearest(run->from, h, stop->time);
  if (!stop->is_break && !stop->is_end && fabs(point - stop->time) <= same_on_grid(h, point))
    stop->time = point;
}

double cps_grid_next(const scenario_run *run, double h, double t, double stop) {
  double same = same_on_grid(h, stop);
  int off = fabs(nearest(run->from, h, stop) - stop) > same;
  if (off && stop - t < 2 * h) return stop;
  double next = nearest(run->from, h, t);
  if (next <= t + same) next = run->from + (round((t - run->from) / h) + 1) * h;
  return next >= stop - same ? stop : next;
}

/* ------------------------------------------------------------------ rows */

/* Whether a row is due at the present time, which is the end of the run or not. */
static int row_due(const cps_simulation *sim, int is_end) {
  double interval = sim->system->scenario->run.output, same = cps_driver_same(sim);
  if (sim->keep == 0) return 0;
  if (cps_simulation_every_step(sim) || (is_end && !sim->rows_only)) return 1;
  return sim->t >= sim->next_output - (sim->row_times ? same : fmax(SAME * interval, same));
}

/* Whether a row lies clearly before t. */
static int row_passed(const cps_simulation *sim, double t) {
  if (sim->keep == 0) return 0;
  if (sim->row_times) return sim->next_output < t;
  double interval = sim->system->scenario->run.output;
  return interval > 0 && sim->next_output < t - SAME * interval;
}

/* Rows within the step that has just been made. */
static cps_status rows_between(cps_simulation *sim, cps_error *err) {
  double reached = sim->stepper->reached(sim->solver);
  cps_status status = CPS_OK;
  while (status == CPS_OK && row_passed(sim, reached)) {
    status = sim->stepper->between(sim->solver, sim->next_output, err);
    if (status == CPS_OK) status = cps_simulation_record(sim, err);
    if (status == CPS_OK) status = cps_simulation_report(sim, err);
  }
  return status;
}

/* ------------------------------------------------------------------ rows aside */

/* States that are kept for rows within a step: that at its start, and that at its end. */
enum { ASIDE_START, ASIDE_END, ASIDE_STATES };

/* What a row changes beside the state. */
typedef struct observed {
  double next_output, next_frame, largest_energy, open_energy;
  long output_index, rows;
  mesh_verdict mesh;
} observed;

static observed observe(const cps_simulation *sim) {
  return (observed){.next_output = sim->next_output,
                    .next_frame = sim->next_frame,
                    .largest_energy = sim->largest_energy,
                    .open_energy = sim->open_energy,
                    .output_index = sim->output_index,
                    .rows = sim->stint.rows,
                    .mesh = sim->mesh};
}

void cps_driver_go_to(cps_simulation *sim, const states_aside *a, int state) {
  observed o = observe(sim);
  cps_aside_put(a, state);
  sim->next_output = o.next_output;
  sim->next_frame = o.next_frame;
  sim->largest_energy = o.largest_energy;
  sim->open_energy = o.open_energy;
  sim->output_index = o.output_index;
  sim->stint.rows = o.rows;
  sim->mesh = o.mesh;
}

/* Whether the next row lies clearly before t. */
static int row_before(const cps_simulation *sim, double t) {
  double interval = sim->row_times ? 0 : sim->system->scenario->run.output, same = cps_driver_same(sim);
  return sim->keep != 0 && (sim->row_times || interval > 0) &&
         sim->next_output < t - fmax(SAME * interval, same);
}

/* The step as it will be, without telling the follower. */
static cps_status try_step(cps_simulation *sim, const stop *next, cps_error *err) {
  follower follow = sim->follow;
  sim->follow = (follower){0};
  sim->unheard = 1;
  cps_status status = sim->stepper->step(sim->solver, next, err);
  sim->unheard = 0;
  sim->follow = follow;
  return status;
}

/* From the start of a step to the row that is due within it, and back. */
static cps_status row_aside(cps_simulation *sim, const stop *next, cps_error *err) {
  stop row = {.time = sim->next_output, .jump = next->jump, .end = next->end};
  cps_status status = sim->follow.aside ? sim->follow.aside(sim, 1, sim->follow.data, err) : CPS_OK;
  sim->unheard = 1;
  while (status == CPS_OK && sim->t < row.time) status = sim->stepper->step(sim->solver, &row, err);
  sim->unheard = 0;
  if (status == CPS_OK) status = cps_simulation_record(sim, err);
  if (status == CPS_OK) status = cps_simulation_report(sim, err);
  if (status != CPS_OK) return status;
  cps_driver_go_to(sim, sim->aside, ASIDE_START);
  return sim->follow.aside ? sim->follow.aside(sim, 0, sim->follow.data, err) : CPS_OK;
}

static void tell_rows(const cps_simulation *sim, row_phase phase) {
  if (sim->stepper->rows) sim->stepper->rows(sim->solver, phase);
}

/* One step, before which the rows within it are recorded. Without a follower it is made once only. */
static cps_status step_past_rows(cps_simulation *sim, const stop *next, cps_error *err) {
  const stepper *how = sim->stepper;
  int passes = (how->traits & STEPPER_PASSES_BREAKS) && !sim->row_times;
  if (passes || !how->longest || !row_before(sim, fmin(next->time, sim->t + how->longest(sim->solver))))
    return how->step(sim->solver, next, err);
  if (!sim->aside) sim->aside = cps_aside_new(sim, ASIDE_STATES);
  if (!sim->aside) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for rows within steps");
  long events = sim->result.counters.events;
  cps_aside_take(sim->aside, ASIDE_START);
  tell_rows(sim, ROWS_AHEAD);
  cps_status status = try_step(sim, next, err);
  tell_rows(sim, status == CPS_OK ? ROWS_WITHIN : ROWS_DONE);
  if (status != CPS_OK) return status;
  double reached = sim->t;
  int again = sim->follow.step || sim->result.counters.events > events, any = row_before(sim, reached);
  if (any && !again) cps_aside_take(sim->aside, ASIDE_END);
  if (any || again) cps_driver_go_to(sim, sim->aside, ASIDE_START);
  while (status == CPS_OK && row_before(sim, reached)) status = row_aside(sim, next, err);
  tell_rows(sim, ROWS_DONE);
  if (status != CPS_OK) return status;
  if (again) return how->step(sim->solver, next, err);
  if (any) cps_driver_go_to(sim, sim->aside, ASIDE_END);
  return CPS_OK;
}

/* ------------------------------------------------------------------ the loop */

/* There is one: a system is not made if its solver cannot do what it asks for. */
static const stepper *stepper_of(const cps_simulation *sim) {
  const solver *how = cps_solver_find(sim->system->scenario->run.solver);
  if (sim->machine) return how->cables;
  return sim->system->n_lifts > 0 ? &cps_events : how->bodies;
}

cps_status cps_driver_make(cps_simulation *sim, cps_error *err) {
  if (sim->stepper) return CPS_OK;
  const stepper *how = stepper_of(sim);
  cps_status status = how->make(sim, &sim->solver, err);
  if (status == CPS_OK) sim->stepper = how;
  return status;
}

cps_status cps_driver_begin(cps_simulation *sim, cps_error *err) {
  if (sim->begun && !sim->pending) return CPS_OK;
  cps_status status = cps_driver_make(sim, err);
  if (status != CPS_OK) return status;
  int resumed = sim->pending != NULL;
  if (resumed) status = cps_checkpoint_resume(sim, err);
  sim->begun = 1;
  return status == CPS_OK ? sim->stepper->begin(sim->solver, resumed, err) : status;
}

void cps_driver_free(cps_simulation *sim) {
  if (sim->stepper) sim->stepper->free(sim->solver);
  cps_aside_free(sim->aside);
  sim->aside = NULL;
  sim->stepper = NULL;
  sim->solver = NULL;
  sim->begun = 0;
}

static cps_status offer_checkpoint(cps_simulation *sim, cps_error *err) {
  const stepper *how = sim->stepper;
  cps_status status = how->forget ? how->forget(sim->solver, err) : CPS_OK;
  return status == CPS_OK ? cps_checkpoint_offer(sim, err) : status;
}

/* One step, and all that happens at its end. */
static cps_status advance(cps_simulation *sim, const stop *next, cps_error *err) {
  const stepper *how = sim->stepper;
  long events = sim->result.counters.events;
  cps_status status = step_past_rows(sim, next, err);
  if (status == CPS_OK && how->between) status = rows_between(sim, err);
  if (status == CPS_OK && how->complete) status = how->complete(sim->solver, next, err);
  if (status == CPS_OK && sim->beside) status = cps_simulation_follow(sim, err);
  if (status == CPS_OK && sim->machine) status = cps_cable_events(sim, err);
  if (status != CPS_OK) return status;
  int there = sim->t == next->time, last = there && next->is_end;
  sim->stint.breaks += there && next->is_break;
  int anywhere = (how->traits & STEPPER_PASSES_BREAKS) || how->longest;
  int due = there || anywhere ? row_due(sim, last) : cps_simulation_every_step(sim);
  if (!there && sim->event_rows && (how->traits & STEPPER_ROW_AT_EVENTS))
    due |= sim->result.counters.events > events;
  if (due) status = cps_simulation_record(sim, err);
  if (there && next->is_break && (how->traits & STEPPER_ROW_FIRST)) sim->restart_due = 1;
  if (status == CPS_OK) status = cps_simulation_stepped(sim, err);
  if (status != CPS_OK || !cps_checkpoint_due(sim, how->checkpoint_steps)) return status;
  if (how->forget && (last || (how->ready && !how->ready(sim->solver)))) return CPS_OK;
  /* the history of backward differences is kept where no end of the run is near */
  if ((how->traits & STEPPER_INTERPOLATES) && next->end == INFINITY) return CPS_OK;
  return offer_checkpoint(sim, err);
}

cps_status cps_driver_run(cps_simulation *sim, double until, int ends, cps_error *err) {
  const stepper *how = sim->stepper;
  cps_status status = CPS_OK;
  stop next = {.time = -INFINITY};
  long events = sim->result.counters.events;
  sim->values_known = 0;
  while (status == CPS_OK && until - sim->t > (ends ? 0 : cps_driver_same(sim))) {
    if (sim->restart_due) {
      sim->restart_due = 0;
      if (how->restart) status = how->restart(sim->solver, err);
      if (status != CPS_OK) break;
    }
    if (sim->t >= next.time) {
      next = next_stop(sim, until, ends);
      if (how->snap) how->snap(sim->solver, &next);
    }
    status = advance(sim, &next, err);
    if (sim->stop_at_event && sim->result.counters.events > events) break;
  }
  if (how->count) how->count(sim->solver);
  return status;
}
