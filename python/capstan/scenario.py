"""Scenarios: from files, text or dicts; their runs and derivatives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from . import _core
from .arrays import floats, names, number
from .batch import Batch
from .errors import SimulationError, guarded
from .models import Law, Normal
from .result import Result
from .search import Fit, Optimum, bounds_of
from .simulation import Simulation

Progress = Callable[[float, float, float, int], Any]
_LOSSES = ("none", "huber", "cauchy")
_ALGORITHMS = ("slsqp", "mma", "ccsa")
_METHODS = {"auto": 0, "forward": 1, "adjoint": 2, "differences": 3}


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as JSON has them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a scenario has numbers, texts, lists and dicts, not {value!r}")


def _lines(settings: Mapping[str, Any] | None) -> list[str]:
    if settings is not None and not isinstance(settings, Mapping):
        raise TypeError(f"settings: a mapping of paths to values is needed, not {settings!r}")
    return [f"{path}={value if isinstance(value, str) else json.dumps(value, default=_plain)}" for path, value in (settings or {}).items()]


def _series(column: str, given: Sequence[Any]) -> tuple[Any, ...]:
    times, values, *sigma = given
    arrays = [floats(a, column).reshape(-1) for a in (times, values)]
    spread = None
    if sigma and sigma[0] is not None:
        spread = np.ascontiguousarray(np.broadcast_to(floats(sigma[0], column), arrays[0].shape))
    return (column, *arrays, spread)


@dataclass(frozen=True)
class Sensitivities:
    """Values of outputs and their derivatives: gradient[i, j] = d(of[i])/d(wrt[j])."""

    of: tuple[str, ...]
    wrt: tuple[str, ...]
    values: np.ndarray
    gradient: np.ndarray
    warnings: tuple[str, ...]


class Scenario:
    """A machine, and what is to be computed of it.

    Scenario("crane.yaml")                     a file
    Scenario({"capstan": 1, "bodies": ...})    a dict, as the file would say it
    Scenario.text("capstan: 1 ...")            YAML
    """

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any], settings: Mapping[str, Any] | None = None, laws: Sequence[Law | Normal] = ()):
        if isinstance(source, Mapping):
            self._read(json.dumps(source, indent=1, default=_plain), "", _lines(settings), laws)
        elif isinstance(source, str) and "\n" in source and ":" in source:
            raise ValueError("a file is needed, and this is text of several lines: Scenario.text(...) reads YAML")
        else:
            self._read(None, source, _lines(settings), laws)

    @classmethod
    def text(cls, yaml: str, settings: Mapping[str, Any] | None = None, file: str = "", laws: Sequence[Law | Normal] = ()) -> Scenario:
        """From YAML, with settings {"run.until": "2 s"}, and laws of your own (own_law, own_normal); `file` is what errors call it."""
        made = cls.__new__(cls)
        made._read(yaml, file, _lines(settings), laws)
        return made

    def _read(self, text: str | None, file: str | os.PathLike[str], lines: list[str], laws: Sequence[Law | Normal]) -> None:
        if isinstance(laws, (Law, Normal)):
            laws = [laws]
        own = [getattr(law, "_law", law) for law in laws]
        wrong = [law for law in own if not isinstance(law, (_core.Law, _core.Normal))]
        if wrong:
            raise TypeError(f"laws: laws of your own (own_law, own_normal) are needed, not {wrong[0]!r}")
        self._core = guarded(_core.Scenario.load, file, lines, own) if text is None else guarded(_core.Scenario.parse, text, os.fspath(file), lines, own)
        self._recipe = (text, os.path.abspath(os.fsdecode(file)) if text is None else file, lines)
        self._own = bool(own)
        self._changes: dict[str, float] = {}

    def _changed(self, core: _core.Scenario, values: Mapping[str, float]) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__.update({**self.__dict__, "_core": core, "_changes": {**self._changes, **values}})
        return made

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        if self._own:
            raise TypeError("a scenario with laws of your own cannot be pickled: make it anew in the other process")
        return {**self.__dict__, "_core": None, "hash": self.hash}

    def __setstate__(self, state: dict[str, Any]) -> None:
        text, file, lines = state["_recipe"]
        self._read(text, file, lines, ())
        core = self.with_(state["_changes"])._core if state["_changes"] else self._core
        kept = state.pop("hash")
        self.__dict__.update({**state, "_core": core})
        if self.hash != kept:
            raise ValueError(f"{self._recipe[1] or 'the scenario'} is not the same here: the hashes differ")

    @property
    def title(self) -> str:
        """As the file says it; else its name."""
        return self._core.title()

    @property
    def hash(self) -> str:
        """SHA-256 of source and settings."""
        return self._core.hash()

    def __getitem__(self, path: str) -> float:
        """The number at a path, in SI: scenario["bodies.load.mass"]."""
        return guarded(self._core.quantity, path)[0]

    def __setitem__(self, path: str, value: Any) -> None:
        raise TypeError(f"a scenario does not change, since simulations of it may be under way: with_({{{path!r}: {value!r}}}) gives another one")

    def unit(self, path: str) -> str:
        """The unit of the number at a path: unit("bodies.load.mass") is "kg"."""
        return guarded(self._core.quantity, path)[1]

    def with_(self, values: Mapping[str, float | str]) -> Self:
        """The same scenario with numbers changed: in SI, as text with a unit, or as Quantities of pint. What is no number, such as the
        name of a law, is changed by the settings of Scenario(...)."""
        numbers = self._numbers(values)
        return self._changed(guarded(self._core.change, list(numbers), np.array(list(numbers.values()), dtype=np.float64)), numbers)

    def _numbers(self, values: Mapping[str, Any] | None) -> dict[str, float]:
        """Values of numbers of the file, in SI."""
        if values is not None and not isinstance(values, Mapping):
            raise TypeError(f"a mapping of paths to values is needed, not {values!r}")
        return {path: number(value, partial(self.unit, path), path) for path, value in (values or {}).items()}

    def run(self, progress: Progress | bool | None = None) -> Result:
        """Runs to the end. `progress` is called with (time, from, until, steps) and stops the run by returning True; True shows a bar."""
        sim = guarded(_core.Simulation.make, self._core)
        bar = None
        call: Progress | None = None if progress is None or isinstance(progress, bool) else progress
        if progress is True:
            from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]

            bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", desc=self.title)

            def show(t: float, a: float, b: float, _: int) -> bool:
                bar.update((t - a) / (b - a) - bar.n)
                return False

            call = show

        try:
            guarded(sim.run, call)
            if bar is not None:
                bar.update(1 - bar.n)
        except SimulationError as e:
            e.result = Result(sim.result(False), self.title, sim.write)
            raise
        finally:
            if bar is not None:
                bar.close()
        return Result(sim.result(False), self.title, sim.write)

    def quantities(self) -> dict[str, tuple[float, str]]:
        """Every number of the file by its path: value in SI, and unit."""
        return {path: (value, unit) for path, unit, value in self._core.quantities()}

    def simulation(self, inputs: Sequence[str] = (), outputs: Sequence[str] = (), keep: int = 0) -> Simulation:
        """A simulation to be stepped from outside. `inputs` are names of inputs of the file, or paths of quantities that become
        inputs; `outputs` are columns. Both in the order in which step() takes and gives them. `keep` is how many rows its result
        holds: the last ones, -1 for all."""
        return Simulation(self, inputs, outputs, keep)

    def batch(self, n: int, inputs: Sequence[str] = (), outputs: Sequence[str] = (), threads: int = 0) -> Batch:
        """n simulations that are stepped together over threads (0: one for each processor)."""
        return Batch(self, n, inputs, outputs, threads)

    def fit(
        self,
        wrt: Sequence[str],
        data: Mapping[str, Any] | Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
        bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
        loss: str = "none",
        steps: int = 0,
        progress: Callable[[int, float, list[float]], Any] | None = None,
    ) -> Fit:
        """Finds numbers of the file from measurements: data = {"bodies.block.x": (times, values)} or (times, values, sigma) in SI; or, for
        several experiments, [(settings, such a mapping), ...]. Losses are none (squares), huber and cauchy."""
        if loss not in _LOSSES:
            raise ValueError(f"loss is one of {', '.join(_LOSSES)}, not {loss}")
        wrt = names(wrt, "wrt")
        sets = [({}, data)] if isinstance(data, Mapping) else data
        rows = tuple((_lines(settings), tuple(_series(column, given) for column, given in columns.items())) for settings, columns in sets)
        found = guarded(_core.fit, self._core, wrt, bounds_of(wrt, bounds), _LOSSES.index(loss), steps, rows, progress)
        parameters = found["parameters"]
        return Fit(
            values={p["path"]: p["value"] for p in parameters},
            errors={p["path"]: p["error"] for p in parameters},
            intervals={p["path"]: (p["low"], p["high"]) for p in parameters},
            covariance=np.array(found["covariance"]).reshape(len(parameters), len(parameters)),
            series=found["series"],
            scenario=self._changed(found["scenario"], {p["path"]: p["value"] for p in parameters}),
            cost=found["cost"],
            converged=bool(found["converged"]),
            reason=found["reason"],
            steps=found["steps"],
            runs=found["runs"],
            warnings=tuple(found["warnings"]),
        )

    def optimize(
        self,
        wrt: Sequence[str],
        objective: str,
        bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
        limits: Mapping[str, tuple[float | None, float | None]] | None = None,
        algorithm: str = "slsqp",
        runs: int = 200,
        tolerance: float = 1e-5,
        progress: Callable[[int, float, list[float]], Any] | None = None,
    ) -> Optimum:
        """Minimises an output ("-" before it: maximises it) over numbers of the file, within bounds of them and limits of other outputs:
        limits = {"max(cables.rope.tension_max)": (None, 500.0)}. Gradients come from sens."""
        if algorithm not in _ALGORITHMS:
            raise ValueError(f"algorithm is one of {', '.join(_ALGORITHMS)}, not {algorithm}")
        wrt = names(wrt, "wrt")
        rows = tuple((output, -np.inf if least is None else float(least), np.inf if most is None else float(most)) for output, (least, most) in (limits or {}).items())
        found = guarded(_core.optimize, self._core, wrt, bounds_of(wrt, bounds), objective, rows, _ALGORITHMS.index(algorithm), runs, tolerance, progress)
        return Optimum(
            values={p["path"]: p["value"] for p in found["parameters"]},
            outputs={o["output"]: o["value"] for o in found["outputs"]},
            started={o["output"]: o["start"] for o in found["outputs"]},
            scenario=self._changed(found["scenario"], {p["path"]: p["value"] for p in found["parameters"]}),
            converged=bool(found["converged"]),
            reason=found["reason"],
            runs=found["runs"],
            violation=found["violation"],
            warnings=tuple(found["warnings"]),
        )

    def sens(self, wrt: Sequence[str], of: Sequence[str], method: str = "auto", progress: Progress | None = None) -> Sensitivities:
        """Exact derivatives of outputs (as `capstan sens --of` takes them) by numbers of the file."""
        if method not in _METHODS:
            raise ValueError(f"method is one of {', '.join(_METHODS)}, not {method}")
        wrt, of = names(wrt, "wrt"), names(of, "of")
        values, gradient, warnings = guarded(_core.sens, self._core, wrt, of, _METHODS[method], progress)
        return Sensitivities(of, wrt, np.array(values), np.array(gradient).reshape(len(of), len(wrt)), tuple(warnings))

    def __repr__(self) -> str:
        return f"<Scenario \"{self.title}\">"
