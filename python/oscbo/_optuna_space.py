"""Translates the search space of an Optuna study into spaces of oscbo.

Optuna's objectives ask for parameters while they run. The search space is therefore not declared but inferred from the
parameters of the trials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from ._arrays import FloatArray
from ._space import Categorical, Float, Int, Space, Value

#: The distributions of parameters, by name.
Distributions = Mapping[str, BaseDistribution]
#: The parameters of a trial by name. Parameters on which others may depend have their value, the others have None.
Shape = Mapping[str, Optional[int]]

#: Not every integer beyond this one is a double.
_LARGEST_INT = 2**53
#: No condition depends on an int with more values than this.
_MOST_VALUES_OF_A_PARENT = 100


def is_modelled(distribution: BaseDistribution) -> bool:
    """Whether the parameter has more than one value and its values can be represented by doubles."""
    if isinstance(distribution, IntDistribution) and max(-distribution.low, distribution.high) > _LARGEST_INT:
        return False
    return not distribution.single()


@dataclass(frozen=True)
class Condition:
    """A parameter exists if its parent has one of these values: integers, or positions of choices."""

    parent: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Parameter:
    name: str
    distribution: BaseDistribution
    condition: Condition | None = None

    @property
    def is_categorical(self) -> bool:
        return isinstance(self.distribution, CategoricalDistribution)

    def exists_with(self, numbers: Mapping[str, float]) -> bool:
        """Whether the parameter exists in a point. Parameters that do not exist there have no entry in ``numbers``."""
        return self.condition is None or numbers.get(self.condition.parent) in self.condition.values

    def declaration(self, when: Mapping[str, list[Value]] | None) -> dict[str, Any]:
        """Returns the parameter as oscbo declares it.

        Choices may be any objects, so their positions serve as names. A float with a step becomes an int, the number of
        the level, because low + k step may differ in the last digits from Optuna's k-th level.
        """
        distribution = self.distribution
        if isinstance(distribution, CategoricalDistribution):
            return Categorical([str(position) for position in range(len(distribution.choices))], when=when)
        if isinstance(distribution, IntDistribution):
            step = None if distribution.log else distribution.step
            return Int(distribution.low, distribution.high, log=distribution.log, step=step, when=when)
        if not isinstance(distribution, FloatDistribution):
            raise TypeError(f"{self.name}: {distribution} is a distribution that OscboSampler does not know")
        if distribution.step is not None:
            return Int(0, round((distribution.high - distribution.low) / distribution.step), when=when)
        return Float(distribution.low, distribution.high, log=distribution.log, when=when)

    def number(self, value: Any) -> float | None:
        """Returns the number that represents a value; None if the value is outside the distribution."""
        distribution = self.distribution
        try:
            internal = distribution.to_internal_repr(value)
        except ValueError:
            return None
        if not distribution._contains(internal):
            return None
        if isinstance(distribution, FloatDistribution) and distribution.step is not None:
            return float(round((internal - distribution.low) / distribution.step))
        return float(internal)

    def value(self, number: float) -> Any:
        """Returns the value that a number represents."""
        distribution = self.distribution
        if isinstance(distribution, FloatDistribution):
            if distribution.step is not None:
                number = distribution.low + number * distribution.step
            return min(max(number, distribution.low), distribution.high)
        return distribution.to_external_repr(number)


@dataclass(frozen=True)
class Block:
    """Parameters that are modelled together."""

    parameters: tuple[Parameter, ...]

    @property
    def names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    def space(self, outcomes: Sequence[str]) -> Space:
        """Returns the space of the block, with outcomes that must be at most 0.

        The parameters are numbered, because Optuna allows names that oscbo does not.
        """
        declarations = {
            number: parameter.declaration(self._when(parameter.condition))
            for number, parameter in zip(self._numbering.values(), self.parameters)
        }
        return Space(declarations, outcomes={name: {"upper": 0.0} for name in outcomes})

    def _when(self, condition: Condition | None) -> dict[str, list[Value]] | None:
        if condition is None:
            return None
        return {self._numbering[condition.parent]: [self._named(condition.parent, each) for each in condition.values]}

    @property
    def _numbering(self) -> dict[str, str]:
        return {name: str(number) for number, name in enumerate(self.names)}

    def _named(self, name: str, number: float) -> Value:
        """Returns a number as a value of the space; a category becomes its name."""
        parameter = next(each for each in self.parameters if each.name == name)
        return str(int(number)) if parameter.is_categorical else number

    def point(self, params: Mapping[str, Any]) -> FloatArray | None:
        """Returns the point with these values; None if a value is missing or outside the space."""
        numbers = self._numbers(params)
        x = [numbers.get(each.name) if each.exists_with(numbers) else math.nan for each in self.parameters]
        return None if None in x else np.array(x)

    def _numbers(self, params: Mapping[str, Any]) -> dict[str, float]:
        """Returns the numbers of the values of this block. Leaves out values outside their distribution."""
        found = {each.name: each.number(params[each.name]) for each in self.parameters if each.name in params}
        return {name: number for name, number in found.items() if number is not None}

    def given(self, params: Mapping[str, Any]) -> dict[str, Value]:
        """Returns the values of this block, by the names that its space uses."""
        return {self._numbering[name]: self._named(name, number) for name, number in self._numbers(params).items()}

    def params(self, x: FloatArray) -> dict[str, Any]:
        """Returns the values of a point, without parameters that do not exist there."""
        return {each.name: each.value(float(u)) for each, u in zip(self.parameters, x) if not math.isnan(u)}


class SeenSpace:
    """The search space, as far as ended trials have shown it."""

    def __init__(self) -> None:
        self._shapes: dict[frozenset[tuple[str, int | None]], Shape] = {}
        self._latest: dict[str, tuple[int, BaseDistribution]] = {}
        self._planned: tuple[int, Distributions, list[Block]] = (0, {}, [])

    def __bool__(self) -> bool:
        return bool(self._latest)

    def add(self, trial: FrozenTrial) -> None:
        shape = {name: _deciding_value(trial, name) for name in trial.distributions}
        self._shapes[frozenset(shape.items())] = shape
        for name, distribution in trial.distributions.items():
            if name not in self._latest or self._latest[name][0] < trial.number:
                self._latest[name] = (trial.number, distribution)

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        """The latest distributions of the parameters that are modelled."""
        latest = {name: distribution for name, (_, distribution) in sorted(self._latest.items())}
        return {name: distribution for name, distribution in latest.items() if is_modelled(distribution)}

    def blocks(self, distributions: Distributions) -> list[Block]:
        """Returns the blocks of the parameters. Computes them again only after a trial has shown something new."""
        if self._planned[:2] != (len(self._shapes), distributions):
            blocks = _blocks(list(self._shapes.values()), distributions)
            self._planned = (len(self._shapes), dict(distributions), blocks)
        return self._planned[2]


def _deciding_value(trial: FrozenTrial, name: str) -> int | None:
    distribution = trial.distributions[name]
    if isinstance(distribution, (CategoricalDistribution, IntDistribution)) and _may_be_a_parent(distribution):
        return int(distribution.to_internal_repr(trial.params[name]))
    return None


def _may_be_a_parent(distribution: BaseDistribution) -> bool:
    if isinstance(distribution, IntDistribution):
        return len(_values_of(distribution)) <= _MOST_VALUES_OF_A_PARENT
    return isinstance(distribution, CategoricalDistribution)


def _values_of(distribution: IntDistribution) -> range:
    return range(distribution.low, distribution.high + 1, distribution.step)


# --- which parameters belong together --------------------------------------------------------------


def _blocks(shapes: Sequence[Shape], distributions: Distributions) -> list[Block]:
    """Returns blocks in which each parameter exists always, or if its parent has certain values.

    A parameter joins the first block that explains in which trials the parameter was. If there is none, the parameter
    begins a new block. Parameters in many trials are placed first, so that parents come before their children.
    """
    presence = {
        name: frozenset(index for index, shape in enumerate(shapes) if name in shape) for name in distributions
    }
    drafts: list[_Draft] = []
    for name in sorted(distributions, key=lambda name: (-len(presence[name]), name)):
        if not any(draft.takes(name) for draft in drafts):
            drafts.append(_Draft(name, shapes, distributions, presence))
    return [draft.block() for draft in drafts]


class _Draft:
    """A block to which parameters are added."""

    def __init__(
        self,
        first: str,
        shapes: Sequence[Shape],
        distributions: Distributions,
        presence: Mapping[str, frozenset[int]],
    ) -> None:
        self._shapes = shapes
        self._distributions = distributions
        self._presence = presence
        self._first = first
        self._conditions: dict[str, Condition | None] = {first: None}

    def takes(self, name: str) -> bool:
        """Adds a parameter if the block explains in which trials the parameter is. Returns whether it was added."""
        if self._presence[name] == self._presence[self._first]:
            self._conditions[name] = None
            return True
        explanations = [each for parent in self._conditions if (each := self._explanation(parent, name))]
        if not explanations:
            return False
        # A parent with many values may separate the trials by chance, so the parent with the fewest is chosen.
        self._conditions[name] = min(explanations, key=lambda each: each[0])[1]
        return True

    def _explanation(self, parent: str, name: str) -> tuple[int, Condition] | None:
        """Returns a condition on a parent that holds exactly in the trials with this parameter; None if there is none.

        The first element of the pair is the number of values of the parent that were seen.
        """
        distribution = self._distributions[parent]
        child_is, parent_is = self._presence[name], self._presence[parent]
        if not (_may_be_a_parent(distribution) and frozenset() < child_is < parent_is):
            return None
        inside = self._values(parent, child_is)
        outside = self._values(parent, parent_is - child_is)
        if inside & outside or None in inside | outside:
            return None
        values = _generalised(distribution, inside, outside)
        return (len(inside | outside), Condition(parent, values)) if values else None

    def _values(self, name: str, trials: Iterable[int]) -> set[Any]:
        return {self._shapes[index][name] for index in trials}

    def block(self) -> Block:
        conditions = sorted(self._conditions.items(), key=lambda item: item[0])
        return Block(tuple(Parameter(name, self._distributions[name], condition) for name, condition in conditions))


def _generalised(distribution: BaseDistribution, inside: set[int], outside: set[int]) -> tuple[int, ...]:
    """Returns the parent's values with which a child exists.

    For an int parent, these are all values from a threshold on, or all values up to a threshold.
    """
    if not isinstance(distribution, IntDistribution):
        return tuple(sorted(inside))
    values = _values_of(distribution)
    if min(inside) > max(outside):
        return tuple(value for value in values if value >= min(inside))
    if max(inside) < min(outside):
        return tuple(value for value in values if value <= max(inside))
    return ()
