/* kernels.c - what a Newton iteration of a cable costs, by what it is: plane or space, contact at nodes or in elements, with and without a
 * border, damping, memory.
 *
 * usage: kernels [NAME [SET]]    rows whose names contain it; kernels 0 as in runs, 1 plain, 2 fused (AVX2, NEON), 3 AVX-512
 *        kernels check            compares one iteration of every machine by every set of kernels with the pass from node to node
 *
 * The motorised pulley of machines.c with 640 elements, and a belt with as many, a quarter of whose nodes touch. Each machine makes
 * some steps and then iterates where it is: nanoseconds of processor time per element and iteration, the best of several rounds in
 * which the machines take turns. Goals are multiples of the first row, so that they do not depend on the processor. For instructions:
 *
 *   valgrind --tool=callgrind --toggle-collect=iterate_often build/bench/kernels NAME
 */
#include "pulley.h"

#include <math.h>
#include <stdlib.h>

enum { ELEMENTS = 640, STEPS = 20, ROUNDS = 7, REPEATS = 40 };

#define CABLE(damping, path)                                                                                 \
  "cables:\n  rope:\n    EA: 9.2 MN\n    EI: 0.7 N m2\n    mass_per_length: 0.4555 kg/m\n"                   \
  "    damping: {" damping "}\n    elements: 640\n" path
#define HANGING "    path: [left, hang 1 m, over pulley, hang 1 m, right]\n"
#define TOUCH(points, stiffness, law)                                                                        \
  "    contact:\n      at: " points "\n      normal: {hunt-crossley: {stiffness: " stiffness                 \
  ", exponent: 1.5, damping: 1}}\n      friction: " law "\nrun: {until: 5 s, step: 10 ms, output: 1 s}\n"
#define PULLEY(drum, damping, points, stiffness, law)                                                        \
  "capstan: 1\ngravity: [0, -9.81]\ndrums:\n  pulley: {radius: 250 mm, " drum "}\n"                          \
  "bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}\n" CABLE(damping, HANGING)                            \
      TOUCH(points, stiffness, law)
#define DRIVE "drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 45 deg, duration: 10 s}}}}"
#define SPACE "center: [0, 0, 0], " DRIVE
#define INERTIA                                                                                              \
  "inertia: 0.5 kg m2, drive: {pd: {kp: 4000, kd: 400, setpoint: {cycloid: {amplitude: 45 deg, duration: "   \
  "10 s}}}}"
#define RAYLEIGH "rayleigh: 10 N s"
#define QUINN    "{quinn: {mu: 0.25, epsilon: 10 mm/s}}"

typedef struct row {
  const char *name, *text;
  double goal; /* times the first row; the first: nanoseconds on the machine of README.md */
} row;

static const row rows[] = {
    {"showcase", PULLEY(DRIVE, RAYLEIGH, "nodes", "312500", QUINN), 80},
    {"no contact",
     "capstan: 1\ngravity: [0, -9.81]\nbodies: {load: {mass: 10 kg}}\n" CABLE(
         RAYLEIGH,
         "    path: [{pinned: [0, 0]}, hang 2.8 m, load]\n") "run: {until: 5 s, step: 10 ms, output: 1 s}\n",
     1},
    {"border", PULLEY(INERTIA, RAYLEIGH, "nodes", "312500", QUINN), 1.3},
    {"belt",
     "capstan: 1\ndrums:\n  a: {radius: 100 mm, inertia: 0.05 kg m2, drive: {pd: {kp: 500, kd: 50, setpoint: "
     "{step5: {from: [0 s, 0], to: [4 s, 20 rad]}}}}}\n"
     "  b: {radius: 100 mm, center: [0.94 m, 0], inertia: 0.05 kg m2, drive: free}\n" CABLE(
         RAYLEIGH, "    closed: true\n    tension: 500 N\n"
                   "    path: [{around: a, turn: clockwise}, {around: b, turn: clockwise}]\n")
         TOUCH("nodes", "312500", QUINN),
     1.3},
    {"objective damping", PULLEY(DRIVE, "axial: 500 N s, bending: 0.01", "nodes", "312500", QUINN), 1.3},
    {"memory", PULLEY(DRIVE, RAYLEIGH, "nodes", "312500", "lugre-load"), 1.3},
    {"one point in elements", PULLEY(DRIVE, RAYLEIGH, "{quadrature: 1}", "1.5e8", QUINN), 2},
    {"two points in elements", PULLEY(DRIVE, RAYLEIGH, "{quadrature: 2}", "1.5e8", QUINN), 2},
    {"space", PULLEY(SPACE, RAYLEIGH, "nodes", "312500", QUINN), 3.5},
    {"space, two points", PULLEY(SPACE, RAYLEIGH, "{quadrature: 2}", "1.5e8", QUINN), 7},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

typedef struct subject {
  cps_scenario *scenario;
  machine m;
  alpha_stepper r;
  double best; /* [s] of an iteration */
} subject;

static int make(subject *s, const row *r, kernel_set kernels) {
  cps_error error = {.text = ""};
  cps_problems *problems = NULL;
  s->best = INFINITY;
  s->scenario = cps_scenario_parse(r->text, strlen(r->text), r->name, NULL, 0, &problems);
  if (!s->scenario) cps_problem_text(cps_problems_at(problems, 0), error.text, sizeof error.text);
  cps_problems_free(problems);
  int made = s->scenario && cps_machine_make(&s->m, s->scenario, &error) == CPS_OK;
  int good = made && cps_machine_statics(&s->m, 0, &error) == CPS_OK;
  if (made && kernels <= cps_kernels_most()) s->m.kernels = kernels;
  s->r = (alpha_stepper){.m = &s->m};
  for (int i = 0; good && i < STEPS; i++)
    good = cps_alpha_step(&s->r, 0.01, s->r.t + 0.01) || cps_alpha_step(&s->r, 0.001, s->r.t + 0.001);
  if (good) return 1;
  fprintf(stderr, "kernels: %s: %s\n", r->name, *error.text ? error.text : "a step does not converge");
  if (made) cps_machine_free(&s->m);
  cps_scenario_free(s->scenario);
  return 0;
}

/* Iterations that change nothing any more. */
__attribute__((noinline)) static void iterate_often(subject *s) {
  for (int k = 0; k < REPEATS; k++) {
    residual_norms left;
    cps_machine_iterate(&s->m, &s->r.coeffs, INFINITY, &left);
    for (int i = 0; i < s->m.n_cables; i++) cps_contact_wrong(&s->m, &s->m.cable[i], &s->r.coeffs, 0);
  }
}

/* ------------------------------------------------------------------ check */

/* One iteration of the first cable from the state that was kept: changes of its nodes, then of its friction forces. */
static int step_by(subject *s, int careful, kernel_set set, double *x) {
  machine *m = &s->m;
  cable *c = &m->cable[0];
  int nodes = (c->n + 1) * c->b;
  step_coeffs coeffs = s->r.coeffs;
  residual_norms left = {0};
  coeffs.careful = careful;
  m->kernels = set;
  cps_machine_bring_back(m);
  int solved = cps_machine_iterate(m, &coeffs, INFINITY, &left);
  for (int i = 0; i < nodes; i++) x[i] = c->q[i] - c->q0[i];
  for (int i = 0; i < c->n_points * AXES; i++) x[nodes + i] = c->point[i / AXES].f[i % AXES] - c->f0[i];
  return solved;
}

/* Moves the nodes by `size`, relative to their places, here and there. */
static void shake(cable *c, double *q, double size) {
  for (int i = 0; i < (c->n + 1) * c->b; i++) q[i] += size * (0.1 + fabs(q[i])) * sin(7.0 * i);
}

/* The largest difference of changes of nodes and of friction forces: [0] and [1]. */
static void differ(const cable *c, const double *a, const double *b, double most[2]) {
  int nodes = (c->n + 1) * c->b;
  most[0] = most[1] = 0;
  for (int i = 0; i < nodes + c->n_points * AXES; i++) {
    double *y = &most[i >= nodes], d = fabs(a[i] - b[i]);
    if (!(d <= *y)) *y = d;
  }
}

/* Whether all sets of kernels make the same step from a state that is not in balance. What the last digits of places do to the
 * step counts as nothing; the pass from node to node prefers friction forces that are there by 1e-6 (see prefer in cable_pass.h). */
static int check(subject *s, const char *name) {
  cable *c = &s->m.cable[0];
  size_t size = (size_t)((c->n + 1) * c->b + c->n_points * AXES);
  double *room = calloc(3 * size, sizeof *room), *right = room, *got = room + size, *none = got + size;
  double most[2], blur[2], off[2];
  int good = room != NULL;
  if (!good) return 0;
  shake(c, c->q, 1e-6);
  cps_machine_keep(&s->m);
  good &= step_by(s, 1, KERNELS_BEST, right);
  for (int i = 0; i < s->m.n_cables; i++) s->m.cable[i].frozen = 1; /* scales of friction are a choice */
  good &= step_by(s, 1, KERNELS_BEST, right);
  shake(c, c->q0, 1e-15);
  good &= step_by(s, 1, KERNELS_BEST, got);
  differ(c, right, none, most);
  differ(c, got, right, blur);
  memcpy(right, got, size * sizeof *right);
  for (kernel_set k = KERNELS_BEST; k <= cps_kernels_most(); k++) {
    good &= step_by(s, 0, k, got);
    differ(c, got, right, off);
    for (int i = 0; i < 2; i++) good &= off[i] <= 1e-7 * most[i] + 10 * blur[i];
    printf("  %-24s set %d  nodes %8.1e of %8.1e m  friction %8.1e of %8.1e N\n", name, (int)k, off[0],
           most[0], off[1], most[1]);
  }
  free(room);
  if (!good) fprintf(stderr, "kernels: %s: sets of kernels make different steps\n", name);
  return good;
}

static int check_all(void) {
  int good = 1;
  printf("kernels of this processor: up to set %d\n", (int)cps_kernels_most());
  for (int i = 0; i < N_ROWS; i++) {
    subject s;
    if (!make(&s, &rows[i], KERNELS_BEST)) return EXIT_FAILURE;
    good &= check(&s, rows[i].name);
    cps_machine_free(&s.m);
    cps_scenario_free(s.scenario);
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "check") == 0) return check_all();
  static subject subjects[N_ROWS];
  int wanted[N_ROWS];
  for (int i = 0; i < N_ROWS; i++) {
    wanted[i] = argc < 2 ? 1 : strstr(rows[i].name, argv[1]) != NULL;
    if (wanted[i] && !make(&subjects[i], &rows[i], argc > 2 ? (kernel_set)atoi(argv[2]) : KERNELS_BEST))
      return EXIT_FAILURE;
  }
  for (int k = 0; k < ROUNDS * N_ROWS; k++) {
    if (!wanted[k % N_ROWS]) continue;
    subject *s = &subjects[k % N_ROWS];
    double start = seconds_now();
    iterate_often(s);
    s->best = fmin(s->best, (seconds_now() - start) / REPEATS);
  }
  printf("\na Newton iteration of %d elements\n  %-24s %12s %10s %8s\n", ELEMENTS, "", "ns/element",
         "showcase", "goal");
  for (int i = 0; i < N_ROWS; i++) {
    if (!wanted[i]) continue;
    double each = 1e9 * subjects[i].best / ELEMENTS, times = subjects[i].best / subjects[0].best;
    char text[200];
    if (wanted[0]) printf("  %-24s %12.1f %10.2f %8.1f\n", rows[i].name, each, times, rows[i].goal);
    snprintf(text, sizeof text,
             i == 0 ? "%s: %%.0f ns per element and iteration, wanted %%.0f"
                    : "%s: %%.2f of the showcase's iteration, wanted %%.1f",
             rows[i].name);
    if (wanted[0]) goal((i == 0 ? each : times) <= rows[i].goal, text, i == 0 ? each : times, rows[i].goal);
    cps_machine_free(&subjects[i].m);
    cps_scenario_free(subjects[i].scenario);
  }
  return EXIT_SUCCESS;
}
