"""What noise scaled to a smooth bound of the local sensitivity costs, certified, and how to choose it.

The release is q + (S / alpha) Z, where S changes by at most a factor e^beta between neighbours and |q - q'| is at most
the smaller S. The loss is a supremum over outputs, dilations and shifts together; docs/accounting/planning/smooth.md
brings it to three closed or one-dimensional cases.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Literal, final

from attrs import field, frozen

from privet.accounting.numerics import above_one, cauchy_cost, cauchy_guess, valley
from privet.core import ball, ends, number, positive, precision, read_number, require, short
from privet.errors import InvalidError, NotExactError
from privet.noise.drawing import Magnitude, draw_rounded
from privet.noise.entropy import Entropy, current
from privet.noise.generalised_cauchy import cauchy_magnitude
from privet.noise.student_t import student_magnitude

Aim = Literal["half_width", "variance"]
_PRECISIONS = tuple(192 << doubling for doubling in range(16))  # bits, until the cost is enclosed
_LEVEL = Fraction(95, 100)
_SMALLEST = Fraction(1, 2**200)
_LARGEST = 500  # an epsilon that protects nobody, and beyond which floats overflow


class SmoothLaw(ABC):
    """Noise with polynomial tails, for a scale that is itself private."""

    @abstractmethod
    def magnitude(self) -> Magnitude:
        """Give the law of |Z|."""

    @abstractmethod
    def cost(self, alpha: object, beta: object) -> Fraction:
        """Give an upper bound of epsilon for noise of scale S / alpha around a beta-smooth bound S, tight to 1e-15."""

    @abstractmethod
    def guess(self, epsilon: float, beta: float) -> float:
        """Give an alpha whose cost is near epsilon, or zero where there is none; a float that decides nothing."""

    @abstractmethod
    def variance(self) -> float:
        """Give the variance of Z as a float, for choices and reports."""

    def rounded(self, scale: Fraction, entropy: Entropy | None = None) -> int:
        """Draw the whole number nearest to ``scale Z``, exactly."""
        return draw_rounded(self.magnitude(), scale, entropy or current())

    def half_width(self, level: object = _LEVEL) -> float:
        """Give the z that |Z| exceeds with probability ``1 - level``, as a float, for choices and reports."""
        return self.magnitude().quantile(read_number("half_width.level", level))

    def least(self, beta: Fraction) -> Fraction:
        """Give the epsilon that the dilation alone costs: every alpha costs more."""
        return beta * max(Fraction(1), self.magnitude().tail)

    def alpha(self, epsilon: object, beta: object) -> Fraction:
        """Give an alpha whose certified cost is at most epsilon, and no other is larger by 1e-9 of it."""
        level, smooth = read_number("alpha.epsilon", epsilon), read_number("alpha.beta", beta)
        require(level <= _LARGEST, "alpha.epsilon", f"at most {_LARGEST}", level)
        if not 0 < self.least(smooth) < level:
            raise InvalidError(
                f"alpha.epsilon must be above {short(self.least(smooth))} for this noise and beta={short(smooth)}, "
                f"got {short(level)}: choose a smaller beta or heavier tails."
            )
        return _largest_alpha(self, level, smooth)


@lru_cache(maxsize=1024)
def _largest_alpha(law: SmoothLaw, epsilon: Fraction, beta: Fraction) -> Fraction:
    """Lower a guess until its certified cost fits; a guess that is far off is bisected first."""
    guess = Fraction(law.guess(float(epsilon), float(beta)))
    nearby = guess * (1 - Fraction(1, 2**40))
    if nearby > 0 and law.cost(nearby, beta) <= epsilon < law.cost(guess * (1 + Fraction(1, 2**32)), beta):
        return _short_below(nearby)
    low, high = Fraction(0), max(guess, Fraction(1))
    while law.cost(high, beta) <= epsilon:
        low, high = high, 2 * high
    while low == 0 or high - low > high / 2**32:
        if high < _SMALLEST:
            raise InvalidError(
                f"alpha.epsilon={short(epsilon)} is too close to what beta={short(beta)} costs by itself."
            )
        middle = (low + high) / 2
        low, high = (middle, high) if law.cost(middle, beta) <= epsilon else (low, middle)
    return _short_below(low)


def _short_below(value: Fraction) -> Fraction:
    """Round down to twelve digits: shorter to read and cheaper to compute with."""
    unit = Fraction(10) ** (math.floor(math.log10(float(value))) - 11)
    return math.floor(value / unit) * unit


@final
@frozen(kw_only=True)
class GeneralisedCauchy(SmoothLaw):
    """Noise with a density proportional to ``1 / (1 + |z|^gamma)``.

    Args:
        gamma: How fast the density falls, above one; 2 is the Cauchy distribution, above 3 there is a variance.

    Guarantee: ``cost(alpha, beta)``, from the one stationary point of each of three functions.
    Proof: docs/accounting/planning/smooth.md.

    >>> round(float(GeneralisedCauchy(gamma=4).cost(Fraction("0.693147"), Fraction("0.693147"))), 4)
    2.7395
    """

    gamma: Fraction = field(converter=number, validator=above_one, repr=short)

    def magnitude(self) -> Magnitude:
        """The law of |Z|."""
        return cauchy_magnitude(self.gamma)

    def cost(self, alpha: object, beta: object) -> Fraction:
        """The largest of three certified maxima."""
        return cauchy_cost(self.gamma, *_checked(alpha, beta))

    def guess(self, epsilon: float, beta: float) -> float:
        """Bisect in floats."""
        return cauchy_guess(float(self.gamma), epsilon, beta)

    def variance(self) -> float:
        """sin(pi / gamma) / sin(3 pi / gamma), from gamma = 3 on."""
        angle = math.pi / float(self.gamma)
        return math.sin(angle) / math.sin(3 * angle) if self.gamma > 3 else math.inf


@final
@frozen(kw_only=True)
class StudentT(SmoothLaw):
    """Noise with Student's t distribution.

    Args:
        degrees: Degrees of freedom, above zero, whole or not; above 2 there is a variance.

    Guarantee: ``cost(alpha, beta)`` is the larger of ``(v + 1) asinh(alpha / (2 sqrt v))`` and
        ``beta |v - 1| / 2 + (v + 1) / 2 acosh(cosh beta + alpha^2 e^-beta / (2 v))``, with v degrees.
    Proof: docs/accounting/planning/smooth.md.

    >>> round(float(StudentT(degrees=3).cost(Fraction(1), Fraction(1, 2))), 4)
    1.8281
    """

    degrees: Fraction = field(converter=number, validator=positive, repr=short)

    def magnitude(self) -> Magnitude:
        """The law of |Z|."""
        return student_magnitude(self.degrees)

    def cost(self, alpha: object, beta: object) -> Fraction:
        """Two closed forms, rounded up."""
        return _student_cost(self.degrees, *_checked(alpha, beta))

    def guess(self, epsilon: float, beta: float) -> float:
        """Solve both closed forms for alpha."""
        v = float(self.degrees)
        shift, joint = 2 * epsilon / (v + 1), 2 * (epsilon - beta * abs(v - 1) / 2) / (v + 1)
        if max(shift, joint) > 600 or joint <= beta:
            return 0.0
        # cosh a - cosh b = 2 sinh((a + b) / 2) sinh((a - b) / 2) keeps its digits where both are near one
        both = 4 * v * math.exp(beta) * math.sinh((joint + beta) / 2) * math.sinh((joint - beta) / 2)
        return math.sqrt(min(both, 4 * v * math.sinh(shift / 2) ** 2))

    def variance(self) -> float:
        """The ratio v / (v - 2), from two degrees on."""
        return float(self.degrees / (self.degrees - 2)) if self.degrees > 2 else math.inf


def _checked(alpha: object, beta: object) -> tuple[Fraction, Fraction]:
    first, second = read_number("cost.alpha", alpha), read_number("cost.beta", beta)
    require(first > 0, "cost.alpha", "above zero", first)
    require(second > 0, "cost.beta", "above zero", second)
    return first, second


@lru_cache(maxsize=1024)
def _student_cost(v: Fraction, alpha: Fraction, beta: Fraction) -> Fraction:
    for bits in _PRECISIONS:
        with precision(bits):
            b = ball(beta)
            joint = (b.cosh() + ball(alpha**2 / (2 * v)) * (-b).exp()).acosh()
            shift = (ball(alpha) / (2 * ball(v).sqrt())).asinh()
            forms = [ball(beta * abs(v - 1) / 2) + ball((v + 1) / 2) * joint, ball(v + 1) * shift]
            if all(form.is_finite() and form.rel_accuracy_bits() >= 64 for form in forms):
                return max(ends(form)[1] for form in forms)
    raise NotExactError("the cost cannot be enclosed: alpha, beta or the degrees of freedom are too extreme.")


@final
@frozen(kw_only=True)
class Calibration:
    """A noise and a scale that cost a certain epsilon.

    Args:
        law: The family with its shape.
        alpha: Noise has the scale S / alpha.
        beta: How smooth S must be.
        cost: The certified epsilon.
    """

    law: SmoothLaw
    alpha: Fraction = field(repr=short)
    beta: Fraction = field(repr=short)
    cost: Fraction = field(repr=short)

    def half_width(self, level: object = _LEVEL) -> float:
        """Give the half-width of an interval of this level, in multiples of the private S."""
        return self.law.half_width(level) / float(self.alpha)

    def deviation(self) -> float:
        """Give the standard deviation, in multiples of the private S."""
        return math.sqrt(self.law.variance()) / float(self.alpha)


def calibrate_smooth(
    epsilon: object, beta: object, *, law: SmoothLaw | None = None, aim: Aim = "half_width"
) -> Calibration:
    """Find the noise for a given epsilon and a public beta.

    Floats compare shapes, but they only choose; the cost of the chosen shape is certified.

    Args:
        epsilon: The loss of one neighbour step, above ``beta``.
        beta: How smooth the bound S is: a factor of at most e^beta between neighbours.
        law: The noise with its shape; by default the better of both families at their best shape.
        aim: What the default shape makes small: the 95 % half-width, or the variance.

    Proof: docs/accounting/planning/smooth.md.

    >>> noise = calibrate_smooth(1, 0.1)
    >>> noise.cost <= 1, round(noise.half_width(), 1)
    (True, 3.9)
    """
    level, smooth = read_number("calibrate_smooth.epsilon", epsilon), read_number("calibrate_smooth.beta", beta)
    require(0 < smooth < level, "calibrate_smooth.beta", f"above zero and below epsilon={short(level)}", smooth)
    require(level <= _LARGEST, "calibrate_smooth.epsilon", f"at most {_LARGEST}", level)
    require(aim in ("half_width", "variance"), "calibrate_smooth.aim", "'half_width' or 'variance'", aim)
    chosen = _best_law(level, smooth, aim) if law is None else law
    alpha = chosen.alpha(level, smooth)
    return Calibration(law=chosen, alpha=alpha, beta=smooth, cost=chosen.cost(alpha, smooth))


@lru_cache(maxsize=256)
def _best_law(epsilon: Fraction, beta: Fraction, aim: Aim) -> SmoothLaw:
    """Try shapes of both families; tails are between hardly any and the fastest that beta leaves room for."""
    lowest, highest = (0.2 if aim == "half_width" else 2.0), min(float(epsilon / beta), 40.0)
    if lowest >= highest:
        if aim == "variance":
            raise InvalidError(
                "calibrate_smooth: no noise with a variance is private enough; epsilon must be above 2 beta."
            )
        lowest = highest / 2

    def spread(law: SmoothLaw) -> float:
        alpha = law.guess(float(epsilon), float(beta))
        size = law.half_width() if aim == "half_width" else math.sqrt(law.variance())
        return size / alpha if alpha > 0 else math.inf

    def narrowest(family: Callable[[Fraction], SmoothLaw]) -> SmoothLaw:
        return family(_shape(_minimum(lambda tail: spread(family(_shape(tail))), lowest, highest)))

    families = (lambda tail: GeneralisedCauchy(gamma=1 + tail), lambda tail: StudentT(degrees=tail))
    return min(map(narrowest, families), key=spread)


def _shape(tail: float) -> Fraction:
    return max(round(Fraction(tail), 3), Fraction(1, 1000))


def _minimum(function: Callable[[float], float], low: float, high: float) -> float:
    """Search for the lowest point of a function with one valley: a coarse logarithmic grid, then golden sections."""
    points = [low * (high / low) ** (step / 16) for step in range(17)]
    values = [function(point) for point in points]
    best = values.index(min(values))
    return valley(function, points[max(best - 1, 0)], points[min(best + 1, 16)], 12)
