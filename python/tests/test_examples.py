"""The examples beside the package run from top to bottom, where what they import is installed."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
NEEDS = {"scipy_least_squares": "scipy", "salib_indices": "SALib", "optuna_controller": "optuna", "openmdao_component": "openmdao"}


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_example(name, capsys, tmp_path, monkeypatch):
    if importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FOLDER / f"{name}.py"))
    assert capsys.readouterr().out


def test_all_are_known():
    assert {p.stem for p in FOLDER.glob("*.py")} == set(NEEDS)
