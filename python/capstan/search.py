"""What fits and optimisations find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .scenario import Scenario


@dataclass(frozen=True)
class Fit:
    """Parameters that were found from measurements, and how well they are known."""

    values: dict[str, float]
    errors: dict[str, float]  # standard errors; NaN where they cannot be known
    intervals: dict[str, tuple[float, float]]  # 95 %
    covariance: np.ndarray[Any, np.dtype[np.float64]]
    series: list[dict[str, Any]]  # rms_before and rms_after of each measured column
    scenario: Scenario  # with the values that were found
    cost: float
    converged: bool
    reason: str
    steps: int
    runs: int
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Optimum:
    """Parameters that were found, outputs at them, and how the search ended."""

    values: dict[str, float]
    outputs: dict[str, float]  # the objective first, then what is limited
    started: dict[str, float]  # the outputs at the start
    scenario: Scenario
    converged: bool
    reason: str
    runs: int
    violation: float
    warnings: tuple[str, ...]


def bounds_of(wrt: Sequence[str], bounds: Mapping[str, tuple[float | None, float | None]] | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[parameters, 2], infinite where nothing is said."""
    unknown = [path for path in bounds or {} if path not in wrt]
    if unknown:
        raise KeyError(f"bounds are given for \"{unknown[0]}\", which is not among the parameters")
    rows = [(bounds or {}).get(path, (None, None)) for path in wrt]
    return np.array([[-np.inf if low is None else low, np.inf if high is None else high] for low, high in rows], dtype=np.float64).reshape(len(wrt), 2)
