"""The loop that the package runs."""

import math
import pickle
import signal
from fractions import Fraction

import numpy as np
import pytest

import oscbo
from oscbo.errors import InvalidValueError

BOX = [(-5.0, 5.0), (-5.0, 5.0)]
NO_DOUBLE = pytest.param(10**400, id="10**400")


def bowl(x):
    return (x[0] - 1.0) ** 2 + (x[1] + 2.0) ** 2


def test_finds_the_minimum_and_says_how():
    result = oscbo.minimize(bowl, BOX, budget=30)
    assert result.fun == bowl(result.x) == result.history.y.min()
    assert result.fun < 1e-3
    assert result.nfev == result["nfev"] == 30
    assert result.nfail == 0
    assert result.success
    assert result.message == "the budget is used up"
    assert result.calibration.predictions == 20
    assert "held" in repr(result)
    assert {"x", "fun", "history"} <= set(dir(result))
    with pytest.raises(AttributeError, match="minimum"):
        result.minimum


def test_maximises():
    result = oscbo.maximize(lambda x: 3.0 - bowl(x), BOX, budget=30)
    assert result.fun == result.history.y.max() > 2.99


def test_the_network_finds_the_minimum():
    result = oscbo.minimize(bowl, BOX, budget=20, method="pfn")
    assert result.calibration.predictions == 10
    assert result.fun < 0.1 < result.history.y[:10].min()


def test_same_seed_same_run():
    runs = [oscbo.minimize(bowl, BOX, budget=15, seed=seed).history.x for seed in (4, 4, 5)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_names_reach_the_objective():
    seen = []

    def objective(params):
        seen.append(params)
        return params["layers"] + (params["act"] == "tanh")

    space = {"layers": oscbo.Int(1, 3), "act": oscbo.Categorical(["relu", "tanh"])}
    result = oscbo.maximize(objective, space, budget=100)
    assert all(set(params) == {"layers", "act"} for params in seen)
    assert result.params == {"layers": 3, "act": "tanh"}
    assert result.nfev == 6
    assert result.message == "all points of the space were evaluated"
    assert result.success


def test_begins_where_the_user_says():
    result = oscbo.minimize(bowl, BOX, budget=12, x0=[[1.0, -2.0], [0.0, 0.0]])
    assert result.history.x[:2].tolist() == [[1.0, -2.0], [0.0, 0.0]]
    assert result.fun == 0.0


def test_points_are_the_objectives_own():
    def objective(x):
        x[:] = 99.0
        return 1.0

    assert abs(oscbo.minimize(objective, BOX, budget=3).history.x).max() <= 5.0


def test_measurements_carry_variance_and_outcomes():
    space = oscbo.Space({"a": (0, 1)}, outcomes={"cost": {"upper": 0.5}})
    result = oscbo.maximize(
        lambda p: oscbo.Measurement(p["a"], variance=1e-6, outcomes={"cost": p["a"]}), space, budget=20
    )
    assert result.fun <= 0.5
    assert result.success
    assert result.optimizer.trials[0].variance == 1e-6


def test_caught_exceptions_are_failed_trials():
    def objective(x):
        if x[0] > 0:
            raise RuntimeError("exploded")
        return bowl(x)

    result = oscbo.minimize(objective, BOX, budget=20, catch=RuntimeError)
    assert result.nfev == 20
    assert result.nfail == int((result.history.x[:, 0] > 0).sum()) > 0
    assert result.fun >= 1.0


def test_other_exceptions_are_raised():
    def objective(x):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        oscbo.minimize(objective, BOX, catch=(ValueError, KeyError))


def test_exceptions_that_cannot_be_shown_are_caught_too():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def objective(x):
        raise Mute

    assert oscbo.minimize(objective, BOX, budget=2, catch=[Mute]).nfail == 2


def test_outcomes_that_are_missing_are_not_taken_for_a_failure():
    space = oscbo.Space({"a": (0, 1)}, outcomes={"cost": {"upper": 0.5}})
    with pytest.raises(InvalidValueError, match=r"outcomes: \[\] were given; use \['cost'\]"):
        oscbo.maximize(lambda p: p["a"], space, catch=ValueError)


@pytest.mark.parametrize(
    "arguments", [{"catch": "ValueError"}, {"catch": True}, {"catch": [3]}, {"callback": 3}, {"f": None}]
)
def test_what_cannot_be_called_or_caught_is_refused_at_once(arguments):
    evaluated = []
    with pytest.raises(InvalidValueError, match=next(iter(arguments))):
        oscbo.minimize(**{"f": evaluated.append, "bounds": BOX, **arguments})
    assert not evaluated


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "1", [1.0, 2.0], 1j, NO_DOUBLE])
def test_values_that_are_no_numbers_are_refused(value):
    with pytest.raises(InvalidValueError, match="the value of the objective"):
        oscbo.minimize(lambda x: value, BOX)


def test_values_that_are_no_numbers_can_be_failures():
    result = oscbo.minimize(lambda x: math.nan if x[0] > 0 else bowl(x), BOX, budget=15, catch=ValueError)
    assert result.nfail == int((result.history.x[:, 0] > 0).sum())


LIMITED = oscbo.Space({"a": (0, 1)}, outcomes={"cost": {"upper": 0.5}})


@pytest.mark.parametrize("cost", [math.nan, -math.inf, None, NO_DOUBLE])
def test_outcomes_that_are_no_numbers_are_like_such_values(cost):
    def objective(params):
        return oscbo.Measurement(params["a"], outcomes={"cost": cost if params["a"] > 0.3 else 0.0})

    with pytest.raises(InvalidValueError, match="outcomes.cost: .* is not accepted"):
        oscbo.maximize(objective, LIMITED)
    result = oscbo.maximize(objective, LIMITED, budget=12, catch=ValueError)
    assert result.nfail == int((result.history.x[:, 0] > 0.3).sum()) > 0


def test_outcomes_without_names_are_refused():
    with pytest.raises(InvalidValueError, match=r"outcomes: \[1.0\] is not accepted; use a dictionary by name"):
        oscbo.maximize(lambda p: oscbo.Measurement(1.0, outcomes=[1.0]), LIMITED)


def test_when_nothing_is_acceptable():
    result = oscbo.minimize(lambda p: oscbo.Measurement(1.0, outcomes={"cost": 2.0}), LIMITED, budget=12)
    assert not result.success
    assert result.message == "the budget is used up; no acceptable point was found"


def test_fixed_truths_reach_the_objective():
    space = {"a": (0, 1), "on": oscbo.Fixed(False), "layers": oscbo.Fixed(2)}
    assert oscbo.minimize(lambda p: sum(range(p["layers"])) if p["on"] else 0.0, space, budget=3).fun == 0.0


def test_what_was_told_meanwhile_does_not_hide_an_exception():
    optimizer = oscbo.Optimizer(BOX)

    def objective(x):
        optimizer.tell(0, 1.0)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        oscbo._minimize.run(optimizer, oscbo._minimize._points(optimizer, 1), objective, False, None, ())


def test_when_everything_fails():
    result = oscbo.minimize(lambda x: 1 / 0, BOX, budget=3, catch=ZeroDivisionError)
    assert result.x is None
    assert math.isnan(result.fun)
    assert not result.success
    assert result.message == "the budget is used up; every evaluation failed"
    assert repr(result)


def test_an_interrupt_returns_what_there_is():
    def objective(x):
        if len(seen) == 12:
            raise KeyboardInterrupt
        seen.append(x)
        return bowl(x)

    seen = []
    result = oscbo.minimize(objective, BOX)
    assert result.message == "interrupted"
    assert not result.success
    assert result.nfev == 12
    assert result.fun == min(map(bowl, seen))
    assert result.optimizer.trials[-1].state == "abandoned"
    assert result.optimizer.ask()


@pytest.mark.parametrize("seconds", [0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
@pytest.mark.parametrize("with_callback", [False, True])
def test_an_interrupt_at_any_moment_leaves_nothing_behind(seconds, with_callback):
    """In the middle of an ask or a tell it is heard when that is done."""

    def objective(x):
        if not evaluated:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        evaluated.append(x)
        return bowl(x)

    evaluated = []
    previous = signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    try:
        result = oscbo.minimize(objective, BOX, budget=2000, callback=(lambda trial: False) if with_callback else None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
    assert result.message == "interrupted"
    assert "pending" not in {trial.state for trial in result.optimizer.trials}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_at_once():
    def objective(x):
        raise KeyboardInterrupt

    result = oscbo.minimize(objective, BOX)
    assert (result.x, result.nfev, result.message) == (None, 0, "interrupted")


def test_callbacks_see_each_trial_and_may_stop():
    seen = []
    result = oscbo.minimize(bowl, BOX, budget=20, callback=lambda trial: seen.append(trial) or len(seen) == 12)
    assert [trial.id for trial in seen] == list(range(12))
    assert [trial.y for trial in seen] == result.history.y.tolist()
    assert result.message == "stopped by the callback"

    def stop(trial):
        raise StopIteration

    assert oscbo.minimize(bowl, BOX, callback=stop).nfev == 1

    def interrupt(trial):
        raise KeyboardInterrupt

    assert oscbo.minimize(bowl, BOX, callback=interrupt).message == "interrupted"


def test_callbacks_that_raise():
    def callback(trial):
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        oscbo.minimize(bowl, BOX, callback=callback)


def test_whole_numbers_and_large_ones_are_numbers():
    assert oscbo.minimize(lambda x: 10**20, BOX, budget=3.0, x0=None).fun == 1e20
    assert oscbo.minimize(lambda x: Fraction(1, 2), BOX, budget=np.int64(2)).fun == 0.5


@pytest.mark.parametrize("budget", [-1, 0, 1.5, "ten", None])
def test_budgets_that_are_none(budget):
    with pytest.raises(InvalidValueError, match="budget"):
        oscbo.minimize(bowl, BOX, budget=budget)


def test_results_can_be_pickled():
    result = oscbo.minimize(bowl, BOX, budget=14)
    result.note = "mine"
    assert result["note"] == "mine"
    other = pickle.loads(pickle.dumps(result))
    assert other.fun == result.fun
    assert np.array_equal(other.history.x, result.history.x)
    assert np.array_equal(other.optimizer.ask().x, result.optimizer.ask().x)
