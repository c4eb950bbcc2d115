"""What a benchmark of models knows about a data set before it reads a row: columns, bounds, categories, the target.

Imports nothing but the standard library: the environment that reads the data uses it too.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Bounds = tuple[float, float]
EPSILONS = (0.3, 1.0, 3.0)
DELTA = 1e-6


class Task(NamedTuple):
    """A data set with a target to predict. All that it holds is public: it comes from codebooks, not from the rows.

    Args:
        name: What the tables call it.
        source: ``library/item``; several items are put one below the other.
        target: The column to predict.
        numbers: Bounds of the columns of numbers.
        categories: All categories of the other columns, in the codebook's order.
        classes: What the target may be, for classification.
        target_bounds: What it may be, for regression.
        target_form: ``as is``, ``log10`` of the target, or ``positive``: whether it is above zero.
        squares: Numbers whose squares linear models get too, after they were moved to [-1, 1].
        seeds: How many splits into a training and a test part.
    """

    name: str
    source: tuple[str, ...]
    target: str
    numbers: Mapping[str, Bounds]
    categories: Mapping[str, Sequence[str | int]] = {}
    classes: tuple[str | int, ...] | None = None
    target_bounds: Bounds | None = None
    target_form: str = "as is"
    squares: tuple[str, ...] = ()
    seeds: int = 10
