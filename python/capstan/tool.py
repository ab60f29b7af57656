"""The command-line tool, which comes with the package: `capstan run crane.yaml` after `pip install`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def find() -> str:
    """The path of the tool: $CAPSTAN, the one of the package, or the one on the PATH."""
    packaged = Path(__file__).parent / "bin" / "capstan"
    found = os.environ.get("CAPSTAN") or (os.fspath(packaged) if packaged.is_file() else None)
    if not found:
        # the script that pip has installed would only come back here
        places = [p for p in os.environ.get("PATH", "").split(os.pathsep) if Path(p).resolve() != Path(sys.argv[0]).parent.resolve()]
        found = shutil.which("capstan", path=os.pathsep.join(places))
    if not found:
        raise FileNotFoundError("the capstan tool is neither in the package nor on the PATH; $CAPSTAN may name it")
    return found


def run(*arguments: str | os.PathLike[str]) -> str:
    """Runs the tool: its output, or an exception with what it complains of."""
    done = subprocess.run([find(), *(os.fspath(a) for a in arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"capstan {arguments[0]} has ended with status {done.returncode}")
    return done.stdout


def main() -> None:
    tool = find()
    os.execv(tool, [tool, *sys.argv[1:]])
