/* property_idle_cable.c - bodies move the same whether or not a cable hangs somewhere else.
 *
 * Each scenario of bodies runs twice with a fixed step: alone, and beside a cable that touches nothing. All columns of bodies,
 * surfaces, springs and contacts must then agree to 1e-9 of their largest value, and so must the work of friction, dampers,
 * loads and motions: the idle cable has no damping of its own. It bears a million newtons, which must not be what the balance of
 * bodies is judged by. Steps are fixed because step size control sees the cable; with steps that are chosen, the two converge to the
 * same.
 */
#include "test.h"

static const char *const idle =
    "cables:\n"
    "  idle: {EA: 1 GN, EI: 0.01, mass_per_length: 100000 kg/m, elements: 2, start: drawn,\n"
    "         path: [{pinned: [100, 50]}, hang 1 m, free]}\n";

typedef struct outcome {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  const cps_result *result;
  cps_status status;
  cps_error err;
} outcome;

static outcome run_text(const char *text, const char *more, const char *const *settings, int n) {
  outcome o = {.status = CPS_FAILED};
  size_t size = strlen(text) + strlen(more) + 1;
  char *whole = malloc(size);
  snprintf(whole, size, "%s%s", text, more);
  cps_problems *problems = NULL;
  o.scenario = cps_scenario_parse(whole, strlen(whole), "bodies", settings, n, &problems);
  for (int i = 0; !o.scenario && i < cps_problems_count(problems); i++)
    print_error("%s\n", cps_problems_at(problems, i)->text);
  if (!o.scenario) print_error("%s", whole);
  cps_problems_free(problems);
  assert_non_null(o.scenario);
  o.system = cps_system_new(o.scenario, &o.err);
  if (o.system) o.sim = cps_simulation_new(o.system, &o.err);
  if (o.sim) o.status = cps_simulation_run(o.sim, NULL, NULL, &o.err);
  if (o.sim) o.result = cps_simulation_result(o.sim);
  free(whole);
  return o;
}

static void drop(outcome *o) {
  cps_simulation_free(o->sim);
  cps_system_free(o->system);
  cps_scenario_free(o->scenario);
}

static double last_of(const outcome *o, const char *name) {
  int c = cps_result_find(o->result, name);
  if (c < 0) print_error("no column %s\n", name);
  assert_true(c >= 0);
  return cps_result_data(o->result, c)[cps_result_rows(o->result) - 1];
}

static void assert_close(double x, double y, double tolerance) {
  if (!(fabs(x - y) <= tolerance * fabs(y))) print_error("%.15g for %.15g\n", x, y);
  assert_true(fabs(x - y) <= tolerance * fabs(y));
}

/* Where several contacts bear a load together their shares are open, and nothing but motions has to agree. */
static int motions_only;

/* Whether a column is about bodies alone. */
static int compared(const char *name) {
  static const char *const works[] = {"energy.friction", "energy.damping", "energy.load_work",
                                      "energy.motion_work"};
  for (int i = 0; i < ROWS(works) && !motions_only; i++)
    if (strcmp(name, works[i]) == 0) return 1;
  return motions_only ? strncmp(name, "bodies.", 7) == 0 : strncmp(name, "energy.", 7) != 0;
}

/* The largest difference of any column, relative to what it is; says where. */
static double difference(const outcome *a, const outcome *b, const char **where) {
  double worst = 0;
  long rows = cps_result_rows(a->result);
  *where = "";
  assert_int_equal(rows, cps_result_rows(b->result));
  for (int c = 0; c < cps_result_columns(a->result); c++) {
    const char *name = cps_result_name(a->result, c);
    if (!compared(name)) continue;
    int other = cps_result_find(b->result, name);
    if (other < 0) {
      *where = name;
      return INFINITY;
    }
    const double *x = cps_result_data(a->result, c), *y = cps_result_data(b->result, other);
    double size = 1e-3, most = 0;     /* less than a thousandth of a unit is nothing */
    for (long i = 1; i < rows; i++) { /* the first row of a cable as drawn comes before its forces */
      size = fmax(size, fabs(x[i]));
      double d = fabs(x[i] - y[i]);
      most = d > most || d != d ? d : most;
    }
    if (most / size > worst || most != most) {
      worst = most == most ? most / size : INFINITY;
      *where = name;
    }
  }
  return worst;
}

/* Whether a step did not converge, and was cut: what follows is then computed with other steps. */
static int cuts(const outcome *o) {
  cps_counters n;
  cps_result_counters(o->result, &n);
  return n.rejected > 0;
}

/* Runs a scenario alone and beside the cable. */
static double compare(const char *text, const char **where, int *ran) {
  outcome a = run_text(text, "", NULL, 0), b = run_text(text, idle, NULL, 0);
  double worst = 0;
  *ran = a.status == CPS_OK && b.status == CPS_OK && !cuts(&a) && !cuts(&b);
  static char name[100];
  if (*ran) worst = difference(&a, &b, where);
  if (*ran) snprintf(name, sizeof name, "%s", *where), *where = name;
  drop(&a);
  drop(&b);
  return worst;
}

static void same(const char *text) {
  const char *where;
  int ran;
  double worst = compare(text, &where, &ran);
  assert_true(ran);
  if (worst > 1e-9) print_error("%s differs by %.2e\n%s", where, worst, text);
  assert_true(worst <= 1e-9);
}

/* ------------------------------------------------------------------ one thing each */

#define HEAD "capstan: 1\ngravity: [0, -9.81]\n"
#define RUN  "run: {until: 1 s, solver: alpha, step: 1 ms, output: 50 ms}\n"

static const char *const tilted = HEAD
    "bodies: {block: {mass: 1 kg, direction: [1, -1]}}\n"
    "contacts: {c: {between: [block, ground], normal: weight, friction: {quinn: {mu: 0.3}}}}\n" RUN;
static const char *const loaded = HEAD
    "bodies: {block: {mass: 1 kg, v: 2 m/s}}\n"
    "loads: {down: {on: block, direction: [0, -1], force: 20 N}}\n"
    "contacts: {c: {between: [block, ground], normal: load, friction: {quinn: {mu: 0.1}}}}\n" RUN;
static const char *const pulled = HEAD
    "bodies: {cart: {mass: 1 kg}}\n"
    "surfaces: {belt: {velocity: 2 m/s}}\n"
    "springs: {s: {between: [belt, cart], stiffness: 30, damping: 1}}\n"
    "contacts: {c: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.05}}}}\n" RUN;
static const char *const lifted = HEAD
    "bodies: {block: {mass: 1 kg, v: 2 m/s}}\n"
    "contacts: {c: {between: [block, ground], normal: {sine: {amplitude: 20, omega: 20, offset: 10}},\n"
    "               friction: {quinn: {mu: 0.1}}}}\n" RUN;

/* m g cos 45 presses, and 1/2 (g sin 45 - mu g cos 45) t^2 is the way. */
static void weight_on_a_tilted_line(void **state) {
  (void)state;
  outcome o = run_text(tilted, idle, NULL, 0);
  assert_int_equal(o.status, CPS_OK);
  assert_close(last_of(&o, "contacts.c.n"), 9.81 * sqrt(0.5), 1e-12);
  assert_close(last_of(&o, "bodies.block.x"), 0.5 * 9.81 * sqrt(0.5) * 0.7, 1e-3);
  drop(&o);
  same(tilted);
}

static void load_presses(void **state) {
  (void)state;
  outcome o = run_text(loaded, idle, NULL, 0);
  assert_int_equal(o.status, CPS_OK);
  assert_close(last_of(&o, "contacts.c.n"), 29.81, 1e-12);
  drop(&o);
  same(loaded);
}

static void spring_to_a_moving_belt(void **state) {
  (void)state;
  outcome o = run_text(pulled, idle, NULL, 0);
  assert_int_equal(o.status, CPS_OK);
  assert_true(last_of(&o, "bodies.cart.x") > 1);
  assert_close(last_of(&o, "surfaces.belt.x"), 2, 1e-12);
  drop(&o);
  same(pulled);
}

/* Where the profile of a normal force is negative there is none, and friction only ever takes energy. */
static void no_negative_normal_force(void **state) {
  (void)state;
  outcome o = run_text(lifted, idle, NULL, 0);
  assert_int_equal(o.status, CPS_OK);
  const double *n = cps_result_data(o.result, cps_result_find(o.result, "contacts.c.n"));
  const double *w = cps_result_data(o.result, cps_result_find(o.result, "contacts.c.work"));
  int none = 0;
  for (long i = 0; i < cps_result_rows(o.result); i++) {
    assert_true(n[i] >= 0);
    if (i > 0) assert_true(w[i] >= w[i - 1]);
    none += n[i] == 0;
  }
  assert_true(none > 0);
  drop(&o);
  same(lifted);
}

/* What friction between bodies takes is the loss of kinetic energy, and its column is there. */
static void work_of_contacts(void **state) {
  (void)state;
  outcome o = run_text(loaded, idle, NULL, 0);
  assert_close(last_of(&o, "contacts.c.work"),
               2 - last_of(&o, "bodies.block.v") * last_of(&o, "bodies.block.v") / 2, 1e-6);
  assert_true(cps_result_find(o.result, "contacts.c.slips") >= 0);
  assert_true(cps_result_find(o.result, "contacts.c.f_eq") >= 0);
  drop(&o);
}

/* Two contacts bear the same load, and two bodies rub on one another and on the ground: their shares are open while they stick. */
static const char *const shared = HEAD
    "bodies: {a: {mass: 1 kg}, b: {mass: 2 kg}}\n"
    "loads: {l: {on: a, force: {sine: {amplitude: 8, omega: 5}}}}\n"
    "contacts:\n"
    "  c: {between: [a, ground], normal: 5, friction: {quinn: {mu: 0.3}}}\n"
    "  d: {between: [a, ground], normal: 5, friction: {quinn: {mu: 0.3}}}\n"
    "  e: {between: [a, b], normal: 5, friction: {quinn: {mu: 0.3}}}\n"
    "  f: {between: [b, ground], normal: 5, friction: {quinn: {mu: 0.3}}}\n" RUN;

static void open_shares(void **state) {
  (void)state;
  motions_only = 1;
  same(shared);
  motions_only = 0;
}

/* ------------------------------------------------------------------ laws with memory, and steps that are chosen */

static const char *const bristles = HEAD
    "bodies: {a: {mass: 1 kg, v: 0.3 m/s}, b: {mass: 2 kg, x: 0.4}}\n"
    "springs: {s: {between: [a, b], stiffness: 200, damping: 1, length: 0.4}}\n"
    "contacts:\n"
    "  c: {between: [a, ground], normal: weight, friction: %s}\n"
    "  d: {between: [b, ground], normal: weight, friction: %s}\n" RUN;

/* States of laws follow the same rule in both. */
static void laws_with_memory(void **state) {
  (void)state;
  static const char *const laws[] = {"lugre", "dahl", "gonthier"};
  for (int i = 0; i < ROWS(laws); i++) {
    char text[1000];
    snprintf(text, sizeof text, bristles, laws[i], laws[i]);
    same(text);
  }
}

static const char *const modes[] = {"iwan",
                                    "{gms: {v_s: 0.1}}",
                                    "{adams-stick-slip: {v_s: 0.01, x_s: 1 mm}}",
                                    "{recurdyn-stick-slip: {v_s: 0.01, x_s: 1 mm}}",
                                    "{simpack-stick-slip: {c_f: 1e5, d_f: 300}}",
                                    "{simpack-stick-slip-preloaded: {c_f: 1e5, d_f: 300}}",
                                    "{reset-integrator: {sigma0: 1000, sigma1: 10}}",
                                    "{haessig-bristle: {sigma0: 1000}}"};

/* And steps end where their guards fire in both, at the same times. */
static void laws_with_modes(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(modes); i++) {
    char text[1000];
    const char *where = "";
    snprintf(text, sizeof text, bristles, modes[i], modes[i]);
    outcome a = run_text(text, "", NULL, 0), b = run_text(text, idle, NULL, 0);
    if (a.status || b.status) print_error("%s: %s %s\n", modes[i], a.err.text, b.err.text);
    assert_int_equal(a.status, CPS_OK);
    assert_int_equal(b.status, CPS_OK);
    double worst = difference(&a, &b, &where);
    long n = cps_result_events(a.result);
    print_message("%s: %s differs by %.1e, after %ld events\n", modes[i], where, worst, n);
    assert_true(n > 0 || strstr(modes[i], "haessig")); /* which has one mode */
    assert_int_equal(n, cps_result_events(b.result));
    for (long k = 0; k < n; k++) {
      const cps_event *x = cps_result_event(a.result, k), *y = cps_result_event(b.result, k);
      assert_int_equal(x->contact, y->contact);
      assert_int_equal(x->to, y->to);
      assert_close(x->time, y->time, 1e-8);
    }
    if (worst > 1e-9) print_error("%s: %s differs by %.2e\n", modes[i], where, worst);
    assert_true(worst <= 1e-9);
    drop(&a);
    drop(&b);
  }
}

static cps_sens *differentiate(const char *text, const char *more, const char *parameter, cps_scenario **s) {
  const char *const wrt[] = {"bodies.a.mass", "springs.s.stiffness", parameter};
  const char *const of[] = {"bodies.a.x", "bodies.b.v", "contacts.c.f", "energy.friction"};
  char whole[2000];
  cps_error err = {0};
  snprintf(whole, sizeof whole, "%s%s", text, more);
  *s = cps_scenario_parse(whole, strlen(whole), "bodies", NULL, 0, NULL);
  assert_non_null(*s);
  cps_sens *y = cps_sens_new(*s, wrt, ROWS(wrt), of, ROWS(of), &err);
  if (!y || cps_sens_run(y, CPS_SENS_FORWARD, NULL, NULL, &err) != CPS_OK)
    fail_msg("%s: %s", parameter, err.text);
  return y;
}

/* Derivatives know how the instants of guards move, in the same way in both. */
static void derivatives_of_modes(void **state) {
  (void)state;
  static const char *const text = HEAD
      "bodies: {a: {mass: 1 kg, v: 0.3 m/s}, b: {mass: 2 kg, x: 0.4}}\n"
      "springs: {s: {between: [a, b], stiffness: 200, damping: 1, length: 0.4}}\n"
      "contacts:\n"
      "  c: {between: [a, ground], normal: {sine: {amplitude: 3, omega: 20, offset: 10}}, friction: %s}\n"
      "  d: {between: [b, ground], normal: weight, friction: %s}\n"
      "run: {until: 80 ms, solver: alpha, step: 0.5 ms, output: 20 ms, balance: 1e-12}\n";
  static const struct {
    const char *law, *parameter;
  } laws[] = {{"{iwan: {sigma0: 1000}}", "contacts.c.friction.iwan.mu"},
              {"{gms: {v_s: 0.1, k1: 500, k2: 400, k3: 300, k4: 200}}", "contacts.c.friction.gms.k2"},
              {"{adams-stick-slip: {v_s: 0.1, x_s: 1 mm}}", "contacts.c.friction.adams-stick-slip.x_s"},
              {"{simpack-stick-slip: {c_f: 1e4, d_f: 100}}", "contacts.c.friction.simpack-stick-slip.mu_s"},
              {"{reset-integrator: {sigma0: 300, sigma1: 10}}", "contacts.c.friction.reset-integrator.mu_d"},
              {"{haessig-bristle: {sigma0: 300}}", "contacts.c.friction.haessig-bristle.mu"}};
  for (int i = 0; i < ROWS(laws); i++) {
    char one[1500];
    double worst = 0;
    cps_scenario *s[2];
    snprintf(one, sizeof one, text, laws[i].law, laws[i].law);
    cps_sens *a = differentiate(one, "", laws[i].parameter, &s[0]),
             *b = differentiate(one, idle, laws[i].parameter, &s[1]);
    for (int k = 0; k < cps_sens_outputs(a); k++)
      for (int p = 0; p < cps_sens_parameters(a); p++) {
        double x = cps_sens_gradient(a, k, p), y = cps_sens_gradient(b, k, p);
        double scale = fabs(cps_sens_value(a, k) / cps_sens_parameter(a, p)->value);
        worst = fmax(worst, fabs(x - y) / (fabs(x) + 1e-2 * scale));
      }
    print_message("%s: derivatives differ by %.1e\n", laws[i].parameter, worst);
    assert_true(worst <= 1e-4);
    cps_sens_free(a);
    cps_sens_free(b);
    cps_scenario_free(s[0]);
    cps_scenario_free(s[1]);
  }
}

/* Newmark's rule is a variant of alpha for bodies alone, too: an oscillator loses nothing. */
static void by_newmark(void **state) {
  (void)state;
  static const char *const text = HEAD "bodies: {a: {mass: 1 kg, x: 0.1}}\n"
                                       "springs: {s: {between: [ground, a], stiffness: 1000}}\n"
                                       "run: {until: 2 s, solver: alpha, step: 10 ms, output: 50 ms%s}\n";
  char variants[2][1000];
  snprintf(variants[0], sizeof variants[0], text, "");
  snprintf(variants[1], sizeof variants[1], text, ", newmark: true");
  same(variants[1]);
  double energy[2];
  for (int i = 0; i < 2; i++) {
    outcome o = run_text(variants[i], "", NULL, 0);
    assert_int_equal(o.status, CPS_OK);
    energy[i] = last_of(&o, "energy.kinetic") + last_of(&o, "energy.elastic");
    drop(&o);
  }
  assert_close(energy[1], 0.5 * 1000 * 0.1 * 0.1, 1e-12);
  assert_true(energy[0] < 0.998 * energy[1]);
}

/* With steps that the solvers choose themselves the two differ by what the tolerance allows, and both converge to the same. */
static void chosen_steps(void **state) {
  (void)state;
  static const char *const text = HEAD
      "bodies: {a: {mass: 1 kg, v: 0.3 m/s}, b: {mass: 2 kg, x: 0.4}}\n"
      "springs: {s: {between: [a, b], stiffness: 200, damping: 1, length: 0.4}}\n"
      "loads: {pull: {on: b, force: {sine: {amplitude: 30, omega: 9}}}}\n"
      "contacts:\n"
      "  c: {between: [a, ground], normal: weight, friction: {tanh: {mu: 0.2, v_t: 0.1}}}\n"
      "  d: {between: [b, ground], normal: weight, friction: {tanh: {mu: 0.3, v_t: 0.1}}}\n"
      "run: {until: 2 s, solver: alpha, output: 50 ms}\n";
  static const char *const solvers[] = {"run.solver=alpha", "run.solver=bdf"};
  static const char *const tolerances[] = {"run.tolerance=1e-6", "run.tolerance=1e-8"};
  for (int i = 0; i < ROWS(solvers); i++) {
    double worst[2];
    for (int k = 0; k < 2; k++) {
      const char *settings[] = {solvers[i], tolerances[k], "run.absolute_tolerance=1e-11"};
      outcome a = run_text(text, "", settings, 3), b = run_text(text, idle, settings, 3);
      assert_int_equal(a.status, CPS_OK);
      assert_int_equal(b.status, CPS_OK);
      const char *where = "";
      worst[k] = difference(&a, &b, &where);
      print_message("%s, %s: %s differs by %.1e\n", solvers[i], tolerances[k], where, worst[k]);
      drop(&a);
      drop(&b);
    }
    assert_true(worst[1] < (i == 0 ? 5e-5 : 1e-3) && worst[1] < worst[0] / 5);
  }
}

/* ------------------------------------------------------------------ scenarios of the repository */

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) print_error("no %s\n", path);
  assert_non_null(f);
  char *text = calloc(1, 1 << 16);
  size_t n = fread(text, 1, (1 << 16) - 1, f);
  assert_true(n > 0);
  fclose(f);
  return text;
}

/* All that is written as a in a text is written as b; the text is freed. */
static char *replace(char *text, const char *a, const char *b) {
  char *out = calloc(1, 1 << 17);
  const char *from = text;
  for (const char *at; (at = strstr(from, a)); from = at + strlen(a)) {
    strncat(out, from, (size_t)(at - from));
    strcat(out, b);
  }
  strcat(out, from);
  free(text);
  return out;
}

/* Every scenario of bodies in the repository, with a fixed step and, for laws that jump or remember, with one that does
 * neither. */
static void repository(void **state) {
  (void)state;
  static const struct {
    const char *file, *until, *step;
  } cases[] = {{"quinn/chain.yaml", "run.until=13", "run.step=0.01"},
               {"quinn/forced.yaml", "run.until=30", "run.step=0.01"},
               {"quinn/oscillator.yaml", "run.until=5", "run.step=0.01"},
               {"quinn/two-blocks.yaml", "run.until=20", "run.step=0.01"},
               {"schuderer/festoon.yaml", "run.until=17", "run.step=0.002"},
               {"schuderer/pulses.yaml", "run.until=1.1", "run.step=2e-5"},
               {"verulkar/rabinowicz.yaml", "run.until=3", "run.step=0.001"}};
  const char *root = getenv("SOURCE_DIR");
  for (int i = 0; i < ROWS(cases); i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/scenarios/%s", root ? root : "..", cases[i].file);
    char *text = read_all(path);
    text = replace(text, "{coulomb: {mu:", "{quinn: {mu:");
    text = replace(text, "{coulomb-static: {mu_s: 0.08, mu_d: 0.06}}", "{quinn: {mu: 0.06}}");
    text = replace(text, "{coulomb-static: {mu_s: 0.8, mu_d: 0.7}}", "{quinn: {mu: 0.7}}");
    const char *settings[] = {"run.solver=alpha", cases[i].until, cases[i].step, "run.output=0.1"};
    outcome a = run_text(text, "", settings, 4), b = run_text(text, idle, settings, 4);
    const char *where = "";
    double worst = a.status == CPS_OK && b.status == CPS_OK ? difference(&a, &b, &where) : INFINITY;
    print_message("%s: %.1e\n", cases[i].file, worst);
    if (worst > 1e-9)
      print_error("%s: %s differs by %.2e; %s%s\n", cases[i].file, where, worst, a.err.text, b.err.text);
    drop(&a);
    drop(&b);
    free(text);
    assert_true(worst <= 1e-9);
  }
}

/* ------------------------------------------------------------------ random ones */

typedef struct writer {
  char text[8000];
  size_t n;
} writer;

static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  w->n += (size_t)vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
  va_end(args);
  assert_true(w->n < sizeof w->text);
}

static void put_profile(writer *w, rng *r, double size) {
  double kind = rng_uniform(r);
  if (kind < 0.3)
    put(w, "%.6g", rng_between(r, -size, size));
  else if (kind < 0.7)
    put(w, "{sine: {amplitude: %.6g, omega: %.4g, offset: %.6g}}", rng_between(r, 0, size), rng_log(r, 1, 30),
        rng_between(r, -size / 2, size));
  else
    put(w, "{step5: {from: [%.3g, 0], to: [%.3g, %.6g]}}", 0.002 * (1 + rng_below(r, 8)),
        0.002 * (51 + rng_below(r, 8)), rng_between(r, -size, size));
}

static void random_scenario(rng *r, writer *w) {
  /* what falls with velocity more steeply than mass over step has several solutions in a step: no two methods need find the same */
  static const char *const laws[] = {"quinn", "cdq", "quinn-half", "{quinn: {mu: 0.3, epsilon: 50 mm/s}}",
                                     "{tanh: {mu: 0.4, v_t: 0.2 m/s}}"};
  int lines = 1 + rng_below(r, 3), planes = rng_below(r, 3), belts = rng_below(r, 2);
  double slope = rng_below(r, 2) ? 0 : rng_between(r, -1.2, 1.2);
  w->n = 0;
  put(w, "capstan: 1\ngravity: [%.3g, -9.81]\nbodies:\n", rng_below(r, 3) ? 0.0 : rng_between(r, -3, 3));
  for (int i = 0; i < lines; i++) {
    int sign = rng_below(r, 4) || i == 0 ? 1 : -1;
    put(w, "  b%d: {mass: %.4g, direction: [%d, %.4g], x: %.4g, v: %.4g", i, rng_log(r, 0.3, 10), sign,
        sign * slope, rng_between(r, -1, 1), rng_between(r, -1, 1));
    put(w, rng_below(r, 5) ? "}\n" : ", held_until: 0.106}\n");
  }
  for (int i = 0; i < planes; i++)
    put(w, "  p%d: {mass: %.4g, position: [%.4g, %.4g], velocity: [%.4g, %.4g]}\n", i, rng_log(r, 0.3, 10),
        rng_between(r, -1, 1), rng_between(r, -2, -1), rng_between(r, -1, 1), rng_between(r, -1, 1));
  if (belts) {
    int sign = rng_below(r, 3) ? 1 : -1;
    put(w, "surfaces:\n  belt: {direction: [%d, %.4g], %s: ", sign, sign * slope,
        rng_below(r, 2) ? "velocity" : "position");
    put_profile(w, r, 0.5);
    put(w, "}\n");
  }
  put(w, "springs:\n");
  for (int i = 0; i < lines + planes; i++) {
    char a[20], b[20];
    snprintf(a, sizeof a, i < lines ? "b%d" : "p%d", i < lines ? i : i - lines);
    snprintf(b, sizeof b, "b%d", rng_below(r, lines));
    int to_belt = belts && rng_below(r, 3) == 0, to_body = !to_belt && strcmp(a, b) != 0;
    put(w,
        "  s%d: {between: [%s, %s], stiffness: %.4g, damping: %.4g, length: %.4g, kind: distance, "
        "tension_only: %s}\n",
        i, a,
        to_belt   ? "belt"
        : to_body ? b
                  : "{ground: [0.3, 1.2]}",
        rng_log(r, 10, 3000), rng_log(r, 0.1, 30), rng_between(r, 0, 1), rng_below(r, 2) ? "true" : "false");
  }
  if (lines > 1)
    put(w, "  line: {between: [b0, b1], stiffness: %.4g, damping: 1, length: 0.3}\n", rng_log(r, 10, 3000));
  put(w, "loads:\n  pull: {on: b0, force: ");
  put_profile(w, r, 20);
  put(w, ", direction: [%.4g, %.4g]}\n", rng_between(r, -1, 1), rng_between(r, -1, 1));
  if (planes) put(w, "  push: {on: p0, force: 3, direction: [1, 0.3]}\n");
  put(w, "contacts:\n");
  for (int i = 0; i < lines; i++) {
    const char *on = i > 0 && rng_below(r, 2) ? "b0" : belts && rng_below(r, 2) ? "belt" : "ground";
    put(w, "  c%d: {between: [b%d, %s], normal: ", i, i, on);
    int kind = rng_below(r, 3);
    if (kind == 0)
      put(w, "{sine: {amplitude: 20, omega: 9, offset: 10}}");
    else
      put(w, kind == 1 ? "weight" : "load");
    put(w, ", friction: %s}\n", laws[rng_below(r, ROWS(laws))]);
  }
  put(w, "run: {until: 0.2, solver: alpha, step: 1 ms, output: 20 ms, max_steps: 2000}\n");
}

static void random_bodies(void **state) {
  (void)state;
  int ran = 0, count = getenv("CAPSTAN_BODIES") ? atoi(getenv("CAPSTAN_BODIES")) : 200, off = 0;
  double worst = 0;
  for (int k = 0; k < count; k++) {
    rng r = rng_for("bodies", (uint64_t)k);
    static writer w;
    const char *where = "";
    int done;
    random_scenario(&r, &w);
    double d = compare(w.text, &where, &done);
    /* a body that is held is as good as the ground: what rubs on it and on the ground has open shares */
    motions_only = d > 1e-7 && strstr(w.text, "held_until") && strstr(w.text, ", b0], normal");
    if (motions_only) d = compare(w.text, &where, &done);
    motions_only = 0;
    ran += done;
    /* cdq has a double root at its limit, where forces are known to the square root of what is left of the equations */
    if (d > (strstr(w.text, "cdq") ? 1e-7 : 1e-9)) {
      print_error("scenario %d: %s differs by %.2e\n", k, where, d);
      if (off++ == 0 || getenv("CAPSTAN_BODIES_SHOW")) fprintf(stderr, "%s\n", w.text);
    }
    worst = fmax(worst, d);
  }
  print_message("of %d scenarios %d run both ways, and agree to %.1e\n", count, ran, worst);
  assert_true(ran > 0.85 * count);
  assert_int_equal(off, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_on_a_tilted_line),
      cmocka_unit_test(load_presses),
      cmocka_unit_test(spring_to_a_moving_belt),
      cmocka_unit_test(no_negative_normal_force),
      cmocka_unit_test(work_of_contacts),
      cmocka_unit_test(open_shares),
      cmocka_unit_test(laws_with_memory),
      cmocka_unit_test(laws_with_modes),
      cmocka_unit_test(derivatives_of_modes),
      cmocka_unit_test(by_newmark),
      cmocka_unit_test(chosen_steps),
      cmocka_unit_test(repository),
      cmocka_unit_test(random_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
