"""The loop, for those who do not want to own it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from . import _arrays
from ._optimizer import Optimizer
from ._records import Measurement, Suggestion, Trial
from ._space import Space
from .errors import ExhaustedError, InvalidValueError

if TYPE_CHECKING:
    from ._study import Study, StudyTrial

#: Called with an array, where bounds were given, or a dictionary, where parameters have names.
Objective = Callable[[Any], Union[float, Measurement]]
#: Called with the trial that has just ended; True ends the run.
Callback = Callable[[Any], Any]
Exceptions = Union[type[BaseException], tuple[type[BaseException], ...]]


INTERRUPTED = "interrupted"
STOPPED = "stopped by the callback"


class Result(dict[str, Any]):
    """What came of a run; fields are attributes too, as of SciPy's ``OptimizeResult``.

    Attributes:
        x: the recommended point; None if nothing was evaluated.
        params: the same by the names of the parameters.
        fun: its value, as it was observed.
        nfev: evaluations, failed ones included.
        nfail: those that failed.
        success: whether there is a recommendation that is acceptable, and nobody stopped the run.
        message: why it ended.
        history: everything that happened, as arrays (:class:`History`).
        calibration: how far the predictions could be trusted (:class:`Calibration`).
        optimizer: the :class:`Optimizer` or :class:`Study`, to go on with.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        shown = ["message", "success", "fun", "x" if self["optimizer"].space.is_box else "params", "nfev", "nfail"]
        lines = [f"{name:>8}: {self[name]}" for name in shown]
        held = self["calibration"].shown
        if self["calibration"].predictions:
            lines.append(f"    held: {held.measured:.0%} of the intervals that claimed {held.nominal:.0%}")
        return "\n".join(lines)


def run(
    source: Optimizer | Study,
    ask: Callable[[], Suggestion | None],
    objective: Objective,
    takes_names: bool,
    callback: Callback | None,
    catch: Exceptions,
) -> str:
    """Evaluates what is asked until there is nothing more. Returns why it ended."""
    while True:
        try:
            suggestion = ask()
        except ExhaustedError:
            return "all points of the space were evaluated"
        except KeyboardInterrupt:
            return INTERRUPTED
        if suggestion is None:
            return "the budget is used up"
        try:
            returned = objective(dict(suggestion.params) if takes_names else suggestion.x.copy())
            source.tell(suggestion, _measured(returned))
        except KeyboardInterrupt:
            source.withdraw(suggestion)
            return INTERRUPTED
        except BaseException as error:
            source.tell_failed(suggestion, f"{type(error).__name__}: {error}")
            if not isinstance(error, catch):
                raise
        if callback is not None and _asks_to_stop(callback, source.trial(suggestion.trial)):
            return STOPPED


def _measured(returned: Any) -> Measurement:
    """What an objective measured. Raises InvalidValueError for what is not a finite number."""
    measurement = returned if isinstance(returned, Measurement) else Measurement(returned)
    field = "the value of the objective"
    y = _arrays.number(measurement.y, field)
    if not math.isfinite(y):
        advice = "use a finite number, or raise an exception and name it in `catch`"
        raise InvalidValueError(field, f"{y} is not accepted; {advice}")
    return measurement


def _asks_to_stop(callback: Callback, trial: Trial | StudyTrial) -> bool:
    try:
        return bool(callback(trial))
    except (StopIteration, KeyboardInterrupt):
        return True


def result_of(source: Optimizer | Study, message: str) -> Result:
    """Returns what an optimizer or a study has come to."""
    history = source.history()
    if len(history) and history.failed.all():
        message += "; every evaluation failed"
    best = None if history.failed.all() else source.recommendation()
    return Result(
        x=best.trial.x if best else None,
        params=best.trial.params if best else None,
        fun=best.trial.y if best else float("nan"),
        nfev=len(history),
        nfail=int(history.failed.sum()),
        success=bool(best and best.is_acceptable and message not in (INTERRUPTED, STOPPED)),
        message=message,
        history=history,
        calibration=source.calibration(),
        optimizer=source,
    )


def minimize(
    f: Objective,
    bounds: Any,
    budget: int = 100,
    seed: int = 0,
    method: str = "auto",
    callback: Callback | None = None,
    *,
    x0: Iterable[Any] = (),
    catch: Exceptions = (),
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Finds a point with a small value of f in few evaluations.

    >>> import oscbo
    >>> result = oscbo.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] + 2) ** 2, [(-5, 5), (-5, 5)], budget=30)
    >>> bool(result.fun < 1e-3)
    True

    Args:
        f: called with an array of numbers; with a dictionary where ``bounds`` are parameters by name. Returns the
            value, or a :class:`Measurement` that says how noisy it is, or has outcomes.
        bounds: pairs of numbers, a :class:`Space`, or parameters by name: ``{"rate": oscbo.Float(1e-5, 1, log=True)}``.
        budget: evaluations in all.
        seed: the same seed gives the same run.
        method: one of :func:`methods`.
        callback: called after each evaluation with its :class:`Trial`; returns True, or raises StopIteration,
            to stop.
        x0: points to begin with.
        catch: exceptions of f that mean a failed evaluation, which the run goes on after; others are raised.
        options: of the method, see :func:`options`.

    A keyboard interrupt ends the run, and returns what there is.
    """
    return _optimize("minimize", f, bounds, budget, seed, method, callback, x0, catch, options)


def maximize(
    f: Objective,
    bounds: Any,
    budget: int = 100,
    seed: int = 0,
    method: str = "auto",
    callback: Callback | None = None,
    *,
    x0: Iterable[Any] = (),
    catch: Exceptions = (),
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Finds a point with a large value of f in few evaluations; otherwise as :func:`minimize`.

    >>> import oscbo
    >>> space = {"rate": oscbo.Float(1e-4, 1, log=True), "layers": oscbo.Int(1, 4)}
    >>> result = oscbo.maximize(lambda p: p["layers"] - abs(p["rate"] - 0.1), space, budget=25)
    >>> result.params["layers"]
    4
    """
    return _optimize("maximize", f, bounds, budget, seed, method, callback, x0, catch, options)


def _optimize(
    goal: str,
    f: Objective,
    bounds: Any,
    budget: int,
    seed: int,
    method: str,
    callback: Callback | None,
    x0: Iterable[Any],
    catch: Exceptions,
    options: Mapping[str, Any] | None,
) -> Result:
    optimizer = Optimizer(bounds, goal=goal, method=method, budget=budget, seed=seed, options=options)
    for point in x0:
        optimizer.queue(point)
    asks = iter(range(budget))
    takes_names = isinstance(bounds, (Space, Mapping))
    message = run(optimizer, lambda: None if next(asks, None) is None else optimizer.ask(), f, takes_names, callback, catch)
    return result_of(optimizer, message)
