/* sens_bdf.c - runs of bdf, differentiated by CVODES.
 *
 * Forward, CVODES integrates the changes of state along with the state (body_bdf.c); their rates come from here. Adjoint:
 * each smooth part of the run, from one jump to the next, is integrated once more by CVODES with its history kept, and then
 * backwards for the weights w of each output,
 *
 *   w' = -(df/dy)' w,   gradient' = -(df/dp)' w,
 *
 * with the weights of rows added at their times. Weights of work do not change: nothing depends on it. The matrix of the
 * backward method, 1 - gamma (df/dy)', is the transpose of that of the run.
 */
#include "body_cvode.h"
#include "sens_bodies.h"
#include "solver_vector.h"

#include <math.h>
#include <string.h>

/* Steps between two checkpoints that CVODES keeps of a part. */
enum { STEPS_KEPT = 500 };

/* The history has to be better than the run was, since it is interpolated. What a weight does is itself times the size of its state:
 * it is nothing below this part of what the largest of them may be wrong by. */
static const double BETTER = 0.1, NOTHING = 1e-4;

/* Where the matrix of the equations jumps, as with bristles that begin to slide, rates of weights change by orders of magnitude from one
 * step to the next: more error tests may fail in a row than CVODES is used to, and when that is not enough it starts anew, so many
 * times in a part. */
enum { FAILS_MOST = 40, STARTS_MOST = 100 };

/* Goes to a state unless the equations are linearised there. */
static int go_there(bodies *b, double t, const double *y, const int *mode, const hold *h) {
  if (b->at.number == b->along_at && b->along_t == t && memcmp(b->stage, y, bytes(b->s->ny)) == 0) return 1;
  if (!cps_linearised_go(&b->at, t, y, mode, &h->k)) return 0;
  memcpy(b->stage, y, bytes(b->s->ny));
  b->along_at = b->at.number;
  b->along_t = t;
  return 1;
}

int cps_bdf_along(void *data, int j, double t, const double *y, double *dy, double *dy_t) {
  bodies *b = data;
  return go_there(b, t, y, b->mode, b->free) && cps_linearised_rates(&b->at, &b->change[j], dy, dy_t);
}

/* ------------------------------------------------------------------ parts of a run */

typedef struct part {
  pool pool; /* all arrays */
  bodies *b;
  const body_op *o;
  double latest;
  body_cvode method;
  double *state;            /* [ny] */
  double *size;             /* [ny] of states, the largest in the part */
  double *w_t, *w_y, *grad; /* [ny] [ny] [n_wrt] */
  double gamma;
  struct backward *back; /* [n_of] */
  int starts;            /* of the weights' integration, in the midst of the part */
  int lost;              /* there was not enough memory for it */
} part;

/* The backward integration of one output's weights. */
typedef struct backward {
  part *p;
  int of, which;
  N_Vector w, grad, least_w, least; /* weights, gradient, and what of them does not count */
  own_linear linear;
  double gamma;
} backward;

/* ------------------------------------------------------------------ what CVODES calls */

static int at_state(part *p, double t, N_Vector y) {
  memset(p->state, 0, (size_t)p->b->s->ny * sizeof(double));
  cps_cvode_unpack(p->b->s, y, p->state);
  return go_there(p->b, fmin(t, p->latest), p->state, p->o->mode, p->o->free);
}

static int rates(realtype t, N_Vector y, N_Vector y_t, void *data) {
  part *p = data;
  if (!at_state(p, t, y)) return 1;
  cps_cvode_pack(p->b->s, p->b->at.y_t, y_t);
  cps_cvode_still(p->b->s, N_VGetArrayPointer(y_t));
  return 0;
}

/* The transposed rates at a state, into p->w_y and p->grad. */
static int transposed(backward *k, double t, N_Vector y, N_Vector w) {
  part *p = k->p;
  bodies *b = p->b;
  const cps_system *s = b->s;
  const double *work = b->w + (size_t)k->of * (size_t)b->n + 2 * s->nx + s->nz;
  if (!at_state(p, t, y)) return 0;
  memset(p->w_t, 0, (size_t)s->ny * sizeof(double));
  cps_cvode_unpack(s, w, p->w_t);
  cps_cvode_still(s, p->w_t);
  memcpy(p->w_t + 2 * s->nx + s->nz, work, (size_t)s->nw * sizeof(double));
  memset(p->w_y, 0, (size_t)s->ny * sizeof(double));
  memset(p->grad, 0, (size_t)b->n_wrt * sizeof(double));
  return cps_rates_weigh(b, p->w_t, p->w_y, p->grad);
}

static int rates_back(realtype t, N_Vector y, N_Vector w, N_Vector w_t, void *data) {
  backward *k = data;
  if (!transposed(k, t, y, w)) return 1;
  cps_cvode_pack(k->p->b->s, k->p->w_y, w_t);
  N_VScale(-1, w_t, w_t);
  return 0;
}

static int gradient_back(realtype t, N_Vector y, N_Vector w, N_Vector g_t, void *data) {
  backward *k = data;
  if (!transposed(k, t, y, w)) return 1;
  double *g = N_VGetArrayPointer(g_t);
  for (int j = 0; j < k->p->b->n_wrt; j++) g[j] = -k->p->grad[j];
  return 0;
}

/* ------------------------------------------------------------------ linear systems */

static int linearise(realtype t, N_Vector y, N_Vector y_t, SUNMatrix m, booleantype good_enough,
                     booleantype *current, realtype gamma, void *data, N_Vector a, N_Vector b, N_Vector c) {
  part *p = data;
  (void)y_t, (void)m, (void)a, (void)b, (void)c, (void)good_enough;
  *current = SUNTRUE;
  p->gamma = gamma;
  return at_state(p, t, y) ? 0 : 1;
}

/* Factors with this gamma; they are then no longer linearised where rates are. */
static int factor(bodies *b, double gamma) {
  b->along_at = -1;
  return cps_residual_factor(&b->at.r, gamma * gamma, gamma, gamma);
}

static int solve(SUNLinearSolver linear, SUNMatrix m, N_Vector x, N_Vector rhs, realtype tolerance) {
  part *p = linear->content;
  bodies *b = p->b;
  (void)m, (void)tolerance;
  linearised *at = &b->at;
  const linear_layout *l = &at->l;
  const residual_room room = {at->z + l->r_a, at->z + l->r_f, at->z + l->r_z, at->da, at->df, at->dz_t};
  if (!factor(b, p->gamma)) return SUNLS_PACKAGE_FAIL_REC;
  return cps_cvode_solve(b->s, &at->r, p->gamma, rhs, x, b->dy, &room) ? 0 : SUNLS_PACKAGE_FAIL_REC;
}

static int linearise_back(realtype t, N_Vector y, N_Vector w, N_Vector w_t, SUNMatrix m,
                          booleantype good_enough, booleantype *current, realtype gamma, void *data,
                          N_Vector a, N_Vector b, N_Vector c) {
  backward *k = data;
  (void)w, (void)w_t, (void)m, (void)a, (void)b, (void)c, (void)good_enough;
  *current = SUNTRUE;
  k->gamma = -gamma; /* time runs backwards, and so does the sign of the rates */
  return at_state(k->p, t, y) ? 0 : 1;
}

/* (1 - gamma J') x = b: the steps of cps_cvode_solve transposed, in reverse order. */
static int solve_back(SUNLinearSolver linear, SUNMatrix m, N_Vector x, N_Vector rhs, realtype tolerance) {
  backward *k = linear->content;
  bodies *b = k->p->b;
  const cps_system *s = b->s;
  (void)m, (void)tolerance;
  double g = k->gamma, *w = b->dy;
  linearised *at = &b->at;
  const linear_layout *l = &at->l;
  double *z = cps_linearised_clear(at);
  if (!factor(b, g)) return SUNLS_PACKAGE_FAIL_REC;
  memset(w, 0, (size_t)s->ny * sizeof(double));
  cps_cvode_unpack(s, rhs, w);
  cps_cvode_still(s, w);
  for (int i = 0; i < s->nd; i++) z[l->a + i] = g * g * w[i] + g * w[s->nx + i];
  for (int i = 0; i < s->nz; i++) z[l->z_t + i] = g * w[2 * s->nx + i];
  if (!cps_linearised_back(at, LINEAR_NOTHING, NULL, 0, w, NULL)) return SUNLS_PACKAGE_FAIL_REC;
  for (int i = 0; i < s->nd; i++) w[s->nx + i] += g * w[i];
  cps_cvode_pack(s, w, x);
  return 0;
}

/* ------------------------------------------------------------------ a part */

static int make_forward(part *p) {
  const cps_system *s = p->b->s;
  const scenario_run *set = &s->scenario->run;
  const cvode_calls calls = {.rates = rates, .linearise = linearise, .solve = solve};
  if (!cps_cvode_make(&p->method, s, &calls, p->o->t, p->o->y, p)) return 0;
  void *c = p->method.cvode;
  return CVodeSStolerances(c, BETTER * set->tolerance, BETTER * set->tolerance_abs) == CV_SUCCESS &&
         CVodeSetStopTime(c, p->o->t1) == CV_SUCCESS &&
         CVodeAdjInit(c, STEPS_KEPT, CV_POLYNOMIAL) == CV_SUCCESS && cps_vector_whole(p->method.y);
}

/* Weights may be of any size: what counts as nothing is small against what the largest of them does. */
static int tolerate(const part *p, const backward *k) {
  const scenario_run *set = &p->b->s->scenario->run;
  const double *w = N_VGetArrayPointer(k->w);
  double *least = N_VGetArrayPointer(k->least), *least_w = N_VGetArrayPointer(k->least_w);
  double does = 0, tolerance = fmin(set->tolerance, 1e-8);
  int n = (int)N_VGetLength(k->w);
  for (int i = 0; i < n; i++) does = fmax(does, fabs(w[i]) * p->size[i]);
  double nothing = NOTHING * tolerance * (does > 0 ? does : 1);
  for (int i = 0; i < n; i++) least_w[i] = nothing / p->size[i];
  for (int j = 0; j < p->b->n_wrt; j++) least[j] = nothing / p->b->scale[j];
  return CVodeSVtolerancesB(p->method.cvode, k->which, tolerance, k->least_w) == CV_SUCCESS &&
         CVodeQuadSVtolerancesB(p->method.cvode, k->which, tolerance, k->least) == CV_SUCCESS;
}

/* Whether all vectors of SUNDIALS have numbers of their own. */
static int is_whole(const part *p, const backward *k) {
  return cps_vector_whole(p->method.y) && cps_vector_whole(k->grad) && cps_vector_whole(k->least);
}

/* SUNDIALS that is refused memory here would free what it has twice: what it has is left alone then. */
static int set_linear_solver(part *p, const backward *k) {
  if (CVodeSetLinearSolverB(p->method.cvode, k->which, k->linear.solver, k->linear.matrix) == CVLS_SUCCESS)
    return 1;
  p->method.cvode = NULL;
  return 0;
}

static int make_backward(part *p, backward *k, int of) {
  bodies *b = p->b;
  void *c = p->method.cvode;
  *k = (backward){.p = p, .of = of};
  k->w = N_VClone(p->method.y);
  k->grad = cps_vector_new(b->n_wrt, p->method.context);
  k->least = cps_vector_new(b->n_wrt, p->method.context);
  k->least_w = N_VClone(p->method.y);
  if (!k->w || !k->grad || !k->least || !k->least_w ||
      !cps_linear_make(&k->linear, p->method.context, solve_back, k))
    return 0;
  cps_cvode_pack(b->s, b->w + (size_t)of * (size_t)b->n, k->w);
  N_VConst(0, k->grad);
  int *which = &k->which;
  return CVodeCreateB(c, CV_BDF, which) == CV_SUCCESS &&
         CVodeInitB(c, *which, rates_back, p->o->t1, k->w) == CV_SUCCESS &&
         CVodeSetUserDataB(c, *which, k) == CV_SUCCESS &&
         CVodeSetMaxNumStepsB(c, *which, 1000000) == CV_SUCCESS &&
         CVodeSetMaxErrTestFails(CVodeGetAdjCVodeBmem(c, *which), FAILS_MOST) == CV_SUCCESS &&
         set_linear_solver(p, k) && CVodeSetLinSysFnB(c, *which, linearise_back) == CVLS_SUCCESS &&
         CVodeQuadInitB(c, *which, gradient_back, k->grad) == CV_SUCCESS &&
         CVodeSetQuadErrConB(c, *which, SUNTRUE) == CV_SUCCESS && tolerate(p, k) && is_whole(p, k);
}

/* Integrates the part once more, with its history kept, and finds how large the states become. */
static int go_forward(part *p) {
  int checkpoints = 0, flag = CV_SUCCESS, whole = 1, n = (int)N_VGetLength(p->method.y);
  const double *y = N_VGetArrayPointer(p->method.y);
  for (int i = 0; i < n; i++) p->size[i] = fmax(fabs(y[i]), p->b->s->scenario->run.tolerance_abs);
  for (double t = p->o->t; flag >= 0 && flag != CV_TSTOP_RETURN && t < p->o->t1 && whole;) {
    flag = CVodeF(p->method.cvode, p->o->t1, p->method.y, &t, CV_ONE_STEP, &checkpoints);
    for (int i = 0; i < n; i++) p->size[i] = fmax(p->size[i], fabs(y[i]));
    whole = cps_vector_whole(p->method.y); /* checkpoints are made on the way */
  }
  p->lost = !whole || flag == CV_MEM_FAIL;
  return flag >= 0 && whole;
}

/* Weights of all outputs at time t, from CVODES to the engine or back. */
static int fetch(part *p, double *t) {
  bodies *b = p->b;
  for (int m = 0; m < b->c.run->n_of; m++) {
    backward *k = &p->back[m];
    if (CVodeGetB(p->method.cvode, k->which, t, k->w) != CV_SUCCESS) return 0;
    cps_cvode_unpack(b->s, k->w, b->w + (size_t)m * (size_t)b->n);
  }
  return 1;
}

static int start_again(part *p, double t) {
  bodies *b = p->b;
  for (int m = 0; m < b->c.run->n_of; m++) {
    backward *k = &p->back[m];
    double was;
    if (CVodeGetQuadB(p->method.cvode, k->which, &was, k->grad) != CV_SUCCESS) return 0;
    cps_cvode_pack(b->s, b->w + (size_t)m * (size_t)b->n, k->w);
    if (CVodeReInitB(p->method.cvode, k->which, t, k->w) != CV_SUCCESS ||
        CVodeQuadReInitB(p->method.cvode, k->which, k->grad) != CV_SUCCESS || !tolerate(p, k))
      return 0;
  }
  return 1;
}

/* Whether any output depends on a row. */
static int counts(const bodies *b, long row) {
  for (int m = 0; m < b->c.run->n_of; m++)
    for (long i = b->c.seeds[m].left - 1; i >= 0 && b->c.seeds[m].weights[i].row >= row; i--)
      if (b->c.seeds[m].weights[i].row == row) return 1;
  return 0;
}

/* Weights from time *t back to `to`. */
static int go_back(part *p, double *t, double to) {
  while (*t > to) {
    int flag = CVodeB(p->method.cvode, to, CV_NORMAL);
    p->lost = flag == CV_MEM_FAIL;
    if (flag >= 0) {
      *t = to;
      return fetch(p, &(double){0});
    }
    double reached = *t;
    if (flag != CV_ERR_FAILURE || ++p->starts > STARTS_MOST || !fetch(p, &reached) || reached >= *t) return 0;
    *t = reached;
    if (!start_again(p, reached)) return 0;
  }
  return 1;
}

static int integrate_back(part *p, const body_op *rows, long n) {
  bodies *b = p->b;
  double t = p->o->t1;
  for (long i = n - 1; i >= -1; i--) {
    double to = i < 0 ? p->o->t : rows[i].t;
    if (i >= 0 && !counts(b, rows[i].row)) continue;
    if (to < t && !go_back(p, &t, to)) return 0;
    if (i < 0) break;
    b->along_at = -1;
    if (!cps_row_back(b, &rows[i])) return 0;
    b->along_at = -1;
    if (!start_again(p, t)) return 0;
  }
  for (int m = 0; m < b->c.run->n_of; m++) {
    backward *k = &p->back[m];
    if (CVodeGetQuadB(p->method.cvode, k->which, &t, k->grad) != CV_SUCCESS || !is_whole(p, k)) return 0;
    for (int j = 0; j < b->n_wrt; j++)
      b->c.gradient[(size_t)m * (size_t)b->n_wrt + (size_t)j] += N_VGetArrayPointer(k->grad)[j];
  }
  return 1;
}

static void unmake(part *p) {
  if (p->method.cvode) CVodeFree(&p->method.cvode); /* before what it points to */
  for (int m = 0; p->back && m < p->b->c.run->n_of; m++) {
    backward *k = &p->back[m];
    cps_linear_free(&k->linear);
    if (k->w) N_VDestroy(k->w);
    if (k->grad) N_VDestroy(k->grad);
    if (k->least) N_VDestroy(k->least);
    if (k->least_w) N_VDestroy(k->least_w);
  }
  cps_cvode_free(&p->method);
  cps_pool_free(&p->pool);
}

int cps_bdf_back(bodies *b, const body_op *o, const body_op *rows, long n) {
  int n_of = b->c.run->n_of;
  part p = {.b = b, .o = o, .latest = INFINITY};
  /* as in the run, nothing is evaluated behind a jump */
  if (o->t1 < b->s->scenario->run.until) p.latest = o->t1 - 1e-13 * (o->t1 - o->t) - 4e-16 * fabs(o->t1);
  POOL_ARRAY(&p.pool, p.state, b->s->ny);
  POOL_ARRAY(&p.pool, p.size, b->s->ny);
  POOL_ARRAY(&p.pool, p.w_t, b->s->ny);
  POOL_ARRAY(&p.pool, p.w_y, b->s->ny);
  POOL_ARRAY(&p.pool, p.grad, b->n_wrt);
  POOL_ARRAY(&p.pool, p.back, n_of);
  b->along_at = -1;
  int made = !p.pool.lost && make_forward(&p), good = made;
  good = good && go_forward(&p);
  for (int m = 0; m < n_of && good; m++) good = made = make_backward(&p, &p.back[m], m);
  good = good && integrate_back(&p, rows, n);
  unmake(&p);
  b->along_at = -1;
  return good ? 1 : p.lost || !made ? -1 : 0;
}
