"""Odometers: a running total of losses that are chosen on the way, without a cap."""

from fractions import Fraction
from typing import Any, Literal, final, get_args

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import (
    AdditiveBudget,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    RenyiBudget,
)
from privet.accounting.planning.ledger import Ledger
from privet.chains.measurement import Measurement
from privet.combinators.questions import read_question, released, stated_distance
from privet.core.frames import kept
from privet.core.queryable import Queryable
from privet.core.reentrancy import around
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, UnavailableError, WrongTypeError

Form = Literal["pure", "approximate", "concentrated", "renyi", "gaussian"]


@final
class PrivacyOdometer:
    """Add up losses, chosen adaptively, in one form; ``spent`` may be read at any time.

    Charge first, look at the data afterwards. Charges may come from several threads, but not from a forked process.

    Args:
        form: ``"pure"``, ``"approximate"``, ``"concentrated"``, ``"renyi"`` or ``"gaussian"``.
        order: The order of a Rényi odometer.

    Guarantee: for every budget named beforehand, all releases made while ``spent`` is within it cost no more than it;
        pure: ``spent`` itself bounds the loss on every path and at every time.
    Proof: docs/combinators/odometer.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> odometer = PrivacyOdometer(form="pure")
    >>> odometer.charge(PureLoss(0.1))
    >>> odometer.charge(PureLoss(0.25))
    >>> odometer.spent
    ApproximateBudget(epsilon=0.35, delta=0)
    """

    def __init__(self, *, form: Form, order: Any = None) -> None:
        self._zero = _read_form("PrivacyOdometer", form, order)
        self._form = form
        self._ledger = Ledger("PrivacyOdometer")

    @property
    def spent(self) -> AdditiveBudget:
        """The total so far."""
        return self._zero.like(self._ledger.spent)

    def charge(self, loss: Loss, *, delta: Any = None) -> None:
        """Add a loss to the total.

        Args:
            loss: What the next release costs.
            delta: In the approximate form, the delta at which to read epsilon; by default the loss's own point.

        Raises:
            UnavailableError: if the loss has no finite cost in this form; nothing is added.
            BudgetExceededError: if the deltas would add up to one, where nothing is promised any more.
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
        self._ledger.charge(price, _below_one)

    def __repr__(self) -> str:
        if not self._ledger.at_home:
            return "PrivacyOdometer(of another process)"
        return f"PrivacyOdometer(spent={self.spent})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("an odometer cannot be copied: each copy would miss what the other has spent.")


@final
@frozen(kw_only=True)
class OdometerCompositor(Measurement):
    """Hold the data, answer questions whose losses are chosen on the way, and say at any time what they cost so far.

    The release is a ``Queryable``: ``ask(chain)`` charges the chain's loss and then makes the release,
    ``ask((chain, delta))`` reads epsilon at that delta; ``ask("spent")`` is free. Releases that are queryables were
    paid for in full and stay open. As there is no cap, its map has no answer: an odometer is the outermost.

    Args:
        form: As of ``PrivacyOdometer``.
        d_in: How far apart neighbouring data are: what a question costs is its map there.
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
    order: Any = None

    def __attrs_post_init__(self) -> None:
        _read_form("OdometerCompositor", self.form, self.order)

    def accept(self, space: Space) -> None:
        """Whatever space the distance is one of."""
        stated_distance(self.d_in, space)

    def release(self, value: Any, space: Space) -> Queryable:
        """Open an odometer, keep the data, and answer from them."""
        odometer, outer, data = PrivacyOdometer(form=self.form, order=self.order), around(), kept(value)

        def answer(question: Any) -> Any:
            if isinstance(question, str) and question == "spent":
                return odometer.spent
            asked, delta = question if isinstance(question, tuple) and len(question) == 2 else (question, None)
            chain = read_question("OdometerCompositor", asked, space)
            odometer.charge(chain.map(self.d_in), delta=delta)
            return released(chain, data, outer)

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """None: what will be asked is not bounded."""
        raise UnavailableError(
            "an odometer has no bound in advance, so it has no map and stands inside nothing: "
            "ask it for 'spent', or use FilterCompositor, which has a budget."
        )


def _below_one(_spent: Point, total: Point) -> None:
    if total.delta >= 1:
        raise BudgetExceededError("the deltas would add up to one, where nothing is promised. Nothing was spent.")


def _read_form(owner: str, form: Any, order: Any) -> AdditiveBudget:
    if form not in get_args(Form):
        raise InvalidError(f"{owner}.form must be one of {', '.join(get_args(Form))}, got {form!r}.")
    if (form == "renyi") != (order is not None):
        raise InvalidError(f"{owner}.order goes with form='renyi', and with no other form.")
    if form == "renyi":
        return RenyiBudget(order=order, cost=Fraction(0))
    if form == "concentrated":
        return ConcentratedBudget(rho=Fraction(0))
    if form == "gaussian":
        return GaussianBudget(mu_squared=Fraction(0))
    return ApproximateBudget(epsilon=Fraction(0))
