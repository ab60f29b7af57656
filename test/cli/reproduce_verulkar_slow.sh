#!/usr/bin/env bash
# capstan reproduce verulkar: every row is ok, and the documentation is up to date.
. "$(dirname "${BASH_SOURCE[0]}")/reproduce.bash"
paper verulkar "Verulkar" 20
