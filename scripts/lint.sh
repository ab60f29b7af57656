#!/usr/bin/env bash
# Format, warnings of clang, clang-tidy, cppcheck, shellcheck, the header on its own, and a look for stray machine paths.
# Every check runs; the exit status says whether all were clean.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
status=0

# The files of the tree that match the patterns: tracked and not ignored ones, or all if this is no repository.
files() {
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ]; then
    git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done
  else
    local tests=() pattern
    for pattern in "$@"; do tests+=(-o -name "$pattern"); done
    find . \( -name .git -o -name 'build' -o -name 'build-*' -o -name demo -o -name node_modules \) -prune -o -type f \( -false "${tests[@]}" \) -print |
      sed 's|^\./||' | sort
  fi
}

check() { # NAME COMMAND...
  local name=$1 start=$SECONDS out
  shift
  if out=$("$@" 2>&1); then
    echo "lint: $name ok ($((SECONDS - start)) s)"
  else
    echo "$out"
    echo "lint: $name FAILED"
    status=1
  fi
}

format() { files '*.c' '*.h' '*.cpp' | xargs -r clang-format --dry-run --Werror; }

header() {
  local std
  for std in c99 c17; do gcc -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c include/capstan.h || return; done
  for std in c++11 c++20; do g++ -std=$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ include/capstan.h || return; done
  clang -std=c17 -Weverything -Wno-padded -Wno-unused-macros -Werror -fsyntax-only -x c include/capstan.h
}

# The analysers look at what is shipped. Tests are covered by the warnings of two compilers and by the sanitizers.
# The path-sensitive checks get a tenth of their usual budget per function, which costs a tenth of the time.
tidy() {
  local budget=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=22500)
  files '*.c' | grep -E '^(src|cli|examples|bench)/' | xargs -r -n 1 -P "$jobs" clang-tidy --quiet -p build-clang --extra-arg=-UNDEBUG "${budget[@]}" 2>&1 |
    grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter'
  return "${PIPESTATUS[2]}"
}

analyse() {
  cppcheck --quiet --std=c17 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -j "$jobs" \
    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches -I include $(printf -- "-I %s " src/*/) \
    $(files '*.c' | grep -E '^(src|cli|examples|bench)/')
}

paths() {
  ! files '*' | xargs -r grep -nIE '(^|[^A-Za-z0-9_.])/(work|root|home/[a-z]+)/'
}

# Scripts share variables with those that they source, lists of files are meant to be split, and some helpers take arguments that
# not every script has.
shell() { files '*.sh' | xargs -r shellcheck -S warning -e SC2034,SC2046,SC2120,SC2154 .ci/run; }

check "format" format
check "header" header
check "clang" scripts/build.sh clang
check "clang-tidy" tidy
check "cppcheck" analyse
check "paths" paths
check "shellcheck" shell
exit $status
