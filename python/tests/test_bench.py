"""Benchmark tasks, and experiments on them."""

import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from oscbo import bench
from oscbo.errors import InvalidValueError, StorageError, UnknownNameError


def test_tasks_have_their_maximum_where_they_say():
    for name in ("hartmann6", "levy5", "two-models", "mixture5"):
        task = bench.Task(name)
        assert task(task.maximiser) == pytest.approx(task.maximum, abs=1e-6)
    assert "hartmann6" in bench.tasks()


def test_tasks_take_points_by_name_and_many_at_once():
    task = bench.Task("two-models")
    by_name = {"model": "b", "z1": 0.2, "z2": 0.01, "z3": 4}
    assert task(by_name) == task(task.space.point(by_name))
    levy = bench.Task("levy5")
    X = np.zeros((3, 5))
    X[1] = 1.0
    assert levy(X).tolist() == [levy(x) for x in X]
    assert bench.Task("gardner").outcomes([1.0, 2.0])["c"] == pytest.approx(np.cos(3.0))


def test_tasks_can_be_pickled():
    task = pickle.loads(pickle.dumps(bench.Task("levy5")))
    assert task.name == "levy5"
    assert task(task.maximiser) == pytest.approx(0.0, abs=1e-9)


def test_files_without_runs(tmp_path):
    for text in ("", "method,task,seed,step\n"):
        (tmp_path / "runs.csv").write_text(text)
        with pytest.raises(StorageError, match="has no runs in it"):
            bench.read(tmp_path)


def test_what_is_no_task():
    with pytest.raises(UnknownNameError, match="nothing5"):
        bench.Task("nothing5")
    with pytest.raises(InvalidValueError, match="x"):
        bench.Task("levy5")([1.0])
    with pytest.raises(StorageError, match="runs.csv"):
        bench.read("no/such/folder")


def test_runs_are_arrays(tmp_path):
    runs = bench.run(["branin"], ["sobol", "auto"], seeds=2, steps=3, out=tmp_path)
    assert len(runs) == 2 * 2 * 13
    assert runs.methods == ["sobol", "auto"]
    assert runs.tasks == ["branin"]
    regret = runs.of("branin", "auto")
    assert regret.shape == (2, 13)
    assert (np.diff(regret) <= 0.0).all()
    assert np.isnan(runs.of("branin", "sobol", "mean")).all()
    with pytest.raises(UnknownNameError, match="random on branin"):
        runs.of("branin", "random")
    again = bench.read(tmp_path)
    assert np.array_equal(again["y"], runs["y"])
    assert runs["step"].dtype == np.int64


def test_runs_as_a_table(tmp_path):
    pytest.importorskip("pandas")
    table = bench.run("branin", "random", seeds=1, steps=2, out=tmp_path).to_pandas()
    assert table.groupby("task")["best"].max()["branin"] == table["y"].max()


def test_wrong_plans_are_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="nothing"):
        bench.run(["nothing"], ["auto"], out=tmp_path / "a")
    with pytest.raises(InvalidValueError, match="seeds"):
        bench.run(["branin"], ["auto"], seeds=-1, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_an_interrupt_ends_a_long_run_and_keeps_what_is_finished(tmp_path):
    script = f"""
        from oscbo import bench
        print("begun", flush=True)
        bench.run(["hartmann6"], ["sobol", "oscbo"], seeds=50, steps=300, out={str(tmp_path / "out")!r})
    """
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout.readline() == "begun\n"
    parts = tmp_path / "out" / "parts"
    deadline = time.monotonic() + 60
    while not list(parts.glob("*.part")) and time.monotonic() < deadline:
        time.sleep(0.02)
    program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert list(parts.glob("*.part"))
