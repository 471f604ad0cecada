"""Studies stored in the same database as those of the command line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from numbers import Real
from pathlib import Path
from typing import Any, Union

from . import _arrays, _core
from ._arrays import FloatArray
from ._arrays import text as _text
from ._history import History
from ._minimize import USED_UP, Callback, Exceptions, Objective, Points, Result, run
from ._optimizer import declaration_of, measured_in, trial_number
from ._records import (
    Calibration,
    Measurement,
    Prediction,
    Predictions,
    QuantityRecord,
    Recommendation,
    SingleObjective,
    Suggestion,
    calibration_of,
    prediction_of,
    quantity_of,
)
from ._space import Params, Space, Value, as_space
from .errors import ConflictError, ExhaustedError, InvalidValueError

StrPath = Union[str, "os.PathLike[str]"]


def _storage(storage: StrPath | None) -> str:
    """Returns the database file, with the default of the command line."""
    return os.path.abspath(storage or os.environ.get("OSCBO_STORAGE") or "oscbo.db")


@dataclass(frozen=True)
class StudySuggestion:
    """A point of a study to evaluate."""

    #: the number of the trial, for ``tell``
    trial: int
    #: one number per parameter; see :class:`Space`
    x: FloatArray = field(compare=False)
    #: the same values by name, without inactive parameters
    params: dict[str, Value] = field(hash=False)
    #: None for points of the initial design
    prediction: Prediction | None
    #: identifies this attempt to ``tell``
    token: str
    #: 1 for the first attempt, 2, 3, ... for retries
    attempt: int


@dataclass(frozen=True)
class StudyTrial(SingleObjective):
    """A point of a study."""

    id: int
    x: FloatArray = field(compare=False)
    params: dict[str, Value] = field(hash=False)
    #: "pending", "complete", "failed" or "abandoned"
    state: str
    objectives: tuple[QuantityRecord, ...]
    outcomes: dict[str, float] = field(hash=False)
    outcome_predictions: dict[str, Prediction] = field(hash=False)
    #: whether all outcomes told are within their limits
    is_acceptable: bool
    #: whether y lies in the predicted interval; None without a value or a prediction
    covered: bool | None
    #: why the trial failed or was abandoned
    reason: str
    #: the last worker
    worker: str
    #: how often the trial was handed out
    attempts: int
    created: datetime
    finished: datetime | None


@dataclass(frozen=True)
class StopReason:
    """Why the study should stop."""

    #: "budget", or the name of a stop rule: "seconds", "target", "without_improvement", "expected_gain"
    rule: str
    text: str


class Study:
    """A stored optimisation: any number of processes may ask and tell, and nothing told is lost.

    The database is ``storage``, or else the file named by OSCBO_STORAGE, or else ``oscbo.db``. Commands such as
    ``oscbo status``, ``best`` and ``calibration`` see the same study.

    >>> import oscbo, tempfile
    >>> storage = tempfile.mkdtemp() + "/studies.db"
    >>> study = oscbo.Study.create("ridge", {"a": (-2, 2), "b": (-1, 3)}, storage=storage, budget=15)
    >>> result = study.optimize(lambda p: -(1 - p["a"]) ** 2 - 10 * (p["b"] - p["a"] ** 2) ** 2)
    >>> result.nfev, oscbo.Study.names(storage)
    (15, ['ridge'])
    """

    def __init__(self, name: str, *, storage: StrPath | None = None) -> None:
        """Opens an existing study. Raises UnknownNameError with the names of the existing studies."""
        self._file = _storage(storage)
        self._hold(_core.open_study(self._file, name))

    @classmethod
    def create(
        cls,
        name: str,
        space: Any,
        *,
        storage: StrPath | None = None,
        goal: str = "maximize",
        budget: int = 100,
        seed: int = 0,
        method: str = "auto",
        options: Mapping[str, Any] | None = None,
        **rules: Any,
    ) -> Study:
        """Creates a study. ``rules`` are the tables of a study file: ``program``, ``stop`` and ``pruning``.

        Raises:
            ConflictError: the name is taken.
        """
        declaration = declaration_of(name, as_space(space), goal, budget, seed, method, options, **rules)
        return cls._create(declaration, _storage(storage))

    @classmethod
    def from_file(cls, file: StrPath, *, storage: StrPath | None = None) -> Study:
        """Creates the study described by a TOML file, like ``oscbo new``."""
        path = Path(file)
        return cls._create(_core.study_json_of_toml(path.read_text(encoding="utf-8"), path.name), _storage(storage))

    @classmethod
    def _create(cls, declaration: str, file: str) -> Study:
        study = cls.__new__(cls)
        study._file = file
        study._hold(_core.create_study(file, declaration))
        return study

    def _hold(self, core: _core.Study) -> None:
        self._core = core
        self._space = Space._of(core.space())
        self._declaration = json.loads(core.declaration())

    @staticmethod
    def names(storage: StrPath | None = None) -> list[str]:
        """Returns the names of the studies in a database."""
        return _core.study_names(_storage(storage))

    @staticmethod
    def delete(name: str, *, storage: StrPath | None = None) -> None:
        """Deletes a study and everything in it."""
        _core.remove_study(_storage(storage), name)

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return _open, (self.name, self._file)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {state}" for state, number in self.counts().items() if number)
        return f"<oscbo.Study {self.name}: {counts or 'no trials'}>"

    @property
    def name(self) -> str:
        return str(self._declaration["name"])

    @property
    def goal(self) -> str:
        return str(self._declaration["goal"])

    @property
    def space(self) -> Space:
        return self._space

    @property
    def declaration(self) -> dict[str, Any]:
        """The contents of a study file for this study."""
        return json.loads(self._core.declaration())  # type: ignore[no-any-return]

    # --- asking and telling ------------------------------------------------------------------------

    def ask(
        self,
        *,
        worker: str = "python",
        given: Params | None = None,
        request: str = "",
        lease: float | None = None,
        within_budget: bool = False,
    ) -> StudySuggestion | None:
        """Returns a point to evaluate: a trial that has to be handed out again, if there is one, otherwise a new one.

        A trial is handed out again if it was released, if it failed and may be retried, or if its worker has lost it.

        Args:
            worker: name of the worker that asks.
            given: parameters to fix for this point.
            request: name of the request; if the same worker repeats the request, it gets the same trial.
            lease: seconds after which the trial may be given to another worker (default: never).
            within_budget: return None once the budget is used up.
        """
        seconds = None if lease is None else _arrays.finite(lease, "lease")
        names = _text(worker, "worker"), _text(request, "request")
        plain = self._core.ask(*names, self._space._given(given), seconds, bool(within_budget))
        if plain is None:
            return None
        plain["prediction"] = prediction_of(plain["prediction"])
        return StudySuggestion(params=self._space.params(plain["x"]), **plain)

    def tell(
        self,
        where: Any,
        y: float | Measurement,
        *,
        variance: float | None = None,
        outcomes: Mapping[str, float] | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> str:
        """Stores a measurement at a suggestion, at a trial given by number, or at any point.

        Returns "accepted"; "again" if the same suggestion was told the same value before, which changes nothing; or
        "extra" if the trial of the suggestion has ended already or ``where`` is a point. An extra value is stored
        as a new trial.
        """
        values, variances, others = measured_in(self._space, y, variance, outcomes)
        texts = [(_text(key, "attributes"), _text(text, f"attributes.{key}")) for key, text in (attributes or {}).items()]
        if isinstance(where, (Suggestion, StudySuggestion)) or trial_number(where) is not None:
            return self._core.tell(*_handed_out(where), values, variances, others, texts)
        number = self._core.add(self._space._numbers(where), values, variances, others)
        for key, text in texts:
            self._core.set_attribute(number, key, text)
        return "extra"

    def tell_failed(self, where: StudySuggestion | int, reason: str = "") -> bool:
        """Ends an attempt without a value. Returns whether the trial will be tried again."""
        return self._core.tell_failed(*_handed_out(where), _text(reason, "reason"))

    def release(self, suggestion: StudySuggestion) -> None:
        """Hands a trial back; the next ask returns it. Raises ConflictError if the trial has ended."""
        self._core.release(*self._pending(suggestion))

    def _take_back(self, suggestion: StudySuggestion) -> None:
        """Takes back a suggestion whose evaluation was cut short."""
        self.release(suggestion)

    def report(self, where: StudySuggestion | int, step: int, value: float) -> bool:
        """Stores an intermediate value. Returns True if, by the pruning rules, you should give up the trial."""
        return self._core.report(
            *_handed_out(where), _arrays.whole(step, "step"), _arrays.number(value, "value")
        )

    def give_up(self, suggestion: StudySuggestion, reason: str = "given up") -> None:
        """Ends a trial for good without a value. Raises ConflictError if the trial has ended."""
        self._core.give_up(*self._pending(suggestion), _text(reason, "reason"))

    def _pending(self, suggestion: StudySuggestion) -> tuple[int, str]:
        """Returns the number and the token of a pending trial."""
        number, token = _handed_out(suggestion)
        if not token:
            advice = "use its suggestion, which proves who has the trial; `abandon` takes a number"
            raise InvalidValueError("suggestion", f"{_arrays.shown(suggestion)} is not accepted; {advice}")
        state = self.trial(number).state
        if state != "pending":
            raise ConflictError("trial", f"{number} is {state} already")
        return number, token

    def abandon(self, where: StudySuggestion | int, reason: str = "") -> None:
        """Takes a pending trial back, as if it had not been asked."""
        self._core.abandon(_handed_out(where)[0], _text(reason, "reason"))

    def queue(self, point: Any) -> None:
        """Queues a point to be asked next."""
        self._core.queue(self._space._numbers(point, "point"))

    def set_attribute(self, where: StudySuggestion | int, key: str, value: str) -> None:
        """Attaches a text to a trial: a note, a metric, anything."""
        self._core.set_attribute(_handed_out(where)[0], _text(key, "key"), _text(value, "value"))

    def attributes(self, where: StudySuggestion | int) -> dict[str, str]:
        """Returns the attributes of a trial."""
        number = _handed_out(where)[0]
        self._core.trial(number)  # refuses an unknown trial
        return self._core.attributes(number)

    def optimize(
        self,
        objective: Objective,
        *,
        evaluations: int | None = None,
        callback: Callback | None = None,
        catch: Exceptions = (),
        worker: str = "python",
    ) -> Result:
        """Evaluates points with a Python function until the budget is used up or a stop rule of the study holds.

        Several processes may call this method at the same time. The function is called with a dictionary of values by
        name; ``callback`` and ``catch`` work as in :func:`oscbo.minimize`. ``evaluations`` sets the number of calls,
        regardless of budget and stop rules. Without ``evaluations``, the run also ends after ten failures if no
        evaluation has given a value. The result covers the whole study; :attr:`ended` tells why the study ended.
        """
        if evaluations is None:
            points = self._points_by_rules(worker)
        else:
            points = self._counted_points(_arrays.whole(evaluations, "evaluations", least=1), worker)
        return run(self, points, objective, True, callback, catch)

    def _counted_points(self, evaluations: int, worker: str) -> Points:
        """Yields the points of a run that starts and ends like ``oscbo run -n``."""
        self._core.end(None)
        for _ in range(evaluations):
            yield self._next_point(worker, within_budget=False)
        if used_up := self._core.budget_used_up():
            self._core.end(used_up)
        return USED_UP

    def _points_by_rules(self, worker: str) -> Points:
        """Yields the points of a run that starts and ends like ``oscbo run``."""
        begin = time.monotonic()
        if reason := self.stop_reason():
            return self._end(reason)
        self._core.end(None)
        while suggestion := self._next_point(worker, within_budget=True):
            failure = yield suggestion
            if failure is not None and (failing := self._core.failing(failure)):
                return failing
            if reason := self.stop_reason(time.monotonic() - begin):
                return self._end(reason)
        return USED_UP  # other processes evaluate the last trials and store why the study ends

    def _next_point(self, worker: str, *, within_budget: bool) -> StudySuggestion | None:
        try:
            return self.ask(worker=worker, within_budget=within_budget)
        except ExhaustedError as error:
            if not self._core.leased():  # a leased trial may have to be handed out again
                self._core.end(error.message)
            raise

    def _end(self, reason: StopReason) -> str:
        """Stores why the study ends and returns why the run ends."""
        self._core.end(reason.text)
        return USED_UP if reason.rule == "budget" else reason.text

    # --- looking -----------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Returns the numbers of pending, complete, failed and abandoned trials."""
        return self._core.counts()

    def stop_reason(self, run_seconds: float = 0.0) -> StopReason | None:
        """Returns why the budget or a stop rule ends the study, or None if the study goes on.

        ``run_seconds`` is the duration of your run so far, for the rule ``seconds``.
        """
        reason = self._core.stop_reason(_arrays.number(run_seconds, "run_seconds"))
        return None if reason is None else StopReason(*reason)

    @property
    def ended(self) -> str | None:
        """Why the last run ended the study; None while the study goes on."""
        return self._core.ended()

    @property
    def trials(self) -> list[StudyTrial]:
        return [self._trial(each) for each in self._core.trials(None)]

    def trial(self, number: int) -> StudyTrial:
        return self._trial(self._core.trial(_arrays.whole(number, "trial")))

    def _trial(self, plain: dict[str, Any]) -> StudyTrial:
        outcomes = {name: quantity_of(each) for name, each in zip(self._space.outcomes, plain["outcomes"])}
        plain["objectives"] = tuple(quantity_of(each) for each in plain["objectives"])
        plain["outcomes"] = {name: each.value for name, each in outcomes.items() if each.value is not None}
        plain["outcome_predictions"] = {name: each.prediction for name, each in outcomes.items() if each.prediction}
        plain["id"] = plain.pop("number")
        plain["created"] = _time(plain["created"])
        plain["finished"] = None if plain["finished"] is None else _time(plain["finished"])
        return StudyTrial(params=self._space.params(plain["x"]), **plain)

    def recommendation(self) -> Recommendation:
        """Returns the best point. Raises ConflictError if nothing has been told."""
        plain = self._core.best()
        return Recommendation(self._trial(plain["trial"]), plain["by"], plain["is_acceptable"])

    def history(self) -> History:
        """Returns all evaluations as arrays."""
        return History.of(self.trials, self.goal, self._space)

    def calibration(self, outcome: str | None = None) -> Calibration:
        """Returns how far stored predictions of the value, or of an outcome, could be trusted."""
        return calibration_of(self._core.calibration(self._space._outcome_index(outcome)))

    def predict(self, X: Any, *, outcome: str | None = None) -> Predictions:
        """Returns predictions at points: an (n, d) array or dictionaries by name."""
        return Predictions(**self._core.predict(self._space._table(X), self._space._outcome_index(outcome)))

    def importance(self) -> dict[str, float]:
        """Returns each parameter's share of the variance of the model's mean."""
        return self._core.importance()

    def verify(self) -> list[tuple[int, str]]:
        """Recomputes every suggestion; returns those that differ, and how."""
        return self._core.verify()

    def to_json(self) -> str:
        """Returns the whole study: declaration, log, trials with their predictions."""
        return self._core.to_json()


def _open(name: str, file: str) -> Study:
    return Study(name, storage=file)


def _handed_out(where: Any) -> tuple[int, str]:
    """Returns the number of a trial, and its token or an empty string."""
    if isinstance(where, StudySuggestion):
        return where.trial, where.token
    if isinstance(where, Suggestion):
        raise InvalidValueError("suggestion", "belongs to an optimizer, not to a study")
    if not isinstance(where, Real):
        advice = "use a suggestion of the study, or the number of its trial"
        raise InvalidValueError("trial", f"{_arrays.shown(where)} is not accepted; {advice}")
    return _arrays.whole(where, "trial", least=0), ""


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=timezone.utc)
