#!/usr/bin/env bash
# What release builds promise (SECURITY.md): the tool and the library have all addresses resolved at the start and their table
# read-only (full RELRO), no stack that runs code, no code that is written to; the tool can be loaded anywhere (PIE); and every file
# that meets bytes of others checks its stack and its copies.
. "$(dirname "$0")/common.bash"
build=$(dirname "$CAPSTAN")
if ! grep -qs '^CMAKE_BUILD_TYPE:.*=Release' "$build/CMakeCache.txt" || grep -qs '^CAPSTAN_SANITIZE:.*=ON' "$build/CMakeCache.txt" ||
  ! command -v readelf >/dev/null || ! readelf -h "$CAPSTAN" >/dev/null 2>&1; then
  echo "hardened: SKIPPED, this is no release build of ELF files that readelf could look at"
  finish
  exit
fi

# elf WORDS FILE HAS|LACKS PATTERN READELF'S OPTION
elf() {
  checks=$((checks + 1))
  local found=LACKS
  ! readelf -W "$5" "$2" | grep -Eq "$4" || found=HAS
  [ $found = "$3" ] || fail "$(basename "$2"): $1"
}
library=$(readlink -f "$build/libcapstan.so")
for file in "$CAPSTAN" "$library"; do
  elf "no part of it becomes read-only" "$file" HAS 'GNU_RELRO' --program-headers
  elf "addresses are resolved late" "$file" HAS '\(FLAGS_1\).*\bNOW\b' --dynamic
  elf "its stack may run code" "$file" HAS 'GNU_STACK .* RW +0x' --program-headers
  elf "something may be written and run" "$file" LACKS 'LOAD .* RWE ' --program-headers
  elf "its code is changed when it is loaded" "$file" LACKS '\(TEXTREL\)' --dynamic
  elf "it looks for libraries where it was built" "$file" LACKS '\(RPATH\)' --dynamic
  elf "nothing checks the stack" "$file" HAS '__stack_chk_fail' --dyn-syms
  elf "no copy is checked" "$file" HAS '__(memcpy|snprintf|vsnprintf|fread|read|strcpy|strcat|printf|fprintf)_chk' --dyn-syms
done
elf "the tool is not loaded anywhere (PIE)" "$CAPSTAN" HAS '\(FLAGS_1\).*\bPIE\b' --dynamic

# Every file of the tool, and every reader and writer of the library, was compiled with both.
checks=$((checks + 1))
python3 - "$build/compile_commands.json" "$SOURCE_DIR" <<'PY' || fail "see above"
import json, os, sys
source, wrong, seen = os.path.realpath(sys.argv[2]), [], 0
for one in json.load(open(sys.argv[1])):
    name = os.path.relpath(os.path.realpath(os.path.join(one["directory"], one["file"])), source)
    words = one.get("command", "").split() or one["arguments"]
    target = one.get("output", "") or " ".join(words)
    if not name.startswith(("cli/", "src/scenario/", "src/result/", "src/base/", "src/study/")) or "test/" in target or "bench" in target: continue
    seen += 1
    wrong += [name] if not {"-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"} <= set(words) else []
assert seen > 100, f"{seen} files were looked at"
assert not wrong, "without checks: " + " ".join(sorted(set(wrong)))
PY
finish
