"""What the tests of the sampler for Optuna share."""

import math

import pytest

optuna = pytest.importorskip("optuna")

from oscbo.optuna import OscboSampler  # noqa: E402


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory):
    """One database for all tests, since it takes a second to make."""
    return f"sqlite:///{tmp_path_factory.mktemp('optuna')}/studies.db"


def study_of(sampler=None, **more):
    return optuna.create_study(sampler=sampler or OscboSampler(seed=1), **more)


def optimized(objective, n_trials, sampler=None, **more):
    study = study_of(sampler, **more)
    study.optimize(objective, n_trials=n_trials)
    return study


def params_of(study):
    return [trial.params for trial in study.trials]


def bowl(trial):
    return (trial.suggest_float("x", -1, 2) - 0.3) ** 2 + (trial.suggest_float("y", -1, 2) - 0.7) ** 2


def bowl_in_three_steps(trial):
    """Reports values that fall to that of the bowl, and can be pruned on the way."""
    value = bowl(trial)
    for step in range(3):
        trial.report(value + 2 - step, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return value


def mixed(trial):
    x = trial.suggest_float("x", 1e-3, 1, log=True)
    layers = trial.suggest_int("layers", 1, 6)
    kind = trial.suggest_categorical("kind", ["a", "b", "c"])
    return (math.log10(x) + 1.5) ** 2 + (layers - 4) ** 2 + "bac".index(kind)


def two_branches(trial):
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        return 0.1 + (trial.suggest_float("c", 0, 1) - 0.5) ** 2
    return (trial.suggest_int("trees", 1, 20) - 13) ** 2 / 100 + trial.suggest_float("share", 0, 1)


def followers_of(study):
    """The optimizers that the sampler follows the study with."""
    (model,) = study.sampler._models.values()
    return model._followers


def model_of(study):
    """The only one of them, up to date."""
    study.ask()
    (follower,) = followers_of(study)
    return follower._optimizer


def states_of(study):
    return [trial.state for trial in model_of(study).trials]


@pytest.fixture
def random_draws(monkeypatch):
    """The names of the parameters that are drawn at random, in order."""
    names = []
    draw = OscboSampler._draw

    def noted(self, study, trial, name, distribution):
        names.append(name)
        return draw(self, study, trial, name, distribution)

    monkeypatch.setattr(OscboSampler, "_draw", noted)
    return names
