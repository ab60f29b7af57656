"""What callers give: numbers as arrays of float64 or with units, and lists of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _core
from .errors import guarded


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


def quantity(text: str, unit: str) -> float:
    """ "10 mm" as a number in SI: quantity("10 mm", "m") is 0.01."""
    return guarded(_core.quantity, text, unit)


def number(value: Any, unit: Callable[[], str], what: str) -> float:
    """A number in SI: as it is, or from text with a unit, or from a Quantity of pint."""
    if isinstance(value, str):
        return quantity(value, unit())
    in_unit = getattr(value, "m_as", None)
    if in_unit is not None:
        value = in_unit(pint_unit(unit()))
    array = floats(value, what)
    if array.size != 1:
        raise TypeError(f"{what}: one number is needed, not {array.size}")
    return float(array.reshape(()))


def pint_unit(unit: str) -> str:
    """Our units, such as "N m s2", as pint reads them."""
    return "" if unit == "1" else re.sub(r"([a-zA-Z])(\d)", r"\1**\2", unit.replace(" ", "*"))
