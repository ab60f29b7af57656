#!/usr/bin/env bash
# capstan statics: equilibrium, loads that would hold, no equilibrium, bad input; and what is held stays.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$SOURCE_DIR" || exit 1

cat >"$tmp/held.yaml" <<'Y'
capstan: 1
title: Two weights on a drum
drums: {drum: {radius: 250 mm}}
bodies: {left: {mass: 10 kg}, right: {mass: 20 kg}}
cables:
  rope:
    EA: 9.2 MN
    EI: 0.7 N m2
    mass_per_length: 0.4555 kg/m
    damping: {rayleigh: 10 N s}
    elements: 40
    path: [left, hang 1 m, over drum, hang 1 m, right]
    contact:
      at: nodes
      normal: {hunt-crossley: {stiffness: 5e6, exponent: 1.5, damping: 1}}
      friction: {quinn: {mu: 0.25, epsilon: 10 mm/s}}
run: {until: 36000 s, step: 360 s, output: 360 s}
Y

expect 0 statics "$tmp/held.yaml"
is_empty "$err"
for text in "Two weights on a drum" "rope start, body left" "rope on drum" "torque [N m]" "bodies.right.mass" "formula"; do
  has "$out" "$text"
done
expect 0 statics "$tmp/held.yaml" --no-range
has_no "$out" "bodies.right.mass"

expect 0 statics "$tmp/held.yaml" --json
is_empty "$err"
if have_python; then
  checks=$((checks + 1))
  python3 - "$out" <<'PY' || fail "capstan statics: wrong JSON"
import json, math, sys
s = json.load(open(sys.argv[1]))
assert s["equilibrium"] is True and len(s["ends"]) == 2 and len(s["holds"]) == 2
c, d = s["contacts"][0], s["drums"][0]
weight = 9.81 * (30 + 0.4555 * (2 + 0.25 * math.pi))
assert abs(-d["fy"] / weight - 1) < 1e-6 and 0 < c["margin"] < 1
# the friction holds the difference of the weights, at nodes a little inside the rim
assert abs(d["torque"] / -(9.81 * 10 * 0.25) - 1) < 0.05
h = {x["name"]: x for x in s["holds"]}["bodies.right.mass"]
assert h["held"] and h["least"] < 20 < h["most"]
assert abs(h["most"] / h["formula_most"] - 1) < 0.03 and abs(h["least"] / h["formula_least"] - 1) < 0.03
PY
fi

# No equilibrium: what runs where, what to do, and which loads would hold.
expect 1 statics "$tmp/held.yaml" --set bodies.right.mass='30 kg'
has "$err" "body right, at the end of cable rope, runs down"
has "$err" "start: drawn"
has "$out" "not held"
expect 1 statics "$tmp/held.yaml" --set bodies.right.mass='30 kg' --json
has "$out" '"equilibrium": false'
has "$out" '"held": false'
expect 1 run "$tmp/held.yaml" --set bodies.right.mass='30 kg' -o "$tmp/runs"
has "$err" "there is no equilibrium"
expect 0 run "$tmp/held.yaml" --set bodies.right.mass='30 kg' --set cables.rope.start=drawn --set run.until=0.2 \
  --set run.output=0.01 -o "$tmp/runs"

# Ten hours, and no drift: points that statics left at their limit catch within the first hours, by nanometres, and the loads
# swing by tenths of a nanometre until then; in the last four hours nothing moves.
expect 0 run "$tmp/held.yaml" -o "$tmp/hours" -q
checks=$((checks + 1))
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^bodies\.(left|right)\.[xy] /) c[++n] = i; next }
  { for (k = 1; k <= n; k++) { v = $c[k]; if (NR == 2) start[k] = v; if (NR == 62) first[k] = v
    d = v - start[k]; if (d < 0) d = -d; if (d > catch) catch = d
    d = v - first[k]; if (d < 0) d = -d; if (NR > 62 && d > most) most = d } }
  END { exit !(n == 4 && NR > 100 && most < 1e-12 && catch < 2e-8) }' "$tmp/hours/series.csv" || fail "a load that is held drifts in ten hours"

expect 2 statics
expect 2 statics a b
expect 3 statics "$tmp/nowhere.yaml"
expect 2 statics "$tmp/held.yaml" --set bodies.right.mas=1 --json
has "$out" '"problems"'
is_empty "$err"
expect 2 statics scenarios/quinn/chain.yaml
has "$err" "no cables"
finish
