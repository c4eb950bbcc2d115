"""Privacy filters: a cap that is fixed in advance and never passed."""

import math
import threading
from fractions import Fraction
from typing import Any, final

from privet.accounting.budget import ApproximateBudget, ConcentratedBudget
from privet.accounting.convert import Amount, Point
from privet.accounting.loss import Budget, Loss
from privet.core.checks import read_number, short
from privet.errors import BudgetExceeded, Invalid, Unavailable, WrongType


@final
class PrivacyFilter:
    """Grant losses, chosen adaptively, until their total would pass a budget.

    Charge first, look at the data afterwards; nothing is ever refunded. Charges may come from several threads.

    Args:
        budget: ``pv.budget(epsilon=..., delta=...)`` or ``pv.budget(rho=...)``; its form is that of every charge.

    Guarantee: whatever is granted costs no more than the budget, in its form.
    Proof: docs/combinators/privacy_filter.md.

    >>> from privet.accounting.budget import budget
    >>> from privet.accounting.pure import PureLoss
    >>> cap = PrivacyFilter(budget(epsilon=1))
    >>> for _ in range(10):
    ...     cap.charge(PureLoss(0.1))
    >>> cap.remaining
    ApproximateBudget(epsilon=0, delta=0)
    """

    def __init__(self, budget: Budget) -> None:
        if not isinstance(budget, ApproximateBudget | ConcentratedBudget):
            raise WrongType(
                f"PrivacyFilter.budget must be a budget such as pv.budget(epsilon=1), got {type(budget).__name__}."
            )
        self._budget = budget
        self._lock = threading.Lock()
        self._spent = Point(Fraction(0), Fraction(0))

    @property
    def spent(self) -> ApproximateBudget | ConcentratedBudget:
        """What has been granted so far."""
        with self._lock:
            return self._as_budget(self._spent)

    @property
    def remaining(self) -> ApproximateBudget | ConcentratedBudget:
        """What may still be granted."""
        with self._lock:
            cap = self._cap()
            return self._as_budget(Point(cap.cost - self._spent.cost, cap.delta - self._spent.delta))

    def charge(self, loss: Loss, *, delta: Any = None) -> None:
        """Spend a loss, or refuse it and spend nothing.

        Args:
            loss: What the next release costs.
            delta: Where a loss has a curve, the delta at which to read epsilon; by default its own point.

        Raises:
            BudgetExceeded: if the total would pass the budget.
        """
        if not isinstance(loss, Loss):
            raise WrongType(f"PrivacyFilter.charge takes a loss, such as chain.map(1), got {type(loss).__name__}.")
        price = self._price(loss, delta)
        with self._lock:
            total = Point.total([(self._spent, 1), (price, 1)])
            cap = self._cap()
            if total.cost > cap.cost or total.delta > cap.delta:
                raise BudgetExceeded(
                    f"the charge does not fit: it costs {_told(price)}, spent are {_told(self._spent)} "
                    f"of {_told(cap)}. Nothing was spent; ask for less, or stop."
                )
            self._spent = total

    def _price(self, loss: Loss, delta: Any) -> Point:
        if isinstance(self._budget, ConcentratedBudget):
            if delta is not None:
                raise Invalid("PrivacyFilter.delta is for budgets of epsilon and delta; this one is in rho.")
            return _finite(
                Point(loss.rho(), Fraction(0)), "rho; open the filter with pv.budget(epsilon=..., delta=...)"
            )
        if delta is None:
            return _finite(loss.pure(), "epsilon without a delta; charge(loss, delta=...), or use pv.budget(rho=...)")
        share = read_number("PrivacyFilter.delta", delta)
        return _finite(Point(loss.epsilon(share), share), "epsilon at this delta; give a larger one")

    def _cap(self) -> Point:
        if isinstance(self._budget, ConcentratedBudget):
            return Point(self._budget.rho, Fraction(0))
        return Point(self._budget.epsilon, self._budget.delta)

    def _as_budget(self, point: Point) -> ApproximateBudget | ConcentratedBudget:
        if isinstance(self._budget, ConcentratedBudget):
            return ConcentratedBudget(rho=point.cost)
        return ApproximateBudget(epsilon=point.cost, delta=point.delta)

    def __repr__(self) -> str:
        return f"PrivacyFilter(spent={self.spent}, remaining={self.remaining})"

    def __reduce__(self) -> Any:
        raise WrongType("a filter cannot be copied: two copies would spend the same budget twice.")


def _finite(point: Point, what: str) -> Point:
    if point.cost == math.inf:
        raise Unavailable(f"this loss has no finite {what}.")
    return point


def _told(point: Point) -> str:
    cost: Amount = point.cost
    return short(cost) if point.delta == 0 else f"({short(cost)}, {short(point.delta)})"
