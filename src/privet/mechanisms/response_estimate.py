"""What released answers of randomised response say about the true ones: post-processing, without any data."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import Bounds, log_up, read_share, sqrt_up
from privet.errors import InvalidError, UnavailableError, WrongTypeError


@final
@frozen(kw_only=True)
class ResponseEstimate:
    """Unbiased estimates of how often each answer was the true one.

    Args:
        categories: The answers.
        counts: The estimated numbers of true answers, in the same order; they add up to ``total``.
        total: How many answers were released.
        truth: The probability of a true answer.
        other: The probability of each other answer.
    """

    categories: tuple[Any, ...]
    counts: tuple[Fraction, ...]
    total: int
    truth: Fraction
    other: Fraction

    @property
    def proportions(self) -> tuple[Fraction, ...]:
        """The estimated shares; all zero where nothing was released."""
        return tuple(count / max(self.total, 1) for count in self.counts)

    @property
    def variances(self) -> tuple[Fraction, ...]:
        """Unbiased estimates of the variances of ``counts``, given the true answers.

        A true answer is counted with variance p (1 - p), any other with q (1 - q).
        """
        p, q, gap = self.truth, self.other, self.truth - self.other
        return tuple((n * p * (1 - p) + (self.total - n) * q * (1 - q)) / gap**2 for n in self.counts)

    def error(self, beta: object) -> Fraction:
        """The bound that the error of one estimate exceeds with probability at most ``beta``, whatever the truth is.

        Hoeffding's inequality for the released answers, which are independent, divided by p - q.
        """
        share = read_share("ResponseEstimate.beta", beta)
        return sqrt_up(self.total * log_up(2 / share) / 2) / (self.truth - self.other)

    def interval(self, category: Any, level: object = Fraction(95, 100)) -> tuple[Fraction, Fraction]:
        """An interval that holds the true number of one answer with probability ``level`` or more."""
        half = self.error(1 - read_share("ResponseEstimate.level", level))
        count = self.counts[_position(self.categories, category)]
        low, high = (min(max(end, Fraction(0)), Fraction(self.total)) for end in (count - half, count + half))
        return low, high


@final
@frozen(kw_only=True)
class MeanEstimate:
    """An unbiased estimate of the mean of numbers that people rounded to a bound and answered about at random.

    Args:
        mean: The estimate; it may lie outside the bounds.
        share: The share of answers that are the upper bound.
        total: How many answers were released.
        bounds: Between which the numbers were clamped.
        truth: The probability that a rounded number was released as it was.
    """

    mean: Fraction
    share: Fraction
    total: int
    bounds: Bounds
    truth: Fraction

    @property
    def variance(self) -> Fraction:
        """An estimate of the variance of ``mean`` given the numbers; its own mean is that variance or more."""
        if self.total < 2:
            raise UnavailableError("MeanEstimate.variance needs two answers or more; error(beta) needs one.")
        return self._stretch() ** 2 * self.share * (1 - self.share) / (self.total - 1)

    def error(self, beta: object) -> Fraction:
        """The bound that the error of the mean exceeds with probability at most ``beta``, whatever the numbers are.

        Hoeffding's inequality for the released answers, which are independent.
        """
        share = read_share("MeanEstimate.beta", beta)
        return self._stretch() * sqrt_up(log_up(2 / share) / (2 * self.total))

    def interval(self, level: object = Fraction(95, 100)) -> tuple[Fraction, Fraction]:
        """An interval that holds the mean of the clamped numbers with probability ``level`` or more."""
        half = self.error(1 - read_share("MeanEstimate.level", level))
        low, high = (min(max(end, self.bounds[0]), self.bounds[1]) for end in (self.mean - half, self.mean + half))
        return low, high

    def _stretch(self) -> Fraction:
        """How far the mean moves for one more upper answer among all."""
        return (self.bounds[1] - self.bounds[0]) / (2 * self.truth - 1)


def mean_of_answers(answers: Iterable[Any], ends: tuple[Any, Any], bounds: Bounds, truth: Fraction) -> MeanEstimate:
    """Count upper answers and correct for the random ones.

    Args:
        answers: What people released: each the lower or the upper end.
        ends: How both bounds are written in releases.
        bounds: The bounds themselves.
        truth: The probability that a rounded number was released as it was.
    """
    if 2 * truth == 1:
        raise InvalidError("estimate needs a truth above one half: these answers reveal nothing.")
    tally = [0, 0]
    for answer in _listed(answers):
        known = isinstance(answer, int | float | np.integer | np.floating) and not isinstance(answer, bool)
        if not known or answer not in ends:
            raise WrongTypeError("estimate takes released answers, each the lower or the upper bound.")
        tally[ends.index(answer)] += 1
    total = sum(tally)
    if total == 0:
        raise InvalidError("estimate needs one answer or more, got none.")
    share = Fraction(tally[1], total)
    place = (share - (1 - truth)) / (2 * truth - 1)  # E[share] = 1 - truth + (2 truth - 1) place
    mean = bounds[0] + (bounds[1] - bounds[0]) * place
    return MeanEstimate(mean=mean, share=share, total=total, bounds=bounds, truth=truth)


def estimated(answers: Iterable[Any], categories: Iterable[Any], truth: Fraction, other: Fraction) -> ResponseEstimate:
    """Count released answers and correct for the random ones."""
    kinds = tuple(categories)
    if truth == other:
        raise InvalidError(
            "estimate needs a truth above one over the number of categories: these answers reveal nothing."
        )
    tally = [0] * len(kinds)
    for answer in _listed(answers):
        tally[_position(kinds, answer.item() if isinstance(answer, np.generic) else answer)] += 1
    total = sum(tally)
    # E[count] = n truth + (total - n) other
    counts = tuple((count - total * other) / (truth - other) for count in tally)
    return ResponseEstimate(categories=kinds, counts=counts, total=total, truth=truth, other=other)


def _listed(answers: Any) -> Iterable[Any]:
    if not isinstance(answers, Iterable) or getattr(answers, "ndim", 1) == 0:
        raise WrongTypeError(f"estimate takes a list of released answers, got {type(answers).__name__}.")
    return answers


def _position(categories: tuple[Any, ...], answer: Any) -> int:
    for position, category in enumerate(categories):
        if type(answer) is type(category) and answer == category:
            return position
    raise WrongTypeError("estimate takes released answers, each one of the categories.")
