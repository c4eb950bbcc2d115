"""Scores of categories for the mode: the frequency of each."""

from collections import Counter
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, RangeDistance, Space, VectorDomain
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.columns import column, present, replaced


def _as_tuple(value: object) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple | range) else (value,)


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

    categories: tuple[Any, ...] = field(converter=_as_tuple)

    @categories.validator
    def _check(self, _: object, value: tuple[Any, ...]) -> None:
        if len({type(item) for item in value}) > 1 or not all(
            isinstance(item, bool | int | float | str) for item in value
        ):
            raise WrongTypeError("ModeScores.categories must be a list of values of one kind: int, float, bool or str.")
        if not value or len(set(value)) != len(value) or any(item != item for item in value):
            raise InvalidError(f"ModeScores.categories must be one or more different values, got {len(value)}.")

    def output(self, space: Space) -> Space:
        """One count for each category."""
        self._column(space)
        return Space(NumbersDomain(length=len(self.categories), kind=int), RangeDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Count."""
        values, null = present(value)
        values = values if null is None else values[~null]
        if self._column(space).kind is str:
            counts = Counter(values.tolist())
        else:
            keys, frequencies = np.unique(values, return_counts=True)
            counts = Counter(dict(zip(keys.tolist(), frequencies.tolist(), strict=True)))
        return np.array([counts[item] for item in self.categories], dtype=np.int64)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A row adds one to one count; a replacement also subtracts one from another."""
        if len(self.categories) == 1:
            return Fraction(0)
        swaps = replaced(space, d_in)
        return Fraction(d_in if swaps is None else 2 * swaps)

    def _column(self, space: Space) -> VectorDomain:
        domain = column(self, space)
        if type(self.categories[0]) is not domain.kind:
            raise MismatchError(
                f"ModeScores.categories must be of the kind of the column, {domain.kind.__name__}, "
                f"got {type(self.categories[0]).__name__}."
            )
        return domain
