"""Exceptions of oscbo: one class per error code of the library and the command line.

Each class also derives from the matching built-in exception, so ``except ValueError`` works as well:

>>> import oscbo
>>> try:
...     oscbo.Optimizer([(1.0, 0.0)])
... except ValueError as error:
...     print(error.code, "|", error)
invalid_value | bounds[0]: lower 1 must be below upper 0
"""

from __future__ import annotations

__all__ = [
    "Error",
    "UsageError",
    "InvalidValueError",
    "UnknownNameError",
    "ConflictError",
    "ExhaustedError",
    "StorageError",
    "InterruptedRunError",
    "InternalError",
]


class Error(Exception):
    """The base class of all errors. A refused call has no effect.

    Attributes:
        code: the error code, e.g. ``"invalid_value"``.
        field: the refused argument, e.g. ``"bounds[2]"``; may be empty.
        message: why the argument was refused.
    """

    code = ""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.field, self.message)


class UsageError(Error, TypeError):
    """A call could not be understood."""

    code = "usage"


class InvalidValueError(Error, ValueError):
    """A field holds a value that is not accepted."""

    code = "invalid_value"


class UnknownNameError(Error, LookupError):
    """There is no such task, method, option, study or trial."""

    code = "unknown_name"


class ConflictError(Error, RuntimeError):
    """The request contradicts existing data."""

    code = "conflict"


class ExhaustedError(Error, RuntimeError):
    """No new point is left or could be found."""

    code = "exhausted"


class StorageError(Error, OSError):
    """A file could not be read or written."""

    code = "io"


class InterruptedRunError(Error, RuntimeError):
    """Stopped by the user; finished work is kept."""

    code = "interrupted"


class InternalError(Error, RuntimeError):
    """A bug in oscbo itself."""

    code = "internal"


_BY_CODE = {kind.code: kind for kind in Error.__subclasses__()}


def make_error(code: str, field: str, message: str) -> Error:
    """Returns the exception for an error of the library."""
    return _BY_CODE[code](field, message)
