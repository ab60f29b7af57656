"""Many simulations of one model, stepped together: contiguous arrays in, contiguous arrays out, threads inside."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core
from .arrays import floats, names
from .errors import Closed, guarded

if TYPE_CHECKING:
    from .scenario import Scenario

Array = np.ndarray[Any, np.dtype[np.float64]]


class Batch:
    """n simulations with inputs and parameters of their own: y = batch.step(0.001, u), with u [n, inputs] and y [n, outputs].

    One that fails is NaN in the outputs and True in `failed`, and does not hinder the others; reset(i) brings it back.
    """

    def __init__(self, scenario: Scenario, n: int, inputs: Sequence[str] = (), outputs: Sequence[str] = (), threads: int = 0):
        n = operator.index(n)
        if not 1 <= n < 2**31:
            raise ValueError(f"a batch has at least one simulation, and fewer than 2^31, not {n}")
        inputs, outputs = names(inputs, "inputs"), names(outputs, "outputs")
        paths = [name for name in inputs if "." in name]
        core = guarded(scenario._core.inputs, paths) if paths else scenario._core
        self._core = guarded(_core.Batch.make, core, n, threads, list(outputs))
        self.scenario = scenario
        self.n = n
        self.inputs, self.outputs = inputs, outputs
        known = {name: i for i, (name, _, _) in enumerate(self._core.inputs())}
        missing = [name for name in inputs if name.replace(".", "_") not in known]
        if missing:
            raise KeyError(f"there is no input \"{missing[0]}\"; there are {', '.join(known) or 'none'}")
        self._columns = np.array([known[name.replace(".", "_")] for name in inputs], dtype=np.intp)
        self._u = np.tile(np.array([start for _, _, start in self._core.inputs()], dtype=np.float64), (n, 1))
        self._failed = np.zeros(n)
        self.message = ""  # of the first simulation that failed in the last step

    def __len__(self) -> int:
        return self.n

    @property
    def time(self) -> Array:
        """The time of each [s]."""
        times = np.empty(self.n)
        self._core.times(times)
        return times

    @property
    def failed(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of them failed in the last step."""
        return np.asarray(self._failed != 0)

    def step(self, duration: float, u: Any = None, *, ramp: bool = False, out: Array | None = None) -> Array:
        """Advances all by a duration [s], each from where it is, with inputs [n, inputs] (or what broadcasts to that); the outputs
        [n, outputs] at the end, written to `out` if it is given."""
        given = None
        if u is not None:
            numbers, shape = floats(u, "inputs"), (self.n, len(self.inputs))
            try:
                given = np.broadcast_to(numbers, shape)
            except ValueError:
                raise ValueError(f"inputs are {list(shape)}, one row for each simulation, or what broadcasts to that, not {list(numbers.shape)}") from None
            if not np.isfinite(given).all():
                i, k = np.argwhere(~np.isfinite(given))[0]
                raise ValueError(f"input {self.inputs[k]} of simulation {i} cannot be {given[i, k]}: nothing was done")
        y = np.empty((self.n, len(self.outputs))) if out is None else out
        if not isinstance(y, np.ndarray):
            raise TypeError(f"out: an array of float64 is needed, not {type(y).__name__}")
        if y.shape != (self.n, len(self.outputs)):
            raise ValueError(f"out is [{self.n}, {len(self.outputs)}], not {list(y.shape)}")
        if given is not None:
            self._u[:, self._columns] = given
        self.message = guarded(self._core.step, duration, None if given is None else self._u, int(ramp), y, self._failed) or ""
        return y

    def reset(self, i: int | None = None, values: Mapping[str, float | str] | None = None) -> None:
        """Brings one of them (None: all) back to the start; with other values of numbers of the file (as with_ takes them), for it alone."""
        numbers = self.scenario._numbers(values)
        starts = [start for _, _, start in self._core.inputs()]
        for k in range(self.n) if i is None else (i,):
            guarded(self._core.reset, k, list(numbers), np.array(list(numbers.values()), dtype=np.float64))
            self._u[k] = starts
            self._failed[k] = 0

    def save(self, i: int) -> bytes:
        """The state of one of them at this instant."""
        return guarded(self._core.save, i)

    def restore(self, i: int, state: bytes) -> None:
        """Goes back to what save() has given, to the bit."""
        guarded(self._core.restore, i, state)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a batch cannot be pickled: its scenario can, and save() has states as bytes")

    def close(self) -> None:
        """Ends the threads and lets go of the memory; every later use raises."""
        self._core = cast(_core.Batch, Closed("batch"))

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
