#!/usr/bin/env python3
"""allocations.py - the n-th allocation of a command fails, once, or it and all after it.

usage: allocations.py SECONDS [--sample N] [--only COMMAND,...]     CAPSTAN names the tool, FAIL_ALLOC the library of test/fail_alloc.c, SEED the first seed

A command ends by itself with one of its statuses, and says what is the matter; if it says that all is well, then all is there. A
run that can be gone on with ends, with memory again, in the same bits as one that nobody disturbed. What the loader and the C library
do before the tool begins, where they were refused memory themselves, is counted apart.
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runs  # noqa: E402

# What is printed has to be the same if the status is 0, but for the time that it took.
COMMANDS = {
    "check": ["check", "scene.yaml"],
    "models": ["models", "lugre", "--at=v=0.01,n=10,z=1e-6"],
    "statics": ["statics", "rope.yaml", "--json"],
    "sens": ["sens", "scene.yaml", "--wrt", "bodies.a.mass", "--of", "max(bodies.a.x)", "--json"],
    "sens-adjoint": ["sens", "scene.yaml", "--wrt", "bodies.a.mass", "--of", "max(bodies.a.x)", "--method", "adjoint", "--json"],
    "sens-rope": ["sens", "rope.yaml", "--wrt", "cables.rope.EA", "--of", "max(cables.rope.tension_max)", "--method", "forward", "--json"],
    "sens-rope-adjoint": ["sens", "rope.yaml", "--wrt", "cables.rope.EA", "--of", "max(cables.rope.tension_max)", "--method", "adjoint", "--json"],
    "sens-alpha-adjoint": ["sens", "alpha.yaml", "--wrt", "bodies.a.mass", "--of", "max(bodies.a.x)", "--method", "adjoint", "--json"],
    "sens-bdf-adjoint": ["sens", "bdf.yaml", "--wrt", "bodies.a.mass", "--of", "max(bodies.a.x)", "--method", "adjoint", "--json"],
    "sens-out": ["sens", "scene.yaml", "--wrt", "bodies.a.mass", "--of", "max(bodies.a.x)", "-o", "out", "-q", "--json"],
    "run": ["run", "scene.yaml", "-o", "out", "-q", "--flush", "0"],
    "run-bdf": ["run", "bdf.yaml", "-o", "out", "-q"],
    "run-rope-bdf": ["run", "rope.yaml", "-o", "out", "-q", "--set", "run.solver=bdf", "--set", "run.until=0.02"],
    "run-rope": ["run", "rope.yaml", "-o", "out", "-q"],
}


def scenes(place):
    bdf = runs.bodies(law="cdq", until=0.5, solver="bdf", more="tolerance: 1e-6", every=0.1)
    for name, text in (("scene.yaml", runs.SHORT["events"]), ("rope.yaml", runs.SHORT["rope"]), ("alpha.yaml", runs.SHORT["alpha"]), ("bdf.yaml", bdf), ("parts.yaml", runs.PARTS)):
        with open(os.path.join(place, name), "w") as f:
            f.write(text)


class Trial:
    def __init__(self, place):
        self.place, self.report = place, os.path.join(place, "report")
        self.tool, self.library = os.environ["CAPSTAN"], os.environ["FAIL_ALLOC"]

    def run(self, command, at, on=False):
        """Runs the command; gives its process, what it has left, and who was refused memory."""
        shutil.rmtree(os.path.join(self.place, "out"), ignore_errors=True)
        if os.path.exists(self.report):
            os.remove(self.report)
        env = dict(os.environ, LD_PRELOAD=self.library, FAIL_AT=str(at), FAIL_REPORT=self.report, LC_ALL="C.UTF-8")
        if on:
            env["FAIL_ON"] = "1"
        p = subprocess.run([self.tool] + command, cwd=self.place, env=env, capture_output=True, timeout=300)
        found = open(self.report).read().strip() if os.path.exists(self.report) else ""
        left = None
        try:
            with open(os.path.join(self.place, "out/summary.json")) as f:
                left = {k: v for k, v in json.load(f).items() if k in ("status", "end", "rows", "counters")}
        except (OSError, ValueError):
            pass
        p.stdout = re.sub(rb'"wall_time": [^,\n]*', b'"wall_time": 0', p.stdout)
        return p, left, found


def resumed(t, whole):
    """What is wrong with a run that goes on, with memory again; "" if nothing is."""
    out = os.path.join(t.place, "out")
    if not os.path.exists(os.path.join(out, "checkpoint")):
        return ""
    p = subprocess.run([t.tool, "run", "--resume", "out", "-q"], cwd=t.place, capture_output=True, timeout=300)
    if p.returncode != 0:
        return "it does not go on: status %d, %s" % (p.returncode, p.stderr[-300:].decode(errors="replace"))
    found = runs.outcome(out)
    different = sorted(k for k in set(whole) | set(found) if whole.get(k) != found.get(k))
    if different:
        return f"it goes on, and {different[:3]} differ from the run that nobody disturbed"
    parts = [name for name in os.listdir(out) if name.endswith(".part") or name == "checkpoint"]
    return f"it goes on, and leaves {parts}" if parts else ""


def judge(p, left, wanted):
    """What is wrong; "" if nothing is."""
    if p.returncode < 0 or p.returncode > 3:
        return "ended by signal %d" % -p.returncode if p.returncode < 0 else "ended with status %d" % p.returncode
    if p.returncode == 0 and (p.stdout, left) != wanted:
        return "status 0, but what it gives is not complete"
    if p.returncode > 0 and not p.stderr.strip() and not p.stdout.strip():
        return "refused without a word"
    return ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seconds", type=float)
    options.add_argument("--sample", type=int, default=10**9, help="at most so many allocations of each command")
    options.add_argument("--only", default="", help="these commands alone")
    setting = options.parse_args()
    commands = {name: COMMANDS[name] for name in setting.only.split(",") if name} or COMMANDS
    dice, start = random.Random(int(os.environ.get("SEED", 1))), time.monotonic()
    tried = failed = 0
    others = collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        scenes(place)
        t = Trial(place)
        for number, (name, command) in enumerate(commands.items()):
            p, left, found = t.run(command, 0)
            if p.returncode != 0 or not found.isdigit():
                print(f"allocations: {name}: it does not even run: status {p.returncode}, {p.stderr[-300:]}, '{found}'")
                return 1
            wanted, n = (p.stdout, left), int(found)
            whole = runs.outcome(os.path.join(place, "out")) if command[0] == "run" else None
            points = [(i, on) for i in range(1, n + 1) for on in (False, True)]
            if len(points) > setting.sample:
                points = dice.sample(points, setting.sample)
            for at, on in points:
                if time.monotonic() - start > setting.seconds * (number + 1) / len(commands):
                    break
                try:
                    p, left, who = t.run(command, at, on)
                    wrong = judge(p, left, wanted)
                    if not wrong and whole and p.returncode != 0:
                        wrong = resumed(t, whole)
                except subprocess.TimeoutExpired:
                    wrong, who = "no end after 300 s", ""
                library = os.path.basename(who)
                if wrong and library.startswith(("ld-linux", "libc.so")):
                    others[library] += 1
                    continue
                tried += 1
                if wrong:
                    failed += 1
                    words = (p.stderr or p.stdout)[-200:].decode(errors="replace")
                    print(f"allocations: {name}: number {at} of {n}{' and all after it' if on else ''}, asked for by {library}: {wrong}: {words}", flush=True)
            print(f"allocations: {name}: {n} allocations", flush=True)
    for library, n in sorted(others.items()):
        print(f"allocations: {n} more ended badly within {library}, which was refused memory itself")
    print(f"tried {tried} held {tried - failed} failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
