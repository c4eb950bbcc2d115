"""Which levels of a roll-up are worth measuring: the values of the others are sums, and their shares go to the rest.

Floats choose here; the loss of the chosen noise is certified. Proof: docs/tables/rollup.md.
"""

import math
from collections.abc import Sequence

from privet.core import Array, Parts
from privet.mechanisms.consistent_tree import ConsistentTree
from privet.tables.aggregates.noise import NoiseKind

_WORTH = 0.1  # what the logarithm of the variance must fall by, on average over levels: deviations by 5 %


def levels_worth_measuring(parents: Sequence[Array], moved: Sequence[Parts], kind: NoiseKind) -> tuple[int, ...]:
    """Give 1 for each level that gets noise of its own and 0 for the others; the finest level always does.

    One level after the other is left out, while that makes the product of the mean variances of all levels smaller.

    Args:
        parents: For each level but the first, the position of the parent of each group.
        moved: How far one privacy unit moves the numbers of rows of each level.
        kind: The noise.

    >>> import numpy as np
    >>> once = Parts(l0=1, l1=1, l2_squared=1, linf=1)
    >>> levels_worth_measuring((np.zeros(2, dtype=int),), (once, once), "laplace")
    (0, 1)
    >>> levels_worth_measuring((np.zeros(50, dtype=int),), (once, once), "laplace")
    (1, 1)
    """
    kept = (1,) * len(moved)
    least = _spread(parents, moved, kind, kept)
    while True:
        fewer = [(*kept[:at], 0, *kept[at + 1 :]) for at in range(len(kept) - 1) if kept[at]]
        tried = [(_spread(parents, moved, kind, each), each) for each in fewer]
        if not tried or min(tried)[0] > least - _WORTH * len(moved):
            return kept
        least, kept = min(tried)


def _spread(parents: Sequence[Array], moved: Sequence[Parts], kind: NoiseKind, kept: tuple[int, ...]) -> float:
    """The sum of the logarithms of the mean variances of all levels, where those kept have equal shares."""
    count = sum(kept)
    sizes = [float(each.l1 * count) ** 2 if kind == "laplace" else float(each.l2_squared * count) for each in moved]
    unit = max(sizes)
    known = [size / unit if use else None for size, use in zip(sizes, kept, strict=True)]
    tree = ConsistentTree(parents=tuple(parents), variances=tuple(known))
    levels = tree.power_sums([0.0 if size is None else size for size in known], 2)
    return math.fsum(math.log(float(level.mean()) * unit) for level in levels)
