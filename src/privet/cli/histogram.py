"""A histogram of guessed scores, in characters."""

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from privet.cli.classroom import Guesses

_EDGES = tuple(range(-400, 601, 100))
_POSSIBLE = "0 to 100"  # the bin that holds every possible score
_LONGEST_BAR = 28
_BESIDE_BAR = 46  # the frame, the labels and the counts


def histogram(guesses: Guesses, console: Console) -> Table:
    """Draw the number of guesses between multiples of one hundred."""
    counts = np.histogram(guesses, bins=[-np.inf, *_EDGES, np.inf])[0].tolist()
    labels = [f"below {_EDGES[0]}", *(f"{edge} to {edge + 100}" for edge in _EDGES[:-1]), f"above {_EDGES[-1]}"]
    width = max(min(_LONGEST_BAR, console.width - _BESIDE_BAR), 1)
    bar = _plain_bar if console.options.ascii_only else _block_bar
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, width=width)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for label, count in zip(labels, counts, strict=True):
        length = width * count / max(counts)
        here = label == _POSSIBLE
        table.add_row(
            label, Text(bar(length), "bold yellow" if here else "blue"), f"{count}", "<- possible" if here else ""
        )
    return table


def _plain_bar(length: float) -> str:
    return "#" * round(length)


def _block_bar(length: float) -> str:
    full, rest = divmod(round(length * 8), 8)
    return "█" * full + ("" if rest == 0 else "▏▎▍▌▋▊▉"[rest - 1])
