"""What the Python package costs: evaluations of laws over arrays, a step from outside, and how long Ctrl-C takes.

usage: PYTHONPATH=$(bash test/python.sh build cc PLACE >/dev/null && echo PLACE) python3 bench/python.py
Times are of the processor, the least of some tries: the machine may be busy with other things.
"""

import os
import signal
import threading
import time

import numpy as np

import capstan

CART = """
capstan: 1
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 1 s, output: 10 ms, solver: alpha, step: 1 ms}
"""


def least(call, tries=7):
    best = np.inf
    for _ in range(tries):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def laws():
    v = np.linspace(-0.1, 0.1, 1_000_000)
    for name in ("coulomb", "tanh", "coulomb-static", "stribeck", "quinn", "cdq", "lugre"):
        law = capstan.models[name]
        print(f"{name:15} {1e-6 * v.size / least(lambda: law(v, 10.0, 1.0)):6.1f} million evaluations a second")


def steps(n=20_000):
    """The same steps, each by a call and all by one call; an input and two outputs."""
    sc = capstan.Scenario.text(CART)
    sim = sc.simulation(["loads.push.force"], ["bodies.cart.x", "bodies.cart.v"])
    u = np.array([5.0])

    def each():
        for _ in range(n):
            sim.step(0.001, u)

    one = least(lambda: sim.step(0.001 * n, u), 3) / n
    print(f"a step of 1 ms of a cart: {1e6 * one:.2f} us inside, {1e6 * (least(each, 3) / n - one):.2f} us more for a call from Python")


def ctrl_c():
    sc, waits = capstan.Scenario.text(CART, {"run.until": "1e5 s"}), []
    for _ in range(5):
        sent = []
        timer = threading.Timer(0.2, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        try:
            sc.run()
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - sent[0])
    print(f"Ctrl-C ends a run after {1e3 * min(waits):.1f} to {1e3 * max(waits):.1f} ms")


if __name__ == "__main__":
    laws()
    steps()
    ctrl_c()
