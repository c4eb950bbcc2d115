"""Calibration: the smallest noise, the largest rate or the most rounds that a budget allows.

Floats choose where to look; whether a loss fits is decided in exact numbers, and once more for the result.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics import Amount, Decimals, Grid, Seen, Wholes, boundary, log
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget
from privet.core import read_number, read_whole, require, require_type, short, to_float_up
from privet.errors import InvalidError, UnavailableError, WrongTypeError

Tried = tuple[tuple[Fraction | int, Amount], ...]
_MOST_DIGITS = 12  # beyond this, floats no longer tell neighbouring decimals apart
_WIGGLE = Fraction(1, 10**6)  # certified bounds of one falling curve may rise by less than this share


@final
@frozen
class Calibrated:
    """A parameter that fits a budget, with what was made from it.

    Args:
        value: The parameter; a decimal with few digits, or a whole number of rounds.
        made: What the function made from it.
        loss: What that costs.
        tried: The parameters that the search tried, in rising order, with their costs in the budget's form.

    Guarantee: ``loss <= budget``, by the exact comparison.
    Proof: docs/accounting/planning/calibrate.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.accounting.losses.laplace import LaplaceLoss
    >>> calibrate(lambda scale: LaplaceLoss(distance=3, scale=scale), budget=budget(epsilon=2)).value
    Fraction(3, 2)
    """

    value: Fraction | int = field(repr=short)
    made: Any
    loss: Loss
    tried: Tried = field(repr=False)

    @property
    def monotone(self) -> bool:
        """Tell whether the costs only rise or only fall: otherwise a better parameter may exist."""
        costs = [cost for _, cost in self.tried]
        return _rising(costs) or _rising(costs[::-1])


def calibrate(
    make: Callable[[Fraction], Any], d_in: Any = None, budget: Any = None, *, digits: int = 5, start: Any = 1
) -> Calibrated:
    """Find the smallest noise that fits a budget.

    Args:
        make: Gives a chain, a mechanism with a default space, or a loss for a scale. Larger scales must cost less. A
            scale that it refuses (``InvalidError``, ``UnavailableError`` or an ``ArithmeticError``) does not fit.
        d_in: The distance of neighbours, for the map of a chain; none for a loss.
        budget: The largest privacy loss.
        digits: How many significant digits the scale has, from 1 to 12. It is rounded up.
        start: Where to look first.

    Raises:
        UnavailableError: No scale fits, or there is no smallest one.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.accounting.losses.gaussian import GaussianLoss
    >>> calibrate(lambda scale: GaussianLoss(distance=1, scale=scale), budget=budget(epsilon=1, delta=1e-6)).value
    Fraction(42247, 10000)
    """
    return _Search(make, d_in, budget, _decimals(digits), "scale").run(_start(start), 1)


def calibrate_largest(
    make: Callable[[Fraction], Any], d_in: Any = None, budget: Any = None, *, digits: int = 5, start: Any = 1
) -> Calibrated:
    """Find the largest parameter that fits a budget, such as a sampling rate.

    Args:
        make: Gives a chain, a mechanism with a default space, or a loss for a parameter. Larger ones must cost more. A
            parameter that it refuses does not fit.
        d_in: The distance of neighbours, for the map of a chain; none for a loss.
        budget: The largest privacy loss.
        digits: How many significant digits the parameter has, from 1 to 12. It is rounded down.
        start: Where to look first.

    Raises:
        UnavailableError: No parameter fits, or there is no largest one.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.accounting.losses.pure import PureLoss
    >>> calibrate_largest(lambda cost: PureLoss(cost) * 3, budget=budget(epsilon=1)).value
    Fraction(33333, 100000)
    """
    return _Search(make, d_in, budget, _decimals(digits), "parameter").run(_start(start), -1)


def calibrate_rounds(make: Callable[[int], Any], d_in: Any = None, budget: Any = None) -> Calibrated:
    """Find the largest whole number that fits a budget, such as how often something may be released.

    Args:
        make: Gives a chain, a mechanism with a default space, or a loss for a whole number, from one. Larger ones must
            cost more. A number that it refuses does not fit.
        d_in: The distance of neighbours, for the map of a chain; none for a loss.
        budget: The largest privacy loss.

    Raises:
        UnavailableError: Not even one fits, or there is no largest number.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.accounting.losses.concentrated import ConcentratedLoss
    >>> calibrate_rounds(lambda rounds: ConcentratedLoss(0.03) * rounds, budget=budget(rho=1)).value
    33
    """
    return _Search(make, d_in, budget, Wholes(), "number of rounds").run(Fraction(1), -1)


class _Search:
    """One calibration: the problem, and the parameters tried so far."""

    def __init__(self, make: Callable[[Any], Any], d_in: Any, budget: Any, grid: Grid, name: str) -> None:
        require_type(
            callable(make),
            "calibrate.make",
            "a function of the parameter, such as `lambda scale: space >> Laplace(scale=scale)`",
            make,
        )
        require_type(
            isinstance(budget, Budget), "calibrate.budget", "a budget such as pv.budget(epsilon=1, delta=1e-6)", budget
        )
        self.make, self.d_in, self.budget, self.grid, self.name = make, d_in, budget, grid, name
        self.costs: dict[int, Amount] = {}
        self.fitting: dict[int, tuple[Any, Loss]] = {}
        self.refusal: Exception | None = None

    def run(self, start: Fraction, private: int) -> Calibrated:
        """Search, and certify the result."""
        outside, inside = boundary(self.look, self.grid, self.grid.near(log(start)), private)
        tried = tuple((self.grid.value(index), cost) for index, cost in sorted(self.costs.items()))
        if not tried:
            raise UnavailableError(
                f"every {self.name} around {short(start)} was refused: {self.refusal} Correct make or d_in, or give "
                "another start."
            ) from self.refusal
        if inside is None:
            raise UnavailableError(self._nothing(tried, private)) from self.refusal
        if outside is None:
            raise UnavailableError(self._everything(tried, private))
        value, (made, loss) = self.grid.value(inside.index), self.fitting[inside.index]
        if not loss <= self.budget:
            raise UnavailableError(f"the loss at {self.name} {short(value)} does not stay the same.")
        return Calibrated(value, made, loss, tried)

    def look(self, index: int) -> Seen:
        """Ask what one parameter costs."""
        try:
            made = self.make(self.grid.value(index))
            loss = _loss(made, self.d_in)
            cost, limit = self._cost(loss)
        except (InvalidError, UnavailableError, ArithmeticError) as error:
            self.refusal = error
            return Seen(index, math.inf, fits=False, refused=True)
        self.costs[index] = cost
        if cost <= limit:
            self.fitting[index] = made, loss
        if isinstance(cost, Fraction) and limit > 0:
            return Seen(index, log(cost) - log(limit), cost <= limit)
        return Seen(index, -math.inf if cost <= limit else math.inf, cost <= limit)

    def _cost(self, loss: Loss) -> tuple[Amount, Fraction]:
        """Give what a loss costs in the budget's form, and the limit."""
        if not isinstance(self.budget, AdditiveBudget):  # all that is known is whether a loss fits
            return (Fraction(0) if loss <= self.budget else math.inf), Fraction(0)
        point = self.budget.point()
        delta = point.delta if isinstance(self.budget, ApproximateBudget) else None
        try:
            return self.budget.price(loss, delta).cost, Fraction(point.cost)
        except UnavailableError:  # no finite cost in this form
            return math.inf, Fraction(point.cost)

    def _nothing(self, tried: Tried, private: int) -> str:
        """Say why no parameter fits."""
        claim = f"no {self.name} fits {self.budget!r}"
        costs = [cost for _, cost in tried]
        if all(cost == math.inf for cost in costs):
            return (
                f"{claim}: the loss is infinite in this form. Use a budget in another form, such as one with a delta."
            )
        if isinstance(self.budget, AdditiveBudget) and self.budget.point().cost == 0:
            return f"{claim}: a budget of zero allows no release that depends on the data."
        if _turned(costs, private):
            return f"{claim}: {_other(private)}"
        beyond = f", and beyond that: {self.refusal}" if self.refusal is not None else "."
        return f"{claim}: the smallest loss of all that were tried is {to_float_up(Fraction(min(costs))):.6g}{beyond}"

    def _everything(self, tried: Tried, private: int) -> str:
        """Say why no parameter is the last that fits."""
        claim = f"every {self.name} fits {self.budget!r}, even {short(tried[0 if private > 0 else -1][0])}"
        if _turned([cost for _, cost in tried], private):
            return f"{claim}: {_other(private)}"
        return f"{claim}: the budget does not limit it. Check that make uses its parameter, and d_in."


def _turned(costs: list[Amount], private: int) -> bool:
    """Tell whether costs that should fall toward more privacy rise instead."""
    return len(set(costs)) > 1 and _rising(costs[::private])


def _other(private: int) -> str:
    if private > 0:
        return "the loss rises with it. Did you mean calibrate_largest or calibrate_rounds?"
    return "the loss falls with it. Did you mean calibrate?"


def _loss(made: Any, d_in: Any) -> Loss:
    """Read the loss of the object that ``make`` returned."""
    if isinstance(made, Loss):
        if d_in is not None:
            raise WrongTypeError(
                "calibrate.d_in is for chains; make gave a loss, which knows its distance. Leave d_in out."
            )
        return made
    require_type(
        callable(getattr(made, "map", None)),
        "calibrate.make",
        "a function that gives a measurement on a space, or a loss",
        made,
    )
    if d_in is None:
        raise WrongTypeError(f"calibrate.d_in is missing: make gave {type(made).__name__}, whose loss depends on it.")
    loss = made.map(d_in)
    if not isinstance(loss, Loss):
        raise WrongTypeError(
            f"calibrate.make must give a measurement, got {type(made).__name__}, whose map gives no loss: "
            "put a mechanism behind it."
        )
    return loss


def _rising(costs: list[Amount]) -> bool:
    """Tell whether no cost is below an earlier one, up to rounding."""
    highest: Amount = Fraction(0)
    for cost in costs:
        if cost == math.inf:
            highest = cost
        elif highest == math.inf or cost < highest * (1 - _WIGGLE):
            return False
        else:
            highest = max(highest, cost)
    return True


def _decimals(digits: Any) -> Decimals:
    count = read_whole("calibrate.digits", digits)
    require(1 <= count <= _MOST_DIGITS, "calibrate.digits", f"between 1 and {_MOST_DIGITS}", count)
    return Decimals(count)


def _start(start: Any) -> Fraction:
    value = read_number("calibrate.start", start)
    require(value > 0, "calibrate.start", "above zero", value)
    return value
