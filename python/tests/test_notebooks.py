"""The notebooks of the documentation run from top to bottom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebook(path):
    room: dict[str, object] = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}: {cell['id']}", "exec"), room)  # noqa: S102


def test_there_are_some():
    assert len(list(FOLDER.glob("*.ipynb"))) >= 5
