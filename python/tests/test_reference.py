"""The reference is made from signatures and docstrings (scripts/site/api.py): nothing that is public is missing from it, or has nothing to say."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

import capstan

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "scripts/site/api.py"


@pytest.mark.parametrize("name", capstan.__all__)
def test_docstrings(name):
    thing = getattr(capstan, name)
    assert inspect.getdoc(thing), f"{name} has no docstring"
    if not inspect.isclass(thing):
        return
    for key, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if key.startswith("_") or not inspect.isfunction(function):
            continue
        assert "return" in function.__annotations__, f"{name}.{key} says no type"
        assert function.__doc__, f"{name}.{key} has no docstring"


@pytest.mark.skipif(not SOURCE.exists(), reason="not in the repository")
def test_the_reference_has_all_names():
    spec = importlib.util.spec_from_file_location("api", SOURCE)
    api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
    page = api.python_page(ROOT / "python/capstan")
    for name in capstan.__all__:
        assert f"\n### {name}\n" in page, f"{name} is not in the reference"
        for key, member in vars(getattr(capstan, name)).items() if inspect.isclass(getattr(capstan, name)) else ():
            if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert f"\n{key}" in page.split(f"\n### {name}\n")[1].split("\n### ")[0], f"{name}.{key} is not in the reference"
