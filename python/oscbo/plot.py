"""Plots of runs, models and experiments; needs matplotlib.

>>> import oscbo, oscbo.plot
>>> result = oscbo.minimize(lambda x: (x[0] - 0.3) ** 2 + x[1], [(0, 1), (0, 1)], budget=15)
>>> axes = oscbo.plot.history(result)
>>> axes.get_ylabel()
'value'
>>> axes.figure.savefig("history.svg")  # doctest: +SKIP

``history``, ``lengthscales`` and ``parallel_coordinates`` have one panel; they take ``ax`` and return it. The other
functions take ``axes``, one per panel, and return the figure. If no axes are given, a function makes a figure with
pyplot: ``pyplot.show()`` shows it and ``pyplot.close()`` closes it. matplotlib's settings are not changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray
from ._history import History, gain_over
from ._minimize import Result
from ._optimizer import Optimizer
from ._plot_panels import (
    ABOVE,
    BEHIND_TEXT,
    BESIDE,
    BLACK,
    BLUE,
    GREY,
    PALE,
    SINGLE,
    SKY,
    TICK_SIZE,
    VERMILLION,
    Panels,
    dress_evaluations,
    line_style,
    note,
    part_of_matplotlib,
    readable_log_ticks,
    whole_numbers,
)
from ._plot_space import NOT_ACTIVE, Model, Modelled, Parameter, free_parameters
from ._records import Calibration, Predictions
from ._study import Study
from .bench import Runs
from .errors import InvalidValueError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["history", "calibration", "lengthscales", "slice", "contour", "parallel_coordinates", "regret"]

#: Objects whose history can be drawn.
Run = Union[Result, Optimizer, Study, History]

_CURVE_POINTS = 120
_SURFACE_POINTS = 40


# --- history ---------------------------------------------------------------------------------------


def history(source: Run, *, optimum: float | None = None, ax: Axes | None = None) -> Axes:
    """Draws the values, the best value so far, and the interval that was predicted for each value.

    Values inside and outside their interval differ in colour and shape. Hollow marks are values whose outcomes violate
    their limits; crosses at the bottom are failed evaluations.

    Args:
        optimum: the best possible value. If it is given, the plot shows the distance from it on a logarithmic scale.
    """
    run = _history_of(source)
    panels = Panels.of(1, ax, SINGLE)
    ax = panels.axes[0]
    scale = _ValueScale(run, optimum)
    held, missed = run.covered == 1, run.covered == 0
    _draw_best(ax, run, scale)
    _draw_intervals(ax, run, scale, held, BLUE)
    _draw_intervals(ax, run, scale, missed, VERMILLION)
    _draw_values(ax, run, scale, held, "interval held", color=BLUE, marker="o")
    _draw_values(ax, run, scale, missed, "interval missed", color=VERMILLION, marker="D")
    _draw_values(ax, run, scale, ~(held | missed | run.failed), "no prediction", color=GREY, marker="o")
    _draw_exceptions(ax, run)
    scale.dress(ax)
    dress_evaluations(ax, len(run))
    if run.failed.all():
        note(ax, "every evaluation failed" if len(run) else "nothing evaluated yet")
        ax.set_yticks([])
    panels.legend(ax, **ABOVE)
    return panels.finished_axes()


class _ValueScale:
    """How values are drawn: unchanged, or as the distance from the optimum."""

    def __init__(self, run: History, optimum: float | None) -> None:
        self._optimum = optimum
        self._goal = run.goal
        if optimum is not None:
            regrets = gain_over(run.goal, optimum, run.y[~run.failed])
            #: where regrets of 0 are drawn, and regrets that noise makes negative
            self._floor = 0.5 * min(regrets[regrets > 0.0], default=1e-12)

    def values(self, values: FloatArray) -> FloatArray:
        return self._regret(values, 1.0)

    def ends(self, values: FloatArray) -> FloatArray:
        """Returns the ends of intervals as they are drawn. Ends beyond the optimum are below the visible part."""
        return self._regret(values, 1e-3)

    def _regret(self, values: FloatArray, share_of_floor: float) -> FloatArray:
        if self._optimum is None:
            return values
        regrets: FloatArray = np.maximum(
            gain_over(self._goal, self._optimum, values), share_of_floor * self._floor
        )
        return regrets

    def dress(self, ax: Axes) -> None:
        if self._optimum is None:
            ax.set_ylabel("value")
            return
        ax.set_ylabel("regret")
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.6 * self._floor)


def _draw_best(ax: Axes, run: History, scale: _ValueScale) -> None:
    if not np.isnan(run.best).all():
        best = scale.values(run.best)
        ax.plot(_steps(run), best, color=BLACK, linewidth=1.2, drawstyle="steps-post", label="best so far")


def _draw_intervals(
    ax: Axes, run: History, scale: _ValueScale, chosen: NDArray[np.bool_], colour: str
) -> None:
    ends = scale.ends(run.lower[chosen]), scale.ends(run.upper[chosen])
    ax.vlines(_steps(run)[chosen], *ends, color=colour, alpha=0.35, linewidth=1.6, zorder=1.5)


def _draw_values(
    ax: Axes, run: History, scale: _ValueScale, chosen: NDArray[np.bool_], label: str, **style: Any
) -> None:
    """Draws the chosen values, hollow if they are not acceptable."""
    if not chosen.any():
        return
    step, values = _steps(run), scale.values(run.y)
    full, hollow = chosen & run.acceptable, chosen & ~run.acceptable
    ax.plot(step[full], values[full], linestyle="none", markersize=4, label=label, **style)
    ax.plot(step[hollow], values[hollow], linestyle="none", markersize=4, markerfacecolor="white", **style)


def _draw_exceptions(ax: Axes, run: History) -> None:
    """Draws failures at the bottom. If there are hollow marks, adds their meaning to the legend."""
    if not run.acceptable[~run.failed].all():
        ax.plot([], [], "o", color=GREY, markerfacecolor="white", markersize=4, label="not acceptable")
    if run.failed.any():
        step, height = _steps(run)[run.failed], np.full(run.failed.sum(), 0.03)
        at_the_bottom = {"transform": ax.get_xaxis_transform()}
        ax.plot(step, height, "x", color=BLACK, markersize=5, label="failed", **at_the_bottom)


def _steps(run: History) -> NDArray[np.int64]:
    return np.arange(1, len(run) + 1)


# --- calibration -----------------------------------------------------------------------------------


def calibration(
    source: Result | Optimizer | Study | Calibration,
    outcome: str | None = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> Figure:
    """Draws how far predictions could be trusted, in two panels.

    Left: the share of observations inside their intervals against the nominal share, with Wilson 95 % intervals. The
    predictions can be trusted where the Wilson intervals contain the diagonal. Right: a histogram of the predicted
    quantiles of the observations. It is flat if predictions are calibrated; each bar then ends in the grey band with a
    probability of 95 %.
    """
    measured = _calibration_of(source, outcome)
    panels = Panels.of(2, axes, (5.2, 2.8), columns=2)
    _draw_coverage(panels.axes[0], measured)
    _draw_pit(panels.axes[1], measured.pit)
    for ax in panels.axes:
        panels.legend(ax, **(ABOVE | {"ncol": 2}))
    return panels.finished()


def _draw_coverage(ax: Axes, measured: Calibration) -> None:
    levels = [each for each in measured.coverage if measured.predictions]
    nominal = [each.nominal for each in levels]
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, zorder=1)
    if levels:
        lower, upper = [each.lower for each in levels], [each.upper for each in levels]
        ax.fill_between(nominal, lower, upper, color=BLUE, alpha=0.2, linewidth=0, label="Wilson 95 %")
        ax.plot(nominal, [each.measured for each in levels], "o-", color=BLUE, markersize=4, label="measured")
        shown = measured.shown
        # If all intervals held, rounding may put the upper end of 1 below the measured share.
        error = [[max(0.0, shown.measured - shown.lower)], [max(0.0, shown.upper - shown.measured)]]
        ax.errorbar(
            [shown.nominal], [shown.measured], error, fmt="D", color=VERMILLION, markersize=5, label="intervals shown"
        )
    else:
        note(ax, "no predictions yet")
    least = min([0.5, *(each.lower for each in [*levels, measured.shown] if levels)])
    ax.set_xlim(0.45, 1.0)
    ax.set_ylim(math.floor(10 * least) / 10, 1.02)
    ax.set_xlabel("nominal coverage")
    ax.set_ylabel("measured coverage")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(part_of_matplotlib("ticker").PercentFormatter(1.0, decimals=0))


def _draw_pit(ax: Axes, pit: FloatArray) -> None:
    if len(pit) == 0:
        note(ax, "no predictions yet")
    else:
        bins = 10 if len(pit) >= 50 else 5
        lower, upper = _binomial_interval(len(pit), 1.0 / bins)
        ax.axhspan(lower, upper, color=PALE, linewidth=0, label="95 % if uniform", zorder=0)
        ax.hist(pit, bins=bins, range=(0, 1), color=SKY, edgecolor="white")
        for height, dashes in ((lower, "-"), (len(pit) / bins, "--"), (upper, "-")):
            ax.axhline(height, color=GREY, linestyle=dashes, linewidth=1)
        whole_numbers(ax.yaxis)
    ax.set_xlim(0, 1)
    ax.set_xlabel("predicted quantile (PIT)")
    ax.set_ylabel("observations")


def _binomial_interval(trials: int, share: float) -> tuple[int, int]:
    """Returns the 2.5 and the 97.5 % quantile of how many of the trials succeed."""
    log_factorial = np.array([math.lgamma(k + 1) for k in range(trials + 1)])
    successes = np.arange(trials + 1)
    log_choices = log_factorial[-1] - log_factorial - log_factorial[::-1]
    mass = np.exp(log_choices + successes * math.log(share) + (trials - successes) * math.log1p(-share))
    lower, upper = np.searchsorted(np.cumsum(mass), [0.025, 0.975])
    return int(lower), min(int(upper), trials)


# --- lengthscales ----------------------------------------------------------------------------------


def lengthscales(source: Run, *, ax: Axes | None = None) -> Axes:
    """Draws the lengthscales of the model along the run. The shorter a lengthscale, the more its parameter matters.

    Lengthscales refer to inputs scaled to [0, 1]. Depending on the method, there is one per parameter or one for all.
    """
    run = _history_of(source)
    panels = Panels.of(1, ax, SINGLE)
    ax = panels.axes[0]
    step = _steps(run)
    # Points of the initial design and points that were told without being asked have no lengthscales.
    known = ~np.isnan(run.lengthscales).all(axis=1)
    for k, name in enumerate(_lengthscale_names(run)):
        ax.plot(step[known], run.lengthscales[known, k], linewidth=1.4, label=name, **line_style(k))
    if known.any():
        ax.set_yscale("log")
        readable_log_ticks(ax, "y")
        panels.legend(ax, **BESIDE)
    else:
        note(ax, "no lengthscales: no model yet, or the method has none")
        ax.set_yticks([])
    ax.set_ylabel("lengthscale")
    dress_evaluations(ax, len(run))
    return panels.finished_axes()


def _lengthscale_names(run: History) -> list[str]:
    count = run.lengthscales.shape[1]
    names = [parameter.name for parameter in free_parameters(run.space)]
    if count == len(names):
        return names
    # The settings of a kernel without lengthscales do not belong to parameters, and their number differs.
    return ["all parameters"] if count == 1 else [f"setting {k + 1}" for k in range(count)]


# --- slice -----------------------------------------------------------------------------------------


def slice(
    source: Modelled,
    parameters: str | Sequence[str] | None = None,
    *,
    at: Any = None,
    outcome: str | None = None,
    axes: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """Draws the predictions of the model along each parameter, with the other parameters as at the recommended point.

    The line is the mean, and the band is the predicted interval of an observation. Parameters with few levels have
    marks with bars instead. Dots are observations. The more an observation differs from the line in the other
    parameters, the paler its dot. If one part of a mixture changes, the other parts keep their proportions. A parameter
    that becomes active takes its value from the trial whose result is closest to that of the recommended point. Points
    that violate a constraint are left out.

    Args:
        parameters: a name, or several (default: all parameters that are active at the point).
        at: the point to use instead of the recommended one, as an array or by names.
        outcome: the outcome whose model is drawn, instead of the model of the value.
    """
    model = Model(source, outcome, at)
    chosen = model.chosen_parameters(parameters)
    columns = min(3, max(1, len(chosen)))
    rows = -(-len(chosen) // columns)
    size = SINGLE if len(chosen) == 1 else (2.2 * columns + 0.4, 1.9 * rows + 0.3)
    panels = Panels.of(len(chosen), axes, size, columns=columns, sharey=True)
    shown = np.concatenate([_draw_slice(ax, model, parameter) for ax, parameter in zip(panels.axes, chosen)])
    for panel, ax in enumerate(panels.axes):
        _show_values(ax, shown)
        if panel % columns == 0 or not panels.are_ours:
            ax.set_ylabel(outcome or "value")
    return panels.finished()


def _draw_slice(ax: Axes, model: Model, parameter: Parameter) -> FloatArray:
    """Draws one panel. Returns the values that must be visible: intervals, and observations close to the line."""
    values = parameter.values(_CURVE_POINTS)
    predicted = model.predictions([{parameter.index: value} for value in values])
    closeness = model.closeness(parameter)
    parameter.dress(ax, "x", margin=0.03)
    _draw_observations(ax, model, parameter, closeness)
    if model.has_point:
        ax.axvline(parameter.place(model.base[parameter.index]), color=GREY, linestyle=":", linewidth=1, zorder=1)
    if predicted is None:
        note(ax, model.reason)
        return model.y
    _draw_prediction(ax, parameter, parameter.place(values), predicted)
    return np.concatenate([predicted.lower, predicted.upper, model.y[closeness > 0.3]])


def _draw_prediction(ax: Axes, parameter: Parameter, place: FloatArray, predicted: Predictions) -> None:
    if parameter.has_few_levels:
        half = 0.5 * predicted.width
        ax.errorbar(place, predicted.mean, half, fmt="s", color=BLUE, markersize=5, capsize=3, zorder=3)
    else:
        ax.fill_between(place, predicted.lower, predicted.upper, color=BLUE, alpha=0.2, linewidth=0)
        ax.plot(place, predicted.mean, color=BLUE, linewidth=1.4)


def _draw_observations(ax: Axes, model: Model, parameter: Parameter, closeness: FloatArray) -> None:
    seen = model.observed
    colours = np.zeros((seen.sum(), 4))
    colours[:, 3] = 0.1 + 0.7 * closeness[seen]
    place = parameter.place(model.x[seen, parameter.index])
    if parameter.has_few_levels and not parameter.is_log:
        place = place - 0.15 * (parameter.step or 1.0)  # beside the bar
    ax.scatter(place, model.y[seen], 10, colours, linewidths=0, zorder=2)


def _show_values(ax: Axes, values: FloatArray) -> None:
    """Fits the axis to these values. Other values may be far off, so they are ignored."""
    known = values[~np.isnan(values)]
    if len(known) and known.max() > known.min():
        margin = 0.05 * (known.max() - known.min())
        ax.set_ylim(known.min() - margin, known.max() + margin)


# --- contour ---------------------------------------------------------------------------------------


def contour(
    source: Modelled,
    first: str,
    second: str,
    *,
    at: Any = None,
    outcome: str | None = None,
    axes: Sequence[Axes] | None = None,
) -> Figure:
    """Draws the mean (left) and standard deviation (right) of the model over two parameters.

    The other parameters are as at the recommended point, which is the star; ``at``, mixtures, parameters that become
    active and constraints work as in :func:`slice`. Dots are observations, whatever their other parameters are; crosses
    are failures.
    """
    model = Model(source, outcome, at)
    across, up = model.parameter(first), model.parameter(second)
    if across == up:
        raise InvalidValueError("second", f"is {second!r}, the same as the first; use two parameters")
    columns, rows = across.values(_SURFACE_POINTS), up.values(_SURFACE_POINTS)
    changes = [{across.index: column, up.index: row} for row in rows for column in columns]
    predicted = model.predictions(changes)
    panels = Panels.of(2, axes, (6.4, 2.7), columns=2)
    for ax, part, colours in zip(panels.axes, ("mean", "sd"), ("viridis", "Greys")):
        if predicted is None:
            note(ax, model.reason)
        else:
            surface = getattr(predicted, part).reshape(len(rows), len(columns))
            _draw_surface(ax, across, up, columns, rows, surface, colours)
        _draw_points(ax, model, across, up)
        across.dress(ax, "x")
        up.dress(ax, "y")
    panels.axes[0].set_title(f"mean of {outcome}" if outcome else "mean")
    panels.axes[1].set_title("standard deviation")
    return panels.finished()


def _draw_surface(
    ax: Axes,
    across: Parameter,
    up: Parameter,
    columns: FloatArray,
    rows: FloatArray,
    surface: FloatArray,
    colours: str,
) -> None:
    place = across.place(columns), up.place(rows)
    if np.isnan(surface).all():
        note(ax, "no such points")
        return
    if across.has_few_levels or up.has_few_levels:
        drawn = ax.pcolormesh(*place, surface, cmap=colours, shading="nearest")
    else:
        drawn = ax.contourf(*place, surface, levels=12, cmap=colours)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.outline.set_visible(False)


def _draw_points(ax: Axes, model: Model, across: Parameter, up: Parameter) -> None:
    """Draws observations, failures and the point of the plot. Marks on the border of the panel are not clipped."""
    x, y = across.place(model.x[:, across.index]), up.place(model.x[:, up.index])
    are_active = ~np.isnan(x + y)
    seen, failed = are_active & model.observed, are_active & ~model.observed
    rim: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    _draw_marks(ax, x[seen], y[seen], marker="o", markersize=3.5, color=BLACK, **rim)
    _draw_marks(ax, x[failed], y[failed], marker="x", markersize=4, color=BLACK)
    if model.has_point:
        here = across.place(model.base[[across.index]]), up.place(model.base[[up.index]])
        _draw_marks(ax, *here, marker="*", markersize=11, color=VERMILLION, **rim)


def _draw_marks(ax: Axes, x: FloatArray, y: FloatArray, **style: Any) -> None:
    if len(x):  # the extent of an unclipped line without points is infinite
        ax.plot(x, y, linestyle="none", clip_on=False, **style)


# --- parallel coordinates --------------------------------------------------------------------------


def parallel_coordinates(source: Run, *, ax: Axes | None = None) -> Axes:
    """Draws each trial as a line across axes for its parameters and its value. The best trials are dark and on top.

    If a parameter is not active, the line passes below its axis. Grey lines are trials that failed or are not
    acceptable.
    """
    run = _history_of(source)
    parameters = free_parameters(run.space)
    value = _value_axis(run.y[~run.failed])
    columns = [each.height(run.x[:, each.index]) for each in parameters]
    heights = np.column_stack([*columns, value.share(run.y)])
    panels = Panels.of(1, ax, (max(4.5, 0.9 * len(parameters) + 1.5), 3.0))
    ax = panels.axes[0]
    usable = run.acceptable & ~run.failed
    if not usable.all():
        _draw_lines(ax, heights[~usable], colors=PALE, linewidths=0.7, zorder=1, label="failed or not acceptable")
        panels.legend(ax, **ABOVE)
    if usable.any():
        _draw_by_value(ax, heights[usable], run.y[usable], run.goal)
    for column, parameter in enumerate([*parameters, value]):
        _draw_axis(ax, column, parameter)
    ax.set_xlim(-0.5, len(parameters) + 0.3)
    ax.set_ylim(NOT_ACTIVE - 0.06 if any(each.is_conditional for each in parameters) else -0.04, 1.04)
    panels.finish()
    _dress_columns(ax, [*(each.name for each in parameters), "value"])
    return ax


def _value_axis(values: FloatArray) -> Parameter:
    """Returns the last axis: the values, from the smallest to the largest."""
    lower, upper = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    return Parameter(-1, "value", float(lower), float(upper))


def _draw_lines(ax: Axes, heights: FloatArray, **style: Any) -> None:
    """Draws a line per row. A row that ends with NaN has a line without the last axis."""
    lines = [np.column_stack([np.arange(len(row)), row])[~np.isnan(row)] for row in heights]
    ax.add_collection(part_of_matplotlib("collections").LineCollection(lines, **style))


def _draw_by_value(ax: Axes, heights: FloatArray, y: FloatArray, goal: str) -> None:
    """Draws the lines, the best ones dark and on top. The worst quarter may be far off, so it shares a colour."""
    order = np.argsort(y if goal == "maximize" else -y, kind="stable")
    ends = (np.quantile(y, 0.25), y.max()) if goal == "maximize" else (y.min(), np.quantile(y, 0.75))
    _draw_lines(
        ax,
        heights[order],
        array=y[order],
        norm=part_of_matplotlib("colors").Normalize(*ends),
        cmap="viridis_r" if goal == "maximize" else "viridis",
        linewidths=np.linspace(0.5, 1.8, len(order)),
        alpha=0.85,
        zorder=2,
    )


def _dress_columns(ax: Axes, names: list[str]) -> None:
    """Writes names below our own axes, and removes the frame and ticks of matplotlib."""
    is_crowded = max(map(len, names)) > 13
    ax.set_xticks(range(len(names)))
    ax.set_xticklabels(names, rotation=20 if is_crowded else 0, ha="right" if is_crowded else "center")
    ax.set_yticks([])
    ax.tick_params(axis="x", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _draw_axis(ax: Axes, column: int, parameter: Parameter) -> None:
    ax.plot([column, column], [0, 1], color=GREY, linewidth=0.8, zorder=3)
    ticks = [(parameter.share(np.array([value]))[0], text) for value, text in parameter.ticks()]
    if parameter.is_conditional:
        ticks.append((NOT_ACTIVE, "not active"))
    for height, text in ticks:
        ax.plot([column - 0.03, column], [height, height], color=GREY, linewidth=0.8, zorder=3)
        size = TICK_SIZE - 1
        ax.text(column - 0.05, height, text, ha="right", va="center", fontsize=size, zorder=4, bbox=BEHIND_TEXT)


# --- regret ----------------------------------------------------------------------------------------


def regret(
    runs: Runs,
    task: str | Sequence[str] | None = None,
    *,
    methods: Sequence[str] | None = None,
    statistic: str = "median",
    axes: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """Draws the simple regret of methods along their runs: median over seeds, with a band between the quartiles.

    Evaluations are counted from the end of the initial design, which all methods share. There is a panel per task.

    Args:
        task: the name of a task, or several (default: all tasks).
        methods: the methods to draw, in this order (default: all methods).
        statistic: "median" or "mean".
    """
    if statistic not in ("median", "mean"):
        raise InvalidValueError("statistic", f"{statistic!r} is not accepted; use median | mean")
    tasks = _chosen_names("task", [task] if isinstance(task, str) else task, runs.tasks)
    drawn = _chosen_names("methods", methods, runs.methods)
    curves = [_regrets(runs, each, drawn) for each in tasks]
    columns = min(3, len(tasks))
    rows = -(-len(tasks) // columns)
    size = SINGLE if len(tasks) == 1 else (2.3 * columns + 1.2, 2.1 * rows + 0.2)
    panels = Panels.of(len(tasks), axes, size, columns=columns)
    for panel, (ax, name, by_method) in enumerate(zip(panels.axes, tasks, curves)):
        for method, (step, regrets) in by_method.items():
            _draw_regret(ax, step, regrets, statistic, method, line_style(drawn.index(method)))
        ax.set_title(name)
        ax.set_yscale("log")
        readable_log_ticks(ax, "y")
        ax.set_xlabel("evaluations")
        if panel % columns == 0 or not panels.are_ours:
            ax.set_ylabel(f"simple regret ({statistic})")
    panels.legend(panels.axes[columns - 1], **BESIDE)
    return panels.finished()


def _chosen_names(field: str, chosen: Sequence[str] | None, known: list[str]) -> list[str]:
    names = known if chosen is None else list(chosen)
    for name in names:
        if name not in known:
            raise UnknownNameError(field, f"there is no {name!r}; the runs are of {', '.join(known)}")
    if not names:
        raise InvalidValueError(field, "is empty; there is nothing to draw")
    return names


def _regrets(runs: Runs, task: str, methods: list[str]) -> dict[str, tuple[NDArray[Any], FloatArray]]:
    """Returns, by method, the steps from 0 (the end of the initial design) on, and their regrets (seeds, steps)."""
    curves = {}
    for method in methods:
        if ((runs["task"] == task) & (runs["method"] == method)).any():
            step = runs.of(task, method, "step")[0]
            curves[method] = step[step >= 0], runs.of(task, method)[:, step >= 0]
    positive = [regrets[regrets > 0.0].min() for _, regrets in curves.values() if (regrets > 0.0).any()]
    # A logarithmic axis has no 0; a regret of 0 is drawn below all others.
    floor = 0.5 * min(positive, default=1e-12)
    return {method: (step, np.maximum(regrets, floor)) for method, (step, regrets) in curves.items()}


def _draw_regret(
    ax: Axes, step: NDArray[Any], regrets: FloatArray, statistic: str, label: str, style: dict[str, Any]
) -> None:
    middle = np.median(regrets, axis=0) if statistic == "median" else regrets.mean(axis=0)
    lower, upper = np.quantile(regrets, [0.25, 0.75], axis=0)
    ax.fill_between(step, lower, upper, color=style["color"], alpha=0.15, linewidth=0)
    ax.plot(step, middle, linewidth=1.5, label=label, **style)


# --- what is drawn ---------------------------------------------------------------------------------


def _history_of(source: Run) -> History:
    if isinstance(source, History):
        return source
    if isinstance(source, Result):
        return source["history"]  # type: ignore[no-any-return]
    if isinstance(source, (Optimizer, Study)):
        return source.history()
    raise UsageError("source", f"{type(source).__name__} is not accepted; use a Result, Optimizer, Study or History")


def _calibration_of(source: Any, outcome: str | None) -> Calibration:
    if isinstance(source, Result):
        source = source["optimizer"]
    if isinstance(source, (Optimizer, Study)):
        return source.calibration(outcome)
    if not isinstance(source, Calibration):
        accepted = "use a Result, Optimizer, Study or Calibration"
        raise UsageError("source", f"{type(source).__name__} is not accepted; {accepted}")
    if outcome is not None:
        raise InvalidValueError("outcome", "needs a Result, Optimizer or Study")
    return source
