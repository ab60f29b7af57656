#!/usr/bin/env bash
# docs/tutorial.md and docs/tutorial-cables.md are true: their files are written, their commands run, and what they show is what they print.
#
# A block of yaml is saved under the name in `...` above it. Lines of a block of sh are run; "# exit status N" at the end of
# one says that it fails. Every line of a block of text, as far as an ellipsis, must be in what the last block of sh printed.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mkdir "$tmp/bin"
ln -s "$(readlink -f "$CAPSTAN")" "$tmp/bin/capstan"
PATH=$tmp/bin:$PATH

# follow FILE LEAST: goes through a document that has at least so many commands.
follow() {
  local kind='' name='' commands=0 wanted line
  mkdir "$tmp/$(basename "$1")"
  cd "$tmp/$(basename "$1")" || exit 1
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
  done <"$SOURCE_DIR/docs/$1"
  checks=$((checks + 1))
  [ "$commands" -ge "$2" ] || fail "only $commands commands were found in $1"
}

follow tutorial.md 9
follow tutorial-cables.md 8
finish
