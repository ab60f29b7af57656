#!/usr/bin/env bash
# Allocations that fail: commands end by themselves, say so, and never give half an answer as a whole one. A sample of test/soak/allocations.py.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
if [ -z "${FAIL_ALLOC:-}" ]; then
  echo "skipped: nothing makes allocations fail in this build"
else
  checks=$((checks + 1))
  CAPSTAN=$CAPSTAN SEED=${SEED:-1} "$python" "$(dirname "${BASH_SOURCE[0]}")/../soak/allocations.py" 300 --sample "${SAMPLE:-12}" || fail "an allocation failed, and more with it"

  # Rows for which there is no memory are no failure of the run: it says how to go on, and goes on to the same bits.
  cd "$tmp" || exit
  cat >rows.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.5}}}}
run: {until: 0.1 s, output: 1e-6 s, solver: events}
YAML
  expect 0 run rows.yaml -o whole -q --no-report
  stopped=0
  for limit in 18000 20000 22000 24000 26000 30000; do
    rm -rf little
    status=0
    (ulimit -v $limit && exec "$CAPSTAN" run rows.yaml -o little -q --no-report) >"$out" 2>"$err" || status=$?
    if [ $status = 0 ] || ! grep -qF "out of memory for" "$err"; then continue; fi
    stopped=$((stopped + 1))
    has "$err" "to go on: capstan run --resume little"
    expect 0 run --resume little -q
    expect 0 diff whole little
  done
  checks=$((checks + 1))
  [ $stopped -gt 0 ] || fail "no run has lacked memory for its rows"
  # A file for which there is no memory is not called wrong.
  refused=0
  for limit in 14500 15000 15500 16000 16500 17000 18000; do
    status=0
    (ulimit -v $limit && exec "$CAPSTAN" check rows.yaml) >"$out" 2>"$err" || status=$?
    grep -qF "there is not enough memory to read this" "$err" || continue
    refused=$((refused + 1))
    checks=$((checks + 1))
    [ $status = 1 ] || fail "a file for which there is no memory: status $status"
  done
  checks=$((checks + 1))
  [ $refused -gt 0 ] || fail "no scenario has lacked memory"
  # Nothing is left of a file that was being written.
  for limit in 18000 20000 22000 24000 26000 28000; do
    (ulimit -v $limit && exec "$CAPSTAN" fmu rows.yaml -o little.fmu) >"$out" 2>"$err"
    checks=$((checks + 1))
    [ ! -e little.fmu.part ] || fail "out of memory with $limit kB, a part of an FMU is left"
  done
fi
finish
