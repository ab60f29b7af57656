"""Laws of one's own, of friction and of normal contact: in Python, in C, by numba; and whether `check` finds what is wrong with them."""

from __future__ import annotations

import ctypes
import gc
import itertools
import math
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import capstan
from capstan.own_check import friction_faults, normal_faults

CART = """
capstan: 1
title: A cart that is pushed
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {tanh: {mu: 0.1, v_t: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 0.2 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
needs_cc = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def compiled(folder, source):
    """The address of the function `law` of some C."""
    (folder / "law.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "law.c", "-o", "law.so", "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(os.fspath(folder / "law.so"))
    return ctypes.cast(library.law, ctypes.c_void_p).value


def tanh_law(v, n, f_eq, p):
    """mu n tanh(v / v_t), with derivatives."""
    t = math.tanh(v / p["v_t"])
    slope = -p["mu"] * n * (1 - t * t) / p["v_t"]
    return -p["mu"] * n * t, {"v": slope, "n": -p["mu"] * t, "mu": -n * t, "v_t": -slope * v / p["v_t"]}


ABOUT = {"params": {"mu": 0.1, "v_t": (1e-3, "m/s")}, "stick": "mu", "velocity": "v_t"}


def test_own_law_in_python():
    law = capstan.own_law("my-tanh", call=tanh_law, **ABOUT)
    assert law.check() == []
    v = np.linspace(-0.01, 0.01, 101)
    built_in = capstan.models["tanh"]
    assert np.allclose(law(v, 20.0), built_in(v, 20.0, mu=0.1, v_t=1e-3), rtol=1e-12)
    text = CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "my-tanh: {}").replace("0 N", "5 N")
    own = capstan.Scenario.text(text, laws=[law])
    same = capstan.Scenario.text(CART.replace("0 N", "5 N"))
    assert np.allclose(own.run()["bodies.cart.x"], same.run()["bodies.cart.x"], rtol=1e-9)
    # by name, exactly: derivatives of runs too
    a = own.sens(["contacts.rail.friction.my-tanh.mu"], ["bodies.cart.x"])
    b = same.sens(["contacts.rail.friction.tanh.mu"], ["bodies.cart.x"])
    assert np.allclose(a.gradient, b.gradient, rtol=1e-7)
    # and the law stays alive with what was made of it
    changed = own.with_({"bodies.cart.mass": 3.0})
    del own, law
    assert changed.run()["bodies.cart.x"][-1] < same.run()["bodies.cart.x"][-1]


def test_own_law_from_differences_and_decorator():
    @capstan.own_law("soft", **ABOUT)
    def soft(v, n, f_eq, p):
        return -p["mu"] * n * math.tanh(v / p["v_t"])

    v = np.linspace(-0.01, 0.01, 21)
    exact = capstan.models["tanh"].evaluate(v, 3.0, jacobian=True, mu=0.1, v_t=1e-3)
    assert np.allclose(soft.evaluate(v, 3.0, jacobian=True)["f_v"], exact["f_v"], rtol=1e-5, atol=1e-3)


def saturating(v, n, f_eq, p):
    return -p["mu"] * n * min(max(v / p["v_t"], -1.0), 1.0)


@pytest.mark.parametrize("seed, v_t", [(1, 0.01), (2, 1e-4), (3, 1.0)])
def test_differences_are_no_jumps(seed, v_t):
    """Derivatives that are differences have round-off, and change over their step where there is a kink; only a kink is a fault."""
    about = {"params": {"mu": 0.3, "v_t": (v_t, "m/s")}, "stick": "mu", "velocity": "v_t"}
    for law in (
        lambda v, n, f_eq, p: -p["mu"] * n * math.tanh(v / p["v_t"]),
        lambda v, n, f_eq, p: -p["mu"] * n**0.9 * 0.5 * math.atan(v / p["v_t"]) / math.pi,
    ):
        made = capstan.own_law("smooth", call=law, **about)
        assert made.check(seed=seed, points=60) == [] and made.by_differences
    made = capstan.own_law("bent", call=saturating, **about)
    (fault,) = made.check(seed=seed, points=60)
    assert fault.startswith("it is said to be smooth, but a derivative jumps")


def test_own_law_that_lies_or_raises():
    bad = capstan.own_law("pusher", call=lambda v, n, f_eq, p: (p["mu"] * n * math.tanh(v / p["v_t"]), {}), **ABOUT)
    assert any("gives energy" in w for w in bad.check()) and any("d(f)/d(v)" in w for w in bad.check())
    calls = []

    def breaks(v, n, f_eq, p):
        calls.append(v)
        raise ZeroDivisionError("in the law")

    law = capstan.own_law("breaks", call=breaks, **ABOUT)
    sc = capstan.Scenario.text(CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "breaks: {}"), laws=[law])
    with pytest.raises(ZeroDivisionError, match="in the law"):
        sc.run()
    with pytest.raises(ZeroDivisionError):
        sc.batch(3, outputs=["bodies.cart.x"], threads=2).step(0.01)
    with pytest.raises(capstan.ScenarioError, match="tanh"):
        capstan.Scenario.text(CART, laws=[capstan.own_law("tanh", call=tanh_law, **ABOUT)])
    with pytest.raises(ValueError, match="no parameter"):
        capstan.own_law("x", {"mu": 1.0}, stick="nu", velocity=1.0, call=tanh_law)
    with pytest.raises(TypeError):
        capstan.Scenario.text(CART, laws=[3])


SOURCE = """
#include <math.h>
void law(const double *p, const double *x, const double *z, double *rows) {
  double t = tanh(x[0] / p[1]), slope = -p[0] * x[1] * (1 - t * t) / p[1];
  double row[6] = {-p[0] * x[1] * t, slope, -p[0] * t, 0, -x[1] * t, -slope * x[0] / p[1]};
  for (int i = 0; i < 6; i++) rows[i] = row[i];
}
"""


@needs_cc
def test_own_law_in_c(tmp_path):
    law = capstan.own_law("in-c", address=compiled(tmp_path, SOURCE), **ABOUT)
    assert law.check() == []
    text = CART.replace("0 N", "5 N")
    own = capstan.Scenario.text(text.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "in-c: {mu: 0.1, v_t: 1 mm/s}"), laws=[law])
    assert np.allclose(own.run()["bodies.cart.x"], capstan.Scenario.text(text).run()["bodies.cart.x"], rtol=1e-9)


def test_own_law_by_numba():
    numba = pytest.importorskip("numba")
    block = numba.types.CPointer(numba.types.double)

    @numba.cfunc(numba.types.void(block, block, block, block))
    def law(p, x, z, rows):
        t = math.tanh(x[0] / p[1])
        slope = -p[0] * x[1] * (1 - t * t) / p[1]
        rows[0] = -p[0] * x[1] * t
        rows[1] = slope
        rows[2] = -p[0] * t
        rows[4] = -x[1] * t
        rows[5] = -slope * x[0] / p[1]

    assert capstan.own_law("by-numba", address=law.address, **ABOUT).check() == []


# ---------------------------------------------------------------- check


FREE = [name for name in capstan.models if not {"modes", "memory"} <= set(capstan.models[name].traits)]


@pytest.mark.parametrize("name", [n for n in FREE if not capstan.models[n].states] + ["dahl", "lugris"])
def test_check_agrees_with_the_tests_of_built_in_laws(name):
    assert friction_faults(capstan.models[name], 1, 180) == []


def soft(v, n, f_eq, p):
    t = math.tanh(v / p["v_t"])
    slope = -p["mu"] * n * (1 - t * t) / p["v_t"]
    return [-p["mu"] * n * t, {"v": slope, "n": -p["mu"] * t, "mu": -n * t, "v_t": -slope * v / p["v_t"]}]


def wrong(key, factor):
    def law(v, n, f_eq, p):
        f, by = soft(v, n, f_eq, p)
        return f, {**by, key: factor * by[key]}

    return law


def plus(extra, **by):
    """The law with a force added, and what that adds to the derivatives."""

    def law(v, n, f_eq, p):
        f, d = soft(v, n, f_eq, p)
        return f + extra(v, n, f_eq, p), {key: d.get(key, 0.0) + (by[key](v, n, f_eq, p) if key in by else 0.0) for key in ("v", "n", "f_eq", "mu", "v_t")}

    return law


def kinked(v, n, f_eq, p):
    x = min(max(v / p["v_t"], -1.0), 1.0)
    inside = abs(v) < p["v_t"]
    return -p["mu"] * n * x, {"v": -p["mu"] * n / p["v_t"] * inside, "n": -p["mu"] * x, "mu": -n * x, "v_t": p["mu"] * n * v / p["v_t"] ** 2 * inside}


def jumping(v, n, f_eq, p):
    s = math.copysign(1.0, v) if v else 0.0
    return -p["mu"] * n * s, {"n": -p["mu"] * s, "mu": -n * s}


@pytest.mark.parametrize(
    "law, about, found",
    [
        (wrong("v", 1.01), {}, "d(f)/d(v)"),
        (wrong("n", 0.99), {}, "d(f)/d(n)"),
        (wrong("mu", 1.01), {}, "d(f)/d(mu)"),
        (wrong("v_t", -1), {}, "d(f)/d(v_t)"),
        (plus(lambda v, n, f_eq, p: -1e-3 * n * v * v, v=lambda v, n, f_eq, p: -2e-3 * n * v, n=lambda v, n, f_eq, p: -1e-3 * v * v), {}, "not odd"),
        (plus(lambda v, n, f_eq, p: 1e-3 * n, n=lambda v, n, f_eq, p: 1e-3), {}, "at rest"),
        (plus(lambda v, n, f_eq, p: -1e-3 * math.tanh(v)), {}, "without load"),
        (plus(lambda v, n, f_eq, p: -0.01 * n * math.tanh(v / p["v_t"])), {}, "above the peak"),
        (plus(lambda v, n, f_eq, p: 0.2 * n * v, v=lambda v, n, f_eq, p: 0.2 * n, n=lambda v, n, f_eq, p: 0.2 * v), {}, "it gives energy"),
        (soft, {"peak": 0.05}, "hold more than its peak"),
        (soft, {"traits": ["sticks", "continuous", "smooth", "dissipates"]}, "does not hold half"),
        (soft, {"traits": ["creeps", "continuous", "smooth", "dissipates", "needs_f_eq"]}, "against needs_f_eq"),
        (plus(lambda v, n, f_eq, p: 0 * n + 1e-9 * f_eq, f_eq=lambda *a: 1e-9), {}, "without needs_f_eq"),
        (kinked, {}, "said to be smooth"),
        (jumping, {}, "said to be continuous"),
        (jumping, {"traits": ["creeps", "dissipates"]}, "v_t does not matter"),
    ],
)
def test_check_finds(law, about, found):
    made = capstan.own_law("suspect", call=lambda *a: tuple(law(*a)), **{**ABOUT, **about})
    faults = made.check(points=60)
    assert any(found in fault for fault in faults), faults


DAHL = """
#include <math.h>
/* f = -mu n z / z_max, dz/dt = v - |v| z / z_max */
void law(const double *p, const double *x, const double *z, double *rows) {
  double mu = p[0], most = p[1], v = x[0], n = x[1], s = v > 0 ? 1 : v < 0 ? -1 : 0, part = z[0] / most;
  double f[7] = {-mu * n * part, 0, -mu * part, 0, -mu * n / most, -n * part, mu * n * part / most};
  double r[7] = {v - fabs(v) * part, 1 - s * part, 0, 0, -fabs(v) / most, 0, fabs(v) * part / most};
  for (int i = 0; i < 7; i++) rows[i] = f[i], rows[7 + i] = r[i];
}
"""
BRISTLE = {
    "params": {"mu": 0.1, "z_max": (1e-5, "m")},
    "stick": "mu",
    "velocity": 1e-3,
    "states": [("z", "m", -1, "z_max")],
    "traits": ["sticks", "continuous", "dissipates"],
}


@needs_cc
def test_own_law_with_a_state(tmp_path):
    law = capstan.own_law("my-dahl", address=compiled(tmp_path, DAHL), **BRISTLE)
    assert law.check() == []
    text = CART.replace("0 N", "2 N")
    own = capstan.Scenario.text(text.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "my-dahl: {mu: 0.1, z_max: 10 um}"), laws=[law]).run()
    same = capstan.Scenario.text(text.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "dahl: {mu: 0.1, sigma0: 1e4 1/m}")).run()
    assert np.max(np.abs(same["bodies.cart.x"])) > 1e-5
    assert np.allclose(own["bodies.cart.x"], same["bodies.cart.x"], rtol=0, atol=1e-9)
    for old, new, found in (
        ("-mu * n / most, -n", "-1.01 * mu * n / most, -n", "d(f)/d(z)"),
        ("1 - s * part, 0", "1.01 - s * part, 0", "d(dz/dt)/d(v)"),
        ("0, fabs(v) * part / most}", "0, 0}", "d(dz/dt)/d(z_max)"),
        ("{-mu * n * part, 0, -mu * part, 0, -mu * n / most, -n * part, mu", "{mu * n * part, 0, mu * part, 0, mu * n / most, n * part, -mu", "a closed cycle yields work"),
        ("{v - fabs(v) * part, 1 - s", "{v + 1e-6 - fabs(v) * part, 1 - s", "a rate mirrored"),
    ):
        assert old in DAHL
        folder = tmp_path / str(len(os.listdir(tmp_path)))
        folder.mkdir()
        faults = capstan.own_law("broken", address=compiled(folder, DAHL.replace(old, new)), **BRISTLE).check(points=60)
        assert any(found in fault for fault in faults), (found, faults)


def test_a_law_that_is_not_finite_raises():
    """It was taken for no force, in silence."""
    law = capstan.own_law("hole", call=lambda v, n, f_eq, p: (math.nan if v > 1e-3 else -p["mu"] * n * math.tanh(v / p["v_t"]), {}), **ABOUT)
    sc = capstan.Scenario.text(CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "hole: {}").replace("0 N", "5 N"), laws=[law])
    with pytest.raises(ValueError, match="law hole: its force, or a derivative of it, is not finite at v, n, f_eq = 0.00"):
        sc.run()
    with pytest.raises(ValueError, match="law hole"):
        law.check()
    assert law(1e-4) < 0  # and it is told once


# ---------------------------------------------------------------- normal contact

ROPE = """
capstan: 1
drums: {pulley: {radius: 0.25, drive: {rotation: {ramp: {rate: 1}}}}}
bodies: {left: {mass: 10}, right: {mass: 11}}
cables:
  rope:
    EA: 1 MN
    mass_per_length: 0.5
    elements: 16
    damping: {rayleigh: 1 N s}
    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 2e7, damping: 3}}, friction: {quinn: {}}}
run: {until: 5 ms, solver: alpha, output: 1 ms, step: 1 ms}
"""
BUILT_IN = "hunt-crossley: {stiffness: 2e7, damping: 3}"
HARD = {"params": {"hardness": {"value": 5e6, "min": 1e-3}, "loss": {"value": 1.0, "unit": "s/m"}}}


def press(depth, rate, p):
    """hardness depth^1.5 (1 + loss rate)"""
    factor = 1 + p["loss"] * rate
    if depth <= 0 or factor <= 0:
        return 0.0, {}
    power = depth * math.sqrt(depth)
    k = p["hardness"]
    return k * power * factor, {"depth": 1.5 * k * math.sqrt(depth) * factor, "rate": k * power * p["loss"], "hardness": power * factor, "loss": k * power * rate}


PRESS_C = """
#include <math.h>
void law(const double *p, const double *x, const double *z, double *row) {
  double factor = 1 + p[1] * x[1], root = x[0] > 0 ? sqrt(x[0]) : 0, power = x[0] * root;
  if (x[0] <= 0 || factor <= 0 || z) return;
  row[0] = p[0] * power * factor;
  row[1] = 1.5 * p[0] * root * factor;
  row[2] = p[0] * power * p[1];
  row[3] = power * factor;
  row[4] = p[0] * power * x[1];
}
"""


def alike(law):
    own = capstan.Scenario.text(ROPE.replace(BUILT_IN, f"{law.name}: {{hardness: 2e7, loss: 3}}"), laws=[law])
    same = capstan.Scenario.text(ROPE)
    a, b = own.run(), same.run()
    for name in a:
        scale = np.nanmax(np.abs(b[name])) or 1.0
        assert np.allclose(a[name], b[name], rtol=0, atol=1e-7 * scale + 1e-9, equal_nan=True), name
    return own, same


def test_own_normal_in_python():
    law = capstan.own_normal("rubber", call=press, **HARD)
    assert law.check() == [] and isinstance(law, capstan.OwnNormal)
    depth = np.geomspace(1e-6, 1e-3, 20)
    built_in = capstan.normals["hunt-crossley"]
    assert np.allclose(law(depth, 0.3), built_in(depth, 0.3, stiffness=5e6, damping=1.0), rtol=1e-13)
    own, same = alike(law)
    path = "cables.rope.contact.normal."
    a = own.sens([path + "hardness", path + "loss"], ["cables.rope.tension_max"])
    b = same.sens([path + "stiffness", path + "damping"], ["cables.rope.tension_max"])
    assert np.allclose(a.gradient, b.gradient, rtol=1e-6)
    changed = own.with_({path + "hardness": 3e7})
    del own, law
    assert changed[path + "hardness"] == 3e7 and changed.run().counters["steps"] > 0


def test_own_normal_by_decorator_and_differences():
    @capstan.own_normal("spring", {"stiffness": (1e6, "N/m")})
    def spring(depth, rate, p):
        """A spring."""
        return p["stiffness"] * max(depth, 0.0)

    assert spring.title == "A spring." and spring.check() == []
    assert spring.evaluate(1e-3, jacobian=True)["n_p"][0] == pytest.approx(1e-3, rel=1e-6)


@needs_cc
def test_own_normal_in_c(tmp_path):
    law = capstan.own_normal("in-c", address=compiled(tmp_path, PRESS_C), **HARD)
    assert law.check() == []
    alike(law)


@pytest.mark.parametrize(
    "law, sentence",
    [
        (lambda depth, rate, p: (p["hardness"] * max(depth, 0) + 1e9 * rate * (depth > 0), {}), "it pulls"),
        (lambda depth, rate, p: (p["hardness"] * (depth + 2), {}), "has not entered"),
        (lambda depth, rate, p: (math.nan, {}), "not finite at depth, rate = -1, "),
    ],
)
def test_normals_that_are_refused(law, sentence):
    with pytest.raises(ValueError, match=sentence):
        capstan.own_normal("bad", call=law, **HARD)


def test_what_a_debugger_sees():
    """A traceback keeps the arrays that a law was called with; they are its own also after the run, and the threads of a batch, are gone."""
    kept = []

    def law(v, n, f_eq, p):
        kept.append((sys._getframe(1).f_locals["out"], -p["mu"] * n * math.tanh(v / p["v_t"])))
        return kept[-1][1], tanh_law(v, n, f_eq, p)[1]

    text = CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "seen: {}").replace("0 N", "5 N")
    batch = capstan.Scenario.text(text, laws=[capstan.own_law("seen", call=law, **ABOUT)]).batch(4, outputs=["bodies.cart.x"], threads=2)
    batch.step(0.01)
    batch.close()
    assert len(kept) > 40
    assert [out[0] for out, _ in kept] == [force for _, force in kept]


def test_own_normal_raises_and_lies():
    calls = []

    def breaks(depth, rate, p):
        calls.append(depth)
        if len(calls) > 500:
            raise ZeroDivisionError("in the law")
        return press(depth, rate, p)

    law = capstan.own_normal("breaks", call=breaks, **HARD)
    with pytest.raises(ZeroDivisionError, match="in the law"):
        capstan.Scenario.text(ROPE.replace(BUILT_IN, "breaks: {}"), laws=[law]).run()
    for key, factor, found in (("depth", 1.01, "d(n)/d(depth)"), ("rate", 0.9, "d(n)/d(rate)"), ("hardness", 1.01, "d(n)/d(hardness)")):
        lies = capstan.own_normal("lies", call=lambda depth, rate, p: (press(depth, rate, p)[0], {k: v * (factor if k == key else 1) for k, v in press(depth, rate, p)[1].items()}), **HARD)
        assert any(found in fault for fault in lies.check()), (found, lies.check())
    pumps = capstan.own_normal("pumps", call=lambda depth, rate, p: (p["hardness"] * max(depth, 0) * (1 - 0.1 * math.tanh(rate)), {}), **HARD)
    assert any("gives energy" in fault for fault in pumps.check())
    with pytest.raises(capstan.ScenarioError, match="penalty"):
        capstan.Scenario.text(ROPE, laws=[capstan.own_normal("penalty", call=press, **HARD)])
    with pytest.raises(TypeError, match="a function is needed"):
        capstan.own_normal("x", {}, call=3)
    with pytest.raises(ValueError, match="not both"):
        capstan.own_normal("x", {}, call=press, address=1)
    with pytest.raises(KeyError, match="no law of normal contact"):
        capstan.normals["hunt"]
    for name in capstan.normals:
        assert normal_faults(capstan.normals[name], 1, 300) == []


def test_a_law_may_close_what_calls_it():
    """Memory goes when the call that is under way has ended, and not before: the step ends as if nothing had happened."""
    left, open_ones = itertools.repeat(1), []

    def closing(v, n, f_eq, p):
        if next(left) == 0:
            for one in open_ones:
                one.close()
            open_ones.clear()
            gc.collect()
        return tanh_law(v, n, f_eq, p)

    law = capstan.own_law("closing", call=closing, **ABOUT)
    scenario = capstan.Scenario.text(CART.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "closing: {}"), laws=[law])
    names = ["loads.push.force"], ["bodies.cart.x"]
    wanted = capstan.Simulation(scenario, *names).step(0.1, [5.0])
    for after in (1, 30, 200):
        for made, n in ((capstan.Simulation(scenario, *names), 1), (capstan.Batch(scenario, 2, *names, threads=2), 2)):
            open_ones.append(made)
            left = itertools.count(after, -1)
            assert np.array_equal(made.step(0.1, np.full((n, 1), 5.0)[0 if n == 1 else slice(None)]).reshape(n, -1), np.tile(wanted, (n, 1)))
            assert not open_ones
            with pytest.raises(RuntimeError, match="is closed"):
                made.step(0.1)
