#!/usr/bin/env bash
# Runs simulations of one system in several threads, and a study in four, under the thread sanitizer (build-tsan/). A few minutes,
# most of them to build.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tsan >/dev/null
cmake --build build-tsan --target unit_threads unit_step capstan_tool
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ${TSAN_OPTIONS:-}" SOURCE_DIR=$PWD LC_ALL=C
build-tsan/test/unit_threads
build-tsan/test/unit_step
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp scenarios/studies/hoist.yaml "$work"
cat >"$work/study.yaml" <<'YAML'
study: 1
scenario: hoist.yaml
vary:
  mu: {path: cables.rope.contact.friction.mu, range: [0.05, 0.45], count: 4}
  more: {path: loads.more.force.step5.to.1, range: [20 N, 620 N], count: 3}
sample: {method: grid}
outputs: {speed: bodies.load.vy, tension: max(cables.rope.tension_max)}
YAML
build-tsan/capstan sweep "$work/study.yaml" -j 4 -q -o "$work/out"
echo 'tsan: no data race'
