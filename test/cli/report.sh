#!/usr/bin/env bash
# capstan report, and the report that a run writes: files, options, complaints. What a page looks like is tested in test/web.
. "$(dirname "$0")/common.bash"
cd "$tmp" || exit
cat >block.yaml <<'YAML'
capstan: 1
title: Block on a belt
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb-static: {mu_s: 0.8, mu_d: 0.7}}}}
run: {until: 4 s, output: 0.01 s, solver: events}
YAML

# A run writes it, unless told not to.
expect 0 run block.yaml -o first
has "$out" "first/report.html"
has first/report.html "<title>Block on a belt"
has first/report.html "default-src 'none'"
has_no first/report.html 'src="http'
has_no first/report.html 'id="space"'
expect 0 run block.yaml -o second --set contacts.belt.friction.mu_d=0.5 --no-report
has_no "$out" "report.html"
[ ! -e second/report.html ] || fail "--no-report wrote a report"

# From the result, the same page; only the name of the file that was run may not differ.
cp first/report.html before.html
expect 0 report first
has "$out" "wrote first/report.html"
cmp -s before.html first/report.html || fail "the report of a result is not that of its run"
expect 0 report first/result.h5 -o alone.html
[ -s alone.html ] || fail "no report of result.h5"
expect 0 report first second -o both.html -q
is_empty "$out"
has both.html "<title>Block on a belt"
expect 0 report first second
[ -s compare.html ] || fail "no compare.html"

# Small: the page itself, and a little for each number.
size=$(wc -c <first/report.html)
[ "$size" -lt 300000 ] || fail "the report has $size bytes"
checks=$((checks + 6))

# A run that was killed has no summary; what is there is shown.
mkdir killed && cp first/result.h5 killed/
expect 0 report killed
# A run that is not to be trusted is warned about: on the terminal, in its summary, and in the page; a good one is not.
cat >doubt.yaml <<'YAML'
capstan: 1
title: A step that is too long
bodies: {block: {mass: 1 kg, x: 1 m}}
springs: {spring: {between: [ground, block], stiffness: 100 N/m}}
run: {until: 2 s, output: 0.1 s, solver: rk4, step: 50 ms}
YAML
expect 0 run doubt.yaml -o doubt
has "$err" "audit of energy leaves open"
expect 0 run doubt.yaml -o calm --set run.step='10 ms'
has_no "$err" "warning"
have_python && python3 - <<'PYTHON' || fail "the warnings are not in the summary and in the page"
import base64, gzip, json, re, struct
for name, wanted in (("first", 0), ("doubt", 1), ("calm", 0)):
    raw = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)', open(f"{name}/report.html").read())[1]))
    shown = json.loads(raw[4:4 + struct.unpack("<I", raw[:4])[0]])["runs"][0]["warnings"]
    said = json.load(open(f"{name}/summary.json"))["warnings"]
    assert len(said) == wanted and shown == said, (name, said, shown)
PYTHON
checks=$((checks + 1))
# A scenario that can no longer be read costs the drawing, not the page.
mkdir parts && printf 'contacts: {belt: {between: [block, belt], normal: weight, friction: {coulomb: {mu: 0.5}}}}\n' >parts/more.yaml
{ grep -v contacts block.yaml; echo 'include: parts/more.yaml'; } >whole.yaml
expect 0 run whole.yaml -o whole
rm -r parts
expect 0 report whole
has "$err" "cannot be drawn"
has whole/report.html "<title>Block on a belt"

# Complaints.
expect 2 report
has "$err" "which result?"
expect 3 report nowhere
has "$err" "nowhere"
expect 3 report first -o no/such/folder/page.html
has "$err" "no/such/folder/page.html"
expect 2 report first --quite
has "$err" "quiet"
expect 2 report first first first first first first first first first
has "$err" "at most 8"
expect 0 help report
has "$out" "Usage: capstan report RESULT"

finish
