"""Randomised response for a vector of bits: each is released as it is or flipped, independently."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.losses.randomized_response import RandomizedResponseLoss
from privet.chains.measurement import Measurement
from privet.core import Array, HammingDistance, Space, VectorDomain, must_be, number, short
from privet.errors import MismatchError, WrongTypeError
from privet.mechanisms.response_estimate import ResponseEstimate, estimated
from privet.noise import bernoulli
from privet.transforms import present


@final
@frozen(kw_only=True)
class RandomizedResponseBits(Measurement):
    """Release each bit of a vector of public length with a given probability, otherwise its opposite.

    Args:
        truth: The probability that a bit is released as it is, at least one half and below one.

    Guarantee: ``epsilon = d_in ln(truth / (1 - truth))`` for ``d_in`` different bits.
    Proof: docs/mechanisms/randomized_response_bits.md.

    >>> from privet.core.space import vector
    >>> chain = vector(bool, size=8, ordered=True) >> RandomizedResponseBits(truth=0.75)
    >>> round(float(chain.map(2).epsilon()), 4), len(chain([True] * 8))
    (2.1972, 8)
    """

    truth: Fraction = field(
        converter=number,
        validator=must_be(lambda truth: 1 <= 2 * truth < 2, "at least one half and below one"),
        repr=short,
    )

    def accept(self, space: Space) -> None:
        """Bits in a public number of positions."""
        domain = space.domain
        if not isinstance(domain, VectorDomain) or domain.kind is not bool or domain.size is None:
            raise MismatchError(
                "RandomizedResponseBits reads bits in a public number of positions: "
                "start from pc.vector(bool, size=..., ordered=True)."
            )
        if not isinstance(space.metric, HammingDistance):
            raise MismatchError(
                f"RandomizedResponseBits counts different positions, got {type(space.metric).__name__}: "
                "use pc.vector(bool, size=..., ordered=True)."
            )

    def release(self, value: Any, space: Space) -> Array:
        """Flip by coins that do not depend on the bits; a missing bit counts as False."""
        bits, null = present(value)
        known = bits if null is None else bits & ~null
        return np.asarray(known ^ bernoulli(1 - self.truth, size=len(known)))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Equal bits distinguish nothing; each different bit is a randomised response of its own."""
        different = min(d_in, space.domain.size) if isinstance(space.domain, VectorDomain) else d_in
        one = RandomizedResponseLoss(truth=self.truth, other=1 - self.truth)
        return one * different if different else PureLoss(0)

    def estimate(self, releases: Iterable[Iterable[Any]]) -> tuple[ResponseEstimate, ...]:
        """Estimate for each position how many of several people had True, from their releases.

        >>> RandomizedResponseBits(truth=0.75).estimate([[True, False], [True, True]])[0].counts
        (Fraction(-1, 1), Fraction(3, 1))
        """
        rows = [list(release) for release in releases]
        if len({len(row) for row in rows}) > 1:
            raise WrongTypeError("RandomizedResponseBits.estimate takes releases of the same length.")
        columns = zip(*rows, strict=True)
        return tuple(estimated(column, (False, True), self.truth, 1 - self.truth) for column in columns)
