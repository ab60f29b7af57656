"""Studies: a scenario at many values of its parameters, point by point, for whatever distributes work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from .errors import guarded

Array = np.ndarray[Any, np.dtype[np.float64]]
Row = dict[str, Any]


class Study:
    """A study file: study.points has the values of all points, study.run(ids) runs some of them.

    A point is a function of the study and of its index alone, and a Study can be pickled, so that any executor can share the work:

        with concurrent.futures.ProcessPoolExecutor() as pool:
            rows = [row for part in pool.map(study.run, study.parts(16)) for row in part]
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.path.abspath(os.fspath(path))
        self._core = guarded(_core.Study.load, self.path)
        about = self._core.about()
        self.title, self.method, self.hash, self.scenario_hash, self._count, n, outputs = about
        columns = self._core.columns()
        names = [c[0] for c in columns]
        self.parameters: tuple[str, ...] = tuple(names[:n])
        self.outputs: tuple[str, ...] = tuple(names[n : n + outputs])
        self.gradients: tuple[str, ...] = tuple(names[n + outputs :])
        self.units: dict[str, str] = {c[0]: c[1] for c in columns}

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"Study({self.path!r}): {self.method}, {self._count} points, {len(self.parameters)} parameters"

    def __getstate__(self) -> dict[str, str]:
        return {"path": self.path, "hash": self.hash, "scenario_hash": self.scenario_hash}

    def __setstate__(self, state: dict[str, str]) -> None:
        self.__init__(state["path"])  # type: ignore[misc]
        if (self.hash, self.scenario_hash) != (state["hash"], state["scenario_hash"]):
            raise ValueError(f"{self.path} or its scenario is not the same here: the hashes differ")

    @property
    def points(self) -> Array:
        """Values of all points, [points, parameters] in SI; of variants the index, -1 being the scenario as it is."""
        return self.values(0, self._count)

    def values(self, first: int, n: int) -> Array:
        """The same of n points from the first on."""
        out = np.empty((max(0, min(n, self._count - first)), len(self.parameters)))
        if out.size:
            guarded(self._core.points, first, out)
        return out

    def parts(self, n: int) -> list[range]:
        """All ids in n parts of about the same size."""
        return [range(i, self._count, n) for i in range(min(n, self._count))]

    def run(self, ids: Iterable[int] | None = None, threads: int = 1) -> list[Row]:
        """Runs points (all, if nothing is said), and returns a row for each in the order of the ids: point, parameters, outputs,
        derivatives, status, message, steps, iterations, rejected, seconds. A point that fails is a row with the status "failed"."""
        wanted = [int(i) for i in (range(self._count) if ids is None else ids)]
        names = self.parameters + self.outputs + self.gradients
        found: dict[int, Row] = {}
        for point, values, status, message, steps, iterations, rejected, seconds in guarded(self._core.run, wanted, threads):
            row: Row = {"point": point}
            for i, (name, value) in enumerate(zip(names, values, strict=True)):
                variant = self._core.variant(i, value) if i < len(self.parameters) else None
                row[name] = value if variant is None else variant
            row |= {"status": status, "message": message, "steps": steps, "iterations": iterations}
            found[point] = row | {"rejected": rejected, "seconds": seconds}
        return [found[i] for i in wanted]
