/* cable_alpha.c - machines under generalised-alpha (alpha.c, alpha_step.c): how they start, their error, and what is said when a
 * step fails.
 *
 * The local error of a step is that of positions, |beta - 1/6| h^2 |da|, as a root mean square over the nodes, or that of
 * a body or a rim if it is larger (O. C. Zienkiewicz, Y. M. Xie 1991). Bodies that have nothing to do with cables are judged as they are
 * alone.
 */
#include "alpha.h"
#include "body_error.h"
#include "checkpoint.h"
#include "newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cable whose last correction was largest [m], and the element where. At its ends corrections may be those of reactions. */
static const cable *worst_cable(const machine *m, double *most, int *at) {
  const cable *worst = NULL;
  *most = -1;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    int inside = c->links > 1;
    for (int k = inside; c->x && k <= c->links - inside; k++) {
      double x = 0;
      for (int d = 0; d < m->dim; d++) x += fabs(c->x[k * c->width + d]);
      if (!(x <= *most)) {
        *most = x;
        worst = c;
        *at = c->by ? c->cut[k] : k;
      }
    }
  }
  return worst;
}

/* The bearing, rail or contact of bodies whose friction was last corrected by more than the force that presses it, and most of all; NULL:
 * none. Where friction diverges places need not: a contact holds what it wants to, and moves by nothing. */
static const slide *worst_slide(const machine *m) {
  const slide *worst = NULL;
  double most = 1;
  for (int i = 0; i < m->n_slides; i++) {
    const slide *y = &m->slide[i];
    double x = y->f_at >= 0 && y->p.n > 0 ? fabs(m->rhs[y->f_at]) / y->p.n : 0;
    if (x <= most) continue; /* NaN goes through */
    most = x;
    worst = y;
  }
  return worst;
}

cps_status cps_run_give_up(cps_simulation *sim, const machine *m, double h, cps_error *err) {
  if (m->stopped) return cps_simulation_fail(sim, -1, err, "stopped on request");
  double most, s = 0;
  int at = 0;
  const cable *worst = worst_cable(m, &most, &at);
  const slide *rubs = worst_slide(m);
  if (rubs)
    return cps_simulation_fail(
        sim, rubs->contact ? rubs->index : -1, err,
        "friction of %s %s does not converge, however short the step (%.2g s): nothing fits its law %s "
        "there. Try a "
        "wider regularisation, or another law; contacts that close a circle have forces that are not unique",
        rubs->contact ? "contact" : "the bearing of drum",
        rubs->contact ? rubs->contact->name : m->drum[rubs->drum].of->name, h, rubs->law.law->name);
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
  newton_goal goal = cps_newton_goal(m, 1, 1e-6);
  residual_norms left;
  int good = cps_machine_iterate(m, &coeffs, INFINITY, &left) && cps_newton_settled(&left, &goal);
  cps_machine_bring_back(m);
  return good;
}

typedef struct cable_run {
  cps_simulation *sim;
  alpha_stepper r;
  double tolerance;
  int has_apart; /* steps are chosen, and there are bodies apart from cables: their error, from */
  body_error error;
  body_rates old, now; /* at the start of a step and at its end */
  state_block state;   /* all of the numbers */
} cable_run;

/* ------------------------------------------------------------------ bodies apart from cables */

/* What their error needs of the machine as it is. Rates of states of laws whose guards fire within steps stay zero: they have no error. */
static void look_apart(const cable_run *y, const body_rates *to) {
  const machine *m = y->r.m;
  const cps_system *s = m->system;
  memcpy(to->a, m->a, (size_t)s->nx * sizeof(double));
  memcpy(to->f, m->f, (size_t)s->nc * sizeof(double));
  for (int i = 0; i < s->nc; i++) {
    const slide *x = cps_contact_slide(m, i);
    const contact *c = &s->contacts[i];
    size_t bytes = x->law.walks ? 0 : (size_t)c->n_states * sizeof(double);
    memcpy(m->y + 2 * s->nx + c->z, x->y.z[0], (size_t)c->n_states * sizeof(double));
    memcpy(to->z_t + c->z, x->y.z_t[0], bytes);
  }
}

/* Room for it, if there are any; 0 if out of memory. */
static int make_apart(cable_run *y) {
  const machine *m = y->r.m;
  y->has_apart = m->n_apart > 0;
  if (!y->has_apart) return 1;
  y->error.counts = m->equations.counts;
  cps_body_error_parts(&y->state, m->system, &y->error, &y->old, &y->now);
  return cps_block_make(&y->state);
}

/* ------------------------------------------------------------------ a run */

static void list(checkpoint *c, void *of) {
  cable_run *y = of;
  CHECKPOINT_VALUE(c, "alpha.t", y->r.t);
  CHECKPOINT_VALUE(c, "alpha.iterations", y->r.iterations);
  CHECKPOINT_VALUE(c, "alpha.fruitless", y->r.fruitless);
  cps_checkpoint_demand(c, y->r.fruitless >= 0, "alpha.fruitless");
  cps_block_list(c, &y->state);
  CHECKPOINT_VALUE(c, "apart.length", y->error.length);
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
  for (int k = 0; k < m->nb; k++) *m->free[k].aux = *m->free[k].a;
  for (int k = 0; k < m->n_slides; k++)
    memcpy(m->slide[k].y.aux, m->slide[k].y.z_t, sizeof m->slide[k].y.aux);
  cps_alpha_forget(m);
  cps_audit_start(m, r->t);
  if (y->has_apart) look_apart(y, &y->old);
  y->error.length = 0;
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
  const machine *m = y->r.m;
  double error = y->r.error / y->tolerance;
  if (!y->has_apart) return error;
  alpha_weights weights = cps_machine_weights(m, y->r.coeffs.length);
  look_apart(y, &y->now);
  return fmax(error, cps_body_error(&y->error, m->system, m->forces.w_ii, &weights, m->y, &y->old, &y->now));
}

static void take_back(void *of) { cps_machine_bring_back(((cable_run *)of)->r.m); }

static cps_status accept(void *of, double from, double h, double t1, cps_error *err) {
  cable_run *y = of;
  cps_simulation *sim = y->sim;
  y->r.t = sim->t;
  cps_alpha_learn(y->r.m, h);
  cps_between_note(&y->r.between, y->r.m, from, h);
  if (y->has_apart) cps_body_error_step(&y->error, y->r.m->system, y->r.m->y, h, &y->old, &y->now);
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

static void rows(void *of, row_phase phase) {
  cable_run *y = of;
  alpha_between *b = &y->r.between;
  b->is = phase == ROWS_AHEAD ? BETWEEN_EXPECTED : phase == ROWS_WITHIN ? BETWEEN_KNOWN : BETWEEN_NONE;
}

static void free_run(void *of) {
  cable_run *y = of;
  cps_between_free(&y->r.between);
  cps_block_free(&y->state);
  free(y);
}

static void forget(void *of) { cps_body_system_forget(&((cable_run *)of)->r.m->equations.system); }

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
  if (!cps_between_make(&y->r.between, m) || (!(set->step > 0) && !make_apart(y))) {
    free_run(y);
    *of = NULL;
    return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  }
  return CPS_OK;
}

const alpha_equations cps_alpha_machine = {.part = 1.0 / 20,
                                           .safety = 0.85,
                                           .row_first = 1,
                                           .make = make_run,
                                           .free = free_run,
                                           .start = start,
                                           .solve = solve_step,
                                           .take_back = take_back,
                                           .error = local_error,
                                           .accept = accept,
                                           .give_up = give_up,
                                           .rows = rows,
                                           .list = list,
                                           .forget = forget};
