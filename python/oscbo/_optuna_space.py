"""The search space of an Optuna study, as spaces of oscbo.

Optuna's objectives ask for parameters while they run, so the space is what the trials have shown of it.
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

#: By the names of the parameters.
Distributions = Mapping[str, BaseDistribution]
#: The parameters of a trial, with the values of those on which others may depend.
Shape = Mapping[str, Optional[int]]

#: Whole numbers beyond it are no doubles of their own.
_LARGEST_INT = 2**53
#: An int with more values than this decides about no other parameter.
_MOST_VALUES_OF_A_PARENT = 100


def is_modelled(distribution: BaseDistribution) -> bool:
    """Whether there is something to choose, and numbers can stand for it."""
    if isinstance(distribution, IntDistribution) and max(-distribution.low, distribution.high) > _LARGEST_INT:
        return False
    return not distribution.single()


@dataclass(frozen=True)
class Condition:
    """A parameter exists where its parent has one of these values: whole numbers, or positions of choices."""

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
        """Whether it exists in a point; a parent that does not has no number there."""
        return self.condition is None or numbers.get(self.condition.parent) in self.condition.values

    def declaration(self, when: Mapping[str, list[Value]] | None) -> dict[str, Any]:
        """Returns the parameter as oscbo declares it.

        Choices are named by their positions, since they may be any objects. Floats with a step are numbered, since
        low + k step differs from what Optuna takes for the k-th level in the last digits.
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
        """Returns the number that stands for a value; None for one outside of the distribution."""
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
        """Returns the value that a number stands for."""
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
        """Returns the space of the block, with outcomes that have to be 0 at most.

        Its parameters are numbered, since Optuna allows names that oscbo does not.
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
        """A number as the space has it: a category has a name."""
        parameter = next(each for each in self.parameters if each.name == name)
        return str(int(number)) if parameter.is_categorical else number

    def point(self, params: Mapping[str, Any]) -> FloatArray | None:
        """Returns the point that values make; None where some are missing or outside of the space."""
        numbers = self._numbers(params)
        x = [numbers.get(each.name) if each.exists_with(numbers) else math.nan for each in self.parameters]
        return None if None in x else np.array(x)

    def _numbers(self, params: Mapping[str, Any]) -> dict[str, float]:
        """Returns the numbers of those values that are of this block and within it."""
        found = {each.name: each.number(params[each.name]) for each in self.parameters if each.name in params}
        return {name: number for name, number in found.items() if number is not None}

    def given(self, params: Mapping[str, Any]) -> dict[str, Value]:
        """Returns values as the space has them."""
        return {self._numbering[name]: self._named(name, number) for name, number in self._numbers(params).items()}

    def params(self, x: FloatArray) -> dict[str, Any]:
        """Returns the values of a point, without those of parameters that do not exist there."""
        return {each.name: each.value(float(u)) for each, u in zip(self.parameters, x) if not math.isnan(u)}


class SeenSpace:
    """What ended trials have shown of the search space."""

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
        """The parameters among which there is something to choose, as they were asked for last."""
        latest = {name: distribution for name, (_, distribution) in sorted(self._latest.items())}
        return {name: distribution for name, distribution in latest.items() if is_modelled(distribution)}

    def blocks(self, distributions: Distributions) -> list[Block]:
        """Returns the blocks that parameters fall into; plans again only after a trial has shown something new."""
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


# --- which parameters go together ------------------------------------------------------------------


def _blocks(shapes: Sequence[Shape], distributions: Distributions) -> list[Block]:
    """Returns blocks in which a parameter exists always, or where a parent has certain values.

    A parameter joins the first block that explains in which trials it was, and begins one of its own if none
    does. Those in many trials come first, so that parents come before their children.
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
        """Adds a parameter if the block explains in which trials it is."""
        if self._presence[name] == self._presence[self._first]:
            self._conditions[name] = None
            return True
        explanations = [each for parent in self._conditions if (each := self._explanation(parent, name))]
        if not explanations:
            return False
        # Many values tell two sets of trials apart by chance, few do not.
        self._conditions[name] = min(explanations, key=lambda each: each[0])[1]
        return True

    def _explanation(self, parent: str, name: str) -> tuple[int, Condition] | None:
        """The condition on a parent that holds in the trials with this parameter, and in no others.

        Before it stands the number of values of the parent that were seen.
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
    """The values with which a child exists. Ints, as a number of layers, decide by a threshold only."""
    if not isinstance(distribution, IntDistribution):
        return tuple(sorted(inside))
    values = _values_of(distribution)
    if min(inside) > max(outside):
        return tuple(value for value in values if value >= min(inside))
    if max(inside) < min(outside):
        return tuple(value for value in values if value <= max(inside))
    return ()
