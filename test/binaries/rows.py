"""What rows.c prints, by the Python package: so that a wheel is compared with the library that it was made of, to the bit. With plain code
only (CAPSTAN_PLAIN=1). usage: rows.py FILE..."""

import os
import struct
import sys

import capstan

if os.environ.get("CAPSTAN_PLAIN") != "1":
    sys.exit("rows: CAPSTAN_PLAIN=1 is needed")
print("plain")
for path in sys.argv[1:]:
    result = capstan.Scenario(path).run()
    for name in result:
        for value in result[name].tolist():
            print(f"{path}|{name}|{result.units[name]}|{struct.pack('>d', value).hex()}")
