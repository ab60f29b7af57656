/* alpha.c - runs bodies and machines by generalised-alpha (alpha_rule.c): which steps it makes.
 *
 * The local error of a step decides whether it is taken, and how long the next one is; with run.step it is fixed. A step whose equations
 * do not converge is halved. A guard of a law with memory between bodies that fires within a step ends it.
 *
 * Steps end exactly at stops. What jumps at the end of a step is not yet seen there.
 */
#include "alpha.h"
#include "checkpoint.h"
#include "machine.h"

#include <math.h>
#include <stdlib.h>

/* Growth and shrinkage of a step. */
static const double GROW = 2, SHRINK = 0.2;

/* Where nothing happens errors would allow a step that is so many times as long; and the part of such a step that is tried where something
 * begins. */
static const double IDLE = 5, CAREFUL = 0.03;

/* Steps that fail more often than not and hardly get anywhere end the run, with a reason. */
enum { PATIENCE = 3000 };

/* A step that is this part of the run is taken whatever its error; one that does not converge when it is this part ends the run. */
static const double SHORTEST = 1e-9, HOPELESS = 1e-12;

/* A guard's time is known well enough if the step passes it by this part of its length at most; it is looked for that often. */
static const double PASSED = 1e-9;
enum { LOCATE_MOST = 40 };

/* Parts of a step in which a guard fires, to see what happens before it does. */
enum { SHORT = 16 };

typedef struct run {
  cps_simulation *sim;
  const alpha_equations *how;
  void *of;
  alpha_bodies bodies;
  int adaptive;
  double span, most;
  double h; /* next step */
  double wish,
      change; /* of the last step: by how much the next should have been longer, and was; 0: not known */
  double careful, short_step; /* until this time steps are short, to see what happens before a guard fires */
  /* steps and failures since the last look at how far they came */
  long mark_steps, failures;
  double mark;
  double seen; /* the time at which contacts were looked at last */
} run;

/* Of bodies, springs and contacts. */
static const cps_system *tables(const cps_simulation *sim) {
  return sim->machine ? sim->machine->system : sim->system;
}

/* ------------------------------------------------------------------ length of steps */

static int crawls(run *r) {
  long steps = r->sim->result.counters.steps - r->mark_steps;
  if (steps + r->failures < PATIENCE) return 0;
  int bad = r->failures > steps / 2 && r->sim->t - r->mark < 1e-3 * r->span;
  r->mark_steps += steps;
  r->mark = r->sim->t;
  r->failures = 0;
  return bad;
}

/* By how much the next step is longer than one with this error, over what is allowed: a digital filter (G. Soederlind, ACM Trans. Math.
 * Softw. 29(1), 2003, H211b with b = 4), which follows the trend of errors and not each of them. After a step that was not good
 * enough nothing is known but its own error, and the next does not grow. */
static double choose(run *r, double error, int good) {
  double wish = r->how->safety / cbrt(fmax(error, 1e-6));
  double change = good && r->wish > 0 ? pow(wish * r->wish / r->change, 0.25) : fmin(1, wish);
  r->wish = good ? wish : 0;
  r->change = fmin(GROW, fmax(SHRINK, change));
  return r->change;
}

/* ------------------------------------------------------------------ guards of laws with memory */

static void read_guards(run *r, double t, double *g) {
  const cps_simulation *sim = r->sim;
  const cps_system *s = tables(sim);
  const workspace *k = &sim->work;
  if (!r->bodies.guarded) return;
  if (r->how->look) r->how->look(r->of, t);
  r->seen = t;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int mode = cps_simulation_located(sim, i);
    if (mode < 0) continue;
    cps_law_input in = {k->v[i], k->n[i], k->f_eq[i], r->bodies.y + 2 * s->nx + c->z, mode};
    cps_law_guards(c->law, c->p, &in, g + (size_t)i * CPS_MAX_GUARDS, NULL);
  }
}

/* The part of the step that has been solved up to the first guard that has turned negative, by the secant; 1 if none has. */
static double first_crossing(run *r, double t1) {
  const cps_system *s = tables(r->sim);
  double least = 1;
  if (!r->bodies.guarded) return 1;
  read_guards(r, t1, r->bodies.guard1);
  for (int i = 0; i < s->nc; i++) {
    if (cps_simulation_located(r->sim, i) < 0) continue;
    for (int k = 0; k < s->contacts[i].law->n_guards; k++) {
      double g0 = r->bodies.guard[(size_t)i * CPS_MAX_GUARDS + (size_t)k];
      double g1 = r->bodies.guard1[(size_t)i * CPS_MAX_GUARDS + (size_t)k];
      if (g1 >= 0 || g0 < 0) continue;
      least = fmin(least, g0 / (g0 - g1) * (1 - 1e-15));
    }
  }
  return least;
}

static void take_back(const run *r) {
  if (r->how->take_back) r->how->take_back(r->of);
}

/* Solves a step anew with another length. */
static solved solve_again(const run *r, double h, double t1) {
  take_back(r);
  return r->how->solve(r->of, h, t1);
}

/* If a guard has fired within the step, shortens it to end just behind that, but not below `least`. The step has been solved with
 * *h, and is again on return. */
static solved locate(run *r, double *h, double t_end, double least) {
  double low = 0, high = *h, whole = *h, t = r->sim->t, part = first_crossing(r, t_end);
  if (part >= 1) return STEP_SOLVED;
  for (int it = 0; it < LOCATE_MOST && high - low > fmax(PASSED * high, least); it++) {
    double behind = part * high + 0.4 * fmax(PASSED * high, least); /* by the secant, and a little further */
    *h = it % 4 == 3 || !(behind > low) || !(behind < high) ? 0.5 * (low + high) : behind;
    solved how = solve_again(r, *h, t + *h);
    if (how != STEP_SOLVED) return how;
    double found = first_crossing(r, t + *h);
    if (found < 1) {
      high = *h;
      part = found;
    } else {
      low = *h;
    }
  }
  if (*h == high) return STEP_SOLVED;
  *h = high;
  return solve_again(r, high, high == whole ? t_end : t + high);
}

/* A guard fires within the step. In a mode the forces may be so simple that the step is long and passes over
 * what friction does just before, as near v = 0: 1 if it has to be taken in short steps first. */
static int look_again(run *r, double h, double t1) {
  double t = r->sim->t;
  if (!r->adaptive || t + h <= r->careful || first_crossing(r, t1) >= 1) return 0;
  r->short_step = h / SHORT;
  r->careful = t + h + r->short_step;
  return 1;
}

/* ------------------------------------------------------------------ errors */

/* The error of a step of length h, over what is allowed: that of the equations, or of bodies if it is larger. */
static double local_error(run *r, double h) {
  double error = r->how->error ? r->how->error(r->of) : 0;
  if (!r->bodies.judged) return error;
  const cps_simulation *sim = r->sim;
  alpha_bodies *b = &r->bodies;
  alpha_weights weights = cps_alpha_chosen(&sim->system->scenario->run, h);
  if (r->how->rates) r->how->rates(r->of, &b->now);
  return fmax(error,
              cps_body_error(&b->error, tables(sim), sim->work.w_ii, &weights, b->y, &b->old, &b->now));
}

/* Starts the method, at first or where something has jumped. */
static cps_status start(run *r, alpha_start why, cps_error *err) {
  cps_status status = r->how->start(r->of, why, err);
  r->bodies.error.length = 0;
  if (r->bodies.judged && r->how->rates) r->how->rates(r->of, &r->bodies.old);
  read_guards(r, r->sim->t, r->bodies.guard);
  return status;
}

/* ------------------------------------------------------------------ a step */

/* The step did not converge; nonzero: nor is it to be tried again. */
static int fails(run *r, double h, solved how) {
  r->sim->result.counters.rejected++;
  r->sim->result.counters.unsolved++;
  r->failures++;
  r->h = h / 2;
  r->wish = 0;
  return how == STEP_STOPPED || r->h < HOPELESS * r->span || crawls(r);
}

/* One step that is good, however often it takes. */
static cps_status advance(run *r, const stop *stop, cps_error *err) {
  cps_simulation *sim = r->sim;
  double from = sim->t, aim = stop->time;
  if (!r->adaptive) aim = cps_grid_next(&sim->system->scenario->run, r->most, from, aim);
  for (;;) {
    double left = aim - from, steps = ceil(left / fmin(r->h, r->most) * (1 - 1e-9));
    double h = steps > 1 ? left / steps : left, tried = h, end = steps > 1 ? from + h : aim;
    int jumps = steps <= 1 && aim == stop->time && stop->is_break;
    double t1 = jumps ? end - 1e-13 * h - 4e-16 * fabs(end) : end;
    solved how = r->how->solve(r->of, h, t1);
    double error = how == STEP_SOLVED && r->adaptive ? local_error(r, h) : 0;
    int good = how == STEP_SOLVED && (!(error > 1) || h <= SHORTEST * r->span);
    if (good && r->bodies.guarded) {
      if (look_again(r, h, t1)) {
        take_back(r);
        r->h = r->short_step;
        continue;
      }
      how = locate(r, &h, t1, 1e-14 * fmax(fabs(from), r->span));
      if (h < tried) t1 = end = from + h;
    }
    if (how != STEP_SOLVED) {
      if (fails(r, tried, how)) return r->how->give_up(r->of, r->h, err);
      continue;
    }
    r->h = fmin(r->most, h < tried ? tried : h * (r->adaptive ? choose(r, error, good) : GROW));
    if (good) {
      sim->t = end;
      sim->h = h;
      cps_status status = r->how->accept(r->of, from, h, t1, err);
      alpha_bodies *b = &r->bodies;
      if (b->judged) cps_body_error_step(&b->error, tables(sim), b->y, h, &b->old, &b->now);
      read_guards(r, t1, b->guard);
      return status;
    }
    take_back(r);
    sim->result.counters.rejected++;
  }
}

static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_status status = advance(r, stop, err);
  if (r->bodies.guarded && r->sim->t < r->careful) r->h = fmin(r->h, r->short_step);
  return status;
}

static cps_status restart(void *work, cps_error *err) { return start(work, START_AT_BREAK, err); }

/* Where something prescribed jumps after steps that were long because nothing happened, the next one is short: what their errors say about
 * its length is nothing, and it would be rejected. Steps that were short because such times lie close stay as they are. */
static void begin_carefully(run *r) {
  if (r->adaptive && r->wish > IDLE && r->h >= 0.5 * r->most) r->h *= CAREFUL;
}

/* Fires guards that are negative at the end of a step. */
static cps_status complete(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  int at_break = r->sim->t == stop->time && stop->is_break, fired = 0;
  if (at_break) begin_carefully(r);
  if (r->bodies.guarded && r->how->look) r->how->look(r->of, r->seen);
  cps_status status = r->bodies.guarded ? cps_simulation_settle(r->sim, &fired, err) : CPS_OK;
  if (at_break && r->how->row_first) r->sim->restart_due = 1;
  if (status != CPS_OK || !(fired || (at_break && !r->how->row_first))) return status;
  return start(r, fired ? START_AT_GUARD : START_AT_BREAK, err);
}

/* ------------------------------------------------------------------ a run */

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  r->how->list(c, r->of);
  cps_block_list(c, &r->bodies.state);
  CHECKPOINT_VALUE(c, "alpha.before", r->bodies.error.length);
  cps_checkpoint_demand(c, r->bodies.error.length >= 0, "alpha.before");
  CHECKPOINT_VALUE(c, "alpha.h", r->h);
  cps_checkpoint_demand(c, r->h > 0, "alpha.h");
  CHECKPOINT_VALUE(c, "alpha.wish", r->wish);
  CHECKPOINT_VALUE(c, "alpha.change", r->change);
  CHECKPOINT_VALUE(c, "alpha.careful", r->careful);
  CHECKPOINT_VALUE(c, "alpha.short_step", r->short_step);
  CHECKPOINT_VALUE(c, "alpha.mark_steps", r->mark_steps);
  CHECKPOINT_VALUE(c, "alpha.failures", r->failures);
  CHECKPOINT_VALUE(c, "alpha.mark", r->mark);
  CHECKPOINT_VALUE(c, "alpha.seen", r->seen);
}

static cps_status forget(void *work, cps_error *err) {
  run *r = work;
  (void)err;
  r->how->forget(r->of);
  return CPS_OK;
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  run *r = work;
  (void)forget(r, err);
  if (resumed) return CPS_OK;
  r->sim->restart_due = r->how->row_first;
  return r->how->row_first ? CPS_OK : start(r, START_FIRST, err);
}

static void snap(const void *work, stop *stop) {
  const run *r = work;
  if (!r->adaptive) cps_grid_snap(&r->sim->system->scenario->run, r->most, stop);
}

/* Fixed steps end on their grid, where rows mostly are: nothing is added, so that these do not lie within a step. */
static double longest(const void *work) {
  const run *r = work;
  return r->adaptive ? 1.01 * r->h : r->most;
}

static void rows(void *work, row_phase phase) {
  const run *r = work;
  if (r->how->rows) r->how->rows(r->of, phase);
}

static void free_run(void *work) {
  run *r = work;
  if (r->of) r->how->free(r->of);
  cps_block_free(&r->bodies.state);
  free(r);
}

/* Bodies alone have errors of their own, and so have those beside cables that have nothing to do with them, if steps are chosen. */
static int make_bodies(run *r) {
  const machine *m = r->sim->machine;
  const cps_system *s = tables(r->sim);
  alpha_bodies *b = &r->bodies;
  b->judged = !m || (r->adaptive && m->n_apart > 0);
  for (int i = 0; i < s->nc; i++) /* modes beside cables are chosen when the method starts */
    b->guarded |= m ? cps_contact_slide(m, i)->law.located : cps_simulation_located(r->sim, i) >= 0;
  size_t guards = b->guarded ? (size_t)s->nc * CPS_MAX_GUARDS : 0;
  if (m) b->error.counts = m->equations.counts;
  b->y = r->sim->y;
  if (b->judged) cps_body_error_parts(&b->state, s, &b->error, &b->old, &b->now);
  cps_block_part(&b->state, "alpha.guard", &b->guard, NULL, guards);
  cps_block_part(&b->state, "alpha.guard_new", &b->guard1, NULL, guards);
  return cps_block_make(&b->state);
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  const scenario_run *set = &sim->system->scenario->run;
  run *r = calloc(1, sizeof *r);
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *r = (run){.sim = sim,
             .how = sim->machine ? &cps_alpha_machine : &cps_alpha_bodies,
             .adaptive = !(set->step > 0),
             .span = set->until - set->from,
             .careful = -INFINITY,
             .mark = sim->t};
  r->most = r->adaptive ? cps_driver_longest(sim, r->how->part * r->span) : set->step;
  cps_status status = make_bodies(r) ? r->how->make(sim, &r->bodies, &r->of, &r->h, err)
                                     : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  if (status != CPS_OK) {
    free_run(r);
    return status;
  }
  if (!r->adaptive) r->h = r->most;
  *work = r;
  return CPS_OK;
}

const stepper cps_alpha = {.checkpoint_steps = CHECKPOINT_STEPS,
                           .make = make_run,
                           .free = free_run,
                           .begin = begin,
                           .restart = restart,
                           .snap = snap,
                           .longest = longest,
                           .rows = rows,
                           .step = step,
                           .complete = complete,
                           .list = list,
                           .forget = forget};
