"""How far one row can move a total over imputed rows, and a bound of that which is smooth.

Proof: docs/imputation/influence.md.
"""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.core.checks import not_negative, number, read_number, short
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError
from privet.transforms.smooth_pairs import FLOOR

_STEEPEST = Fraction(64)  # smoother than asked for is smooth enough


@final
@frozen(kw_only=True)
class Influence:
    """What a row adds to a total by itself, and what it moves through each row that has other donors because of it.

    Args:
        own: The most that a row counts by itself.
        donee: The most that the share of an incomplete row moves when one of its donors changes.

    Guarantee: one row moves the total by at most ``own + donee L1``.
    Proof: docs/imputation/influence.md.

    >>> Influence(own=1, donee=1).smooth(changes=7, incomplete=100, beta=1)
    Fraction(8, 1)
    """

    own: Fraction = field(converter=number, validator=not_negative, repr=short)
    donee: Fraction = field(converter=number, validator=not_negative, repr=short)

    def __attrs_post_init__(self) -> None:
        if self.own + self.donee <= 0:
            raise InvalidError("Influence must be above zero: a total that no row moves needs no noise.")

    def at(self, distance: int, changes: int, incomplete: int) -> Fraction:
        """Bound how far a row moves the total of any data this many rows away.

        Between neighbours L1 at most doubles, and there are never more donees than incomplete rows.
        """
        doubled = incomplete + distance
        if distance < doubled.bit_length():  # beyond it the power is larger anyway, and long to write
            doubled = min(changes << distance, doubled)
        return self.own + self.donee * doubled

    def smooth(self, *, changes: int, incomplete: int, beta: Any) -> Fraction:
        """Give S: at least how far one row moves the total, and within a factor e^beta for neighbours.

        Args:
            changes: L1 of the data, one or more.
            incomplete: How many rows lack a value.
            beta: The smoothness.
        """
        rate = read_number("Influence.beta", beta)
        if rate <= 0:
            raise InvalidError(f"Influence.beta must be above zero, got {short(rate)}.")
        # smoother than asked for is smooth enough; weights fall a little slower, and are rounded up by less than that
        steep = min(rate, _STEEPEST)
        slack = min(steep, Fraction(1)) / 2**32
        steps = self._candidates(changes, incomplete, steep - slack)
        found = max(_weight(steep, slack, distance) * self.at(distance, changes, incomplete) for distance in steps)
        return max(found, FLOOR * Fraction(1, math.lcm(self.own.denominator, self.donee.denominator)))

    def _candidates(self, changes: int, incomplete: int, rate: Fraction) -> set[int]:
        """Give the few distances among which ``e^(-rate k) U_k`` is largest.

        While U_k doubles it is convex in k, so that an end is largest; from there on it rises up to one point and
        falls behind it.
        """
        last = 0  # the first distance at which U_k no longer doubles
        while changes << last <= incomplete + last:
            last += 1
        top = last
        if self.donee:
            top = max(last, math.floor(1 / rate - incomplete - self.own / self.donee))
        return {0, max(last - 1, 0), last, top, top + 1}


def _weight(rate: Fraction, slack: Fraction, distance: int) -> Fraction:
    """Give e^-(rate - slack) k, rounded up by a factor below 1 + slack."""
    if distance == 0:
        return Fraction(1)
    # the relative width of the ball is below rate k 2^(4 - bits), less than the slack
    bits = 64 + math.ceil(1 / slack).bit_length() + math.ceil(rate * distance).bit_length()
    with precision(bits):
        return ends(ball((slack - rate) * distance).exp())[1]
