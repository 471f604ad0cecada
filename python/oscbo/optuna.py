"""A sampler for Optuna; needs Optuna 3.1 or later (Debian package python3-optuna).

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
    """Samples parameters with :class:`oscbo.Optimizer`, which is told the trials of the study.

    **Parameters.** Floats, ints (both also with log or step) and categories of any objects are modelled together. If a
    parameter is not in all trials, the sampler looks for a condition that explains this: the parameter exists with
    certain choices of a category, or with an int from some value on or up to it. Parameters that no condition explains
    are grouped by the trials they occur in, and each group has its own model. A parameter is drawn at random until a
    trial with it has ended. If its distribution changes, the latest one counts, and trials outside it are left out.

    **Trials.** Running trials, also those of other threads and processes, are pending: the model is conditioned on its
    own mean there, so suggestions stay apart. If a process dies, its trial stays pending, which has no other effect. If
    the storage has a heartbeat, Optuna marks the trial as failed. From trials that fail or have an infinite value, the
    model learns where evaluations succeed. A pruned trial counts with its last intermediate value, limited to the range
    from the median to the worst value of the complete trials, because the evaluation was not finished. Without an
    intermediate value, it counts as failed. When all points of a finite space have been tried, points are drawn at
    random.

    **Seed.** If trials run one after the other, the same seed gives the same study with any storage. Copies of a
    sampler, for example in other processes, read the study from its storage. They draw different numbers, because the
    draws depend on the number of the trial.

    Args:
        seed: the seed of all random numbers; if None, an arbitrary one.
        method: one of :func:`oscbo.methods`.
        options: options of the method by name; see :func:`oscbo.options`.
        constraints_func: called with each complete or pruned trial. Returns numbers that are all at most 0 if the trial
            is acceptable. They are stored where Optuna's samplers store them. Trials without stored numbers are left
            out, with a warning.

    Raises:
        InvalidValueError: the sampler is used for a study with several objectives.
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
        # Refuses invalid arguments now, not in the first trial.
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
        """Changes the seed of later draws. Models are kept, because they know which points are pending."""
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
        """Returns a value for a parameter that :meth:`sample_relative` has not chosen.

        A new parameter is drawn at random. A known parameter is sampled here if its range has changed or if it was
        not expected in this trial. A model of this parameter alone then chooses its value.
        """
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

    # --- models and random draws -----------------------------------------------------------------

    def _model_of(self, study: Study) -> _StudyModel:
        """Returns the model of a study. The sampler keeps only the models of the latest study."""
        # Optuna's Hyperband has a study for each bracket, all with the same name.
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
        """Returns a seed for a trial and a purpose, so that threads and copies need no common state."""
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
    """What is known of a study: its search space, and an optimizer for each block of the space."""

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
        """Whether this model belongs to a study and to this process.

        After a fork, both processes would propose the same points with this model.
        """
        is_study = self._study_name == study.study_name and self._storage is study._storage
        return is_study and self._process == os.getpid()

    def seen(self, trials: Iterable[FrozenTrial]) -> SeenSpace:
        """Returns the space that complete trials have shown or, if there are none, failed and pruned trials.

        Complete trials come first because the others may have ended before they asked for all parameters.
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
        """Returns the blocks of the search space, each with an optimizer that knows all trials but this one."""
        trials = study.get_trials(deepcopy=False)
        blocks = self.seen(trials).blocks(search_space)
        known = self._followers
        self._followers = [self._follower(study, trial, block, known) for block in blocks]
        for follower in self._followers:
            follower.follow(trials, asking=trial.number)
        return list(zip(blocks, self._followers))

    def follower_of_one(self, study: Study, trial: FrozenTrial, parameter: Parameter) -> _Follower | None:
        """Returns an optimizer of one parameter only; None if the parameter is new or cannot be modelled."""
        trials = study.get_trials(deepcopy=False)
        name = parameter.name
        if name not in self.seen(trials).distributions or not is_modelled(parameter.distribution):
            return None
        known = [self._followers_of_one[name]] if name in self._followers_of_one else []
        follower = self._followers_of_one[name] = self._follower(study, trial, Block((parameter,)), known)
        follower.follow(trials, asking=trial.number)
        return follower

    def _follower(self, study: Study, trial: FrozenTrial, block: Block, known: Iterable[_Follower]) -> _Follower:
        """Returns the known follower of a block, or a new one if there is none."""
        for follower in known:
            if follower.is_of(block, self._constraints):
                return follower
        optimizer = self._make_optimizer(study, trial, block, self._constraints)
        return _Follower(block, optimizer, self._constraints)


class _Follower:
    """An optimizer of one block that is told the trials of a study."""

    def __init__(self, block: Block, optimizer: Optimizer, constraints: int) -> None:
        self._block = block
        self._optimizer = optimizer
        self._constraints = constraints
        self._outcomes = _outcome_names(constraints)
        #: the suggestions of running trials, by trial number
        self._pending: dict[int, Suggestion] = {}
        self._settled: set[int] = set()
        #: the values of complete trials
        self._values: list[float] = []

    def is_of(self, block: Block, constraints: int) -> bool:
        return self._block == block and self._constraints == constraints

    def follow(self, trials: Iterable[FrozenTrial], asking: int) -> None:
        """Tells the optimizer all trials except the one that is asking: first ended trials, then running ones."""
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
        """Asks for a point, if possible one with the values that the trial has already."""
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
        """Makes the point that would be suggested now pending for another trial that is still asking for parameters.

        Processes that ask at the same time have the same information and would otherwise choose the same point.
        """
        if not trial.params or self._has_begun(trial):
            self.suggest(trial)

    def _settle(self, trial: FrozenTrial) -> None:
        point = self._block.point(self._final_params(trial))
        if point is None or not self._has_constraints(trial):
            self._abandon(trial.number)
            return
        # Enqueued trials, and trials whose space has changed, differ from the suggested point.
        if not self._is_pending_at(trial.number, point):
            self._abandon(trial.number)
        suggestion = self._pending.pop(trial.number, None)
        self._tell(point if suggestion is None else suggestion, trial)

    def _final_params(self, trial: FrozenTrial) -> dict[str, Any]:
        """Returns the values of a trial. If it ended before it asked for all parameters, adds the suggested values."""
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
