"""The optimisation loop behind minimize, maximize and Study.optimize."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Union

from . import _arrays
from ._optimizer import Optimizer
from ._records import Measurement
from ._space import Space, by_name
from .errors import ConflictError, ExhaustedError, InvalidValueError

if TYPE_CHECKING:
    from ._study import Study

#: Called with an array if bounds were given, or with a dictionary if parameters have names.
Objective = Callable[[Any], Union[float, Measurement]]
#: Called with the trial that has just ended; True ends the run.
Callback = Callable[[Any], Any]
Exceptions = Union[type[BaseException], Sequence[type[BaseException]]]
#: Yields the suggestions of a run and returns why the run ends. After each evaluation, it receives by ``send`` why the
#: evaluation failed, or None.
Points = Generator[Any, Union[str, None], str]

INTERRUPTED = "interrupted"
STOPPED = "stopped by the callback"
USED_UP = "the budget is used up"


class Result(dict[str, Any]):
    """The result of a run; fields are also attributes, as in SciPy's ``OptimizeResult``.

    Attributes:
        x: the recommended point; None if nothing was evaluated.
        params: the same point as a dictionary by parameter name.
        fun: the observed value at this point.
        nfev: number of evaluations, including failed ones.
        nfail: number of failed evaluations.
        success: whether there is an acceptable recommendation and the run was not stopped.
        message: why the run ended, and what is wrong with the result, if anything.
        history: all evaluations as arrays (:class:`History`).
        calibration: how far the predictions could be trusted (:class:`Calibration`).
        optimizer: the :class:`Optimizer` or :class:`Study`, for continuing the run.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

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
    points: Points,
    objective: Objective,
    takes_names: bool,
    callback: Callback | None,
    catch: Exceptions,
) -> Result:
    """Evaluates points until the run ends."""
    caught = _checked(objective, callback, catch)
    with HeldInterrupts() as interrupts:
        message = _evaluate_all(source, points, objective, takes_names, callback, caught, interrupts)
        return result_of(source, message)


def _evaluate_all(
    source: Optimizer | Study,
    points: Points,
    objective: Objective,
    takes_names: bool,
    callback: Callback | None,
    caught: tuple[type[BaseException], ...],
    interrupts: HeldInterrupts,
) -> str:
    """Evaluates all points and returns why the run ended."""
    failure: str | None = None
    while not interrupts.came:
        try:
            suggestion = points.send(failure)
        except StopIteration as end:
            return str(end.value)
        except ExhaustedError:
            return "all points of the space were evaluated"
        failure = None
        try:
            with interrupts.heard():
                returned = objective(dict(suggestion.params) if takes_names else suggestion.x.copy())
            measurement = _measured(returned)
        except caught as error:
            failure = _reason(error)
            source.tell_failed(suggestion, failure)
        except KeyboardInterrupt:
            _take_back(source, suggestion)
            return INTERRUPTED
        except BaseException:
            _take_back(source, suggestion)
            raise
        else:
            _tell(source, suggestion, measurement)
        if callback is not None:
            trial = source.trial(suggestion.trial)
            try:
                with interrupts.heard():
                    if callback(trial):
                        return STOPPED
            except StopIteration:
                return STOPPED
            except KeyboardInterrupt:
                return INTERRUPTED
    return INTERRUPTED


def _checked(objective: Any, callback: Any, catch: Any) -> tuple[type[BaseException], ...]:
    """Returns the exceptions to catch. Refuses invalid arguments before anything is evaluated."""
    if not callable(objective):
        raise InvalidValueError("f", f"{_arrays.shown(objective)} is not accepted; use a function")
    if callback is not None and not callable(callback):
        raise InvalidValueError("callback", f"{_arrays.shown(callback)} is not accepted; use a function")
    caught = tuple(catch) if isinstance(catch, (tuple, list)) else (catch,)
    if not all(isinstance(each, type) and issubclass(each, BaseException) for each in caught):
        raise InvalidValueError("catch", f"{_arrays.shown(catch)} is not accepted; use an exception class, or several")
    return caught


def _tell(source: Optimizer | Study, suggestion: Any, measurement: Measurement) -> None:
    """Tells a measurement. If it is refused, for example because outcomes are missing, takes the suggestion back."""
    try:
        source.tell(suggestion, measurement)
    except InvalidValueError:
        _take_back(source, suggestion)
        raise


def _take_back(source: Optimizer | Study, suggestion: Any) -> None:
    """Takes a suggestion back after an error. If the suggestion has been told already, it stays told."""
    try:
        source._take_back(suggestion)
    except ConflictError:
        pass


def _measured(returned: Any) -> Measurement:
    """Returns what an objective returned, as a Measurement. Raises InvalidValueError unless all numbers are finite."""
    measurement = returned if isinstance(returned, Measurement) else Measurement(returned)
    _check_finite(measurement.y, "the value of the objective")
    for name, value in by_name(measurement.outcomes, "outcomes").items():
        _check_finite(value, f"outcomes.{name}")
    return measurement


def _check_finite(value: Any, field: str) -> None:
    if not math.isfinite(_arrays.number(value, field)):
        advice = "use a finite number, or raise an exception and name it in `catch`"
        raise InvalidValueError(field, f"{_arrays.shown(value)} is not accepted; {advice}")


def _reason(error: BaseException) -> str:
    """Returns why an evaluation failed, even if the exception cannot be printed."""
    longest = 1000
    try:
        said = str(error)
    except Exception:
        said = "it cannot be shown"
    return _arrays.text(f"{type(error).__name__}: {said}"[:longest], "reason")


class HeldInterrupts:
    """Handles Ctrl-C at once while functions of the user run, and otherwise only between evaluations.

    An interrupt during an ask would leave a pending trial that the caller does not know of.
    """

    def __init__(self) -> None:
        self.came = False
        is_main = threading.current_thread() is threading.main_thread()
        self._holds = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def _hold(self, number: int, frame: Any) -> None:
        self.came = True

    def __enter__(self) -> HeldInterrupts:
        if self._holds:
            signal.signal(signal.SIGINT, self._hold)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._holds:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def heard(self) -> Iterator[None]:
        self.__exit__()
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self.__enter__()


def result_of(source: Optimizer | Study, message: str) -> Result:
    """Returns the current result of an optimizer or a study."""
    history = source.history()
    if len(history) and history.failed.all():
        message += "; every evaluation failed"
    best = None if history.failed.all() else source.recommendation()
    if best and not best.is_acceptable:
        message += "; no acceptable point was found"
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
    x0: Iterable[Any] | None = None,
    catch: Exceptions = (),
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Finds a point with a small value of f in few evaluations.

    >>> import oscbo
    >>> result = oscbo.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] + 2) ** 2, [(-5, 5), (-5, 5)], budget=30)
    >>> bool(result.fun < 1e-3)
    True

    Args:
        f: called with an array of numbers, or with a dictionary if ``bounds`` are parameters by name. Returns the
            value, or a :class:`Measurement` with the value, its variance and its outcomes.
        bounds: pairs of numbers, a :class:`Space`, or parameters by name: ``{"rate": oscbo.Float(1e-5, 1, log=True)}``.
        budget: total number of evaluations.
        seed: the same seed gives the same run.
        method: one of :func:`methods`.
        callback: called after each evaluation with its :class:`Trial`. It returns True or raises StopIteration to
            stop the run.
        x0: points to evaluate first.
        catch: exceptions of f that count as a failed evaluation; the run continues. Other exceptions are raised, and
            the trial is taken back.
        options: options of the method; see :func:`options`.

    A keyboard interrupt ends the run and returns the result so far.
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
    x0: Iterable[Any] | None = None,
    catch: Exceptions = (),
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Finds a point with a large value of f in few evaluations; see :func:`minimize`.

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
    x0: Iterable[Any] | None,
    catch: Exceptions,
    options: Mapping[str, Any] | None,
) -> Result:
    optimizer = Optimizer(bounds, goal=goal, method=method, budget=budget, seed=seed, options=options)
    for point in x0 if x0 is not None else ():
        optimizer.queue(point)
    points = _points(optimizer, _arrays.whole(budget, "budget"))
    return run(optimizer, points, f, isinstance(bounds, (Space, Mapping)), callback, catch)


def _points(optimizer: Optimizer, budget: int) -> Points:
    for _ in range(budget):
        yield optimizer.ask()
    return USED_UP
