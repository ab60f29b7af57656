#!/usr/bin/env bash
# Where commands write: devices and pipes stay what they are, links are followed or replaced but never written through
# by accident, and what is not complete does not appear.
. "$(dirname "$0")/common.bash"
cd "$tmp" || exit
cat >block.yaml <<'YAML'
capstan: 1
title: Block
bodies: {block: {mass: 1 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.5}}}}
run: {until: 0.1 s, output: 0.01 s, solver: events}
YAML
expect 0 run block.yaml -o r
is() { # KIND PATH: as `test -KIND`
  checks=$((checks + 1))
  test "-$1" "$2" || fail "$2 is not what it was (-$1)"
}

# A pipe and a device are written to, not replaced.
mkfifo pipe
timeout 5 cat pipe >got.html &
expect 0 report r -o pipe -q
wait
is p pipe
has got.html "<title>Block"
mkfifo svg
timeout 5 cat svg >got.svg &
expect 0 models coulomb --svg svg
wait
is p svg
has got.svg "<svg"
expect 0 report r -o /dev/null -q
is c /dev/null
[ ! -w /dev/full ] || expect 3 report r -o /dev/full -q
"$CAPSTAN" report r -q -o /dev/stdout | cat >got.html
has got.html "<title>Block"
expect 3 report r -o r
has "$err" "it is a folder"

# A link that was named is followed, and stays a link; one that leads nowhere makes the file it names.
mkdir elsewhere
echo old >elsewhere/page.html
chmod 600 elsewhere/page.html
ln -s elsewhere/page.html named.html
expect 0 report r -o named.html -q
is L named.html
has elsewhere/page.html "<title>Block"
checks=$((checks + 1))
[ "$(stat -c %a elsewhere/page.html)" = 600 ] || fail "a file that was private is not any more"
ln -s elsewhere/new.html fresh.html
expect 0 report r -o fresh.html -q
is L fresh.html
is_file elsewhere/new.html
ln -s circle.html circle.html
expect 3 report r -o circle.html
has "$err" "circle"

# What lies where a part goes is not written through.
for part in page.html.part r/report.html.part r/series.csv.part r/summary.json.part r/result.h5.part r/checkpoint.part r/scenario.yaml.part; do
  echo precious >"victim-$(basename $part .part)"
  ln -s "$tmp/victim-$(basename $part .part)" $part
done
expect 0 report r -o page.html -q
expect 0 report r -q
expect 0 run block.yaml -o r -q
for victim in victim-*; do
  checks=$((checks + 1))
  [ "$(cat "$victim")" = precious ] || fail "$victim was written through a link"
done
# Names that nobody gave, in a folder that may be somebody else's: links are replaced.
for name in report.html series.csv events.csv summary.json scenario.yaml result.h5; do
  echo precious >"target-$name"
  rm -f r/$name
  ln -s "$tmp/target-$name" r/$name
done
cp -r r linked
expect 0 run block.yaml -o r -q
expect 0 export linked/../r --csv --npy -q
for victim in target-*; do
  checks=$((checks + 1))
  [ "$(cat "$victim")" = precious ] || fail "$victim was written through a link"
done
ln -s "$tmp/elsewhere" r/fields
ln -s "$tmp/elsewhere" r/vtk
expect 3 export r --vtk
has "$err" "vtk"
rm r/fields r/vtk

# In a folder that others can write to, a link of somebody else is not followed.
if [ "$(id -u)" = 0 ]; then
  mkdir open && chmod 1777 open
  echo precious >mine
  ln -s "$tmp/mine" open/page.html
  chown -h 65534 open/page.html
  expect 3 report r -o open/page.html
  has "$err" "somebody else"
  has mine precious
fi

# A command that is told to end leaves no part of a file.
for delay in 0.005 0.01 0.02 0.03 0.04; do
  "$CAPSTAN" models --markdown models.md >/dev/null 2>&1 &
  sleep $delay
  kill -TERM $! 2>/dev/null
  wait $! 2>/dev/null
done
checks=$((checks + 1))
[ -z "$(find . -name '*.part')" ] || fail "parts are left: $(find . -name '*.part')"
finish
