# common.bash - what the tests on schedulers share. They are run by hand, or by a machine that has a scheduler: CTest does not know them.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/common.bash"
CAPSTAN=$(readlink -f "$CAPSTAN")
place=$(mktemp -d /tmp/capstan-cluster-XXXXXX)
cd "$tmp" || exit 1

skip() {
  echo "skipped: $*"
  rm -rf "$place"
  exit 0
}

# A study of some seconds, and its table from one process in whole.txt.
make_study() {
  cat >slide.yaml <<'Y'
capstan: 1
bodies: {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 3, output: 0.001, solver: events}
Y
  cat >long.yaml <<'Y'
study: 1
title: Friction and speed
scenario: slide.yaml
vary:
  mu: {path: contacts.floor.friction.mu, uniform: {low: 0.1, high: 0.5}}
  speed: {path: bodies.block.v, range: [50 cm/s, 2 m/s]}
sample: {method: latin-hypercube, points: 2000, seed: 3}
outputs: {far: bodies.block.x, stop: event(1)}
Y
  expect 0 sweep long.yaml -o whole --quiet
  table whole/points.sqlite >whole.txt
}
