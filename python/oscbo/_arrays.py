"""Conversion of user input to numbers for the library."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidValueError

FloatArray = NDArray[np.float64]


#: The largest n such that a double represents every integer in [-n, n].
LARGEST_WHOLE = 2**53


def number(value: Any, field: str) -> float:
    """Returns a real number; accepts an array of one element."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, (numbers.Real, Decimal, np.bool_)):
        try:
            return float(value)
        except OverflowError:
            return -math.inf if value < 0 else math.inf
    raise InvalidValueError(field, f"{shown(value)} is not accepted; use a real number")


def finite(value: Any, field: str) -> float:
    """Returns a real number that is neither infinite nor NaN."""
    result = number(value, field)
    if math.isfinite(result):
        return result
    accepted = "a number that a double can hold" if isinstance(value, int) else "a finite number"
    raise InvalidValueError(field, f"{shown(value)} is not accepted; use {accepted}")


def whole(value: Any, field: str, least: int = -LARGEST_WHOLE, most: int = LARGEST_WHOLE) -> int:
    """Returns an integer; accepts 3.0, but not True."""
    is_truth = isinstance(value, (bool, np.bool_))
    if is_truth or not number(value, field).is_integer() or not least <= value <= most:
        accepted = "an integer" + ("" if least == -LARGEST_WHOLE else f" in [{least}, {most}]")
        raise InvalidValueError(field, f"{shown(value)} is not accepted; use {accepted}")
    return int(value)


def text(value: Any, field: str) -> str:
    """Returns a string that can be stored."""
    if not isinstance(value, str):
        raise InvalidValueError(field, f"{shown(value)} is not accepted; use a string")
    return value.encode("utf-8", "backslashreplace").decode()  # lone surrogates are not valid UTF-8


def table(values: Any, columns: int, field: str) -> FloatArray:
    """Returns an array of points, one per row."""
    array = _real(values, field)
    if array.ndim != 2 or array.shape[1] != columns:
        raise InvalidValueError(field, f"has the shape {array.shape}; use (n, {columns})")
    return array


def vector(values: Any, size: int, field: str) -> FloatArray:
    """Returns an array with one axis."""
    array = _real(values, field)
    if array.shape != (size,):
        raise InvalidValueError(field, f"has the shape {array.shape}; use ({size},)")
    return array


def _real(values: Any, field: str) -> FloatArray:
    """Returns a float64 array in C order; copies only if the input is not such an array."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub":
        raise InvalidValueError(field, "is not accepted; use an array of real numbers")
    return np.asarray(array, dtype=np.float64, order="C")


def counted(count: int, noun: str) -> str:
    """Returns a count with its noun: "1 point", "2 points"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def shown(value: Any) -> str:
    """Returns a short description of a value for messages."""
    try:
        described = repr(value)
    except ValueError:  # Python prints no int of more than 4300 digits
        described = f"an {type(value).__name__} with too many digits to show"
    return described if len(described) <= 60 else described[:57] + "..."
