#!/usr/bin/env python3
"""What the machines of scenarios/gallery cost, in counters, which no other load on the machine disturbs.

usage: gallery.py TOOL goals [NAME...]    whether each machine as it is meets the goals for iterations and rejected steps
       gallery.py TOOL laws [NAME...]     iterations per step and rejected steps, with each law in the place of the file's own,
                                          in the plane and in space
       gallery.py TOOL steps [NAME...]    steps of the adaptive run, and of the longest fixed step that is as accurate

Goals: at most 3 iterations per step and 5 % rejected steps; at most twice the steps of the fixed step. What an adaptive run and
the fixed ones are compared with is the same machine with a fixed step far shorter than any of them; the error is the
largest over time of the root mean square over the places of bodies and rims. JOBS=n runs n at a time, two unless said.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

try:
    import numpy as np
except ImportError:  # counters need none
    np = None

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "scenarios", "gallery")
ITERATIONS, REJECTED, RATIO = 3, 0.05, 2
PATIENCE = 300  # seconds
LAWS = {
    "own": None,
    "quinn": "{quinn: {mu: %s, epsilon: 5 mm/s}}",
    "cdq": "{cdq: {mu: %s, epsilon: 5 mm/s}}",
    "coulomb": "{coulomb: {mu: %s}}",
    "lugre-load": "{lugre-load: {mu_s: %s, mu_d: %s}}",
    "dahl": "{dahl: {mu: %s}}",
    "tanh": "{tanh: {mu: %s}}",
}
OWN = re.compile(r"friction: \{[a-z-]+: \{mu: ([0-9.]+)[^}]*\}\}")


class Run:
    """One run: what it counted, and the recorded columns if they are asked for."""

    def __init__(self, tool, text, settings=(), columns=False):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "machine.yaml")
            with open(file, "w", encoding="utf-8") as f:
                f.write(text)
            command = [tool, "run", file, "-o", os.path.join(folder, "out"), "--json", "--quiet", "--no-report"]
            for s in settings:
                command += ["--set", s]
            self.columns, self.failed = {}, None
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
                summary = json.loads(done.stdout)
            except subprocess.TimeoutExpired:
                self.failed = "takes too long"
                return
            except json.JSONDecodeError:
                self.failed = (done.stderr or "nothing").strip().splitlines()[0][:90]
                return
            if summary["status"] != "complete":
                self.failed = str(summary.get("error") or summary["status"])[:90]
            if "counters" not in summary:  # it did not even start
                return
            n = summary["counters"]
            self.steps, self.rejected, self.newton, self.unsolved = (n[k] for k in ("steps", "rejected", "newton", "unsolved"))
            self.time = summary["processor_time"]["dynamics"] if isinstance(summary.get("processor_time"), dict) else 0
            if columns:
                with open(os.path.join(folder, "out", "series.csv"), encoding="utf-8") as f:
                    names = [c.split(" [")[0] for c in f.readline().rstrip("\n").split(",")]
                    data = np.loadtxt(f, delimiter=",", ndmin=2)
                self.columns = dict(zip(names, data.T))


def law_text(text, law):
    """The machine with another law, or None if it has no friction."""
    if not OWN.search(text):
        return None
    if not LAWS[law]:
        return text
    return OWN.sub(lambda m: "friction: " + LAWS[law].replace("%s", m.group(1)), text)


def counts(tool, name, law, space):
    with open(os.path.join(FILES, name + ".yaml"), encoding="utf-8") as f:
        text = f.read()
    new = law_text(text, law)
    if new is None and law != "own":
        return None
    text = new or text
    if space:  # a third coordinate is what makes it spatial
        text, found = re.subn(r"(center|position): \[([^],]*), ([^],]*)\]", r"\1: [\2, \3, 0]", text, count=1)
        if not found:
            return None
    return Run(tool, text)


def laws(tool, names):
    jobs = [(n, law, space) for n in names for law in LAWS for space in (0, 1)]
    worst = 0
    print("%-22s %-11s %-6s %8s %9s %9s %10s" % ("", "", "", "steps", "rejected", "unsolved", "iterations"))
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        runs = pool.map(lambda j: counts(tool, *j), jobs)
        for (name, law, space), r in zip(jobs, runs):
            if r is None:
                continue
            head = "%-22s %-11s %-6s" % (name, law, "space" if space else "plane")
            if r.failed:
                print(head, " failed:", r.failed, flush=True)
                continue
            part, per = r.rejected / (r.steps + r.rejected), r.newton / r.steps
            off = "  *" if part > REJECTED or per > ITERATIONS else ""
            worst += bool(off)
            print(head + " %8d %7.1f %% %7.1f %% %10.2f%s" % (r.steps, 100 * part, 100 * r.unsolved / (r.steps + r.rejected), per, off), flush=True)
    print("%d above the goals" % worst)


def goals(tool, names):
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, r in zip(names, pool.map(lambda n: counts(tool, n, "own", 0), names)):
            if r.failed:
                print("goal MISSED gallery, %s: %s" % (name, r.failed), flush=True)
                continue
            per, part = r.newton / r.steps, r.rejected / (r.steps + r.rejected)
            word = "met   " if per <= ITERATIONS and part <= REJECTED else "MISSED"
            text = "goal %s gallery, %s: %.2f iterations per step, wanted %d; %.1f %% rejected, wanted %.0f"
            print(text % (word, name, per, ITERATIONS, 100 * part, 100 * REJECTED), flush=True)


# ---------------------------------------------------------------- steps


def places(r, radius):
    """Columns that are lengths in m: places of bodies, and rims of drums."""
    out = {}
    for name, data in r.columns.items():
        if re.fullmatch(r"bodies\.[^.]+\.[xyz]", name):
            out[name] = data
        m = re.fullmatch(r"drums\.([^.]+)\.angle", name)
        if m:
            out[name] = data * radius.get(m.group(1), 1)
    return out


def error(r, ref, radius):
    a, b = places(r, radius), places(ref, radius)
    if not a or len(r.columns["time"]) != len(ref.columns["time"]):
        return math.nan
    square = np.mean([(a[k] - b[k]) ** 2 for k in a], axis=0)
    return float(np.sqrt(np.max(square)))


def compare(tool, name):
    with open(os.path.join(FILES, name + ".yaml"), encoding="utf-8") as f:
        text = f.read()
    radius = {}
    for m in re.finditer(r"^  (\w[\w-]*): \{[^\n]*?radius: ([0-9.]+) (mm|m)\b", text, re.M):
        radius[m.group(1)] = float(m.group(2)) * (1e-3 if m.group(3) == "mm" else 1)
    own = Run(tool, text, (), True)
    if own.failed:
        return name, own.failed
    span = own.columns["time"][-1] - own.columns["time"][0]
    rows = len(own.columns["time"]) - 1
    if not places(own, radius):
        return name, "has neither bodies nor drums that turn"

    def fixed(n):  # steps of a length that divides the interval of the rows
        n = max(1, round(n / rows)) * rows
        return n, Run(tool, text, ["run.step=%.17g" % (span / n)], True)

    _, ref = fixed(16 * own.steps)
    if ref.failed:
        return name, "reference: " + ref.failed
    off = error(own, ref, radius)
    n, best = rows, None
    while n <= 16 * own.steps:
        k, r = fixed(n)
        if not r.failed and error(r, ref, radius) <= off:
            best = (r.steps + r.rejected, error(r, ref, radius))
            break
        n = max(n * 1.4142, k + rows)
    return name, own.steps + own.rejected, off, best


def steps(tool, names):
    print("%-22s %10s %12s %12s %8s" % ("", "adaptive", "error [m]", "fixed", "ratio"))
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for row in pool.map(lambda n: compare(tool, n), names):
            if len(row) == 2:
                print("%-22s %s" % row, flush=True)
                continue
            name, own, off, best = row
            ratio = own / best[0] if best else 0
            print("%-22s %10d %12.3g %12s %8.2f%s" % (name, own, off, best[0] if best else "more", ratio, "  *" if ratio > RATIO else ""), flush=True)


def main():
    tool, what, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    names = names or sorted(n[:-5] for n in os.listdir(FILES) if n.endswith(".yaml"))
    {"goals": goals, "laws": laws, "steps": steps}[what](tool, names)


if __name__ == "__main__":
    main()
