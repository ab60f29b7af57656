"""In a process whose numbers have a comma, set before or after the import: the same numbers, files and FMUs as elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Prints everything that has numbers in it; run once with each locale.
PROGRAM = """
import hashlib, locale, sys
from pathlib import Path

def speak():
    if sys.argv[1] != "C":
        locale.setlocale(locale.LC_ALL, sys.argv[1])
        assert locale.localeconv()["decimal_point"] == ","

if sys.argv[2] == "before":
    speak()
import capstan, capstan.tool
if sys.argv[2] == "after":
    speak()

text = '''
capstan: 1
title: A block of 1.25 kg
bodies:   {block: {mass: 1.25 kg, v: 3.5 m/s}}
springs:  {k: {between: [block, ground], stiffness: 2.5 kN/m}}
contacts: {c: {between: [block, ground], normal: 0.5 N, friction: {tanh: {mu: 0.25, v_t: 1.5 mm/s}}}}
loads:    {push: {on: block, force: 0.5 N}}
run:      {until: 0.25 s, output: 12.5 ms, solver: alpha, step: 0.5 ms}
'''
sc = capstan.Scenario.text(text).with_({"bodies.block.mass": "1.75 kg"})
r = sc.run()
print(r["bodies.block.x"].tobytes().hex(), r.energy["error"].hex(), repr(sc), repr(r), r.units)
print([(t.hex(), *rest) for t, *rest in r.events])
report = r.report("report.html")
assert "1,75" not in report and len(report) > 100000
g = sc.sens(["bodies.block.mass", "contacts.c.friction.tanh.mu"], ["bodies.block.x"])
print(g.values.tobytes().hex(), g.gradient.tobytes().hex())
sim = sc.simulation(["loads.push.force"], ["bodies.block.v"])
print(sim.step(0.0125, [1.5]).tobytes().hex())
law = capstan.models["stribeck"]
print(law(0.125, 1.5).hex(), law)
Path("block.yaml").write_text(text)
capstan.tool.run("run", "block.yaml", "-o", "out", "--quiet", "--no-report")
print(capstan.tool.run("export", "out", "--csv"))
for path in sorted(Path("out").glob("**/*.csv")):
    print(path, hashlib.sha256(path.read_bytes()).hexdigest())
try:
    capstan.Scenario.text(text.replace("0.25 s", "-0.25 s"))
except capstan.ScenarioError as e:
    print(e)
capstan.tool.run("fmu", "block.yaml", "-o", "block.fmu", "--input", "loads.push.force")
try:
    import fmpy
except ImportError:
    sys.exit()
rows = fmpy.simulate_fmu("block.fmu", stop_time=0.25, output_interval=0.0125, start_values={"bodies.block.mass": 1.75}, output=["bodies.block.x"])
assert rows["bodies.block.x"].tobytes() == r["bodies.block.x"].tobytes()
"""


def run(folder, name, when, environment):
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", PROGRAM, name, when], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_comma_and_point(tmp_path):
    # made here where the system has its source, into a folder of its own
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True, check=False)
    environment = os.environ | {"LOCPATH": str(tmp_path)}
    german = "import locale; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')"
    if subprocess.run([sys.executable, "-c", german], env=environment, capture_output=True, check=False).returncode:
        pytest.skip("there is no locale de_DE, and it cannot be made")
    plain = run(tmp_path / "plain", "C", "before", os.environ)
    assert "1.75" in plain or "1.25" in plain
    assert run(tmp_path / "before", "de_DE.UTF-8", "before", environment | {"LC_ALL": "de_DE.UTF-8"}) == plain
    assert run(tmp_path / "after", "de_DE.UTF-8", "after", environment) == plain
