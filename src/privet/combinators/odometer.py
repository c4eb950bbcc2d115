"""Odometers: a running total of adaptively chosen losses, without a cap."""

from fractions import Fraction
from typing import Any, Literal, final, get_args

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import (
    AdditiveBudget,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    RenyiBudget,
)
from privet.accounting.planning.running_total import RunningTotal
from privet.chains.measurement import InteractiveMeasurement
from privet.combinators.queries import open_charged
from privet.core import Queryable, Space
from privet.errors import BudgetExceededError, InvalidError, UnavailableError, WrongTypeError

Form = Literal["pure", "approximate", "concentrated", "renyi", "gaussian"]


@final
class PrivacyOdometer:
    """Add up losses, chosen adaptively, in one form; ``spent`` may be read at any time.

    Charge first, read the data afterwards. Charges may come from several threads, but not from a forked process.

    Args:
        form: ``"pure"``, ``"approximate"``, ``"concentrated"``, ``"renyi"`` or ``"gaussian"``.
        order: The order of a Rényi odometer.

    Guarantee: for every budget fixed in advance, the releases made while ``spent`` is within it cost no more than it;
        pure: ``spent`` itself bounds the loss on every path and at every time.
    Proof: docs/combinators/odometer.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> odometer = PrivacyOdometer(form="pure")
    >>> odometer.charge(PureLoss(0.1))
    >>> odometer.charge(PureLoss(0.25))
    >>> odometer.spent
    ApproximateBudget(epsilon=0.35, delta=0)
    """

    def __init__(self, *, form: Form, order: object = None) -> None:
        self._zero = _read_form("PrivacyOdometer", form, order)
        self._form = form
        self._total = RunningTotal("PrivacyOdometer")

    @property
    def spent(self) -> AdditiveBudget:
        """The total so far."""
        return self._zero.like(self._total.spent)

    def charge(self, loss: Loss, *, delta: object = None) -> None:
        """Add a loss to the total.

        Args:
            loss: The loss of the next release.
            delta: In the approximate form, the delta at which to read epsilon; by default the loss's own point.

        Raises:
            UnavailableError: if the loss has no finite cost in this form; nothing is added.
            BudgetExceededError: if the deltas would add up to one, which guarantees nothing.
        """
        if not isinstance(loss, Loss):
            raise WrongTypeError(
                f"PrivacyOdometer.charge takes a loss, such as chain.map(1), got {type(loss).__name__}."
            )
        price = self._zero.price(loss, delta)
        if self._form == "pure" and price.delta > 0:
            raise UnavailableError(
                "this loss has a delta, which a pure odometer does not count: use form='approximate'."
            )
        self._total.charge(price, _below_one)

    def __repr__(self) -> str:
        if not self._total.at_home:
            return "PrivacyOdometer(of another process)"
        return f"PrivacyOdometer(spent={self.spent!r})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("an odometer cannot be copied: each copy would miss the charges of the other.")


@final
@frozen(kw_only=True)
class OdometerCompositor(InteractiveMeasurement):
    """Hold the data, answer queries with adaptively chosen losses, and report the total so far at any time.

    The release is a ``Queryable``: ``ask(chain)`` charges the chain's loss and then makes the release,
    ``ask((chain, delta))`` reads epsilon at that delta; ``ask("spent")`` is free. Releases that are queryables are paid
    for in full and stay open. There is no cap and so no map: an odometer cannot be nested in another measurement.

    Args:
        form: As in ``PrivacyOdometer``.
        d_in: The distance of neighbouring data; the cost of a query is its map at this distance.
        order: The order of a Rényi odometer.

    Guarantee: that of ``PrivacyOdometer``, for inputs up to ``d_in`` apart.
    Proof: docs/combinators/odometer.md.

    >>> from privet.core.space import choice
    >>> from privet.mechanisms.randomized_response import RandomizedResponse
    >>> queryable = (choice((False, True)) >> OdometerCompositor(form="pure", d_in=1))(True)
    >>> queryable.ask("spent").epsilon
    Fraction(0, 1)
    >>> queryable.ask(RandomizedResponse(truth=0.75)) in (False, True)
    True
    >>> round(float(queryable.ask("spent").epsilon), 6)
    1.098612
    """

    form: Form = field()
    d_in: Any
    order: object = None

    def __attrs_post_init__(self) -> None:
        _read_form("OdometerCompositor", self.form, self.order)

    def release(self, value: object, space: Space) -> Queryable:
        """Open an odometer, keep a copy of the data, and answer from it."""
        odometer = PrivacyOdometer(form=self.form, order=self.order)
        return open_charged(self, odometer, {"spent": lambda: odometer.spent}, value, space)

    def loss(self, d_in: object, space: Space) -> Loss:
        """None: the total is not bounded in advance."""
        raise UnavailableError(
            "an odometer has no bound in advance, so it has no map and cannot be nested: "
            "ask it for 'spent', or use FilterCompositor, which has a budget."
        )


def _below_one(_spent: Point, total: Point) -> None:
    if total.delta >= 1:
        raise BudgetExceededError("the deltas would add up to one, which guarantees nothing. Nothing was spent.")


def _read_form(label: str, form: object, order: object) -> AdditiveBudget:
    if form not in get_args(Form):
        raise InvalidError(f"{label}.form must be one of {', '.join(get_args(Form))}, got {form!r}.")
    if (form == "renyi") != (order is not None):
        raise InvalidError(f"{label}.order goes with form='renyi', and with no other form.")
    if form == "renyi":
        return RenyiBudget(order=order, cost=Fraction(0))
    zeros: dict[object, AdditiveBudget] = {
        "concentrated": ConcentratedBudget(rho=Fraction(0)),
        "gaussian": GaussianBudget(mu_squared=Fraction(0)),
    }
    return zeros.get(form, ApproximateBudget(epsilon=Fraction(0)))
