#!/usr/bin/env bash
# capstan report and export of a study: the page, its numbers, files of other formats, and files that are no study.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
if ! have_python || ! python3 -c 'import sqlite3' 2>/dev/null; then
  echo "study_page: SKIPPED, python3 has no sqlite3 to make tables with"
  finish
  exit
fi
python3 "$SOURCE_DIR/test/web/study_tables.py" . saltelli grid hostile empty

expect 0 report saltelli.sqlite
has "$out" "wrote saltelli.html"
is_file saltelli.html
expect 0 report saltelli.sqlite -o other.html --quiet
is_empty "$out"
checks=$((checks + 1))
cmp -s saltelli.html other.html || fail "the same table gives two pages"
checks=$((checks + 1))
[ "$(ls saltelli.sqlite*)" = saltelli.sqlite ] || fail "reading a table leaves files beside it"
expect 0 report saltelli.sqlite -o -
has "$out" "<!doctype html>"
expect 0 report empty.sqlite
expect 0 report hostile.sqlite
has_no hostile.html '<script>document.title'
expect 0 report hostile.sqlite --json
checks=$((checks + 1))
python3 - "$out" <<'PY' || fail "commands are not quoted for the shell"
import json, shlex, sys
for case in json.load(open(sys.argv[1]))["failures"]:
    words = shlex.split(case["command"])
    assert words[:2] == ["capstan", "run"] and words[2].startswith("'; rm -rf x") and words[3] == "--set", words
    assert len(words) == 7 and words[4].startswith("bodies."), words
PY

# Numbers against Python's own.
expect 0 report saltelli.sqlite --json
checks=$((checks + 1))
python3 - "$out" <<'PY' || fail "the numbers of a study are wrong"
import json, sqlite3, statistics, sys
s = json.load(open(sys.argv[1]))
assert s["counts"][2] == 5 and sum(s["counts"]) == 2560 and [c["status"] for c in s["failures"][:6]] == [2] * 5 + [1]
x = [r[0] for r in sqlite3.connect("saltelli.sqlite").execute("SELECT value FROM points WHERE value IS NOT NULL")]
value = s["statistics"][0]
for key, wanted in (("mean", statistics.fmean(x)), ("deviation", statistics.stdev(x)), ("least", min(x)), ("most", max(x))):
    assert abs(value[key] - wanted) < 1e-12 * abs(wanted), key
assert abs(value["quantiles"][2] - statistics.median(x)) < 1e-12
assert s["worst"][0]["end"] == "largest" and len(s["worst"][0]["cases"]) == 5
assert value["sobol"]["used"] == 511 and value["convergence"]["points"][-1] == 2560
PY

# Rows in another order are no Saltelli sample: no indices rather than wrong ones.
cp saltelli.sqlite swapped.sqlite
python3 -c 'import sqlite3; d = sqlite3.connect("swapped.sqlite"); d.execute("UPDATE points SET point = -1 - point"); d.execute("UPDATE points SET point = point + 2560"); d.commit()'
expect 0 report swapped.sqlite --json
has_no "$out" '"sobol"'

expect 0 export saltelli.sqlite --csv --hdf5 -o files
is_file files/saltelli.csv
is_file files/saltelli.h5
find_h5py
if [ -n "${python:-}" ]; then
  checks=$((checks + 1))
  "$python" - <<'PY' || fail "the HDF5 file of a study is wrong"
import h5py, sqlite3
points = h5py.File("files/saltelli.h5")["points"][:]
rows = sqlite3.connect("saltelli.sqlite").execute('SELECT point, x1, value, "d(value)/d(x1)", status, message FROM points ORDER BY point').fetchall()
assert len(points) == len(rows) == 2560
for p, r in zip(points, rows):
    assert p["point"] == r[0] and p["x1"] == r[1] and p["status"].decode() == r[4] and p["message"].decode() == r[5]
    for name, value in (("value", r[2]), ("d(value)/d(x1)", r[3])):
        assert p[name] == value or (value is None and p[name] != p[name])
PY
fi

expect 2 report saltelli.sqlite grid.sqlite
has "$err" "one study on a page"
expect 2 export saltelli.sqlite --vtk
has "$err" "--csv or --hdf5"
head -c 4096 saltelli.sqlite >cut.sqlite
expect 2 report cut.sqlite
has "$err" "cannot be read as the table of a study"
python3 -c 'import sqlite3; d = sqlite3.connect("alien.sqlite"); d.execute("CREATE TABLE t (x)"); d.commit()'
expect 2 report alien.sqlite
has "$err" "it lacks the plain tables"

# Tables of strangers: nothing in them acts when they are read, and nobody waits for them.
python3 - <<'PY'
import shutil, sqlite3
forever = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"
hostile = {
    "view": ["ALTER TABLE points RENAME TO p", f"CREATE VIEW points AS {forever} c.x AS point, p.status FROM c, p"],
    "keys": ["ALTER TABLE study RENAME TO s", f"CREATE VIEW study AS {forever} 'study_hash' AS key, x AS value FROM c"],
    "trigger": ["CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM study; END"],
    "computed": ["ALTER TABLE points ADD COLUMN big TEXT AS (hex(zeroblob(400000000)))"],
    "formula": ["UPDATE points SET message = '=1+1'"],
}
for name, statements in hostile.items():
    shutil.copy("saltelli.sqlite", name + ".sqlite")
    d = sqlite3.connect(name + ".sqlite")
    for s in statements:
        d.execute(s)
    d.commit()
    d.close()
# a table whose definition brings another statement along
shutil.copy("saltelli.sqlite", "two.sqlite")
d = sqlite3.connect("two.sqlite", isolation_level=None)
d.execute("PRAGMA writable_schema = ON")
d.execute("UPDATE sqlite_master SET sql = sql || '; ATTACH ''stolen.sqlite'' AS y; CREATE TABLE y.t (x)' WHERE name = 'points'")
d.close()
PY
for name in view keys trigger computed; do
  expect 2 report $name.sqlite -o hostile.html
  has "$err" "cannot be read as the table of a study"
  expect 2 export $name.sqlite --csv -o hostile
  expect 2 sweep --merge $name.sqlite -o merged.sqlite
  rm -f merged.sqlite
done
run sweep --merge two.sqlite -o merged.sqlite
checks=$((checks + 1))
[ ! -e stolen.sqlite ] || fail "a statement of a stranger was obeyed"
expect 0 export formula.sqlite --csv -o formula
cat formula/*.csv >formula.csv
has formula.csv ",'=1+1,"
has_no formula.csv ",=1+1"
finish
