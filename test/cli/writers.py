"""writers.py - every option that names a file or a folder to write, at every kind of target.

usage: writers.py TOOL FOLDER

A file: devices, pipes and links stay what they are, the pipe gets all of it, the link's target is replaced; a folder, a circle of
links, a socket, a full device, a place that is no folder and one that may not be written are refused with words and status 3. What
lies where a part goes, and what beside the file has a name that nobody gave, is not written through a link. A folder: the same, but
only folders and links to them are good. Nothing is left of what was refused.
"""
import os
import socket
import stat
import subprocess
import sys
import threading

TOOL, PLACE = os.path.abspath(sys.argv[1]), sys.argv[2]
SCENE = """capstan: 1
title: Block
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.5}}}}
run: {until: 0.1 s, output: 0.01 s, solver: events}
"""
STUDY = """study: 1
scenario: block.yaml
vary: {mu: {path: contacts.floor.friction.mu, range: [0.2, 0.5]}}
sample: {method: latin-hypercube, points: 2, seed: 3}
outputs: {far: max(bodies.block.x)}
"""
MU = "contacts.floor.friction.mu"
# One row for each; @ is the target. What follows is a name beside or in it that nobody gave.
FILES = {
    "report": (["report", "r", "-q", "-o", "@"], None),
    "compare": (["report", "r", "r", "-q", "-o", "@"], None),
    "study page": (["report", "s/points.sqlite", "-q", "-o", "@"], None),
    "svg": (["models", "coulomb", "--svg", "@"], None),
    "laws": (["models", "--compare", "coulomb,quinn", "--test", "stribeck", "--html", "@"], None),
    "reference": (["models", "--markdown", "@"], "models/coulomb.svg"),
    "new": (["new", "gallery/drum-hoist", "--force", "-o", "@"], None),
    "reproduce": (["reproduce", "quinn.oscillator", "--markdown", "@"], None),
    "fmu": (["fmu", "block.yaml", "-o", "@"], None),
}
TABLES = {
    "sweep": (["sweep", "study.yaml", "-q", "--resume", "-o", "@"], None),
    "merge": (["sweep", "--merge", "s/points.sqlite", "-q", "-o", "@"], None),
}
FOLDERS = {
    "run": (["run", "block.yaml", "-q", "-o", "@"], "summary.json"),
    "sens": (["sens", "block.yaml", "--wrt", MU, "--of", "bodies.block.x", "-q", "-o", "@"], "report.html"),
    "fit": (["fit", "block.yaml", "-d", "m.csv", "-p", MU + ":0.1:1", "-q", "-o", "@"], "fit.json"),
    "optimize": (["optimize", "block.yaml", "--minimize", "bodies.block.x", "-p", MU + ":0.1:1", "--runs", "60", "-q", "-o", "@"], "optimum.json"),
    "point": (["sweep", "study.yaml", "--point", "1", "-q", "-o", "@"], "summary.json"),
    "sweep in": (["sweep", "study.yaml", "-q", "-o", "@"], "points.html"),
    "export csv": (["export", "r", "--csv", "-q", "-o", "@"], "series.csv"),
    "export npy": (["export", "r", "--npy", "-q", "-o", "@"], "result.npz"),
    "manual": (["help", "--man", "@"], "capstan.1"),
}
MAKES_NO_FOLDER = {"manual"}
failures = checks = 0


def check(good, text):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED:", text, file=sys.stderr)


def run(name, target, command, user=None):
    command = [TOOL] + [target if word == "@" else word for word in command]
    p = subprocess.run(command, cwd=PLACE, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, user=user, group=user)
    p.name = f"{name} -> {target}"
    return p


def refused(p, *words):
    check(p.returncode == 3, f"{p.name}: status {p.returncode}, not 3: {p.stderr[-200:]}")
    text = p.stderr.decode(errors="replace")
    check(any(word in text for word in words), f"{p.name}: none of {words} in: {text[-300:]}")


def accepted(p):
    check(p.returncode == 0, f"{p.name}: status {p.returncode}: {p.stderr.decode(errors='replace')[-300:]}")


def at(name):
    return os.path.join(PLACE, name)


def put(name, text):
    with open(at(name), "w") as f:
        f.write(text)


def content(name):
    with open(at(name), "rb") as f:
        return f.read()


def is_kind(what, name, which):
    check(which(os.lstat(at(name)).st_mode), f"{what}: {name} is not what it was")


def read_pipe(name, got):
    with open(at(name), "rb") as f:
        got.append(f.read())


def no_parts(what):
    left = [os.path.join(folder, n) for folder, _, names in os.walk(PLACE) for n in names if n.endswith(".part")]
    check(not left, f"{what} leaves {left}")


def strange_places(name, command):
    """Where neither a file nor a folder can be made."""
    refused(run(name, "plain/below", command), "Not a directory")
    refused(run(name, "circle", command), "circle")
    if os.getuid() == 0:  # a user who may not write there, and a link that another one has put into a folder of all
        os.makedirs(at("closed"), exist_ok=True)
        p = run(name, "closed/" + name.split()[0], command, user=65534)
        refused(p, "Permission denied")
        check(os.listdir(at("closed")) == [], f"{p.name}: something is there")


def beside_is_safe(name, target, command, beside):
    """A link in the place of a file whose name nobody gave is replaced."""
    put("victim", "precious")
    os.makedirs(os.path.dirname(at(beside)), exist_ok=True)
    if os.path.lexists(at(beside)):
        os.remove(at(beside))
    os.symlink(at("victim"), at(beside))
    accepted(run(name, target, command))
    check(content("victim") == b"precious", f"{name}: {beside} was written through a link")
    check(not os.path.islink(at(beside)), f"{name}: {beside} is still a link")


def try_file(name, command, beside):
    if os.path.exists(at("fresh")):
        os.remove(at("fresh"))
    accepted(run(name, "fresh", command))
    whole = len(content("fresh"))
    check(whole > 0, f"{name}: nothing is written")
    for kind in (["null", "full"] if os.path.exists(at("null")) else []):
        p = run(name, kind, command)
        accepted(p) if kind == "null" else refused(p, "No space left")
        is_kind(name, kind, stat.S_ISCHR)
    got = []
    thread = threading.Thread(target=read_pipe, args=("pipe", got))
    thread.start()
    accepted(run(name, "pipe", command))
    thread.join()
    is_kind(name, "pipe", stat.S_ISFIFO)
    check(got and abs(len(got[0]) - whole) < 0.01 * whole + 100, f"{name}: the pipe got {len(got[0])} of {whole} bytes")
    refused(run(name, "socket", command), "No such device", "not a regular file")
    is_kind(name, "socket", stat.S_ISSOCK)
    refused(run(name, "folder", command), "it is a folder")
    links(name, command, whole)
    put("victim", "precious")
    os.symlink(at("victim"), at("fresh.part"))
    accepted(run(name, "fresh", command))
    check(content("victim") == b"precious", f"{name}: the part was written through a link")
    strange_places(name, command)
    if beside:
        beside_is_safe(name, "fresh", command, beside)


def links(name, command, whole, ending=""):
    """A link that was named is followed; one of somebody else, in a folder of all, is not."""
    for link, to in (("link" + ending, "folder/target"), ("dangling" + ending, "folder/made")):
        if os.path.exists(at(to)):
            os.remove(at(to))
        if link.startswith("link"):
            put(to, "")
            os.chmod(at(to), 0o600)
        accepted(run(name, link, command))
        is_kind(name, link, stat.S_ISLNK)
        check(os.path.getsize(at(to)) > 0.9 * whole, f"{name}: {link} was not followed")
        if link.startswith("link"):
            check(os.stat(at(to)).st_mode & 0o777 == 0o600, f"{name}: what was private is not any more")
    if os.getuid() == 0:
        put("mine", "")
        p = run(name, "open/theirs" + ending, command)
        refused(p, "somebody else")
        check(content("mine") == b"", f"{name}: written through the link of somebody else")


def try_table(name, command):
    """A table is changed in place: what is not a file is refused, links are followed."""
    for n in os.listdir(PLACE):
        if n.startswith("fresh") and not os.path.isdir(at(n)):
            os.remove(at(n))
    accepted(run(name, "fresh.sqlite", command))
    whole = len(content("fresh.sqlite"))
    for kind, words in (("null", ("not a regular file",)), ("pipe", ("not a regular file",)), ("socket", ("not a regular file",)), ("folder", ("it is a folder",))):
        if os.path.lexists(at(kind)):
            if os.path.lexists(at(kind + ".sqlite")):
                os.remove(at(kind + ".sqlite"))
            os.symlink(kind, at(kind + ".sqlite"))
            refused(run(name, kind + ".sqlite", command), *words)
    links(name, command, whole, ".sqlite")
    refused(run(name, "circle.sqlite", command), "circle")
    refused(run(name, "plain/below.sqlite", command), "Not a directory")
    if os.getuid() == 0:
        refused(run(name, "closed/a.sqlite", command, user=65534), "Permission denied", "unable to open")


def try_folder(name, command, inside):
    makes = name not in MAKES_NO_FOLDER
    target = f"made-{name.replace(' ', '-')}"
    if not makes:
        os.mkdir(at(target))
    accepted(run(name, target + "/", command))
    check(os.path.exists(at(f"{target}/{inside}")), f"{name}: {target}/{inside} is not there")
    os.symlink(target, at("link-" + target))
    if name == "sweep in":
        command = command + ["--resume"]
    accepted(run(name, "link-" + target, command))
    is_kind(name, "link-" + target, stat.S_ISLNK)
    beside_is_safe(name, target, command, f"{target}/{inside}")
    for kind in ("null", "pipe", "socket", "plain"):
        if os.path.lexists(at(kind)):
            before = os.lstat(at(kind))
            refused(run(name, kind, command), "Not a directory")
            after = os.lstat(at(kind))
            check((before.st_ino, before.st_mode, before.st_size) == (after.st_ino, after.st_mode, after.st_size), f"{name}: {kind} was changed")
    refused(run(name, "nowhere", command), "leads nowhere" if makes else "No such file")
    if makes:
        strange_places(name, command)


def main():
    put("block.yaml", SCENE)
    put("study.yaml", STUDY)
    put("m.csv", "time,bodies.block.x\n0,0\n0.05,0.045\n0.1,0.08\n")
    accepted(run("run", "r", FOLDERS["run"][0]))
    accepted(run("sweep", "s", FOLDERS["sweep in"][0]))
    os.mkdir(at("folder"))
    put("plain", "plain")
    os.mkfifo(at("pipe"))
    with socket.socket(socket.AF_UNIX) as s:
        here = os.getcwd()
        os.chdir(PLACE)  # names of sockets are short
        s.bind("socket")
        os.chdir(here)
    for link, to in (("link", "folder/target"), ("dangling", "folder/made"), ("nowhere", "none/none"), ("circle", "circle")):
        os.symlink(to, at(link))
        if link in ("link", "dangling", "circle"):
            os.symlink(to + (".sqlite" if link == "circle" else ""), at(link + ".sqlite"))
    if os.getuid() == 0:
        os.chmod(PLACE, 0o755)
        for name, number in (("null", 3), ("full", 7)):
            try:
                os.mknod(at(name), 0o666 | stat.S_IFCHR, os.makedev(1, number))
                os.close(os.open(at(name), os.O_WRONLY))
            except OSError:  # some containers forbid devices
                if os.path.lexists(at(name)):
                    os.remove(at(name))
        os.mkdir(at("open"))
        os.chmod(at("open"), 0o1777)
        for name in ("theirs", "theirs.sqlite"):
            os.symlink(at("mine"), at("open/" + name))
            os.lchown(at("open/" + name), 65534, 65534)
    for name, (command, beside) in FILES.items():
        try_file(name, command, beside)
        no_parts(name)
    for name, (command, _) in TABLES.items():
        try_table(name, command)
    for name, (command, inside) in FOLDERS.items():
        try_folder(name, command, inside)
        no_parts(name)
    print(f"writers: {checks} checks, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
