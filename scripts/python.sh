#!/usr/bin/env bash
# Installs the Python package into a fresh virtual environment, build/python-env, and runs its tests; or builds its wheel into build/wheel.
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
"$env/bin/pip" install --quiet ./python pytest pandas
"$env/bin/python" -m pytest -q python/tests
