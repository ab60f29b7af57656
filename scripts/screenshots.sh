#!/usr/bin/env bash
# Takes the pictures of the README, docs/images/*.png, from the reports of the demonstration (make demo).
# usage: screenshots.sh
set -euo pipefail
cd "$(dirname "$0")/.."
BROWSER=$(command -v chromium || command -v chromium-browser) || { echo "screenshots: chromium is missing; scripts/setup.sh web" >&2; exit 1; }
export BROWSER
[ -d web/node_modules/playwright-core ] || (cd web && npm ci --no-audit --no-fund --loglevel=error)
[ -f demo/festoon/report.html ] || scripts/demo.sh >/dev/null
mkdir -p docs/images

# The first of the results that is there.
first_of() { local r; for r in "$@"; do [ -f "demo/$r/report.html" ] && { echo "demo/$r/report.html"; return; }; done; echo "screenshots: none of $* in demo/" >&2; exit 1; }
shoot() { local out=docs/images/$1; shift; node web/shoot.mjs "$1" "$out" "${@:2}"; echo "wrote $out"; }

main=$(first_of pulley festoon)
shoot report-light.png "$main" at=0.65
shoot report-dark.png "$main" at=0.65 theme=dark to=friction
shoot report-phone.png "$(first_of capstan rabinowicz)" at=0.4 size=390x844
