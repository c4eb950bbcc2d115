"""Bounds for a column of numbers, from noisy counts of bands that double in width."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import (
    INT_MAX,
    INT_MIN,
    Space,
    number,
    positive,
    proper_share,
    short,
    to_float_down,
    to_float_up,
)
from privet.errors import InvalidError
from privet.mechanisms.stable_keys import any_of
from privet.mechanisms.tails import laplace_reaches
from privet.noise import discrete_laplace
from privet.noise.drawing import smallest_within
from privet.transforms import as_tuple, column, rows_changed, seen
from privet.transforms.log_bands import LogBands

_HIGHEST = 1022  # so that the edge of what is larger is still a float


@final
@frozen(kw_only=True)
class BoundsByBands(Measurement):
    """Find bounds that contain most of a column of unknown magnitude.

    Counts the numbers in each band of ``LogBands``, adds discrete Laplace noise to every count, and releases the outer
    edges (lower, upper) of the outermost bands whose noisy count reaches a threshold. The threshold is the smallest
    that empty bands reach with probability at most ``beta``. If no band reaches it, the widest bounds are released. For
    a column of whole numbers the bounds are ints of 64 bits, rounded outward.

    Args:
        scale: Spread of the noise, in rows, above zero.
        beta: The probability that some empty band counts as full.
        exponents: The pair (low, high): magnitudes from ``2^low`` to ``2^high`` have a band each.

    Guarantee: ``epsilon = d_in / scale``, and ``2 k / scale`` for k replacements.
    Proof: docs/mechanisms/bounds_by_bands.md.

    >>> from privet.core.space import vector
    >>> (vector(float) >> BoundsByBands(scale=1, beta=1e-6))([-9.0] * 500 + [9.0] * 500)
    (-16.0, 16.0)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    beta: Fraction = field(default=Fraction(1, 10**6), converter=number, validator=proper_share, repr=short)
    exponents: tuple[int, int] = field(default=(-32, 64), converter=as_tuple)

    @exponents.validator
    def _check_exponents(self, _: object, value: Any) -> None:
        if LogBands(exponents=value).exponents[1] > _HIGHEST:
            raise InvalidError(f"BoundsByBands.exponents must end at {_HIGHEST} at most, got {value[1]}.")

    def accept(self, space: Space) -> None:
        """A column of numbers."""
        LogBands(exponents=self.exponents).output(space)

    def release(self, value: Any, space: Space) -> tuple[float, float] | tuple[int, int]:
        """Count every band, whether or not it holds a row."""
        bands = LogBands(exponents=self.exponents)
        outer = bands.outermost
        counts = np.bincount(seen(bands.apply(value, space)) + outer, minlength=2 * outer + 1)
        noisy = counts.astype(object) + discrete_laplace(self.scale, size=2 * outer + 1).astype(object)
        bar = self.threshold
        full = [at - outer for at, count in enumerate(noisy.tolist()) if count >= bar]
        lowest, highest = (min(full), max(full)) if full else (-outer, outer)
        lower, upper = -self._edge(-lowest), self._edge(highest)
        if column(self, space).kind is int:
            return whole_bounds(lower, upper)
        return to_float_down(lower), to_float_up(upper)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """A row counts in one band; a replaced one may leave a band and enter another."""
        return PureLoss(rows_changed(space, d_in) / self.scale)

    @property
    def threshold(self) -> int:
        """The smallest noisy count that none of the bands reaches if all are empty, but for probability beta."""
        bands = 2 * LogBands(exponents=self.exponents).outermost + 1
        return _threshold(self.scale, self.beta, bands)

    def _edge(self, band: int) -> Fraction:
        """The right edge of a band; all numbers beyond the exponents share one more band."""
        low, _ = self.exponents
        if band >= 0:
            return Fraction(2) ** (low + band)
        return -(Fraction(2) ** (low - band - 1))


def whole_bounds(lower: Fraction, upper: Fraction) -> tuple[int, int]:
    """Round bounds outward to whole numbers of 64 bits, lower below upper."""
    return min(max(math.floor(lower), INT_MIN), INT_MAX - 1), max(min(math.ceil(upper), INT_MAX), INT_MIN + 1)


@lru_cache(maxsize=256)
def _threshold(scale: Fraction, beta: Fraction, bands: int) -> int:
    return smallest_within(lambda bar: any_of([(laplace_reaches(scale, bar), bands)]) <= beta, 1)
