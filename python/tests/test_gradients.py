"""JAX and PyTorch around runs: checked against differences, across stick and slip."""

from __future__ import annotations

import numpy as np
import pytest

import capstan

# A block that is pushed to and fro: it sticks, lets go and comes to rest again, twice each way.
STICK_SLIP = """
capstan: 1
bodies:   {block: {mass: 1 kg}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb-static: {mu_s: 0.3, mu_d: 0.2}}}}
loads:    {push: {on: block, force: {sine: {amplitude: 4 N, frequency: 1 Hz}}}}
run:      {until: 2 s, output: 10 ms, solver: events}
"""
WRT = ["bodies.block.mass", "contacts.floor.friction.coulomb-static.mu_d", "loads.push.force.sine.amplitude"]
OF = ["bodies.block.x", "max(bodies.block.v)"]


def scenario():
    return capstan.Scenario.text(STICK_SLIP)


def at(p):
    return scenario().with_(dict(zip(WRT, p))).sens(WRT[:1], OF, "forward").values


def jacobian(p):
    columns = []
    for i in range(len(p)):
        h = 1e-4 * p[i]
        e = np.eye(len(p))[i]
        columns.append((8 * (at(p + h * e) - at(p - h * e)) - (at(p + 2 * h * e) - at(p - 2 * h * e))) / (12 * h))
    return np.array(columns).T


def test_it_sticks_and_slips():
    assert len(scenario().run().events) >= 6


P = np.array([1.0, 0.2, 4.0])


def test_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import capstan.jax

    f = capstan.jax.function(scenario(), WRT, OF)
    expected = jacobian(P)
    assert np.allclose(f(P), at(P), rtol=1e-12)
    assert np.allclose(jax.jacrev(f)(P), expected, rtol=1e-8)
    assert np.allclose(jax.jacfwd(f)(P), expected, rtol=1e-8)
    assert np.allclose(jax.jit(jax.grad(lambda p: f(p)[0] * f(p)[1]))(P), at(P)[0] * expected[1] + at(P)[1] * expected[0], rtol=1e-8)
    many = np.stack([P, P * 1.01, P * 0.99])
    assert np.allclose(jax.vmap(f)(many), [at(p) for p in many], rtol=1e-12)
    assert np.allclose(jax.vmap(jax.grad(lambda p: f(p)[0]))(many)[0], expected[0], rtol=1e-8)
    with pytest.raises(ValueError):
        f(P[:2])


def test_torch():
    torch = pytest.importorskip("torch")
    import capstan.torch

    f = capstan.torch.function(scenario(), WRT, OF)
    p = torch.tensor(P, dtype=torch.float64, requires_grad=True)
    y = f(p)
    (y[0] * y[1]).backward()
    expected = jacobian(P)
    assert np.allclose(p.grad.numpy(), at(P)[0] * expected[1] + at(P)[1] * expected[0], rtol=1e-8)
    with pytest.raises(ValueError):
        f(p[:2])
