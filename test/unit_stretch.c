/* unit_stretch.c - derivatives of stretches, against differences of stretches; and what is where in a state. */
#include "system.h"
#include "test.h"

/* ------------------------------------------------------------------ machines */

#define CART                                                                                                 \
  "capstan: 1\nbodies:\n  cart: {mass: 2 kg, v: 0.2 m/s}\n  bob: {mass: 0.5 kg}\n"                           \
  "surfaces: {belt: {velocity: 0.1 m/s}}\n"                                                                  \
  "springs: {rope: {between: [cart, bob], stiffness: 40 N/m, damping: 0.3 N s/m, length: 0}}\n"              \
  "contacts: {track: {between: [cart, belt], normal: {input: {name: press, start: 20 N}}, friction: %s}}\n"  \
  "loads: {push: {on: cart, force: {sum: [{input: push}, {sine: {amplitude: 16 N, omega: 30 rad/s}}]}}}\n"   \
  "run: {until: 0.3, output: 10 ms, %s}\n"
#define WINCH                                                                                                \
  "capstan: 1\ngravity: [0, -9.81]\nbodies:\n  left: {mass: 10 kg}\n  right: {mass: 10 kg}\n"                \
  "drums: {pulley: {radius: 250 mm, center: [0, 0], %s drive: {pd: {kp: 400, kd: 40, "                       \
  "setpoint: {input: angle}}}}}\n"                                                                           \
  "cables: {rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, "      \
  "elements: 10, path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right], contact: {at: nodes, "       \
  "normal: {hunt-crossley: {stiffness: 1e6, exponent: 1.5, damping: 1}}, friction: %s}}}\n"                  \
  "loads: {push: {on: right, direction: [0, -1], force: {input: push}}}\n"                                   \
  "run: {until: 0.3, output: 10 ms, %s}\n"
#define FIXED "solver: alpha, step: 0.5 ms, balance: 1e-13"
#define CDQ   "{cdq: {mu: 0.15, epsilon: 10 mm/s, alpha: 0.9}}"

typedef struct stretch_case {
  const char *name;
  int is_winch;
  const char *law, *run;
  const char *parameter;
  double
      tolerance; /* of differences: Newton's method leaves noise of 1e-13 N, and works have parts of a step's noise */
  double
      dual; /* of products with the transpose: contacts of cables are stiff, bdf of bodies has an integration of its own */
  const char *drum;
} stretch_case;

static const stretch_case cases[] = {
    {"rk4", 0, "{quinn: {mu: 0.1, epsilon: 0.05 m/s}}", "solver: rk4, step: 0.1 ms", "bodies.cart.mass", 1e-6,
     1e-10, NULL},
    {"events", 0, "{coulomb-static: {mu_s: 0.3, mu_d: 0.2}}", "solver: events, tolerance: 1e-11",
     "contacts.track.friction.mu_d", 1e-6, 1e-10, NULL},
    {"alpha", 0, "{quinn: {mu: 0.1, epsilon: 0.05 m/s}}", "solver: alpha, step: 0.1 ms",
     "springs.rope.stiffness", 1e-6, 1e-10, NULL},
    {"memory", 0, "{lugre: {}}", "solver: alpha, step: 0.1 ms", "springs.rope.damping", 1e-6, 1e-10, NULL},
    {"bdf", 0, "{quinn: {mu: 0.1, epsilon: 0.05 m/s}}",
     "solver: bdf, tolerance: 1e-12, absolute_tolerance: 1e-14", "springs.rope.stiffness", 1e-4, 1e-6, NULL},
    {"winch", 1, CDQ, FIXED, "cables.rope.contact.friction.mu", 5e-5, 1e-10, "inertia: 0.5 kg m2,"},
    {"led drum", 1, CDQ, FIXED, "drums.pulley.drive.kp", 5e-5, 1e-10, ""},
    {"winch with memory", 1, "{lugre: {}}", FIXED, "cables.rope.EA", 5e-5, 1e-10, "inertia: 0.5 kg m2,"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct play {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
} play;

static play open_scenario(cps_scenario *scenario) {
  cps_error err = {0};
  play p = {scenario, cps_system_new(scenario, &err), NULL};
  p.sim = p.system ? cps_simulation_new(p.system, &err) : NULL;
  if (!p.sim || cps_simulation_keep(p.sim, 0, &err) != CPS_OK) fail_msg("%s", err.text);
  return p;
}

static play open_case(const stretch_case *c) {
  char text[3000];
  if (c->is_winch)
    snprintf(text, sizeof text, WINCH, c->drum, c->law, c->run);
  else
    snprintf(text, sizeof text, CART, c->law, c->run);
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
  if (!s) fail_msg("%s: %s", cps_problems_at(problems, 0)->key, cps_problems_at(problems, 0)->text);
  return open_scenario(s);
}

static void close_play(play *p) {
  cps_simulation_free(p->sim);
  cps_system_free(p->system);
  cps_scenario_free(p->scenario);
}

#define GOOD(call)                                                                                           \
  do {                                                                                                       \
    if ((call) != CPS_OK) fail_msg("%s: %s", #call, err.text);                                               \
  } while (0)

/* ------------------------------------------------------------------ differences */

/* A stretch: from a state, with inputs set, to a time. */
typedef struct piece {
  const void *block;
  double value[2], until;
  cps_hold_kind kind;
  int n_inputs, restarts;
} piece;

/* What a direction changes. */
typedef struct direction {
  double *state, input[2], parameter;
} direction;

static void put_number(unsigned char *block, const cps_state_item *item, double change) {
  double x;
  memcpy(&x, block + item->offset, sizeof x);
  x += change;
  memcpy(block + item->offset, &x, sizeof x);
}

/* Ends of the stretch with everything moved by `factor` of the direction: numbers of the state, then columns. */
static void end_of(const stretch_case *c, const play *p, const cps_stretch *s, const piece *x,
                   const direction *d, double factor, double *end) {
  cps_error err = {0};
  size_t size = cps_simulation_state_size(p->sim, &err);
  unsigned char *block = malloc(size), *own = malloc(size);
  cps_quantity q;
  GOOD(cps_scenario_quantity(p->scenario, c->parameter, &q, &err));
  double value = q.value + factor * d->parameter;
  play other = open_scenario(cps_scenario_with(p->scenario, &c->parameter, &value, 1, NULL));
  memcpy(block, x->block, size);
  /* the state of a simulation with another parameter starts with the name of its scenario */
  GOOD(cps_simulation_state_get(other.sim, own, &err));
  cps_state_item items[600];
  int n_items = cps_simulation_state_items(p->sim, items, 600, &err);
  assert_true(n_items > 0 && n_items <= 600);
  memcpy(block, own, items[0].offset);
  for (int i = 0; i < cps_stretch_numbers(s); i++) {
    cps_state_item item;
    GOOD(cps_stretch_number(s, i, &item));
    put_number(block, &item, factor * d->state[i]);
  }
  for (int i = 0; i < n_items; i++) {
    const char *name = items[i].name;
    /* rates that events has kept are those of another state, and masses those of another parameter */
    if (strcmp(name, "events.rates_known") == 0) memset(block + items[i].offset, 0, items[i].size);
    if (strcmp(name, "work.inverse_mass") == 0 || strcmp(name, "work.w_ii") == 0)
      memcpy(block + items[i].offset, own + items[i].offset, items[i].size);
  }
  GOOD(cps_simulation_state_set(other.sim, block, &err));
  for (int i = 0; i < x->n_inputs; i++)
    GOOD(cps_simulation_set(other.sim, i, x->value[i] + factor * d->input[i], x->kind, &err));
  GOOD(cps_simulation_step(other.sim, x->until, 0, NULL, &err));
  const double *columns = cps_simulation_values(other.sim);
  int n = cps_stretch_numbers(s), n_columns = cps_result_columns(cps_simulation_result(p->sim));
  memcpy(end + n, columns, (size_t)n_columns * sizeof *end);
  GOOD(cps_simulation_state_get(other.sim, own, &err));
  for (int i = 0; i < n; i++) {
    cps_state_item item;
    cps_stretch_number(s, i, &item);
    memcpy(&end[i], own + item.offset, sizeof end[i]);
  }
  free(block);
  free(own);
  close_play(&other);
}

static double size_of(cps_role role) {
  return role == CPS_ROLE_PLACE          ? 1e-7
         : role == CPS_ROLE_VELOCITY     ? 1e-6
         : role == CPS_ROLE_ACCELERATION ? 1e-5
         : role == CPS_ROLE_MEMORY       ? 1e-8
                                         : 0;
}

static const char *what_is(const cps_stretch *s, const play *p, int i) {
  cps_state_item item;
  if (cps_stretch_number(s, i, &item) == CPS_OK) return item.name;
  return cps_result_name(cps_simulation_result(p->sim), i - cps_stretch_numbers(s));
}

/* Numbers that are judged together: those of one item, or what generalised-alpha carries along; and columns of one thing with the same
 * unit. */
static int alike(const cps_stretch *s, const play *p, int i, int k) {
  const cps_result *r = cps_simulation_result(p->sim);
  const char *a = what_is(s, p, i), *b = what_is(s, p, k);
  int n = cps_stretch_numbers(s);
  int carried = strncmp(a, "alpha.", 6) == 0 && strncmp(b, "alpha.", 6) == 0;
  if (i < n || k < n) return i < n && k < n && (carried || strcmp(a, b) == 0);
  const char *end = strrchr(a, '.');
  size_t length = end ? (size_t)(end - a) + 1 : 0;
  return strncmp(a, b, length) == 0 && strcmp(cps_result_unit(r, i - n), cps_result_unit(r, k - n)) == 0;
}

/* Energy that has gone in and out. Where the method goes on without a restart, the simulation has the power at the beginning in its
 * state, and the derivative lets it follow from places and velocities there. */
static int is_work(const char *name) {
  return strncmp(name, "energy.", 7) == 0 || strstr(name, "work") != NULL;
}

/* Central differences of whole stretches; of two lengths for cables, whose contacts are not linear over one: order four. */
static void difference(const stretch_case *c, const play *p, const cps_stretch *s, const piece *x,
                       const direction *d, double *by, int n) {
  const double factor[4] = {1, -1, 0.5, -0.5}, weight[2][4] = {{1, -1}, {-1, 1, 8, -8}};
  double *end = malloc((size_t)n * sizeof *end);
  memset(by, 0, (size_t)n * sizeof *by);
  for (int k = 0; k < (c->is_winch ? 4 : 2); k++) {
    end_of(c, p, s, x, d, factor[k], end);
    for (int i = 0; i < n; i++) by[i] += weight[c->is_winch != 0][k] / (c->is_winch ? 6 : 2) * end[i];
  }
  free(end);
}

/* jvp against differences: relative to the largest change of numbers that are alike. */
static void compare(const stretch_case *c, const play *p, const cps_stretch *s, const piece *x,
                    const direction *d, const double *jvp, int n) {
  double *by = malloc((size_t)n * sizeof *by), *there = malloc((size_t)n * sizeof *there);
  difference(c, p, s, x, d, by, n);
  end_of(c, p, s, x, d, 0, there);
  for (int i = 0; i < n; i++) {
    const char *name = what_is(s, p, i);
    double most = 0, round_off = 0;
    if (strcmp(name, "energy.error") == 0) continue; /* nothing but round-off */
    if (c->is_winch && !x->restarts && is_work(name)) continue;
    if (strstr(name, "_max") || strstr(name, "_min")) continue; /* the place of the largest may be another */
    for (int k = 0; k < n; k++) {
      if (!alike(s, p, i, k)) continue;
      most = fmax(most, fmax(fabs(jvp[k]), fabs(by[k])));
      round_off = fmax(round_off, 1e-13 * fabs(there[k]));
    }
    double least = strstr(name, ".margin") ? 1e-10
                                           : 0; /* of friction that is used up but for the law's smoothing */
    if (!(fabs(by[i] - jvp[i]) <= c->tolerance * most + 50 * round_off + least))
      fail_msg("%s, until %g: d(%s) [%d] is %.10g, by differences %.10g (largest %.3g)", c->name, x->until,
               name, i, jvp[i], by[i], most);
  }
  free(by);
  free(there);
}

/* <v, J w> = <J' v, w> */
static void compare_dual(const stretch_case *c, const play *p, cps_stretch *s, const direction *d,
                         const double *jvp, int n_columns, int n_inputs, rng *random) {
  cps_error err = {0};
  int n = cps_stretch_numbers(s);
  double *v = malloc((size_t)(n + n_columns) * sizeof *v), *w = malloc((size_t)n * sizeof *w);
  double by_input[2] = {0}, by_parameter = 0, left = 0, right = 0, size = 0;
  for (int i = 0; i < n + n_columns; i++) {
    double most = 1e-9;
    for (int k = 0; k < n + n_columns; k++)
      if (alike(s, p, i, k)) most = fmax(most, fabs(jvp[k]));
    v[i] = rng_between(random, -1, 1) / most;
  }
  GOOD(cps_stretch_vjp(s, v, v + n, w, by_input, &by_parameter, &err));
  for (int i = 0; i < n + n_columns; i++) {
    left += v[i] * jvp[i];
    size += fabs(v[i] * jvp[i]);
  }
  for (int i = 0; i < n; i++) right += w[i] * d->state[i];
  for (int i = 0; i < n_inputs; i++) right += by_input[i] * d->input[i];
  right += by_parameter * d->parameter;
  if (!(fabs(left - right) <= c->dual * size))
    fail_msg("%s: <v, J w> = %.15g and <J' v, w> = %.15g (%.3g)", c->name, left, right, size);
  free(v);
  free(w);
}

static void derivatives(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    const stretch_case *c = &cases[k];
    cps_error err = {0};
    play p = open_case(c);
    cps_stretch *s = cps_stretch_new(p.sim, &c->parameter, 1, &err);
    if (!s) fail_msg("%s: %s", c->name, err.text);
    int n = cps_stretch_numbers(s), n_columns = cps_result_columns(cps_simulation_result(p.sim));
    int n_inputs = cps_simulation_inputs(p.sim);
    assert_true(n > 4 && n_inputs == 2);
    rng random = rng_for(c->name, 3);
    void *block = malloc(cps_simulation_state_size(p.sim, &err));
    double *jvp = malloc((size_t)(n + n_columns) * sizeof *jvp);
    direction d = {.state = malloc((size_t)n * sizeof(double))};
    cps_outcome outcome;
    long events = 0;
    for (int i = 0; i < n_inputs; i++) /* at rest bristles have a kink */
      if (c->is_winch && !strstr(c->law, "cdq")) GOOD(cps_simulation_set(p.sim, i, 0.005, CPS_RAMP, &err));
    GOOD(cps_simulation_step(p.sim, 0.02, 0, NULL, &err));
    for (int turn = 0; turn < 4; turn++) {
      piece x = {
          block,    {0},     0.02 + (c->is_winch ? 0.01 : 0.06) * (turn + 1), turn % 2 ? CPS_RAMP : CPS_HOLD,
          n_inputs, turn < 3};
      GOOD(cps_simulation_state_get(p.sim, block, &err));
      for (int i = 0; i < n_inputs; i++) {
        cps_input input;
        cps_simulation_input_at(p.sim, i, &input);
        double scale = strcmp(input.unit, "rad") == 0 ? 0.02 : 4;
        x.value[i] = input.start + scale * rng_between(&random, 0.2, 1);
        if (turn == 3) x.value[i] = cps_simulation_input_value(p.sim, i);
        d.input[i] = turn == 3 ? 0 : (c->is_winch ? 1e-4 : 1e-6) * scale * rng_between(&random, -1, 1);
        GOOD(cps_simulation_set(p.sim, i, x.value[i], x.kind, &err));
      }
      for (int i = 0; i < n; i++) {
        cps_state_item item;
        GOOD(cps_stretch_number(s, i, &item));
        d.state[i] = size_of(item.role) * rng_between(&random, -1, 1);
      }
      cps_quantity q;
      GOOD(cps_scenario_quantity(p.scenario, c->parameter, &q, &err));
      d.parameter = (c->is_winch ? 1e-4 : 1e-6) * q.value;
      GOOD(cps_stretch_step(s, x.until, &outcome, &err));
      events += outcome.events;
      GOOD(cps_stretch_jvp(s, d.state, d.input, &d.parameter, jvp, jvp + n, &err));
      compare(c, &p, s, &x, &d, jvp, n + n_columns);
      compare_dual(c, &p, s, &d, jvp, n_columns, n_inputs, &random);
    }
    /* across stick and slip */
    if (strcmp(c->name, "events") == 0 || strcmp(c->name, "winch") == 0) assert_true(events > 1);
    free(d.state);
    free(jvp);
    free(block);
    cps_stretch_free(s);
    close_play(&p);
  }
}

/* ------------------------------------------------------------------ cables by bdf */

/* Differences of runs by bdf are as noisy as its tolerance, over the length of the direction: its derivatives are compared with those
 * of short steps of alpha, from a state that is the same. */
static void by_bdf(void **state) {
  (void)state;
  static const char *const runs[] = {
      "solver: bdf, tolerance: 1e-10, absolute_tolerance: 1e-13, balance: 1e-13",
      "solver: alpha, step: 0.05 ms, balance: 1e-12"};
  enum { INPUTS, PARAMETER, VELOCITIES, PLACES, DIRECTIONS };
  for (int what = 0; what < DIRECTIONS; what++) {
    double *jvp[2] = {NULL, NULL};
    cps_error err = {0};
    for (int k = 0; k < 2; k++) {
      const stretch_case c = {
          "winch by bdf", 1, CDQ, runs[k], "cables.rope.contact.friction.mu", 0, 1e-7, "inertia: 0.5 kg m2,"};
      play p = open_case(&c);
      cps_stretch *s = cps_stretch_new(p.sim, &c.parameter, 1, &err);
      if (!s) fail_msg("%s", err.text);
      const cps_result *r = cps_simulation_result(p.sim);
      int n = cps_stretch_numbers(s), columns = cps_result_columns(r), seen = 0;
      direction d = {.state = calloc((size_t)n, sizeof(double)),
                     .input = {what == INPUTS, what == INPUTS},
                     .parameter = what == PARAMETER};
      jvp[k] = calloc((size_t)(n + columns), sizeof *jvp[k]);
      for (int i = 0; i < n; i++) {
        cps_state_item item;
        GOOD(cps_stretch_number(s, i, &item));
        int moves = (what == VELOCITIES && item.role == CPS_ROLE_VELOCITY) ||
                    (what == PLACES && item.role == CPS_ROLE_PLACE);
        if (moves) d.state[i] = sin(1.7 * seen++);
      }
      GOOD(cps_simulation_step(p.sim, 0.02, 0, NULL, &err));
      GOOD(cps_simulation_set(p.sim, 0, 0.01, CPS_HOLD, &err));
      GOOD(cps_simulation_set(p.sim, 1, 3, CPS_HOLD, &err));
      GOOD(cps_stretch_step(s, 0.03, NULL, &err));
      GOOD(cps_stretch_jvp(s, d.state, d.input, &d.parameter, jvp[k], jvp[k] + n, &err));
      rng random = rng_for(runs[k], 7);
      compare_dual(&c, &p, s, &d, jvp[k], columns, 2, &random);
      memmove(jvp[k], jvp[k] + n, (size_t)columns * sizeof(double));
      for (int i = 0; i < columns && k == 1; i++) {
        const char *name = cps_result_name(r, i);
        if (strncmp(name, "bodies.", 7) != 0 && strcmp(name, "drums.pulley.rate") != 0) continue;
        double most = 0; /* of columns with the same unit */
        for (int j = 0; j < columns; j++)
          if (strncmp(cps_result_name(r, j), name, 6) == 0 &&
              strcmp(cps_result_unit(r, j), cps_result_unit(r, i)) == 0)
            most = fmax(most, fabs(jvp[1][j]));
        if (!(fabs(jvp[0][i] - jvp[1][i]) <= 3e-3 * most))
          fail_msg("direction %d: d(%s) is %.9g by bdf and %.9g by alpha", what, name, jvp[0][i], jvp[1][i]);
      }
      free(d.state);
      cps_stretch_free(s);
      close_play(&p);
    }
    free(jvp[0]);
    free(jvp[1]);
  }
}

/* ------------------------------------------------------------------ items */

/* Items follow one another without a gap of more than the seven bytes that make places even. */
static void items(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    cps_error err = {0};
    play p = open_case(&cases[k]);
    cps_state_item item[600];
    int n = cps_simulation_state_items(p.sim, item, 600, &err), places = 0;
    assert_true(n > 0 && n <= 600);
    size_t at = item[0].offset;
    for (int i = 0; i < n; i++) {
      assert_true(item[i].offset % 8 == 0 && item[i].offset >= at && item[i].offset < at + 8);
      at = item[i].offset + item[i].size;
      places += item[i].role == CPS_ROLE_PLACE && item[i].size > 0;
    }
    assert_true(places > 0);
    assert_true(at == cps_simulation_state_size(p.sim, &err));
    assert_int_equal(cps_simulation_state_items(p.sim, NULL, 0, &err), n);
    close_play(&p);
  }
}

/* The numbers of an item of a state; it occurs once. */
static const double *numbers_of(cps_simulation *sim, const unsigned char *block, const char *name, size_t n) {
  cps_error err = {0};
  cps_state_item item[600];
  const double *found = NULL;
  int count = cps_simulation_state_items(sim, item, 600, &err);
  for (int i = 0; i < count; i++) {
    if (strcmp(item[i].name, name) != 0) continue;
    if (found || item[i].size != n * sizeof(double)) fail_msg("%s twice, or of another size", name);
    found = (const double *)(const void *)(block + item[i].offset);
  }
  if (!found) fail_msg("there is no %s", name);
  return found;
}

/* Bodies have one place in a state, in one order, whether there is a cable or not; and it is what columns show. */
static void bodies_once(void **state) {
  (void)state;
  static const char *const idle = "cables: {idle: {EA: 1 MN, EI: 0.01, mass_per_length: 1 kg/m, elements: 2, "
                                  "start: drawn, path: [{pinned: [9, 5]}, hang 1 m, free]}}\n";
  double x[2][4];
  for (int k = 0; k < 2; k++) {
    char text[3000];
    int length = snprintf(text, sizeof text, CART, "{quinn: {mu: 0.1, epsilon: 0.05 m/s}}",
                          "solver: alpha, step: 0.5 ms");
    if (k == 1) snprintf(text + length, sizeof text - (size_t)length, "%s", idle);
    cps_problems *problems = NULL;
    cps_error err = {0};
    cps_scenario *s = cps_scenario_parse(text, strlen(text), "test.yaml", NULL, 0, &problems);
    if (!s) fail_msg("%s", cps_problems_at(problems, 0)->text);
    play p = open_scenario(s);
    GOOD(cps_simulation_step(p.sim, 0.05, 0, NULL, &err));
    unsigned char *block = malloc(cps_simulation_state_size(p.sim, &err));
    GOOD(cps_simulation_state_get(p.sim, block, &err));
    const double *q = numbers_of(p.sim, block, "bodies.x", 4), *v = numbers_of(p.sim, block, "bodies.v", 4);
    const double *values = cps_simulation_values(p.sim);
    assert_true(q[0] == values[cps_simulation_column(p.sim, "bodies.cart.x")]);
    assert_true(v[1] == values[cps_simulation_column(p.sim, "bodies.bob.v")]);
    memcpy(x[k], (double[]){q[0], q[1], v[0], v[1]}, sizeof x[k]);
    free(block);
    close_play(&p);
  }
  for (int i = 0; i < 4; i++)
    if (!(fabs(x[0][i] - x[1][i]) <= 1e-9)) fail_msg("%d: %.15g and %.15g", i, x[0][i], x[1][i]);
}

static void refusals(void **state) {
  (void)state;
  cps_error err = {0};
  play q = open_case(&cases[0]);
  const char *none = "bodies.cart.weight";
  assert_null(cps_stretch_new(q.sim, &none, 1, &err));
  cps_stretch *s = cps_stretch_new(q.sim, NULL, 0, &err);
  assert_non_null(s);
  assert_int_equal(cps_stretch_jvp(s, NULL, NULL, NULL, NULL, NULL, &err), CPS_BAD_INPUT);
  assert_null(strstr(err.text, "cps_")); /* read by people who call from other languages */
  const char *mass = "bodies.cart.mass";
  double value = 3;
  assert_int_equal(cps_simulation_reset_with(q.sim, &mass, &value, 1, &err), CPS_OK);
  assert_int_equal(cps_stretch_step(s, 0.1, NULL, &err), CPS_BAD_INPUT);
  assert_null(strstr(err.text, "cps_"));
  cps_stretch_free(s);
  close_play(&q);
}

/* ------------------------------------------------------------------ weights of all entries */

/* The gradient of a sum over all entries of a result, by one adjoint run, and from the histories of a forward one. */
static void weights(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    const stretch_case *c = &cases[k];
    cps_error err = {0};
    play p = open_case(c);
    cps_sens *forward = cps_sens_new(p.scenario, &c->parameter, 1, NULL, 0, &err);
    cps_sens *adjoint = cps_sens_new(p.scenario, &c->parameter, 1, NULL, 0, &err);
    if (!forward || !adjoint) fail_msg("%s: %s", c->name, err.text);
    const double at[] = {0.02, 0.03, 0.05};
    GOOD(cps_sens_at(forward, at, 3, &err));
    GOOD(cps_sens_at(adjoint, at, 3, &err));
    GOOD(cps_sens_run(forward, CPS_SENS_FORWARD, NULL, NULL, &err));
    const cps_result *r = cps_sens_result(forward);
    int columns = cps_result_columns(r);
    assert_int_equal(cps_result_rows(r), 3);
    double *w = malloc(3 * (size_t)columns * sizeof *w), sum = 0, size = 0, value = 0;
    rng random = rng_for(c->name, 5);
    for (int i = 0; i < 3 * columns; i++) {
      double d = cps_sens_history(forward, i % columns, 0)[i / columns];
      w[i] = rng_between(&random, -1, 1) / (fabs(d) + 1e-6);
      if (strcmp(cps_result_name(r, i % columns), "energy.error") == 0) w[i] = 0;
      sum += w[i] * d;
      size += fabs(w[i] * d);
      value += w[i] * cps_result_data(r, i % columns)[i / columns];
    }
    int of = cps_sens_weigh(adjoint, -1, w, 3, &err);
    assert_int_equal(of, 0);
    GOOD(cps_sens_run(adjoint, CPS_SENS_ADJOINT, NULL, NULL, &err));
    double found = cps_sens_gradient(adjoint, of, 0);
    if (!(fabs(found - sum) <= 10 * c->dual * size))
      fail_msg("%s: %.15g by one adjoint run, %.15g by histories", c->name, found, sum);
    assert_true(fabs(cps_sens_value(adjoint, of) - value) <= 1e-9 * fabs(value));
    /* other weights in the same place; weights for other rows; no weights */
    w[0] += 1;
    assert_int_equal(cps_sens_weigh(adjoint, of, w, 2, &err), of);
    GOOD(cps_sens_run(adjoint, CPS_SENS_ADJOINT, NULL, NULL, &err));
    assert_true(isnan(cps_sens_value(adjoint, of)) && cps_sens_warning(adjoint, 0));
    assert_int_equal(cps_sens_weigh(adjoint, 1, w, 3, &err), -1);
    w[1] = NAN;
    assert_int_equal(cps_sens_weigh(adjoint, of, w, 3, &err), -1);
    free(w);
    cps_sens_free(forward);
    cps_sens_free(adjoint);
    close_play(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(items),       cmocka_unit_test(bodies_once), cmocka_unit_test(refusals),
      cmocka_unit_test(derivatives), cmocka_unit_test(by_bdf),      cmocka_unit_test(weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
