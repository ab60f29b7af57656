"""Draws docs/images/speed.svg: the times of Exudyn and Capstan on the same problems, from the table in bench/README.md.
usage: speed_figure.py BENCH_README OUT.svg"""

import math
import re
import sys

UNITS = {"ms": 1e-3, "s": 1.0}
LEFT, WIDTH, ROW, TOP = 190, 420, 44, 58
COLOURS = {"Exudyn": "#b8bec6", "Capstan": "#c4501b"}


def seconds(cell):
    """The time that a cell of the table starts with; None if there is none."""
    found = re.match(r"([\d.]+) (ms|s)\b", cell)
    return float(found[1]) * UNITS[found[2]] if found else None


def rows(text):
    """(problem, elements and step, Exudyn's time, Capstan's time, ratio) of every row with the same mesh and step on both sides."""
    section = text.split("### Against Exudyn", 1)[1].split("\n#", 1)[0]
    problem = ""
    for line in section.split("\n"):
        cells = [c.strip() for c in line.strip("|").split("|")]
        if not line.startswith("|") or len(cells) < 5:
            continue
        problem = cells[0] or problem
        theirs, ours = seconds(cells[2]), seconds(cells[3])
        if theirs and ours and re.fullmatch(r"\d+, \d+ ms", cells[1]) and re.fullmatch(r"[\d.]+", cells[4]):
            yield problem, cells[1].replace(", ", " elements, "), theirs, ours, cells[4]


def number(x):
    return f"{x * 1000:.3g} ms" if x < 1 else f"{x:.3g} s"


def draw(data):
    low = math.floor(math.log10(min(min(d[2:4]) for d in data)))
    high = math.ceil(math.log10(max(max(d[2:4]) for d in data)))
    place = lambda x: LEFT + WIDTH * (math.log10(x) - low) / (high - low)
    height = TOP + ROW * len(data) + 26
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" font-family="system-ui, sans-serif" font-size="12">',
           '<title>Processor time of Exudyn and Capstan on the same problems, same mesh and step</title>',
           f'<rect width="720" height="{height}" fill="#fff"/>',
           '<text x="16" y="22" font-size="14" font-weight="600" fill="#222">Processor time, same elements and step (logarithmic)</text>']
    for i, (name, colour) in enumerate(COLOURS.items()):
        out.append(f'<rect x="{16 + 90 * i}" y="32" width="12" height="12" fill="{colour}"/><text x="{33 + 90 * i}" y="42" fill="#222">{name}</text>')
    for k in range(low, high + 1):
        x = place(10.0**k)
        out.append(f'<path d="M{x:.1f} {TOP - 4}V{height - 22}" stroke="#e2e2e2"/><text x="{x:.1f}" y="{height - 8}" text-anchor="middle" fill="#555">{number(10.0**k)}</text>')
    for i, (problem, mesh, theirs, ours, ratio) in enumerate(data):
        y = TOP + ROW * i
        out.append(f'<text x="16" y="{y + 14}" fill="#222">{problem}</text><text x="16" y="{y + 29}" fill="#555" font-size="11">{mesh}</text>')
        for j, (value, colour) in enumerate(((theirs, COLOURS["Exudyn"]), (ours, COLOURS["Capstan"]))):
            x = place(value)
            note = number(value) + (f", {ratio} times faster" if j else "")
            out.append(f'<rect x="{LEFT}" y="{y + 2 + 15 * j}" width="{x - LEFT:.1f}" height="13" fill="{colour}"/>'
                       f'<text x="{x + 5:.1f}" y="{y + 13 + 15 * j}" font-size="11" fill="#222">{note}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


with open(sys.argv[1]) as file:
    found = list(rows(file.read()))
if len(found) < 3:
    sys.exit(f"speed_figure: only {len(found)} rows were found in the table of {sys.argv[1]}")
with open(sys.argv[2], "w") as file:
    file.write(draw(found))
