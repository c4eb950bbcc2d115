"""Plots of a loss: its profile, trade-off curve, distribution and outcomes. Matplotlib is loaded when first used."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.accounting.composition.composable import Composable
from privet.accounting.numerics import read_probability
from privet.accounting.plots.axes import BLUE, GREY, ORANGE, PALE, check_axes, finish_axes, new_axes
from privet.accounting.plots.plot_data import masses_of, outcomes_of, profile_of, tradeoff_of
from privet.core import read_count, read_number, require
from privet.errors import WrongTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(loss: Composable, kind: Any = "profile", **options: Any) -> "Axes":
    """Draw a loss.

    Args:
        loss: What to draw.
        kind: ``profile``, ``tradeoff``, ``distribution`` or ``outcomes``.
        options: Those of ``plot_profile``, ``plot_tradeoff``, ``plot_distribution`` or ``plot_outcomes``; ``ax`` draws
            into existing axes.
    """
    require(isinstance(kind, str) and kind in _KINDS, "Loss.plot.kind", f"one of {', '.join(_KINDS)}", kind)
    draw, known = _KINDS[kind]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise WrongTypeError(f"Loss.plot({kind!r}) takes {', '.join(known)}, got {', '.join(unknown)}.")
    return draw(loss, **options)


def plot_profile(
    loss: Composable, *, ax: Any = None, delta: object = Fraction(1, 10**10), points: Any = 120, lower: Any = 7
) -> "Axes":
    """Draw delta against epsilon: certified from above, with bounds from below that show the slack.

    Args:
        loss: What to draw.
        ax: Axes to draw into; by default new ones.
        delta: How far down to draw.
        points: At how many epsilons.
        lower: At how many of them to compute lower bounds; each takes a composition, zero for none.
    """
    smallest = read_probability("plot.delta", delta)
    require(smallest > 0, "Loss.plot.delta", "above zero, as the axis is logarithmic", smallest)
    check_axes(ax)
    data = profile_of(
        loss, smallest, read_count("Loss.plot.points", points, least=2), read_count("Loss.plot.lower", lower)
    )
    axes = new_axes(ax)
    bottom = _bottom(data.deltas, float(smallest))
    hidden = bottom / 1e6  # a delta of zero lies below the picture: the line leaves it
    axes.plot(data.epsilons, np.maximum(data.deltas, hidden), color=BLUE, label="certified upper bound")
    if np.any(data.below > 0):
        below = np.maximum(data.below, hidden)
        axes.plot(data.places, below, color=ORANGE, marker="^", linestyle="none", label="lower bound")
    gone = data.epsilons[data.deltas <= 0]
    if len(gone) and gone[0] < 0.95 * data.epsilons[-1]:
        note = f"δ = 0 from\nε = {gone[0]:.4g}"
        axes.annotate(note, (gone[0], bottom), (5, 5), textcoords="offset points", color=GREY)
    axes.set(yscale="log", ylim=(bottom, 1.0), xlim=(0.0, float(data.epsilons[-1])))
    axes.set(title="Privacy profile", xlabel="ε", ylabel="δ(ε)")
    return finish_axes(axes, "best")


def plot_tradeoff(loss: Composable, *, ax: Any = None, points: Any = 60) -> "Axes":
    """Draw the errors of tests that try to distinguish neighbours: no test reaches below the curve.

    Args:
        loss: What to draw.
        ax: Axes to draw into; by default new ones.
        points: How many epsilons the curve is made from; more give a closer one.
    """
    check_axes(ax)
    alphas, betas = tradeoff_of(loss, read_count("Loss.plot.points", points, least=2))
    axes = new_axes(ax)
    axes.fill_between(alphas, 0.0, betas, color=BLUE, alpha=PALE, linewidth=0, label="out of reach of tests")
    axes.plot(alphas, betas, color=BLUE, label="certified bound")
    axes.plot([0, 1], [1, 0], color=GREY, linestyle="--", linewidth=1, label="nothing can be learnt")
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title="Trade-off curve")
    axes.set(xlabel="α, error of the first kind", ylabel="β, error of the second kind")
    return finish_axes(axes, "upper right")


def plot_distribution(
    loss: Composable, *, ax: Any = None, step: Any = None, tail: object = Fraction(1, 10**12)
) -> "Axes":
    """Draw how likely each privacy loss is; every mass is rounded up.

    Args:
        loss: What to draw.
        ax: Axes to draw into; by default new ones.
        step: The step of the grid; by default one that suits the picture.
        tail: The probability that may be counted as infinite loss.
    """
    check_axes(ax)
    rare = read_probability("plot.tail", tail)
    data = masses_of(loss, None if step is None else read_number("Loss.plot.step", step), rare)
    axes = new_axes(ax)
    dense, alone = len(data.densities) > 0, len(data.alone) > 0
    if dense:
        axes.stairs(data.densities, data.edges, color=BLUE, fill=True, alpha=2 * PALE)
        axes.stairs(data.densities, data.edges, color=BLUE)
        axes.set(ylim=(0, 1.15 * float(data.densities.max())), ylabel="density (per unit of loss)")
    if alone:
        other = axes.twinx() if dense else axes  # probabilities and densities have no common axis
        other.vlines(data.alone, 0.0, data.heights, color=ORANGE, linewidth=2)
        other.plot(data.alone, data.heights, "o", color=ORANGE)
        other.set(ylim=(0, 1.15 * float(data.heights.max())))
        other.set_ylabel("probability of single losses" if dense else "probability")
        other.spines["top"].set_visible(False)
        if dense:
            axes.yaxis.label.set_color(BLUE)
            other.yaxis.label.set_color(ORANGE)
    title = "Privacy loss distribution" + (" (a record is removed)" if loss.directed else "")
    axes.set(title=title, xlabel="privacy loss")
    axes.locator_params(axis="x", nbins=6)
    if not dense and not alone:
        axes.set(yticks=[], xticks=[])
    if data.infinite > 2 * float(rare):
        note = f"infinite with probability {data.infinite:.3g} →"
        axes.annotate(note, (1, 1), (-6, -6), "axes fraction", "offset points", ha="right", va="top", color=GREY)
    return finish_axes(axes, "best")


def plot_outcomes(loss: Composable, *, ax: Any = None) -> "Axes":
    """Draw the privacy loss against the outcome of a release, above how likely outcomes are for both inputs.

    Args:
        loss: What to draw: the loss of a particular noise, which has ``loss.at(outcome)``.
        ax: Axes to draw into; by default new ones.
    """
    check_axes(ax)
    data = outcomes_of(loss)
    axes = new_axes(ax)
    other = axes.twinx()  # how likely an outcome is has an axis of its own, behind the losses
    axes.set_zorder(other.get_zorder() + 1)
    axes.patch.set_visible(False)
    for heights, color, label in ((data.own, GREY, "the data"), (data.neighbour, ORANGE, "a neighbour")):
        if data.single:
            other.vlines(data.places, 0.0, heights, color=color, alpha=0.5, linewidth=5 if color == GREY else 2)
        else:
            other.fill_between(data.places, 0.0, heights, color=color, alpha=PALE, linewidth=0)
        axes.plot([], [], color=color, alpha=0.5, linewidth=4, label=f"how likely for {label}")
    finite = np.isfinite(data.losses)
    highest = max(float(np.abs(data.losses[finite]).max(initial=0.0)), data.epsilon or 0.0, 1e-9)
    axes.plot(data.places[finite], data.losses[finite], color=BLUE, label="privacy loss", **_POINTS[data.single])
    if not finite.all():  # such outcomes tell the inputs apart for certain
        edge = np.clip(data.losses[~finite], -1.4 * highest, 1.4 * highest)
        axes.plot(data.places[~finite], edge, color=ORANGE, marker="d", linestyle="none", label="infinite (either way)")
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    if data.epsilon is not None:
        for sign, label in ((1, f"±ε = {data.epsilon:.4g}"), (-1, "_")):
            axes.axhline(sign * data.epsilon, color=BLUE, linestyle="--", linewidth=1, label=label)
    axes.set(ylim=(-1.6 * highest, 2.6 * highest), title="Privacy loss by outcome")
    axes.set(xlabel=data.axis, ylabel="privacy loss")
    # outcomes stay in the lower part, under the losses
    other.set(ylim=(0, 3.2 * float(max(data.own.max(), data.neighbour.max()))))
    other.set_ylabel("probability" if data.single else "density", color=GREY)
    other.spines["top"].set_visible(False)
    if data.single and len(data.places) <= 3:
        axes.set_xticks(data.places)
    return finish_axes(axes, "upper right")


_POINTS: dict[bool, dict[str, Any]] = {True: {"marker": "o", "linestyle": "none"}, False: {}}

_KINDS: "dict[str, tuple[Callable[..., Axes], tuple[str, ...]]]" = {
    "profile": (plot_profile, ("ax", "delta", "points", "lower")),
    "tradeoff": (plot_tradeoff, ("ax", "points")),
    "distribution": (plot_distribution, ("ax", "step", "tail")),
    "outcomes": (plot_outcomes, ("ax",)),
}


def _bottom(deltas: "np.ndarray[Any, np.dtype[np.float64]]", smallest: float) -> float:
    """Give a power of ten with some room below the curve, but not below the smallest delta to draw."""
    seen = deltas[deltas > smallest]
    if not len(seen):
        return smallest
    return max(smallest, math.pow(10, min(math.floor(math.log10(seen.min()) - 0.5), -2)))
