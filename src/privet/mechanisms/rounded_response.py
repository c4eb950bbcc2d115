"""A number by randomised rounding and randomised response, for means in the local model."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.losses.randomized_response import RandomizedResponseLoss
from privet.chains.measurement import Measurement
from privet.core import (
    AbsoluteDistance,
    Bounds,
    ScalarDomain,
    Space,
    bounds,
    default_grid,
    log1p_up,
    must_be,
    number,
    readable,
    saturated,
    scalar,
    short,
)
from privet.errors import MismatchError
from privet.mechanisms.response_estimate import MeanEstimate, mean_of_answers
from privet.noise import bernoulli


def _plain(bound: Fraction) -> int | float:
    return bound.numerator if bound.denominator == 1 else saturated(bound)


_APART = must_be(lambda ends: _plain(ends[0]) != _plain(ends[1]), "two different floats: an answer is one of them")


@final
@frozen(kw_only=True)
class RoundedResponse(Measurement):
    """Round one person's number to a bound at random, without bias, and release the bound by randomised response.

    Args:
        bounds: The pair (lower, upper), chosen without looking at the data; numbers outside are clamped.
        truth: The probability that the rounded number is released as it is, at least one half and below one.

    Guarantee: ``epsilon = ln(truth / (1 - truth))`` for any two numbers; for numbers at distance d,
        ``ln(1 + (truth / (1 - truth) - 1) d / (upper - lower))``.
    Proof: docs/mechanisms/rounded_response.md.

    >>> round(float(RoundedResponse(bounds=(0, 100), truth=0.75).map(100).epsilon()), 4)
    1.0986
    """

    bounds: Bounds = field(converter=bounds, validator=[readable, _APART], repr=short)
    truth: Fraction = field(
        converter=number,
        validator=must_be(lambda truth: 1 <= 2 * truth < 2, "at least one half and below one"),
        repr=short,
    )

    def default(self) -> Space:
        """One number, on a grid much finer than the bounds."""
        return scalar(float, grid=default_grid("RoundedResponse", self.bounds))

    def accept(self, space: Space) -> None:
        """One number."""
        if not isinstance(space.domain, ScalarDomain) or not isinstance(space.metric, AbsoluteDistance):
            raise MismatchError(
                f"RoundedResponse reads one number of one person, got {type(space.domain).__name__}: start from "
                "pc.scalar(int) or pc.scalar(float, grid=...), and call it once for each person."
            )

    def release(self, value: Any, space: Space) -> int | float:
        """Toss one coin, with the probability that both kinds of chance give together."""
        low, high = self.bounds
        grid = space.domain.grid if isinstance(space.domain, ScalarDomain) else Fraction(1)
        place = (min(max(value * grid, low), high) - low) / (high - low)
        lie = 1 - self.truth
        answers = tuple(map(_plain, self.bounds))
        return answers[bernoulli(lie + (self.truth - lie) * place)]

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The ratio is largest where one of the numbers is a bound."""
        low, high = self.bounds
        lie = 1 - self.truth
        if d_in >= high - low:
            return RandomizedResponseLoss(truth=self.truth, other=lie)
        return PureLoss(log1p_up((self.truth / lie - 1) * Fraction(d_in) / (high - low)) if d_in else 0)

    def estimate(self, answers: Iterable[Any]) -> MeanEstimate:
        """Estimate the mean of the clamped numbers of several people from their released answers: unbiased, and free.

        >>> RoundedResponse(bounds=(0, 1), truth=0.75).estimate([1] * 60 + [0] * 40).mean
        Fraction(7, 10)
        """
        low, high = map(_plain, self.bounds)
        return mean_of_answers(answers, (low, high), self.bounds, self.truth)
