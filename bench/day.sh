#!/usr/bin/env bash
# How much memory a long run needs: a block that sticks and slips, recorded at 1 kHz, for so many simulated hours. Needs about
# 1 GB of disk for each ten of them while it runs.
# usage: day.sh [HOURS...]     1 and 4 unless said; 24 takes four minutes
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$PWD/build/capstan
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/day.yaml" <<EOF
capstan: 1
title: Stick and slip, recorded at 1 kHz
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}}
outputs: {columns: [bodies.block.x]}
run: {until: 1 s, output: 1 ms, solver: events}
EOF
[ $# -gt 0 ] || set -- 1 4
least=0 most=0
for hours; do
  peak=$(python3 - "$tool" "$folder" "$hours" <<'PY'
import resource, subprocess, sys
tool, folder, hours = sys.argv[1:]
subprocess.run([tool, "run", "day.yaml", "-o", "out", "-q", "--set", f"run.until={3600 * float(hours)}"], cwd=folder, check=True)
print(round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
PY
)
  echo "day: $hours h at 1 kHz, $(awk "BEGIN { print 3.6 * $hours }") million rows: at most $peak MB of memory, result.h5 $(du -m "$folder/out/result.h5" | cut -f1) MB"
  rm -rf "$folder/out"
  [ $least != 0 ] || least=$peak
  [ "$peak" -le $most ] || most=$peak
done
if awk "BEGIN { exit !($most < 1.1 * $least + 5) }"; then word='met   '; else word=MISSED; fi
echo "goal $word memory does not grow with the length of a run: $least to $most MB"
