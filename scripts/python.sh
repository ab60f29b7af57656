#!/usr/bin/env bash
# Installs the Python package into a fresh virtual environment, build/python-env, runs its tests and checks its types; or builds its
# wheel into build/wheel. What the optional parts need is installed too, as far as it can be had.
# usage: python.sh [wheel]
set -euo pipefail
cd "$(dirname "$0")/.."
env=build/python-env
rm -rf "$env"
/usr/bin/env python3 -m venv "$env"
if [ "${1:-}" = wheel ]; then
  "$env/bin/pip" wheel --quiet --no-deps -w build/wheel ./python
  ls build/wheel
  exit
fi
"$env/bin/pip" install --quiet ./python pytest mypy
for package in pandas xarray pint scipy numba gymnasium jax hypothesis fmpy; do
  "$env/bin/pip" install --quiet "$package" || echo "python: without $package, its tests are skipped"
done
"$env/bin/python" -m pytest -q python/tests
"$env/bin/mypy" --strict --python-version 3.11 python/capstan
(cd "$env" && bin/python -m mypy.stubtest --ignore-disjoint-bases capstan._core)
