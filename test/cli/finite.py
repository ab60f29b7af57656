#!/usr/bin/env python3
"""Runs every command of the tool on scenarios, and fails on any number that is not finite, and any field that is empty.

usage: finite.py TOOL SCENARIO...

Looked at: what is printed, with and without --json; summary.json, series.csv and events of results; the data inside pages.
"""
import base64
import csv
import gzip
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

NOT_A_NUMBER = re.compile(r"(?<![A-Za-z_./])[-+]?(nan|inf|infinity)(?![A-Za-z_./])", re.I)
wrong = []


def complain(where, what):
    wrong.append(f"{where}: {what}")


def refuse(word):
    raise ValueError(f"the constant {word}")


def strict(text, where):
    """A JSON document without NaN and Infinity; every text and every list of numbers in it has something."""
    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError as e:
        complain(where, f"no JSON: {e}: {text[:200]!r}")
        return None


def look_at_text(text, where):
    for line in text.splitlines():
        if NOT_A_NUMBER.search(line):
            complain(where, line.strip()[:200])


def look_at_csv(path, where):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    for n, row in enumerate(rows[1:], 2):
        for name, cell in zip(rows[0], row):
            if cell == "" or NOT_A_NUMBER.fullmatch(cell.strip()):
                complain(where, f"line {n}, {name}: {cell!r}")
                return


def numbers_of(array, data):
    """The numbers of an array of a page, as web/src/data.js reads it."""
    n = array["n"]
    if "c" in array:
        return [math.nan if array["c"] is None else array["c"]] * min(n, 1)
    if array.get("f64"):
        return struct.unpack_from(f"<{n}d", data, array["at"])
    planes = [data[array["at"] + k * n : array["at"] + (k + 1) * n] for k in range(4)]
    codes = [a | b << 8 | c << 16 | d << 24 for a, b, c, d in zip(*planes)]
    if array["order"] > 0:
        codes = [(z >> 1) ^ -(z & 1) for z in codes]
    for _ in range(array["order"]):
        for i in range(array["stride"], n):
            codes[i] = (codes[i] + codes[i - array["stride"]]) & 0xFFFFFFFF
    return [math.nan if k & 0xFFFFFFFF == 0 else k for k in codes]


def look_at_value(value, data, where):
    if isinstance(value, list):
        for i, x in enumerate(value):
            look_at_value(x, data, f"{where}[{i}]")
    elif isinstance(value, dict) and "n" in value and ("at" in value or "c" in value):
        if not all(math.isfinite(x) for x in numbers_of(value, data)):
            complain(where, "a number that is not finite")
    elif isinstance(value, dict):
        for key, x in value.items():
            look_at_value(x, data, f"{where}.{value.get('name', '')}.{key}" if "name" in value else f"{where}.{key}")


def look_at_page(path, where):
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"<script type=\"text/plain\" id=\"data\">(.*?)</script>", f.read(), re.S)
    if not found:
        complain(where, "no data inside")
    for text in found:
        data = gzip.decompress(base64.b64decode(text))
        length = struct.unpack_from("<I", data)[0]
        header = strict(data[4 : 4 + length].decode(), where)
        look_at_value(header, data[4 + length :], where)


def look_at_folder(folder, where):
    for root, _, names in os.walk(folder):
        for name in names:
            path, at = os.path.join(root, name), f"{where}: {name}"
            if name.endswith(".csv"):
                look_at_csv(path, at)
            elif name.endswith(".html"):
                look_at_page(path, at)
            elif name.endswith(".json"):
                with open(path, encoding="utf-8") as f:
                    strict(f.read(), at)


class Tool:
    def __init__(self, tool):
        self.tool, self.runs = tool, 0

    def __call__(self, *args, may_fail=False):
        """Runs a command; its status, and what it prints with --json."""
        out = None
        self.runs += 1
        r = subprocess.run([self.tool, *args], capture_output=True, text=True, timeout=300, check=False)
        where = " ".join(["capstan", *args])
        look_at_text(r.stdout + r.stderr, where)
        if "--json" in args:
            if r.stdout.strip():
                out = strict(r.stdout, where)
            elif r.returncode < 2:  # bad input is no document
                complain(where, "prints nothing: " + r.stderr[:200])
        if r.returncode and not may_fail:
            complain(where, f"status {r.returncode}: {r.stderr.strip()[:300]}")
        if r.returncode and not (r.stdout + r.stderr).strip():
            complain(where, "fails without a word")
        return r.returncode, out


def try_scenario(tool, path, tmp):
    name = os.path.splitext(os.path.basename(path))[0]
    a, b = os.path.join(tmp, name + "-a"), os.path.join(tmp, name + "-b")
    tool("check", path, "--json")
    tool("check", path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    m = re.search(r"until: *([0-9.]+)", text)
    short = ["--set", f"run.until={min(float(m.group(1)), 0.2)}"] if m else []
    status, _ = tool("run", path, *short, "-o", a, "--json", may_fail=True)
    tool("run", path, *short, "-o", b, may_fail=True)
    tool("statics", path, may_fail=True)
    tool("statics", path, "--json", may_fail=True)
    bodies = re.findall(r"\n  ([A-Za-z_0-9]+): *\{mass:", text) or re.findall(r"\{([A-Za-z_0-9]+): *\{mass:", text)
    if bodies and status == 0:
        mass = f"bodies.{bodies[0]}.mass"
        for i, more in enumerate(([], ["--json"])):
            out = os.path.join(tmp, f"{name}-{i}")
            tool("sens", path, *short, "--wrt", mass, "--of", "max(energy.kinetic),energy.error", *more, may_fail=True)
            tool("optimize", path, *short, "--minimize", "max(energy.kinetic)", "-p", mass + ":0.01:1e4", "--runs", "3",
                 "-o", out + "-optimum", *more, may_fail=True)
            tool("fit", path, *short, "--data", os.path.join(a, "series.csv"), "-p", mass, "--steps", "2",
                 "-o", out + "-fit", *more, may_fail=True)
    if status == 0:
        tool("report", a, "-o", os.path.join(tmp, "one.html"))
        tool("report", a, b, "-o", os.path.join(tmp, "two.html"))
        tool("export", a, "--csv", "-o", os.path.join(tmp, name + "-csv"))
        tool("diff", a, b)
        tool("diff", a, b, "--json")
    look_at_folder(tmp, path)


def main():
    tool = Tool(sys.argv[1])
    tool("models", "--json")
    tool("models", "lugre")
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as tmp:
            try:
                try_scenario(tool, path, tmp)
            except subprocess.TimeoutExpired as e:
                complain(path, f"too slow: {e}")
    for line in wrong:
        print(line)
    print(f"{tool.runs} commands, {len(wrong)} things that should not be there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
