#!/usr/bin/env bash
# Texts of files do nothing to a terminal, a page or a spreadsheet; numbers that nobody can wait for are refused.
. "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$tmp" || exit

scenario() { # TITLE NAME RUN
  printf 'capstan: 1\ntitle: %s\nbodies: {%s: {mass: 1 kg, v: 1 m/s}}\nrun: {%s}\n' "$1" "$2" "$3"
}
no_escape() { # nothing that a terminal would obey
  checks=$((checks + 1))
  ! LC_ALL=C grep -qP '\x1b|\xc2\x9b|\xe2\x80\xae' "$out" "$err" || fail "a control character reaches the terminal: $1"
}
judge() {
  checks=$((checks + 1))
  python3 - "$@" || fail "see above"
}
short='until: 0.1 s, output: 0.01 s'

scenario Plain block "$short" >good.yaml
expect 0 run good.yaml -o r
scenario '"Red \e[31m title"' block "$short" >title.yaml
expect 2 run title.yaml -o bad
no_escape title
has "$err" "U+001B"
scenario '"Turned \u202e around"' block "$short" >turned.yaml
expect 2 check turned.yaml
has "$err" "U+202E"
scenario '"Two\nlines, a 👩‍🔧 and Übung"' block "$short" >lines.yaml
expect 0 check lines.yaml
for name in '"a\e[2Jb"' '"a<b"' '"a$b"' '"a\u202eb"' '"a\u200bb"' '"a\u00a0b"' '"a→b"' '"a+b"' '"a~b"'; do
  scenario Names "$name" "$short" >name.yaml
  expect 2 check name.yaml
  no_escape "$name"
  expect 2 check name.yaml --json
  no_escape "$name"
done
for name in blöck Блок 滑车 a-b_2; do
  scenario Names "$name" "$short" >name.yaml
  expect 0 check name.yaml
done
expect 3 run $'no\e[31m such file.yaml'
no_escape "the name of a file"
expect 2 run good.yaml --set $'bodies.bl\e[2Jock.mass=1' -o bad
no_escape "a key"
expect 2 $'un\e[31mknown'
no_escape "a command"
name=$'red\e[31m\nline'
cp good.yaml "$name.yaml"
for command in check run; do
  expect 0 $command "$name.yaml"
  no_escape "the name of a file that is good"
  checks=$((checks + 1))
  ! grep -q '^line' "$out" "$err" || fail "the name of a file makes a line of its own: $command"
done
expect 0 report r -o "$name.html"
no_escape "the name of a report"
expect 0 export r --csv -o "$name"
no_escape "the name of a folder"

# Neither do arguments, wherever they stand.
if have_python; then
  mkdir arguments
  checks=$((checks + 1))
  python3 "$here/escapes.py" "$CAPSTAN" "$tmp/arguments" || fail "an argument reaches the terminal as it is"
fi

# In a page no script runs but its own, and no style is obeyed but its own.
expect 0 models --compare quinn --test pulse --html laws.html
for page in r/report.html laws.html; do
  judge $page <<'PY'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8", newline="").read()
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
assert policy.startswith("default-src 'none';") and "unsafe" not in policy, policy
for kind in "script", "style":
    allowed = re.search(kind + r"-src ([^;]*)", policy)
    blocks = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.S)
    assert len(blocks) == (0 if kind == "script" and "laws" in sys.argv[1] else 1), len(blocks)
    found = ["'sha256-" + base64.b64encode(hashlib.sha256(b.encode()).digest()).decode() + "'" for b in blocks]
    assert (allowed.group(1).split() if allowed else []) == found, (policy, found)
assert not re.search(r"<[^<>]* style=", re.sub(r"<script.*?</script>", "", page, flags=re.S)), "an attribute that the policy refuses"
PY
done

# More steps or rows than anybody waits for.
scenario Long block 'until: 10 s, output: 1e-12 s' >rows.yaml
expect 2 check rows.yaml
has "$err" "run.output: 10 s in rows of 1e-12 s are 1e+13"
scenario Long block 'until: 10 s, step: 1e-12 s, solver: rk4' >steps.yaml
expect 2 check steps.yaml
has "$err" "run.step: 10 s in steps of 1e-12 s are 1e+13"

# A table with many columns is read in a time that grows with their number, not with its square.
awk 'BEGIN { n = 30000; printf "time [s]"; for (i = 1; i < n; i++) printf ",c%d", i; print "";
  for (r = 0; r < 4; r++) { printf "%d", r; for (i = 1; i < n; i++) printf ",%d", i; print "" } }' >wide.csv
cat >fit.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg, v: 1 m/s}}
run: {until: 3 s, output: 1 s}
YAML
SECONDS=0
run fit fit.yaml --data wide.csv -p bodies.block.mass -c c5=bodies.block.x
checks=$((checks + 1))
[ $SECONDS -lt 20 ] || fail "a table with 30000 columns takes $SECONDS s"
# Values whose squares are no numbers are refused, and not fitted with a cost of 0.
printf 'time [s],bodies.block.x [m]\n0,1e300\n1,1e300\n2,1e300\n' >huge.csv
expect 2 fit fit.yaml --data huge.csv -p bodies.block.v -o huge
has "$err" "the value at 0 s is 1e+300"
finish
