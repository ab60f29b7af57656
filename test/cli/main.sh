#!/usr/bin/env bash
# The tool itself: help, version, unknown commands, exit statuses, a full disk.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 --help
has "$out" "Usage: capstan COMMAND"
has "$out" "models"
is_empty "$err"
cp "$out" "$tmp/help"
for args in -h help "help help" "help --help" "help -h"; do
  # shellcheck disable=SC2086
  expect 0 $args
  cmp -s "$out" "$tmp/help" || fail "capstan $args does not print the help"
done

expect 0 --version
version=$(awk '/define CPS_VERSION_(MAJOR|MINOR|PATCH)/ { printf "%s%s", dot, $3; dot = "." }' "$SOURCE_DIR/include/capstan.h")
has "$out" "capstan $version"

# Every command explains itself, in two ways that say the same.
for c in $(awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && $1 != "help" { print $1 }' "$tmp/help"); do
  expect 0 help "$c"
  has "$out" "Usage: capstan $c"
  cp "$out" "$tmp/one"
  expect 0 "$c" --help
  cmp -s "$out" "$tmp/one" || fail "'help $c' and '$c --help' differ"
  expect 0 "$c" -h
done

# No command is bad usage; the help then goes to standard error.
expect 2
is_empty "$out"
has "$err" "Usage: capstan COMMAND"

expect 2 modles
is_empty "$out"
has "$err" "there is no command 'modles'; did you mean 'models'?"
expect 2 --versoin
has "$err" "did you mean '--version'?"
expect 2 help modles
has "$err" "did you mean 'models'?"
expect 2 help models again
has "$err" "found 'again'"

# What cannot be written is an error, not a success.
if [ -w /dev/full ]; then
  for args in --help --version models "models --json" "models quinn" "models quinn --at v=1" "models quinn --svg -"; do
    status=0
    # shellcheck disable=SC2086
    "$CAPSTAN" $args >/dev/full 2>"$err" || status=$?
    [ "$status" = 3 ] || fail "capstan $args >/dev/full: exit status $status, not 3"
    has "$err" "standard output"
  done
fi
finish
