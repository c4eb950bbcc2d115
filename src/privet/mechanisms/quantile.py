"""A quantile, selected from a public list of candidates."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.bounded_range import BoundedRangeLoss
from privet.core.checks import number, positive, probability, short
from privet.core.loss import Loss
from privet.core.measurement import Measurement
from privet.core.rows import Array
from privet.core.space import Space
from privet.mechanisms.selection import gaps_of, select
from privet.transforms.quantile_scores import QuantileScores
from privet.transforms.ranks import candidates, numeric_column, points_of, rising


@final
@frozen(kw_only=True)
class Quantile(Measurement):
    """Select the candidate that best splits the rows in shares alpha and 1 - alpha.

    Nulls and NaN are left out. The same as ``QuantileScores`` and ``Exponential``, with the candidate for its position.

    Args:
        candidates: Rising numbers, chosen without looking at the data.
        alpha: The share of rows below the quantile, from zero to one.
        temperature: In rows, above zero. Twice the temperature, half the loss.

    Guarantee: ``epsilon = 2 max(alpha, 1 - alpha) d_in / temperature`` and ``rho = epsilon² / 8``; where the size is
        public, ``epsilon = 2 ceil(d_in / 2) / temperature``.
    Proof: docs/mechanisms/quantile.md.

    >>> from privet.core.space import vector
    >>> median = Quantile(candidates=range(100), alpha=0.5, temperature=2)
    >>> (vector(int) >> median).map(1).epsilon()
    Fraction(1, 2)
    """

    candidates: tuple[Fraction, ...] = field(converter=candidates, validator=rising, repr=short)
    alpha: Fraction = field(converter=number, validator=probability, repr=short)
    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A column of numbers of the candidates' type."""
        points_of(self, numeric_column(self, space), self.candidates)

    def release(self, value: Array, space: Space) -> int | float:
        """Score every candidate, and select one."""
        scores = self._scores().apply(value, space)
        chosen = select(gaps_of(scores), 1 / (self.alpha.denominator * self.temperature))
        released: int | float = points_of(self, numeric_column(self, space), self.candidates)[chosen].item()
        return released

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the exponential mechanism at the range of the scores."""
        return BoundedRangeLoss(self._scores().stability(d_in, space) / self.temperature)

    def _scores(self) -> QuantileScores:
        return QuantileScores(candidates=self.candidates, alpha=self.alpha)
