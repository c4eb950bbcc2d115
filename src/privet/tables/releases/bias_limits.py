"""How much caps or bounds left out: limits that follow from noisy numbers of persons in public bands."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
from attrs import cmp_using, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, number_text, percent_text
from privet.tables.aggregates.aggregate import within_floats
from privet.tables.aggregates.noise import Noise, read_level
from privet.tables.noise.plan import NoisePlan
from privet.tables.releases.json_text import check, fits
from privet.tables.releases.release_json import decode_array, decode_plan, encode_arrays, encode_plan
from privet.tables.releases.table_release import LEVEL, Level
from privet.tables.releases.value_json import Classes, decode_value, encode_value

Limits = tuple[Fraction, Fraction]
_HALVINGS = 13  # of the share, which has three digits in a message
_SUMS = 6  # lower limits that are compared
_LARGE = 2.0**512
_MOST_ROWS, _FARTHEST = 2**62, 10**300  # ends of bands: rows, and how far values lie beyond bounds
_MANY = Fraction(1, 10)  # a share of rows from which on a reader is warned


@final
@frozen(kw_only=True)
class Band:
    """Persons of whom about equally much was left out.

    Args:
        counted: How many rows of such a person count, at least and at most.
        left_out: How much is left out of such a person, at least and at most.
    """

    counted: Limits
    left_out: Limits


@final
@frozen(kw_only=True)
class BiasLimits:
    """What intervals do not cover, measured: the privacy loss was paid.

    Args:
        column: The column whose values were moved to its bounds; None for rows that caps left out.
        unit: What tells persons apart, for messages; empty where rows are protected one by one.
        bands: What the bands of persons mean.
        most: Up to how many rows of a person, or between which values, is measured.
        plan: The number of persons in each band, and their noise.
        numbers: The noisy numbers.
    """

    column: str | None
    unit: str
    bands: tuple[Band, ...]
    most: Fraction | Limits
    plan: NoisePlan = field(repr=False)
    numbers: Array = field(repr=False, eq=cmp_using(eq=np.array_equal), hash=False)

    @property
    def loss(self) -> Loss:
        """The privacy loss of the measurement."""
        return self.plan.loss

    def interval(self, level: Level = LEVEL) -> tuple[float, float]:
        """Limits of what was left out, up to ``most``: rows, or how much the bounds changed the sum of all rows.

        They hold the exact number with probability ``level``. A person of a band counts with the least or the most of
        the band, and the noise of all bands together is allowed for. The noise of bands far up is large; the lower
        limit may leave them out, since no number of persons is negative.

        Args:
            level: Between zero and one.
        """
        least = self._lower([band.left_out[0] for band in self.bands], level)
        most = -self._lower([-band.left_out[1] for band in self.bands], level)
        if self.column is not None:
            return least, most
        return float(max(np.floor(least), 0)), float(max(np.ceil(most), 0))  # infinite where the noise is

    def share(self, level: Level = LEVEL) -> tuple[float, float]:
        """Limits of the share of all rows, up to ``most`` rows of a person, that was left out.

        A share s is kept if ``left out - s (left out + counted)`` may be zero for it, given the noise. For values that
        bounds moved there is no such share, and the limits are zero and one.

        Args:
            level: Between zero and one.
        """
        if self.column is not None:
            return 0.0, 1.0

        def too_small(share: float) -> bool:
            return self._lower([_least(band, share) for band in self.bands], level) > 0

        def too_large(share: float) -> bool:
            return self._sum([_most(band, share) for band in self.bands], +1, read_level(level)) < 0

        low = _last(too_small, 0.0, 1.0)
        high = _last(too_large, 1.0, 0.0)
        return min(low, high), max(low, high)

    @property
    def many(self) -> bool:
        """Whether so many rows were left out, by what was released, that a reader must know."""
        return self.column is None and self._usual_share[0] >= _MANY

    @property
    def line(self) -> str:
        """One line for the reader."""
        if self.column is not None:
            low, high = self.interval()
            lower, upper = (number_text(end) for end in self._range)
            return (
                f"measured: moving {self.column} to its bounds changed the sum over all groups by "
                f"{number_text(-high, 4)} to {number_text(-low, 4)} ({percent_text(LEVEL)} limits), for values from "
                f"{lower} to {upper}; what lies beyond is not covered"
            )
        least, most = (percent_text(round(share, 3)) for share in self._usual_share)
        return (
            f"measured: the caps left out {least} to {most} of all rows ({percent_text(LEVEL)} limits), counting at "
            f"most {number_text(self.most)} rows of each {self.unit}; rows beyond those are not covered"
        )

    @property
    def warning(self) -> str:
        """What a reader must know where many rows were left out."""
        low, high = (percent_text(round(share, 2)) for share in self._usual_share)
        return (
            f"the caps left out between {low} and {high} of the rows, and the intervals do not cover that. Use "
            "cap(rows=pv.auto()) for a cap that is estimated, cap(rows=...) for a larger one, or sum_by_person(...) to "
            "add up all rows of a person."
        )

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""
        return {
            "column": self.column,
            "unit": self.unit,
            "bands": [[encode_value(end) for end in (*band.counted, *band.left_out)] for band in self.bands],
            "most": encode_value(self.most),
            **encode_plan(self.plan),
            "numbers": encode_arrays([self.numbers]),
        }

    @classmethod
    def decode(cls, data: dict[str, Any], classes: Classes) -> "BiasLimits":
        """Read what ``encode`` wrote."""
        column, unit, most = data["column"], data["unit"], decode_value(data["most"])
        check((column is None or isinstance(column, str)) and isinstance(unit, str))
        limit = _MOST_ROWS if column is None else _FARTHEST
        bands = tuple(_decode_band(limit, *map(decode_value, each)) for each in data["bands"])
        check(fits(most, Fraction if column is None else Limits))
        plan = decode_plan(data, 1, classes)
        numbers = decode_array(data["numbers"][0])
        check(len(plan.planned) == 1 and numbers.shape == (1, len(bands)) and len(data["numbers"]) == 1)
        check(plan.planned[0].measured.length == len(bands))
        return cls(column=column, unit=unit, bands=bands, most=most, plan=plan, numbers=numbers)

    @cached_property
    def _usual_share(self) -> tuple[float, float]:
        return self.share()

    @property
    def _noise(self) -> Noise:
        return self.plan.planned[0].noise

    @property
    def _range(self) -> Limits:
        return self.most if isinstance(self.most, tuple) else (Fraction(0), self.most)

    def _lower(self, weights: Sequence[Fraction | float], level: Level) -> float:
        """Give a lower limit of a weighted sum of the numbers of persons: the best of a few.

        Numbers of persons are not negative, so that a sum without some of its positive weights is a lower limit too.
        The limits share the error probability.
        """
        sizes = np.array([float(weight) for weight in weights])
        rising = np.sort(sizes[sizes > 0])
        step = max(math.ceil(len(rising) / _SUMS), 1)
        tops = [*rising[::-step], 0.0][: max(len(rising), 1)] if len(rising) else [0.0]
        share = 1 - (1 - read_level(level)) / len(tops)
        return max(self._sum(np.where(sizes > top, 0.0, sizes) if len(rising) else sizes, -1, share) for top in tops)

    def _sum(self, weights: Sequence[float] | Array, side: int, level: Fraction) -> float:
        """Give one end of the limits of a weighted sum of the numbers of persons."""
        sizes = np.asarray(weights, dtype=np.float64)
        top = max(float(np.max(np.abs(sizes), initial=0.0)) / _LARGE, 1.0)  # products of larger ones are infinite
        sizes = sizes / top
        total = float(within_floats(self.numbers[0].astype(np.float64)) @ sizes)
        used = sizes[sizes != 0]
        return (total + side * _reach(self._noise, tuple(used.tolist()), level) if len(used) else total) * top


@lru_cache(maxsize=1024)
def _reach(noise: Noise, weights: tuple[float, ...], level: Fraction) -> float:
    return float(noise.quantile(np.array(weights), level))


def _least(band: Band, share: float) -> float:
    return (1 - share) * float(band.left_out[0]) - share * float(band.counted[1])


def _most(band: Band, share: float) -> float:
    return (1 - share) * float(band.left_out[1]) - share * float(band.counted[0])


def _last(rejected: Callable[[float], bool], first: float, beyond: float) -> float:
    """Give the end of the rejected shares that begin at ``first``; ``first`` where it is kept.

    The size of the noise grows in a convex way with the share, and the rest is linear, so that these shares are one
    interval.
    """
    if not rejected(first):
        return first
    if rejected(beyond):
        return beyond
    for _ in range(_HALVINGS):
        middle = (first + beyond) / 2
        first, beyond = (middle, beyond) if rejected(middle) else (first, middle)
    return first


def _decode_band(limit: int, *ends: Any) -> Band:
    check(len(ends) == 4 and fits(ends, tuple[Fraction, ...]) and ends[0] <= ends[1] and ends[2] <= ends[3])
    check(ends[0] >= 0 and ends[1] <= _MOST_ROWS and -limit <= ends[2] and ends[3] <= limit)
    return Band(counted=(ends[0], ends[1]), left_out=(ends[2], ends[3]))
