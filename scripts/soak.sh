#!/usr/bin/env bash
# The campaigns of test/soak, each for a while, with the release build and with the sanitizers; the table is build-soak/table.md.
# usage: soak.sh SECONDS_EACH [ARGUMENTS OF test/soak/soak.py, as --jobs N: so many campaigns at a time]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
# What is needed of each build, and not all of its tests.
for preset in release asan fuzz; do
  dir=build-$preset targets="capstan_tool mutate_result unit_checkpoint_strange"
  [ $preset != release ] || dir=build targets+=" fail_alloc"
  [ $preset != fuzz ] || targets=fuzzers
  [ -f $dir/build.ninja ] || cmake --preset $preset >/dev/null
  # shellcheck disable=SC2086
  cmake --build $dir --target $targets >/dev/null
done
for python in python3 /usr/bin/python3; do
  ! "$python" -c 'import h5py, numpy' 2>/dev/null || exec "$python" test/soak/soak.py --seconds "$seconds" "$@"
done
echo 'soak: no Python with h5py and numpy was found: install python3-h5py' >&2
exit 1
