"""A simulation in the loop: steps, inputs, outputs, and states to go back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import guarded
from .result import Result

if TYPE_CHECKING:
    from .scenario import Scenario


class Simulation:
    """Advances piece by piece: sim.step(0.001, [force]) returns the outputs. Inputs belong to the simulation alone."""

    def __init__(self, scenario: Scenario, inputs: Sequence[str] = (), outputs: Sequence[str] = (), keep: int = 0):
        self.scenario = scenario
        paths = [name for name in inputs if "." in name]
        core = guarded(scenario._core.inputs, paths) if paths else scenario._core
        self._core = guarded(_core.Simulation.make, core)
        guarded(self._core.keep, keep)
        known = {name: i for i, (name, _, _) in enumerate(self._core.inputs())}
        columns = {name: i for i, (name, _) in enumerate(self._core.result().columns())}
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.units = {name: unit for name, unit in self._core.result().columns() if name in outputs}
        self._inputs = np.array([self._find(known, name.replace(".", "_"), "input") for name in inputs], dtype=np.float64)
        self._columns = np.array([self._find(columns, name, "column") for name in outputs], dtype=np.float64)
        self._nothing = np.empty(0)
        self._all = columns

    @staticmethod
    def _find(known: Mapping[str, int], name: str, what: str) -> int:
        if name not in known:
            raise KeyError(f"there is no {what} \"{name}\"; there are {', '.join(known) or 'none'}")
        return known[name]

    @property
    def time(self) -> float:
        return self._core.time()

    def step(self, duration: float, u: Any = None, *, ramp: bool = False, to_event: bool = False) -> np.ndarray:
        """Advances by a duration [s] with these inputs, held constant or ramped to; the outputs at the end. With to_event, to the
        first transition between stick and slip, if one comes before."""
        values = self._nothing if u is None else np.ascontiguousarray(u, dtype=np.float64).reshape(-1)
        places = self._nothing if u is None else self._inputs
        out = np.empty(len(self.outputs))
        guarded(self._core.step, self._core.time() + duration, values, places, ramp, to_event, out, self._columns)
        return out

    def step_to(self, time: float, u: Any = None, *, ramp: bool = False, to_event: bool = False) -> np.ndarray:
        """The same to a time."""
        return self.step(time - self._core.time(), u, ramp=ramp, to_event=to_event)

    def __getitem__(self, column: str) -> float:
        """What a column is now: sim["bodies.load.y"]."""
        return self._core.get(self._find(self._all, column, "column"))

    def start(self) -> None:
        """Finds the equilibrium that cables start from; step does it if nobody has."""
        guarded(self._core.start)

    def save(self) -> bytes:
        """The state at this instant."""
        return guarded(self._core.save)

    def restore(self, state: bytes) -> None:
        guarded(self._core.restore, state)

    def copy(self) -> Simulation:
        """Another simulation in the same state."""
        made = Simulation(self.scenario, self.inputs, self.outputs)
        made.restore(self.save())
        return made

    def reset(self, values: Mapping[str, float] | None = None) -> None:
        """Back to the start; with other values of numbers of the file, for this simulation alone."""
        values = dict(values or {})
        guarded(self._core.reset, list(values), np.array(list(values.values()), dtype=np.float64))

    @property
    def result(self) -> Result:
        """What was kept of the rows."""
        return Result(self._core.result(), self.scenario.title)
