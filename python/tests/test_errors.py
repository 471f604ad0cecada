"""One exception for each error code."""

import pickle

import pytest

import oscbo
from oscbo import _core, errors


def test_every_code_has_its_class():
    kinds = {kind.code: kind for kind in errors.Error.__subclasses__()}
    assert sorted(kinds) == sorted(_core.error_codes())
    for code in _core.error_codes():
        error = errors.make_error(code, "field", "message")
        assert type(error) is kinds[code]
        assert (error.code, error.field, error.message, str(error)) == (code, "field", "message", "field: message")


def test_they_are_what_python_would_raise():
    assert issubclass(errors.InvalidValueError, ValueError)
    assert issubclass(errors.UnknownNameError, LookupError)
    assert issubclass(errors.StorageError, OSError)
    assert issubclass(errors.ConflictError, RuntimeError)
    with pytest.raises(oscbo.Error):
        oscbo.Optimizer([(0, 1)], method="none")


@pytest.mark.parametrize("code", _core.error_codes())
def test_they_can_be_pickled(code):
    error = pickle.loads(pickle.dumps(errors.make_error(code, "field", "message")))
    assert (error.code, error.field, error.message) == (code, "field", "message")


def test_without_a_field_there_is_only_the_message():
    assert str(errors.UsageError("", "message")) == "message"
