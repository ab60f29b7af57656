#!/usr/bin/env bash
# Power that is lost after a system call: what was not synced is gone, and the run goes on, or begins anew. A sample of test/soak/powerloss.py.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
  echo "skipped: strace is not there, or may not look at processes here"
elif [ -n "${ASAN_OPTIONS:-}" ]; then
  echo "skipped: the leak sanitizer does not go together with strace"
else
  checks=$((checks + 1))
  CAPSTAN=$CAPSTAN SEED=${SEED:-1} "$python" "$(dirname "${BASH_SOURCE[0]}")/../soak/powerloss.py" 300 --sample "${SAMPLE:-8}" || fail "power was lost, and more with it"

  # Each of the last writes that fails, those while result.h5 is being closed too: that is said, and the run goes on.
  cd "$tmp" || exit
  cat >short.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.5}}}}
run: {until: 0.1 s, output: 0.01 s, solver: events}
YAML
  writes=$(strace -f -qq -e trace=pwrite64 "$CAPSTAN" run short.yaml -o whole -q --no-report 2>&1 | grep -c pwrite64)
  for at in 0 1 2 3 4 5; do
    rm -rf failed
    strace -f -qq -o /dev/null -e "inject=pwrite64:error=EIO:when=$((writes - at))" "$CAPSTAN" run short.yaml -o failed -q --no-report >"$out" 2>"$err"
    status=$?
    checks=$((checks + 1))
    [ $status = 3 ] || fail "write $((writes - at)) of $writes has failed, and the status is $status"
    has "$err" "Input/output error"
    expect 0 run --resume failed -q
    expect 0 diff whole failed
  done
fi
finish
