#!/usr/bin/env bash
# Pages of studies in a real browser: study.mjs, with tables that study_tables.py makes. Needs what run.sh needs, and python3 with sqlite3;
# says so and passes where it cannot be had.
# usage: study.sh [TEST...]
set -euo pipefail
SOURCE_DIR=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
CAPSTAN=${CAPSTAN:-$SOURCE_DIR/build/capstan}
cd "$SOURCE_DIR"

skip() { echo "web: SKIPPED, the pages of studies were not looked at: $1"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are missing (scripts/setup.sh web)"
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || skip "chromium is missing (scripts/setup.sh web)"
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 has no sqlite3"
if [ ! -d web/node_modules/playwright-core ] || [ ! -d web/node_modules/axe-core ]; then
  (cd web && npm ci --no-audit --no-fund --loglevel=error) || skip "the packages of web/package.json cannot be installed"
fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
python3 test/web/study_tables.py "$temp"
for table in "$temp"/*.sqlite; do "$CAPSTAN" report "$table" --quiet; done
# A study that lasts until it is stopped.
cat >"$temp/block.yaml" <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 2 s, output: 10 ms, solver: events}
YAML
cat >"$temp/long.yaml" <<'YAML'
study: 1
title: A long study
scenario: block.yaml
vary: {mu: {path: contacts.floor.friction.mu, range: [0.1, 0.5]}, speed: {path: bodies.block.v, range: [0.5 m/s, 2 m/s]}}
sample: {method: random, points: 10000000}
outputs: {far: bodies.block.x}
YAML
CAPSTAN=$CAPSTAN BROWSER=$browser node test/web/study.mjs "$temp" "$@"
