#!/usr/bin/env bash
# docs/tutorial.md is true: its files are written, its commands run, and what it shows is what they print.
#
# A block of yaml is saved under the name in `...` above it. Lines of a block of sh are run; "# exit status N" at the end of
# one says that it fails. Every line of a block of text, as far as an ellipsis, must be in what the last block of sh printed.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mkdir "$tmp/bin" "$tmp/work"
ln -s "$(readlink -f "$CAPSTAN")" "$tmp/bin/capstan"
PATH=$tmp/bin:$PATH
cd "$tmp/work" || exit 1

kind='' name='' commands=0
while IFS= read -r line; do
  case $line in
    '```') kind='' ;;
    '```yaml') kind=yaml; : >"$name" ;;
    '```sh') kind=sh; : >"$out" ;;
    '```'*) kind=${line#'```'} ;;
    *)
      case $kind in
        yaml) printf '%s\n' "$line" >>"$name" ;;
        sh)
          wanted=0
          [[ $line =~ \#\ exit\ status\ ([0-9])$ ]] && wanted=${BASH_REMATCH[1]}
          status=0
          bash -c "$line" >>"$out" 2>&1 || status=$?
          checks=$((checks + 1)) commands=$((commands + 1))
          [ "$status" = "$wanted" ] || { fail "$line: exit status $status, not $wanted"; tail -n 5 "$out" >&2; }
          ;;
        text) [ -z "${line%%…*}" ] || has "$out" "${line%%…*}" ;;
        *) [[ $line =~ \`([a-z]+\.yaml)\` ]] && name=${BASH_REMATCH[1]} ;;
      esac
      ;;
  esac
done <"$SOURCE_DIR/docs/tutorial.md"

checks=$((checks + 1))
[ "$commands" -ge 9 ] || fail "only $commands commands were found"
finish
