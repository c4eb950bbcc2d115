"""Scores by a user's own function, made total and exact."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core.checks import not_negative, number, positive, readable, short
from privet.core.domain import NumbersDomain
from privet.core.metric import HammingDistance, InsertDelete, RangeDistance
from privet.core.quiet import quietly
from privet.core.rows import Array
from privet.core.space import Space
from privet.errors import InvalidError, WrongTypeError
from privet.transforms.columns import column, replaced
from privet.transforms.row_functions import plain_rows


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple | range) else ()


@final
@frozen(kw_only=True)
class UserScores(Transformation):
    """Score each candidate by a function of the rows and the candidate.

    The function receives the rows as a tuple (sorted, unless positions count; None for null) and one candidate, and
    gives an ``int`` or a ``Fraction`` on the grid. Anything else, an exception included, counts as ``lowest``.

    Args:
        function: Called as ``function(rows, candidate)``; it must depend on nothing else.
        candidates: One or more public values, in a public order.
        range: How unevenly one added or removed row moves the scores: the largest change less the smallest. This
            is your claim, and the guarantee rests on it.
        grid: The step that every score is a multiple of.
        lowest: The score that stands for anything that is no score.

    Guarantee: ``d_out = range d_in``; where the size is public a replacement counts as two rows.
    Proof: docs/transforms/user_scores.md.

    >>> from privet.core.space import vector
    >>> near = UserScores(function=lambda rows, c: -abs(len(rows) - c), candidates=[0, 2, 5], range=2, lowest=-100)
    >>> (vector(int) >> near)([7, 7, 7]).tolist()
    [-3.0, -1.0, -2.0]
    """

    function: Callable[[tuple[Any, ...], Any], Any] = field()
    candidates: tuple[Any, ...] = field(converter=_listed)
    range: Fraction = field(converter=number, validator=not_negative, repr=short)
    grid: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    lowest: Fraction = field(default=Fraction(0), converter=number, validator=readable, repr=short)

    @function.validator
    def _check_function(self, _: Any, value: Any) -> None:
        if not callable(value) or isinstance(value, type):
            raise WrongTypeError(
                f"UserScores.function must be a function of rows and a candidate, got {type(value).__name__}."
            )

    @candidates.validator
    def _check_candidates(self, _: Any, value: tuple[Any, ...]) -> None:
        if not value:
            raise WrongTypeError("UserScores.candidates must be a list of one or more values.")

    @lowest.validator
    def _check_lowest(self, _: Any, value: Fraction) -> None:
        if (value / self.grid).denominator != 1:
            raise InvalidError(f"UserScores.lowest must be a multiple of the grid, got {short(value)}.")

    def output(self, space: Space) -> Space:
        """One score for each candidate."""
        column(self, space)
        return Space(NumbersDomain(length=len(self.candidates), kind=float, grid=self.grid), RangeDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Ask the function for each candidate; it sees the rows in an order that says nothing."""
        rows = list(plain_rows(value))
        if not isinstance(space.metric, HammingDistance | InsertDelete):
            rows.sort(key=_rank)
        with warnings.catch_warnings():  # a warning would tell of the rows that caused it
            warnings.simplefilter("ignore")
            scores = [self._score(tuple(rows), candidate) for candidate in self.candidates]
        return np.array(scores, dtype=object)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """Range distances add up along a path of single rows."""
        swaps = replaced(space, d_in)
        return self.range * (d_in if swaps is None else 2 * swaps)

    def _score(self, rows: tuple[Any, ...], candidate: Any) -> int:
        lowest = int(self.lowest / self.grid)
        steps = quietly(lambda: self._steps(self.function(rows, candidate)))
        return lowest if steps is None or steps.denominator != 1 else steps.numerator

    def _steps(self, found: Any) -> Fraction | None:
        if isinstance(found, bool) or not isinstance(found, Rational):
            return None
        return Fraction(int(found.numerator), int(found.denominator)) / self.grid


def _rank(row: Any) -> tuple[Any, ...]:
    """Order rows of one kind: values, then NaN, then nulls."""
    if row is None:
        return (2,)
    return (1,) if row != row else (0, row)
