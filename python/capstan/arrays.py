"""Numbers of callers as arrays of float64."""

from __future__ import annotations

from typing import Any

import numpy as np


def floats(values: Any, what: str) -> np.ndarray:
    """The numbers, contiguous. What is no real number - text, complex numbers, dates, None - is refused."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what}: real numbers are needed, not {array.dtype}")
    return np.asarray(array, dtype=np.float64, order="C")
