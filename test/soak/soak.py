#!/usr/bin/env python3
"""soak.py - long campaigns against the tool: kills, faults, strange inputs, random machines. `make soak` runs them all.

usage: soak.py [--seconds N] [--jobs N] [--only NAME,...] [--first SEED] [--count N] [--folder F] [--add] [--rounds N] [--list]
       soak.py --sum F...

Each campaign tries one seed after the other for N seconds, as many campaigns at a time as --jobs says. What is tried depends on the seed alone (but for the moments of
kills, which the clock gives), so a failure is repeated by `soak.py --only NAME --first SEED --count 1`. The folder of a failed
try is kept in F/failures/NAME-SEED, with the commands in `what`. F/table.md has one line for each campaign: tried, held, failed;
with --add it goes on from the counts and seeds of before, otherwise seeds start with --first. --sum prints one table of those in
several folders, of campaigns that ran beside each other or one after the other; their seeds have to differ. Ctrl-C and SIGTERM
end it with the table of the campaigns that have ended.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback

from campaigns import ALL
from trial import ROOT, Failure, Program, Try, words


COUNTS = ("tried", "held", "failed", "seconds", "processor")


class Table:
    """What was tried, over all rounds; it is written after each campaign, so that it is there whenever one looks."""

    def __init__(self, folder, go_on, first):
        self.folder, self.file, self.first = folder, os.path.join(folder, "table.json"), first
        self.rows = {}
        if go_on and os.path.exists(self.file):
            with open(self.file) as f:
                self.rows = json.load(f)

    def add(self, other):
        """Counts of another table; a campaign keeps its place in the list."""
        for name, r in other.rows.items():
            if name not in self.rows:
                self.rows[name] = dict(r)
                continue
            for key in COUNTS:
                self.rows[name][key] = self.rows[name].get(key, 0) + r.get(key, 0)
        self.sort()

    def sort(self):
        order = [campaign.name for campaign in ALL]
        self.rows = {name: self.rows[name] for name in sorted(self.rows, key=order.index)}

    def row(self, campaign):
        """What is known of a campaign so far, as a copy."""
        new = dict(what=campaign.what, tried=0, held=0, failed=0, seconds=0, processor=0, seed=self.first, note="")
        return dict(new, **self.rows.get(campaign.name, {}))

    def put(self, name, row):
        self.rows[name] = row
        self.sort()
        self.write()

    def write(self):
        with open(self.file + ".part", "w") as f:
            json.dump(self.rows, f, indent=1)
        os.replace(self.file + ".part", self.file)
        with open(os.path.join(self.folder, "table.md"), "w") as f:
            f.write(self.text())

    def text(self):
        lines = ["| campaign | what | tried | held | failed | minutes | of a processor |", "|---|---|---|---|---|---|---|"]
        for name, r in self.rows.items():
            counts = r["note"] and f"{r['note']} | | " or f"{r['tried']} | {r['held']} | {r['failed']}"
            lines.append(f"| `{name}` | {r['what']} | {counts} | {r['seconds'] / 60:.1f} | {r.get('processor', 0) / 60:.1f} |")
        total = [sum(r.get(k, 0) for r in self.rows.values()) for k in COUNTS]
        lines.append("| all | | %d | %d | %d | %.1f | %.1f |" % (*total[:3], total[3] / 60, total[4] / 60))
        return "\n".join(lines) + "\n"


def keep(setting, name, seed, t, reason):
    """The folder of a failed try stays, with what repeats it."""
    place = os.path.join(setting.folder, "failures", f"{name}-{seed}")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    shutil.move(t.folder, place)
    with open(os.path.join(place, "what"), "w") as f:
        f.write(f"{reason}\n\nto repeat: test/soak/soak.py --only {name} --first {seed} --count 1\n\n")
        f.write("\n".join(line.replace(t.folder, place) for line in t.log) + "\n")
    print(f"soak: {name} {seed} FAILED: {reason.strip().splitlines()[-1][:200]}\n      kept in {place}", flush=True)


def soak(setting, campaign, row, count):
    start, seed, last = time.monotonic(), row["seed"], row["seed"] + count
    while seed < last and time.monotonic() - start < campaign.share * setting.seconds:
        t = Try(setting, campaign.name, seed, os.path.join(setting.folder, "work", campaign.name))
        tried, failed = 1, 0
        try:
            tried, failed = campaign.attempt(t) or (1, 0)
            if failed:
                keep(setting, campaign.name, seed, t, f"{failed} of {tried} failed: " + words(t.said))
        except Failure as failure:
            failed = 1
            keep(setting, campaign.name, seed, t, str(failure))
        except Exception:  # what a try leaves cannot even be looked at
            failed = 1
            keep(setting, campaign.name, seed, t, traceback.format_exc(limit=-3))
        for key, n in (("tried", tried), ("failed", failed), ("held", tried - failed)):
            row[key] += n
        seed += 1
    row["seconds"] += time.monotonic() - start
    row["seed"] = seed


def run_program(setting, program, row):
    start = time.monotonic()
    command = program.command(setting, setting.seconds, row["seed"])
    if not command:
        print(f"soak: {program.name}: not there, left out")
        return False
    log = os.path.join(setting.folder, program.name + ".log")
    with open(log, "wb") as out:
        status = subprocess.call(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    with open(log, errors="replace") as f:
        found = program.counts(f.read())
    if isinstance(found, str):
        row["note"] = found
    elif found:
        tried, failed = found
        row["tried"] += tried
        row["failed"] += failed
        row["held"] += tried - failed
    if not found or (status != 0 and not (isinstance(found, tuple) and found[1])):
        row["tried"] += 1
        row["failed"] += 1
        print(f"soak: {program.name} FAILED with status {status}: {shlex.join(command)}, see {log}")
    row["seconds"] += time.monotonic() - start
    row["seed"] += 1
    return True


def one(setting, name, row):
    """One campaign, in a process of its own, which has a store of its own, too."""
    campaign = next(c for c in ALL if c.name == name)
    if setting.jobs > 1:
        setting.store = os.path.join(setting.folder, "store", str(os.getpid()))
        os.makedirs(setting.store, exist_ok=True)
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    there = True
    if isinstance(campaign, Program):
        there = run_program(setting, campaign, row)
    else:
        soak(setting, campaign, row, setting.count)
    row["processor"] += sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
    return row if there else None


def take(table, name, row):
    if row:
        table.put(name, row)
        print("soak: %-18s %s" % (name, row["note"] or "tried %d held %d failed %d" % (row["tried"], row["held"], row["failed"])), flush=True)


def play(setting, campaigns, table):
    """All campaigns once, in their order, or those that take longest first if some run at a time."""
    if setting.jobs == 1:
        for campaign in campaigns:
            take(table, campaign.name, one(setting, campaign.name, table.row(campaign)))
        return
    campaigns = sorted(campaigns, key=lambda campaign: -getattr(campaign, "share", 1))
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(setting.jobs, fork, os.setpgrp) as pool:
        jobs = {pool.submit(one, setting, campaign.name, table.row(campaign)): campaign.name for campaign in campaigns}
        try:
            for job in concurrent.futures.as_completed(jobs):
                take(table, jobs[job], job.result())
        except KeyboardInterrupt:
            for process in list(pool._processes):  # each with all that it has started
                os.killpg(process, signal.SIGKILL)
            raise


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--count", type=int, default=10**9)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--folder", default=os.path.join(ROOT, "build-soak"))
    options.add_argument("--build", default=os.path.join(ROOT, "build"))
    options.add_argument("--asan-build", default=os.path.join(ROOT, "build-asan"))
    options.add_argument("--add", action="store_true")
    options.add_argument("--list", action="store_true")
    options.add_argument("--sum", nargs="+", default=[])
    setting = options.parse_args()
    if setting.list:
        for campaign in ALL:
            print(f"{campaign.name:18} {campaign.what}")
        return 0
    if setting.sum:
        total = Table(setting.sum[0], True, 1)
        for folder in setting.sum[1:]:
            total.add(Table(folder, True, 1))
        print(total.text(), end="")
        return 0
    names = [name for name in setting.only.split(",") if name]
    unknown = set(names) - {campaign.name for campaign in ALL}
    if unknown:
        sys.exit(f"soak: no campaign is called {', '.join(sorted(unknown))}; --list names them")
    setting.folder = os.path.abspath(setting.folder)
    setting.tool, setting.asan = os.path.join(setting.build, "capstan"), os.path.join(setting.asan_build, "capstan")
    setting.store = os.path.join(setting.folder, "store")
    shutil.rmtree(setting.store, ignore_errors=True)  # it may be of another build
    for name in ("store", "work"):
        os.makedirs(os.path.join(setting.folder, name), exist_ok=True)
    table = Table(setting.folder, setting.add, setting.first)
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell has it ignored in the background
        signal.signal(number, signal.default_int_handler)
    chosen = [campaign for campaign in ALL if not names or campaign.name in names]
    try:
        for _ in range(setting.rounds):
            play(setting, chosen, table)
    except KeyboardInterrupt:
        print("soak: ended before its time; what had not ended does not count")
    table.write()
    print(table.text())
    return 1 if any(row["failed"] for row in table.rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
