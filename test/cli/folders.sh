#!/usr/bin/env bash
# A result folder belongs to one run at a time, and what a run was asked for is remembered until it is done.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # waiting for a disk is not what is tested
. "$(dirname "$0")/common.bash"
cd "$tmp" || exit
cat >long.yaml <<'YAML'
capstan: 1
bodies: {a: {mass: 1 kg}, b: {mass: 2 kg, x: 0.5}}
surfaces: {belt: {velocity: {sine: {amplitude: 0.6, omega: 3.1, offset: 0.2}}}}
springs: {s: {between: [{ground: 0}, a], stiffness: 40}, t: {between: [a, b], stiffness: 30, length: 0.5}}
contacts:
  one: {between: [a, belt], normal: weight, friction: coulomb-static}
  two: {between: [b, ground], normal: 3 N, friction: coulomb-static}
run: {until: 4000 s, solver: events, tolerance: 1e-8}
outputs: {every: 5, columns: ["bodies.*"]}
YAML
started() { # FOLDER: waits until a run is at work there
  for ((i = 0; i < 400; i++)); do
    [ ! -e "$1/scenario.yaml" ] || return 0
    sleep 0.02
  done
  fail "no run has started in $1"
}
expect 0 run long.yaml -o whole -q --no-report

# Two at once: the second one is told, and the first goes on.
"$CAPSTAN" run long.yaml -o one -q --flush 0.05 >first 2>&1 &
started one
expect 3 run long.yaml -o one
has "$err" "another run is at work in 'one'"
expect 3 run --resume one
has "$err" "another run is at work in 'one'"
checks=$((checks + 1))
wait $! || fail "the first run was disturbed: $(cat first)"
cmp -s whole/series.csv one/series.csv || fail "the first run was disturbed: other values"

# Who finds nothing to go on with has not taken the folder for that: a run that is just starting there would have been refused.
mkdir starting
exec 8<starting
flock -n 8
expect 3 run --resume starting
has "$err" "there is no run to go on with"
exec 8<&-

# A hangup is a polite signal; what was asked for is remembered.
"$CAPSTAN" run long.yaml -o hung -q --flush 0.05 --no-report >first 2>&1 &
started hung
sleep 0.1
kill -HUP $!
wait $!
got=$?
checks=$((checks + 2))
[ "$got" = 1 ] || fail "a hangup ends with status $got"
has first "--resume hung"
expect 0 run --resume hung -q
cmp -s whole/series.csv hung/series.csv || fail "a run that was hung up differs"
[ ! -e hung/report.html ] || fail "--resume has forgotten --no-report"

# A terminal that goes away says so more than once: the system does, and the shell.
"$CAPSTAN" run long.yaml -o gone -q --flush 0.05 --no-report >first 2>&1 &
started gone
sleep 0.1
while kill -HUP $! 2>/dev/null; do :; done
wait $!
got=$?
checks=$((checks + 2))
[ "$got" = 1 ] || fail "many hangups end with status $got"
[ -z "$(find gone -name '*.part')" ] || fail "a hangup leaves parts: $(ls gone)"
expect 0 run --resume gone -q
cmp -s whole/series.csv gone/series.csv || fail "a run that was hung up many times differs"

# What is ignored stays ignored.
bash -c 'trap "" INT HUP; exec "$0" run long.yaml -o deaf -q --no-report' "$CAPSTAN" &
started deaf
kill -INT $!
kill -HUP $!
checks=$((checks + 1))
wait $! || fail "a signal that is ignored has ended a run"

# Killed as soon as anything is there, and a little later: it can be started by --resume, and leaves no parts.
for delay in 0 0.002 0.005 0.01 0.02 0.05; do
  rm -rf early
  "$CAPSTAN" run long.yaml -o early -q --flush 0.02 --no-report >/dev/null 2>&1 &
  end=$((SECONDS + 20)) # without a pause: it shall be killed at once
  until [ -e early/checkpoint ] || [ $SECONDS -ge $end ]; do :; done
  sleep $delay
  kill -KILL $! 2>/dev/null
  wait $! 2>/dev/null
  expect 0 run --resume early -q
  checks=$((checks + 2))
  cmp -s whole/series.csv early/series.csv || fail "a run that was killed after $delay s differs"
  [ -z "$(find early -name '*.part')" ] || fail "parts are left: $(ls early)"
done
# Killed before result.h5 was there: only what is needed to start is left.
mkdir bare
"$CAPSTAN" run long.yaml -o bare -q --flush 0.02 --no-report >/dev/null 2>&1 &
started bare
kill -KILL $!
wait $! 2>/dev/null
rm -f bare/result.h5 bare/scenario.yaml
run run --resume bare -q
checks=$((checks + 1))
[ "$status" = 0 ] || [ "$status" = 3 ] || fail "without result.h5: status $status"

# A scenario that cannot start leaves nothing to resume.
sed 's/solver: events/solver: bdf/; s/friction: coulomb-static/friction: coulomb/' long.yaml >wrong.yaml
run run wrong.yaml -o wrong
if [ "$status" = 2 ]; then
  checks=$((checks + 1))
  [ ! -e wrong/checkpoint ] || [ -e wrong/result.h5 ] || fail "a checkpoint of a run that cannot start is left"
fi
finish
