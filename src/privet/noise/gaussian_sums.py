"""The discrete Gaussian's normaliser, masses, tails and quantiles, enclosed at any precision.

Proofs: docs/noise/discrete_gaussian.md.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from privet.core.exact import ball, directed
from privet.noise.drawing import count, positive
from privet.noise.geometric import quantile

_DIRECT = 512  # up to this scale a tail is summed term by term; a few milliseconds at most


def normaliser(scale: Fraction) -> arb:
    """Enclose the sum of ``exp(-z^2 / (2 scale^2))`` over all integers at the current precision.

    For scales of 1 or more, Poisson's summation formula turns the sum into one that converges at once.
    """
    if scale < 1:
        return _theta(1 / (2 * ball(scale) ** 2))
    return ball(scale) * (2 * arb.pi()).sqrt() * _theta(2 * (arb.pi() * ball(scale)) ** 2)


def _theta(rate: arb) -> arb:
    """Enclose the sum of exp(-rate n^2) over all integers, for a rate of 1/2 or more."""
    total, n = arb(1), 0
    while True:
        n += 1
        term = 2 * (-rate * n * n).exp()
        total += term
        # Each term is at most exp(-rate (2n + 1)) <= exp(-3/2) of the one before, so the rest is below term / 2.
        if term.upper() < arb(2) ** -(ctx.prec + 8):
            return total + arb(0, (term / 2).upper())


def discrete_gaussian_mass(scale: object, z: int) -> arb:
    """Enclose ``P(Z = z)`` at the current precision."""
    scale = positive("discrete_gaussian_mass.scale", scale)
    return (-((ball(z) / ball(scale)) ** 2) / 2).exp() / normaliser(scale)


def discrete_gaussian_tail(scale: object, k: int) -> tuple[Fraction, Fraction]:
    """Enclose ``P(|Z| > k)``.

    The two ends agree to 24 digits up to a scale of 512, and to a few parts in ``scale^2`` beyond.

    >>> low, high = discrete_gaussian_tail(10, 20)
    >>> float(low), float(high)
    (0.04028110707408373, 0.04028110707408373)
    """
    scale = positive("discrete_gaussian_tail.scale", scale)
    k = count("discrete_gaussian_tail.k", k)
    low, high = _tail_functions(scale, k)
    # The functions ignore their argument: the scale and k are exact, and only the precision changes between attempts.
    return directed(lambda _: low(), 0, toward="down"), directed(lambda _: high(), 0, toward="up")


def _tail_functions(scale: Fraction, k: int) -> tuple[Callable[[], arb], Callable[[], arb]]:
    if scale <= _DIRECT:
        return (lambda: _summed_tail(scale, k)), (lambda: _summed_tail(scale, k))

    def density(x: int) -> arb:
        return (-((ball(x) / ball(scale)) ** 2) / 2).exp()

    def ratio(x: Fraction) -> arb:
        return ball(x) / (ball(scale) * arb(2).sqrt())

    def area() -> arb:
        return ball(scale) * (2 * arb.pi()).sqrt()

    half = Fraction(2 * k + 1, 2)
    if half >= scale:  # the density is convex beyond the scale
        return (
            lambda: (area() * ratio(Fraction(k + 1)).erfc() + density(k + 1)) / normaliser(scale),
            lambda: area() * ratio(half).erfc() / normaliser(scale),
        )
    return (  # and concave below it
        lambda: 1 - (area() * ratio(Fraction(k)).erf() + density(k)) / normaliser(scale),
        lambda: 1 - area() * ratio(half).erf() / normaliser(scale),
    )


def _summed_tail(scale: Fraction, k: int) -> arb:
    rate = 1 / (2 * ball(scale) ** 2)
    first = (-rate * (k + 1) ** 2).exp()
    total, term, j = arb(1), arb(1), k + 1
    # Relative to the first term, so that far tails keep their digits: f(j + 1) = f(j) exp(-rate (2j + 1)).
    shrink, factor = (-2 * rate).exp(), (-rate * (2 * j + 1)).exp()
    while term.upper() > arb(2) ** -(ctx.prec + 8) * (1 - factor.upper()):
        term *= factor
        total += term
        factor *= shrink
    rest = term * factor / (1 - factor)
    return 2 * first * (total + arb(0, rest.upper())) / normaliser(scale)


def discrete_gaussian_quantile(scale: object, beta: object) -> int:
    """Return the smallest k whose certified upper tail ``P(|Z| > k)`` is at most beta.

    >>> discrete_gaussian_quantile(10, 0.05)
    20
    """
    return quantile(
        "discrete_gaussian_quantile",
        scale,
        beta,
        discrete_gaussian_tail,
        lambda spread, tail: spread * arb(2).sqrt() * tail.erfcinv(),
    )
