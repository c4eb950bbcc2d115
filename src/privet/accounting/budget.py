"""Budgets: how much may be lost in all, in a form fixed in advance."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.loss import Budget, Loss
from privet.core.checks import not_negative, number, readable, short
from privet.errors import Invalid, WrongType


@final
@frozen(kw_only=True)
class ApproximateBudget(Budget):
    """At most (epsilon, delta); pure where delta is zero.

    Args:
        epsilon: Zero or more.
        delta: Between zero and one.
    """

    epsilon: Fraction = field(converter=number, validator=not_negative, repr=short)
    delta: Fraction = field(converter=number, validator=readable, default=Fraction(0), repr=short)

    @delta.validator
    def _check(self, _: Any, value: Fraction) -> None:
        if not 0 <= value < 1:
            raise Invalid(f"ApproximateBudget.delta must be zero or more and below one, got {value}.")

    def covers(self, loss: Loss) -> bool:
        """Compare at the budget's delta."""
        return loss.epsilon(self.delta) <= self.epsilon


@final
@frozen(kw_only=True)
class ConcentratedBudget(Budget):
    """At most rho.

    Args:
        rho: Zero or more.
    """

    rho: Fraction = field(converter=number, validator=not_negative, repr=short)

    def covers(self, loss: Loss) -> bool:
        """Compare rho with rho."""
        return loss.rho() <= self.rho


def budget(*, epsilon: Any = None, delta: Any = None, rho: Any = None) -> Budget:
    """State what may be lost in all: ``epsilon`` with or without ``delta``, or ``rho``.

    >>> budget(epsilon=1, delta=1e-9)
    ApproximateBudget(epsilon=1, delta=1e-09)
    """
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise WrongType("budget takes epsilon (and delta) or rho, not both: a budget has one form.")
        return ConcentratedBudget(rho=rho)
    if epsilon is None:
        raise WrongType("budget needs epsilon (and optionally delta) or rho, e.g. pv.budget(epsilon=1).")
    return ApproximateBudget(epsilon=epsilon, delta=0 if delta is None else delta)
