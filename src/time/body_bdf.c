/* body_bdf.c - backward differentiation formulas of variable order, by SUNDIALS' CVODES.
 *
 * A. C. Hindmarsh et al., SUNDIALS, ACM Trans. Math. Softw. 31(3), 2005. CVODES integrates q' = v, v' = a,
 * z' = g, where accelerations and contact forces are solved for exactly in every evaluation (system.c): there
 * is nothing algebraic whose history could be lost, and after a jump nothing to make consistent. Its linear
 * systems are solved by body_cvode.c.
 *
 * Errors are measured by their largest entry over its tolerance, as in the other solvers, not by the mean
 * square: a thousand bodies at rest must not excuse one that moves. Work is integrated along as quadratures.
 * Outputs are interpolated; the steps end exactly where something prescribed jumps and see only what is
 * before. Guards of laws with memory are located by CVODES' root finding.
 */
#include "body_cvode.h"
#include "solver_vector.h"
#include "step_notes.h"
#include "steppers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 16, ARRAYS = 14 };

/* Steps after which the integration starts anew, so that nothing hangs on the history that CVODES holds: a
 * checkpoint taken there is exact. Coming back to the full order costs some thirty short steps. */
enum { FRESH_START = 2000 };

/* What is near rest, and how well velocities must be known there, in widths of the law. */
static const double NEAR = 4, SEEN = 0.01;

/* What Newton's matrix may be wrong by: CVODES itself forms it anew where gamma has changed by 0.3. */
static const double STALE = 0.3;

typedef struct run {
  cps_simulation *sim;
  cps_error *err;
  residual r;
  double *arrays[ARRAYS]; /* owned: all those below */
  body_cvode method;
  N_Vector w;      /* work [nw], then friction's impulse over mass [nc] */
  long counted[3]; /* of CVODES' counters, since its last restart */
  double gamma;
  int fresh;             /* linearised in this step, */
  int evaluated;         /* and an evaluation was made since the last solution */
  double latest;         /* evaluations are not made after this time, where something jumps */
  double *state, *rates; /* [ny] as the system has them */
  double *a, *f, *z_t;   /* of the last linearisation */
  residual_room room;
  int n_guards, *fired; /* guards of laws with memory, and which of them CVODES found */
  double *kept;         /* [ny] state after the last accepted step, if there are guards */
  double careful;       /* until this time steps are short, to see what happens before a guard fires */
  double reached;       /* the end of the last step, */
  int found;            /* what CVODES returned for it, */
  double stop_time;     /* and where CVODES has been told to stop; NAN: nothing yet */
  int again;            /* it has to start anew before the next step */
  int restarted;        /* and has done so since the last step */
  int failed_contact;
  const bdf_follower *along; /* changes of state to integrate along; NULL: none */
  int n_along;
  N_Vector *y_along, *w_along;
  double *dy, *dy_t; /* [ny] room for changes */
} run;

/* ------------------------------------------------------------------ errors */

/* The largest weighted entry, in place of the root mean square. */
static realtype largest(N_Vector x, N_Vector weight) {
  const double *a = N_VGetArrayPointer(x), *b = N_VGetArrayPointer(weight);
  double most = 0;
  for (sunindextype i = 0; i < N_VGetLength(x); i++) {
    double size = fabs(a[i] * b[i]);
    if (!(size <= most)) most = size; /* NaN goes through */
  }
  return most;
}

/* Weights of errors. Near rest, a velocity that is known to its own digits may still be too uncertain for a
 * law that changes within epsilon: there it has to be known to a part of that. */
static int weights(N_Vector x, N_Vector weight, void *data) {
  run *r = data;
  const cps_system *s = r->sim->system;
  const scenario_run *set = &s->scenario->run;
  const double *y = N_VGetArrayPointer(x);
  double *w = N_VGetArrayPointer(weight), *w_v = w + s->nx;
  for (int i = 0; i < s->nx + s->nd + s->nz; i++)
    w[i] = 1 / (set->tolerance * fabs(y[i]) + set->tolerance_abs);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (c->n_states > 0) continue;
    cps_law_scale scale;
    cps_law_scales(c->law, c->p, r->sim->work.n[i], &scale);
    double width = scale.v_band > 0 ? scale.v_band : scale.v_scale;
    if (fabs(r->sim->work.v[i]) > NEAR * width) continue;
    w_v[c->a] = fmax(w_v[c->a], 1 / (SEEN * width));
    if (c->b < s->nd) w_v[c->b] = fmax(w_v[c->b], 1 / (SEEN * width));
  }
  return 0;
}

/* ------------------------------------------------------------------ what CVODES calls */

static int evaluate(run *r, double t, N_Vector x) {
  const cps_system *s = r->sim->system;
  cps_cvode_unpack(s, x, r->state);
  workspace *k = &r->sim->work;
  cps_status status = cps_system_rates(s, k, fmin(t, r->latest), r->state, r->sim->mode, r->rates);
  r->failed_contact = status == CPS_OK ? -1 : k->failed_contact;
  return status == CPS_OK ? 0 : 1;
}

static int rates(realtype t, N_Vector x, N_Vector x_t, void *data) {
  run *r = data;
  const cps_system *s = r->sim->system;
  int failed = evaluate(r, t, x);
  r->evaluated = 1;
  cps_cvode_pack(s, r->rates, x_t);
  cps_cvode_still(s, N_VGetArrayPointer(x_t));
  return failed;
}

static int powers(realtype t, N_Vector x, N_Vector w_t, void *data) {
  run *r = data;
  const cps_system *s = r->sim->system;
  int failed = evaluate(r, t, x);
  double *out = N_VGetArrayPointer(w_t);
  memcpy(out, r->rates + 2 * s->nx + s->nz, (size_t)s->nw * sizeof(double));
  for (int i = 0; i < s->nc; i++) out[s->nw + i] = r->sim->work.f[i] * r->sim->work.w_ii[i];
  return failed;
}

/* Guards of all contacts that carry a mode along. */
static int guards(realtype t, N_Vector x, realtype *g, void *data) {
  run *r = data;
  const cps_system *s = r->sim->system;
  if (evaluate(r, t, x)) return 1;
  const workspace *k = &r->sim->work;
  int n = 0;
  for (int i = 0; i < s->nc; i++) {
    if (r->sim->mode[i] < 0) continue;
    const contact *c = &s->contacts[i];
    cps_law_input in = {k->v[i], k->n[i], k->f_eq[i], r->state + 2 * s->nx + c->z, r->sim->mode[i]};
    cps_law_guards(c->law, c->p, &in, g + n, NULL);
    n += c->law->n_guards;
  }
  return 0;
}

/* Linearises at a state (unless the last linearisation will do), and factors for a new gamma. */
static int linearise(realtype t, N_Vector x, N_Vector x_t, SUNMatrix matrix, booleantype good_enough,
                     booleantype *current, realtype gamma, void *data, N_Vector a, N_Vector b, N_Vector c) {
  run *r = data;
  const cps_system *s = r->sim->system;
  (void)x_t, (void)matrix, (void)a, (void)b, (void)c;
  *current = r->fresh = !good_enough;
  r->gamma = gamma;
  if (!good_enough) {
    if (evaluate(r, t, x)) return 1;
    memcpy(r->a, r->rates + s->nx, (size_t)s->nx * sizeof(double));
    memcpy(r->f, r->sim->work.f, (size_t)s->nc * sizeof(double));
    memcpy(r->z_t, r->rates + 2 * s->nx, (size_t)s->nz * sizeof(double));
    cps_residual_eval(&r->r, fmin(t, r->latest), r->state, r->a, r->f, r->z_t, r->sim->mode);
  }
  return cps_residual_factor(&r->r, gamma * gamma, gamma, gamma) ? 0 : 1;
}

/* Whether the slope of a friction law, which CVODES keeps for up to fifty steps, has become that much another since the last
 * linearisation that Newton's matrix is wrong by STALE of itself. One that is too stiff makes small corrections of what is far from
 * balance, and CVODES takes small corrections for convergence: a contact that begins to slide (slope n a/v of dieterich) was 100 times
 * too slow, until no step was short enough. */
static int is_stale(const run *r) {
  const cps_system *s = r->sim->system;
  const workspace *k = &r->sim->work;
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    if (c->law->traits & CPS_NEEDS_FEQ) continue; /* its slope is that of its group of contacts */
    cps_law_input in = {k->v[i], k->n[i], 0, r->state + 2 * s->nx + c->z, r->sim->mode[i]};
    cps_law_output out;
    cps_law_jacobian jac;
    cps_law_eval(c->law, c->p, &in, &out, &jac);
    double before = r->r.law[i].v, by = r->gamma * k->w_ii[i];
    if (by * fabs(jac.f.v - before) > STALE * (1 + by * fabs(before))) return 1;
  }
  return 0;
}

/* A matrix that is out of date is refused, so that CVODES has it made anew and repeats the iteration. */
static int solve(SUNLinearSolver linear, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance) {
  run *r = linear->content;
  (void)matrix, (void)tolerance;
  if (r->evaluated && !r->fresh && is_stale(r)) return SUNLS_PACKAGE_FAIL_REC;
  r->evaluated = 0;
  return cps_cvode_solve(r->sim->system, &r->r, r->gamma, b, x, r->dy, &r->room) ? 0 : SUNLS_PACKAGE_FAIL_REC;
}

/* ------------------------------------------------------------------ changes of state along with it */

static void *follower_data(const run *r) { return r->sim->follow.data; }

/* The rate of change i. */
static int along_rates(int n, realtype t, N_Vector x, N_Vector x_t, int i, N_Vector s, N_Vector s_t,
                       void *data, N_Vector a, N_Vector b) {
  run *r = data;
  const cps_system *sys = r->sim->system;
  (void)n, (void)x_t, (void)a, (void)b;
  cps_cvode_unpack(sys, x, r->state);
  memset(r->dy, 0, (size_t)sys->ny * sizeof(double));
  cps_cvode_unpack(sys, s, r->dy);
  if (!r->along->along(follower_data(r), i, fmin(t, r->latest), r->state, r->dy, r->dy_t)) return 1;
  cps_cvode_pack(sys, r->dy_t, s_t);
  cps_cvode_still(sys, N_VGetArrayPointer(s_t));
  return 0;
}

static int along_powers(int n, realtype t, N_Vector x, N_Vector *s, N_Vector w_t, N_Vector *s_t, void *data,
                        N_Vector a, N_Vector b) {
  run *r = data;
  const cps_system *sys = r->sim->system;
  (void)w_t, (void)a, (void)b;
  cps_cvode_unpack(sys, x, r->state);
  for (int i = 0; i < n; i++) {
    memset(r->dy, 0, (size_t)sys->ny * sizeof(double));
    cps_cvode_unpack(sys, s[i], r->dy);
    if (!r->along->along(follower_data(r), i, fmin(t, r->latest), r->state, r->dy, r->dy_t)) return 1;
    N_VConst(0, s_t[i]);
    memcpy(N_VGetArrayPointer(s_t[i]), r->dy_t + 2 * sys->nx + sys->nz, (size_t)sys->nw * sizeof(double));
  }
  return 0;
}

static void put_changes(const run *r) {
  const cps_system *s = r->sim->system;
  for (int i = 0; r->along && i < r->along->n; i++) {
    const double *dy = r->along->change(follower_data(r), i);
    cps_cvode_pack(s, dy, r->y_along[i]);
    N_VConst(0, r->w_along[i]);
    memcpy(N_VGetArrayPointer(r->w_along[i]), dy + 2 * s->nx + s->nz, (size_t)s->nw * sizeof(double));
  }
}

/* Changes at time t, not after the last step; 0 if there are none. */
static int get_changes(const run *r, double t) {
  const cps_system *s = r->sim->system;
  for (int i = 0; r->along && i < r->along->n; i++) {
    if (CVodeGetSensDky1(r->method.cvode, t, 0, i, r->y_along[i]) != CV_SUCCESS ||
        CVodeGetQuadSensDky1(r->method.cvode, t, 0, i, r->w_along[i]) != CV_SUCCESS)
      return 0;
    double *dy = r->along->change(follower_data(r), i);
    cps_cvode_unpack(s, r->y_along[i], dy);
    memcpy(dy + 2 * s->nx + s->nz, N_VGetArrayPointer(r->w_along[i]), (size_t)s->nw * sizeof(double));
  }
  return 1;
}

static int make_changes(run *r) {
  if (!r->along) return 1;
  int n = r->n_along = r->along->n;
  void *c = r->method.cvode;
  r->y_along = N_VCloneVectorArray(n, r->method.y);
  r->w_along = N_VCloneVectorArray(n, r->w);
  if (!r->y_along || !r->w_along) return 0;
  put_changes(r);
  if (CVodeSensInit1(c, n, CV_STAGGERED, along_rates, r->y_along) != CV_SUCCESS) {
    r->method.cvode = NULL; /* that was refused memory cannot be freed without a crash: it is left alone */
    return 0;
  }
  return CVodeSetSensParams(c, NULL, (realtype *)r->along->scale, NULL) == CV_SUCCESS &&
         CVodeSensEEtolerances(c) == CV_SUCCESS && CVodeSetSensErrCon(c, SUNTRUE) == CV_SUCCESS &&
         CVodeQuadSensInit(c, along_powers, r->w_along) == CV_SUCCESS &&
         CVodeQuadSensEEtolerances(c) == CV_SUCCESS && CVodeSetQuadSensErrCon(c, SUNFALSE) == CV_SUCCESS;
}

static int restart_changes(run *r) {
  if (!r->along) return 1;
  put_changes(r);
  return CVodeSensReInit(r->method.cvode, CV_STAGGERED, r->y_along) == CV_SUCCESS &&
         CVodeQuadSensReInit(r->method.cvode, r->w_along) == CV_SUCCESS;
}

static cps_status tell(const run *r, step_note note) { return cps_note(r->sim, &note, r->err); }

/* ------------------------------------------------------------------ making */

/* Puts the simulation's state into the vectors. */
static void put_state(const run *r) {
  const cps_system *s = r->sim->system;
  cps_cvode_pack(s, r->sim->y, r->method.y);
  memcpy(N_VGetArrayPointer(r->w), r->sim->y + 2 * s->nx + s->nz, (size_t)s->nw * sizeof(double));
}

static int make_cvode(run *r) {
  const cps_system *s = r->sim->system;
  const scenario_run *set = &s->scenario->run;
  const cvode_calls calls = {rates, linearise, solve, largest};
  if (!cps_cvode_make(&r->method, s, &calls, r->sim->t, r->sim->y, r)) return 0;
  r->w = cps_vector_new(s->nw + s->nc, r->method.context);
  if (!r->w) return 0;
  r->w->ops->nvwrmsnorm = largest;
  N_VConst(0, r->w);
  put_state(r);
  void *c = r->method.cvode;
  int *directions = calloc(r->n_guards > 0 ? (size_t)r->n_guards : 1, sizeof(int));
  if (!directions) return 0;
  for (int i = 0; i < r->n_guards; i++) directions[i] = -1;
  int good = CVodeWFtolerances(c, weights) == CV_SUCCESS && CVodeQuadInit(c, powers, r->w) == CV_SUCCESS &&
             CVodeQuadSStolerances(c, set->tolerance, set->tolerance_abs) == CV_SUCCESS &&
             CVodeSetQuadErrCon(c, SUNTRUE) == CV_SUCCESS &&
             (r->n_guards == 0 || (CVodeRootInit(c, r->n_guards, guards) == CV_SUCCESS &&
                                   CVodeSetRootDirection(c, directions) == CV_SUCCESS &&
                                   CVodeSetNoInactiveRootWarn(c) == CV_SUCCESS)) &&
             make_changes(r);
  free(directions);
  return good && cps_vector_whole(r->method.y) && cps_vector_whole(r->w);
}

static void free_cvode(run *r) {
  if (r->method.cvode) CVodeFree(&r->method.cvode); /* before the vectors, whose clones it has */
  if (r->y_along) N_VDestroyVectorArray(r->y_along, r->n_along);
  if (r->w_along) N_VDestroyVectorArray(r->w_along, r->n_along);
  r->y_along = r->w_along = NULL;
  if (r->w) N_VDestroy(r->w);
  r->w = NULL;
  cps_cvode_free(&r->method);
}

/* ------------------------------------------------------------------ a run */

/* Adds what CVODES' counters, which start again with every restart, have gained. */
static void count(void *work) {
  run *r = work;
  long now[3] = {0};
  cps_counters *n = &r->sim->result.counters;
  CVodeGetNumErrTestFails(r->method.cvode, &now[0]);
  CVodeGetNumStepSolveFails(r->method.cvode, &now[1]);
  CVodeGetNumNonlinSolvIters(r->method.cvode, &now[2]);
  n->rejected += now[0] - r->counted[0] + now[1] - r->counted[1];
  n->unsolved += now[1] - r->counted[1];
  n->newton += now[2] - r->counted[2];
  memcpy(r->counted, now, sizeof now);
  n->factorisations = r->r.system.matrix.factored;
}

/* Starts from the simulation's state, and starts again where something has jumped. */
static cps_status restart(run *r, int begins) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  cps_solver_release(sim);
  cps_system_kinematics(s, &sim->work, sim->t, sim->y);
  cps_status status = tell(r,
                           (step_note){.kind = begins ? NOTE_START : NOTE_STOP, .contact = -1, .pinned = 1});
  if (status != CPS_OK) return status;
  put_state(r);
  count(r);
  if (CVodeReInit(r->method.cvode, sim->t, r->method.y) != CV_SUCCESS ||
      CVodeQuadReInit(r->method.cvode, r->w) != CV_SUCCESS || !restart_changes(r))
    return cps_simulation_fail(sim, -1, r->err, "SUNDIALS cannot start again here");
  memset(r->counted, 0, sizeof r->counted);
  r->stop_time = NAN;
  r->again = 0;
  r->restarted = 1;
  return CPS_OK;
}

/* Puts CVODES' state of time t, not after its last step, into the simulation. */
static cps_status fetch(run *r, double t) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  if (CVodeGetDky(r->method.cvode, t, 0, r->method.y) != CV_SUCCESS ||
      CVodeGetQuadDky(r->method.cvode, t, 0, r->w) != CV_SUCCESS || !get_changes(r, t))
    return cps_simulation_fail(sim, -1, r->err, "SUNDIALS has no value for t = %.9g s", t);
  sim->t = t;
  cps_cvode_unpack(s, r->method.y, sim->y);
  memcpy(sim->y + 2 * s->nx + s->nz, N_VGetArrayPointer(r->w), (size_t)s->nw * sizeof(double));
  return CPS_OK;
}

/* Fires the guards that CVODES has found at zero. */
static cps_status fire(run *r) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  int n = 0;
  CVodeGetRootInfo(r->method.cvode, r->fired);
  cps_system_kinematics(s, &sim->work, sim->t, sim->y);
  for (int i = 0; i < s->nc; i++) {
    const contact *c = &s->contacts[i];
    int mode = sim->mode[i], count_guards = mode < 0 ? 0 : c->law->n_guards;
    for (int k = 0; k < count_guards; k++) {
      if (!r->fired[n + k]) continue;
      double *z = sim->y + 2 * s->nx + c->z, next[CPS_MAX_STATES];
      cps_law_input in = {sim->work.v[i], sim->work.n[i], sim->work.f_eq[i], z, mode};
      sim->mode[i] = cps_law_transition(c->law, c->p, &in, k, next, NULL);
      memcpy(z, next, (size_t)c->n_states * sizeof(double));
      cps_status status = sim->mode[i] == mode ? CPS_OK
                                               : cps_simulation_event(sim, i, mode, sim->mode[i], r->err);
      if (status == CPS_OK) status = tell(r, (step_note){.kind = NOTE_GUARD, .contact = i, .guard = k});
      if (status != CPS_OK) return status;
      break;
    }
    n += count_guards;
  }
  return CPS_OK;
}

/* Fires guards that root finding has missed; *jumped if a mode or a state has changed by it. */
static cps_status settle(run *r, int *jumped) {
  cps_simulation *sim = r->sim;
  const cps_system *s = sim->system;
  const double *z = sim->y + 2 * s->nx;
  long events = sim->result.n_events;
  memcpy(r->room.dz_t, z, (size_t)s->nz * sizeof(double));
  cps_status status = cps_simulation_settle(sim, NULL, r->err);
  if (sim->result.n_events == events && memcmp(r->room.dz_t, z, (size_t)s->nz * sizeof(double)) == 0)
    return status;
  *jumped = 1;
  if (status == CPS_OK) status = tell(r, (step_note){.kind = NOTE_END});
  return status == CPS_OK ? tell(r, (step_note){.kind = NOTE_GUARD, .contact = -1, .guard = -1}) : status;
}

static cps_status complain(run *r, int flag) {
  int i = r->failed_contact;
  double h = 0;
  if (flag != CV_TOO_MUCH_ACC && cps_close_circle(r->sim->system, r->dy))
    return cps_simulation_fail(r->sim, i, r->err,
                               "contacts close a circle, as those of two blocks that rest on the ground and "
                               "on each other: their forces are not unique, and jump "
                               "where velocities do not, which bdf cannot follow. Use run.solver alpha");
  CVodeGetCurrentStep(r->method.cvode, &h);
  switch (flag) {
  case CV_TOO_MUCH_ACC:
    return cps_simulation_fail(r->sim, i, r->err,
                               "run.tolerance asks for more digits than numbers have: loosen it");
  case CV_ERR_FAILURE:
    return cps_simulation_fail(r->sim, i, r->err,
                               "the error stays too large even with steps of %.2g s: something jumps that no "
                               "event announces; loosen run.tolerance, or try a wider regularisation",
                               h);
  case CV_CONV_FAILURE:
  case CV_LSETUP_FAIL:
  case CV_LSOLVE_FAIL:
    return cps_simulation_fail(r->sim, i, r->err,
                               "Newton's method finds no balance of forces, even with steps of %.2g s: try a "
                               "wider regularisation of friction, or run.solver alpha",
                               h);
  case CV_TOO_CLOSE:
  case CV_ILL_INPUT:
    return cps_simulation_fail(r->sim, -1, r->err,
                               "no step fits into what is left, %.2g s until run.until: is that meant?",
                               r->sim->system->scenario->run.until - r->sim->t);
  default: /* an evaluation failed again and again */
    return cps_simulation_fail(
        r->sim, i, r->err, "the contact forces do not settle: try another friction law (SUNDIALS status %d)",
        flag);
  }
}

/* A guard has fired at t, in a step from `before`. In a mode the forces may be so simple that the step was
 * long and passed over what friction does just before, as near v = 0: goes back and takes it in short steps.
 * 1 if that is to be done, 0 if it has been. */
static int look_again(run *r, double before, double t) {
  cps_simulation *sim = r->sim;
  const scenario_run *set = &sim->system->scenario->run;
  double part = (t - before) / SHORT;
  if (t <= r->careful || !(part > 1e-13 * fmax(fabs(t), set->until - set->from))) {
    CVodeSetMaxStep(r->method.cvode, cps_cvode_longest(set));
    return 0;
  }
  memcpy(sim->y, r->kept, (size_t)sim->system->ny * sizeof(double));
  sim->t = before;
  r->careful = t + 2 * part;
  CVodeSetMaxStep(r->method.cvode, fmin(part, cps_cvode_longest(set)));
  return 1;
}

/* Tells CVODES where to stop. What is prescribed is not looked at where it jumps, unless that is the end. */
static void set_stop(run *r, const stop *stop) {
  if (r->stop_time == stop->time) return;
  if (isnan(r->stop_time)) /* a new start */
    r->latest = stop->jump < stop->end
                    ? stop->jump - 1e-13 * (stop->jump - r->sim->t) - 4e-16 * fabs(stop->jump)
                    : INFINITY;
  r->stop_time = stop->time;
  CVodeSetStopTime(r->method.cvode, stop->time);
}

/* One step of CVODES. */
static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  const scenario_run *set = &sim->system->scenario->run;
  double before = sim->t;
  r->err = err;
  r->fresh = 0;
  for (;;) {
    if (r->again) {
      cps_status status = restart(r, 0);
      if (status != CPS_OK) return status;
    }
    set_stop(r, stop);
    r->found = CVode(r->method.cvode, stop->time, r->method.y, &r->reached, CV_ONE_STEP);
    if (r->found < 0) return complain(r, r->found);
    if (r->found != CV_ROOT_RETURN || !look_again(r, before, r->reached)) break;
    r->again = 1;
  }
  if (r->n_guards > 0 && r->reached > r->careful && before <= r->careful)
    CVodeSetMaxStep(r->method.cvode, cps_cvode_longest(set));
  r->restarted = 0;
  sim->h = r->reached - before;
  return CPS_OK;
}

static double reached(const void *work) { return ((const run *)work)->reached; }

static cps_status between(void *work, double t, cps_error *err) {
  run *r = work;
  r->err = err;
  /* a row that is one with the start of the step may lie before it by round-off, and behind it CVODES knows nothing */
  cps_status status = fetch(r, fmax(t, r->reached - r->sim->h));
  if (status == CPS_OK) r->sim->t = t;
  return status;
}

static cps_status complete(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  r->err = err;
  cps_status status = fetch(r, r->reached);
  if (status == CPS_OK) status = tell(r, (step_note){.kind = NOTE_SMOOTH});
  if (status != CPS_OK) return status;
  if (r->found == CV_ROOT_RETURN) {
    status = tell(r, (step_note){.kind = NOTE_END});
    if (status == CPS_OK) status = fire(r);
    r->again = 1;
  } else if (r->n_guards > 0) {
    status = settle(r, &r->again);
  }
  if (r->n_guards > 0) memcpy(r->kept, sim->y, (size_t)sim->system->ny * sizeof(double));
  if (status != CPS_OK || sim->t != stop->time || !(stop->is_break || stop->is_end)) return status;
  status = tell(r, (step_note){.kind = NOTE_END});
  if (!stop->is_end) return status == CPS_OK ? restart(r, 0) : status;
  r->again |= stop->is_break;
  return status;
}

/* A fresh start may be made, but not where steps are kept short. */
static int ready(const void *work) { return ((const run *)work)->sim->t > ((const run *)work)->careful; }

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  cps_checkpoint_array(c, "bdf.kept", r->kept, r->sim->system->ny);
  CHECKPOINT_VALUE(c, "bdf.careful", r->careful);
  CHECKPOINT_VALUE(c, "bdf.factored", r->r.system.matrix.factored);
}

/* Makes CVODES anew from the simulation's state: nothing hangs on its history, or on pivots. */
static cps_status make_anew(run *r) {
  free_cvode(r);
  cps_body_system_forget(&r->r.system);
  memset(r->counted, 0, sizeof r->counted);
  r->stop_time = NAN;
  r->again = 0;
  r->restarted = 1;
  return make_cvode(r)
             ? CPS_OK
             : cps_error_set(r->err, CPS_NO_MEMORY, NULL, "out of memory: SUNDIALS cannot be set up");
}

static cps_status forget(void *work, cps_error *err) {
  run *r = work;
  r->err = err;
  cps_status status = r->restarted ? CPS_OK : restart(r, 0);
  count(r);
  return status == CPS_OK ? make_anew(r) : status;
}

static cps_status start_anew(void *work, cps_error *err) {
  run *r = work;
  r->err = err;
  return restart(r, 0);
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  run *r = work;
  r->err = err;
  if (resumed) return make_anew(r);
  cps_status status = restart(r, 1);
  memcpy(r->kept, r->sim->y, (size_t)r->sim->system->ny * sizeof(double));
  return status;
}

static void free_run(void *work) {
  run *r = work;
  free_cvode(r);
  cps_residual_free(&r->r);
  for (int i = 0; i < ARRAYS; i++) free(r->arrays[i]);
  free(r->fired);
  free(r);
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  const cps_system *s = sim->system;
  cps_status status = CPS_OK;
  run *r = calloc(1, sizeof *r);
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *work = r;
  *r = (run){.sim = sim,
             .err = err,
             .latest = INFINITY,
             .careful = -INFINITY,
             .failed_contact = -1,
             .stop_time = NAN,
             .along = sim->follow.bdf};
  for (int i = 0; i < s->nc; i++)
    if (sim->mode[i] >= 0) r->n_guards += s->contacts[i].law->n_guards;
  struct {
    double **at;
    int n;
  } arrays[ARRAYS] = {
      {&r->state, s->ny},    {&r->rates, s->ny},    {&r->kept, s->ny},     {&r->a, s->nx},
      {&r->f, s->nc},        {&r->z_t, s->nz},      {&r->dy, s->ny},       {&r->dy_t, r->along ? s->ny : 0},
      {&r->room.r_a, s->nx}, {&r->room.r_f, s->nc}, {&r->room.r_z, s->nz}, {&r->room.da, s->nx},
      {&r->room.df, s->nc},  {&r->room.dz_t, s->nz}};
  r->fired = calloc(r->n_guards > 0 ? (size_t)r->n_guards : 1, sizeof(int));
  int good = r->fired != NULL;
  for (int i = 0; i < ARRAYS; i++) {
    *arrays[i].at = r->arrays[i] = calloc(arrays[i].n > 0 ? (size_t)arrays[i].n : 1, sizeof(double));
    good = good && r->arrays[i];
  }
  status = good ? cps_residual_make(&r->r, s, &sim->work, err)
                : cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  if (status == CPS_OK && !make_cvode(r))
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory: SUNDIALS cannot be set up");
  if (status != CPS_OK) free_run(r);
  return status;
}

const stepper cps_body_bdf = {.traits = STEPPER_INTERPOLATES,
                              .checkpoint_steps = FRESH_START,
                              .make = make_run,
                              .free = free_run,
                              .begin = begin,
                              .restart = start_anew,
                              .step = step,
                              .reached = reached,
                              .between = between,
                              .complete = complete,
                              .list = list,
                              .forget = forget,
                              .ready = ready,
                              .count = count};
