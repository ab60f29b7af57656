#!/usr/bin/env bash
# capstan fit: parameters come back from data that were made with them; files, JSON, several sets, bad input.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$SOURCE_DIR" || exit 1
block=scenarios/verulkar/rabinowicz.yaml
quick=(--set run.until=4 --set run.output=0.05 --set run.tolerance=1e-9)
wrong=(--set contacts.belt.friction.mu_d=0.6 --set springs.spring.stiffness=11)
parameters=contacts.belt.friction.mu_d:0.1:2,springs.spring.stiffness

# Data: a run itself, in other units and under another name.
expect 0 run "$block" "${quick[@]}" -o "$tmp/true" --quiet
expect 0 run "$block" "${quick[@]}" --set surfaces.belt.velocity=0.8 -o "$tmp/slow" --quiet
for set in true slow; do
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bodies.block.x [m]") c = i; print "time [ms],pos [mm]"; next }
    { printf "%.9g,%.12g\n", 1000 * $1, 1000 * $c }' "$tmp/$set/series.csv" >"$tmp/$set.csv"
done

expect 0 fit "$block" "${quick[@]}" "${wrong[@]}" --data "$tmp/true.csv" --column pos=bodies.block.x --parameters "$parameters" -o "$tmp/fit"
for text in "step" "contacts.belt.friction.mu_d" "95 % confidence" "correlations" "rms before" "report.html"; do has "$out" "$text"; done
for file in fit.json settings.txt result.h5 summary.json report.html; do is_file "$tmp/fit/$file"; done
has "$tmp/fit/settings.txt" "springs.spring.stiffness="

expect 0 fit "$block" "${quick[@]}" "${wrong[@]}" --data "$tmp/true.csv" --data "$tmp/slow.csv:surfaces.belt.velocity=0.8" \
  --column pos=bodies.block.x --sigma 'pos=0.1 mm' --loss huber --parameters "$parameters" -o "$tmp/two" --json
is_empty "$err"
is_file "$tmp/two/1-true/report.html"
is_file "$tmp/two/2-slow/report.html"
if have_python; then
  checks=$((checks + 1))
  python3 - "$out" <<'PY' || fail "capstan fit: wrong JSON"
import json, sys
s = json.load(open(sys.argv[1]))
assert s["converged"] is True and s["loss"] == "huber" and len(s["data"]) == 2
mu, k = s["parameters"]
assert abs(mu["value"] - 0.7) < 1e-5 and abs(k["value"] - 10) < 1e-4, (mu, k)
assert mu["low"] <= 0.7 <= mu["high"] and mu["min"] == 0.1 and mu["start"] == 0.6
assert len(s["correlations"]) == 2 and s["singular_values"][0] >= s["singular_values"][1] > 0
assert abs(s["data"][0]["series"][0]["sigma"] - 1e-4) < 1e-12
assert s["data"][1]["settings"] == ["surfaces.belt.velocity=0.8"]
PY
fi

# A result is data, too: its columns are known by their names.
expect 0 fit "$block" "${quick[@]}" "${wrong[@]}" --data "$tmp/true/series.csv" --column bodies.block.x --column bodies.block.v \
  --parameters "$parameters" -o "$tmp/all" --no-report --quiet
is_empty "$out"

expect 2 fit "$block"
has "$err" "to what"
expect 2 fit "$block" --data "$tmp/true.csv"
has "$err" "what is to be found"
expect 2 fit "$block" "${quick[@]}" --data "$tmp/true.csv" --parameters "$parameters"
has "$err" "no column 'pos'"
expect 2 fit "$block" "${quick[@]}" --data "$tmp/true.csv" --column pos=bodies.block.x --parameters "springs.spring.stiffness:1"
has "$err" "PATH:MIN:MAX"
expect 2 fit "$block" "${quick[@]}" --data "$tmp/true.csv" --column pos=bodies.block.x --parameters "springs.spring.stiffness:5:2"
has "$err" "bounds"
expect 2 fit "$block" "${quick[@]}" --data "$tmp/true.csv" --column pos=bodies.block.x --parameters springs.spring.stiff
has "$err" 'did you mean'
expect 2 fit "$block" --data "$tmp/true.csv" --parameters "$parameters" --loss huuber
has "$err" "did you mean 'huber'"
expect 2 fit "$block" --set run.until=1 --data "$tmp/true.csv" --column pos=bodies.block.x --parameters "$parameters"
has "$err" "the run is from"
expect 3 fit "$block" --data "$tmp/nowhere.csv" --parameters "$parameters"
expect 0 fit --help
has "$out" "sigma(NAME)"
finish
