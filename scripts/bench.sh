#!/usr/bin/env bash
# Runs every benchmark of the release build, and says at the end which goals are met. A few minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for name in laws chain scenario cables kernels dense_bdf lifts sens step fmu; do
  echo "bench: $name" >&2
  "build/bench/$name" | tee -a "$log"
done
python3 bench/gallery.py build/capstan goals | tee -a "$log"
bench/command.sh | tee -a "$log"
bench/sweep.sh | tee -a "$log"
bench/day.sh | tee -a "$log"
echo
echo 'goals (bench-peers has more of them):'
grep '^goal' "$log" | sed 's/^goal/ /'
! grep -q '^goal MISSED' "$log" || echo 'bench: some goals are missed'
