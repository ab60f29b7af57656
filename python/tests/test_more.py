"""Batches, fits, optimisation, files."""

from __future__ import annotations

import os

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
ROPE = """
capstan: 1
drums: {pulley: {radius: 0.25, inertia: 2 kg m2, drive: {torque: 5 N m}}}
bodies: {left: {mass: 10}, right: {mass: 10}}
cables:
  rope: {EA: 1 MN, EI: 1 N m2, mass_per_length: 0.5, elements: 8, damping: {rayleigh: 1 N s}, path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right],
         contact: {at: nodes, normal: {hunt-crossley: {}}, friction: {quinn: {}}}}
run: {until: 2 ms, output: 1 ms}
"""


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
    sc.batch(2000)  # its memory is free again: the first simulations of the next batch take none
    with pytest.raises(MemoryError, match="a batch of 1000000000 simulations would take"):
        sc.batch(10**9)
    with pytest.raises(capstan.ScenarioError, match="cart.q"):
        sc.batch(1, [], ["bodies.cart.q"])
    with pytest.raises(KeyError):
        sc.batch(1, ["wind"])
    with pytest.raises(IndexError):
        batch.reset(2)


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
    # as the tool writes: links are followed, devices stay devices, what lies where a part goes is not written through
    (tmp_path / "link").symlink_to(tmp_path / "cart.html")
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "cart.html.part").symlink_to(tmp_path / "victim")
    r.report(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "cart.html").read_text() == page
    assert (tmp_path / "victim").read_text() == "precious" and not list(tmp_path.glob("*.part"))
    r.report(os.devnull)
    assert not os.path.isfile(os.devnull)
    for write in (r.report, r.write, again.write):
        with pytest.raises(OSError, match="it is a folder"):
            write(tmp_path)
    assert "<iframe" in capstan.Result.load(tmp_path / "copy.h5")._repr_html_()
    with pytest.raises(RuntimeError):
        capstan.tool.run("run", "nothing.yaml")


def test_units():
    pint = pytest.importorskip("pint")
    r = capstan.Scenario.text(CART.replace("0 N", "5 N")).run()
    assert r.quantity("bodies.cart.v").to("mm/s").magnitude[-1] == pytest.approx(1000 * r["bodies.cart.v"][-1])
    assert isinstance(r.quantity("energy.kinetic"), pint.Quantity)


def test_numbers_with_units():
    """Text with a unit, wherever a number of the file or a parameter of a law is given; Quantities of pint as well."""
    sc, mass = capstan.Scenario.text(CART.replace("0 N", "5 N")), "bodies.cart.mass"
    sim, batch = sc.simulation([], ["bodies.cart.x"]), sc.batch(2, [], ["bodies.cart.x"])
    law = capstan.models["cdq"]
    quantities = [("3000 g", "20 mm/s")]
    try:
        import pint

        ureg = pint.get_application_registry()
        quantities.append((3000 * ureg.gram, 20 * ureg.mm / ureg.s))
    except ImportError:
        pass
    sim.reset({mass: 3.0})
    x = sim.step(0.1)
    for three, slow in quantities:
        assert sc.with_({mass: three})[mass] == pytest.approx(3.0, rel=1e-15)
        sim.reset({mass: three})
        batch.reset(1, {mass: three})
        assert sim.step(0.1) == pytest.approx(x, rel=1e-12) and batch.step(0.1)[1] == pytest.approx(x, rel=1e-12)
        assert law(0.015, 10.0, epsilon=slow) == pytest.approx(law(0.015, 10.0, epsilon=0.02), rel=1e-12)
        batch.reset()


def test_units_of_all_columns():
    """Every unit that a column, a number of a file or a parameter of a law has means the same to pint."""
    pint = pytest.importorskip("pint")
    ureg = pint.get_application_registry()
    units = {unit for law in (*capstan.models.values(), *capstan.normals.values()) for unit in [p["unit"] for p in law.params]}
    for text in (CART, ROPE):
        sc = capstan.Scenario.text(text)
        units |= {unit for _, unit in sc.quantities().values()} | set(sc.run().units.values())
    assert {"kg", "N m", "1"} < units
    for unit in {u for u in units if "exponent" not in u}:  # "N/m^exponent" depends on another parameter
        assert capstan.quantity(f"1 {unit}" if unit != "1" else "1", unit) == 1.0
        kilo = ureg.Quantity(1.0, capstan.arrays.pint_unit(unit)).to_base_units()
        assert kilo.magnitude == 1.0, unit  # SI, and no other unit by the same letters
