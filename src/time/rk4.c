/* rk4.c - the classical Runge-Kutta method with a fixed step, as in Quinn's studies.
 *
 * Nothing is located: laws with modes and no memory choose their branch at every stage, laws with memory
 * settle their modes after every step. The last step before the end is shortened; outputs fall on the first
 * step at or after their time. Where rows are wanted at given times, a step that would pass one is made in two.
 */
#include "step_notes.h"
#include "steppers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cps_solver_release(cps_simulation *sim) {
  if (sim->work.held == 0) return;
  const cps_system *s = sim->system;
  const cps_scenario *sc = s->scenario;
  for (int i = 0; i < sc->n_bodies; i++) {
    const scenario_body *b = &sc->bodies[i];
    if (b->kind == BODY_SURFACE || sim->work.inverse_mass[s->body_q[i]] != 0 || sim->t < b->held_until)
      continue;
    for (int j = 0; j < (b->kind == BODY_PLANE ? 2 : 1); j++) {
      sim->y[s->nx + s->body_q[i] + j] = b->v[j];
      sim->y[2 * s->nx + s->nz + s->nc + 2] += b->mass * b->v[j] * b->v[j] /
                                               2; /* whoever gives it that does work */
    }
  }
  cps_system_hold(s, &sim->work, sim->t);
}

const rk_table cps_rk4_table = {
    4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

cps_status cps_note(cps_simulation *sim, const step_note *note, cps_error *err) {
  return sim->follow.step ? sim->follow.step(sim, note, sim->follow.data, err) : CPS_OK;
}

/* One step with three arrays: y, the stage, and the sum of the stages' rates. */
static cps_status step(cps_simulation *sim, double t, double h, double *stage, double *sum) {
  const double *at = cps_rk4_table.c, *weight = cps_rk4_table.b;
  const cps_system *s = sim->system;
  double *restrict y = sim->y, *restrict rate = sim->y_t;
  int n = s->ny;
  for (int i = 0; i < 4; i++) {
    double *point = i == 0 ? y : stage;
    cps_status status = cps_system_rates(s, &sim->work, t + at[i] * h, point, sim->mode, rate);
    if (status != CPS_OK) return status;
    double b = weight[i], a = i < 3 ? at[i + 1] * h : 0;
    if (i == 0) {
      for (int j = 0; j < n; j++) {
        sum[j] = b * rate[j];
        stage[j] = y[j] + a * rate[j];
      }
    } else if (i < 3) {
      for (int j = 0; j < n; j++) {
        sum[j] += b * rate[j];
        stage[j] = y[j] + a * rate[j];
      }
    } else {
      for (int j = 0; j < n; j++) y[j] += h * (sum[j] + b * rate[j]);
    }
  }
  return CPS_OK;
}

/* Outputs are those of a grid that is hardly that of the steps. */
static int is_due(const cps_simulation *sim, double h) {
  return cps_simulation_due(sim) || (!sim->row_times && sim->t >= sim->next_output - 1e-9 * h);
}

/* The number of the step is all that a run has besides the simulation. */
static void list(checkpoint *c, void *owner) { cps_checkpoint_item(c, "rk4.step", owner, sizeof(double)); }

cps_status cps_run_rk4(cps_simulation *sim, cps_error *err) {
  const cps_system *s = sim->system;
  const scenario_run *run = &s->scenario->run;
  double h = run->step > 0 ? run->step : (run->until - run->from) / 1000;
  double *stage = calloc((size_t)s->ny, sizeof(double)), *sum = calloc((size_t)s->ny, sizeof(double));
  cps_status status = CPS_OK;
  if (!stage || !sum) status = cps_simulation_fail(sim, -1, err, "out of memory");
  double length = run->until - run->from, steps = ceil(length / h * (1 - 1e-12)), i = 0;
  int resumed;
  if (status == CPS_OK) status = cps_checkpoint_begin(sim, list, &i, &resumed, err);
  step_note begin = {.kind = NOTE_START, .contact = -1, .pinned = 1};
  if (status == CPS_OK && !resumed) status = cps_note(sim, &begin, err);
  while (status == CPS_OK && i < steps) {
    double t = sim->t, end = i + 1 == steps ? run->until : run->from + (i + 1) * h, next = end;
    if (sim->row_times && sim->next_output > t && sim->next_output < end) next = sim->next_output;
    status = step(sim, t, next - t, stage, sum);
    if (status != CPS_OK) {
      cps_simulation_fail(sim, sim->work.failed_contact, err,
                          "the contact forces do not settle: try a smaller step, or another friction law");
      break;
    }
    sim->t = next;
    step_note note = {.kind = NOTE_RK, .t = t, .h = next - t, .latest = INFINITY, .table = &cps_rk4_table};
    status = cps_note(sim, &note, err);
    cps_solver_release(sim);
    if (status == CPS_OK) status = cps_simulation_settle(sim, err);
    note.kind = NOTE_SETTLE;
    if (status == CPS_OK) status = cps_note(sim, &note, err);
    if (status == CPS_OK && is_due(sim, h)) status = cps_simulation_record(sim, err);
    i += next == end;
    if (status == CPS_OK) status = cps_simulation_stepped(sim, next - t, err);
    if (status == CPS_OK && cps_checkpoint_due(sim, CHECKPOINT_STEPS))
      status = cps_checkpoint_offer(sim, err);
  }
  free(stage);
  free(sum);
  return status;
}
