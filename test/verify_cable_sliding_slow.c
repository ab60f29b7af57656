/* verify_cable_sliding_slow.c - every law of the library on a cable over a drum, against the capstan formula with the law's own
 * coefficient: what it holds at rest, what it drags along in slow sliding, and how fast a load falls that slides through.
 *
 * The coefficient of steady sliding, mu(v), comes from the law alone: its states are integrated at constant velocity in steps that
 * are short against everything in it. For the fall of the loads m1 < m2 over half a turn,
 *
 *   a = g (m2 - m1 exp(mu(v) pi))/(m2 + m1 exp(mu(v) pi)).
 */
#include "test.h"

static const double PI = 3.14159265358979323846, G = 9.81;

/* Of a node, about: for laws that are not quite proportional to it. */
static const double LOAD = 100;

/* ------------------------------------------------------------------ the law by itself */

static int is_load_free(const cps_law *law, const double *p) {
  cps_law_scale one, two;
  cps_law_scales(law, p, 1, &one);
  cps_law_scales(law, p, 2, &two);
  return one.f_stick == two.f_stick;
}

/* Friction against steady sliding with velocity v under the load n: the mean over the last third of a slide. */
static double slides_with(const cps_law *law, const double *p, double v, double n) {
  double z[CPS_MAX_STATES] = {0}, sum = 0;
  cps_law_input in = {v, n, 0, z, CPS_MODE_FREE};
  cps_law_output out;
  in.mode = cps_law_mode(law, p, &in);
  if (!law->n_states) {
    for (int i = 0; i < 4; i++) {
      cps_law_eval(law, p, &in, &out, NULL);
      in.f_eq = 2 * out.f;
      in.mode = cps_law_mode(law, p, &in);
    }
    return -out.f;
  }
  double h = fmin(2e-6, 1e-6 / v);
  int count = 30000, counted = 0;
  for (int k = 0; k < count; k++) {
    cps_law_eval(law, p, &in, &out, NULL);
    if (k > 2 * count / 3) {
      sum -= out.f;
      counted++;
    }
    for (int i = 0; i < law->n_states; i++) z[i] += h * out.z_t[i];
    in.mode = cps_law_settle(law, p, &in, z);
  }
  return sum / counted;
}

/* mu(v), from values at a few velocities. */
enum { SAMPLES = 12 };
typedef struct coefficient {
  double v[SAMPLES], mu[SAMPLES];
} coefficient;

static coefficient coefficient_of(const cps_law *law, const double *p) {
  coefficient c;
  for (int i = 0; i < SAMPLES; i++) {
    c.v[i] = 0.01 * pow(1.7, i);
    c.mu[i] = slides_with(law, p, c.v[i], LOAD) / LOAD;
  }
  return c;
}

static double coefficient_at(const coefficient *c, double v) {
  int i = 1;
  if (v <= c->v[0]) return c->mu[0];
  while (i < SAMPLES - 1 && v > c->v[i]) i++;
  return c->mu[i - 1] + (c->mu[i] - c->mu[i - 1]) * (v - c->v[i - 1]) / (c->v[i] - c->v[i - 1]);
}

/* How far the load falls between two times. */
static double falls(const coefficient *c, double light, double heavy, double from, double until) {
  double h = 1e-4, v = 0, x = 0;
  for (double t = 0; t < until - h / 2; t += h) {
    if (t < from) x = 0;
    double held = light * exp(coefficient_at(c, v) * PI);
    double a = G * (heavy - held) / (heavy + held);
    x += h * v + h * h / 2 * a;
    v += h * a;
  }
  return x;
}

/* ------------------------------------------------------------------ runs */

static const char rope[] =
    "    EA: 9.2 MN\n    EI: 0.01 N m2\n    mass_per_length: 0.02 kg/m\n    damping: {axial: 2 kN s}\n"
    "    mesh: {size: 100 mm, on_drums: 50 mm}\n"
    "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 2e8, damping: 1}}, friction: "
    "%s}\n";

typedef struct outcome {
  cps_status status;
  char text[512];
  double first, third, last,
      mean;      /* of a column: at the start, after a third, at the end, and over the last third */
  double energy; /* closing error over the largest energy */
  long steps, rejected;
} outcome;

static outcome run(const char *text, const char *column) {
  cps_problems *problems = NULL;
  cps_error err = {0};
  outcome o = {.status = CPS_OK};
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s\n%s", text, cps_problems_at(problems, 0)->text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim) fail_msg("%s\n%s", text, err.text);
  o.status = cps_simulation_run(sim, NULL, NULL, &err);
  snprintf(o.text, sizeof o.text, "%s", err.text);
  const cps_result *r = cps_simulation_result(sim);
  int rows = cps_result_rows(r), at = cps_result_find(r, column);
  assert_true(at >= 0);
  const double *x = cps_result_data(r, at);
  cps_counters count;
  cps_energy e;
  cps_result_counters(r, &count);
  cps_result_energy(r, &e);
  o.steps = count.steps;
  o.rejected = count.rejected;
  o.energy = fabs(e.error) / e.scale;
  o.first = x[0];
  o.third = x[(rows - 1) / 3];
  o.last = x[rows - 1];
  for (int k = rows - rows / 3; k < rows; k++) o.mean += x[k] / (rows / 3);
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return o;
}

static void show(const cps_law *law, const char *what, const outcome *o, double got, double right) {
  if (getenv("SHOW"))
    print_message("%-30s %-6s %12.6g for %12.6g (%+.2f %%) energy %.1e, %ld + %ld steps %s\n", law->name,
                  what, got, right, 100 * (got / right - 1), o->energy, o->steps, o->rejected, o->text);
}

/* Numbers other than a law's own. Forces that do not know the load have to be of its size; and where friction falls with velocity
 * faster than the rope damps, no sliding is steady. */
static const struct {
  const char *law, *numbers;
  double p[2]; /* of these two parameters, if the first is not 0 */
} own[] = {{"lugre", "f_s: 30 N, f_c: 25 N", {30, 25}}, {"switch", "mu_s: 0.5, delta: 0.3", {0.5, 0.3}}};

static const char *friction_of(const cps_law *law, double *p) {
  static char text[64];
  cps_law_defaults(law, p);
  snprintf(text, sizeof text, "%s", law->name);
  for (int i = 0; i < ROWS(own); i++) {
    if (strcmp(own[i].law, law->name) != 0) continue;
    memcpy(p, own[i].p, sizeof own[i].p);
    snprintf(text, sizeof text, "{%s: {%s}}", law->name, own[i].numbers);
  }
  return text;
}

/* Laws that say that they do not come through, and why. */
static int gives_up(const cps_law *law, const outcome *o) {
  static const char *const names[] = {
      "awrejcewicz", /* its slope at rest is zero, and that behind its band is steeper than a node is heavy */
      "lugre-adams"  /* its bristles do not grow softer with the load, and relax at once without any */
  };
  for (int i = 0; i < ROWS(names); i++)
    if (strcmp(names[i], law->name) == 0 && o->status != CPS_OK && o->text[0]) return 1;
  return 0;
}

static void test_falls(void **state) {
  const cps_law *law = law_of(state);
  if (getenv("LAW") && !strstr(getenv("LAW"), law->name)) skip();
  char text[1500], contact[600];
  double p[CPS_MAX_PARAMS];
  snprintf(contact, sizeof contact, rope, friction_of(law, p));
  if (is_load_free(law, p)) skip();
  coefficient c = coefficient_of(law, p);
  cps_law_scale scale;
  cps_law_scales(law, p, 1, &scale);
  double light = 10, most = fmax(scale.f_stick, c.mu[0]), heavy = 2 * light * exp(PI * most), until = 0.21;
  snprintf(
      text, sizeof text,
      "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: %.17g}, right: {mass: %.17g}}\n"
      "cables:\n  rope:\n%s    start: drawn\n    path: [left, hang 0.5 m, over drum, hang 0.5 m, right]\n"
      "run: {until: %g s, output: 10 ms}\n",
      light, heavy, contact, until);
  double right = falls(&c, light, heavy, until / 3, until);
  outcome o = run(text, "bodies.right.y");
  double fell = o.third - o.last;
  show(law, "falls", &o, fell, right);
  if (gives_up(law, &o)) return;
  if (o.status != CPS_OK) fail_msg("%s", o.text);
  if (!(fabs(fell / right - 1) < 0.03)) fail_msg("it falls %g m, not %g m", fell, right);
  if (!(o.energy < 1e-2)) fail_msg("%g of the energy is missing", o.energy);
}

static void test_drags(void **state) {
  const cps_law *law = law_of(state);
  if (getenv("LAW") && !strstr(getenv("LAW"), law->name)) skip();
  char text[1500], contact[600];
  double p[CPS_MAX_PARAMS], v = 0.05, load = 200;
  snprintf(contact, sizeof contact, rope, friction_of(law, p));
  if (is_load_free(law, p)) skip();
  snprintf(text, sizeof text,
           "capstan: 1\ndrums: {drum: {radius: 250 mm, drive: {rotation: {ramp: {rate: -%.17g rad/s}}}}}\n"
           "bodies: {right: {mass: %.17g}}\n"
           "cables:\n  rope:\n%s    path: [{pinned: [-250 mm, -0.5 m]}, over drum, hang 0.5 m, right]\n"
           "run: {until: 0.3 s, output: 2 ms}\n",
           v / 0.25, load / G, contact);
  double right = load * exp(PI * slides_with(law, p, v, LOAD) / LOAD);
  outcome o = run(text, "cables.rope.tension_start");
  show(law, "drags", &o, o.mean, right);
  if (o.status != CPS_OK) fail_msg("%s", o.text);
  /* forces that swing by all of themselves within 10 um, fast while they are low: more over time than over the way */
  double known = law->slide && law->n_states > 1 ? 0.08 : 0.03;
  if (!(fabs(o.mean / right - 1) < known)) fail_msg("it drags with %g N, not %g N", o.mean, right);
}

/* The velocity at which a law that creeps answers with half of what it answers with at most. */
static double creeps_with(const cps_law *law, const double *p, double f) {
  double low = 1e-12, high = 1;
  if (!(law->traits & CPS_CREEPS)) return 0;
  while (high / low > 1 + 1e-6) {
    double v = sqrt(low * high);
    *(slides_with(law, p, v, LOAD) > f ? &high : &low) = v;
  }
  return low;
}

static void holds(const cps_law *law, const char *solver) {
  char text[1500], contact[600];
  double p[CPS_MAX_PARAMS], light = 10, until = 0.3;
  snprintf(contact, sizeof contact, rope, friction_of(law, p));
  cps_law_scale scale;
  cps_law_scales(law, p, 1, &scale);
  double heavy = is_load_free(law, p) ? 2 * light : light * exp(PI * 0.5 * scale.f_stick);
  snprintf(
      text, sizeof text,
      "capstan: 1\ndrums: {drum: {radius: 250 mm}}\nbodies: {left: {mass: %.17g}, right: {mass: %.17g}}\n"
      "cables:\n  rope:\n%s    path: [left, hang 0.5 m, over drum, hang 0.5 m, right]\n"
      "run: {until: %g s, output: 10 ms, solver: %s}\n",
      light, heavy, contact, until, solver);
  outcome o = run(text, "bodies.left.y");
  double moved = o.last - o.first,
         right = law->n_states ? 0 : until * creeps_with(law, p, 0.5 * LOAD * scale.f_stick);
  show(law, strcmp(solver, "bdf") == 0 ? "bdf" : "holds", &o, moved, right);
  if (o.status != CPS_OK) fail_msg("%s: %s", solver, o.text);
  if (!(fabs(moved - right) < 1e-6 + 0.1 * right)) fail_msg("it creeps %g m, not %g m", moved, right);
  if (!(o.energy < 1e-3)) fail_msg("%g of the energy is missing", o.energy);
}

static void test_holds(void **state) {
  const cps_law *law = law_of(state);
  if (getenv("LAW") && !strstr(getenv("LAW"), law->name)) skip();
  holds(law, "alpha");
  if (law->n_states) holds(law, "bdf");
}

int main(void) {
  static const law_test tests[] = {{"falls", test_falls}, {"drags", test_drags}, {"holds", test_holds}};
  return over_laws("cable sliding", tests, ROWS(tests));
}
