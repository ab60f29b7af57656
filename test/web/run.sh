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
if [ ! -d web/node_modules/playwright-core ]; then
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
# A title that would like to be a script, and a run that does not come to its end.
cat >"$temp/hostile.yaml" <<'YAML'
capstan: 1
title: '</script><script>document.title = "broken"</script> & "quotes"'
bodies: {block: {mass: 1 kg}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
run: {until: 10 s, output: 0.1 s, solver: rk4, step: 1 ms, max_steps: 2000}
YAML
run "$temp/hostile.yaml" -o "$temp/hostile" 2>/dev/null && { echo "web: the run with too few steps should have failed" >&2; exit 1; }
node test/web/synthetic.mjs "$temp/pulley.html"
node test/web/synthetic.mjs "$temp/space.html" space

BROWSER=$browser node test/web/report.mjs "$temp" "$@"
