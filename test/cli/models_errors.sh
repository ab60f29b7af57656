#!/usr/bin/env bash
# capstan models: what is wrong is said kindly, all at once, on standard error, with exit status 2 or 3.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# wrong TEXT ARGS...: exit status 2, nothing on standard output, and that text.
wrong() {
  local text=$1
  shift
  expect 2 models "$@"
  is_empty "$out"
  has "$err" "$text"
}

wrong "there is no model 'coulom'; did you mean 'coulomb'?" coulom
wrong "did you mean 'coulomb'?" COULOMB
wrong "did you mean 'hunt-crossley'?" hunt-crosley
wrong "did you mean 'capstan'?" capstn
wrong "did you mean" ""
wrong "one model at a time" quinn cdq
wrong "there is no option '--jsn'; did you mean '--json'?" --jsn
wrong "there is no option '-x'" quinn -x
wrong "--svg needs a value: --svg FILE" quinn --svg
wrong "--svg needs a value" quinn --svg --json
wrong "--json takes no value, but 'yes' was given" --json=yes
wrong "--svg is given twice" quinn --svg a --svg b
wrong "--svg needs a model" --svg x.svg
wrong "--at needs a model" --at v=1
wrong "--set needs a model" --set mu=1
wrong "--load takes a positive number" quinn --load heavy
wrong "--load takes a positive number" quinn --load=-1
wrong "leave 'quinn' out" quinn --markdown "$tmp/x.md"

wrong "quinn has no 'q'; did you mean" quinn --at q=3
wrong "It takes v, n, f_eq" quinn --at q=3
wrong "v = '1 mm' is not a finite number" quinn --at "v=1 mm"
wrong "v = '' is not a finite number" quinn --at v=
wrong "v = 'nan' is not a finite number" quinn --at v=nan
wrong "v = '0x10' is not a finite number" quinn --at v=0x10
wrong "v = '1e999' is not a finite number" quinn --at v=1e999
wrong "found 'v'" quinn --at v
wrong "'v' is given twice" quinn --at v=1,v=2
wrong "is given twice" lugre --at z=1,z.z=2
wrong "quinn has no 'z'" quinn --at z=0
wrong "karnopp has no mode 'slipforward'; did you mean 'slip-forward'?" karnopp --at mode=slipforward
wrong "tanh has no modes" tanh --at mode=stick
wrong "tensions of a cable must be positive" capstan --at t_in=0
wrong "hunt-crossley has no 'dept'; did you mean 'depth'?" hunt-crossley --at dept=1
wrong "quinn has no 'muu'; did you mean 'mu'?" quinn --set muu=1
wrong "mu = -1 is out of range: quinn takes 0 to 100" quinn --set mu=-1
wrong "z_ba" elasto-plastic --set z_ba=1

# All problems of a command in one go, and nothing written on the way.
wrong "muu" quinn --set muu=1 --set mu=-1 --set epsilon=0 --at v=x,w=1 --load 0 --svg "$tmp/never.svg"
has "$err" "mu = -1"
has "$err" "epsilon = 0"
has "$err" "v = 'x'"
has "$err" "has no 'w'"
has "$err" "--load"
[ ! -e "$tmp/never.svg" ] || fail "a file was written in spite of the errors"

# "--" ends the options.
wrong "there is no model '--json'" -- --json

# Files that cannot be written.
expect 3 models quinn --svg "$tmp/no/such/dir.svg"
has "$err" "cannot write '$tmp/no/such/dir.svg': No such file or directory"
expect 3 models --markdown "$tmp/no/such/models.md"
has "$err" "cannot write"
if [ -w /dev/full ]; then
  expect 3 models quinn --svg /dev/full
  has "$err" "could not write all of /dev/full: No space left on device"
fi
: >"$tmp/models"
expect 3 models --markdown "$tmp/x.md"
has "$err" "models"
finish
