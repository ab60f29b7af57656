#!/usr/bin/env bash
# The demonstration: what laws there are, then a block that sticks and slips on a belt.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p demo
build/capstan models
echo
build/examples/stick_slip demo
