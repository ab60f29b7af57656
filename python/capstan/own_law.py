"""Friction laws of your own: a C function by its address, or a Python callable, named in scenarios like those that are built in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import guarded
from .models import Law

_TRAITS = {"creeps": 1 << 0, "sticks": 1 << 1, "needs_f_eq": 1 << 2, "memory": 1 << 3, "continuous": 1 << 5, "smooth": 1 << 6, "dissipates": 1 << 9}
Number = float | tuple[float, str] | Mapping[str, Any]


def _parameter(name: str, given: Number) -> tuple[str, str, str, float, float, float]:
    about: dict[str, Any]
    if isinstance(given, Mapping):
        about = dict(given)
    elif isinstance(given, tuple):
        about = {"value": given[0], "unit": given[1]}
    else:
        about = {"value": given}
    return (name, about.get("unit", "1"), about.get("meaning", name), float(about["value"]), float(about.get("min", 0.0)), float(about.get("max", np.inf)))


class OwnLaw(Law):
    """A law of your own. See own_law()."""

    stick: float | str
    peak: float | str
    velocity: float | str
    traits: tuple[str, ...]

    def check(self, v: Any = None, n: float = 1.0) -> list[str]:
        """What is not true of it, measured as the tests measure built-in laws: finite, odd, dissipating, below its peak, and with
        derivatives that agree with differences. An empty list is good."""
        p = np.array([q["value"] for q in self.params])
        scale = self.velocity if isinstance(self.velocity, float) else p[[q["name"] for q in self.params].index(self.velocity)]
        v = np.concatenate([-np.geomspace(1e-3, 1e2, 40)[::-1], np.geomspace(1e-3, 1e2, 40)]) * scale if v is None else np.asarray(v, dtype=np.float64)
        found: list[str] = []
        if self.states:
            return found
        at = self.evaluate(v, n, jacobian=True)
        if not np.all(np.isfinite(at["f"])):
            found.append("the force is not finite everywhere")
        mirrored = self.evaluate(-v, n)["f"]
        if np.max(np.abs(at["f"] + mirrored)) > 1e-9 * np.max(np.abs(at["f"])):
            found.append("the force is not odd: f(-v) is not -f(v)")
        if "dissipates" in self.traits and np.any(at["f"] * v > 0):
            found.append(f"it gives energy at v = {v[np.argmax(at['f'] * v)]:g} m/s: the force must oppose the velocity")
        peak = self.peak if isinstance(self.peak, float) else p[[q["name"] for q in self.params].index(self.peak)]
        if np.max(np.abs(at["f"])) > peak * n * (1 + 1e-9):
            found.append(f"the force reaches {np.max(np.abs(at['f'])):g} N at n = {n:g} N, above the peak that was told ({peak * n:g} N)")
        h = 1e-6 * scale
        slopes = (self.evaluate(v + h, n)["f"] - self.evaluate(v - h, n)["f"]) / (2 * h)
        worst = np.abs(slopes - at["f_v"]) / (np.abs(slopes) + np.max(np.abs(at["f"])) / scale)
        if "smooth" in self.traits and np.max(worst) > 1e-4:
            k = int(np.argmax(worst))
            found.append(f"df/dv at v = {v[k]:g} m/s is {at['f_v'][k]:g}, differences say {slopes[k]:g}")
        by_n = (self.evaluate(v, n * (1 + 1e-6))["f"] - self.evaluate(v, n * (1 - 1e-6))["f"]) / (2e-6 * n)
        if np.max(np.abs(by_n - at["f_n"])) > 1e-4 * np.max(np.abs(at["f"])) / n:
            found.append("df/dn disagrees with differences")
        return found


def own_law(
    name: str,
    params: Mapping[str, Number],
    *,
    stick: float | str,
    velocity: float | str,
    peak: float | str | None = None,
    address: int = 0,
    call: Callable[..., Any] | None = None,
    states: Sequence[tuple[str, str]] = (),
    traits: Sequence[str] = ("creeps", "continuous", "smooth", "dissipates"),
    title: str = "",
    equation: str = "",
    citation: str = "own",
) -> Any:
    """Makes a friction law that a scenario may name: Scenario(..., laws=[law]).

    params    {"mu": 0.3, "v_t": (0.01, "m/s")}: values, with units; or dicts with value, unit, min, max, meaning
    stick     the largest force that it holds, as a factor of the normal force: a number, or the name of a parameter; so `peak`
    velocity  over which it varies [m/s]: a number, or the name of a parameter
    address   of a C function void f(const double *p, const double *x, const double *z, double *rows), x = v, n, f_eq. It fills rows
              [1 + states][4 + states + params]: the force, then the rate of each state; in each row the value, then its derivatives by
              v, n, f_eq, states, parameters. numba's @cfunc gives such an address.
    call      instead, a Python function f(v, n, f_eq, p) -> force, or (force, {"v": ..., "n": ..., "mu": ...}) with derivatives. Without
              derivatives they are taken from differences. Without `address` and `call`, own_law is a decorator for such a function.

    Both carry the sign: friction opposes the velocity, so f(v) is negative for positive v.
    """
    if address == 0 and call is None:
        return lambda function: own_law(
            name, params, stick=stick, velocity=velocity, peak=peak, call=function, states=states, traits=traits, title=title or (function.__doc__ or name).split("\n")[0], equation=equation, citation=citation
        )
    if name == "":
        raise ValueError("a law has a name")
    if address < 0:
        raise ValueError("a function has an address greater than 0")
    if call is not None and states:
        raise ValueError("laws with states are given as C functions")
    rows = tuple(_parameter(key, value) for key, value in params.items())
    names = [row[0] for row in rows]
    peak = stick if peak is None else peak
    scale: list[float | int] = []
    for what, value in (("stick", stick), ("peak", peak), ("velocity", velocity)):
        if isinstance(value, str) and value not in names:
            raise ValueError(f"{what} is no parameter of the law: {value}")
        scale += [0.0, names.index(value)] if isinstance(value, str) else [float(value), -1]
    unknown = [t for t in traits if t not in _TRAITS]
    if unknown:
        raise ValueError(f"there is no trait \"{unknown[0]}\"; there are {', '.join(_TRAITS)}")
    bits = sum({_TRAITS[t] for t in traits} | ({_TRAITS["memory"]} if states else set()))
    about = (name, title or name, equation or f"f = {name}(v, n)", citation)
    kept = tuple((key, unit, key, -1) for key, unit in states)
    made = OwnLaw.__new__(OwnLaw)
    made._read(guarded(_core.OwnLaw.make, about, bits, rows, kept, tuple(scale), address, _adapter(call, names) if call else None))
    made.stick, made.peak, made.velocity = (x if isinstance(x, str) else float(x) for x in (stick, peak, velocity))
    made.traits = tuple(traits)
    return made


def _adapter(function: Callable[..., Any], names: list[str]) -> Callable[..., None]:
    """From memory blocks to numbers and back."""
    keys = ["v", "n", "f_eq", *names]

    def adapted(p: memoryview, x: memoryview, z: memoryview, rows: memoryview) -> None:
        values = dict(zip(names, np.frombuffer(p)))
        point = dict(zip(("v", "n", "f_eq"), np.frombuffer(x)))
        out = np.frombuffer(rows)
        answer = function(point["v"], point["n"], point["f_eq"], values)
        if isinstance(answer, tuple):
            out[0] = answer[0]
            for i, key in enumerate(keys):
                out[1 + i] = answer[1].get(key, 0.0)
            return
        out[0] = answer
        for i, key in enumerate(keys):
            size = abs(point[key] if key in point else values[key])
            h = 1e-6 * (size or 1e-3)
            ends = []
            for side in (h, -h):
                at = {**point, **({key: point[key] + side} if key in point else {})}
                ends.append(function(at["v"], at["n"], at["f_eq"], {**values, **({} if key in point else {key: values[key] + side})}))
            out[1 + i] = (ends[0] - ends[1]) / (2 * h)

    return adapted
