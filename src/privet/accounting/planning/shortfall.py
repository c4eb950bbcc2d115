"""What a budget says when it refuses: what is needed, what is left, and what is missing."""

from fractions import Fraction

from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget, describe_amounts

_AGAIN = "open the data with a larger budget; the losses of both budgets add up"


def describe_shortfall(what: str, needed: Point, left: AdditiveBudget, *, more: str = _AGAIN) -> str:
    """Write why a charge is refused, and what still fits.

    Args:
        what: What was to be charged, with its verb, such as ``the release needs``.
        needed: Its price, in the form of the budget.
        left: The rest of the budget.
        more: How to get a larger budget.

    >>> from privet.accounting.planning.budget import budget
    >>> text = describe_shortfall("the release needs", budget(epsilon=0.5).point(), budget(epsilon=0.2))
    >>> text.split(". ")[0]
    'the release needs epsilon = 0.5, and the budget has 0.2 left: 0.3 is missing'
    >>> text = describe_shortfall("the release needs", budget(epsilon=1, delta=1e-6).point(), budget(epsilon=0.5))
    >>> text.partition("left: ")[2].split(". ")[0]
    'epsilon = 0.5 and delta = 1e-6 are missing'
    """
    room = left.point()
    missing = Point(max(needed.cost - room.cost, Fraction(0)), max(needed.delta - room.delta, Fraction(0)))
    price, rest = left.amounts(needed), left.amounts(room, up=False)
    lacks = _amounts_missing(left.amounts(missing), missing)
    if len(price) == len(rest) == 1:  # one amount: its name is said once
        has, lack = next(iter(rest.values())), next(iter(lacks.values()))
    else:
        has, lack = describe_amounts(rest), describe_amounts(lacks)
    has = has if room.cost or room.delta else "nothing"
    return (
        f"{what} {describe_amounts(price)}, and the budget has {has} left: {lack} {'are' if len(lacks) > 1 else 'is'} "
        f"missing. Nothing was spent. {_advice(left, missing, more)}"
    )


def _amounts_missing(amounts: dict[str, str], missing: Point) -> dict[str, str]:
    """Leave out a part of which there is enough."""
    lacks = zip(amounts.items(), (missing.cost, missing.delta), strict=False)
    return {phrase: amount for (phrase, amount), lack in lacks if lack}


def _advice(left: AdditiveBudget, missing: Point, more: str) -> str:
    room = left.point()
    if room.cost == 0:
        return f"The budget is spent: to go on, {more}."
    if missing.cost == 0 and room.delta == 0:
        return f"Ask for a release without delta, or {more}."
    return f"Ask for at most {left.describe(up=False)}, or {more}."
