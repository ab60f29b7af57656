#!/usr/bin/env bash
# Runs that are killed at random moments: what they leave is readable, and resumed they end in the same bits.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # waiting for a disk is not what takes the time here
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
checks=$((checks + 1))
"$python" - "$CAPSTAN" "$tmp" "${KILLS:-200}" <<'PY' || fail "a run that was killed differs"
import glob, h5py, json, numpy as np, os, random, shutil, signal, subprocess, sys, time
tool, tmp, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.chdir(tmp)
random.seed(int(os.environ.get("SEED", time.time_ns() % 10**6)))

SCENE = """capstan: 1
title: To be killed
include: parts.yaml
surfaces:
  belt: {{velocity: {{sine: {{amplitude: 0.6, omega: 3.1, offset: 0.2}}}}}}
springs:
  s: {{between: [{{ground: 0}}, a], stiffness: 40, damping: 0.1}}
  t: {{between: [a, b], stiffness: 30, length: 0.5}}
contacts:
  one: {{between: [a, belt], normal: weight, friction: {law}}}
  two: {{between: [b, ground], normal: 3 N, friction: {law}}}
loads:
  push: {{on: b, force: {{pulses: {{amplitude: 8, start: 0.3, width: 0.4, period: 0.9, count: 100000}}}}}}
run: {{until: {until}, solver: {solver}, {more}}}
outputs: {{every: {every}, columns: ["bodies.*", "contacts.*", energy.error]}}
"""
open("parts.yaml", "w").write("bodies:\n  a: {mass: 1 kg}\n  b: {mass: 2 kg, x: 0.5}\n")
CASES = {
    "rk4": dict(law="{lugre: {sigma0: 1000, sigma1: 30}}", until=30, more="step: 0.5 ms", every=0.05),
    "events": dict(law="coulomb-static", until=400, more="tolerance: 1e-7", every=0.5),
    "alpha": dict(law="quinn", until=40, more="tolerance: 1e-6", every=0.02),
    "bdf": dict(law="cdq", until=60, more="tolerance: 1e-6", every=0.1),
}

def run(*args):
    return subprocess.Popen([tool, "run", "--flush", "0.01", "--quiet", *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

def datasets(path, swmr=False):
    """All arrays of a file, cut to what is complete."""
    with h5py.File(path, "r", swmr=swmr) as f:
        out, done = {}, f["recorded"][:]
        def take(name, d):
            if not isinstance(d, h5py.Dataset) or name in ("status", "summary", "recorded"): return
            head = name.split("/")[0]
            n = {"series": done[0], "events": done[1], "fields": done[2]}.get(head)
            if n is not None and not d.attrs.get("constant", 0):
                assert d.shape[0] >= n, (name, d.shape, n)
                out[name] = d[:n]
            else:
                out[name] = d[()]
        f.visititems(take)
        return out, f["status"][()].decode(), done

def bits(a):
    return np.asarray(a).tobytes()

def summary(folder):
    s = json.load(open(folder + "/summary.json"))
    del s["wall_time"], s["processor_time"]
    return s

counts = dict(killed=0, too_late=0, early=0, resumed=0, partial=0)
for solver, case in CASES.items():
    open(solver + ".yaml", "w").write(SCENE.format(solver=solver, **case))
    start = time.time()
    p = run(solver + ".yaml", "-o", solver)
    # the time of a whole run, within which it is killed
    err = p.communicate()[1]
    assert p.returncode == 0, err
    span = time.time() - start
    print(solver, round(span, 2), "s")
    whole, status, _ = datasets(solver + "/result.h5")
    assert status == "complete" and len(whole["series/time"]) > 500
    want = summary(solver)
    done = 0
    while done < kills // len(CASES):
        folder = "k"
        shutil.rmtree(folder, ignore_errors=True)
        args = [solver + ".yaml", "-o", folder]
        while True:
            p = run(*args)
            time.sleep(random.uniform(0, 1.1 * span))
            p.send_signal(signal.SIGKILL)
            err = p.communicate()[1].decode()
            done += 1
            if p.returncode == 0:
                counts["too_late"] += 1
                break
            assert p.returncode == -signal.SIGKILL, (p.returncode, err)
            counts["killed"] += 1
            if not os.path.exists(folder + "/checkpoint"):
                if os.path.exists(folder + "/summary.json"): # all but the report was done
                    counts["too_late"] += 1
                    break
                counts["early"] += 1 # nothing to lose yet
                shutil.rmtree(folder, ignore_errors=True)
                args = [solver + ".yaml", "-o", folder]
                continue
            if not os.path.exists(folder + "/result.h5"): # it had hardly begun, and is started again all the same
                counts["early"] += 1
                args = ["--resume", folder]
                continue
            try:
                found, status, rows = datasets(folder + "/result.h5", swmr=True)
            except (OSError, ValueError): # it had been closed already
                found, status, rows = datasets(folder + "/result.h5")
            counts["partial"] += 0 < rows[0] < len(whole["series/time"])
            for name, value in found.items():
                ours = whole[name][:len(value)] if name.split("/")[0] in ("series", "events", "fields") else whole[name]
                assert bits(ours) == bits(value), (solver, name)
            args = ["--resume", folder]
            counts["resumed"] += 1
            if done % 3 == 0: # and now to the end
                p = run(*args)
                err = p.communicate()[1]
                assert p.returncode == 0, err
                break
        got, status, _ = datasets(folder + "/result.h5")
        assert status == "complete" and sorted(got) == sorted(whole)
        for name in whole:
            assert bits(whole[name]) == bits(got[name]), (solver, name)
        assert summary(folder) == want, solver
        left = [f for f in os.listdir(folder) if f not in ("result.h5", "summary.json", "scenario.yaml", "series.csv", "events.csv", "report.html")]
        assert left == [], left
        if os.path.exists(solver + "/series.csv"):
            assert open(folder + "/series.csv").read() == open(solver + "/series.csv").read()
print(counts)
assert counts["resumed"] > kills // 4 and counts["partial"] > kills // 8, counts
PY
finish
