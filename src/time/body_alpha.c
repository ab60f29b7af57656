/* body_alpha.c - a step of bodies by the generalised-alpha method (alpha.c, alpha_rule.c).
 *
 * Newton's method with the exact Jacobian solves for a1, the contact forces and the state rates at once
 * (residual.c).
 *
 * Work of forces is summed by the trapezoidal rule over displacements, not over time: what linear springs
 * do is then exact, a contact that does not move does none, and the audit's closing error is what the method
 * itself dissipates.
 *
 * Invariant: a, f and z_t satisfy the equations at sim->t with sim->y.
 */
#include "alpha.h"
#include "newton_loop.h"
#include "residual.h"
#include "state_block.h"
#include "step_notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations of a step. */
enum { NEWTON_MOST = 48 };

typedef struct run {
  cps_simulation *sim;
  residual r;
  state_block state;                /* all arrays below */
  alpha_weights weights;            /* of the step being tried, */
  double t1;                        /* whose equations hold then */
  double *y;                        /* [ny] at the end of the step being tried */
  alpha_bodies *rates;              /* at its start and its end */
  double *aux_a, *aux_z;            /* auxiliary values at the start */
  double *base_q, *base_v, *base_z; /* what of the new state is known beforehand */
  double *da, *df, *dz;
  work_start start; /* of the step: for its work */
  int stopped;      /* who waits for the step has enough */
} run;

/* ------------------------------------------------------------------ one step */

/* What the new state is without the new rates, and the first guess of those: the old ones. */
static void predict(run *r) {
  const cps_system *s = r->sim->system;
  const double *q = r->sim->y, *v = q + s->nx, *z = v + s->nx;
  const alpha_weights *u = &r->weights;
  for (int i = 0; i < s->nd; i++) {
    r->base_q[i] = q[i] + u->h * v[i] + u->q_aux * r->aux_a[i] + u->q_old * r->rates->old.a[i];
  }
  cps_alpha_base(&u->v, s->nd, v, r->aux_a, r->rates->old.a, r->base_v);
  cps_alpha_base(&u->z, s->nz, z, r->aux_z, r->rates->old.z_t, r->base_z);
  memcpy(r->rates->now.a, r->rates->old.a, (size_t)s->nx * sizeof(double));
  memcpy(r->rates->now.f, r->rates->old.f, (size_t)s->nc * sizeof(double));
  memcpy(r->rates->now.z_t, r->rates->old.z_t, (size_t)s->nz * sizeof(double));
}

/* The state that follows from the new rates. */
static void follow(run *r) {
  const cps_system *s = r->sim->system;
  double b_q = r->weights.q_new, b_v = r->weights.v.x_new, b_z = r->weights.z.x_new;
  double *q = r->y, *v = q + s->nx, *z = v + s->nx;
  for (int i = 0; i < s->nd; i++) {
    q[i] = r->base_q[i] + b_q * r->rates->now.a[i];
    v[i] = r->base_v[i] + b_v * r->rates->now.a[i];
  }
  for (int i = 0; i < s->nz; i++) z[i] = r->base_z[i] + b_z * r->rates->now.z_t[i];
}

static int waits(void *of) {
  const cps_simulation *sim = ((run *)of)->sim;
  return cps_waits(sim->system->scenario, "a time step", sim->t, sim->result.counters.newton);
}

static int evaluate(void *of, sight where, residual_norms *left) {
  run *r = of;
  residual *e = &r->r;
  follow(r);
  e->sight = where;
  cps_residual_eval(e, r->t1, r->y, r->rates->now.a, r->rates->now.f, r->rates->now.z_t, r->sim->mode);
  left->apart = e->worst;
  left->limited = e->limited;
  return isfinite(e->worst);
}

static int correct(void *of, residual_norms *left) {
  run *r = of;
  (void)left;
  const cps_system *s = r->sim->system;
  residual *e = &r->r;
  r->sim->result.counters.newton++;
  if (!cps_residual_factor(e, r->weights.q_new, r->weights.v.x_new, r->weights.z.x_new) ||
      !cps_residual_solve(e, e->r_a, e->r_f, e->r_z, r->da, r->df, r->dz))
    return 0;
  for (int i = 0; i < s->nd; i++) r->rates->now.a[i] += r->da[i];
  for (int i = 0; i < s->nc; i++) r->rates->now.f[i] += r->df[i];
  for (int i = 0; i < s->nz; i++) r->rates->now.z_t[i] += r->dz[i];
  return 1;
}

static newton_places update(void *of, int it, const residual_norms *left, const residual_norms *before) {
  run *r = of;
  (void)it, (void)left, (void)before;
  cps_residual_spread(&r->r, r->rates->now.f);
  return PLACES_UNKNOWN;
}

/* Laws are first linearised as at the end of the last step: who sticks then, mostly still does. One correction is made at least, so that
 * what is small goes on decaying: rest is approached to the last digit. */
static const newton_equations body_equations = {.judged_first = 1,
                                                .first = LOOK_LAST,
                                                .waits = waits,
                                                .evaluate = evaluate,
                                                .correct = correct,
                                                .update = update};

static solved solve_step(void *of, double h, double t1) {
  run *r = of;
  cps_simulation *sim = r->sim;
  static const newton_goal goal = {.most = NEWTON_MOST, .tolerance = 1}; /* of what residual.c allows */
  r->weights = cps_alpha_chosen(&sim->system->scenario->run, h);
  r->t1 = t1;
  r->r.gain = r->weights.v.x_new;
  predict(r);
  cps_residual_look(&r->r, sim->y, r->rates->old.a, r->rates->old.f);
  cps_surfaces_move(sim->system, &sim->work, sim->t, h, t1, sim->y, r->y);
  int it = cps_newton_iterate(&body_equations, r, &goal);
  r->stopped = it == NEWTON_STOPPED;
  return it >= 0 ? STEP_SOLVED : r->stopped ? STEP_STOPPED : STEP_FAILED;
}

/* ------------------------------------------------------------------ work */

/* Keeps what the work of the next step needs of the last evaluation, which was at time t with contact forces f. */
static void keep_forces(run *r, double t, const double *f) {
  r->start.f = f;
  cps_work_begin(r->sim->system, &r->sim->work, t, &r->start);
}

/* Adds the work of the step that ends at t with the last evaluation. */
static void add_work(run *r, double t) {
  const cps_system *s = r->sim->system;
  int at = 2 * s->nx + s->nz;
  memcpy(r->y + at, r->sim->y + at, (size_t)s->nw * sizeof(double));
  r->start.q = r->sim->y;
  r->start.f = r->rates->old.f;
  cps_work_add(s, &r->sim->work, t, r->y, r->rates->now.f, &r->start, r->da, r->y + at);
}

/* ------------------------------------------------------------------ a run */

/* Accelerations and forces that fit the state, after something has jumped. */
static cps_status find_rates(run *r, cps_error *err) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  cps_solver_release(sim);
  if (cps_system_rates(s, &sim->work, sim->t, sim->y, sim->mode, sim->y_t) != CPS_OK)
    return cps_simulation_fail(sim, sim->work.failed_contact, err, "the contact forces do not settle");
  memcpy(r->rates->old.a, sim->y_t + s->nx, (size_t)s->nx * sizeof(double));
  memcpy(r->rates->old.f, sim->work.f, (size_t)s->nc * sizeof(double));
  memcpy(r->rates->old.z_t, sim->y_t + 2 * s->nx, (size_t)s->nz * sizeof(double));
  memcpy(r->aux_a, r->rates->old.a, (size_t)s->nx * sizeof(double));
  memcpy(r->aux_z, r->rates->old.z_t, (size_t)s->nz * sizeof(double));
  memcpy(r->y, sim->y, (size_t)s->ny * sizeof(double));
  /* the rates have added friction to the applied forces */
  cps_system_kinematics(s, &sim->work, sim->t, sim->y);
  keep_forces(r, sim->t, r->rates->old.f);
  return CPS_OK;
}

static cps_status accept(void *of, double from, double h, double t1, cps_error *err) {
  run *r = of;
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  add_work(r, t1);
  const body_rates *old = &r->rates->old, *now = &r->rates->now;
  cps_alpha_finish(&r->weights.v, s->nd, now->a, old->a, r->aux_a, r->aux_a);
  cps_alpha_finish(&r->weights.z, s->nz, now->z_t, old->z_t, r->aux_z, r->aux_z);
  memcpy(sim->y, r->y, (size_t)s->ny * sizeof(double));
  keep_forces(r, t1, now->f);
  alpha_note coeffs = {r->weights, now->a, now->f, now->z_t};
  step_note note = {.kind = NOTE_ALPHA, .t = t1, .h = h, .from = from, .alpha = &coeffs};
  sim->result.counters.factorisations = r->r.system.matrix.factored;
  return cps_note(sim, &note, err);
}

static cps_status give_up(void *of, double h, cps_error *err) {
  const run *r = of;
  int i = r->r.worst_contact;
  cps_simulation *sim = r->sim;
  if (r->stopped) return cps_simulation_stopped(sim, err);
  const cps_system *s = sim->system;
  if (i < 0)
    return cps_simulation_fail(sim, -1, err,
                               "Newton's method finds no balance of forces, even with steps of %.2g s: is a "
                               "spring or damper extremely stiff? Try a smaller run.step, or run.solver bdf",
                               h);
  if (cps_close_circle(s, r->da))
    return cps_simulation_fail(sim, i, err,
                               "contacts close a circle, as those of two blocks that rest on the ground and "
                               "on each other, so that their forces are not unique: "
                               "Newton's method finds none that fit the law %s, even with steps of %.2g s. "
                               "Try a wider regularisation, or leave out a contact "
                               "of the circle",
                               s->contacts[i].law->name, h);
  return cps_simulation_fail(
      sim, i, err,
      "Newton's method finds no friction force that fits the law %s, even with steps of "
      "%.2g s (v = %.3g m/s, n = %.3g N): try a wider regularisation, a smaller run.step, "
      "or run.solver bdf",
      s->contacts[i].law->name, h, sim->work.v[i], sim->work.n[i]);
}

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  cps_block_list(c, &r->state);
  CHECKPOINT_VALUE(c, "alpha.factored", r->r.system.matrix.factored);
}

static void forget(void *of) { cps_body_system_forget(&((run *)of)->r.system); }

static cps_status start(void *of, alpha_start why, cps_error *err) {
  run *r = of;
  step_note fired = {.kind = NOTE_GUARD, .contact = -1, .guard = -1, .restarts = 1};
  step_note note = {
      .kind = why == START_FIRST ? NOTE_START : NOTE_STOP, .contact = -1, .restarts = 1, .pinned = 1};
  cps_status status = why == START_AT_GUARD ? cps_note(r->sim, &fired, err) : CPS_OK;
  if (status == CPS_OK) status = find_rates(r, err);
  return status == CPS_OK ? cps_note(r->sim, &note, err) : status;
}

static void free_run(void *of) {
  run *r = of;
  cps_residual_free(&r->r);
  cps_block_free(&r->state);
  free(r);
}

static cps_status make_run(cps_simulation *sim, alpha_bodies *bodies, void **of, double *first,
                           cps_error *err) {
  const cps_system *s = sim->system;
  const scenario_run *set = &s->scenario->run;
  run *r = calloc(1, sizeof *r);
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  r->sim = sim;
  r->rates = bodies;
  *first = 1e-4 * (set->until - set->from);
  int springs = s->scenario->n_springs;
  const struct {
    const char *name;
    double **at;
    int n;
  } parts[] = {{"alpha.y", &r->y, s->ny},
               {"alpha.aux_a", &r->aux_a, s->nx},
               {"alpha.aux_z", &r->aux_z, s->nz},
               {"alpha.base_q", &r->base_q, s->nx},
               {"alpha.base_v", &r->base_v, s->nx},
               {"alpha.base_z", &r->base_z, s->nz},
               {"alpha.da", &r->da, s->nx},
               {"alpha.df", &r->df, s->nc},
               {"alpha.dz", &r->dz, s->nz},
               {"alpha.extension", &r->start.extension, springs},
               {"alpha.damper", &r->start.damper, springs},
               {"alpha.load", &r->start.load, s->n_loads},
               {"alpha.drive", &r->start.drive, s->nx}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) /* sens_bodies.c knows some by name */
    cps_block_part(&r->state, parts[i].name, parts[i].at, NULL, (size_t)parts[i].n);
  int good = cps_block_make(&r->state);
  bodies->y = r->y;
  cps_status status = good ? cps_residual_make(&r->r, s, &sim->work, err)
                           : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  if (status == CPS_OK)
    *of = r;
  else
    free_run(r);
  return status;
}

const alpha_equations cps_alpha_bodies = {.part = 1.0 / 50,
                                          .safety = 0.9,
                                          .make = make_run,
                                          .free = free_run,
                                          .start = start,
                                          .solve = solve_step,
                                          .accept = accept,
                                          .give_up = give_up,
                                          .list = list,
                                          .forget = forget};
