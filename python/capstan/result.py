"""Results: columns over time as NumPy arrays that share the library's memory, events, energy, fields along cables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from .errors import guarded


class Result(Mapping[str, np.ndarray]):
    """result["bodies.load.y"] is a read-only array over the rows; result.units["bodies.load.y"] its unit."""

    def __init__(self, core: _core.Result, title: str = ""):
        self._core = core
        self.title = title
        names = core.columns()
        self._index = {name: i for i, (name, _) in enumerate(names)}
        self.units: dict[str, str] = dict(names)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Reads a result.h5, or the one in a folder that `capstan run` has left."""
        core = guarded(_core.Result.load, path)
        return cls(core, core.text("title") or "")

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._index:
            near = [c for c in self._index if name.split(".")[-1] in c][:5]
            raise KeyError(f"no column is called \"{name}\"" + (f"; there are {', '.join(near)}" if near else ""))
        return np.asarray(self._core.column(self._index[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def time(self) -> np.ndarray:
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
        return self._core.counters()

    @property
    def fields(self) -> dict[str, np.ndarray]:
        """What is recorded along cables: [frames, points, components]; times in fields["time"]."""
        times, rows = self._core.fields()
        return {"time": np.asarray(times), **{name: np.asarray(a) for name, _, a in rows}}

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
