#!/usr/bin/env bash
# Sobol' indices and elementary effects of capstan report against those of SALib, for Ishigami's function and for a study of ours. SALib is
# taken from the python that $SALIB_PYTHON names, or from python3; without it this is skipped, with a message.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
python=${SALIB_PYTHON:-python3}
if ! "$python" -c 'import sqlite3, SALib' 2>/dev/null; then
  echo "salib: SKIPPED, indices were not compared: there is no SALib (python3 -m pip install SALib)"
  finish
  exit
fi
"$python" "$SOURCE_DIR/test/web/study_tables.py" . saltelli morris
cat >slide.yaml <<'Y'
capstan: 1
bodies: {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 6, output: 0.05, solver: events}
Y
cat >ours.yaml <<'Y'
study: 1
scenario: slide.yaml
vary: {mu: {path: contacts.floor.friction.mu, range: [0.1, 0.5]}, speed: {path: bodies.block.v, range: [0.5 m/s, 2 m/s]}}
sample: {method: saltelli, base: 256, seed: 3}
outputs: {far: bodies.block.x}
Y
expect 0 sweep ours.yaml -o ours.sqlite --no-report
for table in saltelli morris ours; do
  expect 0 report "$table.sqlite" --json
  cp "$out" "$table.json"
done
checks=$((checks + 1))
"$python" - <<'PY' || fail "the indices differ from those of SALib"
import json, sqlite3
import numpy as np
from SALib.analyze import morris, sobol

def table(name, columns):
    return np.array(sqlite3.connect(f"{name}.sqlite").execute("SELECT %s FROM points ORDER BY point" % ", ".join(columns)).fetchall(), float)

for name, parameters, output in (("saltelli", ["x1", "x2", "x3"], "value"), ("ours", ["mu", "speed"], "far")):
    d = len(parameters)
    y = table(name, [output])[:, 0].reshape(-1, d + 2)
    y = y[np.isfinite(y).all(axis=1)]
    # SALib's order of rows is A, AB_1 .. AB_d, B
    theirs = sobol.analyze({"num_vars": d, "names": parameters, "bounds": [[0, 1]] * d}, y[:, [0, *range(2, d + 2), 1]].ravel(), calc_second_order=False, num_resamples=1000, seed=1)
    ours = json.load(open(f"{name}.json"))["statistics"][0]["sobol"]
    for key, first in (("first", "S1"), ("total", "ST")):
        value, low, high = np.array(ours[key]).T
        print(name, key, value, theirs[first])
        assert np.allclose(value, theirs[first], rtol=1e-10, atol=1e-12), (value, theirs[first])
        # half an interval of 95 %, of which bootstraps know about a tenth
        assert np.allclose((high - low) / 2, theirs[f"{first}_conf"], rtol=0.2, atol=2e-3), ((high - low) / 2, theirs[f"{first}_conf"])

x, y = table("morris", ["x1", "x2", "x3"]), table("morris", ["value"])[:, 0]
theirs = morris.analyze({"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * 3}, x, y, num_levels=4, scaled=False)
ours = json.load(open("morris.json"))["statistics"][0]["morris"]
print("morris", [e["mu_star"][0] for e in ours], theirs["mu_star"])
for key in ("mu", "sigma"):
    assert np.allclose([e[key] for e in ours], theirs[key], rtol=1e-9, atol=1e-9), (ours, theirs[key])
assert np.allclose([e["mu_star"][0] for e in ours], theirs["mu_star"], rtol=1e-9)

# What is known of x = v^2/(2 mu g): with c = variance/mean^2 of each factor, S = c/(c1 + c2 + c1 c2) and T = c (1 + other)/(...).
c = np.array([20 / (np.log(5) / 0.4) ** 2 - 1, 4.2625 / 1.75**2 - 1])
truth = {"first": c / (c.sum() + c.prod()), "total": c * (1 + c[::-1]) / (c.sum() + c.prod())}
ours = json.load(open("ours.json"))["statistics"][0]["sobol"]
for key in truth:
    value, low, high = np.array(ours[key]).T
    print("ours", key, value, "truth", truth[key])
    assert ((low < truth[key]) & (truth[key] < high)).all()
PY
finish
