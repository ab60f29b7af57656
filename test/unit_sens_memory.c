/* unit_sens_memory.c - derivatives of runs of cables whose friction has memory: against differences of runs with the same steps,
 * and the adjoint against the forward method; and the states that laws take over from an equilibrium. */
#include "sens_machines.h"

#include "machine.h"
#include "sens.h"

/* ------------------------------------------------------------------ machines */

#define RAMP      "drive: {rotation: {ramp: {rate: 1 rad/s}}}"
#define RUN(step) "run: {until: 0.1 s, step: " step ", solver: alpha, output: 0.1 s, balance: 1e-12}\n"
/* Differences see with how many iterations the steps ended, unless these go on to the last digit, as they do with modes anyway. */
#define ENDED_RUN(step) "run: {until: 0.1 s, step: " step ", solver: alpha, output: 0.1 s}\n"
#define LUGRE           "lugre-load: {sigma0: 1e4, sigma1: 10}"

typedef struct example {
  const char *name, *text, *wrt[6], *of[6];
  double part; /* steps of differences, relative; those of laws that snap are short */
} example;

enum { MOST = 24, LENGTHS = 3 };

static const example examples[] = {
    {"two points per element",
     "capstan: 1\n" PULLEY(PD) LOADS ROPE(LUGRE, "{quadrature: 2}") OVER RUN("2 ms"),
     {"cables.rope.EA", "bodies.left.mass", "drums.pulley.radius", "drums.pulley.drive.pd.kp"},
     {"bodies.left.y", "bodies.right.vy", "cables.rope.pulley.slip_work", "cables.rope.tension_max"},
     1e-5},
    {"one point per element, modes",
     "capstan: 1\n" PULLEY(RAMP) LOADS ROPE("gms: {v_s: 0.1}", "{quadrature: 1}") OVER ENDED_RUN("1 ms"),
     {"cables.rope.EA", "drums.pulley.radius", "drums.pulley.drive.rotation.ramp.rate",
      "cables.rope.contact.friction.gms.k1"},
     {"bodies.left.y", "bodies.right.vy", "cables.rope.pulley.slip_work", "cables.rope.tension_max",
      "energy.error"},
     1e-5},
    {"drum that the cable turns, drawn",
     "capstan: 1\n" PULLEY("inertia: 0.3 kg m2, drive: free")
         LOADS ROPE("iwan: {}", "nodes") "    start: drawn\n" OVER RUN("2 ms"),
     {"cables.rope.EA", "bodies.left.mass", "drums.pulley.radius", "drums.pulley.inertia",
      "cables.rope.contact.friction.iwan.mu"},
     {"bodies.left.y", "drums.pulley.rate", "cables.rope.pulley.slip_work", "cables.rope.tension_max",
      "energy.damping"},
     1e-5},
    {"drum on a body on a spring",
     "capstan: 1\n"
     "drums: {pulley: {radius: 250 mm, carried_by: hook, drive: fixed}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}, hook: {mass: 5 kg, position: [0, 0]}}\n"
     "springs:\n"
     "  held: {between: [hook, {ground: [0.1 m, 1 m]}], stiffness: 20 kN/m, damping: 50 N s/m, length: 1 m}\n"
     "  aside: {between: [hook, {ground: [-1 m, 0]}], stiffness: 3 kN/m, length: 1 m}\n"
     "loads: {push: {on: hook, direction: [1, 0], force: {sine: {amplitude: 200 N, omega: 30 "
     "rad/s}}}}\n" ROPE(LUGRE, "nodes") OVER RUN("2 ms"),
     {"cables.rope.EA", "bodies.hook.mass", "springs.held.stiffness", "loads.push.force.sine.amplitude",
      "cables.rope.contact.friction.lugre-load.sigma0"},
     {"bodies.left.y", "bodies.hook.x", "cables.rope.pulley.slip_work", "springs.held.force",
      "cables.rope.pulley.friction"},
     1e-5},
    {"belt",
     "capstan: 1\n"
     "drums:\n"
     "  motor: {radius: 200 mm, center: [0, 0], drive: {rotation: {cycloid: {amplitude: 1 rad, duration: 0.2 "
     "s}}}}\n"
     "  wheel: {radius: 200 mm, center: [1 m, 0], inertia: 0.2 kg m2, drive: free}\n" ROPE(
         "iwan: {}", "nodes") "    closed: true\n    tension: 300 N\n"
                              "    path: [{around: motor, turn: clockwise}, {around: wheel, turn: "
                              "clockwise}]\n" RUN("2 ms"),
     {"cables.rope.EA", "drums.wheel.inertia", "cables.rope.tension",
      "cables.rope.contact.friction.iwan.spread"},
     {"drums.wheel.angle", "drums.wheel.rate", "cables.rope.motor.slip_work", "energy.kinetic"},
     1e-5},
    {"in space, along the axis too",
     "capstan: 1\ngravity: [0, -9.81, 0]\n"
     "drums: {pulley: {radius: 250 mm, center: [0, 0, 0], drive: {rotation: {ramp: {rate: 0.5 rad/s}}},\n"
     "                 moved: {z: {sine: {amplitude: 10 mm, omega: 20 rad/s}}}}}\n" LOADS ROPE(LUGRE, "nodes")
         OVER RUN("1 ms"),
     {"cables.rope.EA", "bodies.left.mass", "drums.pulley.moved.z.sine.amplitude",
      "cables.rope.contact.friction.lugre-load.mu_d"},
     {"bodies.left.y", "bodies.right.z", "cables.rope.pulley.slip_work", "cables.rope.tension_max",
      "energy.motion_work"},
     1e-5},
};

/* Numbers with which laws run with few steps that fail; NULL: their own. */
static const struct {
  const char *law, *numbers;
} softer[] = {{"lugre", "sigma0: 1e5, sigma1: 100, f_c: 4, f_s: 6"},
              {"lugre-load", "sigma0: 1e4, sigma1: 10"},
              {"elasto-plastic", "sigma0: 1e4, sigma1: 10, z_ba: 1e-5"},
              {"gonthier", "sigma0: 1e4, sigma1: 10, v_s: 0.05, v_dir: 0.01"},
              {"rill", "c: 1e4, d: 10, m: 1e-3, v_n: 0.02, v_s: 0.05"},
              {"gms", "v_s: 0.1"},
              {"haessig-bristle", "sigma0: 1e3"},
              {"dieterich", "d_c: 1 mm"},
              {"ruina", "d_c: 1 mm"}};

/* ------------------------------------------------------------------ comparing */

/* The last row of a run with one parameter elsewhere. */
static void values_at(const cps_scenario *s, const char *path, double value, const char *const *of, int n_of,
                      double *out) {
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *moved = cps_scenario_with(s, &path, &value, 1, &problems);
  if (!moved) fail_msg("%s: %s", path, cps_problems_at(problems, 0)->text);
  cps_system *system = cps_system_new(moved, &err);
  cps_simulation *sim = system ? cps_simulation_new(system, &err) : NULL;
  if (!sim || cps_simulation_run(sim, NULL, NULL, &err) != CPS_OK) fail_msg("%s: %s", path, err.text);
  const cps_result *r = cps_simulation_result(sim);
  for (int i = 0; i < n_of; i++) {
    int column = cps_result_find(r, of[i]);
    assert_true(column >= 0);
    out[i] = cps_result_data(r, column)[cps_result_rows(r) - 1];
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(moved);
}

/* Richardson's extrapolation of central differences with steps of `part` of the parameter; *doubt: what two steps differ by. */
static void difference(const cps_scenario *s, const cps_quantity *q, const char *const *of, int n_of,
                       double part, double *out, double *doubt) {
  double step = part * (q->value != 0 ? fabs(q->value) : 1), d[2][6], values[2][6];
  for (int j = 0; j < 2; j++) {
    for (int side = 0; side < 2; side++)
      values_at(s, q->path, q->value + (side ? -1 : 1) * (j + 1) * step, of, n_of, values[side]);
    for (int i = 0; i < n_of; i++) d[j][i] = (values[0][i] - values[1][i]) / (2 * (j + 1) * step);
  }
  for (int i = 0; i < n_of; i++) {
    out[i] = (4 * d[0][i] - d[1][i]) / 3;
    doubt[i] = fabs(d[0][i] - d[1][i]);
  }
}

static void check(const char *name, const char *text, const char *const *wrt, int n_wrt,
                  const char *const *of, int n_of, double part) {
  cps_scenario *s = parse(text);
  cps_sens *forward = differentiate(s, name, wrt, n_wrt, of, n_of, CPS_SENS_FORWARD);
  cps_sens *adjoint = differentiate(s, name, wrt, n_wrt, of, n_of, CPS_SENS_ADJOINT);
  for (int k = 0; k < n_wrt; k++) {
    const cps_quantity *q = cps_sens_parameter(forward, k);
    double expected[LENGTHS][6], doubt[LENGTHS][6];
    int looked = 0;
    for (int i = 0; i < n_of; i++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      /* what a change of the parameter by all of itself would do, for derivatives that are next to nothing */
      double scale = fabs(cps_sens_value(forward, i) / (q->value != 0 ? q->value : 1));
      assert_true(cps_sens_value(forward, i) == cps_sens_value(adjoint, i));
      int bdf = strstr(text, "solver: bdf") !=
                NULL; /* its iterations end earlier, and jumps of states make it begin anew */
      if (!(fabs(f - a) <= (bdf ? 1e-6 : 1e-8) * (fabs(f) + scale)))
        fail_msg("%s: d(%s)/d(%s): forward %.12g, adjoint %.12g", name, of[i], q->path, f, a);
      if (k >= COMPARED) continue;
      /* reactions are those of the last iteration but one, and differences see how far it was off */
      double known = strstr(of[i], "motion_work") || strstr(of[i], "error") ? 2e-3 : 2e-5;
      if (bdf) known = fmax(known, 2e-4);
      double off = known * (fabs(f) + 0.1 * scale), per = bdf ? 3 : 0.5;
      /* an element of a law may yield, or a step fail, within the differences: shorter ones do not see it */
      int j = 0;
      for (int good = 0; j < LENGTHS && !good; j += !good) {
        if (looked == j) difference(s, q, of, n_of, part * pow(0.1, looked++), expected[j], doubt[j]);
        good = fabs(f - expected[j][i]) <= off + per * doubt[j][i];
      }
      if (j == LENGTHS)
        fail_msg("%s: d(%s)/d(%s): %.10g, differences %.10g, in doubt by %.2g", name, of[i], q->path, f,
                 expected[0][i], doubt[0][i]);
    }
  }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

static void test_examples(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(examples); i++) {
    const example *x = &examples[i];
    check(x->name, x->text, x->wrt, count(x->wrt, ROWS(x->wrt)), x->of, count(x->of, ROWS(x->of)), x->part);
  }
}

/* Up to the run, and then by bdf, with errors that count for nothing: steps are then up to run.step, whatever the parameters are. */
static void by_bdf(const char *text, char *out, size_t size) {
  const char *run = strstr(text, "run: {"), *step = strstr(run, "step: ");
  snprintf(
      out, size,
      "%.*srun: {until: 0.1 s, %.*s, solver: bdf, tolerance: 1, absolute_tolerance: 1e9, output: 7 ms}\n",
      (int)(run - text), text, (int)strcspn(step, ","), step);
}

static void test_examples_bdf(void **state) {
  (void)state;
  for (int i = 0; i < ROWS(examples); i++) {
    const example *x = &examples[i];
    char text[4000];
    by_bdf(x->text, text, sizeof text);
    check(x->name, text, x->wrt, count(x->wrt, ROWS(x->wrt)), x->of, count(x->of, ROWS(x->of)), x->part);
  }
}

/* Every law with memory that there is, by all of its parameters. */
static int check_laws(int bdf) {
  static const char *const of[] = {"bodies.left.y", "bodies.right.vy", "cables.rope.pulley.slip_work",
                                   "cables.rope.tension_max"};
  int laws = 0;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    char text[2000], changed[2000], numbers[200], paths[MOST][120];
    const char *own = "", *wrt[MOST] = {"cables.rope.EA", "bodies.left.mass",
                                        "cables.rope.contact.normal.hunt-crossley.stiffness"};
    int n = 3;
    if (law->n_states == 0) continue;
    /* steps fail, or elements slip, here and there: differences see other runs */
    if (bdf && (strcmp(law->name, "ruina") == 0 || strcmp(law->name, "gms") == 0)) continue;
    laws++;
    for (int k = 0; k < ROWS(softer); k++)
      if (strcmp(softer[k].law, law->name) == 0) own = softer[k].numbers;
    snprintf(numbers, sizeof numbers, "%s: {%s}", law->name, own);
    snprintf(text, sizeof text, "capstan: 1\n" PULLEY(PD) LOADS ROPE("%s", "nodes") OVER RUN("2 ms"),
             numbers);
    for (int k = 0; k < law->n_params && n < MOST; k++) {
      snprintf(paths[n], sizeof paths[n], "cables.rope.contact.friction.%s.%s", law->name,
               law->params[k].name);
      wrt[n] = paths[n];
      n++;
    }
    by_bdf(text, changed, sizeof changed);
    check(law->name, bdf ? changed : text, wrt, n, of, ROWS(of), law->traits & CPS_MODES ? 1e-6 : 1e-5);
  }
  return laws;
}

static void test_laws(void **state) {
  (void)state;
  assert_true(check_laws(0) >= 17);
}

static void test_laws_bdf(void **state) {
  (void)state;
  assert_true(check_laws(1) >= 15);
}

/* A run that is too long for one tape is run again piece by piece. */
static void test_long(void **state) {
  static const char *const wrt[] = {"cables.rope.EA", "cables.rope.contact.friction.lugre-load.mu_d",
                                    "drums.pulley.drive.rotation.sine.omega"},
                           *const of[] = {"bodies.left.y", "mean(drums.pulley.torque)",
                                          "bodies.left.y@0.113"};
  (void)state;
  cps_scenario *s = parse("capstan: 1\n" PULLEY(
      "drive: {rotation: {sine: {amplitude: 0.1 rad, omega: 9 rad/s}}}") LOADS ROPE(LUGRE, "nodes") OVER
                          "run: {until: 1.5 s, step: 0.5 ms, solver: alpha, output: 20 ms}\n");
  cps_sens *forward = differentiate(s, "long", wrt, 3, of, 3, CPS_SENS_FORWARD),
           *adjoint = differentiate(s, "long", wrt, 3, of, 3, CPS_SENS_ADJOINT);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double f = cps_sens_gradient(forward, i, k), a = cps_sens_gradient(adjoint, i, k);
      if (!isfinite(f)) fail_msg("d(%s)/d(%s): %g", of[i], wrt[k], f);
      if (!(fabs(f - a) <= 1e-7 * fabs(f))) fail_msg("d(%s)/d(%s): %.12g and %.12g", of[i], wrt[k], f, a);
    }
  cps_sens_free(forward);
  cps_sens_free(adjoint);
  cps_scenario_free(s);
}

/* ------------------------------------------------------------------ what laws take over */

static double answer(const contact_law *l, double n, double f, const double *z) {
  double states[CPS_MAX_STATES];
  memcpy(states, z, sizeof states);
  cps_law_input in = {0, n, f, states, CPS_MODE_FREE};
  cps_law_output out;
  cps_law_eval(l->law, l->p, &in, &out, NULL);
  return out.f;
}

/* A law holds what it can; and the more it is loaded, the further it is deflected, without jumps but where elements let go. */
static void test_pull(void **state) {
  const double normal_p[CPS_MAX_PARAMS] = {1e6, 1.5, 1}, n = 100;
  (void)state;
  int held = 0;
  for (int i = 0; i < cps_law_count(); i++) {
    const cps_law *law = cps_law_at(i);
    contact_law l;
    double p[CPS_MAX_PARAMS], z[CPS_MAX_STATES], before = 0, turn = 0;
    int holds;
    if (law->n_states == 0 || law->traits & CPS_CREEPS) continue;
    cps_law_defaults(law, p);
    cps_contact_law_set(&l, cps_normal_at(0), normal_p, law, p);
    double most = cps_friction_holds(&l, n);
    for (int k = 1; k <= 400; k++) {
      double f = -0.6 * most * k / 400, sum = 0;
      cps_memory_pull(&l, n, f, z, NULL, &holds);
      if (!holds) fail_msg("%s does not hold %g N of %g N", law->name, f, most);
      if (!(fabs(answer(&l, n, f, z) - f) <= 1e-9 * fabs(f)))
        fail_msg("%s: %.12g N instead of %.12g N", law->name, answer(&l, n, f, z), f);
      for (int j = 0; j < law->n_states; j++) sum += fabs(z[j]);
      double step = sum - before;
      if (k > 1 && !(law->traits & CPS_MODES) && !(step > 0 && (turn == 0 || step < 3 * turn)))
        fail_msg("%s jumps at %g N: by %g after %g", law->name, f, step, turn);
      turn = step;
      before = sum;
    }
    held++;
    cps_memory_pull(&l, n, 0, z, NULL, &holds);
    for (int j = 0; j < law->n_states; j++) assert_true(z[j] == 0);
  }
  assert_true(held >= 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pull),         cmocka_unit_test(test_examples), cmocka_unit_test(test_laws),
      cmocka_unit_test(test_examples_bdf), cmocka_unit_test(test_laws_bdf), cmocka_unit_test(test_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
