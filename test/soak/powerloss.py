#!/usr/bin/env python3
"""powerloss.py - power is lost after any system call of a run or a study: what was not synced is gone.

usage: powerloss.py SECONDS [--sample N]      CAPSTAN names the tool, SEED the first seed

The system calls of a run are recorded by strace and repeated on a model of a disk, in which a file has the content of its last
fsync or fdatasync, and a folder the names of its last fsync, until the next. After each call the power may go. Three kinds of
disks are left then: one that has nothing but what was synced; one that has all names, but of content only what was synced (an
empty file, if it never was); and one that has some of the pages and some of the names of since then. On each the run is taken up
again, or started again where nothing was left. It must end in the same bits as one that nobody disturbed. On the first two kinds it
must not have less to go on from than what was synced before; on the third the growing file may have become unreadable, which must
be said. Of a study the points of its table count, and what was committed has to be synced. Of other commands that write, files with their
names are whole, and all are there when the command has ended.
"""
import argparse
import os
import random
import re
import shutil
import sqlite3
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runs  # noqa: E402
import writers  # noqa: E402
from trial import Failure, Try  # noqa: E402

CALLS = ("openat,close,dup,dup2,dup3,fcntl,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,clone,"
         "clone3,fork,vfork,link,linkat,symlink,symlinkat,fallocate,copy_file_range,sendfile,writev,pwritev,pwritev2,lseek")  # fmt: skip
# Calls that would change files in a way that the model does not know.
UNKNOWN = {"renameat", "link", "linkat", "symlink", "symlinkat", "fallocate", "copy_file_range", "sendfile", "writev", "pwritev", "pwritev2"}
PAGE = 4096
# Commands whose files have to be on the disk when they have ended; exports can be made again.
WRITERS = ["sens", "fit", "optimize", "point"]


class File:
    """The content as programs see it, and as it was synced; None: never. The version of each changes with it."""

    def __init__(self):
        self.now, self.synced = bytearray(), None
        self.version, self.synced_version = 0, -1


class Disk:
    """One folder: names as programs see them, and as they were synced. Files are told apart by their number."""

    def __init__(self, folder, root):
        self.folder, self.root = folder, root  # as the program names it, and where that is
        self.files, self.names, self.synced_names = [], {}, {}
        self.there, self.synced_there = False, False  # the folder itself
        self.descriptors = {}  # pid -> {number: [kind, file, [offset]]}

    def inside(self, path):
        """The name within the folder; "" for the folder; None for what is elsewhere; "." for where the folder is."""
        path = os.path.normpath(path)
        if path.startswith(self.root):
            path = os.path.relpath(path, self.root)
        if path == self.folder:
            return ""
        if path == ".":
            return "."
        head, name = os.path.split(path)
        return name if head == self.folder else None

    def play(self, pid, call, args, result):
        table = self.descriptors.setdefault(pid, {})
        if call in ("clone", "clone3", "fork", "vfork"):
            self.descriptors[str(result)] = table if "CLONE_FILES" in " ".join(args) else dict(table)
        elif call == "openat":
            self.open(table, args, result)
        elif call == "close":
            table.pop(int(args[0]), None)
        elif call in ("dup", "dup2", "dup3") or (call == "fcntl" and args[1].startswith("F_DUPFD")):
            if int(args[0]) in table:
                table[result] = table[int(args[0])]
        elif call == "mkdir" and self.inside(text(args[0])) == "":
            self.there = True
        elif call in ("rename", "renameat2", "unlink", "unlinkat"):
            self.rename(call, args)
        elif args and args[0].isdigit() and int(args[0]) in table:
            self.change(call, table[int(args[0])], args, result)

    def open(self, table, args, result):
        table.pop(result, None)
        name = self.inside(text(args[1])) if args[0].startswith("AT_FDCWD") else None
        if args[0].isdigit():  # relative to a folder that is open
            kind, _, _ = table.get(int(args[0]), ("", None, None))
            name = text(args[1]) if kind == "folder" else None
        if name is None:
            return
        if name in ("", "."):
            table[result] = ("folder" if name == "" else "around", None, [0])
            return
        if name not in self.names:
            self.names[name] = len(self.files)
            self.files.append(File())
        file = self.files[self.names[name]]
        if "O_TRUNC" in args[2]:
            file.now = bytearray()
            file.version += 1
        table[result] = ("file", file, [0])

    def rename(self, call, args):
        at = {"rename": (0, 1), "renameat2": (1, 3), "unlink": (0, None), "unlinkat": (1, None)}[call]
        old = self.inside(text(args[at[0]]))
        new = self.inside(text(args[at[1]])) if at[1] is not None else None
        if old is None and new is None:
            return
        file = self.names.pop(old, None)
        if new is not None and file is not None:
            self.names[new] = file

    def change(self, call, descriptor, args, result):
        kind, file, offset = descriptor
        if call in ("fsync", "fdatasync"):
            if kind == "around":
                self.synced_there = self.there
            elif kind == "folder":
                self.synced_names = dict(self.names)
            elif file.synced_version != file.version:
                file.synced, file.synced_version = bytes(file.now), file.version
        elif kind != "file":
            return
        elif call == "ftruncate":
            size = int(args[1])
            file.version += 1
            file.now = file.now[:size] + bytes(max(0, size - len(file.now)))
        elif call == "lseek":
            offset[0] = result
        elif call in ("write", "pwrite64"):
            at = offset[0] if call == "write" else int(args[3])
            data = raw(args[1])[:result]
            file.version += 1
            file.now += bytes(max(0, at - len(file.now)))
            file.now[at : at + len(data)] = data
            if call == "write":
                offset[0] = at + len(data)

    def key(self, how):
        """What is left depends on nothing else."""
        names = self.synced_names if how == "synced" else self.names
        key = (self.there, self.synced_there, tuple(sorted((name, n, self.files[n].synced_version) for name, n in names.items())))
        if how == "some":
            key += (tuple(sorted(self.synced_names.items())), tuple(file.version for file in self.files))
        return how, key

    def left(self, how, random):
        """The files of the folder after the power has gone: name -> content; None: there is no folder."""
        if how == "synced" and not self.synced_there:
            return None
        if not self.there:
            return None
        names = dict(self.synced_names)
        if how == "names":
            names = dict(self.names)
        elif how == "some":
            for name in sorted(set(self.names) | set(names)):
                if random.random() < 0.5:
                    names.pop(name, None)
                    if name in self.names:
                        names[name] = self.names[name]
        out = {}
        for name, number in names.items():
            file = self.files[number]
            content = bytearray(file.synced or b"")
            if how == "some" and random.random() < 0.7:
                size = len(file.now) if random.random() < 0.5 else len(content)
                content = content[:size] + bytes(max(0, size - len(content)))
                for at in range(0, size, PAGE):
                    if random.random() < 0.5:
                        content[at : at + PAGE] = file.now[at : min(at + PAGE, size)].ljust(min(PAGE, size - at), b"\0")
            out[name] = bytes(content)
        return out


def raw(argument):
    return bytes.fromhex(argument.strip('"').replace("\\x", ""))


def text(argument):
    return raw(argument).decode(errors="surrogateescape")


LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\w+)")


def recorded(path):
    """The calls that succeeded, in the order in which they ended: (pid, name, arguments, result)."""
    begun, out = {}, []
    with open(path) as f:
        for line in f:
            pid = line.split(None, 1)[0]
            if line.rstrip().endswith("<unfinished ...>"):
                begun[pid] = line[: line.rindex("<unfinished")].rstrip()
                continue
            resumed = re.match(r"^(\d+) +<\.\.\. \w+ resumed>(.*)", line)
            if resumed:
                line = begun.pop(pid) + resumed.group(2)
            found = LINE.match(line)
            if found and not found.group(4).startswith("-"):
                number = found.group(4)
                out.append((pid, found.group(2), [a.strip() for a in found.group(3).split(", ")], int(number, 0) if number[0].isdigit() else 0))
    return out


def calls_of(t, command, statuses):
    t.run("strace", "-f", "-qq", "-xx", "-s", "100000000", "-e", "trace=" + CALLS, "-o", "calls", *command, statuses=statuses, seconds=300)
    calls = recorded(t.path("calls"))
    shutil.rmtree(t.path("out"))
    os.remove(t.path("calls"))
    return calls


def rows_left(t):
    """Rows that the run could go on from, or that it has finished with; 0 if it begins anew."""
    path = t.path("out/result.h5")
    if os.path.exists(t.path("out/checkpoint")) or os.path.exists(t.path("out/summary.json")):
        if os.path.exists(path):
            found, _ = runs.arrays(path, partial=True)
            return found["series/time"][1][0] if "series/time" in found else 0
    return 0


def put_disk(t, disk):
    shutil.rmtree(t.path("out"), ignore_errors=True)
    if disk is not None:
        os.mkdir(t.path("out"))
        for name, content in disk.items():
            with open(t.path("out/" + name), "wb") as f:
                f.write(content)
    t.log = []


def try_disk(t, kind, disk, command, promised, torn):
    """Takes the run up on what is left; returns the rows that were there. A file of which pages are missing may be refused: then
    None, and the run is started again."""
    put_disk(t, disk)
    if torn and os.path.exists(t.path("out/checkpoint")):
        p = t.run(t.tool, "run", "--resume", "out", "-q", statuses=(0, 1, 2, 3), seconds=120)
        if p.returncode == 0:
            runs.same(t, kind, "out")
            return 0
        t.demand(p.err.strip(), f"{kind}: refused without a word")
        shutil.rmtree(t.path("out"))
        t.run(*command, statuses=(0,), seconds=120)
        runs.same(t, kind, "out")
        return None
    rows = rows_left(t) if disk is not None and not torn else 0
    t.demand(rows >= promised, f"{kind}: {promised} rows were synced, and {rows} are left")
    runs.take_up(t, kind, "out", command)
    return rows


class Run:
    """A run, and what it goes on from."""

    def __init__(self, t, kind):
        self.kind = kind
        self.command = [t.tool, "run", "scene.yaml", "-o", "out", "-q", "--no-report", "--flush", "0"]
        runs.reference(t, kind)
        runs.scene(t.folder, kind)

    def try_disk(self, t, disk, promised, torn):
        return try_disk(t, self.kind, disk, self.command, promised, torn)


class Study:
    """A study, whose table has all points that were committed."""

    kind = "study"
    LEAST = 1.2  # that it takes, so that it commits several times, of which each is a quarter of a second [s]

    def __init__(self, t):
        self.command = [t.tool, "sweep", "study.yaml", "-q", "-j", "1", "-o", "out"]
        t.write("parts.yaml", runs.PARTS)
        t.write("study.yaml", runs.STUDY.replace("points: 12", "points: 24"))
        until, took = 10, 0
        while took < self.LEAST:
            until *= 2
            t.write("scene.yaml", runs.bodies(law="coulomb-static", until=until, solver="events", more="tolerance: 1e-7", every=0.1))
            shutil.rmtree(t.path("whole"), ignore_errors=True)
            took = time.monotonic()
            t.run(*self.command[:-1], "whole", statuses=(0,), seconds=300)
            took = time.monotonic() - took
        self.whole = runs.rows_of(t.path("whole"))

    def points_left(self, t):
        """In a copy: who looks at a table changes it."""
        shutil.rmtree(t.path("look"), ignore_errors=True)
        shutil.copytree(t.path("out"), t.path("look"))
        try:
            return len(runs.rows_of(t.path("look")))
        except (sqlite3.OperationalError, IndexError):  # there is no table yet, or no file
            return 0

    def secured(self, t, calls):
        """How many points were synced at some time or other: a study of a second commits several times."""
        disk, seen, counts = Disk("out", t.folder), set(), set()
        for call in calls:
            disk.play(*call)
            left = disk.left("synced", None) if call[1] in ("fsync", "fdatasync") and disk.key("synced") not in seen else None
            if left:
                seen.add(disk.key("synced"))
                put_disk(t, left)
                counts.add(self.points_left(t))
        return sorted(counts)

    def try_disk(self, t, disk, promised, torn):
        put_disk(t, disk)
        points = self.points_left(t) if disk is not None else 0
        t.demand(torn or points >= promised, f"{promised} points were synced, and {points} are left")
        t.run(*self.command, *(["--resume"] if disk else []), statuses=(0,), seconds=300)
        t.demand(runs.rows_of(t.path("out")) == self.whole, "the table differs from that of a study that nobody disturbed")
        return points


class Writer:
    """A command that writes files at its end: those that have their names are whole, and when it has ended all have them."""

    def __init__(self, t, name):
        self.kind, self.name = "write-" + name, name
        self.command = writers.prepare(t, name)
        os.rmdir(t.path("out"))
        self.files = writers.COMMANDS[name][0]

    def try_disk(self, t, disk, promised, torn):
        """How many files are there."""
        put_disk(t, disk)
        found = [file for file in self.files if os.path.exists(t.path("out/" + file))]
        for file in found:
            try:
                writers.whole(t.path("out/" + file))
            except Exception as e:
                raise Failure(f"{file} is not whole: {e}")
        t.demand(torn or len(found) >= promised, f"{promised} files were synced, and {len(found)} are left")
        t.run(*self.command, statuses=writers.UNDONE.get(self.name, (0,)), seconds=120)
        writers.look(t, self.name, True)
        return len(found)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("seconds", type=float)
    options.add_argument("--sample", type=int, default=10**9, help="at most so many disks of the first two kinds, and of the third, for each kind of run")
    setting = options.parse_args()
    seed, start = int(os.environ.get("SEED", 1)), time.monotonic()
    setting.tool = os.environ["CAPSTAN"]
    setting.asan = setting.build = setting.asan_build = None
    tried = failed = refused = 0
    with tempfile.TemporaryDirectory() as place:
        setting.store = os.path.join(place, "store")
        names = sorted(runs.SHORT) + ["study"] + WRITERS
        for number_of, name in enumerate(names):
            dice = random.Random(f"{seed}:{name}")
            t = Try(setting, "powerloss", seed, os.path.join(place, "work"))
            subject = Study(t) if name == "study" else Writer(t, name) if name in WRITERS else Run(t, "short-" + name)
            kind = subject.kind
            calls = calls_of(t, subject.command, writers.UNDONE.get(name, (0,)))
            unknown = {call for _, call, _, _ in calls} & UNKNOWN
            if unknown:
                print(f"powerloss: {kind}: the model does not know {sorted(unknown)}")
                return 1
            if name == "study":
                counts, tried = subject.secured(t, calls), tried + 1
                print(f"powerloss: study: {counts} points were synced, one after the other", flush=True)
                if len(counts) < 4:
                    failed += 1
                    print("powerloss: study: what is committed is not synced")
            # first which disks there are, then those that are tried, in their order: what has been synced is not lost later
            points, seen, disk, promised = [], set(), Disk("out", t.folder), 0
            for number, call in enumerate(calls):
                disk.play(*call)
                for how in ("synced", "names", "some"):
                    if disk.key(how) not in seen:
                        seen.add(disk.key(how))
                        points.append((number, how))
            print(f"powerloss: {kind}: {len(calls)} calls leave {len(points)} disks", flush=True)
            chosen = [p for p in points if p[1] != "some"], [p for p in points if p[1] == "some"]
            last = [p for p in points if p[1] == "synced"][-1]
            chosen = [dice.sample(some, setting.sample) if len(some) > setting.sample else some for some in chosen]
            points = sorted(set(chosen[0] + chosen[1] + [last]))
            disk, played = Disk("out", t.folder), 0
            for number, how in points:
                if time.monotonic() - start > setting.seconds * (1 + number_of) / len(names):
                    break
                for one in calls[played : number + 1]:
                    disk.play(*one)
                played, call = number + 1, f"{calls[number][1]}({', '.join(calls[number][2])[:60]}...)"
                left = disk.left(how, dice)
                tried += 1
                try:
                    rows = subject.try_disk(t, left, 0 if how == "some" else promised, how == "some")
                    if how == "synced":
                        promised = max(promised, rows)
                    refused += rows is None
                except Exception as e:
                    failed += 1
                    print(f"powerloss: {kind}: after call {number}, {call}, disk '{how}': {str(e)[-400:]}", flush=True)
            print(f"powerloss: {kind}: {promised} rows were promised in the end", flush=True)
            if name in WRITERS and played > last[0] and promised < len(subject.files):
                print(f"powerloss: {kind}: it had ended, and only {promised} of {len(subject.files)} files were synced")
                tried, failed = tried + 1, failed + 1
            if promised == 0 and played > last[0]:
                print(f"powerloss: {kind}: nothing is ever synced")
                tried, failed = tried + 1, failed + 1
    print(f"powerloss: {refused} growing files of which pages were lost were refused, with words, and the run started again")
    print(f"tried {tried} held {tried - failed} failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
