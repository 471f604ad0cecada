"""Stored studies."""

import math
import pickle
from datetime import datetime, timezone

import numpy as np
import pytest

import oscbo
from oscbo import Study
from oscbo.errors import ConflictError, InvalidValueError, StorageError, UnknownNameError

SPACE = {"a": (-2.0, 2.0), "kind": oscbo.Categorical(["low", "high"])}


def measure(params):
    return (params["a"] - 1.0) ** 2 + (params["kind"] == "low")


@pytest.fixture
def storage(tmp_path):
    return tmp_path / "studies.db"


@pytest.fixture
def study(storage):
    return Study.create("ridge", SPACE, storage=storage, goal="minimize", budget=14, seed=2)


def test_optimises_a_function_of_python(study, storage):
    result = study.optimize(measure)
    assert result.nfev == 14
    assert result.message == "the budget is used up"
    assert result.params["kind"] == "high"
    assert result.fun == measure(result.params) == result.history.y.min()
    assert result.calibration.predictions == 4
    assert study.counts() == {"pending": 0, "complete": 14, "failed": 0, "abandoned": 0}
    assert Study("ridge", storage=storage).trials == study.trials
    assert study.verify() == []


def test_a_network_can_be_the_model(storage):
    study = Study.create("network", SPACE, storage=storage, goal="minimize", budget=14, seed=2, method="pfn")
    result = study.optimize(measure)
    assert result.calibration.predictions == 4
    assert result.params["kind"] == "high"
    assert Study("network", storage=storage).verify() == []


def test_a_network_without_weights_is_no_study(storage, monkeypatch):
    monkeypatch.delenv("OSCBO_TABICL_WEIGHTS", raising=False)
    with pytest.raises(InvalidValueError, match="python3 -m oscbo.tabicl_convert FILE.ckpt"):
        Study.create("network", SPACE, storage=storage, method="tabicl")
    with pytest.raises(UnknownNameError, match="network"):
        Study("network", storage=storage)


def test_goes_on_where_another_left_off(study, storage):
    study.optimize(measure, evaluations=11)
    result = Study("ridge", storage=storage).optimize(measure)
    assert result.nfev == 14
    alone = Study.create("alone", SPACE, storage=storage, goal="minimize", budget=14, seed=2).optimize(measure)
    assert np.array_equal(alone.history.x, result.history.x)


def test_is_the_same_as_an_optimizer(study):
    optimizer = oscbo.Optimizer(SPACE, goal="minimize", budget=14, seed=2)
    for _ in range(14):
        ours, theirs = study.ask(), optimizer.ask()
        assert ours.params == theirs.params
        assert ours.prediction == theirs.prediction
        study.tell(ours, measure(ours.params))
        optimizer.tell(theirs, measure(theirs.params))
    assert np.array_equal(study.calibration().pit, optimizer.calibration().pit)
    grid = [{"a": 0.5, "kind": "low"}, {"a": 1.0, "kind": "high"}]
    assert np.array_equal(study.predict(grid).mean, optimizer.predict(grid).mean)


def test_telling_by_suggestion_number_and_point(study):
    suggestion = study.ask(worker="me", lease=60)
    assert study.tell(suggestion, 1.0, attributes={"note": "first"}) == "accepted"
    assert study.tell(suggestion, 1.0) == "again"
    assert study.tell(suggestion, 2.0) == "extra"
    assert study.tell(study.ask().trial, 3.0, variance=0.5) == "accepted"
    assert study.tell({"a": 0.0, "kind": "low"}, 4.0, attributes={"note": "extra"}) == "extra"
    assert study.tell(np.int64(study.ask().trial), 5.0) == "accepted"
    assert [trial.y for trial in study.trials] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert study.trial(3).variance == 0.5
    assert study.attributes(suggestion) == {"note": "first"}
    assert study.attributes(4) == {"note": "extra"}
    trial = study.trial(1)
    assert trial.worker == "me"
    assert trial.created <= trial.finished <= datetime.now(timezone.utc)


def test_requests_asked_again_get_the_same_trial(study):
    assert study.ask(worker="me", request="1") == study.ask(worker="me", request="1")


def test_failures_releases_and_queued_points(study):
    study.queue({"a": 0.5, "kind": "high"})
    queued = study.ask()
    assert queued.params == {"a": 0.5, "kind": "high"}
    assert not study.tell_failed(queued, "it burned")
    returned = study.ask()
    study.release(returned)
    again = study.ask()
    assert again.trial == returned.trial
    study.abandon(again, "no time")
    assert [(trial.state, trial.reason) for trial in study.trials] == [("failed", "it burned"), ("abandoned", "no time")]


def test_trials_that_have_ended_are_not_handed_back(study):
    told, failed = study.ask(), study.ask()
    study.tell(told, 1.0)
    study.tell_failed(failed)
    for end in (study.release, study.give_up):
        with pytest.raises(ConflictError, match="trial: 1 is complete already"):
            end(told)
        with pytest.raises(ConflictError, match="trial: 2 is failed already"):
            end(failed)


def test_outcomes_that_are_not_finite_are_failures(storage):
    space = oscbo.Space({"a": (0.0, 1.0)}, outcomes={"cost": {"upper": 0.5}})
    study = Study.create("limits", space, storage=storage)
    failing = oscbo.Measurement(1.0, outcomes={"cost": math.nan})
    assert study.optimize(lambda p: failing, evaluations=2, catch=ValueError).nfail == 2


def test_fixed_values_keep_their_type(storage):
    fixed = {"on": False, "layers": 2, "rate": 0.5, "name": "x"}
    space = {"a": (0.0, 1.0), **{name: oscbo.Fixed(value) for name, value in fixed.items()}}
    Study.create("fixed", space, storage=storage)
    params = Study("fixed", storage=storage).ask().params
    del params["a"]
    assert params == fixed
    assert [type(value) for value in params.values()] == [bool, int, float, str]


def test_failed_evaluations_keep_their_reason(study):
    def explode(params):
        raise RuntimeError("exploded")

    result = study.optimize(explode, evaluations=2, catch=RuntimeError)
    assert result.nfail == 2
    assert study.trial(1).reason == "RuntimeError: exploded"
    with pytest.raises(RuntimeError, match="exploded"):
        study.optimize(explode)
    assert study.counts()["failed"] == 2

    def explode_in_bytes(params):
        raise RuntimeError("bad \udcff byte")

    study.optimize(explode_in_bytes, evaluations=1, catch=RuntimeError)
    assert study.trial(3).reason == "RuntimeError: bad \\udcff byte"


def test_an_interrupt_hands_the_trial_back(study):
    def interrupt(params):
        raise KeyboardInterrupt

    result = study.optimize(interrupt)
    assert result.message == "interrupted"
    assert result.x is None
    assert study.optimize(measure, evaluations=1).nfev == 1
    assert study.trial(1).state == "complete"


def test_pruning_and_other_rules_are_those_of_study_files(storage):
    study = Study.create(
        "net", {"rate": (0.0, 1.0)}, storage=storage, pruning={"kind": "median", "least_trials": 1}, stop={"target": 5}
    )
    assert study.declaration["pruning"]["kind"] == "median"
    first, second = study.ask(), study.ask()
    assert not study.report(first, 1, 10.0)
    assert study.report(second, 1, 0.0)
    study.give_up(second)
    assert study.trial(second.trial).state == "failed"


def test_studies_of_files(tmp_path, storage):
    file = tmp_path / "reactor.toml"
    file.write_text('goal = "minimize"\n[parameters.t]\ntype = "float"\nlower = 0\nupper = 1\n')
    study = Study.from_file(file, storage=storage)
    assert (study.name, study.goal, study.space.names) == ("reactor", "minimize", ["t"])
    file.write_text("[parameters.t]\ntype = 1\n")
    with pytest.raises(InvalidValueError, match=r"reactor.toml:\d+"):
        Study.from_file(file, storage=storage)


def test_names_deletion_and_the_environment(study, storage, monkeypatch):
    monkeypatch.setenv("OSCBO_STORAGE", str(storage))
    assert Study.names() == ["ridge"]
    assert Study("ridge").goal == "minimize"
    with pytest.raises(ConflictError, match="ridge"):
        Study.create("ridge", SPACE)
    Study.delete("ridge")
    assert Study.names() == []
    with pytest.raises(UnknownNameError, match="ridge"):
        Study("ridge")


def test_files_that_are_none(tmp_path):
    with pytest.raises(UnknownNameError):
        Study("ridge", storage=tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("not a database" * 100)
    with pytest.raises(StorageError):
        Study("ridge", storage=tmp_path / "text.db")


def test_outcomes(storage):
    space = oscbo.Space({"a": (0.0, 1.0)}, outcomes={"cost": {"upper": 0.5}})
    study = Study.create("limits", space, storage=storage, budget=13)
    result = study.optimize(lambda p: oscbo.Measurement(p["a"], outcomes={"cost": p["a"]}))
    assert result.fun <= 0.5
    assert result.history.acceptable.tolist() == (result.history.x[:, 0] <= 0.5).tolist()
    assert study.trials[-1].outcome_predictions["cost"].sd >= 0.0
    assert study.calibration("cost").predictions == 3
    assert study.importance() == {"a": pytest.approx(1.0, abs=0.2)}


def test_pickled_studies_open_the_same_file(study):
    study.optimize(measure, evaluations=3)
    other = pickle.loads(pickle.dumps(study))
    assert other.trials == study.trials
    assert repr(other) == "<oscbo.Study ridge: 3 complete>"


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda s: s.tell(9, 1.0), UnknownNameError, "9"),
        (lambda s: s.tell("first", 1.0), InvalidValueError, "x: "),
        (lambda s: s.tell(1, math.nan), InvalidValueError, "nan"),
        (lambda s: s.ask(lease=math.inf), InvalidValueError, "lease"),
        (lambda s: s.ask(given={"b": 1}), UnknownNameError, "b"),
        (lambda s: s.tell(oscbo.Optimizer([(0, 1)]).ask(), 1.0), InvalidValueError, "not to a study"),
        (lambda s: s.report(1, 1.5, 1.0), InvalidValueError, "step"),
        (lambda s: s.report(1, 2**63, 1.0), InvalidValueError, "step"),
        (lambda s: s.ask(worker=None), InvalidValueError, "worker: None is not accepted; use a string"),
        (lambda s: s.tell(1, 1.0, attributes={"lr": 0.1}), InvalidValueError, "attributes.lr: 0.1"),
        (lambda s: s.tell({"a": 0.0, "kind": "low"}, 1.0, attributes={"n": 5}), InvalidValueError, "attributes.n: 5"),
        (lambda s: s.set_attribute(1, "n", 5), InvalidValueError, "value: 5"),
        (lambda s: s.tell_failed(1, None), InvalidValueError, "reason: None"),
        (lambda s: s.tell_failed({"a": 0.0, "kind": "low"}), InvalidValueError, "trial: .* use a suggestion"),
        (lambda s: s.release(1), InvalidValueError, "suggestion: 1 is not accepted; use its suggestion"),
        (lambda s: s.give_up(1), InvalidValueError, "suggestion: 1 is not accepted; use its suggestion"),
        (lambda s: s.attributes(9), UnknownNameError, "9"),
        (lambda s: s.queue({"a": 0.0}), InvalidValueError, "has no value for kind"),
        (lambda s: s.optimize(measure, evaluations=-1), InvalidValueError, "evaluations"),
    ],
)
def test_refused_calls_change_nothing(study, call, error, complaint):
    study.ask()
    before = study.to_json()
    with pytest.raises(error, match=complaint):
        call(study)
    assert study.to_json() == before
