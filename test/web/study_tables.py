"""Tables of studies whose outputs are known functions, for the tests of their page. usage: study_tables.py FOLDER [NAME...]

They have the form that capstan sweep writes (docs/sweep.md), so that the page is tested without running anything.
"""
import math
import random
import sqlite3
import sys


def write(path, parameters, outputs, rows, about, gradients=False):
    """parameters, outputs: [(name, unit, low, high)]; rows: [(values, outputs or None, status, message, gradients)]"""
    pairs = [(o, p) for o in outputs for p in parameters] if gradients else []
    names = [p[0] for p in parameters] + [o[0] for o in outputs] + [f"d({o[0]})/d({p[0]})" for o, p in pairs]
    quoted = ['"' + n.replace('"', '""') + '"' for n in names]
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE points (point INTEGER PRIMARY KEY, " + ", ".join(quoted) + ", status TEXT, message TEXT, steps INTEGER, iterations INTEGER, rejected INTEGER, seconds REAL)")
    db.execute("CREATE TABLE columns (name TEXT, kind TEXT, unit TEXT, path TEXT, low REAL, high REAL)")
    db.execute("CREATE TABLE study (key TEXT, value TEXT)")
    db.executemany("INSERT INTO columns VALUES (?, 'parameter', ?, ?, ?, ?)", [(n, u, f"bodies.{n}", a, b) for n, u, a, b in parameters])
    db.executemany("INSERT INTO columns VALUES (?, 'output', ?, ?, ?, ?)", [(n, u, f"max({n})", a, b) for n, u, a, b in outputs])
    db.executemany("INSERT INTO columns VALUES (?, 'gradient', '1', '', NULL, NULL)", [(n,) for n in names[len(parameters) + len(outputs):]])
    db.executemany("INSERT INTO study VALUES (?, ?)", [(k, str(v)) for k, v in {"scenario": "hoist.yaml", "seed": 1, "count": len(rows), "version": "0.2.0", "scenario_hash": "ab" * 32,
                   "study_hash": "cd" * 32, "study_text": "capstan: 1\nscenario: hoist.yaml # a comment\n", "scenario_text": "capstan: 1\n", **about}.items()])
    marks = ", ".join("?" * (1 + len(names) + 6))
    full = []
    for i, (x, y, status, message, g) in enumerate(rows):
        full.append((i, *x, *(y if y is not None else [None] * len(outputs)), *(g if g is not None else [None] * len(pairs)), status, message, 1000 + i % 100, 2500, i % 3, 0.004 + 1e-6 * (i % 1000)))
    db.executemany(f"INSERT INTO points VALUES ({marks})", full)
    db.commit()
    db.close()


def ishigami(x):
    return math.sin(x[0]) + 7 * math.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * math.sin(x[0])


def slope(x):
    return [math.cos(x[0]) * (1 + 0.1 * x[2] ** 4), 7 * math.sin(2 * x[1]), 0.4 * x[2] ** 3 * math.sin(x[0])]


ANGLES = [(f"x{i}", "rad", -math.pi, math.pi) for i in (1, 2, 3)]


def saltelli(path, base=512):
    """Ishigami's function; a point fails, and large values are beyond a limit."""
    r, rows = random.Random(1), []
    for k in range(base):
        a, b = ([r.uniform(-math.pi, math.pi) for _ in range(3)] for _ in range(2))
        for x in [a, b] + [a[:i] + [b[i]] + a[i + 1:] for i in range(3)]:
            y = ishigami(x)
            if k == 7:
                rows.append((x, None, "failed", "t = 0.31 s: Newton's method has not converged", None))
            else:
                rows.append((x, [y, 1e-3 * y * y], "limit" if y > 14 else "ok", "value is above 14" if y > 14 else "", slope(x) + [2e-3 * y * s for s in slope(x)]))
    write(path, ANGLES, [("value", "N", None, 14), ("squared", "m", None, None)], rows, {"title": "Ishigami's function", "method": "saltelli", "n": base, "d": 3}, gradients=True)


def morris(path, trajectories=40, levels=4):
    r, rows, step = random.Random(2), [], 2 / 3
    for _ in range(trajectories):
        u = [r.choice([0, 1 / 3]) for _ in range(3)]
        order = r.sample(range(3), 3)
        for j in range(4):
            if j > 0:
                u = u[:]
                u[order[j - 1]] += step
            x = [math.pi * (2 * v - 1) for v in u]
            rows.append((x, [ishigami(x)], "ok", "", None))
    write(path, ANGLES, [("value", "N", None, None)], rows, {"title": "Elementary effects", "method": "morris", "r": trajectories, "levels": levels})


def grid(path, n=40):
    rows = []
    for j in range(n):
        for i in range(n):
            mu, load = 0.05 + 0.45 * i / (n - 1), 100 + 900 * j / (n - 1)
            held = 100 * math.exp(2 * math.pi * mu)
            rows.append(([mu, load], [max(0, load - held)], "ok", "", None))
    write(path, [("mu", "1", 0.05, 0.5), ("load", "N", 100, 1000)], [("excess", "N", None, None)], rows, {"title": "Breakaway", "method": "grid"})


def large(path, n=100000):
    r, rows, laws = random.Random(3), [], ["quinn", "lugre", "coulomb-static"]
    parameters = [("law", "", None, None), ("mass", "kg", 50, 150), ("stiffness", "N/m", 1e5, 5e5), ("mu", "1", 0.1, 0.4), ("speed", "m/s", 0.1, 2), ("radius", "m", 0.1, 0.3)]
    for _ in range(n):
        law, x = r.randrange(3), [r.uniform(a, b) for _, _, a, b in parameters[1:]]
        y = [9.81 * x[0] + x[3] * math.sqrt(x[0] * x[1]), math.exp(math.pi * x[2]) + r.gauss(0, 0.05) + 0.1 * law, x[3] / x[4], x[0] * x[4]]
        bad = r.random() < 0.002
        rows.append(([laws[law]] + x, None if bad else y, "failed" if bad else "ok", "the step size became too small" if bad else "", None))
    write(path, parameters, [("tension", "N", None, None), ("ratio", "1", None, None), ("rate", "rad/s", None, None), ("torque", "N m", None, None)], rows, {"title": "A hundred thousand points", "method": "random"})


def hostile(path):
    """Names that would like to be HTML, SQL or a shell command."""
    bad, rows = '</script><script>document.title="broken"</script>', []
    for i in range(50):
        rows.append(([i / 50, f"{bad}{i % 2}"], [i * 0.1], "failed" if i == 3 else "ok", bad, None))
    write(path, [(f'"; DROP TABLE points; --{bad}', bad, 0, 1), ("law", "", None, None)], [(f"$(touch /broken) ' {bad}", bad, None, None)], rows,
          {"title": bad, "method": bad, "scenario": f"'; rm -rf x; {bad}", "study_text": bad})


def empty(path):
    write(path, ANGLES, [("value", "N", None, None)], [], {"title": "Nothing yet", "method": "random"})


KINDS = {f.__name__: f for f in (saltelli, morris, grid, large, hostile, empty)}

if __name__ == "__main__":
    for name in sys.argv[2:] or KINDS:
        KINDS[name](f"{sys.argv[1]}/{name}.sqlite")
