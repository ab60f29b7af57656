/* cable_bdf.c - runs cables by backward differentiation formulas of variable order, by SUNDIALS' IDA.
 *
 * (A. C. Hindmarsh et al., SUNDIALS, ACM Trans. Math. Softw. 31(3), 2005.) IDA integrates [q | v | z]: places,
 * velocities, states of friction laws,
 *
 *   q' = v,   M v' = Q(q, v) + A' f,   f = F(v, e, n, z),   z' = g,
 *
 * it predicts, chooses step and order, and tests errors. Finding the point where the equations hold is left to a
 * nonlinear solver of our own: IDA asks for the correction e with y = y_p + e, y' = y'_p + cj e. The first equation
 * then gives e_v = q'_p - v_p + cj e_q, so that velocities and accelerations follow the places,
 *
 *   v = q'_p + cj e_q,   v' = v'_p + cj (q'_p - v_p) + cj^2 e_q,   z = (z_p - z'_p/cj) + z'/cj,
 *
 * and what is left are the equations of the machine with dv = cj dq, da = cj^2 dq, which cps_newton_solve solves in
 * O(n) with the friction forces as further unknowns. These have no history: IDA never sees them.
 *
 * The error test looks at places, as alpha does: the root mean square over the nodes of a cable. Order is 2 at most,
 * as higher ones are not stable along the imaginary axis, where the hardly damped bounce of loads lies. Outputs are
 * interpolated, and accelerations and friction forces solved for there, so that forces balance; works of a row are those
 * up to the start of its step and from there to the row. Nothing of a row is left when the step is complete, so that runs do not depend on
 * how often they are looked at.
 */
#include "checkpoint.h"
#include "newton.h"
#include "solver_vector.h"
#include "steppers.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 2, NEWTON_MOST = 15, TRIES = 40 };

/* Newton's tolerance: force left over relative to the tension. */
static const double BALANCED = 1e-6;

/* Weight of what the error test does not look at, which IDA wants to be positive; and how much looser relative
 * errors of states of laws may be than those of places: they are forgotten within a short slide. */
static const double WEIGHTLESS = 1e-30, STATES = 1e4;

/* What is left of the way to where a run stops, in steps, that is round-off and no step of its own. */
static const double SLIVER = 1e-8;

/* All that changes in a machine, in one order. */
typedef struct flat {
  double *q, *v, *a; /* [nq] coordinates of cables, then of the border */
  double *f;         /* [nf] */
  double *z, *z_t;   /* [nz] */
  drum *drum;
  double *surface; /* [nx] places of surfaces, among those of bodies */
} flat;

typedef struct run {
  cps_simulation *sim;
  machine *m;
  cps_error *err;
  SUNContext context;
  void *ida;
  N_Vector y, y_t;
  SUNNonlinearSolver newton;
  int nq, nf, nz;
  flat now, end;
  double kept;   /* time of the state that is kept in the machine */
  double now_at; /* end of the last step */
  double latest; /* nothing is evaluated after this time, where something jumps */
  double tolerance;
  long iterations;
  double stop_time;     /* where IDA has been told to stop; NAN: nothing yet */
  long counted[2];      /* of IDA's counters, since its last restart */
  int passed_rows;      /* the machine has been put to places within the last step, */
  states_aside *end_at; /* and this is the state where it ended */
  /* of the last step */
  step_coeffs coeffs;
  int order;
  double reached;           /* its end, as IDA has it */
  double steps[BDF_POINTS]; /* length of it and of those before, since the last restart; 0: there was none */
} run;

/* ------------------------------------------------------------------ states */

static int entries(const cable *c) { return (c->n + 1) * c->b; }

static int is_force(const machine *m, int k) { return m->free[k].kind != DOF_PLACE; }

/* Reads the machine. */
static void take(const run *r, const flat *o) {
  const machine *m = r->m;
  int at = 0, f = 0, z = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    size_t bytes = (size_t)entries(c) * sizeof(double);
    memcpy(o->q + at, c->q, bytes);
    memcpy(o->v + at, c->v, bytes);
    memcpy(o->a + at, c->a, bytes);
    at += entries(c);
    for (int k = 0; k < c->n_points; k++)
      for (int j = 0; j < AXES; j++) o->f[f++] = c->point[k].f[j];
  }
  for (int k = 0; k < m->nb; k++) {
    o->q[at + k] = *m->free[k].q;
    o->v[at + k] = *m->free[k].v;
    o->a[at + k] = *m->free[k].a;
  }
  for (int i = 0; i < m->n_sites; i++) {
    const law_site *y = &m->site[i];
    for (int j = 0; j < y->axes; j++)
      for (int k = 0; k < y->law->law->n_states; k++, z++) {
        o->z[z] = y->y->z[j][k];
        o->z_t[z] = y->y->z_t[j][k];
      }
  }
  memcpy(o->drum, m->drum, (size_t)m->n_drums * sizeof *m->drum);
  memcpy(o->surface, m->y, (size_t)m->system->nx * sizeof(double));
}

/* Puts places, velocities and accelerations into the machine; friction forces stay. */
static void give_motion(const run *r, const flat *o) {
  machine *m = r->m;
  int at = 0;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    size_t bytes = (size_t)entries(c) * sizeof(double);
    memcpy(c->q, o->q + at, bytes);
    memcpy(c->v, o->v + at, bytes);
    memcpy(c->a, o->a + at, bytes);
    at += entries(c);
  }
  for (int k = 0; k < m->nb; k++) {
    if (is_force(m, k)) continue;
    *m->free[k].q = o->q[at + k];
    *m->free[k].v = o->v[at + k];
    *m->free[k].a = o->a[at + k];
  }
}

/* Friction forces, `part` of the way from those that are there. */
static void give_forces(const run *r, const flat *o, double part) {
  machine *m = r->m;
  int f = 0;
  for (int i = 0; i < m->n_cables; i++)
    for (int k = 0; k < m->cable[i].n_points; k++)
      for (int j = 0; j < AXES; j++, f++)
        m->cable[i].point[k].f[j] += part * (o->f[f] - m->cable[i].point[k].f[j]);
  for (int k = 0; k < m->nb; k++)
    if (is_force(m, k)) *m->free[k].q += part * (o->q[r->nq - m->nb + k] - *m->free[k].q);
}

/* States of laws, which an evaluation starts from: z = z_star + z_s z_t. */
static void give_states(const run *r, const flat *o, double z_s) {
  for (int i = 0, z = 0; i < r->m->n_sites; i++) {
    const law_site *y = &r->m->site[i];
    for (int j = 0; j < y->axes; j++)
      for (int k = 0; k < y->law->law->n_states; k++, z++) {
        if (!y->on_cable || y->p->drum >= 0) y->y->z[j][k] = o->z[z];
        int walks = z_s > 0 && y->law->walks;
        y->y->z_star[j][k] = walks ? y->y->z0[j][k] : o->z[z] - z_s * o->z_t[z];
      }
  }
}

/* Moves what is prescribed to time t, from the state that is kept. */
static void prescribe(const run *r, double t) {
  machine *m = r->m;
  for (int i = 0; i < m->n_cables; i++) {
    cable *c = &m->cable[i];
    for (int e = 0; e < 2; e++) {
      int node = e == 0 ? 0 : c->n;
      for (int j = 0; j < c->b; j++) {
        int k = node * c->b + j;
        if (!(c->fixed[node] >> j & 1)) continue;
        c->q[k] = c->q0[k];
        c->v[k] = c->a[k] = 0;
      }
    }
  }
  cps_machine_move(m, r->kept, fmin(t, r->latest));
  cps_machine_tie(m);
}

/* Accelerations and friction forces that balance now; 0 if none are found. */
static int balance(run *r, double t) {
  step_coeffs coeffs = cps_machine_instant(fmin(t, r->latest));
  int it = cps_machine_balance(r->m, coeffs.t);
  r->iterations += it > 0 ? it : NEWTON_MOST;
  if (it > 0) cps_memory_refresh(r->m, &coeffs);
  return it > 0;
}

/* ------------------------------------------------------------------ what IDA calls */

/* Finds the point where the equations hold: e = y - y_p. */
static int correct(SUNNonlinearSolver newton, N_Vector predicted, N_Vector e, N_Vector w, realtype tolerance,
                   booleantype set_up, void *ida) {
  run *r = newton->content;
  N_Vector y_p, y_t_p, unused[3];
  double t, cj;
  void *data;
  (void)predicted, (void)w, (void)tolerance, (void)set_up;
  if (IDAGetNonlinearSystemData(ida, &t, &y_p, &y_t_p, &unused[0], &unused[1], &unused[2], &cj, &data) !=
      IDA_SUCCESS)
    return SUN_NLS_MEM_NULL;
  const double *p = N_VGetArrayPointer(y_p), *p_t = N_VGetArrayPointer(y_t_p);
  int nq = r->nq;
  for (int i = 0; i < nq; i++) {
    r->now.q[i] = p[i];
    r->now.v[i] = p_t[i];
    r->now.a[i] = p_t[nq + i] + cj * (p_t[i] - p[nq + i]);
  }
  memcpy(r->now.z, p + 2 * nq, (size_t)r->nz * sizeof(double));
  memcpy(r->now.z_t, p_t + 2 * nq, (size_t)r->nz * sizeof(double));
  cps_machine_bring_back(r->m);
  give_motion(r, &r->now);
  give_states(r, &r->now, 1 / cj);
  prescribe(r, t);
  r->coeffs = (step_coeffs){fmin(t, r->latest), 1 / (cj * cj), 1 / cj, 1 / cj, 0, 0, t - r->kept, 0};
  int it = cps_newton_solve(r->m, &r->coeffs, NEWTON_MOST, fmin(BALANCED, r->m->convergence.balance), NULL);
  r->iterations += it > 0 ? it : NEWTON_MOST;
  if (it < 0) return r->m->stopped ? -1 : SUN_NLS_CONV_RECVR; /* negative: it is not tried again */
  cps_memory_refresh(r->m, &r->coeffs);
  take(r, &r->now);
  double *out = N_VGetArrayPointer(e);
  for (int i = 0; i < nq; i++) {
    out[i] = r->now.q[i] - p[i];
    out[nq + i] = r->now.v[i] - p[nq + i];
  }
  for (int i = 0; i < r->nz; i++) out[2 * nq + i] = r->now.z[i] - p[2 * nq + i];
  return SUN_NLS_SUCCESS;
}

/* Weights of errors, the number of entries included: see `norm`. */
static int weights(N_Vector y, N_Vector weight, void *data) {
  const run *r = data;
  const machine *m = r->m;
  double *w = N_VGetArrayPointer(weight);
  (void)y;
  for (int i = 0; i < 2 * r->nq + r->nz; i++) w[i] = WEIGHTLESS;
  int at = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    double one = 1 / (r->tolerance * sqrt(c->n + 1));
    for (int k = 0; k <= c->n; k++) {
      int end = k == 0 ? 0 : 1;
      int tied = (k == 0 || k == c->n) &&
                 (c->seam >= 0 || c->end[end].body >= 0 || cps_end_is(c->end[end].kind, END_ON_DRUM));
      for (int d = 0; d < m->dim && !tied; d++)
        if (!(c->fixed[k] >> d & 1)) w[at + k * c->b + d] = one;
    }
    at += entries(c);
  }
  for (int k = 0; k < m->nb; k++)
    if (!is_force(m, k)) w[at + k] = 1 / r->tolerance;
  for (int i = 0; i < m->n_drums; i++)
    if (m->drum[i].angle_at >= 0) w[at + m->drum[i].angle_at] = m->drum[i].radius / r->tolerance;
  double part = STATES * m->of->run.tolerance * sqrt(m->n_sites);
  for (int i = 0, z = 2 * r->nq; i < m->n_sites; i++) {
    const law_site *s = &m->site[i];
    cps_law_scale scale;
    cps_law_scales(s->law->law, s->law->p, s->p->n, &scale);
    for (int j = 0; j < s->axes; j++)
      for (int k = 0; k < s->law->law->n_states; k++, z++)
        if (scale.z[k] > 0 && isfinite(scale.z[k]) && (!s->on_cable || s->p->drum >= 0))
          w[z] = 1 / (part * scale.z[k]);
  }
  return 0;
}

/* The Euclidean norm: weights know how many they are. */
static realtype norm(N_Vector x, N_Vector weight) {
  const double *a = N_VGetArrayPointer(x), *w = N_VGetArrayPointer(weight);
  double sum = 0;
  for (sunindextype i = 0; i < N_VGetLength(x); i++) sum += a[i] * w[i] * a[i] * w[i];
  return sqrt(sum);
}

/* IDA wants these, and with a nonlinear solver of ours never uses them. */
static int no_residual(realtype t, N_Vector y, N_Vector y_t, N_Vector out, void *data) {
  (void)t, (void)y, (void)y_t, (void)out, (void)data;
  return -1;
}

static int no_system(SUNNonlinearSolver newton, SUNNonlinSolSysFn f) {
  (void)newton, (void)f;
  return SUN_NLS_SUCCESS;
}

static SUNNonlinearSolver_Type finds_roots(SUNNonlinearSolver newton) {
  (void)newton;
  return SUNNONLINEARSOLVER_ROOTFIND;
}

/* The library never prints. */
static void keep_quiet(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

/* ------------------------------------------------------------------ making */

static int make_flat(const run *r, flat *o) {
  struct {
    double **at;
    int n;
  } arrays[] = {{&o->q, r->nq}, {&o->v, r->nq}, {&o->a, r->nq},
                {&o->f, r->nf}, {&o->z, r->nz}, {&o->z_t, r->nz}};
  int good = 1;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    good = (*arrays[i].at = calloc((size_t)arrays[i].n + 1, sizeof(double))) && good;
  o->drum = calloc((size_t)r->m->n_drums + 1, sizeof *o->drum);
  o->surface = calloc((size_t)r->m->system->nx, sizeof(double));
  return good && o->drum && o->surface;
}

static void free_flat(flat *o) {
  double *arrays[] = {o->q, o->v, o->a, o->f, o->z, o->z_t};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
  free(o->drum);
  free(o->surface);
}

static int make_state(run *r) {
  machine *m = r->m;
  int points = 0;
  double size = 0;
  for (int i = 0; i < m->n_cables; i++) {
    const cable *c = &m->cable[i];
    points += c->n_points;
    r->nq += entries(c);
    for (int k = 0; k < c->n; k++) size = fmax(size, c->length[k] * c->n);
  }
  r->nq += m->nb;
  r->nf = points * AXES;
  r->tolerance = m->of->run.tolerance_abs + m->of->run.tolerance * size;
  for (int i = 0; i < m->n_sites; i++) r->nz += m->site[i].axes * m->site[i].law->law->n_states;
  return make_flat(r, &r->now) && make_flat(r, &r->end);
}

static int make_ida(run *r) {
  const scenario_run *set = &r->m->of->run;
  r->context = cps_solver_context();
  if (!r->context) return 0;
  r->y = cps_vector_new(2 * r->nq + r->nz, r->context);
  r->y_t = cps_vector_new(2 * r->nq + r->nz, r->context);
  r->newton = SUNNonlinSolNewEmpty(r->context);
  r->ida = IDACreate(r->context);
  if (!r->y || !r->y_t || !r->newton || !r->ida) return 0;
  r->y->ops->nvwrmsnorm = r->y_t->ops->nvwrmsnorm = norm;
  r->newton->ops->gettype = finds_roots;
  r->newton->ops->setsysfn = no_system;
  r->newton->ops->solve = correct;
  r->newton->content = r;
  N_VConst(0, r->y);
  N_VConst(0, r->y_t);
  double longest = set->step > 0 ? set->step : (set->until - set->from) / 20;
  void *a = r->ida;
  return IDASetErrHandlerFn(a, keep_quiet, NULL) == IDA_SUCCESS &&
         IDAInit(a, no_residual, r->sim->t, r->y, r->y_t) == IDA_SUCCESS &&
         IDAWFtolerances(a, weights) == IDA_SUCCESS && IDASetUserData(a, r) == IDA_SUCCESS &&
         IDASetMaxOrd(a, ORDER_MOST) == IDA_SUCCESS && IDASetMaxNumSteps(a, -1) == IDA_SUCCESS &&
         IDASetMaxErrTestFails(a, TRIES) == IDA_SUCCESS && IDASetMaxConvFails(a, TRIES) == IDA_SUCCESS &&
         IDASetMaxStep(a, longest) == IDA_SUCCESS && IDASetNonlinearSolver(a, r->newton) == IDA_SUCCESS &&
         cps_vector_whole(r->y) && cps_vector_whole(r->y_t);
}

static void free_run(void *work) {
  run *r = work;
  if (r->ida) IDAFree(&r->ida);
  if (r->newton) SUNNonlinSolFreeEmpty(r->newton);
  if (r->y) N_VDestroy(r->y);
  if (r->y_t) N_VDestroy(r->y_t);
  if (r->context) SUNContext_Free(&r->context);
  free_flat(&r->now);
  free_flat(&r->end);
  cps_aside_free(r->end_at);
  free(r);
}

/* ------------------------------------------------------------------ for who follows the run */

/* Values, or with `slopes` derivatives, at zero of the polynomials that are one at x[i] and zero at the others. */
static void interpolants(int n, const double *x, int slopes, double *out) {
  for (int i = 0; i < n; i++) {
    double value = 1, slope = 0;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      slope = (slope * -x[j] + value) / (x[i] - x[j]);
      value *= -x[j] / (x[i] - x[j]);
    }
    out[i] = slopes ? slope : value;
  }
}

/* What IDA's last step was. */
static void learn(run *r) {
  for (int i = BDF_POINTS - 1; i > 0; i--) r->steps[i] = r->steps[i - 1];
  IDAGetLastStep(r->ida, &r->steps[0]);
  IDAGetLastOrder(r->ida, &r->order);
  IDAGetCurrentTime(r->ida, &r->reached);
}

/* IDA predicts by the polynomial through the last points, one more than the order, and corrects with a leading coefficient
 * as if steps were equal: the two differ in all points. Of order 1 the last one alone is left. */
static void weigh_step(const run *r, double *past) {
  double c = 1 / r->coeffs.v_a, x[BDF_POINTS] = {0}, value[BDF_POINTS], slope[BDF_POINTS];
  int n = r->order + 1;
  memset(past, 0, BDF_POINTS * sizeof *past);
  past[0] = c;
  if (r->order == 1) return;
  for (int i = 0; i < n; i++) x[i] = (i ? x[i - 1] : 0) - r->steps[i];
  interpolants(n, x, 0, value);
  interpolants(n, x, 1, slope);
  for (int i = 0; i < n; i++) past[i] = c * value[i] - slope[i];
}

/* Within a step: the polynomial through its end and the points before. */
static void weigh_between(const run *r, double t, double *past) {
  double x[BDF_POINTS];
  memset(past, 0, BDF_POINTS * sizeof *past);
  for (int i = 0; i <= r->order; i++) x[i] = i ? x[i - 1] - r->steps[i - 1] : r->reached - t;
  interpolants(r->order + 1, x, 0, past);
}

static cps_status tell(run *r, const cable_note *what) {
  const follower *f = &r->sim->follow;
  return f->step ? f->step(r->sim, what, f->data, r->err) : CPS_OK;
}

/* ------------------------------------------------------------------ a run */

/* Adds what IDA's counters, which start again with every restart, have gained. */
static void count(void *work) {
  run *r = work;
  long now[2] = {0};
  cps_counters *n = &r->sim->result.counters;
  IDAGetNumErrTestFails(r->ida, &now[0]);
  IDAGetNumNonlinSolvConvFails(r->ida, &now[1]);
  n->rejected += now[0] - r->counted[0] + now[1] - r->counted[1];
  n->unsolved += now[1] - r->counted[1];
  memcpy(r->counted, now, sizeof now);
  n->newton = n->factorisations = n->evaluations = r->iterations;
}

/* Starts from the machine's state, and starts again where something has jumped. */
static cps_status restart(void *work, cps_error *err) {
  run *r = work;
  r->err = err;
  cable_note what = {.released = 1, .from = r->sim->t, .coeffs = cps_machine_instant(r->sim->t)};
  if (cps_machine_release(r->m, r->sim->t)) {
    cps_status status = tell(r, &what);
    if (status != CPS_OK) return status;
  }
  cps_machine_keep(r->m);
  r->kept = r->sim->t;
  r->latest = INFINITY;
  prescribe(r, r->sim->t);
  take(r, &r->now);
  give_states(r, &r->now, 0);
  if (r->m->n_sites > 0) {
    cps_machine_update_contacts(r->m, r->sim->t);
    cps_memory_choose(r->m);
  }
  int balanced = balance(r, r->sim->t);
  if (!balanced) { /* IDA finds it in its first step */
    give_motion(r, &r->now);
    give_forces(r, &r->now, 1);
    cps_machine_update_contacts(r->m, r->sim->t);
  }
  cps_audit_start(r->m, r->sim->t);
  take(r, &r->now);
  double *y = N_VGetArrayPointer(r->y), *y_t = N_VGetArrayPointer(r->y_t);
  size_t q = (size_t)r->nq, bytes = q * sizeof(double);
  memcpy(y, r->now.q, bytes);
  memcpy(y + q, r->now.v, bytes);
  memcpy(y + 2 * q, r->now.z, (size_t)r->nz * sizeof(double));
  memcpy(y_t, r->now.v, bytes);
  memcpy(y_t + q, r->now.a, bytes);
  memcpy(y_t + 2 * q, r->now.z_t, (size_t)r->nz * sizeof(double));
  count(r);
  if (IDAReInit(r->ida, r->sim->t, r->y, r->y_t) != IDA_SUCCESS)
    return cps_simulation_fail(r->sim, -1, r->err, "SUNDIALS cannot start again here");
  memset(r->steps, 0, sizeof r->steps);
  memset(r->counted, 0, sizeof r->counted);
  r->stop_time = NAN;
  what.released = 0;
  what.begins = 1;
  what.balanced = balanced;
  return tell(r, &what);
}

/* What is prescribed, and what follows from it, as it is at the start or end of a step, whatever was looked at since. */
static void refresh(run *r, double t) {
  double at = fmin(t, r->latest);
  cps_machine_move(r->m, at, at); /* loads */
  cps_machine_tie(r->m);
}

/* The step up to t: adds its work, and keeps where it ends. */
static void pass(run *r, double t) {
  cps_audit_step(r->m, fmin(t, r->latest), t - r->kept);
  cps_machine_keep(r->m);
  r->sim->t = r->kept = t;
}

/* Puts the machine to time t within the step that ends at t1. */
static cps_status interpolate(run *r, double t, double t1) {
  double at = fmax(t, r->reached - r->steps[0]); /* an output may lie before the step by round-off */
  if (IDAGetDky(r->ida, at, 0, r->y) != IDA_SUCCESS)
    return cps_simulation_fail(r->sim, -1, r->err, "SUNDIALS has no value for t = %.9g s", t);
  const double *y = N_VGetArrayPointer(r->y);
  double part = (t - r->kept) / (t1 - r->kept);
  cps_machine_bring_back(r->m);
  take(r, &r->now); /* accelerations and forces start between both ends */
  for (int i = 0; i < r->nq; i++) {
    r->now.q[i] = y[i];
    r->now.v[i] = y[r->nq + i];
    r->now.a[i] += part * (r->end.a[i] - r->now.a[i]);
  }
  memcpy(r->now.z, y + 2 * r->nq, (size_t)r->nz * sizeof(double));
  int balanced = 0;
  for (int again = 0; again < 2 && !balanced; again++) {
    if (again) cps_machine_bring_back(r->m);
    give_motion(r, &r->now);
    give_forces(r, &r->end, part);
    give_states(r, &r->now, 0);
    prescribe(r, t);
    if (again) cps_machine_update_contacts(r->m, fmin(t, r->latest));
    balanced = !again && balance(r, t);
  }
  cable_note what = {.balanced = balanced,
                     .from = r->kept,
                     .h = t - r->kept,
                     .coeffs = cps_machine_instant(fmin(t, r->latest)),
                     .bdf = BDF_BETWEEN,
                     .part = part};
  weigh_between(r, at, what.past);
  return tell(r, &what);
}

/* Tells about the step that ends at t, or before a row that it is looked at. */
static cps_status tell_step(run *r, double t, bdf_note kind) {
  cable_note what = {.from = r->kept, .h = t - r->kept, .coeffs = r->coeffs, .bdf = kind};
  weigh_step(r, what.past);
  return tell(r, &what);
}

static double reached(const void *work) { return ((const run *)work)->now_at; }

/* The run goes aside for a row from the start of the step, and comes back there. */
static cps_status go_aside(run *r, int begins) {
  cps_simulation *sim = r->sim;
  if (!sim->follow.aside) return CPS_OK;
  cps_machine_bring_back(r->m);
  refresh(r, r->kept);
  cps_machine_update_contacts(r->m, fmin(r->kept, r->latest));
  sim->t = r->kept;
  return sim->follow.aside(sim, begins, sim->follow.data, r->err);
}

/* The simulation as it is at the end of the step, before its works are added. */
static cps_status keep_end(run *r) {
  if (!r->end_at) r->end_at = cps_aside_new(r->sim, 1);
  if (!r->end_at) return cps_error_set(r->err, CPS_NO_MEMORY, NULL, "out of memory for rows within steps");
  cps_aside_take(r->end_at, 0);
  take(r, &r->end);
  r->passed_rows = 1;
  return CPS_OK;
}

static void go_to_end(run *r) {
  cps_driver_go_to(r->sim, r->end_at, 0);
  refresh(r, r->now_at);
}

/* A row within the step: looked at from the start of the step, and forgotten. */
static cps_status between(void *work, double t, cps_error *err) {
  run *r = work;
  r->err = err;
  cps_status status = r->passed_rows ? go_aside(r, 0) : keep_end(r);
  if (status == CPS_OK) status = go_aside(r, 1);
  if (status != CPS_OK) return status;
  go_to_end(r);
  status = tell_step(r, r->now_at, BDF_REACHED);
  if (status == CPS_OK) status = interpolate(r, t, r->now_at);
  if (status != CPS_OK) return status;
  cps_audit_step(r->m, fmin(t, r->latest), t - r->kept);
  r->sim->t = t;
  return CPS_OK;
}

static cps_status complete(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  (void)stop;
  r->err = err;
  cps_status status = r->passed_rows ? go_aside(r, 0) : CPS_OK;
  if (status != CPS_OK) return status;
  if (r->passed_rows) go_to_end(r);
  status = tell_step(r, r->now_at, BDF_STEP);
  if (status != CPS_OK) return status;
  pass(r, r->now_at);
  if (cps_machine_settle(r->m)) r->sim->restart_due = 1;
  return CPS_OK;
}

/* Tells IDA where to stop. What is prescribed is not looked at where it jumps, unless that is the end. */
static void set_stop(run *r, const stop *stop) {
  if (r->stop_time == stop->time) return;
  if (isnan(r->stop_time) && stop->jump < stop->end) /* a new start */
    r->latest = stop->jump - 1e-13 * (stop->jump - r->sim->t) - 4e-16 * fabs(stop->jump);
  r->stop_time = stop->time;
  IDASetStopTime(r->ida, stop->time);
}

/* What the solver knows is so large that its tolerance is below round-off: the file may ask for too much, or a state has run away. */
static cps_status too_accurate(const run *r) {
  const double strict = 1e-10; /* relative: what is stricter is the more likely reason */
  const machine *m = r->m;
  const cable *c = NULL;
  for (int i = 0; i < m->n_cables && !c; i++)
    if (m->cable[i].memory) c = &m->cable[i];
  if (!c || m->of->run.tolerance < strict)
    return cps_simulation_fail(r->sim, -1, r->err,
                               "run.tolerance asks for more digits than numbers have: loosen it");
  return cps_simulation_fail(
      r->sim, -1, r->err,
      "something has become so large that run.tolerance is below round-off of it, most likely the states of "
      "the law %s, "
      "where cable %s touches or leaves a drum: use run.solver alpha, or a law without states",
      c->contact.law->name, c->of->name);
}

/* One step of IDA. */
static cps_status step(void *work, const stop *stop, cps_error *err) {
  run *r = work;
  cps_simulation *sim = r->sim;
  double before = sim->t, t = before;
  r->err = err;
  r->passed_rows = 0;
  set_stop(r, stop);
  cps_machine_keep(r->m);
  r->kept = before;
  int flag = IDASolve(r->ida, stop->time, &t, r->y, r->y_t, IDA_ONE_STEP);
  if (flag < 0) {
    double h = 0;
    IDAGetCurrentStep(r->ida, &h);
    cps_machine_bring_back(r->m);
    if (flag == IDA_TOO_MUCH_ACC) return too_accurate(r);
    if (flag == IDA_ERR_FAIL)
      return cps_simulation_fail(sim, -1, r->err,
                                 "the error stays too large even with steps of %.2g s: something jumps; "
                                 "loosen run.tolerance, or try a wider regularisation",
                                 h);
    return cps_run_give_up(sim, r->m, h, r->err);
  }
  learn(r);
  if (stop->time - t < SLIVER * r->steps[0]) t = stop->time;
  r->now_at = t;
  sim->h = t - before;
  return CPS_OK;
}

/* IDA's history cannot be saved: it is forgotten at every instant at which a checkpoint may be taken. */
enum { RESTART_STEPS = 20000 };

static void list(checkpoint *c, void *owner) {
  run *r = owner;
  CHECKPOINT_VALUE(c, "bdf.iterations", r->iterations);
}

static cps_status forget(void *work, cps_error *err) {
  run *r = work;
  (void)err;
  count(r);
  cps_body_system_forget(&r->m->equations.system);
  r->sim->restart_due = 1;
  return CPS_OK;
}

static cps_status begin(void *work, int resumed, cps_error *err) {
  (void)resumed, (void)err;
  cps_body_system_forget(&((run *)work)->m->equations.system);
  ((run *)work)->sim->restart_due = 1;
  return CPS_OK;
}

static cps_status make_run(cps_simulation *sim, void **work, cps_error *err) {
  cps_status status = CPS_OK;
  run *r = calloc(1, sizeof *r);
  if (!r) return cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  *r = (run){.sim = sim, .m = sim->machine, .err = err, .latest = INFINITY, .stop_time = NAN};
  *work = r;
  if (!make_state(r))
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory for the run");
  else if (!make_ida(r))
    status = cps_error_set(err, CPS_NO_MEMORY, NULL, "out of memory: SUNDIALS cannot be set up");
  if (status != CPS_OK) free_run(r);
  return status;
}

const stepper cps_cable_bdf = {.traits = STEPPER_INTERPOLATES | STEPPER_ROW_FIRST,
                               .checkpoint_steps = RESTART_STEPS,
                               .make = make_run,
                               .free = free_run,
                               .begin = begin,
                               .restart = restart,
                               .step = step,
                               .reached = reached,
                               .between = between,
                               .complete = complete,
                               .list = list,
                               .forget = forget,
                               .count = count};
