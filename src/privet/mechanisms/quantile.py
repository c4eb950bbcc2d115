"""A quantile, selected from a public list of candidates."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, is_a, number, probability, short
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.gumbel_max import GumbelMax
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.transforms import number_list, numeric_column, points_of, rising
from privet.transforms.quantile_scores import QuantileScores


@final
@frozen(kw_only=True)
class Quantile(Measurement):
    """Select the candidate that best splits the rows into shares alpha and 1 - alpha.

    Nulls and NaN are left out. It is ``QuantileScores`` and a selection, but releases the candidate, not its position.

    Args:
        candidates: Rising numbers, chosen without looking at the data.
        alpha: The share of rows below the quantile, from zero to one.
        by: The selection, its scale in rows: ``PermuteAndFlip`` for the least error under pure privacy,
            ``Exponential`` (or ``GumbelMax``) for the least rho.

    Guarantee: the loss of the selection at the range ``2 max(alpha, 1 - alpha) d_in``; where the size is public, at
        ``2 ceil(d_in / 2)``; for alpha zero or one, at half of both.
    Proof: docs/mechanisms/quantile.md.

    >>> from privet.core.space import vector
    >>> median = Quantile(candidates=range(100), alpha=0.5, by=PermuteAndFlip(scale=2))
    >>> (vector(int) >> median).map(1).epsilon()
    Fraction(1, 2)
    """

    candidates: tuple[Fraction, ...] = field(converter=number_list, validator=rising, repr=short)
    alpha: Fraction = field(converter=number, validator=probability, repr=short)
    by: Exponential | GumbelMax | PermuteAndFlip = field(
        validator=is_a(
            Exponential | GumbelMax | PermuteAndFlip,
            "a selection such as PermuteAndFlip(scale=...) or Exponential(temperature=...)",
        )
    )

    def accept(self, space: Space) -> None:
        """A column of numbers of the candidates' type."""
        points_of(self, numeric_column(self, space), self.candidates)

    def release(self, value: Array, space: Space) -> int | float:
        """Score every candidate, and select one."""
        scores = self._scores()
        chosen = self.by.release(scores.apply(value, space), scores.output(space))
        released: int | float = points_of(self, numeric_column(self, space), self.candidates)[chosen].item()
        return released

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the selection at the range of the scores."""
        scores = self._scores()
        return self.by.loss(scores.stability(d_in, space), scores.output(space))

    def shortfall(self, beta: object) -> Fraction:
        """The shortfall from the best score, in rows, that the selected one exceeds with probability at most ``beta``.

        >>> unit = Quantile(candidates=range(101), alpha=0.5, by=PermuteAndFlip(scale=2))
        >>> round(float(unit.shortfall(0.05)), 2)
        15.2
        """
        return self.by.shortfall(beta, candidates=len(self.candidates))

    def _scores(self) -> QuantileScores:
        return QuantileScores(candidates=self.candidates, alpha=self.alpha)
