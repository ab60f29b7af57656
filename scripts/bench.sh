#!/usr/bin/env bash
# Runs every benchmark of the release build, and says at the end which goals are met. A few minutes. One that fails does not keep the
# others from running; the exit status says so.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=

# Goals are lines of what is printed.
run() { # COMMAND...
  echo "bench: $*" >&2
  "$@" | tee -a "$log" || failed+=" $1"
}

for name in laws chain scenario cables kernels dense_bdf lifts sens step fmu; do run "build/bench/$name"; done
run python3 bench/gallery.py build/capstan goals
run bench/command.sh
run bench/sweep.sh
run bench/day.sh
echo
echo 'goals (bench-peers has more of them):'
grep '^goal' "$log" | sed 's/^goal/ /'
! grep -q '^goal MISSED' "$log" || echo 'bench: some goals are missed'
[ -z "$failed" ] || { echo "bench: failed:$failed" >&2; exit 1; }
