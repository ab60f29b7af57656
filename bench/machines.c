/* machines.c - machines that are not the motorised pulley: iterations per step, rejected steps and time, with the laws that stick.
 *
 * usage: machines [NAME [LAW]]    rows whose names contain these
 *
 * Pulleys have 640 elements and 500 steps of 10 ms; other machines choose their steps. A bench of how well Newton's method
 * and step size control do on what users build: the goal is at most 3 iterations per step and at most 5 % rejected steps.
 * The last column is processor time over that of the motorised pulley with Quinn's law.
 */
#include "pulley.h"

#include <stdlib.h>

#define ROPE                                                                                                 \
  "    EA: 9.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n    damping: {rayleigh: 10 N s}\n"
#define MOTION "{cycloid: {amplitude: 45 deg, duration: 10 s}}"
#define WIRE   "    EA: 1 MN\n    EI: 0.2 N m2\n    mass_per_length: 0.2 kg/m\n    damping: {axial: 500 N s}\n"

/* The pulley: its drum, in the plane or in space, and where contact is. */
#define PULLEY_AT(drum, points, stiffness)                                                                   \
  "capstan: 1\ngravity: [0, -9.81]\ndrums:\n  pulley: {radius: 250 mm, " drum "}\n"                          \
  "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n"                                                    \
  "cables:\n  rope:\n" ROPE "    elements: 640\n    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"  \
  "    contact:\n      at: " points "\n      normal: {hunt-crossley: {stiffness: " stiffness                 \
  ", exponent: 1.5, damping: 1}}\n      friction: %s\nrun: {until: 5 s, step: 10 ms, output: 1 s}\n"
#define PULLEY(drum) PULLEY_AT(drum, "nodes", "312500")
#define PD           "drive: {pd: {kp: 400, kd: 40, setpoint: " MOTION "}}"
#define CONTACT                                                                                              \
  "    contact:\n      at: nodes\n      normal: {hunt-crossley: {stiffness: 2e7, "                           \
  "exponent: 1.5, damping: "                                                                                 \
  "1}}\n"                                                                                                    \
  "      friction: %s\n"
#define SHEAVE(place) "{radius: 150 mm, center: " place ", inertia: 0.05 kg m2, drive: free"
#define BEARING       ", bearing: {friction: %s, radius: 20 mm}"

typedef struct row {
  const char *name, *text;
} row;

static const row rows[] = {
    {"motorised pulley", PULLEY(PD)},
    {"two points per element", PULLEY_AT(PD, "{quadrature: 2}", "1.5e8")},
    {"drum with pd and inertia",
     PULLEY("inertia: 0.5 kg m2, drive: {pd: {kp: 4000, kd: 400, setpoint: " MOTION "}}")},
    {"drum with torque",
     PULLEY("inertia: 0.5 kg m2, drive: {torque: {cycloid: {amplitude: 5 N m, duration: 5 s}}}")},
    {"free drum with a shock", PULLEY("inertia: 0.5 kg m2, rate: 0.3 rad/s, drive: free")},
    {"pulley in space", PULLEY("center: [0, 0, 0], " PD)},
    {"helix of three turns",
     "capstan: 1\ngravity: [0, -9.81, 0]\ndrums:\n  drum: {radius: 200 mm, center: [0, 0, 0], drive: "
     "{rotation: "
     "{cycloid: {amplitude: 90 deg, duration: 5 s}}}}\n"
     "bodies: {left: {mass: 10 kg}, right: {mass: 40 kg}}\n"
     "cables:\n  rope:\n" WIRE "    elements: 240\n"
     "    path: [left, hang 1 m, {over: drum, turns: 3, pitch: 20 mm}, hang 1 m, right]\n" CONTACT
     "run: {until: 5 s, output: 0.1 s}\n"},
    {"belt drive", "capstan: 1\ndrums:\n"
                   "  motor: {radius: 100 mm, inertia: 0.05 kg m2, drive: {pd: {kp: 500, kd: 50, setpoint: "
                   "{step5: {from: [0 s, 0], to: [4 s, "
                   "20 rad]}}}}}\n"
                   "  wheel: {radius: 200 mm, center: [0.8 m, 0], inertia: 0.5 kg m2, drive: free}\n"
                   "cables:\n  belt:\n" WIRE "    elements: 160\n    closed: true\n    tension: 500 N\n"
                   "    path: [{around: motor, turn: clockwise}, {around: wheel, turn: clockwise}]\n" CONTACT
                   "run: {until: 5 s, output: 0.1 s}\n"},
    {"tackle with bearings",
     "capstan: 1\nbodies: {hook: {mass: 5 kg, position: [0, 0]}, load: {mass: 100 kg}}\n"
     "drums:\n"
     "  winch: {radius: 150 mm, center: [1 m, 2 m], drive: {rotation: {cycloid: {amplitude: -4 rad, "
     "duration: 4 "
     "s}}}}\n"
     "  top: " SHEAVE("[0.3 m, 2 m]") BEARING "}\n  low: " SHEAVE(
         "[0, 0]") ", carried_by: hook" BEARING "}\n"
                   "cables:\n  rope:\n" WIRE "    mesh: {size: 100 mm, on_drums: 20 mm}\n"
                   "    path: [{pinned: [-0.15 m, 2 m]}, under low, over top, {around: winch, turn: "
                   "clockwise, turns: 2}, {rim: "
                   "winch}]\n" CONTACT "  strop:\n" WIRE
                   "    elements: 4\n    path: [hook, hang 0.5 m, load]\nrun: {until: 5 s, output: 0.1 s}\n"},
    {"carried drum",
     "capstan: 1\nbodies: {block: {mass: 5 kg, position: [0, 0]}, load: {mass: 50 kg}}\n"
     "drums:\n  drum: {radius: 250 mm, center: [0, 0], inertia: 0.3 kg m2, drive: free, carried_by: block}\n"
     "cables:\n  rope:\n" WIRE "    elements: 120\n    path: [{pinned: [-0.25 m, 1.5 m]}, under drum, "
     "{pinned: {at: [0.25 m, 1.5 m], moved: "
     "{y: {cycloid: {amplitude: 0.5 m, duration: 4 s}}}}}]\n" CONTACT "  strop:\n" WIRE
     "    elements: 4\n    path: [block, hang 0.5 m, load]\nrun: {until: 5 s, output: 0.1 s}\n"},
    {"elevator with deflector",
     "capstan: 1\nbodies: {counter: {mass: 600 kg}, cabin: {mass: 900 kg}}\n"
     "drums:\n  sheave: {radius: 300 mm, center: [0, 0], drive: {rotation: {cycloid: {amplitude: 8 rad, "
     "duration: 4 "
     "s}}}}\n"
     "  deflector: {radius: 250 mm, center: [1.2 m, -0.8 m], inertia: 0.5 kg m2, drive: free}\n"
     "cables:\n  rope:\n    EA: 39.27 MN\n    EI: 9.8 N m2\n    mass_per_length: 2 kg/m\n    damping: "
     "{axial: 20 kN s}\n"
     "    mesh: {size: 100 mm, on_drums: 30 mm}\n"
     "    path: [cabin, hang 6 m, over sheave, {around: deflector, turn: clockwise}, hang 3 m, "
     "counter]\n" CONTACT "run: {until: 5 s, output: 0.1 s}\n"},
};

static const char *const laws[] = {"{quinn: {mu: 0.25, epsilon: 10 mm/s}}",
                                   "{cdq: {mu: 0.25, epsilon: 10 mm/s}}", "{coulomb: {mu: 0.25}}",
                                   "lugre-load", "{tanh: {mu: 0.25}}"};

typedef struct measured {
  double cpu;
  cps_counters n;
  cps_status status;
  cps_error err;
  double reached;
} measured;

/* 0 if it cannot start. */
static int measure(const row *r, const char *law, measured *out) {
  char text[4 * TEXT_SIZE];
  cps_problems *problems = NULL;
  const char *from = r->text;
  size_t n = 0;
  for (const char *at; (at = strstr(from, "%s")); from = at + 2) /* a law more often than once */
    n += (size_t)snprintf(text + n, sizeof text - n, "%.*s%s", (int)(at - from), from, law);
  n += (size_t)snprintf(text + n, sizeof text - n, "%s", from);
  memset(out, 0, sizeof *out);
  cps_scenario *scenario = cps_scenario_parse(text, n, r->name, NULL, 0, &problems);
  if (!scenario) {
    char problem[1000];
    cps_problem_text(cps_problems_at(problems, 0), problem, sizeof problem);
    fprintf(stderr, "%s\n", problem);
  }
  cps_problems_free(problems);
  cps_system *system = scenario ? cps_system_new(scenario, &out->err) : NULL;
  cps_simulation *sim = system ? cps_simulation_new(system, &out->err) : NULL;
  if (sim) {
    double start = seconds_now();
    out->status = cps_simulation_run(sim, NULL, NULL, &out->err);
    out->cpu = seconds_now() - start;
    const cps_result *result = cps_simulation_result(sim);
    long last = cps_result_rows(result) - 1;
    out->reached = last >= 0 ? cps_result_data(result, 0)[last] : 0;
    cps_result_counters(result, &out->n);
  }
  cps_simulation_free(sim);
  cps_system_free(system);
  cps_scenario_free(scenario);
  return sim != NULL;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "", *law = argc > 2 ? argv[2] : "";
  measured m, showcase;
  if (!measure(&rows[0], laws[0], &showcase)) return 1;
  printf("\nmachines: iterations per step, rejected steps, time\n  %-26s %-12s %8s %9s %10s %10s %9s\n", "",
         "", "steps", "rejected", "iterations", "time [s]", "showcase");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
      if (!strstr(rows[i].name, name) || !strstr(laws[k], law)) continue;
      char word[20];
      snprintf(word, sizeof word, "%.*s", (int)strcspn(laws[k] + (*laws[k] == '{'), ":"),
               laws[k] + (*laws[k] == '{'));
      if (!measure(&rows[i], laws[k], &m)) {
        printf("  %-26s %-12s does not start: %s\n", rows[i].name, word, m.err.text);
        continue;
      }
      double steps = (double)m.n.steps, tries = steps + (double)m.n.rejected;
      printf("  %-26s %-12s %8ld %7.1f %% %10.2f %10.3f %9.1f%s\n", rows[i].name, word, m.n.steps,
             100 * (double)m.n.rejected / tries, (double)m.n.newton / steps, m.cpu, m.cpu / showcase.cpu,
             m.status == CPS_OK ? "" : "  failed");
      if (m.status != CPS_OK) printf("    at %.3g s: %s\n", m.reached, m.err.text);
      fflush(stdout);
    }
  }
  return 0;
}
