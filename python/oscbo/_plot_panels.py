"""Figures, panels and axes of :mod:`oscbo.plot`."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._history import optional_import
from .errors import InvalidValueError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which colour-blind readers can distinguish; lines also differ in their dashes.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PINK, BLACK = "#56B4E9", "#CC79A7", "#000000"
GREY, PALE = "#7F7F7F", "#D0D0D0"
_LINE_COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PINK, SKY, BLACK)
_DASHES = ("-", "--", ":", "-.")

# If a figure of 4.5 inches is printed 8 cm wide, its text of 9 points becomes 6 points high.
TEXT_SIZE, TICK_SIZE = 9, 8
SINGLE = (4.5, 3.0)

ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncol": 3, "borderaxespad": 0.2}
BEHIND_TEXT = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.6}
BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}


def part_of_matplotlib(name: str) -> Any:
    """Imports a part of matplotlib. Importing oscbo.plot does not need matplotlib."""
    return optional_import(f"matplotlib.{name}", "python3-matplotlib")


@dataclass(frozen=True)
class Panels:
    """The axes to draw in: axes of the user, which keep their style, or our own."""

    figure: Figure
    axes: list[Axes]
    are_ours: bool

    @classmethod
    def of(
        cls, count: int, given: Any, size: tuple[float, float], *, columns: int = 1, sharey: bool = False
    ) -> Panels:
        pyplot = part_of_matplotlib("pyplot")
        if given is not None:
            axes = np.array(given, dtype=object).ravel().tolist()
            if len(axes) != count:
                raise InvalidValueError("axes", f"{len(axes)} were given; use {count}")
            return cls(axes[0].figure, axes, False)
        rows = -(-count // columns)
        figure, grid = pyplot.subplots(
            rows, columns, figsize=size, squeeze=False, sharey=sharey, layout="constrained"
        )
        for spare in grid.flat[count:]:
            spare.remove()
        return cls(figure, grid.flat[:count].tolist(), True)

    def legend(self, ax: Axes, **placement: Any) -> None:
        """Adds a legend: in our own figure at ``placement``, otherwise where it hides least."""
        if not ax.get_legend_handles_labels()[0]:
            return
        tight = {"frameon": False, "handlelength": 1.6, "columnspacing": 1.0, "handletextpad": 0.5}
        ax.legend(**(placement if self.are_ours else {"loc": "best"}), **tight)

    def finish(self) -> None:
        """Applies the style to our own axes."""
        if not self.are_ours:
            return
        for ax in self.figure.axes:
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(which="both", labelsize=TICK_SIZE)
            legend = ax.get_legend()
            for text in [ax.xaxis.label, ax.yaxis.label, ax.title]:
                text.set_fontsize(TEXT_SIZE)
            for text in legend.get_texts() if legend else []:
                text.set_fontsize(TICK_SIZE)

    def finished(self) -> Figure:
        self.finish()
        return self.figure

    def finished_axes(self) -> Axes:
        self.finish()
        return self.axes[0]


def line_style(number: int) -> dict[str, Any]:
    """Returns colour and dashes; the combination is unique for up to 28 lines."""
    turn = number // len(_LINE_COLOURS)
    return {"color": _LINE_COLOURS[number % len(_LINE_COLOURS)], "linestyle": _DASHES[(number + turn) % len(_DASHES)]}


def note(ax: Axes, text: str) -> None:
    """Writes a text in the middle of an empty panel: why there is nothing to draw."""
    lines = textwrap.fill(text, 26)
    middle = {"transform": ax.transAxes, "ha": "center", "va": "center"}
    ax.text(0.5, 0.5, lines, color=GREY, fontsize=TICK_SIZE, bbox=BEHIND_TEXT, **middle)


def dress_evaluations(ax: Axes, count: int) -> None:
    ax.set_xlabel("evaluation")
    ax.set_xlim(0.5, max(count, 1) + 0.5)
    whole_numbers(ax.xaxis)


def whole_numbers(axis: Axis) -> None:
    axis.set_major_locator(part_of_matplotlib("ticker").MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def readable_log_ticks(ax: Axes, which: str) -> None:
    """Labels a short logarithmic axis with plain numbers, because it has few powers of ten."""
    ticker = part_of_matplotlib("ticker")
    axis = getattr(ax, f"{which}axis")
    lower, upper = getattr(ax, f"get_{which}lim")()
    axis.set_minor_formatter(ticker.NullFormatter())
    if upper > 300 * lower:
        return
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    if upper > 3 * lower:
        axis.set_major_locator(ticker.LogLocator(subs=(1, 3) if upper > 30 * lower else (1, 2, 5)))
    else:
        axis.set_major_locator(ticker.MaxNLocator(5))
