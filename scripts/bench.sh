#!/usr/bin/env bash
# Runs every benchmark of the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
for bench in build/bench/*; do
  [ -x "$bench" ] || continue
  "$bench"
done
