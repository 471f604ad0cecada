"""Predictions, measurements and recommendations as plain values that print and pickle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _arrays
from ._arrays import FloatArray
from ._space import Space, Value

if TYPE_CHECKING:
    from ._study import StudyTrial


@dataclass(frozen=True)
class Prediction:
    """The prediction at a point before its value was known, in the units of the value."""

    mean: float
    #: standard deviation of the function itself
    sd: float
    #: standard deviation of an observation, including noise
    observation_sd: float
    #: width of the predicted interval, ``lower`` to ``upper``
    width: float
    #: the interval is mean +- sqrt(beta) observation_sd
    beta: float
    #: acquisition value, in standardised units
    acquisition: float
    #: for inputs scaled to [0, 1]: one for all parameters, or one per parameter; empty if the model has none
    lengthscales: tuple[float, ...]
    #: lambda of the game; None for methods without one
    multiplier: float | None
    #: "play" or "recovery"; None for methods without a game
    phase: str | None
    #: number added to the diagonal to make the factorization succeed
    jitter: float
    #: factorizations spent on the lengthscales for this point
    objective_evaluations: int

    @property
    def lower(self) -> float:
        """The lower end of the predicted interval."""
        return self.mean - 0.5 * self.width

    @property
    def upper(self) -> float:
        """The upper end of the predicted interval."""
        return self.mean + 0.5 * self.width


@dataclass(frozen=True)
class Feedback:
    """How an observation compares with its prediction."""

    #: whether the value lies in the interval
    covered: bool
    sharpness_loss: float
    #: at most 0 when covered
    calibration_loss: float
    #: the sum of calibration losses so far
    violation: float


@dataclass(frozen=True)
class Measurement:
    """The measurement at a point. An objective may return a Measurement instead of a number.

    >>> Measurement(81.5, variance=0.04, outcomes={"cost": 12.0})
    Measurement(y=81.5, variance=0.04, outcomes={'cost': 12.0})
    """

    y: float
    #: the variance of y, if known
    variance: float | None = None
    #: the outcomes of the space, by name
    outcomes: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate."""

    #: the number of the trial, for ``tell``
    trial: int
    #: one number per parameter; see :class:`Space`
    x: FloatArray = field(compare=False)
    #: the same values by name, without inactive parameters
    params: dict[str, Value] = field(hash=False)
    #: None for points of the initial design
    prediction: Prediction | None
    #: predictions of the outcomes, by name
    outcomes: dict[str, Prediction] = field(hash=False)
    #: probability that all outcomes are within their limits
    acceptable: float
    #: probability that the evaluation does not fail
    succeeds: float


@dataclass(frozen=True)
class QuantityRecord:
    """The record of one quantity of a trial: an objective or an outcome."""

    value: float | None
    #: the variance of the value, if told
    variance: float | None
    #: the prediction before the value was known
    prediction: Prediction | None
    #: None unless the trial belongs to an :class:`Optimizer` and has a value and a prediction
    feedback: Feedback | None


class SingleObjective:
    """Gives access to the single objective in the list of a trial's objectives."""

    objectives: tuple[QuantityRecord, ...]

    @property
    def y(self) -> float | None:
        """The value, or None."""
        return self.objectives[0].value

    @property
    def variance(self) -> float | None:
        """The variance of y, if told."""
        return self.objectives[0].variance

    @property
    def prediction(self) -> Prediction | None:
        """The prediction before y was known."""
        return self.objectives[0].prediction


@dataclass(frozen=True)
class Trial(SingleObjective):
    """A point that was asked, told, or both."""

    id: int
    x: FloatArray = field(compare=False)
    params: dict[str, Value] = field(hash=False)
    #: "pending", "complete", "failed" or "abandoned"
    state: str
    objectives: tuple[QuantityRecord, ...]
    outcomes: dict[str, QuantityRecord] = field(hash=False)
    #: whether all outcomes told are within their limits
    is_acceptable: bool

    @property
    def feedback(self) -> Feedback | None:
        """How y compares with its prediction."""
        return self.objectives[0].feedback

    @property
    def covered(self) -> bool | None:
        """Whether the value lies in the predicted interval; None without a value or a prediction."""
        return None if self.feedback is None else self.feedback.covered


@dataclass(frozen=True)
class Recommendation:
    """The point to use."""

    trial: Trial | StudyTrial
    #: "observed" for the best value; "mean" for the best mean of the model, if values are noisy
    by: str
    #: whether all outcomes are within their limits
    is_acceptable: bool


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions at many points: arrays with one element per point."""

    mean: FloatArray
    #: standard deviation of the function itself
    sd: FloatArray
    #: standard deviation of an observation
    observation_sd: FloatArray
    #: width of the intervals ``lower`` to ``upper``
    width: FloatArray

    @property
    def lower(self) -> FloatArray:
        """The lower ends of the predicted intervals."""
        return self.mean - 0.5 * self.width

    @property
    def upper(self) -> FloatArray:
        """The upper ends of the predicted intervals."""
        return self.mean + 0.5 * self.width

    def __len__(self) -> int:
        return len(self.mean)


@dataclass(frozen=True)
class LevelCoverage:
    """The share of observations inside the central interval of one level."""

    nominal: float
    #: NaN if nothing was predicted
    measured: float
    #: Wilson 95 % interval of the measured share
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """How far predictions could be trusted: each observation compared with its earlier prediction."""

    #: number of predictions with an observation
    predictions: int
    coverage: tuple[LevelCoverage, ...]
    #: coverage of the predicted intervals
    shown: LevelCoverage
    #: Phi((y - mean) / observation_sd) of each prediction; uniform on [0, 1] if predictions are calibrated
    pit: FloatArray = field(repr=False)
    #: largest distance between the distribution of these values (PIT) and the uniform distribution
    pit_distance: float
    mean_width: float
    #: mean log density of the observations; higher is better
    log_score: float
    #: mean continuous ranked probability score; lower is better
    crps: float

    def __str__(self) -> str:
        if self.predictions == 0:
            return "no predictions yet"
        lines = [_arrays.counted(self.predictions, "prediction"), "interval   held   (95 % confidence)"]
        lines += [
            f"{each.nominal:7.1%}  {each.measured:6.1%}   ({each.lower:.1%} to {each.upper:.1%})"
            for each in self.coverage
        ]
        return "\n".join(lines)


# --- from the plain data of the compiled part ------------------------------------------------------


def prediction_of(plain: dict[str, Any] | None) -> Prediction | None:
    return None if plain is None else Prediction(**plain)


def feedback_of(plain: dict[str, Any] | None) -> Feedback | None:
    return None if plain is None else Feedback(**plain)


def suggestion_of(space: Space, plain: dict[str, Any]) -> Suggestion:
    plain["prediction"] = prediction_of(plain["prediction"])
    plain["outcomes"] = {name: Prediction(**each) for name, each in zip(space.outcomes, plain["outcomes"])}
    return Suggestion(params=space.params(plain["x"]), **plain)


def quantity_of(plain: dict[str, Any]) -> QuantityRecord:
    plain["prediction"] = prediction_of(plain["prediction"])
    plain["feedback"] = feedback_of(plain["feedback"])
    return QuantityRecord(**plain)


def trial_of(space: Space, plain: dict[str, Any]) -> Trial:
    plain["objectives"] = tuple(quantity_of(each) for each in plain["objectives"])
    plain["outcomes"] = {name: quantity_of(each) for name, each in zip(space.outcomes, plain["outcomes"])}
    return Trial(params=space.params(plain["x"]), **plain)


def calibration_of(plain: dict[str, Any]) -> Calibration:
    plain["coverage"] = tuple(LevelCoverage(**each) for each in plain["coverage"])
    plain["shown"] = LevelCoverage(**plain["shown"])
    return Calibration(**plain)
