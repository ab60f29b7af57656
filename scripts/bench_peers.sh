#!/usr/bin/env bash
# Runs Capstan and Exudyn 1.11, the nearest peer, on the same problems; Exudyn goes into a virtual environment in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/peers
if ! "$venv/bin/python" -c 'import exudyn' 2>/dev/null; then
  echo "bench-peers: installing exudyn 1.11 into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet exudyn==1.11.0 numpy
fi
exec "$venv/bin/python" bench/peers/run.py build/capstan "$venv/bin/python"
