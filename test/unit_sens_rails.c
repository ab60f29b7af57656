/* unit_sens_rails.c - derivatives of runs of cables beside bodies on lines: normal forces that weights, springs, loads, cables
 * and carried drums press with; springs to surfaces; work of each contact. */
#include "sens.h"
#include "sens_compare.h"

#include <stdio.h>

#define RUN "run: {until: 0.2 s, step: 5 ms, solver: alpha, output: 50 ms, balance: 1e-13}\n"
#define LINE(path)                                                                                           \
  "cables: {rope: {EA: 200 kN, EI: 0.1, mass_per_length: 0.4 kg/m, damping: {rayleigh: 50 N s}, elements: "  \
  "6,\n" path "}}\n"

static const example examples[] = {
    {"trolley with a load on its rope",
     "capstan: 1\n"
     "bodies: {trolley: {mass: 20 kg, at: [0, 5]}, load: {mass: 100 kg}}\n"
     "loads: {drive: {on: trolley, force: {sine: {amplitude: 150 N, omega: 12 rad/s}}}}\n"
     "contacts: {rail: {between: [trolley, ground], normal: weight, friction: {quinn: {mu: 0.02, epsilon: 10 "
     "mm/s}}}}\n" LINE("path: [trolley, hang 2 m, load]") RUN,
     {"cables.rope.EA", "cables.rope.mass_per_length", "bodies.load.mass", "bodies.trolley.mass", "gravity",
      "contacts.rail.friction.quinn.mu", "contacts.rail.friction.quinn.epsilon",
      "loads.drive.force.sine.amplitude"},
     {"contacts.rail.n", "contacts.rail.f", "contacts.rail.work", "contacts.rail.f_eq", "bodies.trolley.x",
      "energy.friction"},
     10},
    {"first row of a sled that slides from the start, and of a bearing that turns",
     "capstan: 1\n"
     "drums: {wheel: {radius: 100 mm, center: [9, 9], drive: free, inertia: 0.05, rate: 3 rad/s,\n"
     "  bearing: {radius: 20 mm, load: 300 N, friction: {tanh: {mu: 0.2, v_t: 50 mm/s}}}}}\n"
     "bodies: {sled: {mass: 6 kg, v: 0.7 m/s}, load: {mass: 100 kg}, trolley: {mass: 9 kg, at: [0, 5], v: "
     "0.3}}\n"
     "contacts:\n"
     "  c: {between: [sled, ground], normal: weight, friction: {quinn: {mu: 0.3, epsilon: 10 mm/s}}}\n"
     "  rail: {between: [trolley, ground], normal: weight, friction: {tanh: {mu: 0.02, v_t: 0.2 "
     "m/s}}}\n" LINE("path: [trolley, hang 2 m, load]") "run: {until: 0.05 s, step: 5 ms, solver: alpha, "
                                                        "output: 5 ms, balance: 1e-13}\n",
     {"contacts.c.friction.quinn.mu", "bodies.sled.mass", "gravity", "contacts.rail.friction.tanh.mu",
      "contacts.rail.friction.tanh.v_t", "bodies.load.mass", "drums.wheel.bearing.friction.tanh.mu"},
     {"contacts.c.f@0", "contacts.rail.f@0", "bodies.sled.v", "contacts.c.work", "bearings.wheel.f@0",
      "integral(contacts.c.f)"},
     10},
    {"tilted line, springs to a belt that is driven",
     "capstan: 1\n"
     "bodies: {cart: {mass: 5 kg, at: [0, 1], direction: [1, -0.4]}, load: {mass: 3 kg}}\n"
     "surfaces: {belt: {at: [0.5, 0.2], velocity: {sine: {amplitude: 0.7 m/s, omega: 9 rad/s}}}}\n"
     "springs:\n"
     "  down: {between: [cart, belt], stiffness: 300 N/m, damping: 8 N s/m, length: 0.4 m, kind: distance}\n"
     "  line: {between: [cart, {ground: [2, 0.2]}], stiffness: 90 N/m, damping: 3 N s/m, length: 1 m}\n"
     "loads: {push: {on: cart, direction: [0.3, -1], force: {sine: {amplitude: 15 N, omega: 14 rad/s}}}}\n"
     "contacts: {rail: {between: [cart, ground], normal: load, friction: {quinn: {mu: 0.2, epsilon: 10 "
     "mm/s}}}}\n" LINE("start: drawn, path: [cart, hang 1 m, load]") RUN,
     {"springs.down.stiffness", "springs.down.damping", "springs.down.length", "springs.line.stiffness",
      "surfaces.belt.velocity.sine.amplitude", "surfaces.belt.velocity.sine.omega",
      "loads.push.force.sine.amplitude", "bodies.cart.mass", "bodies.load.mass"},
     {"springs.down.force", "contacts.rail.n", "surfaces.belt.x", "energy.damping", "energy.motion_work",
      "energy.elastic"},
     10},
    {"rope that only pulls, to a surface that is put somewhere, in a law of velocity",
     "capstan: 1\n"
     "bodies: {cart: {mass: 5 kg, at: [0, 1]}, load: {mass: 3 kg}}\n"
     "surfaces: {belt: {at: [0.8, 0.5], direction: [-1, 0], position: {sine: {amplitude: 0.3 m, omega: 9 "
     "rad/s}}}}\n"
     "springs: {pull: {between: [cart, belt], stiffness: 500 N/m, damping: 9 N s/m, length: 0.9 m, "
     "tension_only: true}}\n"
     "contacts: {rail: {between: [cart, belt], normal: load, friction: {tanh: {mu: 0.2, v_t: 0.1 "
     "m/s}}}}\n" LINE("start: drawn, path: [cart, hang 1 m, load]") RUN,
     {"springs.pull.stiffness", "springs.pull.damping", "springs.pull.length",
      "surfaces.belt.position.sine.amplitude", "surfaces.belt.position.sine.omega",
      "contacts.rail.friction.tanh.mu", "contacts.rail.friction.tanh.v_t", "bodies.cart.mass",
      "bodies.load.mass"},
     {"springs.pull.force", "contacts.rail.n", "contacts.rail.work", "contacts.rail.v", "energy.motion_work",
      "energy.error"},
     10},
    {"carried drum, on a block on a block",
     "capstan: 1\n"
     "drums: {pulley: {radius: 200 mm, center: [0, 1], carried_by: top, drive: fixed}}\n"
     "bodies: {top: {mass: 6 kg, at: [0, 1]}, low: {mass: 9 kg, at: [0, 0.8], v: 0.2 m/s}, left: {mass: 10 "
     "kg},\n"
     "         right: {mass: 10.5 kg}}\n"
     "contacts:\n"
     "  upon: {between: [top, low], normal: weight, friction: {tanh: {mu: 0.1, v_t: 0.1 m/s}}}\n"
     "  floor: {between: [low, ground], normal: load, friction: {quinn: {mu: 0.05, epsilon: 10 "
     "mm/s}}}\n" ROPE("quinn: {mu: 0.25, epsilon: 10 mm/s}", "nodes") OVER RUN,
     {"cables.rope.EA", "bodies.left.mass", "bodies.low.mass", "bodies.top.mass",
      "contacts.floor.friction.quinn.mu", "contacts.upon.friction.tanh.mu",
      "cables.rope.contact.friction.quinn.mu", "drums.pulley.radius"},
     {"contacts.upon.n", "contacts.floor.n", "contacts.floor.work", "contacts.upon.work", "bodies.low.x",
      "energy.friction"},
     10},
    {"springs tied elsewhere, a load turned",
     "capstan: 1\n"
     "bodies: {cart: {mass: 5 kg, at: [0, 1]}, bob: {mass: 2 kg, position: [0.6, 0.2]}, load: {mass: 3 kg}}\n"
     "springs:\n"
     "  up: {between: [{ground: [0.8, 1.3]}, bob], stiffness: 300 N/m, damping: 4 N s/m, length: 0.9 m, "
     "kind: "
     "distance}\n"
     "  tow: {between: [cart, bob], stiffness: 200 N/m, damping: 5 N s/m, length: 0.9 m, kind: distance}\n"
     "loads: {push: {on: cart, direction: [0.8, -0.6], force: {sine: {amplitude: 40 N, omega: 14 rad/s}}}}\n"
     "contacts: {rail: {between: [cart, ground], normal: load, friction: {quinn: {mu: 0.02, epsilon: 10 "
     "mm/s}}}}\n" LINE("start: drawn, path: [cart, hang 1 m, load]") RUN,
     {"springs.up.between.0.ground.0", "springs.up.between.0.ground.1", "loads.push.direction.1",
      "bodies.bob.mass", "springs.tow.length", "gravity"},
     {"springs.up.force", "springs.tow.force", "contacts.rail.n", "energy.damping", "energy.load_work",
      "energy.gravity"},
     10},
    {"law with memory under a rope",
     "capstan: 1\n"
     "bodies: {trolley: {mass: 20 kg, at: [0, 5]}, load: {mass: 100 kg}}\n"
     "loads: {drive: {on: trolley, force: {sine: {amplitude: 150 N, omega: 12 rad/s}}}}\n"
     "contacts: {rail: {between: [trolley, ground], normal: weight, friction: dahl}}\n" LINE(
         "path: [trolley, hang 2 m, load]") RUN,
     {"cables.rope.EA", "bodies.load.mass", "bodies.trolley.mass", "loads.drive.force.sine.amplitude"},
     {"contacts.rail.n", "contacts.rail.f", "contacts.rail.z", "contacts.rail.work", "bodies.trolley.x"},
     10},
};

static void test_examples(void **state) {
  (void)state;
  check_all(examples, ROWS(examples));
}

/* Blocks behind a trolley that a rope hangs on, more than the equations of drums and bodies are kept dense for. */
static void test_many(void **state) {
  enum { BLOCKS = 30 };
  static char text[16000];
  size_t n = 0;
  (void)state;
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
  ADD("capstan: 1\n"
      "loads: {drive: {on: b0, force: {sine: {amplitude: 150 N, omega: 12 rad/s}}}}\n"
      "bodies:\n  load: {mass: 30 kg}\n");
  for (int i = 0; i < BLOCKS; i++) ADD("  b%d: {mass: %d kg, at: [%.1f, 5]}\n", i, 5 + i % 3, 0.3 * i);
  ADD("springs:\n");
  for (int i = 1; i < BLOCKS; i++)
    ADD("  s%d: {between: [b%d, b%d], stiffness: 2 kN/m, damping: 20 N s/m, length: 0.3 m}\n", i, i - 1, i);
  ADD("contacts:\n");
  for (int i = 0; i < BLOCKS; i++)
    ADD("  c%d: {between: [b%d, ground], normal: weight, friction: %s}\n", i, i,
        i % 7 == 3 ? "dahl" : "{quinn: {mu: 0.05, epsilon: 10 mm/s}}");
  ADD("%s", LINE("path: [b0, hang 2 m, load]") RUN);
#undef ADD
  assert_true(n < sizeof text);
  const example many = {"blocks in a row beside a rope",
                        text,
                        {"cables.rope.EA", "bodies.load.mass", "bodies.b1.mass", "springs.s2.stiffness",
                         "contacts.c1.friction.quinn.mu", "loads.drive.force.sine.amplitude"},
                        {"bodies.b0.x", "bodies.b3.x", "springs.s2.force", "contacts.c1.f", "energy.friction",
                         "energy.damping"},
                        10};
  check_all(&many, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
