#!/usr/bin/env bash
# Compiles the extension module against the library of a build, and runs the tests of the Python package with it.
# usage: python.sh BUILD CC [PLACE]   (PLACE: only put the package there, and print which Python it is for)
set -euo pipefail
build=$1 cc=$2
source=$(cd "$(dirname "$0")/.." && pwd)
python=
for p in /usr/bin/python3 python3; do
  if "$p" -c 'import sys, numpy, pytest; assert sys.version_info >= (3, 11)' 2>/dev/null; then python=$p && break; fi
done
if [ -z "$python" ]; then
  echo "python: skipped, no python3.11 with NumPy and pytest"
  exit 0
fi
include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
if [ ! -f "$include/Python.h" ]; then
  echo "python: skipped, no headers of $python"
  exit 0
fi
place=${3:-$build/python}
rm -rf "$place"
mkdir -p "$place"
cp -r "$source/python/capstan" "$place/capstan"
libraries=$(sed -n 's/^Libs.private: *//p' "$build/capstan.pc")
# shellcheck disable=SC2086
"$cc" -std=c17 -O2 -Wall -Wextra -Werror -Wno-cast-function-type -shared -fPIC -I"$include" -I"$source/include" "$source"/python/src/*.c \
  "$build/libcapstan.a" $libraries -lm -o "$place/capstan/_core.abi3.so"
if [ -n "${3:-}" ]; then
  echo "$python"
  exit
fi
PYTHONPATH=$place PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider "$source/python/tests"
