#!/usr/bin/env bash
# Habits of the command line: standard input and output as "-", new, diff, doctor, completion, manual pages, exit statuses.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1

cat >block.yaml <<'YAML'
capstan: 1
title: A block on the ground
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.3}}}}
run: {until: 0.1 s, output: 10 ms}
YAML

# ---- "-" is standard input, and standard output
"$CAPSTAN" run - -o piped --quiet <block.yaml || fail "run - does not read standard input"
expect 0 run block.yaml -o named --quiet
expect 0 diff piped named
is_empty "$out"
"$CAPSTAN" run - --quiet <block.yaml
is_file stdin.results/result.h5
"$CAPSTAN" check - <block.yaml >"$out" || fail "check -"
has "$out" "is good"
printf 'capstan: 1\nbodise: {}\nrun: {until: 1}\n' | "$CAPSTAN" check - >"$out" 2>"$err"
has "$err" "stdin:2:1"
"$CAPSTAN" report named -o - --quiet >"$out" || fail "report -o -"
has "$out" "<!doctype html>"
has_no "$out" "wrote -"
"$CAPSTAN" export named --csv -o - >"$out" || fail "export -o -"
cmp -s "$out" named/series.csv || fail "the series on standard output is not series.csv"
expect 2 export named --vtk -o -

# ---- a scenario is no result
for command in "report block.yaml" "export block.yaml --csv"; do
  # shellcheck disable=SC2086
  expect 2 $command
  has "$err" "'block.yaml' is a scenario, not a result; capstan run block.yaml"
done
echo hello >text
expect 2 report text
has "$err" "a result is a folder of capstan run"
mkdir empty
expect 2 report empty
has "$err" "there is no result.h5 in it"

# ---- new
expect 0 new
has "$out" "winch"
expect 0 new winch
has "$out" "capstan run winch.yaml"
cmp -s winch.yaml "$SOURCE_DIR/scenarios/winch.yaml" || fail "new winch is not scenarios/winch.yaml"
expect 2 new winch
has "$err" "is there already"
expect 0 new winch --force --quiet
is_empty "$out"
expect 0 new chain -o -
cmp -s "$out" "$SOURCE_DIR/scenarios/quinn/chain.yaml" || fail "new chain -o - is not scenarios/quinn/chain.yaml"
expect 0 new hoist
has "$out" "wrote drum-hoist.yaml"
has "$err" "took gallery/drum-hoist; there is also gallery/mine-hoist"
expect 0 new elevator -q -o lift.yaml
is_empty "$err"
has lift.yaml "Elevator with deflector"
expect 0 new lugris/elevator --force
is_empty "$err"
expect 2 new wnich
has "$err" "did you mean 'winch'?"
expect 3 new winch --scenarios nowhere

# ---- diff: the same, said otherwise, is the same
sed 's/1 kg/1000 g/; s/10 ms/0.01/; s/coulomb: {mu: 0.3}/coulomb: {mu: 0.3}/' block.yaml >same.yaml
expect 0 diff block.yaml same.yaml
is_empty "$out"
sed 's/mu: 0.3/mu: 0.4/; s/A block/Another block/' block.yaml >other.yaml
expect 1 diff block.yaml other.yaml
has "$out" "contacts.floor.friction.mu"
has "$out" "0.3  ->  0.4"
has "$out" "Another block on the ground"
[ "$(wc -l <"$out")" = 2 ] || fail "more than two differences: $(cat "$out")"
expect 1 diff block.yaml other.yaml --json
[ "$(number "$out" differences 1 b)" = 0.4 ] || fail "the JSON of diff"
expect 0 run other.yaml -o other --quiet
expect 1 diff named other --json
# x = v t - mu g t^2 / 2: the columns differ most at the end, by (0.4 - 0.3) g t^2 / 2.
python3 - "$out" <<'PYTHON' || fail "the largest difference of two results"
import json, sys
d = {x["path"]: x for x in json.load(open(sys.argv[1]))["differences"]}
assert abs(d["bodies.block.x"]["largest"] - 0.1 * 9.81 * 0.1 ** 2 / 2) < 1e-9 and d["bodies.block.x"]["at"] == 0.1, d["bodies.block.x"]
assert "time" not in d and "rows" not in d
PYTHON
expect 0 diff named other --tolerance 2
expect 2 diff named block.yaml
expect 2 diff named

# ---- a run that cannot start says so in JSON, too
cat >falls.yaml <<'YAML'
capstan: 1
drums: {drum: {radius: 200 mm}}
bodies: {heavy: {mass: 50 kg}, light: {mass: 1 kg}}
cables:
  rope: {EA: 400 kN, mass_per_length: 0.4 kg/m, elements: 12, path: [light, hang 1 m, over drum, hang 1 m, heavy], contact: {at: nodes, normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: 0.1}}}}
run: {until: 1 s}
YAML
expect 1 run falls.yaml --json
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["status"] == "failed" and "no equilibrium" in d["error"]["text"], d' "$out" || fail "run --json without equilibrium"

# ---- exported files of an earlier run are named, those of an earlier export removed
expect 0 export named --vtk --quiet
touch named/vtk/bodies_99999.vtp named/vtk/mine.vtp
expect 0 export named --vtk --quiet
[ ! -e named/vtk/bodies_99999.vtp ] && [ -e named/vtk/mine.vtp ] || fail "stale frames"
expect 0 run block.yaml -o named
has "$err" "what was exported of an earlier run is still in named: vtk, result.pvd"

# ---- doctor
expect 0 doctor
has "$out" "HDF5"
has "$out" "kernels of cables"
expect 0 doctor --json
python3 -c 'import json, sys; assert "SUNDIALS" in json.load(open(sys.argv[1]))' "$out" || fail "doctor --json"

# ---- completion: the words, and that the scripts work
words() { "$CAPSTAN" completion --complete "$@" >"$out" 2>"$err" || fail "completion $*"; }
words 1 capstan mo
[ "$(cat "$out")" = models ] || fail "capstan mo completes to $(cat "$out")"
words 2 capstan run --no
[ "$(cat "$out")" = --no-report ] || fail "run --no completes to $(cat "$out")"
words 4 capstan run block.yaml --set contacts.floor.f
has "$out" "contacts.floor.friction.mu="
has_no "$out" "bodies"
words 4 capstan sens block.yaml --wrt contacts.floor.friction.mu,bodies.block.m
[ "$(cat "$out")" = contacts.floor.friction.mu,bodies.block.mass ] || fail "a list completes to $(cat "$out")"
words 2 capstan models qui
has "$out" quinn
words 2 capstan new win
[ "$(cat "$out")" = winch ] || fail "new win completes to $(cat "$out")"
bash -c 'capstan() { "$CAPSTAN" "$@"; }; eval "$("$CAPSTAN" completion bash)"
  COMP_WORDS=(capstan run block.yaml --set bodies.block.ma) COMP_CWORD=4; _capstan; echo "${COMPREPLY[@]}"' >"$out" 2>"$err"
[ "$(cat "$out")" = bodies.block.mass= ] || fail "bash completes to $(cat "$out" "$err")"
for shell in zsh fish; do
  expect 0 completion $shell
  cp "$out" "script.$shell"
  if command -v $shell >/dev/null; then $shell -n "script.$shell" || fail "$shell does not take its script"; fi
done
expect 2 completion tcsh

# ---- manual pages: one for each command, with every option
mkdir pages
expect 0 help --man pages
for c in $("$CAPSTAN" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  [ "$c" = help ] && continue
  is_file "pages/capstan-$c.1"
  "$CAPSTAN" help "$c" | sed -n '/^Options:/,/^$/s/.*--\([a-z-]*\).*/\1/p' | while read -r o; do
    sed 's/\\-/-/g' "pages/capstan-$c.1" | grep -qF -e "--$o" || echo "--$o of $c"
  done >missing
  is_empty missing
done
expect 2 help --man
expect 3 help --man nowhere/at/all

# ---- no colour where it is not wanted: not even on a terminal
if command -v script >/dev/null; then
  NO_COLOR=1 script -qec "$CAPSTAN models; $CAPSTAN models quinn; $CAPSTAN doctor" /dev/null >"$out" 2>/dev/null
  ! grep -q "$(printf '\033\[[0-9;]*m')" "$out" || fail "NO_COLOR is not respected"
fi
finish
