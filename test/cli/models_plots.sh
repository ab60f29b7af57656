#!/usr/bin/env bash
# capstan models --svg and --markdown: well-formed pictures of every model, the same at every run, and a reference
# that is up to date.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# Well-formed XML, by whatever is there to say so.
well_formed() {
  checks=$((checks + 1))
  if command -v xmllint >/dev/null; then
    xmllint --noout "$@" 2>"$err" || { fail "not well-formed:"; head -n 3 "$err" >&2; }
  elif have_python; then
    python3 -c 'import sys, xml.dom.minidom as x
for f in sys.argv[1:]: x.parse(f)' "$@" 2>"$err" || fail "not well-formed: $(tail -n 1 "$err")"
  fi
}

mkdir "$tmp/one" "$tmp/two"
expect 0 models --markdown "$tmp/one/models.md"
is_empty "$out"
has "$err" "wrote $tmp/one/models.md"
expect 0 models --markdown "$tmp/two/models.md"
diff -r "$tmp/one" "$tmp/two" >/dev/null || fail "two runs give different files"
(cd "$tmp/one" && "$CAPSTAN" models --markdown models.md 2>/dev/null) || fail "a path without directory"

# Every picture: XML, nothing that is no number, no path that is empty, nothing from elsewhere.
well_formed "$tmp"/one/models/*.svg
for f in "$tmp"/one/models/*.svg; do
  checks=$((checks + 1))
  if grep -qE '[" LMh-](nan|inf)' "$f"; then fail "$(basename "$f") holds what is not a number"; fi
  if grep -qF 'd=""' "$f"; then fail "$(basename "$f") holds an empty curve"; fi
  if grep -qE 'href|<style|<script|font-face|@import' "$f"; then fail "$(basename "$f") is not self-contained"; fi
  grep -qF '<path fill="none"' "$f" || fail "$(basename "$f") shows no curve"
done

# The reference names each model and its picture once.
for name in $(cd "$tmp/one/models" && ls | sed 's/\.svg$//'); do
  for text in "](#$name)" "<a id=\"$name\"></a>" "](models/$name.svg)"; do
    checks=$((checks + 1))
    [ "$(grep -cF -- "$text" "$tmp/one/models.md")" = 1 ] || fail "'$text' is not there once in models.md"
  done
done

# One picture by itself is the same as in the reference; "-" is standard output.
expect 0 models quinn --svg "$tmp/quinn.svg"
is_empty "$out"
has "$err" "wrote $tmp/quinn.svg"
cmp -s "$tmp/quinn.svg" "$tmp/one/models/quinn.svg" || fail "--svg and --markdown draw different pictures"
expect 0 models quinn -o -
cmp -s "$out" "$tmp/quinn.svg" || fail "--svg - draws another picture"

# Panels, axes with units, settings.
has "$tmp/quinn.svg" "Force against balance force"
has "$tmp/quinn.svg" "velocity v [mm/s]"
expect 0 models quinn --set mu=0.25,epsilon=2 --load 8000 --svg -
has "$out" "n = 8 kN, mu = 0.25, epsilon = 2 m/s"
has "$out" "[kN]"
expect 0 models dieterich --svg -
has "$out" '10<tspan dy="-5"'

# Settings at the ends of their ranges still give a picture.
for setting in "quinn mu=0" "quinn epsilon=1e-12" "quinn epsilon=1e6" "lugre-load sigma0=1e15" "lugre-load v_s=1e-12" \
  "dahl sigma0=1e-3" "simpack-stick-slip c_f=1e15" "adams-stick-slip x_s=1e-15" "euler-eytelwein angle=1e4" \
  "euler-eytelwein mu=1e-6" "linear stiffness=1e15" "hunt-crossley exponent=4"; do
  # shellcheck disable=SC2086
  set -- $setting
  expect 0 models "$1" --set "$2" --svg "$tmp/edge.svg"
  well_formed "$tmp/edge.svg"
  if grep -qE '[" LMh-](nan|inf)' "$tmp/edge.svg"; then fail "$setting draws what is not a number"; fi
done

# What is in the repository is what the tool writes. Pictures may differ in the last digit between compilers.
checks=$((checks + 1))
diff -q "$SOURCE_DIR/docs/models.md" "$tmp/one/models.md" >/dev/null ||
  fail "docs/models.md is out of date: run 'make docs'"
checks=$((checks + 1))
diff <(ls "$SOURCE_DIR/docs/models") <(ls "$tmp/one/models") >/dev/null ||
  fail "docs/models/ has other pictures than there are models: run 'make docs'"
finish
