"""Methods whose model is a network: pfn, and tabicl with a file of weights."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import oscbo
from oscbo import Optimizer, Study
from oscbo.errors import InvalidValueError, StorageError

SPACE = {"a": (-2.0, 2.0), "kind": oscbo.Categorical(["low", "high"])}

SMALL = ["embed_dim=16", "num_quantiles=9", "col_num_inds=4", "icl_num_blocks=2", "row_num_cls=2"]


def measure(params):
    return (params["a"] - 1.0) ** 2 + (params["kind"] == "low")


def write_weights(file, *changes):
    script = Path(__file__).resolve().parents[2] / "scripts" / "random-weights"
    subprocess.run([sys.executable, script, file, *SMALL, *changes], check=True, capture_output=True)


@pytest.fixture
def weights(tmp_path):
    """A file of small random weights."""
    file = tmp_path / "random.safetensors"
    write_weights(file)
    return file


def test_a_network_has_no_lengthscales(tmp_path):
    study = Study.create("net", SPACE, storage=tmp_path / "s.db", goal="minimize", budget=14, seed=2, method="pfn")
    result = study.optimize(measure)
    assert study.trials[-1].prediction.lengthscales == ()
    assert np.isnan(result.history.lengthscales).all()
    importance = study.importance()
    assert importance["a"] > importance["kind"] > 0


def test_tabicl_takes_its_weights_from_a_file(weights, monkeypatch, tmp_path):
    monkeypatch.delenv("OSCBO_TABICL_WEIGHTS", raising=False)
    by_option = Optimizer(SPACE, method="tabicl", options={"tabicl.weights": weights})
    monkeypatch.setenv("OSCBO_TABICL_WEIGHTS", str(weights))
    by_variable = Optimizer(SPACE, method="tabicl")
    for _ in range(12):
        first, second = by_option.ask(), by_variable.ask()
        assert first.params == second.params
        by_option.tell(first, measure(first.params))
        by_variable.tell(second, measure(second.params))

    saved = pickle.dumps(by_variable)
    assert pickle.loads(saved).ask().params == by_variable.ask().params
    other = tmp_path / "other.safetensors"
    write_weights(other, "ff_factor=3")
    weights.rename(tmp_path / "moved.safetensors")
    monkeypatch.setenv("OSCBO_TABICL_WEIGHTS", str(other))
    with pytest.raises(InvalidValueError, match="tabicl.sha256"):
        pickle.loads(saved)
    monkeypatch.setenv("OSCBO_TABICL_WEIGHTS", str(tmp_path / "moved.safetensors"))
    assert len(pickle.loads(saved).trials) == 12


def test_a_study_of_tabicl_pins_its_weights(weights, monkeypatch, tmp_path):
    monkeypatch.setenv("OSCBO_TABICL_WEIGHTS", str(weights))
    study = Study.create("t", SPACE, storage=tmp_path / "s.db", budget=12, method="tabicl")
    study.optimize(measure)
    assert study.verify() == []
    monkeypatch.setenv("OSCBO_TABICL_WEIGHTS", str(tmp_path / "nothing"))
    with pytest.raises(StorageError, match="there is no file"):
        Study.create("u", SPACE, storage=tmp_path / "s.db", method="tabicl")
