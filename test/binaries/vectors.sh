#!/usr/bin/env bash
# Runs machines with plain code and with the widest vectors that the processor has, and compares them (compare.py): of a few with fixed
# steps all but round-off has to be the same, and with plain code no bit may depend on when it runs.
# usage: vectors.sh ROWS   (the program of rows.c)
set -euo pipefail
cd "$SOURCE_DIR"
python=$(command -v python3) || { echo "vectors: skipped, no python3" && exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
files=()
for m in westin/gross-slip gallery/bollard gallery/atwood-rope winch; do files+=("scenarios/$m.yaml+run.step=0.001+run.balance=1e-11"); done
for n in 1 2; do CAPSTAN_PLAIN=1 "$1" "${files[@]}" >"$folder/plain-$n.rows" & done
env -u CAPSTAN_PLAIN "$1" "${files[@]}" >"$folder/vectors.rows"
wait
"$python" -B test/binaries/compare.py "$folder"/*.rows
