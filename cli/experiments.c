/* experiments.c - see experiments.h. Motions that are prescribed are driven directly; loads act on a block that is simulated. */
#include "experiments.h"
#include "cli.h"
#include "drive.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field, unit, meaning, value)                                                                     \
  { #field, unit, meaning, value, offsetof(bench, field) }

const bench_row bench_rows[] = {
    ROW(load, "N", "normal force", 10),
    ROW(mass, "kg", "mass of the block", 1),
    ROW(rate, "1/s", "slowest rate of the load, over the static force", 0.1),
    ROW(rate_most, "1/s", "fastest rate of the load, over the static force", 100),
    ROW(amplitude, "1", "amplitude of presliding, over the law's own length", 0.5),
    ROW(frequency, "Hz", "frequency of lag and drift", 1),
    ROW(cycles, "1", "cycles of drift", 20),
    ROW(dwell, "s", "shortest time at rest", 0.01),
    ROW(dwell_most, "s", "longest time at rest", 100),
    ROW(stiffness, "N/m", "of the spring that holds the block on the belt", 1000),
    ROW(damping, "1", "of that spring, over the critical damping", 0.02),
    ROW(width, "s", "of the pulse", 0.1),
    ROW(push, "1", "load of pulse and ramp, over the static force", 1.5),
};

const int n_bench_rows = sizeof bench_rows / sizeof bench_rows[0];

int check_holds(const check *c) {
  double scale = c->expected != 0 ? fabs(c->expected) : 1;
  return fabs(c->found - c->expected) <= c->tolerance * scale;
}

/* ---------------------------------------------------------------- laws */

static subject defaults(const char *name) {
  subject s = {.law = cps_law_find(name)};
  cps_law_defaults(s.law, s.p);
  return s;
}

static double param(const subject *s, const char *name) { return s->p[cps_law_param(s->law, name)]; }

static double positive_or(double x, double otherwise) { return x > 0 && isfinite(x) ? x : otherwise; }

/* Magnitudes of a law that are all positive and finite. */
typedef struct scales {
  double f, v, length; /* static force [N], velocity over which it varies [m/s], deflection [m] */
  int deflects;
} scales;

static scales scales_of(const subject *s, double n) {
  cps_law_scale q;
  cps_law_scales(s->law, s->p, n, &q);
  scales r = {.f = positive_or(q.f_stick, positive_or(q.f_peak, n))};
  r.v = fmax(positive_or(q.v_band, 0), positive_or(q.v_scale, 0));
  if (!(r.v > 0)) r.v = 0.01;
  for (int i = 0; i < s->law->n_states; i++) {
    if (strcmp(s->law->states[i].unit, "m") != 0) continue;
    r.deflects = 1;
    r.length = fmax(r.length, positive_or(q.z[i], 0));
  }
  for (int i = 0; r.length == 0 && i < s->law->n_params; i++)
    if (strcmp(s->law->params[i].unit, "m") == 0) r.length = positive_or(s->p[i], 0);
  if (!(r.length > 0)) r.length = 1e-3;
  return r;
}

static void say_why(finding *out, const char *format, ...) PRINTS(2, 3);

static void say_why(finding *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(out->why, sizeof out->why, format, args);
  va_end(args);
}

/* The series of the law that is being run, in panel i: the last one. */
static series *curve_of(figure *f, int i) { return &f->panels[i].series[f->panels[i].n_series - 1]; }

/* ---------------------------------------------------------------- a block */

enum { ROWS = 1500, STEPS_MOST = 100000 };

/* A simulation of a block on a surface, with its columns. */
typedef struct trial {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  long rows;
  const double *t, *x, *v, *f;
} trial;

static void trial_free(trial *t) {
  cps_simulation_free(t->sim);
  cps_system_free(t->system);
  cps_scenario_free(t->scenario);
}

static void put_law(FILE *out, const subject *s) {
  fprintf(out, "{%s: {", s->law->name);
  for (int i = 0; i < s->law->n_params; i++)
    fprintf(out, "%s%s: %.17g", i ? ", " : "", s->law->params[i].name, s->p[i]);
  fprintf(out, "}}");
}

static const double *column(const cps_result *r, const char *name) {
  int c = cps_result_find(r, name);
  return c >= 0 ? cps_result_data(r, c) : NULL;
}

/* Runs one scenario with a solver (NULL: the one that it would get). 0 if that fails; then out says why. */
static int attempt(trial *t, const char *text, size_t size, const char *solver, const char *name,
                   finding *out) {
  char setting[40] = "";
  /* solvers are compared here, inaccurate ones among them */
  const char *settings[] = {"run.audit.fail=off", setting};
  cps_problems *problems = NULL;
  cps_error error = {.time = NAN};
  if (solver) snprintf(setting, sizeof setting, "run.solver=%s", solver);
  *t = (trial){0};
  t->scenario = cps_scenario_parse(text, size, name, settings, 1 + (solver != NULL), &problems);
  if (!t->scenario) say_why(out, "%s", cps_problems_at(problems, 0)->text);
  t->system = t->scenario ? cps_system_new(t->scenario, &error) : NULL;
  t->sim = t->system ? cps_simulation_new(t->system, &error) : NULL;
  cps_status status = t->sim ? cps_simulation_run(t->sim, NULL, NULL, &error) : CPS_FAILED;
  if (t->scenario && status != CPS_OK) say_why(out, "%s", error.text);
  if (t->sim) {
    const cps_result *r = cps_simulation_result(t->sim);
    t->rows = cps_result_rows(r);
    t->t = cps_result_data(r, 0);
    t->x = column(r, "bodies.block.x");
    t->v = column(r, "bodies.block.v");
    t->f = column(r, "contacts.c.f");
  }
  cps_problems_free(problems);
  return status == CPS_OK && t->x && t->v && t->f;
}

/* Runs a block with mass and normal force of the bench for a time. `more` is what else is in the scenario, and
 * `base` what the block slides on. A law that is too stiff for the solver that it would get is given to the implicit one.
 * 0 if that fails, too; then out says why. */
static int simulate(trial *t, const subject *s, const bench *b, double until, const char *base, finding *out,
                    const char *more, ...) PRINTS(7, 8);

static int simulate(trial *t, const subject *s, const bench *b, double until, const char *base, finding *out,
                    const char *more, ...) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = text_open(&text, &size);
  *t = (trial){0};
  if (!file) return 0;
  fprintf(file,
          "capstan: 1\ngravity: 0\nbodies: {block: {mass: %.17g}}\ncontacts: {c: {between: [block, %s], "
          "normal: %.17g, friction: ",
          b->mass, base, b->load);
  put_law(file, s);
  fprintf(file, "}}\nrun: {until: %.17g, output: %.17g, max_steps: %d}\n", until,
          b->every_step ? 0 : until / ROWS, STEPS_MOST);
  va_list args;
  va_start(args, more);
  vfprintf(file, more, args);
  va_end(args);
  if (!text_close(file, &text)) return 0;
  int good = attempt(t, text, size, NULL, s->law->name, out);
  if (!good) {
    finding again = {.why = ""};
    trial_free(t);
    good = attempt(t, text, size, "alpha", s->law->name, &again);
    if (good) out->why[0] = 0;
  }
  free(text);
  return good;
}

/* ---------------------------------------------------------------- the Stribeck curve */

static void stribeck_frame(figure *f) {
  panel *g = figure_panel(f, "Steady sliding");
  axis_set(&g->x, "velocity", "m/s");
  axis_set(&g->y, "friction coefficient", "1");
  g->x.log = 1;
}

/* The force of a law without states depends on nothing but the velocity and, at rest, on the balance force, which here is all that it can hold. */
static double instant_force(const subject *s, double n, double v) {
  scales r = scales_of(s, n);
  cps_law_input in = {.v = v, .n = n, .f_eq = v > 0 ? -r.f : r.f, .mode = CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(s->law, s->p, &in, &out, NULL);
  return out.f;
}

/* The force after a further step of a prescribed motion. */
static double driven_force(const subject *s, driver *d, double v, double h) {
  if (s->law->n_states == 0) return instant_force(s, d->n, v);
  drive_step(d, v, h, 0.5);
  return d->f;
}

/* The steady force at a velocity, positive. */
static double steady_force(const subject *s, const bench *b, double v, const scales *r) {
  if (s->law->n_states == 0) return -instant_force(s, b->load, v);
  driver d = drive_start(s->law, s->p, b->load);
  return -drive_steady(&d, v, r->length);
}

static void stribeck_run(const subject *s, const bench *b, figure *f, finding *out) {
  enum { POINTS = 61 };
  scales r = scales_of(s, b->load);
  double most = -INFINITY, at = NAN, last = NAN;
  for (int i = 0; i < POINTS; i++) {
    double v = r.v * pow(10, -3 + 4.0 * i / (POINTS - 1)), mu = steady_force(s, b, v, &r) / b->load;
    series_add(curve_of(f, 0), v, mu);
    if (mu > most) most = mu, at = v;
    last = mu;
  }
  out->value[0] = most;
  out->value[1] = at;
  out->value[2] = last;
}

static void stribeck_check(const bench *b, check *c) {
  subject s = defaults("coulomb-viscous");
  scales r = scales_of(&s, b->load);
  double v = 0.3;
  *c = (check){
      .what = "Coulomb with viscous friction at 0.3 m/s: mu N + viscous v", .tolerance = 1e-12, .unit = "N"};
  c->expected = param(&s, "mu") * b->load + param(&s, "viscous") * v;
  c->found = steady_force(&s, b, v, &r);
}

/* ---------------------------------------------------------------- presliding hysteresis */

static void hysteresis_frame(figure *f) {
  panel *g = figure_panel(f, "Presliding");
  axis_set(&g->x, "displacement", "m");
  axis_set(&g->y, "friction force on the mover", "N");
}

enum { BRANCH = 400 };

/* Moves slowly from one place to another; the force after each step goes to force[BRANCH]. */
static void branch(const subject *s, driver *d, double from, double to, double time, double *force) {
  for (int i = 0; i < BRANCH; i++) {
    force[i] = -driven_force(s, d, (to - from) / time, time / BRANCH);
  }
}

/* The virgin curve at x in 0 .. a, between its points. */
static double virgin_at(const double *virgin, double x, double a) {
  double at = x / a * BRANCH - 1;
  if (at <= -1) return 0;
  if (at < 0) return virgin[0] * (at + 1);
  int i = at >= BRANCH - 1 ? BRANCH - 2 : (int)at;
  return virgin[i] + (at - i) * (virgin[i + 1] - virgin[i]);
}

static double presliding(const subject *s, const bench *b, double *virgin, double *down, double *up) {
  scales r = scales_of(s, b->load);
  double a = b->amplitude * r.length, slow = 1e-3 * r.v, time = a / slow;
  driver d = drive_start(s->law, s->p, b->load);
  branch(s, &d, 0, a, time, virgin);
  branch(s, &d, a, -a, 2 * time, down);
  branch(s, &d, -a, a, 2 * time, up);
  return a;
}

static void hysteresis_run(const subject *s, const bench *b, figure *f, finding *out) {
  double virgin[BRANCH], down[BRANCH], up[BRANCH], work = 0, apart = 0;
  double a = presliding(s, b, virgin, down, up), top = virgin[BRANCH - 1];
  series *c = curve_of(f, 0);
  series_add(c, 0, 0);
  for (int i = 0; i < BRANCH; i++) series_add(c, a * (i + 1) / BRANCH, virgin[i]);
  for (int i = 0; i < BRANCH; i++) {
    double x = a - 2 * a * (i + 1) / BRANCH, masing = top - 2 * virgin_at(virgin, (a - x) / 2, a);
    series_add(c, x, down[i]);
    apart = fmax(apart, fabs(down[i] - masing));
    work += (up[i] - down[i]) * 2 * a / BRANCH;
  }
  for (int i = 0; i < BRANCH; i++) series_add(c, -a + 2 * a * (i + 1) / BRANCH, up[i]);
  out->value[0] = top / b->load;
  out->value[1] = work;
  out->value[2] = fabs(top) > 0 ? apart / fabs(top) : NAN;
}

/* Dahl: df/dx = sigma0 N (1 - f/(mu N)), so f = mu N (1 - e^(-sigma0 x/mu)). */
static void hysteresis_check(const bench *b, check *c) {
  subject s = defaults("dahl");
  double virgin[BRANCH], down[BRANCH], up[BRANCH];
  double a = presliding(&s, b, virgin, down, up), most = param(&s, "mu") * b->load;
  *c = (check){.what = "Dahl, first loading: mu N (1 - exp(-sigma0 x/mu))", .tolerance = 1e-4, .unit = "N"};
  c->expected = most * (1 - exp(-param(&s, "sigma0") * a / param(&s, "mu")));
  c->found = virgin[BRANCH - 1];
}

/* ---------------------------------------------------------------- frictional lag */

static void lag_frame(figure *f) {
  panel *g = figure_panel(f, "Force while the velocity swings");
  axis_set(&g->x, "velocity", "m/s");
  axis_set(&g->y, "friction coefficient", "1");
}

/* Swings around a velocity; gives back the difference of the forces at the middle, falling less rising, over N. */
static double swing(const subject *s, const bench *b, series *c) {
  enum { STEPS = 800, BEFORE = 4 };
  scales r = scales_of(s, b->load);
  double middle = 1.2 * r.v, depth = 0.9 * middle, period = 1 / b->frequency, h = period / STEPS,
         force[2] = {NAN, NAN};
  driver d = drive_start(s->law, s->p, b->load);
  for (int k = 0; k < (BEFORE + 1) * STEPS; k++) {
    double v = middle + depth * sin(2 * 3.14159265358979323846 * (k + 0.5) / STEPS);
    double force_now = -driven_force(s, &d, v, h);
    if (k < BEFORE * STEPS) continue;
    int at = k - BEFORE * STEPS;
    if (c && at % 4 == 0) series_add(c, v, force_now / b->load);
    /* The middle is passed at the start and end of the cycle, rising, and half way, falling. */
    if (at == STEPS - 1) force[0] = force_now;
    if (at == STEPS / 2 - 1) force[1] = force_now;
  }
  return (force[1] - force[0]) / b->load;
}

static void lag_run(const subject *s, const bench *b, figure *f, finding *out) {
  out->value[0] = swing(s, b, curve_of(f, 0));
}

static void lag_check(const bench *b, check *c) {
  subject s = defaults("tanh");
  *c = (check){.what = "A law without memory: the same force, whether the velocity rises or falls",
               .tolerance = 1e-2,
               .unit = "1"};
  /* The two middles are half a step apart from the exact crossing, on either side of it. */
  c->expected = 0;
  c->found = swing(&s, b, NULL);
}

/* ---------------------------------------------------------------- break-away */

#define SLIDES 1e-3 /* a block that is faster slides, however slow the law's own velocity is [m/s] */

/* The largest friction force on a block that is pulled harder and harder after a rest, until it slides. NaN if it fails. */
static double breakaway(const subject *s, const bench *b, double rest, double rate, finding *out) {
  scales r = scales_of(s, b->load);
  double most = 0, until = rest + 2 / rate;
  bench every = *b; /* the peak lies between the rows of a grid that spans the rest */
  every.every_step = 1;
  trial t;
  int good = simulate(&t, s, &every, until, "ground", out,
                      "loads: {pull: {on: block, force: {ramp: {rate: %.17g, start: %.17g}}}}\n", rate * r.f,
                      rest);
  for (long i = 0; good && i < t.rows; i++) {
    most = fmax(most, fabs(t.f[i]));
    if (fabs(t.v[i]) > fmax(3 * r.v, SLIDES)) break;
  }
  trial_free(&t);
  return good ? most : NAN;
}

enum { RATES = 7 };

static double between(double low, double high, int i, int n) {
  return low * pow(high / low, (double)i / (n - 1));
}

static void breakaway_frame(figure *f) {
  panel *g = figure_panel(f, "Break-away");
  axis_set(&g->x, "rate of the load", "N/s");
  axis_set(&g->y, "largest friction over normal force", "1");
  g->x.log = 1;
}

static void breakaway_run(const subject *s, const bench *b, figure *f, finding *out) {
  double first = NAN, last = NAN, force = scales_of(s, b->load).f;
  for (int i = 0; i < RATES && !out->why[0]; i++) {
    double rate = between(b->rate, b->rate_most, i, RATES), mu = breakaway(s, b, 0, rate, out) / b->load;
    series_add(curve_of(f, 0), rate * force, mu);
    if (i == 0) first = mu;
    last = mu;
  }
  out->value[0] = first;
  out->value[1] = last;
}

static void breakaway_check(const bench *b, check *c) {
  subject s = defaults("coulomb-static");
  finding out = {.why = ""};
  *c = (check){.what = "Coulomb with a static level: mu_s N, at any rate", .tolerance = 2e-3, .unit = "N"};
  c->expected = param(&s, "mu_s") * b->load;
  c->found = breakaway(&s, b, 0, b->rate_most, &out);
}

/* ---------------------------------------------------------------- time at rest */

static void dwell_frame(figure *f) {
  panel *g = figure_panel(f, "Break-away after a rest");
  axis_set(&g->x, "time at rest", "s");
  axis_set(&g->y, "largest friction over normal force", "1");
  g->x.log = 1;
}

enum { RESTS = 5 };

static void dwell_run(const subject *s, const bench *b, figure *f, finding *out) {
  double first = NAN, last = NAN;
  for (int i = 0; i < RESTS && !out->why[0]; i++) {
    double rest = between(b->dwell, b->dwell_most, i, RESTS),
           mu = breakaway(s, b, rest, b->rate_most / 10, out) / b->load;
    series_add(curve_of(f, 0), rest, mu);
    if (i == 0) first = mu;
    last = mu;
  }
  out->value[0] = first;
  out->value[1] = last;
  out->value[2] = last - first;
}

static void dwell_check(const bench *b, check *c) {
  subject s = defaults("coulomb-static");
  finding out = {.why = ""};
  double rate = b->rate_most / 10;
  *c = (check){
      .what = "Coulomb with a static level: the same after any rest", .tolerance = 2e-3, .unit = "N"};
  c->expected = param(&s, "mu_s") * b->load;
  c->found = breakaway(&s, b, 1, rate, &out);
}

/* ---------------------------------------------------------------- drift */

static void drift_frame(figure *f) {
  panel *g = figure_panel(f, "Under a load that swings below the limit");
  axis_set(&g->x, "time", "s");
  axis_set(&g->y, "displacement", "m");
}

static void drift_run(const subject *s, const bench *b, figure *f, finding *out) {
  scales r = scales_of(s, b->load);
  double period = 1 / b->frequency, until = b->cycles * period;
  trial t;
  if (simulate(&t, s, b, until, "ground", out,
               "loads: {pull: {on: block, force: {product: [{sine: {amplitude: %.17g, offset: %.17g, "
               "frequency: %.17g}}, {step5: {from: [0, 0], to: [%.17g, 1]}}]}}}\n",
               0.3 * r.f, 0.5 * r.f, b->frequency, period)) {
    for (long i = 0; i < t.rows; i += 3) series_add(curve_of(f, 0), t.t[i], t.x[i]);
    /* At the same phase, a quarter of the run apart, so that what is elastic does not count. */
    long per = (long)lround((double)(t.rows - 1) / b->cycles), cycles = (long)(b->cycles / 2),
         last = t.rows - 1;
    out->value[0] = (t.x[last] - t.x[last - cycles * per]) / (double)cycles;
    out->value[1] = t.x[last];
  }
  trial_free(&t);
}

static void drift_check(const bench *b, check *c) {
  subject s = defaults("coulomb");
  finding out = {.value = {NAN, NAN, NAN}};
  figure f = {.title = ""};
  drift_frame(&f);
  panel_series(&f.panels[0], "");
  drift_run(&s, b, &f, &out);
  *c = (check){.what = "Coulomb holds: no displacement in a cycle", .tolerance = 1e-12, .unit = "m"};
  c->expected = 0;
  c->found = out.value[0];
  figure_free(&f);
}

/* ---------------------------------------------------------------- stick-slip on a belt */

static void stickslip_frame(figure *f) {
  panel *g = figure_panel(f, "Block on a belt, held by a spring");
  axis_set(&g->x, "speed of the belt", "m/s");
  axis_set(&g->y, "amplitude", "m");
  g->x.log = 1;
}

/* Half the distance between the extremes of the block once it swings as it goes on to. */
static double belt_amplitude(const subject *s, const bench *b, double speed, double damping, finding *out) {
  scales r = scales_of(s, b->load);
  double omega = sqrt(b->stiffness / b->mass), reach = r.f / b->stiffness;
  /* Long enough to be carried to the limit and to swing twenty times, in which it may have to be carried again each time. */
  double until = 6 * reach / speed + 120 / omega, low = INFINITY, high = -INFINITY;
  trial t;
  int good = simulate(&t, s, b, until, "belt", out,
                      "surfaces: {belt: {velocity: %.17g}}\nsprings: {k: {between: [{ground: 0}, block], "
                      "stiffness: %.17g, damping: %.17g}}\n",
                      speed, b->stiffness, 2 * damping * sqrt(b->stiffness * b->mass));
  for (long i = good ? 2 * t.rows / 3 : 0; good && i < t.rows; i++) {
    low = fmin(low, t.x[i]);
    high = fmax(high, t.x[i]);
  }
  trial_free(&t);
  return good ? (high - low) / 2 : NAN;
}

static void stickslip_run(const subject *s, const bench *b, figure *f, finding *out) {
  enum { SPEEDS = 9 };
  scales r = scales_of(s, b->load);
  double omega = sqrt(b->stiffness / b->mass), reach = r.f / b->stiffness, top = 2 * reach * omega, limit = 0,
         most = 0;
  for (int i = 0; i < SPEEDS && !out->why[0]; i++) {
    double speed = between(top / 200, top, i, SPEEDS),
           amplitude = belt_amplitude(s, b, speed, b->damping, out);
    series_add(curve_of(f, 0), speed, amplitude);
    /* A block that sticks in each cycle moves with the belt: v = A omega is the least amplitude of that. */
    if (amplitude > 0.9 * speed / omega) limit = speed;
    most = fmax(most, amplitude);
  }
  out->value[0] = limit;
  out->value[1] = most;
}

/* Without damping the block slips along an ellipse around mu_d N/k that it enters with the belt's speed at mu_s N/k. */
static void stickslip_check(const bench *b, check *c) {
  subject s = defaults("coulomb-static");
  finding out = {.why = ""};
  double omega = sqrt(b->stiffness / b->mass),
         jump = (param(&s, "mu_s") - param(&s, "mu_d")) * b->load / b->stiffness, speed = 0.5 * jump * omega;
  *c = (check){.what = "Coulomb with a static level, no damping: sqrt(((mu_s - mu_d) N/k)^2 + (v/omega)^2)",
               .tolerance = 5e-3,
               .unit = "m"};
  c->expected = hypot(jump, speed / omega);
  c->found = belt_amplitude(&s, b, speed, 0, &out);
}

/* ---------------------------------------------------------------- a pulse */

static void motion_frame(figure *f) {
  panel *g = figure_panel(f, "Displacement");
  axis_set(&g->x, "time", "s");
  axis_set(&g->y, "displacement", "m");
  g = figure_panel(f, "Velocity");
  axis_set(&g->x, "time", "s");
  axis_set(&g->y, "velocity", "m/s");
}

/* Puts the motion into the two panels of a figure. */
static void put_motion(figure *f, const trial *t) {
  for (long i = 0; i < t->rows; i += 3) {
    series_add(curve_of(f, 0), t->t[i], t->x[i]);
    series_add(curve_of(f, 1), t->t[i], t->v[i]);
  }
}

static void pulse_run(const subject *s, const bench *b, figure *f, finding *out) {
  scales r = scales_of(s, b->load);
  trial t;
  if (simulate(&t, s, b, 5 * b->width, "ground", out,
               "loads: {push: {on: block, force: {pulses: {amplitude: %.17g, width: %.17g}}}}\n",
               b->push * r.f, b->width)) {
    if (f) put_motion(f, &t);
    out->value[0] = t.x[t.rows - 1];
    out->value[1] = fabs(t.v[t.rows - 1]);
    for (long i = 0; i < t.rows; i++)
      if (!(fabs(t.v[i]) <= out->value[2])) out->value[2] = fabs(t.v[i]);
  }
  trial_free(&t);
}

/* Speeds up by (F - mu N)/m for the width, then slows down by mu N/m. */
static void pulse_check(const bench *b, check *c) {
  subject s = defaults("coulomb");
  finding out = {.value = {NAN, NAN, NAN}};
  double grip = param(&s, "mu") * b->load, faster = (b->push - 1) * grip / b->mass, v = faster * b->width;
  pulse_run(&s, b, NULL, &out);
  *c = (check){
      .what = "Coulomb: the way of uniform acceleration and deceleration", .tolerance = 1e-6, .unit = "m"};
  c->expected = faster * b->width * b->width / 2 + v * v / (2 * grip / b->mass);
  c->found = out.value[0];
}

/* ---------------------------------------------------------------- a ramp up and down */

static void ramp_run(const subject *s, const bench *b, figure *f, finding *out) {
  scales r = scales_of(s, b->load);
  double up = b->width * 5;
  trial t;
  if (simulate(
          &t, s, b, 2.5 * up, "ground", out,
          "loads: {pull: {on: block, force: {table: {times: [0, %.17g, %.17g], values: [0, %.17g, 0]}}}}\n",
          up, 2 * up, b->push * r.f)) {
    if (f) put_motion(f, &t);
    double most = 0;
    for (long i = 0; i < t.rows; i++) {
      most = fmax(most, t.v[i]);
      if (t.t[i] <= up * (1 + 1e-9)) out->value[1] = t.v[i];
    }
    out->value[0] = most;
    out->value[2] = t.x[t.rows - 1];
  }
  trial_free(&t);
}

/* From the break-away on the net force grows linearly: v = F'(t - t_b)^2/(2 m). */
static void ramp_check(const bench *b, check *c) {
  subject s = defaults("coulomb");
  finding out = {.value = {NAN, NAN, NAN}};
  double up = b->width * 5, grip = param(&s, "mu") * b->load, rate = b->push * grip / up,
         after = up - grip / rate;
  ramp_run(&s, b, NULL, &out);
  *c = (check){
      .what = "Coulomb at the top of the ramp: v = F'(t - t_b)^2/(2 m)", .tolerance = 1e-5, .unit = "m/s"};
  c->expected = rate * after * after / (2 * b->mass);
  c->found = out.value[1];
}

/* ---------------------------------------------------------------- the table */

const experiment experiments[] = {
    {"stribeck",
     "Stribeck curve",
     "Steady sliding at velocities over four decades around the law's own. A coefficient that falls with the "
     "velocity is what excites stick-slip.",
     {{"largest coefficient", "1"}, {"at", "m/s"}, {"at ten times the law's velocity", "1"}},
     stribeck_frame,
     stribeck_run,
     stribeck_check},
    {"hysteresis",
     "Presliding hysteresis",
     "A slow cycle of displacement, smaller than the deflection at which the law slides. Masing's rule says "
     "that each branch is the first loading curve, twice as large; the deviation is the largest distance "
     "from it, over the largest force.",
     {{"coefficient at the turn", "1"}, {"work of a cycle", "J"}, {"deviation from Masing's rule", "1"}},
     hysteresis_frame,
     hysteresis_run,
     hysteresis_check},
    {"lag",
     "Frictional lag",
     "The velocity swings, always forward. With memory the force follows it late: at the same velocity it "
     "differs, whether the velocity rises or falls.",
     {{"coefficient, falling less rising", "1"}, {NULL, NULL}, {NULL, NULL}},
     lag_frame,
     lag_run,
     lag_check},
    {"breakaway",
     "Break-away against rate",
     "A block at rest is pulled with a force that rises at a constant rate. The break-away force is the "
     "largest friction until it slides.",
     {{"slowest, over N", "1"}, {"fastest, over N", "1"}, {NULL, NULL}},
     breakaway_frame,
     breakaway_run,
     breakaway_check},
    {"dwell",
     "Time at rest",
     "The same after rests of different length. Only laws that age hold more after a longer rest.",
     {{"shortest rest, over N", "1"}, {"longest rest, over N", "1"}, {"gain", "1"}},
     dwell_frame,
     dwell_run,
     dwell_check},
    {"drift",
     "Drift",
     "A load of half the static force, on which 0.3 of it swings. A law that holds lets the block move "
     "elastically at most; others drift with each cycle.",
     {{"drift of a cycle", "m"}, {"displacement at the end", "m"}, {NULL, NULL}},
     drift_frame,
     drift_run,
     drift_check},
    {"stickslip",
     "Limit speed of stick-slip",
     "A block on a belt, held by a spring with a little damping. Above the limit speed it comes to rest "
     "instead of sticking in every cycle.",
     {{"limit speed", "m/s"}, {"largest amplitude", "m"}, {NULL, NULL}},
     stickslip_frame,
     stickslip_run,
     stickslip_check},
    {"pulse",
     "Pulse",
     "A block at rest is pushed harder than friction holds, for a short time, and comes to rest again.",
     {{"displacement", "m"}, {"speed at the end", "m/s"}, {"largest speed", "m/s"}},
     motion_frame,
     pulse_run,
     pulse_check},
    {"ramp",
     "Ramp",
     "The load rises above what friction holds, and falls to nothing again.",
     {{"largest speed", "m/s"}, {"speed at the top of the load", "m/s"}, {"displacement", "m"}},
     motion_frame,
     ramp_run,
     ramp_check},
};

const int n_experiments = sizeof experiments / sizeof experiments[0];
