"""The tables of laws, of friction and of normal contact, and their evaluation over arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from . import _core
from .arrays import floats, number
from .errors import guarded


TRAITS = {
    "creeps": 1 << 0,
    "sticks": 1 << 1,
    "needs_f_eq": 1 << 2,
    "memory": 1 << 3,
    "modes": 1 << 4,
    "continuous": 1 << 5,
    "smooth": 1 << 6,
    "unbounded": 1 << 7,
    "load_free": 1 << 8,
    "dissipates": 1 << 9,
    "log_singular": 1 << 10,
    "snaps": 1 << 11,
}


class _Named:
    """What laws of all kinds have: a name, texts, parameters."""

    name: str
    title: str
    equation: str
    citation: str
    note: str | None
    params: list[dict[str, Any]]

    def _describe(self, about: dict[str, Any]) -> None:
        for key in ("name", "title", "equation", "citation", "note", "params"):
            setattr(self, key, about[key])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def __repr__(self) -> str:
        names = ", ".join(f"{p['name']}={p['value']:g}" for p in self.params)
        return f"<{self.name}: {self.title} ({names})>"

    def _parameters(self, given: Mapping[str, float | str]) -> np.ndarray:
        values = {p["name"]: p["value"] for p in self.params}
        units = {p["name"]: p["unit"] for p in self.params}
        for name, value in given.items():
            if name not in values:
                raise TypeError(f"{self.name} has no parameter \"{name}\"; it has {', '.join(values)}")
            values[name] = number(value, partial(units.__getitem__, name), name)
        return np.array(list(values.values()), dtype=np.float64)


class Law(_Named):
    """A friction law. Call it with velocities, normal forces and balance forces; parameters by name."""

    def __init__(self, name: str):
        self._read(_core.Law.find(name))

    def _read(self, law: _core.Law) -> None:
        self._law = law
        about = law.describe()
        self._describe(about)
        self.family: str = about["family"]
        self.states: list[dict[str, Any]] = about["states"]
        self.traits: tuple[str, ...] = tuple(name for name, bit in TRAITS.items() if about["traits"] & bit)

    def scale(self, n: float = 1.0, **params: float | str) -> dict[str, Any]:
        """Magnitudes at a normal force: f_stick and f_peak [N], v_band, in which it imitates rest, and v_scale [m/s], z: bounds of
        the states."""
        return dict(zip(("f_stick", "f_peak", "v_band", "v_scale", "z"), guarded(self._law.scales, self._parameters(params), float(n))))

    def evaluate(self, v: Any, n: Any = 1.0, f_eq: Any = 0.0, z: Any = None, *, jacobian: bool = False, **params: float | str) -> dict[str, np.ndarray]:
        """Force, rates of the states and, if asked for, their derivatives by v, n, f_eq, states and parameters: f_v, f_n, f_f_eq, f_z,
        f_p, and z_t_v ... z_t_p of the rates. Inputs are broadcast against each other."""
        p = self._parameters(params)
        arrays = [floats(a, name) for a, name in ((v, "v"), (n, "n"), (f_eq, "f_eq"))]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        # single numbers stay single: the library repeats them
        flat = [a.ravel() if a.size == 1 else np.ascontiguousarray(np.broadcast_to(a, shape)).ravel() for a in arrays]
        k = len(self.states)
        states = None
        if k:
            states = np.ascontiguousarray(np.broadcast_to(0.0 if z is None else floats(z, "z"), (*shape, k))).ravel()
        f = np.empty(math.prod(shape))
        z_t = np.empty(f.size * k) if k else None
        jac = np.empty((f.size, 1 + k, 3 + k + len(self.params))) if jacobian else None
        guarded(self._law.eval, p, *flat, states, f, z_t, jac)
        out: dict[str, np.ndarray] = {"f": f.reshape(shape)}
        if z_t is not None:
            out["z_t"] = z_t.reshape((*shape, k))
        if jac is not None:
            for of, rows, dims in (("f", jac[:, 0], shape), ("z_t", jac[:, 1:], (*shape, k)))[: 2 if k else 1]:
                for i, by in enumerate(("v", "n", "f_eq")):
                    out[f"{of}_{by}"] = rows[..., i].reshape(dims)
                out[f"{of}_z"] = rows[..., 3 : 3 + k].reshape((*dims, k))
                out[f"{of}_p"] = rows[..., 3 + k :].reshape((*dims, len(self.params)))
        return out

    def __call__(self, v: Any, n: Any = 1.0, f_eq: Any = 0.0, z: Any = None, **params: float | str) -> Any:
        """The friction force; a float for floats."""
        f = self.evaluate(v, n, f_eq, z, jacobian=False, **params)["f"]
        return float(f) if f.ndim == 0 else f

    def _repr_svg_(self) -> str:
        """The curve over velocity, for notebooks."""
        scale = next((p["value"] for p in self.params if p["unit"] == "m/s"), 0.01) or 0.01
        v = np.linspace(-5 * scale, 5 * scale, 401)
        f = self.evaluate(v)["f"]
        top = float(np.max(np.abs(f))) or 1.0
        points = " ".join(f"{200 + 180 * x / (5 * scale):.1f},{100 - 85 * y / top:.1f}" for x, y in zip(v, f))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200" width="400">'
            '<path d="M10,100H390M200,10V190" stroke="#999" fill="none"/>'
            f'<polyline points="{points}" fill="none" stroke="#b3541e" stroke-width="2"/>'
            f'<text x="12" y="20" font-family="sans-serif" font-size="12">{self.name}: f/n over v, to {5 * scale:g} m/s</text></svg>'
        )


class Normal(_Named):
    """A law of normal contact. Call it with depths and their rates, both positive inwards; parameters by name."""

    def __init__(self, name: str):
        self._read(_core.Normal.find(name))

    def _read(self, law: _core.Normal) -> None:
        self._law = law
        self._describe(law.describe())

    def evaluate(self, depth: Any, rate: Any = 0.0, *, jacobian: bool = False, **params: float | str) -> dict[str, np.ndarray]:
        """Force (n) and, if asked for, its derivatives by depth, rate and parameters (n_depth, n_rate, n_p); inputs are broadcast
        against each other."""
        p = self._parameters(params)
        arrays = [floats(a, name) for a, name in ((depth, "depth"), (rate, "rate"))]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        flat = [a.ravel() if a.size == 1 else np.ascontiguousarray(np.broadcast_to(a, shape)).ravel() for a in arrays]
        n = np.empty(math.prod(shape))
        jac = np.empty((n.size, 2 + len(p))) if jacobian else None
        guarded(self._law.eval, p, *flat, n, jac)
        out = {"n": n.reshape(shape)}
        if jac is not None:
            out |= {"n_depth": jac[:, 0].reshape(shape), "n_rate": jac[:, 1].reshape(shape), "n_p": jac[:, 2:].reshape((*shape, len(p)))}
        return out

    def __call__(self, depth: Any, rate: Any = 0.0, **params: float | str) -> Any:
        """The normal force; a float for floats."""
        n = self.evaluate(depth, rate, jacobian=False, **params)["n"]
        return float(n) if n.ndim == 0 else n


class _Models(Mapping[str, Law]):
    """All laws by name: models["cdq"]."""

    def __getitem__(self, name: str) -> Law:
        return Law(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_core.Law.names())

    def __len__(self) -> int:
        return len(_core.Law.names())

    def __repr__(self) -> str:
        return f"<{len(self)} friction laws: {', '.join(self)}>"


class _Normals(Mapping[str, Normal]):
    """All laws of normal contact by name: normals["hunt-crossley"]."""

    def __getitem__(self, name: str) -> Normal:
        return Normal(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_core.Normal.names())

    def __len__(self) -> int:
        return len(_core.Normal.names())

    def __repr__(self) -> str:
        return f"<{len(self)} laws of normal contact: {', '.join(self)}>"


models = _Models()
"""All friction laws by name: models["cdq"] is a Law."""
normals = _Normals()
"""All laws of normal contact by name: normals["hunt-crossley"] is a Normal."""
