#!/usr/bin/env bash
# capstan reproduce lugris: every row is ok, and the documentation is up to date.
. "$(dirname "${BASH_SOURCE[0]}")/reproduce.bash"
paper lugris "Lugris" 68
