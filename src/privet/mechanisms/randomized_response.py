"""Randomised response: the truth, or one of the other answers."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.losses.randomized_response import RandomizedResponseLoss
from privet.chains.measurement import Measurement
from privet.core import ChoiceDomain, Space, choice, number, proper_share, short
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.response_estimate import ResponseEstimate, estimated
from privet.noise import bernoulli, uniform_below


@final
@frozen(kw_only=True)
class RandomizedResponse(Measurement):
    """Release the true category with a given probability, otherwise one of the others at random.

    Args:
        truth: The probability of the true answer, at least one over the number of categories and below one.

    Guarantee: ``epsilon = ln(truth (k - 1) / (1 - truth))`` for k categories.
    Proof: docs/mechanisms/randomized_response.md.

    >>> round(float(RandomizedResponse(truth=0.75).map(1).epsilon()), 4)
    1.0986
    """

    truth: Fraction = field(converter=number, validator=proper_share, repr=short)

    def default(self) -> Space:
        """Yes or no."""
        return choice((False, True))

    def accept(self, space: Space) -> None:
        """One of two or more categories."""
        if not isinstance(space.domain, ChoiceDomain):
            raise MismatchError(
                f"RandomizedResponse reads one of a list of categories, got {type(space.domain).__name__}: "
                "start from pc.choice([...])."
            )
        answers = len(space.domain.categories)
        if self.truth * answers < 1:
            raise MismatchError(
                f"RandomizedResponse.truth must be at least 1/{answers} for {answers} categories, got {self.truth}."
            )

    def release(self, value: Any, space: Space) -> Any:
        """Draw both coins whatever the answer."""
        answers = _answers(space)
        honest, other = bernoulli(self.truth), uniform_below(len(answers) - 1)
        position = next(index for index, answer in enumerate(answers) if answer is value or answer == value)
        return answers[position] if honest else answers[other + (other >= position)]

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Only the two true answers distinguish the inputs."""
        if d_in == 0:
            return PureLoss(0)
        return RandomizedResponseLoss(truth=self.truth, other=self._other(len(_answers(space))))

    def estimate(self, answers: Iterable[Any], categories: Iterable[Any] = (False, True)) -> ResponseEstimate:
        """Estimate how often each category was the true answer, from released answers: unbiased, and free.

        >>> RandomizedResponse(truth=0.75).estimate([True] * 60 + [False] * 40).counts
        (Fraction(30, 1), Fraction(70, 1))
        """
        kinds = tuple(categories)
        if len(kinds) < 2 or self.truth * len(kinds) < 1:
            raise InvalidError(
                f"RandomizedResponse.estimate: truth={short(self.truth)} does not fit {len(kinds)} categories."
            )
        return estimated(answers, kinds, self.truth, self._other(len(kinds)))

    def _other(self, answers: int) -> Fraction:
        return (1 - self.truth) / (answers - 1)


def _answers(space: Space) -> tuple[Any, ...]:
    return space.domain.categories if isinstance(space.domain, ChoiceDomain) else ()
