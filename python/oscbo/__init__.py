"""oscbo: a Bayesian optimizer that tells you how far to trust it.

>>> import oscbo
>>> result = oscbo.minimize(lambda x: (x[0] - 0.3) ** 2, [(0, 1)], budget=15)
>>> bool(abs(result.x[0] - 0.3) < 0.01)
True

:func:`minimize` and :func:`maximize` run the whole loop. With :class:`Optimizer` you write the loop yourself, and
:class:`Study` stores it. ``oscbo.plot`` draws figures, ``oscbo.bench`` compares methods, and ``oscbo.optuna`` has a
sampler for Optuna.
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
    """Imports modules that need other packages on first use."""
    if name in ("plot", "optuna"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Option(NamedTuple):
    """An option of a method."""

    name: str
    accepted: str
    default: str
    meaning: str


def methods() -> dict[str, str]:
    """Returns the methods and their descriptions.

    >>> methods()["random"]
    'control: uniformly random points after the initial design'
    """
    return _core.methods()


def options(method: str = "auto") -> list[Option]:
    """Returns the options of a method with their defaults.

    >>> next(option.default for option in options() if option.name == "kernel.nu")
    '2.5'
    """
    return [Option(*row) for row in _core.options(method)]
