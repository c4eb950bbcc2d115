"""A loss in one line, for descriptions."""

import math
from fractions import Fraction

from privet.accounting.losses.loss import Loss
from privet.core import short

_DELTA = Fraction(1, 10**6)


def describe_loss(loss: Loss) -> str:
    """Write epsilon for a pure loss, rho and a point of the curve for others.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> describe_loss(PureLoss(2))
    'loss: epsilon = 2'
    """
    point = loss.pure()
    if point.cost != math.inf and point.delta == 0:
        return f"loss: epsilon = {_number(point.cost)}"
    rho = loss.rho()
    parts = [f"rho = {_number(rho)}"] if rho != math.inf else []
    if point.cost != math.inf:
        parts.append(f"epsilon = {_number(point.cost)} at delta = {short(point.delta)}")
    else:
        parts.append(f"epsilon = {_number(loss.epsilon(_DELTA))} at delta = {short(_DELTA)}")
    return f"loss: {', '.join(parts)}"


def _number(value: Fraction | float) -> str:
    exact = isinstance(value, Fraction) and value.denominator < 10**4
    return str(value) if exact else f"{float(value):.6g}"
