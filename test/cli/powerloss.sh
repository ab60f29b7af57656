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
fi
finish
