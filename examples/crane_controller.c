/* crane_controller.c - a controller in the loop: a trolley with a load on a rope travels 3 m, once driven by a position
 * controller alone, once with a term that brakes the sway. The scenario names its input; the program reads columns, sets the
 * force every 5 ms, and the library does the rest.
 *
 *   cc crane_controller.c -lcapstan -lm && ./a.out
 */
#include <capstan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char crane[] =
    "capstan: 1\n"
    "title: A trolley with a load on a rope\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  trolley: {mass: 400 kg}\n"
    "  load: {mass: 200 kg, position: [0, -4 m]}\n"
    "springs:\n"
    "  rope: {between: [trolley, load], stiffness: 1 MN/m, damping: 2 kN s/m, length: 4 m}\n"
    "contacts:\n"
    "  rail: {between: [trolley, ground], normal: load, friction: {quinn: {mu: 0.01, "
    "epsilon: 10 mm/s}}}\n"
    "loads:\n"
    "  drive: {on: trolley, force: {input: {name: force, start: 0 N}}}\n"
    "run: {until: 20 s, solver: alpha, step: 5 ms}\n";

enum { X, V, LOAD_X, LOAD_V, COLUMNS };

/* Drives the trolley to 3 m; *sway: how far the load swings at most after 12 s, *reached: where the trolley then is. */
static int drive(const cps_system *system, double anti_sway, double *sway, double *reached, cps_error *err) {
  static const char *const names[COLUMNS] = {"bodies.trolley.x", "bodies.trolley.v", "bodies.load.x",
                                             "bodies.load.vx"};
  const double goal = 3, kp = 400, kd = 800;
  int column[COLUMNS], good = 0;
  cps_simulation *sim = cps_simulation_new(system, err);
  if (!sim || cps_simulation_keep(sim, 0, err) != CPS_OK) goto out;
  for (int i = 0; i < COLUMNS; i++) column[i] = cps_simulation_column(sim, names[i]);
  int force = cps_simulation_input(sim, "force");
  *sway = 0;
  for (int k = 1; k <= 4000; k++) {
    double y[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) y[i] = cps_simulation_get(sim, column[i]);
    double f = kp * (goal - y[X]) - kd * y[V] + anti_sway * ((y[LOAD_X] - y[X]) + (y[LOAD_V] - y[V]));
    if (cps_simulation_set(sim, force, fmax(-600, fmin(600, f)), CPS_HOLD, err) != CPS_OK ||
        cps_simulation_step(sim, k * 0.005, 0, NULL, err) != CPS_OK)
      goto out;
    if (k > 2400) *sway = fmax(*sway, fabs(y[LOAD_X] - y[X]));
    *reached = y[X];
  }
  good = 1;
out:
  cps_simulation_free(sim);
  return good;
}

int main(void) {
  cps_error err = {0};
  cps_problems *problems = NULL;
  cps_scenario *scenario = cps_scenario_parse(crane, strlen(crane), "crane.yaml", NULL, 0, &problems);
  if (!scenario) return fprintf(stderr, "%s\n", cps_problems_at(problems, 0)->text), 2;
  cps_system *system = cps_system_new(scenario, &err);
  double plain = 0, damped = 0, x = 0, x_damped = 0;
  int good = system && drive(system, 0, &plain, &x, &err) && drive(system, 900, &damped, &x_damped, &err);
  if (!good) fprintf(stderr, "%s\n", err.text);
  if (good)
    printf("sway after 12 s: %.1f mm without, %.1f mm with the controller\n", 1000 * plain, 1000 * damped);
  int better = good && damped < plain / 4 && fabs(x_damped - 3) < 0.05;
  cps_system_free(system);
  cps_scenario_free(scenario);
  return better ? 0 : 1;
}
