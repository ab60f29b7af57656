#!/usr/bin/env bash
# Every command on several machines: no number that is printed, written or drawn is anything but finite.
. "$(dirname "$0")/common.bash"
have_python || finish
here=$(cd "$(dirname "$0")" && pwd)
cd "$tmp" || exit
cat >helix.yaml <<'YAML'
capstan: 1
title: Turns in space, beside a block on the ground
gravity: [0, -9.81, 0]
drums: {drum: {radius: 0.2, center: [0, 0, 0], drive: {rotation: {ramp: {rate: 1 rad/s}}}}}
bodies: {a: {mass: 10 kg}, b: {mass: 12 kg}}
cables:
  rope:
    EA: 1 MN
    mass_per_length: 0.1 kg/m
    damping: {axial: 100 N s}
    mesh: {size: 100 mm, on_drums: 30 mm}
    path: [a, hang 1 m, {over: drum, turns: 1, pitch: 30 mm}, hang 1 m, b]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: {quinn: {mu: 0.2}}}
run: {until: 0.1 s, output: 10 ms}
YAML
cat >beside.yaml <<'YAML'
capstan: 1
title: Contacts of bodies beside a cable that slips
drums: {drum: {radius: 0.1, drive: free, inertia: 0.01 kg m2, bearing: {friction: {quinn: {mu: 0.1}}, radius: 10 mm}}}
bodies: {a: {mass: 10 kg}, b: {mass: 11 kg}, block: {mass: 1 kg, at: [1 m, 0], x: 0, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {quinn: {mu: 0.3}}}}
cables:
  rope:
    EA: 1 MN
    mass_per_length: 0.1 kg/m
    damping: {axial: 100 N s}
    start: drawn
    mesh: {size: 50 mm, on_drums: 15 mm}
    path: [a, hang 0.5 m, over drum, hang 0.5 m, b]
    contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e7}}, friction: {coulomb: {mu: 0.2}}}
run: {until: 0.1 s, output: 10 ms}
YAML
# No equilibrium: that is a document, too.
sed 's/drive: {rotation: {ramp: {rate: 1 rad\/s}}}/drive: fixed/; s/b: {mass: 12 kg}/b: {mass: 500 kg}/' helix.yaml >falls.yaml
cat >rests.yaml <<'YAML'
capstan: 1
title: Nothing moves, and nothing is stored
bodies: {block: {mass: 1 kg}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.3}}}}
run: {until: 0.1 s, output: 10 ms}
YAML
checks=$((checks + 1))
python3 "$here/finite.py" "$CAPSTAN" helix.yaml beside.yaml falls.yaml rests.yaml \
  "$SOURCE_DIR"/scenarios/gallery/{trolley-crane,sliding-chain,catenary}.yaml \
  "$SOURCE_DIR"/scenarios/quinn/two-blocks.yaml "$SOURCE_DIR"/scenarios/verulkar/rabinowicz.yaml >found ||
  { fail "numbers that are not finite:"; sed 's/^/  | /' found >&2; }
finish
