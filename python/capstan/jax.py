"""Runs as functions that JAX differentiates: grad, jvp, vjp, jit and vmap go through, with exact derivatives across stick and slip.

    f = capstan.jax.function(scenario, wrt=["bodies.load.mass"], of=["bodies.load.y", "max(cables.rope.tension_max)"])
    jax.grad(lambda p: f(p)[1])(jnp.array([120.0]))

`function` is about a few outputs of a run, `trajectory` about its rows, `rollout` about steps with inputs. JAX must be told to use 64
bits: jax.config.update("jax_enable_x64", True).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .rollout import Rollout
from .scenario import Scenario
from .trajectory import Trajectory


def function(scenario: Scenario, wrt: Sequence[str], of: Sequence[str], method: str = "auto") -> Callable[[Any], Any]:
    """Outputs of a run [of] as a function of numbers of the file [wrt]. One run gives values and derivatives, and both directions of
    differentiation use the same Jacobian matrix; `method` is that of Scenario.sens."""
    wrt, of = tuple(wrt), tuple(of)

    def at(p: Any) -> Scenario:
        return scenario.with_(dict(zip(wrt, p)))

    def values(p: Any) -> Any:
        return at(p).sens(wrt[:1], of, "forward").values

    def both(p: Any) -> Any:
        s = at(p).sens(wrt, of, method)
        return s.values, s.gradient

    return _from_jacobian(values, both, (len(wrt),), (len(of),), f"{len(wrt)} numbers are needed, one for each of {', '.join(wrt)}")


def trajectory(run: Trajectory, mode: str = "reverse") -> Callable[[Any], Any]:
    """The columns [rows, columns] of a run as a function of its parameters [wrt]. In mode "reverse" grad, vjp and jacrev go through, by the
    adjoint method, whose cost hardly grows with the number of parameters; in mode "forward" jvp and jacfwd do, and grad as well, by the
    whole Jacobian matrix."""
    shape, wanted = (len(run.wrt),), f"{len(run.wrt)} numbers are needed, one for each of {', '.join(run.wrt)}"
    if _mode(mode) == "reverse":
        return _from_vjp(run, run.vjp, shape, run.shape, wanted)
    return _from_jacobian(run, run.jacobian, shape, run.shape, wanted)


def rollout(run: Rollout, mode: str = "reverse") -> Callable[[Any], Any]:
    """The outputs [steps, outputs] of a rollout as a function of its inputs [steps, inputs]. In mode "reverse" grad, vjp and jacrev go
    through, in mode "forward" jvp and jacfwd do; jit and vmap in both."""
    shape, wanted = (run.steps, len(run.simulation.outputs)), f"an array {run.shape} is needed"
    if _mode(mode) == "reverse":
        return _from_vjp(run, run.vjp, run.shape, shape, wanted)
    return _from_jvp(run, run.jvp, run.shape, shape, wanted)


def _mode(mode: str) -> str:
    if mode not in ("reverse", "forward"):
        raise ValueError(f"mode is reverse or forward, not {mode}")
    return mode


def _from_vjp(values: Callable[[Any], Any], vjp: Callable[[Any, Any], Any], given: tuple[int, ...], shape: tuple[int, ...], wanted: str) -> Callable[[Any], Any]:
    """A function with a rule for reverse mode: vjp(x, weights)."""

    @jax.custom_vjp
    def call(x: Any) -> Any:
        return _call(values, shape, (x, given))

    def forward(x: Any) -> Any:
        return call(x), x

    def backward(x: Any, weights: Any) -> Any:
        return (_call(vjp, given, (x, given), (weights, shape)),)

    call.defvjp(forward, backward)
    return _checked(call, given, wanted)


def _from_jvp(values: Callable[[Any], Any], jvp: Callable[[Any, Any], Any], given: tuple[int, ...], shape: tuple[int, ...], wanted: str) -> Callable[[Any], Any]:
    """A function with a rule for forward mode: jvp(x, change) gives values and their change."""

    @jax.custom_jvp
    def call(x: Any) -> Any:
        return _call(values, shape, (x, given))

    @call.defjvp
    def rule(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        both = _call(lambda x, change: np.stack(jvp(x, change)), (2, *shape), (primals[0], given), (tangents[0], given))
        return both[0], both[1]

    return _checked(call, given, wanted)


def _from_jacobian(values: Callable[[Any], Any], both: Callable[[Any], Any], given: tuple[int], shape: tuple[int, ...], wanted: str) -> Callable[[Any], Any]:
    """A function of a vector with a rule for forward mode that JAX can transpose, so that reverse mode goes through as well: both(x) gives
    values and their Jacobian matrix."""

    @jax.custom_jvp
    def call(x: Any) -> Any:
        return _call(values, shape, (x, given))

    @call.defjvp
    def rule(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
        block = _call(lambda x: _beside(*both(x)), (*shape, 1 + given[0]), (primals[0], given))
        return block[..., 0], block[..., 1:] @ tangents[0]

    return _checked(call, given, wanted)


def _beside(values: Any, matrix: Any) -> Any:
    return np.concatenate([values[..., None], matrix], axis=-1)


def _checked(call: Callable[[Any], Any], given: tuple[int, ...], wanted: str) -> Callable[[Any], Any]:
    if jnp.zeros(()).dtype != jnp.float64:
        raise RuntimeError('capstan.jax needs 64 bits: jax.config.update("jax_enable_x64", True)')

    def checked(x: Any) -> Any:
        x = jnp.asarray(x, dtype=jnp.float64)
        if x.shape != given:
            raise ValueError(f"{wanted}, not an array {x.shape}")
        return call(x)

    return checked


def _call(at: Callable[..., Any], shape: tuple[int, ...], *arguments: tuple[Any, tuple[int, ...]]) -> Any:
    """A function of arrays of these shapes, outside of JAX; under vmap for each of a batch of any shape."""

    def many(*arrays: Any) -> Any:
        arrays = tuple(np.asarray(a, dtype=np.float64) for a in arrays)
        outer = np.broadcast_shapes(*(a.shape[: a.ndim - len(of)] for a, (_, of) in zip(arrays, arguments)))
        flat = [np.broadcast_to(a, (*outer, *of)).reshape(-1, *of) for a, (_, of) in zip(arrays, arguments)]
        return np.array([at(*each) for each in zip(*flat)]).reshape(*outer, *shape)

    return jax.pure_callback(many, jnp.zeros(shape), *(a for a, _ in arguments), vmap_method="expand_dims")
