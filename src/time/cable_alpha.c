/* cable_alpha.c - machines under generalised-alpha (alpha.c, alpha_step.c): how they start, their error, and what is said when a
 * step fails.
 *
 * The local error of a step is that of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes, or that of
 * a body or a rim if it is larger (O. C. Zienkiewicz, Y. M. Xie 1991).
 */
#include "alpha.h"
#include "checkpoint.h"
#include "newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct cable_run {
  cps_simulation *sim;
  alpha_stepper r;
  double tolerance;
} cable_run;

static void list(checkpoint *c, void *of) {
  cable_run *y = of;
  CHECKPOINT_VALUE(c, "alpha.t", y->r.t);
  CHECKPOINT_VALUE(c, "alpha.iterations", y->r.iterations);
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
static cps_status start(void *of, int first, cps_error *err) {
  (void)first;
  cable_run *y = of;
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

static solved solve_step(void *of, double h, double t1) {
  cable_run *y = of;
  y->r.t = y->sim->t;
  return cps_alpha_step(&y->r, h, t1) ? STEP_SOLVED : y->r.m->stopped ? STEP_STOPPED : STEP_FAILED;
}

static double local_error(const void *of) {
  const cable_run *y = of;
  return y->r.error / y->tolerance;
}

static void take_back(void *of) { cps_machine_bring_back(((cable_run *)of)->r.m); }

static cps_status accept(void *of, double from, double h, double t1, cps_error *err) {
  cable_run *y = of;
  cps_simulation *sim = y->sim;
  y->r.t = sim->t;
  cps_machine_settle(y->r.m);
  cps_audit_step(y->r.m, t1, h);
  sim->result.counters.newton = sim->result.counters.factorisations = sim->result.counters.evaluations =
      y->r.iterations;
  cable_note what = {.from = from, .h = h, .coeffs = y->r.coeffs};
  cps_status status = sim->follow.step ? sim->follow.step(sim, &what, sim->follow.data, err) : CPS_OK;
  if (status == CPS_OK) cps_mesh_follow(y->r.m, sim->t, h);
  return status;
}

static cps_status give_up(void *of, double h, cps_error *err) {
  const cable_run *y = of;
  return cps_run_give_up(y->sim, y->r.m, h, err);
}

static void forget(void *of) { cps_body_system_forget(&((cable_run *)of)->r.m->bodies); }

static cps_status make_run(cps_simulation *sim, void **of, double *first, cps_error *err) {
  const scenario_run *set = &sim->system->scenario->run;
  const machine *m = sim->machine;
  double size = 0;
  int rests = 0; /* what is not in equilibrium starts with a shock, and is looked at closely */
  cable_run *y = calloc(1, sizeof *y);
  *of = y;
  if (!y) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  for (int i = 0; i < m->n_cables; i++) {
    double length = 0;
    for (int k = 0; k < m->cable[i].n; k++) length += m->cable[i].length[k];
    size = fmax(size, length);
    rests |= m->cable[i].of->start_statics;
  }
  *first = (rests ? 1e-3 : 1e-6) * fmin(set->until - set->from, 1);
  *y = (cable_run){.sim = sim,
                   .r = {.m = sim->machine, .t = sim->t},
                   .tolerance = set->tolerance_abs + set->tolerance * size};
  return CPS_OK;
}

const alpha_equations cps_alpha_machine = {.part = 1.0 / 20,
                                           .safety = 0.85,
                                           .row_first = 1,
                                           .make = make_run,
                                           .free = free,
                                           .start = start,
                                           .solve = solve_step,
                                           .take_back = take_back,
                                           .error = local_error,
                                           .accept = accept,
                                           .give_up = give_up,
                                           .list = list,
                                           .forget = forget};
