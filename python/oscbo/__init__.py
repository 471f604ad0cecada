"""oscbo: a Bayesian optimizer that tells you how far to trust it.

>>> import oscbo
>>> result = oscbo.minimize(lambda x: (x[0] - 0.3) ** 2, [(0, 1)], budget=15)
>>> bool(abs(result.x[0] - 0.3) < 0.01)
True

:func:`minimize` and :func:`maximize` run the loop, :class:`Optimizer` lets you own it, :class:`Study` stores it.
``oscbo.plot`` draws, ``oscbo.bench`` compares methods, ``oscbo.optuna`` has a sampler for Optuna.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from . import _core, bench, errors
from ._history import History
from ._minimize import Result, maximize, minimize
from ._optimizer import Optimizer, Posterior
from ._records import (
    Calibration,
    Feedback,
    LevelCoverage,
    Measurement,
    Prediction,
    Predictions,
    QuantityRecord,
    Recommendation,
    Suggestion,
    Trial,
)
from ._space import Bool, Categorical, Fixed, Float, Int, Ordinal, Space
from ._study import StopReason, Study, StudySuggestion, StudyTrial
from .errors import Error

__version__: str = _core.version

__all__ = [
    "Bool",
    "Calibration",
    "Categorical",
    "Error",
    "Feedback",
    "Fixed",
    "Float",
    "History",
    "Int",
    "LevelCoverage",
    "Measurement",
    "Optimizer",
    "Option",
    "Ordinal",
    "Posterior",
    "Prediction",
    "Predictions",
    "QuantityRecord",
    "Recommendation",
    "Result",
    "Space",
    "StopReason",
    "Study",
    "StudySuggestion",
    "StudyTrial",
    "Suggestion",
    "Trial",
    "bench",
    "errors",
    "maximize",
    "methods",
    "minimize",
    "options",
]


def __getattr__(name: str) -> Any:
    """What needs other packages is imported when it is first used."""
    if name in ("plot", "optuna"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Option(NamedTuple):
    """Something that can be set about a method."""

    name: str
    accepted: str
    default: str
    meaning: str


def methods() -> dict[str, str]:
    """Returns the methods and what they are.

    >>> list(methods())[:2]
    ['auto', 'oscbo']
    """
    return _core.methods()


def options(method: str = "auto") -> list[Option]:
    """Returns what can be set about a method, with its defaults.

    >>> next(option.default for option in options() if option.name == "kernel.nu")
    '2.5'
    """
    return [Option(*row) for row in _core.options(method)]
