"""Types are true: of the package, and of the stub that stands for the compiled part."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import oscbo

mypy = pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, **options):
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path):
    run("mypy", "--cache-dir", str(tmp_path), cwd=ROOT)
    assert Path(oscbo.__file__).with_name("py.typed").exists()


def test_the_stub_is_what_was_compiled(tmp_path):
    # pybind11's classes have a metaclass of their own, and an __init__ that takes anything where there is none.
    classes = re.findall(r"^class (\w+)", Path(oscbo._core.__file__).with_name("_core.pyi").read_text(), re.M)
    allowed = tmp_path / "allowed"
    allowed.write_text("".join(f"oscbo._core.{name}\noscbo._core.{name}.__init__\n" for name in classes))
    run("mypy.stubtest", "oscbo._core", "--allowlist", str(allowed), "--ignore-unused-allowlist")


@pytest.mark.parametrize("name", ["Prediction", "Feedback", "QuantityRecord"])
def test_a_record_has_the_fields_of_the_library(name):
    declared = {each.name: each.type for each in dataclasses.fields(getattr(oscbo, name))}
    assert declared == oscbo._core.record_fields()[name]


@pytest.mark.parametrize("name", ["Suggestion", "Trial"])
def test_points_have_the_fields_of_the_library_and_their_parameters_by_name(name):
    names = {each.name for each in dataclasses.fields(getattr(oscbo, name))}
    assert names == oscbo._core.record_fields()[name].keys() | {"params"}


def test_a_trial_of_a_study_has_the_fields_of_the_library():
    names = {each.name for each in dataclasses.fields(oscbo.StudyTrial)}
    known = {"id" if name == "number" else name for name in oscbo._core.record_fields()["StudyTrial"]}
    derived = {"params", "outcome_predictions", "is_acceptable", "covered"}
    assert names == known | derived
