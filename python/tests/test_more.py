"""Batches, laws of one's own, fits, optimisation."""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess

import numpy as np
import pytest

import capstan
import capstan.tool

CART = """
capstan: 1
title: A cart that is pushed
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {tanh: {mu: 0.1, v_t: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 0.2 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
PUSH = "loads.push.force"


def test_batch_equals_single_simulations():
    sc = capstan.Scenario.text(CART)
    batch = sc.batch(6, inputs=[PUSH], outputs=["bodies.cart.x", "bodies.cart.v"], threads=2)
    singles = [sc.simulation([PUSH], ["bodies.cart.x", "bodies.cart.v"]) for _ in range(6)]
    batch.reset(3, {"bodies.cart.mass": 5.0})
    singles[3].reset({"bodies.cart.mass": 5.0})
    rng = np.random.default_rng(1)
    for _ in range(50):
        u = rng.uniform(-20, 20, (6, 1))
        y = batch.step(0.01, u)
        assert np.array_equal(y, [s.step(0.01, u[i]) for i, s in enumerate(singles)])
    assert np.allclose(batch.time, 0.5)
    state = batch.save(2)
    later = batch.step(0.01, 1.0)[2]
    batch.restore(2, state)
    assert np.array_equal(batch.step(0.01, 1.0)[2], later) and not batch.failed.any()
    batch.reset()
    assert np.all(batch.time == 0)


def test_batch_says_what_is_wrong():
    sc = capstan.Scenario.text(CART)
    batch = sc.batch(2, [PUSH], ["bodies.cart.x"])
    with pytest.raises(ValueError):
        batch.step(0.01, np.zeros((3, 1)))
    with pytest.raises(ValueError):
        sc.batch(0)
    with pytest.raises(capstan.ScenarioError, match="cart.q"):
        sc.batch(1, [], ["bodies.cart.q"])
    with pytest.raises(KeyError):
        sc.batch(1, ["wind"])
    with pytest.raises(IndexError):
        batch.reset(2)


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


def test_own_law_that_lies_or_raises():
    bad = capstan.own_law("pusher", call=lambda v, n, f_eq, p: (p["mu"] * n * math.tanh(v / p["v_t"]), {}), **ABOUT)
    assert any("gives energy" in w for w in bad.check()) and any("df/dv" in w for w in bad.check())
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


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_own_law_in_c(tmp_path):
    (tmp_path / "law.c").write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "law.c", "-o", "law.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(os.fspath(tmp_path / "law.so"))
    law = capstan.own_law("in-c", address=ctypes.cast(library.law, ctypes.c_void_p).value, **ABOUT)
    assert law.check() == []
    text = CART.replace("0 N", "5 N")
    own = capstan.Scenario.text(text.replace("tanh: {mu: 0.1, v_t: 1 mm/s}", "in-c: {mu: 0.1, v_t: 1 mm/s}"), laws=[law])
    assert np.allclose(own.run()["bodies.cart.x"], capstan.Scenario.text(text).run()["bodies.cart.x"], rtol=1e-9)


def test_fit_finds_what_made_the_data():
    sc = capstan.Scenario.text(CART.replace("0 N", "5 N"))
    mu, mass = "contacts.rail.friction.tanh.mu", "bodies.cart.mass"
    true = sc.with_({mu: 0.17}).run()
    rng = np.random.default_rng(2)
    noisy = true["bodies.cart.x"] + rng.normal(0, 1e-5, len(true.time))
    seen = []
    fit = sc.fit([mu], {"bodies.cart.x": (true.time, noisy, 1e-5)}, bounds={mu: (0.01, 0.5)}, progress=lambda *a: seen.append(a[0]) and False)
    low, high = fit.intervals[mu]
    assert fit.converged and low < 0.17 < high and abs(fit.values[mu] - 0.17) < 4 * fit.errors[mu] < 0.01 and seen
    assert fit.scenario[mu] == fit.values[mu]
    two = sc.fit([mu, mass], [({PUSH: "5 N"}, {"bodies.cart.x": (true.time, noisy)}), ({PUSH: "9 N"}, {"bodies.cart.x": (true.time, sc.with_({mu: 0.17, PUSH: 9.0}).run()["bodies.cart.x"])})])
    assert two.values[mu] == pytest.approx(0.17, rel=1e-3) and two.values[mass] == pytest.approx(2, rel=1e-3) and two.covariance.shape == (2, 2)
    with pytest.raises(KeyError):
        sc.fit([mu], {"bodies.cart.x": (true.time, noisy)}, bounds={mass: (1, 2)})
    with pytest.raises(ValueError):
        sc.fit([mu], {"bodies.cart.x": (true.time, noisy[1:])})
    with pytest.raises(ValueError):
        sc.fit([mu], {"bodies.cart.x": (true.time, noisy)}, loss="cubes")


def test_optimize():
    sc = capstan.Scenario.text(CART.replace("0 N", "5 N"))
    # the largest push that keeps the cart below 0.5 m/s: m v / t = F - mu m g
    best = sc.optimize([PUSH], "-bodies.cart.x", bounds={PUSH: (2.5, 50)}, limits={"bodies.cart.v": (None, 0.5)})
    assert best.converged and best.values[PUSH] == pytest.approx(2 * 0.5 / 0.2 + 0.1 * 2 * 9.81, rel=5e-3)
    assert best.outputs["bodies.cart.v"] <= 0.5 * (1 + 1e-4) and best.scenario[PUSH] == best.values[PUSH]
    with pytest.raises(ValueError):
        sc.optimize([PUSH], "bodies.cart.x", algorithm="luck")


def test_report_and_files(tmp_path):
    try:
        capstan.tool.find()
    except FileNotFoundError:
        pytest.skip("no tool")
    r = capstan.Scenario.text(CART.replace("0 N", "5 N")).run()
    page = r.report(tmp_path / "cart.html")
    assert page.startswith("<!doctype html>") and "A cart that is pushed" in page and (tmp_path / "cart.html").read_text() == page
    r.write(tmp_path / "result.h5")
    again = capstan.Result.load(tmp_path / "result.h5")
    assert np.array_equal(again["bodies.cart.x"], r["bodies.cart.x"])
    again.write(tmp_path / "copy.h5")
    assert "<iframe" in capstan.Result.load(tmp_path / "copy.h5")._repr_html_()
    with pytest.raises(RuntimeError):
        capstan.tool.run("run", "nothing.yaml")


def test_units():
    pint = pytest.importorskip("pint")
    r = capstan.Scenario.text(CART.replace("0 N", "5 N")).run()
    assert r.quantity("bodies.cart.v").to("mm/s").magnitude[-1] == pytest.approx(1000 * r["bodies.cart.v"][-1])
    assert isinstance(r.quantity("energy.kinetic"), pint.Quantity)


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
