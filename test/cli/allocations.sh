#!/usr/bin/env bash
# Allocations that fail: commands end by themselves, say so, and never give half an answer as a whole one. A sample of test/soak/allocations.py.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
find_h5py
if [ -z "${FAIL_ALLOC:-}" ]; then
  echo "skipped: nothing makes allocations fail in this build"
else
  checks=$((checks + 1))
  CAPSTAN=$CAPSTAN SEED=${SEED:-1} "$python" "$(dirname "${BASH_SOURCE[0]}")/../soak/allocations.py" 300 --sample "${SAMPLE:-12}" || fail "an allocation failed, and more with it"
fi
finish
