"""Compares results of the same machines (rows.c) on several systems: how many numbers differ, and by how much over the largest of their column.

Without AVX2 and FMA every bit must be the same. usage: compare.py FILE.rows...
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path


def read(path: str) -> dict[tuple[str, str], list[float]]:
    columns: dict[tuple[str, str], list[float]] = {}
    for line in Path(path).read_text().splitlines():
        machine, column, _, bits = line.rsplit(" ", 3)
        columns.setdefault((machine, column), []).append(struct.unpack(">d", bytes.fromhex(bits))[0])
    return columns


def main(paths: list[str]) -> int:
    paths.sort(key=lambda p: ("with-avx2" in p, "linux-x86_64" not in p))
    first, *others = paths
    base, bad = read(first), 0
    print(f"compare: {first}: {len(base)} columns, {sum(map(len, base.values()))} numbers")
    for path in others:
        other, differ, worst, where = read(path), 0, 0.0, ""
        if other.keys() != base.keys() or any(len(other[k]) != len(base[k]) for k in base):
            print(f"compare: {path} has other columns or rows")
            bad += "with-avx2" not in path
            continue
        for key, values in base.items():
            scale = max(map(abs, values)) or 1.0
            for a, b in zip(values, other[key]):
                if struct.pack("d", a) == struct.pack("d", b):
                    continue
                differ += 1
                if not abs(a - b) / scale <= worst:
                    worst, where = abs(a - b) / scale, " of ".join(reversed(key))
        print(f"compare: {path}: {differ} numbers differ" + (f", the largest by {worst:.1e}: {where}" if differ else ": the same bits"))
        bad += differ > 0 and "with-avx2" not in path
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
