#!/usr/bin/env bash
# The studies of scenarios/studies, with fewer points than they have, against what is known of them.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
studies=$SOURCE_DIR/scenarios/studies
if ! have_python || ! python3 -c 'import sqlite3' 2>/dev/null; then
  echo "studies: without python3 and its sqlite3 the tables are not looked at"
  finish
  exit
fi

# A study with other numbers: small NAME SED...
small() {
  local name=$1
  shift
  sed -e "s|^scenario: |scenario: $studies/|" "$@" "$studies/$name.yaml" >"$name.yaml"
  expect 0 sweep "$name.yaml" -o "$name.sqlite"
  is_file "$name.sqlite" "$name.html"
}

# The rows of a study, as SQL and Python see them: check NAME COLUMNS EXPRESSION, which has to hold for all rows.
check() {
  checks=$((checks + 1))
  python3 - "$1.sqlite" "$2" "$3" <<'PY' || fail "the table of $1 is not what it should be"
import math, sqlite3, sys
names = sys.argv[2].split()
rows = sqlite3.connect(sys.argv[1]).execute("SELECT %s FROM points" % ", ".join(names)).fetchall()
assert rows
for row in rows:
    if not eval(sys.argv[3], {"math": math, **dict(zip(names, row))}):
        sys.exit("studies: %s" % dict(zip(names, row)))
PY
}

# The rope runs beyond Euler's and Eytelwein's force, and only there.
small breakaway -e 's/count: 21/count: 7/'
check breakaway "mu more status" "(status == 'limit') == (196.2 + more > 196.2 * math.exp(mu * math.pi))"

# Each bearing makes the tensions beside it differ by (1 + c)/(1 - c). Nodes that run onto the sheaves shake the rope by 0.4 %.
small efficiency -e 's/points: 300/points: 4/'
check efficiency "low_mu top_mu load haul" \
  "0 < haul / (lambda k: load * 9.81 * k(low_mu) * k(top_mu) / (1 + k(low_mu)))(lambda mu: (1 + mu * 20 / 150) / (1 - mu * 20 / 150)) - 1 < 0.006"

# The motor holds the difference of the weights, and what the rope that was moved weighs: 2 pi/4 R 0.4555 kg/m g R = 0.44 N m. Contact at
# nodes that are 70 mm apart leaves the arm of the rope uncertain by about 2 mm, which is 0.25 N m.
small motor -e 's/base: 128/base: 8/'
check motor "left right torque" "abs(torque - (left - right) * 9.81 * 0.25 - 0.44) < 0.25"
expect 0 report motor.sqlite --json
checks=$((checks + 1))
python3 - "$out" <<'PY' || fail "the indices of the motor are wrong"
import json, sys
torque = json.load(open(sys.argv[1]))["statistics"][0]["sobol"]
assert torque["base"] == 8 and all(abs(v[0]) < 1e-3 for v in torque["total"][2:]), torque["total"]
PY

# The least force that stops the heaviest cart on the most slippery shoe; in the mean over the corners it is less.
cp "$studies"/brake*.yaml .
free="--parameters contacts.shoe.normal:100:5000 --no-report --json"
# shellcheck disable=SC2086
for how in worst mean; do
  expect 0 optimize brake.yaml --over brake-samples.yaml --robust $how --minimize 'max(contacts.shoe.n)' --limit 'bodies.cart.x < 0.4 m' $free -o "$how"
done
checks=$((checks + 1))
python3 - <<'PY' || fail "the robust optimum is wrong"
import json
worst, mean = (json.load(open(f"{how}/optimum.json"))["parameters"][0]["after"] for how in ("worst", "mean"))
assert abs(worst - 120 / (2 * 0.2 * 0.4)) < 0.01, worst
assert abs(mean - sum(m / mu for m in (80, 120) for mu in (0.2, 0.4)) / 4 / (2 * 0.4)) < 0.01, mean
PY
# shellcheck disable=SC2086
expect 0 optimize brake.yaml --minimize 'max(contacts.shoe.n)' --limit 'bodies.cart.x < 0.4 m' $free --watch -o watched
has "$err" "to follow it: http://127.0.0.1:"
# shellcheck disable=SC2086
expect 2 optimize brake.yaml --minimize bodies.cart.x --robust worst $free
has "$err" "--over takes a study"
expect 2 optimize brake.yaml --minimize bodies.cart.x --over brake-samples.yaml --robust best $free
has "$err" "takes mean or worst"
expect 2 optimize brake.yaml --minimize bodies.cart.x --over motor.yaml $free
has "$err" "it is a study of"
finish
