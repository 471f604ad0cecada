#!/usr/bin/env python3
"""Checks that short-lived optimizers do not leak memory.

    PYTHONPATH=build/python python/benchmarks/memory.py [--optimizers 1000] [--evaluations 100]

Each optimizer asks, tells, predicts, and is pickled and copied. Prints the resident memory of the process after every
tenth of the optimizers, and at the end its growth since the first tenth.
"""

import argparse
import copy
import gc
import pickle

import numpy as np

import oscbo


def resident_megabytes():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def use_one(seed, evaluations):
    optimizer = oscbo.Optimizer([(0, 1), (0, 1)], seed=seed, budget=evaluations)
    for _ in range(evaluations):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, float(np.sin(5 * suggestion.x[0]) + suggestion.x[1]))
    copy.copy(optimizer)
    if evaluations > 10:
        optimizer.predict(suggestion.x[np.newaxis])
    try:
        optimizer.tell(0, 1.0)
    except oscbo.Error:
        pass
    pickle.dumps(optimizer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--optimizers", type=int, default=1000)
    parser.add_argument("--evaluations", type=int, default=100)
    arguments = parser.parse_args()
    seen = []
    for seed in range(arguments.optimizers):
        use_one(seed, arguments.evaluations)
        if (seed + 1) % max(1, arguments.optimizers // 10) == 0:
            gc.collect()
            seen.append(resident_megabytes())
            print(f"{seed + 1:6d} optimizers  {seen[-1]:8.1f} MB", flush=True)
    print(f"grown by {seen[-1] - seen[0]:.2f} MB since the first {max(1, arguments.optimizers // 10)}")


if __name__ == "__main__":
    main()
