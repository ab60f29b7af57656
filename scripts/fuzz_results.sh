#!/usr/bin/env bash
# Changed result files, one after the other, through the tool: none may end it by a signal, hold it up, or bring
# something of another file into what it writes. One line: tried, read, refused, failed.
# usage: fuzz_results.sh COUNT [FIRST_SEED] [SECONDS_MOST]     needs CAPSTAN and MUTATE_RESULT, or a build in build/
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
tool=${CAPSTAN:-$here/build/capstan} mutate=${MUTATE_RESULT:-$here/build/test/mutate_result}
count=$1 seed=${2:-1} most=${3:-1000000} batch=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
export CAPSTAN_READ_SECONDS=2
cat >small.yaml <<'YAML'
capstan: 1
title: Small
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}}
run: {until: 3 s, output: 0.05 s, solver: events}
YAML
cat >rope.yaml <<'YAML'
capstan: 1
drums: {pulley: {radius: 250 mm, center: [0, 0], drive: {rotation: 0}}}
bodies: {left: {mass: 10 kg}, right: {mass: 10 kg}}
cables:
  rope:
    EA: 1 MN
    EI: 0.7 N m2
    mass_per_length: 0.4555 kg/m
    elements: 8
    path: [left, {hang: 1 m}, {over: pulley}, {hang: 1 m}, right]
    contact: {normal: {hunt-crossley: {stiffness: 5e6}}, friction: {quinn: {mu: 0.25}}}
run: {until: 0.1 s, output: 10 ms, fields: 20 ms}
YAML
printf 'SECRET%.0s' {1..500} >victim
"$tool" run small.yaml -o small -q && "$tool" run rope.yaml -o rope -q || { echo "fuzz_results: cannot make the files to change" >&2; exit 3; }
tried=0 read=0 refused=0 failed=0 start=$SECONDS
while [ "$tried" -lt "$count" ] && [ $((SECONDS - start)) -lt "$most" ]; do
  n=$((count - tried < batch ? count - tried : batch))
  mkdir files out
  case $((seed / batch % 2)) in 0) from=small ;; *) from=rope ;; esac
  "$mutate" $from/result.h5 files "$seed" "$n" "$work/victim" || { echo "fuzz_results: mutate_result fails at $seed" >&2; exit 3; }
  for ((i = seed; i < seed + n; i++)); do
    what=--csv
    status=0
    case $((i % 3)) in
    0) timeout -s KILL 20 "$tool" export files/$i.h5 --npy -o out -q 2>err || status=$? ;;
    1) timeout -s KILL 20 "$tool" export files/$i.h5 --csv -o out -q 2>err || status=$? ;;
    2) timeout -s KILL 20 "$tool" report files/$i.h5 -o out/report.html -q 2>err || status=$? ;;
    esac
    case $status in
    0) read=$((read + 1)) ;;
    2 | 3) refused=$((refused + 1)) ;;
    *)
      failed=$((failed + 1))
      echo "fuzz_results: seed $i ($from, $what): status $status: $(head -c 200 err)" >&2
      ;;
    esac
  done
  if grep -rqs SECRET out; then
    failed=$((failed + 1))
    echo "fuzz_results: between seeds $seed and $((seed + n)) something of another file was written" >&2
  fi
  rm -rf files out
  tried=$((tried + n)) seed=$((seed + n))
done
echo "result files: tried $tried, read $read, refused $refused, failed $failed"
[ "$failed" = 0 ]
