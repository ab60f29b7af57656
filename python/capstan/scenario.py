"""Scenarios: from files, text or dicts; their runs and derivatives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from .errors import SimulationError, guarded
from .result import Result
from .simulation import Simulation

Progress = Callable[[float, float, float, int], Any]
_METHODS = {"auto": 0, "forward": 1, "adjoint": 2, "differences": 3}


def quantity(text: str, unit: str) -> float:
    """ "10 mm" as a number in SI: quantity("10 mm", "m") is 0.01."""
    return guarded(_core.quantity, text, unit)


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

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any], settings: Mapping[str, Any] | None = None):
        lines = [f"{path}={value if isinstance(value, str) else json.dumps(value)}" for path, value in (settings or {}).items()]
        if isinstance(source, Mapping):
            self._core = guarded(_core.Scenario.parse, json.dumps(source), "", lines)
        else:
            self._core = guarded(_core.Scenario.load, source, lines)

    @classmethod
    def text(cls, yaml: str, settings: Mapping[str, Any] | None = None, file: str = "") -> Scenario:
        made = cls.__new__(cls)
        lines = [f"{path}={value if isinstance(value, str) else json.dumps(value)}" for path, value in (settings or {}).items()]
        made._core = guarded(_core.Scenario.parse, yaml, file, lines)
        return made

    @property
    def title(self) -> str:
        return self._core.title()

    @property
    def hash(self) -> str:
        """SHA-256 of source and settings."""
        return self._core.hash()

    def __getitem__(self, path: str) -> float:
        """The number at a path, in SI: scenario["bodies.load.mass"]."""
        return guarded(self._core.quantity, path)[0]

    def unit(self, path: str) -> str:
        return guarded(self._core.quantity, path)[1]

    def with_(self, values: Mapping[str, float | str]) -> Scenario:
        """The same scenario with numbers changed, in SI or as text with a unit."""
        numbers = {p: quantity(v, self.unit(p)) if isinstance(v, str) else float(v) for p, v in values.items()}
        made = Scenario.__new__(Scenario)
        made._core = guarded(self._core.change, list(numbers), np.array(list(numbers.values()), dtype=np.float64))
        return made

    def run(self, progress: Progress | bool | None = None) -> Result:
        """Runs to the end. `progress` is called with (time, from, until, steps) and stops the run by returning True; True shows a bar."""
        sim = guarded(_core.Simulation.make, self._core)
        bar = None
        if progress is True:
            from tqdm.auto import tqdm

            bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", desc=self.title)

            def progress(t: float, a: float, b: float, _: int) -> bool:
                bar.update((t - a) / (b - a) - bar.n)
                return False

        try:
            guarded(sim.run, progress or None)
        except SimulationError as e:
            e.result = Result(sim.result(), self.title)
            raise
        finally:
            if bar is not None:
                bar.close()
        return Result(sim.result(), self.title)

    def quantities(self) -> dict[str, tuple[float, str]]:
        """Every number of the file by its path: value in SI, and unit."""
        return {path: (value, unit) for path, unit, value in self._core.quantities()}

    def simulation(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Simulation:
        """A simulation to be stepped from outside. `inputs` are names of inputs of the file, or paths of quantities that become
        inputs; `outputs` are columns. Both in the order in which step() takes and gives them."""
        return Simulation(self, inputs, outputs)

    def sens(self, wrt: Sequence[str], of: Sequence[str], method: str = "auto", progress: Progress | None = None) -> Sensitivities:
        """Exact derivatives of outputs (as `capstan sens --of` takes them) by numbers of the file."""
        if method not in _METHODS:
            raise ValueError(f"method is one of {', '.join(_METHODS)}, not {method}")
        wrt, of = tuple(wrt), tuple(of)
        values, gradient, warnings = guarded(_core.sens, self._core, wrt, of, _METHODS[method], progress)
        return Sensitivities(of, wrt, np.array(values), np.array(gradient).reshape(len(of), len(wrt)), tuple(warnings))

    def __repr__(self) -> str:
        return f"<Scenario \"{self.title}\">"
