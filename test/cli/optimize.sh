#!/usr/bin/env bash
# capstan optimize: a minimum that is known, limits, files, JSON, and bad input.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
cat >slide.yaml <<'Y'
capstan: 1
title: A block that is thrown
bodies: {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 3, output: 0.05, solver: events}
Y

# As far as possible with 1.2 J: v^2 = 1.2, and the smoothest ground.
free=contacts.floor.friction.mu:0.1:0.9,bodies.block.v:0.1:3
expect 0 optimize slide.yaml --maximize bodies.block.x --parameters $free --limit 'contacts.floor.work < 1.2 J'
for text in "A block that is thrown" "before" "wanted" "most" "at its least" "slide.optimum/"; do has "$out" "$text"; done
for file in optimum.json settings.txt result.h5 report.html; do is_file "slide.optimum/$file"; done
has slide.optimum/settings.txt "contacts.floor.friction.mu=0.1"
expect 1 optimize slide.yaml --minimize contacts.floor.work --parameters $free --runs 2 --no-report -o few -q
has "$err" "no minimum was found: the number of runs is used up"
expect 0 optimize slide.yaml --minimize contacts.floor.work --parameters $free --limit 'bodies.block.x = 40 cm' --json --no-report -o second
is_empty "$err"
if have_python; then
  checks=$((checks + 1))
  python3 - "$out" slide.optimum/optimum.json <<'PY' || fail "capstan optimize: wrong JSON"
import json, math, sys
s, far = (json.load(open(f)) for f in sys.argv[1:3])
assert s["converged"] and s["violation"] < 1e-5 and s["violation_before"] > 0.1
mu, v = s["parameters"]
assert abs(mu["after"] - 0.1) < 1e-6 and abs(v["after"] - math.sqrt(2 * 0.1 * 9.81 * 0.4)) < 1e-4
assert abs(s["outputs"][1]["after"] - 0.4) < 1e-5 and s["outputs"][1]["least"] == 0.4
assert far["maximised"] and abs(far["outputs"][0]["after"] - 1.2 / (2 * 0.1 * 9.81)) < 1e-3
PY
fi

expect 2 optimize
expect 2 optimize slide.yaml --parameters $free
has "$err" "what is to become least"
expect 2 optimize slide.yaml --minimize bodies.block.x
has "$err" "what may change"
expect 2 optimize slide.yaml --minimize bodies.block.y --parameters $free
has "$err" 'did you mean "bodies.block.x"'
expect 2 optimize slide.yaml --minimize bodies.block.x --parameters $free --limit 'contacts.floor.work'
has "$err" "a limit is written"
expect 2 optimize slide.yaml --minimize bodies.block.x --parameters $free --limit 'contacts.floor.work < 3 kg'
has "$err" "cannot be converted"
expect 2 optimize slide.yaml --minimize bodies.block.x --parameters $free --algorithm sqp
has "$err" "did you mean 'slsqp'"
expect 2 optimize slide.yaml --minimize bodies.block.x --parameters bodies.block.v:3:1
has "$err" "cannot lie between"
expect 1 optimize slide.yaml --minimize contacts.floor.work --parameters $free --limit 'bodies.block.x > 30' --quiet
has "$err" "no point was found"
expect 3 optimize nowhere.yaml --minimize a --parameters b
expect 0 optimize --help
has "$out" "OUTPUT < X"
finish
