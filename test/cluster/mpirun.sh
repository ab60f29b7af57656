#!/usr/bin/env bash
# A study by four processes of a real MPI launcher, against the same study in one process. Nothing is linked with MPI.
# usage: CAPSTAN=build/capstan bash test/cluster/mpirun.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
command -v mpirun >/dev/null || skip "there is no mpirun (Debian: openmpi-bin)"
make_study
options=
mpirun --version | grep -q 'Open MPI' && options="--oversubscribe"
[ "$(id -u)" != 0 ] || [ -z "$options" ] || options+=" --allow-run-as-root"
# shellcheck disable=SC2086
mpirun $options -n 4 "$CAPSTAN" sweep long.yaml --shard auto -o ranks --quiet || fail "mpirun: status $?"
checks=$((checks + 1))
[ "$(ls ranks/shard-*-of-0004.sqlite | wc -l)" = 4 ] || fail "not four tables"
expect 0 sweep --merge ranks/shard-*.sqlite
table ranks/points.sqlite >ranks.txt
same whole.txt ranks.txt
finish
