"""The table of friction laws, and their evaluation over arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from .arrays import floats
from .errors import guarded


class Law:
    """A friction law. Call it with velocities, normal forces and balance forces; parameters by name."""

    def __init__(self, name: str):
        self._read(_core.Law.find(name))

    def _read(self, law: _core.Law) -> None:
        self._law = law
        about = law.describe()
        self.name: str = about["name"]
        self.title: str = about["title"]
        self.family: str = about["family"]
        self.equation: str = about["equation"]
        self.citation: str = about["citation"]
        self.note: str | None = about["note"]
        self.params: list[dict[str, Any]] = about["params"]
        self.states: list[dict[str, Any]] = about["states"]

    def __repr__(self) -> str:
        names = ", ".join(f"{p['name']}={p['value']:g}" for p in self.params)
        return f"<{self.name}: {self.title} ({names})>"

    def _parameters(self, given: dict[str, float]) -> np.ndarray:
        values = {p["name"]: p["value"] for p in self.params}
        for name, value in given.items():
            if name not in values:
                raise TypeError(f"{self.name} has no parameter \"{name}\"; it has {', '.join(values)}")
            values[name] = float(value)
        return np.array(list(values.values()), dtype=np.float64)

    def evaluate(self, v: Any, n: Any = 1.0, f_eq: Any = 0.0, z: Any = None, *, jacobian: bool = False, **params: float) -> dict[str, np.ndarray]:
        """Force, rates of the states and, if asked for, its derivatives by v, n, f_eq, states and parameters (f_v, f_n, f_f_eq, f_z, f_p);
        inputs are broadcast against each other."""
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
        jac = np.empty((f.size, 3 + k + len(self.params))) if jacobian else None
        guarded(self._law.eval, p, *flat, states, f, z_t, jac)
        out: dict[str, np.ndarray] = {"f": f.reshape(shape)}
        if z_t is not None:
            out["z_t"] = z_t.reshape((*shape, k))
        if jac is not None:
            for i, name in enumerate(("f_v", "f_n", "f_f_eq")):
                out[name] = jac[:, i].reshape(shape)
            out["f_z"] = jac[:, 3 : 3 + k].reshape((*shape, k))
            out["f_p"] = jac[:, 3 + k :].reshape((*shape, len(self.params)))
        return out

    def __call__(self, v: Any, n: Any = 1.0, f_eq: Any = 0.0, z: Any = None, **params: float) -> Any:
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


models = _Models()
