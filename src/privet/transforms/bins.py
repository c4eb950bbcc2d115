"""Helpers of the counts by bin: their space and their distance."""

from collections import Counter
from typing import Any

import numpy as np

from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance
from privet.transforms.columns import seen


def counts_space(bins: int) -> Space:
    """Return the space of one whole number for each bin."""
    return Space(NumbersDomain(length=bins, kind=int), VectorDistance())


def counts_distance(d_in: int, swaps: int | None, bins: int) -> Parts:
    """Return the largest distance between counts if every row lies in at most one bin.

    Args:
        d_in: The number of rows added and removed.
        swaps: The number of rows replaced, or None if rows are added and removed.
        bins: The number of bins.
    """
    if swaps is None:
        return Parts(l0=min(d_in, bins), l1=d_in, l2_squared=d_in**2, linf=d_in)
    sides = 2 if bins > 1 else 1  # a row leaves one bin and enters another, if there is another
    return Parts(l0=min(sides * swaps, bins), l1=sides * swaps, l2_squared=sides * swaps**2, linf=swaps)


def count_categories(value: Array, categories: tuple[Any, ...]) -> Array:
    """Count the rows of each category; zero and minus zero are the same value."""
    known = seen(value)
    if known.dtype == object:
        by_value = Counter(known.tolist())
        return np.array([by_value[item] for item in categories], dtype=np.int64)
    keys = np.array(categories, dtype=known.dtype)
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys[order], known), len(keys) - 1)]
    return counted(np.where(keys[at] == known, at, -1), len(keys), rest=None)


def counted(at: Array, bins: int, *, rest: int | None) -> Array:
    """Count the rows of each bin.

    Args:
        at: The bin of each row; negative for a row in no bin.
        bins: The number of bins, without the bin of the other rows.
        rest: The number of rows in no bin, for a last bin, or None.
    """
    counts = np.bincount(at[at >= 0], minlength=bins).astype(np.int64)
    return counts if rest is None else np.append(counts, np.int64(rest))
