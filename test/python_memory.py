"""Every type and function of the extension module once, on small machines: for valgrind (scripts/memory.sh), which sees what it reads, writes
and keeps. usage: python_memory.py"""

import gc
import math
import os
import tempfile
import threading

import numpy as np

import capstan

CART = """
capstan: 1
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {tanh: {mu: 0.1, v_t: 1 mm/s}}}}
loads:    {push: {on: cart, force: 5 N}}
run:      {until: 20 ms, output: 5 ms, solver: alpha, step: 1 ms}
"""
ROPE = """
capstan: 1
drums: {pulley: {radius: 0.25, drive: {rotation: {ramp: {rate: 1}}}}}
bodies: {left: {mass: 10}, right: {mass: 11}}
cables:
  rope: {EA: 1 MN, mass_per_length: 0.5, elements: 8, damping: {rayleigh: 1 N s}, path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right],
         contact: {at: nodes, normal: {press: {}}, friction: {quinn: {}}}}
run: {until: 2 ms, solver: alpha, output: 1 ms, step: 1 ms}
"""
PUSH, X = "loads.push.force", "bodies.cart.x"


def refused(call):
    try:
        call()
    except Exception:
        return
    raise AssertionError("this was expected to raise")


def tanh_law(v, n, f_eq, p):
    return -p["mu"] * n * math.tanh(v / p["v_t"])


def breaks(*_):
    raise ZeroDivisionError


def main() -> None:
    sc = capstan.Scenario.text(CART)
    result = sc.run()
    column = result[X]
    energy, events, counters = result.energy, result.events, result.counters
    assert energy and counters and not events and column[-1] > 0
    del result
    gc.collect()
    assert column[-1] > 0
    refused(lambda: capstan.Scenario.text(CART.replace("mass", "mas")))
    refused(lambda: capstan.Scenario("nowhere.yaml"))
    refused(lambda: capstan.Result.load("nowhere.h5"))
    refused(lambda: sc.with_({"run.until": 1e4}).run(breaks))
    changed = sc.with_({"bodies.cart.mass": "3 kg"})
    assert changed.quantities() and changed.hash and changed["bodies.cart.mass"] == 3

    with sc.simulation([PUSH], [X], keep=-1) as sim:
        sim.differentiate(["bodies.cart.mass"])
        sim.step(0.003, [2.0])
        sim.jvp(inputs=[1.0])
        sim.vjp(outputs=[1.0])
        state, other = sim.save(), sim.copy()
        other.restore(state)
        other.step(0.002, [1.0])
        refused(lambda: other.restore(state[:-8]))
        refused(lambda: other.step(0.1, [math.nan]))
        assert len(sim.result["time"])
        sim.reset({"bodies.cart.mass": 4.0})
    with sc.batch(3, [PUSH], [X], threads=2) as batch:
        batch.step(0.002, 1.0)
        batch.reset(1, {"bodies.cart.mass": 4.0})
        batch.restore(0, batch.save(2))
        assert batch.time.shape == (3,) and not batch.failed.any()

    law = capstan.models["dahl"].evaluate(np.linspace(-1, 1, 5), 2.0, jacobian=True)
    assert law["z_t_z"].shape == (5, 1, 1) and capstan.normals["linear"](1e-3) > 0
    own = capstan.own_law("mine", call=tanh_law, params={"mu": 0.1, "v_t": (1e-3, "m/s")}, stick="mu", velocity="v_t")
    bad = capstan.own_law("bad", call=breaks, params={"mu": 0.1}, stick="mu", velocity=1e-3)
    hole = capstan.own_law("hole", call=lambda *_: (math.nan, {}), params={"mu": 0.1}, stick="mu", velocity=1e-3)
    capstan.Scenario.text(CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "mine: {}"), laws=[own]).run()
    for broken in (bad, hole):
        refused(capstan.Scenario.text(CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", f"{broken.name}: {{}}"), laws=[broken]).run)
        refused(lambda: broken(0.1))
    press = capstan.own_normal("press", call=lambda depth, rate, p: 1e6 * max(depth, 0.0), params={})
    rope = capstan.Scenario.text(ROPE, laws=[press])
    assert rope.run().fields["cables.rope.position"].size
    refused(lambda: capstan.Scenario.text(ROPE, laws=[press, press]))

    mu = "contacts.rail.friction.mu"
    sc.sens([mu], [X])
    refused(lambda: sc.sens([mu], ["nothing"]))
    run = capstan.Trajectory(sc, [mu], [X])
    run.vjp([0.1], np.ones((5, 1)))
    run.jvp([0.1], [1.0])
    true = sc.with_({mu: 0.12}).run()
    sc.fit([mu], {X: (true.time, true[X], 1e-5)}, bounds={mu: (0.01, 0.5)})
    sc.optimize([PUSH], f"-{X}", bounds={PUSH: (1, 6)}, runs=3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.h5")
        true.write(path)
        assert np.array_equal(capstan.Result.load(path)[X], true[X])
        with open(os.path.join(folder, "cart.yaml"), "w") as f:
            f.write(CART)
        with open(os.path.join(folder, "study.yaml"), "w") as f:
            f.write(f"study: 1\nscenario: cart.yaml\nvary: {{mu: {{path: {mu}, range: [0.1, 0.2]}}}}\nsample: {{method: sobol, points: 2}}\noutputs: {{x: {X}}}\n")
        assert len(capstan.Study(os.path.join(folder, "study.yaml")).run(threads=1)) == 2

    sim = sc.simulation([PUSH], [X])
    threads = [threading.Thread(target=lambda: refused_or_not(sim)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def refused_or_not(sim):
    for _ in range(5):
        try:
            sim.step(0.002, [1.0])
        except RuntimeError:
            pass


main()
gc.collect()
print("python_memory: done")
