"""Results: columns over time as NumPy arrays that share the library's memory, events, energy, fields along cables."""

from __future__ import annotations

import os
import html
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from . import _core, tool
from .arrays import pint_unit
from .errors import guarded


class Result(Mapping[str, np.ndarray]):
    """result["bodies.load.y"] is a read-only array over the rows; result.units["bodies.load.y"] its unit."""

    def __init__(self, core: _core.Result, title: str = "", write: Callable[[str], None] | None = None, path: str | os.PathLike[str] | None = None):
        self._core = core
        self._write = write
        self._path = path
        self._folder: Any = None
        self.title = title
        names = core.columns()
        self._index = {name: i for i, (name, _) in enumerate(names)}
        self.units: dict[str, str] = dict(names)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Reads a result.h5, or the one in a folder that `capstan run` has left."""
        core = guarded(_core.Result.load, path)
        return cls(core, core.text("title") or "", path=path)

    def __reduce__(self) -> tuple[Any, ...]:
        """As the bytes of its result.h5."""
        with tempfile.TemporaryDirectory() as folder:
            self.write(Path(folder) / "result.h5")
            return _unpack, (type(self), (Path(folder) / "result.h5").read_bytes(), self.title)

    def __eq__(self, other: object) -> bool:
        return self is other  # one is like no other: a Mapping would compare arrays

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._index:
            near = [c for c in self._index if str(name).split(".")[-1] in c][:5]
            raise KeyError(f"no column is called \"{name}\"" + (f"; there are {', '.join(near)}" if near else ""))
        return np.asarray(self._core.column(self._index[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def time(self) -> np.ndarray:
        """The times of the rows [s]."""
        return self["time"]

    @property
    def events(self) -> list[tuple[float, str, str]]:
        """Transitions: (time, contact, "stick -> slip forward")."""
        return self._core.events()

    @property
    def energy(self) -> dict[str, float]:
        """The energy audit at the end [J]."""
        return self._core.energy()

    @property
    def counters(self) -> dict[str, int]:
        """Steps, rejected ones, evaluations, Newton's iterations, factorisations, events."""
        return self._core.counters()

    @property
    def fields(self) -> dict[str, np.ndarray]:
        """What is recorded along cables: [frames, points, components]; times in fields["time"]."""
        times, rows = self._core.fields()
        return {"time": np.asarray(times), **{name: np.asarray(a) for name, _, a in rows}}

    def quantity(self, name: str) -> Any:
        """A column with its unit, as pint's Quantity."""
        import pint  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return pint.application_registry.Quantity(self[name], pint_unit(self.units[name]))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the result.h5, which Result.load and the tool read."""
        if self._path is not None:
            source = Path(self._path)
            guarded(_core.write_file, path, (source / "result.h5" if source.is_dir() else source).read_bytes())
        elif self._write is not None:
            guarded(self._write, os.fspath(path))
        else:
            raise ValueError("this result cannot be written: it is not a whole run")

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report: one page of HTML that needs no network, written to `path` if it is given."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            self.write(Path(folder) / "result.h5")
            tool.run("report", "--quiet", Path(folder) / "result.h5", "-o", page)
            text = page.read_text(encoding="utf-8")
        if path is not None:
            guarded(_core.write_file, path, text.encode())
        return text

    def _repr_html_(self) -> str:
        """In a notebook: the report, in a frame of its own."""
        try:
            page = self.report()
        except (OSError, RuntimeError, ValueError) as e:
            return f"<pre>{html.escape(repr(self))}\n{html.escape(str(e))}</pre>"
        return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:640px;border:0"></iframe>'

    def frame(self) -> Any:
        """A pandas DataFrame over time."""
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]

        return pd.DataFrame({name: self[name] for name in self if name != "time"}, index=pd.Index(self.time, name="time"))

    def xarray(self) -> Any:
        """An xarray Dataset over time, with units as attributes."""
        import xarray as xr  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return xr.Dataset(
            {name: ("time", self[name], {"units": self.units[name]}) for name in self if name != "time"},
            coords={"time": ("time", self.time, {"units": "s"})},
            attrs={"title": self.title},
        )

    def __repr__(self) -> str:
        rows = len(self.time) if len(self) else 0
        return f"<Result \"{self.title}\": {rows} rows of {len(self)} columns, {len(self.events)} events>"


def _unpack(kind: type[Result], data: bytes, title: str) -> Result:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "result.h5"
    path.write_bytes(data)
    made = kind(guarded(_core.Result.load, path), title, path=path)
    made._folder = folder  # what write() and report() copy, as long as the result is there
    return made
