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

# What only the model or the solver cannot do is said here, too, and run says the same.
cat >"$tmp/inside.yaml" <<'YAML'
capstan: 1
drums:
  pulley: {radius: 250 mm, center: [0, 0]}
cables:
  rope:
    EA: 9.2 MN
    mass_per_length: 0.4555 kg/m
    elements: 40
    path: [{pinned: [0, 0.1]}, {over: pulley}, {hang: 1 m}, free]
    contact: {at: nodes, normal: {linear: {stiffness: 5e6}}, friction: {coulomb: {mu: 0.25}}}
run: {until: 1 s, solver: bdf}
YAML
expect 2 check "$tmp/inside.yaml"
has "$err" "inside.yaml:9:32: cables.rope.path.1: the path comes to drum pulley from a point inside it"
has "$err" "      |                                ^"
has "$err" "inside.yaml:11:27: run.solver: the law coulomb of cable rope jumps between sticking and sliding, which bdf cannot follow: use run.solver alpha"
expect 2 run "$tmp/inside.yaml" -o "$tmp/inside.results"
has "$err" "inside.yaml:9:32: cables.rope.path.1: the path comes to drum pulley from a point inside it"
expect 2 check "$tmp/good.yaml" --set run.solver=bdf
has "$err" "--set:1:12: run.solver: the law coulomb of contact c jumps"

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
# Of drums and cables, everything that can be said in more than one way.
drum = {"radius": "250 mm"}
rope = {"EA": 1, "mass_per_length": 1, "elements": 9, "path": ["left", "hang 1 m", "over d", {"hang": "rest"}, "free"],
        "contact": {"normal": "hunt-crossley", "friction": "coulomb"}}
def ropes(**more): return {**good, "drums": {"d": drum}, "cables": {"c": {**rope, **more}}}
def drums(**more): return {**good, "drums": {"d": {**drum, **more}}}
def contact(**more): return ropes(contact={**rope["contact"], **more})
for fine in (ropes(), ropes(closed=True, tension="500 N"), ropes(masses=[{"at": "1 m", "mass": 2}]),
             ropes(path=[{"body": "left"}, {"around": "d", "turn": "clockwise", "turns": 2, "pitch": "1 cm"},
                         {"to": [1, 2, 3]}, {"along": [1, 0], "length": 3}, {"rim": "d"}]),
             ropes(path=[{"free": None}, {"free": {"at": [0, 0], "force": {"x": "1 N"}}}]),
             ropes(path=[{"pinned": [0, 0]}, {"clamped": {"at": [0, 0], "direction": [1, 0], "moved": {"y": 1}}}]),
             ropes(damping={"axial": 1}, quadrature={"axial": 2}, strain="green", curvature="exact", start="drawn"),
             contact(at="nodes"), contact(at="quadrature"), contact(at={"quadrature": 2}), contact(drums="all"),
             contact(drums=["d"], reading="all-stick", normal={"linear": {"stiffness": "1 MN/m"}}),
             contact(normal={"hunt-crossley": {"stiffness": 5e6, "exponent": 1.5, "damping": 1}}),
             drums(drive="free", inertia=1, rate="3 rpm", axis=[0, 1, 0]), drums(drive={"rotation": "1 rad"}),
             drums(drive={"pd": {"kp": 1, "setpoint": {"ramp": {"rate": 1}}}}), drums(moved={"x": 1}),
             drums(bearing={"friction": "coulomb", "radius": 1, "load": "cable"}),
             drums(bearing={"friction": "coulomb", "radius": 1, "load": "500 N"}, carried_by="b")):
    assert not list(validator.iter_errors(fine)), (fine, list(validator.iter_errors(fine)))
for bad in (ropes(path="over d"), ropes(path=["left"]), ropes(path=["left", {"ovr": "d"}, "free"]), ropes(elements=1.5),
            ropes(path=["left", {"over": "d", "turn": "left"}, "free"]), ropes(strain="greene"), ropes(lenght=3),
            ropes(quadrature={"axial": 6}), ropes(mesh={"on_drums": 1}), contact(at="node"), contact(normal="linea"),
            contact(at={"quadrature": 9}), contact(normal={"linear": {"exponent": 1}}), contact(normal={}),
            drums(drive="fre"), drums(drive={"rotation": 1, "torque": 1}), drums(drive={"pd": {"kp": 1}}),
            drums(axis=[0, 1]), drums(radius=0), drums(moved={"w": 1}), drums(bearing={"friction": "coulomb"}),
            {**good, "drums": {"d": {}}}):
    assert list(validator.iter_errors(bad)), bad
for bad in ({**good, "titel": "x"}, {**good, "bodies": {"b": {"mass": -1}}}, {**good, "bodies": {"b": {}}},
            {**good, "contacts": {"c": {**good["contacts"]["c"], "friction": "coulom"}}},
            {**good, "run": {"until": 1, "solver": "rk5"}}):
    assert list(validator.iter_errors(bad)), bad
PY
expect 0 check --reference
has "$out" "# Scenario files"

finish
