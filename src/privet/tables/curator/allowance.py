"""What one release may lose, as an analyst states it."""

from decimal import Decimal
from fractions import Fraction
from typing import final

from attrs import evolve, frozen

from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, read_typed, state_budget
from privet.errors import InvalidError, WrongTypeError

Amount = int | float | Decimal | Fraction | str | None


@final
@frozen(kw_only=True)
class Allowance:
    """A budget for one release, and the delta at which the session reads its loss.

    Args:
        budget: What the release may lose.
        delta: The delta at which a session of epsilon and delta reads the cost; None for the loss's own point.
    """

    budget: AdditiveBudget
    delta: Fraction | None = None


def read_allowance(where: str, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None) -> Allowance:
    """Read what a release may lose.

    Beside ``rho``, a ``delta`` does not change the noise: it only says where a session of epsilon and delta reads the
    cost.

    Args:
        where: The caller, for messages.
        epsilon: The largest epsilon, with or without ``delta``.
        delta: The probability of a larger loss; none by default.
        rho: Or the largest loss in concentrated privacy.

    >>> read_allowance("release", rho=0.5, delta=1e-6).budget
    ConcentratedBudget(rho=0.5)
    """
    if epsilon is None and rho is None:
        raise WrongTypeError(f"{where} needs epsilon=..., with or without delta=..., or rho=...: what it may lose.")
    limit = state_budget(where, epsilon=epsilon, rho=rho, delta=delta if rho is None or epsilon is not None else None)
    read_at = None if delta is None else read_typed(where, "delta", delta)
    cost = limit.point().cost
    if cost == 0 and (rho is not None or not read_at):  # with a delta, epsilon may be zero
        name = "epsilon" if rho is None else "rho"
        raise InvalidError(f"{where}: {name} must be above zero, got 0. Give a number such as 0.5.")
    return Allowance(budget=limit, delta=read_at or None)


def part_of(whole: AdditiveBudget, share: Fraction) -> AdditiveBudget:
    """Give a share of a budget, without delta.

    >>> part_of(ApproximateBudget(epsilon=1, delta=1e-6), Fraction(1, 10))
    ApproximateBudget(epsilon=0.1, delta=0)
    """
    point = whole.point()
    return whole.like(evolve(point, cost=Fraction(point.cost) * share, delta=Fraction(0)))


def rest_of(whole: AdditiveBudget, share: Fraction) -> AdditiveBudget:
    """Give what is left of a budget without a share of it; all of its delta.

    >>> rest_of(ApproximateBudget(epsilon=1, delta=1e-6), Fraction(1, 10))
    ApproximateBudget(epsilon=0.9, delta=1e-06)
    """
    rest = part_of(whole, 1 - share)
    if isinstance(whole, ApproximateBudget):
        return ApproximateBudget(epsilon=rest.point().cost, delta=whole.delta)
    return rest
