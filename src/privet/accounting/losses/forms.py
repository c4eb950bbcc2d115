"""Restating a loss in one form. A restated loss says less than the original."""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.composition.outcomes import Outcomes
from privet.accounting.losses.alternatives import ReducedLoss
from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.approximate_concentrated import ApproximateConcentratedLoss
from privet.accounting.losses.approximate_renyi import ApproximateRenyiLoss
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.loss import Loss, additive
from privet.accounting.losses.pure import PureLoss
from privet.accounting.losses.renyi import RenyiLoss
from privet.accounting.numerics import Amount, Point
from privet.accounting.pairs.pair import Pair
from privet.core import few_items, must_be, number, probability, read_number, require, require_type, short
from privet.errors import UnavailableError


class Form(ABC):
    """A form of loss. Restating keeps what the form can express and every assertion, and drops the rest."""

    def restate(self, loss: Loss) -> Loss:
        """Give a loss of this form that bounds this one, or raise ``UnavailableError`` where there is none."""
        whole = additive(loss)  # the restated loss may stand in a sum
        restated, assertions = self._restate(whole), whole.assumptions()
        return AssertedLoss(restated, assertions) if assertions else restated

    @abstractmethod
    def _restate(self, loss: Loss) -> Loss:
        """Give the loss of this form, without regard to assertions."""


@final
@frozen(order=False)
class AssertedLoss(ReducedLoss):
    """A loss that holds if some assertions are true, which nobody proved.

    Args:
        base: The loss.
        assertions: The assertions, one line each.

    Guarantee: that of the base, where the assertions hold.
    Proof: docs/accounting/losses/forms.md.

    >>> AssertedLoss(PureLoss(1), ("the records are a random sample",)).assumptions()
    ('the records are a random sample',)
    """

    base: Loss = field(converter=additive)
    assertions: tuple[str, ...]

    def at(self, outcome: Any) -> Amount:
        """That of the base."""
        return self.base.at(outcome)

    def _outcomes(self) -> Outcomes:
        return self.base._outcomes()

    def pair(self) -> Pair:
        """That of the base."""
        return self.base.pair()

    @property
    def by_curve(self) -> bool:
        """As for the base."""
        return self.base.by_curve

    @property
    def directed(self) -> bool:
        """As for the base."""
        return self.base.directed

    def undirected(self) -> Loss:
        """Take the base in both directions."""
        return AssertedLoss(self.base.undirected(), self.assertions)

    @property
    def tight(self) -> bool:
        """As for the base."""
        return self.base.tight

    def _attained(self) -> Pair | None:
        """What the base attains."""
        return self.base._attained()

    def assumptions(self) -> tuple[str, ...]:
        """Those of the base, and these."""
        return tuple(dict.fromkeys((*self.base.assumptions(), *self.assertions)))


@final
@frozen
class PureForm(Form):
    """Epsilon, at delta zero."""

    def _restate(self, loss: Loss) -> Loss:
        """Keep epsilon."""
        cost = loss.epsilon()
        if cost == math.inf:
            raise UnavailableError(
                "PureForm: this loss has no finite epsilon at delta = 0, and no conversion leads from a weaker form to "
                "a stronger one; restate it as ApproximateForm(delta=...) or ConcentratedForm()."
            )
        return PureLoss(cost)


_not_zero = must_be(lambda delta: 0 < delta <= 1, "above zero and at most one (epsilon at delta = 0 is PureForm())")


@final
@frozen(kw_only=True)
class ApproximateForm(Form):
    """Epsilon at one delta.

    Args:
        delta: Above zero and at most one.
    """

    delta: Fraction = field(converter=number, validator=_not_zero, repr=short)

    def _restate(self, loss: Loss) -> Loss:
        """Keep one point of the curve."""
        cost = loss.epsilon(self.delta)
        if cost == math.inf:
            raise UnavailableError(
                f"ApproximateForm: this loss has no finite epsilon at delta = {short(self.delta)}; give a larger delta."
            )
        return ApproximateLoss(cost, self.delta)


@final
@frozen(kw_only=True)
class ConcentratedForm(Form):
    """Rho, outside an event of probability delta where one is allowed.

    Args:
        delta: The largest probability of that event, zero or more.
    """

    delta: Fraction = field(converter=number, validator=probability, default=Fraction(0), repr=short)

    def _restate(self, loss: Loss) -> Loss:
        """Keep rho."""
        cost = loss.rho()
        if cost != math.inf:
            return ConcentratedLoss(cost)
        point = loss.concentrated()
        if point.cost != math.inf and point.delta <= self.delta:
            return ApproximateConcentratedLoss(point.cost, self.delta)
        if point.cost != math.inf:
            raise UnavailableError(
                f"ConcentratedForm: this loss has rho outside an event of probability {short(point.delta)} only; "
                "write ConcentratedForm(delta=...) with at least that, or use ApproximateForm(delta=...)."
            )
        raise UnavailableError(
            "ConcentratedForm: this loss has no finite rho, and no conversion leads from a weaker form to a stronger "
            "one; restate it as RenyiForm(orders=[...]) or ApproximateForm(delta=...)."
        )


def _orders(value: Any) -> tuple[Fraction, ...]:
    require_type(
        isinstance(value, list | tuple | range) and len(value) > 0,
        "RenyiForm.orders",
        "a list of numbers above one",
        value,
    )
    orders = tuple(read_number("RenyiForm.orders", item) for item in value)
    require(min(orders) > 1, "RenyiForm.orders", "above one", min(orders))
    return orders


@final
@frozen(kw_only=True)
class RenyiForm(Form):
    """Rényi divergences at some orders, outside an event of probability delta where one is allowed.

    Args:
        orders: Numbers above one.
        delta: The largest probability of that event, zero or more.
    """

    orders: tuple[Fraction, ...] = field(converter=_orders, repr=few_items)
    delta: Fraction = field(converter=number, validator=probability, default=Fraction(0), repr=short)

    def _restate(self, loss: Loss) -> Loss:
        """Keep the divergences that are finite."""
        costs = [(order, loss.renyi(order)) for order in self.orders]
        curve = tuple((order, cost) for order, cost in costs if cost != math.inf)
        if not curve and self.delta:
            points = [(order, loss.renyi_point(order)) for order in self.orders]
            outside = [(order, point.cost) for order, point in points if self._within(point)]
            # where the deltas are equal, so is the event, and the bounds hold together
            if outside and len({point.delta for _, point in points if self._within(point)}) == 1:
                return ApproximateRenyiLoss(tuple(outside), self.delta)
        if not curve:
            raise UnavailableError(
                "RenyiForm: this loss has no finite Rényi divergence at these orders, and no conversion leads from a "
                "weaker form to a stronger one; restate it as ApproximateForm(delta=...)."
            )
        return RenyiLoss(curve)

    def _within(self, point: Point) -> bool:
        return point.cost != math.inf and point.delta <= self.delta
