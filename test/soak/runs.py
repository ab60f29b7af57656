"""runs.py - runs that are killed, at any moment or before any system call, and system calls that fail: what is there is whole, and a
run that is taken up again ends in the same bits as one that nobody disturbed."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time

import h5py
import numpy as np

from trial import ROOT, Campaign, Failure, words

BODIES = """capstan: 1
title: To be killed
include: parts.yaml
surfaces:
  belt: {{velocity: {{sine: {{amplitude: 0.6, omega: 3.1, offset: 0.2}}}}}}
springs:
  s: {{between: [{{ground: 0}}, a], stiffness: 40, damping: 0.1}}
  t: {{between: [a, b], stiffness: 30, length: 0.5}}
contacts:
  one: {{between: [a, belt], normal: weight, friction: {law}}}
  two: {{between: [b, ground], normal: 3 N, friction: {law}}}
loads:
  push: {{on: b, force: {{pulses: {{amplitude: 8, start: 0.3, width: 0.4, period: 0.9, count: 100000}}}}}}
run: {{until: {until}, solver: {solver}, {more}}}
outputs: {{every: {every}, columns: ["bodies.*", "contacts.*", energy.error]}}
"""
ROPE = """capstan: 1
drums: {{pulley: {{radius: 250 mm, center: [0, 0], drive: {{rotation: {{sine: {{amplitude: 0.3, omega: 8 rad/s}}}}}}}}}}
bodies: {{left: {{mass: 10 kg}}, right: {{mass: 11 kg}}}}
cables:
  rope:
    EA: 1 MN
    EI: 0.7 N m2
    mass_per_length: 0.4555 kg/m
    damping: {{rayleigh: 10 N s}}
    elements: {elements}
    path: [left, {{hang: 1 m}}, {{over: pulley}}, {{hang: 1 m}}, right]
    contact: {{at: nodes, normal: {{hunt-crossley: {{stiffness: 5e6}}}}, friction: {law}}}
run: {{until: {until}, solver: {solver}, output: 10 ms, fields: 20 ms}}
"""
MOVING = """capstan: 1
bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}
drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {ramp: {rate: 1 rad/s}}}}}
cables:
  rope:
    EA: 0.1 MN
    EI: 0.7 N m2
    mass_per_length: 0.45 kg/m
    damping: {rayleigh: 10 N s}
    mesh: {size: 0.5 m, on_drums: 80 mm, follow: true}
    path: [left, {hang: 3 m}, {over: pulley}, {hang: 3 m}, right]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e6}}, friction: {quinn: {mu: 0.5, epsilon: 10 mm/s}}}
run: {until: 1.5, output: 10 ms, fields: 20 ms, solver: alpha, step: 0.5 ms}
"""
BRAKED = """capstan: 1
drums: {wheel: {radius: 150 mm, center: [0, 0], drive: free, inertia: 0.02 kg m2}}
bodies: {left: {mass: 20 kg}, right: {mass: 24 kg}}
cables:
  rope:
    EA: 1 MN
    mass_per_length: 0.2 kg/m
    damping: {axial: 3 kN s}
    start: braked
    tension_only: true
    mesh: {size: 50 mm}
    path: [left, hang 3 m, over wheel, hang 3 m, right]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: {quinn: {mu: 0.4}}}
run: {until: 0.6 s, output: 10 ms, fields: 20 ms, solver: alpha, step: 0.5 ms}
"""
PARTS = "bodies:\n  a: {mass: 1 kg}\n  b: {mass: 2 kg, x: 0.5}\n"


def bodies(**more):
    return BODIES.format(**more)


def rope(**more):
    return ROPE.format(**more)


# Kinds of runs; the times are such that each takes some tenths of a second.
KINDS = {
    "rk4": bodies(law="{lugre: {sigma0: 1000, sigma1: 30}}", until=12, solver="rk4", more="step: 0.5 ms", every=0.05),
    "events": bodies(law="coulomb-static", until=150, solver="events", more="tolerance: 1e-7", every=0.5),
    "karnopp": bodies(law="karnopp", until=100, solver="events", more="tolerance: 1e-6", every=0.5),
    "alpha": bodies(law="quinn", until=15, solver="alpha", more="tolerance: 1e-6", every=0.02),
    "bdf": bodies(law="cdq", until=20, solver="bdf", more="tolerance: 1e-6", every=0.1),
    "rope": rope(elements=20, law="{quinn: {mu: 0.25}}", until=3, solver="alpha"),
    "rope-coulomb": rope(elements=20, law="{coulomb: {mu: 0.25}}", until=2, solver="alpha"),
    "rope-memory": rope(elements=12, law="{elasto-plastic: {}}", until=1, solver="alpha"),
    "rope-bdf": rope(elements=8, law="{quinn: {mu: 0.25, epsilon: 0.01}}", until=0.3, solver="bdf"),
    "moving-mesh": MOVING,
    "braked": BRAKED,
    "elevator": open(os.path.join(ROOT, "scenarios/gallery/elevator.yaml")).read(),
    "elastica": open(os.path.join(ROOT, "scenarios/gallery/elastica.yaml")).read(),
    "zip-line": open(os.path.join(ROOT, "scenarios/gallery/zip-line.yaml")).read(),
}
SHORT = {
    "events": bodies(law="coulomb-static", until=6, solver="events", more="tolerance: 1e-7", every=0.1),
    "alpha": bodies(law="quinn", until=0.5, solver="alpha", more="tolerance: 1e-6", every=0.02),
    "rope": rope(elements=8, law="{quinn: {mu: 0.25}}", until=0.2, solver="alpha"),
}
STUDY = """study: 1
scenario: scene.yaml
vary: {mu: {path: contacts.two.friction.mu_s, range: [0.75, 0.95]}, m: {path: bodies.a.mass, range: [1, 2]}}
sample: {method: latin-hypercube, points: 12, seed: 3}
outputs: {far: max(bodies.a.x), work: contacts.two.work}
"""


def arrays(path, partial=False):
    """All numbers of a result file as bytes, cut to what is complete."""
    try:
        file = h5py.File(path, "r", swmr=partial)
    except (OSError, ValueError):
        if not partial:
            raise
        file = h5py.File(path, "r")  # it had been closed already
    with file as f:
        out, done = {}, f["recorded"][:]

        def take(name, d):
            if not isinstance(d, h5py.Dataset) or name in ("status", "summary", "recorded"):
                return
            n = {"series": done[0], "events": done[1], "fields": done[2]}.get(name.split("/")[0])
            rows = n is not None and not d.attrs.get("constant", 0)
            if n == 0 and not rows:
                return  # what is constant is written with the first frame
            value = np.asarray(d[:n] if rows else d[()])
            out[name] = (value.tobytes(), value.shape, rows)

        f.visititems(take)
        return out, f["status"][()].decode()


def outcome(folder):
    """All that a finished run leaves, without the time that it took."""
    found, status = arrays(os.path.join(folder, "result.h5"))
    with open(os.path.join(folder, "summary.json")) as f:
        summary = json.load(f)
    del summary["wall_time"], summary["processor_time"]
    files = {}
    for name in ("series.csv", "events.csv", "scenario.yaml"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as f:
                files[name] = f.read()
    return dict(found, status=status, summary=summary, files=files)


def same(t, kind, folder):
    want, got = reference(t, kind), outcome(t.path(folder))
    for name in want:
        t.demand(name in got and got[name] == want[name], f"{kind}: '{name}' differs from the run that nobody disturbed")
    t.demand(sorted(want) == sorted(got), f"{kind}: there is more than in the run that nobody disturbed")
    left = [f for f in os.listdir(t.path(folder)) if f.endswith(".part") or f == "checkpoint"]
    t.demand(not left, f"{kind}: left behind: {left}")


REFERENCES = {}


def reference(t, kind):
    """What the run leaves if nobody disturbs it, and how long it takes; computed once."""
    if kind not in REFERENCES:
        place = os.path.join(t.store, "run-" + kind)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        scene(place, kind)
        subprocess.run([t.tool, "run", "scene.yaml", "-o", "out", "-q", "--flush", "0.01"], cwd=place, check=True)
        REFERENCES[kind] = outcome(os.path.join(place, "out"))
    return REFERENCES[kind]


def scene(place, kind):
    for name, text in (("scene.yaml", dict(KINDS, **{"short-" + k: v for k, v in SHORT.items()})[kind]), ("parts.yaml", PARTS)):
        with open(os.path.join(place, name), "w") as f:
            f.write(text)


def readable(t, kind, folder):
    """What a killed run leaves: every file is whole, and the rows are the first of those of the whole run."""
    path = t.path(folder + "/result.h5")
    if os.path.exists(path):
        try:
            found, _ = arrays(path, partial=True)
        except Exception as e:
            raise Failure(f"{kind}: result.h5 of a killed run cannot be read: {e}")
        want = reference(t, kind)
        for name, (value, _, rows) in found.items():
            ours = want[name][0]
            t.demand(ours[: len(value)] == value if rows else ours == value, f"{kind}: '{name}' of a killed run differs")
    path = t.path(folder + "/summary.json")
    if os.path.exists(path):
        try:
            json.load(open(path))
        except ValueError as e:
            raise Failure(f"{kind}: summary.json is not whole: {e}")


def take_up(t, kind, folder, again):
    """Goes on with what there is, to the end; a run that left nothing is started again."""
    if os.path.exists(t.path(folder + "/checkpoint")):
        t.run(t.tool, "run", "--resume", folder, "-q", statuses=(0,), seconds=120)
    elif not os.path.exists(t.path(folder + "/summary.json")):
        t.run(*again, statuses=(0,), seconds=120)
    same(t, kind, folder)


SPANS = {}


def killed(t):
    """Killed at a random moment, perhaps several times."""
    kind = t.random.choice(sorted(KINDS))
    reference(t, kind)
    scene(t.folder, kind)
    flush = t.random.choice(["0", "0.01", "0.01", "0.1"])
    start = [t.tool, "run", "scene.yaml", "-o", "out", "-q", "--flush", flush]
    command = start
    for _ in range(t.random.choice([1, 1, 2, 4])):
        began = time.monotonic()
        p = t.run(*command, statuses=(0,), kill_after=t.random.uniform(0, 1.1) * SPANS.get(kind, 0.5))
        if not p.killed:
            SPANS[kind] = 0.5 * (time.monotonic() - began) + 0.5 * SPANS.get(kind, 0.5)
            break
        if os.path.isdir(t.path("out")):
            readable(t, kind, "out")
        command = [t.tool, "run", "--resume", "out", "-q"] if os.path.exists(t.path("out/checkpoint")) else start
    if os.path.isdir(t.path("out")):
        shutil.copytree(t.path("out"), t.path("killed"), symlinks=True)
    take_up(t, kind, "out", start)


def study_killed(t):
    """A study that is killed and goes on has the same table."""
    t.write("scene.yaml", bodies(law="coulomb-static", until=2, solver="events", more="tolerance: 1e-7", every=0.1))
    t.write("parts.yaml", PARTS)
    t.write("study.yaml", STUDY)
    if "study" not in REFERENCES:
        t.run(t.tool, "sweep", "study.yaml", "-q", "-j", "1", "-o", "whole", statuses=(0,))
        REFERENCES["study"] = rows_of(t.path("whole"))
    for i in range(t.random.choice([1, 2, 3])):
        again = ["--resume"] if os.path.exists(t.path("out")) and i else []
        p = t.run(t.tool, "sweep", "study.yaml", "-q", "-j", "1", "-o", "out", *again, statuses=(0, 3), kill_after=t.random.uniform(0.005, 0.4))
        t.demand(p.killed or p.returncode == 0 or b"resume" in p.err or not again, "a study does not go on: " + words(p.err))
        if not p.killed:
            break
    more = ["--resume"] if os.path.isdir(t.path("out")) and os.listdir(t.path("out")) else []
    t.run(t.tool, "sweep", "study.yaml", "-q", "-j", "1", "-o", "out", *more, statuses=(0,))
    t.demand(rows_of(t.path("out")) == REFERENCES["study"], "the table differs from that of a study that nobody disturbed")


def rows_of(folder):
    name = [f for f in os.listdir(folder) if f.endswith(".sqlite")][0]
    db = sqlite3.connect(os.path.join(folder, name))
    columns = [c[1] for c in db.execute("PRAGMA table_info(points)") if c[1] != "seconds"]
    rows = db.execute("SELECT %s FROM points ORDER BY point" % ", ".join(f'"{c}"' for c in columns)).fetchall()
    return [[x.hex() if isinstance(x, float) else x for x in row] for row in rows]


CALLS = {}


def calls_of(t, kind, command):
    """The system calls of a run that nobody disturbs, as a list with one entry for each."""
    if kind not in CALLS:
        t.run("strace", "-f", "-qq", "-o", "calls", *command, statuses=(0,))
        with open(t.path("calls"), errors="replace") as f:
            CALLS[kind] = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
        shutil.rmtree(t.path("out"))
        os.remove(t.path("calls"))
    return CALLS[kind]


ERRORS = {
    "openat": ["EIO", "ENOSPC", "EMFILE", "EACCES"], "write": ["EIO", "ENOSPC", "EDQUOT"], "pwrite64": ["EIO", "ENOSPC", "EDQUOT"],
    "fdatasync": ["EIO", "ENOSPC"], "fsync": ["EIO"], "rename": ["EIO", "ENOSPC", "EACCES"], "ftruncate": ["EIO", "ENOSPC"],
    "mkdir": ["ENOSPC", "EACCES"], "unlink": ["EIO"], "flock": ["ENOLCK"], "read": ["EIO"], "pread64": ["EIO"], "close": ["EIO"],
    "newfstatat": ["EIO"], "fcntl": ["EIO"], "dup": ["EMFILE"], "access": ["EIO"], "getcwd": ["EIO"], "statfs": ["EIO"],
    "lseek": ["EIO"], "pipe2": ["EMFILE"], "clone": ["EAGAIN"], "ioctl": ["EIO"], "getrandom": ["EIO"],
}  # fmt: skip


def short_run(t):
    kind = "short-" + t.random.choice(sorted(SHORT))
    reference(t, kind)
    scene(t.folder, kind)
    flush = t.random.choice(["0", "0.005", "1"])
    return kind, kind + flush, [t.tool, "run", "scene.yaml", "-o", "out", "-q", "--flush", flush]


def killed_at_call(t):
    """Killed before a certain system call."""
    kind, key, start = short_run(t)
    call = t.random.choice(calls_of(t, key, start))
    n = t.random.randint(1, CALLS[key].count(call))
    t.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={n}", *start, statuses=(0, -9, 137))
    if os.path.isdir(t.path("out")):
        readable(t, kind, "out")
        shutil.copytree(t.path("out"), t.path("killed"), symlinks=True)
    take_up(t, kind, "out", start)


def failed_call(t):
    """A system call fails, or all of its kind from some one on."""
    kind, key, start = short_run(t)
    call = t.random.choice([c for c in calls_of(t, key, start) if c in ERRORS])
    n = t.random.randint(1, CALLS[key].count(call))
    when = f"{n}+" if t.random.random() < 0.3 else str(n)
    p = t.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:error={t.random.choice(ERRORS[call])}:when={when}", *start,
              statuses=(0, 1, 2, 3, 127))  # 127: the loader could not even start it
    t.demand(p.returncode == 0 or call == "write" or p.err.strip(), "it fails and says nothing")  # words are written, too
    if p.returncode == 127:
        t.demand(b"shared librar" in p.err or b"shared object" in p.err, "status 127: " + words(p.err))
    if os.path.isdir(t.path("out")):
        shutil.copytree(t.path("out"), t.path("failed"), symlinks=True)
    if p.returncode == 0:
        complete(t, kind)
    else:
        if os.path.isdir(t.path("out")):
            readable(t, kind, "out")
        take_up(t, kind, "out", start)


def complete(t, kind):
    """It said that all is well: then all is there."""
    want, got = reference(t, kind), outcome(t.path("out"))
    for name in want:
        t.demand(got.get(name) == want[name], f"{kind}: it said that all is well, but '{name}' differs")


RUNS = [
    Campaign("kill", "`kill -9` at random moments of 14 kinds of runs; resumed, compared to the bit", killed),
    Campaign("kill-study", "`kill -9` of studies; resumed, tables compared to the bit", study_killed),
    Campaign("kill-call", "killed before a system call; resumed, compared to the bit", killed_at_call),
    Campaign("fault", "a system call fails (EIO, ENOSPC, ...); resumed, compared to the bit", failed_call),
]
