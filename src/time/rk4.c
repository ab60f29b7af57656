/* rk4.c - the classical Runge-Kutta method with a fixed step, as in Quinn's studies.
 *
 * Nothing is located: laws with modes and no memory choose their branch at every stage, laws with memory
 * settle their modes after every step. The last step before the end is shortened; outputs fall on the first
 * step at or after their time. Where rows are wanted at given times, or the run pauses, a step that would pass one is
 * made in two.
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
    for (int j = 0; j < cps_body_freedoms(s, i); j++) {
      sim->y[s->nx + s->body_q[i] + j] = b->v[j];
      sim->y[2 * s->nx + s->nz + s->nc + 2] += b->mass * b->v[j] * b->v[j] /
                                               2; /* work of what prescribes it */
    }
  }
  cps_system_hold(s, &sim->work, sim->t);
}

const rk_table cps_rk4_table = {
    4, {0, 0.5, 0.5, 1}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

/* One step with three arrays: y, the stage, and the sum of the stages' rates. */
static cps_status make_step(cps_simulation *sim, double t, double h, double *stage, double *sum) {
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

typedef struct run {
  cps_simulation *sim;
  double *stage, *sum;
} run;

static void free_run(void *work) {
  run *r = work;
  free(r->stage);
  free(r->sum);
  free(r);
}

double cps_rk4_step(const scenario_run *run) {
  return run->step > 0 ? run->step : (run->until - run->from) / 1000;
}

static double step_of(const cps_simulation *sim) { return cps_rk4_step(&sim->system->scenario->run); }

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  size_t n = (size_t)sim->system->ny;
  run *r = calloc(1, sizeof *r);
  if (r) *r = (run){sim, calloc(n, sizeof(double)), calloc(n, sizeof(double))};
  *work = r;
  if (r && r->stage && r->sum) return CPS_OK;
  if (r) free_run(r);
  return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  run *r = work;
  step_note note = {.kind = NOTE_START, .contact = -1, .pinned = 1};
  return resumed ? CPS_OK : cps_note(r->sim, &note, err);
}

static void snap(const void *work, stop *stop) {
  const cps_simulation *sim = ((const run *)work)->sim;
  cps_grid_snap(&sim->system->scenario->run, step_of(sim), stop);
}

/* How far states of laws have gone beyond where their modes end, which are not located within the step. */
static void note_overshoot(cps_simulation *sim) {
  const cps_system *s = sim->system;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (sim->mode[i] < 0 || sim->work.n[i] <= 0) continue;
    const double *z = sim->y + 2 * s->nx + c->z;
    double v = sim->y[s->nx + c->a] - c->sb * sim->y[s->nx + c->b], settled[CPS_MAX_STATES];
    cps_law_input in = {v, sim->work.n[i], sim->work.f_eq[i], z, sim->mode[i]};
    if (cps_law_settle(c->law, c->p, &in, settled) == sim->mode[i] &&
        memcmp(settled, z, (size_t)c->n_states * sizeof(double)) == 0)
      continue; /* no guard has fired */
    cps_law_scale scale;
    cps_law_scales(c->law, c->p, sim->work.n[i], &scale);
    for (int k = 0; k < c->n_states; k++) {
      double part = fabs(z[k]) / scale.z[k] - 1;
      if (!(part > sim->overshoot.part)) continue;
      sim->overshoot.part = part;
      sim->overshoot.step = sim->h;
      sim->overshoot.contact = i;
    }
  }
}

static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  const scenario_run *set = &sim->system->scenario->run;
  double t = sim->t, h = step_of(sim);
  double point = set->from + (floor((t - set->from) / h + 1e-9) + 1) * h; /* of the grid */
  double next = point >= stop->time - 1e-9 * h ? stop->time : point;
  if (make_step(sim, t, next - t, r->stage, r->sum) != CPS_OK)
    return cps_simulation_fail(
        sim, sim->work.failed_contact, err,
        "the contact forces do not settle: try a smaller step, or another friction law");
  sim->t = next;
  sim->h = next - t;
  step_note note = {.kind = NOTE_RK, .t = t, .h = next - t, .latest = INFINITY, .table = &cps_rk4_table};
  cps_status status = cps_note(sim, &note, err);
  cps_solver_release(sim);
  note_overshoot(sim);
  if (status == CPS_OK) status = cps_simulation_settle(sim, NULL, err);
  note.kind = NOTE_SETTLE;
  return status == CPS_OK ? cps_note(sim, &note, err) : status;
}

/* All that a later step reads belongs to the simulation. */
static void list(checkpoint *c, void *work) { (void)c, (void)work; }

static double longest(const void *work) { return step_of(((const run *)work)->sim); }

const stepper cps_rk4 = {.traits = STEPPER_PASSES_BREAKS,
                         .checkpoint_steps = CHECKPOINT_STEPS,
                         .make = make_run,
                         .free = free_run,
                         .begin = begin,
                         .snap = snap,
                         .longest = longest,
                         .step = step,
                         .list = list};
