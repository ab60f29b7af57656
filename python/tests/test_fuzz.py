"""The binding is given nonsense: it raises, and neither crashes nor hangs."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import capstan

CART = """
capstan: 1
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}
loads:    {push: {on: cart, force: 0 N}}
run:      {until: 0.05 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
SC = capstan.Scenario.text(CART)
EXPECTED = (capstan.CapstanError, ValueError, TypeError, KeyError, IndexError, OverflowError, OSError, BufferError, RuntimeError)
quick = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["cart", "ground", "1 kg", "quinn", "ground"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["mass", "between", "friction", "normal", "force", "cart", "until"]) | st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@quick
@given(st.dictionaries(st.sampled_from(["capstan", "bodies", "contacts", "loads", "run", "cables", "drums"]), values, max_size=5))
def test_scenarios(source):
    try:
        capstan.Scenario(source)
    except EXPECTED:
        pass


@quick
@given(st.text(max_size=60))
def test_paths(path):
    for call in (lambda: SC[path], lambda: SC.with_({path: 1.0}), lambda: SC.simulation([path], []), lambda: SC.simulation([], [path]), lambda: SC.sens([path], ["bodies.cart.x"]), lambda: capstan.models[path], lambda: capstan.quantity(path, "m")):
        try:
            call()
        except EXPECTED:
            pass


arrays = st.one_of(
    st.floats(),
    st.lists(st.floats(), max_size=4),
    st.builds(lambda n, kind: np.zeros(n, dtype=kind), st.integers(0, 5), st.sampled_from(["f8", "f4", "i8", "c16", "?", "U3"])),
    st.builds(lambda n: np.zeros((n, n))[::2], st.integers(0, 4)),
    st.text(max_size=3),
    st.none(),
)


@quick
@given(arrays, st.floats(), st.binary(max_size=30))
def test_steps(u, duration, state):
    sim = SC.simulation(["loads.push.force"], ["bodies.cart.x"])
    batch = SC.batch(2, ["loads.push.force"], ["bodies.cart.x"], 1)
    duration = min(duration, 0.02) if duration == duration else duration
    for call in (lambda: sim.step(duration, u), lambda: batch.step(duration, u), lambda: sim.restore(state), lambda: batch.restore(1, state), lambda: sim.reset({"bodies.cart.mass": u}), lambda: capstan.models["lugre"](u, 1.0, z=u)):
        try:
            call()
        except EXPECTED:
            pass
    sim.reset({"bodies.cart.mass": 2.0})  # a mass that was changed stays so after reset() alone
    assert np.isfinite(sim.step(0.01, [1.0])).all()


@quick
@given(arrays, arrays, arrays, st.sampled_from(["coulomb", "tanh", "quinn", "lugre"]), st.booleans())
def test_laws(v, n, f_eq, name, jacobian):
    try:
        out = capstan.models[name].evaluate(v, n, f_eq, jacobian=jacobian)
    except EXPECTED:
        return
    assert out["f"].shape == np.broadcast_shapes(*(np.shape(a) for a in (v, n, f_eq)))


@quick
@given(arrays, arrays, st.sampled_from(["linear", "hunt-crossley"]), st.booleans(), st.floats())
def test_normals(depth, rate, name, jacobian, stiffness):
    try:
        out = capstan.normals[name].evaluate(depth, rate, jacobian=jacobian, stiffness=stiffness)
    except EXPECTED:
        return
    assert out["n"].shape == np.broadcast_shapes(np.shape(depth), np.shape(rate))


numbers = st.floats() | st.integers() | st.text(max_size=4) | st.none()


@quick
@given(st.text(max_size=6), st.dictionaries(st.text(max_size=3), numbers, max_size=3), numbers, numbers, st.lists(numbers, max_size=4).map(tuple), numbers)
def test_own_laws(name, params, stick, velocity, state, answer):
    for make in (
        lambda: capstan.own_law(name, params, stick=stick, velocity=velocity, call=lambda *_: answer),
        lambda: capstan.own_law(name, params, stick=stick, velocity=velocity, states=[state], address=1 << 40),
        lambda: capstan.own_normal(name, params, call=lambda *_: answer),
    ):
        try:
            law = make()
            if law.name and not getattr(law, "states", ()):
                law(0.1)
                capstan.Scenario.text(CART, laws=[law])
        except EXPECTED:
            pass


def copied(sim):
    """Whatever a simulation has been through, its copy is where it is."""
    state = sim.save()  # raises if it is closed
    try:
        other = sim.copy()
    except capstan.CapstanError as e:
        raise AssertionError("no copy") from e
    assert other.save() == state and other.time == sim.time
    return other


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2)), max_size=25))
def test_any_order(calls):
    """Whatever is called in whatever order, also after close and with states of others: exceptions, and nothing is broken."""
    sims = [capstan.Simulation(SC, ["loads.push.force"], ["bodies.cart.x"], keep=k) for k in (0, 2, -1)]
    states = [b"", sims[0].save(), SC.with_({"bodies.cart.mass": 3.0}).simulation().save()]
    views = []
    for what, i in calls:
        sim = sims[i]
        calls_of = (
            lambda: sim.step(0.003, [20.0]),
            lambda: sim.step(0.002, [-5.0], ramp=True),
            lambda: sim.step(0.01, to_event=True),
            lambda: states.append(sim.save()),
            lambda: sim.restore(states[(7 * len(states) + i) % len(states)]),
            lambda: sim.reset({"bodies.cart.mass": 1.0 + i}),
            lambda: sims.__setitem__(i, copied(sim)),
            lambda: sim.differentiate(["bodies.cart.mass"]),
            lambda: sim.jvp(inputs=[1.0], wrt=[0.5]),
            lambda: sim.vjp(outputs=[1.0]),
            lambda: views.append(sim.result["bodies.cart.x"]),
            lambda: sim.close(),
        )
        try:
            calls_of[what]()
        except EXPECTED:
            pass
    assert all(np.isfinite(view).all() for view in views)
    sim = SC.simulation(["loads.push.force"], ["bodies.cart.x"])
    assert sim.step(0.01, [50.0])[0] > 0
