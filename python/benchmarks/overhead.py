#!/usr/bin/env python3
"""Measures how much longer a run with ask and tell takes in Python than the same run in C++.

    PYTHONPATH=build/python python/benchmarks/overhead.py [--task levy5] [--method auto] [--rounds 100] [--processes 9]

Both make the same suggestions, bit for bit. The C++ time is the time of the asks of an experiment. The Python time
covers all calls of ask and tell, but not the objective. The two alternate, and the fastest of five runs of each counts,
because the machine may be busy. The placement of data in memory makes a difference of a tenth either way, so several
processes repeat this one after the other, and the median counts.
"""

import argparse
import csv
import multiprocessing
import statistics
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


def fastest(arguments):
    """Returns the seconds of one run in C++ and in Python, measured in this process."""
    task = bench.Task(arguments.task)
    runs = [
        (seconds_in_cpp(task, arguments.method, arguments.rounds), seconds_in_python(task, arguments.method, arguments.rounds))
        for _ in range(5)
    ]
    return [min(seconds) for seconds in zip(*runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="levy5")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--processes", type=int, default=9)
    arguments = parser.parse_args()
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        pairs = pool.map(fastest, [arguments] * arguments.processes, chunksize=1)
    cpp, python = (statistics.median(column) for column in zip(*pairs))
    extra = sorted(100 * (ours / theirs - 1) for theirs, ours in pairs)
    print(f"{arguments.method} on {arguments.task}, {arguments.rounds} rounds, median of {arguments.processes} processes")
    print(f"C++     {1e3 * cpp:8.2f} ms")
    print(f"Python  {1e3 * python:8.2f} ms, {statistics.median(extra):+.1f} % ({extra[0]:+.1f} to {extra[-1]:+.1f})")


if __name__ == "__main__":
    main()
