#!/usr/bin/env bash
# capstan reproduce schuderer: every row is ok, and the documentation is up to date.
. "$(dirname "${BASH_SOURCE[0]}")/reproduce.bash"
paper schuderer "Schuderer" 45
