"""A whole run as a function: columns over its rows, of numbers of the file, with exact derivatives.

    run = capstan.Trajectory(scenario, wrt=["bodies.load.mass"], columns=["bodies.load.x", "cables.rope.tension_end"])
    y = run([120.0])                   # [rows, 2], at the times run.times
    run.vjp([120.0], y - measured)     # d(sum of squares / 2)/d(mass), by one adjoint run whatever the number of parameters is

capstan.jax.trajectory and capstan.torch.trajectory make it a function that these differentiate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .arrays import floats, names
from .errors import guarded

if TYPE_CHECKING:
    from .scenario import Scenario


class Trajectory:
    """Columns [rows, columns] over numbers of the file, in SI and in the order of `wrt`. Rows are those of run.output, or at `times` [s]."""

    def __init__(self, scenario: Scenario, wrt: Sequence[str], columns: Sequence[str], times: Any = None):
        self.scenario, self.wrt, self.columns = scenario, names(wrt, "wrt"), names(columns, "columns")
        if not self.wrt or not self.columns:
            raise ValueError("a trajectory has parameters (wrt) and columns")
        self._at = None if times is None else floats(times, "times").reshape(-1)
        if self._at is not None and self._at.size == 0:
            raise ValueError("times: there has to be one at least")
        self.warnings: tuple[str, ...] = ()  # of the last call: what may make derivatives wrong
        self._shape: tuple[int, ...] = ()
        self.times, rows, _ = self._rows([scenario[path] for path in self.wrt], 1)
        self._shape = rows.shape

    @property
    def shape(self) -> tuple[int, int]:
        """Of what a call gives."""
        return len(self.times), len(self.columns)

    def _rows(self, p: Any, n: int, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, columns, and derivatives by the first n parameters."""
        at = self.scenario.with_(dict(zip(self.wrt, self._vector(p, "p"))))
        *arrays, warnings = guarded(_core.rows, at._core, self.wrt[:n], self.columns, self._at, weights, None)
        self.warnings = tuple(warnings)
        times, rows, by = (np.asarray(a) for a in arrays)
        if self._shape and rows.shape != self._shape:
            raise ValueError(f"the run has {len(rows)} rows there, and not {self._shape[0]}")
        return times, rows, by

    def _vector(self, p: Any, what: str) -> np.ndarray:
        vector = floats(p, what)
        if vector.shape != (len(self.wrt),):
            raise ValueError(f"{what}: {len(self.wrt)} numbers are needed, one for each of {', '.join(self.wrt)}, not an array {vector.shape}")
        return vector

    def __call__(self, p: Any) -> np.ndarray:
        return self._rows(p, 1)[1]

    def jacobian(self, p: Any) -> tuple[np.ndarray, np.ndarray]:
        """The columns, and their derivatives [rows, columns, wrt], by the forward method."""
        return self._rows(p, len(self.wrt))[1:]

    def jvp(self, p: Any, change: Any) -> tuple[np.ndarray, np.ndarray]:
        """The columns, and their change with a change of the parameters."""
        y, by = self.jacobian(p)
        return y, np.asarray(by @ self._vector(change, "change"))

    def vjp(self, p: Any, weights: Any) -> np.ndarray:
        """The derivative of a weighted sum of the rows, weights [rows, columns], with respect to the parameters, by the adjoint method."""
        weights = floats(weights, "weights")
        if weights.shape != self.shape:
            raise ValueError(f"weights: an array {self.shape} is needed, not {weights.shape}")
        return self._rows(p, len(self.wrt), np.ascontiguousarray(weights))[2]
