#!/usr/bin/env bash
# Writes the generated part of docs/: models.md and models/*.svg from the table of laws, scenario.md and
# scenario.schema.json from the tables of keys, man/*.1 from the help texts, images/speed.svg from bench/README.md, verification.md and verification/*.svg from runs of scenarios/.
# usage: docs.sh [--check]   (--check: write elsewhere, and fail if docs/ differs; verification.md takes longer, and is
# checked by test/cli/reproduce_*_slow.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${CAPSTAN:-build/capstan}

if [ "${1:-}" != --check ]; then
  mkdir -p docs/models
  rm -f docs/models/*.svg
  "$tool" models --markdown docs/models.md
  "$tool" check --reference >docs/scenario.md
  "$tool" check --schema >docs/scenario.schema.json
  "$tool" help --columns >docs/columns.md
  mkdir -p docs/man
  rm -f docs/man/*.1
  "$tool" help --man docs/man
  python3 scripts/speed_figure.py bench/README.md docs/images/speed.svg
  echo "wrote docs/scenario.md, docs/scenario.schema.json, docs/columns.md, docs/man and docs/images/speed.svg" >&2
  rm -f docs/verification/*.svg
  "$tool" reproduce --markdown docs/verification.md | tail -n 1
  cat test/reference/random_machines.md >>docs/verification.md # a campaign of an hour, which is not made again
  exit
fi

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir -p "$temp/models" "$temp/man" "$temp/images"
"$tool" help --man "$temp/man"
"$tool" models --markdown "$temp/models.md" >/dev/null
"$tool" check --reference >"$temp/scenario.md"
"$tool" check --schema >"$temp/scenario.schema.json"
"$tool" help --columns >"$temp/columns.md"
python3 scripts/speed_figure.py bench/README.md "$temp/images/speed.svg"
same=yes
for file in models.md scenario.md scenario.schema.json columns.md images/speed.svg; do diff "$temp/$file" "docs/$file" || same=no; done
if [ $same = no ] || ! diff -rq "$temp/models" docs/models || ! diff -r "$temp/man" docs/man; then
  echo "docs: docs/ is not what the tool writes; run make docs" >&2
  exit 1
fi
echo "docs: up to date"
