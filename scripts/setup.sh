#!/usr/bin/env bash
# Installs the Debian packages that are missing, and says which; nothing to do is a matter of milliseconds.
# usage: setup.sh [--report] GROUP...   (--report: also say so when nothing is missing)
set -euo pipefail

build="build-essential cmake ninja-build pkg-config libyaml-dev libsundials-dev libhdf5-dev libnlopt-dev libsqlite3-dev"
test="libcmocka-dev libudunits2-dev python3 python3-dev python3-venv python3-numpy python3-h5py python3-pytest strace"
lint="clang clang-format clang-tidy cppcheck shellcheck"
fuzz="clang libclang-rt-dev"
soak="strace"
cluster="slurm-wlm munge openmpi-bin"
peers="python3 python3-venv"
binaries="build-essential cmake ninja-build dpkg-dev tcl python3-venv"
binaries_run="qemu-user libc6-arm64-cross wine64"
fmu="libtbb12"

# What looks at reports: a browser, and node unless it is there already from elsewhere.
web="chromium fonts-inter"
command -v node >/dev/null || web+=" nodejs"
command -v npm >/dev/null || web+=" npm"

report=
[ "${1:-}" != --report ] || { report=yes; shift; }

wanted=
for group in "$@"; do
  case $group in
    build | test | lint | fuzz | soak | cluster | peers | fmu | web | binaries | binaries_run) wanted+=" ${!group}" ;;
    *) echo "setup: no group of packages is called $group" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; please see to it that these are there:$wanted"
  exit 0
fi

# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | awk '$2 == "installed" { print $1 }' || true)
missing=
for package in $wanted; do
  case " $missing " in *" $package "*) continue ;; esac
  grep -qx -e "$package" <<<"$installed" || missing+=" $package"
done

if [ -z "$missing" ]; then
  [ -z "$report" ] || echo "setup: all packages present"
  exit 0
fi

echo "setup: installing missing packages:$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "setup: needs root; as root, run: apt-get install$missing" >&2; exit 1; }
  sudo=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { $sudo apt-get update -q -o DPkg::Lock::Timeout=300 && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends $missing; } \
  </dev/null >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "setup: apt-get failed (above); needed are:$missing" >&2
  exit 1
fi
