"""Histograms over unknown keys with Laplace noise and a threshold."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core.checks import number, positive, read_number, short
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError
from privet.mechanisms.stable_keys import (
    above,
    accept_keys,
    counted,
    padded,
    shows_in_parts,
    shows_in_rows,
    smallest_threshold,
)
from privet.mechanisms.tails import laplace_reaches, largest_scale
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.columns import replaced


@final
@frozen(kw_only=True)
class StableHistogram(Measurement):
    """Count keys that are not known beforehand, and release those whose noisy count reaches a threshold.

    Each key that occurs gets discrete Laplace noise; the release maps keys, in sorted order, to noisy counts. Nulls
    are no key.

    Args:
        scale: Spread of the noise, in rows, above zero.
        threshold: The smallest noisy count that is released, above zero; ``threshold_for`` finds it for a delta.

    Guarantee: ``epsilon = d_in / scale`` with the exact delta of any key showing that only one input has.
    Proof: docs/mechanisms/stable_histogram.md.

    >>> from privet.core.space import vector
    >>> bar = StableHistogram.threshold_for(scale=2, delta=1e-6)
    >>> chain = vector(str) >> StableHistogram(scale=2, threshold=bar)
    >>> bar, chain.map(1).pure().cost
    (28, Fraction(1, 2))
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A column of text, whole numbers or booleans."""
        accept_keys(self, space)

    def release(self, value: Any, space: Space) -> dict[Any, int]:
        """Draw noise in blocks, so that the number of keys does not decide how much."""
        keys, counts = counted(value)
        return above(keys, counts, discrete_laplace(self.scale, size=padded(len(keys))), math.ceil(self.threshold))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The noise pays for keys that both inputs have, delta for those that only one has."""
        rows = replaced(space, d_in)
        if rows is None:
            return ApproximateLoss(d_in / self.scale, shows_in_rows(self._reach, d_in))
        # a replaced row may leave one key and enter another, but each input has only half of them more
        return ApproximateLoss(2 * rows / self.scale, shows_in_rows(self._reach, rows))

    def loss_of(self, parts: Parts) -> Loss:
        """The loss where rows are spread over at most l0 keys, at most linf on each and l1 in all."""
        if not isinstance(parts, Parts):
            raise InvalidError("StableHistogram.loss_of takes Parts(l0=..., l1=..., l2_squared=..., linf=...).")
        return ApproximateLoss(parts.l1 / self.scale, shows_in_parts(self._reach, parts))

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The error of the noisy count of one key, named beforehand, whether released or not."""
        return Fraction(discrete_laplace_quantile(self.scale, beta))

    @staticmethod
    def scale_for(*, accuracy: Any, beta: Any) -> Fraction:
        """The largest scale at which the noise of one count exceeds ``accuracy`` with probability at most ``beta``."""
        return largest_scale("scale_for", accuracy, beta, 1)

    @staticmethod
    def threshold_for(*, scale: Any, delta: Any, d_in: int = 1) -> int:
        """The smallest threshold with this delta for inputs that differ in ``d_in`` added or removed rows."""
        width = read_number("threshold_for.scale", scale)
        if width <= 0:
            raise InvalidError(f"threshold_for.scale must be above zero, got {short(width)}.")

        def chance(bar: int) -> Fraction:
            return shows_in_rows(lambda count: laplace_reaches(width, bar - count), d_in)

        return smallest_threshold("threshold_for", chance, delta, d_in)

    def _reach(self, count: int) -> Fraction:
        return laplace_reaches(self.scale, math.ceil(self.threshold) - count)
