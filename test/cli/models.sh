#!/usr/bin/env bash
# capstan models: the table, the JSON document, and what is shown of each model.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# The longest line in characters: bytes that continue one are not counted.
longest() { LC_ALL=C tr -d '\200-\277' <"$1" | awk '{ n = length($0); if (n > m) m = n } END { print m + 0 }'; }

# The table: all groups, no wider than 100 columns, nothing but text.
expect 0 models
is_empty "$err"
for text in coulomb quinn cdq adams-stick-slip hunt-crossley euler-eytelwein "belt and capstan" "normal contact"; do
  has "$out" "$text"
done
has_no "$out" $'\033'
[ "$(longest "$out")" -le 100 ] || fail "the table is $(longest "$out") columns wide"
! grep -q ' $' "$out" || fail "the table has blanks at the end of lines"
COLUMNS=72 run models
[ "$(longest "$out")" -le 72 ] || fail "the table does not fit 72 columns: $(longest "$out")"

# JSON: one document with everything, nothing else on either stream.
expect 0 models --json
is_empty "$err"
cp "$out" "$tmp/all.json"
if have_python; then
  python3 - "$tmp/all.json" <<'END' || fail "the JSON of all models"
import json, sys
d = json.load(open(sys.argv[1]))
laws = d["friction"]
assert len(laws) > 30, len(laws)
assert len(d["normal"]) >= 2 and len(d["wrap"]) == 1
kinds = ("friction", "normal", "wrap")
names = [m["name"] for k in kinds for m in d[k]]
aliases = [a for k in kinds for m in d[k] for a in m["aliases"]]
assert len(set(names)) == len(names), "a name is used twice"
for k in kinds:
    words = [w for m in d[k] for w in [m["name"]] + m["aliases"]]
    assert len(set(words)) == len(words), "an alias is used twice"
for m in laws:
    t = m["traits"]
    assert t["creeps"] != t["sticks"], m["name"]
    assert t["memory"] == bool(m["states"]) and t["modes"] == bool(m["modes"]), m["name"]
    assert t["continuous"] or not t["smooth"], m["name"]
    assert m["citation"] and m["equation"] and m["title"] and m["family"], m["name"]
for k in kinds:
    for m in d[k]:
        for p in m["params"]:
            assert p["min"] <= p["default"] <= p["max"], (m["name"], p)
            assert p["unit"] and p["meaning"], (m["name"], p)
            assert isinstance(p["default"], (int, float)), (m["name"], p)
open(sys.argv[1] + ".names", "w").write("\n".join(names) + "\n")
open(sys.argv[1] + ".aliases", "w").write("\n".join(aliases) + "\n")
END
  names=$(cat "$tmp/all.json.names")
else
  names=$(grep -o '^      "name": "[^"]*"' "$tmp/all.json" | cut -d'"' -f4)
fi

# Every model: shown in either character set, within 80 columns, without escape sequences.
# The tool is started for each, and what it wrote is looked at in one go.
mkdir "$tmp/shown"
plain=$out
for name in $names; do
  out=$tmp/shown/$name.txt
  expect 0 models "$name"
  is_empty "$err"
  out=$tmp/shown/$name.ascii
  LC_ALL=C run models "$name"
  out=$tmp/shown/$name.json
  expect 0 models "$name" --json
done
out=$plain
none() { # WHAT FILES: there must be no files
  checks=$((checks + 1))
  [ -z "$2" ] || fail "$1: $2"
}
for text in equation source ┤; do none "'$text' is missing" "$(grep -LF "$text" "$tmp"/shown/*.txt)"; done
none "escape sequences" "$(grep -lF $'\033' "$tmp"/shown/*.txt)"
none "nan" "$(grep -lF nan "$tmp"/shown/*.txt)"
none "blanks at the end of lines" "$(grep -l ' $' "$tmp"/shown/*.txt)"
none "more than ASCII in the C locale" "$(LC_ALL=C grep -l '[^ -~]' "$tmp"/shown/*.ascii)"
cat "$tmp"/shown/*.txt >"$tmp/shown/all"
[ "$(longest "$tmp/shown/all")" -le 80 ] || fail "a model is $(longest "$tmp/shown/all") columns wide"
if have_python; then
  python3 -c 'import json, sys
for name in sys.argv[1:]: json.load(open(name))' "$tmp"/shown/*.json || fail "models --json is not JSON"
fi
if have_python; then
  while read -r alias; do
    expect 0 models "$alias" --json
  done <"$tmp/all.json.aliases"
fi

# What belongs to a kind of law is there.
expect 0 models quinn
has "$out" "Force against velocity"
has "$out" "Force against balance force"
expect 0 models lugre-load
has "$out" "Steady sliding"
has "$out" "Slow cycles of displacement"
has "$out" "states"
expect 0 models adams-stick-slip
has "$out" "friction against deflection"
has "$out" "slip forward"

# Settings and load act on what is drawn.
expect 0 models coulomb
cp "$out" "$tmp/plain"
expect 0 models coulomb --set mu=0.25 --load 40
! cmp -s "$out" "$tmp/plain" || fail "--set and --load change nothing"
has "$out" "normal force of 40 N"
has "$out" "value"

# On a terminal there is colour, unless NO_COLOR asks for none.
if command -v script >/dev/null; then
  NO_COLOR='' script -qec "$CAPSTAN models quinn" /dev/null </dev/null >"$out" 2>/dev/null
  has "$out" $'\033['
  NO_COLOR=1 script -qec "$CAPSTAN models quinn" /dev/null </dev/null >"$out" 2>/dev/null
  has_no "$out" $'\033['
fi
finish
