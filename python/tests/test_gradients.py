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


# ---------------------------------------------------------------- rows

COLUMNS = ["bodies.block.x", "bodies.block.v"]


def run_of_rows(**options):
    return capstan.Trajectory(scenario(), WRT, COLUMNS, **options)


def test_trajectory():
    run = run_of_rows()
    y = run(P)
    assert y.shape == run.shape == (201, 2) and np.array_equal(run.times, scenario().run().time)
    assert np.allclose(y[:, 0], scenario().with_(dict(zip(WRT, P))).run()["bodies.block.x"], atol=1e-9)
    expected = np.moveaxis(np.array([by_differences(run, i) for i in range(len(P))]), 0, -1)
    same, by = run.jacobian(P)
    assert np.array_equal(same, y)
    # where a row stands between stick and slip its velocity has a kink, and differences over it depend on their length
    longer = np.moveaxis(np.array([by_differences(run, i, 3e-4) for i in range(len(P))]), 0, -1)
    smooth = np.abs(longer[:, 1] - expected[:, 1]).max(axis=-1) < 1e-3
    assert smooth.mean() > 0.95
    for column in range(2):
        scale = np.abs(by[:, column]).max()
        assert np.abs(by[smooth, column] - expected[smooth, column]).max() < 1e-8 * scale
    weights = np.random.default_rng(3).normal(size=run.shape)
    assert np.allclose(run.vjp(P, weights), np.einsum("rc,rcp->p", weights, by), rtol=1e-9)
    change = np.array([0.1, -0.2, 0.3])
    assert np.allclose(run.jvp(P, change)[1], by @ change, rtol=1e-12)
    assert run.warnings == ()


def by_differences(run, i, part=1e-4):
    """Of fourth order, by one parameter, over a part of it."""
    h, e = part * P[i], np.eye(len(P))[i]
    return (8 * (run(P + h * e) - run(P - h * e)) - (run(P + 2 * h * e) - run(P - 2 * h * e))) / (12 * h)


def test_trajectory_at_times():
    times = np.array([0.1234, 0.7, 1.9876])
    run = run_of_rows(times=times)
    y = run(P)
    assert np.array_equal(run.times, times) and y.shape == (3, 2)
    single = scenario().with_(dict(zip(WRT, P))).sens(WRT, [f"bodies.block.x@{t}" for t in times])
    assert np.allclose(y[:, 0], single.values, atol=1e-9)
    weights = np.zeros((3, 2))
    weights[:, 0] = [1.0, -2.0, 3.0]
    assert np.allclose(run.vjp(P, weights), weights[:, 0] @ single.gradient, rtol=1e-6)


def test_bad_trajectories():
    run = run_of_rows()
    for call in (lambda: run(P[:2]), lambda: run.vjp(P, np.zeros((3, 2))), lambda: run.jvp(P, P[:1]), lambda: capstan.Trajectory(scenario(), [], COLUMNS), lambda: run_of_rows(times=[1.0, 0.5]), lambda: run_of_rows(times=[5.0])):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(KeyError, match="nothing"):
        capstan.Trajectory(scenario(), WRT, ["nothing"])
    with pytest.raises(capstan.CapstanError, match="weight of bodies.block.v in row 7"):
        weights = np.zeros(run.shape)
        weights[7, 1] = np.nan
        run.vjp(P, weights)
    with pytest.raises(TypeError):
        run.vjp(P, "abc")


def test_trajectory_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import capstan.jax

    run = run_of_rows()
    y, by = run.jacobian(P)
    reverse, forward = capstan.jax.trajectory(run), capstan.jax.trajectory(run, "forward")
    goal = y + 0.01
    gradient = jax.jit(jax.grad(lambda p: 0.5 * ((reverse(p) - goal) ** 2).sum()))
    expected = np.einsum("rc,rcp->p", y - goal, by)
    assert np.allclose(gradient(P), expected, rtol=1e-8)
    assert np.allclose(jax.vmap(gradient)(np.stack([P, P]))[1], expected, rtol=1e-8)
    change = np.array([0.1, -0.2, 0.3])
    assert np.allclose(jax.jvp(forward, (P,), (change,))[1], by @ change, rtol=1e-10)
    assert np.allclose(jax.grad(lambda p: forward(p)[-1, 0])(P), by[-1, 0], rtol=1e-10)
    with pytest.raises(ValueError):
        reverse(P[:1])
    with pytest.raises(ValueError):
        capstan.jax.trajectory(run, "sideways")


def test_trajectory_torch():
    torch = pytest.importorskip("torch")
    import capstan.torch

    run = run_of_rows()
    y, by = run.jacobian(P)
    p = torch.tensor(P, dtype=torch.float64, requires_grad=True)
    (capstan.torch.trajectory(run)(p) ** 2).sum().backward()
    assert np.allclose(p.grad.numpy(), np.einsum("rc,rcp->p", 2 * y, by), rtol=1e-8)
    with pytest.raises(ValueError):
        capstan.torch.trajectory(run)(p[:2])


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


def test_torch_kinds_of_numbers():
    """Values have the type of the parameters, where that has fractions; second derivatives, which nobody computes, are no zeros."""
    torch = pytest.importorskip("torch")
    import capstan.torch

    wrt, whole = WRT[::2], np.array([1, 4])
    f = capstan.torch.function(scenario(), wrt, OF)
    g = capstan.torch.trajectory(capstan.Trajectory(scenario(), wrt, COLUMNS))
    for call in (f, g):
        exact = call(torch.tensor(whole, dtype=torch.float64))
        assert exact.abs().max() > 0
        for given in (torch.tensor(whole), whole.tolist(), whole):
            assert call(given).dtype == torch.float64 and torch.equal(call(given), exact)
        assert call(torch.tensor(whole, dtype=torch.float32)).dtype == torch.float32
        with pytest.raises(TypeError, match="real numbers are needed"):
            call(torch.tensor(whole, dtype=torch.complex128))
        p = torch.tensor(whole, dtype=torch.float64, requires_grad=True)
        (first,) = torch.autograd.grad((call(p) ** 2).sum(), p, create_graph=True)
        with pytest.raises(RuntimeError, match="once_differentiable"):
            first.sum().backward()
    assert torch.autograd.gradcheck(f, (torch.tensor(whole, dtype=torch.float64, requires_grad=True),), eps=1e-5, atol=1e-6)


# ---------------------------------------------------------------- steps from outside

# A block with a spring, pushed by an input: it sticks, slips and comes to rest within the steps.
LOOP = """
capstan: 1
bodies:   {block: {mass: 1 kg}}
springs:  {k: {between: [block, ground], stiffness: 40 N/m, damping: 0.5 N s/m, length: 0}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb-static: {mu_s: 0.3, mu_d: 0.2}}}}
loads:    {push: {on: block, force: {input: force}}}
run:      {until: 10 s, output: 0, solver: events, tolerance: 1e-12}
"""
STEPS, TICK = 12, 0.1
U = 4.5 * np.sin(2 * np.pi * TICK * np.arange(STEPS))[:, None]


def loop(wrt=()):
    sim = capstan.Scenario.text(LOOP).simulation(inputs=["force"], outputs=["bodies.block.x", "bodies.block.v"])
    sim.differentiate(wrt)
    return sim


def test_the_loop_sticks_and_slips():
    sim = capstan.Scenario.text(LOOP).simulation(inputs=["force"], outputs=["contacts.floor.slips"])
    slips = [sim.step(TICK, u)[0] for u in U]
    assert 0 < sum(slips) < STEPS


def differences(f, x, h):
    """Fourth order, of a function of a vector."""
    columns = []
    for i in range(len(x)):
        e = np.eye(len(x))[i]
        columns.append((8 * (f(x + h * e) - f(x - h * e)) - (f(x + 2 * h * e) - f(x - 2 * h * e))) / (12 * h))
    return np.array(columns).T


def test_rollout():
    run = capstan.Rollout(loop(), TICK, STEPS)
    expected = differences(lambda u: run(u.reshape(-1, 1)).reshape(-1), U.reshape(-1), 1e-4)
    scale = np.abs(expected).max()
    forward = np.array([run.jvp(U, np.eye(STEPS)[k].reshape(-1, 1))[1].reshape(-1) for k in range(STEPS)]).T
    backward = np.array([run.vjp(U, row.reshape(STEPS, 2)).reshape(-1) for row in np.eye(2 * STEPS)])
    assert np.abs(forward - expected).max() < 1e-8 * scale
    assert np.abs(backward - expected).max() < 1e-8 * scale
    assert np.array_equal(run(U), run(U))  # it starts where it did
    for bad in (U[:3], U.reshape(1, -1)):
        with pytest.raises(ValueError):
            run(bad)
    with pytest.raises(ValueError):
        run.vjp(U, np.zeros((STEPS, 1)))
    with pytest.raises(ValueError):
        capstan.Rollout(loop(), 0.0, 3)


def test_step_by_parameters():
    wrt = ["bodies.block.mass", "contacts.floor.friction.coulomb-static.mu_d"]
    at = np.array([1.0, 0.2])

    def after(p):
        sim = capstan.Scenario.text(LOOP).with_(dict(zip(wrt, p))).simulation(inputs=["force"], outputs=["bodies.block.x", "bodies.block.v"])
        return sim.step(0.3, [5.0])

    sim = loop(wrt)
    assert np.allclose(sim.step(0.3, [5.0]), after(at), rtol=1e-12)
    expected = differences(after, at, 1e-4)
    jvp = np.array([sim.jvp(wrt=e).outputs for e in np.eye(2)]).T
    vjp = np.array([sim.vjp(outputs=e).wrt for e in np.eye(2)])
    assert np.allclose(jvp, expected, rtol=1e-8)
    assert np.allclose(vjp, expected, rtol=1e-8)
    # products of both kinds agree for the state, too
    state, weights = np.random.default_rng(1).normal(size=(2, len(sim.numbers)))
    assert np.isclose(weights @ sim.jvp(state=state).state, sim.vjp(state=weights).state @ state, rtol=1e-10)
    assert sim.warnings == []
    assert any("x" in name for name, _ in sim.numbers)


def test_bad_derivatives():
    sim = capstan.Scenario.text(LOOP).simulation(inputs=["force"], outputs=["bodies.block.x"])
    with pytest.raises(RuntimeError, match="differentiate"):
        sim.jvp(inputs=[1.0])
    with pytest.raises(capstan.CapstanError):
        sim.differentiate(["bodies.block.weight"])
    sim.differentiate()
    with pytest.raises(capstan.CapstanError, match="there is no step to differentiate"):
        sim.jvp(inputs=[1.0])
    sim.step(0.1, [1.0])
    with pytest.raises(ValueError, match="1 numbers are needed"):
        sim.jvp(inputs=[1.0, 2.0])
    with pytest.raises(ValueError, match="to_event"):
        sim.step(0.1, [1.0], to_event=True)


def test_rollout_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import capstan.jax

    run = capstan.Rollout(loop(), TICK, STEPS)
    f = capstan.jax.rollout(run)
    goal = run(U) + 0.01
    gradient = jax.jit(jax.grad(lambda u: 0.5 * ((f(u) - goal) ** 2).sum()))
    assert np.allclose(f(U), run(U), rtol=1e-14)
    assert np.allclose(gradient(U), run.vjp(U, run(U) - goal), rtol=1e-12)
    tangent = np.cos(np.arange(STEPS))[:, None]
    y, y_t = jax.jit(lambda u: jax.jvp(capstan.jax.rollout(run, "forward"), (u,), (tangent,)))(U)
    assert np.allclose(y, run(U), rtol=1e-14) and np.allclose(y_t, run.jvp(U, tangent)[1], rtol=1e-12)
    both = jax.vmap(gradient)(np.stack([U, 0.9 * U]))
    assert np.allclose(both[1], run.vjp(0.9 * U, run(0.9 * U) - goal), rtol=1e-12)
    with pytest.raises(ValueError):
        f(U[:2])


def test_rollout_torch():
    torch = pytest.importorskip("torch")
    import capstan.torch

    run = capstan.Rollout(loop(), TICK, STEPS)
    f = capstan.torch.rollout(run)
    u = torch.tensor(U, dtype=torch.float64, requires_grad=True)
    (f(u) ** 2).sum().backward()
    assert np.allclose(u.grad.numpy(), run.vjp(U, 2 * run(U)), rtol=1e-12)
    with pytest.raises(ValueError):
        f(u[:2])
