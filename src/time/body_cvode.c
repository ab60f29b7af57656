/* body_cvode.c - setting CVODES up for the equations of bodies, and its linear systems.
 *
 * CVODES' Newton matrix 1 - gamma J would be dense where contacts are coupled. Instead of forming it, a linear solver of our
 * own solves the larger but sparse system for the changes of accelerations, contact forces and state rates, from which the
 * state's change follows (residual.c with b_q = gamma^2, b_v = b_z = gamma).
 */
#include "body_cvode.h"
#include "solver_vector.h"

#include <string.h>

enum { ORDER_MOST = 5 };

/* ------------------------------------------------------------------ states */

void cps_cvode_pack(const cps_system *s, const double *y, N_Vector vector) {
  double *x = N_VGetArrayPointer(vector);
  memcpy(x, y, (size_t)(s->nx + s->nd) * sizeof(double));
  memcpy(x + s->nx + s->nd, y + 2 * s->nx, (size_t)s->nz * sizeof(double));
}

void cps_cvode_unpack(const cps_system *s, N_Vector vector, double *y) {
  const double *x = N_VGetArrayPointer(vector);
  memcpy(y, x, (size_t)(s->nx + s->nd) * sizeof(double));
  memcpy(y + 2 * s->nx, x + s->nx + s->nd, (size_t)s->nz * sizeof(double));
}

void cps_cvode_still(const cps_system *s, double *q) {
  const cps_scenario *sc = s->scenario;
  q[s->nx - 1] = 0; /* the ground */
  for (int i = 0; i < sc->n_bodies && s->ns > 0; i++)
    if (sc->bodies[i].kind == BODY_SURFACE && !sc->bodies[i].motion_is_velocity) q[s->body_q[i]] = 0;
}

/* ------------------------------------------------------------------ linear systems */

static SUNLinearSolver_Type is_direct(SUNLinearSolver linear) {
  (void)linear;
  return SUNLINEARSOLVER_DIRECT;
}

static int nothing_to_set_up(SUNLinearSolver linear, SUNMatrix matrix) {
  (void)linear, (void)matrix;
  return 0;
}

static SUNMatrix_ID is_custom(SUNMatrix matrix) {
  (void)matrix;
  return SUNMATRIX_CUSTOM;
}

int cps_linear_make(own_linear *l, SUNContext context, linear_solve solve, void *content) {
  l->matrix = SUNMatNewEmpty(context);
  l->solver = SUNLinSolNewEmpty(context);
  if (!l->matrix || !l->solver) return 0;
  l->matrix->ops->getid = is_custom;
  l->solver->ops->gettype = is_direct;
  l->solver->ops->setup = nothing_to_set_up;
  l->solver->ops->solve = solve;
  l->solver->content = content;
  return 1;
}

void cps_linear_free(own_linear *l) {
  if (l->solver) SUNLinSolFreeEmpty(l->solver);
  if (l->matrix) SUNMatFreeEmpty(l->matrix);
  *l = (own_linear){0};
}

/* With the unknown change of accelerations da, x_v = b_v + gamma da and x_q = b_q + gamma x_v; what b alone changes is the
 * right-hand side. */
int cps_cvode_solve(const cps_system *s, residual *r, double gamma, N_Vector b, N_Vector x, double *dy,
                    const residual_room *o) {
  double *dq = dy, *dv = dy + s->nx, *dz = dv + s->nx;
  memset(dv, 0, (size_t)s->nx * sizeof(double));
  cps_cvode_unpack(s, b, dy);
  for (int i = 0; i < s->nd; i++) dq[i] += gamma * dv[i];
  cps_residual_along(r, dq, dv, dz, o->r_a, o->r_f, o->r_z);
  if (!cps_residual_solve(r, o->r_a, o->r_f, o->r_z, o->da, o->df, o->dz_t)) return 0;
  for (int i = 0; i < s->nd; i++) {
    dq[i] += gamma * gamma * o->da[i];
    dv[i] += gamma * o->da[i];
  }
  for (int i = 0; i < s->nz; i++) dz[i] += gamma * o->dz_t[i];
  cps_cvode_pack(s, dy, x);
  return 1;
}

/* ------------------------------------------------------------------ making */

/* The library never prints; who calls CVODES says what went wrong. */
static void keep_quiet(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

double cps_cvode_longest(const scenario_run *set) {
  return set->step > 0 ? set->step : (set->until - set->from) / 50;
}

int cps_cvode_make(body_cvode *c, const cps_system *s, const cvode_calls *calls, double t, const double *y,
                   void *owner) {
  c->context = cps_solver_context();
  if (!c->context) return 0;
  c->y = cps_vector_new(s->nx + s->nd + s->nz, c->context);
  void *cvode = c->cvode = CVodeCreate(CV_BDF, c->context);
  if (!c->y || !cvode || !cps_linear_make(&c->linear, c->context, calls->solve, owner)) return 0;
  if (calls->norm) c->y->ops->nvwrmsnorm = calls->norm;
  cps_cvode_pack(s, y, c->y);
  return CVodeSetErrHandlerFn(cvode, keep_quiet, NULL) == CV_SUCCESS &&
         CVodeInit(cvode, calls->rates, t, c->y) == CV_SUCCESS &&
         CVodeSetUserData(cvode, owner) == CV_SUCCESS && CVodeSetMaxOrd(cvode, ORDER_MOST) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(cvode, -1) == CV_SUCCESS && CVodeSetMaxHnilWarns(cvode, -1) == CV_SUCCESS &&
         CVodeSetMaxStep(cvode, cps_cvode_longest(&s->scenario->run)) == CV_SUCCESS &&
         CVodeSetLinearSolver(cvode, c->linear.solver, c->linear.matrix) == CVLS_SUCCESS &&
         CVodeSetLinSysFn(cvode, calls->linearise) == CVLS_SUCCESS && cps_vector_whole(c->y);
}

void cps_cvode_free(body_cvode *c) {
  if (c->cvode) CVodeFree(&c->cvode);
  cps_linear_free(&c->linear);
  if (c->y) N_VDestroy(c->y);
  if (c->context) SUNContext_Free(&c->context);
  *c = (body_cvode){0};
}
