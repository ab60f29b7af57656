#!/usr/bin/env bash
# Every block of YAML in README.md and docs/ is good: a whole scenario is read and started, a part of one is read within a scenario.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
cat >rest.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
contacts: {belt: {between: [block, belt], normal: weight, friction: coulomb}}
run: {until: 1 s}
YAML
# Blocks are cut out: N.yaml, with the place in N.where.
blocks=0
for file in "$SOURCE_DIR/README.md" "$SOURCE_DIR"/docs/*.md; do
  inside='' number=0
  while IFS= read -r line; do
    number=$((number + 1))
    if [ -n "$inside" ]; then
      if [[ $line == '```'* ]]; then inside=''; else printf '%s\n' "$line" >>"$blocks.yaml"; fi
    elif [[ $line == '```yaml'* ]]; then
      inside=yes blocks=$((blocks + 1))
      : >"$blocks.yaml"
      echo "${file#"$SOURCE_DIR"/}:$number" >"$blocks.where"
    fi
  done <"$file"
done
checks=$((checks + 1))
[ "$blocks" -ge 10 ] || fail "only $blocks blocks were found"
for i in $(seq "$blocks"); do
  where=$(cat "$i.where")
  if grep -q '^capstan: 1' "$i.yaml"; then
    expect 0 check "$i.yaml"
    [ "$status" = 0 ] || { fail "$where is not a good scenario"; continue; }
    # The first moments of it: equilibrium, first steps, first rows. One that has no equilibrium is started as it is drawn.
    from=$(python3 -c 'import json, subprocess, sys; print(json.loads(subprocess.run([sys.argv[1], "check", sys.argv[2], "--json"], capture_output=True, text=True).stdout)["from"])' "$CAPSTAN" "$i.yaml")
    expect 0 run "$i.yaml" -o "$i.results" --quiet --no-report --set "run.until=$(awk -v t="$from" 'BEGIN { print t + 0.02 }')"
    [ "$status" = 0 ] || fail "$where does not run"
  else
    { sed '/^run:/d' rest.yaml; grep -q '^run:' "$i.yaml" || echo 'run: {until: 1 s}'; cat "$i.yaml"; } >"part-$i.yaml"
    expect 0 check "part-$i.yaml"
    [ "$status" = 0 ] || fail "$where is not a good part of a scenario"
  fi
done
finish
