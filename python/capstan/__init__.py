"""Capstan: stick-slip friction, and cables on pulleys, drums and winches.

    import capstan

    r = capstan.Scenario("crane.yaml").with_({"bodies.load.mass": 120}).run()
    r["bodies.load.y"]          # a NumPy array, without a copy
    capstan.models["cdq"](v=0.01, n=10.0, f_eq=2.0, mu=0.3)
"""

from __future__ import annotations

from ._core import version as _version
from .arrays import quantity
from .batch import Batch
from .errors import CapstanError, FileError, MissingFileError, ScenarioError, SimulationError
from .models import Law, Normal, models, normals
from .own_law import OwnLaw, OwnNormal, own_law, own_normal
from .result import Result
from .rollout import Rollout
from .scenario import Scenario, Sensitivities
from .search import Fit, Optimum
from .simulation import Cotangents, Simulation, Tangents
from .study import Study
from .trajectory import Trajectory

__version__: str = _version()
__all__ = [
    "Batch",
    "CapstanError",
    "Cotangents",
    "FileError",
    "Fit",
    "Law",
    "MissingFileError",
    "Normal",
    "Optimum",
    "OwnLaw",
    "OwnNormal",
    "Result",
    "Rollout",
    "Scenario",
    "ScenarioError",
    "Sensitivities",
    "Simulation",
    "SimulationError",
    "Study",
    "Tangents",
    "Trajectory",
    "models",
    "normals",
    "own_law",
    "own_normal",
    "quantity",
]
