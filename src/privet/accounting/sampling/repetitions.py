"""The secret number of candidates drawn before the best is selected, and its privacy cost."""

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import field, frozen
from flint import arb

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import Amount, best_order
from privet.core import (
    ball,
    directed,
    exp_down,
    exp_up,
    log_down,
    log_up,
    must_be,
    number,
    positive,
    proper_share,
    short,
)
from privet.noise.poisson import poisson
from privet.noise.truncated_negative_binomial import truncated_negative_binomial

_LARGE = 4096  # beyond this, e^epsilon is not worth writing down as a fraction


class Repetitions(ABC):
    """The distribution of a secret number K of repetitions. Proofs: docs/accounting/sampling/selection.md."""

    @abstractmethod
    def draw(self) -> int:
        """Draw K, exactly."""

    @abstractmethod
    def mean(self) -> Fraction:
        """An upper bound of E[K]."""

    @abstractmethod
    def log_mean(self) -> Fraction:
        """An upper bound of ln(E[K] + P(K = 0)), zero or more."""

    @abstractmethod
    def pure(self, epsilon: Fraction) -> Fraction:
        """Epsilon of the best of K candidates that cost epsilon each."""

    @abstractmethod
    def excess(self, base: Loss, order: Fraction) -> Amount:
        """What the best costs at a Rényi order beyond one candidate and ``log_mean / (order - 1)``."""

    @abstractmethod
    def largest_excess(self, base: Loss) -> Amount:
        """A bound of ``excess`` for every order."""


class TruncatedRepetitions(Repetitions):
    """A truncated negative binomial number of repetitions: never none."""

    @property
    @abstractmethod
    def shape(self) -> Fraction:
        """Above -1. Less shape costs less and spreads the number wider."""

    @property
    @abstractmethod
    def success(self) -> Fraction:
        """Above zero and below one; less of it means more repetitions."""

    def draw(self) -> int:
        """Draw K >= 1."""
        return truncated_negative_binomial(self.shape, self.success)

    def log_mean(self) -> Fraction:
        """The logarithm of the mean: K is never zero."""
        return max(log_up(self.mean()), Fraction(0))

    def pure(self, epsilon: Fraction) -> Fraction:
        """Epsilon + (1 + shape) ln((e^epsilon + success) / (1 + success e^epsilon)), at most (2 + shape) epsilon."""
        return epsilon + (1 + self.shape) * _log_ratio(epsilon, self.success)

    def excess(self, base: Loss, order: Fraction) -> Amount:
        """The same for every order."""
        return self.largest_excess(base)

    def largest_excess(self, base: Loss) -> Amount:
        """(1 + shape) ((1 - 1/other) renyi(other) + ln(1/success) / other) at the best other order."""
        return (1 + self.shape) * _spread(base, self.success)


@final
@frozen
class NegativeBinomialRepetitions(TruncatedRepetitions):
    """A truncated negative binomial number of repetitions, at least one.

    Args:
        shape: Above -1. Less shape costs less and spreads the number wider.
        success: Above zero and below one; less of it means more repetitions.

    >>> round(float(NegativeBinomialRepetitions(shape=1, success=0.1).mean()), 6)
    10.0
    """

    shape: Fraction = field(converter=number, validator=must_be(lambda shape: shape > -1, "above -1"), repr=short)
    success: Fraction = field(converter=number, validator=proper_share, repr=short)

    def mean(self) -> Fraction:
        """Shape (1 - success) / (success (1 - success^shape)), in the limit for shape zero."""
        return directed(self._mean, self.success, toward="up")

    def _mean(self, success: arb) -> arb:
        if self.shape == 0:
            return (1 - success) / (success * -success.log())
        return ball(self.shape) * (1 - success) / (success * -(ball(self.shape) * success.log()).expm1())


@final
@frozen
class GeometricRepetitions(TruncatedRepetitions):
    """A geometric number of repetitions, at least one: after each, stop with the same probability.

    Args:
        success: The probability of stopping, above zero and below one; the mean is one over it.

    >>> GeometricRepetitions(0.1).mean()
    Fraction(10, 1)
    """

    success: Fraction = field(converter=number, validator=proper_share, repr=short)
    shape = Fraction(1)

    def mean(self) -> Fraction:
        """One over the probability of stopping."""
        return 1 / self.success


@final
@frozen
class PoissonRepetitions(Repetitions):
    """A Poisson number of repetitions, possibly none.

    Args:
        average: The mean, above zero.

    >>> PoissonRepetitions(8).mean()
    Fraction(8, 1)
    """

    average: Fraction = field(converter=number, validator=positive, repr=short)

    def draw(self) -> int:
        """Draw K >= 0."""
        return poisson(self.average)

    def mean(self) -> Fraction:
        """The average."""
        return self.average

    def log_mean(self) -> Fraction:
        """ln(average + e^-average), which is above zero."""
        return max(log_up(self.average + exp_up(-self.average)), Fraction(0))

    def pure(self, epsilon: Fraction) -> Fraction:
        """Epsilon + average tanh(epsilon / 2): by how much an event's probability can differ."""
        small = exp_down(-min(epsilon, Fraction(_LARGE)))
        return epsilon + self.average * (1 - small if epsilon <= _LARGE else Fraction(1)) / (1 + small)

    def excess(self, base: Loss, order: Fraction) -> Amount:
        """Average times delta at ln(order / (order - 1))."""
        return self.average * base.delta(max(log_down(order / (order - 1)), Fraction(0)))

    def largest_excess(self, base: Loss) -> Amount:
        """Average times delta at zero: how far apart the distributions of a candidate can be."""
        return self.average * base.delta(0)


@lru_cache(maxsize=256)
def _spread(base: Loss, success: Fraction) -> Amount:
    """(1 - 1/a) renyi(a) + ln(1/success) / a at an order a chosen by floats, or for order infinity epsilon."""
    rare = log_up(1 / success)
    pure = base.pure()
    largest: Amount = rare
    if pure.delta == 0 and isinstance(pure.cost, Fraction):
        largest = min(rare, _log_ratio(pure.cost, success))  # the ratio of the pure bound serves every order

    def at(order: Fraction) -> Amount:
        divergence = base.renyi(order)
        return divergence if isinstance(divergence, float) else (1 - 1 / order) * divergence + rare / order

    return min(largest, at(best_order(at)))


def _log_ratio(epsilon: Fraction, success: Fraction) -> Fraction:
    """Give ln((e^epsilon + success) / (1 + success e^epsilon)), rounded up and at most epsilon."""
    if epsilon > _LARGE:
        return epsilon
    ratio = (1 + success * exp_up(-epsilon)) / (exp_down(-epsilon) + success)
    return min(max(log_up(ratio), Fraction(0)), epsilon)
