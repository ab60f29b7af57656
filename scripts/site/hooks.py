"""Hooks of mkdocs: formulas are rendered when the site is made, so that pages need neither a network nor a script for them."""

import html
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.S)


def on_page_content(content, page, config, files):
    """Replaces what pymdownx.arithmatex has marked by the HTML of KaTeX."""
    found = [(html.unescape(m[3]), m[2] == "[") for m in FORMULA.finditer(content)]
    if not found:
        return content
    done = subprocess.run(["node", HERE / "formulas.mjs"], input=json.dumps(found), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"site: a formula of {page.file.src_uri} is wrong:\n{done.stderr}")
    rendered = iter(json.loads(done.stdout))
    return FORMULA.sub(lambda m: f'<{m[1]} class="formula">{next(rendered)}</{m[1]}>', content)


def on_post_page(output, page, config):
    """Names the dialog of the search for screen readers."""
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')
