"""writers.py - every command that writes, killed before a system call, or with one that fails: each file is whole, or not there, or
what it was before; who says that all is well has written all; and the command, given again, ends well."""
import csv
import json
import os
import shutil
import sqlite3
import zipfile

import h5py
import numpy as np

import runs
from trial import Campaign, Failure, words

MU = "contacts.two.friction.mu_s"
# What is written, and the command that does it; all into "out", but for the last.
COMMANDS = {
    "sens": (["result.h5", "report.html"], ["sens", "scene.yaml", "--wrt", MU, "--of", "bodies.a.x", "-q", "-o", "out"]),
    "fit": (["fit.json", "report.html", "result.h5"], ["fit", "scene.yaml", "-d", "measured.csv", "-p", MU + ":0.7:1", "--steps", "2", "-q", "-o", "out"]),
    "optimize": (["optimum.json", "report.html"], ["optimize", "scene.yaml", "--minimize", "bodies.a.x", "-p", MU + ":0.7:1", "--runs", "3", "-q", "-o", "out"]),
    "point": (["summary.json", "result.h5", "report.html"], ["sweep", "study.yaml", "--point", "1", "-q", "-o", "out"]),
    "report": (["page.html"], ["report", "result", "-q", "-o", "out/page.html"]),
    "export": (["series.csv", "result.npz"], ["export", "result", "--csv", "--npy", "-q", "-o", "out"]),
    "fmu": (["a.fmu"], ["fmu", "alone.yaml", "-o", "out/a.fmu"]),
    "svg": (["a.svg"], ["models", "coulomb", "--svg", "out/a.svg"]),
    "new": (["a.yaml"], ["new", "gallery/drum-hoist", "--force", "-o", "out/a.yaml"]),
    "merge": (["a.sqlite"], ["sweep", "--merge", "table.sqlite", "-q", "-o", "out/a.sqlite"]),
}  # fmt: skip
UNDONE = {"optimize": (0, 1), "fit": (0, 1)}  # with so few runs no optimum is found, which is no fault


def whole(path):
    """Raises unless the file can be read to its end."""
    name = os.path.basename(path)
    if name.endswith(".h5"):
        runs.arrays(path)
    elif name.endswith((".npz", ".fmu")):
        with zipfile.ZipFile(path) as z:
            if z.testzip():
                raise ValueError("a part of the archive is damaged")
        if name.endswith(".npz"):
            with np.load(path) as z:
                [z[k] for k in z.files]
    elif name.endswith(".sqlite"):
        with sqlite3.connect(path) as db:
            if db.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                raise ValueError("the table is damaged")
    else:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".csv"):
            if len({len(row) for row in csv.reader(text.splitlines())}) != 1:
                raise ValueError("rows of different lengths")
        elif not text.rstrip().endswith({".html": "</html>", ".svg": "</svg>"}.get(os.path.splitext(name)[1], "")) or not text:
            raise ValueError("its end is missing")


def prepare(t, name):
    t.write("scene.yaml", runs.bodies(law="coulomb-static", until=0.5, solver="events", more="tolerance: 1e-6", every=0.05))
    t.write("parts.yaml", runs.PARTS)
    with open(t.path("scene.yaml")) as f:
        t.write("alone.yaml", f.read().replace("include: parts.yaml\n", runs.PARTS))
    t.write("study.yaml", runs.STUDY.replace("points: 12", "points: 2"))
    t.write("measured.csv", "time,bodies.a.x\n0,0\n0.25,0.1\n0.5,0.2\n")
    t.run(t.tool, "run", "scene.yaml", "-q", "-o", "result", statuses=(0,))
    if name == "merge":
        t.run(t.tool, "sweep", "study.yaml", "-q", "--no-report", "-o", "table.sqlite", statuses=(0,))
    os.mkdir(t.path("out"))
    return [t.tool] + COMMANDS[name][1]


def look(t, name, all_of_them):
    """Every file that has its name is whole; if it was said that all is well, none is missing."""
    for file in COMMANDS[name][0]:
        path = t.path("out/" + file)
        if not os.path.exists(path):
            t.demand(not all_of_them, f"{name}: it said that all is well, but {file} is not there")
            continue
        if file.endswith(".sqlite") and not all_of_them:
            continue  # changed in place, with a log beside it: opening it again mends it
        try:
            whole(path)
        except Exception as e:
            raise Failure(f"{name}: {file} is not whole: {e}")


CALLS = {}


def calls_of(t, name, command):
    if name not in CALLS:
        t.run("strace", "-f", "-qq", "-o", "calls", *command, statuses=UNDONE.get(name, (0,)))
        with open(t.path("calls"), errors="replace") as f:
            CALLS[name] = runs.re.findall(r"^\d+ +(\w+)\(", f.read(), runs.re.M)
        look(t, name, True)
        shutil.rmtree(t.path("out"))
        os.mkdir(t.path("out"))
    return CALLS[name]


def chosen(t):
    name = t.random.choice(sorted(COMMANDS))
    command = prepare(t, name)
    calls_of(t, name, command)
    if t.random.random() < 0.5:  # there is something of before
        t.run(*command, statuses=UNDONE.get(name, (0,)))
    return name, command


def again(t, name, command):
    t.run(*command, statuses=UNDONE.get(name, (0,)))
    look(t, name, True)
    left = [f for f in os.listdir(t.path("out")) if f.endswith(".part")]
    t.demand(not left, f"{name}: left behind: {left}")


def killed(t):
    name, command = chosen(t)
    call = t.random.choice(CALLS[name])
    n = t.random.randint(1, CALLS[name].count(call))
    t.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={n}", *command, statuses=(0, 1, 3, -9, 137))  # 3: it was the process that reads which was killed
    look(t, name, False)
    again(t, name, command)


def faulty(t):
    name, command = chosen(t)
    call = t.random.choice([c for c in CALLS[name] if c in runs.ERRORS])
    n = t.random.randint(1, CALLS[name].count(call))
    when = f"{n}+" if t.random.random() < 0.3 else str(n)
    error = t.random.choice(runs.ERRORS[call])
    p = t.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={when}", *command, statuses=(0, 1, 2, 3, 127))
    good = p.returncode in UNDONE.get(name, (0,)) and b"cannot" not in p.err
    t.demand(good or call == "write" or p.err.strip(), f"{name}: it fails and says nothing")
    if p.returncode == 127:
        t.demand(b"shared librar" in p.err or b"shared object" in p.err, "status 127: " + words(p.err))
    look(t, name, p.returncode == 0)
    left = [f for f in os.listdir(t.path("out")) if f.endswith(".part")]
    t.demand(not left or call == "unlink", f"{name}: left behind: {left}")
    again(t, name, command)


WRITERS = [
    Campaign("write-kill", "every command that writes, killed before a system call; what is there is whole, and again all is well", killed),
    Campaign("write-fault", "every command that writes, with a system call that fails; the same, and nothing is missing without a word", faulty),
]
