"""The exponential mechanism over an interval, for scores that are constant between cuts."""

import math
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import (
    Array,
    Bounds,
    Space,
    bounds,
    must_be,
    not_negative,
    number,
    positive,
    quietly,
    read_exactly,
    readable,
    short,
    type_name,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.mechanisms.selection import gaps_of, select, shortfall, uniform, whole_below
from privet.transforms import column, ends_in_steps, rows_changed
from privet.transforms.user_scores import is_score, on_score_grid, rows_in_order, score_steps

_MOST = 2**63  # candidates: their number is a weight of the selection

_SMALLEST = Fraction(1, 2**1074)  # the smallest float above zero
_FLOATS = must_be(
    lambda bounds: max(map(abs, bounds)) <= sys.float_info.max,
    "within the floats, up to about 1.8e308: no data lie beyond",
)

_CUTS = must_be(
    lambda value: value is None or (callable(value) and not isinstance(value, type)),
    "a function of rows",
    WrongTypeError,
    type_name,
)


@final
@frozen(kw_only=True)
class ExponentialInterval(Measurement):
    """Select a point of an interval by your own score, which is constant between cuts.

    Releases a multiple ``p`` of the step with probability proportional to ``exp(function(rows, p) / temperature)``.
    The function receives the rows as a tuple (sorted unless the order matters; None for null) and a point, and returns
    an ``int`` or a ``Fraction`` on the grid. Any other result, and an exception, counts as ``lowest``.

    Args:
        function: Called as ``function(rows, point)``; it must depend on nothing else.
        bounds: The interval, chosen without looking at the data, within the range of floats.
        range: The largest minus the smallest change of a score when one row is added or removed. This is your claim,
            and the guarantee rests on it. Twice the largest change always holds; once, if no two scores ever change
            in opposite directions.
        temperature: In the units of the scores, above zero. Twice the temperature, half the loss.
        step: The distance between candidates.
        cuts: Gives the numbers between which the score is constant, called as ``cuts(rows)``; by default the values
            of the rows. This is your claim too.
        grid: The grid step of scores; every score is a multiple of it.
        lowest: The score that replaces an invalid result.

    Guarantee: ``epsilon = range d_in / temperature`` and ``rho = epsilon² / 8``; if the size is public, a replacement
        counts as two rows.
    Proof: docs/mechanisms/exponential_interval.md.

    >>> from privet.core.space import vector
    >>> def balance(rows, point):
    ...     return -abs(sum(row < point for row in rows) - sum(row > point for row in rows))
    >>> median = ExponentialInterval(function=balance, bounds=(0, 100), range=2, temperature=4)
    >>> (vector(int) >> median).map(1).epsilon()
    Fraction(1, 2)
    """

    function: Callable[[tuple[Any, ...], Any], Any] = field(validator=is_score("point"))
    bounds: Bounds = field(converter=bounds, validator=[readable, _FLOATS], repr=short)
    range: Fraction = field(converter=number, validator=not_negative, repr=short)
    temperature: Fraction = field(converter=number, validator=positive, repr=short)
    step: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    cuts: Callable[[tuple[Any, ...]], Any] | None = field(default=None, validator=_CUTS)
    grid: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    lowest: Fraction = field(default=Fraction(0), converter=number, validator=[readable, on_score_grid], repr=short)

    @step.validator
    def _check_step(self, _: object, value: Fraction) -> None:
        if value < _SMALLEST:
            raise InvalidError(
                "ExponentialInterval.step must be at least 5e-324, the smallest float above zero: choose a coarser "
                "step, or rescale the data."
            )
        low, high = ends_in_steps(self.bounds, value)
        if not 0 < high - low + 1 <= _MOST:
            raise InvalidError(
                "ExponentialInterval.step must have from one to 2^63 multiples within the bounds, got "
                f"{short(value)}: choose a {'finer' if high < low else 'coarser'} step."
            )

    def accept(self, space: Space) -> None:
        """A column of any kind; only numbers are cuts by themselves."""
        kind = column(self, space).kind
        if self.cuts is None and kind not in (int, float):
            raise MismatchError(
                f"ExponentialInterval needs cuts for a column of {kind.__name__}, whose values are not numbers: "
                "pass cuts=, a function of the rows."
            )

    def release(self, value: Array, space: Space) -> int | float:
        """Score each piece once, draw one by its score and its number of points, then draw a point of it."""
        rows = rows_in_order(value, space)
        with warnings.catch_warnings():  # a warning would reveal the rows that caused it
            warnings.simplefilter("ignore")
            starts, counts = self._pieces(rows)
            lowest = int(self.lowest / self.grid)
            scores = [
                score_steps(self.function, rows, self._point(start), grid=self.grid, lowest=lowest) for start in starts
            ]
        gaps = gaps_of(np.array(scores, dtype=object))
        chosen = select(gaps, self.grid / self.temperature, np.array(counts, dtype=np.uint64))
        point = self._point(starts[chosen] + whole_below(uniform(), counts[chosen]))
        return point if isinstance(point, int) else float(point)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the exponential mechanism; range distances add up along a path of single rows."""
        return BoundedRangeLoss(self.range * rows_changed(space, d_in) / self.temperature)

    def shortfall(self, beta: object) -> Fraction:
        """The shortfall from the best score that the selected one exceeds with probability at most ``beta``.

        Args:
            beta: Between zero and one.
        """
        low, high = ends_in_steps(self.bounds, self.step)
        return shortfall(self, self.temperature, beta, high - low + 1)

    def _point(self, steps: int) -> int | Fraction:
        point = steps * self.step
        return point.numerator if self.step.denominator == 1 else point

    def _pieces(self, rows: tuple[Any, ...]) -> tuple[list[int], list[int]]:
        """Give the first step of each piece and its number of points; a cut on the grid is a piece of its own."""
        low, high = ends_in_steps(self.bounds, self.step)
        cuts = self.cuts
        named = rows if cuts is None else quietly(lambda: tuple(cuts(rows))) or ()
        starts = {low}
        for cut in map(read_exactly, named):
            if isinstance(cut, Fraction):
                place = cut / self.step
                starts |= {math.ceil(place), math.floor(place) + 1}
        first = sorted(start for start in starts if low <= start <= high)
        return first, [after - before for before, after in pairwise([*first, high + 1])]
