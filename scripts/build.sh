#!/usr/bin/env bash
# Configures a preset once, then builds it; quiet unless something is wrong.
# usage: build.sh PRESET
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
dir=build-$preset
[ "$preset" != release ] || dir=build

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -f "$dir/build.ninja" ]; then
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; rm -rf "$dir/CMakeCache.txt"; exit 1; }
fi
start=$SECONDS
cmake --build "$dir" >"$log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] |^: && |^/[^ ]*/(cc|c\+\+|clang|clang\+\+) ' "$log" | head -n 100 >&2; echo "build: $dir failed" >&2; exit 1; }
# One line when there was work, none otherwise.
if ! grep -q 'ninja: no work to do' "$log"; then
  echo "build: $dir, $((SECONDS - start)) s"
fi
