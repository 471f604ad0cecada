"""The examples of docstrings and documents do what they say."""

import doctest
import importlib

import pytest

MODULES = ["oscbo", "oscbo.bench", "oscbo.errors"] + [
    f"oscbo._{name}" for name in ("history", "minimize", "optimizer", "records", "space", "study")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    failures, tried = doctest.testmod(importlib.import_module(name))
    assert failures == 0
    assert tried > 0
