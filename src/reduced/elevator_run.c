/* elevator_run.c - integrates elevator.c from one change of mode to the next.
 *
 * Dormand and Prince's method between the events, which are located by repeating the step with other lengths, as in
 * events.c: when the other side becomes the tight one, when the pulley reverses, when the transition arrives at the other
 * side, and when the cable begins or ends to slide through.
 */
#include "checkpoint.h"
#include "dopri.h"
#include "elevator.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 4, AT_SAME_TIME = 50 };

/* What counts as zero of a guard: they are relative, or angles. */
#define GUARD_ZERO 1e-13

typedef struct run {
  cps_simulation *sim;
  lift *l;
  dopri d;
  double scale[LIFT_STATES];
  double before[LIFT_GUARDS];
  double tolerance;
  double last_event;
  int at_same_time;
  double h, most, next_break;
} run;

static cps_status rates(void *with, double t, double *y, double *y_t) {
  run *r = with;
  r->sim->result.counters.evaluations++;
  return cps_lift_rates(r->l, t, y, y_t) ? CPS_OK : CPS_FAILED;
}

/* What an error of each state is judged by. */
static void set_scales(run *r) {
  const lift *l = r->l;
  double length = l->length[0] + l->length[1] + l->arc, strain = fmax(l->y[LIFT_E1], l->y[LIFT_E2]);
  double mass = fmin(l->mass[0], l->mass[1]), span = fmin(l->length[0], l->length[1]);
  double omega = sqrt(l->ea / (mass * span)), energy = l->ea * strain * length;
  const double by[LIFT_STATES] = {[LIFT_FLOW] = length,
                                  [LIFT_E1] = strain,
                                  [LIFT_E2] = strain,
                                  [LIFT_PSI] = length / l->radius,
                                  [LIFT_EDGE] = length,
                                  [LIFT_FLOW_T] = length,
                                  [LIFT_E1_T] = strain * omega,
                                  [LIFT_E2_T] = strain * omega,
                                  [LIFT_PSI_T] = length / l->radius,
                                  [LIFT_FRICTION] = energy * strain,
                                  [LIFT_DAMPING] = energy * strain,
                                  [LIFT_MOTION] = energy,
                                  [LIFT_MADE1] = energy * strain,
                                  [LIFT_MADE2] = energy * strain};
  for (int i = 0; i < LIFT_STATES; i++) r->scale[i] = by[i];
}

/* The first guard that has turned negative at a state; -1 if none has. */
static int broken(const run *r, const double *y) {
  double now[LIFT_GUARDS];
  cps_lift_guards(r->l, y, now);
  for (int i = 0; i < LIFT_GUARDS; i++)
    if (!(now[i] >= -GUARD_ZERO) && !(now[i] >= r->before[i])) return i;
  return -1;
}

/* Whether a guard breaks within the last step tried. */
static int breaks(run *r, double h) {
  for (int k = 1; k < SAMPLES; k++)
    if (broken(r, cps_dopri_sample(&r->d, r->sim, h, (double)k / SAMPLES)) >= 0) return 1;
  return broken(r, r->d.new_y) >= 0;
}

/* Shortens the step to where the first guard breaks, as well as time can tell; returns that guard. */
static cps_status locate(run *r, double *h, int *guard) {
  double good = 0, bad = *h, least = 2e-16 * fmax(fabs(r->sim->t), *h);
  cps_status status = CPS_OK;
  while (status == CPS_OK && bad - good > least) {
    double middle = good + (bad - good) / 2;
    if (!(middle > good && middle < bad)) break;
    status = cps_dopri_step(&r->d, r->sim, middle);
    if (status == CPS_OK) *(breaks(r, middle) ? &bad : &good) = middle;
  }
  if (status == CPS_OK) status = cps_dopri_step(&r->d, r->sim, *h = bad);
  *guard = broken(r, r->d.new_y);
  return status;
}

static cps_status change(run *r, int guard, cps_error *err) {
  cps_simulation *sim = r->sim;
  lift *l = r->l;
  lift_mode from = l->mode;
  r->at_same_time = sim->t <= r->last_event ? r->at_same_time + 1 : 0;
  r->last_event = sim->t;
  if (r->at_same_time > AT_SAME_TIME)
    return cps_simulation_fail(sim, -1, err, "cable %s does not decide whether it sticks or slides",
                               l->cable->name);
  if (guard == LIFT_ARRIVES) {
    int side = cps_lift_span(l, l->y, 1) < cps_lift_span(l, l->y, 0);
    return cps_simulation_fail(sim, -1, err,
                               "body %s has come up to pulley %s, where its span of the cable ends",
                               l->of->bodies[l->body[side]].name, l->drum->name);
  }
  if (!cps_lift_change(l, guard)) {
    int held = l->model != CABLE_SEMI_ANALYTICAL && l->model != CABLE_SPRINGS &&
               fmin(l->y[LIFT_E1], l->y[LIFT_E2]) > 0;
    return cps_simulation_fail(
        sim, -1, err,
        held ? "cable %s slides through on its pulley, which the model of Lugris "
               "cannot do: use model: semi-analytical"
             : "cable %s goes slack, and its mass would fall in loops, which this model "
               "cannot do: use model: ancf, or mass_per_length: 0",
        l->cable->name);
  }
  r->d.first_known = 0;
  return from == l->mode ? CPS_OK : cps_simulation_lift_event(sim, (int)from, (int)l->mode, err);
}

/* One accepted step, up to the stop. */
static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  lift *l = r->l;
  for (;;) {
    r->h = fmin(r->h, r->most);
    double left = stop->time - sim->t, used = r->h < left ? (2 * r->h > left ? left / 2 : r->h) : left;
    int guard = -1, whole = used == left;
    cps_lift_guards(l, l->y, r->before);
    cps_status status = cps_dopri_step(&r->d, sim, used);
    double ratio = status == CPS_OK ? cps_dopri_error(&r->d, sim, used, r->tolerance, 0) : INFINITY;
    if (!(ratio <= 1)) {
      sim->result.counters.rejected++;
      r->h = used * fmax(0.1, isfinite(ratio) ? 0.9 * pow(ratio, -0.2) : 0.1);
      if (r->h < 1e-14 * fmax(1, fabs(sim->t)))
        return cps_simulation_fail(sim, -1, err, "the equations of cable %s cannot be solved here",
                                   l->cable->name);
      continue;
    }
    double next = used * fmin(5, 0.9 * pow(fmax(ratio, 1e-10), -0.2));
    if (breaks(r, used)) {
      status = locate(r, &used, &guard);
      whole = 0;
      if (status != CPS_OK) return cps_simulation_fail(sim, -1, err, "an event cannot be located");
    }
    cps_dopri_accept(&r->d, sim);
    sim->t = l->t = whole ? stop->time : sim->t + used;
    sim->h = used;
    r->h = fmax(next, used);
    return guard >= 0 ? change(r, guard, err) : CPS_OK;
  }
}

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  lift *l = r->l;
  cps_checkpoint_array(c, "lift.y", l->y, LIFT_STATES);
  CHECKPOINT_VALUE(c, "lift.mode", l->mode);
  cps_checkpoint_demand(c, (int)l->mode >= LIFT_AT_START && (int)l->mode <= LIFT_SLACK, "lift.mode");
  CHECKPOINT_VALUE(c, "lift.tight", l->tight);
  CHECKPOINT_VALUE(c, "lift.edge", l->edge);
  CHECKPOINT_VALUE(c, "lift.slack", l->slack);
  CHECKPOINT_VALUE(c, "lift.t", l->t);
  CHECKPOINT_VALUE(c, "lift.torque", l->torque);
  CHECKPOINT_VALUE(c, "lift.acceleration", l->acceleration);
  CHECKPOINT_VALUE(c, "lift.slip_power", l->slip_power);
  cps_checkpoint_array(c, "lift.scale", r->scale, LIFT_STATES);
  cps_checkpoint_array(c, "lift.rates", r->d.k[0], LIFT_STATES);
  CHECKPOINT_VALUE(c, "lift.rates_known", r->d.first_known);
  CHECKPOINT_VALUE(c, "lift.latest", r->d.latest);
  CHECKPOINT_VALUE(c, "lift.last_event", r->last_event);
  CHECKPOINT_VALUE(c, "lift.at_same_time", r->at_same_time);
  CHECKPOINT_VALUE(c, "elevator.h", r->h);
  cps_checkpoint_demand(c, r->h > 0, "elevator.h");
  CHECKPOINT_VALUE(c, "lift.next_break", r->next_break);
}

/* The drive jumps here. */
static cps_status restart(void *work, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  r->d.first_known = 0;
  if (!cps_lift_jump(r->l, sim->t))
    return cps_simulation_fail(sim, -1, err, "the drive jumps where nothing can follow");
  r->next_break = cps_machine_next_break(sim->system, sim->t);
  r->d.latest = nextafter(r->next_break, -INFINITY);
  return CPS_OK;
}

static cps_status complete(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  double y_t[LIFT_STATES];
  int there = sim->t == stop->time;
  cps_status status = there && stop->is_break ? restart(r, err) : CPS_OK;
  /* What is recorded belongs to the state. The last stage of a step is that, unless something has changed since. */
  if (status == CPS_OK && !r->d.first_known && (there || cps_simulation_every_step(sim)))
    cps_lift_rates(r->l, sim->t, r->l->y, y_t);
  return status;
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  (void)work, (void)resumed, (void)err;
  return CPS_OK;
}

static void free_run(void *work) {
  cps_dopri_free(&((run *)work)->d);
  free(work);
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  const scenario_run *set = &sim->system->scenario->run;
  run *r = calloc(1, sizeof *r);
  *work = r;
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *r = (run){.sim = sim, .l = sim->lift, .last_event = -INFINITY, .h = fmin(1e-4, set->until - set->from)};
  if (!cps_dopri_make(&r->d, LIFT_STATES)) {
    free_run(r);
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  }
  set_scales(r);
  r->tolerance = set->tolerance;
  r->most = set->step > 0 ? set->step : INFINITY;
  r->d.rates = rates;
  r->d.with = r;
  r->d.y = r->l->y;
  r->d.scale = r->scale;
  r->next_break = cps_machine_next_break(sim->system, sim->t);
  r->d.latest = nextafter(r->next_break, -INFINITY);
  return CPS_OK;
}

const stepper cps_elevator_stepper = {.checkpoint_steps = CHECKPOINT_STEPS,
                                      .make = make_run,
                                      .free = free_run,
                                      .begin = begin,
                                      .restart = restart,
                                      .step = step,
                                      .complete = complete,
                                      .list = list};
