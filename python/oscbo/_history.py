"""A run as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray
from ._records import Prediction, Trial
from ._space import Space

if TYPE_CHECKING:
    import pandas

    from ._study import StudyTrial


@dataclass(frozen=True, eq=False)
class History:
    """The evaluated trials as arrays, one row per trial; a missing value is NaN.

    >>> import oscbo
    >>> history = oscbo.maximize(lambda x: -(x[0] ** 2), [(-1, 2)], budget=12).history
    >>> history.x.shape, history.y.shape
    ((12, 1), (12,))
    >>> bool((history.best[1:] >= history.best[:-1]).all())
    True
    """

    space: Space
    goal: str
    #: the numbers of the trials
    trial: NDArray[np.int64]
    #: one point per row
    x: FloatArray
    #: NaN if the evaluation failed
    y: FloatArray
    #: whether all outcomes are within their limits
    acceptable: NDArray[np.bool_]
    #: the best acceptable value so far
    best: FloatArray
    #: the prediction before y was known
    mean: FloatArray
    sd: FloatArray
    observation_sd: FloatArray
    #: the predicted interval
    lower: FloatArray
    upper: FloatArray
    #: 1 if y lies in the interval, 0 if not
    covered: FloatArray
    #: lambda of the game; NaN for methods without one
    multiplier: FloatArray
    #: one row per trial, with one or several lengthscales
    lengthscales: FloatArray

    def __len__(self) -> int:
        return len(self.y)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each evaluation failed."""
        return np.isnan(self.y)

    @classmethod
    def of(cls, trials: Sequence[Trial | StudyTrial], goal: str, space: Space) -> History:
        """Returns the history of the trials that are complete or have failed."""
        ended = [trial for trial in trials if trial.state in ("complete", "failed")]
        predictions = [trial.prediction for trial in ended]
        y = np.array([_number(trial.y) for trial in ended])
        acceptable = np.array([trial.is_acceptable for trial in ended], dtype=bool)
        return cls(
            space=space,
            goal=goal,
            trial=np.array([trial.id for trial in ended], dtype=np.int64),
            x=np.array([trial.x for trial in ended]).reshape(len(ended), len(space)),
            y=y,
            acceptable=acceptable,
            best=_best_so_far(np.where(acceptable, y, math.nan), goal),
            covered=np.array([_number(trial.covered) for trial in ended]),
            multiplier=_column(predictions, "multiplier"),
            lengthscales=_lengthscales(predictions),
            **{name: _column(predictions, name) for name in ("mean", "sd", "observation_sd", "lower", "upper")},
        )

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a column per parameter; needs pandas."""
        pandas = optional_import("pandas", "python3-pandas")
        rows = [self.space.params(x) for x in self.x]
        columns = {name: [row.get(name) for row in rows] for name in self.space.names}
        for name in ("y", "best", "acceptable", "mean", "sd", "lower", "upper", "covered"):
            columns[name] = getattr(self, name)
        return pandas.DataFrame(columns, index=pandas.Index(self.trial, name="trial"))


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _column(predictions: list[Prediction | None], name: str) -> FloatArray:
    return np.array([math.nan if each is None else _number(getattr(each, name)) for each in predictions])


def _lengthscales(predictions: list[Prediction | None]) -> FloatArray:
    width = max((len(each.lengthscales) for each in predictions if each), default=0)
    table = np.full((len(predictions), width), math.nan)
    for row, each in zip(table, predictions):
        if each:
            row[: len(each.lengthscales)] = each.lengthscales
    return table


def _best_so_far(y: FloatArray, goal: str) -> FloatArray:
    """Returns the best value so far, NaN before the first value. NaN entries of y are skipped."""
    best = np.fmax.accumulate(y) if goal == "maximize" else np.fmin.accumulate(y)
    return np.asarray(best, dtype=np.float64)


def gain_over(goal: str, value: FloatArray | float, best: FloatArray | float) -> FloatArray:
    """Returns by how much ``value`` is better than ``best``; negative if it is worse."""
    gain = np.subtract(value, best) if goal == "maximize" else np.subtract(best, value)
    return np.asarray(gain, dtype=np.float64)


def optional_import(module: str, package: str) -> Any:
    """Returns an optional module; raises ImportError with its package name if it is missing."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} is required but not installed; on Debian: apt install {package}") from error
