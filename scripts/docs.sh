#!/usr/bin/env bash
# Writes the generated part of docs/: models.md and models/*.svg, from the table of laws.
# usage: docs.sh [--check]   (--check: write elsewhere, and fail if docs/ differs)
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${CAPSTAN:-build/capstan}

if [ "${1:-}" != --check ]; then
  mkdir -p docs/models
  rm -f docs/models/*.svg
  "$tool" models --markdown docs/models.md
  exit
fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir "$temp/models"
"$tool" models --markdown "$temp/models.md" >/dev/null
if ! diff -r "$temp/models.md" docs/models.md || ! diff -rq "$temp/models" docs/models; then
  echo "docs: docs/ is not what the tool writes; run make docs" >&2
  exit 1
fi
echo "docs: up to date"
