#!/usr/bin/env bash
# The machines of scenarios/gallery against their closed forms and balances; see test/reference/gallery.py.
set -u
: "${CAPSTAN:?name the tool: CAPSTAN=build/capstan bash $0}"
: "${SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy, h5py' 2>/dev/null; then exec "$python" "$SOURCE_DIR/test/reference/gallery.py" "$CAPSTAN"; fi
done
echo "gallery: skipped, no python3 with NumPy and h5py"
