#!/usr/bin/env bash
# capstan models --compare: the standard experiments, their checks, and what is known of some laws.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1

expect 0 models --compare coulomb,coulomb-static,lugre,gonthier,dahl,tanh,elasto-plastic,iwan --json --html laws.html --with rate_most=10,cycles=8
cp "$out" all.json
is_file laws.html
has laws.html "Break-away against rate"
has laws.html "<svg"
has_no laws.html "<script"
have_python && python3 - all.json <<'PYTHON' || fail "what the experiments say of these laws"
import json, sys
d = json.load(open(sys.argv[1]))
assert len(d["experiments"]) == 9 and d["bench"]["rate_most"] == 10
e = {x["name"]: x for x in d["experiments"]}
for x in e.values():
    c = x["check"]
    assert c["ok"] is True, c
    assert abs(c["found"] - c["expected"]) <= c["tolerance"] * (abs(c["expected"]) or 1), c
    assert [l["problem"] for l in x["laws"]] == [None] * 8, x["name"]
law = lambda name, which: next(l for l in e[name]["laws"] if l["law"] == which)
# LuGre breaks away earlier when it is pulled faster; Coulomb does not care.
lugre = law("breakaway", "lugre")["curves"][0]["y"]
assert all(a > b for a, b in zip(lugre, lugre[1:])), lugre
assert max(abs(y - 0.6) for y in law("breakaway", "coulomb-static")["curves"][0]["y"]) < 2e-3
# Gonthier's law ages; LuGre's does not.
assert law("dwell", "gonthier")["gain"] > 0.1 and abs(law("dwell", "lugre")["gain"]) < 1e-3
# LuGre drifts, the elasto-plastic law much less, Coulomb not at all; tanh creeps.
drift = lambda which: abs(law("drift", which)["drift of a cycle"])
assert drift("coulomb") == 0 and drift("elasto-plastic") < 0.2 * drift("lugre") and drift("lugre") < drift("tanh"), [drift(w) for w in ("coulomb", "elasto-plastic", "lugre", "tanh")]
# Elements in parallel obey Masing's rule; a cycle of presliding costs work.
masing = lambda which: law("hysteresis", which)["deviation from Masing's rule"]
assert masing("iwan") < 5e-3 < masing("dahl"), (masing("iwan"), masing("dahl"))
assert law("hysteresis", "dahl")["work of a cycle"] > 0
# Only the static level makes Coulomb stick and slip.
assert law("stickslip", "coulomb-static")["limit speed"] > 0 == law("stickslip", "coulomb")["limit speed"]
PYTHON

expect 0 models --compare tanh --test pulse --html one.html --set mu=0.3
has "$err" "wrote one.html"
expect 2 models --compare tanh --test puls
has "$err" "did you mean 'pulse'?"
expect 2 models --compare tahn
has "$err" "did you mean 'tanh'?"
expect 2 models --compare tanh --set sigma0=3
has "$err" "none of these laws has a parameter 'sigma0'"
expect 2 models --compare tanh --with weight=3
expect 2 models --compare tanh --with load=-3
has "$err" "load of the experiments is a number above 0"
expect 2 models --test pulse
expect 2 models tanh --compare quinn
finish
