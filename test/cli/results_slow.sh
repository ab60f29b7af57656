#!/usr/bin/env bash
# The result folder while a run goes on and when it cannot: watched, full, taken away, stopped, resumed.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
cd "$tmp" || exit 1

judge() { # a Python program, from standard input, that has to be content
  checks=$((checks + 1))
  "$python" - "$@" || fail "wrong results"
}

judge_file() { # WHOLE OTHER [part]: compares two result folders
  checks=$((checks + 1))
  "$python" compare.py "$@" >"$out" || fail "wrong results: $*"
}

cat >block.yaml <<'YAML'
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
run: {until: 200 s, solver: events}
outputs: {every: 10 ms}
YAML
cat >compare.py <<'PY'
# compare.py WHOLE OTHER [part]: the same bits, or as many rows as there are
import h5py, json, numpy as np, sys
def load(folder):
    try: f = h5py.File(folder + "/result.h5", "r")
    except OSError: f = h5py.File(folder + "/result.h5", "r", swmr=True)
    out, n = {}, f["recorded"][:]
    def take(name, d):
        if isinstance(d, h5py.Dataset) and name.split("/")[0] in ("series", "events"):
            out[name] = d[:n[0 if name.startswith("series") else 1]]
    f.visititems(take)
    return out, f["status"][()].decode()
(a, _), (b, status) = load(sys.argv[1]), load(sys.argv[2])
part = len(sys.argv) > 3
assert sorted(a) == sorted(b)
for k in a:
    assert len(b[k]) == len(a[k]) or (part and len(b[k]) < len(a[k])), (k, len(a[k]), len(b[k]))
    assert a[k][:len(b[k])].tobytes() == b[k].tobytes(), k
if not part:
    assert status == "complete", status
    x, y = (json.load(open(f + "/summary.json")) for f in sys.argv[1:3])
    [z.pop(k) for z in (x, y) for k in ("wall_time", "processor_time")]
    assert x == y
    assert json.loads(h5py.File(sys.argv[2] + "/result.h5")["summary"][()])["end"] == x["end"]
print(len(b["series/time"]))
PY
expect 0 run block.yaml -q -o whole

# Everybody can read the file while it grows.
"$CAPSTAN" run block.yaml --set run.until=1e6 --set run.max_steps=1e9 --flush 0.05 -o live -q 2>running.err &
pid=$!
judge <<'PY'
import h5py, os, time
for _ in range(200):
    if os.path.exists("live/result.h5"): break
    time.sleep(0.05)
seen = []
with h5py.File("live/result.h5", "r", swmr=True) as f:
    assert f["status"][()] == b"running"
    for _ in range(300):
        for d in (f["series/time"], f["series/bodies/block/x"], f["recorded"]): d.refresh()
        seen.append(int(f["recorded"][0]))
        n = min(seen[-1], len(f["series/time"]))
        assert n == 0 or abs(f["series/time"][n - 1] - 0.01 * (n - 1)) < 1e-9
        if len(set(seen)) > 5: break
        time.sleep(0.03)
assert len(set(seen)) > 5 and seen == sorted(seen), seen
PY
# Two at once: the second is refused (folders.sh). A file that is put in the place of the result is noticed.
expect 3 run block.yaml -o live -q
has "$err" "another run is at work"
mv live/result.h5 away.h5 && cp whole/result.h5 live/result.h5
status=0
wait $pid || status=$?
checks=$((checks + 1))
[ "$status" = 3 ] || fail "a result that was replaced: exit status $status, not 3"
has running.err "has vanished, or was replaced"
expect 0 run block.yaml -o live -q
judge_file whole live

# The folder is taken away; what the run adds meanwhile, too.
timeout 120 "$CAPSTAN" run block.yaml --set run.until=1e6 --set run.max_steps=1e9 --flush 0.05 -o gone -q 2>"$err" &
pid=$!
for _ in $(seq 200); do
  sleep 0.05
  [ ! -e gone/result.h5 ] || break
done
for _ in $(seq 200); do
  ! rm -rf gone 2>/dev/null || break
done
status=0
wait $pid || status=$?
checks=$((checks + 1))
[ "$status" = 3 ] || fail "a folder that vanished: exit status $status, not 3"
judge <<PY
text = open("$err").read()
assert "vanished" in text or "No such file" in text, text
PY

# A full disk, at any moment: a clear error, a file that can be read, and with more room the run goes on.
for room in 40 130 200 300 400 600 900; do
  rm -rf full
  status=0
  (trap '' XFSZ && ulimit -f $room && "$CAPSTAN" run block.yaml --flush 0 -o full >"$out" 2>"$err") || status=$?
  checks=$((checks + 1))
  [ "$status" = 3 ] || fail "a disk with room for $room kB: exit status $status, not 3"
  has "$err" "File too large"
  if [ -e full/checkpoint ]; then
    has "$err" "capstan run --resume full"
    if [ -e full/result.h5 ]; then # there was room for its beginning
      judge_file whole full part
      expect 0 export full --csv -q
    fi
    expect 0 run --resume full --flush 1 -q # what the run was asked for (--flush 0) is slow
    judge_file whole full
  fi
done
checks=$((checks + 1))
[ -e full/summary.json ] || fail "no run got as far as to fill the disk later"

# A real file system that is full, where one can be mounted.
mkdir small
if mount -t tmpfs -o size=400k tmpfs small 2>/dev/null; then
  expect 3 run block.yaml --flush 0 -o small/result
  has "$err" "No space left on device"
  judge_file whole small/result part
  umount small
fi

# A folder that may not be written.
mkdir readonly
chmod 555 readonly
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid 65534 --clear-groups --)
chmod 755 "$tmp"
if "${as_user[@]}" "$CAPSTAN" --version >/dev/null 2>&1; then
  status=0
  "${as_user[@]}" "$CAPSTAN" run block.yaml -o readonly >"$out" 2>"$err" || status=$?
  checks=$((checks + 1))
  [ "$status" = 3 ] || fail "a folder that may not be written: exit status $status, not 3"
  has "$err" "cannot write in the result folder 'readonly': Permission denied"
fi

# Stopped in good order, by either signal; and taken up again, elsewhere and after the file has changed.
sed 's/until: 200 s/until: 20000 s, max_steps: 1e9/; s/every: 10 ms/every: 1 s/' block.yaml >long.yaml
expect 0 run long.yaml -q -o long
mkdir elsewhere
for signal in HUP TERM; do
  cp long.yaml changing.yaml
  "$CAPSTAN" run changing.yaml -s title=Changed --flush 0.02 -q -o stopped 2>"$err" &
  pid=$!
  for _ in $(seq 200); do
    sleep 0.02
    [ ! -e stopped/checkpoint ] || break
  done
  sleep 0.15
  kill -$signal $pid
  status=0
  wait $pid || status=$?
  checks=$((checks + 1))
  [ "$status" = 1 ] || fail "stopped by $signal: exit status $status, not 1"
  has "$err" "to go on: capstan run --resume stopped"
  has stopped/summary.json '"status": "stopped"'
  judge_file long stopped part
  echo "nothing of it is left" >changing.yaml
  (cd elsewhere && "$CAPSTAN" run --resume ../stopped/ >"$out" 2>"$err") || fail "could not resume: $(cat "$err")"
  has "$out" "Changed"
  has stopped/summary.json '"scenario": "changing.yaml"'
  judge <<'PY'
import h5py, json
a, b = (json.load(open(f + "/summary.json")) for f in ("long", "stopped"))
assert a["end"] == b["end"] and a["extremes"] == b["extremes"] and a["counters"] == b["counters"] and b["status"] == "complete"
a, b = (h5py.File(f + "/result.h5") for f in ("long", "stopped"))
for k in ("series/time", "series/bodies/block/x", "series/energy/error", "events/time", "events/to"):
    assert a[k][:].tobytes() == b[k][:].tobytes(), k
assert b["scenario"].attrs["settings"] == b"title=Changed"
PY
done

# A large one is not made compact, nor is its page drawn, while somebody waits for its end; it goes on all the same.
sed 's/until: 200 s, solver: events/until: 1000 s, solver: rk4, step: 2 ms/; s/every: 10 ms/every: 2 ms/; s/coulomb-static: {mu_s: 0.8, mu_d: 0.7}/coulomb: {mu: 0.7}/' block.yaml >large.yaml
expect 0 run large.yaml -q --no-report -o large
"$CAPSTAN" run large.yaml --flush 0.02 -q -o halted 2>"$err" &
pid=$!
for _ in $(seq 400); do
  sleep 0.02
  [ "$(stat -c %s halted/result.h5 2>/dev/null || echo 0)" -lt 21000000 ] || break
done
kill -TERM $pid
status=0
wait $pid || status=$?
checks=$((checks + 2))
[ "$status" = 1 ] || fail "a large run that is stopped: exit status $status, not 1"
[ ! -e halted/report.html ] || fail "the page of a large run that is stopped was drawn"
has "$err" "to go on: capstan run --resume halted"
has halted/summary.json '"status": "stopped"'
judge_file large halted part
expect 0 export halted --csv -o halted.csv -q
expect 0 run --resume halted -q --no-report
judge_file large halted

# What cannot be resumed.
expect 0 run --resume stopped
has "$out" "nothing is left to do"
expect 0 run --resume stopped --json
has "$out" '"status": "complete"'
expect 3 run --resume nowhere
has "$err" "there is no run to go on with"
expect 2 run --resume stopped -o other
expect 2 run block.yaml --resume stopped
expect 2 run block.yaml --flush soon
expect 1 run block.yaml --set run.max_steps=100 -o failed -q
expect 1 run --resume failed
has "$err" "would fail again"
mkdir broken
echo "capstan run 1" >broken/checkpoint
expect 3 run --resume broken
has "$err" "damaged"

# What is recorded.
expect 2 run block.yaml --set 'outputs.columns=[bodies.blok.*]' -o other
has "$err" 'no column fits "bodies.blok.*"'
expect 2 run block.yaml --set run.output=1
has "$err" "run.output says it too"
expect 2 run block.yaml --set 'outputs.columns=[]'
expect 2 run block.yaml --set 'outputs.colums=[time]'
has "$err" "did you mean"
expect 0 run block.yaml --set 'outputs.columns=["*.x", contacts.c.f]' -q -o less
judge <<'PY'
import csv
assert next(csv.reader(open("less/series.csv"))) == ["time [s]", "bodies.block.x [m]", "surfaces.belt.x [m]", "contacts.c.f [N]"]
PY

# A large run says beforehand what it is going to write.
(timeout -s INT 1 "$CAPSTAN" run block.yaml --set run.until=1e5 --set outputs.every=1e-3 -o large >"$out" 2>"$err")
has "$err" "100000001 rows of 20 columns: up to 16 GB before compression"

# Progress: a line now and then if it is no terminal, a bar if it is, nothing with --quiet.
(timeout -s INT 4.5 "$CAPSTAN" run long.yaml --set run.until=1e8 --set run.max_steps=1e12 -o lines >"$out" 2>"$err")
has "$err" "x real time"
has "$err" "left, "
has "$err" "stick, "
if command -v script >/dev/null; then
  (COLUMNS=120 timeout 20 script -qec "stty cols 120; timeout -s INT 1.5 '$CAPSTAN' run long.yaml --set run.until=1e8 --set run.max_steps=1e12 -o lines" /dev/null >"$out" 2>"$err" </dev/null)
  has "$out" "x real time"
  has "$out" "step "
  has "$out" "░"
  expect 0 run long.yaml -q -o lines
  is_empty "$out"
  is_empty "$err"
fi

# How long a file may be read for is a matter of what is on the disk, and not of a size that costs nothing.
printf 'Capstan result, sealed\nsha256 %064d\nbytes %d, from byte 512 on\n' 0 $((200 << 30)) >hole.h5
truncate -s 512 hole.h5
printf '\x89HDF\r\n\x1a\n' >>hole.h5
if truncate -s $((512 + (200 << 30))) hole.h5 2>/dev/null; then
  expect 3 report hole.h5 -o hole.html
  has "$err" "that takes more than 10 s"
fi

finish
