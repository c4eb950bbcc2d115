"""Amounts of a ledger: exact fractions as texts, and budgets as plain data."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.accounting.numerics import Point
from privet.accounting.planning.budget import (
    AdditiveBudget,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    RenyiBudget,
)
from privet.errors import InvalidError, LedgerError, WrongTypeError

EXACT = 2**64  # the largest denominator of a charge of one or more; a smaller charge may have a larger one
_DIGITS = 400  # of a numerator or a denominator, at most
_LEAST = Fraction(1, 10**300)  # a charge above zero is no less, so that its denominator has fewer digits
_FRACTION = re.compile(rf"(0|[1-9][0-9]{{0,{_DIGITS - 1}}})/([1-9][0-9]{{0,{_DIGITS - 1}}})", flags=re.ASCII)
_FORMS: dict[str, tuple[type[AdditiveBudget], tuple[str, ...]]] = {
    "approximate": (ApproximateBudget, ("epsilon", "delta")),
    "concentrated": (ConcentratedBudget, ("rho",)),
    "gaussian": (GaussianBudget, ("mu_squared",)),
    "renyi": (RenyiBudget, ("order", "cost")),
}


def write_amount(value: Fraction) -> str:
    """Write a fraction as numerator and denominator, or refuse one that could not be read back.

    >>> write_amount(Fraction(1, 3)), write_amount(Fraction(2))
    ('1/3', '2/1')
    """
    if max(abs(value.numerator), value.denominator) >= 10**_DIGITS:
        raise InvalidError(
            f"a ledger keeps amounts of at most {_DIGITS} digits, such as 0.5 or 1e-9. Use a rounder amount."
        )
    return f"{value.numerator}/{value.denominator}"


def read_amount(text: object) -> Fraction:
    """Read what ``write_amount`` wrote."""
    parts = _FRACTION.fullmatch(text) if isinstance(text, str) else None
    if parts is None:
        raise LedgerError("the ledger holds an amount that is no fraction: it was not written by Privet.")
    return Fraction(int(parts[1]), int(parts[2]))


def stored_cost(value: Fraction) -> Fraction:
    """Round a charge up, where its denominator is too large to be stored.

    The result is the least fraction at or above the value whose denominator is at most 2^64, or 2^64 over the value
    where that is below one. A typed amount that covers the value therefore covers the result too: three releases for a
    third each fill a budget of one. Values below 1e-300 are rounded up to it.

    >>> stored_cost(Fraction(1, 3)), stored_cost(Fraction(1, 3) - Fraction(1, 3**90))
    (Fraction(1, 3), Fraction(1, 3))
    """
    if value <= 0:
        return Fraction(0)
    value = max(value, _LEAST)
    most = EXACT if value >= 1 else -(-EXACT * value.denominator // value.numerator)
    if value.denominator <= most:
        return value
    # the convergents of the continued fraction; what lies between the last two needs a larger denominator
    above, below, next_above, next_below = 0, 1, 1, 0
    numerator, denominator = value.numerator, value.denominator
    while True:
        whole = numerator // denominator
        if below + whole * next_below > most:
            break
        above, below, next_above, next_below = (
            next_above,
            next_below,
            above + whole * next_above,
            below + whole * next_below,
        )
        numerator, denominator = denominator, numerator - whole * denominator
    times = (most - below) // next_below
    return max(Fraction(above + times * next_above, below + times * next_below), Fraction(next_above, next_below))


def write_budget(budget: object) -> dict[str, str]:
    """Write a budget as plain data, or refuse one that a ledger cannot keep."""
    for form, (kind, names) in _FORMS.items():
        if type(budget) is kind:
            return {"form": form, **{name: write_amount(Fraction(getattr(budget, name))) for name in names}}
    raise WrongTypeError(
        f"a ledger keeps budgets such as pv.budget(epsilon=1, delta=1e-6) or pv.budget(rho=0.5), got "
        f"{type(budget).__name__}."
    )


def read_budget(data: Mapping[str, Any]) -> AdditiveBudget:
    """Read what ``write_budget`` wrote."""
    form = data.get("form")
    if form not in _FORMS:
        raise LedgerError("the ledger holds a budget of a form that this version of Privet does not know; use a newer.")
    kind, names = _FORMS[form]
    make: Any = kind
    return make(**{name: read_amount(data.get(name)) for name in names})  # type: ignore[no-any-return]


def same_form(one: AdditiveBudget, other: AdditiveBudget) -> bool:
    """Say whether the charges of two budgets can be compared."""
    orders = [each.order for each in (one, other) if isinstance(each, RenyiBudget)]
    return type(one) is type(other) and len(set(orders)) <= 1


def rest(cap: Point, spent: Point) -> Point:
    """Give what is left of a budget, never below zero.

    >>> rest(Point(Fraction(1), Fraction(0)), Point(Fraction(1, 3), Fraction(0))).cost
    Fraction(2, 3)
    """
    return Point(max(Fraction(cap.cost) - Fraction(spent.cost), Fraction(0)), max(cap.delta - spent.delta, Fraction(0)))


def least(one: Point, other: Point) -> Point:
    """Give what two limits both allow."""
    return Point(min(Fraction(one.cost), Fraction(other.cost)), min(one.delta, other.delta))


def most(one: Point, other: Point) -> Point:
    """Give the larger of each amount."""
    return Point(max(Fraction(one.cost), Fraction(other.cost)), max(one.delta, other.delta))
