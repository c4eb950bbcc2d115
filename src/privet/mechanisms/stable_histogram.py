"""Histograms over unknown keys with noise and a threshold."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Parts, Space, number, one_of, positive, short
from privet.errors import InvalidError
from privet.mechanisms.key_noise import KeyNoise, check_key_noise, draw_key_noise, loss_of_keys, reaches
from privet.mechanisms.stable_keys import (
    above,
    accept_keys,
    counted,
    padded,
    shows_in_parts,
    shows_in_rows,
    smallest_threshold,
)
from privet.mechanisms.tails import largest_scale
from privet.noise import (
    discrete_gaussian_quantile,
    discrete_gaussian_tail,
    discrete_laplace_quantile,
    discrete_laplace_tail,
)
from privet.transforms import records_changed, rows_changed


@final
@frozen(kw_only=True)
class StableHistogram(Measurement):
    """Count keys that are not known beforehand, and release those whose noisy count reaches a threshold.

    Each key that occurs gets noise. The release maps keys, in sorted order, to noisy counts. Nulls are no key.

    Args:
        scale: Spread of the noise, in rows, above zero.
        threshold: The smallest noisy count that is released, above zero; ``threshold_for`` finds it for a delta.
        noise: ``"laplace"`` or ``"gaussian"``, both discrete. Gaussian noise is better where a person may have rows on
            many keys.

    Guarantee: ``epsilon = d_in / scale`` for Laplace noise, ``rho = d_in² / (2 scale²)`` for Gaussian noise, with the
        exact delta of any key showing that only one input has.
    Proof: docs/mechanisms/stable_histogram.md.

    >>> from privet.core.space import vector
    >>> bar = StableHistogram.threshold_for(scale=2, delta=1e-6)
    >>> chain = vector(str) >> StableHistogram(scale=2, threshold=bar)
    >>> bar, chain.map(1).pure().cost
    (28, Fraction(1, 2))
    >>> StableHistogram.threshold_for(scale=2, delta=1e-6, noise="gaussian")
    11
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: Fraction = field(converter=number, validator=positive, repr=short)
    noise: KeyNoise = field(default="laplace", validator=one_of("laplace", "gaussian"))

    def accept(self, space: Space) -> None:
        """A column of text, whole numbers or booleans."""
        accept_keys(self, space)

    def release(self, value: Any, space: Space) -> dict[Any, int]:
        """Draw noise in blocks, so that the number of keys does not decide how much."""
        keys, counts = counted(value)
        noise = draw_key_noise(self.noise, self.scale, padded(len(keys)))
        return above(keys, counts, noise, math.ceil(self.threshold))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The noise pays for keys that both inputs have, delta for those that only one has."""
        moved, rows = rows_changed(space, d_in), records_changed(space, d_in)
        # a replaced row may leave one key and enter another, but each input has only half of them more
        distance = Parts(l0=moved, l1=moved, l2_squared=moved * rows, linf=rows)
        return loss_of_keys(self.noise, self.scale, distance, shows_in_rows(self._reach, rows))

    def loss_of(self, parts: Parts) -> Loss:
        """The loss where rows are spread over at most l0 keys, at most linf on each and l1 in all."""
        if not isinstance(parts, Parts):
            raise InvalidError("StableHistogram.loss_of takes Parts(l0=..., l1=..., l2_squared=..., linf=...).")
        return loss_of_keys(self.noise, self.scale, parts, shows_in_parts(self._reach, parts))

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The error of the noisy count of one key, named beforehand, whether released or not."""
        quantile = discrete_laplace_quantile if self.noise == "laplace" else discrete_gaussian_quantile
        return Fraction(quantile(self.scale, beta))

    @staticmethod
    def scale_for(*, accuracy: object, beta: object, noise: KeyNoise = "laplace") -> Fraction:
        """The largest scale at which the noise of one count exceeds ``accuracy`` with probability at most ``beta``."""
        check_key_noise("scale_for.noise", noise)
        tail = discrete_laplace_tail if noise == "laplace" else discrete_gaussian_tail
        return largest_scale("scale_for", accuracy, beta, 1, tail)

    @staticmethod
    def threshold_for(*, scale: object, delta: object, d_in: int = 1, noise: KeyNoise = "laplace") -> int:
        """The smallest threshold with this delta for inputs that differ in ``d_in`` added or removed rows."""
        check_key_noise("threshold_for.noise", noise)

        def chance(width: Fraction, bar: int) -> Fraction:
            return shows_in_rows(lambda count: reaches(noise, width, bar - count), d_in)

        return smallest_threshold(chance, scale, delta, d_in)

    def _reach(self, count: int) -> Fraction:
        return reaches(self.noise, self.scale, math.ceil(self.threshold) - count)
