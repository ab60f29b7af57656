"""escapes.py - control characters in every argument of every command: nothing that a terminal would obey is printed.

usage: escapes.py TOOL FOLDER
"""
import os
import re
import subprocess
import sys

TOOL, PLACE = os.path.abspath(sys.argv[1]), sys.argv[2]
SCENE = """capstan: 1
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
MU = "contacts.floor.friction.mu:0.1:1"
FIT = ["fit", "block.yaml", "-d", "m.csv", "-o", "fitted"]
OPTIMIZE = ["optimize", "block.yaml", "--minimize", "bodies.block.x", "-o", "best"]
# @ stands for the text; one row for each argument that a command takes.
COMMANDS = [
    ["@"], ["help", "@"], ["help", "--man", "@"], ["check", "@"], ["check", "block.yaml", "--json", "--set", "@=1"],
    ["run", "@"], ["run", "block.yaml", "-o", "@"], ["run", "block.yaml", "-o", "@", "-q"], ["run", "block.yaml", "@"], ["run", "block.yaml", "--@"],
    ["run", "block.yaml", "-@"], ["run", "block.yaml", "--set", "@", "-o", "o"], ["run", "block.yaml", "--set", "@=3", "-o", "o"],
    ["run", "block.yaml", "--set", "title=@", "-o", "o"], ["run", "block.yaml", "--set", "bodies.block.mass=@", "-o", "o"],
    ["run", "--resume", "@"], ["run", "block.yaml", "--flush", "@"], ["statics", "@"], ["statics", "block.yaml", "--set", "@=1"],
    ["sens", "block.yaml", "--wrt", "@", "--of", "bodies.block.x"], ["sens", "block.yaml", "--wrt", "bodies.block.mass", "--of", "@"],
    ["sens", "block.yaml", "--wrt", "bodies.block.mass", "--of", "bodies.block.x", "-m", "@"], ["sens", "block.yaml", "--wrt", "bodies.block.mass", "-o", "@"],
    ["fit", "block.yaml", "-d", "@", "-p", MU, "-o", "fitted"], FIT + ["-p", "@"], FIT + ["-p", "contacts.floor.friction.mu:@:1"],
    FIT + ["-p", MU, "-c", "@=bodies.block.x"], FIT + ["-p", MU, "-c", "bodies.block.x=@"], FIT[:4] + ["-p", MU, "-o", "@"],
    OPTIMIZE[:2] + ["--minimize", "@", "-p", MU], OPTIMIZE + ["-p", "@"], OPTIMIZE + ["-p", MU, "--limit", "@"], OPTIMIZE + ["-p", MU, "--runs", "@"],
    OPTIMIZE + ["-p", MU, "--method", "@"], OPTIMIZE[:4] + ["-p", MU, "--runs", "60", "-o", "@"],
    ["sweep", "@"], ["sweep", "study.yaml", "-o", "@"], ["sweep", "study.yaml", "--point", "@"], ["sweep", "study.yaml", "--shard", "@"],
    ["sweep", "study.yaml", "-j", "@"], ["sweep", "--merge", "@", "-o", "x.sqlite"], ["sweep", "--merge", "s/points.sqlite", "-o", "@"],
    ["fmu", "@"], ["fmu", "block.yaml", "-o", "@.fmu"], ["fmu", "block.yaml", "--input", "@"], ["fmu", "block.yaml", "--output-column", "@"],
    ["fmu", "block.yaml", "--fmi", "@"], ["export", "@"], ["export", "r", "--csv", "-o", "@"], ["export", "r", "--csv", "--columns", "@"],
    ["export", "r", "--npy", "-o", "@"], ["report", "@"], ["report", "r", "-o", "@"], ["report", "r", "@"],
    ["models", "@"], ["models", "coulomb", "--at", "@"], ["models", "coulomb", "--at", "@=1"], ["models", "coulomb", "--set", "@=1"],
    ["models", "coulomb", "--svg", "@"], ["models", "--compare", "@"], ["models", "--compare", "coulomb", "--test", "@"], ["models", "--markdown", "@"],
    ["new", "@"], ["new", "gallery/drum-hoist", "-o", "@"], ["diff", "@", "r"], ["diff", "r", "@"], ["diff", "block.yaml", "@"],
    ["completion", "@"], ["reproduce", "@"], ["reproduce", "--scenarios", "@"], ["doctor", "@"],
]  # fmt: skip
# Escape sequences of seven and of eight bits, what turns text around, what moves the cursor, and what is no UTF-8.
TEXT = "\x1b[31m\x07\x1b]0;x\x07\u202e\u2066\u2028\x9b2J\r\x7f\x08" + os.fsdecode(b"\x9b\xff")
OBEYED = re.compile(rb"[\x07\x08\r\x1b\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]|(?<![\x80-\xff])[\x80-\xbf]")


def put(name, text):
    with open(os.path.join(PLACE, name), "w") as f:
        f.write(text)


def run(command):
    return subprocess.run([TOOL] + command, cwd=PLACE, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


put("block.yaml", SCENE)
put("study.yaml", STUDY)
put("m.csv", "time [s],bodies.block.x [m]\n0,0\n0.05,0.04\n0.1,0.07\n")
for command in (["run", "block.yaml", "-q", "-o", "r"], ["sweep", "study.yaml", "-q", "-o", "s"]):
    if run(command).returncode != 0:
        sys.exit("escapes: %s fails" % " ".join(command))
failures = 0
for command in COMMANDS:
    p = run([word.replace("@", TEXT) for word in command])
    for text in (p.stdout, p.stderr):
        found = OBEYED.search(text)
        if found or not 0 <= p.returncode <= 3:
            failures += 1
            around = text[max(0, found.start() - 40) : found.end() + 20] if found else text[-200:]
            print("FAILED:", " ".join(command), "status", p.returncode, around, file=sys.stderr)
print(f"{len(COMMANDS)} checks passed" if not failures else f"{failures} failed")
sys.exit(1 if failures else 0)
