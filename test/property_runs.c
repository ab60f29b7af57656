/* property_runs.c - random machines of the families of scenarios/gallery in motion, each against its refined self: half the length of
 * elements, and steps a hundred times as accurate (fixed steps: a quarter as long). A run is right if where things start, how far they
 * go, and mean forces agree with those of the refined one; otherwise the tool must have said so, or have failed with a sentence. Masses, stiffness,
 * bending and meshes vary over orders of magnitude; all laws, all solvers, plane and space. CAPSTAN_RUNS sets how many,
 * CAPSTAN_RUNS_FROM the first, CAPSTAN_RUNS_SECONDS the processor time that each may take, CAPSTAN_RUNS_SHOW=1 lists those that are not
 * right. */
#include "test.h"
#include "text_writer.h"

#include <time.h>

#ifdef SANITIZED
enum { RUNS = 6 };
#else
enum { RUNS = 60 };
#endif

/* Of what moves, or of the largest force. Slow: steps that a run of a second is given. */
static const double right_within = 0.03;
enum { MOST_STEPS = 6000 };
static const double g = 9.81;

/* A machine as text: `fine` is 1 for the refined one. */
typedef struct making {
  writer w;
  rng r;
  int fine, space;
} making;

static double log_of(making *x, double lo, double hi) { return rng_log(&x->r, lo, hi); }
static double between(making *x, double lo, double hi) { return rng_between(&x->r, lo, hi); }
static int below(making *x, int n) { return rng_below(&x->r, n); }

static const cps_law *any_law(making *x) { return cps_law_at(below(x, cps_law_count())); }

/* What a rope that carries `load` over drums of `radius` is made of, its mesh and its contact. */
static void rope(making *x, double load, double radius, double longest) {
  double length = radius * log_of(x, 0.07, 0.3), rho = log_of(x, 1e-4, 1e-2) * load / g;
  double bending = below(x, 2) ? load * radius * radius * log_of(x, 1e-5, 1e-3) : 0;
  double stretch = log_of(x, 1e-4, 5e-3), damped = log_of(x, 1e-3, 0.1);
  double depth = radius * log_of(x, 3e-4, 5e-3);
  const char *at = below(x, 3) ? "nodes" : "{even: 2}";
  const cps_law *law = below(x, 2) ? cps_law_find("quinn") : any_law(x);
  double most = fmin(8 * length, longest);
  if (x->fine) length *= 0.5, most *= 0.5;
  /* the contact of a node stands for its piece of the cable, that of a point between nodes for a meter */
  double line = load / radius / pow(depth, 1.5);
  put(&x->w,
      "EA: %.6g, EI: %.6g, mass_per_length: %.8g, damping: {axial: %.5g},\n    mesh: {size: %.5g, on_drums: "
      "%.5g}",
      load / stretch, bending, rho, damped * load / stretch * 0.1, most, length);
  put(&x->w, ",\n    contact: {at: %s, normal: {hunt-crossley: {stiffness: %.5g}}, friction: %s}", at,
      strcmp(at, "nodes") == 0 ? line * length : line, law->name);
}

static const char *depth_of(const making *x) { return x->space ? ", 0" : ""; }

/* A drum winds its load up or down. */
static void hoist(making *x) {
  double mass = log_of(x, 1, 5000), radius = log_of(x, 0.05, 0.6), hang = radius * log_of(x, 6, 40);
  put(&x->w,
      "drums: {drum: {radius: %.6g, center: [0, 0%s], drive: {rotation: {cycloid: {amplitude: %.6g, "
      "duration: 1}}}}}\n",
      radius, depth_of(x), between(x, -3, 3));
  put(&x->w, "bodies: {load: {mass: %.6g}}\ncables:\n  rope: {", mass);
  rope(x, mass * g, radius, hang / 4);
  put(&x->w, ",\n    path: [{rim: drum}, {around: drum, turn: clockwise, turns: 2}, hang %.6g, load]}\n",
      hang);
}

/* Two masses on a drum that stands, turns as prescribed, by a controller, or by itself. */
static void atwood(making *x) {
  static const char *const drives[] = {
      "drive: fixed", "drive: {rotation: {cycloid: {amplitude: 2, duration: 0.8}}}",
      "drive: {pd: {kp: 400, kd: 40, setpoint: {cycloid: {amplitude: 2, duration: 0.8}}}}",
      "drive: free, inertia: %.6g"};
  double mass = log_of(x, 1, 5000), other = mass * log_of(x, 0.7, 1.4), radius = log_of(x, 0.05, 0.6),
         hang = radius * log_of(x, 8, 40);
  put(&x->w, "drums: {drum: {radius: %.6g, center: [0, 0%s], ", radius, depth_of(x));
  put(&x->w, drives[below(x, ROWS(drives))], mass * radius * radius * log_of(x, 0.03, 1));
  put(&x->w, "}}\nbodies: {a: {mass: %.6g}, b: {mass: %.6g}}\ncables:\n  rope: {", mass, other);
  rope(x, mass * g, radius, hang / 4);
  put(&x->w, ",\n    path: [a, hang %.6g, over drum, hang %.6g, b]}\n", hang, hang);
}

/* A block in a bight that is hauled, with friction in its bearing. */
static void tackle(making *x) {
  double mass = log_of(x, 1, 5000), radius = log_of(x, 0.05, 0.4), hang = radius * log_of(x, 8, 30);
  put(&x->w,
      "drums:\n  low: {radius: %.6g, center: [0, %.6g%s], drive: free, inertia: %.6g, carried_by: hook",
      radius, -hang, depth_of(x), 0.1 * mass * radius * radius);
  if (below(x, 2)) put(&x->w, ", bearing: {friction: {quinn: {mu: 0.1}}, radius: %.6g}", 0.2 * radius);
  put(&x->w, "}\nbodies: {hook: {mass: %.6g}}\ncables:\n  rope: {", mass);
  rope(x, mass * g / 2, radius, hang / 4);
  put(&x->w,
      ",\n    path: [{pinned: [%.6g, 0%s]}, under low, {pinned: {at: [%.6g, 0%s], moved: {y: {step5: {from: "
      "[0, "
      "0], to: [1, %.6g]}}}}}]}\n",
      -radius, depth_of(x), radius, depth_of(x), radius * between(x, 1, 6));
}

/* A motor drives a wheel that is braked. */
static void belt(making *x) {
  double tension = log_of(x, 50, 5000), radius = log_of(x, 0.05, 0.3), apart = radius * between(x, 4, 8);
  put(&x->w,
      "drums:\n  motor: {radius: %.6g, drive: {rotation: {cycloid: {amplitude: %.6g, duration: 1}}}}\n",
      radius, between(x, 1, 4));
  put(&x->w, "  wheel: {radius: %.6g, center: [%.6g, 0%s], inertia: %.6g, drive: {torque: %.6g}}\n",
      radius * between(x, 0.8, 1.4), apart, depth_of(x), tension * radius * log_of(x, 1e-3, 3e-2),
      tension * radius * between(x, -0.1, 0.1));
  put(&x->w, "cables:\n  rope: {closed: true, tension: %.6g, ", tension);
  rope(x, tension, radius, apart / 4);
  put(&x->w,
      ",\n    path: [{around: motor, turn: counterclockwise}, {around: wheel, turn: counterclockwise}]}\n");
}

/* A trolley on its rail, pulled, with a load on a rope. */
static void trolley(making *x) {
  double mass = log_of(x, 10, 5000), load = mass * log_of(x, 0.2, 3), hang = log_of(x, 1, 10),
         mu = between(x, 0, 0.05);
  put(&x->w, "bodies:\n  trolley: {mass: %.6g, at: [0, 0], direction: [1, 0]}\n  load: {mass: %.6g}\n", mass,
      load);
  put(&x->w,
      "contacts: {rail: {between: [trolley, ground], normal: load, friction: {quinn: {mu: %.4g, epsilon: "
      "5e-3}}}}\n",
      mu);
  put(&x->w, "loads: {pull: {on: trolley, force: {step5: {from: [0, 0], to: [0.2, %.6g]}}}}\n",
      (mass + load) * g * (mu + between(x, 0.02, 0.1)));
  put(&x->w,
      "cables:\n  rope: {EA: %.6g, mass_per_length: %.6g, damping: {axial: %.6g}, elements: %d,\n    path: "
      "[trolley, hang %.6g, load]}\n",
      load * g / log_of(x, 1e-4, 3e-3), load * log_of(x, 1e-3, 1e-2) / hang, load * g * 10,
      (x->fine ? 2 : 1) * (4 + below(x, 12)), hang);
}

/* A few turns in space. */
static void helix(making *x) {
  double mass = log_of(x, 1, 500), radius = log_of(x, 0.1, 0.4), hang = radius * between(x, 5, 10);
  put(&x->w,
      "gravity: [0, %.4g, 0]\ndrums: {drum: {radius: %.6g, center: [0, 0, 0], drive: {rotation: {cycloid: "
      "{amplitude: %.4g, duration: 1}}}}}\n",
      -g, radius, between(x, -2, 2));
  put(&x->w, "bodies: {a: {mass: %.6g}, b: {mass: %.6g}}\ncables:\n  rope: {", mass, mass * log_of(x, 1, 4));
  rope(x, mass * g, radius, hang / 4);
  put(&x->w, ",\n    path: [a, hang %.6g, {over: drum, turns: %d, pitch: %.4g}, hang %.6g, b]}\n", hang,
      1 + below(x, 2), 0.15 * radius, hang);
}

/* Heave of what a load hangs from, in the plane or in space. */
static void heave(making *x) {
  double load = log_of(x, 1, 5000), hang = log_of(x, 1, 20);
  put(&x->w,
      "bodies: {load: {mass: %.6g}}\ncables:\n  rope: {EA: %.6g, EI: %.6g, mass_per_length: %.6g, damping: "
      "{axial: %.6g}, elements: %d,\n",
      load, load * g / log_of(x, 1e-4, 5e-3), below(x, 2) * log_of(x, 1e-3, 1),
      load * log_of(x, 1e-4, 3e-2) / hang, load * g * between(x, 1, 20),
      (x->fine ? 2 : 1) * (4 + below(x, 12)));
  put(&x->w,
      "    path: [{pinned: {at: [0, 0%s], moved: {%c: {sine: {amplitude: %.4g, omega: %.4g}}}}}, hang %.6g, "
      "load]}\n",
      depth_of(x), "xy"[below(x, 2)], between(x, 0.01, 0.1), between(x, 1, 6), hang);
}

/* How bodies and what has few variables are run: by any solver. */
static void any_solver(making *x, double step) {
  static const char *const solvers[] = {"events", "alpha", "bdf", "rk4"};
  const char *solver = solvers[below(x, ROWS(solvers))];
  put(&x->w, "run: {until: 1, output: 20 ms, solver: %s, max_steps: %d", solver, 40 * MOST_STEPS);
  if (strcmp(solver, "rk4") == 0)
    put(&x->w, ", step: %g}\n", x->fine ? step / 4 : step);
  else
    put(&x->w, "%s}\n", x->fine ? ", tolerance: 1e-10" : "");
}

/* Blocks between springs on a belt, with any law and any solver that takes it. */
static void blocks(making *x) {
  int n = 1 + below(x, 4);
  const cps_law *law = any_law(x);
  double mass = log_of(x, 0.1, 100), omega = between(x, 3, 30);
  put(&x->w, "surfaces: {belt: {velocity: {sine: {amplitude: %.4g, omega: %.4g, offset: %.4g}}}}\nbodies:\n",
      between(x, 0.1, 1), between(x, 1, 6), between(x, 0, 0.3));
  for (int i = 0; i < n; i++) put(&x->w, "  b%d: {mass: %.6g}\n", i, mass * between(x, 0.5, 2));
  put(&x->w, "springs:\n");
  for (int i = 0; i < n; i++) {
    char before[20] = "{ground: 0}";
    if (i > 0) snprintf(before, sizeof before, "b%d", i - 1);
    put(&x->w, "  s%d: {between: [%s, b%d], stiffness: %.6g, damping: %.6g}\n", i, before, i,
        mass * omega * omega, mass * omega * between(x, 0, 0.2));
  }
  put(&x->w, "contacts:\n");
  for (int i = 0; i < n; i++)
    put(&x->w, "  c%d: {between: [b%d, belt], normal: weight, friction: %s}\n", i, i, law->name);
  any_solver(x, 1e-4);
}

/* A line in turns on a capstan, pulled at both ends by forces. */
static void mooring(making *x) {
  double pull = log_of(x, 10, 2e4), radius = log_of(x, 0.05, 0.4), out = radius * between(x, 4, 10),
         shift = 0.15 * radius;
  int turns = below(x, 3);
  put(&x->w,
      "gravity: 0\ndrums: {drum: {radius: %.6g, center: [0, 0, 0], drive: {rotation: {cycloid: {amplitude: "
      "%.4g, duration: 1}}}}}\n",
      radius, between(x, -1, 1));
  put(&x->w, "cables:\n  rope: {");
  rope(x, pull, radius, out / 4);
  double held = pull * between(x, 0.05, 1);
  put(&x->w,
      ",\n    path: [{free: {at: [%.6g, %.6g, 0], force: {x: %.6g}}}, {around: drum, turn: clockwise, turns: "
      "%d, pitch: %.4g}, ",
      out, -radius, pull, turns, shift);
  put(&x->w, "{free: {at: [%.6g, %.6g, %.6g], force: {x: %.6g}}}]}\n", out, radius, (turns + 0.5) * shift,
      held);
}

/* A load falls into its rope. */
static void snap(making *x) {
  double mass = log_of(x, 1, 2000), length = log_of(x, 1, 10), fall = length * between(x, 0.02, 0.2);
  put(&x->w, "bodies: {load: {mass: %.6g, position: [0, %.6g%s]}}\ncables:\n  rope: {", mass, fall - length,
      depth_of(x));
  put(&x->w,
      "EA: %.6g, EI: %.6g, mass_per_length: %.6g, damping: {axial: %.6g}, elements: %d, length: %.6g, start: "
      "drawn, path: [{pinned: [0, 0%s]}, load]}\n",
      mass * g / log_of(x, 3e-4, 1e-2), below(x, 2) * log_of(x, 1e-3, 1),
      mass * log_of(x, 1e-4, 1e-2) / length, mass * g * log_of(x, 0.1, 10),
      (x->fine ? 2 : 1) * (6 + below(x, 10)), length, depth_of(x));
}

/* A weight in the middle of a cable between two points, one of which moves. */
static void sagging(making *x) {
  double mass = log_of(x, 1, 1000), span = log_of(x, 1, 20), each = span * between(x, 0.51, 0.7);
  put(&x->w, "bodies: {weight: {mass: %.6g, position: [%.6g, %.6g%s]}}\ncables:\n", mass, span / 2,
      -sqrt(each * each - span * span / 4), depth_of(x));
  double ea = mass * g / log_of(x, 1e-4, 5e-3), rho = mass * log_of(x, 1e-3, 0.3) / span,
         bending = below(x, 2) * log_of(x, 1e-3, 1);
  int n = (x->fine ? 2 : 1) * (6 + below(x, 10));
  put(&x->w,
      "  left: &half {EA: %.6g, EI: %.6g, mass_per_length: %.6g, damping: {axial: %.6g}, elements: %d, "
      "length: %.6g, path: [{pinned: [0, 0%s]}, weight]}\n",
      ea, bending, rho, mass * g * between(x, 0.5, 10), n, each, depth_of(x));
  put(&x->w,
      "  right:\n    <<: *half\n    path: [weight, {pinned: {at: [%.6g, 0%s], moved: {%c: {sine: {amplitude: "
      "%.4g, omega: %.4g}}}}}]\n",
      span, depth_of(x), "yz"[x->space], span * between(x, 0.002, 0.02), between(x, 1, 6));
}

/* A carriage between a winch and a weight over a pulley: two cables on a body that rubs. */
static void carriage(making *x) {
  double mass = log_of(x, 5, 2000), weight = mass * log_of(x, 0.1, 0.5), radius = log_of(x, 0.05, 0.2),
         apart = radius * between(x, 12, 25);
  put(&x->w,
      "drums:\n  winch: {radius: %.6g, center: [%.6g, 0], drive: {rotation: {cycloid: {amplitude: %.4g, "
      "duration: 1}}}}\n",
      radius, apart, between(x, -4, 0));
  put(&x->w, "  tail: {radius: %.6g, center: [%.6g, 0], drive: free, inertia: %.6g}\n", radius, -apart,
      0.2 * weight * radius * radius);
  put(&x->w, "bodies: {carriage: {mass: %.6g, at: [0, %.6g], x: 0}, weight: {mass: %.6g}}\n", mass, radius,
      weight);
  put(&x->w,
      "contacts: {rail: {between: [carriage, ground], normal: weight, friction: {quinn: {mu: "
      "%.4g}}}}\ncables:\n  pull: {",
      between(x, 0.01, 0.1));
  rope(x, weight * g, radius, apart / 4);
  put(&x->w,
      ",\n    path: [{rim: winch}, {around: winch, turn: counterclockwise, turns: 1}, carriage]}\n  back: {");
  rope(x, weight * g, radius, apart / 4);
  put(&x->w, ",\n    path: [carriage, {around: tail, turn: counterclockwise}, hang %.6g, weight]}\n",
      radius * between(x, 8, 20));
}

/* An elevator in few variables. */
static void elevator(making *x) {
  static const char *const models[] = {"springs", "semi-analytical", "semi-analytical-flow"};
  double mass = log_of(x, 1, 5000), radius = log_of(x, 0.05, 0.6), hang = radius * log_of(x, 8, 60);
  put(&x->w,
      "drums: {drum: {radius: %.6g, center: [0, 0], drive: {rotation: {cycloid: {amplitude: %.4g, duration: "
      "0.8}}}}}\n",
      radius, between(x, -3, 3));
  put(&x->w, "bodies: {a: {mass: %.6g}, b: {mass: %.6g}}\ncables:\n  rope: {", mass,
      mass * log_of(x, 0.7, 1.4));
  double ea = mass * g / log_of(x, 1e-4, 5e-3);
  put(&x->w,
      "EA: %.6g, mass_per_length: %.6g, damping: {axial: %.6g}, model: %s,\n    contact: {at: nodes, per: "
      "node, normal: "
      "{hunt-crossley: {stiffness: 1e7}}, friction: {coulomb: {mu: %.4g}}}",
      ea, log_of(x, 1e-4, 1e-2) * mass, ea * log_of(x, 1e-4, 1e-2), models[below(x, ROWS(models))],
      between(x, 0.15, 0.5));
  put(&x->w, ",\n    path: [a, hang %.6g, over drum, hang %.6g, b]}\n", hang, hang);
  any_solver(x, 1e-4);
}

/* Blocks on each other and on the ground, the lowest of which is pushed to and fro. */
static void stack(making *x) {
  int n = 2 + below(x, 3);
  double mass = log_of(x, 0.1, 100), total = 0;
  const cps_law *law = any_law(x);
  put(&x->w, "bodies:\n");
  for (int i = 0; i < n; i++) put(&x->w, "  b%d: {mass: %.6g}\n", i, mass);
  put(&x->w, "contacts:\n");
  for (int i = n - 1; i >= 0; i--) {
    char under[20] = "ground";
    if (i > 0) snprintf(under, sizeof under, "b%d", i - 1);
    total += mass * g;
    put(&x->w, "  c%d: {between: [b%d, %s], normal: %.6g, friction: %s}\n", i, i, under, total, law->name);
  }
  put(&x->w, "loads: {push: {on: b0, force: {sine: {amplitude: %.6g, omega: %.4g}}}}\n",
      total * between(x, 0.3, 1.5), between(x, 3, 20));
  if (below(x, 2))
    put(&x->w, "springs: {s: {between: [{ground: 0}, b%d], stiffness: %.6g}}\n", n - 1,
        mass * log_of(x, 10, 1000));
  any_solver(x, 1e-4);
}

static const struct {
  const char *name;
  void (*make)(making *);
  int space, own_run; /* whether there is one in space, too; whether it says how it is run */
} families[] = {{"hoist", hoist, 1, 0},
                {"atwood", atwood, 1, 0},
                {"tackle", tackle, 1, 0},
                {"belt drive", belt, 1, 0},
                {"trolley crane", trolley, 0, 0},
                {"helix", helix, 0, 0},
                {"heave", heave, 1, 0},
                {"blocks on a belt", blocks, 0, 1},
                {"mooring capstan", mooring, 0, 0},
                {"snap load", snap, 1, 0},
                {"weight on a cable", sagging, 1, 0},
                {"rope carriage", carriage, 0, 0},
                {"elevator in few variables", elevator, 0, 1},
                {"stack of blocks", stack, 0, 1}};

typedef enum verdict { RIGHT, WARNED, FAILED, SLOW, SILENT, VERDICTS } verdict;
static const char *const said[VERDICTS] = {
    "right", "off and warned about", "failed or refused with a sentence", "too slow", "wrong in silence"};

/* How cables are run: mostly by default, by bdf, or by alpha with steps of a fixed length. */
static void cable_solver(making *x) {
  int which = below(x, 10);
  put(&x->w, "run: {until: 1, output: 20 ms, max_steps: %d", x->fine ? 20 * MOST_STEPS : MOST_STEPS);
  if (which == 0)
    put(&x->w, ", solver: alpha, step: %g, rho: %.2g}\n", x->fine ? 0.25e-3 : 1e-3, between(x, 0.5, 1));
  else
    put(&x->w, ", solver: %s%s}\n", which < 3 ? "bdf" : "alpha", x->fine ? ", tolerance: 1e-8" : "");
}

static void make(making *x, int k, int fine) {
  int f = k % ROWS(families);
  x->w.n = 0;
  x->r = rng_for("runs", (uint64_t)k);
  x->fine = fine;
  int space = below(x, 4) == 0;
  x->space = families[f].space && space;
  put(&x->w, "capstan: 1\n");
  if (x->space) put(&x->w, "gravity: [0, %.4g, 0]\n", -g);
  families[f].make(x);
  if (!families[f].own_run) cable_solver(x);
}

typedef struct outcome {
  cps_scenario *scenario;
  cps_system *system;
  cps_simulation *sim;
  cps_status status;
  cps_error err;
  double until; /* processor time at which it is given up */
} outcome;

static int give_up(const cps_progress *now, void *data) {
  (void)now;
  return (double)clock() / CLOCKS_PER_SEC > *(const double *)data;
}

static outcome run(const making *x, double seconds) {
  outcome o = {.status = CPS_FAILED};
  cps_problems *problems = NULL;
  o.scenario = cps_scenario_parse(x->w.text, x->w.n, "run", NULL, 0, &problems);
  if (!o.scenario) {
    snprintf(o.err.text, sizeof o.err.text, "%s", cps_problems_at(problems, 0)->text);
    o.status = CPS_BAD_INPUT;
  }
  cps_problems_free(problems);
  o.system = o.scenario ? cps_system_new(o.scenario, &o.err) : NULL;
  o.sim = o.system ? cps_simulation_new(o.system, &o.err) : NULL;
  o.until = (double)clock() / CLOCKS_PER_SEC + seconds;
  if (o.sim) o.status = cps_simulation_run(o.sim, give_up, &o.until, &o.err);
  return o;
}

static void end(outcome *o) {
  cps_simulation_free(o->sim);
  cps_system_free(o->system);
  cps_scenario_free(o->scenario);
}

static int ends_with(const char *name, const char *tail) {
  size_t n = strlen(name), m = strlen(tail);
  return n >= m && strcmp(name + n - m, tail) == 0;
}

/* Places and angles count at the end, torques and tensions by their mean: of a belt beside its drums, as its ends are a seam that runs over
 * them, where the tension of a single element is noisy; of a cable at its end, as turns that friction holds on a drum may share the
 * load in many ways. */
static int counts(const char *name, int closed, int *is_mean) {
  int body = strncmp(name, "bodies.", 7) == 0, drum = strncmp(name, "drums.", 6) == 0;
  *is_mean = (drum && ends_with(name, ".torque")) ||
             (closed ? ends_with(name, ".t_in") || ends_with(name, ".t_out")
                     : ends_with(name, ".tension_end"));
  return *is_mean || (drum && ends_with(name, ".angle")) ||
         (body && (ends_with(name, ".x") || ends_with(name, ".y") || ends_with(name, ".z")));
}

static double mean_of(const cps_result *y, int c) {
  long n = cps_result_rows(y);
  double sum = 0;
  for (long i = 0; i < n; i++) sum += cps_result_data(y, c)[i];
  return sum / (double)n;
}

/* What counts as all of a column: how far it goes, at least a little of where it is; of forces the largest. */
static double scale_of(const cps_result *y, int c, int mean) {
  double low = INFINITY, high = -INFINITY, most = 0;
  for (long i = 0; i < cps_result_rows(y); i++) {
    double v = cps_result_data(y, c)[i];
    low = fmin(low, v), high = fmax(high, v), most = fmax(most, fabs(v));
  }
  return mean ? most : fmax(high - low, 2e-3 * most);
}

/* Of all things of a machine: the farthest and the strongest, and the radius of its largest drum. */
typedef struct sizes {
  double farthest, strongest, radius;
} sizes;

/* What is off in a column: of forces the mean; of places and angles how far it has gone, and where it starts. A cable that works at R - d
 * with elements of length l on a drum of radius R hangs beside it by a part of R, which the tool warns about from 1 % on: so much
 * is right of where a machine rests. What moves has to move by as much. */
static double off_by(const cps_result *x, int i, const cps_result *y, int c, int mean, const sizes *all) {
  if (mean) return fabs(mean_of(x, i) - mean_of(y, c)) / all->strongest / right_within;
  const double *p = cps_result_data(x, i), *q = cps_result_data(y, c);
  double start = fabs(p[0] - q[0]), gone = p[cps_result_rows(x) - 1] - p[0],
         should = q[cps_result_rows(y) - 1] - q[0];
  return fmax(start / fmax(right_within * all->farthest, 0.01 * all->radius),
              fabs(gone - should) / all->farthest / right_within);
}

/* What the tool says of how a machine starts - with a blow, or held by a brake that opens - is no word about the rest of the run. */
static int warned(const cps_result *x) {
  for (int i = 0; cps_result_warning(x, i); i++) {
    const char *text = cps_result_warning(x, i);
    if (!strstr(text, "starts at rest, but") && !strstr(text, "it starts held")) return 1;
  }
  return 0;
}

static verdict compare(const outcome *a, const outcome *b, int closed, double radius, char *why,
                       size_t size) {
  const cps_result *x = cps_simulation_result(a->sim), *y = cps_simulation_result(b->sim);
  sizes all = {1e-3, 1e-3, radius};
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < cps_result_columns(y); c++) {
      int mean;
      const char *name = cps_result_name(y, c);
      if (!counts(name, closed, &mean)) continue;
      int i = cps_result_find(x, name);
      assert_true(i >= 0);
      double *most = mean ? &all.strongest : &all.farthest;
      if (pass == 0) *most = fmax(*most, scale_of(y, c, mean));
      double off = pass ? off_by(x, i, y, c, mean, &all) : 0;
      if (off <= 1) continue;
      const double *p = cps_result_data(x, i), *q = cps_result_data(y, c);
      snprintf(why, size, "%s goes from %.6g to %.6g, refined from %.6g to %.6g; in the mean %.6g and %.6g",
               name, p[0], p[cps_result_rows(x) - 1], q[0], q[cps_result_rows(y) - 1], mean_of(x, i),
               mean_of(y, c));
      return warned(x) ? WARNED : SILENT;
    }
  return RIGHT;
}

/* Of the largest drum of a machine; 0 without drums. */
static double largest_radius(const char *text) {
  const char *end = strstr(text, "\ncables:"), *key = "radius: ";
  double most = 0;
  for (const char *at = strstr(text, "drums:"); at && (at = strstr(at, key)) && (!end || at < end); at++)
    most = fmax(most, atof(at + strlen(key)));
  return most;
}

static verdict judge(int k, making *x, char *why, size_t size) {
  double patience = getenv("CAPSTAN_RUNS_SECONDS") ? atof(getenv("CAPSTAN_RUNS_SECONDS")) : 1;
  make(x, k, 0);
  outcome a = run(x, patience);
  verdict v = RIGHT;
  snprintf(why, size, "%s", a.status == CPS_OK ? "" : a.err.text);
  if (a.status != CPS_OK) {
    assert_true(strlen(a.err.text) > 20);
    v = strstr(a.err.text, "steps were not enough") || strstr(a.err.text, "on request") ? SLOW : FAILED;
  } else {
    making fine;
    make(&fine, k, 1);
    outcome b = run(&fine, 4 * patience);
    if (b.status == CPS_OK) {
      v = compare(&a, &b, strstr(x->w.text, "closed") != NULL, largest_radius(x->w.text), why, size);
    } else { /* then its audit has to do */
      cps_energy e;
      cps_result_energy(cps_simulation_result(a.sim), &e);
      v = fabs(e.error) <= right_within * e.scale || warned(cps_simulation_result(a.sim)) ? RIGHT : SILENT;
      snprintf(why, size, "refined: %.300s", b.err.text);
    }
    end(&b);
  }
  end(&a);
  return v;
}

static void random_runs(void **state) {
  (void)state;
  int count = getenv("CAPSTAN_RUNS") ? atoi(getenv("CAPSTAN_RUNS")) : RUNS, all[VERDICTS] = {0},
      found[ROWS(families)][VERDICTS] = {{0}};
  int from = getenv("CAPSTAN_RUNS_FROM") ? atoi(getenv("CAPSTAN_RUNS_FROM")) : 0;
  for (int k = from; k < from + count; k++) {
    making x;
    char why[600];
    verdict v = judge(k, &x, why, sizeof why);
    found[k % ROWS(families)][v]++;
    all[v]++;
    if (v == SILENT || (v != RIGHT && getenv("CAPSTAN_RUNS_SHOW")))
      print_message("%d, %s: %s: %s\n", k, families[k % ROWS(families)].name, said[v], why);
    if (v == SILENT) print_message("%s", x.w.text);
  }
  print_message("%d machines:", count);
  for (int v = 0; v < VERDICTS; v++)
    print_message(" %d %s%s", all[v], said[v], v + 1 < VERDICTS ? "," : "\n");
  for (int f = 0; f < ROWS(families); f++)
    print_message("  | %s | %d | %d | %d | %d | %d |\n", families[f].name, found[f][0], found[f][1],
                  found[f][2], found[f][3], found[f][4]);
  assert_int_equal(all[SILENT], 0);
  if (count >= 20) assert_true(all[RIGHT] >= 0.7 * count); /* the sanitizers are slow */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_runs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
