"""How far one row can move a total over imputed rows, and a bound of that which is smooth.

Proof: docs/imputation/influence.md.
"""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.core.checks import not_negative, number, read_number, short
from privet.errors import Invalid
from privet.transforms.smooth_median import smooth_maximum

_SPARE = 2
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
            raise Invalid("Influence must be above zero: a total that no row moves needs no noise.")

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
            raise Invalid(f"Influence.beta must be above zero, got {short(rate)}.")
        unit = Fraction(1, math.lcm(self.own.denominator, self.donee.denominator))
        last = self._last(changes, incomplete, float(min(rate, _STEEPEST)))
        most = int(self.at(last, changes, incomplete) / unit)
        found = smooth_maximum(lambda distance: int(self.at(distance, changes, incomplete) / unit), last, most, rate)
        return found * unit

    def _last(self, changes: int, incomplete: int, beta: float) -> int:
        """Give a distance from which on ``e^(-beta k) U_k`` is below the first ones, whatever the rounding."""
        # the second term is below e^-beta U_1, for data without incomplete rows and rows that count nothing themselves
        first = max(_log(self.at(0, changes, incomplete)), _log(self.donee) - beta)
        reach = 1
        while True:
            largest = _log(self.own + self.donee * (incomplete + reach))
            wanted = math.ceil((largest - first + _SPARE) / beta) + 1
            if wanted <= reach:
                break
            reach = 2 * wanted
        # (own + donee (n + k)) e^(-beta k) falls from 1 / beta on
        return max(reach, math.ceil(2 / beta))


def _log(value: Fraction) -> float:
    """The logarithm of any fraction: floats could overflow."""
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf
