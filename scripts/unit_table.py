#!/usr/bin/env python3
"""Writes src/scenario/unit_table.h: the units that UDUNITS-2 knows, as factors and powers of base units.

usage: unit_table.py > src/scenario/unit_table.h     (needs Debian's libudunits2-0 and its database)

Names and symbols come from the XML files of the database; what each is in base units comes from the library itself.
"""
import ctypes
import re
import xml.etree.ElementTree as ET
from pathlib import Path

DATABASE = Path("/usr/share/xml/udunits")
FILES = ("base", "derived", "accepted", "common")
BASE = ("m", "kg", "s", "A", "K", "mol", "cd", "rad")
UTF8, DEFINITION = 2, 8

lib = ctypes.CDLL("libudunits2.so.0")
for name in ("ut_read_xml", "ut_parse", "ut_get_converter"):
    getattr(lib, name).restype = ctypes.c_void_p
lib.cv_convert_double.restype = ctypes.c_double
lib.cv_convert_double.argtypes = [ctypes.c_void_p, ctypes.c_double]
lib.ut_format.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint]
lib.ut_parse.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
lib.ut_get_converter.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
lib.ut_set_error_message_handler(lib.ut_ignore)
system = lib.ut_read_xml(None)


def plural(name):
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return name + "es"
    return name + "s"


def described(word):
    """(factor, powers) of a unit; a factor of 0 is one that is more than a factor, such as an offset; None if it is not known."""
    unit = lib.ut_parse(system, word.encode(), UTF8)
    if not unit:
        return None
    text = ctypes.create_string_buffer(200)
    if lib.ut_format(unit, text, 200, DEFINITION) < 0:
        return None
    definition = text.value.decode()
    if "@" in definition or "(" in definition:
        inner = re.sub(r" ?@.*|.*re |\).*", "", definition)
        got = described(inner)
        return (0.0, got[1]) if got else (0.0, [0] * 8)
    powers = [0] * 8
    for factor in definition.split()[-1].split("."):
        m = re.fullmatch(r"([a-zA-Z]+)(-?\d+)?", factor)
        if m:
            powers[BASE.index(m[1])] += int(m[2] or 1)
    base = ".".join(f"{b}{p}" for b, p in zip(BASE, powers) if p) or "1"
    converter = lib.ut_get_converter(unit, lib.ut_parse(system, base.encode(), UTF8))
    return lib.cv_convert_double(converter, 1.0), powers


names, symbols = set(), set()
for file in FILES:
    for unit in ET.parse(DATABASE / f"udunits2-{file}.xml").getroot().iter("unit"):
        for place in [unit, *unit.findall("aliases")]:
            for name in place.findall("name"):
                singular = name.findtext("singular")
                names.add(singular)
                if name.findtext("plural"):
                    names.add(name.findtext("plural"))
                elif name.find("noplural") is None:
                    names.add(plural(singular))
            symbols.update(s.text for s in place.findall("symbol"))
prefix_names, prefix_symbols = {}, {}
for prefix in ET.parse(DATABASE / "udunits2-prefixes.xml").getroot().iter("prefix"):
    value = float(prefix.findtext("value"))
    prefix_names.update({n.text: value for n in prefix.findall("name")})
    prefix_symbols.update({s.text: value for s in prefix.findall("symbol")})


def quoted(word):
    out, hex_before = "", False
    for byte in word.encode():
        if 32 <= byte < 127:
            if hex_before and chr(byte) in "0123456789abcdefABCDEF":
                out += '" "'
            out += "\\" + chr(byte) if chr(byte) in '"\\' else chr(byte)
            hex_before = False
        else:
            out += f"\\x{byte:02x}"
            hex_before = True
    return f'"{out}"'


def rows(words):
    done = {}
    for word in words:
        got = described(word.replace(" ", "_"))
        if got and " " not in word:
            done[word] = got
    return done


def table(kind, about, entries):
    print(f"\n/* {about} */\nstatic const unit_row {kind}[] = {{")
    for word in sorted(entries, key=lambda w: w.encode()):
        factor, powers = entries[word]
        print(f"    {{{quoted(word)}, {factor!r}, {{{', '.join(map(str, powers))}}}}},")
    print("};")


by_name = {}
for word, got in rows(names).items():
    by_name.setdefault(word.lower(), got)
print(f"""/* unit_table.h - units as factors and powers of base units: written by scripts/unit_table.py from the database of UDUNITS-2, do not edit. */
/* clang-format off */
#ifndef CPS_UNIT_TABLE_H
#define CPS_UNIT_TABLE_H

/* Powers of {', '.join(BASE)}; a factor of 0: more than a factor, such as an offset or a logarithm. */
typedef struct unit_row {{
  const char *word;
  double factor;
  signed char powers[8];
}} unit_row;

typedef struct prefix_row {{
  const char *word;
  double factor;
}} prefix_row;""")
table("unit_names", "Names in lower case, which are found in any case; sorted.", by_name)
table("unit_symbols", "Symbols, in which case matters; sorted.", rows(symbols))
for kind, entries in (("prefix_names", prefix_names), ("prefix_symbols", prefix_symbols)):
    print(f"\nstatic const prefix_row {kind}[] = {{")
    for word in sorted(entries, key=lambda w: (-len(w.encode()), w)):
        print(f"    {{{quoted(word)}, {entries[word]!r}}},")
    print("};")
print("\n#endif")
