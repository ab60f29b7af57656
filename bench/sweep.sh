#!/usr/bin/env bash
# What a study costs beside its runs, on the motorised pulley with 40 elements. Shares are those of instructions, counted by
# valgrind's callgrind, which no other work on the machine disturbs: everything that the threads of a sweep execute, against the
# runs themselves and the equilibria that they start from. Points per second are measured by the clock.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$PWD/build/capstan
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# study UNTIL POINTS: the pulley over so many seconds
study() {
  cat > "$folder/study.yaml" <<EOF
study: 1
scenario: $PWD/scenarios/westin/pulley.yaml
set: {run.output: 50 ms, run.until: $1 s}
vary:
  left: {path: bodies.left.mass, uniform: [9 kg, 11 kg]}
  right: {path: bodies.right.mass, uniform: [9 kg, 11 kg]}
  mu: {path: cables.rope.contact.friction.mu, uniform: [0.2, 0.3]}
sample: {method: random, points: $2, seed: 1}
outputs: {torque: drums.pulley.torque, tension: max(cables.rope.tension_max)}
EOF
}

# goal GOOD TEXT, where GOOD is an arithmetic comparison
goal() {
  if awk "BEGIN { exit !($1) }"; then echo "goal met    $2"; else echo "goal MISSED $2"; fi
}

# Seconds that a point takes, from the table.
study 5 100
"$tool" sweep "$folder/study.yaml" --threads 1 -o "$folder/one.sqlite" > /dev/null 2>&1
ms=$(python3 -c "
import sqlite3
times = sorted(s for s, in sqlite3.connect('$folder/one.sqlite').execute('SELECT seconds FROM points'))
print('%.1f' % (1e3 * times[len(times) // 4]))")
echo "study: a point of 5 s takes $ms ms"

if command -v valgrind > /dev/null; then
  study 5 50
  valgrind -q --tool=callgrind --callgrind-out-file="$folder/out" "$tool" sweep "$folder/study.yaml" --threads 1 \
    -o "$folder/two.sqlite" > /dev/null 2>&1
  callgrind_annotate --inclusive=yes --threshold=100 "$folder/out" | python3 -c "
import re, sys
counts = {}
for line in sys.stdin:
    m = re.match(r'\s*([\d,]+) .*?:(work|cps_simulation_run|cps_start_find|cps_drawing_rest|cps_scenario_with|cps_system_new|cps_simulation_new) ', line)
    if m:
        counts.setdefault(m[2], int(m[1].replace(',', '')))
of = counts['work']
share = {name: 100 * n / of for name, n in counts.items()}
print('study: of all instructions of its threads: runs %.1f %%, equilibria %.1f %%, those of bodies on straight strings that they are drawn by %.1f %%, scenarios %.1f %%, models %.1f %%, simulations %.1f %%' %
      tuple(share[k] for k in ('cps_simulation_run', 'cps_start_find', 'cps_drawing_rest', 'cps_scenario_with', 'cps_system_new', 'cps_simulation_new')))
print('share %.2f' % (share['cps_simulation_run'] + share['cps_start_find'] + share['cps_drawing_rest']))" > "$folder/shares"
  grep '^study' "$folder/shares"
  share=$(sed -n 's/^share //p' "$folder/shares")
  goal "$share >= 95" "a study of 5 ms runs spends $share % of its instructions in dynamics, wanted at least 95 %"
else
  echo 'study: there is no valgrind to count instructions with'
fi

study 1 400
"$tool" sweep "$folder/study.yaml" --threads 2 -o "$folder/three.sqlite" > "$folder/said" 2>&1
rate=$(sed -n 's/.*, \([0-9.]*\) points\/s.*/\1/p' "$folder/said")
goal "$rate >= 100" "the pulley over 1 s: $rate points/s with two threads, wanted at least 100"
