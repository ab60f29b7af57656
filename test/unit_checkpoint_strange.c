/* Checkpoints that somebody has changed, with a hash that fits: what the model cannot have is refused, and whatever is
 * accepted runs on without touching memory that is not its own (which the sanitizers see). */
#include "internal.h"
#include "sha256.h"
#include "test.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 24 + 24 + 65 + 32 + 65 + 7, BUILD_AT = 24 + 24, HASH = 64, NAME = 40 };

static const char winch[] =
    "capstan: 1\n"
    "drums:\n"
    "  pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {sine: {amplitude: "
    "0.3, omega: 8 rad/s}}}}\n"
    "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}}\n"
    "cables:\n"
    "  rope:\n"
    "    EA: 1 MN\n"
    "    EI: 0.7 N m2\n"
    "    mass_per_length: 0.4555 kg/m\n"
    "    damping: {rayleigh: 10 N s}\n"
    "    elements: 12\n"
    "    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]\n"
    "    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: %s}\n"
    "run: {until: 0.3 s, solver: %s, output: 10 ms, fields: 50 ms}\n";

static const char blocks[] =
    "capstan: 1\n"
    "bodies: {a: {mass: 1 kg}, b: {mass: 2 kg, x: 0.5}}\n"
    "surfaces: {belt: {velocity: {sine: {amplitude: 0.6, omega: 3.1, offset: 0.2}}}}\n"
    "springs: {s: {between: [{ground: 0}, a], stiffness: 40}, t: {between: [a, b], stiffness: 30, length: "
    "0.5}}\n"
    "contacts:\n"
    "  one: {between: [a, belt], normal: weight, friction: %s}\n"
    "  two: {between: [b, ground], normal: 3 N, friction: %s}\n"
    "run: {until: 3 s, solver: %s, output: 20 ms}\n";

/* Other kinds of machines: a mesh that moves, few variables in place of elements, beside a block, and a wheel that was held by a
 * brake. */
static const struct {
  const char *name, *text;
} others[] = {
    {"moving mesh",
     "capstan: 1\nbodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"
     "drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {ramp: {rate: 4 rad/s}}}}}\n"
     "cables: {rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s},\n"
     "  mesh: {size: 0.5 m, on_drums: 80 mm, follow: true},\n"
     "  path: [left, {hang: 2 m}, {over: pulley}, {hang: 2 m}, right],\n"
     "  contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e6}}, friction: {quinn: {mu: "
     "0.5, epsilon: 10 "
     "mm/s}}}}}\n"
     "run: {until: 0.4, output: 10 ms, solver: alpha, step: 0.5 ms}\n"},
    {"few variables",
     "capstan: 1\nbodies: {left: {mass: 600 kg}, right: {mass: 1000 kg}, block: {mass: 1 kg, v: 1 m/s}}\n"
     "contacts: {floor: {between: [block, ground], normal: weight, friction: karnopp}}\n"
     "drums: {pulley: {radius: 0.3 m, center: [0, 10 m], drive: {rotation: {cycloid: {amplitude: 1 rad, "
     "duration: 1 s}}}}}\n"
     "cables: {rope: {model: semi-analytical, EA: 4e7 N, EI: 10 N m2, mass_per_length: 2 kg/m, elements: "
     "20,\n"
     "  path: [left, {hang: 5 m}, {over: pulley}, {hang: 5 m}, right], contact: {at: nodes,\n"
     "  normal: {hunt-crossley: {stiffness: 1e7, exponent: 1, damping: 1}}, friction: {coulomb: {mu: "
     "0.5}}}}}\n"
     "run: {until: 1, output: 10 ms, tolerance: 1e-8}\n"},
    {"brake",
     "capstan: 1\ndrums: {wheel: {radius: 150 mm, center: [0, 0], drive: free, inertia: 0.02 kg m2}}\n"
     "bodies: {left: {mass: 20 kg}, right: {mass: 24 kg}}\n"
     "cables: {rope: {EA: 1 MN, mass_per_length: 0.2 kg/m, damping: {axial: 3 kN s}, start: braked,\n"
     "  tension_only: true, mesh: {size: 100 mm}, path: [left, hang 1 m, over wheel, hang 1.5 m, right],\n"
     "  contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: {quinn: {mu: "
     "0.4}}}}}\n"
     "run: {until: 0.2 s, output: 10 ms, solver: alpha, step: 0.5 ms}\n"},
};

typedef struct saved {
  int wanted; /* the instant */
  void *bytes;
  size_t size;
} saved;

static int keep(cps_simulation *sim, void *data) {
  saved *k = data;
  if (k->wanted-- == 0) assert_int_equal(cps_simulation_save(sim, &k->bytes, &k->size, NULL), CPS_OK);
  return k->bytes != NULL; /* stops */
}

static cps_system *load(const char *text, cps_scenario **s) {
  cps_problems *problems = NULL;
  cps_error err;
  *s = cps_scenario_parse(text, strlen(text), "test", NULL, 0, &problems);
  if (!*s) fail_msg("%s", cps_problems_at(problems, 0)->text);
  cps_system *system = cps_system_new(*s, &err);
  if (!system) fail_msg("%s", err.text);
  return system;
}

static saved save(cps_system *system, int instant) {
  saved k = {.wanted = instant};
  cps_error err;
  cps_simulation *sim = cps_simulation_new(system, &err);
  cps_simulation_on_checkpoint(sim, keep, &k);
  cps_simulation_run(sim, NULL, NULL, &err);
  assert_non_null(k.bytes);
  cps_simulation_free(sim);
  return k;
}

static void seal(unsigned char *bytes, size_t size) {
  char hex[65];
  sha256 h;
  cps_sha256_start(&h);
  cps_sha256_add(&h, bytes, size - HASH);
  cps_sha256_end(&h, hex);
  memcpy(bytes + size - HASH, hex, HASH);
}

/* Where the value of the first item of that name lies; its size. NULL: any, the n-th. */
static size_t find(const saved *k, const char *name, int n, size_t *length) {
  const unsigned char *b = k->bytes;
  size_t at = HEAD;
  for (int i = 0; at + NAME + 8 <= k->size - HASH; i++) {
    uint64_t size;
    memcpy(&size, b + at + NAME, sizeof size);
    size_t value = at + NAME + 8;
    *length = (size_t)size;
    if (name ? strcmp((const char *)b + at, name) == 0 : i == n) return value;
    at = value + (size_t)size;
  }
  return 0;
}

static int stop_soon(const cps_progress *now, void *data) {
  (void)now;
  return --*(int *)data < 0;
}

/* Restores and, if that is accepted, runs on for a while. Returns whether it was accepted. */
static int go_on(cps_system *system, const void *bytes, size_t size, cps_error *err) {
  cps_simulation *sim = cps_simulation_new(system, err);
  cps_extent before;
  int accepted = cps_simulation_restore(sim, bytes, size, &before, err) == CPS_OK, patience = 3;
  if (accepted) {
    assert_true(before.rows >= 0 && before.events >= 0 && before.frames >= 0);
    cps_simulation_run(sim, stop_soon, &patience, err);
    if (strstr(err->text, "does not fit")) accepted = 0;
  }
  cps_simulation_free(sim);
  return accepted;
}

/* The values that an item is given in turn. */
static void spoil(unsigned char *value, size_t length, rng *random) {
  static const int ints[] = {-2, -1000000, 2147483647, 1000, 77};
  static const double doubles[] = {NAN, INFINITY, -INFINITY, 1e300, -1, 1e-300};
  int what = rng_below(random, 3);
  if (what == 0 && length >= sizeof(int)) {
    size_t at = sizeof(int) * (size_t)rng_below(random, (int)(length / sizeof(int)));
    memcpy(value + at, &ints[rng_below(random, ROWS(ints))], sizeof(int));
  } else if (what == 1 && length >= sizeof(double)) {
    size_t at = sizeof(double) * (size_t)rng_below(random, (int)(length / sizeof(double)));
    memcpy(value + at, &doubles[rng_below(random, ROWS(doubles))], sizeof(double));
  } else if (length > 0) {
    value[rng_below(random, (int)length)] ^= (unsigned char)(1 << rng_below(random, 8));
  }
}

/* A state as one block, before its run has come to the instant; its size. */
static unsigned char *block_of(cps_system *system, size_t *size) {
  cps_error err = {0};
  cps_simulation *sim = cps_simulation_new(system, &err);
  *size = cps_simulation_state_size(sim, &err);
  unsigned char *block = malloc(*size);
  for (double t = 0.004; t < 0.02; t += 0.004)
    assert_int_equal(cps_simulation_step(sim, t, 0, NULL, &err), CPS_OK);
  assert_int_equal(cps_simulation_state_get(sim, block, &err), CPS_OK);
  cps_simulation_free(sim);
  return block;
}

/* Changes one value of a block, behind what it is known by, and goes on from there if that is accepted: 1. What is refused leaves all
 * as it was. */
static int go_on_block(cps_system *system, const unsigned char *block, size_t size, rng *random) {
  enum { KNOWN_BY = 72 };
  cps_error err = {0};
  int patience = 3;
  unsigned char *copy = malloc(size);
  memcpy(copy, block, size);
  size_t at = KNOWN_BY + 8 * (size_t)rng_below(random, (int)((size - KNOWN_BY) / 8));
  spoil(copy + at, 8, random);
  cps_simulation *sim = cps_simulation_new(system, &err), *same = cps_simulation_new(system, &err);
  cps_simulation_on_progress(sim, stop_soon, &patience);
  assert_int_equal(cps_simulation_start(sim, &err), CPS_OK);
  assert_int_equal(cps_simulation_start(same, &err), CPS_OK);
  int accepted = cps_simulation_state_take(sim, copy, size, &err) == CPS_OK;
  if (accepted) {
    cps_simulation_step(sim, cps_simulation_time(sim) + 0.003, 0, NULL, &err);
  } else {
    char differs[64];
    assert_int_equal(err.status, CPS_BAD_INPUT);
    if (!cps_simulation_same(sim, same, differs, sizeof differs))
      fail_msg("%s: %s differs", err.text, differs);
  }
  cps_simulation_free(sim);
  cps_simulation_free(same);
  free(copy);
  return accepted;
}

/* Campaigns go on for longer, with other seeds: SECONDS and SEED of the environment. */
static long tried;
static uint64_t purpose = 1;

/* A try that does not come to its end is one that failed, and ends the campaign; which it was is said. */
enum { LONGEST = 120 /* s of processor time */ };

static char trying[200];

static void too_long(int number) {
  (void)number;
  ssize_t written = write(STDOUT_FILENO, trying, strlen(trying));
  _exit(written < 0 ? 2 : 1);
}

static void watch(const char *what, const char *kind, int i) {
  snprintf(trying, sizeof trying,
           "%.60s, %s %d of purpose %llu: no end after %d s\ntried %ld held %ld failed 1\n", what, kind, i,
           (unsigned long long)purpose, LONGEST, tried + i + 1, tried + i);
  const struct itimerval limit = {.it_value.tv_sec = LONGEST};
  setitimer(ITIMER_PROF, &limit, NULL);
}

static void try_many(const char *what, const char *text, int instant, int tries) {
  cps_scenario *s;
  cps_system *system = load(text, &s);
  saved k = save(system, instant);
  rng random = rng_for(what, purpose);
  int items = 0, accepted = 0;
  size_t length = 0;
  while (find(&k, NULL, items, &length)) items++;
  assert_true(items > 20);
  unsigned char *copy = malloc(k.size);
  for (int i = 0; i < tries; i++) {
    cps_error err = {0};
    memcpy(copy, k.bytes, k.size);
    size_t at = find(&k, NULL, rng_below(&random, items), &length);
    spoil(copy + at, length, &random);
    seal(copy, k.size);
    watch(what, "checkpoint", i);
    accepted += go_on(system, copy, k.size, &err);
  }
  if (purpose == 1) assert_true(accepted < tries); /* other seeds may happen to change nothing that matters */
  tried += tries;
  free(copy);
  unsigned char *block = block_of(system, &length);
  cps_simulation *sim = cps_simulation_new(system, NULL);
  assert_int_equal(cps_simulation_state_take(sim, block, length, NULL), CPS_OK);
  assert_int_equal(cps_simulation_state_take(sim, block, length - 1, NULL), CPS_BAD_INPUT);
  cps_simulation_free(sim);
  for (int i = accepted = 0; i < tries; i++) {
    watch(what, "state", i);
    accepted += go_on_block(system, block, length, &random);
  }
  if (purpose == 1) assert_true(accepted > 0);
  tried += tries;
  free(block);
  free(k.bytes);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void change_states(void) {
  char text[2048];
  static const char *const laws[] = {"{quinn: {mu: 0.25}}", "{elasto-plastic: {}}", "{coulomb: {mu: 0.25}}"};
  for (int i = 0; i < ROWS(laws); i++) {
    snprintf(text, sizeof text, winch, laws[i], "alpha");
    try_many(laws[i], text, 1, 60);
  }
  for (int i = 0; i < ROWS(others); i++) try_many(others[i].name, others[i].text, 0, 60);
  static const struct {
    const char *law, *solver;
  } bodies[] = {{"coulomb-static", "events"},
                {"karnopp", "events"},
                {"quinn", "alpha"},
                {"{lugre: {sigma0: 1000, sigma1: 30}}", "rk4"}};
  for (int i = 0; i < ROWS(bodies); i++) {
    snprintf(text, sizeof text, blocks, bodies[i].law, bodies[i].law, bodies[i].solver);
    if (strcmp(bodies[i].solver, "rk4") == 0) {
      char *end = strstr(text, "output: 20 ms");
      snprintf(end, sizeof text - (size_t)(end - text), "output: 20 ms, step: 1 ms}\n");
    }
    try_many(bodies[i].law, text, 1, 60);
  }
}

static void changed_states(void **state) {
  (void)state;
  const char *seconds = getenv("SECONDS"), *seed = getenv("SEED");
  time_t until = time(NULL) + (seconds ? atol(seconds) : 0);
  if (seed) purpose = 1000000 * (uint64_t)atol(seed);
  signal(SIGPROF, too_long);
  do {
    change_states();
    purpose++;
  } while (time(NULL) < until);
  setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 0}, NULL);
  if (seconds) printf("tried %ld held %ld failed 0\n", tried, tried);
}

static void refuse(const char *text, const char *item, size_t offset, int value) {
  cps_scenario *s;
  cps_system *system = load(text, &s);
  saved k = save(system, 1);
  size_t length = 0, at = find(&k, item, 0, &length);
  cps_error err = {0};
  assert_true(at > 0 && length >= offset + sizeof value);
  memcpy((unsigned char *)k.bytes + at + offset, &value, sizeof value);
  seal(k.bytes, k.size);
  assert_false(go_on(system, k.bytes, k.size, &err));
  assert_int_equal(err.status, CPS_BAD_INPUT);
  /* what was refused has left no trace */
  saved again = {.wanted = 1}, first = save(system, 1);
  cps_error ignored;
  cps_simulation *sim = cps_simulation_new(system, &ignored);
  cps_simulation_on_checkpoint(sim, keep, &again);
  cps_simulation_restore(sim, k.bytes, k.size, NULL, &ignored);
  if (strncmp(item, "events.", 7) != 0) { /* those are seen when the run begins */
    cps_simulation_run(sim, NULL, NULL, &ignored);
    assert_int_equal(again.size, first.size);
    assert_memory_equal(again.bytes, first.bytes, first.size);
  }
  cps_simulation_free(sim);
  free(again.bytes);
  free(first.bytes);
  if (!strstr(err.text, "a value that this model cannot have")) fail_msg("%s: %s", item, err.text);
  free(k.bytes);
  cps_system_free(system);
  cps_scenario_free(s);
}

static void indices(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, winch, "{elasto-plastic: {}}", "alpha");
  refuse(text, "point.drum", 0, 1);
  refuse(text, "point.drum", sizeof(int), -2);
  refuse(text, "point.near", 0, 1000000);
  refuse(text, "point.drum0", 0, 1);
  refuse(text, "point.mode", 0, 99);
  refuse(text, "point.guess", 0, 4);
  refuse(text, "trace.drum", 0, 1);
  refuse(text, "recorded", 4, -1);
  refuse(text, "next_frame", 4, (int)0xc08f4000); /* -1000 s, when there was no run yet */
  refuse(text, "output_index", 4, 0x7fffffff);
  snprintf(text, sizeof text, blocks, "karnopp", "coulomb", "events");
  refuse(text, "mode", 0, 40);
  refuse(text, "mode", sizeof(int), -3);
  refuse(text, "events.old", 0, 99);
}

/* Another build of the same version has other last digits. */
static void builds(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, blocks, "quinn", "quinn", "alpha");
  cps_scenario *s;
  cps_system *system = load(text, &s);
  saved k = save(system, 1);
  cps_error err = {0};
  assert_true(go_on(system, k.bytes, k.size, &err));
  unsigned char *b = k.bytes;
  b[BUILD_AT] = b[BUILD_AT] == '0' ? '1' : '0';
  seal(k.bytes, k.size);
  assert_false(go_on(system, k.bytes, k.size, &err));
  assert_non_null(strstr(err.text, "another build"));
  assert_non_null(strstr(cps_build_identity(), "compiler"));
  free(k.bytes);
  cps_system_free(system);
  cps_scenario_free(s);
}

/* The same state is the same bytes: nothing undefined is written. */
static void same_bytes(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, winch, "{quinn: {mu: 0.25}}", "alpha");
  cps_scenario *s;
  cps_system *system = load(text, &s);
  saved a = save(system, 2), b = save(system, 2);
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.bytes, b.bytes, a.size);
  free(a.bytes);
  free(b.bytes);
  cps_system_free(system);
  cps_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(indices), cmocka_unit_test(builds),
                                     cmocka_unit_test(same_bytes), cmocka_unit_test(changed_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
