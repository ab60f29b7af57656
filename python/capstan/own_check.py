"""What is not true of a law: the properties that the C tests (test/property_*.c, test/unit_contact.c) measure of built-in laws, over arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ScenarioError

if TYPE_CHECKING:
    from .models import Law, Normal

Params = dict[str, float]
Points = dict[str, np.ndarray]

_SETS = 6  # of parameters: first the law's own, then random ones
_ROUND_OFF = 1e-12
_SLOPE = 1e-4  # agreement of derivatives with differences, over what they are compared with
_JUMP = 1e-6  # of the range along a segment: what a continuous quantity must not jump by
_SMEARED = 1e-3  # the same of derivatives that are differences, over four of their steps
_INPUTS = ("v", "n", "f_eq")
_HALF = 0.5  # of what a law holds: the load that it creeps or sticks under


class _Faults(list[str]):
    """Each fault once, with the place where it is worst."""

    def note(self, wrong: np.ndarray, sentence: str, at: Points, params: Params) -> None:
        """Where `wrong` is positive something is wrong, most of all where it is largest."""
        wrong = np.where(np.isfinite(wrong), wrong, np.inf)
        if not wrong.size or not np.max(wrong) > 0:
            return
        k = int(np.argmax(wrong))
        place = ", ".join(f"{name} = " + " ".join(f"{value:.6g}" for value in np.atleast_1d(a[k])) for name, a in at.items() if a.size)
        numbers = ", ".join(f"{name} = {value:.6g}" for name, value in params.items())
        if not any(fault.startswith(sentence) for fault in self):
            self.append(f"{sentence}, at {place}" + (f" ({numbers})" if numbers else ""))


def _parameter_sets(law: Law | Normal, rng: np.random.Generator) -> Iterator[Params]:
    """Its own parameters, then random ones within half a decade of them and within their ranges."""
    own = {p["name"]: p["value"] for p in law.params}
    yield own
    for _ in range(_SETS - 1 if own else 0):
        drawn = {p["name"]: float(np.clip(p["value"] * 10 ** rng.uniform(-0.5, 0.5), p["min"], p["max"])) for p in law.params}
        try:
            law(1e-3, **drawn)
        except (ScenarioError, ValueError):
            continue  # they do not fit each other
        yield drawn


def difference_step(x: Any) -> Any:
    """By how much an input or a parameter is moved where a law gives no derivatives."""
    size = np.abs(x)
    return 1e-6 * np.where(size > 0, size, 1e-3)


def _usable(x: float) -> float:
    return x if 0 < x < 1e30 else 1.0


def _signs(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(rng.choice([-1.0, 1.0], n))


def _log(rng: np.random.Generator, low: float, high: float, n: Any) -> np.ndarray:
    return np.asarray(np.exp(rng.uniform(np.log(low), np.log(high), n)))


def _agree(claimed: np.ndarray, here: np.ndarray, above: list[np.ndarray], below: list[np.ndarray], steps: list[np.ndarray], floor: np.ndarray) -> np.ndarray:
    """By how much a derivative differs from the nearest of all differences, central ones and those of each side, beyond what is allowed."""
    best = np.full(claimed.shape, np.inf)
    for y, x, h in zip(above, below, steps):
        for slope in ((y - x) / (2 * h), (y - here) / h, (here - x) / h):
            best = np.fmin(best, np.abs(slope - claimed) - _SLOPE * (np.abs(slope) + np.abs(claimed)) - floor)
    return best


# ---------------------------------------------------------------- friction


class _Friction:
    """Points of one law with one set of parameters, and what it says there."""

    def __init__(self, law: Law, params: Params, rng: np.random.Generator):
        self.law, self.params, self.rng = law, params, rng
        self.parity = np.array([z["parity"] for z in law.states], dtype=np.float64)
        unit = law.scale(1.0, **params)
        self.stick, self.band = unit["f_stick"], unit["v_band"]
        self.velocity = _usable(unit["v_scale"])
        self.bounds = np.array([_usable(b) for b in unit["z"]])

    def draw(self, n: int) -> Points:
        rng, k = self.rng, len(self.bounds)
        load = _log(rng, 1e-2, 1e3, n)
        z = self.bounds * rng.uniform(0, 1.2, (n, k)) * np.where(self.parity < 0, rng.choice([-1.0, 1.0], (n, k)), 1.0)
        stick = np.array([_usable(x) for x in self.scales(load, "f_stick")])
        return {"v": _signs(rng, n) * self.velocity * _log(rng, 1e-3, 1e2, n), "n": load, "f_eq": stick * rng.uniform(-1.5, 1.5, n), "z": z}

    def scales(self, load: np.ndarray, what: str) -> np.ndarray:
        return np.array([self.law.scale(x, **self.params)[what] for x in load])

    def at(self, x: Points, jacobian: bool = False, **params: float) -> dict[str, np.ndarray]:
        return self.law.evaluate(x["v"], x["n"], x["f_eq"], x["z"] if len(self.bounds) else None, jacobian=jacobian, **{**self.params, **params})

    def outputs(self, x: Points, **params: float) -> np.ndarray:
        """[points, 1 + states]: the force, and the rates."""
        y = self.at(x, False, **params)
        return np.column_stack([y["f"], *([y["z_t"]] if len(self.bounds) else [])])

    def slopes(self, x: Points) -> np.ndarray:
        """[points, 1 + states, 3 + states + params]"""
        y = self.at(x, jacobian=True)
        rows = [np.column_stack([y["f_v"], y["f_n"], y["f_f_eq"], y["f_z"], y["f_p"]])]
        for i in range(len(self.bounds)):
            rows.append(np.column_stack([y["z_t_v"][:, i], y["z_t_n"][:, i], y["z_t_f_eq"][:, i], y["z_t_z"][:, i], y["z_t_p"][:, i]]))
        return np.stack(rows, axis=1)

    def sizes(self, n: np.ndarray) -> np.ndarray:
        """[points, 1 + states]: how large outputs are of themselves."""
        return np.column_stack([np.maximum(_usable(self.stick) * n, 1e-300), *(np.full(len(n), self.velocity * b) for b in self.bounds)])


def _signs_and_size(f: _Friction, faults: _Faults, points: int) -> None:
    law, x = f.law, f.draw(points)
    x["v"][::10] = 0
    x["v"][1::7] *= 1e6
    y, size = f.outputs(x), f.sizes(x["n"])
    faults.note(np.where(np.isfinite(y), -1.0, 1.0).max(axis=1), "the force or a rate is not finite", x, f.params)
    mirrored = f.outputs({"v": -x["v"], "n": x["n"], "f_eq": -x["f_eq"], "z": x["z"] * f.parity})
    odd = np.concatenate([[-1.0], f.parity])
    room = 1e3 * _ROUND_OFF * (np.abs(y) + np.abs(mirrored)) + 1e-3 * _ROUND_OFF * size
    faults.note((np.abs(y - odd * mirrored) - room)[:, 0], "it is not odd: the force mirrored is not minus the force", x, f.params)
    faults.note((np.abs(y - odd * mirrored) - room)[:, 1:].max(axis=1, initial=-1.0), "it is not odd: a rate mirrored is not what the parity of its state says", x, f.params)
    rest = {"v": 0 * x["v"], "n": x["n"], "f_eq": 0 * x["f_eq"], "z": np.where(f.parity < 0, 0.0, x["z"])}
    faults.note(np.abs(f.at(rest)["f"]), "there is a force at rest without any load along it", rest, f.params)
    within = {**x, "z": np.clip(x["z"], -f.bounds, f.bounds)}
    force = np.abs(f.at(within)["f"])
    peak, stick = f.scales(x["n"], "f_peak"), f.scales(x["n"], "f_stick")
    with np.errstate(invalid="ignore"):
        faults.note(np.where(np.isinf(peak), -1.0, force - peak * (1 + 1e-9)), "the force is above the peak that was told", within, f.params)
    faults.note(np.where(np.isinf(peak), -1.0, stick - peak * (1 + _ROUND_OFF)), "it is said to hold more than its peak", {"n": x["n"]}, f.params)
    if "unbounded" not in law.traits:
        faults.note(np.where(np.isinf(peak), 1.0, -1.0), "it has no peak, without being unbounded", {"n": x["n"]}, f.params)
    if "load_free" not in law.traits:
        free = {**x, "n": 0 * x["n"]}
        faults.note(np.abs(f.at(free)["f"]), "there is a force without load", free, f.params)
    if "dissipates" in law.traits and not law.states:
        faults.note(np.where(np.abs(x["v"]) > f.band * 1.000001, y[:, 0] * x["v"], -1.0), "it gives energy: the force is along the velocity", x, f.params)


def _rest(f: _Friction, faults: _Faults, points: int) -> None:
    """Under half of what it holds, at rest: whether the force is the balance force."""
    if f.law.states or not f.stick > 0:
        return
    x = f.draw(points)
    x["v"] = 0 * x["v"]
    x["f_eq"] = _signs(f.rng, points) * _HALF * f.scales(x["n"], "f_stick")
    apart = np.abs(f.at(x)["f"] - x["f_eq"]) / np.abs(x["f_eq"])
    if "sticks" in f.law.traits:
        faults.note(apart - 1e-9, "it is said to stick, but does not hold half of what it is said to hold", x, f.params)
    if "creeps" in f.law.traits:
        faults.note(1e-9 - apart, "it is said to creep, but holds half of what it holds at rest", x, f.params)


def _derivatives(f: _Friction, faults: _Faults, points: int) -> None:
    law, x = f.law, f.draw(points)
    here, claimed, size = f.outputs(x), f.slopes(x), f.sizes(x["n"])
    stick = np.maximum(f.stick * x["n"], 1e-300)
    natural = [np.maximum(np.abs(x["v"]), 1e-3 * f.velocity), x["n"], np.maximum(np.abs(x["f_eq"]), 1e-3 * stick)]
    natural += [np.maximum(np.abs(x["z"][:, i]), 1e-3 * b) for i, b in enumerate(f.bounds)]
    names = ["v", "n", "f_eq", *(z["name"] for z in law.states), *f.params]
    outputs = ["f", *(f"d{z['name']}/dt" for z in law.states)]
    for k, name in enumerate(names):
        above: list[np.ndarray] = []
        below: list[np.ndarray] = []
        steps: list[np.ndarray] = []
        for part in (1e-4, 1e-5, 1e-6, 1e-7):
            if k < len(natural):
                h = part * natural[k]
                for side, into in ((1, above), (-1, below)):
                    there = {key: a.copy() for key, a in x.items()}
                    if k < 3:
                        there[name] += side * h
                    else:
                        there["z"][:, k - 3] += side * h
                    into.append(f.outputs(there))
            else:
                about = law.params[k - len(natural)]
                value = f.params[name]
                room = part * (abs(value) or 1e-3)
                if not about["min"] <= value - room or not value + room <= about["max"]:
                    continue
                h = np.full(points, room)
                above.append(f.outputs(x, **{name: value + room}))
                below.append(f.outputs(x, **{name: value - room}))
            steps.append(h[:, None])
        if not steps:
            continue
        span = natural[k] if k < len(natural) else np.full(points, abs(f.params[name]) or 1e-3)
        floor = 1e-6 * np.maximum(size, np.abs(here)) / span[:, None]
        wrong = _agree(claimed[:, :, k], here, above, below, steps, floor)
        for i, output in enumerate(outputs):
            j = int(np.argmax(wrong[:, i]))
            if wrong[j, i] > 0:
                slope = (above[-2][j, i] - below[-2][j, i]) / (2 * steps[-2][j, 0]) if len(steps) > 1 else np.nan
                faults.note(wrong[:, i], f"d({output})/d({name}) is {claimed[j, i, k]:.6g}, and {slope:.6g} by differences", x, f.params)


def _jumps(f: _Friction, faults: _Faults, segments: int) -> None:
    """Along segments that end at kinks more often than not: each quantity's steepest interval is halved until nothing is left to halve."""
    traits = f.law.traits

    def slopes(x: Points) -> np.ndarray:
        return f.slopes(x)[:, :, : 3 + len(f.bounds)].reshape(len(x["v"]), -1)

    follow: list[tuple[Callable[[Points], np.ndarray], str, str]] = [(f.outputs, "continuous", "the force or a rate jumps")]
    if "log_singular" not in traits:
        follow.append((slopes, "smooth", "a derivative jumps"))
    for quantity, trait, sentence in follow:
        if trait not in traits:
            continue
        ends = [f.draw(segments), f.draw(segments)]
        side = _signs(f.rng, segments)
        for end in ends:  # no segment crosses v = 0, but many end there
            end["v"] = side * np.abs(end["v"]) / 3
        ends[0]["v"][::3] = 0
        ends[0]["f_eq"][1::6] = 0
        for key in ("n", "f_eq", "z"):
            same = f.rng.random(segments) < 0.4
            ends[1][key][same] = ends[0][key][same]

        def between(t: np.ndarray) -> Points:
            return {key: a + (t if a.ndim == 1 else t[:, None]) * (ends[1][key] - a) for key, a in ends[0].items()}

        samples = np.linspace(0, 1, 49)
        y = np.stack([quantity(between(np.full(segments, t))) for t in samples])
        span = y.max(axis=0) - y.min(axis=0) + 1e-6 * np.abs(y).max(axis=0) + 1e-300
        if trait == "smooth":  # entries that are round-off of what cancels
            span = np.maximum(span, 1e-6 * np.abs(y).max(axis=(0, 2))[:, None])
        else:
            span = np.maximum(span, 1e-9 * f.sizes(np.maximum(ends[0]["n"], ends[1]["n"])))
        steepest = np.argmax(np.abs(np.diff(y, axis=0)), axis=0)
        differences = trait == "smooth" and getattr(f.law, "by_differences", False)
        for e in range(y.shape[2]):
            k, rows = steepest[:, e], np.arange(segments)
            t0, t1, y0, y1 = samples[k], samples[k + 1], y[k, rows, e], y[k + 1, rows, e]
            smeared = np.zeros(segments, dtype=bool)
            for _ in range(120):  # to a distance of 1e-36 of the segment
                t = t0 + (t1 - t0) / 2
                if differences:  # where the law has a kink they change over their step: no nearer than that
                    middle_point = between(t)
                    near = [(t1 - t0) * np.abs(ends[1][key] - ends[0][key]) < 4 * difference_step(middle_point[key]) for key in _INPUTS]
                    smeared = np.all(near, axis=0) & (ends[0][_INPUTS[e]] != ends[1][_INPUTS[e]])
                follow_on = (np.abs(y1 - y0) > _JUMP * span[:, e]) & (t > t0) & (t < t1) & ~smeared
                if not np.any(follow_on):
                    break
                middle = quantity(between(t))[:, e]
                left = np.abs(middle - y0) > np.abs(y1 - middle)
                t1, y1 = np.where(follow_on & left, t, t1), np.where(follow_on & left, middle, y1)
                t0, y0 = np.where(follow_on & ~left, t, t0), np.where(follow_on & ~left, middle, y0)
            limit = np.where(smeared, _SMEARED, _JUMP) * span[:, e]
            if differences:  # and have its round-off
                x0, x1 = between(t0), between(t1)
                size = np.maximum(np.abs(f.outputs(x0)[:, 0]), np.abs(f.outputs(x1)[:, 0]))
                limit += 50 * np.finfo(float).eps * size / np.minimum(*(difference_step(x[_INPUTS[e]]) for x in (x0, x1)))
            faults.note(np.abs(y1 - y0) - limit, f"it is said to be {trait}, but {sentence}", between(t0), f.params)


def _needs(f: _Friction, faults: _Faults, seen: dict[str, bool], points: int) -> None:
    """Which inputs, states and parameters change anything."""
    x = f.draw(points)
    x["v"][::3] = 0
    y = f.outputs(x)
    factor = f.rng.uniform(-3, 3, points)
    for name in ("f_eq", *(z["name"] for z in f.law.states)):
        there = {key: a.copy() for key, a in x.items()}
        if name == "f_eq":
            there["f_eq"] *= factor
        else:
            there["z"][:, [z["name"] for z in f.law.states].index(name)] *= factor
        seen[name] = seen.get(name, False) or bool(np.any(f.outputs(there) != y))
    for about in f.law.params:
        other = float(np.clip((f.params[about["name"]] or 1e-3) * 1.5, about["min"], about["max"]))
        try:
            moved = f.outputs(x, **{about["name"]: other})
        except (ScenarioError, ValueError):
            continue
        seen[about["name"]] = seen.get(about["name"], False) or bool(np.any(moved != y))


def _cycles(f: _Friction, faults: _Faults, cycles: int) -> None:
    """Laws with states: the work over imposed cycles, once the states repeat; by the trapezoidal rule."""
    rng, k = f.rng, len(f.bounds)
    travel = min([b for b, z in zip(f.bounds, f.law.states) if z["unit"] == "m"], default=f.velocity)
    n = _log(rng, 1e-1, 1e2, cycles)
    speed, reach = f.velocity * _log(rng, 0.03, 3, cycles), travel * _log(rng, 0.3, 10, cycles)
    omega, second, phase = speed / reach, rng.uniform(-1, 1, cycles) * rng.integers(0, 2, cycles), rng.uniform(0, 6.28, cycles)
    unit = _usable(f.stick) * n * reach
    place = {"speed": speed, "amplitude": reach, "n": n}

    def velocity(angle: float) -> np.ndarray:
        return np.asarray(speed * (np.cos(angle) + second * np.cos(2 * angle + phase)))

    def work_of(steps: int) -> np.ndarray:
        """Taken from the cycle; NaN where the states do not repeat."""
        z, dt = np.where(f.parity < 0, 0.0, f.bounds) * np.ones((cycles, k)), 2 * np.pi / omega / steps
        taken = np.full(cycles, np.nan)
        for _ in range(6):
            start, work = z.copy(), np.zeros(cycles)
            v = velocity(0.0)
            old = f.at({"v": v, "n": n, "f_eq": 0 * n, "z": z})
            for i in range(1, steps + 1):
                v, before = velocity(2 * np.pi * i / steps), v
                end = z + dt[:, None] * old["z_t"]
                for _ in range(8):  # Newton's method
                    new = f.at({"v": v, "n": n, "f_eq": 0 * n, "z": end}, jacobian=True)
                    residual = end - z - dt[:, None] / 2 * (old["z_t"] + new["z_t"])
                    matrix = np.eye(k) - dt[:, None, None] / 2 * new["z_t_z"]
                    change = np.linalg.solve(matrix, residual[..., None])[..., 0]
                    end = end - change
                    if np.all(np.abs(change) <= 1e-10 * (f.bounds + np.abs(end))):
                        break
                new = f.at({"v": v, "n": n, "f_eq": 0 * n, "z": end})
                work -= dt / 2 * (old["f"] * before + new["f"] * v)
                z, old = end, new
            closed = np.all(np.abs(z - start) <= 1e-6 * (f.bounds + np.abs(z)), axis=1)
            taken = np.where(closed & np.isnan(taken), work, taken)
            if np.all(closed):
                break
        return taken

    steps = 120
    with np.errstate(all="ignore"):
        taken = work_of(steps)
        if np.any(taken < -1e-5 * unit):  # what looks like work has to persist when the steps are refined
            taken = work_of(4 * steps)
    wrong = np.where(np.isfinite(taken), -taken / unit - 1e-5, -1.0)
    faults.note(wrong, "it gives energy: a closed cycle yields work", place, f.params)


def friction_faults(law: Law, seed: int, points: int) -> list[str]:
    """See OwnLaw.check."""
    rng = np.random.default_rng(seed)
    faults, seen = _Faults(), dict[str, bool]()
    each = max(points // _SETS, 10)
    for i, params in enumerate(_parameter_sets(law, rng)):
        f = _Friction(law, params, rng)
        _signs_and_size(f, faults, each)
        _rest(f, faults, each)
        _derivatives(f, faults, each)
        _jumps(f, faults, each)
        _needs(f, faults, seen, each)
        if law.states and "dissipates" in law.traits and i == 0:
            _cycles(f, faults, 8)
    if seen.pop("f_eq") != ("needs_f_eq" in law.traits):
        faults.append("the balance force does not matter, against needs_f_eq" if "needs_f_eq" in law.traits else "the balance force matters, without needs_f_eq")
    faults += [f"{name} does not matter" for name, matters in seen.items() if not matters]
    return list(faults)


# ---------------------------------------------------------------- normal contact


def normal_faults(law: Normal, seed: int, points: int) -> list[str]:
    """See OwnNormal.check."""
    rng = np.random.default_rng(seed)
    faults = _Faults()
    each = max(points // _SETS, 10)
    for params in _parameter_sets(law, rng):
        x = {"depth": _log(rng, 1e-6, 1e-1, each), "rate": _signs(rng, each) * _log(rng, 1e-3, 10, each)}
        x["depth"][::8] *= -1
        y = law.evaluate(x["depth"], x["rate"], jacobian=True, **params)
        n = y["n"]
        faults.note(np.where(np.isfinite(n), -1.0, 1.0), "the force is not finite", x, params)
        faults.note(-n, "it pulls: the force is negative", x, params)
        faults.note(np.where(x["depth"] <= 0, np.abs(n) + np.abs(y["n_depth"]) + np.abs(y["n_rate"]), -1.0), "it presses what has not entered", x, params)
        still = law(x["depth"], 0.0, **params)
        faults.note((still - n) * np.sign(x["rate"]) - 1e-9 * still, "it gives energy: it presses harder on the way out than on the way in", x, params)
        names = ["depth", "rate", *params]
        claimed = np.column_stack([y["n_depth"], y["n_rate"], y["n_p"]])
        for k, name in enumerate(names):
            span = np.abs(x[name]) if k < 2 else np.full(each, abs(params[name]) or 1e-3)
            above: list[np.ndarray] = []
            below: list[np.ndarray] = []
            steps: list[np.ndarray] = []
            for part in (1e-4, 1e-5, 1e-6, 1e-7):
                h = part * span
                if k >= 2 and not (law.params[k - 2]["min"] <= params[name] - h[0] and params[name] + h[0] <= law.params[k - 2]["max"]):
                    continue
                for side, into in ((1, above), (-1, below)):
                    there = {key: a + (side * h if key == name else 0) for key, a in x.items()}
                    into.append(law(there["depth"], there["rate"], **{**params, **({name: params[name] + side * h[0]} if k >= 2 else {})}))
                steps.append(h)
            if not steps:
                continue
            wrong = _agree(claimed[:, k], n, above, below, steps, 1e-6 * n / span)
            if np.max(wrong) > 0:
                j = int(np.argmax(wrong))
                slope = (above[0][j] - below[0][j]) / (2 * steps[0][j])
                faults.note(wrong, f"d(n)/d({name}) is {claimed[j, k]:.6g}, and {slope:.6g} by differences", x, params)
    return list(faults)
