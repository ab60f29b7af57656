#!/usr/bin/env python3
"""What others make of FMUs of Capstan, against `capstan run`.

usage: validate.py fmpy|ecospy|libcosimpy|fmusim FOLDER      (FOLDER: block2.fmu, block3.fmu and so on, and the results of runs;
                                                              FMUSIM in the environment names fmusim)
"""
import csv
import os
import pathlib
import subprocess
import sys

# What is compared, the length of a communication step, and whether steps are fixed: then all bits have to be the same.
CASES = {"block": (["bodies.block.x", "contacts.dry.f"], 0.02, False), "crane": (["bodies.trolley.x", "bodies.load.x", "contacts.rail.f"], 0.02, True),
         "hoist": (["bodies.load.y", "cables.rope.tension_end", "drums.winch.angle"], 0.01, True)}


def read_csv(path):
    with open(path, encoding="utf-8") as f:
        rows = list(csv.reader(f))
    names = [n.split(" [")[0] for n in rows[0]]
    return {n: [r[i] for r in rows[1:]] for i, n in enumerate(names)}


def numbers(path):
    return {name: [float(x) for x in column] for name, column in read_csv(path).items()}


def run_of(folder, name):
    return numbers(folder / name / "series.csv")


def compare_events(who, folder, name, columns, found):
    """Rows of an importer that handles events: there has to be one at each transition of capstan run, and those at the times of its rows
    have to be the same to the tolerance of the solver, which meets other steps."""
    run, events = run_of(folder, name), [float(t) for t in read_csv(folder / name / "events.csv")["time"]]
    if len(events) < 5:
        sys.exit(f"{name} has too few events to try anything")
    late = max(min(abs(t - at) for at in found["time"]) for t in events)
    if late > 1e-7:
        sys.exit(f"{who}: a transition is missed by {late:.3g} s")
    extra = [t for t in found["time"] if min(abs(t - at) for at in run["time"]) > 1e-6]
    if len(extra) < len(events) - 1:
        sys.exit(f"{who}: returned early {len(extra)} times, for {len(events)} transitions")
    for column in columns:
        at = dict(zip((round(t, 6) for t in found["time"]), found[column]))
        compare(who, column, [at[round(t, 6)] for t in run["time"]], run[column], 1e-6)
    return late


def compare(who, name, found, wanted, tolerance):
    worst = max(abs(a - b) for a, b in zip(found, wanted, strict=True))
    if worst > tolerance:
        sys.exit(f"{who}, {name}: differs from capstan run by {worst:.3g}")
    return worst


def fmpy(folder):
    import fmpy
    from fmpy.validation import validate_fmu

    worst = {"CoSimulation": 0.0, "ModelExchange": 0.0}
    for name, (columns, step, fixed) in CASES.items():
        run = run_of(folder, name)
        for version in "23":
            fmu = str(folder / f"{name}{version}.fmu")
            if problems := validate_fmu(fmu):
                sys.exit(f"{fmu}: {problems}")
            for kind in ("CoSimulation", "ModelExchange"):
                if kind == "ModelExchange" and name != "block":
                    continue
                r = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=run["time"][-1], output_interval=step, output=columns, relative_tolerance=1e-9, record_events=False)
                for column in columns:
                    worst[kind] = max(worst[kind], compare(fmu, column, list(r[column]), run[column], 1e-4 if kind == "ModelExchange" else 0.0 if fixed else 1e-6))
    columns, step, _ = CASES["block"]
    r = fmpy.simulate_fmu(str(folder / "block3.fmu"), fmi_type="CoSimulation", stop_time=run_of(folder, "block")["time"][-1], output_interval=step, output=columns, use_event_mode=True, early_return_allowed=True)
    late = compare_events("FMPy, event mode", folder, "block", columns, {n: list(r[n]) for n in ["time", *columns]})
    return f"6 FMUs valid; co-simulation gives the bits of capstan run with fixed steps and is within {worst['CoSimulation']:.2g} with others; model exchange with CVODE at 1e-9 is within {worst['ModelExchange']:.2g}; early returns meet transitions to {late:.1g} s"


def ecospy(folder):
    from ecospy import EcosSimulation, EcosSimulationStructure

    worst = 0.0
    for name, (columns, step, fixed) in CASES.items():
        run = run_of(folder, name)
        for version in "23":
            structure = EcosSimulationStructure()
            structure.add_model("m", str(folder / f"{name}{version}.fmu"))
            with EcosSimulation(structure=structure, step_size=step) as sim:
                sim.init()
                found = {c: [sim.get_real(f"m::{c}")] for c in columns}
                for _ in run["time"][1:]:
                    sim.step(1)
                    for c in columns:
                        found[c].append(sim.get_real(f"m::{c}"))
                for c in columns:
                    worst = max(worst, compare(f"ecos, FMI {version}", c, found[c], run[c], 0.0 if fixed else 1e-6))
    return f"FMI 2.0 and 3.0 of three machines within {worst:.2g} of capstan run"


def libcosimpy(folder):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    worst = 0.0
    for name, (columns, step, fixed) in CASES.items():
        run = run_of(folder, name)
        execution = CosimExecution.from_step_size(step_size=int(round(step * 1e9)))
        slave = CosimLocalSlave(fmu_path=str(folder / f"{name}2.fmu"), instance_name=name)
        index = execution.add_local_slave(local_slave=slave)
        observer = CosimObserver.create_last_value()
        execution.add_observer(observer=observer)
        references = {v.name.decode(): v.reference for v in execution.slave_variables(slave_index=index)}
        found = {c: [] for c in columns}
        for k in range(len(run["time"]) - 1):
            if not execution.step():
                sys.exit(f"libcosim: step {k} of {name} failed")
            for c in columns:
                found[c].append(observer.last_real_values(slave_index=index, variable_references=[references[c]])[0])
        for c in columns:
            worst = max(worst, compare("libcosim", c, found[c], run[c][1:], 0.0 if fixed else 1e-6))
    return f"FMI 2.0 of three machines within {worst:.2g} of capstan run"


def fmusim(folder):
    # Its files of states are left out: version 0.0.39 gives fmi3FreeFMUState a state instead of the place where it is kept, and crashes.
    def simulate(fmu, columns, step, until, *options):
        out = folder / "fmusim.csv"
        named = [x for c in columns for x in ("--output-variable", c)]
        subprocess.run([os.environ["FMUSIM"], "--stop-time", repr(until), "--output-interval", repr(step), "--output-file", out, *named, *options, folder / f"{fmu}.fmu"], check=True)
        return numbers(out)

    worst = {"cs": 0.0, "me": 0.0}
    for name, (columns, step, fixed) in CASES.items():
        run = run_of(folder, name)
        until = run["time"][-1]
        for version in "23":
            for kind in ("cs", "me") if name == "block" else ("cs",):
                r = simulate(name + version, columns, step, until, "--interface-type", kind, *(("--solver", "cvode", "--tolerance", "1e-9") if kind == "me" else ()))
                for c in columns:
                    # at an event of model exchange there is a row before and one after it; numbers are written with 16 digits
                    at = dict(zip((round(t, 6) for t in r["time"]), r[c]))
                    worst[kind] = max(worst[kind], compare(f"fmusim, {kind} of FMI {version}", c, [at[round(t, 6)] for t in run["time"]], run[c], 1e-4 if kind == "me" else 1e-15 * max(map(abs, run[c])) if fixed else 1e-6))
    columns, step, _ = CASES["block"]
    r = simulate("block3", columns, step, run_of(folder, "block")["time"][-1], "--interface-type", "cs", "--event-mode-used", "--early-return-allowed")
    late = compare_events("fmusim, event mode", folder, "block", columns, r)
    return f"co-simulation of FMI 2.0 and 3.0 of three machines within {worst['cs']:.2g} of capstan run; model exchange within {worst['me']:.2g}; early returns meet transitions to {late:.1g} s"


if __name__ == "__main__":
    print({"fmpy": fmpy, "ecospy": ecospy, "libcosimpy": libcosimpy, "fmusim": fmusim}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve()))
