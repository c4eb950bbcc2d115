"""What a loss means for beliefs: how far a release moves odds and probabilities, rounded toward more loss.

Odds change by a factor of at most ``e ** epsilon``. A belief is the probability that somebody gives to one of two
neighbours, such as that a person is in the data. Proof: docs/accounting/planning/explain.md.
"""

import math
from fractions import Fraction

from privet.core import exp_up, number_text

USUAL_EPSILON = Fraction(1)
LARGEST_EPSILON = Fraction(5)
USUAL_DELTA = Fraction(1, 10**6)
_CERTAIN = 690  # beyond such an epsilon, odds grow by about 10^300, and no float tells a belief from certainty
_KEPT = 2  # digits of a small share


def odds_up(epsilon: Fraction | float) -> Fraction | float:
    """Give the largest factor by which odds grow, rounded up; infinite where it is beyond all use.

    >>> round(float(odds_up(Fraction(1))), 4)
    2.7183
    """
    return exp_up(Fraction(epsilon)) if epsilon <= _CERTAIN else math.inf


def belief_up(epsilon: Fraction | float, prior: Fraction) -> Fraction:
    """Give the largest belief after a release, from a belief before it; never too low.

    >>> round(float(belief_up(Fraction(1), Fraction(1, 2))), 4)
    0.7311
    """
    factor = odds_up(epsilon)
    if isinstance(factor, float):
        return Fraction(1) if prior else Fraction(0)
    return prior * factor / (prior * factor + 1 - prior)


def belief_down(epsilon: Fraction | float, prior: Fraction) -> Fraction:
    """Give the smallest belief after a release, never too high: the opposite belief is at its largest."""
    return 1 - belief_up(epsilon, 1 - prior)


def factor_text(epsilon: Fraction | float) -> str:
    """Write by how much odds grow at most, with the last digit rounded up.

    >>> factor_text(Fraction(1)), factor_text(Fraction(1000000))
    ('2.72', 'more than 10^300')
    """
    factor = odds_up(epsilon)
    if isinstance(factor, float):
        return "more than 10^300"
    return number_text(_rounded_up(factor, 3), 3)


def share_up_text(share: Fraction) -> str:
    """Write a share in percent, rounded up; near 100 %, with enough digits to tell it from certainty.

    >>> share_up_text(Fraction(73106, 100000)), share_up_text(Fraction(99996, 100000))
    ('73.2 %', '99.996 %')
    """
    digits = 1 if share >= Fraction(1, 1000) else _places(share)
    if Fraction(999, 1000) < share < 1:
        digits = _places(1 - share)
    unit = Fraction(10) ** -digits
    return f"{number_text(math.ceil(share * 100 / unit) * unit, 12)} %"


def share_down_text(share: Fraction) -> str:
    """Write a share in percent, rounded down.

    >>> share_down_text(Fraction(26894, 100000))
    '26.8 %'
    """
    digits = 1 if share >= Fraction(1, 1000) else _places(share)
    unit = Fraction(10) ** -digits
    return f"{number_text(math.floor(share * 100 / unit) * unit, 12)} %"


def _places(share: Fraction) -> int:
    """Give the decimal places of a percentage that keep two digits of a small share; at most nine."""
    return min(-math.floor(math.log10(float(share * 100))) + _KEPT - 1, 9) if share > Fraction(1, 10**15) else 9


def _rounded_up(value: Fraction, digits: int) -> Fraction:
    unit = Fraction(10) ** (math.floor(math.log10(float(value))) - digits + 1)
    return math.ceil(value / unit) * unit
