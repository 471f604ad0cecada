"""Ask and tell: the caller writes the loop."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Union, overload

import numpy as np

from . import _arrays, _core
from ._history import History
from ._records import (
    Calibration,
    Measurement,
    Predictions,
    Recommendation,
    Suggestion,
    Trial,
    calibration_of,
    suggestion_of,
    trial_of,
)
from ._space import Params, Space, as_space, by_name, json_of
from .errors import InvalidValueError

#: What `tell` takes: a suggestion, the number of its trial, or any point.
Where = Union[Suggestion, int, Params, Any]


def declaration_of(
    name: str,
    space: Space,
    goal: str,
    budget: int,
    seed: int,
    method: str,
    options: Mapping[str, Any] | None,
    **more: Any,
) -> str:
    """Returns the declaration of a study file as JSON."""
    declaration = {
        "name": name,
        "goal": goal,
        "budget": _arrays.whole(budget, "budget"),
        "seed": _arrays.whole(seed, "seed"),
        "method": method,
        **more,
    }
    if options := by_name(options, "options"):
        declaration["options"] = {name: _option(value) for name, value in options.items()}
    text = json_of(declaration)
    # The space is JSON already and is inserted unchanged.
    return text[:-1] + ", " + space.to_json().lstrip()[1:]


def measured_in(
    space: Space, y: float | Measurement, variance: float | None, outcomes: Mapping[str, float] | None
) -> tuple[list[float], list[float | None], list[float]]:
    """Returns a measurement for the library: values and variances of objectives, and outcomes."""
    if not isinstance(y, Measurement):
        y = Measurement(y, variance, outcomes)
    elif variance is not None or outcomes is not None:
        raise InvalidValueError("y", "is a Measurement with its own variance and outcomes; do not pass them again")
    value = _arrays.number(y.y, "y")
    if not math.isfinite(value):
        advice = "use a finite number, or call `tell_failed`"
        raise InvalidValueError("y", f"{_arrays.shown(y.y)} is not accepted; {advice}")
    known = None if y.variance is None else _arrays.number(y.variance, "variance")
    return [value], [known], space._outcomes(y.outcomes)


def _option(value: Any) -> Any:
    """Returns a number, True, False or a string. A path becomes a string."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value if isinstance(value, (str, bool, int, float)) else _arrays.number(value, "options")


class Optimizer:
    """Suggests points and learns from their values. You write the loop:

    >>> import oscbo
    >>> optimizer = oscbo.Optimizer([(-5, 10), (0, 15)], goal="minimize", seed=7)
    >>> for _ in range(12):
    ...     suggestion = optimizer.ask()
    ...     x1, x2 = suggestion.x
    ...     optimizer.tell(suggestion, (x1 - 2) ** 2 + (x2 - 3) ** 2)
    >>> optimizer.recommendation().trial.y < 1
    True

    The suggestions depend only on the arguments and on the sequence of asks and tells: the same calls give the same
    suggestions, bit for bit, also from C++ and the command line. An optimizer can be copied and pickled. Threads may
    share it; its calls run one at a time and release the interpreter lock.

    Args:
        space: bounds of real parameters, parameters by name, or a :class:`Space`.
        goal: "maximize" or "minimize".
        method: one of :func:`methods`.
        budget: total number of evaluations, used by methods that plan ahead. You may ask for more.
        seed: seed of all random numbers.
        options: options of the method by name, as in ``{"kernel.nu": 1.5}``; see :func:`options`.
    """

    def __init__(
        self,
        space: Any,
        *,
        goal: str = "maximize",
        method: str = "auto",
        budget: int = 100,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._space = as_space(space)
        self._goal = goal
        declaration = declaration_of("optimizer", self._space, goal, budget, seed, method, options)
        self._core = _core.Optimizer(declaration)

    @property
    def space(self) -> Space:
        return self._space

    @property
    def goal(self) -> str:
        """ "maximize" or "minimize"."""
        return self._goal

    @property
    def rounds(self) -> int:
        """The number of points suggested by the model."""
        return self._core.rounds()

    def __repr__(self) -> str:
        return f"<oscbo.Optimizer {self._goal}, {_arrays.counted(len(self._core.trials()), 'trial')}, {self._space!r}>"

    # --- asking ----------------------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, given: Params | None = None) -> Suggestion: ...

    @overload
    def ask(self, n: int, *, given: Params | None = None) -> list[Suggestion]: ...

    def ask(self, n: int | None = None, *, given: Params | None = None) -> Suggestion | list[Suggestion]:
        """Returns the next point to evaluate, or a list of ``n`` points to evaluate in parallel.

        You may ask before telling: the model accounts for pending points. ``given`` fixes some parameters of each
        point.

        Raises:
            ExhaustedError: no new point is left or could be found. Points of a batch found before the error stay
                pending.
        """
        fixed = self._space._given(given)
        if n is None:
            return suggestion_of(self._space, self._core.ask(fixed))
        count = _arrays.whole(n, "n", least=1, most=10000)
        batch = [self._core.ask(fixed) for _ in range(count)] if fixed else self._core.ask_many(count)
        return [suggestion_of(self._space, each) for each in batch]

    def queue(self, point: Any) -> None:
        """Queues a point to be asked next, after points queued before."""
        self._core.queue(self._space._numbers(point, "point"))

    # --- telling ---------------------------------------------------------------------------------

    def tell(
        self,
        where: Where,
        y: float | Measurement,
        *,
        variance: float | None = None,
        outcomes: Mapping[str, float] | None = None,
    ) -> None:
        """Records a measurement at a suggestion, at a trial given by number, or at any point.

        Args:
            y: the value, or a :class:`Measurement`.
            variance: the variance of y, if known.
            outcomes: the outcomes of the space, by name.
        """
        measured = measured_in(self._space, y, variance, outcomes)
        trial = self._trial_number(where)
        if trial is None:
            self._core.tell_point(self._space._numbers(where), *measured)
        else:
            self._core.tell(trial, *measured)

    def tell_failed(self, where: Where, reason: str = "") -> None:
        """Records a failed evaluation. The point is not proposed again, and points near it less often.

        ``reason`` is ignored here; a :class:`Study` stores it.
        """
        trial = self._trial_number(where)
        if trial is None:
            self._core.tell_point_failed(self._space._numbers(where))
        else:
            self._core.tell_failed(trial)

    def abandon(self, suggestion: Suggestion | int) -> None:
        """Takes a suggestion back, as if it had not been asked."""
        trial = self._trial_number(suggestion)
        if trial is None:
            raise InvalidValueError("suggestion", "is not accepted; use a suggestion or the number of its trial")
        self._core.abandon(trial)

    def _take_back(self, suggestion: Suggestion) -> None:
        """Takes back a suggestion whose evaluation was cut short."""
        self.abandon(suggestion)

    def _trial_number(self, where: Where) -> int | None:
        if type(where) is not Suggestion:
            return trial_number(where)
        known = self._core.trial(where.trial)["x"]
        if not np.array_equal(known, where.x, equal_nan=True):
            raise InvalidValueError("suggestion", f"differs from trial {where.trial} of this optimizer")
        return where.trial

    def widen(self, space: Any) -> None:
        """Replaces the space by one that contains it; keeps everything told."""
        wider = as_space(space)
        self._core.widen(wider._core)
        self._space = wider

    # --- looking ---------------------------------------------------------------------------------

    @property
    def trials(self) -> list[Trial]:
        return [trial_of(self._space, each) for each in self._core.trials()]

    def trial(self, number: int) -> Trial:
        return trial_of(self._space, self._core.trial(_arrays.whole(number, "trial", least=0)))

    def recommendation(self) -> Recommendation:
        """Returns the best acceptable point told, judged by the model if values are noisy.

        If no point is acceptable, returns the one that misses the limits of the outcomes by the least.

        Raises:
            ConflictError: nothing has been told.
        """
        plain = self._core.recommendation()
        return Recommendation(trial_of(self._space, plain["trial"]), plain["by"], plain["is_acceptable"])

    def history(self) -> History:
        """Returns all evaluations as arrays."""
        return History.of(self.trials, self._goal, self._space)

    def calibration(self, outcome: str | None = None) -> Calibration:
        """Returns how far predictions of the value, or of an outcome, could be trusted so far."""
        return calibration_of(self._core.calibration(self._space._outcome_index(outcome)))

    def posterior(self) -> Posterior:
        """Returns the model of everything told so far; later tells do not change it."""
        core = self._core.copy()
        core.fit()
        return Posterior(self._space, core)

    def predict(self, X: Any, *, outcome: str | None = None) -> Predictions:
        """Returns predictions at points, like :meth:`Posterior.predict`."""
        return Posterior(self._space, self._core).predict(X, outcome=outcome)

    # --- saving ----------------------------------------------------------------------------------

    def __copy__(self) -> Optimizer:
        copied = Optimizer.__new__(Optimizer)
        copied._space, copied._goal, copied._core = self._space, self._goal, self._core.copy()
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Optimizer:
        return self.__copy__()


class Posterior:
    """The model at one moment: ``optimizer.posterior()``."""

    def __init__(self, space: Space, core: _core.Optimizer) -> None:
        self._space = space
        self._core = core

    @property
    def space(self) -> Space:
        return self._space

    def predict(self, X: Any, *, outcome: str | None = None) -> Predictions:
        """Returns predictions of the value, or of an outcome, at points: an (n, d) array or dictionaries by name.

        Raises:
            ConflictError: there is no model yet, or the method has none.
        """
        return Predictions(**self._core.predict(self._space._table(X), self._space._outcome_index(outcome)))


def trial_number(where: Any) -> int | None:
    """Returns the number of a trial, or None for a point."""
    if isinstance(where, (int, np.integer)) and not isinstance(where, bool):
        return _arrays.whole(where, "trial", least=0)
    return None
