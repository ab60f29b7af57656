"""What rows.c prints, by the Python package: so that a wheel is compared with the library that it was made of, to the bit. With plain code
only (CAPSTAN_PLAIN=1). usage: rows.py FILE[+PATH=VALUE]..."""

import os
import struct
import sys

import capstan

if os.environ.get("CAPSTAN_PLAIN") != "1":
    sys.exit("rows: CAPSTAN_PLAIN=1 is needed")
print("plain")
for machine in sys.argv[1:]:
    path, *settings = machine.split("+")
    result = capstan.Scenario(path, dict(setting.split("=", 1) for setting in settings)).run()
    for name in result:
        for value in result[name].tolist():
            print(f"{machine}|{name}|{result.units[name]}|{struct.pack('>d', value).hex()}")
