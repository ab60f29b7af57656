/* cable_alpha.c - runs cables by generalised-alpha (alpha_step.c): step size control, outputs, and what it says when it fails.
 *
 * The step is controlled by the local error of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes, or that of
 * a body or a rim if it is larger (O. C. Zienkiewicz, Y. M. Xie 1991); with run.step it is fixed. A step whose equations do not converge is halved.
 */
#include "checkpoint.h"
#include "newton.h"
#include "steppers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Growth and shrinkage of a step, and the safety of its choice. */
static const double GROW = 2, SHRINK = 0.2, SAFETY = 0.85;

/* Where the equations stand worst: the cable, and what it does there. */
cps_status cps_run_give_up(cps_simulation *sim, const machine *m, double h, cps_error *err) {
  if (m->stopped) return cps_simulation_fail(sim, -1, err, "stopped on request");
  const cable *worst = NULL;
  int at = 0;
  double most = -1;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    for (int k = 0; c->x && k <= c->links; k++) {
      double x = 0;
      for (int d = 0; d < m->dim; d++) x += fabs(c->x[k * c->width + d]);
      if (!(x <= most)) {
        most = x;
        worst = c;
        at = c->by ? c->cut[k] : k;
      }
    }
  }
  double s = 0;
  for (int k = 0; worst && k < at; k++) s += worst->length[k];
  return cps_simulation_fail(
      sim, -1, err,
      "the equations of cable %s do not converge, however short the step (%.2g s), worst at "
      "%.4g m from its start: is something very stiff, is the cable slack or compressed there, "
      "or does a drive jump? Try more damping, a softer contact, or a finer mesh",
      worst ? worst->of->name : "?", h, s);
}

/* Whether forces balance as things are: what rests in equilibrium has no accelerations, and what round-off makes of
 * them is far more on a fine mesh than what is left of forces deserves. Everything is as it was kept after it. */
static int rests(machine *m, double t) {
  step_coeffs coeffs = cps_machine_instant(t);
  residual_norms left;
  int good = cps_machine_iterate(m, &coeffs, INFINITY, &left) && cps_newton_converged(m, &left, 1e-6);
  cps_machine_bring_back(m);
  return good;
}

/* A run: the method, and where it stands. */
typedef struct cable_run {
  cps_simulation *sim;
  cps_error *err;
  alpha_stepper r;
  int adaptive;
  double span, most, tolerance;
  double h; /* next step */
  double wish,
      change; /* of the last step: by how much the next should have been longer, and was; 0: not known */
  /* steps and failures since the last look at how far they came */
  long mark_steps, failures;
  double mark;
} cable_run;

/* Steps that fail more often than not and hardly get anywhere end the run, with a reason. */
enum { PATIENCE = 3000 };

static int crawls(cable_run *y) {
  long steps = y->sim->result.counters.steps - y->mark_steps;
  if (steps + y->failures < PATIENCE) return 0;
  int bad = y->failures > steps / 2 && y->sim->t - y->mark < 1e-3 * y->span;
  y->mark_steps += steps;
  y->mark = y->sim->t;
  y->failures = 0;
  return bad;
}

static void list(checkpoint *c, void *owner) {
  cable_run *y = owner;
  CHECKPOINT_VALUE(c, "alpha.t", y->r.t);
  CHECKPOINT_VALUE(c, "alpha.iterations", y->r.iterations);
  CHECKPOINT_VALUE(c, "alpha.h", y->h);
  cps_checkpoint_demand(c, y->h > 0, "alpha.h");
  CHECKPOINT_VALUE(c, "alpha.wish", y->wish);
  CHECKPOINT_VALUE(c, "alpha.change", y->change);
  CHECKPOINT_VALUE(c, "alpha.mark_steps", y->mark_steps);
  CHECKPOINT_VALUE(c, "alpha.failures", y->failures);
  CHECKPOINT_VALUE(c, "alpha.mark", y->mark);
}

static void set_out(cable_run *y) {
  const machine *m = y->r.m;
  const scenario_run *set = &y->sim->system->scenario->run;
  double size = 0;
  int rests = 0; /* what is not in equilibrium starts with a shock, and is looked at closely */
  for (int i = 0; i < m->n_cables; i++) {
    double length = 0;
    for (int k = 0; k < m->cable[i].n; k++) length += m->cable[i].length[k];
    size = fmax(size, length);
    rests |= m->cable[i].of->start_statics;
  }
  y->adaptive = !(set->step > 0);
  y->span = set->until - set->from;
  y->most = y->adaptive ? cps_driver_longest(y->sim, y->span / 20) : set->step;
  y->tolerance = set->tolerance_abs + set->tolerance * size;
  y->h = !y->adaptive ? y->most : rests ? fmin(1e-3 * y->span, 1e-3) : fmin(1e-6 * y->span, 1e-6);
  y->mark = y->sim->t;
}

/* By how much the next step is longer than one with this error, over what is allowed: a digital filter (G. Soederlind, ACM Trans. Math.
 * Softw. 29(1), 2003, H211b with b = 4), which follows the trend of errors and not each of them. After a step that was not good
 * enough nothing is known but its own error, and the next does not grow. */
static double choose(cable_run *y, double ratio, int good) {
  double wish = SAFETY / cbrt(fmax(ratio, 1e-6));
  double change = good && y->wish > 0 ? pow(wish * y->wish / y->change, 0.25) : fmin(1, wish);
  y->wish = good ? wish : 0;
  y->change = fmin(GROW, fmax(SHRINK, change));
  return y->change;
}

/* One step that is good, however often it takes; *used is its length. */
static cps_status advance(cable_run *y, const stop *stop, double *used) {
  cps_simulation *sim = y->sim;
  double aim = y->adaptive ? stop->time
                           : cps_grid_next(&sim->system->scenario->run, y->most, sim->t, stop->time);
  for (;;) {
    double left = aim - sim->t, steps = ceil(left / fmin(y->h, y->most) * (1 - 1e-9));
    double h = *used = steps > 1 ? left / steps : left;
    /* what jumps at the end of the step is not yet seen there */
    int jumps = steps <= 1 && aim == stop->time && stop->is_break && !stop->is_end;
    if (!cps_alpha_step(&y->r, jumps ? h - 1e-13 * h - 4e-16 * fabs(stop->time) : h)) {
      sim->result.counters.rejected++;
      sim->result.counters.unsolved++;
      y->failures++;
      y->h = h / 2;
      y->wish = 0;
      if (y->r.m->stopped || y->h < 1e-12 * y->span || y->h < 1e-13 || crawls(y))
        return cps_run_give_up(sim, y->r.m, y->h, y->err);
      continue;
    }
    double ratio = y->adaptive ? y->r.error / y->tolerance : 0;
    int good = !(ratio > 1) || h <= 1e-9 * y->span;
    double change = y->adaptive ? choose(y, ratio, good) : GROW;
    y->h = fmin(y->most, h * change);
    if (good) {
      y->r.t = steps > 1 ? y->r.t : aim;
      return CPS_OK;
    }
    cps_machine_bring_back(y->r.m);
    y->r.t = sim->t;
    sim->result.counters.rejected++;
  }
}

/* The instant that the balance of forces takes has not passed: bodies apart from cables are where they were before it. Forces
 * that depend on their velocities then balance to the instant's first power; one more iteration makes it the second. */
static void settle_bodies(machine *m, const step_coeffs *coeffs) {
  residual_norms left;
  if (!cps_machine_stay(m)) return;
  cps_machine_iterate(m, coeffs, INFINITY, &left);
  cps_machine_stay(m);
}

/* Starts the method, at first or where something has jumped: with accelerations that balance. */
static cps_status restart(void *work, cps_error *err) {
  cable_run *y = work;
  alpha_stepper *r = &y->r;
  cps_simulation *sim = y->sim;
  machine *m = r->m;
  cable_note what = {.released = 1, .from = r->t, .coeffs = cps_machine_instant(r->t)};
  if (cps_machine_release(m, r->t) && sim->follow.step) {
    cps_status status = sim->follow.step(sim, &what, sim->follow.data, err);
    if (status != CPS_OK) return status;
  }
  cps_machine_move(m, r->t, r->t);
  cps_machine_tie(m);
  cps_machine_keep(m);
  cps_machine_update_contacts(m, r->t);
  cps_memory_choose(m);
  step_coeffs coeffs = cps_machine_instant(r->t);
  int it = rests(m, r->t) ? -1 : cps_machine_balance(m, r->t);
  r->iterations += it > 0 ? it : 0;
  if (it < 0)
    cps_machine_bring_back(m); /* they stay, or the first step finds them */
  else
    settle_bodies(m, &coeffs);
  cps_memory_refresh(m, &coeffs);
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    memcpy(c->aux, c->a, (size_t)(c->n + 1) * (size_t)c->b * sizeof(double));
    for (int k = 0; c->memory && k < c->n_points; k++)
      memcpy(c->memory[k].aux, c->memory[k].z_t, sizeof c->memory[k].aux);
  }
  for (int k = 0; k < m->nb; k++) m->free[k].aux = m->free[k].a;
  for (int k = 0; k < m->n_slides; k++)
    memcpy(m->slide[k].y.aux, m->slide[k].y.z_t, sizeof m->slide[k].y.aux);
  cps_audit_start(m, r->t);
  what.released = 0;
  what.begins = 1;
  what.balanced = it >= 0;
  return sim->follow.step ? sim->follow.step(sim, &what, sim->follow.data, err) : CPS_OK;
}

static cps_status step(void *work, const stop *stop, cps_error *err) {
  cable_run *y = work;
  cps_simulation *sim = y->sim;
  double used = 0;
  y->err = err;
  cps_status status = advance(y, stop, &used);
  if (status != CPS_OK) return status;
  cps_machine_settle(y->r.m);
  cps_audit_step(y->r.m, y->r.coeffs.t, used);
  sim->t = y->r.t;
  sim->h = used;
  sim->result.counters.newton = sim->result.counters.factorisations = y->r.iterations;
  cable_note what = {.from = y->r.from, .h = used, .coeffs = y->r.coeffs};
  status = sim->follow.step ? sim->follow.step(sim, &what, sim->follow.data, err) : CPS_OK;
  if (status == CPS_OK) cps_mesh_follow(y->r.m, y->r.t, used);
  return status;
}

static cps_status forget(void *work, cps_error *err) {
  (void)err;
  cps_body_system_forget(&((cable_run *)work)->r.m->bodies);
  return CPS_OK;
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  (void)forget(work, err);
  if (!resumed) ((cable_run *)work)->sim->restart_due = 1;
  return CPS_OK;
}

static void snap(const void *work, stop *stop) {
  const cable_run *y = work;
  if (!y->adaptive) cps_grid_snap(&y->sim->system->scenario->run, y->most, stop);
}

static void count(void *work) {
  const cable_run *y = work;
  y->sim->result.counters.evaluations = y->r.iterations;
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  cable_run *y = calloc(1, sizeof *y);
  *work = y;
  if (!y) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *y = (cable_run){.sim = sim, .r = {.m = sim->machine, .t = sim->t}};
  set_out(y);
  return CPS_OK;
}

static double longest(const void *work) { return 1.01 * ((const cable_run *)work)->h; }

const stepper cps_cable_alpha = {.traits = STEPPER_ROW_FIRST,
                                 .checkpoint_steps = CHECKPOINT_STEPS,
                                 .make = make_run,
                                 .free = free,
                                 .begin = begin,
                                 .restart = restart,
                                 .snap = snap,
                                 .longest = longest,
                                 .step = step,
                                 .list = list,
                                 .forget = forget,
                                 .count = count};
