"""Runs as functions that JAX differentiates: grad, jvp, vjp, jit and vmap go through, with exact derivatives across stick and slip.

    f = capstan.jax.function(scenario, wrt=["bodies.load.mass"], of=["bodies.load.y", "max(cables.rope.tension_max)"])
    jax.grad(lambda p: f(p)[1])(jnp.array([120.0]))

JAX must be told to use 64 bits: jax.config.update("jax_enable_x64", True).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .rollout import Rollout
from .scenario import Scenario


def function(scenario: Scenario, wrt: Sequence[str], of: Sequence[str], method: str = "auto") -> Callable[[Any], Any]:
    """Outputs of a run [of] as a function of numbers of the file [wrt]. One run gives values and derivatives, and both directions of
    differentiation use the same Jacobian matrix; `method` is that of Scenario.sens."""
    wrt, of = tuple(wrt), tuple(of)
    if jnp.zeros(()).dtype != jnp.float64:
        raise RuntimeError('capstan.jax needs 64 bits: jax.config.update("jax_enable_x64", True)')

    def values(p: Any) -> Any:
        return _rows(p, lambda x: scenario.with_(dict(zip(wrt, x))).sens(wrt[:1], of, "forward").values, (len(of),))

    def both(p: Any) -> Any:
        def at(x: Any) -> Any:
            s = scenario.with_(dict(zip(wrt, x))).sens(wrt, of, method)
            return np.concatenate([s.values[:, None], s.gradient], axis=1)

        return _rows(p, at, (len(of), 1 + len(wrt)))

    @jax.custom_jvp
    def run(p: Any) -> Any:
        shape = jnp.zeros((len(of),))
        return jax.pure_callback(values, shape, p, vmap_method="expand_dims")

    @run.defjvp
    def run_jvp(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        shape = jnp.zeros((len(of), 1 + len(wrt)))
        block = jax.pure_callback(both, shape, primals[0], vmap_method="expand_dims")
        return block[:, 0], block[:, 1:] @ tangents[0]

    def checked(p: Any) -> Any:
        p = jnp.asarray(p, dtype=jnp.float64)
        if p.shape != (len(wrt),):
            raise ValueError(f"{len(wrt)} numbers are needed, one for each of {', '.join(wrt)}, not an array {p.shape}")
        return run(p)

    return checked


def rollout(run: Rollout) -> Callable[[Any], Any]:
    """The outputs [steps, outputs] of a rollout as a function of its inputs [steps, inputs] that reverse mode differentiates: grad, vjp,
    jacrev, jit and vmap go through."""
    shape = (run.steps, len(run.simulation.outputs))
    if jnp.zeros(()).dtype != jnp.float64:
        raise RuntimeError('capstan.jax needs 64 bits: jax.config.update("jax_enable_x64", True)')

    def many(at: Callable[..., Any], *arrays: Any) -> Any:
        arrays = tuple(np.asarray(a, dtype=np.float64) for a in arrays)
        outer = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
        flat = [np.broadcast_to(a, (*outer, *a.shape[-2:])).reshape(-1, *a.shape[-2:]) for a in arrays]
        out = np.array([at(*each) for each in zip(*flat)])
        return out.reshape(*outer, *out.shape[1:])

    @jax.custom_vjp
    def outputs(u: Any) -> Any:
        return jax.pure_callback(lambda x: many(run, x), jnp.zeros(shape), u, vmap_method="expand_dims")

    def forward(u: Any) -> Any:
        return outputs(u), u

    def backward(u: Any, weights: Any) -> Any:
        return (jax.pure_callback(lambda x, w: many(run.vjp, x, w), jnp.zeros(run.shape), u, weights, vmap_method="expand_dims"),)

    outputs.defvjp(forward, backward)

    def checked(u: Any) -> Any:
        u = jnp.asarray(u, dtype=jnp.float64)
        if u.shape != run.shape:
            raise ValueError(f"an array {run.shape} is needed, not {u.shape}")
        return outputs(u)

    return checked


def _rows(p: Any, at: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """A function of a row for all rows of a batch of any shape."""
    p = np.asarray(p, dtype=np.float64)
    flat = p.reshape(-1, p.shape[-1])
    return np.array([at(row) for row in flat]).reshape(*p.shape[:-1], *shape)
