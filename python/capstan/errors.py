"""Exceptions: each says file, line, column and key of what is wrong, as far as they are known."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable
from typing import Any, TypeVar

from . import _core

T = TypeVar("T")


class CapstanError(Exception):
    """What the library complains of. `problems` has a dict for each: status, file, line, column, key, time, text, source."""

    def __init__(self, problems: list[dict[str, Any]]):
        self.problems = problems
        super().__init__("\n".join(_sentence(p) for p in problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)

    def __getattr__(self, name: str) -> Any:
        if name in ("status", "file", "line", "column", "key", "time", "text", "source"):
            return self.problems[0][name] if self.problems else None
        raise AttributeError(name)


class ScenarioError(CapstanError, ValueError):
    """The input is wrong; nothing was done."""


class SimulationError(CapstanError, RuntimeError):
    """The computation failed; `result` holds everything up to that time, if there is anything."""

    result: Any = None


class FileError(CapstanError, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file is not there."""

    def __init__(self, problems: list[dict[str, Any]]):
        super().__init__(problems)
        self.errno = errno.ENOENT


# As the library says it of scenarios, and the system of results.
_MISSING = ("there is no such file", os.strerror(errno.ENOENT), "is not there")


def _sentence(p: dict[str, Any]) -> str:
    place = p["file"]
    if p["line"]:
        place += f":{p['line']}:{p['column']}" if place else f"line {p['line']}, column {p['column']}"
    text = f"{place}: {p['text']}" if place else p["text"]
    if p["source"]:
        text += f"\n    {p['source']}\n    {' ' * (p['column'] - 1)}^"
    return text


def _make(problems: list[dict[str, Any]]) -> Exception:
    for p in problems:
        if p["file"] == "--set":  # as the tool calls what its command line changes
            p["file"] = "settings"
        if isinstance(p["time"], float) and math.isnan(p["time"]):
            p["time"] = None
    status = problems[0]["status"] if problems else ""
    if status == "input/output error":
        return (MissingFileError if problems[0]["text"].endswith(_MISSING) else FileError)(problems)
    return SimulationError(problems) if status == "failed" else ScenarioError(problems)


class _Raised(Exception):
    """What the extension raises, called with the list of problems; guarded() turns it into one of the above."""


_core.set_error(_Raised)


class Closed:
    """What stands in the place of something that was closed: every use of it raises."""

    def __init__(self, what: str):
        self._what = what

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"this {self._what} is closed")


def guarded(call: Callable[..., T], *args: Any) -> T:
    try:
        return call(*args)
    except _Raised as e:
        problems = e.args[0]
    raise _make(problems)
