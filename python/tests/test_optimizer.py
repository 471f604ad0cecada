"""Ask and tell."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import oscbo
from oscbo.errors import ConflictError, ExhaustedError, InvalidValueError, StorageError, UnknownNameError

BOX = [(-5.0, 10.0), (0.0, 15.0)]


def bowl(x):
    return (x[0] - 2.0) ** 2 + (x[1] - 3.0) ** 2


def told(optimizer, evaluations=14, f=bowl):
    for _ in range(evaluations):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, f(suggestion.x))
    return optimizer


@pytest.fixture
def optimizer():
    return told(oscbo.Optimizer(BOX, goal="minimize", seed=3))


def test_suggestions_have_points_names_and_predictions(optimizer):
    suggestion = optimizer.ask()
    assert suggestion.trial == 14
    assert suggestion.x.dtype == np.float64
    assert suggestion.params == {"x1": suggestion.x[0], "x2": suggestion.x[1]}
    assert suggestion.prediction.lower < suggestion.prediction.mean < suggestion.prediction.upper
    assert suggestion.succeeds == suggestion.acceptable == 1.0
    assert len({suggestion, optimizer.ask()}) == 2
    assert oscbo.Optimizer(BOX).ask().prediction is None


def test_the_network_suggests_and_predicts():
    optimizer = told(oscbo.Optimizer(BOX, goal="minimize", seed=3, method="pfn"), 12)
    suggestions = copy.copy(optimizer).ask(3)
    assert len({tuple(suggestion.x) for suggestion in suggestions}) == 3
    again = pickle.loads(pickle.dumps(optimizer)).ask()
    assert np.array_equal(again.x, suggestions[0].x)
    assert again.prediction == suggestions[0].prediction
    predicted = optimizer.posterior().predict([again.x])
    assert predicted.mean[0] == pytest.approx(again.prediction.mean, rel=1e-6)


def test_a_network_without_weights_says_how_to_get_them(monkeypatch):
    monkeypatch.delenv("OSCBO_TABICL_WEIGHTS", raising=False)
    with pytest.raises(InvalidValueError, match="python3 -m oscbo.tabicl_convert FILE.ckpt") as error:
        oscbo.Optimizer(BOX, method="tabicl")
    assert error.value.field == "tabicl.weights"
    with pytest.raises(StorageError, match="there is no file '/nonexistent'"):
        oscbo.Optimizer(BOX, method="tabicl", options={"tabicl.weights": "/nonexistent"})


def test_the_description_counts_the_trials():
    optimizer = oscbo.Optimizer(BOX)
    assert "maximize, 0 trials, " in repr(optimizer)
    optimizer.ask()
    assert "maximize, 1 trial, " in repr(optimizer)


def test_the_calibration_counts_the_predictions(optimizer):
    calibration = optimizer.calibration()
    assert str(calibration).startswith(f"{calibration.predictions} predictions\n")
    assert str(dataclasses.replace(calibration, predictions=1)).startswith("1 prediction\n")


def test_minimising_is_maximising_the_negative():
    low = told(oscbo.Optimizer(BOX, goal="minimize", seed=5), 16)
    high = told(oscbo.Optimizer(BOX, goal="maximize", seed=5), 16, lambda x: -bowl(x))
    for a, b in zip(low.trials, high.trials):
        assert np.array_equal(a.x, b.x)
        assert a.y == -b.y
        assert a.covered == b.covered
        if a.prediction:
            assert a.prediction.mean == -b.prediction.mean
            assert a.prediction.sd == b.prediction.sd
    assert low.recommendation().trial.y == -high.recommendation().trial.y
    assert np.allclose(low.calibration().pit, 1.0 - high.calibration().pit)
    assert low.calibration().log_score == pytest.approx(high.calibration().log_score)
    grid = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert np.array_equal(low.predict(grid).mean, -high.predict(grid).mean)


def test_batches_stay_apart(optimizer):
    batch = optimizer.ask(4)
    assert [each.trial for each in batch] == [14, 15, 16, 17]
    points = np.array([each.x for each in batch])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert distances[np.triu_indices(4, 1)].min() > 1e-6
    for each in reversed(batch):
        optimizer.tell(each, bowl(each.x))
    assert {trial.state for trial in optimizer.trials} == {"complete"}


def test_telling_by_suggestion_number_point_and_name():
    optimizer = oscbo.Optimizer({"a": (0, 1), "b": (0, 1)})
    first, second = optimizer.ask(2)
    optimizer.tell(first, 1)
    optimizer.tell(np.int64(second.trial), np.float32(2.0))
    optimizer.tell([0.25, 0.5], np.array([3.0]))
    optimizer.tell({"a": 0.5, "b": 0.25}, oscbo.Measurement(4.0, variance=0.01))
    assert [trial.y for trial in optimizer.trials] == [1.0, 2.0, 3.0, 4.0]
    assert optimizer.trials[3].variance == 0.01
    assert optimizer.trials[2].x.tolist() == [0.25, 0.5]


def test_given_and_queued_points():
    optimizer = told(oscbo.Optimizer({"kind": oscbo.Categorical(["a", "b"]), "t": (0, 1)}), 12, lambda x: x[0] - x[1])
    assert optimizer.ask(given={"kind": "a"}).params["kind"] == "a"
    assert optimizer.ask(given={"t": 0.125}).x[1] == 0.125
    batch = optimizer.ask(3, given={"kind": "a"})
    assert [each.params["kind"] for each in batch] == ["a"] * 3
    assert len({each.params["t"] for each in batch}) == 3
    optimizer.queue({"kind": "b", "t": 0.75})
    assert optimizer.ask().params == {"kind": "b", "t": 0.75}


def test_failures_and_abandoned_trials(optimizer):
    first, second = optimizer.ask(2)
    optimizer.tell_failed(first)
    optimizer.abandon(second)
    optimizer.tell_failed([0.0, 0.0])
    assert [trial.state for trial in optimizer.trials[14:]] == ["failed", "abandoned", "failed"]
    assert optimizer.ask().succeeds < 1.0
    assert optimizer.history().failed.tolist() == [False] * 14 + [True, True]


def test_widening_keeps_what_was_told(optimizer):
    optimizer.widen([(-10.0, 10.0), (0.0, 20.0)])
    assert len(optimizer.history()) == 14
    assert optimizer.space.bounds.tolist() == [[-10.0, 10.0], [0.0, 20.0]]
    with pytest.raises(InvalidValueError):
        optimizer.widen(BOX)


def test_history_is_what_happened(optimizer):
    history = optimizer.history()
    assert np.array_equal(history.x, [trial.x for trial in optimizer.trials])
    assert np.array_equal(history.y, [bowl(x) for x in history.x])
    assert np.array_equal(history.best, np.minimum.accumulate(history.y))
    assert np.isnan(history.mean[:10]).all()
    assert not np.isnan(history.mean[10:]).any()
    inside = (history.lower <= history.y) & (history.y <= history.upper)
    assert np.array_equal(history.covered[10:] == 1.0, inside[10:])
    assert history.lengthscales.shape == (14, 2)


def test_history_as_a_table(optimizer):
    pytest.importorskip("pandas")
    table = optimizer.history().to_pandas()
    assert table["x1"].tolist() == optimizer.history().x[:, 0].tolist()
    assert table["y"].tolist() == optimizer.history().y.tolist()


def test_acceptable_values_only_count_as_best():
    space = oscbo.Space({"a": (0, 1)}, outcomes={"cost": {"upper": 1.0}})
    optimizer = oscbo.Optimizer(space)
    for y, cost in [(1.0, 0.5), (5.0, 2.0), (2.0, 0.5)]:
        optimizer.tell([y / 10.0], y, outcomes={"cost": cost})
    history = optimizer.history()
    assert history.best.tolist() == [1.0, 1.0, 2.0]
    assert history.acceptable.tolist() == [True, False, True]


def test_posterior_does_not_change_with_later_tells(optimizer):
    grid = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 14.0]])
    posterior = optimizer.posterior()
    before = posterior.predict(grid)
    assert np.array_equal(before.mean, optimizer.predict(grid).mean)
    assert np.allclose(before.upper - before.lower, before.width)
    assert len(before) == 3
    optimizer.tell([0.0, 1.0], 1000.0)
    assert np.array_equal(posterior.predict(grid).mean, before.mean)
    assert not np.array_equal(optimizer.predict(grid).mean, before.mean)
    by_name = posterior.predict([{"x1": 2.0, "x2": 3.0}])
    assert by_name.mean[0] == before.mean[1]


def test_looking_changes_no_suggestion(optimizer):
    other = copy.copy(optimizer)
    other.predict(np.zeros((3, 2)))
    other.posterior()
    other.recommendation()
    other.calibration()
    assert np.array_equal(other.ask().x, optimizer.ask().x)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_copies_go_on_alike(optimizer, copied):
    pending = optimizer.ask()
    optimizer.tell_failed(optimizer.ask())
    optimizer.abandon(optimizer.ask())
    optimizer.queue([1.0, 1.0])
    other = copied(optimizer)
    assert other.trials == optimizer.trials
    for each in (optimizer, other):
        each.tell(pending, bowl(pending.x))
        told(each, 4)
    assert np.array_equal(optimizer.history().x, other.history().x)
    assert other.goal == "minimize"


def test_widened_optimizers_can_be_pickled(optimizer):
    optimizer.widen([(-10.0, 10.0), (0.0, 20.0)])
    told(optimizer, 2)
    other = pickle.loads(pickle.dumps(optimizer))
    assert np.array_equal(other.ask().x, optimizer.ask().x)
    assert other.space == optimizer.space


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_optimizers_saved_before_objectives_were_a_list_can_be_read(goal):
    optimizer = told(oscbo.Optimizer(BOX, goal=goal, seed=3))
    optimizer.tell([1.0, 2.0], 3.0, variance=0.5)
    declaration, log = optimizer._core.__getstate__()
    sign = 1.0 if goal == "maximize" else -1.0
    old_log = [(*event[:3], sign * event[3][0], event[4][0], *event[5:]) for event in log]
    other = copy.copy(optimizer)
    other._core = type(optimizer._core).__new__(type(optimizer._core))
    other._core.__setstate__((declaration, old_log))
    assert other.trials == optimizer.trials
    assert other.trials[-1].variance == 0.5
    assert np.array_equal(other.ask().x, optimizer.ask().x)


def test_a_trial_has_a_list_of_objectives(optimizer):
    trial = optimizer.trials[-1]
    (objective,) = trial.objectives
    assert objective == oscbo.QuantityRecord(trial.y, trial.variance, trial.prediction, trial.feedback)
    assert (objective.value, objective.feedback.covered) == (bowl(trial.x), trial.covered)
    with pytest.raises(InvalidValueError, match="2 values were told; the number of objectives is 1"):
        optimizer._core.tell(optimizer.ask().trial, [1.0, 2.0], [None, None], [])


def test_options_are_those_of_the_method():
    one = oscbo.Optimizer(BOX, method="oscbo", options={"kernel.nu": 1.5, "init.points": np.int64(4), "kernel.ard": True})
    told(one, 5)
    assert len(one.trials[4].prediction.lengthscales) == 2
    assert one.rounds == 1
    assert {option.name for option in oscbo.options("oscbo")} >= {"kernel.nu", "init.points"}
    assert "auto" in oscbo.methods()


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"method": "best"}, UnknownNameError, "best"),
        ({"goal": "win"}, InvalidValueError, "goal"),
        ({"budget": -5}, InvalidValueError, "budget: -5 is not accepted"),
        ({"budget": 0}, InvalidValueError, "budget: 0 is not accepted"),
        ({"budget": 2.5}, InvalidValueError, "budget: 2.5 is not accepted; use an integer"),
        ({"budget": math.nan}, InvalidValueError, "budget"),
        ({"budget": "many"}, InvalidValueError, "budget: 'many' is not accepted"),
        ({"seed": -1}, InvalidValueError, "seed"),
        ({"seed": None}, InvalidValueError, "seed: None is not accepted"),
        ({"options": {"kernel.mu": 1}}, UnknownNameError, "kernel.mu"),
        ({"options": {"kernel.nu": -1}}, InvalidValueError, "options.kernel.nu"),
        ({"options": {"kernel.nu": [1, 2]}}, InvalidValueError, "options"),
        ({"options": [1]}, InvalidValueError, "options: .* use a dictionary"),
        ({"options": {"kernel.nu": math.nan}}, InvalidValueError, "options.kernel.nu: nan is not accepted"),
        ({"seed": 2**64}, InvalidValueError, "seed: 18446744073709551616 is not accepted; use an integer"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, complaint):
    with pytest.raises(error, match=complaint):
        oscbo.Optimizer(BOX, **arguments)


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda o: o.ask(0), InvalidValueError, r"n: 0 is not accepted; use an integer in \[1, 10000\]"),
        (lambda o: o.ask(2**31), InvalidValueError, "n: 2147483648 is not accepted"),
        (lambda o: o.ask(given=[1]), InvalidValueError, "given"),
        (lambda o: o.ask(2.5), InvalidValueError, "n: 2.5 is not accepted"),
        (lambda o: o.ask(given={"x3": 1}), UnknownNameError, "x3"),
        (lambda o: o.ask(given={"x1": 99}), InvalidValueError, "given.x1"),
        (lambda o: o.ask(2, given={"x1": 99}), InvalidValueError, "given.x1"),
        (lambda o: o.ask(given={3: 1}), InvalidValueError, "parameter: 3 is not accepted; names must be strings"),
        (lambda o: o.tell(0, 1.0), ConflictError, "0 has been told already"),
        (lambda o: o.tell(99, 1.0), UnknownNameError, "99 was never asked"),
        (lambda o: o.tell(-1, 1.0), InvalidValueError, "trial: -1 is not accepted"),
        (lambda o: o.tell([1.0, 1.0], math.nan), InvalidValueError, "failed"),
        (lambda o: o.tell([1.0, 1.0], math.inf), InvalidValueError, "failed"),
        (lambda o: o.tell([1.0, 1.0], 10**400), InvalidValueError, "y: 10+... is not accepted; use a finite number"),
        (lambda o: o.tell([1.0, 1.0], -math.inf), InvalidValueError, "y: -inf is not accepted"),
        (lambda o: o.tell([1.0, 1.0], None), InvalidValueError, "y: None is not accepted"),
        (lambda o: o.tell([1.0, 1.0], "1.0"), InvalidValueError, "y: '1.0' is not accepted"),
        (lambda o: o.tell([1.0, 1.0], 1j), InvalidValueError, "y: 1j is not accepted"),
        (lambda o: o.tell([1.0, 1.0], [1.0, 2.0]), InvalidValueError, "y: .* use a real number"),
        (lambda o: o.tell([1.0, 1.0], 1.0, variance=-1), InvalidValueError, "variance"),
        (lambda o: o.tell([1.0, 1.0], 1.0, outcomes={"cost": 1}), InvalidValueError, "outcomes"),
        (lambda o: o.tell([1.0], 1.0), InvalidValueError, r"x: has the shape \(1,\); use \(2,\)"),
        (lambda o: o.tell([[1.0, 1.0]], 1.0), InvalidValueError, r"x: has the shape \(1, 2\)"),
        (lambda o: o.tell([math.nan, 1.0], 1.0), InvalidValueError, r"x\[0\]: nan is not accepted"),
        (lambda o: o.tell([99.0, 1.0], 1.0), InvalidValueError, r"x\[0\]: 99 is not accepted"),
        (lambda o: o.tell(np.array(["a", "b"]), 1.0), InvalidValueError, "use an array of real numbers"),
        (lambda o: o.abandon([1.0, 1.0]), InvalidValueError, "use a suggestion"),
        (lambda o: o.queue([99.0, 1.0]), InvalidValueError, "99"),
        (lambda o: o.predict([1.0, 1.0]), InvalidValueError, r"X: has the shape \(2,\); use \(n, 2\)"),
        (lambda o: o.predict([[99.0, 1.0]]), InvalidValueError, "99"),
        (lambda o: o.predict([[1.0, 1.0]], outcome="cost"), InvalidValueError, "outcome: 'cost'"),
        (lambda o: o.trial(99), UnknownNameError, "99"),
        (lambda o: o.trial(-1), InvalidValueError, "trial: -1"),
        (lambda o: o.tell(2**70, 1.0), InvalidValueError, "trial"),
        (lambda o: o.tell(2.0, 1.0), InvalidValueError, r"x: has the shape \(\); use \(2,\)"),
        (lambda o: o.tell([1.0, 1.0], oscbo.Measurement(1.0), variance=1.0), InvalidValueError, "a Measurement"),
        (lambda o: o.tell(told(oscbo.Optimizer(BOX, seed=9), 14).ask(), 1.0), UnknownNameError, "14"),
        (lambda o: o.tell(oscbo.Optimizer(BOX, seed=9).ask(), 1.0), InvalidValueError, "differs from trial 0 of this optimizer"),
    ],
)
def test_refused_calls_change_nothing(optimizer, call, error, complaint):
    before = pickle.dumps(optimizer)
    with pytest.raises(error, match=complaint):
        call(optimizer)
    assert pickle.dumps(optimizer) == before


def test_models_that_are_not_there():
    with pytest.raises(ConflictError, match="initial design"):
        oscbo.Optimizer(BOX).predict([[1.0, 1.0]])
    with pytest.raises(ConflictError, match="without one"):
        told(oscbo.Optimizer(BOX, method="sobol"), 20).predict([[1.0, 1.0]])
    with pytest.raises(ConflictError, match="nothing has been told"):
        oscbo.Optimizer(BOX).recommendation()
    assert oscbo.Optimizer(BOX).calibration().predictions == 0
    assert str(oscbo.Optimizer(BOX).calibration()) == "no predictions yet"


def test_exhaustion_is_an_answer():
    optimizer = oscbo.Optimizer({"n": oscbo.Int(1, 3)})
    for _ in range(3):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, suggestion.x[0])
    with pytest.raises(ExhaustedError, match="all 3 points"):
        optimizer.ask()


def test_arrays_in_other_forms_are_the_same_points():
    X = np.linspace(0.0, 1.0, 8).reshape(4, 2)
    optimizer = told(oscbo.Optimizer([(0, 1), (0, 1)]), 12, lambda x: x.sum())
    expected = optimizer.predict(X).mean
    for other in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        assert np.array_equal(optimizer.predict(other).mean, expected)
    assert np.allclose(optimizer.predict(X.astype(np.float32)).mean, expected, atol=1e-5)
    assert optimizer.predict(np.array([[0, 1], [1, 0]])).mean.shape == (2,)
