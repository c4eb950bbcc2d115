"""Several quantiles at once, by a tree of medians."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss, SumLoss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, must_be, number, positive, short
from privet.mechanisms.pieces import draw, sorted_steps, written
from privet.transforms import bounded_column, number_list, replaced, rising
from privet.transforms.quantile_scores import split_range


@final
@frozen(kw_only=True)
class MultipleQuantiles(Measurement):
    """Release several quantiles of a bounded column, in rising order.

    The middle one is selected from all rows, the lower ones from the rows below it and the upper ones from those above,
    and so on: k quantiles take ceil(log2(k + 1)) levels, and a row takes part in one selection of each level. The rows
    are sorted once. Nulls and NaN are left out.

    Args:
        alphas: The rising shares of rows below each quantile, from zero to one.
        temperature: In rows, above zero. Twice the temperature, half the loss.

    Guarantee: for each level, a bounded range of ``2 d_in m / temperature``, where m is the largest max(a, 1 - a) of
        the shares a at that level, among the rows left; shares of zero and one count as 1/2.
    Proof: docs/mechanisms/multiple_quantiles.md.

    >>> from privet.core.space import vector
    >>> quartiles = MultipleQuantiles(alphas=[0.25, 0.5, 0.75], temperature=4)
    >>> (vector(int, bounds=(0, 100)) >> quartiles).map(1).epsilon()
    Fraction(1, 2)
    """

    alphas: tuple[Fraction, ...] = field(
        converter=number_list,
        validator=[rising, must_be(lambda alphas: 0 <= alphas[0] <= alphas[-1] <= 1, "between zero and one")],
        repr=short,
    )
    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A bounded column of numbers."""
        bounded_column(self, space)

    def release(self, value: Array, space: Space) -> Array:
        """Write the quantiles in the type of the column."""
        domain, _ = bounded_column(self, space)
        quantiles = [written(step, domain) for step in self.steps(value, space)]
        return np.array(quantiles, dtype=np.int64 if domain.kind is int else np.float64)

    def steps(self, value: Array, space: Space) -> list[int]:
        """Release the quantiles as steps of the grid: sort once, then walk the tree."""
        rows, low, high = sorted_steps(value, self, space)
        return list(self._walk(rows, low, high, self.alphas, (Fraction(0), Fraction(1))))

    def _walk(
        self, rows: Array, low: int, high: int, alphas: tuple[Fraction, ...], ends: tuple[Fraction, Fraction]
    ) -> Iterator[int]:
        """Give the quantiles of the rows between two known quantiles; both ends stay candidates."""
        if not alphas:
            return
        middle = len(alphas) // 2
        alpha = alphas[middle]
        step = draw(rows, low, high, share(alpha, ends), self.temperature)
        below, upto = (int(np.searchsorted(rows, step, side)) for side in ("left", "right"))
        yield from self._walk(rows[:below], low, step, alphas[:middle], (ends[0], alpha))
        yield step
        yield from self._walk(rows[upto:], step, high, alphas[middle + 1 :], (alpha, ends[1]))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """A row takes part once at each level, a replaced row at most twice."""
        swaps = replaced(space, d_in)
        moved = [d_in * max(level) if swaps is None else swaps * _replacement(level) for level in levels(self.alphas)]
        return SumLoss.of(tuple((BoundedRangeLoss(range_ / self.temperature), 1) for range_ in moved))


def share(alpha: Fraction, ends: tuple[Fraction, Fraction]) -> Fraction:
    """Convert a share of all rows into a share of the rows between two quantiles."""
    return (alpha - ends[0]) / (ends[1] - ends[0])


def levels(alphas: tuple[Fraction, ...]) -> list[list[Fraction]]:
    """Give, for each level of the tree, how far one row can move the scores of each selection."""
    ranges: list[list[Fraction]] = []
    nodes = [(alphas, (Fraction(0), Fraction(1)))]
    while nodes := [node for node in nodes if node[0]]:
        middles = [(inside, ends, inside[len(inside) // 2]) for inside, ends in nodes]
        ranges.append([split_range(share(alpha, ends)) for _, ends, alpha in middles])
        nodes = [
            half
            for inside, ends, alpha in middles
            for half in (
                (inside[: len(inside) // 2], (ends[0], alpha)),
                (inside[len(inside) // 2 + 1 :], (alpha, ends[1])),
            )
        ]
    return ranges


def _replacement(level: list[Fraction]) -> Fraction:
    """Within one selection a replaced row moves the scores by two; it may also leave one and enter another."""
    return max(Fraction(2), sum(sorted(level)[-2:], Fraction(0)))
