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
HOIST = """capstan: 1
gravity: [0, -9.81]
drums: {winch: {radius: 250 mm, center: [0, 0], inertia: 1 kg m2, drive: {torque: {input: {name: motor, start: 24 N m}}}}}
bodies: {load: {mass: 10 kg}}
cables:
  rope: {EA: 0.1 MN, EI: 0.7 N m2, mass_per_length: 0.45 kg/m, damping: {rayleigh: 10 N s}, elements: 16,
         path: [{rim: winch}, {around: winch, turn: clockwise, turns: 1}, hang 1 m, load],
         contact: {at: nodes, normal: {hunt-crossley: {stiffness: 1e6}}, friction: {cdq: {mu: 0.25, epsilon: 10 mm/s}}}}
run: {until: 0.1 s, output: 10 ms, solver: alpha, step: 1 ms}
"""
PLATFORM = os.uname().machine + "-linux"
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


def token_of(folder):
    with open(os.path.join(folder, "resources", "variables.txt"), encoding="utf-8") as f:
        return next(line.split()[1] for line in f if line.startswith("token "))


class Fmi2:
    version = "2.0"

    def __init__(self, folder, name="fmu", token=None, logging=False):
        self.dll = c.CDLL(os.path.join(folder, "binaries", "linux64" if PLATFORM == "x86_64-linux" else PLATFORM, "capstan.so"))
        self.messages = []
        self.events = []
        logger = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
        self._log = logger(lambda env, inst, status, category, form, text: (self.messages if status > 2 else self.events).append(text))

        class Callbacks(c.Structure):
            _fields_ = [("logger", logger), ("allocate", c.c_void_p), ("free", c.c_void_p), ("finished", c.c_void_p), ("env", c.c_void_p)]

        self._callbacks = Callbacks(self._log)
        self.dll.fmi2Instantiate.restype = c.c_void_p
        uri = ("file://" + os.path.join(os.path.abspath(folder), "resources")).encode()
        self.x = c.c_void_p(self.dll.fmi2Instantiate(name.encode(), 1, (token or token_of(folder)).encode(), uri, c.byref(self._callbacks), 0, int(logging)))

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

    def __init__(self, folder, name="fmu", token=None, logging=False):
        self.dll = c.CDLL(os.path.join(folder, "binaries", PLATFORM, "capstan.so"))
        self.messages = []
        self.events = []
        log = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)
        self._log = log(lambda env, status, category, text: (self.messages if status > 2 else self.events).append(text))
        self.dll.fmi3InstantiateCoSimulation.restype = c.c_void_p
        path = (os.path.join(os.path.abspath(folder), "resources") + "/").encode()
        self.x = c.c_void_p(self.dll.fmi3InstantiateCoSimulation(
            name.encode(), (token or token_of(folder)).encode(), path, c.c_bool(False), c.c_bool(logging), c.c_bool(False), c.c_bool(False), None, c.c_size_t(0), None, self._log, None))

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
    check("another token is refused", not kind(folder, token="other").x.value)
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
    check("a fixed parameter stays", f.get(mass) == 2)
    for bad in (lambda: f.step(2, 0.0), lambda: f.step(3.0, 0.1), lambda: f.set(push, math.nan), lambda: f.set(x, 1.0), lambda: f.set(mass, 3.0), lambda: f.set(99999, 1.0), lambda: f.step(2, -1.0), lambda: f.step(2, math.nan)):
        n = len(f.messages)
        check("refused with a message", bad() != 0 and len(f.messages) > n)
    check("reset", f.call("Reset") == 0)
    check("what cannot be is refused by its path", f.set(mass, -1.0) == 0 and f.initialize() != 0 and f.messages[-1].startswith(b"bodies.cart.mass: found"))
    check("reset again", f.call("Reset") == 0 and f.set(mass, 4.0) == 0 and f.initialize() == 0)
    for k in range(100):
        f.step(0.01 * k, 0.01)
    a = (5 - 0.1 * 4 * 9.81) / 4
    check("a heavier cart: m a = F - mu m g", math.isclose(f.get(x), a / 2, rel_tol=5e-3))
    tune(kind, f, names)
    check("terminate", f.call("Terminate") == 0 and f.step(1, 0.01) != 0)
    f.end()
    # two instances do not see each other
    one, two = kind(folder, "one"), kind(folder, "two")
    one.initialize(), two.initialize()
    one.set(push, 50.0)
    one.step(0, 0.1), two.step(0, 0.1)
    check("instances are their own", one.get(x) > two.get(x))
    one.end(), two.end()


def tune(kind, f, names):
    """A tunable parameter between steps, and states that have parameters of their own."""
    x, mu, push = names["bodies.cart.x"], names["contacts.rail.friction.mu"], names["loads_push_force"]
    f.call("Reset")
    f.initialize()
    for k in range(50):
        f.step(0.01 * k, 0.01)
    before, state = f.get(x), f.save()
    check("a tunable parameter is set", f.set(mu, 0.2) == 0 and f.get(mu) == 0.2)
    for k in range(50, 100):
        check("and the FMU goes on", f.step(0.01 * k, 0.01) == 0)
    a, b = 5 / 2 - 0.1 * 9.81, 5 / 2 - 0.2 * 9.81
    check("with twice the friction", math.isclose(f.get(x) - before, a * 0.5 * 0.5 + b * 0.5**2 / 2, rel_tol=5e-3))
    end = f.get(x)
    check("a state brings its parameters back", f.restore(state) == 0 and f.get(mu) == 0.1 and f.get(x) == before)
    f.set(mu, 0.2)
    for k in range(50, 100):
        f.step(0.01 * k, 0.01)
    check("and gives the same again", f.get(x) == end)
    check("what is out of range is refused at the next step", f.set(mu, -1.0) == 0 and f.step(1.0, 0.01) != 0 and b"mu" in f.messages[-1])
    check("and can be put right", f.set(mu, 0.3) == 0 and f.step(1.0, 0.01) == 0)
    f.free_state(state)
    # an input that is set before the start is there from the start, also after a reset
    ends = []
    for again in range(2):
        f.call("Reset")
        f.set(push, 9.0)
        f.initialize()
        f.step(0, 0.5)
        ends.append(f.get(x))
    check("twice the same after resets", ends[0] == ends[1])


def describe(tree, fmi3):
    """Ranges, tunable parameters, dependencies."""
    def variable(name):
        v = next(v for v in tree.find("ModelVariables") if v.get("name") == name)
        return {**v.attrib, **({} if fmi3 else v[0].attrib)}

    mass, mu, x, f = (variable(n) for n in ("bodies.cart.mass", "contacts.rail.friction.mu", "bodies.cart.x", "contacts.rail.f"))
    check("a mass is positive, and fixed", mass["min"] == "0" and "max" not in mass and mass["variability"] == "fixed" and mass["start"] == "2")
    check("friction is tunable", mu["variability"] == "tunable" and float(mu["max"]) > 1)
    structure = tree.find("ModelStructure")
    unknowns = {int(u.get("valueReference")): u for u in structure.findall("Output")} if fmi3 else {
        int(u.get("index")) - 1: u for u in structure.find("Outputs")}
    check("no input reaches a place at once", unknowns[int(x["valueReference"])].get("dependencies") == "")
    check("but a force", unknowns[int(f["valueReference"])].get("dependencies") is None)


def bdf(capstan, folder, file):
    """Derivatives of a step of bdf, which chooses its own steps, against a difference of steps."""
    for kind in (Fmi2, Fmi3):
        fmu, place = os.path.join(folder, f"bdf{kind.version[0]}.fmu"), os.path.join(folder, f"bdf{kind.version[0]}")
        status, _, err = tool(capstan, "fmu", file, "-o", fmu, "--fmi", kind.version[0], "--input", "loads.push.force", "--derivatives",
                              "--set", "run.solver=bdf", "--set", "run.tolerance=1e-9")
        check("capstan fmu with bdf: " + err, status == 0)
        if status != 0:
            continue
        tree = unpack(fmu, place)
        check("derivatives of bdf are announced", any("providesDirectional" in k for k in tree.find("CoSimulation").attrib))
        names = {v.get("name"): int(v.get("valueReference")) for v in tree.find("ModelVariables")}
        x, push = names["bodies.cart.x"], names["loads_push_force"]
        f = kind(place)
        check(f"bdf is initialized: {f.messages}", bool(f.x.value) and f.initialize() == 0)
        check("a step of bdf", f.step(0, 0.5) == 0)
        state, ends = f.save(), []
        for change in (-0.1, 0.1, 0):
            f.restore(state)
            f.set(push, 20.0 + change)
            check("a step of bdf", f.step(0.5, 0.1) == 0)
            ends.append(f.get(x))
        by = (ends[1] - ends[0]) / 0.2
        for name, product in (("directional", f.directional), ("adjoint", f.adjoint)):
            found = product(x, push, 2.0)
            check(f"{name} derivative of bdf {found}, by differences {2 * by}", found is not None and math.isclose(found, 2 * by, rel_tol=1e-6))
        f.free_state(state)
        f.end()


def hoist(capstan, folder):
    """A winch: arrays along its rope, terminals, messages, no model exchange."""
    file, fmu, place = (os.path.join(folder, n) for n in ("winch.yaml", "winch.fmu", "winch"))
    with open(file, "w", encoding="utf-8") as f:
        f.write(HOIST)
    status, _, err = tool(capstan, "fmu", file, "--model-exchange", "-o", fmu)
    check("cables have no model exchange: " + err, status == 2 and "cables" in err and not os.path.exists(fmu))
    check("capstan fmu", tool(capstan, "fmu", file, "--fmi", "3", "-o", fmu)[0] == 0)
    check("capstan run", tool(capstan, "run", file, "-o", place + "-run", "--set", "run.fields=10 ms")[0] == 0)
    tree = unpack(fmu, place)
    variables = {v.get("name"): v for v in tree.find("ModelVariables")}
    sizes = {n: [int(d.get("start")) for d in v.findall("Dimension")] for n, v in variables.items()}
    check("arrays", sizes["cables.rope.tension"] == [17] and sizes["cables.rope.position"] == [17, 2])
    terminals = {t.get("name"): {m.get("memberName"): m.get("variableName") for m in t}
                 for t in xml.parse(os.path.join(place, "terminalsAndIcons", "terminalsAndIcons.xml")).getroot().find("Terminals")}
    check("terminals", set(terminals) == {"drums.winch", "cables.rope.start", "cables.rope.end"})
    check("their variables", all(name in variables for members in terminals.values() for name in members.values()))
    check("the torque of the shaft is the input", terminals["drums.winch"] == {"phi": "drums.winch.angle", "w": "drums.winch.rate", "tau": "motor"})
    check("the end pulls", terminals["cables.rope.end"]["fy"] == "cables.rope.fy_end")
    check("angles are shown in degrees", variables["drums.winch.angle"].get("displayUnit") == "deg")
    check("no derivatives unless they are asked for", "providesDirectionalDerivatives" not in tree.find("CoSimulation").attrib)
    f = Fmi3(place, logging=True)
    check(f"a winch: {f.messages}", bool(f.x.value) and f.initialize() == 0)

    def field(name):
        size = math.prod(sizes[name])
        block = (c.c_double * size)()
        status = f.call("GetFloat64", (c.c_uint32 * 1)(int(variables[name].get("valueReference"))), c.c_size_t(1), block, c.c_size_t(size))
        return list(block) if status == 0 else None

    for k in range(10):
        f.step(0.01 * k, 0.01)
    tension, position = field("cables.rope.tension"), field("cables.rope.position")
    scalars = [f.get(int(variables["cables.rope." + n].get("valueReference"))) for n in ("tension_start", "tension_end")]
    check("tension along the rope", [tension[0], tension[-1]] == scalars)
    load = [f.get(int(variables["bodies.load." + n].get("valueReference"))) for n in "xy"]
    check("the end is where the load is", math.dist(position[-2:], load) < 1e-9)
    small = (c.c_double * 2)()
    check("too little room is refused", f.call("GetFloat64", (c.c_uint32 * 1)(int(variables["cables.rope.tension"].get("valueReference"))), c.c_size_t(1), small, c.c_size_t(2)) != 0)
    with open(os.path.join(place + "-run", "series.csv"), encoding="utf-8") as csv_file:
        table = list(csv.reader(csv_file))
    column = [n.split(" [")[0] for n in table[0]].index("cables.rope.tension_end")
    check("the same as capstan run, to the bit", float(table[-1][column]) == tension[-1])
    f.end()


def exchange(capstan, folder):
    """Model exchange by Euler's method: its error halves with its step."""
    file, wanted = os.path.join(folder, "block.yaml"), None
    check("capstan run", tool(capstan, "run", file, "-o", os.path.join(folder, "block-run"), "--set", "run.until=2 s")[0] == 0)
    with open(os.path.join(folder, "block-run", "series.csv"), encoding="utf-8") as f:
        table = list(csv.reader(f))
    wanted = float(table[-1][[n.split(" [")[0] for n in table[0]].index("bodies.block.x")])
    for kind in (Fmi2, Fmi3):
        place = os.path.join(folder, "block" + kind.version[0])
        errors = []
        for h in (2e-3, 1e-3):
            errors.append(abs(euler(kind, place, 2.0, h) - wanted))
        check(f"first order: {errors}", errors[1] < 0.7 * errors[0] and errors[1] < 2e-3)


def euler(kind, folder, until, h):
    f = kind.__new__(kind)
    f.dll = c.CDLL(os.path.join(folder, "binaries", ("linux64" if PLATFORM == "x86_64-linux" else PLATFORM) if kind is Fmi2 else PLATFORM, "capstan.so"))
    resources, token = os.path.join(os.path.abspath(folder), "resources"), token_of(folder).encode()
    if kind is Fmi2:
        f.dll.fmi2Instantiate.restype = c.c_void_p
        f.x = c.c_void_p(f.dll.fmi2Instantiate(b"block", 0, token, ("file://" + resources).encode(), None, 0, 0))
    else:
        f.dll.fmi3InstantiateModelExchange.restype = c.c_void_p
        f.x = c.c_void_p(f.dll.fmi3InstantiateModelExchange(b"block", token, (resources + "/").encode(), c.c_bool(False), c.c_bool(False), None, None))
    n, guards = 7, 2
    y, y_t, g, size = (c.c_double * n)(), (c.c_double * n)(), (c.c_double * guards)(), c.c_size_t(n)
    rates = "GetDerivatives" if kind is Fmi2 else "GetContinuousStateDerivatives"

    def event():
        if kind is Fmi2:
            class Info(c.Structure):
                _fields_ = [(x, c.c_int) for x in ("needed", "end", "nominals", "values", "defined")] + [("next", c.c_double)]
            info = Info()
            check("event", f.call("NewDiscreteStates", c.byref(info)) == 0)
            next_time, defined = info.next, info.defined
        else:
            flags, value = [c.c_bool() for _ in range(5)], c.c_double()
            check("event", f.call("UpdateDiscreteStates", *(c.byref(b) for b in flags), c.byref(value)) == 0)
            next_time, defined = value.value, flags[4].value
        check("continuous time", f.call("EnterContinuousTimeMode") == 0 and f.call("GetContinuousStates", y, size) == 0)
        return next_time if defined else math.inf

    check("initialization", f.initialize() == 0)
    t, stop = 0.0, event()
    while t < until - 1e-9:
        f.call(rates, y_t, size)
        end = min(t + h, stop, until)
        for i in range(n):
            y[i] += (end - t) * y_t[i]
        t = end
        f.call("SetTime", c.c_double(t))
        f.call("SetContinuousStates", y, size)
        f.call("GetEventIndicators", g, c.c_size_t(guards))
        if min(g) <= 0 or t == stop:
            f.call("EnterEventMode")
            stop = event()
    x = y[0]
    check("terminate", f.call("Terminate") == 0)
    f.end()
    return x


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
        status, _, err = tool(capstan, "fmu", file, "-o", fmu, "--fmi", kind.version[0], "--input", "loads.push.force", "--derivatives")
        check("capstan fmu: " + err, status == 0)
        if status != 0:
            continue
        tree = unpack(fmu, place)
        check("version", tree.get("fmiVersion") == kind.version and tree.get("modelName") == 'A cart <that> is "pushed" & rubs')
        names = {v.get("name"): int(v.get("valueReference")) for v in tree.find("ModelVariables")}
        check("derivatives are announced", any("providesDirectional" in k for k in tree.find("CoSimulation").attrib))
        check("names are unique", len(names) == len(tree.find("ModelVariables")))
        describe(tree, kind is Fmi3)
        drive(kind, place, names, rows)
    bdf(capstan, folder, file)
    check("unknown input is refused", tool(capstan, "fmu", file, "--input", "loads.pull.force", "-o", os.path.join(folder, "x.fmu"))[0] == 2)
    check("unknown output is refused", tool(capstan, "fmu", file, "--output-column", "bodies.cart.q", "-o", os.path.join(folder, "x.fmu"))[0] == 2)
    check("nothing is left of it", not os.path.exists(os.path.join(folder, "x.fmu")))
    hoist(capstan, folder)
    exchange(capstan, folder)
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
