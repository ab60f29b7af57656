/* rk4.c - the classical Runge-Kutta method with a fixed step, as in Quinn's studies.
 *
 * Nothing is located: laws with modes and no memory choose their branch at every stage, laws with memory
 * settle their modes after every step. The last step before the end is shortened; outputs fall on the first
 * step at or after their time.
 */
#include "solvers.h"

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

/* One step with three arrays: y, the stage, and the sum of the stages' rates. */
static cps_status step(cps_simulation *sim, double t, double h, double *stage, double *sum) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
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
  while (status == CPS_OK && i < steps) {
    double t = run->from + i * h, next = i + 1 == steps ? run->until : run->from + (i + 1) * h;
    status = step(sim, t, next - t, stage, sum);
    if (status != CPS_OK) {
      cps_simulation_fail(sim, sim->work.failed_contact, err,
                          "the contact forces do not settle: try a smaller step, or another friction law");
      break;
    }
    sim->t = next;
    cps_solver_release(sim);
    status = cps_simulation_settle(sim, err);
    if (status == CPS_OK && (run->output <= 0 || sim->t >= sim->next_output - 1e-9 * h || i + 1 == steps))
      status = cps_simulation_record(sim, err);
    i++;
    if (status == CPS_OK) status = cps_simulation_stepped(sim, next - t, err);
    if (status == CPS_OK && cps_checkpoint_due(sim, CHECKPOINT_STEPS))
      status = cps_checkpoint_offer(sim, err);
  }
  free(stage);
  free(sum);
  return status;
}
