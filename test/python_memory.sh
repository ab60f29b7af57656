#!/usr/bin/env bash
# The extension module under valgrind (python_memory.py): no read or write that is not allowed, nothing lost. What Python and NumPy themselves
# do is left out: a complaint counts if the module is in its stack.
# usage: python_memory.sh BUILD CC
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v valgrind >/dev/null; then
  echo "python_memory: skipped, no valgrind"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=$(bash "$source/test/python.sh" "$1" "$2" "$folder/package")
case $python in *skipped*) echo "$python" && exit 0 ;; esac
PYTHONPATH=$folder/package PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 valgrind --log-file="$folder/log" --num-callers=30 \
  --leak-check=full --show-leak-kinds=definite,indirect "$python" "$source/test/python_memory.py" >"$folder/out" 2>&1 || { tail -n 20 "$folder/out"; exit 1; }
# Blocks of lines, one for each complaint.
if ! sed 's/^==[0-9]*== \{0,1\}//' "$folder/log" | awk -v RS= '/_core\.abi3\.so|own_law\.c|module\.c/ { print; print ""; n++ } END { exit n > 0 }' >"$folder/found"; then
  head -n 80 "$folder/found"
  exit 1
fi
grep 'ERROR SUMMARY' "$folder/log" | sed 's/^==[0-9]*== /python_memory: the module is in none of these: /'
