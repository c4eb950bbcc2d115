"""Releases that trees share: the number of rows, and the sums in the leaves of public trees."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array, Bounds
from privet.models.binning import Binning, groupings, private_rows
from privet.models.fit_job import FitJob
from privet.models.private_rows import PrivateRows
from privet.transforms.assign_nodes import AssignNodes, Levels
from privet.transforms.sums_by_group import SumsByGroup


@final
@frozen(kw_only=True)
class Rows:
    """A noisy number of rows.

    Args:
        count: The number.
        noise: The standard deviation of its noise.
    """

    count: float
    noise: float

    def pooled(self, other: "Rows") -> "Rows":
        """Return the mean of two such numbers, weighted by their variances."""
        mine, others = self.noise**2, other.noise**2
        count = (self.count * others + other.count * mine) / (mine + others)
        return Rows(count=count, noise=math.sqrt(mine * others / (mine + others)))


def release_rows(job: FitJob, share: Fraction) -> Rows:
    """Release the number of rows.

    Args:
        job: The fit.
        share: The part of the budget that the release costs.
    """
    rows = private_rows(job, np.zeros((job.table.rows, 1)), [(Fraction(0), Fraction(1))])
    release = rows.release("number of rows", SumsByGroup(groups=[1]), share=share)
    return Rows(count=float(release[0]), noise=deviation(rows))


@final
@frozen(kw_only=True)
class WeightedRows:
    """Private rows of codes, and how much each is of each class: weights that add up to one.

    Args:
        rows: The rows.
        classes: How many classes there are.
    """

    rows: PrivateRows
    classes: int

    def release(self, name: str, trees: Sequence[Levels], *, share: Fraction) -> tuple[list[Array], float]:
        """Release the weights by leaf and class for several trees at once, and return the deviation of the noise.

        A row is in one leaf of each tree: for t trees l1 = t and l2² = t.

        Args:
            name: What is released.
            trees: The public trees.
            share: The part of the budget that the release costs.
        """
        first = self.rows.space.domain.columns - self.classes  # type: ignore[attr-defined]
        nodes = AssignNodes(trees=trees, keep=range(first, first + self.classes))
        leaves = [2 ** len(tree) for tree in trees]
        unit = SumsByGroup(groups=leaves, radius=1, order=1)
        release = np.asarray(self.rows.release(name, nodes, unit, share=share), dtype=np.float64)
        ends = np.cumsum([count * self.classes for count in leaves])
        return [part.reshape(-1, self.classes) for part in np.split(release, ends[:-1])], deviation(self.rows)


def weighted_rows(job: FitJob, binning: Binning, codes: Array, weights: Array) -> WeightedRows:
    """Put codes and weights side by side.

    Args:
        job: The fit.
        binning: The codes of the features.
        codes: The codes of the rows.
        weights: How much each row is of each class.
    """
    sides: list[Bounds] = [*groupings(binning.sizes), *[(Fraction(0), Fraction(1))] * weights.shape[1]]
    rows = private_rows(job, np.concatenate([codes, weights], axis=1), sides)
    return WeightedRows(rows=rows, classes=weights.shape[1])


def deviation(rows: PrivateRows) -> float:
    """Return the standard deviation of the noise of the latest release."""
    return rows.scale() * (math.sqrt(2) if rows.account.spending.form == "pure" else 1.0)
