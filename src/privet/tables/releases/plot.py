"""Plots of releases with error bars. Matplotlib is loaded when first used.

Colour-blind readers can distinguish the colours (Okabe and Ito 2008); lines also differ in their markers, for print.
"""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from privet.accounting.losses.loss import Loss
from privet.core import require_type
from privet.tables.releases.frames import Columns, Table, load
from privet.tables.releases.plot_data import Picture, Series, picture_of
from privet.tables.releases.written_values import interval_texts, label_text, level_text, loss_text, value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#F0E442",
    "#000000",
    "#999999",
    "#882255",
)
_MARKERS = "os^Dv<>Ph*"
_DARK = "#333333"
_SHARE = 0.8  # of the room between two positions that bars take
_LONG_NAMES = 60  # characters of all names below, from which on they are turned
_BARS = {"ecolor": _DARK, "capsize": 3, "elinewidth": 1}


class Plottable(Protocol):
    """What is drawn: a release."""

    @property
    def loss(self) -> Loss:
        """The privacy loss."""

    def layout(self) -> Any:
        """What the columns are."""

    def plotted_rows(self, level: Any) -> Any:
        """The rows to draw, as ``to_dict`` gives them."""


def plot_release(release: Plottable, column: str | None, level: Any, ax: Any) -> "Axes":
    """Draw a column of a release with its intervals.

    Args:
        release: What to draw.
        column: The column; None for the first column of numbers.
        level: That of the intervals.
        ax: Axes to draw into; None for new ones.
    """
    axes_class = load("plot", "matplotlib.axes", "plot").Axes
    require_type(ax is None or isinstance(ax, axes_class), "plot.ax", "matplotlib axes", ax)
    columns, table = release.layout(), release.plotted_rows(level)
    picture = picture_of(columns, table, column)
    axes = new_axes(1)[0] if ax is None else ax
    _DRAWN[picture.form](axes, picture)
    _finish(axes, picture, _title(columns, table, picture, level, release.loss))
    return axes


def new_axes(count: int) -> "list[Axes]":
    """Make axes below each other in one figure."""
    pyplot = load("plot", "matplotlib.pyplot", "plot")
    height = max(4.8, 3.6 * count)
    _, axes = pyplot.subplots(count, 1, layout="constrained", squeeze=False, figsize=(6.4, height))
    return list(axes[:, 0])


def add_title(axes: "Axes", name: str) -> None:
    """Write a name above the title."""
    axes.set_title(f"{_no_formula(label_text(name))}\n{axes.get_title()}", fontsize="medium")


def _no_formula(text: str) -> str:
    """Write a text as it is: a dollar sign would begin a formula."""
    return text.replace("$", r"\$")


def _title(columns: Columns, table: Table, picture: Picture, level: Any, loss: Loss) -> str:
    keys = [label_text(key.name) for key in columns if key.is_key and key.name in table]
    by = f" by {', '.join(keys)}" if keys and picture.form != "points" else ""
    first = f"{picture.y_label}{by}" if picture.form != "points" else ""
    bars = any(np.isfinite(each.low).any() for each in picture.series)
    below = [f"{level_text(level)} interval of the noise"] if bars else []
    if any(np.isinf(each.low).any() or np.isinf(each.high).any() for each in picture.series):
        below.append("dotted: unbounded")
    parts = [first, ", ".join([*below, loss_text(loss)]), picture.left_out]
    return "\n".join(part for part in parts if part)


def _reach(series: Series) -> np.ndarray[Any, Any]:
    """Give how far error bars go down and up; none where an end is unknown or unbounded."""
    with np.errstate(all="ignore"):
        reach = np.maximum(np.stack([series.values - series.low, series.high - series.values]), 0)
    known = np.isfinite(reach).all(axis=0)
    return np.where(known[None, :], reach, np.nan)


def _mark_unbounded(axes: "Axes", series: Series, places: Iterable[Any]) -> None:
    """Draw a dotted line where an interval has no end: a missing bar would look like certainty."""
    for place, *ends in zip(places, series.low, series.high, strict=True):
        if any(map(math.isinf, ends)):
            axes.axvline(place, color=_DARK, linewidth=1, linestyle=":")


def _draw_bins(axes: "Axes", picture: Picture) -> None:
    series = picture.series[0]
    axes.bar(
        series.places,
        series.values,
        picture.widths,
        yerr=_reach(series),
        color=_COLOURS[0],
        edgecolor="white",
        linewidth=1,
        error_kw=_BARS,
    )
    _mark_unbounded(axes, series, series.places)
    if not isinstance(series.places[0], float):
        _write_dates(axes)


def _draw_bars(axes: "Axes", picture: Picture) -> None:
    count = len(picture.series)
    width = _SHARE / count
    for at, series in enumerate(picture.series):
        places = np.asarray(series.places, dtype=np.float64) + (at - (count - 1) / 2) * width
        axes.bar(
            places,
            series.values,
            width,
            yerr=_reach(series),
            color=_COLOURS[at],
            label=_no_formula(series.label) or None,
            error_kw=_BARS,
        )
        _mark_unbounded(axes, series, places)
    _name_positions(axes, picture)


def _draw_line(axes: "Axes", picture: Picture) -> None:
    for at, series in enumerate(picture.series):
        axes.errorbar(
            series.places,
            series.values,
            yerr=_reach(series),
            color=_COLOURS[at],
            marker=_MARKERS[at],
            markersize=4,
            capsize=2,
            elinewidth=1,
            label=_no_formula(series.label) or None,
        )
        _mark_unbounded(axes, series, series.places)
    _write_dates(axes)


def _write_dates(axes: "Axes") -> None:
    """Write dates so that they have room: what they share stands once, at the end of the axis."""
    dates = load("plot", "matplotlib.dates", "plot")
    locator = dates.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def _draw_points(axes: "Axes", picture: Picture) -> None:
    series = picture.series[0]
    axes.errorbar(series.places, series.values, yerr=_reach(series), fmt="o", color=_COLOURS[0], capsize=4)
    _mark_unbounded(axes, series, series.places)
    for place, *parts in zip(series.places, series.values, series.low, series.high, strict=True):
        text, _ = interval_texts(*map(float, parts))
        axes.annotate(text, (place, parts[0]), (8, 0), textcoords="offset points", va="center", color=_DARK)
    axes.set_xlim(-0.5, len(picture.ticks) - 0.3)
    _name_positions(axes, picture)


_DRAWN = {"bins": _draw_bins, "bars": _draw_bars, "line": _draw_line, "points": _draw_points}


def _name_positions(axes: "Axes", picture: Picture) -> None:
    turned = sum(map(len, picture.ticks)) > _LONG_NAMES and len(picture.ticks) > 4
    names = list(map(_no_formula, picture.ticks))
    axes.set_xticks(range(len(names)), names, rotation=90 if turned else 0)


def _finish(axes: "Axes", picture: Picture, title: str) -> None:
    if picture.form != "line":
        axes.axhline(0, color=_DARK, linewidth=0.8)
    plain = list(map(_no_formula, (picture.x_label, picture.y_label, title)))
    axes.set_xlabel(plain[0])
    axes.set_ylabel(plain[1])
    axes.set_title(plain[2], fontsize="medium")
    axes.yaxis.set_major_formatter(lambda value, _: value_text(float(value)))
    axes.spines[["top", "right"]].set_visible(False)
    if len(picture.series) > 1:
        axes.legend(frameon=False)
