#!/usr/bin/env python3
"""What others make of FMUs of Capstan, against `capstan run`.

usage: validate.py fmpy|ecospy|libcosimpy FOLDER      (FOLDER: block2.fmu, block3.fmu and so on, and the results of runs)
"""
import csv
import pathlib
import sys

# What is compared, the length of a communication step, and whether steps are fixed: then all bits have to be the same.
CASES = {"block": (["bodies.block.x", "contacts.dry.f"], 0.02, False), "crane": (["bodies.trolley.x", "bodies.load.x", "contacts.rail.f"], 0.02, True),
         "hoist": (["bodies.load.y", "cables.rope.tension_end", "drums.winch.angle"], 0.01, True)}


def run_of(folder, name):
    with open(folder / name / "series.csv", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    names = [n.split(" [")[0] for n in rows[0]]
    return {n: [float(r[i]) for r in rows[1:]] for i, n in enumerate(names)}


def compare(who, name, found, wanted, tolerance):
    worst = max(abs(a - b) for a, b in zip(found, wanted, strict=True))
    if worst > tolerance:
        sys.exit(f"{who}, {name}: differs from capstan run by {worst:.3g}")
    return worst


def fmpy(folder):
    import fmpy
    from fmpy.validation import validate_fmu

    worst = {"CoSimulation": 0.0, "ModelExchange": 0.0}
    for name, (columns, step, _) in CASES.items():
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
                    exact = kind == "CoSimulation"
                    worst[kind] = max(worst[kind], compare(fmu, column, list(r[column]), run[column], 0.0 if exact else 1e-4))
    return f"6 FMUs valid; co-simulation gives the bits of capstan run, model exchange with CVODE at 1e-9 is within {worst['ModelExchange']:.2g}"


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


if __name__ == "__main__":
    print({"fmpy": fmpy, "ecospy": ecospy, "libcosimpy": libcosimpy}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve()))
