"""FMUs as others see them: FMPy validates and runs them, and gets what a run gives, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import capstan
import capstan.tool

fmpy = pytest.importorskip("fmpy")
CRANE = Path(capstan.__file__).parent / "machines" / "crane.yaml"


@pytest.fixture(params=["2", "3"])
def fmu(request, tmp_path):
    try:
        capstan.tool.run("fmu", CRANE, "-o", tmp_path / "crane.fmu", "--fmi", request.param)
    except FileNotFoundError:
        pytest.skip("no tool")
    return tmp_path / "crane.fmu"


def test_valid(fmu):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(fmu)) == []
    units = {u.name: u for u in fmpy.read_model_description(str(fmu)).unitDefinitions}
    newton = units["N"].baseUnit
    assert (newton.kg, newton.m, newton.s, newton.factor) == (1, 1, -2, 1.0)
    assert units["N"].displayUnits[0].name == "kN" and units["N"].displayUnits[0].factor == pytest.approx(1e-3)


def test_equals_a_run(fmu):
    force = np.array([(0.0, 100.0), (20.0, 100.0)], dtype=[("time", float), ("force", float)])
    outputs = ["bodies.trolley.x", "bodies.load.x", "contacts.rail.f"]
    theirs = fmpy.simulate_fmu(str(fmu), stop_time=2.0, output_interval=0.1, input=force, output=outputs)
    sim = capstan.Scenario(CRANE).simulation(["force"], outputs)
    sim.step(0.0, [100.0])
    ours = [sim.step_to(t, [100.0]) for t in theirs["time"][1:]]
    for i, name in enumerate(outputs):
        assert np.array_equal(theirs[name][1:], [row[i] for row in ours]), name
