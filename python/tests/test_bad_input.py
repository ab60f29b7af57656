"""Wrong shapes and dtypes, things that are closed, scenarios under live simulations, Ctrl-C: an exception with a sentence."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import capstan

CART = """
capstan: 1
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 1 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
SC = capstan.Scenario.text(CART)


def loop(**options):
    return capstan.Simulation(SC, ["loads.push.force"], ["bodies.cart.x"], **options)


@pytest.mark.parametrize("u", [1j, np.zeros(1, dtype=complex), "1", [None], np.array(["2026-01-01"], dtype="M8[D]"), object()])
def test_dtypes(u):
    with pytest.raises(TypeError, match="inputs: real numbers are needed"):
        loop().step(0.01, u)
    with pytest.raises(TypeError, match="inputs: real numbers are needed"):
        SC.batch(2, ["loads.push.force"], []).step(0.01, u)
    with pytest.raises(TypeError, match="v: real numbers are needed"):
        capstan.models["coulomb"](u)


def test_shapes():
    with pytest.raises(ValueError, match="as many values as inputs"):
        loop().step(0.01, [1.0, 2.0])
    with pytest.raises(ValueError):
        SC.batch(2, ["loads.push.force"], []).step(0.01, np.zeros((3, 1)))
    with pytest.raises(ValueError):
        capstan.models["coulomb"]([1.0, 2.0], [1.0, 2.0, 3.0])


def test_files(tmp_path):
    """What is not there is a FileNotFoundError, what cannot be read or written an OSError; neither is a fault of a scenario."""
    (tmp_path / "notes.h5").write_text("hello")
    (tmp_path / "empty").mkdir()
    for call in (
        lambda: capstan.Scenario(tmp_path / "nowhere.yaml"),
        lambda: capstan.Result.load(tmp_path / "nowhere.h5"),
        lambda: capstan.Result.load(tmp_path / "empty"),
        lambda: capstan.Study(tmp_path / "nowhere.yaml"),
    ):
        with pytest.raises(capstan.MissingFileError, match="[Nn]o such file") as e:
            call()
        assert isinstance(e.value, FileNotFoundError) and not isinstance(e.value, ValueError)
    for call in (lambda: capstan.Scenario(tmp_path), lambda: capstan.Result.load(tmp_path / "notes.h5"), lambda: SC.run().write(tmp_path)):
        with pytest.raises(capstan.FileError) as e:
            call()
        assert isinstance(e.value, OSError) and not isinstance(e.value, (FileNotFoundError, ValueError))
    again = pickle.loads(pickle.dumps(e.value))  # as a pool of processes does
    assert type(again) is type(e.value) and str(again) == str(e.value) and again.problems == e.value.problems


@pytest.mark.parametrize(
    "call",
    [
        lambda: SC.simulation("loads.push.force"),
        lambda: SC.simulation(outputs=None),
        lambda: SC.simulation(outputs=[3]),
        lambda: SC.batch(2, outputs="bodies.cart.x"),
        lambda: SC.sens("bodies.cart.mass", ["bodies.cart.x"]),
        lambda: capstan.Trajectory(SC, ["bodies.cart.mass"], "bodies.cart.x"),
        lambda: loop().differentiate("bodies.cart.mass"),
        lambda: SC.with_([1, 2]),
        lambda: SC.batch(2, [], ["bodies.cart.x"]).step(0.01, out=[[0], [0]]),
        lambda: capstan.models[None],
    ],
)
def test_names_and_kinds(call):
    with pytest.raises(TypeError, match="needed|names are texts"):
        call()


def test_numbers_that_cannot_be():
    for duration in (float("nan"), float("inf"), -1.0):
        with pytest.raises(capstan.ScenarioError, match="a step cannot go"):
            loop().step(duration, [1.0])
    assert loop().step(0.0, [1.0]).shape == (1,)
    for n in (0, -1, 10**10):
        with pytest.raises(ValueError, match="a batch has at least one"):
            SC.batch(n)
    sim = loop()
    for state in (bytes(len(sim.save())), bytes(b ^ 0xFF for b in sim.save())):
        with pytest.raises(capstan.ScenarioError, match="no state of this simulation"):
            sim.restore(state)
    with pytest.raises(ValueError, match="address"):
        capstan.own_law("x", {"mu": 1.0}, stick="mu", velocity=1.0, address=-1)


def test_products_have_the_right_sizes():
    """The module itself knows how many parameters there are: a short array is refused, not written past its end."""
    sim = loop()
    sim.differentiate(["bodies.cart.mass", "contacts.rail.friction.mu"])
    sim.step(0.01, [1.0])
    with pytest.raises(ValueError, match="an array of 2 numbers is needed, not of 0"):
        sim._core.vjp(None, None, None, None, np.zeros(0))
    with pytest.raises(ValueError, match="an array of 2 numbers is needed, not of 5"):
        sim._core.jvp(None, None, np.zeros(5), None, None)


def test_laws_broadcast():
    v, n = np.linspace(-1, 1, 12).reshape(3, 4), np.arange(1.0, 5)
    law = capstan.models["tanh"]
    each = np.array([[law(v[i, j], n[j], 0.5) for j in range(4)] for i in range(3)])
    assert np.array_equal(law(v, n, 0.5), each)
    assert isinstance(law(0.1), float) and law(np.full((1, 1), 0.1)).shape == (1, 1)
    assert law(np.asfortranarray(v)).tolist() == law(v).tolist()
    assert law([]).shape == (0,)


def test_closed():
    sim, batch = loop(keep=-1), SC.batch(2, ["loads.push.force"], ["bodies.cart.x"])
    sim.step(0.05, [50.0])
    kept = sim.result["bodies.cart.x"]
    for thing in (sim, batch):
        with thing as same:
            assert same is thing
    assert kept[-1] > 0
    for call in (lambda: sim.step(0.01), sim.save, sim.reset, sim.copy, lambda: sim["bodies.cart.x"], lambda: sim.time, lambda: sim.result, lambda: sim.jvp(inputs=[1.0])):
        with pytest.raises(RuntimeError, match="this simulation is closed"):
            call()
    for call in (lambda: batch.step(0.01), lambda: batch.save(0), batch.reset, lambda: batch.time):
        with pytest.raises(RuntimeError, match="this batch is closed"):
            call()
    sim.close()  # twice is once


def test_a_scenario_does_not_change(tmp_path):
    with pytest.raises(TypeError, match="a scenario does not change.*with_"):
        SC["bodies.cart.mass"] = 3.0
    source = {"capstan": 1, "bodies": {"cart": {"mass": 2, "v": 1}}, "run": {"until": 1, "output": 0.1}}
    from_dict = capstan.Scenario(source)
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    from_file = capstan.Scenario(path)
    sims = [s.simulation([], ["bodies.cart.x"]) for s in (from_dict, from_file)]
    before = [sim.step(0.1)[0] for sim in sims]
    source["bodies"]["cart"]["v"] = 5
    path.write_text("nonsense: [")
    for sim, x in zip(sims, before):  # they go on with what they were made of
        sim.reset()
        assert sim.step(0.1)[0] == x
    assert from_dict["bodies.cart.v"] == 1 and from_file["bodies.cart.mass"] == 2


def test_arrays_of_a_live_simulation_stay():
    sim = loop(keep=-1)
    sim.step(0.1, [50.0])
    x, frame = sim.result["bodies.cart.x"], sim.result
    copy = x.copy()
    for _ in range(50):  # rows are moved to larger blocks
        sim.step(0.1)
    assert np.array_equal(x, copy) and not x.flags.writeable
    assert len(frame["bodies.cart.x"]) > len(x)


def test_one_thread_at_a_time():
    sim = loop(keep=-1)
    result = sim.result
    other = threading.Thread(target=sim.step, args=(50.0, [50.0]))
    other.start()
    said = set()
    while other.is_alive():
        for call in (lambda: sim.step(0.1), lambda: result["time"], lambda: result.events, sim.save):
            try:
                call()
            except RuntimeError as e:
                said.add(str(e))
    other.join()
    assert said == {"this simulation is at work in another thread", "the simulation of this result is at work in another thread"}


def test_many_threads_at_one_simulation():
    """Whoever comes while another one is at work is told so; nothing is torn, also without a GIL."""
    sim, other = loop(keep=-1), loop(keep=-1)
    sim.differentiate(["bodies.cart.mass"])
    result, batch = sim.result, SC.batch(3, ["loads.push.force"], ["bodies.cart.x"], threads=2)
    errors, end = [], time.monotonic() + 0.5
    calls = (
        lambda: sim.step(0.02, [50.0]),
        lambda: result["bodies.cart.x"].sum(),
        lambda: (result.events, result.energy, result.counters, result.fields),
        lambda: other._core.copy(sim._core),
        lambda: sim._core.copy(other._core),
        lambda: sim.restore(sim.save()),
        lambda: sim.differentiate(["bodies.cart.mass"]),
        lambda: sim.jvp(inputs=[1.0]),
        lambda: sim.reset(),
        lambda: batch.step(0.02, 1.0),
        lambda: batch.reset(),
    )

    def work(call):
        while time.monotonic() < end:
            try:
                call()
            except RuntimeError as e:
                if "at work in another thread" not in str(e):
                    errors.append(e)
            except capstan.ScenarioError as e:
                if "there is no step to differentiate" not in str(e):
                    errors.append(e)

    threads = [threading.Thread(target=work, args=(call,)) for call in calls]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors[0]
    sim.reset()
    assert np.isfinite(sim.step(0.02, [50.0])).all()


def test_laws_raise_where_they_were_called():
    """Two runs in two threads, one with a law that raises: the other one ends well."""

    def breaks(v, n, f_eq, p):
        raise ZeroDivisionError("in the law")

    about = {"params": {"mu": 0.1}, "stick": "mu", "velocity": 1e-3}
    laws = [capstan.own_law("bad", call=breaks, **about), capstan.own_law("good", call=lambda v, n, f_eq, p: -p["mu"] * n * np.tanh(v / 1e-3), **about)]
    scenarios = [capstan.Scenario.text(CART.replace("quinn: {mu: 0.1, epsilon: 1 mm/s}", f"{law.name}: {{}}").replace("1 s,", "0.05 s,"), laws=[law]) for law in laws]
    done = []

    def good():
        for _ in range(3):
            done.append(scenarios[1].run())

    other = threading.Thread(target=good)
    other.start()
    while other.is_alive():
        with pytest.raises(ZeroDivisionError, match="in the law"):
            scenarios[0].run()
    other.join()
    assert len(done) == 3
    assert np.array_equal(done[0]["bodies.cart.x"], done[2]["bodies.cart.x"])


def test_exceptions_in_callbacks():
    class Own(Exception):
        pass

    def breaks(*_):
        raise Own("no")

    slow = SC.with_({"run.until": 100.0})
    for call in (lambda: slow.run(breaks), lambda: slow.sens(["bodies.cart.mass"], ["bodies.cart.x"], progress=breaks)):
        with pytest.raises(Own, match="no"):
            call()


LONG = SC.with_({"run.until": 1e5})


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"), reason="needs signals")
@pytest.mark.parametrize(
    "call",
    [
        lambda: LONG.run(),
        lambda: LONG.sens(["bodies.cart.mass"], ["bodies.cart.x"]),
        lambda: LONG.optimize(["loads.push.force"], "bodies.cart.x", bounds={"loads.push.force": (0.0, 50.0)}),
        lambda: loop().step(1e6, [50.0]),
        lambda: LONG.batch(2, ["loads.push.force"], ["bodies.cart.x"], threads=1).step(1e6, 50.0),
        lambda: [capstan.models["quinn"](np.zeros(10**7), 1.0, 0.1) for _ in range(1000)],
    ],
    ids=["run", "sens", "optimize", "step", "batch", "law"],
)
def test_ctrl_c(call):
    sent = []

    def send():
        sent.append((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    waited = time.perf_counter() - sent[0][0]
    worked = time.process_time() - sent[0][1]
    assert min(waited, worked) < 0.1, (waited, worked)


def scaled(mass):
    """For a pool of processes: what it is given and what it gives back is pickled."""
    return SC.with_({"bodies.cart.mass": mass, "loads.push.force": 50.0}).run()


def test_pickle_and_copy(tmp_path):
    """Scenarios and results go to other processes and back; what cannot says why."""
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    for sc in (SC, capstan.Scenario(path, {"run.until": "0.5 s"}), capstan.Scenario({"capstan": 1, "bodies": {"a": {"mass": np.int64(2)}}, "run": {"until": 1, "output": 0.5}})):
        for same in (sc, sc.with_({"run.until": "0.2 s"})):
            again = pickle.loads(pickle.dumps(same))
            assert again.hash == same.hash and again.quantities() == same.quantities() and np.array_equal(again.run().time, same.run().time)
        assert copy.deepcopy(sc) is sc
    kept = pickle.dumps(capstan.Scenario(path))
    path.write_text(CART.replace("2 kg", "3 kg"))
    with pytest.raises(ValueError, match="not the same here"):
        pickle.loads(kept)
    result = scaled(3.0)
    again = pickle.loads(pickle.dumps(result))
    assert all(np.array_equal(again[name], result[name], equal_nan=True) for name in result) and again.units == result.units
    again.write(tmp_path / "again.h5")
    assert result == result and result != again and copy.copy(result) is result
    with multiprocessing.get_context("fork").Pool(1) as pool:
        back = pool.apply(scaled, (3.0,))
    assert np.array_equal(back["bodies.cart.x"], result["bodies.cart.x"])
    for law in (capstan.models["cdq"], capstan.normals["linear"]):
        assert repr(pickle.loads(pickle.dumps(law))) == repr(law)
    own = capstan.own_normal("mine", {}, call=lambda depth, rate, p: 1e6 * max(depth, 0.0))
    for thing in (loop(), SC.batch(1), own, capstan.Scenario.text(CART, laws=[own])):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_copies_have_the_values_of_the_last_reset():
    sim = loop(keep=-1)
    sim.reset({"bodies.cart.mass": 8.0})
    sim.step(0.1, [50.0])
    for other in (sim.copy(), copy.deepcopy(sim)):
        other.step(0.1, [50.0])
        assert other["bodies.cart.x"] != loop().step(0.2, [50.0])[0]
        assert np.array_equal(other.step(0.1, [50.0]), two_steps(sim))


def two_steps(sim):
    """Where it would be after two steps, which it does not make."""
    state = sim.save()
    sim.step(0.1, [50.0])
    there = sim.step(0.1, [50.0])
    sim.restore(state)
    return there


def test_scenarios_of_a_kind_of_ones_own():
    class Mine(capstan.Scenario):
        """With something more."""

    assert type(Mine.text(CART).with_({"bodies.cart.mass": 3.0})) is Mine


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: capstan.own_law("x", ["mu"], stick=1.0, velocity=1.0, call=abs), TypeError, "params: a mapping of names to values is needed"),
        (lambda: capstan.own_law("x", {"mu": "1 mm/s"}, stick=1.0, velocity=1.0, call=abs), TypeError, "value of parameter mu: a number is needed"),
        (lambda: capstan.own_law("x", {"mu": {"value": 1, "maximum": 3}}, stick=1.0, velocity=1.0, call=abs), ValueError, "may have unit, min, max and meaning; not value, maximum"),
        (lambda: capstan.own_law("x", {"v_t": (10, "mm/s")}, stick=1.0, velocity="v_t", call=abs), ValueError, "v_t has to be in m/s, as all numbers of a law are in SI"),
        (lambda: capstan.Scenario.text(CART, laws=["quinn"]), TypeError, r"laws: laws of your own \(own_law, own_normal\) are needed, not 'quinn'"),
        (lambda: capstan.Scenario(CART), ValueError, r"this is text of several lines: Scenario.text\(...\) reads YAML"),
        (lambda: SC.with_({"bodies.cart.mass": None}), TypeError, "bodies.cart.mass: real numbers are needed"),
        (lambda: SC.with_({"bodies.cart.mass": [2.0, 3.0]}), TypeError, "bodies.cart.mass: one number is needed, not 2"),
        (lambda: SC.with_({"bodies.cart.mass": -3}), capstan.ScenarioError, "^settings:1:18: .*mass must be greater than 0"),
        (lambda: loop().reset([3.0]), TypeError, "a mapping of paths to values is needed"),
        (lambda: loop().reset({"bodies.cart.mass": "3 s"}), capstan.ScenarioError, '"s" cannot be converted to kg'),
        (lambda: SC.simulation(["bodies.cart.mass"]), capstan.ScenarioError, "^bodies.cart.mass cannot be an input: only what may change with time can"),
        (lambda: SC.batch(3, ["loads.push.force"]).step(0.1, [1, 2, 3]), ValueError, r"inputs are \[3, 1\], one row for each simulation, or what broadcasts to that, not \[3\]"),
        (lambda: capstan.models["cdq"](0.1, epsilon="1 kg"), capstan.ScenarioError, '"kg" cannot be converted to m/s'),
        (lambda: SC.with_({"bodies.cart.mass\0": 3.0}), ValueError, "NUL"),
        (lambda: SC["bodies.cart\0"], ValueError, "NUL"),
        (lambda: loop().step(0.01, np.ma.array([1.0], mask=[True])), TypeError, "masked"),
        (lambda: loop(keep=-2), ValueError, "keep"),
        (lambda: capstan.Scenario.text(CART, "run.until=3"), TypeError, "mapping of paths"),
        (lambda: capstan.own_law("x", {"mu": 0.1}, stick="mu", velocity=1.0, address=2**64), ValueError, "address"),
        (lambda: capstan.own_law("x", {"mu": 0.1}, stick="mu", velocity=0.0, call=abs), ValueError, "positive"),
        (lambda: capstan.own_law("x", {}, stick=float("nan"), velocity=1.0, call=abs), ValueError, "positive"),
        (lambda: capstan._core.OwnLaw.make_normal(("x", "x", "x", "x"), (), 0, None), ValueError, "a law is a function"),
        (lambda: capstan.own_law("x", {"mu": 0.1}, stick="mu", velocity=1.0, call=lambda *a: (0.0, {"nu": 1.0}))(0.1), KeyError, "not by nu"),
        (lambda: capstan.own_law("x", {"mu": 0.1}, stick="mu", velocity=1.0, call=lambda *a: None)(0.1), TypeError, "a law gives a force"),
        (lambda: capstan.own_law("x", {"mu": 0.1}, stick="mu", velocity=1.0, call=lambda *a: (1.0,))(0.1), TypeError, "a law gives a force"),
    ],
)
def test_what_was_taken_for_something_else(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_a_batch_that_is_refused_has_not_moved():
    batch = SC.batch(2, ["loads.push.force"], ["bodies.cart.x"])
    batch.step(0.1, 50.0)
    with pytest.raises(ValueError, match="input loads.push.force of simulation 1 cannot be nan: nothing was done"):
        batch.step(0.1, [[50.0], [np.nan]])
    assert np.array_equal(batch.time, [0.1, 0.1]) and not batch.failed.any()
    other = SC.batch(2, ["loads.push.force"], ["bodies.cart.x"])
    other.step(0.1, 50.0)
    assert np.array_equal(batch.step(0.1), other.step(0.1))
    assert np.array_equal(loop().step(0.2, np.array([50.0], dtype=">f8")), loop().step(0.2, [50.0]))
