"""The Python package: scenarios, runs, results without copies, laws over arrays, derivatives, errors."""

import errno
import gc
import math
import threading

import numpy as np
import pytest

import capstan

BLOCK = """
capstan: 1
title: Rabinowicz's block on a belt
bodies:   {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
springs:  {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}}
run:      {until: 10 s, output: 0.1 s, solver: events}
"""

PULLEY = {
    "capstan": 1,
    "title": "Two weights on a pulley",
    "drums": {"pulley": {"radius": "250 mm"}},
    "bodies": {"left": {"mass": "10 kg"}, "right": {"mass": "11 kg"}},
    "cables": {
        "rope": {
            "EA": "9.2 MN",
            "EI": "0.7 N m2",
            "mass_per_length": "0.4555 kg/m",
            "elements": 20,
            "path": ["left", "hang 1 m", "over pulley", "hang 1 m", "right"],
            "contact": {"normal": {"hunt-crossley": {"stiffness": 5e6}}, "friction": {"quinn": {"mu": 0.25, "epsilon": "10 mm/s"}}},
        }
    },
    "run": {"until": "0.5 s", "output": "10 ms"},
}


def test_run():
    r = capstan.Scenario.text(BLOCK).run()
    assert len(r.time) == 101 and r.time[-1] == 10
    assert r.units["bodies.block.x"] == "m"
    assert abs(r.energy["error"]) < 1e-9 * r.energy["scale"]
    assert r.counters["events"] == len(r.events) > 5
    # the period of stick-slip, from the closed form: w = sqrt(k/m), x = mu m g/k at the ends of sticking
    slips = [t for t, _, what in r.events if what.startswith("stick")]
    w, swing = math.sqrt(10), 0.1 * 9.81 / 10
    slip = 2 / w * (math.pi - math.atan(w * swing))
    assert slips[1] - slips[0] == pytest.approx(2 * swing + slip, rel=1e-9)


def test_columns_are_views_that_outlive_everything():
    column = capstan.Scenario.text(BLOCK).run()["bodies.block.x"]
    copy = column.copy()
    gc.collect()
    assert not column.flags.writeable and not column.flags.owndata
    assert np.array_equal(column, copy)
    with pytest.raises(ValueError):
        column[0] = 1


def test_cables_from_a_dict():
    sc = capstan.Scenario(PULLEY)
    r = sc.run()
    assert r["cables.rope.tension_end"][-1] == pytest.approx(11 * 9.81, rel=0.02)
    f = r.fields
    assert f["cables.rope.position"].shape == (len(f["time"]), 21, 2)
    assert sc["bodies.right.mass"] == 11 and sc.unit("bodies.right.mass") == "kg"
    assert sc.with_({"bodies.right.mass": "12 kg"})["bodies.right.mass"] == 12
    # a run is the same again, to the bit
    assert np.array_equal(sc.run()["bodies.right.y"], r["bodies.right.y"])


def test_errors_say_where():
    with pytest.raises(capstan.ScenarioError) as e:
        capstan.Scenario.text(BLOCK.replace("mass: 1 kg", "mas: 1 kg").replace("1 m/s", "1 kg"))
    assert len(e.value.problems) >= 2
    assert e.value.line == 4 and "mass" in str(e.value)
    with pytest.raises(FileNotFoundError, match="no such file.yaml: there is no such file") as e:
        capstan.Scenario("no such file.yaml")
    assert isinstance(e.value, capstan.FileError) and e.value.file == "no such file.yaml" and e.value.errno == errno.ENOENT
    with pytest.raises(KeyError):
        capstan.Scenario.text(BLOCK).run()["bodies.block.y"]
    with pytest.raises(capstan.ScenarioError):
        capstan.Scenario.text(BLOCK)["bodies.block.colour"]


def test_progress_stops_and_raises():
    sc = capstan.Scenario.text(BLOCK, {"run.until": "10000 s", "run.output": "1 s"})
    with pytest.raises(capstan.SimulationError) as e:
        sc.run(progress=lambda t, a, b, n: t > 50)
    assert e.value.result.time[-1] >= 50 and e.value.time > 50

    def broken(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sc.run(progress=broken)


def test_threads():
    sc = capstan.Scenario(PULLEY)
    found = []
    threads = [threading.Thread(target=lambda: found.append(sc.run()["bodies.right.y"].copy())) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 3 and all(np.array_equal(found[0], x) for x in found)


def test_laws():
    assert len(capstan.models) >= 42 and "cdq" in list(capstan.models)
    law = capstan.models["coulomb"]
    assert law(0.5, 10.0, mu=0.3) == pytest.approx(-3)
    v = np.linspace(-0.1, 0.1, 10001)
    cdq = capstan.models["cdq"].evaluate(v, 10.0, 2.0, jacobian=True, mu=0.3)
    slope = np.gradient(cdq["f"], v)
    assert np.allclose(cdq["f_v"][1:-1], slope[1:-1], atol=0.02 * np.max(np.abs(slope)))
    dahl = capstan.models["dahl"].evaluate(v, 10.0)
    assert dahl["z_t"].shape == (10001, 1)
    with pytest.raises(TypeError):
        law(0.5, 10.0, viscosity=3)
    with pytest.raises(capstan.ScenarioError):
        law(0.5, 10.0, mu=-1)
    with pytest.raises(KeyError, match="coulomb"):
        capstan.models["coulom"]


def test_sens():
    sc = capstan.Scenario.text(BLOCK)
    s = sc.sens(["bodies.block.mass", "contacts.belt.friction.mu_s"], ["bodies.block.x@5", "energy.friction"])
    h = 1e-6
    for j, path in enumerate(s.wrt):
        up, down = (sc.with_({path: sc[path] * (1 + d)}).run() for d in (h, -h))
        k = list(up.time).index(5)
        difference = (up["bodies.block.x"][k] - down["bodies.block.x"][k]) / (2 * h * sc[path])
        assert s.gradient[0, j] == pytest.approx(difference, rel=1e-5)


def test_frame():
    pd = pytest.importorskip("pandas")
    frame = capstan.Scenario.text(BLOCK).run().frame()
    assert isinstance(frame, pd.DataFrame) and frame.index.name == "time" and len(frame) == 101


CART = """
capstan: 1
title: A cart that is pushed
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 1 s, output: 10 ms, solver: alpha, step: 1 ms}
"""


def test_stepping():
    sim = capstan.Scenario.text(CART).simulation(inputs=["loads.push.force"], outputs=["bodies.cart.x", "bodies.cart.v"])
    for _ in range(500):
        x, v = sim.step(0.001, [5.0])
    # Newton: m a = F - mu m g, past the end of the run as well
    a = (5 - 0.1 * 2 * 9.81) / 2
    assert sim.time == pytest.approx(0.5) and v == pytest.approx(a * 0.5, rel=2e-3)
    before = sim.save()
    other = sim.copy()
    ahead = [sim.step(0.001, [1.0]) for _ in range(700)]
    sim.restore(before)
    assert all(np.array_equal(sim.step(0.001, [1.0]), y) for y in ahead)
    assert all(np.array_equal(other.step(0.001, [1.0]), y) for y in ahead)
    assert sim.time > 1.1
    sim.reset({"bodies.cart.mass": 4.0})
    assert sim.time == 0
    for _ in range(500):
        x, v = sim.step(0.001, [10.0])
    assert v == pytest.approx((10 - 0.1 * 4 * 9.81) / 4 * 0.5, rel=2e-3)
    with pytest.raises(KeyError):
        capstan.Scenario.text(CART).simulation(outputs=["bodies.cart.z"])
    with pytest.raises(ValueError):
        sim.step(0.001, [1.0, 2.0])
    with pytest.raises(capstan.ScenarioError):
        sim.step(0.001, [math.nan])


def test_stepping_equals_running():
    sc = capstan.Scenario.text(CART, {"loads.push.force": "5 N"})
    whole = sc.run()
    sim = sc.simulation(outputs=["bodies.cart.x"])
    pieces = [sim.step_to(t)[0] for t in whole.time[1:]]
    assert np.array_equal(pieces, whole["bodies.cart.x"][1:])


def test_quantities():
    q = capstan.Scenario.text(CART).quantities()
    assert q["bodies.cart.mass"] == (2.0, "kg") and "contacts.rail.friction.mu" in q


def test_paths_that_are_not_there():
    for path in ("nope", "", "bodies.cart.masss"):
        with pytest.raises(capstan.ScenarioError):
            capstan.Scenario.text(CART).with_({path: 1.0})
