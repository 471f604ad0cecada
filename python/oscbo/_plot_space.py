"""What the functions of :mod:`oscbo.plot` draw: parameters as axes, and models around a point."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray
from ._minimize import Result
from ._optimizer import Optimizer, Posterior
from ._plot_panels import part_of_matplotlib, readable_log_ticks
from ._records import Predictions, QuantityRecord, Trial, trial_of
from ._space import Space
from ._study import Study, StudyTrial
from .errors import ConflictError, InvalidValueError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Objects whose model can be drawn.
Modelled = Union[Result, Optimizer, Study, Posterior]

#: A parameter with at most this many levels is drawn level by level. One with more levels is drawn as a line.
MOST_LEVELS = 24
#: The height of inactive values in parallel coordinates, where axes go from 0 to 1.
NOT_ACTIVE = -0.12


@dataclass(frozen=True)
class Parameter:
    """A parameter as the axis of a plot."""

    index: int
    name: str
    #: the bounds, in the coordinates of a point
    lower: float
    upper: float
    is_log: bool = False
    #: 0 if any real number between the bounds is a value
    step: float = 0.0
    #: the names of the values, if they are named; named values are evenly spaced, whatever their numbers are
    labels: tuple[str, ...] = ()
    #: the numbers of the named values
    levels: tuple[float, ...] = ()
    #: names without an order; all pairs of them are equally far apart
    is_unordered: bool = False
    is_conditional: bool = False
    is_fixed: bool = False

    @property
    def has_few_levels(self) -> bool:
        if self.labels:
            return True
        return self.step > 0.0 and (self.upper - self.lower) / self.step < MOST_LEVELS - 0.5

    def values(self, count: int) -> FloatArray:
        """Returns all levels if there are few, otherwise about ``count`` values between the bounds."""
        if self.labels:
            return np.array(self.levels)
        if self.has_few_levels:
            return np.arange(self.lower, self.upper + 0.5 * self.step, self.step)
        ends = self.lower, self.upper
        values: FloatArray = np.geomspace(*ends, count) if self.is_log else np.linspace(*ends, count)
        if self.step > 0.0:
            values = np.unique(self.lower + self.step * np.round((values - self.lower) / self.step))
        return values

    @property
    def middle(self) -> float:
        values = self.values(3)
        return float(values[len(values) // 2])

    def place(self, values: Any) -> Any:
        """Returns the positions of values along the axis: ranks of named values, otherwise the numbers."""
        if not self.labels:
            return values
        return np.where(np.isnan(values), math.nan, np.searchsorted(self.levels, values))

    def share(self, values: FloatArray) -> FloatArray:
        """Returns the positions of values between the bounds, as shares of the axis: from 0 to 1, NaN if inactive."""
        lower, place, upper = (self.place(each) for each in (self.lower, values, self.upper))
        if self.is_log:
            lower, place, upper = np.log(lower), np.log(place), np.log(upper)
        return np.where(np.isnan(place), math.nan, (place - lower) / (upper - lower) if upper > lower else 0.5)

    def height(self, values: FloatArray) -> FloatArray:
        """Returns the shares of values, and a height below the axis for inactive values."""
        return np.where(np.isnan(values), NOT_ACTIVE, self.share(values))

    def distance(self, values: FloatArray, value: float) -> FloatArray:
        """Returns the distances of values from a value, from 0 to 1. Active and inactive values have the distance 1."""
        if self.is_unordered:
            apart = (values != value).astype(float)
        else:
            apart = np.abs(self.share(values) - self.share(np.array([value])))
        return np.where(np.isnan(values) | np.isnan(value), np.isnan(values) != np.isnan(value), apart)

    def ticks(self) -> list[tuple[float, str]]:
        """Returns a few values and their labels."""
        if self.labels:
            every = -(-len(self.labels) // 8)
            return list(zip(self.levels, self.labels))[::every]
        if self.is_log:
            first, last = math.ceil(math.log10(self.lower)), math.floor(math.log10(self.upper))
            decades = [10.0**k for k in range(first, last + 1, 1 + (last - first) // 6)]
            values = decades if len(decades) > 1 else [self.lower, self.upper]
        else:
            locator = part_of_matplotlib("ticker").MaxNLocator(4, integer=self.step >= 1.0, steps=[1, 2, 2.5, 5, 10])
            slack = 1e-9 * (self.upper - self.lower)
            among = locator.tick_values(self.lower, self.upper)
            values = [each for each in among if self.lower - slack <= each <= self.upper + slack]
        return [(float(value), f"{value:.4g}") for value in values]

    def dress(self, ax: Axes, which: str, margin: float = 0.0) -> None:
        """Gives the axis its name, scale, limits and ticks. ``margin`` is a share of the length of the axis."""
        axis = getattr(ax, f"{which}axis")
        set_ends = getattr(ax, f"set_{which}lim")
        axis.set_label_text(self.name)
        if self.labels:
            is_crowded = which == "x" and sum(map(len, self.labels)) > 16
            side = "right" if which == "y" or is_crowded else "center"
            every = -(-len(self.labels) // 12)
            axis.set_ticks(range(0, len(self.labels), every))
            axis.set_ticklabels(self.labels[::every], rotation=30 if is_crowded else 0, ha=side)
            set_ends(-0.5, len(self.labels) - 0.5)
        elif self.is_log:
            getattr(ax, f"set_{which}scale")("log")
            factor = (self.upper / self.lower) ** margin
            set_ends(self.lower / factor, self.upper * factor)
            readable_log_ticks(ax, which)
        elif self.has_few_levels:
            values = self.values(0)
            axis.set_ticks(values[:: -(-len(values) // 8)])
            set_ends(self.lower - 0.5 * self.step, self.upper + 0.5 * self.step)
        else:
            beyond = margin * (self.upper - self.lower)
            set_ends(self.lower - beyond, self.upper + beyond)
            axis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))


def free_parameters(space: Space) -> list[Parameter]:
    """Returns the parameters that are not fixed."""
    return [each for each in _all_parameters(space) if not each.is_fixed]


def _all_parameters(space: Space) -> list[Parameter]:
    declared = json.loads(space.to_json())["parameters"]
    bounds = space.bounds.tolist()
    return [_parameter(index, name, declared[name], *bounds[index]) for index, name in enumerate(space.names)]


def _parameter(index: int, name: str, declared: Mapping[str, Any], lower: float, upper: float) -> Parameter:
    kind, values = declared["type"], declared.get("values", ())
    if kind == "bool":
        values = ("False", "True")
    has_numbers = kind == "ordinal" and not isinstance(values[0], str)
    return Parameter(
        index,
        name,
        lower,
        upper,
        is_log=declared.get("log", False),
        step=float(declared.get("step", 1.0 if kind == "int" else 0.0)),
        labels=tuple(f"{value:g}" if has_numbers else value for value in values),
        levels=tuple(values) if has_numbers else tuple(map(float, range(len(values)))),
        is_unordered=kind == "categorical",
        is_conditional="when" in declared,
        is_fixed=kind == "fixed",
    )


class Model:
    """A model, the trials that it was made from, and the point around which it is drawn."""

    def __init__(self, source: Modelled, outcome: str | None, at: Any) -> None:
        if isinstance(source, Result):
            source = source["optimizer"]
        if isinstance(source, Optimizer):
            source = source.posterior()
        if not isinstance(source, (Posterior, Study)):
            accepted = "use a Result, Optimizer, Study or Posterior"
            raise UsageError("source", f"{type(source).__name__} is not accepted; {accepted}")
        self._source = source
        self._outcome = outcome
        self._space = source.space
        self._space._outcome_index(outcome)  # refuses an unknown name
        self._parameters = _all_parameters(self._space)
        ended = [trial for trial in _trials_of(source) if trial.state in ("complete", "failed")]
        self.x: FloatArray = np.array([trial.x for trial in ended]).reshape(len(ended), len(self._space))
        self.y: FloatArray = np.array([_measured(trial, outcome) for trial in ended])
        best = _recommended(source)
        #: indices of trials, ordered by the distance of their value from that of the recommended trial
        self._nearest = np.argsort(np.abs(self.y - _measured(best, outcome))) if best else np.arange(len(ended))
        self.base = self._base(at, best)
        #: False if nothing was recommended or given; ``base`` is then an arbitrary point
        self.has_point = at is not None or best is not None
        #: why there are no predictions
        self.reason = ""

    def _base(self, at: Any, best: Trial | StudyTrial | None) -> FloatArray:
        if at is not None:
            point = self._space._numbers(at, "at")
            self._space._core.check(point, "at")
            return point
        if best:
            return best.x
        nowhere: FloatArray = np.full(len(self._space), math.nan)
        return self._activated(nowhere) if len(self.x) == 0 else np.array(self.x[-1])

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Which trials have a value."""
        return ~np.isnan(self.y)

    def parameter(self, name: str) -> Parameter:
        """Returns a parameter. Raises if it cannot be varied at the point."""
        index = self._space._core.index(name)
        for parameter in self.active_parameters():
            if parameter.index == index:
                return parameter
        why = "is fixed" if self._parameters[index].is_fixed else "is not active at this point"
        raise InvalidValueError("parameters", f"{name} {why}")

    def active_parameters(self) -> list[Parameter]:
        return [each for each in self._parameters if not each.is_fixed and not math.isnan(self.base[each.index])]

    def chosen_parameters(self, names: str | Sequence[str] | None) -> list[Parameter]:
        if names is None:
            chosen = self.active_parameters()
        else:
            chosen = [self.parameter(name) for name in ([names] if isinstance(names, str) else names)]
        if not chosen:
            raise InvalidValueError("parameters", "no parameter can be varied at this point")
        return chosen

    def closeness(self, parameter: Parameter) -> FloatArray:
        """Returns how close trials are to the line through the point along a parameter: 1 on the line, 0 far off."""
        others = [each for each in self._parameters if each != parameter and not each.is_fixed]
        if not others:
            return np.ones(len(self.x))
        squares = [each.distance(self.x[:, each.index], self.base[each.index]) ** 2 for each in others]
        closeness: FloatArray = np.exp(-0.5 * np.mean(squares, axis=0) / 0.15**2)
        return closeness

    def predictions(self, changes: Sequence[Mapping[int, float]]) -> Predictions | None:
        """Returns predictions at the changed points, NaN where a changed point is not in the space.

        Returns None if there is no model; :attr:`reason` then says why.
        """
        points = [self._changed(each) for each in changes]
        is_point = [point is not None for point in points]
        table = np.array([point for point in points if point is not None]).reshape(-1, len(self._space))
        try:
            known = self._source.predict(table, outcome=self._outcome)
        except ConflictError as error:
            self.reason = str(error)
            return None
        columns = {name: np.full(len(points), math.nan) for name in ("mean", "sd", "observation_sd", "width")}
        for name, column in columns.items():
            column[is_point] = getattr(known, name)
        return Predictions(**columns)

    def _changed(self, change: Mapping[int, float]) -> FloatArray | None:
        """Returns the point with some parameters changed and others adapted; None if the result is not in the space."""
        x = self.base.copy()
        for index, value in change.items():
            x[index] = value
        for members, total in self._mixtures:
            _share_the_rest(x, members, total, change)
        x = self._activated(x)
        if any(math.isnan(x[index]) for index in change):
            return None
        try:
            self._space.check(x)
        except InvalidValueError:
            return None
        return x

    @cached_property
    def _mixtures(self) -> list[tuple[list[int], float]]:
        declared = json.loads(self._space.to_json()).get("mixtures", [])
        return [([self._space._core.index(name) for name in each["parameters"]], each["sum"]) for each in declared]

    def _activated(self, x: FloatArray) -> FloatArray:
        """Returns the point with a value for every active parameter, and NaN for every inactive one."""
        if self._space.is_box and not np.isnan(x).any():
            return x
        is_active = self._space._core.is_active
        before = None
        while before is None or not np.array_equal(before, np.isnan(x)):  # an activated parameter may activate others
            before = np.isnan(x)
            for each in self._parameters:
                if not is_active(x, each.index):
                    x[each.index] = math.nan
                elif math.isnan(x[each.index]):
                    x[each.index] = self._likely_value(each)
        return x

    def _likely_value(self, parameter: Parameter) -> float:
        values = self.x[self._nearest, parameter.index]
        known = values[~np.isnan(values)]
        return float(known[0]) if len(known) else parameter.middle


def _share_the_rest(x: FloatArray, members: list[int], total: float, change: Mapping[int, float]) -> None:
    """Changes the other parts of a mixture, which keep their proportions (the direction of Cox)."""
    others = [k for k in members if k not in change]
    if not others or len(others) == len(members):
        return
    rest = total - sum(x[k] for k in members if k in change)
    before = x[others].sum()
    x[others] = x[others] * (rest / before) if before > 0.0 else rest / len(others)


def _trials_of(source: Posterior | Study) -> Sequence[Trial | StudyTrial]:
    if isinstance(source, Study):
        return source.trials
    return [trial_of(source.space, each) for each in source._core.trials()]


def _recommended(source: Posterior | Study) -> Trial | StudyTrial | None:
    try:
        if isinstance(source, Study):
            return source.recommendation().trial
        return trial_of(source.space, source._core.recommendation()["trial"])
    except ConflictError:  # nothing told, or everything failed
        return None


def _measured(trial: Trial | StudyTrial, outcome: str | None) -> float:
    """Returns the value or the outcome of a trial, NaN if there is none."""
    value = trial.y if outcome is None else trial.outcomes.get(outcome)
    if isinstance(value, QuantityRecord):
        value = value.value
    return math.nan if value is None else value
