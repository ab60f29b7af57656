#!/usr/bin/env bash
# capstan sweep: a table whose numbers are known, threads and parts to the bit, kills and --resume, merging, and bad input.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
cat >slide.yaml <<'Y'
capstan: 1
title: A block that is thrown
bodies: {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 3, output: 0.05, solver: events}
Y
cat >study.yaml <<'Y'
study: 1
title: Friction and speed
scenario: slide.yaml
vary:
  mu: {path: contacts.floor.friction.mu, uniform: {low: 0.1, high: 0.5}}
  speed: {path: bodies.block.v, range: [50 cm/s, 2 m/s]}
sample: {method: sobol, points: 200, seed: 3}
outputs: {far: bodies.block.x, stop: event(1)}
limits: [far < 1 m]
Y

expect 0 sweep study.yaml --dry-run
for text in "runs        200" "sobol, 2 parameters" "about"; do has "$out" "$text"; done
expect 0 sweep study.yaml --threads 2 --csv
for text in "Friction and speed" "200 of 200" "broke a limit" "study.sweep/points.sqlite"; do has "$out" "$text"; done
is_file study.sweep/points.sqlite
has study.sweep/points.csv "point,mu,speed,far,stop,status,message,steps,iterations,rejected,seconds"
if ! have_python || ! python3 -c 'import sqlite3' 2>/dev/null; then
  echo "sweep: without python3 and its sqlite3 the tables are not looked at"
  finish
  exit
fi
checks=$((checks + 1))
python3 - study.sweep/points.sqlite <<'PY' || fail "the table is wrong"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT point, mu, speed, far, stop, status, message FROM points ORDER BY point").fetchall()
assert [r[0] for r in rows] == list(range(200))
for _, mu, v, far, stop, status, message in rows:
    assert 0.1 <= mu <= 0.5 and 0.5 <= v <= 2
    assert abs(far - v * v / (2 * mu * 9.81)) < 1e-6 and abs(stop - v / (mu * 9.81)) < 1e-6
    assert status == ("limit" if far > 1 else "ok") and ("above the limit of 1" in message) == (far > 1), message
study = dict(db.execute("SELECT key, value FROM study"))
assert study["method"] == "sobol" and study["seed"] == "3" and study["count"] == "200" and study["dimensions"] == "mu\nspeed"
assert "thrown" in study["scenario_text"] and "Friction" in study["study_text"]
columns = {c[0]: c[1:] for c in db.execute("SELECT * FROM columns")}
assert columns["speed"] == ("parameter", "m/s", "bodies.block.v", 0.5, 2.0)
assert columns["far"] == ("output", "m", "bodies.block.x", None, 1.0)
assert columns["seconds"][0] == "counter"
PY
table study.sweep/points.sqlite >whole

# A section without anything in it is none.
for section in vary outputs; do
  sed "/^$section:/,/^[a-z]/{/^$section:/s/:.*/:/;/^ /d}" study.yaml >nothing.yaml
  expect 2 sweep nothing.yaml -o nothing.sqlite
  has "$err" "$section: found nothing; expected"
done

# A table that is there is not written over; --resume finds nothing to do.
expect 2 sweep study.yaml
has "$err" "--resume"
expect 0 sweep study.yaml --resume --json
near "done" "$(number "$out" "done")" 200
near before "$(number "$out" before)" 200

# Parts are the whole, to the bit.
for i in 1 2 3; do expect 0 sweep study.yaml --shard $i/3 -o parts --threads $i --quiet; done
expect 0 sweep --merge parts/shard-*.sqlite
has "$out" "parts/points.sqlite has 200 of 200 points"
table parts/points.sqlite >merged
same whole merged
expect 0 sweep --merge parts/shard-0001-of-0003.sqlite parts/shard-0002-of-0003.sqlite -o two.sqlite
has "$out" "some are still missing"
for launcher in "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3" "PMI_RANK=1 PMI_SIZE=3" "SLURM_PROCID=1 SLURM_NTASKS=3" \
  "SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=0 SLURM_NTASKS=1"; do
  checks=$((checks + 1))
  rm -rf auto
  # shellcheck disable=SC2086
  env $launcher "$CAPSTAN" sweep study.yaml --shard auto -o auto --quiet || fail "--shard auto with $launcher"
  table auto/shard-0002-of-0003.sqlite >part
  table parts/shard-0002-of-0003.sqlite >wanted
  same part wanted
done
expect 2 sweep study.yaml --shard auto
has "$err" "there is no Slurm"
expect 2 sweep study.yaml --shard 4/3
expect 0 sweep study.yaml --slurm --tasks 5
has "$out" "#SBATCH --array=1-5"
checks=$((checks + 1))
bash -n "$out" || fail "the Slurm script is none"

# Killed, again and again, at any time: nothing is lost, nothing is there twice.
sed 's/points: 200/points: 1500/' study.yaml >long.yaml
expect 0 sweep long.yaml -o calm --quiet
table calm/points.sqlite >calm.txt
for delay in 0.05 0.15 0.1 0.3; do
  "$CAPSTAN" sweep long.yaml -o killed --resume --quiet 2>/dev/null &
  pid=$!
  sleep $delay
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
done
expect 0 sweep long.yaml -o killed --resume --quiet
table killed/points.sqlite >killed.txt
same calm.txt killed.txt
# Asked to stop, it says how to go on.
checks=$((checks + 1))
sed 's/points: 200/points: 1000000/' study.yaml >endless.yaml
"$CAPSTAN" sweep endless.yaml -o stopped --quiet 2>"$err" &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid && fail "a sweep that was stopped has exit status 0"
has "$err" "of 1000000 points"
has "$err" "--resume"
expect 0 sweep --merge stopped/points.sqlite -o part.sqlite --no-report
has "$out" "of 1000000 points: some are still missing"

# A table that was damaged, or changed by somebody: not gone on with, and not merged.
tamper() { # SQL: of a copy of a whole table
  rm -rf tampered && mkdir tampered && cp study.sweep/points.sqlite tampered
  python3 -c 'import sqlite3, sys; db = sqlite3.connect("tampered/points.sqlite"); db.execute(sys.argv[1]); db.commit()' "$1"
  expect 2 sweep study.yaml -o tampered --resume
}
tamper "UPDATE points SET point = 5000 WHERE point = 7"
has "$err" "points that this study cannot have"
tamper "UPDATE points SET status = 'well' WHERE point = 7"
has "$err" "points that this study cannot have"
expect 2 sweep --merge tampered/points.sqlite -o x.sqlite
has "$err" "points that this study cannot have"
tamper "ALTER TABLE points ADD COLUMN more"
has "$err" "other columns than the study"
cp study.sweep/points.sqlite tampered/points.sqlite
python3 - <<'PY'
import struct
name = "tampered/points.sqlite"
data = bytearray(open(name, "rb").read())
size = struct.unpack(">H", data[16:18])[0]
for at in range(size, len(data), size):  # two cells of a leaf change their places
    if data[at] == 0x0D and struct.unpack(">H", data[at + 3 : at + 5])[0] > 5:
        data[at + 8 : at + 12] = data[at + 10 : at + 12] + data[at + 8 : at + 10]
open(name, "wb").write(data)
PY
expect 2 sweep study.yaml -o tampered --resume
has "$err" "is damaged"

# Another study, another scenario: not in one table.
sed 's/seed: 3/seed: 4/' study.yaml >other.yaml
expect 2 sweep other.yaml -o study.sweep --resume
has "$err" "another study file"
sed -i 's/mass: 2 kg/mass: 3 kg/' slide.yaml
expect 2 sweep study.yaml --resume
has "$err" "another scenario"
expect 0 sweep study.yaml --shard 1/3 -o changed --quiet
expect 2 sweep --merge parts/shard-0002-of-0003.sqlite changed/shard-0001-of-0003.sqlite -o x.sqlite
has "$err" "another scenario"
sed -i 's/mass: 3 kg/mass: 2 kg/' slide.yaml

# Points that fail say so, and are kept; one of them again.
cat >fails.yaml <<'Y'
study: 1
scenario: slide.yaml
vary: {max: {path: run.max_steps, list: [1000000, 3]}}
outputs: [bodies.block.x]
keep: failed
Y
if "$CAPSTAN" check slide.yaml --set run.max_steps=3 >/dev/null 2>&1; then
  expect 0 sweep fails.yaml
  has "$out" "failed      1"
  has "$out" "--point 1"
  is_file fails.sweep/points/1.h5
  expect 1 sweep fails.yaml --point 1 --no-report
fi
expect 0 sweep study.yaml --point 17 -o again
has "$out" "speed"
is_file again/result.h5
is_file again/report.html
expect 2 sweep study.yaml --point 200

# Everything that is wrong at once.
cat >bad.yaml <<'Y'
study: 1
scenario: slide.yaml
vary:
  mu: {path: contacts.flor.friction.mu, range: [0.1, 0.5], count: 3}
  v: {path: bodies.block.v, range: [2, 1], count: 3}
outputs: {a: bodies.blok.x}
Y
expect 2 sweep bad.yaml
for text in "bad.yaml:4:14: vary.mu" 'did you mean "contacts.floor.friction.mu"' "this range is empty" 'did you mean "bodies.block.x"'; do
  has "$err" "$text"
done
expect 2 sweep slide.yaml
has "$err" "this is a scenario"
expect 3 sweep nowhere.yaml
expect 2 sweep
expect 2 sweep study.yaml other.yaml
expect 2 sweep study.yaml --threads none
expect 3 sweep --merge nowhere.sqlite -o y.sqlite
expect 0 sweep --help
has "$out" "--resume"
finish
