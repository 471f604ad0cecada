"""Benchmark tasks with known optima, and experiments on them.

>>> from oscbo import bench
>>> levy = bench.Task("levy5")
>>> round(float(levy(levy.maximiser)), 9)
0.0
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _core
from ._arrays import FloatArray
from ._history import optional_import
from ._space import Space
from .errors import StorageError, UnknownNameError

if TYPE_CHECKING:
    import pandas

__all__ = ["Task", "Runs", "tasks", "run", "read"]

StrPath = Union[str, "os.PathLike[str]"]


def tasks() -> dict[str, str]:
    """Returns the tasks and their descriptions; ``<d>`` stands for a dimension."""
    return _core.tasks()


class Task:
    """A function with a known maximum, to be maximised.

    Args:
        name: as ``oscbo bench list`` shows it, e.g. "hartmann6", "levy5" or "table:mine.csv".
        data: the directory of the published tables (default: OSCBO_DATA).
    """

    def __init__(self, name: str, *, data: StrPath | None = None) -> None:
        self._data = _data(data)
        self._core = _core.Task(name, self._data)
        self._space = Space._of(self._core.space)

    def __call__(self, x: Any) -> Any:
        """Returns the value at a point, given as an array or by names; for an (n, d) array, n values."""
        if not isinstance(x, Mapping) and np.ndim(x) == 2:
            return self._core.values(self._space._table(x))
        return float(self._core.values(self._space._numbers(x)[np.newaxis])[0])

    def outcomes(self, x: Any) -> dict[str, float]:
        """Returns the outcomes at a point, by name."""
        return dict(zip(self._space.outcomes, self._core.outcomes(self._space._numbers(x))))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def space(self) -> Space:
        return self._space

    @property
    def bounds(self) -> FloatArray:
        return self._space.bounds

    @property
    def maximum(self) -> float:
        return self._core.maximum

    @property
    def maximiser(self) -> FloatArray:
        """A point where the maximum is attained."""
        return self._core.maximiser

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return _task, (self.name, self._data)

    def __repr__(self) -> str:
        return f"<oscbo.bench.Task {self.name}, maximum {self.maximum:.6g}>"


def _task(name: str, data: str) -> Task:
    return Task(name, data=data)


def run(
    tasks: Sequence[str],
    methods: Sequence[str],
    *,
    out: StrPath,
    seeds: int = 20,
    steps: int = 100,
    jobs: int = 1,
    data: StrPath | None = None,
    settings: Iterable[str] = (),
) -> Runs:
    """Runs every method on every task with the seeds 0, 1, ... and returns all runs in ``out``.

    Finished runs in ``out`` are not repeated, also after a keyboard interrupt. ``jobs`` never changes a result.
    """
    _core.run_experiment(
        [tasks] if isinstance(tasks, str) else list(tasks),
        [methods] if isinstance(methods, str) else list(methods),
        _arrays.whole(seeds, "seeds", least=1, most=10**6),
        _arrays.whole(steps, "steps", least=1, most=10**6),
        _arrays.whole(jobs, "jobs", least=1, most=1000),
        os.fspath(out),
        _data(data),
        [settings] if isinstance(settings, str) else list(settings),
    )
    return read(out)


@dataclass(frozen=True)
class Runs:
    """The evaluations of an experiment: an array per column of ``runs.csv`` (docs/files.md)."""

    columns: dict[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["step"])

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(self.columns["task"].tolist()))

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(self.columns["method"].tolist()))

    def of(self, task: str, method: str, column: str = "simple_regret") -> FloatArray:
        """Returns a column by seed and step, as a (seeds, steps) array that starts at the first initial point."""
        chosen = (self.columns["task"] == task) & (self.columns["method"] == method)
        if not chosen.any():
            raise UnknownNameError("runs", f"there are no runs of {method} on {task}")
        seeds = len(np.unique(self.columns["seed"][chosen]))
        return np.asarray(self.columns[column][chosen].reshape(seeds, -1), dtype=np.float64)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table; needs pandas."""
        return optional_import("pandas", "python3-pandas").DataFrame(self.columns)


_TEXTS = ("method", "task", "lengthscale", "phase")
_WHOLE = ("seed", "step")


def read(out: StrPath) -> Runs:
    """Returns the runs that an experiment stored in a directory."""
    path = Path(out) / "runs.csv"
    try:
        with open(path, newline="", encoding="utf-8") as file:
            names, *rows = list(csv.reader(file)) or [[]]
    except OSError as error:
        raise StorageError(str(path), f"cannot be read: {error.strerror}") from None
    if not rows:
        raise StorageError(str(path), "has no runs in it")
    return Runs({name: _column(name, cells) for name, cells in zip(names, zip(*rows))})


def _column(name: str, cells: Sequence[str]) -> NDArray[Any]:
    if name in _TEXTS:
        return np.array(cells)
    if name in _WHOLE:
        return np.array(cells, dtype=np.int64)
    return np.array([cell or "nan" for cell in cells], dtype=np.float64)


def _data(data: StrPath | None) -> str:
    return os.fspath(data if data is not None else os.environ.get("OSCBO_DATA", ""))
