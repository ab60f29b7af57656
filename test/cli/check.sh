#!/usr/bin/env bash
# capstan check: good and bad files, settings, JSON, the schema and the reference.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# A Python program, from standard input, that has to be content with the files.
judge() {
  have_python || return 0
  checks=$((checks + 1))
  python3 - "$@" || fail "capstan check: wrong JSON"
}

cat >"$tmp/good.yaml" <<'YAML'
capstan: 1
title: Block on a belt
bodies:
  block: {mass: 1 kg}
surfaces:
  belt: {velocity: 1 m/s}
springs:
  k: {between: [block, ground], stiffness: 10 N/m}
contacts:
  c: {between: [block, belt], normal: weight, friction: {coulomb: {mu: 0.5}}}
run: {until: 10 s}
YAML
sed 's/mass: 1 kg/mass: -1 kg/; s/stiffness: 10/stifness: 10/' "$tmp/good.yaml" >"$tmp/bad.yaml"

expect 0 check "$tmp/good.yaml"
has "$out" "good.yaml is good: 1 body, 1 surface, 1 spring, 1 contact; events until 10 s"
is_empty "$err"
expect 0 check "$tmp/good.yaml" --set run.until='5 s' -s contacts.c.friction=tanh
has "$out" "bdf until 5 s"

# All problems, on standard error, with place, line and caret.
expect 2 check "$tmp/bad.yaml"
is_empty "$out"
has "$err" 'bad.yaml:4:17: bodies.block.mass: found "-1 kg"; mass must be greater than 0, such as "1 kg"'
has "$err" "    4 |   block: {mass: -1 kg}"
has "$err" "      |                 ^"
has "$err" 'springs.k.stifness: there is no key "stifness" in a spring; did you mean "stiffness"?'

expect 2 check "$tmp/good.yaml" --set bodies.blok.mass=1
has "$err" '--set:1:8: bodies.blok.mass: there is no "blok" here; did you mean "block"?'

# JSON is one document, good or bad.
expect 0 check "$tmp/good.yaml" --json
judge "$out" "$tmp/good.yaml" <<'PY'
import hashlib, json, sys
d = json.load(open(sys.argv[1]))
assert d["ok"] is True and d["problems"] == [] and d["bodies"] == 1 and d["solver"] == "events", d
assert d["hash"] == hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest(), d
PY
expect 2 check "$tmp/bad.yaml" --json
is_empty "$err"
judge "$out" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["ok"] is False and len(d["problems"]) == 2, d
p = d["problems"][0]
assert (p["line"], p["column"], p["key"]) == (4, 17, "bodies.block.mass"), p
PY

# Files that cannot be read, and bad usage.
expect 3 check "$tmp/nothing.yaml"
has "$err" "nothing.yaml: there is no such file"
expect 3 check "$tmp"
has "$err" "it is a folder, not a file"
expect 2 check
expect 2 check "$tmp/good.yaml" "$tmp/bad.yaml"
expect 2 check --schema --json

# From a pipe.
"$CAPSTAN" check /dev/stdin <"$tmp/good.yaml" >"$out" || fail "a pipe is not read"

# The schema is JSON, refers only to what it defines, and knows every key.
expect 0 check --schema
judge "$out" <<'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
def walk(x):
    if isinstance(x, dict):
        for k, v in x.items():
            if k == "$ref":
                assert v.startswith("#/definitions/") and v[14:] in schema["definitions"], v
            walk(v)
    elif isinstance(x, list):
        for v in x: walk(v)
walk(schema)
assert set(schema["required"]) == {"capstan", "run"}, schema["required"]
assert "mass" in schema["definitions"]["bodies"]["properties"]
try:
    import jsonschema
except ImportError:
    sys.exit()
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
good = {"capstan": 1, "bodies": {"b": {"mass": "1 kg"}}, "run": {"until": 1},
        "contacts": {"c": {"between": ["b", "ground"], "normal": "weight", "friction": {"coulomb": {"mu": 0.5}}}}}
assert not list(validator.iter_errors(good)), list(validator.iter_errors(good))
for bad in ({**good, "titel": "x"}, {**good, "bodies": {"b": {"mass": -1}}}, {**good, "bodies": {"b": {}}},
            {**good, "contacts": {"c": {**good["contacts"]["c"], "friction": "coulom"}}},
            {**good, "run": {"until": 1, "solver": "rk5"}}):
    assert list(validator.iter_errors(bad)), bad
PY
expect 0 check --reference
has "$out" "# Scenario files"

finish
