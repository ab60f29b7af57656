"""Every block of code in README.md and docs/ is true: it is run, and what it shows is what it prints.

A document is followed from top to bottom in a folder of its own, with a copy of scenarios/ and the tool on the PATH.

  yaml      a whole scenario is checked, and saved if the paragraph above names a file (`block.yaml`); without a name its first moments
            are run. Part of a scenario is checked within one. A study is saved in the same way, and tried.
  sh        its commands are run; "# exit status N" at the end of one says that it fails.
  python    run in one interpreter per document, with the package; skipped where Python lacks what it needs.
  c         compiled with the library and run.
  text      each line, as far as an ellipsis, must be in what the block before has printed. So must those of a block without a name.

A block that is not run says so in the line above it: <!-- not run: why -->. What is shown below such a block is not compared.
usage: blocks.py SOURCE CAPSTAN [--cc CC --build BUILD] [DOCUMENT...]"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 120  # for one command
REST = """capstan: 1
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
contacts: {belt: {between: [block, belt], normal: weight, friction: coulomb}}
"""
# Reads pieces of a program, each a line of JSON, and answers each with what it printed and how it failed.
INTERPRETER = """
import contextlib, io, json, sys, traceback
names, answers = {"__name__": "__main__"}, sys.stdout
for line in sys.stdin:
    out, failed = io.StringIO(), ""
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(json.loads(line), "block", "exec"), names)
        except BaseException:
            failed = traceback.format_exc()
    print(json.dumps([out.getvalue(), failed]), file=answers, flush=True)
"""


class Block:
    def __init__(self, where, language, above, skipped):
        self.where, self.language, self.above, self.skipped, self.lines = where, language, above, skipped, []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"


def blocks_of(file, name):
    """The blocks of a document, in their order, with the paragraph above each."""
    block, above, fence = None, [], ""
    for number, line in enumerate(file.read_text().split("\n"), 1):
        if block:
            if line.strip() == fence:
                yield block
                block, above = None, []
            else:
                block.lines.append(line)
        elif found := re.match(r"\s*(`{3,})(\w*)", line):
            fence = found[1]
            paragraph = "\n".join(above)
            skipped = re.search(r"<!-- not run: .+? -->\s*$", paragraph)
            block = Block(f"{name}:{number}", found[2] or "text", paragraph, bool(skipped))
        elif line.strip():
            above = above + [line] if above and above[-1] is not None else [line]
        elif above and not above[-1].rstrip().endswith(":"):
            above = []


class Follower:
    def __init__(self, options):
        self.options, self.failures, self.ran, self.skipped = options, 0, {}, 0
        self.capstan = str(pathlib.Path(options.capstan).resolve())
        self.python = self.module = None

    def fail(self, block, text, output=""):
        self.failures += 1
        print(f"FAILED: {block.where}: {text}", file=sys.stderr)
        for line in output.strip().split("\n")[-8:]:
            print("  | " + line, file=sys.stderr)

    def command(self, text, folder):
        """The exit status and the output of a command of the shell."""
        env = {**os.environ, "PATH": f"{folder}/build:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        for name in ("COLUMNS", "NO_COLOR"):
            env.pop(name, None)
        done = subprocess.run(["bash", "-c", text], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
        return done.returncode, done.stdout.decode(errors="replace")

    def follow(self, file):
        name = file.relative_to(self.options.source).as_posix()
        folder = pathlib.Path(self.temp) / name.replace("/", "-")
        (folder / "build").mkdir(parents=True)
        (folder / "build/capstan").symlink_to(self.capstan)
        shutil.copytree(self.options.source / "scenarios", folder / "scenarios")
        printed, interpreter = None, None
        for block in blocks_of(file, name):
            if block.language == "text":
                if printed is not None:
                    for line in block.lines:
                        shown = line.split("…")[0].rstrip()
                        if shown and shown not in printed:
                            self.fail(block, f"'{shown}' was not printed", printed)
                continue
            if block.skipped:
                self.skipped, printed = self.skipped + 1, None
                continue
            self.ran[block.language] = self.ran.get(block.language, 0) + 1
            if block.language == "yaml":
                self.scenario(block, folder)
                printed = None
            elif block.language == "sh":
                printed = self.shell(block, folder)
            elif block.language == "python":
                if not self.module:
                    printed = None
                    continue
                interpreter = interpreter or subprocess.Popen(
                    [self.python, "-c", INTERPRETER], cwd=folder, env={**os.environ, "PYTHONPATH": self.module, "PYTHONDONTWRITEBYTECODE": "1"},
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                interpreter.stdin.write(json.dumps(block.text) + "\n")
                interpreter.stdin.flush()
                printed, failed = json.loads(interpreter.stdout.readline())
                if failed:
                    self.fail(block, "fails", failed)
            elif block.language == "c":
                printed = self.program(block, folder)
            else:
                self.fail(block, f"nobody knows how to run {block.language}; say <!-- not run: why --> above it")
        if interpreter:
            interpreter.stdin.close()
            interpreter.wait()

    def scenario(self, block, folder):
        name = re.search(r"`([\w-]+\.yaml)`", block.above)
        if re.search(r"^study: 1", block.text, re.M):
            file = name[1] if name else "study.yaml"
            (folder / file).write_text(block.text)
            status, output = self.command(f"capstan sweep {file} --dry-run", folder)
            if status:
                self.fail(block, "is not a good study", output)
            return
        if not re.search(r"^capstan: 1", block.text, re.M):
            run = "" if re.search(r"^run:", block.text, re.M) else "run: {until: 1 s}\n"
            (folder / "part.yaml").write_text(REST + run + block.text)
            status, output = self.command("capstan check part.yaml", folder)
            if status:
                self.fail(block, "is not a good part of a scenario", output)
            return
        file = name[1] if name else "whole.yaml"
        (folder / file).write_text(block.text)
        status, output = self.command(f"capstan check {file} --json", folder)
        if status:
            self.fail(block, "is not a good scenario", output)
        elif not name:
            until = json.loads(output)["from"] + 0.02
            status, output = self.command(f"capstan run {file} -o whole.results --quiet --no-report --set run.until={until}", folder)
            if status:
                self.fail(block, "does not run", output)

    def shell(self, block, folder):
        printed = ""
        for line in block.text.replace("\\\n", " ").split("\n"):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            wanted = re.search(r"# exit status (\d)\s*$", line)
            wanted = int(wanted[1]) if wanted else 0
            try:
                status, output = self.command(line, folder)
            except subprocess.TimeoutExpired:
                self.fail(block, f"{line}: took longer than {SECONDS} s")
                continue
            printed += output
            if status != wanted:
                self.fail(block, f"{line}: exit status {status}, not {wanted}", output)
        return printed

    def program(self, block, folder):
        (folder / "program.c").write_text(block.text)
        o = self.options
        if not o.cc:
            return None
        pc = (pathlib.Path(o.build) / "capstan.pc").read_text()
        libraries = re.search(r"^Libs.private: *(.*)$", pc, re.M)[1]
        status, output = self.command(f"{o.cc} -std=c17 -Wall -Wextra -Werror -I{o.source}/include program.c {o.build}/libcapstan.a {libraries} -lm -o program "
                                      "&& ./program", folder)
        if status:
            self.fail(block, "does not compile or run", output)
        return output

    def main(self):
        o = self.options
        with tempfile.TemporaryDirectory() as self.temp:
            if o.cc:
                done = subprocess.run(["bash", o.source / "test/python.sh", o.build, o.cc, self.temp + "/module"], capture_output=True, text=True)
                if done.returncode:
                    sys.exit("blocks: the Python package cannot be built:\n" + done.stderr)
                if os.path.isdir(self.temp + "/module"):
                    self.python, self.module = done.stdout.strip().split("\n")[-1], self.temp + "/module"
            files = [o.source / d for d in o.documents] or [o.source / "README.md", *sorted((o.source / "docs").rglob("*.md"))]
            for file in files:
                self.follow(file)
        counts = ", ".join(f"{n} of {language}" for language, n in sorted(self.ran.items()))
        print(f"blocks: {counts} were run, {self.skipped} say why they are not" + ("" if self.module else "; those of python were skipped"))
        if not o.documents and not (self.ran.get("yaml", 0) >= 10 and self.ran.get("sh", 0) >= 30):
            sys.exit("blocks: too few blocks were found")
        sys.exit(f"blocks: {self.failures} failures" if self.failures else 0)


parser = argparse.ArgumentParser()
parser.add_argument("source", type=lambda p: pathlib.Path(p).resolve())
parser.add_argument("capstan")
parser.add_argument("documents", nargs="*")
parser.add_argument("--cc")
parser.add_argument("--build")
Follower(parser.parse_intermixed_args()).main()
