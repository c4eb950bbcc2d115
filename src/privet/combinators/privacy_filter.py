"""Privacy filters: a cap fixed in advance that adaptively chosen losses never exceed."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from attrs import field, frozen, validators

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.running_total import RunningTotal
from privet.accounting.planning.shortfall import describe_shortfall
from privet.chains.measurement import InteractiveMeasurement
from privet.combinators.queries import open_charged
from privet.core import Queryable, Space, function_of, is_a
from privet.errors import BudgetExceededError, WrongTypeError

Rule = Callable[[Any, Any], bool]
Record = Callable[[AdditiveBudget, AdditiveBudget], None]
_BUDGET = "a budget such as pv.budget(epsilon=1)"
_ARGUMENTS = "the total spent and the next charge"


@final
class PrivacyFilter:
    """Grant losses, chosen adaptively, until their total would exceed a budget.

    Charge first, read the data afterwards; nothing is ever refunded. Charges may come from several threads, but not
    from a forked process.

    Args:
        budget: Such as ``pv.budget(epsilon=..., delta=...)`` or ``pv.budget(rho=...)``; every charge has its form.
        go_on: The continuation rule: a function of two budgets, the total spent and the next charge, that returns
            whether to go on. After its first False everything is refused. It may read releases, never the data.

    Guarantee: all granted charges together cost no more than the budget, in its form.
    Proof: docs/combinators/privacy_filter.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.accounting.losses.pure import PureLoss
    >>> cap = PrivacyFilter(budget(epsilon=1))
    >>> for _ in range(10):
    ...     cap.charge(PureLoss(0.1))
    >>> cap.remaining
    ApproximateBudget(epsilon=0, delta=0)
    """

    def __init__(self, budget: Budget, *, go_on: Rule | None = None) -> None:
        if not isinstance(budget, AdditiveBudget):
            raise WrongTypeError(f"PrivacyFilter.budget must be {_BUDGET}, got {type(budget).__name__}.")
        if go_on is not None and not callable(go_on):
            raise WrongTypeError(f"PrivacyFilter.go_on must be a function of {_ARGUMENTS}, got {type(go_on).__name__}.")
        self._budget, self._rule = budget, go_on
        self._total = RunningTotal("PrivacyFilter")
        self._stopped = False

    @property
    def at_home(self) -> bool:
        """Whether this is the process that opened the filter; any other one can neither charge nor read it."""
        return self._total.at_home

    @property
    def spent(self) -> AdditiveBudget:
        """The total of the granted charges."""
        return self._budget.like(self._total.spent)

    @property
    def remaining(self) -> AdditiveBudget:
        """The exact rest of the budget; zero after the rule has stopped the filter."""
        cap, spent = self._budget.point(), self._total.spent
        rest = Point(cap.cost - spent.cost, cap.delta - spent.delta)
        return self._budget.like(Point(0 * rest.cost, 0 * rest.delta) if self._stopped else rest)

    def charge(self, loss: Loss, *, delta: object = None, record: Record | None = None) -> None:
        """Spend a loss, or refuse it and spend nothing.

        Args:
            loss: The loss of the next release.
            delta: For a loss with a curve, the delta at which to read epsilon; by default its own point.
            record: A function that gets the charge and the rest of the budget, once the charge is made and before any
                other one.

        Raises:
            BudgetExceededError: if the total would exceed the budget, or the rule returns False.
        """
        if not isinstance(loss, Loss):
            raise WrongTypeError(f"PrivacyFilter.charge takes a loss, such as chain.map(1), got {type(loss).__name__}.")
        price, cap = self._budget.price(loss, delta), self._budget.point()

        def check(spent: Point, total: Point) -> None:
            self._refuse_if_stopped()
            if total.cost > cap.cost or total.delta > cap.delta:
                rest = self._budget.like(Point(cap.cost - spent.cost, cap.delta - spent.delta))
                raise BudgetExceededError(describe_shortfall("the release needs", price, rest))
            if self._rule is not None and not self._verdict(self._rule, spent, price):
                self._stopped = True
                self._refuse_if_stopped()

        def then() -> None:
            if record is not None:
                record(self._budget.like(price), self.remaining)

        self._total.charge(price, check, cap=cap, then=then)

    def _verdict(self, rule: Rule, spent: Point, price: Point) -> bool:
        verdict = rule(self._budget.like(spent), self._budget.like(price))
        if not isinstance(verdict, bool | np.bool_):
            raise WrongTypeError(f"PrivacyFilter.go_on must return True or False, got {type(verdict).__name__}.")
        return bool(verdict)

    def _refuse_if_stopped(self) -> None:
        if self._stopped:
            raise BudgetExceededError("the continuation rule has returned False: nothing more is granted.")

    def __repr__(self) -> str:
        if not self.at_home:
            return "PrivacyFilter(of another process)"
        return f"PrivacyFilter(spent={self.spent!r}, remaining={self.remaining!r})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a filter cannot be copied: two copies would spend the same budget twice.")


@final
@frozen(kw_only=True)
class FilterCompositor(InteractiveMeasurement):
    """Hold the data and answer queries with adaptively chosen losses while they fit a budget.

    The release is a ``Queryable``: ``ask(chain)`` charges the chain's loss and then makes the release,
    ``ask((chain, delta))`` reads epsilon at that delta; ``ask("spent")`` and ``ask("remaining")`` are free. Releases
    that are queryables are paid for in full and stay open.

    Args:
        budget: The budget of all queries together; every charge has its form.
        d_in: The distance of neighbouring data; the cost of a query is its map at this distance.
        go_on: The continuation rule, as in ``PrivacyFilter``.

    Guarantee: the budget, for inputs up to ``d_in`` apart; nothing is claimed beyond.
    Proof: docs/combinators/privacy_filter.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.core.space import choice
    >>> from privet.mechanisms.randomized_response import RandomizedResponse
    >>> queryable = (choice((False, True)) >> FilterCompositor(budget=budget(epsilon=1.1), d_in=1))(True)
    >>> queryable.ask(RandomizedResponse(truth=0.75)) in (False, True)
    True
    >>> queryable.ask(RandomizedResponse(truth=0.75))
    Traceback (most recent call last):
        ...
    privet.errors.BudgetExceededError: the release needs epsilon = 1.09862, and the budget has 0.00138771 left: ...
    """

    budget: AdditiveBudget = field(validator=is_a(AdditiveBudget, _BUDGET))
    d_in: Any
    go_on: Rule | None = field(default=None, validator=validators.optional(function_of(_ARGUMENTS)))

    def release(self, value: object, space: Space) -> Queryable:
        """Open a filter, keep a copy of the data, and answer from it."""
        cap = PrivacyFilter(self.budget, go_on=self.go_on)
        free = {"spent": lambda: cap.spent, "remaining": lambda: cap.remaining}
        return open_charged(self, cap, free, value, space)

    def loss(self, d_in: object, space: Space) -> Loss:
        """The budget, for any queries."""
        return self.within_distance(self.budget.loss(), d_in, space)
