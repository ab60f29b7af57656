#!/usr/bin/env python3
"""cadence.py - how often a run is recorded has no effect on it: end values and steps are the same to the bit.

usage: cadence.py TOOL FOLDER
"""
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test/soak"))
import runs  # noqa: E402

CADENCES = ("0.9 ms", "7.3 ms", "100 ms")
ELEVATOR = open(os.path.join(ROOT, "scenarios/lugris/elevator.yaml")).read()


def bodies(law, solver, until, more="tolerance: 1e-6"):
    return runs.bodies(law=law, until=until, solver=solver, more=more, every=1)


def rope(law, solver, until):
    return runs.rope(elements=12, law=law, until=until, solver=solver)


LUGRE = "{lugre: {sigma0: 1000, sigma1: 30}}"
SMOOTH = "{quinn: {mu: 0.25, epsilon: 0.01}}"
KINDS = {
    "bodies, rk4": bodies(LUGRE, "rk4", 2, "step: 0.5 ms"),
    "bodies, events": bodies("coulomb-static", "events", 12),
    "bodies, events, karnopp": bodies("karnopp", "events", 12),
    "bodies, alpha": bodies("quinn", "alpha", 2),
    "bodies, alpha, memory": bodies(LUGRE, "alpha", 2),
    "bodies, alpha, fixed steps": bodies("quinn", "alpha", 2, "step: 1 ms"),
    "bodies, bdf": bodies("cdq", "bdf", 3),
    "bodies, bdf, memory": bodies(LUGRE, "bdf", 2),
    "rope, alpha": rope(SMOOTH, "alpha", 0.2),
    "rope, alpha, sets": rope("{coulomb: {mu: 0.25}}", "alpha", 0.2),
    "rope, alpha, memory": rope("{elasto-plastic: {}}", "alpha", 0.1),
    "rope, alpha, fixed steps": rope(SMOOTH, "alpha, step: 0.5 ms", 0.2),
    "rope, bdf": rope(SMOOTH, "bdf", 0.1),
    "rope, bdf, memory": rope("{elasto-plastic: {}}", "bdf", 0.1),
    "moving mesh": runs.MOVING.replace("until: 1.5", "until: 0.2"),
}
for model in ("springs", "semi-analytical", "semi-analytical-flow", "semi-analytical-printed"):
    KINDS["elevator, " + model] = ELEVATOR.replace("strain: green", "model: " + model).replace("until: 5 s", "until: 1 s")


def recorded(tool, folder, text, every):
    """The last state and the steps of a run that is recorded so often."""
    text = re.sub(r"outputs: \{every: [^,]*,", f"outputs: {{every: {every},", text)
    text = re.sub(r"(run: .*?output: )[^,}]*", rf"\g<1>{every}", text)
    text = re.sub(r"fields: [^,}]*", f"fields: {every}", text)
    with open(os.path.join(folder, "scene.yaml"), "w") as f:
        f.write(text)
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    p = subprocess.run([tool, "run", "scene.yaml", "-o", "out", "-q", "--no-report"], cwd=folder, capture_output=True, text=True)
    if p.returncode != 0:
        raise SystemExit(f"cadence: {text}\n{p.stderr}")
    with open(os.path.join(out, "summary.json")) as f:
        summary = json.load(f)
    return summary["end"], {k: summary["counters"][k] for k in ("steps", "rejected")}, summary["rows"]


def main():
    tool, folder = sys.argv[1:3]
    with open(os.path.join(folder, "parts.yaml"), "w") as f:
        f.write(runs.PARTS)
    failed = 0
    for name, text in KINDS.items():
        found = [recorded(tool, folder, text, every) for every in CADENCES]
        if found[0][2] <= found[2][2]:
            raise SystemExit(f"cadence: {name}: {[f[2] for f in found]} rows: the cadence is not what it should be")
        for every, one in zip(CADENCES[1:], found[1:]):
            different = {k: (found[0][0][k], v) for k, v in one[0].items() if found[0][0][k] != v}
            if different or one[1] != found[0][1]:
                failed += 1
                print(f"cadence: {name}: every {every} ends otherwise than every {CADENCES[0]}: {dict(list(different.items())[:4])}, {found[0][1]}, {one[1]}")
    print(f"cadence: {len(KINDS)} runs at {len(CADENCES)} cadences each, {failed} different")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
