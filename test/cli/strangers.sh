#!/usr/bin/env bash
# Result files that others have made or changed: a sample of scripts/fuzz_results.sh, and the cases that are known.
. "$(dirname "$0")/common.bash"
cd "$tmp" || exit
checks=$((checks + 1))
bash "$SOURCE_DIR/scripts/fuzz_results.sh" "${FILES:-40}" "${SEED:-100}" >"$out" 2>"$err" || { fail "a changed file does harm"; cat "$err" >&2; }
has "$out" "failed 0"

cat >block.yaml <<'YAML'
capstan: 1
title: Block
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.5}}}}
run: {until: 0.1 s, output: 0.01 s, solver: events}
YAML
expect 0 run block.yaml -o r -q

# The seal: a bit that changes is seen, wherever it is.
size=$(wc -c <r/result.h5)
for at in 30 600 $((size / 2)) $((size - 1)); do
  cp r/result.h5 bad.h5
  byte=$(od -An -tu1 -j $at -N1 bad.h5)
  printf "\\x$(printf %x $((byte ^ 1)))" | dd of=bad.h5 bs=1 seek=$at conv=notrunc status=none
  expect 3 export bad.h5 --csv -o o
  has "$err" "SHA-256"
done
head -c $((size / 2)) r/result.h5 >half.h5
expect 3 report half.h5 -o o.html
has "$err" "SHA-256"

# A file that was made longer with a hole in it, which costs nothing, is not hashed for hours.
cp r/result.h5 long.h5
if truncate -s 500G long.h5 2>/dev/null; then
  tool=$CAPSTAN
  CAPSTAN=timeout
  expect 3 60 "$tool" report long.h5 -o o.html
  has "$err" "SHA-256"
  CAPSTAN=$tool
fi

# Not files at all: nobody waits for them.
mkdir pipe folder
mkfifo pipe/result.h5
expect 3 report pipe -o o.html
has "$err" "not a regular file"
mkdir folder/result.h5
expect 3 report folder -o o.html

# Values in another file, and links: what they lead to stays where it is.
find_h5py
printf 'SECRET%.0s' {1..100} >secret
"$python" - <<'PY'
import h5py, numpy as np, shutil, os
def fresh(name):
    shutil.copy("r/result.h5", name)
    with open(name, "r+b") as f: f.write(bytes(512))
    return h5py.File(name, "r+")
with fresh("external.h5") as f:
    n = f["series/bodies/block/x"].shape[0]
    del f["series/bodies/block/x"]
    d = f.create_dataset("series/bodies/block/x", (n,), "f8", external=[("secret", 0, 8 * n)])
    d.attrs["column"] = np.int32(1)
with fresh("status.h5") as f:
    del f["status"]
    f.create_dataset("status", (), "S16", external=[("secret", 0, 16)])
with fresh("soft.h5") as f:
    del f["series/time"]
    f["series/time"] = h5py.SoftLink("/series/bodies/block/x")
with fresh("link.h5") as f:
    del f["series/time"]
    f["series/time"] = h5py.ExternalLink("other.h5", "/series/time")
shutil.copy("r/result.h5", "other.h5")
with fresh("virtual.h5") as f:
    n = f["series/time"].shape[0]
    del f["series/time"]
    layout = h5py.VirtualLayout((n,), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "series/time", (n,))
    f.create_virtual_dataset("series/time", layout).attrs["column"] = np.int32(0)
with fresh("many.h5") as f: # more than any memory has
    del f["series/time"]
    f.create_dataset("series/time", (2**55,), "f8", chunks=(64,), maxshape=(None,)).attrs["column"] = np.int32(0)
with fresh("array.h5") as f: # a scalar was meant
    f["series/time"].attrs["column"] = np.arange(10000, dtype="i4")
with fresh("index.h5") as f: # of a contact that there is not
    if len(f["events/contact_index"]): f["events/contact_index"][:] = 1000000
PY
for name in external soft link virtual many array; do
  expect 3 export $name.h5 --csv -o o-$name
  has "$err" "series are damaged"
done
expect 0 report status.h5 -o status.html
has_no status.html SECRET
run report index.h5 -o index.html
checks=$((checks + 1))
[ "$status" -le 3 ] || fail "an index out of range: status $status"
# A process that is held up is ended.
checks=$((checks + 1))
grep -rqs SECRET o-* && fail "something of another file was written"

# Texts that a spreadsheet would take for formulas stay texts.
expect 0 run block.yaml -o stops -q --set run.until='0.5 s'
"$python" - <<'PY'
import h5py
with open("stops/result.h5", "r+b") as f: f.write(bytes(512))
with h5py.File("stops/result.h5", "r+") as f:
    assert len(f["events/contact"]) > 0
    f["events/contact"][:], f["events/from"][:], f["events/to"][:] = b"=1+1", b"@sum,=2", b"-1+2"
PY
expect 0 export stops --csv -o formulas
cat formulas/*.csv >formulas.csv
has formulas.csv "'=1+1,\"'@sum,=2\",'-1+2"

# The same in tables of studies, and nothing in their CSV acts on a terminal that shows it.
cat >study.yaml <<'YAML'
study: 1
scenario: block.yaml
vary: {mu: {path: contacts.floor.friction.mu, range: [0.2, 0.5]}}
sample: {method: latin-hypercube, points: 2, seed: 3}
outputs: {far: max(bodies.block.x)}
YAML
expect 0 sweep study.yaml -o study.sqlite -q --no-report
"$python" - <<'PY'
import sqlite3
with sqlite3.connect("study.sqlite") as db:
    db.execute("UPDATE points SET status = 'failed', message = ?", ("=1+1 \x1b[31m, \u202e\x9b2J",))
PY
expect 0 sweep --merge study.sqlite -o merged.sqlite --csv -q --no-report
has merged.csv ",\"'=1+1 ?[31m, "
checks=$((checks + 1))
! LC_ALL=C grep -qP '\x1b|\xc2\x9b|\xe2\x80\xae' merged.csv || fail "a control character is in the CSV of a study"

# A result that names files of this machine brings nothing of them into a page: it does not know what is in them.
cat >secret.yaml <<'YAML'
bodies: {secretly: {mass: 7 kg}}
YAML
(printf 'include: %s/secret.yaml\n' "$tmp" && cat block.yaml) >with.yaml
expect 0 run with.yaml -o with -q
expect 0 report with -o with.html
is_empty "$err"
"$python" - <<'PY'
import h5py, numpy as np, shutil
shutil.copy("r/result.h5", "curious.h5")
with open("curious.h5", "r+b") as f: f.write(bytes(512))
with h5py.File("curious.h5", "r+") as f:
    del f["scenario/text"]
    f["scenario/text"] = np.bytes_(open("with.yaml", "rb").read())
PY
expect 0 report curious.h5 -o curious.html
has "$err" "files that it names are not what they were"
checks=$((checks + 1))
"$python" - with.html curious.html <<'PY' || fail "the page of a stranger's result tells of another file"
import base64, re, sys, zlib
def told(name):
    page = open(name).read()
    packed = [base64.b64decode(t) for t in re.findall(r"<script[^>]* id=\"data\"[^>]*>([^<]*)</script>", page)]
    assert packed, "no data in the page"
    return any(b"secretly" in zlib.decompress(p, 47) for p in packed)
assert told("with.html") and not told("curious.html")
PY
sed -i 's/7 kg/8 kg/' secret.yaml
expect 0 report with -o with.html
has "$err" "files that it names are not what they were"

# Nobody waits for a pipe, or reads a device without an end, in a stranger's folder.
mkdir "$tmp/pipes" "$tmp/devices"
mkfifo "$tmp/pipes/checkpoint" "$tmp/pipes/result.h5" "$tmp/pipes/points.sqlite"
ln -s /dev/zero "$tmp/devices/checkpoint"
ln -s /dev/zero "$tmp/devices/result.h5"
tool=$CAPSTAN
CAPSTAN=timeout
for folder in pipes devices; do
  expect 3 20 "$tool" run --resume "$tmp/$folder"
  has "$err" "it is not a regular file"
  expect 3 20 "$tool" report "$tmp/$folder"
  has "$err" "it is not a regular file"
done
for name in result.h5 points.sqlite; do expect 2 20 "$tool" report "$tmp/pipes/$name"; done
CAPSTAN=$tool

# Where the nodes of a cable are is a constant: who goes on with a run takes it from the model, and not from a file that was changed.
cat >rope.yaml <<'YAML'
capstan: 1
drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: {sine: {amplitude: 0.3, omega: 8 rad/s}}}}}
bodies: {left: {mass: 10 kg}, right: {mass: 11 kg}}
cables:
  rope:
    EA: 1 MN
    mass_per_length: 0.4 kg/m
    damping: {rayleigh: 10 N s}
    elements: 12
    path: [left, hang 1 m, {over: pulley}, hang 1 m, right]
    contact: {normal: {hunt-crossley: {stiffness: 5e7}}, friction: {quinn: {mu: 0.25}}}
run: {until: 2 s, solver: alpha, output: 10 ms, fields: 20 ms}
YAML
expect 0 run rope.yaml -o straight -q --no-report
"$CAPSTAN" run rope.yaml -o changed -q --flush 0 --no-report &
end=$((SECONDS + 60))
until [ -e changed/result.h5 ] || [ $SECONDS -ge $end ]; do :; done
sleep 0.1
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
checks=$((checks + 1))
"$python" - <<'PY' || fail "no constant was found to be changed"
import h5py
with h5py.File("straight/result.h5") as f:
    s = f["fields/cables/rope/s"][()].tobytes()
with open("changed/result.h5", "r+b") as f:
    data = f.read()
    at = data.index(s)
    f.seek(at + len(s) // 2)
    f.write(bytes(8))
PY
expect 0 run --resume changed -q --no-report
expect 0 diff straight changed
checks=$((checks + 1))
"$python" - <<'PY' || fail "a constant of a changed file was taken over"
import h5py
values = []
for folder in "straight", "changed":
    with h5py.File(folder + "/result.h5") as f:
        values.append(f["fields/cables/rope/s"][()].tobytes())
assert values[0] == values[1]
PY
finish
