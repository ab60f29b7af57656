#!/usr/bin/env bash
# capstan run: results, summary, settings, failures, files that cannot be written, being stopped.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

judge() { # a Python program, from standard input, that has to be content with the files
  have_python || return 0
  checks=$((checks + 1))
  python3 - "$@" || fail "capstan run: wrong results"
}

cat >"$tmp/block.yaml" <<'YAML'
capstan: 1
title: Block on a belt
bodies:
  block: {mass: 1 kg}
surfaces:
  belt: {velocity: 1 m/s}
springs:
  k: {between: [ground, block], stiffness: 10 N/m}
contacts:
  c: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}
run: {until: 10 s, output: 0.5 s, solver: events, tolerance: 1e-12, absolute_tolerance: 1e-14}
YAML
cd "$tmp" || exit 1

# A run whose energy does not close is warned about, or has failed; its results are kept.
cat >"$tmp/loses.yaml" <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg, x: 1 m}}
springs: {k: {between: [block, ground], stiffness: 1e6}}
run: {until: 1 s, solver: rk4, output: 10 ms, step: 0.2 ms}
YAML
expect 0 run loses.yaml
has "$err" "warning: what the audit of energy leaves open"
has loses.results/summary.json "% of the largest energy"
expect 1 run --set "run.step=0.5 ms" loses.yaml
has "$err" "do not trust this result"
has loses.results/summary.json '"status": "failed"'
expect 1 run --set "run.step=5 ms" loses.yaml
has "$err" "has run away"

# Results in a folder named after the file, in the current directory.
expect 0 run block.yaml
has "$out" "Block on a belt"
has "$out" "friction work"
has "$out" "block.results/"
is_empty "$err"
for file in result.h5 series.csv events.csv summary.json scenario.yaml; do
  checks=$((checks + 1))
  [ -s "block.results/$file" ] || fail "block.results/$file is missing"
done
checks=$((checks + 1))
cmp -s block.yaml block.results/scenario.yaml || fail "the copy of the scenario differs"
has block.results/series.csv "time [s],bodies.block.x [m],bodies.block.v [m/s]"
has block.results/events.csv "0.151334705612"
judge block.results <<'PY'
import csv, json, sys
d = json.load(open(sys.argv[1] + "/summary.json"))
assert d["status"] == "complete" and d["error"] is None, d["status"]
assert d["title"] == "Block on a belt" and d["settings"] == [] and len(d["hash"]) == 64
assert d["run"]["solver"] == "events" and d["run"]["reached"] == 10
assert d["events"]["count"] == 10 and d["events"]["first"][0]["contact"] == "c"
assert abs(d["events"]["first"][1]["time"] - 0.858989370921) < 1e-11
assert d["contacts"]["c"]["law"] == "coulomb-static" and d["contacts"]["c"]["transitions"] == 10
assert abs(d["contacts"]["c"]["friction_work"] - d["energy"]["friction"]) < 1e-12
assert d["energy"]["relative_error"] < 1e-10 and d["counters"]["steps"] > 0 and d["wall_time"] > 0
p = d["processor_time"]
assert p["total"] > 0 and abs(sum(p.values()) - 2 * p["total"]) < 1e-9 and p["dynamics"] > 0 and p["result"] > 0 and p["report"] > 0
assert d["wall_time"] > 0.5 or p["securing"] == 0, "a short run secures nothing: it is written once"
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
assert len(rows) == d["rows"] + 1 == 22
x = [float(r[1]) for r in rows[1:]]
e = d["extremes"]["bodies.block.x"]
assert e["max"] == max(x) and e["min"] == min(x) and e["unit"] == "m"
assert d["end"]["bodies.block.x"] == x[-1]
assert len(list(csv.reader(open(sys.argv[1] + "/events.csv")))) == 11
PY

# The same file gives the same bits.
expect 0 run block.yaml -o again --quiet
is_empty "$out"
checks=$((checks + 1))
cmp -s block.results/series.csv again/series.csv || fail "two runs of the same file differ"
checks=$((checks + 1))
cmp -s block.results/events.csv again/events.csv || fail "events of two runs of the same file differ"

# Settings; folders are made; --json is one document.
expect 0 run block.yaml --set run.until='2 s' -s contacts.c.friction.mu_s=0.9 --json -o deep/er/folder
is_empty "$err"
judge "$out" deep/er/folder/summary.json <<'PY'
import json, sys
d, e = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
assert d["run"]["until"] == 2 and d["settings"] == ["run.until=2 s", "contacts.c.friction.mu_s=0.9"], d["settings"]
assert d["end"] == e["end"] and d["hash"] == e["hash"]
PY

# Bad input: all of it, and nothing is run.
sed 's/mass: 1 kg/mass: -1 kg/; s/stiffness: 10/stifness: 10/' block.yaml >bad.yaml
expect 2 run bad.yaml
is_empty "$out"
has "$err" "bad.yaml:4:17: bodies.block.mass"
has "$err" "stifness"
checks=$((checks + 1))
[ ! -e bad.results ] || fail "bad.results was made"
expect 2 run bad.yaml --json
is_empty "$err"
judge "$out" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["status"] == "bad input" and len(d["problems"]) == 2, d
PY
expect 2 run
has "$err" "which file?"
expect 2 run block.yaml again
expect 2 run block.yaml --st run.until=1
has "$err" "did you mean '--set'?"
expect 3 run nowhere.yaml
expect 0 run --help
has "$out" "Usage: capstan run FILE"

# A run that fails says when and why, and keeps what it has.
expect 1 run block.yaml --set run.max_steps=100 -o short
has "$err" "at t = "
has "$err" "run.max_steps"
has "$err" "what was computed until then is in short"
judge short <<'PY'
import csv, json, sys
d = json.load(open(sys.argv[1] + "/summary.json"))
assert d["status"] == "failed" and d["error"]["time"] > 0 and "max_steps" in d["error"]["text"], d["error"]
assert len(list(csv.reader(open(sys.argv[1] + "/series.csv")))) == d["rows"] + 1
PY

# Folders that cannot be written.
expect 3 run block.yaml -o block.yaml
has "$err" "cannot make the folder 'block.yaml': Not a directory"
expect 3 run block.yaml -o block.yaml/deeper
expect 3 run block.yaml -o ''

# A full disk: the results of the run before stay as they were.
cp -r block.results before
status=0
(trap '' XFSZ && ulimit -f 1 && "$CAPSTAN" run block.yaml --set run.output=0.001 -o before >"$out" 2>"$err") || status=$?
checks=$((checks + 2))
[ "$status" = 3 ] || fail "a disk that is full: exit status $status, not 3"
diff -r block.results before >/dev/null || fail "a run that could not be written spoilt the one before it"
has "$err" "cannot write 'before/checkpoint': File too large"

# Stopped: status 1, and results up to there.
"$CAPSTAN" run block.yaml --set run.until=1e7 --set run.max_steps=1e15 -o stopped >"$out" 2>"$err" &
pid=$!
for _ in $(seq 200); do
  sleep 0.05
  [ ! -d stopped ] || break
done
sleep 0.3
kill -TERM $pid
status=0
wait $pid || status=$?
checks=$((checks + 1))
[ "$status" = 1 ] || fail "stopped: exit status $status, not 1"
has "$err" "stopped"
has stopped/summary.json '"status": "stopped"'

finish
