"""machines.py - random machines: bodies, springs, contacts, drums and cables put together at random, with keys and values that the
schema of scenario files allows, under the sanitizers. What `check` calls good is run: it ends well, fails with words, or is stopped
as people do; `run` refuses nothing that `check` calls good."""
import json
import subprocess

from trial import Campaign

SCHEMA = {}


def schema(t):
    if not SCHEMA:
        SCHEMA.update(json.loads(subprocess.run([t.tool, "check", "--schema"], capture_output=True, check=True).stdout))
        SCHEMA["laws"] = json.loads(subprocess.run([t.tool, "models", "--json"], capture_output=True, check=True).stdout)
    return SCHEMA


def number(r, low=None, high=None, above=None, usual=1.0, wild=0.1):
    """A number that the limits allow: near the usual one, or far away, or at a limit."""
    least = above if above is not None else low
    x = usual * 10 ** r.gauss(0, 0.4)
    if r.random() < wild:
        x = usual * 10 ** r.uniform(-9, 9)
    if least is None and r.random() < 0.3:
        x = -x
    if low is not None and r.random() < 0.05:
        x = low
    if high is not None and r.random() < 0.02:
        x = high
    if least is not None and x < least:
        x = least * (1 + r.random()) if least > 0 else abs(x)
    return min(x, high) if high is not None else x


def friction(r, s, wild):
    law = r.choice(s["laws"]["friction"])
    p = {}
    for q in law["params"]:
        if r.random() < 0.4:
            usual = q["default"] if q["default"] else 1.0
            p[q["name"]] = number(r, q.get("min"), q.get("max"), usual=usual, wild=wild)
    return {law["name"]: p} if p or r.random() < 0.5 else law["name"]


PROFILES = [
    lambda r, a, w: a,
    lambda r, a, w: {"sine": {"amplitude": a, "omega": number(r, above=0, usual=6, wild=w)}},
    lambda r, a, w: {"step5": {"from": [0, 0], "to": [number(r, above=0, usual=0.2, wild=w), a]}},
    lambda r, a, w: {"ramp": {"rate": a, "end": number(r, above=0, usual=0.2, wild=w)}},
    lambda r, a, w: {"cycloid": {"amplitude": a, "duration": number(r, above=0, usual=0.5, wild=w)}},
    lambda r, a, w: {"pulses": {"amplitude": a, "start": 0.05, "width": (p := number(r, above=0, usual=0.1, wild=w)) * r.uniform(0.05, 0.95), "period": p, "count": r.randrange(1, 50)}},
    lambda r, a, w: {"table": {"times": [0, 0.1, 0.3], "values": [0, a, -a], "interpolation": r.choice(["linear", "cubic"])}},
    lambda r, a, w: {"sum": [a, {"sine": {"amplitude": a, "frequency": number(r, above=0, usual=2, wild=w)}}]},
]  # fmt: skip


def profile(r, usual, wild):
    return r.choice(PROFILES)(r, number(r, usual=usual, wild=wild), wild)


def more(r, s, kind, thing, wild):
    """Optional keys of a thing, with values that its schema allows."""
    for key, q in s["definitions"][kind]["properties"].items():
        if key in thing or r.random() > 0.02:
            continue
        if "enum" in q:
            thing[key] = r.choice(q["enum"])
        elif q.get("type") == "boolean":
            thing[key] = r.random() < 0.5
        elif q.get("type") == "integer":
            thing[key] = r.randint(int(q["minimum"]), int(min(q["maximum"], 12)))
        elif q.get("allOf", [{}])[0].get("$ref") == "#/definitions/quantity":
            thing[key] = number(r, q.get("minimum"), q.get("maximum"), q.get("exclusiveMinimum"), usual=0.5, wild=wild)
        elif q.get("allOf", [{}])[0].get("$ref") == "#/definitions/vector":
            thing[key] = [number(r, usual=1, wild=wild) for _ in range(2)]


def blocks(r, s, wild):
    """Bodies in a row, on the ground or on belts, with springs between them."""
    n = r.choice([1, 1, 2, 3, 6])
    m = {"bodies": {}, "springs": {}, "contacts": {}, "loads": {}, "surfaces": {}}
    for i in range(n):
        m["bodies"][f"b{i}"] = {"mass": number(r, above=0, wild=wild), "x": float(i), "v": number(r, usual=0.3, wild=wild)}
        more(r, s, "bodies", m["bodies"][f"b{i}"], wild)
        if r.random() < 0.8:
            other = {"ground": i - 1.0} if i == 0 or r.random() < 0.3 else f"b{i - 1}"
            m["springs"][f"s{i}"] = {"between": [other, f"b{i}"], "stiffness": number(r, low=0, usual=100, wild=wild), "length": 1.0}
            if r.random() < 0.5:
                m["springs"][f"s{i}"]["damping"] = number(r, low=0, usual=1, wild=wild)
            more(r, s, "springs", m["springs"][f"s{i}"], wild)
        if r.random() < 0.8:
            under = "ground"
            if r.random() < 0.4:
                under = f"belt{i}"
                m["surfaces"][under] = {"velocity": profile(r, 0.5, wild)}
            elif i > 0 and r.random() < 0.3:
                under = f"b{i - 1}"
            normal = "weight" if r.random() < 0.5 else abs(number(r, usual=10, wild=wild))
            m["contacts"][f"c{i}"] = {"between": [f"b{i}", under], "normal": normal, "friction": friction(r, s, wild)}
        if r.random() < 0.5:
            m["loads"][f"l{i}"] = {"on": f"b{i}", "force": profile(r, 5, wild)}
    m["run"] = {"until": number(r, above=0, usual=0.5, wild=wild), "solver": r.choice(["rk4", "events", "alpha", "bdf"]), "output": 0.02}
    if m["run"]["solver"] == "rk4":
        m["run"]["step"] = number(r, above=0, usual=1e-3, wild=wild)
    return m


def cables(r, s, wild):
    """Ropes over drums in a row, with loads or ground at their ends."""
    n = r.choice([1, 1, 1, 2, 3])
    radius = number(r, above=0, usual=0.2, wild=wild)
    m = {"drums": {}, "bodies": {}, "cables": {}}
    for i in range(n):
        d = {"radius": radius, "center": [5 * radius * i, 0.0 if i % 2 == 0 else -6 * radius]}
        what = r.randrange(6)
        if what == 0:
            d["drive"], d["inertia"] = "free", number(r, above=0, usual=0.1, wild=wild)
        elif what == 1:
            d["drive"] = {"rotation": profile(r, 0.5, wild)}
        elif what == 2:
            d["drive"], d["inertia"] = {"torque": profile(r, 5, wild)}, number(r, above=0, usual=0.1, wild=wild)
        elif what == 3:
            d["drive"] = {"pd": {"kp": number(r, low=0, usual=400, wild=wild), "kd": number(r, low=0, usual=40, wild=wild), "setpoint": profile(r, 0.5, wild)}}
            d["inertia"] = number(r, above=0, usual=0.1, wild=wild)
        if "inertia" in d and r.random() < 0.3:
            d["bearing"] = {"radius": 0.1 * radius, "friction": friction(r, s, wild)}
        more(r, s, "drums", d, wild)
        m["drums"][f"d{i}"] = d
    path = [{"over" if i % 2 == 0 else "under": f"d{i}"} for i in range(n)]
    m["bodies"]["left"] = {"mass": number(r, above=0, usual=10, wild=wild)}
    path = ["left", {"hang": number(r, above=0, usual=1, wild=wild)}] + path
    if r.random() < 0.7:
        m["bodies"]["right"] = {"mass": number(r, above=0, usual=10, wild=wild)}
        path += [{"hang": number(r, above=0, usual=1, wild=wild)}, "right"]
    else:
        path += [{"hang": number(r, above=0, usual=1, wild=wild)}, {r.choice(["pinned", "free", "clamped"]): None}]
    c = {"path": path, "EA": number(r, above=0, usual=1e5, wild=wild), "EI": number(r, low=0, usual=0.5, wild=wild),
         "mass_per_length": number(r, above=0, usual=0.5, wild=wild), "elements": r.choice([2, 5, 8, 12, 20, 40])}  # fmt: skip
    if r.random() < 0.6:
        c["damping"] = {r.choice(["rayleigh", "axial", "bending"]): number(r, low=0, usual=5, wild=wild)}
    normal = r.choice([x["name"] for x in s["laws"].get("normal", [])] or ["hunt-crossley"])
    c["contact"] = {"normal": {"hunt-crossley": {"stiffness": number(r, above=0, usual=5e6, wild=wild)}} if r.random() < 0.7 else normal,
                    "friction": friction(r, s, wild)}  # fmt: skip
    more(r, s, "cables", c, wild)
    more(r, s, "cable-contact", c["contact"], wild)
    m["cables"]["rope"] = c
    m["run"] = {"until": number(r, above=0, usual=0.2, wild=wild), "solver": r.choice(["alpha", "alpha", "bdf"]), "output": 0.01}
    return m


def machine(t):
    r, s = t.random, schema(t)
    wild = r.choice([0, 0, 0.02, 0.1, 0.3])
    m = {"capstan": 1, **(blocks if r.random() < 0.5 else cables)(r, s, wild)}
    more(r, s, "run", m["run"], wild)
    m["run"].setdefault("max_steps", 3000)
    t.write("machine.yaml", json.dumps(m, indent=1))
    p = t.run(t.asan, "check", "machine.yaml", seconds=60)
    t.demand(p.returncode in (0, 2), f"check ends with status {p.returncode}")
    good = p.returncode == 0
    # stopped as people do after some seconds, which has to be answered soon
    p = t.run("timeout", "-s", "INT", "-k", "20", "8", t.asan, "run", "machine.yaml", "-o", "out", "-q", "--no-report", statuses=(0, 1, 2, 124), seconds=90)
    t.demand(p.returncode in (2, 124) or good, "check refuses what run accepts")  # 124: it had not yet looked
    t.demand(p.returncode != 2 or not good, "run refuses what check calls good: " + p.err.decode(errors="replace"))
    t.demand(p.returncode in (0, 124) or p.err.strip(), "it fails without a word")
    text = p.err + p.out
    t.demand(b"-nan" not in text and b" nan" not in text, "it speaks of nan: " + text.decode(errors="replace")[:400])


MACHINES = [Campaign("machines", "random machines from the schema; `check` and `run`, sanitizers", machine)]
