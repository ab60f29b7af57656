"""Compares results of the same machines (rows.c) on several systems, and with several sets of instructions.

With the same set, plain code or vectors, every bit must be the same on all systems. Vectors add in another order and fuse products with
sums: against plain code results differ by what Newton's method leaves and, where steps are adaptive, by what a step is chosen by. With
fixed steps and a small run.balance what is left is round-off: of places, and for forces times the stiffness. How much is measured over the
largest number of the machine with the same unit, and limited. usage: compare.py FILE.rows...
"""

from __future__ import annotations

import math
import struct
import sys
from pathlib import Path

# Twice to five times what was measured (AVX-512 against plain: the winch, with adaptive steps, has the largest of each). Arcs of slip,
# and what is left of friction until all slips ("1"), tell which points slip: they are not limited, nor is what is round-off of itself.
LIMITS = {"m": 5e-6, "m/s": 2e-4, "N": 2e-3, "N m": 5e-3, "J": 5e-6}
FIXED_STEP = {"m": 1e-11, "m/s": 3e-12, "N": 5e-10, "N m": 2e-10, "J": 1e-13}

Rows = dict[tuple[str, str, str], list[float]]


def read(path: str) -> tuple[str, Rows]:
    kind, *lines = Path(path).read_text().splitlines()
    columns: Rows = {}
    for line in lines:
        machine, column, unit, bits = line.split("|")
        columns.setdefault((machine, column, unit), []).append(struct.unpack(">d", bytes.fromhex(bits))[0])
    return kind, columns


def count_differences(a: Rows, b: Rows) -> int:
    return sum(struct.pack("d", x) != struct.pack("d", y) for key in a for x, y in zip(a[key], b[key]))


def is_fixed_step(machine: str) -> bool:
    return "+run.step=" in machine


def distances(a: Rows, b: Rows, fixed_step: bool) -> dict[str, tuple[float, str]]:
    """For each unit the largest difference over the largest number of that machine, and where it is; of machines with fixed steps, or of
    the others."""
    sizes: dict[tuple[str, str], float] = {}
    a = {key: values for key, values in a.items() if is_fixed_step(key[0]) == fixed_step}
    for (machine, _, unit), values in a.items():
        sizes[machine, unit] = max(sizes.get((machine, unit), 0.0), *(abs(x) for x in values if math.isfinite(x)), 0.0)
    found: dict[str, tuple[float, str]] = {}
    for (machine, column, unit), values in a.items():
        size = sizes[machine, unit]
        if size < 1e-9:  # at rest: all of it is round-off
            continue
        for x, y in zip(values, b[machine, column, unit]):
            apart = 0.0 if x == y or (math.isnan(x) and math.isnan(y)) else abs(x - y) / size
            if not apart <= found.get(unit, (0.0, ""))[0]:
                found[unit] = (apart, f"{column} of {machine}")
    return found


def main(paths: list[str]) -> int:
    all_rows = {Path(p).name.removesuffix(".rows"): read(p) for p in sorted(paths, key=lambda p: "linux-x86_64" not in p)}
    bad = 0
    first: dict[str, str] = {}
    for name, (kind, rows) in all_rows.items():
        base = first.setdefault(kind, name)
        if base == name:
            print(f"compare: {name} ({kind}): {len(rows)} columns, {sum(map(len, rows.values()))} numbers")
            continue
        same = all_rows[base][1]
        if rows.keys() != same.keys() or any(len(rows[k]) != len(same[k]) for k in rows):
            print(f"compare: {name} ({kind}) has other columns or rows than {base}")
            bad += 1
            continue
        differ = count_differences(same, rows)
        print(f"compare: {name} ({kind}): " + (f"{differ} numbers DIFFER from {base}" if differ else f"the same bits as {base}"))
        bad += differ > 0
    if "plain" not in first:
        return 1
    plain = all_rows[first["plain"]][1]
    for kind, name in first.items():
        if kind == "plain":
            continue
        rows = all_rows[name][1]
        if rows.keys() != plain.keys() or any(len(rows[k]) != len(plain[k]) for k in rows):
            print(f"compare: {kind} has other columns or rows than plain code")
            bad += 1
            continue
        for steps, limits in (("adaptive", LIMITS), ("fixed", FIXED_STEP)):
            for unit, (apart, where) in sorted(distances(plain, rows, steps == "fixed").items()):
                over = apart > limits.get(unit, math.inf)
                print(f"compare: {kind} against plain, {steps} steps, {unit}: {apart:.1e}, {where}" + (f"; TOO MUCH, at most {limits[unit]:.0e}" if over else ""))
                bad += over
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
