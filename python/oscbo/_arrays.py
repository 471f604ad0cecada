"""What users give, as numbers that the library takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidValueError

FloatArray = NDArray[np.float64]


def number(value: Any, field: str) -> float:
    """Returns a real number, also one that comes as an array of one element."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "fiub":
        raise InvalidValueError(field, f"{_shown(value)} is not accepted; use a real number")
    return float(array.item())


def finite(value: Any, field: str) -> float:
    """Returns a real number that is neither infinite nor NaN."""
    result = number(value, field)
    if not math.isfinite(result):
        raise InvalidValueError(field, f"{result} is not accepted; use a finite number")
    return result


def whole(value: Any, field: str, least: int | None = None) -> int:
    """Returns a whole number; 3.0 is one, True is not."""
    is_truth = isinstance(value, (bool, np.bool_))
    if is_truth or not number(value, field).is_integer() or (least is not None and value < least):
        accepted = "a whole number" + ("" if least is None else f" from {least} on")
        raise InvalidValueError(field, f"{_shown(value)} is not accepted; use {accepted}")
    return int(value)


def table(values: Any, columns: int, field: str) -> FloatArray:
    """Returns an array of points, one in a row."""
    array = _real(values, field)
    if array.ndim != 2 or array.shape[1] != columns:
        raise InvalidValueError(field, f"has the shape {array.shape}; (n, {columns}) is needed")
    return array


def vector(values: Any, size: int, field: str) -> FloatArray:
    """Returns an array with one axis."""
    array = _real(values, field)
    if array.shape != (size,):
        raise InvalidValueError(field, f"has the shape {array.shape}; ({size},) is needed")
    return array


def _real(values: Any, field: str) -> FloatArray:
    """Float64 in the order of C, which is no copy of an array that is one already."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub":
        raise InvalidValueError(field, "is not accepted; use an array of real numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
