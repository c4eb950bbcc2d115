"""A privacy loss in words, from what it can say in a moment."""

import math
from fractions import Fraction

from privet.accounting.composition.composable import Composable
from privet.accounting.numerics import concentrated_epsilon
from privet.core import amount_text, probability_text

_DELTA = Fraction(1, 10**6)
_FEW = 4  # parts whose exact curves are composed at once; more take too long for a line of text


def describe_points(loss: Composable) -> str:
    """Write epsilon for a pure loss; rho, and the epsilon that it implies, for a concentrated one.

    Nothing long is computed: a loss of many parts gets a bound, and a loss that is only known by its curve says how to
    read it.

    Args:
        loss: The loss.
    """
    pure, concentrated = loss.pure(), loss.concentrated()
    if pure.cost != math.inf and pure.delta == 0:
        return f"epsilon = {amount_text(min(pure.cost, loss.epsilon(0)))}"  # less where the loss stands alone
    if pure.cost != math.inf:
        return f"epsilon = {amount_text(pure.cost)} at delta = {probability_text(pure.delta)}"
    if concentrated.cost != math.inf and concentrated.delta < _DELTA:
        exact = len(loss.parts()) <= _FEW and all(part.tight for part, _ in loss.parts())
        implied = concentrated_epsilon(concentrated, _DELTA)
        epsilon = loss.epsilon(_DELTA) if exact else implied
        slack = f" with delta = {probability_text(concentrated.delta)}" if concentrated.delta else ""
        coarse = not exact and sum(times for _, times in loss.parts()) > 1
        at = f"{'at most ' * coarse}epsilon = {amount_text(epsilon)} at delta = {probability_text(_DELTA)}"
        if 2 * epsilon < implied:  # rho says little of a sample
            return at
        return f"rho = {amount_text(concentrated.cost)}{slack}, that is {at}"
    return "a curve of epsilon and delta: loss.epsilon(delta) reads it"
