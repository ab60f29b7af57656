#!/usr/bin/env bash
# How often a run is recorded has no effect on it, with every solver.
. "$(dirname "$0")/common.bash"
find_h5py
"$python" "$SOURCE_DIR/test/cli/cadence.py" "$CAPSTAN" "$tmp" || failures=1
checks=$((checks + 1))
finish
