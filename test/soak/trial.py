"""trial.py - what campaigns share: one try with its folder and commands, and the two kinds of campaigns."""
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# What a sanitizer says, in what the tool prints.
REPORT = re.compile(rb"ERROR: AddressSanitizer|LeakSanitizer|runtime error:|ThreadSanitizer")
RUNTIME = re.compile(rb"lib[a-z]*san\.so|libc\.so|interceptor")


def reports(text, strange_results):
    """Whether a sanitizer has found something of ours. HDF5 reads strange result files in a process of its own because it does not
    survive all of them: what it does there to itself does not count."""
    found = REPORT.split(text)[1:]
    return any(not (strange_results and in_hdf5(report)) for report in found)


def in_hdf5(report):
    """Whether the innermost function of a report, but for those of the C library, is one of HDF5. The process that reads may start
    no other to name functions, and HDF5 may be part of the tool: then the place within the program is looked up here."""
    frames = [line for line in report.split(b"\n") if line.strip().startswith(b"#")]
    ours = [line for line in frames if not RUNTIME.search(line)]
    if not ours:
        return False
    place = re.search(rb"\((/[^()]*)\+(0x[0-9a-f]+)\)", ours[0])
    if b"libhdf5" in ours[0] or not place:
        return b"libhdf5" in ours[0] or b" in H5" in ours[0]
    p = subprocess.run(["addr2line", "-f", "-e", place.group(1).decode(), place.group(2).decode()], capture_output=True)
    return p.stdout.startswith(b"H5")


# Whatever is the matter, a command has ended by then; machines may have other things to do [s].
PATIENCE = 900


class Failure(Exception):
    pass


class Try:
    """One try of a campaign: its random numbers, its folder, and the commands that it gives."""

    def __init__(self, setting, name, seed, folder):
        self.tool, self.asan = setting.tool, setting.asan
        self.build, self.asan_build = setting.build, setting.asan_build
        self.store = setting.store  # what tries of all campaigns share: reference results
        self.random = random.Random(f"{name}:{seed}")
        self.seed, self.folder, self.log, self.said = seed, folder, [], b""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return name

    def demand(self, good, text):
        if not good:
            raise Failure(text)

    def run(self, *command, statuses=(0, 1, 2, 3), seconds=60, env=None, kill_after=None, strange_results=False):
        """Runs a command in the folder of the try. A signal, a status that is not among `statuses`, a sanitizer's report or
        `seconds` of processor time without an end are failures. With `kill_after` [s] it is killed then, unless it has ended."""
        self.log.append("cd %s && %s" % (shlex.quote(self.folder), " ".join(
            [f"{k}={shlex.quote(v)}" for k, v in (env or {}).items()] + [shlex.quote(c) for c in command])))
        everything = dict(os.environ, LC_ALL="C.UTF-8", UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1",
                          ASAN_OPTIONS="allocator_may_return_null=1", **(env or {}))  # fmt: skip
        p = subprocess.Popen(command, cwd=self.folder, env=everything, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5)))  # fmt: skip
        try:
            p.out, p.err = p.communicate(timeout=PATIENCE if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            p.kill()
            p.out, p.err = p.communicate()
            p.killed = True
            if kill_after is None:
                raise Failure("no end after %g s; last words: %s" % (PATIENCE, words(p.err)))
            self.log[-1] += "   # killed after %.4f s" % kill_after
            return p
        p.killed = False
        self.said = p.out + p.err
        self.demand(p.returncode != -signal.SIGXCPU, "no end after %g s of processor time: %s" % (seconds, words(p.err)))
        self.demand(not reports(p.err, strange_results), "sanitizer: " + words(p.err, 3000))
        self.demand(p.returncode in statuses, "status %d: %s" % (p.returncode, words(p.err)))
        return p


def words(text, most=600):
    return text[-most:].decode(errors="replace").strip()


class Campaign:
    """`attempt(t)` tries one seed and raises Failure, or tries many and returns how many it has tried and how many have failed.
    The campaign gets `share` times the seconds that were asked for."""

    def __init__(self, name, what, attempt, share=1):
        self.name, self.what, self.attempt, self.share = name, what, attempt, share


class Program:
    """A program that counts for itself: `command(setting, seconds, seed)` gives what is run, or None if it cannot be, and `counts(out)`
    gives (tried, failed) or a text in place of counts. It is run once in a round."""

    def __init__(self, name, what, command, counts):
        self.name, self.what, self.command, self.counts = name, what, command, counts


def counted(text):
    """The numbers of the last line "tried N held N failed N": tried and failed; None if there is no such line."""
    found = re.findall(r"tried (\d+),? held (\d+),? failed (\d+)", text)
    return (int(found[-1][0]), int(found[-1][2])) if found else None
