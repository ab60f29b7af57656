#!/usr/bin/env python3
"""Capstan against Exudyn 1.11 on three problems, alternating, in one run.

usage: run.py CAPSTAN PYTHON   (PYTHON has exudyn installed; `make bench-peers` sees to both)

Wall time of the dynamics only, on one core each. The answer is the place of the right load at the end; its error is
the distance from the code's own converged answer, the last row of each list. Equal accuracy: for every row of
Exudyn's, the fastest row of ours whose error is not larger.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CAPSTAN, PYTHON = sys.argv[1], sys.argv[2]
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def capstan(file, settings):
    """Wall time, place of the right load at the end, status."""
    with tempfile.TemporaryDirectory() as folder:
        command = [CAPSTAN, "run", os.path.join(ROOT, "scenarios", file), "-o", folder, "--json"]
        for s in settings:
            command += ["--set", s]
        out = subprocess.run(command, capture_output=True, text=True)
        summary = json.loads(out.stdout)
    end = summary["end"]
    return summary["wall_time"], end, summary["status"]


def exudyn(script, arguments):
    """Wall time, place of the right load, status."""
    env = dict(os.environ, OMP_NUM_THREADS="1")
    out = subprocess.run([PYTHON, os.path.join(HERE, "exudyn", script)] + arguments, capture_output=True, text=True,
                         env=env, cwd=os.path.join(HERE, "exudyn"))
    line = [x for x in out.stdout.splitlines() if "wall=" in x]
    if not line:
        return float("nan"), float("nan"), "failed"
    found = dict(re.findall(r"(\w+)=([-+0-9.eE]+)", line[-1]))
    return float(found["wall"]), float(found["right_y"]) - float(found["right_y0"]), "ok"


def pulley(n, h):
    return ("westin/pulley.yaml",
            [f"cables.rope.elements={n}", f"run.step={h}", "run.output=0.1", "run.fields=0",
             "cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}",
             f"cables.rope.contact.normal.stiffness={5e6 * 40 / n}"])


def slip(n, h):
    return ("westin/gross-slip.yaml",
            [f"cables.rope.elements={n}", f"run.step={h}", "run.fields=0",
             f"cables.rope.contact.normal.stiffness={2.5e6 * 80 / n}"])


def lift(n, h):
    return ("lugris/elevator.yaml", [f"cables.rope.elements={n}", f"run.step={h}", "run.fields=0"])


PROBLEMS = [
    {"name": "motorised pulley, 10 s", "body": "right",
     "ours": (pulley, [(40, .05), (40, .01), (80, .05), (80, .01), (160, .05), (160, .01), (320, .005)]),
     "theirs": ("motor_pulley.py", [(40, .05), (40, .01), (80, .01), (160, .05), (160, .01), (320, .005)]),
     "same": [((40, .05), (40, .05)), ((40, .01), (40, .01)), ((80, .01), (80, .01)), ((160, .01), (160, .01))],
     "extra": [], "wanted": 30},
    {"name": "gross slip, mass ratio 3, 0.8 s", "body": "right",
     "ours": (slip, [(40, .01), (80, .01), (80, .005), (80, .001), (160, .001)]),
     "theirs": ("capstan.py", [(80, .001)]),
     "same": [((80, .001), (80, .001))], "extra": ["--mr", "3", "--tend", "0.8"], "wanted": 50},
    {"name": "elevator, 5 s", "body": "cabin",
     "ours": (lift, [(170, .02), (170, .01), (170, .001), (340, .002)]),
     "theirs": ("elevator.py", [(170, .01), (170, .001), (340, .002)]),
     "same": [((170, .01), (170, .01)), ((170, .001), (170, .001))], "extra": [], "wanted": 20},
]


def run_ours(problem, n, h):
    file, settings = problem["ours"][0](n, h)
    wall, end, status = capstan(file, settings)
    return wall, end[f"bodies.{problem['body']}.y"], status


def measure(problem):
    ours, theirs = {}, {}
    for _ in range(ROUNDS):  # alternating; the least of each counts
        for k in problem["ours"][1]:
            wall, y, status = run_ours(problem, *k)
            if k not in ours or wall < ours[k][0]:
                ours[k] = (wall, y, status)
        for k in problem["theirs"][1]:
            arguments = ["--n", str(k[0]), "--h", str(k[1])] + problem["extra"]
            wall, y, status = exudyn(problem["theirs"][0], arguments)
            if k not in theirs or wall < theirs[k][0]:
                theirs[k] = (wall, y, status)
    return ours, theirs


def main():
    for problem in PROBLEMS:
        file = problem["ours"][0](40, .01)[0]
        if not os.path.exists(os.path.join(ROOT, "scenarios", file)):
            print(f"{problem['name']}: no scenarios/{file}")
            continue
        ours, theirs = measure(problem)
        print(f"\n{problem['name']}")
        for who, rows in (("capstan", ours), ("exudyn", theirs)):
            best = list(rows.values())[-1][1]
            for (n, h), (wall, y, status) in rows.items():
                rows[n, h] = (wall, y, status, abs(y - best))
                print(f"  {who:8} {n:4} elements, step {h * 1e3:5.3g} ms: {wall * 1e3:10.2f} ms, load {y:+.6f} m, "
                      f"{abs(y - best) * 1e3:9.4f} mm from its converged answer, {status}")
        for a, b in problem["same"]:
            ratio = theirs[b][0] / ours[a][0]
            print(f"  same elements and step ({a[0]}, {a[1] * 1e3:g} ms): {ratio:8.1f} times faster "
                  f"(wanted {problem['wanted']})")
        for k, (wall, _, _, error) in list(theirs.items())[:-1] or list(theirs.items()):
            good = [v[0] for v in list(ours.values()) if v[3] <= max(error, 1e-9)]
            if good:
                print(f"  as accurate as exudyn's {k[0]} elements, {k[1] * 1e3:g} ms ({error * 1e3:.3g} mm): "
                      f"{wall / min(good):8.1f} times faster (wanted {problem['wanted']})")


if __name__ == "__main__":
    main()
