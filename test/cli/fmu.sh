#!/usr/bin/env bash
# capstan fmu: both versions through their C interfaces, against capstan run; see test/reference/fmu.py.
set -u
: "${CAPSTAN:?name the tool: CAPSTAN=build/capstan bash $0}"
: "${SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A shared object with the sanitizers inside cannot be loaded by a Python without them.
if nm -D "$(dirname "$CAPSTAN")/fmu/capstan.so" 2>/dev/null | grep -q __asan_init; then
  echo "fmu: skipped, built with the sanitizers"
  exit 0
fi
python3 "$SOURCE_DIR/test/reference/fmu.py" "$CAPSTAN" "$folder"
