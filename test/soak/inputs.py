"""inputs.py - changed and crafted inputs of everything that reads: each is read, or refused with words and a status of 1 to 3; the
sanitizers find nothing, and nobody waits for long."""
import glob
import hashlib
import os
import re
import shutil
import struct
import subprocess
import time

import runs
from trial import PATIENCE, ROOT, Campaign, counted

# ---------------------------------------------------------------- text


def sources():
    names = glob.glob(os.path.join(ROOT, "scenarios/*/*.yaml")) + glob.glob(os.path.join(ROOT, "scenarios/*.yaml"))
    names += glob.glob(os.path.join(ROOT, "test/scenario_*/*.yaml"))
    return sorted(n for n in names if "/studies/" not in n)


NUMBERS = ["0", "-0.0", "1e308", "-1e308", "5e-324", "1e-300", "nan", ".inf", "-1", "1", "2147483648", "9223372036854775808", "1e9",
           "0x10", "1_000", "1e", "-", "+.5", "1 m", "3 parsec", "{}", "[]", "[1, 2, 3, 4]", "~", "''", "true", "*a", "&a 1", "!!int 3",
           "{sine: {amplitude: 1e300, omega: 1e300}}", "a{i}", "{i}", "1e-12 ns", "%zz", "\xff"]  # fmt: skip
BYTES = [b"\x00", b"\xff", b"\xd0", b"%", b"\t", b"\r", b"\n", b":", b"{", b"}", b"[", b"]", b",", b"'", b'"', b"#", b"&a ", b"*a", b"? ", b"- ",
         b"<<: ", b"---\n", b"...\n", b"!", b"|", b">", b"\xe2\x80\xae", b"\xc0\x80", b"\xef\xbb\xbf", b" " * 40, b"a" * 5000]  # fmt: skip


def change_text(r, text):
    """Some changes of a text: bytes, numbers, words and lines."""
    for _ in range(r.choice([1, 1, 2, 3, 8])):
        what = r.randrange(9)
        at = r.randrange(len(text) + 1)
        if what == 0:
            text = text[:at] + r.choice(BYTES) + text[at:]
        elif what == 1:
            text = text[:at] + bytes([r.randrange(256)]) + text[at + 1 :]
        elif what == 2:
            text = text[:at] + text[at + r.randrange(1, 40) :]
        elif what in (3, 4, 5):
            found = [m for m in re.finditer(rb"[-+]?[.0-9]+(e[-+]?\d+)?", text)]
            if found:
                m = r.choice(found)
                new = r.choice(NUMBERS).encode("latin-1") if what < 5 else b"%.17g" % (r.choice([-1, 1, 1]) * 10 ** r.uniform(-320, 308))
                text = text[: m.start()] + new + text[m.end() :]
        elif what == 6:
            found = [m for m in re.finditer(rb"[A-Za-z_-]+", text)]
            if len(found) > 1:
                a, b = r.choice(found), r.choice(found)
                text = text[: a.start()] + b.group() + text[a.end() :]
        elif what == 7:
            lines = text.split(b"\n")
            lines.insert(r.randrange(len(lines)), r.choice(lines))
            text = b"\n".join(lines)
        else:
            lines = text.split(b"\n")
            del lines[r.randrange(len(lines))]
            text = b"\n".join(lines)
    return text


def refused_or_read(t, p):
    t.demand(p.returncode == 0 or p.err.strip() or p.out.strip(), "refused without a word")


def scenario(t):
    name = t.random.choice(sources())
    with open(name, "rb") as f:
        t.write("a.yaml", change_text(t.random, f.read()))
    refused_or_read(t, t.run(t.asan, "check", "a.yaml", seconds=30))


CSV = b"time [s],pull [N],other\n0,0,1\n0.5,10,2\n1,-3.5e1,3\n2,0,4\n"
CSV_SCENE = b"""capstan: 1
bodies: {a: {mass: 1 kg}}
springs: {s: {between: [ground, a], stiffness: 100}}
contacts: {c: {between: [a, ground], normal: weight, friction: {coulomb: {mu: 0.1}}}}
loads: {l: {on: a, force: {table: {file: data.csv, value: 2}}}}
run: {until: 0.2 s, output: 0.01, solver: events}
"""


def csv(t):
    """As a series of a scenario, and as what a fit has measured."""
    t.write("data.csv", change_text(t.random, CSV))
    t.write("a.yaml", CSV_SCENE)
    refused_or_read(t, t.run(t.asan, "check", "a.yaml", seconds=30))
    t.write("measured.csv", change_text(t.random, b"time,bodies.a.x [mm]\n0,0\n0.05,1\n0.1,2\n0.15,2\n"))
    t.write("b.yaml", CSV_SCENE.replace(b"{table: {file: data.csv, value: 2}}", b"10 N"))
    p = t.run(t.asan, "fit", "b.yaml", "--data", "measured.csv", "--parameters", "bodies.a.mass:0.5:2", "--steps", "2", "--no-report", "-q", seconds=60)
    refused_or_read(t, p)


PATHS = ["bodies.a.mass", "contacts.c.friction.coulomb.mu", "contacts.c.friction.mu", "loads.l.force", "run.until", "run.output", "springs.s.between.0",
         "cables.rope.path.1.hang", "gravity", "bodies", "outputs.columns", "title", "loads.l.force.pulses.width", "..", "", "a.b.c.d.e.f"]  # fmt: skip


def setting(t):
    r = t.random
    texts = []
    for _ in range(r.choice([1, 1, 2, 5])):
        path = r.choice(PATHS)
        text = f"{path}={r.choice(NUMBERS)}".encode("latin-1")
        if r.random() < 0.5:
            text = change_text(r, text)
        texts += ["--set", text.replace(b"\x00", b"0").decode("utf-8", "surrogateescape")]
    t.write("a.yaml", CSV_SCENE.replace(b"{table: {file: data.csv, value: 2}}", b"10 N"))
    refused_or_read(t, t.run(t.asan, "check", "a.yaml", *texts, seconds=30))


EXPRESSIONS = [b"max(bodies.a.x)", b"bodies.a.v", b"rms(bodies.a.v, 0.05, 0.15)", b"mean(contacts.c.f)", b"min(bodies.a.x, 0, 0.1)", b"integral(contacts.c.f)",
               b"energy.error", b"max(abs(bodies.a.v))", b"bodies.a.x < 3 mm", b"peak(bodies.a.x, 0.1, 0.05)"]  # fmt: skip


def expression(t):
    """Outputs of sens and optimize, limits, and the points of models --at."""
    r = t.random
    text = change_text(r, r.choice(EXPRESSIONS)).replace(b"\x00", b"0").replace(b"\n", b" ").decode("utf-8", "surrogateescape")
    t.write("a.yaml", CSV_SCENE.replace(b"{table: {file: data.csv, value: 2}}", b"10 N"))
    what = r.randrange(4)
    if what == 0:
        p = t.run(t.asan, "sens", "a.yaml", "--wrt", "bodies.a.mass", "--of=" + text, seconds=60)
    elif what == 1:
        p = t.run(t.asan, "optimize", "a.yaml", "--minimize=" + text, "--parameters", "bodies.a.mass:0.5:2", "--runs", "2", "--no-report", "-q", seconds=60)
    elif what == 2:
        p = t.run(t.asan, "optimize", "a.yaml", "--minimize", "bodies.a.x", "--limit=" + text, "--parameters", "bodies.a.mass:0.5:2", "--runs", "2",
                  "--no-report", "-q", seconds=60)  # fmt: skip
    else:
        point = change_text(r, b"v=0.01,n=10,f_eq=2,z=1e-6,mode=0").replace(b"\x00", b"0").decode("utf-8", "surrogateescape")
        p = t.run(t.asan, "models", r.choice(LAWS), "--at=" + point, seconds=30)
    refused_or_read(t, p)


LAWS = ["coulomb", "stribeck", "quinn", "cdq", "lugre", "gms", "karnopp", "dahl", "iwan", "ruina", "rill", "elasto-plastic", "hunt-crossley", "capstan"]


def law(t):
    """Parameters of laws, and their evaluation anywhere."""
    r = t.random
    name = r.choice(LAWS)
    more = []
    for _ in range(r.randrange(3)):
        key = r.choice(["mu", "mu_s", "sigma0", "epsilon", "v_s", "exponent", "stiffness", "k1", "a1", "alpha", "nothing"])
        more += ["--set", f"{key}={r.choice(NUMBERS[:16])}"]
    point = ",".join(f"{k}={r.choice(['0', '1', '-1', '1e-300', '1e300', '-1e308', '5e-324', '%.17g' % r.gauss(0, 1)])}" for k in ("v", "n", "f_eq"))
    refused_or_read(t, t.run(t.asan, "models", name, "--at=" + point, *more, seconds=30))


def study(t):
    names = sorted(n for n in glob.glob(os.path.join(ROOT, "scenarios/studies/*.yaml")))
    for n in names:
        shutil.copy(n, t.folder)
    studies = [n for n in names if b"\nstudy:" in b"\n" + open(n, "rb").read()]
    with open(t.random.choice(studies), "rb") as f:
        t.write("a-study.yaml", change_text(t.random, f.read()))
    refused_or_read(t, t.run(t.asan, "sweep", "a-study.yaml", "--dry-run", seconds=60))


def fmu(t):
    """Inputs and columns of an FMU."""
    r = t.random
    t.write("a.yaml", CSV_SCENE.replace(b"{table: {file: data.csv, value: 2}}", b"10 N"))
    text = change_text(r, r.choice(PATHS).encode()).replace(b"\x00", b"0").decode("utf-8", "surrogateescape")
    column = change_text(r, r.choice(EXPRESSIONS[:4])).replace(b"\x00", b"0").decode("utf-8", "surrogateescape")
    p = t.run(t.asan, "fmu", "a.yaml", "--input=" + text, "--output-column=" + column, "--fmi", r.choice(["2", "3", "9", text]), seconds=60)
    refused_or_read(t, p)


# ---------------------------------------------------------------- result files

SMALL = {
    "block": """capstan: 1
title: Small
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}}
run: {until: 3 s, output: 0.05 s, solver: events}
""",
    "rope": runs.rope(elements=8, law="{quinn: {mu: 0.25}}", until=0.1, solver="alpha"),
}
SECRET = b"SECRET" * 500


def originals(t):
    """result.h5 of finished runs, and of such as are still going on."""
    place = os.path.join(t.store, "originals")
    if not os.path.exists(os.path.join(place, "done")):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        with open(os.path.join(place, "victim"), "wb") as f:
            f.write(SECRET)
        for name, text in SMALL.items():
            with open(os.path.join(place, name + ".yaml"), "w") as f:
                f.write(text)
            subprocess.run([t.tool, "run", name + ".yaml", "-o", name, "-q"], cwd=place, check=True)
            shutil.copy(os.path.join(place, name, "result.h5"), os.path.join(place, name + "-finished.h5"))
            # the file of a run that goes on: that of one that is killed before its last rename of this file
            command = [t.tool, "run", name + ".yaml", "-o", name + "-live", "-q", "--flush", "0"]
            calls = subprocess.run(["strace", "-f", "-qq", "-e", "trace=rename", *command], cwd=place, check=True, capture_output=True, text=True).stderr
            renames = [line for line in calls.splitlines() if "rename(" in line]
            last = max(i for i, line in enumerate(renames) if "result.h5.part" in line) + 1
            shutil.rmtree(os.path.join(place, name + "-live"))
            subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=rename:signal=KILL:when={last}", *command], cwd=place)
            shutil.copy(os.path.join(place, name + "-live", "result.h5"), os.path.join(place, name + "-live.h5"))
        open(os.path.join(place, "done"), "w").close()
    return place


def read_many(t, which, build):
    """A batch of files, each read as the tool does it: test/mutate_result.c."""
    place = originals(t)
    name = t.random.choice(sorted(SMALL)) + "-" + which
    program = os.path.join(build, "test/mutate_result")
    p = t.run(program, os.path.join(place, name + ".h5"), ".", str(1000 * t.seed), "100", os.path.join(place, "victim"), "read", statuses=(0, 1),
              seconds=3600, env={"CAPSTAN_READ_SECONDS": "2"}, strange_results=True)  # fmt: skip
    return counted(p.out.decode())


def result_file(t, which):
    place = originals(t)
    name = t.random.choice(sorted(SMALL)) + "-" + which
    t.run(os.path.join(t.build, "test/mutate_result"), os.path.join(place, name + ".h5"), ".", str(t.seed), "1", os.path.join(place, "victim"), statuses=(0,))
    file = f"{t.seed}.h5"
    tool = t.asan if t.random.random() < 0.1 else t.tool
    command = t.random.choice([["report", file, "-o", "out.html", "-q"], ["export", file, "--csv", "-o", "out", "-q"],
                               ["export", file, "--npy", "-o", "out", "-q"], ["diff", file, os.path.join(place, name + ".h5"), "-q"]])  # fmt: skip
    # 2 s of processor time are the limit of a reader; the rest is for a machine that has other things to do
    p = t.run(tool, *command, seconds=120, env={"CAPSTAN_READ_SECONDS": "2"}, strange_results=True)
    for folder, _, names in os.walk(t.folder):
        for n in names:
            if n != file:
                with open(os.path.join(folder, n), "rb") as f:
                    t.demand(b"SECRETSECRET" not in f.read(), f"something of another file is in {n}")
    t.demand(command[0] == "diff" or p.returncode == 0 or p.err.strip(), "refused without a word")


def finished(t):
    result_file(t, "finished")


def live(t):
    result_file(t, "live")


def finished_many(t):
    return read_many(t, "finished", t.build if t.seed % 4 else t.asan_build)


def live_many(t):
    return read_many(t, "live", t.build if t.seed % 4 else t.asan_build)


# ---------------------------------------------------------------- checkpoints


def has_state(path):
    """Whether a checkpoint is of a run that has begun."""
    if not os.path.exists(path):
        return False
    with open(path, "rb") as f:
        data = f.read()
    return len(data) > state_start(data)[0]


def interrupted(t, kind):
    """The folder of a run that was killed."""
    place = os.path.join(t.store, "interrupted-" + kind)
    if not os.path.exists(os.path.join(place, "done")):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        runs.scene(place, kind)
        p = subprocess.Popen([t.asan, "run", "scene.yaml", "-o", "out", "-q", "--flush", "0.05", "--set", "run.until=10000"], cwd=place)
        for _ in range(10 * PATIENCE):  # however slow the machine is
            if has_state(os.path.join(place, "out", "checkpoint")) or p.poll() is not None:
                break
            time.sleep(0.1)
        p.kill()
        p.wait()
        open(os.path.join(place, "done"), "w").close()
    return os.path.join(place, "out")


def checkpoint(t):
    """The folder of a stranger: preamble or state changed, the state hashed anew; resumed for a while."""
    r = t.random
    source = interrupted(t, r.choice(["rk4", "events", "karnopp", "alpha", "bdf", "rope", "rope-memory", "moving-mesh", "braked", "elevator"]))
    shutil.copytree(source, t.path("out"))
    with open(t.path("out/checkpoint"), "rb") as f:
        data = f.read()
    start, head = state_start(data)
    preamble, state = data[:start], bytearray(data[start:-64])
    if r.random() < 0.25:
        preamble = change_text(r, preamble)
    else:
        for _ in range(r.choice([1, 1, 1, 3, 20])):
            at = r.randrange(head, len(state)) if r.random() < 0.9 else r.randrange(len(state))
            what = r.randrange(4)
            if what == 0:
                state[at] ^= 1 << r.randrange(8)
            elif what == 1:
                state[at] = r.choice([0, 1, 0x7F, 0x80, 0xFF])
            else:
                value = struct.pack("<d", r.choice([float("nan"), float("inf"), -1.0, 1e300, 1e-300, -1e9])) if what == 2 else struct.pack(
                    "<i", r.choice([-1, -2, 1000, 77, 2**31 - 1, -(2**31)]))  # fmt: skip
                at -= at % 4
                state[at : at + len(value)] = value[: len(state) - at]
    if r.random() < 0.1:
        state = state[: r.randrange(len(state))]
    sealed = bytes(state) + hashlib.sha256(bytes(state)).hexdigest().encode()
    with open(t.path("out/checkpoint"), "wb") as f:
        f.write(preamble + sealed)
    # accepted runs go on for long: they are stopped, as people do
    p = t.run("timeout", "-s", "INT", "-k", "30", "1.5", t.asan, "run", "--resume", "out", "--no-report", "-q", statuses=(0, 1, 2, 3, 124), seconds=90)
    t.demand(p.returncode in (0, 124) or p.err.strip(), "refused without a word")


def state_start(data):
    """Where the state begins in a checkpoint file (cli/recording.c), and how long its own head is."""
    at = data.index(b"\n") + 1
    fields = []
    while len(fields) < 4 or len(fields) < 5 + int(float(fields[3])):
        end = data.index(b"\n", at)
        n = int(data[at:end])
        fields.append(data[end + 1 : end + 1 + n])
        at = end + 2 + n
    return at, 217


INPUTS = [
    Campaign("read-finished", "finished result files changed by HDF5 or byte by byte, checksums and seal mended; read as the tool does, every fourth hundred under sanitizers", finished_many, 4),
    Campaign("read-live", "the same of files of runs that were going on", live_many, 4),
    Campaign("results-finished", "changed finished result files through `report`, `export`, `diff`, some under sanitizers", finished),
    Campaign("results-live", "the same of files of runs that were going on", live),
    Campaign("checkpoints", "checkpoints changed and hashed anew; `run --resume`, sanitizers", checkpoint),
    Campaign("scenarios", "changed scenario files; `check`, sanitizers", scenario),
    Campaign("csv", "changed tables, as a series and as measured data; `check`, `fit`, sanitizers", csv),
    Campaign("settings", "changed `--set`; `check`, sanitizers", setting),
    Campaign("expressions", "changed outputs, limits and points; `sens`, `optimize`, `models --at`, sanitizers", expression),
    Campaign("laws", "parameters of laws and where they are evaluated, to the ends of the number range; sanitizers", law),
    Campaign("studies", "changed study files; `sweep --dry-run`, sanitizers", study),
    Campaign("fmus", "changed inputs and columns; `fmu`, sanitizers", fmu),
]
