#!/usr/bin/env bash
# Runs simulations of one system in several threads under the thread sanitizer (build-tsan/). A few minutes, most of them to build.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tsan >/dev/null
cmake --build build-tsan --target unit_threads unit_step
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ${TSAN_OPTIONS:-}" SOURCE_DIR=$PWD LC_ALL=C
build-tsan/test/unit_threads
build-tsan/test/unit_step
echo 'tsan: no data race'
