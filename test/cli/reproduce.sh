#!/usr/bin/env bash
# capstan reproduce: options, rows, scenario files that are elsewhere or wrong. The papers are in reproduce_*_slow.sh.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$SOURCE_DIR" || exit 1

expect 0 reproduce --list
for id in quinn.oscillator quinn.forced quinn.chain quinn.two-blocks schuderer.regularised schuderer.pulse schuderer.drift \
  schuderer.step schuderer.xs-sweep schuderer.festoon verulkar.rabinowicz verulkar.sensitivities westin.capstan westin.contact-distribution westin.pulley \
  lugris.energy lugris.springs lugris.semi-analytical lugris.ancf; do
  has "$out" "$id "
done
expect 0 reproduce --list --json
has "$out" '"id": "quinn.chain"'
expect 0 reproduce --help
has "$out" "Usage: capstan reproduce"
expect 2 reproduce quin.chain
has "$err" "did you mean 'quinn.chain'?"
expect 2 reproduce --json --markdown - quinn.oscillator

expect 0 reproduce quinn.oscillator quinn.two-blocks
has "$out" "17 of 17 rows ok"
has_no "$out" "OFF"
expect 0 reproduce quinn.oscillator --json
is_empty "$err"
if have_python; then
  checks=$((checks + 1))
  python3 - "$out" <<'PY' || fail "capstan reproduce: wrong JSON"
import json, sys
rows = json.load(open(sys.argv[1]))
keys = {"id", "paper", "item", "published", "reference", "computed", "unit", "tolerance", "ok"}
assert rows and all(keys <= set(r) and r["ok"] is True for r in rows)
r = rows[0]
assert abs(r["computed"] - r["reference"]) <= r["tolerance"] and r["compare"] == "absolute"
PY
fi

# Other scenario files: a wrong number is a row that is not ok, a missing folder is said at once.
cp -r scenarios "$tmp/scenarios"
sed -i 's/x: 2.75/x: 2.7/' "$tmp/scenarios/quinn/oscillator.yaml"
expect 1 reproduce quinn.oscillator --scenarios "$tmp/scenarios"
has "$out" "OFF"
CAPSTAN_SCENARIOS=$tmp/scenarios expect 1 reproduce quinn.oscillator --json
has "$out" '"ok": false'
echo "nonsense: 1" >"$tmp/scenarios/quinn/oscillator.yaml"
expect 1 reproduce quinn.oscillator --scenarios "$tmp/scenarios" --json
has "$out" '"computed": null'
has "$out" "nonsense"
expect 3 reproduce --scenarios "$tmp/nowhere"
has "$err" "--scenarios"

expect 0 reproduce quinn.two-blocks --markdown "$tmp/page.md"
has "$tmp/page.md" "### quinn.two-blocks"
has "$tmp/page.md" "](page/quinn-11.svg)"
has "$tmp/page/quinn-11.svg" "<svg"
expect 3 reproduce quinn.two-blocks --markdown "$tmp/page.md/no"

finish
