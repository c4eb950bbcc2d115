"""Privacy filters: a cap that is fixed in advance and never passed, whatever is chosen on the way."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.ledger import Ledger, describe_point
from privet.chains.measurement import Measurement
from privet.combinators.questions import read_question, released, stated_distance, within_distance
from privet.core.frames import kept
from privet.core.queryable import Queryable
from privet.core.reentrancy import around
from privet.core.space import Space
from privet.errors import BudgetExceededError, WrongTypeError

Rule = Callable[[Any, Any], bool]


@final
class PrivacyFilter:
    """Grant losses, chosen adaptively, until their total would pass a budget.

    Charge first, look at the data afterwards; nothing is ever refunded. Charges may come from several threads, but not
    from a forked process.

    Args:
        budget: Such as ``pv.budget(epsilon=..., delta=...)`` or ``pv.budget(rho=...)``; every charge has its form.
        go_on: The continuation rule: told what was spent and what is asked, two budgets, it says whether to go on.
            After its first False everything is refused. It may look at what was released, never at the data.

    Guarantee: whatever is granted costs no more than the budget, in its form.
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
        self._budget = _read_budget("PrivacyFilter", budget)
        self._rule = _read_rule("PrivacyFilter", go_on)
        self._ledger = Ledger("PrivacyFilter")
        self._stopped = False

    @property
    def spent(self) -> AdditiveBudget:
        """What has been granted so far."""
        return self._budget.like(self._ledger.spent)

    @property
    def remaining(self) -> AdditiveBudget:
        """What may still be granted, exactly; nothing once the rule said stop."""
        cap, spent = self._budget.point(), self._ledger.spent
        left = Point(cap.cost - spent.cost, cap.delta - spent.delta)
        return self._budget.like(Point(0 * left.cost, 0 * left.delta) if self._stopped else left)

    def charge(self, loss: Loss, *, delta: Any = None) -> None:
        """Spend a loss, or refuse it and spend nothing.

        Args:
            loss: What the next release costs.
            delta: Where a loss has a curve, the delta at which to read epsilon; by default its own point.

        Raises:
            BudgetExceededError: if the total would pass the budget, or the rule says stop.
        """
        if not isinstance(loss, Loss):
            raise WrongTypeError(f"PrivacyFilter.charge takes a loss, such as chain.map(1), got {type(loss).__name__}.")
        price, cap = self._budget.price(loss, delta), self._budget.point()

        def check(spent: Point, total: Point) -> None:
            self._refuse_if_stopped()
            if total.cost > cap.cost or total.delta > cap.delta:
                raise BudgetExceededError(
                    f"the charge does not fit: it costs {describe_point(price)}, spent are {describe_point(spent)} "
                    f"of {describe_point(cap)}. Nothing was spent; ask for less, or stop."
                )
            if self._rule is not None and not self._verdict(self._rule, spent, price):
                self._stopped = True
                self._refuse_if_stopped()

        self._ledger.charge(price, check, cap=cap)

    def _verdict(self, rule: Rule, spent: Point, price: Point) -> bool:
        verdict = rule(self._budget.like(spent), self._budget.like(price))
        if not isinstance(verdict, bool | np.bool_):
            raise WrongTypeError(f"PrivacyFilter.go_on must say True or False, got {type(verdict).__name__}.")
        return bool(verdict)

    def _refuse_if_stopped(self) -> None:
        if self._stopped:
            raise BudgetExceededError("the continuation rule has said stop: nothing more is granted.")

    def __repr__(self) -> str:
        if not self._ledger.at_home:
            return "PrivacyFilter(of another process)"
        return f"PrivacyFilter(spent={self.spent}, remaining={self.remaining})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a filter cannot be copied: two copies would spend the same budget twice.")


@final
@frozen(kw_only=True)
class FilterCompositor(Measurement):
    """Hold the data and answer questions whose losses are chosen on the way, while they fit a budget.

    The release is a ``Queryable``: ``ask(chain)`` charges the chain's loss and then makes the release,
    ``ask((chain, delta))`` reads epsilon at that delta; ``ask("spent")`` and ``ask("remaining")`` are free. Releases
    that are queryables were paid for in full and stay open.

    Args:
        budget: What all questions together may cost; its form is that of every charge.
        d_in: How far apart neighbouring data are: what a question costs is its map there.
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
    privet.errors.BudgetExceededError: the charge does not fit: ...
    """

    budget: AdditiveBudget = field()
    d_in: Any
    go_on: Rule | None = None

    @budget.validator
    def _check_budget(self, _: Any, value: Any) -> None:
        _read_budget("FilterCompositor", value)

    def __attrs_post_init__(self) -> None:
        _read_rule("FilterCompositor", self.go_on)

    def accept(self, space: Space) -> None:
        """Whatever space the distance is one of."""
        stated_distance(self.d_in, space)

    def release(self, value: Any, space: Space) -> Queryable:
        """Open a filter, keep the data, and answer from them."""
        cap, outer, data = PrivacyFilter(self.budget, go_on=self.go_on), around(), kept(value)

        def answer(question: Any) -> Any:
            if isinstance(question, str) and question in ("spent", "remaining"):
                return cap.spent if question == "spent" else cap.remaining
            asked, delta = question if isinstance(question, tuple) and len(question) == 2 else (question, None)
            chain = read_question("FilterCompositor", asked, space)
            cap.charge(chain.map(self.d_in), delta=delta)
            return released(chain, data, outer)

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The budget, whatever will be asked."""
        return within_distance("FilterCompositor", self.budget.loss(), d_in, self.d_in, space)


def _read_budget(owner: str, value: Any) -> AdditiveBudget:
    if not isinstance(value, AdditiveBudget):
        raise WrongTypeError(
            f"{owner}.budget must be a budget such as pv.budget(epsilon=1), got {type(value).__name__}."
        )
    return value


def _read_rule(owner: str, value: Any) -> Rule | None:
    if value is not None and not callable(value):
        raise WrongTypeError(
            f"{owner}.go_on must be a function of what was spent and what is asked, got {type(value).__name__}."
        )
    rule: Rule | None = value
    return rule
