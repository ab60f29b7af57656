# reproduce.bash - one paper of `capstan reproduce`: every row is ok, and docs/verification.md is what it writes.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# section FILE HEADING: the part of the page that belongs to one paper
section() { awk -v h="## $2" '/^## / { on = index($0, h) == 1 } on' "$1"; }

# claims: the page without the computed numbers, whose last digits may differ from one mathematics library or processor to
# another; references may be computed, too, and count with three digits
claims() { awk -F'|' -v OFS='|' 'NF == 10 { $6 = $9 = ""; if ($5 ~ /[0-9]/ && $5 + 0 != 0) $5 = sprintf("%.3g", $5) } { print }'; }

# paper ID HEADING LEAST: at least so many rows
paper() {
  cd "$SOURCE_DIR" || exit 1
  expect 0 reproduce "$1" --json --markdown "$tmp/verification.md"
  is_empty "$err"
  local rows good
  rows=$(grep -c '"id": ' "$out")
  good=$(grep -c '"ok": true' "$out")
  checks=$((checks + 2))
  [ "$rows" -ge "$3" ] || fail "$1: $rows rows, fewer than $3"
  [ "$rows" = "$good" ] || { fail "$1: $good of $rows rows are ok"; grep '"ok": false' "$out" >&2; }
  section "$tmp/verification.md" "$2" | claims >"$tmp/new"
  section docs/verification.md "$2" | claims >"$tmp/old"
  checks=$((checks + 1))
  diff "$tmp/new" "$tmp/old" || fail "docs/verification.md is not what capstan reproduce writes; run make docs"
  for figure in "$tmp"/verification/*.svg; do
    checks=$((checks + 1))
    [ -s "docs/verification/$(basename "$figure")" ] || fail "docs/verification/$(basename "$figure") is missing; run make docs"
  done
  finish
}
