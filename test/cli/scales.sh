#!/usr/bin/env bash
# Parts that are too fast or too stiff are named by `check` already; what takes long says what holds it up, and stops when asked to.
. "$(dirname "$0")/common.bash"
cd "$tmp" || exit

spring() { # STIFFNESS MASS RUN
  cat <<YAML
capstan: 1
bodies: {block: {mass: $2, x: 1.1}}
springs: {spring: {between: [{ground: 0}, block], stiffness: $1, length: 1}}
loads: {pull: {on: block, force: 1 N}}
run: {$3}
YAML
}
# Explicit steps follow the fastest part: sqrt(k/m) = 1e12 1/s for 10 s.
spring 1e12 1e-12 'until: 10 s, solver: events' >fast.yaml
expect 2 check fast.yaml
has "$err" "springs.spring.stiffness"
has "$err" "acts within 1e-12 s"
has "$err" "3e+12 steps"
expect 2 run fast.yaml -o fast
has "$err" "3e+12 steps"
# Fixed steps: 2.83/rate is the limit of rk4 for what oscillates, here 0.283 s; the run agrees.
spring 100 1 'until: 30 s, solver: rk4, step: 0.28 s, output: 0.28 s' >below.yaml
spring 100 1 'until: 30 s, solver: rk4, step: 0.29 s, output: 0.29 s' >above.yaml
expect 0 check below.yaml
is_empty "$err"
expect 0 check above.yaml
has "$err" "warning: spring spring (100 N/m on 1 kg) acts within 0.1 s: with steps of 0.29 s rk4 is not stable, at most 0.28 s are"
expect 0 check above.yaml --json
has "$out" '"warnings": ['
has "$out" "rk4 is not stable"
if have_python; then
  for name in below above; do
    run run $name.yaml -o $name --no-report -q --set run.audit.fail=off --set run.audit.warn=off
    cp $name/series.csv $name.csv
  done
  checks=$((checks + 1))
  python3 - <<'PY' || fail "the limit of rk4 is not where it is said to be"
import csv
far = {}
for name in ("below", "above"):
    rows = list(csv.reader(open(name + ".csv")))
    column = [i for i, c in enumerate(rows[0]) if c.startswith("bodies.block.x")][0]
    x = [abs(float(r[column]) - 1.01) for r in rows[1:]]
    far[name] = max(x[-10:]) / max(x[:10])
assert far["below"] < 1 < far["above"], far
PY
fi
# Also where nobody has said how long the steps are: a thousandth of the run.
spring 1e8 1 'until: 1 s, solver: rk4' >unsaid.yaml
expect 0 check unsaid.yaml
has "$err" "with steps of 0.001 s rk4 is not stable, at most 0.00028 s are"
# Frames are counted like rows; a run that is shorter than any step is told so, and no law is blamed.
expect 2 check below.yaml --set run.fields=1e-300
has "$err" "run.fields: 30 s in frames of 1e-300 s are 3e+301, which nobody can wait for"
spring 100 1 'until: 1e-300 s, solver: bdf' >instant.yaml
run run instant.yaml -o instant -q --no-report
has_no "$err" "friction law"

# Friction about rest: mu n/(v_t m) = 0.5 x 9.81/1e-4 of tanh, so 2.83/49050 s = 58 us.
cat >tanh.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 2 kg, v: 0.1}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {tanh: {mu: 0.5, v_t: 1e-4}}}}
run: {until: 0.1 s, solver: rk4, step: 57 us, output: 1 ms}
YAML
expect 0 check tanh.yaml
is_empty "$err"
expect 0 check tanh.yaml --set run.step='60 us'
has "$err" "warning: friction of contact floor about rest (tanh, 19.6 N on 2 kg) acts within 2e-05 s"

# Stiffness beyond the digits of numbers: 4 x 2.2e-16 x 1e15 N/m x 1.1 m is about 1 N.
spring 2e14 1 'until: 1 s, solver: alpha' >doubtful.yaml
expect 0 check doubtful.yaml
has "$err" "warning: spring spring of 2e+14 N/m is too stiff for numbers of 16 digits: round-off of places alone is worth 0.2 N"
spring 2e17 1 'until: 1 s, solver: alpha' >beyond.yaml
expect 2 check beyond.yaml
has "$err" "springs.spring.stiffness: spring spring of 2e+17 N/m is too stiff"
rope() { # EA DAMPING HANG ELEMENTS MASS
  cat <<YAML
capstan: 1
drums: {drum: {radius: $6}}
bodies: {left: {mass: $5}, right: {mass: $5}}
cables:
  rope:
    EA: $1
    EI: 0
    mass_per_length: 1e-3
    damping: {axial: $2}
    elements: $4
    path: [left, {hang: $3}, {over: drum}, {hang: $3}, right]
    contact: {at: nodes, normal: hunt-crossley, friction: quinn}
run: {until: 0.2 s, output: 10 ms}
YAML
}
rope '5.4e9' '5.4e7' '0.5 mm' 10 '2.7e-8 kg' '0.15 mm' >tiny.yaml
run check tiny.yaml
has "$err" "cable rope of EA 5.4e+09 N in elements of 0.000147 m is too stiff for numbers of 16 digits"
run run tiny.yaml -o tiny -q
has "$err" "is too stiff for numbers of 16 digits"
# The direction of what pulls beyond all measure is known all the same.
for gravity in 1e300 1e-200; do
  run check "$SOURCE_DIR/scenarios/gallery/drum-hoist.yaml" --set gravity=$gravity
  has_no "$err" "along the axis"
done
rope '1 MN' '1e13' '1 m' 10 '10 kg' '0.2 m' >damped.yaml
expect 0 check damped.yaml
has "$err" "warning: damping of cable rope (1e+13 N s in elements of 0.263 m with 0.001 kg/m) acts within"

# Numbers that are far from those of machines are named, where they are, and nothing else is blamed for what cannot be computed with them.
hoist() { # LINE NUMBER COLUMN KEY STATUS WORDS: a line of the hoist, where in it a number is blamed, and how the run ends
  cat >far.yaml <<YAML
capstan: 1
drums: {hoist: {radius: 300 mm, center: [0, 0], drive: {rotation: {step5: {from: [0 s, 0], to: [4 s, 4 rad]}}}}}
bodies: {load: {mass: 1000 kg}}
cables:
  rope:
    EA: 20 MN
    EI: 0.2 N m2
    mass_per_length: 1.2 kg/m
    mesh: {size: 110 mm}
    path: [{rim: hoist}, {around: hoist, turn: clockwise, turns: 1}, hang 2 m, load]
    contact: {normal: {hunt-crossley: {stiffness: 1e10}}, friction: {quinn: {mu: 0.2, epsilon: 5 mm/s}}}
run: {until: 20 ms, output: 10 ms}
YAML
  sed -i "$2s|.*|$1|" far.yaml
  expect "$5" run far.yaml -o far -q --no-report
  has "$err" "far.yaml:$2:$3: $4: "
  has "$err" "$6"
  for file in far/series.csv far/summary.json; do
    if [ -e $file ]; then has_no $file "nan"; fi
  done
  rm -rf far
}
hoist '    EA: 1e-300 N' 6 9 cables.rope.EA 2 'stretched to 9.9e+303 times its length by all loads'
hoist '    EA: 1e-6 N' 6 9 cables.rope.EA 2 'stretched to 9.9e+09 times its length by all loads, together 9.9e+03 N: with EA of 9.9e+03 N or more'
hoist '    EI: 1e30 N m2' 7 9 cables.rope.EI 2 'cable rope of EI 1e+30 N m2 in elements of 0.108 m is too stiff'
hoist '    mass_per_length: 1e-300 kg/m' 8 22 cables.rope.mass_per_length 2 'found "1e-300 kg/m"'
hoist '    mass_per_length: 1e30 kg/m' 8 22 cables.rope.mass_per_length 2 'found "1e30 kg/m"'
hoist '    mesh: {size: 1e-30 m}' 9 18 cables.rope.mesh.size 2 'found "1e-30 m"'
hoist '    path: [{rim: hoist}, {around: hoist, turn: clockwise, turns: 1}, hang 1e30 m, load]' 10 70 cables.rope.path.2.hang 2 'found "1e30 m"'
hoist 'bodies: {load: {mass: 1e30 kg}}' 3 23 bodies.load.mass 2 'found "1e30 kg"'
hoist 'drums: {hoist: {radius: 1e30 m, center: [0, 0]}}' 2 25 drums.hoist.radius 2 'found "1e30 m", far from the numbers of machines, such as "250 mm"'
hoist 'drums: {hoist: {radius: 300 mm, center: [0, 1e30 m]}}' 2 45 drums.hoist.center.1 2 'found "1e30 m", far from the numbers of machines, such as "1 m"'
hoist 'drums: {hoist: {radius: 300 mm, drive: {rotation: {step5: {from: [0 s, 0], to: [4 s, 1e300 rad]}}}}}' 2 86 drums.hoist.drive.rotation.step5.to.1 1 \
  'found "1e300 rad", far from the numbers of machines, such as "1 rad"; with it: the equations of cable rope do not converge'
hoist 'run: {until: 1e-300 s}' 12 14 run.until 1 'found "1e-300 s"'
sed 's/mass: 1 kg/mass: 1 kg, v: 1e300/' tanh.yaml | sed 's/v: 0.1/v: 1e300/' >fast.yaml
expect 1 run fast.yaml -o endless -q --no-report
has "$err" 'fast.yaml:2:33: bodies.block.v: '
has "$err" 'found "1e300"'
has_no endless/series.csv nan
has_no endless/series.csv inf
# One that is far away and has nothing to do with it is not blamed.
spring 100 1 'until: 1 s, solver: alpha' | sed 's/x: 1.1/x: 1.1, held_until: 1e-20 s/' >harmless.yaml
expect 0 run harmless.yaml -o harmless -q --no-report
is_empty "$err"

# What is prescribed so short that nothing comes further is to blame, and not the law.
cat >pulses.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {quinn: {mu: 0.1}}}}
loads: {pull: {on: block, force: {pulses: {amplitude: 3 N, start: 0, width: 1e-11 s, period: 2e-11 s, count: 1000000000}}}}
run: {until: 1 s, solver: alpha, output: 0.1 s}
YAML
expect 2 check pulses.yaml
has "$err" "pulses.yaml:4:27: loads.pull.force: it jumps 2e+09 times until 1 s"
expect 2 run pulses.yaml -o pulses -q --no-report
# Fewer than anybody could wait for, but with nothing to be seen between them; and steps that pass over them.
sed 's/count: 1000000000/count: 40000000/' pulses.yaml >fewer.yaml
expect 1 run fewer.yaml -o pulses -q --no-report
has "$err" "ended where something prescribed jumps or bends"
sed 's/count: 1000000000/count: 51000000/' pulses.yaml >steps.yaml
expect 0 check steps.yaml
has "$err" "warning: loads.pull.force jumps 1.02e+08 times until 1 s, and a step ends at each: more than run.max_steps"
expect 0 check steps.yaml --set run.solver=rk4
has "$err" "warning: loads.pull.force jumps 1.02e+08 times in 1e+03 steps of run.solver rk4, which misses most of them"
expect 0 check steps.yaml --set run.solver=rk4 --set loads.pull.force.pulses.count=100
is_empty "$err"
cat >paradox.yaml <<'YAML'
capstan: 1
bodies: {a: {mass: 1.3 kg}, b: {mass: 2 kg, x: 0.5}}
surfaces: {belt: {velocity: {sine: {amplitude: 0.6, omega: 3.1, offset: 0.2}}}}
springs: {s: {between: [{ground: 0}, a], stiffness: 40, damping: 0.1}, t: {between: [a, b], stiffness: 30, length: 0.5}}
contacts:
  one: {between: [a, belt], normal: weight, friction: coulomb-static}
  two: {between: [b, ground], normal: 3 N, friction: {coulomb-static: {mu_s: 0.28, mu_d: 0.7}}}
run: {until: 2, solver: events, tolerance: 1e-7, output: 0.1}
YAML
run run paradox.yaml -o paradox -q --no-report
has_no "$err" "try run.solver events"

# Somebody who waits hears what holds it up.
rope '1 MN' '1' '1 m' 20000 '10 kg' '0.2 m' >long.yaml
export CAPSTAN_PATIENCE=0.02
run run long.yaml -o long -q --no-report --set run.until=1e-5
has "$err" "warning: the search for the equilibrium at t = 0 s has taken"
export CAPSTAN_PATIENCE=1000
run run long.yaml -o long -q --no-report --set run.until=1e-5
has_no "$err" "has taken"
finish
