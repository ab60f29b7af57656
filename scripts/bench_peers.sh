#!/usr/bin/env bash
# Runs Capstan and Exudyn 1.11, the nearest peer, on the same problems; Exudyn goes into a virtual environment in build/.
# ROUNDS=1 is quicker and noisier than the usual 3.
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONDONTWRITEBYTECODE=1
venv=build/peers version=1.11.0
if ! "$venv/bin/python" -c "import exudyn, sys; sys.exit(exudyn.__version__ != '$version')" >/dev/null 2>&1; then
  echo "bench-peers: installing exudyn $version into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" >/dev/null 2>&1 || { scripts/setup.sh peers && python3 -m venv "$venv"; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check "exudyn==$version" numpy
fi
exec "$venv/bin/python" bench/peers/run.py build/bench/scenario "$venv/bin/python"
