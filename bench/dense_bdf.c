/* dense_bdf.c - the motorised pulley the way a user of MATLAB's ode15s has it, against Capstan.
 *
 * The same model with 40 elements as an ordinary differential equation in places and velocities, y = [q, v, angle and
 * rate of the drum], integrated by CVODE's backward differences with a dense matrix that CVODE finds by differences,
 * one evaluation per unknown. Accelerations and friction are eliminated in every evaluation, as Westin and Irani do:
 * with the mass matrix M, factored once in its band, the directions A of friction and the sum Q of all other forces,
 *
 *   W f_eq = b - A M^-1 Q,  W = A M^-1 A',   f = F(v, f_eq, N),   a = M^-1 (Q + A' f).
 *
 * (Balance forces that are consistent with the contacts that slip cannot be eliminated like this: at the edge of CDQ's
 * sticking they follow a root, and Newton's method within the backward differences fails in most steps.)
 * Elements, normal law and friction law are the library's own; all of it is plain C, so that what differs is the method.
 * Tolerances are the loosest with which the load stays within 1e-6 m; order 2, as higher ones fight the bounce of the
 * loads.
 *
 * Both start from the same equilibrium and run over the same stretch of time, as far as the dense way comes in the
 * time that it is given: nothing is extrapolated. What is compared is the processor time for that stretch, and
 * the place of the load.
 *
 * usage: dense_bdf [SECONDS]   that the dense way may take; 60 unless told
 */
#include "pulley.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum {
  ELEMENTS = 40,
  NODES = ELEMENTS + 1,
  B = 4,
  NQ = NODES * B,
  NY = 2 * NQ + 2,
  BAND = 7,
  SAMPLES = 1000
};

static const double SAMPLE = 0.01; /* [s] between comparisons */

/* The model: a machine for its parameters, its mass matrix and its Cholesky factor, both as bands. */
typedef struct model {
  machine m;
  double factor[NQ][BAND + 1]; /* L[i][i - j] */
  long evaluations;
} model;

/* ------------------------------------------------------------------ mass */

static void factor_mass(model *o) {
  const cable *c = &o->m.cable[0];
  for (int i = 0; i < ELEMENTS; i++) {
    double mass[4][4];
    cps_element_mass(&c->section, c->length[i], mass);
    for (int r = 0; r < 4; r++)
      for (int s = 0; s <= r; s++)
        for (int d = 0; d < 2; d++) o->factor[i * B + r * 2 + d][(r - s) * 2] += mass[r][s];
  }
  for (int i = 0; i < NODES; i++)
    for (int d = 0; d < 2; d++) o->factor[i * B + d][0] += c->mass[i];
  for (int i = 0; i < NQ; i++) { /* L L' = M */
    for (int j = i > BAND ? i - BAND : 0; j <= i; j++) {
      double sum = o->factor[i][i - j];
      for (int k = i > BAND ? i - BAND : 0; k < j; k++)
        if (j - k <= BAND) sum -= o->factor[i][i - k] * o->factor[j][j - k];
      o->factor[i][i - j] = i == j ? sqrt(sum) : sum / o->factor[j][0];
    }
  }
}

/* x = M^-1 x */
static void solve_mass(const model *o, double *x) {
  for (int i = 0; i < NQ; i++) {
    for (int j = i > BAND ? i - BAND : 0; j < i; j++) x[i] -= o->factor[i][i - j] * x[j];
    x[i] /= o->factor[i][0];
  }
  for (int i = NQ - 1; i >= 0; i--) {
    for (int j = i + 1; j < NQ && j <= i + BAND; j++) x[i] -= o->factor[j][j - i] * x[j];
    x[i] /= o->factor[i][0];
  }
}

/* ------------------------------------------------------------------ friction */

/* The nodes that touch. */
typedef struct touching {
  int n, node[NODES];
  double t[NODES][2], v[NODES], normal[NODES];
  double w[NODES][NODES], f[NODES];
  double column[NODES][NQ]; /* M^-1 A' */
} touching;

/* x = A^-1 x with pivoting. */
static void solve_dense(int n, double a[NODES][NODES], double *x) {
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(a[i][j]) > fabs(a[best][j])) best = i;
    for (int k = 0; k < n; k++) {
      double keep = a[j][k];
      a[j][k] = a[best][k];
      a[best][k] = keep;
    }
    double keep = x[j];
    x[j] = x[best];
    x[best] = keep;
    for (int i = j + 1; i < n; i++) {
      double part = a[i][j] / a[j][j];
      for (int k = j; k < n && part != 0; k++) a[i][k] -= part * a[j][k];
      x[i] -= part * x[j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
}

/* ------------------------------------------------------------------ rates */

/* Normal forces into `force`, and the contacts that there are. */
static void touch_drum(const model *o, const drum *g, const double *q, const double *v, double *force,
                       touching *k) {
  const cable *c = &o->m.cable[0];
  k->n = 0;
  for (int i = 0; i < NODES; i++) {
    const double *r = q + i * B, *u = v + i * B;
    double rho = sqrt(r[0] * r[0] + r[1] * r[1]), n[2] = {r[0] / rho, r[1] / rho};
    if (rho >= g->radius) continue;
    cps_normal_output normal;
    cps_normal_eval(c->contact.normal, c->contact.normal_p, g->radius - rho, -(n[0] * u[0] + n[1] * u[1]),
                    &normal);
    int at = k->n++;
    k->node[at] = i;
    k->t[at][0] = -n[1] * g->axis[2];
    k->t[at][1] = n[0] * g->axis[2];
    k->v[at] = k->t[at][0] * u[0] + k->t[at][1] * u[1] - g->radius * g->rate;
    k->normal[at] = normal.n;
    for (int d = 0; d < 2; d++) force[i * B + d] += normal.n * n[d];
  }
}

static int rates(realtype t, N_Vector y, N_Vector y_t, void *data) {
  model *o = data;
  const cable *c = &o->m.cable[0];
  const double *q = NV_DATA_S(y), *v = q + NQ;
  double *out = NV_DATA_S(y_t), *a = out + NQ;
  static touching k; /* too large for some stacks */
  drum g = o->m.drum[0];
  double by[2];
  o->evaluations++;
  g.angle = q[2 * NQ];
  g.rate = q[2 * NQ + 1];
  g.acceleration = cps_drum_torque(&g, t, &by[0], &by[1]);
  memcpy(out, v, NQ * sizeof(double));
  memset(a, 0, NQ * sizeof(double));
  for (int i = 0; i < ELEMENTS; i++) {
    double f[2 * B] = {0}, l = c->length[i];
    cps_element_force(2, &c->section, l, q + i * B, v + i * B, f, 1, 0, NULL, NULL);
    for (int j = 0; j < 2 * B; j++) a[i * B + j] -= f[j];
    for (int d = 0; d < 2; d++) {
      double weight = c->section.rho * c->gravity[d];
      a[i * B + d] += weight * l / 2;
      a[i * B + 2 + d] += weight * l * l / 12;
      a[i * B + 4 + d] += weight * l / 2;
      a[i * B + 6 + d] -= weight * l * l / 12;
    }
  }
  for (int i = 0; i < NODES; i++)
    for (int d = 0; d < 2; d++) a[i * B + d] += c->mass[i] * c->gravity[d];
  touch_drum(o, &g, q, v, a, &k);
  solve_mass(o, a);
  for (int j = 0; j < k.n; j++) {
    memset(k.column[j], 0, sizeof k.column[j]);
    for (int d = 0; d < 2; d++) k.column[j][k.node[j] * B + d] = k.t[j][d];
    solve_mass(o, k.column[j]);
  }
  for (int i = 0; i < k.n; i++) {
    const double *at = a + k.node[i] * B;
    k.f[i] = g.radius * g.acceleration - k.t[i][0] * at[0] - k.t[i][1] * at[1];
    for (int j = 0; j < k.n; j++)
      k.w[i][j] = k.t[i][0] * k.column[j][k.node[i] * B] + k.t[i][1] * k.column[j][k.node[i] * B + 1];
  }
  solve_dense(k.n, k.w, k.f);
  for (int j = 0; j < k.n; j++) {
    cps_law_input in = {k.v[j], k.normal[j], k.f[j], NULL, CPS_MODE_FREE};
    cps_law_output friction;
    cps_law_eval(c->contact.law, c->contact.p, &in, &friction, NULL);
    for (int i = 0; i < NQ; i++) a[i] += friction.f * k.column[j][i];
  }
  out[2 * NQ] = g.rate;
  out[2 * NQ + 1] = g.acceleration;
  return 0;
}

/* ------------------------------------------------------------------ both runs */

/* Where the load was, and what it cost to know. */
typedef struct trip {
  int samples;
  double load[SAMPLES], seconds;
  long steps, evaluations;
} trip;

static int make(machine *m, const cps_scenario *scenario) {
  cps_error error = {.text = ""};
  return cps_machine_make(m, scenario, &error) == CPS_OK && cps_machine_statics(m, 0, &error) == CPS_OK;
}

/* The dense way, until its time is up. */
static int run_dense(const cps_scenario *scenario, double budget, trip *o) {
  static model it;
  if (!make(&it.m, scenario)) return 0;
  factor_mass(&it);
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return 0;
  N_Vector y = N_VNew_Serial(NY, context), there = N_VNew_Serial(NY, context);
  N_Vector tolerance = N_VNew_Serial(NY, context);
  SUNMatrix matrix = SUNDenseMatrix(NY, NY, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void *cvode = CVodeCreate(CV_BDF, context);
  N_VConst(0, y);
  memcpy(NV_DATA_S(y), it.m.cable[0].q, NQ * sizeof(double));
  for (int i = 0; i < NY; i++)
    NV_Ith_S(tolerance, i) = i < NQ ? 1e-6 : 1e-4; /* places [m], velocities [m/s] */
  int good = CVodeInit(cvode, rates, 0, y) == 0 && CVodeSVtolerances(cvode, 1e-6, tolerance) == 0 &&
             CVodeSetUserData(cvode, &it) == 0 && CVodeSetLinearSolver(cvode, solver, matrix) == 0 &&
             CVodeSetMaxNumSteps(cvode, 1000000) == 0 && CVodeSetMaxOrd(cvode, 2) == 0;
  double start = seconds_now();
  realtype t = 0;
  while (good && o->samples < SAMPLES && seconds_now() - start < budget) {
    good = CVode(cvode, SAMPLE * SAMPLES, y, &t, CV_ONE_STEP) == 0;
    for (; good && o->samples < SAMPLES && t >= SAMPLE * (o->samples + 1); o->samples++) {
      good = CVodeGetDky(cvode, SAMPLE * (o->samples + 1), 0, there) == 0;
      o->load[o->samples] = NV_Ith_S(there, (NODES - 1) * B + 1);
      o->seconds = seconds_now() - start; /* what comes after the last sample does not count */
    }
  }
  CVodeGetNumSteps(cvode, &o->steps);
  o->evaluations = it.evaluations;
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(tolerance);
  N_VDestroy(there);
  N_VDestroy(y);
  SUNContext_Free(&context);
  cps_machine_free(&it.m);
  return good && o->samples > 0;
}

/* Capstan over the same stretch, in steps of h. */
static int run_ours(const cps_scenario *scenario, int samples, double h, trip *o) {
  machine m;
  memset(o, 0, sizeof *o);
  if (!make(&m, scenario)) return 0;
  alpha_stepper r = {.m = &m};
  int per_sample = (int)lround(SAMPLE / h), good = 1;
  double start = seconds_now();
  for (; o->samples < samples && good; o->samples++) {
    for (int i = 0; i < per_sample && good; i++, o->steps++) good = cps_alpha_step(&r, h, r.t + h);
    o->load[o->samples] = pulley_load(&m);
  }
  o->seconds = seconds_now() - start;
  o->evaluations = r.iterations;
  cps_machine_free(&m);
  return good;
}

static double distance(const trip *a, const trip *b) {
  double sum = 0;
  for (int i = 0; i < a->samples; i++) sum += pow(a->load[i] - b->load[i], 2);
  return sqrt(sum / a->samples);
}

int main(int argc, char **argv) {
  static trip dense, ours, fine, now;
  double budget = argc > 1 ? atof(argv[1]) : 60;
  setvbuf(stdout, NULL, _IOLBF, 0); /* what is known is said at once */
  cps_scenario *scenario = pulley_scenario(ELEMENTS, "cdq");
  printf("\nmotorised pulley, 40 elements, CDQ, by backward differences with a dense matrix by differences: "
         "%.0f s of work\n",
         budget);
  fflush(stdout);
  int good = scenario && run_dense(scenario, budget, &dense);
  good = good && run_ours(scenario, dense.samples, SAMPLE / 20, &fine);
  for (int i = 0; i < 9 && good; i++) { /* the best of several: it takes milliseconds */
    good = run_ours(scenario, dense.samples, SAMPLE, &now);
    if (i == 0 || now.seconds < ours.seconds) ours = now;
  }
  cps_scenario_free(scenario);
  if (!good) {
    fprintf(stderr, "dense_bdf: a run failed\n");
    return EXIT_FAILURE;
  }
  printf("  over the first %.2f s:\n", SAMPLE * dense.samples);
  printf(
      "  dense    %10.4f s, %6ld steps, %8ld evaluations of %d unknowns, load %.1e m RMS from short steps\n",
      dense.seconds, dense.steps, dense.evaluations, NY, distance(&dense, &fine));
  printf("  capstan  %10.4f s, %6ld steps, %8ld iterations,                  load %.1e m RMS\n", ours.seconds,
         ours.steps, ours.evaluations, distance(&ours, &fine));
  goal(distance(&dense, &fine) <= 2e-6, "both say the same: %.1e m RMS apart, at most %.0e",
       distance(&dense, &fine), 2e-6);
  goal(dense.seconds / ours.seconds >= 1e4,
       "against a dense matrix by differences: %.0f times faster, at least %.0f",
       dense.seconds / ours.seconds, 1e4);
  return EXIT_SUCCESS;
}
