#!/usr/bin/env bash
# Runs every test on the release build and, without the slow ones, with the sanitizers; with --fast only the first tier, on the
# release build. The last line has the totals.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A build that fails counts as one failed test.
run() { # PRESET DIR CTEST_ARGUMENT...
  local preset=$1 dir=$2 line
  shift 2
  echo "== $preset"
  if ! scripts/build.sh "$preset"; then
    failed=$((failed + 1))
    return
  fi
  ctest --test-dir "$dir" -j "$jobs" --output-on-failure --no-tests=error "$@" </dev/null 2>&1 | tee "$log" |
    grep -vE --line-buffered '^ +Start |^Internal ctest|^Test project|^\[ (RUN| +OK)|^$'
  line=$(grep -E 'tests passed, [0-9]+ tests? failed out of [0-9]+' "$log")
  if [[ $line =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    failed=$((failed + 1))
  fi
}

if [ "${1:-}" = --fast ]; then
  run release build -L '^fast$'
else
  run release build
  run asan build-asan -LE '^(slow|install)$'
fi

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
