"""oscbo.optuna.OscboSampler learns what may be chosen from what was: distributions, ranges and conditions."""

import math

import pytest

optuna = pytest.importorskip("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna_support import (  # noqa: E402, F401
    bowl,
    followers_of,
    mixed,
    model_of,
    optimized,
    quiet,
    random_draws,
    sqlite,
    states_of,
    study_of,
    two_branches,
)

from oscbo.optuna import OscboSampler  # noqa: E402


# --- distributions ---------------------------------------------------------------------------------

DISTRIBUTIONS = [
    FloatDistribution(-2.5, 3),
    FloatDistribution(0.3, 0.7, step=0.1),
    FloatDistribution(-0.1, 0.2, step=0.1),
    FloatDistribution(1e-7, 10, log=True),
    IntDistribution(-3, 8),
    IntDistribution(2, 23, step=7),
    IntDistribution(1, 100, log=True),
    IntDistribution(0, 2**62),
    CategoricalDistribution((None, True, 2, 0.5, "x")),
    CategoricalDistribution((True, False)),
    CategoricalDistribution((math.nan, 1.0)),
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
def test_values_are_of_their_distribution(distribution):
    study = study_of()
    for number in range(12):
        trial = study.ask({"p": distribution, "x": FloatDistribution(0, 1)})
        value = trial.params["p"]
        assert distribution._contains(distribution.to_internal_repr(value))
        assert type(value) is type(distribution.to_external_repr(distribution.to_internal_repr(value)))
        study.tell(trial, trial.params["x"] + number % 2)


def test_what_was_suggested_is_found_again_in_the_storage(sqlite):
    study = study_of(storage=sqlite)
    for number in range(4):
        study.tell(study.ask({str(each): each for each in DISTRIBUTIONS}), float(number))
    assert states_of(study) == ["complete"] * 4 + ["pending"]


def test_every_level_of_a_float_with_a_step_can_be_reached():
    study = optimized(lambda trial: trial.suggest_float("x", 0, 1, step=0.1), 11)
    values = sorted(trial.params["x"] for trial in study.trials)
    assert len({round(value, 6) for value in values}) == 11
    assert values[-1] == 1.0


def test_a_category_may_be_none():
    study = optimized(lambda trial: 0.0 if trial.suggest_categorical("c", [1, None, "a"]) is None else 1.0, 6)
    assert study.best_params == {"c": None}


def test_a_single_value_is_returned_as_it_is():
    def objective(trial):
        assert trial.suggest_categorical("only", ["one"]) == "one"
        assert trial.suggest_int("same", 3, 3) == 3
        assert trial.suggest_float("still", 0.5, 0.5) == 0.5
        return trial.suggest_float("x", 0, 1)

    study = optimized(objective, 8)
    assert len(model_of(study).space) == 1


def test_an_objective_without_anything_to_choose_runs():
    study = optimized(lambda trial: trial.suggest_int("same", 3, 3) * 1.0, 3)
    assert len(study.trials) == 3


def test_an_objective_without_parameters_runs():
    assert optimized(lambda trial: 1.0, 3).best_params == {}


def test_any_name_is_a_name():
    study = optimized(lambda trial: trial.suggest_float("a = 1|é,\n", 0, 1) + trial.suggest_float("", 0, 1), 5)
    assert len(study.trials) == 5


# --- independent and relative sampling -------------------------------------------------------------


def test_only_new_parameters_are_drawn_at_random(random_draws):
    optimized(mixed, 8)
    assert random_draws == ["x", "layers", "kind"]


def test_the_relative_search_space_is_what_complete_trials_had():
    study = study_of()
    assert study.sampler.infer_relative_search_space(study, None) == {}
    study.optimize(mixed, n_trials=2)
    assert study.sampler.infer_relative_search_space(study, None) == {
        "kind": CategoricalDistribution(("a", "b", "c")),
        "layers": IntDistribution(1, 6),
        "x": FloatDistribution(1e-3, 1, log=True),
    }


def test_relative_samples_cover_the_search_space():
    study = optimized(mixed, 3)
    trial = study.ask()
    assert set(trial.relative_params) == {"x", "layers", "kind"}


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_part_of_the_search_space_can_be_sampled():
    study = study_of(optuna.samplers.PartialFixedSampler({"x": 0.5}, OscboSampler(seed=1)))
    study.optimize(bowl, n_trials=12)
    assert {trial.params["x"] for trial in study.trials} == {0.5}
    assert abs(study.best_params["y"] - 0.7) < 0.05


def test_a_search_space_may_have_parameters_of_no_trial():
    study = optimized(lambda trial: trial.suggest_int("n", 1, 3) / 2, 2)
    space = {"n": IntDistribution(1, 3), "new": FloatDistribution(2, 3), "other": IntDistribution(4, 6)}
    params = study.sampler.sample_relative(study, study.trials[-1], space)
    assert set(params) == set(space)


# --- spaces that change ----------------------------------------------------------------------------


def test_a_parameter_that_comes_later_is_a_group(random_draws):
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        return x + (trial.suggest_float("late", 0, 1) if trial.number >= 4 else 1.0)

    study = optimized(objective, 12)
    assert random_draws == ["x", "late"]
    assert when_of(study) == [{"x": None}, {"late": None}]


def test_a_range_that_changes_is_followed(random_draws):
    def objective(trial):
        return trial.suggest_float("x", *((0, 1) if trial.number < 5 else (2, 3)))

    study = optimized(objective, 12)
    assert random_draws == ["x"]
    assert all(2 <= trial.params["x"] <= 3 for trial in study.trials[5:])
    assert study.best_trial.number < 5
    assert [trial.y for trial in model_of(study).trials if trial.y is not None] == [
        trial.value for trial in study.trials[5:12]
    ]


def test_a_range_that_depends_on_another_parameter_is_kept_to():
    def objective(trial):
        x = trial.suggest_float("x", 0.1, 1)
        return x + trial.suggest_float("y", 0, x)

    study = optimized(objective, 15)
    assert all(trial.params["y"] <= trial.params["x"] for trial in study.trials)
    assert study.best_value < 0.2


# --- conditional parameters ------------------------------------------------------------------------


def when_of(study):
    """Which parameters have a condition, for each block of the model."""
    study.ask()
    blocks = [follower._block for follower in followers_of(study)]
    return [
        {each.name: each.condition and (each.condition.parent, each.condition.values) for each in block.parameters}
        for block in blocks
    ]


def test_a_category_that_decides_about_others_is_a_condition(random_draws):
    study = optimized(two_branches, 25)
    assert when_of(study) == [
        {"c": ("model", (0,)), "model": None, "share": ("model", (1,)), "trees": ("model", (1,))}
    ]
    assert sorted(random_draws) == ["c", "model", "share", "trees"]
    assert study.best_value < 0.05


def test_a_number_of_layers_is_a_condition():
    def objective(trial):
        layers = trial.suggest_int("layers", 1, 4)
        units = [trial.suggest_int(f"units {k}", 1, 32) for k in range(layers)]
        return sum((each - 16) ** 2 for each in units) / 100 + (layers - 2) ** 2

    study = optimized(objective, 30)
    (when,) = when_of(study)
    assert when["units 0"] is None
    assert [when[f"units {k}"] for k in (1, 2, 3)] == [("layers", tuple(range(k + 1, 5))) for k in (1, 2, 3)]
    assert study.best_params["layers"] == 2


def test_a_condition_on_an_int_holds_also_for_values_not_seen():
    def objective(trial):
        return 1.0 if trial.suggest_int("layers", 1, 9, step=2) < 5 else trial.suggest_float("skip", 0, 1)

    study = study_of()
    for layers in (3, 5):
        study.enqueue_trial({"layers": layers})
    study.optimize(objective, n_trials=2)
    assert when_of(study) == [{"layers": None, "skip": ("layers", (5, 7, 9))}]


def test_conditions_may_be_nested():
    def objective(trial):
        if trial.suggest_categorical("model", ["svm", "mean"]) == "mean":
            return 1.0
        if trial.suggest_categorical("kernel", ["rbf", "linear"]) == "linear":
            return 0.5
        return trial.suggest_float("gamma", 0, 1)

    (when,) = when_of(optimized(objective, 15))
    assert when == {"gamma": ("kernel", (0,)), "kernel": ("model", (0,)), "model": None}


def test_what_no_condition_explains_is_a_group(random_draws):
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if x > 0.5:
            return x + trial.suggest_float("a", 0, 1) + trial.suggest_float("b", 0, 1)
        return 1 + x

    study = optimized(objective, 20)
    assert when_of(study) == [{"x": None}, {"a": None, "b": None}]
    assert sorted(random_draws) == ["a", "b", "x"]


def test_a_wrong_guess_about_conditions_is_corrected(random_draws):
    def objective(trial):
        # Both of its categories explain the first two trials, and only the second one is right.
        first, second = trial.suggest_categorical("a", [0, 1]), trial.suggest_categorical("b", [0, 1])
        return first + (trial.suggest_float("x", 0, 1) if second else 1.0)

    study = study_of()
    for value in (0, 1):
        study.enqueue_trial({"a": value, "b": value, "x": 0.5})
    study.optimize(objective, n_trials=2)
    assert when_of(study)[0]["x"] == ("a", (1,))
    study.optimize(objective, n_trials=8)
    assert when_of(study)[0]["x"] == ("b", (1,))
    assert random_draws == []


def test_of_two_explanations_the_one_with_fewer_values_is_preferred():
    def objective(trial):
        trial.suggest_categorical("batch", [8, 16, 32, 64])
        return trial.suggest_float("x", 0, 1) if trial.suggest_categorical("model", ["a", "b"]) == "b" else 1.0

    study = study_of()
    for batch, model in [(8, "a"), (16, "a"), (32, "b"), (64, "b")]:
        study.enqueue_trial({"batch": batch, "model": model})
    study.optimize(objective, n_trials=4)
    assert when_of(study)[0]["x"] == ("model", (1,))
