"""The examples of docstrings and documents do what they say."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MODULES = ["oscbo", "oscbo.bench", "oscbo.errors", "oscbo.optuna", "oscbo.plot"] + [
    f"oscbo._{name}" for name in ("history", "minimize", "optimizer", "records", "space", "study")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    failures, tried = doctest.testmod(importlib.import_module(name))
    assert failures == 0
    assert tried > 0


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_documents(document, tmp_path, monkeypatch):
    """The blocks of a document follow one another, as if they were typed into one session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (ROOT / document).read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert blocks
    names = {"__name__": "__main__"}
    for block in blocks:
        first_line = text.count("\n", 0, block.start(1))
        code = compile("\n" * first_line + block[1], document, "exec")
        exec(code, names)
