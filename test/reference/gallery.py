#!/usr/bin/env python3
"""Runs the machines of scenarios/gallery and puts what Capstan computes beside an independent truth.

usage: gallery.py TOOL [NAME...] [--docs DIR]

Each machine has a function below, named like its file. It gets the recorded columns as NumPy arrays, and yields rows
(what, computed, truth, tolerance, unit): the truth comes from a closed form or a balance, never from Capstan, and the tolerance is a
fraction of the truth (of 1 where that is 0). --docs writes DIR/gallery.md with a picture of each machine and its rows.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

G = 9.81
HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "..", "scenarios", "gallery")


class Run:
    """The columns of a run by name, its summary, and its fields along the cables."""

    def __init__(self, folder, summary):
        with open(os.path.join(folder, "series.csv"), encoding="utf-8") as f:
            names = [c.split(" [")[0] for c in f.readline().rstrip("\n").split(",")]
            data = np.loadtxt(f, delimiter=",", ndmin=2)
        self.columns = dict(zip(names, data.T))
        self.folder, self.summary = folder, summary
        self.t = self.columns["time"]

    def __getitem__(self, name):
        return self.columns[name]

    def at(self, name, t):
        return float(np.interp(t, self.t, self[name]))

    def mean(self, name, a, b):
        inside = (self.t >= a) & (self.t <= b)
        return float(np.mean(self[name][inside]))

    def shape(self, cable, frame=-1):
        """Places of the nodes of a cable in one recorded frame, as an array of points."""
        import h5py

        with h5py.File(os.path.join(self.folder, "result.h5"), "r") as f:
            return np.array(f["fields/cables/" + cable + "/position"][frame])


def period(t, y):
    """The period of an oscillation, from the first and the last time that it rises through its mean."""
    y = y - np.mean(y)
    up = [t[i] - y[i] * (t[i + 1] - t[i]) / (y[i + 1] - y[i]) for i in range(len(t) - 1) if y[i] < 0 <= y[i + 1]]
    return (up[-1] - up[0]) / (len(up) - 1)


# ---------------------------------------------------------------- machines


def drum_hoist(r):
    """Torque at rest: weight times radius. Work of the drive: what the load and the rope have gained, and what was lost on the way."""
    rope = 1.2
    lifted = r.at("bodies.load.y", 6) - r.at("bodies.load.y", 0)
    yield "load lifted", lifted, 4 * 0.3, 2e-3, "m"
    hanging = -r.at("bodies.load.y", 6)
    yield "torque that holds the load", abs(r.mean("drums.hoist.torque", 5.5, 6)), (1000 + rope * hanging) * G * 0.3, 5e-3, "N m"


def creep(r, driver, driven, a, b):
    """What the rim of a driven drum (name, radius) lags behind that of its driver, as a part."""
    way = [radius * (r.at("drums.%s.angle" % name, b) - r.at("drums.%s.angle" % name, a)) for name, radius in (driver, driven)]
    return 1 - way[1] / way[0]


def belt_drive(r):
    """Steady state: T1 - T2 = torque/radius; the driven rim lags by the creep (T1 - T2)/EA, over 1 + T1/EA as the belt is stretched; and where
    the belt leaves, it slips on the arc ln(T1/T2)/mu of either drum (centrifugal forces, 0.1 N, left out)."""
    a, b, ea, mu = 1.2, 2.0, 40e3, 0.4
    t1, t2 = r.mean("cables.belt.motor.t_in", a, b), r.mean("cables.belt.motor.t_out", a, b)
    yield "difference of the tensions", abs(t1 - t2), 20 / 0.2, 0.01, "N"
    yield "torque of the motor", r.mean("drums.motor.drive", a, b), 20 / 2, 0.01, "N m"
    yield "creep of the driven rim", creep(r, ("motor", 0.1), ("tail", 0.2), a, b), 100 / ea / (1 + t1 / ea), 0.02, "1"
    for name in ("motor", "tail"):
        yield "slip arc on the " + name, r.mean("cables.belt.%s.slip_arc" % name, a, b), math.log(t1 / t2) / mu, 0.06, "rad"


def compensated_elevator(r):
    """The ropes weigh the same on both sides wherever the car is, so the torque at rest is that of the masses, before and after. The pull of the
    compensation rope on the car: half of the tensioner and of the rope around its pulley, and the rope from there to the car."""
    torque = (1100 - 900) * G * 0.3
    yield "torque at rest, car above", abs(r.at("drums.traction.torque", 0)), torque, 0.015, "N m"
    yield "torque at rest, car below", abs(r.mean("drums.traction.torque", 5.5, 6)), torque, 0.015, "N m"
    height = r.at("bodies.car.y", 0) - (-9 + r.at("bodies.tensioner.x", 0))
    pull = (200 + math.pi * 0.7) * G / 2 + G * height
    yield "pull of the compensation rope", -r.at("cables.compensation.fy_start", 0), pull, 2e-3, "N"
    yield "pull of the suspension rope", r.at("cables.suspension.tension_start", 0), 900 * G + pull, 1e-3, "N"


def two_fall_tackle(r):
    """The hook rises half as far as the rope is hauled; the tension is half of the weight."""
    yield "rise of the hook", r.at("bodies.block.y", 5) - r.at("bodies.block.y", 0), 1.0, 5e-3, "m"
    yield "pull on the rope at rest", r.mean("cables.rope.tension_end", 4.5, 5), 200 * G / 2, 0.02, "N"


def trolley_crane(r):
    """The rail carries trolley, load and rope: friction mu times all of it."""
    weight = (300 + 1000 + 0.8 * (5 + 0.2 * math.pi)) * G
    slides = r["bodies.trolley.v"] > 0.05
    yield "mean friction on the rail", float(np.mean(r["contacts.rail.f"][slides])), -0.02 * weight, 0.02, "N"


def catenary(r):
    """Irvine's extensible catenary: end forces from two equations, solved here by Newton's method."""
    length, rho, ea, span, rise = 22.0, 2.0, 20e3, 20.0, 4.0
    w = rho * G * length

    def ends(h, v):
        a, b = v / h, (v - w) / h
        x = h * length / ea + h * length / w * (math.asinh(a) - math.asinh(b))
        y = v * length / ea - w * length / (2 * ea) + h * length / w * (math.hypot(1, a) - math.hypot(1, b))
        return np.array([x - span, y - rise])

    p = np.array([w, w * 0.7])
    for _ in range(100):
        f = ends(*p)
        j = np.array([(ends(*(p + d)) - ends(*(p - d))) / 2e-4 for d in np.eye(2) * 1e-4]).T
        p = p - np.linalg.solve(j, f)
    top, low = math.hypot(*p), math.hypot(p[0], p[1] - w)
    yield "tension at the upper end", r.at("cables.line.tension_end", 0.1), top, 5e-3, "N"
    yield "tension at the lower end", r.at("cables.line.tension_start", 0.1), low, 5e-3, "N"


def elastica(r):
    """Bisshopp and Drucker: the angle of the tip solves K(k) - F(k, phi) = sqrt(P L2/EI) (here by shooting)."""
    def tip(m0):
        n, s, theta, kappa, x, y = 20000, 1 / 20000, 0.0, m0, 0.0, 0.0
        for _ in range(n):  # midpoint rule on theta'' = -2 cos(theta)
            tm, km = theta + s / 2 * kappa, kappa - s / 2 * 2 * math.cos(theta)
            theta, kappa = theta + s * km, kappa - s * 2 * math.cos(tm)
            x, y = x + s * math.cos(tm), y + s * math.sin(tm)
        return kappa, x, y

    low, high = 0.5, 2.5
    for _ in range(40):
        mid = (low + high) / 2
        low, high = (mid, high) if tip(mid)[0] < 0 else (low, mid)
    _, x, y = tip(low)
    end = r.shape("rod")[-1]
    yield "deflection of the tip", float(-end[1]), y, 2e-3, "m"
    yield "shortening", float(1 - end[0]), 1 - x, 5e-3, "m"


def plucked_string(r):
    """A string of length L under tension T swings with the period 2 L/c, c = sqrt(T/rho), whatever its first shape."""
    tension = 100e3 * (1 / 0.999 - 1)
    after = r.t > 0.001
    yield "period", period(r.t[after], r["bodies.pick.y"][after]), 2 * 2 / math.sqrt(tension / 0.01), 5e-3, "s"


def bollard(r):
    """Held: the rope carries 981 N against 50 N, less than e^(mu phi). The slip arc is ln(ratio)/mu."""
    hold, pull = 5.0986 * G + 0.02 * G, 100 * G + 0.02 * G
    yield "drop of the load in 2 s", r.at("bodies.pull.y", 0) - r.at("bodies.pull.y", 2), 0, 1e-9, "m"
    yield "torque on the bollard", abs(r.at("drums.bollard.torque", 2)), (pull - hold) * 0.15, 5e-3, "N m"


def brake_band(r):
    """The drum drags the band against its weight: the held end has e^(-mu phi) of its tension."""
    t2 = 20 * G
    t1 = t2 * math.exp(-0.3 * math.pi)
    yield "tension at the pinned end", r.mean("cables.band.tension_start", 1, 2), t1, 0.02, "N"
    yield "braking torque", abs(r.mean("drums.brake.torque", 1, 2)), (t2 - t1) * 0.3, 0.02, "N m"


def mine_hoist(r):
    """Static stretch W L/EA + rho g L2/(2 EA); first period of a heavy rod with a mass at its end, cot-type frequency equation."""
    length, ea, rho, m = 1000.0, 80e6, 8.0, 10e3
    yield "stretch at rest", -r.at("bodies.skip.y", 0) - length, (m * G + rho * G * length / 2) * length / ea, 2e-3, "m"
    low, high = 1e-6, math.pi / 2 - 1e-6
    for _ in range(80):  # beta tan(beta) = rho L/m
        mid = (low + high) / 2
        low, high = (mid, high) if mid * math.tan(mid) < rho * length / m else (low, mid)
    omega = low / length * math.sqrt(ea / rho)
    after = r.t > 9.2
    yield "period behind the start", period(r.t[after], r["bodies.skip.y"][after]), 2 * math.pi / omega, 0.02, "s"


def snap_load(r):
    """A mass on a light spring with the rope's damping d/L beside it: m x'' + d/L x' + k x = m g from x = 0 with the speed of the fall, integrated
    to its turning point. The rope's own waves, sqrt(EA rho) v = 443 N, come and go within 2 ms on top of the largest tension."""
    k, d, m, speed = 200e3 / 2, 20.0 / 2, 50.0, math.sqrt(2 * G)
    rate, omega = d / (2 * m), math.sqrt(k / m - (d / (2 * m)) ** 2)
    t = np.linspace(0, 0.1, 100001)
    rest = m * G / k
    x = rest + np.exp(-rate * t) * (-rest * np.cos(omega * t) + (speed - rate * rest) / omega * np.sin(omega * t))
    yield "largest stretch", -float(np.min(r["bodies.load.y"])) - 2, float(np.max(x)), 0.01, "m"
    yield "largest tension", float(np.max(r["cables.rope.tension_max"])), k * float(np.max(x)), 0.02, "N"


def atwood_rope(r):
    """x = x0 cosh(w t) with w2 = 2 g rho/(rho L + I/R2): half of the difference of the two hanging parts."""
    rho, radius = 1.0, 0.1
    length = 2 + 2.2 + math.pi * radius
    w = math.sqrt(2 * G * rho / (rho * length + 0.002 / radius**2))
    turned = -radius * (r.at("drums.pulley.angle", 0.8) - r.at("drums.pulley.angle", 0))
    yield "rope that has run over in 0.8 s", turned, 0.1 * (math.cosh(w * 0.8) - 1), 0.02, "m"


def heaving_ship(r):
    """The tension at the load follows m (g + a), with the resonance of rope and load far above the heave."""
    omega, m = 2 * math.pi * 0.1, 2000.0
    late = r.t > 10
    swing = float(np.ptp(r["cables.rope.tension_end"][late])) / 2
    k = 30e6 / 20
    yield "amplitude of the tension", swing, m * omega**2 / (1 - omega**2 * m / k), 0.02, "N"


def four_fall_tackle(r):
    """Each sheave turns against mu r_b (T_in + T_out): tensions grow by k = (1 + c)/(1 - c) from fall to fall, c = mu r_b/R."""
    c = 0.1 * 15 / 120
    k = (1 + c) / (1 - c)
    yield "rise of the block", r.at("bodies.block.x", 4), 0.4, 0.03, "m"
    first = 400 * G / (1 + k + k**2 + k**3)
    yield "pull while it is hauled", r.mean("cables.rope.tension_end", 1.5, 2.5), first * k**4, 0.02, "N"


def elevator(r):
    """The weights and the rope that hangs on either side: R g (m_cw - m_car + rho (y_car - y_cw))."""
    y_car, y_cw = r.at("bodies.car.y", 6), r.at("bodies.counterweight.y", 6)
    yield "torque at rest", abs(r.mean("drums.traction.torque", 5.5, 6)), (200 + y_car - y_cw) * G * 0.3, 0.01, "N m"
    yield "travel of the car", abs(y_car - r.at("bodies.car.y", 0)), 4 * 0.3, 5e-3, "m"


def serpentine_belt(r):
    """Power passes the belt: the crank's torque is the alternator's times the ratio of radii. The alternator lags by the creep (T1 - T2)/EA,
    over 1 + T1/EA; the idler, on the slack side, takes nothing, and lags as much."""
    a, b, ea = 0.4, 0.8, 60e3
    t1 = r.mean("cables.belt.crank.t_in", a, b)
    lag = 2 / 0.04 / ea / (1 + t1 / ea)
    yield "torque of the crank", abs(r.mean("drums.crank.torque", a, b)), 2 * 80 / 40, 0.01, "N m"
    yield "difference of the tensions", t1 - r.mean("cables.belt.crank.t_out", a, b), 2 / 0.04, 0.01, "N"
    yield "change of tension over the idler", r.mean("cables.belt.idler.t_out", a, b) - r.mean("cables.belt.idler.t_in", a, b), 0, 0.5, "N"
    yield "creep of the alternator", creep(r, ("crank", 0.08), ("alternator", 0.04), a, b), lag, 0.08, "1"
    yield "creep of the idler", creep(r, ("crank", 0.08), ("idler", 0.05), a, b), lag, 0.08, "1"


def mooring_capstan(r):
    """The drum carries the difference of the pulls, and the line moves with its rim while e^(mu phi) holds."""
    yield "torque", abs(r.at("drums.capstan.torque", 3)), (3000 - 200) * 0.2, 2e-3, "N m"


def sliding_chain(r):
    """A slope of 30 degrees with friction: s = (sin - mu cos) g t2/2."""
    slope = math.radians(30)
    s = (math.sin(slope) - 0.3 * math.cos(slope)) * G / 2
    yield "way of the first link", r.at("bodies.link1.x", 1), s, 1e-3, "m"
    yield "way of the last link", r.at("bodies.link10.x", 1), s, 1e-3, "m"


def released_end(r):
    """Gross slip: the tensions stand in the ratio e^(mu pi), so a = g (M - m e)/(M + m e) but for the rope's own mass."""
    e = math.exp(0.1 * math.pi)
    yield "velocity after 0.6 s", -r.at("bodies.heavy.vy", 0.7), G * (20 - 10 * e) / (20 + 10 * e) * 0.6, 0.01, "m/s"


def counterweighted_door(r):
    """Newton: (M - m) g - mu N = (M + m + I/R2 + rope) a."""
    a = (10 * G - 0.3 * 100) / (130 + 0.02 / 0.1**2 + 0.05 * 3.3)
    yield "way of the door in 0.9 s", r.at("bodies.door.x", 1), a * 0.9**2 / 2, 0.02, "m"


def rope_carriage(r):
    """The carriage goes as far as the winch winds; the rail takes mu m g of it."""
    yield "way of the carriage", r.at("bodies.carriage.x", 3), 1.0, 5e-3, "m"
    moving = r["bodies.carriage.v"] > 0.05
    yield "friction on the rail", -float(np.mean(r["contacts.rail.f"][moving])), 0.05 * 50 * G, 0.05, "N"


def zip_line(r):
    """Two halves of an extensible catenary that carry half of the rider each; solved here for the horizontal pull."""
    length, rho, ea, span = 20.15 / 2, 0.3, 3e6, 10.0
    v, w = 80 * G / 2, rho * G * 20.15 / 2

    def half(h):
        a, b = (v + w) / h, v / h
        x = h * length / ea + h * length / w * (math.asinh(a) - math.asinh(b))
        y = (v + w / 2) * length / ea + h * length / w * (math.hypot(1, a) - math.hypot(1, b))
        return x, y

    low, high = 100.0, 1e5
    for _ in range(100):
        mid = math.sqrt(low * high)
        low, high = (mid, high) if half(mid)[0] < span else (low, mid)
    yield "sag under the rider", 0.05 - r.at("bodies.rider.y", 2), half(low)[1], 0.01, "m"
    yield "tension at the mast", r.at("cables.line.tension_start", 2), math.hypot(low, v + w), 0.01, "N"


def cable_barrier(r):
    """Energy: m v2/2 goes into stretching two straight halves, from 3 m each under 1 kN."""
    ea, t0 = 500e3, 1000.0
    slack = 6 / (1 + t0 / ea)

    def stored(d):
        strain = 2 * math.hypot(3, d) / slack - 1
        return ea * slack * strain**2 / 2

    low, high = 0.0, 3.0
    for _ in range(80):
        mid = (low + high) / 2
        low, high = (mid, high) if stored(mid) - stored(0) < 0.5 * 200 * 9 else (low, mid)
    yield "depth of the cable", float(np.max(r["bodies.cart.x"])) - 0.02, low, 0.02, "m"


def compensated_heave(r):
    """The winch pays out what the ship rises: the load's swing is none of the metre that the ship heaves."""
    late = r.t > 12
    yield "swing of the load", float(np.ptp(r["bodies.load.y"][late])), 0, 0.01, "m of 2 m"


def festoon(r):
    """An inextensible catenary of 3 m over 2.3 m pulls its ends with H = rho g a, 2 a sinh(span/(2 a)) = length."""
    span, length = 2.3 - r.at("bodies.parked.x", 8), 3.0
    low, high = 0.1, 100.0
    for _ in range(100):
        mid = (low + high) / 2
        low, high = (low, mid) if 2 * mid * math.sinh(span / (2 * mid)) < length else (mid, high)
    yield "pull on the parked trolley", abs(r.at("contacts.rail.f", 8)), 1.5 * G * low, 0.01, "N"


MACHINES = {name.replace("_", "-"): f for name, f in list(globals().items()) if callable(f) and os.path.exists(os.path.join(FILES, name.replace("_", "-") + ".yaml"))}

# ---------------------------------------------------------------- pictures


def picture(r):
    """An SVG of a machine, plane or seen along z: as it starts in grey, as it ends in colour."""
    import h5py

    shapes, drums, bodies = [], [], []
    with h5py.File(os.path.join(r.folder, "result.h5"), "r") as f:
        for cable in f["fields/cables"].values() if "cables" in f["fields"] else []:
            frames = np.array(cable["position"])[:, :, :2]
            shapes.append((frames[0], frames[-1]))
        g = f["geometry"]
        for name, kind, at, way, radius in zip(*(g[k][()] if k in g else [] for k in ("name", "kind", "at", "direction", "radius"))):
            name, kind = name.decode(), kind.decode()
            here = []
            for i in (0, -1):
                if kind == "drum":
                    p = [r.columns.get(f"drums.{name}.{c}", [at[k]] * 2)[i] for k, c in enumerate("xy")]
                    here.append((*p, r[f"drums.{name}.angle"][i]))
                elif kind == "line":
                    here.append(tuple(at[:2] + r[f"bodies.{name}.x"][i] * way[:2]))
                elif kind == "plane":
                    here.append((r[f"bodies.{name}.x"][i], r[f"bodies.{name}.y"][i]))
            if kind == "drum":
                drums.append((radius, here))
            elif here:
                bodies.append(here)
    points = [p for pair in shapes for s in pair for p in s] + [p for b in bodies for p in b]
    points += [(p[0] + dx * rad, p[1] + dx * rad) for rad, here in drums for p in here for dx in (-1, 1)]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    size = max(high - low) * 1.16 + 1e-9
    middle = (low + high) / 2
    width, height = (320, 320)
    scale = 320 / size
    def to(p):
        return f"{width / 2 + (p[0] - middle[0]) * scale:.1f},{height / 2 - (p[1] - middle[1]) * scale:.1f}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
           '<rect width="100%" height="100%" fill="#fbfbf8"/>']
    for i, (rope, fill, line) in enumerate((("#bbb", "none", "#bbb"), ("#b3541e", "#e8eef4", "#33536f"))):
        for rad, here in drums:
            x, y, angle = here[-i]
            c = to((x, y)).split(",")
            rim = to((x + rad * math.cos(angle), y + rad * math.sin(angle)))
            out.append(f'<circle cx="{c[0]}" cy="{c[1]}" r="{rad * scale:.1f}" fill="{fill}" stroke="{line}" stroke-width="1.5"/>')
            out.append(f'<path d="M{c[0]},{c[1]} L{rim}" stroke="{line}" stroke-width="1.5"/>')
        for pair in shapes:
            out.append(f'<polyline points="{" ".join(to(p) for p in pair[i])}" fill="none" stroke="{rope}" stroke-width="2" stroke-linejoin="round"/>')
        for b in bodies:
            x, y = (float(c) for c in to(b[-i]).split(","))
            out.append(f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12" rx="2" fill="{line}"/>')
    return "\n".join(out + ["</svg>", ""])


HEAD = """# Gallery

Machines that people build, each beside an independent truth: a closed form, or a balance that holds whatever the rope does. Every file is in
[scenarios/gallery](../scenarios/gallery): copy one and change it. `test/reference/gallery.py` has the formulas, runs the machines, and
writes this page; the tests run it, and a number that leaves its tolerance fails them. Pictures show the start in grey and the end in colour.

"""


def page(folder, machines):
    os.makedirs(os.path.join(folder, "gallery"), exist_ok=True)
    with open(os.path.join(folder, "gallery.md"), "w", encoding="utf-8") as f:
        f.write(HEAD)
        for name, result, rows in machines:
            with open(os.path.join(folder, "gallery", name + ".svg"), "w", encoding="utf-8") as svg:
                svg.write(picture(result))
            doc = " ".join(MACHINES[name].__doc__.split())
            f.write(f"## {result.summary['title']}\n\n![{result.summary['title']}](gallery/{name}.svg)\n\n{doc}\n")
            f.write(f"File: [{name}.yaml](../scenarios/gallery/{name}.yaml)\n\n| | Capstan | truth | off | allowed |\n|---|---:|---:|---:|---:|\n")
            for what, computed, truth, tolerance, unit in rows:
                unit = "" if unit == "1" else " " + unit
                f.write(f"| {what} | {computed:.4g}{unit} | {truth:.4g}{unit} | {100 * deviation(computed, truth):.2g} % | {100 * tolerance:g} % |\n")
            f.write("\n")


# ---------------------------------------------------------------- running


def run(tool, name, folder):
    path = os.path.join(FILES, name + ".yaml")
    done = subprocess.run([tool, "run", path, "-o", folder, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"capstan run gave {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    return Run(folder, json.loads(done.stdout))


# Newton iterations per step and rejected part of the steps, at most; and of machines that need more iterations, what they may need until that
# is mended, or that once needed more, what they need no longer.
ITERATIONS, REJECTED = 3, 0.05
SOME_ITERATIONS = {"atwood-rope": 4.3, "snap-load": 3.7, "rope-carriage": 3.25, "four-fall-tackle": 3.15, "serpentine-belt": 2.85}


def costs(name, summary):
    """What is wrong with the effort of a run."""
    n = summary["counters"]
    per_step, part = n["newton"] / n["steps"], n["rejected"] / (n["steps"] + n["rejected"])
    if per_step > SOME_ITERATIONS.get(name, ITERATIONS):
        yield f"{per_step:.2f} iterations per step, {SOME_ITERATIONS.get(name, ITERATIONS):g} allowed"
    if part > REJECTED:
        yield f"{100 * part:.1f} % of the steps rejected, {100 * REJECTED:g} % allowed"


def deviation(computed, truth):
    return abs(computed / truth - 1) if truth != 0 else abs(computed)


def main():
    args = sys.argv[1:]
    docs = args.pop(args.index("--docs") + 1) if "--docs" in args else None
    tool, names = args[0], [a for a in args[1:] if a != "--docs"]
    bad = rows = 0
    done = []
    with tempfile.TemporaryDirectory() as temp:
        for name in names or sorted(MACHINES):
            try:
                result = run(tool, name, os.path.join(temp, name))
                found = list(MACHINES[name](result))
            except Exception as e:  # a machine that fails is a row that fails
                print(f"FAILED {name}: {type(e).__name__}: {e}")
                bad, rows = bad + 1, rows + 1
                continue
            count = result.summary.get("counters", {})
            print(f"{name}: {count.get('steps')} steps, {count.get('rejected')} rejected, {count.get('newton')} Newton iterations")
            for what, computed, truth, tolerance, unit in found:
                off = deviation(computed, truth)
                ok = off <= tolerance
                rows, bad = rows + 1, bad + (not ok)
                print(f"  {'ok    ' if ok else 'FAILED'} {what}: {computed:.6g}, should be {truth:.6g} {unit} ({100 * off:.3g} % off, {100 * tolerance:g} % allowed)")
            for what in costs(name, result.summary):
                rows, bad = rows + 1, bad + 1
                print(f"  FAILED {what}")
            done.append((name, result, found))
        if docs:
            page(docs, done)
    print(f"{rows - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
