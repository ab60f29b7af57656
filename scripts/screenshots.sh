#!/usr/bin/env bash
# Takes the pictures of README and docs, docs/images/*.png, from the reports of the demonstration (make demo) and of a machine of the gallery.
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

build/capstan run scenarios/gallery/elevator.yaml -o demo/elevator --quiet
shoot report-light.png demo/elevator/report.html at=0.4
shoot report-dark.png "$(first_of pulley festoon)" at=0.65 theme=dark to=friction
shoot report-phone.png "$(first_of capstan rabinowicz)" at=0.4 size=390x844

# Of the tutorials: the first block of yaml after the line that names its file is the machine.
machine_of() { awk -v name="\`$2\`" 'index($0, name) { found = 1 } found && inside && /^```/ { exit } found && inside { print } found && /^```yaml/ { inside = 1 }' "$1" >"demo/$2"; }
machine_of docs/tutorial.md block.yaml
build/capstan run demo/block.yaml -o demo/block --quiet
shoot block.png demo/block/report.html at=0.5
machine_of docs/tutorial-cables.md tackle.yaml
build/capstan run demo/tackle.yaml -o demo/tackle --quiet
shoot tackle.png demo/tackle/report.html at=0.45

# Of the pages about sensitivities, fits and optimisation.
block=scenarios/verulkar/rabinowicz.yaml
build/capstan sens $block --wrt bodies.block.mass,springs.spring.stiffness --of 'bodies.block.x,bodies.block.v' --set run.output=20ms -o demo/sens --quiet
shoot sens.png demo/sens/report.html size=1280x1000 at=0.5 to=plots
build/capstan fit $block --data scenarios/belt-measured.csv --column position=bodies.block.x -o demo/fit --quiet --set run.output=10ms \
  --parameters contacts.belt.friction.mu_s:0.1:2,contacts.belt.friction.mu_d:0.1:2,springs.spring.stiffness --set run.until=4 \
  --set contacts.belt.friction.mu_s=0.9 --set contacts.belt.friction.mu_d=0.6 --set springs.spring.stiffness=11
shoot fit.png demo/fit/report.html size=1280x800 at=0.5 to=plots
build/capstan optimize scenarios/winch.yaml --minimize 'rms(bodies.load.vx, 1.5, 3.5)' -o demo/optimum --quiet \
  --parameters=drums.winch.moved.x.sum.{0..4}.step5.to.1:-0.2:0.4 --parameters=drums.winch.drive.rotation.sum.{0..4}.step5.to.1:-1.5:0.5 \
  --limit 'drums.winch.x = 0.6 m' --limit 'drums.winch.angle = -2.5 rad' --limit 'cables.rope.winch.slip_work < 1.75 J'
shoot optimize.png demo/optimum/report.html size=1280x1000 at=0.7 to=plots

# Of the page of a study.
build/capstan sweep scenarios/studies/motor.yaml -o demo/motor.sqlite --quiet
shoot study.png demo/motor.html size=1000x560 to=points
rm -f demo/motor.sqlite
