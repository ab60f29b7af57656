#!/usr/bin/env python3
"""allocations.py - the n-th allocation of a command fails, once, or it and all after it.

usage: allocations.py SECONDS [--sample N] [--every] [--only COMMAND,...]     CAPSTAN names the tool, FAIL_ALLOC the library of test/fail_alloc.c, SEED the first seed

A command ends by itself with one of its statuses, and says what is the matter; if it says that all is well, then all is there. A
run that can be gone on with ends, with memory again, in the same bits as one that nobody disturbed. What the loader and the C library
do before the tool begins, where they were refused memory themselves, is counted apart.

With --every no allocation is left out: the command runs once, and at each of its allocations processes are forked in which that one fails
(test/fail_alloc.c). It takes a few milliseconds for each; machines that make fewer allocations are tried then (SMALL).
"""
import argparse
import collections
import hashlib
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
    "doctor": ["doctor"],
    "models": ["models", "lugre", "--at=v=0.01,n=10,z=1e-6"],
    "statics": ["statics", "rope.yaml", "--json"],
    "report": ["report", "result", "-q", "-o", "out/page.html"],
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


# What a command finds: a result, and a folder to write into.
FINDS = {"report": ["run", "scene.yaml", "-q", "-o", "result"]}

FULL = {
    "scene.yaml": runs.SHORT["events"],
    "rope.yaml": runs.SHORT["rope"],
    "alpha.yaml": runs.SHORT["alpha"],
    "bdf.yaml": runs.bodies(law="cdq", until=0.5, solver="bdf", more="tolerance: 1e-6", every=0.1),
    "parts.yaml": runs.PARTS,
}
SMALL = dict(
    FULL,
    **{
        "scene.yaml": runs.bodies(law="coulomb-static", until=0.4, solver="events", more="tolerance: 1e-5", every=0.1),
        "rope.yaml": runs.rope(elements=4, law="{quinn: {mu: 0.25}}", until=0.02, solver="alpha"),
        "alpha.yaml": runs.bodies(law="quinn", until=0.1, solver="alpha", more="tolerance: 1e-4", every=0.02),
        "bdf.yaml": runs.bodies(law="cdq", until=0.1, solver="bdf", more="tolerance: 1e-4", every=0.05),
    },
)


def scenes(place, texts):
    for name, text in texts.items():
        with open(os.path.join(place, name), "w") as f:
            f.write(text)


class Trial:
    def __init__(self, place):
        self.place, self.report = place, os.path.join(place, "report")
        self.tool, self.library = os.environ["CAPSTAN"], os.environ["FAIL_ALLOC"]
        self.known = {}  # what is wrong with runs that go on, by what they go on from

    def environment(self, **more):
        return dict(os.environ, LD_PRELOAD=self.library, FAIL_REPORT=self.report, LC_ALL="C.UTF-8", **more)

    def clear(self, command):
        for name in ("out", "again", "keep"):
            shutil.rmtree(os.path.join(self.place, name), ignore_errors=True)
        if command[0] in FINDS:
            os.makedirs(os.path.join(self.place, "out"))
            if not os.path.exists(os.path.join(self.place, "result")):
                subprocess.run([self.tool] + FINDS[command[0]], cwd=self.place, check=True)
        if os.path.exists(self.report):
            os.remove(self.report)

    def left(self, p):
        """What a process has left, and who was refused memory."""
        found = open(self.report).read().strip() if os.path.exists(self.report) else ""
        left = None
        try:
            with open(os.path.join(self.place, "out/summary.json")) as f:
                left = {k: v for k, v in json.load(f).items() if k in ("status", "end", "rows", "counters")}
        except (OSError, ValueError):
            pass
        page = os.path.join(self.place, "out/page.html")
        if os.path.exists(page):
            with open(page, "rb") as f:
                left = hashlib.sha256(f.read()).digest()
        p.stdout = re.sub(rb'"wall_time": [^,\n]*', b'"wall_time": 0', p.stdout)
        return p, left, found

    def run(self, command, at, on=False):
        """Runs the command; gives its process, what it has left, and who was refused memory."""
        self.clear(command)
        more = {"FAIL_ON": "1"} if on else {}
        p = subprocess.run([self.tool] + command, cwd=self.place, env=self.environment(FAIL_AT=str(at), **more), capture_output=True, timeout=300)
        return self.left(p)

    def every(self, command):
        """The same for each allocation, once, and from it on, with its number; at last what the undisturbed process gives, for the number 0."""
        self.clear(command)
        os.makedirs(os.path.join(self.place, "keep"))
        told, tell = os.pipe()
        heard, hear = os.pipe()
        env = self.environment(FAIL_EACH=f"{tell} {heard}", FAIL_FOLDER="out", FAIL_KEEP="keep")
        names = [os.path.join(self.place, name) for name in ("stdout", "stderr")]

        def said():
            return [open(name, "rb").read() for name in names]

        with open(names[0], "wb") as out, open(names[1], "wb") as err:
            p = subprocess.Popen([self.tool] + command, cwd=self.place, env=env, stdout=out, stderr=err, pass_fds=(tell, heard))
        os.close(tell)
        os.close(heard)
        with os.fdopen(told) as lines:
            for line in lines:
                at, on, status = (int(x) for x in line.split())
                yield at, on, self.left(subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), *said()))
                if os.path.exists(self.report):
                    os.remove(self.report)
                os.write(hear, b".")
        os.close(hear)
        yield 0, 0, self.left(subprocess.CompletedProcess(command, p.wait(), *said()))


def resumed(t, whole):
    """What is wrong with a run that goes on, with memory again; "" if nothing is. It does so in a copy: the folder may belong to a process."""
    out, again = os.path.join(t.place, "out"), os.path.join(t.place, "again")
    if not os.path.exists(os.path.join(out, "checkpoint")):
        return ""
    content = hashlib.sha256()
    for name in sorted(os.listdir(out)):
        if name != ".held":
            with open(os.path.join(out, name), "rb") as f:
                content.update(name.encode() + b"\0" + hashlib.sha256(f.read()).digest())
    key = content.digest()
    if key not in t.known:
        shutil.rmtree(again, ignore_errors=True)
        shutil.copytree(out, again, ignore=shutil.ignore_patterns(".held"))
        t.known[key] = gone_on(t, again, whole)
    return t.known[key]


def gone_on(t, out, whole):
    p = subprocess.run([t.tool, "run", "--resume", out, "-q"], cwd=t.place, capture_output=True, timeout=300)
    if p.returncode != 0:
        return "it does not go on: status %d, %s" % (p.returncode, p.stderr[-300:].decode(errors="replace"))
    found = runs.outcome(out)
    different = sorted(k for k in set(whole) | set(found) if whole.get(k) != found.get(k))
    if different:
        return f"it goes on, and {different[:3]} differ from the run that nobody disturbed"
    parts = [name for name in os.listdir(out) if name.endswith(".part") or name == "checkpoint"]
    return f"it goes on, and leaves {parts}" if parts else ""


# What is complete but for a sentence of this kind says what is missing.
LACKS = re.compile(b"there was not enough memory for it|there is not enough memory to read this")


def judge(p, left, wanted):
    """What is wrong; "" if nothing is."""
    if p.returncode < 0 or p.returncode > 3:
        return "ended by signal %d" % -p.returncode if p.returncode < 0 else "ended with status %d" % p.returncode
    if p.returncode == 0 and (p.stdout, left) != wanted and not LACKS.search(p.stdout + p.stderr):
        return "status 0, but what it gives is not complete"
    if p.returncode > 0 and not p.stderr.strip() and not p.stdout.strip():
        return "refused without a word"
    return ""


class Subject:
    """A command: its name, how many allocations it makes, what it gives undisturbed, and for runs all that they leave."""

    def __init__(self, name, n, wanted, whole):
        self.name, self.n, self.wanted, self.whole = name, n, wanted, whole


# SUNDIALS 6 does not survive that the logger of a context is refused memory, two allocations for each solver that is set up, nor that
# the vector of vectors is by which bdf follows derivatives, four.
FRAGILE = ("SUNLogger_", "SUNContext_", "N_VCloneEmpty_SensWrapper")


class Count:
    def __init__(self):
        self.tried = self.failed = 0
        self.others = collections.Counter()

    def take(self, subject, at, on, p, who, wrong):
        path, _, function = who.partition(" ")
        library = os.path.basename(path)
        fragile = wrong.startswith("ended by signal") and library.startswith("libsundials") and function.startswith(FRAGILE)
        if wrong and (fragile or library.startswith(("ld-linux", "libc.so"))):
            self.others[library] += 1
            return
        self.tried += 1
        if wrong:
            self.failed += 1
            words = (p.stderr or p.stdout)[-200:].decode(errors="replace")
            print(f"allocations: {subject.name}: number {at} of {subject.n}{' and all after it' if on else ''}, asked for by {function} of {library}: {wrong}: {words}", flush=True)


def sample(t, subject, command, count, end, most, dice):
    """Each try is a process of its own; 0 if not all allocations were tried."""
    points = [(i, on) for i in range(1, subject.n + 1) for on in (False, True)]
    chosen = dice.sample(points, most) if len(points) > most else points
    for at, on in chosen:
        if time.monotonic() > end:
            return 0
        p, who = None, ""
        try:
            p, left, who = t.run(command, at, on)
            wrong = judge(p, left, subject.wanted)
            if not wrong and subject.whole and p.returncode != 0:
                wrong = resumed(t, subject.whole)
        except subprocess.TimeoutExpired as e:
            p, wrong = subprocess.CompletedProcess(command, -1, e.stdout or b"", e.stderr or b""), "no end after 300 s"
        count.take(subject, at, on, p, who, wrong)
    return chosen is points


def every(t, subject, command, count, end):
    """All tries in processes forked by one; 0 if there was not time for all of them."""
    last = 0
    for at, on, (p, left, who) in t.every(command):
        if time.monotonic() > end:
            return 0
        wrong = judge(p, left, subject.wanted)
        if not wrong and subject.whole and p.returncode != 0:
            wrong = resumed(t, subject.whole)
        if at == 0 and (wrong or p.returncode != 0):
            wrong = wrong or "status %d" % p.returncode
            print(f"allocations: {subject.name}: the command that forks does not end as it should: {wrong}: {p.stderr[-200:]}")
            count.failed += 1
        if at > 0:
            count.take(subject, at, on, p, who, wrong)
            last = at
    subject.n = last
    return 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seconds", type=float)
    options.add_argument("--sample", type=int, default=10**9, help="at most so many allocations of each command")
    options.add_argument("--every", action="store_true", help="all allocations, of small machines")
    options.add_argument("--only", default="", help="these commands alone")
    setting = options.parse_args()
    commands = {name: COMMANDS[name] for name in setting.only.split(",") if name} or COMMANDS
    dice, start = random.Random(int(os.environ.get("SEED", 1))), time.monotonic()
    count = Count()
    with tempfile.TemporaryDirectory() as place:
        scenes(place, SMALL if setting.every else FULL)
        t = Trial(place)
        for number, (name, command) in enumerate(commands.items()):
            p, left, found = t.run(command, 0)
            if p.returncode != 0 or not found.isdigit():
                print(f"allocations: {name}: it does not even run: status {p.returncode}, {p.stderr[-300:]}, '{found}'")
                return 1
            t.known = {}
            subject = Subject(name, int(found), (p.stdout, left), runs.outcome(os.path.join(place, "out")) if command[0] == "run" else None)
            end = start + setting.seconds * (number + 1) / len(commands)
            before = time.monotonic(), count.tried
            whole = every(t, subject, command, count, end) if setting.every else sample(t, subject, command, count, end, setting.sample, dice)
            print(f"allocations: {name}: {subject.n} allocations, {count.tried - before[1]} tries{'' if whole else ', not all'}, {len(t.known)} different states "
                  f"gone on from, {time.monotonic() - before[0]:.0f} s", flush=True)  # fmt: skip
    for library, n in sorted(count.others.items()):
        print(f"allocations: {n} more ended badly within {library}, which was refused memory itself")
    print(f"tried {count.tried} held {count.tried - count.failed} failed {count.failed}")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
