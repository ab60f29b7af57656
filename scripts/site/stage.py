"""Puts together the pages of the site: those of docs/, README and its neighbours under new names, pages made from sources
(api.py), and a page for every file of the repository that one of them links to.

Links are those of the repository, so that they also work where the repository is browsed; here they are rewritten. A link to
something that does not exist ends it with an error.
usage: stage.py ROOT OUT"""

import json
import pathlib
import re
import shutil
import sys

import api

ROOT, OUT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HERE = pathlib.Path(__file__).parent
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))|(<(?:img|a)\b[^>]*?(?:src|href)=\")([^\"]+)(\")")
LANGUAGE = {".yaml": "yaml", ".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".json": "json", ".csv": "text", ".md": "markdown"}

# Where pages of the repository stand in the site; docs/X is X.
PLACES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md",
          "bench/README.md": "benchmarks.md", "include/capstan.h": "api-c.md", "python/capstan": "api-python.md"}
problems, shown, listed = [], {}, {}


def place_of(path):
    """Where a file or folder of the repository stands in the site; files that are only linked to get a page."""
    name = path.as_posix()
    if name in PLACES:
        return PLACES[name]
    if name.startswith("docs/") and path.suffix in (".md", ".svg", ".png", ".json"):
        return name.removeprefix("docs/")
    if name.startswith("docs/") and path.suffix == ".ipynb":
        return path.with_suffix(".md").as_posix().removeprefix("docs/")
    if (ROOT / path).is_dir():
        listed[path] = True
        return f"files/{name}/index.md"
    shown[path] = True
    return f"files/{name}.md"


def relative(place, page):
    """A link from a page to a place in the site."""
    return pathlib.PurePosixPath(*[".."] * (len(pathlib.PurePosixPath(page).parts) - 1), place).as_posix()


def rewrite(text, source, page):
    """The links of a page, outside of code, turned into those of the site."""

    def link(m):
        head, target, tail = (m[1], m[2], m[3]) if m[1] else (m[4], m[5], m[6])
        if re.match(r"[a-z]+:|#", target):
            return m[0]
        file, _, anchor = target.partition("#")
        there = (ROOT / pathlib.Path(source).parent / file).resolve()
        if ROOT not in there.parents and there != ROOT or not there.exists():
            problems.append(f"{source}: {target} is not there")
            return m[0]
        new = relative(place_of(there.relative_to(ROOT)), page)
        return head + new + ("#" + anchor if anchor else "") + tail

    parts = re.split(r"(^```.*?^```|`[^`\n]+`)", text, flags=re.S | re.M)
    return "".join(p if i % 2 else LINK.sub(link, p) for i, p in enumerate(parts))


def write(page, text):
    (OUT / page).parent.mkdir(parents=True, exist_ok=True)
    (OUT / page).write_text(text)


def notebook(text):
    """A notebook of Jupyter as Markdown: its text and its code, without what was computed."""
    cells = [(c["cell_type"], "".join(c["source"]).strip()) for c in json.loads(text)["cells"]]
    return "\n\n".join(source if kind == "markdown" else f"```python\n{source}\n```" for kind, source in cells if source) + "\n"


shutil.rmtree(OUT, ignore_errors=True)
for file in sorted((ROOT / "docs").rglob("*")):
    place = file.relative_to(ROOT / "docs")
    if file.suffix == ".md":
        write(place, rewrite(file.read_text(), file.relative_to(ROOT), place))
    elif file.suffix == ".ipynb":
        write(place.with_suffix(".md"), rewrite(notebook(file.read_text()), file.relative_to(ROOT), place.with_suffix(".md")))
    elif file.suffix in (".svg", ".png", ".json"):
        (OUT / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, OUT / place)
for name, place in PLACES.items():
    if name.endswith(".md"):
        write(place, rewrite((ROOT / name).read_text(), name, place))
made = {"api-c.md": api.c_page((ROOT / "include/capstan.h").read_text()), "api-python.md": api.python_page(ROOT / "python/capstan"),
        "commands.md": api.command_page(ROOT / "docs/man")}
for place, text in made.items():
    write(place, rewrite(text, "docs/" + place, place))

# Folders that are linked to, and what is in them; then the files.
for folder in ("scenarios", "examples"):
    listed[pathlib.Path(folder)] = True
todo = list(listed)
while todo:
    folder = todo.pop()
    lines = [f"# {folder}", ""]
    for item in sorted((ROOT / folder).iterdir()):
        path = item.relative_to(ROOT)
        if item.name.startswith("."):
            continue
        if item.is_dir():
            todo.append(path)
        lines.append(f"- [{item.name}]({relative(place_of(path), f'files/{folder}/index.md')})")
    write(f"files/{folder}/index.md", "---\nsearch: {exclude: true}\n---\n" + "\n".join(lines) + "\n")
for path in sorted(shown):
    text = (ROOT / path).read_text()
    fence = "````"
    write(f"files/{path}.md", f"---\nsearch: {{exclude: true}}\n---\n# {path.name}\n\n`{path}`\n\n{fence}{LANGUAGE.get(path.suffix, 'text')}\n{text.rstrip()}\n{fence}\n")
folders = sorted(f for f in listed)
loose = sorted(f for f in shown if not any(parent in listed for parent in f.parents))
write("files/index.md", "---\nsearch: {exclude: true}\n---\n# Files\n\nFiles of the repository that these pages speak of.\n\n" +
      "".join(f"- [{f}]({f}/index.md)\n" for f in folders) + "".join(f"- [{f}]({f}.md)\n" for f in loose))

# What the pages load: formulas' fonts, search without a server.
assets, modules = OUT / "assets", HERE / "node_modules"
assets.mkdir()
shutil.copy(modules / "katex/dist/katex.min.css", assets)
(assets / "fonts").mkdir()
for font in (modules / "katex/dist/fonts").glob("*.woff2"):
    shutil.copy(font, assets / "fonts")
style = (assets / "katex.min.css").read_text()
(assets / "katex.min.css").write_text(re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\(\"[a-z]+\"\)", "", style))
shutil.copy(modules / "iframe-worker/shim/index.js", assets / "iframe-worker.js")
for name in ("extra.css", "extra.js"):
    shutil.copy(HERE / name, assets)

if problems:
    sys.exit("site: " + "\nsite: ".join(problems))
print(f"site: {len(list(OUT.rglob('*.md')))} pages")
