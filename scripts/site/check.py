"""Checks a site that was made: no link inside it is dead, anchors included; every page can be reached from the first one; no
page loads anything from a network.
usage: check.py FOLDER"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

SITE = pathlib.Path(sys.argv[1]).resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.ids.update(a[k] for k in ("id", "name") if a.get(k))
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        elif tag in ("script", "img", "iframe", "source") and a.get("src"):
            self.loads.append(a["src"])
        elif tag == "link" and a.get("href") and "canonical" not in a.get("rel", "") and a.get("rel") not in ("next", "prev"):
            self.loads.append(a["href"])


pages = {file: Page(file) for file in sorted(SITE.rglob("*.html"))}
problems, reached, todo = [], set(), [SITE / "index.html"]
links = 0
while todo:
    file = todo.pop()
    if file in reached:
        continue
    reached.add(file)
    page = pages[file]
    for target in page.links + page.loads:
        if re.match(r"(https?:)?//", target):
            if target in page.loads:
                problems.append(f"{file.relative_to(SITE)} loads {target}")
            continue
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        path, _, anchor = target.partition("#")
        there = (file.parent / urllib.parse.unquote(path)).resolve() if path else file
        if there.is_dir():
            there = there / "index.html"
        if not there.exists():
            if file.name != "404.html":
                problems.append(f"{file.relative_to(SITE)}: {target} is not there")
        elif there in pages:
            if anchor and urllib.parse.unquote(anchor) not in pages[there].ids and not anchor.startswith("__"):
                problems.append(f"{file.relative_to(SITE)}: no place {target}")
            todo.append(there)
for file in pages:
    if file not in reached and file.name != "404.html":
        problems.append(f"{file.relative_to(SITE)} cannot be reached")
for style in SITE.rglob("*.css"):
    for target in re.findall(r"url\(['\"]?((?:https?:)?//[^)'\"]+)", style.read_text()):
        problems.append(f"{style.relative_to(SITE)} loads {target}")
if not (SITE / "search/search_index.js").exists():
    problems.append("there is no index for the search")
if problems:
    sys.exit("\n".join(f"site: {p}" for p in problems) + f"\nsite: {len(problems)} problems")
print(f"site: {len(pages)} pages, {links} links, none of them dead")
