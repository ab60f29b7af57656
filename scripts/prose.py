"""Prose in Markdown is wrapped under 110 characters, so that it can be read beside code and in a diff. Tables, code, formulas,
headings and lines without a blank are left alone, and so are pages that the tool writes.
usage: prose.py --check | --fix   (--fix: wraps the paragraphs that are too wide)"""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 110
GENERATED = {"docs/models.md", "docs/scenario.md", "docs/columns.md", "docs/verification.md", "docs/gallery.md"}
ITEM = re.compile(r"(\s*)([-*+]|\d+\.)\s+")


def paragraphs(lines):
    """Runs of lines that are prose, as (first, last + 1)."""
    start, fence = None, None
    for i, line in enumerate(lines + [""]):
        found = re.match(r"\s*(`{3,}|\$\$)", line)
        if fence is None and found:
            fence = found[1]
            inside = not (fence == "$$" and line.strip() != "$$" and line.strip().endswith("$$"))
            fence = fence if inside else None
            prose = False
        elif fence is not None:
            prose = False
            if line.strip().startswith(fence) or fence == "$$" and line.strip().endswith("$$"):
                fence = None
        else:
            prose = bool(line.strip()) and not re.match(r"#|\||<|    (?!\s*([-*+]|\d+\.)\s)|!\[|\[[^\]]+\]: ", line)
        begins = prose and ITEM.match(line)
        if start is not None and (not prose or begins):
            yield start, i
            start = None
        if prose and start is None:
            start = i


def wrap(lines):
    """A paragraph, wrapped; code between backticks, links and formulas are not torn apart where that can be helped."""
    text = " ".join(line.strip() for line in lines)
    head = re.match(r"\s*", lines[0])[0]
    hang = head
    if item := ITEM.match(lines[0]):
        hang = " " * item.end()
    keep = re.sub(r"`[^`]+`|\$[^$]+\$", lambda m: m[0].replace(" ", "\x00"), text)
    # A line must not begin with what Markdown takes for a list, a quotation, a table or a heading.
    keep = re.sub(r" (?=([-+*>|]|#+|\d+[.)]) )", "\x00", keep)
    wrapped = textwrap.wrap(keep, WIDTH - 1, initial_indent=head, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\x00", " ") for line in wrapped]


problems = 0
for file in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("python/*.md")]):
    name = file.relative_to(ROOT).as_posix()
    if name in GENERATED:
        continue
    lines = file.read_text().rstrip("\n").split("\n")
    wide = [(a, b) for a, b in paragraphs(lines) if any(len(line) >= WIDTH and " " in line.strip() for line in lines[a:b])]
    if "--fix" in sys.argv[1:]:
        for a, b in reversed(wide):
            lines[a:b] = wrap(lines[a:b])
        file.write_text("\n".join(lines) + "\n")
    else:
        for a, b in wide:
            for i in range(a, b):
                if len(lines[i]) >= WIDTH:
                    print(f"{name}:{i + 1}: {len(lines[i])} characters")
                    problems += 1
if problems:
    sys.exit(f"prose: {problems} lines of {WIDTH} characters or more; scripts/prose.py --fix wraps them")
print("prose: every line is short enough" if "--fix" not in sys.argv[1:] else "prose: wrapped")
