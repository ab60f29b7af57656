#!/usr/bin/env bash
# Installs the wheel of the Python package (make wheel) into a fresh virtual environment, build/python-env, runs its tests and checks its
# types. What the optional parts need is installed too, as far as it can be had.
# usage: python.sh
set -euo pipefail
cd "$(dirname "$0")/.."
env=build/python-env
rm -rf "$env"
/usr/bin/env python3 -m venv "$env"
"$env/bin/pip" install --quiet build/wheel/*-cp311-abi3-*manylinux_2_17_"$(uname -m)".whl pytest mypy pyright
for package in pandas xarray pint scipy numba gymnasium jax hypothesis tqdm fmpy SALib optuna openmdao joblib; do
  "$env/bin/pip" install --quiet "$package" || echo "python: without $package, its tests are skipped"
done
"$env/bin/python" -m pytest -q python/tests
"$env/bin/mypy" --strict --python-version 3.11 python/capstan
"$env/bin/pyright" --pythonpath "$env/bin/python" python/capstan
(cd "$env" && bin/python -m mypy.stubtest --ignore-disjoint-bases capstan._core)
