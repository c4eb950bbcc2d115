"""Axes and colours of plots. Matplotlib is loaded when first used.

Colour-blind readers can distinguish the colours (Okabe and Ito 2008); lines also differ in their dashes, for print.
"""

from typing import TYPE_CHECKING, Any, Literal

from privet.core import require_type
from privet.errors import UnavailableError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
PALE = 0.15


def check_axes(ax: Any) -> None:
    """Refuse before computing: say what to install, or what is wrong with the axes."""
    try:
        from matplotlib.axes import Axes
    except ImportError:
        raise UnavailableError('plots need matplotlib: pip install "privet[plot]".') from None
    require_type(ax is None or isinstance(ax, Axes), "Loss.plot.ax", "matplotlib axes", ax)


def new_axes(ax: "Axes | None") -> "Axes":
    """Give the axes to draw into; new ones where there are none."""
    from matplotlib import pyplot as plt

    return plt.subplots(layout="constrained")[1] if ax is None else ax


def finish_axes(axes: "Axes", legend: Literal["best", "lower right", "upper right"]) -> "Axes":
    """Take the frame away, and add a legend where there is something to name."""
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, loc=legend)
    return axes
