"""Noise scaled to a smooth bound of the local sensitivity, by a private factor."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.smooth import SmoothLaw, calibrate_smooth
from privet.chains.measurement import Measurement
from privet.core import Space, is_a, number, positive, short
from privet.errors import MismatchError, UnavailableError
from privet.transforms.smooth_pairs import SmoothDistance, SmoothDomain


@final
@frozen(kw_only=True)
class SmoothNoise(Measurement):
    """Release an answer with noise in proportion to its own smooth sensitivity.

    Releases ``q + (S / alpha) Z``, rounded to the grid of the answer, where Z is a real number with polynomial tails.
    S is private, so nothing about the size of the noise is published.

    Args:
        law: The noise: ``GeneralisedCauchy(gamma=...)`` or ``StudentT(degrees=...)``.
        alpha: Noise has the scale S / alpha, above zero. Smaller is noisier and costs less, down to a limit set by
            beta (``law.least(beta)``).

    Guarantee: ``epsilon = d_in law.cost(alpha, beta)``, where beta is the smoothness of the input.
    Proof: docs/mechanisms/smooth_noise.md.

    >>> from privet.accounting.planning.smooth import StudentT
    >>> from privet.transforms.smooth_pairs import smooth
    >>> chain = smooth(int, beta=0.1) >> SmoothNoise(law=StudentT(degrees=3), alpha=0.7)
    >>> round(float(chain.map(1).epsilon()), 4)
    0.8893
    """

    law: SmoothLaw = field(validator=is_a(SmoothLaw, "a noise such as pc.StudentT(degrees=3)"))
    alpha: Fraction = field(converter=number, validator=positive, repr=short)

    @classmethod
    def costing(cls, *, epsilon: object, beta: object) -> "SmoothNoise":
        """Choose the law and alpha for an epsilon and the smoothness of the input: the smallest 95 % half-width."""
        best = calibrate_smooth(epsilon, beta)
        return cls(law=best.law, alpha=best.alpha)

    def accept(self, space: Space) -> None:
        """Pairs of an answer and its bound."""
        _pairs(space)

    def release(self, value: Any, space: Space) -> Any:
        """Round the noise to steps. The answer lies on the grid, so this rounds the sum."""
        domain = _pairs(space)
        steps, bound = value
        return domain.answer(steps + self.law.rounded(bound / (self.alpha * domain.grid)))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Every step costs the certified joint bound."""
        return PureLoss(self.law.cost(self.alpha, _pairs(space).beta)).group(d_in)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """Refuse: the spread is S / alpha, and S is private."""
        raise UnavailableError(
            "SmoothNoise has no accuracy or interval: its scale is computed from the data and publishing it would "
            "break the guarantee. For planning, use law.half_width() / alpha times a public guess of S."
        )


def _pairs(space: Space) -> SmoothDomain:
    if not isinstance(space.domain, SmoothDomain) or not isinstance(space.metric, SmoothDistance):
        raise MismatchError(
            f"SmoothNoise reads an answer with its smooth bound, got {type(space.domain).__name__}: "
            "put SmoothMedian(beta=...) before it, or start from pc.smooth(...)."
        )
    return space.domain
