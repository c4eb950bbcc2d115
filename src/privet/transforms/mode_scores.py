"""Scores of categories for the mode: the frequency of each."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, RangeDistance, Space
from privet.transforms import check_kind, column, count_categories, different_values, plain_tuple, rows_changed


@final
@frozen(kw_only=True)
class ModeScores(Transformation):
    """Score each category by the number of its rows.

    Rows in no listed category, nulls and NaN are left out. Added rows never lower a score, so the range distance is
    half of that of a general score of this sensitivity.

    Args:
        categories: Different values of the column's kind, chosen without looking at the data.

    Guarantee: ``d_out = d_in``; if the size is public, ``2 ceil(d_in / 2)``.
    Proof: docs/transforms/mode_scores.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> ModeScores(categories=["a", "b"]))(["b", "b", "x", None]).tolist()
    [0, 2]
    """

    categories: tuple[Any, ...] = field(converter=plain_tuple, validator=different_values)

    def output(self, space: Space) -> Space:
        """One count for each category."""
        check_kind("ModeScores.categories", self.categories, column(self, space))
        return Space(NumbersDomain(length=len(self.categories), kind=int), RangeDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Count."""
        return count_categories(value, self.categories)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A row adds one to one count; a replacement also subtracts one from another."""
        if len(self.categories) == 1:
            return Fraction(0)
        return Fraction(rows_changed(space, d_in))
