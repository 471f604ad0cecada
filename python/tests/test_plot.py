"""What the pictures show."""

import math
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_rgba

import oscbo
from oscbo import bench, plot
from oscbo.errors import InvalidValueError, UnknownNameError, UsageError


@pytest.fixture(autouse=True)
def no_traces():
    """Nothing about matplotlib's settings changes, and every figure is closed."""
    before = dict(matplotlib.rcParams)
    yield
    pyplot.close("all")
    assert dict(matplotlib.rcParams) == before


def valley(x):
    return float((x[0] - 0.3) ** 2 + 0.5 * np.sin(9 * x[1]))


@pytest.fixture(scope="module")
def result():
    """A run in which two evaluations are no longer what the model can expect."""
    surprises = iter([0.0] * 14 + [9.0] + [0.0] * 5 + [-9.0] + [0.0] * 4)
    run = oscbo.minimize(lambda x: valley(x) + next(surprises), [(0, 1), (-1, 1)], budget=25, seed=3)
    assert (run.history.covered[[14, 20]] == 0).all()
    return run


MIXED = {
    "rate": oscbo.Float(1e-4, 0.1, log=True),
    "layers": oscbo.Int(1, 4),
    "solver": oscbo.Categorical(["adam", "sgd"]),
    "momentum": oscbo.Float(0, 1, when={"solver": "sgd"}),
    "nesterov": oscbo.Bool(when={"solver": "sgd"}),
    "batch": oscbo.Ordinal([16, 32, 64]),
    "epochs": oscbo.Fixed(3),
}


def score(params):
    if params["layers"] == 4 and params["batch"] == 16:
        raise MemoryError
    by_solver = 1.5 if params["solver"] == "adam" else params["momentum"]
    return by_solver - (math.log10(params["rate"]) + 2) ** 2 + 0.1 * params["layers"]


@pytest.fixture(scope="module")
def mixed():
    points = [
        {"rate": 0.01, "layers": 2, "solver": "adam", "batch": 32, "epochs": 3},
        {"rate": 0.01, "layers": 4, "solver": "adam", "batch": 16, "epochs": 3},
        {"rate": 0.01, "layers": 2, "solver": "sgd", "momentum": 0.5, "nesterov": True, "batch": 32, "epochs": 3},
    ]
    run = oscbo.maximize(score, MIXED, budget=22, x0=points, catch=MemoryError)
    assert run.nfail > 0
    assert run.params["solver"] == "adam"
    return run


def refusing(x):
    raise ValueError


def lines(ax):
    """The lines with a label, by it."""
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


def texts(ax):
    return " ".join(text.get_text().replace("\n", " ") for text in ax.texts)


def tick_labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def collections(ax, kind):
    return [each for each in ax.collections if type(each) is kind]


# --- history -----------------------------------------------------------------------------------------


def test_history_tells_hits_from_misses(result):
    run = result.history
    drawn = lines(plot.history(result))
    step = np.arange(1, 26)
    for label, chosen in {
        "interval held": run.covered == 1,
        "interval missed": run.covered == 0,
        "no prediction": np.isnan(run.covered),
    }.items():
        assert drawn[label].get_xdata().tolist() == step[chosen].tolist()
        assert drawn[label].get_ydata().tolist() == run.y[chosen].tolist()
        assert chosen.any()
    styles = {(line.get_color(), line.get_marker()) for label, line in drawn.items() if label.startswith("interval")}
    assert len({colour for colour, _ in styles}) == len({marker for _, marker in styles}) == 2
    assert drawn["best so far"].get_ydata().tolist() == run.best.tolist()


def test_history_has_the_intervals_predicted_before(result):
    run = result.history
    ax = plot.history(run)
    held, missed = (np.array(each.get_segments()) for each in collections(ax, LineCollection))
    for segments, chosen in ((held, run.covered == 1), (missed, run.covered == 0)):
        assert segments[:, 0, 0].tolist() == (1 + np.flatnonzero(chosen)).tolist()
        assert segments[:, :, 1].tolist() == np.column_stack([run.lower, run.upper])[chosen].tolist()


def test_history_marks_failures_at_the_bottom(mixed):
    ax = plot.history(mixed.optimizer)
    failed = lines(ax)["failed"]
    assert failed.get_xdata().tolist() == (1 + np.flatnonzero(mixed.history.failed)).tolist()
    assert failed.get_transform() == ax.get_xaxis_transform()


@pytest.mark.parametrize("sign", [1, -1])
def test_history_of_regret(sign):
    optimize = oscbo.minimize if sign == 1 else oscbo.maximize
    run = optimize(lambda x: sign * (2 + (x[0] - 0.5) ** 2), [(0, 1)], budget=12, x0=[[0.5]])
    ax = plot.history(run, optimum=sign * 2.0)
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "regret"
    shown = lines(ax)["no prediction"].get_ydata()
    regret = sign * run.history.y[np.isnan(run.history.covered)] - 2
    assert regret[0] == 0  # which a logarithmic axis has no place for
    assert 0 < shown[0] < regret[regret > 0].min()
    assert ax.get_ylim()[0] < shown[0]
    np.testing.assert_allclose(shown[1:], regret[1:])


def test_history_shows_what_is_not_acceptable_hollow():
    space = oscbo.Space({"a": (0, 1)}, outcomes={"cost": {"upper": 0.5}})
    run = oscbo.maximize(lambda p: oscbo.Measurement(p["a"], outcomes={"cost": p["a"]}), space, budget=12)
    ax = plot.history(run)
    hollow = [line for line in ax.get_lines() if line.get_markerfacecolor() == "white"]
    drawn = np.concatenate([line.get_xdata() for line in hollow])
    assert sorted(drawn) == (1 + np.flatnonzero(~run.history.acceptable)).tolist()
    assert "not acceptable" in lines(ax)


# --- calibration -------------------------------------------------------------------------------------


def test_calibration_has_wilson_bands(result):
    measured = result.calibration
    coverage, _ = plot.calibration(result).axes
    (band,) = collections(coverage, PolyCollection)
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    for each in measured.coverage:
        assert {(each.nominal, each.lower), (each.nominal, each.upper)} <= corners
    drawn = lines(coverage)["measured"]
    assert drawn.get_ydata().tolist() == [each.measured for each in measured.coverage]
    (bar,) = collections(coverage, LineCollection)
    shown = measured.shown
    np.testing.assert_allclose(bar.get_segments()[0], [(shown.nominal, shown.lower), (shown.nominal, shown.upper)])
    low, high = coverage.get_ylim()
    assert low <= min(each.lower for each in measured.coverage) and high >= 1


def test_calibration_has_a_histogram_with_the_band_of_uniform(result):
    _, histogram = plot.calibration(result.calibration).axes
    pit = result.calibration.pit
    bars = [patch.get_height() for patch in histogram.patches if patch.get_label() != "95 % if uniform"]
    assert bars == np.histogram(pit, 5, (0, 1))[0].tolist()
    (band,) = (patch for patch in histogram.patches if patch.get_label() == "95 % if uniform")
    low, high = band.get_xy()[:, 1].min(), band.get_xy()[:, 1].max()
    assert (low, high) == plot._binomial_interval(len(pit), 0.2)


@pytest.mark.parametrize("trials, share", [(1, 0.2), (20, 0.2), (300, 0.1)])
def test_quantiles_of_the_binomial_distribution(trials, share):
    def at_most(count):
        return sum(math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(count + 1))

    for count, level in zip(plot._binomial_interval(trials, share), (0.025, 0.975)):
        assert at_most(count - 1) < level <= at_most(count)


def test_calibration_of_an_outcome():
    task = bench.Task("gardner")
    run = oscbo.maximize(lambda p: oscbo.Measurement(task(p), outcomes=task.outcomes(p)), task.space, budget=14)
    coverage, _ = plot.calibration(run, "c").axes
    expected = [each.measured for each in run.optimizer.calibration("c").coverage]
    assert lines(coverage)["measured"].get_ydata().tolist() == expected
    figure = plot.slice(run, outcome="c")
    assert figure.axes[0].get_ylabel() == "c"
    values = [trial.outcomes["c"].value for trial in run.optimizer.trials]
    assert collections(figure.axes[0], PathCollection)[0].get_offsets()[:, 1].tolist() == values
    for refused in (lambda: plot.calibration(run, "cost"), lambda: plot.slice(run, outcome="cost")):
        with pytest.raises(InvalidValueError, match="cost"):
            refused()
    with pytest.raises(InvalidValueError, match="outcome"):
        plot.calibration(run.calibration, "c")


# --- lengthscales ------------------------------------------------------------------------------------


def test_lengthscales_have_the_names_of_parameters(mixed):
    ax = plot.lengthscales(mixed)
    names = [name for name in MIXED if name != "epochs"]
    known = ~np.isnan(mixed.history.lengthscales[:, 0])
    assert list(lines(ax)) == names
    for k, name in enumerate(names):
        assert lines(ax)[name].get_ydata().tolist() == mixed.history.lengthscales[known, k].tolist()
        assert lines(ax)[name].get_xdata().tolist() == (1 + np.flatnonzero(known)).tolist()
    assert ax.get_yscale() == "log"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.get_lines()}) == len(names)


def test_one_lengthscale_for_all_parameters_says_so():
    run = oscbo.minimize(valley, [(0, 1), (-1, 1)], budget=13, method="gp-ucb-mll")
    assert list(lines(plot.lengthscales(run))) == ["all parameters"]


# --- slice -------------------------------------------------------------------------------------------


def test_slices_go_through_the_recommended_point(result):
    figure = plot.slice(result)
    assert [ax.get_xlabel() for ax in figure.axes] == ["x1", "x2"]
    ax = figure.axes[1]
    mean = ax.get_lines()[1]
    points = np.column_stack([np.full(len(mean.get_xdata()), result.x[0]), mean.get_xdata()])
    predicted = result.optimizer.predict(points)
    np.testing.assert_allclose(mean.get_ydata(), predicted.mean)
    (band,) = collections(ax, PolyCollection)
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((predicted.lower.min(), predicted.upper.max()))
    assert mean.get_xdata()[[0, -1]].tolist() == [-1, 1]
    assert ax.get_lines()[0].get_xdata()[0] == result.x[1]


def test_observations_near_the_slice_are_darker(result):
    ax = plot.slice(result, "x1").axes[0]
    (dots,) = collections(ax, PathCollection)
    assert dots.get_offsets().tolist() == np.column_stack([result.history.x[:, 0], result.history.y]).tolist()
    distance = np.abs(result.history.x[:, 1] - result.x[1])
    opacity = dots.get_facecolors()[:, 3]
    assert np.argmax(opacity) == np.argmin(distance)
    assert np.argmin(opacity) == np.argmax(distance)


def test_slices_of_parameters_of_all_kinds(mixed):
    figure = plot.slice(mixed)
    by_name = {ax.get_xlabel(): ax for ax in figure.axes}
    assert list(by_name) == ["rate", "layers", "solver", "batch"]  # neither fixed nor inactive ones
    assert by_name["rate"].get_xscale() == "log"
    assert tick_labels(by_name["solver"].xaxis) == ["adam", "sgd"]
    assert tick_labels(by_name["batch"].xaxis) == ["16", "32", "64"]
    assert by_name["layers"].get_xticks().tolist() == [1, 2, 3, 4]
    marks = by_name["batch"].containers[0].lines[0]
    assert marks.get_xdata().tolist() == [0, 1, 2]
    points = np.tile(mixed.x, (3, 1))
    points[:, 5] = [16, 32, 64]
    predicted = mixed.optimizer.predict(points)
    np.testing.assert_allclose(marks.get_ydata(), predicted.mean)
    bars = np.array(by_name["batch"].containers[0].lines[2][0].get_segments())
    np.testing.assert_allclose(bars[:, :, 1], np.column_stack([predicted.lower, predicted.upper]))


def test_what_a_slice_makes_active_is_as_in_the_trial_closest_to_the_best(mixed):
    ax = plot.slice(mixed, "solver").axes[0]
    run = mixed.history
    with_momentum = np.flatnonzero(~np.isnan(run.x[:, 3]) & ~run.failed)
    closest = run.x[with_momentum[np.argmin(np.abs(run.y[with_momentum] - mixed.fun))]]
    point = mixed.x.copy()
    point[2:5] = 1, closest[3], closest[4]
    mean = ax.containers[0].lines[0].get_ydata()[1]
    assert mean == pytest.approx(mixed.optimizer.predict([point]).mean[0])


def test_what_a_slice_makes_active_may_be_fixed_or_make_more_active():
    space = {
        "depth": oscbo.Float(0, 1, when={"nested": True}),
        "nested": oscbo.Bool(when={"kind": "b"}),
        "weight": oscbo.Fixed("heavy", when={"kind": "b"}),
        "kind": oscbo.Categorical(["a", "b"]),
    }
    run = oscbo.maximize(lambda p: 2.0 if p["kind"] == "a" else p.get("depth", 0.0), space, budget=14)
    at = {"kind": "a"}
    marks = plot.slice(run, at=at).axes[0].containers[0].lines[0]
    assert not np.isnan(marks.get_ydata()).any()
    assert [ax.get_xlabel() for ax in plot.slice(run, at=at).axes] == ["kind"]


def test_a_slice_at_another_point(mixed):
    at = {"rate": 0.001, "layers": 2, "solver": "sgd", "momentum": 0.5, "nesterov": True, "batch": 16, "epochs": 3}
    figure = plot.slice(mixed, at=at)
    by_name = {ax.get_xlabel(): ax for ax in figure.axes}
    assert list(by_name) == ["rate", "layers", "solver", "momentum", "nesterov", "batch"]
    assert tick_labels(by_name["nesterov"].xaxis) == ["False", "True"]
    assert by_name["momentum"].get_lines()[0].get_xdata()[0] == 0.5


def test_slices_keep_to_mixtures_and_constraints():
    space = oscbo.Space(
        {"water": (0, 1), "salt": (0, 1), "sugar": (0, 1)},
        mixtures=[{"parameters": ["water", "salt", "sugar"]}],
        constraints=["salt <= 0.4"],
    )
    run = oscbo.maximize(lambda p: -((p["salt"] - 0.2) ** 2) - p["sugar"] ** 2, space, budget=14)
    at = {"water": 0.6, "salt": 0.1, "sugar": 0.3}
    mean = plot.slice(run, "salt", at=at).axes[0].get_lines()[1]
    salt, known = mean.get_xdata(), ~np.isnan(mean.get_ydata())
    assert (known == (salt <= 0.4)).all()
    rest = 1 - salt[known]
    points = np.column_stack([rest * 2 / 3, salt[known], rest / 3])
    np.testing.assert_allclose(mean.get_ydata()[known], run.optimizer.predict(points).mean)


def test_observations_far_off_do_not_flatten_a_slice():
    def cliff(x):
        return x[0] + 1000 * max(0.0, x[1] - 0.5) ** 2

    run = oscbo.minimize(cliff, [(0, 1), (0, 1)], budget=16, x0=[[0.5, 1.0]])
    ax = plot.slice(run, "x1", at=[0.5, 0.0]).axes[0]
    (band,), (dots,) = collections(ax, PolyCollection), collections(ax, PathCollection)
    is_close = dots.get_facecolors()[:, 3] > 0.1 + 0.7 * 0.3
    shown = np.concatenate([band.get_paths()[0].vertices[:, 1], dots.get_offsets()[is_close, 1]])
    low, high = ax.get_ylim()
    margin = 0.05 * (shown.max() - shown.min())
    assert (low, high) == pytest.approx((shown.min() - margin, shown.max() + margin))
    assert len(dots.get_offsets()) == 16 and run.history.y.max() > high


def test_what_cannot_be_varied(mixed):
    with pytest.raises(InvalidValueError, match="epochs is fixed"):
        plot.slice(mixed, "epochs")
    with pytest.raises(InvalidValueError, match="momentum is not active"):
        plot.slice(mixed, "momentum")
    with pytest.raises(UnknownNameError, match="depth"):
        plot.contour(mixed, "rate", "depth")
    with pytest.raises(InvalidValueError, match="two parameters"):
        plot.contour(mixed, "rate", "rate")
    with pytest.raises(InvalidValueError, match="at"):
        plot.slice(mixed, at=np.full(7, 99.0))
    with pytest.raises(UsageError, match="History"):
        plot.slice(mixed.history)
    with pytest.raises(UsageError, match="list"):
        plot.history([1, 2])
    with pytest.raises(UsageError, match="History"):
        plot.calibration(mixed.history)
    assert pyplot.get_fignums() == []


# --- contour -----------------------------------------------------------------------------------------


def test_contour_has_mean_and_deviation_over_levels(mixed):
    mean, deviation, *_ = plot.contour(mixed, "layers", "batch").axes
    points = np.tile(mixed.x, (12, 1))
    points[:, 1] = np.tile([1, 2, 3, 4], 3)
    points[:, 5] = np.repeat([16, 32, 64], 4)
    predicted = mixed.optimizer.predict(points)
    for ax, expected in ((mean, predicted.mean), (deviation, predicted.sd)):
        np.testing.assert_allclose(collections(ax, QuadMesh)[0].get_array().ravel(), expected)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("layers", "batch")
        assert tick_labels(ax.yaxis) == ["16", "32", "64"]
    assert (mean.get_title(), deviation.get_title()) == ("mean", "standard deviation")


def test_contour_has_observations_failures_and_the_point(mixed):
    ax = plot.contour(mixed, "rate", "layers").axes[0]
    run = mixed.history
    points = {line.get_marker(): np.column_stack(line.get_data()) for line in ax.get_lines()}
    assert points["o"].tolist() == run.x[~run.failed][:, :2].tolist()
    assert points["x"].tolist() == run.x[run.failed][:, :2].tolist()
    assert points["*"].tolist() == [mixed.x[:2].tolist()]
    assert ax.get_xscale() == "log" and ax.get_yscale() == "linear"


def test_contour_is_blank_where_a_parameter_is_not_active(mixed):
    at = {"rate": 0.001, "layers": 2, "solver": "sgd", "momentum": 0.5, "nesterov": True, "batch": 16, "epochs": 3}
    ax = plot.contour(mixed, "solver", "momentum", at=at).axes[0]
    (cells,) = collections(ax, QuadMesh)
    assert np.ma.getmaskarray(cells.get_array()).reshape(-1, 2).all(axis=0).tolist() == [True, False]
    (dots,) = (line for line in ax.get_lines() if line.get_marker() == "o")
    assert set(dots.get_xdata()) == {1.0}


def test_posterior_optimizer_and_study_give_the_same_picture(tmp_path):
    space = {"a": (0, 1), "b": (-1, 1)}
    study = oscbo.Study.create("valley", space, storage=tmp_path / "x.db", goal="minimize", budget=14, seed=5)
    stored = study.optimize(lambda p: valley([p["a"], p["b"]]))
    run = oscbo.minimize(lambda p: valley([p["a"], p["b"]]), space, budget=14, seed=5)
    means = []
    for source in (study, stored, run, run.optimizer, run.optimizer.posterior()):
        ax = plot.slice(source, "b").axes[0]
        means.append(ax.get_lines()[1].get_ydata().tolist())
        assert collections(ax, PathCollection)[0].get_offsets()[:, 0].tolist() == run.history.x[:, 1].tolist()
    assert all(mean == means[0] for mean in means)
    for draw in (plot.history, plot.lengthscales, plot.parallel_coordinates, plot.calibration):
        draw(study)


# --- parallel coordinates ----------------------------------------------------------------------------


def test_parallel_coordinates_have_a_line_for_each_trial(mixed):
    ax = plot.parallel_coordinates(mixed)
    grey, coloured = collections(ax, LineCollection)
    run = mixed.history
    assert len(grey.get_segments()) == run.failed.sum()
    order = np.argsort(run.y[~run.failed])
    assert coloured.get_array().tolist() == run.y[~run.failed][order].tolist()  # the best is drawn last
    heights = np.array(coloured.get_segments())[:, :, 1]
    x = run.x[~run.failed][order]
    np.testing.assert_allclose(heights[:, 0], np.log10(x[:, 0] / 1e-4) / 3)
    np.testing.assert_allclose(heights[:, 1], (x[:, 1] - 1) / 3)
    assert (heights[np.isnan(x[:, 3]), 3] < 0).all()
    np.testing.assert_allclose(heights[:, 5], np.searchsorted([16, 32, 64], x[:, 5]) / 2)
    assert (heights[0, 6], heights[-1, 6]) == (0, 1)
    assert coloured.get_linewidths()[-1] == max(coloured.get_linewidths())


def test_parallel_coordinates_are_labelled(mixed):
    ax = plot.parallel_coordinates(mixed)
    assert tick_labels(ax.xaxis) == ["rate", "layers", "solver", "momentum", "nesterov", "batch", "value"]
    at = {(round(text.get_position()[0] + 0.05), text.get_text()): text.get_position()[1] for text in ax.texts}
    assert at[2, "adam"] == 0 and at[2, "sgd"] == 1
    assert at[5, "32"] == 0.5
    assert at[0, "0.01"] == pytest.approx(2 / 3)
    assert at[3, "not active"] < 0 and (1, "not active") not in at


def test_the_best_is_dark_whatever_the_goal():
    for sign, optimize in ((1, oscbo.minimize), (-1, oscbo.maximize)):
        ax = plot.parallel_coordinates(optimize(lambda x: sign * x[0], [(0, 1)], budget=8))
        (coloured,) = collections(ax, LineCollection)
        ax.figure.canvas.draw()
        brightness = coloured.get_colors()[:, :3].sum(axis=1)
        assert brightness[-1] == brightness.min() < brightness[0]


# --- regret ------------------------------------------------------------------------------------------


def experiment():
    """Two methods on two tasks, three seeds, two initial points and two steps; one regret is 0."""
    rows = [
        (task, method, seed, step, scale * factor * (1 + seed) / (step + 2))
        for task, scale in (("flat", 1.0), ("steep", 100.0))
        for method, factor in (("auto", 0.0), ("random", 5.0))
        for seed in range(3)
        for step in range(-1, 3)
    ]
    names = ("task", "method", "seed", "step", "simple_regret")
    return bench.Runs({name: np.array(column) for name, column in zip(names, zip(*rows))})


@pytest.mark.parametrize("statistic", ["median", "mean"])
def test_regret_has_the_middle_and_the_quartiles(statistic):
    runs = experiment()
    figure = plot.regret(runs, "steep", statistic=statistic)
    (ax,) = figure.axes
    regrets = runs.of("steep", "random")[:, 1:]
    drawn = lines(ax)["random"]
    assert drawn.get_xdata().tolist() == [0, 1, 2]
    assert drawn.get_ydata().tolist() == getattr(np, statistic)(regrets, axis=0).tolist()
    band = collections(ax, PolyCollection)[1]
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    lower, upper = np.quantile(regrets, [0.25, 0.75], axis=0)
    assert corners == {*enumerate(lower), *enumerate(upper)}
    assert ax.get_yscale() == "log" and statistic in ax.get_ylabel()
    assert (lines(ax)["auto"].get_ydata() > 0).all()  # 0 has no place on a logarithmic axis
    assert (lines(ax)["auto"].get_ydata() < regrets.min()).all()


def test_regret_of_several_tasks_has_several_panels():
    figure = plot.regret(experiment())
    assert [ax.get_title() for ax in figure.axes] == ["flat", "steep"]
    colours = [[line.get_color() for line in lines(ax).values()] for ax in figure.axes]
    assert colours[0] == colours[1]
    assert list(lines(plot.regret(experiment(), methods=["random"]).axes[0])) == ["random"]


def test_regret_refuses_what_is_not_there():
    for arguments, match in (
        ({"task": "hilly"}, "hilly.*flat, steep"),
        ({"methods": ["best"]}, "best.*auto, random"),
        ({"statistic": "mode"}, "median"),
        ({"methods": []}, "nothing"),
    ):
        with pytest.raises((UnknownNameError, InvalidValueError), match=match):
            plot.regret(experiment(), **arguments)
    assert pyplot.get_fignums() == []


# --- figures -----------------------------------------------------------------------------------------


def test_pictures_go_into_axes_of_the_user(result):
    figure, grid = pyplot.subplots(3, 3)
    size = grid[0, 0].xaxis.label.get_fontsize()
    single = (plot.history, plot.lengthscales, plot.parallel_coordinates)
    for draw, ax in zip(single, grid[0]):
        assert draw(result, ax=ax) is ax
    assert plot.slice(result, axes=grid[1, :2]) is figure
    assert plot.slice(result, "x1", axes=grid[1, 2]) is figure
    assert plot.calibration(result, axes=grid[2, :2]) is figure
    assert plot.regret(experiment(), "flat", axes=grid[2, 2]) is figure
    assert pyplot.get_fignums() == [figure.number]
    assert grid[0, 0].xaxis.label.get_fontsize() == size
    assert grid[0, 0].spines["top"].get_visible()
    with pytest.raises(InvalidValueError, match="3 were given; use 2"):
        plot.contour(result, "x1", "x2", axes=grid[0])


def test_our_own_figures_are_legible_when_8_cm_wide(result):
    for drawn in (plot.history(result), plot.calibration(result), plot.slice(result)):
        figure = getattr(drawn, "figure", drawn)
        shrunk = 8 / 2.54 / figure.get_size_inches()[0]
        assert min(label.get_fontsize() for ax in figure.axes for label in ax.get_xticklabels()) * shrunk > 4.5
        assert not figure.axes[0].spines["top"].get_visible()


ONE = [(0, 1)]
EDGES = {
    "nothing told": lambda: oscbo.Optimizer([(0, 1), (0, 1)]),
    "initial design": lambda: oscbo.minimize(valley, [(0, 1), (0, 1)], budget=4),
    "all failed": lambda: oscbo.maximize(refusing, [(0, 1), (0, 1)], budget=14, catch=ValueError),
    "random": lambda: oscbo.minimize(valley, [(0, 1), (0, 1)], budget=14, method="random"),
    "one parameter": lambda: oscbo.maximize(lambda x: x[0], ONE, budget=13),
    "constant": lambda: oscbo.minimize(lambda x: 1.0, ONE, budget=13),
    "two points": lambda: oscbo.minimize(lambda p: float(p["a"]), {"a": oscbo.Bool()}, budget=4),
}


@pytest.mark.parametrize("name", EDGES)
def test_pictures_of_edge_cases(name):
    source = EDGES[name]()
    drawn = {"history": plot.history(source).figure}
    drawn |= {draw.__name__: draw(source) for draw in (plot.calibration, plot.slice)}
    drawn |= {draw.__name__: draw(source).figure for draw in (plot.lengthscales, plot.parallel_coordinates)}
    optimizer = source if isinstance(source, oscbo.Optimizer) else source.optimizer
    if len(optimizer.space) == 2:
        drawn["contour"] = plot.contour(source, "x1", "x2")
    # Drawing takes long; these are the ones with marks beyond the axes.
    for name_of_picture in {"history", "contour", "parallel_coordinates"} & set(drawn):
        drawn[name_of_picture].canvas.draw()
    if name not in ("one parameter", "constant"):
        assert "no predictions yet" in texts(drawn["calibration"].axes[0])
        assert "no lengthscales" in texts(drawn["lengthscales"].axes[0])
        assert "model: there is none" in texts(drawn["slice"].axes[0])
    expected = {"all failed": "every evaluation failed", "nothing told": "nothing evaluated yet"}.get(name, "")
    assert texts(drawn["history"].axes[0]) == expected


def test_many_levels_are_drawn_as_a_line():
    space = {"width": oscbo.Int(1, 5000, log=True), "share": oscbo.Float(0, 1, step=0.25)}
    run = oscbo.maximize(lambda p: math.log(p["width"]) * p["share"], space, budget=13)
    figure = plot.slice(run)
    width, share = figure.axes
    at = width.get_lines()[1].get_xdata()
    assert (at == np.round(at)).all() and at[0] == 1 and at[-1] == 5000 and len(at) > 50
    assert share.get_xticks().tolist() == [0, 0.25, 0.5, 0.75, 1]
    many = oscbo.Ordinal(range(100, 200))
    ax = plot.slice(oscbo.maximize(lambda p: p["size"], {"size": many}, budget=13)).axes[0]
    assert len(ax.get_xticks()) <= 12 and tick_labels(ax.xaxis)[:2] == ["100", "109"]
    assert share.containers[0].lines[0].get_xdata().tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_hits_and_misses_are_told_apart_without_colours(result):
    ax = plot.history(result)
    held, missed = lines(ax)["interval held"], lines(ax)["interval missed"]
    assert held.get_marker() != missed.get_marker()
    brightness = [sum(to_rgba(line.get_color())[:3]) for line in (held, missed)]
    assert brightness[0] != brightness[1]


# --- without matplotlib ------------------------------------------------------------------------------


def test_without_matplotlib_the_error_names_the_package(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot.history, plot.calibration, plot.lengthscales, plot.slice, plot.parallel_coordinates):
        with pytest.raises(ImportError, match="matplotlib.*apt install python3-matplotlib"):
            draw(result)


def test_importing_needs_no_matplotlib():
    code = "import sys; sys.modules['matplotlib'] = None; import oscbo.plot; print(oscbo.plot.__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "parallel_coordinates" in done.stdout
