#!/usr/bin/env python3
"""How much longer a run through ask and tell of Python takes than the same run in C++.

    PYTHONPATH=build/python python/benchmarks/overhead.py [--task levy5] [--method auto] [--rounds 100] [--repeats 7]

Both make the same suggestions, bit for bit. The C++ time is what an experiment measures of its asks; the Python time is
that of all calls of ask and tell, the making of suggestions included, but not the objective. They are taken in turns, and
the fastest of each counts: the machine may have other things to do.
"""

import argparse
import csv
import tempfile
import time
from pathlib import Path

import oscbo
from oscbo import bench


def seconds_in_cpp(task, method, rounds):
    with tempfile.TemporaryDirectory() as out:
        bench.run([task.name], [method], seeds=1, steps=rounds, out=out)
        with open(Path(out) / "timings.csv", newline="") as file:
            return sum(float(row["fit_seconds"]) + float(row["acquisition_seconds"]) for row in csv.DictReader(file))


def seconds_in_python(task, method, rounds):
    optimizer = oscbo.Optimizer(task.space, method=method, budget=10 + rounds, seed=0)
    total = 0.0
    for _ in range(10 + rounds):
        begin = time.perf_counter()
        suggestion = optimizer.ask()
        total += time.perf_counter() - begin
        y = task(suggestion.x)
        begin = time.perf_counter()
        optimizer.tell(suggestion, y)
        total += time.perf_counter() - begin
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="levy5")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    task = bench.Task(arguments.task)
    cpp, python = [], []
    for _ in range(arguments.repeats):
        cpp.append(seconds_in_cpp(task, arguments.method, arguments.rounds))
        python.append(seconds_in_python(task, arguments.method, arguments.rounds))
    print(f"{arguments.method} on {task.name}, {arguments.rounds} rounds, fastest of {arguments.repeats} runs in turns")
    print(f"C++     {1e3 * min(cpp):8.2f} ms")
    print(f"Python  {1e3 * min(python):8.2f} ms, {100 * (min(python) / min(cpp) - 1):+.1f} %")


if __name__ == "__main__":
    main()
