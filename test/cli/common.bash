# common.bash - what the tests of the command line share. Sourced, not run: CTest runs *.sh only.
#
#   run ARGS...             runs the tool; then $status, and $out and $err hold the names of files
#   expect STATUS ARGS...   the same, and the status must be that
#   has FILE TEXT           the file holds the text (a fixed string); has_no FILE TEXT
#   number JSON KEY...      a number of a JSON file, by its keys; needs python3
#   near NAME FOUND WANTED  two numbers agree to 12 digits
#   find_h5py               sets $python to one that reads HDF5
#   table FILE              the rows of a study, to the bit; same A B: two files agree
#   finish                  the summary; every script ends with it
set -u
: "${CAPSTAN:?name the tool: CAPSTAN=build/capstan bash $0}"
: "${SOURCE_DIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/out err=$tmp/err status=0 failures=0 checks=0

# What users have set must not matter here.
unset COLUMNS NO_COLOR
export LC_ALL=C.UTF-8 TERM=xterm
# A machine that has much else to do is no reason for a warning.
export CAPSTAN_PATIENCE=1000

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*" >&2
}

run() {
  status=0
  "$CAPSTAN" "$@" >"$out" 2>"$err" || status=$?
}

expect() {
  local wanted=$1
  shift
  run "$@"
  checks=$((checks + 1))
  if [ "$status" != "$wanted" ]; then
    fail "capstan $*: exit status $status, not $wanted"
    sed 's/^/  | /' "$err" | head -n 5 >&2
  fi
}

has() {
  checks=$((checks + 1))
  grep -qF -- "$2" "$1" || { fail "'$2' is missing from:"; head -n 8 "$1" | sed 's/^/  | /' >&2; }
}

has_no() {
  checks=$((checks + 1))
  ! grep -qF -- "$2" "$1" || { fail "'$2' should not be in:"; grep -F -- "$2" "$1" | head -n 3 | sed 's/^/  | /' >&2; }
}

# Empty but for lines of progress, which come every few seconds.
is_empty() {
  checks=$((checks + 1))
  ! grep -qvE '^capstan [a-z]+: +[0-9]+ %  ' "$1" || { fail "should be empty:"; head -n 5 "$1" | sed 's/^/  | /' >&2; }
}

is_file() {
  checks=$((checks + 1))
  [ -s "$1" ] || fail "$1 was not written"
}

have_python() { command -v python3 >/dev/null; }

number() {
  python3 -c 'import json, sys
x = json.load(open(sys.argv[1]))
for k in sys.argv[2:]: x = x[int(k) if isinstance(x, list) else k]
print(x)' "$@"
}

# agree GROUP KEY WANTED ...: numbers of that group of the last JSON document agree to 12 digits; needs python3
agree() {
  checks=$((checks + ($# - 1) / 2))
  python3 -c 'import json, sys
group, pairs = json.load(open(sys.argv[1]))[sys.argv[2]], sys.argv[3:]
bad = 0
for key, wanted in zip(pairs[::2], map(float, pairs[1::2])):
    if not abs(group[key] - wanted) <= 1e-12 * (abs(wanted) if abs(wanted) > 1e-300 else 1):
        print("%s is %r, not %r" % (key, group[key], wanted))
        bad = 1
sys.exit(bad)' "$out" "$@" || fail "$last: $1"
}

near() {
  checks=$((checks + 1))
  awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; s = b < 0 ? -b : b; exit !((d < 0 ? -d : d) <= 1e-12 * (s > 1e-300 ? s : 1)) }' ||
    fail "$1 is $2, not $3"
}

# What is in the table of a study, without the time that it took; needs python3
table() {
  python3 - "$1" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
names = [c[1] for c in db.execute("PRAGMA table_info(points)") if c[1] != "seconds"]
for row in db.execute("SELECT %s FROM points ORDER BY point" % ", ".join('"%s"' % n for n in names)):
    print([x.hex() if isinstance(x, float) else x for x in row])
PY
}
same() {
  checks=$((checks + 1))
  cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures of $checks checks failed"
    exit 1
  fi
  echo "$checks checks passed"
}

# A Python that reads HDF5: the system's own, where another one comes first on the path.
find_h5py() {
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import h5py, numpy' 2>/dev/null && return
  done
  fail "no Python with h5py and numpy was found: install python3-h5py"
  finish
}
