"""How far one row moves a total over imputed rows: the algebra of bounds, and a smooth bound of the result.

An ``Addend`` states three facts about what one row adds to a total: its smallest value, its largest value, and how far
one donor moves it. Shifts, squares and products of addends are addends. An addend gives the ``Influence`` of one row on
the total. Proof: docs/imputation/influence.md.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Literal, final

from attrs import field, frozen

from privet.core import ball, ends, not_negative, number, precision, read_number, short
from privet.errors import InvalidError
from privet.transforms.smooth_pairs import FLOOR

Number = int | float | Decimal | Fraction
"""A number as a person types it; a float means its shortest decimal."""
Group = Literal["fixed", "imputed"]
"""Whether the imputed values decide which rows are in the group."""
_STEEPEST = Fraction(64)  # a smoother bound than requested is smooth enough


@final
@frozen(kw_only=True)
class Influence:
    """How far one row moves a total: by itself, and through each incomplete row whose donors change because of it.

    Args:
        own: The most that a row adds by itself.
        donee: The most by which the part of one incomplete row moves when one of its donors changes.

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
        """Bound how far a row moves the total of any data at this distance.

        Between neighbours L1 at most doubles, and there are never more donees than incomplete rows.

        Args:
            distance: How many rows were added or removed.
            changes: L1 of the data, one or more.
            incomplete: How many rows lack a value.
        """
        doubled = incomplete + distance
        if distance < doubled.bit_length():  # from there on the power of two is larger, and long to write
            doubled = min(changes << distance, doubled)
        return self.own + self.donee * doubled

    def smooth(self, *, changes: int, incomplete: int, beta: Number) -> Fraction:
        """Give S. No row moves the total further than S, and neighbours have an S within a factor e^beta.

        Args:
            changes: L1 of the data, one or more.
            incomplete: How many rows lack a value.
            beta: The smoothness.
        """
        rate = read_number("Influence.beta", beta)
        if rate <= 0:
            raise InvalidError(f"Influence.beta must be above zero, got {short(rate)}.")
        # the weights fall at a rate below beta by the slack, and are rounded up by a factor below 1 + slack
        steep = min(rate, _STEEPEST)
        slack = min(steep, Fraction(1)) / 2**32
        distances = self._candidates(changes, incomplete, steep - slack)
        bound = max(_weight(steep, slack, distance) * self.at(distance, changes, incomplete) for distance in distances)
        return max(bound, FLOOR * Fraction(1, math.lcm(self.own.denominator, self.donee.denominator)))

    def _candidates(self, changes: int, incomplete: int, rate: Fraction) -> set[int]:
        """Give the few distances among which ``e^(-rate k) U_k`` is largest.

        While U_k doubles, the product is convex in k, so it is largest at an end. After that it rises to one point and
        then falls.
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


@final
@frozen(kw_only=True)
class Addend:
    """What one row adds to a total: a number between public ends, of which one donor moves at most a part.

    Args:
        low: The smallest value.
        high: The largest value.
        reach: How far the value moves at most when one donor changes; zero for an observed value.

    Guarantee: every operation states the ends exactly, and a reach that no donor exceeds.
    Proof: docs/imputation/influence.md.

    >>> deviation = Addend(low=0, high=10, reach=4).minus(5)
    >>> deviation.square()
    Addend(low=0, high=25, reach=24)
    >>> deviation.square().centred().influence("fixed")
    Influence(own=13, donee=24)
    """

    low: int
    high: int
    reach: int | Fraction = 0

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise InvalidError(f"Addend.low must not exceed Addend.high, got {self.low} and {self.high}.")
        if self.reach < 0:
            raise InvalidError(f"Addend.reach must be zero or more, got {self.reach}.")

    @property
    def width(self) -> int:
        """The distance of the ends."""
        return self.high - self.low

    @property
    def size(self) -> int:
        """The largest distance from zero."""
        return max(abs(self.low), abs(self.high))

    @property
    def middle(self) -> int:
        """The whole number in the middle, or just below it."""
        return (self.low + self.high) // 2

    @property
    def swing(self) -> int | Fraction:
        """How far one donor moves the value: the reach, but never further than from end to end."""
        return min(self.reach, self.width)

    def minus(self, number: int) -> "Addend":
        """Subtract a public number."""
        return Addend(low=self.low - number, high=self.high - number, reach=self.reach)

    def centred(self) -> "Addend":
        """Subtract the middle, so that a row adds at most half of the width."""
        return self.minus(self.middle)

    def square(self) -> "Addend":
        """Square the value. Both factors move together, so a square moves less than a product of two such columns."""
        near = 0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        reach = self.size**2 - max(self.size - self.swing, 0) ** 2  # from the far end inward, to zero at most
        return Addend(low=near**2, high=self.size**2, reach=reach)

    def times(self, other: "Addend") -> "Addend":
        """Multiply by a value of another column of the same row; one donor may move both."""
        corners = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        first, second = self.swing * other.size, other.swing * self.size
        reach = max(first, second, first + second - self.swing * other.swing)
        return Addend(low=min(corners), high=max(corners), reach=reach)

    def influence(self, group: Group) -> Influence:
        """Bound how far one row moves the total over a group.

        Args:
            group: In an ``imputed`` group a donee may also enter or leave, with all that it adds.
        """
        donee = self.swing if group == "fixed" else max(self.size, self.swing)
        return Influence(own=self.size, donee=donee)


ROW = Addend(low=1, high=1)
"""What a row adds to a count."""


def steps_moved(reach: Fraction, grid: Fraction, values: Fraction | None = None) -> int:
    """Bound how many grid steps one donor moves a value, once the value is rounded to the nearest step.

    Args:
        reach: How far one donor moves the value before it is rounded.
        grid: The size of a step.
        values: The grid on which the values lie before they are rounded; None where it is not known.

    >>> steps_moved(Fraction(1), Fraction(1)), steps_moved(Fraction(1), Fraction(1), values=Fraction(1))
    (2, 1)
    """
    whole = math.floor(reach / grid)
    if values is not None and (values / grid).denominator == 1:
        return whole  # the values are whole steps already
    return whole + 1  # each of two values moves by half a step at most: 0.5 and 1.5 become 0 and 2
