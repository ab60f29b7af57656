#!/usr/bin/env bash
# Every command that writes, at every kind of target.
. "$(dirname "$0")/common.bash"
python3 "$SOURCE_DIR/test/cli/writers.py" "$CAPSTAN" "$tmp" || failures=1
checks=$((checks + 1))
finish
