"""What callers give: numbers as arrays of float64, and lists of names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def names(given: Iterable[str], what: str) -> tuple[str, ...]:
    """The names. A text alone is refused: it would be a list of letters."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"{what}: a list of names is needed, not {given!r}")
    all_of_them = tuple(given)
    wrong = [name for name in all_of_them if not isinstance(name, str)]
    if wrong:
        raise TypeError(f"{what}: names are texts, not {wrong[0]!r}")
    return all_of_them


def floats(values: Any, what: str) -> np.ndarray:
    """The numbers, contiguous. What is no real number - text, complex numbers, dates, None - is refused."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise TypeError(f"{what}: some numbers are masked")
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what}: real numbers are needed, not {array.dtype}")
    return np.asarray(array, dtype=np.float64, order="C")
