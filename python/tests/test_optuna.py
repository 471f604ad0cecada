"""oscbo.optuna.OscboSampler behaves as Optuna's users and Optuna itself expect of a sampler."""

import copy
import math
import multiprocessing
import pickle
import subprocess
import sys

import pytest

optuna = pytest.importorskip("optuna")

from optuna.distributions import FloatDistribution  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402
from optuna_support import (  # noqa: E402, F401
    bowl,
    bowl_in_three_steps,
    followers_of,
    mixed,
    model_of,
    optimized,
    params_of,
    quiet,
    random_draws,
    sqlite,
    states_of,
    study_of,
    two_branches,
)

import oscbo  # noqa: E402
from oscbo.errors import InvalidValueError, UnknownNameError  # noqa: E402
from oscbo.optuna import OscboSampler  # noqa: E402


# --- finding good points ---------------------------------------------------------------------------


def test_finds_the_minimum_of_a_bowl():
    assert optimized(bowl, 30).best_value < 1e-4


def test_finds_the_best_levels_and_categories():
    study = optimized(mixed, 40)
    assert study.best_params["layers"] == 4
    assert study.best_params["kind"] == "b"
    assert study.best_value < 0.05


def test_minimizing_and_maximizing_are_mirror_images():
    up = optimized(lambda trial: -bowl(trial), 20, direction="maximize")
    assert params_of(up) == params_of(optimized(bowl, 20))


# --- enqueued trials and trials of others ----------------------------------------------------------


def test_enqueued_points_are_evaluated_and_told():
    study = study_of()
    study.optimize(bowl, n_trials=3)
    study.enqueue_trial({"x": 0.3, "y": 0.7})
    study.optimize(bowl, n_trials=1)
    assert study.best_value == 0.0
    assert model_of(study).recommendation().trial.x.tolist() == [0.3, 0.7]


def test_the_rest_of_an_enqueued_point_fits_it():
    def valley(trial):
        return (trial.suggest_float("x", 0, 1) - trial.suggest_float("y", 0, 1)) ** 2

    study = optimized(valley, 15)
    study.enqueue_trial({"x": 0.87})
    study.optimize(valley, n_trials=1)
    assert abs(study.trials[-1].params["y"] - 0.87) < 0.25
    assert "abandoned" not in states_of(study)


def test_an_enqueued_point_may_be_repeated():
    study = optimized(bowl, 3)
    for _ in range(2):
        study.enqueue_trial({"x": 0.3, "y": 0.7})
    study.optimize(bowl, n_trials=2)
    assert states_of(study) == ["complete"] * 5 + ["pending"]


def test_values_are_told_where_they_were_measured():
    def objective(trial):
        return trial.suggest_categorical("a", [0, 1]) + trial.suggest_int("b", 0, 1)

    study = study_of()
    # The third of them cannot be suggested, since both points with this value have been tried.
    for _ in range(3):
        study.enqueue_trial({"a": 0})
    study.optimize(objective, n_trials=3)
    told = [trial.x.tolist() for trial in model_of(study).trials if trial.state == "complete"]
    assert told == [[trial.params["a"], trial.params["b"]] for trial in study.trials[:3]]


def test_an_enqueued_value_outside_of_the_space_is_left_out():
    study = optimized(bowl, 3)
    study.enqueue_trial({"x": 7.0, "y": 0.0})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(bowl, n_trials=1)
    study.optimize(bowl, n_trials=2)
    assert study.trials[3].params["x"] == 7.0
    assert states_of(study).count("complete") == 5


def test_trials_of_another_sampler_are_learned_from():
    study = study_of(optuna.samplers.RandomSampler(seed=3))
    study.optimize(bowl, n_trials=20)
    study.sampler = OscboSampler(seed=1)
    study.optimize(bowl, n_trials=6)
    assert states_of(study).count("complete") == 26
    assert study.best_value < 0.01


def test_trials_that_are_added_are_learned_from():
    study = study_of()
    study.add_trial(create_trial(params={"x": 0.5}, distributions={"x": FloatDistribution(0, 1)}, value=1.0))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert states_of(study).count("complete") == 2


def test_a_study_goes_on_from_its_storage(sqlite):
    study_of(storage=sqlite, study_name="resumed").optimize(bowl, n_trials=8)
    resumed = optuna.load_study(study_name="resumed", storage=sqlite, sampler=OscboSampler(seed=2))
    resumed.optimize(bowl, n_trials=8)
    assert states_of(resumed).count("complete") == 16
    assert resumed.best_value < 0.05


def test_one_sampler_serves_several_studies():
    sampler = OscboSampler(seed=1)
    first, second = study_of(sampler, study_name="s"), study_of(sampler, study_name="s")
    for study in (first, second, first):
        study.optimize(bowl, n_trials=4)
    assert states_of(first).count("complete") == 8
    assert states_of(second).count("complete") == 4


def test_hyperband_and_its_brackets_are_served():
    study = study_of(pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=3))
    study.optimize(bowl_in_three_steps, n_trials=15)
    assert len(study.trials) == 15


# --- trials that are running, fail or are pruned ---------------------------------------------------


def test_running_trials_are_pending_and_not_proposed_again():
    study = optimized(bowl, 12)
    running = [study.ask() for _ in range(4)]
    points = [bowl(trial) and (trial.params["x"], trial.params["y"]) for trial in running]
    assert len(set(points)) == 4
    assert states_of(study).count("pending") == 5  # with the one that looked
    study.tell(running[0], 1.0)
    assert states_of(study).count("complete") == 13


def test_a_trial_that_is_sampled_again_is_pending_once():
    study = optimized(bowl, 3)
    space = study.ask().relative_search_space
    study.sampler.sample_relative(study, study.trials[-1], space)
    (follower,) = followers_of(study)
    assert [each.state for each in follower._optimizer.trials].count("pending") == 1


def test_the_first_trials_differ_though_none_is_complete():
    study = study_of()
    assert len({study.ask().suggest_float("x", 0, 1) for _ in range(4)}) == 4


def test_running_trials_of_others_are_pending(sqlite):
    study = study_of(storage=sqlite, study_name="others")
    study.optimize(bowl, n_trials=3)
    other = optuna.load_study(study_name="others", storage=sqlite, sampler=OscboSampler(seed=2))
    trial = other.ask()
    bowl(trial)
    pending = [each.x.tolist() for each in model_of(study).trials if each.state == "pending"]
    assert [trial.params["x"], trial.params["y"]] in pending
    other.tell(trial, 2.0)
    assert 2.0 in [each.y for each in model_of(study).trials]


@pytest.mark.parametrize("has_begun", [False, True])
def test_samplers_that_ask_at_the_same_time_choose_different_points(has_begun):
    study = optimized(bowl, 12)
    study.sampler, other = copy.deepcopy(study.sampler), copy.deepcopy(study.sampler)
    first = study.ask()
    if has_begun:
        first.suggest_float("x", -1, 2)
    study.sampler = other
    second = study.ask()
    assert math.dist(first.relative_params.values(), second.relative_params.values()) > 1e-3
    assert states_of(study).count("pending") == 3  # with the one that looked
    study.tell(first, bowl(first))
    assert states_of(study).count("complete") == 13


def test_exceptions_teach_where_evaluations_fail():
    def objective(trial):
        value = bowl(trial)
        if trial.params["x"] > 1:
            raise RuntimeError
        return value

    study = study_of()
    study.optimize(objective, n_trials=25, catch=(RuntimeError,))
    failed = [trial for trial in study.trials if trial.state == TrialState.FAIL]
    assert states_of(study).count("failed") == len(failed) > 0
    assert study.best_value < 0.01


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_no_numbers_are_failures(value):
    study = optimized(lambda trial: value if trial.suggest_float("x", 0, 1) > 0.7 else trial.params["x"], 12)
    bad = [trial for trial in study.trials if trial.params["x"] > 0.7]
    assert states_of(study).count("failed") == len(bad) > 0


def test_a_study_in_which_all_fails_is_explored(random_draws):
    def objective(trial):
        bowl(trial)
        raise RuntimeError

    study = study_of()
    study.optimize(objective, n_trials=6, catch=(RuntimeError,))
    assert random_draws == ["x", "y"]
    assert len({trial.params["x"] for trial in study.trials}) == 6


def test_a_trial_that_fails_before_it_asked_for_everything_has_failed():
    def objective(trial):
        if trial.suggest_float("x", 0, 1) < 0.5:
            raise RuntimeError
        return trial.params["x"] + trial.suggest_float("y", 0, 1)

    study = study_of()
    study.enqueue_trial({"x": 0.9, "y": 0.5})
    study.optimize(objective, n_trials=12, catch=(RuntimeError,))
    failed = [trial for trial in study.trials if trial.state == TrialState.FAIL]
    assert states_of(study).count("failed") == len(failed) > 0


def test_a_pruned_trial_counts_between_the_median_and_the_worst():
    study = study_of()
    for number, value in enumerate([1.0, 2.0, 3.0, 4.0]):
        study.enqueue_trial({"x": number / 4})
        trial = study.ask()
        trial.suggest_float("x", 0, 1)
        study.tell(trial, value)
    for last in (0.0, 3.5, 100.0):
        trial = study.ask()
        trial.suggest_float("x", 0, 1)
        trial.report(last, 1)
        study.tell(trial, state=TrialState.PRUNED)
    assert [trial.y for trial in model_of(study).trials if trial.y is not None][4:] == [2.5, 3.5, 4.0]


def test_a_trial_pruned_without_a_report_has_failed():
    study = optimized(bowl, 3)
    trial = study.ask()
    bowl(trial)
    study.tell(trial, state=TrialState.PRUNED)
    assert states_of(study).count("failed") == 1


def test_pruning_does_not_stop_the_search():
    study = study_of(pruner=optuna.pruners.MedianPruner(n_startup_trials=4))
    study.optimize(bowl_in_three_steps, n_trials=40)
    assert any(trial.state == TrialState.PRUNED for trial in study.trials)
    assert study.best_value < 0.01


def test_a_finite_space_that_is_exhausted_goes_on_at_random():
    def objective(trial):
        return trial.suggest_categorical("a", [0, 1]) + trial.suggest_int("b", 0, 2)

    study = optimized(objective, 10)
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials[:6]}) == 6
    assert all(set(trial.params) == {"a", "b"} for trial in study.trials)


# --- constraints -----------------------------------------------------------------------------------


def constrained(constraints):
    return OscboSampler(seed=1, constraints_func=constraints)


def test_constraints_are_kept_to():
    sampler = constrained(lambda trial: (0.6 - trial.params["x"], trial.params["x"] - 0.9))
    study = optimized(lambda trial: trial.suggest_float("x", 0, 1), 20, sampler)
    assert all("constraints" in trial.system_attrs for trial in study.trials)
    acceptable = [trial.value for trial in study.trials if max(trial.system_attrs["constraints"]) <= 0]
    assert 0.6 <= min(acceptable) < 0.62
    assert sum(0.55 < trial.params["x"] < 0.9 for trial in study.trials) > 8


def test_constraints_outlive_the_process(sqlite):
    study = study_of(constrained(lambda trial: [trial.params["x"] - 0.5]), storage=sqlite, study_name="constrained")
    study.optimize(bowl, n_trials=4)
    again = optuna.load_study(
        study_name="constrained", storage=sqlite, sampler=constrained(lambda trial: [trial.params["x"] - 0.5])
    )
    assert [trial.is_acceptable for trial in model_of(again).trials[:4]] == [
        trial.params["x"] <= 0.5 for trial in study.trials[:4]
    ]


def test_trials_without_constraints_are_left_out_with_a_warning():
    study = study_of()
    study.optimize(bowl, n_trials=3)
    study.sampler = constrained(lambda trial: [trial.params["x"] - 0.5])
    study.optimize(bowl, n_trials=1)
    with pytest.warns(UserWarning, match="left out of the model"):
        study.optimize(bowl, n_trials=2)
    assert states_of(study).count("complete") == 3


@pytest.mark.parametrize("returned", [0.5, "a", [math.nan], ["a"], None])
def test_what_are_no_constraints_is_refused(returned):
    study = study_of(constrained(lambda trial: returned))
    with pytest.raises(InvalidValueError, match="constraints_func"):
        study.optimize(bowl, n_trials=1)


def test_an_infinite_constraint_is_a_failure():
    sampler = constrained(lambda trial: [math.inf if trial.params["x"] > 0.5 else -1.0])
    study = optimized(lambda trial: trial.suggest_float("x", 0, 1), 8, sampler)
    assert states_of(study).count("failed") == sum(trial.params["x"] > 0.5 for trial in study.trials[:8]) > 0


def test_constraints_are_asked_for_only_where_there_is_a_value():
    called = []
    sampler = constrained(lambda trial: called.append(trial.number) or [0.0])
    study = study_of(sampler)
    study.optimize(lambda trial: bowl(trial) if trial.number else math.nan, n_trials=3)
    assert called == [1, 2]


# --- what is refused -------------------------------------------------------------------------------


def test_several_objectives_are_refused():
    study = study_of(directions=["minimize", "maximize"])
    with pytest.raises(InvalidValueError, match="several objectives"):
        study.optimize(lambda trial: (1.0, 2.0), n_trials=1)


def test_wrong_arguments_are_refused_at_once():
    with pytest.raises(UnknownNameError):
        OscboSampler(method="gradients")
    with pytest.raises(oscbo.Error):
        OscboSampler(options={"no.such": 1})
    for seed in (-1, 1.5):
        with pytest.raises(InvalidValueError, match="seed"):
            OscboSampler(seed=seed)
    with pytest.raises(TypeError):
        OscboSampler(1)


def test_methods_and_options_are_handed_on():
    study = optimized(bowl, 8, OscboSampler(seed=1, method="random"))
    assert all(trial.prediction is None for trial in model_of(study).trials)


def test_a_network_can_be_the_model():
    study = optimized(bowl, 20, OscboSampler(seed=1, method="pfn"))
    assert study.best_value < 0.05
    assert all(trial.prediction for trial in model_of(study).trials[10:20])


def test_a_network_without_weights_is_refused_at_once(monkeypatch):
    monkeypatch.delenv("OSCBO_TABICL_WEIGHTS", raising=False)
    with pytest.raises(InvalidValueError, match="python3 -m oscbo.tabicl_convert FILE.ckpt"):
        OscboSampler(method="tabicl")


def test_without_optuna_its_package_is_named():
    code = "import sys; sys.modules['optuna'] = None; import oscbo; import oscbo.optuna"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "apt install python3-optuna" in done.stderr


# --- seeds, copies, threads and processes ----------------------------------------------------------


def test_the_same_seed_gives_the_same_study_in_any_storage(sqlite):
    runs = [
        optimized(mixed, 9, OscboSampler(seed=5), storage=storage) for storage in (None, None, sqlite, sqlite)
    ]
    assert all(params_of(run) == params_of(runs[0]) for run in runs)


def test_conditional_studies_are_reproduced_too():
    assert params_of(optimized(two_branches, 15)) == params_of(optimized(two_branches, 15))


def test_other_seeds_give_other_studies():
    studies = [optimized(bowl, 3, OscboSampler(seed=seed)) for seed in (1, 2, None, None)]
    firsts = {study.trials[0].params["x"] for study in studies}
    seconds = {study.trials[1].params["x"] for study in studies}
    assert len(firsts) == len(seconds) == 4


def test_reseeding_changes_what_is_drawn():
    sampler = OscboSampler(seed=1)
    reseeded = copy.deepcopy(sampler)
    reseeded.reseed_rng()
    assert params_of(optimized(bowl, 3, reseeded)) != params_of(optimized(bowl, 3, sampler))


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_go_on_with_the_study(copied):
    study = optimized(bowl, 8)
    study.sampler = copied(study.sampler)
    study.optimize(bowl, n_trials=8)
    assert states_of(study).count("complete") == 16


def test_a_study_can_be_pickled_with_its_sampler():
    study = pickle.loads(pickle.dumps(optimized(bowl, 5)))
    study.optimize(bowl, n_trials=2)
    assert states_of(study).count("complete") == 7


def test_threads_share_a_sampler():
    study = study_of()
    study.optimize(mixed, n_trials=30, n_jobs=3)
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials}) == 30
    assert states_of(study).count("complete") == 30


def work(storage, seed):
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    study = optuna.load_study(study_name="processes", storage=storage, sampler=OscboSampler(seed=seed))
    study.optimize(bowl, n_trials=8)


def test_processes_share_a_storage(sqlite):
    study = study_of(storage=sqlite, study_name="processes")
    processes = multiprocessing.get_context("fork")
    workers = [processes.Process(target=work, args=(sqlite, 1)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert states_of(study).count("complete") == 24
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials[:24]}) == 24
    assert study.best_value < 0.5


def test_after_a_fork_a_new_model_is_made():
    study = optimized(bowl, 5)
    (model,) = study.sampler._models.values()
    assert model.is_of(study)
    model._process = -1
    study.ask()
    assert list(study.sampler._models.values()) != [model]


def test_each_trial_is_told_once(monkeypatch):
    told = []
    tell = oscbo.Optimizer.tell

    def noted(self, *args, **more):
        told.append(args)
        tell(self, *args, **more)

    monkeypatch.setattr(oscbo.Optimizer, "tell", noted)
    optimized(bowl, 20)
    assert len(told) == 19


def test_asks_are_asks_of_the_optimizer():
    study = optimized(bowl, 20)
    optimizer = model_of(study)
    assert optimizer.calibration().predictions > 5
