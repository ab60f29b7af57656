#!/usr/bin/env python3
"""Capstan against Exudyn 1.11 on the same problems, alternating, in one run.

usage: run.py SCENARIO PYTHON [NAME]   (build/bench/scenario, and a Python that has exudyn: `make bench-peers` sees to both;
                                        only problems whose names contain NAME)

What is timed is the dynamics alone, in processor time on one core: Exudyn's SolveDynamic, Capstan's
cps_simulation_run, both from the state that their statics have found (gross slip starts as drawn). Both record in
memory, every 10 ms or at every longer step: Exudyn the tension of each element, Capstan all its columns; Capstan also
audits energy after every step. Neither writes files. Rounds alternate, and the least time of each counts.

The answer is how far the load has moved at the end. Its error is the distance from the same code's own converged
answer, a run with more elements and shorter steps. Equal accuracy: for every run of Exudyn's, the fastest of ours
whose error is not larger. Exudyn's friction and Capstan's differ (bristles that stretch on a rim that gives; Quinn's
law on the rim itself), so the converged answers do, too.
"""
import json
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ROUNDS = int(os.environ.get("ROUNDS", "3"))


class Run:
    """The best of the runs of one code with n elements and steps of h seconds."""

    def __init__(self, n, h, extra=(), once=False, name=""):
        self.n, self.h, self.extra, self.once, self.name = n, h, list(extra), once, name
        self.time, self.moved, self.status, self.steps = math.inf, math.nan, "not run", 0

    def take(self, time, moved, status, steps):
        if time < self.time:
            self.time, self.moved, self.status, self.steps = time, moved, status, steps

    def says(self):
        return f"{self.n:4} elements, {self.h * 1e3:4.3g} ms{self.name}"


def capstan(scenario, problem, run):
    """One run of ours."""
    file, settings = problem["ours_file"], problem["settings"](run.n)
    settings += [f"cables.{problem.get('cable', 'rope')}.elements={run.n}", f"run.step={run.h}", f"run.output={max(run.h, 0.01)}",
                 "run.fields=0"] + run.extra
    out = subprocess.run([scenario, os.path.join(ROOT, file)] + settings, capture_output=True, text=True)
    if not out.stdout:
        sys.exit(f"bench-peers: {file} does not run: {out.stderr}")
    r = json.loads(out.stdout)
    y = problem["column"]
    run.take(r["cpu"], r["end"][y] - r["start"][y], r["status"], r["steps"])


def exudyn(python, problem, run):
    """One run of theirs."""
    command = [python, problem["script"], "--n", str(run.n), "--h", str(run.h)] + problem["arguments"] + run.extra
    out = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS="1"),
                         cwd=os.path.join(HERE, "exudyn"))
    line = [x for x in out.stdout.splitlines() if "cpu=" in x]
    if not line:
        run.status = "failed"
        return
    found = dict(re.findall(r"(\w+)=([-+0-9.eE]+|True|False)", line[-1]))
    run.take(float(found["cpu"]), float(found["right_y"]) - float(found["right_y0"]),
             "ok" if found["ok"] == "True" else "failed", int(found.get("steps", 0)))


def pulley(n):
    return ["cables.rope.contact.friction={quinn: {mu: 0.25, epsilon: 10 mm/s}}", "cables.rope.quadrature={}",
            f"cables.rope.contact.normal.hunt-crossley.stiffness={5e6 * 40 / n}"]


def slip(n):
    return [f"cables.rope.contact.normal.hunt-crossley.stiffness={2.5e6 * 80 / n}"]


def belt(n):
    return [f"cables.belt.contact.normal.hunt-crossley.stiffness={1.6e6 * 240 / n}"]


def two_pulleys(n):
    return [f"cables.rope.contact.normal.hunt-crossley.stiffness={3e7 * (3 + math.pi * 0.25) / n}"]


def tackle(n):
    return [f"cables.rope.contact.normal.hunt-crossley.stiffness={2e7 * (8 + 2 * math.pi * 0.15) / n}"]


def lift(n):
    return ["cables.rope.contact={at: nodes, normal: {hunt-crossley: {stiffness: %.9g, exponent: 1, damping: 10}}, "
            "friction: {quinn: {mu: 0.7, epsilon: 10 mm/s}}}" % (1.5e7 * 5 / n)]


def bristles(n):
    """The scenario as it stands: bristles at two Gauss points of each element. They are per point, as its author has them."""
    return ["cables.rope.contact.friction={lugris: {mu_s: 0.7, mu_d: 0.7, v_st: 0.1 mm/s, k_b: %.9g, c_b: %.9g}}"
            % (73529.41176470588 * 170 / n, 14.705882352941176 * 170 / n)]


def ideal_drop(until=0.8, left=10, right=30, rho=0.4555, radius=0.25, mu=0.25, g=9.81):
    """How far the load moves if the rope neither stretches nor bends and slips everywhere: weight, inertia and
    centrifugal force of the rope included. With phi along the arc and u the way, dT/dphi = mu N + rho R (a + g cos phi),
    N = T - rho v^2 + rho g R sin phi; the tensions at its ends are those of the loads with the rope that hangs there."""
    def excess(u, v, a, steps=200):
        t, d = (left + rho * (1 - u)) * (g + a), math.pi / steps
        for k in range(steps):  # the midpoint rule
            def slope(phi, t):
                return mu * (t - rho * v * v + rho * g * radius * math.sin(phi)) + rho * radius * (a + g * math.cos(phi))
            t += d * slope((k + 0.5) * d, t + d / 2 * slope(k * d, t))
        return (right + rho * (1 + u)) * (g - a) - t

    def acceleration(u, v):  # excess is a straight line in a
        low, high = excess(u, v, 0), excess(u, v, 1)
        return low / (low - high)
    u = v = 0
    h = until / 40
    for _ in range(40):
        a = acceleration(u, v)
        middle = acceleration(u + h / 2 * v, v + h / 2 * a)
        u, v = u + h * (v + h / 2 * a), v + h * middle
    return -u


PROBLEMS = [
    {"name": "motorised pulley, 10 s", "column": "bodies.right.y", "ours_file": "scenarios/westin/pulley.yaml", "settings": pulley,
     "script": "motor_pulley.py", "arguments": [], "wanted": 30, "accuracy": True,
     "ours": [Run(40, .05), Run(40, .01), Run(80, .05), Run(80, .01), Run(160, .05), Run(160, .01),
              Run(640, .005)],
     "theirs": [Run(40, .05), Run(40, .01), Run(80, .01), Run(160, .05), Run(160, .01), Run(640, .005)]},
    {"name": "gross slip, 30 kg against 10 kg, 0.8 s", "column": "bodies.right.y", "ours_file": "scenarios/westin/gross-slip.yaml",
     "settings": slip, "script": "capstan.py", "arguments": ["--mr", "3", "--tend", "0.8"], "wanted": 50,
     "accuracy": False, "right": ideal_drop(),
     "ours": [Run(80, .001), Run(320, .0005, once=True)],
     "theirs": [Run(80, .001, once=True), Run(80, .001, ["--adamp", "1e-3"], name=", with axial damping")]},
    {"name": "elevator, 5 s", "column": "bodies.cabin.y", "ours_file": "scenarios/lugris/elevator.yaml", "settings": lift,
     "script": "elevator.py", "arguments": [], "wanted": 20, "accuracy": True,
     "ours": [Run(40, .01), Run(85, .01), Run(170, .01), Run(170, .001), Run(680, .001, once=True)],
     "theirs": [Run(170, .01), Run(170, .001), Run(680, .005, once=True)]},
    {"name": "elevator with the paper's bristles at two Gauss points, 5 s", "column": "bodies.cabin.y",
     "ours_file": "scenarios/lugris/elevator.yaml", "settings": bristles, "script": "elevator.py", "arguments": [], "wanted": 30, "wanted_accurate": 50,
     "accuracy": True,
     "ours": [Run(20, .01), Run(40, .01), Run(40, .02), Run(85, .01), Run(170, .01), Run(170, .001), Run(340, .001, once=True)],
     "theirs": [Run(170, .01), Run(170, .001), Run(680, .005, once=True)]},
    {"name": "belt drive, 2.45 s, angle of the wheel in rad", "column": "drums.wheel.angle", "cable": "belt",
     "ours_file": "bench/peers/belt-drive.yaml", "settings": belt, "script": "belt.py", "arguments": [], "wanted": 50,
     "accuracy": True,
     "ours": [Run(240, .001), Run(240, .0005), Run(480, .0005, once=True)],
     "theirs": [Run(120, .0001, once=True), Run(240, .0001, once=True)]},
    {"name": "rope over two pulleys, 5 s", "column": "bodies.left.y", "ours_file": "bench/peers/two-pulleys.yaml",
     "settings": two_pulleys, "script": "two_pulleys.py", "arguments": [], "wanted": 30, "wanted_accurate": 50, "accuracy": True,
     "ours": [Run(40, .01), Run(40, .002), Run(80, .01), Run(80, .002), Run(80, .001), Run(320, .001, once=True)],
     "theirs": [Run(40, .001, once=True), Run(80, .001, once=True), Run(160, .001, once=True)]},
    {"name": "two-fall tackle, 5 s", "column": "bodies.block.y", "ours_file": "bench/peers/tackle.yaml",
     "settings": tackle, "script": "tackle.py", "arguments": [], "wanted": 30, "wanted_accurate": 50, "accuracy": True,
     "ours": [Run(60, .004), Run(60, .005), Run(120, .01), Run(120, .005), Run(120, .002), Run(240, .01), Run(240, .002), Run(240, .001),
              Run(480, .001, once=True)],
     "theirs": [Run(120, .01, once=True), Run(240, .01, once=True), Run(240, .001, once=True)]},
]


def measure(problem, scenario, python):
    for k in range(ROUNDS):
        for i in range(max(len(problem["ours"]), len(problem["theirs"]))):
            for runs, start, by in ((problem["ours"], capstan, scenario), (problem["theirs"], exudyn, python)):
                if i < len(runs) and not (runs[i].once and k > 0):
                    start(by, problem, runs[i])
        print(f"bench-peers: {problem['name']}, round {k + 1} of {ROUNDS}", file=sys.stderr, flush=True)


class Verdict:
    def __init__(self):
        self.lines, self.met = [], True

    def add(self, what, ratio, wanted):
        good = ratio >= wanted
        self.met = self.met and good
        print(f"  {what}: {ratio:.1f} times faster, wanted {wanted}: {'met' if good else 'MISSED'}")
        self.lines.append((what, ratio, wanted, good))


def compare(problem, verdict):
    ours, theirs = problem["ours"], problem["theirs"]
    print(f"\n{problem['name']}")
    if "right" in problem:
        print(f"  a rope that neither stretches nor bends moves its load by {problem['right']:+.4f} m")
    for who, runs in (("capstan", ours), ("exudyn", theirs)):
        for r in runs:
            r.error = abs(r.moved - runs[-1].moved) if problem["accuracy"] else math.nan
            print(f"  {who:8} {r.says():45} {r.time * 1e3:10.2f} ms, {r.steps:5} steps, load moves {r.moved:+.6f} m"
                  + (f", {r.error * 1e3:8.4f} mm from converged" if problem["accuracy"] and r is not runs[-1] else "")
                  + (", converged" if r is runs[-1] and problem["accuracy"] else "")
                  + ("" if r.status == "ok" else f", {r.status}"))
    for a in ours:
        for b in theirs:
            if (a.n, a.h) == (b.n, b.h):
                verdict.add(f"{problem['name'].split(',')[0]}, same elements and step, {b.says().strip()}", b.time / a.time,
                            problem["wanted"])
    if "right" in problem:
        off = abs(ours[0].moved / problem["right"] - 1)
        print(f"  right: {off * 100:.1f} % from that rope, {abs(ours[0].moved - ours[-1].moved) * 1e3:.2f} mm from ours "
              f"with {ours[-1].says().strip()}: {'met' if off < 0.03 else 'MISSED'}")
        verdict.met = verdict.met and off < 0.03
    for b in theirs[:-1] if problem["accuracy"] else []:
        good = [a for a in ours[:-1] if a.error <= b.error]
        if not good:
            print(f"  none of ours is as accurate as exudyn's {b.says().strip()}")
            verdict.met = False
            continue
        a = min(good, key=lambda x: x.time)
        verdict.add(f"{problem['name'].split(',')[0]}, as accurate as {b.says().strip()} ({b.error * 1e3:.3g} mm) is "
                    f"{a.says().strip()} ({a.error * 1e3:.3g} mm)", b.time / a.time,
                    problem.get("wanted_accurate", problem["wanted"]))


def main():
    scenario, python = (os.path.abspath(x) for x in sys.argv[1:3])
    verdict = Verdict()
    for problem in (p for p in PROBLEMS if len(sys.argv) < 4 or sys.argv[3] in p["name"]):
        measure(problem, scenario, python)
        compare(problem, verdict)
    print("\nbench-peers: " + ("all goals are met" if verdict.met else "some goals are missed"))


if __name__ == "__main__":
    main()
