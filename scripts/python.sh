#!/usr/bin/env bash
# Installs the wheel of the Python package (make wheel) into a fresh virtual environment, build/python-env, runs its tests and checks its
# types. What the optional parts need is installed too, as far as it can be had. Where there is a free-threaded Python of 3.15 or later
# (python3.15t, or CAPSTAN_PYTHON315), its wheel is installed into build/python-env-t, and its tests run, without the GIL.
# usage: python.sh      (TORCH=1: with PyTorch, some gigabytes)
set -euo pipefail
cd "$(dirname "$0")/.."

# install FOLDER WHEEL PACKAGE...: the wheel, and what can be had of the packages, into the environment there.
install() {
  local env=$1 wheel=$2 package
  shift 2
  "$env/bin/pip" install --quiet "$wheel" pytest
  for package in "$@"; do
    "$env/bin/pip" install --quiet "$package" >"$env/pip.log" 2>&1 || echo "python: without $package, its tests are skipped: $(tail -n 1 "$env/pip.log")"
  done
}

env=build/python-env
rm -rf "$env"
/usr/bin/env python3 -m venv "$env"
torch=
[ -z "${TORCH:-}" ] || torch=torch
[ -n "$torch" ] || echo "python: without PyTorch (TORCH=1 installs it), its tests are skipped"
install "$env" build/wheel/*-cp311-abi3-*manylinux_2_17_"$(uname -m)".whl mypy "pyright[nodejs]" pandas xarray pint scipy numba gymnasium jax hypothesis tqdm \
  fmpy SALib optuna openmdao joblib $torch
"$env/bin/python" -m pytest -q python/tests
"$env/bin/mypy" --strict --python-version 3.11 python/capstan
"$env/bin/pyright" --pythonpath "$env/bin/python" python/capstan
(cd "$env" && bin/python -m mypy.stubtest --ignore-disjoint-bases capstan._core)

for python in ${CAPSTAN_PYTHON315:-} python3.15t; do
  "$python" -c 'import sys; sys.exit(sys._is_gil_enabled())' 2>/dev/null || continue
  rm -rf "$env-t"
  "$python" -m venv "$env-t"
  install "$env-t" build/wheel/*-cp315-abi3.abi3t-*manylinux_2_17_"$(uname -m)".whl hypothesis
  "$env-t/bin/python" -c 'import sys, capstan; assert not sys._is_gil_enabled(), "the module has switched the GIL on"'
  "$env-t/bin/python" -m pytest -q python/tests
  exit
done
echo "python: no free-threaded Python of 3.15 or later; its wheel is not tried"
