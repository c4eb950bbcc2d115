"""The sparse vector technique as a composition: above-threshold repeated, with a fresh threshold after each True."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Queryable, Space, number, positive, readable, short, whole
from privet.mechanisms.above_threshold import AboveThreshold
from privet.mechanisms.additive import grid_of
from privet.mechanisms.comparisons import Comparisons, accept_answers, no_more_answers, read_margin
from privet.noise import discrete_laplace_quantile
from privet.transforms.stream_space import StreamDomain


@final
@frozen(kw_only=True)
class SparseVectorTechnique(Measurement):
    """Compare answers with a threshold that gets new noise after each True, and stop after ``count`` times True.

    It is ``AboveThreshold`` repeated ``count`` times. After a stream of queries the release is a ``Queryable`` of False
    and True that refuses after ``count`` times True. After a vector of numbers it is an array of booleans, all False
    after ``count`` times True.

    Args:
        threshold: The threshold, in the units of the data.
        scale: Spread of each threshold's noise, above zero; the noise of an answer has twice this scale.
        count: The number of answers that may be above, one or more.

    Guarantee: ``count`` times the loss of ``AboveThreshold``, as a sum: its rho and its epsilon at a delta grow slower.
    Proof: docs/combinators/sparse_vector_technique.md.

    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> stream = Space(StreamDomain(), StreamDistance())
    >>> loss = (stream >> SparseVectorTechnique(threshold=100, scale=400, count=100)).map(1)
    >>> loss.epsilon(), loss.rho() <= Fraction(1, 800)
    (Fraction(1, 2), True)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    count: int = field(converter=whole, validator=positive)

    @property
    def one(self) -> AboveThreshold:
        """The mechanism of one round."""
        return AboveThreshold(threshold=self.threshold, scale=self.scale)

    def accept(self, space: Space) -> None:
        """A stream of answers, or a vector of answers."""
        accept_answers(self, space)

    def release(self, value: Any, space: Space) -> Any:
        """Start over after each True."""
        if not isinstance(space.domain, StreamDomain):
            return self._all(value, space)
        remaining, current = self.count, self.one.release(value, space)

        def answer(query: object) -> bool:
            nonlocal remaining, current
            if not remaining:
                raise no_more_answers(self, self.count)
            above = bool(current.ask(query))
            if above:
                remaining -= 1
                current = self.one.release(value, space)
            return above

        return Queryable(answer)

    def _all(self, value: Array, space: Space) -> Any:
        """Draw the noise of every comparison of every round, whatever the outcome, and use the rounds in order."""
        above = np.zeros(len(value), dtype=np.bool_)
        start = 0
        for _ in range(self.count):
            comparisons = Comparisons(self.threshold, self.scale, 2 * self.scale, grid_of(space))
            gaps = comparisons.gaps(value)
            first = next((at for at in range(start, len(gaps)) if gaps[at] >= 0), len(gaps))
            above[first : first + 1] = True
            start = first + 1
        return above

    def loss(self, d_in: Any, space: Space) -> Loss:
        """A sum of losses fixed in advance."""
        return self.one.loss(d_in, space) * self.count

    def margin(self, beta: object, *, questions: int, grid: object = 1) -> Fraction:
        """Return the distance from the threshold within which a comparison can be wrong, except with probability beta.

        With probability at least ``1 - beta``, every answer reported above is at least ``threshold - margin``, and
        every answer reported below is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: The number of answers that are compared.
            grid: The grid step of the answers.

        >>> SparseVectorTechnique(threshold=100, scale=4, count=5).margin(0.05, questions=100)
        Fraction(87, 1)
        """
        share, compared, step = read_margin("SparseVectorTechnique.margin", beta, questions, grid)
        rounds = discrete_laplace_quantile(self.scale / step, share / (2 * self.count))
        return (rounds + discrete_laplace_quantile(2 * self.scale / step, share / (2 * compared))) * step
