"""Budgets: the largest total privacy loss, in a form fixed in advance."""

import math
import re
from abc import abstractmethod
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.losses.renyi import RenyiLoss
from privet.accounting.numerics import Point, above_one
from privet.core import (
    amount_text,
    facts_html,
    must_be,
    not_negative,
    number,
    probability_text,
    read_number,
    short,
    sqrt_down,
    sqrt_up,
)
from privet.errors import InvalidError, NotExactError, UnavailableError, WrongTypeError

_NUMBER = re.compile(r"[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?|\d{1,30}/0*[1-9]\d{0,29}", re.ASCII)
_SHOWN = 40  # characters of a text that is no number


class AdditiveBudget(Budget):
    """A budget in a form whose costs add up, even where later costs depend on earlier releases."""

    @abstractmethod
    def point(self) -> Point:
        """The budget as a point (cost, delta) of its form."""

    @abstractmethod
    def like(self, point: Point) -> "AdditiveBudget":
        """A budget of the same form at another point."""

    @abstractmethod
    def price(self, loss: Loss, delta: object = None) -> Point:
        """What a loss costs in this form. With ``delta``, epsilon is read from the curve of the loss at that delta."""

    @abstractmethod
    def loss(self) -> Loss:
        """The loss of a release of which only this budget is known."""

    @abstractmethod
    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """Write the amounts of a point of this form, cost and then delta: phrases such as ``rho = {}`` and numbers.

        Args:
            point: What to write.
            up: Whether to round up; what is left is rounded down.
        """

    def describe(self, *, up: bool = True) -> str:
        """Write the budget in words.

        Args:
            up: Whether to round up; what is left is rounded down.

        >>> budget(epsilon=1, delta=1e-9).describe()
        'epsilon = 1 and delta = 1e-9'
        """
        return describe_amounts(self.amounts(self.point(), up=up)) or "no limit"

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return facts_html("Budget", (("at most", self.describe()),))


_below_one = must_be(lambda delta: 0 <= delta < 1, "zero or more and below one")


@final
@frozen(kw_only=True)
class ApproximateBudget(AdditiveBudget):
    """At most (epsilon, delta); pure where delta is zero.

    Args:
        epsilon: Zero or more.
        delta: Between zero and one.
    """

    epsilon: Fraction = field(converter=number, validator=not_negative, repr=short)
    delta: Fraction = field(converter=number, validator=_below_one, default=Fraction(0), repr=short)

    def covers(self, loss: Loss) -> bool:
        """Compare at the budget's delta."""
        return loss.epsilon(self.delta) <= self.epsilon

    def point(self) -> Point:
        """Epsilon and delta."""
        return Point(self.epsilon, self.delta)

    def like(self, point: Point) -> "ApproximateBudget":
        """Epsilon and delta."""
        return ApproximateBudget(epsilon=point.cost, delta=point.delta)

    def price(self, loss: Loss, delta: object = None) -> Point:
        """The loss's own point, or its curve at a delta."""
        if delta is None:
            return _finite(loss.pure(), "epsilon without a delta; give the delta to read it at, or use a budget in rho")
        share = read_number("charge.delta", delta)
        return _finite(Point(loss._additive().epsilon(share), share), "epsilon at this delta; give a larger one")

    def loss(self) -> Loss:
        """One point."""
        return PureLoss(self.epsilon) if self.delta == 0 else ApproximateLoss(self.epsilon, self.delta)

    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """Epsilon, and delta where there is one."""
        delta = {"delta = {}": probability_text(point.delta, up=up)} if point.delta else {}
        return {"epsilon = {}": amount_text(point.cost, up=up), **delta}


@final
@frozen(kw_only=True)
class ConcentratedBudget(AdditiveBudget):
    """At most rho.

    Args:
        rho: Zero or more.
    """

    rho: Fraction = field(converter=number, validator=not_negative, repr=short)

    def covers(self, loss: Loss) -> bool:
        """Compare rho with rho."""
        return loss.rho() <= self.rho

    def point(self) -> Point:
        """Rho."""
        return Point(self.rho, Fraction(0))

    def like(self, point: Point) -> "ConcentratedBudget":
        """Rho."""
        return ConcentratedBudget(rho=point.cost)

    def price(self, loss: Loss, delta: object = None) -> Point:
        """Rho."""
        _no_delta(delta, "rho")
        return _finite(Point(loss.rho(), Fraction(0)), "rho; use a budget of epsilon and delta")

    def loss(self) -> Loss:
        """Rho."""
        return ConcentratedLoss(self.rho)

    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """Rho."""
        return {"rho = {}": amount_text(point.cost, up=up)}


@final
@frozen(kw_only=True)
class RenyiBudget(AdditiveBudget):
    """At most a Rényi divergence of one order.

    Args:
        order: Above one.
        cost: Zero or more.
    """

    order: Fraction = field(converter=number, validator=above_one, repr=short)
    cost: Fraction = field(converter=number, validator=not_negative, repr=short)

    def covers(self, loss: Loss) -> bool:
        """Compare at the budget's order."""
        return loss.renyi(self.order) <= self.cost

    def point(self) -> Point:
        """The divergence."""
        return Point(self.cost, Fraction(0))

    def like(self, point: Point) -> "RenyiBudget":
        """Another divergence of the same order."""
        return RenyiBudget(order=self.order, cost=point.cost)

    def price(self, loss: Loss, delta: object = None) -> Point:
        """The divergence of this order."""
        _no_delta(delta, "a Rényi divergence")
        missing = f"Rényi divergence of order {short(self.order)}; use a lower order, or a budget of epsilon and delta"
        return _finite(Point(loss.renyi(self.order), Fraction(0)), missing)

    def loss(self) -> Loss:
        """One order of a curve."""
        return RenyiLoss(((self.order, self.cost),))

    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """The divergence, with its order."""
        return {f"renyi = {{}} at order {amount_text(self.order)}": amount_text(point.cost, up=up)}


@final
@frozen(kw_only=True)
class GaussianBudget(AdditiveBudget):
    """At most mu of Gaussian privacy: no easier to tell apart than two unit Gaussians that lie mu apart.

    Args:
        mu_squared: Zero or more; squared, because squares add up and stay fractions.
    """

    mu_squared: Fraction = field(converter=number, validator=not_negative, repr=short)

    @property
    def mu(self) -> Fraction:
        """The distance, rounded up where the root is irrational."""
        return sqrt_up(self.mu_squared)

    def covers(self, loss: Loss) -> bool:
        """Compare the squares."""
        return loss.gaussian() <= self.mu_squared

    def point(self) -> Point:
        """The square."""
        return Point(self.mu_squared, Fraction(0))

    def like(self, point: Point) -> "GaussianBudget":
        """Another square."""
        return GaussianBudget(mu_squared=point.cost)

    def price(self, loss: Loss, delta: object = None) -> Point:
        """The square."""
        _no_delta(delta, "mu")
        return _finite(Point(loss.gaussian(), Fraction(0)), "mu; use a budget in rho, or of epsilon and delta")

    def loss(self) -> Loss:
        """That of two unit Gaussians mu apart."""
        return GaussianLoss(squared=self.mu_squared, scale=1)

    def amounts(self, point: Point, *, up: bool = True) -> dict[str, str]:
        """The square of mu, since squares add up."""
        return {"mu squared = {}": amount_text(point.cost, up=up)}

    def describe(self, *, up: bool = True) -> str:
        """Write mu itself."""
        return f"mu = {amount_text(self.mu if up else sqrt_down(self.mu_squared), up=up)}"


def budget(
    epsilon: object = None,
    delta: object = None,
    *,
    rho: object = None,
    mu: object = None,
    order: object = None,
    renyi: object = None,
) -> AdditiveBudget:
    """State the largest total privacy loss, in one form.

    Args:
        epsilon: With or without ``delta``.
        delta: Where there is an ``epsilon``.
        rho: Of zero-concentrated privacy.
        mu: Of Gaussian privacy.
        order: The order at which ``renyi`` is meant.
        renyi: A Rényi divergence.

    >>> budget(epsilon=1, delta=1e-9)
    ApproximateBudget(epsilon=1, delta=1e-09)
    >>> budget(order=8, renyi=0.5)
    RenyiBudget(order=8, cost=0.5)
    """
    return state_budget("pv.budget", epsilon=epsilon, delta=delta, rho=rho, mu=mu, order=order, renyi=renyi)


def state_budget(
    where: str,
    *,
    epsilon: object = None,
    delta: object = None,
    rho: object = None,
    mu: object = None,
    order: object = None,
    renyi: object = None,
) -> AdditiveBudget:
    """Read a budget; messages name the call in which a person typed it.

    Args:
        where: The call.
        epsilon: With or without ``delta``.
        delta: Where there is an ``epsilon``.
        rho: Of zero-concentrated privacy.
        mu: Of Gaussian privacy.
        order: The order at which ``renyi`` is meant.
        renyi: A Rényi divergence.
    """
    forms = {"epsilon": (epsilon, delta), "rho": (rho,), "mu": (mu,), "renyi": (order, renyi)}
    named = [name for name, values in forms.items() if any(value is not None for value in values)]
    if len(named) > 1 and epsilon is None and delta is not None:
        raise WrongTypeError(f"{where} takes delta with epsilon only: leave it out, since {named[1]} has none.")
    if len(named) > 1:
        raise WrongTypeError(f"{where} takes {' or '.join(named)}, not both: a budget has one form.")
    if rho is not None:
        return ConcentratedBudget(rho=_read_cost(where, "rho", rho))
    if mu is not None:
        return GaussianBudget(mu_squared=_read_cost(where, "mu", mu) ** 2)
    if named == ["renyi"]:
        if order is None or renyi is None:
            raise WrongTypeError(f"{where} needs both order and renyi, e.g. pv.budget(order=8, renyi=0.5).")
        return RenyiBudget(order=order, cost=renyi)
    if epsilon is None:
        call = where if where.startswith("pv.") else f"pv.{where}"
        raise WrongTypeError(f"{where} needs epsilon (and optionally delta), rho or mu, e.g. {call}(epsilon=1).")
    cost, share = _read_cost(where, "epsilon", epsilon), read_typed(where, "delta", 0 if delta is None else delta)
    if not 0 <= share < 1:
        raise InvalidError(
            f"{where}: delta is a probability, zero or more and below one, got {short(share)}. Give one such as 1e-6."
        )
    return ApproximateBudget(epsilon=cost, delta=share)


def read_typed(where: str, name: str, value: object) -> Fraction:
    """Read a number that a person typed for a budget, also as text such as ``"1/3"``.

    Args:
        where: The call, for messages.
        name: The argument.
        value: What was typed.

    >>> read_typed("release", "epsilon", "1/3")
    Fraction(1, 3)
    """
    example = "1e-6" if name == "delta" else "0.5"
    if isinstance(value, str):
        if _NUMBER.fullmatch(value) is None:
            raise NotExactError(f"{where}: {name} must be a number such as {example}, got text {value[:_SHOWN]!r}.")
        return Fraction(value)
    try:
        return read_number(name, value)
    except NotExactError:
        given = str(value) if isinstance(value, float) else type(value).__name__
        raise NotExactError(f"{where}: {name} must be a finite number such as {example}, got {given}.") from None


def _read_cost(where: str, name: str, value: object) -> Fraction:
    cost = read_typed(where, name, value)
    if cost < 0:
        raise InvalidError(f"{where}: {name} must be above zero, got {short(cost)}. Give a number such as 0.5.")
    return cost


def describe_amounts(amounts: dict[str, str]) -> str:
    """Write phrases with their numbers, one after the other."""
    return " and ".join(phrase.format(amount) for phrase, amount in amounts.items())


def _no_delta(delta: object, form: str) -> None:
    if delta is not None:
        raise InvalidError(
            f"delta is for budgets of epsilon and delta, and this one is in {form}: state the loss of a release in "
            f"{form}, too."
        )


def _finite(point: Point, what: str) -> Point:
    if point.cost == math.inf:
        raise UnavailableError(f"this loss has no finite {what}.")
    return point
