#!/usr/bin/env bash
# Builds without optimisation and with counters of gcc (build-coverage/), runs the quick tests, and says which part of the lines of
# the library and the tool they have run; build-coverage/coverage.txt has it file by file.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake -B build-coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-O0 --coverage' -DCMAKE_CXX_FLAGS_DEBUG='-O0 --coverage' >/dev/null
cmake --build build-coverage >build-coverage/build.log || { tail -n 20 build-coverage/build.log >&2; exit 1; }
find build-coverage -name '*.gcda' -delete
# What fails is a matter of the other builds, which are not as slow; what it has run counts.
ctest --test-dir build-coverage -L fast --timeout 300 >build-coverage/test.log 2>&1 || tail -n 20 build-coverage/test.log >&2
cd build-coverage
find . -name '*.gcda' \( -path '*capstan_objects*' -o -path '*capstan_tool*' \) -print0 |
  xargs -0 gcov -n -r -s "$OLDPWD" 2>/dev/null |
  awk '/^File / { file = substr($2, 2, length($2) - 2) }
       /^Lines executed:/ && file ~ /\.[ch]$/ && file !~ /^\// {
         split($0, part, /[:%]| of /); n = part[4]; run = n * part[2] / 100
         if (run > most[file]) most[file] = run; lines[file] = n; file = "" }
       END { for (f in lines) { printf "%6.1f %% of %5d  %s\n", 100 * most[f] / lines[f], lines[f], f | "sort -k5"; all += lines[f]; sum += most[f] }
             close("sort -k5"); printf "coverage: %.1f %% of %d lines\n", 100 * sum / all, all }' >coverage.txt
tail -n 1 coverage.txt
