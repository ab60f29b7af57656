#!/usr/bin/env bash
# capstan reproduce quinn: every row is ok, and the documentation is up to date.
. "$(dirname "${BASH_SOURCE[0]}")/reproduce.bash"
paper quinn "Quinn" 38
