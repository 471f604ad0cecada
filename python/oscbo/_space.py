"""Search spaces."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _arrays, _core
from ._arrays import FloatArray
from .errors import InvalidValueError

#: A value of a parameter in the user's units.
Value = Union[float, int, bool, str]
#: A point by the names of its parameters; inactive parameters are left out.
Params = Mapping[str, Any]

Condition = Mapping[str, Union[Value, Iterable[Value]]]

#: The compiled part stores a fixed value as a string unless it is a number.
_TRUTHS = {"true": True, "false": False}


def _declared(kind: str, **fields: Any) -> dict[str, Any]:
    """Returns the fields that are not None, as in JSON."""
    return {"type": kind, **{name: value for name, value in fields.items() if value is not None}}


def Float(
    lower: float, upper: float, *, log: bool = False, step: float | None = None, when: Condition | None = None
) -> dict[str, Any]:
    """A real parameter; ``log`` makes its scale logarithmic, ``step`` restricts it to evenly spaced levels.

    >>> Float(1e-5, 0.1, log=True)
    {'type': 'float', 'lower': 1e-05, 'upper': 0.1, 'log': True}
    """
    return _declared("float", lower=lower, upper=upper, log=log or None, step=step, when=when)


def Int(
    lower: int, upper: int, *, log: bool = False, step: int | None = None, when: Condition | None = None
) -> dict[str, Any]:
    """An integer parameter.

    >>> Int(1, 8, when={"solvent": ["water", "ethanol"]})
    {'type': 'int', 'lower': 1, 'upper': 8, 'when': {'solvent': ['water', 'ethanol']}}
    """
    return _declared("int", lower=lower, upper=upper, log=log or None, step=step, when=when)


def Ordinal(values: Iterable[float] | Iterable[str], *, when: Condition | None = None) -> dict[str, Any]:
    """Ordered values, numbers or names: ``Ordinal([16, 32, 64])``."""
    return _declared("ordinal", values=_levels("ordinal", plain(values, "values"), "values"), when=when)


def Categorical(values: Iterable[str], *, when: Condition | None = None) -> dict[str, Any]:
    """Names without an order: ``Categorical(["water", "ethanol"])``."""
    return _declared("categorical", values=_levels("categorical", plain(values, "values"), "values"), when=when)


def Bool(*, when: Condition | None = None) -> dict[str, Any]:
    """True or False."""
    return _declared("bool", when=when)


def Fixed(value: Value, *, when: Condition | None = None) -> dict[str, Any]:
    """A parameter with a fixed value: a number, a string, True or False."""
    if isinstance(value, str) and value in _TRUTHS:
        raise InvalidValueError("value", f"{value!r} is not accepted; use {_TRUTHS[value]}, or another string")
    return {**_declared("fixed", when=when), "value": value}


def json_of(declaration: Mapping[str, Any]) -> str:
    """Returns a declaration as JSON; numbers round-trip."""
    return json.dumps(plain(declaration))


def plain(value: Any, field: str = "") -> Any:
    """Returns a value as plain data for JSON: NumPy numbers become Python numbers, and iterables become lists."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)):
        _arrays.finite(value, field)
        return value
    if isinstance(value, Mapping):
        return {_name(key, field): plain(each, f"{field}.{key}" if field else key) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        value = _ordered(value)  # the order of a set differs between processes
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [plain(each, f"{field}[{position}]") for position, each in enumerate(value)]
    raise InvalidValueError(field, f"{_arrays.shown(value)} is neither a number nor a string")


def _ordered(values: Iterable[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:  # values of several types
        return sorted(values, key=repr)


def _name(key: Any, field: str) -> str:
    if not isinstance(key, str):
        raise InvalidValueError(field, f"{_arrays.shown(key)} is not accepted; names must be strings")
    return key


class Space:
    """A search space: parameters, constraints and outcomes; see docs/spaces.md.

    Args:
        parameters: by name, each made by :func:`Float`, :func:`Int`, :func:`Ordinal`, :func:`Categorical`,
            :func:`Bool` or :func:`Fixed`, or the same as a dictionary. A pair of numbers is a ``Float``.
        mixtures: groups of parameters that sum to a constant, ``{"parameters": ["a", "b"], "sum": 1}``.
        constraints: linear inequalities, ``"2 a + b <= 3"``.
        outcomes: quantities measured besides the value, with their limits:
            ``{"cost": {"upper": 30}}``.

    >>> space = Space({
    ...     "temperature": Float(20, 120),
    ...     "stages": Int(1, 8),
    ...     "solvent": Categorical(["water", "ethanol"]),
    ... }, constraints=["temperature + 5 stages <= 140"])
    >>> x = space.point({"temperature": 80, "stages": 3, "solvent": "ethanol"})
    >>> x
    array([80.,  3.,  1.])
    >>> space.params(x)
    {'temperature': 80.0, 'stages': 3, 'solvent': 'ethanol'}
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        *,
        mixtures: Sequence[Mapping[str, Any]] = (),
        constraints: Sequence[str] = (),
        outcomes: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        if not isinstance(parameters, Mapping):
            raise InvalidValueError("parameters", "is not accepted; use a dictionary of parameters by name")
        declared = {name: _parameter(each, f"parameters.{name}") for name, each in parameters.items()}
        text = json_of(
            {
                "parameters": declared,
                "mixtures": _listed(mixtures, "mixtures", "dictionaries"),
                "constraints": _listed(constraints, "constraints", "strings"),
                "outcomes": {} if outcomes is None else outcomes,
            }
        )
        self._hold(_core.Space.from_json(text), declared)

    @classmethod
    def box(cls, bounds: Any) -> Space:
        """Returns the space of real parameters x1, x2, ... within bounds: pairs, an (n, 2) array or SciPy's ``Bounds``.

        >>> Space.box([(-5, 10), (0, 15)]).names
        ['x1', 'x2']
        """
        if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # scipy.optimize.Bounds
            bounds = np.stack(np.broadcast_arrays(bounds.lb, bounds.ub), axis=-1)
        pairs = _arrays.table(bounds, 2, "bounds")
        return cls._of(_core.Space.of_box([(lower, upper) for lower, upper in pairs.tolist()]))

    @classmethod
    def from_json(cls, text: str) -> Space:
        """Returns the space declared by JSON text as written by :meth:`to_json`."""
        core = _core.Space.from_json(_arrays.text(text, "text"))
        declared = json.loads(text)["parameters"]
        return cls._of(core, {name: _parameter(each, f"parameters.{name}") for name, each in declared.items()})

    @classmethod
    def _of(cls, core: _core.Space, declared: Mapping[str, Any] | None = None) -> Space:
        space = cls.__new__(cls)
        space._hold(core, declared or json.loads(core.to_json())["parameters"])
        return space

    def _hold(self, core: _core.Space, declared: Mapping[str, Any]) -> None:
        self._core = core
        self._names = core.names
        self._kinds = core.kinds
        self._is_box = core.is_box
        self._named = [core.has_names(k) for k in range(len(self._names))]
        self._whole = [_is_whole(declared[name]) for name in self._names]
        # The compiled part does not distinguish True from a string, nor 7 from 7.0.
        fixed = {name: each["value"] for name, each in declared.items() if each["type"] == "fixed"}
        self._fixed: dict[str, Value] = {name: _TRUTHS.get(value, value) for name, value in fixed.items()}

    def to_json(self) -> str:
        """Returns JSON text for :meth:`from_json`."""
        declaration = json.loads(self._core.to_json())
        for name, value in self._fixed.items():
            declaration["parameters"][name]["value"] = value
        return json.dumps(declaration, indent=2, ensure_ascii=False)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Space.from_json, (self.to_json(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {kind}" for name, kind in zip(self._names, self._kinds))
        return f"<oscbo.Space {kinds}>"

    def __len__(self) -> int:
        return len(self._names)

    @property
    def names(self) -> list[str]:
        """The parameter names, in the order of a point's coordinates."""
        return list(self._names)

    @property
    def outcomes(self) -> list[str]:
        """The quantities measured besides the value."""
        return self._core.outcomes

    @property
    def bounds(self) -> FloatArray:
        """The bounds of each parameter, as an (n, 2) array."""
        return self._core.bounds

    @property
    def is_box(self) -> bool:
        """Whether every parameter takes any real number within its bounds, regardless of the others."""
        return self._is_box

    # --- points ----------------------------------------------------------------------------------

    def point(self, params: Params) -> FloatArray:
        """Returns the coordinates of a point, NaN for inactive parameters."""
        x = np.full(len(self), math.nan)
        for name, value in params.items():
            if value is not None:
                k = self._index(name)
                x[k] = self._number(k, value)
        missing = [name for k, name in enumerate(self._names) if math.isnan(x[k]) and self._core.is_active(x, k)]
        if missing:
            raise InvalidValueError("point", f"has no value for {', '.join(missing)}")
        return x

    def params(self, x: Any) -> dict[str, Value]:
        """Returns the values of the active parameters of a point by name."""
        numbers = _arrays.vector(x, len(self), "x")
        return {
            name: self._value(k, numbers[k])
            for k, name in enumerate(self._names)
            if self._is_box or self._core.is_active(numbers, k)
        }

    def check(self, x: Any) -> None:
        """Raises :class:`oscbo.errors.InvalidValueError` unless x is a point of the space."""
        self._core.check(self._numbers(x), "x")

    def _numbers(self, x: Any, field: str = "x") -> FloatArray:
        """Returns the coordinates of a point given by names or by numbers."""
        return self.point(x) if isinstance(x, Mapping) else _arrays.vector(x, len(self), field)

    def _table(self, X: Any) -> FloatArray:
        """Returns points that are given as an array with one point per row, or as a sequence of dictionaries."""
        if isinstance(X, Sequence) and X and all(isinstance(params, Mapping) for params in X):
            return np.stack([self.point(params) for params in X])
        return _arrays.table(X, len(self), "X")

    def _index(self, name: Any) -> int:
        return self._core.index(_name(name, "parameter"))

    def _number(self, k: int, value: Any) -> float:
        if self._kinds[k] == "fixed" and self._named[k] and isinstance(value, (bool, np.bool_)):
            value = str(value).lower()
        if isinstance(value, str):
            return self._core.value(k, value)
        if self._named[k]:
            raise InvalidValueError(self._names[k], f"{value!r} is not accepted; use one of its names")
        return _arrays.number(value, self._names[k])

    def _value(self, k: int, value: float) -> Value:
        if self._kinds[k] == "fixed":
            return self._fixed[self._names[k]]
        if self._named[k]:
            return self._core.text(k, value)
        if self._kinds[k] == "bool":
            return bool(value)
        return round(value) if self._whole[k] else float(value)

    def _given(self, given: Params | None) -> dict[str, float]:
        return {name: self._number(self._index(name), value) for name, value in by_name(given, "given").items()}

    def _outcome_index(self, outcome: str | None) -> int | None:
        """Returns the index of an outcome, or None for the value."""
        if outcome is None:
            return None
        if outcome not in self.outcomes:
            raise InvalidValueError("outcome", f"{outcome!r} is not accepted; the space has {self.outcomes}")
        return self.outcomes.index(outcome)

    def _outcomes(self, outcomes: Mapping[str, float] | None) -> list[float]:
        """Returns the measured outcomes in the order of the space."""
        given = by_name(outcomes, "outcomes")
        if set(given) != set(self.outcomes):
            raise InvalidValueError("outcomes", f"{sorted(given)} were given; use {self.outcomes}")
        return [_arrays.finite(given[name], f"outcomes.{name}") for name in self.outcomes]


def by_name(values: Mapping[str, Any] | None, field: str) -> dict[str, Any]:
    """Returns values by name; None stands for an empty dictionary."""
    if not isinstance(values, (Mapping, type(None))):
        raise InvalidValueError(field, f"{_arrays.shown(values)} is not accepted; use a dictionary by name")
    return dict(values or {})


def _is_whole(declaration: Mapping[str, Any]) -> bool:
    """Returns whether all values of a parameter are integers."""
    levels = declaration.get("values", [])
    numbers = all(isinstance(level, (int, float)) and float(level).is_integer() for level in levels)
    return declaration["type"] == "int" or (declaration["type"] == "ordinal" and numbers)


def _listed(values: Any, field: str, elements: str) -> list[Any]:
    """Returns a list. Refuses a single string, which would be split into characters."""
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise InvalidValueError(field, f"{_arrays.shown(values)} is not accepted; use a list of {elements}")
    return list(values)


def _parameter(declaration: Any, field: str) -> dict[str, Any]:
    """Returns a declaration as plain data whose values round-trip."""
    declared = plain(declaration, field)
    if isinstance(declared, list) and len(declared) == 2 and all(map(_is_number, declared)):
        return Float(*declared)
    if not isinstance(declared, dict):
        advice = "use oscbo.Float and the like, or a pair of bounds"
        raise InvalidValueError(field, f"{_arrays.shown(declaration)} is not accepted; {advice}")
    for name in ("lower", "upper", "step"):
        if name in declared and not _is_number(declared[name]):
            shown = _arrays.shown(declared[name])
            raise InvalidValueError(f"{field}.{name}", f"{shown} is not accepted; use a real number")
    if "values" in declared:
        _levels(declared.get("type"), declared["values"], f"{field}.values")
    return declared


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _levels(kind: Any, values: Any, field: str) -> Any:
    """Returns the values of an ordinal or categorical parameter. Refuses values that would not round-trip."""
    several = values if isinstance(values, list) else [None]
    are_texts = all(isinstance(value, str) for value in several)
    if kind == "categorical" and not are_texts:
        advice = "use a list of strings; Ordinal takes numbers, Bool is for True and False"
        raise InvalidValueError(field, f"{_arrays.shown(values)} is not accepted; {advice}")
    if kind == "ordinal" and not are_texts and not all(map(_is_number, several)):
        advice = "use a list of numbers or a list of strings; Bool is for True and False"
        raise InvalidValueError(field, f"{_arrays.shown(values)} is not accepted; {advice}")
    return values


def as_space(space: Any) -> Space:
    """Returns a space from a Space, from parameters by name, or from the bounds of a box."""
    if isinstance(space, Space):
        return space
    return Space(space) if isinstance(space, Mapping) else Space.box(space)
