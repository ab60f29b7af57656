#!/usr/bin/env bash
# capstan fmu: both versions through their C interfaces, against capstan run (test/reference/fmu.py), and calls in any order with any
# arguments (test/fmu/calls.c), under valgrind where it is.
set -u
: "${CAPSTAN:?name the tool: CAPSTAN=build/capstan bash $0}"
: "${SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
object=$(find "$(dirname "$CAPSTAN")/fmu" -name 'capstan.so' -path "*$(uname -m)-linux*" | head -n 1)
sanitized=$(nm -D "$object" | grep -c __asan_init)

cat >"$folder/block.yaml" <<'YAML'
capstan: 1
surfaces: {belt: {velocity: 0.1 m/s}}
bodies: {block: {mass: 1 kg}}
springs: {spring: {between: [block, ground], stiffness: 20 N/m, damping: 0.1 N s/m}}
contacts: {dry: {between: [block, belt], normal: 9.81 N, friction: {stribeck: {mu_s: 0.4, mu_d: 0.3, v_s: 0.05 m/s}}}}
loads: {push: {on: block, force: {pulses: {amplitude: 1 N, start: 0.3 s, width: 0.1 s}}}, pull: {on: block, force: {input: pull}}}
run: {until: 8 s, output: 20 ms, solver: events, max_steps: 2000}
YAML
cat >"$folder/hoist.yaml" <<'YAML'
capstan: 1
gravity: [0, -9.81]
drums: {winch: {radius: 250 mm, center: [0, 0], inertia: 1 kg m2, drive: {torque: {input: {name: motor, start: 24 N m}}}}}
bodies: {load: {mass: 10 kg}}
cables:
  rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, elements: 16, path: [{rim: winch}, {around: winch, turn: clockwise, turns: 1}, hang 1 m, load],
         contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e6}}, friction: {cdq: {mu: 0.25, epsilon: 10 mm/s}}}}
run: {until: 1 s, output: 10 ms, solver: alpha, step: 1 ms, max_steps: 100}
YAML
for name in block hoist; do
  for version in 2 3; do
    "$CAPSTAN" fmu "$folder/$name.yaml" --fmi $version --derivatives -o "$folder/$name$version.fmu" 2>/dev/null || { echo "no FMU of $name"; failed=1; continue; }
    python3 -m zipfile -e "$folder/$name$version.fmu" "$folder/$name$version"
    inside=$(find "$folder/$name$version/binaries" -path "*linux*" -name capstan.so | head -n 1)
    token=$(sed -n 's/^token //p' "$folder/$name$version/resources/variables.txt")
    run() { "$@" "$FMU_CALLS" "$inside" "$folder/$name$version/resources" "$token" $version "$sequences" 7 >"$folder/log" 2>&1 || { echo "FMI $version of $name: $*"; tail -n 20 "$folder/log"; failed=1; }; }
    sequences=40
    [ "$sanitized" = 0 ] || sequences=10
    run timeout 300
    tail -n 1 "$folder/log"
    if [ "$sanitized" = 0 ] && command -v valgrind >/dev/null; then
      sequences=4
      run timeout 300 valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect
    fi
  done
done

# A shared object with the sanitizers inside cannot be loaded by a Python without them.
if [ "$sanitized" = 0 ]; then
  python3 "$SOURCE_DIR/test/reference/fmu.py" "$CAPSTAN" "$folder" || failed=1
else
  echo "fmu: not against capstan run, built with the sanitizers"
fi
exit $failed
