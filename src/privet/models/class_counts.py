"""Counts of rows by class and code of every feature, from an array or from a table whose engine counts."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.models.binning import Binning, groupings, private_rows, release_count
from privet.models.fit_job import FitJob
from privet.transforms.sums_by_group import SumsByGroup

_CLEAR = 3.0  # deviations of the noise


def rare_classes(classes: Array, totals: Array, noise: float) -> Array:
    """Return the classes whose rows do not stand out from the noise: often they are misspelt.

    Args:
        classes: All classes.
        totals: The noisy number of rows of each.
        noise: About the standard deviation of its noise.

    >>> rare_classes(np.array(["No", "yes"]), np.array([3.0, 5000.0]), 2.0).tolist()
    ['No']
    """
    return np.asarray(classes[totals < _CLEAR * noise])


@frozen(kw_only=True)
class ClassCounts(ABC):
    """What naive Bayes reads: for every feature the number of rows with each code and class.

    Args:
        job: The fit.
    """

    job: FitJob = field(repr=False)

    @abstractmethod
    def release_rows(self, share: Fraction) -> float:
        """Release the number of rows with a class, at least ten."""

    @abstractmethod
    def release(self, binning: Binning, classes: int, share: Fraction) -> tuple[Array, float]:
        """Release all counts, feature by feature, code by code, class by class; and return the noise scale.

        Args:
            binning: The codes of the features.
            classes: How many classes there are.
            share: The part of the budget that the release costs.
        """


@final
@frozen(kw_only=True)
class ArrayCounts(ClassCounts):
    """Counts of rows in memory."""

    def release_rows(self, share: Fraction) -> float:
        """Count rows."""
        return release_count(self.job, share)

    def release(self, binning: Binning, classes: int, share: Fraction) -> tuple[Array, float]:
        """Count rows by their codes."""
        codes, target = binning.codes(self.job.table.columns), np.asarray(self.job.target)
        sizes = [size * classes for size in binning.sizes]
        rows = private_rows(self.job, codes * classes + target[:, None], groupings(sizes))
        found = rows.release("class by category", SumsByGroup(groups=sizes), share=share)
        return np.asarray(found), rows.scale()


@final
@frozen(kw_only=True)
class TableCounts(ClassCounts):
    """Counts that an engine makes; the rows never come into memory.

    The chain of units, its map and its noise are those of ``ArrayCounts``, and so are the whole numbers: the engine
    finds the code of a row by the thresholds at which the code of the array changes.

    Args:
        count: Counts the rows of the table by their codes, in the order of a release.
    """

    count: Any = field(repr=False)

    def release_rows(self, share: Fraction) -> float:
        """Count rows."""
        return max(float(self._release("number of rows", [1], share, lambda: self.count(None))[0]), 10.0)

    def release(self, binning: Binning, classes: int, share: Fraction) -> tuple[Array, float]:
        """Count rows by their codes."""
        sizes = [size * classes for size in binning.sizes]
        found = self._release("class by category", sizes, share, lambda: self.count(binning))
        return found, self.job.account.charges[-1].scale

    def _release(self, name: str, sizes: list[int], share: Fraction, count: Any) -> Array:
        rows = private_rows(self.job, np.empty((0, len(sizes))), groupings(sizes))
        return np.asarray(rows.release_sums(name, SumsByGroup(groups=sizes), share=share, compute=count))
