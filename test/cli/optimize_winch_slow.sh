#!/usr/bin/env bash
# The example of docs/optimize.md: a travelling winch leaves its load at rest, in the same time, without slipping more than allowed.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$SOURCE_DIR" || exit 1
expect 0 optimize scenarios/winch.yaml --minimize 'rms(bodies.load.vx, 1.5, 3.5)' \
  --parameters=drums.winch.moved.x.sum.{0..4}.step5.to.1:-0.2:0.4 --parameters=drums.winch.drive.rotation.sum.{0..4}.step5.to.1:-1.5:0.5 \
  --limit 'drums.winch.x = 0.6 m' --limit 'drums.winch.angle = -2.5 rad' --limit 'cables.rope.winch.slip_work < 1.75 J' -o "$tmp/w" --json --quiet
is_empty "$err"
is_file "$tmp/w/report.html"
if have_python; then
  checks=$((checks + 1))
  python3 - "$out" <<'PY' || fail "the load is not at rest, or a limit does not hold"
import json, sys
s = json.load(open(sys.argv[1]))
swing, x, angle, slip = s["outputs"]
assert s["converged"] and swing["before"] > 0.5 and swing["after"] < 0.01 * swing["before"], swing
assert abs(x["after"] - 0.6) < 1e-5 and abs(angle["after"] + 2.5) < 1e-5 and slip["after"] < 1.75 * (1 + 1e-5)
PY
fi
finish
