/* unit_implicit.c - the implicit solvers: their Jacobian against finite differences, their order, their agreement
 * with each other and with the explicit ones, their energy, rest without creep, and what they say when they
 * cannot go on. */
#include "test.h"

#include "residual.h"
#include "system.h"

/* ------------------------------------------------------------------ runs */

typedef struct ran {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_status status;
  cps_error err;
  cps_counters count;
  cps_energy energy;
} ran;

static cps_scenario *parse(const char *text, const char *const *settings, int n) {
  cps_problems *problems = NULL;
  cps_scenario *scenario = cps_scenario_parse(text, strlen(text), "test.yaml", settings, n, &problems);
  if (!scenario) {
    char message[2000];
    cps_problem_text(cps_problems_at(problems, 0), message, sizeof message);
    print_error("%s\n%s\n", message, text);
  }
  cps_problems_free(problems);
  assert_non_null(scenario);
  return scenario;
}

static ran start(cps_scenario *scenario) {
  ran r = {.scenario = scenario};
  r.system = cps_system_new(scenario, &r.err);
  assert_non_null(r.system);
  r.sim = cps_simulation_new(r.system, &r.err);
  assert_non_null(r.sim);
  r.status = cps_simulation_run(r.sim, NULL, NULL, &r.err);
  r.result = cps_simulation_result(r.sim);
  cps_result_counters(r.result, &r.count);
  cps_result_energy(r.result, &r.energy);
  return r;
}

/* Runs a text with settings, separated by semicolons, on top; it must end well. */
static ran run_with(const char *text, const char *settings) {
  enum { MOST = 12 };
  char copy[1000];
  const char *list[MOST];
  int n = 0;
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *word = strtok(copy, ";"); word && n < MOST; word = strtok(NULL, ";")) list[n++] = word;
  ran r = start(parse(text, list, n));
  if (r.status != CPS_OK) print_error("%s\n%s: %s\n", text, settings, r.err.text);
  assert_int_equal(r.status, CPS_OK);
  return r;
}

static void done(ran *r) {
  cps_simulation_free(r->sim);
  cps_system_free(r->system);
  cps_scenario_free(r->scenario);
}

static const double *column(const ran *r, const char *name) {
  int c = cps_result_find(r->result, name);
  if (c < 0) print_error("no column %s\n", name);
  assert_true(c >= 0);
  return cps_result_data(r->result, c);
}

static double last(const ran *r, const char *name) { return column(r, name)[cps_result_rows(r->result) - 1]; }

/* The last value of a column after a run. */
static double value_of(const char *text, const char *settings, const char *name) {
  ran r = run_with(text, settings);
  double x = last(&r, name);
  done(&r);
  return x;
}

static void close_to(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) print_error("%.15g and %.15g differ by %g > %g\n", a, b, a - b, tolerance);
  assert_true(fabs(a - b) <= tolerance);
}

/* Two solvers give the same column to within a tolerance, in every row. */
static void agree(const char *text, const char *one, const char *other, const char *name, double tolerance) {
  ran a = run_with(text, one), b = run_with(text, other);
  long rows = cps_result_rows(a.result);
  assert_int_equal(rows, cps_result_rows(b.result));
  for (long i = 0; i < rows; i++) {
    close_to(column(&a, "time")[i], column(&b, "time")[i], 1e-12);
    close_to(column(&a, name)[i], column(&b, name)[i], tolerance);
  }
  done(&a);
  done(&b);
}

/* ------------------------------------------------------------------ the Jacobian */

/* Everything that an implicit system can contain, with random numbers: bodies on lines that are not parallel
 * and in the plane, ropes, springs with geometric stiffness, contacts that depend on one another, on belts,
 * and on the load that springs put on them. */
static void random_system(rng *r, char *text, size_t size, const char *const *laws) {
  double angle = rng_between(r, -1, 1), c = cos(angle), s = sin(angle), m[5];
  for (int i = 0; i < 5; i++) m[i] = rng_log(r, 0.2, 5);
  double stiffness = rng_between(r, 10, 80);
  snprintf(text, size,
           "capstan: 1\n"
           "bodies:\n"
           "  a: {mass: %.3f, direction: [%.3f, %.3f], x: 0.3}\n"
           "  b: {mass: %.3f, direction: [%.3f, %.3f], x: 0.4}\n"
           "  c: {mass: %.3f, x: 1.5}\n"
           "  p: {mass: %.3f, position: [0.2, -1.1]}\n"
           "  q: {mass: %.3f, position: [1.3, 0.9]}\n"
           "  h: {mass: 1, x: 3, held_until: 1}\n"
           "surfaces: {belt: {position: {sine: {amplitude: 0.4, omega: 3}}}, roll: {velocity: 0.2}}\n"
           "springs:\n"
           "  line: {between: [c, h], stiffness: 30, damping: 0.4}\n"
           "  rope: {between: [c, ground], stiffness: 25, damping: 0.2, tension_only: true}\n"
           "  ap: {between: [a, p], stiffness: %.2f, damping: 1.5, length: 0.3, kind: distance}\n"
           "  pq: {between: [p, q], stiffness: 40, damping: 0.7, length: 2.9, kind: distance}\n"
           "  cq: {between: [c, q], stiffness: 22, damping: 0.3, length: 0.1, tension_only: true, kind: "
           "distance}\n"
           "  slack: {between: [c, p], stiffness: 99, length: 50, tension_only: true, kind: distance}\n"
           "  gq: {between: [{ground: [2, 2]}, q], stiffness: 10, length: 0.4, kind: distance}\n"
           "contacts:\n"
           "  one: {between: [a, ground], normal: load, friction: %s}\n"
           "  two: {between: [b, a], normal: 12, friction: %s}\n"
           "  three: {between: [c, belt], normal: load, friction: %s}\n"
           "  four: {between: [c, roll], normal: 7, friction: %s}\n"
           "  five: {between: [h, ground], normal: weight, friction: %s}\n"
           "run: {until: 2, solver: alpha, step: 0.01}\n",
           m[0], c, s, m[1], c, s, m[2], m[3], m[4], stiffness, laws[0], laws[1], laws[2], laws[3], laws[4]);
}

enum { SYSTEMS = 60, POINTS = 5 };

typedef struct trial {
  const cps_system *s;
  residual r;
  double b_q, b_v, b_z;
  double *y, *a, *f, *z_t;   /* a point */
  double *y1, *a1, *f1, *z1; /* a point beside it */
  double *r_a, *r_f, *r_z;   /* differences */
} trial;

/* What is left of the equations at the point moved by x along da, df, dz; the state moves as in a step, or (with
 * dq, dv) by itself. */
static void eval_beside(trial *t, double x, const double *da, const double *df, const double *dz,
                        const double *dq, const double *dv, double sign) {
  const cps_system *s = t->s;
  memcpy(t->y1, t->y, (size_t)s->ny * sizeof(double));
  for (int i = 0; i < s->nd; i++) {
    t->a1[i] = t->a[i] + (dq ? 0 : x * da[i]);
    t->y1[i] += x * (dq ? dq[i] : t->b_q * da[i]);
    t->y1[s->nx + i] += x * (dq ? dv[i] : t->b_v * da[i]);
  }
  for (int i = 0; i < s->nc; i++) t->f1[i] = t->f[i] + (dq ? 0 : x * df[i]);
  for (int i = 0; i < s->nz; i++) {
    t->z1[i] = t->z_t[i] + (dq ? 0 : x * dz[i]);
    t->y1[2 * s->nx + i] += x * (dq ? dz[i] : t->b_z * dz[i]);
  }
  cps_residual_eval(&t->r, 0.3, t->y1, t->a1, t->f1, t->z1, NULL);
  for (int i = 0; i < s->nd; i++) t->r_a[i] += sign * t->r.r_a[i];
  for (int i = 0; i < s->nc; i++) t->r_f[i] += sign * t->r.r_f[i];
  for (int i = 0; i < s->nz; i++) t->r_z[i] += sign * t->r.r_z[i];
}

/* Central difference of fourth order with step x, into r_a, r_f, r_z. */
static void difference_with(trial *t, double x, const double *da, const double *df, const double *dz,
                            const double *dq, const double *dv) {
  const cps_system *s = t->s;
  memset(t->r_a, 0, (size_t)s->nx * sizeof(double));
  memset(t->r_f, 0, (size_t)s->nc * sizeof(double));
  memset(t->r_z, 0, (size_t)s->nz * sizeof(double));
  eval_beside(t, x, da, df, dz, dq, dv, 2 / (3 * x));
  eval_beside(t, -x, da, df, dz, dq, dv, -2 / (3 * x));
  eval_beside(t, 2 * x, da, df, dz, dq, dv, -1 / (12 * x));
  eval_beside(t, -2 * x, da, df, dz, dq, dv, 1 / (12 * x));
}

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static double size_of(const double *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/* The same with two steps; 0 if they differ, because a law has a kink between. */
static int difference(trial *t, const double *da, const double *df, const double *dz, const double *dq,
                      const double *dv) {
  enum { MOST = 64 };
  const cps_system *s = t->s;
  double keep[MOST], *k = keep;
  assert_true(s->nd + s->nc + s->nz <= MOST);
  difference_with(t, 1e-4, da, df, dz, dq, dv);
  for (int i = 0; i < s->nd; i++) *k++ = t->r_a[i];
  for (int i = 0; i < s->nc; i++) *k++ = t->r_f[i];
  for (int i = 0; i < s->nz; i++) *k++ = t->r_z[i];
  difference_with(t, 4e-5, da, df, dz, dq, dv);
  double size = 1 + size_of(keep, (int)(k - keep));
  return distance(keep, t->r_a, s->nd) < 1e-7 * size && distance(keep + s->nd, t->r_f, s->nc) < 1e-7 * size &&
         distance(keep + s->nd + s->nc, t->r_z, s->nz) < 1e-7 * size;
}

static double *numbers(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void fill(rng *r, double *x, int n, double size) {
  for (int i = 0; i < n; i++) x[i] = rng_between(r, -size, size);
}

/* One random system at some random points: the linearised equations, solved for a change that is known. Returns
 * at how many points they are smooth enough to say. */
static int check_jacobian(rng *g, const char *const *laws) {
  char text[4000];
  random_system(g, text, sizeof text, laws);
  ran run = {.scenario = parse(text, NULL, 0)};
  run.system = cps_system_new(run.scenario, NULL);
  run.sim = cps_simulation_new(run.system, NULL);
  const cps_system *s = run.system;
  trial t = {.s = s};
  assert_int_equal(cps_residual_make(&t.r, s, &run.sim->work, NULL), CPS_OK);
  t.y = numbers(s->ny), t.y1 = numbers(s->ny), t.a = numbers(s->nx), t.a1 = numbers(s->nx);
  t.f = numbers(s->nc), t.f1 = numbers(s->nc), t.z_t = numbers(s->nz), t.z1 = numbers(s->nz);
  t.r_a = numbers(s->nx), t.r_f = numbers(s->nc), t.r_z = numbers(s->nz);
  double *da = numbers(s->nx), *df = numbers(s->nc), *dz = numbers(s->nz), *dq = numbers(s->nx),
         *dv = numbers(s->nx), *xa = numbers(s->nx), *xf = numbers(s->nc), *xz = numbers(s->nz);
  int points = 0;
  for (int p = 0; p < POINTS; p++) {
    memcpy(t.y, run.sim->y, (size_t)s->ny * sizeof(double));
    for (int i = 0; i < s->nd; i++) {
      t.y[i] += rng_between(g, -0.1, 0.1);
      t.y[s->nx + i] = rng_sign(g) * rng_between(g, 0.2, 1);
    }
    fill(g, t.y + 2 * s->nx, s->nz, 0.3);
    fill(g, t.a, s->nd, 2);
    fill(g, t.f, s->nc, 3);
    fill(g, t.z_t, s->nz, 1);
    fill(g, da, s->nd, 1);
    fill(g, df, s->nc, 1);
    fill(g, dz, s->nz, 1);
    fill(g, dq, s->nd, 1);
    fill(g, dv, s->nd, 1);
    t.b_q = rng_log(g, 1e-4, 1e-1), t.b_v = rng_log(g, 1e-3, 0.3), t.b_z = rng_log(g, 1e-3, 0.3);
    double *g_a = numbers(s->nx), *g_f = numbers(s->nc), *g_z = numbers(s->nz);
    /* of the unknowns */
    int smooth = difference(&t, da, df, dz, NULL, NULL);
    for (int i = 0; i < s->nd; i++) g_a[i] = -t.r_a[i];
    for (int i = 0; i < s->nc; i++) g_f[i] = -t.r_f[i];
    for (int i = 0; i < s->nz; i++) g_z[i] = -t.r_z[i];
    cps_residual_eval(&t.r, 0.3, t.y, t.a, t.f, t.z_t, NULL);
    assert_true(cps_residual_factor(&t.r, t.b_q, t.b_v, t.b_z));
    assert_true(cps_residual_solve(&t.r, g_a, g_f, g_z, xa, xf, xz));
    if (smooth) {
      close_to(distance(xa, da, s->nd), 0, 1e-5);
      close_to(distance(xf, df, s->nc), 0, 1e-5 * (1 + size_of(g_f, s->nc)));
      close_to(distance(xz, dz, s->nz), 0, 1e-5 * (1 + size_of(g_z, s->nz)));
    }
    points += smooth;
    /* of the state alone */
    smooth = difference(&t, NULL, NULL, dz, dq, dv);
    cps_residual_eval(&t.r, 0.3, t.y, t.a, t.f, t.z_t, NULL);
    cps_residual_along(&t.r, dq, dv, dz, g_a, g_f, g_z);
    if (smooth) {
      close_to(distance(g_a, t.r_a, s->nd), 0, 1e-6 * (1 + size_of(g_a, s->nd)));
      close_to(distance(g_f, t.r_f, s->nc), 0, 1e-6 * (1 + size_of(g_f, s->nc)));
      close_to(distance(g_z, t.r_z, s->nz), 0, 1e-6 * (1 + size_of(g_z, s->nz)));
    }
    points += smooth;
    free(g_a), free(g_f), free(g_z);
  }
  double *all[] = {t.y,   t.y1, t.a, t.a1, t.f, t.f1, t.z_t, t.z1, t.r_a, t.r_f,
                   t.r_z, da,   df,  dz,   dq,  dv,   xa,    xf,   xz};
  for (int i = 0; i < ROWS(all); i++) free(all[i]);
  cps_residual_free(&t.r);
  done(&run);
  return points;
}

static void jacobian(void **state) {
  (void)state;
  static const char *const pool[] = {
      "{tanh: {mu: 0.4}}",
      "{brown-mcphee: {mu_s: 0.7, mu_d: 0.5, v_t: 0.1}}",
      "{cdq: {mu: 0.5, epsilon: 2, alpha: 0.5}}",
      "{quinn: {mu: 0.5, epsilon: 40}}",
      "{lugre-load: {mu_s: 0.5, mu_d: 0.3, v_s: 0.5, sigma0: 20, sigma1: 0.5, sigma2: 0.1}}",
      "{dahl: {mu: 0.5, sigma0: 10}}",
      "{lugre-adams: {mu_s: 0.5, mu_d: 0.3, v_s: 0.5, sigma0: 20, sigma1: 0.5, sigma2: 0.1}}",
      "{rill: {}}",
      "{awrejcewicz: {mu_s: 0.6, mu_d: 0.5, epsilon: 5, v_s: 3}}",
  };
  rng g = rng_for("jacobian", 1);
  int points = 0;
  for (int i = 0; i < SYSTEMS; i++) {
    const char *laws[5];
    for (int k = 0; k < 5; k++) laws[k] = pool[rng_below(&g, ROWS(pool))];
    points += check_jacobian(&g, laws);
  }
  assert_true(points > 0.9 * 2 * SYSTEMS * POINTS);
}

/* ------------------------------------------------------------------ scenes */

#define OSCILLATOR                                                                                           \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1, x: 2.75}}\n"                                                                    \
  "springs: {k: {between: [ground, block], stiffness: 1, damping: 0.1}}\n"                                   \
  "run: {until: 20, output: 1, solver: rk4}\n"

#define DRY                                                                                                  \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1, x: 2.75}}\n"                                                                    \
  "springs: {k: {between: [ground, block], stiffness: 1}}\n"                                                 \
  "contacts: {c: {between: [block, ground], normal: 1, friction: {coulomb: {mu: 1}}}}\n"                     \
  "run: {until: 20, output: 1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n"

#define RABINOWICZ                                                                                           \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1}}\n"                                                                             \
  "surfaces: {belt: {velocity: 1}}\n"                                                                        \
  "springs: {k: {between: [ground, block], stiffness: 10}}\n"                                                \
  "contacts: {c: {between: [block, belt], normal: weight, friction: {brown-mcphee: {mu_s: 0.8, mu_d: 0.7, "  \
  "v_t: 1e-2}}}}\n"                                                                                          \
  "run: {until: 4, output: 0.1, solver: rk4}\n"

#define PULSES                                                                                               \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1}}\n"                                                                             \
  "contacts: {c: {between: [block, ground], normal: weight, friction: {lugre-load: {mu_s: 0.6, mu_d: 0.4, "  \
  "sigma0: 1e4}}}}\n"                                                                                        \
  "loads: {push: {on: block, force: {pulses: {amplitude: 4.7, start: 0.1, width: 0.4, period: 1, count: "    \
  "2}}}}\n"                                                                                                  \
  "run: {until: 2, output: 0.05, solver: rk4}\n"

#define TWO_BLOCKS(law1, law2)                                                                               \
  "capstan: 1\n"                                                                                             \
  "bodies: {lower: {mass: 1}, upper: {mass: 1}}\n"                                                           \
  "surfaces: {belt: {position: {sine: {amplitude: 1, omega: 0.5}}}}\n"                                       \
  "springs: {k1: {between: [ground, lower], stiffness: 1}, k2: {between: [ground, upper], stiffness: 2}}\n"  \
  "contacts:\n"                                                                                              \
  "  below: {between: [lower, belt], normal: 1, friction: " law1 "}\n"                                       \
  "  above: {between: [upper, lower], normal: 1, friction: " law2 "}\n"                                      \
  "run: {until: 20, output: 1, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}\n"

#define TIGHT "run.tolerance=1e-9;run.absolute_tolerance=1e-12"

/* Ends at `stop` while all sticks and the load goes on: what happens in between must not be passed over. */
#define REST_AND_SLIP                                                                                        \
  "capstan: 1\n"                                                                                             \
  "bodies: {block: {mass: 1}}\n"                                                                             \
  "contacts: {c: {between: [block, ground], normal: 1, friction: {quinn: {mu: 1, epsilon: 1e-3}}}}\n"        \
  "loads: {push: {on: block, force: {sine: {amplitude: 1.2, omega: 20}}}}\n"                                 \
  "run: {until: 60, output: 60, solver: events, tolerance: 1e-9, absolute_tolerance: 1e-12}\n"

/* ------------------------------------------------------------------ order */

/* log2 of the ratio of the errors of two runs, the second with half the step. */
static double order_of(const char *text, const char *settings, double h, const char *name, double exact) {
  double error[2];
  for (int i = 0; i < 2; i++) {
    char all[400];
    snprintf(all, sizeof all, "%s;run.step=%.17g", settings, i == 0 ? h : h / 2);
    error[i] = fabs(value_of(text, all, name) - exact);
  }
  return log2(error[0] / error[1]);
}

static void alpha_is_of_order_2(void **state) {
  (void)state;
  double w = sqrt(1 - 0.05 * 0.05), t = 20;
  double exact = 2.75 * exp(-0.05 * t) * (cos(w * t) + 0.05 / w * sin(w * t));
  static const char *const rho[] = {"0", "0.5", "0.8", "1"};
  for (int i = 0; i < ROWS(rho); i++) {
    char settings[100];
    snprintf(settings, sizeof settings, "run.solver=alpha;run.rho=%s", rho[i]);
    close_to(order_of(OSCILLATOR, settings, 0.05, "bodies.block.x", exact), 2, 0.05);
    close_to(order_of(OSCILLATOR, settings, 0.025, "bodies.block.v", -2.75 * exp(-0.05 * t) / w * sin(w * t)),
             2, 0.1);
  }
}

/* States of friction, on a belt that is always faster than the block, so that nothing is kinked. */
static void alpha_is_of_order_2_with_states(void **state) {
  (void)state;
  const char *text = "capstan: 1\n"
                     "bodies: {block: {mass: 1}}\n"
                     "surfaces: {belt: {velocity: {sine: {amplitude: 1, omega: 2, offset: 5}}}}\n"
                     "springs: {k: {between: [ground, block], stiffness: 10}}\n"
                     "contacts: {c: {between: [block, belt], normal: 10, friction: {lugre-load: {mu_s: 0.8, "
                     "mu_d: 0.3, v_s: 2, sigma0: 2, sigma1: 0.02, sigma2: 0.01}}}}\n"
                     "run: {until: 3, output: 3}\n";
  ran r = run_with(text, "run.solver=events;run.tolerance=1e-13;run.absolute_tolerance=1e-14");
  double x = last(&r, "bodies.block.x"), z = last(&r, "contacts.c.z"), w = last(&r, "contacts.c.work");
  done(&r);
  close_to(order_of(text, "run.solver=alpha", 0.02, "bodies.block.x", x), 2, 0.1);
  close_to(order_of(text, "run.solver=alpha", 0.02, "contacts.c.z", z), 2, 0.1);
  close_to(order_of(text, "run.solver=alpha", 0.02, "contacts.c.work", w), 2, 0.1);
}

/* ------------------------------------------------------------------ agreement */

static void damped_oscillator(void **state) {
  (void)state;
  agree(OSCILLATOR, "run.step=1e-3", "run.solver=bdf;" TIGHT, "bodies.block.x", 1e-6);
  agree(OSCILLATOR, "run.step=1e-3", "run.solver=alpha;run.step=0.001", "bodies.block.x", 1e-5);
  /* adaptive: the error falls with the tolerance */
  double exact = value_of(OSCILLATOR, "run.step=1e-3", "bodies.block.x");
  double coarse = value_of(OSCILLATOR, "run.solver=alpha;run.tolerance=1e-5;run.absolute_tolerance=1e-7",
                           "bodies.block.x");
  double fine = value_of(OSCILLATOR, "run.solver=alpha;run.tolerance=1e-8;run.absolute_tolerance=1e-10",
                         "bodies.block.x");
  close_to(coarse, exact, 2e-2);
  close_to(fine, exact, 2e-4);
}

static void quinn_oscillator(void **state) {
  (void)state;
#define QUINN(eps) "contacts.c.friction={quinn: {mu: 1, epsilon: " eps "}}"
  /* Coulomb's law comes out as epsilon goes to zero */
  agree(DRY, "", "run.solver=bdf;" TIGHT ";" QUINN("1e-5"), "bodies.block.x", 1e-6);
  agree(DRY, "", "run.solver=alpha;run.step=1e-3;" QUINN("1e-4"), "bodies.block.x", 2e-5);
  agree(DRY, "run.solver=rk4;run.step=1e-3;" QUINN("0.01"), "run.solver=bdf;" TIGHT ";" QUINN("0.01"),
        "bodies.block.x", 1e-6);
  agree(DRY, "run.solver=rk4;run.step=1e-3;" QUINN("0.01"), "run.solver=alpha;run.step=1e-3;" QUINN("0.01"),
        "bodies.block.x", 2e-6);
}

static void rabinowicz(void **state) {
  (void)state;
  agree(RABINOWICZ, "run.step=1e-4", "run.solver=bdf;" TIGHT, "bodies.block.x", 1e-6);
  agree(RABINOWICZ, "run.step=1e-4", "run.solver=alpha;run.step=1e-4", "bodies.block.x", 1e-5);
  agree(RABINOWICZ, "run.step=1e-4", "run.solver=alpha;run.tolerance=1e-8;run.absolute_tolerance=1e-10",
        "bodies.block.x", 1e-3);
  agree(RABINOWICZ, "run.solver=events;" TIGHT "", "run.solver=bdf;" TIGHT, "bodies.block.v", 1e-5);
}

static void lugre_pulse(void **state) {
  (void)state;
  agree(PULSES, "run.step=5e-6", "run.solver=bdf;" TIGHT, "bodies.block.x", 1e-6);
  agree(PULSES, "run.step=5e-6", "run.solver=alpha;run.step=2e-5", "bodies.block.x", 1e-5);
  agree(PULSES, "run.step=5e-6", "run.solver=alpha;run.tolerance=1e-7;run.absolute_tolerance=1e-10",
        "bodies.block.x", 1e-5);
}

static void two_blocks(void **state) {
  (void)state;
  static const char coulomb[] = TWO_BLOCKS("{coulomb: {mu: 0.5}}", "{coulomb: {mu: 0.25}}");
  static const char quinn[] = TWO_BLOCKS("{quinn: {mu: 0.5, epsilon: 1e-5}}",
                                         "{quinn: {mu: 0.25, epsilon: 1e-5}}");
  ran a = run_with(coulomb, ""), b = run_with(quinn, "run.solver=bdf;" TIGHT),
      c = run_with(quinn, "run.solver=alpha;run.step=1e-3");
  static const char *const names[] = {"bodies.lower.x", "bodies.upper.x", "contacts.below.work",
                                      "contacts.above.work"};
  for (int i = 0; i < ROWS(names); i++) {
    close_to(last(&b, names[i]), last(&a, names[i]), 2e-5);
    close_to(last(&c, names[i]), last(&a, names[i]), 2e-4);
  }
  done(&a);
  done(&b);
  done(&c);
}

/* Springs in the plane, ropes, a load that presses, a body that is let go later. */
static void festoon(void **state) {
  (void)state;
  const char *text =
      "capstan: 1\n"
      "bodies:\n"
      "  T: {mass: 5, x: 1, held_until: 0.35}\n"
      "  C: {mass: 10, position: [0.5, -1.4], velocity: [0.3, 0]}\n"
      "surfaces: {TT: {position: {sum: [2, {sine: {amplitude: 0.5, omega: 2, start: 0}}]}}}\n"
      "springs:\n"
      "  a: {between: [{ground: [0, 0]}, C], stiffness: 2000, damping: 20, length: 1.5, tension_only: true, "
      "kind: distance}\n"
      "  b: {between: [C, T], stiffness: 2000, damping: 20, length: 1.5, tension_only: true, kind: "
      "distance}\n"
      "  c: {between: [T, TT], stiffness: 300, damping: 20, length: 0.9, kind: distance}\n"
      "contacts: {rail: {between: [T, ground], normal: load, friction: {quinn: {mu: 0.08, epsilon: 1e-2}}}}\n"
      "run: {until: 4, output: 0.1, solver: rk4}\n";
  agree(text, "run.step=1e-4", "run.solver=bdf;" TIGHT, "bodies.T.x", 1e-5);
  agree(text, "run.step=1e-4", "run.solver=bdf;" TIGHT, "contacts.rail.n", 1e-2);
  /* the dampers of the ropes jump when a rope comes taut: of first order where that is not located */
  agree(text, "run.step=1e-4", "run.solver=alpha;run.step=1e-4;run.rho=1", "bodies.T.x", 1e-5);
  agree(text, "run.step=1e-4", "run.solver=alpha;run.step=5e-4", "bodies.C.y", 2e-4);
}

/* Laws with memory and modes: guards are located. */
static void laws_with_modes(void **state) {
  (void)state;
  const char *text =
      "capstan: 1\n"
      "bodies: {block: {mass: 1}}\n"
      "springs: {k: {between: [ground, block], stiffness: 100}}\n"
      "contacts: {c: {between: [block, ground], normal: 10, friction: adams-stick-slip}}\n"
      "loads: {push: {on: block, force: {sine: {amplitude: 12, omega: 3}}}}\n"
      "run: {until: 3, output: 0.1, solver: events, tolerance: 1e-10, absolute_tolerance: 1e-13}\n";
  static const char *const laws[] = {
      "{simpack-stick-slip: {mu_s: 0.6, mu_d: 0.4, c_f: 1e6, d_f: 1e3}}", "{iwan: {}}",
      "{adams-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 0.01, x_s: 1e-3}}",
      "{recurdyn-stick-slip: {mu_s: 0.6, mu_d: 0.4, v_s: 0.01, x_s: 1e-3}}", "{gms: {}}"};
  for (int i = 0; i < ROWS(laws); i++) {
    char settings[2][300];
    snprintf(settings[0], sizeof settings[0], "contacts.c.friction=%s", laws[i]);
    snprintf(settings[1], sizeof settings[1], "contacts.c.friction=%s;run.solver=bdf;" TIGHT, laws[i]);
    agree(text, settings[0], settings[1], "bodies.block.x", 2e-5);
    snprintf(settings[1], sizeof settings[1], "contacts.c.friction=%s;run.solver=alpha;run.step=5e-5",
             laws[i]);
    agree(text, settings[0], settings[1], "bodies.block.x", 5e-5);
    ran r = run_with(text, settings[1]);
    assert_true(r.count.events > 3);
    done(&r);
  }
}

/* A law whose states jump without a change of mode: bristles that snap. */
static void states_that_jump(void **state) {
  (void)state;
  const char *text =
      "capstan: 1\n"
      "bodies: {block: {mass: 1, v: 0.1}}\n"
      "springs: {k: {between: [ground, block], stiffness: 100}}\n"
      "contacts: {c: {between: [block, ground], normal: 10, friction: {haessig-bristle: {mu: 0.5, "
      "sigma0: 1e4}}}}\n"
      "run: {until: 0.2, output: 0.01, solver: events, tolerance: 1e-10, absolute_tolerance: 1e-13}\n";
  agree(text, "", "run.solver=bdf;" TIGHT, "bodies.block.x", 1e-6);
  agree(text, "", "run.solver=alpha;run.step=1e-4", "bodies.block.x", 1e-5);
  agree(text, "", "run.solver=alpha;run.tolerance=1e-7;run.absolute_tolerance=1e-9", "bodies.block.x", 1e-5);
}

/* Elements that yield and turn back all the time, some at the very start of a step: no step of no length, which
 * would blow up or never end. */
static void guards_at_the_start(void **state) {
  (void)state;
  const char *text = "capstan: 1\n"
                     "bodies: {block: {mass: 1}, rider: {mass: 0.5, v: 0.3}}\n"
                     "springs: {k: {between: [ground, block], stiffness: 100}, kr: {between: [block, rider], "
                     "stiffness: 40, damping: 0.1}}\n"
                     "contacts:\n"
                     "  c: {between: [block, ground], normal: 10, friction: iwan}\n"
                     "  r: {between: [rider, block], normal: 3, friction: iwan}\n"
                     "loads: {push: {on: block, force: {sine: {amplitude: 12, omega: 5}}}}\n"
                     "run: {until: 2, output: 0.1, solver: events, max_steps: 100000}\n";
  double exact = value_of(text, "", "bodies.block.x");
  static const char *const settings[] = {"run.step=1e-3", "run.step=1e-3;run.output=1e-3",
                                         "run.step=1e-3;run.rho=0.5",
                                         "run.tolerance=1e-6;run.absolute_tolerance=1e-8"};
  for (int i = 0; i < ROWS(settings); i++) {
    char all[200];
    snprintf(all, sizeof all, "run.solver=alpha;%s", settings[i]);
    close_to(value_of(text, all, "bodies.block.x"), exact, 2e-4);
  }
}

/* While all sticks the steps could be as long as they like: they must not pass over the slipping to come. */
static void nothing_is_passed_over(void **state) {
  (void)state;
  double exact = value_of(REST_AND_SLIP, "run.solver=rk4;run.step=2e-4", "contacts.c.work");
  close_to(value_of(REST_AND_SLIP, "run.solver=bdf", "contacts.c.work"), exact, 1e-3 * exact);
  close_to(value_of(REST_AND_SLIP, "run.solver=alpha;run.tolerance=1e-7;run.absolute_tolerance=1e-9",
                    "contacts.c.work"),
           exact, 1e-3 * exact);
}

/* ------------------------------------------------------------------ energy */

static void energy_closes(void **state) {
  (void)state;
  /* Newmark's average acceleration conserves exactly what linear springs store: only round-off is left. */
  ran r = run_with(OSCILLATOR, "run.solver=alpha;run.step=0.1;run.rho=1");
  close_to(r.energy.error, 0, 1e-14 * r.energy.scale);
  done(&r);
  r = run_with(TWO_BLOCKS("{quinn: {mu: 0.5, epsilon: 1e-3}}", "{quinn: {mu: 0.25, epsilon: 1e-3}}"),
               "run.solver=alpha;run.step=0.05;run.rho=1");
  close_to(r.energy.error, 0, 1e-13 * r.energy.scale);
  done(&r);
  /* otherwise what is left is what the method dissipates, of its own order */
  close_to(order_of(OSCILLATOR, "run.solver=alpha", 0.05, "energy.error", 0), 2, 0.1);
  r = run_with(RABINOWICZ, "run.solver=bdf;" TIGHT);
  close_to(r.energy.error, 0, 1e-6 * r.energy.scale);
  done(&r);
}

/* ------------------------------------------------------------------ rest */

static void held_load_does_not_creep(void **state) {
  (void)state;
  const char *text =
      "capstan: 1\n"
      "bodies: {load: {mass: 50, direction: [1, -1]}, rider: {mass: 10, direction: [1, -1]}}\n"
      "contacts:\n"
      "  ramp: {between: [load, ground], normal: weight, friction: {quinn: {mu: 1.05, epsilon: 1e-3}}}\n"
      "  top: {between: [rider, load], normal: weight, friction: {quinn: {mu: 1.05, epsilon: 1e-3}}}\n"
      "loads: {shake: {on: load, force: {pulses: {amplitude: 5, start: 0.1, width: 0.1}}}}\n"
      "run: {until: 1000, output: 500, solver: alpha}\n";
  static const char *const settings[] = {"run.solver=alpha", "run.solver=alpha;run.step=0.1",
                                         "run.solver=bdf"};
  for (int i = 0; i < ROWS(settings); i++) {
    ran r = run_with(text, settings[i]);
    const double *x = column(&r, "bodies.load.x"), *v = column(&r, "bodies.rider.v");
    close_to(v[1], 0, 1e-16);
    close_to(v[2], 0, 1e-16);
    close_to(last(&r, "bodies.load.v"), 0, 1e-16);
    close_to(x[2], x[1], 1e-15);
    done(&r);
  }
}

/* ------------------------------------------------------------------ many bodies */

/* Quinn's chain: n blocks of mass 1/n in a row, springs n. */
static void write_chain(int n, const char *law, double until, double h, char *text, size_t size) {
  snprintf(text, size,
           "capstan: 1\n"
           "repeat:\n"
           "  - {count: %d, from: 1, index: i, bodies: {\"b{i}\": {mass: %.17g}}, springs: {\"s{i}\": "
           "{between: [\"b{i}\", "
           "\"b{i+1}\"], stiffness: %d}}, contacts: {\"c{i}\": {between: [\"b{i}\", ground], normal: %.17g, "
           "friction: "
           "{%s: {mu: 1, epsilon: %.17g}}}}}\n"
           "bodies: {b%d: {mass: %.17g}}\n"
           "springs: {wall: {between: [b%d, ground], stiffness: %d}}\n"
           "loads: {shaker: {on: b1, force: {sine: {amplitude: -0.25, omega: 0.5}}}}\n"
           "run: {until: %.17g, output: %.17g, solver: alpha, step: %.17g}\n",
           n - 1, 1.0 / n, n, 1.0 / n, law, 5 * h, n, 0.75 / n, n, 2 * n, until, until, h);
}

static void chain(void **state) {
  (void)state;
  char text[2000];
  double h = 0.007853981633974483;
  write_chain(256, "quinn", 200 * h, h, text, sizeof text);
  ran r = run_with(text, "");
  assert_int_equal(r.count.steps, 200);
  assert_int_equal(r.count.rejected, 0);
  double newton = (double)r.count.newton / (double)r.count.steps;
  if (newton > 3) print_error("%.2f iterations per step\n", newton);
  assert_true(newton <= 3);
  done(&r);
  /* cycle 4 of 32 blocks: Quinn 0.010542 at this step; exact 0.010494960 */
  double cycle = 4 * acos(-1.0);
  write_chain(32, "quinn", 4 * cycle, h, text, sizeof text);
  char settings[100];
  snprintf(settings, sizeof settings, "run.output=%.17g", cycle);
  r = run_with(text, settings);
  const double *w = column(&r, "energy.friction");
  close_to(w[4] - w[3], 0.010494960, 1e-4);
  done(&r);
}

/* A law that begins to slide before it has reached all that it bears, in short and in long chains. */
static void smooth_chain(void **state) {
  (void)state;
  char text[2000];
  double h = 0.007853981633974483;
  for (int n = 8; n <= 64; n *= 8) {
    write_chain(n, "cdq", 1600 * h, h, text, sizeof text);
    ran r = run_with(text, "");
    double newton = (double)r.count.newton / (double)r.count.steps;
    assert_int_equal(r.count.rejected, 0);
    if (newton > 3) print_error("%d blocks: %.2f iterations per step\n", n, newton);
    assert_true(newton <= 3);
    done(&r);
  }
}

/* The same bits every time. */
static void deterministic(void **state) {
  (void)state;
  static const char *const solvers[] = {"run.solver=alpha", "run.solver=bdf"};
  for (int i = 0; i < ROWS(solvers); i++) {
    static const char text[] = TWO_BLOCKS("{quinn: {mu: 0.5, epsilon: 1e-3}}",
                                          "{cdq: {mu: 0.25, epsilon: 1e-3}}");
    char settings[200];
    snprintf(settings, sizeof settings, "%s;run.tolerance=1e-6;run.absolute_tolerance=1e-8", solvers[i]);
    ran a = run_with(text, settings), b = run_with(text, settings);
    for (int c = 0; c < cps_result_columns(a.result); c++)
      assert_memory_equal(cps_result_data(a.result, c), cps_result_data(b.result, c),
                          (size_t)cps_result_rows(a.result) * sizeof(double));
    done(&a);
    done(&b);
  }
}

/* ------------------------------------------------------------------ where it ends */

static void laws_that_jump_are_refused(void **state) {
  (void)state;
  static const char *const solvers[] = {"run.solver=alpha", "run.solver=bdf"};
  for (int i = 0; i < ROWS(solvers); i++) {
    cps_scenario *s = parse(DRY, &solvers[i], 1);
    cps_error err = {0};
    assert_null(cps_system_new(s, &err));
    assert_int_equal(err.status, CPS_BAD_INPUT);
    assert_string_equal(err.key, "run.solver");
    assert_string_equal(err.file, "--set");
    assert_int_equal(err.column, 12);
    assert_non_null(strstr(err.text, "coulomb"));
    assert_non_null(strstr(err.text, "contact c"));
    assert_non_null(strstr(err.text, "events"));
    cps_scenario_free(s);
  }
}

/* A law that jumps and does not say so. */
static void jump(const cps_law *law, const double *p, const cps_law_input *in, cps_law_output *out,
                 cps_law_jacobian *jac) {
  (void)law, (void)p, (void)jac;
  out->f = in->v > 0 ? -in->n : in->n;
}

static void jump_scale(const cps_law *law, const double *p, double n, cps_law_scale *s) {
  (void)law, (void)p;
  s->f_stick = s->f_peak = n;
  s->v_scale = 1e-9;
}

static void failures_tell_a_story(void **state) {
  (void)state;
  cps_law law = *cps_law_find("tanh");
  law.name = "jump";
  law.eval = jump;
  law.scale = jump_scale;
  static const char *const solvers[] = {"run.solver=alpha", "run.solver=bdf"};
  for (int i = 0; i < ROWS(solvers); i++) {
    cps_scenario *scenario = parse(RABINOWICZ, &solvers[i], 1);
    scenario->contacts[0].law = &law;
    ran r = start(scenario);
    assert_int_equal(r.status, CPS_FAILED);
    assert_true(r.err.time >= 0 && r.err.time < 4);
    assert_non_null(strstr(r.err.text, "try"));
    if (i == 0) assert_non_null(strstr(r.err.text, "contact c of body block"));
    assert_true(cps_result_rows(r.result) >= 1);
    done(&r);
  }
  ran r = start(parse(OSCILLATOR, (const char *const[]){"run.solver=bdf", "run.max_steps=10"}, 2));
  assert_int_equal(r.status, CPS_FAILED);
  assert_non_null(strstr(r.err.text, "max_steps"));
  done(&r);
}

/* ------------------------------------------------------------------ the matrix */

static void sparse_solves(void **state) {
  (void)state;
  rng g = rng_for("sparse", 1);
  enum { N = 40, EACH = 4 };
  place entries[N * EACH];
  for (int i = 0; i < N * EACH; i++) entries[i] = (place){rng_below(&g, N), rng_below(&g, N)};
  sparse m;
  assert_true(cps_sparse_make(&m, N, entries, N * EACH));
  assert_int_equal(cps_sparse_slot(&m, -1, 0), m.nnz);
  int order[N];
  assert_true(cps_sparse_order(&m, order));
  assert_true(cps_sparse_analyse(&m, order));
  for (int round = 0; round < 50; round++) {
    /* pivots that were good in the last round may be as good as zero in this one */
    for (int i = 0; i < m.nnz; i++) m.value[i] = rng_between(&g, -1, 1);
    for (int i = 0; i < N; i++)
      m.value[cps_sparse_slot(&m, i, i)] = round % 2 ? 3 : rng_sign(&g) * (rng_uniform(&g) < 0.3 ? 1e-14 : 1);
    double x[N], b[N] = {0};
    for (int i = 0; i < N; i++) x[i] = rng_between(&g, -1, 1);
    for (int j = 0; j < N; j++)
      for (int k = m.first[j]; k < m.first[j + 1]; k++) b[m.row[k]] += m.value[k] * x[j];
    assert_true(cps_sparse_factor(&m));
    assert_true(cps_sparse_solve(&m, b));
    double rest[N] = {0}, most = 0;
    for (int j = 0; j < N; j++)
      for (int k = m.first[j]; k < m.first[j + 1]; k++) rest[m.row[k]] += m.value[k] * (b[j] - x[j]);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(b[i]));
    close_to(size_of(rest, N), 0, 1e-8 * (1 + most));
  }
  assert_true(m.pivoted > 1);
  /* a singular one is found out */
  memset(m.value, 0, (size_t)m.nnz * sizeof(double));
  assert_false(cps_sparse_factor(&m));
  cps_sparse_free(&m);
}

/* A rope that goes taut within round-off of a row: the row lies before the step that starts there. */
static void taut_on_a_row(void **state) {
  (void)state;
  static const double offsets[] = {0, 1.5e-11, 2e-11, 4e-11, 6e-11};
  for (int i = 0; i < ROWS(offsets); i++) {
    char text[500];
    snprintf(text, sizeof text,
             "capstan: 1\nbodies: {load: {mass: 10 kg, position: [0, 0]}}\n"
             "springs: {rope: {between: [{ground: [0, 1]}, load], stiffness: 1e5, damping: 50 N s/m, "
             "tension_only: true, length: %.15g}}\n"
             "run: {until: 0.15 s, solver: bdf, output: 10 ms}\n",
             1.04905 + offsets[i]);
    ran r = run_with(text, "");
    assert_int_equal(cps_result_rows(r.result), 16);
    assert_true(cps_result_data(r.result, 0)[10] == 10 * 0.01);
    done(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_solves),
      cmocka_unit_test(taut_on_a_row),
      cmocka_unit_test(jacobian),
      cmocka_unit_test(alpha_is_of_order_2),
      cmocka_unit_test(alpha_is_of_order_2_with_states),
      cmocka_unit_test(damped_oscillator),
      cmocka_unit_test(quinn_oscillator),
      cmocka_unit_test(rabinowicz),
      cmocka_unit_test(lugre_pulse),
      cmocka_unit_test(two_blocks),
      cmocka_unit_test(festoon),
      cmocka_unit_test(laws_with_modes),
      cmocka_unit_test(states_that_jump),
      cmocka_unit_test(guards_at_the_start),
      cmocka_unit_test(nothing_is_passed_over),
      cmocka_unit_test(energy_closes),
      cmocka_unit_test(held_load_does_not_creep),
      cmocka_unit_test(chain),
      cmocka_unit_test(smooth_chain),
      cmocka_unit_test(deterministic),
      cmocka_unit_test(laws_that_jump_are_refused),
      cmocka_unit_test(failures_tell_a_story),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
