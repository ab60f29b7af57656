#!/usr/bin/env bash
# capstan sens: the table, JSON, histories in a folder, methods, and bad input.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$SOURCE_DIR" || exit 1
block=scenarios/verulkar/rabinowicz.yaml
by=bodies.block.mass,springs.spring.stiffness

expect 0 sens "$block" --wrt "$by" --of 'bodies.block.x@5, max(bodies.block.v, 0, 2)' --of 'event(belt, 1)'
is_empty "$err"
for text in "Rabinowicz" "forward" "bodies.block.x@5 = 0.92" "max(bodies.block.v, 0, 2)" "event(belt, 1) = 0.15" "m/(N/m)"; do
  has "$out" "$text"
done

# All methods agree; and doubling mass and stiffness alike changes no motion: d/dk = -(m/k) d/dm.
for method in forward adjoint differences; do
  expect 0 sens "$block" --wrt "$by" --of 'bodies.block.x@5,energy.friction' --method $method --json
  is_empty "$err"
  cp "$out" "$tmp/$method.json"
done
if have_python; then
  checks=$((checks + 1))
  python3 - "$tmp" <<'PY' || fail "capstan sens: methods disagree"
import json, sys
s = {m: json.load(open(f"{sys.argv[1]}/{m}.json")) for m in ("forward", "adjoint", "differences")}
for m, d in s.items():
    assert d["method"] == m and [p["path"] for p in d["parameters"]] == ["bodies.block.mass", "springs.spring.stiffness"]
    for i, o in enumerate(d["outputs"]):
        for k, g in enumerate(o["derivatives"]):
            best = s["forward"]["outputs"][i]["derivatives"][k]["derivative"]
            assert abs(g["derivative"] - best) < (1e-8 if m == "adjoint" else 1e-5) * abs(best), (m, i, k)
    dm, dk = (g["derivative"] for g in d["outputs"][0]["derivatives"])
    assert abs(dk + 0.1 * dm) < 1e-5 * abs(dk)
    assert d["outputs"][0]["derivatives"][0]["unit"] == "m/kg"
PY
fi

# Who names something again, forty thousand times, gets it once.
names=bodies.block.mass$(printf ',bodies.block.mass%.0s' {1..5000})
outputs=bodies.block.x$(printf ',bodies.block.x%.0s' {1..5000})
many=()
for _ in {1..8}; do many+=(--wrt "$names" --of "$outputs"); done
expect 0 sens "$block" "${many[@]}" -o "$tmp/again" --no-report --json
if have_python; then
  checks=$((checks + 1))
  [ "$(python3 -c 'import json, sys; d = json.load(sys.stdin); print(len(d["parameters"]), len(d["outputs"]))' <"$out")" = "1 1" ] || fail "a name that is given again is taken again"
fi
has "$tmp/again/series.csv" "d(bodies.block.x)/d(bodies.block.mass) [m/kg]"

# Histories: in the file, in the series, and in the report.
expect 0 sens "$block" --wrt bodies.block.mass --of bodies.block.x --set run.until=3 -o "$tmp/s"
for file in result.h5 series.csv summary.json sensitivities.json scenario.yaml report.html; do is_file "$tmp/s/$file"; done
has "$tmp/s/series.csv" "d(bodies.block.x)/d(bodies.block.mass) [m/kg]"
expect 0 export "$tmp/s" --csv -o "$tmp/e"
has "$tmp/e/series.csv" "d(energy.friction)/d(bodies.block.mass) [J/kg]"
find_h5py
checks=$((checks + 1))
"$python" - "$tmp/s/result.h5" <<'PY' || fail "capstan sens: wrong result.h5"
import h5py, sys
with h5py.File(sys.argv[1]) as f:
    d = f["sensitivities/bodies.block.mass/bodies/block/x"]
    assert d.attrs["unit"] == b"m/kg" and d.attrs["name"] == b"d(bodies.block.x)/d(bodies.block.mass)"
    assert d.attrs["long_name"] == b"derivative of position of body block by bodies.block.mass"
    assert d.shape == f["series/time"].shape
PY

# Every mistake is said, and what would be right.
expect 2 sens
expect 2 sens "$block"
has "$err" "with respect to what"
expect 2 sens "$block" --wrt bodies.block.mass
has "$err" "of what"
expect 2 sens "$block" --wrt bodies.blok.mass --of bodies.block.x
has "$err" 'did you mean "bodies.block.mass"'
expect 2 sens "$block" --wrt bodies.block.mass --of bodies.block.y
has "$err" 'did you mean "bodies.block.x"'
expect 2 sens "$block" --wrt run.tolerance --of bodies.block.x
has "$err" "how to compute"
expect 2 sens "$block" --wrt bodies.block.mass --of bodies.block.x --method backward
has "$err" "did you mean 'forward'"
expect 3 sens nowhere.yaml --wrt a --of b
expect 0 sens --help
has "$out" "COLUMN@T"
finish
