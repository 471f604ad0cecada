"""A sampler for Optuna; needs Optuna 3 (Debian package python3-optuna).

>>> import optuna
>>> from oscbo.optuna import OscboSampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=OscboSampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", -5, 10) - 2) ** 2, n_trials=15)
>>> study.best_value < 1e-3
True
"""

from __future__ import annotations

import math
import os
import statistics
import threading
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import FloatArray
from ._history import optional_import
from ._optimizer import Optimizer
from ._records import Suggestion
from .errors import Error, ExhaustedError, InvalidValueError

optional_import("optuna", "python3-optuna")

from optuna.distributions import BaseDistribution  # noqa: E402
from optuna.samplers import BaseSampler, RandomSampler  # noqa: E402
from optuna.samplers._base import _CONSTRAINTS_KEY  # noqa: E402
from optuna.storages import BaseStorage  # noqa: E402
from optuna.study import Study  # noqa: E402
from optuna.trial import FrozenTrial, TrialState  # noqa: E402

from ._optuna_space import Block, Distributions, Parameter, SeenSpace, is_modelled  # noqa: E402

__all__ = ["OscboSampler"]

ConstraintsFunc = Callable[[FrozenTrial], Sequence[float]]

#: Optuna's system attribute with the values of an enqueued trial.
_FIXED_PARAMS_KEY = "fixed_params"


class OscboSampler(BaseSampler):
    """Samples parameters by an :class:`oscbo.Optimizer` that follows the study.

    **Parameters.** Floats and ints with log or step, and categories of any objects, are modelled together. A
    parameter that is not in all trials has a condition where the trials show one: it exists with certain choices
    of a category, or from or up to a value of an int. What no condition explains is modelled in groups of
    parameters that occur together. A parameter is drawn at random only until a trial with it has ended. Where its
    distribution changes, the latest one counts, and trials outside of it are left out.

    **Trials.** Running ones, also those of other threads and processes, are pending: the model expects its own mean
    there and looks elsewhere. A trial of a process that died stays so, which does no other harm, unless the
    storage has a heartbeat, by which Optuna fails it. Trials that fail, or whose value is infinite, teach where
    evaluations succeed. A pruned trial counts with its last intermediate value, moved to between the median and the
    worst of the complete trials, since it is not the value of a whole evaluation; one that reported none, as
    failed. Once all points of a finite space have been tried, points are drawn at random.

    **Seed.** The same seed gives the same study, one trial after the other, whatever the storage. Copies of a
    sampler, as other processes have them, read the study from its storage, and differ in what they draw, since
    each trial has its own number.

    Args:
        seed: of everything that is drawn; any if None.
        method: one of :func:`oscbo.methods`.
        options: those of the method, by the names that :func:`oscbo.options` lists.
        constraints_func: called with a trial that has ended with a value; returns numbers that are 0 or less where
            the trial is acceptable. They are stored where Optuna's samplers store them. Trials for which none
            are stored are left out, with a warning.

    Raises:
        InvalidValueError: when it is asked for a study with several objectives.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        method: str = "auto",
        options: Mapping[str, Any] | None = None,
        constraints_func: ConstraintsFunc | None = None,
    ) -> None:
        self._seed = _any_seed() if seed is None else _arrays.whole(seed, "seed")
        self._method = method
        self._options = dict(options or {})
        self._constraints_func = constraints_func
        self._forget()
        # What is wrong with the arguments is said here, not in the first trial.
        Optimizer([(0.0, 1.0)], seed=self._seed, method=method, options=self._options)

    def _forget(self) -> None:
        self._lock = threading.RLock()
        self._models: dict[tuple[str, Any], _StudyModel] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_models")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """Draws differently from now on. A model goes on: it knows which points are under way."""
        self._seed = _any_seed()

    # --- Optuna's protocol -----------------------------------------------------------------------

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        if len(study.directions) > 1:
            raise InvalidValueError("study", "has several objectives; OscboSampler optimises one")
        with self._lock:
            return self._model_of(study).seen(study.get_trials(deepcopy=False)).distributions

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        params: dict[str, Any] = {}
        if not search_space:
            return params
        with self._lock:
            for block, follower in self._model_of(study).followers(study, trial, search_space):
                params.update(follower.suggest(trial) or self._drawn(study, trial, block))
        return params

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Draws a parameter at random when it is new. One that is known is here if it has got another range, or was
        not expected in this trial; it is chosen by a model of its own."""
        with self._lock:
            follower = self._model_of(study).follower_of_one(study, trial, Parameter(param_name, param_distribution))
            if follower is not None and (suggested := follower.suggest(trial)):
                return suggested[param_name]
        return self._draw(study, trial, param_name, param_distribution)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        if self._constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        constraints = _checked_constraints(self._constraints_func(trial))
        study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS_KEY, constraints)

    # --- what it samples with --------------------------------------------------------------------

    def _model_of(self, study: Study) -> _StudyModel:
        """The model of a study; of the latest one only."""
        # To Optuna's Hyperband, each bracket is a study of its own with the same name.
        key = (study.study_name, getattr(study, "_bracket_id", None))
        model = self._models.get(key)
        if model is None or not model.is_of(study):
            self._models = {other: each for other, each in self._models.items() if each.is_of(study)}
            model = self._models[key] = _StudyModel(study, self._make_optimizer, self._constraints_func is not None)
        return model

    def _make_optimizer(self, study: Study, trial: FrozenTrial, block: Block, constraints: int) -> Optimizer:
        return Optimizer(
            block.space(_outcome_names(constraints)),
            goal=study.direction.name.lower(),
            method=self._method,
            seed=self._seed_for(trial, *block.names),
            options=self._options,
        )

    def _drawn(self, study: Study, trial: FrozenTrial, block: Block) -> dict[str, Any]:
        return {each.name: self._draw(study, trial, each.name, each.distribution) for each in block.parameters}

    def _draw(self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution) -> Any:
        sampler = RandomSampler(seed=self._seed_for(trial, name))
        return sampler.sample_independent(study, trial, name, distribution)

    def _seed_for(self, trial: FrozenTrial, *names: str) -> int:
        """A seed for each trial and purpose, so that threads and copies need not agree on a state."""
        purpose = zlib.crc32("\0".join(names).encode())
        return int(np.random.SeedSequence([self._seed, trial.number, purpose]).generate_state(1)[0])


def _any_seed() -> int:
    return int(np.random.SeedSequence().generate_state(1)[0])


def _outcome_names(constraints: int) -> list[str]:
    return [f"constraint {number}" for number in range(1, constraints + 1)]


def _checked_constraints(values: Any) -> tuple[float, ...]:
    field = "constraints_func"
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, str):
        raise InvalidValueError(field, f"returned {values!r}; a sequence of numbers is needed")
    constraints = tuple(_arrays.number(value, field) for value in values)
    if any(math.isnan(value) for value in constraints):
        raise InvalidValueError(field, f"returned {constraints}; NaN is neither acceptable nor not")
    return constraints


class _StudyModel:
    """What is known of a study: its search space, and an optimizer for each block of it."""

    def __init__(
        self,
        study: Study,
        make_optimizer: Callable[[Study, FrozenTrial, Block, int], Optimizer],
        is_constrained: bool,
    ) -> None:
        self._study_name: str = study.study_name
        self._storage: BaseStorage = study._storage
        self._process = os.getpid()
        self._make_optimizer = make_optimizer
        self._is_constrained = is_constrained
        self._constraints = 0
        self._ended: set[int] = set()
        self._complete_space = SeenSpace()
        self._other_space = SeenSpace()
        self._followers: list[_Follower] = []
        self._followers_of_one: dict[str, _Follower] = {}

    def is_of(self, study: Study) -> bool:
        """Whether it belongs to a study. A forked process makes its own, since both would propose the same."""
        is_study = self._study_name == study.study_name and self._storage is study._storage
        return is_study and self._process == os.getpid()

    def seen(self, trials: Iterable[FrozenTrial]) -> SeenSpace:
        """Returns the space of the complete trials; while there are none, that of those which failed or were pruned.

        These may have ended before they asked for all parameters.
        """
        for trial in trials:
            if trial.state.is_finished() and trial.number not in self._ended:
                self._ended.add(trial.number)
                is_complete = trial.state == TrialState.COMPLETE
                (self._complete_space if is_complete else self._other_space).add(trial)
                self._constraints = self._constraints or len(self._constraints_of(trial))
        return self._complete_space or self._other_space

    def _constraints_of(self, trial: FrozenTrial) -> Sequence[float]:
        return trial.system_attrs.get(_CONSTRAINTS_KEY) or () if self._is_constrained else ()

    def followers(self, study: Study, trial: FrozenTrial, search_space: Distributions) -> list[tuple[Block, _Follower]]:
        """Returns the blocks of the search space, each with an optimizer that knows everything up to this trial."""
        trials = study.get_trials(deepcopy=False)
        blocks = self.seen(trials).blocks(search_space)
        known = self._followers
        self._followers = [self._follower(study, trial, block, known) for block in blocks]
        for follower in self._followers:
            follower.follow(trials, asking=trial.number)
        return list(zip(blocks, self._followers))

    def follower_of_one(self, study: Study, trial: FrozenTrial, parameter: Parameter) -> _Follower | None:
        """Returns an optimizer of one parameter only; None if it was in no trial before."""
        trials = study.get_trials(deepcopy=False)
        name = parameter.name
        if name not in self.seen(trials).distributions or not is_modelled(parameter.distribution):
            return None
        known = [self._followers_of_one[name]] if name in self._followers_of_one else []
        follower = self._followers_of_one[name] = self._follower(study, trial, Block((parameter,)), known)
        follower.follow(trials, asking=trial.number)
        return follower

    def _follower(self, study: Study, trial: FrozenTrial, block: Block, known: Iterable[_Follower]) -> _Follower:
        """The optimizer of a block among those known; a new one where there is none."""
        for follower in known:
            if follower.is_of(block, self._constraints):
                return follower
        optimizer = self._make_optimizer(study, trial, block, self._constraints)
        return _Follower(block, optimizer, self._constraints)


class _Follower:
    """An optimizer of one block, told what the trials of a study come to."""

    def __init__(self, block: Block, optimizer: Optimizer, constraints: int) -> None:
        self._block = block
        self._optimizer = optimizer
        self._constraints = constraints
        self._outcomes = _outcome_names(constraints)
        #: by the numbers of running trials
        self._pending: dict[int, Suggestion] = {}
        self._settled: set[int] = set()
        #: of complete trials
        self._values: list[float] = []

    def is_of(self, block: Block, constraints: int) -> bool:
        return self._block == block and self._constraints == constraints

    def follow(self, trials: Iterable[FrozenTrial], asking: int) -> None:
        """Takes note of all trials but the one that is asking for its parameters; of values before points."""
        others = [trial for trial in trials if trial.number not in self._settled and trial.number != asking]
        for trial in others:
            if trial.state.is_finished():
                self._settle(trial)
                self._settled.add(trial.number)
        for trial in others:
            if trial.state == TrialState.RUNNING:
                self._see_running(trial)
                if trial.number < asking and trial.number not in self._pending:
                    self._expect(trial)

    def suggest(self, trial: FrozenTrial) -> dict[str, Any] | None:
        """Returns values for a trial; None if all points have been tried."""
        self._abandon(trial.number)
        try:
            suggestion = self._ask({**trial.system_attrs.get(_FIXED_PARAMS_KEY, {}), **trial.params})
        except ExhaustedError:
            return None
        self._pending[trial.number] = suggestion
        return self._block.params(suggestion.x)

    def _ask(self, fixed: Mapping[str, Any]) -> Suggestion:
        """The next point; one with those values that a trial has already, if there is one."""
        point = self._block.point(fixed)
        if point is not None:
            return self._open(point)
        given = self._block.given(fixed)
        try:
            return self._optimizer.ask(given=given)
        except Error:
            if not given:
                raise
        return self._optimizer.ask()

    def _open(self, point: FloatArray) -> Suggestion:
        self._optimizer.queue(point)
        return self._optimizer.ask()

    def _see_running(self, trial: FrozenTrial) -> None:
        point = self._block.point(trial.params)
        if point is not None and not self._is_pending_at(trial.number, point):
            self._abandon(trial.number)
            self._pending[trial.number] = self._open(point)

    def _expect(self, trial: FrozenTrial) -> None:
        """Supposes that a trial which is asking for its parameters gets what would be suggested now.

        Processes that ask at the same time know the same, and would choose the same point.
        """
        if not trial.params or self._has_begun(trial):
            self.suggest(trial)

    def _settle(self, trial: FrozenTrial) -> None:
        point = self._block.point(self._final_params(trial))
        if point is None or not self._has_constraints(trial):
            self._abandon(trial.number)
            return
        # Enqueued trials, and those of spaces that change, are not where they were asked.
        if not self._is_pending_at(trial.number, point):
            self._abandon(trial.number)
        suggestion = self._pending.pop(trial.number, None)
        self._tell(point if suggestion is None else suggestion, trial)

    def _final_params(self, trial: FrozenTrial) -> dict[str, Any]:
        """The values of a trial; of one that ended before it asked for all of them, with the others as suggested."""
        suggestion = self._pending.get(trial.number)
        if trial.state == TrialState.COMPLETE or suggestion is None or not self._has_begun(trial):
            return trial.params
        return {**self._block.params(suggestion.x), **trial.params}

    def _has_begun(self, trial: FrozenTrial) -> bool:
        return any(name in trial.params for name in self._block.names)

    def _tell(self, where: FloatArray | Suggestion, trial: FrozenTrial) -> None:
        value = self._value(trial)
        outcomes = dict(zip(self._outcomes, trial.system_attrs.get(_CONSTRAINTS_KEY) or ()))
        if value is None or not all(map(math.isfinite, [value, *outcomes.values()])):
            self._optimizer.tell_failed(where)
            return
        if trial.state == TrialState.COMPLETE:
            self._values.append(value)
        self._optimizer.tell(where, value, outcomes=outcomes)

    def _value(self, trial: FrozenTrial) -> float | None:
        if trial.state == TrialState.FAIL or trial.value is None:
            return None
        if trial.state == TrialState.PRUNED and self._values:
            worst = (max if self._optimizer.goal == "minimize" else min)(self._values)
            low, high = sorted([statistics.median(self._values), worst])
            return min(max(trial.value, low), high)
        return trial.value

    def _has_constraints(self, trial: FrozenTrial) -> bool:
        if trial.state == TrialState.FAIL or not self._constraints:
            return True
        has_them = len(trial.system_attrs.get(_CONSTRAINTS_KEY) or ()) == self._constraints
        if not has_them:
            warnings.warn("trials without these constraints in the storage are left out of the model", stacklevel=2)
        return has_them

    def _is_pending_at(self, number: int, point: FloatArray) -> bool:
        suggestion = self._pending.get(number)
        return suggestion is not None and np.array_equal(suggestion.x, point, equal_nan=True)

    def _abandon(self, number: int) -> None:
        suggestion = self._pending.pop(number, None)
        if suggestion is not None:
            self._optimizer.abandon(suggestion)
