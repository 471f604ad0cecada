"""Same seed, same suggestions, bit for bit: from Python, C++ and the command line."""

import csv
import io
import json

import numpy as np
import pytest
from program_support import needs_program, run_program

import oscbo
from oscbo import bench


@pytest.mark.parametrize("method", ["auto", "oscbo"])
@pytest.mark.parametrize("task_name", ["hartmann3", "branin-regions"])
def test_as_in_cpp(tmp_path, task_name, method):
    """The runs of an experiment are made by the C++ optimizer."""
    steps = 15
    bench.run([task_name], [method], seeds=2, steps=steps, out=tmp_path)
    with open(tmp_path / "queries.csv", newline="") as file:
        points = [row["x"] for row in csv.DictReader(file) if row["seed"] == "1"]
    task = bench.Task(task_name)
    optimizer = oscbo.Optimizer(task.space, method=method, budget=10 + steps, seed=1)
    for cells in points:
        suggestion = optimizer.ask()
        params = {name: cell for name, cell in zip(task.space.names, cells.split("|")) if cell}
        assert np.array_equal(suggestion.x, task.space.point(params))
        optimizer.tell(suggestion, task(suggestion.x))
    predicted = bench.read(tmp_path).of(task_name, method, "mean")[1]
    assert np.array_equal(optimizer.history().mean, predicted, equal_nan=True)


@needs_program
def test_as_on_the_command_line(tmp_path):
    def oscbo_program(*arguments):
        return run_program(*arguments, storage=tmp_path / "s.db")

    file = tmp_path / "ridge.toml"
    file.write_text(
        'name = "ridge"\ngoal = "minimize"\nseed = 11\nbudget = 20\n'
        '[parameters.a]\ntype = "float"\nlower = -2\nupper = 2\n[parameters.n]\ntype = "int"\nlower = 1\nupper = 9\n'
    )
    oscbo_program("new", str(file))
    space = {"a": oscbo.Float(-2, 2), "n": oscbo.Int(1, 9)}
    optimizer = oscbo.Optimizer(space, goal="minimize", seed=11, budget=20)
    for _ in range(14):
        (asked,) = json.loads(oscbo_program("ask", "ridge", "--format", "json"))
        suggestion = optimizer.ask()
        assert (asked["a"], asked["n"]) == (suggestion.params["a"], suggestion.params["n"])
        if suggestion.prediction:
            assert asked["mean"] == suggestion.prediction.mean
        y = (suggestion.params["a"] - 1.0) ** 2 + suggestion.params["n"]
        oscbo_program("tell", "ridge", str(asked["trial"]), repr(y))
        optimizer.tell(suggestion, y)
    rows = list(csv.DictReader(io.StringIO(oscbo_program("trials", "ridge", "--format", "csv"))))
    assert [float(row["value"]) for row in rows] == optimizer.history().y.tolist()
    study = oscbo.Study("ridge", storage=tmp_path / "s.db")
    assert study.ask().params == optimizer.ask().params
