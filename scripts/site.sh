#!/usr/bin/env bash
# Makes the documentation site, build/site: mkdocs-material from docs/, formulas by KaTeX, search that needs no server. What it
# takes from PyPI and npm is installed into build/site-env and scripts/site/node_modules; pages load nothing from a network.
# usage: site.sh [--install]   (--install: only fetch what it needs)
set -euo pipefail
cd "$(dirname "$0")/.."
env=build/site-env
wanted=scripts/site/requirements.txt
if ! cmp -s "$wanted" "$env/installed"; then
  rm -rf "$env"
  mkdir -p build
  python3 -m venv "$env"
  "$env/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$env/installed"
fi
[ -d scripts/site/node_modules/katex ] || (cd scripts/site && npm ci --no-audit --no-fund --loglevel=error)
[ "${1:-}" != --install ] || exit 0
"$env/bin/python" -B scripts/site/stage.py . build/site-pages
NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1 "$env/bin/mkdocs" build --quiet --strict --clean -f scripts/site/mkdocs.yml
"$env/bin/python" -B scripts/site/check.py build/site
echo "site: open $PWD/build/site/index.html"
