#!/usr/bin/env bash
# The documentation site can be made, no link in it is dead, and every page can be reached: scripts/site.sh. Needs mkdocs and KaTeX from
# PyPI and npm; says so and passes where they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() { echo "site: SKIPPED, $1"; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are missing (scripts/setup.sh web)"
scripts/site.sh --install || skip "what it needs from PyPI and npm cannot be installed"
scripts/site.sh
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || skip "no browser to look at it (scripts/setup.sh web)"
if [ ! -d web/node_modules/playwright-core ] || [ ! -d web/node_modules/axe-core ]; then
  (cd web && npm ci --no-audit --no-fund --loglevel=error) || skip "the packages of web/package.json cannot be installed"
fi
BROWSER=$browser node test/docs/site.mjs build/site
