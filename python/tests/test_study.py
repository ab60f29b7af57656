"""Studies: points, runs, and the executors that people have, as far as they are installed."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle

import numpy as np
import pytest

import capstan

SLIDE = """
capstan: 1
bodies: {block: {mass: 2 kg, v: 1 m/s}}
contacts: {floor: {between: [block, ground], normal: weight, friction: {coulomb: {mu: 0.2}}}}
run: {until: 3, output: 0.5, solver: events}
"""
STUDY = """
study: 1
title: Friction and speed
scenario: slide.yaml
vary:
  mu: {path: contacts.floor.friction.mu, uniform: {low: 0.1, high: 0.5}}
  speed: {path: bodies.block.v, range: [50 cm/s, 2 m/s]}
  law: {path: run.solver, variants: [events]}
sample: {method: sobol, points: 32}
outputs: {far: bodies.block.x, stop: event(1)}
limits: [far < 1 m]
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "slide.yaml").write_text(SLIDE)
    (tmp_path / "study.yaml").write_text(STUDY)
    return capstan.Study(tmp_path / "study.yaml")


def facts(rows):
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def test_points_and_runs(study):
    assert len(study) == 32 and study.parameters == ("mu", "speed", "law") and study.outputs == ("far", "stop")
    assert study.units["speed"] == "m/s" and study.units["law"] == ""
    points = study.points
    assert points.shape == (32, 3) and np.array_equal(points[5:9], study.values(5, 4))
    rows = study.run(threads=2)
    assert [r["point"] for r in rows] == list(range(32))
    for row, (mu, v, _) in zip(rows, points, strict=True):
        assert row["mu"] == mu and row["speed"] == v and row["law"] == "events"
        assert row["far"] == pytest.approx(v * v / (2 * mu * 9.81), abs=1e-6)
        assert row["status"] == ("limit" if row["far"] > 1 else "ok")
    assert facts(study.run([7, 3])) == facts([rows[7], rows[3]])
    with pytest.raises(capstan.ScenarioError, match="there is no point 32"):
        study.run([32])


def test_pickle(study, tmp_path):
    again = pickle.loads(pickle.dumps(study))
    assert np.array_equal(again.points, study.points)
    kept = pickle.dumps(study)
    (tmp_path / "slide.yaml").write_text(SLIDE.replace("2 kg", "3 kg"))
    with pytest.raises(ValueError, match="not the same"):
        pickle.loads(kept)


def test_bad_study(tmp_path):
    (tmp_path / "slide.yaml").write_text(SLIDE)
    (tmp_path / "study.yaml").write_text(STUDY.replace("floor.friction", "flor.friction").replace("block.x", "blok.x"))
    with pytest.raises(capstan.ScenarioError) as e:
        capstan.Study(tmp_path / "study.yaml")
    assert len(e.value.problems) == 2 and e.value.problems[0]["line"] == 6


def test_processes(study):
    wanted = facts(study.run())
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        rows = [row for part in pool.map(study.run, study.parts(4)) for row in part]
    assert sorted(facts(rows), key=lambda r: r["point"]) == wanted


def test_joblib(study):
    joblib = pytest.importorskip("joblib")
    rows = joblib.Parallel(n_jobs=2)(joblib.delayed(study.run)(ids) for ids in study.parts(4))
    assert sorted(facts(sum(rows, [])), key=lambda r: r["point"]) == facts(study.run())


def test_dask(study):
    dask = pytest.importorskip("dask")
    parts = dask.compute(*[dask.delayed(study.run)(ids) for ids in study.parts(4)], scheduler="processes", num_workers=2)
    assert sorted(facts(sum(parts, [])), key=lambda r: r["point"]) == facts(study.run())


def test_ray(study):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        run = ray.remote(lambda s, ids: s.run(ids))
        parts = ray.get([run.remote(study, ids) for ids in study.parts(4)])
    finally:
        ray.shutdown()
    assert sorted(facts(sum(parts, [])), key=lambda r: r["point"]) == facts(study.run())


def test_submitit(study, tmp_path):
    submitit = pytest.importorskip("submitit")
    executor = submitit.LocalExecutor(folder=tmp_path / "jobs")
    executor.update_parameters(timeout_min=5)
    jobs = executor.map_array(study.run, study.parts(2))
    rows = sum((job.result() for job in jobs), [])
    assert sorted(facts(rows), key=lambda r: r["point"]) == facts(study.run())
