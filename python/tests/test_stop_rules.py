"""Studies end for the same reasons in Python and on the command line."""

import math
import re
import sys

import pytest
from program_support import needs_program, run_program

import oscbo
from oscbo import StopReason, Study
from oscbo.errors import InvalidValueError

# What is measured at `a`: an expression for both.
BOWL = "(a - 0.3) ** 2"
SLOW = "(__import__('time').sleep(0.7), a)[1]"
BROKEN = "1 / (a - a)"

#: By the name of a case: the declaration, what is measured, and why the study ends.
CASES = {
    "target": ({"stop": {"target": 0.01}}, BOWL, r"the target 0\.01 has been reached: 0\.00\d+"),
    "without_improvement": (
        {"stop": {"without_improvement": 3}},
        BOWL,
        "3 evaluations in a row have brought nothing better",
    ),
    "expected_gain": (
        {"stop": {"expected_gain": 1e-4}, "method": "auto", "budget": 40},
        BOWL,
        r"the last 5 suggestions promised less than 0\.0001",
    ),
    "seconds": ({"stop": {"seconds": 0.5}}, SLOW, r"0\.5 s have passed"),
    "budget": ({"budget": 4}, BOWL, "the budget of 4 evaluations is used up"),
    "budget before rules": (
        {"budget": 5, "stop": {"target": -100, "without_improvement": 20, "seconds": 1000}},
        BOWL,
        "the budget of 5 evaluations is used up",
    ),
    "rule on the last of the budget": (
        {"budget": 3, "goal": "maximize", "stop": {"without_improvement": 2}},
        "a * 0 - 1",
        "2 evaluations in a row have brought nothing better",
    ),
    "failures and retries": (
        {"program": {"retries": 1}, "stop": {"without_improvement": 4}},
        f"{BOWL} if a < 0.5 else {BROKEN}",
        "4 evaluations in a row have brought nothing better",
    ),
    "no points left": (
        {"space": {"a": oscbo.Int(0, 2)}},
        BOWL,
        "all 3 points .*",
    ),
}


class Pair:
    """The same study twice: one for the command line to run, one for Python."""

    def __init__(self, storage, expression, **declaration):
        declared = {"space": {"a": (0.0, 1.0)}, "goal": "minimize", "budget": 30, "seed": 3, "method": "sobol"}
        declared.update(declaration)
        script = f"import sys; a = float(sys.argv[1]); print({expression})"
        declared["program"] = {"command": [sys.executable, "-c", script, "{a}"], **declared.get("program", {})}
        self._storage = storage
        self._expression = compile(expression, "measured", "eval")
        self.by_program = Study.create("by-program", storage=storage, **declared)
        self.in_python = Study.create("in-python", storage=storage, **declared)

    def run_program(self, *arguments, status=0):
        return run_program("run", "by-program", *arguments, storage=self._storage, status=status)

    def optimize(self, **arguments):
        def measure(params):
            return eval(self._expression, {"a": float(params["a"])})

        return self.in_python.optimize(measure, catch=ZeroDivisionError, **arguments)

    def run_both(self, evaluations=None):
        """Returns what the command line printed, and the result of Python."""
        counted = [] if evaluations is None else ["-n", str(evaluations)]
        return self.run_program(*counted), self.optimize(evaluations=evaluations)

    def ended(self):
        """Why both have ended, after the same trials."""
        by_program, in_python = (
            [(trial.id, trial.params, trial.state, trial.y, trial.attempts) for trial in study.trials]
            for study in (self.by_program, self.in_python)
        )
        assert in_python == by_program
        assert self.in_python.ended == self.by_program.ended
        return self.in_python.ended


@pytest.fixture
def pair_of(tmp_path):
    return lambda expression, **declaration: Pair(tmp_path / "s.db", expression, **declaration)


@needs_program
@pytest.mark.parametrize("case", CASES)
def test_both_end_for_the_same_reason(pair_of, case):
    declaration, expression, reason = CASES[case]
    pair = pair_of(expression, **declaration)
    printed, result = pair.run_both()
    ended = pair.ended()
    assert re.fullmatch(reason, ended)
    assert ended in printed
    assert result.success
    assert 0 < result.nfev < 30
    evaluated = len(pair.in_python.trials)
    pair.run_both()
    assert pair.ended() == ended, "a study that has ended stays so"
    assert len(pair.in_python.trials) == evaluated or case == "seconds"


@needs_program
def test_time_is_up_before_a_target_is_reached(pair_of):
    pair = pair_of(SLOW, stop={"seconds": 0.5, "target": 1.0})
    pair.run_both()
    assert pair.ended() == "0.5 s have passed"
    pair.run_both()
    assert pair.ended().startswith("the target 1 has been reached")
    assert len(pair.in_python.trials) == 1


@needs_program
def test_whoever_insists_goes_on(pair_of):
    pair = pair_of("a * 0 + 1.0", stop={"target": 1.0}, budget=4)
    pair.run_both()
    assert pair.ended() == "the target 1 has been reached: 1"
    pair.run_both(evaluations=2)
    assert pair.ended() is None
    assert len(pair.in_python.trials) == 3
    pair.run_both(evaluations=3)
    assert pair.ended() == "the budget of 4 evaluations is used up"
    assert len(pair.in_python.trials) == 6


@needs_program
def test_ten_failures_and_no_value_end_a_run(pair_of):
    pair = pair_of(BROKEN)
    printed = pair.run_program(status=5)
    assert "10 trials have failed, and none has a value" in printed
    result = pair.optimize()
    assert not result.success
    assert result.message.startswith(
        "10 trials have failed, and none has a value; the last: ZeroDivisionError: float division by zero"
    )
    assert pair.ended() is None, "the study is not to blame"
    assert result.nfail == 10
    assert pair.optimize(evaluations=5).nfail == 15, "an explicit number of evaluations overrides the rules"
    assert pair.optimize().nfail == 16, "one more is tried"


@needs_program
def test_one_goes_on_where_the_other_ended(pair_of):
    pair = pair_of(BOWL, stop={"target": 0.01})
    pair.run_program()
    reason = pair.by_program.ended
    trials = pair.by_program.trials
    result = pair.by_program.optimize(lambda params: 0.0)
    assert result.message == reason
    assert pair.by_program.trials == trials
    assert pair.by_program.ended == reason


# --- Python alone --------------------------------------------------------------------------------


def create(tmp_path, **declaration):
    return Study.create("s", {"a": (0.0, 1.0)}, storage=tmp_path / "s.db", method="sobol", **declaration)


def test_a_study_answers_also_those_who_own_the_loop(tmp_path):
    study = create(tmp_path, stop={"target": 3.0, "seconds": 60}, budget=10)
    y = 0.0
    while not study.stop_reason():
        study.tell(study.ask(), y)
        y += 1.0
    assert study.stop_reason() == StopReason("target", "the target 3 has been reached: 3")
    assert study.stop_reason(60.5) == StopReason("seconds", "60 s have passed")
    assert len(study.trials) == 4
    assert study.ended is None, "asking stores nothing"
    for refused in ("soon", None):
        with pytest.raises(InvalidValueError, match="run_seconds"):
            study.stop_reason(refused)


def test_the_budget_of_others_is_theirs_to_end(tmp_path):
    study = create(tmp_path, budget=3)
    leased = study.ask(lease=1000)
    result = study.optimize(lambda params: params["a"])
    assert result.message == "the budget is used up"
    assert result.nfev == 2
    assert study.ended is None, "the leased trial may be lost"
    study.tell(leased, 1.0)
    assert study.stop_reason().rule == "budget"


def test_no_points_left_but_one_that_others_may_lose(tmp_path):
    study = Study.create("s", {"a": oscbo.Int(0, 2)}, storage=tmp_path / "s.db")
    leased = study.ask(lease=1000)
    assert study.optimize(lambda params: params["a"]).nfev == 2
    assert study.ended is None
    study.tell(leased, 1.0)
    study.optimize(lambda params: params["a"])
    assert study.ended.startswith("all 3 points")


def test_a_run_that_is_cut_short_does_not_end_the_study(tmp_path):
    study = create(tmp_path, budget=4, stop={"target": 100})
    study.optimize(lambda params: 100.0)
    assert study.ended == "the target 100 has been reached: 100"

    study = oscbo.Study.create("t", {"a": (0.0, 1.0)}, storage=tmp_path / "s.db", method="sobol", budget=2)
    assert study.optimize(lambda params: 1.0, callback=lambda trial: True).message == "stopped by the callback"
    assert study.ended is None
    with pytest.raises(ZeroDivisionError):
        study.optimize(lambda params: 1 / 0)
    assert study.ended is None
    study.optimize(lambda params: math.pi)
    assert study.ended == "the budget of 2 evaluations is used up"
    assert study.optimize(lambda params: math.pi, evaluations=1).nfev == 3
    assert study.ended == "the budget of 2 evaluations is used up"


def test_the_callback_sees_the_trial_that_reaches_the_target(tmp_path):
    study = create(tmp_path, stop={"target": 2.0})
    values = iter([1.0, 2.0])
    seen = []
    result = study.optimize(lambda params: next(values), callback=lambda trial: seen.append(trial.y))
    assert seen == [1.0, 2.0]
    assert result.success
    assert result.message == study.ended == "the target 2 has been reached: 2"
