#!/usr/bin/env python3
"""Drives an FMU of Capstan through its C interface, as an importer would, and compares with `capstan run`.

usage: fmu.py TOOL FOLDER      (FOLDER: for files of its own)
"""
import ctypes as c
import csv
import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

CART = """capstan: 1
title: A cart <that> is "pushed" & rubs
bodies:   {cart: {mass: 2 kg}}
contacts: {rail: {between: [cart, ground], normal: weight, friction: {quinn: {mu: 0.1, epsilon: 1 mm/s}}}}
loads:    {push: {on: cart, force: 5 N}}
run:      {until: 1 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
checks = failures = 0


def check(what, good):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("FAILED:", what)


def tool(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def unpack(path, folder):
    with zipfile.ZipFile(path) as z:
        check("the archive is whole", z.testzip() is None)
        z.extractall(folder)
    tree = xml.parse(os.path.join(folder, "modelDescription.xml")).getroot()
    return tree


class Fmi2:
    version = "2.0"

    def __init__(self, folder, name="fmu"):
        self.dll = c.CDLL(os.path.join(folder, "binaries", "linux64", "capstan.so"))
        self.messages = []
        logger = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
        self._log = logger(lambda env, inst, status, category, form, text: self.messages.append(text or form))

        class Callbacks(c.Structure):
            _fields_ = [("logger", logger), ("allocate", c.c_void_p), ("free", c.c_void_p), ("finished", c.c_void_p), ("env", c.c_void_p)]

        self._callbacks = Callbacks(self._log)
        self.dll.fmi2Instantiate.restype = c.c_void_p
        uri = ("file://" + os.path.join(os.path.abspath(folder), "resources")).encode()
        self.x = c.c_void_p(self.dll.fmi2Instantiate(name.encode(), 1, b"", uri, c.byref(self._callbacks), 0, 0))

    def call(self, name, *args):
        return getattr(self.dll, "fmi2" + name)(self.x, *args)

    def initialize(self):
        a = self.call("SetupExperiment", 0, c.c_double(0), c.c_double(0), 0, c.c_double(0))
        return a or self.call("EnterInitializationMode") or self.call("ExitInitializationMode")

    def get(self, reference):
        value = c.c_double()
        status = self.call("GetReal", (c.c_uint * 1)(reference), c.c_size_t(1), c.byref(value))
        return value.value if status == 0 else None

    def set(self, reference, value):
        return self.call("SetReal", (c.c_uint * 1)(reference), c.c_size_t(1), c.byref(c.c_double(value)))

    def step(self, t, h):
        return self.call("DoStep", c.c_double(t), c.c_double(h), 1)

    def end(self):
        self.dll.fmi2FreeInstance(self.x)

    def save(self):
        state = c.c_void_p()
        check("state is given", self.call("GetFMUstate", c.byref(state)) == 0)
        return state

    def restore(self, state):
        return self.call("SetFMUstate", state)

    def serialize(self, state):
        size = c.c_size_t()
        check("size of the state", self.call("SerializedFMUstateSize", state, c.byref(size)) == 0)
        block = (c.c_char * size.value)()
        check("state as bytes", self.call("SerializeFMUstate", state, block, size) == 0)
        back = c.c_void_p()
        check("bytes as state", self.call("DeSerializeFMUstate", block, size, c.byref(back)) == 0)
        check("half of the bytes is no state", self.call("DeSerializeFMUstate", block, c.c_size_t(size.value // 2), c.byref(c.c_void_p())) != 0)
        return back

    def free_state(self, state):
        self.call("FreeFMUstate", c.byref(state))

    def directional(self, of, by, seed):
        value = c.c_double()
        status = self.call("GetDirectionalDerivative", (c.c_uint * 1)(of), c.c_size_t(1), (c.c_uint * 1)(by), c.c_size_t(1), c.byref(c.c_double(seed)), c.byref(value))
        return value.value if status == 0 else None

    def adjoint(self, of, by, seed):
        return self.directional(of, by, seed)  # which is the same with one of each


class Fmi3(Fmi2):
    version = "3.0"

    def __init__(self, folder, name="fmu"):
        self.dll = c.CDLL(os.path.join(folder, "binaries", "x86_64-linux", "capstan.so"))
        self.messages = []
        log = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)
        self._log = log(lambda env, status, category, text: self.messages.append(text))
        self.dll.fmi3InstantiateCoSimulation.restype = c.c_void_p
        path = (os.path.join(os.path.abspath(folder), "resources") + "/").encode()
        self.x = c.c_void_p(self.dll.fmi3InstantiateCoSimulation(
            name.encode(), b"", path, c.c_bool(False), c.c_bool(False), c.c_bool(False), c.c_bool(False), None, c.c_size_t(0), None, self._log, None))

    def call(self, name, *args):
        names = {"GetFMUstate": "GetFMUState", "SetFMUstate": "SetFMUState", "FreeFMUstate": "FreeFMUState", "SerializedFMUstateSize": "SerializedFMUStateSize",
                 "SerializeFMUstate": "SerializeFMUState", "DeSerializeFMUstate": "DeserializeFMUState"}
        return getattr(self.dll, "fmi3" + names.get(name, name))(self.x, *args)

    def initialize(self):
        a = self.call("EnterInitializationMode", c.c_bool(False), c.c_double(0), c.c_double(0), c.c_bool(False), c.c_double(0))
        return a or self.call("ExitInitializationMode")

    def get(self, reference):
        value = c.c_double()
        status = self.call("GetFloat64", (c.c_uint32 * 1)(reference), c.c_size_t(1), c.byref(value), c.c_size_t(1))
        return value.value if status == 0 else None

    def set(self, reference, value):
        return self.call("SetFloat64", (c.c_uint32 * 1)(reference), c.c_size_t(1), c.byref(c.c_double(value)), c.c_size_t(1))

    def step(self, t, h):
        event, end, early, last = c.c_bool(), c.c_bool(), c.c_bool(), c.c_double()
        return self.call("DoStep", c.c_double(t), c.c_double(h), c.c_bool(True), c.byref(event), c.byref(end), c.byref(early), c.byref(last))

    def end(self):
        self.dll.fmi3FreeInstance(self.x)

    def product(self, name, of, by, seed):
        value = c.c_double()
        status = self.call(name, (c.c_uint32 * 1)(of), c.c_size_t(1), (c.c_uint32 * 1)(by), c.c_size_t(1),
                           c.byref(c.c_double(seed)), c.c_size_t(1), c.byref(value), c.c_size_t(1))
        return value.value if status == 0 else None

    def directional(self, of, by, seed):
        return self.product("GetDirectionalDerivative", of, by, seed)

    def adjoint(self, of, by, seed):
        return self.product("GetAdjointDerivative", of, by, seed)


def drive(kind, folder, names, rows):
    f = kind(folder)
    check(f"FMI {kind.version} is instantiated: {f.messages}", bool(f.x.value))
    if not f.x.value:
        return
    x, push, mass = names["bodies.cart.x"], names["loads_push_force"], names["bodies.cart.mass"]
    check("a step before initialization is refused", f.step(0, 0.01) != 0 and f.messages)
    check("initialization", f.initialize() == 0)
    check("start value of the input", f.get(push) == 5)
    found = [f.get(x)]
    for k in range(1, len(rows)):
        check("a step", f.step(0.01 * (k - 1), 0.01) == 0)
        found.append(f.get(x))
    check("the same as capstan run, to the bit", found == rows)
    check("past the end of the run", f.step(1.0, 0.5) == 0 and math.isclose(f.get(0), 1.5))
    state = f.save()
    check("input", f.set(push, 20.0) == 0 and f.get(push) == 20)
    ahead = []
    for k in range(5):
        f.step(1.5 + 0.01 * k, 0.01)
        ahead.append(f.get(x))
    copied = f.serialize(state)
    for s in (state, copied):
        check("state is taken back", f.restore(s) == 0 and f.get(push) == 5 and math.isclose(f.get(0), 1.5))
        f.set(push, 20.0)
        for k in range(5):
            f.step(1.5 + 0.01 * k, 0.01)
            check("the same again", f.get(x) == ahead[k])
    # d(x)/d(push) over one step, against a difference of steps
    ends = []
    for change in (-1e-3, 1e-3, 0):
        f.restore(state)
        f.set(push, 20.0 + change)
        f.step(1.5, 0.01)
        ends.append(f.get(x))
    by = (ends[1] - ends[0]) / 2e-3
    found = f.directional(x, push, 2.0)
    check(f"directional derivative {found}, by differences {2 * by}", found is not None and math.isclose(found, 2 * by, rel_tol=1e-6))
    found = f.adjoint(x, push, 3.0)
    check(f"adjoint derivative {found}, by differences {3 * by}", found is not None and math.isclose(found, 3 * by, rel_tol=1e-6))
    check("no derivative of an input", f.directional(push, push, 1.0) is None)
    f.free_state(state)
    f.free_state(copied)
    for bad in (lambda: f.set(push, math.nan), lambda: f.set(x, 1.0), lambda: f.set(mass, 3.0), lambda: f.set(99999, 1.0), lambda: f.step(2, -1.0), lambda: f.step(2, math.nan)):
        n = len(f.messages)
        check("refused with a message", bad() != 0 and len(f.messages) > n)
    check("reset", f.call("Reset") == 0 and f.set(mass, 4.0) == 0 and f.initialize() == 0)
    for k in range(100):
        f.step(0.01 * k, 0.01)
    a = (5 - 0.1 * 4 * 9.81) / 4
    check("a heavier cart: m a = F - mu m g", math.isclose(f.get(x), a / 2, rel_tol=5e-3))
    check("terminate", f.call("Terminate") == 0 and f.step(1, 0.01) != 0)
    f.end()
    # two instances do not see each other
    one, two = kind(folder, "one"), kind(folder, "two")
    one.initialize(), two.initialize()
    one.set(push, 50.0)
    one.step(0, 0.1), two.step(0, 0.1)
    check("instances are their own", one.get(x) > two.get(x))
    one.end(), two.end()


def main():
    capstan, folder = sys.argv[1:3]
    file = os.path.join(folder, "cart.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(CART)
    check("capstan run", tool(capstan, "run", file, "-o", os.path.join(folder, "cart"), "--json")[0] == 0)
    with open(os.path.join(folder, "cart", "series.csv"), encoding="utf-8") as f:
        table = list(csv.reader(f))
    column = [n.split(" [")[0] for n in table[0]].index("bodies.cart.x")
    rows = [float(r[column]) for r in table[1:]]
    for kind in (Fmi2, Fmi3):
        fmu, place = os.path.join(folder, f"cart{kind.version[0]}.fmu"), os.path.join(folder, f"fmu{kind.version[0]}")
        status, _, err = tool(capstan, "fmu", file, "-o", fmu, "--fmi", kind.version[0], "--input", "loads.push.force")
        check("capstan fmu: " + err, status == 0)
        if status != 0:
            continue
        tree = unpack(fmu, place)
        check("version", tree.get("fmiVersion") == kind.version and tree.get("modelName") == 'A cart <that> is "pushed" & rubs')
        names = {v.get("name"): int(v.get("valueReference")) for v in tree.find("ModelVariables")}
        check("derivatives are announced", any("providesDirectional" in k for k in tree.find("CoSimulation").attrib))
        check("names are unique", len(names) == len(tree.find("ModelVariables")))
        drive(kind, place, names, rows)
    check("unknown input is refused", tool(capstan, "fmu", file, "--input", "loads.pull.force", "-o", os.path.join(folder, "x.fmu"))[0] == 2)
    check("unknown output is refused", tool(capstan, "fmu", file, "--output-column", "bodies.cart.q", "-o", os.path.join(folder, "x.fmu"))[0] == 2)
    check("nothing is left of it", not os.path.exists(os.path.join(folder, "x.fmu")))
    try:
        from fmpy.validation import validate_fmu

        for v in "23":
            problems = validate_fmu(os.path.join(folder, f"cart{v}.fmu"))
            check(f"FMPy on FMI {v}: {problems}", not problems)
    except ImportError:
        print("FMPy is not there: not validated by it")
    print(f"{checks - failures} passed, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
