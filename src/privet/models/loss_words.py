"""The privacy loss of a fit in words, rounded toward more loss."""

import math
from fractions import Fraction
from typing import Any

from privet.accounting.losses.loss import Loss
from privet.core import amount_text, probability_text, read_number
from privet.models.private_rows import Account
from privet.models.spending import Form

_DELTA = Fraction(1, 10**6)  # where nobody stated one


def loss_in_words(loss: Loss, delta: Any = None) -> str:
    """Write what a fit cost: epsilon at the stated delta, epsilon alone, or rho.

    Args:
        loss: The loss.
        delta: The delta of the budget; None or zero if there is none.

    >>> from privet.accounting.losses.concentrated import ConcentratedLoss
    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss_in_words(PureLoss(Fraction(1, 3))), loss_in_words(ConcentratedLoss(Fraction(1, 50)), 1e-9)
    ('epsilon = 0.333334', 'epsilon = 1.16329 at delta = 1e-9')
    >>> loss_in_words(ConcentratedLoss(Fraction(1, 50)))
    'rho = 0.02 (epsilon = 0.899936 at delta = 1e-6)'
    """
    point = loss.pure()
    if point.cost != math.inf and point.delta == 0:
        unspent = "; delta is not spent" if delta else ""
        return f"epsilon = {amount_text(point.cost)}{unspent}"
    if delta:
        return _epsilon_at(loss, delta)
    rho = loss.rho()
    at = _epsilon_at(loss, _DELTA)
    return at if rho == math.inf else f"rho = {amount_text(rho)} ({at})"


def release_in_words(loss: Loss, form: Form) -> str:
    """Write what one release of a fit cost, in the form in which the costs of the releases add up.

    Args:
        loss: The loss of the release.
        form: The form of the budget.
    """
    if form == "pure":
        return f"epsilon = {amount_text(loss.epsilon(0))}"
    return f"rho = {amount_text(loss.rho())}"


def stated_delta(model: Any) -> Any:
    """Return the delta of the budget of an estimator or a pipeline, or None where the budget has none."""
    return getattr(model.budget, "delta", None) if model.delta is None else model.delta


def _epsilon_at(loss: Loss, given: Any) -> str:
    delta = read_number("delta", given)  # 1e-9 is the decimal, not the float above it
    return f"epsilon = {amount_text(loss.epsilon(delta))} at delta = {probability_text(delta)}"


def summed_up(account: Account) -> list[str]:
    """Describe the charges of a fit; equal ones that follow each other take one line.

    Args:
        account: What they were charged to.
    """
    lines: list[str] = []
    last, count = None, 0
    for charge in [*account.charges, None]:
        same = charge is not None and last is not None and (charge.name, charge.scale) == (last.name, last.scale)
        if same:
            count += 1
            continue
        if last is not None:
            often = "" if count == 1 else f", {count} times"
            cost = release_in_words(last.loss, account.spending.form)
            lines.append(f"{last.name}{often}: {last.unit}, {cost}{' each' if count > 1 else ''}")
        last, count = charge, 1
    return lines
