"""The sparse vector technique: the first few answers of a stream above a public threshold."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Space, number, positive, read_count, readable, short, whole
from privet.mechanisms.comparisons import ThresholdMechanism, scale_within


@final
@frozen(kw_only=True)
class SparseVector(ThresholdMechanism):
    """Compare answers with a threshold, and stop after a given number of them were above.

    The threshold gets discrete Laplace noise of ``scale``, drawn once for all comparisons; each answer gets noise of
    ``2 count scale``. Behind a stream of queries the release is a ``Queryable`` of False and True that refuses after
    ``count`` times True; behind a vector of numbers it is an array of booleans, all False after ``count`` times True.

    Args:
        threshold: The number that answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero.
        count: How many answers may be above, one or more.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way, for every count.
    Proof: docs/mechanisms/sparse_vector.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> (Space(StreamDomain(), StreamDistance()) >> SparseVector(threshold=100, scale=4, count=5)).map(1).epsilon()
    Fraction(1, 2)
    >>> SparseVector(threshold=100, scale=4, count=5).margin(0.05, questions=100)
    Fraction(347, 1)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    count: int = field(converter=whole, validator=positive)

    @property
    def limit(self) -> int:
        """How many answers may be above."""
        return self.count

    def answer(self, gap: int, space: Space) -> bool:
        """Whether the answer is above."""
        return gap >= 0

    def answers(self, gaps: list[int], space: Space) -> Any:
        """Which answers are above, up to the last that counts."""
        above = np.array([gap >= 0 for gap in gaps], dtype=np.bool_)
        return above & (np.cumsum(above) <= self.count)

    @staticmethod
    def scale_for(margin: object, beta: object, *, questions: int, count: int, grid: object = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the given one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            count: How many answers may be above, one or more.
            grid: The step of the answers.

        >>> scale = SparseVector.scale_for(200, 0.05, questions=100, count=5)
        >>> SparseVector(threshold=100, scale=scale, count=5).margin(0.05, questions=100)
        Fraction(200, 1)
        """
        above = read_count("SparseVector.scale_for.count", count, least=1)
        return scale_within("SparseVector", margin, above, beta, questions, grid)
