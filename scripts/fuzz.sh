#!/usr/bin/env bash
# Fuzzes each target for a while, starting from its corpus; what it finds stays in build-fuzz/.
# usage: fuzz.sh SECONDS_EACH
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh fuzz
for target in build-fuzz/fuzz/*; do
  [ -f "$target" ] && [ -x "$target" ] || continue
  name=$(basename "$target")
  mkdir -p "build-fuzz/found/$name"
  echo "fuzz: $name, $1 s"
  words=()
  [ ! -f "test/fuzz/$name.dict" ] || words=(-dict="test/fuzz/$name.dict")
  "$target" -max_total_time="$1" -verbosity=0 -print_final_stats=1 -artifact_prefix="build-fuzz/found/$name-" "${words[@]}" \
    "build-fuzz/found/$name" "test/fuzz/corpus/$name"
done
