#!/usr/bin/env bash
# Installs the build into a temporary directory, moves it, and builds an example against it as users do.
# usage: run.sh BUILD_DIR CMAKE CC
set -euo pipefail
build=$1 cmake=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
example=$root/examples/evaluate.c

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
unset DESTDIR

fail() { echo "install: $*" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$temp/first" >"$temp/log" || { cat "$temp/log"; fail "cmake --install failed"; }
prefix=$temp/moved
mv "$temp/first" "$prefix"

for file in include/capstan.h share/man/man1/capstan.1 bin/capstan; do
  [ -f "$prefix/$file" ] || fail "$file is missing"
done
pc=$(find "$prefix" -name capstan.pc)
[ -n "$pc" ] || fail "capstan.pc is missing"
libdir=$(dirname "$(dirname "$pc")")
[ -f "$libdir/libcapstan.a" ] && [ -L "$libdir/libcapstan.so" ] || fail "a library is missing"
! grep -rIl -e "$temp/first" -e "$root" "$prefix" || fail "an installed file names the build machine's directories"

# The shared library shows what the header declares, and nothing else.
sed -n 's/.*CPS_API .*\b\(cps_[a-z0-9_]*\)(.*/\1/p' "$prefix/include/capstan.h" | sort >"$temp/declared"
nm -D --defined-only "$libdir/libcapstan.so" | awk '{ print $3 }' | sort >"$temp/exported"
diff "$temp/declared" "$temp/exported" || fail "declared (<) and exported (>) functions differ"

# The core needs no libraries for files, optimisation and studies: FMUs are made of it.
fmu=$(find "$prefix" -path '*capstan/fmu/*' -name 'capstan.so')
[ -n "$fmu" ] || fail "the shared object of FMUs is missing"
! objdump -p "$fmu" | grep -E 'NEEDED.*(hdf5|nlopt|sqlite)' || fail "the shared object of FMUs needs more than the core does"

# The tool runs from where it was put.
"$prefix/bin/capstan" --version >/dev/null

# The man page knows every command and every option that the tool knows.
tool=$prefix/bin/capstan
commands=$("$tool" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
options=$({ "$tool" --help; for command in $commands; do "$tool" help "$command"; done; } | grep -oE -e '(^|[^-])--[a-z]+' | grep -oE -e '--[a-z]+' | sort -u)
sed 's/\\-/-/g' "$prefix/share/man/man1/capstan.1" >"$temp/man"
for word in $(printf 'capstan_%s ' $commands) $options; do
  grep -qF -e "${word/_/ }" "$temp/man" || fail "${word/_/ } is not in the man page"
done

# Without the libraries that it needs, the build says which packages have them, all at once.
if "$cmake" -S "$root" -B "$temp/bare" -DCMAKE_C_COMPILER="$cc" -DCMAKE_FIND_ROOT_PATH="$temp/nothing" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY >"$temp/log" 2>&1; then
  fail "it can be configured without any libraries"
fi
tr -s ' \n' ' ' <"$temp/log" | grep -q 'apt-get install libyaml-dev libsundials-dev libhdf5-dev libnlopt-dev libsqlite3-dev Elsewhere' || { cat "$temp/log"; fail "what is missing is not said"; }

# With CMake.
"$cmake" -S "$here" -B "$temp/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DEXAMPLE="$example" \
  >"$temp/log" 2>&1 && "$cmake" --build "$temp/cmake" >>"$temp/log" 2>&1 || { cat "$temp/log"; fail "the CMake project does not build"; }
"$temp/cmake/with_shared" >"$temp/shared.out"
"$temp/cmake/with_static" >"$temp/static.out"

# With pkg-config. The flags are words.
export PKG_CONFIG_PATH=$libdir/pkgconfig
# shellcheck disable=SC2046
"$cc" -std=c17 "$example" -o "$temp/plain" $(pkg-config --cflags --libs capstan) -lm
LD_LIBRARY_PATH=$libdir "$temp/plain" >"$temp/plain.out"
[ "$(pkg-config --modversion capstan)" = "$("$prefix/bin/capstan" --version | sed 's/.* //')" ] || fail "versions differ"

# The program of docs/howto/install.md prints what stands there.
sed -n '/^```c$/,/^```$/{/^```/d;p}' "$root/docs/howto/install.md" >"$temp/shown.c"
# shellcheck disable=SC2046
"$cc" -std=c17 "$temp/shown.c" -o "$temp/shown" $(pkg-config --cflags --libs capstan)
line=$(LD_LIBRARY_PATH=$libdir "$temp/shown")
grep -qxF -- "$line" "$root/docs/howto/install.md" || fail "the program in docs/howto/install.md prints: $line"

cmp "$temp/shared.out" "$temp/static.out"
cmp "$temp/shared.out" "$temp/plain.out"
echo "install: header, libraries, tool, CMake package and pkg-config file work"
