"""Laws of your own, of friction and of normal contact: a C function by its address, or a Python callable, named in scenarios like those
that are built in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from . import _core
from .errors import guarded
from .models import TRAITS, Law, Normal
from .own_check import difference_step, friction_faults, normal_faults

_TRAITS = ("creeps", "sticks", "needs_f_eq", "continuous", "smooth", "unbounded", "load_free", "dissipates", "log_singular")
Number = float | tuple[float, str] | Mapping[str, Any]


def _parameters(params: Mapping[str, Number]) -> tuple[tuple[str, str, str, float, float, float], ...]:
    if not isinstance(params, Mapping):
        raise TypeError(f"params: a mapping of names to values is needed, such as {{\"mu\": 0.3}}, not {params!r}")
    return tuple(_parameter(name, given) for name, given in params.items())


def _parameter(name: str, given: Number) -> tuple[str, str, str, float, float, float]:
    about: dict[str, Any]
    if isinstance(given, Mapping):
        about = dict(given)
        unknown = set(about) - {"value", "unit", "min", "max", "meaning"}
        if unknown or "value" not in about:
            raise ValueError(f"parameter {name} has value, and may have unit, min, max and meaning; not {', '.join(map(str, about)) or 'nothing'}")
    elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str):
        about = {"value": given[0], "unit": given[1]}
    else:
        about = {"value": given}
    for key in ("value", "min", "max"):
        if isinstance(about.get(key), str) or not isinstance(about.get(key, 0.0), (float, int, np.number)):
            raise TypeError(f"{key} of parameter {name}: a number is needed, or (number, unit), not {about[key]!r}")
    return (name, about.get("unit", "1"), about.get("meaning", name), float(about["value"]), float(about.get("min", 0.0)), float(about.get("max", np.inf)))


class OwnLaw(Law):
    """A friction law of your own. See own_law()."""

    _forms: set[str]

    @property
    def by_differences(self) -> bool:
        """Whether it has been seen to give a force without derivatives."""
        return "differences" in self._forms

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a law of your own cannot be pickled: make it anew in the other process")

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def check(self, seed: int = 1, points: int = 300) -> list[str]:
        """What is not true of it: the properties that the tests measure of built-in laws, measured at random points, with its own and
        with random parameters within their ranges. Finite; odd; no force at rest without cause; no more than its peak, and none
        without load; takes energy (with states: from closed cycles); creeps or sticks as it says (without states); continuous and smooth
        as it says; what it is said to need matters; every derivative agrees with differences. An empty list is good."""
        return friction_faults(self, seed, points)


class OwnNormal(Normal):
    """A law of normal contact of your own. See own_normal()."""

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a law of your own cannot be pickled: make it anew in the other process")

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def check(self, seed: int = 1, points: int = 300) -> list[str]:
        """What is not true of it, as OwnLaw.check: finite; presses only what has entered, and never pulls; does not give energy to what
        goes in and out; every derivative agrees with differences. An empty list is good."""
        return normal_faults(self, seed, points)


def own_law(
    name: str,
    params: Mapping[str, Number],
    *,
    stick: float | str,
    velocity: float | str,
    peak: float | str | None = None,
    address: int = 0,
    call: Callable[..., Any] | None = None,
    states: Sequence[tuple[Any, ...]] = (),
    traits: Sequence[str] = ("creeps", "continuous", "smooth", "dissipates"),
    title: str = "",
    equation: str = "",
    citation: str = "own",
) -> Any:
    """Makes a friction law that a scenario may name: Scenario(..., laws=[law]).

    params    {"mu": 0.3, "v_t": (0.01, "m/s")}: values, with units; or dicts with value, unit, min, max, meaning
    stick     the largest force that it holds, as a factor of the normal force: a number, or the name of a parameter; so `peak`
    velocity  over which it varies [m/s]: a number, or the name of a parameter
    states    (name, unit, parity, bound) of each internal state: parity -1 if it changes sign with the velocity (a deflection), 1 if not
              (an age); how large it becomes: a number, or the name of a parameter. Only with an address
    traits    what is true of it: creeps or sticks, needs_f_eq, continuous, smooth, dissipates; as exceptions unbounded (no peak),
              load_free (a force without load), log_singular (a derivative that grows without limit at rest)
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
    _check_source(name, address, call)
    if call is not None and states:
        raise ValueError("laws with states are given as C functions")
    rows = _parameters(params)
    names = [row[0] for row in rows]
    unit = next((row[1] for row in rows if row[0] == velocity), "1")
    if unit not in ("1", "m/s"):
        raise ValueError(f"velocity: {velocity} has to be in m/s, as all numbers of a law are in SI, not in {unit}")
    peak = stick if peak is None else peak
    if "unbounded" in traits:
        peak = np.inf
    scale = sum((_number(what, value, names) for what, value in (("stick", stick), ("peak", peak), ("velocity", velocity))), ())
    unknown = [t for t in traits if t not in _TRAITS]
    if unknown:
        raise ValueError(f"there is no trait \"{unknown[0]}\"; there are {', '.join(_TRAITS)}")
    bits = sum({TRAITS[t] for t in traits} | ({TRAITS["memory"]} if states else set()))
    about = (name, title or name, equation or f"f = {name}(v, n)", citation)
    kept = tuple(_state(names, *given) for given in states)
    made = OwnLaw.__new__(OwnLaw)
    made._forms = set()
    adapter = _adapter(call, ("v", "n", "f_eq"), names, made._forms) if call else None
    made._read(guarded(_core.OwnLaw.make, about, bits, rows, kept, scale, address, adapter))
    return made


def own_normal(
    name: str,
    params: Mapping[str, Number],
    *,
    address: int = 0,
    call: Callable[..., Any] | None = None,
    title: str = "",
    equation: str = "",
    citation: str = "own",
) -> Any:
    """Makes a law of normal contact that a scenario may name, `normal: {my-law: {stiffness: 1e6}}`: Scenario(..., laws=[law]).

    params    as of own_law()
    address   of a C function void f(const double *p, const double *x, const double *z, double *row), x = depth, rate, z = NULL. It fills
              row [3 + params]: the force, then its derivatives by depth, rate and parameters.
    call      instead, a Python function f(depth, rate, p) -> force, or (force, {"depth": ..., "rate": ..., "stiffness": ...}) with
              derivatives. Without derivatives they are taken from differences. Without `address` and `call`, own_normal is a decorator
              for such a function.

    Depth and rate are positive inwards. Without depth there is no force, and never one below zero: such a law is refused.
    """
    if address == 0 and call is None:
        return lambda function: own_normal(name, params, call=function, title=title or (function.__doc__ or name).split("\n")[0], equation=equation, citation=citation)
    _check_source(name, address, call)
    rows = _parameters(params)
    made = OwnNormal.__new__(OwnNormal)
    about = (name, title or name, equation or f"n = {name}(depth, rate)", citation)
    made._read(guarded(_core.OwnLaw.make_normal, about, rows, address, _adapter(call, ("depth", "rate"), [row[0] for row in rows], set()) if call else None))
    return made


def _number(what: str, value: float | str, names: list[str]) -> tuple[float, int]:
    """A number, or where it is among the parameters."""
    if isinstance(value, str) and value not in names:
        raise ValueError(f"{what} is no parameter of the law: {value}")
    if not isinstance(value, str) and not value > 0:
        raise ValueError(f"{what} has to be positive, not {value}")
    return (0.0, names.index(value)) if isinstance(value, str) else (float(value), -1)


def _state(names: list[str], name: str, unit: str, parity: int = -1, bound: float | str = 1.0) -> tuple[Any, ...]:
    if parity not in (-1, 1):
        raise ValueError(f"the parity of state {name} is -1 or 1, not {parity}")
    return (name, unit, name, parity, *_number(f"the bound of state {name}", bound, names))


def _check_source(name: str, address: int, call: Callable[..., Any] | None) -> None:
    if name == "":
        raise ValueError("a law has a name")
    if not 0 <= address < 2**64:
        raise ValueError("a function has an address greater than 0, and below 2^64")
    if address and call is not None:
        raise ValueError("a law is a C function or a Python function, not both")
    if call is not None and not callable(call):
        raise TypeError(f"a function is needed, not {call!r}")


def _adapter(function: Callable[..., Any], inputs: tuple[str, ...], names: list[str], forms: set[str]) -> Callable[..., None]:
    """From memory blocks to numbers and back. Notes in `forms` that derivatives are differences."""
    keys = [*inputs, *names]
    known = set(keys)
    signed = ("v", "f_eq", "rate")

    def adapted(p: bytes, x: bytes, z: bytes, rows: bytearray) -> None:
        values = dict(zip(names, np.frombuffer(p).tolist()))
        point = dict(zip(inputs, np.frombuffer(x).tolist()))
        out = np.frombuffer(rows)
        answer = function(*point.values(), values)
        if isinstance(answer, tuple):
            if len(answer) != 2 or not isinstance(answer[1], Mapping):
                raise TypeError(f"a law gives a force, or (force, {{name: derivative}}), not {answer!r}")
            if not known.issuperset(answer[1]):
                raise KeyError(f"there are derivatives by {', '.join(keys)}, and not by {', '.join(map(str, set(answer[1]) - known))}")
            out[0] = answer[0]
            for i, key in enumerate(keys):
                out[1 + i] = answer[1].get(key, 0.0)
            return
        if not isinstance(answer, (float, int, np.number)):
            raise TypeError(f"a law gives a force, or (force, {{name: derivative}}), not {answer!r}")
        out[0] = answer
        forms.add("differences")
        for i, key in enumerate(keys):
            at = point[key] if key in point else values[key]
            h = float(difference_step(at))
            below = h if at < 0 or at >= h or key in signed else 0.0  # not to the other side of 0, where a root or a power may have no value
            ends = []
            for x in (at + h, at - below):
                moved = {**point, **({key: x} if key in point else {})}
                ends.append(function(*moved.values(), {**values, **({} if key in point else {key: x})}))
            out[1 + i] = (ends[0] - ends[1]) / (h + below)

    return adapted
