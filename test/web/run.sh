#!/usr/bin/env bash
# Reports in a real browser: that web/dist is what its sources give, then report.mjs. Needs chromium, node and the packages of
# web/package.json; says so and passes where they cannot be had.
# usage: run.sh [--update]   (--update: take new reference screenshots)
set -euo pipefail
SOURCE_DIR=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
CAPSTAN=${CAPSTAN:-$SOURCE_DIR/build/capstan}
cd "$SOURCE_DIR"

skip() { echo "web: SKIPPED, the report was not looked at: $1"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are missing (scripts/setup.sh web)"
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || skip "chromium is missing (scripts/setup.sh web)"
if [ ! -d web/node_modules/playwright-core ] || [ ! -d web/node_modules/axe-core ]; then
  (cd web && npm ci --no-audit --no-fund --loglevel=error) || skip "the packages of web/package.json cannot be installed"
fi

(cd web && node build.mjs --check)

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
run() { "$CAPSTAN" run "$@" --quiet; }
run scenarios/verulkar/rabinowicz.yaml -o "$temp/rabinowicz" --set run.output=10ms
run scenarios/quinn/chain.yaml -o "$temp/chain" --set run.until=12 --set run.output=50ms
run scenarios/schuderer/festoon.yaml -o "$temp/festoon"
run scenarios/quinn/two-blocks.yaml -o "$temp/first" --set run.output=20ms
run scenarios/quinn/two-blocks.yaml -o "$temp/second" --set run.output=30ms --set contacts.below.friction.mu=0.4
"$CAPSTAN" report "$temp/first" "$temp/second" -o "$temp/compare.html" --quiet
"$CAPSTAN" report "$temp/first" "$temp/festoon" -o "$temp/different.html" --quiet
"$CAPSTAN" models --compare quinn,lugre --test pulse,hysteresis --html "$temp/laws.html" 2>/dev/null
# A drum carried by its load, with the rope below it, where angles pass from 180 to -180 degrees; and a rope that runs off its drum.
cat >"$temp/tackle.yaml" <<'YAML'
capstan: 1
title: A tackle with one moving block
drums:
  crown: {radius: 150 mm, center: [0.3, 0], inertia: 0.05 kg m2, drive: free}
  block: {radius: 150 mm, center: [0, -1.5], inertia: 0.05 kg m2, drive: free, carried_by: hook}
bodies: {hook: {mass: 100 kg, position: [0, -2.1]}, hand: {mass: 54 kg}}
cables:
  rope:
    EA: 400 kN
    mass_per_length: 0.4 kg/m
    damping: {axial: 2 kN s}
    elements: 40
    start: drawn
    path: [{pinned: [-0.15, 0]}, under block, over crown, hang 1 m, hand]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: 0.25}}}
run: {until: 1 s, output: 20 ms, fields: 20 ms}
YAML
run "$temp/tackle.yaml" -o "$temp/tackle"
cat >"$temp/runaway.yaml" <<'YAML'
capstan: 1
title: A rope that runs off
drums: {drum: {radius: 200 mm}}
bodies: {right: {mass: 50 kg}}
cables:
  rope:
    EA: 400 kN
    mass_per_length: 0.4 kg/m
    damping: {axial: 2 kN s}
    elements: 30
    start: drawn
    path: [free, hang 0.5 m, over drum, hang 1 m, right]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: 0.1}}}
run: {until: 1.1 s, output: 20 ms, fields: 20 ms}
YAML
run "$temp/runaway.yaml" -o "$temp/runaway"
# A run that lasts until it is stopped.
cat >"$temp/long.yaml" <<'YAML'
capstan: 1
title: A long run
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 0.1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {c: {between: [block, belt], normal: 5 N, friction: {coulomb-static: {mu_s: 0.5, mu_d: 0.3}}}}
run: {until: 1e6 s, output: 0.1 s, step: 1 ms}
YAML
# A title that would like to be a script, and a run that does not come to its end.
cat >"$temp/hostile.yaml" <<'YAML'
capstan: 1
title: '</script><script>document.title = "broken"</script> & "quotes"'
bodies: {block: {mass: 1 kg}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
run: {until: 10 s, output: 0.1 s, solver: rk4, step: 1 ms, max_steps: 2000}
YAML
run "$temp/hostile.yaml" -o "$temp/hostile" 2>/dev/null && { echo "web: the run with too few steps should have failed" >&2; exit 1; }
# A run whose steps are too long: the audit of its energy says that it is not to be trusted.
cat >"$temp/doubt.yaml" <<'YAML'
capstan: 1
title: A step that is too long
bodies: {block: {mass: 1 kg, x: 1 m}}
springs: {spring: {between: [ground, block], stiffness: 100 N/m}}
run: {until: 2 s, output: 0.1 s, solver: rk4, step: 50 ms}
YAML
run "$temp/doubt.yaml" -o "$temp/doubt" 2>/dev/null
node test/web/synthetic.mjs "$temp/pulley.html"
node test/web/synthetic.mjs "$temp/space.html" space
node test/web/synthetic.mjs "$temp/large.html" plane 2000
node test/web/synthetic.mjs "$temp/doubtful.html" plane 40 "the mesh is too coarse for this drum"

CAPSTAN=$CAPSTAN BROWSER=$browser node test/web/report.mjs "$temp" "$@"
