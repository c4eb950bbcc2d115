"""Scores by a user's function, made total and exact."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any, final

import numpy as np
from attrs import Attribute, field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    NumbersDomain,
    RangeDistance,
    Space,
    Validator,
    must_be,
    not_negative,
    number,
    positive,
    quietly,
    readable,
    short,
    type_name,
)
from privet.errors import InvalidError, WrongTypeError
from privet.transforms import as_tuple, column, plain_rows, positions_count, rows_changed


def is_score(candidate: str) -> Validator:
    """Refuse values that are not functions of rows and a candidate; a message uses its own word for a candidate."""
    return must_be(
        lambda value: callable(value) and not isinstance(value, type),
        f"a function of rows and a {candidate}",
        WrongTypeError,
        type_name,
    )


def on_score_grid(instance: Any, attribute: "Attribute[Any]", value: Fraction) -> None:
    """Refuse a score that is not a multiple of the field ``grid``."""
    if (value / instance.grid).denominator != 1:
        label = f"{type(instance).__name__}.{attribute.name}"
        raise InvalidError(f"{label} must be a multiple of the grid, got {short(value)}.")


_CANDIDATES = must_be(
    lambda value: isinstance(value, tuple) and len(value) > 0,
    "a list of one or more values",
    WrongTypeError,
    type_name,
)


@final
@frozen(kw_only=True)
class UserScores(Transformation):
    """Score each candidate by a function of the rows and the candidate.

    The function receives the rows as a tuple (sorted unless the order matters; None for null) and one candidate, and
    returns an ``int`` or a ``Fraction`` on the grid. Any other result, and an exception, counts as ``lowest``.

    Args:
        function: Called as ``function(rows, candidate)``; it must depend on nothing else.
        candidates: One or more public values, in a public order.
        range: The largest minus the smallest change of a score when one row is added or removed. This is your claim,
            and the guarantee rests on it.
        grid: The grid step; every score is a multiple of it.
        lowest: The score that replaces an invalid result.

    Guarantee: ``d_out = range d_in``; if the size is public, a replacement counts as two rows.
    Proof: docs/transforms/user_scores.md.

    >>> from privet.core.space import vector
    >>> near = UserScores(function=lambda rows, c: -abs(len(rows) - c), candidates=[0, 2, 5], range=2, lowest=-100)
    >>> (vector(int) >> near)([7, 7, 7]).tolist()
    [-3.0, -1.0, -2.0]
    """

    function: Callable[[tuple[Any, ...], Any], Any] = field(validator=is_score("candidate"))
    candidates: tuple[Any, ...] = field(converter=as_tuple, validator=_CANDIDATES)
    range: Fraction = field(converter=number, validator=not_negative, repr=short)
    grid: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    lowest: Fraction = field(default=Fraction(0), converter=number, validator=[readable, on_score_grid], repr=short)

    def output(self, space: Space) -> Space:
        """One score for each candidate."""
        column(self, space)
        return Space(NumbersDomain(length=len(self.candidates), kind=float, grid=self.grid), RangeDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Call the function for each candidate; it sees the rows in an order that reveals nothing."""
        rows, lowest = rows_in_order(value, space), int(self.lowest / self.grid)
        with warnings.catch_warnings():  # a warning would reveal the rows that caused it
            warnings.simplefilter("ignore")
            scores = [
                score_steps(self.function, rows, candidate, grid=self.grid, lowest=lowest)
                for candidate in self.candidates
            ]
        return np.array(scores, dtype=object)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """Range distances add up along a path that changes one row at a time."""
        return self.range * rows_changed(space, d_in)


def rows_in_order(value: Array, space: Space) -> tuple[Any, ...]:
    """Give the rows as plain values, sorted unless positions matter: an order that reveals nothing."""
    rows = plain_rows(value)
    return tuple(rows) if positions_count(space) else tuple(sorted(rows, key=_rank))


def score_steps(
    function: Callable[[tuple[Any, ...], Any], Any],
    rows: tuple[Any, ...],
    candidate: object,
    *,
    grid: Fraction,
    lowest: int,
) -> int:
    """Call a user's score, and read its result in steps of the grid; ``lowest`` stands for anything invalid."""
    steps = quietly(lambda: _steps(function(rows, candidate), grid))
    return lowest if steps is None or steps.denominator != 1 else steps.numerator


def _steps(score: object, grid: Fraction) -> Fraction | None:
    if isinstance(score, bool) or not isinstance(score, Rational):
        return None
    return Fraction(int(score.numerator), int(score.denominator)) / grid


def _rank(row: Any) -> tuple[Any, ...]:
    """Order rows of one kind: values, then NaN, then nulls."""
    if row is None:
        return (2,)
    return (1,) if row != row else (0, row)
