"""Where the target of a regression lies within its bounds, from noisy counts; narrow targets need less noise."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.models.binning import private_rows
from privet.models.features import Numeric
from privet.models.fit_job import FitJob
from privet.models.leaf_sums import deviation
from privet.models.signal import Signal
from privet.transforms.sums_by_group import SumsByGroup

_BINS = 32
_BEYOND, _MOST_BEYOND = 0.01, 0.04  # the part of the rows that may lie beyond an end, without noise and with it
_SURE = 2.0  # deviations of noise
_WORTH = 8  # the fewest bins whose cut saves more noise than it moves targets
_FEWEST = 2  # bins that are left: of one alone all predictions would be nearly equal
_LOUD = 2.5  # deviations of noise above which rows are seen in one of many sums


@final
@frozen(kw_only=True)
class TargetRange:
    """A part of the bounds of the target, in units in which the bounds are -1 and 1.

    Args:
        lower: Its lower end; lower targets are moved to it.
        upper: Its upper end; higher targets are moved to it.
        counts: The noisy rows in bins of equal width between the bounds.
        noise: The standard deviation of their noise.
    """

    lower: float
    upper: float
    counts: Array = field(eq=False)
    noise: float

    @property
    def rows(self) -> float:
        """The noisy number of rows."""
        return float(self.counts.sum())

    @property
    def noise_of_rows(self) -> float:
        """The standard deviation of its noise."""
        return self.noise * math.sqrt(len(self.counts))

    def ends(self, column: Numeric) -> tuple[float, float]:
        """Return the ends in the units of the data.

        Args:
            column: The public bounds of the target.
        """
        return column.middle + column.half * self.lower, column.middle + column.half * self.upper

    def noted(self, signal: Signal, column: Numeric) -> Signal:
        """Add to a judgement that targets beyond the ends are moved to them, where ends were cut off.

        Args:
            signal: The judgement.
            column: The public bounds of the target.
        """
        if (self.lower, self.upper) == (-1, 1):
            return signal
        low, high = self.ends(column)
        return Signal(
            expected=signal.expected,
            reason=f"{signal.reason} Hardly any target was seen beyond {low:,.6g} to {high:,.6g}: those beyond are "
            "moved to these ends.",
        )

    def narrowed(self, target: Array) -> Array:
        """Return targets in units in which the ends are -1 and 1, every row by itself."""
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        return np.asarray(np.clip((target - middle) / half, -1.0, 1.0))

    def widened(self, values: Array) -> Array:
        """Return numbers in the units of the bounds."""
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        return np.asarray(middle + half * np.clip(values, -1.0, 1.0))

    def classes(self, target: Array, count: int) -> Array:
        """Return classes of the targets, about equally large ones, made of neighbouring bins.

        Args:
            target: The targets, from -1 to 1.
            count: How many classes there are.
        """
        seen = np.maximum(self.counts - _SURE * self.noise, 0.0)
        if not seen.any():
            seen = np.ones(_BINS)
        middles = (np.cumsum(seen) - seen / 2) / seen.sum()
        listed = np.minimum((middles * count).astype(np.int64), count - 1)
        return np.asarray(listed[_bins(target)])


def release_range(job: FitJob, share: Fraction) -> TargetRange:
    """Release the rows in bins of the target, and cut off ends in which hardly any rows are seen.

    Args:
        job: The fit; its target is a number from -1 to 1.
        share: The part of the budget that the release costs.
    """
    bins = _bins(np.asarray(job.target)).astype(np.float64)
    rows = private_rows(job, bins[:, None], [(Fraction(0), Fraction(_BINS))])
    release = rows.release("rows by target", SumsByGroup(groups=[_BINS]), share=share)
    counts, noise = np.asarray(release, dtype=np.float64), deviation(rows)
    total = max(float(counts.sum()), 0.0)
    allowed = np.clip(_LOUD * noise * np.sqrt(np.arange(1, _BINS + 1)), _BEYOND * total, _MOST_BEYOND * total)
    low, high = (_quiet(side, allowed) for side in (counts, counts[::-1]))
    if low + high > _BINS - _FEWEST:
        low, high = (low - 1, high) if low > high else (low, high - 1)
    clear = _MOST_BEYOND * total > _LOUD * noise
    if not clear or not _WORTH <= low + high <= _BINS - _FEWEST:
        low = high = 0
    lower, upper = -1 + 2 * low / _BINS, 1 - 2 * high / _BINS
    return TargetRange(lower=lower, upper=upper, counts=counts, noise=noise)


def _bins(target: Array) -> Array:
    return np.clip(np.floor((target + 1) / 2 * _BINS), 0, _BINS - 1).astype(np.int64)


def _quiet(counts: Array, allowed: Array) -> int:
    """Return how many of the first bins have together too few rows to stand out from the noise, or hardly any."""
    loud = np.flatnonzero(np.cumsum(counts) > allowed)
    return int(loud[0]) if len(loud) else len(counts)
