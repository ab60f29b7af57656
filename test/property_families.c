/* property_families.c - random machines of the families of scenarios/gallery, at rest, against closed forms: each is right, or the tool says
 * that it is not. Masses, stiffness, bending, meshes and contact vary over orders of magnitude. CAPSTAN_FAMILIES sets how many. */
#include "test.h"
#include "text_writer.h"

enum { MACHINES = 60 };
static const double g = 9.81, right_within = 0.02;

/* Something that a machine must show: a column, its value, and what counts as all of it. */
typedef struct truth {
  const char *column;
  double value, scale;
} truth;

typedef struct machine_case {
  writer w;
  truth truth[4];
  int n;
} machine_case;

static void expect(machine_case *x, const char *column, double value, double scale) {
  x->truth[x->n++] = (truth){column, value, scale};
}

static const char *const laws[] = {
    "{quinn: {mu: 0.3}}", "{cdq: {mu: 0.3}}", "{coulomb: {mu: 0.3}}", "{tanh: {mu: 0.3}}", "coulomb-static",
    "lugre-load",         "stribeck"};

/* What a rope that carries `load` over a drum is made of; one meter of it weighs at most `heavy` of the load. Returns its mass per length. */
static double rope(rng *r, machine_case *x, double load, double radius, double heavy) {
  double rho = rng_log(r, 0.01, 1) * heavy * load / g, length = radius * rng_log(r, 0.07, 0.6);
  double bending = rng_below(r, 2) ? load * radius * radius * rng_log(r, 1e-5, 1e-2) : 0;
  put(&x->w,
      "EA: %.6g, EI: %.6g, mass_per_length: %.8g, damping: {axial: %.4g}, mesh: {size: %.5g, on_drums: %.5g}",
      load / rng_log(r, 1e-5, 5e-3), bending, rho, load * rng_log(r, 1e-3, 1), 8 * length, length);
  double depth = radius * rng_log(r, 1e-4, 1e-2), force = load * length / radius;
  put(&x->w, ",\n    contact: {at: nodes, normal: {hunt-crossley: {stiffness: %.5g}}, friction: %s}",
      force / pow(depth, 1.5), laws[rng_below(r, ROWS(laws))]);
  return rho;
}

/* A load on a drum that holds still. */
static void hoist(rng *r, machine_case *x) {
  double mass = rng_log(r, 1, 5000), radius = rng_log(r, 0.05, 0.8), hang = rng_log(r, 0.5, 10);
  put(&x->w,
      "drums: {drum: {radius: %.8g, drive: {rotation: 0}}}\nbodies: {load: {mass: %.8g}}\ncables:\n  rope: {",
      radius, mass);
  double rho = rope(r, x, mass * g, radius, 0.1);
  put(&x->w, ",\n    path: [{rim: drum}, {around: drum, turn: clockwise}, hang %.8g, load]}\n", hang);
  double weight = (mass + rho * hang) * g;
  expect(x, "drums.drum.torque", -weight * radius, weight * radius);
  expect(x, "cables.rope.tension_end", mass * g, mass * g);
}

/* Two masses that friction holds on a fixed drum. */
static void atwood(rng *r, machine_case *x) {
  double mass = rng_log(r, 1, 5000), other = mass * rng_between(r, 0.7, 1.4), radius = rng_log(r, 0.05, 0.8),
         hang = rng_log(r, 0.5, 10);
  put(&x->w,
      "drums: {drum: {radius: %.8g, drive: fixed}}\nbodies: {a: {mass: %.8g}, b: {mass: %.8g}}\ncables:\n  "
      "rope: {",
      radius, mass, other);
  double rho = rope(r, x, mass * g, radius, 0.1);
  put(&x->w, ",\n    path: [a, hang %.8g, over drum, hang %.8g, b]}\n", hang, hang);
  double all = (mass + other + 2 * rho * hang) * g;
  expect(x, "drums.drum.torque", -(other - mass) * g * radius, all * radius);
  expect(x, "drums.drum.fy", -all - rho * acos(-1.0) * radius * g, all);
  expect(x, "cables.rope.drum.wrap", acos(-1.0), acos(-1.0));
}

/* A block in a bight between two pins. */
static void bight(rng *r, machine_case *x) {
  double mass = rng_log(r, 1, 5000), radius = rng_log(r, 0.05, 0.8), hang = rng_log(r, 0.5, 10);
  put(&x->w,
      "drums: {block: {radius: %.8g, center: [0, %.8g], drive: free, inertia: %.5g, carried_by: "
      "hook}}\nbodies: {hook: {mass: %.8g}}\ncables:\n  rope: {",
      radius, -hang, 0.1 * mass * radius * radius, mass);
  double rho = rope(r, x, mass * g / 2, radius, 0.1);
  put(&x->w, ",\n    path: [{pinned: [%.8g, 0]}, under block, {pinned: [%.8g, 0]}]}\n", -radius, radius);
  double half = (mass + rho * (2 * hang + acos(-1.0) * radius)) * g / 2;
  expect(x, "cables.rope.tension_start", half, half);
  expect(x, "cables.rope.fy_end", -half, half);
}

/* A belt that is told its tension. */
static void belt(rng *r, machine_case *x) {
  double tension = rng_log(r, 50, 2e4), radius = rng_log(r, 0.05, 0.5),
         apart = radius * rng_between(r, 4, 12);
  put(&x->w,
      "drums: {a: {radius: %.8g, drive: fixed}, b: {radius: %.8g, center: [%.8g, 0], drive: "
      "fixed}}\ncables:\n  rope: {closed: true, tension: %.8g, ",
      radius, radius * rng_between(r, 0.7, 1.5), apart, tension);
  rope(r, x, tension, radius, 1e-3);
  put(&x->w, ",\n    path: [over a, over b]}\n");
  expect(x, "cables.rope.a.t_out", tension, tension);
  expect(x, "cables.rope.b.t_out", tension, tension);
}

static void (*const families[])(rng *, machine_case *) = {hoist, atwood, bight, belt};

typedef enum verdict { RIGHT, WARNED, FAILED, SLOW, SILENT, VERDICTS } verdict;
static const char *const said[VERDICTS] = {
    "right", "off and warned about", "failed or refused with a sentence", "too slow", "wrong in silence"};

static verdict judge(const machine_case *x, char *why, size_t size) {
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *s = cps_scenario_parse(x->w.text, x->w.n, "family", NULL, 0, &problems);
  if (!s) fail_msg("%s\n%s", cps_problems_at(problems, 0)->text, x->w.text);
  cps_problems_free(problems);
  cps_system *system = cps_system_new(s, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  cps_status status = sim ? cps_simulation_run(sim, NULL, NULL, &err) : CPS_FAILED;
  verdict v = RIGHT;
  snprintf(why, size, "%s", status == CPS_OK ? "" : err.text);
  if (status != CPS_OK) {
    assert_true(strlen(err.text) > 20);
    v = strstr(err.text, "steps were not enough") ? SLOW : FAILED;
  } else {
    const cps_result *y = cps_simulation_result(sim);
    for (int i = 0; i < x->n; i++) {
      int c = cps_result_find(y, x->truth[i].column);
      assert_true(c >= 0);
      double value = cps_result_data(y, c)[0], off = fabs(value - x->truth[i].value) / x->truth[i].scale;
      if (off <= right_within) continue;
      v = cps_result_warning(y, 0) ? WARNED : SILENT;
      snprintf(why, size, "%s is %.6g, should be %.6g", x->truth[i].column, value, x->truth[i].value);
    }
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(s);
  return v;
}

static void random_families(void **state) {
  (void)state;
  int count = getenv("CAPSTAN_FAMILIES") ? atoi(getenv("CAPSTAN_FAMILIES")) : MACHINES, found[VERDICTS] = {0};
  for (int k = 0; k < count; k++) {
    rng r = rng_for("families", (uint64_t)k);
    machine_case x = {.n = 0};
    char why[500];
    put(&x.w, "capstan: 1\n");
    families[k % ROWS(families)](&r, &x);
    put(&x.w, "run: {until: 1 ms, output: 1 ms, max_steps: 300}\n");
    verdict v = judge(&x, why, sizeof why);
    found[v]++;
    if (v == SILENT || getenv("CAPSTAN_FAMILIES_SHOW")) print_message("%d: %s: %s\n", k, said[v], why);
    if (v == SILENT) print_message("%s", x.w.text);
  }
  print_message("%d machines:", count);
  for (int v = 0; v < VERDICTS; v++)
    print_message(" %d %s%s", found[v], said[v], v + 1 < VERDICTS ? "," : "\n");
  assert_int_equal(found[SILENT], 0);
  assert_true(found[RIGHT] >= 0.7 * count);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_families)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
