"""A simulation in the loop: steps, inputs, outputs, and states to go back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from . import _core
from .arrays import floats, names
from .errors import Closed, guarded
from .result import Result

if TYPE_CHECKING:
    from .scenario import Scenario


_DOUBLE = np.dtype(np.float64)


class Tangents(NamedTuple):
    """What changes at the end of a step."""

    state: np.ndarray
    outputs: np.ndarray


class Cotangents(NamedTuple):
    """What the end of a step depends on: the state at its beginning, inputs, and numbers of the file."""

    state: np.ndarray
    inputs: np.ndarray
    wrt: np.ndarray


class Simulation:
    """Advances piece by piece: sim.step(0.001, [force]) returns the outputs. Inputs belong to the simulation alone."""

    def __init__(self, scenario: Scenario, inputs: Sequence[str] = (), outputs: Sequence[str] = (), keep: int = 0):
        self.scenario = scenario
        self._keep, self._values = keep, dict[str, float]()
        inputs, outputs = names(inputs, "inputs"), names(outputs, "outputs")
        paths = [name for name in inputs if "." in name]
        core = guarded(scenario._core.inputs, paths) if paths else scenario._core
        self._core = guarded(_core.Simulation.make, core)
        if keep < -1:
            raise ValueError(f"keep: as many rows as are to be kept, or -1 for all, not {keep}")
        guarded(self._core.keep, keep)
        known = {name: i for i, (name, _, _) in enumerate(self._core.inputs())}
        units = dict(self._core.result(True).columns())
        columns = {name: i for i, name in enumerate(units)}
        self.inputs, self.outputs = inputs, outputs
        self.units = {name: unit for name, unit in units.items() if name in outputs}
        self._inputs = np.array([self._find(known, name.replace(".", "_"), "input") for name in inputs], dtype=np.float64)
        self._columns = np.array([self._find(columns, name, "column") for name in outputs], dtype=np.float64)
        self._nothing = np.empty(0)
        self._room = len(self.outputs)
        self._all = columns
        self._known = len(known)
        self.wrt: tuple[str, ...] = ()
        self.numbers: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def _find(known: Mapping[str, int], name: str, what: str) -> int:
        if name not in known:
            raise KeyError(f"there is no {what} \"{name}\"; there are {', '.join(known) or 'none'}")
        return known[name]

    @property
    def time(self) -> float:
        """Where it is [s]."""
        return self._core.time()

    def step(self, duration: float, u: Any = None, *, ramp: bool = False, to_event: bool = False) -> np.ndarray:
        """Advances by a duration [s] with these inputs, held constant or ramped to; the outputs at the end. With to_event, to the
        first transition between stick and slip, if one comes before."""
        values = places = self._nothing
        if u is not None:
            ready = type(u) is np.ndarray and u.dtype == _DOUBLE and u.flags.c_contiguous
            values, places = u if ready else floats(u, "inputs"), self._inputs
        out = np.empty(self._room)
        guarded(self._core.step, duration, values, places, ramp, to_event, out, self._columns)
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
        """Goes back to what save() has given, to the bit."""
        guarded(self._core.restore, state)

    def copy(self) -> Simulation:
        """Another simulation in the same state."""
        made = Simulation(self.scenario, self.inputs, self.outputs, self._keep)
        if self._values:
            made.reset(self._values)
        made.restore(self.save())
        if self.numbers:
            made.differentiate(self.wrt)
        return made

    def __deepcopy__(self, memo: Any) -> Simulation:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a simulation cannot be pickled: its scenario can, and save() has its state as bytes")

    def reset(self, values: Mapping[str, float | str] | None = None) -> None:
        """Back to the start; with other values of numbers of the file (as with_ takes them), for this simulation alone. Without any, those
        of the last reset with values stay."""
        numbers = self.scenario._numbers(values)
        guarded(self._core.reset, list(numbers), np.array(list(numbers.values()), dtype=np.float64))
        self._values = numbers or self._values

    def differentiate(self, wrt: Sequence[str] = ()) -> None:
        """From here on the last step can be differentiated (jvp, vjp): by the state at its beginning, by inputs, and by these numbers of
        the file. `numbers` then says which numbers of the state there are: (item, offset in what save() gives)."""
        wrt = names(wrt, "wrt")
        self.numbers = tuple(guarded(self._core.differentiate, wrt))
        self.wrt = wrt

    def jvp(self, state: Any = None, inputs: Any = None, wrt: Any = None) -> Tangents:
        """What a change of the state, of inputs and of numbers of the file changes at the end of the last step, to first order and
        exactly for the steps that were made."""
        end, columns = np.empty(len(self.numbers)), np.empty(len(self._all))
        given = None if inputs is None else self._spread(self._vector(inputs, self.inputs, "inputs"), self._inputs, self._known)
        by = None if wrt is None else self._vector(wrt, self.wrt, "wrt")
        guarded(self._core.jvp, None if state is None else self._vector(state, self.numbers, "state"), given, by, end, columns)
        return Tangents(end, columns[self._columns.astype(int)])

    def vjp(self, outputs: Any = None, state: Any = None) -> Cotangents:
        """The same transposed: from weights of the outputs and of the state at the end of the last step."""
        begin, inputs, wrt = np.empty(len(self.numbers)), np.empty(self._known), np.empty(len(self.wrt))
        weights = None if outputs is None else self._spread(self._vector(outputs, self.outputs, "outputs"), self._columns, len(self._all))
        guarded(self._core.vjp, None if state is None else self._vector(state, self.numbers, "state"), weights, begin, inputs, wrt)
        return Cotangents(begin, inputs[self._inputs.astype(int)], wrt)

    @property
    def warnings(self) -> list[str]:
        """What may make derivatives of the last step wrong."""
        return self._core.warnings()

    @staticmethod
    def _vector(values: Any, names: Sequence[Any], what: str) -> np.ndarray:
        vector = floats(values, what).reshape(-1)
        if len(vector) != len(names):
            raise ValueError(f"{what}: {len(names)} numbers are needed, not {len(vector)}")
        return vector

    @staticmethod
    def _spread(values: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
        """Numbers in their places among n; those that share one add up."""
        out = np.zeros(n)
        np.add.at(out, places.astype(int), values)
        return out

    @property
    def result(self) -> Result:
        """What was kept of the rows; its arrays are copies, since the next step changes the rows."""
        return Result(self._core.result(True), self.scenario.title)

    def close(self) -> None:
        """Lets go of the memory, which is freed when nothing looks at it any more; every later use raises."""
        self._core = cast(_core.Simulation, Closed("simulation"))

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
